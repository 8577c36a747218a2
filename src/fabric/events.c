/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/events.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"

enum {
	HEAD_SLOTS,
	HEAD_HEAP,
	HEAD_RINGS
};

#define RING_START  64u
#define QUEUE_START 16u

bool rt_packet_queue_grow(struct rt_packet_queue *queue)
{
	const uint32_t count = queue->tail - queue->head;
	const uint32_t room = queue->items ? (queue->mask + 1) * 2 : QUEUE_START;
	struct rt_packet *items;

	if (room < queue->mask)
		return false;
	items = malloc(room * sizeof(*items));
	if (!items)
		return false;
	for (uint32_t i = 0; i < count; i++)
		items[i] = queue->items[(queue->head + i) & queue->mask];
	free(queue->items);
	*queue = (struct rt_packet_queue){ .items = items,
					   .tail = count,
					   .mask = room - 1 };
	return true;
}

bool rt_event_ring_grow(struct rt_event_ring *ring)
{
	const uint32_t count = ring->tail - ring->head;
	const uint32_t room = (ring->mask + 1) * 2;
	struct rt_event *items;

	if (room < ring->mask)
		return false;
	items = malloc(room * sizeof(*items));
	if (!items)
		return false;
	for (uint32_t i = 0; i < count; i++)
		items[i] = ring->items[(ring->head + i) & ring->mask];
	free(ring->items);
	ring->items = items;
	ring->head = 0;
	ring->tail = count;
	ring->mask = room - 1;
	return true;
}

/* --- heads ------------------------------------------------------------------ */

static inline bool before(uint64_t a_ps, uint64_t a_order, uint64_t b_ps,
			  uint64_t b_order)
{
	return a_ps < b_ps || (a_ps == b_ps && a_order < b_order);
}

static inline bool head_before(const struct rt_events *events, unsigned a, unsigned b)
{
	return before(events->head_ps[a], events->head_order[a], events->head_ps[b],
		      events->head_order[b]);
}

/* Play the matches from this head's leaf up to the root again. */
void rt_events_replay(struct rt_events *events, unsigned head)
{
	uint8_t *winner = events->winner;

	for (unsigned at = (RT_EVENTS_HEADS + head) / 2; at; at /= 2) {
		const unsigned left = winner[2 * at], right = winner[2 * at + 1];

		winner[at] = (uint8_t)(head_before(events, right, left) ? right : left);
	}
}

static inline unsigned best_head(const struct rt_events *events)
{
	unsigned best = 0;

	if (events->head_count > 8)
		return events->winner[1];
	for (unsigned head = 1; head < events->head_count; head++)
		if (head_before(events, head, best))
			best = head;
	return best;
}

static void init_heads(struct rt_events *events)
{
	events->head_count = HEAD_RINGS;
	for (unsigned head = 0; head < RT_EVENTS_HEADS; head++) {
		events->head_ps[head] = RT_EVENTS_NEVER;
		events->head_order[head] = UINT64_MAX;
		events->winner[RT_EVENTS_HEADS + head] = (uint8_t)head;
	}
	for (unsigned at = RT_EVENTS_HEADS - 1; at; at--)
		events->winner[at] = events->winner[2 * at];
}

/* --- life ------------------------------------------------------------------- */

int rt_events_init(struct rt_events *events, const uint32_t *slot_what,
		   uint32_t slot_count, struct rt_err *err)
{
	*events = (struct rt_events){ 0 };
	init_heads(events);
	events->slots = calloc(slot_count + 1u, sizeof(*events->slots));
	events->slot_at = malloc((slot_count + 1u) * sizeof(*events->slot_at));
	events->slot_what = malloc((slot_count + 1u) * sizeof(*events->slot_what));
	if (!events->slots || !events->slot_at || !events->slot_what) {
		rt_events_free(events);
		return rt_err_sys(err, -ENOMEM, "cannot hold %u timers", slot_count);
	}
	memset(events->slot_at, 0xFF, slot_count * sizeof(*events->slot_at));
	if (slot_count)
		memcpy(events->slot_what, slot_what, slot_count * sizeof(*slot_what));
	return 0;
}

void rt_events_free(struct rt_events *events)
{
	for (unsigned i = 0; i < RT_EVENTS_HEADS; i++)
		free(events->rings[i].items);
	free(events->slots);
	free(events->slot_at);
	free(events->slot_what);
	free(events->heap);
	*events = (struct rt_events){ 0 };
}

unsigned rt_events_ring(struct rt_events *events, uint64_t delay_ps)
{
	const unsigned added = events->head_count;
	struct rt_event *items;

	for (unsigned i = HEAD_RINGS; i < added; i++)
		if (events->rings[i].delay_ps == delay_ps)
			return i;
	if (added == RT_EVENTS_HEADS)
		return 0;
	items = malloc(RING_START * sizeof(*items));
	if (!items)
		return 0;
	events->rings[added] = (struct rt_event_ring){ .items = items,
						       .mask = RING_START - 1,
						       .delay_ps = delay_ps };
	events->head_count++;
	/* The tree was not kept while a scan was enough. */
	if (events->head_count == 9)
		for (unsigned head = 0; head < events->head_count; head++)
			rt_events_replay(events, head);
	return added;
}

/* --- the heap --------------------------------------------------------------- */

static inline bool event_before(const struct rt_event *a, const struct rt_event *b)
{
	return before(a->time_ps, a->order, b->time_ps, b->order);
}

static void show_heap(struct rt_events *events)
{
	if (events->heap_count)
		rt_events_set_head(events, HEAD_HEAP, events->heap[0].time_ps,
				   events->heap[0].order);
	else
		rt_events_set_head(events, HEAD_HEAP, RT_EVENTS_NEVER, UINT64_MAX);
}

void rt_events_at(struct rt_events *events, uint64_t time_ps, uint32_t what,
		  const struct rt_packet *packet)
{
	struct rt_event *heap = rt_grow(events->heap, events->heap_count,
					&events->heap_capacity, sizeof(*heap));
	const struct rt_event event = { time_ps,
					events->inserted++ << RT_EVENT_WHAT_BITS | what,
					*packet };
	size_t at;

	if (!heap) {
		events->out_of_memory = true;
		return;
	}
	events->heap = heap;
	for (at = events->heap_count++; at; at = (at - 1) / 2) {
		if (!event_before(&event, &heap[(at - 1) / 2]))
			break;
		heap[at] = heap[(at - 1) / 2];
	}
	heap[at] = event;
	show_heap(events);
}

static void heap_pop(struct rt_events *events, struct rt_event *ret)
{
	struct rt_event *heap = events->heap;
	const struct rt_event last = heap[events->heap_count - 1];
	const size_t count = --events->heap_count;
	size_t at = 0;

	*ret = heap[0];
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && event_before(&heap[child + 1], &heap[child]))
			child++;
		if (!event_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (count)
		heap[at] = last;
	show_heap(events);
}

/* --- slots ------------------------------------------------------------------ */

static inline bool slot_before(const struct rt_event_slot *a,
			       const struct rt_event_slot *b)
{
	return before(a->time_ps, a->order, b->time_ps, b->order);
}

static void show_slots(struct rt_events *events)
{
	if (events->slot_pending)
		rt_events_set_head(events, HEAD_SLOTS, events->slots[0].time_ps,
				   events->slots[0].order);
	else
		rt_events_set_head(events, HEAD_SLOTS, RT_EVENTS_NEVER, UINT64_MAX);
}

static inline void slot_put(struct rt_events *events, uint32_t at,
			    const struct rt_event_slot *entry)
{
	events->slots[at] = *entry;
	events->slot_at[entry->slot] = at;
}

/* Let entry find its place, starting from the hole at. */
static void slot_settle(struct rt_events *events, uint32_t at,
			const struct rt_event_slot *entry)
{
	struct rt_event_slot *slots = events->slots;
	const uint32_t count = events->slot_pending;

	while (at && slot_before(entry, &slots[(at - 1) / 2])) {
		slot_put(events, at, &slots[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && slot_before(&slots[child + 1], &slots[child]))
			child++;
		if (!slot_before(&slots[child], entry))
			break;
		slot_put(events, at, &slots[child]);
		at = child;
	}
	slot_put(events, at, entry);
}

void rt_events_slot_set(struct rt_events *events, uint32_t slot, uint64_t time_ps)
{
	const struct rt_event_slot entry = { time_ps,
					     events->inserted++ << RT_EVENT_WHAT_BITS |
						     events->slot_what[slot],
					     slot };
	uint32_t at = events->slot_at[slot];

	if (at == UINT32_MAX)
		at = events->slot_pending++;
	slot_settle(events, at, &entry);
	show_slots(events);
}

static void slot_remove(struct rt_events *events, uint32_t at)
{
	const struct rt_event_slot last = events->slots[--events->slot_pending];

	events->slot_at[events->slots[at].slot] = UINT32_MAX;
	if (at < events->slot_pending)
		slot_settle(events, at, &last);
	show_slots(events);
}

void rt_events_slot_clear(struct rt_events *events, uint32_t slot)
{
	if (rt_events_slot_pending(events, slot))
		slot_remove(events, events->slot_at[slot]);
}

/* --- the next one ----------------------------------------------------------- */

static inline void ring_pop(struct rt_events *events, unsigned head,
			    struct rt_event *ret)
{
	struct rt_event_ring *ring = &events->rings[head];
	const struct rt_event *first;

	*ret = ring->items[ring->head++ & ring->mask];
	if (ring->head == ring->tail) {
		rt_events_set_head(events, head, RT_EVENTS_NEVER, UINT64_MAX);
		return;
	}
	first = &ring->items[ring->head & ring->mask];
	rt_events_set_head(events, head, first->time_ps, first->order);
}

bool rt_events_next(struct rt_events *events, uint64_t until_ps, struct rt_event *ret)
{
	const unsigned head = best_head(events);

	if (events->head_ps[head] > until_ps ||
	    events->head_ps[head] == RT_EVENTS_NEVER)
		return false;
	events->now_ps = events->head_ps[head];
	if (head >= HEAD_RINGS) {
		ring_pop(events, head, ret);
	} else if (head == HEAD_SLOTS) {
		ret->time_ps = events->slots[0].time_ps;
		ret->order = events->slots[0].order;
		slot_remove(events, 0);
	} else {
		heap_pop(events, ret);
	}
	return true;
}
