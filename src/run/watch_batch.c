/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_batch.c - watching without a screen: tick, show, wait. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/watch.h"
#include "watch/verdict.h"
#include "watch/watch.h"

/* False: it is to end. */
static bool wait_for(const struct rt_watch_batch *batch, uint64_t wait_ns)
{
	struct pollfd fds[] = {
		{ .fd = batch->stop_fd, .events = POLLIN },
		{ .fd = batch->out_fd }, /* only that nobody reads any more */
	};
	const struct timespec wait = { (time_t)(wait_ns / 1000000000),
				       (long)(wait_ns % 1000000000) };

	return ppoll(fds, 2, &wait, NULL) <= 0;
}

static bool wait_for_tick(struct rt_watch *watch, const struct rt_watch_batch *batch)
{
	uint64_t wait_ns;

	do {
		wait_ns = rt_watch_wait_ns(watch, rt_monotonic_ns(), batch->speed);
		if (!wait_for(batch, wait_ns))
			return false;
	} while (wait_ns);
	return true;
}

bool rt_run_watch_is_beginning(const struct rt_finding *finding)
{
	return strcmp(finding->id, RT_WATCH_NO_RATES) == 0;
}

struct progress {
	uint64_t intervals;   /* shown */
	uint64_t after_event; /* which was shown last */
	bool any;             /* something was read */
};

static int show(struct rt_watch *watch, const struct rt_watch_batch *batch,
		struct progress *progress, struct rt_err *err)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	struct rt_outcome outcome = { 0 };
	int r = rt_watch_explain(watch, err);

	if (r == 0)
		r = rt_run_watch_outcome(snapshot, batch->with_counters,
					 progress->after_event, &outcome, err);
	if (r < 0)
		return r;
	r = batch->show(batch->context, outcome.object);
	rt_outcome_release(&outcome);
	if (snapshot->event_count)
		progress->after_event =
			snapshot->events[snapshot->event_count - 1].number;
	progress->intervals++;
	return r;
}

/* 1: go on; 0: enough. */
static int tick(struct rt_watch *watch, const struct rt_watch_batch *batch,
		struct progress *progress, struct rt_err *err)
{
	const struct rt_opt_u64 *wanted = &batch->intervals;
	const struct rt_watch_snapshot *snapshot;
	int r = rt_watch_tick(watch, err);

	if (r < 0)
		return r;
	snapshot = rt_watch_look(watch);
	if (snapshot->ended)
		return 0;
	progress->any = progress->any || !*snapshot->said;
	/* Without rates there is nothing to tell but where none are asked for. */
	if (snapshot->elapsed_ns || *snapshot->said ||
	    (wanted->known && !wanted->value))
		r = show(watch, batch, progress, err);
	if (r < 0)
		return r;
	if (rt_watch_recording_lost(watch))
		return 0;
	return !wanted->known || progress->intervals < wanted->value;
}

int rt_run_watch_batch(struct rt_watch *watch, const struct rt_watch_batch *batch,
		       struct rt_err *err)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	struct progress progress = { 0 };
	int r = 1, recorded;

	while (r > 0 && wait_for_tick(watch, batch))
		r = tick(watch, batch, &progress, err);
	/* Before all else: a reader that left is no trouble, and this is. */
	recorded = rt_watch_record(watch, NULL, err);
	if (recorded < 0 || r < 0)
		return recorded < 0 ? recorded : r;
	if (!progress.any && *snapshot->said)
		return rt_err_set(err, -ENODATA, "%s", snapshot->said);
	if (snapshot->ended && !progress.intervals)
		return rt_err_set(err, -ENODATA,
				  "%s: there is nothing to show, as rates take two "
				  "samples that follow each other (-n 0 shows one "
				  "without rates)",
				  snapshot->title);
	return 0;
}
