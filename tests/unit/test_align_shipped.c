/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_align_shipped.c - shipped profiles with a host and a switch as they describe
 * them: nothing is found but what the switch's file cannot tell.
 */
#include "alignments.h"

#include "base/json.h"
#include "model/rules_switch.h"
#include "nos/wish.h"

static const char eos[] = "hostname leaf-1\n"
			  "!\n"
			  "qos profile ROCE\n"
			  "   qos trust dscp\n"
			  "   priority-flow-control on\n"
			  "   priority-flow-control priority 3 no-drop\n"
			  "   priority-flow-control pause watchdog\n"
			  "   priority-flow-control pause watchdog port action drop\n"
			  "   !\n"
			  "   uc-tx-queue 1\n"
			  "      no priority\n"
			  "      bandwidth percent 5\n"
			  "   !\n"
			  "   uc-tx-queue 3\n"
			  "      no priority\n"
			  "      bandwidth percent 95\n"
			  "      random-detect ecn minimum-threshold 256 kbytes "
			  "maximum-threshold 512 kbytes max-mark-probability 100\n"
			  "   !\n"
			  "   uc-tx-queue 6\n"
			  "      priority strict\n"
			  "!\n"
			  "interface Ethernet1/1\n"
			  "   mtu 9214\n"
			  "   speed 400g-4\n"
			  "   service-profile ROCE\n"
			  "!\n";

static void judge(struct pair *pair)
{
	assert_int_equal(
		rt_switch_check(pair->sw, pair->align.port, &pair->findings, NULL), 0);
	pair_judge(pair);
}

/* EOS's own map has others beside 24, 26 and 48, which is worth knowing and no more. */
static void test_shipped_eos_pair_fits(void **state)
{
	struct pair *pair = pair_shipped("cx7-400g-eos", NULL, &rt_nos_eos, eos,
					 "Ethernet1/1");

	(void)state;
	judge(pair);
	assert_int_equal(rt_findings_worst(&pair->findings), RT_SEVERITY_INFO);
	pair_free(pair);
}

static void test_shipped_eos_pair_with_a_map_is_silent(void **state)
{
	char text[4096];
	struct pair *pair;

	(void)state;
	snprintf(text, sizeof(text), "%s", eos);
	pair_swap(text, sizeof(text), "!\nqos profile",
		  "qos map dscp 25 27 28 29 30 31 49 50 51 52 53 54 55 to "
		  "traffic-class 1\n!\nqos profile");
	pair = pair_shipped("cx7-400g-eos", NULL, &rt_nos_eos, text, "Ethernet1/1");
	judge(pair);
	assert_int_equal(pair->findings.count, 0);
	pair_free(pair);
}

static void test_shipped_eos_misalignments_are_found(void **state)
{
	static const struct {
		const char *label, *from, *to, *id;
	} cases[] = {
		{ "PFC for another priority", "priority 3 no-drop",
		  "priority 4 no-drop", "align-pfc-host-only" },
		{ "trust of tags", "qos trust dscp", "qos trust cos", "align-trust" },
		{ "other thresholds", "minimum-threshold 256 kbytes",
		  "minimum-threshold 64 kbytes", "align-ecn-thresholds" },
		{ "no strict queue", "priority strict",
		  "no priority\n"
		  "      bandwidth percent 1",
		  "align-scheduling" },
		{ "small MTU", "mtu 9214", "mtu 1500", "align-mtu" },
		{ "another speed", "speed 400g-4", "speed 200g-4", "align-speed" },
		{ "26 goes elsewhere", "!\nqos profile",
		  "qos map dscp 26 to traffic-class 1\n!\nqos profile",
		  "align-class-lossy" },
		{ "CNPs go elsewhere", "!\nqos profile",
		  "qos map dscp 48 to traffic-class 1\n!\nqos profile",
		  "align-cnp-queue" },
		/* a rewrite on the way out is no map on the way in */
		{ "PFC all off", "!\nqos profile",
		  "priority-flow-control all off\n!\nqos profile",
		  "align-pfc-host-only" },
		{ "DCBX of before IEEE", "   mtu 9214", "   dcbx mode cee\n   mtu 9214",
		  "align-dialect" },
		{ "shut down", "   mtu 9214", "   shutdown\n   mtu 9214",
		  "align-link-down" },
		{ "MTU not told", "   mtu 9214\n", "", "align-not-judged" },
		{ "speed not told", "   speed 400g-4\n", "", "align-not-judged" },
		{ "a port without the profile", "   service-profile ROCE\n", "",
		  "align-class-lossy" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char text[4096];
		struct pair *pair;

		print_message("# -- %s\n", cases[i].label);
		snprintf(text, sizeof(text), "%s", eos);
		pair_swap(text, sizeof(text), cases[i].from, cases[i].to);
		pair = pair_shipped("cx7-400g-eos", NULL, &rt_nos_eos, text,
				    "Ethernet1/1");
		judge(pair);
		assert_true(count_id(&pair->findings, cases[i].id) > 0);
		pair_free(pair);
	}
}

/* --- every shipped profile beside SONiC as it is exported ---------------------------- */

/* The caller frees it. */
static char *export_sonic(const struct rt_profile *profile)
{
	static const char *const ports[] = { "Ethernet0" };
	const struct rt_nos_wish wish = { .profile = profile,
					  .ports = ports,
					  .port_count = 1 };
	struct rt_json *patch = NULL;
	struct rt_err err = { 0 };
	char *text = NULL;
	size_t bytes;
	FILE *to;

	if (rt_nos_sonic.export(&wish, &patch, &err) < 0)
		fail_msg("%s", err.msg);
	to = open_memstream(&text, &bytes);
	assert_non_null(to);
	assert_int_equal(rt_json_write(patch, to, NULL), 0);
	fclose(to);
	rt_json_free(patch);
	return text;
}

#define GROUPS                                                                \
	"classes: {roce: {pg: 3}, cnp: {pg: 0}, be: {pg: 0}}\nswitch: {nos: " \
	"sonic}\n"

static const struct {
	const char *profile, *more;
} shipped[] = {
	{ "azure-sonic", NULL },
	{ "dell-sonic", NULL },
	{ "thor2-400g-sonic", NULL },
	{ "lossy-multi-tc-400g", NULL },
	{ "lossy-multi-tc-800g", NULL },
	{ "nvidia-lossless-100g", GROUPS },
	{ "nvidia-lossless-200g", GROUPS },
	{ "nvidia-lossless-400g", GROUPS },
	{ "cx7-400g-eos", GROUPS },
};

static void test_shipped_sonic_pairs_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(shipped); i++) {
		RT_AUTO(rt_auto_profile_free)
		struct rt_profile *profile = pair_shipped_profile(shipped[i].profile,
								  shipped[i].more);
		RT_AUTO(rt_auto_free) char *text = export_sonic(profile);
		struct pair *pair;

		print_message("# -- %s\n", shipped[i].profile);
		pair = pair_shipped(shipped[i].profile, shipped[i].more, &rt_nos_sonic,
				    text, "Ethernet0");
		judge(pair);
		assert_true(rt_findings_worst(&pair->findings) < RT_SEVERITY_WARN);
		/* and the same host without PFC does not */
		rt_findings_free(&pair->findings);
		rt_knob_set(&pair->host, RT_KNOB_PFC_MASK, 0, 0);
		pair_judge(pair);
		assert_int_equal(count_id(&pair->findings, "align-pfc-switch-only"),
				 rt_profile_lossless_count(profile) > 0);
		pair_free(pair);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_shipped_sonic_pairs_fit),
	     cmocka_unit_test(test_shipped_eos_pair_fits),
	     cmocka_unit_test(test_shipped_eos_pair_with_a_map_is_silent),
	     cmocka_unit_test(test_shipped_eos_misalignments_are_found))
