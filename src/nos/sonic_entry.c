/* SPDX-License-Identifier: BSD-2-Clause */
/* sonic_entry.c - SONiC: one entry of a table, by what its key is about. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "nos/sonic.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

/* Values stored for one file: lists times ranges must not become a day's work. */
#define WORK_MAX 4000000u

int sonic_fail(struct sonic_reader *reader, int code)
{
	if (reader->failed == 0)
		reader->failed = code;
	return code;
}

void sonic_tell_twice(struct sonic_reader *reader, const struct rt_node *node)
{
	const struct rt_place place = sonic_key_place(reader, node);

	if (node->first)
		rt_switch_tell(reader->complaints, RT_SWITCH_TWICE, &place,
			       "'%.80s' also stands in line %u; both were read",
			       node->key, node->first->key_line);
}

void sonic_tell_key(struct sonic_reader *reader, const struct rt_node *at,
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
		sonic_fail(reader, rt_err_set(reader->err, -EFBIG,
					      "%s: more than %u values of ports",
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
		sonic_tell_twice(reader, node);
		if (!field)
			tell_not_read(reader, node, table->name);
		else if (field->type != SONIC_SKIP &&
			 sonic_value_read(reader, field, node, &value))
			store(reader, target, field, &value);
		if (reader->failed)
			return;
	}
}

void *sonic_make(struct sonic_reader *reader, enum rt_switch_kind kind,
		 const char *name, size_t bytes, const struct rt_place *place)
{
	struct rt_err why = { 0 };
	void *object = rt_switch_make(reader->sw, kind, name, bytes, place, &why);

	if (!object)
		sonic_fail(reader, rt_err_set(reader->err, why.code, "%s", why.msg));
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
	port = sonic_make(reader, RT_SWITCH_PORT, whole, (size_t)length, place);
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

static void read_map(struct sonic_reader *reader, const struct sonic_entry *entry,
		     struct rt_switch_map *map)
{
	rt_node_for_each (node, entry->fields) {
		const struct rt_place place = sonic_place(reader, node);
		unsigned from, high;
		const char *literal;
		uint64_t to;

		sonic_tell_twice(reader, node);
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
			sonic_fail(reader, -ENOMEM);
			return;
		}
		map->to[from] = rt_switch_said(to, literal, place);
	}
}

static void entry_of_name(struct sonic_reader *reader, const struct sonic_entry *entry)
{
	const struct rt_place place = sonic_key_place(reader, entry->at);
	void *object;

	if (!*entry->key) {
		sonic_tell_key(reader, entry->at, entry->table, "a name");
		return;
	}
	object = sonic_make(reader, entry->table->kind, entry->key, strlen(entry->key),
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
static void entry_global(struct sonic_reader *reader, const struct sonic_entry *entry)
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
static void note_ports(struct sonic_reader *reader, const struct sonic_entry *entry)
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

static void entry_of_ports(struct sonic_reader *reader, const struct sonic_entry *entry)
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
		sonic_tell_key(reader, entry->at, entry->table,
			       "a port or a list of ports");
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
static bool is_remote(const struct sonic_reader *reader,
		      const struct sonic_entry *entry, size_t host_bytes)
{
	if (reader->host)
		return strncmp(entry->key, reader->host, host_bytes) != 0 ||
		       reader->host[host_bytes];
	return !rt_node_get(entry->fields, "scheduler");
}

static void entry_of_index(struct sonic_reader *reader, const struct sonic_entry *entry)
{
	const struct rt_place place = sonic_key_place(reader, entry->at);
	const char *last = strrchr(entry->key, '|');
	const char *first = strchr(entry->key, '|'), *ports = entry->key;
	char prefix[100] = "";

	if (!last || !read_range(last + 1, &reader->low, &reader->high)) {
		sonic_tell_key(reader, entry->at, entry->table,
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
		sonic_tell_key(reader, entry->at, entry->table,
			       "ports and a number, such as Ethernet0|3");
		return;
	}
	if (reader->low >= entry->table->most) /* queues of the CPU port */
		return;
	if (reader->high >= entry->table->most)
		reader->high = entry->table->most - 1;
	read_fields(reader, &(struct target){ entry->table, NULL }, entry->fields);
}

static void entry_of_cable(struct sonic_reader *reader, const struct sonic_entry *entry)
{
	rt_node_for_each (node, entry->fields) {
		const struct rt_place place = sonic_place(reader, node);
		struct rt_switch_port *port;
		const char *literal;
		uint64_t length_mm;

		sonic_tell_twice(reader, node);
		if (node->kind != RT_NODE_SCALAR ||
		    rt_unit_parse(RT_UNIT_LENGTH, node->text, &length_mm, NULL) < 0) {
			rt_switch_tell(reader->complaints, RT_SWITCH_BAD_VALUE, &place,
				       "the cable of %.60s is '%.40s', not a length "
				       "such as 40m",
				       node->key, node->text ? node->text : "");
			continue;
		}
		port = sonic_make(reader, RT_SWITCH_PORT, node->key, strlen(node->key),
				  &place);
		literal = rt_switch_text(reader->sw, node->text, strlen(node->text));
		if (!port || !literal) {
			sonic_fail(reader, -ENOMEM);
			return;
		}
		port->cable = rt_switch_said(length_mm, literal, place);
	}
}

void sonic_entry_read(struct sonic_reader *reader, struct sonic_entry entry)
{
	const struct rt_node *value = rt_node_get(entry.fields, "value");
	const struct rt_node *type = rt_node_get(entry.fields, "type");

	/* A dump of redis wraps the fields. */
	if (value && value->kind == RT_NODE_MAP && type && type->text &&
	    strcmp(type->text, "hash") == 0)
		entry.fields = value;
	if (entry.fields->kind != RT_NODE_MAP && entry.fields->kind != RT_NODE_NULL) {
		sonic_tell_key(reader, entry.at, entry.table, "a map of fields");
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
