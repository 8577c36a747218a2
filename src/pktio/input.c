/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c - bytes of a file, plain or compressed, and a window over them. */
#include "pktio/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "pktio/stage.h"
#include "pktio/unpack.h"
#include "rocetune/err.h"

/* Of a file, to see whether it is compressed. */
#define MAGIC_BYTES 6

/* What is left of a chunk, then as many as make the longest record whole. */
#define BUFFER_BYTES (2 * RT_WINDOW_MAX + RT_CHUNK_BYTES)

struct rt_input {
	/* Bytes read, 0 at the end, or a negative errno. */
	ssize_t (*read)(struct rt_input *input, const char *name, uint8_t *to,
			size_t bytes, struct rt_err *err);
	int fd;                   /* owned, except standard input */
	struct rt_unpack *unpack; /* owned; NULL: plain */
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

static ssize_t read_unpacked(struct rt_input *input, const char *name, uint8_t *to,
			     size_t bytes, struct rt_err *err)
{
	(void)name;
	return rt_unpack_read(input->unpack, to, bytes, err);
}

/* Put the unpacking between the file and the window, which has read too far. */
static int see_through(struct rt_window *window, struct rt_err *err)
{
	struct rt_input *input = window->input;
	const int r = rt_unpack_open(input->fd, window->data, window->have,
				     window->name, &input->unpack, err);

	if (r < 0)
		return r;
	window->have = window->at = 0;
	window->end = RT_WINDOW_MAX;
	window->ended = false;
	input->read = read_unpacked;
	return 0;
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
							RT_CHUNK_BYTES, err);

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
	const char *compression = NULL;
	int r = open_file(&window, path, err);

	if (r == 0)
		r = rt_window_need(&window, MAGIC_BYTES, err);
	if (r >= 0)
		compression = rt_stage_compression(window.data, window.have);
	if (compression)
		r = see_through(&window, err);
	if (r < 0) {
		rt_window_close(&window);
		return r;
	}
	*ret_window = window;
	*ret_compression = compression;
	return 0;
}

void rt_window_open_memory(const void *data, size_t bytes, const char *name,
			   struct rt_window *ret_window)
{
	*ret_window = (struct rt_window){
		.data = data, .have = bytes, .name = name, .ended = true
	};
}

uint64_t rt_window_file_bytes(const struct rt_window *window)
{
	if (window->input && window->input->unpack)
		return rt_unpack_packed_bytes(window->input->unpack);
	return rt_window_offset(window);
}

void rt_window_close(struct rt_window *window)
{
	struct rt_input *input = window->input;

	if (input) {
		rt_unpack_close(input->unpack);
		if (input->fd > STDERR_FILENO)
			close(input->fd);
		free(input);
	}
	free(window->owned);
	*window = (struct rt_window){ 0 };
}
