// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The kernel's DCB operations: each write is told to rtnic_write(), then asks the rules
 * of the NIC's kind; what becomes of it is logged.
 */
#include "rtnic.h"

static int getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct rtnic *nic = rtnic_of(dev);

	if (!nic->kind->blank_until_set || nic->card.ets_was_set)
		*ets = nic->card.ets;
	ets->ets_cap = nic->kind->classes;
	return 0;
}

static int setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct rtnic *nic = rtnic_of(dev);
	struct ieee_ets want = *ets;
	int r = rtnic_write(nic, "ets", &want.prio_tc[7], "%8phN", want.prio_tc);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setets(nic, &want));
}

static int getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct rtnic *nic = rtnic_of(dev);
	unsigned int i;

	pfc->pfc_cap = nic->kind->lossless;
	if (nic->kind->blank_until_set && !nic->card.pfc_was_set)
		return 0;
	pfc->pfc_en = nic->card.pfc_en;
	pfc->delay = nic->kind->rules->setbuffer ? nic->card.cable_m : 0;
	for (i = 0; i < RTNIC_PRIOS; i++) {
		pfc->requests[i] = nic->cell[i][RTNIC_TX_PAUSE];
		pfc->indications[i] = nic->cell[i][RTNIC_RX_PAUSE];
	}
	return 0;
}

static int setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct rtnic *nic = rtnic_of(dev);
	struct ieee_pfc want = *pfc;
	int r = rtnic_write(nic, "pfc", &want.pfc_en, "0x%02x %u", want.pfc_en,
			    want.delay);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setpfc(nic, &want));
}

static int getmaxrate(struct net_device *dev, struct ieee_maxrate *rates)
{
	*rates = rtnic_of(dev)->card.maxrate;
	return 0;
}

static int setmaxrate(struct net_device *dev, struct ieee_maxrate *rates)
{
	struct rtnic *nic = rtnic_of(dev);
	struct ieee_maxrate want = *rates;
	int r = rtnic_write(nic, "maxrate", (u8 *)&want.tc_maxrate[7] + 3,
			    "%llu ... %llu", want.tc_maxrate[0], want.tc_maxrate[7]);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setmaxrate(nic, &want));
}

static int getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	*buffer = rtnic_of(dev)->card.buffer;
	return 0;
}

static int setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct rtnic *nic = rtnic_of(dev);
	struct dcbnl_buffer want = *buffer;
	int r = rtnic_write(nic, "buffer", &want.prio2buffer[7], "%8phN %u,%u ...",
			    want.prio2buffer, want.buffer_size[0], want.buffer_size[1]);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setbuffer(nic, &want));
}

static int setapp(struct net_device *dev, struct dcb_app *app)
{
	struct rtnic *nic = rtnic_of(dev);
	struct dcb_app want = *app;
	int r = rtnic_write(nic, "setapp", &want.priority, "%u:%u:%u", app->selector,
			    app->protocol, app->priority);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->setapp(nic, &want));
}

static int delapp(struct net_device *dev, struct dcb_app *app)
{
	struct rtnic *nic = rtnic_of(dev);
	int r = rtnic_write(nic, "delapp", NULL, "%u:%u:%u", app->selector,
			    app->protocol, app->priority);

	return rtnic_wrote(nic, r ? r : nic->kind->rules->delapp(nic, app));
}

static u8 getdcbx(struct net_device *dev)
{
	return rtnic_of(dev)->card.dcbx;
}

/* The one operation that answers 0 or 1. */
static u8 setdcbx(struct net_device *dev, u8 mode)
{
	struct rtnic *nic = rtnic_of(dev);
	int r = rtnic_write(nic, "dcbx", &mode, "0x%02x", mode);

	return !!rtnic_wrote(nic, r ? r : nic->kind->rules->setdcbx(nic, mode));
}

/* A kind without a rule has no operation: the kernel then skips the write. */
void rtnic_dcb_fill(struct rtnic *nic)
{
	const struct rtnic_rules *rules = nic->kind->rules;

	nic->dcb = (struct dcbnl_rtnl_ops){
		.ieee_getets = getets,
		.ieee_setets = setets,
		.ieee_getpfc = getpfc,
		.ieee_setpfc = setpfc,
		.ieee_getmaxrate = rules->setmaxrate ? getmaxrate : NULL,
		.ieee_setmaxrate = rules->setmaxrate ? setmaxrate : NULL,
		.dcbnl_getbuffer = rules->setbuffer ? getbuffer : NULL,
		.dcbnl_setbuffer = rules->setbuffer ? setbuffer : NULL,
		.ieee_setapp = rules->setapp ? setapp : NULL,
		.ieee_delapp = rules->delapp ? delapp : NULL,
		.getdcbx = getdcbx,
		.setdcbx = setdcbx,
	};
}

int rtnic_ets_check(const struct ieee_ets *ets)
{
	unsigned int i, sum = 0;
	bool any = false;

	for (i = 0; i < RTNIC_PRIOS; i++) {
		if (ets->prio_tc[i] >= RTNIC_PRIOS)
			return -EINVAL;
		if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			continue;
		any = true;
		sum += ets->tc_tx_bw[i];
	}
	return any && sum != 100 ? -EINVAL : 0;
}

bool rtnic_is_dscp(const struct dcb_app *app)
{
	return app->selector == IEEE_8021QAZ_APP_SEL_DSCP &&
	       app->protocol < RTNIC_DSCPS && app->priority < RTNIC_PRIOS;
}

void rtnic_dscp_map(struct rtnic *nic, unsigned int dscp, unsigned int prio)
{
	nic->card.dscp_prio[dscp] = prio;
	nic->card.dscp_mapped |= BIT_ULL(dscp);
	nic->card.dscp_trust = true;
}

void rtnic_dscp_unmap(struct rtnic *nic, unsigned int dscp, unsigned int prio)
{
	nic->card.dscp_prio[dscp] = prio;
	nic->card.dscp_mapped &= ~BIT_ULL(dscp);
	nic->card.dscp_trust = nic->card.dscp_mapped;
}
