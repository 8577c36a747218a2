/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture_write.c - pcapng as a sink of raw frames, nanoseconds throughout.
 *
 * Bytes leave for the file at the end of a block only, and a signal that ends the
 * program waits while they do: a run that is broken off leaves a capture that
 * every reader reads to its end.  (SIGKILL waits for nobody; then the last block
 * may be cut.)
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"

#define BUFFER_BYTES (256u << 10)
#define BLOCK_BYTES  32u /* of a packet block, beside the padded frame */

/* Option codes (draft-ietf-opsawg-pcapng section 4). */
enum {
	OPTION_END = 0,
	OPTION_IF_NAME = 2,
	OPTION_ISB_OSDROP = 7, /* of its block */
	OPTION_USERAPPL = 4,
	OPTION_IF_SPEED = 8,
	OPTION_IF_TSRESOL = 9,
};

struct pcapng_sink {
	struct rt_sink sink;
	char *name; /* owned, for messages */
	int fd;
	bool regular;        /* a file, no pipe or device */
	uint32_t snap_bytes; /* 0: whole frames */
	size_t interface_count;
	size_t used; /* of buffer */
	int failed;  /* a write failed: nothing more is written */
	uint8_t buffer[BUFFER_BYTES];
};

/* --- bytes ------------------------------------------------------------------ */

/*
 * Signals wait for regular files only, where a write is short: a pipe whose reader
 * sleeps must not outlive Ctrl-C.
 */
static void hold_signals(const struct pcapng_sink *out, sigset_t *ret_before)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; out->regular && i < RT_ARRAY_SIZE(ending); i++)
		sigaddset(&signals, ending[i]);
	pthread_sigmask(SIG_BLOCK, &signals, ret_before);
}

static void flush(struct pcapng_sink *out)
{
	sigset_t before;
	size_t at = 0;

	hold_signals(out, &before);
	while (at < out->used && !out->failed) {
		const ssize_t put = write(out->fd, out->buffer + at, out->used - at);

		if (put >= 0)
			at += (size_t)put;
		else if (errno != EINTR)
			out->failed = -errno;
	}
	out->used = 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Make room for a whole block, which is never longer than the buffer. */
static void begin_block(struct pcapng_sink *out, size_t bytes)
{
	if (bytes > BUFFER_BYTES - out->used)
		flush(out);
}

static void put(struct pcapng_sink *out, const void *data, size_t bytes)
{
	if (bytes) /* data may be NULL when not */
		memcpy(out->buffer + out->used, data, bytes);
	out->used += bytes;
}

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static void put_padded(struct pcapng_sink *out, const void *data, size_t bytes)
{
	static const uint8_t zeros[3];

	put(out, data, bytes);
	put(out, zeros, padded(bytes) - bytes);
}

/* Blocks are written in the byte order of the machine; the section says which. */
static void put_u32(struct pcapng_sink *out, uint32_t value)
{
	put(out, &value, sizeof(value));
}

static size_t option_bytes(size_t value_bytes)
{
	return 4 + padded(value_bytes);
}

static void put_option(struct pcapng_sink *out, uint16_t code, const void *value,
		       size_t bytes)
{
	const uint16_t head[2] = { code, (uint16_t)bytes };

	put(out, head, sizeof(head));
	put_padded(out, value, bytes);
}

static int result(const struct pcapng_sink *out, struct rt_err *err)
{
	if (out->failed)
		return rt_err_sys(err, out->failed, "%s: cannot write", out->name);
	return 0;
}

/* --- blocks ----------------------------------------------------------------- */

static void put_section(struct pcapng_sink *out)
{
	static const char program[] = "rocetune";
	const size_t name_bytes = sizeof(program) - 1;
	const uint32_t bytes = (uint32_t)(28 + option_bytes(name_bytes) + 4);
	const uint16_t version[2] = { 1, 0 };

	put_u32(out, 0x0A0D0D0A);
	put_u32(out, bytes);
	put_u32(out, 0x1A2B3C4D);
	put(out, version, sizeof(version));
	put_u32(out, UINT32_MAX); /* section length: not told */
	put_u32(out, UINT32_MAX);
	put_option(out, OPTION_USERAPPL, program, name_bytes);
	put_option(out, OPTION_END, NULL, 0);
	put_u32(out, bytes);
}

static int pcapng_add_interface(struct rt_sink *sink,
				const struct rt_capture_if *interface,
				struct rt_err *err)
{
	struct pcapng_sink *out = (struct pcapng_sink *)sink;
	const size_t name_bytes = strnlen(interface->name, sizeof(interface->name));
	const uint16_t link[2] = { interface->link_type, 0 };
	const uint8_t nanoseconds = 9;
	size_t bytes = 20 + option_bytes(1) + 4;

	if (out->interface_count > UINT16_MAX)
		return rt_err_set(err, -E2BIG, "%s: more than 65536 interfaces",
				  out->name);
	if (name_bytes)
		bytes += option_bytes(name_bytes);
	if (interface->speed_bps)
		bytes += option_bytes(8);
	begin_block(out, bytes);
	put_u32(out, 1);
	put_u32(out, (uint32_t)bytes);
	put(out, link, sizeof(link));
	put_u32(out, out->snap_bytes);
	if (name_bytes)
		put_option(out, OPTION_IF_NAME, interface->name, name_bytes);
	if (interface->speed_bps)
		put_option(out, OPTION_IF_SPEED, &interface->speed_bps, 8);
	put_option(out, OPTION_IF_TSRESOL, &nanoseconds, 1);
	put_option(out, OPTION_END, NULL, 0);
	put_u32(out, (uint32_t)bytes);
	out->interface_count++;
	return result(out, err);
}

static int pcapng_write(struct rt_sink *sink, unsigned interface, int64_t time_ns,
			const uint8_t *data, uint32_t cap_bytes, uint32_t wire_bytes,
			struct rt_err *err)
{
	struct pcapng_sink *out = (struct pcapng_sink *)sink;
	uint32_t bytes;

	if (interface >= out->interface_count)
		return rt_err_set(err, -EINVAL, "%s: interface %u was not declared",
				  out->name, interface);
	if (cap_bytes > BUFFER_BYTES - BLOCK_BYTES)
		return rt_err_set(err, -EMSGSIZE, "%s: a frame of %u bytes is no frame",
				  out->name, cap_bytes);
	if (out->snap_bytes && cap_bytes > out->snap_bytes)
		cap_bytes = out->snap_bytes;
	bytes = (uint32_t)(BLOCK_BYTES + padded(cap_bytes));

	const uint32_t head[7] = {
		6,
		bytes,
		interface,
		(uint32_t)((uint64_t)time_ns >> 32),
		(uint32_t)(uint64_t)time_ns,
		cap_bytes,
		wire_bytes,
	};
	begin_block(out, bytes);
	put(out, head, sizeof(head));
	put_padded(out, data, cap_bytes);
	put_u32(out, bytes);
	return result(out, err);
}

/* An interface statistics block; readers add nothing to its counts, the last holds. */
int rt_capture_note_drops(struct rt_sink *sink, unsigned interface, int64_t time_ns,
			  uint64_t dropped, struct rt_err *err)
{
	struct pcapng_sink *out = (struct pcapng_sink *)sink;
	const uint32_t bytes = (uint32_t)(24 + option_bytes(8) + 4);

	if (interface >= out->interface_count)
		return rt_err_set(err, -EINVAL, "%s: interface %u was not declared",
				  out->name, interface);
	begin_block(out, bytes);
	put_u32(out, 5);
	put_u32(out, bytes);
	put_u32(out, interface);
	put_u32(out, (uint32_t)((uint64_t)time_ns >> 32));
	put_u32(out, (uint32_t)(uint64_t)time_ns);
	put_option(out, OPTION_ISB_OSDROP, &dropped, sizeof(dropped));
	put_option(out, OPTION_END, NULL, 0);
	put_u32(out, bytes);
	return result(out, err);
}

static int pcapng_close(struct rt_sink *sink, struct rt_err *err)
{
	struct pcapng_sink *out = (struct pcapng_sink *)sink;
	int r;

	flush(out);
	/* some file systems say only here that there was no room */
	if (out->fd != STDOUT_FILENO && close(out->fd) < 0 && !out->failed)
		out->failed = -errno;
	r = result(out, err);
	free(out->name);
	free(out);
	return r;
}

static const struct rt_sink_ops pcapng_ops = {
	.name = "pcapng file",
	.add_interface = pcapng_add_interface,
	.write = pcapng_write,
	.close = pcapng_close,
};

int rt_capture_create(const char *path, uint32_t snap_bytes, struct rt_sink **ret_sink,
		      struct rt_err *err)
{
	const bool standard = strcmp(path, "-") == 0;
	struct pcapng_sink *out = malloc(sizeof(*out));
	char *name = strdup(standard ? "standard output" : path);
	struct stat status;
	int fd = STDOUT_FILENO;

	if (out && name && !standard)
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (!out || !name || fd < 0) {
		const int r = out && name ? -errno : -ENOMEM;

		free(out);
		free(name);
		return rt_err_sys(err, r, "%s: cannot create", path);
	}
	out->sink.ops = &pcapng_ops;
	out->name = name;
	out->fd = fd;
	out->regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
	out->snap_bytes = snap_bytes;
	out->interface_count = 0;
	out->used = 0;
	out->failed = 0;
	put_section(out);
	*ret_sink = &out->sink;
	return 0;
}
