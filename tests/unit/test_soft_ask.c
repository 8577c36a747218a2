/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which frames of a soft sender ask for an answer: those after which nothing more may
 * follow without one, those at the end of a message and those before a silence.
 */
#include "unit.h"

#include "base/own.h"
#include "paper_wire.h"

/* A packet of 1024 bytes on the wire of 1 Gb/s, without RETH. */
#define MIDDLE_NS ((1024 + 58 + 4 + 20) * 8)

#define SEEN_MAX 4096u

/* Data frames of end 0, in the order they were sent. */
struct seen {
	unsigned count;
	uint32_t first_msn, last_msn; /* of the other end's answers */
	uint64_t answers;
	int64_t at_ns[SEEN_MAX];
	uint8_t opcode[SEEN_MAX];
	bool asks[SEEN_MAX];
};

static void look_on(struct wire *wire, unsigned from, const struct rt_frame *frame)
{
	struct seen *seen = wire->context;

	if (from) {
		seen->last_msn = frame->bth.msn;
		if (!seen->answers++)
			seen->first_msn = frame->bth.msn;
	}
	if (from || !frame->bth.payload_bytes || seen->count == SEEN_MAX)
		return;
	seen->at_ns[seen->count] = wire->now_ns - WIRE_START;
	seen->opcode[seen->count] = frame->bth.opcode;
	seen->asks[seen->count++] = frame->bth.bits & RT_BTH_ACKREQ;
}

static void ask_config(struct wire *wire, struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	wire_config(wire, 1 * GBPS, 1024);
	wire->laws.rc.ack_every = 0; /* only those that ask are answered */
	wire->check = look_on;
	wire->context = seen;
}

static unsigned asked(const struct seen *seen)
{
	unsigned count = 0;

	for (unsigned i = 0; i < seen->count; i++)
		count += seen->asks[i];
	return count;
}

/* 100 packets and windows of 8: the eighth of each asks, and the message's last. */
static void test_a_full_window_asks(void **state)
{
	static const struct {
		const char *label;
		uint32_t packets;
		uint64_t bytes;
		unsigned every;
	} cases[] = {
		{ "none", 0, 0, 0 },
		{ "8 packets", 8, 0, 8 },
		{ "bytes of 8 packets", 0, 8 * 1024, 8 },
		{ "a byte more", 0, 8 * 1024 + 1, 9 },
		{ "the lesser of both", 20, 8 * 1024, 8 },
		{ "one packet", 1, 0, 1 },
		{ "less than a packet", 0, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 100 << 10,
							100 << 10);
		const unsigned every = cases[i].every;
		RT_AUTO(rt_auto_free)
		struct seen *seen = malloc(sizeof(*seen));
		struct rt_qp_totals sender;
		unsigned want = 0;
		struct wire wire;

		assert_non_null(seen);
		print_message("# %s\n", cases[i].label);
		ask_config(&wire, seen);
		wire.laws.rc.window_packets = cases[i].packets;
		wire.laws.window_bytes = cases[i].bytes;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		/* The first window's answer, of a message that is not complete. */
		while (wire_totals(&wire, 0, 0).ack_rx.value == 0)
			wire_run(&wire, wire.now_ns + 1000);
		assert_int_equal(wire_totals(&wire, 0, 0).bytes.value,
				 (every ? every : 100) * 1024);
		assert_int_equal(wire_totals(&wire, 0, 0).messages.value, !every);
		wire_run(&wire, INT64_MAX);
		assert_int_equal(wire.bad, 0); /* the ICRC is of the bit, too */
		assert_int_equal(seen->count, 100);
		for (unsigned n = 0; n < 100; n++) {
			const bool asks = (every && (n + 1) % every == 0) || n == 99;

			assert_int_equal(seen->asks[n], asks);
			want += asks;
		}
		assert_int_equal(seen->opcode[1], RT_OP_RC_WRITE_MIDDLE);
		assert_int_equal(seen->opcode[98], RT_OP_RC_WRITE_MIDDLE);
		sender = wire_totals(&wire, 0, 0);
		assert_int_equal(sender.state, RT_QP_DONE);
		assert_int_equal(sender.timeouts.value, 0);
		assert_int_equal(sender.ack_rx.value, want);
		assert_int_equal(wire_totals(&wire, 1, 0).ack_tx.value, want);
		/* A message counts when all of it came (IBTA 9.7.5.1.4). */
		assert_int_equal(seen->first_msn, want == 1);
		assert_int_equal(seen->last_msn, 1);
		wire_close(&wire);
	}
}

/*
 * Bursts of exactly ten frames, of which the last asks: after it nothing comes for long.
 * And frames at a rate at which the next may come later than an answer is waited for.
 */
static void test_what_silence_follows_asks(void **state)
{
	static const struct {
		const char *label;
		uint64_t rate_bps, line_bps, on_ns, off_ns;
		unsigned every;
	} cases[] = {
		{ "a burst", 0, GBPS, 10 * MIDDLE_NS, 2 * MS - 10 * MIDDLE_NS, 10 },
		{ "a frame each 82 ms", 100000, GBPS, 0, 0, 1 },
		{ "a frame each 8 ms", 1000000, GBPS, 0, 0, 0 },
		{ "a line of 100 kb/s", 0, 100000, 0, 0, 1 },
		{ "a line of 1 Mb/s", 0, 1000000, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 0);
		const unsigned every = cases[i].every;
		RT_AUTO(rt_auto_free)
		struct seen *seen = malloc(sizeof(*seen));
		struct wire wire;

		assert_non_null(seen);
		print_message("# %s\n", cases[i].label);
		ask_config(&wire, seen);
		wire.config[0].line_rate_bps = cases[i].line_bps;
		wire.laws.rc.timeout_ps = 67 * RT_PS_PER_MS;
		flow.rate_bps = cases[i].rate_bps;
		flow.on_ns = cases[i].on_ns;
		flow.off_ns = cases[i].off_ns;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		while (seen->count < 30)
			wire_run(&wire, wire.now_ns + MS);
		for (unsigned n = 0; n < 30; n++)
			assert_int_equal(seen->asks[n], every && (n + 1) % every == 0);
		if (flow.off_ns)
			for (unsigned n = 0; n < 30; n += 10)
				assert_int_equal(seen->at_ns[n], n / 10 * 2 * MS);
		wire_close(&wire);
	}
}

static void count_requests(struct wire *wire, unsigned from,
			   const struct rt_frame *frame)
{
	unsigned *requests = wire->context;

	*requests += from == 1 && frame->bth.opcode == RT_OP_RC_READ_REQUEST;
}

/*
 * A window holds back packets of data, of which a READ's asker sends none; but no more
 * READs are open than the other end can keep.
 */
static void test_reads_are_asked_for_beside_a_window(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_READ, 10000, 1000000);
	unsigned requests = 0;
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1024);
	wire.laws.rc.window_packets = 8;
	wire.delay_ns = 1 * MS;
	wire.check = count_requests;
	wire.context = &requests;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + MS / 2);
	assert_int_equal(requests, 4);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(requests, 100);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 1000000);
	wire_close(&wire);

	requests = 0;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire.added[0].reads = 2;
	assert_int_equal(rt_soft_qp_connect(wire.ends[1], 0, &wire.added[0],
					    wire.added[0].mac, NULL),
			 0);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + MS / 2);
	assert_int_equal(requests, 2);
	wire_close(&wire);

	/* Nor more than have PSNs: 2^21 packets each, of those of the least MTU. */
	requests = 0;
	flow.message_bytes = 1 << 29;
	flow.total_bytes = 0;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + MS / 2);
	assert_int_equal(requests, 1);
	wire_close(&wire);
}

/* Bursts count from the flow's own start; who answers READs may have an earlier one. */
static void test_bursts_begin_with_the_flow(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 20, 0);
	RT_AUTO(rt_auto_free)
	struct seen *seen = malloc(sizeof(*seen));
	struct wire wire;

	(void)state;
	assert_non_null(seen);
	ask_config(&wire, seen);
	flow.start_ns = 25 * (uint64_t)MS;
	flow.on_ns = 10 * (uint64_t)MS;
	flow.off_ns = 30 * (uint64_t)MS;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 64 * MS);
	assert_int_equal(seen->at_ns[0], 25 * MS);
	assert_in_range(seen->at_ns[seen->count - 1], 35 * MS - 2 * MIDDLE_NS, 35 * MS);
	wire_close(&wire);

	/* The source's epoch is 3 ms later than its reader's. */
	ask_config(&wire, seen);
	flow.op = RT_TRAFFIC_READ;
	flow.start_ns = 0;
	flow.on_ns = flow.off_ns = 10 * (uint64_t)MS;
	wire_open(&wire);
	wire_add(&wire, &flow);
	rt_soft_begin(wire.ends[0], wire.now_ns + 3 * MS);
	rt_soft_begin(wire.ends[1], wire.now_ns);
	wire_run(&wire, wire.now_ns + 20 * MS);
	assert_int_equal(seen->at_ns[0], wire.delay_ns);
	assert_int_equal(wire_totals(&wire, 0, 0).first_ns.value, 0);
	assert_in_range(seen->at_ns[seen->count - 1], 13 * MS - 2 * MIDDLE_NS, 13 * MS);
	wire_close(&wire);
}

static struct fate mark_first(struct wire *wire, unsigned from,
			      struct rt_frame *decoded, uint8_t *frame)
{
	const struct seen *seen = wire->context;

	(void)decoded;
	if (!from && seen->count == 1)
		frame[15] |= RT_ECN_CE;
	return (struct fate){ 0 };
}

/*
 * A window that follows the rate closes under what is on its way, 40 packets, of which
 * none asked.  The next one does, at its pace; but not where an ACK comes by itself.
 */
static void test_a_window_that_shrinks_asks(void **state)
{
	static const struct {
		uint32_t ack_every;
		int64_t next; /* when the 41st leaves, in packets' times */
	} cases[] = {
		{ 0, 49 },  /* the 40th and the pace of a tenth of the rate */
		{ 41, 49 }, /* one too few */
		{ 40, 79 }, /* the 40th's ACK */
		{ 1, 70 },  /* the 31st's ACK leaves 9 of 10 */
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 200 << 10,
							200 << 10);
		RT_AUTO(rt_auto_free)
		struct seen *seen = malloc(sizeof(*seen));
		struct rt_qp_totals sender;
		struct wire wire;

		assert_non_null(seen);
		ask_config(&wire, seen);
		wire.judge = mark_first;
		wire.delay_ns = 20 * MIDDLE_NS;
		wire.laws.rc.ack_every = cases[i].ack_every;
		wire.laws.options |= RT_MODEL_VARIABLE_WINDOW;
		wire.laws.window_bytes = 100 * 1024;
		wire.laws.rp.reaction = RT_RP_PAPER;
		wire.laws.rp.rp_alpha = wire.laws.rp.cut_scale = 1;
		wire.laws.rp.min_keep = 0.1;
		wire.laws.rp.increase_interval_ps = 1000000 * RT_PS_PER_MS;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, wire.now_ns + 60 * MS);
		sender = wire_totals(&wire, 0, 0);
		print_message("# an ACK each %u: the 41st after %.2f, %u of %u ask\n",
			      cases[i].ack_every, (double)seen->at_ns[40] / MIDDLE_NS,
			      asked(seen), seen->count);
		assert_int_equal(seen->at_ns[40] / MIDDLE_NS, cases[i].next);
		assert_int_equal(sender.rate_bps.value, GBPS / 10);
		assert_int_equal(sender.state, RT_QP_DONE);
		assert_int_equal(sender.timeouts.value, 0);
		/* A window of ten packets asks with the tenth, at the latest. */
		if (!cases[i].ack_every)
			assert_in_range(asked(seen), 16, 20);
		wire_close(&wire);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_full_window_asks),
	     cmocka_unit_test(test_what_silence_follows_asks),
	     cmocka_unit_test(test_reads_are_asked_for_beside_a_window),
	     cmocka_unit_test(test_bursts_begin_with_the_flow),
	     cmocka_unit_test(test_a_window_that_shrinks_asks))
