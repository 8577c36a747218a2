/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - walks field tables and writes what it finds: text for people,
 * JSON for machines, CSV for spreadsheets, a schema for both.  Nothing here
 * knows any particular result.
 */
#ifndef RT_REPORT_REPORT_H
#define RT_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

struct rt_err;
struct rt_json;
struct rt_profile;
struct rt_table;

/* What people read stays below 80 columns. */
#define RT_REPORT_COLUMNS 79u

struct rt_report_style {
	bool detail;   /* show RT_FIELD_DETAIL fields too */
	bool colour;   /* only ever in addition to words */
	unsigned rows; /* of a list shown in text, 0: all */
	/*
	 * Columns of text, in which headings, cells and values are broken at blanks;
	 * 0: as it comes.
	 */
	unsigned columns;
};

/* Sections for nested structs, aligned tables for lists, "label: value" else. */
void rt_report_text(FILE *to, const struct rt_table *table, const void *object,
		    const struct rt_report_style *style);

/* One list as an aligned table; nothing when count is 0. */
void rt_report_text_list(FILE *to, const struct rt_table *table, const void *items,
			 size_t count, const struct rt_report_style *style);

/*
 * A label, filled with blanks up to column width (0: one blank), and a text of any
 * length, broken at blanks so that lines stay below 80 columns and go on at the same
 * column.
 */
void rt_report_paragraph(FILE *to, const char *label, unsigned width, const char *text);

/*
 * {"rocetune": 1, "kind": table->name, ...fields, "meta": {...}}, without a last
 * newline and depth levels in: RT_FIELD_META fields go into meta, so that all else is
 * the same in every run.  Written field by field, since a result of many rows would
 * take ten times its memory as a tree.  -ENOMEM, or what writing said.
 */
int rt_report_json_write(FILE *to, const struct rt_table *table, const void *object,
			 unsigned depth, struct rt_err *err);

/* The same as one line, with its end, which is flushed. */
int rt_report_json_line(FILE *to, const struct rt_table *table, const void *object,
			struct rt_err *err);

/* A list as CSV (RFC 4180): header line of field names, unknown is empty. */
void rt_report_csv(FILE *to, const struct rt_table *table, const void *items,
		   size_t count);

/* The two parts of that, for lists that come piece by piece. */
void rt_report_csv_header(FILE *to, const struct rt_table *table);
void rt_report_csv_rows(FILE *to, const struct rt_table *table, const void *items,
			size_t count);

/*
 * A profile as YAML that reads back as the same profile, each value with its source
 * as a comment; of places in file (may be NULL) only the line.  -ENOMEM.
 */
int rt_report_profile(FILE *to, const struct rt_profile *profile, const char *file,
		      struct rt_err *err);

/* JSON Schema (draft 2020-12) of what rt_report_json_write() writes. */
struct rt_json *rt_report_schema(const struct rt_table *table);

#endif
