/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qedr.c - Marvell FastLinQ: DCB by qede, whose firmware speaks DCBX; DCQCN only as
 * parameters of Marvell's own qed module, set when it is loaded.
 */
#include "host/drivers/drivers.h"

#define QEDE_DCB "Linux qlogic/qede/qede_dcbnl.c, qed/qed_dcbx.c"
#define GUIDE    "Marvell FastLinQ Linux user guide (qed out of tree)"

#define PARAMETER(id, name_, ...) LOADED_ROW(id, "qed", name_, GUIDE, __VA_ARGS__)
#define RAW_PARAMETER(name_)      LOADED_RAW("qed", name_, GUIDE, 0)

static const struct rt_driver_row rows[] = {
	ROW(PFC_MASK, pfc, BLIP, DCB_PFC, QEDE_DCB),
	FACT(PFC_CAP, pfc, QEDE_DCB),
	ROW(ETS_PRIO_TC, ets, BLIP, DCB_PRIO_TC, QEDE_DCB),
	ROW(ETS_TSA, ets, BLIP, DCB_TSA, QEDE_DCB),
	ROW(ETS_BW, ets, BLIP, DCB_BW, QEDE_DCB, .max = 100),
	FACT(ETS_CAP, ets, QEDE_DCB),
	FACT(DCBX_OWNER, dcbx, QEDE_DCB, .to_neutral = rt_conv_from_mode),
	FACT(DCBX_MODE, dcbx, QEDE_DCB),
	FACT(DCBX_WILLING, ets, QEDE_DCB, BIT),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, "Linux qlogic/qede/qede_ethtool.c", BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, "Linux qlogic/qede/qede_ethtool.c", BIT),
	RDMA_CM_ROWS,
	PARAMETER(NP_ENABLE, "dcqcn_notification_point", BIT),
	PARAMETER(NP_CNP_INTERVAL, "dcqcn_cnp_send_timeout", US),
	PARAMETER(NP_CNP_DSCP, "dcqcn_cnp_dscp", .max = 63),
	PARAMETER(NP_CNP_PRIO, "dcqcn_cnp_vlan_priority", .max = 7),
	PARAMETER(RP_ENABLE, "dcqcn_reaction_point", BIT),
	PARAMETER(RP_ALPHA_TIMER, "dcqcn_k_us", US),
	PARAMETER(RP_RATE_TIMER, "dcqcn_timeout_us", US),
	PARAMETER(RP_BYTE_COUNTER, "dcqcn_rl_bc_rate"),
	PARAMETER(RP_AI, "dcqcn_rl_r_ai", MBPS),
	PARAMETER(RP_HAI, "dcqcn_rl_r_hai", MBPS),
	PARAMETER(RP_MAX_RATE, "dcqcn_rl_max_rate", MBPS),
	RAW_PARAMETER("dcqcn_enable"),
	RAW_PARAMETER("dcqcn_gd"),
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_TRUST, "the driver adds APP entries but cannot delete them" },
	{ RT_GROUP_RATE, "the driver sets no rates" },
	{ RT_GROUP_BUFFER, "the driver has no buffers to set" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ RT_GROUP_CC,
	  "the kernel's qed has no DCQCN settings; Marvell's own module has" },
	{ 0 },
};

/* Without the module's main switch its other numbers hold nothing. */
static void infer(struct rt_qos *qos)
{
	const struct rt_raw_value *enable = rt_qos_raw(qos, "dcqcn_enable");

	if (!enable || !enable->known)
		return;
	rt_knob_unknown(qos, RT_KNOB_CC_ALGORITHM, "follows from dcqcn_enable");
	rt_knob_set(qos, RT_KNOB_CC_ALGORITHM, 0,
		    enable->number ? RT_CC_DCQCN : RT_CC_NONE);
}

static int arrange(const struct rt_host_port *port, struct rt_plan *plan,
		   struct rt_err *err)
{
	return rt_refuse_firmware_dcb(port, plan,
				      "switch DCBX off in the NIC's configuration, or "
				      "set the switch instead",
				      err);
}

#define ETHTOOL_FROM "Linux qlogic/qede/qede_ethtool.c"

/* RDMA has no counters. */
static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "rx_pfc_frames"),
	STAT(PFC_TX_FRAMES, "tx_pfc_frames"),
	STAT(PAUSE_RX_FRAMES, "rx_pause_frames"),
	STAT(PAUSE_TX_FRAMES, "tx_pause_frames"),
	STAT(CRC_ERRORS, "rx_crc_errors"),
};

static const char *const kernel[] = { "qede", "qed", "qedr", NULL };

const struct rt_driver rt_driver_qedr = {
	.name = "qedr",
	.kernel = kernel,
	.help = "Marvell FastLinQ",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
	.infer = infer,
	.arrange = arrange,
};
