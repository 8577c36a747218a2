/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_dash_session.c - a dashboard at work: recordings that are lost, layouts that are
 * spoilt, intervals that are a source's own.
 */
#include "dash.h"
#include "dash_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/own.h"
#include "dash/layout.h"
#include "rocetune/err.h"

static void full_disk(bool full)
{
	struct rlimit limit;

	signal(SIGXFSZ, full ? SIG_IGN : SIG_DFL);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = full ? 64 : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* "recording to" would stand there for some seconds more. */
static void test_a_lost_recording_is_told_at_once(void **state)
{
	struct stage stage;

	(void)state;
	open_stage(&stage, 25, false);
	stage.options.snapshot_path = folder;
	press(&stage, 'E');
	assert_true(shows(&stage, "recording to"));
	full_disk(true);
	tick(&stage);
	full_disk(false);
	assert_true(shows(&stage, "the recording ends: "));
	assert_false(shows(&stage, "recording to"));
	assert_false(shows(&stage, "REC"));
	/* What is said next is not told over. */
	press(&stage, '!');
	assert_true(shows(&stage, "no filter"));
	close_stage(&stage);
	empty_folder();
}

/* How often is measured where samples come by a time of their own, whatever was wished. */
static void test_own_time_is_told_as_it_is(void **state)
{
	static const struct {
		int64_t step_ns;
		unsigned samples;
		const char *told; /* NULL: nothing */
	} cases[] = { { SECOND_NS, 1, NULL },
		      { SECOND_NS, 3, "every 1 s " },
		      { SECOND_NS / 20, 3, "every 50 ms " },
		      { 90 * SECOND_NS, 3, "every 1.5 min " } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stage stage;

		open_stage_of(&stage, cases[i].step_ns, cases[i].samples, false);
		assert_true(cases[i].told ? shows(&stage, cases[i].told)
					  : !shows(&stage, "every "));
		close_stage(&stage);
	}
}

/* A simulation's world began with the epoch, and this one is watched from there. */
static const struct rt_watch_source_ops *world;

static int sample_of_a_world(struct rt_watch_source *source,
			     struct rt_watch_sample *sample, struct rt_err *err)
{
	static int64_t passed_ns;
	const int r = world->sample(source, sample, err);

	sample->wall_ns = passed_ns;
	passed_ns += 20000;
	return r;
}

static void test_times_of_a_simulation_are_what_passed(void **state)
{
	struct rt_watch_source *source = NULL;
	struct rt_watch_source_ops ops;
	struct stage stage = { .rows = 24, .columns = 80, .options.speed = 1.0 / 5000 };

	(void)state;
	assert_int_equal(rt_watch_demo_open((uint64_t)SECOND_NS, &source, NULL), 0);
	world = source->ops;
	ops = *world;
	ops.sample = sample_of_a_world;
	source->ops = &ops;
	assert_int_equal(rt_watch_open(source, (uint64_t)SECOND_NS, &stage.watch, NULL),
			 0);
	rt_dash_begin(&stage.dash, stage.watch, &stage.options, false);
	assert_false(shows(&stage, "after"));
	tick(&stage);
	assert_true(shows(&stage, "after 0 us\n"));
	for (unsigned i = 0; i < 20; i++)
		tick(&stage);
	assert_true(shows(&stage, "after 400 us\n"));
	assert_true(shows(&stage, "speed 1/5000  "));
	press(&stage, '6');
	assert_true(shows(&stage, "\n120 us   ! mlx5_3/1"));
	assert_false(shows(&stage, "00:00"));
	assert_false(shows(&stage, "UTC"));
	close_stage(&stage);
}

/* A recording that ended before there was anything to record does not say it holds it. */
static void test_an_empty_recording_is_told(void **state)
{
	struct stage stage;

	(void)state;
	open_stage_of(&stage, SECOND_NS, 0, false);
	stage.options.snapshot_path = folder;
	press(&stage, 'E');
	assert_true(shows(&stage, "recording to "));
	press(&stage, 'E');
	assert_true(shows(&stage, "nothing was recorded to "));
	press(&stage, 'E');
	tick(&stage);
	press(&stage, 'E');
	assert_true(shows(&stage, "recorded to "));
	assert_false(shows(&stage, "nothing"));
	close_stage(&stage);
	empty_folder();
}

/* A layout that somebody spoilt is told, and the dashboard begins all the same. */
static void test_layout_that_is_none(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{\"rocetune\": 1, \"kind\": \"other\"}",
		"{\"rocetune\": 1, \"kind\": \"dashboard_layout\", \"screen\": 99}",
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(texts); i++) {
		struct rt_dash_ui ui = { 0 };
		struct rt_err err = { 0 };
		char path[256];
		FILE *file;

		snprintf(path, sizeof(path), "%s/layout.json", folder);
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(texts[i], file);
		fclose(file);
		assert_int_equal(rt_dash_layout_load(path, &ui, &err), -EINVAL);
		assert_true(*err.msg);
		assert_int_equal(ui.screen, 0);
	}
	empty_folder();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lost_recording_is_told_at_once),
		cmocka_unit_test(test_own_time_is_told_as_it_is),
		cmocka_unit_test(test_times_of_a_simulation_are_what_passed),
		cmocka_unit_test(test_an_empty_recording_is_told),
		cmocka_unit_test(test_layout_that_is_none),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
