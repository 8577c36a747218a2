/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * input.h - bytes of a file, plain or compressed, and a window over them.
 *
 * The window holds the stretch of bytes at hand; it moves forward only and has a
 * fixed size, so memory does not grow with the file.  Over memory it is the
 * memory itself and nothing is copied.
 */
#ifndef RT_PKTIO_INPUT_H
#define RT_PKTIO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_err;
struct rt_input;

/* Read at once: makes system calls cheap and stays in the cache. */
#define RT_CHUNK_BYTES (128u << 10)

/* No record that is read as a whole may be longer. */
#define RT_WINDOW_MAX (1u << 20)

struct rt_window {
	const uint8_t *data;
	size_t at, have;        /* next byte to use; bytes present, from data on */
	uint64_t base;          /* offset of data[0] in the (decompressed) file */
	const char *name;       /* borrowed, for messages */
	uint8_t *owned;         /* the buffer that data lies in, when it is ours */
	size_t end;             /* where what was read ends in it */
	struct rt_input *input; /* NULL: memory */
	bool ended;             /* the input has no more */
};

/*
 * Open path ("-": standard input), see through gzip, bzip2, xz, zstd and lz4.
 * name is kept by reference.  *ret_compression is NULL for a plain file.
 */
int rt_window_open(const char *path, const char *name, struct rt_window *ret_window,
		   const char **ret_compression, struct rt_err *err);

void rt_window_open_memory(const void *data, size_t bytes, const char *name,
			   struct rt_window *ret_window);

void rt_window_close(struct rt_window *window);

/* What rt_window_need() does when the bytes are not there yet. */
int rt_window_fill(struct rt_window *window, size_t bytes, struct rt_err *err);

/*
 * Make bytes (at most RT_WINDOW_MAX) lie at data + at: 1 when they do, 0 when
 * the input ends before, negative errno when reading fails.
 */
static inline int rt_window_need(struct rt_window *window, size_t bytes,
				 struct rt_err *err)
{
	if (window->have - window->at >= bytes)
		return 1;
	return rt_window_fill(window, bytes, err);
}

/* Go forward any number of bytes; results as above. */
int rt_window_skip(struct rt_window *window, uint64_t bytes, struct rt_err *err);

/* Offset in the file of the next byte to use. */
static inline uint64_t rt_window_offset(const struct rt_window *window)
{
	return window->base + window->at;
}

/* Bytes of the file itself, compressed as it is, that were read so far. */
uint64_t rt_window_file_bytes(const struct rt_window *window);

#endif
