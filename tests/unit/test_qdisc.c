/* SPDX-License-Identifier: BSD-2-Clause */
/* Queueing disciplines: what the kernel's answers say, and what is summed of them. */
#include "netlink_answers.h"
#include "netns.h"
#include "unit.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_packet.h>
#include <linux/pkt_sched.h>
#include <netlink/attr.h>

#include "base/own.h"
#include "kern/kern.h"
#include "kern/replies.h"
#include "kern/stats.h"
#include "rocetune/err.h"

/* --- making answers ------------------------------------------------------------------ */

struct spec {
	const char *kind;
	unsigned ifindex;
	uint32_t parent, drops;
	const void *app; /* TCA_STATS_APP; NULL: none */
	size_t app_bytes;
};

static struct nl_msg *qdisc_answer(const struct spec *spec)
{
	const struct tcmsg head = { .tcm_ifindex = (int)spec->ifindex,
				    .tcm_parent = spec->parent };
	const struct gnet_stats_queue queue = { .qlen = 70,
						.backlog = 71,
						.drops = spec->drops,
						.requeues = spec->drops + 1,
						.overlimits = spec->drops + 2 };
	struct nl_msg *msg = answer(&head, sizeof(head));
	struct nlattr *stats;

	nla_put_string(msg, TCA_KIND, spec->kind);
	stats = nla_nest_start(msg, TCA_STATS2);
	nla_put(msg, TCA_STATS_QUEUE, sizeof(queue), &queue);
	if (spec->app)
		nla_put(msg, TCA_STATS_APP, (int)spec->app_bytes, spec->app);
	nla_nest_end(msg, stats);
	return msg;
}

/* Takes msg. */
static int parse(struct nl_msg *msg, struct rt_qdisc *ret_qdisc, struct rt_err *err)
{
	size_t bytes;
	const char *data = payload(msg, &bytes);
	int r = rt_qdisc_parse(data, bytes, ret_qdisc, err);

	nlmsg_free(msg);
	return r;
}

static struct rt_qdisc parsed(const struct spec *spec)
{
	struct rt_qdisc qdisc;
	struct rt_err err = { 0 };

	if (parse(qdisc_answer(spec), &qdisc, &err) < 0)
		fail_msg("%s: %s", spec->kind, err.msg);
	return qdisc;
}

/* --- marks --------------------------------------------------------------------------- */

static const struct tc_red_xstats red = { .early = 1, .pdrop = 2, .marked = 5 };
static const struct tc_fq_codel_xstats fq_codel = {
	.type = TCA_FQ_CODEL_XSTATS_QDISC,
	.qdisc_stats = { .maxpacket = 9, .ecn_mark = 3, .ce_mark = 4 },
};
static const struct tc_fq_codel_xstats of_class = {
	.type = TCA_FQ_CODEL_XSTATS_CLASS,
	.class_stats = { .ldelay = 9, .count = 9 },
};

static void test_each_kind_tells_its_marks(void **state)
{
	static const struct tc_choke_xstats choke = { .early = 1, .marked = 5 };
	static const struct tc_sfb_xstats sfb = { .childdrop = 1, .marked = 6 };
	static const struct tc_codel_xstats codel = {
		.drop_overlimit = 1, .ecn_mark = 3, .dropping = 1, .ce_mark = 4
	};
	static const struct tc_fq_qd_stats fq = { .gc_flows = 1,
						  .ce_mark = UINT64_C(1) << 32 | 8,
						  .horizon_drops = 1 };
	static const struct tc_pie_xstats pie = { .maxq = 1, .ecn_mark = 9 };
	static const struct tc_fq_pie_xstats fq_pie = { .overmemory = 1,
							.ecn_mark = 10 };
	static const char later[sizeof(red) + 64] = { [12] = 5 };
	static const struct {
		const char *kind;
		const void *app;
		size_t bytes;
		bool known;
		uint32_t marked;
	} cases[] = {
		{ "red", &red, sizeof(red), true, 5 },
		{ "choke", &choke, sizeof(choke), true, 5 },
		{ "sfb", &sfb, sizeof(sfb), true, 6 },
		{ "codel", &codel, sizeof(codel), true, 7 },
		{ "fq_codel", &fq_codel, sizeof(fq_codel), true, 7 },
		{ "fq", &fq, sizeof(fq), true, 8 }, /* of 32 bits, as all */
		{ "pie", &pie, sizeof(pie), true, 9 },
		{ "fq_pie", &fq_pie, sizeof(fq_pie), true, 10 },
		/* A later kernel tells more, an earlier one less. */
		{ "red", later, sizeof(later), true, 5 },
		{ "codel", &codel, offsetof(struct tc_codel_xstats, ce_mark), true, 3 },
		{ "codel", &codel, offsetof(struct tc_codel_xstats, ecn_mark) + 3,
		  false, 0 },
		{ "red", &red, sizeof(red) - 1, false, 0 },
		{ "fq", &fq, offsetof(struct tc_fq_qd_stats, ce_mark) + 4, false, 0 },
		{ "red", "", 0, false, 0 },
		/* Not of the qdisc; not a kind that marks; no such kind. */
		{ "fq_codel", &of_class, sizeof(of_class), false, 0 },
		{ "htb", &red, sizeof(red), false, 0 },
		{ "red2", &red, sizeof(red), false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct spec spec = { cases[i].kind, 2, 0x10001, 4, cases[i].app,
					   cases[i].bytes };
		const struct rt_qdisc qdisc = parsed(&spec);

		if (qdisc.marks != cases[i].known || qdisc.marked != cases[i].marked)
			fail_msg("case %zu, %s: %u", i, cases[i].kind, qdisc.marked);
		assert_false(qdisc.root);
	}
}

static void put_u32(struct nl_msg *msg, int nest_type, int type, uint32_t value)
{
	struct nlattr *nest = nla_nest_start(msg, nest_type);

	nla_put_u32(msg, type + 1, 1000);
	nla_put_u32(msg, type, value);
	nla_nest_end(msg, nest);
}

static struct nl_msg *cake_answer(void)
{
	const struct tcmsg head = { .tcm_ifindex = 2, .tcm_parent = TC_H_ROOT };
	struct nl_msg *msg = answer(&head, sizeof(head));
	struct nlattr *stats, *app, *tins;

	nla_put_string(msg, TCA_KIND, "cake");
	stats = nla_nest_start(msg, TCA_STATS2);
	app = nla_nest_start(msg, TCA_STATS_APP);
	nla_put_u32(msg, TCA_CAKE_STATS_MEMORY_USED, 1000);
	tins = nla_nest_start(msg, TCA_CAKE_STATS_TIN_STATS);
	for (int tin = 1; tin <= 3; tin++)
		put_u32(msg, tin, TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS, (uint32_t)tin);
	nla_nest_end(msg, tins);
	nla_nest_end(msg, app);
	nla_nest_end(msg, stats);
	return msg;
}

static struct nl_msg *gred_answer(void)
{
	const struct tcmsg head = { .tcm_ifindex = 2, .tcm_parent = TC_H_ROOT };
	struct nl_msg *msg = answer(&head, sizeof(head));
	struct nlattr *options, *list;

	nla_put_string(msg, TCA_KIND, "gred");
	options = nla_nest_start(msg, TCA_OPTIONS);
	list = nla_nest_start(msg, TCA_GRED_VQ_LIST);
	put_u32(msg, TCA_GRED_VQ_ENTRY, TCA_GRED_VQ_STAT_PROB_MARK, 1);
	put_u32(msg, TCA_GRED_VQ_ENTRY, TCA_GRED_VQ_STAT_FORCED_MARK, 2);
	put_u32(msg, TCA_GRED_VQ_LIST, TCA_GRED_VQ_STAT_PROB_MARK, 64);
	nla_nest_end(msg, list);
	nla_nest_end(msg, options);
	return msg;
}

static struct nl_msg *sfq_answer(void)
{
	const struct tcmsg head = { .tcm_ifindex = 2, .tcm_parent = TC_H_ROOT };
	const struct tc_sfq_qopt_v1 options = {
		.flags = TC_RED_ECN,
		.stats = { .prob_drop = 1000,
			   .forced_drop = 1000,
			   .prob_mark = 1,
			   .forced_mark = 2,
			   .prob_mark_head = 4,
			   .forced_mark_head = 8 },
	};
	struct nl_msg *msg = answer(&head, sizeof(head));

	nla_put_string(msg, TCA_KIND, "sfq");
	nla_put(msg, TCA_OPTIONS, sizeof(options), &options);
	return msg;
}

static void test_marks_in_nests_and_options_are_added_up(void **state)
{
	struct rt_qdisc qdisc;

	(void)state;
	assert_int_equal(parse(cake_answer(), &qdisc, NULL), 0);
	assert_int_equal(qdisc.marked, 6);
	assert_int_equal(parse(gred_answer(), &qdisc, NULL), 0);
	assert_int_equal(qdisc.marked, 3);
	assert_int_equal(parse(sfq_answer(), &qdisc, NULL), 0);
	assert_int_equal(qdisc.marked, 15);
	assert_true(qdisc.marks);
	assert_false(qdisc.root); /* it has no statistics */
}

/* --- trees --------------------------------------------------------------------------- */

static uint64_t stat_of(const struct rt_qdisc *device, const char *name)
{
	struct rt_stats stats = { 0 };
	const uint64_t *value;
	uint64_t found;

	rt_stats_begin(&stats);
	assert_int_equal(rt_stats_end(&stats, rt_qdisc_add_stats(device, &stats)), 0);
	value = rt_stats_find(&stats, name);
	found = value ? *value : UINT64_MAX;
	rt_stats_free(&stats);
	return found;
}

static void sum_up(const struct spec *specs, size_t count, struct rt_qdiscs *qdiscs)
{
	for (size_t i = 0; i < count; i++) {
		const struct rt_qdisc qdisc = parsed(&specs[i]);

		assert_int_equal(rt_qdiscs_add(qdiscs, &qdisc, NULL), 0);
	}
}

/* The root of HTB has its leaves' drops in it; ingress is nothing that was sent. */
static void test_a_tree_counts_drops_once_and_all_marks(void **state)
{
	static const struct spec specs[] = {
		{ "noqueue", 1, TC_H_ROOT, 0, NULL, 0 },
		{ "htb", 2, TC_H_ROOT, 7, NULL, 0 },
		{ "red", 2, 0x10001, 4, &red, sizeof(red) },
		{ "fq_codel", 2, 0x10002, 3, &fq_codel, sizeof(fq_codel) },
		{ "ingress", 2, TC_H_INGRESS, 99, &red, sizeof(red) },
		{ "red", 2, TC_H_INGRESS, 99, &red, sizeof(red) },
		{ "pfifo_fast", 3, TC_H_ROOT, UINT32_MAX, NULL, 0 },
	};
	struct rt_qdiscs qdiscs = { 0 };

	(void)state;
	sum_up(specs, RT_ARRAY_SIZE(specs), &qdiscs);
	assert_int_equal(qdiscs.count, 3);
	assert_true(stat_of(&qdiscs.items[0], "drops") == UINT64_MAX);
	assert_int_equal(stat_of(&qdiscs.items[1], "drops"), 7);
	assert_int_equal(stat_of(&qdiscs.items[1], "requeues"), 8);
	assert_int_equal(stat_of(&qdiscs.items[1], "overlimits"), 9);
	assert_int_equal(stat_of(&qdiscs.items[1], "marked"), 5 + 3 + 4);
	assert_true(stat_of(&qdiscs.items[2], "drops") == UINT32_MAX);
	assert_true(stat_of(&qdiscs.items[2], "marked") == UINT64_MAX);
	free(qdiscs.items);
}

/* So that one of several that begins anew is no step of the sum. */
static void test_sums_begin_anew_as_their_parts_do(void **state)
{
	struct tc_red_xstats many = { .marked = UINT32_MAX };
	const struct spec specs[] = {
		{ "mq", 2, TC_H_ROOT, 0, NULL, 0 },
		{ "red", 2, 0x10001, 0, &many, sizeof(many) },
		{ "red", 2, 0x10002, 0, &red, sizeof(red) },
	};
	struct rt_qdiscs qdiscs = { 0 };

	(void)state;
	sum_up(specs, RT_ARRAY_SIZE(specs), &qdiscs);
	assert_int_equal(stat_of(&qdiscs.items[0], "marked"), 4);
	free(qdiscs.items);
}

/* --- hostile ------------------------------------------------------------------------- */

static void test_nonsense_is_refused(void **state)
{
	const struct tcmsg head = { .tcm_ifindex = 2, .tcm_parent = TC_H_ROOT };
	static const char queue[sizeof(struct gnet_stats_queue)];
	struct rt_qdisc qdisc;

	(void)state;
	for (int bytes = 0; bytes <= (int)sizeof(queue); bytes++) {
		struct nl_msg *msg = answer(&head, sizeof(head));
		struct nlattr *stats;
		struct rt_err err = { 0 };

		nla_put_string(msg, TCA_KIND, "tbf");
		stats = nla_nest_start(msg, TCA_STATS2);
		nla_put(msg, TCA_STATS_QUEUE, bytes, queue);
		nla_nest_end(msg, stats);
		assert_int_equal(parse(msg, &qdisc, &err),
				 bytes < (int)sizeof(queue) ? -EPROTO : 0);
		if (err.code)
			assert_non_null(strstr(err.msg, "tbf"));
	}
	assert_int_equal(parse(answer(&head, sizeof(head)), &qdisc, NULL), -EPROTO);
	assert_int_equal(parse(answer(&head, sizeof(head) - 4), &qdisc, NULL), -EPROTO);
}

static int try_parse(const void *bytes, size_t count)
{
	struct rt_qdisc qdisc;

	return rt_qdisc_parse(bytes, count, &qdisc, NULL);
}

static void test_answers_survive_hostile_bytes(void **state)
{
	const struct spec specs[] = {
		{ "red", 2, TC_H_ROOT, 4, &red, sizeof(red) },
		{ "fq_codel", 2, TC_H_ROOT, 4, &fq_codel, sizeof(fq_codel) },
	};
	struct nl_msg *all[] = { qdisc_answer(&specs[0]), qdisc_answer(&specs[1]),
				 cake_answer(), gred_answer(), sfq_answer() };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(all); i++) {
		check_hostile(all[i], try_parse);
		nlmsg_free(all[i]);
	}
}

/* --- the kernel that is here --------------------------------------------------------- */

static int set_up(void **state)
{
	(void)state;
	have_veth = veth_unshare() == 0 && veth_make("rta", "rtb", -1) == 0 &&
		    veth_up("rta", 0) == 0 && veth_up("rtb", 0) == 0;
	return 0;
}

/* A token bucket of a kilobyte a second and room for three frames. */
static int add_tbf(const char *name)
{
	struct veth_message m = { .head = { .nlmsg_len = NLMSG_HDRLEN,
					    .nlmsg_type = RTM_NEWQDISC,
					    .nlmsg_flags = NLM_F_CREATE |
							   NLM_F_EXCL } };
	const struct tc_tbf_qopt parms = {
		.rate = { .rate = 1000, .linklayer = TC_LINKLAYER_ETHERNET },
		.limit = 3500
	};
	const uint32_t burst = 2000;
	struct tcmsg *head = veth_room(&m, sizeof(*head));
	struct rtattr *options;

	head->tcm_ifindex = (int)if_nametoindex(name);
	head->tcm_parent = TC_H_ROOT;
	veth_attr(&m, TCA_KIND, "tbf", 4);
	options = veth_attr(&m, TCA_OPTIONS, NULL, 0);
	veth_attr(&m, TCA_TBF_PARMS, &parms, sizeof(parms));
	veth_attr(&m, TCA_TBF_BURST, &burst, sizeof(burst));
	veth_end(&m, options);
	return veth_ask(&m);
}

/* How many of these frames the kernel said it dropped. */
static unsigned drop_some(const char *name, unsigned frames)
{
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	const struct sockaddr_ll to = { .sll_family = AF_PACKET,
					.sll_ifindex = (int)if_nametoindex(name) };
	char frame[1000] = { [12] = 0x08, [13] = 0x00 };
	unsigned dropped = 0;

	assert_true(fd >= 0);
	for (unsigned i = 0; i < frames; i++) {
		const ssize_t sent = sendto(fd, frame, sizeof(frame), 0,
					    (const struct sockaddr *)&to, sizeof(to));

		assert_true(sent == sizeof(frame) || errno == ENOBUFS);
		dropped += sent < 0;
	}
	close(fd);
	return dropped;
}

static const uint64_t *asked(struct rt_kern *kern, const char *netdev, const char *name,
			     struct rt_stats *stats)
{
	struct rt_err err = { 0 };

	if (kern->ops->qdisc_stats(kern, netdev, stats, &err) < 0)
		fail_msg("%s", err.msg);
	return rt_stats_find(stats, name);
}

/* Each question is of now, though two devices share what the kernel told of all. */
static void test_the_kernel_here_counts_what_it_drops(void **state)
{
	struct rt_stats stats = { 0 };
	struct rt_kern *kern;
	struct rt_err err = { 0 };
	unsigned dropped = 0;
	int r;

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_kern_open_live(&kern, NULL), 0);
	assert_null(asked(kern, "rta", "drops", &stats)); /* noqueue */
	r = add_tbf("rta");
	if (r < 0) {
		print_message("# skipped: this kernel has no tbf: %s\n", strerror(-r));
		rt_kern_close(kern);
		rt_stats_free(&stats);
		skip();
	}
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t *drops;

		dropped += drop_some("rta", 20);
		assert_true(dropped > 0);
		drops = asked(kern, "rta", "drops", &stats);
		assert_non_null(drops);
		assert_int_equal(*drops, dropped);
		assert_null(rt_stats_find(&stats, "marked"));
		assert_null(asked(kern, "rtb", "drops", &stats));
		assert_null(asked(kern, "lo", "drops", &stats)); /* never up */
	}
	assert_int_equal(kern->ops->qdisc_stats(kern, "rtx", &stats, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "rtx"));
	rt_kern_close(kern);
	rt_stats_free(&stats);
}

RT_UNIT_MAIN(cmocka_unit_test(test_each_kind_tells_its_marks),
	     cmocka_unit_test(test_marks_in_nests_and_options_are_added_up),
	     cmocka_unit_test(test_a_tree_counts_drops_once_and_all_marks),
	     cmocka_unit_test(test_sums_begin_anew_as_their_parts_do),
	     cmocka_unit_test(test_nonsense_is_refused),
	     cmocka_unit_test(test_answers_survive_hostile_bytes),

	     cmocka_unit_test_setup(test_the_kernel_here_counts_what_it_drops, set_up))
