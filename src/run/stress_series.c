/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jain.h"
#include "base/own.h"

static uint64_t bytes_at(struct rt_series series, size_t interval)
{
	return interval < series.count ? series.bytes[interval] : 0;
}

uint64_t rt_series_sum(struct rt_series series, const struct rt_window *window)
{
	uint64_t sum = 0;

	for (size_t i = window->first; i < window->last && i < series.count; i++)
		sum += series.bytes[i];
	return sum;
}

uint64_t rt_bytes_bps(uint64_t bytes, uint64_t ns)
{
	if (!ns)
		return 0;
	return (uint64_t)((unsigned __int128)bytes * 8 * 1000000000 / ns);
}

uint64_t rt_series_bps(struct rt_series series, const struct rt_window *window)
{
	if (window->last <= window->first)
		return 0;
	return rt_bytes_bps(rt_series_sum(series, window),
			    (window->last - window->first) * window->interval_ns);
}

struct rt_opt_f64 rt_series_jain(const uint64_t *values, size_t count)
{
	struct rt_jain jain = { 0 };

	for (size_t i = 0; i < count; i++)
		rt_jain_add(&jain, (double)values[i]);
	return rt_jain_among(&jain);
}

static int compare_bytes(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

bool rt_series_spread(struct rt_series series, const struct rt_window *window,
		      struct rt_spread *ret_spread)
{
	RT_AUTO(rt_auto_free) uint64_t *sorted = NULL;
	const size_t count = window->last > window->first ? window->last - window->first
							  : 0;
	double mean, squares = 0;

	sorted = count ? calloc(count, sizeof(*sorted)) : NULL;
	if (!sorted)
		return false;
	mean = (double)rt_series_sum(series, window) / (double)count;
	for (size_t i = 0; i < count; i++) {
		sorted[i] = bytes_at(series, window->first + i);
		squares += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
	}
	qsort(sorted, count, sizeof(*sorted), compare_bytes);
	*ret_spread = (struct rt_spread){
		.least = sorted[0],
		.median = sorted[count / 2],
		.mean = (uint64_t)mean,
		.variation = mean > 0 ? sqrt(squares / (double)count) / mean : 0,
	};
	return true;
}

bool rt_series_dip(struct rt_series series, const struct rt_window *window,
		   uint64_t usual, size_t *at, struct rt_dip *ret_dip)
{
	struct rt_dip dip = { 0 };
	size_t i = *at > window->first ? *at : window->first;

	for (; i < window->last; i++) {
		const uint64_t bytes = bytes_at(series, i);
		const bool low = bytes < usual / 2;

		if (!low && dip.count)
			break;
		if (!low)
			continue;
		if (!dip.count || bytes < dip.least)
			dip.least = bytes;
		if (!dip.count++)
			dip.first = i;
	}
	*at = i;
	if (!dip.count)
		return false;
	*ret_dip = dip;
	return true;
}

void rt_series_bars(struct rt_series series, const struct rt_bars *bars, char *text,
		    size_t capacity)
{
	static const char *const plain[] = { " ", ".", ":", "-", "=", "+", "*", "#" };
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "█" };
	const char *const *signs = bars->utf8 ? blocks : plain;
	const size_t intervals = bars->intervals;
	const size_t each = (intervals + bars->columns - 1) / bars->columns;
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; each && bars->most && i < intervals; i += each) {
		const struct rt_window window = {
			i, i + each < intervals ? i + each : intervals, 1
		};
		const double mean = (double)rt_series_sum(series, &window) /
				    (double)(window.last - window.first);
		const double share = mean / (double)bars->most;
		const unsigned level = mean <= 0    ? 0
				       : share >= 1 ? 7
						    : 1 + (unsigned)(share * 6.999);
		const size_t bytes = strlen(signs[level]);

		if (used + bytes >= capacity)
			break;
		memcpy(text + used, signs[level], bytes + 1);
		used += bytes;
	}
}
