/* SPDX-License-Identifier: BSD-2-Clause */
/* changes.c - what of ports and sources is an event. */
#include <string.h>

#include "base/text.h"
#include "watch/keep.h"

/* --- ports --------------------------------------------------------------------------------- */

static const char *words_of(unsigned before, unsigned now)
{
	if (now == RT_WATCH_GONE)
		return "the port went away";
	if (before == RT_WATCH_GONE)
		return now == RT_WATCH_DOWN ? "the port is back, without a link"
					    : "the port is back";
	return now == RT_WATCH_DOWN ? "the link went down" : "the link came up";
}

/* A state that is not known is no change. */
static void tell_state(struct rt_watch *watch, struct rt_meter *meter, unsigned now)
{
	const unsigned before = meter->state;
	const bool bad = now == RT_WATCH_GONE || now == RT_WATCH_DOWN;

	if (now == before || (now == RT_WATCH_STATE_UNKNOWN && before != RT_WATCH_GONE))
		return;
	meter->state = now;
	if (before != RT_WATCH_STATE_UNKNOWN)
		rt_events_add(&watch->events, RT_EVENT_PORT,
			      bad ? RT_SEVERITY_WARN : RT_SEVERITY_INFO, meter->name,
			      "%s", words_of(before, now));
}

/* --- sources ------------------------------------------------------------------------------- */

/* Whether it failed since the last tick. */
static bool fails_now(struct rt_meter *meter, const struct rt_watch_pace *pace)
{
	const unsigned bit = 1u << pace->source;
	const bool told = meter->failed & bit;

	if (pace->state != RT_LOOK_FAILED) {
		meter->failed &= ~bit;
		return false;
	}
	meter->failed |= bit;
	return !told;
}

/* What fails for one reason is one event. */
static void tell_failed(struct rt_watch *watch, struct rt_meter *meter,
			const struct rt_watch_view *view)
{
	char names[128];
	unsigned now = 0;

	for (size_t i = 0; i < view->pace_count; i++)
		now |= (unsigned)fails_now(meter, &view->paces[i]) << i;
	for (size_t i = 0; i < view->pace_count; i++) {
		struct rt_line line = { names, sizeof(names), 0 };

		if (!(now >> i & 1))
			continue;
		for (size_t j = i; j < view->pace_count; j++) {
			if (!(now >> j & 1) ||
			    strcmp(view->paces[i].why, view->paces[j].why) != 0)
				continue;
			now &= ~(1u << j);
			rt_line_put(&line, "%s%s", j == i ? "" : ", ",
				    rt_name_of(rt_counter_source_names,
					       view->paces[j].source));
		}
		rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_UNKNOWN,
			      meter->name, "%s cannot be read: %s", names,
			      view->paces[i].why);
	}
}

/* Once: a source near the bound comes and goes. */
static void tell_slowed(struct rt_watch *watch, struct rt_meter *meter,
			const struct rt_watch_pace *pace)
{
	const unsigned bit = 1u << pace->source;
	char cost[RT_UNIT_TEXT_BYTES], every[RT_UNIT_TEXT_BYTES];

	if (!pace->slowed || meter->slowed & bit)
		return;
	meter->slowed |= bit;
	rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_INFO, meter->name,
		      "%s is read every %s only, as reading it takes %s",
		      rt_name_of(rt_counter_source_names, pace->source),
		      rt_unit_format(RT_UNIT_NS, pace->every_ns, every),
		      rt_unit_format(RT_UNIT_NS, pace->cost_ns, cost));
}

/* --- all of it ----------------------------------------------------------------------------- */

int rt_keep_tell_port(struct rt_watch *watch, size_t port)
{
	const struct rt_watch_view *view = &watch->views[port];
	struct rt_meter *meter = watch->meters[port];
	int r = 0;

	if (meter->came && watch->snapshot.ticks > 1)
		rt_events_add(&watch->events, RT_EVENT_PORT, RT_SEVERITY_INFO,
			      meter->name, "the port came");
	tell_state(watch, meter, view->port->state);
	tell_failed(watch, meter, view);
	for (size_t i = 0; i < view->pace_count; i++)
		tell_slowed(watch, meter, &view->paces[i]);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (meter->resets >> i & 1)
			rt_events_add(&watch->events, RT_EVENT_COUNTERS_RESET,
				      RT_SEVERITY_INFO, meter->name,
				      "the counters of %s began anew",
				      rt_name_of(rt_counter_source_names, i));
	if (rt_events_will_begin(&meter->lastings, &view->findings))
		r = rt_keep_explain(watch, watch->sample.count);
	if (r < 0)
		return r;
	return rt_events_follow(&watch->events, &meter->lastings, meter->name,
				&view->findings);
}

void rt_keep_tell_failure(struct rt_watch *watch, const char *why)
{
	if (!watch->failing)
		rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_ERROR, "",
			      "%s", why);
	watch->failing = true;
}

void rt_keep_tell_flows(struct rt_watch *watch)
{
	const struct rt_watch_flows *flows = &watch->sample.flows;
	const bool failing = !flows->known && *flows->where;

	if (failing && !watch->flows_failing)
		rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_ERROR, "",
			      "flows are not captured any more: %s", flows->where);
	if (flows->known && watch->flows_failing)
		rt_events_add(&watch->events, RT_EVENT_SOURCE, RT_SEVERITY_INFO, "",
			      "flows are captured again: %s", flows->where);
	watch->flows_failing = failing;
}
