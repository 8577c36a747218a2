/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_timers.h - deadlines by number: a binary heap that knows where each of them is. */
#ifndef RT_TRAFFIC_SOFT_TIMERS_H
#define RT_TRAFFIC_SOFT_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cc/ps.h"

struct rt_soft_timers {
	uint64_t *at_ps; /* owned, by number */
	uint32_t *place; /* owned: where in the heap, from 1; 0: off */
	uint32_t *heap;  /* owned: numbers; [0] is not used */
	uint32_t count;  /* of those that are on */
	uint32_t size;   /* how many numbers there are */
};

/* Make room for the numbers below size.  False: out of memory, nothing changed. */
bool rt_soft_timers_grow(struct rt_soft_timers *timers, uint32_t size);
void rt_soft_timers_free(struct rt_soft_timers *timers);

/* RT_PS_NEVER turns it off. */
void rt_soft_timers_set(struct rt_soft_timers *timers, uint32_t number, uint64_t at_ps);

static inline bool rt_soft_timers_on(const struct rt_soft_timers *timers,
				     uint32_t number)
{
	return timers->place[number] != 0;
}

/* The earliest; RT_PS_NEVER: none. */
static inline uint64_t rt_soft_timers_next(const struct rt_soft_timers *timers)
{
	return timers->count ? timers->at_ps[timers->heap[1]] : RT_PS_NEVER;
}

/* Take the earliest that is due at now_ps; it is off then. */
bool rt_soft_timers_due(struct rt_soft_timers *timers, uint64_t now_ps,
			uint32_t *ret_number);

#endif
