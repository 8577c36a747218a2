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

/* Values stored for one file: lists times ranges must not become a day's work. */
#define WORK_MAX 4000000u

static int fail(struct sonic_reader *reader, int code)
{
	if (reader->failed == 0)
		reader->failed = code;
	return code;
}

static void tell_twice(struct sonic_reader *reader, const struct rt_node *node)
{
	const struct rt_place place = sonic_key_place(reader, node);

	if (node->first)
		rt_switch_tell(reader->complaints, RT_SWITCH_TWICE, &place,
			       "'%.80s' also stands in line %u; both were read",
			       node->key, node->first->key_line);
}

static void tell_key(struct sonic_reader *reader, const struct rt_node *at,
		     const struct sonic_table *table, const char *expected)
{
	const struct rt_place place = sonic_key_place(reader, at);

	rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
		       "key '%.80s' of %s is not %s", at->key ? at->key : "",
		       table->name, expected);
}

static void tell_not_read(struct sonic_reader *reader, const struct rt_node *node,
			  const char *table)
{
	const struct rt_place place = sonic_key_place(reader, node);

	reader->sw->not_read++;
	rt_switch_tell(reader->complaints, RT_SWITCH_NOT_READ, &place,
		       "%.60s of %.60s: no such field is known", node->key, table);
}

/* --- objects an entry is about ---------------------------------------------------- */

/* Where the fields of an entry go: one object, or the reader's ports and range. */
struct target {
	const struct sonic_table *table;
	void *object; /* NULL: the ports */
};

static void store(struct sonic_reader *reader, const struct target *target,
		  const struct sonic_field *field, const struct sonic_value *value)
{
	const struct sonic_table *table = target->table;

	if (target->object) {
		sonic_value_store(field, value, target->object);
		return;
	}
	reader->work += reader->port_count * (reader->high - reader->low + 1);
	if (reader->work > WORK_MAX) {
		fail(reader,
		     rt_err_set(reader->err, -EFBIG, "%s: more than %u values of ports",
				reader->sw->file, WORK_MAX));
		return;
	}
	for (size_t i = 0; i < reader->port_count; i++) {
		char *port = (char *)&reader->sw->ports[reader->ports[i]];

		for (unsigned j = reader->low; j <= reader->high; j++)
			sonic_value_store(field, value,
					  port + table->offset + j * table->stride);
	}
}

static void read_fields(struct sonic_reader *reader, const struct target *target,
			const struct rt_node *fields)
{
	const struct sonic_table *table = target->table;

	rt_node_for_each (node, fields) {
		const struct sonic_field *field = sonic_field_find(table, node->key);
		struct sonic_value value;

		if (!field && table->others)
			continue;
		tell_twice(reader, node);
		if (!field)
			tell_not_read(reader, node, table->name);
		else if (field->type != SONIC_SKIP &&
			 sonic_value_read(reader, field, node, &value))
			store(reader, target, field, &value);
		if (reader->failed)
			return;
	}
}

static void *make(struct sonic_reader *reader, enum rt_switch_kind kind,
		  const char *name, size_t bytes, const struct rt_place *place)
{
	struct rt_err why = { 0 };
	void *object = rt_switch_make(reader->sw, kind, name, bytes, place, &why);

	if (!object)
		fail(reader, rt_err_set(reader->err, why.code, "%s", why.msg));
	return object;
}

/* One port of the entry; prefix: "host|asic|" of a port of another card, or "". */
static bool add_port(struct sonic_reader *reader, const char *prefix, const char *name,
		     size_t bytes, const struct rt_place *place)
{
	struct rt_switch_port *port;
	char whole[200];
	int length;

	if (bytes == 0 || bytes > 64 || reader->port_count == RT_SWITCH_PORTS_MAX)
		return false;
	length = snprintf(whole, sizeof(whole), "%s%.*s", prefix, (int)bytes, name);
	port = make(reader, RT_SWITCH_PORT, whole, (size_t)length, place);
	if (!port)
		return false;
	port->remote = *prefix;
	reader->ports[reader->port_count++] = (size_t)(port - reader->sw->ports);
	return true;
}

/* Ethernet0,Ethernet4 */
static bool add_ports(struct sonic_reader *reader, const char *prefix, const char *list,
		      size_t bytes, const struct rt_place *place)
{
	reader->port_count = 0;
	for (;;) {
		const char *comma = memchr(list, ',', bytes);
		const size_t length = comma ? (size_t)(comma - list) : bytes;

		if (!add_port(reader, prefix, list, length, place))
			return false;
		if (!comma)
			return true;
		list += length + 1;
		bytes -= length + 1;
	}
}

/* 3, or 3-4 */
static bool read_range(const char *text, unsigned *ret_low, unsigned *ret_high)
{
	char *end;

	if (text[0] < '0' || text[0] > '9' || strlen(text) > 7)
		return false;
	*ret_low = *ret_high = (unsigned)strtoul(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*ret_high = (unsigned)strtoul(end + 1, &end, 10);
	return !*end && *ret_low <= *ret_high;
}

/* --- entries by the shape of their key --------------------------------------------- */

/* An entry: what its key is, and its fields. */
struct entry {
	const struct sonic_table *table;
	const char *key;
	const struct rt_node *at; /* for its place */
	const struct rt_node *fields;
};

static void read_map(struct sonic_reader *reader, const struct entry *entry,
		     struct rt_switch_map *map)
{
	rt_node_for_each (node, entry->fields) {
		const struct rt_place place = sonic_place(reader, node);
		unsigned from, high;
		const char *literal;
		uint64_t to;

		tell_twice(reader, node);
		if (!read_range(node->key, &from, &high) || from != high ||
		    from >= entry->table->most || !sonic_number(reader, node, &to) ||
		    to > entry->table->map_max) {
			rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
				       "'%.40s' to '%.40s' is not a number below %u to "
				       "one of at most %" PRIu64,
				       node->key, node->text ? node->text : "",
				       entry->table->most, entry->table->map_max);
			continue;
		}
		literal = rt_switch_text(reader->sw, node->text, strlen(node->text));
		if (!literal) {
			fail(reader, -ENOMEM);
			return;
		}
		map->to[from] = rt_switch_said(to, literal, place);
	}
}

static void entry_of_name(struct sonic_reader *reader, const struct entry *entry)
{
	const struct rt_place place = sonic_key_place(reader, entry->at);
	void *object;

	if (!*entry->key) {
		tell_key(reader, entry->at, entry->table, "a name");
		return;
	}
	object = make(reader, entry->table->kind, entry->key, strlen(entry->key),
		      &place);
	if (!object)
		return;
	if (entry->table->map_max)
		read_map(reader, entry, object);
	else
		read_fields(reader, &(struct target){ entry->table, object },
			    entry->fields);
}

/* PORT_QOS_MAP|global: the DSCP map is all of it that orchagent honours. */
static void entry_global(struct sonic_reader *reader, const struct entry *entry)
{
	rt_node_for_each (node, entry->fields) {
		const struct sonic_field *field = sonic_field_find(entry->table,
								   node->key);
		struct sonic_value value;

		if (!field || field->kind != RT_SWITCH_DSCP_TC ||
		    field->type != SONIC_REF)
			tell_not_read(reader, node, "PORT_QOS_MAP|global");
		else if (sonic_value_read(reader, field, node, &value))
			reader->sw->global_dscp = value.ref;
	}
}

/* What an entry of a table about ports says by being there. */
static void note_ports(struct sonic_reader *reader, const struct entry *entry)
{
	const struct rt_place place = sonic_key_place(reader, entry->at);
	const bool is_port = strcmp(entry->table->name, "PORT") == 0;
	const bool is_watchdog = strcmp(entry->table->name, "PFC_WD") == 0;

	for (size_t i = 0; i < reader->port_count; i++) {
		struct rt_switch_port *port = &reader->sw->ports[reader->ports[i]];

		if (is_port) {
			port->id.place = place;
			rt_switch_default(&port->mtu, 9100, "SONiC's default");
			rt_switch_default(&port->asymmetric, 0, "SONiC's default");
		}
		if (is_watchdog)
			port->watchdog.on = rt_switch_said(1, "an entry of PFC_WD",
							   place);
	}
}

static void entry_of_ports(struct sonic_reader *reader, const struct entry *entry)
{
	const struct rt_place place = sonic_key_place(reader, entry->at);
	const bool is_qos = strcmp(entry->table->name, "PORT_QOS_MAP") == 0;
	const bool is_watchdog = strcmp(entry->table->name, "PFC_WD") == 0;

	reader->has_port_qos = reader->has_port_qos || is_qos;
	reader->has_watchdog = reader->has_watchdog || is_watchdog;
	if (is_qos && strcmp(entry->key, "global") == 0) {
		entry_global(reader, entry);
	} else if (is_watchdog && strcmp(entry->key, "GLOBAL") == 0) {
		read_fields(reader,
			    &(struct target){ &sonic_watchdog_global, reader->sw },
			    entry->fields);
	} else if (!add_ports(reader, "", entry->key, strlen(entry->key), &place)) {
		tell_key(reader, entry->at, entry->table, "a port or a list of ports");
	} else {
		reader->low = reader->high = 0;
		note_ports(reader, entry);
		read_fields(reader, &(struct target){ entry->table, NULL },
			    entry->fields);
	}
}

/*
 * "host|asic|" of a port of another card of a chassis.  A card's own ports are those
 * of the database's host; where that is not known, those with a scheduler, which
 * only the active card binds (sonic-swss orchagent/qosorch.cpp).
 */
static bool is_remote(const struct sonic_reader *reader, const struct entry *entry,
		      size_t host_bytes)
{
	if (reader->host)
		return strncmp(entry->key, reader->host, host_bytes) != 0 ||
		       reader->host[host_bytes];
	return !rt_node_get(entry->fields, "scheduler");
}

static void entry_of_index(struct sonic_reader *reader, const struct entry *entry)
{
	const struct rt_place place = sonic_key_place(reader, entry->at);
	const char *last = strrchr(entry->key, '|');
	const char *first = strchr(entry->key, '|'), *ports = entry->key;
	char prefix[100] = "";

	if (!last || !read_range(last + 1, &reader->low, &reader->high)) {
		tell_key(reader, entry->at, entry->table,
			 "ports and a number, such as Ethernet0|3");
		return;
	}
	if (first != last) { /* host|asic|port|number */
		const char *second = strchr(first + 1, '|');

		ports = second != last ? second + 1 : first + 1;
		if (is_remote(reader, entry, (size_t)(first - entry->key)) &&
		    (size_t)(ports - entry->key) < sizeof(prefix))
			snprintf(prefix, sizeof(prefix), "%.*s",
				 (int)(ports - entry->key), entry->key);
	}
	if (!add_ports(reader, prefix, ports, (size_t)(last - ports), &place)) {
		tell_key(reader, entry->at, entry->table,
			 "ports and a number, such as Ethernet0|3");
		return;
	}
	if (reader->low >= entry->table->most) /* queues of the CPU port */
		return;
	if (reader->high >= entry->table->most)
		reader->high = entry->table->most - 1;
	read_fields(reader, &(struct target){ entry->table, NULL }, entry->fields);
}

static void entry_of_cable(struct sonic_reader *reader, const struct entry *entry)
{
	rt_node_for_each (node, entry->fields) {
		const struct rt_place place = sonic_place(reader, node);
		struct rt_switch_port *port;
		const char *literal;
		uint64_t length_mm;

		tell_twice(reader, node);
		if (node->kind != RT_NODE_SCALAR ||
		    rt_unit_parse(RT_UNIT_LENGTH, node->text, &length_mm, NULL) < 0) {
			rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
				       "the cable of %.60s is '%.40s', not a length "
				       "such as 40m",
				       node->key, node->text ? node->text : "");
			continue;
		}
		port = make(reader, RT_SWITCH_PORT, node->key, strlen(node->key),
			    &place);
		literal = rt_switch_text(reader->sw, node->text, strlen(node->text));
		if (!port || !literal) {
			fail(reader, -ENOMEM);
			return;
		}
		port->cable = rt_switch_said(length_mm, literal, place);
	}
}

static void read_entry(struct sonic_reader *reader, struct entry entry)
{
	const struct rt_node *value = rt_node_get(entry.fields, "value");
	const struct rt_node *type = rt_node_get(entry.fields, "type");

	/* A dump of redis wraps the fields. */
	if (value && value->kind == RT_NODE_MAP && type && type->text &&
	    strcmp(type->text, "hash") == 0)
		entry.fields = value;
	if (entry.fields->kind != RT_NODE_MAP && entry.fields->kind != RT_NODE_NULL) {
		tell_key(reader, entry.at, entry.table, "a map of fields");
		return;
	}
	reader->has_qos = true;
	if (strcmp(entry.table->name, "PORT") == 0)
		reader->sw->has_ports = true;
	if (strcmp(entry.table->name, "BUFFER_PG") == 0)
		reader->sw->has_groups = true;
	switch (entry.table->key) {
	case SONIC_KEY_NAME: entry_of_name(reader, &entry); break;
	case SONIC_KEY_PORTS: entry_of_ports(reader, &entry); break;
	case SONIC_KEY_INDEX: entry_of_index(reader, &entry); break;
	case SONIC_KEY_CABLE: entry_of_cable(reader, &entry); break;
	case SONIC_KEY_ONE:
		read_fields(reader, &(struct target){ entry.table, reader->sw },
			    entry.fields);
		break;
	case SONIC_KEY_KNOWN: break;
	}
}

/* --- shapes of files --------------------------------------------------------------- */

static void read_table(struct sonic_reader *reader, const struct sonic_table *table,
		       const struct rt_node *node)
{
	tell_twice(reader, node);
	if (node->kind == RT_NODE_NULL)
		return;
	if (node->kind != RT_NODE_MAP) {
		tell_key(reader, node, table, "a map of entries");
		return;
	}
	/* An empty table still says that no port has any of it. */
	reader->has_qos = true;
	if (strcmp(table->name, "PORT_QOS_MAP") == 0)
		reader->has_port_qos = true;
	rt_node_for_each (item, node) {
		tell_twice(reader, item);
		read_entry(reader, (struct entry){ table, item->key, item, item });
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
			tell_twice(reader, node);
			read_entry(reader,
				   (struct entry){ table, bar + 1, node, node });
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
		read_entry(reader, (struct entry){ table, parts[1], &named, value });
	} else {
		struct rt_node field = *value, map = *value;

		field.key = parts[2];
		field.first = NULL;
		field.next = NULL;
		map.kind = RT_NODE_MAP;
		map.key = parts[1];
		map.child = &field;
		read_entry(reader, (struct entry){ table, parts[1], &map, &map });
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

/* --- what holds without being said --------------------------------------------------- */

static void default_wred(struct rt_switch_wred *wred)
{
	rt_switch_default(&wred->ecn, 0, "SONiC's default: ecn_none");
	for (unsigned i = 0; i < RT_SWITCH_COLOURS; i++) {
		struct rt_switch_wred_colour *colour = &wred->colour[i];

		rt_switch_default(&colour->enable, 0, "SONiC's default: off");
		if (colour->enable.number && rt_setting_known(&colour->kmax))
			rt_switch_default(&colour->pmax, RT_PPB,
					  "orchagent takes 100 % where it is absent");
	}
}

static void default_pfc(struct rt_switch_port *port)
{
	rt_switch_default(&port->pfc, 0, "no pfc_enable: PFC is off");
	port->pfc_tx = port->pfc;
	if (rt_setting_known(&port->asymmetric) && port->asymmetric.number)
		port->pfc_rx = rt_switch_implied(
			0xff, "pfc_asym: PAUSE of every priority is obeyed");
	else
		port->pfc_rx = port->pfc;
}

static void default_trust(const struct rt_switch *sw, struct rt_switch_port *port)
{
	const bool by_dscp = port->maps[rt_switch_map_slot(RT_SWITCH_DSCP_TC)].name ||
			     sw->global_dscp.name;
	const bool by_pcp = port->maps[rt_switch_map_slot(RT_SWITCH_PCP_TC)].name;

	if (by_dscp)
		rt_switch_default(&port->trust, by_pcp ? RT_TRUST_BOTH : RT_TRUST_DSCP,
				  "a DSCP map is bound");
	else if (by_pcp)
		rt_switch_default(&port->trust, RT_TRUST_PCP,
				  "only a map of VLAN priorities is bound");
}

/*
 * The template binds this map on two vendors' chips only; on the others priority n
 * is sent for group n, which is the hardware's default.
 */
#define NO_PFC_PG "(no pfc_to_pg_map)"
static bool default_pfc_pg(struct sonic_reader *reader)
{
	struct rt_switch_map *map = make(reader, RT_SWITCH_PFC_PG, NO_PFC_PG,
					 strlen(NO_PFC_PG), NULL);

	for (unsigned i = 0; map && i < RT_SWITCH_PRIOS; i++)
		map->to[i] = rt_switch_implied(i, "no pfc_to_pg_map: priority n is "
						  "sent for group n");
	return map;
}

void sonic_defaults(struct sonic_reader *reader)
{
	struct rt_switch *sw = reader->sw;
	const size_t pfc_pg = rt_switch_map_slot(RT_SWITCH_PFC_PG);

	for (size_t i = 0; i < sw->wred_count; i++)
		default_wred(&sw->wreds[i]);
	if (!reader->has_port_qos || !default_pfc_pg(reader))
		return;
	for (size_t i = 0; i < sw->port_count; i++) {
		struct rt_switch_port *port = &sw->ports[i];

		if (port->remote)
			continue;
		default_pfc(port);
		default_trust(sw, port);
		if (!port->maps[pfc_pg].name)
			port->maps[pfc_pg].name = NO_PFC_PG;
		if (reader->has_watchdog)
			rt_switch_default(&port->watchdog.on, 0,
					  "no entry of PFC_WD: not watched");
	}
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
