/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture_read_pcapng.c - pcapng files (draft-ietf-opsawg-pcapng): blocks of type,
 * length, body, length again; sections of either byte order, each with its own
 * interfaces.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "pktio/reader.h"

#define BLOCK_SECTION    0x0A0D0D0Au
#define BYTE_ORDER_MAGIC 0x1A2B3C4Du
#define BLOCK_MIN        12

/* A body in the window, and where its block starts in the file. */
struct body {
	const uint8_t *data;
	size_t bytes;
	uint64_t offset;
};

static int damaged(const struct rt_reader *reader, uint64_t offset, const char *what,
		   struct rt_err *err)
{
	return rt_err_set(
		err, -EBADMSG,
		"%s: the block at byte %llu is damaged: %s. Everything before was "
		"read; `pcapfix` may save what follows",
		reader->name, (unsigned long long)offset, what);
}

/* --- options ---------------------------------------------------------------- */

struct option {
	uint16_t code, bytes;
	const uint8_t *value;
};

/* The next option at *at, or false at the end of them (also of broken ones). */
static bool next_option(const struct rt_reader *reader, const struct body *body,
			size_t *at, struct option *ret_option)
{
	struct option option;

	if (body->bytes < 4 || *at > body->bytes - 4)
		return false;
	option.code = rt_reader_u16(reader, body->data + *at);
	option.bytes = rt_reader_u16(reader, body->data + *at + 2);
	option.value = body->data + *at + 4;
	if (option.code == 0 || option.bytes > body->bytes - *at - 4)
		return false;
	*at += 4 + ((option.bytes + 3u) & ~3u);
	*ret_option = option;
	return true;
}

/* Resolution: a negative power of 10, or with the top bit of 2. */
static void set_resolution(struct rt_ticks *ticks, uint8_t resolution)
{
	const unsigned exponent = resolution & 0x7F;

	ticks->per_s = 0;
	ticks->ns = 0;
	if (exponent > (resolution & 0x80 ? 63 : 19))
		return;
	ticks->per_s = 1;
	for (unsigned i = 0; i < exponent; i++)
		ticks->per_s *= resolution & 0x80 ? 2 : 10;
	if (1000000000 % ticks->per_s == 0)
		ticks->ns = 1000000000 / ticks->per_s;
}

/* A speed or a count; one of 2^62 or more, of which two have no sum, is damage. */
static struct rt_opt_u64 take_u64(const struct rt_reader *reader,
				  const struct option *option)
{
	const uint64_t value = option->bytes == 8 ? rt_reader_u64(reader, option->value)
						  : UINT64_MAX;

	return value >> 62 ? (struct rt_opt_u64){ 0 } : RT_KNOWN_U64(value);
}

static void take_interface_option(const struct rt_reader *reader,
				  const struct option *option,
				  struct rt_capture_if *interface,
				  struct rt_ticks *ticks)
{
	switch (option->code) {
	case 2: { /* if_name */
		size_t bytes = option->bytes;

		if (bytes > sizeof(interface->name) - 1)
			bytes = sizeof(interface->name) - 1;
		memcpy(interface->name, option->value, bytes);
		interface->name[bytes] = '\0';
		break;
	}
	case 8: /* if_speed */
		interface->speed_bps = take_u64(reader, option).value;
		break;
	case 9: /* if_tsresol */
		if (option->bytes == 1)
			set_resolution(ticks, option->value[0]);
		break;
	case 14: /* if_tsoffset */
		if (option->bytes == 8)
			ticks->offset_s = (int64_t)rt_reader_u64(reader, option->value);
		break;
	}
}

/* --- blocks ----------------------------------------------------------------- */

static int take_section(struct rt_reader *reader, const struct body *body,
			struct rt_frame *frame, struct rt_err *err)
{
	(void)frame;
	if (rt_reader_u16(reader, body->data + 4) != 1)
		return damaged(reader, body->offset, "its version is not 1.x", err);
	reader->section_first = reader->interface_count;
	return 0;
}

static int take_interface(struct rt_reader *reader, const struct body *body,
			  struct rt_frame *frame, struct rt_err *err)
{
	struct rt_capture_if interface = {
		.link_type = rt_reader_u16(reader, body->data),
		.snap_bytes = rt_reader_u32(reader, body->data + 4),
	};
	struct rt_ticks ticks = { .per_s = 1000000, .ns = 1000 };
	struct option option;
	size_t at = 8;

	(void)frame;
	while (next_option(reader, body, &at, &option))
		take_interface_option(reader, &option, &interface, &ticks);
	interface.units_per_s = ticks.per_s;
	return rt_reader_add_interface(reader, &interface, &ticks, err);
}

/* The index in the source of an interface of the section. */
static int find_interface(struct rt_reader *reader, const struct body *body,
			  uint32_t in_section, size_t *ret_index, struct rt_err *err)
{
	if (in_section >= reader->interface_count - reader->section_first)
		return damaged(reader, body->offset,
			       "it belongs to an interface that was not described",
			       err);
	*ret_index = reader->section_first + in_section;
	return 0;
}

/* Fields that the enhanced and the obsolete packet block share. */
static int take_timed_packet(struct rt_reader *reader, const struct body *body,
			     uint32_t in_section, struct rt_frame *frame,
			     struct rt_err *err)
{
	const uint8_t *data = body->data;
	const uint64_t time = (uint64_t)rt_reader_u32(reader, data + 4) << 32 |
			      rt_reader_u32(reader, data + 8);
	const uint32_t cap_bytes = rt_reader_u32(reader, data + 12);
	size_t interface = 0;
	int r = find_interface(reader, body, in_section, &interface, err);

	if (r < 0)
		return r;
	if (cap_bytes > body->bytes - 20)
		return damaged(reader, body->offset,
			       "its packet is longer than the block", err);
	rt_reader_packet(reader, frame, interface, &time, data + 20, cap_bytes,
			 rt_reader_u32(reader, data + 16));
	return 1;
}

static int take_enhanced_packet(struct rt_reader *reader, const struct body *body,
				struct rt_frame *frame, struct rt_err *err)
{
	return take_timed_packet(reader, body, rt_reader_u32(reader, body->data), frame,
				 err);
}

/* Its interface has 16 bits; 16 of drops follow, which ISBs give better. */
static int take_obsolete_packet(struct rt_reader *reader, const struct body *body,
				struct rt_frame *frame, struct rt_err *err)
{
	return take_timed_packet(reader, body, rt_reader_u16(reader, body->data), frame,
				 err);
}

/* Always of the section's first interface; cut only by its snap length. */
static int take_simple_packet(struct rt_reader *reader, const struct body *body,
			      struct rt_frame *frame, struct rt_err *err)
{
	const uint32_t wire_bytes = rt_reader_u32(reader, body->data);
	uint32_t cap_bytes = wire_bytes, snap_bytes;
	size_t interface = 0;
	int r = find_interface(reader, body, 0, &interface, err);

	if (r < 0)
		return r;
	snap_bytes = reader->interfaces[interface].snap_bytes;
	if (snap_bytes && cap_bytes > snap_bytes)
		cap_bytes = snap_bytes;
	if (cap_bytes > body->bytes - 4)
		cap_bytes = (uint32_t)(body->bytes - 4);
	rt_reader_packet(reader, frame, interface, NULL, body->data + 4, cap_bytes,
			 wire_bytes);
	return 1;
}

/* Counters since the start of the capture: the last block holds. */
static int take_statistics(struct rt_reader *reader, const struct body *body,
			   struct rt_frame *frame, struct rt_err *err)
{
	struct rt_opt_u64 dropped = { 0 };
	struct option option;
	size_t interface = 0, at = 12;
	int r = find_interface(reader, body, rt_reader_u32(reader, body->data),
			       &interface, err);

	(void)frame;
	if (r < 0)
		return r;
	while (next_option(reader, body, &at, &option)) {
		struct rt_opt_u64 count;

		/* isb_ifdrop: by the interface; isb_osdrop: by the system */
		if (option.code != 5 && option.code != 7)
			continue;
		count = take_u64(reader, &option);
		if (count.known && dropped.value >> 62 == 0)
			dropped = RT_KNOWN_U64(dropped.value + count.value);
	}
	if (dropped.known)
		reader->interfaces[interface].dropped = dropped;
	return 0;
}

/* The commonest first.  take: 1 when *frame was filled, 0 when not, or errno. */
struct block_type {
	uint32_t type;
	uint32_t body_min;
	int (*take)(struct rt_reader *reader, const struct body *body,
		    struct rt_frame *frame, struct rt_err *err);
};

static const struct block_type block_types[] = {
	{ 6, 20, take_enhanced_packet }, { 3, 4, take_simple_packet },
	{ 2, 20, take_obsolete_packet }, { 1, 8, take_interface },
	{ 5, 12, take_statistics },      { BLOCK_SECTION, 16, take_section },
};

static const struct block_type *find_type(uint32_t type)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(block_types); i++)
		if (block_types[i].type == type)
			return &block_types[i];
	return NULL;
}

/* --- walking ---------------------------------------------------------------- */

/* Learn the byte order from a section header at data; false: it has none. */
static bool set_byte_order(struct rt_reader *reader, const uint8_t *data)
{
	reader->swapped = false;
	if (rt_reader_u32(reader, data + 8) == BYTE_ORDER_MAGIC)
		return true;
	reader->swapped = true;
	return rt_reader_u32(reader, data + 8) == BYTE_ORDER_MAGIC;
}

/*
 * Type and length of the block at hand: 1, or 0 at the end of the file (within
 * the block: said in the notes), or negative errno.
 */
static int read_block_header(struct rt_reader *reader, uint32_t *ret_type,
			     uint32_t *ret_bytes, struct rt_err *err)
{
	struct rt_window *window = &reader->window;
	const uint64_t offset = rt_window_offset(window);
	int r = rt_window_need(window, BLOCK_MIN, err);
	uint32_t type, bytes;

	if (r == 0 && window->at == window->have)
		return 0;
	if (r <= 0)
		return rt_reader_ends_early(reader, offset, r);
	type = rt_reader_u32(reader, window->data + window->at);
	if (type == BLOCK_SECTION && !set_byte_order(reader, window->data + window->at))
		return damaged(reader, offset, "its byte-order mark is unknown", err);
	bytes = rt_reader_u32(reader, window->data + window->at + 4);
	if (type == 0 && bytes == 0)
		return rt_reader_zeros(reader, offset, err);
	if (bytes < BLOCK_MIN || bytes % 4)
		return damaged(reader, offset, "no block has the length it claims",
			       err);
	*ret_type = type;
	*ret_bytes = bytes;
	return 1;
}

/* The body of a block that is bytes long in all; results as above. */
static int read_body(struct rt_reader *reader, const struct block_type *row,
		     uint32_t bytes, struct body *ret_body, struct rt_err *err)
{
	struct rt_window *window = &reader->window;
	const uint64_t offset = rt_window_offset(window);
	const uint8_t *block;
	int r;

	if (bytes > RT_WINDOW_MAX)
		return damaged(reader, offset, "it claims to be longer than a megabyte",
			       err);
	if (bytes < BLOCK_MIN + row->body_min)
		return damaged(reader, offset, "it is too short for its type", err);
	r = rt_window_need(window, bytes, err);
	if (r <= 0)
		return rt_reader_ends_early(reader, offset, r);
	block = window->data + window->at;
	if (rt_reader_u32(reader, block + bytes - 4) != bytes)
		return damaged(reader, offset, "the lengths at its ends differ", err);
	window->at += bytes;
	*ret_body = (struct body){ block + 8, bytes - BLOCK_MIN, offset };
	return 1;
}

/* One block; 1 when it filled *frame, 0 when not, -ENODATA at the end. */
static int read_block(struct rt_reader *reader, struct rt_frame *frame,
		      struct rt_err *err)
{
	const uint64_t offset = rt_window_offset(&reader->window);
	const struct block_type *row;
	uint32_t type = 0, bytes = 0;
	struct body body = { 0 };
	int r = read_block_header(reader, &type, &bytes, err);

	if (r <= 0)
		return r ? r : -ENODATA;
	row = find_type(type);
	if (!row) {
		r = rt_window_skip(&reader->window, bytes, err);
		if (r <= 0)
			return rt_reader_ends_early(reader, offset, r) ?: -ENODATA;
		reader->notes.blocks_skipped++;
		return 0;
	}
	r = read_body(reader, row, bytes, &body, err);
	if (r <= 0)
		return r ? r : -ENODATA;
	return row->take(reader, &body, frame, err);
}

static int pcapng_read(struct rt_reader *reader, struct rt_frame *frames, size_t max,
		       size_t *count, struct rt_err *err)
{
	while (*count < max) {
		const int r = read_block(reader, &frames[*count], err);

		if (r == -ENODATA)
			return 0;
		if (r < 0)
			return r;
		*count += (size_t)r;
	}
	return 0;
}

/* Leaves the section header to the first read. */
static int pcapng_open(struct rt_reader *reader, struct rt_err *err)
{
	struct rt_window *window = &reader->window;
	const uint8_t *data;
	int r = rt_window_need(window, BLOCK_MIN, err);

	if (r <= 0)
		return r;
	data = window->data + window->at;
	reader->swapped = false;
	return rt_reader_u32(reader, data) == BLOCK_SECTION &&
	       set_byte_order(reader, data);
}

const struct rt_format rt_format_pcapng = { "pcapng", pcapng_open, pcapng_read };
