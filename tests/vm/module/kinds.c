// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * All that differs between the drivers which rtnic can pass for, as tables.
 *
 * Names and numbers: drivers/net/ethernet/{mellanox,broadcom/bnxt,intel/ice} (DCB
 * operations, counters, flags) and drivers/infiniband/hw/{mlx5,mlx4,bnxt_re,irdma}
 * (counters, debugfs) of Linux 6.12; bnxt_re's debugfs of later kernels; ranges of the
 * mlx5 parameters: NVIDIA DOCA, "DCQCN CC Parameters".
 */
#include "rtnic.h"

/* mlx5/core/en_stats.c */
static const struct rtnic_stat mlx5_stats[] = {
	{ "rx_prio%u_bytes", RTNIC_RX_BYTES },
	{ "rx_prio%u_packets", RTNIC_RX_PACKETS },
	{ "rx_prio%u_discards", RTNIC_RX_DISCARDS },
	{ "tx_prio%u_bytes", RTNIC_TX_BYTES },
	{ "tx_prio%u_packets", RTNIC_TX_PACKETS },
	{ "rx_prio%u_pause", RTNIC_RX_PAUSE, RTNIC_WITH_PFC },
	{ "rx_prio%u_pause_duration", RTNIC_RX_PAUSE_US, RTNIC_WITH_PFC },
	{ "tx_prio%u_pause", RTNIC_TX_PAUSE, RTNIC_WITH_PFC },
	{ "tx_prio%u_pause_duration", RTNIC_TX_PAUSE_US, RTNIC_WITH_PFC },
	{ "rx_prio%u_pause_transition", RTNIC_RX_TRANSITIONS, RTNIC_WITH_PFC },
	{ "rx_pause_ctrl_phy", RTNIC_RX_PAUSE_PHY },
	{ "tx_pause_ctrl_phy", RTNIC_TX_PAUSE_PHY },
	{ "rx_discards_phy", RTNIC_RX_DISCARDS_PHY },
	{ "rx_global_pause", RTNIC_RX_GLOBAL_PAUSE, RTNIC_WITH_PAUSE },
	{ "tx_global_pause", RTNIC_TX_GLOBAL_PAUSE, RTNIC_WITH_PAUSE },
	{ "tx_pause_storm_warning_events", RTNIC_STORM_WARNINGS },
	{ "tx_pause_storm_error_events", RTNIC_STORM_ERRORS },
	{}
};

/* mlx4/en_ethtool.c */
static const struct rtnic_stat mlx4_stats[] = {
	{ "rx_prio_%u_packets", RTNIC_RX_PACKETS },
	{ "rx_prio_%u_bytes", RTNIC_RX_BYTES },
	{ "tx_prio_%u_packets", RTNIC_TX_PACKETS },
	{ "tx_prio_%u_bytes", RTNIC_TX_BYTES },
	{ "rx_pause_prio_%u", RTNIC_RX_PAUSE, RTNIC_WITH_PFC },
	{ "rx_pause_duration_prio_%u", RTNIC_RX_PAUSE_US, RTNIC_WITH_PFC },
	{ "rx_pause_transition_prio_%u", RTNIC_RX_TRANSITIONS, RTNIC_WITH_PFC },
	{ "tx_pause_prio_%u", RTNIC_TX_PAUSE, RTNIC_WITH_PFC },
	{ "tx_pause_duration_prio_%u", RTNIC_TX_PAUSE_US, RTNIC_WITH_PFC },
	{ "rx_pause", RTNIC_RX_GLOBAL_PAUSE, RTNIC_WITH_PAUSE },
	{ "tx_pause", RTNIC_TX_GLOBAL_PAUSE, RTNIC_WITH_PAUSE },
	{}
};

/* bnxt_ethtool.c */
static const struct rtnic_stat bnxt_stats[] = {
	{ "rx_bytes_pri%u", RTNIC_RX_BYTES },
	{ "rx_packets_pri%u", RTNIC_RX_PACKETS },
	{ "tx_bytes_pri%u", RTNIC_TX_BYTES },
	{ "tx_packets_pri%u", RTNIC_TX_PACKETS },
	{ "rx_pfc_ena_frames_pri%u", RTNIC_RX_PAUSE },
	{ "tx_pfc_ena_frames_pri%u", RTNIC_TX_PAUSE },
	{ "pfc_pri%u_rx_duration_us", RTNIC_RX_PAUSE_US },
	{ "pfc_pri%u_rx_transitions", RTNIC_RX_TRANSITIONS },
	{ "pfc_pri%u_tx_duration_us", RTNIC_TX_PAUSE_US },
	{ "rx_pause_frames", RTNIC_RX_PAUSE_PHY },
	{ "tx_pause_frames", RTNIC_TX_PAUSE_PHY },
	{ "rx_stat_discard", RTNIC_RX_DISCARDS_PHY },
	{}
};

/* ice_ethtool.c */
static const struct rtnic_stat ice_stats[] = {
	{ "tx_priority_%u_xon.nic", RTNIC_TX_XON },
	{ "tx_priority_%u_xoff.nic", RTNIC_TX_PAUSE },
	{ "rx_priority_%u_xon.nic", RTNIC_RX_XON },
	{ "rx_priority_%u_xoff.nic", RTNIC_RX_PAUSE },
	{ "link_xoff_rx.nic", RTNIC_RX_PAUSE_PHY },
	{ "link_xoff_tx.nic", RTNIC_TX_PAUSE_PHY },
	{ "rx_dropped.nic", RTNIC_RX_DISCARDS_PHY },
	{}
};

static const struct rtnic_knob mlx5_knobs[] = {
	{ "rp_clamp_tgt_rate", 0, 0, 1 },
	{ "rp_clamp_tgt_rate_ati", 1, 0, 1 },
	{ "rp_time_reset", 300, 1, U32_MAX },
	{ "rp_byte_reset", 32767, 0, U32_MAX },
	{ "rp_threshold", 1, 0, 31 },
	{ "rp_ai_rate", 5, 1, 400000 },
	{ "rp_max_rate", 0, 0, 400000 },
	{ "rp_hai_rate", 50, 1, 400000 },
	{ "rp_min_dec_fac", 50, 0, 100 },
	{ "rp_min_rate", 1, 1, 400000 },
	{ "rp_rate_to_set_on_first_cnp", 0, 0, 400000 },
	{ "rp_dce_tcp_g", 1019, 0, 1023 },
	{ "rp_dce_tcp_rtt", 1, 1, 131071 },
	{ "rp_rate_reduce_monitor_period", 4, 1, U32_MAX },
	{ "rp_initial_alpha_value", 1023, 1, 1023 },
	{ "rp_gd", 11, 10, 11 },
	{ "np_min_time_between_cnps", 4, 0, U32_MAX },
	{ "np_cnp_dscp", 48, 0, 63 },
	{ "np_cnp_prio_mode", 1, 0, 1 },
	{ "np_cnp_prio", 6, 0, 7, "np_cnp_prio_mode", 0 },
	{ "rtt_resp_dscp_valid", 0, 0, 1 },
	{ "rtt_resp_dscp", 0, 0, 63, "rtt_resp_dscp_valid", 1 },
	{}
};

/* tx_queue can be neither read nor written: no value lies between its bounds. */
static const struct rtnic_knob bnxt_knobs[] = { { "enable_cc", 1, 0, 1 },
						{ "run_avg_weight_g", 8, 0, 15 },
						{ "num_phase_per_state", 5, 0, 15 },
						{ "init_cr", 200, 0, 16383 },
						{ "init_tr", 1000, 0, 16383 },
						{ "tos_ecn", 1, 0, 3 },
						{ "tos_dscp", 0, 0, 63 },
						{ "alt_vlan_pcp", 7, 0, 7 },
						{ "alt_vlan_dscp", 48, 0, 63 },
						{ "rtt", 40, 0, 16383 },
						{ "cc_mode", 1, 0, 1 },
						{ "tcp_cp", 0, 0, 65535 },
						{ "tx_queue", 0, 1, 0 },
						{ "inactivity_cp", 10000, 0, 65535 },
						{} };

static const struct rdma_stat_desc mlx5_counters[] = {
	{ .name = "rx_write_requests" },
	{ .name = "rx_read_requests" },
	{ .name = "out_of_buffer" },
	{ .name = "out_of_sequence" },
	{ .name = "duplicate_request" },
	{ .name = "rnr_nak_retry_err" },
	{ .name = "packet_seq_err" },
	{ .name = "implied_nak_seq_err" },
	{ .name = "local_ack_timeout_err" },
	{ .name = "req_transport_retries_exceeded" },
	{ .name = "roce_adp_retrans" },
	{ .name = "roce_slow_restart" },
	{ .name = "rp_cnp_ignored" },
	{ .name = "rp_cnp_handled" },
	{ .name = "np_ecn_marked_roce_packets" },
	{ .name = "np_cnp_sent" },
	{ .name = "rx_icrc_encapsulated" },
};

static const struct rdma_stat_desc mlx4_counters[] = {
	{ .name = "rq_num_oos" },  { .name = "sq_num_oos" }, { .name = "rq_num_dup" },
	{ .name = "sq_num_to" },   { .name = "sq_num_rnr" }, { .name = "sq_num_tree" },
	{ .name = "sq_num_rree" }, { .name = "num_cqovf" },
};

static const struct rdma_stat_desc bnxt_counters[] = {
	{ .name = "tx_cnp_pkts" },        { .name = "rx_cnp_pkts" },
	{ .name = "rx_ecn_marked_pkts" }, { .name = "oos_drop_count" },
	{ .name = "to_retransmits" },     { .name = "seq_err_naks_rcvd" },
	{ .name = "rnr_naks_rcvd" },      { .name = "rx_out_of_buffer" },
};

static const struct rdma_stat_desc ice_counters[] = {
	{ .name = "cnpHandled" }, { .name = "cnpIgnored" }, { .name = "cnpSent" },
	{ .name = "RxECNMrkd" },  { .name = "RxUDP" },      { .name = "TxUDP" },
};

#define COUNTERS(table) .counters = table, .counter_count = ARRAY_SIZE(table)

const struct rtnic_kind rtnic_kinds[] = {
	{
		.name = "mlx5",
		.driver = "mlx5_core",
		.rdma = "mlx5_%d",
		.firmware = "28.39.1002 (MT_0000000838)",
		.vendor = PCI_VENDOR_ID_MELLANOX,
		.device = 0x1021, /* ConnectX-7 */
		.vf_device = 0x101e,
		.rules = &rtnic_mlx5_rules,
		.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE |
			DCB_CAP_DCBX_VER_IEEE,
		.fw_dcbx = DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE,
		.lossless = 8,
		.classes = 8,
		.pause = true,
		.vendor_ets = true,
		.stats = mlx5_stats,
		.knob_root = "mlx5",
		.knob_folder = "cc_params",
		.knobs = mlx5_knobs,
		.ofed = true,
		COUNTERS(mlx5_counters),
	},
	{
		.name = "mlx4",
		.driver = "mlx4_core",
		.rdma = "mlx4_%d",
		.firmware = "2.42.5000",
		.vendor = PCI_VENDOR_ID_MELLANOX,
		.device = 0x1007, /* ConnectX-3 Pro */
		.rules = &rtnic_mlx4_rules,
		.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE,
		.fw_dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE,
		.lossless = 8,
		.classes = 8,
		.pause = true,
		.stats = mlx4_stats,
		COUNTERS(mlx4_counters),
	},
	{
		.name = "bnxt",
		.driver = "bnxt_en",
		.rdma = "bnxt_re%d",
		.firmware = "229.0.154.0/pkg 229.1.123.0",
		.vendor = PCI_VENDOR_ID_BROADCOM,
		.device = 0x1760, /* BCM57608 */
		.rules = &rtnic_bnxt_rules,
		.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE,
		.fw_dcbx = DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE,
		.lossless = 2,
		.classes = 8,
		.blank_until_set = true,
		.stats = bnxt_stats,
		.knob_root = "bnxt_re",
		.knob_folder = "cc_config",
		.knobs = bnxt_knobs,
		.knobs_lie = true,
		COUNTERS(bnxt_counters),
	},
	{
		.name = "ice",
		.driver = "ice",
		.rdma = "irdma%d",
		.firmware = "4.40 0x8001c7d4 1.3534.0",
		.vendor = PCI_VENDOR_ID_INTEL,
		.device = 0x1592, /* E810-C */
		.rules = &rtnic_ice_rules,
		.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE,
		.fw_dcbx = DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE,
		.lossless = 8,
		.classes = 4,
		.stats = ice_stats,
		COUNTERS(ice_counters),
	},
};
const unsigned int rtnic_kind_count = ARRAY_SIZE(rtnic_kinds);
