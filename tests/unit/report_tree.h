/* SPDX-License-Identifier: BSD-2-Clause */
/* report_tree.h - a result as a tree, to hold what rt_report_json_write() writes against. */
#ifndef RT_TESTS_REPORT_TREE_H
#define RT_TESTS_REPORT_TREE_H

#include "base/json.h"
#include "base/value.h"
#include "report/report.h"
#include "rocetune/field.h"

static inline struct rt_json *tree_of_object(const struct rt_table *table,
					     const void *object);

static inline struct rt_json *tree_of_items(const struct rt_field *field,
					    const void *object)
{
	struct rt_json *array = rt_json_array();
	size_t count;
	const char *items = rt_value_items(field, object, &count);

	for (size_t i = 0; i < count; i++)
		rt_json_append(array, tree_of_object(field->table,
						     items + i * field->table->size));
	return array;
}

static inline struct rt_json *tree_of_field(const struct rt_field *field,
					    const void *object)
{
	switch (field->type) {
	case RT_FIELD_STRUCT:
		return tree_of_object(field->table,
				      (const char *)object + field->offset);
	case RT_FIELD_LIST:
	case RT_FIELD_ARRAY: return tree_of_items(field, object);
	default: return rt_value_json(field, object);
	}
}

static inline struct rt_json *tree_of_fields(const struct rt_table *table,
					     const void *object, struct rt_json *into,
					     bool meta)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];

		if (meta == !!(field->flags & RT_FIELD_META))
			rt_json_set(into, field->name, tree_of_field(field, object));
	}
	return into;
}

static inline struct rt_json *tree_of_object(const struct rt_table *table,
					     const void *object)
{
	return tree_of_fields(table, object, rt_json_object(), false);
}

static inline struct rt_json *report_tree(const struct rt_table *table,
					  const void *object)
{
	struct rt_json *whole = rt_json_object();

	rt_json_set(whole, "rocetune", rt_json_u64(1));
	rt_json_set(whole, "kind", rt_json_text(table->name));
	tree_of_fields(table, object, whole, false);
	rt_json_set(whole, "meta",
		    tree_of_fields(table, object, rt_json_object(), true));
	return whole;
}

#endif
