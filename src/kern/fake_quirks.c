/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_quirks.c - what NIC drivers do that nobody expects, one row each.
 *
 * From Linux 6.12, drivers/net/ethernet: the file that each row names.
 */
#include <errno.h>
#include <linux/dcbnl.h>
#include <string.h>

#include "base/own.h"
#include "kern/fake_quirks.h"

#define MBITPS UINT64_C(1000000)

/* --- small questions ------------------------------------------------------------------ */

static unsigned dscp_entries(const struct rt_fake_port *port)
{
	unsigned count = 0;

	for (size_t i = 0; i < port->dcb.app.count; i++)
		count += port->dcb.app.items[i].selector == RT_APP_DSCP;
	return count;
}

/* The entry of a DSCP, or NULL. */
static struct rt_dcb_app *dscp_entry(struct rt_fake_port *port, unsigned dscp)
{
	for (size_t i = 0; i < port->dcb.app.count; i++)
		if (port->dcb.app.items[i].selector == RT_APP_DSCP &&
		    port->dcb.app.items[i].protocol == dscp)
			return &port->dcb.app.items[i];
	return NULL;
}

static bool pfc_changed(const struct rt_fake_port *port, unsigned part,
			const struct rt_fake_port *before)
{
	return part == RT_DCB_PFC && port->dcb.pfc.mask != before->dcb.pfc.mask;
}

/* --- mlx5 -------------------------------------------------------------------------------- */

/* A new mask toggles the port's link; the same mask is not even written. */
static void flap(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
		 const struct rt_fake_port *before)
{
	if (!pfc_changed(port, part, before))
		return;
	port->link.carrier_changes += 2;
	fake->flaps++;
}

/* Buffers follow the mask until somebody sets them; then they never do again. */
static void follow_pfc(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
		       const struct rt_fake_port *before)
{
	(void)fake;
	if (part == RT_DCB_BUFFER)
		port->buffer_manual = true;
	if (port->buffer_manual || !pfc_changed(port, part, before))
		return;
	for (unsigned i = 0; i < 8; i++)
		port->dcb.buffer.prio_buffer[i] = port->dcb.pfc.mask >> i & 1;
	memset(port->dcb.buffer.size_bytes, 0, sizeof(port->dcb.buffer.size_bytes));
	port->dcb.buffer.size_bytes[0] = port->dcb.buffer.total_bytes;
	if (!port->dcb.pfc.mask)
		return;
	port->dcb.buffer.size_bytes[1] = port->dcb.buffer.total_bytes / 4 * 3;
	port->dcb.buffer.size_bytes[0] -= port->dcb.buffer.size_bytes[1];
}

/* The delay is metres of cable; what is out of range is left as it was. */
static void keep_cable(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
		       const struct rt_fake_port *before)
{
	(void)fake;
	if (part == RT_DCB_PFC &&
	    (port->dcb.pfc.delay == 0 || port->dcb.pfc.delay >= 1000))
		port->dcb.pfc.delay = before->dcb.pfc.delay;
}

static int shares_sum_to_100(const struct rt_fake_port *port, unsigned part,
			     const struct rt_dcb_set *set)
{
	unsigned sum = 0, classes = 0;

	(void)port;
	if (part != RT_DCB_ETS)
		return 0;
	for (unsigned i = 0; i < 8; i++) {
		if (set->ets.tsa[i] == IEEE_8021QAZ_TSA_CB_SHAPER)
			return -EOPNOTSUPP;
		if (set->ets.tsa[i] != IEEE_8021QAZ_TSA_ETS)
			continue;
		sum += set->ets.bw[i];
		classes++;
	}
	return classes && sum != 100 ? -EINVAL : 0;
}

/* Firmware knows no share of a class without ETS: it reads as all of the link. */
static void whole_share(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
			const struct rt_fake_port *before)
{
	(void)fake;
	(void)before;
	for (unsigned i = 0; i < 8 && part == RT_DCB_ETS; i++)
		if (port->dcb.ets.tsa[i] != IEEE_8021QAZ_TSA_ETS)
			port->dcb.ets.bw[i] = 100;
}

/* Units of 100 Mb/s up to 25.5 Gb/s, then of 1 Gb/s up to 255 Gb/s. */
static uint64_t maxrate_unit(uint64_t bps)
{
	return bps <= 25500 * MBITPS ? 100 * MBITPS : 1000 * MBITPS;
}

static int maxrate_in_range(const struct rt_fake_port *port, unsigned part,
			    const struct rt_dcb_set *set)
{
	(void)port;
	for (unsigned i = 0; i < 8 && part == RT_DCB_MAXRATE; i++)
		if (set->maxrate_bps[i] > 255000 * MBITPS)
			return -EINVAL;
	return 0;
}

static void round_maxrate(struct rt_fake *fake, struct rt_fake_port *port,
			  unsigned part, const struct rt_fake_port *before)
{
	(void)fake;
	(void)before;
	for (unsigned i = 0; i < 8 && part == RT_DCB_MAXRATE; i++) {
		uint64_t *bps = &port->dcb.maxrate_bps[i];
		const uint64_t unit = maxrate_unit(*bps);

		*bps = (*bps + unit - 1) / unit * unit;
	}
}

/* While the firmware runs DCBX the host's ETS and PFC are taken and have no effect. */
static bool deaf_mlx5(const struct rt_fake_port *port, unsigned part)
{
	return part & (RT_DCB_ETS | RT_DCB_PFC) &&
	       !(port->dcb.dcbx & RT_DCBX_MODE_HOST);
}

/* 0 gives DCBX to the firmware, which shows as 0x0c, a mode that nobody may set. */
static int dcbx_mlx5(const struct rt_fake_port *port, uint8_t mode)
{
	(void)port;
	if (mode == 0)
		return RT_DCBX_MODE_CEE | RT_DCBX_MODE_IEEE;
	if (mode & RT_DCBX_MODE_LLD || !(mode & RT_DCBX_MODE_HOST))
		return -ECANCELED;
	return mode;
}

static int app_dscp_only(struct rt_fake_port *port, const struct rt_dcb_app *app,
			 bool add)
{
	(void)port;
	(void)add;
	return app->selector == RT_APP_DSCP && app->protocol < 64 ? 0 : -EINVAL;
}

/* Not one more entry, but the one of this DSCP: the old one goes. */
static int app_replaces(struct rt_fake_port *port, const struct rt_dcb_app *app,
			bool add)
{
	struct rt_dcb_app *have = add ? dscp_entry(port, app->protocol) : NULL;
	struct rt_dcb_apps *apps = &port->dcb.app;

	if (have) {
		*have = apps->items[--apps->count];
		memset(&apps->items[apps->count], 0, sizeof(*have));
	}
	return 0;
}

/* --- mlx4 -------------------------------------------------------------------------------- */

static void pfc_ends_pause(struct rt_fake *fake, struct rt_fake_port *port,
			   unsigned part, const struct rt_fake_port *before)
{
	(void)fake;
	(void)before;
	if (part == RT_DCB_PFC && port->dcb.pfc.mask)
		port->pause.rx = port->pause.tx = false;
}

static void pause_ends_pfc(struct rt_fake_port *port)
{
	if (port->pause.rx || port->pause.tx)
		port->dcb.pfc.mask = 0;
}

/* --- bnxt -------------------------------------------------------------------------------- */

static int needs_host_ieee(const struct rt_fake_port *port, unsigned part,
			   const struct rt_dcb_set *set)
{
	const uint8_t wants = RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE;

	(void)part;
	(void)set;
	return (port->dcb.dcbx & wants) == wants ? 0 : -EINVAL;
}

static int app_host_ieee(struct rt_fake_port *port, const struct rt_dcb_app *app,
			 bool add)
{
	(void)app;
	(void)add;
	return needs_host_ieee(port, RT_DCB_APP, NULL);
}

static int pfc_needs_ets(const struct rt_fake_port *port, unsigned part,
			 const struct rt_dcb_set *set)
{
	(void)set;
	return part == RT_DCB_PFC && !port->ets_set ? -EINVAL : 0;
}

/* Lossless traffic classes, not priorities, are few. */
static int lossless_in_cap(const struct rt_fake_port *port, unsigned part,
			   const struct rt_dcb_set *set)
{
	unsigned classes = 0;

	if (part != RT_DCB_PFC)
		return 0;
	for (unsigned i = 0; i < 8; i++)
		if (set->pfc.mask >> i & 1)
			classes |= 1u << (port->dcb.ets.prio_tc[i] & 7);
	return __builtin_popcount(classes) > port->dcb.pfc.cap ? -EINVAL : 0;
}

static int dcbx_bnxt(const struct rt_fake_port *port, uint8_t mode)
{
	const uint8_t wants = RT_DCBX_MODE_HOST | RT_DCBX_MODE_IEEE;

	return port->dcb.dcbx & RT_DCBX_MODE_LLD || mode & RT_DCBX_MODE_CEE ||
			       (mode & wants) != wants
		       ? -ECANCELED
		       : mode;
}

/* Queues are mapped anew, or (hns3) the client goes down and up. */
static void blip(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
		 const struct rt_fake_port *before)
{
	if (pfc_changed(port, part, before))
		fake->blips++;
}

/* --- ice --------------------------------------------------------------------------------- */

static int is_locked(const struct rt_fake_port *port)
{
	return port->dcb.dcbx & RT_DCBX_MODE_LLD ||
			       !(port->dcb.dcbx & RT_DCBX_MODE_IEEE) || port->bonded
		       ? -EINVAL
		       : 0;
}

static int set_locked(const struct rt_fake_port *port, unsigned part,
		      const struct rt_dcb_set *set)
{
	(void)part;
	(void)set;
	return is_locked(port);
}

static int app_locked(struct rt_fake_port *port, const struct rt_dcb_app *app, bool add)
{
	(void)app;
	(void)add;
	return is_locked(port);
}

/* An entry has to go before its DSCP gets another priority. */
static int app_no_remap(struct rt_fake_port *port, const struct rt_dcb_app *app,
			bool add)
{
	if (!add)
		return 0;
	return dscp_entry(port, app->protocol) || app->priority >= port->dcb.ets.cap
		       ? -EINVAL
		       : 0;
}

/*
 * The first entry switches the port to DSCP mode: ETS begins anew, and each priority
 * below the number of classes has its own.  The last one switches back to what the
 * driver begins with.
 */
static void mode_resets(struct rt_fake_port *port, const struct rt_fake_port *before)
{
	const unsigned had = dscp_entries(before), has = dscp_entries(port);
	struct rt_dcb_ets *ets = &port->dcb.ets;

	if (!had == !has)
		return;
	if (!has) {
		*ets = (struct rt_dcb_ets){ .willing = 1, .cap = ets->cap };
		port->dcb.pfc.mask = 0;
	}
	ets->willing = !has;
	memset(ets->bw, 0, sizeof(ets->bw));
	ets->bw[0] = 100;
	ets->tsa[0] = IEEE_8021QAZ_TSA_ETS;
	for (uint8_t i = 1; i < ets->cap && i < 8 && has; i++) {
		ets->tsa[i] = IEEE_8021QAZ_TSA_ETS;
		ets->prio_tc[i] = i;
	}
	if (has)
		ets->prio_tc[0] = 0;
}

/* In DSCP mode which priority has which class is fixed. */
static void keep_prio_tc(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
			 const struct rt_fake_port *before)
{
	(void)fake;
	if (part == RT_DCB_ETS && dscp_entries(port))
		memcpy(port->dcb.ets.prio_tc, before->dcb.ets.prio_tc, 8);
}

static int dcbx_ice(const struct rt_fake_port *port, uint8_t mode)
{
	return mode == port->dcb.dcbx || port->dcb.dcbx & RT_DCBX_MODE_LLD ||
			       mode & RT_DCBX_MODE_LLD || port->bonded ||
			       dscp_entries(port)
		       ? -ECANCELED
		       : mode;
}

/* By the name of today's driver, or that of older ones. */
static bool is_agent(const char *flag)
{
	return strcmp(flag, "fw-lldp-agent") == 0 ||
	       strcmp(flag, "enable-fw-lldp") == 0;
}

static int agent_may(const struct rt_fake_port *port, const char *flag, bool on)
{
	return is_agent(flag) && on && dscp_entries(port) ? -EOPNOTSUPP : 0;
}

static void agent_owns(struct rt_fake_port *port, const char *flag, bool on)
{
	if (is_agent(flag))
		port->dcb.dcbx = (uint8_t)(RT_DCBX_MODE_IEEE |
					   (on ? RT_DCBX_MODE_LLD : RT_DCBX_MODE_HOST));
}

static int pause_not_beside_pfc(const struct rt_fake_port *port)
{
	return port->dcb.pfc.mask ? -EOPNOTSUPP : 0;
}

/* --- hns3 -------------------------------------------------------------------------------- */

static int needs_ieee(const struct rt_fake_port *port, unsigned part,
		      const struct rt_dcb_set *set)
{
	(void)part;
	(void)set;
	return port->dcb.dcbx & RT_DCBX_MODE_IEEE ? 0 : -EINVAL;
}

static int dcbx_hns3(const struct rt_fake_port *port, uint8_t mode)
{
	(void)port;
	return mode & (RT_DCBX_MODE_LLD | RT_DCBX_MODE_CEE) ? -ECANCELED : mode;
}

/* --- the rows ------------------------------------------------------------------------------ */

static const struct quirk {
	uint32_t bit;
	const char *file;
	bool (*deaf)(const struct rt_fake_port *port, unsigned part);
	int (*may_set)(const struct rt_fake_port *port, unsigned part,
		       const struct rt_dcb_set *set);
	void (*after_set)(struct rt_fake *fake, struct rt_fake_port *port,
			  unsigned part, const struct rt_fake_port *before);
	int (*before_app)(struct rt_fake_port *port, const struct rt_dcb_app *app,
			  bool add);
	void (*after_app)(struct rt_fake_port *port, const struct rt_fake_port *before);
	int (*dcbx)(const struct rt_fake_port *port, uint8_t mode);
	int (*may_pause)(const struct rt_fake_port *port);
	void (*after_pause)(struct rt_fake_port *port);
	int (*may_flag)(const struct rt_fake_port *port, const char *flag, bool on);
	void (*after_flag)(struct rt_fake_port *port, const char *flag, bool on);
} quirks[] = {
	/* buffers before the flap: the driver writes both, then toggles */
	{ RT_FAKE_BUFFER_AUTO, "mlx5/core/en/port_buffer.c", .after_set = follow_pfc },
	{ RT_FAKE_PFC_FLAPS, "mlx5/core/en_dcbnl.c", .after_set = flap },
	{ RT_FAKE_CABLE_RANGE, "mlx5/core/en_dcbnl.c", .after_set = keep_cable },
	{ RT_FAKE_ETS_100, "mlx5/core/en_dcbnl.c", .may_set = shares_sum_to_100 },
	{ RT_FAKE_SHARE_100, "mlx5/core/en_dcbnl.c", .after_set = whole_share },
	{ RT_FAKE_MAXRATE_STEPS, "mlx5/core/en_dcbnl.c", .may_set = maxrate_in_range,
	  .after_set = round_maxrate },
	{ RT_FAKE_DCBX_MLX5, "mlx5/core/en_dcbnl.c", .deaf = deaf_mlx5,
	  .dcbx = dcbx_mlx5 },
	{ RT_FAKE_PAUSE_OR_PFC, "mlx4/en_dcb_nl.c, en_ethtool.c",
	  .after_set = pfc_ends_pause, .after_pause = pause_ends_pfc },
	{ RT_FAKE_NEEDS_HOST_IEEE, "broadcom/bnxt/bnxt_dcb.c",
	  .may_set = needs_host_ieee, .before_app = app_host_ieee },
	{ RT_FAKE_PFC_NEEDS_ETS, "broadcom/bnxt/bnxt_dcb.c", .may_set = pfc_needs_ets },
	{ RT_FAKE_LOSSLESS_CAP, "broadcom/bnxt/bnxt_dcb.c",
	  .may_set = lossless_in_cap },
	{ RT_FAKE_DCBX_BNXT, "broadcom/bnxt/bnxt_dcb.c", .dcbx = dcbx_bnxt },
	{ RT_FAKE_PFC_BLIPS, "broadcom/bnxt/bnxt_dcb.c, hns3/hns3pf/hclge_dcb.c",
	  .after_set = blip },
	{ RT_FAKE_LLD_LOCKS, "intel/ice/ice_dcb_nl.c", .may_set = set_locked,
	  .before_app = app_locked },
	{ RT_FAKE_APP_DSCP_ONLY, "mlx5/core/en_dcbnl.c, intel/ice/ice_dcb_nl.c",
	  .before_app = app_dscp_only },
	{ RT_FAKE_APP_REPLACES, "mlx5/core/en_dcbnl.c", .before_app = app_replaces },
	{ RT_FAKE_NO_REMAP, "intel/ice/ice_dcb_nl.c", .before_app = app_no_remap },
	{ RT_FAKE_DSCP_RESETS_ETS, "intel/ice/ice_dcb_nl.c", .after_set = keep_prio_tc,
	  .after_app = mode_resets },
	{ RT_FAKE_DCBX_ICE, "intel/ice/ice_dcb_nl.c", .dcbx = dcbx_ice },
	{ RT_FAKE_FW_AGENT, "intel/ice/ice_ethtool.c", .may_flag = agent_may,
	  .after_flag = agent_owns },
	{ RT_FAKE_NO_PAUSE_BY_PFC, "intel/ice/ice_ethtool.c, hns3/hns3pf/hclge_main.c",
	  .may_pause = pause_not_beside_pfc },
	{ RT_FAKE_PFC_ENDS_PAUSE, "hns3/hns3pf/hclge_main.c",
	  .after_set = pfc_ends_pause },
	{ RT_FAKE_NEEDS_IEEE, "hns3/hns3_dcbnl.c", .may_set = needs_ieee },
	{ RT_FAKE_DCBX_HNS3, "hns3/hns3pf/hclge_dcb.c", .dcbx = dcbx_hns3 },
};

/* The rows that the port has. */
#define for_each_quirk(row, port)                                                    \
	for (const struct quirk *row = quirks; row < quirks + RT_ARRAY_SIZE(quirks); \
	     row++)                                                                  \
		if ((port)->quirks & row->bit)

bool rt_fake_is_deaf(const struct rt_fake_port *port, unsigned part)
{
	for_each_quirk(row, port)
	{
		if (row->deaf && row->deaf(port, part))
			return true;
	}
	return false;
}

int rt_fake_may_set(const struct rt_fake_port *port, unsigned part,
		    const struct rt_dcb_set *set)
{
	for_each_quirk(row, port)
	{
		const int r = row->may_set ? row->may_set(port, part, set) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

void rt_fake_after_set(struct rt_fake *fake, struct rt_fake_port *port, unsigned part,
		       const struct rt_fake_port *before)
{
	for_each_quirk(row, port)
	{
		if (row->after_set)
			row->after_set(fake, port, part, before);
	}
}

int rt_fake_before_app(struct rt_fake_port *port, const struct rt_dcb_app *app,
		       bool add)
{
	for_each_quirk(row, port)
	{
		const int r = row->before_app ? row->before_app(port, app, add) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* ice leaks its own "hardware changed" codes, but for those that took a reset. */
int rt_fake_after_app(struct rt_fake_port *port, bool add,
		      const struct rt_fake_port *before)
{
	const unsigned had = dscp_entries(before), has = dscp_entries(port);

	for_each_quirk(row, port)
	{
		if (row->after_app)
			row->after_app(port, before);
	}
	if (!(port->quirks & RT_FAKE_ICE_CODES))
		return 0;
	return add ? had > 0 : has > 0 ? 2 : 0;
}

int rt_fake_dcbx(const struct rt_fake_port *port, uint8_t mode)
{
	for_each_quirk(row, port)
	{
		if (row->dcbx)
			return row->dcbx(port, mode);
	}
	return mode;
}

int rt_fake_may_pause(const struct rt_fake_port *port)
{
	for_each_quirk(row, port)
	{
		const int r = row->may_pause ? row->may_pause(port) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

void rt_fake_after_pause(struct rt_fake_port *port)
{
	for_each_quirk(row, port)
	{
		if (row->after_pause)
			row->after_pause(port);
	}
}

int rt_fake_may_flag(const struct rt_fake_port *port, const char *flag, bool on)
{
	for_each_quirk(row, port)
	{
		const int r = row->may_flag ? row->may_flag(port, flag, on) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

void rt_fake_after_flag(struct rt_fake_port *port, const char *flag, bool on)
{
	for_each_quirk(row, port)
	{
		if (row->after_flag)
			row->after_flag(port, flag, on);
	}
}

/* bnxt shows zeros until somebody has set something. */
void rt_fake_show(const struct rt_fake_port *port, struct rt_dcb *dcb)
{
	*dcb = port->dcb;
	if (!(port->quirks & RT_FAKE_ZEROS_FIRST))
		return;
	if (!port->ets_set)
		dcb->ets = (struct rt_dcb_ets){ .cap = dcb->ets.cap };
	if (!port->pfc_set)
		dcb->pfc = (struct rt_dcb_pfc){ .cap = dcb->pfc.cap };
}
