/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of statistics: by name, again and again; what ethtool netlink says of them. */
#include "netlink_answers.h"
#include "unit.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>

#include "base/own.h"
#include "kern/replies.h"
#include "kern/stats.h"
#include "rocetune/err.h"

/* Names that trade places are the same set of names in another order. */
static void test_stats_are_never_taken_by_place_alone(void **state)
{
	struct rt_stats stats = { 0 };
	uint64_t layout;

	(void)state;
	assert_int_equal(rt_stats_parse("b: 1\na: 2\n", 10, &stats), 0);
	layout = stats.layout;
	assert_int_equal(rt_stats_parse("b: 3\na: 4\n", 10, &stats), 0);
	assert_int_equal(stats.layout, layout);
	assert_int_equal(*rt_stats_find(&stats, "a"), 4);
	assert_int_equal(rt_stats_parse("a: 5\nb: 6\n", 10, &stats), 0);
	assert_int_not_equal(stats.layout, layout);
	layout = stats.layout;
	assert_int_equal(*rt_stats_find(&stats, "a"), 5);
	/* One begins as the other does. */
	assert_int_equal(rt_stats_parse("aa: 7\nb: 8\n", 11, &stats), 0);
	assert_int_not_equal(stats.layout, layout);
	assert_null(rt_stats_find(&stats, "a"));
	layout = stats.layout;
	assert_int_equal(rt_stats_parse("a: 7\n", 5, &stats), 0);
	assert_int_not_equal(stats.layout, layout);
	assert_null(rt_stats_find(&stats, "b"));
	rt_stats_free(&stats);
}

static void check_value(const struct rt_stats *stats, const char *name, uint64_t value)
{
	const uint64_t *found = rt_stats_find(stats, name);

	assert_non_null(found);
	assert_int_equal(*found, value);
}

/* The same text is not read again, but only while nothing else was filled in. */
static void test_a_text_that_comes_again_is_known(void **state)
{
	struct rt_stats stats = { 0 };
	uint64_t filled;

	(void)state;
	assert_int_equal(rt_stats_parse("b: 1\na: 2\n", 10, &stats), 0);
	filled = stats.filled;
	rt_stats_begin(&stats);
	assert_int_equal(rt_stats_parse("b: 1\na: 2\n", 10, &stats), 0);
	assert_int_equal(stats.filled, filled);
	assert_int_equal(stats.count, 2);
	check_value(&stats, "b", 1);
	/* As long, and longer, and shorter. */
	assert_int_equal(rt_stats_parse("b: 1\na: 3\n", 10, &stats), 0);
	assert_int_not_equal(stats.filled, filled);
	check_value(&stats, "a", 3);
	assert_int_equal(rt_stats_parse("b: 1\na: 34\n", 11, &stats), 0);
	check_value(&stats, "a", 34);
	assert_int_equal(rt_stats_parse("b: 1\na: 3\n", 10, &stats), 0);
	check_value(&stats, "b", 1);
	check_value(&stats, "a", 3);
	/* Values from elsewhere, under the same names; none at all. */
	rt_stats_begin(&stats);
	assert_int_equal(rt_stats_add(&stats, "b", 1, 8), 0);
	assert_int_equal(rt_stats_add(&stats, "a", 1, 9), 0);
	assert_int_equal(rt_stats_end(&stats, 0), 0);
	assert_int_equal(rt_stats_parse("b: 1\na: 3\n", 10, &stats), 0);
	check_value(&stats, "b", 1);
	check_value(&stats, "a", 3);
	rt_stats_begin(&stats);
	assert_int_equal(rt_stats_end(&stats, -ENODEV), -ENODEV);
	assert_int_equal(stats.count, 0);
	assert_int_equal(rt_stats_parse("b: 1\na: 3\n", 10, &stats), 0);
	assert_int_equal(stats.count, 2);
	check_value(&stats, "a", 3);
	rt_stats_free(&stats);
}

/* --- ethtool netlink ----------------------------------------------------------------------- */

static const struct genlmsghdr genl = { .cmd = 1, .version = 1 };

static struct nl_msg *empty_answer(void)
{
	return answer(&genl, sizeof(genl));
}

static struct nl_msg *pause_stats_answer(void)
{
	struct nl_msg *msg = answer(&genl, sizeof(genl));
	struct nlattr *nest = nla_nest_start(msg, ETHTOOL_A_PAUSE_STATS);

	nla_put_u64(msg, ETHTOOL_A_PAUSE_STAT_TX_FRAMES, 7);
	nla_put_u64(msg, ETHTOOL_A_PAUSE_STAT_RX_FRAMES, 8);
	nla_nest_end(msg, nest);
	return msg;
}

static struct nl_msg *fec_stats_answer(void)
{
	static const uint64_t lanes[] = { 30, 10, 20 }; /* all, then each */
	struct nl_msg *msg = answer(&genl, sizeof(genl));
	struct nlattr *nest = nla_nest_start(msg, ETHTOOL_A_FEC_STATS);

	nla_put(msg, ETHTOOL_A_FEC_STAT_CORRECTED, sizeof(lanes), lanes);
	nla_put(msg, ETHTOOL_A_FEC_STAT_UNCORR, sizeof(lanes[0]), lanes);
	nla_put(msg, ETHTOOL_A_FEC_STAT_CORR_BITS, 0, lanes); /* not counted */
	nla_nest_end(msg, nest);
	return msg;
}

static void put_group(struct nl_msg *msg, uint32_t id, int type, uint64_t value)
{
	struct nlattr *group = nla_nest_start(msg, ETHTOOL_A_STATS_GRP), *stat;

	nla_put_u32(msg, ETHTOOL_A_STATS_GRP_ID, id);
	nla_put_u32(msg, ETHTOOL_A_STATS_GRP_SS_ID, 0);
	stat = nla_nest_start(msg, ETHTOOL_A_STATS_GRP_STAT);
	nla_put_u64(msg, type, value);
	nla_nest_end(msg, stat);
	nla_nest_end(msg, group);
}

static struct nl_msg *group_stats_answer(void)
{
	struct nl_msg *msg = answer(&genl, sizeof(genl));

	put_group(msg, ETHTOOL_STATS_ETH_PHY, ETHTOOL_A_STATS_ETH_PHY_5_SYM_ERR, 1);
	put_group(msg, ETHTOOL_STATS_ETH_MAC, ETHTOOL_A_STATS_ETH_MAC_14_RX_BYTES, 2);
	put_group(msg, ETHTOOL_STATS_ETH_MAC, ETHTOOL_A_STATS_ETH_MAC_25_TOO_LONG_ERR,
		  3);
	put_group(msg, ETHTOOL_STATS_ETH_CTRL, ETHTOOL_A_STATS_ETH_CTRL_4_RX, 4);
	put_group(msg, ETHTOOL_STATS_RMON, ETHTOOL_A_STATS_RMON_JABBER, 5);
	/* Of kernels to come. */
	put_group(msg, ETHTOOL_STATS_RMON, 100, 6);
	put_group(msg, 100, 0, 7);
	return msg;
}

static struct rt_stats parsed; /* of these three, for the test of cuts, too */

static int parse_pause_stats(const void *bytes, size_t count)
{
	rt_stats_begin(&parsed);
	return rt_stats_end(&parsed,
			    rt_ethtool_parse_pause_stats(bytes, count, &parsed, NULL));
}

static int parse_fec_stats(const void *bytes, size_t count)
{
	rt_stats_begin(&parsed);
	return rt_stats_end(&parsed,
			    rt_ethtool_parse_fec_stats(bytes, count, &parsed, NULL));
}

static int parse_group_stats(const void *bytes, size_t count)
{
	rt_stats_begin(&parsed);
	return rt_stats_end(&parsed,
			    rt_ethtool_parse_group_stats(bytes, count, &parsed, NULL));
}

static void test_ethtool_standard_statistics_have_the_kernels_names(void **state)
{
	static const struct {
		struct nl_msg *(*make)(void);
		int (*parse)(const void *bytes, size_t count);
		size_t count;
		struct {
			const char *name;
			uint64_t value;
		} stats[5];
	} cases[] = {
		{ pause_stats_answer,
		  parse_pause_stats,
		  2,
		  { { "pause-tx_pause_frames", 7 }, { "pause-rx_pause_frames", 8 } } },
		/* Without the flag, or of a driver without them. */
		{ empty_answer, parse_pause_stats, 0, { { NULL, 0 } } },
		{ fec_stats_answer,
		  parse_fec_stats,
		  2,
		  { { "fec-corrected_blocks", 30 },
		    { "fec-uncorrectable_blocks", 30 } } },
		{ group_stats_answer,
		  parse_group_stats,
		  5,
		  { { "eth-phy-SymbolErrorDuringCarrier", 1 },
		    { "eth-mac-OctetsReceivedOK", 2 },
		    { "eth-mac-FrameTooLongErrors", 3 },
		    { "eth-ctrl-MACControlFramesReceived", 4 },
		    { "rmon-etherStatsJabbers", 5 } } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct nl_msg *msg = cases[i].make();
		size_t bytes;
		const char *data = payload(msg, &bytes);

		assert_int_equal(cases[i].parse(data, bytes), 0);
		assert_int_equal(parsed.count, cases[i].count);
		for (size_t j = 0; j < cases[i].count; j++) {
			const uint64_t *value = rt_stats_find(&parsed,
							      cases[i].stats[j].name);

			assert_non_null(value);
			assert_int_equal(*value, cases[i].stats[j].value);
		}
		nlmsg_free(msg);
	}
	rt_stats_free(&parsed);
}

/* As drivers answer: a number each, or an error. */
static int ask_by_list(void *context, size_t number, struct rt_stats *stats,
		       struct rt_err *err)
{
	static const char *const names[] = { "pause", "fec", "mac" };
	const int r = ((const int *)context)[number];

	if (r < 0)
		return rt_err_set(err, r, "%s refuses", names[number]);
	return r ? rt_stats_add(stats, names[number], RT_STAT_NAME_BYTES, 5) : 0;
}

static void test_standard_statistics_keep_what_one_question_loses(void **state)
{
	static const struct {
		int says[3]; /* 1: a number; 0: none */
		int result;
		size_t count;
		const char *msg;
	} cases[] = {
		{ { 1, 1, 1 }, 0, 3, "" },
		{ { 1, -EOPNOTSUPP, 1 }, 0, 2, "" },
		{ { 1, -EIO, 1 }, 0, 2, "" },
		{ { -EINVAL, -EIO, 1 }, 0, 1, "" },
		{ { -EOPNOTSUPP, -EOPNOTSUPP, 0 }, -EOPNOTSUPP, 0, "eth0: its driver" },
		{ { -EOPNOTSUPP, -EIO, -EINVAL }, -EIO, 0, "fec refuses" },
		{ { 1, -ENODEV, 1 }, -ENODEV, 0, "fec refuses" },
		{ { 1, -EBUSY, 1 }, -EBUSY, 0, "fec refuses" },
		{ { -EIO, 1, -ENOMEM }, -ENOMEM, 0, "mac refuses" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_ethtool_asking asking = {
			.ask = ask_by_list,
			.context = (void *)(uintptr_t)cases[i].says,
			.count = 3,
			.netdev = "eth0",
		};
		struct rt_err err = { 0 };

		rt_stats_begin(&parsed);
		assert_int_equal(rt_stats_end(&parsed, rt_ethtool_ask_all(
							       &asking, &parsed, &err)),
				 cases[i].result);
		assert_int_equal(parsed.count, cases[i].count);
		/* Success leaves it as it was. */
		assert_int_equal(err.code, cases[i].result);
		assert_memory_equal(err.msg, cases[i].msg, strlen(cases[i].msg));
	}
	rt_stats_free(&parsed);
}

static void test_standard_statistics_survive_hostile_bytes(void **state)
{
	const struct {
		struct nl_msg *msg;
		parser *parse;
	} cases[] = {
		{ pause_stats_answer(), parse_pause_stats },
		{ fec_stats_answer(), parse_fec_stats },
		{ group_stats_answer(), parse_group_stats },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		check_hostile(cases[i].msg, cases[i].parse);
		nlmsg_free(cases[i].msg);
	}
	rt_stats_free(&parsed);
}

RT_UNIT_MAIN(cmocka_unit_test(test_stats_are_never_taken_by_place_alone),
	     cmocka_unit_test(test_a_text_that_comes_again_is_known),
	     cmocka_unit_test(test_ethtool_standard_statistics_have_the_kernels_names),
	     cmocka_unit_test(test_standard_statistics_keep_what_one_question_loses),
	     cmocka_unit_test(test_standard_statistics_survive_hostile_bytes))
