/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_files.c - counters that are files of sysfs, a number each: held open. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "host/counters_ask.h"
#include "host/device.h"
#include "kern/files.h"
#include "rocetune/err.h"

#define PATH_BYTES RT_COUNTER_PATH_BYTES
#define TEXT_BYTES 64 /* a number of 64 bits has 20 digits */

void rt_counter_path(const struct rt_counter_reader *reader, unsigned source,
		     unsigned link, const char *name, char path[PATH_BYTES])
{
	const struct rt_device *device = reader->device;
	const char *folder = source == RT_SOURCE_PMA ? "counters" : "hw_counters";

	if (source == RT_SOURCE_NETDEV)
		snprintf(path, PATH_BYTES, "/sys/class/net/%s/statistics/%s",
			 reader->links[link], name);
	else if (source == RT_SOURCE_DEVICE)
		snprintf(path, PATH_BYTES, "/sys/class/infiniband/%s/%s/%s",
			 device->ibdev, folder, name);
	else
		snprintf(path, PATH_BYTES, "/sys/class/infiniband/%s/ports/%u/%s/%s",
			 device->ibdev, device->port, folder, name);
}

static void write_cell_path(const struct rt_counter_reader *reader,
			    const struct rt_counter_cell *cell, char path[PATH_BYTES])
{
	rt_counter_path(reader, cell->source, cell->link,
			reader->names[cell - reader->cells], path);
}

/* Digits and a line's end; false: a text ("N/A (no PMA)"), or beyond 64 bits. */
static bool parse_number(const char *text, size_t bytes, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < bytes && text[i] >= '0' && text[i] <= '9'; i++) {
		const unsigned digit = (unsigned)(text[i] - '0');

		if (i >= 19 && number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return i && i < TEXT_BYTES && (i == bytes || text[i] == '\n');
}

/* --- opening ----------------------------------------------------------------------------- */

/*
 * Held open where it can be.  One that is not there is a counter that the driver does
 * not have, and is not looked for again.
 */
static int meet(struct rt_counter_reader *reader, struct rt_counter_cell *cell,
		struct rt_err *why)
{
	char path[PATH_BYTES];
	int fd;

	write_cell_path(reader, cell, path);
	fd = rt_kern_file_open(reader->kern, path, why);
	if (fd < 0) /* -EOPNOTSUPP: it is opened for each reading */
		return fd == -EOPNOTSUPP ? 0 : fd;
	if (rt_file_may_stay_open(fd))
		cell->fd = fd;
	else
		close(fd);
	return 0;
}

void rt_counter_shut(struct rt_counter_cell *cell)
{
	if (cell->fd >= 0)
		close(cell->fd);
	cell->fd = -1;
}

/* In the place of the old one, whose number others have noted. */
static void renew(struct rt_counter_reader *reader, const struct rt_counter_cell *cell)
{
	char path[PATH_BYTES];
	int fd;

	write_cell_path(reader, cell, path);
	fd = rt_kern_file_open(reader->kern, path, NULL);
	if (fd < 0)
		return;
	(void)dup3(fd, cell->fd, O_CLOEXEC);
	close(fd);
}

bool rt_counter_renew_files(struct rt_counter_reader *reader)
{
	bool any = false;

	for (size_t i = 0; i < reader->cell_count; i++)
		if (reader->cells[i].fd >= 0 &&
		    rt_file_is_nameless(reader->cells[i].fd)) {
			renew(reader, &reader->cells[i]);
			any = true;
		}
	return any;
}

/* --- reading ----------------------------------------------------------------------------- */

static ssize_t read_open(int fd, char text[TEXT_BYTES])
{
	ssize_t got;

	do
		got = pread(fd, text, TEXT_BYTES, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* Says why, where it cannot be read. */
static ssize_t read_held(struct rt_counter_reader *reader,
			 const struct rt_counter_cell *cell, char text[TEXT_BYTES],
			 struct rt_err *why)
{
	const ssize_t got = read_open(cell->fd, text);
	char path[PATH_BYTES];

	if (got >= 0)
		return got;
	write_cell_path(reader, cell, path);
	return rt_err_sys(why, (int)got, "%s", path);
}

static ssize_t read_by_path(struct rt_counter_reader *reader,
			    const struct rt_counter_cell *cell, char text[TEXT_BYTES],
			    struct rt_err *why)
{
	char path[PATH_BYTES];
	size_t bytes = 0;
	int r;

	write_cell_path(reader, cell, path);
	r = reader->kern->ops->file_read(reader->kern, path, text, TEXT_BYTES, &bytes,
					 why);
	return r < 0 ? r : (ssize_t)bytes;
}

/* What reading it said, where that was an error. */
static void take_no_number(struct rt_counter_reader *reader,
			   struct rt_counter_cell *cell, int code,
			   const struct rt_err *why)
{
	if (code == -EFBIG) {
		rt_counter_tell(reader, cell, false, 0);
	} else if (code == -ENOENT || code == -ENOTDIR) {
		cell->absent = true;
		rt_counter_tell(reader, cell, false, 0);
	} else {
		rt_counter_take_error(reader, cell->source, code, why);
	}
}

void rt_counter_ask_file(struct rt_counter_reader *reader, struct rt_counter_cell *cell)
{
	char text[TEXT_BYTES];
	struct rt_err why;
	uint64_t number = 0;
	ssize_t got = 0;
	bool known;

	cell->turn = reader->turn;
	if (!cell->met) {
		cell->met = true;
		got = meet(reader, cell, &why);
	}
	if (got >= 0)
		got = cell->fd >= 0 ? read_held(reader, cell, text, &why)
				    : read_by_path(reader, cell, text, &why);
	if (got < 0) {
		take_no_number(reader, cell, (int)got, &why);
		return;
	}
	known = parse_number(text, (size_t)got, &number);
	if (known)
		rt_counter_succeed(reader, cell->source);
	rt_counter_tell(reader, cell, known, number);
}

/* Not so plain: read once more, for what it says in words. */
static void ask_again(struct rt_counter_reader *reader, unsigned source,
		      struct rt_counter_held *held)
{
	rt_counter_ask_file(reader, &reader->cells[held->cell]);
	if (rt_counter_may_ask(reader, source)) {
		const int fd = held->fd;

		*held = rt_counter_held_of(reader, held->cell);
		held->fd = fd;
	}
}

void rt_counter_ask_files(struct rt_counter_reader *reader, unsigned source)
{
	const struct rt_counter_helds *files = &reader->files[source];

	for (size_t i = 0; i < files->count && rt_counter_may_ask(reader, source);
	     i++) {
		struct rt_counter_held *held = &files->items[i];
		char text[TEXT_BYTES];
		const ssize_t got = read_open(held->fd, text);
		uint64_t raw;

		if (got <= 0 || !parse_number(text, (size_t)got, &raw)) {
			ask_again(reader, source, held);
		} else if (raw != held->raw) { /* else as most */
			rt_counter_succeed(reader, source);
			rt_counter_take(reader, source, held, raw);
		}
	}
}
