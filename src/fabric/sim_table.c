/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_table.c - the results of a simulation describe themselves. */
#include "model/criteria.h"
#include "model/finding.h"
#include "model/topology.h"
#include "rocetune/sim.h"

static const struct rt_name direction_names[] = {
	{ "paused by peer", RT_SIM_PAUSED_BY_PEER,
	  "the port received the pause frames" },
	{ "pausing peer", RT_SIM_PAUSING_PEER, "the port sent the pause frames" },
	{ 0 },
};

#define FLOW(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_sim_flow, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field flow_fields[] = {
	FLOW(U32, flow, NONE, "number of the flow"),
	RT_FIELD_CHARS_OF(struct rt_sim_flow, from, "sending host"),
	RT_FIELD_CHARS_OF(struct rt_sim_flow, to, "receiving host"),
	RT_FIELD_CHARS_OF(struct rt_sim_flow, workload, "of which workload",
			  .flags = RT_FIELD_DETAIL),
	FLOW(BOOL, victim, NONE, "measured beside the others",
	     .flags = RT_FIELD_DETAIL),
	FLOW(OPT_U64, prio, NONE, "its priority; of scenarios with several"),
	FLOW(U32, src_qp, NONE, "QP of the sender", .flags = RT_FIELD_DETAIL),
	FLOW(U32, dst_qp, NONE, "QP of the receiver", .flags = RT_FIELD_DETAIL),
	FLOW(U64, bytes, BYTES, "what there was to send", .flags = RT_FIELD_DETAIL),
	FLOW(U64, start_ns, NS, "when it began", .flags = RT_FIELD_DETAIL),
	FLOW(OPT_U64, completion_ps, PS, "from its start to the last ACK",
	     .label = "completion"),
	FLOW(U64, delivered_bytes, BYTES, "arrived in order", .label = "delivered"),
	FLOW(U64, throughput_bps, BPS, "delivered over the time it took",
	     .label = "throughput"),
	FLOW(U64, packets_sent, COUNT, "data packets sent, resends too",
	     .label = "packets"),
	FLOW(U64, resent, COUNT, "data packets sent again"),
	FLOW(U64, marked, COUNT, "data packets that arrived with CE"),
	FLOW(U64, cnps_sent, COUNT, "CNPs its receiver sent", .label = "CNPs"),
	FLOW(U64, cnps_received, COUNT, "CNPs that reached its sender",
	     .flags = RT_FIELD_DETAIL),
	FLOW(U64, echoes, COUNT, "ACKs that carried a mark to its sender",
	     .flags = RT_FIELD_DETAIL),
	FLOW(U64, naks, COUNT, "NAKs that reached its sender", .label = "NAKs"),
	FLOW(U64, timeouts, COUNT, "times its sender went back after silence"),
	FLOW(U64, lost, COUNT, "data packets for which a switch had no room",
	     .flags = RT_FIELD_DETAIL),
	FLOW(OPT_F64, loss_pct, PCT, "of the packets sent", .label = "loss"),
	FLOW(OPT_U64, latency_min_ns, NS,
	     "first bit sent to last received, of one packet at a time",
	     .flags = RT_FIELD_DETAIL),
	FLOW(OPT_U64, latency_mean_ns, NS, "the same on average", .label = "latency"),
	FLOW(OPT_U64, latency_max_ns, NS, "the same at most", .flags = RT_FIELD_DETAIL),
	FLOW(BOOL, failed, NONE, "retries ran out", .flags = RT_FIELD_DETAIL),
	FLOW(U64, final_rate_bps, BPS, "rate limit at the end",
	     .flags = RT_FIELD_DETAIL),
};

RT_TABLE(rt_sim_flow_table, rt_sim_flow, "sim_flow", "Flows",
	 "One flow (QP) of a simulation.", flow_fields);

#define FRAMES(member, help, ...) \
	RT_FIELD(struct rt_sim_frames, U64, member, COUNT, help, ##__VA_ARGS__)

static const struct rt_field frames_fields[] = {
	FRAMES(data, "data frames"),
	FRAMES(ack, "ACKs"),
	FRAMES(nak, "NAKs"),
	FRAMES(cnp, "congestion notification packets"),
	FRAMES(pfc_xoff, "pause frames that stop, refreshes too"),
	FRAMES(pfc_xon, "pause frames that resume"),
	FRAMES(ce, "data frames marked CE"),
	FRAMES(resent, "data frames sent before"),
	RT_FIELD(struct rt_sim_frames, U64, bytes, BYTES,
		 "of all frames, FCS included"),
};

static RT_TABLE(frames_table, rt_sim_frames, "sim_frames", "Frames",
		"Frames of one direction of a port.", frames_fields);

#define PORT(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_sim_port, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_sim_port, name, "the port"),
	RT_FIELD_CHARS_OF(struct rt_sim_port, peer, "the port at the other end"),
	PORT(ENUM, role, NONE, "what it faces", .names = rt_port_role_names),
	PORT(U64, speed_bps, BPS, "of the link", .label = "speed"),
	PORT(U64, drops, COUNT, "frames that came in here and found no room"),
	PORT(U64, queue_max_bytes, BYTES, "largest egress queue", .label = "queue max"),
	PORT(OPT_F64, queue_mean_bytes, BYTES,
	     "egress queue averaged over time; unknown before the warm-up is over",
	     .label = "queue mean"),
	PORT(OPT_F64, utilisation_pct, PCT, "of the time it was sending",
	     .label = "utilisation"),
	RT_FIELD_STRUCT_OF(struct rt_sim_port, rx, &frames_table, "what came in",
			   .flags = RT_FIELD_DETAIL),
	RT_FIELD_STRUCT_OF(struct rt_sim_port, tx, &frames_table, "what went out",
			   .flags = RT_FIELD_DETAIL),
};

RT_TABLE(rt_sim_port_table, rt_sim_port, "sim_port", "Ports",
	 "One port of a simulated fabric.", port_fields);

#define PAUSE(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_sim_pause, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field pause_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_sim_pause, port, "the port"),
	PAUSE(ENUM, direction, NONE, "who stops whom", .names = direction_names),
	PAUSE(U8, prio, NONE, "PFC priority"),
	PAUSE(U64, xoff, COUNT, "pause frames that stop, refreshes too",
	      .label = "XOFF"),
	PAUSE(U64, xon, COUNT, "pause frames that resume", .label = "XON"),
	PAUSE(OPT_U64, pauses, COUNT,
	      "paused by peer: times it stopped; a refresh is no new one"),
	PAUSE(OPT_U64, stopped_ns, NS, "paused by peer: how long it stood still",
	      .label = "stopped"),
	PAUSE(OPT_F64, share_pct, PCT, "paused by peer: of the simulated time",
	      .label = "share"),
	PAUSE(U64, asked_ns, NS, "how long the frames asked for: what a capture shows",
	      .label = "asked"),
};

RT_TABLE(rt_sim_pause_table, rt_sim_pause, "sim_pause", "Pauses",
	 "Pauses of one port, direction and priority.", pause_fields);

#define LOSS(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_sim_loss, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field loss_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_sim_loss, port, "where the frames came in"),
	LOSS(U8, prio, NONE, "their priority"),
	LOSS(BOOL, lossless, NONE, "PFC should have kept them"),
	LOSS(U64, frames, COUNT, "frames that found no room"),
	LOSS(U64, bytes, BYTES, "of these"),
	LOSS(OPT_U64, headroom_bytes, BYTES, "what the priority has",
	     .label = "headroom"),
	LOSS(OPT_U64, headroom_asked_bytes, BYTES,
	     "headroom that one pause used and was refused, at most",
	     .label = "asked for"),
	LOSS(OPT_U64, headroom_needed_bytes, BYTES,
	     "what the cable both ways, the peer's reaction and three frames take",
	     .label = "needed"),
};

RT_TABLE(rt_sim_loss_table, rt_sim_loss, "sim_loss", "Losses",
	 "Frames of one ingress port and priority that were dropped.", loss_fields);

#define QUEUE(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_sim_queue, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field queue_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_sim_queue, port, "the port it sends from"),
	RT_FIELD_CHARS_OF(struct rt_sim_queue, peer, "the port at the other end"),
	QUEUE(U8, prio, NONE, "its priority"),
	QUEUE(BOOL, lossless, NONE, "the priority is under PFC"),
	QUEUE(U64, data, COUNT, "data frames that left"),
	QUEUE(U64, ack, COUNT, "ACKs that left", .label = "ACKs"),
	QUEUE(U64, nak, COUNT, "NAKs that left", .label = "NAKs"),
	QUEUE(U64, cnp, COUNT, "CNPs that left", .label = "CNPs"),
	QUEUE(U64, ce, COUNT, "data frames that left with CE", .label = "CE"),
	QUEUE(U64, drops, COUNT, "frames that wanted in and found no room"),
	QUEUE(OPT_U64, host_data, COUNT,
	      "data frames of the priority that the host at the other end received",
	      .flags = RT_FIELD_DETAIL),
	QUEUE(OPT_U64, rate_bps, BPS,
	      "what left, preamble and gap counted; unknown before the warm-up is over",
	      .label = "rate"),
	QUEUE(OPT_F64, share_pct, PCT, "of the link's speed", .label = "share"),
};

RT_TABLE(rt_sim_queue_table, rt_sim_queue, "sim_queue", "Queues",
	 "One priority of one egress port of a switch.", queue_fields);

static const struct rt_field sample_fields[] = {
	RT_FIELD(struct rt_sim_sample, U64, time_ns, NS, "since the start"),
	RT_FIELD(struct rt_sim_sample, U64, bytes, BYTES, "in the queue"),
};

static RT_TABLE(sample_table, rt_sim_sample, "sim_sample", "Queue over time",
		"One sample of a queue.", sample_fields);

#define SIM(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_sim_result, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field sim_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_sim_result, scenario, "its name"),
	RT_FIELD_CHARS_OF(struct rt_sim_result, profile,
			  "whose settings were simulated",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(
		struct rt_sim_result, assumed,
		"what neither profile nor scenario sets: the simulator's defaults",
		.flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_sim_result, verdict, "the findings in one line",
			  .flags = RT_FIELD_ZERO_QUIET),
	SIM(U64, seed, NONE, "of the run"),
	SIM(U32, hosts, COUNT, "hosts"),
	SIM(U32, switches, COUNT, "switches"),
	SIM(U64, simulated_ns, NS, "simulated time", .label = "simulated time"),
	SIM(BOOL, finished, NONE, "every flow is done"),
	SIM(BOOL, event_bound_hit, NONE, "the bound on events ended the run",
	    .flags = RT_FIELD_DETAIL),
	SIM(U64, flow_count, COUNT, "flows", .label = "flows"),
	SIM(U64, flows_done, COUNT, "flows that were acknowledged to the end"),
	SIM(U64, flows_failed, COUNT, "flows whose retries ran out",
	    .flags = RT_FIELD_ZERO_QUIET),
	SIM(OPT_U64, first_completion_ps, PS, "of the fastest flow",
	    .label = "first completion"),
	SIM(OPT_U64, median_completion_ps, PS, "of the flows that are done",
	    .label = "median completion"),
	SIM(OPT_U64, last_completion_ps, PS, "of the slowest flow",
	    .label = "last completion"),
	SIM(U64, throughput_bps, BPS, "of all receivers together",
	    .label = "throughput"),
	SIM(OPT_U64, slowest_flow, NONE, "the flow of least throughput"),
	SIM(OPT_U64, slowest_throughput_bps, BPS, "and its throughput",
	    .label = "slowest sender"),
	SIM(OPT_F64, jain, NONE,
	    "Jain's index of the throughputs of all flows, each over its own time: "
	    "1 is fair",
	    .label = "Jain index"),
	SIM(BOOL, jain_judged, NONE,
	    "whether that is a matter of fairness: flows of one workload, of one size, "
	    "all active at some one time",
	    .label = "Jain index judged"),
	SIM(U64, packets_sent, COUNT, "data packets sent, resends too"),
	SIM(U64, resent, COUNT, "data packets sent again"),
	SIM(U64, marks, COUNT, "data packets that arrived with CE",
	    .label = "ECN marks"),
	SIM(U64, cnps_sent, COUNT, "CNPs sent by receivers", .label = "CNPs sent"),
	SIM(U64, cnps_received, COUNT, "CNPs that reached senders",
	    .label = "CNPs received"),
	SIM(U64, echoes, COUNT, "ACKs that carried a mark back",
	    .flags = RT_FIELD_ZERO_QUIET),
	SIM(U64, cuts, COUNT, "rate cuts of all senders", .label = "rate cuts"),
	SIM(U64, naks, COUNT, "NAKs that reached senders", .label = "NAKs"),
	SIM(U64, timeouts, COUNT, "times a sender went back after silence"),
	SIM(U64, drops, COUNT, "frames dropped by switches"),
	SIM(U64, pfc_xoff, COUNT, "pause frames that stop", .label = "PFC XOFF"),
	SIM(U64, pfc_xon, COUNT, "pause frames that resume", .label = "PFC XON"),
	SIM(U64, paused_ns, NS, "time that ports stood still, added up",
	    .label = "paused, all ports"),
	RT_FIELD_CHARS_OF(struct rt_sim_result, longest_paused_port,
			  "the port that stood still longest",
			  .label = "longest paused", .flags = RT_FIELD_ZERO_QUIET),
	SIM(OPT_U64, longest_paused_prio, NONE, "its priority",
	    .flags = RT_FIELD_DETAIL),
	SIM(U64, longest_paused_ns, NS, "how long it stood still",
	    .label = "its pauses", .flags = RT_FIELD_ZERO_QUIET),
	SIM(F64, longest_paused_pct, PCT, "of the simulated time",
	    .label = "of the run", .flags = RT_FIELD_ZERO_QUIET),
	SIM(U64, headroom_max_bytes, BYTES, "most one ingress and priority used",
	    .label = "headroom used"),
	RT_FIELD_CHARS_OF(struct rt_sim_result, queue_port,
			  "the port towards the busiest receiver",
			  .label = "busiest port"),
	SIM(U64, queue_max_bytes, BYTES, "its largest egress queue",
	    .label = "its queue max"),
	SIM(OPT_F64, queue_mean_bytes, BYTES, "its queue averaged over time",
	    .label = "its queue mean"),
	SIM(OPT_F64, utilisation_pct, PCT, "of the time it was sending",
	    .label = "its utilisation"),
	RT_CHECKS_FIELDS(struct rt_sim_result),
	RT_FIELD_LIST_OF(struct rt_sim_result, flows, flows_listed, &rt_sim_flow_table,
			 "per flow"),
	RT_FIELD_LIST_OF(struct rt_sim_result, pauses, pause_count, &rt_sim_pause_table,
			 "per port, direction and priority"),
	RT_FIELD_LIST_OF(struct rt_sim_result, losses, loss_count, &rt_sim_loss_table,
			 "per port and priority that dropped"),
	RT_FIELD_LIST_OF(struct rt_sim_result, queues, queue_count, &rt_sim_queue_table,
			 "per switch port and priority, where a scenario has several"),
	RT_FIELD_LIST_OF(struct rt_sim_result, ports, port_count, &rt_sim_port_table,
			 "per port", .flags = RT_FIELD_DETAIL),
	SIM(U64, sample_interval_ns, NS, "between samples", .flags = RT_FIELD_DETAIL),
	RT_FIELD_LIST_OF(struct rt_sim_result, samples, sample_count, &sample_table,
			 "the queue over time", .flags = RT_FIELD_DETAIL),
	RT_FIELD_LIST_OF(struct rt_sim_result, findings, finding_count,
			 &rt_finding_table, "what the rules found",
			 .flags = RT_FIELD_DATA),
	SIM(U64, events, COUNT, "events of the run", .flags = RT_FIELD_DETAIL),
	SIM(U64, hops, COUNT, "packets that arrived at a switch or a host, added up",
	    .flags = RT_FIELD_DETAIL),
	SIM(U64, captured_frames, COUNT, "frames written to the capture",
	    .flags = RT_FIELD_ZERO_QUIET),
	SIM(F64, wall_s, NONE, "seconds the run took on this machine",
	    .flags = RT_FIELD_META),
};

RT_TABLE(rt_sim_table, rt_sim_result, "sim", "Simulation",
	 "What a simulated run brought.", sim_fields);
