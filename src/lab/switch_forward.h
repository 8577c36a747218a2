/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_forward.h - which way a frame goes.
 *
 * Where a host is reached is learned from the source addresses of what comes in at the
 * ports that face hosts, in one table for all switches of a lab: between switches the
 * topology knows the way.  A frame goes up towards a spine at most once, and a flood up
 * by the first port only, so that there is no loop whatever the table says.  Internal
 * to lab.
 */
#ifndef RT_LAB_SWITCH_FORWARD_H
#define RT_LAB_SWITCH_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

struct rt_topology;

#define RT_LAB_HOST_NONE UINT32_MAX

/* An address and the host behind it.  Sets of a few: the least recent gives way. */
struct rt_lab_mac {
	uint64_t mac;
	uint64_t seen_ps;
	uint32_t host;
	bool used;
};

enum {
	RT_LAB_MAC_SETS = 1024,
	RT_LAB_MAC_WAYS = 4,
};

struct rt_lab_macs {
	uint64_t seed;
	struct rt_lab_mac entries[RT_LAB_MAC_SETS][RT_LAB_MAC_WAYS];
};

/* Group addresses are nobody's and are not learned. */
void rt_lab_macs_learn(struct rt_lab_macs *macs, uint64_t mac, uint32_t host,
		       uint64_t now_ps);
/* RT_LAB_HOST_NONE: not known, or a group. */
uint32_t rt_lab_macs_find(const struct rt_lab_macs *macs, uint64_t mac);

/* Ports are the topology's. */
#define RT_LAB_PORT_NONE UINT32_MAX

/*
 * Port by which a frame that came in by port in leaves towards host, or
 * RT_LAB_PORT_NONE: it would go back, or up again.
 */
uint32_t rt_lab_forward(const struct rt_topology *topology, uint32_t in, uint32_t host,
			uint64_t hash);

/* Is port out, of the switch of port in, on the tree by which floods go? */
bool rt_lab_floods(const struct rt_topology *topology, uint32_t in, uint32_t out);

#endif
