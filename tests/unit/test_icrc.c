/* SPDX-License-Identifier: BSD-2-Clause */
/* test_icrc.c - the CRC against its definition, the ICRC against vectors. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "wire/bytes.h"
#include "wire/icrc.h"

/* The definition, a bit at a time (802.3 3.2.9, reflected). */
static uint32_t crc_by_bits(uint32_t state, const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		state ^= data[i];
		for (unsigned bit = 0; bit < 8; bit++)
			state = state >> 1 ^ (state & 1 ? 0xEDB88320u : 0);
	}
	return state;
}

static void test_crc32_is_the_one_of_ethernet(void **state)
{
	(void)state;
	/* check value of CRC-32/ISO-HDLC in the catalogue of CRC algorithms */
	assert_int_equal(~rt_crc32_update(~0u, (const uint8_t *)"123456789", 9),
			 0xCBF43926u);
}

static void test_crc32_of_every_length_and_byte_is_that_of_the_definition(void **state)
{
	uint8_t data[600];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 167 + (i >> 3) * 29 + 11);
	for (size_t bytes = 0; bytes < sizeof(data); bytes++)
		for (size_t at = 0; at < 3 && at + bytes <= sizeof(data); at++)
			assert_int_equal(rt_crc32_update(0x12345678, data + at, bytes),
					 crc_by_bits(0x12345678, data + at, bytes));
	/* each table entry once: one byte set, at each place of a step */
	for (unsigned place = 0; place < 48; place++)
		for (unsigned value = 0; value < 256; value++) {
			uint8_t step[48] = { 0 }; /* too few to be folded */

			step[place] = (uint8_t)value;
			assert_int_equal(rt_crc32_update(0, step, sizeof(step)),
					 crc_by_bits(0, step, sizeof(step)));
		}
}

/* One frame out of a little-endian pcap file of the reference folder. */
static size_t read_frame(const char *name, unsigned index, uint8_t *frame, size_t room)
{
	char path[512];
	uint8_t header[24];
	size_t bytes = 0;

	snprintf(path, sizeof(path), "%s/captures/%s", rt_test_shared(), name);
	RT_NEED_SHARED(path);
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(header, 1, 24, file), 24);
	for (unsigned i = 0; i <= index; i++) {
		assert_int_equal(fread(header, 1, 16, file), 16);
		bytes = rt_get_le32(header + 8);
		assert_true(bytes <= room);
		assert_int_equal(fread(frame, 1, bytes, file), bytes);
	}
	return bytes;
}

static void test_icrc_of_published_packets_matches(void **state)
{
	static const struct {
		const char *label, *file;
		unsigned index;
		enum rt_icrc_form form;
		size_t bth_offset; /* from the network header */
		uint32_t stored;
	} cases[] = {
		{ "CNP of a ConnectX-4 Lx", "hex-cnp-connectx4lx.pcap", 0, RT_ICRC_IPV4,
		  28, 0x2a00fd82 },
		{ "UC over IPv4", "vec-rocev2-uc-v4-v6-icrc-scapy.pcap", 0,
		  RT_ICRC_IPV4, 28, 0xf353f378 },
		{ "UC over IPv6", "vec-rocev2-uc-v4-v6-icrc-scapy.pcap", 1,
		  RT_ICRC_IPV6, 48, 0x3b745b3e },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		uint8_t frame[256];
		const size_t bytes = read_frame(cases[i].file, cases[i].index, frame,
						sizeof(frame));

		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_get_le32(frame + bytes - 4), cases[i].stored);
		assert_int_equal(rt_icrc_of(cases[i].form, frame + 14,
					    cases[i].bth_offset, bytes - 14 - 4),
				 cases[i].stored);
	}
}

/*
 * Which bits of a packet of each form the ICRC leaves out.  The offsets are from
 * the first header; a bit that is listed must not change the ICRC, any other
 * bit of headers and payload must.
 */
static void test_icrc_leaves_out_exactly_what_may_change(void **state)
{
	static const struct {
		const char *label;
		enum rt_icrc_form form;
		size_t bth_offset;
		struct {
			uint8_t at, bits;
		} free[24];
	} cases[] = {
		{ "IPv4",
		  RT_ICRC_IPV4,
		  28,
		  { { 1, 0xFF },
		    { 8, 0xFF },
		    { 10, 0xFF },
		    { 11, 0xFF },
		    { 26, 0xFF },
		    { 27, 0xFF },
		    { 32, 0xFF } } },
		{ "IPv4 with options",
		  RT_ICRC_IPV4,
		  36,
		  { { 1, 0xFF },
		    { 8, 0xFF },
		    { 10, 0xFF },
		    { 11, 0xFF },
		    { 34, 0xFF },
		    { 35, 0xFF },
		    { 40, 0xFF } } },
		{ "IPv6",
		  RT_ICRC_IPV6,
		  48,
		  { { 0, 0x0F },
		    { 1, 0xFF },
		    { 2, 0xFF },
		    { 3, 0xFF },
		    { 7, 0xFF },
		    { 46, 0xFF },
		    { 47, 0xFF },
		    { 52, 0xFF } } },
		{ "RoCEv1",
		  RT_ICRC_GRH,
		  40,
		  { { 0, 0x0F },
		    { 1, 0xFF },
		    { 2, 0xFF },
		    { 3, 0xFF },
		    { 7, 0xFF },
		    { 44, 0xFF } } },
		{ "InfiniBand", RT_ICRC_LRH, 8, { { 0, 0xF0 }, { 12, 0xFF } } },
		{ "InfiniBand with GRH",
		  RT_ICRC_LRH_GRH,
		  48,
		  { { 0, 0xFF },
		    { 1, 0xFF },
		    { 2, 0xFF },
		    { 3, 0xFF },
		    { 4, 0xFF },
		    { 5, 0xFF },
		    { 6, 0xFF },
		    { 7, 0xFF },
		    { 8, 0x0F },
		    { 9, 0xFF },
		    { 10, 0xFF },
		    { 11, 0xFF },
		    { 15, 0xFF },
		    { 52, 0xFF } } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		uint8_t packet[128], free_bits[sizeof(packet)] = { 0 };
		const size_t bytes = cases[i].bth_offset + 12 + 23;
		uint32_t plain;

		print_message("# %s\n", cases[i].label);
		for (size_t at = 0; cases[i].free[at].bits; at++)
			free_bits[cases[i].free[at].at] = cases[i].free[at].bits;
		for (size_t at = 0; at < sizeof(packet); at++)
			packet[at] = (uint8_t)(at * 37 + 5);
		plain = rt_icrc_of(cases[i].form, packet, cases[i].bth_offset, bytes);
		for (size_t bit = 0; bit < bytes * 8; bit++) {
			const uint8_t flip = (uint8_t)(1u << bit % 8);
			uint32_t changed;

			packet[bit / 8] ^= flip;
			changed = rt_icrc_of(cases[i].form, packet, cases[i].bth_offset,
					     bytes);
			packet[bit / 8] ^= flip;
			if ((changed == plain) != !!(free_bits[bit / 8] & flip))
				fail_msg("byte %zu, bits %02x", bit / 8, flip);
		}
	}
}

/*
 * A processor that cannot multiply without carries gets the same by tables: every
 * form, header options, every length from the shortest to several steps.
 */
static void test_icrc_by_tables_is_that_by_multiplication(void **state)
{
	static const size_t bth_at[RT_ICRC_FORM_COUNT] = { 28, 48, 40, 8, 48 };
	uint8_t packet[700];

	(void)state;
	if (!rt_crc32_can_fold()) {
		print_message("# skipped: this processor has no PCLMULQDQ\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(packet); i++)
		packet[i] = (uint8_t)(i * 157 + (i >> 3));
	for (unsigned form = 0; form < RT_ICRC_FORM_COUNT; form++)
		for (size_t options = 0; options <= 40; options += 4)
			for (size_t bytes = bth_at[form] + options + 12;
			     bytes < sizeof(packet); bytes++)
				assert_int_equal(
					rt_icrc_by(form, packet, bth_at[form] + options,
						   bytes, true),
					rt_icrc_by(form, packet, bth_at[form] + options,
						   bytes, false));
}

RT_UNIT_MAIN(
	cmocka_unit_test(test_icrc_by_tables_is_that_by_multiplication),

	cmocka_unit_test(test_crc32_is_the_one_of_ethernet),
	cmocka_unit_test(test_crc32_of_every_length_and_byte_is_that_of_the_definition),
	cmocka_unit_test(test_icrc_of_published_packets_matches),
	cmocka_unit_test(test_icrc_leaves_out_exactly_what_may_change))
