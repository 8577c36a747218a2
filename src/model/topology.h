/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topology.h - which port is cabled to which, and which way a flow goes.
 *
 * Hosts are nodes 0 .. hosts - 1 with one port each, switches come after them.
 * A kind of topology is a row: how many nodes and ports, how they are wired,
 * and the next port on the way to a host.
 */
#ifndef RT_MODEL_TOPOLOGY_H
#define RT_MODEL_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rocetune/scenario.h"

struct rt_err;

/* What a port faces. */
enum rt_port_role {
	RT_PORT_NIC,   /* of a host */
	RT_PORT_HOST,  /* of a switch, towards a host */
	RT_PORT_UP,    /* of a leaf, towards a spine */
	RT_PORT_SPINE, /* of a spine, towards a leaf */
};

extern const struct rt_name rt_port_role_names[];

struct rt_topo_port {
	uint32_t node;
	uint32_t peer; /* port at the other end of the cable */
	uint64_t speed_bps;
	uint64_t delay_ps; /* of the cable, one way */
	unsigned role;     /* enum rt_port_role */
	char name[32];     /* "h3", "s0p3", "leaf1p2" */
};

struct rt_topology {
	const struct rt_topology_kind *kind;
	struct rt_topology_spec spec;
	uint32_t hosts, nodes, port_count;
	struct rt_topo_port *ports; /* owned */
	uint32_t *first_port;       /* owned; of each node, and one past the last */
};

struct rt_topology_kind {
	void (*count)(const struct rt_topology_spec *spec, uint32_t *ret_hosts,
		      uint32_t *ret_switches, uint32_t *ret_ports);
	void (*wire)(struct rt_topology *topology);
	/* Port by which node sends on what goes to host; hash chooses among equals. */
	uint32_t (*next)(const struct rt_topology *topology, uint32_t node,
			 uint32_t host, uint64_t hash);
};

/* Switches that a packet can pass at most. */
#define RT_TOPOLOGY_HOPS 3

/*
 * Wire it.  -EINVAL: the numbers make no network (no host, more than
 * RT_SIM_MAX_HOSTS, ports beyond RT_SIM_MAX_PORTS).  -ENOMEM.
 */
int rt_topology_build(const struct rt_topology_spec *spec,
		      struct rt_topology *ret_topology, struct rt_err *err);
void rt_topology_free(struct rt_topology *topology);

/*
 * The ports that send a packet of this hash from host from to host to: the NIC
 * first, then one per switch.  ret_ports has room for RT_TOPOLOGY_HOPS + 1;
 * returns how many.
 */
unsigned rt_topology_path(const struct rt_topology *topology, uint32_t from,
			  uint32_t to, uint64_t hash, uint32_t *ret_ports);

#endif
