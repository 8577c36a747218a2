/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cxgb4.c - Chelsio T5, T6: RDMA over TCP (iWARP).  DCB is read; the driver answers
 * "done" to settings of PFC and ETS and does nothing, so none is tried.
 */
#include "host/drivers/drivers.h"

#define CXGB4_DCB "Linux chelsio/cxgb4/cxgb4_dcb.c"

static const struct rt_driver_row rows[] = {
	FACT(PFC_MASK, pfc, CXGB4_DCB),
	FACT(PFC_CAP, pfc, CXGB4_DCB),
	FACT(ETS_PRIO_TC, ets, CXGB4_DCB),
	FACT(ETS_TSA, ets, CXGB4_DCB),
	FACT(ETS_BW, ets, CXGB4_DCB),
	FACT(ETS_CAP, ets, CXGB4_DCB),
	FACT(DCBX_OWNER, dcbx, CXGB4_DCB, .to_neutral = rt_conv_from_mode),
	FACT(DCBX_MODE, dcbx, CXGB4_DCB),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, "Linux chelsio/cxgb4/cxgb4_ethtool.c",
	    BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, "Linux chelsio/cxgb4/cxgb4_ethtool.c",
	    BIT),
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_TRUST, "the driver classifies by VLAN priority" },
	{ RT_GROUP_RATE, "the driver sets no rates" },
	{ RT_GROUP_BUFFER, "the driver has no buffers to set" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ RT_GROUP_TOS, "iWARP packets are TCP's" },
	{ RT_GROUP_CC, "iWARP: congestion control is the adapter's TCP" },
	{ 0 },
};

#define ETHTOOL_FROM "Linux chelsio/cxgb4/cxgb4_ethtool.c"

static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "rx_ppp%_frames"),
	STAT(PAUSE_RX_FRAMES, "rx_pause_frames"),
	STAT(RX_BYTES, "rx_octets_ok"),
	STAT(RX_FRAMES, "rx_frames_ok"),
	STAT(PFC_TX_FRAMES, "tx_ppp%_frames"),
	STAT(PAUSE_TX_FRAMES, "tx_pause_frames"),
	STAT(TX_BYTES, "tx_octets_ok"),
	STAT(TX_FRAMES, "tx_frames_ok"),
	STAT(RX_DISCARDS, "rx_bg0_frames_dropped+rx_bg1_frames_dropped+"
			  "rx_bg2_frames_dropped+rx_bg3_frames_dropped"),
	STAT(CRC_ERRORS, "rx_fcs_errors"),
	STAT(SYMBOL_ERRORS, "rx_symbol_errors"),
};

static const char *const kernel[] = { "cxgb4", "iw_cxgb4", NULL };

const struct rt_driver rt_driver_cxgb4 = {
	.name = "cxgb4",
	.kernel = kernel,
	.help = "Chelsio T5, T6",
	.cannot = "iWARP runs over the adapter's TCP, which does congestion control; "
		  "DCB is "
		  "set by its firmware or lldpad",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
};
