/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow table: identity of streams, growth, limits. */
#include "unit.h"

#include <stdio.h>

#include "analysis/flow.h"
#include "base/own.h"
#include "frames.h"

#define A "10.0.0.1"
#define B "10.0.0.2"

static const struct rt_analysis_config config;

static void test_streams_are_apart_by_what_defines_them(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	/* Same QP number both ways: two streams. */
	made_roce(made, A, B, RT_OP_RC_WRITE_ONLY, 17, 1, 100);
	made_roce(made, B, A, RT_OP_RC_WRITE_ONLY, 17, 1, 100);
	/* READ responses to (A, 17): a stream beside the requests to it. */
	made_roce(made, B, A, RT_OP_RC_READ_RESP_ONLY, 17, 1, 100);
	/* UD: one stream for each source QP. */
	made_roce(made, A, B, 0x64, 18, 1, 100)->bth.src_qp = 5;
	made_roce(made, A, B, 0x64, 18, 1, 100)->bth.src_qp = 6;
	/* Another source to (B, 17) belongs to the stream of (B, 17). */
	made_roce(made, "10.0.0.3", B, RT_OP_RC_WRITE_ONLY, 17, 2, 100);
	/* IPv6 with the same low bytes as A and B is another address. */
	made_roce(made, "::1", "a00:2::", RT_OP_RC_WRITE_ONLY, 17, 1, 100);
	/* ACKs and CNPs are in no stream. */
	made_ack(made, A, B, 17, 1, 0x1F);
	made_roce(made, A, B, RT_OP_CNP, 17, 0, 0);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.streams, 6);
	assert_int_equal(analysis.sequence.frames, 7);
	assert_int_equal(analysis.roce.dest_qps, 2);
	/* (B,17) (A,17) (B,18) (a00:2::,17) */
	assert_int_equal(analysis.roce.dest_ip_qps, 4);
	/* A>B, B>A, 10.0.0.3>B, IPv6 */
	assert_int_equal(analysis.roce.direction_count, 4);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_native_ib_without_grh_is_told_apart_by_lid(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t lid = 1; lid <= 2; lid++) {
		struct rt_frame *frame = made_roce(made, A, B, RT_OP_RC_SEND_ONLY, 17,
						   1, 100);

		frame->version = RT_ROCE_IB;
		frame->src = frame->dst = (struct rt_ip){ 0 };
		frame->slid_dlid = 7u << 16 | lid;
	}
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.streams, 2);
	assert_string_equal(analysis.sequence.flows[0].src, "LID 7");
	assert_string_equal(analysis.sequence.flows[0].dst, "LID 1");
	assert_string_equal(analysis.sequence.flows[1].dst, "LID 2");
	rt_analysis_free(&analysis);
	free(made);
}

static struct rt_frame numbered_frame(uint32_t number)
{
	struct rt_frame frame = { .kind = RT_FRAME_ROCE, .version = RT_ROCE_V2 };

	frame.src = made_ip(A);
	frame.dst = made_ip(B);
	frame.bth.opcode = RT_OP_RC_WRITE_ONLY;
	frame.bth.dest_qp = number & 0xFFFFFF;
	return frame;
}

static uint32_t find(struct rt_flows *flows, const struct rt_frame *frame)
{
	struct rt_flow_key key;
	struct rt_flow_found found;

	rt_flow_key_of(frame, &key);
	assert_int_equal(rt_flows_find(flows, &key, frame, &found, NULL), 0);
	return found.flow;
}

/* 20,000 flows: the directory grows five times, and all are found again. */
static void test_flow_table_grows_and_keeps_its_records(void **state)
{
	struct rt_flows flows;

	(void)state;
	assert_int_equal(rt_flows_init(&flows, 50000, NULL), 0);
	for (uint32_t i = 0; i < 20000; i++) {
		struct rt_frame frame = numbered_frame(i);

		assert_int_equal(find(&flows, &frame), i);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		struct rt_frame frame = numbered_frame(i);

		assert_int_equal(find(&flows, &frame), i);
		assert_int_equal(rt_flow_at(&flows, i)->dest_qp, i);
		assert_int_equal((uintptr_t)rt_flow_at(&flows, i) % 128, 0);
	}
	assert_int_equal(flows.count, 20000);
	assert_int_equal(flows.pair_count, 1);
	assert_int_equal(flows.overflow, 0);
	rt_flows_free(&flows);
}

static void test_flow_table_is_bounded_and_says_what_it_left_out(void **state)
{
	const struct rt_analysis_config bounded = { .max_flows = 10 };
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		made_roce(made, A, B, RT_OP_RC_WRITE_ONLY, i, 1, 100);
	made_roce(made, A, B, RT_OP_RC_WRITE_ONLY, 3, 2, 100);
	made_analyse(made, &bounded, &analysis);
	assert_int_equal(analysis.sequence.flow_count, 10);
	assert_int_equal(analysis.sequence.overflow, 990);
	/* Totals of the capture hold everything. */
	assert_int_equal(analysis.roce.frames, 1001);
	assert_int_equal(analysis.roce.directions[0].frames, 1001);
	assert_int_equal(analysis.sequence.frames, 11);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_pair_table_is_bounded(void **state)
{
	struct rt_flows flows;
	uint32_t refused = 0;

	(void)state;
	assert_int_equal(rt_flows_init(&flows, RT_ANALYSIS_MAX_FLOWS, NULL), 0);
	for (uint32_t i = 0; i < RT_ANALYSIS_MAX_PAIRS + 100; i++) {
		struct rt_frame frame = numbered_frame(1);

		memcpy(frame.dst.bytes, &i, sizeof(i));
		refused += find(&flows, &frame) == RT_NO_INDEX;
	}
	assert_int_equal(refused, 100);
	assert_int_equal(flows.pair_count, RT_ANALYSIS_MAX_PAIRS);
	assert_int_equal(flows.pair_overflow, 100);
	rt_flows_free(&flows);
}

static void data_at(struct made *made, uint16_t interface, uint32_t psn,
		    enum rt_ecn ecn)
{
	struct rt_frame *frame = made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 17, psn,
					   1024);

	frame->interface = interface;
	frame->ecn = (uint8_t)ecn;
}

/*
 * A switch with a capture at the port in (0) and the port out (1), where packets
 * get marked.  PSN 5 is lost between.
 */
static void test_a_packet_at_several_ports_counts_once(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	for (uint32_t psn = 0; psn < 20; psn++) {
		data_at(made, 0, psn, RT_ECN_ECT0);
		if (psn != 5)
			data_at(made, 1, psn, RT_ECN_CE);
	}
	for (uint16_t interface = 2; interface-- > 0;)
		made_ack(made, B, A, 9, 19, 0x1F)->interface = interface;
	made_roce(made, B, A, RT_OP_CNP, 9, 0, 0)->interface = 1;
	made_roce(made, B, A, RT_OP_CNP, 9, 0, 0)->interface = 0;
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.capture.frames, 43);
	assert_int_equal(analysis.sequence.streams, 1);
	assert_int_equal(analysis.sequence.frames, 19);
	assert_int_equal(analysis.sequence.p_gaps, 1);
	assert_int_equal(analysis.sequence.p_rewinds, 0);
	flow = &analysis.sequence.flows[0];
	assert_int_equal(flow->interface, 1);
	assert_int_equal(flow->ecn.ce, 19);
	assert_int_equal(flow->acks.value, 1);
	assert_int_equal(flow->cnps.value, 1);
	assert_int_equal(analysis.sequence.copy_count, 1);
	assert_int_equal(analysis.sequence.copies[0].interface, 0);
	assert_int_equal(analysis.sequence.copies[0].frames, 20);
	assert_int_equal(analysis.marks.data_frames, 19);
	assert_int_equal(analysis.marks.data_ce, 19);
	assert_int_equal(analysis.marks.cnps, 1);
	assert_int_equal(analysis.marks.cnp_row_count, 1);
	assert_int_equal(analysis.marks.cnp_rows[0].flow_dest_qp.value, 17);
	assert_int_equal(analysis.marks.cnp_rows[0].flow_ce.value, 19);
	assert_int_equal(analysis.roce.direction_count, 2);
	assert_int_equal(analysis.roce.direction_copies, 20 + 2);
	assert_int_equal(analysis.throughput.receivers[0].good_bytes, 19 * 1024);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * Of each window of eight the first two pass from port 0 to port 1, where they
 * are marked; the rest is lost and sent again from there on.  Port 1 carries far
 * less than three quarters of the frames, and still stands for the stream.
 */
static void test_loss_between_ports_leaves_the_last_one_in_charge(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	for (uint32_t base = 0; base < 40; base += 2)
		for (uint32_t psn = base; psn < base + 8; psn++) {
			data_at(made, 0, psn, RT_ECN_ECT0);
			if (psn < base + 2 || psn == base + 6)
				data_at(made, 1, psn, RT_ECN_CE);
		}
	made_analyse(made, &config, &analysis);
	flow = &analysis.sequence.flows[0];
	assert_int_equal(analysis.sequence.flow_count, 1);
	assert_int_equal(flow->interface, 1);
	assert_true(flow->frames * 4 < analysis.sequence.copies[0].frames * 3);
	assert_int_equal(flow->ecn.ce, flow->frames);
	assert_true(flow->p_gaps > 0);
	assert_true(flow->whole_at.known);
	assert_int_equal(flow->whole_at.value, 0);
	assert_int_equal(analysis.marks.data_ce, flow->frames);
	assert_int_equal(analysis.throughput.receivers[0].wire_bytes,
			 flow->frames * (1024 + 62));
	rt_analysis_free(&analysis);
	free(made);
}

/* A tap with one interface for each direction. */
static void test_a_tap_with_two_interfaces_is_paired(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t psn = 0; psn < 5; psn++)
		data_at(made, 0, psn, RT_ECN_ECT0);
	made_ack(made, B, A, 9, 3, 0x1F)->interface = 1;
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.flows[0].src_qp.value, 9);
	assert_int_equal(analysis.sequence.flows[0].acks.value, 1);
	assert_int_equal(analysis.sequence.copy_count, 0);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * Sprayed over two paths: in at port 0, by port 1 or 2, out at port 3.  The last
 * port to appear is 2, which sees every second packet; 3 sees all.
 */
static void test_of_several_paths_the_whole_one_counts(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t psn = 0; psn < 20; psn++) {
		data_at(made, 0, psn, RT_ECN_ECT0);
		data_at(made, 1 + psn % 2, psn, RT_ECN_ECT0);
		data_at(made, 3, psn, RT_ECN_ECT0);
	}
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.flow_count, 1);
	assert_int_equal(analysis.sequence.flows[0].interface, 3);
	assert_int_equal(analysis.sequence.copy_count, 3);
	assert_int_equal(analysis.sequence.p_gaps, 0);
	rt_analysis_free(&analysis);
	free(made);
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_packet_at_several_ports_counts_once),
	     cmocka_unit_test(test_loss_between_ports_leaves_the_last_one_in_charge),
	     cmocka_unit_test(test_a_tap_with_two_interfaces_is_paired),
	     cmocka_unit_test(test_of_several_paths_the_whole_one_counts),
	     cmocka_unit_test(test_streams_are_apart_by_what_defines_them),
	     cmocka_unit_test(test_native_ib_without_grh_is_told_apart_by_lid),
	     cmocka_unit_test(test_flow_table_grows_and_keeps_its_records),
	     cmocka_unit_test(test_flow_table_is_bounded_and_says_what_it_left_out),
	     cmocka_unit_test(test_pair_table_is_bounded))
