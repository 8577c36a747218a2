/* SPDX-License-Identifier: BSD-2-Clause */
/* test_apply_words.c - what people read and write of changes: rules, history, knobs. */
#include "unit.h"

#include <errno.h>

#include "apply_run.h"
#include "run/gate.h"
#include "run/knob_names.h"

/* The rule that a failed plan is told by. */
static void assert_told_as(bool undoes, int code, const char *id)
{
	const struct rt_apply_wish wish = { 0 };
	const struct rt_profile nothing = { 0 };
	const struct rt_device device = { 0 };
	const struct rt_err no_plan = { .code = code, .msg = "why" };
	const struct rt_gate gate = { .where = "a port",
				      .wish = &wish,
				      .device = &device,
				      .profile = &nothing,
				      .no_plan = &no_plan,
				      .undoes = undoes };
	struct rt_findings findings = { 0 };
	struct rt_err err = { 0 };

	assert_int_equal(
		rt_rules_run(rt_gate_rules, rt_gate_rule_count, &gate, &findings, &err),
		0);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.items[0].id, id);
	rt_findings_free(&findings);
}

static void test_a_refused_rollback_does_not_speak_of_a_profile(void **state)
{
	(void)state;
	assert_told_as(false, -ERANGE, "apply-impossible");
	assert_told_as(true, -ERANGE, "rollback-impossible");
	assert_told_as(true, -ENOTSUP, "rollback-impossible");
	assert_told_as(true, -ESTALE, "rollback-stale");
	assert_told_as(true, -EPERM, "apply-driver");
}

static void test_history_tells_a_rollback_from_an_apply(void **state)
{
	const char *const device = "mlx5_0";
	const struct rt_apply_wish back = { .devices = &device,
					    .device_count = 1,
					    .confirm_ns = RT_KNOWN_U64(0) };
	const struct rt_change_rows *rows;
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	run((struct rt_apply_wish){ 0 }, &outcome);
	rt_outcome_release(&outcome);
	rollback(&back, &outcome, 0);
	rt_outcome_release(&outcome);
	assert_int_equal(rt_run_history(&outcome, NULL), 0);
	rows = outcome.object;
	assert_int_equal(rows->count, 2);
	assert_string_equal(rows->items[0].profile, profile);
	assert_string_equal(rows->items[0].undoes, "");
	assert_string_equal(rows->items[1].profile, "rollback of 000001-mlx5_0-1");
	assert_string_equal(rows->items[1].undoes, "000001-mlx5_0-1");
	rt_outcome_release(&outcome);
	fake_host_free();
}

static void test_knobs_that_nobody_has_are_named(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	for (size_t d = 0; rt_drivers[d]; d++)
		for (size_t i = 0; i < rt_drivers[d]->row_count; i++) {
			const struct rt_driver_row *row = &rt_drivers[d]->rows[i];
			const char *const names[] = {
				row->raw ? row->raw : rt_knobs[row->knob].name, NULL
			};

			if (rt_knob_names_check(names, &err) < 0)
				fail_msg("%s", err.msg);
		}
	assert_int_equal(
		rt_knob_names_check((const char *[]){ "cc.rp.ai", "nope", NULL }, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "'nope'"));
	assert_int_equal(
		rt_knob_names_check((const char *[]){ "cc.rp.aii", NULL }, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "did you mean cc.rp.ai"));
	assert_int_equal(rt_knob_names_check((const char *[]){ NULL }, &err), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_a_refused_rollback_does_not_speak_of_a_profile),
	     T(test_history_tells_a_rollback_from_an_apply),
	     T(test_knobs_that_nobody_has_are_named))
