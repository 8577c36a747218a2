/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_value.c - SONiC: values of fields, which are strings, by their rows. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/doc.h"
#include "base/text.h"
#include "nos/sonic.h"
#include "rocetune/units.h"

struct rt_place sonic_place(const struct sonic_reader *reader,
			    const struct rt_node *node)
{
	return (struct rt_place){ .file = reader->sw->file,
				  .line = node->line,
				  .column = node->column };
}

struct rt_place sonic_key_place(const struct sonic_reader *reader,
				const struct rt_node *node)
{
	return (struct rt_place){ .file = reader->sw->file,
				  .line = node->key_line,
				  .column = node->key_column };
}

static void tell_value(struct sonic_reader *reader, const struct rt_node *node,
		       const char *expected)
{
	const struct rt_place place = sonic_place(reader, node);

	if (node->kind == RT_NODE_SCALAR)
		rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
			       "%.60s is '%.60s', not %s", node->key ? node->key : "it",
			       node->text, expected);
	else
		rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
			       "%.60s is %s, not %s", node->key ? node->key : "it",
			       rt_node_kind_name(node->kind), expected);
}

/* Digits only, which orchagent reads with stoi and so with blanks before them. */
static bool read_digits(const char *text, size_t bytes, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (bytes == 0 || bytes > 18)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(text[i] - '0');
	}
	*ret_number = number;
	return true;
}

/* The text without the blanks around it; "" of what is no scalar. */
static size_t trim(const struct rt_node *node, const char **text)
{
	size_t bytes;

	*text = node->kind == RT_NODE_SCALAR ? node->text : "";
	bytes = strlen(*text);

	while (bytes && strchr(" \t\r\n", (*text)[bytes - 1]))
		bytes--;
	while (bytes && strchr(" \t\r\n", **text)) {
		(*text)++;
		bytes--;
	}
	return bytes;
}

bool sonic_number(struct sonic_reader *reader, const struct rt_node *node,
		  uint64_t *ret_number)
{
	const char *text;
	const size_t bytes = trim(node, &text);
	const struct rt_place place = sonic_place(reader, node);

	if (!read_digits(text, bytes, ret_number))
		return false;
	if (strlen(node->text) != bytes)
		rt_switch_tell(reader->complaints, RT_SWITCH_BLANKS, &place,
			       "%.60s is '%.40s'", node->key ? node->key : "it",
			       node->text);
	return true;
}

static bool number_in_range(struct sonic_reader *reader,
			    const struct sonic_field *field, const struct rt_node *node,
			    uint64_t *ret_number)
{
	char expected[120];
	uint64_t number;

	if (sonic_number(reader, node, &number) && number >= field->min &&
	    number <= field->max) {
		*ret_number = number * field->scale;
		return true;
	}
	snprintf(expected, sizeof(expected), "a whole number of %llu to %llu%s",
		 (unsigned long long)field->min, (unsigned long long)field->max,
		 node->kind == RT_NODE_SCALAR && field->max == 100 &&
				 strncmp(node->text, "0.", 2) == 0
			 ? " (percent: a fraction of one is a hundred times that)"
			 : "");
	tell_value(reader, node, expected);
	return false;
}

static bool read_mask(struct sonic_reader *reader, const struct rt_node *node,
		      uint64_t *ret_mask)
{
	const char *at = node->text;
	uint64_t mask = 0;
	bool well = node->kind == RT_NODE_SCALAR;

	if (node->kind == RT_NODE_NULL || (well && !*at)) {
		*ret_mask = 0;
		return true;
	}
	while (well) {
		well = at[0] >= '0' && at[0] <= '7' && (!at[1] || at[1] == ',');
		if (!well)
			break;
		mask |= 1u << (at[0] - '0');
		if (!at[1]) {
			*ret_mask = mask;
			return true;
		}
		at += 2;
	}
	tell_value(reader, node, "a list of priorities such as 3,4");
	return false;
}

static bool read_alpha(struct sonic_reader *reader, const struct rt_node *node,
		       uint64_t *ret_ppb)
{
	const char *text;
	const size_t bytes = trim(node, &text);
	const bool negative = bytes > 1 && text[0] == '-';
	uint64_t number;

	if (!read_digits(text + negative, bytes - negative, &number) || number > 8) {
		tell_value(reader, node, "an exponent of -8 to 8");
		return false;
	}
	*ret_ppb = negative ? RT_PPB >> number : (uint64_t)RT_PPB << number;
	return true;
}

static bool read_name(struct sonic_reader *reader, const struct sonic_field *field,
		      const struct rt_node *node, uint64_t *ret_number)
{
	const struct rt_name *found = node->kind == RT_NODE_SCALAR
					      ? rt_name_find(field->names, node->text)
					      : NULL;
	char expected[160] = "one of";
	size_t used = strlen(expected);

	if (found) {
		*ret_number = found->value;
		return true;
	}
	for (const struct rt_name *name = field->names;
	     name->name && used < sizeof(expected) - 1; name++) {
		const int more = snprintf(expected + used, sizeof(expected) - used,
					  " %s", name->name);

		used += (size_t)more;
	}
	tell_value(reader, node, expected);
	return false;
}

/* AZURE, [DSCP_TO_TC_MAP|AZURE], or with a colon as in the application's database. */
static bool read_ref(struct sonic_reader *reader, const struct sonic_field *field,
		     const struct rt_node *node, struct rt_switch_ref *ret_ref)
{
	const size_t table = strlen(field->table);
	const char *name;
	size_t bytes = trim(node, &name);
	char expected[100];

	if (bytes > table + 3 && name[0] == '[' && name[bytes - 1] == ']' &&
	    strncmp(name + 1, field->table, table) == 0 &&
	    (name[table + 1] == '|' || name[table + 1] == ':')) {
		name += table + 2;
		bytes -= table + 3;
	} else if (bytes == 0 || memchr(name, '[', bytes) || memchr(name, '|', bytes)) {
		snprintf(expected, sizeof(expected), "the name of an entry of %s",
			 field->table);
		tell_value(reader, node, expected);
		return false;
	}
	ret_ref->name = rt_switch_text(reader->sw, name, bytes);
	ret_ref->object = NULL;
	ret_ref->place = sonic_place(reader, node);
	if (!ret_ref->name)
		reader->failed = -ENOMEM;
	return ret_ref->name;
}

/* The number of a field that is one; false: it is none. */
static bool read_setting(struct sonic_reader *reader, const struct sonic_field *field,
			 const struct rt_node *node, uint64_t *ret_number)
{
	*ret_number = 0;
	switch (field->type) {
	case SONIC_NUMBER: return number_in_range(reader, field, node, ret_number);
	case SONIC_NAMES: return read_name(reader, field, node, ret_number);
	case SONIC_MASK: return read_mask(reader, node, ret_number);
	case SONIC_ALPHA: return read_alpha(reader, node, ret_number);
	case SONIC_TEXT:
		if (node->kind == RT_NODE_SCALAR)
			return true;
		tell_value(reader, node, "a text");
		return false;
	default: return false;
	}
}

bool sonic_value_read(struct sonic_reader *reader, const struct sonic_field *field,
		      const struct rt_node *node, struct sonic_value *ret_value)
{
	const char *literal = node->kind == RT_NODE_SCALAR ? node->text : "";
	uint64_t number = 0;

	*ret_value = (struct sonic_value){ 0 };
	ret_value->is_ref = field->type == SONIC_REF || field->type == SONIC_PROFILE;
	if (field->type == SONIC_PROFILE && strcmp(literal, "NULL") == 0)
		ret_value->is_ref = false;
	else if (ret_value->is_ref)
		return read_ref(reader, field, node, &ret_value->ref);
	else if (!read_setting(reader, field, node, &number))
		return false;
	literal = rt_switch_text(reader->sw, literal, strlen(literal));
	if (!literal)
		reader->failed = -ENOMEM;
	ret_value->setting = rt_switch_said(number, literal, sonic_place(reader, node));
	return literal;
}

void sonic_value_store(const struct sonic_field *field, const struct sonic_value *value,
		       void *object)
{
	char *at = (char *)object + field->offset;

	if (value->is_ref)
		*(struct rt_switch_ref *)at = value->ref;
	else if (field->type == SONIC_PROFILE)
		((struct rt_switch_pg *)object)->unnamed = value->setting;
	else
		*(struct rt_setting *)at = value->setting;
}
