/* SPDX-License-Identifier: BSD-2-Clause */
/* flow.c - flows, addresses and totals describe themselves, so that they travel. */
#include "traffic/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "base/rng.h"
#include "model/sizes.h"

const struct rt_name rt_qp_state_names[] = {
	{ "waiting", RT_QP_WAITING, "it has not started" },
	{ "running", RT_QP_RUNNING, "it was at work when it was last looked at" },
	{ "done", RT_QP_DONE, "it stopped as asked, or sent all it had to" },
	{ "stopped", RT_QP_STOPPED, "an error ended it" },
	{ 0 },
};

static const struct rt_field size_fields[] = {
	RT_FIELD(struct rt_size_point, U64, bytes, BYTES, "of a message"),
	RT_FIELD(struct rt_size_point, U64, share_ppb, RATIO,
		 "of messages that are no larger"),
};

static RT_TABLE(size_table, rt_size_point, "size_point", "Sizes",
		"A point of a distribution of sizes.", size_fields);

#define FLOW(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_traffic_flow, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field flow_fields[] = {
	FLOW(U32, flow, NONE, "number of it in the run"),
	FLOW(U32, from, NONE, "rank that the data comes from"),
	FLOW(U32, to, NONE, "rank that the data goes to"),
	FLOW(U32, workload, NONE, "which of the scenario's"),
	FLOW(BOOL, victim, NONE, "it suffers, it does not load"),
	FLOW(ENUM, op, NONE, "how the data moves", .names = rt_traffic_op_names),
	FLOW(U64, message_bytes, BYTES, "of a message, without a list of sizes"),
	RT_FIELD_LIST_OF(struct rt_traffic_flow, sizes, size_count, &size_table,
			 "sizes of messages"),
	FLOW(U32, outstanding, COUNT, "most messages posted and not completed"),
	FLOW(U64, total_bytes, BYTES, "payload to send; 0: until stop_ns"),
	FLOW(U64, rate_bps, BPS, "most payload; 0: no cap"),
	FLOW(U64, rate_share_ppb, RATIO,
	     "most of the sender's link, headers included; 0: no share"),
	FLOW(U64, start_ns, NS, "since the common start"),
	FLOW(U64, stop_ns, NS, "since the common start"),
	FLOW(U64, on_ns, NS, "bursts: it sends that long"),
	FLOW(U64, off_ns, NS, "and is silent that long; 0: no bursts"),
	FLOW(U8, dscp, NONE, "of the IP header"),
	FLOW(U8, ecn, NONE, "of the IP header: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE"),
	FLOW(U8, prio, NONE, "that the DSCP maps to on the path"),
	FLOW(U16, udp_sport, NONE, "0: the engine's own choice"),
};

RT_TABLE(rt_traffic_flow_table, rt_traffic_flow, "traffic_flow", "Flows",
	 "What one queue pair is to do.", flow_fields);

void rt_traffic_flow_free(struct rt_traffic_flow *flow)
{
	rt_record_free(&rt_traffic_flow_table, flow);
}

int rt_traffic_flow_copy(const struct rt_traffic_flow *flow,
			 struct rt_traffic_flow *ret_flow)
{
	*ret_flow = *flow;
	ret_flow->sizes = NULL;
	ret_flow->size_count = 0;
	if (!flow->sizes || !flow->size_count)
		return 0;
	ret_flow->sizes = calloc(flow->size_count, sizeof(*flow->sizes));
	if (!ret_flow->sizes)
		return -ENOMEM;
	memcpy(ret_flow->sizes, flow->sizes, flow->size_count * sizeof(*flow->sizes));
	ret_flow->size_count = flow->size_count;
	return 0;
}

uint64_t rt_traffic_flow_largest(const struct rt_traffic_flow *flow)
{
	uint64_t most = flow->size_count ? 0 : flow->message_bytes;

	for (size_t i = 0; i < flow->size_count; i++)
		if (flow->sizes[i].bytes > most)
			most = flow->sizes[i].bytes;
	return most;
}

uint64_t rt_traffic_flow_next_bytes(const struct rt_traffic_flow *flow,
				    uint64_t posted_bytes, struct rt_rng *rng)
{
	uint64_t bytes = flow->message_bytes;

	if (flow->size_count)
		bytes = rt_sizes_at(flow->sizes, flow->size_count,
				    rt_rng_below(rng, RT_PPB));
	if (flow->total_bytes && bytes > flow->total_bytes - posted_bytes)
		bytes = flow->total_bytes - posted_bytes;
	return bytes;
}

#define ADDRESS(kind, member, unit, help) \
	RT_FIELD(struct rt_qp_address, kind, member, unit, help)

static const struct rt_field address_fields[] = {
	ADDRESS(U32, flow, NONE, "number of the flow"),
	ADDRESS(U32, qpn, NONE, "number of the queue pair"),
	ADDRESS(U32, psn, NONE, "the first packet sequence number that it sends"),
	ADDRESS(IP, ip, NONE, "where it is"),
	ADDRESS(MAC, mac, NONE, "of its interface; zeros: not told"),
	ADDRESS(U32, mtu_bytes, MTU, "path MTU that it allows"),
	ADDRESS(U64, va, NONE, "memory the peer may write or read"),
	ADDRESS(U64, region_bytes, BYTES, "of that memory"),
	ADDRESS(U32, rkey, NONE, "key of that memory"),
	ADDRESS(U8, reads, COUNT, "RDMA READs that it answers at a time; 0: not told"),
	ADDRESS(U16, cm_port, NONE, "that it listens at; 0: it does not"),
	ADDRESS(U64, rate_bps, BPS,
		"what its link leaves to a flow that is a share of it; 0: as the flow "
		"says"),
};

RT_TABLE(rt_qp_address_table, rt_qp_address, "qp_address", "Addresses",
	 "What the other end must know of a queue pair.", address_fields);

#define TOTAL(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_qp_totals, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field totals_fields[] = {
	TOTAL(ENUM, state, NONE, "how it stands", .names = rt_qp_state_names),
	TOTAL(OPT_U64, bytes, BYTES, "payload acknowledged, or arrived in order"),
	TOTAL(OPT_U64, messages, COUNT, "messages completed"),
	TOTAL(OPT_U64, first_ns, NS, "when its first byte moved"),
	TOTAL(OPT_U64, last_ns, NS, "when its last byte moved"),
	TOTAL(OPT_U64, data_frames_tx, COUNT, "data frames sent"),
	TOTAL(OPT_U64, data_frames_rx, COUNT, "data frames received"),
	TOTAL(OPT_U64, data_frames_retransmitted, COUNT, "data frames sent again"),
	TOTAL(OPT_U64, frame_sequence_error, COUNT, "data frames out of order"),
	TOTAL(OPT_U64, ecn_ce_rx, COUNT, "data frames received with CE"),
	TOTAL(OPT_U64, cnp_tx, COUNT, "CNPs sent"),
	TOTAL(OPT_U64, cnp_rx, COUNT, "CNPs received"),
	TOTAL(OPT_U64, ack_tx, COUNT, "ACKs sent"),
	TOTAL(OPT_U64, ack_rx, COUNT, "ACKs received"),
	TOTAL(OPT_U64, nak_tx, COUNT, "NAKs sent"),
	TOTAL(OPT_U64, nak_rx, COUNT, "NAKs received"),
	TOTAL(OPT_U64, timeouts, COUNT, "times it went back after silence"),
	TOTAL(OPT_U64, rate_cuts, COUNT, "times the reaction point cut its rate"),
	TOTAL(OPT_U64, rate_bps, BPS, "limit of its rate now"),
	TOTAL(OPT_U64, paused_ns, NS, "time that PFC kept it from sending"),
	RT_FIELD_CHARS_OF(struct rt_qp_totals, error,
			  "the verbs name of what ended it"),
	TOTAL(OPT_U64, error_ns, NS, "when that was"),
};

RT_TABLE(rt_qp_totals_table, rt_qp_totals, "qp_totals", "Totals",
	 "One end of a flow, so far.", totals_fields);
