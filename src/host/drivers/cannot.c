/* SPDX-License-Identifier: BSD-2-Clause */
/* cannot.c - RDMA devices on which nothing can be tuned from the host, and why. */
#include "host/drivers/drivers.h"

/* --- their counters ---------------------------------------------------------------------- */

#define ETHTOOL_FROM "Linux i40e/i40e_ethtool.c"
/* Frames that let go (XON) are left out: they stop nobody. */
static const struct rt_counter_row i40e_counters[] = {
	STAT(PFC_RX_FRAMES, "port.rx_priority_%_xoff_rx"),
	STAT(PFC_RX_TRANSITIONS, "port.rx_priority_%_xon_2_xoff"),
	STAT(PFC_TX_FRAMES, "port.tx_priority_%_xoff_tx"),
	DCB_COUNTERS("Linux i40e/i40e_dcb_nl.c"),
	STAT(PAUSE_RX_FRAMES, "port.link_xoff_rx"),
	STAT(PAUSE_TX_FRAMES, "port.link_xoff_tx"),
	STAT(RX_BYTES, "port.rx_bytes"),
	STAT(TX_BYTES, "port.tx_bytes"),
	STAT(RX_DISCARDS, "port.rx_dropped"),
	STAT(CRC_ERRORS, "port.rx_crc_errors"),
};
#undef ETHTOOL_FROM

#define RDMA_FROM "Linux drivers/infiniband/hw/efa/efa_verbs.c"
static const struct rt_counter_row efa_counters[] = {
	HW_COUNTER(RDMA_RX_BYTES, "rx_bytes"),    HW_COUNTER(RDMA_RX_FRAMES, "rx_pkts"),
	HW_COUNTER(RDMA_TX_BYTES, "tx_bytes"),    HW_COUNTER(RDMA_TX_FRAMES, "tx_pkts"),
	HW_COUNTER(RDMA_RX_DISCARDS, "rx_drops"),
};
#undef RDMA_FROM

#define RDMA_FROM "Linux drivers/infiniband/hw/erdma/erdma_verbs.c"
static const struct rt_counter_row erdma_counters[] = {
	HW_COUNTER(RDMA_RX_BYTES, "rx_bytes_cnt"),
	HW_COUNTER(RDMA_RX_FRAMES, "rx_packets_cnt"),
	HW_COUNTER(RDMA_RX_DISCARDS,
		   "rx_bps_limit_drop_cnt+rx_pps_limit_drop_cnt+rx_disable_drop_cnt"),
	HW_COUNTER(RDMA_TX_BYTES, "tx_bytes_cnt"),
	HW_COUNTER(RDMA_TX_FRAMES, "tx_packets_cnt"),
	HW_COUNTER(RDMA_TX_DISCARDS,
		   "tx_bps_limit_drop_cnt+tx_pps_limit_drop_cnt+tx_disable_drop_cnt"),
};
#undef RDMA_FROM

#define RDMA_FROM "Linux drivers/infiniband/hw/mana/counters.c"
static const struct rt_counter_row mana_counters[] = {
	HW_COUNTER(CNP_RX, "received_cnps"),
	COUNTER(CNP_TX, DEVICE, "sent_cnps", .from = RDMA_FROM),
	COUNTER(CE_RX, DEVICE, "received_ecns", .from = RDMA_FROM),
	HW_COUNTER(OUT_OF_SEQUENCE, "responder_oos"),
	HW_COUNTER(SEQ_NAKS_RX, "requester_oos_nak"),
	HW_COUNTER(IMPLIED_NAKS, "requester_implicit_nak"),
	HW_COUNTER(ACK_TIMEOUTS, "requester_timeout"),
	HW_COUNTER(RETRY_EXCEEDED, "requester_retries_exceeded"),
	HW_COUNTER(RNR_NAKS_RX, "requester_rnr_nak"),
	HW_COUNTER(RNR_NAKS_TX, "responder_rnr_nak"),
	HW_COUNTER(RNR_RETRY_EXCEEDED, "requester_rnr_nak_retries_exceeded"),
	HW_COUNTER(DUPLICATES, "responder_dup_request"),
};
#undef RDMA_FROM

#define RDMA_FROM "Linux drivers/infiniband/sw/rxe/rxe_hw_counters.c"
static const struct rt_counter_row rxe_counters[] = {
	HW_COUNTER(RDMA_RX_FRAMES, "rcvd_pkts"),
	HW_COUNTER(RDMA_TX_FRAMES, "sent_pkts"),
	HW_COUNTER(OUT_OF_SEQUENCE, "out_of_seq_request"),
	HW_COUNTER(SEQ_NAKS_RX, "rcvd_seq_err"),
	HW_COUNTER(RETRY_EXCEEDED, "retry_exceeded_err"),
	HW_COUNTER(RNR_NAKS_RX, "rcvd_rnr_err"),
	HW_COUNTER(RNR_NAKS_TX, "send_rnr_err"),
	HW_COUNTER(RNR_RETRY_EXCEEDED, "retry_rnr_exceeded_err"),
	HW_COUNTER(DUPLICATES, "duplicate_request"),
	HW_COUNTER(LINK_DOWNS, "link_downed"),
};
#undef RDMA_FROM

static const struct rt_counter_row siw_counters[] = {};

/* --- drivers ----------------------------------------------------------------------------- */

#define CANNOT(variable, name_, help_, cannot_, ...)                          \
	static const char *const variable##_kernel[] = { __VA_ARGS__, NULL }; \
	const struct rt_driver rt_driver_##variable = {                       \
		.name = (name_),                                              \
		.kernel = variable##_kernel,                                  \
		.help = (help_),                                              \
		.cannot = (cannot_),                                          \
		COUNTERS(variable##_counters),                                \
	}

CANNOT(i40e, "i40e", "Intel X722",
       "iWARP runs over the adapter's TCP: there is no RoCE congestion control",
       "i40e");
CANNOT(efa, "efa", "AWS Elastic Fabric Adapter",
       "its transport (SRD) does congestion control in the card, which has no "
       "settings; "
       "counters only",
       "efa");
CANNOT(erdma, "erdma", "Alibaba Elastic RDMA",
       "the card chooses its congestion control and tells which; it has no settings",
       "erdma");
CANNOT(mana, "mana", "Microsoft Azure Network Adapter",
       "the cloud's host sets PFC, ECN and congestion control; the driver has no "
       "settings",
       "mana", "mana_ib");
CANNOT(rxe, "rxe", "software RoCE",
       "it sends no CNP and reacts to none: there is no congestion control to tune",
       "rdma_rxe", "rxe");
CANNOT(siw, "siw", "software iWARP",
       "it runs over the kernel's TCP: sysctl net.ipv4.tcp_congestion_control", "siw");
