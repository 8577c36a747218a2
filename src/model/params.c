/* SPDX-License-Identifier: BSD-2-Clause */
/* params.c - the parameter table. */
#include "model/params.h"

#include "base/own.h"
#include "model/headroom.h"

static const struct rt_name status_names[] = {
	{ "vendor", RT_STATUS_VENDOR, "published by who makes the device" },
	{ "operator", RT_STATUS_OPERATOR, "published by who runs such a network" },
	{ "research", RT_STATUS_RESEARCH, "from a paper: apply asks first" },
	{ "simulated", RT_STATUS_SIMULATED, "found by simulation: apply asks first" },
	{ 0 },
};

static const struct rt_name driver_names[] = {
	{ "mlx5", 0, "NVIDIA ConnectX-4 and later" },
	{ "mlx4", 1, "NVIDIA ConnectX-3" },
	{ "bnxt_re", 2, "Broadcom" },
	{ "irdma", 3, "Intel" },
	{ "hns_roce", 4, "Huawei" },
	{ "ionic", 5, "AMD Pensando" },
	{ "qedr", 6, "Marvell" },
	{ "cxgb4", 7, "Chelsio" },
	{ "rxe", 8, "software RoCE" },
	{ 0 },
};

static const struct rt_name nos_names[] = {
	{ "sonic", 0, "SONiC, community" },
	{ "dell-sonic", 1, "Dell Enterprise SONiC" },
	{ "eos", 2, "Arista EOS" },
	{ "nxos", 3, "Cisco NX-OS" },
	{ "nvue", 4, "NVIDIA Cumulus Linux with NVUE" },
	{ "cumulus", 5, "NVIDIA Cumulus Linux, files" },
	{ "onyx", 6, "NVIDIA Onyx" },
	{ "junos", 7, "Juniper Junos and Junos Evolved" },
	{ "os10", 8, "Dell SmartFabric OS10" },
	{ 0 },
};

static const struct rt_name load_balancing_names[] = {
	{ "ecmp", RT_LB_ECMP, "by hash: packets of a flow stay in order" },
	{ "dlb", RT_LB_DLB, "flowlets moved by load: order mostly kept" },
	{ "spray", RT_LB_SPRAY, "packet by packet: reordering is no loss" },
	{ 0 },
};

static const struct rt_name class_kind_names[] = {
	{ "data", RT_CLASS_DATA, "bulk data" },
	{ "control", RT_CLASS_CONTROL, "small messages that must not wait" },
	{ "cnp", RT_CLASS_CNP, "congestion notification packets" },
	{ 0 },
};

static const struct rt_name ect_names[] = {
	{ "no", RT_ECT_NO, "packets cannot be marked, only dropped" },
	{ "nic", RT_ECT_NIC, "the NIC sets the ECN bits" },
	{ "tclass", RT_ECT_TCLASS, "the traffic class byte must carry them" },
	{ 0 },
};

const struct rt_name rt_role_names[] = {
	{ "host", RT_ROLE_HOST, "ports of a leaf to hosts" },
	{ "up", RT_ROLE_UP, "ports of a leaf to spines" },
	{ "spine", RT_ROLE_SPINE, "ports of a spine" },
	{ 0 },
};

static const struct rt_name action_names[] = {
	{ "drop", RT_WATCHDOG_DROP, "drop what waits and what comes" },
	{ "forward", RT_WATCHDOG_FORWARD, "ignore the pause" },
	{ "alert", RT_WATCHDOG_ALERT, "only tell" },
	{ "errdisable", RT_WATCHDOG_ERRDISABLE, "take the port down" },
	{ 0 },
};

const struct rt_name rt_trust_names[] = {
	{ "dscp", RT_TRUST_DSCP, "classify by DSCP" },
	{ "pcp", RT_TRUST_PCP, "classify by VLAN priority" },
	{ "both", RT_TRUST_BOTH, "DSCP, else VLAN priority" },
	{ "port", RT_TRUST_PORT, "one class for the port" },
	{ 0 },
};

const struct rt_name rt_dcbx_owner_names[] = {
	{ "host", RT_DCBX_HOST, "software on the host" },
	{ "firmware", RT_DCBX_FIRMWARE, "the NIC's firmware" },
	{ 0 },
};

const struct rt_name rt_cc_algorithm_names[] = {
	{ "none", RT_CC_NONE, "no congestion control" },
	{ "dcqcn", RT_CC_DCQCN, "DCQCN" },
	{ "dcqcn-p", RT_CC_DCQCN_P, "Broadcom, probabilistic marking" },
	{ "dcqcn-d", RT_CC_DCQCN_D, "Broadcom, deterministic marking" },
	{ "rttcc", RT_CC_RTTCC, "NVIDIA ZTR-RTTCC" },
	{ "dctcp", RT_CC_DCTCP, "DCTCP" },
	{ "timely", RT_CC_TIMELY, "TIMELY" },
	{ "hpcc", RT_CC_HPCC, "HPCC" },
	{ 0 },
};

/* Rows by home: the profile, a class, a class on a role, a role's ports. */
#define ROW(path_, type_, unit_, help_, ...)                                        \
	{                                                                           \
		.path = (path_), .type = RT_PARAM_##type_, .unit = RT_UNIT_##unit_, \
		.help = (help_), __VA_ARGS__                                        \
	}
#define AT(member) .offset = offsetof(struct rt_profile, member)
#define IN_CLASS(member)                                 \
	.offset = offsetof(struct rt_profile, classes) + \
		  offsetof(struct rt_class, member),     \
	.class_stride = sizeof(struct rt_class)
#define IN_CLASS_ROLE(member)                             \
	.offset = offsetof(struct rt_profile, classes) +  \
		  offsetof(struct rt_class, at) +         \
		  offsetof(struct rt_class_role, member), \
	.class_stride = sizeof(struct rt_class),          \
	.role_stride = sizeof(struct rt_class_role)
#define IN_ROLE(member)                                   \
	.offset = offsetof(struct rt_profile, sw.roles) + \
		  offsetof(struct rt_role_ports, member), \
	.role_stride = sizeof(struct rt_role_ports)

#define TOP_PPB   RT_PPB
#define MAX_BPS   10000000000000ull
#define MAX_BYTES 1000000000000ull
#define MAX_NS    3600000000000ull

const struct rt_param rt_params[] = {
	ROW("name", TEXT, NONE, "what the profile is called", AT(name)),
	ROW("extends", TEXT, NONE, "the profile this one starts from", AT(extends)),
	ROW("status", ENUM, NONE, "who vouches for the numbers", AT(status),
	    .names = status_names),
	ROW("source", TEXTS, NONE, "public sources of the numbers", AT(source)),
	ROW("description", TEXT, NONE, "what it is for", AT(description)),

	ROW("match.driver", ENUM, NONE, "kernel driver of the NIC", AT(match.driver),
	    .names = driver_names),
	ROW("match.chip", TEXT, NONE, "NIC the profile is meant for", AT(match.chip)),
	ROW("match.speed", NUMBER, BPS, "speed of a host's port", AT(match.speed),
	    .min = 1000000, .max = MAX_BPS),
	ROW("match.roce_mtu", NUMBER, MTU, "RDMA payload of a full packet",
	    AT(match.roce_mtu), .min = 256, .max = 8192),
	ROW("match.l2_mtu", NUMBER, MTU, "MTU of the host's link (IP packet)",
	    AT(match.l2_mtu), .min = 256, .max = 16384),

	ROW("fabric.load_balancing", ENUM, NONE,
	    "how the fabric chooses paths: decides whether reordering means loss",
	    AT(load_balancing), .names = load_balancing_names),

	ROW("classes.<class>.kind", ENUM, NONE, "what the class carries",
	    IN_CLASS(kind), .names = class_kind_names, .fallback = "data"),
	ROW("classes.<class>.dscp", DSCP, NONE, "DSCPs of the class, or rest",
	    IN_CLASS(dscp)),
	ROW("classes.<class>.prio", NUMBER, NONE, "priority: the PFC number",
	    IN_CLASS(prio), .max = 7),
	ROW("classes.<class>.tc", NUMBER, NONE, "traffic class", IN_CLASS(tc),
	    .max = 15),
	ROW("classes.<class>.pg", NUMBER, NONE, "ingress priority group", IN_CLASS(pg),
	    .max = 7),
	ROW("classes.<class>.queue", NUMBER, NONE, "egress queue", IN_CLASS(queue),
	    .max = 15),
	ROW("classes.<class>.lossless", BOOL, NONE, "paused by PFC instead of dropped",
	    IN_CLASS(lossless), .fallback = "no"),
	ROW("classes.<class>.ect", ENUM, NONE, "who makes packets ECN-capable",
	    IN_CLASS(ect), .names = ect_names),
	ROW("classes.<class>.sched.ets", PERCENT, COUNT,
	    "share of what strict classes leave (802.1Qaz)", IN_CLASS(sched.ets),
	    .max = 100, .choice = RT_CHOICE_SCHED),
	ROW("classes.<class>.sched.dwrr", NUMBER, COUNT,
	    "weight of deficit round robin", IN_CLASS(sched.dwrr), .min = 1, .max = 127,
	    .choice = RT_CHOICE_SCHED),
	ROW("classes.<class>.sched.strict", NUMBER, COUNT,
	    "strict priority; 1 is served first", IN_CLASS(sched.strict), .min = 1,
	    .max = 16, .choice = RT_CHOICE_SCHED),
	ROW("classes.<class>.sched.max", NUMBER, BPS, "cap as a rate",
	    IN_CLASS(sched.max_rate), .min = 1000, .max = MAX_BPS,
	    .choice = RT_CHOICE_CAP),
	ROW("classes.<class>.sched.max", NUMBER, PCT, "cap as a share of the port",
	    IN_CLASS(sched.max_share), .min = 1, .max = TOP_PPB,
	    .choice = RT_CHOICE_CAP),
	ROW("classes.<class>.shares_with", TEXTS, NONE,
	    "other traffic in the same queue", IN_CLASS(shares_with)),

	ROW("app.scope", TEXTS, NONE,
	    "how applications reach the NIC (verbs, devx): what a setting covers",
	    AT(app_scope)),
	ROW("app.<name>", PAIRS, NONE,
	    "variable of NCCL, UCX and others, checked and never set; of a traffic "
	    "class: a class",
	    AT(app)),

	ROW("switch.nos", ENUM, NONE, "switch system", AT(sw.nos), .names = nos_names),
	ROW("switch.mtu", NUMBER, MTU, "MTU of the switch's ports", AT(sw.mtu),
	    .min = 256, .max = 16384),
	ROW("switch.headroom_model", ENUM, NONE,
	    "model for headroom that is auto (rocetune headroom lists them)",
	    AT(sw.headroom_model), .names = rt_headroom_model_names),
	ROW("switch.pool.buffer", NUMBER, BYTES, "whole packet buffer",
	    AT(sw.pool.buffer), .min = 1, .max = MAX_BYTES),
	ROW("switch.pool.lossless", NUMBER, BYTES,
	    "pool that lossless classes share, headroom not counted",
	    AT(sw.pool.lossless), .min = 1, .max = MAX_BYTES),
	ROW("switch.pool.shared_headroom", NUMBER, BYTES,
	    "headroom pool that ports share", AT(sw.pool.shared_headroom), .min = 1,
	    .max = MAX_BYTES),
	ROW("switch.pool.oversubscription", NUMBER, RATIO,
	    "headroom promised over headroom there is", AT(sw.pool.oversubscription),
	    .min = RT_PPB, .max = 1000ull * RT_PPB),
	ROW("switch.pool.partitions", NUMBER, COUNT,
	    "equal parts of the buffer that cannot lend to each other",
	    AT(sw.pool.partitions), .min = 1, .max = 64, .fallback = "1"),
	ROW("switch.roles.<role>.ports", NUMBER, COUNT,
	    "how many such ports one switch has, after breakout", IN_ROLE(ports),
	    .min = 1, .max = 4096),
	ROW("switch.roles.<role>.speed", NUMBER, BPS, "of one port, after breakout",
	    IN_ROLE(speed), .min = 1000000, .max = MAX_BPS),
	ROW("switch.roles.<role>.breakout", BREAKOUT, BPS,
	    "how a port is split: 2x400G", IN_ROLE(breakout), .min = 1000000,
	    .max = MAX_BPS),
	ROW("switch.roles.<role>.cable", NUMBER, LENGTH, "longest cable",
	    IN_ROLE(cable), .min = 1, .max = 100000000),
	ROW("switch.roles.<role>.headroom.<class>", NUMBER, BYTES,
	    "room above XOFF for what still arrives; platform: the switch decides",
	    IN_CLASS_ROLE(headroom), .max = MAX_BYTES),
	ROW("switch.roles.<role>.buffer_alpha.<class>", NUMBER, RATIO,
	    "XOFF at alpha times the free shared pool", IN_CLASS_ROLE(buffer_alpha),
	    .min = 1, .max = 1024ull * RT_PPB, .choice = RT_CHOICE_THRESHOLD),
	ROW("switch.roles.<role>.xoff.<class>", NUMBER, BYTES,
	    "filling of a priority group at which PAUSE is sent", IN_CLASS_ROLE(xoff),
	    .min = 1, .max = MAX_BYTES, .choice = RT_CHOICE_THRESHOLD),
	ROW("switch.roles.<role>.xon.<class>", NUMBER, BYTES,
	    "filling at which sending is allowed again", IN_CLASS_ROLE(xon),
	    .max = MAX_BYTES),
	ROW("switch.ecn.<class>.<role>.kmin", NUMBER, BYTES,
	    "egress queue at which marking starts", IN_CLASS_ROLE(kmin),
	    .max = MAX_BYTES),
	ROW("switch.ecn.<class>.<role>.kmax", NUMBER, BYTES,
	    "egress queue from which everything is marked", IN_CLASS_ROLE(kmax),
	    .max = MAX_BYTES),
	ROW("switch.ecn.<class>.<role>.pmax", NUMBER, PCT,
	    "probability of a mark just below kmax", IN_CLASS_ROLE(pmax),
	    .max = TOP_PPB),
	ROW("switch.watchdog.classes", CLASSES, NONE, "classes it watches",
	    AT(sw.watchdog.classes), .fallback = "every lossless class"),
	ROW("switch.watchdog.detect", NUMBER, NS, "paused that long is a storm",
	    AT(sw.watchdog.detect), .min = 1000000, .max = MAX_NS),
	ROW("switch.watchdog.restore", NUMBER, NS, "quiet that long ends it",
	    AT(sw.watchdog.restore), .min = 1000000, .max = MAX_NS),
	ROW("switch.watchdog.poll", NUMBER, NS, "how often it looks",
	    AT(sw.watchdog.poll), .min = 1000000, .max = MAX_NS),
	ROW("switch.watchdog.action", ENUM, NONE, "what it does in a storm",
	    AT(sw.watchdog.action), .names = action_names),

	ROW("host.trust", ENUM, NONE, "by what the NIC classifies", AT(host.trust),
	    .names = rt_trust_names),
	ROW("host.dcbx.owner", ENUM, NONE, "who speaks DCBX", AT(host.dcbx_owner),
	    .names = rt_dcbx_owner_names),
	ROW("host.dcbx.willing", BOOL, NONE, "whether the peer may overrule the host",
	    AT(host.dcbx_willing)),
	ROW("host.global_pause", BOOL, NONE, "802.3x pause, which stops every class",
	    AT(host.global_pause)),
	ROW("host.buffers", SIZES, BYTES, "receive buffers of the NIC, from buffer 0",
	    AT(host.buffers)),
	ROW("host.cable", NUMBER, LENGTH, "cable of the host", AT(host.cable), .min = 1,
	    .max = 100000000),
	ROW("host.pause_storm_timeout", NUMBER, NS,
	    "the NIC stops pausing when it has paused that long; 0: never",
	    .zero = "off", AT(host.pause_storm_timeout), .max = MAX_NS),
	ROW("host.cc.algorithm", ENUM, NONE, "congestion control that is meant to run",
	    AT(host.algorithm), .names = rt_cc_algorithm_names),
	ROW("host.cc.np.enable", BOOL, NONE, "send CNPs", AT(host.np.enable)),
	ROW("host.cc.np.cnp_interval", NUMBER, NS, "least time between CNPs (N)",
	    AT(host.np.cnp_interval), .max = MAX_NS),
	ROW("host.cc.np.cnp_dscp", NUMBER, NONE, "DSCP of CNPs", AT(host.np.cnp_dscp),
	    .max = 63),
	ROW("host.cc.np.cnp_prio", NUMBER, NONE, "priority of CNPs",
	    AT(host.np.cnp_prio), .max = 7),
	ROW("host.cc.rp.enable", BOOL, NONE, "slow down on CNPs", AT(host.rp.enable)),
	ROW("host.cc.rp.g", NUMBER, RATIO, "weight of the newest in alpha",
	    AT(host.rp.g), .max = TOP_PPB),
	ROW("host.cc.rp.initial_alpha", NUMBER, RATIO, "alpha at the first CNP",
	    AT(host.rp.initial_alpha), .max = TOP_PPB),
	ROW("host.cc.rp.alpha_timer", NUMBER, NS, "no CNP that long lowers alpha (K)",
	    AT(host.rp.alpha_timer), .min = 1, .max = MAX_NS),
	ROW("host.cc.rp.rate_timer", NUMBER, NS, "period of rate increases (T)",
	    AT(host.rp.rate_timer), .min = 1, .max = MAX_NS),
	ROW("host.cc.rp.byte_counter", NUMBER, BYTES,
	    "bytes between rate increases (B); 0: off", .zero = "off",
	    AT(host.rp.byte_counter), .max = MAX_BYTES),
	ROW("host.cc.rp.fast_recovery", NUMBER, COUNT, "rounds of fast recovery (F)",
	    AT(host.rp.fast_recovery), .max = 255),
	ROW("host.cc.rp.ai", NUMBER, BPS, "additive increase", AT(host.rp.ai),
	    .max = MAX_BPS),
	ROW("host.cc.rp.hai", NUMBER, BPS, "hyper increase", AT(host.rp.hai),
	    .max = MAX_BPS),
	ROW("host.cc.rp.min_rate", NUMBER, BPS, "floor of the rate",
	    AT(host.rp.min_rate), .max = MAX_BPS),
	ROW("host.cc.rp.max_rate", NUMBER, BPS, "ceiling of the rate; 0: line rate",
	    .zero = "line rate", AT(host.rp.max_rate), .max = MAX_BPS),
	ROW("host.cc.rp.min_dec", NUMBER, PCT, "least of the rate that a cut leaves",
	    AT(host.rp.min_dec), .max = TOP_PPB),
	ROW("host.cc.rp.reduce_gap", NUMBER, NS, "least time between cuts",
	    AT(host.rp.reduce_gap), .max = MAX_NS),
	ROW("host.cc.rp.first_cnp_rate", NUMBER, BPS,
	    "rate after the first CNP; 0: an ordinary cut", .zero = "off",
	    AT(host.rp.first_cnp_rate), .max = MAX_BPS),
	ROW("host.cc.rp.clamp_target", BOOL, NONE,
	    "every cut lowers the target rate too", AT(host.rp.clamp_target)),
	ROW("host.cc.rp.clamp_after_timer", BOOL, NONE,
	    "a cut lowers the target only after a timer increase",
	    AT(host.rp.clamp_after_timer)),
	ROW("host.cc.raw.<driver>.<name>", PAIRS, NONE,
	    "a vendor's own knob in the vendor's own unit", AT(host.raw)),
	ROW("host.firmware_expect.<name>", PAIRS, NONE,
	    "firmware setting that is expected, never set: a value, or `has N`",
	    AT(host.firmware_expect)),
};

const size_t rt_param_count = RT_ARRAY_SIZE(rt_params);

struct rt_setting *rt_param_setting(struct rt_profile *profile,
				    const struct rt_param *row, unsigned class_index,
				    unsigned role)
{
	return (struct rt_setting *)((char *)profile + row->offset +
				     class_index * row->class_stride +
				     role * row->role_stride);
}
