/* SPDX-License-Identifier: BSD-2-Clause */
/* What is opened to be watched, ports picked of it, and ticks without a screen. */
#include "behind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/watch.h"
#include "run/watch_pick.h"
#include "run/watch_table.h"
#include "spoil.h"
#include "watch/source.h"
#include "watch/watch.h"

#define SECOND UINT64_C(1000000000)

/* --- requests ----------------------------------------------------------------------------- */

static void test_one_thing_is_watched(void **state)
{
	static const char *const names[] = { "eth0", NULL };
	static const struct {
		const char *label;
		struct rt_watch_request request;
		int result;
	} cases[] = {
		{ "this host", { 0 }, 0 },
		{ "a demonstration", { .demo = true }, 0 },
		{ "demonstration and lab", { .demo = true, .lab = "" }, -EINVAL },
		{ "recording and folder", { .replay = "x", .sysroot = "y" }, -EINVAL },
		{ "scenario and recording",
		  { .replay = "x", .scenario = "y" },
		  -EINVAL },
		{ "seeking in a recording",
		  { .replay = "x", .seek_ns = { .known = true } },
		  0 },
		{ "seeking here", { .seek_ns = { .known = true } }, -EINVAL },
		{ "flows of this host", { .capture = names }, 0 },
		{ "flows of a lab", { .lab = "", .capture = names }, 0 },
		{ "flows of a recording",
		  { .replay = "x", .capture = names },
		  -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_run_watch_check(&cases[i].request, &err),
				 cases[i].result);
		assert_int_equal(err.code, cases[i].result);
	}
}

/* --- picking ------------------------------------------------------------------------------- */

static const struct rt_watch_input *find(const struct rt_watch_sample *sample,
					 const char *name)
{
	for (size_t i = 0; i < sample->count; i++)
		if (strcmp(sample->items[i].port.name, name) == 0)
			return &sample->items[i];
	return NULL;
}

static void same_input(const struct rt_watch_input *a, const struct rt_watch_input *b)
{
	assert_int_equal(a->port.state, b->port.state);
	assert_int_equal(a->set.time_ns, b->set.time_ns);
	assert_int_equal(a->set.layout, b->set.layout);
	assert_int_equal(a->set.count, b->set.count);
	for (size_t i = 0; i < a->set.count; i++) {
		assert_int_equal(a->set.items[i].counter, b->set.items[i].counter);
		assert_int_equal(a->set.items[i].value, b->set.items[i].value);
	}
}

/* What is picked is what the source says of it, at each time, and nothing else is. */
static void test_picked_ports_are_as_they_were(void **state)
{
	static const char *const ports[] = { "mlx5_[1-3]/*", "eno1", NULL };
	static const char *const exclude[] = { "mlx5_2/1", NULL };
	const struct rt_watch_request request = { .ports = ports, .exclude = exclude };
	struct rt_watch_source *all, *picked;
	struct rt_watch_sample whole = { 0 }, part = { 0 };
	int64_t next_ns;

	(void)state;
	assert_int_equal(rt_watch_demo_open(SECOND, &all, NULL), 0);
	assert_int_equal(rt_watch_demo_open(SECOND, &picked, NULL), 0);
	assert_int_equal(rt_watch_pick_open(picked, &request, &picked, NULL), 0);
	assert_string_equal(picked->title, all->title);
	for (unsigned i = 0; i < 150; i++) {
		assert_int_equal(picked->ops->next_ns(picked, &next_ns), 0);
		assert_int_equal(all->ops->sample(all, &whole, NULL), 0);
		assert_int_equal(picked->ops->sample(picked, &part, NULL), 0);
		assert_int_equal(part.time_ns, next_ns);
		assert_int_equal(part.wall_ns, whole.wall_ns);
		assert_int_equal(part.flows.count, whole.flows.count);
		assert_int_equal(part.count, 3);
		assert_non_null(
			find(&part, "rxe0/1")); /* whose network device is eno1 */
		for (size_t k = 0; k < part.count; k++)
			same_input(find(&whole, part.items[k].port.name),
				   &part.items[k]);
	}
	all->ops->close(all);
	picked->ops->close(picked);
	rt_watch_sample_free(&whole);
	rt_watch_sample_free(&part);
}

/* Of all sources alike: an RDMA device stands for its ports. */
static void test_a_device_stands_for_its_ports(void **state)
{
	static const char *const one[] = { "mlx5_1", NULL };
	static const struct rt_watch_request cases[] = { { .ports = one },
							 { .exclude = one } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct rt_watch_source *all, *picked;
		struct rt_watch_sample whole = { 0 }, part = { 0 };

		assert_int_equal(rt_watch_demo_open(SECOND, &all, NULL), 0);
		assert_int_equal(rt_watch_demo_open(SECOND, &picked, NULL), 0);
		assert_int_equal(rt_watch_pick_open(picked, &cases[i], &picked, NULL),
				 0);
		assert_int_equal(all->ops->sample(all, &whole, NULL), 0);
		assert_int_equal(picked->ops->sample(picked, &part, NULL), 0);
		assert_non_null(find(&whole, "mlx5_1/1"));
		assert_int_equal(find(&part, "mlx5_1/1") != NULL, i == 0);
		assert_int_equal(part.count, i == 0 ? 1 : whole.count - 1);
		all->ops->close(all);
		picked->ops->close(picked);
		rt_watch_sample_free(&whole);
		rt_watch_sample_free(&part);
	}
}

static void test_all_ports_need_no_picking(void **state)
{
	static const char *const none[] = { NULL };
	const struct rt_watch_request request = { .ports = none, .exclude = none };
	struct rt_watch_source *source, *picked;

	(void)state;
	assert_int_equal(rt_watch_demo_open(SECOND, &source, NULL), 0);
	assert_int_equal(rt_watch_pick_open(source, &request, &picked, NULL), 0);
	assert_ptr_equal(source, picked);
	picked->ops->close(picked);
}

/* --- ticks ------------------------------------------------------------------------------------ */

struct shown {
	unsigned ticks, with_rates, counters, findings;
	unsigned fail_at;   /* 0: never */
	unsigned spoil_at;  /* the file recorded into is closed behind its back */
	const char *record; /* NULL: nowhere */
};

static int show(void *context, const struct rt_watched *watched)
{
	struct shown *shown = context;

	shown->ticks++;
	shown->with_rates += watched->elapsed_ns.known;
	if (shown->ticks == shown->spoil_at)
		spoil_closing(shown->record);
	for (size_t i = 0; i < watched->port_count; i++)
		shown->counters += (unsigned)watched->ports[i].counter_count;
	for (size_t i = 0; i < watched->findings.count; i++, shown->findings++)
		assert_string_not_equal(watched->findings.items[i].evidence, "");
	return shown->ticks == shown->fail_at ? -EPIPE : 0;
}

static int run_batch(struct rt_watch_batch batch, struct shown *shown)
{
	const struct rt_watch_request request = { .demo = true,
						  .interval_ns = SECOND,
						  .record = shown->record };
	struct rt_watch *watch;
	int r;

	assert_int_equal(rt_run_watch_open(&request, &watch, NULL), 0);
	batch.show = show;
	batch.context = shown;
	batch.out_fd = -1;
	r = rt_run_watch_batch(watch, &batch, NULL);
	rt_run_watch_close(watch);
	return r;
}

static void test_intervals_are_counted(void **state)
{
	static const struct {
		uint64_t asked;
		unsigned shown, with_rates;
	} cases[] = { { 0, 1, 0 }, { 1, 1, 1 }, { 5, 5, 5 } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_watch_batch batch = {
			.intervals = RT_KNOWN_U64(cases[i].asked),
			.stop_fd = -1,
		};
		struct shown shown = { 0 };

		assert_int_equal(run_batch(batch, &shown), 0);
		assert_int_equal(shown.ticks, cases[i].shown);
		assert_int_equal(shown.with_rates, cases[i].with_rates);
		assert_int_equal(shown.counters, 0);
	}
}

static void test_counters_come_when_asked_for(void **state)
{
	const struct rt_watch_batch batch = {
		.intervals = RT_KNOWN_U64(1),
		.stop_fd = -1,
		.with_counters = true,
	};
	struct shown shown = { 0 };

	(void)state;
	assert_int_equal(run_batch(batch, &shown), 0);
	assert_true(shown.counters > 100);
}

/* In a tick as in those where nothing begins. */
static void test_all_findings_have_their_evidence(void **state)
{
	const struct rt_watch_batch batch = {
		.intervals = RT_KNOWN_U64(40),
		.stop_fd = -1,
	};
	struct shown shown = { 0 };

	(void)state;
	assert_int_equal(run_batch(batch, &shown), 0);
	assert_true(shown.findings > 40);
}

static int show_and_close(void *context, const struct rt_watched *watched)
{
	(void)watched;
	close_behind(context);
	return 0;
}

static void test_what_closing_a_recording_says_is_told(void **state)
{
	char folder[] = "/tmp/rocetune-watch-XXXXXX", path[100];
	struct rt_watch_request request = { .demo = true, .interval_ns = SECOND };
	struct rt_watch_batch batch = { .intervals = RT_KNOWN_U64(1),
					.stop_fd = -1,
					.out_fd = -1,
					.show = show_and_close,
					.context = path };
	struct rt_err err = { 0 };
	struct rt_watch *watch;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.rtw", folder);
	request.record = path;
	assert_int_equal(rt_run_watch_open(&request, &watch, NULL), 0);
	assert_int_equal(rt_run_watch_batch(watch, &batch, &err), -EBADF);
	assert_non_null(strstr(err.msg, path));
	assert_null(rt_watch_recording(watch));
	rt_run_watch_close(watch);
	unlink(path);
	rmdir(folder);
}

static void test_it_ends_when_told(void **state)
{
	struct shown shown = { .fail_at = 3 };
	struct rt_watch_batch batch = { .stop_fd = -1 };
	int pipes[2];

	(void)state;
	assert_int_equal(run_batch(batch, &shown), -EPIPE);
	assert_int_equal(shown.ticks, 3);
	/* Something to read at stop_fd: before anything is sampled. */
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	batch.stop_fd = pipes[0];
	shown = (struct shown){ 0 };
	assert_int_equal(run_batch(batch, &shown), 0);
	assert_int_equal(shown.ticks, 0);
	close(pipes[0]);
	close(pipes[1]);
}

/* What is recorded ends with it, and what that says is what comes of it. */
static void test_recordings_that_fail_are_told(void **state)
{
	static const struct {
		const char *label;
		unsigned spoil_at, fail_at;
		int result;
		unsigned ticks;
	} cases[] = {
		{ "sound", 0, 0, 0, 3 },
		{ "in the middle", 1, 0, -EBADF, 2 },
		{ "at its end", 3, 0, -EBADF, 3 },
		{ "the reader left", 0, 2, -EPIPE, 2 },
		{ "the reader left, too", 2, 2, -EBADF, 2 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_watch_batch batch = { .intervals = RT_KNOWN_U64(3),
						      .stop_fd = -1 };
		char folder[] = "/tmp/rt-watch-XXXXXX", path[64];
		struct shown shown = { .spoil_at = cases[i].spoil_at,
				       .fail_at = cases[i].fail_at,
				       .record = path };

		print_message("# %s\n", cases[i].label);
		assert_non_null(mkdtemp(folder));
		snprintf(path, sizeof(path), "%s/x.rtw", folder);
		assert_int_equal(run_batch(batch, &shown), cases[i].result);
		assert_int_equal(shown.ticks, cases[i].ticks);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(rmdir(folder), 0);
	}
}

/* --- ticks that bring nothing ------------------------------------------------------------------ */

/* The demonstration, of which every third sample fails. */
struct flaky {
	struct rt_watch_source source;
	struct rt_watch_source *demo;
	unsigned asked;
};

static int sample_or_fail(struct rt_watch_source *source,
			  struct rt_watch_sample *sample, struct rt_err *err)
{
	struct flaky *flaky = (struct flaky *)source;

	if (++flaky->asked % 3 == 0)
		return rt_err_set(err, -EIO, "cannot be read now");
	return flaky->demo->ops->sample(flaky->demo, sample, err);
}

static void close_flaky(struct rt_watch_source *source)
{
	struct flaky *flaky = (struct flaky *)source;

	flaky->demo->ops->close(flaky->demo);
	free(flaky);
}

static struct rt_watch *open_flaky(void)
{
	static const struct rt_watch_source_ops ops = { .name = "flaky",
							.sample = sample_or_fail,
							.close = close_flaky };
	struct flaky *flaky = calloc(1, sizeof(*flaky));
	struct rt_watch *watch;

	assert_non_null(flaky);
	flaky->source = (struct rt_watch_source){ .ops = &ops, .title = "flaky" };
	assert_int_equal(rt_watch_demo_open(SECOND, &flaky->demo, NULL), 0);
	assert_int_equal(rt_watch_open(&flaky->source, SECOND, &watch, NULL), 0);
	return watch;
}

/* Nothing of the tick before is told again: figures, findings, flows, how long it was. */
static void test_a_tick_that_failed_has_no_figures(void **state)
{
	struct rt_watch *watch = open_flaky();
	unsigned failed = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		const struct rt_watched *watched;
		struct rt_outcome outcome = { 0 };
		bool said;

		assert_int_equal(rt_watch_tick(watch, NULL), 0);
		assert_int_equal(rt_run_watch_outcome(rt_watch_look(watch), true, 0,
						      &outcome, NULL),
				 0);
		watched = outcome.object;
		said = *watched->said;
		failed += said;
		assert_int_equal(watched->port_count, said ? 0 : 13);
		assert_int_equal(watched->flows.known, !said);
		assert_true(watched->elapsed_ns.known == (!said && i > 0));
		if (said)
			assert_int_equal(outcome.findings->count, 0);
		rt_outcome_release(&outcome);
	}
	assert_int_equal(failed, 20);
	rt_watch_close(watch);
}

/* --- rows --------------------------------------------------------------------------------------- */

static void test_columns_are_a_table(void **state)
{
	struct rt_table *columns = rt_watched_columns();

	(void)state;
	assert_non_null(columns);
	rt_table_check(columns);
	assert_int_equal(columns->size, sizeof(struct rt_watched_row));
	free(columns);
}

RT_UNIT_MAIN(cmocka_unit_test(test_one_thing_is_watched),
	     cmocka_unit_test(test_picked_ports_are_as_they_were),
	     cmocka_unit_test(test_a_device_stands_for_its_ports),
	     cmocka_unit_test(test_all_ports_need_no_picking),
	     cmocka_unit_test(test_intervals_are_counted),
	     cmocka_unit_test(test_counters_come_when_asked_for),
	     cmocka_unit_test(test_all_findings_have_their_evidence),
	     cmocka_unit_test(test_what_closing_a_recording_says_is_told),
	     cmocka_unit_test(test_it_ends_when_told),
	     cmocka_unit_test(test_recordings_that_fail_are_told),
	     cmocka_unit_test(test_a_tick_that_failed_has_no_figures),
	     cmocka_unit_test(test_columns_are_a_table))
