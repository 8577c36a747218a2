/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At 100 Gb/s a quantum is 5.12 ns: 1000 quanta are 5120 ns, 2000 are 10240 ns.
 */
#include "unit.h"

#include "base/own.h"
#include "frames.h"

static const struct rt_analysis_config at_100g = {
	.link_speed_bps = { .value = 100000000000, .known = true }
};

static void pause_at(struct made *made, int64_t time_ns, uint16_t quanta)
{
	made->now_ns = time_ns;
	made_pfc(made, 1, 3, quanta);
}

/* End of the capture: any frame. */
static void end_at(struct made *made, int64_t time_ns)
{
	made->now_ns = time_ns;
	made_frame(made, RT_FRAME_ARP);
}

static void test_pause_time_is_the_union_of_intervals(void **state)
{
	static const struct {
		const char *label;
		struct {
			int64_t time_ns;
			int quanta; /* -1: no more */
		} frames[4];
		uint64_t paused_ns, longest_ns, intervals, refreshes, open_ns;
	} cases[] = {
		/* [1000, 6120) */
		{ "runs out", { { 1000, 1000 }, { 0, -1 } }, 5120, 5120, 1, 0, 0 },
		/* [1000, 3000) */
		{ "XON ends it",
		  { { 1000, 1000 }, { 3000, 0 }, { 0, -1 } },
		  2000,
		  2000,
		  1,
		  0,
		  0 },
		/* [1000, 3000) and [3000, 8120): one piece of 7120 */
		{ "a refresh replaces, never adds",
		  { { 1000, 1000 }, { 3000, 1000 }, { 0, -1 } },
		  7120,
		  7120,
		  1,
		  1,
		  0 },
		/* [1000, 3000) and [3000, 3512): the second is shorter, 100 quanta */
		{ "a refresh may shorten",
		  { { 1000, 1000 }, { 3000, 100 }, { 0, -1 } },
		  2512,
		  2512,
		  1,
		  1,
		  0 },
		/* [1000, 6120) and [6120, 11240): nothing between them */
		{ "a refresh at the very end",
		  { { 1000, 1000 }, { 6120, 1000 }, { 0, -1 } },
		  10240,
		  10240,
		  1,
		  1,
		  0 },
		/* [1000, 6120) and [10000, 15120) */
		{ "two pieces",
		  { { 1000, 1000 }, { 10000, 1000 }, { 0, -1 } },
		  10240,
		  5120,
		  2,
		  0,
		  0 },
		/* [15000, 20000), 120 ns still to run */
		{ "open at the end",
		  { { 15000, 1000 }, { 0, -1 } },
		  5000,
		  5000,
		  1,
		  0,
		  120 },
		/* A stamp that goes back is taken as the time before it. */
		{ "time goes back",
		  { { 2000, 1000 }, { 1500, 0 }, { 0, -1 } },
		  0,
		  0,
		  1,
		  0,
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;
		const struct rt_analysis_pause *row;

		print_message("# %s\n", cases[i].label);
		end_at(made, 0);
		for (size_t f = 0; cases[i].frames[f].quanta >= 0; f++)
			pause_at(made, cases[i].frames[f].time_ns,
				 (uint16_t)cases[i].frames[f].quanta);
		end_at(made, 20000);
		made_analyse(made, &at_100g, &analysis);
		assert_int_equal(analysis.pauses.port_count, 1);
		row = &analysis.pauses.ports[0];
		assert_int_equal(row->paused_ns.value, cases[i].paused_ns);
		assert_int_equal(row->longest_ns.value, cases[i].longest_ns);
		assert_int_equal(row->intervals.value, cases[i].intervals);
		assert_int_equal(row->refreshes.value, cases[i].refreshes);
		assert_int_equal(row->open_ns.value, cases[i].open_ns);
		assert_true(row->share_pct.value ==
			    100.0 * (double)cases[i].paused_ns / 20000.0);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/* XON and a pause that runs out both end a row of refreshes. */
static void test_refreshes_in_a_row_are_counted_anew(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (int i = 0; i < 4; i++)
		pause_at(made, 1000 + i, 1000);
	pause_at(made, 1100, 0);
	pause_at(made, 1200, 1000);
	pause_at(made, 1300, 1000);
	end_at(made, 20000);
	made_analyse(made, &at_100g, &analysis);
	assert_int_equal(analysis.pauses.ports[0].refreshes.value, 4);
	assert_int_equal(analysis.pauses.ports[0].longest_refreshes.value, 3);
	rt_analysis_free(&analysis);

	/* Without a speed nobody knows whether a pause had run out. */
	made_analyse(made, &(struct rt_analysis_config){ 0 }, &analysis);
	assert_int_equal(analysis.pauses.ports[0].xoff, 6);
	assert_false(analysis.pauses.ports[0].refreshes.known);
	assert_false(analysis.pauses.ports[0].longest_refreshes.known);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_pause_rows_keep_ports_and_priorities_apart(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	struct rt_frame *frame;

	(void)state;
	made_pfc(made, 1, 3, 1000);
	made_pfc(made, 1, 4, 1000);
	made_pfc(made, 2, 3, 1000);
	made_pfc(made, 1, 3, 0);
	/* A quanta field without its enable bit does not count (802.1Qbb). */
	frame = made_pfc(made, 1, 3, 500);
	frame->pause.quanta[7] = 9;
	frame = made_frame(made, RT_FRAME_PAUSE);
	frame->pause.enable = 1;
	frame->pause.quanta[0] = 65535;
	made_analyse(made, &at_100g, &analysis);
	assert_int_equal(analysis.pauses.port_count, 4);
	/* No time passed: they stand by the quanta asked for. */
	assert_int_equal(analysis.pauses.ports[0].kind, RT_PAUSE_802_3X);
	assert_false(analysis.pauses.ports[0].priority.known);
	assert_int_equal(analysis.pauses.ports[1].priority.value, 3);
	assert_int_equal(analysis.pauses.ports[1].xoff, 2);
	assert_int_equal(analysis.pauses.ports[1].xon, 1);
	assert_int_equal(analysis.pauses.ports[2].priority.value, 4);
	assert_int_equal(analysis.pauses.ports[3].source[5], 2);
	assert_int_equal(analysis.pauses.pfc_frames.value, 5);
	assert_int_equal(analysis.pauses.pause_frames.value, 1);
	rt_analysis_free(&analysis);
	free(made);
}

/* Port 1 sends data too; port 2 does so only at another interface. */
/*
 * Ports 1 and 2 pause for 1000 and 2000 quanta, 5120 and 10240 ns, at once: 15360
 * ns in a capture of 20000.  One frame of port 2 speaks for two priorities.
 */
static void test_the_port_paused_most_is_first_and_named(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_pauses *pauses = &analysis.pauses;
	struct rt_frame *frame;

	(void)state;
	made_pfc(made, 1, 3, 1000);
	frame = made_pfc(made, 2, 3, 2000);
	frame->pause.enable |= 1u << 4; /* XON for priority 4 */
	end_at(made, 20000);
	made_analyse(made, &at_100g, &analysis);
	assert_int_equal(pauses->paused_ns.value, 15360);
	assert_int_equal(pauses->longest_ns.value, 10240);
	assert_string_equal(pauses->longest_port,
			    "00:00:00:00:00:02 at interface 0, priority 3");
	assert_int_equal(pauses->port_count, 3);
	assert_int_equal(pauses->ports[0].paused_ns.value, 10240);
	assert_int_equal(pauses->ports[1].paused_ns.value, 5120);
	assert_int_equal(pauses->ports[2].paused_ns.value, 0);
	assert_int_equal(pauses->frames.value, 2);
	assert_int_equal(pauses->xoff.value + pauses->xon.value, 3);
	assert_non_null(strstr(pauses->note, "per priority"));
	rt_analysis_free(&analysis);
	free(made);
}

static void test_pauser_is_a_host_when_its_own_frames_pass(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	struct rt_frame *frame;

	(void)state;
	made_pfc(made, 1, 3, 1000);
	made_pfc(made, 2, 3, 1000);
	frame = made_frame(made, RT_FRAME_PAUSE); /* the first port once more */
	frame->eth_src[5] = 1;
	frame->pause.enable = 1;
	made_pfc(made, 0, 3, 1000);
	frame = made_roce(made, "10.0.0.1", "10.0.0.2", RT_OP_RC_WRITE_ONLY, 7, 1, 100);
	frame->eth_src[5] = 1;
	frame = made_roce(made, "10.0.0.2", "10.0.0.1", RT_OP_RC_WRITE_ONLY, 7, 1, 100);
	frame->eth_src[5] = 2;
	frame->interface = 1;
	made_analyse(made, &at_100g, &analysis);
	/* By quanta, then by address: 0, 1, 2, and the 802.3x of 0 quanta of 1. */
	assert_int_equal(analysis.pauses.ports[0].pauser, RT_PAUSER_UNKNOWN);
	assert_int_equal(analysis.pauses.ports[1].pauser, RT_PAUSER_HOST);
	assert_int_equal(analysis.pauses.ports[2].pauser, RT_PAUSER_UNKNOWN);
	assert_int_equal(analysis.pauses.ports[3].kind, RT_PAUSE_802_3X);
	assert_int_equal(analysis.pauses.ports[3].pauser, RT_PAUSER_HOST);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_pause_without_a_link_speed_has_quanta_but_no_time(void **state)
{
	const struct rt_analysis_config config = { 0 };
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	made_pfc(made, 1, 3, 1000);
	made_pfc(made, 1, 3, 500);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.pauses.ports[0].quanta, 1500);
	assert_int_equal(analysis.pauses.ports[0].max_quanta, 1000);
	assert_false(analysis.pauses.ports[0].paused_ns.known);
	assert_false(analysis.pauses.ports[0].share_pct.known);
	assert_false(analysis.pauses.paused_ns.known);
	rt_analysis_free(&analysis);

	/* The file's own speed: 400 Gb/s, 1.28 ns a quantum; [0, 10) + [10, 650). */
	made->interface.speed_bps = 400000000000;
	made->frames[1].time_ns = 10;
	end_at(made, 100000);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.pauses.ports[0].paused_ns.value, 650);
	rt_analysis_free(&analysis);
	free(made);
}

/* A simple packet block has no time: that is no pause of 0 ns. */
static void test_pauses_without_time_stamps_have_no_time(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (int i = 0; i < 2; i++)
		made_pfc(made, 1, 3, 1000)->flags |= RT_FRAME_NO_TIME;
	made->now_ns = 5000;
	made_pfc(made, 2, 3, 1000);
	end_at(made, 20000);
	made_analyse(made, &at_100g, &analysis);
	assert_int_equal(analysis.pauses.port_count, 2);
	assert_int_equal(analysis.pauses.ports[1].xoff, 2);
	assert_false(analysis.pauses.ports[1].refreshes.known);
	assert_true(analysis.pauses.ports[1].speed_bps.known);
	assert_false(analysis.pauses.ports[1].paused_ns.known);
	assert_false(analysis.pauses.ports[1].share_pct.known);
	assert_int_equal(analysis.pauses.ports[0].paused_ns.value, 5120);
	assert_false(analysis.pauses.paused_ns.known);
	assert_non_null(strstr(analysis.pauses.note, "without a time stamp"));
	rt_analysis_free(&analysis);
	free(made);
}

static void test_no_pause_seen_is_unknown_not_zero(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	made_frame(made, RT_FRAME_ARP);
	made_analyse(made, &at_100g, &analysis);
	assert_false(analysis.pauses.frames.known);
	assert_false(analysis.pauses.paused_ns.known);
	assert_non_null(strstr(analysis.pauses.note, "not visible at this tap"));
	rt_analysis_free(&analysis);
	free(made);
}

/* 65535 quanta at 1 b/s are more than a year; eight timers run through 40 of them. */
static void test_centuries_of_pauses_have_no_sum(void **state)
{
	static const struct rt_analysis_config slow = {
		.link_speed_bps = { .value = 1, .known = true }
	};
	const int64_t pause_ns = INT64_C(65535) * 512 * 1000000000;
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		struct rt_frame *frame;

		made->now_ns = i * pause_ns;
		frame = made_pfc(made, 1, 3, 65535);
		frame->pause.enable = 0xFF;
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			frame->pause.quanta[prio] = 65535;
	}
	made_analyse(made, &slow, &analysis);
	assert_int_equal(analysis.pauses.port_count, 8);
	assert_true(analysis.pauses.ports[0].paused_ns.value ==
		    39 * (uint64_t)pause_ns);
	assert_false(analysis.pauses.paused_ns.known);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_pauses_without_a_time_are_counted_only(void **state)
{
	for (unsigned timed_first = 0; timed_first < 2; timed_first++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;

		(void)state;
		if (timed_first)
			end_at(made, 1000);
		pause_at(made, timed_first ? 1000 : 0, 1000);
		made->frames[made->count - 1].flags = RT_FRAME_NO_TIME;
		end_at(made, 1700000000000000000);
		made_analyse(made, &at_100g, &analysis);
		assert_int_equal(analysis.pauses.port_count, 1);
		assert_int_equal(analysis.pauses.ports[0].xoff, 1);
		assert_true(analysis.pauses.ports[0].speed_bps.known);
		assert_false(analysis.pauses.ports[0].paused_ns.known);
		assert_false(analysis.pauses.ports[0].share_pct.known);
		assert_false(analysis.pauses.paused_ns.known);
		assert_non_null(strstr(analysis.pauses.note, "without a time"));
		rt_analysis_free(&analysis);
		free(made);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_pauses_without_a_time_are_counted_only),
	     cmocka_unit_test(test_centuries_of_pauses_have_no_sum),
	     cmocka_unit_test(test_pause_time_is_the_union_of_intervals),
	     cmocka_unit_test(test_pause_rows_keep_ports_and_priorities_apart),
	     cmocka_unit_test(test_the_port_paused_most_is_first_and_named),
	     cmocka_unit_test(test_pauser_is_a_host_when_its_own_frames_pass),
	     cmocka_unit_test(test_refreshes_in_a_row_are_counted_anew),
	     cmocka_unit_test(test_pause_without_a_link_speed_has_quanta_but_no_time),
	     cmocka_unit_test(test_pauses_without_time_stamps_have_no_time),
	     cmocka_unit_test(test_no_pause_seen_is_unknown_not_zero))
