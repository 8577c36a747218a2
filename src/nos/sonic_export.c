/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sonic_export.c - what a profile asks for as a JSON Patch (RFC 6902), which
 * `config apply-patch` takes; against a configuration only what differs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/json.h"
#include "base/own.h"
#include "model/switch_build.h"
#include "nos/sonic_export.h"
#include "nos/sonic_want.h"
#include "rocetune/err.h"

/* --- what is there ---------------------------------------------------------------- */

/* AZURE of AZURE, of [WRED_PROFILE|AZURE] and of one with blanks around. */
static void plain_value(const char *text, char *buf, size_t bytes)
{
	const char *from = text + strspn(text, " \t");
	size_t length = strcspn(from, "\n");
	const char *bar = from[0] == '[' ? strpbrk(from, "|:") : NULL;

	while (length && strchr(" \t\r", from[length - 1]))
		length--;
	if (bar && length && from[length - 1] == ']' && !strchr(from, ',')) {
		length -= (size_t)(bar + 1 - from) + 1;
		from = bar + 1;
	}
	snprintf(buf, bytes, "%.*s", (int)length, from);
}

/* own: the fields stand under the entry's own key, not under one that lists it. */
static void mark_fields(struct sonic_wants *wants, const struct sonic_want_entry *entry,
			const struct rt_node *fields, bool own)
{
	for (size_t at = entry->first; at; at = wants->wants[at - 1].next) {
		struct sonic_want *want = &wants->wants[at - 1];
		const struct rt_node *node = rt_node_get(fields, want->field);
		char value[SONIC_FIELD_BYTES];

		if (!node)
			continue;
		plain_value(node->text ? node->text : "", value, sizeof(value));
		want->there = own;
		want->same = strcmp(value, want->value) == 0;
	}
}

static void mark_key(struct sonic_wants *wants, const char *table, size_t bytes,
		     const char *key, const struct rt_node *fields, bool own)
{
	struct sonic_want_entry *entry = sonic_want_find(wants, table, bytes, key);

	if (!entry)
		return;
	entry->there = entry->there || own;
	mark_fields(wants, entry, fields, own);
}

/* One port of a key, with each index of the range behind it (NULL: no index). */
static void mark_port(struct sonic_wants *wants, const char *table, size_t bytes,
		      const char *port, size_t port_bytes, const char *range,
		      const struct rt_node *fields)
{
	char key[SONIC_KEY_BYTES];
	unsigned low = 0, high = 0;
	int count = range ? sscanf(range, "%3u-%3u", &low, &high) : 0;

	if (!range) {
		snprintf(key, sizeof(key), "%.*s", (int)port_bytes, port);
		mark_key(wants, table, bytes, key, fields, false);
	}
	if (count == 1)
		high = low;
	for (unsigned i = low; count > 0 && i <= high && i < RT_SWITCH_QUEUES; i++) {
		snprintf(key, sizeof(key), "%.*s|%u", (int)port_bytes, port, i);
		mark_key(wants, table, bytes, key, fields, false);
	}
}

/* Ethernet0, and also Ethernet0,Ethernet4|3-4, which lists several entries. */
static void mark_entry(struct sonic_wants *wants, const char *table, size_t bytes,
		       const char *key, const struct rt_node *fields)
{
	const char *bar = strrchr(key, '|');
	const size_t ports = bar ? (size_t)(bar - key) : strlen(key);

	if (!memchr(key, ',', ports) && !(bar && strchr(bar, '-'))) {
		mark_key(wants, table, bytes, key, fields, true);
		return;
	}
	for (const char *port = key; port <= key + ports;) {
		const size_t length = strcspn(port, ",|");

		mark_port(wants, table, bytes, port, length, bar ? bar + 1 : NULL,
			  fields);
		port += length + 1;
	}
}

/* count: entries that it has here. */
static void mark_table(struct sonic_wants *wants, const char *table, size_t bytes,
		       size_t count)
{
	for (size_t i = 0; i < wants->entry_count; i++) {
		const char *name = wants->entries[i].table;
		size_t at = 0;

		if (strncmp(name, table, bytes) != 0 || name[bytes])
			continue;
		while (at < wants->table_count && wants->tables_there[at] != name &&
		       strcmp(wants->tables_there[at], name) != 0)
			at++;
		if (at == SONIC_WANT_TABLES)
			return;
		if (at == wants->table_count)
			wants->tables_there[wants->table_count++] = name;
		wants->entries_there[at] += count;
		return;
	}
}

static void mark_object(struct sonic_wants *wants, const struct rt_node *object)
{
	rt_node_for_each (node, object) {
		const char *bar = strchr(node->key, '|');
		const size_t bytes = bar ? (size_t)(bar - node->key)
					 : strlen(node->key);

		mark_table(wants, node->key, bytes,
			   bar                         ? 1
			   : node->kind == RT_NODE_MAP ? node->count
						       : 0);
		if (bar) {
			mark_entry(wants, node->key, bytes, bar + 1, node);
			continue;
		}
		if (node->kind != RT_NODE_MAP)
			continue;
		rt_node_for_each (item, node)
			mark_entry(wants, node->key, bytes, item->key, item);
	}
}

int sonic_wants_compare(const struct rt_nos_wish *wish, struct sonic_wants *wants,
			struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	int r = rt_doc_parse_all(wish->against_name, wish->against, wish->against_bytes,
				 &doc, err);

	if (r < 0)
		return r;
	if (!doc->root)
		return rt_err_set(err, -EINVAL, "%s:1:1: no JSON object",
				  wish->against_name);
	if (doc->root->kind == RT_NODE_MAP)
		mark_object(wants, doc->root);
	if (doc->root->kind == RT_NODE_SEQ)
		rt_node_for_each (item, doc->root)
			if (item->kind == RT_NODE_MAP)
				mark_object(wants, item);
	return 0;
}

/* --- operations ----------------------------------------------------------------------- */

/* A part of a JSON pointer (RFC 6901): ~ and / have other spellings in it. */
static size_t put_part(char *path, size_t used, size_t bytes, const char *part)
{
	for (path[used++] = '/'; *part && used + 3 < bytes; part++) {
		if (*part == '~' || *part == '/') {
			path[used++] = '~';
			path[used++] = *part == '~' ? '0' : '1';
		} else {
			path[used++] = *part;
		}
	}
	path[used] = '\0';
	return used;
}

#define PATH_BYTES 640

static struct rt_json *operation(const char *op, const char *table, const char *key,
				 const char *field, struct rt_json *value)
{
	struct rt_json *object = rt_json_object();
	char path[PATH_BYTES];
	size_t used = put_part(path, 0, sizeof(path), table);

	if (key)
		used = put_part(path, used, sizeof(path), key);
	if (field)
		put_part(path, used, sizeof(path), field);
	rt_json_set(object, "op", rt_json_text(op));
	rt_json_set(object, "path", rt_json_text(path));
	rt_json_set(object, "value", value);
	return object;
}

static bool table_is_there(const struct sonic_wants *wants, const char *table)
{
	for (size_t i = 0; i < wants->table_count; i++)
		if (strcmp(wants->tables_there[i], table) == 0)
			return true;
	return false;
}

/* The entry as a whole, with the wants from first on that are of it. */
static void put_entry(struct sonic_wants *wants, bool compared, size_t first,
		      size_t count, struct rt_json *patch)
{
	struct sonic_want_entry *entry = &wants->entries[wants->wants[first].entry];
	struct rt_json *fields = rt_json_object(), *table;
	bool any = false;

	for (size_t i = first; i < first + count; i++) {
		const struct sonic_want *want = &wants->wants[i];

		any = any || !want->same;
		if (!want->same)
			rt_json_set(fields, want->field, rt_json_text(want->value));
	}
	if (!any) { /* a key that lists the entry has it all */
		rt_json_free(fields);
		return;
	}
	entry->there = true;
	if (!compared || table_is_there(wants, entry->table)) {
		rt_json_append(patch, operation("add", entry->table, entry->key, NULL,
						fields));
		return;
	}
	table = rt_json_object();
	rt_json_set(table, entry->key, fields);
	rt_json_append(patch, operation("add", entry->table, NULL, NULL, table));
	mark_table(wants, entry->table, strlen(entry->table), 1);
}

static void put_fields(const struct sonic_wants *wants, size_t first, size_t count,
		       struct rt_json *patch)
{
	const struct sonic_want_entry *entry =
		&wants->entries[wants->wants[first].entry];

	for (size_t i = first; i < first + count; i++) {
		const struct sonic_want *want = &wants->wants[i];

		if (!want->same)
			rt_json_append(patch,
				       operation(want->there ? "replace" : "add",
						 entry->table, entry->key, want->field,
						 rt_json_text(want->value)));
	}
}

/* --- what goes off first ---------------------------------------------------------- */

/* 3,4; "" is none. */
static void list_prios(uint64_t mask, char buf[24])
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < RT_SWITCH_PRIOS; i++)
		if (mask >> i & 1)
			used += (size_t)snprintf(buf + used, 24 - used, "%s%u",
						 used ? "," : "", i);
}

static uint64_t read_prios(const char *list)
{
	uint64_t mask = 0;

	for (; *list; list++)
		if (*list >= '0' && *list <= '7')
			mask |= 1u << (*list - '0');
	return mask;
}

/*
 * Priorities that lose PFC lose it before their classification and buffers change:
 * what is built up last is taken down first.
 */
static void put_pfc_off(const struct rt_nos_wish *wish, struct sonic_wants *wants,
			struct rt_json *patch)
{
	for (size_t i = 0; wish->there && i < wants->want_count; i++) {
		struct sonic_want *want = &wants->wants[i];
		const struct sonic_want_entry *entry = &wants->entries[want->entry];
		const struct rt_switch_port *port;
		uint64_t wanted, left;
		char list[24];

		if (!want->there || want->same ||
		    strcmp(want->field, "pfc_enable") != 0)
			continue;
		port = rt_switch_object(wish->there, RT_SWITCH_PORT, entry->key,
					strlen(entry->key));
		wanted = read_prios(want->value);
		if (!port || !(port->pfc.number & ~wanted))
			continue;
		left = port->pfc.number & wanted;
		list_prios(left, list);
		rt_json_append(patch, operation("replace", entry->table, entry->key,
						want->field, rt_json_text(list)));
		want->same = left == wanted;
	}
}

static bool is_to_go(const struct sonic_want_entry *entry)
{
	return entry->there && !entry->first;
}

static void put_removal(const char *table, const char *key, struct rt_json *patch)
{
	struct rt_json *object = rt_json_object();
	char path[PATH_BYTES];
	size_t used = put_part(path, 0, sizeof(path), table);

	if (key)
		put_part(path, used, sizeof(path), key);
	rt_json_set(object, "op", rt_json_text("remove"));
	rt_json_set(object, "path", rt_json_text(path));
	rt_json_append(patch, object);
}

/*
 * Entries that are to go.  A table that would be empty goes as a whole: SONiC refuses a
 * patch that leaves one (sonic-utilities generic_config_updater).
 */
static void put_removals(const struct sonic_wants *wants, struct rt_json *patch)
{
	for (size_t at = 0; at < wants->table_count; at++) {
		const char *table = wants->tables_there[at];
		size_t going = 0;

		for (size_t i = 0; i < wants->entry_count; i++)
			going += is_to_go(&wants->entries[i]) &&
				 strcmp(wants->entries[i].table, table) == 0;
		if (going && going == wants->entries_there[at]) {
			put_removal(table, NULL, patch);
			continue;
		}
		for (size_t i = 0; going && i < wants->entry_count; i++)
			if (is_to_go(&wants->entries[i]) &&
			    strcmp(wants->entries[i].table, table) == 0)
				put_removal(table, wants->entries[i].key, patch);
	}
}

/*
 * An entry that is of other ports too is taken to be there when it is not known:
 * writing it anew would take their fields away.
 */
static bool is_there(const struct sonic_wants *wants, const struct sonic_want *want,
		     bool compared)
{
	const struct sonic_want_entry *entry = &wants->entries[want->entry];
	const bool shared = strcmp(entry->table, "CABLE_LENGTH") == 0 ||
			    strcmp(entry->key, "GLOBAL") == 0;

	return entry->there || (shared && !compared);
}

/* Queues of a chassis are keyed by card and chip, which a profile does not name. */
static int refuse_chassis(const struct rt_nos_wish *wish, struct rt_err *err)
{
	for (size_t i = 0; wish->there && i < wish->there->port_count; i++)
		if (wish->there->ports[i].remote)
			return rt_err_set(err, -EINVAL,
					  "%s: a card of a chassis (%.80s): nothing is "
					  "written for those",
					  wish->against_name,
					  wish->there->ports[i].id.name);
	return 0;
}

int sonic_export(const struct rt_nos_wish *wish, struct rt_json **ret_patch,
		 struct rt_err *err)
{
	struct sonic_wants wants = { 0 };
	struct rt_json *patch = rt_json_array();
	int r = refuse_chassis(wish, err);

	if (r == 0)
		r = sonic_wants_make(wish, &wants, err);
	if (r == 0 && wish->against)
		r = sonic_wants_compare(wish, &wants, err);
	if (r == 0)
		put_pfc_off(wish, &wants, patch);
	if (r == 0)
		put_removals(&wants, patch);
	for (size_t i = 0, next; r == 0 && i < wants.want_count; i = next) {
		for (next = i + 1; next < wants.want_count &&
				   wants.wants[next].entry == wants.wants[i].entry;)
			next++;
		if (is_there(&wants, &wants.wants[i], wish->against))
			put_fields(&wants, i, next - i, patch);
		else
			put_entry(&wants, wish->against, i, next - i, patch);
	}
	sonic_wants_free(&wants);
	if (r < 0)
		rt_json_free(patch);
	else
		*ret_patch = patch;
	return r;
}
