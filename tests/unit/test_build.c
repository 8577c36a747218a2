/* SPDX-License-Identifier: BSD-2-Clause */
/* test_build.c - frames as they must stand on the wire, byte for byte. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "packets.h"
#include "wire/bytes.h"

static struct rt_build sample(void)
{
	struct rt_build packet = plain_packet(RT_OP_RC_ACK);

	packet.bth.dest_qp = 17;
	return packet;
}

static void test_build_lengths_are_those_of_the_wire(void **state)
{
	static const struct {
		const char *label;
		uint8_t opcode;
		uint32_t payload_bytes;
		bool tagged, v6;
		size_t bytes;
	} cases[] = {
		{ "ACK", RT_OP_RC_ACK, 0, false, false, 62 },
		{ "ACK, tagged", RT_OP_RC_ACK, 0, true, false, 66 },
		{ "ACK, IPv6", RT_OP_RC_ACK, 0, false, true, 82 },
		{ "CNP", RT_OP_CNP, 0, false, false, 74 },
		{ "READ Request", RT_OP_RC_READ_REQUEST, 0, false, false, 74 },
		{ "WRITE Middle", RT_OP_RC_WRITE_MIDDLE, 1024, false, false, 1082 },
		{ "WRITE First", RT_OP_RC_WRITE_FIRST, 4096, false, false, 4170 },
		{ "one byte is padded to four", RT_OP_RC_SEND_ONLY, 1, false, false,
		  62 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_build packet = sample();
		uint8_t frame[8192];

		print_message("# %s\n", cases[i].label);
		packet.bth.opcode = cases[i].opcode;
		packet.bth.payload_bytes = cases[i].payload_bytes;
		packet.tagged = cases[i].tagged;
		packet.src.version = packet.dst.version = cases[i].v6 ? 6 : 4;
		assert_int_equal(rt_build_roce_bytes(&packet), cases[i].bytes);
		assert_int_equal(rt_build_roce(&packet, frame, sizeof(frame)),
				 cases[i].bytes);
	}
}

static void test_build_makes_the_cnp_of_a_real_nic(void **state)
{
	char path[512];
	uint8_t file_bytes[256], frame[128];
	const uint8_t *real = file_bytes + 40;
	struct rt_build packet = {
		.src = { .bytes = { 10, 0, 17, 1 }, .version = 4 },
		.dst = { .bytes = { 10, 0, 18, 1 }, .version = 4 },
		.dscp = 48,
		.ecn = RT_ECN_ECT0,
		.ttl = 64,
		.ip_id = 0x718C,
		.udp_sport = 0,
		.bth = { .opcode = RT_OP_CNP,
			 .bits = RT_BTH_BECN,
			 .pkey = 0xFFFF,
			 .dest_qp = 0x118 },
	};

	(void)state;
	snprintf(path, sizeof(path), "%s/captures/hex-cnp-connectx4lx.pcap",
		 rt_test_shared());
	RT_NEED_SHARED(path);
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(file_bytes, 1, sizeof(file_bytes), file), 114);
	memcpy(packet.eth_dst, real, 6);
	memcpy(packet.eth_src, real + 6, 6);
	assert_int_equal(rt_build_roce(&packet, frame, sizeof(frame)), 74);
	assert_memory_equal(frame, real, 74);
}

static void test_build_into_a_small_buffer_gives_the_start_of_the_frame(void **state)
{
	struct rt_build packet = sample();
	uint8_t whole[2048], part[2048];
	size_t bytes;

	(void)state;
	packet.bth.opcode = RT_OP_RC_WRITE_FIRST;
	packet.bth.payload_bytes = 1024;
	bytes = rt_build_roce(&packet, whole, sizeof(whole));
	for (size_t room = 0; room <= bytes; room++) {
		memset(part, 0xA5, sizeof(part));
		assert_int_equal(rt_build_roce(&packet, part, room), bytes);
		/* the ICRC is written whole or not at all */
		assert_memory_equal(part, whole,
				    room < bytes - 4 ? room
				    : room == bytes  ? bytes
						     : bytes - 4);
		for (size_t at = room; at < room + 8; at++)
			assert_int_equal(part[at], 0xA5);
	}
}

static void test_build_pause_frames_are_those_of_the_standards(void **state)
{
	static const uint8_t mac[6] = { 0x02, 0, 0, 0, 0, 0x0A };
	static const uint8_t pfc[38] = {
		0x01, 0x80, 0xC2, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00,
		0x00, 0x0A, 0x88, 0x08, 0x01, 0x01, 0x00, 0x18, 0,    0,
		0,    0,    0,    0,    0xFF, 0xFF, 0,    0,    0,    0,
		0,    0,    0,    0,    0,    0,    0,    0,
	};
	static const uint8_t pause[20] = { 0x01, 0x80, 0xC2, 0x00, 0x00, 0x01, 0x02,
					   0x00, 0x00, 0x00, 0x00, 0x0A, 0x88, 0x08,
					   0x00, 0x01, 0x12, 0x34, 0,    0 };
	/* priority 0 has quanta but is not enabled; priority 4 resumes */
	const struct rt_pause ask = { .enable = 0x18, .quanta = { 7, 0, 0, 0xFFFF } };
	uint8_t frame[80];

	(void)state;
	memset(frame, 0xA5, sizeof(frame));
	assert_int_equal(rt_build_pfc(mac, &ask, frame, sizeof(frame)), 60);
	assert_memory_equal(frame, pfc, sizeof(pfc));
	for (size_t at = sizeof(pfc); at < 60; at++)
		assert_int_equal(frame[at], 0);
	assert_int_equal(frame[60], 0xA5);

	assert_int_equal(rt_build_pause(mac, 0x1234, frame, sizeof(frame)), 60);
	assert_memory_equal(frame, pause, sizeof(pause));
	for (size_t at = sizeof(pause); at < 60; at++)
		assert_int_equal(frame[at], 0);
}

RT_UNIT_MAIN(
	cmocka_unit_test(test_build_lengths_are_those_of_the_wire),
	cmocka_unit_test(test_build_makes_the_cnp_of_a_real_nic),
	cmocka_unit_test(test_build_into_a_small_buffer_gives_the_start_of_the_frame),
	cmocka_unit_test(test_build_pause_frames_are_those_of_the_standards))
