/* SPDX-License-Identifier: BSD-2-Clause */
/* watch.c - the life of a sampler: opening, ticks, what is to be seen, closing. */
#include "watch/watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "watch/keep.h"
#include "watch/verdict.h"

/* --- life ---------------------------------------------------------------------------------- */

int rt_watch_open(struct rt_watch_source *source, uint64_t interval_ns,
		  struct rt_watch **ret_watch, struct rt_err *err)
{
	struct rt_watch *watch = calloc(1, sizeof(*watch));

	if (!watch || rt_events_open(&watch->events) < 0) {
		free(watch);
		source->ops->close(source);
		return rt_err_sys(err, -ENOMEM, "cannot watch");
	}
	watch->source = source;
	watch->snapshot.title = source->title;
	watch->snapshot.interval_ns = rt_keep_bounded(interval_ns);
	watch->snapshot.own_time = source->ops->next_ns != NULL;
	watch->snapshot.flows = &watch->sample.flows;
	*ret_watch = watch;
	return 0;
}

void rt_watch_close(struct rt_watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->held; i++) {
		rt_findings_free(&watch->views[i].findings);
		rt_meter_free(watch->meters[i]);
		free(watch->meters[i]);
	}
	free(watch->views);
	free(watch->meters);
	rt_watch_record(watch, NULL, NULL);
	rt_events_close(&watch->events);
	rt_watch_sample_free(&watch->sample);
	watch->source->ops->close(watch->source);
	free(watch);
}

const struct rt_watch_snapshot *rt_watch_look(const struct rt_watch *watch)
{
	return &watch->snapshot;
}

/* --- ports --------------------------------------------------------------------------------- */

/* Room for the ports of the sample, those that are new among them. */
static int hold_ports(struct rt_watch *watch)
{
	const size_t count = watch->sample.count;

	if (count > watch->capacity) {
		void *views = realloc(watch->views, count * sizeof(*watch->views));
		void *meters;

		if (!views)
			return -ENOMEM;
		watch->views = views;
		meters = realloc(watch->meters, count * sizeof(*watch->meters));
		if (!meters)
			return -ENOMEM;
		watch->meters = meters;
		watch->capacity = count;
	}
	for (; watch->held < count; watch->held++) {
		struct rt_meter *meter = calloc(1, sizeof(*meter));

		if (!meter)
			return -ENOMEM;
		watch->meters[watch->held] = meter;
		watch->views[watch->held] = (struct rt_watch_view){ 0 };
	}
	return 0;
}

static bool may_keep_history(const struct rt_watch *watch, const struct rt_meter *meter,
			     size_t count)
{
	const uint64_t items = watch->history_items -
			       (meter->items.history ? meter->items.count : 0) + count;

	return items * RT_WATCH_POINTS * sizeof(float) <= RT_KEEP_HISTORY_BYTES;
}

static int fit_meter(struct rt_watch *watch, struct rt_meter *meter,
		     const struct rt_counter_set *set)
{
	const bool keep = may_keep_history(watch, meter, set->count);
	const size_t before = meter->items.history ? meter->items.count : 0;
	const int r = rt_meter_fit(meter, set, keep);

	if (r == 0)
		watch->history_items += (keep ? set->count : 0) - before;
	return r;
}

/* Another port in the place of one: of joined recordings. */
static void begin_port(struct rt_watch *watch, struct rt_meter *meter, const char *name)
{
	if (meter->items.history)
		watch->history_items -= meter->items.count;
	rt_meter_free(meter);
	memset(meter->item_of, 0xff, sizeof(meter->item_of));
	snprintf(meter->name, sizeof(meter->name), "%s", name);
	meter->begun = meter->came = true;
}

/* --- a tick -------------------------------------------------------------------------------- */

/* A port without counters keeps what it had, for when it returns. */
static int read_port(struct rt_watch *watch, size_t port)
{
	const struct rt_watch_input *input = &watch->sample.items[port];
	struct rt_watch_view *view = &watch->views[port];
	struct rt_meter *meter = watch->meters[port];

	meter->came = false;
	meter->resets = 0;
	if (!meter->begun || strcmp(meter->name, input->port.name) != 0) {
		begin_port(watch, meter, input->port.name);
		view->memory = (struct rt_watch_memory){ 0 };
	}
	meter->present = input->set.count > 0;
	if (!meter->present) {
		rt_meter_break(meter);
	} else {
		if (!rt_meter_fits(meter, &input->set) &&
		    fit_meter(watch, meter, &input->set) < 0)
			return -ENOMEM;
		meter->resets = rt_meter_read(meter, &input->set);
	}
	rt_meter_figures(meter, &input->port, &input->set, &view->figures);
	rt_meter_note(meter, watch->slot, &view->figures);
	view->port = &input->port;
	view->set = &input->set;
	view->places = meter->present ? meter->item_of : NULL;
	view->per_s = meter->items.per_s;
	view->since = meter->items.since;
	rt_keep_fill_paces(watch, meter, view);
	return 0;
}

static void note_time(struct rt_watch *watch)
{
	struct rt_watch_snapshot *snapshot = &watch->snapshot;
	const struct rt_watch_sample *sample = &watch->sample;

	const bool follows = snapshot->ticks && !watch->jumped &&
			     sample->time_ns > snapshot->time_ns;

	snapshot->elapsed_ns =
		follows ? (uint64_t)sample->time_ns - (uint64_t)snapshot->time_ns : 0;
	watch->jumped = false;
	snapshot->time_ns = sample->time_ns;
	snapshot->wall_ns = sample->wall_ns;
	snapshot->ticks++;
	watch->events.time_ns = sample->time_ns;
	watch->events.wall_ns = sample->wall_ns;
	snapshot->baseline_ns.known = watch->baseline_at_ns.known;
	snapshot->baseline_ns.value = (uint64_t)sample->time_ns -
				      watch->baseline_at_ns.value;
}

int rt_keep_explain(struct rt_watch *watch, size_t count)
{
	const struct rt_watch_snapshot *snapshot = &watch->snapshot;
	int r = 0;

	if (!watch->explained)
		r = rt_verdicts_explain(watch->views, count, &watch->sample.flows,
					snapshot->time_ns, snapshot->elapsed_ns);
	watch->explained |= r == 0;
	return r;
}

/* All ports are read before any is told of, as a verdict looks at others. */
static int derive_all(struct rt_watch *watch)
{
	const size_t count = watch->sample.count;
	int r = hold_ports(watch);

	for (size_t i = 0; r == 0 && i < count; i++)
		r = read_port(watch, i);
	if (r == 0)
		r = rt_verdicts(watch->views, count, &watch->sample.flows,
				watch->sample.time_ns, watch->snapshot.elapsed_ns);
	watch->explained = false;
	for (size_t i = 0; r == 0 && i < count; i++)
		r = rt_keep_tell_port(watch, i);
	rt_keep_tell_flows(watch);
	return r;
}

static int derive(struct rt_watch *watch, struct rt_err *err)
{
	struct rt_watch_snapshot *snapshot = &watch->snapshot;
	int r;

	note_time(watch);
	rt_keep_record(watch);
	watch->slot = (watch->slot + 1) % RT_WATCH_POINTS;
	r = derive_all(watch);
	if (r < 0) {
		snapshot->count = 0; /* what was made of some is of no use */
		return rt_err_sys(err, r, "cannot hold what is watched");
	}
	snapshot->views = watch->views;
	snapshot->count = watch->sample.count;
	return 0;
}

/* What there is of events also when a sample failed. */
static void show_events(struct rt_watch *watch)
{
	watch->snapshot.events = watch->events.items + watch->events.first;
	watch->snapshot.event_count = watch->events.count;
}

/* Its end is none. */
static int tell_failure(struct rt_watch *watch, int r, const struct rt_err *why,
			struct rt_err *err)
{
	struct rt_watch_snapshot *snapshot = &watch->snapshot;

	snprintf(snapshot->said, sizeof(snapshot->said), "%.199s", why->msg);
	snapshot->ended = r == -ENODATA;
	if (r == -ENOMEM)
		return rt_err_set(err, r, "%s", why->msg);
	if (!snapshot->ended)
		rt_keep_tell_failure(watch, snapshot->said);
	return 0;
}

/* A source that failed may have moved its sample, or left it half new. */
static void keep_views(struct rt_watch *watch)
{
	struct rt_watch_snapshot *snapshot = &watch->snapshot;

	if (watch->sample.count < snapshot->count)
		snapshot->count = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct rt_watch_input *input = &watch->sample.items[i];

		if (watch->meters[i]->present &&
		    !rt_meter_fits(watch->meters[i], &input->set)) {
			snapshot->count = 0;
			return;
		}
		watch->views[i].port = &input->port;
		watch->views[i].set = &input->set;
	}
}

/* It failed, and tells no time of a next sample: to ask it again would never end. */
static bool is_over(const struct rt_watch *watch)
{
	const struct rt_watch_source_ops *ops = watch->source->ops;
	int64_t next_ns;

	return watch->failing && ops->next_ns &&
	       ops->next_ns(watch->source, &next_ns) == -ENODATA;
}

int rt_watch_tick(struct rt_watch *watch, struct rt_err *err)
{
	struct rt_watch_snapshot *snapshot = &watch->snapshot;
	const int64_t began_ns = rt_monotonic_ns();
	struct rt_err why = { 0 };
	int r;

	if (snapshot->ended)
		return rt_err_set(err, -ENODATA, "%s has no more", snapshot->title);
	rt_keep_plan_next(watch, began_ns);
	*snapshot->said = '\0';
	if (is_over(watch))
		r = rt_err_set(&why, -ENODATA, "%s has no more", snapshot->title);
	else
		r = watch->source->ops->sample(watch->source, &watch->sample, &why);
	if (r < 0) {
		r = tell_failure(watch, r, &why, err);
		keep_views(watch);
	} else {
		watch->failing = false;
		r = derive(watch, err);
	}
	show_events(watch);
	snapshot->cost_ns = (uint64_t)(rt_monotonic_ns() - began_ns);
	return r;
}

int rt_watch_explain(struct rt_watch *watch, struct rt_err *err)
{
	const int r = rt_keep_explain(watch, watch->snapshot.count);

	return r < 0 ? rt_err_sys(err, r, "cannot hold the findings") : 0;
}

void rt_watch_acknowledge(struct rt_watch *watch, uint64_t event_number)
{
	rt_events_acknowledge(&watch->events, event_number);
}

/* --- elsewhere in time --------------------------------------------------------------------- */

int rt_watch_seek(struct rt_watch *watch, int64_t time_ns, struct rt_err *err)
{
	const struct rt_watch_source_ops *ops = watch->source->ops;
	int r;

	if (!ops->seek)
		return rt_err_set(err, -EOPNOTSUPP, "%s cannot be gone back in",
				  watch->snapshot.title);
	r = ops->seek(watch->source, time_ns, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < watch->held; i++) {
		rt_meter_break(watch->meters[i]);
		rt_meter_forget(watch->meters[i]);
		watch->meters[i]->lastings.count = 0;
		watch->views[i].memory = (struct rt_watch_memory){ 0 };
	}
	watch->anchor.set = false;
	watch->jumped = true;
	watch->explained = true; /* what findings came from is forgotten */
	watch->baseline_at_ns.known = false;
	watch->snapshot.ended = false;
	return 0;
}

/* --- since when ---------------------------------------------------------------------------- */

static void set_all_since(struct rt_watch *watch, bool known)
{
	for (size_t i = 0; i < watch->held; i++)
		rt_meter_set_baseline(watch->meters[i], known);
}

int rt_watch_set_baseline(struct rt_watch *watch, struct rt_err *err)
{
	if (watch->snapshot.ticks == 0)
		return rt_err_set(err, -ENODATA,
				  "nothing was read yet that deltas could start from");
	set_all_since(watch, true);
	watch->baseline_at_ns = RT_KNOWN_U64((uint64_t)watch->snapshot.time_ns);
	watch->snapshot.baseline_ns = RT_KNOWN_U64(0);
	return 0;
}

void rt_watch_clear_baseline(struct rt_watch *watch)
{
	set_all_since(watch, false);
	watch->baseline_at_ns.known = false;
	watch->snapshot.baseline_ns.known = false;
}
