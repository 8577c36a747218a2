/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sonic_want.h - the fields a profile asks of config_db, in the order in which they
 * are to be set, and what of them is there already.
 */
#ifndef RT_NOS_SONIC_WANT_H
#define RT_NOS_SONIC_WANT_H

#include <stdbool.h>
#include <stddef.h>

#include "nos/wish.h"

struct rt_err;

#define SONIC_KEY_BYTES   160
#define SONIC_FIELD_BYTES 72

/* One field of an entry. */
struct sonic_want {
	size_t entry;
	size_t next; /* index plus one of the entry's next want; 0: none */
	char field[SONIC_FIELD_BYTES];
	char value[SONIC_FIELD_BYTES];
	bool there, same; /* in the configuration that there is */
};

struct sonic_want_entry {
	const char *table; /* a literal */
	char key[SONIC_KEY_BYTES];
	size_t first, last; /* its wants: indices plus one; 0: it is to go */
	bool there;
};

#define SONIC_WANT_TABLES 16

struct sonic_wants {
	struct sonic_want *wants;
	struct sonic_want_entry *entries;
	size_t want_count, want_capacity, entry_count, entry_capacity;
	size_t *slots; /* hash of table and key to the entry's index, plus one */
	size_t slot_count;
	const char *tables_there[SONIC_WANT_TABLES];
	size_t entries_there[SONIC_WANT_TABLES]; /* of each of these tables */
	size_t table_count;
	bool out_of_memory;
};

void sonic_wants_free(struct sonic_wants *wants);

/* TABLE|key: field = value; asked for twice counts once. */
void sonic_want(struct sonic_wants *wants, const char *table, const char *key,
		const char *field, const char *value_fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* TABLE|key is to go, where it is there. */
void sonic_want_gone(struct sonic_wants *wants, const char *table, const char *key);

/* NULL: nothing is asked of this entry. */
struct sonic_want_entry *sonic_want_find(const struct sonic_wants *wants,
					 const char *table, size_t table_bytes,
					 const char *key);

/*
 * All that the wish asks for, in the order of a fabric: headroom, classification,
 * watchdog, ECN, PFC last.  -EINVAL: the profile lacks a number, and which.
 */
int sonic_wants_make(const struct rt_nos_wish *wish, struct sonic_wants *wants,
		     struct rt_err *err);

/* Mark what the configuration of the wish has already.  As rt_doc_parse_all(). */
int sonic_wants_compare(const struct rt_nos_wish *wish, struct sonic_wants *wants,
			struct rt_err *err);

#endif
