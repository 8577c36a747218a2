/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include "base/own.h"
#include "frames.h"

#define A "10.0.0.1" /* sender */
#define B "10.0.0.2" /* receiver */

#define ACK      0x1F
#define NAK      0x60
#define RNR_0_64 0x2C /* timer code 12: 0.64 ms */
#define RNR_655  0x20 /* timer code 0: 655.36 ms, the longest */

static const struct rt_analysis_config config;

static void test_sequence_counts_as_defined(void **state)
{
	/*
	 * PSNs of frames that take one each.  p: gaps, skipped, rewinds against the
	 * frame before; h: gaps, skipped, episodes, frames behind against the highest
	 * end seen; again: frames seen before.
	 */
	static const struct {
		const char *label;
		uint32_t psn[12];
		size_t count;
		uint64_t p[3], h[4], again;
	} cases[] = {
		{ "in order", { 5, 6, 7 }, 3, { 0 }, { 0 }, 0 },
		{ "over the end", { 0xFFFFFE, 0xFFFFFF, 0, 1 }, 4, { 0 }, { 0 }, 0 },
		{ "gap over the end", { 0xFFFFFE, 1 }, 2, { 1, 2, 0 }, { 1, 2 }, 0 },
		/* 6 comes after 8; 6, 7, 8 are behind, 9 is in order. */
		{ "go back",
		  { 5, 6, 7, 8, 6, 7, 8, 9 },
		  8,
		  { 0, 0, 1 },
		  { 0, 0, 1, 3 },
		  3 },
		/* 7 is missing and comes for the first time in the resend. */
		{ "loss before the tap",
		  { 5, 6, 8, 7, 8, 9 },
		  6,
		  { 1, 1, 1 },
		  { 1, 1, 1, 2 },
		  1 },
		/* 6 is lost in the resend: P sees that gap, H does not. */
		{ "loss of a resend",
		  { 5, 6, 7, 8, 5, 7, 8, 6, 7, 8, 9 },
		  11,
		  { 1, 1, 2 },
		  { 0, 0, 1, 6 },
		  6 },
		/* 7 and 9 are missing; of the resend of 7 to 10 two are new. */
		{ "two losses before the tap",
		  { 5, 6, 8, 10, 7, 8, 9, 10, 11 },
		  9,
		  { 2, 2, 1 },
		  { 2, 2, 1, 4 },
		  2 },
		/* The capture starts amid reordering: 3 and 4 are no repeats. */
		{ "below the first",
		  { 5, 3, 4, 6 },
		  4,
		  { 1, 1, 1 },
		  { 0, 0, 1, 2 },
		  0 },
		{ "copies", { 5, 5, 5, 6 }, 4, { 0, 0, 2 }, { 0, 0, 1, 2 }, 2 },
		/* Exactly half the circle counts as behind. */
		{ "half the circle",
		  { 0, 0x800001 },
		  2,
		  { 0, 0, 1 },
		  { 0, 0, 1, 1 },
		  1 },
		{ "one less is ahead",
		  { 0, 0x800000 },
		  2,
		  { 1, 0x7FFFFF },
		  { 1, 0x7FFFFF },
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;
		const struct rt_analysis_flow *flow;

		print_message("# %s\n", cases[i].label);
		for (size_t f = 0; f < cases[i].count; f++)
			made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 7, cases[i].psn[f],
				  1024);
		made_analyse(made, &config, &analysis);
		assert_int_equal(analysis.sequence.flow_count, 1);
		flow = &analysis.sequence.flows[0];
		assert_int_equal(flow->frames, cases[i].count);
		assert_int_equal(flow->p_gaps, cases[i].p[0]);
		assert_int_equal(flow->p_skipped, cases[i].p[1]);
		assert_int_equal(flow->p_rewinds, cases[i].p[2]);
		assert_int_equal(flow->h_gaps, cases[i].h[0]);
		assert_int_equal(flow->h_skipped, cases[i].h[1]);
		assert_int_equal(flow->h_episodes, cases[i].h[2]);
		assert_int_equal(flow->h_behind, cases[i].h[3]);
		assert_int_equal(flow->resent_bytes, 1024 * cases[i].again);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/* 4000 bytes take 4 PSNs at 1024, 1 at 4096, 16 at 256. */
static void test_read_span_waits_for_the_path_mtu(void **state)
{
	static const struct {
		const char *label;
		uint32_t mtu; /* told by a response; 0: by none */
		uint32_t second_psn;
		uint64_t p_gaps, p_skipped, p_rewinds;
	} cases[] = {
		{ "1024, no gap", 1024, 104, 0, 0, 0 },
		{ "1024, one message missing", 1024, 108, 1, 4, 0 },
		{ "1024, sent again", 1024, 100, 0, 0, 1 },
		{ "4096, no gap", 4096, 101, 0, 0, 0 },
		{ "256, no gap", 256, 116, 0, 0, 0 },
		{ "not told, follows at 1024", 0, 104, 0, 0, 0 },
		{ "not told, follows at 512", 0, 108, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;
		const struct rt_analysis_flow *flow = NULL;

		print_message("# %s\n", cases[i].label);
		/* Both requests stand in the file before the first response. */
		made_read(made, A, B, 7, 100, 4000);
		made_read(made, A, B, 7, cases[i].second_psn, 4000);
		if (cases[i].mtu)
			made_roce(made, B, A, RT_OP_RC_READ_RESP_FIRST, 9, 100,
				  cases[i].mtu);
		made_analyse(made, &config, &analysis);
		for (size_t f = 0; f < analysis.sequence.flow_count; f++)
			if (analysis.sequence.flows[f].stream == RT_FLOW_REQUEST)
				flow = &analysis.sequence.flows[f];
		assert_non_null(flow);
		assert_int_equal(flow->messages, 2);
		assert_int_equal(flow->p_gaps, cases[i].p_gaps);
		assert_int_equal(flow->p_skipped, cases[i].p_skipped);
		assert_int_equal(flow->p_rewinds, cases[i].p_rewinds);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/* More requests than are kept waiting: the MTU is inferred, 2000 bytes = 2 PSNs. */
static void test_many_reads_without_a_told_mtu(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		made_read(made, A, B, 7, 0xFFFFF0 + 2 * i, 2000);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.p_gaps, 0);
	assert_int_equal(analysis.sequence.p_rewinds, 0);
	assert_int_equal(analysis.sequence.messages, 100);
	assert_int_equal(analysis.sequence.flows[0].mtu_bytes.value, 1024);
	rt_analysis_free(&analysis);
	free(made);
}

/* 512 bytes are one PSN under every path MTU but the smallest: it stays unknown. */
static void test_an_mtu_that_may_be_several_is_not_told(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		made_read(made, A, B, 7, 100 + i, 512);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.p_gaps, 0);
	assert_int_equal(analysis.sequence.p_rewinds, 0);
	assert_false(analysis.sequence.flows[0].mtu_bytes.known);
	rt_analysis_free(&analysis);
	free(made);
}

static void data(struct made *made, uint32_t from, uint32_t to)
{
	for (uint32_t psn = from; psn <= to; psn++) {
		made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 7, psn, 1024);
		made->now_ns += 1000;
	}
}

static const struct rt_analysis_flow *the_flow(const struct rt_analysis *analysis)
{
	assert_int_equal(analysis->sequence.flow_count, 1);
	return &analysis->sequence.flows[0];
}

/* Same PSNs, same source port, neither QP that of the ACKs. */
static void test_acks_that_may_be_of_two_streams_are_of_none(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t psn = 100; psn < 110; psn++) {
		made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 7, psn, 1024);
		made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 8, psn, 1024);
	}
	made_ack(made, B, A, 9, 109, 0x1F);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.flow_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_false(analysis.sequence.flows[i].acks.known);
		assert_false(analysis.sequence.flows[i].src_qp.known);
	}
	rt_analysis_free(&analysis);
	free(made);
}

static void test_nak_is_paired_and_explains_the_rewind(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	data(made, 100, 110);
	made_ack(made, B, A, 9, 104, ACK);
	made_ack(made, B, A, 9, 105, NAK);
	made->now_ns += 5000;
	data(made, 105, 112); /* 5 us after the NAK */
	/* A rewind without a NAK after 67.1 ms: a time-out. */
	made->now_ns += 67100000 - 1000;
	data(made, 110, 113);
	made_analyse(made, &config, &analysis);
	flow = the_flow(&analysis);
	assert_int_equal(flow->src_qp.value, 9);
	assert_int_equal(flow->acks.value, 1);
	assert_int_equal(flow->naks.value, 1);
	assert_int_equal(flow->rewinds_nak, 1);
	assert_int_equal(flow->rewinds_alone, 1);
	assert_int_equal(flow->nak_to_resend_ns.value, 5000);
	assert_int_equal(flow->timeouts.value, 1);
	assert_int_equal(flow->timeout_silence_ns, 67100000);
	assert_int_equal(flow->longest_silence_ns, 67100000);
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * The receiver NAKs 111, which was lost before the tap with all that followed, so
 * that it comes again in order here.  A time-out later on has nothing to do with
 * that NAK.
 */
static void test_a_nak_that_is_answered_in_order_explains_nothing_later(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	data(made, 100, 110);
	made_ack(made, B, A, 9, 104, ACK);
	made_ack(made, B, A, 9, 111, NAK);
	data(made, 111, 115);
	made->now_ns += 67100000;
	data(made, 113, 116);
	made_analyse(made, &config, &analysis);
	flow = the_flow(&analysis);
	assert_int_equal(flow->naks.value, 1);
	assert_int_equal(flow->rewinds_nak, 0);
	assert_int_equal(flow->rewinds_alone, 1);
	assert_int_equal(flow->timeouts.value, 1);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_rnr_wait_is_the_time_asked_for(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	data(made, 100, 103);
	made_ack(made, B, A, 9, 101, RNR_0_64);
	/* Drawn by 102 and 103, in flight behind the refused one: no loss. */
	made_ack(made, B, A, 9, 101, NAK);
	made->now_ns += 640000;
	data(made, 101, 104);
	made_ack(made, B, A, 9, 103, RNR_655);
	made->now_ns += 655360000;
	data(made, 103, 105);
	made_analyse(made, &config, &analysis);
	flow = the_flow(&analysis);
	assert_int_equal(flow->rnr_naks.value, 2);
	assert_int_equal(flow->rnr_wait_ns.value, 640000 + 655360000);
	assert_int_equal(flow->rnr_longest_ns.value, 655360000);
	assert_int_equal(flow->rewinds_rnr, 2);
	assert_int_equal(flow->rewinds_nak, 0);
	assert_int_equal(flow->timeouts.value, 0);
	/* 640 us is no silence; 655.36 ms after the last frame of data is. */
	assert_int_equal(flow->rnr_silence_ns, 655360000 + 1000);
	assert_int_equal(analysis.sequence.rnr_wait_ns, 656000000);
	rt_analysis_free(&analysis);
	free(made);
}

static void test_late_frames_are_told_from_resent_ones(void **state)
{
	static const struct {
		const char *label;
		uint32_t psn[12];
		size_t count;
		uint64_t reordered, repaired;
	} cases[] = {
		{ "one late frame", { 1, 2, 4, 3, 5, 6 }, 6, 1, 0 },
		{ "two late frames", { 1, 5, 2, 3, 4, 6 }, 6, 1, 0 },
		{ "gaps within each other", { 1, 4, 2, 6, 3, 5, 7 }, 7, 2, 0 },
		{ "sent again from the gap on", { 1, 2, 4, 3, 4, 5 }, 6, 0, 1 },
		{ "two gaps, sent again", { 1, 3, 5, 2, 3, 4, 5, 6 }, 8, 0, 2 },
		{ "never filled", { 1, 2, 4, 5, 6 }, 5, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;

		print_message("# %s\n", cases[i].label);
		for (size_t f = 0; f < cases[i].count; f++)
			data(made, cases[i].psn[f], cases[i].psn[f]);
		made_analyse(made, &config, &analysis);
		assert_int_equal(the_flow(&analysis)->reordered, cases[i].reordered);
		assert_int_equal(the_flow(&analysis)->repaired, cases[i].repaired);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/* 103 is missing and asked for; 104 came.  What follows tells who sent it. */
static void test_a_gap_that_was_asked_for_is_filled_by_a_resend(void **state)
{
	static const struct {
		const char *label;
		bool nak, acked, replay;
		int64_t silence_ns;
		uint64_t reordered, repaired, undecided;
	} cases[] = {
		{ "the rest of the resend is lost", true, false, false, 0, 0, 1, 0 },
		{ "... after a time-out", false, false, false, 5000000, 0, 1, 0 },
		{ "late: the resend comes as well", true, true, true, 0, 1, 0, 0 },
		{ "it may be a time-out", true, false, true, 0, 0, 0, 1 },
		{ "nobody asked", false, false, false, 0, 1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;

		print_message("# %s\n", cases[i].label);
		data(made, 100, 102);
		data(made, 104, 104);
		made_ack(made, B, A, 9, 101, ACK);
		if (cases[i].nak)
			made_ack(made, B, A, 9, 103, NAK);
		made->now_ns += cases[i].silence_ns;
		data(made, 103, 103);
		data(made, 106, 106);
		if (cases[i].acked)
			made_ack(made, B, A, 9, 105, NAK);
		if (cases[i].replay)
			data(made, 103, 107);
		made_analyse(made, &config, &analysis);
		assert_int_equal(the_flow(&analysis)->reordered, cases[i].reordered);
		/* The replay fills 105 too. */
		assert_int_equal(the_flow(&analysis)->repaired,
				 cases[i].repaired + cases[i].replay);
		assert_int_equal(the_flow(&analysis)->undecided, cases[i].undecided);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/* Late, or a resend whose rest was lost: without the NAKs nobody can tell. */
static void test_late_frames_amid_go_back_n_want_the_return_path(void **state)
{
	(void)state;
	for (int seen = 0; seen < 2; seen++) {
		struct made *made = calloc(1, sizeof(*made));
		struct rt_analysis analysis;

		data(made, 100, 102);
		data(made, 104, 110);
		data(made, 103, 103);
		data(made, 111, 112);
		if (seen)
			made_ack(made, B, A, 9, 102, ACK);
		data(made, 104, 114);
		made_analyse(made, &config, &analysis);
		assert_int_equal(the_flow(&analysis)->reordered, seen);
		assert_int_equal(the_flow(&analysis)->undecided, !seen);
		rt_analysis_free(&analysis);
		free(made);
	}
}

/* A responder has no timer, and a missing response is as good as a NAK. */
static void test_a_missing_response_explains_the_next_request(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	made_read(made, A, B, 7, 98, 2048);
	made_roce(made, B, A, RT_OP_RC_READ_RESP_FIRST, 9, 98, 1024);
	made_roce(made, B, A, RT_OP_RC_READ_RESP_LAST, 9, 99, 1024);
	made_read(made, A, B, 7, 100, 4096);
	made_roce(made, B, A, RT_OP_RC_READ_RESP_FIRST, 9, 100, 1024);
	made_roce(made, B, A, RT_OP_RC_READ_RESP_MIDDLE, 9, 101, 1024);
	made_roce(made, B, A, RT_OP_RC_READ_RESP_LAST, 9, 103, 1024);
	made->now_ns += 1100000;
	made_read(made, A, B, 7, 102, 2048);
	made->now_ns += 6300000;
	made_roce(made, B, A, RT_OP_RC_READ_RESP_FIRST, 9, 102, 1024);
	made_roce(made, B, A, RT_OP_RC_READ_RESP_LAST, 9, 103, 1024);
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.flow_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct rt_analysis_flow *flow = &analysis.sequence.flows[i];
		const bool request = flow->stream == RT_FLOW_REQUEST;

		assert_int_equal(flow->p_rewinds, 1);
		assert_int_equal(flow->rewinds_nak, request);
		assert_true(flow->timeouts.known);
		assert_int_equal(flow->timeouts.value, 0);
	}
	rt_analysis_free(&analysis);
	free(made);
}

/*
 * 102 has a wrong ICRC, and 105 also a PSN that is not its own.  The figures as
 * defined count both; delivered is what came intact.
 */
static void test_damaged_frames_deliver_nothing(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	data(made, 100, 102);
	made->frames[made->count - 1].icrc = RT_ICRC_BAD;
	data(made, 103, 104);
	data(made, 105 + 1024, 105 + 1024);
	made->frames[made->count - 1].icrc = RT_ICRC_BAD;
	data(made, 106, 106);
	made_ack(made, B, A, 9, 102, NAK);
	data(made, 102, 106);
	made_analyse(made, &config, &analysis);
	flow = the_flow(&analysis);
	assert_int_equal(flow->h_gaps, 1);
	assert_int_equal(flow->h_skipped, 1024);
	assert_int_equal(flow->bad_gaps, 1);
	assert_int_equal(flow->bad_h_gaps, 1);
	/* 100, 101, 103, 104 and 106; then 102 and 105. */
	assert_int_equal(analysis.throughput.receivers[0].good_bytes, 7 * 1024);
	assert_int_equal(flow->bad_bytes, 2 * 1024);
	assert_int_equal(flow->resent_bytes, 3 * 1024);
	rt_analysis_free(&analysis);
	free(made);
}

/* PSNs 103 to 105 are not in the capture, yet 106 is acknowledged. */
static void test_a_gap_that_is_acknowledged_is_a_hole_of_the_capture(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;
	const struct rt_analysis_flow *flow;

	(void)state;
	data(made, 100, 102);
	made_ack(made, B, A, 9, 101, ACK);
	data(made, 106, 108);
	made_ack(made, B, A, 9, 102, ACK);
	made_ack(made, B, A, 9, 106, ACK);
	made_analyse(made, &config, &analysis);
	flow = the_flow(&analysis);
	assert_int_equal(flow->h_gaps, 1);
	assert_int_equal(flow->acked_holes, 1);
	assert_int_equal(flow->acked_psns, 3);
	rt_analysis_free(&analysis);
	free(made);
}

/* Both streams start at PSN 0; the UDP source port makes a guess, and it says so. */
static void test_acks_are_paired_where_psns_start_alike(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t psn = 0; psn < 20; psn++)
		for (uint16_t qp = 30; qp < 32; qp++)
			made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, qp, psn, 1024)
				->udp_sport = qp;
	made_ack(made, B, A, 51, 12, ACK)->udp_sport = 31;
	made_ack(made, B, A, 50, 12, ACK)->udp_sport = 30;
	made_analyse(made, &config, &analysis);
	assert_int_equal(analysis.sequence.flow_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(analysis.sequence.flows[i].src_qp.value,
				 analysis.sequence.flows[i].dest_qp + 20);
		assert_int_equal(analysis.sequence.flows[i].answered, RT_FLOW_GUESSED);
	}
	rt_analysis_free(&analysis);
	free(made);
}

RT_UNIT_MAIN(
	cmocka_unit_test(test_sequence_counts_as_defined),
	cmocka_unit_test(test_read_span_waits_for_the_path_mtu),
	cmocka_unit_test(test_many_reads_without_a_told_mtu),
	cmocka_unit_test(test_an_mtu_that_may_be_several_is_not_told),
	cmocka_unit_test(test_acks_that_may_be_of_two_streams_are_of_none),
	cmocka_unit_test(test_a_gap_that_was_asked_for_is_filled_by_a_resend),
	cmocka_unit_test(test_a_missing_response_explains_the_next_request),
	cmocka_unit_test(test_damaged_frames_deliver_nothing),
	cmocka_unit_test(test_late_frames_amid_go_back_n_want_the_return_path),
	cmocka_unit_test(test_nak_is_paired_and_explains_the_rewind),
	cmocka_unit_test(test_a_nak_that_is_answered_in_order_explains_nothing_later),
	cmocka_unit_test(test_rnr_wait_is_the_time_asked_for),
	cmocka_unit_test(test_late_frames_are_told_from_resent_ones),
	cmocka_unit_test(test_a_gap_that_is_acknowledged_is_a_hole_of_the_capture),
	cmocka_unit_test(test_acks_are_paired_where_psns_start_alike))
