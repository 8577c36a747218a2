/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_tunnels.c - a capture in a tunnel says what the same capture says without it.
 *
 * Captures of a real stack are wrapped frame by frame, as mirrors and overlays do, by
 * headers that are written out here byte for byte; every figure of streams, marks and
 * connections must stay, and the report must say what was unwrapped.
 */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "pcaps.h"
#include "same.h"

/* What stands in front of a frame, outermost first. */
struct wrap {
	const char *label;
	const char *headers; /* hex; LL LL is the length of all behind, from there on */
	int length_from[2];  /* LL LL counts from so many bytes before itself */
	const char *row;     /* what the report calls it */
	unsigned inner_bytes; /* 0: all; mirrors keep the head */
};

#define OUTER_ETH   "02 00 00 00 00 02 02 00 00 00 00 01 "
#define OUTER_IPV4  OUTER_ETH "08 00 45 00 LL LL 00 07 00 00 40 "
#define OUTER_ADDRS "00 00 c0 00 02 01 c0 00 02 02 "
#define IPV6_ADDRS                                         \
	"fd 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 " \
	"fd 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02 "

static const struct wrap wraps[] = {
	{ "ERSPAN I",
	  OUTER_IPV4 "2f " OUTER_ADDRS "00 00 88 be",
	  { 2 },
	  "ERSPAN I",
	  0 },
	{ "ERSPAN II",
	  OUTER_IPV4 "2f " OUTER_ADDRS
		     "10 00 88 be 00 00 00 09 10 64 00 c7 00 00 00 02",
	  { 2 },
	  "ERSPAN II session 199",
	  0 },
	{ "ERSPAN II of the first 100 bytes",
	  OUTER_IPV4 "2f " OUTER_ADDRS
		     "10 00 88 be 00 00 00 09 10 64 00 c7 00 00 00 02",
	  { 2 },
	  "ERSPAN II session 199",
	  100 },
	{ "ERSPAN III, no sequence number",
	  OUTER_IPV4 "2f " OUTER_ADDRS
		     "00 00 22 eb 20 64 00 c7 00 00 00 00 00 00 00 00",
	  { 2 },
	  "ERSPAN III session 199",
	  0 },
	{ "ERSPAN III, long header",
	  OUTER_IPV4 "2f " OUTER_ADDRS
		     "10 00 22 eb 00 00 00 09 20 64 00 c7 00 00 00 00 00 00 00 01 "
		     "00 00 00 00 00 00 00 00",
	  { 2 },
	  "ERSPAN III session 199",
	  0 },
	{ "GRE Ethernet",
	  OUTER_IPV4 "2f " OUTER_ADDRS "00 00 65 58",
	  { 2 },
	  "GRE Ethernet key 0",
	  0 },
	{ "GRE Ethernet with key and sequence",
	  OUTER_IPV4 "2f " OUTER_ADDRS "30 00 65 58 00 00 30 39 00 00 00 01",
	  { 2 },
	  "GRE Ethernet key 12345",
	  0 },
	{ "VXLAN",
	  OUTER_IPV4 "11 " OUTER_ADDRS
		     "f0 01 12 b5 LL LL 00 00 08 00 00 00 00 10 92 00",
	  { 2, 4 },
	  "VXLAN vni 4242",
	  0 },
	{ "VXLAN behind a tag, over IPv6",
	  OUTER_ETH "81 00 20 05 86 dd 60 00 00 00 LL LL 11 40 " IPV6_ADDRS
		    "f0 01 12 b5 LL LL 00 00 08 00 00 00 00 10 92 00",
	  { -36, 4 },
	  "VXLAN vni 4242",
	  0 },
	{ "Geneve with options",
	  OUTER_IPV4 "11 " OUTER_ADDRS
		     "f0 01 17 c1 LL LL 00 00 02 00 65 58 00 10 92 00 01 02 03 01 00 "
		     "00 00 00",
	  { 2, 4 },
	  "GENEVE vni 4242",
	  0 },
};

/* A second tunnel around the first. */
static const struct wrap mirror_of_overlay = {
	"ERSPAN II",
	OUTER_IPV4 "2f " OUTER_ADDRS "10 00 88 be 00 00 00 09 10 64 00 07 00 00 00 02",
	{ 2 },
	"ERSPAN II session 7",
	0
};

static void put_be16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Write the headers in front of inner_bytes more; returns their length. */
static size_t wrap_header(const struct wrap *wrap, size_t inner_bytes, uint8_t *out)
{
	size_t count = 0, lengths = 0, at[2] = { 0 };

	for (const char *hex = wrap->headers; *hex;) {
		unsigned value;
		int used = 0;

		if (*hex == ' ') {
			hex++;
		} else if (*hex == 'L') {
			at[lengths++] = count;
			count += 2;
			hex += 5; /* "LL LL" */
		} else {
			assert_int_equal(sscanf(hex, "%2x%n", &value, &used), 1);
			out[count++] = (uint8_t)value;
			hex += used;
		}
	}
	for (size_t i = 0; i < lengths; i++)
		put_be16(out + at[i],
			 count + inner_bytes - at[i] + (size_t)wrap->length_from[i]);
	return count;
}

/* One frame of the file, cut at snap bytes of its own. */
static void append_wrapped(struct bytes *out, const struct wrap *wrap,
			   const uint8_t *record, uint32_t snap)
{
	const uint32_t wire = pcap_le32(record + 12);
	uint32_t cap = pcap_le32(record + 8), inner_wire = wire;
	uint8_t header[256];
	size_t header_bytes;

	if (wrap && wrap->inner_bytes && inner_wire > wrap->inner_bytes)
		inner_wire = wrap->inner_bytes;
	if (cap > inner_wire)
		cap = inner_wire;
	if (snap && cap > snap)
		cap = snap;
	header_bytes = wrap ? wrap_header(wrap, inner_wire, header) : 0;
	pcap_append(out, record, 8);
	pcap_append_le32(out, (uint32_t)header_bytes + cap);
	pcap_append_le32(out, (uint32_t)header_bytes + inner_wire);
	pcap_append(out, header, header_bytes);
	pcap_append(out, record + PCAP_RECORD, cap);
}

static void wrap_file(const struct bytes *file, const struct wrap *wrap, uint32_t snap,
		      struct bytes *out)
{
	pcap_append(out, file->at, PCAP_HEADER);
	for (size_t at = PCAP_HEADER; at < file->count;
	     at += PCAP_RECORD + pcap_le32(file->at + at + 8))
		append_wrapped(out, wrap, file->at + at, snap);
}

/* --- comparison ------------------------------------------------------------------ */

/* Frames are longer by what is in front of them. */
static void expect_equal(const struct rt_analysis *a, const struct rt_analysis *b)
{
	static const char *const but[] = { "wire_bytes", "captured_bytes",
					   "bytes",      "encaps",
					   "wire_bps",   "peak_wire_bps",
					   NULL };

	expect_same(&rt_analysis_table, a, b, but);
}

/* All frames went through one tunnel, and the report says which. */
static void expect_unwrapped(const struct rt_analysis *analysis, const char *row)
{
	const struct rt_analysis_capture *capture = &analysis->capture;

	assert_int_equal(capture->encap_count, 1);
	assert_string_equal(capture->encaps[0].name, row);
	assert_int_equal(capture->encaps[0].frames, capture->frames);
}

static void check_wrap(const struct bytes *file, const struct wrap *wrap, uint32_t snap)
{
	RT_AUTO(pcap_auto_free) struct bytes plain = { 0 };
	RT_AUTO(pcap_auto_free) struct bytes wrapped = { 0 };
	const uint32_t kept = wrap->inner_bytes && (!snap || wrap->inner_bytes < snap)
				      ? wrap->inner_bytes
				      : snap;
	struct rt_analysis a, b;

	wrap_file(file, NULL, kept, &plain);
	wrap_file(file, wrap, snap, &wrapped);
	pcap_analyse(&plain, &a);
	pcap_analyse(&wrapped, &b);
	expect_unwrapped(&b, wrap->row);
	expect_equal(&a, &b);
	rt_analysis_free(&a);
	rt_analysis_free(&b);
}

static void test_a_tunnel_changes_no_figure(void **state)
{
	static const uint32_t snaps[] = { 0, 80, 128 };
	RT_AUTO(pcap_auto_free) struct bytes file = { 0 };

	pcap_load(*state, &file);
	for (size_t i = 0; i < RT_ARRAY_SIZE(wraps); i++)
		for (size_t s = 0; s < RT_ARRAY_SIZE(snaps); s++) {
			print_message("# %s, %u bytes\n", wraps[i].label,
				      (unsigned)snaps[s]);
			check_wrap(&file, &wraps[i], snaps[s]);
		}
}

/* The report names the outermost. */
static void test_tunnels_in_tunnels_change_none_either(void **state)
{
	RT_AUTO(pcap_auto_free) struct bytes file = { 0 };

	pcap_load(*state, &file);
	for (size_t i = 0; i < RT_ARRAY_SIZE(wraps); i++) {
		RT_AUTO(pcap_auto_free) struct bytes inner = { 0 };
		RT_AUTO(pcap_auto_free) struct bytes outer = { 0 };
		struct rt_analysis a, b;

		print_message("# %s in ERSPAN II\n", wraps[i].label);
		wrap_file(&file, &wraps[i], 0, &inner);
		wrap_file(&inner, &mirror_of_overlay, 0, &outer);
		pcap_analyse(&inner, &a);
		pcap_analyse(&outer, &b);
		expect_unwrapped(&b, mirror_of_overlay.row);
		expect_equal(&a, &b);
		rt_analysis_free(&a);
		rt_analysis_free(&b);
	}
}

#define FILE_TEST(file, function)                                  \
	{                                                          \
		.name = #function " " file, .test_func = function, \
		.initial_state = (void *)(uintptr_t)(file)         \
	}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FILE_TEST("rxe-loss1-after.pcap", test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-cnp-ecn.pcap", test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-readloss-requester-s128.pcap",
			  test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-ipv6.pcap", test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-vlan100-pcp3.pcap", test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-double-mirror.pcap", test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-ud-send.pcap", test_a_tunnel_changes_no_figure),
		FILE_TEST("rxe-corrupt-after.pcap",
			  test_tunnels_in_tunnels_change_none_either),
		FILE_TEST("rxe-vlan100-pcp3.pcap",
			  test_tunnels_in_tunnels_change_none_either),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
