/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_table.c - the results of stress traffic describe themselves. */
#include <stdlib.h>

#include "model/counters.h"
#include "model/criteria.h"
#include "model/finding.h"
#include "run/stress.h"
#include "run/stress_record.h"

const struct rt_name rt_victim_names[] = {
	{ "none", RT_VICTIM_NONE, "no flow is measured beside the load" },
	{ "same", RT_VICTIM_SAME, "a flow of the same priority, to the same receiver" },
	{ "lossless", RT_VICTIM_LOSSLESS, "a flow of another lossless priority" },
	{ "lossy", RT_VICTIM_LOSSY, "a flow of a priority without PFC" },
	{ "receiver", RT_VICTIM_RECEIVER,
	  "a flow of the same priority, from a loaded sender to another receiver" },
	{ 0 },
};

#define QP(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_qp, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field qp_fields[] = {
	QP(U32, flow, NONE, "number of the flow"),
	RT_FIELD_CHARS_OF(struct rt_stress_qp, flow_name, "sender, receiver, number",
			  .label = "name"),
	QP(U32, from, NONE, "rank that sent", .flags = RT_FIELD_DATA),
	QP(U32, to, NONE, "rank that received", .flags = RT_FIELD_DATA),
	QP(U32, workload, NONE, "which of the scenario's", .flags = RT_FIELD_DATA),
	QP(BOOL, victim, NONE, "it was measured beside the load",
	   .flags = RT_FIELD_ZERO_QUIET),
	QP(ENUM, op, NONE, "how the data moved", .names = rt_traffic_op_names,
	   .flags = RT_FIELD_DATA),
	QP(U8, prio, NONE, "priority", .flags = RT_FIELD_DATA),
	QP(U8, dscp, NONE, "DSCP", .flags = RT_FIELD_DATA),
	QP(U8, ecn, NONE, "ECN bits: 0 Not-ECT, 1 ECT(1), 2 ECT(0)",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, src_qp, NONE, "QP of the sender", .label = "QP"),
	QP(OPT_U64, dest_qp, NONE, "QP of the receiver", .label = "to QP"),
	QP(IP, source_ip, NONE, "address of the sender", .flags = RT_FIELD_DATA),
	QP(IP, dest_ip, NONE, "address of the receiver", .flags = RT_FIELD_DATA),
	QP(ENUM, state, NONE, "how it ended", .names = rt_qp_state_names),
	RT_FIELD_CHARS_OF(struct rt_stress_qp, error, "verbs name of what ended it",
			  .flags = RT_FIELD_ZERO_QUIET),
	QP(OPT_U64, error_ns, NS, "when, since the start", .label = "at"),
	QP(OPT_U64, tx_bytes, BYTES, "payload that was acknowledged", .label = "sent"),
	QP(OPT_U64, rx_bytes, BYTES, "payload that arrived in order",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, tx_late_bytes, BYTES,
	   "of tx_bytes, what completed after the end of the run",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, rx_late_bytes, BYTES,
	   "of rx_bytes, what arrived after the end of the run",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, goodput_bps, BPS, "payload while all were to send"),
	QP(OPT_U64, udp_sport, NONE,
	   "UDP source port that was asked for; null: the engine chose it",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, rate_cap_bps, BPS, "most that it was to send; null: no cap",
	   .label = "cap"),
	QP(OPT_U64, message_tx, COUNT, "messages completed", .label = "messages"),
	QP(OPT_U64, message_complete_rx, COUNT, "messages that arrived",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, message_fail, COUNT, "messages that were posted and failed",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, data_frames_tx, COUNT, "data frames sent", .flags = RT_FIELD_DATA),
	QP(OPT_U64, data_frames_rx, COUNT, "data frames received",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, frame_delta, COUNT, "data frames sent and not received",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, data_frames_retransmitted, COUNT, "data frames sent again",
	   .label = "resent"),
	QP(OPT_U64, frame_sequence_error, COUNT, "data frames out of order",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, flow_completion_time_ns, NS, "from its start to its last byte",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, first_timestamp_ns, NS, "first byte, since the start",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, last_timestamp_ns, NS, "last byte, since the start",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, ecn_ce_rx, COUNT, "data frames received with CE", .label = "CE"),
	QP(OPT_U64, cnp_tx, COUNT, "CNPs that its receiver sent",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, cnp_rx, COUNT, "CNPs that reached its sender", .label = "CNPs"),
	QP(OPT_U64, ack_tx, COUNT, "ACKs sent", .flags = RT_FIELD_DATA),
	QP(OPT_U64, ack_rx, COUNT, "ACKs received", .flags = RT_FIELD_DATA),
	QP(OPT_U64, nak_tx, COUNT, "NAKs sent", .flags = RT_FIELD_DATA),
	QP(OPT_U64, nak_rx, COUNT, "NAKs received", .label = "NAKs"),
	QP(OPT_U64, timeouts, COUNT, "times its sender went back after silence"),
	QP(OPT_U64, rate_cuts, COUNT, "times its reaction point cut the rate",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, rate_bps, BPS, "limit of its rate at the end",
	   .flags = RT_FIELD_DATA),
	QP(OPT_U64, paused_ns, NS, "time that PFC kept it from sending",
	   .flags = RT_FIELD_DATA),
	RT_FIELD_STRUCT_OF(struct rt_stress_qp, latency, &rt_stress_latency_table,
			   "of its messages", .flags = RT_FIELD_DATA),
	RT_FIELD_LIST_OF(struct rt_stress_qp, series, series_count, &rt_plain_u64,
			 "payload bytes of each interval", .flags = RT_FIELD_DATA),
};

static RT_TABLE(qp_table, rt_stress_qp, "stress_qp", "Queue pairs",
		"One queue pair, both ends; null is what no end can know.", qp_fields);

#define SENDER(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_sender, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field sender_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_sender, name, "its host", .label = "sender"),
	SENDER(U32, rank, NONE, "its rank", .flags = RT_FIELD_DATA),
	SENDER(U32, qps, COUNT, "queue pairs that load", .label = "QPs",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, goodput_bps, BPS, "payload while all were to send"),
	RT_FIELD_CHARS_OF(struct rt_stress_sender, bars,
			  "its share over time, one character an interval or several: "
			  "from blank, nothing, to the highest, the most of any sender",
			  .label = "over time", .flags = RT_FIELD_WHOLE),
	SENDER(OPT_U64, least_bps, BPS, "in its slowest interval", .label = "least",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, median_bps, BPS, "in half of its intervals or more",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_F64, variation, NONE,
	       "standard deviation of its intervals over their mean",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, dips, COUNT, "times it fell below half of its median",
	       .flags = RT_FIELD_ZERO_QUIET),
	SENDER(OPT_U64, dips_explained, COUNT,
	       "of these, with loss, a cut of its rate or a pause in them or just "
	       "before",
	       .flags = RT_FIELD_DATA),
	SENDER(OPT_U64, dips_away, COUNT,
	       "of these, while a host of it was not there for a good part",
	       .flags = RT_FIELD_DATA),
	SENDER(OPT_U64, dipped_explained, COUNT, "intervals of dips that are explained",
	       .flags = RT_FIELD_DATA),
	SENDER(OPT_U64, dip_longest, COUNT,
	       "intervals of its longest dip while its hosts were there",
	       .flags = RT_FIELD_DATA),
	SENDER(U32, intervals_judged, COUNT,
	       "intervals in which its hosts were there: least, median and variation "
	       "are of these",
	       .flags = RT_FIELD_DATA),
	SENDER(U32, intervals_explained, COUNT, "of these, with loss or a pause",
	       .flags = RT_FIELD_DATA),
	RT_FIELD_STRUCT_OF(struct rt_stress_sender, latency, &rt_stress_latency_table,
			   "of its messages", .flags = RT_FIELD_DATA),
	SENDER(OPT_U64, p99_ns, NS, "99 % of its messages took no longer",
	       .label = "p99"),
	SENDER(OPT_U64, cnp_rx, COUNT, "CNPs that reached it", .label = "CNPs"),
	SENDER(OPT_U64, rate_cuts, COUNT, "times a reaction point cut its rate",
	       .label = "cuts", .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, data_frames_retransmitted, COUNT, "data frames sent again",
	       .label = "resent", .flags = RT_FIELD_ZERO_QUIET),
	SENDER(OPT_U64, nak_rx, COUNT, "NAKs that reached it", .label = "NAKs",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, timeouts, COUNT, "times it went back after silence",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_F64, paused_pct, PCT, "of the time that PFC kept it from sending"),
	SENDER(OPT_U64, start_late_ns, NS, "first byte after its planned start",
	       .label = "late", .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, bytes, BYTES,
	       "payload in all, what completed after its end as well",
	       .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, late_bytes, BYTES,
	       "of these, what completed after the end, which is of no rate",
	       .label = "after the end", .flags = RT_FIELD_DETAIL),
	SENDER(OPT_U64, messages, COUNT, "messages in all", .flags = RT_FIELD_DETAIL),
	SENDER(U32, stopped, COUNT, "queue pairs that an error ended",
	       .flags = RT_FIELD_DATA),
	SENDER(BOOL, lost, NONE, "its host did not report: nothing is known",
	       .flags = RT_FIELD_DATA),
	RT_FIELD_CHARS_OF(struct rt_stress_sender, state, "the first that stopped",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct rt_stress_sender, series, series_count, &rt_plain_u64,
			 "payload bytes of each interval", .flags = RT_FIELD_DATA),
	RT_FIELD_LIST_OF(struct rt_stress_sender, causes, cause_count,
			 &rt_stress_cause_table,
			 "intervals in which its transport lost or was held back",
			 .flags = RT_FIELD_DATA),
};

static RT_TABLE(sender_table, rt_stress_sender, "stress_sender", "Senders",
		"What one host sent, all its queue pairs that load.", sender_fields);

#define RECEIVER(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_receiver, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field receiver_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_receiver, name, "its host",
			  .label = "receiver"),
	RECEIVER(U32, rank, NONE, "its rank", .flags = RT_FIELD_DATA),
	RECEIVER(U32, senders, COUNT, "hosts that sent to it"),
	RECEIVER(OPT_U64, goodput_bps, BPS, "payload while all were to send, of all"),
	RECEIVER(OPT_F64, share_pct, PCT,
		 "payload, of the raw rate of its link: headers take the rest",
		 .label = "of link"),
	RECEIVER(OPT_F64, most_pct, PCT,
		 "payload that frames of the path's MTU leave of the raw rate",
		 .label = "most", .flags = RT_FIELD_DETAIL),
	RECEIVER(OPT_F64, paused_pct, PCT, "of the time that PFC kept its ACKs back",
		 .label = "paused", .flags = RT_FIELD_ZERO_QUIET),
	RECEIVER(OPT_U64, speed_bps, BPS, "of its link", .flags = RT_FIELD_DETAIL),
	RECEIVER(OPT_U64, bytes, BYTES, "payload in all, what came after the end too"),
	RECEIVER(OPT_U64, late_bytes, BYTES,
		 "of these, what came after the end, which is of no rate",
		 .label = "after end", .flags = RT_FIELD_ZERO_QUIET),
	RECEIVER(OPT_U64, ecn_ce_rx, COUNT, "data frames that came with CE",
		 .label = "CE"),
	RECEIVER(OPT_U64, cnp_tx, COUNT, "CNPs that it sent", .label = "CNPs"),
	RECEIVER(OPT_U64, frame_sequence_error, COUNT, "data frames out of order",
		 .label = "out of order", .flags = RT_FIELD_ZERO_QUIET),
	RECEIVER(OPT_U64, nak_tx, COUNT, "NAKs that it sent", .label = "NAKs",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(
		struct rt_stress_receiver, series, series_count, &rt_plain_u64,
		"payload bytes of each interval, when the queue pairs' posting "
		"ends learnt of them: less what was on its way in the last",
		.flags = RT_FIELD_DATA),
};

static RT_TABLE(receiver_table, rt_stress_receiver, "stress_receiver", "Receivers",
		"What arrived at one host.", receiver_fields);

#define DIP(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_dip, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field dip_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_dip, sender, "whose"),
	DIP(U64, start_ns, NS, "since the start", .label = "at"),
	DIP(U64, duration_ns, NS, "how long", .label = "for"),
	DIP(U64, least_bps, BPS, "in its slowest interval", .label = "least"),
	RT_FIELD_CHARS_OF(struct rt_stress_dip, why, "what is known of its cause"),
};

static RT_TABLE(dip_table, rt_stress_dip, "stress_dip",
		"Dips below half of the sender's median",
		"A time in which a sender had less than half of its median.",
		dip_fields);

#define VICTIM(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_victim, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field victim_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_stress_victim, flow_name, "sender and receiver",
			  .label = "victim"),
	VICTIM(ENUM, kind, NONE, "what it shares with the load",
	       .names = rt_victim_names),
	VICTIM(U8, prio, NONE, "its priority"),
	VICTIM(U8, dscp, NONE, "its DSCP", .label = "DSCP", .flags = RT_FIELD_DETAIL),
	VICTIM(OPT_F64, avg_factor, NONE, "mean latency, loaded over alone",
	       .label = "average x"),
	VICTIM(OPT_F64, p99_factor, NONE, "99th percentile, loaded over alone",
	       .label = "p99 x"),
	VICTIM(OPT_F64, p999_factor, NONE, "99.9th percentile, loaded over alone",
	       .label = "p99.9 x"),
	VICTIM(OPT_F64, throughput_factor, NONE, "throughput, alone over loaded",
	       .label = "throughput /"),
	VICTIM(OPT_U64, alone_bps, BPS, "throughput alone", .flags = RT_FIELD_DETAIL),
	VICTIM(OPT_U64, loaded_bps, BPS, "throughput under load",
	       .flags = RT_FIELD_DETAIL),
	RT_FIELD_STRUCT_OF(struct rt_stress_victim, alone, &rt_stress_latency_table,
			   "latency alone", .flags = RT_FIELD_DATA),
	RT_FIELD_STRUCT_OF(struct rt_stress_victim, loaded, &rt_stress_latency_table,
			   "latency under load", .flags = RT_FIELD_DATA),
};

static RT_TABLE(victim_table, rt_stress_victim, "stress_victim",
		"Victim: how many times slower than alone",
		"A flow that does not load, alone and then beside the load.",
		victim_fields);

#define COUNTER(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_counter, kind, member, unit, help, ##__VA_ARGS__)
#define COUNTER_WORD(member, help, ...) \
	RT_FIELD_CHARS_OF(struct rt_stress_counter, member, help, ##__VA_ARGS__)

static const struct rt_field counter_fields[] = {
	COUNTER_WORD(host, "whose"),
	COUNTER_WORD(port, "its RDMA device and port, or interface",
		     .flags = RT_FIELD_DETAIL),
	COUNTER(U32, rank, NONE, "rank of the host", .flags = RT_FIELD_DATA),
	COUNTER(ENUM, counter, NONE, "rocetune's name of it", .names = rt_counter_names,
		.flags = RT_FIELD_DATA),
	COUNTER_WORD(label, "what it counts", .label = "counter"),
	COUNTER(OPT_U64, prio, NONE, "of this priority; null: of the port",
		.flags = RT_FIELD_ZERO_QUIET),
	COUNTER(OPT_U64, before, NONE, "before the start", .flags = RT_FIELD_DATA),
	COUNTER(OPT_U64, after, NONE, "after the end", .flags = RT_FIELD_DATA),
	COUNTER(OPT_U64, difference, NONE,
		"what was added; null: it cannot be told, as after a reset",
		.flags = RT_FIELD_DATA),
	COUNTER_WORD(moved, "the same for people", .label = "added"),
	COUNTER_WORD(name, "as the driver calls it", .label = "driver's name"),
};

static RT_TABLE(
	counter_table, rt_stress_counter, "stress_counter", "Counters of the ports",
	"A counter of a host's port, before and after; others' traffic included.",
	counter_fields);

#define HOST(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_host, kind, member, unit, help, ##__VA_ARGS__)
#define HOST_WORD(member, help, ...) \
	RT_FIELD_CHARS_OF(struct rt_stress_host, member, help, ##__VA_ARGS__)

static const struct rt_field host_fields[] = {
	HOST_WORD(name, "how it is called", .label = "host"),
	HOST(U32, rank, NONE, "its rank"),
	HOST(BOOL, lost, NONE, "it did not report", .flags = RT_FIELD_ZERO_QUIET),
	HOST_WORD(engine, "what moved the bytes"),
	HOST_WORD(device, "RDMA device"),
	HOST_WORD(netdev, "interface"),
	HOST(IP, ip, NONE, "its address", .label = "address"),
	HOST(OPT_U64, gid_index, NONE, "which of the port's GIDs", .label = "GID"),
	HOST_WORD(gid_type, "kind of that GID", .flags = RT_FIELD_DETAIL),
	HOST(OPT_U64, mtu_bytes, MTU, "path MTU", .label = "MTU"),
	HOST(OPT_U64, speed_bps, BPS, "of the link"),
	HOST(BOOL, huge_pages, NONE, "buffers lay on huge pages",
	     .flags = RT_FIELD_DETAIL),
	HOST_WORD(transport, "in words", .flags = RT_FIELD_DETAIL),
	HOST_WORD(chosen, "why this device, address and GID", .flags = RT_FIELD_DETAIL),
	HOST(OPT_U64, clock_error_ns, NS, "how far its clock may be off the root's",
	     .label = "clock within"),
	HOST(OPT_U64, late_most_ns, NS,
	     "how late it looked at its queue pairs, at most: later than an interval "
	     "and its series are no good",
	     .label = "late by", .flags = RT_FIELD_DETAIL),
	HOST(OPT_U64, ring_drops, COUNT,
	     "frames that its kernel had no room for: the host was too slow",
	     .flags = RT_FIELD_ZERO_QUIET),
	HOST(OPT_U64, strays, COUNT, "frames of RoCE that no queue pair took",
	     .flags = RT_FIELD_ZERO_QUIET | RT_FIELD_DETAIL),
	HOST(OPT_U64, engine_late_ns, NS,
	     "how late its engine did what was due, at most; null: it cannot tell",
	     .label = "engine late by", .flags = RT_FIELD_DETAIL),
	HOST(OPT_U64, intervals_away, COUNT,
	     "intervals, of those judged, in which it was not there for more than a "
	     "fifth",
	     .label = "away", .flags = RT_FIELD_ZERO_QUIET | RT_FIELD_DETAIL),
	RT_FIELD_LIST_OF(struct rt_stress_host, away, away_count, &rt_plain_u64,
			 "nanoseconds of each interval in which it was not there",
			 .flags = RT_FIELD_DATA),
	HOST(OPT_U64, connected, COUNT, "RDMA connections of others before the run",
	     .flags = RT_FIELD_DETAIL),
	HOST_WORD(why, "why it stopped early", .flags = RT_FIELD_ZERO_QUIET),
};

static RT_TABLE(host_table, rt_stress_host, "stress_host", "Hosts",
		"One host and what it worked with.", host_fields);

#define STRESS(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_stress_result, kind, member, unit, help, ##__VA_ARGS__)
#define STRESS_WORD(member, help, ...) \
	RT_FIELD_CHARS_OF(struct rt_stress_result, member, help, ##__VA_ARGS__)
#define STRESS_LIST(member, count, table, help, ...)                          \
	RT_FIELD_LIST_OF(struct rt_stress_result, member, count, table, help, \
			 ##__VA_ARGS__)

static const struct rt_field stress_fields[] = {
	STRESS_WORD(verdict, "the findings in one line"),
	STRESS_WORD(engine, "what moved the bytes; null: nothing was sent"),
	STRESS_WORD(no_rates, "why no rate could be measured: those of 0 are none",
		    .label = "rates", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_U64, goodput_bps, BPS,
	       "payload at all receivers while all were to send", .label = "goodput"),
	STRESS_WORD(slowest, "the sender that got least", .label = "slowest sender",
		    .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_U64, slowest_bps, BPS, "what it got", .label = "its goodput",
	       .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_U64, fastest_bps, BPS, "what the fastest sender got",
	       .flags = RT_FIELD_DETAIL),
	STRESS(OPT_F64, spread, NONE, "(fastest - slowest) / fastest",
	       .label = "(max-min)/max", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_F64, jain, NONE, "Jain's index of the senders' goodput: 1 is fair",
	       .label = "Jain index", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_F64, jain_least, NONE, "the same of the interval that has the least",
	       .label = "per interval, least", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_F64, jain_mean, NONE, "the same, mean of all intervals",
	       .label = "and mean", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(BOOL, jain_judged, NONE,
	       "whether that is a matter of fairness: all had the same to do",
	       .flags = RT_FIELD_DETAIL),
	STRESS(OPT_U64, dip_count, COUNT,
	       "times a sender fell below half of its median", .label = "dips",
	       .flags = RT_FIELD_ZERO_QUIET),
	STRESS_WORD(pattern, "who sent to whom"),
	STRESS_WORD(marking, "the byte of DSCP and ECN bits, taken apart"),
	STRESS_WORD(profile, "whose classes these are", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_U64, lossless, NONE, "mask of priorities that must not lose",
	       .label = "lossless priorities", .flags = RT_FIELD_HEX | RT_FIELD_DETAIL),
	STRESS(BOOL, cut_short, NONE, "it ended before its time",
	       .flags = RT_FIELD_ZERO_QUIET),
	STRESS(BOOL, damaged, NONE, "a host saw damage, and ended it",
	       .flags = RT_FIELD_DATA),
	STRESS_WORD(cut_why, "why it did", .label = "because",
		    .flags = RT_FIELD_ZERO_QUIET),
	STRESS(U64, time_ns, NS, "how long it was to be", .label = "asked for",
	       .flags = RT_FIELD_DETAIL),
	STRESS(U64, ran_ns, NS, "how long there was traffic", .label = "ran for"),
	STRESS(U64, wanted_ns, NS,
	       "until when the scenario's flows would have gone on; 0: they had "
	       "their time",
	       .label = "of", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(U32, unfinished, COUNT,
	       "queue pairs that had bytes left to send when it ended",
	       .flags = RT_FIELD_ZERO_QUIET),
	STRESS(U64, interval_ns, NS, "of the time series", .flags = RT_FIELD_DETAIL),
	STRESS(U64, alone_ns, NS, "the victim's time before the others",
	       .label = "victim alone for", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(U64, hold_from_ns, NS, "from here on all were to send",
	       .label = "all from"),
	STRESS(U64, hold_to_ns, NS, "until here: figures are of this time",
	       .label = "to"),
	STRESS(U32, ranks, COUNT, "hosts that took part", .label = "hosts"),
	STRESS(U32, ranks_lost, COUNT, "hosts that did not report",
	       .label = "hosts lost", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_U64, start_skew_ns, NS,
	       "first byte after its planned start, last sender less first",
	       .label = "start skew"),
	STRESS(OPT_U64, clock_error_ns, NS, "of that, what the clocks may be off",
	       .label = "clocks within"),
	STRESS(OPT_U64, ring_drops, COUNT,
	       "frames that hosts' kernels had no room for, which the network did not "
	       "lose; null: no engine can tell",
	       .label = "lost by hosts", .flags = RT_FIELD_ZERO_QUIET),
	STRESS(OPT_U64, fabric_lost, COUNT,
	       "frames that a fabric in software (the lab's) lost as it was too slow",
	       .flags = RT_FIELD_DATA),
	STRESS(OPT_U64, fabric_late_ns, NS, "how late it was, at most",
	       .flags = RT_FIELD_DATA),
	STRESS_LIST(receivers, receiver_count, &receiver_table, "who received"),
	STRESS_LIST(senders, sender_count, &sender_table, "who sent"),
	STRESS_LIST(victims, victim_count, &victim_table, "who suffered"),
	STRESS_LIST(dips, dips_listed, &dip_table, "the first dips"),
	RT_CHECKS_FIELDS(struct rt_stress_result),
	STRESS_LIST(counters, counter_count, &counter_table,
		    "what the ports counted, or may have: pauses, marks, loss",
		    .label = "Counters of the ports that moved"),
	STRESS_LIST(other_counters, other_counter_count, &counter_table,
		    "those that did not move, and bytes and frames that passed",
		    .label = "Other counters of the ports", .flags = RT_FIELD_DETAIL),
	STRESS_LIST(hosts, host_count, &host_table, "who took part",
		    .flags = RT_FIELD_DETAIL),
	STRESS_LIST(qps, qp_count, &qp_table, "all queue pairs",
		    .flags = RT_FIELD_DETAIL),
	STRESS_LIST(findings, finding_count, &rt_finding_table, "what is wrong",
		    .flags = RT_FIELD_DATA),
};

RT_TABLE(rt_stress_table, rt_stress_result, "stress", "Stress",
	 "What became of stress traffic.", stress_fields);

void rt_stress_result_free(struct rt_stress_result *result)
{
	for (size_t i = 0; i < result->receiver_count; i++)
		free(result->receivers[i].series);
	for (size_t i = 0; i < result->sender_count; i++) {
		free(result->senders[i].series);
		free(result->senders[i].causes);
	}
	for (size_t i = 0; i < result->host_count; i++)
		free(result->hosts[i].away);
	for (size_t i = 0; i < result->qp_count; i++)
		free(result->qps[i].series);
	free(result->receivers);
	free(result->senders);
	free(result->victims);
	free(result->dips);
	free(result->counters);
	free(result->hosts);
	free(result->qps);
	*result = (struct rt_stress_result){ 0 };
}
