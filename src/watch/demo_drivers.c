/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo_drivers.c - which counters the drivers of the made-up host have, and their names.
 *
 * Names: Linux mlx5/core/en_stats.c and drivers/infiniband/hw/mlx5/counters.c;
 * bnxt/bnxt_ethtool.c and bnxt_re/hw_counters.c; ice/ice_ethtool.c and irdma/verbs.c;
 * sw/rxe/rxe_hw_counters.c; ABI/stable/sysfs-class-infiniband.  Rows are in the order of
 * the catalogue.
 */
#include "watch/demo_drivers.h"

#include "base/own.h"

#define ROW(counter_, source_, prios_, name_, ...)                               \
	{                                                                        \
		.counter = RT_COUNTER_##counter_, .source = RT_SOURCE_##source_, \
		.prios = RT_DEMO_OF_##prios_, .name = (name_), ##__VA_ARGS__     \
	}
#define STAT(counter_, name_, ...) ROW(counter_, ETHTOOL, PORT, name_, ##__VA_ARGS__)
#define PRIO(counter_, name_, ...) ROW(counter_, ETHTOOL, ALL, name_, ##__VA_ARGS__)
#define PFC(counter_, name_, ...)  ROW(counter_, ETHTOOL, LOSSLESS, name_, ##__VA_ARGS__)
#define RDMA(counter_, name_, ...) ROW(counter_, RDMA, PORT, name_, ##__VA_ARGS__)
#define PMA(counter_, name_, ...)  ROW(counter_, PMA, PORT, name_, ##__VA_ARGS__)
#define DCB(counter_, name_)       ROW(counter_, DCB, ALL, name_)
#define NET(counter_, name_)       ROW(counter_, NETDEV, PORT, name_)
#define US                         .scale = 1000
#define WRAPS                      .bits = 32

#define NET_ROWS                                                                      \
	NET(NETDEV_RX_BYTES, "rx_bytes"), NET(NETDEV_RX_PACKETS, "rx_packets"),       \
		NET(NETDEV_RX_DROPPED, "rx_dropped"),                                 \
		NET(NETDEV_RX_ERRORS, "rx_errors"), NET(NETDEV_TX_BYTES, "tx_bytes"), \
		NET(NETDEV_TX_PACKETS, "tx_packets"),                                 \
		NET(NETDEV_TX_DROPPED, "tx_dropped"),                                 \
		NET(NETDEV_TX_ERRORS, "tx_errors")

static const struct rt_demo_row mlx5_rows[] = {
	PFC(PFC_RX_FRAMES, "rx_prio%_pause"),
	DCB(PFC_RX_FRAMES, "indications[%]"),
	PFC(PFC_RX_NS, "rx_prio%_pause_duration", US),
	PFC(PFC_RX_TRANSITIONS, "rx_prio%_pause_transition"),
	PFC(PFC_TX_FRAMES, "tx_prio%_pause"),
	DCB(PFC_TX_FRAMES, "requests[%]"),
	PFC(PFC_TX_NS, "tx_prio%_pause_duration", US),
	STAT(PAUSE_RX_FRAMES, "rx_pause_ctrl_phy"),
	STAT(PAUSE_TX_FRAMES, "tx_pause_ctrl_phy"),
	STAT(STORM_WARNINGS, "tx_pause_storm_warning_events"),
	STAT(STORM_EVENTS, "tx_pause_storm_error_events"),
	PRIO(RX_BYTES, "rx_prio%_bytes"),
	STAT(RX_BYTES, "rx_bytes_phy"),
	PRIO(RX_FRAMES, "rx_prio%_packets"),
	STAT(RX_FRAMES, "rx_packets_phy"),
	PRIO(TX_BYTES, "tx_prio%_bytes"),
	STAT(TX_BYTES, "tx_bytes_phy"),
	PRIO(TX_FRAMES, "tx_prio%_packets"),
	STAT(TX_FRAMES, "tx_packets_phy"),
	STAT(RDMA_RX_BYTES,
	     "rx_vport_rdma_unicast_bytes+rx_vport_rdma_multicast_bytes"),
	STAT(RDMA_RX_FRAMES,
	     "rx_vport_rdma_unicast_packets+rx_vport_rdma_multicast_packets"),
	STAT(RDMA_TX_BYTES,
	     "tx_vport_rdma_unicast_bytes+tx_vport_rdma_multicast_bytes"),
	STAT(RDMA_TX_FRAMES,
	     "tx_vport_rdma_unicast_packets+tx_vport_rdma_multicast_packets"),
	RDMA(CE_RX, "np_ecn_marked_roce_packets"),
	RDMA(CNP_TX, "np_cnp_sent"),
	RDMA(CNP_RX, "rp_cnp_handled+rp_cnp_ignored"),
	RDMA(CNP_HANDLED, "rp_cnp_handled"),
	RDMA(CNP_IGNORED, "rp_cnp_ignored"),
	RDMA(SLOW_RESTART_CNPS, "roce_slow_restart_cnps", WRAPS),
	PRIO(NIC_MARKED, "rx_prio%_marked"),
	RDMA(OUT_OF_SEQUENCE, "out_of_sequence", WRAPS),
	RDMA(SEQ_NAKS_RX, "packet_seq_err", WRAPS),
	RDMA(IMPLIED_NAKS, "implied_nak_seq_err", WRAPS),
	RDMA(ACK_TIMEOUTS, "local_ack_timeout_err", WRAPS),
	RDMA(RETRY_EXCEEDED, "req_transport_retries_exceeded", WRAPS),
	RDMA(RNR_NAKS_RX, "rnr_nak_retry_err", WRAPS),
	RDMA(RNR_RETRY_EXCEEDED, "req_rnr_retries_exceeded", WRAPS),
	RDMA(DUPLICATES, "duplicate_request", WRAPS),
	RDMA(ADAPTIVE_RETRANS, "roce_adp_retrans", WRAPS),
	RDMA(OUT_OF_BUFFER, "out_of_buffer", WRAPS),
	PRIO(RX_DISCARDS, "rx_prio%_discards"),
	STAT(RX_DISCARDS, "rx_discards_phy"),
	PRIO(RX_BUFFER_DISCARDS, "rx_prio%_buf_discard"),
	PRIO(RX_CONGESTION_DISCARDS, "rx_prio%_cong_discard"),
	STAT(TX_DISCARDS, "tx_discards_phy"),
	RDMA(ICRC_ERRORS, "rx_icrc_encapsulated"),
	STAT(CRC_ERRORS, "rx_crc_errors_phy"),
	STAT(SYMBOL_ERRORS, "rx_symbol_err_phy"),
	STAT(LINK_DOWNS, "link_down_events_phy"),
	STAT(BUFFER_PASSED, "rx_buffer_passed_thres_phy"),
	STAT(PCIE_STALLS, "outbound_pci_stalled_wr_events"),
	PMA(XMIT_WAIT, "port_xmit_wait", WRAPS),
	NET_ROWS,
};

static const struct rt_demo_row bnxt_rows[] = {
	PRIO(PFC_RX_FRAMES, "rx_pfc_ena_frames_pri%"),
	STAT(PFC_RX_FRAMES, "rx_pfc_frames"),
	PRIO(PFC_RX_NS, "pfc_pri%_rx_duration_us", US),
	PRIO(PFC_RX_TRANSITIONS, "pfc_pri%_rx_transitions"),
	PRIO(PFC_TX_FRAMES, "tx_pfc_ena_frames_pri%"),
	STAT(PFC_TX_FRAMES, "tx_pfc_frames"),
	PRIO(PFC_TX_NS, "pfc_pri%_tx_duration_us", US),
	PRIO(PFC_TX_TRANSITIONS, "pfc_pri%_tx_transitions"),
	STAT(PAUSE_RX_FRAMES, "rx_pause_frames"),
	STAT(PAUSE_TX_FRAMES, "tx_pause_frames"),
	STAT(STORM_WARNINGS, "continuous_pause_events"),
	STAT(STORM_EVENTS, "continuous_roce_pause_events"),
	PRIO(RX_BYTES, "rx_bytes_pri%"),
	STAT(RX_BYTES, "rx_bytes"),
	PRIO(RX_FRAMES, "rx_packets_pri%"),
	STAT(RX_FRAMES, "rx_total_frames"),
	PRIO(TX_BYTES, "tx_bytes_pri%"),
	STAT(TX_BYTES, "tx_bytes"),
	PRIO(TX_FRAMES, "tx_packets_pri%"),
	STAT(TX_FRAMES, "tx_total_frames"),
	RDMA(RDMA_RX_BYTES, "rx_bytes"),
	RDMA(RDMA_RX_FRAMES, "rx_pkts"),
	RDMA(RDMA_TX_BYTES, "tx_bytes"),
	RDMA(RDMA_TX_FRAMES, "tx_pkts"),
	RDMA(CE_RX, "rx_ecn_marked_pkts"),
	RDMA(CNP_TX, "tx_cnp_pkts"),
	RDMA(CNP_RX, "rx_cnp_pkts"),
	RDMA(OUT_OF_SEQUENCE, "oos_drop_count"),
	RDMA(SEQ_NAKS_RX, "seq_err_naks_rcvd"),
	RDMA(ACK_TIMEOUTS, "to_retransmits"),
	RDMA(RETRY_EXCEEDED, "max_retry_exceeded"),
	RDMA(RNR_NAKS_RX, "rnr_naks_rcvd"),
	RDMA(DUPLICATES, "dup_req"),
	RDMA(OUT_OF_BUFFER, "rx_out_of_buffer"),
	STAT(RX_DISCARDS, "rx_stat_discard"),
	STAT(TX_DISCARDS, "tx_stat_discard"),
	RDMA(RDMA_RX_DISCARDS, "rx_roce_discards"),
	RDMA(RDMA_TX_DISCARDS, "tx_roce_discards"),
	STAT(CRC_ERRORS, "rx_fcs_err_frames"),
	STAT(SYMBOL_ERRORS, "rx_pcs_symbol_err"),
	STAT(FEC_UNCORRECTABLE, "rx_fec_uncorrectable_blocks"),
	STAT(LINK_DOWNS, "link_down_events"),
	STAT(BUFFER_PASSED, "rx_buffer_passed_threshold"),
	NET_ROWS,
};

static const struct rt_demo_row irdma_rows[] = {
	PRIO(PFC_RX_FRAMES, "rx_priority_%_xoff.nic"),
	PRIO(PFC_TX_FRAMES, "tx_priority_%_xoff.nic"),
	STAT(PAUSE_RX_FRAMES, "link_xoff_rx.nic"),
	STAT(PAUSE_TX_FRAMES, "link_xoff_tx.nic"),
	STAT(RX_BYTES, "rx_bytes.nic"),
	STAT(RX_FRAMES, "rx_unicast.nic+rx_multicast.nic+rx_broadcast.nic"),
	STAT(TX_BYTES, "tx_bytes.nic"),
	STAT(TX_FRAMES, "tx_unicast.nic+tx_multicast.nic+tx_broadcast.nic"),
	RDMA(RDMA_RX_FRAMES, "RxUDP"),
	RDMA(RDMA_TX_FRAMES, "TxUDP"),
	RDMA(CE_RX, "RxECNMrkd"),
	RDMA(CNP_TX, "cnpSent"),
	RDMA(CNP_RX, "cnpHandled+cnpIgnored"),
	RDMA(CNP_HANDLED, "cnpHandled"),
	RDMA(CNP_IGNORED, "cnpIgnored"),
	STAT(RX_DISCARDS, "rx_dropped.nic"),
	STAT(CRC_ERRORS, "rx_crc_errors.nic"),
	NET_ROWS,
};

/* Software RoCE: the kernel's counters are all there is, RDMA included. */
static const struct rt_demo_row rxe_rows[] = {
	NET(RX_BYTES, "rx_bytes"),
	NET(RX_FRAMES, "rx_packets"),
	NET(TX_BYTES, "tx_bytes"),
	NET(TX_FRAMES, "tx_packets"),
	RDMA(RDMA_RX_FRAMES, "rcvd_pkts"),
	RDMA(RDMA_TX_FRAMES, "sent_pkts"),
	RDMA(OUT_OF_SEQUENCE, "out_of_seq_request"),
	RDMA(SEQ_NAKS_RX, "rcvd_seq_err"),
	RDMA(RNR_NAKS_RX, "rcvd_rnr_err"),
	RDMA(RNR_NAKS_TX, "send_rnr_err"),
	RDMA(DUPLICATES, "duplicate_request"),
	NET(RX_DISCARDS, "rx_dropped"),
	NET(TX_DISCARDS, "tx_dropped"),
};

#define DRIVER(variable, name_, rows_, refresh, ...) \
	const struct rt_demo_driver variable = {     \
		.name = (name_),                     \
		.rows = (rows_),                     \
		.count = RT_ARRAY_SIZE(rows_),       \
		.refresh_ms = (refresh),             \
		.cost_us = { __VA_ARGS__ },          \
	}
DRIVER(rt_demo_mlx5, "mlx5", mlx5_rows,
       0, [RT_SOURCE_ETHTOOL] = 870, [RT_SOURCE_RDMA] = 310, [RT_SOURCE_PMA] = 95,
       [RT_SOURCE_DCB] = 40, [RT_SOURCE_NETDEV] = 12);
/* Its firmware hands over its figures once a second. */
DRIVER(rt_demo_bnxt, "bnxt_re", bnxt_rows, 1000, [RT_SOURCE_ETHTOOL] = 420,
       [RT_SOURCE_RDMA] = 260, [RT_SOURCE_NETDEV] = 12);
DRIVER(rt_demo_irdma, "irdma", irdma_rows,
       0, [RT_SOURCE_ETHTOOL] = 380, [RT_SOURCE_RDMA] = 150, [RT_SOURCE_NETDEV] = 12);
DRIVER(rt_demo_rxe, "rxe", rxe_rows, 0, [RT_SOURCE_RDMA] = 20, [RT_SOURCE_NETDEV] = 12);
/* Of a port that nobody may read. */
const struct rt_demo_driver rt_demo_hns = { .name = "hns_roce" };
