/* SPDX-License-Identifier: BSD-2-Clause */
/* record.c - structs to JSON and back by their field tables. */
#include "base/record.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "base/text.h"
#include "base/value.h"
#include "rocetune/err.h"
#include "rocetune/field.h"

#define ENVELOPE_VERSION 1

/* --- writing -------------------------------------------------------------------- */

static struct rt_json *items_json(const struct rt_field *field, const void *object)
{
	struct rt_json *array = rt_json_array();
	const struct rt_table *table = field->table;
	size_t count;
	const char *items = rt_value_items(field, object, &count);

	for (size_t i = 0; i < count; i++) {
		const char *item = items + i * table->size;

		rt_json_append(array, rt_table_is_plain(table)
					      ? rt_value_json(table->fields, item)
					      : rt_record_json(table, item));
	}
	return array;
}

static void set_field(struct rt_json *json, const struct rt_field *field,
		      const void *object)
{
	struct rt_json *value;

	if (rt_value_is_left_out(field, object))
		return;
	if (field->type == RT_FIELD_STRUCT)
		value = rt_record_json(field->table,
				       (const char *)object + field->offset);
	else if (field->type == RT_FIELD_LIST || field->type == RT_FIELD_ARRAY)
		value = items_json(field, object);
	else
		value = rt_value_json(field, object);
	rt_json_set(json, field->name, value);
}

struct rt_json *rt_record_json(const struct rt_table *table, const void *object)
{
	struct rt_json *json = rt_json_object();

	for (size_t i = 0; i < table->count; i++)
		set_field(json, &table->fields[i], object);
	return json;
}

struct rt_json *rt_record_envelope(const struct rt_table *table, const void *object)
{
	struct rt_json *json = rt_json_object(), *meta = rt_json_object();

	rt_json_set(json, "rocetune", rt_json_u64(ENVELOPE_VERSION));
	rt_json_set(json, "kind", rt_json_text(table->name));
	for (size_t i = 0; i < table->count; i++)
		set_field(table->fields[i].flags & RT_FIELD_META ? meta : json,
			  &table->fields[i], object);
	rt_json_set(json, "meta", meta);
	return json;
}

/* --- reading: scalars ------------------------------------------------------------- */

struct reader {
	const struct rt_doc *doc;
	struct rt_err *err;
};

static const char *name_of(const struct rt_field *field)
{
	return *field->name ? field->name : "value";
}

static int refuse(const struct reader *in, const struct rt_node *node,
		  const struct rt_field *field, const char *wants)
{
	return rt_node_err(in->err, -EINVAL, in->doc, node, "%s: wants %s, not %s%.60s",
			   name_of(field), wants,
			   node->kind == RT_NODE_SCALAR ? ""
							: rt_node_kind_name(node->kind),
			   node->kind == RT_NODE_SCALAR ? node->text : "");
}

/* Digits and nothing else; quotes stand around numbers above INT64_MAX, and only them. */
static bool parse_digits(const struct rt_node *node, uint64_t *ret)
{
	uint64_t number = 0;

	if (node->kind != RT_NODE_SCALAR || !*node->text)
		return false;
	for (const char *at = node->text; *at; at++)
		if (*at < '0' || *at > '9' ||
		    __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
	*ret = number;
	return !node->quoted || number > INT64_MAX;
}

static int read_unsigned(const struct reader *in, const struct rt_node *node,
			 const struct rt_field *field, uint64_t max, uint64_t *ret)
{
	char wants[64];
	uint64_t number;

	if (!parse_digits(node, &number) || number > max) {
		snprintf(wants, sizeof(wants), "a number from 0 to %" PRIu64, max);
		return refuse(in, node, field, wants);
	}
	*ret = number;
	return 0;
}

static int read_signed(const struct reader *in, const struct rt_node *node,
		       const struct rt_field *field, int64_t *ret)
{
	char *end;
	long long number;

	if (node->kind != RT_NODE_SCALAR || node->quoted ||
	    strspn(node->text, "-0123456789") != strlen(node->text))
		return refuse(in, node, field, "a number");
	errno = 0;
	number = strtoll(node->text, &end, 10);
	if (errno || *end || end == node->text)
		return refuse(in, node, field, "a number of 64 bits");
	*ret = number;
	return 0;
}

static int read_float(const struct reader *in, const struct rt_node *node,
		      const struct rt_field *field, double *ret)
{
	double number;
	char *end;

	if (node->kind != RT_NODE_SCALAR || node->quoted ||
	    strspn(node->text, "+-.0123456789eE") != strlen(node->text))
		return refuse(in, node, field, "a number");
	number = strtod(node->text, &end);
	if (*end || end == node->text || !isfinite(number))
		return refuse(in, node, field, "a number");
	*ret = number;
	return 0;
}

static int read_bool(const struct reader *in, const struct rt_node *node,
		     const struct rt_field *field, bool *ret)
{
	if (node->kind != RT_NODE_SCALAR || node->quoted ||
	    (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
		return refuse(in, node, field, "true or false");
	*ret = node->text[0] == 't';
	return 0;
}

static int read_enum(const struct reader *in, const struct rt_node *node,
		     const struct rt_field *field, unsigned *ret)
{
	const struct rt_name *name;
	const char *words[64], *near;
	size_t count = 0;

	if (node->kind != RT_NODE_SCALAR)
		return refuse(in, node, field, "a word");
	name = rt_name_find(field->names, node->text);
	if (name) {
		*ret = name->value;
		return 0;
	}
	for (name = field->names; name->name && count < RT_ARRAY_SIZE(words); name++)
		words[count++] = name->name;
	near = rt_text_nearest(node->text, words, count);
	return rt_node_err(in->err, -EINVAL, in->doc, node,
			   "%s: no such word '%.60s'%s%s%s", name_of(field), node->text,
			   near ? ": did you mean '" : "", near ? near : "",
			   near ? "'?" : "");
}

static int read_text(const struct reader *in, const struct rt_node *node,
		     const struct rt_field *field, void *at)
{
	char *copy;

	if (node->kind != RT_NODE_SCALAR)
		return refuse(in, node, field, "text");
	if (field->type == RT_FIELD_CHARS) {
		if (strlen(node->text) >= field->length)
			return rt_node_err(in->err, -EINVAL, in->doc, node,
					   "%s: longer than %zu bytes", name_of(field),
					   field->length - 1);
		strcpy(at, node->text);
		return 0;
	}
	copy = strdup(node->text);
	if (!copy)
		return rt_err_sys(in->err, -ENOMEM, "%s", in->doc->name);
	*(char **)at = copy;
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static int read_mac(const struct reader *in, const struct rt_node *node,
		    const struct rt_field *field, uint8_t ret[6])
{
	const char *at = node->kind == RT_NODE_SCALAR ? node->text : "";

	if (strlen(at) != 17)
		return refuse(in, node, field, "an address such as 02:00:00:00:00:01");
	for (unsigned i = 0; i < 6; i++, at += 3) {
		const int high = hex_digit(at[0]), low = hex_digit(at[1]);

		if (high < 0 || low < 0 || at[2] != (i < 5 ? ':' : '\0'))
			return refuse(in, node, field,
				      "an address such as 02:00:00:00:00:01");
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static int read_ip(const struct reader *in, const struct rt_node *node,
		   const struct rt_field *field, struct rt_ip *ret)
{
	struct rt_ip ip = { 0 };

	if (node->kind == RT_NODE_SCALAR &&
	    inet_pton(AF_INET, node->text, ip.bytes) == 1)
		ip.version = 4;
	else if (node->kind == RT_NODE_SCALAR &&
		 inet_pton(AF_INET6, node->text, ip.bytes) == 1)
		ip.version = 6;
	else
		return refuse(in, node, field, "an IP address");
	*ret = ip;
	return 0;
}

/* Numbers of fixed size at once: read as the widest, stored as the field is. */
static int read_sized(const struct reader *in, const struct rt_node *node,
		      const struct rt_field *field, void *at)
{
	const uint64_t max = field->type == RT_FIELD_U8    ? UINT8_MAX
			     : field->type == RT_FIELD_U16 ? UINT16_MAX
			     : field->type == RT_FIELD_U32 ? UINT32_MAX
							   : UINT64_MAX;
	uint64_t number = 0;
	int r = read_unsigned(in, node, field, max, &number);

	if (r < 0)
		return r;
	switch (field->type) {
	case RT_FIELD_U8: *(uint8_t *)at = (uint8_t)number; break;
	case RT_FIELD_U16: *(uint16_t *)at = (uint16_t)number; break;
	case RT_FIELD_U32: *(uint32_t *)at = (uint32_t)number; break;
	case RT_FIELD_OPT_U64: *(struct rt_opt_u64 *)at = RT_KNOWN_U64(number); break;
	default: *(uint64_t *)at = number;
	}
	return 0;
}

static int read_scalar(const struct reader *in, const struct rt_node *node,
		       const struct rt_field *field, void *at)
{
	struct rt_opt_f64 *opt = at;
	int r;

	switch (field->type) {
	case RT_FIELD_BOOL: return read_bool(in, node, field, at);
	case RT_FIELD_I64: return read_signed(in, node, field, at);
	case RT_FIELD_F64: return read_float(in, node, field, at);
	case RT_FIELD_OPT_F64:
		r = read_float(in, node, field, &opt->value);
		opt->known = r == 0;
		return r;
	case RT_FIELD_ENUM: return read_enum(in, node, field, at);
	case RT_FIELD_TEXT:
	case RT_FIELD_CHARS: return read_text(in, node, field, at);
	case RT_FIELD_MAC: return read_mac(in, node, field, at);
	case RT_FIELD_IP: return read_ip(in, node, field, at);
	default: return read_sized(in, node, field, at);
	}
}

/* --- reading: maps and lists ------------------------------------------------------- */

enum part {
	ALL,
	RESULT, /* of an envelope */
	META,
};

static int read_map(const struct reader *in, const struct rt_node *map,
		    const struct rt_table *table, enum part part, char *object);

static int read_items(const struct reader *in, const struct rt_node *seq,
		      const struct rt_table *table, char *items)
{
	rt_node_for_each (node, seq) {
		int r = rt_table_is_plain(table)
				? read_scalar(in, node, table->fields, items)
				: read_map(in, node, table, ALL, items);

		if (r < 0)
			return r;
		items += table->size;
	}
	return 0;
}

static int read_list(const struct reader *in, const struct rt_node *node,
		     const struct rt_field *field, char *object)
{
	char *items;

	if (node->count > RT_RECORD_MAX_ITEMS ||
	    node->count * field->table->size > RT_RECORD_MAX_BYTES)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: %zu elements are too many", field->name,
				   node->count);
	if (node->count == 0)
		return 0;
	items = calloc(node->count, field->table->size);
	if (!items)
		return rt_err_sys(in->err, -ENOMEM, "%s", in->doc->name);
	/* Owned before it is filled, so that a failure in it frees it. */
	*(char **)(object + field->offset) = items;
	*(size_t *)(object + field->count_offset) = node->count;
	return read_items(in, node, field->table, items);
}

static int read_nested(const struct reader *in, const struct rt_node *node,
		       const struct rt_field *field, char *object)
{
	if (field->type == RT_FIELD_STRUCT)
		return read_map(in, node, field->table, ALL, object + field->offset);
	if (node->kind != RT_NODE_SEQ)
		return refuse(in, node, field, "a list");
	if (field->type == RT_FIELD_LIST)
		return read_list(in, node, field, object);
	if (node->count != field->length)
		return rt_node_err(in->err, -EINVAL, in->doc, node,
				   "%s: wants %zu elements, not %zu", field->name,
				   field->length, node->count);
	return read_items(in, node, field->table, object + field->offset);
}

static int read_absent(const struct reader *in, const struct rt_node *map,
		       const struct rt_field *field, char *object)
{
	if (field->type == RT_FIELD_F64)
		*(double *)(object + field->offset) = NAN;
	if (rt_value_may_be_unknown(field) || field->type == RT_FIELD_LIST ||
	    field->flags & (RT_FIELD_ZERO_QUIET | RT_FIELD_MAYBE))
		return 0;
	return rt_node_err(in->err, -EINVAL, in->doc, map, "has no key '%s'",
			   field->name);
}

static int unknown_key(const struct reader *in, const struct rt_table *table,
		       const struct rt_node *node)
{
	const char *words[128], *near;
	size_t count = 0;

	for (size_t i = 0; i < table->count && count < RT_ARRAY_SIZE(words); i++)
		words[count++] = table->fields[i].name;
	near = rt_text_nearest(node->key, words, count);
	return rt_node_key_err(in->err, -EINVAL, in->doc, node,
			       "unknown key '%.60s' in %s%s%s%s", node->key,
			       table->name, near ? ": did you mean '" : "",
			       near ? near : "", near ? "'?" : "");
}

static const struct rt_field *field_of(const struct rt_table *table, enum part part,
				       const char *key)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];

		if (part != ALL && (part == META) != !!(field->flags & RT_FIELD_META))
			continue;
		if (strcmp(field->name, key) == 0)
			return field;
	}
	return NULL;
}

static bool is_envelope_key(const char *key)
{
	return strcmp(key, "rocetune") == 0 || strcmp(key, "kind") == 0 ||
	       strcmp(key, "meta") == 0;
}

static int read_keys(const struct reader *in, const struct rt_node *map,
		     const struct rt_table *table, enum part part, char *object)
{
	rt_node_for_each (node, map) {
		const struct rt_field *field = field_of(table, part, node->key);
		int r = 0;

		if (!field && part == RESULT && is_envelope_key(node->key))
			continue;
		if (node->first)
			r = rt_node_key_err(in->err, -EINVAL, in->doc, node,
					    "the key '%.60s' stands twice", node->key);
		else if (!field)
			r = unknown_key(in, table, node);
		else if (node->kind == RT_NODE_NULL && rt_value_may_be_unknown(field))
			r = read_absent(in, map, field, object);
		else if (rt_value_is_nested(field))
			r = read_nested(in, node, field, object);
		else
			r = read_scalar(in, node, field, object + field->offset);
		if (r < 0)
			return r;
	}
	return 0;
}

/* object is zero before; on failure it holds what was read until then. */
static int read_map(const struct reader *in, const struct rt_node *map,
		    const struct rt_table *table, enum part part, char *object)
{
	int r;

	if (map->kind != RT_NODE_MAP)
		return rt_node_err(in->err, -EINVAL, in->doc, map,
				   "%s: wants a map of keys, not %s", table->name,
				   rt_node_kind_name(map->kind));
	r = read_keys(in, map, table, part, object);
	for (size_t i = 0; i < table->count && r == 0; i++) {
		const struct rt_field *field = &table->fields[i];

		if (field_of(table, part, field->name) &&
		    !rt_node_get(map, field->name))
			r = read_absent(in, map, field, object);
	}
	return r;
}

/* Into *object at once, when all of it was good. */
static int read_whole(const struct reader *in, const struct rt_node *map,
		      const struct rt_node *meta, const struct rt_table *table,
		      enum part part, void *object)
{
	RT_AUTO(rt_auto_free) char *made = calloc(1, table->size);
	int r;

	if (!made)
		return rt_err_sys(in->err, -ENOMEM, "%s", in->doc->name);
	r = read_map(in, map, table, part, made);
	if (r == 0 && meta)
		r = read_map(in, meta, table, META, made);
	if (r < 0)
		rt_record_free(table, made);
	else
		memcpy(object, made, table->size);
	return r;
}

int rt_record_read(const struct rt_doc *doc, const struct rt_node *node,
		   const struct rt_table *table, void *object, struct rt_err *err)
{
	const struct reader in = { doc, err };

	return read_whole(&in, node, NULL, table, ALL, object);
}

int rt_record_read_envelope(const struct rt_doc *doc, const struct rt_table *table,
			    void *object, struct rt_err *err)
{
	const struct reader in = { doc, err };
	const struct rt_node *root = doc->root;
	const struct rt_node *version = rt_node_get(root, "rocetune");
	const struct rt_node *kind = rt_node_get(root, "kind");
	uint64_t number;

	if (root->kind != RT_NODE_MAP || !version || !kind || !kind->text)
		return rt_node_err(err, -EINVAL, doc, root,
				   "not a file of rocetune: wants \"rocetune\": 1 and "
				   "\"kind\": \"%s\"",
				   table->name);
	if (!parse_digits(version, &number) || number != ENVELOPE_VERSION)
		return rt_node_err(err, -EINVAL, doc, version,
				   "written by another version: wants \"rocetune\": 1");
	if (strcmp(kind->text, table->name) != 0)
		return rt_node_err(err, -EINVAL, doc, kind, "kind '%.60s', wanted '%s'",
				   kind->text, table->name);
	return read_whole(&in, root, rt_node_get(root, "meta"), table, RESULT, object);
}

/* --- freeing ----------------------------------------------------------------------- */

static void free_fields(const struct rt_table *table, char *object)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rt_field *field = &table->fields[i];
		char **held = (char **)(object + field->offset);
		size_t count = 1;
		char *items = object + field->offset;

		if (field->type == RT_FIELD_TEXT)
			free(*held);
		if (!rt_value_is_nested(field))
			continue;
		if (field->type != RT_FIELD_STRUCT)
			items = (char *)(uintptr_t)rt_value_items(field, object,
								  &count);
		for (size_t j = 0; j < count && items; j++)
			free_fields(field->table, items + j * field->table->size);
		if (field->type == RT_FIELD_LIST)
			free(*held);
	}
}

void rt_record_free(const struct rt_table *table, void *object)
{
	free_fields(table, object);
	memset(object, 0, table->size);
}
