/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mlx4.c - NVIDIA ConnectX-3.  DCB but no trust and no DCQCN; PFC and 802.3x pause
 * exclude each other, and each silently clears the other.
 */
#include "host/drivers/drivers.h"

#define DCB_NL  "Linux mlx4/en_dcb_nl.c"
#define ETHTOOL "Linux mlx4/en_ethtool.c"

static const struct rt_driver_row rows[] = {
	ROW(PFC_MASK, pfc, LIVE, DCB_PFC, DCB_NL),
	FACT(PFC_CAP, pfc, DCB_NL),
	ROW(ETS_PRIO_TC, ets, LIVE, DCB_PRIO_TC, DCB_NL),
	ROW(ETS_TSA, ets, LIVE, DCB_TSA, DCB_NL),
	ROW(ETS_BW, ets, LIVE, DCB_BW, DCB_NL, .max = 100),
	FACT(ETS_CAP, ets, DCB_NL),
	ROW(MAX_RATE, maxrate, LIVE, DCB_RATE, DCB_NL),
	FACT(DCBX_OWNER, dcbx, DCB_NL, .to_neutral = rt_conv_from_mode),
	FACT(DCBX_MODE, dcbx, DCB_NL),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, ETHTOOL, BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, ETHTOOL, BIT),
	RDMA_CM_ROWS,
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_TRUST,
	  "ConnectX-3 classifies by VLAN priority; the driver sets no map" },
	{ RT_GROUP_BUFFER, "the driver has no buffers to set" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ RT_GROUP_CC, "the driver has QCN and no DCQCN" },
	{ 0 },
};

#define ETHTOOL_FROM "Linux mlx4/en_ethtool.c"
#define RDMA_FROM    "Linux drivers/infiniband/hw/mlx4/main.c: 32 bits (diag_rprt)"

static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "rx_pause_prio_%"),
	STAT(PFC_RX_NS, "rx_pause_duration_prio_%", US),
	STAT(PFC_RX_TRANSITIONS, "rx_pause_transition_prio_%"),
	STAT(PAUSE_RX_FRAMES, "rx_pause"),
	STAT(PAUSE_RX_NS, "rx_pause_duration", US),
	STAT(PAUSE_RX_TRANSITIONS, "rx_pause_transition"),
	STAT(RX_BYTES, "rx_prio_%_bytes"),
	STAT(RX_FRAMES, "rx_prio_%_packets"),
	STAT(PFC_TX_FRAMES, "tx_pause_prio_%"),
	STAT(PFC_TX_NS, "tx_pause_duration_prio_%", US),
	STAT(PFC_TX_TRANSITIONS, "tx_pause_transition_prio_%"),
	STAT(PAUSE_TX_FRAMES, "tx_pause"),
	STAT(PAUSE_TX_NS, "tx_pause_duration", US),
	STAT(TX_BYTES, "tx_prio_%_bytes"),
	STAT(TX_FRAMES, "tx_prio_%_packets"),
	HW_COUNTER(OUT_OF_SEQUENCE, "rq_num_oos", .wraps = 32),
	HW_COUNTER(SEQ_NAKS_RX, "sq_num_oos", .wraps = 32),
	HW_COUNTER(ACK_TIMEOUTS, "sq_num_to", .wraps = 32),
	HW_COUNTER(RETRY_EXCEEDED, "sq_num_tree", .wraps = 32),
	HW_COUNTER(RNR_NAKS_RX, "sq_num_rnr", .wraps = 32),
	HW_COUNTER(RNR_NAKS_TX, "rq_num_rnr", .wraps = 32),
	HW_COUNTER(RNR_RETRY_EXCEEDED, "sq_num_rree", .wraps = 32),
	HW_COUNTER(DUPLICATES, "rq_num_dup", .wraps = 32),
};

static const char *const kernel[] = { "mlx4_core", "mlx4_en", "mlx4_ib", NULL };

const struct rt_driver rt_driver_mlx4 = {
	.name = "mlx4",
	.kernel = kernel,
	.help = "NVIDIA ConnectX-3",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
	.limits = { .pause_or_pfc = true, .source = DCB_NL ", en_ethtool.c" },
	.infer = rt_infer_willing,
};
