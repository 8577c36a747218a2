/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.c - writes samples into a file as they come: what changed, and from time to
 * time, and when ports or their counters change, all of it anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/doc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "base/text.h"
#include "rocetune/err.h"
#include "watch/recorder_parts.h"

static void free_recorder(struct rt_recorder *recorder)
{
	if (recorder->fd >= 0)
		close(recorder->fd);
	rt_recorder_forget(recorder);
	rt_record_room_free(&recorder->room);
	free(recorder->path);
	free(recorder);
}

int rt_recorder_open(const char *path, const char *title,
		     struct rt_recorder **ret_recorder, struct rt_err *err)
{
	struct rt_recorder *recorder;

	if (strcmp(path, "-") == 0)
		return rt_err_set(err, -EINVAL,
				  "a recording is written to a file, not to standard "
				  "output: give it a name");
	recorder = calloc(1, sizeof(*recorder));
	if (!recorder)
		return rt_err_sys(err, -ENOMEM, "%s", path);
	recorder->fd = -1;
	recorder->path = strdup(path);
	if (!recorder->path) {
		free_recorder(recorder);
		return rt_err_sys(err, -ENOMEM, "%s", path);
	}
	snprintf(recorder->title, sizeof(recorder->title), "%s", title);
	/* What a title is cut to may end inside of a character. */
	recorder->title[rt_text_utf8_length(recorder->title, strlen(recorder->title))] =
		'\0';
	recorder->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (recorder->fd < 0) {
		const int r = -errno;

		free_recorder(recorder);
		return r == -EEXIST
			       ? rt_err_set(
					 err, r,
					 "%s: is there already: recordings are never "
					 "written over, take another name",
					 path)
			       : rt_err_sys(err, r, "%s: cannot be created", path);
	}
	/* Not a sample's time: simulations all begin at the same one. */
	recorder->begun_ns = rt_clock_ns(CLOCK_REALTIME);
	*ret_recorder = recorder;
	return 0;
}

/* --- texts ------------------------------------------------------------------------------------ */

static void mend_text(char *text)
{
	size_t left = strlen(text), good;

	while ((good = rt_text_utf8_length(text, left)) < left) {
		text[good] = '?';
		text += good + 1;
		left -= good + 1;
	}
}

void rt_recorder_mend(const struct rt_table *table, void *object)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->fields[i].type == RT_FIELD_CHARS)
			mend_text((char *)object + table->fields[i].offset);
}

/* --- lines ------------------------------------------------------------------------------------ */

int rt_recorder_put_line(FILE *to, const struct rt_table *table, const void *line,
			 struct rt_err *err)
{
	struct rt_json *json = rt_record_envelope(table, line);
	int r = rt_json_write_line(json, to, err);

	rt_json_free(json);
	return r;
}

/* As readers count keys and values before they read any (base/doc.c); one at most more. */
static bool has_too_many(const char *line, size_t length)
{
	size_t marks = 0;

	if (length <= RT_DOC_MAX_NODES)
		return false;
	for (size_t i = 0; i < length; i++)
		marks += line[i] == '[' || line[i] == '{' || line[i] == ',' ||
			 line[i] == ':';
	return marks >= RT_DOC_MAX_NODES;
}

/* Readers refuse longer lines, and those of more keys and values. */
static int check_lines(const struct rt_recorder *recorder, const char *text,
		       size_t bytes, struct rt_err *err)
{
	for (const char *end; bytes && (end = memchr(text, '\n', bytes));) {
		const size_t length = (size_t)(end - text) + 1;

		if (length > RT_DOC_MAX_BYTES)
			return rt_err_set(err, -EFBIG,
					  "%s: a sample takes more than %u MiB: watch "
					  "fewer ports",
					  recorder->path, RT_DOC_MAX_BYTES >> 20);
		if (has_too_many(text, length))
			return rt_err_set(err, -EFBIG,
					  "%s: a sample takes more than a million keys "
					  "and values: watch fewer ports",
					  recorder->path);
		text += length;
		bytes -= length;
	}
	return 0;
}

static int write_lines(struct rt_recorder *recorder,
		       const struct rt_watch_sample *sample, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	int r = 0;

	if (!to)
		return rt_err_sys(err, -errno, "%s", recorder->path);
	if (!rt_recorder_fits(recorder, sample))
		r = rt_recorder_begin(recorder, sample, to, err);
	if (r == 0)
		r = rt_recorder_put_sample(recorder, sample, to, err);
	if (fclose(to) != 0 && r == 0)
		r = rt_err_sys(err, -errno, "%s", recorder->path);
	if (r == 0)
		r = check_lines(recorder, text, bytes, err);
	if (r < 0)
		return r;
	r = rt_file_write_all(recorder->fd, text, bytes);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot be written", recorder->path);
	recorder->left--;
	recorder->time_ns = sample->time_ns;
	return 0;
}

int rt_recorder_write(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample, struct rt_err *err)
{
	int r;

	if (recorder->fd < 0)
		return rt_err_set(err, -EBADF, "%s: has ended", recorder->path);
	r = write_lines(recorder, sample, err);
	if (r < 0) {
		close(recorder->fd);
		recorder->fd = -1;
	}
	return r;
}

int rt_recorder_close(struct rt_recorder *recorder, struct rt_err *err)
{
	int r = 0;

	if (!recorder)
		return 0;
	if (recorder->fd >= 0 && close(recorder->fd) < 0)
		r = rt_err_sys(err, -errno, "%s: cannot be written", recorder->path);
	recorder->fd = -1;
	free_recorder(recorder);
	return r;
}
