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

/* No item: the heading of the column. */
static char *fill_cell(const struct column *column, const char *item,
		       char buf[RT_VALUE_TEXT_BYTES])
{
	if (!item)
		snprintf(buf, RT_VALUE_TEXT_BYTES, "%s", column->label);
	else if (cell_text(column->field, item, buf) != buf)
		*buf = '\0';
	return buf;
}

static bool is_whole(const struct rt_field *field)
{
	return rt_value_is_number(field) || field->flags & RT_FIELD_WHOLE;
}

/* A cell of more lines is harder to read than a wide table. */
#define MOST_LINES 5

/*
 * What no line of a column can be narrower than: a word, and of a number all of it; of
 * long texts their MOST_LINES-th part.
 */
static size_t least_width(const struct column *column, const struct rt_table *table,
			  const char *items, size_t count)
{
	const char *const blank = is_whole(column->field) ? "" : " ";
	char buf[RT_VALUE_TEXT_BYTES];
	size_t least = 0;

	for (size_t row = 0; row <= count; row++) {
		const bool heading_row = row == count;
		char *rest = fill_cell(
			column, heading_row ? NULL : items + row * table->size, buf);
		char *word;

		if (!heading_row && *blank && columns(rest) / MOST_LINES > least)
			least = columns(rest) / MOST_LINES;
		while ((word = strsep(&rest, heading_row ? " " : blank)))
			if (columns(word) > least)
				least = columns(word);
	}
	return least;
}

static size_t row_width(size_t width, size_t used)
{
	return strlen(INDENT) + width + (used ? 2 * (used - 1) : 0);
}

/* Take from the widest column that can give, until all fit or none can. */
static void narrow_columns(struct column *plan, size_t used, unsigned most,
			   const size_t *least)
{
	size_t total = 0;

	for (size_t i = 0; i < used; i++)
		total += plan[i].width;
	total = row_width(total, used);
	while (total > most) {
		struct column *widest = NULL;

		for (size_t i = 0; i < used; i++)
			if (plan[i].width > least[i] &&
			    (!widest || plan[i].width > widest->width))
				widest = &plan[i];
		if (!widest)
			return;
		widest->width--;
		total--;
	}
}

/* Headings are only broken where that makes the table fit. */
static void fit_columns(struct column *plan, size_t used, const struct rt_table *table,
			const char *items, size_t count, unsigned most)
{
	size_t *least = calloc(used + 1, sizeof(*least));
	size_t sum = 0;

	/* without memory the table is wide, and as right */
	for (size_t i = 0; least && i < used; i++) {
		least[i] = least_width(&plan[i], table, items, count);
		sum += least[i];
	}
	for (size_t i = 0; least && row_width(sum, used) > most && i < used; i++)
		if (least[i] < columns(plan[i].label))
			least[i] = columns(plan[i].label);
	if (least)
		narrow_columns(plan, used, most, least);
	free(least);
}

/* Cut the first line of this width off, at a blank; what is left, "" when nothing is. */
static char *cut_line(char *text, size_t width)
{
	char *end = NULL;

	if (columns(text) <= width)
		return text + strlen(text);
	for (char *at = strchr(text, ' '); at; at = strchr(at + 1, ' ')) {
		*at = '\0';
		const bool fits = columns(text) <= width;
		*at = ' ';
		if (fits || !end)
			end = at;
		if (!fits)
			break;
	}
	if (!end)
		return text + strlen(text);
	*end = '\0';
	return end + 1 + strspn(end + 1, " ");
}

/* A number, or what is drawn, is never broken. */
static char *cut_cell(const struct column *column, const char *item, char *text)
{
	if (item && is_whole(column->field))
		return text + strlen(text);
	return cut_line(text, column->width);
}

/* The line of this number of the cell, in buf; *more: others are below it. */
static const char *cell_line(const struct column *column, const char *item, size_t line,
			     char buf[RT_VALUE_TEXT_BYTES], bool *more)
{
	char *text = fill_cell(column, item, buf);
	char *rest = cut_cell(column, item, text);

	for (; line > 0; line--) {
		text = rest;
		rest = cut_cell(column, item, text);
	}
	*more |= *rest != '\0';
	return text;
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

/* A line of a row, without the blanks behind its last words; whether there is another. */
static bool put_line(FILE *to, const struct column *plan, size_t used, const char *item,
		     size_t line)
{
	char buf[RT_VALUE_TEXT_BYTES];
	bool more = false;
	size_t end = used;

	while (end > 0 && !*cell_line(&plan[end - 1], item, line, buf, &more))
		end--;
	more = false;
	fputs(INDENT, to);
	for (size_t i = 0; i < end; i++)
		put_cell(to, &plan[i], cell_line(&plan[i], item, line, buf, &more),
			 i + 1 == end);
	fputc('\n', to);
	return more;
}

/* No item: the headings. */
static void put_row(FILE *to, const struct column *plan, size_t used, const char *item)
{
	for (size_t line = 0; put_line(to, plan, used, item, line); line++)
		;
}

void rt_report_text_list(FILE *to, const struct rt_table *table, const void *items,
			 size_t count, const struct rt_report_style *style)
{
	struct column *plan = calloc(table->count, sizeof(*plan));
	const size_t shown = style->rows && count > style->rows ? style->rows : count;
	size_t used;

	if (!plan || count == 0) {
		free(plan);
		return;
	}
	used = plan_columns(table, items, shown, style, plan);
	if (style->columns)
		fit_columns(plan, used, table, items, shown, style->columns);
	put_row(to, plan, used, NULL);
	for (size_t row = 0; row < shown; row++)
		put_row(to, plan, used, (const char *)items + row * table->size);
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

/* Behind a label: lines below the first begin where it does. */
static void put_words(FILE *to, const char *text, size_t at, unsigned most)
{
	char words[RT_VALUE_TEXT_BYTES], *rest = words, *line;

	if (most <= at) {
		fprintf(to, "%s\n", text);
		return;
	}
	snprintf(words, sizeof(words), "%s", text);
	do {
		line = rest;
		rest = cut_line(line, most - at);
		fprintf(to, "%s\n", line);
		if (*rest)
			pad(to, at);
	} while (*rest);
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
		put_words(to, clean_text(field, object, buf),
			  strlen(INDENT) + widest + 2, style->columns);
	}
	for (size_t i = 0; i < table->count; i++)
		if (rt_value_is_nested(&table->fields[i]) &&
		    is_shown(&table->fields[i], style))
			put_nested(to, &table->fields[i], object, style);
}
