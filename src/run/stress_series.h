/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_series.h - sums over time series of bytes: pure.  A window is the intervals
 * from first to before last; series that are shorter are as good as zero there.
 */
#ifndef RT_RUN_STRESS_SERIES_H
#define RT_RUN_STRESS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_series {
	const uint64_t *bytes;
	size_t count;
};

struct rt_window {
	size_t first, last; /* intervals */
	uint64_t interval_ns;
};

uint64_t rt_series_sum(struct rt_series series, const struct rt_window *window);

/* Mean rate over the window; 0 for an empty one. */
uint64_t rt_series_bps(struct rt_series series, const struct rt_window *window);

/* Bytes in a time, as a rate; 0 for no time. */
uint64_t rt_bytes_bps(uint64_t bytes, uint64_t ns);

/*
 * Jain's index of values (Jain, Chiu, Hawe 1984): 1 when all are equal, 1/count when
 * one has all.  Unknown: fewer than two, or all are 0.
 */
struct rt_opt_f64 rt_series_jain(const uint64_t *values, size_t count);

/* Of the intervals of a window. */
struct rt_spread {
	uint64_t least, median, mean; /* bytes */
	double variation;             /* standard deviation over mean */
};

/* False: the window is empty, or there is no memory to sort it. */
bool rt_series_spread(struct rt_series series, const struct rt_window *window,
		      struct rt_spread *ret_spread);

/* Intervals in a row below half of what is usual. */
struct rt_dip {
	size_t first, count; /* intervals */
	uint64_t least;      /* bytes of the slowest */
};

/* The next dip at or behind *at, which moves behind it; false: there is none. */
bool rt_series_dip(struct rt_series series, const struct rt_window *window,
		   uint64_t usual, size_t *at, struct rt_dip *ret_dip);

/* How series are drawn that are to be compared. */
struct rt_bars {
	size_t intervals; /* of the run: those behind a series are nothing */
	uint64_t most;    /* bytes in an interval: the highest character */
	size_t columns;   /* characters at most, each of an interval or of a mean */
	bool utf8;        /* blocks, of three bytes each */
};

/* The whole of series in characters, as many as there is room for; blank is nothing. */
void rt_series_bars(struct rt_series series, const struct rt_bars *bars, char *text,
		    size_t capacity);

#endif
