/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/histogram.h"

/* The highest value that falls into a bucket. */
static uint64_t top_of(unsigned bucket)
{
	unsigned shift;
	uint64_t part;

	if (bucket < 2 * RT_HISTOGRAM_PARTS)
		return bucket;
	shift = bucket / RT_HISTOGRAM_PARTS - 1;
	part = bucket % RT_HISTOGRAM_PARTS + RT_HISTOGRAM_PARTS;
	return ((part + 1) << shift) - 1;
}

void rt_histogram_merge(struct rt_histogram *into, const struct rt_histogram *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	for (unsigned i = 0; i < RT_HISTOGRAM_BUCKETS; i++) {
		const uint64_t sum = (uint64_t)into->buckets[i] + from->buckets[i];

		into->buckets[i] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
	}
}

struct rt_opt_u64 rt_histogram_quantile(const struct rt_histogram *histogram,
					uint64_t share_ppb)
{
	const unsigned __int128 product = (unsigned __int128)histogram->count *
					  share_ppb;
	uint64_t rank = (uint64_t)((product + RT_PPB - 1) / RT_PPB);
	uint64_t seen = 0;

	if (!histogram->count)
		return (struct rt_opt_u64){ 0 };
	rank = rank ? rank : 1;
	for (unsigned i = 0; i < RT_HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen >= rank)
			return RT_KNOWN_U64(top_of(i) < histogram->max
						    ? top_of(i)
						    : histogram->max);
	}
	return RT_KNOWN_U64(histogram->max);
}

struct rt_opt_f64 rt_histogram_mean(const struct rt_histogram *histogram)
{
	if (!histogram->count)
		return (struct rt_opt_f64){ 0 };
	return RT_KNOWN_F64(histogram->sum / (double)histogram->count);
}
