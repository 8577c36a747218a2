/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * totals.h - counters of 32 bits as ones that never pass their end.
 *
 * Prometheus takes a counter that is lower than before for one that began anew, and would
 * lose what was counted up to its end.  So what they passed is added.  Whether a counter
 * passed its end or began anew is what the sampler judged: an item that began anew has no
 * rate.
 */
#ifndef RT_EXPORT_TOTALS_H
#define RT_EXPORT_TOTALS_H

#include <stddef.h>
#include <stdint.h>

struct rt_totals;
struct rt_watch_snapshot;

struct rt_totals *rt_totals_new(void);         /* NULL: no memory */
void rt_totals_free(struct rt_totals *totals); /* NULL is fine */

/* Once after each tick.  -ENOMEM: what it missed, it takes up at the next one. */
int rt_totals_follow(struct rt_totals *totals,
		     const struct rt_watch_snapshot *snapshot);

/*
 * What is to be added to the value of an item of a port's set, as followed last.  totals
 * may be NULL: 0.
 */
uint64_t rt_totals_passed(const struct rt_totals *totals, size_t port, size_t item);

#endif
