/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampler: rates, figures and histories of a source made by hand. */
#include "behind.h"
#include "hand_source.h"

#include <fcntl.h>

#include "base/clock.h"
#include "base/own.h"
#include "spoil.h"

#define PORT RT_COUNTER_NO_PRIO

static void test_watch_tables_are_whole(void **state)
{
	(void)state;
	rt_table_check(&rt_watch_port_table);
	rt_table_check(&rt_watch_flows_table);
	rt_table_check(&rt_watch_figures_table);
	rt_table_check(&rt_watch_pace_table);
	rt_table_check(&rt_watch_event_table);
}

/* What happens between the first reading and the second one, and what is said then. */
static void test_watch_rates_are_over_measured_time(void **state)
{
	static const struct {
		const char *label;
		unsigned bits;
		int64_t wait_ns;
		uint64_t before, after;
		double per_s; /* NaN: unknown */
	} cases[] = {
		{ "a second", 64, HAND_SEC, 100, 350, 250 },
		{ "late", 64, HAND_SEC + HAND_SEC / 4, 100, 350, 200 },
		{ "a tenth", 64, HAND_SEC / 10, 100, 350, 2500 },
		{ "idle", 64, HAND_SEC, 100, 100, 0 },
		{ "64 bits went backwards", 64, HAND_SEC, 100, 99, NAN },
		{ "32 bits passed their end", 32, HAND_SEC, UINT32_MAX - 9, 10, 20 },
		{ "32 bits fell", 32, HAND_SEC, 3000, 10, NAN },
		{ "time stands", 64, 0, 100, 350, NAN },
		{ "time goes back", 64, -HAND_SEC / 2, 100, 350, NAN },
		{ "a day", 64, 86400 * HAND_SEC, 0, 86400, 1 },
		{ "32 bits, a day", 32, 86400 * HAND_SEC, 0, 86400, NAN },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = { 0 };
		struct rt_watch_input *input = hand_port(&hand, "eth0");
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		double rate;

		hand_add(input, RT_COUNTER_OUT_OF_BUFFER, PORT, RT_SOURCE_RDMA,
			 cases[i].bits, cases[i].before);
		hand_wait(&hand, 0);
		rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_OUT_OF_BUFFER, PORT);
		assert_true(isnan(rate));
		hand_wait(&hand, cases[i].wait_ns);
		hand_find(&hand, 0, RT_COUNTER_OUT_OF_BUFFER, PORT)->value =
			cases[i].after;
		rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_OUT_OF_BUFFER, PORT);
		print_message("# %s: %g\n", cases[i].label, rate);
		if (isnan(cases[i].per_s))
			assert_true(isnan(rate));
		else
			assert_true(rate == cases[i].per_s);
		/* Whatever it was, the next second is known again. */
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_OUT_OF_BUFFER, PORT, 7);
		rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_OUT_OF_BUFFER, PORT);
		assert_true(rate == 7);
		hand_end(&hand, watch);
	}
}

static void test_watch_figures_are_of_known_rates(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_figures *figures;
	float values[4];

	(void)state;
	input->port.speed_bps = RT_KNOWN_U64(100000000000);
	hand_add(input, RT_COUNTER_PFC_RX_FRAMES, 3, RT_SOURCE_ETHTOOL, 64, 5);
	hand_add(input, RT_COUNTER_PFC_RX_NS, 3, RT_SOURCE_ETHTOOL, 64, 5);
	hand_add(input, RT_COUNTER_PFC_TX_FRAMES, 3, RT_SOURCE_ETHTOOL, 64, 5);
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 5);
	hand_wait(&hand, 0);
	hand_tick(watch, 0);
	hand_wait(&hand, HAND_SEC / 2);
	hand_raise(&hand, 0, RT_COUNTER_PFC_RX_NS, 3, 125000000);
	hand_raise(&hand, 0, RT_COUNTER_PFC_TX_FRAMES, 3, 50);
	hand_raise(&hand, 0, RT_COUNTER_RX_BYTES, PORT, 1250000000);
	figures = &hand_tick(watch, 0)->figures;
	assert_true(figures->paused_pct.known && figures->paused_pct.value == 25);
	assert_true(figures->prios[3].paused_pct.value == 25);
	assert_true(figures->prios[3].paused_fps.known);
	/* Frames without a duration: how often, but not for how long. */
	assert_true(figures->prios[3].pausing_fps.value == 100);
	assert_false(figures->pausing_pct.known);
	assert_false(figures->prios[4].paused_pct.known);
	assert_true(figures->rx_bps.value == 20e9 && figures->rx_pct.value == 20);
	assert_false(figures->tx_bps.known || figures->tx_pct.known);
	assert_int_equal(rt_watch_history(watch, 0, RT_COLUMN_PAUSED_PCT, values, 4),
			 2);
	assert_true(isnan(values[0]) && values[1] == 25);
	assert_int_equal(rt_watch_counter_history(watch, 0, 3, values, 4), 2);
	assert_true(isnan(values[0]) && values[1] == 2.5e9F);
	assert_int_equal(rt_watch_counter_history(watch, 0, 4, values, 4), 0);
	assert_int_equal(rt_watch_history(watch, 1, RT_COLUMN_RX_BPS, values, 4), 0);
	assert_int_equal(rt_watch_counter_history(watch, 1, 0, values, 4), 0);
	assert_in_range(rt_watch_look(watch)->cost_ns, 1, 60 * HAND_SEC);
	hand_end(&hand, watch);
}

/* --- when ---------------------------------------------------------------------------------- */

static void test_watch_waits_for_its_interval(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch *watch = hand_open(&hand, 5 * HAND_SEC);
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	int64_t before_ns, after_ns;

	(void)state;
	assert_int_equal(rt_watch_wait_ns(watch, rt_monotonic_ns(), 1), 0);
	before_ns = rt_monotonic_ns();
	hand_tick(watch, 0);
	after_ns = rt_monotonic_ns();
	assert_in_range(rt_watch_wait_ns(watch, after_ns, 1),
			5 * HAND_SEC - (after_ns - before_ns), 5 * HAND_SEC);
	assert_int_equal(rt_watch_wait_ns(watch, after_ns + 5 * HAND_SEC, 1), 0);
	assert_int_equal(rt_watch_wait_ns(watch, INT64_MAX, 1), 0);
	/* Bounds of the interval, which counts from the last tick. */
	rt_watch_set_interval(watch, 0);
	assert_int_equal(snapshot->interval_ns, RT_WATCH_MIN_INTERVAL_NS);
	assert_int_equal(rt_watch_wait_ns(watch, after_ns + 100 * HAND_MS, 1), 0);
	rt_watch_set_interval(watch, UINT64_MAX);
	assert_int_equal(snapshot->interval_ns, RT_WATCH_MAX_INTERVAL_NS);
	assert_in_range(rt_watch_wait_ns(watch, after_ns, 1), 59 * HAND_SEC,
			60 * HAND_SEC);
	hand_end(&hand, watch);
}

static void test_watch_waits_for_the_time_of_its_source(void **state)
{
	static const struct {
		int64_t ahead_ns;
		double speed;
		int64_t least_ns, most_ns;
	} cases[] = {
		{ 10 * HAND_SEC, 1, 9 * HAND_SEC, 10 * HAND_SEC },
		{ 10 * HAND_SEC, 10, HAND_SEC / 2, HAND_SEC },
		{ 10 * HAND_SEC, 0.5, 19 * HAND_SEC, 20 * HAND_SEC },
		{ 10 * HAND_SEC, 0, 0, 0 },  /* as fast as it goes */
		{ 10 * HAND_SEC, -1, 0, 0 }, /* no such speed */
		{ 10 * HAND_SEC, (double)NAN, 0, 0 },
		{ 10 * HAND_SEC, 1e-300, 60 * HAND_SEC, 60 * HAND_SEC },
		{ 0, 1, 0, 0 },
		{ -HAND_SEC, 1, 0, 0 }, /* its time goes back */
		{ 3600 * HAND_SEC, 1, 60 * HAND_SEC,
		  60 * HAND_SEC }, /* not all of it */
		{ INT64_MAX / 2, 1, 60 * HAND_SEC, 60 * HAND_SEC },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = { .has_clock = true };
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		uint64_t wait_ns;

		assert_int_equal(rt_watch_wait_ns(watch, 0, 1), 0);
		hand_tick(watch, 0);
		hand.next_ns = hand.next.time_ns + cases[i].ahead_ns;
		wait_ns = rt_watch_wait_ns(watch, rt_monotonic_ns(), cases[i].speed);
		print_message("# %zu: %g s\n", i, (double)wait_ns / 1e9);
		assert_in_range(wait_ns, cases[i].least_ns, cases[i].most_ns);
		/* Somebody held the picture for an hour: it goes on, and does not run. */
		rt_watch_wait_ns(watch, rt_monotonic_ns() + 3600 * HAND_SEC,
				 cases[i].speed);
		hand_tick(watch, 0);
		wait_ns = rt_watch_wait_ns(watch, rt_monotonic_ns(), cases[i].speed);
		assert_in_range(wait_ns, cases[i].least_ns, cases[i].most_ns);
		hand_end(&hand, watch);
	}
}

/* Another speed is from then on; held for an hour, it goes on where it was. */
static void test_watch_changes_its_speed(void **state)
{
	struct hand hand = { .has_clock = true };
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	int64_t now_ns;

	(void)state;
	hand_tick(watch, 0);
	now_ns = rt_monotonic_ns();
	hand.next_ns = hand.next.time_ns + 10 * HAND_SEC;
	assert_in_range(rt_watch_wait_ns(watch, now_ns, 1), 9 * HAND_SEC,
			10 * HAND_SEC);
	assert_in_range(rt_watch_wait_ns(watch, now_ns, 100), 1, HAND_SEC / 10);
	assert_in_range(rt_watch_wait_ns(watch, now_ns, 1), 9 * HAND_SEC,
			10 * HAND_SEC);
	assert_int_equal(rt_watch_wait_ns(watch, now_ns + 10 * HAND_SEC, 1), 0);
	hand_end(&hand, watch);
}

/* --- ends and other places in time --------------------------------------------------------- */

static void test_watch_tells_the_end_once(void **state)
{
	struct hand hand = { .has_clock = true };
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	struct rt_err err = { 0 };

	(void)state;
	hand_port(&hand, "eth0");
	hand_tick(watch, 0);
	hand.result = -ENODATA;
	assert_int_equal(rt_watch_tick(watch, &err), 0);
	assert_true(snapshot->ended);
	assert_string_equal(snapshot->said, "the hand is empty");
	assert_int_equal(snapshot->count, 1); /* the last picture stays */
	assert_int_equal(snapshot->event_count, 0);
	assert_int_equal(rt_watch_tick(watch, &err), -ENODATA);
	assert_string_equal(err.msg, "by hand has no more");
	assert_true(rt_watch_wait_ns(watch, rt_monotonic_ns(), 1) > 0);
	/* Back from its end. */
	hand.result = 0;
	assert_int_equal(rt_watch_seek(watch, 5, &err), 0);
	assert_int_equal(hand.sought_ns, 5);
	assert_false(snapshot->ended);
	hand_tick(watch, 0);
	assert_string_equal(snapshot->said, "");
	assert_int_equal(rt_watch_seek(watch, -5, &err), -EINVAL);
	hand_end(&hand, watch);
}

/* One that failed, and has no next sample, is over: else it is asked for ever. */
static void test_watch_asks_no_more_who_failed_for_good(void **state)
{
	struct hand hand = { .has_clock = true };
	struct rt_watch *watch;

	(void)state;
	hand_port(&hand, "eth0");
	watch = hand_open(&hand, HAND_SEC);
	hand_tick(watch, 0);
	hand.result = -EIO;
	hand.next_ns = 5 * HAND_SEC; /* it may pass */
	for (unsigned n = 0; n < 3; n++) {
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
		assert_false(rt_watch_look(watch)->ended);
		assert_string_equal(rt_watch_look(watch)->said, "the hand is empty");
	}
	hand.next_ns = -1;
	assert_int_equal(rt_watch_tick(watch, NULL), 0);
	assert_true(rt_watch_look(watch)->ended);
	assert_int_equal(rt_watch_tick(watch, NULL), -ENODATA);
	hand_end(&hand, watch);
}

static void test_watch_begins_anew_where_it_is_put(void **state)
{
	struct hand hand = { .has_clock = true };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	float values[9];

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	for (unsigned i = 0; i < 5; i++) {
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 3);
		hand_tick(watch, 0);
	}
	assert_int_equal(rt_watch_set_baseline(watch, NULL), 0);
	assert_int_equal(rt_watch_history(watch, 0, RT_COLUMN_CE_PS, values, 9), 5);
	assert_int_equal(rt_watch_seek(watch, HAND_SEC, NULL), 0);
	assert_int_equal(rt_watch_history(watch, 0, RT_COLUMN_CE_PS, values, 9), 0);
	hand_wait(&hand, -3 * HAND_SEC);
	input->set.items[0].value = 8;
	assert_true(isnan(hand_rate(hand_tick(watch, 0), RT_COUNTER_CE_RX, PORT)));
	assert_false(rt_watch_look(watch)->baseline_ns.known);
	assert_int_equal(rt_watch_look(watch)->elapsed_ns, 0);
	/* That counters fell is no reset: it is of another time. */
	assert_int_equal(hand_events(watch, RT_EVENT_COUNTERS_RESET), 0);
	hand_wait(&hand, HAND_SEC);
	hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 3);
	assert_true(hand_rate(hand_tick(watch, 0), RT_COUNTER_CE_RX, PORT) == 3);
	assert_int_equal(rt_watch_look(watch)->elapsed_ns, HAND_SEC);
	assert_int_equal(rt_watch_history(watch, 0, RT_COLUMN_CE_PS, values, 9), 2);
	assert_true(isnan(values[0]) && values[1] == 3);
	hand_end(&hand, watch);
	hand = (struct hand){ 0 };
	watch = hand_open(&hand, HAND_SEC);
	assert_int_equal(rt_watch_seek(watch, 0, NULL), -EOPNOTSUPP);
	hand_end(&hand, watch);
}

/* What was going on there says nothing of how long it goes on here. */
static void test_watch_forgets_what_lasted_elsewhere(void **state)
{
	struct hand hand = { .has_clock = true };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC / 10);
	const struct rt_watch_view *view = NULL;

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	for (unsigned i = 0; i < 14; i++) {
		if (i == 9)
			assert_int_equal(rt_watch_seek(watch, 5, NULL), 0);
		hand_wait(&hand, HAND_SEC / 10);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 900);
		view = hand_tick(watch, 0);
		print_message("# %u: %zu\n", i, view->findings.count);
		/* A tick for rates, three until it is no burst. */
		assert_int_equal(view->verdict == RT_VERDICT_NETWORK,
				 i >= 9 ? i >= 12 : i >= 3);
	}
	hand_end(&hand, watch);
}

/* Rings that went round hold the newest points, in order. */
static void test_watch_histories_go_round(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	float values[2 * RT_WATCH_POINTS];

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	for (unsigned n = 0; n < 3 * RT_WATCH_POINTS + 7; n++) {
		size_t count;

		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, n);
		hand_tick(watch, 0);
		count = rt_watch_history(watch, 0, RT_COLUMN_CE_PS, values,
					 2 * RT_WATCH_POINTS);
		assert_int_equal(count, n < RT_WATCH_POINTS ? n + 1 : RT_WATCH_POINTS);
		for (size_t i = 0; i < count; i++) {
			const size_t point = n + 1 - count + i;

			assert_true(point ? values[i] == (float)point
					  : isnan(values[i]));
		}
		count = rt_watch_counter_history(watch, 0, 0, values, 5);
		assert_true(values[count - 1] == (float)n || n == 0);
	}
	hand_end(&hand, watch);
}

/* --- recording ----------------------------------------------------------------------------- */

/* What writing or closing a recording said is told by stopping it, once. */
static void test_watch_tells_what_is_not_recorded(void **state)
{
	static const struct {
		const char *label;
		bool goes_on; /* there is another tick, which cannot be written */
	} cases[] = { { "closing fails", false }, { "writing fails", true } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = { 0 };
		struct rt_watch_input *input = hand_port(&hand, "eth0");
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		char folder[] = "/tmp/rt-watch-XXXXXX", path[64];
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		assert_non_null(mkdtemp(folder));
		snprintf(path, sizeof(path), "%s/x.rtw", folder);
		hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
		assert_int_equal(rt_watch_record(watch, path, NULL), 0);
		hand_wait(&hand, HAND_SEC);
		hand_tick(watch, 0);
		spoil_closing(path);
		assert_null(rt_watch_recording_lost(watch));
		hand_wait(&hand, HAND_SEC);
		if (cases[i].goes_on) {
			hand_tick(watch, 0);
			assert_null(rt_watch_recording(watch));
			assert_non_null(strstr(rt_watch_recording_lost(watch), path));
		}
		assert_int_equal(rt_watch_record(watch, NULL, &err), -EBADF);
		assert_non_null(strstr(err.msg, path));
		assert_null(rt_watch_recording(watch));
		assert_null(rt_watch_recording_lost(watch));
		assert_int_equal(rt_watch_record(watch, NULL, &err), 0);
		hand_end(&hand, watch);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(rmdir(folder), 0);
	}
}

static void test_watch_records_what_it_sees(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	struct rt_watch_source *replay = NULL;
	char folder[] = "/tmp/rt-watch-XXXXXX", path[64];
	struct rt_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.rtw", folder);
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	assert_null(rt_watch_recording(watch));
	assert_int_equal(rt_watch_record(watch, path, &err), 0);
	assert_string_equal(rt_watch_recording(watch), path);
	assert_int_equal(rt_watch_record(watch, path, &err), -EEXIST);
	assert_string_equal(rt_watch_recording(watch), path); /* it goes on */
	for (unsigned n = 0; n < 4; n++) {
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 3);
		hand_tick(watch, 0);
	}
	assert_int_equal(rt_watch_record(watch, NULL, &err), 0);
	assert_null(rt_watch_recording(watch));
	hand_tick(watch, 0);
	hand_end(&hand, watch);

	assert_int_equal(rt_watch_replay_open(path, &replay, &err), 0);
	assert_int_equal(rt_watch_open(replay, HAND_SEC, &watch, &err), 0);
	for (unsigned n = 0; n < 4; n++) {
		const double rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_CE_RX,
					      PORT);

		assert_true(n ? rate == 3 : isnan(rate));
	}
	hand_tick(watch, 0);
	assert_true(rt_watch_look(watch)->ended);
	rt_watch_close(watch);
	unlink(path);
	rmdir(folder);
}

/* Another file begins all the same. */
static void test_watch_records_elsewhere_whatever_closing_says(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	char folder[] = "/tmp/rt-watch-XXXXXX", a[64], b[64];
	int below;
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(a, sizeof(a), "%s/a.rtw", folder);
	snprintf(b, sizeof(b), "%s/b.rtw", folder);
	hand_port(&hand, "eth0");
	below = open("/dev/null", O_RDONLY); /* which the other file will take */
	assert_int_equal(rt_watch_record(watch, a, NULL), 0);
	close_behind(a);
	close(below);
	assert_int_equal(rt_watch_record(watch, b, NULL), 0);
	assert_string_equal(rt_watch_recording(watch), b);
	hand_tick(watch, 0);
	assert_int_equal(snapshot->event_count, 1);
	assert_int_equal(snapshot->events[0].severity, RT_SEVERITY_ERROR);
	assert_non_null(strstr(snapshot->events[0].text, a));
	/* What cannot be written any more ends the recording. */
	close_behind(b);
	hand_wait(&hand, HAND_SEC);
	hand_tick(watch, 0);
	assert_null(rt_watch_recording(watch));
	assert_int_equal(snapshot->event_count, 2);
	assert_int_equal(snapshot->events[1].severity, RT_SEVERITY_ERROR);
	assert_int_equal(snapshot->events[1].kind, RT_EVENT_SOURCE);
	assert_non_null(strstr(snapshot->events[1].text, b));
	hand_end(&hand, watch);
	unlink(a);
	unlink(b);
	rmdir(folder);
}

RT_UNIT_MAIN(cmocka_unit_test(test_watch_records_elsewhere_whatever_closing_says),
	     cmocka_unit_test(test_watch_tables_are_whole),
	     cmocka_unit_test(test_watch_rates_are_over_measured_time),
	     cmocka_unit_test(test_watch_figures_are_of_known_rates),
	     cmocka_unit_test(test_watch_waits_for_its_interval),
	     cmocka_unit_test(test_watch_waits_for_the_time_of_its_source),
	     cmocka_unit_test(test_watch_changes_its_speed),
	     cmocka_unit_test(test_watch_tells_the_end_once),
	     cmocka_unit_test(test_watch_asks_no_more_who_failed_for_good),
	     cmocka_unit_test(test_watch_begins_anew_where_it_is_put),
	     cmocka_unit_test(test_watch_forgets_what_lasted_elsewhere),
	     cmocka_unit_test(test_watch_histories_go_round),
	     cmocka_unit_test(test_watch_tells_what_is_not_recorded),
	     cmocka_unit_test(test_watch_records_what_it_sees))
