/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - field tables for people: sections, label lines, aligned tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "report/report.h"
#include "rocetune/field.h"

#define LABEL_BYTES 64
#define INDENT      "  "

static bool is_shown(const struct rt_field *field, const struct rt_report_style *style)
{
	if (field->flags & RT_FIELD_DATA)
		return false;
	if (field->flags & RT_FIELD_META)
		return style->detail;
	return style->detail || !(field->flags & RT_FIELD_DETAIL);
}

/* paused_ns -> "paused": the unit stands with the value, blanks for bars. */
static const char *label_of(const struct rt_field *field, char buf[LABEL_BYTES])
{
	static const char *const suffixes[] = { "_bytes", "_bps", "_pps", "_ns", "_ps",
						"_pct",   "_ppb", "_mm",  "_us" };
	size_t len;

	if (field->label)
		return field->label;
	len = strlen(field->name);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t tail = strlen(suffixes[i]);

		if (len > tail && strcmp(field->name + len - tail, suffixes[i]) == 0) {
			len -= tail;
			break;
		}
	}
	if (len >= LABEL_BYTES)
		len = LABEL_BYTES - 1;
	for (size_t i = 0; i < len; i++)
		buf[i] = field->name[i] == '_' ? ' ' : field->name[i];
	buf[len] = '\0';
	return buf;
}

/* Columns a text takes, counting UTF-8 sequences as one. */
static size_t columns(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xC0) != 0x80;
	return count;
}

static void pad(FILE *to, size_t count)
{
	while (count--)
		fputc(' ', to);
}

static void heading(FILE *to, const char *title, const struct rt_report_style *style)
{
	fprintf(to, style->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", title);
}

/* A column that says nothing in any row is left out of text. */
static bool column_is_empty(const struct rt_field *field, const char *items,
			    size_t count, size_t size)
{
	if (field->flags & RT_FIELD_KEEP)
		return false;
	for (size_t i = 0; i < count; i++) {
		if ((field->flags & RT_FIELD_ZERO_QUIET) &&
		    rt_value_is_zero(field, items + i * size))
			continue;
		if (rt_value_known(field, items + i * size))
			return false;
	}
	return true;
}

/* Text from outside must not steer a terminal. */
static const char *clean_text(const struct rt_field *field, const void *object,
			      char buf[RT_VALUE_TEXT_BYTES])
{
	return rt_text_clean(rt_value_text(field, object, buf));
}

/* In a table, a quiet field that says nothing is a blank, not a word. */
static const char *cell_text(const struct rt_field *field, const char *item,
			     char buf[RT_VALUE_TEXT_BYTES])
{
	if ((field->flags & RT_FIELD_ZERO_QUIET) && !rt_value_known(field, item))
		return "";
	return clean_text(field, item, buf);
}

struct column {
	const struct rt_field *field;
	size_t width;
	char label[LABEL_BYTES];
};

static size_t plan_columns(const struct rt_table *table, const char *items,
			   size_t count, const struct rt_report_style *style,
			   struct column *plan)
{
	char buf[RT_VALUE_TEXT_BYTES], label[LABEL_BYTES];
	size_t used = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];
		struct column *column = &plan[used];

		if (rt_value_is_nested(field) || !is_shown(field, style) ||
		    column_is_empty(field, items, count, table->size))
			continue;
		column->field = field;
		snprintf(column->label, sizeof(column->label), "%s",
			 label_of(field, label));
		column->width = columns(column->label);
		for (size_t row = 0; row < count; row++) {
			size_t width = columns(
				cell_text(field, items + row * table->size, buf));

			if (width > column->width)
				column->width = width;
		}
		used++;
	}
	return used;
}

static void put_cell(FILE *to, const struct column *column, const char *text, bool last)
{
	const size_t width = columns(text);
	const size_t fill = column->width > width ? column->width - width : 0;

	if (rt_value_is_number(column->field)) {
		pad(to, fill);
		fputs(text, to);
	} else {
		fputs(text, to);
		if (!last)
			pad(to, fill);
	}
	if (!last)
		fputs("  ", to);
}

/* One behind the last column that says something in this row. */
static size_t row_end(const struct column *plan, size_t used, const char *item)
{
	char buf[RT_VALUE_TEXT_BYTES];

	while (used > 0 && !*cell_text(plan[used - 1].field, item, buf))
		used--;
	return used;
}

void rt_report_text_list(FILE *to, const struct rt_table *table, const void *items,
			 size_t count, const struct rt_report_style *style)
{
	struct column *plan = calloc(table->count, sizeof(*plan));
	const size_t shown = style->rows && count > style->rows ? style->rows : count;
	char buf[RT_VALUE_TEXT_BYTES];
	size_t used;

	if (!plan || count == 0) {
		free(plan);
		return;
	}
	used = plan_columns(table, items, shown, style, plan);
	fputs(INDENT, to);
	for (size_t i = 0; i < used; i++)
		put_cell(to, &plan[i], plan[i].label, i + 1 == used);
	fputc('\n', to);
	for (size_t row = 0; row < shown; row++) {
		const char *item = (const char *)items + row * table->size;
		const size_t end = row_end(plan, used, item);

		fputs(INDENT, to);
		for (size_t i = 0; i < end; i++)
			put_cell(to, &plan[i], cell_text(plan[i].field, item, buf),
				 i + 1 == end);
		fputc('\n', to);
	}
	if (shown < count)
		fprintf(to, INDENT "... and %zu more (--all shows them)\n",
			count - shown);
	free(plan);
}

static size_t label_width(const struct rt_table *table,
			  const struct rt_report_style *style)
{
	char label[LABEL_BYTES];
	size_t widest = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];
		size_t width = columns(label_of(field, label));

		if (!rt_value_is_nested(field) && is_shown(field, style) &&
		    width > widest)
			widest = width;
	}
	return widest;
}

/* Nothing in it but zeros, unknowns and empty lists. */
static bool says_nothing(const struct rt_table *table, const void *object)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];
		size_t count = 0;

		if (field->type == RT_FIELD_STRUCT) {
			if (!says_nothing(field->table,
					  (const char *)object + field->offset))
				return false;
		} else if (rt_value_is_nested(field)) {
			rt_value_items(field, object, &count);
			if (count)
				return false;
		} else if (rt_value_known(field, object) &&
			   !rt_value_is_zero(field, object)) {
			return false;
		}
	}
	return true;
}

static void put_nested(FILE *to, const struct rt_field *field, const void *object,
		       const struct rt_report_style *style)
{
	size_t count;
	const char *items;

	if (field->type == RT_FIELD_STRUCT) {
		const char *part = (const char *)object + field->offset;

		if ((field->flags & RT_FIELD_ZERO_QUIET) &&
		    says_nothing(field->table, part))
			return;
		heading(to, field->table->title, style);
		rt_report_text(to, field->table, part, style);
		return;
	}
	items = rt_value_items(field, object, &count);
	if (count == 0)
		return;
	heading(to, field->label ? field->label : field->table->title, style);
	rt_report_text_list(to, field->table, items, count, style);
}

void rt_report_text(FILE *to, const struct rt_table *table, const void *object,
		    const struct rt_report_style *style)
{
	const size_t widest = label_width(table, style);
	char buf[RT_VALUE_TEXT_BYTES], label[LABEL_BYTES];

	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];

		if (rt_value_is_nested(field) || !is_shown(field, style))
			continue;
		if ((field->flags & RT_FIELD_ZERO_QUIET) &&
		    rt_value_is_zero(field, object))
			continue;
		label_of(field, label);
		fprintf(to, INDENT "%s", field->label ? field->label : label);
		pad(to, widest - columns(field->label ? field->label : label) + 2);
		fputs(clean_text(field, object, buf), to);
		fputc('\n', to);
	}
	for (size_t i = 0; i < table->count; i++)
		if (rt_value_is_nested(&table->fields[i]) &&
		    is_shown(&table->fields[i], style))
			put_nested(to, &table->fields[i], object, style);
}
