/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dcbnl.c - Data Center Bridging: linux/dcbnl.h, net/dcb/dcbnl.c of the kernel.
 *
 * Devices are known by name only.  A write that the driver refuses is a success of
 * netlink whose answer carries the errno as a signed byte; a setter that the driver
 * lacks is skipped and succeeds.
 */
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "kern/live.h"
#include "rocetune/err.h"

/* Newer than the headers of some distributions (Linux 6.0). */
#define ATTR_APP_TRUST_TABLE 11
#define ATTR_IEEE_MAX        ATTR_APP_TRUST_TABLE
#define ATTR_DCB_APP         2 /* entries of the PCP selector, Linux 6.0 too */

#define BPS_PER_KBITPS 1000u /* struct ieee_maxrate counts kbit/s */

/* --- what answers say ---------------------------------------------------------------- */

/* Payloads are aligned to 4 bytes only: they are copied out before they are looked at. */
static bool copy_struct(const struct nlattr *attr, void *to, size_t bytes)
{
	if (!attr || (size_t)nla_len(attr) < bytes)
		return false;
	memcpy(to, nla_data(attr), bytes);
	return true;
}

static void from_ets(const struct ieee_ets *from, struct rt_dcb_ets *to)
{
	to->willing = from->willing;
	to->cap = from->ets_cap;
	to->cbs = from->cbs;
	memcpy(to->bw, from->tc_tx_bw, 8);
	memcpy(to->rx_bw, from->tc_rx_bw, 8);
	memcpy(to->tsa, from->tc_tsa, 8);
	memcpy(to->prio_tc, from->prio_tc, 8);
	memcpy(to->reco_bw, from->tc_reco_bw, 8);
	memcpy(to->reco_tsa, from->tc_reco_tsa, 8);
	memcpy(to->reco_prio_tc, from->reco_prio_tc, 8);
}

static bool parse_ets(const struct nlattr *attr, struct rt_dcb_ets *ret)
{
	struct ieee_ets ets;

	if (!copy_struct(attr, &ets, sizeof(ets)))
		return false;
	from_ets(&ets, ret);
	return true;
}

static bool parse_pfc(const struct nlattr *attr, struct rt_dcb_pfc *ret)
{
	struct ieee_pfc pfc;

	if (!copy_struct(attr, &pfc, sizeof(pfc)))
		return false;
	ret->cap = pfc.pfc_cap;
	ret->mask = pfc.pfc_en;
	ret->mbc = pfc.mbc;
	ret->delay = pfc.delay;
	memcpy(ret->requests, pfc.requests, sizeof(ret->requests));
	memcpy(ret->indications, pfc.indications, sizeof(ret->indications));
	return true;
}

static bool parse_maxrate(const struct nlattr *attr, uint64_t ret_bps[8])
{
	struct ieee_maxrate rate;

	if (!copy_struct(attr, &rate, sizeof(rate)))
		return false;
	for (unsigned i = 0; i < 8; i++)
		if (__builtin_mul_overflow((uint64_t)rate.tc_maxrate[i], BPS_PER_KBITPS,
					   &ret_bps[i]))
			return false;
	return true;
}

static bool parse_buffer(const struct nlattr *attr, struct rt_dcb_buffer *ret)
{
	struct dcbnl_buffer buffer;

	if (!copy_struct(attr, &buffer, sizeof(buffer)))
		return false;
	memcpy(ret->prio_buffer, buffer.prio2buffer, 8);
	memcpy(ret->size_bytes, buffer.buffer_size, sizeof(ret->size_bytes));
	ret->total_bytes = buffer.total_size;
	return true;
}

static bool parse_apps(const struct nlattr *nest, struct rt_dcb_apps *ret)
{
	int left = nla_len(nest);
	struct nlattr *attr;

	for (attr = nla_data(nest); nla_ok(attr, left); attr = nla_next(attr, &left)) {
		struct dcb_app app;

		if (nla_type(attr) != DCB_ATTR_IEEE_APP &&
		    nla_type(attr) != ATTR_DCB_APP)
			continue;
		if (ret->count == RT_DCB_APP_MAX ||
		    !copy_struct(attr, &app, sizeof(app)))
			return false;
		ret->items[ret->count++] = (struct rt_dcb_app){
			.selector = app.selector,
			.priority = app.priority,
			.protocol = app.protocol,
		};
	}
	return true;
}

static bool parse_trust(const struct nlattr *nest, struct rt_dcb *ret)
{
	int left = nla_len(nest);
	struct nlattr *attr;

	for (attr = nla_data(nest); nla_ok(attr, left); attr = nla_next(attr, &left)) {
		if (nla_len(attr) < 1 || ret->trust_count == sizeof(ret->trust))
			return false;
		ret->trust[ret->trust_count++] = nla_get_u8(attr);
	}
	return true;
}

/* One member of the IEEE nest; members that a driver lacks are absent. */
static bool parse_member(int type, const struct nlattr *attr, struct rt_dcb *dcb)
{
	switch (type) {
	case DCB_ATTR_IEEE_ETS: return parse_ets(attr, &dcb->ets);
	case DCB_ATTR_IEEE_PFC: return parse_pfc(attr, &dcb->pfc);
	case DCB_ATTR_IEEE_MAXRATE: return parse_maxrate(attr, dcb->maxrate_bps);
	case DCB_ATTR_DCB_BUFFER: return parse_buffer(attr, &dcb->buffer);
	case DCB_ATTR_IEEE_APP_TABLE: return parse_apps(attr, &dcb->app);
	case DCB_ATTR_IEEE_PEER_ETS: return parse_ets(attr, &dcb->peer_ets);
	case DCB_ATTR_IEEE_PEER_PFC: return parse_pfc(attr, &dcb->peer_pfc);
	case DCB_ATTR_IEEE_PEER_APP: return parse_apps(attr, &dcb->peer_app);
	case ATTR_APP_TRUST_TABLE: return parse_trust(attr, dcb);
	}
	return false;
}

/* The members we know, and the bits that say that they hold. */
static const struct {
	int type;
	unsigned has;
	const char *name;
} members[] = {
	{ DCB_ATTR_IEEE_ETS, RT_DCB_ETS, "ETS" },
	{ DCB_ATTR_IEEE_PFC, RT_DCB_PFC, "PFC" },
	{ DCB_ATTR_IEEE_MAXRATE, RT_DCB_MAXRATE, "rate limits" },
	{ DCB_ATTR_DCB_BUFFER, RT_DCB_BUFFER, "buffers" },
	{ DCB_ATTR_IEEE_APP_TABLE, RT_DCB_APP, "APP entries" },
	{ DCB_ATTR_IEEE_PEER_ETS, RT_DCB_PEER_ETS, "the peer's ETS" },
	{ DCB_ATTR_IEEE_PEER_PFC, RT_DCB_PEER_PFC, "the peer's PFC" },
	{ DCB_ATTR_IEEE_PEER_APP, RT_DCB_PEER_APP, "the peer's APP entries" },
	{ ATTR_APP_TRUST_TABLE, RT_DCB_TRUST, "the trust table" },
};

/* Top attributes of an answer behind struct dcbmsg. */
static int parse_top(const void *payload, size_t bytes,
		     struct nlattr *attrs[DCB_ATTR_MAX + 1])
{
	if (bytes < sizeof(struct dcbmsg))
		return -EPROTO;
	return rt_nl_attrs((const char *)payload + sizeof(struct dcbmsg),
			   bytes - sizeof(struct dcbmsg), NULL, DCB_ATTR_MAX, attrs);
}

int rt_dcbnl_parse(const void *payload, size_t bytes, struct rt_dcb *ret_dcb,
		   struct rt_err *err)
{
	struct nlattr *top[DCB_ATTR_MAX + 1], *ieee[ATTR_IEEE_MAX + 1] = { 0 };
	struct rt_dcb dcb = { 0 };

	if (parse_top(payload, bytes, top) < 0 ||
	    (top[DCB_ATTR_IEEE] &&
	     rt_nl_nested(top[DCB_ATTR_IEEE], NULL, ATTR_IEEE_MAX, ieee) < 0))
		return rt_err_set(err, -EPROTO, "an answer that makes no sense");
	for (size_t i = 0; i < RT_ARRAY_SIZE(members); i++) {
		const struct nlattr *attr = ieee[members[i].type];

		if (!attr)
			continue;
		if (!parse_member(members[i].type, attr, &dcb))
			return rt_err_set(err, -EPROTO, "%s: they make no sense",
					  members[i].name);
		dcb.has |= members[i].has;
	}
	if (top[DCB_ATTR_DCBX] && nla_len(top[DCB_ATTR_DCBX]) >= 1) {
		dcb.dcbx = nla_get_u8(top[DCB_ATTR_DCBX]);
		dcb.has |= RT_DCB_DCBX;
	}
	*ret_dcb = dcb;
	return 0;
}

int rt_dcbnl_parse_result(const void *payload, size_t bytes, uint8_t command,
			  int *ret_result, struct rt_err *err)
{
	const int type = command == DCB_CMD_SDCBX ? DCB_ATTR_DCBX : DCB_ATTR_IEEE;
	struct nlattr *top[DCB_ATTR_MAX + 1];
	uint8_t byte;

	if (parse_top(payload, bytes, top) < 0 || !top[type] || nla_len(top[type]) < 1)
		return rt_err_set(err, -EPROTO, "an answer without a result");
	byte = nla_get_u8(top[type]);
	if (command == DCB_CMD_SDCBX)
		*ret_result = byte ? -ECANCELED : 0;
	else
		*ret_result = (int8_t)byte;
	return 0;
}

/* --- requests -------------------------------------------------------------------------- */

/* NULL: out of memory. */
static struct nl_msg *request(int type, uint8_t command, const char *netdev)
{
	const struct dcbmsg head = { .dcb_family = AF_UNSPEC, .cmd = command };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	if (msg && (nlmsg_append(msg, (void *)(uintptr_t)&head, sizeof(head),
				 NLMSG_ALIGNTO) < 0 ||
		    nla_put_string(msg, DCB_ATTR_IFNAME, netdev) < 0)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static int take_state(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_dcbnl_parse(payload, bytes, context, err);
}

int rt_live_dcb_get(struct rt_kern *kern, const char *netdev, struct rt_dcb *ret_dcb,
		    struct rt_err *err)
{
	struct rt_dcb dcb = { 0 };
	const struct rt_nl_answer answer = { .type = RTM_GETDCB,
					     .take = take_state,
					     .context = &dcb };
	char doing[RT_DOING_BYTES];
	int r = rt_ifname_check(netdev, err);

	if (r == 0)
		r = rt_nl_ask(&rt_live_of(kern)->route, NETLINK_ROUTE,
			      request(RTM_GETDCB, DCB_CMD_IEEE_GET, netdev),
			      rt_doing(doing, netdev, "cannot read the DCB state"),
			      &answer, err);
	if (r < 0)
		return r;
	*ret_dcb = dcb;
	return 0;
}

struct result {
	uint8_t command;
	bool told;
	int code;
};

static int take_result(void *context, const void *payload, size_t bytes,
		       struct rt_err *err)
{
	struct result *result = context;

	result->told = true;
	return rt_dcbnl_parse_result(payload, bytes, result->command, &result->code,
				     err);
}

/* Takes msg.  The driver's answer, which may be positive. */
static int write_request(struct rt_kern *kern, const char *netdev, uint8_t command,
			 const char *doing, struct nl_msg *msg, struct rt_err *err)
{
	struct result result = { .command = command };
	const struct rt_nl_answer answer = { .type = RTM_SETDCB,
					     .take = take_result,
					     .context = &result };
	char text[RT_DOING_BYTES];
	int r = rt_nl_ask(&rt_live_of(kern)->route, NETLINK_ROUTE, msg,
			  rt_doing(text, netdev, doing), &answer, err);

	if (r < 0)
		return r;
	if (!result.told)
		return rt_err_set(err, -EPROTO, "%s: the kernel gave no result", text);
	if (result.code == -ECANCELED && command == DCB_CMD_SDCBX)
		return rt_err_set(err, -ECANCELED, "%s: the driver refused", text);
	if (result.code < 0)
		return rt_err_sys(err, result.code, "%s: the driver refused", text);
	return result.code;
}

static int put_ets(struct nl_msg *msg, const struct rt_dcb_ets *from)
{
	struct ieee_ets ets = { .willing = from->willing,
				.ets_cap = from->cap,
				.cbs = from->cbs };

	memcpy(ets.tc_tx_bw, from->bw, 8);
	memcpy(ets.tc_rx_bw, from->rx_bw, 8);
	memcpy(ets.tc_tsa, from->tsa, 8);
	memcpy(ets.prio_tc, from->prio_tc, 8);
	memcpy(ets.tc_reco_bw, from->reco_bw, 8);
	memcpy(ets.tc_reco_tsa, from->reco_tsa, 8);
	memcpy(ets.reco_prio_tc, from->reco_prio_tc, 8);
	return nla_put(msg, DCB_ATTR_IEEE_ETS, sizeof(ets), &ets);
}

static int put_pfc(struct nl_msg *msg, const struct rt_dcb_pfc *from)
{
	const struct ieee_pfc pfc = { .pfc_cap = from->cap,
				      .pfc_en = from->mask,
				      .mbc = from->mbc,
				      .delay = from->delay };

	return nla_put(msg, DCB_ATTR_IEEE_PFC, sizeof(pfc), &pfc);
}

/* A limit below 1 kbit/s must not become 0, which is none. */
static int put_maxrate(struct nl_msg *msg, const uint64_t bps[8])
{
	struct ieee_maxrate rate = { 0 };

	for (unsigned i = 0; i < 8; i++)
		rate.tc_maxrate[i] = bps[i] / BPS_PER_KBITPS +
				     (bps[i] % BPS_PER_KBITPS != 0);
	return nla_put(msg, DCB_ATTR_IEEE_MAXRATE, sizeof(rate), &rate);
}

static int put_buffer(struct nl_msg *msg, const struct rt_dcb_buffer *from)
{
	struct dcbnl_buffer buffer = { .total_size = from->total_bytes };

	memcpy(buffer.prio2buffer, from->prio_buffer, 8);
	memcpy(buffer.buffer_size, from->size_bytes, sizeof(buffer.buffer_size));
	return nla_put(msg, DCB_ATTR_DCB_BUFFER, sizeof(buffer), &buffer);
}

struct nl_msg *rt_dcbnl_set_request(const char *netdev, const struct rt_dcb_set *set)
{
	struct nl_msg *msg = request(RTM_SETDCB, DCB_CMD_IEEE_SET, netdev);
	struct nlattr *nest = msg ? nla_nest_start(msg, DCB_ATTR_IEEE) : NULL;

	if (!nest || (set->has & RT_DCB_ETS && put_ets(msg, &set->ets) < 0) ||
	    (set->has & RT_DCB_MAXRATE && put_maxrate(msg, set->maxrate_bps) < 0) ||
	    (set->has & RT_DCB_PFC && put_pfc(msg, &set->pfc) < 0) ||
	    (set->has & RT_DCB_BUFFER && put_buffer(msg, &set->buffer) < 0)) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, nest);
	return msg;
}

/* "cannot set ETS, PFC" */
static void name_parts(unsigned has, char buf[RT_DOING_BYTES])
{
	const unsigned settable = RT_DCB_ETS | RT_DCB_PFC | RT_DCB_MAXRATE |
				  RT_DCB_BUFFER;
	const char *before = " ";

	strcpy(buf, "cannot set");
	for (size_t i = 0; i < RT_ARRAY_SIZE(members); i++) {
		if (!(has & settable & members[i].has))
			continue;
		strcat(buf, before);
		strcat(buf, members[i].name);
		before = ", ";
	}
}

int rt_live_dcb_set(struct rt_kern *kern, const char *netdev,
		    const struct rt_dcb_set *set, struct rt_err *err)
{
	char doing[RT_DOING_BYTES];
	int r = rt_ifname_check(netdev, err);

	if (r < 0)
		return r;
	name_parts(set->has, doing);
	return write_request(kern, netdev, DCB_CMD_IEEE_SET, doing,
			     rt_dcbnl_set_request(netdev, set), err);
}

static struct nl_msg *app_request(const char *netdev, uint8_t command,
				  const struct rt_dcb_app *from)
{
	const struct dcb_app app = { .selector = from->selector,
				     .priority = from->priority,
				     .protocol = from->protocol };
	const int type = from->selector == RT_APP_PCP ? ATTR_DCB_APP
						      : DCB_ATTR_IEEE_APP;
	struct nl_msg *msg = request(RTM_SETDCB, command, netdev);
	struct nlattr *ieee = msg ? nla_nest_start(msg, DCB_ATTR_IEEE) : NULL;
	struct nlattr *table = ieee ? nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE)
				    : NULL;

	if (!table || nla_put(msg, type, sizeof(app), &app) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, table);
	nla_nest_end(msg, ieee);
	return msg;
}

/* One entry a message: the kernel stops at an answer that is not 0 (ice: 1, 2). */
static int write_app(struct rt_kern *kern, const char *netdev, uint8_t command,
		     const struct rt_dcb_app *app, struct rt_err *err)
{
	char doing[RT_DOING_BYTES];
	int r = rt_ifname_check(netdev, err);

	if (r < 0)
		return r;
	snprintf(doing, sizeof(doing), "cannot %s APP entry %u/%u to priority %u",
		 command == DCB_CMD_IEEE_SET ? "add" : "delete", app->selector,
		 app->protocol, app->priority);
	return write_request(kern, netdev, command, doing,
			     app_request(netdev, command, app), err);
}

int rt_live_dcb_app_add(struct rt_kern *kern, const char *netdev,
			const struct rt_dcb_app *app, struct rt_err *err)
{
	return write_app(kern, netdev, DCB_CMD_IEEE_SET, app, err);
}

int rt_live_dcb_app_delete(struct rt_kern *kern, const char *netdev,
			   const struct rt_dcb_app *app, struct rt_err *err)
{
	return write_app(kern, netdev, DCB_CMD_IEEE_DEL, app, err);
}

int rt_live_dcbx_set(struct rt_kern *kern, const char *netdev, uint8_t mode,
		     struct rt_err *err)
{
	struct nl_msg *msg;
	char doing[RT_DOING_BYTES];
	int r = rt_ifname_check(netdev, err);

	if (r < 0)
		return r;
	msg = request(RTM_SETDCB, DCB_CMD_SDCBX, netdev);
	if (msg && nla_put_u8(msg, DCB_ATTR_DCBX, mode) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	snprintf(doing, sizeof(doing), "cannot set DCBX mode 0x%02x", mode);
	r = write_request(kern, netdev, DCB_CMD_SDCBX, doing, msg, err);
	return r > 0 ? 0 : r;
}
