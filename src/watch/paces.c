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

/* Written in place: it is long, and of it a failure's words, which are rare. */
static void fill_pace(const struct rt_watch *watch, const struct rt_meter *meter,
		      const struct rt_counter_set *set, unsigned source,
		      struct rt_watch_pace *pace)
{
	const struct rt_refresh *refresh = &meter->refresh[source];
	const struct rt_counter_look *look = &set->looks[source];
	const uint64_t interval_ns = interval_of(watch);

	pace->source = source;
	pace->state = look->state;
	if (*look->why)
		memcpy(pace->why, look->why, sizeof(pace->why));
	else
		*pace->why = '\0';
	pace->cost_ns = set->paces[source].cost_ns;
	pace->every_ns = refresh->every_ns ? refresh->every_ns : interval_ns;
	pace->refresh_ns = (struct rt_opt_u64){ refresh->refresh_ns,
						refresh->refresh_ns != 0 };
	pace->age_ns = (struct rt_opt_u64){ 0 };
	if (refresh->begun)
		pace->age_ns = RT_KNOWN_U64(
			rt_refresh_age_ns(refresh, watch->sample.time_ns));
	pace->slowed = pace->cost_ns > interval_ns / 10 &&
		       pace->every_ns > interval_ns + interval_ns / 2;
	pace->old = pace->age_ns.known && pace->age_ns.value > 3 * interval_ns;
}

void rt_keep_fill_paces(const struct rt_watch *watch, const struct rt_meter *meter,
			struct rt_watch_view *view)
{
	const struct rt_counter_set *set = view->set;

	view->pace_count = 0;
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (set->looks[i].state != RT_LOOK_NONE || meter->sources >> i & 1)
			fill_pace(watch, meter, set, i,
				  &view->paces[view->pace_count++]);
}
