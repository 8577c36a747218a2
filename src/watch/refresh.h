/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refresh.h - how often the values of one source really change, and so over which time
 * what was added to them is to be taken.
 *
 * Some NICs write their counters to memory once a second (bnxt: stats-block-usecs),
 * others keep what they read for a while (lifespan of hw_counters, cached statistics of
 * mlx5).  Read more often, such a source stands still again and again without being
 * idle.  What can be seen is only whether a reading differs from the one before, so:
 *
 *  - The time between two readings that differ bounds the source's own interval from
 *    above.  Until two such times were short the source is taken to need a second, the
 *    most that a NIC is known to take by itself (or its lifespan, when that is longer).
 *  - A reading that does not differ says nothing while the last change is not longer ago
 *    than one and a half such intervals: the rates are held.  Later it says that the
 *    source is idle: the rates are 0.
 *  - A change after silence is taken over the source's interval at least, as it may hold
 *    all that happened in it; an idle fast source so begins with a rate that is too low
 *    for one reading or two, and a slow one never with one that is ten times too high.
 *  - Changes that come regularly, with readings between that do not differ, are a slow
 *    source: its interval is their mean, and rates are over a whole number of it.
 *
 * Plain state: zero it to begin.
 */
#ifndef RT_WATCH_REFRESH_H
#define RT_WATCH_REFRESH_H

#include <stdbool.h>
#include <stdint.h>

#define RT_REFRESH_GAPS 8u

struct rt_refresh {
	bool begun;        /* there is a reading to compare with */
	bool moved;        /* a change was seen: change_ns is its time */
	bool holding;      /* the last reading said nothing */
	int64_t read_ns;   /* of the last reading */
	int64_t from_ns;   /* of the reading that the next rate begins at */
	int64_t change_ns; /* of the last reading that differed, or the first one */
	uint64_t every_ns; /* between the last two readings; 0: there was one */
	uint64_t gaps_ns[RT_REFRESH_GAPS]; /* the last ones between changes */
	unsigned gap_count;                /* in all */
	uint64_t floor_ns;   /* it does not take longer, as far as is known; 0: exact */
	uint64_t refresh_ns; /* of a slow source, measured; 0: it is not known to be */
};

/* The most that a source is thought to take by itself. */
#define RT_REFRESH_USUAL_NS UINT64_C(1000000000)

/*
 * The first reading, or the first one after a break; what was learned stays.  least_ns: it
 * takes this long by its own account; 0: none.  exact: what it says is of the moment.
 */
void rt_refresh_begin(struct rt_refresh *refresh, int64_t read_ns, uint64_t least_ns,
		      bool exact);

/*
 * A later reading, that differed from the one before or did not.  The time over which
 * what was added since from_ns (of before the call) is to be taken; 0: keep the rates.
 */
uint64_t rt_refresh_read(struct rt_refresh *refresh, int64_t read_ns, bool changed);

/* How old the values are at a time; 0: there are none, or they are newer. */
uint64_t rt_refresh_age_ns(const struct rt_refresh *refresh, int64_t time_ns);

#endif
