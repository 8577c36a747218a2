/* SPDX-License-Identifier: BSD-2-Clause */
/* What soft endpoints count as a NIC would, against what passed a wire on paper. */
#include "unit.h"

#include "model/counters.h"
#include "paper_wire.h"

/* What the wire saw, apart from the endpoints. */
struct seen {
	uint64_t frames[2], bytes[2]; /* sent by each, pauses not among them */
	uint64_t marked, cnps;
	unsigned every; /* every so many data frames are marked; 0: none */
	unsigned lose;  /* so many data frames are lost, from the tenth on; */
	uint64_t data;
};

static struct fate judge(struct wire *wire, unsigned from, struct rt_frame *decoded,
			 uint8_t *frame)
{
	struct seen *seen = wire->context;
	struct fate fate = { 0 };

	seen->frames[from]++;
	seen->bytes[from] += decoded->wire_bytes;
	seen->cnps += decoded->bth.opcode == RT_OP_CNP;
	if (!decoded->bth.payload_bytes)
		return fate;
	seen->data++;
	if (seen->data >= 10 && seen->data < 10 + seen->lose) {
		fate.lost = true;
		seen->frames[from]--;
		seen->bytes[from] -= decoded->wire_bytes;
		return fate;
	}
	if (seen->every && seen->data % seen->every == 0) {
		frame[15] |= RT_ECN_CE; /* of the IPv4 header: no part of the ICRC */
		seen->marked++;
	}
	return fate;
}

static void open_wire(struct wire *wire, struct seen *seen, struct rt_traffic_flow flow)
{
	wire_config(wire, 10 * GBPS, 1024);
	wire->context = seen;
	wire->judge = judge;
	wire_open(wire);
	wire_add(wire, &flow);
	wire_begin(wire);
}

static struct rt_counter_set counters_of(struct wire *wire, unsigned end)
{
	struct rt_counter_set set = { 0 };

	assert_int_equal(rt_soft_counters(wire->ends[end], wire->now_ns, 7, &set), 0);
	assert_int_equal(rt_counter_set_check(&set, NULL), 0);
	assert_int_equal(set.time_ns, wire->now_ns);
	return set;
}

static uint64_t value(const struct rt_counter_set *set, enum rt_counter_id id,
		      unsigned prio)
{
	const struct rt_opt_u64 known = rt_counter_value(set, id, prio);

	assert_true(known.known);
	return known.value;
}

static uint64_t port(const struct rt_counter_set *set, enum rt_counter_id id)
{
	return value(set, id, RT_COUNTER_NO_PRIO);
}

static void test_bytes_frames_marks_and_cnps(void **state)
{
	struct seen seen = { .every = 50 };
	struct rt_counter_set ends[2];
	struct wire wire;

	(void)state;
	open_wire(&wire, &seen, wire_flow(RT_TRAFFIC_WRITE, 100000, 1000000));
	wire_run(&wire, INT64_MAX);
	for (unsigned i = 0; i < 2; i++)
		ends[i] = counters_of(&wire, i);
	assert_true(seen.marked > 10);
	assert_true(seen.cnps > 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(port(&ends[i], RT_COUNTER_TX_FRAMES), seen.frames[i]);
		assert_int_equal(port(&ends[i], RT_COUNTER_TX_BYTES), seen.bytes[i]);
		assert_int_equal(port(&ends[i], RT_COUNTER_RX_FRAMES), seen.frames[!i]);
		assert_int_equal(port(&ends[i], RT_COUNTER_RDMA_RX_BYTES),
				 seen.bytes[!i]);
		/* DSCP 26 is of the data's priority, 3, CNPs of theirs, 6. */
		assert_int_equal(value(&ends[i], RT_COUNTER_RX_BYTES, 3) +
					 value(&ends[i], RT_COUNTER_RX_BYTES, 6),
				 seen.bytes[!i]);
		assert_int_equal(value(&ends[i], RT_COUNTER_TX_BYTES, 3) +
					 value(&ends[i], RT_COUNTER_TX_BYTES, 6),
				 seen.bytes[i]);
		assert_int_equal(port(&ends[i], RT_COUNTER_RX_DISCARDS), 7);
		assert_int_equal(port(&ends[i], RT_COUNTER_OUT_OF_SEQUENCE), 0);
	}
	assert_int_equal(port(&ends[1], RT_COUNTER_CE_RX), seen.marked);
	assert_int_equal(port(&ends[0], RT_COUNTER_CE_RX), 0);
	assert_int_equal(port(&ends[1], RT_COUNTER_CNP_TX), seen.cnps);
	assert_int_equal(port(&ends[0], RT_COUNTER_CNP_RX), seen.cnps);
	assert_int_equal(port(&ends[0], RT_COUNTER_CNP_HANDLED), seen.cnps);
	assert_int_equal(value(&ends[1], RT_COUNTER_TX_FRAMES, 6), seen.cnps);
	for (unsigned i = 0; i < 2; i++)
		rt_counter_set_free(&ends[i]);
	wire_close(&wire);
}

static void test_losses_are_told_by_both_ends(void **state)
{
	struct seen seen = { .lose = 1 };
	struct rt_counter_set ends[2];
	struct wire wire;

	(void)state;
	open_wire(&wire, &seen, wire_flow(RT_TRAFFIC_WRITE, 100000, 1000000));
	wire_run(&wire, INT64_MAX);
	for (unsigned i = 0; i < 2; i++)
		ends[i] = counters_of(&wire, i);
	assert_true(port(&ends[1], RT_COUNTER_OUT_OF_SEQUENCE) > 0);
	assert_int_equal(port(&ends[0], RT_COUNTER_SEQ_NAKS_RX), 1);
	assert_int_equal(port(&ends[0], RT_COUNTER_ACK_TIMEOUTS), 0);
	assert_int_equal(port(&ends[0], RT_COUNTER_OUT_OF_SEQUENCE), 0);
	assert_int_equal(port(&ends[0], RT_COUNTER_RETRY_EXCEEDED), 0);
	for (unsigned i = 0; i < 2; i++)
		rt_counter_set_free(&ends[i]);
	wire_close(&wire);
}

/* Two pauses, of which the second is ended early: 802.1Qbb. */
static void test_pauses_by_priority(void **state)
{
	struct seen seen = { 0 };
	struct rt_pause pause = { .enable = 1 << 3 | 1 << 5,
				  .quanta = { 0, 0, 0, 100 } };
	struct rt_counter_set set;
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	struct wire wire;

	(void)state;
	open_wire(&wire, &seen, wire_flow(RT_TRAFFIC_WRITE, 1000, 1000));
	wire_run(&wire, wire.now_ns + MS);
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive(wire.ends[0], frame, sizeof(frame), wire.now_ns);
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_FRAMES, 3), 1);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_FRAMES, 5), 1);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_FRAMES, 0), 0);
	assert_int_equal(port(&set, RT_COUNTER_PFC_RX_FRAMES), 1);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 0);
	rt_counter_set_free(&set);
	/* 100 quanta of 512 bits at 10 Gb/s are 5120 ns. */
	wire.now_ns += 2000;
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 2000);
	rt_counter_set_free(&set);
	wire.now_ns += MS;
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 5120);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 5), 0);
	rt_counter_set_free(&set);
	wire_close(&wire);
}

/* Told of both ends of a pause when it is long over: a NIC had been stopped for that time. */
static void test_pauses_count_from_when_they_came(void **state)
{
	struct seen seen = { 0 };
	struct rt_pause pause = { .enable = 1 << 3, .quanta = { 0, 0, 0, 60000 } };
	struct rt_counter_set set;
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	struct wire wire;
	int64_t came_ns;

	(void)state;
	open_wire(&wire, &seen, wire_flow(RT_TRAFFIC_WRITE, 1000, 1000));
	wire_run(&wire, wire.now_ns + MS);
	came_ns = wire.now_ns;
	wire.now_ns += MS;
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive_late(wire.ends[0], frame, sizeof(frame), came_ns, wire.now_ns);
	pause.quanta[3] = 0;
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive_late(wire.ends[0], frame, sizeof(frame), came_ns + 300000,
			     wire.now_ns);
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 300000);
	rt_counter_set_free(&set);
	/* A stamp of another clock, or of before the beginning, moves nothing back. */
	rt_soft_receive_late(wire.ends[0], frame, sizeof(frame), INT64_MAX,
			     wire.now_ns);
	rt_soft_receive_late(wire.ends[0], frame, sizeof(frame), INT64_MIN / 2,
			     wire.now_ns);
	wire.now_ns += MS;
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 300000);
	rt_counter_set_free(&set);
	wire_close(&wire);
}

/* Read while a pause goes on that had been ended: the frame was not read yet. */
static void test_pauses_never_go_back(void **state)
{
	struct seen seen = { 0 };
	struct rt_pause pause = { .enable = 1 << 3, .quanta = { 0, 0, 0, 60000 } };
	struct rt_counter_set set;
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	struct wire wire;

	(void)state;
	open_wire(&wire, &seen, wire_flow(RT_TRAFFIC_WRITE, 1000, 1000));
	wire_run(&wire, wire.now_ns + MS);
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive(wire.ends[0], frame, sizeof(frame), wire.now_ns);
	wire.now_ns += 900000;
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 900000);
	rt_counter_set_free(&set);
	pause.quanta[3] = 0;
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive_late(wire.ends[0], frame, sizeof(frame), wire.now_ns - 600000,
			     wire.now_ns);
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 900000);
	rt_counter_set_free(&set);
	/* Once as much more was asked for it goes on: nothing is counted twice. */
	pause.quanta[3] = 60000;
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive(wire.ends[0], frame, sizeof(frame), wire.now_ns);
	wire.now_ns += 500000;
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 900000);
	rt_counter_set_free(&set);
	wire.now_ns += 200000;
	set = counters_of(&wire, 0);
	assert_int_equal(value(&set, RT_COUNTER_PFC_RX_NS, 3), 1000000);
	rt_counter_set_free(&set);
	wire_close(&wire);
}

RT_UNIT_MAIN(cmocka_unit_test(test_bytes_frames_marks_and_cnps),
	     cmocka_unit_test(test_losses_are_told_by_both_ends),
	     cmocka_unit_test(test_pauses_by_priority),
	     cmocka_unit_test(test_pauses_count_from_when_they_came),
	     cmocka_unit_test(test_pauses_never_go_back))
