/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_set.c - readings of counters: finding, differences, records. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "model/counters.h"
#include "rocetune/err.h"

/* --- tables ---------------------------------------------------------------------------- */

#define OWNER struct rt_counter_reading
static const struct rt_field reading_fields[] = {
	RT_FIELD(OWNER, ENUM, counter, NONE, "rocetune's name of the counter",
		 .names = rt_counter_names),
	RT_FIELD(OWNER, U8, prio, NONE, "its priority; 255: of the port"),
	RT_FIELD(OWNER, U64, value, NONE,
		 "its value: bytes, nanoseconds or how many, as the name says"),
	RT_FIELD(OWNER, ENUM, source, NONE, "where it was read",
		 .names = rt_counter_source_names),
	RT_FIELD_CHARS_OF(OWNER, name, "as the driver calls it"),
	RT_FIELD(OWNER, U8, bits, NONE,
		 "width of what was read; 64: it does not start anew"),
	RT_FIELD(OWNER, U32, scale, NONE, "the value is what was read times this"),
};
RT_TABLE(rt_counter_reading_table, rt_counter_reading, "counter", "Counters",
	 "A counter of a port, at one time or what was added to it.", reading_fields);
#undef OWNER

#define OWNER struct rt_counter_look
static const struct rt_field look_fields[] = {
	RT_FIELD(OWNER, ENUM, source, NONE, "where was looked",
		 .names = rt_counter_source_names),
	RT_FIELD(OWNER, ENUM, state, NONE, "how that went",
		 .names = rt_counter_look_names),
	RT_FIELD_CHARS_OF(OWNER, why, "why not"),
};
RT_TABLE(rt_counter_look_table, rt_counter_look, "counter_source", "Sources",
	 "Where counters were looked for.", look_fields);
#undef OWNER

#define OWNER struct rt_counter_set
static const struct rt_field set_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, device, "RDMA device and port"),
	RT_FIELD_CHARS_OF(OWNER, netdev, "network device"),
	RT_FIELD_CHARS_OF(OWNER, driver, "rocetune's name of the driver"),
	RT_FIELD(OWNER, I64, time_ns, NS, "when reading began, of no known origin"),
	RT_FIELD(OWNER, I64, elapsed_ns, NS,
		 "of a difference: the time between both readings; else 0"),
	RT_FIELD(OWNER, OPT_U64, refresh_ms, NONE,
		 "milliseconds that hw_counters in sysfs may be old"),
	{ .name = "counters",
	  .help = "what is known; others are unknown",
	  .type = RT_FIELD_LIST,
	  .offset = offsetof(OWNER, items),
	  .table = &rt_counter_reading_table,
	  .count_offset = offsetof(OWNER, count) },
	RT_FIELD_ARRAY_OF(OWNER, looks, RT_SOURCE_COUNT, &rt_counter_look_table,
			  "where was looked"),
};
RT_TABLE(rt_counter_set_table, rt_counter_set, "counters", "Counters of a port",
	 "What was read of a port's counters at one time, or the difference of two "
	 "readings.",
	 set_fields);
#undef OWNER

/* --- sets ------------------------------------------------------------------------------ */

void rt_counter_set_free(struct rt_counter_set *set)
{
	free(set->items);
	free(set->moved);
	*set = (struct rt_counter_set){ 0 };
}

struct rt_counter_set rt_counter_set_head(const struct rt_counter_set *set)
{
	struct rt_counter_set head = *set;

	head.items = NULL;
	head.moved = NULL;
	head.count = head.capacity = head.moved_count = head.moved_capacity = 0;
	head.filling = 0;
	return head;
}

static int order(const struct rt_counter_reading *a, const struct rt_counter_reading *b)
{
	if (a->counter != b->counter)
		return a->counter < b->counter ? -1 : 1;
	return a->prio < b->prio ? -1 : a->prio > b->prio;
}

int rt_counter_set_add(struct rt_counter_set *set,
		       const struct rt_counter_reading *reading)
{
	struct rt_counter_reading *grown;

	if (set->capacity < set->count) /* it came from a record */
		set->capacity = set->count;
	grown = rt_grow(set->items, set->count, &set->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	set->items = grown;
	set->items[set->count++] = *reading;
	return 0;
}

const struct rt_counter_reading *rt_counter_find(const struct rt_counter_set *set,
						 enum rt_counter_id id, unsigned prio)
{
	const struct rt_counter_reading wanted = { .counter = id,
						   .prio = (uint8_t)prio };
	size_t low = 0, high = set->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (order(&set->items[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->count && order(&set->items[low], &wanted) == 0
		       ? &set->items[low]
		       : NULL;
}

struct rt_opt_u64 rt_counter_value(const struct rt_counter_set *set,
				   enum rt_counter_id id, unsigned prio)
{
	const struct rt_counter_reading *reading = rt_counter_find(set, id, prio);

	return reading ? RT_KNOWN_U64(reading->value) : (struct rt_opt_u64){ 0 };
}

struct rt_opt_u64 rt_counter_total(const struct rt_counter_set *set,
				   enum rt_counter_id id)
{
	struct rt_opt_u64 value = rt_counter_value(set, id, RT_COUNTER_NO_PRIO);
	uint64_t total = 0;

	if (value.known || !(rt_counters[id].scope & RT_COUNTER_PRIO))
		return value;
	for (unsigned prio = 0; prio < 8; prio++) {
		value = rt_counter_value(set, id, prio);
		if (!value.known || __builtin_add_overflow(total, value.value, &total))
			return (struct rt_opt_u64){ 0 };
	}
	return RT_KNOWN_U64(total);
}

/* --- differences ------------------------------------------------------------------------- */

bool rt_counter_same(const struct rt_counter_reading *a,
		     const struct rt_counter_reading *b)
{
	return order(a, b) == 0 && a->source == b->source && a->bits == b->bits &&
	       a->scale == b->scale && strcmp(a->name, b->name) == 0;
}

/* The reading of before that this one can be compared with, or NULL. */
static const struct rt_counter_reading *
same_reading(const struct rt_counter_set *before,
	     const struct rt_counter_reading *after)
{
	const struct rt_counter_reading *old = rt_counter_find(before, after->counter,
							       after->prio);

	return old && rt_counter_same(old, after) ? old : NULL;
}

bool rt_counter_passed_end(const struct rt_counter_reading *now, uint64_t before,
			   uint64_t *ret_added)
{
	uint64_t range, ahead;

	if (now->bits >= 64 ||
	    __builtin_mul_overflow(UINT64_C(1) << now->bits, now->scale, &range) ||
	    before >= range)
		return false;
	ahead = range - before + now->value;
	if (ahead >= range / 2)
		return false;
	*ret_added = ahead;
	return true;
}

/* Bits of sources that began anew. */
static unsigned find_resets(const struct rt_counter_set *before,
			    const struct rt_counter_set *after)
{
	unsigned reset = 0;
	uint64_t added;

	for (size_t i = 0; i < after->count; i++) {
		const struct rt_counter_reading *now = &after->items[i];
		const struct rt_counter_reading *old = same_reading(before, now);

		if (old && !rt_counter_added(now, old->value, &added))
			reset |= 1u << now->source;
	}
	return reset;
}

static int add_differences(const struct rt_counter_set *before,
			   const struct rt_counter_set *after,
			   struct rt_counter_set *set)
{
	const unsigned reset = find_resets(before, after);
	int r = 0;

	for (size_t i = 0; i < after->count && r == 0; i++) {
		const struct rt_counter_reading *old = same_reading(before,
								    &after->items[i]);
		struct rt_counter_reading now = after->items[i];

		if (old && !(reset >> now.source & 1) &&
		    rt_counter_added(&after->items[i], old->value, &now.value))
			r = rt_counter_set_add(set, &now);
	}
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (reset >> i & 1) {
			set->looks[i].state = RT_LOOK_FAILED;
			strcpy(set->looks[i].why,
			       "its counters began anew between both readings");
		}
	return r;
}

int rt_counters_diff(const struct rt_counter_set *before,
		     const struct rt_counter_set *after, struct rt_counter_set *ret_set,
		     struct rt_err *err)
{
	struct rt_counter_set set = rt_counter_set_head(after);
	int r;

	if (strcmp(before->device, after->device) != 0 ||
	    strcmp(before->netdev, after->netdev) != 0)
		return rt_err_set(
			err, -EINVAL,
			"counters of %s%s%s cannot be compared with those of %s%s%s",
			after->device, *after->device ? "/" : "", after->netdev,
			before->device, *before->device ? "/" : "", before->netdev);
	if (after->time_ns < before->time_ns)
		return rt_err_set(err, -EINVAL,
				  "%s%s: the later reading of counters came first",
				  after->device, after->netdev);
	set.elapsed_ns = after->time_ns - before->time_ns;
	r = add_differences(before, after, &set);
	if (r < 0) {
		rt_counter_set_free(&set);
		return rt_err_sys(err, r, "cannot hold the counters");
	}
	*ret_set = set;
	return 0;
}

int rt_counter_set_check(const struct rt_counter_set *set, struct rt_err *err)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct rt_counter_reading *at = &set->items[i];

		if (at->counter >= RT_COUNTER_COUNT || at->source >= RT_SOURCE_COUNT ||
		    (at->prio > 7 && at->prio != RT_COUNTER_NO_PRIO) || at->bits < 8 ||
		    at->bits > 64 || at->scale == 0)
			return rt_err_set(err, -EINVAL,
					  "counter %zu is outside of what there is", i);
		if (i && order(at - 1, at) >= 0)
			return rt_err_set(err, -EINVAL, "%s: counters are not in order",
					  rt_counters[at->counter].name);
	}
	return 0;
}
