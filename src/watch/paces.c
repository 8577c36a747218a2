/* SPDX-License-Identifier: BSD-2-Clause */
/* paces.c - how each source of a port does. */
#include <string.h>

#include "watch/keep.h"

/* Between ticks: as wished, or as a source with a time of its own has it. */
static uint64_t interval_of(const struct rt_watch *watch)
{
	return watch->source->ops->next_ns && watch->snapshot.elapsed_ns
		       ? watch->snapshot.elapsed_ns
		       : watch->snapshot.interval_ns;
}

static struct rt_watch_pace pace_of(const struct rt_watch *watch,
				    const struct rt_meter *meter,
				    const struct rt_counter_set *set, unsigned source)
{
	const struct rt_refresh *refresh = &meter->refresh[source];
	const struct rt_counter_look *look = &set->looks[source];
	const uint64_t interval_ns = interval_of(watch);
	struct rt_watch_pace pace = { .source = source,
				      .state = look->state,
				      .cost_ns = set->paces[source].cost_ns,
				      .every_ns = refresh->every_ns ? refresh->every_ns
								    : interval_ns };

	memcpy(pace.why, look->why, sizeof(pace.why));
	if (refresh->refresh_ns)
		pace.refresh_ns = RT_KNOWN_U64(refresh->refresh_ns);
	if (refresh->begun)
		pace.age_ns = RT_KNOWN_U64(
			rt_refresh_age_ns(refresh, watch->sample.time_ns));
	pace.slowed = pace.cost_ns > interval_ns / 10 &&
		      pace.every_ns > interval_ns + interval_ns / 2;
	pace.old = pace.age_ns.known && pace.age_ns.value > 3 * interval_ns;
	return pace;
}

void rt_keep_fill_paces(const struct rt_watch *watch, const struct rt_meter *meter,
			struct rt_watch_view *view)
{
	const struct rt_counter_set *set = view->set;

	view->pace_count = 0;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (set->looks[i].state != RT_LOOK_NONE || meter->sources >> i & 1)
			view->paces[view->pace_count++] = pace_of(watch, meter, set, i);
}
