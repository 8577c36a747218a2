/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_fill.h - a counter set of who counts under the catalogue's names itself:
 * soft endpoints, a lab's switch, the simulator.
 */
#ifndef RT_MODEL_COUNTERS_FILL_H
#define RT_MODEL_COUNTERS_FILL_H

#include <stdint.h>

#include "model/counters.h"

struct rt_counter_fill {
	struct rt_counter_set *set;
	unsigned source; /* enum rt_counter_source */
	int r;           /* the first error; then nothing is put any more */
};

/*
 * In place of what set (zero, or of the last call) holds.  Values are exact at time_ns,
 * so that their source has no pace of its own.
 */
struct rt_counter_fill rt_counter_fill_begin(struct rt_counter_set *set,
					     unsigned source, int64_t time_ns);

/* In the order of the catalogue, then of priorities; of the port after these. */
void rt_counter_put(struct rt_counter_fill *fill, enum rt_counter_id id, unsigned prio,
		    uint64_t value);
/* As its source calls it, where that is told; else it has the catalogue's name. */
void rt_counter_put_named(struct rt_counter_fill *fill, enum rt_counter_id id,
			  unsigned prio, const char *name, uint64_t value);
void rt_counter_put_port(struct rt_counter_fill *fill, enum rt_counter_id id,
			 uint64_t value);

/*
 * One member, at offset, of an array of 8 structs of stride bytes, one for each
 * priority, which is a uint64_t.  Returns the sum.
 */
uint64_t rt_counter_put_prios(struct rt_counter_fill *fill, enum rt_counter_id id,
			      const void *prios, size_t stride, size_t offset);

/* 0 or -ENOMEM; set has then no items. */
int rt_counter_fill_end(struct rt_counter_fill *fill);

#endif
