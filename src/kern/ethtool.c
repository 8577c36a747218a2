/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ethtool.c - pause, speed and private flags by ethtool netlink
 * (linux/ethtool_netlink.h, Documentation/networking/ethtool-netlink.rst).
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "kern/live.h"
#include "rocetune/err.h"

#define BPS_PER_MBITPS UINT64_C(1000000)

/* --- what answers say ------------------------------------------------------------------ */

static int parse_top(const void *payload, size_t bytes, const struct nla_policy *policy,
		     int max, struct nlattr **ret)
{
	if (bytes < GENL_HDRLEN)
		return -EPROTO;
	return rt_nl_attrs((const char *)payload + GENL_HDRLEN, bytes - GENL_HDRLEN,
			   policy, max, ret);
}

static int nonsense(struct rt_err *err)
{
	return rt_err_set(err, -EPROTO, "an answer that makes no sense");
}

int rt_ethtool_parse_pause(const void *payload, size_t bytes,
			   struct rt_link_pause *ret_pause, struct rt_err *err)
{
	static const struct nla_policy policy[ETHTOOL_A_PAUSE_MAX + 1] = {
		[ETHTOOL_A_PAUSE_AUTONEG] = { .type = NLA_U8 },
		[ETHTOOL_A_PAUSE_RX] = { .type = NLA_U8 },
		[ETHTOOL_A_PAUSE_TX] = { .type = NLA_U8 },
	};
	struct nlattr *attrs[ETHTOOL_A_PAUSE_MAX + 1];

	if (parse_top(payload, bytes, policy, ETHTOOL_A_PAUSE_MAX, attrs) < 0 ||
	    !attrs[ETHTOOL_A_PAUSE_AUTONEG] || !attrs[ETHTOOL_A_PAUSE_RX] ||
	    !attrs[ETHTOOL_A_PAUSE_TX])
		return nonsense(err);
	*ret_pause = (struct rt_link_pause){
		.autoneg = nla_get_u8(attrs[ETHTOOL_A_PAUSE_AUTONEG]),
		.rx = nla_get_u8(attrs[ETHTOOL_A_PAUSE_RX]),
		.tx = nla_get_u8(attrs[ETHTOOL_A_PAUSE_TX]),
	};
	return 0;
}

int rt_ethtool_parse_speed(const void *payload, size_t bytes,
			   struct rt_opt_u64 *ret_bps, struct rt_err *err)
{
	static const struct nla_policy policy[ETHTOOL_A_LINKMODES_MAX + 1] = {
		[ETHTOOL_A_LINKMODES_SPEED] = { .type = NLA_U32 },
	};
	struct nlattr *attrs[ETHTOOL_A_LINKMODES_MAX + 1];
	uint32_t mbitps = 0;

	if (parse_top(payload, bytes, policy, ETHTOOL_A_LINKMODES_MAX, attrs) < 0)
		return nonsense(err);
	if (attrs[ETHTOOL_A_LINKMODES_SPEED])
		mbitps = nla_get_u32(attrs[ETHTOOL_A_LINKMODES_SPEED]);
	if (mbitps == 0 || mbitps == (uint32_t)SPEED_UNKNOWN)
		*ret_bps = (struct rt_opt_u64){ 0 };
	else
		*ret_bps = RT_KNOWN_U64(mbitps * BPS_PER_MBITPS);
	return 0;
}

static int parse_name(const struct nlattr *nest, struct rt_priv_flags *flags)
{
	static const struct nla_policy policy[ETHTOOL_A_STRING_MAX + 1] = {
		[ETHTOOL_A_STRING_INDEX] = { .type = NLA_U32 },
	};
	struct nlattr *attrs[ETHTOOL_A_STRING_MAX + 1];
	uint32_t index;

	if (rt_nl_nested(nest, policy, ETHTOOL_A_STRING_MAX, attrs) < 0 ||
	    !attrs[ETHTOOL_A_STRING_INDEX] || !attrs[ETHTOOL_A_STRING_VALUE])
		return -EPROTO;
	index = nla_get_u32(attrs[ETHTOOL_A_STRING_INDEX]);
	if (index >= RT_PRIV_FLAG_MAX)
		return -EPROTO;
	rt_nl_text(attrs[ETHTOOL_A_STRING_VALUE], flags->name[index],
		   sizeof(flags->name[index]));
	if (index >= flags->count)
		flags->count = index + 1;
	return 0;
}

/* The strings of one set; other sets than that of private flags are not asked for. */
static int parse_set(const struct nlattr *nest, struct rt_priv_flags *flags)
{
	struct nlattr *attrs[ETHTOOL_A_STRINGSET_MAX + 1], *name;
	int left, r = rt_nl_nested(nest, NULL, ETHTOOL_A_STRINGSET_MAX, attrs);

	if (r < 0 || !attrs[ETHTOOL_A_STRINGSET_STRINGS])
		return r;
	left = nla_len(attrs[ETHTOOL_A_STRINGSET_STRINGS]);
	for (name = nla_data(attrs[ETHTOOL_A_STRINGSET_STRINGS]);
	     r == 0 && nla_ok(name, left); name = nla_next(name, &left))
		if (nla_type(name) == ETHTOOL_A_STRINGS_STRING)
			r = parse_name(name, flags);
	return r;
}

int rt_ethtool_parse_names(const void *payload, size_t bytes,
			   struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	struct nlattr *attrs[ETHTOOL_A_STRSET_MAX + 1], *set;
	struct rt_priv_flags flags = { 0 };
	int left;

	if (parse_top(payload, bytes, NULL, ETHTOOL_A_STRSET_MAX, attrs) < 0 ||
	    !attrs[ETHTOOL_A_STRSET_STRINGSETS])
		return nonsense(err);
	left = nla_len(attrs[ETHTOOL_A_STRSET_STRINGSETS]);
	for (set = nla_data(attrs[ETHTOOL_A_STRSET_STRINGSETS]); nla_ok(set, left);
	     set = nla_next(set, &left))
		if (nla_type(set) == ETHTOOL_A_STRINGSETS_STRINGSET &&
		    parse_set(set, &flags) < 0)
			return nonsense(err);
	*ret_flags = flags;
	return 0;
}

/* A compact bit set: 32-bit words, the lowest bits first. */
int rt_ethtool_parse_flags(const void *payload, size_t bytes, uint64_t *ret_value,
			   struct rt_err *err)
{
	struct nlattr *attrs[ETHTOOL_A_PRIVFLAGS_MAX + 1];
	struct nlattr *bits[ETHTOOL_A_BITSET_MAX + 1];
	uint32_t words[RT_PRIV_FLAG_MAX / 32] = { 0 };
	const struct nlattr *value;

	if (parse_top(payload, bytes, NULL, ETHTOOL_A_PRIVFLAGS_MAX, attrs) < 0 ||
	    !attrs[ETHTOOL_A_PRIVFLAGS_FLAGS] ||
	    rt_nl_nested(attrs[ETHTOOL_A_PRIVFLAGS_FLAGS], NULL, ETHTOOL_A_BITSET_MAX,
			 bits) < 0)
		return nonsense(err);
	value = bits[ETHTOOL_A_BITSET_VALUE];
	if (!value || nla_len(value) > (int)sizeof(words) || nla_len(value) % 4)
		return nonsense(err);
	memcpy(words, nla_data(value), (size_t)nla_len(value));
	*ret_value = words[0] | (uint64_t)words[1] << 32;
	return 0;
}

/* --- requests -------------------------------------------------------------------------- */

int rt_live_ethtool_request(struct rt_live *live, uint8_t command, int header,
			    const char *netdev, uint32_t flags, struct nl_msg **ret_msg,
			    struct rt_err *err)
{
	struct nlattr *head;
	struct nl_msg *msg;
	int r = rt_ifname_check(netdev, err);

	if (r == 0 && live->ethtool_id == 0)
		r = rt_nl_family(&live->generic, ETHTOOL_GENL_NAME, &live->ethtool_id,
				 err);
	if (r < 0)
		return r;
	msg = nlmsg_alloc();
	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, live->ethtool_id, 0, 0,
				command, ETHTOOL_GENL_VERSION))
		goto full;
	head = msg ? nla_nest_start(msg, header) : NULL;
	if (!head || nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, netdev) < 0 ||
	    nla_put_u32(msg, ETHTOOL_A_HEADER_FLAGS, flags) < 0)
		goto full;
	nla_nest_end(msg, head);
	*ret_msg = msg;
	return 0;
full:
	nlmsg_free(msg);
	return rt_err_sys(err, -ENOMEM, "%s", netdev);
}

/* The header of nearly all requests has number 1. */
static int request(struct rt_live *live, uint8_t command, const char *netdev,
		   struct nl_msg **ret_msg, struct rt_err *err)
{
	return rt_live_ethtool_request(live, command, ETHTOOL_A_PAUSE_HEADER, netdev,
				       ETHTOOL_FLAG_COMPACT_BITSETS, ret_msg, err);
}

int rt_live_ethtool_ask(struct rt_live *live, const char *netdev, const char *doing,
			struct nl_msg *msg,
			int (*take)(void *, const void *, size_t, struct rt_err *),
			void *context, struct rt_err *err)
{
	const struct rt_nl_answer answer = { .type = live->ethtool_id,
					     .take = take,
					     .context = context };
	char text[RT_DOING_BYTES];

	return rt_nl_ask(&live->generic, NETLINK_GENERIC, msg,
			 rt_doing(text, netdev, doing), &answer, err);
}

static int take_speed(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_ethtool_parse_speed(payload, bytes, context, err);
}

int rt_live_speed_get(struct rt_kern *kern, const char *netdev,
		      struct rt_opt_u64 *ret_bps, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	struct rt_opt_u64 bps = { 0 };
	struct nl_msg *msg;
	int r = request(live, ETHTOOL_MSG_LINKMODES_GET, netdev, &msg, err);

	if (r == 0)
		r = rt_live_ethtool_ask(live, netdev, "cannot read the speed", msg,
					take_speed, &bps, err);
	if (r == 0)
		*ret_bps = bps;
	return r;
}

static int take_pause(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_ethtool_parse_pause(payload, bytes, context, err);
}

int rt_live_pause_get(struct rt_kern *kern, const char *netdev,
		      struct rt_link_pause *ret_pause, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	struct rt_link_pause pause = { 0 };
	struct nl_msg *msg;
	int r = request(live, ETHTOOL_MSG_PAUSE_GET, netdev, &msg, err);

	if (r == 0)
		r = rt_live_ethtool_ask(live, netdev, "cannot read pause", msg,
					take_pause, &pause, err);
	if (r == 0)
		*ret_pause = pause;
	return r;
}

int rt_live_pause_set(struct rt_kern *kern, const char *netdev,
		      const struct rt_link_pause *pause, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	struct nl_msg *msg;
	int r = request(live, ETHTOOL_MSG_PAUSE_SET, netdev, &msg, err);

	if (r < 0)
		return r;
	if (nla_put_u8(msg, ETHTOOL_A_PAUSE_AUTONEG, pause->autoneg) < 0 ||
	    nla_put_u8(msg, ETHTOOL_A_PAUSE_RX, pause->rx) < 0 ||
	    nla_put_u8(msg, ETHTOOL_A_PAUSE_TX, pause->tx) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return rt_live_ethtool_ask(live, netdev, "cannot set pause", msg, NULL, NULL,
				   err);
}

/* --- private flags ----------------------------------------------------------------------- */

static int take_flags(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_ethtool_parse_flags(payload, bytes, context, err);
}

static int take_names(void *context, const void *payload, size_t bytes,
		      struct rt_err *err)
{
	return rt_ethtool_parse_names(payload, bytes, context, err);
}

static bool put_set_id(struct nl_msg *msg)
{
	struct nlattr *sets = nla_nest_start(msg, ETHTOOL_A_STRSET_STRINGSETS);
	struct nlattr *set = sets ? nla_nest_start(msg, ETHTOOL_A_STRINGSETS_STRINGSET)
				  : NULL;

	if (!set || nla_put_u32(msg, ETHTOOL_A_STRINGSET_ID, ETH_SS_PRIV_FLAGS) < 0)
		return false;
	nla_nest_end(msg, set);
	nla_nest_end(msg, sets);
	return true;
}

int rt_live_priv_flags_get(struct rt_kern *kern, const char *netdev,
			   struct rt_priv_flags *ret_flags, struct rt_err *err)
{
	static const char doing[] = "cannot read private flags";
	struct rt_live *live = rt_live_of(kern);
	struct rt_priv_flags flags = { 0 };
	uint64_t value = 0;
	struct nl_msg *msg;
	int r = request(live, ETHTOOL_MSG_PRIVFLAGS_GET, netdev, &msg, err);

	if (r == 0)
		r = rt_live_ethtool_ask(live, netdev, doing, msg, take_flags, &value,
					err);
	if (r == 0)
		r = request(live, ETHTOOL_MSG_STRSET_GET, netdev, &msg, err);
	if (r < 0)
		return r;
	if (!put_set_id(msg)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	r = rt_live_ethtool_ask(live, netdev, doing, msg, take_names, &flags, err);
	if (r < 0)
		return r;
	flags.value = value;
	*ret_flags = flags;
	return 0;
}

/* One bit, named; the others stay as they are. */
static bool put_flag(struct nl_msg *msg, const char *flag, bool on)
{
	struct nlattr *set = nla_nest_start(msg, ETHTOOL_A_PRIVFLAGS_FLAGS);
	struct nlattr *bits = set ? nla_nest_start(msg, ETHTOOL_A_BITSET_BITS) : NULL;
	struct nlattr *bit = bits ? nla_nest_start(msg, ETHTOOL_A_BITSET_BITS_BIT)
				  : NULL;

	if (!bit || nla_put_string(msg, ETHTOOL_A_BITSET_BIT_NAME, flag) < 0 ||
	    (on && nla_put_flag(msg, ETHTOOL_A_BITSET_BIT_VALUE) < 0))
		return false;
	nla_nest_end(msg, bit);
	nla_nest_end(msg, bits);
	nla_nest_end(msg, set);
	return true;
}

int rt_live_priv_flag_set(struct rt_kern *kern, const char *netdev, const char *flag,
			  bool on, struct rt_err *err)
{
	struct rt_live *live = rt_live_of(kern);
	char doing[RT_DOING_BYTES];
	struct nl_msg *msg;
	int r = request(live, ETHTOOL_MSG_PRIVFLAGS_SET, netdev, &msg, err);

	if (r < 0)
		return r;
	if (!put_flag(msg, flag, on)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	snprintf(doing, sizeof(doing), "cannot set private flag %.40s", flag);
	return rt_live_ethtool_ask(live, netdev, doing, msg, NULL, NULL, err);
}
