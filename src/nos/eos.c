/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eos.c - Arista EOS: a running-config, read only.
 *
 * Lines are words; what a line is about follows from the lines above it that are
 * less indented.  A line starting with "no" says that something has its default.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "nos/eos.h"
#include "nos/nos.h"
#include "rocetune/err.h"

struct rt_place eos_place(const struct eos_reader *reader, const struct eos_line *line,
			  unsigned word)
{
	return (struct rt_place){
		.file = reader->sw->file,
		.line = line->number,
		.column = word < line->count ? line->columns[word] : 1,
	};
}

struct eos_block *eos_block(struct eos_reader *reader)
{
	return &reader->blocks[reader->depth];
}

struct rt_switch_port *eos_port(struct eos_reader *reader)
{
	const struct eos_block *block = eos_block(reader);

	if (block->context != EOS_PORT && block->context != EOS_QUEUE)
		return NULL;
	return block->kind == RT_SWITCH_PORT ? &reader->sw->ports[block->index]
					     : &reader->sw->templates[block->index];
}

void eos_open(struct eos_reader *reader, const struct eos_line *line,
	      struct eos_block block)
{
	if (reader->depth + 1 == EOS_DEPTH_MAX)
		return;
	block.indent = line->indent;
	reader->blocks[++reader->depth] = block;
}

struct rt_switch_map *eos_map(struct eos_reader *reader, enum rt_switch_kind kind)
{
	struct rt_err why = { 0 };
	struct rt_switch_map *map;

	map = rt_switch_make(reader->sw, kind, "qos map", strlen("qos map"), NULL,
			     &why);
	if (!map)
		reader->failed = rt_err_set(reader->err, why.code, "%s", why.msg);
	return map;
}

/* --- lines ------------------------------------------------------------------------ */

/* The words of one line; false: it is longer than any line of a configuration. */
static bool split(const char *text, size_t bytes, struct eos_line *line)
{
	size_t at = 0;

	line->count = line->indent = 0;
	if (bytes >= sizeof(line->text))
		return false;
	memcpy(line->text, text, bytes);
	line->text[bytes] = '\0';
	while (at < bytes) {
		const size_t blanks = strspn(line->text + at, " \t\r");

		at += blanks;
		if (line->count == 0)
			line->indent = (unsigned)blanks;
		if (!line->text[at])
			break;
		if (line->count == EOS_WORDS_MAX)
			return false;
		line->columns[line->count] = (unsigned)at + 1;
		line->words[line->count++] = line->text + at;
		at += strcspn(line->text + at, " \t\r");
		if (at < bytes)
			line->text[at++] = '\0';
	}
	return true;
}

static bool is_number(const char *word)
{
	return *word && strlen(word) <= 18 && !word[strspn(word, "0123456789")];
}

/* Whether the line is of the pattern; captures what # and $ stand for. */
static bool matches(const char *pattern, struct eos_line *line)
{
	unsigned word = 0, captures = 0;

	while (*pattern) {
		const size_t bytes = strcspn(pattern, " ");

		if (*pattern == '*')
			return true;
		if (word == line->count)
			return false;
		if (bytes == 1 && (*pattern == '#' || *pattern == '$')) {
			if (*pattern == '#' && !is_number(line->words[word]))
				return false;
			line->captured[captures++] = word;
		} else if (strncmp(pattern, line->words[word], bytes) != 0 ||
			   line->words[word][bytes]) {
			return false;
		}
		word++;
		pattern += bytes;
		pattern += *pattern == ' ';
	}
	return word == line->count;
}

/* Words that only lines about QoS have. */
static bool is_about_qos(const struct eos_line *line)
{
	static const char *const words[] = {
		"qos",      "priority-flow-control", "random-detect",  "dcbx",
		"tx-queue", "uc-tx-queue",           "service-profile"
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(words); i++)
		for (unsigned j = 0; j < 2 && j < line->count; j++)
			if (strcmp(line->words[j], words[i]) == 0)
				return true;
	return false;
}

static void tell_not_read(struct eos_reader *reader, const struct eos_line *line,
			  const char *why)
{
	const struct rt_place place = eos_place(reader, line, 0);

	reader->sw->not_read++;
	rt_switch_tell(
		reader->complaints, RT_SWITCH_NOT_READ, &place,
		"'%.40s%s%.40s%s%.40s': %s", line->words[0], line->count > 1 ? " " : "",
		line->count > 1 ? line->words[1] : "", line->count > 2 ? " " : "",
		line->count > 2 ? line->words[2] : "", why);
}

static void read_line(struct eos_reader *reader, struct eos_line *line)
{
	enum eos_context context;

	while (reader->depth && line->indent <= eos_block(reader)->indent)
		reader->depth--;
	context = eos_block(reader)->context;
	if (context == EOS_OTHER)
		return;
	for (size_t i = 0; i < eos_row_count; i++) {
		if (!(eos_rows[i].contexts & context) ||
		    !matches(eos_rows[i].pattern, line))
			continue;
		reader->understood++;
		if (eos_rows[i].handle)
			eos_rows[i].handle(reader, &eos_rows[i], line);
		return;
	}
	if (context == EOS_QUEUE || is_about_qos(line))
		tell_not_read(reader, line, "not understood");
	/* What follows, more indented, belongs to it. */
	eos_open(reader, line, (struct eos_block){ .context = EOS_OTHER });
}

/* The first byte that no text has; bytes: there is none. */
static size_t find_binary(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if ((unsigned char)text[i] < 0x20 && text[i] != '\t' &&
		    text[i] != '\r' && text[i] != '\f')
			return i;
	return bytes;
}

/* One line from text, its end not included; last: the text ends within it. */
static int take_line(struct eos_reader *reader, struct eos_line *line, const char *text,
		     size_t bytes, bool last)
{
	const size_t binary = find_binary(text, bytes);

	if (binary < bytes)
		return rt_err_set(
			reader->err, -EINVAL,
			"%s:%u:%zu: byte 0x%02x is no text of a configuration",
			reader->sw->file, line->number, binary + 1,
			(unsigned char)text[binary]);
	if (!split(text, bytes, line))
		return rt_err_set(reader->err, -EINVAL,
				  "%s:%u:1: longer than any line of a configuration",
				  reader->sw->file, line->number);
	if (line->count == 0 || line->words[0][0] == '!')
		return 0;
	if (last && strcmp(line->words[0], "end") != 0)
		tell_not_read(reader, line,
			      "the text ends within this line: is it cut?");
	else
		read_line(reader, line);
	return reader->failed;
}

static int read_lines(struct eos_reader *reader, struct eos_line *line,
		      const char *text, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		const char *end = memchr(text + at, '\n', bytes - at);
		const size_t length = end ? (size_t)(end - text) - at : bytes - at;
		int r;

		line->number++;
		r = take_line(reader, line, text + at, length, !end);
		if (r < 0)
			return r;
		at += length + 1;
	}
	return 0;
}

/* --- the row -------------------------------------------------------------------- */

static bool starts(const char *text, size_t bytes, const char *word)
{
	const size_t length = strlen(word);

	return bytes >= length && memcmp(text, word, length) == 0;
}

/* Other systems have interfaces and "qos" too; these lines only EOS has. */
static bool eos_recognise(const char *text, size_t bytes)
{
	static const char *const signs[] = {
		"qos profile ",           "qos map dscp ",       "qos map cos ",
		"qos map traffic-class ", "   service-profile ", "! device: "
	};

	for (size_t at = 0; at < bytes;) {
		const char *end = memchr(text + at, '\n', bytes - at);

		for (size_t i = 0; i < RT_ARRAY_SIZE(signs); i++)
			if (starts(text + at, bytes - at, signs[i]))
				return true;
		if (!end)
			return false;
		at = (size_t)(end - text) + 1;
	}
	return false;
}

static int eos_parse(struct rt_switch *sw, const char *text, size_t bytes,
		     struct rt_findings *complaints, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct eos_line *line = calloc(1, sizeof(*line));
	struct eos_reader reader = { .sw = sw, .complaints = complaints, .err = err };
	int r;

	if (!line)
		return rt_err_sys(err, -ENOMEM, "%s: cannot hold a line", sw->file);
	reader.blocks[0].context = EOS_TOP;
	r = read_lines(&reader, line, text, bytes);
	if (r == -ENOMEM)
		return rt_err_sys(err, r, "%s: cannot hold the switch", sw->file);
	if (r < 0)
		return r;
	if (!reader.understood)
		return rt_err_set(err, -EINVAL,
				  "%s:1:1: no interface and no line about QoS that EOS "
				  "would write",
				  sw->file);
	eos_finish(&reader);
	return reader.failed;
}

const struct rt_nos rt_nos_eos = {
	.name = "eos",
	.help = "Arista EOS: running-config",
	.recognise = eos_recognise,
	.parse = eos_parse,
};
