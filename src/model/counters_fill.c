/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_fill.c - values under the catalogue's names. */
#include "model/counters_fill.h"

#include <stdio.h>

struct rt_counter_fill rt_counter_fill_begin(struct rt_counter_set *set,
					     unsigned source, int64_t time_ns)
{
	set->count = 0;
	set->time_ns = time_ns;
	set->looks[source] = (struct rt_counter_look){ .source = source,
						       .state = RT_LOOK_READ };
	return (struct rt_counter_fill){ .set = set, .source = source };
}

void rt_counter_put_named(struct rt_counter_fill *fill, enum rt_counter_id id,
			  unsigned prio, const char *name, uint64_t value)
{
	struct rt_counter_reading reading = { .counter = id,
					      .prio = (uint8_t)prio,
					      .bits = 64,
					      .source = fill->source,
					      .value = value,
					      .scale = 1 };

	if (fill->r < 0)
		return;
	snprintf(reading.name, sizeof(reading.name), "%s", name);
	fill->r = rt_counter_set_add(fill->set, &reading);
}

void rt_counter_put(struct rt_counter_fill *fill, enum rt_counter_id id, unsigned prio,
		    uint64_t value)
{
	rt_counter_put_named(fill, id, prio, rt_counters[id].name, value);
}

void rt_counter_put_port(struct rt_counter_fill *fill, enum rt_counter_id id,
			 uint64_t value)
{
	rt_counter_put(fill, id, RT_COUNTER_NO_PRIO, value);
}

uint64_t rt_counter_put_prios(struct rt_counter_fill *fill, enum rt_counter_id id,
			      const void *prios, size_t stride, size_t offset)
{
	uint64_t sum = 0;

	for (unsigned prio = 0; prio < 8; prio++) {
		const char *of = (const char *)prios + prio * stride;
		const uint64_t value = *(const uint64_t *)(const void *)(of + offset);

		sum += value;
		rt_counter_put(fill, id, prio, value);
	}
	return sum;
}

int rt_counter_fill_end(struct rt_counter_fill *fill)
{
	if (fill->r < 0)
		fill->set->count = 0;
	fill->set->layout = fill->set->count;
	return fill->r;
}
