/* SPDX-License-Identifier: BSD-2-Clause */
/* When soft endpoints send: pauses, rates, and what was missed by waking late. */
#include "unit.h"

#include "base/own.h"
#include "base/rng.h"
#include "paper_wire.h"

#define QUANTA_AT 18 /* of a PFC frame: the time of priority 0 */

/* On the wire, of 1024 bytes: Ethernet to ICRC 58, FCS 4, preamble and gap 20. */
#define MIDDLE_BYTES (1024 + 58 + 4 + 20)

/* --- pauses ------------------------------------------------------------------------ */

static void pause_end(struct wire *wire, unsigned end, uint8_t enable, uint16_t quanta)
{
	struct rt_pause pause = { .enable = enable };
	uint8_t frame[RT_BUILD_PAUSE_BYTES];

	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		pause.quanta[i] = quanta;
	rt_build_pfc(wire->config[!end].mac, &pause, frame, sizeof(frame));
	rt_soft_receive(wire->ends[end], frame, sizeof(frame), wire->now_ns);
}

static uint64_t sent_in(struct wire *wire, unsigned index, int64_t ns)
{
	const uint64_t before = wire_totals(wire, 0, index).data_frames_tx.value;

	wire_run(wire, wire->now_ns + ns);
	return wire_totals(wire, 0, index).data_frames_tx.value - before;
}

static void test_pauses_are_obeyed_by_priority(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 16, 0);
	struct rt_qp_totals paused, other;
	struct wire wire;

	(void)state;
	flow.stop_ns = 100 * (uint64_t)MS;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	flow.prio = 4;
	wire_add(&wire, &flow);
	wire_begin(&wire);
	assert_true(sent_in(&wire, 0, 10 * MS) > 500);

	/* 60,000 quanta are 30.72 ms at 1 Gb/s */
	pause_end(&wire, 0, 1 << 3, 60000);
	assert_int_equal(sent_in(&wire, 0, 30 * MS), 0);
	assert_in_range(wire_totals(&wire, 0, 0).paused_ns.value, 29980000, 30000000);
	assert_true(sent_in(&wire, 0, 1 * MS) > 10);

	pause_end(&wire, 0, 1 << 3, 60000);
	assert_true(sent_in(&wire, 1, 10 * MS) > 1000); /* all of the link */
	pause_end(&wire, 0, 1 << 3, 0);                 /* XON */
	assert_true(sent_in(&wire, 0, 1 * MS) > 10);

	/* again and again is as long as together */
	for (unsigned i = 0; i < 5; i++) {
		pause_end(&wire, 0, 1 << 3, 4000);
		assert_int_equal(sent_in(&wire, 0, 2 * MS), 0);
	}
	wire_run(&wire, INT64_MAX);
	paused = wire_totals(&wire, 0, 0);
	other = wire_totals(&wire, 0, 1);
	/* 30.72 + 10 + 8 + 2.048 ms */
	assert_in_range(paused.paused_ns.value, 50700000, 50800000);
	assert_int_equal(other.paused_ns.value, 0);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, paused.bytes.value);
	wire_close(&wire);
}

/*
 * A priority whose bit is not set is not spoken of, whatever its time says: neither a
 * pause nor the end of one (802.1Q 36.1.3).
 */
static void test_times_without_their_bit_say_nothing(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 16, 0);
	struct rt_pause pause = { .enable = 1 << 3, .quanta = { [3] = 60000 } };
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	struct wire wire;

	(void)state;
	flow.stop_ns = 100 * (uint64_t)MS;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	flow.prio = 4;
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 1 * MS);

	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_put_be16(frame + QUANTA_AT + 2 * 4, 60000);
	rt_soft_receive(wire.ends[0], frame, sizeof(frame), wire.now_ns);
	assert_int_equal(sent_in(&wire, 0, 5 * MS), 0);
	assert_true(sent_in(&wire, 1, 5 * MS) > 500);

	pause = (struct rt_pause){ .enable = 1 << 4, .quanta = { [4] = 60000 } };
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	assert_int_equal(rt_get_be16(frame + QUANTA_AT + 2 * 3), 0);
	rt_soft_receive(wire.ends[0], frame, sizeof(frame), wire.now_ns);
	assert_int_equal(sent_in(&wire, 0, 5 * MS), 0);
	assert_int_equal(sent_in(&wire, 1, 5 * MS), 0);
	wire_close(&wire);
}

static void test_link_pause_stops_all_and_acknowledgements_too(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 16, 0);
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	uint64_t before;
	struct wire wire;

	(void)state;
	flow.stop_ns = 100 * (uint64_t)MS;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 5 * MS);
	rt_build_pause(wire.config[0].mac, 60000, frame, sizeof(frame));
	rt_soft_receive(wire.ends[1], frame, sizeof(frame), wire.now_ns);
	before = wire.frames[1];
	wire_run(&wire, wire.now_ns + 20 * MS);
	assert_int_equal(wire.frames[1], before);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value,
			 wire_totals(&wire, 0, 0).bytes.value);
	wire_close(&wire);
}

/* --- rates ------------------------------------------------------------------------- */

static void test_rates_are_kept(void **state)
{
	static const struct {
		const char *label;
		uint64_t line_bps, cap_bps, on_ns, off_ns, message;
		double payload_bps;
	} cases[] = {
		{ "line", 1000000000, 0, 0, 0, 65536, 0.9259e9 },
		{ "cap 100M", 1000000000, 100000000, 0, 0, 65536, 100e6 },
		{ "cap 3M", 1000000000, 3000000, 0, 0, 1500, 3e6 },
		{ "cap 900M", 1000000000, 900000000, 0, 0, 65536, 900e6 },
		{ "cap 100M, small", 1000000000, 100000000, 0, 0, 64, 100e6 },
		{ "half of the time", 1000000000, 0, 10000000, 10000000, 65536,
		  0.4629e9 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE,
							cases[i].message, 0);
		double got_bps;
		struct wire wire;

		flow.stop_ns = 400 * (uint64_t)MS;
		flow.rate_bps = cases[i].cap_bps;
		flow.on_ns = cases[i].on_ns;
		flow.off_ns = cases[i].off_ns;
		flow.outstanding = 64;
		wire_config(&wire, cases[i].line_bps, 1024);
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, WIRE_START + 400 * MS);
		got_bps = 8.0 / 0.4 * (double)wire_totals(&wire, 1, 0).bytes.value;
		print_message("# %s: %.1f Mb/s\n", cases[i].label, got_bps / 1e6);
		assert_true(got_bps > 0.995 * cases[i].payload_bps);
		assert_true(got_bps < 1.005 * cases[i].payload_bps);
		wire_close(&wire);
	}
}

/* Looks on as frames leave end 0, and marks the first few. */
struct watcher {
	uint64_t marks_left;
	int64_t last_ns, least_gap_ns;
	uint64_t now_count, most_at_once; /* that left at one instant */
};

static struct fate watch(struct wire *wire, unsigned from, struct rt_frame *decoded,
			 uint8_t *frame)
{
	struct watcher *watcher = wire->context;

	if (from || !decoded->bth.payload_bytes)
		return (struct fate){ 0 };
	if (watcher->marks_left && watcher->marks_left--)
		frame[15] |= RT_ECN_CE;
	if (watcher->last_ns != wire->now_ns)
		watcher->now_count = 0;
	if (watcher->last_ns && watcher->last_ns != wire->now_ns &&
	    wire->now_ns - watcher->last_ns < watcher->least_gap_ns)
		watcher->least_gap_ns = wire->now_ns - watcher->last_ns;
	if (++watcher->now_count > watcher->most_at_once)
		watcher->most_at_once = watcher->now_count;
	watcher->last_ns = wire->now_ns;
	return (struct fate){ 0 };
}

static void forget(struct watcher *watcher)
{
	*watcher = (struct watcher){ .least_gap_ns = INT64_MAX };
}

/* 1 Gb/s, of which the first CNP leaves a tenth, and no timer raises it. */
static void watched_config(struct wire *wire, struct watcher *watcher, uint64_t marks)
{
	wire_config(wire, 1 * GBPS, 1024);
	wire->laws.rp.reaction = RT_RP_PAPER;
	wire->laws.rp.rp_alpha = wire->laws.rp.cut_scale = 1;
	wire->laws.rp.min_keep = 0.1;
	wire->laws.rp.min_rate_bps = 1000;
	wire->laws.rp.increase_interval_ps = 1000000 * RT_PS_PER_MS;
	forget(watcher);
	watcher->marks_left = marks;
	wire->judge = watch;
	wire->context = watcher;
}

/* FCS, preamble and gap take their time: of the port, and at a flow's own rate. */
static void test_frames_are_apart_by_all_their_bytes(void **state)
{
	static const struct {
		const char *label;
		unsigned flows;
		uint64_t marks;
		int64_t gap_ns;
	} cases[] = {
		{ "the port's rate", 2, 0, MIDDLE_BYTES * 8 },
		{ "a tenth of it", 1, 1, MIDDLE_BYTES * 80 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 0);
		struct watcher watcher;
		struct wire wire;

		print_message("# %s\n", cases[i].label);
		watched_config(&wire, &watcher, cases[i].marks);
		wire_open(&wire);
		for (unsigned n = 0; n < cases[i].flows; n++)
			wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, wire.now_ns + 1 * MS);
		forget(&watcher);
		wire_run(&wire, wire.now_ns + 8 * MS);
		assert_int_equal(watcher.least_gap_ns, cases[i].gap_ns);
		assert_int_equal(watcher.most_at_once, 1);
		wire_close(&wire);
	}
}

/* Ten frames with their FCS are the byte counter's: the rate rises with the tenth. */
static void test_byte_counter_counts_whole_frames(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 0);
	struct watcher watcher;
	struct wire wire;
	uint64_t sent;

	(void)state;
	watched_config(&wire, &watcher, 1);
	wire.laws.rp.byte_counter_bytes = 10 * (1024 + 58 + 4);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	while (!wire_totals(&wire, 0, 0).cnp_rx.value)
		wire_run(&wire, wire.now_ns + 1000);
	sent = wire_totals(&wire, 0, 0).data_frames_tx.value;
	assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, GBPS / 10);
	while (wire_totals(&wire, 0, 0).rate_bps.value == GBPS / 10)
		wire_run(&wire, wire.now_ns + 1000);
	assert_int_equal(wire_totals(&wire, 0, 0).data_frames_tx.value - sent, 10);
	wire_close(&wire);
}

/*
 * A frame that waits when its rate falls waits as long as the new rate says: for its
 * pace, in line at a port that is paused, or for an answer.
 */
static void test_a_rate_that_falls_holds_back_what_waits(void **state)
{
	static const struct {
		const char *label;
		int64_t delay_ns;
		bool pauses;
		uint32_t window;
	} cases[] = {
		{ "its pace", 1000, false, 0 },
		{ "a pause", 6000, true, 0 }, /* it is in line after 9 us */
		{ "an answer", 6000, false, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 0);
		struct watcher watcher;
		struct wire wire;

		print_message("# %s\n", cases[i].label);
		watched_config(&wire, &watcher, 1);
		wire.delay_ns = cases[i].delay_ns;
		wire.laws.rc.window_packets = cases[i].window;
		wire.laws.rp.min_keep = 0.001;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		if (cases[i].pauses) {
			wire_run(&wire, wire.now_ns + 1000);
			pause_end(&wire, 0, 1 << 3, 60000);
			wire_run(&wire, wire.now_ns + 20000);
			pause_end(&wire, 0, 1 << 3, 0);
		}
		wire_run(&wire, wire.now_ns + 30 * MS);
		assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, GBPS / 1000);
		/* The first has 16 bytes more, those of its RETH. */
		assert_int_equal(watcher.least_gap_ns, MIDDLE_BYTES * 8000);
		assert_int_equal(wire_totals(&wire, 0, 0).data_frames_tx.value, 4);
		wire_close(&wire);
	}
}

/* Rates are where they would be had nobody been away: each timer counts from its due. */
static void test_rates_move_as_often_in_absence(void **state)
{
	static const unsigned reactions[] = { RT_RP_PAPER, RT_RP_MLX };

	(void)state;
	for (size_t i = 0; i < sizeof(reactions) / sizeof(reactions[0]); i++) {
		uint64_t rates_bps[2];

		for (unsigned away = 0; away < 2; away++) {
			struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE,
								1 << 20, 0);
			struct watcher watcher;
			struct wire wire;

			watched_config(&wire, &watcher, 1);
			wire.laws.rp.reaction = reactions[i];
			wire.laws.rp.alpha_interval_ps = 100 * RT_PS_PER_US;
			wire.laws.rp.decrease_interval_ps = 1 * RT_PS_PER_MS;
			wire.laws.rp.increase_interval_ps = 1 * RT_PS_PER_MS;
			wire.laws.rp.min_keep = 0;
			wire.laws.rp.cut_scale = 0.9;
			wire_open(&wire);
			wire_add(&wire, &flow);
			wire_begin(&wire);
			wire_run(&wire, wire.now_ns + MS / 2);
			assert_int_equal(wire_totals(&wire, 0, 0).cnp_rx.value, 1);
			if (away)
				wire.now_ns += 7 * MS;
			else
				wire_run(&wire, wire.now_ns + 7 * MS);
			wire_run(&wire, wire.now_ns);
			rates_bps[away] = wire_totals(&wire, 0, 0).rate_bps.value;
			wire_close(&wire);
		}
		print_message("# %lu b/s\n", rates_bps[0]);
		assert_true(rates_bps[0] < GBPS);
		assert_int_equal(rates_bps[0], rates_bps[1]);
	}
}

/* --- credit ------------------------------------------------------------------------ */

/*
 * Whoever was away for 10 ms sends what 500 us have room for, at once, and one frame:
 * the port of its rate, each flow of its own.
 */
static void test_absence_gives_bounded_credit(void **state)
{
	static const struct {
		const char *label;
		unsigned flows;
		uint64_t marks, frames;
	} cases[] = {
		{ "the port's", 2, 0, 1 + 500000 / (MIDDLE_BYTES * 8) },
		{ "a slow flow's", 1, 1, 1 + 500000 / (MIDDLE_BYTES * 80) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 0);
		struct watcher watcher;
		struct wire wire;

		print_message("# %s\n", cases[i].label);
		watched_config(&wire, &watcher, cases[i].marks);
		wire_open(&wire);
		for (unsigned n = 0; n < cases[i].flows; n++)
			wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, wire.now_ns + 2 * MS);
		wire.now_ns += 10 * MS;
		forget(&watcher);
		wire_run(&wire, wire.now_ns);
		assert_int_equal(watcher.most_at_once, cases[i].frames);
		wire_close(&wire);
	}
}

/* A user's rate is an average, and 20 ms of it may be made up for. */
static void test_absence_gives_bounded_credit_of_a_cap(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 16, 0);
	uint64_t before;
	struct wire wire;

	(void)state;
	flow.rate_bps = 100000000;
	flow.outstanding = 64;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 10 * MS);
	before = wire_totals(&wire, 0, 0).data_frames_tx.value;
	wire.now_ns += 100 * MS;
	wire_run(&wire, wire.now_ns + 50 * MS);
	/* 70 ms of 100 Mb/s are 854 frames' payload and a half */
	assert_in_range(wire_totals(&wire, 0, 0).data_frames_tx.value - before, 853,
			857);
	wire_close(&wire);
}

/* Who waited for an answer has no right to what it could have sent meanwhile. */
static void test_idleness_gives_no_credit(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 15, 10 << 15);
	struct watcher watcher;
	struct wire wire;

	(void)state;
	flow.outstanding = 1;
	watched_config(&wire, &watcher, 0);
	wire.delay_ns = 5 * MS;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 10 << 15);
	assert_int_equal(watcher.most_at_once, 1);
	wire_close(&wire);
}

/* Nor has a sender of bursts to the silence between them: 10 ms of each 100. */
static void test_silence_of_bursts_gives_no_credit(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 16, 0);
	struct wire wire;

	(void)state;
	flow.rate_bps = 100000000;
	flow.on_ns = 10 * (uint64_t)MS;
	flow.off_ns = 90 * (uint64_t)MS;
	flow.outstanding = 64;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 1000 * MS - 1);
	assert_in_range(wire_totals(&wire, 1, 0).bytes.value, 1240000, 1265000);
	wire_close(&wire);
}

/* A process that wakes late keeps the rate, too. */
static void test_rate_is_kept_by_who_wakes_late(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 65536, 0);
	struct rt_rng rng;
	struct wire wire;
	uint64_t bytes;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	flow.stop_ns = 2000 * (uint64_t)MS;
	flow.rate_bps = 200000000;
	flow.outstanding = 64;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	while (wire.now_ns < WIRE_START + 1000 * MS) {
		wire_deliver(&wire);
		for (unsigned i = 0; i < 2; i++) {
			struct iovec frames[RT_SOFT_BATCH];
			const unsigned n = rt_soft_transmit(wire.ends[i], wire.now_ns,
							    frames, RT_SOFT_BATCH);

			for (unsigned k = 0; k < n; k++)
				wire_take(&wire, i, &frames[k]);
		}
		wire.now_ns += (int64_t)rt_rng_below(&rng, 2 * MS / 5);
	}
	bytes = wire_totals(&wire, 1, 0).bytes.value;
	assert_in_range(bytes, 24500000, 25500000);
	wire_close(&wire);
}

/* --- times and turns --------------------------------------------------------------- */

static void test_flows_start_and_stop_at_their_times(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1000, 0);
	struct rt_qp_totals totals;
	struct wire wire;

	(void)state;
	flow.start_ns = 20 * (uint64_t)MS;
	flow.stop_ns = 50 * (uint64_t)MS;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	flow.stop_ns = 0;
	wire_add(&wire, &flow); /* asked to stop below */
	wire_begin(&wire);
	wire_run(&wire, WIRE_START + 20 * MS - 1);
	assert_int_equal(wire.frames[0], 0);
	assert_int_equal(wire_totals(&wire, 0, 0).state, RT_QP_WAITING);
	wire_run(&wire, WIRE_START + 60 * MS);
	totals = wire_totals(&wire, 0, 0);
	assert_int_equal(totals.state, RT_QP_DONE);
	assert_in_range(totals.first_ns.value, 20 * MS, 20 * MS + 20000);
	assert_in_range(totals.last_ns.value, 50 * MS - 20000, 50 * MS + 100000);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, totals.bytes.value);
	assert_int_equal(wire_totals(&wire, 0, 1).state, RT_QP_RUNNING);
	rt_soft_qp_stop(wire.ends[0], 1);
	rt_soft_qp_stop(wire.ends[1], 1);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire_totals(&wire, 0, 1).state, RT_QP_DONE);
	assert_int_equal(wire_totals(&wire, 0, 1).bytes.value,
			 wire_totals(&wire, 1, 1).bytes.value);
	wire_close(&wire);
}

static void test_hundreds_of_queue_pairs_share_a_port(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 8192, 0);
	uint64_t least = UINT64_MAX, most = 0;
	struct wire wire;

	(void)state;
	flow.stop_ns = 100 * (uint64_t)MS;
	flow.outstanding = 2;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	for (unsigned i = 0; i < 400; i++) {
		flow.flow = i;
		flow.prio = i % 8;
		wire_add(&wire, &flow);
	}
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	for (unsigned i = 0; i < 400; i++) {
		const uint64_t bytes = wire_totals(&wire, 1, i).bytes.value;

		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
		assert_int_equal(wire_totals(&wire, 0, i).state, RT_QP_DONE);
	}
	assert_true(least * 4 > most * 3);
	wire_close(&wire);
}

RT_UNIT_MAIN(cmocka_unit_test(test_pauses_are_obeyed_by_priority),
	     cmocka_unit_test(test_times_without_their_bit_say_nothing),
	     cmocka_unit_test(test_link_pause_stops_all_and_acknowledgements_too),
	     cmocka_unit_test(test_rates_are_kept),
	     cmocka_unit_test(test_frames_are_apart_by_all_their_bytes),
	     cmocka_unit_test(test_byte_counter_counts_whole_frames),
	     cmocka_unit_test(test_a_rate_that_falls_holds_back_what_waits),
	     cmocka_unit_test(test_rates_move_as_often_in_absence),
	     cmocka_unit_test(test_absence_gives_bounded_credit),
	     cmocka_unit_test(test_absence_gives_bounded_credit_of_a_cap),
	     cmocka_unit_test(test_idleness_gives_no_credit),
	     cmocka_unit_test(test_silence_of_bursts_gives_no_credit),
	     cmocka_unit_test(test_rate_is_kept_by_who_wakes_late),
	     cmocka_unit_test(test_flows_start_and_stop_at_their_times),
	     cmocka_unit_test(test_hundreds_of_queue_pairs_share_a_port))
