/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_capture_packed.c - compressed captures that are damaged: what zlib itself takes
 * and refuses says which files are, and how much comes out of them.
 */
#include "unit.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/own.h"
#include "base/rng.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

#define FILE_MAX     65536
#define RECORD_BYTES (16 + 48)

struct bytes {
	uint8_t data[FILE_MAX];
	size_t count;
};

/* A pcap of random frames, which do not compress. */
static void make_pcap(struct bytes *out, unsigned records)
{
	static const uint8_t header[24] = { 0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0,
					    0,    0,    0,    0,    0, 0, 0, 0,
					    0,    0,    4,    0,    1, 0, 0, 0 };
	struct rt_rng rng;

	rt_rng_init(&rng, 7, 0);
	memcpy(out->data, header, sizeof(header));
	out->count = sizeof(header);
	for (unsigned n = 0; n < records; n++) {
		uint8_t *record = out->data + out->count;

		memset(record, 0, 16);
		record[0] = (uint8_t)(n + 1);
		record[8] = record[12] = RECORD_BYTES - 16;
		for (unsigned i = 16; i < RECORD_BYTES; i++)
			record[i] = (uint8_t)rt_rng_below(&rng, 256);
		out->count += RECORD_BYTES;
	}
}

/* One more member, with bytes of data. */
static void append_gzip(struct bytes *out, const uint8_t *data, size_t bytes)
{
	z_stream zlib = { .next_in = (Bytef *)(uintptr_t)data,
			  .avail_in = (uInt)bytes };

	assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	zlib.next_out = out->data + out->count;
	zlib.avail_out = (uInt)(FILE_MAX - out->count);
	assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	out->count = FILE_MAX - zlib.avail_out;
	deflateEnd(&zlib);
}

static void append(struct bytes *out, const void *data, size_t bytes)
{
	memcpy(out->data + out->count, data, bytes);
	out->count += bytes;
}

/* What zlib makes of one file of whole members and nothing else; false: refused. */
static bool gunzip(const struct bytes *file, size_t *ret_bytes)
{
	static uint8_t out[FILE_MAX];
	z_stream zlib = { .next_in = (Bytef *)(uintptr_t)file->data,
			  .avail_in = (uInt)file->count };
	int r = Z_STREAM_END;

	assert_int_equal(inflateInit2(&zlib, 15 + 16), Z_OK);
	zlib.next_out = out;
	zlib.avail_out = sizeof(out);
	while (zlib.avail_in && r == Z_STREAM_END) {
		inflateReset(&zlib);
		r = inflate(&zlib, Z_FINISH);
	}
	*ret_bytes = sizeof(out) - zlib.avail_out;
	inflateEnd(&zlib);
	return r == Z_STREAM_END;
}

struct result {
	size_t frames;
	int failed;
	struct rt_err err;
	struct rt_capture_notes notes;
};

static struct result read_packed(const struct bytes *file)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	char path[] = "/tmp/rocetune-test-XXXXXX";
	struct result got = { 0 };
	struct rt_frame frames[32];
	const int fd = mkstemp(path);
	size_t count = 1;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->data, file->count), file->count);
	close(fd);
	got.failed = rt_capture_open(path, 0, &source, &got.err);
	while (got.failed == 0 && count) {
		got.failed = source->ops->read(source, frames, 32, &count, &got.err);
		got.frames += got.failed == 0 ? count : 0;
	}
	if (source)
		got.notes = *rt_capture_notes(source);
	unlink(path);
	return got;
}

/* Frames that are whole in so many bytes of a pcap. */
static size_t frames_in(size_t bytes)
{
	return bytes < 24 ? 0 : (bytes - 24) / RECORD_BYTES;
}

static void test_capture_every_flipped_bit_of_gzip_is_said(void **state)
{
	static struct bytes pcap, whole;
	unsigned refused = 0;

	(void)state;
	make_pcap(&pcap, 3);
	append_gzip(&whole, pcap.data, 100);
	append_gzip(&whole, pcap.data + 100, pcap.count - 100);
	assert_int_equal(read_packed(&whole).failed, 0);
	assert_int_equal(read_packed(&whole).frames, 3);
	for (size_t bit = 0; bit < whole.count * 8; bit++) {
		size_t bytes;
		struct result got;

		whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		got = read_packed(&whole);
		if (gunzip(&whole, &bytes)) {
			assert_int_equal(got.failed, 0);
			assert_int_equal(got.frames, 3);
		} else {
			refused++;
			if (got.failed == 0 && !got.notes.ends_early)
				fail_msg("bit %zu: nothing is said", bit);
		}
		whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	print_message("# %u of %zu flips\n", refused, whole.count * 8);
	assert_true(refused > whole.count * 7);
}

static void test_capture_what_follows_a_gzip_member(void **state)
{
	static const struct {
		const char *label, *bytes;
		size_t count;
		const char *says; /* NULL: it is fine */
	} cases[] = {
		{ "nothing", "", 0, NULL },
		{ "padding", "\0\0\0\0\0", 5, NULL },
		{ "garbage", "garbage", 7, "no gzip" },
		{ "garbage behind padding", "\0\0\0x", 4, "no gzip" },
		{ "a member behind padding", "\0\x1F\x8B", 3, "no gzip" },
		{ "half a magic", "\x1F", 1, "cut off" },
		{ "a bad magic", "\x1F\x8A\x08\0\0\0\0\0\0\3", 10, "header" },
	};
	static struct bytes pcap;

	(void)state;
	make_pcap(&pcap, 5);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct bytes file = { 0 };
		struct result got;

		append_gzip(&file, pcap.data, pcap.count);
		append(&file, cases[i].bytes, cases[i].count);
		got = read_packed(&file);
		print_message("# %s: %s\n", cases[i].label, got.err.msg);
		assert_int_equal(got.frames, 5);
		assert_int_equal(got.failed, cases[i].says ? -EBADMSG : 0);
		if (cases[i].says)
			assert_non_null(strstr(got.err.msg, cases[i].says));
		else
			assert_int_equal(got.notes.file_bytes, file.count);
	}
}

/* All that zlib gets out of the rest is analysed, and that it was cut is said. */
static void test_capture_a_cut_gzip_gives_what_came_out(void **state)
{
	static struct bytes pcap, file;
	size_t count;

	(void)state;
	make_pcap(&pcap, 500);
	append_gzip(&file, pcap.data, pcap.count);
	count = file.count;
	for (file.count = 200; file.count < count; file.count += 997) {
		size_t bytes;
		struct result got = read_packed(&file);

		assert_false(gunzip(&file, &bytes));
		assert_int_equal(got.failed, -EBADMSG);
		assert_int_equal(got.frames, frames_in(bytes));
		assert_non_null(strstr(got.err.msg, "cut off"));
	}
}

static void test_capture_a_cut_xz_gives_what_came_out(void **state)
{
	static struct bytes pcap, file;
	static uint8_t out[FILE_MAX];
	size_t count;

	(void)state;
	make_pcap(&pcap, 500);
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, pcap.data,
						 pcap.count, file.data, &file.count,
						 FILE_MAX),
			 LZMA_OK);
	count = file.count;
	assert_int_equal(read_packed(&file).frames, 500);
	for (file.count = 600; file.count < count; file.count += 997) {
		lzma_stream lzma = LZMA_STREAM_INIT;
		struct result got = read_packed(&file);

		assert_int_equal(lzma_stream_decoder(&lzma, UINT64_MAX, 0), LZMA_OK);
		lzma.next_in = file.data;
		lzma.avail_in = file.count;
		lzma.next_out = out;
		lzma.avail_out = sizeof(out);
		assert_int_equal(lzma_code(&lzma, LZMA_RUN), LZMA_OK);
		assert_int_equal(got.frames, frames_in(lzma.total_out));
		assert_true(got.failed == -EBADMSG || frames_in(lzma.total_out) == 0);
		assert_non_null(strstr(got.err.msg, "cut off"));
		lzma_end(&lzma);
	}
}

static void test_capture_compressed_twice_is_seen_through(void **state)
{
	static struct bytes pcap, once, twice;
	struct result got;

	(void)state;
	make_pcap(&pcap, 5);
	append_gzip(&once, pcap.data, pcap.count);
	append_gzip(&twice, once.data, once.count);
	got = read_packed(&twice);
	assert_int_equal(got.failed, 0);
	assert_int_equal(got.frames, 5);
	assert_int_equal(got.notes.bytes, pcap.count);
	assert_int_equal(got.notes.file_bytes, twice.count);
	/* the inner one's check sum */
	once.data[once.count - 8] ^= 1;
	twice.count = 0;
	append_gzip(&twice, once.data, once.count);
	got = read_packed(&twice);
	assert_int_equal(got.failed, -EBADMSG);
	assert_int_equal(got.frames, 5);
}

RT_UNIT_MAIN(cmocka_unit_test(test_capture_every_flipped_bit_of_gzip_is_said),
	     cmocka_unit_test(test_capture_what_follows_a_gzip_member),
	     cmocka_unit_test(test_capture_a_cut_gzip_gives_what_came_out),
	     cmocka_unit_test(test_capture_a_cut_xz_gives_what_came_out),
	     cmocka_unit_test(test_capture_compressed_twice_is_seen_through))
