/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sonic.c - SONiC's config_db.json in all the shapes it is met in.
 *
 *   {"QUEUE": {"Ethernet0|3": {...}}}     nested: config_db.json, qos.json
 *   {"QUEUE|Ethernet0|3": {...}}          flat: dumps of the database
 *   both in one object                    migrated databases
 *   [{"QUEUE": {...}}, ...]               configlets
 *   [{"op": "add", "path": "/QUEUE/..."}] what config apply-patch takes (RFC 6902)
 *
 * All scalars are strings.  Keys may list ports (Ethernet0,Ethernet4|3-4), and those
 * of a chassis name card and chip before the port.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/own.h"
#include "nos/nos.h"
#include "nos/sonic.h"
#include "nos/sonic_export.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

/* --- shapes of files --------------------------------------------------------------- */

static void read_table(struct sonic_reader *reader, const struct sonic_table *table,
		       const struct rt_node *node)
{
	sonic_tell_twice(reader, node);
	if (node->kind == RT_NODE_NULL)
		return;
	if (node->kind != RT_NODE_MAP) {
		sonic_tell_key(reader, node, table, "a map of entries");
		return;
	}
	/* An empty table still says that no port has any of it. */
	reader->has_qos = true;
	if (strcmp(table->name, "PORT_QOS_MAP") == 0)
		reader->has_port_qos = true;
	if (strcmp(table->name, "PFC_WD") == 0)
		reader->has_watchdog = true;
	rt_node_for_each (item, node) {
		sonic_tell_twice(reader, item);
		sonic_entry_read(reader,
				 (struct sonic_entry){ table, item->key, item, item });
		if (reader->failed)
			return;
	}
}

static void read_object(struct sonic_reader *reader, const struct rt_node *object)
{
	rt_node_for_each (node, object) {
		const char *bar = strchr(node->key, '|');
		const struct sonic_table *table = sonic_table_find(
			node->key, bar ? (size_t)(bar - node->key) : strlen(node->key));

		if (!table)
			continue;
		if (!bar) {
			read_table(reader, table, node);
		} else {
			sonic_tell_twice(reader, node);
			sonic_entry_read(reader, (struct sonic_entry){ table, bar + 1,
								       node, node });
		}
		if (reader->failed)
			return;
	}
}

#define SEGMENTS_MAX 3

/* The parts of a JSON pointer (RFC 6901), decoded in place; 0: it is none. */
static unsigned split_pointer(char *text, char *ret_parts[SEGMENTS_MAX])
{
	unsigned count = 0;
	char *to = text;

	if (*text != '/')
		return 0;
	for (const char *from = text; *from;) {
		if (*from == '/') {
			if (count == SEGMENTS_MAX)
				return 0;
			if (count)
				*to++ = '\0';
			ret_parts[count++] = to;
			from++;
		} else if (*from == '~' && (from[1] == '0' || from[1] == '1')) {
			*to++ = from[1] == '0' ? '~' : '/';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return count;
}

/* One operation of a patch, as if what it adds were in the file. */
static void read_operation(struct sonic_reader *reader, const struct rt_node *op)
{
	const struct rt_node *word = rt_node_get(op, "op");
	const struct rt_node *path = rt_node_get(op, "path");
	const struct rt_node *value = rt_node_get(op, "value");
	const struct rt_place place = sonic_place(reader, op);
	const struct sonic_table *table;
	char *parts[SEGMENTS_MAX], text[512];
	unsigned count;

	snprintf(text, sizeof(text), "%s", path->text ? path->text : "");
	count = split_pointer(text, parts);
	table = count ? sonic_table_find(parts[0], strlen(parts[0])) : NULL;
	if (count && !table)
		return;
	if (!count || !word->text || !value ||
	    (strcmp(word->text, "add") != 0 && strcmp(word->text, "replace") != 0)) {
		reader->sw->not_read++;
		rt_switch_tell(reader->complaints, RT_SWITCH_NOT_READ, &place,
			       "operation %.20s of %.100s is not read",
			       word->text ? word->text : "", text);
		return;
	}
	if (count == 1) {
		struct rt_node named = *value;

		named.key = parts[0];
		named.first = NULL;
		read_table(reader, table, &named);
	} else if (count == 2) {
		struct rt_node named = *value;

		named.key = parts[1];
		sonic_entry_read(
			reader, (struct sonic_entry){ table, parts[1], &named, value });
	} else {
		struct rt_node field = *value, map = *value;

		field.key = parts[2];
		field.first = NULL;
		field.next = NULL;
		map.kind = RT_NODE_MAP;
		map.key = parts[1];
		map.child = &field;
		sonic_entry_read(reader,
				 (struct sonic_entry){ table, parts[1], &map, &map });
	}
}

static void read_root(struct sonic_reader *reader, const struct rt_node *root)
{
	if (root->kind == RT_NODE_MAP)
		read_object(reader, root);
	if (root->kind != RT_NODE_SEQ)
		return;
	rt_node_for_each (item, root) {
		if (rt_node_get(item, "op") && rt_node_get(item, "path"))
			read_operation(reader, item);
		else if (item->kind == RT_NODE_MAP)
			read_object(reader, item);
		if (reader->failed)
			return;
	}
}

static const char *find_host(const struct rt_node *root)
{
	const struct rt_node *flat = rt_node_get(root, "DEVICE_METADATA|localhost");
	const struct rt_node *nested = rt_node_get(rt_node_get(root, "DEVICE_METADATA"),
						   "localhost");
	const struct rt_node *name = rt_node_get(flat ? flat : nested, "hostname");

	return name ? name->text : NULL;
}

/* --- the row --------------------------------------------------------------------- */

static bool sonic_recognise(const char *text, size_t bytes)
{
	size_t at = 0;

	while (at < bytes && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at < bytes && (text[at] == '{' || text[at] == '[');
}

/* The first mark of a template: what makes such a file no JSON. */
static int tell_template(const char *name, const char *text, size_t bytes,
			 struct rt_err *err)
{
	unsigned line = 1, column = 1;

	for (size_t i = 0; i + 1 < bytes; i++, column++) {
		if (text[i] == '{' &&
		    (text[i + 1] == '%' || text[i + 1] == '{' || text[i + 1] == '#'))
			return rt_err_set(err, -EINVAL,
					  "%s:%u:%u: a jinja2 template that was not "
					  "rendered: have sonic-cfggen render it first",
					  name, line, column);
		if (text[i] == '\n') {
			line++;
			column = 0;
		}
	}
	return 0;
}

static int read_doc(struct sonic_reader *reader, const struct rt_doc *doc)
{
	const char *name = reader->sw->file;

	if (!doc->root ||
	    (doc->root->kind != RT_NODE_MAP && doc->root->kind != RT_NODE_SEQ))
		return rt_err_set(reader->err, -EINVAL,
				  "%s:1:1: no JSON object or list, so no config_db",
				  name);
	reader->host = find_host(doc->root);
	read_root(reader, doc->root);
	if (reader->failed == -ENOMEM)
		return rt_err_sys(reader->err, -ENOMEM, "%s: cannot hold the switch",
				  name);
	if (reader->failed)
		return reader->failed;
	if (!reader->has_qos)
		return rt_err_set(reader->err, -EINVAL,
				  "%s:1:1: none of SONiC's tables about QoS is in it "
				  "(PORT_QOS_MAP, QUEUE, WRED_PROFILE, ...)",
				  name);
	sonic_defaults(reader);
	return reader->failed;
}

static int sonic_parse(struct rt_switch *sw, const char *text, size_t bytes,
		       struct rt_findings *complaints, struct rt_err *err)
{
	RT_AUTO(rt_auto_doc_free) struct rt_doc *doc = NULL;
	RT_AUTO(rt_auto_free) struct sonic_reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return rt_err_sys(err, -ENOMEM, "%s: cannot hold the switch", sw->file);
	*reader =
		(struct sonic_reader){ .sw = sw, .complaints = complaints, .err = err };
	r = rt_doc_parse_all(sw->file, text, bytes, &doc, err);
	if (r == -EINVAL) {
		const int template = tell_template(sw->file, text, bytes, err);

		return template ? template : r;
	}
	return r < 0 ? r : read_doc(reader, doc);
}

const struct rt_nos rt_nos_sonic = {
	.name = "sonic",
	.help = "SONiC: config_db.json, qos.json, or a patch of them",
	.recognise = sonic_recognise,
	.parse = sonic_parse,
	.export = sonic_export,
};
