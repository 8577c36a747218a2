/* SPDX-License-Identifier: BSD-2-Clause */
/* qos_text.c - knobs as text and back, without loss. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/qos.h"
#include "rocetune/err.h"

static void put_mask(struct rt_line *line, uint64_t mask)
{
	const size_t from = line->used;

	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			rt_line_put(line, "%s%u", line->used > from ? " " : "", i);
	if (line->used == from)
		rt_line_put(line, "none");
}

static void put_number(struct rt_line *line, const struct rt_knob *row, uint64_t number)
{
	char buf[RT_UNIT_TEXT_BYTES];
	const char *name;

	switch (row->type) {
	case RT_KNOB_BOOL: rt_line_put(line, "%s", number ? "on" : "off"); return;
	case RT_KNOB_MASK: put_mask(line, number); return;
	case RT_KNOB_ENUM:
		name = rt_name_of(row->names, (unsigned)number);
		if (name)
			rt_line_put(line, "%s", name);
		else
			rt_line_put(line, "%" PRIu64, number);
		return;
	case RT_KNOB_NUMBER: break;
	}
	if (row->flags & RT_KNOB_MAY_LACK && number == RT_NO_PRIO)
		rt_line_put(line, "none");
	else if (row->zero && number == 0)
		rt_line_put(line, "%s", row->zero);
	else
		rt_line_put(line, "%s", rt_unit_format_exact(row->unit, number, buf));
}

/* Runs of equal neighbours: "0-25:0 26:3". */
static void put_elements(struct rt_line *line, const struct rt_knob *row,
			 const struct rt_knob_value *value)
{
	unsigned last;

	for (unsigned i = 0; i < row->length; i = last + 1) {
		last = i;
		if (!(value->known >> i & 1))
			continue;
		while (last + 1 < row->length && value->known >> (last + 1) & 1 &&
		       rt_knob_number(row, value, last + 1) ==
			       rt_knob_number(row, value, i))
			last++;
		rt_line_put(line, "%s%u", line->used ? " " : "", i);
		if (last > i)
			rt_line_put(line, "-%u", last);
		rt_line_put(line, ":");
		put_number(line, row, rt_knob_number(row, value, i));
	}
}

char *rt_knob_format(const struct rt_knob *row, const struct rt_knob_value *value,
		     char buf[RT_KNOB_TEXT_BYTES])
{
	struct rt_line line = { buf, RT_KNOB_TEXT_BYTES, 0 };

	*buf = '\0';
	if (!(value->known & rt_knob_all(row)))
		rt_line_put(&line, "unknown");
	else if (row->length == 1)
		put_number(&line, row, value->number[0]);
	else
		put_elements(&line, row, value);
	return buf;
}

/* --- reading -------------------------------------------------------------------- */

static int parse_mask(const char *text, uint64_t *ret_mask)
{
	uint64_t mask = 0;

	if (strcmp(text, "none") == 0) {
		*ret_mask = 0;
		return 0;
	}
	while (*text) {
		char *end;
		const unsigned long prio = strtoul(text, &end, 10);

		if (end == text || prio > 63 || (*end && *end != ' '))
			return -EINVAL;
		mask |= (uint64_t)1 << prio;
		text = *end ? end + 1 : end;
	}
	*ret_mask = mask;
	return 0;
}

static int parse_number(const struct rt_knob *row, const char *text,
			uint64_t *ret_number)
{
	const struct rt_name *name;

	switch (row->type) {
	case RT_KNOB_BOOL:
		if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
			return -EINVAL;
		*ret_number = strcmp(text, "on") == 0;
		return 0;
	case RT_KNOB_MASK: return parse_mask(text, ret_number);
	case RT_KNOB_ENUM:
		name = rt_name_find(row->names, text);
		if (!name)
			break;
		*ret_number = name->value;
		return 0;
	case RT_KNOB_NUMBER: break;
	}
	if (row->flags & RT_KNOB_MAY_LACK && strcmp(text, "none") == 0) {
		*ret_number = RT_NO_PRIO;
		return 0;
	}
	if (row->zero && strcmp(text, row->zero) == 0) {
		*ret_number = 0;
		return 0;
	}
	return rt_unit_parse(row->type == RT_KNOB_ENUM ? RT_UNIT_NONE : row->unit, text,
			     ret_number, NULL);
}

static void set_element(const struct rt_knob *row, struct rt_knob_value *value,
			unsigned element, uint64_t number)
{
	if (row->length > 8)
		value->small[element] = (uint8_t)number;
	else
		value->number[element] = number;
	value->known |= (uint64_t)1 << element;
}

/* One "A-B:VALUE" or "A:VALUE". */
static int parse_run(const struct rt_knob *row, char *word, struct rt_knob_value *value)
{
	char *colon = strchr(word, ':'), *end;
	unsigned long first, last;
	uint64_t number;

	if (!colon || word[0] < '0' || word[0] > '9')
		return -EINVAL;
	*colon = '\0';
	first = last = strtoul(word, &end, 10);
	if (*end == '-')
		last = strtoul(end + 1, &end, 10);
	if (*end || first > last || last >= row->length)
		return -EINVAL;
	if (parse_number(row, colon + 1, &number) < 0 ||
	    (row->length > 8 && number > UINT8_MAX))
		return -EINVAL;
	for (unsigned long i = first; i <= last; i++)
		set_element(row, value, (unsigned)i, number);
	return 0;
}

static int parse_elements(const struct rt_knob *row, const char *text,
			  struct rt_knob_value *value)
{
	char copy[RT_KNOB_TEXT_BYTES], *rest = copy, *word;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return -EINVAL;
	while ((word = strsep(&rest, " ")))
		if (parse_run(row, word, value) < 0)
			return -EINVAL;
	return 0;
}

int rt_knob_parse(const struct rt_knob *row, const char *text,
		  struct rt_knob_value *ret_value, struct rt_err *err)
{
	struct rt_knob_value value = { 0 };
	int r = 0;

	if (strcmp(text, "unknown") == 0) {
		*ret_value = value;
		return 0;
	}
	if (row->length > 1) {
		r = parse_elements(row, text, &value);
	} else {
		r = parse_number(row, text, &value.number[0]);
		value.known = 1;
	}
	if (r < 0)
		return rt_err_set(err, -EINVAL, "\"%s\" is no value of %s", text,
				  row->name);
	*ret_value = value;
	return 0;
}
