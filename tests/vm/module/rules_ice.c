// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What Intel's ice makes of a write (ice_dcb_nl.c, ice_dcb_lib.c): an agent in firmware
 * that owns everything, and a port that is in VLAN or in DSCP mode.
 */
#include "rtnic.h"

/* Answers above 0 that the driver lets through to user space. */
enum {
	NO_RESET = 1,
	DELETED_WITHOUT_RESET = 2
};

static bool host_rules(const struct rtnic *nic)
{
	return !(nic->card.dcbx & DCB_CAP_DCBX_LLD_MANAGED) &&
	       (nic->card.dcbx & DCB_CAP_DCBX_VER_IEEE);
}

static void ets_one_class(struct ieee_ets *ets)
{
	unsigned int i;

	memset(ets, 0, sizeof(*ets));
	ets->tc_tx_bw[0] = 100;
	for (i = 0; i < RTNIC_PRIOS; i++)
		ets->tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
}

static int setets(struct rtnic *nic, struct ieee_ets *want)
{
	if (!host_rules(nic) || rtnic_ets_check(want))
		return -EINVAL;
	/* In DSCP mode a priority is its class, and what is asked is not looked at. */
	if (nic->card.dscp_trust)
		memcpy(want->prio_tc, nic->card.ets.prio_tc, sizeof(want->prio_tc));
	want->ets_cap = nic->card.ets.ets_cap;
	if (memcmp(want, &nic->card.ets, sizeof(*want))) {
		nic->card.ets = *want;
		rtnic_flap(nic);
	}
	return 0;
}

static int setpfc(struct rtnic *nic, const struct ieee_pfc *want)
{
	if (!host_rules(nic))
		return -EINVAL;
	if (want->pfc_en != nic->card.pfc_en) {
		nic->card.pfc_en = want->pfc_en;
		rtnic_flap(nic);
	}
	return 0;
}

/* The first DSCP entry: one class takes all, whatever ETS was. */
static void dscp_mode(struct rtnic *nic)
{
	unsigned int i;

	ets_one_class(&nic->card.ets);
	for (i = 0; i < nic->kind->classes; i++)
		nic->card.ets.prio_tc[i] = i;
	rtnic_flap(nic);
}

/* The last one is gone: what the driver starts with, so PFC is off too. */
static void vlan_mode(struct rtnic *nic)
{
	ets_one_class(&nic->card.ets);
	nic->card.ets.willing = 1;
	nic->card.pfc_en = 0;
	rtnic_flap(nic);
}

static int setapp(struct rtnic *nic, struct dcb_app *want)
{
	bool first = !nic->card.dscp_mapped;
	int r;

	if (!host_rules(nic) || !rtnic_is_dscp(want) ||
	    want->priority >= nic->kind->classes)
		return -EINVAL;
	r = dcb_ieee_setapp(nic->dev, want);
	if (r)
		return r;
	if (nic->card.dscp_mapped & BIT_ULL(want->protocol)) {
		dcb_ieee_delapp(nic->dev, want);
		return -EINVAL;
	}
	rtnic_dscp_map(nic, want->protocol, want->priority);
	if (!first)
		return NO_RESET;
	dscp_mode(nic);
	return 0;
}

static int delapp(struct rtnic *nic, struct dcb_app *want)
{
	int r;

	if (nic->card.dcbx & DCB_CAP_DCBX_LLD_MANAGED)
		return -EINVAL;
	r = dcb_ieee_delapp(nic->dev, want);
	if (r)
		return r;
	if (!rtnic_is_dscp(want))
		return DELETED_WITHOUT_RESET;
	rtnic_dscp_unmap(nic, want->protocol, want->protocol % 8);
	if (nic->card.dscp_mapped)
		return DELETED_WITHOUT_RESET;
	vlan_mode(nic);
	return 0;
}

static int setdcbx(struct rtnic *nic, u8 mode)
{
	const u8 both = DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE;

	if (nic->card.fw_lldp || nic->card.dscp_trust || mode == nic->card.dcbx ||
	    (mode & DCB_CAP_DCBX_LLD_MANAGED) || (mode & both) == both ||
	    !(mode & DCB_CAP_DCBX_HOST))
		return 1;
	nic->card.dcbx = mode;
	return 0;
}

static int setpause(struct rtnic *nic, const struct ethtool_pauseparam *want)
{
	return nic->card.pfc_en ? -EOPNOTSUPP : rtnic_setpause(nic, want);
}

/* The agent owns DCB while it runs; in DSCP mode it cannot be started. */
static int setflag(struct rtnic *nic, bool on)
{
	if (on && nic->card.dscp_trust)
		return -EOPNOTSUPP;
	nic->card.fw_lldp = on;
	nic->card.dcbx = DCB_CAP_DCBX_VER_IEEE |
			 (on ? DCB_CAP_DCBX_LLD_MANAGED : DCB_CAP_DCBX_HOST);
	return 0;
}

const struct rtnic_rules rtnic_ice_rules = {
	.setets = setets,
	.setpfc = setpfc,
	.setapp = setapp,
	.delapp = delapp,
	.setdcbx = setdcbx,
	.setpause = setpause,
	.setflag = setflag,
};
