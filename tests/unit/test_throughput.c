/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "base/own.h"
#include "frames.h"

#define R "10.0.0.100" /* receiver */

static const struct rt_analysis_config config;

/* psn is kept per sender by the caller; 938 bytes of payload make 1000 on the wire. */
static void deliver(struct made *made, const char *src, int64_t time_ns, uint32_t psn)
{
	made->now_ns = time_ns;
	made_roce(made, src, R, RT_OP_RC_WRITE_MIDDLE, 7 + (uint32_t)src[7], psn, 938);
}

/*
 * 100 frames of 1000 bytes, 100 ns apart: 9900 ns from first to last, 93,800 bytes
 * of payload: 75.7979...e9 bit/s; wire 80.808...e9.
 */
static void test_rates_are_over_the_time_of_the_data(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_receiver *row;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		deliver(made, "10.0.0.1", 5000 + 100 * i, i);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.throughput.receiver_count, 1);
	row = &analysis.throughput.receivers[0];
	assert_string_equal(row->receiver, R);
	assert_int_equal(row->senders, 1);
	assert_int_equal(row->good_bytes, 93800);
	assert_int_equal(row->duration_ns, 9900);
	assert_int_equal(row->goodput_bps.value, 75797979798);
	assert_int_equal(row->wire_bps.value, 80808080808);
	/* 10 frames in each window of 1 us: 80 Gb/s. */
	assert_int_equal(analysis.throughput.window_ns, 1000);
	assert_int_equal(row->peak_wire_bps.value, 80000000000);
	assert_int_equal(row->max_fan_in, 1);
	assert_false(row->jain.known);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * 25 frames back to back on a link of 100 Gb/s: 1024 bytes with preamble, FCS and
 * gap take 81.92 ns, counted as 81.  13 begin in the first microsecond, but of
 * the one at 983 ns only 17/81 lie in it: 12,209 bytes.  The second has the 791 of
 * the rest, 11 whole ones and 34/81 of the one at 1966 ns, 419: 12,210 bytes.
 */
static void test_no_window_holds_more_than_the_link_carries(void **state)
{
	const struct rt_analysis_config fast = {
		.link_speed_bps = RT_KNOWN_U64(100000000000),
	};
	struct made *made = calloc(1, sizeof(*made));
	const struct rt_analysis_throughput *throughput;
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t i = 0; i < 25; i++)
		deliver(made, "10.0.0.1", 8192 * (int64_t)i / 100, i);
	made_analyse(made, &fast, &analysis);
	throughput = &analysis.throughput;
	assert_int_equal(throughput->window_count, 3);
	assert_int_equal(throughput->windows[0].wire_bytes, 12209);
	assert_int_equal(throughput->windows[1].wire_bytes, 12210);
	assert_int_equal(throughput->windows[2].wire_bytes, 581);
	assert_int_equal(throughput->receivers[0].peak_wire_bps.value, 97680000000);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * In one window: 1876 bytes from 500 to 981 ns, 481 ns, are 31.2017 Gb/s; as many
 * from 600 to 781 ns, 181 ns, are 82.9171 Gb/s.
 */
static void test_contention_is_from_first_to_last_frame(void **state)
{
	const struct rt_analysis_config fast = {
		.link_speed_bps = RT_KNOWN_U64(100000000000),
	};
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	deliver(made, "10.0.0.3", 0, 0); /* where windows begin */
	deliver(made, "10.0.0.1", 500, 0);
	deliver(made, "10.0.0.2", 600, 0);
	deliver(made, "10.0.0.2", 700, 1);
	deliver(made, "10.0.0.1", 900, 1);
	made_analyse(made, &fast, &analysis);
	assert_int_equal(analysis.throughput.sender_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct rt_analysis_sender *row = &analysis.throughput.senders[i];

		if (strcmp(row->sender, "10.0.0.1") == 0)
			assert_int_equal(row->contended_bps.value, 31201663202);
		if (strcmp(row->sender, "10.0.0.2") == 0)
			assert_int_equal(row->contended_bps.value, 82917127072);
	}
	rt_analysis_free(&analysis);
	free(made);
}

static void test_resent_payload_is_no_goodput(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	static const uint32_t psns[] = { 1, 2, 3, 2, 3, 4 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(psns); i++)
		deliver(made, "10.0.0.1", (int64_t)i * 100, psns[i]);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.throughput.receivers[0].payload_bytes, 6 * 938);
	assert_int_equal(analysis.throughput.receivers[0].good_bytes, 4 * 938);
	assert_int_equal(analysis.throughput.senders[0].good_bytes, 4 * 938);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * Windows of 1 us.  Sender 1 sends 6 frames in each of windows 0 to 4, while it
 * is alone, and 3 in each of windows 5 to 9; sender 2 one in each of these.  Fan-in 1 in 0 to 4, 2 in 5 to 9: mean 1.5.
 * Under contention (5 us) 15 frames against 5: rates 3 : 1, Jain
 * (3 + 1)^2 / (2 * (9 + 1)) = 0.8.
 */
static void test_fan_in_and_fairness_are_judged_under_contention(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_receiver *row;
	uint32_t psn = 0;

	(void)state;
	for (int64_t w = 0; w < 10; w++) {
		for (int64_t i = 0; i < (w < 5 ? 6 : 3); i++)
			deliver(made, "10.0.0.1", 1000 * w + 100 * i, psn++);
		if (w >= 5)
			deliver(made, "10.0.0.2", 1000 * w + 500, (uint32_t)w);
	}
	made_analyse(made, &config, &analysis);
	row = &analysis.throughput.receivers[0];
	assert_int_equal(row->senders, 2);
	assert_int_equal(row->max_fan_in, 2);
	assert_true(fabs(row->mean_fan_in.value - 1.5) < 1e-12);
	assert_true(fabs(row->jain.value - 0.8) < 1e-9);
	assert_string_equal(row->slowest, "10.0.0.2");
	/* 5 * 938 bytes in 5 us */
	assert_int_equal(row->slowest_bps.value, 7504000000);
	assert_int_equal(row->fastest_bps.value, 3 * 7504000000);
	/* A series for both together (10 windows) and for each (10 and 5). */
	assert_int_equal(analysis.throughput.window_count, 25);
	assert_int_equal(analysis.throughput.windows[5].senders, 2);
	assert_int_equal(analysis.throughput.windows[5].good_bytes, 4 * 938);
	rt_analysis_free(&analysis);
	free(made);
}

/* A starved sender is not fast for having been silent. */
static void test_windows_without_a_sender_count_against_it(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (int64_t w = 0; w < 9; w++) {
		deliver(made, "10.0.0.1", 1000 * w, (uint32_t)w);
		deliver(made, "10.0.0.3", 1000 * w + 100, (uint32_t)w);
		/* Only in the first and the last window, as much as the others. */
		if (w == 0 || w == 8)
			deliver(made, "10.0.0.2", 1000 * w + 200, (uint32_t)w);
	}
	made_analyse(made, &config, &analysis);
	assert_string_equal(analysis.throughput.receivers[0].slowest, "10.0.0.2");
	/* 2 * 938 bytes over 9 windows of 1 us */
	assert_int_equal(analysis.throughput.receivers[0].slowest_bps.value,
			 1667555556);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * One frame each millisecond for 1 s: windows widen from 1 us to 4.096 ms (256 of
 * 2.048 ms end at 524 ms), and nothing gets lost in the merging.
 */
static void test_windows_widen_and_keep_their_sums(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	uint64_t good = 0, wire = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		deliver(made, "10.0.0.1", (int64_t)i * 1000000, i);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.throughput.window_ns, 4096000);
	for (size_t i = 0; i < analysis.throughput.window_count; i++) {
		good += analysis.throughput.windows[i].good_bytes;
		wire += analysis.throughput.windows[i].wire_bytes;
		assert_int_equal(analysis.throughput.windows[i].start_ns % 4096000, 0);
	}
	assert_int_equal(good, 938000);
	assert_int_equal(wire, 1000000);
	assert_int_equal(analysis.throughput.window_count, 244); /* 999 ms / 4.096 ms */
	rt_analysis_free(&analysis);
	free(made);
}

/* Time stamps from one end of 64 bits to the other must neither hang nor wrap. */
static void test_extreme_time_stamps_are_held(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	uint64_t good = 0;

	(void)state;
	deliver(made, "10.0.0.1", INT64_MIN, 1);
	deliver(made, "10.0.0.1", INT64_MAX, 2);
	deliver(made, "10.0.0.1", 0, 3);
	made_analyse(made, &config, &analysis);
	assert_true(analysis.capture.span_ns.value == UINT64_MAX);
	assert_int_equal(analysis.capture.times_back, 1);
	for (size_t i = 0; i < analysis.throughput.window_count; i++)
		good += analysis.throughput.windows[i].good_bytes;
	assert_int_equal(good, 3 * 938);
	rt_analysis_free(&analysis);
	free(made);
}

/* The clock starts with the first time there is, not in 1970. */
static void test_frames_before_any_time_make_no_decades(void **state)
{
	const int64_t now = 1700000000000000000;
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	deliver(made, "10.0.0.1", 0, 1);
	made->frames[0].flags = RT_FRAME_NO_TIME;
	deliver(made, "10.0.0.1", now, 2);
	deliver(made, "10.0.0.1", now + 1000, 3);
	deliver(made, "10.0.0.1", now + 2000, 2); /* a rewind: how long was silence? */
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.throughput.receivers[0].duration_ns, 2000);
	assert_int_equal(analysis.throughput.receivers[0].start_ns, 0);
	assert_int_equal(analysis.sequence.flows[0].duration_ns, 2000);
	assert_int_equal(analysis.sequence.flows[0].longest_silence_ns, 0);
	rt_analysis_free(&analysis);
	free(made);
}

/* Lengths that no frame has make no rate that no integer holds. */
static void test_absurd_rates_are_unknown(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		deliver(made, "10.0.0.1", i, i);
		made->frames[i].wire_bytes = UINT32_MAX;
	}
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.throughput.receivers[0].duration_ns, 1);
	assert_false(analysis.throughput.receivers[0].wire_bps.known);
	rt_analysis_free(&analysis);
	free(made);
}

RT_UNIT_MAIN(cmocka_unit_test(test_frames_before_any_time_make_no_decades),
	     cmocka_unit_test(test_absurd_rates_are_unknown),
	     cmocka_unit_test(test_rates_are_over_the_time_of_the_data),
	     cmocka_unit_test(test_no_window_holds_more_than_the_link_carries),
	     cmocka_unit_test(test_contention_is_from_first_to_last_frame),
	     cmocka_unit_test(test_resent_payload_is_no_goodput),
	     cmocka_unit_test(test_fan_in_and_fairness_are_judged_under_contention),
	     cmocka_unit_test(test_windows_without_a_sender_count_against_it),
	     cmocka_unit_test(test_windows_widen_and_keep_their_sums),
	     cmocka_unit_test(test_extreme_time_stamps_are_held))
