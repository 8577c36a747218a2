/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_plain.c - plain frames take a shortcut through the decoder, and readers one
 * around it: both must find what the layers find, in every frame there is.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "packets.h"
#include "rocetune/capture.h"
#include "unit.h"
#include "wire/bytes.h"
#include "wire/plain.h"

#define FLAGS (RT_DECODE_ICRC | RT_DECODE_DIGEST)

/* Where a struct was before shows in what it is written over. */
static struct rt_frame blank(int fill, uint32_t cap_bytes, uint32_t wire_bytes)
{
	struct rt_frame frame;

	memset(&frame, fill, sizeof(frame));
	frame.time_ns = 0;
	frame.number = 1;
	frame.interface = 0;
	frame.link_type = RT_LINK_ETHERNET;
	frame.cap_bytes = cap_bytes;
	frame.wire_bytes = wire_bytes;
	/* whether it has a time is the caller's to say, the rest is not */
	frame.flags = fill ? (uint16_t)~RT_FRAME_NO_TIME : 0;
	return frame;
}

static void assert_same(const uint8_t *data, size_t cap_bytes, size_t wire_bytes)
{
	struct rt_frame quick = blank(0xA5, (uint32_t)cap_bytes, (uint32_t)wire_bytes);
	struct rt_frame layers = blank(0, (uint32_t)cap_bytes, (uint32_t)wire_bytes);
	/* of its own, so that a byte too far is noticed */
	uint8_t *copy = malloc(cap_bytes + 1);

	memcpy(copy, data, cap_bytes);
	rt_frame_decode(&quick, copy, FLAGS);
	rt_frame_decode(&layers, copy, FLAGS | RT_DECODE_LAYERS);
	free(copy);
	assert_memory_equal(&quick, &layers, sizeof(quick));
}

static bool is_plain(const uint8_t *data, size_t bytes)
{
	struct rt_frame frame = blank(0, (uint32_t)bytes, (uint32_t)bytes);

	return rt_plain_decode(&frame, data, 0);
}

static struct rt_build sample(unsigned opcode)
{
	struct rt_build packet = plain_packet(opcode);

	packet.bth.dest_qp = 0x112233;
	packet.bth.psn = 0x445566;
	packet.bth.syndrome = 0x62;
	packet.bth.msn = 0x778899;
	packet.bth.va = 0x0123456789ABCDEF;
	packet.bth.rkey = 0x22334455;
	packet.bth.dma_bytes = 0x66778899;
	packet.bth.immediate = 0xCAFEBABE;
	packet.vlan = 3 << 13 | 100;
	return packet;
}

/* Every opcode with every set of its bits, with and without a tag, at every cut. */
static void test_every_packet_cut_anywhere(void **state)
{
	unsigned plain = 0;

	(void)state;
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		struct rt_build packet = sample(opcode);
		uint8_t frame[RT_BUILD_HEADER_MAX + 64];
		size_t bytes;

		packet.tagged = opcode & 1;
		packet.bth.bits = opcode & 31;
		packet.bth.payload_bytes = opcode % 50;
		packet.ecn = (uint8_t)(opcode & 3);
		if (!rt_ops[opcode].name)
			continue;
		bytes = rt_build_roce(&packet, frame, sizeof(frame));
		plain += is_plain(frame, bytes);
		for (size_t cap = 0; cap <= bytes; cap++) {
			assert_same(frame, cap, bytes);
			assert_same(frame, cap, cap);
			assert_same(frame, cap, cap / 2);
		}
	}
	/* the shortcut is taken */
	assert_true(plain > 60);
}

/* Bytes of the headers changed at random: no value leads elsewhere. */
static void test_frames_changed_at_random(void **state)
{
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	for (unsigned round = 0; round < 200000; round++) {
		struct rt_build packet = sample((unsigned)rt_rng_below(&rng, 256));
		uint8_t frame[RT_BUILD_HEADER_MAX + 64 + 8] = { 0 };
		size_t bytes, trailer;

		if (!rt_ops[packet.bth.opcode].name)
			packet.bth.opcode = RT_OP_RC_WRITE_MIDDLE;
		packet.tagged = rt_rng_below(&rng, 4) == 0;
		packet.bth.payload_bytes = (uint32_t)rt_rng_below(&rng, 60);
		bytes = rt_build_roce(&packet, frame, sizeof(frame));
		trailer = rt_rng_below(&rng, 8);
		for (uint64_t i = rt_rng_below(&rng, 3); i > 0; i--)
			frame[rt_rng_below(&rng, 70)] = (uint8_t)rt_rng_below(&rng,
									      256);
		assert_same(frame, bytes, bytes + rt_rng_below(&rng, 2) * 8);
		assert_same(frame, bytes + trailer, bytes + trailer);
		assert_same(frame, rt_rng_below(&rng, bytes + 1), bytes);
	}
}

/* Lengths that contradict each other by a little are told alike. */
static void test_lengths_around_the_right_ones(void **state)
{
	const struct rt_build packet = sample(RT_OP_RC_WRITE_ONLY);
	uint8_t frame[RT_BUILD_HEADER_MAX];
	const size_t bytes = rt_build_roce(&packet, frame, sizeof(frame));

	(void)state;
	for (unsigned total = 0; total < 200; total++)
		for (unsigned udp = 0; udp < 200; udp++) {
			rt_put_be16(frame + 16, (uint16_t)total);
			rt_put_be16(frame + 38, (uint16_t)udp);
			assert_same(frame, bytes, bytes);
			assert_same(frame, bytes - 8, bytes);
		}
}

/* --- captures ---------------------------------------------------------------- */

static void assert_same_frames(const char *path)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *quick = NULL;
	RT_AUTO(rt_auto_source_close) struct rt_source *layers = NULL;
	struct rt_frame a[32] = { 0 }, b[32] = { 0 };
	size_t a_count = 0, b_count = 0;
	int r;

	if (rt_capture_open(path, FLAGS, &quick, NULL) < 0)
		return;
	assert_int_equal(rt_capture_open(path, FLAGS | RT_DECODE_LAYERS, &layers, NULL),
			 0);
	do {
		r = quick->ops->read(quick, a, 32, &a_count, NULL);
		assert_int_equal(layers->ops->read(layers, b, 32, &b_count, NULL), r);
		assert_int_equal(a_count, b_count);
		assert_memory_equal(a, b, sizeof(a));
	} while (r == 0 && a_count > 0);
}

static unsigned compare_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (strstr(entry->d_name, ".pcap")) {
			assert_same_frames(path);
			count++;
		}
	}
	closedir(dir);
	return count;
}

static void test_captures_of_others(void **state)
{
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/captures", rt_test_shared());
	RT_NEED_SHARED(path);
	assert_true(compare_folder(path) > 10);
	snprintf(path, sizeof(path), "%s/captures/rxe", rt_test_shared());
	assert_true(compare_folder(path) > 10);
}

RT_UNIT_MAIN(cmocka_unit_test(test_every_packet_cut_anywhere),
	     cmocka_unit_test(test_frames_changed_at_random),
	     cmocka_unit_test(test_lengths_around_the_right_ones),
	     cmocka_unit_test(test_captures_of_others))
