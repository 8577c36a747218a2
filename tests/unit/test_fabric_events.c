/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "fabric/events.h"

enum {
	TYPE = 3,
	SLOT_TYPE = 5,
	SLOTS = 40,
	BUSY = 13,
	STEPS = 20000
};

static void init(struct rt_events *events)
{
	uint32_t what[SLOTS];

	for (uint32_t i = 0; i < SLOTS; i++)
		what[i] = rt_event_what(SLOT_TYPE, i);
	assert_int_equal(rt_events_init(events, what, SLOTS, BUSY, NULL), 0);
}

/* The reference: an array searched from end to end. */
struct pending {
	uint64_t time_ps, order;
	uint32_t number;
	bool slot;
};

struct model {
	struct pending *items;
	size_t count, capacity;
	uint64_t inserted;
};

static void model_add(struct model *model, uint64_t time_ps, uint32_t number, bool slot)
{
	struct pending *items = rt_grow(model->items, model->count, &model->capacity,
					sizeof(*items));

	assert_non_null(items);
	model->items = items;
	items[model->count++] = (struct pending){ time_ps, model->inserted++, number,
						  slot };
}

static void model_remove_slot(struct model *model, uint32_t number)
{
	for (size_t i = 0; i < model->count; i++)
		if (model->items[i].slot && model->items[i].number == number) {
			model->items[i] = model->items[--model->count];
			return;
		}
}

static struct pending model_next(struct model *model)
{
	size_t best = 0;
	struct pending found;

	for (size_t i = 1; i < model->count; i++) {
		const struct pending *a = &model->items[i], *b = &model->items[best];

		if (a->time_ps < b->time_ps ||
		    (a->time_ps == b->time_ps && a->order < b->order))
			best = i;
	}
	found = model->items[best];
	model->items[best] = model->items[--model->count];
	return found;
}

/* Something at random: a ring, the heap, a slot set, moved or cleared. */
static void insert(struct rt_events *events, struct model *model, struct rt_rng *rng,
		   unsigned delays, uint32_t number)
{
	const struct rt_packet packet = { .psn = number };
	const uint64_t delay_ps = 10 * rt_rng_below(rng, delays);
	const uint32_t slot = (uint32_t)rt_rng_below(rng, SLOTS);

	switch (rt_rng_below(rng, 5)) {
	case 0:
		rt_events_at(events, events->now_ps + delay_ps,
			     rt_event_what(TYPE, number), &packet);
		model_add(model, events->now_ps + delay_ps, number, false);
		break;
	case 1:
		model_remove_slot(model, slot);
		rt_events_slot_set(events, slot, events->now_ps + delay_ps);
		model_add(model, events->now_ps + delay_ps, slot, true);
		break;
	case 2:
		if (rt_rng_below(rng, 4) == 0) {
			model_remove_slot(model, slot);
			rt_events_slot_clear(events, slot);
		}
		break;
	default:
		rt_events_after(events, rt_events_ring(events, delay_ps), delay_ps,
				rt_event_what(TYPE, number), &packet);
		model_add(model, events->now_ps + delay_ps, number, false);
		break;
	}
}

static void take(struct rt_events *events, struct model *model)
{
	const bool any = model->count > 0;
	struct pending want;
	struct rt_event_now got;

	assert_int_equal(rt_events_next(events, RT_EVENTS_LAST_PS, &got), any);
	if (!any)
		return;
	want = model_next(model);
	assert_true(events->now_ps == want.time_ps);
	assert_int_equal(got.target, want.number);
	assert_int_equal(got.type, want.slot ? SLOT_TYPE : TYPE);
	if (!want.slot)
		assert_int_equal(got.packet->psn, want.number);
}

/* Few delays, many, and more than there are rings: the heap too. */
static void test_events_come_in_order_of_time_and_insertion(void **state)
{
	static const unsigned delays[] = { 1, 3, 6, 20, 200 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(delays); i++) {
		struct rt_events events;
		struct model model = { 0 };
		struct rt_rng rng;

		rt_rng_init(&rng, 7, i);
		init(&events);
		for (uint32_t step = 0; step < STEPS; step++) {
			if (model.count < 300 && rt_rng_below(&rng, 100) < 52)
				insert(&events, &model, &rng, delays[i], step);
			else
				take(&events, &model);
		}
		while (model.count)
			take(&events, &model);
		take(&events, &model);
		free(model.items);
		rt_events_free(&events);
	}
}

static void test_events_stop_at_the_bound(void **state)
{
	const struct rt_packet packet = { 0 };
	struct rt_events events;
	struct rt_event_now got;

	(void)state;
	init(&events);
	rt_events_at(&events, 1000, rt_event_what(TYPE, 1), &packet);
	assert_false(rt_events_next(&events, 999, &got));
	assert_true(events.now_ps == 0);
	assert_true(rt_events_next(&events, 1000, &got));
	assert_true(events.now_ps == 1000);
	rt_events_free(&events);
}

static void test_slots_hold_one_time_each(void **state)
{
	struct rt_events events;
	struct rt_event_now got;

	(void)state;
	init(&events);
	rt_events_slot_set(&events, 4, 500);
	rt_events_slot_set(&events, 5, 400);
	rt_events_slot_set(&events, 4, 300);
	assert_true(rt_events_slot_pending(&events, 4));
	assert_true(rt_events_next(&events, RT_EVENTS_LAST_PS, &got));
	assert_int_equal(got.target, 4);
	assert_true(events.now_ps == 300);
	assert_false(rt_events_slot_pending(&events, 4));
	rt_events_slot_clear(&events, 5);
	rt_events_slot_clear(&events, 5);
	assert_false(rt_events_next(&events, RT_EVENTS_LAST_PS, &got));
	rt_events_free(&events);
}

static void test_packet_queues_are_first_in_first_out(void **state)
{
	struct rt_packet_queue queue = { 0 };
	uint32_t in = 0, out = 0;
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	for (unsigned step = 0; step < 5000; step++) {
		const struct rt_packet packet = { .psn = in };

		if (rt_rng_below(&rng, 100) < 55) {
			assert_true(rt_packet_queue_push(&queue, &packet));
			in++;
		} else if (!rt_packet_queue_empty(&queue)) {
			assert_int_equal(rt_packet_queue_first(&queue)->psn, out);
			assert_int_equal(rt_packet_queue_pop(&queue).psn, out);
			out++;
		}
	}
	assert_int_equal(queue.tail - queue.head, in - out);
	free(queue.items);
}

RT_UNIT_MAIN(cmocka_unit_test(test_events_come_in_order_of_time_and_insertion),
	     cmocka_unit_test(test_events_stop_at_the_bound),
	     cmocka_unit_test(test_slots_hold_one_time_each),
	     cmocka_unit_test(test_packet_queues_are_first_in_first_out))
