/* SPDX-License-Identifier: BSD-2-Clause */
/* scenario_keys.c - every key a scenario file may hold, and every model option. */
#include <stddef.h>

#include "model/figure.h"
#include "model/scenario.h"
#include "rocetune/scenario.h"

const struct rt_name rt_model_options[] = {
	{ "ecn_echo_in_ack", RT_MODEL_ECN_ECHO_IN_ACK,
	  "receivers send no CNP; each ACK carries the mark of its packet back" },
	{ "red_at_enqueue", RT_MODEL_RED_AT_ENQUEUE,
	  "mark by the queue a packet finds, not by the one it leaves behind" },
	{ "truncated_serialisation", RT_MODEL_TRUNCATED_SERIALISATION,
	  "time to send a packet is cut to whole nanoseconds, as in ns-3 models" },
	{ "alpha_first", RT_MODEL_ALPHA_FIRST,
	  "a CNP raises alpha before the cut; the paper cuts with the old one" },
	{ "mlx_timers", RT_MODEL_MLX_TIMERS,
	  "alpha and cuts run on free timers without a byte counter, as in NICs and by "
	  "default; for sets and profiles that do otherwise" },
	{ "np_tick", RT_MODEL_NP_TICK,
	  "a receiver looks for marks on a free-running tick of the CNP interval" },
	{ "qcn_heritage", RT_MODEL_QCN_HERITAGE,
	  "first increase divides a target above ten times the rate by eight; timer "
	  "and byte counter halve in hyper increase" },
	{ "pause_on_off", RT_MODEL_PAUSE_ON_OFF,
	  "a pause lasts until it is taken back: no quanta, no refresh" },
	{ "ack_high_prio", RT_MODEL_ACK_HIGH_PRIO,
	  "hosts send ACKs before all else and never pause them" },
	{ "no_pfc", RT_MODEL_NO_PFC, "nothing is paused; full buffers drop" },
	{ "no_ecn", RT_MODEL_NO_ECN, "switches never mark" },
	{ "no_cc", RT_MODEL_NO_CC, "senders stay at line rate" },
	{ "variable_window", RT_MODEL_VARIABLE_WINDOW,
	  "the window shrinks with the rate: window * rate / line rate" },
	{ "pool_counts_all", RT_MODEL_POOL_COUNTS_ALL,
	  "guarantees and headroom count in the shared pool, as in the DCQCN authors' "
	  "model" },
	{ "pending_send_stays", RT_MODEL_PENDING_SEND_STAYS,
	  "a new rate counts from the next packet on; a send already timed keeps its "
	  "time" },
	{ "ns3_order", RT_MODEL_NS3_ORDER,
	  "what happens at the same time happens in the order of ns-3 models: a host "
	  "looks round its flows whenever its link is free, cut checks never rest" },
	{ "selective_repeat", RT_MODEL_SELECTIVE_REPEAT,
	  "receivers keep what comes out of order, senders resend only what is "
	  "missing, "
	  "as in IRN; needs window" },
	{ "nak_cuts", RT_MODEL_NAK_CUTS,
	  "a NAK is a sign of congestion as well, to the reaction point the same as a "
	  "CNP" },
	{ 0 },
};

static const struct rt_name topology_names[] = {
	{ "star", RT_TOPOLOGY_STAR, "every host on one switch" },
	{ "leaf-spine", RT_TOPOLOGY_LEAF_SPINE, "leaves and spines, ECMP" },
	{ 0 },
};

static const struct rt_name workload_names[] = {
	{ "incast", RT_WORKLOAD_INCAST, "many hosts send to one" },
	{ "permutation", RT_WORKLOAD_PERMUTATION, "every host sends to one other" },
	{ "alltoall", RT_WORKLOAD_ALLTOALL, "every host sends to every other" },
	{ "poisson", RT_WORKLOAD_POISSON, "flows between random hosts, at random" },
	{ "poisson-incast", RT_WORKLOAD_POISSON_INCAST,
	  "flows from random hosts to one, at random" },
	{ "flows", RT_WORKLOAD_FLOWS, "the flows of a list" },
	{ "outcast", RT_WORKLOAD_OUTCAST, "one host sends to many" },
	{ "ring", RT_WORKLOAD_RING, "every host sends to the next" },
	{ 0 },
};

const struct rt_name rt_traffic_op_names[] = {
	{ "write", RT_TRAFFIC_WRITE, "RDMA WRITE" },
	{ "write-imm", RT_TRAFFIC_WRITE_IMM, "RDMA WRITE with immediate data" },
	{ "send", RT_TRAFFIC_SEND, "SEND into what the receiver has posted" },
	{ "read", RT_TRAFFIC_READ, "RDMA READ: the receiver asks for the data" },
	{ 0 },
};

static const struct rt_name transport_names[] = {
	{ "rc", RT_TRANSPORT_RC, "reliable connection: what is lost is sent again" },
	{ "none", RT_TRANSPORT_NONE, "datagrams: sent once, at the rate asked for" },
	{ 0 },
};

static const struct rt_name mark_names[] = {
	{ "class", RT_MARK_OF_CLASS, "as the class has it" },
	{ "not-ect", RT_MARK_NOT_ECT, "no switch may mark it" },
	{ "ect1", RT_MARK_ECT1, "ECT(1)" },
	{ "ect0", RT_MARK_ECT0, "ECT(0)" },
	{ 0 },
};

static const struct rt_name take_names[] = {
	{ "each", RT_TAKE_EACH, "every one by itself" },
	{ "sum", RT_TAKE_SUM, "all together" },
	{ "mean", RT_TAKE_MEAN, "the average" },
	{ "min", RT_TAKE_MIN, "the least" },
	{ "max", RT_TAKE_MAX, "the most" },
	{ 0 },
};

static const struct rt_name bool_names[] = {
	{ "false", false, "no" },
	{ "true", true, "yes" },
	{ 0 },
};

static const struct rt_name wire_names[] = {
	{ "ethernet", RT_WIRE_ETHERNET,
	  "RoCEv2 over Ethernet; preamble, FCS and inter-frame gap take time" },
	{ "hpcc", RT_WIRE_HPCC, "payload + 48 bytes, control packets of 60" },
	{ "ns3-rdma", RT_WIRE_NS3_RDMA, "payload + 20 bytes, control packets of 28" },
	{ 0 },
};

static const struct rt_name ecmp_names[] = {
	{ "seeded", RT_ECMP_SEEDED, "at random by the seed, the two ways apart" },
	{ "hpcc", RT_ECMP_HPCC,
	  "as the HPCC authors' model hashes addresses and ports at each switch" },
	{ 0 },
};

static const struct rt_name random_names[] = {
	{ "own", RT_RANDOM_OWN, "rocetune's" },
	{ "hpcc", RT_RANDOM_HPCC,
	  "those that the HPCC authors' model draws; the seed is the run of ns-3" },
	{ "conweave", RT_RANDOM_CONWEAVE, "those of conweave-ns3" },
	{ 0 },
};

#define US   UINT64_C(1000000)        /* in ps */
#define MS   (UINT64_C(1000) * US)    /* in ps */
#define S    (UINT64_C(1000000) * US) /* in ps */
#define GBPS UINT64_C(1000000000)

#define TOP(kind, member, unit_, min_, max_, def_, help_, ...)               \
	{                                                                    \
		.section = "", .name = #kind, .help = help_, .def = def_,    \
		.unit = RT_UNIT_##unit_,                                     \
		.offset = offsetof(struct rt_scenario, member), .min = min_, \
		.max = max_, ##__VA_ARGS__                                   \
	}
#define TOPOLOGY(key_, member, unit_, min_, max_, def_, help_, ...)                   \
	{                                                                             \
		.section = "topology", .name = key_, .help = help_, .def = def_,      \
		.unit = RT_UNIT_##unit_,                                              \
		.offset = offsetof(struct rt_scenario, topology.member), .min = min_, \
		.max = max_, ##__VA_ARGS__                                            \
	}
#define WORKLOAD(key_, member, unit_, min_, max_, def_, help_, ...)               \
	{                                                                         \
		.section = "workload", .name = key_, .help = help_, .def = def_,  \
		.unit = RT_UNIT_##unit_,                                          \
		.offset = offsetof(struct rt_workload_spec, member), .min = min_, \
		.max = max_, ##__VA_ARGS__                                        \
	}
#define LISTED(section_, key_, item_, member, unit_, min_, max_, def_, help_, ...) \
	{                                                                          \
		.section = section_, .name = key_, .help = help_, .def = def_,     \
		.unit = RT_UNIT_##unit_, .offset = offsetof(item_, member),        \
		.min = min_, .max = max_, ##__VA_ARGS__                            \
	}
#define CHECK(key_, member, unit_, min_, max_, help_, ...)                     \
	{                                                                      \
		.section = "checks", .name = key_, .help = help_,              \
		.unit = RT_UNIT_##unit_,                                       \
		.offset = offsetof(struct rt_check_spec, member), .min = min_, \
		.max = max_, ##__VA_ARGS__                                     \
	}
#define MODEL(key_, member, unit_, min_, max_, help_, ...)                         \
	{                                                                          \
		.section = "model", .name = key_, .help = help_,                   \
		.unit = RT_UNIT_##unit_, .type = RT_KEY_OPT,                       \
		.offset = offsetof(struct rt_scenario, model.member), .min = min_, \
		.max = max_, ##__VA_ARGS__                                         \
	}

const struct rt_scenario_key rt_scenario_keys[] = {
	TOP(name, name, NONE, 0, 63, NULL, "what the report calls it",
	    .type = RT_KEY_CHARS),
	TOP(profile, profile, NONE, 0, 255, NULL,
	    "profile whose settings are simulated: a name, or a file, beside the "
	    "scenario first",
	    .type = RT_KEY_CHARS),
	TOP(duration, duration_ps, PS, 0, RT_SIM_MAX_DURATION_PS, "0s",
	    "simulated time; 0: until every flow is done", .type = RT_KEY_U64),
	TOP(warmup, warmup_ps, PS, 0, RT_SIM_MAX_DURATION_PS, "0s",
	    "queues are averaged from here on", .type = RT_KEY_U64),
	TOP(seed, seed, COUNT, 0, INT64_MAX, "1", "one seed, one run",
	    .type = RT_KEY_U64),

	{ .section = "",
	  .name = "checks",
	  .type = RT_KEY_CHECKS,
	  .help = "what must hold at the end: a list, or a file with one; when one "
		  "does "
		  "not, or there is nothing that it could look at, the run has failed",
	  .offset = offsetof(struct rt_scenario, checks) },

	TOPOLOGY("kind", kind, NONE, 0, 0, "star", "how switches are wired",
		 .type = RT_KEY_ENUM, .names = topology_names),
	TOPOLOGY("hosts", hosts, COUNT, 0, RT_SIM_MAX_HOSTS, "0",
		 "star: all hosts, 0 as many as the workload needs; leaf-spine: per "
		 "leaf",
		 .type = RT_KEY_U32),
	TOPOLOGY("leaves", leaves, COUNT, 1, RT_SIM_MAX_HOSTS, "4", "leaf switches",
		 .type = RT_KEY_U32),
	TOPOLOGY("spines", spines, COUNT, 1, RT_SIM_MAX_HOSTS, "2", "spine switches",
		 .type = RT_KEY_U32),
	TOPOLOGY("speed", speed_bps, BPS, GBPS / 10, 3200 * GBPS, "100G",
		 "of host links", .type = RT_KEY_U64),
	TOPOLOGY("fabric_speed", fabric_speed_bps, BPS, GBPS / 10, 3200 * GBPS, NULL,
		 "of links between switches; as host links when left out",
		 .type = RT_KEY_U64),
	TOPOLOGY("delay", delay_ps, PS, 0, 100 * MS, "1us", "of a host cable, one way",
		 .type = RT_KEY_U64),
	TOPOLOGY("fabric_delay", fabric_delay_ps, PS, 0, 100 * MS, "1us",
		 "of a cable between switches, one way", .type = RT_KEY_U64),

	WORKLOAD("kind", kind, NONE, 0, 0, "incast", "who sends to whom",
		 .type = RT_KEY_ENUM, .names = workload_names),
	WORKLOAD("name", name, NONE, 0, RT_WORKLOAD_NAME_BYTES - 1, NULL,
		 "what checks and reports call it; else its number, from 1",
		 .type = RT_KEY_CHARS),
	WORKLOAD("senders", senders, COUNT, 0, RT_SIM_MAX_HOSTS - 1, "0",
		 "incast: how many; 0: every other host", .type = RT_KEY_U32),
	WORKLOAD("receiver", receiver, COUNT, 0, RT_SIM_MAX_HOSTS - 1, "0",
		 "incast: number of the receiving host", .type = RT_KEY_U32),
	WORKLOAD("sender", sender, COUNT, 0, RT_SIM_MAX_HOSTS - 1, "0",
		 "outcast: number of the sending host", .type = RT_KEY_U32),
	WORKLOAD("receivers", receivers, COUNT, 0, RT_SIM_MAX_HOSTS - 1, "0",
		 "outcast: how many; 0: every other host", .type = RT_KEY_U32),
	WORKLOAD("qps", qps, COUNT, 1, 1024, "1", "flows (QPs) per pair of hosts",
		 .type = RT_KEY_U32),
	WORKLOAD("size", size_bytes, BYTES, 1, UINT64_C(1) << 44, "1MB", "of each flow",
		 .type = RT_KEY_U64),
	WORKLOAD("start", start_ps, PS, 0, 100 * S, "0s", "of the first flow",
		 .type = RT_KEY_U64),
	WORKLOAD("stagger", stagger_ps, PS, 0, 1 * S, "0s",
		 "each flow starts this much after the one before", .type = RT_KEY_U64),
	WORKLOAD("jitter", jitter_ps, PS, 0, 1 * S, "0s",
		 "and up to this much later, at random", .type = RT_KEY_U64),
	WORKLOAD("burst_on", on_ps, PS, 0, 100 * S, "0s",
		 "send this long, then be silent; 0: no bursts", .type = RT_KEY_U64),
	WORKLOAD("burst_off", off_ps, PS, 0, 100 * S, "0s", "silence between bursts",
		 .type = RT_KEY_U64),
	WORKLOAD("load", load_ppb, PCT, RT_PPB / 10000, 10 * (uint64_t)RT_PPB, "50%",
		 "poisson: payload that arrives, as a share of the speed of all host "
		 "links; poisson-incast: of the receiver's",
		 .type = RT_KEY_U64),
	WORKLOAD("arrivals", arrivals, COUNT, 1, RT_SIM_MAX_FLOWS, "1000",
		 "poisson: flows in all", .type = RT_KEY_U32),
	WORKLOAD("size_cdf", sizes, NONE, 0, 0, NULL,
		 "poisson: distribution of sizes, web-search, hadoop, storage, a list "
		 "of points or a file with one; else all of size",
		 .type = RT_KEY_SIZES),
	WORKLOAD("flows", flows, NONE, 0, 0, NULL,
		 "flows: a list of them, or a file with one", .type = RT_KEY_FLOWS),

	WORKLOAD("duration", duration_ps, PS, 0, RT_SIM_MAX_DURATION_PS, "0s",
		 "each flow begins messages for so long, instead of a size",
		 .type = RT_KEY_U64),
	WORKLOAD(
		"rate", rate_bps, BPS, 1000, 3200 * GBPS, NULL,
		"most payload of each flow; it never sends faster, whatever congestion "
		"control allows",
		.type = RT_KEY_U64),
	WORKLOAD("rate_share", rate_share_ppb, PCT, RT_PPB / 10000, RT_PPB, NULL,
		 "the same as a share of its host's link that its frames take, "
		 "preamble and gap counted",
		 .type = RT_KEY_U64),
	WORKLOAD("message", message_bytes, BYTES, 1, RT_MESSAGE_BYTES_MAX, NULL,
		 "of each message of a flow; else one of the whole size, or of 64KiB "
		 "where duration says how long",
		 .type = RT_KEY_U64),
	WORKLOAD("outstanding", outstanding, COUNT, 1, 65535, NULL,
		 "messages of a flow that are not completed, at most",
		 .type = RT_KEY_U32),
	WORKLOAD("class", class, NONE, 0, RT_WORKLOAD_NAME_BYTES - 1, NULL,
		 "class of the profile that its flows are in; else prio, dscp, or the "
		 "profile's data class",
		 .type = RT_KEY_CHARS),
	WORKLOAD("prio", prio, COUNT, 0, 7, NULL, "priority of its flows",
		 .type = RT_KEY_OPT),
	WORKLOAD("dscp", dscp, COUNT, 0, 63, NULL,
		 "DSCP of its flows; else that of the priority", .type = RT_KEY_OPT),
	WORKLOAD("ecn", ecn, NONE, 0, 0, "class", "ECN bits of its data",
		 .type = RT_KEY_ENUM, .names = mark_names),
	WORKLOAD("op", op, NONE, 0, 0, "write", "how the data moves",
		 .type = RT_KEY_ENUM, .names = rt_traffic_op_names),
	WORKLOAD("transport", transport, NONE, 0, 0, "rc",
		 "who makes good what is lost", .type = RT_KEY_ENUM,
		 .names = transport_names),
	WORKLOAD("victim", victim, NONE, 0, 0, "false",
		 "measured beside the others, not one of them", .type = RT_KEY_ENUM,
		 .names = bool_names),

	LISTED("workload.size_cdf", "size", struct rt_size_point, bytes, BYTES, 0,
	       UINT64_C(1) << 44, NULL, "of flows", .type = RT_KEY_U64),
	LISTED("workload.size_cdf", "share", struct rt_size_point, share_ppb, PCT, 0,
	       RT_PPB, NULL,
	       "of the flows is no larger; two points of one size make a step",
	       .type = RT_KEY_U64),
	LISTED("workload.flows", "from", struct rt_flow_entry, from, COUNT, 0,
	       RT_SIM_MAX_HOSTS - 1, NULL, "number of the sending host",
	       .type = RT_KEY_U32),
	LISTED("workload.flows", "to", struct rt_flow_entry, to, COUNT, 0,
	       RT_SIM_MAX_HOSTS - 1, NULL, "number of the receiving host",
	       .type = RT_KEY_U32),
	LISTED("workload.flows", "size", struct rt_flow_entry, size_bytes, BYTES, 1,
	       UINT64_C(1) << 44, NULL, "of the flow", .type = RT_KEY_U64),
	LISTED("workload.flows", "start", struct rt_flow_entry, start_ps, PS, 0,
	       100 * S, "0s", "of the flow, after the workload's", .type = RT_KEY_U64),
	LISTED("workload.flows", "sport", struct rt_flow_entry, sport, COUNT, 0, 65535,
	       NULL, "source port that ecmp: hpcc hashes", .type = RT_KEY_OPT),
	LISTED("workload.flows", "dport", struct rt_flow_entry, dport, COUNT, 0, 65535,
	       NULL, "destination port that ecmp: hpcc hashes", .type = RT_KEY_OPT),

	CHECK("name", name, NONE, 0, RT_CHECK_NAME_BYTES - 1, "what it is for",
	      .type = RT_KEY_CHARS),
	CHECK("figure", figure, NONE, 0, 0, "what is looked at", .type = RT_KEY_ENUM,
	      .names = rt_figure_names),
	CHECK("workload", workload, NONE, 0, RT_WORKLOAD_NAME_BYTES - 1,
	      "only of this workload, by name or number", .type = RT_KEY_CHARS),
	CHECK("prio", prio, COUNT, 0, 7, "only of this priority", .type = RT_KEY_OPT),
	CHECK("host", host, COUNT, 0, RT_SIM_MAX_HOSTS - 1,
	      "only of this host: a flow's sender, the one at a switch port",
	      .type = RT_KEY_OPT),
	{ .section = "checks",
	  .name = "take",
	  .type = RT_KEY_ENUM,
	  .def = "each",
	  .help = "what of the figures found is held against the bounds",
	  .offset = offsetof(struct rt_check_spec, take),
	  .names = take_names },
	CHECK("equals", texts[RT_CHECK_EQUALS], NONE, 0, RT_CHECK_TEXT_BYTES - 1,
	      "a value in the figure's unit, the name of another figure (the sum of "
	      "it, "
	      "of the same workload, priority and host), or dwrr: the share that "
	      "weights "
	      "and offered loads give a queue",
	      .type = RT_KEY_CHARS),
	CHECK("within", within_text, NONE, 0, RT_CHECK_TEXT_BYTES - 1,
	      "equals: up to so much beside it; of figures in other units 5% is of "
	      "what "
	      "is expected",
	      .type = RT_KEY_CHARS),
	CHECK("above", texts[RT_CHECK_ABOVE], NONE, 0, RT_CHECK_TEXT_BYTES - 1,
	      "more than this, written as for equals", .type = RT_KEY_CHARS),
	CHECK("below", texts[RT_CHECK_BELOW], NONE, 0, RT_CHECK_TEXT_BYTES - 1, "less",
	      .type = RT_KEY_CHARS),
	CHECK("at_least", texts[RT_CHECK_AT_LEAST], NONE, 0, RT_CHECK_TEXT_BYTES - 1,
	      "this or more", .type = RT_KEY_CHARS),
	CHECK("at_most", texts[RT_CHECK_AT_MOST], NONE, 0, RT_CHECK_TEXT_BYTES - 1,
	      "this or less", .type = RT_KEY_CHARS),

	{ .section = "model",
	  .name = "options",
	  .type = RT_KEY_OPTIONS,
	  .help = "departures from the default model, by name",
	  .offset = offsetof(struct rt_scenario, model.options),
	  .names = rt_model_options },
	{ .section = "model",
	  .name = "wire",
	  .type = RT_KEY_ENUM,
	  .def = "ethernet",
	  .help = "how bytes on the wire are counted",
	  .offset = offsetof(struct rt_scenario, model.wire),
	  .names = wire_names },
	{ .section = "model",
	  .name = "ecmp",
	  .type = RT_KEY_ENUM,
	  .def = "seeded",
	  .help = "how a flow's way is chosen among equal ones",
	  .offset = offsetof(struct rt_scenario, model.ecmp),
	  .names = ecmp_names },
	{ .section = "model",
	  .name = "random",
	  .type = RT_KEY_ENUM,
	  .def = "own",
	  .help = "whose numbers mark packets, to repeat runs of ns-3 models; the seed "
		  "is then their run",
	  .offset = offsetof(struct rt_scenario, model.random),
	  .names = random_names },
	{ .section = "model",
	  .name = "dcqcn",
	  .type = RT_KEY_CHARS,
	  .help = "a named set of DCQCN parameters to start from",
	  .max = 31,
	  .offset = offsetof(struct rt_scenario, model.dcqcn) },
	MODEL("mtu", mtu_bytes, MTU, 64, 9000, "payload of a full packet"),
	MODEL("ack_packets", ack_packets, COUNT, 1, 4096,
	      "receivers acknowledge every so many packets"),
	MODEL("window", window_bytes, BYTES, 64, UINT64_C(1) << 32,
	      "bytes in flight from which a flow waits; counted in full packets of "
	      "mtu"),
	MODEL("rto", rto_ps, PS, 1 * US, 10 * S,
	      "silence after which a sender goes back"),
	MODEL("rto_low", rto_low_ps, PS, 1 * US, 10 * S,
	      "selective_repeat: the same while fewer than three packets are in "
	      "flight"),
	MODEL("nak_repeat", nak_repeat_ps, PS, 1 * US, 10 * S,
	      "go-back-N: a receiver that still misses a packet says so again"),
	MODEL("retries", retries, COUNT, 0, 65534,
	      "NAKs and time-outs without progress before a flow fails; 7 by default"),
	MODEL("data_prio", data_prio, COUNT, 0, 7, "priority of data and ACKs"),
	MODEL("cnp_prio", cnp_prio, COUNT, 0, 7, "priority of CNPs"),
	MODEL("ack_prio", ack_prio, COUNT, 0, 7,
	      "priority of ACKs and NAKs; else that of the data they answer"),
	MODEL("kmin", kmin_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "queue from which packets are marked"),
	MODEL("kmax", kmax_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "queue above which all are marked"),
	MODEL("pmax", pmax_ppb, PCT, 0, RT_PPB, "share marked at kmax"),
	MODEL("buffer", buffer_bytes, BYTES, 10000, UINT64_C(1) << 34,
	      "packet buffer of a switch"),
	MODEL("pool", pool_bytes, BYTES, 10000, UINT64_C(1) << 34,
	      "the part that thresholds share out; else buffer less guarantees"),
	MODEL("buffer_alpha", buffer_alpha_ppb, RATIO, RT_PPB / 1024,
	      UINT64_C(64) * RT_PPB, "share of the free pool one ingress may hold"),
	MODEL("headroom", headroom_bytes, BYTES, 0, UINT64_C(1) << 28,
	      "per port and lossless priority, beside the pool"),
	MODEL("reserve", reserve_bytes, BYTES, 0, UINT64_C(1) << 28,
	      "per port, beside the pool"),
	MODEL("xoff", xoff_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "fixed threshold of an ingress, instead of buffer_alpha"),
	MODEL("xon_offset", xon_offset_bytes, BYTES, 0, UINT64_C(1) << 32,
	      "an ingress resumes this far below its threshold"),
	MODEL("pause_quanta", pause_quanta, QUANTA, 1, 65535, "asked for by a pause"),
	MODEL("pause_refresh", pause_refresh_ps, PS, 1000, 1 * S,
	      "a pause still wanted is sent again after this"),
	MODEL("pfc_reaction", pfc_reaction_ps, PS, 0, 1 * S,
	      "from the arrival of a pause to the stop"),
	MODEL("cnp_interval", cnp_interval_ps, PS, 0, 1 * S,
	      "a receiver sends at most one CNP per flow in this time, whatever the "
	      "set"),
	MODEL("g", g_ppb, RATIO, RT_PPB / 65536, RT_PPB, "gain of alpha"),
	MODEL("initial_alpha", initial_alpha_ppb, RATIO, 0, RT_PPB, "at the first CNP"),
	MODEL("alpha_interval", alpha_interval_ps, PS, US / 10, 1 * S,
	      "alpha falls once in this time without a CNP"),
	MODEL("cut_interval", cut_interval_ps, PS, US / 10, 1 * S,
	      "where timers cut, as by default: at most one in this time"),
	MODEL("timer", timer_ps, PS, US / 10, 1 * S, "rate increases by time"),
	MODEL("byte_counter", byte_counter_bytes, BYTES, 1000, UINT64_C(1) << 40,
	      "rate increases by bytes sent"),
	MODEL("fast_recovery", fast_recovery, COUNT, 0, 255, "stages of fast recovery"),
	MODEL("rai", rai_bps, BPS, 0, 100 * GBPS, "additive increase"),
	MODEL("rhai", rhai_bps, BPS, 0, 100 * GBPS, "hyper increase"),
	MODEL("min_rate", min_rate_bps, BPS, 1000000, 100 * GBPS, "floor of a rate"),
	{ 0 },
};
