/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include "base/own.h"
#include "frames.h"

#define A "10.0.0.1" /* sender */
#define B "10.0.0.2" /* receiver */

#define ACK 0x1F

static const struct rt_analysis_config config;

static void data(struct made *made, uint32_t qp, uint32_t from, uint32_t count,
		 enum rt_ecn ecn)
{
	for (uint32_t i = 0; i < count; i++)
		made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, qp, from + i, 1024)->ecn =
			(uint8_t)ecn;
}

static void cnp(struct made *made, int64_t time_ns, uint32_t qp)
{
	struct rt_frame *frame;

	made->now_ns = time_ns;
	frame = made_roce(made, B, A, RT_OP_CNP, qp, 0, 0);
	frame->bth.bits = RT_BTH_BECN;
	frame->udp_sport = 0; /* as a ConnectX-4 Lx sends it */
	frame->dscp = 48;
}

static const struct rt_analysis_flow *flow_to(const struct rt_analysis *analysis,
					      uint32_t qp)
{
	for (size_t i = 0; i < analysis->sequence.flow_count; i++)
		if (analysis->sequence.flows[i].dest_qp == qp)
			return &analysis->sequence.flows[i];
	fail_msg("no flow to QP %u", qp);
	return NULL;
}

static void test_marks_are_counted_per_flow_direction_and_dscp(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	data(made, 7, 100, 3, RT_ECN_CE);
	data(made, 7, 103, 2, RT_ECN_ECT0);
	data(made, 8, 500, 1, RT_ECN_NOT_ECT);
	made_roce(made, B, A, RT_OP_RC_ACK, 9, 101, 0)->ecn = RT_ECN_ECT1;
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.roce.ecn.ce, 3);
	assert_int_equal(analysis.roce.ecn.ect0, 2);
	assert_int_equal(analysis.roce.ecn.ect1, 1);
	assert_int_equal(analysis.roce.ecn.not_ect, 1);
	assert_int_equal(analysis.roce.direction_count, 2);
	assert_string_equal(analysis.roce.directions[0].src, A);
	assert_int_equal(analysis.roce.directions[0].ecn.ce, 3);
	assert_int_equal(analysis.roce.directions[1].ecn.ect1, 1);
	assert_int_equal(analysis.roce.dscp_count, 1);
	assert_int_equal(analysis.roce.dscps[0].dscp, 26);
	assert_int_equal(flow_to(&analysis, 7)->ecn.ce, 3);
	assert_int_equal(flow_to(&analysis, 8)->ecn.not_ect, 1);
	/* No ACK that could be paired: whether CNPs came is not known. */
	assert_false(flow_to(&analysis, 8)->cnps.known);
	/* The ACK is no data. */
	assert_int_equal(analysis.marks.data_frames, 6);
	assert_int_equal(analysis.marks.data_ce, 3);
	assert_int_equal(analysis.marks.data_not_ect, 1);
	rt_analysis_free(&analysis);
	free(made);
}

/* A READ asks for data with a packet that has none, and so do atomics. */
static void test_marks_are_of_what_brings_data(void **state)
{
	static const uint8_t asks[] = { RT_OP_RC_READ_REQUEST, 0x13, 0x14, 0x1C };
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	data(made, 7, 100, 3, RT_ECN_CE);
	for (unsigned i = 0; i < RT_ARRAY_SIZE(asks); i++) {
		struct rt_frame *frame = made_roce(made, A, B, asks[i], 7, 103 + i, 0);

		frame->ecn = i ? RT_ECN_NOT_ECT : RT_ECN_CE;
		frame->bth.dma_bytes = 1;
	}
	made_roce(made, B, A, RT_OP_RC_READ_RESP_ONLY, 9, 103, 1024)->ecn = RT_ECN_ECT0;
	/* However few bytes it brings. */
	made_roce(made, B, A, RT_OP_RC_SEND_ONLY, 10, 5, 0)->ecn = RT_ECN_NOT_ECT;
	made_analyse(made, &config, &analysis);
	assert_int_equal(flow_to(&analysis, 7)->frames, 7);
	assert_int_equal(analysis.marks.data_frames, 5);
	assert_int_equal(analysis.marks.data_ce, 3);
	assert_int_equal(analysis.marks.data_not_ect, 1);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * Two streams to QPs 7 and 8; their ACKs go to QPs 57 and 58 and so do the CNPs,
 * whatever their UDP source port.
 */
static void test_cnp_finds_its_flow_by_the_acks(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_cnp *row;

	(void)state;
	data(made, 7, 100, 5, RT_ECN_CE);
	data(made, 8, 0x700000, 5, RT_ECN_CE);
	/* The first CNP comes before any ACK. */
	cnp(made, 1000, 57);
	made_ack(made, B, A, 58, 0x700002, ACK);
	made_ack(made, B, A, 57, 102, ACK);
	cnp(made, 5000, 57);
	cnp(made, 11000, 57);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.marks.cnps, 3);
	assert_int_equal(analysis.marks.cnp_row_count, 1);
	row = &analysis.marks.cnp_rows[0];
	assert_int_equal(row->match, RT_CNP_PAIRED);
	assert_int_equal(row->flow_dest_qp.value, 7);
	assert_int_equal(row->flow_ce.value, 5);
	assert_int_equal(row->min_interval_ns.value, 4000);
	assert_int_equal(row->mean_interval_ns.value, 5000);
	assert_int_equal(flow_to(&analysis, 7)->cnps.value, 3);
	assert_true(flow_to(&analysis, 8)->cnps.known);
	assert_int_equal(flow_to(&analysis, 8)->cnps.value, 0);
	assert_int_equal(analysis.marks.flows_ce, 2);
	assert_int_equal(analysis.marks.flows_ce_no_cnp, 1);
	assert_int_equal(analysis.marks.ce_no_cnp_visible, 1);
	assert_int_equal(analysis.marks.flows_cnp_no_ce, 0);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * READ: B asks (requests to A's QP 7), A sends responses to B's QP 9; the CNP that
 * slows A goes to A's QP 7, where the requests go.
 */
static void test_cnp_slows_read_responses(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	made_read(made, B, A, 7, 100, 2048);
	made_roce(made, A, B, RT_OP_RC_READ_RESP_FIRST, 9, 100, 1024)->ecn = RT_ECN_CE;
	made_roce(made, A, B, RT_OP_RC_READ_RESP_LAST, 9, 101, 1024);
	made_read(made, B, A, 7, 102, 2048);
	made_roce(made, A, B, RT_OP_RC_READ_RESP_FIRST, 9, 102, 1024);
	made_roce(made, A, B, RT_OP_RC_READ_RESP_LAST, 9, 103, 1024);
	/* A second data stream, so that there is something to mix up. */
	data(made, 30, 0x500000, 4, RT_ECN_ECT0);
	cnp(made, 9000, 7);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.marks.cnp_rows[0].match, RT_CNP_PAIRED);
	assert_int_equal(analysis.marks.cnp_rows[0].flow_dest_qp.value, 9);
	assert_int_equal(flow_to(&analysis, 9)->cnps.value, 1);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_cnp_without_acks_is_guessed_and_says_so(void **state)
{
	static const struct {
		const char *label;
		uint32_t qps[3]; /* of data streams; 0: no more */
		enum rt_cnp_match match;
		uint64_t unmatched;
	} cases[] = {
		{ "no data the other way", { 0 }, RT_CNP_UNMATCHED, 1 },
		{ "one stream", { 7, 0 }, RT_CNP_ONLY_FLOW, 0 },
		{ "two streams, one with the number",
		  { 7, 57, 0 },
		  RT_CNP_SAME_NUMBER,
		  0 },
		{ "two streams", { 7, 8, 0 }, RT_CNP_UNMATCHED, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;

		print_message("# %s\n", cases[i].label);
		for (size_t f = 0; cases[i].qps[f]; f++)
			data(made, cases[i].qps[f], 100, 3, RT_ECN_ECT0);
		cnp(made, 5000, 57);
		made_analyse(made, &config, &analysis);
		assert_int_equal(analysis.marks.cnp_rows[0].match, cases[i].match);
		assert_int_equal(analysis.marks.cnps_unmatched, cases[i].unmatched);
		/* No CE was seen here: it was marked behind the tap. */
		assert_int_equal(analysis.marks.flows_cnp_no_ce,
				 1 - cases[i].unmatched);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/*
 * Streams to QPs 30 and 31 start at the same PSN, with marks, and both ACK QPs
 * acknowledge 9 first.  31 is at 19 and 30 at 29 then, so 50, which acknowledges
 * 25, can answer only 30; that leaves 31 for 51.  Both are sure of their CNPs,
 * though the UDP source port of the first ACK speaks for the wrong stream.
 */
static void test_acks_rule_out_streams_that_have_not_sent_it(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	data(made, 30, 0, 30, RT_ECN_CE);
	data(made, 31, 0, 20, RT_ECN_CE);
	for (size_t i = 0; i < made->count; i++)
		made->frames[i].udp_sport = (uint16_t)made->frames[i].bth.dest_qp;
	made_ack(made, B, A, 51, 9, ACK)->udp_sport = 30;
	made_ack(made, B, A, 50, 9, ACK)->udp_sport = 31;
	cnp(made, 5000, 51);
	made_ack(made, B, A, 50, 25, ACK);
	cnp(made, 6000, 50);
	cnp(made, 7000, 50);
	made_analyse(made, &config, &analysis);
	assert_int_equal(flow_to(&analysis, 30)->src_qp.value, 50);
	assert_int_equal(flow_to(&analysis, 31)->src_qp.value, 51);
	for (uint32_t qp = 30; qp < 32; qp++)
		assert_int_equal(flow_to(&analysis, qp)->answered, RT_FLOW_ANSWERED);
	assert_int_equal(flow_to(&analysis, 30)->cnps.value, 2);
	assert_int_equal(flow_to(&analysis, 31)->cnps.value, 1);
	assert_int_equal(analysis.marks.cnps_unsure, 0);
	rt_analysis_free(&analysis);
	free(made);
}

/* Nothing tells the streams apart: no CNP is anybody's, and none is missing. */
static void test_cnps_that_fit_several_streams_are_nobodys(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t psn = 0; psn < 20; psn++)
		for (uint32_t qp = 30; qp < 32; qp++)
			data(made, qp, psn, 1, RT_ECN_CE);
	made_ack(made, B, A, 50, 12, ACK);
	made_ack(made, B, A, 51, 12, ACK);
	cnp(made, 5000, 50);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.marks.cnp_rows[0].match, RT_CNP_AMBIGUOUS);
	assert_int_equal(analysis.marks.cnps_unsure, 1);
	assert_int_equal(analysis.marks.cnps_unmatched, 0);
	assert_int_equal(analysis.marks.flows_ce, 2);
	assert_int_equal(analysis.marks.flows_ce_no_cnp, 0);
	for (uint32_t qp = 30; qp < 32; qp++) {
		assert_int_equal(flow_to(&analysis, qp)->answered, RT_FLOW_AMBIGUOUS);
		assert_false(flow_to(&analysis, qp)->src_qp.known);
		assert_false(flow_to(&analysis, qp)->cnps.known);
	}
	rt_analysis_free(&analysis);
	free(made);
}

RT_UNIT_MAIN(cmocka_unit_test(test_marks_are_of_what_brings_data),
	     cmocka_unit_test(test_marks_are_counted_per_flow_direction_and_dscp),
	     cmocka_unit_test(test_cnp_finds_its_flow_by_the_acks),
	     cmocka_unit_test(test_cnp_slows_read_responses),
	     cmocka_unit_test(test_cnp_without_acks_is_guessed_and_says_so),
	     cmocka_unit_test(test_acks_rule_out_streams_that_have_not_sent_it),
	     cmocka_unit_test(test_cnps_that_fit_several_streams_are_nobodys))
