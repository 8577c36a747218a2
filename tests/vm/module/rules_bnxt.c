// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What Broadcom's bnxt_en makes of a write (bnxt_dcb.c): nothing without the host's IEEE
 * DCBX, no PFC before ETS.
 */
#include "rtnic.h"

static bool host_rules(const struct rtnic *nic)
{
	const u8 need = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;

	return (nic->card.dcbx & need) == need;
}

static int setets(struct rtnic *nic, struct ieee_ets *want)
{
	if (!host_rules(nic) || rtnic_ets_check(want))
		return -EINVAL;
	nic->card.ets = *want;
	nic->card.ets_was_set = true;
	return 0;
}

/* Lossless are traffic classes, so it must be known which priority is in which. */
static int setpfc(struct rtnic *nic, const struct ieee_pfc *want)
{
	u8 classes = 0;
	unsigned int i;

	if (!host_rules(nic) || !nic->card.ets_was_set)
		return -EINVAL;
	for (i = 0; i < RTNIC_PRIOS; i++)
		if (want->pfc_en & BIT(i))
			classes |= BIT(nic->card.ets.prio_tc[i]);
	if (hweight8(classes) > nic->kind->lossless)
		return -EINVAL;
	nic->card.pfc_en = want->pfc_en;
	nic->card.pfc_was_set = true;
	return 0;
}

static int setapp(struct rtnic *nic, struct dcb_app *want)
{
	int r = host_rules(nic) ? dcb_ieee_setapp(nic->dev, want) : -EINVAL;

	if (!r && rtnic_is_dscp(want))
		rtnic_dscp_map(nic, want->protocol, want->priority);
	return r;
}

static int delapp(struct rtnic *nic, struct dcb_app *want)
{
	int r = host_rules(nic) ? dcb_ieee_delapp(nic->dev, want) : -EINVAL;

	if (!r && rtnic_is_dscp(want))
		rtnic_dscp_unmap(nic, want->protocol, 0);
	return r;
}

static int setdcbx(struct rtnic *nic, u8 mode)
{
	if ((mode & (DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_LLD_MANAGED)) ||
	    (nic->card.dcbx & DCB_CAP_DCBX_LLD_MANAGED))
		return 1;
	nic->card.dcbx = mode;
	return 0;
}

const struct rtnic_rules rtnic_bnxt_rules = {
	.setets = setets,
	.setpfc = setpfc,
	.setapp = setapp,
	.delapp = delapp,
	.setdcbx = setdcbx,
	.setpause = rtnic_setpause,
};
