/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture_read_pcap.c - pcap files (draft-ietf-opsawg-pcap): a header of 24 bytes,
 * then records of seconds, fraction, captured and wire length.
 */
#include <errno.h>
#include <string.h>

#include "pktio/reader.h"
#include "wire/plain.h"

#define FILE_HEADER_BYTES   24
#define RECORD_HEADER_BYTES 16

/* Seen in either byte order. */
static const struct {
	uint32_t magic;
	uint32_t ticks_per_s;
	uint8_t record_header_bytes;
} variants[] = {
	{ 0xA1B2C3D4, 1000000, RECORD_HEADER_BYTES },
	{ 0xA1B23C4D, 1000000000, RECORD_HEADER_BYTES },
	/* Linux 2.2 with Kuznetsov's patch: interface, protocol, type added */
	{ 0xA1B2CD34, 1000000, RECORD_HEADER_BYTES + 8 },
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static size_t find_variant(struct rt_reader *reader, const uint8_t *header)
{
	size_t i = VARIANTS;

	for (unsigned swapped = 0; swapped < 2 && i == VARIANTS; swapped++) {
		reader->swapped = swapped;
		for (i = 0; i < VARIANTS; i++)
			if (rt_reader_u32(reader, header) == variants[i].magic)
				break;
	}
	return i;
}

static int pcap_open(struct rt_reader *reader, struct rt_err *err)
{
	struct rt_window *window = &reader->window;
	struct rt_capture_if interface = { 0 };
	struct rt_ticks ticks = { 0 };
	const uint8_t *header;
	size_t row;
	int r = rt_window_need(window, 4, err);

	if (r <= 0)
		return r;
	row = find_variant(reader, window->data + window->at);
	if (row == VARIANTS)
		return 0;
	r = rt_window_need(window, FILE_HEADER_BYTES, err);
	if (r < 0)
		return r;
	if (r == 0)
		return rt_err_set(err, -EINVAL,
				  "%s: a pcap file that ends within its header, so it "
				  "holds no packets",
				  reader->name);
	header = window->data + window->at;
	if (rt_reader_u16(reader, header + 4) != 2)
		return rt_err_set(err, -EINVAL,
				  "%s: pcap version %u.%u is not known, only 2.x",
				  reader->name, rt_reader_u16(reader, header + 4),
				  rt_reader_u16(reader, header + 6));
	interface.snap_bytes = rt_reader_u32(reader, header + 16);
	/* the upper bits say whether frames end in an FCS; lengths tell that too */
	interface.link_type = (uint16_t)rt_reader_u32(reader, header + 20);
	interface.units_per_s = ticks.per_s = variants[row].ticks_per_s;
	ticks.ns = 1000000000u / ticks.per_s;
	reader->record_header_bytes = variants[row].record_header_bytes;
	r = rt_reader_add_interface(reader, &interface, &ticks, err);
	if (r < 0)
		return r;
	window->at += FILE_HEADER_BYTES;
	return 1;
}

static int impossible(const struct rt_reader *reader, uint32_t cap_bytes,
		      struct rt_err *err)
{
	return rt_err_set(
		err, -EBADMSG,
		"%s: the record at byte %llu claims %u captured bytes, which no "
		"frame has: the file is damaged there. Everything before was read; "
		"`pcapfix` may save what follows",
		reader->name, (unsigned long long)rt_window_offset(&reader->window),
		cap_bytes);
}

/* No record of a frame, even of an empty one: that has a time, or was longer once. */
static bool zeros_only(const uint8_t *record)
{
	static const uint8_t zeros[RECORD_HEADER_BYTES];

	return memcmp(record, zeros, sizeof(zeros)) == 0;
}

/*
 * The records that lie in the window as a whole, of frames[*count] on: no more than
 * bounds to check, and no call for a plain frame.  Impossible lengths and empty records
 * are left to read_record(), as is the record that the window ends in.
 */
static inline __attribute__((always_inline)) void read_whole(struct rt_reader *reader,
							     struct rt_frame *frames,
							     size_t max, size_t *count,
							     const bool swapped)
{
	struct rt_window *window = &reader->window;
	const size_t header_bytes = reader->record_header_bytes;
	const uint64_t tick_ns = reader->ticks[0].ns;
	const uint16_t link_type = reader->interfaces[0].link_type;
	const uint64_t number = reader->frames + 1 - *count;
	const unsigned flags = reader->decode_flags;
	const bool plain = link_type == RT_LINK_ETHERNET && !(flags & RT_DECODE_LAYERS);
	const uint8_t *at = window->data + window->at;
	size_t left = window->have - window->at, n = *count;

	for (; n < max && left >= header_bytes; n++) {
		struct rt_frame *frame = &frames[n];
		uint32_t header[4];

		memcpy(header, at, sizeof(header));
		for (unsigned i = 0; swapped && i < 4; i++)
			header[i] = __builtin_bswap32(header[i]);
		if (header[2] - 1 >= RT_WINDOW_MAX - header_bytes ||
		    header[2] > left - header_bytes)
			break;
		__builtin_prefetch(at + header_bytes + header[2]);
		__builtin_prefetch(at + header_bytes + header[2] + 64);
		frame->time_ns = (int64_t)(header[0] * UINT64_C(1000000000) +
					   header[1] * tick_ns);
		frame->number = number + n;
		frame->wire_bytes = header[3];
		frame->cap_bytes = header[2];
		frame->interface = 0;
		frame->link_type = link_type;
		frame->flags = 0;
		if (!plain || !rt_plain_decode(frame, at + header_bytes, flags))
			rt_frame_decode(frame, at + header_bytes, flags);
		at += header_bytes + header[2];
		left -= header_bytes + header[2];
	}
	if (n == *count)
		return;
	reader->last_ns = frames[n - 1].time_ns;
	reader->frames += n - *count;
	reader->interfaces[0].frames += n - *count;
	window->at = window->have - left;
	*count = n;
}

/* One record, wherever it lies: 1, or 0 when it was the last, or negative errno. */
static int read_record(struct rt_reader *reader, struct rt_frame *frame,
		       struct rt_err *err)
{
	struct rt_window *window = &reader->window;
	const size_t header_bytes = reader->record_header_bytes;
	const uint64_t offset = rt_window_offset(window);
	const uint8_t *record;
	uint32_t cap_bytes;
	uint64_t time;
	int r = rt_window_need(window, header_bytes, err);

	if (r == 0 && window->at == window->have)
		return 0;
	if (r <= 0)
		return rt_reader_ends_early(reader, offset, r);
	if (zeros_only(window->data + window->at))
		return rt_reader_zeros(reader, offset, err);
	cap_bytes = rt_reader_u32(reader, window->data + window->at + 8);
	if (cap_bytes > RT_WINDOW_MAX - header_bytes)
		return impossible(reader, cap_bytes, err);
	r = rt_window_need(window, header_bytes + cap_bytes, err);
	if (r <= 0)
		return rt_reader_ends_early(reader, offset, r);
	record = window->data + window->at;
	time = rt_reader_u32(reader, record) * reader->ticks[0].per_s +
	       rt_reader_u32(reader, record + 4);
	rt_reader_packet(reader, frame, 0, &time, record + header_bytes, cap_bytes,
			 rt_reader_u32(reader, record + 12));
	window->at += header_bytes + cap_bytes;
	return 1;
}

static int pcap_read(struct rt_reader *reader, struct rt_frame *frames, size_t max,
		     size_t *count, struct rt_err *err)
{
	const bool whole = !reader->tap; /* which sees only what read_record() reads */
	int r = 1;

	while (r > 0 && *count < max) {
		if (whole && reader->swapped)
			read_whole(reader, frames, max, count, true);
		else if (whole)
			read_whole(reader, frames, max, count, false);
		if (*count == max)
			break;
		r = read_record(reader, &frames[*count], err);
		*count += r > 0;
	}
	return r < 0 ? r : 0;
}

const struct rt_format rt_format_pcap = { "pcap", pcap_open, pcap_read };
