/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>

#include "base/histogram.h"
#include "base/own.h"
#include "base/rng.h"
#include "paper_wire.h"

/* --- a wire without faults ------------------------------------------------------ */

static void check_data(struct wire *wire, unsigned from, const struct rt_frame *frame)
{
	const struct rt_op *op = &rt_ops[frame->bth.opcode];

	(void)wire;
	assert_int_equal(frame->udp_dport, RT_ROCE_UDP_PORT);
	assert_true(frame->udp_sport >= 0xC000);
	if (op->bits & RT_OP_FULL)
		assert_int_equal(frame->bth.payload_bytes, 1024);
	if (frame->bth.payload_bytes) {
		assert_int_equal(from, 0);
		assert_int_equal(frame->ecn, RT_ECN_ECT0);
	}
	assert_int_equal(frame->dscp, 26);
}

static void test_all_sizes_arrive_whole(void **state)
{
	static const uint64_t sizes[] = { 1,    2,    3,    4,     5,      1023,
					  1024, 1025, 2048, 65536, 100001, 1048576 };

	(void)state;
	for (unsigned op = RT_TRAFFIC_WRITE; op <= RT_TRAFFIC_READ; op++)
		for (size_t i = 0; i < RT_ARRAY_SIZE(sizes); i++) {
			const uint64_t total = 3 * sizes[i];
			struct rt_traffic_flow flow = wire_flow(op, sizes[i], total);
			const uint64_t packets = 3 * ((sizes[i] + 1023) / 1024);
			struct rt_qp_totals sender, receiver;
			struct wire wire;

			wire_config(&wire, 10 * GBPS, 1024);
			wire.check = check_data;
			wire_open(&wire);
			wire_add(&wire, &flow);
			wire_begin(&wire);
			wire_run(&wire, INT64_MAX);
			sender = wire_totals(&wire, 0, 0);
			receiver = wire_totals(&wire, 1, 0);
			print_message("# op %u size %lu: %lu frames\n", op, sizes[i],
				      wire.frames[0]);
			assert_int_equal(wire.bad, 0);
			assert_int_equal(receiver.bytes.value, total);
			assert_int_equal(receiver.messages.value, 3);
			assert_int_equal(sender.data_frames_tx.value, packets);
			assert_int_equal(receiver.data_frames_rx.value, packets);
			assert_int_equal(sender.data_frames_retransmitted.value, 0);
			assert_int_equal(receiver.frame_sequence_error.value, 0);
			assert_int_equal(receiver.ecn_ce_rx.value, 0);
			assert_int_equal(sender.paused_ns.value, 0);
			assert_int_equal(receiver.state, RT_QP_DONE);
			assert_int_equal(wire_totals(&wire, wire_asker(op), 0).state,
					 RT_QP_DONE);
			assert_int_equal(
				wire_totals(&wire, wire_asker(op), 0).timeouts.value,
				0);
			if (op == RT_TRAFFIC_READ) {
				assert_false(sender.bytes.known);
			} else {
				assert_int_equal(sender.bytes.value, total);
				assert_int_equal(sender.messages.value, 3);
			}
			wire_close(&wire);
		}
}

static void test_path_mtu_is_the_lesser_and_ipv6_works(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_SEND, 100000, 400000);
	struct wire wire;

	(void)state;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.config[1].mtu_bytes = 4096;
	wire.check = check_data;
	for (unsigned i = 0; i < 2; i++)
		wire.config[i].ip = (struct rt_ip){
			.version = 6, .bytes = { 0xFD, [15] = (uint8_t)(i + 1) }
		};
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire.bad, 0);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 400000);
	wire_close(&wire);
}

/* One that joins while others run leaves their frames as they are. */
static void test_a_late_queue_pair_disturbs_no_frame(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 100000, 1000000);
	struct rt_qp_address address[2];
	unsigned index;
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	for (unsigned mtu = 256; mtu <= 512; mtu *= 2) {
		wire_run(&wire, wire.now_ns + 1 * MS);
		for (unsigned i = 0; i < 2; i++) {
			rt_soft_qp_create(wire.ends[i], &flow, i == 0, &index,
					  &address[i], NULL);
			address[i].mtu_bytes = mtu;
		}
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(rt_soft_qp_connect(wire.ends[i], index,
							    &address[!i],
							    address[!i].mac, NULL),
					 0);
	}
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire.bad, 0);
	for (index = 0; index < 3; index++)
		assert_int_equal(wire_totals(&wire, 1, index).bytes.value, 1000000);
	wire_close(&wire);
}

static void test_list_of_sizes_is_kept_and_the_same_each_time(void **state)
{
	struct rt_size_point points[] = { { 100, 0 },
					  { 1000, RT_PPB / 2 },
					  { 50000, RT_PPB } };
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 0, 3000000);
	uint64_t messages[2];

	(void)state;
	flow.sizes = points;
	flow.size_count = RT_ARRAY_SIZE(points);
	for (unsigned i = 0; i < 2; i++) {
		struct wire wire;

		wire_config(&wire, 10 * GBPS, 1024);
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, INT64_MAX);
		assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 3000000);
		messages[i] = wire_totals(&wire, 1, 0).messages.value;
		wire_close(&wire);
	}
	/* The mean is 13 025 bytes. */
	assert_in_range(messages[0], 180, 290);
	assert_int_equal(messages[0], messages[1]);
}

static void test_latency_is_post_to_acknowledgement(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1000, 100000);
	RT_AUTO(rt_auto_free)
	struct rt_histogram *latency = calloc(1, sizeof(*latency));
	struct wire wire;

	(void)state;
	flow.outstanding = 1;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.delay_ns = 50000;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	rt_soft_latency(wire.ends[0], 0, latency);
	assert_int_equal(latency->count, 100);
	assert_in_range(latency->min, 100000, 102000);
	assert_in_range(latency->max, 100000, 102000);
	rt_soft_latency(wire.ends[0], 0, latency); /* forgotten */
	assert_int_equal(latency->count, 100);
	wire_close(&wire);
}

/* --- marks ------------------------------------------------------------------------- */

struct marker {
	int64_t from_ns, until_ns;
	int64_t last_cnp_ns, least_gap_ns;
	uint64_t cnps;
};

/* Marks as a switch does: the ICRC stays right. */
static struct fate mark(struct wire *wire, unsigned from, struct rt_frame *decoded,
			uint8_t *frame)
{
	struct marker *marker = wire->context;

	if (from == 0 && wire->now_ns >= marker->from_ns &&
	    wire->now_ns < marker->until_ns && decoded->ecn == RT_ECN_ECT0)
		frame[15] |= RT_ECN_CE;
	if (decoded->bth.opcode == RT_OP_CNP) {
		assert_int_equal(from, 1);
		assert_int_equal(decoded->dscp, 48);
		assert_true(decoded->bth.bits & RT_BTH_BECN);
		if (marker->cnps++ &&
		    wire->now_ns - marker->last_cnp_ns < marker->least_gap_ns)
			marker->least_gap_ns = wire->now_ns - marker->last_cnp_ns;
		marker->last_cnp_ns = wire->now_ns;
	}
	return (struct fate){ 0 };
}

static void test_marks_bring_cnps_and_cut_rates(void **state)
{
	static const unsigned ops[] = { RT_TRAFFIC_WRITE, RT_TRAFFIC_READ };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(ops); i++) {
		struct rt_traffic_flow flow = wire_flow(ops[i], 1 << 16, 0);
		struct marker marker = { WIRE_START + 10 * MS, WIRE_START + 12 * MS, 0,
					 INT64_MAX, 0 };
		struct rt_qp_totals sender, receiver;
		struct wire wire;

		flow.stop_ns = 100 * (uint64_t)MS;
		wire_config(&wire, 10 * GBPS, 1024);
		wire.laws.np.interval_ps = 50 * RT_PS_PER_US;
		wire.judge = mark;
		wire.context = &marker;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, WIRE_START + 9 * MS);
		assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, 10 * GBPS);
		wire_run(&wire, WIRE_START + 12 * MS);
		sender = wire_totals(&wire, 0, 0);
		receiver = wire_totals(&wire, 1, 0);
		print_message("# op %u: %lu CE, %lu CNPs, %lu cuts, %lu b/s\n", ops[i],
			      receiver.ecn_ce_rx.value, sender.cnp_rx.value,
			      sender.rate_cuts.value, sender.rate_bps.value);
		assert_in_range(receiver.cnp_tx.value, 30, 40); /* 2 ms by 50 us */
		assert_true(receiver.ecn_ce_rx.value > receiver.cnp_tx.value);
		assert_int_equal(marker.cnps, receiver.cnp_tx.value);
		assert_true(marker.least_gap_ns >= 50000);
		assert_true(sender.rate_cuts.value > 0);
		/* a check cuts once for all CNPs before it */
		assert_true(sender.rate_cuts.value <= sender.cnp_rx.value);
		assert_true(sender.rate_bps.value < 2 * GBPS);
		wire_run(&wire, WIRE_START + 99 * MS);
		/* and rise again */
		assert_true(wire_totals(&wire, 0, 0).rate_bps.value >
			    2 * sender.rate_bps.value);
		wire_close(&wire);
	}
}

/* Marks while a CNP may not go yet are told by one at the end of the interval. */
static void test_marks_in_between_are_told_together(void **state)
{
	static const unsigned ops[] = { RT_TRAFFIC_WRITE, RT_TRAFFIC_READ };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(ops); i++) {
		/* 90 us, so that the second is due when all is done */
		struct rt_traffic_flow flow = wire_flow(ops[i], 100000, 100000);
		struct marker marker = { 0, INT64_MAX, 0, INT64_MAX, 0 };
		struct wire wire;

		wire_config(&wire, 10 * GBPS, 1024);
		wire.laws.np = (struct rt_np_params){ .interval_ps = 1 * RT_PS_PER_MS,
						      .pacing = RT_NP_PAPER };
		wire.judge = mark;
		wire.context = &marker;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, WIRE_START + MS / 2);
		assert_int_equal(wire_totals(&wire, 1, 0).state, RT_QP_DONE);
		assert_int_equal(wire_totals(&wire, 1, 0).ecn_ce_rx.value, 98);
		assert_int_equal(marker.cnps, 1);
		wire_run(&wire, WIRE_START + 5 * MS);
		assert_int_equal(marker.cnps, 2);
		assert_int_equal(marker.least_gap_ns, 1 * MS);
		wire_close(&wire);
	}
}

static void test_without_congestion_control_marks_are_only_counted(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1 << 16, 0);
	struct marker marker = { 0, INT64_MAX, 0, INT64_MAX, 0 };
	struct wire wire;

	(void)state;
	flow.stop_ns = 5 * (uint64_t)MS;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.laws.options |= RT_MODEL_NO_CC;
	wire.judge = mark;
	wire.context = &marker;
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	assert_true(wire_totals(&wire, 1, 0).ecn_ce_rx.value > 1000);
	assert_int_equal(wire_totals(&wire, 1, 0).cnp_tx.value, 0);
	wire_say(&wire, 0, (struct rt_bth){ .opcode = RT_OP_CNP, .bits = RT_BTH_BECN });
	/* past the check that would cut */
	wire_run(&wire, wire.now_ns + 5 * MS);
	assert_int_equal(wire_totals(&wire, 0, 0).cnp_rx.value, 1);
	assert_int_equal(wire_totals(&wire, 0, 0).rate_cuts.value, 0);
	assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, 10 * GBPS);
	wire_close(&wire);
}

/* Rates of laws for a faster line are this one's at most. */
static void test_laws_fit_a_slower_line(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1000, 1000);
	struct wire wire;

	(void)state;
	wire_config(&wire, 10 * GBPS, 1024);
	wire.laws.rp.min_rate_bps = wire.laws.rp.rate_on_first_cnp_bps = 2 * GBPS;
	wire.config[0].line_rate_bps = 1 * GBPS;
	wire_open(&wire);
	wire_add(&wire, &flow);
	assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, 1 * GBPS);
	wire_say(&wire, 0, (struct rt_bth){ .opcode = RT_OP_CNP, .bits = RT_BTH_BECN });
	assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, 1 * GBPS);
	wire_close(&wire);
}

static void test_what_cannot_be_is_refused(void **state)
{
	struct rt_traffic_flow good = wire_flow(RT_TRAFFIC_WRITE, 1000, 0), flow;
	struct rt_soft *soft = NULL;
	struct rt_qp_address address;
	struct rt_err err;
	unsigned index;
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1500);
	assert_int_equal(rt_soft_new(&wire.config[0], &soft, &err), -EINVAL);
	assert_string_equal(
		err.msg,
		"a path MTU of 1500 bytes: it is 256, 512, 1024, 2048 or 4096");
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	for (unsigned i = 0; i < 6; i++) {
		flow = good;
		switch (i) {
		case 0: flow.message_bytes = 0; break;
		case 1: flow.message_bytes = UINT64_C(1) << 32; break;
		case 2: flow.op = 9; break;
		case 3: flow.prio = 8; break;
		case 4: flow.start_ns = UINT64_MAX; break;
		case 5: flow.off_ns = 1; break;
		}
		assert_int_equal(rt_soft_qp_create(wire.ends[0], &flow, true, &index,
						   &address, &err),
				 -EINVAL);
		print_message("# %s\n", err.msg);
	}
	assert_int_equal(
		rt_soft_qp_create(wire.ends[0], &good, true, &index, &address, NULL),
		0);
	assert_int_equal(
		rt_soft_qp_connect(wire.ends[0], index, &address, address.mac, &err),
		-EINVAL); /* to itself */
	print_message("# %s\n", err.msg);
	good.op = RT_TRAFFIC_READ;
	good.message_bytes = 1 << 30;
	assert_int_equal(
		rt_soft_qp_create(wire.ends[0], &good, false, &index, &address, NULL),
		0);
	address.ip.bytes[3] ^= 8;
	address.mtu_bytes = 256;
	assert_int_equal(
		rt_soft_qp_connect(wire.ends[0], index, &address, address.mac, &err),
		-EINVAL); /* 2^22 packets */
	print_message("# %s\n", err.msg);
	address.mtu_bytes = 512;
	assert_int_equal(
		rt_soft_qp_connect(wire.ends[0], index, &address, address.mac, &err),
		0);
	wire_close(&wire);
}

RT_UNIT_MAIN(cmocka_unit_test(test_all_sizes_arrive_whole),
	     cmocka_unit_test(test_path_mtu_is_the_lesser_and_ipv6_works),
	     cmocka_unit_test(test_a_late_queue_pair_disturbs_no_frame),
	     cmocka_unit_test(test_list_of_sizes_is_kept_and_the_same_each_time),
	     cmocka_unit_test(test_latency_is_post_to_acknowledgement),
	     cmocka_unit_test(test_marks_bring_cnps_and_cut_rates),
	     cmocka_unit_test(test_marks_in_between_are_told_together),
	     cmocka_unit_test(test_without_congestion_control_marks_are_only_counted),
	     cmocka_unit_test(test_laws_fit_a_slower_line),
	     cmocka_unit_test(test_what_cannot_be_is_refused))
