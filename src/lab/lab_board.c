/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_board.c - counters in a file, and their reading. */
#include "lab/lab_board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"

#define MAGIC   UINT64_C(0x62616c2d656e7574) /* "tune-lab" */
#define VERSION 1u

/* Both sides are this program on this machine: its own byte order and layout. */
struct header {
	uint64_t magic;
	uint32_t version, port_bytes, port_count;
	uint32_t sequence; /* odd: being written */
	uint64_t time_ns;
};

struct rt_lab_board {
	int fd;
	struct header header; /* as it was written last */
};

static size_t board_bytes(size_t ports)
{
	return sizeof(struct header) + ports * sizeof(struct rt_lab_switch_port);
}

/* --- writing -------------------------------------------------------------------------- */

/* What does not fit, or somebody cuts off, is written again with the next counters. */
static int put(const struct rt_lab_board *board, const void *from, size_t bytes,
	       size_t at)
{
	const ssize_t n = pwrite(board->fd, from, bytes, (off_t)at);

	if (n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -ENOSPC;
}

/* Ports between an odd and an even sequence; readers copy in the same order. */
static int put_all(struct rt_lab_board *board, const struct rt_lab_switch_port *ports,
		   size_t count)
{
	struct header *header = &board->header;
	int r;

	header->sequence |= 1;
	r = put(board, header, sizeof(*header), 0);
	if (r == 0 && count)
		r = put(board, ports, count * sizeof(*ports), sizeof(*header));
	header->sequence++;
	/* Where it was cut off it has its length again. */
	if (r == 0 && ftruncate(board->fd, (off_t)board_bytes(header->port_count)) < 0)
		r = -errno;
	return r < 0 ? r : put(board, header, sizeof(*header), 0);
}

int rt_lab_board_create(int folder_fd, const char *file, size_t port_count,
			struct rt_lab_board **ret_board, struct rt_err *err)
{
	struct rt_lab_board *board = calloc(1, sizeof(*board));
	int r;

	if (!board || port_count > RT_LAB_MAX_PORTS) {
		free(board);
		return rt_err_sys(err, board ? -EINVAL : -ENOMEM, "the lab's counters");
	}
	board->fd = openat(folder_fd, file,
			   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	board->header = (struct header){
		.magic = MAGIC,
		.version = VERSION,
		.port_bytes = sizeof(struct rt_lab_switch_port),
		.port_count = (uint32_t)port_count,
	};
	r = board->fd < 0 ? -errno : put_all(board, NULL, 0);
	if (r < 0) {
		rt_lab_board_close(board);
		return rt_err_sys(err, r, "cannot make the file of the lab's counters");
	}
	*ret_board = board;
	return 0;
}

void rt_lab_board_write(struct rt_lab_board *board,
			const struct rt_lab_switch_counters *counters)
{
	const size_t most = board->header.port_count;

	board->header.time_ns = counters->time_ns;
	/* Nobody waits for it: a reader that finds it odd for long says so. */
	(void)put_all(board, counters->ports,
		      counters->port_count < most ? counters->port_count : most);
}

void rt_lab_board_close(struct rt_lab_board *board)
{
	if (!board)
		return;
	if (board->fd >= 0)
		close(board->fd);
	free(board);
}

/* --- reading -------------------------------------------------------------------------- */

static int check_header(const struct header *header, size_t count, struct rt_err *err)
{
	if (header->magic != MAGIC)
		return rt_err_set(err, -EINVAL, "no counters of a lab");
	if (header->version != VERSION ||
	    header->port_bytes != sizeof(struct rt_lab_switch_port))
		return rt_err_set(err, -EINVAL,
				  "the lab's counters are of another rocetune "
				  "(version %u)",
				  header->version);
	if (header->port_count > RT_LAB_MAX_PORTS ||
	    count != board_bytes(header->port_count))
		return rt_err_set(err, -EINVAL,
				  "the lab's counters: %u ports do not make %zu bytes",
				  header->port_count, count);
	return header->sequence & 1 ? -EAGAIN : 0;
}

static int check_port(const struct rt_lab_switch_port *port, struct rt_err *err)
{
	if (memchr(port->name, '\0', sizeof(port->name)) &&
	    memchr(port->peer, '\0', sizeof(port->peer)))
		return 0;
	return rt_err_set(err, -EINVAL, "the lab's counters: a name without end");
}

int rt_lab_board_parse(const void *bytes, size_t count,
		       struct rt_lab_switch_counters *ret_counters, struct rt_err *err)
{
	struct rt_lab_switch_port *ports;
	struct header header;
	int r = 0;

	if (count < sizeof(header))
		return rt_err_set(err, -EINVAL, "no counters of a lab");
	memcpy(&header, bytes, sizeof(header));
	r = check_header(&header, count, err);
	if (r < 0)
		return r;
	ports = calloc(header.port_count + 1, sizeof(*ports));
	if (!ports)
		return rt_err_sys(err, -ENOMEM, "the lab's counters");
	memcpy(ports, (const char *)bytes + sizeof(header),
	       header.port_count * sizeof(*ports));
	for (uint32_t i = 0; r == 0 && i < header.port_count; i++)
		r = check_port(&ports[i], err);
	if (r < 0) {
		free(ports);
		return r;
	}
	*ret_counters =
		(struct rt_lab_switch_counters){ .time_ns = header.time_ns,
						 .ports = ports,
						 .port_count = header.port_count };
	return 0;
}

/* One copy, and whether nobody wrote in the meantime. */
static int read_once(int fd, void *copy, size_t bytes)
{
	struct header before, after;

	if (pread(fd, &before, sizeof(before), 0) != sizeof(before))
		return -EINVAL;
	if (pread(fd, copy, bytes, 0) != (ssize_t)bytes)
		return -EINVAL;
	if (pread(fd, &after, sizeof(after), 0) != sizeof(after))
		return -EINVAL;
	return before.sequence == after.sequence ? 0 : -EAGAIN;
}

#define READ_TRIES 200 /* of a millisecond: a writer is done in microseconds */

int rt_lab_board_read(int fd, struct rt_lab_switch_counters *ret_counters,
		      struct rt_err *err)
{
	RT_AUTO(rt_auto_free) void *copy = NULL;
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct stat file;
	int r = -EAGAIN;

	if (fstat(fd, &file) < 0)
		return rt_err_sys(err, -errno, "the lab's counters");
	if (!S_ISREG(file.st_mode) || file.st_size < (off_t)sizeof(struct header) ||
	    file.st_size > (off_t)board_bytes(RT_LAB_MAX_PORTS))
		return rt_err_set(err, -EINVAL, "no counters of a lab");
	copy = malloc((size_t)file.st_size);
	if (!copy)
		return rt_err_sys(err, -ENOMEM, "the lab's counters");
	for (unsigned i = 0; r == -EAGAIN && i < READ_TRIES; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		r = read_once(fd, copy, (size_t)file.st_size);
		if (r == 0)
			r = rt_lab_board_parse(copy, (size_t)file.st_size, ret_counters,
					       err);
	}
	if (r == -EAGAIN)
		return rt_err_set(err, r,
				  "the lab's counters are never whole: its "
				  "process stopped while it wrote them");
	if (r == -EINVAL && err && !err->code)
		return rt_err_set(err, r, "the lab's counters are cut short");
	return r;
}
