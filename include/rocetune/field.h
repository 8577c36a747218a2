/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * field.h - a struct that describes itself.
 *
 * Each result struct has one table of its fields; text, JSON, CSV, schema and
 * documentation walk the table, and none of them is written by hand.  What is
 * not known is said so: an optional number carries a bit, a NULL pointer is an
 * unknown text, and neither is ever shown as 0.
 */
#ifndef ROCETUNE_FIELD_H
#define ROCETUNE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/units.h"

/* A number that may be unknown. */
struct rt_opt_u64 {
	uint64_t value;
	bool known;
};

struct rt_opt_f64 {
	double value;
	bool known;
};

#define RT_KNOWN_U64(number) ((struct rt_opt_u64){ .value = (number), .known = true })
#define RT_KNOWN_F64(number) ((struct rt_opt_f64){ .value = (number), .known = true })

/* An IP address; version 0 is "none".  IPv4 uses the first four bytes. */
struct rt_ip {
	uint8_t bytes[16];
	uint8_t version; /* 0, 4 or 6 */
};

/* How a value of an enum is spelled; a table of them ends with a NULL name. */
struct rt_name {
	const char *name;
	unsigned value;
	const char *help;
};

enum rt_field_type {
	RT_FIELD_BOOL,
	RT_FIELD_U8,
	RT_FIELD_U16,
	RT_FIELD_U32,
	RT_FIELD_U64,
	RT_FIELD_I64,
	RT_FIELD_F64,
	RT_FIELD_OPT_U64, /* struct rt_opt_u64 */
	RT_FIELD_OPT_F64, /* struct rt_opt_f64 */
	RT_FIELD_ENUM,    /* an unsigned-sized enum, spelled by names */
	RT_FIELD_TEXT,    /* const char *; NULL is unknown */
	RT_FIELD_CHARS,   /* char[] inside the struct; "" is unknown */
	RT_FIELD_MAC,     /* uint8_t[6] */
	RT_FIELD_IP,      /* struct rt_ip */
	RT_FIELD_STRUCT,  /* a struct inside, described by table */
	RT_FIELD_LIST,    /* pointer to elements of table, count at count_offset */
	RT_FIELD_ARRAY,   /* length elements of table inside the struct */
};

enum rt_field_flags {
	RT_FIELD_DETAIL = 1, /* JSON and CSV always, text only when asked for more */
	RT_FIELD_META = 2,   /* not part of the result: JSON puts it under "meta" */
	RT_FIELD_HEX = 4,    /* text writes the number in hexadecimal */
	/* Text leaves it out while it is 0 or no text; a struct while all in it is. */
	RT_FIELD_ZERO_QUIET = 8,
	RT_FIELD_DATA = 16, /* JSON and CSV only, never text */
	RT_FIELD_KEEP = 32, /* a column of text even where all is unknown */
	/* A struct, array or list that JSON leaves out while all in it is 0, or none. */
	RT_FIELD_MAYBE = 64,
	RT_FIELD_WHOLE = 128, /* drawn, not words: a table of text never breaks it */
};

struct rt_field {
	const char *name;  /* of the JSON key, unit included: paused_ns */
	const char *label; /* in text; NULL: derived from name */
	const char *help;  /* what it means, one sentence */
	enum rt_field_type type;
	enum rt_unit unit;
	size_t offset;
	unsigned flags;
	const struct rt_name *names;  /* RT_FIELD_ENUM */
	const struct rt_table *table; /* STRUCT, LIST, ARRAY */
	size_t count_offset;          /* LIST: of a size_t */
	size_t length;                /* ARRAY: elements; CHARS: bytes */
};

struct rt_table {
	const char *name;  /* of the kind: "analysis", "pause_interval" */
	const char *title; /* heading in text */
	const char *help;
	size_t size; /* of the struct */
	const struct rt_field *fields;
	size_t count;
};

/* A row for a plain member: RT_FIELD(struct x, U64, member, BYTES, "help"). */
#define RT_FIELD(owner, kind, member, unit_, help_, ...)                    \
	{                                                                   \
		.name = #member, .help = (help_), .type = RT_FIELD_##kind,  \
		.unit = RT_UNIT_##unit_, .offset = offsetof(owner, member), \
		##__VA_ARGS__                                               \
	}
#define RT_FIELD_STRUCT_OF(owner, member, table_, help_, ...)                       \
	{                                                                           \
		.name = #member, .help = (help_), .type = RT_FIELD_STRUCT,          \
		.offset = offsetof(owner, member), .table = (table_), ##__VA_ARGS__ \
	}
#define RT_FIELD_LIST_OF(owner, member, count_, table_, help_, ...)      \
	{                                                                \
		.name = #member, .help = (help_), .type = RT_FIELD_LIST, \
		.offset = offsetof(owner, member), .table = (table_),    \
		.count_offset = offsetof(owner, count_), ##__VA_ARGS__   \
	}
#define RT_FIELD_ARRAY_OF(owner, member, length_, table_, help_, ...)     \
	{                                                                 \
		.name = #member, .help = (help_), .type = RT_FIELD_ARRAY, \
		.offset = offsetof(owner, member), .table = (table_),     \
		.length = (length_), ##__VA_ARGS__                        \
	}
#define RT_FIELD_CHARS_OF(owner, member, help_, ...)                      \
	{                                                                 \
		.name = #member, .help = (help_), .type = RT_FIELD_CHARS, \
		.offset = offsetof(owner, member),                        \
		.length = sizeof(((owner *)0)->member), ##__VA_ARGS__     \
	}

#define RT_TABLE(variable, struct_name, name_, title_, help_, fields_) \
	const struct rt_table variable = {                             \
		.name = (name_),                                       \
		.title = (title_),                                     \
		.help = (help_),                                       \
		.size = sizeof(struct struct_name),                    \
		.fields = (fields_),                                   \
		.count = sizeof(fields_) / sizeof((fields_)[0]),       \
	}

/*
 * A table of one scalar field named "" describes plain values: JSON writes the value
 * itself, [1, 2, 3] instead of [{"x": 1}, ...].  Those of numbers are at hand.
 */
static inline bool rt_table_is_plain(const struct rt_table *table)
{
	return table->count == 1 && !*table->fields[0].name;
}
extern const struct rt_table rt_plain_u8, rt_plain_u32, rt_plain_u64;

/* A buffer for rt_ip_format(); "-" when there is no address. */
#define RT_IP_TEXT_BYTES 46
char *rt_ip_format(const struct rt_ip *ip, char buf[RT_IP_TEXT_BYTES]);

/* Aborts (a bug of ours) when a table breaks its own rules; for the tests. */
void rt_table_check(const struct rt_table *table);

#endif
