/* SPDX-License-Identifier: BSD-2-Clause */
/* csv.c - lists as CSV (RFC 4180). */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/value.h"
#include "report/report.h"
#include "rocetune/field.h"

static void put_quoted(FILE *to, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static bool is_column(const struct rt_field *field)
{
	return field->type != RT_FIELD_STRUCT && field->type != RT_FIELD_LIST &&
	       field->type != RT_FIELD_ARRAY;
}

void rt_report_csv_header(FILE *to, const struct rt_table *table)
{
	bool first = true;

	for (size_t i = 0; i < table->count; i++) {
		if (!is_column(&table->fields[i]))
			continue;
		fprintf(to, first ? "%s" : ",%s", table->fields[i].name);
		first = false;
	}
	fputs("\r\n", to);
}

void rt_report_csv_rows(FILE *to, const struct rt_table *table, const void *items,
			size_t count)
{
	char buf[RT_VALUE_TEXT_BYTES];
	bool first;

	for (size_t row = 0; row < count; row++) {
		first = true;
		for (size_t i = 0; i < table->count; i++) {
			if (!is_column(&table->fields[i]))
				continue;
			if (!first)
				fputc(',', to);
			rt_value_plain(&table->fields[i],
				       (const char *)items + row * table->size, buf);
			/* It may be a terminal that it goes to. */
			put_quoted(to, rt_text_clean(buf));
			first = false;
		}
		fputs("\r\n", to);
	}
}

void rt_report_csv(FILE *to, const struct rt_table *table, const void *items,
		   size_t count)
{
	rt_report_csv_header(to, table);
	rt_report_csv_rows(to, table, items, count);
}
