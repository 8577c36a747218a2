/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pace.h - when the next message of a sender is due: a rate cap, bursts, and how much
 * that was missed may be made up for.
 *
 * A cap is kept by time and not by sleeping: every message moves the due time on by
 * exactly what it takes at the rate (the rest of the division is carried), so that
 * waking late costs nothing as long as it is less than RT_PACE_DEBT_NS.  What the
 * network held back longer than that is not made up for: a sender that was paused must
 * not come back above its rate.
 */
#ifndef RT_TRAFFIC_PACE_H
#define RT_TRAFFIC_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define RT_PACE_DEBT_NS INT64_C(20000000)

/* All times in one clock, nanoseconds. */
struct rt_pace {
	uint64_t rate_bps;      /* of payload; 0: no cap */
	int64_t start_ns;       /* of the flow: bursts are counted from it */
	uint64_t on_ns, off_ns; /* off 0: no bursts */
	int64_t due_ns;         /* when the rate allows the next message */
	uint64_t rest;          /* of the last division, below rate_bps */
};

static inline void rt_pace_init(struct rt_pace *pace, uint64_t rate_bps,
				int64_t start_ns, uint64_t on_ns, uint64_t off_ns)
{
	*pace = (struct rt_pace){ .rate_bps = rate_bps,
				  .start_ns = start_ns,
				  .on_ns = on_ns,
				  .off_ns = off_ns,
				  .due_ns = start_ns };
}

/*
 * When a message may be posted: now_ns or before means now.  Silence of a burst earns
 * nothing: the due time moves to the burst's beginning.
 */
static inline int64_t rt_pace_next(struct rt_pace *pace, int64_t now_ns)
{
	int64_t burst_ns = pace->start_ns, at_ns;

	if (now_ns < pace->start_ns)
		return pace->start_ns;
	if (pace->off_ns) {
		const uint64_t period = pace->on_ns + pace->off_ns;
		const uint64_t phase = (uint64_t)(now_ns - pace->start_ns) % period;

		burst_ns = now_ns - (int64_t)phase;
		if (phase >= pace->on_ns)
			return burst_ns + (int64_t)period;
	}
	if (!pace->rate_bps)
		return now_ns;
	at_ns = pace->due_ns;
	if (at_ns < burst_ns)
		at_ns = burst_ns;
	if (at_ns < now_ns - RT_PACE_DEBT_NS)
		at_ns = now_ns - RT_PACE_DEBT_NS;
	if (at_ns != pace->due_ns)
		pace->rest = 0;
	pace->due_ns = at_ns;
	return at_ns;
}

/* A message of so many bytes was posted. */
static inline void rt_pace_spend(struct rt_pace *pace, uint64_t bytes)
{
	unsigned __int128 bits_ns;

	if (!pace->rate_bps)
		return;
	bits_ns = (unsigned __int128)bytes * 8000000000u + pace->rest;
	pace->due_ns += (int64_t)(bits_ns / pace->rate_bps);
	pace->rest = (uint64_t)(bits_ns % pace->rate_bps);
}

#endif
