/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sonic.h - what the files about SONiC share: the tables of config_db and their
 * fields as rows.
 *
 * Sources: sonic-net/sonic-buildimage src/sonic-yang-models (names, ranges) and
 * files/build_templates/qos_config.j2; sonic-net/sonic-swss orchagent/qosorch.cpp,
 * cfgmgr/buffermgr.cpp (what is programmed where a field is absent).
 */
#ifndef RT_NOS_SONIC_H
#define RT_NOS_SONIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/switch_build.h"

struct rt_doc;
struct rt_node;

/* How the key of an entry says what it is about. */
enum sonic_key {
	SONIC_KEY_NAME,  /* the name of one object */
	SONIC_KEY_PORTS, /* a port or several: Ethernet0,Ethernet4 */
	SONIC_KEY_INDEX, /* ports and a number or range: Ethernet0|3-4 */
	SONIC_KEY_ONE,   /* there is only one: localhost */
	SONIC_KEY_CABLE, /* any; the fields are ports */
	SONIC_KEY_KNOWN, /* about QoS, but nothing here needs it */
};

enum sonic_type {
	SONIC_NUMBER, /* decimal, times scale */
	SONIC_NAMES,  /* one of names */
	SONIC_MASK,   /* "3,4": priorities; "" is none */
	SONIC_ALPHA,  /* exponent of two */
	SONIC_TEXT,
	SONIC_REF,
	SONIC_PROFILE, /* SONIC_REF, or NULL into the setting after it */
	SONIC_SKIP,    /* known, and not needed */
};

struct sonic_field {
	const char *name;
	enum sonic_type type;
	size_t offset; /* in the object, queue or group of the table */
	uint64_t scale, min, max;
	const struct rt_name *names;
	enum rt_switch_kind kind; /* of SONIC_REF */
	const char *table;        /* that a bracketed reference has to name */
};

struct sonic_table {
	const char *name;
	enum sonic_key key;
	enum rt_switch_kind kind;
	const struct sonic_field *fields;
	size_t field_count;
	size_t offset, stride; /* SONIC_KEY_INDEX: of the array in a port */
	unsigned most;         /* indices below it; maps: numbers mapped */
	uint64_t map_max;      /* of a map's values; 0: no map */
	bool others;           /* fields without a row are not about QoS */
};

/* NULL: not about QoS. */
const struct sonic_table *sonic_table_find(const char *name, size_t bytes);

/* NULL: no such field. */
const struct sonic_field *sonic_field_find(const struct sonic_table *table,
					   const char *name);

/* PFC_WD|GLOBAL, read into the struct rt_switch. */
extern const struct sonic_table sonic_watchdog_global;

struct sonic_reader {
	struct rt_switch *sw;
	struct rt_findings *complaints;
	struct rt_err *err;
	int failed;       /* first error that ends the reading */
	const char *host; /* of a card of a chassis; NULL: not known */
	uint64_t work;    /* values stored so far */
	bool has_port_qos, has_watchdog, has_qos;
	size_t ports[RT_SWITCH_PORTS_MAX]; /* of the entry that is being read */
	size_t port_count;
	unsigned low, high; /* its range of indices */
};

struct rt_place sonic_place(const struct sonic_reader *reader,
			    const struct rt_node *node);
struct rt_place sonic_key_place(const struct sonic_reader *reader,
				const struct rt_node *node);

/* One field's value, ready to be stored in every object it is about. */
struct sonic_value {
	bool is_ref;
	struct rt_switch_ref ref;
	struct rt_setting setting;
};

/* False when it is none; complained of already. */
bool sonic_value_read(struct sonic_reader *reader, const struct sonic_field *field,
		      const struct rt_node *node, struct sonic_value *ret_value);

void sonic_value_store(const struct sonic_field *field, const struct sonic_value *value,
		       void *object);

/* The number in text, which may have blanks around it; complained of. */
bool sonic_number(struct sonic_reader *reader, const struct rt_node *node,
		  uint64_t *ret_number);

/* --- entries -------------------------------------------------------------------- */

/* An entry of a table: its key, and its fields. */
struct sonic_entry {
	const struct sonic_table *table;
	const char *key;
	const struct rt_node *at; /* for its place */
	const struct rt_node *fields;
};

/* Take over what the entry says. */
void sonic_entry_read(struct sonic_reader *reader, struct sonic_entry entry);

/* The object of this name, made when there is none; NULL: reader->failed says why. */
void *sonic_make(struct sonic_reader *reader, enum rt_switch_kind kind,
		 const char *name, size_t bytes, const struct rt_place *place);

/* The first failure ends the reading.  Returns code. */
int sonic_fail(struct sonic_reader *reader, int code);

/* Complain of a key: it stands twice (if it does); it is not what was expected. */
void sonic_tell_twice(struct sonic_reader *reader, const struct rt_node *node);
void sonic_tell_key(struct sonic_reader *reader, const struct rt_node *at,
		    const struct sonic_table *table, const char *expected);

/* What holds where the file says nothing. */
void sonic_defaults(struct sonic_reader *reader);

#endif
