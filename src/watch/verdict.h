/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.h - what is wrong with each port of a snapshot, by rules.
 *
 * Pure.  Rules see all ports at once: a sender's CNPs are the receiver's doing where the
 * receiver is seen to be slow.  A cause that cannot be seen from these ports is said to
 * be so.  Rules judge the rates of one tick; a few want that something lasts, or was a
 * moment ago, as ticks may be short.  What flickers is made one event where events are
 * kept (events.h).
 */
#ifndef RT_WATCH_VERDICT_H
#define RT_WATCH_VERDICT_H

#include "model/finding.h"
#include "watch/watch.h"

/* By gravity; the documentation lists them, too (run/outcome.h). */
extern const struct rt_rule rt_watch_rules[];
extern const size_t rt_watch_rule_count;
/* Of a port that has no rates yet, and may have some in the next tick. */
#define RT_WATCH_NO_RATES "watch-no-rates"
/* What each means when it fires, enum rt_verdict. */
extern const unsigned char rt_watch_rule_verdicts[];

/*
 * Judge every port: fill findings (emptied first; the gravest first, where is the port's
 * name; in brief, without evidence) and verdict of each view.  Of views port, set,
 * places, per_s, figures and paces are read; set, places and per_s may be NULL; memory is zero before the first tick.
 * flows may be NULL.  time_ns: of the sample; elapsed_ns: since the one before, that rates
 * are over.  -ENOMEM when some got lost.
 */
int rt_verdicts(struct rt_watch_view *views, size_t count,
		const struct rt_watch_flows *flows, int64_t time_ns,
		uint64_t elapsed_ns);

/*
 * After rt_verdicts() with the same arguments: fill the evidence of what it found, for
 * those who show words; nothing else changes.  -ENOMEM: some is left empty.
 */
int rt_verdicts_explain(struct rt_watch_view *views, size_t count,
			const struct rt_watch_flows *flows, int64_t time_ns,
			uint64_t elapsed_ns);

#endif
