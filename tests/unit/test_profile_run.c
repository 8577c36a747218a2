/* SPDX-License-Identifier: BSD-2-Clause */
/* test_profile_run.c - the journeys about profiles and what they bring back. */
#include "profiles.h"

#include <errno.h>

#include "base/json.h"
#include "base/own.h"
#include "report/report.h"
#include "report_tree.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/profile.h"

static void test_tables_keep_their_rules(void **state)
{
	static const struct rt_table *const tables[] = {
		&rt_profile_list_table,
		&rt_profile_show_table,
		&rt_profile_checks_table,
		&rt_profile_diff_table,
		&rt_profile_knobs_table,
		&rt_headroom_table,
		&rt_tos_table,
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(tables); i++) {
		size_t known = 0;

		rt_table_check(tables[i]);
		for (size_t k = 0; rt_outcome_kinds[k]; k++)
			known += rt_outcome_kinds[k] == tables[i];
		assert_int_equal(known, 1);
	}
}

/* Text and JSON of the outcome, whole. */
static char *both_forms(struct rt_outcome *outcome)
{
	const struct rt_report_style style = { .detail = true };
	struct rt_json *json = report_tree(outcome->table, outcome->object);
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	rt_report_text(file, outcome->table, outcome->object, &style);
	assert_int_equal(rt_json_write(json, file, NULL), 0);
	fclose(file);
	rt_json_free(json);
	rt_outcome_release(outcome);
	return text;
}

static void test_outcomes_tell_what_they_hold(void **state)
{
	static const struct rt_headroom_link link = { 100000000000, 5000, 0 };
	static const char *const names[] = { "azure-sonic", "hpcc-100g" };
	static const struct {
		const char *kind, *says;
	} cases[] = {
		{ "profile_list", "juniper-qfx5240" },
		{ "profile", "switch.ecn.rdma3.host.kmin" },
		{ "profile_check", "pfc-no-watchdog" },
		{ "profile_diff", "switch.ecn.rdma.host.kmin" },
		{ "profile_knobs", "classes.<class>.sched.max" },
		{ "headroom", "59757" },
		{ "tos", "CE from the sender" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_outcome outcome = { 0 };
		struct rt_err err = { 0 };
		char kind[64];
		char *text;
		int r = i == 0   ? rt_run_profile_list(&outcome, &err)
			: i == 1 ? rt_run_profile_show("azure-sonic", RT_NO_RAIL, true,
						       &outcome, &err)
			: i == 2 ? rt_run_profile_check(names, 2, &outcome, &err)
			: i == 3 ? rt_run_profile_diff("hpcc-25g", "hpcc-100g",
						       &outcome, &err)
			: i == 4 ? rt_run_profile_knobs(&outcome, &err)
			: i == 5 ? rt_run_headroom(&link, &outcome, &err)
				 : rt_run_tos(107, "nvidia-lossless-100g", RT_NO_RAIL,
					      &outcome, &err);

		print_message("# %s %s\n", cases[i].kind, err.msg);
		assert_int_equal(r, 0);
		text = both_forms(&outcome);
		snprintf(kind, sizeof(kind), "\"kind\": \"%s\"", cases[i].kind);
		assert_non_null(strstr(text, kind));
		assert_non_null(strstr(text, cases[i].says));
		free(text);
	}
}

/* Everything that is shown is the same in every run. */
static void test_outcomes_repeat(void **state)
{
	char *first = NULL, *second = NULL;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rt_outcome outcome = { 0 };

		assert_int_equal(rt_run_profile_list(&outcome, NULL), 0);
		*(i ? &second : &first) = both_forms(&outcome);
	}
	assert_string_equal(first, second);
	free(first);
	free(second);
}

static void test_failures_leave_nothing_behind(void **state)
{
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(
		rt_run_profile_show("nowhere", RT_NO_RAIL, false, &outcome, &err),
		-ENOENT);
	assert_int_equal(rt_run_profile_show("azure-sonic", 0, false, &outcome, &err),
			 -ERANGE);
	assert_int_equal(rt_run_profile_diff("azure-sonic", "nowhere", &outcome, &err),
			 -ENOENT);
	assert_int_equal(rt_run_tos(1, "nowhere", RT_NO_RAIL, &outcome, &err), -ENOENT);
	assert_null(outcome.object);
}

/* A profile that is not there keeps none of the others from being checked. */
static void test_check_goes_on_after_a_failure(void **state)
{
	static const char *const names[] = { "nowhere", "azure-sonic", "./no.yaml",
					     "hpcc-100g" };
	const struct rt_profile_checks *checks;
	struct rt_outcome outcome = { 0 };

	(void)state;
	assert_int_equal(rt_run_profile_check(names, 4, &outcome, NULL), 0);
	checks = outcome.object;
	assert_int_equal(checks->count, 4);
	assert_int_equal(checks->failed, 2);
	assert_non_null(strstr(checks->items[0].failed, "no profile 'nowhere'"));
	assert_string_equal(checks->items[1].failed, "");
	assert_true(checks->items[1].not_judged > 0);
	assert_non_null(strstr(checks->items[2].failed, "./no.yaml"));
	assert_int_equal(checks->items[3].warnings, 1);
	rt_outcome_release(&outcome);
}

/* The same knob set alike, differently, and in one only. */
static void test_diff_counts_each_knob_once(void **state)
{
	char folder[] = "/tmp/rocetune-test-XXXXXX", a[64], b[64];
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	FILE *file;
	char *text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(a, sizeof(a), "%s/a.yaml", folder);
	snprintf(b, sizeof(b), "%s/b.yaml", folder);
	file = fopen(a, "we");
	fputs("name: x\nclasses: {one: {prio: 1, tc: 2}, two: {prio: 5}}\n"
	      "app: {A: 1, B: 2}\n",
	      file);
	fclose(file);
	file = fopen(b, "we");
	fputs("name: x\nclasses: {three: {queue: 7}, one: {prio: 1, tc: 3}}\n"
	      "app: {B: 2, C: 3}\n",
	      file);
	fclose(file);
	assert_int_equal(rt_run_profile_diff(a, b, &outcome, &err), 0);
	text = both_forms(&outcome);
	unlink(a);
	unlink(b);
	rmdir(folder);
	/* one.tc, two.prio, three.queue, A, C */
	assert_non_null(strstr(text, "\"differences\": 5"));
	assert_null(strstr(text, "app.B"));
	assert_null(strstr(text, "\"classes.one.prio\""));
	free(text);
}

static void test_folders_that_do_not_fit_are_left_out_whole(void **state)
{
	struct rt_profile_folders folders;
	char list[8192];

	(void)state;
	setenv("ROCETUNE_PROFILES", "/one:/two", 1);
	rt_run_profile_folders(&folders);
	assert_string_equal(folders.search.folders[0], "/one");
	assert_string_equal(folders.search.folders[1], "/two");
	assert_string_equal(folders.search.folders[3], "./profiles");
	assert_null(folders.search.folders[4]);

	memset(list, 'x', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	memcpy(list, "/one:/", 6);
	setenv("ROCETUNE_PROFILES", list, 1);
	rt_run_profile_folders(&folders);
	assert_string_equal(folders.search.folders[0], "/one");
	assert_string_equal(folders.search.folders[2], "./profiles");
	assert_null(folders.search.folders[3]);
	setenv("ROCETUNE_PROFILES", "./profiles", 1);
}

static void test_profile_files_are_told_by_their_ending(void **state)
{
	static const struct {
		const char *file;
		size_t bytes;
	} cases[] = { { "a.yaml", 1 },   { "ab.yml", 2 }, { "x.y.json", 3 },
		      { "a.yaml~", 0 },  { ".yaml", 0 },  { "yaml", 0 },
		      { "README.md", 0 } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		assert_int_equal(rt_profile_stem_bytes(cases[i].file), cases[i].bytes);
}

/* The tree's own profiles, not those of an older installation. */
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_keep_their_rules),
		cmocka_unit_test(test_outcomes_tell_what_they_hold),
		cmocka_unit_test(test_outcomes_repeat),
		cmocka_unit_test(test_failures_leave_nothing_behind),
		cmocka_unit_test(test_check_goes_on_after_a_failure),
		cmocka_unit_test(test_diff_counts_each_knob_once),
		cmocka_unit_test(test_folders_that_do_not_fit_are_left_out_whole),
		cmocka_unit_test(test_profile_files_are_told_by_their_ending),
	};

	setenv("ROCETUNE_PROFILES", "./profiles", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
