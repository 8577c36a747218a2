/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture.h - capture files in and out.
 *
 * Reading: pcap (both byte orders, micro- and nanoseconds) and pcapng (sections
 * of either byte order, several interfaces of different link types, simple,
 * enhanced and obsolete packet blocks), from files or standard input, also
 * compressed by gzip, xz, zstd, bzip2 or lz4.  Own block reader; memory use does
 * not grow with the file.
 * Writing: pcapng, one interface per port with name, speed and nanoseconds.
 */
#ifndef ROCETUNE_CAPTURE_H
#define ROCETUNE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/frame.h"

/* What was odd about a file although it could be read; for the report. */
struct rt_capture_notes {
	uint64_t bytes;          /* read so far; of the decompressed file */
	uint64_t file_bytes;     /* read so far; of the file as it is, compressed */
	bool ends_early;         /* the last record is cut off */
	uint64_t ends_at_bytes;  /* offset of that record */
	uint64_t blocks_skipped; /* pcapng blocks of kinds that are not read */
	uint64_t no_time;        /* packets without a time stamp */
	const char *format;      /* "pcap", "pcapng" */
	const char *compression; /* NULL: none */
	bool big_endian;
};

/*
 * Open path ("-": standard input) as a source of decoded frames.
 * decode_flags: enum rt_decode_flags.
 * -EINVAL: not a capture file, or damaged from the start; the text says what it
 * looks like instead.  Damage later on ends the frames: a cut last record is a
 * note, an impossible length or zeros an error (-EBADMSG) with their offset, and so is
 * damage of the compression, after the frames that came out before it.
 */
int rt_capture_open(const char *path, unsigned decode_flags,
		    struct rt_source **ret_source, struct rt_err *err);

/* The same over bytes in memory, which the caller keeps until close. */
int rt_capture_open_memory(const void *data, size_t bytes, unsigned decode_flags,
			   struct rt_source **ret_source, struct rt_err *err);

/*
 * Show the bytes of every frame of one kind that is read from now on, which are not
 * kept: data holds frame->cap_bytes and is gone after the call.  Only for sources of
 * this file.
 */
typedef void rt_capture_tap_fn(void *context, const struct rt_frame *frame,
			       const uint8_t *data);
void rt_capture_tap(struct rt_source *source, enum rt_frame_kind kind,
		    rt_capture_tap_fn *tap, void *context);

/* Only for sources of this file; complete once read has returned 0 frames. */
const struct rt_capture_notes *rt_capture_notes(const struct rt_source *source);

/*
 * Create (or replace) path as pcapng; "-" is standard output.  snap_bytes 0
 * keeps whole frames.
 */
int rt_capture_create(const char *path, uint32_t snap_bytes, struct rt_sink **ret_sink,
		      struct rt_err *err);

/*
 * Write down that the capturing system lost frames of an interface, as seen at time_ns;
 * the last word holds.  Only for sinks of this file.
 */
int rt_capture_note_drops(struct rt_sink *sink, unsigned interface, int64_t time_ns,
			  uint64_t dropped, struct rt_err *err);

void rt_source_close(struct rt_source *source); /* NULL is fine */
void rt_auto_source_close(struct rt_source **source);

#endif
