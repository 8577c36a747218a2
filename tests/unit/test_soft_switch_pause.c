/* SPDX-License-Identifier: BSD-2-Clause */
/* PFC of the soft switch, both ways, against cases worked out by hand; soft_switch.h has
 * the numbers. */
#include "unit.h"

#include "base/own.h"
#include "soft_switch.h"

/* --- pausing the peer ----------------------------------------------------- */

/* XOFF at 3000 bytes, XON at 2000, two frames of headroom. */
static struct soft_switch *unopened_narrow(void)
{
	const struct rt_topology_spec spec = soft_star(3);
	struct soft_switch *sw = soft_new(&spec);

	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		sw->laws.pg[role][PRIO].xoff_bytes = 3000;
	return sw;
}

static struct soft_switch *narrow_switch(void)
{
	struct soft_switch *sw = unopened_narrow();

	soft_open(sw);
	soft_learn(sw, 3);
	return sw;
}

static void test_xoff_and_xon_come_at_their_byte(void **state)
{
	struct soft_switch *sw = narrow_switch();
	const struct sent sent = { .from = 0, .to = 2, .prio = PRIO };

	(void)state;
	/* The first is on the wire; with the fourth 3000 bytes are stored. */
	for (unsigned i = 0; i < 3; i++)
		soft_arrive(sw, 0, &sent);
	soft_until(sw, 10 * NS);
	assert_false(sw->core->ports[0].pgs[PRIO].paused);
	soft_arrive(sw, 10 * NS, &sent);
	assert_true(sw->core->ports[0].pgs[PRIO].paused);
	/* Two more are headroom, one more is lost. */
	for (unsigned i = 0; i < 3; i++)
		soft_arrive(sw, 10 * NS, &sent);
	assert_int_equal(soft_counts(sw, 0, PRIO)->headroom_max_bytes, 2000);
	assert_int_equal(soft_counts(sw, 0, PRIO)->drops, 1);
	assert_int_equal(soft_counts(sw, 0, PRIO)->drop_bytes, FRAME);
	assert_int_equal(soft_counts(sw, 2, PRIO)->queue_bytes, 5000);

	/* 8 + 64 bytes later the sender has been told. */
	soft_until(sw, 586 * NS);
	assert_int_equal(sw->left_count, 1);
	assert_int_equal(sw->left[0].port, 0);
	assert_int_equal(sw->left[0].time_ps, 586 * NS);
	assert_int_equal(sw->left[0].frame.kind, RT_FRAME_PFC);
	assert_int_equal(sw->left[0].frame.pause.enable, 1 << PRIO);
	assert_int_equal(sw->left[0].frame.pause.quanta[PRIO], 1000);

	/* Frames two and three empty the headroom, the fourth leaves 2000 bytes. */
	soft_until(sw, 3 * FRAME_TIME - 1);
	assert_int_equal(soft_left(sw, 0), 1);
	assert_true(sw->core->ports[0].pgs[PRIO].paused);
	soft_until(sw, 3 * FRAME_TIME);
	assert_false(sw->core->ports[0].pgs[PRIO].paused);
	soft_until(sw, 3 * FRAME_TIME + 576 * NS);
	assert_int_equal(soft_left(sw, 0), 2);
	assert_int_equal(sw->left[sw->left_count - 1].frame.pause.enable, 1 << PRIO);
	assert_int_equal(sw->left[sw->left_count - 1].frame.pause.quanta[PRIO], 0);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xoff, 1);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xon, 1);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_paused_ns, 3 * 8160 - 10);
	soft_until(sw, 100 * FRAME_TIME);
	assert_int_equal(soft_counts(sw, 2, PRIO)->tx_frames, 6);
	assert_int_equal(soft_counts(sw, 2, PRIO)->queue_bytes, 0);

	/* Once more is as long again: four frames at once, of which one leaves. */
	for (unsigned i = 0; i < 4; i++)
		soft_arrive(sw, 100 * FRAME_TIME, &sent);
	soft_until(sw, 200 * FRAME_TIME);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_paused_ns,
			 3 * 8160 - 10 + 1 * 8160);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xoff, 2);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xon, 2);
	assert_int_equal(soft_counts(sw, 0, PRIO + 1)->tx_xon, 0);
	/* The most there ever was, not what there was of late. */
	assert_int_equal(soft_counts(sw, 0, PRIO)->headroom_max_bytes, 2000);
	assert_int_equal(soft_counts(sw, 2, PRIO)->queue_max_bytes, 5000);
	soft_free(sw);
}

/* 1000 quanta are 512 us here: XOFF again each half of it, while the queue stands. */
static void test_xoff_is_repeated_before_the_quanta_run_out(void **state)
{
	struct soft_switch *sw = narrow_switch();
	const struct sent sent = { .from = 0, .to = 2, .prio = PRIO };

	(void)state;
	soft_pause(sw, 0, 2, PRIO, 65535);
	for (unsigned i = 0; i < 3; i++)
		soft_arrive(sw, 0, &sent);
	assert_true(sw->core->ports[0].pgs[PRIO].paused);
	soft_until(sw, 1020 * RT_PS_PER_US);
	assert_int_equal(soft_left(sw, 0), 4);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(sw->left[i].time_ps,
				 i * (256 * RT_PS_PER_US + 1) + 576 * NS);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xoff, 4);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_paused_ns, 1020000);
	/* Once it is over, no more. */
	soft_pause(sw, 1022 * RT_PS_PER_US, 2, PRIO, 0);
	soft_until(sw, 5000 * RT_PS_PER_US);
	assert_int_equal(soft_left(sw, 0), 5);
	assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xon, 1);
	soft_free(sw);
}

static void
test_pause_frames_go_before_all_and_wait_for_the_frame_under_way(void **state)
{
	struct soft_switch *sw = narrow_switch();
	const struct sent back = { .from = 1, .to = 0, .prio = 7 };
	const struct sent sent = { .from = 0, .to = 2, .prio = PRIO };

	(void)state;
	soft_pause(sw, 0, 2, PRIO, 65535);
	soft_arrive(sw, 0, &back);
	soft_arrive(sw, 0, &back);
	for (unsigned i = 0; i < 3; i++)
		soft_arrive(sw, 10 * NS, &sent);
	soft_until(sw, 3 * FRAME_TIME);
	assert_int_equal(sw->left[0].port, 0);
	assert_int_equal(sw->left[0].frame.dscp, DSCP_OF(7));
	/* Port 0 again: the pause frame in front of the second frame. */
	for (unsigned i = 1, seen = 0; seen < 2; i++) {
		assert_in_range(i, 0, sw->left_count - 1);
		if (sw->left[i].port != 0)
			continue;
		assert_int_equal(sw->left[i].time_ps,
				 seen ? FRAME_TIME + 672 * NS + FRAME_DONE
				      : FRAME_TIME + 576 * NS);
		assert_int_equal(sw->left[i].frame.kind == RT_FRAME_PFC, !seen);
		seen++;
	}
	soft_free(sw);
}

/* Laws that say when to repeat XOFF are kept; laws of XOFF and XON alone repeat none. */
static void test_xoff_is_repeated_as_laws_say(void **state)
{
	static const struct {
		const char *label;
		uint64_t refresh_ps;
		unsigned options, frames;
	} cases[] = {
		{ "half of the quanta", 0, 0, 4 },
		{ "each 100 us", 100 * RT_PS_PER_US, 0, 11 },
		{ "on and off", 100 * RT_PS_PER_US, RT_MODEL_PAUSE_ON_OFF, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct soft_switch *sw = unopened_narrow();
		const struct sent sent = { .from = 0, .to = 2, .prio = PRIO };

		print_message("# %s\n", cases[i].label);
		sw->laws.pause_refresh_ps = cases[i].refresh_ps;
		sw->laws.options |= cases[i].options;
		soft_open(sw);
		soft_learn(sw, 3);
		soft_pause(sw, 0, 2, PRIO, 65535);
		for (unsigned n = 0; n < 3; n++)
			soft_arrive(sw, 0, &sent);
		soft_until(sw, 1020 * RT_PS_PER_US);
		assert_int_equal(soft_left(sw, 0), cases[i].frames);
		assert_int_equal(soft_counts(sw, 0, PRIO)->tx_xoff, cases[i].frames);
		assert_int_equal(soft_counts(sw, 0, PRIO)->tx_paused_ns, 1020000);
		soft_free(sw);
	}
}

/* --- paused by the peer --------------------------------------------------- */

static void test_a_pause_is_obeyed_until_its_quanta_run_out(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	const struct sent sent = { .from = 0, .to = 1, .prio = PRIO };

	(void)state;
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		sw->laws.pg[role][5].lossless = false;
	soft_open(sw);
	soft_learn(sw, 2);
	/* 10 quanta are 5120 ns.  The frame under way goes on. */
	soft_arrive(sw, 0, &sent);
	soft_arrive(sw, 0, &sent);
	soft_pause(sw, 6000 * NS, 1, PRIO, 10);
	soft_until(sw, 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left[0].time_ps, FRAME_DONE);
	assert_int_equal(sw->left[1].time_ps, 11120 * NS + FRAME_DONE);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_xoff, 1);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_paused_ns, 5120);

	/* XON ends it at once; other priorities never stopped. */
	soft_pause(sw, 2000 * RT_PS_PER_US, 1, PRIO, 65535);
	soft_arrive(sw, 2000 * RT_PS_PER_US, &sent);
	soft_arrive(sw, 2000 * RT_PS_PER_US,
		    &(struct sent){ .from = 0, .to = 1, .prio = 4 });
	soft_pause(sw, 2100 * RT_PS_PER_US, 1, PRIO, 0);
	soft_until(sw, 3000 * RT_PS_PER_US);
	assert_int_equal(sw->left[2].time_ps, 2000 * RT_PS_PER_US + FRAME_DONE);
	assert_int_equal(sw->left[2].frame.dscp, DSCP_OF(4));
	assert_int_equal(sw->left[3].time_ps, 2100 * RT_PS_PER_US + FRAME_DONE);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_xon, 1);

	/* A lossy priority has no PFC: the frame is counted and not obeyed. */
	soft_pause(sw, 4000 * RT_PS_PER_US, 1, 5, 65535);
	soft_arrive(sw, 4000 * RT_PS_PER_US,
		    &(struct sent){ .from = 0, .to = 1, .prio = 5 });
	soft_until(sw, 5000 * RT_PS_PER_US);
	assert_int_equal(sw->left[4].time_ps, 4000 * RT_PS_PER_US + FRAME_DONE);
	assert_int_equal(soft_counts(sw, 1, 5)->rx_xoff, 1);
	assert_int_equal(soft_counts(sw, 1, 5)->rx_paused_ns, 0);
	soft_free(sw);
}

/* XOFF again before the first ran out is one pause, which ends by the last. */
static void test_a_pause_that_is_asked_again_counts_once(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	soft_open(sw);
	soft_learn(sw, 2);
	soft_pause(sw, 0, 1, PRIO, 10);
	soft_pause(sw, 2000 * NS, 1, PRIO, 10);
	soft_arrive(sw, 2000 * NS, &(struct sent){ .from = 0, .to = 1, .prio = PRIO });
	soft_until(sw, 4000 * NS);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_paused_ns, 4000);
	soft_until(sw, 7120 * NS - 1);
	assert_int_equal(soft_counts(sw, 1, PRIO)->tx_frames, 0);
	soft_until(sw, 20000 * NS);
	assert_int_equal(sw->left[0].time_ps, 7120 * NS + FRAME_DONE);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_paused_ns, 7120);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_xoff, 2);
	/* The last may also be the shorter one. */
	soft_pause(sw, 20000 * NS, 1, PRIO, 65535);
	soft_pause(sw, 21000 * NS, 1, PRIO, 10);
	soft_until(sw, 40000 * NS);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_paused_ns, 7120 + 6120);
	/* Nothing is there that XON could end. */
	soft_pause(sw, 50000 * NS, 1, PRIO, 0);
	soft_until(sw, 60000 * NS);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_paused_ns, 7120 + 6120);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_xon, 1);
	soft_free(sw);
}

/* Times whose bit is not set, and frames that are no PFC: nothing stops or goes on. */
static void test_what_is_no_pause_pauses_nothing(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	struct rt_pause pause = { .enable = 1 << 4, .quanta = { [4] = 1000 } };
	uint8_t frame[RT_BUILD_PAUSE_BYTES], mac[6];

	(void)state;
	soft_open(sw);
	soft_learn(sw, 2);
	soft_mac(mac, 1);
	rt_build_pfc(mac, &pause, frame, sizeof(frame));
	rt_put_be16(frame + 18 + 2 * PRIO, 1000);
	soft_raw(sw, 0, 1, frame, sizeof(frame));
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_xoff, 0);
	assert_int_equal(soft_counts(sw, 1, 4)->rx_xoff, 1);
	soft_pause(sw, 0, 1, PRIO, 1000);
	rt_put_be16(frame + 18 + 2 * PRIO, 0);
	soft_raw(sw, 1000 * NS, 1, frame, sizeof(frame));
	soft_until(sw, 100000 * NS);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_xon, 0);
	assert_int_equal(soft_counts(sw, 1, PRIO)->rx_paused_ns, 100000);

	/* Cut by a byte, another opcode, another type. */
	pause = (struct rt_pause){ .enable = 1 << 5, .quanta = { [5] = 1000 } };
	rt_build_pfc(mac, &pause, frame, sizeof(frame));
	soft_raw(sw, 200000 * NS, 1, frame, 33);
	frame[15] = 2;
	soft_raw(sw, 200000 * NS, 1, frame, sizeof(frame));
	frame[15] = 1;
	frame[13] = 9;
	soft_raw(sw, 200000 * NS, 1, frame, sizeof(frame));
	rt_build_pause(mac, 1000, frame, sizeof(frame));
	soft_raw(sw, 200000 * NS, 1, frame, sizeof(frame));
	assert_int_equal(soft_counts(sw, 1, 5)->rx_xoff, 0);
	assert_int_equal(sw->ports[1].filtered, 4);
	/* And 34 bytes are enough. */
	rt_build_pfc(mac, &pause, frame, sizeof(frame));
	soft_raw(sw, 200000 * NS, 1, frame, 34);
	assert_int_equal(soft_counts(sw, 1, 5)->rx_xoff, 1);
	soft_free(sw);
}

RT_UNIT_MAIN(cmocka_unit_test(test_xoff_and_xon_come_at_their_byte),
	     cmocka_unit_test(test_xoff_is_repeated_before_the_quanta_run_out),
	     cmocka_unit_test(
		     test_pause_frames_go_before_all_and_wait_for_the_frame_under_way),
	     cmocka_unit_test(test_xoff_is_repeated_as_laws_say),
	     cmocka_unit_test(test_a_pause_is_obeyed_until_its_quanta_run_out),
	     cmocka_unit_test(test_a_pause_that_is_asked_again_counts_once),
	     cmocka_unit_test(test_what_is_no_pause_pauses_nothing))
