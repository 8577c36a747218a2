/* SPDX-License-Identifier: BSD-2-Clause */
/* qos.c - the table of a host port's knobs, and their values. */
#include "model/qos.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/params.h"

const struct rt_name rt_group_names[] = {
	{ "trust", RT_GROUP_TRUST, "by what packets are classified, DSCP map" },
	{ "pfc", RT_GROUP_PFC, "priority flow control" },
	{ "ets", RT_GROUP_ETS, "traffic classes and their shares" },
	{ "rate", RT_GROUP_RATE, "rate limits of traffic classes" },
	{ "buffer", RT_GROUP_BUFFER, "receive buffers" },
	{ "dcbx", RT_GROUP_DCBX, "who owns DCB, and whether the peer may overrule" },
	{ "pause", RT_GROUP_PAUSE, "802.3x pause of the whole link" },
	{ "storm", RT_GROUP_STORM, "pause storm prevention" },
	{ "tos", RT_GROUP_TOS, "what RoCE packets carry: traffic class, ToS" },
	{ "cc", RT_GROUP_CC, "congestion control" },
	{ 0 },
};

const struct rt_name rt_tsa_names[] = {
	{ "strict", RT_TSA_STRICT, "strict priority" },
	{ "cbs", RT_TSA_CBS, "credit-based shaper" },
	{ "ets", RT_TSA_ETS, "a share of what strict classes leave" },
	{ "vendor", RT_TSA_VENDOR, "the vendor's own" },
	{ 0 },
};

static const struct rt_name cm_mode_names[] = {
	{ "v1", 1, "RoCE v1" },
	{ "v2", 2, "RoCE v2" },
	{ 0 },
};

#define KNOB(id, name_, group_, type_, unit_, length_, help_, ...) \
	[RT_KNOB_##id] = { .name = (name_),                        \
			   .group = RT_GROUP_##group_,             \
			   .type = RT_KNOB_##type_,                \
			   .unit = RT_UNIT_##unit_,                \
			   .length = (length_),                    \
			   .help = (help_),                        \
			   __VA_ARGS__ }
#define CC(id, name_, type_, unit_, help_, ...)                                      \
	KNOB(id, "cc." name_, CC, type_, unit_, 1, help_, .param = "host.cc." name_, \
	     __VA_ARGS__)

const struct rt_knob rt_knobs[RT_KNOB_COUNT] = {
	KNOB(TRUST, "trust", TRUST, ENUM, NONE, 1, "by what the NIC classifies",
	     .names = rt_trust_names, .param = "host.trust"),
	KNOB(DSCP_PRIO, "dscp_prio", TRUST, NUMBER, NONE, 64, "priority of each DSCP",
	     .param = "classes.<class>.dscp", .flags = RT_KNOB_MAY_LACK),
	KNOB(PFC_MASK, "pfc.mask", PFC, MASK, NONE, 1, "priorities that PFC pauses",
	     .param = "classes.<class>.lossless"),
	KNOB(PFC_CAP, "pfc.cap", PFC, NUMBER, COUNT, 1,
	     "how many priorities can be lossless at once", .flags = RT_KNOB_FACT),
	KNOB(PFC_CABLE, "pfc.cable", PFC, NUMBER, LENGTH, 1,
	     "cable for which the NIC reckons its headroom", .param = "host.cable"),
	KNOB(ETS_PRIO_TC, "ets.prio_tc", ETS, NUMBER, NONE, 8,
	     "traffic class of each priority", .param = "classes.<class>.tc"),
	KNOB(ETS_TSA, "ets.tsa", ETS, ENUM, NONE, 8,
	     "how each traffic class is scheduled", .names = rt_tsa_names,
	     .param = "classes.<class>.sched"),
	KNOB(ETS_BW, "ets.bw", ETS, NUMBER, COUNT, 8,
	     "share of each traffic class, percent",
	     .param = "classes.<class>.sched.ets"),
	KNOB(ETS_CAP, "ets.cap", ETS, NUMBER, COUNT, 1, "traffic classes there are",
	     .flags = RT_KNOB_FACT),
	KNOB(MAX_RATE, "max_rate", RATE, NUMBER, BPS, 8,
	     "limit of each traffic class; 0: none", .zero = "none",
	     .param = "classes.<class>.sched.max"),
	KNOB(PRIO_BUFFER, "buffer.prio", BUFFER, NUMBER, NONE, 8,
	     "receive buffer of each priority", .param = "host.buffers"),
	KNOB(BUFFER_SIZE, "buffer.size", BUFFER, NUMBER, BYTES, 8,
	     "size of each receive buffer", .param = "host.buffers"),
	KNOB(BUFFER_TOTAL, "buffer.total", BUFFER, NUMBER, BYTES, 1,
	     "all receive buffers together", .flags = RT_KNOB_FACT),
	KNOB(BUFFER_AUTO, "buffer.auto", BUFFER, BOOL, NONE, 1,
	     "whether the driver reckons the sizes itself",
	     .flags = RT_KNOB_FACT | RT_KNOB_INFERRED),
	KNOB(DCBX_OWNER, "dcbx.owner", DCBX, ENUM, NONE, 1, "who sets DCB",
	     .names = rt_dcbx_owner_names, .param = "host.dcbx.owner"),
	KNOB(DCBX_MODE, "dcbx.mode", DCBX, NUMBER, NONE, 1,
	     "1 host, 2 firmware, 4 CEE, 8 IEEE, 16 static (linux/dcbnl.h)",
	     .flags = RT_KNOB_FACT | RT_KNOB_DETAIL),
	KNOB(DCBX_WILLING, "dcbx.willing", DCBX, BOOL, NONE, 1,
	     "whether the peer may overrule", .param = "host.dcbx.willing"),
	KNOB(PAUSE_RX, "pause.rx", PAUSE, BOOL, NONE, 1,
	     "802.3x: the peer may stop the whole link", .param = "host.global_pause"),
	KNOB(PAUSE_TX, "pause.tx", PAUSE, BOOL, NONE, 1,
	     "802.3x: we may stop the whole link", .param = "host.global_pause"),
	KNOB(STORM_TIMEOUT, "pause_storm_timeout", STORM, NUMBER, NS, 1,
	     "the NIC stops pausing when it has paused that long; 0: never",
	     .zero = "off", .param = "host.pause_storm_timeout"),
	KNOB(TCLASS, "tos.tclass", TOS, NUMBER, NONE, 1,
	     "traffic class byte forced on verbs QPs (DSCP * 4 + ECN)"),
	KNOB(CM_TOS, "tos.rdma_cm", TOS, NUMBER, NONE, 1,
	     "ToS of connections made by rdma_cm (DSCP * 4 + ECN)"),
	KNOB(CM_MODE, "tos.rdma_cm_mode", TOS, ENUM, NONE, 1,
	     "RoCE version that rdma_cm takes", .names = cm_mode_names),
	KNOB(DATA_DSCP, "tos.data_dscp", TOS, NUMBER, NONE, 1,
	     "DSCP that the NIC itself puts on RoCE data",
	     .param = "classes.<class>.dscp"),
	KNOB(DATA_PRIO, "tos.data_prio", TOS, NUMBER, NONE, 1,
	     "priority that the NIC itself gives RoCE data",
	     .param = "classes.<class>.prio", .flags = RT_KNOB_MAY_LACK),
	CC(CC_ALGORITHM, "algorithm", ENUM, NONE,
	   "congestion control that runs; parameters may be set for one that does not",
	   .names = rt_cc_algorithm_names),
	CC(NP_ENABLE, "np.enable", BOOL, NONE, "send CNPs"),
	CC(NP_CNP_INTERVAL, "np.cnp_interval", NUMBER, NS,
	   "least time between CNPs (N)"),
	CC(NP_CNP_DSCP, "np.cnp_dscp", NUMBER, NONE, "DSCP of CNPs"),
	CC(NP_CNP_PRIO, "np.cnp_prio", NUMBER, NONE, "priority of CNPs"),
	CC(RP_ENABLE, "rp.enable", BOOL, NONE, "slow down on CNPs"),
	CC(RP_G, "rp.g", NUMBER, RATIO, "weight of the newest in alpha"),
	CC(RP_INITIAL_ALPHA, "rp.initial_alpha", NUMBER, RATIO,
	   "alpha at the first CNP"),
	CC(RP_ALPHA_TIMER, "rp.alpha_timer", NUMBER, NS,
	   "no CNP that long lowers alpha (K)"),
	CC(RP_RATE_TIMER, "rp.rate_timer", NUMBER, NS, "period of rate increases (T)"),
	CC(RP_BYTE_COUNTER, "rp.byte_counter", NUMBER, BYTES,
	   "bytes between rate increases (B); 0: off", .zero = "off"),
	CC(RP_FAST_RECOVERY, "rp.fast_recovery", NUMBER, COUNT,
	   "rounds of fast recovery (F)"),
	CC(RP_AI, "rp.ai", NUMBER, BPS, "additive increase"),
	CC(RP_HAI, "rp.hai", NUMBER, BPS, "hyper increase"),
	CC(RP_MIN_RATE, "rp.min_rate", NUMBER, BPS, "floor of the rate"),
	CC(RP_MAX_RATE, "rp.max_rate", NUMBER, BPS, "ceiling of the rate; 0: line rate",
	   .zero = "line rate"),
	CC(RP_MIN_DEC, "rp.min_dec", NUMBER, PCT,
	   "least of the rate that a cut leaves"),
	CC(RP_REDUCE_GAP, "rp.reduce_gap", NUMBER, NS, "least time between cuts"),
	CC(RP_FIRST_CNP_RATE, "rp.first_cnp_rate", NUMBER, BPS,
	   "rate after the first CNP; 0: an ordinary cut", .zero = "off"),
	CC(RP_CLAMP_TARGET, "rp.clamp_target", BOOL, NONE,
	   "every cut lowers the target rate too"),
	CC(RP_CLAMP_AFTER_TIMER, "rp.clamp_after_timer", BOOL, NONE,
	   "a cut lowers the target only after a timer increase"),
};

const struct rt_knob *rt_knob_find(const char *name)
{
	for (size_t i = 0; i < RT_KNOB_COUNT; i++)
		if (strcmp(rt_knobs[i].name, name) == 0)
			return &rt_knobs[i];
	return NULL;
}

/* --- values --------------------------------------------------------------------- */

void rt_knob_set(struct rt_qos *qos, enum rt_knob_id id, unsigned element,
		 uint64_t number)
{
	struct rt_knob_value *value = &qos->knobs[id];

	if (rt_knobs[id].length > 8)
		value->small[element] = (uint8_t)number;
	else
		value->number[element] = number;
	value->known |= (uint64_t)1 << element;
}

void rt_knob_unknown(struct rt_qos *qos, enum rt_knob_id id, const char *why)
{
	struct rt_knob_value *value = &qos->knobs[id];

	*value = (struct rt_knob_value){ 0 };
	snprintf(value->why, sizeof(value->why), "%s", why ? why : "");
}

struct rt_opt_u64 rt_qos_number(const struct rt_qos *qos, enum rt_knob_id id)
{
	const struct rt_knob_value *value = &qos->knobs[id];

	return value->known & 1 ? RT_KNOWN_U64(value->number[0])
				: (struct rt_opt_u64){ 0 };
}

const struct rt_raw_value *rt_qos_raw(const struct rt_qos *qos, const char *name)
{
	for (size_t i = 0; i < qos->raw_count; i++)
		if (strcmp(qos->raw[i].name, name) == 0)
			return &qos->raw[i];
	return NULL;
}

uint64_t rt_knob_differs(const struct rt_knob *row, const struct rt_knob_value *have,
			 const struct rt_knob_value *want)
{
	uint64_t differs = 0;

	for (unsigned i = 0; i < row->length; i++) {
		const uint64_t bit = (uint64_t)1 << i;

		if (want->known & bit &&
		    (!(have->known & bit) ||
		     rt_knob_number(row, have, i) != rt_knob_number(row, want, i)))
			differs |= bit;
	}
	return differs;
}

uint64_t rt_qos_shareless(const struct rt_qos *target)
{
	const struct rt_knob_value *tsa = &target->knobs[RT_KNOB_ETS_TSA];
	uint64_t classes = 0;

	for (unsigned i = 0; i < 8; i++)
		if (tsa->known >> i & 1 && tsa->number[i] != RT_TSA_ETS)
			classes |= (uint64_t)1 << i;
	return classes;
}

static void merge_knob(struct rt_qos *both, const struct rt_qos *want, unsigned id)
{
	const struct rt_knob_value *value = &want->knobs[id];

	for (unsigned i = 0; i < rt_knobs[id].length; i++)
		if (value->known >> i & 1)
			rt_knob_set(both, id, i,
				    rt_knob_number(&rt_knobs[id], value, i));
}

void rt_qos_merge(const struct rt_qos *have, const struct rt_qos *want,
		  struct rt_qos *ret_both)
{
	struct rt_qos both = *have;

	for (unsigned id = 0; id < RT_KNOB_COUNT; id++)
		merge_knob(&both, want, id);
	for (size_t i = 0; i < want->raw_count; i++) {
		size_t at = 0;

		while (at < both.raw_count &&
		       strcmp(both.raw[at].name, want->raw[i].name) != 0)
			at++;
		if (at == RT_QOS_RAW_MAX || !want->raw[i].known)
			continue;
		if (at == both.raw_count)
			both.raw_count++;
		both.raw[at] = want->raw[i];
	}
	*ret_both = both;
}
