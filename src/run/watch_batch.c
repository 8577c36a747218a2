/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_batch.c - watching without a screen: tick, show, wait. */
#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/watch.h"
#include "watch/watch.h"

#define MS_NS UINT64_C(1000000)

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

/* What recording said is an event; that it ended is what counts here. */
static int check_recording(struct rt_watch *watch,
			   const struct rt_watch_request *request, struct rt_err *err)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);

	if (!request->record || rt_watch_recording(watch))
		return 0;
	for (size_t i = snapshot->event_count; i-- > 0;)
		if (snapshot->events[i].severity == RT_SEVERITY_ERROR &&
		    snapshot->events[i].kind == RT_EVENT_SOURCE)
			return rt_err_set(err, -EIO, "%s", snapshot->events[i].text);
	return rt_err_set(err, -EIO, "%s: recording has ended", request->record);
}

/* 1: go on; 0: enough. */
static int tick(struct rt_watch *watch, const struct rt_watch_request *request,
		const struct rt_watch_batch *batch, struct progress *progress,
		struct rt_err *err)
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
	    (wanted->known && !wanted->value)) {
		r = show(watch, batch, progress, err);
	}
	if (r == 0)
		r = check_recording(watch, request, err);
	if (r < 0)
		return r;
	return !wanted->known || progress->intervals < wanted->value;
}

int rt_run_watch_batch(struct rt_watch *watch, const struct rt_watch_request *request,
		       const struct rt_watch_batch *batch, struct rt_err *err)
{
	struct progress progress = { 0 };
	int r = 1;

	while (r > 0 && wait_for_tick(watch, batch))
		r = tick(watch, request, batch, &progress, err);
	/* What was written may be told to be lost only as the file is closed. */
	if (r >= 0)
		r = rt_watch_record(watch, NULL, err);
	if (r < 0)
		return r;
	if (!progress.any && *rt_watch_look(watch)->said)
		return rt_err_set(err, -ENODATA, "%s", rt_watch_look(watch)->said);
	return 0;
}
