/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lldp_dcbx.c - what LLDP says of priorities.
 *
 * IEEE (802.1Q annex D.2.8 to D.2.11): a TLV each for ETS, its recommendation, PFC
 * and applications.  CEE and CIN (DCB capability exchange protocol base, rev 1.01
 * and before): one TLV, whose sub-TLVs have headers like TLVs and begin, but for the
 * first, with the state of a feature.
 */
#include <string.h>

#include "base/own.h"
#include "wire/lldp_rows.h"

const struct rt_name rt_dcbx_dialect_names[] = {
	{ "ieee", RT_DCBX_IEEE, "IEEE 802.1Qaz" },
	{ "cee", RT_DCBX_CEE, "Converged Enhanced Ethernet, base protocol 1.01" },
	{ "cin", RT_DCBX_CIN, "Cisco, Intel, Nuova: before CEE" },
	{ 0 },
};

/* --- parts of several TLVs ------------------------------------------------------- */

/* A nibble each; priority 0 is the high one of the first byte. */
static void get_nibbles(uint8_t out[RT_DCBX_PRIOS], struct rt_rd *value)
{
	for (unsigned prio = 0; prio < RT_DCBX_PRIOS; prio += 2) {
		const uint8_t both = rt_rd_u8(value);

		out[prio] = both >> 4;
		out[prio + 1] = both & 15;
	}
}

static void put_nibbles(const uint8_t nibbles[RT_DCBX_PRIOS], struct rt_wr *value)
{
	for (unsigned prio = 0; prio < RT_DCBX_PRIOS; prio += 2)
		rt_wr_u8(value,
			 (unsigned)nibbles[prio] << 4 | (nibbles[prio + 1] & 15));
}

static void get_bytes(uint8_t *out, size_t count, struct rt_rd *value)
{
	const uint8_t *at = rt_rd_take(value, count);

	if (at)
		memcpy(out, at, count);
}

/* --- IEEE -------------------------------------------------------------------------- */

static void get_ets_body(struct rt_dcbx_ets *ets, struct rt_rd *value)
{
	get_nibbles(ets->prio_tc, value);
	get_bytes(ets->bw_percent, 8, value);
	get_bytes(ets->tsa, 8, value);
	ets->enabled = true;
	ets->present = true;
}

static void put_ets_body(const struct rt_dcbx_ets *ets, struct rt_wr *value)
{
	put_nibbles(ets->prio_tc, value);
	rt_wr_bytes(value, ets->bw_percent, 8);
	rt_wr_bytes(value, ets->tsa, 8);
}

static const char *get_ieee_ets(struct rt_lldp *lldp, struct rt_rd *value)
{
	struct rt_dcbx *ieee = &lldp->dcbx[RT_DCBX_IEEE];
	const uint8_t head = rt_rd_u8(value);

	if (ieee->ets.present)
		return RT_LLDP_TWICE;
	ieee->ets.willing = head & 0x80;
	ieee->ets.cbs = head & 0x40;
	ieee->ets.tc_count = head & 7 ? head & 7 : 8;
	get_ets_body(&ieee->ets, value);
	ieee->present = true;
	return NULL;
}

static bool put_ieee_ets(const struct rt_lldp *lldp, struct rt_wr *value)
{
	const struct rt_dcbx_ets *ets = &lldp->dcbx[RT_DCBX_IEEE].ets;

	rt_wr_u8(value, (ets->willing ? 0x80u : 0) | (ets->cbs ? 0x40u : 0) |
				(ets->tc_count & 7));
	put_ets_body(ets, value);
	return ets->present;
}

static const char *get_ieee_reco(struct rt_lldp *lldp, struct rt_rd *value)
{
	struct rt_dcbx *ieee = &lldp->dcbx[RT_DCBX_IEEE];

	if (ieee->reco.present)
		return RT_LLDP_TWICE;
	rt_rd_u8(value);
	get_ets_body(&ieee->reco, value);
	ieee->present = true;
	return NULL;
}

static bool put_ieee_reco(const struct rt_lldp *lldp, struct rt_wr *value)
{
	const struct rt_dcbx_ets *reco = &lldp->dcbx[RT_DCBX_IEEE].reco;

	rt_wr_u8(value, 0);
	put_ets_body(reco, value);
	return reco->present;
}

static const char *get_ieee_pfc(struct rt_lldp *lldp, struct rt_rd *value)
{
	struct rt_dcbx *ieee = &lldp->dcbx[RT_DCBX_IEEE];
	const uint8_t head = rt_rd_u8(value);

	if (ieee->pfc.present)
		return RT_LLDP_TWICE;
	ieee->pfc = (struct rt_dcbx_pfc){
		.present = true,
		.enabled = true,
		.willing = head & 0x80,
		.mbc = head & 0x40,
		.tc_count = head & 15,
		.prio_mask = rt_rd_u8(value),
	};
	ieee->present = true;
	return NULL;
}

static bool put_ieee_pfc(const struct rt_lldp *lldp, struct rt_wr *value)
{
	const struct rt_dcbx_pfc *pfc = &lldp->dcbx[RT_DCBX_IEEE].pfc;

	rt_wr_u8(value, (pfc->willing ? 0x80u : 0) | (pfc->mbc ? 0x40u : 0) |
				(pfc->tc_count & 15));
	rt_wr_u8(value, pfc->prio_mask);
	return pfc->present;
}

/* Priority in the upper three bits, selector in the lower three; protocol. */
static const char *get_ieee_apps(struct rt_lldp *lldp, struct rt_rd *value)
{
	struct rt_dcbx *ieee = &lldp->dcbx[RT_DCBX_IEEE];
	struct rt_dcbx_apps *apps = &ieee->apps;

	rt_rd_u8(value);
	if (apps->present)
		return RT_LLDP_TWICE;
	if (rt_rd_left(value) % 3)
		return "holds no whole number of entries";
	while (rt_rd_left(value)) {
		const uint8_t head = rt_rd_u8(value);

		apps->items[apps->count++] = (struct rt_dcbx_app){
			.selector = head & 7,
			.prio_mask = (uint8_t)(1u << (head >> 5)),
			.protocol = rt_rd_be16(value),
		};
	}
	apps->present = apps->enabled = true;
	ieee->present = true;
	return NULL;
}

static bool put_ieee_apps(const struct rt_lldp *lldp, struct rt_wr *value)
{
	const struct rt_dcbx_apps *apps = &lldp->dcbx[RT_DCBX_IEEE].apps;

	rt_wr_u8(value, 0);
	for (unsigned i = 0; i < apps->count && i < RT_DCBX_APP_MAX; i++) {
		const struct rt_dcbx_app *app = &apps->items[i];
		const unsigned prio = app->prio_mask
					      ? (unsigned)__builtin_ctz(app->prio_mask)
					      : 0;

		rt_wr_u8(value, prio << 5 | (app->selector & 7));
		rt_wr_be16(value, app->protocol);
	}
	return apps->present;
}

/* --- CEE and CIN ------------------------------------------------------------------- */

/* Every feature begins so: versions, state, and a subtype that nobody uses. */
struct feature {
	bool enabled, willing, error;
};

static struct feature get_feature(struct rt_rd *value)
{
	uint8_t flags;

	rt_rd_be16(value);
	flags = rt_rd_u8(value);
	rt_rd_u8(value);
	return (struct feature){ flags & 0x80, flags & 0x40, flags & 0x20 };
}

static void put_feature(bool enabled, bool willing, bool error, struct rt_wr *value)
{
	rt_wr_be16(value, 0);
	rt_wr_u8(value,
		 (enabled ? 0x80u : 0) | (willing ? 0x40u : 0) | (error ? 0x20u : 0));
	rt_wr_u8(value, 0);
}

static const char *get_control(struct rt_dcbx *dcbx, struct rt_rd *value)
{
	if (dcbx->control.present)
		return RT_LLDP_TWICE;
	dcbx->control.present = true;
	dcbx->control.oper_version = rt_rd_u8(value);
	dcbx->control.max_version = rt_rd_u8(value);
	dcbx->control.sequence = rt_rd_be32(value);
	dcbx->control.acknowledged = rt_rd_be32(value);
	return NULL;
}

static bool put_control(const struct rt_dcbx *dcbx, struct rt_wr *value)
{
	rt_wr_u8(value, dcbx->control.oper_version);
	rt_wr_u8(value, dcbx->control.max_version);
	rt_wr_be32(value, dcbx->control.sequence);
	rt_wr_be32(value, dcbx->control.acknowledged);
	return dcbx->control.present;
}

static const char *get_groups(struct rt_dcbx *dcbx, struct rt_rd *value)
{
	const struct feature is = get_feature(value);
	struct rt_dcbx_ets *ets = &dcbx->ets;

	if (ets->present)
		return RT_LLDP_TWICE;
	*ets = (struct rt_dcbx_ets){
		.present = true,
		.enabled = is.enabled,
		.willing = is.willing,
		.error = is.error,
	};
	get_nibbles(ets->prio_tc, value);
	get_bytes(ets->bw_percent, 8, value);
	ets->tc_count = rt_rd_u8(value);
	memset(ets->tsa, RT_DCBX_TSA_ETS, sizeof(ets->tsa));
	return NULL;
}

static bool put_groups(const struct rt_dcbx *dcbx, struct rt_wr *value)
{
	const struct rt_dcbx_ets *ets = &dcbx->ets;

	put_feature(ets->enabled, ets->willing, ets->error, value);
	put_nibbles(ets->prio_tc, value);
	rt_wr_bytes(value, ets->bw_percent, 8);
	rt_wr_u8(value, ets->tc_count);
	return ets->present;
}

/* CIN's ends before the number of classes. */
static const char *get_pfc(struct rt_dcbx *dcbx, struct rt_rd *value)
{
	const struct feature is = get_feature(value);

	if (dcbx->pfc.present)
		return RT_LLDP_TWICE;
	dcbx->pfc = (struct rt_dcbx_pfc){
		.present = true,
		.enabled = is.enabled,
		.willing = is.willing,
		.error = is.error,
		.prio_mask = rt_rd_u8(value),
		.tc_count = rt_rd_left(value) ? rt_rd_u8(value) : 0,
	};
	return NULL;
}

static bool put_pfc(const struct rt_dcbx *dcbx, struct rt_wr *value)
{
	const struct rt_dcbx_pfc *pfc = &dcbx->pfc;

	put_feature(pfc->enabled, pfc->willing, pfc->error, value);
	rt_wr_u8(value, pfc->prio_mask);
	rt_wr_u8(value, pfc->tc_count);
	return pfc->present;
}

static bool put_pfc_cin(const struct rt_dcbx *dcbx, struct rt_wr *value)
{
	const struct rt_dcbx_pfc *pfc = &dcbx->pfc;

	put_feature(pfc->enabled, pfc->willing, pfc->error, value);
	rt_wr_u8(value, pfc->prio_mask);
	return pfc->present;
}

/* An entry: protocol; upper bits of an OUI and the selector; the rest; priorities. */
#define CEE_APP_BYTES 6
#define CEE_SOCKET    1 /* selector: TCP or UDP port; 0: Ethertype */

static const char *get_apps(struct rt_dcbx *dcbx, struct rt_rd *value)
{
	const struct feature is = get_feature(value);
	struct rt_dcbx_apps *apps = &dcbx->apps;

	if (apps->present)
		return RT_LLDP_TWICE;
	if (rt_rd_left(value) % CEE_APP_BYTES)
		return "holds no whole number of entries";
	while (rt_rd_left(value)) {
		const uint16_t protocol = rt_rd_be16(value);
		const uint8_t selector = rt_rd_u8(value) & 3;
		const uint16_t low_oui = rt_rd_be16(value);
		const uint8_t prio_mask = rt_rd_u8(value);

		(void)low_oui;              /* senders differ in it */
		if (selector <= CEE_SOCKET) /* others are reserved */
			apps->items[apps->count++] = (struct rt_dcbx_app){
				.selector = selector == CEE_SOCKET ? RT_DCBX_PORT
								   : RT_DCBX_ETHERTYPE,
				.prio_mask = prio_mask,
				.protocol = protocol,
			};
	}
	apps->present = true;
	apps->enabled = is.enabled;
	apps->willing = is.willing;
	apps->error = is.error;
	return NULL;
}

static bool put_apps(const struct rt_dcbx *dcbx, struct rt_wr *value)
{
	const struct rt_dcbx_apps *apps = &dcbx->apps;

	put_feature(apps->enabled, apps->willing, apps->error, value);
	for (unsigned i = 0; i < apps->count && i < RT_DCBX_APP_MAX; i++) {
		const struct rt_dcbx_app *app = &apps->items[i];
		const uint32_t oui = RT_OUI_DCBX;
		const unsigned selector = app->selector == RT_DCBX_ETHERTYPE
						  ? 0
						  : CEE_SOCKET;

		if (value->end - value->at < CEE_APP_BYTES)
			break;
		rt_wr_be16(value, app->protocol);
		rt_wr_u8(value, (oui >> 16 & 0xFC) | selector);
		rt_wr_be16(value, oui & 0xFFFF);
		rt_wr_u8(value, app->prio_mask);
	}
	return apps->present;
}

/* Sub-TLVs; type is that of the sub-TLV, lengths those of its value. */
struct sub_row {
	const char *name;
	uint8_t type;
	uint16_t min, max;
	const char *(*get)(struct rt_dcbx *dcbx, struct rt_rd *value);
	bool (*put)(const struct rt_dcbx *dcbx, struct rt_wr *value);
};

static const struct sub_row cee_rows[] = {
	{ "CEE control", 1, 10, 10, get_control, put_control },
	{ "CEE priority groups", 2, 17, 17, get_groups, put_groups },
	{ "CEE priority flow control", 3, 6, 6, get_pfc, put_pfc },
	{ "CEE applications", 4, 4, RT_LLDP_VALUE_MAX, get_apps, put_apps },
};

/* Its groups and applications are made otherwise and are not read. */
static const struct sub_row cin_rows[] = {
	{ "CIN control", 1, 10, 10, get_control, put_control },
	{ "CIN priority flow control", 3, 5, 5, get_pfc, put_pfc_cin },
};

struct sub_table {
	const struct sub_row *rows;
	size_t count;
	enum rt_dcbx_dialect dialect;
	uint8_t subtype;
};

static const struct sub_table cee = { cee_rows, RT_ARRAY_SIZE(cee_rows), RT_DCBX_CEE,
				      2 };
static const struct sub_table cin = { cin_rows, RT_ARRAY_SIZE(cin_rows), RT_DCBX_CIN,
				      1 };

static void take_sub(struct rt_lldp *lldp, const struct sub_table *table, uint8_t type,
		     struct rt_rd value)
{
	const size_t offset = rt_rd_offset(&value) - 2; /* of its header */
	const struct sub_row *row = NULL;
	const char *why = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].type == type)
			row = &table->rows[i];
	if (!row)
		return;
	if (rt_rd_left(&value) < row->min)
		why = "is too short";
	else if (rt_rd_left(&value) > row->max)
		why = "is too long";
	else
		why = row->get(&lldp->dcbx[table->dialect], &value);
	if (why) {
		const struct rt_lldp_row as = { .name = row->name,
						.subtype = type,
						.oui = RT_OUI_DCBX };

		rt_lldp_fault(lldp, offset, &as, RT_LLDP_ORG, why);
	}
}

static const char *get_subs(struct rt_lldp *lldp, const struct sub_table *table,
			    struct rt_rd *value)
{
	if (lldp->dcbx[table->dialect].present)
		return RT_LLDP_TWICE;
	lldp->dcbx[table->dialect].present = true;
	while (rt_rd_left(value) >= 2) {
		const uint16_t head = rt_rd_be16(value);
		const size_t bytes = head & RT_LLDP_VALUE_MAX;
		const uint8_t *at = rt_rd_take(value, bytes);

		if (!at)
			return "has a part that is longer than itself";
		if (head >> 9 == 0) /* End, in CIN */
			break;
		take_sub(lldp, table, (uint8_t)(head >> 9),
			 (struct rt_rd){ at, at + bytes, false, value->origin });
	}
	return NULL;
}

static bool put_subs(const struct rt_lldp *lldp, const struct sub_table *table,
		     struct rt_wr *value)
{
	const struct rt_dcbx *dcbx = &lldp->dcbx[table->dialect];

	for (const struct sub_row *row = table->rows; row < table->rows + table->count;
	     row++) {
		uint8_t bytes[RT_LLDP_VALUE_MAX];
		const ptrdiff_t room = value->end - value->at - 2;
		struct rt_wr to = { bytes, bytes + (room > 0 ? room : 0), false };

		if (!row->put(dcbx, &to) || to.bad)
			continue;
		rt_wr_be16(value, (unsigned)row->type << 9 | (unsigned)(to.at - bytes));
		rt_wr_bytes(value, bytes, (size_t)(to.at - bytes));
	}
	return dcbx->present;
}

static const char *get_cee(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_subs(lldp, &cee, value);
}

static bool put_cee(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_subs(lldp, &cee, value);
}

static const char *get_cin(struct rt_lldp *lldp, struct rt_rd *value)
{
	return get_subs(lldp, &cin, value);
}

static bool put_cin(const struct rt_lldp *lldp, struct rt_wr *value)
{
	return put_subs(lldp, &cin, value);
}

#define ORG_MAX (RT_LLDP_VALUE_MAX - RT_LLDP_ORG_BYTES)

const struct rt_lldp_row rt_lldp_dcbx_rows[] = {
	{ "ETS Configuration", RT_LLDP_ORG, 9, RT_OUI_8021, 21, 21, get_ieee_ets,
	  put_ieee_ets },
	{ "ETS Recommendation", RT_LLDP_ORG, 10, RT_OUI_8021, 21, 21, get_ieee_reco,
	  put_ieee_reco },
	{ "PFC Configuration", RT_LLDP_ORG, 11, RT_OUI_8021, 2, 2, get_ieee_pfc,
	  put_ieee_pfc },
	{ "Application Priority", RT_LLDP_ORG, 12, RT_OUI_8021, 1, ORG_MAX,
	  get_ieee_apps, put_ieee_apps },
	{ "CEE DCBX", RT_LLDP_ORG, 2, RT_OUI_DCBX, 0, ORG_MAX, get_cee, put_cee },
	{ "CIN DCBX", RT_LLDP_ORG, 1, RT_OUI_DCBX, 0, ORG_MAX, get_cin, put_cin },
};

const size_t rt_lldp_dcbx_row_count = RT_ARRAY_SIZE(rt_lldp_dcbx_rows);
