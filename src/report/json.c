/* SPDX-License-Identifier: BSD-2-Clause */
/* json.c - field tables as JSON and as JSON Schema. */
#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

/* --- results, written as they are walked ---------------------------------- */

struct writer {
	FILE *to;
	unsigned depth;
	bool line; /* all of it is one line, without blanks */
	bool any;  /* in the object or array at hand */
	int r;     /* the first error */
};

static void open_nest(struct writer *out, char bracket)
{
	fputc(bracket, out->to);
	out->depth++;
	out->any = false;
}

static void next_line(struct writer *out)
{
	if (out->line)
		return;
	fputc('\n', out->to);
	for (unsigned i = 0; i < out->depth; i++)
		fputs("  ", out->to);
}

static void next_item(struct writer *out)
{
	if (out->any)
		fputc(',', out->to);
	next_line(out);
	out->any = true;
}

static void close_nest(struct writer *out, char bracket)
{
	out->depth--;
	if (out->any)
		next_line(out);
	fputc(bracket, out->to);
	out->any = true;
}

/* Takes value. */
static void write_leaf(struct writer *out, struct rt_json *value)
{
	const int r = rt_json_write_part(value, out->to, out->depth);

	if (out->r == 0)
		out->r = r;
	rt_json_free(value);
}

/* A tree of one number for each field is what a million rows would spend their time on. */
static void write_value(struct writer *out, const struct rt_field *field,
			const void *object)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t number;

	if (!rt_value_plain_number(field, object, &number)) {
		write_leaf(out, rt_value_json(field, object));
		return;
	}
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	fwrite(at, 1, (size_t)(digits + sizeof(digits) - at), out->to);
}

static void write_key(struct writer *out, const char *name)
{
	next_item(out);
	fprintf(out->to, out->line ? "\"%s\":" : "\"%s\": ", name);
}

static void write_fields(struct writer *out, const struct rt_table *table,
			 const void *object, bool meta);

static void write_object(struct writer *out, const struct rt_table *table,
			 const void *object, bool meta)
{
	open_nest(out, '{');
	write_fields(out, table, object, meta);
	close_nest(out, '}');
}

static void write_items(struct writer *out, const struct rt_field *field,
			const void *object)
{
	size_t count;
	const char *items = rt_value_items(field, object, &count);

	open_nest(out, '[');
	for (size_t i = 0; i < count && out->r == 0; i++) {
		next_item(out);
		if (rt_table_is_plain(field->table))
			write_value(out, field->table->fields,
				    items + i * field->table->size);
		else
			write_object(out, field->table, items + i * field->table->size,
				     false);
	}
	close_nest(out, ']');
}

static void write_fields(struct writer *out, const struct rt_table *table,
			 const void *object, bool meta)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];

		if (meta != !!(field->flags & RT_FIELD_META) ||
		    rt_value_is_left_out(field, object))
			continue;
		write_key(out, field->name);
		if (field->type == RT_FIELD_STRUCT)
			write_object(out, field->table,
				     (const char *)object + field->offset, false);
		else if (field->type == RT_FIELD_LIST || field->type == RT_FIELD_ARRAY)
			write_items(out, field, object);
		else
			write_value(out, field, object);
	}
}

static int write_envelope(struct writer *out, const struct rt_table *table,
			  const void *object, struct rt_err *err)
{
	errno = 0; /* what fails first stays in it, whoever notices */
	open_nest(out, '{');
	write_key(out, "rocetune");
	fputc('1', out->to);
	write_key(out, "kind");
	write_leaf(out, rt_json_text(table->name));
	write_fields(out, table, object, false);
	write_key(out, "meta");
	write_object(out, table, object, true);
	close_nest(out, '}');
	if (out->r == 0 && ferror(out->to))
		out->r = errno ? -errno : -EIO;
	return out->r < 0 ? rt_err_sys(err, out->r, "cannot write JSON") : 0;
}

int rt_report_json_write(FILE *to, const struct rt_table *table, const void *object,
			 unsigned depth, struct rt_err *err)
{
	return write_envelope(&(struct writer){ .to = to, .depth = depth }, table,
			      object, err);
}

int rt_report_json_line(FILE *to, const struct rt_table *table, const void *object,
			struct rt_err *err)
{
	int r = write_envelope(&(struct writer){ .to = to, .line = true }, table,
			       object, err);

	if (r == 0 && (fputc('\n', to) == EOF || fflush(to) != 0))
		r = rt_err_sys(err, errno ? -errno : -EIO, "cannot write JSON");
	return r;
}

/* --- schema -------------------------------------------------------------- */

static const char *json_type(const struct rt_field *field)
{
	switch (field->type) {
	case RT_FIELD_BOOL: return "boolean";
	case RT_FIELD_F64:
	case RT_FIELD_OPT_F64: return "number";
	case RT_FIELD_STRUCT: return "object";
	case RT_FIELD_LIST:
	case RT_FIELD_ARRAY: return "array";
	default: return rt_value_is_number(field) ? "integer" : "string";
	}
}

static void add_properties(struct rt_json *schema, const struct rt_table *table,
			   bool meta, bool envelope);

/* What the number in JSON is counted in: a share is whole in ppb, and a float in percent. */
static const char *unit_name(const struct rt_field *field)
{
	const bool is_float = field->type == RT_FIELD_F64 ||
			      field->type == RT_FIELD_OPT_F64;

	return field->unit == RT_UNIT_PCT && is_float ? "percent"
						      : rt_unit_name(field->unit);
}

static struct rt_json *field_schema(const struct rt_field *field)
{
	struct rt_json *schema = rt_json_object(), *types = NULL, *items = NULL;

	if (rt_value_may_be_unknown(field)) {
		types = rt_json_array();
		rt_json_append(types, rt_json_text(json_type(field)));
		rt_json_append(types, rt_json_text("null"));
		rt_json_set(schema, "type", types);
	} else {
		rt_json_set(schema, "type", rt_json_text(json_type(field)));
	}
	rt_json_set(schema, "description", rt_json_text(field->help));
	if (field->unit != RT_UNIT_NONE)
		rt_json_set(schema, "unit", rt_json_text(unit_name(field)));
	if (field->type == RT_FIELD_ENUM) {
		struct rt_json *values = rt_json_array();

		for (const struct rt_name *name = field->names; name->name; name++)
			rt_json_append(values, rt_json_text(name->name));
		rt_json_set(schema, "enum", values);
	}
	if (field->type == RT_FIELD_STRUCT)
		add_properties(schema, field->table, false, false);
	if ((field->type == RT_FIELD_LIST || field->type == RT_FIELD_ARRAY) &&
	    rt_table_is_plain(field->table)) {
		rt_json_set(schema, "items", field_schema(field->table->fields));
	} else if (field->type == RT_FIELD_LIST || field->type == RT_FIELD_ARRAY) {
		items = rt_json_object();
		rt_json_set(items, "type", rt_json_text("object"));
		add_properties(items, field->table, false, false);
		rt_json_set(schema, "items", items);
	}
	return schema;
}

static struct rt_json *constant(struct rt_json *value)
{
	struct rt_json *schema = rt_json_object();

	rt_json_set(schema, "const", value);
	return schema;
}

static void add_properties(struct rt_json *schema, const struct rt_table *table,
			   bool meta, bool envelope)
{
	struct rt_json *properties = rt_json_object(), *required = rt_json_array();

	if (envelope) {
		rt_json_set(properties, "rocetune", constant(rt_json_u64(1)));
		rt_json_set(properties, "kind", constant(rt_json_text(table->name)));
		rt_json_append(required, rt_json_text("rocetune"));
		rt_json_append(required, rt_json_text("kind"));
	}
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];

		if (meta != !!(field->flags & RT_FIELD_META))
			continue;
		rt_json_set(properties, field->name, field_schema(field));
		if (!(field->flags & RT_FIELD_MAYBE))
			rt_json_append(required, rt_json_text(field->name));
	}
	if (envelope) {
		struct rt_json *meta_schema = rt_json_object();

		rt_json_set(meta_schema, "type", rt_json_text("object"));
		add_properties(meta_schema, table, true, false);
		rt_json_set(properties, "meta", meta_schema);
		rt_json_append(required, rt_json_text("meta"));
	}
	rt_json_set(schema, "properties", properties);
	rt_json_set(schema, "required", required);
	rt_json_set(schema, "additionalProperties", rt_json_bool(false));
}

struct rt_json *rt_report_schema(const struct rt_table *table)
{
	struct rt_json *schema = rt_json_object();

	rt_json_set(schema, "$schema",
		    rt_json_text("https://json-schema.org/draft/2020-12/schema"));
	rt_json_set(schema, "title", rt_json_text(table->title));
	rt_json_set(schema, "description", rt_json_text(table->help));
	rt_json_set(schema, "type", rt_json_text("object"));
	add_properties(schema, table, false, true);
	return schema;
}
