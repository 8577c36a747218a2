/* SPDX-License-Identifier: BSD-2-Clause */
#define ZLIB_CONST
#include "pktio/stage.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/own.h"
#include "rocetune/err.h"

#define OUT_BYTES (128u << 10)

/* What xz -9 asks for, four times. */
#define XZ_MEMORY_BYTES (256u << 20)

struct stage;

/* One compression; what is no negative errno is good. */
struct codec {
	const char *name;
	uint8_t magic[6];
	uint8_t magic_bytes;
	int (*open)(struct stage *stage, struct rt_err *err);
	/* From what there is of in to what there is room for of out. */
	int (*step)(struct stage *stage, struct rt_err *err);
	void (*close)(struct stage *stage);
	int (*filter)(struct archive *archive); /* of libarchive */
};

struct stage {
	struct rt_supply supply;
	struct rt_supply *from; /* owned */
	const struct codec *codec;
	union {
		z_stream zlib;
		lzma_stream lzma;
		struct archive *archive;
	} of;

	const uint8_t *in; /* from's */
	size_t in_bytes;
	bool in_ended, ended;
	uint64_t taken,
		given; /* bytes of in (of libarchive: lent), and of out, so far */

	/* gzip: the member at hand, and where it and what it holds begin */
	bool in_member, padding;
	uint64_t member_at, member_gives;

	int failed; /* to be said once what lies in out is taken */
	struct rt_err why;
	size_t out_bytes;
	uint8_t out[OUT_BYTES];
};

static void count(struct stage *stage, size_t in_left, size_t out_left)
{
	const size_t took = stage->in_bytes - in_left;
	const size_t gave = OUT_BYTES - stage->out_bytes - out_left;

	stage->in += took;
	stage->in_bytes = in_left;
	stage->taken += took;
	stage->out_bytes += gave;
	stage->given += gave;
}

/* --- gzip: members one after the other (RFC 1952) ------------------------------ */

static int gzip_open(struct stage *stage, struct rt_err *err)
{
	/* 15 bits of window, and 16 for gzip's header and trailer */
	if (inflateInit2(&stage->of.zlib, 15 + 16) != Z_OK)
		return rt_err_set(err, -ENOMEM, "out of memory");
	stage->in_member = true;
	return 0;
}

static int gzip_damaged(const struct stage *stage, const char *what, struct rt_err *err)
{
	return rt_err_set(err, -EBADMSG,
			  "%s at byte %llu of the gzip data, in the member that begins "
			  "at byte %llu. gzip has its check sum at the end of a "
			  "member: what comes from byte %llu of the capture on is not "
			  "verified",
			  what, (unsigned long long)stage->taken,
			  (unsigned long long)stage->member_at,
			  (unsigned long long)stage->member_gives);
}

/* Behind a member comes another, or the end, or zeros until then. */
static int gzip_between(struct stage *stage, struct rt_err *err)
{
	size_t zeros = 0;

	if (stage->in_bytes == 0) {
		stage->ended = true;
		return 0;
	}
	if (!stage->padding && stage->in[0] == stage->codec->magic[0]) {
		inflateReset(&stage->of.zlib);
		stage->in_member = true;
		return 0;
	}
	stage->padding = true;
	while (zeros < stage->in_bytes && stage->in[zeros] == 0)
		zeros++;
	count(stage, stage->in_bytes - zeros, OUT_BYTES - stage->out_bytes);
	if (stage->in_bytes == 0)
		return 0;
	return rt_err_set(err, -EBADMSG,
			  "what stands at byte %llu of the gzip data, behind a whole "
			  "member, is no gzip: all before it is verified, anything "
			  "after it is not read",
			  (unsigned long long)stage->taken);
}

static int gzip_step(struct stage *stage, struct rt_err *err)
{
	z_stream *zlib = &stage->of.zlib;
	int r;

	if (!stage->in_member)
		return gzip_between(stage, err);
	zlib->next_in = stage->in;
	zlib->avail_in = (uInt)stage->in_bytes;
	zlib->next_out = stage->out + stage->out_bytes;
	zlib->avail_out = (uInt)(OUT_BYTES - stage->out_bytes);
	r = inflate(zlib, Z_NO_FLUSH);
	count(stage, zlib->avail_in, zlib->avail_out);
	if (r == Z_STREAM_END) {
		stage->in_member = false;
		stage->member_at = stage->taken;
		stage->member_gives = stage->given;
	}
	if (r == Z_OK || r == Z_STREAM_END || (r == Z_BUF_ERROR && !stage->in_ended))
		return 0;
	if (r == Z_MEM_ERROR)
		return rt_err_set(err, -ENOMEM, "out of memory");
	return gzip_damaged(stage,
			    r == Z_BUF_ERROR ? "the file was cut off"
			    : zlib->msg      ? zlib->msg
					     : "damaged",
			    err);
}

static void gzip_close(struct stage *stage)
{
	inflateEnd(&stage->of.zlib);
}

/* --- xz ------------------------------------------------------------------------ */

static int xz_open(struct stage *stage, struct rt_err *err)
{
	if (lzma_stream_decoder(&stage->of.lzma, XZ_MEMORY_BYTES, LZMA_CONCATENATED) !=
	    LZMA_OK)
		return rt_err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static const char *xz_says(lzma_ret r)
{
	switch (r) {
	case LZMA_BUF_ERROR: return "the file was cut off";
	case LZMA_FORMAT_ERROR: return "what follows is no xz";
	case LZMA_OPTIONS_ERROR: return "options that are not known";
	default: return "the data are damaged";
	}
}

static int xz_step(struct stage *stage, struct rt_err *err)
{
	lzma_stream *lzma = &stage->of.lzma;
	lzma_ret r;

	lzma->next_in = stage->in;
	lzma->avail_in = stage->in_bytes;
	lzma->next_out = stage->out + stage->out_bytes;
	lzma->avail_out = OUT_BYTES - stage->out_bytes;
	r = lzma_code(lzma, stage->in_ended ? LZMA_FINISH : LZMA_RUN);
	count(stage, lzma->avail_in, lzma->avail_out);
	stage->ended = r == LZMA_STREAM_END;
	if (r == LZMA_OK || stage->ended || (r == LZMA_BUF_ERROR && !stage->in_ended))
		return 0;
	if (r == LZMA_MEM_ERROR)
		return rt_err_set(err, -ENOMEM, "out of memory");
	if (r == LZMA_MEMLIMIT_ERROR)
		return rt_err_set(err, -EBADMSG,
				  "xz says that it takes more than %u MB of memory; "
				  "decompress the file first",
				  XZ_MEMORY_BYTES >> 20);
	return rt_err_set(err, -EBADMSG,
			  "%s at byte %llu of the xz data, byte %llu of the capture",
			  xz_says(r), (unsigned long long)stage->taken,
			  (unsigned long long)stage->given);
}

static void xz_close(struct stage *stage)
{
	lzma_end(&stage->of.lzma);
}

/* --- what libarchive does ------------------------------------------------------ */

/* It asks for the next packed bytes; the first ones are there already. */
static la_ssize_t feed(struct archive *archive, void *context, const void **ret_packed)
{
	struct stage *stage = context;
	const uint8_t *data = stage->in;
	ssize_t got = (ssize_t)stage->in_bytes;
	struct rt_err err = { 0 };

	if (got == 0)
		got = stage->from->next(stage->from, &data, &err);
	stage->in_bytes = 0;
	if (got < 0) {
		archive_set_error(archive, (int)-got, "%s", err.msg);
		return -1;
	}
	stage->taken += (uint64_t)got;
	*ret_packed = data;
	return got;
}

static int archive_damaged(const struct stage *stage, struct rt_err *err)
{
	const char *why = archive_error_string(stage->of.archive);

	return rt_err_set(err, -EBADMSG,
			  "%s: %s; byte %llu of the capture or a little "
			  "later (up to 128 KB before the damage are not "
			  "read)",
			  stage->codec->name, why ? why : "damaged",
			  (unsigned long long)stage->given);
}

static int archive_open(struct stage *stage, struct rt_err *err)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;

	if (!archive)
		return rt_err_set(err, -ENOMEM, "out of memory");
	stage->of.archive = archive;
	if (stage->codec->filter(archive) >= ARCHIVE_WARN &&
	    archive_read_support_format_raw(archive) == ARCHIVE_OK &&
	    archive_read_open(archive, stage, NULL, feed, NULL) == ARCHIVE_OK &&
	    archive_read_next_header(archive, &entry) == ARCHIVE_OK)
		return 0;
	archive_damaged(stage, err);
	archive_read_free(archive);
	return -EBADMSG;
}

/* libarchive ends in silence where no more of the same follows. */
static int archive_ended(const struct stage *stage, struct rt_err *err)
{
	const uint64_t used = (uint64_t)archive_filter_bytes(stage->of.archive, -1);

	if (used >= stage->taken)
		return 0;
	return rt_err_set(err, -EBADMSG,
			  "what stands at byte %llu of the %s data, behind all that is "
			  "whole, is no %s",
			  (unsigned long long)used, stage->codec->name,
			  stage->codec->name);
}

static ssize_t archive_next(struct rt_supply *supply, const uint8_t **ret_data,
			    struct rt_err *err)
{
	struct stage *stage = (struct stage *)supply;
	const void *data;
	size_t bytes = 0;
	la_int64_t offset;
	int r;

	do
		r = archive_read_data_block(stage->of.archive, &data, &bytes, &offset);
	while (r == ARCHIVE_OK && bytes == 0);
	if (r == ARCHIVE_EOF)
		return archive_ended(stage, err);
	if (r != ARCHIVE_OK)
		return archive_damaged(stage, err);
	stage->given += bytes;
	*ret_data = data;
	return (ssize_t)bytes;
}

static void archive_close(struct stage *stage)
{
	archive_read_free(stage->of.archive);
}

/* --- all of them --------------------------------------------------------------- */

static const struct codec codecs[] = {
	{ "gzip", { 0x1F, 0x8B }, 2, gzip_open, gzip_step, gzip_close, NULL },
	{ "bzip2",
	  { 'B', 'Z', 'h' },
	  3,
	  archive_open,
	  NULL,
	  archive_close,
	  archive_read_support_filter_bzip2 },
	{ "xz", { 0xFD, '7', 'z', 'X', 'Z', 0 }, 6, xz_open, xz_step, xz_close, NULL },
	{ "zstd",
	  { 0x28, 0xB5, 0x2F, 0xFD },
	  4,
	  archive_open,
	  NULL,
	  archive_close,
	  archive_read_support_filter_zstd },
	{ "lz4",
	  { 0x04, 0x22, 0x4D, 0x18 },
	  4,
	  archive_open,
	  NULL,
	  archive_close,
	  archive_read_support_filter_lz4 },
};

static const struct codec *find_codec(const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(codecs); i++)
		if (bytes >= codecs[i].magic_bytes &&
		    memcmp(data, codecs[i].magic, codecs[i].magic_bytes) == 0)
			return &codecs[i];
	return NULL;
}

const char *rt_stage_compression(const uint8_t *data, size_t bytes)
{
	const struct codec *codec = find_codec(data, bytes);

	return codec ? codec->name : NULL;
}

static int refill(struct stage *stage, struct rt_err *err)
{
	ssize_t got;

	if (stage->in_bytes || stage->in_ended)
		return 0;
	got = stage->from->next(stage->from, &stage->in, err);
	if (got < 0)
		return (int)got;
	stage->in_bytes = (size_t)got;
	stage->in_ended = got == 0;
	return 0;
}

/* What comes before damage is given, then the damage told. */
static ssize_t stage_next(struct rt_supply *supply, const uint8_t **ret_data,
			  struct rt_err *err)
{
	struct stage *stage = (struct stage *)supply;

	stage->out_bytes = 0;
	while (!stage->ended && !stage->failed && stage->out_bytes < OUT_BYTES) {
		stage->failed = refill(stage, &stage->why);
		if (stage->failed == 0)
			stage->failed = stage->codec->step(stage, &stage->why);
	}
	if (stage->out_bytes == 0 && stage->failed)
		return rt_err_set(err, stage->failed, "%s", stage->why.msg);
	*ret_data = stage->out;
	return (ssize_t)stage->out_bytes;
}

static void stage_close(struct rt_supply *supply)
{
	struct stage *stage = (struct stage *)supply;

	stage->codec->close(stage);
	stage->from->close(stage->from);
	free(stage);
}

int rt_stage_open(struct rt_supply *from, const uint8_t *data, size_t bytes,
		  struct rt_supply **ret_stage, struct rt_err *err)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	int r;

	if (!stage)
		return rt_err_set(err, -ENOMEM, "out of memory");
	stage->codec = find_codec(data, bytes);
	stage->supply.next = stage->codec->step ? stage_next : archive_next;
	stage->supply.close = stage_close;
	stage->from = from;
	stage->in = data;
	stage->in_bytes = bytes;
	r = stage->codec->open(stage, err);
	if (r < 0) {
		free(stage);
		return r;
	}
	*ret_stage = &stage->supply;
	return 0;
}
