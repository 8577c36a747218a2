/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/switch_forward.h"

#include "base/hash.h"
#include "lab/switch_frame.h"
#include "model/topology.h"

static uint64_t set_of(const struct rt_lab_macs *macs, uint64_t mac)
{
	return rt_hash_pair(macs->seed, mac) % RT_LAB_MAC_SETS;
}

void rt_lab_macs_learn(struct rt_lab_macs *macs, uint64_t mac, uint32_t host,
		       uint64_t now_ps)
{
	struct rt_lab_mac *set = macs->entries[set_of(macs, mac)], *entry = set;

	if (mac & RT_LAB_MAC_GROUP)
		return;
	for (unsigned way = 0; way < RT_LAB_MAC_WAYS; way++) {
		if (set[way].used && set[way].mac == mac) {
			entry = &set[way];
			break;
		}
		if (entry->used &&
		    (!set[way].used || set[way].seen_ps < entry->seen_ps))
			entry = &set[way];
	}
	*entry = (struct rt_lab_mac){
		.mac = mac, .seen_ps = now_ps, .host = host, .used = true
	};
}

uint32_t rt_lab_macs_find(const struct rt_lab_macs *macs, uint64_t mac)
{
	const struct rt_lab_mac *set = macs->entries[set_of(macs, mac)];

	if (mac & RT_LAB_MAC_GROUP)
		return RT_LAB_HOST_NONE;
	for (unsigned way = 0; way < RT_LAB_MAC_WAYS; way++)
		if (set[way].used && set[way].mac == mac)
			return set[way].host;
	return RT_LAB_HOST_NONE;
}

uint32_t rt_lab_forward(const struct rt_topology *topology, uint32_t in, uint32_t host,
			uint64_t hash)
{
	const struct rt_topo_port *from = &topology->ports[in];
	const uint32_t out = topology->kind->next(topology, from->node, host, hash);

	if (out == in ||
	    (from->role == RT_PORT_UP && topology->ports[out].role == RT_PORT_UP))
		return RT_LAB_PORT_NONE;
	return out;
}

bool rt_lab_floods(const struct rt_topology *topology, uint32_t in, uint32_t out)
{
	if (out == in)
		return false;
	if (topology->ports[out].role != RT_PORT_UP)
		return true;
	/* Only the first that faces a spine; a leaf's lie behind those of its hosts. */
	return topology->ports[in].role != RT_PORT_UP &&
	       topology->ports[out - 1].role != RT_PORT_UP;
}
