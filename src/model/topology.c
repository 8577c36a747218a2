/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/own.h"
#include "rocetune/err.h"

const struct rt_name rt_port_role_names[] = {
	{ "nic", RT_PORT_NIC, "of a host" },
	{ "host", RT_PORT_HOST, "of a switch, towards a host" },
	{ "up", RT_PORT_UP, "of a leaf, towards a spine" },
	{ "spine", RT_PORT_SPINE, "of a spine, towards a leaf" },
	{ 0 },
};

/* Cable port a of one node to port b of another, both ways. */
static void cable(struct rt_topology *topology, uint32_t a, uint32_t b,
		  uint64_t speed_bps, uint64_t delay_ps)
{
	topology->ports[a].peer = b;
	topology->ports[b].peer = a;
	topology->ports[a].speed_bps = topology->ports[b].speed_bps = speed_bps;
	topology->ports[a].delay_ps = topology->ports[b].delay_ps = delay_ps;
}

/* Ports first .. of node, count of them, all of one role. */
static void give_ports(struct rt_topology *topology, uint32_t node, uint32_t first,
		       uint32_t count, unsigned role, const char *prefix)
{
	const uint32_t base = topology->first_port[node];

	for (uint32_t i = 0; i < count; i++) {
		struct rt_topo_port *port = &topology->ports[base + first + i];

		port->node = node;
		port->role = role;
		snprintf(port->name, sizeof(port->name), "%sp%u", prefix, first + i);
	}
}

static void give_nics(struct rt_topology *topology)
{
	for (uint32_t host = 0; host < topology->hosts; host++) {
		struct rt_topo_port *port = &topology->ports[host];

		topology->first_port[host] = host;
		port->node = host;
		port->role = RT_PORT_NIC;
		snprintf(port->name, sizeof(port->name), "h%u", host);
	}
	topology->first_port[topology->hosts] = topology->hosts;
}

/* --- star: every host on one switch ------------------------------------- */

static void star_count(const struct rt_topology_spec *spec, uint32_t *ret_hosts,
		       uint32_t *ret_switches, uint32_t *ret_ports)
{
	*ret_hosts = spec->hosts;
	*ret_switches = 1;
	*ret_ports = 2 * spec->hosts;
}

static void star_wire(struct rt_topology *topology)
{
	const struct rt_topology_spec *spec = &topology->spec;
	const uint32_t node = topology->hosts;

	give_ports(topology, node, 0, topology->hosts, RT_PORT_HOST, "s0");
	topology->first_port[node + 1] = 2 * topology->hosts;
	for (uint32_t host = 0; host < topology->hosts; host++)
		cable(topology, host, topology->hosts + host, spec->speed_bps,
		      spec->delay_ps);
}

static uint32_t star_next(const struct rt_topology *topology, uint32_t node,
			  uint32_t host, uint64_t hash)
{
	(void)hash;
	return topology->first_port[node] + host;
}

/* --- leaf-spine: spec->hosts on each leaf, each leaf to each spine ------ */

static void leaf_spine_count(const struct rt_topology_spec *spec, uint32_t *ret_hosts,
			     uint32_t *ret_switches, uint32_t *ret_ports)
{
	*ret_hosts = spec->hosts * spec->leaves;
	*ret_switches = spec->leaves + spec->spines;
	*ret_ports = 2 * spec->hosts * spec->leaves + 2 * spec->leaves * spec->spines;
}

static void leaf_spine_wire(struct rt_topology *topology)
{
	const struct rt_topology_spec *spec = &topology->spec;
	uint32_t *first = topology->first_port;
	char name[16];

	for (uint32_t leaf = 0; leaf < spec->leaves; leaf++) {
		const uint32_t node = topology->hosts + leaf;

		snprintf(name, sizeof(name), "leaf%u", leaf);
		give_ports(topology, node, 0, spec->hosts, RT_PORT_HOST, name);
		give_ports(topology, node, spec->hosts, spec->spines, RT_PORT_UP, name);
		first[node + 1] = first[node] + spec->hosts + spec->spines;
		for (uint32_t i = 0; i < spec->hosts; i++)
			cable(topology, leaf * spec->hosts + i, first[node] + i,
			      spec->speed_bps, spec->delay_ps);
	}
	for (uint32_t spine = 0; spine < spec->spines; spine++) {
		const uint32_t node = topology->hosts + spec->leaves + spine;

		snprintf(name, sizeof(name), "spine%u", spine);
		give_ports(topology, node, 0, spec->leaves, RT_PORT_SPINE, name);
		first[node + 1] = first[node] + spec->leaves;
		for (uint32_t leaf = 0; leaf < spec->leaves; leaf++)
			cable(topology, first[node] + leaf,
			      first[topology->hosts + leaf] + spec->hosts + spine,
			      spec->fabric_speed_bps, spec->fabric_delay_ps);
	}
}

static uint32_t leaf_spine_next(const struct rt_topology *topology, uint32_t node,
				uint32_t host, uint64_t hash)
{
	const struct rt_topology_spec *spec = &topology->spec;
	const uint32_t leaf = host / spec->hosts, at = node - topology->hosts;

	if (at >= spec->leaves)
		return topology->first_port[node] + leaf;
	if (at == leaf)
		return topology->first_port[node] + host % spec->hosts;
	return topology->first_port[node] + spec->hosts +
	       (uint32_t)(hash % spec->spines);
}

static const struct rt_topology_kind kinds[] = {
	[RT_TOPOLOGY_STAR] = { star_count, star_wire, star_next },
	[RT_TOPOLOGY_LEAF_SPINE] = { leaf_spine_count, leaf_spine_wire,
				     leaf_spine_next },
};

/* The spec's own numbers are bounded, so that products cannot overflow. */
static int check_spec(const struct rt_topology_spec *spec, struct rt_err *err)
{
	const struct {
		const char *name;
		uint32_t value;
	} counts[] = { { "hosts", spec->hosts },
		       { "leaves", spec->leaves },
		       { "spines", spec->spines } };

	for (size_t i = 0; i < RT_ARRAY_SIZE(counts); i++)
		if (counts[i].value == 0 || counts[i].value > RT_SIM_MAX_HOSTS)
			return rt_err_set(
				err, -EINVAL, "topology: %u %s is outside 1 to %u",
				counts[i].value, counts[i].name, RT_SIM_MAX_HOSTS);
	if (!spec->speed_bps || !spec->fabric_speed_bps)
		return rt_err_set(err, -EINVAL, "topology: a link of speed 0");
	return 0;
}

int rt_topology_build(const struct rt_topology_spec *spec,
		      struct rt_topology *ret_topology, struct rt_err *err)
{
	struct rt_topology built = { .kind = &kinds[spec->kind], .spec = *spec };
	uint32_t switches;
	int r = check_spec(spec, err);

	if (r < 0)
		return r;
	built.kind->count(spec, &built.hosts, &switches, &built.port_count);
	if (built.hosts < 2 || built.hosts > RT_SIM_MAX_HOSTS)
		return rt_err_set(err, -EINVAL,
				  "topology: %u hosts, the bounds are 2 to %u",
				  built.hosts, RT_SIM_MAX_HOSTS);
	if (built.port_count > RT_SIM_MAX_PORTS)
		return rt_err_set(err, -EINVAL, "topology: %u ports, the most is %u",
				  built.port_count, RT_SIM_MAX_PORTS);
	built.nodes = built.hosts + switches;
	built.ports = calloc(built.port_count, sizeof(*built.ports));
	built.first_port = calloc(built.nodes + 1u, sizeof(*built.first_port));
	if (!built.ports || !built.first_port) {
		rt_topology_free(&built);
		return rt_err_sys(err, -ENOMEM, "cannot hold the topology");
	}
	give_nics(&built);
	built.kind->wire(&built);
	*ret_topology = built;
	return 0;
}

void rt_topology_free(struct rt_topology *topology)
{
	free(topology->ports);
	free(topology->first_port);
	*topology = (struct rt_topology){ 0 };
}

unsigned rt_topology_path(const struct rt_topology *topology, uint32_t from,
			  uint32_t to, uint64_t hash, uint32_t *ret_ports)
{
	unsigned count = 0;
	uint32_t port = topology->first_port[from];

	for (;;) {
		uint32_t node = topology->ports[topology->ports[port].peer].node;

		ret_ports[count++] = port;
		if (node == to || count > RT_TOPOLOGY_HOPS)
			return count;
		port = topology->kind->next(topology, node, to, hash);
	}
}
