/* SPDX-License-Identifier: BSD-2-Clause */
#include "rocetune/field.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By hand: inet_ntop() goes through printf, and there are thousands of addresses. */
static void format_v4(const uint8_t bytes[4], char *to)
{
	for (unsigned i = 0; i < 4; i++) {
		const unsigned byte = bytes[i];

		if (byte >= 100)
			*to++ = (char)('0' + byte / 100);
		if (byte >= 10)
			*to++ = (char)('0' + byte / 10 % 10);
		*to++ = (char)('0' + byte % 10);
		*to++ = i < 3 ? '.' : '\0';
	}
}

char *rt_ip_format(const struct rt_ip *ip, char buf[RT_IP_TEXT_BYTES])
{
	if (ip->version == 4)
		format_v4(ip->bytes, buf);
	else if (ip->version == 0 ||
		 !inet_ntop(AF_INET6, ip->bytes, buf, RT_IP_TEXT_BYTES))
		snprintf(buf, RT_IP_TEXT_BYTES, "-");
	return buf;
}

#define PLAIN(variable, type_, bytes)                                          \
	static const struct rt_field variable##_field = { .name = "",          \
							  .help = "the value", \
							  .type = (type_) };   \
	const struct rt_table variable = { .name = "plain",                    \
					   .title = "Numbers",                 \
					   .help = "Plain numbers.",           \
					   .size = (bytes),                    \
					   .fields = &variable##_field,        \
					   .count = 1 }
PLAIN(rt_plain_u8, RT_FIELD_U8, 1);
PLAIN(rt_plain_u32, RT_FIELD_U32, 4);
PLAIN(rt_plain_u64, RT_FIELD_U64, 8);

/* Bytes a field of this type takes inside its struct. */
static size_t field_bytes(const struct rt_field *field)
{
	switch (field->type) {
	case RT_FIELD_BOOL: return sizeof(bool);
	case RT_FIELD_U8: return 1;
	case RT_FIELD_U16: return 2;
	case RT_FIELD_U32: return 4;
	case RT_FIELD_U64:
	case RT_FIELD_I64: return 8;
	case RT_FIELD_F64: return sizeof(double);
	case RT_FIELD_OPT_U64: return sizeof(struct rt_opt_u64);
	case RT_FIELD_OPT_F64: return sizeof(struct rt_opt_f64);
	case RT_FIELD_ENUM: return sizeof(unsigned);
	case RT_FIELD_TEXT:
	case RT_FIELD_LIST: return sizeof(void *);
	case RT_FIELD_CHARS: return field->length;
	case RT_FIELD_MAC: return 6;
	case RT_FIELD_IP: return sizeof(struct rt_ip);
	case RT_FIELD_STRUCT: return field->table->size;
	case RT_FIELD_ARRAY: return field->table->size * field->length;
	}
	return 0;
}

static void fail(const struct rt_table *table, const char *field, const char *why)
{
	fprintf(stderr, "field table %s, field %s: %s\n", table->name, field, why);
	abort();
}

static void check_field(const struct rt_table *table, const struct rt_field *field)
{
	const bool nested = field->type == RT_FIELD_STRUCT ||
			    field->type == RT_FIELD_LIST ||
			    field->type == RT_FIELD_ARRAY;

	if (!field->name || !field->help)
		fail(table, field->name ? field->name : "?", "has no name or no help");
	if (nested != (field->table != NULL))
		fail(table, field->name, "a table belongs to nested fields only");
	if (field->flags & RT_FIELD_MAYBE && !nested)
		fail(table, field->name,
		     "only a struct, an array or a list may be left out");
	if ((field->type == RT_FIELD_ENUM) != (field->names != NULL))
		fail(table, field->name, "names belong to enums only");
	if (field->offset + field_bytes(field) > table->size)
		fail(table, field->name, "lies outside the struct");
	if (nested)
		rt_table_check(field->table);
}

void rt_table_check(const struct rt_table *table)
{
	if (!table->name || !table->title || !table->help)
		fail(table, "-", "the table has no name, title or help");
	for (size_t i = 0; i < table->count; i++) {
		check_field(table, &table->fields[i]);
		for (size_t j = 0; j < i; j++)
			if (strcmp(table->fields[i].name, table->fields[j].name) == 0)
				fail(table, table->fields[i].name, "stands twice");
	}
}
