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
		assert_true(sender.rate_bps.value < 2 * GBPS);
		wire_run(&wire, WIRE_START + 99 * MS);
		/* and rise again */
		assert_true(wire_totals(&wire, 0, 0).rate_bps.value >
			    2 * sender.rate_bps.value);
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
	assert_int_equal(wire_totals(&wire, 0, 0).rate_bps.value, 10 * GBPS);
	wire_close(&wire);
}

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

/* --- what comes from strangers -------------------------------------------------------- */

static void test_frames_that_fit_nobody_change_nothing(void **state)
{
	struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 10000, 100000);
	struct rt_build build = { .src = { .version = 4, .bytes = { 10, 0, 0, 1 } },
				  .dst = { .version = 4, .bytes = { 10, 0, 0, 2 } },
				  .ttl = 1,
				  .bth = { .opcode = RT_OP_RC_WRITE_ONLY,
					   .dest_qp = 3,
					   .payload_bytes = 64 } };
	struct rt_qp_address address;
	struct rt_soft_strays strays;
	uint8_t frame[512];
	size_t bytes;
	unsigned index;
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	assert_int_equal(
		rt_soft_qp_create(wire.ends[1], &flow, false, &index, &address, NULL),
		0);
	bytes = rt_build_roce(&build, frame, sizeof(frame));
	rt_soft_receive(wire.ends[1], frame, (uint32_t)bytes, wire.now_ns);
	build.bth.dest_qp = address.qpn; /* not connected yet */
	bytes = rt_build_roce(&build, frame, sizeof(frame));
	rt_soft_receive(wire.ends[1], frame, (uint32_t)bytes, wire.now_ns);
	rt_soft_strays(wire.ends[1], &strays);
	assert_int_equal(strays.unknown_qp, 2);

	address.qpn = 0x1234;
	address.ip = wire.config[0].ip;
	address.psn = 100;
	assert_int_equal(rt_soft_qp_connect(wire.ends[1], 0, &address, frame, NULL), 0);
	frame[60] ^= 1;
	rt_soft_receive(wire.ends[1], frame, (uint32_t)bytes, wire.now_ns);
	rt_soft_strays(wire.ends[1], &strays);
	assert_int_equal(strays.bad_icrc, 1);

	/* a wrong rkey, a Middle without its First, a READ, an unknown opcode */
	for (unsigned i = 0; i < 4; i++) {
		static const uint8_t opcodes[] = { RT_OP_RC_WRITE_ONLY,
						   RT_OP_RC_WRITE_LAST,
						   RT_OP_RC_READ_REQUEST, 0x1F };

		build.bth.opcode = opcodes[i];
		build.bth.psn = 100;
		build.bth.payload_bytes = i < 2 ? 64 : 0;
		bytes = rt_build_roce(&build, frame, sizeof(frame));
		rt_soft_receive(wire.ends[1], frame, (uint32_t)bytes, wire.now_ns);
	}
	rt_soft_strays(wire.ends[1], &strays);
	assert_int_equal(strays.malformed, 4);
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 0);
	assert_int_equal(wire_totals(&wire, 1, 0).data_frames_rx.value, 0);
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
	wire_close(&wire);
}

RT_UNIT_MAIN(cmocka_unit_test(test_all_sizes_arrive_whole),
	     cmocka_unit_test(test_path_mtu_is_the_lesser_and_ipv6_works),
	     cmocka_unit_test(test_list_of_sizes_is_kept_and_the_same_each_time),
	     cmocka_unit_test(test_latency_is_post_to_acknowledgement),
	     cmocka_unit_test(test_marks_bring_cnps_and_cut_rates),
	     cmocka_unit_test(test_without_congestion_control_marks_are_only_counted),
	     cmocka_unit_test(test_pauses_are_obeyed_by_priority),
	     cmocka_unit_test(test_link_pause_stops_all_and_acknowledgements_too),
	     cmocka_unit_test(test_rates_are_kept),
	     cmocka_unit_test(test_rate_is_kept_by_who_wakes_late),
	     cmocka_unit_test(test_flows_start_and_stop_at_their_times),
	     cmocka_unit_test(test_hundreds_of_queue_pairs_share_a_port),
	     cmocka_unit_test(test_frames_that_fit_nobody_change_nothing),
	     cmocka_unit_test(test_what_cannot_be_is_refused))
