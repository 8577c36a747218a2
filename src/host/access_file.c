/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_file.c - knobs in files of debugfs, sysfs and module parameters: a number,
 * a word, a file a priority, or NVIDIA's traffic class.
 */
#include "host/access_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"

/* --- a number ---------------------------------------------------------------------- */

int rt_file_number(const char *text, uint64_t *ret_number)
{
	const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long number;
	char *end;

	if ((text[0] == 'Y' || text[0] == 'N') && !text[1]) {
		*ret_number = text[0] == 'Y';
		return 0;
	}
	if (!isdigit((unsigned char)text[0]) ||
	    (hex && !isxdigit((unsigned char)text[2])))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, hex ? 16 : 10);
	if (*end || errno)
		return -EINVAL;
	*ret_number = number;
	return 0;
}

int rt_file_line(const struct rt_host_port *port, const char *path,
		 char buf[RT_FILE_LINE_BYTES])
{
	size_t bytes, from = 0;
	int r = rt_kern_line(port->kern, path, buf, RT_FILE_LINE_BYTES, NULL);

	if (r < 0)
		return r;
	bytes = strlen(buf);
	while (bytes && isspace((unsigned char)buf[bytes - 1]))
		buf[--bytes] = '\0';
	while (isspace((unsigned char)buf[from]))
		from++;
	memmove(buf, buf + from, bytes - from + 1);
	return 0;
}

void rt_file_read_number(const struct rt_host_port *port,
			 const struct rt_driver_row *row, const char *path,
			 struct rt_qos *qos)
{
	char line[RT_FILE_LINE_BYTES];
	uint64_t raw;
	int r = rt_file_line(port, path, line);

	if (r < 0)
		rt_row_absent(row, qos, r);
	else if (rt_file_number(line, &raw) < 0)
		rt_row_unknown(row, qos, "%s says '%.40s', which is no number",
			       rt_row_vendor(row), line);
	else
		rt_row_set(row, qos, 0, raw);
}

int rt_file_write_number(const struct rt_host_port *port,
			 const struct rt_driver_row *row, const char *path,
			 uint64_t raw, struct rt_err *err)
{
	char text[32];

	if (row->flags & RT_ROW_WRITE_HEX)
		snprintf(text, sizeof(text), "0x%" PRIx64, raw);
	else
		snprintf(text, sizeof(text), "%" PRIu64, raw);
	return port->kern->ops->file_write(port->kern, path, text, err);
}

static void read_number(const struct rt_host_port *port,
			const struct rt_driver_row *row, struct rt_qos *qos)
{
	char path[RT_ROW_PATH_BYTES];
	int r = rt_row_path(port, row->path, path);

	if (r < 0)
		rt_row_absent(row, qos, r);
	else
		rt_file_read_number(port, row, path, qos);
}

/* Path and number of a step with one change. */
static int scalar_of(const struct rt_host_port *port, const struct rt_plan *plan,
		     const struct rt_step *step, char path[RT_ROW_PATH_BYTES],
		     uint64_t *ret_raw, struct rt_err *err)
{
	const struct rt_change *change = plan->changes + step->first;
	int r = rt_row_path(port, change->row->path, path);

	if (r < 0)
		return rt_err_sys(err, r, "%s", change->row->path);
	return rt_change_raw(plan, change, 0, ret_raw, err);
}

static int write_number(const struct rt_host_port *port, const struct rt_plan *plan,
			const struct rt_step *step, struct rt_err *err)
{
	char path[RT_ROW_PATH_BYTES];
	uint64_t raw;
	int r = scalar_of(port, plan, step, path, &raw, err);

	if (r < 0)
		return r;
	return rt_file_write_number(port, plan->changes[step->first].row, path, raw,
				    err);
}

/* --- a file a priority ------------------------------------------------------------- */

static void prio_path(const char *path, unsigned prio, char buf[RT_ROW_PATH_BYTES])
{
	const char *at = strstr(path, "{prio}");

	snprintf(buf, RT_ROW_PATH_BYTES, "%.*s%u%s", (int)(at - path), path, prio,
		 at + strlen("{prio}"));
}

static void say_mixed(const struct rt_driver_row *row, struct rt_qos *qos,
		      unsigned on_mask)
{
	char list[24] = "";

	for (unsigned prio = 0; prio < 8; prio++)
		if (on_mask >> prio & 1)
			snprintf(list + strlen(list), sizeof(list) - strlen(list),
				 " %u", prio);
	rt_row_unknown(row, qos, "on for some priorities only:%s", list);
}

static void read_prios(const struct rt_host_port *port, const struct rt_driver_row *row,
		       struct rt_qos *qos)
{
	char pattern[RT_ROW_PATH_BYTES], path[RT_ROW_PATH_BYTES];
	char line[RT_FILE_LINE_BYTES];
	unsigned on_mask = 0;
	int r = rt_row_path(port, row->path, pattern);

	for (unsigned prio = 0; prio < 8 && r == 0; prio++) {
		uint64_t raw;

		prio_path(pattern, prio, path);
		r = rt_file_line(port, path, line);
		if (r < 0)
			break;
		if (rt_file_number(line, &raw) < 0) {
			rt_row_unknown(row, qos, "%s says '%.40s', which is no number",
				       rt_row_vendor(row), line);
			return;
		}
		on_mask |= (unsigned)(raw != 0) << prio;
	}
	if (r < 0)
		rt_row_absent(row, qos, r);
	else if (on_mask && on_mask != 0xff)
		say_mixed(row, qos, on_mask);
	else
		rt_row_set(row, qos, 0, on_mask != 0);
}

static int write_prios(const struct rt_host_port *port, const struct rt_plan *plan,
		       const struct rt_step *step, struct rt_err *err)
{
	char pattern[RT_ROW_PATH_BYTES], path[RT_ROW_PATH_BYTES];
	uint64_t raw;
	int r = scalar_of(port, plan, step, pattern, &raw, err);

	for (unsigned prio = 0; prio < 8 && r == 0; prio++) {
		prio_path(pattern, prio, path);
		r = port->kern->ops->file_write(port->kern, path, raw ? "1" : "0", err);
	}
	return r;
}

/* --- a word ------------------------------------------------------------------------ */

void rt_file_word(const struct rt_host_port *port, const struct rt_driver_row *row,
		  const char *path, struct rt_qos *qos)
{
	char line[RT_FILE_LINE_BYTES];
	const struct rt_name *word;
	const int r = rt_file_line(port, path, line);

	if (r < 0) {
		rt_row_absent(row, qos, r);
		return;
	}
	word = rt_name_find(rt_row_words(row), line);
	if (word)
		rt_row_set(row, qos, 0, word->value);
	else
		rt_row_unknown(row, qos, "%s says '%.40s'", rt_row_vendor(row), line);
}

static void read_word(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	char path[RT_ROW_PATH_BYTES];
	const int r = rt_row_path(port, row->path, path);

	if (r < 0)
		rt_row_absent(row, qos, r);
	else
		rt_file_word(port, row, path, qos);
}

static int write_word(const struct rt_host_port *port, const struct rt_plan *plan,
		      const struct rt_step *step, struct rt_err *err)
{
	char path[RT_ROW_PATH_BYTES];
	const char *word;
	uint64_t raw;
	int r = scalar_of(port, plan, step, path, &raw, err);

	if (r < 0)
		return r;
	word = rt_name_of(rt_row_words(plan->changes[step->first].row), (unsigned)raw);
	if (!word)
		return rt_err_set(err, -EINVAL, "%s: no word for %" PRIu64, path, raw);
	return port->kern->ops->file_write(port->kern, path, word, err);
}

/* --- NVIDIA's traffic class ---------------------------------------------------------- */

/* "Global tclass=106" among rules per address; no such line: nobody forces one. */
static void read_tclass(const struct rt_host_port *port,
			const struct rt_driver_row *row, struct rt_qos *qos)
{
	static const char mark[] = "Global tclass=";
	char path[RT_ROW_PATH_BYTES], text[4096];
	const char *at;
	unsigned long number;
	size_t bytes;
	char *end;
	int r = rt_row_path(port, row->path, path);

	if (r == 0)
		r = port->kern->ops->file_read(port->kern, path, text, sizeof(text),
					       &bytes, NULL);
	if (r < 0) {
		rt_row_absent(row, qos, r);
		return;
	}
	at = strstr(text, mark);
	if (!at) {
		rt_row_unknown(row, qos, "not forced: applications set their own");
		return;
	}
	at += strlen(mark);
	number = strtoul(at, &end, 10);
	if (!isdigit((unsigned char)*at) || !(isspace((unsigned char)*end) || !*end) ||
	    number > 255)
		rt_row_unknown(row, qos, "the file's line '%.40s' holds no byte", at);
	else
		rt_row_set(row, qos, 0, number);
}

#define FILE_OF(variable, name_, interface_, kind) \
	const struct rt_access variable = {        \
		.name = (name_),                   \
		.interface = (interface_),         \
		.by_row = true,                    \
		.read = read_##kind,               \
		.write = write_##kind,             \
	}

FILE_OF(rt_access_debugfs, "debugfs", "debugfs", number);
FILE_OF(rt_access_sysfs, "sysfs", "sysfs", number);
FILE_OF(rt_access_module, "module parameter", "module", number);
FILE_OF(rt_access_prio_files, "sysfs, a file a priority", "sysfs", prios);
FILE_OF(rt_access_word, "sysfs", "sysfs", word);

const struct rt_access rt_access_tclass = {
	.name = "sysfs traffic_class",
	.interface = "sysfs",
	.by_row = true,
	.read = read_tclass,
	.write = write_number,
};
