/* SPDX-License-Identifier: BSD-2-Clause */
/* build_flows.c - the flows of a run: their ways, messages, marks, rates. */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/own.h"
#include "fabric/state.h"
#include "model/ecmp.h"
#include "rocetune/err.h"

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

static void set_class(const struct rt_fabric_config *config, struct rt_fab_flow *flow,
		      const struct rt_flow_marks *marks)
{
	flow->marks = *marks;
	flow->prio = marks->prio;
	flow->ack_prio = marks->prio;
	flow->ack_dscp = marks->dscp;
	if (config->ack_prio.known) {
		flow->ack_prio = (uint8_t)config->ack_prio.value;
		flow->ack_dscp = rt_fabric_config_dscp(config, flow->ack_prio);
	}
	flow->data_flags = marks->ecn == RT_ECN_NOT_ECT ? 0 : RT_PACKET_ECT;
}

static void set_op(const struct rt_wire_format *wire, struct rt_fab_flow *flow,
		   unsigned op)
{
	flow->op = (uint8_t)op;
	flow->first_extra = op == RT_TRAFFIC_SEND ? 0 : (uint8_t)wire->first_extra;
	flow->last_extra = op == RT_TRAFFIC_WRITE_IMM ? (uint8_t)wire->imm_bytes : 0;
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
	set_class(config, flow, marks);
	flow->port = (uint16_t)spec->from;
	flow->next_ps = spec->start_ps;
	set_op(&config->wire, flow, by->op);
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

/* What this model of NICs lacks, and what its twins of other models lack. */
static int check_workload(const struct rt_fabric *fab, size_t index,
			  const struct rt_flow_marks *marks, struct rt_err *err)
{
	const struct rt_workload_spec *spec = &fab->scenario->workloads[index];
	const bool twin = fab->config.options & RT_MODEL_NS3_ORDER;

	if (spec->op == RT_TRAFFIC_READ)
		return rt_err_set(
			err, -EOPNOTSUPP,
			"workload %zu: op read is not simulated, the others are; "
			"`rocetune lab run` and `rocetune stress` have it",
			index + 1);
	if (spec->outstanding && !spec->message_bytes && !spec->duration_ps)
		return rt_err_set(err, -EINVAL,
				  "workload %zu: outstanding has no effect on a flow "
				  "that is one message: set message",
				  index + 1);
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

int rt_fabric_build_flows(struct rt_fabric *fab, struct rt_err *err)
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
	fab->flows = rt_fabric_lines(count + 1, sizeof(*fab->flows));
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

/* A sender's and a receiver's bitmap for each flow, in one piece. */
int rt_fabric_build_selective(struct rt_fabric *fab, struct rt_err *err)
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
