/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_connect.c - connections by the messages that made them: what they say of their
 * streams, and what lies, repetitions and cuts do to that.
 *
 * A at 10.0.0.10 asks B at 10.0.0.11; A has QP 17 and begins with PSN 1000, B has QP 33
 * and begins with PSN 5000.
 */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "mads.h"
#include "taps.h"

/* From A, or back from B. */
static struct rt_build packet_of(bool back, unsigned opcode)
{
	struct rt_build packet = plain_packet(opcode);

	if (back) {
		packet.src.bytes[3] = 11;
		packet.dst.bytes[3] = 10;
	}
	return packet;
}

static void put_cm(struct tap *tap, bool back, const struct made_cm *cm)
{
	struct rt_build packet = packet_of(back, RT_OP_UD_SEND_ONLY);
	uint8_t mad[MAD_BYTES];

	made_mad(&packet, cm, mad);
	tap_put(tap, &packet);
}

static void put_data(struct tap *tap, bool back, unsigned opcode, uint32_t qp,
		     uint32_t psn, uint32_t bytes)
{
	struct rt_build packet = packet_of(back, opcode);

	packet.bth.dest_qp = qp;
	packet.bth.psn = psn;
	packet.bth.payload_bytes = opcode == RT_OP_RC_READ_REQUEST ? 0 : bytes;
	packet.bth.dma_bytes = bytes;
	packet.bth.syndrome = 0x1F;
	tap_put(tap, &packet);
}

static const struct made_cm req = {
	.kind = RT_CM_REQ,
	.local_id = 0xA1,
	.qpn = 17,
	.psn = 5000, /* that B shall begin with */
	.mtu_code = 3,
	.ack_timeout = 14,
	.retries = 7,
	.rnr_retries = 6,
	.depth = 16,
	.src_port = 4000,
	.dst_port = 18515,
};
static const struct made_cm rep = {
	.kind = RT_CM_REP, .local_id = 0xB1, .remote_id = 0xA1, .qpn = 33, .psn = 1000
};
static const struct made_cm rtu = { .kind = RT_CM_RTU,
				    .local_id = 0xA1,
				    .remote_id = 0xB1 };

static void agree(struct tap *tap)
{
	put_cm(tap, false, &req);
	put_cm(tap, true, &rep);
	put_cm(tap, false, &rtu);
}

static void test_an_exchange_tells_all_of_a_connection(void **state)
{
	const struct rt_analysis_connection *row;
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	agree(&tap);
	tap_finish(&tap);
	assert_int_equal(tap.analysis.connections.messages, 3);
	assert_int_equal(tap.analysis.connections.paired, 1);
	assert_int_equal(tap.analysis.connections.list_count, 1);
	row = &tap.analysis.connections.list[0];
	assert_string_equal(row->src, "10.0.0.10");
	assert_string_equal(row->dst, "10.0.0.11");
	assert_int_equal(row->state, RT_CONNECTION_READY);
	assert_int_equal(row->src_qp.value, 17);
	assert_int_equal(row->dst_qp.value, 33);
	assert_int_equal(row->src_psn.value, 1000);
	assert_int_equal(row->dst_psn.value, 5000);
	assert_int_equal(row->transport, 0);
	assert_int_equal(row->mtu_bytes.value, 1024);
	assert_int_equal(row->ack_timeout_ns.value, 67108864); /* 4.096 us * 2^14 */
	assert_int_equal(row->retries.value, 7);
	assert_int_equal(row->rnr_retries.value, 6);
	assert_int_equal(row->read_depth.value, 16);
	assert_int_equal(row->src_port.value, 4000);
	assert_int_equal(row->dst_port.value, 18515);
	assert_int_equal(row->setup_ns.value, 2000000);
	assert_false(row->reason.known);
	assert_false(row->other_path);
	assert_int_equal(row->repeats + row->contradictions, 0);
	tap_tear_down(&tap);
}

static void test_a_connection_pairs_its_streams(void **state)
{
	const struct rt_analysis_flow *flow;
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	agree(&tap);
	/* the first two packets from A are missing */
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1002, 64);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1003, 64);
	put_data(&tap, true, RT_OP_RC_WRITE_ONLY, 17, 5000, 64);
	tap_finish(&tap);
	flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
	assert_int_equal(flow->pairing, RT_FLOW_BY_CM);
	assert_int_equal(flow->src_qp.value, 17);
	assert_int_equal(flow->answered, RT_FLOW_ANSWERED);
	assert_int_equal(flow->mtu_bytes.value, 1024);
	assert_int_equal(flow->p_gaps, 1);
	assert_int_equal(flow->p_skipped, 2);
	flow = tap_flow_to(&tap, 17, RT_FLOW_REQUEST);
	assert_int_equal(flow->src_qp.value, 33);
	assert_int_equal(flow->p_gaps, 0);
	tap_tear_down(&tap);
}

static void test_without_one_pairs_are_inferred(void **state)
{
	const struct rt_analysis_flow *flow;
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1002, 64);
	put_data(&tap, true, RT_OP_RC_ACK, 17, 1002, 0);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 44, 9000, 64);
	tap_finish(&tap);
	flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
	assert_int_equal(flow->pairing, RT_FLOW_INFERRED);
	assert_int_equal(flow->src_qp.value, 17);
	assert_int_equal(flow->p_gaps, 0);
	flow = tap_flow_to(&tap, 44, RT_FLOW_REQUEST);
	assert_int_equal(flow->pairing, RT_FLOW_UNPAIRED);
	assert_false(flow->src_qp.known);
	tap_tear_down(&tap);
}

/* Two streams that run alike: their ACKs fit both, the connections tell. */
static void test_connections_tell_streams_apart_that_acks_do_not(void **state)
{
	static const uint32_t qps[2][2] = { { 17, 33 }, { 18, 34 } };
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	for (uint32_t i = 0; i < 2; i++) {
		struct made_cm ask = req, answer = rep;

		ask.local_id += i;
		ask.qpn = qps[i][0];
		answer.local_id += i;
		answer.remote_id += i;
		answer.qpn = qps[i][1];
		put_cm(&tap, false, &ask);
		put_cm(&tap, true, &answer);
	}
	for (uint32_t psn = 1000; psn < 1010; psn++)
		for (uint32_t i = 0; i < 2; i++) {
			put_data(&tap, false, RT_OP_RC_WRITE_ONLY, qps[i][1], psn, 64);
			/* crosswise in time: the nearest is the wrong one */
			put_data(&tap, true, RT_OP_RC_ACK, qps[1 - i][0], psn - i, 0);
		}
	tap_finish(&tap);
	for (uint32_t i = 0; i < 2; i++) {
		const struct rt_analysis_flow *flow = tap_flow_to(&tap, qps[i][1],
								  RT_FLOW_REQUEST);

		assert_int_equal(flow->pairing, RT_FLOW_BY_CM);
		assert_int_equal(flow->src_qp.value, qps[i][0]);
		assert_int_equal(flow->acks.value, 10);
	}
	tap_tear_down(&tap);
}

/* A CNP names the sender's QP: without ACKs only a connection tells whose that is. */
static void test_cnps_find_the_stream_of_their_connection(void **state)
{
	struct made_cm ask = req, answer = rep;
	struct tap tap;

	(void)state;
	ask.local_id++;
	ask.qpn = 18;
	answer.local_id++;
	answer.remote_id++;
	answer.qpn = 34;
	tap_set_up(&tap);
	agree(&tap);
	put_cm(&tap, false, &ask);
	put_cm(&tap, true, &answer);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1000, 64);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 34, 1000, 64);
	put_data(&tap, true, RT_OP_CNP, 18, 0, 0);
	tap_finish(&tap);
	assert_int_equal(tap.analysis.marks.cnp_row_count, 1);
	assert_int_equal(tap.analysis.marks.cnp_rows[0].match, RT_CNP_PAIRED);
	assert_int_equal(tap.analysis.marks.cnp_rows[0].flow_dest_qp.value, 34);
	assert_int_equal(tap_flow_to(&tap, 34, RT_FLOW_REQUEST)->cnps.value, 1);
	assert_int_equal(tap_flow_to(&tap, 33, RT_FLOW_REQUEST)->cnps.value, 0);
	tap_tear_down(&tap);
}

static void test_reads_are_judged_by_the_mtu_that_was_agreed_on(void **state)
{
	const struct rt_analysis_flow *flow;
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	agree(&tap);
	/* three responses each, of 1024 bytes; the second is two PSNs too far */
	put_data(&tap, false, RT_OP_RC_READ_REQUEST, 33, 1000, 3000);
	put_data(&tap, false, RT_OP_RC_READ_REQUEST, 33, 1005, 3000);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1008, 8);
	tap_finish(&tap);
	flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
	assert_int_equal(flow->mtu_bytes.value, 1024);
	assert_int_equal(flow->p_gaps, 1);
	assert_int_equal(flow->p_skipped, 2);
	tap_tear_down(&tap);
}

static void test_a_uc_connection_is_paired_without_answers(void **state)
{
	const struct rt_analysis_flow *flow;
	struct made_cm ask = req;
	struct tap tap;

	(void)state;
	ask.service = 1;
	tap_set_up(&tap);
	put_cm(&tap, false, &ask);
	put_cm(&tap, true, &rep);
	put_data(&tap, false, 0x24, 33, 1000, 64);
	tap_finish(&tap);
	flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
	assert_int_equal(flow->transport, 1);
	assert_int_equal(flow->src_qp.value, 17);
	assert_int_equal(flow->pairing, RT_FLOW_BY_CM);
	assert_int_equal(tap.analysis.connections.list[0].state,
			 RT_CONNECTION_ACCEPTED);
	assert_false(tap_is_found(&tap, "cm-contradiction"));
	tap_tear_down(&tap);
}

static void test_a_queue_pair_that_is_used_again_begins_anew(void **state)
{
	const struct made_cm dreq = {
		.kind = RT_CM_DREQ, .local_id = 0xA1, .remote_id = 0xB1, .qpn = 33
	};
	const struct rt_analysis_flow *flow;
	struct made_cm ask = req, answer = rep;
	struct tap tap;

	(void)state;
	ask.local_id = 0xA2;
	ask.qpn = 18;
	answer.local_id = 0xB2;
	answer.remote_id = 0xA2;
	answer.psn = 700000;
	tap_set_up(&tap);
	agree(&tap);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1000, 64);
	put_cm(&tap, false, &dreq);
	put_cm(&tap, false, &ask);
	put_cm(&tap, true, &answer);
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 700000, 64);
	tap_finish(&tap);
	flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
	assert_int_equal(flow->frames, 2);
	assert_int_equal(flow->p_gaps + flow->p_rewinds, 0);
	assert_int_equal(flow->src_qp.value, 18);
	assert_int_equal(tap.analysis.connections.list[0].state, RT_CONNECTION_CLOSED);
	assert_false(tap_is_found(&tap, "cm-contradiction"));
	tap_tear_down(&tap);
}

static void test_a_refusal_is_found_with_its_reason(void **state)
{
	const struct made_cm rej = { .kind = RT_CM_REJ,
				     .remote_id = 0xA1,
				     .reason = 8 };
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	put_cm(&tap, false, &req);
	put_cm(&tap, false, &req);
	put_cm(&tap, true, &rej);
	tap_finish(&tap);
	assert_int_equal(tap.analysis.connections.refused, 1);
	assert_int_equal(tap.analysis.connections.list[0].reason.value, 8);
	assert_int_equal(tap.analysis.connections.list[0].repeats, 1);
	assert_true(tap_is_found(&tap, "cm-refused"));
	tap_tear_down(&tap);
}

/* The first word stands; what speaks against it is said. */
static void test_lies_do_not_take_a_pair_down(void **state)
{
	struct made_cm lies[] = { req, rep, rep, rtu };
	static const bool backs[] = { false, true, true, false };
	static const struct made_cm rej = { .kind = RT_CM_REJ,
					    .remote_id = 0xA1,
					    .reason = 28 };

	(void)state;
	lies[0].qpn = 99;
	lies[1].qpn = 98;
	lies[2].local_id = 0xB7;
	lies[3].remote_id = 0xB9;
	for (size_t i = 0; i <= RT_ARRAY_SIZE(lies); i++) {
		const struct rt_analysis_flow *flow;
		struct tap tap;

		tap_set_up(&tap);
		agree(&tap);
		if (i < RT_ARRAY_SIZE(lies))
			put_cm(&tap, backs[i], &lies[i]);
		else
			put_cm(&tap, true, &rej);
		put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1000, 64);
		tap_finish(&tap);
		flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
		print_message("# lie %zu: paired with QP %" PRIu64 "\n", i,
			      flow->src_qp.value);
		assert_int_equal(flow->pairing, RT_FLOW_BY_CM);
		assert_int_equal(flow->src_qp.value, 17);
		assert_int_equal(tap.analysis.connections.contradictions, 1);
		assert_true(tap_is_found(&tap, "cm-contradiction"));
		tap_tear_down(&tap);
	}
}

/* Two living connections have one queue pair: nobody knows which is right. */
static void test_of_two_that_live_neither_is_believed(void **state)
{
	const struct rt_analysis_flow *flow;
	struct made_cm ask = req, answer = rep;
	struct tap tap;

	(void)state;
	ask.local_id = 0xA2;
	ask.qpn = 66;
	answer.local_id = 0xB2;
	answer.remote_id = 0xA2;
	tap_set_up(&tap);
	agree(&tap);
	put_cm(&tap, false, &ask);
	put_cm(&tap, true, &answer); /* QP 33 as well */
	put_data(&tap, false, RT_OP_RC_WRITE_ONLY, 33, 1000, 64);
	put_data(&tap, true, RT_OP_RC_ACK, 17, 1000, 0);
	tap_finish(&tap);
	flow = tap_flow_to(&tap, 33, RT_FLOW_REQUEST);
	assert_int_equal(flow->pairing, RT_FLOW_INFERRED);
	assert_int_equal(flow->src_qp.value, 17);
	assert_true(tap_is_found(&tap, "cm-contradiction"));
	tap_tear_down(&tap);
}

static void test_packets_may_contradict_too(void **state)
{
	static const struct {
		const char *label;
		unsigned opcode;
		uint32_t psn, bytes;
		bool contradicted;
	} cases[] = {
		{ "as agreed", RT_OP_RC_WRITE_FIRST, 1000, 1024, false },
		{ "another MTU", RT_OP_RC_WRITE_FIRST, 1000, 2048, true },
		{ "another transport", 0x26, 1000, 1024, true },
		{ "a PSN below the first", RT_OP_RC_WRITE_FIRST, 999, 1024, true },
		{ "one far above it", RT_OP_RC_WRITE_FIRST, 1000 + 65537, 1024, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct tap tap;

		tap_set_up(&tap);
		agree(&tap);
		put_data(&tap, false, cases[i].opcode, 33, cases[i].psn,
			 cases[i].bytes);
		tap_finish(&tap);
		print_message("# %s\n", cases[i].label);
		assert_int_equal(tap_is_found(&tap, "cm-contradiction"),
				 cases[i].contradicted);
		assert_int_equal(tap_flow_to(&tap, 33, RT_FLOW_REQUEST)->p_gaps, 0);
		tap_tear_down(&tap);
	}
}

static void test_a_message_at_two_interfaces_is_not_repeated(void **state)
{
	struct tap tap;

	(void)state;
	tap_set_up(&tap);
	for (unsigned i = 0; i < 2; i++) {
		tap.interface = (uint16_t)i;
		agree(&tap);
	}
	tap_finish(&tap);
	assert_int_equal(tap.analysis.connections.list_count, 1);
	assert_int_equal(tap.analysis.connections.repeats, 0);
	assert_int_equal(tap.analysis.connections.contradictions, 0);
	tap_tear_down(&tap);
}

/* Each cut leaves what lies before it, and says nothing of the rest. */
static void test_cut_messages_tell_what_is_there(void **state)
{
	(void)state;
	for (uint32_t cap = 40; cap < 330; cap++) {
		const struct rt_analysis_connections *connections;
		struct tap tap;

		tap_set_up(&tap);
		tap.cap_bytes = cap;
		agree(&tap);
		tap_finish(&tap);
		connections = &tap.analysis.connections;
		assert_int_equal(connections->contradictions, 0);
		/* 62 bytes to the MAD, 24 to its data, a QP in the first 35 of them */
		assert_int_equal(connections->paired, cap >= 62 + 24 + 35);
		if (connections->list_count == 0) {
			assert_true(cap < 62 + 24 + 8);
		} else {
			assert_int_equal(connections->list[0].dst_psn.known,
					 cap >= 62 + 24 + 48);
			assert_int_equal(connections->list[0].mtu_bytes.known,
					 cap >= 62 + 24 + 96);
			assert_int_equal(connections->list[0].src_port.known,
					 cap >= 62 + 24 + 176);
		}
		tap_tear_down(&tap);
	}
}

/* Random messages with few ids and QPs: nothing but the counts is sure. */
static void test_any_messages_are_bounded(void **state)
{
	static const uint8_t kinds[] = { RT_CM_REQ, RT_CM_MRA,  RT_CM_REJ, RT_CM_REP,
					 RT_CM_RTU, RT_CM_DREQ, RT_CM_DREP };
	struct rt_rng rng;
	struct tap tap;

	(void)state;
	rt_rng_init(&rng, 7, 0);
	tap_set_up(&tap);
	for (unsigned i = 0; i < 60000; i++) {
		const bool many = i >= 20000;
		const struct made_cm cm = {
			.kind = many ? RT_CM_REQ
				     : kinds[rt_rng_below(&rng, sizeof(kinds))],
			.local_id = (uint32_t)rt_rng_below(&rng, many ? 1u << 31 : 8),
			.remote_id = (uint32_t)rt_rng_below(&rng, 8),
			.qpn = (uint32_t)rt_rng_below(&rng, 6),
			.psn = (uint32_t)rt_rng_below(&rng, 4),
		};

		put_cm(&tap, rt_rng_below(&rng, 2), &cm);
		if (i % 16 == 0)
			put_data(&tap, rt_rng_below(&rng, 2), RT_OP_RC_WRITE_ONLY,
				 (uint32_t)rt_rng_below(&rng, 6),
				 (uint32_t)rt_rng_below(&rng, 8), 64);
	}
	tap_finish(&tap);
	assert_int_equal(tap.analysis.connections.list_count,
			 RT_ANALYSIS_MAX_CONNECTIONS);
	assert_true(tap.analysis.connections.overflow > 20000);
	assert_true(tap_is_found(&tap, "capture-overflow"));
	assert_true(tap_is_found(&tap, "cm-contradiction"));
	tap_tear_down(&tap);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_exchange_tells_all_of_a_connection),
		cmocka_unit_test(test_a_connection_pairs_its_streams),
		cmocka_unit_test(test_without_one_pairs_are_inferred),
		cmocka_unit_test(test_connections_tell_streams_apart_that_acks_do_not),
		cmocka_unit_test(test_cnps_find_the_stream_of_their_connection),
		cmocka_unit_test(test_reads_are_judged_by_the_mtu_that_was_agreed_on),
		cmocka_unit_test(test_a_uc_connection_is_paired_without_answers),
		cmocka_unit_test(test_a_queue_pair_that_is_used_again_begins_anew),
		cmocka_unit_test(test_a_refusal_is_found_with_its_reason),
		cmocka_unit_test(test_lies_do_not_take_a_pair_down),
		cmocka_unit_test(test_of_two_that_live_neither_is_believed),
		cmocka_unit_test(test_packets_may_contradict_too),
		cmocka_unit_test(test_a_message_at_two_interfaces_is_not_repeated),
		cmocka_unit_test(test_cut_messages_tell_what_is_there),
		cmocka_unit_test(test_any_messages_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
