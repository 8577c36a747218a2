/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_headroom.c - SONiC's headroom table, and what it makes of a port. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/switch_build.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

#define ROWS_MAX    4096u
#define COLUMNS_MAX 8
#define WORD_BYTES  24

/* The words of a line; the first # begins a comment. */
struct line {
	char words[COLUMNS_MAX][WORD_BYTES];
	unsigned columns[COLUMNS_MAX]; /* where each begins, from 1 */
	unsigned count;
	bool too_much; /* more words, or a longer one, than any row has */
};

static void split(const char *text, size_t bytes, struct line *ret_line)
{
	size_t at = 0;

	*ret_line = (struct line){ 0 };
	for (;;) {
		size_t length = 0;

		while (at < bytes && isspace((unsigned char)text[at]))
			at++;
		if (at == bytes || text[at] == '#' || text[at] == '\0')
			return;
		while (at + length < bytes &&
		       !isspace((unsigned char)text[at + length]) && text[at + length])
			length++;
		if (ret_line->count == COLUMNS_MAX || length >= WORD_BYTES) {
			ret_line->too_much = true;
			return;
		}
		memcpy(ret_line->words[ret_line->count], text + at, length);
		ret_line->columns[ret_line->count++] = (unsigned)at + 1;
		at += length;
	}
}

static bool number(const char *word, uint64_t *ret_number)
{
	return rt_unit_parse(RT_UNIT_COUNT, word, ret_number, NULL) == 0;
}

static bool exponent(const char *word, int *ret_number)
{
	char *end;
	const long value = strtol(word, &end, 10);

	*ret_number = (int)value;
	return end != word && !*end && value >= -8 && value <= 8;
}

/* Index of the word that is none of its column's; -1: all are well. */
static int read_row(const struct line *line, struct rt_switch_headroom *row)
{
	if (line->too_much || line->count < 6 || line->count > 7)
		return 0;
	if (!number(line->words[0], &row->speed_bps) || row->speed_bps > 10000000)
		return 0;
	row->speed_bps *= 1000000;
	if (rt_unit_parse(RT_UNIT_LENGTH, line->words[1], &row->cable_mm, NULL) < 0)
		return 1;
	if (!number(line->words[2], &row->size_bytes))
		return 2;
	if (!number(line->words[3], &row->xon_bytes))
		return 3;
	if (!number(line->words[4], &row->xoff_bytes))
		return 4;
	if (!exponent(line->words[5], &row->threshold))
		return 5;
	row->xon_offset_bytes.known = line->count == 7;
	if (line->count == 7 && !number(line->words[6], &row->xon_offset_bytes.value))
		return 6;
	return -1;
}

static int add_row(struct rt_switch *sw, const struct rt_switch_headroom *row,
		   struct rt_err *err)
{
	struct rt_switch_headrooms *table = &sw->headroom;
	struct rt_switch_headroom *rows = table->count < ROWS_MAX
						  ? rt_grow(table->rows, table->count,
							    &table->capacity,
							    sizeof(*rows))
						  : NULL;

	if (!rows)
		return rt_err_set(err, table->count < ROWS_MAX ? -ENOMEM : -EFBIG,
				  "%s: more than %u rows of headroom", table->file,
				  ROWS_MAX);
	table->rows = rows;
	rows[table->count++] = *row;
	return 0;
}

int rt_switch_headroom_parse(struct rt_switch *sw, const char *name, const char *text,
			     size_t bytes, struct rt_err *err)
{
	static const char *const columns[] = { "speed", "cable",     "size",      "xon",
					       "xoff",  "threshold", "xon_offset" };
	unsigned number_of_line = 0;

	sw->headroom.file = rt_switch_text(sw, name, strlen(name));
	if (!sw->headroom.file)
		return rt_err_sys(err, -ENOMEM, "cannot hold the headroom table");
	for (size_t at = 0; at < bytes;) {
		const char *end = memchr(text + at, '\n', bytes - at);
		const size_t length = end ? (size_t)(end - text) - at : bytes - at;
		struct rt_switch_headroom row = { 0 };
		struct line line;
		int wrong, r;

		number_of_line++;
		split(text + at, length, &line);
		at += length + 1;
		if (line.count == 0 && !line.too_much)
			continue;
		wrong = read_row(&line, &row);
		if (wrong >= 0)
			return rt_err_set(
				err, -EINVAL,
				"%s:%u:%u: no %s; a row is speed (Mb/s), cable, size, "
				"xon, xoff, threshold, perhaps xon_offset",
				name, number_of_line,
				line.count ? line.columns[wrong] : 1, columns[wrong]);
		row.place = (struct rt_place){ .file = sw->headroom.file,
					       .line = number_of_line,
					       .column = line.columns[0] };
		r = add_row(sw, &row, err);
		if (r < 0)
			return r;
	}
	return 0;
}

const struct rt_switch_headroom *
rt_switch_headroom_find(const struct rt_switch_headrooms *table, uint64_t speed_bps,
			uint64_t cable_mm)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].speed_bps == speed_bps &&
		    table->rows[i].cable_mm == cable_mm)
			return &table->rows[i];
	return NULL;
}

/* --- what the buffer manager makes of it ------------------------------------------ */

static struct rt_setting from_row(uint64_t value, const struct rt_switch_headroom *row)
{
	struct rt_setting setting = rt_switch_implied(value, "pg_profile_lookup.ini");

	setting.place = row->place;
	return setting;
}

/* The pool that the buffer manager takes; NULL where the file has no pools. */
static const char *pool_of(const struct rt_switch *sw)
{
	static const char name[] = "ingress_lossless_pool";

	return rt_switch_object(sw, RT_SWITCH_POOL, name, strlen(name)) ? name : NULL;
}

static struct rt_switch_buffer *make_buffer(struct rt_switch *sw,
					    const struct rt_switch_port *port,
					    const struct rt_switch_headroom *row,
					    struct rt_err *err)
{
	char name[80], cable[RT_UNIT_TEXT_BYTES];
	struct rt_switch_buffer *buffer;
	int bytes;

	rt_unit_format_exact(RT_UNIT_LENGTH, port->cable.number, cable);
	bytes = snprintf(name, sizeof(name), "pg_lossless_%" PRIu64 "_%s_profile",
			 port->speed.number / 1000000, cable);
	buffer = rt_switch_make(sw, RT_SWITCH_BUFFER, name, (size_t)bytes, &row->place,
				err);
	if (!buffer || buffer->xoff.state != RT_SETTING_UNSET)
		return buffer;
	buffer->pool = (struct rt_switch_ref){ .name = pool_of(sw),
					       .place = row->place };
	buffer->size = from_row(row->size_bytes, row);
	buffer->xon = from_row(row->xon_bytes, row);
	buffer->xoff = from_row(row->xoff_bytes, row);
	if (row->xon_offset_bytes.known)
		buffer->xon_offset = from_row(row->xon_offset_bytes.value, row);
	buffer->alpha = from_row(row->threshold < 0
					 ? RT_PPB >> -row->threshold
					 : (uint64_t)RT_PPB << row->threshold,
				 row);
	return buffer;
}

/* The manager takes the listed priorities for the numbers of the groups. */
static int bind_port(struct rt_switch *sw, struct rt_switch_port *port,
		     struct rt_err *err)
{
	const struct rt_switch_headroom *row;
	const struct rt_switch_buffer *buffer = NULL;

	if (!rt_setting_known(&port->pfc) || !port->pfc.number ||
	    !rt_setting_known(&port->speed) || !rt_setting_known(&port->cable))
		return 0;
	row = rt_switch_headroom_find(&sw->headroom, port->speed.number,
				      port->cable.number);
	for (unsigned i = 0; row && i < RT_SWITCH_GROUPS; i++) {
		struct rt_switch_pg *pg = &port->groups[i];

		if (!(port->pfc.number >> i & 1) || pg->buffer.name)
			continue;
		if (!buffer)
			buffer = make_buffer(sw, port, row, err);
		if (!buffer)
			return -ENOMEM;
		pg->buffer = (struct rt_switch_ref){ .name = buffer->id.name,
						     .place = row->place };
	}
	return 0;
}

int rt_switch_headroom_bind(struct rt_switch *sw, struct rt_err *err)
{
	for (size_t i = 0; i < sw->port_count; i++)
		if (bind_port(sw, &sw->ports[i], err) < 0)
			return err && err->code ? err->code : -ENOMEM;
	return 0;
}
