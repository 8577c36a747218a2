/* SPDX-License-Identifier: BSD-2-Clause */
/* reader.h - what the readers of the capture formats share.  Internal to pktio. */
#ifndef RT_PKTIO_READER_H
#define RT_PKTIO_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pktio/input.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

/* How the time stamps of an interface become nanoseconds. */
struct rt_ticks {
	uint64_t per_s; /* 0: more than can be counted, so no time */
	uint64_t ns;    /* per tick; 0: not a whole number */
	int64_t offset_s;
};

struct rt_reader;

/* One capture format. */
struct rt_format {
	const char *name;
	/*
	 * Take the file header: 1 when data starts with it, 0 when this is
	 * another format, negative errno.
	 */
	int (*open)(struct rt_reader *reader, struct rt_err *err);
	/*
	 * Decode up to max frames, counting them in *count, which starts at 0
	 * and is right on errors too.
	 */
	int (*read)(struct rt_reader *reader, struct rt_frame *frames, size_t max,
		    size_t *count, struct rt_err *err);
};

extern const struct rt_format rt_format_pcap, rt_format_pcapng;

struct rt_reader {
	struct rt_source source;
	char *name; /* owned, for messages */
	struct rt_window window;
	const struct rt_format *format;
	struct rt_capture_notes notes;
	unsigned decode_flags;
	bool swapped; /* the file has the other byte order */
	uint64_t frames;
	int64_t last_ns; /* of the last frame that had a time */
	int failed;      /* what the next read says, with why */
	struct rt_err why;

	struct rt_capture_if *interfaces;
	struct rt_ticks *ticks; /* of each interface */
	size_t interface_count, interface_capacity, ticks_capacity;
	size_t section_first; /* pcapng: interface 0 of the section */

	size_t record_header_bytes; /* pcap */

	rt_capture_tap_fn *tap; /* NULL: nobody wants the bytes */
	void *tap_context;
	enum rt_frame_kind tap_kind;
};

static inline uint16_t rt_reader_u16(const struct rt_reader *reader, const uint8_t *at)
{
	uint16_t raw;

	__builtin_memcpy(&raw, at, sizeof(raw));
	return reader->swapped ? __builtin_bswap16(raw) : raw;
}

static inline uint32_t rt_reader_u32(const struct rt_reader *reader, const uint8_t *at)
{
	uint32_t raw;

	__builtin_memcpy(&raw, at, sizeof(raw));
	return reader->swapped ? __builtin_bswap32(raw) : raw;
}

static inline uint64_t rt_reader_u64(const struct rt_reader *reader, const uint8_t *at)
{
	uint64_t raw;

	__builtin_memcpy(&raw, at, sizeof(raw));
	return reader->swapped ? __builtin_bswap64(raw) : raw;
}

/* Append an interface; both are copied. */
int rt_reader_add_interface(struct rt_reader *reader,
			    const struct rt_capture_if *interface,
			    const struct rt_ticks *ticks, struct rt_err *err);

/* The file ends within the record that starts at offset; r is 0 or an error. */
int rt_reader_ends_early(struct rt_reader *reader, uint64_t offset, int r);

/* At offset, where a record should begin, there are zeros: -EBADMSG. */
int rt_reader_zeros(const struct rt_reader *reader, uint64_t offset,
		    struct rt_err *err);

/*
 * Decode one packet.  time is in ticks of the interface, NULL when the record
 * has none; data holds cap_bytes.
 */
void rt_reader_packet(struct rt_reader *reader, struct rt_frame *frame,
		      size_t interface, const uint64_t *time, const uint8_t *data,
		      uint32_t cap_bytes, uint32_t wire_bytes);

#endif
