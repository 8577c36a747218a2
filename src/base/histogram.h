/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * histogram.h - how often values came, each within 0.8 % of itself, in constant memory.
 *
 * The log-linear form of Gil Tene's HDR histogram: every power of two is cut into 128
 * equal parts, values below 256 are exact.  Debian has no such library for C.
 */
#ifndef RT_BASE_HISTOGRAM_H
#define RT_BASE_HISTOGRAM_H

#include <stdint.h>

#include "rocetune/field.h"

/* Values of 2^44 and more (4.9 hours in nanoseconds) count as the highest one. */
#define RT_HISTOGRAM_BITS    44u
#define RT_HISTOGRAM_PARTS   128u
#define RT_HISTOGRAM_BUCKETS ((RT_HISTOGRAM_BITS - 6u) * RT_HISTOGRAM_PARTS)

struct rt_histogram {
	uint64_t count;
	uint64_t min, max; /* exact; nothing without count */
	double sum;
	uint32_t buckets[RT_HISTOGRAM_BUCKETS]; /* each stops at UINT32_MAX */
};

static inline unsigned rt_histogram_bucket(uint64_t value)
{
	unsigned shift;

	if (value >= UINT64_C(1) << RT_HISTOGRAM_BITS)
		return RT_HISTOGRAM_BUCKETS - 1;
	if (value < 2 * RT_HISTOGRAM_PARTS)
		return (unsigned)value;
	shift = 56 - (unsigned)__builtin_clzll(value);
	return shift * RT_HISTOGRAM_PARTS + (unsigned)(value >> shift);
}

static inline void rt_histogram_add(struct rt_histogram *histogram, uint64_t value)
{
	uint32_t *bucket = &histogram->buckets[rt_histogram_bucket(value)];

	if (!histogram->count || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->sum += (double)value;
	if (*bucket != UINT32_MAX)
		(*bucket)++;
}

void rt_histogram_merge(struct rt_histogram *into, const struct rt_histogram *from);

/*
 * The least value that share_ppb of all values do not exceed (nearest rank), to the
 * top of its part, never above max.  Unknown: no value came.
 */
struct rt_opt_u64 rt_histogram_quantile(const struct rt_histogram *histogram,
					uint64_t share_ppb);

struct rt_opt_f64 rt_histogram_mean(const struct rt_histogram *histogram);

#endif
