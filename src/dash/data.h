/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data.h - what screens are drawn from: a snapshot and its histories, of the sampler as
 * it is now, or kept while the picture is paused.
 */
#ifndef RT_DASH_DATA_H
#define RT_DASH_DATA_H

#include <stddef.h>

#include "watch/watch.h"

struct rt_dash_data {
	const struct rt_watch_snapshot *snapshot;
	/* As rt_watch_history() and rt_watch_counter_history(), over context. */
	size_t (*history)(const void *context, size_t port, enum rt_watch_column column,
			  float *values, size_t count);
	size_t (*counter_history)(const void *context, size_t port, size_t item,
				  float *values, size_t count);
	const void *context;
	const char *recording; /* being written; NULL: none */
};

/* What watch knows now; borrowed until its next tick. */
struct rt_dash_data rt_dash_data_of(const struct rt_watch *watch);

struct rt_dash_frozen;

/* A copy of all of it, that stays.  NULL: no memory. */
struct rt_dash_frozen *rt_dash_freeze(const struct rt_dash_data *data);
void rt_dash_thaw(struct rt_dash_frozen *frozen); /* NULL is fine */
const struct rt_dash_data *rt_dash_frozen_data(const struct rt_dash_frozen *frozen);

#endif
