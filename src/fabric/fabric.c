/* SPDX-License-Identifier: BSD-2-Clause */
/* fabric.c - builds the state of a run, takes events and hands them out. */
#include "fabric/state.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "model/ecmp.h"
#include "rocetune/err.h"

#define RNG_STREAM_MARKS     2
#define RNG_STREAM_SHAPES    3
#define ALWAYS_INLINE        inline __attribute__((always_inline))
#define FETCH_AHEAD          4
#define LARGE_PORTS          512
#define PFC_REACTION_QUANTA  60 /* IEEE 802.3 annex 31B, at 10 Gb/s */
#define FIRST_SAMPLE_PS      1000000
#define NS3_STREAMS          2 /* that others took before the first mark: found */
#define NS3_NODE_STREAMS     6 /* by trying, it fits 200 recorded runs */
/* ns-3's random-variable-stream.cc: streams that are asked for by number, from 0. */
#define NS3_STREAM_BY_NUMBER (UINT64_C(1) << 63)

uint64_t rt_fabric_wire_ps(const struct rt_fabric *fab, uint64_t bytes,
			   uint64_t rate_bps)
{
	/* Below 2^64 up to two megabytes; frames are far smaller. */
	const uint64_t bits = bytes * 8;

	if (fab->config.options & RT_MODEL_TRUNCATED_SERIALISATION)
		return (bits * 1000000000 - 1) / rate_bps * 1000;
	return bits * UINT64_C(1000000000000) / rate_bps;
}

/* Zeroed, on the borders of cache lines; NULL: no memory. */
static void *lines(size_t count, size_t size)
{
	const size_t bytes = (count * size + RT_CACHE_LINE - 1) / RT_CACHE_LINE *
			     RT_CACHE_LINE;
	void *room = aligned_alloc(RT_CACHE_LINE, bytes);

	return room ? memset(room, 0, bytes) : NULL;
}

/* --- building ----------------------------------------------------------- */

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
	fab->ports = lines(fab->port_count, sizeof(*fab->ports));
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

static void set_path(const struct rt_fabric *fab, struct rt_ecmp_key *key,
		     uint16_t *path)
{
	const struct rt_topology *topology = &fab->topology;
	uint32_t ports[RT_TOPOLOGY_HOPS + 1];
	unsigned count;

	key->seed = fab->scenario->seed;
	/* The switch of a host is the one that has a choice. */
	key->node = topology->ports[topology->ports[key->from].peer].node;
	count = rt_topology_path(topology, key->from, key->to,
				 rt_ecmp_hash(fab->scenario->model.ecmp, key), ports);
	for (unsigned i = 0; i < count; i++)
		path[i] = (uint16_t)ports[i];
}

/* Numbers that no other use of the seed counts to: UDP ports take 2 * flow + 1. */
#define HASH_OF_PSN (UINT64_C(1) << 32)

uint32_t rt_fabric_first_psn(uint64_t seed, uint32_t flow)
{
	return (uint32_t)rt_hash_pair(seed, HASH_OF_PSN + flow) & RT_PSN_MASK;
}

/* Payload of the last of the packets that so many bytes take. */
static uint32_t last_of(uint64_t bytes, uint64_t mtu)
{
	return (uint32_t)(bytes - (bytes - 1) / mtu * mtu);
}

/* A message that nobody gave a size is as long as the flow, or as can be. */
static void set_messages(struct rt_fab_flow *flow, const struct rt_workload_spec *by,
			 uint64_t mtu)
{
	const struct rt_flow_spec *spec = &flow->spec;
	const bool datagrams = by->transport == RT_TRANSPORT_NONE;
	uint64_t whole = 0, rest = spec->bytes;

	flow->message_packets = datagrams ? RT_PACKETS_TIMED
					  : RT_MESSAGE_BYTES_MAX / mtu;
	flow->message_last_bytes = (uint32_t)mtu;
	if (!datagrams && (by->message_bytes || spec->stop_ps)) {
		flow->message_packets = (spec->message_bytes + mtu - 1) / mtu;
		flow->message_last_bytes = last_of(spec->message_bytes, mtu);
		flow->outstanding = by->outstanding;
		whole = spec->bytes / spec->message_bytes;
		rest = spec->bytes % spec->message_bytes;
	}
	flow->packets = whole * flow->message_packets + (rest + mtu - 1) / mtu;
	flow->last_bytes = rest ? last_of(rest, mtu) : flow->message_last_bytes;
	if (spec->stop_ps)
		flow->packets = RT_PACKETS_TIMED;
}

static void set_shape(const struct rt_fabric *fab, struct rt_fab_flow *flow,
		      const struct rt_workload_spec *by)
{
	const uint64_t speed_bps = fab->topology.spec.speed_bps;
	const unsigned __int128 payload_bps = by->rate_bps;
	struct rt_flow_shape *shape = &flow->shape;

	shape->datagrams = by->transport == RT_TRANSPORT_NONE;
	shape->due_ps = flow->spec.start_ps;
	if (by->rate_bps)
		shape->cap_bps = (uint64_t)(payload_bps * fab->full_bytes /
					    fab->config.mtu_bytes);
	if (by->rate_share_ppb)
		shape->cap_bps = (uint64_t)((unsigned __int128)speed_bps *
					    by->rate_share_ppb / RT_PPB);
	flow->shaped = shape->cap_bps || shape->datagrams || flow->spec.off_ps;
}

static void build_flow(struct rt_fabric *fab, uint32_t index,
		       const struct rt_flow_spec *spec,
		       const struct rt_flow_marks *marks)
{
	const struct rt_fabric_config *config = &fab->config;
	const struct rt_workload_spec *by = &fab->scenario->workloads[spec->workload];
	struct rt_fab_flow *flow = &fab->flows[index];
	const uint64_t seed = fab->scenario->seed, mtu = config->mtu_bytes;

	flow->spec = *spec;
	flow->marks = *marks;
	flow->prio = marks->prio;
	flow->ack_prio = marks->prio;
	flow->ack_dscp = marks->dscp;
	if (config->ack_prio.known) {
		flow->ack_prio = (uint8_t)config->ack_prio.value;
		flow->ack_dscp = rt_fabric_config_dscp(config, flow->ack_prio);
	}
	flow->data_flags = marks->ecn == RT_ECN_NOT_ECT ? 0 : RT_PACKET_ECT;
	flow->port = (uint16_t)spec->from;
	flow->next_ps = spec->start_ps;
	set_messages(flow, by, mtu);
	set_shape(fab, flow, by);
	/* The two ways of a flow have UDP ports, and so hashes, of their own. */
	set_path(fab,
		 &(struct rt_ecmp_key){ .direction = 2 * index,
					.from = spec->from,
					.to = spec->to,
					.sport = spec->sport,
					.dport = spec->dport },
		 fab->routes[index].ports[0]);
	set_path(fab,
		 &(struct rt_ecmp_key){ .direction = 2 * index + 1,
					.from = spec->to,
					.to = spec->from,
					.sport = spec->dport,
					.dport = spec->sport },
		 fab->routes[index].ports[1]);
	rt_rp_init(&flow->rp, &config->rp);
	rt_rc_sender_init(&flow->tx, rt_fabric_first_psn(seed, index));
	rt_rc_receiver_init(&flow->rx, flow->tx.first_psn);
	rt_np_init(&flow->np, &config->np, 0);
	flow->gap_ps = rt_fabric_wire_ps(fab, fab->full_bytes, flow->rp.rate_bps);
	if (!config->rc.timeout_ps)
		flow->tx.timeout_at_ps = RT_PS_NEVER;
	/* A timer that is never armed: nothing would stop it. */
	if (flow->shape.datagrams)
		flow->tx.timeout_at_ps = 0;
}

/* A sender's and a receiver's bitmap for each flow, in one piece. */
static int build_selective(struct rt_fabric *fab, struct rt_err *err)
{
	const uint32_t bits = fab->config.rc.window_packets;
	uint64_t *words;

	if (fab->config.rc.recovery != RT_RC_SELECTIVE_REPEAT)
		return 0;
	fab->selective = calloc((size_t)fab->flow_count + 1, sizeof(*fab->selective));
	words = calloc((size_t)fab->flow_count + 1, bits / 64 * 2 * sizeof(*words));
	fab->bitmaps = words;
	if (!fab->selective || !words)
		return rt_err_sys(err, -ENOMEM, "cannot hold the packets' bitmaps");
	for (uint32_t i = 0; i < fab->flow_count; i++) {
		struct rt_fab_flow *flow = &fab->flows[i];

		if (flow->shape.datagrams)
			continue;
		fab->selective[i].sacked = words;
		fab->selective[i].mask = flow->rx.held_mask = bits - 1;
		flow->tx.selective = &fab->selective[i];
		flow->rx.held = words + bits / 64;
		words += bits / 64 * 2;
	}
	return 0;
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

/* What this model of NICs lacks, and what its twins of other models lack. */
static int check_workload(const struct rt_fabric *fab, size_t index,
			  const struct rt_flow_marks *marks, struct rt_err *err)
{
	const struct rt_workload_spec *spec = &fab->scenario->workloads[index];
	const bool twin = fab->config.options & RT_MODEL_NS3_ORDER;

	if (spec->op != RT_TRAFFIC_WRITE)
		return rt_err_set(
			err, -EOPNOTSUPP,
			"workload %zu: op %s is not simulated, only write is; "
			"`rocetune lab run` and `rocetune stress` can do more",
			index + 1, rt_traffic_op_names[spec->op].name);
	if (twin && (marks->prio != fab->config.data_prio ||
		     spec->transport != RT_TRANSPORT_RC || spec->duration_ps))
		return rt_err_set(
			err, -EINVAL,
			"workload %zu: under option ns3_order all flows are of "
			"priority %u, with a size and a transport",
			index + 1, fab->config.data_prio);
	return 0;
}

static int mark_workloads(const struct rt_fabric *fab, struct rt_flow_marks *marks,
			  struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < fab->scenario->workload_count; i++) {
		r = rt_fabric_config_marks(&fab->config, fab->scenario, i, &marks[i],
					   err);
		if (r == 0)
			r = check_workload(fab, i, &marks[i], err);
	}
	return r;
}

static int build_flows(struct rt_fabric *fab, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_flow_spec *specs = NULL;
	struct rt_flow_marks marks[RT_SIM_MAX_WORKLOADS];
	size_t count;
	int r = mark_workloads(fab, marks, err);

	if (r == 0)
		r = rt_workload_flows(fab->scenario, fab->topology.hosts, &specs,
				      &count, err);
	if (r < 0)
		return r;
	fab->flows = lines(count + 1, sizeof(*fab->flows));
	fab->routes = calloc(count + 1, sizeof(*fab->routes));
	if (!fab->flows || !fab->routes)
		return rt_err_sys(err, -ENOMEM, "cannot hold %zu flows", count);
	fab->flow_count = fab->flows_open = (uint32_t)count;
	fab->over = !count;
	fab->full_bytes = fab->config.wire.lead_bytes + fab->config.wire.gap_bytes +
			  (fab->config.mtu_bytes + 3) / 4 * 4 +
			  fab->config.wire.data_overhead;
	for (size_t i = 0; i < count; i++)
		build_flow(fab, (uint32_t)i, &specs[i], &marks[specs[i].workload]);
	return 0;
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

static void teardown(struct rt_fabric *fab)
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

static int build(struct rt_fabric *fab, const struct rt_fabric_run *run,
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
		r = build_flows(fab, err);
	if (r == 0)
		r = rt_detail_build(fab, err);
	if (r == 0)
		r = build_selective(fab, err);
	if (r == 0)
		r = build_ns3(fab, err);
	if (r == 0)
		r = rt_tap_open(fab, run, err);
	if (r == 0)
		first_events(fab);
	return r;
}

/* --- running ------------------------------------------------------------ */

/*
 * Bounded: when the room is full every second sample goes, and the interval
 * doubles; this one would stand between two of the new ones and is left out.
 */
static void take_sample(struct rt_fabric *fab)
{
	const struct rt_packet none = { 0 };
	const uint64_t now_ps = fab->events.now_ps, interval_ps = fab->sample_ps;

	if (fab->sample_count == RT_SIM_SAMPLES_MAX) {
		for (size_t i = 0; i < RT_SIM_SAMPLES_MAX / 2; i++)
			fab->samples[i] = fab->samples[2 * i + 1];
		fab->sample_count /= 2;
		fab->sample_ps *= 2;
	} else {
		fab->samples[fab->sample_count++] = (struct rt_sim_sample){
			now_ps / 1000, fab->ports[fab->sample_port].total_bytes
		};
	}
	rt_events_at(&fab->events, now_ps + interval_ps, rt_event_what(RT_EV_SAMPLE, 0),
		     &none);
}

/* Averages begin now. */
static void warm(struct rt_fabric *fab)
{
	fab->warm_ps = fab->events.now_ps;
	if (fab->detail.on)
		rt_detail_warm(fab);
	for (uint32_t i = 0; i < fab->port_count; i++) {
		struct rt_fab_port *port = &fab->ports[i];

		port->area = 0;
		port->area_from_ps = fab->warm_ps;
		port->busy_ps = port->free_ps > fab->warm_ps
					? port->free_ps - fab->warm_ps
					: 0;
		port->queue_max_bytes = port->total_bytes;
	}
}

static __attribute__((noinline)) void watch(struct rt_fabric *fab,
					    const struct rt_fab_port *port,
					    const struct rt_packet *packet)
{
	if (port->tap_rx >= 0)
		rt_tap_frame(fab, port, packet, false);
	if (fab->detail.on && port->is_nic)
		rt_detail_received(fab, port, packet);
}

static void arrive(struct rt_fabric *fab, uint32_t target, struct rt_packet *packet)
{
	struct rt_fab_port *port = &fab->ports[target];

	if (port->watched_rx)
		watch(fab, port, packet);
	if (packet->kind == RT_PACKET_PFC)
		rt_port_pause_arrived(fab, port, packet);
	else
		rt_switch_arrive(fab, target, packet);
}

static void receive(struct rt_fabric *fab, uint32_t target,
		    const struct rt_packet *packet)
{
	struct rt_fab_port *port = &fab->ports[target];

	if (port->watched_rx)
		watch(fab, port, packet);
	if (packet->kind == RT_PACKET_PFC)
		rt_port_pause_arrived(fab, port, packet);
	else
		rt_nic_arrive(fab, packet);
}

static void may_send(struct rt_fabric *fab, uint32_t index)
{
	if (fab->flows[index].started)
		rt_flow_may_send(fab, index);
	else
		rt_flow_start(fab, index);
}

static void handle_slot(struct rt_fabric *fab, unsigned type, uint32_t target)
{
	switch ((enum rt_event_types)type) {
	case RT_EV_PORT_FREE: rt_port_free(fab, &fab->ports[target]); break;
	case RT_EV_SEND: may_send(fab, target); break;
	case RT_EV_INCREASE: rt_flow_increase(fab, target); break;
	case RT_EV_DECREASE: rt_flow_decrease(fab, target); break;
	case RT_EV_RTO: rt_flow_timeout(fab, target); break;
	case RT_EV_NP: rt_flow_cnp_due(fab, target); break;
	case RT_EV_PAUSE_END: rt_port_pause_end(fab, target); break;
	case RT_EV_REFRESH: rt_port_refresh(fab, target); break;
	case RT_EV_SAMPLE: take_sample(fab); break;
	case RT_EV_WARM: warm(fab); break;
	case RT_EV_STOP: rt_flow_stop(fab, target); break;
	default: break;
	}
}

static void handle(struct rt_fabric *fab, struct rt_event_now *event)
{
	const uint32_t target = event->target;

	switch (event->type) {
	case RT_EV_ARRIVE: arrive(fab, target, event->packet); break;
	case RT_EV_RECEIVE: receive(fab, target, event->packet); break;
	case RT_EV_TX_DONE: rt_port_free(fab, &fab->ports[target]); break;
	case RT_EV_PAUSE:
		rt_port_pause_now(fab, &fab->ports[target], event->packet);
		break;
	default: handle_slot(fab, event->type, target); break;
	}
}

static ALWAYS_INLINE void fetch_port(const struct rt_fabric *fab, uint32_t index)
{
	const struct rt_fab_port *port = &fab->ports[index];

	__builtin_prefetch(port);
	__builtin_prefetch((const char *)port + RT_CACHE_LINE);
	__builtin_prefetch(&port->sent);
	__builtin_prefetch(&port->prios[fab->config.data_prio]);
}

/*
 * The ports of a large fabric do not fit a cache.  Which ones an event needs is
 * known long before it comes: ask for them while others are handled.
 */
static ALWAYS_INLINE void fetch_ahead(const struct rt_fabric *fab)
{
	const struct rt_event *event = rt_events_ahead(&fab->events, FETCH_AHEAD);
	const struct rt_packet *packet;

	if (!event)
		return;
	packet = &event->packet;
	fetch_port(fab, rt_event_target(event));
	if (rt_event_type(event) == RT_EV_ARRIVE && packet->kind != RT_PACKET_PFC)
		fetch_port(
			fab,
			fab->routes[packet->flow].ports[packet->kind != RT_PACKET_DATA]
						       [packet->hop + 1]);
}

/* And for the packet that a port will take, once the port is there. */
static ALWAYS_INLINE void fetch_packet(const struct rt_fabric *fab)
{
	const struct rt_event *event = rt_events_ahead(&fab->events, 1);
	const struct rt_packet_queue *queue;

	if (!event || rt_event_type(event) != RT_EV_TX_DONE)
		return;
	queue = &fab->ports[rt_event_target(event)].prios[fab->config.data_prio].queue;
	__builtin_prefetch(&queue->items[queue->head & queue->mask]);
}

static int loop(struct rt_fabric *fab, const struct rt_fabric_run *run, uint64_t limit,
		struct rt_err *err)
{
	unsigned quiet = RT_FABRIC_PROGRESS_EVENTS;
	struct rt_event_now event;

	while (!fab->over && fab->events.inserted < limit &&
	       rt_events_next(&fab->events, fab->stop_ps, &event)) {
		if (fab->large) {
			rt_events_fetch(&fab->events);
			fetch_ahead(fab);
			fetch_packet(fab);
		}
		handle(fab, &event);
		if (--quiet)
			continue;
		quiet = RT_FABRIC_PROGRESS_EVENTS;
		if (run->progress)
			run->progress(run->progress_user, fab->events.now_ps / 1000,
				      fab->flow_count - fab->flows_open,
				      fab->flow_count);
	}
	if (fab->events.out_of_memory && !fab->failed)
		rt_fabric_fail(fab, rt_err_sys(err, -ENOMEM, "cannot hold the events"));
	/* A duration is kept to its end. */
	if (fab->flows_open && fab->events.inserted < limit &&
	    fab->scenario->duration_ps)
		fab->events.now_ps = fab->stop_ps;
	return fab->failed;
}

int rt_fabric_run(const struct rt_scenario *scenario,
		  const struct rt_fabric_config *config,
		  const struct rt_fabric_run *run, struct rt_sim_result *ret_result,
		  struct rt_err *err)
{
	const bool limited = run->event_limit &&
			     run->event_limit < RT_FABRIC_EVENT_LIMIT;
	const uint64_t limit = limited ? run->event_limit : RT_FABRIC_EVENT_LIMIT;
	struct rt_fabric fab = {
		.scenario = scenario,
		.config = *config,
		.sink = run->sink,
		.err = err,
		.stop_ps = scenario->duration_ps ? scenario->duration_ps
						 : RT_SIM_MAX_DURATION_PS,
	};
	int r = build(&fab, run, err);

	if (r == 0)
		r = loop(&fab, run, limit, err);
	if (r == 0)
		r = rt_fabric_result(&fab, ret_result, err);
	if (r == 0)
		ret_result->event_bound_hit = fab.events.inserted >= limit;
	teardown(&fab);
	return r;
}

int rt_sim_run(const struct rt_scenario *scenario, struct rt_sink *sink,
	       const char *const *ports, struct rt_sim_result *ret_result,
	       struct rt_err *err)
{
	const struct rt_fabric_run run = { .sink = sink, .ports = ports };
	struct rt_fabric_config config;
	int r;

	rt_fabric_config_init(&config, scenario);
	r = rt_fabric_config_model(&config, scenario, err);
	return r < 0 ? r : rt_fabric_run(scenario, &config, &run, ret_result, err);
}
