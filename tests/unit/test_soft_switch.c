/* SPDX-License-Identifier: BSD-2-Clause */
/* The soft switch's decisions, against cases worked out by hand; soft_switch.h has the
 * numbers. */
#include "unit.h"

#include <errno.h>

#include "base/own.h"
#include "lab/switch_frame.h"
#include "soft_switch.h"

/* --- pacing --------------------------------------------------------------- */

static void test_frames_leave_when_their_last_bit_does(void **state)
{
	const struct rt_topology_spec spec = soft_star(3);
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	soft_open(sw);
	soft_learn(sw, 3);
	for (uint32_t id = 1; id <= 3; id++)
		soft_arrive(sw, 0, &(struct sent){ .from = id % 2, .to = 2, .id = id });
	soft_until(sw, FRAME_DONE - 1);
	assert_int_equal(sw->left_count, 0);
	soft_until(sw, 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(sw->left[i].id, i + 1);
		assert_int_equal(sw->left[i].port, 2);
		assert_int_equal(sw->left[i].time_ps, FRAME_DONE + i * FRAME_TIME);
	}
	/* A short frame takes the time of Ethernet's least: 8 + 64 bytes. */
	soft_arrive(sw, 2000 * RT_PS_PER_US,
		    &(struct sent){ .from = 0, .to = 2, .bytes = 42 });
	soft_until(sw, 3000 * RT_PS_PER_US);
	assert_int_equal(sw->left[3].time_ps, 2000 * RT_PS_PER_US + 576 * NS);
	assert_int_equal(sw->left[3].bytes, 42);
	soft_free(sw);
}

/* Whoever wakes up late finds queues as they would have been, and catches up. */
static void test_late_work_comes_to_the_same(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	soft_open(sw);
	soft_learn(sw, 2);
	/* One frame each frame's time: no more than one is ever there. */
	for (uint32_t id = 1; id <= 100; id++) {
		uint8_t frame[SOFT_FRAME_MAX];
		const struct sent sent = { .from = 0, .to = 1, .id = id };
		const uint32_t bytes = soft_frame(frame, &sent);

		assert_int_equal(rt_lab_core_arrive(sw->core,
						    &(struct rt_lab_arrival){
							    .port = 2,
							    .time_ps = id * FRAME_TIME,
							    .data = frame,
							    .bytes = bytes },
						    NULL),
				 0);
	}
	assert_int_equal(rt_lab_core_advance(sw->core, 200 * FRAME_TIME, NULL), 0);
	assert_int_equal(rt_lab_core_flush(sw->core, NULL), 0);
	assert_int_equal(sw->left_count, 100);
	assert_int_equal(soft_counts(sw, 1, 0)->queue_max_bytes, 1000);
	/* The last was due at 100 frame times and its own, each other when the next came. */
	assert_int_equal(sw->ports[1].late_max_ns, 100 * 8160 - 8064);
	assert_int_equal(sw->ports[1].late_sum_ns, 100 * 8160 - 8064 + 99 * 96);
	/* One that is not late changes neither. */
	soft_arrive(sw, 300 * FRAME_TIME, &(struct sent){ .from = 0, .to = 1 });
	soft_until(sw, 400 * FRAME_TIME);
	assert_int_equal(sw->left_count, 101);
	soft_counts(sw, 1, 0);
	assert_int_equal(sw->ports[1].late_max_ns, 100 * 8160 - 8064);
	assert_int_equal(sw->ports[1].late_sum_ns, 100 * 8160 - 8064 + 99 * 96);
	soft_free(sw);
}

static void test_standing_still_is_not_made_up_for(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	soft_open(sw);
	soft_learn(sw, 2);
	for (uint32_t id = 1; id <= 10; id++)
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1, .id = id });
	rt_lab_core_wake(sw->core, 120 * FRAME_TIME, 20 * FRAME_TIME);
	soft_until(sw, 101 * FRAME_TIME);
	/* The one that was under way, and one more. */
	assert_int_equal(sw->left_count, 2);
	soft_free(sw);
}

static void test_what_an_interface_does_not_take_is_offered_again(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	sw->full = true;
	soft_open(sw);
	soft_learn(sw, 2);
	for (uint32_t id = 1; id <= 50; id++)
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1, .id = id });
	soft_until(sw, 100 * FRAME_TIME);
	assert_int_equal(sw->left_count, 0);
	sw->full = false;
	sw->takes = 7;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(rt_lab_core_flush(sw->core, NULL), 0);
	assert_int_equal(sw->left_count, 50);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(sw->left[i].id, i + 1);
	/* An interface that takes none for long loses the oldest, and it is counted. */
	sw->full = true;
	for (uint32_t id = 51; id <= 51 + RT_LAB_OUT_MAX; id++)
		soft_arrive(sw, 200 * FRAME_TIME,
			    &(struct sent){ .from = 0, .to = 1, .id = id });
	soft_until(sw, 400 * FRAME_TIME);
	rt_lab_core_counters(sw->core, &sw->counters);
	assert_int_equal(sw->ports[1].ring_drops, 1);
	sw->full = false;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(rt_lab_core_flush(sw->core, NULL), 0);
	assert_int_equal(sw->left_count, 50 + RT_LAB_OUT_MAX);
	assert_int_equal(sw->left[50].id, 52);
	soft_free(sw);
}

/* --- marking -------------------------------------------------------------- */

static void test_marks_follow_red_with_the_same_draws(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	struct rt_red *red = &sw->laws.red[RT_PORT_HOST][PRIO];
	struct rt_rng rng;
	unsigned marked = 0;

	(void)state;
	/* 40 frames at once: as they leave, 39 .. 0 thousand bytes stay behind. */
	rt_red_init(red, 10000, 30000, 500000000);
	sw->laws.ecn[RT_PORT_HOST][PRIO] = true;
	soft_open(sw);
	soft_learn(sw, 2);
	soft_pause(sw, 0, 1, PRIO, 1);
	for (uint32_t id = 1; id <= 40; id++)
		soft_arrive(sw, 0,
			    &(struct sent){ .from = 0,
					    .to = 1,
					    .id = id,
					    .prio = PRIO,
					    .ecn = RT_ECN_ECT0 });
	soft_until(sw, 100 * FRAME_TIME);
	rt_rng_init(&rng, 1, 2);
	for (unsigned i = 0; i < 40; i++) {
		const uint64_t queue_bytes = (39 - i) * 1000;
		const bool ce = sw->left[i].frame.ecn == RT_ECN_CE;
		bool want = queue_bytes > 30000;

		if (queue_bytes > 10000 && queue_bytes <= 30000)
			want = rt_rng_unit(&rng) <
			       (double)(queue_bytes - 10000) * 0.5 / 20000;
		assert_int_equal(ce, want);
		marked += ce;
	}
	/* The nine above Kmax surely; some between, not all. */
	assert_in_range(marked, 10, 20);
	assert_int_equal(soft_counts(sw, 1, PRIO)->tx_ce, marked);
	soft_free(sw);
}

static void test_only_ect_is_marked(void **state)
{
	static const struct {
		uint8_t ecn, leaves;
		unsigned tx_ce;
	} cases[] = {
		{ RT_ECN_NOT_ECT, RT_ECN_NOT_ECT, 0 },
		{ RT_ECN_ECT0, RT_ECN_CE, 1 },
		{ RT_ECN_ECT1, RT_ECN_CE, 1 },
		{ RT_ECN_CE, RT_ECN_CE, 0 }, /* another's mark */
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_topology_spec spec = soft_star(2);
		struct soft_switch *sw = soft_new(&spec);
		const struct sent sent = {
			.from = 0, .to = 1, .prio = PRIO, .ecn = cases[i].ecn
		};

		rt_red_init(&sw->laws.red[RT_PORT_HOST][PRIO], 500, 500, 0);
		sw->laws.ecn[RT_PORT_HOST][PRIO] = true;
		soft_open(sw);
		soft_learn(sw, 2);
		for (unsigned n = 0; n < 3; n++)
			soft_arrive(sw, 0, &sent);
		soft_until(sw, 10 * FRAME_TIME);
		/* Behind the first nothing had come yet, behind the last nothing did. */
		assert_int_equal(sw->left[0].frame.ecn, cases[i].ecn);
		assert_int_equal(sw->left[1].frame.ecn, cases[i].leaves);
		assert_int_equal(sw->left[2].frame.ecn, cases[i].ecn);
		assert_int_equal(soft_counts(sw, 1, PRIO)->tx_ce, cases[i].tx_ce);
		soft_free(sw);
	}
}

/*
 * Four at once, the first of which goes on the wire: the others find 0, 1000 and 2000
 * bytes in line and leave 2000, 1000 and 0 behind.
 */
static void test_marks_go_by_the_queue_left_or_found(void **state)
{
	static const struct {
		const char *label;
		bool ecn;
		unsigned options, marked;
	} cases[] = {
		{ "left", true, 0, 1 },
		{ "found", true, RT_MODEL_RED_AT_ENQUEUE, 3 },
		{ "no ECN", false, 0, 4 },
		{ "none found", false, RT_MODEL_RED_AT_ENQUEUE, 4 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_topology_spec spec = soft_star(2);
		struct soft_switch *sw = soft_new(&spec);
		const struct sent sent = {
			.from = 0, .to = 1, .prio = PRIO, .ecn = RT_ECN_ECT0
		};

		print_message("# %s\n", cases[i].label);
		rt_red_init(&sw->laws.red[RT_PORT_HOST][PRIO], 1500, 1500, 0);
		sw->laws.ecn[RT_PORT_HOST][PRIO] = cases[i].ecn;
		sw->laws.options |= cases[i].options;
		soft_open(sw);
		soft_learn(sw, 2);
		for (unsigned n = 0; n < 4; n++)
			soft_arrive(sw, 0, &sent);
		soft_until(sw, 10 * FRAME_TIME);
		assert_int_equal(sw->left_count, 4);
		for (unsigned n = 0; n < 4; n++)
			assert_int_equal(sw->left[n].frame.ecn, n == cases[i].marked
									? RT_ECN_CE
									: RT_ECN_ECT0);
		soft_free(sw);
	}
}

static uint16_t sum_of(const uint8_t *at, unsigned bytes)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < bytes; i += 2)
		sum += rt_get_be16(at + i);
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)sum;
}

/* The header's sum stays all ones, for each way its words can carry. */
static void test_a_mark_keeps_the_checksum_right(void **state)
{
	(void)state;
	for (uint32_t word = 0; word < 0x10000; word++) {
		uint8_t net[20] = {
			0x45, 26 << 2 | RT_ECN_ECT0, 4, 0, 0, 0, 0x40, 0, 64, 17
		};

		rt_put_be16(net + 4, (uint16_t)word);
		rt_put_be16(net + 10, (uint16_t)~sum_of(net, 20));
		rt_lab_mark_ce(net);
		assert_int_equal(net[1], 26 << 2 | RT_ECN_CE);
		assert_int_equal(sum_of(net, 20), 0xFFFF);
	}
}

/* RoCE as NICs send it: IPv4 and IPv6, without a tag, with one in the frame, and with
 * one that the kernel took out. */
static void test_marked_roce_is_still_right(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 6; kind++) {
		const struct rt_topology_spec spec = soft_star(2);
		struct soft_switch *sw = soft_new(&spec);
		struct rt_build packet = {
			.tagged = kind % 3 == 1,
			.vlan = 3 << 13 | 100,
			.src = { .version = kind < 3 ? 4 : 6,
				 .bytes = { 10, 0, 0, 1 } },
			.dst = { .version = kind < 3 ? 4 : 6,
				 .bytes = { 10, 0, 0, 2 } },
			.dscp = DSCP_OF(PRIO),
			.ecn = RT_ECN_ECT0,
			.ttl = 64,
			.udp_sport = 50000,
			.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE,
				 .payload_bytes = 512 },
		};
		struct rt_lab_arrival arrival = { .port = 2,
						  .tagged = kind % 3 == 2,
						  .vlan = 3 << 13 | 100,
						  .tpid = kind == 5 ? 0x88A8 : 0 };
		uint8_t frame[1024];

		rt_red_init(&sw->laws.red[RT_PORT_HOST][PRIO], 0, 0, 0);
		sw->laws.ecn[RT_PORT_HOST][PRIO] = true;
		soft_open(sw);
		soft_learn(sw, 2);
		soft_mac(packet.eth_src, 0);
		soft_mac(packet.eth_dst, 1);
		arrival.bytes = (uint32_t)rt_build_roce(&packet, frame, sizeof(frame));
		arrival.data = frame;
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(rt_lab_core_arrive(sw->core, &arrival, NULL),
					 0);
		soft_until(sw, 10 * FRAME_TIME);
		assert_int_equal(sw->left_count, 3);
		for (unsigned i = 0; i < 3; i++) {
			const struct rt_frame *got = &sw->left[i].frame;

			assert_int_equal(got->kind, RT_FRAME_ROCE);
			assert_int_equal(got->flags & ~RT_FRAME_NO_TIME, 0);
			assert_int_equal(got->icrc, RT_ICRC_OK);
			assert_int_equal(got->dscp, DSCP_OF(PRIO));
			assert_int_equal(got->ecn, i == 1 ? RT_ECN_CE : RT_ECN_ECT0);
			assert_int_equal(got->vlan_tags, kind % 3 != 0);
			if (kind % 3)
				assert_int_equal(got->vlan, 3 << 13 | 100);
			if (kind % 3)
				assert_int_equal(sw->left[i].type,
						 kind == 5 ? 0x88A8 : 0x8100);
		}
		assert_int_equal(soft_counts(sw, 1, PRIO)->tx_ce, 1);
		soft_free(sw);
	}
}

/* --- scheduling ----------------------------------------------------------- */

static void test_shares_are_those_of_the_weights(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	unsigned served[RT_PRIO_COUNT] = { 0 };

	(void)state;
	sw->laws.queues[1].weight = 3;
	sw->laws.queues[6] = (struct rt_queue_config){ .strict = true };
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			sw->laws.pg[role][prio].xoff_bytes = 1 << 19;
	soft_open(sw);
	soft_learn(sw, 2);
	for (unsigned i = 0; i < 200; i++) {
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1, .prio = 1 });
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1, .prio = 2 });
	}
	for (unsigned i = 0; i < 10; i++)
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1, .prio = 6 });
	soft_until(sw, 200 * FRAME_TIME + FRAME_DONE);
	assert_int_equal(sw->left_count, 201);
	/* One was under way; then the strict ones; then 3 to 1. */
	for (unsigned i = 1; i <= 10; i++)
		assert_int_equal(sw->left[i].frame.dscp, DSCP_OF(6));
	for (unsigned i = 11; i < 201; i++)
		served[sw->left[i].frame.dscp / 8]++;
	assert_in_range(served[1], 141, 144);
	assert_in_range(served[2], 46, 49);
	soft_free(sw);
}

/* 100 Mb/s on a link of 1 Gb/s: one frame of 1000 bytes in 80 us, others between. */
static void test_a_maximum_rate_holds_and_leaves_room(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	unsigned capped = 0;

	(void)state;
	sw->laws.queues[1].max_rate_bps = 100000000;
	sw->laws.queues[1].burst_bytes = 1000;
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		sw->laws.pg[role][1].xoff_bytes = 1 << 19;
	soft_open(sw);
	soft_learn(sw, 2);
	for (unsigned i = 0; i < 200; i++)
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1, .prio = 1 });
	soft_until(sw, 500 * RT_PS_PER_US);
	soft_arrive(sw, 500 * RT_PS_PER_US,
		    &(struct sent){ .from = 0, .to = 1, .prio = 2 });
	soft_until(sw, 8000 * RT_PS_PER_US);
	for (unsigned i = 0; i < sw->left_count; i++) {
		capped += sw->left[i].frame.dscp == DSCP_OF(1);
		if (sw->left[i].frame.dscp == DSCP_OF(2))
			assert_in_range(sw->left[i].time_ps, 500 * RT_PS_PER_US,
					520 * RT_PS_PER_US);
	}
	assert_in_range(capped, 99, 102);
	soft_free(sw);
}

/* --- losses --------------------------------------------------------------- */

static void test_a_lossy_queue_drops_at_its_limit(void **state)
{
	const struct rt_topology_spec spec = soft_star(3);
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		sw->laws.pg[role][0].lossless = false;
	sw->laws.egress.limit_bytes = 3000;
	soft_open(sw);
	soft_learn(sw, 3);
	for (unsigned i = 0; i < 6; i++)
		soft_arrive(sw, 0, &(struct sent){ .from = i % 2, .to = 2 });
	/* One under way, three in line, two lost where they would have left. */
	assert_int_equal(soft_counts(sw, 2, 0)->drops, 2);
	assert_int_equal(soft_counts(sw, 2, 0)->queue_bytes, 3000);
	assert_int_equal(soft_counts(sw, 0, 0)->drops, 0);
	assert_int_equal(soft_counts(sw, 2, 0)->drop_bytes, 2 * FRAME);
	soft_until(sw, 100 * FRAME_TIME);
	assert_int_equal(sw->left_count, 4);
	soft_free(sw);
}

/* 9216 bytes, and a tag that is in the frame or that the kernel took out. */
static void test_frames_have_a_bound(void **state)
{
	static const struct {
		uint32_t bytes;
		bool tagged;
		uint32_t leaves; /* bytes; 0: dropped */
	} cases[] = {
		{ RT_LAB_FRAME_MAX, false, RT_LAB_FRAME_MAX },
		{ RT_LAB_FRAME_MAX + 4, false, RT_LAB_FRAME_MAX + 4 },
		{ RT_LAB_FRAME_MAX + 5, false, 0 },
		{ RT_LAB_FRAME_MAX, true, RT_LAB_FRAME_MAX + 4 },
		{ RT_LAB_FRAME_MAX + 1, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_topology_spec spec = soft_star(2);
		struct soft_switch *sw = soft_new(&spec);
		const struct sent sent = { .from = 0,
					   .to = 1,
					   .bytes = cases[i].bytes };
		uint8_t frame[SOFT_FRAME_MAX];
		const struct rt_lab_arrival arrival = {
			.port = 2,
			.data = frame,
			.bytes = soft_frame(frame, &sent),
			.tagged = cases[i].tagged,
			.vlan = 7,
		};
		const uint32_t bytes = cases[i].bytes + (cases[i].tagged ? 4 : 0);

		soft_open(sw);
		soft_learn(sw, 2);
		assert_int_equal(rt_lab_core_arrive(sw->core, &arrival, NULL), 0);
		soft_until(sw, RT_PS_PER_MS);
		assert_int_equal(sw->left_count, cases[i].leaves != 0);
		if (cases[i].leaves)
			assert_int_equal(sw->left[0].bytes, cases[i].leaves);
		/* Counters are of frames without FCS, with their tag. */
		assert_int_equal(soft_counts(sw, 0, 0)->rx_bytes, bytes);
		assert_int_equal(soft_counts(sw, 1, 0)->tx_bytes, cases[i].leaves);
		assert_int_equal(soft_counts(sw, 0, 0)->drop_bytes,
				 cases[i].leaves ? 0 : bytes);
		soft_free(sw);
	}
}

/* Headroom that lies beside the buffer takes nothing of the pool, and adds to memory. */
static void test_headroom_beside_is_no_part_of_the_pool(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	const unsigned groups = 2 * RT_PRIO_COUNT;

	(void)state;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		sw->laws.pg[RT_PORT_HOST][prio].reserved_bytes = 100;
		sw->laws.headroom_beside_bytes[RT_PORT_HOST][prio] = 1500;
	}
	soft_open(sw);
	assert_int_equal(sw->core->pools[0].pool.size_bytes,
			 (1 << 20) - groups * (100 + 2000 - 1500));
	assert_int_equal(sw->core->pools[0].pool.memory_bytes,
			 (1 << 20) + groups * 1500);
	assert_int_equal(sw->core->pools[0].egress.size_bytes, 1 << 20);
	soft_free(sw);
}

static void test_laws_no_switch_can_have_are_refused(void **state)
{
	const struct rt_topology_spec spec = soft_star(300), small = soft_star(4);
	struct soft_switch *sw = soft_new(&spec);
	struct rt_lab_switch_config config = { .topology = &sw->topology,
					       .laws = &sw->laws };
	struct rt_lab_core *core = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_lab_core_open(&config, soft_send, NULL, &core, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "256"));
	soft_free(sw);

	sw = soft_new(&small);
	config.topology = &sw->topology;
	config.laws = &sw->laws;
	sw->laws.buffer_bytes = 4 * 8 * 2000;
	assert_int_equal(rt_lab_core_open(&config, soft_send, NULL, &core, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "larger buffer"));
	assert_null(core);
	soft_free(sw);
}

static void test_counters_describe_themselves(void **state)
{
	(void)state;
	rt_table_check(&rt_lab_switch_counters_table);
}

RT_UNIT_MAIN(cmocka_unit_test(test_frames_leave_when_their_last_bit_does),
	     cmocka_unit_test(test_late_work_comes_to_the_same),
	     cmocka_unit_test(test_standing_still_is_not_made_up_for),
	     cmocka_unit_test(test_what_an_interface_does_not_take_is_offered_again),
	     cmocka_unit_test(test_marks_follow_red_with_the_same_draws),
	     cmocka_unit_test(test_only_ect_is_marked),
	     cmocka_unit_test(test_marks_go_by_the_queue_left_or_found),
	     cmocka_unit_test(test_a_mark_keeps_the_checksum_right),
	     cmocka_unit_test(test_marked_roce_is_still_right),
	     cmocka_unit_test(test_shares_are_those_of_the_weights),
	     cmocka_unit_test(test_a_maximum_rate_holds_and_leaves_room),
	     cmocka_unit_test(test_a_lossy_queue_drops_at_its_limit),
	     cmocka_unit_test(test_frames_have_a_bound),
	     cmocka_unit_test(test_headroom_beside_is_no_part_of_the_pool),
	     cmocka_unit_test(test_laws_no_switch_can_have_are_refused),
	     cmocka_unit_test(test_counters_describe_themselves))
