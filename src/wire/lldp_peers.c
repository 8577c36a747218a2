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

int rt_lldp_peers_add(struct rt_lldp_peers *peers, const char *interface,
		      const struct rt_lldp *said, struct rt_err *err)
{
	char name[RT_LLDP_INTERFACE_BYTES];
	struct rt_lldp_peer *peer;

	snprintf(name, sizeof(name), "%s", interface);
	rt_text_clean(name);
	peer = find(peers, name, said);
	peers->frames++;
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
