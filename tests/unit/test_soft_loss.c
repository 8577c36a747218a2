/* SPDX-License-Identifier: BSD-2-Clause */
/* What soft endpoints do about frames that are lost, damaged or late. */
#include "unit.h"

#include "base/own.h"
#include "base/rng.h"
#include "paper_wire.h"

struct trouble {
	struct rt_rng rng;
	uint64_t lose_in, damage_in, late_in; /* one of so many; 0: none */
	bool twice;
};

static struct fate troubled(struct wire *wire, unsigned from, struct rt_frame *decoded,
			    uint8_t *frame)
{
	struct trouble *trouble = wire->context;
	struct fate fate = { 0 };

	(void)from;
	if (trouble->lose_in)
		fate.lost = rt_rng_below(&trouble->rng, trouble->lose_in) == 0;
	if (trouble->damage_in && rt_rng_below(&trouble->rng, trouble->damage_in) == 0)
		frame[rt_rng_below(&trouble->rng, decoded->wire_bytes)] ^= 0x10;
	if (trouble->late_in && rt_rng_below(&trouble->rng, trouble->late_in) == 0)
		fate.later_ns = 30000;
	return fate;
}

static void test_all_arrives_once_over_a_bad_wire(void **state)
{
	static const struct {
		const char *label;
		struct trouble trouble;
	} cases[] = {
		{ "1 % lost", { .lose_in = 100 } },
		{ "10 % lost", { .lose_in = 10 } },
		{ "2 % damaged", { .damage_in = 50 } },
		{ "3 % late", { .late_in = 30 } },
		{ "all of it", { .lose_in = 100, .damage_in = 100, .late_in = 50 } },
	};

	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++)
		for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
			struct rt_traffic_flow flow = wire_flow(op, 20000, 2000000);
			struct trouble trouble = cases[i].trouble;
			struct rt_qp_totals receiver, poster;
			struct wire wire;

			rt_rng_init(&trouble.rng, 5, op);
			wire_config(&wire, 10 * GBPS, 1024);
			wire.laws.rc.retry_limit = 1000;
			wire.judge = troubled;
			wire.context = &trouble;
			wire_open(&wire);
			wire_add(&wire, &flow);
			wire_begin(&wire);
			wire_run(&wire, wire.now_ns + 100000 * MS);
			receiver = wire_totals(&wire, 1, 0);
			poster = wire_totals(&wire, wire_asker(op), 0);
			print_message(
				"# op %u, %s: %lu resent, %lu time-outs, %lu NAKs\n",
				op, cases[i].label,
				wire_totals(&wire, 0, 0)
					.data_frames_retransmitted.value,
				poster.timeouts.value, poster.nak_rx.value);
			assert_string_equal(poster.error, "");
			assert_int_equal(poster.state, RT_QP_DONE);
			assert_int_equal(receiver.bytes.value, 2000000);
			assert_int_equal(receiver.messages.value, 100);
			assert_true(wire_totals(&wire, 0, 0)
					    .data_frames_retransmitted.value > 0);
			wire_close(&wire);
		}
}

/* In the middle of a message, over a wire that loses or not: both ends agree, and it ends. */
static void test_what_is_posted_can_be_taken_back(void **state)
{
	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++)
		for (unsigned loses = 0; loses < 2; loses++) {
			struct rt_traffic_flow flow = wire_flow(op, 1 << 26, 0);
			struct trouble trouble = { .lose_in = loses ? 50 : 0 };
			struct rt_qp_totals sink, poster;
			uint64_t sent;
			struct wire wire;

			flow.stop_ns = 10 * MS;
			rt_rng_init(&trouble.rng, 5, op);
			wire_config(&wire, 10 * GBPS, 1024);
			wire.laws.rc.retry_limit = 1000;
			wire.judge = troubled;
			wire.context = &trouble;
			wire_open(&wire);
			wire_add(&wire, &flow);
			wire_begin(&wire);
			wire_run(&wire, wire.now_ns + 15 * MS);
			assert_int_equal(wire_totals(&wire, wire_asker(op), 0).state,
					 RT_QP_RUNNING);
			sent = wire_totals(&wire, 0, 0).data_frames_tx.value -
			       wire_totals(&wire, 0, 0).data_frames_retransmitted.value;
			assert_true(sent > 100);
			rt_soft_qp_cut(wire.ends[0], 0);
			rt_soft_qp_cut(wire.ends[1], 0);
			wire_run(&wire, wire.now_ns + 60000 * MS);
			poster = wire_totals(&wire, wire_asker(op), 0);
			sink = wire_totals(&wire, 1, 0);
			print_message("# op %u: %lu frames, then %lu\n", op, sent,
				      wire_totals(&wire, 0, 0).data_frames_tx.value);
			assert_int_equal(poster.state, RT_QP_DONE);
			assert_string_equal(poster.error, "");
			assert_int_equal(sink.state, RT_QP_DONE);
			/* One that asks for the answer at most. */
			assert_in_range(
				wire_totals(&wire, 0, 0).data_frames_tx.value -
					wire_totals(&wire, 0, 0)
						.data_frames_retransmitted.value,
				sent, sent + 1);
			if (op != RT_TRAFFIC_READ)
				assert_int_equal(poster.bytes.value, sink.bytes.value);
			wire_close(&wire);
		}
}

static struct fate lose_one(struct wire *wire, unsigned from, struct rt_frame *decoded,
			    uint8_t *frame)
{
	uint64_t *number = wire->context;

	(void)frame;
	return (struct fate){ .lost = from == 0 && decoded->bth.payload_bytes &&
				      ++*number == 50 };
}

/* One gap, one NAK; from the gap on all is sent again: what was under way. */
static void test_one_gap_is_one_nak_and_goes_back_n(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 1 << 20);
	struct rt_qp_totals sender, receiver;
	uint64_t number = 0;
	struct wire wire;

	(void)state;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.judge = lose_one;
	wire.context = &number;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	sender = wire_totals(&wire, 0, 0);
	receiver = wire_totals(&wire, 1, 0);
	assert_int_equal(receiver.nak_tx.value, 1);
	assert_int_equal(sender.nak_rx.value, 1);
	assert_int_equal(sender.timeouts.value, 0);
	/* 2 us each way at 0.9 us a frame */
	assert_in_range(sender.data_frames_retransmitted.value, 4, 8);
	assert_int_equal(receiver.frame_sequence_error.value + 1,
			 sender.data_frames_retransmitted.value);
	assert_int_equal(receiver.bytes.value, 1 << 20);
	wire_close(&wire);
}

/* Loses the packet of one PSN the first few times it comes, and counts requests. */
struct gaps {
	uint32_t number[2]; /* PSNs from the first on */
	unsigned losses[2]; /* of each, that many; left of them */
	unsigned requests;  /* READ requests that were sent */
};

static struct fate make_gaps(struct wire *wire, unsigned from, struct rt_frame *decoded,
			     uint8_t *frame)
{
	struct gaps *gaps = wire->context;
	const uint32_t number = (decoded->bth.psn - wire->added[1].psn) & 0xFFFFFF;

	(void)frame;
	if (decoded->bth.opcode == RT_OP_RC_READ_REQUEST) {
		gaps->requests++;
		assert_true(decoded->bth.va == wire->added[0].va + number * 1024);
		assert_int_equal(decoded->bth.dma_bytes, (1 << 20) - number * 1024);
	}
	for (unsigned i = 0; i < 2 && !from && decoded->bth.payload_bytes; i++)
		if (number == gaps->number[i] && gaps->losses[i]) {
			gaps->losses[i]--;
			return (struct fate){ .lost = true };
		}
	return (struct fate){ 0 };
}

/*
 * A response that is missing is asked for again once, whatever comes behind it, and the
 * next gap once more.  Is it lost again, only the time-out finds that, and after it
 * the gap counts anew (IBTA 9.7.5.2.8).
 */
static void test_one_gap_in_responses_is_one_request(void **state)
{
	static const struct {
		const char *label;
		struct gaps gaps;
		unsigned requests, timeouts;
	} cases[] = {
		{ "no gap", { { 0, 0 }, { 0, 0 }, 0 }, 1, 0 },
		{ "one", { { 50, 0 }, { 1, 0 }, 0 }, 2, 0 },
		{ "the first", { { 0, 0 }, { 1, 0 }, 0 }, 2, 0 },
		{ "two", { { 50, 300 }, { 1, 1 }, 0 }, 3, 0 },
		{ "one twice", { { 50, 0 }, { 2, 0 }, 0 }, 3, 1 },
		{ "one three times", { { 50, 0 }, { 3, 0 }, 0 }, 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_READ, 1 << 20,
							1 << 20);
		struct gaps gaps = cases[i].gaps;
		struct rt_qp_totals reader;
		struct wire wire;

		print_message("# %s\n", cases[i].label);
		wire_config(&wire, 10 * GBPS, 1024);
		wire.judge = make_gaps;
		wire.context = &gaps;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, INT64_MAX);
		reader = wire_totals(&wire, 1, 0);
		assert_int_equal(reader.bytes.value, 1 << 20);
		assert_int_equal(reader.state, RT_QP_DONE);
		assert_int_equal(gaps.losses[0] + gaps.losses[1], 0);
		assert_int_equal(gaps.requests, cases[i].requests);
		assert_int_equal(reader.timeouts.value, cases[i].timeouts);
		wire_close(&wire);
	}
}

static struct fate lose_last(struct wire *wire, unsigned from, struct rt_frame *decoded,
			     uint8_t *frame)
{
	uint64_t *lost = wire->context;

	(void)from;
	(void)frame;
	if (*lost || !(rt_ops[decoded->bth.opcode].bits & RT_OP_ENDS))
		return (struct fate){ 0 };
	++*lost;
	return (struct fate){ .lost = true };
}

static void test_what_nobody_can_miss_is_found_by_time_out(void **state)
{
	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++) {
		struct rt_traffic_flow flow = wire_flow(op, 10000, 10000);
		uint64_t lost = 0;
		struct wire wire;

		wire_config(&wire, 10 * GBPS, 1024);
		wire.laws.rc.timeout_ps = 80 * RT_PS_PER_MS;
		wire.judge = lose_last;
		wire.context = &lost;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, INT64_MAX);
		assert_int_equal(wire_totals(&wire, wire_asker(op), 0).timeouts.value,
				 1);
		assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 10000);
		assert_in_range(wire.now_ns - WIRE_START, 80 * MS, 81 * MS);
		wire_close(&wire);
	}
}

/* The laws' time-out, 67 ms at least; but what the user says, as it was said. */
static void test_time_out_has_a_floor_unless_told(void **state)
{
	static const struct {
		const char *label;
		uint64_t laws_ps;
		uint8_t code;
		int64_t ns;
	} cases[] = {
		{ "short laws", 1 * RT_PS_PER_MS, 0, 67108864 },
		{ "almost", 67108863 * RT_PS_PER_NS, 0, 67108864 },
		{ "long laws", 67108865 * RT_PS_PER_NS, 0, 67108865 },
		{ "told less", 80 * RT_PS_PER_MS, 10, 4194304 },
		{ "told more", 1 * RT_PS_PER_MS, 16, 268435456 },
	};

	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++)
		for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
			struct rt_traffic_flow flow = wire_flow(op, 1000, 1000);
			uint64_t lost = 0;
			struct wire wire;

			wire_config(&wire, 10 * GBPS, 1024);
			wire.laws.rc.timeout_ps = cases[i].laws_ps;
			for (unsigned end = 0; end < 2; end++)
				wire.config[end].ack_timeout_code = cases[i].code;
			wire.judge = lose_last;
			wire.context = &lost;
			wire_open(&wire);
			wire_add(&wire, &flow);
			wire_begin(&wire);
			wire_run(&wire, WIRE_START + cases[i].ns - 1);
			assert_int_equal(lost, 1);
			assert_int_equal(
				wire_totals(&wire, wire_asker(op), 0).timeouts.value,
				0);
			wire_run(&wire, WIRE_START + cases[i].ns);
			assert_int_equal(
				wire_totals(&wire, wire_asker(op), 0).timeouts.value,
				1);
			wire_run(&wire, INT64_MAX);
			assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 1000);
			wire_close(&wire);
		}
}

/*
 * A sender that is silent by its own burst or rate in the middle of a message is not one
 * whose frames are lost: the silence is longer than the time-out.
 */
static void test_own_silence_is_no_time_out(void **state)
{
	static const struct {
		const char *label;
		uint64_t on_ns, off_ns, rate_bps;
	} cases[] = {
		{ "bursts", 5 * MS, 150 * MS, 0 },
		{ "bursts of a slow sender", 50 * MS, 150 * MS, 10000000 },
		{ "a frame each 82 ms", 0, 0, 100000 },
		{ "a frame each 8 ms", 0, 0, 1000000 },
	};

	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct rt_traffic_flow flow = wire_flow(op, 400000, 0);
			struct rt_qp_totals sender;
			struct wire wire;

			if (op == RT_TRAFFIC_READ && !cases[i].off_ns)
				continue; /* its reader cannot know the rate */
			flow.on_ns = cases[i].on_ns;
			flow.off_ns = cases[i].off_ns;
			flow.rate_bps = cases[i].rate_bps;
			wire_config(&wire, GBPS / 10, 1024);
			wire.laws.rc.timeout_ps = 67 * RT_PS_PER_MS;
			wire_open(&wire);
			wire_add(&wire, &flow);
			wire_begin(&wire);
			wire_run(&wire, wire.now_ns + 5000 * MS);
			sender = wire_totals(&wire, wire_asker(op), 0);
			print_message("# op %u, %s: %lu time-outs\n", op,
				      cases[i].label, sender.timeouts.value);
			assert_int_equal(sender.timeouts.value, 0);
			assert_int_equal(wire_totals(&wire, 0, 0)
						 .data_frames_retransmitted.value,
					 0);
			assert_true(wire_totals(&wire, 0, 0).data_frames_tx.value > 50);
			wire_close(&wire);
		}
}

static struct fate lose_first(struct wire *wire, unsigned from,
			      struct rt_frame *decoded, uint8_t *frame)
{
	uint64_t *lost = wire->context;

	(void)from;
	(void)frame;
	if (*lost || !decoded->bth.payload_bytes)
		return (struct fate){ 0 };
	++*lost;
	return (struct fate){ .lost = true };
}

/* 100 Mb/s, so that quanta last: 5.12 us each. */
static void pause_sender(struct wire *wire, unsigned ms)
{
	struct rt_pause pause = { .enable = 1 << 3 };
	uint8_t frame[RT_BUILD_PAUSE_BYTES];

	pause.quanta[3] = (uint16_t)(ms * 1000000 / 5120);
	rt_build_pfc(wire->config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive(wire->ends[0], frame, sizeof(frame), wire->now_ns);
}

/* 20 packets of which the last asks, and a pause between, or after they were NAKed. */
static void test_time_out_counts_from_the_asking(void **state)
{
	static const struct {
		const char *label;
		bool loses;
		int64_t pause_ns;
		unsigned pause_ms;
	} cases[] = {
		/* the last leaves after 62 ms, and is answered 10 ms later */
		{ "paused before the last", false, 500000, 60 },
		/* the first is missed by 10 ms, and sent again after 210 */
		{ "paused when all is to be sent again", true, 11000000, 200 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 20 << 10,
							20 << 10);
		uint64_t lost = !cases[i].loses;
		struct rt_qp_totals sender;
		struct wire wire;

		print_message("# %s\n", cases[i].label);
		wire_config(&wire, GBPS / 10, 1024);
		wire.laws.rc.ack_every = 0;
		wire.delay_ns = 5 * MS;
		wire.judge = lose_first;
		wire.context = &lost;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, wire.now_ns + cases[i].pause_ns);
		pause_sender(&wire, cases[i].pause_ms);
		wire_run(&wire, INT64_MAX);
		sender = wire_totals(&wire, 0, 0);
		assert_int_equal(sender.state, RT_QP_DONE);
		assert_int_equal(sender.timeouts.value, 0);
		assert_int_equal(sender.nak_rx.value, cases[i].loses);
		wire_close(&wire);
	}
}

static struct fate lose_flow(struct wire *wire, unsigned from, struct rt_frame *decoded,
			     uint8_t *frame)
{
	const uint32_t *qp = wire->context;

	(void)from;
	(void)frame;
	return (struct fate){ .lost = decoded->bth.dest_qp == *qp };
}

/* The one whose other end is silent stops, with its time; its neighbour goes on. */
static void test_retries_run_out_of_one_only(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 10000, 0);
	struct rt_qp_address address;
	struct rt_qp_totals dead, alive;
	struct rt_soft *other;
	unsigned index;
	uint32_t qp;
	struct wire wire;

	(void)state;
	flow.stop_ns = 2000 * (uint64_t)MS;
	wire_config(&wire, 10 * GBPS / 100, 1024);
	wire.config[0].retry_count = RT_KNOWN_U64(3); /* whatever laws say */
	wire.laws.rc.timeout_ps = 100 * RT_PS_PER_MS;
	/* The number that the peer's first queue pair will have. */
	assert_int_equal(rt_soft_new(&wire.config[1], &other, NULL), 0);
	assert_int_equal(rt_soft_qp_create(other, &flow, false, &index, &address, NULL),
			 0);
	qp = address.qpn;
	rt_soft_free(other);
	wire.judge = lose_flow;
	wire.context = &qp;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	dead = wire_totals(&wire, 0, 0);
	alive = wire_totals(&wire, 0, 1);
	assert_int_equal(dead.state, RT_QP_STOPPED);
	assert_string_equal(dead.error, "IBV_WC_RETRY_EXC_ERR");
	assert_int_equal(dead.timeouts.value, 3);
	assert_int_equal(dead.bytes.value, 0);
	/* the first time-out and three retries, each from when an answer was asked for */
	assert_in_range(dead.error_ns.value, 400 * MS, 410 * MS);
	assert_int_equal(alive.state, RT_QP_DONE);
	/* nearly all of 100 Mb/s for 2 s */
	assert_in_range(alive.bytes.value, 21000000, 25000000);
	wire_close(&wire);
}

static void test_packet_numbers_wrap(void **state)
{
	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++) {
		struct rt_traffic_flow flow = wire_flow(op, 1 << 20,
							UINT64_C(17) << 20);
		struct trouble trouble = { .lose_in = 5000 };
		uint64_t wrapped = 0;

		/* 17 408 packets of 2^24: look for a seed that begins close below. */
		for (uint64_t seed = 1; wrapped == 0 && seed < 20000; seed++) {
			struct rt_qp_address address[2];
			unsigned index;
			struct wire wire;

			wire_config(&wire, 100 * GBPS, 1024);
			wire.config[0].seed = wire.config[1].seed = seed;
			wire.laws.rc.retry_limit = 1000;
			wire_open(&wire);
			for (unsigned i = 0; i < 2; i++)
				rt_soft_qp_create(wire.ends[i], &flow, i == 0, &index,
						  &address[i], NULL);
			if (address[wire_asker(op)].psn > 0xFFFFFF - 10000) {
				wrapped = address[0].psn;
				for (unsigned i = 0; i < 2; i++)
					rt_soft_qp_connect(wire.ends[i], 0,
							   &address[!i],
							   address[!i].mac, NULL);
				rt_rng_init(&trouble.rng, 1, op);
				wire.judge = troubled;
				wire.context = &trouble;
				wire_begin(&wire);
				wire_run(&wire, INT64_MAX);
				assert_int_equal(
					wire_totals(&wire, wire_asker(op), 0).state,
					RT_QP_DONE);
				assert_int_equal(wire_totals(&wire, 1, 0).bytes.value,
						 UINT64_C(17) << 20);
			}
			wire_close(&wire);
		}
		assert_true(wrapped);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_all_arrives_once_over_a_bad_wire),
	     cmocka_unit_test(test_what_is_posted_can_be_taken_back),
	     cmocka_unit_test(test_one_gap_is_one_nak_and_goes_back_n),
	     cmocka_unit_test(test_one_gap_in_responses_is_one_request),
	     cmocka_unit_test(test_what_nobody_can_miss_is_found_by_time_out),
	     cmocka_unit_test(test_time_out_has_a_floor_unless_told),
	     cmocka_unit_test(test_own_silence_is_no_time_out),
	     cmocka_unit_test(test_time_out_counts_from_the_asking),
	     cmocka_unit_test(test_retries_run_out_of_one_only),
	     cmocka_unit_test(test_packet_numbers_wrap))
