/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ethtool_standard.c - statistics that have the same meaning for all drivers, by ethtool
 * netlink: pauses of the link, FEC, and the standard groups (linux/ethtool_netlink.h;
 * Documentation/networking/statistics.rst; numbers in names are clauses of IEEE 802.3).
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/own.h"
#include "kern/live.h"
#include "kern/stats.h"
#include "rocetune/err.h"

/* --- what answers say ------------------------------------------------------------------ */

/* The kernel's names of the numbers of a group, as `ethtool -S --all-groups` has them. */
static const char *const phy_names[] = { "eth-phy-SymbolErrorDuringCarrier" };
static const char *const mac_names[] = {
	"eth-mac-FramesTransmittedOK",
	"eth-mac-SingleCollisionFrames",
	"eth-mac-MultipleCollisionFrames",
	"eth-mac-FramesReceivedOK",
	"eth-mac-FrameCheckSequenceErrors",
	"eth-mac-AlignmentErrors",
	"eth-mac-OctetsTransmittedOK",
	"eth-mac-FramesWithDeferredXmissions",
	"eth-mac-LateCollisions",
	"eth-mac-FramesAbortedDueToXSColls",
	"eth-mac-FramesLostDueToIntMACXmitError",
	"eth-mac-CarrierSenseErrors",
	"eth-mac-OctetsReceivedOK",
	"eth-mac-FramesLostDueToIntMACRcvError",
	"eth-mac-MulticastFramesXmittedOK",
	"eth-mac-BroadcastFramesXmittedOK",
	"eth-mac-FramesWithExcessiveDeferral",
	"eth-mac-MulticastFramesReceivedOK",
	"eth-mac-BroadcastFramesReceivedOK",
	"eth-mac-InRangeLengthErrors",
	"eth-mac-OutOfRangeLengthField",
	"eth-mac-FrameTooLongErrors",
};
static const char *const ctrl_names[] = {
	"eth-ctrl-MACControlFramesTransmitted",
	"eth-ctrl-MACControlFramesReceived",
	"eth-ctrl-UnsupportedOpcodesReceived",
};
static const char *const rmon_names[] = {
	"rmon-etherStatsUndersizePkts",
	"rmon-etherStatsOversizePkts",
	"rmon-etherStatsFragments",
	"rmon-etherStatsJabbers",
};

static const struct group {
	const char *const *names;
	int count;
} groups[] = {
	[ETHTOOL_STATS_ETH_PHY] = { phy_names, RT_ARRAY_SIZE(phy_names) },
	[ETHTOOL_STATS_ETH_MAC] = { mac_names, RT_ARRAY_SIZE(mac_names) },
	[ETHTOOL_STATS_ETH_CTRL] = { ctrl_names, RT_ARRAY_SIZE(ctrl_names) },
	[ETHTOOL_STATS_RMON] = { rmon_names, RT_ARRAY_SIZE(rmon_names) },
};

static int finish(int result, struct rt_err *err)
{
	if (result == -EPROTO)
		return rt_err_set(err, result, "statistics that make no sense");
	return result < 0 ? rt_err_sys(err, result, "statistics") : 0;
}

static int parse_top(const void *payload, size_t bytes, int max, struct nlattr **ret)
{
	if (bytes < GENL_HDRLEN)
		return -EPROTO;
	return rt_nl_attrs((const char *)payload + GENL_HDRLEN, bytes - GENL_HDRLEN,
			   NULL, max, ret);
}

/* Of an array (FEC: all lanes, then each) the first; an empty one is not counted. */
static int add_first(struct rt_stats *stats, const char *name,
		     const struct nlattr *attr)
{
	uint64_t value;

	if (!attr || nla_len(attr) == 0)
		return 0;
	if (nla_len(attr) < (int)sizeof(value))
		return -EPROTO;
	memcpy(&value, nla_data(attr), sizeof(value));
	return rt_stats_add(stats, name, RT_STAT_NAME_BYTES, value);
}

int rt_ethtool_parse_pause_stats(const void *payload, size_t bytes,
				 struct rt_stats *stats, struct rt_err *err)
{
	struct nlattr *attrs[ETHTOOL_A_PAUSE_STATS + 1];
	struct nlattr *in[ETHTOOL_A_PAUSE_STAT_RX_FRAMES + 1];
	int r = parse_top(payload, bytes, ETHTOOL_A_PAUSE_STATS, attrs);

	if (r == 0 && attrs[ETHTOOL_A_PAUSE_STATS]) {
		r = rt_nl_nested(attrs[ETHTOOL_A_PAUSE_STATS], NULL,
				 ETHTOOL_A_PAUSE_STAT_RX_FRAMES, in);
		if (r == 0)
			r = add_first(stats, "pause-tx_pause_frames",
				      in[ETHTOOL_A_PAUSE_STAT_TX_FRAMES]);
		if (r == 0)
			r = add_first(stats, "pause-rx_pause_frames",
				      in[ETHTOOL_A_PAUSE_STAT_RX_FRAMES]);
	}
	return finish(r, err);
}

int rt_ethtool_parse_fec_stats(const void *payload, size_t bytes,
			       struct rt_stats *stats, struct rt_err *err)
{
	struct nlattr *attrs[ETHTOOL_A_FEC_STATS + 1];
	struct nlattr *in[ETHTOOL_A_FEC_STAT_CORR_BITS + 1];
	int r = parse_top(payload, bytes, ETHTOOL_A_FEC_STATS, attrs);

	if (r == 0 && attrs[ETHTOOL_A_FEC_STATS]) {
		r = rt_nl_nested(attrs[ETHTOOL_A_FEC_STATS], NULL,
				 ETHTOOL_A_FEC_STAT_CORR_BITS, in);
		if (r == 0)
			r = add_first(stats, "fec-corrected_blocks",
				      in[ETHTOOL_A_FEC_STAT_CORRECTED]);
		if (r == 0)
			r = add_first(stats, "fec-uncorrectable_blocks",
				      in[ETHTOOL_A_FEC_STAT_UNCORR]);
		if (r == 0)
			r = add_first(stats, "fec-corrected_bits",
				      in[ETHTOOL_A_FEC_STAT_CORR_BITS]);
	}
	return finish(r, err);
}

/* A nest holds one number, whose type says which; types begin with 0. */
static int add_stat(struct rt_stats *stats, const struct group *group,
		    const struct nlattr *nest)
{
	const struct nlattr *number = nla_data(nest);

	if (!nla_ok(number, nla_len(nest)))
		return -EPROTO;
	if (nla_type(number) >= group->count) /* of a newer kernel */
		return 0;
	return add_first(stats, group->names[nla_type(number)], number);
}

static int parse_group(const struct nlattr *nest, struct rt_stats *stats)
{
	struct nlattr *attrs[ETHTOOL_A_STATS_GRP_ID + 1], *stat;
	int r = rt_nl_nested(nest, NULL, ETHTOOL_A_STATS_GRP_ID, attrs), left;
	uint32_t id;

	if (r < 0 || !attrs[ETHTOOL_A_STATS_GRP_ID] ||
	    nla_len(attrs[ETHTOOL_A_STATS_GRP_ID]) < (int)sizeof(id))
		return -EPROTO;
	id = nla_get_u32(attrs[ETHTOOL_A_STATS_GRP_ID]);
	if (id >= RT_ARRAY_SIZE(groups))
		return 0;
	left = nla_len(nest);
	for (stat = nla_data(nest); nla_ok(stat, left) && r == 0;
	     stat = nla_next(stat, &left))
		if (nla_type(stat) == ETHTOOL_A_STATS_GRP_STAT)
			r = add_stat(stats, &groups[id], stat);
	return r;
}

int rt_ethtool_parse_group_stats(const void *payload, size_t bytes,
				 struct rt_stats *stats, struct rt_err *err)
{
	struct nlattr *attrs[ETHTOOL_A_STATS_GRP + 1];
	const struct nlattr *group;
	int r = parse_top(payload, bytes, ETHTOOL_A_STATS_GRP, attrs), left;

	if (r < 0)
		return finish(r, err);
	left = (int)(bytes - GENL_HDRLEN);
	for (group = (const void *)((const char *)payload + GENL_HDRLEN);
	     nla_ok(group, left) && r == 0; group = nla_next(group, &left))
		if (nla_type(group) == ETHTOOL_A_STATS_GRP)
			r = parse_group(group, stats);
	return finish(r, err);
}

/* --- requests -------------------------------------------------------------------------- */

static int take_pause(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_ethtool_parse_pause_stats(payload, bytes, context, err);
}

static int take_fec(void *context, const void *payload, size_t bytes,
		    struct rt_err *err)
{
	return rt_ethtool_parse_fec_stats(payload, bytes, context, err);
}

static int take_groups(void *context, const void *payload, size_t bytes,
		       struct rt_err *err)
{
	return rt_ethtool_parse_group_stats(payload, bytes, context, err);
}

/* All groups, as a compact bit set. */
static bool put_groups(struct nl_msg *msg)
{
	const uint32_t all = (1u << RT_ARRAY_SIZE(groups)) - 1;
	struct nlattr *set = nla_nest_start(msg, ETHTOOL_A_STATS_GROUPS);

	if (!set || nla_put_flag(msg, ETHTOOL_A_BITSET_NOMASK) < 0 ||
	    nla_put_u32(msg, ETHTOOL_A_BITSET_SIZE, RT_ARRAY_SIZE(groups)) < 0 ||
	    nla_put_u32(msg, ETHTOOL_A_BITSET_VALUE, all) < 0)
		return false;
	nla_nest_end(msg, set);
	return true;
}

static const struct question {
	uint8_t command;
	int header; /* number of the header's attribute */
	/* Only messages whose policy has the flag take it (net/ethtool/netlink.c). */
	uint32_t flags;
	int (*take)(void *, const void *, size_t, struct rt_err *);
} questions[] = {
	{ ETHTOOL_MSG_PAUSE_GET, ETHTOOL_A_PAUSE_HEADER, ETHTOOL_FLAG_STATS,
	  take_pause },
	{ ETHTOOL_MSG_FEC_GET, ETHTOOL_A_FEC_HEADER, ETHTOOL_FLAG_STATS, take_fec },
	{ ETHTOOL_MSG_STATS_GET, ETHTOOL_A_STATS_HEADER, 0, take_groups },
};

static int ask_one(struct rt_live *live, const char *netdev,
		   const struct question *question, struct rt_stats *stats,
		   struct rt_err *err)
{
	struct nl_msg *msg;
	int r = rt_live_ethtool_request(live, question->command, question->header,
					netdev, question->flags, &msg, err);

	if (r < 0)
		return r;
	if (question->command == ETHTOOL_MSG_STATS_GET && !put_groups(msg)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return rt_live_ethtool_ask(live, netdev, "cannot read its standard statistics",
				   msg, question->take, stats, err);
}

/* What is over soon, or over with all of it, is no matter of one question. */
static bool is_of_all(int code)
{
	return code == -ENODEV || code == -ENOMEM || code == -EAGAIN ||
	       code == -EBUSY || code == -EINTR;
}

int rt_ethtool_ask_all(const struct rt_ethtool_asking *asking, struct rt_stats *stats,
		       struct rt_err *err)
{
	struct rt_err why, first = { 0 };
	int r = 0;

	for (size_t i = 0; i < asking->count && !is_of_all(r); i++) {
		r = asking->ask(asking->context, i, stats, &why);
		if (is_of_all(r) || (r < 0 && r != -EOPNOTSUPP && !first.code))
			first = why;
	}
	if (!is_of_all(r))
		r = stats->count ? 0 : first.code ? first.code : -EOPNOTSUPP;
	if (r < 0 && first.code)
		return rt_err_set(err, r, "%s", first.msg);
	return r < 0 ? rt_err_set(err, r, "%s: its driver has no standard statistics",
				  asking->netdev)
		     : 0;
}

struct asked {
	struct rt_live *live;
	const char *netdev;
};

static int ask_question(void *context, size_t number, struct rt_stats *stats,
			struct rt_err *err)
{
	const struct asked *asked = context;

	return ask_one(asked->live, asked->netdev, &questions[number], stats, err);
}

int rt_live_standard_stats(struct rt_kern *kern, const char *netdev,
			   struct rt_stats *ret_stats, struct rt_err *err)
{
	struct asked asked = { rt_live_of(kern), netdev };
	const struct rt_ethtool_asking asking = {
		.ask = ask_question,
		.context = &asked,
		.count = RT_ARRAY_SIZE(questions),
		.netdev = netdev,
	};

	rt_stats_begin(ret_stats);
	return rt_stats_end(ret_stats, rt_ethtool_ask_all(&asking, ret_stats, err));
}
