/* SPDX-License-Identifier: BSD-2-Clause */
/* test_wire.c - the frame decoder: what was built comes back, cut or whole. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "packets.h"
#include "wire/bytes.h"
#include "wire/icrc.h"

/*
 * Decode cap bytes of a frame from a buffer of just that size, so that a
 * sanitizer sees any byte read beyond.
 */
static struct rt_frame decode(uint16_t link_type, const uint8_t *frame, size_t cap,
			      size_t wire)
{
	struct rt_frame decoded = { .link_type = link_type,
				    .cap_bytes = (uint32_t)cap,
				    .wire_bytes = (uint32_t)wire,
				    .time_ns = 77,
				    .number = 5,
				    .interface = 3 };
	uint8_t *copy = malloc(cap ? cap : 1);

	assert_non_null(copy);
	memcpy(copy, frame, cap);
	rt_frame_decode(&decoded, copy, RT_DECODE_ICRC);
	free(copy);
	assert_int_equal(decoded.time_ns, 77);
	assert_int_equal(decoded.number, 5);
	assert_int_equal(decoded.interface, 3);
	return decoded;
}

static struct rt_build sample(unsigned opcode)
{
	struct rt_build packet = plain_packet(opcode);

	packet.vlan = 3 << 13 | 100;
	packet.ecn = RT_ECN_CE;
	packet.ttl = 63;
	packet.ip_id = 0x1234;
	packet.flow_label = 0xABCDE;
	packet.bth = (struct rt_bth){
		.opcode = (uint8_t)opcode,
		.bits = RT_BTH_ACKREQ | RT_BTH_BECN,
		.tver = 5,
		.pkey = 0x8001,
		.dest_qp = 0xF12233,
		.psn = 0xF45566,
		.syndrome = 0x62,
		.msn = 0xF78899,
		.src_qp = 0xF9AABB,
		.qkey = 0xF1111111,
		.rkey = 0xF2334455,
		.dma_bytes = 0xF1234567,
		.immediate = 0xFAFEBABE,
		.xrc_srq = 0xF13233,
		.flush = 0xF0000001,
		.va = 0xF000123456789ABC,
		.swap_add = 0xF102030405060708,
		.compare = 0xF112131415161718,
	};
	return packet;
}

/* The fields of the BTH and of the extension headers that are in got. */
static void assert_same_bth(const struct rt_bth *got, const struct rt_bth *want)
{
	assert_int_equal(got->opcode, want->opcode);
	assert_int_equal(got->bits, want->bits);
	assert_int_equal(got->tver, want->tver);
	assert_int_equal(got->pkey, want->pkey);
	assert_int_equal(got->dest_qp, want->dest_qp);
	assert_int_equal(got->psn, want->psn);
	assert_int_equal(got->payload_bytes, want->payload_bytes);
	assert_int_equal(got->pad_bytes, -want->payload_bytes & 3);

	const struct {
		unsigned ext;
		uint64_t got, want;
	} fields[] = {
		{ RT_EXT_AETH, got->syndrome, want->syndrome },
		{ RT_EXT_AETH, got->msn, want->msn },
		{ RT_EXT_DETH, got->src_qp, want->src_qp },
		{ RT_EXT_DETH, got->qkey, want->qkey },
		{ RT_EXT_RETH | RT_EXT_ATOMICETH | RT_EXT_IETH, got->rkey, want->rkey },
		{ RT_EXT_RETH, got->dma_bytes, want->dma_bytes },
		{ RT_EXT_IMMDT, got->immediate, want->immediate },
		{ RT_EXT_XRCETH | RT_EXT_RDETH, got->xrc_srq, want->xrc_srq },
		{ RT_EXT_FETH, got->flush, want->flush },
		{ RT_EXT_RETH | RT_EXT_ATOMICETH, got->va, want->va },
		{ RT_EXT_ATOMICETH | RT_EXT_ATOMICACKETH, got->swap_add,
		  want->swap_add },
		{ RT_EXT_ATOMICETH, got->compare, want->compare },
	};

	/* what is not there reads as 0, not as something old */
	for (size_t i = 0; i < RT_ARRAY_SIZE(fields); i++)
		if (fields[i].got != (got->ext & fields[i].ext ? fields[i].want : 0))
			fail_msg("opcode %02x, field %zu", got->opcode, i);
}

/* --- round trips ------------------------------------------------------------ */

static void check_round_trip(const struct rt_build *packet)
{
	uint8_t frame[512];
	const size_t bytes = rt_build_roce(packet, frame, sizeof(frame));
	const struct rt_frame got = decode(RT_LINK_ETHERNET, frame, bytes, bytes);

	assert_int_equal(got.kind, RT_FRAME_ROCE);
	assert_int_equal(got.version, RT_ROCE_V2);
	assert_int_equal(got.flags, 0);
	assert_int_equal(got.icrc, RT_ICRC_OK);
	assert_int_equal(got.ethertype, packet->src.version == 6 ? 0x86DD : 0x0800);
	assert_int_equal(got.vlan_tags, packet->tagged);
	assert_int_equal(got.vlan, packet->tagged ? packet->vlan : 0);
	assert_int_equal(got.ip_proto, 17);
	assert_int_equal(got.dscp, packet->dscp);
	assert_int_equal(got.ecn, packet->ecn);
	assert_int_equal(got.ip_id, packet->src.version == 6 ? 0 : packet->ip_id);
	assert_int_equal(got.udp_sport, packet->udp_sport);
	assert_int_equal(got.udp_dport, RT_ROCE_UDP_PORT);
	assert_memory_equal(got.eth_src, packet->eth_src, 6);
	assert_memory_equal(got.eth_dst, packet->eth_dst, 6);
	assert_memory_equal(&got.src, &packet->src, sizeof(got.src));
	assert_memory_equal(&got.dst, &packet->dst, sizeof(got.dst));
	assert_int_equal(got.bth.ext, rt_ops[packet->bth.opcode].ext);
	assert_same_bth(&got.bth, &packet->bth);
}

/* Cut at every length: the rest is told from the length fields, or said cut. */
static void check_cuts(const struct rt_build *packet)
{
	const struct rt_op *op = &rt_ops[packet->bth.opcode];
	const size_t bth_at = (packet->tagged ? 18u : 14u) +
			      (packet->src.version == 6 ? 40u : 20u) + 8u;
	uint8_t frame[512];
	const size_t bytes = rt_build_roce(packet, frame, sizeof(frame));

	for (size_t cap = 0; cap < bytes; cap++) {
		const struct rt_frame got = decode(RT_LINK_ETHERNET, frame, cap, bytes);
		const bool has_bth = cap >= bth_at + 12;
		const bool has_ext = cap >= bth_at + 12 + op->ext_bytes;

		assert_true(got.flags & RT_FRAME_CUT);
		assert_false(got.flags & RT_FRAME_MALFORMED);
		if (cap < bth_at - 4) {
			assert_int_equal(got.kind, RT_FRAME_SHORT);
			continue;
		}
		assert_int_equal(got.kind, RT_FRAME_ROCE);
		assert_int_equal(got.icrc, RT_ICRC_CUT);
		assert_int_equal(!!(got.flags & RT_FRAME_BTH_CUT), !has_bth);
		assert_int_equal(!!(got.flags & RT_FRAME_EXT_CUT), has_bth && !has_ext);
		if (has_bth)
			assert_same_bth(&got.bth, &packet->bth);
	}
}

static void test_wire_every_opcode_comes_back_as_it_was_built(void **state)
{
	(void)state;
	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned payload = 0; payload < 5; payload++) {
			struct rt_build packet = sample(opcode);

			if (!rt_ops[opcode].name)
				continue;
			packet.bth.payload_bytes = payload;
			check_round_trip(&packet);
			check_cuts(&packet);
			packet.tagged = true;
			check_round_trip(&packet);
			packet.src.version = packet.dst.version = 6;
			memset(packet.src.bytes, 0x20, 16);
			memset(packet.dst.bytes, 0x21, 16);
			check_round_trip(&packet);
			check_cuts(&packet);
		}
}

static void test_wire_every_bit_of_the_bth_comes_back(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 32; bits++) {
		struct rt_build packet = sample(RT_OP_RC_WRITE_MIDDLE);

		packet.bth.bits = (uint8_t)bits;
		packet.ecn = bits & 3;
		packet.dscp = (uint8_t)(bits * 2 + 1);
		check_round_trip(&packet);
	}
}

static void test_wire_icrc_sees_damage_but_no_marks(void **state)
{
	struct rt_build packet = sample(RT_OP_RC_SEND_ONLY);
	uint8_t frame[256];
	size_t bytes;

	(void)state;
	packet.bth.payload_bytes = 64;
	bytes = rt_build_roce(&packet, frame, sizeof(frame));
	for (size_t at = bytes - 68; at < bytes; at++) {
		frame[at] ^= 0x10;
		assert_int_equal(decode(RT_LINK_ETHERNET, frame, bytes, bytes).icrc,
				 RT_ICRC_BAD);
		frame[at] ^= 0x10;
	}
	frame[15] ^= 0xFF; /* DSCP and ECN */
	frame[22]--;       /* TTL */
	assert_int_equal(decode(RT_LINK_ETHERNET, frame, bytes, bytes).icrc,
			 RT_ICRC_OK);
}

/* --- the opcode table ------------------------------------------------------- */

static void test_wire_opcode_table_is_that_of_the_standard(void **state)
{
	static const struct {
		uint8_t opcode;
		const char *name;
		unsigned ext;
		enum rt_stream stream;
		unsigned bits;
	} cases[] = {
		{ 0x00, "RC SEND First", 0, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_FULL },
		{ 0x01, "RC SEND Middle", 0, RT_STREAM_REQUEST, RT_OP_FULL },
		{ 0x03, "RC SEND Last Imm", RT_EXT_IMMDT, RT_STREAM_REQUEST,
		  RT_OP_ENDS },
		{ 0x06, "RC WRITE First", RT_EXT_RETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_FULL },
		{ 0x08, "RC WRITE Last", 0, RT_STREAM_REQUEST, RT_OP_ENDS },
		{ 0x0B, "RC WRITE Only Imm", RT_EXT_RETH | RT_EXT_IMMDT,
		  RT_STREAM_REQUEST, RT_OP_STARTS | RT_OP_ENDS },
		{ 0x0C, "RC READ Request", RT_EXT_RETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS | RT_OP_IS_READ | RT_OP_ASKS },
		{ 0x0D, "RC READ Resp First", RT_EXT_AETH, RT_STREAM_RESPONSE,
		  RT_OP_STARTS | RT_OP_FULL },
		{ 0x0E, "RC READ Resp Middle", 0, RT_STREAM_RESPONSE, RT_OP_FULL },
		{ 0x10, "RC READ Resp Only", RT_EXT_AETH, RT_STREAM_RESPONSE,
		  RT_OP_STARTS | RT_OP_ENDS },
		{ 0x11, "RC ACK", RT_EXT_AETH, RT_STREAM_NONE, 0 },
		{ 0x12, "RC ATOMIC ACK", RT_EXT_AETH | RT_EXT_ATOMICACKETH,
		  RT_STREAM_NONE, 0 },
		{ 0x13, "RC CmpSwap", RT_EXT_ATOMICETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS | RT_OP_ASKS },
		{ 0x17, "RC SEND Only Inv", RT_EXT_IETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS },
		{ 0x1C, "RC FLUSH", RT_EXT_FETH | RT_EXT_RETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS | RT_OP_ASKS },
		{ 0x1D, "RC ATOMIC WRITE", RT_EXT_RETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS },
		{ 0x26, "UC WRITE First", RT_EXT_RETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_FULL },
		{ 0x53, "RD CmpSwap", RT_EXT_RDETH | RT_EXT_DETH | RT_EXT_ATOMICETH,
		  RT_STREAM_REQUEST, RT_OP_STARTS | RT_OP_ENDS | RT_OP_ASKS },
		{ 0x51, "RD ACK", RT_EXT_RDETH | RT_EXT_AETH, RT_STREAM_NONE, 0 },
		{ 0x64, "UD SEND Only", RT_EXT_DETH, RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS },
		{ 0x65, "UD SEND Only Imm", RT_EXT_DETH | RT_EXT_IMMDT,
		  RT_STREAM_REQUEST, RT_OP_STARTS | RT_OP_ENDS },
		{ 0x81, "CNP", RT_EXT_CNP, RT_STREAM_NONE, 0 },
		{ 0xAC, "XRC READ Request", RT_EXT_XRCETH | RT_EXT_RETH,
		  RT_STREAM_REQUEST,
		  RT_OP_STARTS | RT_OP_ENDS | RT_OP_IS_READ | RT_OP_ASKS },
		{ 0xB1, "XRC ACK", RT_EXT_AETH, RT_STREAM_NONE, 0 },
		{ 0x15, NULL, 0, RT_STREAM_NONE, 0 },
		{ 0x31, NULL, 0, RT_STREAM_NONE, 0 }, /* UC has no ACK */
		{ 0x60, NULL, 0, RT_STREAM_NONE, 0 },
		{ 0x80, NULL, 0, RT_STREAM_NONE, 0 },
		{ 0xFF, NULL, 0, RT_STREAM_NONE, 0 },
	};
	unsigned known = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_op *op = &rt_ops[cases[i].opcode];

		print_message("# %02x\n", cases[i].opcode);
		if (cases[i].name)
			assert_string_equal(op->name, cases[i].name);
		else
			assert_null(op->name);
		assert_int_equal(op->ext, cases[i].ext);
		assert_int_equal(op->stream, cases[i].stream);
		assert_int_equal(op->bits, cases[i].bits);
	}
	for (unsigned opcode = 0; opcode < 256; opcode++)
		known += rt_ops[opcode].name != NULL;
	/* RC, UC, RD, UD, CNP, XRC */
	assert_int_equal(known, 25 + 12 + 23 + 2 + 1 + 23);
}

/* --- lengths that lie ------------------------------------------------------- */

static void test_wire_padding_behind_the_packet_is_not_data(void **state)
{
	struct rt_build packet = sample(RT_OP_RC_WRITE_MIDDLE);
	uint8_t frame[256] = { 0 };
	size_t bytes;
	struct rt_frame got;

	(void)state;
	packet.bth.payload_bytes = 100;
	bytes = rt_build_roce(&packet, frame, sizeof(frame));
	memset(frame + bytes, 0xEE, 10); /* an FCS and what a switch left */
	got = decode(RT_LINK_ETHERNET, frame, bytes + 10, bytes + 10);
	assert_int_equal(got.bth.payload_bytes, 100);
	assert_int_equal(got.icrc, RT_ICRC_OK);
	assert_int_equal(got.flags, 0);
}

static void test_wire_lengths_that_lie_are_said_and_believed_no_further(void **state)
{
	static const struct {
		const char *label;
		unsigned at; /* of a 16-bit length in the frame */
		uint16_t value;
		uint16_t flags;
		uint8_t kind;
		uint32_t payload_bytes;
	} cases[] = {
		{ "IP length beyond the frame", 16, 0xFFFF,
		  RT_FRAME_MALFORMED | RT_FRAME_CUT, RT_FRAME_ROCE, 100 },
		{ "IP length 0: segmentation offload", 16, 0, 0, RT_FRAME_ROCE, 100 },
		{ "IP header of 16 bytes", 14, 0x446A, RT_FRAME_MALFORMED,
		  RT_FRAME_OTHER, 0 },
		{ "IP version 5", 14, 0x556A, RT_FRAME_MALFORMED, RT_FRAME_OTHER, 0 },
		{ "IP length within its header", 16, 19, RT_FRAME_MALFORMED,
		  RT_FRAME_ROCE, 100 },
		{ "IP ends within UDP", 16, 23, RT_FRAME_MALFORMED, RT_FRAME_SHORT, 0 },
		{ "IP ends within the BTH", 16, 36,
		  RT_FRAME_MALFORMED | RT_FRAME_BTH_CUT, RT_FRAME_ROCE, 0 },
		{ "IP ends before the UDP", 16, 80, RT_FRAME_MALFORMED, RT_FRAME_ROCE,
		  36 },
		{ "UDP length beyond IP", 38, 0xFFFF, RT_FRAME_MALFORMED, RT_FRAME_ROCE,
		  100 },
		{ "UDP length within its header", 38, 7, RT_FRAME_MALFORMED,
		  RT_FRAME_ROCE, 100 },
		{ "UDP ends behind the BTH", 38, 20, RT_FRAME_MALFORMED, RT_FRAME_ROCE,
		  0 },
		{ "UDP ends before IP: trailer", 38, 64, 0, RT_FRAME_ROCE, 40 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_build packet = sample(RT_OP_RC_WRITE_MIDDLE);
		uint8_t frame[256];
		size_t bytes;
		struct rt_frame got;

		print_message("# %s\n", cases[i].label);
		packet.bth.payload_bytes = 100;
		bytes = rt_build_roce(&packet, frame, sizeof(frame));
		rt_put_be16(frame + cases[i].at, cases[i].value);
		got = decode(RT_LINK_ETHERNET, frame, bytes, bytes);
		assert_int_equal(got.kind, cases[i].kind);
		assert_int_equal(got.flags, cases[i].flags);
		assert_int_equal(got.kind == RT_FRAME_ROCE ? got.bth.payload_bytes : 0,
				 cases[i].payload_bytes);
	}
}

/* Some writers leave the wire length 0, or that of the packet without its link. */
static void test_wire_a_wire_length_below_what_is_there_is_no_bound(void **state)
{
	static const size_t wire[] = { 0, 20, 61 };
	struct rt_build packet = sample(RT_OP_RC_WRITE_MIDDLE);
	uint8_t frame[256];
	size_t bytes;

	(void)state;
	packet.bth.payload_bytes = 100;
	bytes = rt_build_roce(&packet, frame, sizeof(frame));
	for (size_t i = 0; i < RT_ARRAY_SIZE(wire); i++) {
		struct rt_frame got = decode(RT_LINK_ETHERNET, frame, bytes, wire[i]);

		assert_int_equal(got.kind, RT_FRAME_ROCE);
		assert_int_equal(got.flags, 0);
		assert_int_equal(got.icrc, RT_ICRC_OK);
		assert_int_equal(got.bth.payload_bytes, 100);
	}
}

/* A switch that mirrors the first 64 bytes makes short, whole frames of them. */
static void test_wire_frames_cut_by_a_mirror_are_cut_and_not_bad(void **state)
{
	struct rt_build packet = sample(RT_OP_RC_WRITE_MIDDLE);
	uint8_t frame[256];
	struct rt_frame got;

	(void)state;
	packet.bth.payload_bytes = 100;
	rt_build_roce(&packet, frame, sizeof(frame));
	got = decode(RT_LINK_ETHERNET, frame, 64, 64);
	assert_int_equal(got.kind, RT_FRAME_ROCE);
	assert_int_equal(got.flags, RT_FRAME_CUT | RT_FRAME_MALFORMED);
	assert_int_equal(got.icrc, RT_ICRC_CUT);
	assert_same_bth(&got.bth, &packet.bth);
}

static void test_wire_psn_and_pause_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(rt_psn_delta(5, 3), 2);
	assert_int_equal(rt_psn_delta(3, 5), -2);
	assert_int_equal(rt_psn_delta(1, 0xFFFFFF), 2);
	assert_int_equal(rt_psn_delta(0xFFFFFF, 1), -2);
	assert_int_equal(rt_psn_delta(0x7FFFFF, 0), 0x7FFFFF);
	assert_int_equal(rt_psn_delta(0x800000, 0), -0x800000);
	assert_int_equal(rt_pause_ns(0xFFFF, 100000000000), 335539);
	assert_int_equal(rt_pause_ns(0xFFFF, 1000000000), 33553920);
	assert_int_equal(rt_pause_ns(1, 400000000000), 1);
	assert_int_equal(rt_pause_ns(0, 400000000000), 0);
}

static void test_wire_more_captured_than_on_the_wire_is_no_harm(void **state)
{
	struct rt_build packet = sample(RT_OP_RC_ACK);
	uint8_t frame[128];
	const size_t bytes = rt_build_roce(&packet, frame, sizeof(frame));
	const struct rt_frame got = decode(RT_LINK_ETHERNET, frame, bytes, 10);

	(void)state;
	assert_int_equal(got.kind, RT_FRAME_ROCE);
	assert_int_equal(got.icrc, RT_ICRC_OK);
}

static void test_wire_fragments_are_flagged(void **state)
{
	struct rt_build packet = sample(RT_OP_RC_SEND_ONLY);
	uint8_t frame[128];
	const size_t bytes = rt_build_roce(&packet, frame, sizeof(frame));
	struct rt_frame got;

	(void)state;
	rt_put_be16(frame + 20, 0x2000); /* the first of several */
	got = decode(RT_LINK_ETHERNET, frame, bytes, bytes);
	assert_int_equal(got.kind, RT_FRAME_ROCE);
	assert_int_equal(got.flags, RT_FRAME_FRAGMENT);
	assert_int_equal(got.icrc, RT_ICRC_CUT);
	rt_put_be16(frame + 20, 0x0010); /* a later one: no ports in there */
	got = decode(RT_LINK_ETHERNET, frame, bytes, bytes);
	assert_int_equal(got.kind, RT_FRAME_OTHER);
	assert_int_equal(got.flags, RT_FRAME_FRAGMENT);
	assert_int_equal(got.udp_dport, 0);
	assert_int_equal(got.ip_proto, 17);
}

RT_UNIT_MAIN(
	cmocka_unit_test(test_wire_every_opcode_comes_back_as_it_was_built),
	cmocka_unit_test(test_wire_every_bit_of_the_bth_comes_back),
	cmocka_unit_test(test_wire_icrc_sees_damage_but_no_marks),
	cmocka_unit_test(test_wire_opcode_table_is_that_of_the_standard),
	cmocka_unit_test(test_wire_padding_behind_the_packet_is_not_data),
	cmocka_unit_test(test_wire_lengths_that_lie_are_said_and_believed_no_further),
	cmocka_unit_test(test_wire_a_wire_length_below_what_is_there_is_no_bound),
	cmocka_unit_test(test_wire_frames_cut_by_a_mirror_are_cut_and_not_bad),
	cmocka_unit_test(test_wire_psn_and_pause_arithmetic),
	cmocka_unit_test(test_wire_more_captured_than_on_the_wire_is_no_harm),
	cmocka_unit_test(test_wire_fragments_are_flagged))
