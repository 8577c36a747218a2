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

static const char *const kernel[] = { "mlx4_core", "mlx4_en", "mlx4_ib", NULL };

const struct rt_driver rt_driver_mlx4 = {
	.name = "mlx4",
	.kernel = kernel,
	.help = "NVIDIA ConnectX-3",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	.lacks = lacks,
	.limits = { .pause_or_pfc = true, .source = DCB_NL ", en_ethtool.c" },
	.infer = rt_infer_willing,
};
