/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_want.c - fields that are asked of config_db, by table and key. */
#include "nos/sonic_want.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"

void sonic_wants_free(struct sonic_wants *wants)
{
	free(wants->wants);
	free(wants->entries);
	free(wants->slots);
	*wants = (struct sonic_wants){ 0 };
}

static size_t *slot_of(const struct sonic_wants *wants, const char *table,
		       size_t table_bytes, const char *key)
{
	size_t at = rt_hash_pair(rt_hash_bytes(table, table_bytes),
				 rt_hash_bytes(key, strlen(key))) &
		    (wants->slot_count - 1);

	for (; wants->slots[at]; at = (at + 1) & (wants->slot_count - 1)) {
		const struct sonic_want_entry *entry =
			&wants->entries[wants->slots[at] - 1];

		if (strncmp(entry->table, table, table_bytes) == 0 &&
		    !entry->table[table_bytes] && strcmp(entry->key, key) == 0)
			break;
	}
	return &wants->slots[at];
}

struct sonic_want_entry *sonic_want_find(const struct sonic_wants *wants,
					 const char *table, size_t table_bytes,
					 const char *key)
{
	const size_t *slot;

	if (!wants->slot_count)
		return NULL;
	slot = slot_of(wants, table, table_bytes, key);
	return *slot ? &wants->entries[*slot - 1] : NULL;
}

static bool grow_slots(struct sonic_wants *wants)
{
	size_t *const old = wants->slots;
	const size_t count = wants->slot_count;

	if (wants->entry_count * 2 < count)
		return true;
	wants->slot_count = count ? count * 2 : 256;
	wants->slots = calloc(wants->slot_count, sizeof(*wants->slots));
	if (!wants->slots) {
		wants->slots = old;
		wants->slot_count = count;
		return false;
	}
	for (size_t i = 0; i < wants->entry_count; i++) {
		const struct sonic_want_entry *entry = &wants->entries[i];

		*slot_of(wants, entry->table, strlen(entry->table), entry->key) = i + 1;
	}
	free(old);
	return true;
}

/* Index of the entry plus one; 0: out of memory. */
static size_t make_entry(struct sonic_wants *wants, const char *table, const char *key)
{
	struct sonic_want_entry *entries;
	size_t *slot;

	if (!grow_slots(wants))
		return 0;
	slot = slot_of(wants, table, strlen(table), key);
	if (*slot)
		return *slot;
	entries = rt_grow(wants->entries, wants->entry_count, &wants->entry_capacity,
			  sizeof(*entries));
	if (!entries)
		return 0;
	wants->entries = entries;
	entries[wants->entry_count] = (struct sonic_want_entry){ .table = table };
	snprintf(entries[wants->entry_count].key, SONIC_KEY_BYTES, "%s", key);
	*slot = ++wants->entry_count;
	return *slot;
}

/* The want of this field of the entry, made when there is none; NULL: no memory. */
static struct sonic_want *make_want(struct sonic_wants *wants, size_t entry_index,
				    const char *field)
{
	struct sonic_want_entry *entry = &wants->entries[entry_index];
	struct sonic_want *items;

	for (size_t at = entry->first; at; at = wants->wants[at - 1].next)
		if (strcmp(wants->wants[at - 1].field, field) == 0)
			return &wants->wants[at - 1];
	items = rt_grow(wants->wants, wants->want_count, &wants->want_capacity,
			sizeof(*items));
	if (!items)
		return NULL;
	wants->wants = items;
	items[wants->want_count] = (struct sonic_want){ .entry = entry_index };
	snprintf(items[wants->want_count].field, SONIC_FIELD_BYTES, "%s", field);
	wants->want_count++;
	if (entry->last)
		items[entry->last - 1].next = wants->want_count;
	else
		entry->first = wants->want_count;
	entry->last = wants->want_count;
	return &items[wants->want_count - 1];
}

void sonic_want(struct sonic_wants *wants, const char *table, const char *key,
		const char *field, const char *value_fmt, ...)
{
	const size_t entry = make_entry(wants, table, key);
	struct sonic_want *want = entry ? make_want(wants, entry - 1, field) : NULL;
	va_list args;

	if (!want) {
		wants->out_of_memory = true;
		return;
	}
	va_start(args, value_fmt);
	vsnprintf(want->value, sizeof(want->value), value_fmt, args);
	va_end(args);
}

void sonic_want_gone(struct sonic_wants *wants, const char *table, const char *key)
{
	if (!make_entry(wants, table, key))
		wants->out_of_memory = true;
}
