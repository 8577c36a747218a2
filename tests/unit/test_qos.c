/* SPDX-License-Identifier: BSD-2-Clause */
/* test_qos.c - knobs: the table keeps its rules, values survive being text. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "model/params.h"
#include "model/qos.h"
#include "rocetune/err.h"

static void test_rows_are_whole(void **state)
{
	(void)state;
	for (unsigned id = 0; id < RT_KNOB_COUNT; id++) {
		const struct rt_knob *row = &rt_knobs[id];
		bool found = !row->param;

		assert_non_null(row->name);
		assert_non_null(row->help);
		assert_true(row->length == 1 || row->length == 8 || row->length == 64);
		assert_true((row->type == RT_KNOB_ENUM) == (row->names != NULL));
		assert_ptr_equal(rt_knob_find(row->name), row);
		for (size_t i = 0; i < rt_param_count && !found; i++)
			found = strncmp(rt_params[i].path, row->param,
					strlen(row->param)) == 0;
		if (!found)
			fail_msg("%s: no parameter %s", row->name, row->param);
	}
	assert_null(rt_knob_find("pfc"));
}

static void test_text_survives(void **state)
{
	static const struct {
		enum rt_knob_id id;
		const char *text;
	} cases[] = {
		{ RT_KNOB_TRUST, "dscp" },
		{ RT_KNOB_DSCP_PRIO, "0-25:0 26:3 27-47:0 48:6 49-63:none" },
		{ RT_KNOB_DSCP_PRIO, "26:3" },
		{ RT_KNOB_PFC_MASK, "none" },
		{ RT_KNOB_PFC_MASK, "3 4" },
		{ RT_KNOB_PFC_CABLE, "5m" },
		{ RT_KNOB_ETS_TSA, "0-5:ets 6:strict 7:vendor" },
		{ RT_KNOB_MAX_RATE, "0-6:none 7:4Gb/s" },
		{ RT_KNOB_STORM_TIMEOUT, "off" },
		{ RT_KNOB_RP_MAX_RATE, "line rate" },
		{ RT_KNOB_RP_MAX_RATE, "100Gb/s" },
		{ RT_KNOB_BUFFER_SIZE, "0:20016B 1:156.096KB 2-7:0B" },
		{ RT_KNOB_PAUSE_RX, "off" },
		{ RT_KNOB_CC_ALGORITHM, "dcqcn-p" },
		{ RT_KNOB_RP_RATE_TIMER, "300us" },
		{ RT_KNOB_RP_MIN_DEC, "50%" },
		{ RT_KNOB_RP_AI, "unknown" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_knob *row = &rt_knobs[cases[i].id];
		struct rt_knob_value value;
		struct rt_err err = { 0 };
		char buf[RT_KNOB_TEXT_BYTES];

		if (rt_knob_parse(row, cases[i].text, &value, &err) < 0)
			fail_msg("%s", err.msg);
		assert_string_equal(rt_knob_format(row, &value, buf), cases[i].text);
		if (strcmp(cases[i].text, "unknown") != 0)
			assert_true(value.known);
	}
}

/* Journals of before have it as a number. */
static void test_zero_is_read_both_ways(void **state)
{
	const struct rt_knob *row = &rt_knobs[RT_KNOB_MAX_RATE];
	struct rt_knob_value word, number;

	(void)state;
	assert_int_equal(rt_knob_parse(row, "0-7:none", &word, NULL), 0);
	assert_int_equal(rt_knob_parse(row, "0-7:0b/s", &number, NULL), 0);
	assert_int_equal(word.known, 0xff);
	assert_memory_equal(&word.number, &number.number, sizeof(word.number));
}

static void test_text_that_is_none(void **state)
{
	static const struct {
		enum rt_knob_id id;
		const char *text;
	} cases[] = {
		{ RT_KNOB_TRUST, "cos" },         { RT_KNOB_DSCP_PRIO, "64:1" },
		{ RT_KNOB_DSCP_PRIO, "5-3:1" },   { RT_KNOB_DSCP_PRIO, "5:" },
		{ RT_KNOB_DSCP_PRIO, "-1:3" },    { RT_KNOB_DSCP_PRIO, "1:300" },
		{ RT_KNOB_PFC_MASK, "3,4" },      { RT_KNOB_PFC_MASK, "99" },
		{ RT_KNOB_ETS_TSA, "3:round" },   { RT_KNOB_PAUSE_RX, "yes" },
		{ RT_KNOB_RP_RATE_TIMER, "300" }, { RT_KNOB_RP_AI, "" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_knob_value value;

		assert_int_equal(rt_knob_parse(&rt_knobs[cases[i].id], cases[i].text,
					       &value, NULL),
				 -EINVAL);
	}
}

static void test_difference_is_by_element(void **state)
{
	struct rt_qos have = { 0 }, want = { 0 }, both;
	const struct rt_knob *map = &rt_knobs[RT_KNOB_DSCP_PRIO];

	(void)state;
	rt_knob_set(&have, RT_KNOB_DSCP_PRIO, 26, 0);
	rt_knob_set(&have, RT_KNOB_DSCP_PRIO, 48, 6);
	rt_knob_set(&want, RT_KNOB_DSCP_PRIO, 26, 3);
	rt_knob_set(&want, RT_KNOB_DSCP_PRIO, 48, 6);
	rt_knob_set(&want, RT_KNOB_DSCP_PRIO, 63, 0);
	assert_int_equal(rt_knob_differs(map, &have.knobs[RT_KNOB_DSCP_PRIO],
					 &want.knobs[RT_KNOB_DSCP_PRIO]),
			 1ull << 26 | 1ull << 63);
	rt_qos_merge(&have, &want, &both);
	assert_int_equal(rt_knob_differs(map, &both.knobs[RT_KNOB_DSCP_PRIO],
					 &want.knobs[RT_KNOB_DSCP_PRIO]),
			 0);
	assert_false(rt_qos_number(&both, RT_KNOB_RP_AI).known);
}

RT_UNIT_MAIN(cmocka_unit_test(test_rows_are_whole),
	     cmocka_unit_test(test_text_survives),
	     cmocka_unit_test(test_zero_is_read_both_ways),
	     cmocka_unit_test(test_text_that_is_none),
	     cmocka_unit_test(test_difference_is_by_element))
