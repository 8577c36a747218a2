/* SPDX-License-Identifier: BSD-2-Clause */
/* same.h - two results compared field by field, as their tables describe them. */
#ifndef RT_TESTS_SAME_H
#define RT_TESTS_SAME_H

#include <stdio.h>
#include <string.h>

#include "rocetune/field.h"

/* Names of fields that may differ, at any depth; ends with NULL. */
typedef const char *const *same_but;

static inline bool same_is_but(const char *name, same_but but)
{
	for (; *but; but++)
		if (strcmp(*but, name) == 0)
			return true;
	return false;
}

static inline bool same_value(const struct rt_field *field, const char *a,
			      const char *b)
{
	switch (field->type) {
	case RT_FIELD_BOOL:
	case RT_FIELD_U8: return *a == *b;
	case RT_FIELD_U16: return memcmp(a, b, 2) == 0;
	case RT_FIELD_U32:
	case RT_FIELD_ENUM: return memcmp(a, b, 4) == 0;
	case RT_FIELD_U64:
	case RT_FIELD_I64:
	case RT_FIELD_F64: return memcmp(a, b, 8) == 0;
	case RT_FIELD_OPT_U64:
	case RT_FIELD_OPT_F64: return a[8] == b[8] && (!a[8] || memcmp(a, b, 8) == 0);
	case RT_FIELD_TEXT: {
		const char *const *one = (const void *)a, *const *other =
								  (const void *)b;

		return (!*one && !*other) ||
		       (*one && *other && strcmp(*one, *other) == 0);
	}
	case RT_FIELD_CHARS: return strncmp(a, b, field->length) == 0;
	case RT_FIELD_MAC: return memcmp(a, b, 6) == 0;
	case RT_FIELD_IP: return memcmp(a, b, sizeof(struct rt_ip)) == 0;
	default: return false;
	}
}

/* Fails, naming the field, where the two differ in one that is not but. */
static inline void expect_same(const struct rt_table *table, const void *a,
			       const void *b, same_but but)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];
		const char *one = (const char *)a + field->offset;
		const char *other = (const char *)b + field->offset;

		if (same_is_but(field->name, but))
			continue;
		if (field->type == RT_FIELD_STRUCT) {
			expect_same(field->table, one, other, but);
		} else if (field->type == RT_FIELD_LIST) {
			const char *rows, *other_rows;
			size_t count, other_count;

			memcpy(&rows, one, sizeof(rows));
			memcpy(&other_rows, other, sizeof(other_rows));
			memcpy(&count, (const char *)a + field->count_offset,
			       sizeof(count));
			memcpy(&other_count, (const char *)b + field->count_offset,
			       sizeof(other_count));
			if (count != other_count)
				fail_msg("%s: %zu and %zu rows", field->name, count,
					 other_count);
			for (size_t row = 0; row < count; row++)
				expect_same(field->table,
					    rows + row * field->table->size,
					    other_rows + row * field->table->size, but);
		} else if (!same_value(field, one, other)) {
			fail_msg("%s of %s differs", field->name, table->name);
		}
	}
}

/* Counts of frames hold copies, and so do numbers in the file. */
static inline void expect_same_analysis(const struct rt_analysis *with,
					const struct rt_analysis *without)
{
	static const char *const but[] = { "copies", "lookalikes", "first_frame",
					   "wire_bytes", NULL };

	expect_same(&rt_analysis_sequence_table, &with->sequence, &without->sequence,
		    but);
	expect_same(&rt_analysis_marks_table, &with->marks, &without->marks, but);
	expect_same(&rt_analysis_throughput_table, &with->throughput,
		    &without->throughput, but);
	assert_int_equal(with->roce.direction_count, without->roce.direction_count);
	for (size_t i = 0; i < with->roce.direction_count; i++)
		assert_int_equal(with->roce.directions[i].frames,
				 without->roce.directions[i].frames);
}

#endif
