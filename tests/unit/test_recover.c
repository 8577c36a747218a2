/* SPDX-License-Identifier: BSD-2-Clause */
/* test_recover.c - finishing changes: what is in the way, and what helps. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>

#include "apply_run.h"

/* A journal that cannot be read is named with what helps, and that helps. */
static void test_an_unreadable_journal_can_be_put_aside(void **state)
{
	const struct rt_recover_wish forget = { .forget = "000001-mlx5_0-1" };
	const struct rt_change_rows *rows;
	const struct rt_applied *applied;
	struct rt_outcome outcome;
	struct rt_err err = { 0 };
	char path[160];

	(void)state;
	begin("mlx5", PLAIN);
	snprintf(path, sizeof(path), "%s/000001-mlx5_0-1.journal", folder);
	assert_int_equal(close(creat(path, 0644)), 0);
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_non_null(strstr(finding(applied, "apply-pending")->evidence,
			       "recover --forget 000001-mlx5_0-1"));
	rt_outcome_release(&outcome);
	if (rt_run_recover(&host, &forget, &outcome, &err) < 0)
		fail_msg("%s", err.msg);
	rows = outcome.object;
	assert_int_equal(rows->count, 1);
	assert_non_null(strstr(rows->items[0].result, ".journal.bad"));
	assert_false(rt_changes_left(rows));
	rt_outcome_release(&outcome);
	strcat(path, RT_STATE_ASIDE);
	assert_int_equal(access(path, F_OK), 0);
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_COMMITTED);
	assert_string_equal(applied->ports[0].journal, "000002-mlx5_0-1");
	rt_outcome_release(&outcome);
	fake_host_free();
}

/* What cannot be looked at keeps the gate shut. */
static void test_more_journals_than_can_be_looked_at(void **state)
{
	const struct rt_applied *applied;
	char pending[RT_PENDING_BYTES], path[160];
	struct rt_outcome outcome;

	(void)state;
	begin("mlx5", PLAIN);
	for (unsigned i = 1; i <= RT_STATE_MOST + 1; i++) {
		snprintf(path, sizeof(path), "%s/%06u-a-1.journal", folder, i);
		assert_int_equal(close(creat(path, 0644)), 0);
	}
	applied = run((struct rt_apply_wish){ 0 }, &outcome);
	assert_int_equal(applied->ports[0].end, RT_APPLY_REFUSED);
	assert_non_null(strstr(finding(applied, "apply-pending")->evidence,
			       "more than 4096 journals"));
	assert_int_equal(deaths->fake->writes, 0);
	rt_outcome_release(&outcome);
	assert_true(rt_recovery_pending(pending));
	assert_non_null(strstr(pending, "more than 4096 journals"));
	fake_host_free();
}

/* Its time was over while nobody looked. */
static void make_overdue(void)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *folder_of = NULL;
	struct rt_journal journal;
	struct rt_err err = { 0 };

	assert_int_equal(rt_state_open(true, &folder_of, &err), 0);
	assert_int_equal(rt_state_load(folder_of, "000001-mlx5_0-1", &journal, &err),
			 0);
	journal.status = RT_JOURNAL_UNCONFIRMED;
	journal.deadline_ns = RT_KNOWN_U64(1);
	assert_int_equal(rt_state_save(folder_of, &journal, &err), 0);
	rt_journal_free(&journal);
}

static void test_what_is_overdue_and_left_is_told(void **state)
{
	(void)state;
	begin("mlx5", PLAIN);
	die_unfinished();
	make_overdue();
	deaths->fake->ports[0].dcb.app.items[0].priority = 5;
	recover_says(&(struct rt_recover_wish){ 0 }, true, "nothing was touched");
	assert_string_equal(last_status(), "unconfirmed");
	fake_host_free();
}

#define T(name) cmocka_unit_test_setup_teardown(name, make_state, remove_state)
RT_UNIT_MAIN(T(test_an_unreadable_journal_can_be_put_aside),
	     T(test_more_journals_than_can_be_looked_at),
	     T(test_what_is_overdue_and_left_is_told))
