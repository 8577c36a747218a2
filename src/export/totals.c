/* SPDX-License-Identifier: BSD-2-Clause */
/* totals.c - what narrow counters passed, by port. */
#include "export/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "watch/watch.h"

/* A narrow counter; it stays when its item goes, for it may come back. */
struct narrow {
	unsigned counter, source;
	uint8_t prio;
	char name[RT_COUNTER_NAME_BYTES];
	uint64_t last, passed;
};

#define WIDE SIZE_MAX

struct port {
	struct narrow *narrows; /* owned */
	size_t narrow_count, narrow_capacity;
	uint64_t layout; /* of which the map is */
	size_t *map;     /* owned; by item: its narrow, or WIDE */
	size_t item_count;
};

struct rt_totals {
	struct port *ports; /* owned; by port number */
	size_t count;
};

struct rt_totals *rt_totals_new(void)
{
	return calloc(1, sizeof(struct rt_totals));
}

void rt_totals_free(struct rt_totals *totals)
{
	if (!totals)
		return;
	for (size_t i = 0; i < totals->count; i++) {
		free(totals->ports[i].narrows);
		free(totals->ports[i].map);
	}
	free(totals->ports);
	free(totals);
}

static size_t find_narrow(const struct port *port, const struct rt_counter_reading *of)
{
	for (size_t i = 0; i < port->narrow_count; i++) {
		const struct narrow *narrow = &port->narrows[i];

		if (narrow->counter == of->counter && narrow->prio == of->prio &&
		    narrow->source == of->source && strcmp(narrow->name, of->name) == 0)
			return i;
	}
	return WIDE;
}

static int add_narrow(struct port *port, const struct rt_counter_reading *of,
		      size_t *ret_at)
{
	struct narrow *narrows = rt_grow(port->narrows, port->narrow_count,
					 &port->narrow_capacity, sizeof(*narrows));
	struct narrow *narrow;

	if (!narrows)
		return -ENOMEM;
	port->narrows = narrows;
	narrow = &narrows[port->narrow_count];
	*narrow = (struct narrow){ .counter = of->counter,
				   .source = of->source,
				   .prio = of->prio,
				   .last = of->value };
	memcpy(narrow->name, of->name, sizeof(narrow->name));
	*ret_at = port->narrow_count++;
	return 0;
}

/* Which item is which, when that changed. */
static int map_items(struct port *port, const struct rt_counter_set *set)
{
	size_t *map = calloc(set->count ? set->count : 1, sizeof(*map));
	int r = map ? 0 : -ENOMEM;

	for (size_t i = 0; i < set->count && r == 0; i++) {
		const struct rt_counter_reading *item = &set->items[i];

		map[i] = item->bits < 64 ? find_narrow(port, item) : WIDE;
		if (item->bits < 64 && map[i] == WIDE)
			r = add_narrow(port, item, &map[i]);
	}
	if (r < 0) {
		free(map);
		return r;
	}
	free(port->map);
	port->map = map;
	port->item_count = set->count;
	port->layout = set->layout;
	return 0;
}

static void follow_item(struct narrow *narrow, const struct rt_counter_reading *item,
			float per_s)
{
	const uint64_t last = narrow->last;
	uint64_t added;

	narrow->last = item->value;
	if (item->value >= last)
		return;
	if (isnan(per_s) || !rt_counter_passed_end(item, last, &added))
		narrow->passed = 0;
	else
		narrow->passed += added + last - item->value;
}

static int follow_port(struct port *port, const struct rt_watch_view *view)
{
	const struct rt_counter_set *set = view->set;
	int r = 0;

	if (!port->map || !set->layout || port->layout != set->layout ||
	    port->item_count != set->count)
		r = map_items(port, set);
	if (r < 0)
		return r;
	for (size_t i = 0; i < set->count; i++)
		if (port->map[i] != WIDE)
			follow_item(&port->narrows[port->map[i]], &set->items[i],
				    view->per_s[i]);
	return 0;
}

int rt_totals_follow(struct rt_totals *totals, const struct rt_watch_snapshot *snapshot)
{
	struct port *ports = totals->ports;
	int r = 0;

	if (snapshot->count > totals->count) {
		ports = realloc(ports, snapshot->count * sizeof(*ports));
		if (!ports)
			return -ENOMEM;
		memset(ports + totals->count, 0,
		       (snapshot->count - totals->count) * sizeof(*ports));
		totals->ports = ports;
		totals->count = snapshot->count;
	}
	for (size_t i = 0; i < snapshot->count && r == 0; i++)
		r = follow_port(&ports[i], &snapshot->views[i]);
	return r;
}

uint64_t rt_totals_passed(const struct rt_totals *totals, size_t port, size_t item)
{
	const struct port *at;

	if (!totals || port >= totals->count)
		return 0;
	at = &totals->ports[port];
	return item < at->item_count && at->map[item] != WIDE
		       ? at->narrows[at->map[item]].passed
		       : 0;
}
