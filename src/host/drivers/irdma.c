/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * irdma.c - Intel E810 and later: DCB by ice, RDMA by irdma.
 *
 * The kernel's irdma has no DCQCN at all.  Intel's own has switches in configfs, and
 * parameters of its module that are set when it is loaded.  The first DSCP entry
 * changes the port to another mode and resets ETS.
 */
#include <string.h>

#include "host/drivers/drivers.h"
#include "rocetune/err.h"

#define ICE_DCB "Linux intel/ice/ice_dcb_nl.c"
#define SWITCH  "/sys/kernel/config/irdma/{ib}/"
#define OOT     "Intel irdma (out of tree), main.c"
#define DOC     "Intel document 635330; irdma (out of tree)"

#define PARAMETER(id, name_, ...) LOADED_ROW(id, "irdma", name_, OOT, __VA_ARGS__)
#define RAW_PARAMETER(name_)      LOADED_RAW("irdma", name_, OOT, RT_ROW_UNSURE)

static const struct rt_driver_row rows[] = {
	ROW(DSCP_PRIO, dscp, BLIP, DCB_DSCP, ICE_DCB " ice_dcbnl_setapp",
	    .flags = RT_ROW_DELETE_FIRST),
	ROW(PFC_MASK, pfc, BLIP, DCB_PFC, ICE_DCB),
	FACT(PFC_CAP, pfc, ICE_DCB),
	ROW(ETS_PRIO_TC, ets, BLIP, DCB_PRIO_TC, ICE_DCB),
	ROW(ETS_TSA, ets, BLIP, DCB_TSA, ICE_DCB),
	ROW(ETS_BW, ets, BLIP, DCB_BW, ICE_DCB, .max = 100),
	FACT(ETS_CAP, ets, ICE_DCB),
	ROW(DCBX_OWNER, priv_flag, BLIP,
	    "ethtool --set-priv-flags {net} fw-lldp-agent {onoff}",
	    "Linux intel/ice/ice_ethtool.c; Documentation/networking/devlink/ice.rst",
	    .vendor = "fw-lldp-agent", BIT),
	/* The same flag of older kernels. */
	ROW(DCBX_OWNER, priv_flag, BLIP,
	    "ethtool --set-priv-flags {net} enable-fw-lldp {onoff}",
	    "Linux intel/ice/ice_ethtool.c, older", .vendor = "enable-fw-lldp", BIT),
	FACT(DCBX_MODE, dcbx, ICE_DCB),
	ROW(DCBX_WILLING, ets, BLIP, "dcb ets set dev {net} willing {onoff}", ICE_DCB,
	    BIT),
	ROW(PAUSE_RX, pause, LIVE, ETHTOOL_RX, "Linux intel/ice/ice_ethtool.c", BIT),
	ROW(PAUSE_TX, pause, LIVE, ETHTOOL_TX, "Linux intel/ice/ice_ethtool.c", BIT),
	RDMA_CM_ROWS,

	FILE_ROW(RP_ENABLE, configfs, SWITCH "roce_dcqcn_enable", DOC, BIT),
	PARAMETER(RP_ENABLE, "dcqcn_enable", BIT),
	PARAMETER(RP_FAST_RECOVERY, "dcqcn_F"),
	PARAMETER(RP_RATE_TIMER, "dcqcn_T", US),
	PARAMETER(RP_BYTE_COUNTER, "dcqcn_B"),
	PARAMETER(RP_MIN_DEC, "dcqcn_min_dec_factor", PERCENT),
	RAW_PARAMETER("dcqcn_cc_cfg_valid"),
	RAW_PARAMETER("dcqcn_min_rate_MBps"),
	RAW_PARAMETER("dcqcn_rai_factor"),
	RAW_PARAMETER("dcqcn_hai_factor"),
	RAW_PARAMETER("dcqcn_rreduce_mperiod"),
	RAW_PARAMETER("roce_ena"),
	RAW_PARAMETER("limits_sel"),
	RAW("roce_dctcp_enable", configfs, SWITCH "roce_dctcp_enable", DOC, BIT),
	RAW("roce_timely_enable", configfs, SWITCH "roce_timely_enable", DOC, BIT),
};

static const struct rt_group_why lacks[] = {
	{ RT_GROUP_RATE, "the driver sets no rates" },
	{ RT_GROUP_BUFFER, "the driver has no buffers to set" },
	{ RT_GROUP_STORM, "the driver has no pause storm prevention" },
	{ RT_GROUP_CC, "the kernel's irdma has no DCQCN; Intel's out-of-tree one has" },
	{ 0 },
};

/* What the module ignores is no setting of DCQCN. */
static void ignore_parameters(struct rt_qos *qos)
{
	const struct rt_raw_value *valid = rt_qos_raw(qos, "dcqcn_cc_cfg_valid");
	static const enum rt_knob_id ids[] = { RT_KNOB_RP_FAST_RECOVERY,
					       RT_KNOB_RP_RATE_TIMER,
					       RT_KNOB_RP_BYTE_COUNTER,
					       RT_KNOB_RP_MIN_DEC };

	if (!valid || !valid->known || valid->number)
		return;
	for (size_t i = 0; i < RT_ARRAY_SIZE(ids); i++)
		if (qos->knobs[ids[i]].known)
			rt_knob_unknown(
				qos, ids[i],
				"the module ignores it: dcqcn_cc_cfg_valid is 0");
}

static bool is_on(const struct rt_qos *qos, const char *name)
{
	const struct rt_raw_value *value = rt_qos_raw(qos, name);

	return value && value->known && value->number;
}

/* The switches say what runs, where Intel's driver has them. */
static void infer_algorithm(struct rt_qos *qos)
{
	const struct rt_opt_u64 dcqcn = rt_qos_number(qos, RT_KNOB_RP_ENABLE);
	unsigned algorithm = RT_CC_NONE;

	if (!dcqcn.known)
		return;
	if (dcqcn.value)
		algorithm = RT_CC_DCQCN;
	else if (is_on(qos, "roce_dctcp_enable"))
		algorithm = RT_CC_DCTCP;
	else if (is_on(qos, "roce_timely_enable"))
		algorithm = RT_CC_TIMELY;
	rt_knob_unknown(qos, RT_KNOB_CC_ALGORITHM,
			"follows from the driver's switches");
	rt_knob_set(qos, RT_KNOB_CC_ALGORITHM, 0, algorithm);
}

static void infer(struct rt_qos *qos)
{
	rt_infer_trust(qos);
	ignore_parameters(qos);
	infer_algorithm(qos);
}

/* --- plans ------------------------------------------------------------------------- */

static bool has_entries(const struct rt_qos *qos)
{
	const struct rt_knob_value *map = &qos->knobs[RT_KNOB_DSCP_PRIO];

	for (unsigned i = 0; i < 64; i++)
		if (map->known >> i & 1 && map->small[i] != RT_NO_PRIO)
			return true;
	return false;
}

/* First entry and last delete change the port's mode, and ETS falls back. */
static bool changes_mode(const struct rt_qos *have, const struct rt_qos *target)
{
	return has_entries(have) != has_entries(target);
}

static uint64_t rewrites(const struct rt_qos *have, const struct rt_qos *target)
{
	const uint64_t ets = 1ull << RT_KNOB_ETS_BW | 1ull << RT_KNOB_ETS_TSA |
			     1ull << RT_KNOB_ETS_PRIO_TC;

	if (!changes_mode(have, target))
		return 0;
	/* Back to VLAN mode everything falls back to the driver's defaults. */
	return has_entries(target)
		       ? ets
		       : ets | 1ull << RT_KNOB_PFC_MASK | 1ull << RT_KNOB_DCBX_WILLING;
}

/* In DSCP mode a priority has the class of its number, where there is one. */
static uint64_t class_in_dscp_mode(const struct rt_qos *qos, unsigned prio)
{
	const struct rt_opt_u64 cap = rt_qos_number(qos, RT_KNOB_ETS_CAP);

	return cap.known && prio < cap.value ? prio : 0;
}

/* In that mode the table is fixed, and the port does not listen to its peer. */
static void follow(const struct rt_qos *have, struct rt_qos *target)
{
	if (!has_entries(target))
		return;
	if (changes_mode(have, target) && target->knobs[RT_KNOB_DCBX_WILLING].known)
		rt_knob_set(target, RT_KNOB_DCBX_WILLING, 0, 0);
	for (unsigned i = 0; i < 8 && target->knobs[RT_KNOB_ETS_PRIO_TC].known; i++)
		rt_knob_set(target, RT_KNOB_ETS_PRIO_TC, i,
			    class_in_dscp_mode(target, i));
}

static void add_between(struct rt_step *step, enum rt_knob_id id,
			const uint64_t numbers[8])
{
	struct rt_knob_value value = { .known = rt_knob_all(&rt_knobs[id]) };

	memcpy(value.number, numbers, sizeof(value.number));
	rt_step_between(step, id, &value);
}

/*
 * ice_dcbnl_setapp, ice_dcb_sw_dflt_cfg: all bandwidth in class 0, which alone has a
 * share where the others are not said to have one.
 */
static void add_reset(struct rt_plan *plan)
{
	static const uint64_t shares[8] = { 100 }, none[8], one[8] = { 1 };
	static const uint64_t first[8] = { RT_TSA_ETS };
	struct rt_step *step = rt_plan_step_of(plan, RT_KNOB_DSCP_PRIO);
	const bool enters = has_entries(&plan->target);
	uint64_t classes[8] = { 0 }, all[8];

	if (!step || !changes_mode(&plan->have, &plan->target))
		return;
	for (unsigned i = 0; i < 8; i++) {
		all[i] = RT_TSA_ETS;
		classes[i] = enters ? class_in_dscp_mode(&plan->have, i) : 0;
	}
	add_between(step, RT_KNOB_ETS_BW, shares);
	add_between(step, RT_KNOB_ETS_TSA, all);
	add_between(step, RT_KNOB_ETS_TSA, first);
	add_between(step, RT_KNOB_ETS_PRIO_TC, classes);
	add_between(step, RT_KNOB_DCBX_WILLING, enters ? none : one);
	if (!enters)
		add_between(step, RT_KNOB_PFC_MASK, none);
}

/* ice_dcbnl_setapp: a priority is below the number of traffic classes. */
static int check_priorities(const struct rt_host_port *port, const struct rt_plan *plan,
			    struct rt_err *err)
{
	const struct rt_opt_u64 cap = rt_qos_number(&plan->have, RT_KNOB_ETS_CAP);
	const struct rt_knob_value *map = &plan->target.knobs[RT_KNOB_DSCP_PRIO];

	for (unsigned i = 0; i < 64 && cap.known; i++)
		if (map->known >> i & 1 && map->small[i] != RT_NO_PRIO &&
		    map->small[i] >= cap.value)
			return rt_err_set(
				err, -ERANGE,
				"%s: DSCP %u cannot have priority %u: ice has "
				"%u traffic classes, and priorities below that",
				port->device->netdev, i, map->small[i],
				(unsigned)cap.value);
	return 0;
}

static int arrange(const struct rt_host_port *port, struct rt_plan *plan,
		   struct rt_err *err)
{
	const struct rt_opt_u64 mode = rt_qos_number(&plan->have, RT_KNOB_DCBX_MODE);
	int r = rt_refuse_firmware_dcb(
		port, plan,
		"set host.dcbx.owner: host (ethtool private flag "
		"fw-lldp-agent off)",
		err);

	if (r < 0)
		return r;
	if (port->device->bond[0] && rt_plan_dcb_change(plan))
		return rt_err_set(err, -EPERM,
				  "%s is in bond %s: ice refuses DCB of bonded ports",
				  port->device->netdev, port->device->bond);
	if (mode.known && !(mode.value & (RT_DCBX_MODE_IEEE | RT_DCBX_MODE_LLD)) &&
	    rt_plan_dcb_change(plan))
		return rt_err_set(err, -EPERM,
				  "%s: DCBX speaks CEE: ice takes IEEE settings only "
				  "after `dcb dcbx set dev %s host ieee`",
				  port->device->netdev, port->device->netdev);
	add_reset(plan);
	return check_priorities(port, plan, err);
}

#define ETHTOOL_FROM "Linux ice/ice_ethtool.c"
#define RDMA_FROM    "Linux drivers/infiniband/hw/irdma/verbs.c"

/*
 * Frames that stop and frames that let go are counted apart.  Only those that stop are of
 * use: of them it can be said how long they do so at most.
 */
static const struct rt_counter_row counters[] = {
	STAT(PFC_RX_FRAMES, "rx_priority_%_xoff.nic"),
	STAT(PAUSE_RX_FRAMES, "link_xoff_rx.nic"),
	STAT(RX_BYTES, "rx_bytes.nic"),
	STAT(RX_FRAMES, "rx_unicast.nic+rx_multicast.nic+rx_broadcast.nic"),
	STAT(PFC_TX_FRAMES, "tx_priority_%_xoff.nic"),
	STAT(PAUSE_TX_FRAMES, "link_xoff_tx.nic"),
	STAT(TX_BYTES, "tx_bytes.nic"),
	STAT(TX_FRAMES, "tx_unicast.nic+tx_multicast.nic+tx_broadcast.nic"),
	HW_COUNTER(RDMA_RX_FRAMES, "RxUDP"),
	HW_COUNTER(RDMA_TX_FRAMES, "TxUDP"),
	HW_COUNTER(CE_RX, "RxECNMrkd"),
	HW_COUNTER(CNP_TX, "cnpSent"),
	HW_COUNTER(CNP_RX, "cnpHandled+cnpIgnored"),
	HW_COUNTER(CNP_HANDLED, "cnpHandled"),
	HW_COUNTER(CNP_IGNORED, "cnpIgnored"),
	HW_COUNTER(RDMA_RX_DISCARDS, "ip4InDiscards+ip6InDiscards"),
	STAT(RX_DISCARDS, "rx_dropped.nic"),
	STAT(CRC_ERRORS, "rx_crc_errors.nic"),
};

static const char *const kernel[] = { "ice", "irdma", NULL };

const struct rt_driver rt_driver_irdma = {
	.name = "irdma",
	.kernel = kernel,
	.help = "Intel E810 and later",
	.rows = rows,
	.row_count = RT_ARRAY_SIZE(rows),
	COUNTERS(counters),
	.lacks = lacks,
	.limits = { .lossless = 1,
		    .classes = 4,
		    .pause_or_pfc = true,
		    .source = "Intel E810 RDMA guides; ice_ethtool.c" },
	.infer = infer,
	.follow = follow,
	.rewrites = rewrites,
	.arrange = arrange,
};
