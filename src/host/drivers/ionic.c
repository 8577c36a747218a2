/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ionic.c - AMD Pensando (Pollara).
 *
 * No dcbnl: classes and PFC are set by AMD's nicctl, whose lines are shown as the
 * remedy and never run from here.  DCQCN is in debugfs of patches posted to the
 * kernel, as profiles; the first is read when it is the one in use.  The firmware
 * may ignore what is written there.  ethtool -A would replace a pause type of PFC by
 * 802.3x, so pause is only read.
 */
#include <stdio.h>
#include <string.h>

#include "host/drivers/drivers.h"

#define POSTED  "patches posted to linux-rdma, ionic debugfs"
#define DCQCN   "/sys/kernel/debug/ionic/{pci}/dcqcn/"
#define PROFILE DCQCN "profiles/1/"
#define RP      PROFILE "roce_rp/"
#define NP      PROFILE "roce_np/"
#define ETHTOOL "Linux pensando/ionic/ionic_ethtool.c"
#define PAUSE   "nicctl update port --all --pause-type pfc    (ethtool -A would end PFC)"

static const struct rt_driver_row rows[] = {
	ROW(PAUSE_RX, pause, LIVE, PAUSE, ETHTOOL, .flags = RT_ROW_READ_ONLY),
	ROW(PAUSE_TX, pause, LIVE, PAUSE, ETHTOOL, .flags = RT_ROW_READ_ONLY),
	RDMA_CM_ROWS,
	FILE_ROW(NP_CNP_DSCP, debugfs, NP "cnp_dscp", POSTED, .max = 63),
	FILE_ROW(NP_CNP_PRIO, debugfs, NP "icnp_802p_prio", POSTED, .max = 7),
	FILE_ROW(RP_INITIAL_ALPHA, debugfs, RP "initial_alpha_value", POSTED, OF_1024,
		 .max = 1023),
	FILE_ROW(RP_ALPHA_TIMER, debugfs, RP "dce_tcp_rtt", POSTED, US, .min = 1,
		 .max = 131071),
	FILE_ROW(RP_FAST_RECOVERY, debugfs, RP "threshold", POSTED, .min = 1,
		 .max = 31),
	FILE_ROW(RP_BYTE_COUNTER, debugfs, RP "byte_reset", POSTED),
	FILE_ROW(RP_MIN_DEC, debugfs, RP "min_dec_fac", POSTED, PERCENT, .max = 100),
	FILE_ROW(RP_CLAMP_TARGET, debugfs, RP "clamp_tgt_rate", POSTED, BIT),
	FILE_ROW(RP_CLAMP_AFTER_TIMER, debugfs, RP "clamp_tgt_rate_ati", POSTED, BIT),
	RAW("match_default", debugfs, DCQCN "match_default", POSTED,
	    .flags = RT_ROW_READ_ONLY),
	UNSURE("dce_tcp_g", debugfs, RP "dce_tcp_g", POSTED, .max = 1023),
	RAW("time_reset", debugfs, RP "time_reset", POSTED ": in units of dce_tcp_rtt",
	    .min = 1, .max = 32767),
	UNSURE("token_bucket_size", debugfs, RP "token_bucket_size", POSTED, .min = 100,
	       .max = 200000000),
	UNSURE("rate_reduce_monitor_period", debugfs, RP "rate_reduce_monitor_period",
	       POSTED),
	UNSURE("rate_to_set_on_first_cnp", debugfs, RP "rate_to_set_on_first_cnp",
	       POSTED),
	UNSURE("min_rate", debugfs, RP "min_rate", POSTED),
	RAW("gd", debugfs, RP "gd", POSTED, .min = 1, .max = 11),
	UNSURE("qp_rate", debugfs, RP "qp_rate", POSTED),
	UNSURE("ai_rate", debugfs, RP "ai_rate", POSTED),
	UNSURE("hai_rate", debugfs, RP "hai_rate", POSTED),
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_TRUST, "nicctl update qos dscp-to-priority --dscp N --priority N" },
	{ RT_GROUP_PFC, "nicctl update qos pfc --priority N --no-drop enable" },
	{ RT_GROUP_ETS, "nicctl update qos scheduling --priority 0,3 --dwrr 10,90" },
	{ RT_GROUP_RATE, "nicctl update qos scheduling --rate-limit 0,0,10" },
	{ RT_GROUP_BUFFER, "the driver has no buffers to set" },
	{ RT_GROUP_DCBX, "the driver has no DCB" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ RT_GROUP_CC,
	  "nicctl update dcqcn -r IBDEV -i 1 ...; this kernel has no files for it" },
	{ 0 },
};

/* The timer counts in periods of the other one. */
static void infer_timer(struct rt_qos *qos)
{
	const struct rt_opt_u64 period = rt_qos_number(qos, RT_KNOB_RP_ALPHA_TIMER);
	const struct rt_raw_value *count = rt_qos_raw(qos, "time_reset");

	if (!period.known || !count || !count->known || count->number > 32767)
		return;
	rt_knob_unknown(qos, RT_KNOB_RP_RATE_TIMER,
			"follows from time_reset, which counts alpha timers");
	rt_knob_set(qos, RT_KNOB_RP_RATE_TIMER, 0, count->number * period.value);
}

static bool is_of_profile(const char *raw)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rows[i].raw && strcmp(rows[i].raw, raw) == 0)
			return strncmp(rows[i].path, PROFILE, strlen(PROFILE)) == 0;
	return false;
}

/*
 * Numbers of a profile that is not in use say nothing, and writing them does nothing:
 * without their way they cannot be written either.
 */
static void forget_profile(struct rt_qos *qos, const char *why)
{
	for (unsigned id = RT_KNOB_NP_ENABLE; id < RT_KNOB_COUNT; id++)
		if (qos->knobs[id].known || qos->knobs[id].interface)
			rt_knob_unknown(qos, id, why);
	for (size_t i = 0; i < qos->raw_count; i++) {
		struct rt_raw_value *raw = &qos->raw[i];

		if (!is_of_profile(raw->name) || (!raw->known && !raw->interface))
			continue;
		*raw = (struct rt_raw_value){ .name = raw->name };
		snprintf(raw->why, sizeof(raw->why), "%s", why);
	}
}

static void infer(struct rt_qos *qos)
{
	const struct rt_raw_value *profile = rt_qos_raw(qos, "match_default");

	infer_timer(qos);
	if (!profile || !profile->known)
		forget_profile(qos, "which DCQCN profile is in use is not known");
	else if (profile->number != 1)
		forget_profile(qos, "another DCQCN profile than the first is in use");
}

#define ETHTOOL_FROM "Linux pensando/ionic/ionic_stats.c"
#define RDMA_FROM \
	"names of AMD's firmware (ionic_hw_stats.c), as `rdma statistic` has them"

/* The spelling of resp_rx_outouf_seq is the firmware's. */
static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "frames_rx_pripause"),
	STAT(PFC_RX_NS, "rx_pripause_%_1us_count", US),
	STAT(PAUSE_RX_FRAMES, "frames_rx_pause"),
	STAT(RX_BYTES, "octets_rx_all"),
	STAT(RX_FRAMES, "frames_rx_pri_%"),
	STAT(RX_FRAMES, "frames_rx_all"),
	HW_COUNTER(RDMA_RX_BYTES, "rx_rdma_ucast_bytes+rx_rdma_mcast_bytes"),
	HW_COUNTER(RDMA_RX_FRAMES, "rx_rdma_ucast_pkts+rx_rdma_mcast_pkts"),
	HW_COUNTER(CNP_RX, "rx_rdma_cnp_pkts"),
	STAT(PFC_TX_FRAMES, "frames_tx_pripause"),
	STAT(PFC_TX_NS, "tx_pripause_%_1us_count", US),
	STAT(PAUSE_TX_FRAMES, "frames_tx_pause"),
	STAT(TX_BYTES, "octets_tx_total"),
	STAT(TX_FRAMES, "frames_tx_pri_%"),
	STAT(TX_FRAMES, "frames_tx_all"),
	HW_COUNTER(RDMA_TX_BYTES, "tx_rdma_ucast_bytes+tx_rdma_mcast_bytes"),
	HW_COUNTER(RDMA_TX_FRAMES, "tx_rdma_ucast_pkts+tx_rdma_mcast_pkts"),
	HW_COUNTER(CNP_TX, "tx_rdma_cnp_pkts"),
	STAT(PAUSE_RX_NS, "rx_pause_1us_count", US),
	HW_COUNTER(CE_RX, "rx_rdma_ecn_pkts"),
	HW_COUNTER(OUT_OF_SEQUENCE, "resp_rx_outouf_seq"),
	HW_COUNTER(SEQ_NAKS_RX, "req_rx_pkt_seq_err"),
	HW_COUNTER(IMPLIED_NAKS, "req_rx_impl_nak_seq_err"),
	HW_COUNTER(RETRY_EXCEEDED, "req_tx_retry_excd_err"),
	HW_COUNTER(RNR_NAKS_RX, "req_rx_rnr_retry_err"),
	HW_COUNTER(RNR_NAKS_TX, "resp_tx_rnr_retry_err"),
	HW_COUNTER(DUPLICATES, "resp_rx_dup_request"),
	HW_COUNTER(OUT_OF_BUFFER, "resp_rx_outof_buf"),
	STAT(RX_DISCARDS, "frames_rx_dropped"),
	STAT(CRC_ERRORS, "frames_rx_bad_fcs"),
};

static const char *const kernel[] = { "ionic", "ionic_rdma", NULL };

const struct rt_driver rt_driver_ionic = {
	.name = "ionic",
	.kernel = kernel,
	.help = "AMD Pensando",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
	.infer = infer,
};
