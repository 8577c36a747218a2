/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.h - the clock that all of traffic counts in. */
#ifndef RT_TRAFFIC_CLOCK_H
#define RT_TRAFFIC_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t rt_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
