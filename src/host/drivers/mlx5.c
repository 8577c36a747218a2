/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mlx5.c - NVIDIA ConnectX-4 and later.
 *
 * DCQCN is in the kernel's debugfs (cc_params), and under other names in sysfs of
 * NVIDIA's own driver package; the numbers are the same.  Trust is a side effect of
 * DSCP entries in the kernel's driver, and a file in NVIDIA's.
 */
#include <stdio.h>
#include <string.h>

#include "host/drivers/drivers.h"
#include "rocetune/units.h"

#define EN_DCBNL "Linux mlx5/core/en_dcbnl.c"
#define CONG     "Linux drivers/infiniband/hw/mlx5/cong.c; NVIDIA DOCA, DCQCN CC parameters"
#define OFED     "NVIDIA mlnx-tools, mlnx_qos"
#define OFED_CC  "MLNX_OFED en_sysfs.c; NVIDIA DOCA, DCQCN CC parameters"
#define DEBUG    "/sys/kernel/debug/mlx5/{pci}/cc_params/"
#define RP_SYSFS "/sys/class/net/{net}/ecn/roce_rp/"
#define STALL    "/sys/class/net/{net}/settings/pfc_stall_prevention"
#define NP_SYSFS "/sys/class/net/{net}/ecn/roce_np/"

#define EACH_PRIO(folder_) \
	"for p in 0 1 2 3 4 5 6 7; do echo {value} >" folder_ "enable/$p; done"

/* One knob by both ways; the second ends as OFED names it. */
#define CC(id, debug_, sysfs_, ...)                             \
	FILE_ROW(id, debugfs, DEBUG debug_, CONG, __VA_ARGS__), \
		FILE_ROW(id, sysfs, sysfs_, OFED_CC, __VA_ARGS__)

/* dce_tcp_g is the weight of the old alpha; g of the paper that of the newest. */
static int from_g(uint64_t raw, uint64_t *ret_ppb)
{
	return raw > 1023 ? -EINVAL : rt_conv_from_1024(1024 - raw, ret_ppb);
}

static int to_g(uint64_t ppb, uint64_t *ret_raw)
{
	uint64_t newest;

	if (rt_conv_to_1024(ppb, &newest) < 0 || newest == 0)
		return -ERANGE;
	*ret_raw = 1024 - newest;
	return 0;
}

/* Without HOST the firmware speaks DCBX; the driver never says LLD_MANAGED. */
static int from_mode(uint64_t mode, uint64_t *ret_owner)
{
	*ret_owner = mode & RT_DCBX_MODE_HOST ? RT_DCBX_HOST : RT_DCBX_FIRMWARE;
	return 0;
}

/* Writing 0 gives DCBX back to the firmware. */
static int to_mode(uint64_t owner, uint64_t *ret_mode)
{
	*ret_mode = owner == RT_DCBX_HOST ? RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE : 0;
	return 0;
}

#define STEP_LOW  100000000ull  /* up to 255 of them */
#define STEP_HIGH 1000000000ull /* up to 255 of them */

static int from_maxrate(uint64_t raw, uint64_t *ret_bps)
{
	*ret_bps = raw;
	return 0;
}

/* The nearest that the NIC holds: 100 Mb/s steps to 25.5 Gb/s, then 1 Gb/s. */
static int to_maxrate(uint64_t bps, uint64_t *ret_raw)
{
	const uint64_t low = (bps + STEP_LOW / 2) / STEP_LOW;
	const uint64_t high = (bps + STEP_HIGH / 2) / STEP_HIGH;

	if (high > 255)
		return -ERANGE;
	if (bps == 0)
		*ret_raw = 0;
	else if (low <= 255 ||
		 high <= 26) /* 26 Gb/s would be taken for 260 low steps */
		*ret_raw = (low < 1 ? 1 : low > 255 ? 255 : low) * STEP_LOW;
	else
		*ret_raw = high * STEP_HIGH;
	return 0;
}

/* 0xffff: automatic, which is 100 ms. */
static int from_storm(uint64_t ms, uint64_t *ret_ns)
{
	*ret_ns = (ms == 0xffff ? 100 : ms) * 1000000;
	return 0;
}

static int to_storm(uint64_t ns, uint64_t *ret_ms)
{
	*ret_ms = (ns + 500000) / 1000000;
	return 0;
}

/* In milliseconds: where ethtool's tunable is not there. */
static const struct rt_name stall_words[] = {
	{ "auto", 100, NULL },
	{ "default", 8000, NULL },
	{ 0 },
};

static const struct rt_driver_row rows[] = {
	ROW(TRUST, word, BLIP, "mlnx_qos -i {net} --trust {value}", OFED,
	    .path = "/sys/class/net/{net}/qos/trust"),
	ROW(DSCP_PRIO, dscp, BLIP, DCB_DSCP, EN_DCBNL " mlx5e_dcbnl_ieee_setapp"),
	ROW(PFC_MASK, pfc, FLAP, "mlnx_qos -i {net} --pfc {bits}",
	    EN_DCBNL " mlx5e_dcbnl_ieee_setpfc: toggles the port"),
	FACT(PFC_CAP, pfc, EN_DCBNL),
	ROW(PFC_CABLE, pfc, BLIP, "mlnx_qos -i {net} --cable_len {value}",
	    EN_DCBNL ", en/port_buffer.h: metres", .scale = 1000, .min = 1, .max = 999),
	ROW(ETS_PRIO_TC, ets, LIVE, "mlnx_qos -i {net} -p {list}", EN_DCBNL),
	ROW(ETS_TSA, ets, LIVE, "mlnx_qos -i {net} -s {list}", EN_DCBNL),
	ROW(ETS_BW, ets, LIVE, "mlnx_qos -i {net} -t {list}", EN_DCBNL, .max = 100),
	FACT(ETS_CAP, ets, EN_DCBNL),
	ROW(MAX_RATE, maxrate, LIVE, DCB_RATE,
	    EN_DCBNL " mlx5e_dcbnl_ieee_setmaxrate: steps", .to_neutral = from_maxrate,
	    .to_raw = to_maxrate),
	ROW(PRIO_BUFFER, buffer, BLIP, "mlnx_qos -i {net} --prio2buffer {list}",
	    EN_DCBNL ", en/port_buffer.c", .max = 7),
	ROW(BUFFER_SIZE, buffer, BLIP, "mlnx_qos -i {net} --buffer_size {list}",
	    EN_DCBNL ", en/port_buffer.c"),
	FACT(BUFFER_TOTAL, buffer, EN_DCBNL),
	ROW(DCBX_OWNER, dcbx, LIVE, "mlnx_qos -i {net} --dcbx {value}",
	    EN_DCBNL " mlx5e_dcbnl_setdcbx", .to_neutral = from_mode,
	    .to_raw = to_mode),
	FACT(DCBX_MODE, dcbx, EN_DCBNL),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, "Linux mlx5/core/en_ethtool.c", BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, "Linux mlx5/core/en_ethtool.c", BIT),
	ROW(STORM_TIMEOUT, storm, LIVE,
	    "ethtool --set-tunable {net} pfc-prevention-tout {value}",
	    "Linux mlx5/core/en_ethtool.c", .to_neutral = from_storm,
	    .to_raw = to_storm, .min = 80, .max = 8000, .flags = RT_ROW_ZERO_OFF),
	ROW(STORM_TIMEOUT, word, LIVE, "echo auto >" STALL "    (or default)",
	    "MLNX_OFED en_sysfs.c", .path = STALL, .words = stall_words,
	    .to_neutral = from_storm, .to_raw = to_storm, .flags = RT_ROW_READ_ONLY),
	FILE_ROW(TCLASS, tclass, "/sys/class/infiniband/{ib}/tc/{port}/traffic_class",
		 "NVIDIA RoCE documentation (MLNX_OFED mlx5_ib)", .max = 255),
	RDMA_CM_ROWS,

	ROW(NP_ENABLE, prio_files, LIVE, EACH_PRIO(NP_SYSFS), OFED_CC,
	    .path = NP_SYSFS "enable/{prio}", .vendor = "roce_np/enable", BIT),
	ROW(RP_ENABLE, prio_files, LIVE, EACH_PRIO(RP_SYSFS), OFED_CC,
	    .path = RP_SYSFS "enable/{prio}", .vendor = "roce_rp/enable", BIT),
	CC(NP_CNP_INTERVAL, "np_min_time_between_cnps",
	   NP_SYSFS "min_time_between_cnps", US),
	CC(NP_CNP_DSCP, "np_cnp_dscp", NP_SYSFS "cnp_dscp", .max = 63),
	CC(NP_CNP_PRIO, "np_cnp_prio", NP_SYSFS "cnp_802p_prio", .max = 7),
	CC(RP_CLAMP_TARGET, "rp_clamp_tgt_rate", RP_SYSFS "clamp_tgt_rate", BIT),
	CC(RP_CLAMP_AFTER_TIMER, "rp_clamp_tgt_rate_ati",
	   RP_SYSFS "clamp_tgt_rate_after_time_inc", BIT),
	CC(RP_RATE_TIMER, "rp_time_reset", RP_SYSFS "rpg_time_reset", US, .min = 1,
	   .max = UINT32_MAX),
	CC(RP_BYTE_COUNTER, "rp_byte_reset", RP_SYSFS "rpg_byte_reset",
	   .max = UINT32_MAX),
	CC(RP_FAST_RECOVERY, "rp_threshold", RP_SYSFS "rpg_threshold", .max = 31),
	CC(RP_MAX_RATE, "rp_max_rate", RP_SYSFS "rpg_max_rate", MBPS,
	   .max = UINT32_MAX),
	CC(RP_AI, "rp_ai_rate", RP_SYSFS "rpg_ai_rate", MBPS, .min = 1,
	   .max = UINT32_MAX),
	CC(RP_HAI, "rp_hai_rate", RP_SYSFS "rpg_hai_rate", MBPS, .min = 1,
	   .max = UINT32_MAX),
	CC(RP_MIN_DEC, "rp_min_dec_fac", RP_SYSFS "rpg_min_dec_fac", PERCENT,
	   .max = 100),
	CC(RP_MIN_RATE, "rp_min_rate", RP_SYSFS "rpg_min_rate", MBPS, .min = 1,
	   .max = UINT32_MAX),
	CC(RP_FIRST_CNP_RATE, "rp_rate_to_set_on_first_cnp",
	   RP_SYSFS "rate_to_set_on_first_cnp", MBPS, .max = UINT32_MAX),
	CC(RP_G, "rp_dce_tcp_g", RP_SYSFS "dce_tcp_g", .to_neutral = from_g,
	   .to_raw = to_g, .max = 1023),
	CC(RP_ALPHA_TIMER, "rp_dce_tcp_rtt", RP_SYSFS "dce_tcp_rtt", US, .min = 1,
	   .max = 131071),
	CC(RP_REDUCE_GAP, "rp_rate_reduce_monitor_period",
	   RP_SYSFS "rate_reduce_monitor_period", US, .min = 1, .max = UINT32_MAX),
	CC(RP_INITIAL_ALPHA, "rp_initial_alpha_value", RP_SYSFS "initial_alpha_value",
	   OF_1024, .min = 1, .max = 1023),

	RAW("rp_gd", debugfs, DEBUG "rp_gd", CONG ": cut = alpha / 2^(gd - 10)",
	    .min = 10, .max = 11),
	RAW("rp_gd", sysfs, RP_SYSFS "rpg_gd", OFED_CC, .min = 10, .max = 11),
	/* After np_cnp_prio: writing that sets this to 0. */
	UNSURE("np_cnp_prio_mode", debugfs, DEBUG "np_cnp_prio_mode", CONG, BIT),
	RAW("rtt_resp_dscp", debugfs, DEBUG "rtt_resp_dscp", CONG, .max = 63),
	RAW("rtt_resp_dscp_valid", debugfs, DEBUG "rtt_resp_dscp_valid", CONG, BIT),
};

static void infer(struct rt_qos *qos)
{
	rt_infer_trust(qos);
	rt_infer_willing(qos);
	rt_knob_unknown(qos, RT_KNOB_BUFFER_AUTO,
			"the driver does not tell whether sizes were set by hand");
	if (!qos->knobs[RT_KNOB_CC_ALGORITHM].known)
		rt_knob_unknown(
			qos, RT_KNOB_CC_ALGORITHM,
			"the firmware decides: mlxconfig, ROCE_CC_ALGORITHM and "
			"ROCE_CC_LEGACY_DCQCN");
}

static void set_raw(struct rt_qos *qos, const char *name, uint64_t number)
{
	for (size_t i = 0; i < qos->raw_count; i++)
		if (qos->raw[i].known && strcmp(qos->raw[i].name, name) == 0)
			qos->raw[i].number = number;
}

static bool raw_differs(const struct rt_qos *a, const struct rt_qos *b,
			const char *name)
{
	const struct rt_raw_value *x = rt_qos_raw(a, name), *y = rt_qos_raw(b, name);

	return x && y && x->known && y->known && x->number != y->number;
}

/*
 * en_dcbnl.c mlx5e_build_tc_tx_bw: beside a class without a share stands 100, once
 * ETS is written.
 */
static void follow_shares(const struct rt_qos *have, struct rt_qos *target)
{
	const struct rt_knob_value *tsa = &target->knobs[RT_KNOB_ETS_TSA];
	const uint64_t differs = rt_knob_differs(&rt_knobs[RT_KNOB_ETS_TSA],
						 &have->knobs[RT_KNOB_ETS_TSA], tsa) |
				 rt_knob_differs(&rt_knobs[RT_KNOB_ETS_BW],
						 &have->knobs[RT_KNOB_ETS_BW],
						 &target->knobs[RT_KNOB_ETS_BW]);

	for (unsigned i = 0; i < 8; i++)
		if ((differs & tsa->known) >> i & 1 && tsa->number[i] != RT_TSA_ETS &&
		    target->knobs[RT_KNOB_ETS_BW].known >> i & 1)
			rt_knob_set(target, RT_KNOB_ETS_BW, i, 100);
}

/* cong.c: a fixed priority ends the derived one, a DSCP makes itself valid. */
static void follow(const struct rt_qos *have, struct rt_qos *target)
{
	if (rt_knob_differs(&rt_knobs[RT_KNOB_NP_CNP_PRIO],
			    &have->knobs[RT_KNOB_NP_CNP_PRIO],
			    &target->knobs[RT_KNOB_NP_CNP_PRIO]) &&
	    !raw_differs(have, target, "np_cnp_prio_mode"))
		set_raw(target, "np_cnp_prio_mode", 0);
	if (raw_differs(have, target, "rtt_resp_dscp") &&
	    !raw_differs(have, target, "rtt_resp_dscp_valid"))
		set_raw(target, "rtt_resp_dscp_valid", 1);
	follow_shares(have, target);
}

static bool touches_buffers(const struct rt_plan *plan)
{
	for (size_t i = 0; i < plan->change_count; i++)
		if (plan->changes[i].row->access == &rt_access_buffer)
			return true;
	return false;
}

/*
 * en/port_buffer.c: buffers follow PFC and cable until sizes are set by hand, which
 * lasts until the driver is loaded anew.
 */
static void note_buffers(struct rt_plan *plan)
{
	const bool by_hand = touches_buffers(plan);

	for (size_t i = 0; i < plan->change_count; i++) {
		struct rt_change *change = &plan->changes[i];

		if (change->row->access == &rt_access_buffer)
			rt_change_one_way(
				plan, change,
				"the driver stops reckoning buffers by itself "
				"until it is loaded anew");
		else if (change->row->access == &rt_access_pfc && !by_hand)
			snprintf(change->note, sizeof(change->note),
				 "the driver reckons its buffers anew, unless they "
				 "were set by hand");
	}
}

static int arrange(const struct rt_host_port *port, struct rt_plan *plan,
		   struct rt_err *err)
{
	note_buffers(plan);
	return rt_refuse_firmware_dcb(port, plan, "set host.dcbx.owner: host", err);
}

#define ETHTOOL_FROM "Linux mlx5/core/en_stats.c, mlx5/counters.rst"
#define RDMA_FROM                                               \
	"Linux drivers/infiniband/hw/mlx5/counters.c; NVIDIA, " \
	"Understanding mlx5 Linux counters"
#define WRAPS_32 .wraps = 32

/* Counters of queue pairs have 32 bits, those of congestion control 64. */
static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "rx_prio%_pause"),
	STAT(PFC_RX_NS, "rx_prio%_pause_duration", US),
	STAT(PFC_RX_TRANSITIONS, "rx_prio%_pause_transition"),
	STAT(PFC_TX_FRAMES, "tx_prio%_pause"),
	STAT(PFC_TX_NS, "tx_prio%_pause_duration", US),
	DCB_COUNTERS(EN_DCBNL),
	STAT(PAUSE_RX_FRAMES, "rx_pause_ctrl_phy"),
	STAT(PAUSE_RX_NS, "rx_global_pause_duration", US),
	STAT(PAUSE_RX_TRANSITIONS, "rx_global_pause_transition"),
	STAT(PAUSE_TX_FRAMES, "tx_pause_ctrl_phy"),
	STAT(PAUSE_TX_NS, "tx_global_pause_duration", US),
	STAT(STORM_WARNINGS, "tx_pause_storm_warning_events"),
	STAT(STORM_EVENTS, "tx_pause_storm_error_events"),
	STAT(RX_BYTES, "rx_prio%_bytes"),
	STAT(RX_BYTES, "rx_bytes_phy"),
	STAT(RX_FRAMES, "rx_prio%_packets"),
	STAT(RX_FRAMES, "rx_packets_phy"),
	STAT(TX_BYTES, "tx_prio%_bytes"),
	STAT(TX_BYTES, "tx_bytes_phy"),
	STAT(TX_FRAMES, "tx_prio%_packets"),
	STAT(TX_FRAMES, "tx_packets_phy"),
	STAT(RDMA_RX_BYTES,
	     "rx_vport_rdma_unicast_bytes+rx_vport_rdma_multicast_bytes"),
	STAT(RDMA_RX_FRAMES,
	     "rx_vport_rdma_unicast_packets+rx_vport_rdma_multicast_packets"),
	STAT(RDMA_TX_BYTES,
	     "tx_vport_rdma_unicast_bytes+tx_vport_rdma_multicast_bytes"),
	STAT(RDMA_TX_FRAMES,
	     "tx_vport_rdma_unicast_packets+tx_vport_rdma_multicast_packets"),
	/* Off until it is switched on; the other stays 0 on some firmware. */
	HW_COUNTER(CE_RX, "cc_rx_ce_pkts"),
	HW_COUNTER(CE_RX, "np_ecn_marked_roce_packets"),
	HW_COUNTER(CNP_TX, "np_cnp_sent"),
	HW_COUNTER(CNP_TX, "cc_tx_cnp_pkts"),
	HW_COUNTER(CNP_RX, "rp_cnp_handled+rp_cnp_ignored"),
	HW_COUNTER(CNP_RX, "cc_rx_cnp_pkts"),
	HW_COUNTER(CNP_HANDLED, "rp_cnp_handled"),
	HW_COUNTER(CNP_IGNORED, "rp_cnp_ignored"),
	HW_COUNTER(SLOW_RESTART_CNPS, "roce_slow_restart_cnps", WRAPS_32),
	STAT(NIC_MARKED, "rx_prio%_marked"),
	HW_COUNTER(OUT_OF_SEQUENCE, "out_of_sequence", WRAPS_32),
	HW_COUNTER(SEQ_NAKS_RX, "packet_seq_err", WRAPS_32),
	HW_COUNTER(IMPLIED_NAKS, "implied_nak_seq_err", WRAPS_32),
	HW_COUNTER(ACK_TIMEOUTS, "local_ack_timeout_err", WRAPS_32),
	HW_COUNTER(RETRY_EXCEEDED, "req_transport_retries_exceeded", WRAPS_32),
	HW_COUNTER(RNR_NAKS_RX, "rnr_nak_retry_err", WRAPS_32),
	HW_COUNTER(RNR_RETRY_EXCEEDED, "req_rnr_retries_exceeded", WRAPS_32),
	HW_COUNTER(DUPLICATES, "duplicate_request", WRAPS_32),
	HW_COUNTER(ADAPTIVE_RETRANS, "roce_adp_retrans", WRAPS_32),
	HW_COUNTER(OUT_OF_BUFFER, "out_of_buffer", WRAPS_32),
	STAT(RX_DISCARDS, "rx_prio%_discards"),
	STAT(RX_DISCARDS, "rx_discards_phy"),
	STAT(RX_BUFFER_DISCARDS, "rx_prio%_buf_discard"),
	STAT(RX_CONGESTION_DISCARDS, "rx_prio%_cong_discard"),
	STAT(TX_DISCARDS, "tx_discards_phy"),
	HW_COUNTER(ICRC_ERRORS, "rx_icrc_encapsulated"),
	STAT(CRC_ERRORS, "rx_crc_errors_phy"),
	STAT(SYMBOL_ERRORS, "rx_symbol_err_phy"),
	STAT(FEC_CORRECTED_BITS, "rx_corrected_bits_phy"),
	STAT(LINK_DOWNS, "link_down_events_phy"),
	STAT(BUFFER_PASSED, "rx_buffer_passed_thres_phy"),
	STAT(PCIE_STALLS, "outbound_pci_stalled_wr_events"),
	STAT(PCIE_READ_STALLS, "outbound_pci_stalled_rd_events"),
	STAT(PCIE_DISCARDS, "outbound_pci_buffer_overflow"),
	STAT(PCIE_ERRORS, "rx_pci_signal_integrity+tx_pci_signal_integrity"),
};

static const char *const kernel[] = { "mlx5_core", "mlx5_ib", NULL };

const struct rt_driver rt_driver_mlx5 = {
	.name = "mlx5",
	.kernel = kernel,
	.help = "NVIDIA ConnectX-4 and later",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.infer = infer,
	.follow = follow,
	.arrange = arrange,
};
