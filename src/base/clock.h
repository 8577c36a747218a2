/* SPDX-License-Identifier: BSD-2-Clause */
/* clock.h - the time as one number. */
#ifndef RT_BASE_CLOCK_H
#define RT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of which, CLOCK_MONOTONIC or another. */
static inline int64_t rt_clock_ns(clockid_t which)
{
	struct timespec now;

	clock_gettime(which, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t rt_monotonic_ns(void)
{
	return rt_clock_ns(CLOCK_MONOTONIC);
}

#endif
