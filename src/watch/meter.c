/* SPDX-License-Identifier: BSD-2-Clause */
/* meter.c - what is kept of one port: fitting it to the items that its set has. */
#include "watch/meter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static unsigned place_of(uint8_t prio)
{
	return prio < RT_WATCH_PLACE_PORT ? prio : RT_WATCH_PLACE_PORT;
}

/* --- memory -------------------------------------------------------------------------------- */

/* One block, the widest first. */
static int items_new(struct rt_meter_items *items, size_t count, bool keep_history)
{
	const size_t floats = keep_history ? 1 + RT_WATCH_POINTS : 1;
	const size_t each = sizeof(*items->what) + 3 * sizeof(uint64_t) +
			    floats * sizeof(float) + 2 * sizeof(uint32_t) + 2;
	char *block = count ? calloc(count, each) : NULL;

	*items = (struct rt_meter_items){ .count = count };
	if (count == 0)
		return 0;
	if (!block)
		return -ENOMEM;
	items->what = (void *)block;
	items->last = (void *)(items->what + count);
	items->added = items->last + count;
	items->since = items->added + count;
	items->per_s = (void *)(items->since + count);
	items->history = keep_history ? items->per_s + count : NULL;
	items->changed = (void *)(items->per_s + floats * count);
	items->rated = items->changed + count;
	items->source = (void *)(items->rated + count);
	items->young = items->source + count;
	return 0;
}

void rt_meter_free(struct rt_meter *meter)
{
	free(meter->items.what);
	free(meter->runs);
	rt_lastings_free(&meter->lastings);
	*meter = (struct rt_meter){ 0 };
}

/* --- fitting ------------------------------------------------------------------------------- */

static void copy_history(struct rt_meter_items *to, size_t item,
			 const struct rt_meter_items *from, size_t old)
{
	for (size_t slot = 0; to->history && slot < RT_WATCH_POINTS; slot++)
		to->history[slot * to->count + item] =
			from && from->history ? from->history[slot * from->count + old]
					      : NAN;
}

static void keep_item(struct rt_meter_items *to, size_t item,
		      const struct rt_meter_items *from, size_t old)
{
	to->last[item] = from->last[old];
	to->since[item] = from->since[old];
	to->per_s[item] = from->per_s[old];
	to->young[item] = from->young[old];
	copy_history(to, item, from, old);
}

/* Its value of this reading is the first one, so that its rate waits for the next. */
static void begin_item(struct rt_meter *meter, struct rt_meter_items *to, size_t item,
		       const struct rt_counter_set *set)
{
	const unsigned source = to->what[item].source;
	const int64_t read_ns = set->paces[source].read_ns;

	to->last[item] = set->items[item].value;
	to->since[item] = RT_METER_UNKNOWN;
	to->per_s[item] = NAN;
	to->young[item] = 1;
	meter->born_ns[source] = read_ns ? read_ns : set->time_ns;
	copy_history(to, item, NULL, 0);
}

/* Where an item of before is; both are in the same order, so that guess is often right. */
static size_t find_old(const struct rt_meter_items *from,
		       const struct rt_counter_reading *what, size_t guess)
{
	for (size_t n = 0; n < from->count; n++) {
		const size_t at = (guess + n) % from->count;

		if (from->what[at].counter == what->counter &&
		    rt_counter_same(&from->what[at], what))
			return at;
	}
	return from->count;
}

/* Another run begins, or the last one goes on. */
static int index_run(struct rt_meter *meter, unsigned source, size_t item)
{
	const size_t count = meter->run_count;
	struct rt_meter_run *runs;

	if (count && meter->runs[count - 1].source == source) {
		meter->runs[count - 1].end = item + 1;
		return 0;
	}
	runs = rt_grow(meter->runs, count, &meter->run_capacity, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	meter->runs = runs;
	runs[meter->run_count++] = (struct rt_meter_run){ source, item, item + 1 };
	meter->sources |= 1u << source;
	return 0;
}

static int index_item(struct rt_meter *meter, size_t item)
{
	const struct rt_counter_reading *what = &meter->items.what[item];

	meter->items.source[item] = (uint8_t)what->source;
	meter->young_count += meter->items.young[item];
	if (what->counter < RT_COUNTER_COUNT && item < RT_WATCH_NO_ITEM)
		meter->item_of[what->counter][place_of(what->prio)] = (uint16_t)item;
	return index_run(meter, what->source, item);
}

static int index_all(struct rt_meter *meter)
{
	int r = 0;

	meter->sources = 0;
	meter->young_count = 0;
	meter->run_count = 0;
	memset(meter->item_of, 0xff, sizeof(meter->item_of));
	for (size_t i = 0; r == 0 && i < meter->items.count; i++)
		r = index_item(meter, i);
	return r;
}

/* A set that does not number its layouts is compared name by name. */
bool rt_meter_fits(const struct rt_meter *meter, const struct rt_counter_set *set)
{
	if (set->count != meter->items.count || set->layout != meter->layout)
		return false;
	for (size_t i = 0; set->layout == 0 && i < set->count; i++)
		if (!rt_counter_same(&meter->items.what[i], &set->items[i]))
			return false;
	return true;
}

int rt_meter_fit(struct rt_meter *meter, const struct rt_counter_set *set,
		 bool keep_history)
{
	struct rt_meter_items items;
	size_t guess = 0;
	int r = items_new(&items, set->count, keep_history);

	if (r < 0)
		return r;
	for (size_t i = 0; i < set->count; i++) {
		const size_t old = find_old(&meter->items, &set->items[i], guess);

		items.what[i] = set->items[i];
		if (items.what[i].source >= RT_SOURCE_COUNT)
			items.what[i].source = 0;
		if (old < meter->items.count)
			keep_item(&items, i, &meter->items, old);
		else
			begin_item(meter, &items, i, set);
		guess = old < meter->items.count ? old + 1 : guess;
	}
	free(meter->items.what);
	meter->items = items;
	meter->layout = set->layout;
	rt_meter_unsettle(meter);
	return index_all(meter);
}

void rt_meter_unsettle(struct rt_meter *meter)
{
	meter->filling = 0;
	meter->settled = 0;
	meter->rated_count = 0;
}

void rt_meter_break(struct rt_meter *meter)
{
	rt_meter_unsettle(meter);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		meter->refresh[i].begun = false;
		meter->elapsed_ns[i] = 0;
	}
	for (size_t i = 0; i < meter->items.count; i++) {
		meter->items.per_s[i] = NAN;
		meter->items.since[i] = RT_METER_UNKNOWN;
	}
}
