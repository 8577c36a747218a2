/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with a lab on purpose: words, bounds, and what they change. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "model/fabric_config.h"
#include "rocetune/err.h"
#include "rocetune/units.h"
#include "run/lab_fault.h"
#include "run/lab_plan.h"
#include "traffic/faults.h"

static void test_words(void **state)
{
	struct rt_lab_faults faults;

	(void)state;
	assert_int_equal(rt_lab_faults_read(NULL, &faults, NULL), 0);
	assert_int_equal(faults.count, 0);
	assert_int_equal(rt_lab_faults_read("", &faults, NULL), 0);
	assert_int_equal(faults.count, 0);
	assert_int_equal(rt_lab_faults_read("slow-receiver@h3=12.5%,small-headroom,"
					    "no-receive-buffers",
					    &faults, NULL),
			 0);
	assert_int_equal(faults.count, 3);
	assert_int_equal(faults.items[0].kind, RT_LAB_SLOW_RECEIVER);
	assert_string_equal(faults.items[0].host, "h3");
	assert_int_equal(faults.items[0].share_ppb, 125000000);
	assert_int_equal(faults.items[1].kind, RT_LAB_SMALL_HEADROOM);
	assert_int_equal(faults.items[1].share_ppb, 0);
	assert_string_equal(faults.items[2].host, "");
	assert_int_equal(faults.items[2].share_ppb, 100000000);
}

static void test_what_is_no_fault_is_said(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "slow", "slow-receiver, no-receive-buffers" },
		{ "reorder=101%", "0% to 100%" },
		{ "reorder=much", "0% to 100%" },
		{ "reorder=-1%", "0% to 100%" },
		{ "slow-receiver=0%", "dead" },
		{ "small-headroom@h0", "no host" },
		{ "reorder@", "no host" },
		{ "reorder@a-host-with-a-long-name", "no host" },
		{ "reorder,reorder,reorder,reorder,reorder,reorder,reorder,reorder,"
		  "reorder",
		  "more than 8" },
		{ "reorder,reorder,reorder,reorder,reorder,reorder,reorder,reorder,"
		  "reorder,reorder,reorder,reorder,reorder,reorder,reorder,reorder,r",
		  "more than 127" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_lab_faults faults;
		struct rt_err err = { 0 };

		assert_int_equal(rt_lab_faults_read(cases[i].text, &faults, &err),
				 -EDOM);
		print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, cases[i].says));
	}
}

static void test_a_plan_has_them(void **state)
{
	struct rt_lab_request request = { .hosts = RT_KNOWN_U64(3) };
	struct rt_lab_plan plan, cut;
	struct rt_err err = { 0 };
	struct rt_engine_faults of;

	(void)state;
	assert_int_equal(rt_lab_plan_make(&request, 0, &plan, NULL), 0);
	assert_true(plan.laws.pg[RT_PORT_HOST][3].headroom_bytes > 1000);
	request.faults = "small-headroom=50%,slow-receiver@h1";
	assert_int_equal(rt_lab_plan_make(&request, 0, &cut, NULL), 0);
	assert_int_equal(cut.laws.pg[RT_PORT_HOST][3].headroom_bytes,
			 plan.laws.pg[RT_PORT_HOST][3].headroom_bytes / 2);
	of = rt_lab_faults_of_host(&cut.faults, "h1", 200000000);
	assert_int_equal(of.receive_bps, 60000000);
	of = rt_lab_faults_of_host(&cut.faults, "h0", 200000000);
	assert_int_equal(of.receive_bps, 0);
	rt_lab_plan_free(&cut);
	rt_lab_plan_free(&plan);
	request.faults = "slow-receiver@h3";
	assert_int_equal(rt_lab_plan_make(&request, 0, &plan, &err), -EDOM);
	assert_non_null(strstr(err.msg, "h0 to h2"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_words),
	     cmocka_unit_test(test_what_is_no_fault_is_said),
	     cmocka_unit_test(test_a_plan_has_them))
