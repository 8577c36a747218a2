/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_transports.c - each transport by its own rules: who numbers what, who sends
 * again, and what of that is a loss.  Expected figures are worked out by hand.
 */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "taps.h"

enum {
	UC_WRITE_ONLY = 0x2A,
	RD_SEND_ONLY = 0x44,
	RD_READ_REQUEST = 0x4C,
	RD_READ_RESP_FIRST = 0x4D,
	RD_READ_RESP_MIDDLE = 0x4E,
	RD_READ_RESP_LAST = 0x4F,
	RD_ACK = 0x51,
	XRC_WRITE_FIRST = 0xA6,
	XRC_WRITE_MIDDLE = 0xA7,
	XRC_WRITE_LAST = 0xA8,
	XRC_ACK = 0xB1,
	RC_FETCH_ADD = 0x14,
	RC_FLUSH = 0x1C,
	RC_ATOMIC_WRITE = 0x1D,
};

#define ACK 0x1F
#define NAK 0x60

/* A packet of a conversation of A, and back; rows of a script. */
struct line {
	uint8_t opcode;
	bool back;
	uint32_t qp, psn, bytes, dma_bytes;
	uint8_t syndrome;
	uint32_t src_qp, ee_or_srq;
};

static void play(struct tap *tap, const struct line *lines, size_t count, bool icrc)
{
	tap_set_up(tap);
	if (!icrc)
		tap->flags = RT_DECODE_DIGEST;
	for (size_t i = 0; i < count; i++) {
		const struct line *line = &lines[i];
		struct rt_build packet = plain_packet(line->opcode);

		if (line->back) {
			packet.src.bytes[3] = 11;
			packet.dst.bytes[3] = 10;
		}
		packet.ip_id = (uint16_t)(1000 + i);
		packet.bth.dest_qp = line->qp;
		packet.bth.src_qp = line->src_qp;
		packet.bth.psn = line->psn;
		packet.bth.payload_bytes = line->bytes;
		packet.bth.dma_bytes = line->dma_bytes;
		packet.bth.syndrome = line->syndrome;
		packet.bth.xrc_srq = line->ee_or_srq;
		tap_put(tap, &packet);
	}
	tap_finish(tap);
}

/* Within a test; without ICRCs many frames take the short way (usual.h). */
#define PLAY(tap, lines) play((tap), (lines), RT_ARRAY_SIZE(lines), !*state)

static uint64_t delivered(const struct rt_analysis_flow *flow)
{
	return flow->payload_bytes - flow->resent_bytes - flow->bad_bytes;
}

/* PSN 2 is late, 4 never comes, 3 comes twice: nobody sends anything again. */
static void test_uc_loses_without_a_word(void **state)
{
	static const struct line lines[] = {
		{ UC_WRITE_ONLY, .qp = 9, .psn = 0, .bytes = 100 },
		{ UC_WRITE_ONLY, .qp = 9, .psn = 1, .bytes = 100 },
		{ UC_WRITE_ONLY, .qp = 9, .psn = 3, .bytes = 100 },
		{ UC_WRITE_ONLY, .qp = 9, .psn = 2, .bytes = 100 },
		{ UC_WRITE_ONLY, .qp = 9, .psn = 5, .bytes = 100 },
		{ UC_WRITE_ONLY, .qp = 9, .psn = 6, .bytes = 100 },
	};
	const struct rt_analysis_flow *flow;
	struct tap tap;

	PLAY(&tap, lines);
	flow = tap_flow_to(&tap, 9, RT_FLOW_REQUEST);
	assert_int_equal(flow->transport, 1);
	assert_int_equal(flow->frames, 6);
	assert_int_equal(flow->messages, 6);
	/* to 3; and from 2, whose end is 3, to 5 */
	assert_int_equal(flow->p_gaps, 2);
	assert_int_equal(flow->p_skipped, 3);
	assert_int_equal(flow->p_rewinds, 1);
	assert_int_equal(flow->h_gaps, 2);
	assert_int_equal(flow->h_skipped, 2);
	assert_int_equal(delivered(flow), 600);
	assert_int_equal(flow->reordered, 1);
	assert_false(flow->timeouts.known);
	assert_int_equal(flow->silence_ns, 0);
	assert_true(tap_is_found(&tap, "loss-unreliable"));
	assert_false(tap_is_found(&tap, "loss-go-back-n"));
	assert_false(tap_is_found(&tap, "loss-timeout"));
	assert_false(tap_is_found(&tap, "gap-unanswered"));
	tap_tear_down(&tap);
}

/* A UD queue pair counts its packets to all others in one; some count none at all. */
static void test_ud_is_not_judged_by_psns(void **state)
{
	struct line lines[70] = {
		{ 0x64, .qp = 9, .psn = 5, .bytes = 100, .src_qp = 70 },
		{ 0x64, .qp = 9, .psn = 90, .bytes = 100, .src_qp = 70 },
		{ 0x64, .qp = 9, .psn = 12, .bytes = 100, .src_qp = 70 },
	};
	const struct rt_analysis_flow *flow;
	struct tap tap;

	for (size_t i = 3; i < RT_ARRAY_SIZE(lines); i++)
		lines[i] = (struct line){ 0x64, .qp = 8, .psn = 0, .bytes = 50,
					  .src_qp = 71 };
	PLAY(&tap, lines);
	flow = tap_flow_to(&tap, 9, RT_FLOW_REQUEST);
	assert_int_equal(flow->pairing, RT_FLOW_IN_PACKET);
	assert_int_equal(flow->src_qp.value, 70);
	assert_int_equal(delivered(flow), 300);
	flow = tap_flow_to(&tap, 8, RT_FLOW_REQUEST);
	assert_int_equal(flow->frames, 67);
	assert_int_equal(delivered(flow), 67 * 50);
	assert_int_equal(flow->silence_ns, 0);
	assert_false(flow->timeouts.known);
	for (size_t i = 0; i < tap.findings.count; i++)
		assert_true(tap.findings.items[i].severity < RT_SEVERITY_WARN);
	tap_tear_down(&tap);
}

/* Two queue pairs over one EE context: PSNs are the context's, and so are its ACKs. */
static void test_rd_counts_by_ee_context(void **state)
{
	static const struct line lines[] = {
		{ RD_SEND_ONLY, .qp = 9, .psn = 10, .bytes = 100, .ee_or_srq = 500 },
		{ RD_SEND_ONLY, .qp = 8, .psn = 11, .bytes = 100, .ee_or_srq = 500 },
		{ RD_SEND_ONLY, .qp = 9, .psn = 12, .bytes = 100, .ee_or_srq = 500 },
		{ RD_ACK, true, .qp = 1, .psn = 11, .syndrome = ACK, .ee_or_srq = 600 },
		{ RD_ACK, true, .qp = 1, .psn = 12, .syndrome = NAK, .ee_or_srq = 600 },
		{ RD_SEND_ONLY, .qp = 9, .psn = 12, .bytes = 100, .ee_or_srq = 500 },
		{ RD_SEND_ONLY, .qp = 8, .psn = 13, .bytes = 100, .ee_or_srq = 500 },
	};
	const struct rt_analysis_flow *flow;
	struct tap tap;

	PLAY(&tap, lines);
	assert_int_equal(tap.analysis.sequence.streams, 1);
	flow = tap_flow_to(&tap, 500, RT_FLOW_REQUEST);
	assert_int_equal(flow->transport, 2);
	assert_int_equal(flow->frames, 5);
	assert_int_equal(flow->p_gaps, 0);
	assert_int_equal(flow->p_rewinds, 1);
	assert_int_equal(flow->rewinds_nak, 1);
	assert_int_equal(flow->resent_bytes, 100);
	assert_int_equal(delivered(flow), 400);
	assert_int_equal(flow->src_qp.value, 600);
	assert_int_equal(flow->naks.value, 1);
	assert_true(tap_is_found(&tap, "loss-go-back-n"));
	tap_tear_down(&tap);
}

/* READ responses are the context's too, also those that say nothing but their PSN. */
static void test_rd_responses_are_of_the_ee_context(void **state)
{
	static const struct line lines[] = {
		{ RD_READ_REQUEST, .qp = 9, .psn = 10, .dma_bytes = 1024 * 4,
		  .ee_or_srq = 500 },
		{ RD_READ_RESP_FIRST, true, .qp = 1, .psn = 10, .bytes = 1024,
		  .syndrome = ACK, .ee_or_srq = 600 },
		{ RD_READ_RESP_MIDDLE, true, .qp = 1, .psn = 11, .bytes = 1024,
		  .ee_or_srq = 600 },
		{ RD_READ_RESP_MIDDLE, true, .qp = 1, .psn = 12, .bytes = 1024,
		  .ee_or_srq = 600 },
		{ RD_READ_RESP_LAST, true, .qp = 1, .psn = 13, .bytes = 1024,
		  .syndrome = ACK, .ee_or_srq = 600 },
		{ RD_SEND_ONLY, .qp = 9, .psn = 14, .bytes = 100, .ee_or_srq = 500 },
	};
	struct tap tap;

	PLAY(&tap, lines);
	assert_int_equal(tap.analysis.sequence.streams, 2);
	assert_int_equal(tap.analysis.sequence.p_gaps, 0);
	assert_int_equal(tap_flow_to(&tap, 600, RT_FLOW_RESPONSE)->frames, 4);
	assert_int_equal(tap_flow_to(&tap, 500, RT_FLOW_REQUEST)->frames, 2);
	tap_tear_down(&tap);
}

/* XRC is RC to many receive queues of one host: the SRQ does not part a stream. */
static void test_xrc_is_judged_as_rc(void **state)
{
	static const struct line lines[] = {
		{ XRC_WRITE_FIRST, .qp = 9, .psn = 0, .bytes = 1024, .ee_or_srq = 3 },
		{ XRC_WRITE_MIDDLE, .qp = 9, .psn = 1, .bytes = 1024, .ee_or_srq = 3 },
		{ XRC_WRITE_LAST, .qp = 9, .psn = 2, .bytes = 10, .ee_or_srq = 3 },
		{ XRC_WRITE_FIRST, .qp = 9, .psn = 3, .bytes = 1024, .ee_or_srq = 4 },
		{ XRC_ACK, true, .qp = 7, .psn = 0, .syndrome = ACK },
		{ XRC_ACK, true, .qp = 7, .psn = 1, .syndrome = NAK },
		{ XRC_WRITE_MIDDLE, .qp = 9, .psn = 1, .bytes = 1024, .ee_or_srq = 3 },
		{ XRC_WRITE_LAST, .qp = 9, .psn = 2, .bytes = 10, .ee_or_srq = 3 },
		{ XRC_WRITE_FIRST, .qp = 9, .psn = 3, .bytes = 1024, .ee_or_srq = 4 },
	};
	const struct rt_analysis_flow *flow;
	struct tap tap;

	PLAY(&tap, lines);
	assert_int_equal(tap.analysis.sequence.streams, 1);
	flow = tap_flow_to(&tap, 9, RT_FLOW_REQUEST);
	assert_int_equal(flow->transport, 5);
	assert_int_equal(flow->frames, 7);
	assert_int_equal(flow->messages, 3);
	assert_int_equal(flow->mtu_bytes.value, 1024);
	assert_int_equal(flow->p_rewinds, 1);
	assert_int_equal(flow->rewinds_nak, 1);
	assert_int_equal(flow->h_behind, 3);
	assert_int_equal(flow->payload_bytes, 5 * 1024 + 2 * 10);
	assert_int_equal(flow->resent_bytes, 2 * 1024 + 10);
	assert_int_equal(flow->src_qp.value, 7);
	assert_int_equal(flow->pairing, RT_FLOW_INFERRED);
	assert_true(tap_is_found(&tap, "loss-go-back-n"));
	tap_tear_down(&tap);
}

/*
 * FLUSH asks for a length and carries nothing, ATOMIC WRITE carries eight bytes; both
 * take one PSN and are answered by a READ response without data (IBTA A19).
 */
static void test_flush_and_atomic_write_take_one_psn(void **state)
{
	static const struct line lines[] = {
		{ RT_OP_RC_WRITE_ONLY, .qp = 9, .psn = 0, .bytes = 64 },
		{ RC_FLUSH, .qp = 9, .psn = 1, .dma_bytes = 1 << 20 },
		{ RC_ATOMIC_WRITE, .qp = 9, .psn = 2, .bytes = 8, .dma_bytes = 8 },
		{ RC_FETCH_ADD, .qp = 9, .psn = 3 },
		{ RT_OP_RC_WRITE_ONLY, .qp = 9, .psn = 4, .bytes = 64 },
		{ RT_OP_RC_ACK, true, .qp = 7, .psn = 0, .syndrome = ACK },
		{ RT_OP_RC_READ_RESP_ONLY, true, .qp = 7, .psn = 1, .syndrome = ACK },
		{ RT_OP_RC_READ_RESP_ONLY, true, .qp = 7, .psn = 2, .syndrome = ACK },
		{ RT_OP_RC_ATOMIC_ACK, true, .qp = 7, .psn = 3, .syndrome = ACK },
		{ RT_OP_RC_ACK, true, .qp = 7, .psn = 4, .syndrome = ACK },
	};
	const struct rt_analysis_flow *flow;
	struct tap tap;

	PLAY(&tap, lines);
	flow = tap_flow_to(&tap, 9, RT_FLOW_REQUEST);
	assert_int_equal(flow->frames, 5);
	assert_int_equal(flow->messages, 5);
	assert_int_equal(flow->payload_bytes, 64 + 8 + 64);
	assert_int_equal(flow->p_gaps + flow->p_rewinds, 0);
	/* of the ACKs and in the two responses */
	assert_int_equal(flow->acks.value, 5);
	assert_int_equal(flow->src_qp.value, 7);
	flow = tap_flow_to(&tap, 7, RT_FLOW_RESPONSE);
	assert_int_equal(flow->frames, 2);
	assert_int_equal(flow->p_gaps, 0);
	tap_tear_down(&tap);
}

/* WRITEs between READs take PSNs that no response has: that is no loss. */
static void test_reads_among_writes_are_whole(void **state)
{
	static const struct line lines[] = {
		{ RT_OP_RC_READ_REQUEST, .qp = 9, .psn = 0, .dma_bytes = 2048 },
		{ RT_OP_RC_READ_RESP_FIRST, true, .qp = 7, .psn = 0, .bytes = 1024,
		  .syndrome = ACK },
		{ RT_OP_RC_READ_RESP_LAST, true, .qp = 7, .psn = 1, .bytes = 1024,
		  .syndrome = ACK },
		{ RT_OP_RC_WRITE_ONLY, .qp = 9, .psn = 2, .bytes = 64 },
		{ RT_OP_RC_WRITE_ONLY, .qp = 9, .psn = 3, .bytes = 64 },
		{ RT_OP_RC_ACK, true, .qp = 7, .psn = 3, .syndrome = ACK },
		{ RT_OP_RC_READ_REQUEST, .qp = 9, .psn = 4, .dma_bytes = 100 },
		{ RT_OP_RC_READ_RESP_ONLY, true, .qp = 7, .psn = 4, .bytes = 100,
		  .syndrome = ACK },
	};
	const struct rt_analysis_flow *flow;
	struct tap tap;

	PLAY(&tap, lines);
	flow = tap_flow_to(&tap, 9, RT_FLOW_REQUEST);
	assert_int_equal(flow->p_gaps + flow->p_rewinds, 0);
	assert_int_equal(flow->mtu_bytes.value, 1024);
	flow = tap_flow_to(&tap, 7, RT_FLOW_RESPONSE);
	assert_int_equal(flow->p_gaps, 1);
	assert_int_equal(flow->p_skipped, 2);
	assert_int_equal(flow->between_gaps, 1);
	assert_int_equal(delivered(flow), 2148);
	assert_false(tap_is_found(&tap, "gap-unanswered"));
	assert_false(tap_is_found(&tap, "loss-go-back-n"));
	tap_tear_down(&tap);
}

/* A response that is missing amid its message is one, and so is one among READs. */
static void test_missing_responses_are_missing(void **state)
{
	static const struct line amid[] = {
		{ RT_OP_RC_READ_REQUEST, .qp = 9, .psn = 0, .dma_bytes = 3000 },
		{ RT_OP_RC_READ_RESP_FIRST, true, .qp = 7, .psn = 0, .bytes = 1024,
		  .syndrome = ACK },
		{ RT_OP_RC_READ_RESP_LAST, true, .qp = 7, .psn = 2, .bytes = 952,
		  .syndrome = ACK },
		{ RT_OP_RC_WRITE_ONLY, .qp = 9, .psn = 3, .bytes = 64 },
	};
	static const struct line among[] = {
		{ RT_OP_RC_READ_REQUEST, .qp = 9, .psn = 0, .dma_bytes = 100 },
		{ RT_OP_RC_READ_REQUEST, .qp = 9, .psn = 1, .dma_bytes = 100 },
		{ RT_OP_RC_READ_REQUEST, .qp = 9, .psn = 2, .dma_bytes = 100 },
		{ RT_OP_RC_READ_RESP_ONLY, true, .qp = 7, .psn = 0, .bytes = 100,
		  .syndrome = ACK },
		{ RT_OP_RC_READ_RESP_ONLY, true, .qp = 7, .psn = 2, .bytes = 100,
		  .syndrome = ACK },
	};
	struct tap tap;

	PLAY(&tap, amid);
	assert_int_equal(tap_flow_to(&tap, 7, RT_FLOW_RESPONSE)->p_gaps, 1);
	assert_int_equal(tap_flow_to(&tap, 7, RT_FLOW_RESPONSE)->between_gaps, 0);
	assert_true(tap_is_found(&tap, "gap-unanswered"));
	tap_tear_down(&tap);
	PLAY(&tap, among);
	assert_int_equal(tap_flow_to(&tap, 7, RT_FLOW_RESPONSE)->p_gaps, 1);
	assert_int_equal(tap_flow_to(&tap, 7, RT_FLOW_RESPONSE)->between_gaps, 0);
	assert_true(tap_is_found(&tap, "gap-unanswered"));
	tap_tear_down(&tap);
}

#define BOTH_WAYS(function)                                                \
	{ .name = #function, .test_func = function },                      \
	{                                                                  \
		.name = #function " without ICRCs", .test_func = function, \
		.initial_state = (void *)(uintptr_t) "no ICRC"             \
	}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		BOTH_WAYS(test_uc_loses_without_a_word),
		BOTH_WAYS(test_ud_is_not_judged_by_psns),
		BOTH_WAYS(test_rd_counts_by_ee_context),
		BOTH_WAYS(test_rd_responses_are_of_the_ee_context),
		BOTH_WAYS(test_xrc_is_judged_as_rc),
		BOTH_WAYS(test_flush_and_atomic_write_take_one_psn),
		BOTH_WAYS(test_reads_among_writes_are_whole),
		BOTH_WAYS(test_missing_responses_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
