/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bnxt_re.c - Broadcom NetXtreme-E and BCM576xx (Thor).
 *
 * PFC is refused before any ETS was set, so both go in one message.  Congestion
 * control is in debugfs of newer kernels, and in configfs of Broadcom's own driver,
 * which takes numbers for hexadecimal in older releases and wants `apply` after.
 * Few of its units are documented: those stay raw.
 */
#include <stdio.h>

#include "host/drivers/drivers.h"

#define BNXT_DCB "Linux broadcom/bnxt/bnxt_dcb.c"
#define DEBUG_CC "Linux drivers/infiniband/hw/bnxt_re/debugfs.c"
#define OOT_CC   "Broadcom bnxt_re (out of tree), configfs.c"
#define DEBUG    "/sys/kernel/debug/bnxt_re/{pci}/cc_config/"
#define CC_DIR   "/sys/kernel/config/bnxt_re/{ib}/ports/{port}/cc/"

/* One knob by both ways. */
#define CC(id, debug_, configfs_, ...)                              \
	FILE_ROW(id, debugfs, DEBUG debug_, DEBUG_CC, __VA_ARGS__), \
		FILE_ROW(id, bnxt_cc, CC_DIR configfs_, OOT_CC,     \
			 .flags = RT_ROW_WRITE_HEX, __VA_ARGS__)
#define OOT(name_)                                \
	RAW(name_, bnxt_cc, CC_DIR name_, OOT_CC, \
	    .flags = RT_ROW_UNSURE | RT_ROW_WRITE_HEX)
#define BOTH(name_, configfs_)                                \
	UNSURE(name_, debugfs, DEBUG name_, DEBUG_CC),        \
		RAW(name_, bnxt_cc, CC_DIR configfs_, OOT_CC, \
		    .flags = RT_ROW_UNSURE | RT_ROW_WRITE_HEX)

static int from_cc_mode(uint64_t mode, uint64_t *ret_algorithm)
{
	if (mode > 1)
		return -EINVAL;
	*ret_algorithm = mode ? RT_CC_DCQCN_P : RT_CC_DCQCN_D;
	return 0;
}

static int to_cc_mode(uint64_t algorithm, uint64_t *ret_mode)
{
	if (algorithm != RT_CC_DCQCN_P && algorithm != RT_CC_DCQCN_D)
		return -ERANGE;
	*ret_mode = algorithm == RT_CC_DCQCN_P;
	return 0;
}

static const struct rt_driver_row rows[] = {
	ROW(DSCP_PRIO, dscp, LIVE, DCB_DSCP, BNXT_DCB " bnxt_dcbnl_ieee_setapp",
	    .flags = RT_ROW_DELETE_FIRST),
	ROW(ETS_PRIO_TC, ets_pfc, BLIP, DCB_PRIO_TC, BNXT_DCB),
	ROW(ETS_TSA, ets_pfc, BLIP, DCB_TSA, BNXT_DCB),
	ROW(ETS_BW, ets_pfc, BLIP, DCB_BW, BNXT_DCB, .max = 100),
	FACT(ETS_CAP, ets_pfc, BNXT_DCB),
	/* Behind ETS: by hand it is refused before. */
	ROW(PFC_MASK, ets_pfc, BLIP, DCB_PFC,
	    BNXT_DCB " bnxt_hwrm_queue_pfc_cfg: may remap queues"),
	FACT(PFC_CAP, ets_pfc, BNXT_DCB),
	FACT(DCBX_OWNER, dcbx, BNXT_DCB " bnxt_dcbnl_setdcbx",
	     .to_neutral = rt_conv_from_mode),
	FACT(DCBX_MODE, dcbx, BNXT_DCB),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, "Linux broadcom/bnxt/bnxt_ethtool.c",
	    BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, "Linux broadcom/bnxt/bnxt_ethtool.c",
	    BIT),
	RDMA_CM_ROWS,
	CC(DATA_DSCP, "tos_dscp", "roce_dscp", .max = 63),
	ROW(DATA_PRIO, udp, LIVE, "dcb app replace dev {net} dgram-prio 4791:{value}",
	    BNXT_DCB "; bnxt_re takes RoCE's priority from it",
	    .vendor = "APP udp 4791", .max = RT_NO_PRIO, .flags = RT_ROW_DELETE_FIRST),

	CC(CC_ALGORITHM, "cc_mode", "cc_mode", .to_neutral = from_cc_mode,
	   .to_raw = to_cc_mode),
	CC(RP_ENABLE, "enable_cc", "ecn_enable", BIT),
	FILE_ROW(NP_CNP_INTERVAL, bnxt_cc, CC_DIR "min_time_bet_cnp", OOT_CC, US,
		 .flags = RT_ROW_WRITE_HEX),
	CC(NP_CNP_DSCP, "alt_vlan_dscp", "cnp_dscp", .max = 63),
	CC(NP_CNP_PRIO, "alt_vlan_pcp", "cnp_prio", .max = 7),

	BOTH("tos_ecn", "ecn_marking"),
	BOTH("run_avg_weight_g", "g"),
	BOTH("num_phase_per_state", "nph_per_state"),
	BOTH("init_cr", "init_cr"),
	BOTH("init_tr", "init_tr"),
	BOTH("tcp_cp", "tcp_cp"),
	BOTH("inactivity_cp", "inact_th"),
	UNSURE("rtt", debugfs, DEBUG "rtt", DEBUG_CC, .max = 16383),
	OOT("rtt"),
	OOT("advanced"),
	OOT("time_pph"),
	OOT("pkts_pph"),
	OOT("roce_prio"),
	OOT("disable_prio_vlan_tx"),
	OOT("inact_th_hi"),
	OOT("init_cp"),
	OOT("tr_update_mode"),
	OOT("tr_update_cyls"),
	OOT("fr_num_rtts"),
	OOT("ai_rate_incr"),
	OOT("red_rel_rtts_th"),
	OOT("act_rel_cr_th"),
	OOT("cr_min_th"),
	OOT("bw_avg_weight"),
	OOT("act_cr_factor"),
	OOT("max_cp_cr_th"),
	OOT("cp_bias_en"),
	OOT("cp_bias"),
	OOT("cnp_ecn"),
	OOT("rtt_jitter_en"),
	OOT("lbytes_per_usec"),
	OOT("reset_cc_cr_th"),
	OOT("cr_width"),
	OOT("min_quota"),
	OOT("max_quota"),
	OOT("abs_max_quota"),
	OOT("tr_lb"),
	OOT("cr_prob_fac"),
	OOT("tr_prob_fac"),
	OOT("fair_cr_th"),
	OOT("red_div"),
	OOT("cnp_ratio_th"),
	OOT("exp_ai_rtts"),
	OOT("exp_crcp_ratio"),
	OOT("rt_en"),
	OOT("cp_exp_update_th"),
	OOT("ai_rtt_th1"),
	OOT("ai_rtt_th2"),
	OOT("cf_rtt_th"),
	OOT("sc_cr_th1"),
	OOT("sc_cr_th2"),
	OOT("l64B_per_rtt"),
	OOT("cc_ack_bytes"),
	OOT("reduce_cf_rtt_th"),
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_RATE, "the driver sets no rates; niccli can" },
	{ RT_GROUP_BUFFER, "the driver has no buffers to set" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ 0 },
};

static bool all_zero(const struct rt_knob_value *value)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 8; i++)
		sum |= value->number[i];
	return value->known && !sum;
}

static const enum rt_knob_id ets_pfc_knobs[] = { RT_KNOB_PFC_MASK, RT_KNOB_ETS_PRIO_TC,
						 RT_KNOB_ETS_TSA, RT_KNOB_ETS_BW };

static bool shows_zeros(const struct rt_qos *qos)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(ets_pfc_knobs); i++)
		if (!all_zero(&qos->knobs[ets_pfc_knobs[i]]))
			return false;
	return true;
}

/* The driver answers with zeros until something was set since it was loaded. */
static void remark_zeros(struct rt_qos *qos)
{
	if (!shows_zeros(qos))
		return;
	for (size_t i = 0; i < RT_ARRAY_SIZE(ets_pfc_knobs); i++)
		snprintf(
			qos->knobs[ets_pfc_knobs[i]].why,
			sizeof(qos->knobs[ets_pfc_knobs[i]].why),
			"zeros: nothing was set since the driver was loaded, or zeros");
}

/* Classification is by DSCP once there is an entry; there is no switch for it. */
static void infer(struct rt_qos *qos)
{
	rt_infer_trust(qos);
	rt_infer_willing(qos);
	remark_zeros(qos);
}

/*
 * Written, those zeros are a table like any other (bnxt_hwrm_queue_pri2cos_cfg and
 * _cos2bw_cfg send it for the classes in use): every priority in class 0, that one
 * strict, and no PFC.  A driver that was just loaded does the same, so that they are
 * no one-way matter; but they are said to be what they are.
 */
static void note_zeros(struct rt_plan *plan)
{
	const bool before = shows_zeros(&plan->have);
	const char *note = before ? "zeros: not set since loading; undone, all is in "
				    "class 0, strict, without PFC, as then"
				  : "as after loading: all in class 0, strict, "
				    "without PFC";

	if (!before && !shows_zeros(&plan->target))
		return;
	for (size_t i = 0; i < plan->change_count; i++) {
		struct rt_change *change = &plan->changes[i];

		if (change->row->access == &rt_access_ets_pfc)
			snprintf(change->note, sizeof(change->note), "%s", note);
	}
}

static int arrange(const struct rt_host_port *port, struct rt_plan *plan,
		   struct rt_err *err)
{
	note_zeros(plan);
	return rt_refuse_firmware_dcb(port, plan,
				      "switch its DCBX and LLDP off in the NIC's NVM "
				      "(options 155, 255, 269, 270), then reboot",
				      err);
}

#define ETHTOOL_FROM "Linux bnxt/bnxt_ethtool.c, bnxt_hsi.h"
#define RDMA_FROM    "Linux drivers/infiniband/hw/bnxt_re/hw_counters.c"

/* Counters of cosN are of queues, which are no priorities. */
static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "rx_pfc_ena_frames_pri%"),
	STAT(PFC_RX_FRAMES, "rx_pfc_frames"),
	STAT(PFC_RX_NS, "pfc_pri%_rx_duration_us", US),
	STAT(PFC_RX_TRANSITIONS, "pfc_pri%_rx_transitions"),
	STAT(PAUSE_RX_FRAMES, "rx_pause_frames"),
	STAT(RX_BYTES, "rx_bytes_pri%"),
	STAT(RX_BYTES, "rx_bytes"),
	STAT(RX_FRAMES, "rx_packets_pri%"),
	STAT(RX_FRAMES, "rx_total_frames"),
	HW_COUNTER(RDMA_RX_BYTES, "rx_bytes"),
	HW_COUNTER(RDMA_RX_FRAMES, "rx_pkts"),
	HW_COUNTER(CNP_RX, "rx_cnp_pkts"),
	HW_COUNTER(RDMA_RX_DISCARDS, "rx_roce_discards"),
	STAT(RX_DISCARDS, "rx_stat_discard"),
	STAT(PFC_TX_FRAMES, "tx_pfc_ena_frames_pri%"),
	STAT(PFC_TX_FRAMES, "tx_pfc_frames"),
	STAT(PFC_TX_NS, "pfc_pri%_tx_duration_us", US),
	STAT(PFC_TX_TRANSITIONS, "pfc_pri%_tx_transitions"),
	STAT(PAUSE_TX_FRAMES, "tx_pause_frames"),
	STAT(TX_BYTES, "tx_bytes_pri%"),
	STAT(TX_BYTES, "tx_bytes"),
	STAT(TX_FRAMES, "tx_packets_pri%"),
	STAT(TX_FRAMES, "tx_total_frames"),
	HW_COUNTER(RDMA_TX_BYTES, "tx_bytes"),
	HW_COUNTER(RDMA_TX_FRAMES, "tx_pkts"),
	HW_COUNTER(CNP_TX, "tx_cnp_pkts"),
	HW_COUNTER(RDMA_TX_DISCARDS, "tx_roce_discards"),
	STAT(TX_DISCARDS, "tx_stat_discard"),
	DCB_COUNTERS("Linux bnxt/bnxt_dcb.c"),
	STAT(STORM_WARNINGS, "continuous_pause_events"),
	STAT(STORM_EVENTS, "continuous_roce_pause_events"),
	HW_COUNTER(CE_RX, "rx_ecn_marked_pkts"),
	HW_COUNTER(OUT_OF_SEQUENCE, "oos_drop_count"),
	HW_COUNTER(SEQ_NAKS_RX, "seq_err_naks_rcvd"),
	HW_COUNTER(IMPLIED_NAKS, "missing_resp"),
	HW_COUNTER(ACK_TIMEOUTS, "to_retransmits"),
	HW_COUNTER(RETRY_EXCEEDED, "max_retry_exceeded"),
	HW_COUNTER(RNR_NAKS_RX, "rnr_naks_rcvd"),
	HW_COUNTER(DUPLICATES, "dup_req"),
	HW_COUNTER(OUT_OF_BUFFER, "rx_out_of_buffer"),
	STAT(CRC_ERRORS, "rx_fcs_err_frames"),
	STAT(SYMBOL_ERRORS, "rx_pcs_symbol_err"),
	STAT(FEC_CORRECTED, "rx_fec_corrected_blocks"),
	STAT(FEC_CORRECTED_BITS, "rx_corrected_bits"),
	STAT(FEC_UNCORRECTABLE, "rx_fec_uncorrectable_blocks"),
	STAT(LINK_DOWNS, "link_down_events"),
	STAT(BUFFER_PASSED, "rx_buffer_passed_threshold"),
};

static const char *const kernel[] = { "bnxt_en", "bnxt_re", NULL };

const struct rt_driver rt_driver_bnxt_re = {
	.name = "bnxt_re",
	.kernel = kernel,
	.help = "Broadcom NetXtreme-E, BCM576xx (Thor, Thor2)",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
	.infer = infer,
	.arrange = arrange,
};
