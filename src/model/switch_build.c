/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_build.c - objects of a switch by name, and what its readers complain of. */
#include "model/switch_build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "rocetune/err.h"

#define COMPLAINTS_MAX 100

/* Texts of the switch, freed together. */
struct chunk {
	struct chunk *next;
	size_t used, size;
	char data[];
};

/* A name in the hash table: of which kind, and where in the kind's array. */
struct slot {
	uint64_t hash;
	size_t index;
	unsigned char kind;
	bool used;
};

struct rt_switch_store {
	struct chunk *chunks;
	struct slot *slots;
	size_t slot_count, slots_used;
	size_t capacity[RT_SWITCH_KINDS]; /* of the array, by its first kind */
};

/* Where the objects of a kind are; the kinds of maps share one array. */
struct shelf {
	size_t items, count, size;
	unsigned first; /* kind that stands for the array */
	unsigned most;
};

#define SHELF(member, member_count, type, first_, most_)                         \
	{                                                                        \
		.items = offsetof(struct rt_switch, member),                     \
		.count = offsetof(struct rt_switch, member_count),               \
		.size = sizeof(struct type), .first = (first_), .most = (most_), \
	}
#define MAPS \
	SHELF(maps, map_count, rt_switch_map, RT_SWITCH_DSCP_TC, RT_SWITCH_OBJECTS_MAX)

static const struct shelf shelves[RT_SWITCH_KINDS] = {
	[RT_SWITCH_PORT] = SHELF(ports, port_count, rt_switch_port, RT_SWITCH_PORT,
				 RT_SWITCH_PORTS_MAX),
	[RT_SWITCH_TEMPLATE] = SHELF(templates, template_count, rt_switch_port,
				     RT_SWITCH_TEMPLATE, RT_SWITCH_OBJECTS_MAX),
	[RT_SWITCH_DSCP_TC] = MAPS,
	[RT_SWITCH_PCP_TC] = MAPS,
	[RT_SWITCH_TC_QUEUE] = MAPS,
	[RT_SWITCH_TC_PG] = MAPS,
	[RT_SWITCH_PFC_QUEUE] = MAPS,
	[RT_SWITCH_PFC_PG] = MAPS,
	[RT_SWITCH_WRED] = SHELF(wreds, wred_count, rt_switch_wred, RT_SWITCH_WRED,
				 RT_SWITCH_OBJECTS_MAX),
	[RT_SWITCH_SCHED] = SHELF(scheds, sched_count, rt_switch_sched, RT_SWITCH_SCHED,
				  RT_SWITCH_OBJECTS_MAX),
	[RT_SWITCH_BUFFER] = SHELF(buffers, buffer_count, rt_switch_buffer,
				   RT_SWITCH_BUFFER, RT_SWITCH_OBJECTS_MAX),
	[RT_SWITCH_POOL] = SHELF(pools, pool_count, rt_switch_pool, RT_SWITCH_POOL,
				 RT_SWITCH_OBJECTS_MAX),
};

const char *const rt_switch_kind_names[RT_SWITCH_KINDS] = {
	[RT_SWITCH_PORT] = "port",
	[RT_SWITCH_TEMPLATE] = "QoS profile",
	[RT_SWITCH_DSCP_TC] = "DSCP to traffic class map",
	[RT_SWITCH_PCP_TC] = "PCP to traffic class map",
	[RT_SWITCH_TC_QUEUE] = "traffic class to queue map",
	[RT_SWITCH_TC_PG] = "traffic class to priority group map",
	[RT_SWITCH_PFC_QUEUE] = "PFC priority to queue map",
	[RT_SWITCH_PFC_PG] = "PFC priority to priority group map",
	[RT_SWITCH_WRED] = "WRED profile",
	[RT_SWITCH_SCHED] = "scheduler",
	[RT_SWITCH_BUFFER] = "buffer profile",
	[RT_SWITCH_POOL] = "buffer pool",
};

int rt_switch_new(const char *nos, const char *file, struct rt_switch **ret_sw,
		  struct rt_err *err)
{
	RT_AUTO(rt_auto_switch_free) struct rt_switch *sw = calloc(1, sizeof(*sw));

	if (sw)
		sw->store = calloc(1, sizeof(*sw->store));
	if (sw && sw->store)
		sw->file = rt_switch_text(sw, file, strlen(file));
	if (!sw || !sw->file)
		return rt_err_sys(err, -ENOMEM, "cannot hold the switch");
	sw->nos = nos;
	*ret_sw = rt_steal(&sw);
	return 0;
}

void rt_switch_free(struct rt_switch *sw)
{
	if (!sw)
		return;
	for (struct chunk *chunk = sw->store ? sw->store->chunks : NULL, *next; chunk;
	     chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	if (sw->store)
		free(sw->store->slots);
	free(sw->store);
	free(sw->ports);
	free(sw->templates);
	free(sw->maps);
	free(sw->wreds);
	free(sw->scheds);
	free(sw->buffers);
	free(sw->pools);
	free(sw->headroom.rows);
	free(sw);
}

void rt_auto_switch_free(struct rt_switch **sw)
{
	rt_switch_free(*sw);
}

const char *rt_switch_text(struct rt_switch *sw, const char *text, size_t bytes)
{
	struct chunk *chunk = sw->store->chunks;
	char *copy;

	if (!chunk || chunk->size - chunk->used <= bytes) {
		const size_t size = bytes < 16384 ? 16384 : bytes + 1;

		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){ .next = sw->store->chunks, .size = size };
		sw->store->chunks = chunk;
	}
	copy = chunk->data + chunk->used;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	chunk->used += bytes + 1;
	return copy;
}

/* --- objects by name --------------------------------------------------------- */

static char *items_of(const struct rt_switch *sw, const struct shelf *shelf)
{
	return *(char *const *)((const char *)sw + shelf->items);
}

static size_t *count_of(struct rt_switch *sw, const struct shelf *shelf)
{
	return (size_t *)((char *)sw + shelf->count);
}

static uint64_t name_hash(enum rt_switch_kind kind, const char *name, size_t bytes)
{
	return rt_hash_pair(kind, rt_hash_bytes(name, bytes));
}

/* The slot of this name, or the free one where it would go; NULL: no table yet. */
static struct slot *slot_of(const struct rt_switch *sw, enum rt_switch_kind kind,
			    const char *name, size_t bytes)
{
	const struct rt_switch_store *store = sw->store;
	const uint64_t hash = name_hash(kind, name, bytes);
	const struct shelf *shelf = &shelves[kind];

	if (store->slot_count == 0)
		return NULL;
	for (size_t i = hash & (store->slot_count - 1);;
	     i = (i + 1) & (store->slot_count - 1)) {
		struct slot *slot = &store->slots[i];
		const struct rt_switch_object *object;

		if (!slot->used)
			return slot;
		if (slot->hash != hash || slot->kind != kind)
			continue;
		object = (const void *)(items_of(sw, shelf) +
					slot->index * shelf->size);
		if (strncmp(object->name, name, bytes) == 0 && !object->name[bytes])
			return slot;
	}
}

/* Room for one more name at no more than half load. */
static int grow_slots(struct rt_switch_store *store)
{
	const size_t wanted = store->slot_count ? store->slot_count * 2 : 256;
	struct slot *slots;

	if (store->slots_used * 2 < store->slot_count)
		return 0;
	slots = calloc(wanted, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < store->slot_count; i++) {
		size_t at = store->slots[i].hash & (wanted - 1);

		if (!store->slots[i].used)
			continue;
		while (slots[at].used)
			at = (at + 1) & (wanted - 1);
		slots[at] = store->slots[i];
	}
	free(store->slots);
	store->slots = slots;
	store->slot_count = wanted;
	return 0;
}

void *rt_switch_object(const struct rt_switch *sw, enum rt_switch_kind kind,
		       const char *name, size_t bytes)
{
	const struct slot *slot = slot_of(sw, kind, name, bytes);

	if (!slot || !slot->used)
		return NULL;
	return items_of(sw, &shelves[kind]) + slot->index * shelves[kind].size;
}

/* One zeroed object more at the end of the kind's array. */
static void *add(struct rt_switch *sw, enum rt_switch_kind kind, struct rt_err *err)
{
	const struct shelf *shelf = &shelves[kind];
	size_t *const count = count_of(sw, shelf);
	char *items;

	if (*count >= shelf->most) {
		rt_err_set(err, -EFBIG, "%s: more than %u of a kind: %s", sw->file,
			   shelf->most, rt_switch_kind_names[kind]);
		return NULL;
	}
	items = rt_grow(items_of(sw, shelf), *count, &sw->store->capacity[shelf->first],
			shelf->size);
	if (!items) {
		rt_err_sys(err, -ENOMEM, "%s: cannot hold the switch", sw->file);
		return NULL;
	}
	*(char **)((char *)sw + shelf->items) = items;
	return memset(items + (*count)++ * shelf->size, 0, shelf->size);
}

void *rt_switch_make(struct rt_switch *sw, enum rt_switch_kind kind, const char *name,
		     size_t bytes, const struct rt_place *place, struct rt_err *err)
{
	struct rt_switch_object *object = rt_switch_object(sw, kind, name, bytes);
	const char *copy;
	struct slot *slot;

	if (object)
		return object;
	copy = rt_switch_text(sw, name, bytes);
	if (!copy || grow_slots(sw->store) < 0) {
		rt_err_sys(err, -ENOMEM, "%s: cannot hold the switch", sw->file);
		return NULL;
	}
	object = add(sw, kind, err);
	if (!object)
		return NULL;
	object->name = copy;
	if (place)
		object->place = *place;
	if (kind >= RT_SWITCH_DSCP_TC && kind <= RT_SWITCH_PFC_PG)
		((struct rt_switch_map *)object)->kind = kind;
	slot = slot_of(sw, kind, name, bytes);
	slot->used = true;
	slot->hash = name_hash(kind, name, bytes);
	slot->kind = (unsigned char)kind;
	slot->index = *count_of(sw, &shelves[kind]) - 1;
	sw->store->slots_used++;
	return object;
}

/* --- complaints ---------------------------------------------------------------- */

/* Readers make these findings themselves. */
static void no_check(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	(void)rule;
	(void)subject;
	(void)findings;
}

const struct rt_rule rt_switch_reader_rules[] = {
	[RT_SWITCH_BAD_VALUE] = {
		.id = "switch-value",
		.severity = RT_SEVERITY_ERROR,
		.title = "A value the switch cannot take",
		.explain = "What this field holds is no value of its kind, or outside "
			   "of what the switch's schema allows; it counts as unknown.",
		.remedy = "Correct the value at the place given.",
		.check = no_check,
	},
	[RT_SWITCH_BLANKS] = {
		.id = "switch-blank-in-number",
		.severity = RT_SEVERITY_WARN,
		.title = "A number with blanks around it",
		.explain = "Some readers skip the blank and some refuse the value: "
			   "sonic-buildimage pull 25626 shipped ' 166912'.",
		.remedy = "Remove the blank.",
		.check = no_check,
	},
	[RT_SWITCH_TWICE] = {
		.id = "switch-key-twice",
		.severity = RT_SEVERITY_ERROR,
		.title = "A key that stands twice in one object",
		.explain = "Readers of JSON keep the last of two equal keys (RFC 8259 "
			   "section 4 leaves it open), so half of what is written is "
			   "lost. Here both were read.",
		.remedy = "Merge the two into one.",
		.check = no_check,
	},
	[RT_SWITCH_DANGLING] = {
		.id = "switch-dangling-reference",
		.severity = RT_SEVERITY_ERROR,
		.title = "A name that nothing defines",
		.explain = "The switch ignores the binding or refuses all of the "
			   "object, so the port lacks what it seems to have.",
		.remedy = "Define the object, or correct the name.",
		.check = no_check,
	},
	[RT_SWITCH_NOT_READ] = {
		.id = "switch-not-read",
		.severity = RT_SEVERITY_UNKNOWN,
		.title = "A line about QoS that is not understood",
		.explain = "It may change what was read from the other lines; nothing "
			   "was taken from it.",
		.remedy = "Look at the line yourself.",
		.check = no_check,
	},
	[RT_SWITCH_NOT_WRITTEN] = {
		.id = "switch-not-written",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch system cannot hold this of the profile",
		.explain = "It was left out, or written as the nearest that the system "
			   "takes.",
		.remedy = "Change the profile, or set it on the switch by hand.",
		.check = no_check,
	},
	[RT_SWITCH_UNATTACHED] = {
		.id = "switch-profile-unattached",
		.severity = RT_SEVERITY_WARN,
		.title = "A profile with PFC or ECN that no interface has",
		.explain = "A QoS profile does nothing until an interface names it as "
			   "its service-profile.",
		.remedy = "Attach it, or remove it.",
		.check = no_check,
	},
};

const size_t rt_switch_reader_rule_count = RT_ARRAY_SIZE(rt_switch_reader_rules);

void rt_switch_tell(struct rt_findings *complaints, enum rt_switch_complaint kind,
		    const struct rt_place *place, const char *fmt, ...)
{
	char where[RT_PLACE_TEXT_BYTES], evidence[300];
	va_list args;

	if (!complaints || complaints->count >= COMPLAINTS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(evidence, sizeof(evidence), fmt, args);
	va_end(args);
	rt_findings_add(complaints, &rt_switch_reader_rules[kind],
			rt_place_format(place, where), "%s", evidence);
}

/* --- references ---------------------------------------------------------------- */

/* A reference inside an owner: once, or once per element of an array. */
struct ref_row {
	size_t offset;
	enum rt_switch_kind kind;
	unsigned count;
	size_t stride;
};

#define MAP_REF(kind_)                                                                \
	{                                                                             \
		.offset = offsetof(struct rt_switch_port, maps) +                     \
			  (kind_ - RT_SWITCH_DSCP_TC) * sizeof(struct rt_switch_ref), \
		.kind = (kind_), .count = 1                                           \
	}
#define QUEUE_REF(member, kind_)                                    \
	{                                                           \
		.offset = offsetof(struct rt_switch_port, queues) + \
			  offsetof(struct rt_switch_queue, member), \
		.kind = (kind_), .count = RT_SWITCH_QUEUES,         \
		.stride = sizeof(struct rt_switch_queue)            \
	}

static const struct ref_row port_refs[] = {
	MAP_REF(RT_SWITCH_DSCP_TC),
	MAP_REF(RT_SWITCH_PCP_TC),
	MAP_REF(RT_SWITCH_TC_QUEUE),
	MAP_REF(RT_SWITCH_TC_PG),
	MAP_REF(RT_SWITCH_PFC_QUEUE),
	MAP_REF(RT_SWITCH_PFC_PG),
	{ offsetof(struct rt_switch_port, sched), RT_SWITCH_SCHED, 1, 0 },
	{ offsetof(struct rt_switch_port, profile), RT_SWITCH_TEMPLATE, 1, 0 },
	QUEUE_REF(sched, RT_SWITCH_SCHED),
	QUEUE_REF(wred, RT_SWITCH_WRED),
	QUEUE_REF(buffer, RT_SWITCH_BUFFER),
	{ offsetof(struct rt_switch_port, groups) +
		  offsetof(struct rt_switch_pg, buffer),
	  RT_SWITCH_BUFFER, RT_SWITCH_GROUPS, sizeof(struct rt_switch_pg) },
};

static const struct ref_row buffer_refs[] = {
	{ offsetof(struct rt_switch_buffer, pool), RT_SWITCH_POOL, 1, 0 },
};

static const struct ref_row switch_refs[] = {
	{ offsetof(struct rt_switch, global_dscp), RT_SWITCH_DSCP_TC, 1, 0 },
};

static void resolve(const struct rt_switch *sw, struct rt_switch_ref *ref,
		    enum rt_switch_kind kind, struct rt_findings *complaints)
{
	const struct rt_switch_object *object;

	if (!ref->name)
		return;
	object = rt_switch_object(sw, kind, ref->name, strlen(ref->name));
	ref->object = object;
	if (!object)
		rt_switch_tell(complaints, RT_SWITCH_DANGLING, &ref->place,
			       "no %s '%.60s' in this file", rt_switch_kind_names[kind],
			       ref->name);
}

static void resolve_rows(const struct rt_switch *sw, void *owner,
			 const struct ref_row *rows, size_t count,
			 struct rt_findings *complaints)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned j = 0; j < rows[i].count; j++)
			resolve(sw,
				(struct rt_switch_ref *)((char *)owner +
							 rows[i].offset +
							 j * rows[i].stride),
				rows[i].kind, complaints);
}

void rt_switch_finish(struct rt_switch *sw, struct rt_findings *complaints)
{
	resolve_rows(sw, sw, switch_refs, RT_ARRAY_SIZE(switch_refs), complaints);
	for (size_t i = 0; i < sw->buffer_count; i++)
		resolve_rows(sw, &sw->buffers[i], buffer_refs,
			     RT_ARRAY_SIZE(buffer_refs), complaints);
	for (size_t i = 0; i < sw->template_count; i++)
		resolve_rows(sw, &sw->templates[i], port_refs, RT_ARRAY_SIZE(port_refs),
			     complaints);
	for (size_t i = 0; i < sw->port_count; i++)
		resolve_rows(sw, &sw->ports[i], port_refs, RT_ARRAY_SIZE(port_refs),
			     complaints);
}
