/* SPDX-License-Identifier: BSD-2-Clause */
/* build.c - the state of a run before its first event, and its end. */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "fabric/state.h"
#include "rocetune/err.h"

#define RNG_STREAM_MARKS     2
#define RNG_STREAM_SHAPES    3
#define LARGE_PORTS          512
#define PFC_REACTION_QUANTA  60 /* IEEE 802.3 annex 31B, at 10 Gb/s */
#define FIRST_SAMPLE_PS      1000000
#define NS3_STREAMS          2 /* that others took before the first mark: found */
#define NS3_NODE_STREAMS     6 /* by trying, it fits 200 recorded runs */
/* ns-3's random-variable-stream.cc: streams that are asked for by number, from 0. */
#define NS3_STREAM_BY_NUMBER (UINT64_C(1) << 63)

void *rt_fabric_lines(size_t count, size_t size)
{
	const size_t bytes = (count * size + RT_CACHE_LINE - 1) / RT_CACHE_LINE *
			     RT_CACHE_LINE;
	void *room = aligned_alloc(RT_CACHE_LINE, bytes);

	return room ? memset(room, 0, bytes) : NULL;
}

static uint64_t quanta_ps(uint64_t quanta, uint64_t speed_bps)
{
	return (uint64_t)((unsigned __int128)quanta * 512 * 1000000000000 / speed_bps);
}

static struct rt_link *link_of(struct rt_fabric *fab, const struct rt_topo_port *port)
{
	const struct rt_fabric_config *config = &fab->config;
	struct rt_link *link;

	for (unsigned i = 0; i < fab->link_count; i++)
		if (fab->links[i].speed_bps == port->speed_bps &&
		    fab->links[i].delay_ps == port->delay_ps)
			return &fab->links[i];
	link = &fab->links[fab->link_count++];
	link->speed_bps = port->speed_bps;
	link->delay_ps = port->delay_ps;
	link->reaction_ps = config->pfc_reaction_ps.known
				    ? config->pfc_reaction_ps.value
				    : quanta_ps(PFC_REACTION_QUANTA, port->speed_bps);
	link->refresh_ps =
		config->pause_refresh_ps
			? config->pause_refresh_ps
			: quanta_ps(config->pause_quanta, port->speed_bps) / 2 + 1;
	if (link->reaction_ps)
		link->reaction_ring = rt_events_ring(&fab->events, link->reaction_ps);
	return link;
}

/* What is never marked has a threshold that is never passed. */
static void build_red(struct rt_fabric_config *config)
{
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			if (!config->ecn[role][prio])
				config->red[role][prio].kmin_bytes = UINT64_MAX;
}

static int build_ports(struct rt_fabric *fab, struct rt_err *err)
{
	int r = rt_sched_params_init(&fab->sched, fab->config.queues,
				     fab->config.mtu_bytes + 128, err);

	if (r < 0)
		return r;
	build_red(&fab->config);
	fab->port_count = fab->topology.port_count;
	fab->large = fab->port_count > LARGE_PORTS;
	fab->ports = rt_fabric_lines(fab->port_count, sizeof(*fab->ports));
	if (!fab->ports)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u ports",
				  fab->port_count);
	for (uint32_t i = 0; i < fab->port_count; i++) {
		const struct rt_topo_port *from = &fab->topology.ports[i];
		struct rt_fab_port *port = &fab->ports[i];

		port->peer = from->peer;
		port->node = from->node;
		port->role = (uint8_t)from->role;
		port->is_nic = from->role == RT_PORT_NIC;
		port->arrive_what = rt_event_what(
			fab->topology.ports[from->peer].role == RT_PORT_NIC
				? RT_EV_RECEIVE
				: RT_EV_ARRIVE,
			from->peer);
		port->done_what = rt_event_what(RT_EV_TX_DONE, i);
		port->link = link_of(fab, from);
		port->tap_rx = port->tap_tx = -1;
		port->pg = fab->config.pg[from->role];
		rt_sched_init(&port->sched);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			port->prios[prio].ready_first = RT_FLOW_NONE;
	}
	return 0;
}

/* A pool of given size: guarantees lie beside it, unless it counts them too. */
static int check_pool(const struct rt_fabric_config *config, uint64_t promised,
		      struct rt_err *err)
{
	const uint64_t pool = config->pool_bytes.value;

	if (config->options & RT_MODEL_POOL_COUNTS_ALL ||
	    (pool <= config->buffer_bytes && promised <= config->buffer_bytes - pool))
		return 0;
	return rt_err_set(err, -EINVAL,
			  "a pool of %llu bytes with headroom and guarantees of %llu "
			  "beside it is more than the buffer's %llu: lower model.pool "
			  "or model.headroom, or raise model.buffer",
			  (unsigned long long)pool, (unsigned long long)promised,
			  (unsigned long long)config->buffer_bytes);
}

/* The shared pool is the buffer less what is promised to ports and priorities. */
static int build_switch(struct rt_fabric *fab, uint32_t node, struct rt_err *err)
{
	const struct rt_fabric_config *config = &fab->config;
	struct rt_fab_switch *sw = &fab->switches[node - fab->topology.hosts];
	uint64_t promised = 0;

	for (uint32_t i = fab->topology.first_port[node];
	     i < fab->topology.first_port[node + 1]; i++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			const struct rt_pg_params *pg = &fab->ports[i].pg[prio];
			const uint64_t *beside =
				config->headroom_beside_bytes[fab->ports[i].role];

			if (pg->lossless)
				promised += pg->reserved_bytes +
					    (config->shared_headroom_bytes
						     ? 0
						     : pg->headroom_bytes -
							       beside[prio]);
		}
	promised += config->shared_headroom_bytes;
	sw->pool.headroom_size_bytes = config->shared_headroom_bytes;
	sw->egress.size_bytes = sw->egress.memory_bytes = config->buffer_bytes;
	sw->pool.memory_bytes = config->buffer_bytes;
	sw->pool.size_bytes = config->pool_bytes.value;
	if (config->pool_bytes.known)
		return check_pool(config, promised, err);
	if (promised >= config->buffer_bytes)
		return rt_err_set(
			err, -EINVAL,
			"headroom and guarantees of a switch take %llu bytes, "
			"its buffer has %llu: raise model.buffer or lower "
			"model.headroom",
			(unsigned long long)promised,
			(unsigned long long)config->buffer_bytes);
	sw->pool.size_bytes = config->buffer_bytes - promised;
	return 0;
}

static int build_switches(struct rt_fabric *fab, struct rt_err *err)
{
	const uint32_t count = fab->topology.nodes - fab->topology.hosts;
	int r = 0;

	fab->switches = calloc(count, sizeof(*fab->switches));
	if (!fab->switches)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u switches", count);
	for (uint32_t i = 0; i < count && r == 0; i++)
		r = build_switch(fab, fab->topology.hosts + i, err);
	for (uint32_t i = 0; i < fab->port_count; i++)
		if (!fab->ports[i].is_nic)
			fab->ports[i].in_switch = &fab->switches[fab->ports[i].node -
								 fab->topology.hosts];
	return r;
}

/*
 * Runs of ns-3 models are repeated down to the order of what happens at one time: who
 * was scheduled first.  A tick of alpha was scheduled its interval ago, the ACK that
 * comes with it when it left the switch.
 */
static int build_ns3(struct rt_fabric *fab, struct rt_err *err)
{
	const struct rt_topology_spec *spec = &fab->topology.spec;
	const uint64_t seed = fab->scenario->seed;

	fab->random = fab->scenario->model.random;
	if (fab->random == RT_RANDOM_HPCC)
		rt_mrg32k3a_init(&fab->ns3_rng,
				 NS3_STREAMS + NS3_NODE_STREAMS * fab->topology.nodes,
				 seed);
	if (fab->random == RT_RANDOM_CONWEAVE)
		rt_mrg32k3a_init(&fab->ns3_rng, NS3_STREAM_BY_NUMBER, seed);
	if (!(fab->config.options & RT_MODEL_NS3_ORDER))
		return 0;
	fab->tick_first = fab->config.rp.alpha_interval_ps >
			  spec->delay_ps + rt_fabric_wire_ps(fab,
							     fab->config.wire.ack_bytes,
							     spec->speed_bps);
	return rt_nic_look_build(fab, err);
}

/* Every timer there can be; the order is that of rt_send_slot() and friends. */
static int build_slots(struct rt_fabric *fab, uint32_t flows, uint32_t ports,
		       struct rt_err *err)
{
	const size_t count = (size_t)flows * (1 + RT_FLOW_SLOTS) +
			     (size_t)ports * (1 + RT_PORT_SLOTS);
	RT_AUTO(rt_auto_free) uint32_t *what = malloc((count + 1) * sizeof(*what));
	size_t at = 0;

	if (!what)
		return rt_err_sys(err, -ENOMEM, "cannot hold %zu timers", count);
	for (uint32_t i = 0; i < flows; i++)
		what[at++] = rt_event_what(RT_EV_SEND, i);
	for (uint32_t i = 0; i < ports; i++)
		what[at++] = rt_event_what(RT_EV_PORT_FREE, i);
	for (uint32_t i = 0; i < flows; i++)
		for (unsigned type = RT_EV_INCREASE; type <= RT_EV_NP; type++)
			what[at++] = rt_event_what(type, i);
	for (uint32_t i = 0; i < ports * RT_PRIO_COUNT; i += RT_PRIO_COUNT) {
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			what[at++] = rt_event_what(RT_EV_PAUSE_END, i + prio);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			what[at++] = rt_event_what(RT_EV_REFRESH, i + prio);
	}
	return rt_events_init(&fab->events, what, (uint32_t)count, flows + ports, err);
}

/* The switch port towards the host that most flows go to. */
static uint32_t busiest_port(const struct rt_fabric *fab)
{
	RT_AUTO(rt_auto_free)
	uint32_t *flows = calloc(fab->topology.hosts, sizeof(*flows));
	uint32_t best = 0;

	if (flows) {
		for (uint32_t i = 0; i < fab->flow_count; i++)
			flows[fab->flows[i].spec.to]++;
		for (uint32_t host = 0; host < fab->topology.hosts; host++)
			if (flows[host] > flows[best])
				best = host;
	}
	return fab->ports[best].peer;
}

static void first_events(struct rt_fabric *fab)
{
	const struct rt_packet none = { 0 };

	for (uint32_t i = 0; i < fab->flow_count; i++) {
		const struct rt_flow_spec *spec = &fab->flows[i].spec;

		rt_events_slot_set(&fab->events, rt_send_slot(i), spec->start_ps);
		if (spec->stop_ps)
			rt_events_at(&fab->events, spec->stop_ps,
				     rt_event_what(RT_EV_STOP, i), &none);
	}
	rt_events_at(&fab->events, FIRST_SAMPLE_PS, rt_event_what(RT_EV_SAMPLE, 0),
		     &none);
	if (fab->scenario->warmup_ps)
		rt_events_at(&fab->events, fab->scenario->warmup_ps,
			     rt_event_what(RT_EV_WARM, 0), &none);
	fab->sample_ps = FIRST_SAMPLE_PS;
	fab->sample_port = busiest_port(fab);
}

void rt_fabric_teardown(struct rt_fabric *fab)
{
	for (uint32_t i = 0; fab->ports && i < fab->port_count; i++) {
		free(fab->ports[i].first.items);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			free(fab->ports[i].prios[prio].queue.items);
		free(fab->ports[i].pauses);
		free(fab->ports[i].losses);
	}
	free(fab->ports);
	free(fab->flows);
	rt_detail_free(&fab->detail);
	free(fab->selective);
	free(fab->bitmaps);
	free(fab->routes);
	free(fab->looks);
	free(fab->look_flows);
	free(fab->switches);
	free(fab->samples);
	free(fab->frame);
	rt_topology_free(&fab->topology);
	rt_events_free(&fab->events);
}

int rt_fabric_build(struct rt_fabric *fab, const struct rt_fabric_run *run,
		    struct rt_err *err)
{
	uint64_t flows = 0;
	int r = rt_topology_build(&fab->scenario->topology, &fab->topology, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < fab->scenario->workload_count; i++)
		flows += rt_workload_flow_count(&fab->scenario->workloads[i],
						fab->topology.hosts);
	fab->samples = calloc(RT_SIM_SAMPLES_MAX, sizeof(*fab->samples));
	if (!fab->samples)
		return rt_err_sys(err, -ENOMEM, "cannot hold the samples");
	rt_rng_init(&fab->rng, fab->scenario->seed, RNG_STREAM_MARKS);
	rt_rng_init(&fab->shape_rng, fab->scenario->seed, RNG_STREAM_SHAPES);
	r = build_slots(fab, (uint32_t)flows, fab->topology.port_count, err);
	if (r == 0)
		r = build_ports(fab, err);
	if (r == 0)
		r = build_switches(fab, err);
	if (r == 0)
		r = rt_fabric_build_flows(fab, err);
	if (r == 0)
		r = rt_detail_build(fab, err);
	if (r == 0)
		r = rt_fabric_build_selective(fab, err);
	if (r == 0)
		r = build_ns3(fab, err);
	if (r == 0)
		r = rt_tap_open(fab, run, err);
	if (r == 0)
		first_events(fab);
	return r;
}
