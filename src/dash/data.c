/* SPDX-License-Identifier: BSD-2-Clause */
/* data.c - the picture that is kept while it is paused: a deep copy. */
#include "dash/data.h"

#include <stdlib.h>
#include <string.h>

static size_t history_of(const void *context, size_t port, enum rt_watch_column column,
			 float *values, size_t count)
{
	return rt_watch_history(context, port, column, values, count);
}

static size_t counter_history_of(const void *context, size_t port, size_t item,
				 float *values, size_t count)
{
	return rt_watch_counter_history(context, port, item, values, count);
}

struct rt_dash_data rt_dash_data_of(const struct rt_watch *watch)
{
	return (struct rt_dash_data){
		.snapshot = rt_watch_look(watch),
		.history = history_of,
		.counter_history = counter_history_of,
		.context = watch,
		.recording = rt_watch_recording(watch),
	};
}

/* --- a copy ----------------------------------------------------------------------------- */

struct points {
	size_t count;
	float values[RT_WATCH_POINTS];
};

struct frozen_port {
	struct rt_watch_port port;
	struct rt_counter_set set;
	float *per_s;
	uint64_t *since;
	struct points columns[RT_COLUMN_COUNT];
	struct points *counters; /* by item */
};

struct rt_dash_frozen {
	struct rt_dash_data data;
	struct rt_watch_snapshot snapshot;
	struct rt_watch_flows flows;
	struct rt_watch_view *views;
	struct frozen_port *ports;
	struct rt_watch_event *events;
	char title[256];
};

static size_t tail_of(const struct points *points, float *values, size_t count)
{
	const size_t given = points->count < count ? points->count : count;

	memcpy(values, points->values + points->count - given, given * sizeof(*values));
	return given;
}

static size_t frozen_history(const void *context, size_t port,
			     enum rt_watch_column column, float *values, size_t count)
{
	const struct rt_dash_frozen *frozen = context;

	return tail_of(&frozen->ports[port].columns[column], values, count);
}

static size_t frozen_counter_history(const void *context, size_t port, size_t item,
				     float *values, size_t count)
{
	const struct rt_dash_frozen *frozen = context;

	return tail_of(&frozen->ports[port].counters[item], values, count);
}

/* A copy of an array; of an empty one too, so that NULL is always lack of memory. */
static void *copy_of(const void *array, size_t count, size_t size)
{
	void *copy = calloc(count + 1, size);

	if (copy && count)
		memcpy(copy, array, count * size);
	return copy;
}

static bool freeze_port(const struct rt_dash_data *data, size_t number,
			struct rt_dash_frozen *frozen)
{
	const struct rt_watch_view *from = &data->snapshot->views[number];
	struct rt_watch_view *view = &frozen->views[number];
	struct frozen_port *port = &frozen->ports[number];
	const size_t items = from->set->count;

	*view = *from;
	port->port = *from->port;
	port->set = rt_counter_set_head(from->set);
	port->set.count = items;
	port->set.items = copy_of(from->set->items, items, sizeof(*from->set->items));
	port->per_s = copy_of(from->per_s, items, sizeof(*from->per_s));
	port->since = copy_of(from->since, items, sizeof(*from->since));
	port->counters = calloc(items + 1, sizeof(*port->counters));
	view->port = &port->port;
	view->set = &port->set;
	view->per_s = port->per_s;
	view->since = port->since;
	view->findings = (struct rt_findings){ 0 };
	if (!port->set.items || !port->per_s || !port->since || !port->counters ||
	    rt_findings_append(&view->findings, &from->findings) < 0)
		return false;
	for (unsigned i = 0; i < RT_COLUMN_COUNT; i++)
		port->columns[i].count = data->history(data->context, number, i,
						       port->columns[i].values,
						       RT_WATCH_POINTS);
	for (size_t i = 0; i < items; i++)
		port->counters[i].count = data->counter_history(
			data->context, number, i, port->counters[i].values,
			RT_WATCH_POINTS);
	return true;
}

static bool freeze_flows(const struct rt_watch_flows *from,
			 struct rt_watch_flows *flows)
{
	*flows = *from;
	flows->items = copy_of(from->items, from->count, sizeof(*from->items));
	flows->fans = copy_of(from->fans, from->fan_count, sizeof(*from->fans));
	return flows->items && flows->fans;
}

struct rt_dash_frozen *rt_dash_freeze(const struct rt_dash_data *data)
{
	const struct rt_watch_snapshot *from = data->snapshot;
	struct rt_dash_frozen *frozen = calloc(1, sizeof(*frozen));
	bool fine;

	if (!frozen)
		return NULL;
	frozen->snapshot = *from;
	frozen->snapshot.count = 0;
	frozen->views = calloc(from->count + 1, sizeof(*frozen->views));
	frozen->ports = calloc(from->count + 1, sizeof(*frozen->ports));
	frozen->events = copy_of(from->events, from->event_count,
				 sizeof(*frozen->events));
	fine = freeze_flows(from->flows, &frozen->flows) && frozen->views &&
	       frozen->ports && frozen->events;
	while (fine && frozen->snapshot.count < from->count)
		fine = freeze_port(data, frozen->snapshot.count++, frozen);
	if (!fine) {
		rt_dash_thaw(frozen);
		return NULL;
	}
	if (from->title)
		strncpy(frozen->title, from->title, sizeof(frozen->title) - 1);
	frozen->snapshot.title = frozen->title;
	frozen->snapshot.views = frozen->views;
	frozen->snapshot.flows = &frozen->flows;
	frozen->snapshot.events = frozen->events;
	frozen->data = (struct rt_dash_data){
		.snapshot = &frozen->snapshot,
		.history = frozen_history,
		.counter_history = frozen_counter_history,
		.context = frozen,
		.recording = data->recording,
	};
	return frozen;
}

void rt_dash_thaw(struct rt_dash_frozen *frozen)
{
	if (!frozen)
		return;
	for (size_t i = 0; frozen->ports && i < frozen->snapshot.count; i++) {
		rt_counter_set_free(&frozen->ports[i].set);
		free(frozen->ports[i].per_s);
		free(frozen->ports[i].since);
		free(frozen->ports[i].counters);
		rt_findings_free(&frozen->views[i].findings);
	}
	free(frozen->flows.items);
	free(frozen->flows.fans);
	free(frozen->views);
	free(frozen->ports);
	free(frozen->events);
	free(frozen);
}

const struct rt_dash_data *rt_dash_frozen_data(const struct rt_dash_frozen *frozen)
{
	return &frozen->data;
}
