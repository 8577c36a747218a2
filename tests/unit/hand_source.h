/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_source.h - a source of samples whose next one a test makes by hand. */
#ifndef RT_TESTS_HAND_SOURCE_H
#define RT_TESTS_HAND_SOURCE_H

#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rocetune/err.h"
#include "watch/source.h"
#include "watch/watch.h"

#define HAND_MS  INT64_C(1000000)
#define HAND_SEC INT64_C(1000000000)

struct hand {
	struct rt_watch_source source; /* first */
	struct rt_watch_sample next;   /* what the next tick gets; ours */
	int result;                    /* of the next tick */
	bool spoils;                   /* what it had before, when it fails */
	bool tells;                    /* which values moved */
	bool has_clock;                /* of its own: next_ns says when */
	int64_t next_ns, sought_ns;
	unsigned closed;
};

/* Where now differs from before, which it follows: what a source may tell. */
static inline void hand_tell_moves(struct rt_counter_set *now,
				   const struct rt_counter_set *before)
{
	const bool follows = before->layout == now->layout &&
			     before->count == now->count && before->filling;

	now->filling = before->filling + (follows ? 1 : 2);
	now->moved = realloc(now->moved, (now->count + 1) * sizeof(*now->moved));
	assert_non_null(now->moved);
	now->moved_count = 0;
	for (size_t i = 0; follows && i < now->count; i++)
		if (now->items[i].value != before->items[i].value)
			now->moved[now->moved_count++] = (struct rt_counter_move){
				now->items[i].value, (uint32_t)i
			};
}

static inline void hand_copy_moves(struct rt_counter_set *to,
				   const struct rt_counter_set *from)
{
	to->filling = from->filling;
	to->moved_count = from->moved_count;
	to->moved = realloc(to->moved, (from->moved_count + 1) * sizeof(*to->moved));
	assert_non_null(to->moved);
	memcpy(to->moved, from->moved, from->moved_count * sizeof(*to->moved));
}

static inline void hand_copy_set(struct rt_counter_set *to,
				 const struct rt_counter_set *from, bool tells)
{
	struct rt_counter_set before = *to;

	*to = rt_counter_set_head(from);
	for (size_t i = 0; i < from->count; i++)
		assert_int_equal(rt_counter_set_add(to, &from->items[i]), 0);
	to->moved = before.moved;
	before.moved = NULL;
	if (from->moved) /* by hand */
		hand_copy_moves(to, from);
	else if (tells)
		hand_tell_moves(to, &before);
	rt_counter_set_free(&before);
}

static inline void hand_spoil(struct rt_watch_sample *sample)
{
	struct rt_watch_input *moved = calloc(sample->capacity, sizeof(*moved));

	assert_non_null(moved);
	memcpy(moved, sample->items, sample->count * sizeof(*moved));
	free(sample->items);
	sample->items = moved;
	moved[sample->count - 1].set.count--;
}

static inline int hand_sample(struct rt_watch_source *source,
			      struct rt_watch_sample *sample, struct rt_err *err)
{
	struct hand *hand = (struct hand *)source;

	if (hand->result < 0 && hand->spoils)
		hand_spoil(sample);
	if (hand->result < 0)
		return rt_err_set(err, hand->result, "the hand is empty");
	sample->time_ns = hand->next.time_ns;
	sample->wall_ns = hand->next.wall_ns;
	sample->flows.known = hand->next.flows.known;
	memcpy(sample->flows.where, hand->next.flows.where,
	       sizeof(sample->flows.where));
	while (sample->count < hand->next.count)
		assert_non_null(rt_watch_sample_add(sample));
	for (size_t i = 0; i < hand->next.count; i++) {
		sample->items[i].port = hand->next.items[i].port;
		hand_copy_set(&sample->items[i].set, &hand->next.items[i].set,
			      hand->tells);
	}
	return 0;
}

static inline int hand_next(struct rt_watch_source *source, int64_t *ret_ns)
{
	const struct hand *hand = (struct hand *)source;

	if (hand->next_ns < 0)
		return -ENODATA;
	*ret_ns = hand->next_ns;
	return 0;
}

static inline int hand_seek(struct rt_watch_source *source, int64_t time_ns,
			    struct rt_err *err)
{
	struct hand *hand = (struct hand *)source;

	if (time_ns < 0)
		return rt_err_set(err, -EINVAL, "before all time");
	hand->sought_ns = time_ns;
	return 0;
}

static inline void hand_close(struct rt_watch_source *source)
{
	((struct hand *)source)->closed++;
}

static const struct rt_watch_source_ops hand_ops = { .name = "hand",
						     .sample = hand_sample,
						     .close = hand_close };
static const struct rt_watch_source_ops hand_clock_ops = { .name = "hand with a clock",
							   .sample = hand_sample,
							   .next_ns = hand_next,
							   .seek = hand_seek,
							   .close = hand_close };

static inline struct rt_watch_input *hand_port(struct hand *hand, const char *name)
{
	struct rt_watch_input *input = rt_watch_sample_add(&hand->next);

	assert_non_null(input);
	snprintf(input->port.name, sizeof(input->port.name), "%s", name);
	snprintf(input->set.device, sizeof(input->set.device), "%s", name);
	input->port.state = RT_WATCH_UP;
	return input;
}

/* Items come in the order of counter and priority. */
static inline void hand_add(struct rt_watch_input *input, enum rt_counter_id id,
			    unsigned prio, unsigned source, unsigned bits,
			    uint64_t value)
{
	struct rt_counter_reading reading = { .counter = id,
					      .prio = (uint8_t)prio,
					      .bits = (uint8_t)bits,
					      .source = source,
					      .value = value,
					      .scale = 1 };

	snprintf(reading.name, sizeof(reading.name), "%s.%u", rt_counters[id].name,
		 prio);
	assert_int_equal(rt_counter_set_add(&input->set, &reading), 0);
	input->set.looks[source].source = source;
	input->set.looks[source].state = RT_LOOK_READ;
	input->set.layout++;
}

static inline struct rt_counter_reading *hand_find(struct hand *hand, size_t port,
						   enum rt_counter_id id, unsigned prio)
{
	return (struct rt_counter_reading *)(uintptr_t)rt_counter_find(
		&hand->next.items[port].set, id, prio);
}

static inline void hand_raise(struct hand *hand, size_t port, enum rt_counter_id id,
			      unsigned prio, uint64_t by)
{
	struct rt_counter_reading *item = hand_find(hand, port, id, prio);

	assert_non_null(item);
	item->value += by;
}

/* Time goes on; sources of a mask are read now, when paced is said. */
static inline void hand_wait(struct hand *hand, int64_t ns)
{
	hand->next.time_ns += ns;
	hand->next.wall_ns += ns;
	for (size_t i = 0; i < hand->next.count; i++)
		hand->next.items[i].set.time_ns = hand->next.time_ns;
}

static inline void hand_pace(struct hand *hand, size_t port, unsigned source)
{
	hand->next.items[port].set.paces[source] = (struct rt_counter_pace){
		.read_ns = hand->next.time_ns, .cost_ns = 1000
	};
}

static inline struct rt_watch *hand_open(struct hand *hand, uint64_t interval_ns)
{
	struct rt_watch *watch = NULL;

	hand->source.ops = hand->has_clock ? &hand_clock_ops : &hand_ops;
	snprintf(hand->source.title, sizeof(hand->source.title), "by hand");
	hand->next.time_ns = hand->next.time_ns ? hand->next.time_ns : HAND_SEC;
	assert_int_equal(rt_watch_open(&hand->source, interval_ns, &watch, NULL), 0);
	return watch;
}

static inline void hand_end(struct hand *hand, struct rt_watch *watch)
{
	rt_watch_close(watch);
	assert_int_equal(hand->closed, 1);
	rt_watch_sample_free(&hand->next);
}

static inline const struct rt_watch_view *hand_tick(struct rt_watch *watch, size_t port)
{
	assert_int_equal(rt_watch_tick(watch, NULL), 0);
	return port < rt_watch_look(watch)->count ? &rt_watch_look(watch)->views[port]
						  : NULL;
}

static inline size_t hand_events(const struct rt_watch *watch,
				 enum rt_watch_event_kind kind)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	size_t count = 0;

	for (size_t i = 0; i < snapshot->event_count; i++)
		count += snapshot->events[i].kind == kind;
	return count;
}

/* The rate of a counter; NaN: unknown, or there is no such item. */
static inline double hand_rate(const struct rt_watch_view *view, enum rt_counter_id id,
			       unsigned prio)
{
	const struct rt_counter_reading *item = rt_counter_find(view->set, id, prio);

	return item ? (double)view->per_s[item - view->set->items] : (double)NAN;
}

static inline uint64_t hand_since(const struct rt_watch_view *view,
				  enum rt_counter_id id, unsigned prio)
{
	const struct rt_counter_reading *item = rt_counter_find(view->set, id, prio);

	return item ? view->since[item - view->set->items] : UINT64_MAX;
}

#endif
