/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/lldp_peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

static struct rt_lldp_peer *find(struct rt_lldp_peers *peers, const char *interface,
				 const struct rt_lldp *said)
{
	for (size_t i = 0; i < peers->count; i++) {
		struct rt_lldp_peer *peer = &peers->items[i];

		if (strcmp(peer->interface, interface) == 0 &&
		    rt_lldp_id_equal(&peer->said.chassis, &said->chassis) &&
		    rt_lldp_id_equal(&peer->said.port, &said->port))
			return peer;
	}
	return NULL;
}

/* Its owner says that it ends: what it said before holds no more (802.1AB 9.2.7.9). */
static bool says_goodbye(const struct rt_lldp *said)
{
	return said->ttl_s.known && said->ttl_s.value == 0;
}

static void forget(struct rt_lldp_peers *peers, struct rt_lldp_peer *peer)
{
	const size_t after = (size_t)(peers->items + peers->count - (peer + 1));

	memmove(peer, peer + 1, after * sizeof(*peer));
	peers->count--;
}

int rt_lldp_peers_add(struct rt_lldp_peers *peers, const char *interface,
		      const struct rt_lldp *said, struct rt_err *err)
{
	char name[RT_LLDP_INTERFACE_BYTES];
	struct rt_lldp_peer *peer;

	snprintf(name, sizeof(name), "%s", interface);
	rt_text_clean(name);
	peer = find(peers, name, said);
	peers->frames++;
	if (says_goodbye(said)) {
		if (peer)
			forget(peers, peer);
		return 0;
	}
	if (!peer && peers->count == RT_LLDP_PEERS_MAX) {
		peers->lost++;
		return 0;
	}
	if (!peer) {
		void *grown = rt_grow(peers->items, peers->count, &peers->capacity,
				      sizeof(*peer));

		if (!grown)
			return rt_err_set(err, -ENOMEM, "out of memory");
		peers->items = grown;
		peer = &peers->items[peers->count++];
		*peer = (struct rt_lldp_peer){ 0 };
		memcpy(peer->interface, name, sizeof(name));
	}
	peer->said = *said;
	peer->frames++;
	return 0;
}

void rt_lldp_peers_free(struct rt_lldp_peers *peers)
{
	free(peers->items);
	*peers = (struct rt_lldp_peers){ 0 };
}
