/* SPDX-License-Identifier: BSD-2-Clause */
/* test_capture.c - capture files: formats and damage. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "wire/build.h"

/* --- files, a field at a time, in either byte order ------------------------- */

struct file {
	uint8_t bytes[8192];
	size_t used;
	bool big;
};

static void put(struct file *file, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		const unsigned shift = file->big ? 8 * (bytes - 1 - i) : 8 * i;

		file->bytes[file->used++] = shift < 64 ? (uint8_t)(value >> shift) : 0;
	}
}

static void put_bytes(struct file *file, const void *data, size_t bytes)
{
	memcpy(file->bytes + file->used, data, bytes);
	file->used += bytes;
}

static size_t ack(uint8_t frame[128])
{
	const struct rt_build packet = {
		.src = { .bytes = { 10, 0, 0, 10 }, .version = 4 },
		.dst = { .bytes = { 10, 0, 0, 11 }, .version = 4 },
		.bth = { .opcode = RT_OP_RC_ACK, .dest_qp = 17 },
	};

	return rt_build_roce(&packet, frame, 128);
}

static void pcap_header(struct file *file, uint32_t magic, uint32_t link_type)
{
	put(file, magic, 4);
	put(file, 2, 2);
	put(file, 4, 2);
	put(file, 0, 8);
	put(file, 262144, 4);
	put(file, link_type, 4);
}

static void pcap_record(struct file *file, uint32_t seconds, uint32_t fraction,
			uint32_t cap, uint32_t wire)
{
	put(file, seconds, 4);
	put(file, fraction, 4);
	put(file, cap, 4);
	put(file, wire, 4);
}

/* Blocks: begin, put the body, end, which mends both lengths. */
static size_t begin(struct file *file, uint32_t type)
{
	const size_t at = file->used;

	put(file, type, 4);
	put(file, 0, 4);
	return at;
}

static void end(struct file *file, size_t at)
{
	size_t used;

	while (file->used % 4)
		put(file, 0, 1);
	used = file->used + 4;
	file->used = at + 4;
	put(file, used - at, 4);
	file->used = used - 4;
	put(file, used - at, 4);
}

static void section(struct file *file)
{
	const size_t at = begin(file, 0x0A0D0D0A);

	put(file, 0x1A2B3C4D, 4);
	put(file, 1, 2);
	put(file, 0, 2);
	put(file, UINT64_MAX, 8);
	end(file, at);
}

static void option(struct file *file, uint16_t code, const void *value, uint16_t bytes)
{
	put(file, code, 2);
	put(file, bytes, 2);
	put_bytes(file, value, bytes);
	while (file->used % 4)
		put(file, 0, 1);
}

/* resolution < 0: no such option */
static void interface(struct file *file, uint16_t link_type, uint32_t snap,
		      const char *name, int resolution, int64_t offset_s)
{
	const size_t at = begin(file, 1);
	const uint8_t exponent = (uint8_t)resolution;

	put(file, link_type, 2);
	put(file, 0, 2);
	put(file, snap, 4);
	if (*name)
		option(file, 2, name, (uint16_t)strlen(name));
	if (resolution >= 0)
		option(file, 9, &exponent, 1);
	if (offset_s) {
		put(file, 14, 2);
		put(file, 8, 2);
		put(file, (uint64_t)offset_s, 8);
	}
	end(file, at);
}

static void enhanced(struct file *file, uint32_t index, uint64_t time)
{
	uint8_t frame[128];
	const size_t bytes = ack(frame);
	const size_t at = begin(file, 6);

	put(file, index, 4);
	put(file, time >> 32, 4);
	put(file, time & UINT32_MAX, 4);
	put(file, bytes, 4);
	put(file, bytes, 4);
	put_bytes(file, frame, bytes);
	end(file, at);
}

/* --- reading them ----------------------------------------------------------- */

struct result {
	struct rt_frame frames[16];
	size_t count;
	int failed;
	struct rt_err err;
	struct rt_capture_notes notes;
	struct rt_capture_if interfaces[8];
	size_t interface_count;
};

static struct result read_all(const struct file *file)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct result got = { 0 };
	uint8_t *copy = malloc(file->used ? file->used : 1);
	const struct rt_capture_if *interfaces;
	size_t count = 1;

	memcpy(copy, file->bytes, file->used);
	got.failed = rt_capture_open_memory(copy, file->used, RT_DECODE_ICRC, &source,
					    &got.err);
	while (got.failed == 0 && count) {
		got.failed = source->ops->read(source, got.frames + got.count,
					       RT_ARRAY_SIZE(got.frames) - got.count,
					       &count, &got.err);
		if (got.failed == 0)
			got.count += count;
	}
	if (source) {
		got.notes = *rt_capture_notes(source);
		interfaces = source->ops->interfaces(source, &got.interface_count);
		for (size_t i = 0; i < got.interface_count && i < 8; i++)
			got.interfaces[i] = interfaces[i];
	}
	free(copy);
	return got;
}

static void test_capture_pcap_of_every_kind_is_read(void **state)
{
	static const struct {
		const char *label;
		uint32_t magic;
		uint32_t units_per_s;
		unsigned extra; /* bytes behind the record header */
	} kinds[] = {
		{ "microseconds", 0xA1B2C3D4, 1000000, 0 },
		{ "nanoseconds", 0xA1B23C4D, 1000000000, 0 },
		{ "Kuznetsov", 0xA1B2CD34, 1000000, 8 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * RT_ARRAY_SIZE(kinds); i++) {
		struct file file = { .big = i & 1 };
		uint8_t frame[128];
		const size_t bytes = ack(frame);
		struct result got;

		print_message("# %s, %s-endian\n", kinds[i / 2].label,
			      file.big ? "big" : "little");
		/* upper bits of the link type: an FCS of four bytes */
		pcap_header(&file, kinds[i / 2].magic, 1 | 0x24000000);
		for (unsigned n = 0; n < 2; n++) {
			pcap_record(&file, 1000 + n, 250, (uint32_t)bytes, 70);
			put(&file, 0, kinds[i / 2].extra);
			put_bytes(&file, frame, bytes);
		}
		got = read_all(&file);
		assert_int_equal(got.failed, 0);
		assert_int_equal(got.count, 2);
		assert_int_equal(got.frames[1].kind, RT_FRAME_ROCE);
		assert_int_equal(got.frames[1].bth.dest_qp, 17);
		assert_int_equal(got.frames[1].number, 2);
		assert_int_equal(got.frames[1].cap_bytes, bytes);
		assert_int_equal(got.frames[1].wire_bytes, 70);
		assert_true(got.frames[1].time_ns ==
			    1001000000000 +
				    250 * (1000000000 / kinds[i / 2].units_per_s));
		assert_string_equal(got.notes.format, "pcap");
		assert_int_equal(got.notes.big_endian, file.big);
		assert_int_equal(got.notes.bytes, file.used);
		assert_false(got.notes.ends_early);
		assert_int_equal(got.interface_count, 1);
		assert_int_equal(got.interfaces[0].units_per_s,
				 kinds[i / 2].units_per_s);
		assert_int_equal(got.interfaces[0].snap_bytes, 262144);
		assert_int_equal(got.interfaces[0].link_type, RT_LINK_ETHERNET);
		assert_int_equal(got.interfaces[0].frames, 2);
	}
}

static void test_capture_pcapng_sections_of_both_byte_orders_are_read(void **state)
{
	struct file file = { 0 };
	struct result got;
	size_t at;

	(void)state;
	section(&file);
	interface(&file, 1, 0, "port0", 9, 0);
	interface(&file, 1, 0, "", -1, 0);
	enhanced(&file, 0, 5000000001);
	enhanced(&file, 1, 5000001);
	at = begin(&file, 0xBAD0BAD0); /* of no known type */
	put(&file, 7, 4);
	end(&file, at);

	file.big = true;
	section(&file);
	interface(&file, 101, 0, "binary", 0x80 | 10, 0);
	interface(&file, 1, 0, "later", 3, 100);
	enhanced(&file, 0, 2048 + 512); /* its link type says no IP header there */
	enhanced(&file, 1, 7);
	got = read_all(&file);
	assert_int_equal(got.failed, 0);
	assert_int_equal(got.count, 4);
	assert_string_equal(got.notes.format, "pcapng");
	assert_int_equal(got.notes.blocks_skipped, 1);
	assert_int_equal(got.interface_count, 4);
	assert_string_equal(got.interfaces[0].name, "port0");
	assert_string_equal(got.interfaces[1].name, "");
	assert_int_equal(got.interfaces[1].units_per_s, 1000000);
	assert_int_equal(got.interfaces[2].units_per_s, 1024);

	static const struct {
		int64_t time_ns;
		unsigned interface;
		uint8_t kind;
	} want[] = {
		{ 5000000001, 0, RT_FRAME_ROCE },
		{ 5000001000, 1, RT_FRAME_ROCE },
		{ 2500000000, 2, RT_FRAME_OTHER },
		{ 100007000000, 3, RT_FRAME_ROCE },
	};
	for (size_t i = 0; i < RT_ARRAY_SIZE(want); i++) {
		assert_true(got.frames[i].time_ns == want[i].time_ns);
		assert_int_equal(got.frames[i].interface, want[i].interface);
		assert_int_equal(got.frames[i].kind, want[i].kind);
		assert_int_equal(got.frames[i].number, i + 1);
	}
}

static void test_capture_pcapng_other_packet_blocks_are_read(void **state)
{
	struct file file = { 0 };
	uint8_t frame[128];
	const size_t bytes = ack(frame);
	struct result got;
	size_t at;

	(void)state;
	section(&file);
	interface(&file, 1, 40, "", -1, 0);
	at = begin(&file, 3); /* simple: cut by the snap length */
	put(&file, bytes, 4);
	put_bytes(&file, frame, 40);
	end(&file, at);
	at = begin(&file, 2); /* obsolete */
	put(&file, 0, 2);
	put(&file, 9, 2);
	put(&file, 0, 4);
	put(&file, 3000000, 4);
	put(&file, bytes, 4);
	put(&file, bytes, 4);
	put_bytes(&file, frame, bytes);
	end(&file, at);
	for (unsigned n = 1; n <= 2; n++) { /* statistics: the last ones hold */
		at = begin(&file, 5);
		put(&file, 0, 4);
		put(&file, 0, 8);
		put(&file, 5 | 8 << 16, 4);
		put(&file, n * 100, 8);
		put(&file, 7 | 8 << 16, 4);
		put(&file, n, 8);
		end(&file, at);
	}
	got = read_all(&file);
	assert_int_equal(got.failed, 0);
	assert_int_equal(got.count, 2);
	assert_int_equal(got.frames[0].cap_bytes, 40);
	assert_int_equal(got.frames[0].wire_bytes, bytes);
	assert_int_equal(got.frames[0].flags & RT_FRAME_NO_TIME, RT_FRAME_NO_TIME);
	assert_int_equal(got.frames[0].kind, RT_FRAME_ROCE);
	assert_int_equal(got.notes.no_time, 1);
	assert_true(got.frames[1].time_ns == 3000000000);
	assert_int_equal(got.frames[1].icrc, RT_ICRC_OK);
	assert_true(got.interfaces[0].dropped.known);
	assert_int_equal(got.interfaces[0].dropped.value, 202);
}

static void test_capture_absurd_counts_are_unknown(void **state)
{
	struct file file = { 0 };
	const uint64_t speed = UINT64_C(1) << 63;
	struct result got;
	size_t at;

	(void)state;
	section(&file);
	at = begin(&file, 1);
	put(&file, 1, 2);
	put(&file, 0, 6);
	option(&file, 8, &speed, 8);
	end(&file, at);
	at = begin(&file, 5);
	put(&file, 0, 4);
	put(&file, 0, 8);
	put(&file, 5 | 8 << 16, 4);
	put(&file, UINT64_MAX, 8);
	put(&file, 7 | 8 << 16, 4);
	put(&file, UINT64_C(1) << 63, 8);
	end(&file, at);
	got = read_all(&file);
	assert_int_equal(got.failed, 0);
	assert_int_equal(got.interfaces[0].speed_bps, 0);
	assert_false(got.interfaces[0].dropped.known);
}

/* --- damage ----------------------------------------------------------------- */

static struct file two_frames(bool ng, size_t *ret_second)
{
	struct file file = { 0 };
	uint8_t frame[128];
	const size_t bytes = ack(frame);

	if (ng) {
		section(&file);
		interface(&file, 1, 0, "port0", 9, 0);
		enhanced(&file, 0, 1);
		*ret_second = file.used;
		enhanced(&file, 0, 2);
		return file;
	}
	pcap_header(&file, 0xA1B2C3D4, 1);
	for (unsigned n = 0; n < 2; n++) {
		*ret_second = file.used;
		pcap_record(&file, n, 0, (uint32_t)bytes, (uint32_t)bytes);
		put_bytes(&file, frame, bytes);
	}
	return file;
}

static void test_capture_cut_at_any_byte_gives_what_is_whole(void **state)
{
	(void)state;
	for (unsigned ng = 0; ng < 2; ng++) {
		size_t second = 0;
		const struct file whole = two_frames(ng, &second);
		const size_t first = ng ? second - (whole.used - second) : 24;

		for (size_t cut = first; cut < whole.used; cut++) {
			struct file file = whole;
			struct result got;

			file.used = cut;
			got = read_all(&file);
			assert_int_equal(got.failed, 0);
			assert_int_equal(got.count, cut >= second);
			assert_int_equal(got.notes.ends_early,
					 cut != first && cut != second);
			if (got.notes.ends_early)
				assert_int_equal(got.notes.ends_at_bytes,
						 cut > second ? second : first);
		}
	}
}

static void test_capture_damage_is_an_error_with_its_place(void **state)
{
	static const struct {
		const char *label;
		bool ng;
		size_t at; /* in the second record */
		uint32_t value;
		const char *says;
	} cases[] = {
		{ "captured length", false, 8, 0x7FFFFFFF,
		  "2147483647 captured bytes" },
		{ "captured length, all ones", false, 8, UINT32_MAX, "captured bytes" },
		{ "block length 0", true, 4, 0, "length it claims" },
		{ "block length odd", true, 4, 97, "length it claims" },
		{ "block length huge", true, 4, 0xFFFFFFFC, "megabyte" },
		{ "block too short", true, 4, 16, "too short" },
		{ "lengths differ", true, 4, 92, "differ" },
		{ "interface", true, 8, 1, "was not described" },
		{ "packet length", true, 20, 0xFFFFFFFF, "longer than the block" },
		{ "packet length by one", true, 20, 65, "longer than the block" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		size_t second = 0, used;
		struct file file = two_frames(cases[i].ng, &second);
		char place[40];
		struct result got;

		print_message("# %s\n", cases[i].label);
		used = file.used;
		file.used = second + cases[i].at;
		put(&file, cases[i].value, 4);
		file.used = used;
		got = read_all(&file);
		print_message("# -> %s\n", got.err.msg);
		assert_int_equal(got.failed, -EBADMSG);
		assert_int_equal(got.count, 1); /* what stood before it */
		snprintf(place, sizeof(place), "at byte %zu", second);
		assert_non_null(strstr(got.err.msg, place));
		assert_non_null(strstr(got.err.msg, cases[i].says));
	}
}

/* A file system filled the end with zeros: no frames, and no block is so long. */
static void test_capture_zeros_are_no_frames(void **state)
{
	(void)state;
	for (unsigned ng = 0; ng < 2; ng++) {
		for (unsigned frames = 0; frames <= 2; frames += 2) {
			size_t second = 0;
			struct file file = two_frames(ng, &second);
			char place[40];
			struct result got;

			if (frames == 0)
				file.used = ng ? second - (file.used - second) : 24;
			snprintf(place, sizeof(place), "zeros at byte %zu", file.used);
			memset(file.bytes + file.used, 0, 4000);
			file.used += 4000;
			got = read_all(&file);
			print_message("# -> %s\n", got.err.msg);
			assert_int_equal(got.failed, -EBADMSG);
			assert_int_equal(got.count, frames);
			assert_non_null(strstr(got.err.msg, place));
		}
	}
}

/* Nothing was captured, at a time or of a frame of some length: legal. */
static void test_capture_empty_records_are_frames(void **state)
{
	struct file file = { 0 };
	struct result got;

	(void)state;
	pcap_header(&file, 0xA1B2C3D4, 1);
	pcap_record(&file, 7, 0, 0, 0);
	pcap_record(&file, 0, 1, 0, 0);
	pcap_record(&file, 0, 0, 0, 60);
	got = read_all(&file);
	assert_int_equal(got.failed, 0);
	assert_int_equal(got.count, 3);
	assert_false(got.notes.ends_early);
	assert_int_equal(got.frames[0].time_ns, 7000000000);
	assert_int_equal(got.frames[2].wire_bytes, 60);
}

static void test_capture_odd_resolutions_do_no_harm(void **state)
{
	static const struct {
		int resolution;
		uint64_t time;
		bool timed;
		int64_t time_ns;
	} cases[] = {
		{ 0, 3, true, 3000000000 },
		{ 12, 1500, true, 1 },
		{ 19, UINT64_MAX, true, 1844674407 },
		{ 20, 1, false, 0 },
		{ 0x7F, 1, false, 0 },
		{ 0x80, 3, true, 3000000000 },
		{ 0x80 | 63, (uint64_t)1 << 62, true, 500000000 },
		{ 0x80 | 64, 1, false, 0 },
		{ 0xFF, 1, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct file file = { 0 };
		struct result got;

		print_message("# %d\n", cases[i].resolution);
		section(&file);
		interface(&file, 1, 0, "", cases[i].resolution, 0);
		enhanced(&file, 0, cases[i].time);
		got = read_all(&file);
		assert_int_equal(got.failed, 0);
		assert_int_equal(got.count, 1);
		assert_int_equal(!(got.frames[0].flags & RT_FRAME_NO_TIME),
				 cases[i].timed);
		assert_true(got.frames[0].time_ns == cases[i].time_ns);
	}
}

/* A frame of no time, or of one that no clock shows, has the time before it. */
static void test_capture_absurd_times_are_none(void **state)
{
	static const struct {
		int64_t offset_s;
		uint64_t time; /* in nanoseconds */
		bool timed;
	} cases[] = {
		{ 0, ((uint64_t)1 << 62) - 1, true },
		{ 0, (uint64_t)1 << 62, false },
		{ 0, UINT64_MAX, false },
		{ 1, UINT64_MAX, false },
		{ -4611686018, 1, true },
		{ -4611686019, 1, false },
		{ INT64_MAX, 0, false },
		{ INT64_MIN, UINT64_MAX, false },
		{ -18446744073, UINT64_MAX, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct file file = { 0 };
		struct result got;

		print_message("# %zu\n", i);
		section(&file);
		interface(&file, 1, 0, "", 9, 0);
		interface(&file, 1, 0, "", 9, cases[i].offset_s);
		enhanced(&file, 0, 77);
		enhanced(&file, 1, cases[i].time);
		got = read_all(&file);
		assert_int_equal(got.count, 2);
		assert_int_equal(!(got.frames[1].flags & RT_FRAME_NO_TIME),
				 cases[i].timed);
		assert_true(got.frames[1].time_ns ==
			    (cases[i].timed ? (int64_t)((uint64_t)cases[i].offset_s *
								1000000000u +
							cases[i].time)
					    : 77));
	}
}

static void test_capture_what_is_none_is_named(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		const char *says;
	} cases[] = {
		{ "", 0, "empty" },
		{ "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "zeros" },
		{ "PK\3\4abcdefgh\0\0\0", 15, "ZIP" },
		{ "\x1F\x8B\x08\0\0\0\0\0", 8, "compressed" },
		{ "snoop\0\0\0\0\0\0\2\0\0\0\4", 16, "snoop" },
		{ "#!/bin/sh\necho hello\n", 21, "text" },
		{ "{\"a\": 1}", 8, "text" },
		{ "\x7F"
		  "ELF\2\1\1\0\0",
		  9, "program" },
		{ "\xFF\xFE\xFD\xFC\0\1", 6, "not known" },
		{ "\xD4\xC3\xB2\xA1\2\0", 6, "within its header" },
		{ "\xD4\xC3\xB2\xA1\7\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0", 24,
		  "version 7.4" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct file file = { .used = cases[i].count };
		struct result got;

		memcpy(file.bytes, cases[i].bytes, cases[i].count);
		got = read_all(&file);
		print_message("# -> %s\n", got.err.msg);
		assert_int_equal(got.failed, -EINVAL);
		assert_int_equal(got.count, 0);
		assert_non_null(strstr(got.err.msg, cases[i].says));
	}
}

/* Its magic stands behind the name and the numbers of the first file. */
static void test_capture_an_archive_of_files_is_named(void **state)
{
	struct file file = { .bytes = "dump/x.pcap", .used = 1024 };
	struct result got;

	(void)state;
	memcpy(file.bytes + 257, "ustar", 5);
	got = read_all(&file);
	assert_int_equal(got.failed, -EINVAL);
	assert_non_null(strstr(got.err.msg, "`tar -xf`"));
}

static void test_capture_failed_read_stays_failed(void **state)
{
	size_t second = 0;
	struct file file = two_frames(false, &second);
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_frame frames[4];
	size_t count = 99;

	(void)state;
	memset(file.bytes + second + 8, 0xFF, 4);
	assert_int_equal(
		rt_capture_open_memory(file.bytes, file.used, 0, &source, NULL), 0);
	assert_int_equal(source->ops->read(source, frames, 4, &count, NULL), 0);
	assert_int_equal(count, 1);
	for (unsigned i = 0; i < 3; i++) {
		count = 99;
		assert_int_equal(source->ops->read(source, frames, 4, &count, NULL),
				 -EBADMSG);
		assert_int_equal(count, 99); /* outputs are written on success only */
	}
}

/* --- files on disk ---------------------------------------------------------- */

static void test_capture_files_that_cannot_be_read_say_why(void **state)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_capture_open("/nowhere/x.pcap", 0, &source, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/x.pcap"));
	assert_int_equal(rt_capture_open("/tmp", 0, &source, &err), -EISDIR);
	assert_int_equal(rt_capture_open("/dev/null", 0, &source, &err), -EINVAL);
	assert_null(source);
}

RT_UNIT_MAIN(
	cmocka_unit_test(test_capture_pcap_of_every_kind_is_read),
	cmocka_unit_test(test_capture_pcapng_sections_of_both_byte_orders_are_read),
	cmocka_unit_test(test_capture_pcapng_other_packet_blocks_are_read),
	cmocka_unit_test(test_capture_cut_at_any_byte_gives_what_is_whole),
	cmocka_unit_test(test_capture_damage_is_an_error_with_its_place),
	cmocka_unit_test(test_capture_zeros_are_no_frames),
	cmocka_unit_test(test_capture_empty_records_are_frames),
	cmocka_unit_test(test_capture_an_archive_of_files_is_named),
	cmocka_unit_test(test_capture_odd_resolutions_do_no_harm),
	cmocka_unit_test(test_capture_absurd_counts_are_unknown),
	cmocka_unit_test(test_capture_absurd_times_are_none),
	cmocka_unit_test(test_capture_what_is_none_is_named),
	cmocka_unit_test(test_capture_failed_read_stays_failed),
	cmocka_unit_test(test_capture_files_that_cannot_be_read_say_why))
