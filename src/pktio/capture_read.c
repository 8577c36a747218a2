/* SPDX-License-Identifier: BSD-2-Clause */
/* capture_read.c - capture files as a source of decoded frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "pktio/reader.h"
#include "pktio/stage.h"

#define INTERFACES_MAX 65536 /* the frame's index has 16 bits */

static const struct rt_format *const formats[] = { &rt_format_pcap, &rt_format_pcapng };

/* --- for the formats -------------------------------------------------------- */

int rt_reader_add_interface(struct rt_reader *reader,
			    const struct rt_capture_if *interface,
			    const struct rt_ticks *ticks, struct rt_err *err)
{
	const size_t count = reader->interface_count;
	void *grown;

	if (count == INTERFACES_MAX)
		return rt_err_set(err, -EINVAL,
				  "%s: more than %d interfaces: the file is damaged",
				  reader->name, INTERFACES_MAX);
	grown = rt_grow(reader->interfaces, count, &reader->interface_capacity,
			sizeof(*interface));
	if (!grown)
		return rt_err_set(err, -ENOMEM, "out of memory");
	reader->interfaces = grown;
	grown = rt_grow(reader->ticks, count, &reader->ticks_capacity, sizeof(*ticks));
	if (!grown)
		return rt_err_set(err, -ENOMEM, "out of memory");
	reader->ticks = grown;
	reader->interfaces[count] = *interface;
	reader->ticks[count] = *ticks;
	reader->interface_count++;
	return 0;
}

int rt_reader_ends_early(struct rt_reader *reader, uint64_t offset, int r)
{
	if (r < 0)
		return r;
	reader->notes.ends_early = true;
	reader->notes.ends_at_bytes = offset;
	return 0;
}

int rt_reader_zeros(const struct rt_reader *reader, uint64_t offset, struct rt_err *err)
{
	return rt_err_set(
		err, -EBADMSG,
		"%s: there are zeros at byte %llu, where a record should begin, as a "
		"file system leaves them in a file that was being written when the "
		"machine went down. Everything before was read",
		reader->name, (unsigned long long)offset);
}

/* 146 years to either side of 1970, so that no difference of two times overflows. */
#define TIME_MAX_NS (INT64_C(1) << 62)

/* False when the stamp is no time that anything was captured at. */
static bool to_ns(const struct rt_ticks *ticks, uint64_t time, int64_t *ret_ns)
{
	__int128 ns = (__int128)ticks->offset_s * 1000000000;

	if (!ticks->per_s)
		return false;
	if (ticks->ns)
		ns += (__int128)time * (__int128)ticks->ns;
	else
		ns += (__int128)((unsigned __int128)time * 1000000000u / ticks->per_s);
	if (ns >= TIME_MAX_NS || ns <= -TIME_MAX_NS)
		return false;
	*ret_ns = (int64_t)ns;
	return true;
}

void rt_reader_packet(struct rt_reader *reader, struct rt_frame *frame,
		      size_t interface, const uint64_t *time, const uint8_t *data,
		      uint32_t cap_bytes, uint32_t wire_bytes)
{
	const bool timed = time &&
			   to_ns(&reader->ticks[interface], *time, &reader->last_ns);

	frame->time_ns = reader->last_ns;
	frame->number = ++reader->frames;
	frame->wire_bytes = wire_bytes;
	frame->cap_bytes = cap_bytes;
	frame->interface = (uint16_t)interface;
	frame->link_type = reader->interfaces[interface].link_type;
	frame->flags = timed ? 0 : RT_FRAME_NO_TIME;
	reader->notes.no_time += !timed;
	reader->interfaces[interface].frames++;
	rt_frame_decode(frame, data, reader->decode_flags);
	if (reader->tap && frame->kind == reader->tap_kind)
		reader->tap(reader->tap_context, frame, data);
}

/* --- the source ------------------------------------------------------------- */

static int source_read(struct rt_source *source, struct rt_frame *frames, size_t max,
		       size_t *ret_count, struct rt_err *err)
{
	struct rt_reader *reader = (struct rt_reader *)source;
	size_t count = 0;

	if (!reader->failed && !reader->notes.ends_early)
		reader->failed = reader->format->read(reader, frames, max, &count,
						      &reader->why);
	reader->notes.bytes = rt_window_offset(&reader->window);
	reader->notes.file_bytes = rt_window_file_bytes(&reader->window);
	if (reader->failed && count == 0)
		return rt_err_set(err, reader->failed, "%s", reader->why.msg);
	*ret_count = count;
	return 0;
}

static const struct rt_capture_if *source_interfaces(struct rt_source *source,
						     size_t *ret_count)
{
	const struct rt_reader *reader = (struct rt_reader *)source;

	*ret_count = reader->interface_count;
	return reader->interfaces;
}

static void source_close(struct rt_source *source)
{
	struct rt_reader *reader = (struct rt_reader *)source;

	rt_window_close(&reader->window);
	free(reader->interfaces);
	free(reader->ticks);
	free(reader->name);
	free(reader);
}

static const struct rt_source_ops capture_ops = {
	.name = "capture file",
	.read = source_read,
	.interfaces = source_interfaces,
	.close = source_close,
};

const struct rt_capture_notes *rt_capture_notes(const struct rt_source *source)
{
	return &((const struct rt_reader *)source)->notes;
}

void rt_capture_tap(struct rt_source *source, enum rt_frame_kind kind,
		    rt_capture_tap_fn *tap, void *context)
{
	struct rt_reader *reader = (struct rt_reader *)source;

	reader->tap = tap;
	reader->tap_kind = kind;
	reader->tap_context = context;
}

void rt_source_close(struct rt_source *source)
{
	if (source)
		source->ops->close(source);
}

void rt_auto_source_close(struct rt_source **source)
{
	rt_source_close(*source);
}

/* --- opening ---------------------------------------------------------------- */

/* What people hand in by mistake, or from other tools. */
static const struct {
	const char *magic;
	uint8_t bytes;
	const char *looks_like;
} lookalikes[] = {
	{ "snoop\0\0", 7, "a Solaris snoop file; `editcap -F pcapng` converts it" },
	{ "GMBU", 4, "a Network Monitor file; `editcap -F pcapng` converts it" },
	{ "RTSS", 4, "a Network Monitor file; `editcap -F pcapng` converts it" },
	{ "XCP\0", 4, "a NetXRay file; `editcap -F pcapng` converts it" },
	{ "TRSNIFF data", 12, "a Sniffer file; `editcap -F pcapng` converts it" },
	{ "PK\3\4", 4, "a ZIP archive; unpack it first" },
	{ "7z\xBC\xAF", 4, "a 7-Zip archive; unpack it first" },
	{ "\x7F"
	  "ELF",
	  4, "a program (ELF)" },
	{ "%PDF", 4, "a PDF document" },
	{ "version https://git-lfs", 23,
	  "a Git LFS pointer; `git lfs pull` fetches the file" },
};

/* A tar archive has its magic behind the name and numbers of its first file. */
#define TAR_MAGIC_AT 257

static bool is_tar(const uint8_t *data, size_t bytes)
{
	return bytes >= TAR_MAGIC_AT + 5 &&
	       memcmp(data + TAR_MAGIC_AT, "ustar", 5) == 0;
}

static const char *looks_like(const uint8_t *data, size_t bytes)
{
	size_t zeros = 0;

	if (bytes == 0)
		return "it is empty";
	for (size_t i = 0; i < RT_ARRAY_SIZE(lookalikes); i++)
		if (bytes >= lookalikes[i].bytes &&
		    memcmp(data, lookalikes[i].magic, lookalikes[i].bytes) == 0)
			return lookalikes[i].looks_like;
	if (is_tar(data, bytes))
		return "an archive of files (tar); `tar -xf` unpacks it";
	if (rt_stage_compression(data, bytes))
		return "it is compressed; decompress it first";
	while (zeros < bytes && data[zeros] == 0)
		zeros++;
	if (zeros == bytes)
		return "it begins with zeros only, as a file that was never written";
	if (bytes > 64)
		bytes = 64;
	/* the last bytes may be a character that was cut through */
	if (!memchr(data, 0, bytes) &&
	    rt_text_utf8_length((const char *)data, bytes) + 4 > bytes)
		return "text; captures are binary, as `tcpdump -w` writes them";
	return "its first bytes are not known";
}

static int detect(struct rt_reader *reader, struct rt_err *err)
{
	struct rt_window *window = &reader->window;
	int r;

	for (size_t i = 0; i < RT_ARRAY_SIZE(formats); i++) {
		r = formats[i]->open(reader, err);
		if (r < 0)
			return r;
		if (r > 0) {
			reader->format = formats[i];
			reader->notes.format = formats[i]->name;
			reader->notes.big_endian = reader->swapped;
			return 0;
		}
	}
	r = rt_window_need(window, TAR_MAGIC_AT + 5, err); /* or what there is */
	if (r < 0)
		return r;
	return rt_err_set(
		err, -EINVAL, "%s: not a capture file (pcap or pcapng): %s",
		reader->name,
		looks_like(window->data + window->at, window->have - window->at));
}

static struct rt_reader *new_reader(const char *name, unsigned decode_flags)
{
	struct rt_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->source.ops = &capture_ops;
	reader->decode_flags = decode_flags;
	reader->name = strdup(name);
	if (!reader->name) {
		free(reader);
		return NULL;
	}
	return reader;
}

int rt_capture_open(const char *path, unsigned decode_flags,
		    struct rt_source **ret_source, struct rt_err *err)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_reader *reader = new_reader(
		strcmp(path, "-") == 0 ? "standard input" : path, decode_flags);
	int r;

	if (!reader)
		return rt_err_set(err, -ENOMEM, "out of memory");
	source = &reader->source;
	r = rt_window_open(path, reader->name, &reader->window,
			   &reader->notes.compression, err);
	if (r < 0)
		return r;
	r = detect(reader, err);
	if (r < 0)
		return r;
	*ret_source = rt_steal(&source);
	return 0;
}

int rt_capture_open_memory(const void *data, size_t bytes, unsigned decode_flags,
			   struct rt_source **ret_source, struct rt_err *err)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	struct rt_reader *reader = new_reader("memory", decode_flags);
	int r;

	if (!reader)
		return rt_err_set(err, -ENOMEM, "out of memory");
	source = &reader->source;
	rt_window_open_memory(data, bytes, reader->name, &reader->window);
	r = detect(reader, err);
	if (r < 0)
		return r;
	*ret_source = rt_steal(&source);
	return 0;
}
