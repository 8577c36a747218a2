/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lldp_peers.h - who was heard on which interface: the last LLDPDU of each pair of
 * chassis and port, as a port may have several (two agents of one host, or a hub).
 * One with a time to live of 0 says that its sender ends: it is no peer any more.
 */
#ifndef RT_WIRE_LLDP_PEERS_H
#define RT_WIRE_LLDP_PEERS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/lldp.h"

struct rt_err;

#define RT_LLDP_INTERFACE_BYTES 64

struct rt_lldp_peer {
	char interface[RT_LLDP_INTERFACE_BYTES]; /* of ours; "": not told */
	uint64_t frames;
	struct rt_lldp said; /* last */
};

/* Zeroed to begin with. */
struct rt_lldp_peers {
	struct rt_lldp_peer *items; /* owned */
	size_t count, capacity;
	uint64_t frames; /* all of them */
	uint64_t lost;   /* of peers beyond RT_LLDP_PEERS_MAX */
};

/* Every port of a large chassis fits; a flood of invented neighbours does not. */
#define RT_LLDP_PEERS_MAX 4096

/* Both are copied; interface may be "".  -ENOMEM. */
int rt_lldp_peers_add(struct rt_lldp_peers *peers, const char *interface,
		      const struct rt_lldp *said, struct rt_err *err);

void rt_lldp_peers_free(struct rt_lldp_peers *peers);

#endif
