/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c - bytes of a file, plain or compressed, and a window over them. */
#include "pktio/input.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"

/* Large enough to make system calls cheap, small enough for the cache. */
#define CHUNK_BYTES  (128u << 10)
/* What is left of a chunk, then as many as make the longest record whole. */
#define BUFFER_BYTES (2 * RT_WINDOW_MAX + CHUNK_BYTES)

struct rt_input {
	/* Bytes read, 0 at the end, or a negative errno. */
	ssize_t (*read)(struct rt_input *input, const char *name, uint8_t *to,
			size_t bytes, struct rt_err *err);
	int fd;                  /* owned, except standard input */
	struct archive *archive; /* NULL: plain */
	size_t chunk_bytes;      /* of compressed bytes in chunk */
	uint8_t *chunk;
};

/* --- plain files ------------------------------------------------------------ */

static ssize_t read_fd(int fd, uint8_t *to, size_t bytes)
{
	ssize_t got;

	do
		got = read(fd, to, bytes);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static ssize_t read_plain(struct rt_input *input, const char *name, uint8_t *to,
			  size_t bytes, struct rt_err *err)
{
	const ssize_t got = read_fd(input->fd, to, bytes);

	if (got < 0)
		return rt_err_sys(err, (int)got, "%s: cannot read", name);
	return got;
}

/* --- compressed files ------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t magic[6];
	uint8_t magic_bytes;
	int (*support)(struct archive *archive);
} compressions[] = {
	{ "gzip", { 0x1F, 0x8B }, 2, archive_read_support_filter_gzip },
	{ "bzip2", { 'B', 'Z', 'h' }, 3, archive_read_support_filter_bzip2 },
	{ "xz", { 0xFD, '7', 'z', 'X', 'Z', 0 }, 6, archive_read_support_filter_xz },
	{ "zstd", { 0x28, 0xB5, 0x2F, 0xFD }, 4, archive_read_support_filter_zstd },
	{ "lz4", { 0x04, 0x22, 0x4D, 0x18 }, 4, archive_read_support_filter_lz4 },
};

static size_t find_compression(const uint8_t *data, size_t bytes)
{
	size_t i;

	for (i = 0; i < RT_ARRAY_SIZE(compressions); i++)
		if (bytes >= compressions[i].magic_bytes &&
		    memcmp(data, compressions[i].magic, compressions[i].magic_bytes) ==
			    0)
			break;
	return i;
}

const char *rt_input_compression(const uint8_t *data, size_t bytes)
{
	const size_t row = find_compression(data, bytes);

	return row < RT_ARRAY_SIZE(compressions) ? compressions[row].name : NULL;
}

/* libarchive asks for the next compressed bytes; the first ones lie in chunk. */
static la_ssize_t feed(struct archive *archive, void *context, const void **ret_chunk)
{
	struct rt_input *input = context;
	ssize_t got = (ssize_t)input->chunk_bytes;

	if (got == 0)
		got = read_fd(input->fd, input->chunk, CHUNK_BYTES);
	input->chunk_bytes = 0;
	if (got < 0) {
		archive_set_error(archive, (int)-got, "%s", strerror((int)-got));
		return -1;
	}
	*ret_chunk = input->chunk;
	return got;
}

static ssize_t read_archive(struct rt_input *input, const char *name, uint8_t *to,
			    size_t bytes, struct rt_err *err)
{
	const la_ssize_t got = archive_read_data(input->archive, to, bytes);
	const char *why;

	if (got >= 0)
		return (ssize_t)got;
	why = archive_error_string(input->archive);
	return rt_err_set(
		err, -EIO,
		"%s: cannot decompress: %s; decompress it with its own tool to see "
		"how far it is whole",
		name, why ? why : "damaged");
}

/* Put libarchive between the file and the window, which has read too far. */
static int see_through(struct rt_window *window, size_t row, struct rt_err *err)
{
	struct rt_input *input = window->input;
	struct archive_entry *entry;
	const char *why;

	input->chunk = malloc(CHUNK_BYTES);
	input->archive = archive_read_new();
	if (!input->chunk || !input->archive)
		return rt_err_set(err, -ENOMEM, "out of memory");
	input->chunk_bytes = window->have;
	memcpy(input->chunk, window->data, window->have);
	window->have = window->at = 0;
	window->ended = false;
	input->read = read_archive;
	if (compressions[row].support(input->archive) >= ARCHIVE_WARN &&
	    archive_read_support_format_raw(input->archive) == ARCHIVE_OK &&
	    archive_read_open(input->archive, input, NULL, feed, NULL) == ARCHIVE_OK &&
	    archive_read_next_header(input->archive, &entry) == ARCHIVE_OK)
		return 0;
	why = archive_error_string(input->archive);
	return rt_err_set(err, -EINVAL,
			  "%s: looks like %s, but cannot be read as it: %s",
			  window->name, compressions[row].name, why ? why : "damaged");
}

/* --- the window ------------------------------------------------------------- */

/*
 * What is left goes right before the place that chunks are read to, which is always
 * the same: the system copies to whole pages quicker.
 */
static void rewind_to_chunk(struct rt_window *window)
{
	const size_t left = window->have - window->at;
	uint8_t *to = window->owned + RT_WINDOW_MAX - left;

	memmove(to, window->data + window->at, left);
	window->data = to;
	window->base += window->at;
	window->at = 0;
	window->have = left;
	window->end = RT_WINDOW_MAX;
}

int rt_window_fill(struct rt_window *window, size_t bytes, struct rt_err *err)
{
	if (!window->input || window->ended)
		return 0;
	rewind_to_chunk(window);
	while (window->have < bytes) {
		const ssize_t got = window->input->read(window->input, window->name,
							window->owned + window->end,
							CHUNK_BYTES, err);

		if (got < 0)
			return (int)got;
		if (got == 0) {
			window->ended = true;
			return 0;
		}
		window->have += (size_t)got;
		window->end += (size_t)got;
	}
	return 1;
}

int rt_window_skip(struct rt_window *window, uint64_t bytes, struct rt_err *err)
{
	while (bytes > window->have - window->at) {
		int r;

		bytes -= window->have - window->at;
		window->at = window->have;
		r = rt_window_need(window, 1, err);
		if (r <= 0)
			return r;
	}
	window->at += (size_t)bytes;
	return 1;
}

static int open_file(struct rt_window *window, const char *path, struct rt_err *err)
{
	window->owned = aligned_alloc(4096, BUFFER_BYTES);
	window->input = calloc(1, sizeof(*window->input));
	if (!window->owned || !window->input)
		return rt_err_set(err, -ENOMEM, "out of memory");
	window->data = window->owned + RT_WINDOW_MAX;
	window->end = RT_WINDOW_MAX;
	window->input->read = read_plain;
	if (strcmp(path, "-") == 0) {
		window->input->fd = STDIN_FILENO;
		return 0;
	}
	window->input->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (window->input->fd < 0)
		return rt_err_sys(err, -errno, "%s: cannot open", path);
	return 0;
}

int rt_window_open(const char *path, const char *name, struct rt_window *ret_window,
		   const char **ret_compression, struct rt_err *err)
{
	struct rt_window window = { .name = name };
	size_t row = RT_ARRAY_SIZE(compressions);
	int r = open_file(&window, path, err);

	if (r == 0)
		r = rt_window_need(&window, sizeof(compressions[0].magic), err);
	if (r >= 0)
		row = find_compression(window.data, window.have);
	if (r >= 0 && row < RT_ARRAY_SIZE(compressions))
		r = see_through(&window, row, err);
	if (r < 0) {
		rt_window_close(&window);
		return r;
	}
	*ret_window = window;
	*ret_compression = row < RT_ARRAY_SIZE(compressions) ? compressions[row].name
							     : NULL;
	return 0;
}

void rt_window_open_memory(const void *data, size_t bytes, const char *name,
			   struct rt_window *ret_window)
{
	*ret_window = (struct rt_window){
		.data = data, .have = bytes, .name = name, .ended = true
	};
}

void rt_window_close(struct rt_window *window)
{
	struct rt_input *input = window->input;

	if (input) {
		archive_read_free(input->archive);
		if (input->fd > STDERR_FILENO)
			close(input->fd);
		free(input->chunk);
		free(input);
	}
	free(window->owned);
	*window = (struct rt_window){ 0 };
}
