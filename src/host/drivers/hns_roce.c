/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hns_roce.c - Huawei Kunpeng (HIP09 and later): DCB by hns3.
 *
 * Congestion control has files in openEuler's kernel (sysfs) and in patches posted
 * to the kernel (debugfs).  Many of its numbers are encoded shifts that nobody
 * documents, so all stay raw.  What is written is collected and sent to the NIC
 * after `lifespan` milliseconds (host/access_late.c).
 */
#include "host/drivers/drivers.h"
#include "rocetune/err.h"

#define HNS_DCB    "Linux hisilicon/hns3/hns3_dcbnl.c, hns3pf/hclge_dcb.c"
#define SYSFS      "/sys/class/infiniband/{ib}/ports/{port}/"
#define DEBUG      "/sys/kernel/debug/hns_roce/{pci}/"
#define OPEN_EULER "openEuler kernel, hns_roce_sysfs.c"
#define POSTED     "patches posted to linux-rdma, hns_roce debugfs"

/* {dcqcn,dip,ldcp,hc3}_cc_param/ATTRIBUTE is called dcqcn_ATTRIBUTE here. */
#define CC(law_, name_, max_) CC_FROM(law_, name_, 0, max_)
#define CC_FROM(law_, name_, min_, max_)                                              \
	UNSURE(law_ "_" name_, late_sysfs, SYSFS law_ "_cc_param/" name_, OPEN_EULER, \
	       .min = (min_), .max = (max_)),                                         \
		UNSURE(law_ "_" name_, late_debugfs, DEBUG law_ "_cc_param/" name_,   \
		       POSTED, .min = (min_), .max = (max_))
/* DCQCN and DIP have the same attributes. */
#define CC_RATE(law_)                                                   \
	CC(law_, "ai", 65535), CC(law_, "f", 255), CC(law_, "tkp", 15), \
		CC(law_, "tmp", 15), CC(law_, "alp", 65535),            \
		CC(law_, "max_speed", UINT32_MAX), CC(law_, "g", 15),   \
		CC(law_, "al", 255), CC(law_, "cnp_time", 255),         \
		CC(law_, "ashift", 15), CC(law_, "lifespan", 0)

static const struct rt_driver_row rows[] = {
	ROW(DSCP_PRIO, dscp, LIVE, DCB_DSCP, HNS_DCB),
	ROW(PFC_MASK, pfc, FLAP, DCB_PFC, HNS_DCB ": takes the client down and up"),
	FACT(PFC_CAP, pfc, HNS_DCB),
	ROW(ETS_PRIO_TC, ets, FLAP, DCB_PRIO_TC, HNS_DCB),
	ROW(ETS_TSA, ets, FLAP, DCB_TSA, HNS_DCB),
	ROW(ETS_BW, ets, FLAP, DCB_BW, HNS_DCB, .max = 100),
	FACT(ETS_CAP, ets, HNS_DCB),
	FACT(DCBX_OWNER, dcbx, HNS_DCB, .to_neutral = rt_conv_from_mode),
	FACT(DCBX_MODE, dcbx, HNS_DCB),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, "Linux hisilicon/hns3/hns3_ethtool.c",
	    BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, "Linux hisilicon/hns3/hns3_ethtool.c",
	    BIT),
	RDMA_CM_ROWS,
	CC_RATE("dcqcn"),
	CC_RATE("dip"),
	CC("ldcp", "cwd0", UINT32_MAX),
	CC("ldcp", "alpha", 255),
	CC("ldcp", "gamma", 7),
	CC("ldcp", "beta", 7),
	CC("ldcp", "eta", 7),
	CC("hc3", "initial_window", UINT32_MAX),
	CC_FROM("hc3", "bandwidth", 1000, UINT32_MAX),
	CC("hc3", "qlen_shift", 31),
	CC("hc3", "port_usage_shift", 100),
	CC("hc3", "over_period", 255),
	CC("hc3", "max_stage", 255),
	CC("hc3", "gamma_shift", 15),
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_RATE, "the driver sets no rates" },
	{ RT_GROUP_BUFFER, "the driver reckons its buffers itself" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ RT_GROUP_CC,
	  "units are not documented: only raw knobs, where the driver has them" },
	{ 0 },
};

static void infer(struct rt_qos *qos)
{
	rt_infer_trust(qos);
	rt_infer_willing(qos);
}

/* hns3_dcbnl_ieee_setpfc and setets: -EINVAL without VER_IEEE (0 while mqprio runs). */
static int arrange(const struct rt_host_port *port, struct rt_plan *plan,
		   struct rt_err *err)
{
	const struct rt_opt_u64 mode = rt_qos_number(&plan->have, RT_KNOB_DCBX_MODE);

	if (!mode.known || mode.value & RT_DCBX_MODE_IEEE || !rt_plan_dcb_change(plan))
		return 0;
	return rt_err_set(
		err, -EPERM,
		"%s: hns3 takes no DCB settings: its mode is 0x%02x (0: mqprio "
		"offload runs); `dcb dcbx set dev %s host ieee`",
		port->device->netdev, (unsigned)mode.value, port->device->netdev);
}

#define ETHTOOL_FROM "Linux hns3/hns3pf/hclge_main.c"
#define RDMA_FROM    "Linux drivers/infiniband/hw/hns/hns_roce_main.c"

/* The unit of mac_rx_pfc_priN_xoff_time is documented nowhere: unknown. */
static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "mac_rx_pfc_pri%_pkt_num"),
	STAT(PFC_RX_FRAMES, "mac_rx_pfc_pkt_num"),
	STAT(PAUSE_RX_FRAMES, "mac_rx_mac_pause_num"),
	STAT(RX_BYTES, "mac_rx_total_oct_num"),
	STAT(RX_FRAMES, "mac_rx_total_pkt_num"),
	HW_COUNTER(CNP_RX, "rx_cnp_pkt"),
	HW_COUNTER(RDMA_RX_FRAMES, "rx_rc_pkt+rx_uc_pkt+rx_ud_pkt+rx_xrc_pkt"),
	STAT(PFC_TX_FRAMES, "mac_tx_pfc_pri%_pkt_num"),
	STAT(PFC_TX_FRAMES, "mac_tx_pfc_pkt_num"),
	STAT(PAUSE_TX_FRAMES, "mac_tx_mac_pause_num"),
	STAT(TX_BYTES, "mac_tx_total_oct_num"),
	STAT(TX_FRAMES, "mac_tx_total_pkt_num"),
	HW_COUNTER(CNP_TX, "tx_cnp_pkt"),
	HW_COUNTER(RDMA_TX_FRAMES, "tx_rc_pkt+tx_uc_pkt+tx_ud_pkt+tx_xrc_pkt"),
	DCB_COUNTERS("Linux hns3/hns3pf/hclge_dcb.c"),
	STAT(CRC_ERRORS, "mac_rx_fcs_err_pkt_num"),
};

static const char *const kernel[] = { "hns3", "hns_roce", NULL };

const struct rt_driver rt_driver_hns_roce = {
	.name = "hns_roce",
	.kernel = kernel,
	.help = "Huawei Kunpeng",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
	.limits = { .pause_or_pfc = true, .source = "Linux hns3pf/hclge_main.c" },
	.infer = infer,
	.arrange = arrange,
};
