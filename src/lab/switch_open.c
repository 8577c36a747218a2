/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_open.c - a switch's pools and ports, made of topology and laws. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cc/ps.h"
#include "lab/switch_core.h"
#include "rocetune/err.h"

#define RNG_STREAM_MARKS 2

/* The shared pool is the buffer less what is promised to ports and priorities. */
static int build_pools(struct rt_lab_core *core, uint32_t node, struct rt_err *err)
{
	const struct rt_topology *topology = core->topology;
	const struct rt_fabric_config *laws = &core->laws;
	struct rt_lab_pools *pools = &core->pools[node - topology->hosts];
	const uint64_t shared = laws->shared_headroom_bytes;
	uint64_t promised = shared, besides = 0;

	for (uint32_t i = topology->first_port[node];
	     i < topology->first_port[node + 1]; i++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			const unsigned role = topology->ports[i].role;
			const struct rt_pg_params *pg = &laws->pg[role][prio];
			const uint64_t beside = laws->headroom_beside_bytes[role][prio];

			besides += beside;
			if (pg->lossless)
				promised += pg->reserved_bytes +
					    (shared ? 0 : pg->headroom_bytes - beside);
		}
	pools->pool.headroom_size_bytes = shared;
	pools->pool.memory_bytes = laws->buffer_bytes + besides;
	pools->egress.size_bytes = pools->egress.memory_bytes = laws->buffer_bytes;
	if (!laws->pool_bytes.known && promised < laws->buffer_bytes) {
		pools->pool.size_bytes = laws->buffer_bytes - promised;
		return 0;
	}
	pools->pool.size_bytes = laws->pool_bytes.value;
	if (laws->pool_bytes.known &&
	    (laws->options & RT_MODEL_POOL_COUNTS_ALL ||
	     (laws->pool_bytes.value <= laws->buffer_bytes &&
	      promised <= laws->buffer_bytes - laws->pool_bytes.value)))
		return 0;
	return rt_err_set(
		err, -EINVAL,
		"headroom and guarantees of a switch take %llu bytes, which "
		"its buffer of %llu does not have: use a larger buffer, fewer "
		"ports or less headroom",
		(unsigned long long)promised, (unsigned long long)laws->buffer_bytes);
}

/* What is never marked has a threshold that is never passed. */
static void build_red(struct rt_fabric_config *laws)
{
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			if (!laws->ecn[role][prio])
				laws->red[role][prio].kmin_bytes = UINT64_MAX;
}

static void build_port(struct rt_lab_core *core, uint32_t index)
{
	const struct rt_topology *topology = core->topology;
	const struct rt_topo_port *from = &topology->ports[topology->hosts + index];
	struct rt_lab_port *port = &core->ports[index];

	port->pg = core->laws.pg[from->role];
	port->red = core->laws.red[from->role];
	port->speed_bps = from->speed_bps;
	port->role = (uint8_t)from->role;
	port->peer = from->peer < topology->hosts ? RT_LAB_PORT_NONE
						  : from->peer - topology->hosts;
	port->at_switch = from->node - topology->hosts;
	port->done_ps = port->retry_ps = port->timer_ps = RT_PS_NEVER;
	/* A locally administered address, until an interface's own is known. */
	memcpy(port->mac, (const uint8_t[6]){ 0x02, 0x52, 0x54, 0, index >> 8, index },
	       sizeof(port->mac));
	rt_sched_init(&port->sched);
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
		port->pause_end_ps[prio] = port->refresh_ps[prio] = RT_PS_NEVER;
	memcpy(port->counts.name, from->name, sizeof(port->counts.name));
	memcpy(port->counts.peer, topology->ports[from->peer].name,
	       sizeof(port->counts.peer));
	port->counts.speed_bps = from->speed_bps;
	core->due_ps[index] = RT_PS_NEVER;
}

static int build(struct rt_lab_core *core, struct rt_err *err)
{
	const uint32_t switches = core->topology->nodes - core->topology->hosts;
	int r;

	core->ports = calloc(core->port_count, sizeof(*core->ports));
	core->due_ps = calloc(core->port_count, sizeof(*core->due_ps));
	core->busy = calloc(core->port_count, sizeof(*core->busy));
	core->pools = calloc(switches, sizeof(*core->pools));
	core->macs = calloc(1, sizeof(*core->macs));
	if (!core->ports || !core->due_ps || !core->busy || !core->pools || !core->macs)
		return rt_err_sys(err, -ENOMEM, "cannot hold a switch of %u ports",
				  core->port_count);
	r = rt_sched_params_init(&core->sched, core->laws.queues,
				 core->laws.mtu_bytes + 128, err);
	build_red(&core->laws);
	for (uint32_t i = 0; i < core->port_count; i++)
		build_port(core, i);
	for (uint32_t i = 0; i < switches && r == 0; i++)
		r = build_pools(core, core->topology->hosts + i, err);
	return r;
}

int rt_lab_core_open(const struct rt_lab_switch_config *config, rt_lab_send_fn *send,
		     void *send_user, struct rt_lab_core **ret_core, struct rt_err *err)
{
	const struct rt_topology *topology = config->topology;
	struct rt_lab_core *core;
	int r;

	if (topology->port_count - topology->hosts > RT_LAB_MAX_PORTS)
		return rt_err_set(
			err, -EINVAL, "a lab with %u switch ports; the most is %u",
			topology->port_count - topology->hosts, RT_LAB_MAX_PORTS);
	core = calloc(1, sizeof(*core));
	if (!core)
		return rt_err_sys(err, -ENOMEM, "cannot hold a switch");
	core->topology = topology;
	core->laws = *config->laws;
	core->port_count = topology->port_count - topology->hosts;
	core->send = send;
	core->send_user = send_user;
	rt_rng_init(&core->rng, config->seed, RNG_STREAM_MARKS);
	for (unsigned i = 0; i < 64; i++)
		core->prio_of_dscp[i] = config->prio_of_dscp[i] % RT_PRIO_COUNT;
	r = build(core, err);
	if (r < 0) {
		rt_lab_core_close(core);
		return r;
	}
	core->macs->seed = config->seed;
	*ret_core = core;
	return 0;
}

void rt_lab_core_close(struct rt_lab_core *core)
{
	if (!core)
		return;
	for (uint32_t i = 0; core->ports && i < core->port_count; i++)
		for (unsigned q = 0; q <= RT_QUEUES; q++)
			rt_lab_queue_free(&core->ports[i].queues[q]);
	free(core->ports);
	free(core->due_ps);
	free(core->busy);
	free(core->pools);
	free(core->macs);
	free(core);
}
