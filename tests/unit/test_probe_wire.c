/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of probes, and the packets that ICMP errors quote. */
#include "unit.h"

#include <string.h>

#include "base/own.h"
#include "wire/probe.h"
#include "wire/quote.h"

/*
 * RFC 792 by hand: type 3 (unreachable), code 3 (port); then the packet:
 * 45 b8: IPv4, DSCP 46, not ECT; 0060: 96 bytes; 4000: do not fragment;
 * 3e: TTL 62; 11: UDP; from 192.0.2.1 to 198.51.100.1;
 * UDP 50000 to 33434, length 76.
 */
static const uint8_t v4_port[] = {
	3,    3,    0,    0,    0,    0,    0,    0, /* ICMP */
	0x45, 0xb8, 0x00, 0x60, 0x12, 0x34, 0x40, 0x00,
	0x3e, 0x11, 0,    0, /* IP */
	192,  0,    2,    1,    198,  51,   100,  1,
	0xc3, 0x50, 0x82, 0x9a, /* UDP */
	0x00, 0x4c, 0,    0,
};

/* RFC 4443: type 2 (too big), MTU 1500; 6 1a...: IPv6, class 0x1a; hop limit 63. */
static const uint8_t v6_big[] = {
	2,    0,    0,    0,    0,    0,    0x05, 0xdc, 0x61, 0xa0, 0,    0,
	0x23, 0x00, 17,   63,   0x20, 0x01, 0x0d, 0xb8, 0,    1,    0,    0,
	0,    0,    0,    0,    0,    0,    0,    1,    0x20, 0x01, 0x0d, 0xb8,
	0,    2,    0,    0,    0,    0,    0,    0,    0,    0,    0,    1,
	0xc3, 0x50, 0x82, 0x9a, 0x23, 0x00, 0,    0,    'x',
};

static void test_quote_tells_how_a_packet_arrived(void **state)
{
	struct rt_quote quote;
	char text[RT_IP_TEXT_BYTES];

	(void)state;
	assert_true(rt_quote_parse(v4_port, sizeof(v4_port), false, &quote));
	assert_int_equal(quote.kind, RT_QUOTE_PORT_CLOSED);
	assert_int_equal(quote.tos, 0xb8);
	assert_int_equal(quote.ttl, 62);
	assert_int_equal(quote.ip_bytes, 96);
	assert_string_equal(rt_ip_format(&quote.from, text), "192.0.2.1");
	assert_string_equal(rt_ip_format(&quote.to, text), "198.51.100.1");
	assert_int_equal(quote.source_port, 50000);
	assert_int_equal(quote.port, 33434);
	assert_int_equal(quote.udp_bytes, 76);
	assert_int_equal(quote.payload_bytes, 0);
	assert_true(rt_quote_parse(v6_big, sizeof(v6_big), true, &quote));
	assert_int_equal(quote.kind, RT_QUOTE_TOO_BIG);
	assert_int_equal(quote.mtu_bytes.value, 1500);
	assert_int_equal(quote.tos, 0x1a);
	assert_int_equal(quote.ttl, 63);
	assert_int_equal(quote.ip_bytes, 9000);
	assert_string_equal(rt_ip_format(&quote.to, text), "2001:db8:2::1");
	assert_int_equal(quote.payload_bytes, 1);
	assert_int_equal(quote.payload[0], 'x');
}

static void test_quote_knows_its_kinds_and_nothing_else(void **state)
{
	static const struct {
		const char *label;
		uint8_t at, value; /* one byte is another one */
		bool ok;
		unsigned kind;
	} cases[] = {
		{ "forbidden", 1, 13, true, RT_QUOTE_UNREACHABLE },
		{ "too big, of an old router", 1, 4, true, RT_QUOTE_TOO_BIG },
		{ "TTL ended", 0, 11, false, 0 }, /* code 3 is none of it */
		{ "echo", 0, 8, false, 0 },
		{ "TCP", 17, 6, false, 0 },
		{ "IPv6 inside", 8, 0x65, false, 0 },
		{ "a header below 20 bytes", 8, 0x44, false, 0 },
		{ "a header beyond the message", 8, 0x4f, false, 0 },
		{ "a later fragment", 15, 1, false, 0 },
		{ "the first fragment", 14, 0x20, true, RT_QUOTE_PORT_CLOSED },
	};
	struct rt_quote quote;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		uint8_t copy[sizeof(v4_port)];

		memcpy(copy, v4_port, sizeof(copy));
		copy[cases[i].at] = cases[i].value;
		print_message("# %s\n", cases[i].label);
		assert_int_equal(rt_quote_parse(copy, sizeof(copy), false, &quote),
				 cases[i].ok);
		if (cases[i].ok)
			assert_int_equal(quote.kind, cases[i].kind);
		if (cases[i].ok && cases[i].kind == RT_QUOTE_TOO_BIG)
			assert_false(quote.mtu_bytes.known);
	}
	for (size_t bytes = 0; bytes < sizeof(v4_port); bytes++)
		assert_false(rt_quote_parse(v4_port, bytes, false, &quote));
	for (size_t bytes = 0; bytes + 1 < sizeof(v6_big); bytes++)
		assert_false(rt_quote_parse(v6_big, bytes, true, &quote));
	assert_false(rt_quote_parse(v4_port, sizeof(v4_port), true, &quote));
}

static void test_probe_packets_read_as_written(void **state)
{
	struct rt_probe_packet packet = { .type = RT_PROBE_ANSWER,
					  .tos_sent = 0x6a,
					  .tos_came = 0x03,
					  .ttl_came = 61,
					  .tos_known = true,
					  .large_answer = true,
					  .sequence = 0xabcd,
					  .bytes_came = 9000,
					  .cookie = { 1, 2, 3, [15] = 16 } };
	struct rt_probe_packet back;
	uint8_t bytes[RT_PROBE_BYTES];

	(void)state;
	rt_probe_write(&packet, bytes);
	assert_memory_equal(bytes, "RTPB\1\2\x6a\3\xab\xcd\x23\x28\x3d\1\1\0\1\2\3",
			    19);
	assert_true(rt_probe_read(bytes, sizeof(bytes), &back));
	assert_memory_equal(&back, &packet, sizeof(packet));
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_false(rt_probe_read(bytes, i, &back));
	bytes[4] = 2; /* a version to come */
	assert_false(rt_probe_read(bytes, sizeof(bytes), &back));
	bytes[4] = 1;
	bytes[5] = 3;
	assert_false(rt_probe_read(bytes, sizeof(bytes), &back));
}

RT_UNIT_MAIN(cmocka_unit_test(test_quote_tells_how_a_packet_arrived),
	     cmocka_unit_test(test_quote_knows_its_kinds_and_nothing_else),
	     cmocka_unit_test(test_probe_packets_read_as_written))
