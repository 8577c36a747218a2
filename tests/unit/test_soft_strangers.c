/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that soft endpoints get from anybody: what they take, and what changes nothing. */
#include "unit.h"

#include "base/own.h"
#include "paper_wire.h"

static uint64_t malformed(const struct wire *wire, unsigned end)
{
	struct rt_soft_strays strays;

	rt_soft_strays(wire->ends[end], &strays);
	return strays.malformed;
}

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

/* --- who is written to ----------------------------------------------------------------- */

/* Two ends of one queue pair of which neither has begun: only the test speaks. */
static void open_quiet(struct wire *wire, unsigned op)
{
	const struct rt_traffic_flow flow = wire_flow(op, 10000, 0);

	wire_config(wire, 1 * GBPS, 1024);
	wire_open(wire);
	wire_add(wire, &flow);
}

/* A packet of a WRITE by the queue pair's peer, that many after the first. */
static struct rt_bth write_packet(const struct wire *wire, uint32_t number,
				  uint8_t opcode, uint32_t payload_bytes,
				  uint32_t dma_bytes)
{
	return (struct rt_bth){ .opcode = opcode,
				.psn = (wire->added[0].psn + number) & 0xFFFFFF,
				.payload_bytes = payload_bytes,
				.rkey = wire->added[1].rkey,
				.dma_bytes = dma_bytes };
}

static void test_writes_that_cannot_be_are_not_taken(void **state)
{
	static const struct {
		const char *label;
		uint8_t opcode;
		uint32_t payload_bytes, dma_bytes, rkey_off;
	} cases[] = {
		{ "a foreign key", RT_OP_RC_WRITE_ONLY, 64, 64, 1 },
		{ "less than it says", RT_OP_RC_WRITE_ONLY, 64, 65, 0 },
		{ "more than it says", RT_OP_RC_WRITE_ONLY, 64, 63, 0 },
		{ "nothing", RT_OP_RC_WRITE_ONLY, 0, 0, 0 },
		{ "above the MTU", RT_OP_RC_WRITE_ONLY, 1025, 1025, 0 },
		{ "a First not full", RT_OP_RC_WRITE_FIRST, 1023, 2000, 0 },
		{ "a First above the MTU", RT_OP_RC_WRITE_FIRST, 1025, 3000, 0 },
		{ "a First that is all", RT_OP_RC_WRITE_FIRST, 1024, 1024, 0 },
		{ "above 2 GiB", RT_OP_RC_WRITE_FIRST, 1024, (1u << 31) + 1, 0 },
		{ "a Middle of nothing", RT_OP_RC_WRITE_MIDDLE, 1024, 0, 0 },
		{ "a Last of nothing", RT_OP_RC_WRITE_LAST, 64, 0, 0 },
		{ "with an immediate", RT_OP_RC_WRITE_ONLY + 1, 64, 64, 0 },
		{ "a SEND", RT_OP_RC_SEND_ONLY, 64, 0, 0 },
		{ "a READ", RT_OP_RC_READ_REQUEST, 0, 64, 0 },
		{ "a response", RT_OP_RC_READ_RESP_ONLY, 64, 0, 0 },
		{ "an ACK", RT_OP_RC_ACK, 0, 0, 0 },
		{ "a CNP", RT_OP_CNP, 0, 0, 0 },
	};
	struct rt_qp_totals totals;
	struct wire wire;

	(void)state;
	open_quiet(&wire, RT_TRAFFIC_WRITE);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_bth bth = write_packet(&wire, 0, cases[i].opcode,
						 cases[i].payload_bytes,
						 cases[i].dma_bytes);

		print_message("# %s\n", cases[i].label);
		bth.rkey += cases[i].rkey_off;
		bth.bits = bth.opcode == RT_OP_CNP ? RT_BTH_BECN : 0;
		wire_say(&wire, 1, bth);
		assert_int_equal(malformed(&wire, 1), i + 1);
	}
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire.frames[1], 0);
	totals = wire_totals(&wire, 1, 0);
	assert_int_equal(totals.data_frames_rx.value, 0);
	assert_int_equal(totals.frame_sequence_error.value, 0);
	/* Its queue pair is where it was: what is right is taken. */
	wire_say(&wire, 1, write_packet(&wire, 0, RT_OP_RC_WRITE_ONLY, 64, 64));
	assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, 64);
	wire_close(&wire);
}

/* A message of 2058 bytes, with what does not go on with it between its packets. */
static void test_messages_go_on_as_they_began(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t number, payload_bytes, dma_bytes;
		bool taken;
	} packets[] = {
		{ RT_OP_RC_WRITE_FIRST, 0, 1024, 2058, true },
		{ RT_OP_RC_WRITE_FIRST, 1, 1024, 2058, false },
		{ RT_OP_RC_WRITE_ONLY, 1, 64, 64, false },
		{ RT_OP_RC_WRITE_LAST, 1, 10, 0, false },
		{ RT_OP_RC_WRITE_MIDDLE, 1, 1024, 0, true },
		{ RT_OP_RC_WRITE_MIDDLE, 2, 1024, 0, false },
		{ RT_OP_RC_WRITE_LAST, 2, 9, 0, false },
		{ RT_OP_RC_WRITE_LAST, 2, 11, 0, false },
		{ RT_OP_RC_WRITE_LAST, 2, 10, 0, true },
		{ RT_OP_RC_WRITE_LAST, 3, 10, 0, false },
		{ RT_OP_RC_WRITE_ONLY, 3, 1, 1, true },
	};
	uint64_t taken_bytes = 0;
	struct wire wire;

	(void)state;
	open_quiet(&wire, RT_TRAFFIC_WRITE);
	for (size_t i = 0; i < RT_ARRAY_SIZE(packets); i++) {
		const uint64_t before = malformed(&wire, 1);

		wire_say(&wire, 1,
			 write_packet(&wire, packets[i].number, packets[i].opcode,
				      packets[i].payload_bytes, packets[i].dma_bytes));
		taken_bytes += packets[i].taken ? packets[i].payload_bytes : 0;
		assert_int_equal(malformed(&wire, 1) - before, !packets[i].taken);
		assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, taken_bytes);
	}
	assert_int_equal(taken_bytes, 2059);
	assert_int_equal(wire_totals(&wire, 1, 0).messages.value, 2);
	wire_close(&wire);
}

/* Right but for who sent it, or to whom. */
static void test_only_the_peer_is_heard(void **state)
{
	struct rt_soft_strays strays;
	struct rt_bth bth;
	struct wire wire;

	(void)state;
	open_quiet(&wire, RT_TRAFFIC_WRITE);
	bth = write_packet(&wire, 0, RT_OP_RC_WRITE_ONLY, 64, 64);
	wire.config[0].ip.bytes[3] ^= 0x80;
	wire_say(&wire, 1, bth);
	wire.config[0].ip.bytes[3] ^= 0x80;
	bth.dest_qp = wire.added[1].qpn + 1;
	wire_say(&wire, 1, bth);
	bth.dest_qp = wire.added[1].qpn - 1;
	wire_say(&wire, 1, bth);
	rt_soft_strays(wire.ends[1], &strays);
	assert_int_equal(strays.unknown_qp, 3);
	bth.dest_qp = wire.added[1].qpn;
	wire.config[1].ip.bytes[3] ^= 0x80;
	wire_say(&wire, 1, bth);
	wire.config[1].ip.bytes[3] ^= 0x80;
	rt_soft_strays(wire.ends[1], &strays);
	assert_int_equal(strays.other, 1);
	assert_int_equal(wire_totals(&wire, 1, 0).data_frames_rx.value, 0);
	wire_say(&wire, 1, bth);
	assert_int_equal(wire_totals(&wire, 1, 0).data_frames_rx.value, 1);
	wire_close(&wire);
}

/* --- who writes -------------------------------------------------------------------------- */

static void test_answers_end_a_sender_by_their_name_or_not_at_all(void **state)
{
	static const struct {
		uint8_t opcode, syndrome;
		const char *error; /* NULL: it goes on */
		bool malformed;
	} cases[] = {
		{ RT_OP_RC_ACK, 0x61, "IBV_WC_REM_INV_REQ_ERR", false },
		{ RT_OP_RC_ACK, 0x62, "IBV_WC_REM_ACCESS_ERR", false },
		{ RT_OP_RC_ACK, 0x63, "IBV_WC_REM_OP_ERR", false },
		{ RT_OP_RC_ACK, 0x64, NULL, true },  /* of RD */
		{ RT_OP_RC_ACK, 0x41, NULL, true },  /* reserved */
		{ RT_OP_RC_ACK, 0x21, NULL, false }, /* RNR NAK of nothing sent */
		{ RT_OP_RC_ACK, 0xFF, NULL, true },
		{ RT_OP_RC_ACK, 0x1F, NULL, false }, /* of nothing that was sent */
		{ RT_OP_RC_ACK, 0x60, NULL, false },
		{ RT_OP_RC_READ_RESP_ONLY, 0, NULL, true },
		{ RT_OP_RC_WRITE_ONLY, 0, NULL, true },
		{ RT_OP_CNP, 0, NULL, true }, /* without BECN */
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 10000,
							      100000);
		struct rt_qp_totals sender;
		uint64_t frames;
		struct wire wire;

		print_message("# %#x %#x\n", cases[i].opcode, cases[i].syndrome);
		wire_config(&wire, 1 * GBPS, 1024);
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, wire.now_ns + 100000);
		wire_say(&wire, 0,
			 (struct rt_bth){ .opcode = cases[i].opcode,
					  .psn = (wire.added[0].psn + 60) & 0xFFFFFF,
					  .syndrome = cases[i].syndrome });
		frames = wire.frames[0];
		wire_run(&wire, INT64_MAX);
		sender = wire_totals(&wire, 0, 0);
		assert_int_equal(malformed(&wire, 0), cases[i].malformed);
		assert_int_equal(sender.cnp_rx.value, 0);
		assert_string_equal(sender.error, cases[i].error ? cases[i].error : "");
		assert_int_equal(sender.state,
				 cases[i].error ? RT_QP_STOPPED : RT_QP_DONE);
		if (cases[i].error) {
			assert_int_equal(wire.frames[0], frames);
			assert_int_equal(sender.error_ns.value, 100000);
			assert_int_equal(sender.nak_rx.value, 1);
		} else {
			assert_int_equal(sender.bytes.value, 100000);
		}
		wire_close(&wire);
	}
}

/* Before it has begun, and when all is done, a sender waits for no answer. */
static void test_answers_count_while_a_sender_runs(void **state)
{
	const struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 1000, 1000);
	const struct rt_bth ack = { .opcode = RT_OP_RC_ACK, .syndrome = 0x1F };
	const struct rt_bth nak = { .opcode = RT_OP_RC_ACK, .syndrome = 0x62 };
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_say(&wire, 0, ack);
	assert_int_equal(wire_totals(&wire, 0, 0).ack_rx.value, 0);
	wire_begin(&wire);
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire_totals(&wire, 0, 0).ack_rx.value, 1);
	wire_say(&wire, 0, nak);
	assert_int_equal(wire_totals(&wire, 0, 0).state, RT_QP_DONE);
	assert_int_equal(wire_totals(&wire, 0, 0).ack_rx.value, 1);
	wire_close(&wire);
}

/* A sender that stands in line at a paused port ends there, and CNPs move it no more. */
static void test_who_is_stopped_in_line_sends_nothing_more(void **state)
{
	const struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_WRITE, 10000, 100000);
	struct rt_pause pause = { .enable = 1 << 3, .quanta = { [3] = 1000 } };
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	struct rt_qp_totals sender;
	uint64_t frames;
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1024);
	wire_open(&wire);
	wire_add(&wire, &flow);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 50000);
	rt_build_pfc(wire.config[1].mac, &pause, frame, sizeof(frame));
	rt_soft_receive(wire.ends[0], frame, sizeof(frame), wire.now_ns);
	wire_run(&wire, wire.now_ns + 50000);
	frames = wire.frames[0];
	wire_say(&wire, 0, (struct rt_bth){ .opcode = RT_OP_RC_ACK, .syndrome = 0x62 });
	wire_say(&wire, 0, (struct rt_bth){ .opcode = RT_OP_CNP, .bits = RT_BTH_BECN });
	wire_run(&wire, INT64_MAX);
	sender = wire_totals(&wire, 0, 0);
	assert_int_equal(sender.state, RT_QP_STOPPED);
	assert_int_equal(sender.rate_cuts.value, 0);
	assert_int_equal(wire.frames[0], frames);
	wire_close(&wire);
}

/* --- who reads --------------------------------------------------------------------------- */

static struct fate silence_source(struct wire *wire, unsigned from,
				  struct rt_frame *decoded, uint8_t *frame)
{
	unsigned *requests = wire->context;

	(void)frame;
	*requests += decoded->bth.opcode == RT_OP_RC_READ_REQUEST;
	return (struct fate){ .lost = from == 0 };
}

/* Answers that a reader of 4 messages of 9 and a half packets each gets from the test. */
static void test_responses_that_cannot_be_are_not_taken(void **state)
{
	enum what {
		TAKEN,
		MALFORMED,
		IGNORED
	};
	static const struct {
		uint8_t opcode;
		uint32_t number, payload_bytes;
		enum what what;
	} cases[] = {
		{ RT_OP_RC_READ_RESP_ONLY, 0, 1024, MALFORMED },
		{ RT_OP_RC_READ_RESP_LAST, 0, 1024, MALFORMED },
		{ RT_OP_RC_READ_RESP_FIRST, 0, 1023, MALFORMED },
		{ RT_OP_RC_WRITE_FIRST, 0, 1024, MALFORMED },
		{ RT_OP_RC_READ_RESP_FIRST, 0, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 1, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_LAST, 1, 1024, IGNORED },   /* it came */
		{ RT_OP_RC_READ_RESP_FIRST, 40, 1024, IGNORED }, /* not asked for */
		{ RT_OP_RC_READ_RESP_MIDDLE, 2, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 3, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 4, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 5, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 6, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 7, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 8, 1024, TAKEN },
		{ RT_OP_RC_READ_RESP_MIDDLE, 9, 1024, MALFORMED },
		{ RT_OP_RC_READ_RESP_LAST, 9, 783, MALFORMED },
		{ RT_OP_RC_READ_RESP_LAST, 9, 785, MALFORMED },
		{ RT_OP_RC_READ_RESP_LAST, 9, 784, TAKEN },
	};
	const struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_READ, 10000, 0);
	unsigned requests = 0;
	uint64_t taken = 0;
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 1024);
	wire.judge = silence_source;
	wire.context = &requests;
	wire_open(&wire);
	wire_add(&wire, &flow);
	/* Before it begins nothing is expected. */
	wire_say(&wire, 1,
		 (struct rt_bth){ .opcode = RT_OP_RC_READ_RESP_ONLY,
				  .psn = wire.added[1].psn,
				  .payload_bytes = 64 });
	assert_int_equal(wire_totals(&wire, 1, 0).data_frames_rx.value, 0);
	wire_begin(&wire);
	wire_run(&wire, wire.now_ns + 100000);
	assert_int_equal(requests, 4);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const uint64_t before = malformed(&wire, 1);

		wire_say(&wire, 1,
			 (struct rt_bth){ .opcode = cases[i].opcode,
					  .psn = (wire.added[1].psn + cases[i].number) &
						 0xFFFFFF,
					  .payload_bytes = cases[i].payload_bytes });
		taken += cases[i].what == TAKEN ? cases[i].payload_bytes : 0;
		assert_int_equal(malformed(&wire, 1) - before,
				 cases[i].what == MALFORMED);
		assert_int_equal(wire_totals(&wire, 1, 0).bytes.value, taken);
	}
	assert_int_equal(taken, 10000);
	assert_int_equal(wire_totals(&wire, 1, 0).messages.value, 1);
	assert_int_equal(wire_totals(&wire, 1, 0).frame_sequence_error.value, 0);
	wire_run(&wire, wire.now_ns + 100000);
	assert_int_equal(requests, 5); /* the message in its place */
	wire_close(&wire);
}

/* The ten responses to the first of them. */
static void say_message(struct wire *wire)
{
	for (uint32_t i = 0; i < 10; i++)
		wire_say(wire, 1,
			 (struct rt_bth){ .opcode = i < 9 ? RT_OP_RC_READ_RESP_MIDDLE
							  : RT_OP_RC_READ_RESP_LAST,
					  .psn = (wire->added[1].psn + i) & 0xFFFFFF,
					  .payload_bytes = i < 9 ? 1024 : 784 });
}

/* A NAK says from which PSN on requests did not arrive; others than were sent say nothing. */
static void test_a_nak_asks_for_the_requests_again(void **state)
{
	static const struct {
		const char *label;
		uint32_t number;
		unsigned again;
	} cases[] = {
		{ "the second", 10, 3 },
		{ "the last", 30, 1 },
		{ "one that was not sent", 40, 0 },
		{ "nor that", 45, 0 },
		{ "one before the first", 0xFFFFFF, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_READ, 10000,
							      0);
		unsigned requests = 0;
		struct wire wire;

		print_message("# %s\n", cases[i].label);
		wire_config(&wire, 1 * GBPS, 1024);
		wire.judge = silence_source;
		wire.context = &requests;
		wire_open(&wire);
		wire_add(&wire, &flow);
		wire_begin(&wire);
		wire_run(&wire, wire.now_ns + 100000);
		wire_say(&wire, 1,
			 (struct rt_bth){ .opcode = RT_OP_RC_ACK,
					  .psn = (wire.added[1].psn + cases[i].number) &
						 0xFFFFFF,
					  .syndrome = 0x60 });
		wire_run(&wire, wire.now_ns + 100000);
		assert_int_equal(requests, 4 + cases[i].again);
		assert_int_equal(wire_totals(&wire, 1, 0).nak_rx.value, 1);
		assert_int_equal(wire_totals(&wire, 1, 0).timeouts.value, 0);
		/* It goes on where it was. */
		say_message(&wire);
		wire_run(&wire, wire.now_ns + 100000);
		assert_int_equal(requests, 4 + cases[i].again + 1);
		wire_close(&wire);
	}
}

/* --- who answers READs ------------------------------------------------------------------- */

#define PSNS_MAX 64u

/* PSNs of the responses, counted from the first request's, and their MSNs. */
struct responses {
	unsigned count;
	uint32_t psn[PSNS_MAX], msn[PSNS_MAX];
};

static void keep_responses(struct wire *wire, unsigned from,
			   const struct rt_frame *frame)
{
	struct responses *responses = wire->context;

	if (from || !frame->bth.payload_bytes || responses->count == PSNS_MAX)
		return;
	responses->msn[responses->count] = frame->bth.msn;
	responses->psn[responses->count++] = (frame->bth.psn - wire->added[1].psn) &
					     0xFFFFFF;
}

static struct rt_bth read_request(const struct wire *wire, uint32_t number,
				  uint32_t bytes)
{
	return (struct rt_bth){ .opcode = RT_OP_RC_READ_REQUEST,
				.psn = (wire->added[1].psn + number) & 0xFFFFFF,
				.rkey = wire->added[0].rkey,
				.dma_bytes = bytes };
}

static void test_reads_that_cannot_be_are_not_answered(void **state)
{
	static const struct {
		const char *label;
		uint8_t opcode;
		uint32_t bytes, rkey_off;
	} cases[] = {
		{ "a foreign key", RT_OP_RC_READ_REQUEST, 2048, 1 },
		{ "nothing", RT_OP_RC_READ_REQUEST, 0, 0 },
		{ "above 2 GiB", RT_OP_RC_READ_REQUEST, (1u << 31) + 1, 0 },
		{ "half of all PSNs", RT_OP_RC_READ_REQUEST, 1u << 30, 0 },
		{ "a WRITE", RT_OP_RC_WRITE_ONLY, 64, 0 },
		{ "an ACK", RT_OP_RC_ACK, 0, 0 },
	};
	const struct rt_traffic_flow flow = wire_flow(RT_TRAFFIC_READ, 10000, 0);
	struct responses responses = { 0 };
	struct wire wire;

	(void)state;
	wire_config(&wire, 1 * GBPS, 256);
	wire.check = keep_responses;
	wire.context = &responses;
	wire_open(&wire);
	wire_add(&wire, &flow);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_bth bth = read_request(&wire, 0, cases[i].bytes);

		print_message("# %s\n", cases[i].label);
		bth.opcode = cases[i].opcode;
		bth.rkey += cases[i].rkey_off;
		bth.payload_bytes = bth.opcode == RT_OP_RC_WRITE_ONLY ? 64 : 0;
		wire_say(&wire, 0, bth);
		assert_int_equal(malformed(&wire, 0), i + 1);
	}
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire.frames[0], 0);
	wire_say(&wire, 0, read_request(&wire, 0, 513));
	wire_run(&wire, INT64_MAX);
	assert_int_equal(responses.count, 3);
	assert_int_equal(responses.psn[2], 2);
	assert_int_equal(malformed(&wire, 0), 6);
	wire_close(&wire);
}

static void expect_responses(const struct responses *responses, const uint32_t *psns,
			     unsigned count)
{
	assert_int_equal(responses->count, count);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(responses->psn[i], psns[i]);
}

/*
 * Whoever asks from a PSN on again will ask for all behind it again, too: what was still
 * to be answered from there on is forgotten, what lies before it is not.
 */
static void test_a_read_asked_again_is_answered_from_there_on(void **state)
{
	static const uint32_t psns[] = { 0, 1, 4, 5, 6, 7, 4, 5, 6, 7, 8 };
	struct responses responses = { 0 };
	struct wire wire;

	(void)state;
	open_quiet(&wire, RT_TRAFFIC_READ);
	wire.check = keep_responses;
	wire.context = &responses;
	wire_say(&wire, 0, read_request(&wire, 0, 2 * 1024));
	wire_say(&wire, 0, read_request(&wire, 2, 4 * 1024));
	wire_say(&wire, 0, read_request(&wire, 6, 2 * 1024));
	wire_say(&wire, 0, read_request(&wire, 4, 2 * 1024)); /* the rest of the 2nd */
	wire_say(&wire, 0, read_request(&wire, 6, 2 * 1024));
	wire_run(&wire, INT64_MAX);
	expect_responses(&responses, psns, 6);
	assert_int_equal(wire_totals(&wire, 0, 0).data_frames_retransmitted.value, 0);
	/* What was answered already is sent again, and counted so. */
	wire_say(&wire, 0, read_request(&wire, 4, 2 * 1024));
	wire_say(&wire, 0, read_request(&wire, 6, 2 * 1024));
	wire_say(&wire, 0, read_request(&wire, 8, 1));
	wire_run(&wire, INT64_MAX);
	expect_responses(&responses, psns, 11);
	/* Three messages were asked for, and a fourth; again is no other. */
	assert_int_equal(responses.msn[5], 3);
	assert_int_equal(responses.msn[10], 4);
	assert_int_equal(wire_totals(&wire, 0, 0).data_frames_retransmitted.value, 4);
	wire_close(&wire);
}

/* One more than was agreed on is not answered, and may be asked again. */
static void test_reads_beyond_what_was_agreed_wait(void **state)
{
	struct responses responses = { 0 };
	struct wire wire;

	(void)state;
	open_quiet(&wire, RT_TRAFFIC_READ);
	wire.check = keep_responses;
	wire.context = &responses;
	for (uint32_t i = 0; i < RT_SOFT_READS_MAX + 1; i++)
		wire_say(&wire, 0, read_request(&wire, i, 1));
	wire_run(&wire, INT64_MAX);
	assert_int_equal(responses.count, RT_SOFT_READS_MAX);
	wire_say(&wire, 0, read_request(&wire, RT_SOFT_READS_MAX, 1));
	wire_run(&wire, INT64_MAX);
	assert_int_equal(responses.count, RT_SOFT_READS_MAX + 1);
	assert_int_equal(responses.psn[RT_SOFT_READS_MAX], RT_SOFT_READS_MAX);
	/* One is missing: a NAK says so, once. */
	for (uint32_t i = 2; i < 4; i++)
		wire_say(&wire, 0, read_request(&wire, RT_SOFT_READS_MAX + i, 1));
	wire_run(&wire, INT64_MAX);
	assert_int_equal(wire_totals(&wire, 0, 0).nak_tx.value, 1);
	assert_int_equal(responses.count, RT_SOFT_READS_MAX + 1);
	wire_close(&wire);
}

RT_UNIT_MAIN(cmocka_unit_test(test_frames_that_fit_nobody_change_nothing),
	     cmocka_unit_test(test_writes_that_cannot_be_are_not_taken),
	     cmocka_unit_test(test_messages_go_on_as_they_began),
	     cmocka_unit_test(test_only_the_peer_is_heard),
	     cmocka_unit_test(test_answers_end_a_sender_by_their_name_or_not_at_all),
	     cmocka_unit_test(test_answers_count_while_a_sender_runs),
	     cmocka_unit_test(test_who_is_stopped_in_line_sends_nothing_more),
	     cmocka_unit_test(test_responses_that_cannot_be_are_not_taken),
	     cmocka_unit_test(test_a_nak_asks_for_the_requests_again),
	     cmocka_unit_test(test_reads_that_cannot_be_are_not_answered),
	     cmocka_unit_test(test_a_read_asked_again_is_answered_from_there_on),
	     cmocka_unit_test(test_reads_beyond_what_was_agreed_wait))
