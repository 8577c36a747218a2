/* SPDX-License-Identifier: BSD-2-Clause */
/* due.c - when the next tick is. */
#include "watch/keep.h"

#define LATE_NS INT64_C(1000000000)
#define MOST_NS 1e18 /* fits a clock's time */

uint64_t rt_keep_bounded(uint64_t interval_ns)
{
	if (interval_ns < (uint64_t)RT_WATCH_MIN_INTERVAL_NS)
		return RT_WATCH_MIN_INTERVAL_NS;
	if (interval_ns > (uint64_t)RT_WATCH_MAX_INTERVAL_NS)
		return RT_WATCH_MAX_INTERVAL_NS;
	return interval_ns;
}

void rt_keep_plan_next(struct rt_watch *watch, int64_t now_ns)
{
	const int64_t interval_ns = (int64_t)watch->snapshot.interval_ns;

	if (watch->due_ns + interval_ns < now_ns || watch->due_ns > now_ns)
		watch->due_ns = now_ns;
	watch->due_ns += interval_ns;
	watch->began_ns = now_ns;
}

/* When the next sample of a source with a time of its own is due. */
static int64_t own_due_ns(struct rt_watch *watch, int64_t next_ns, int64_t now_ns,
			  double speed)
{
	struct rt_keep_anchor *anchor = &watch->anchor;
	double ahead_ns;

	if (!anchor->set || anchor->speed != speed)
		*anchor = (struct rt_keep_anchor){ true, watch->began_ns,
						   watch->snapshot.time_ns, speed };
	ahead_ns = ((double)next_ns - (double)anchor->own_ns) / speed;
	if (ahead_ns > MOST_NS)
		ahead_ns = MOST_NS;
	/* Far behind it goes on from here: somebody held it. */
	if (!(ahead_ns >= 0) ||
	    anchor->mono_ns + (int64_t)ahead_ns < now_ns - LATE_NS) {
		anchor->set = false;
		return now_ns;
	}
	return anchor->mono_ns + (int64_t)ahead_ns;
}

uint64_t rt_watch_wait_ns(struct rt_watch *watch, int64_t now_ns, double speed)
{
	const struct rt_watch_source_ops *ops = watch->source->ops;
	int64_t due_ns = watch->due_ns, next_ns;

	if (watch->snapshot.ended)
		return watch->snapshot.interval_ns;
	if (watch->began_ns == 0)
		return 0;
	if (ops->next_ns) {
		if (!(speed > 0) || ops->next_ns(watch->source, &next_ns) < 0)
			return 0;
		due_ns = own_due_ns(watch, next_ns, now_ns, speed);
	}
	if (due_ns <= now_ns)
		return 0;
	return due_ns - now_ns < RT_WATCH_MAX_INTERVAL_NS
		       ? (uint64_t)(due_ns - now_ns)
		       : (uint64_t)RT_WATCH_MAX_INTERVAL_NS;
}

void rt_watch_set_interval(struct rt_watch *watch, uint64_t interval_ns)
{
	watch->snapshot.interval_ns = rt_keep_bounded(interval_ns);
	watch->due_ns = watch->began_ns + (int64_t)watch->snapshot.interval_ns;
}
