/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_table.c - a snapshot as an object of kind "watch". */
#include "run/watch_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/watch.h"

/* --- tables ---------------------------------------------------------------------------------- */

#define OWNER struct rt_watched_counter
static const struct rt_field counter_fields[] = {
	RT_FIELD(OWNER, ENUM, counter, NONE, "rocetune's name of the counter",
		 .names = rt_counter_names),
	RT_FIELD(OWNER, OPT_U64, prio, NONE, "its priority; unknown: of the port"),
	RT_FIELD(OWNER, U64, value, NONE,
		 "its value: bytes, nanoseconds or how many, as the name says"),
	RT_FIELD(OWNER, OPT_F64, per_s, NONE, "what is added to it in a second"),
	RT_FIELD(OWNER, ENUM, source, NONE, "where it was read",
		 .names = rt_counter_source_names),
	RT_FIELD_CHARS_OF(OWNER, name, "as the driver calls it"),
};
static RT_TABLE(counter_table, rt_watched_counter, "watched_counter", "Counters",
		"A counter of a port and its rate.", counter_fields);
#undef OWNER

#define OWNER struct rt_watched_port
static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, name, "as people call it"),
	RT_FIELD(OWNER, ENUM, verdict, NONE, "what is wrong with it",
		 .names = rt_verdict_names),
	RT_FIELD_STRUCT_OF(OWNER, facts, &rt_watch_port_table, "what it is"),
	RT_FIELD_STRUCT_OF(OWNER, figures, &rt_watch_figures_table,
			   "what its counters did since the tick before"),
	RT_FIELD_LIST_OF(OWNER, findings, finding_count, &rt_finding_table,
			 "what rules found in it, gravest first"),
	RT_FIELD_LIST_OF(OWNER, sources, source_count, &rt_watch_pace_table,
			 "where its counters are read, and how that goes"),
	RT_FIELD_LIST_OF(OWNER, counters, counter_count, &counter_table,
			 "all that is known of its counters, with --all",
			 .flags = RT_FIELD_MAYBE),
};
static RT_TABLE(port_table, rt_watched_port, "watched_port", "Ports",
		"A port at a tick.", port_fields);
#undef OWNER

#define OWNER struct rt_watched
static const struct rt_field watched_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, title, "what is watched", .flags = RT_FIELD_META),
	RT_FIELD(OWNER, U64, tick, COUNT, "number of the last sample, from 1"),
	RT_FIELD(OWNER, I64, time_ns, NS,
		 "when it was taken, on a clock that only goes forward"),
	RT_FIELD(OWNER, I64, wall_ns, NS,
		 "when it was taken, since 1970; of a simulation since its beginning"),
	RT_FIELD(OWNER, OPT_U64, elapsed_ns, NS,
		 "measured since the tick before; unknown: rates are, too"),
	RT_FIELD(OWNER, OPT_U64, interval_ns, NS,
		 "how often is wished; unknown: the source has a time of its own",
		 .flags = RT_FIELD_META),
	RT_FIELD(OWNER, U64, cost_ns, NS, "what sampling and deriving took",
		 .flags = RT_FIELD_META),
	RT_FIELD_CHARS_OF(
		OWNER, said,
		"why this tick brought nothing: it has no ports and no flows"),
	RT_FIELD_LIST_OF(OWNER, ports, port_count, &port_table, "the ports"),
	RT_FIELD_STRUCT_OF(OWNER, flows, &rt_watch_flows_table,
			   "what captures saw since the tick before",
			   .flags = RT_FIELD_MAYBE),
	RT_FIELD_LIST_OF(OWNER, events, event_count, &rt_watch_event_table,
			 "what happened since the line before"),
};
RT_TABLE(rt_watched_table, rt_watched, "watch", "Watching",
	 "What is known after a tick; `rocetune top --batch --json` writes one a line.",
	 watched_fields);
#undef OWNER

/* --- a snapshot as one ------------------------------------------------------------------------- */

static int describe_counters(const struct rt_watch_view *view,
			     struct rt_watched_port *port)
{
	const size_t count = view->set ? view->set->count : 0;

	port->counters = calloc(count + 1, sizeof(*port->counters));
	if (!port->counters)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct rt_counter_reading *at = &view->set->items[i];
		struct rt_watched_counter *counter = &port->counters[i];

		*counter = (struct rt_watched_counter){ .counter = at->counter,
							.value = at->value,
							.source = at->source };
		if (at->prio != RT_COUNTER_NO_PRIO)
			counter->prio = RT_KNOWN_U64(at->prio);
		if (view->per_s && !isnan(view->per_s[i]))
			counter->per_s = RT_KNOWN_F64(view->per_s[i]);
		memcpy(counter->name, at->name, sizeof(counter->name));
	}
	port->counter_count = count;
	return 0;
}

static int describe_port(const struct rt_watch_view *view, bool with_counters,
			 struct rt_watched *watched)
{
	struct rt_watched_port *port = &watched->ports[watched->port_count++];

	*port = (struct rt_watched_port){
		.verdict = view->verdict,
		.judged = rt_name_of(rt_verdict_names, view->verdict),
		.link = rt_name_of(rt_watch_state_names, view->port->state),
		.facts = *view->port,
		.figures = view->figures,
		.findings = view->findings.items,
		.finding_count = view->findings.count,
		.sources = view->paces,
		.source_count = view->pace_count,
	};
	memcpy(port->name, view->port->name, sizeof(port->name));
	if (with_counters && describe_counters(view, port) < 0)
		return -ENOMEM;
	return rt_findings_append(&watched->findings, &view->findings);
}

/* Those that came last are at the end. */
static void describe_events(const struct rt_watch_snapshot *snapshot,
			    uint64_t after_event, struct rt_watched *watched)
{
	size_t first = snapshot->event_count;

	while (first > 0 && snapshot->events[first - 1].number > after_event)
		first--;
	watched->events = snapshot->events + first;
	watched->event_count = snapshot->event_count - first;
}

static void release(void *object)
{
	struct rt_watched *watched = object;

	for (size_t i = 0; i < watched->port_count; i++)
		free(watched->ports[i].counters);
	free(watched->ports);
	rt_findings_free(&watched->findings);
	free(watched);
}

/* What a tick that failed still has is of the one before, which was told then. */
static int describe(const struct rt_watch_snapshot *snapshot, bool with_counters,
		    uint64_t after_event, struct rt_watched *watched)
{
	const bool failed = *snapshot->said;
	const size_t count = failed ? 0 : snapshot->count;
	int r = 0;

	snprintf(watched->title, sizeof(watched->title), "%s", snapshot->title);
	memcpy(watched->said, snapshot->said, sizeof(watched->said));
	watched->tick = snapshot->ticks;
	watched->time_ns = snapshot->time_ns;
	watched->wall_ns = snapshot->wall_ns;
	if (!snapshot->own_time)
		watched->interval_ns = RT_KNOWN_U64(snapshot->interval_ns);
	watched->cost_ns = snapshot->cost_ns;
	watched->ports = calloc(count + 1, sizeof(*watched->ports));
	if (!watched->ports)
		return -ENOMEM;
	if (!failed && snapshot->elapsed_ns)
		watched->elapsed_ns = RT_KNOWN_U64(snapshot->elapsed_ns);
	if (!failed && (snapshot->flows->known || *snapshot->flows->where))
		watched->flows = *snapshot->flows;
	for (size_t i = 0; i < count && r == 0; i++)
		r = describe_port(&snapshot->views[i], with_counters, watched);
	describe_events(snapshot, after_event, watched);
	rt_findings_sort(&watched->findings);
	return r;
}

int rt_run_watch_outcome(const struct rt_watch_snapshot *snapshot, bool with_counters,
			 uint64_t after_event, struct rt_outcome *ret_outcome,
			 struct rt_err *err)
{
	struct rt_watched *watched = calloc(1, sizeof(*watched));
	int r = watched ? describe(snapshot, with_counters, after_event, watched)
			: -ENOMEM;

	if (r < 0) {
		if (watched)
			release(watched);
		return rt_err_sys(err, r, "cannot describe what is watched");
	}
	*ret_outcome = (struct rt_outcome){
		.table = &rt_watched_table,
		.object = watched,
		.findings = &watched->findings,
		.release = release,
	};
	return 0;
}
