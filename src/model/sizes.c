/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/sizes.h"

#include <string.h>

#include "base/own.h"

#define PCT UINT64_C(10000000) /* of RT_PPB */

/*
 * The tables are those of alibaba-edu/High-Precision-Congestion-Control, traffic_gen/,
 * which simulators since share.
 */
static const struct rt_size_point web_search[] = {
	{ 0, 0 },
	{ 10000, 15 * PCT },
	{ 20000, 20 * PCT },
	{ 30000, 30 * PCT },
	{ 50000, 40 * PCT },
	{ 80000, 53 * PCT },
	{ 200000, 60 * PCT },
	{ 1000000, 70 * PCT },
	{ 2000000, 80 * PCT },
	{ 5000000, 90 * PCT },
	{ 10000000, 97 * PCT },
	{ 30000000, 100 * PCT },
};

static const struct rt_size_point hadoop[] = {
	{ 0, 0 },
	{ 100, 1 * PCT },
	{ 200, 2 * PCT },
	{ 300, 5 * PCT },
	{ 350, 15 * PCT },
	{ 400, 20 * PCT },
	{ 500, 30 * PCT },
	{ 600, 40 * PCT },
	{ 700, 50 * PCT },
	{ 1000, 60 * PCT },
	{ 2000, 67 * PCT },
	{ 7000, 70 * PCT },
	{ 30000, 72 * PCT },
	{ 50000, 82 * PCT },
	{ 80000, 87 * PCT },
	{ 120000, 90 * PCT },
	{ 300000, 95 * PCT },
	{ 1000000, 975 * PCT / 10 },
	{ 2000000, 99 * PCT },
	{ 10000000, 100 * PCT },
};

static const struct rt_size_point storage[] = {
	{ 0, 0 },
	{ 4000, 2293 * (PCT / 100) },
	{ 8000, 6921 * (PCT / 100) },
	{ 16000, 8061 * (PCT / 100) },
	{ 32000, 9047 * (PCT / 100) },
	{ 64000, 9353 * (PCT / 100) },
	{ 128000, 9677 * (PCT / 100) },
	{ 256000, 9753 * (PCT / 100) },
	{ 2000000, 100 * PCT },
};

const struct rt_size_set rt_size_sets[] = {
	{ "web-search", "web search of DCTCP (SIGCOMM 2010)", web_search,
	  RT_ARRAY_SIZE(web_search) },
	{ "hadoop", "Hadoop at Facebook (SIGCOMM 2015), as HPCC used it", hadoop,
	  RT_ARRAY_SIZE(hadoop) },
	{ "storage", "storage at Alibaba (2019), of the HPCC authors", storage,
	  RT_ARRAY_SIZE(storage) },
	{ 0 },
};

const struct rt_size_set *rt_size_set_find(const char *name)
{
	for (const struct rt_size_set *set = rt_size_sets; set->name; set++)
		if (strcmp(set->name, name) == 0)
			return set;
	return NULL;
}

unsigned __int128 rt_sizes_mean_2ppb(const struct rt_size_point *points, size_t count)
{
	unsigned __int128 sum = 0;

	for (size_t i = 1; i < count; i++)
		sum += (unsigned __int128)(points[i].share_ppb -
					   points[i - 1].share_ppb) *
		       (points[i].bytes + points[i - 1].bytes);
	return sum;
}

double rt_sizes_mean_bytes(const struct rt_size_point *points, size_t count)
{
	return (double)rt_sizes_mean_2ppb(points, count) / (2.0 * RT_PPB);
}

uint64_t rt_sizes_at(const struct rt_size_point *points, size_t count,
		     uint64_t share_ppb)
{
	uint64_t bytes = points[count - 1].bytes;

	for (size_t i = 1; i < count; i++) {
		const struct rt_size_point *low = &points[i - 1], *high = &points[i];

		if (share_ppb >= high->share_ppb)
			continue;
		bytes = low->bytes +
			(uint64_t)((unsigned __int128)(high->bytes - low->bytes) *
				   (share_ppb - low->share_ppb) /
				   (high->share_ppb - low->share_ppb));
		break;
	}
	return bytes ? bytes : 1;
}
