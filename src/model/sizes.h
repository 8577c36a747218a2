/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sizes.h - how large flows are, when they are not all alike: the points of a
 * cumulative distribution, straight lines between them.  Two points of one size make
 * a step: that size itself has the share between them.
 */
#ifndef RT_MODEL_SIZES_H
#define RT_MODEL_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "rocetune/scenario.h"

/* One that was published. */
struct rt_size_set {
	const char *name;
	const char *help; /* what it is, and the public source */
	const struct rt_size_point *points;
	size_t count;
};

/* Ends with a row without name. */
extern const struct rt_size_set rt_size_sets[];

/* NULL: none has exactly this name. */
const struct rt_size_set *rt_size_set_find(const char *name);

/* Twice the mean times RT_PPB, exactly; the points rise from a share of 0 to RT_PPB. */
unsigned __int128 rt_sizes_mean_2ppb(const struct rt_size_point *points, size_t count);

/* The same in bytes. */
double rt_sizes_mean_bytes(const struct rt_size_point *points, size_t count);

/* The size below which a share of the flows is; at least one byte. */
uint64_t rt_sizes_at(const struct rt_size_point *points, size_t count,
		     uint64_t share_ppb);

#endif
