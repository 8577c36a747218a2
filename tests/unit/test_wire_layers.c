/* SPDX-License-Identifier: BSD-2-Clause */
/* test_wire_layers.c - what may stand around a RoCE packet: links, tags, tunnels. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "packets.h"
#include "wire/bytes.h"
#include "wire/icrc.h"

/* A frame under construction: headers in front of what is there already. */
struct stack {
	uint8_t bytes[1024];
	size_t at; /* the frame is bytes[at] to the end */
};

static void push(struct stack *stack, const void *header, size_t bytes)
{
	assert_true(stack->at >= bytes);
	stack->at -= bytes;
	memcpy(stack->bytes + stack->at, header, bytes);
}

static size_t height(const struct stack *stack)
{
	return sizeof(stack->bytes) - stack->at;
}

/* "88 be" and so on; blanks between bytes. */
static void push_hex(struct stack *stack, const char *hex)
{
	uint8_t header[256];
	size_t bytes = 0;
	unsigned value;
	int used;

	for (; sscanf(hex, "%2x%n", &value, &used) == 1; hex += used)
		header[bytes++] = (uint8_t)value;
	push(stack, header, bytes);
}

static struct rt_frame decode_cap(const struct stack *stack, uint16_t link_type,
				  size_t cap)
{
	struct rt_frame frame = { .link_type = link_type,
				  .cap_bytes = (uint32_t)cap,
				  .wire_bytes = (uint32_t)height(stack) };
	uint8_t *copy = malloc(cap ? cap : 1);

	assert_non_null(copy);
	memcpy(copy, stack->bytes + stack->at, cap);
	rt_frame_decode(&frame, copy, RT_DECODE_ICRC);
	free(copy);
	return frame;
}

static struct rt_frame decode(const struct stack *stack, uint16_t link_type)
{
	/* at every cut length too: no byte beyond may be read */
	for (size_t cap = 0; cap < height(stack); cap++)
		decode_cap(stack, link_type, cap);
	return decode_cap(stack, link_type, height(stack));
}

static struct rt_build inner(void)
{
	struct rt_build packet = plain_packet(RT_OP_RC_WRITE_FIRST);

	packet.ecn = RT_ECN_CE;
	packet.ttl = 63;
	packet.ip_id = 0x1234;
	packet.bth.dest_qp = 0x112233;
	packet.bth.psn = 0x445566;
	packet.bth.dma_bytes = 4096;
	packet.bth.payload_bytes = 64;
	return packet;
}

/* The whole Ethernet frame of inner(), or its IP packet alone. */
static struct stack ethernet(void)
{
	const struct rt_build packet = inner();
	struct stack stack = { .at = sizeof(stack.bytes) };
	uint8_t frame[512];

	push(&stack, frame, rt_build_roce(&packet, frame, sizeof(frame)));
	return stack;
}

static struct stack network(bool v6)
{
	struct rt_build packet = inner();
	struct stack stack = { .at = sizeof(stack.bytes) };
	uint8_t frame[512];
	size_t bytes;

	packet.src.version = packet.dst.version = v6 ? 6 : 4;
	bytes = rt_build_roce(&packet, frame, sizeof(frame));
	push(&stack, frame + 14, bytes - 14);
	return stack;
}

static void assert_is_inner(const struct rt_frame *frame)
{
	const struct rt_build want = inner();

	assert_int_equal(frame->kind, RT_FRAME_ROCE);
	assert_int_equal(frame->version, RT_ROCE_V2);
	assert_int_equal(frame->flags, 0);
	assert_int_equal(frame->icrc, RT_ICRC_OK);
	assert_int_equal(frame->bth.opcode, want.bth.opcode);
	assert_int_equal(frame->bth.dest_qp, want.bth.dest_qp);
	assert_int_equal(frame->bth.psn, want.bth.psn);
	assert_int_equal(frame->bth.payload_bytes, want.bth.payload_bytes);
	assert_int_equal(frame->dscp, want.dscp);
	assert_int_equal(frame->ecn, want.ecn);
	assert_int_equal(frame->udp_sport, want.udp_sport);
	assert_memory_equal(frame->src.bytes, want.src.bytes, 16);
	assert_memory_equal(frame->dst.bytes, want.dst.bytes, 16);
}

/* --- links ------------------------------------------------------------------ */

static void test_wire_every_link_type_leads_to_the_packet(void **state)
{
	static const char sll[] = "00 00 00 01 00 06 02 00 00 00 00 0a 00 00 08 00";
	static const struct {
		const char *label;
		uint16_t link_type;
		bool whole; /* an Ethernet frame, not an IP packet */
		bool v6;
		const char *header;
	} cases[] = {
		{ "Ethernet", RT_LINK_ETHERNET, true, false, "" },
		{ "NULL, little-endian", RT_LINK_NULL, false, false, "02 00 00 00" },
		{ "NULL, big-endian", RT_LINK_NULL, false, false, "00 00 00 02" },
		{ "NULL, IPv6 of FreeBSD", RT_LINK_NULL, false, true, "1c 00 00 00" },
		{ "LOOP", RT_LINK_LOOP, false, false, "00 00 00 02" },
		{ "RAW", RT_LINK_RAW, false, false, "" },
		{ "RAW, IPv6", RT_LINK_RAW, false, true, "" },
		{ "IPV4", RT_LINK_IPV4, false, false, "" },
		{ "IPV6", RT_LINK_IPV6, false, true, "" },
		{ "SLL", RT_LINK_SLL, false, false, sll },
		{ "SLL2", RT_LINK_SLL2, false, false,
		  "08 00 00 00 00 00 00 03 00 01 00 06 02 00 00 00 00 0a 00 00" },
		{ "SLL2 with a tag", RT_LINK_SLL2, false, false,
		  "81 00 00 00 00 00 00 03 00 01 00 06 02 00 00 00 00 0a 00 00"
		  "60 64 08 00" },
		{ "ERF Ethernet", RT_LINK_ERF, true, false,
		  "01 02 03 04 05 06 07 08 02 04 00 c0 00 00 00 b0 00 00" },
		{ "ERF Ethernet, two extension headers", RT_LINK_ERF, true, false,
		  "01 02 03 04 05 06 07 08 82 04 00 c0 00 00 00 b0"
		  "83 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 00 00" },
		{ "ERF IPv4", RT_LINK_ERF, false, false,
		  "01 02 03 04 05 06 07 08 16 04 00 c0 00 00 00 b0" },
		{ "IPoIB", RT_LINK_IPOIB, false, false,
		  "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
		  "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
		  "08 00 00 00" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stack stack = cases[i].whole ? ethernet() : network(cases[i].v6);
		struct rt_frame got;

		print_message("# %s\n", cases[i].label);
		push_hex(&stack, cases[i].header);
		got = decode(&stack, cases[i].link_type);
		assert_is_inner(&got);
		if (cases[i].header == sll)
			assert_int_equal(got.eth_src[5], 0x0A);
	}
}

static void test_wire_unknown_links_and_types_are_other(void **state)
{
	struct stack stack = ethernet();

	(void)state;
	assert_int_equal(decode(&stack, 147).kind, RT_FRAME_OTHER);
	stack.bytes[stack.at + 12] = 0x99;
	assert_int_equal(decode(&stack, RT_LINK_ETHERNET).kind, RT_FRAME_OTHER);
	assert_int_equal(decode(&stack, RT_LINK_ETHERNET).ethertype, 0x9900);
}

static void test_wire_tags_are_counted_and_the_outer_one_is_kept(void **state)
{
	static const struct {
		const char *tags;
		unsigned count;
		uint16_t outer;
	} cases[] = {
		{ "81 00 60 64", 1, 0x6064 },
		{ "88 a8 00 c8 81 00 67 d1", 2, 0x00C8 },
		{ "91 00 00 05 81 00 00 06 81 00 00 07", 3, 5 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stack stack = ethernet();
		uint8_t macs[12];
		struct rt_frame got;

		memcpy(macs, stack.bytes + stack.at, 12);
		stack.at += 12;
		push_hex(&stack, cases[i].tags);
		push(&stack, macs, 12);
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_is_inner(&got);
		assert_int_equal(got.vlan_tags, cases[i].count);
		assert_int_equal(got.vlan, cases[i].outer);
		assert_int_equal(got.ethertype, 0x0800);
	}
}

/* --- IP --------------------------------------------------------------------- */

/* Put option or extension bytes behind the IP header and mend lengths and ICRC. */
static void insert_behind_ip(struct stack *stack, size_t ip_bytes, const char *hex)
{
	uint8_t ip[40];
	size_t before = height(stack), added;
	size_t bth;

	memcpy(ip, stack->bytes + stack->at, ip_bytes);
	stack->at += ip_bytes;
	push_hex(stack, hex);
	push(stack, ip, ip_bytes);
	added = height(stack) - before;
	if (ip_bytes == 20) {
		stack->bytes[stack->at] = (uint8_t)(0x40 | (20 + added) / 4);
		rt_put_be16(stack->bytes + stack->at + 2, (uint16_t)height(stack));
	} else {
		rt_put_be16(stack->bytes + stack->at + 4,
			    (uint16_t)(height(stack) - 40));
	}
	bth = ip_bytes + added + 8;
	rt_put_le32(stack->bytes + sizeof(stack->bytes) - 4,
		    rt_icrc_of(ip_bytes == 20 ? RT_ICRC_IPV4 : RT_ICRC_IPV6,
			       stack->bytes + stack->at, bth, height(stack) - 4));
}

static void test_wire_ipv4_options_are_skipped(void **state)
{
	struct stack stack = network(false);
	struct rt_frame got;

	(void)state;
	insert_behind_ip(&stack, 20, "94 04 00 00 01 01 01 00");
	got = decode(&stack, RT_LINK_RAW);
	assert_is_inner(&got);
}

static void test_wire_ipv6_extension_headers_are_skipped(void **state)
{
	static const struct {
		const char *label;
		uint8_t first; /* next header of the IPv6 header */
		const char *headers;
		uint16_t flags;
		uint8_t kind, icrc;
	} cases[] = {
		{ "hop by hop", 0, "11 00 01 04 00 00 00 00", 0, RT_FRAME_ROCE,
		  RT_ICRC_OK },
		{ "hop by hop, routing, destination", 0,
		  "2b 00 01 04 00 00 00 00 3c 01 00 00 00 00 00 00 00 00 00 00 00 00 "
		  "00 00"
		  "11 00 01 04 00 00 00 00",
		  0, RT_FRAME_ROCE, RT_ICRC_OK },
		{ "authentication", 51,
		  "11 02 00 00 00 00 00 01 00 00 00 00 00 00 00 00", 0, RT_FRAME_ROCE,
		  RT_ICRC_OK },
		{ "fragment header of a whole packet", 44, "11 00 00 00 00 00 00 01", 0,
		  RT_FRAME_ROCE, RT_ICRC_OK },
		{ "first fragment", 44, "11 00 00 01 00 00 00 01", RT_FRAME_FRAGMENT,
		  RT_FRAME_ROCE, RT_ICRC_CUT },
		{ "later fragment", 44, "11 00 00 09 00 00 00 01", RT_FRAME_FRAGMENT,
		  RT_FRAME_OTHER, RT_ICRC_NONE },
		{ "more than anybody sends", 0,
		  "00 00 01 04 00 00 00 00 00 00 01 04 00 00 00 00 00 00 01 04 00 00 "
		  "00 00"
		  "00 00 01 04 00 00 00 00 00 00 01 04 00 00 00 00 00 00 01 04 00 00 "
		  "00 00"
		  "00 00 01 04 00 00 00 00 00 00 01 04 00 00 00 00 11 00 01 04 00 00 "
		  "00 00",
		  RT_FRAME_MALFORMED, RT_FRAME_OTHER, RT_ICRC_NONE },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stack stack = network(true);
		struct rt_frame got;

		print_message("# %s\n", cases[i].label);
		stack.bytes[stack.at + 6] = cases[i].first;
		insert_behind_ip(&stack, 40, cases[i].headers);
		got = decode(&stack, RT_LINK_RAW);
		assert_int_equal(got.kind, cases[i].kind);
		assert_int_equal(got.flags, cases[i].flags);
		assert_int_equal(got.icrc, cases[i].icrc);
		if (got.flags == 0)
			assert_is_inner(&got);
	}
}

/* --- tunnels ---------------------------------------------------------------- */

#define OUTER_MACS "02 00 00 00 00 02 02 00 00 00 00 01 08 00"

/* An IPv4 header in front, with the length that is then right. */
static void push_ipv4(struct stack *stack, uint8_t proto)
{
	uint8_t header[20] = { 0x45, 0x50, 0,   0, 0, 7, 0,   0, 64, 0,
			       0,    0,    192, 0, 2, 1, 192, 0, 2,  2 };

	header[9] = proto;
	rt_put_be16(header + 2, (uint16_t)(height(stack) + 20));
	push(stack, header, 20);
	push_hex(stack, OUTER_MACS);
}

static void push_udp(struct stack *stack, uint16_t port)
{
	uint8_t header[8] = { 0xF0, 0x01 };

	rt_put_be16(header + 2, port);
	rt_put_be16(header + 4, (uint16_t)(height(stack) + 8));
	push(stack, header, 8);
	push_ipv4(stack, 17);
}

static void test_wire_tunnels_give_the_frame_inside(void **state)
{
	static const struct {
		const char *label;
		uint16_t port; /* 0: GRE */
		bool ip;       /* an IP packet is inside, no frame */
		const char *header;
		enum rt_encap encap;
		uint32_t id;
	} cases[] = {
		{ "VXLAN", 4789, false, "08 00 00 00 00 10 92 00", RT_ENCAP_VXLAN,
		  4242 },
		{ "Geneve", 6081, false, "00 00 65 58 00 10 92 00", RT_ENCAP_GENEVE,
		  4242 },
		{ "Geneve with options", 6081, false,
		  "02 00 65 58 00 10 92 00 01 02 03 01 00 00 00 00", RT_ENCAP_GENEVE,
		  4242 },
		{ "GRE-TEB", 0, false, "00 00 65 58", RT_ENCAP_GRE_TEB, 0 },
		{ "GRE-TEB with checksum, key, sequence", 0, false,
		  "b0 00 65 58 11 22 00 00 00 00 30 39 00 00 00 01", RT_ENCAP_GRE_TEB,
		  12345 },
		{ "ERSPAN I", 0, false, "00 00 88 be", RT_ENCAP_ERSPAN1, 0 },
		{ "ERSPAN II", 0, false,
		  "10 00 88 be 00 00 00 09 10 64 00 c7 00 00 00 02", RT_ENCAP_ERSPAN2,
		  199 },
		{ "ERSPAN III without a sequence number", 0, false,
		  "00 00 22 eb 20 64 00 c7 00 00 00 00 00 00 00 00", RT_ENCAP_ERSPAN3,
		  199 },
		{ "ERSPAN III with its long header", 0, false,
		  "10 00 22 eb 00 00 00 09 20 64 00 c7 00 00 00 00 00 00 00 01"
		  "00 00 00 00 00 00 00 00",
		  RT_ENCAP_ERSPAN3, 199 },
		{ "ERSPAN III with an IP packet", 0, true,
		  "10 00 22 eb 00 00 00 09 20 64 00 c7 00 00 00 00 00 00 08 00",
		  RT_ENCAP_ERSPAN3, 199 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stack stack = cases[i].ip ? network(false) : ethernet();
		struct rt_frame got;

		print_message("# %s\n", cases[i].label);
		push_hex(&stack, cases[i].header);
		if (cases[i].port)
			push_udp(&stack, cases[i].port);
		else
			push_ipv4(&stack, 47);
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_is_inner(&got);
		assert_int_equal(got.encap, cases[i].encap);
		assert_int_equal(got.encap_id, cases[i].id);
		assert_int_equal(got.eth_src[5], cases[i].ip ? 0 : 0x0A);
	}
}

/* Mirrors wrap the first bytes only: all of it was captured, yet it is cut. */
static void test_wire_frames_cut_within_a_tunnel_are_cut(void **state)
{
	for (size_t keep = 0; keep < 120; keep++) {
		const struct stack whole = ethernet();
		struct stack stack = { .at = sizeof(stack.bytes) };
		struct rt_frame got;

		push(&stack, whole.bytes + whole.at, keep);
		push_hex(&stack, "10 00 88 be 00 00 00 09 10 64 00 c7 00 00 00 02");
		push_ipv4(&stack, 47);
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_int_equal(got.encap, RT_ENCAP_ERSPAN2);
		assert_int_equal(got.kind, keep < 38 ? RT_FRAME_SHORT : RT_FRAME_ROCE);
		assert_true(got.flags & RT_FRAME_CUT);
		assert_false(got.flags & RT_FRAME_MALFORMED);
		if (keep < 54)
			continue;
		assert_int_equal(got.icrc, RT_ICRC_CUT);
		assert_int_equal(got.bth.psn, inner().bth.psn);
		assert_int_equal(got.bth.payload_bytes, inner().bth.payload_bytes);
	}
	(void)state;
}

static void test_wire_tunnels_in_tunnels_end(void **state)
{
	struct stack stack = ethernet();

	(void)state;
	for (unsigned depth = 1; depth < 8; depth++) {
		struct rt_frame got;

		push_hex(&stack, "08 00 00 00 00 00 00 00");
		stack.bytes[stack.at + 6] = (uint8_t)depth;
		push_udp(&stack, 4789);
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_int_equal(got.kind, depth <= 4 ? RT_FRAME_ROCE : RT_FRAME_OTHER);
		assert_int_equal(got.encap, RT_ENCAP_VXLAN);
		assert_int_equal(got.encap_id, depth); /* the outermost one */
	}
}

static void test_wire_near_tunnels_are_plain(void **state)
{
	static const struct {
		const char *label;
		uint16_t port;
		const char *header;
	} cases[] = {
		{ "VXLAN without the flag", 4789, "00 00 00 00 00 10 92 00" },
		{ "Geneve of another version", 6081, "40 00 65 58 00 10 92 00" },
		{ "Geneve with IP inside", 6081, "00 00 08 00 00 10 92 00" },
		{ "GRE version 1", 0, "30 01 88 0b" },
		{ "GRE with IP inside", 0, "00 00 08 00" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stack stack = ethernet();
		struct rt_frame got;

		print_message("# %s\n", cases[i].label);
		push_hex(&stack, cases[i].header);
		if (cases[i].port)
			push_udp(&stack, cases[i].port);
		else
			push_ipv4(&stack, 47);
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_int_equal(got.kind, RT_FRAME_OTHER);
		assert_int_equal(got.encap, RT_ENCAP_NONE);
		assert_int_equal(got.src.bytes[0], 192);
		assert_int_equal(got.udp_dport, cases[i].port);
	}
}

/* --- InfiniBand ------------------------------------------------------------- */

/* BTH to pad of inner(), and four bytes for the ICRC. */
static struct stack transport(void)
{
	struct stack stack = ethernet();

	stack.at += 14 + 20 + 8;
	return stack;
}

static void push_grh(struct stack *stack, uint8_t tclass)
{
	uint8_t header[40] = { 0x60, 0, 0, 0, 0, 0, 0x1B, 64 };

	header[0] |= tclass >> 4;
	header[1] = (uint8_t)(tclass << 4);
	rt_put_be16(header + 4, (uint16_t)height(stack));
	memset(header + 8, 0x51, 16);
	memset(header + 24, 0x52, 16);
	push(stack, header, 40);
}

static void push_lrh(struct stack *stack, uint8_t next)
{
	uint8_t header[8] = { 0x30, 0x50, 0x00, 0x05, 0, 0, 0xC0, 0x01 };

	header[1] |= next;
	rt_put_be16(header + 4, (uint16_t)((height(stack) + 8) / 4));
	push(stack, header, 8);
}

static void seal(struct stack *stack, enum rt_icrc_form form, size_t bth_offset)
{
	rt_put_le32(stack->bytes + sizeof(stack->bytes) - 4,
		    rt_icrc_of(form, stack->bytes + stack->at, bth_offset,
			       height(stack) - 4));
}

static void assert_is_ib(const struct rt_frame *got, enum rt_roce_version version,
			 bool global)
{
	assert_int_equal(got->kind, RT_FRAME_ROCE);
	assert_int_equal(got->version, version);
	assert_int_equal(got->icrc, RT_ICRC_OK);
	assert_int_equal(got->flags, global ? RT_FRAME_GRH : 0);
	assert_int_equal(got->bth.psn, 0x445566);
	assert_int_equal(got->bth.payload_bytes, 64);
	assert_int_equal(got->bth.ext, RT_EXT_RETH);
	if (!global)
		return;
	assert_int_equal(got->ecn, RT_ECN_CE);
	assert_int_equal(got->dscp, 26);
	assert_int_equal(got->src.version, 6);
	assert_int_equal(got->src.bytes[15], 0x51);
	assert_int_equal(got->dst.bytes[0], 0x52);
}

static void test_wire_rocev1_and_infiniband_are_decoded(void **state)
{
	struct stack stack = transport();
	struct rt_frame got;

	(void)state;
	push_grh(&stack, 26 << 2 | 3);
	seal(&stack, RT_ICRC_GRH, 40);
	push_hex(&stack, "02 00 00 00 00 0b 02 00 00 00 00 0a 89 15");
	got = decode(&stack, RT_LINK_ETHERNET);
	assert_is_ib(&got, RT_ROCE_V1, true);
	assert_int_equal(got.eth_src[5], 0x0A);

	stack = transport();
	push_lrh(&stack, 2);
	seal(&stack, RT_ICRC_LRH, 8);
	got = decode(&stack, RT_LINK_INFINIBAND);
	assert_is_ib(&got, RT_ROCE_IB, false);
	assert_int_equal(got.slid_dlid, 0xC0010005);

	stack = transport();
	push_grh(&stack, 26 << 2 | 3);
	push_lrh(&stack, 3);
	seal(&stack, RT_ICRC_LRH_GRH, 48);
	got = decode(&stack, RT_LINK_INFINIBAND);
	assert_is_ib(&got, RT_ROCE_IB, true);

	push_hex(&stack, "01 02 03 04 05 06 07 08 15 04 00 c0 00 00 00 b0");
	got = decode(&stack, RT_LINK_ERF);
	assert_is_ib(&got, RT_ROCE_IB, true);
}

static void test_wire_what_only_looks_like_infiniband_is_other(void **state)
{
	struct stack stack = transport();

	(void)state;
	push_lrh(&stack, 1); /* raw IPv6 */
	assert_int_equal(decode(&stack, RT_LINK_INFINIBAND).kind, RT_FRAME_OTHER);
	stack = transport();
	push_grh(&stack, 0);
	stack.bytes[stack.at + 6] = 17; /* next header is not IBA */
	push_lrh(&stack, 3);
	assert_int_equal(decode(&stack, RT_LINK_INFINIBAND).kind, RT_FRAME_OTHER);
}

/* --- pauses ----------------------------------------------------------------- */

static void test_wire_pauses_come_back_as_they_were_built(void **state)
{
	static const uint8_t mac[6] = { 0, 0, 0, 0, 0, 0 };

	(void)state;
	for (unsigned enable = 0; enable < 256; enable++) {
		struct rt_pause pause = { .enable = (uint8_t)enable };
		struct stack stack = { .at = sizeof(stack.bytes) - 60 };
		struct rt_frame got;

		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			pause.quanta[prio] = (uint16_t)(0xF000 + prio);
		rt_build_pfc(mac, &pause, stack.bytes + stack.at, 60);
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_int_equal(got.kind, RT_FRAME_PFC);
		assert_int_equal(got.flags, 0);
		assert_int_equal(got.pause.enable, enable);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			assert_int_equal(got.pause.quanta[prio],
					 enable >> prio & 1 ? 0xF000 + prio : 0);
	}
}

static void test_wire_mac_control_frames_are_told_apart(void **state)
{
	static const struct {
		const char *label, *control;
		uint8_t kind;
		uint16_t flags;
	} cases[] = {
		{ "PAUSE", "00 01 12 34", RT_FRAME_PAUSE, 0 },
		{ "PFC of 20 bytes, not padded",
		  "01 01 00 08 00 00 00 00 00 00 ff ff 00 00 00 00 00 00 00 00",
		  RT_FRAME_PFC, 0 },
		{ "PFC with a wrong enable vector",
		  "01 01 01 08 00 00 00 00 00 00 ff ff 00 00 00 00 00 00 00 00",
		  RT_FRAME_PFC, RT_FRAME_MALFORMED },
		{ "PFC that ends early", "01 01 00 08 00 00", RT_FRAME_SHORT,
		  RT_FRAME_MALFORMED },
		{ "MPCP gate", "00 02 00 00 00 00", RT_FRAME_OTHER, 0 },
		{ "nothing", "", RT_FRAME_SHORT, RT_FRAME_MALFORMED },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct stack stack = { .at = sizeof(stack.bytes) };
		struct rt_frame got;

		print_message("# %s\n", cases[i].label);
		push_hex(&stack, cases[i].control);
		push_hex(&stack, "01 80 c2 00 00 01 00 00 00 00 00 00 88 08");
		got = decode(&stack, RT_LINK_ETHERNET);
		assert_int_equal(got.kind, cases[i].kind);
		assert_int_equal(got.flags, cases[i].flags);
		if (got.kind == RT_FRAME_PAUSE)
			assert_int_equal(got.pause.quanta[0], 0x1234);
		if (got.kind == RT_FRAME_PFC)
			assert_int_equal(got.pause.quanta[3], 0xFFFF);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_wire_every_link_type_leads_to_the_packet),
	     cmocka_unit_test(test_wire_unknown_links_and_types_are_other),
	     cmocka_unit_test(test_wire_tags_are_counted_and_the_outer_one_is_kept),
	     cmocka_unit_test(test_wire_ipv4_options_are_skipped),
	     cmocka_unit_test(test_wire_ipv6_extension_headers_are_skipped),
	     cmocka_unit_test(test_wire_tunnels_give_the_frame_inside),
	     cmocka_unit_test(test_wire_frames_cut_within_a_tunnel_are_cut),
	     cmocka_unit_test(test_wire_tunnels_in_tunnels_end),
	     cmocka_unit_test(test_wire_near_tunnels_are_plain),
	     cmocka_unit_test(test_wire_rocev1_and_infiniband_are_decoded),
	     cmocka_unit_test(test_wire_what_only_looks_like_infiniband_is_other),
	     cmocka_unit_test(test_wire_pauses_come_back_as_they_were_built),
	     cmocka_unit_test(test_wire_mac_control_frames_are_told_apart))
