/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends that fall short on purpose (traffic/faults.h), on a wire of paper. */
#include "unit.h"

#include "model/counters.h"
#include "paper_wire.h"

static uint64_t count(struct wire *wire, unsigned end, enum rt_counter_id id,
		      unsigned prio)
{
	struct rt_counter_set set = { 0 };
	struct rt_opt_u64 value;

	assert_int_equal(rt_soft_counters(wire->ends[end], wire->now_ns, 0, &set), 0);
	assert_int_equal(rt_counter_set_check(&set, NULL), 0);
	value = rt_counter_value(&set, id, prio);
	rt_counter_set_free(&set);
	assert_true(value.known);
	return value.value;
}

static uint64_t port(struct wire *wire, unsigned end, enum rt_counter_id id)
{
	return count(wire, end, id, RT_COUNTER_NO_PRIO);
}

/* --- a slow receiver --------------------------------------------------------------- */

/* Pause frames are no RoCE; of the wire's own count of what is bad they are none. */
struct pauses {
	uint64_t xoff, xon;
};

static void count_pauses(struct wire *wire, unsigned from, const struct rt_frame *frame)
{
	struct pauses *pauses = wire->context;

	if (frame->kind != RT_FRAME_PFC)
		return;
	wire->bad--;
	assert_int_equal(from, 1);
	assert_int_equal(frame->pause.enable, 1 << 3);
	pauses->xoff += frame->pause.quanta[3] != 0;
	pauses->xon += frame->pause.quanta[3] == 0;
}

static void open_slow(struct wire *wire, struct pauses *pauses, unsigned prio)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1000000, 0);

	wire_config(wire, GBPS, 1024);
	wire->config[1].faults.receive_bps = GBPS / 4;
	wire->context = pauses;
	wire->check = count_pauses;
	flow.prio = (uint8_t)prio;
	flow.dscp = prio == 3 ? 26 : 0;
	wire_open(wire);
	wire_add(wire, &flow);
	wire_begin(wire);
	wire_run(wire, wire->now_ns + 1000 * MS);
}

static void test_a_slow_receiver_stops_its_peer(void **state)
{
	struct pauses pauses = { 0 };
	struct wire wire;
	double bps, paused_ns, pausing_ns;

	(void)state;
	open_slow(&wire, &pauses, 3);
	bps = (double)port(&wire, 1, RT_COUNTER_RX_BYTES) * 8;
	paused_ns = (double)count(&wire, 0, RT_COUNTER_PFC_RX_NS, 3);
	pausing_ns = (double)count(&wire, 1, RT_COUNTER_PFC_TX_NS, 3);
	print_message("# %.0f b/s, paused %.3f, %lu XOFF, %lu XON\n", bps,
		      paused_ns / 1e9, pauses.xoff, pauses.xon);
	/*
	 * A quarter of the rate, so that three quarters of the time are pauses, and a
	 * bit more, as a sender makes up for them for 500 us.
	 */
	assert_true(bps > 0.24e9 && bps < 0.27e9);
	assert_true(paused_ns > 0.70e9 && paused_ns < 0.82e9);
	assert_true(pausing_ns > paused_ns * 0.99 && pausing_ns < paused_ns * 1.01);
	assert_int_equal(count(&wire, 1, RT_COUNTER_PFC_TX_FRAMES, 3),
			 pauses.xoff + pauses.xon);
	assert_int_equal(count(&wire, 0, RT_COUNTER_PFC_RX_FRAMES, 3),
			 pauses.xoff + pauses.xon);
	assert_int_equal(count(&wire, 1, RT_COUNTER_PFC_TX_FRAMES, 0), 0);
	assert_true(pauses.xon > 10);
	assert_int_equal(count(&wire, 1, RT_COUNTER_RX_BUFFER_DISCARDS, 3), 0);
	assert_int_equal(port(&wire, 1, RT_COUNTER_OUT_OF_SEQUENCE), 0);
	assert_int_equal(wire.bad, 0);
	wire_close(&wire);
}

static void test_without_pfc_it_drops(void **state)
{
	struct pauses pauses = { 0 };
	struct wire wire;

	(void)state;
	open_slow(&wire, &pauses, 0);
	assert_int_equal(pauses.xoff, 0);
	assert_int_equal(count(&wire, 0, RT_COUNTER_PFC_RX_NS, 3), 0);
	assert_true(count(&wire, 1, RT_COUNTER_RX_BUFFER_DISCARDS, 0) > 10);
	assert_int_equal(count(&wire, 1, RT_COUNTER_RX_BUFFER_DISCARDS, 3), 0);
	assert_true(port(&wire, 0, RT_COUNTER_SEQ_NAKS_RX) +
			    port(&wire, 0, RT_COUNTER_ACK_TIMEOUTS) >
		    0);
	wire_close(&wire);
}

/* The peer was stopped for longer than one pause lasts: it is told again in time. */
static void test_a_pause_is_renewed(void **state)
{
	struct pauses pauses = { 0 };
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1000000, 0);
	struct wire wire;

	(void)state;
	wire_config(&wire, GBPS, 1024);
	wire.laws.pause_quanta = 1000; /* 512 us at 1 Gb/s */
	wire.config[1].faults.receive_bps = GBPS / 20;
	wire.context = &pauses;
	wire.check = count_pauses;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 500 * MS);
	/* 40 ms from XOFF to XON: so many halves of 512 us. */
	assert_true(pauses.xoff > pauses.xon * 100);
	assert_true((double)port(&wire, 1, RT_COUNTER_RX_BYTES) * 8 <
		    0.06e9 * 0.5 + GBPS * 0.005);
	assert_int_equal(count(&wire, 1, RT_COUNTER_RX_BUFFER_DISCARDS, 3), 0);
	wire_close(&wire);
}

/* --- no receive buffer -------------------------------------------------------------- */

static void test_messages_without_buffer_are_refused_and_come_again(void **state)
{
	static const struct {
		unsigned op;
		bool refuses;
	} cases[] = { { RT_TRAFFIC_SEND, true },
		      { RT_TRAFFIC_WRITE_IMM, true },
		      { RT_TRAFFIC_WRITE, false },
		      { RT_TRAFFIC_READ, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rt_traffic_flow flow = wire_flow(cases[i].op, 10000, 2000000);
		struct wire wire;
		uint64_t refused;

		wire_config(&wire, 10 * GBPS, 1024);
		wire.config[1].faults.refuse_ppb = 100000000;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, INT64_MAX);
		refused = port(&wire, 1, RT_COUNTER_RNR_NAKS_TX);
		print_message("# op %u: %lu of 200 refused\n", cases[i].op, refused);
		/* A tenth; 1e-4 of all seeds are outside. */
		if (cases[i].refuses)
			assert_true(refused >= 5 && refused <= 40);
		else
			assert_int_equal(refused, 0);
		assert_int_equal(port(&wire, 0, RT_COUNTER_RNR_NAKS_RX), refused);
		assert_int_equal(port(&wire, 1, RT_COUNTER_OUT_OF_BUFFER), refused);
		/* Nothing else is taken for it, and nothing gets lost. */
		assert_int_equal(port(&wire, 0, RT_COUNTER_SEQ_NAKS_RX), 0);
		assert_int_equal(port(&wire, 0, RT_COUNTER_ACK_TIMEOUTS), 0);
		assert_int_equal(port(&wire, 1, RT_COUNTER_OUT_OF_SEQUENCE), 0);
		assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 2000000);
		assert_int_equal(wire_totals(&wire, wire_asker(flow.op), 0).state,
				 RT_QP_DONE);
		assert_int_equal(wire.bad, 0);
		wire_close(&wire);
	}
}

/* Every message is refused once, and its sender waits for 2.56 ms each time. */
static void test_a_sender_waits_as_long_as_it_is_told(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_SEND, 1000, 50000);
	struct wire wire;
	int64_t took_ns;

	(void)state;
	flow.outstanding = 1;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.config[1].faults.refuse_ppb = RT_PPB;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	took_ns = wire.now_ns - WIRE_START;
	assert_int_equal(port(&wire, 1, RT_COUNTER_RNR_NAKS_TX), 50);
	assert_int_equal(wire_totals(&wire, 1, 0).messages.value, 50);
	assert_true(took_ns > 50 * 2560000 && took_ns < 50 * 2700000 + 100 * MS);
	wire_close(&wire);
}

/* --- frames that overtake each other --------------------------------------------------- */

static void overtake(struct wire *wire, unsigned op, bool keep)
{
	struct rt_traffic_flow flow = wire_flow(op, 30000, 3000000);

	wire_config(wire, 10 * GBPS, 1024);
	for (unsigned i = 0; i < 2; i++) {
		wire->config[i].faults.overtake_ppb = 20000000;
		wire->config[i].faults.keep_early = keep;
	}
	wire_open(wire);
	wire_add(wire, &flow);
	wire_begin(wire);
	wire_run(wire, INT64_MAX);
	assert_int_equal(wire_totals(wire, 1, 0).bytes.value, 3000000);
	assert_int_equal(wire_totals(wire, 1, 0).messages.value, 100);
	assert_int_equal(wire->bad, 0);
}

static void test_early_frames_are_kept_and_nothing_is_sent_again(void **state)
{
	static const unsigned ops[] = { RT_TRAFFIC_WRITE, RT_TRAFFIC_WRITE_IMM,
					RT_TRAFFIC_SEND };

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		struct wire wire;

		overtake(&wire, ops[i], true);
		print_message("# op %u: %lu of 3000 overtook another\n", ops[i],
			      port(&wire, 1, RT_COUNTER_OUT_OF_SEQUENCE));
		assert_true(port(&wire, 1, RT_COUNTER_OUT_OF_SEQUENCE) >= 20);
		assert_true(port(&wire, 1, RT_COUNTER_OUT_OF_SEQUENCE) <= 120);
		assert_int_equal(port(&wire, 1, RT_COUNTER_DUPLICATES), 0);
		assert_int_equal(port(&wire, 0, RT_COUNTER_SEQ_NAKS_RX), 0);
		assert_int_equal(port(&wire, 0, RT_COUNTER_ACK_TIMEOUTS), 0);
		assert_int_equal(
			wire_totals(&wire, 0, 0).data_frames_retransmitted.value, 0);
		wire_close(&wire);
	}
}

static void test_go_back_n_takes_it_for_loss(void **state)
{
	struct wire wire;

	(void)state;
	overtake(&wire, RT_TRAFFIC_WRITE, false);
	assert_true(port(&wire, 0, RT_COUNTER_SEQ_NAKS_RX) >= 20);
	assert_true(wire_totals(&wire, 0, 0).data_frames_retransmitted.value >= 20);
	wire_close(&wire);
}

static struct fate lose_one(struct wire *wire, unsigned from, struct rt_frame *decoded,
			    uint8_t *frame)
{
	unsigned *data = wire->context;

	(void)from;
	(void)frame;
	return (struct fate){ .lost = decoded->bth.payload_bytes && ++*data == 100 };
}

/* Who keeps early frames still notices one that never comes. */
static void test_a_loss_is_still_a_loss(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 30000, 3000000);
	struct wire wire;
	unsigned data = 0;

	(void)state;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.config[1].faults.keep_early = true;
	wire.context = &data;
	wire.judge = lose_one;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 3000000);
	assert_true(port(&wire, 0, RT_COUNTER_SEQ_NAKS_RX) +
			    port(&wire, 0, RT_COUNTER_ACK_TIMEOUTS) >
		    0);
	wire_close(&wire);
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_slow_receiver_stops_its_peer),
	     cmocka_unit_test(test_without_pfc_it_drops),
	     cmocka_unit_test(test_a_pause_is_renewed),
	     cmocka_unit_test(test_messages_without_buffer_are_refused_and_come_again),
	     cmocka_unit_test(test_a_sender_waits_as_long_as_it_is_told),
	     cmocka_unit_test(test_early_frames_are_kept_and_nothing_is_sent_again),
	     cmocka_unit_test(test_go_back_n_takes_it_for_loss),
	     cmocka_unit_test(test_a_loss_is_still_a_loss))
