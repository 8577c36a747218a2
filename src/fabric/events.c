/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/events.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"

#define RING_START  64u
#define QUEUE_START 16u
#define CHILDREN    4u

#define KEY_NEVER (~(unsigned __int128)0)

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

static inline unsigned __int128 key_of(uint64_t time_ps, uint64_t order)
{
	return (unsigned __int128)time_ps << 64 | order;
}

static inline uint64_t time_of(unsigned __int128 key)
{
	return (uint64_t)(key >> 64);
}

static inline uint64_t next_order(struct rt_events *events, uint32_t low)
{
	return events->inserted++ << RT_EVENT_WHAT_BITS | low;
}

/* --- rings -------------------------------------------------------------- */

static uint64_t ring_key(const struct rt_event_ring *ring)
{
	if (ring->head == ring->tail)
		return RT_EVENTS_NEVER;
	return rt_events_key(ring, &ring->items[ring->head & ring->mask]);
}

/* Ranks and the tree anew: a ring was added, and some are now one rank later. */
static void build_tree(struct rt_events *events)
{
	uint64_t *tree = events->tree;

	while (events->leaves < events->ring_count)
		events->leaves *= 2;
	for (unsigned i = 0; i < events->ring_count; i++) {
		unsigned rank = 0;

		for (unsigned other = 0; other < events->ring_count; other++)
			rank += events->rings[other].delay_ps >
				events->rings[i].delay_ps;
		events->rings[i].tag = (rank << RT_EVENTS_RING_BITS | i)
				       << RT_EVENT_TYPE_BITS;
	}
	for (unsigned i = 0; i < events->leaves; i++)
		tree[events->leaves + i] = i < events->ring_count
						   ? ring_key(&events->rings[i])
						   : RT_EVENTS_NEVER;
	for (unsigned at = events->leaves - 1; at; at--)
		tree[at] = tree[2 * at] < tree[2 * at + 1] ? tree[2 * at]
							   : tree[2 * at + 1];
}

struct rt_event_ring *rt_events_ring(struct rt_events *events, uint64_t delay_ps)
{
	const unsigned added = events->ring_count;
	struct rt_event_ring *rings = events->rings;
	struct rt_event *items;

	for (unsigned i = 0; i < added; i++)
		if (rings[i].delay_ps == delay_ps)
			return &rings[i];
	items = added < RT_EVENTS_RINGS ? malloc(RING_START * sizeof(*items)) : NULL;
	if (!items)
		return &events->none;
	rings[added] = (struct rt_event_ring){ .items = items,
					       .mask = RING_START - 1,
					       .delay_ps = delay_ps };
	events->ring_count++;
	build_tree(events);
	return &rings[added];
}

/*
 * What it was is freed when the ring grows again: nothing that happens schedules as
 * much as fills a ring.
 */
static bool grow_ring(struct rt_events *events, struct rt_event_ring *ring)
{
	struct rt_event **outgrown = &events->outgrown[ring - events->rings];
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
	free(*outgrown);
	*outgrown = ring->items;
	ring->items = items;
	ring->head = 0;
	ring->tail = count;
	ring->mask = room - 1;
	return true;
}

void rt_events_after_slowly(struct rt_events *events, struct rt_event_ring *ring,
			    uint64_t delay_ps, uint32_t what,
			    const struct rt_packet *packet)
{
	if (ring == &events->none)
		rt_events_at(events, events->now_ps + delay_ps, what, packet);
	else if (grow_ring(events, ring))
		rt_events_after(events, ring, delay_ps, what, packet);
	else
		events->out_of_memory = true;
}

/* --- life --------------------------------------------------------------- */

static void init_rings(struct rt_events *events)
{
	/* Always full, so that rt_events_after() sees it with one question. */
	events->none.tail = 1;
	events->leaves = 2;
	build_tree(events);
}

static int init_slots(struct rt_events *events, uint32_t count, uint32_t busy_count)
{
	const uint32_t heap_count = count - busy_count;

	events->busy_count = busy_count;
	events->busy_hole = UINT32_MAX;
	events->busy_leaves = 1;
	while (events->busy_leaves < busy_count)
		events->busy_leaves *= 2;
	events->busy = malloc(2 * events->busy_leaves * sizeof(*events->busy));
	events->slots = malloc((heap_count + CHILDREN) * sizeof(*events->slots));
	events->slot_at = malloc((count + 1u) * sizeof(*events->slot_at));
	events->slot_what = malloc((count + 1u) * sizeof(*events->slot_what));
	if (!events->busy || !events->slots || !events->slot_at || !events->slot_what)
		return -ENOMEM;
	memset(events->busy, 0xFF, 2 * events->busy_leaves * sizeof(*events->busy));
	memset(events->slots, 0xFF, CHILDREN * sizeof(*events->slots));
	memset(events->slot_at, 0xFF, count * sizeof(*events->slot_at));
	return 0;
}

int rt_events_init(struct rt_events *events, const uint32_t *slot_what,
		   uint32_t slot_count, uint32_t busy_count, struct rt_err *err)
{
	*events = (struct rt_events){ .rare_ps = RT_EVENTS_NEVER };
	init_rings(events);
	if (init_slots(events, slot_count, busy_count) < 0) {
		rt_events_free(events);
		return rt_err_sys(err, -ENOMEM, "cannot hold %u timers", slot_count);
	}
	if (slot_count)
		memcpy(events->slot_what, slot_what, slot_count * sizeof(*slot_what));
	return 0;
}

void rt_events_free(struct rt_events *events)
{
	for (unsigned i = 0; i < RT_EVENTS_RINGS; i++) {
		free(events->rings[i].items);
		free(events->outgrown[i]);
	}
	free(events->busy);
	free(events->slots);
	free(events->slot_at);
	free(events->slot_what);
	free(events->heap);
	*events = (struct rt_events){ 0 };
}

/* --- the heap ----------------------------------------------------------- */

static inline unsigned __int128 event_key(const struct rt_event *event)
{
	return key_of(event->time_ps, event->order);
}

static unsigned __int128 first_of_heap(const struct rt_events *events)
{
	return events->heap_count ? event_key(&events->heap[0]) : KEY_NEVER;
}

static void show_rare(struct rt_events *events)
{
	const uint64_t heap_ps = time_of(first_of_heap(events));
	const uint64_t slot_ps = time_of(events->slots[0]);

	events->rare_ps = slot_ps < heap_ps ? slot_ps : heap_ps;
}

void rt_events_at(struct rt_events *events, uint64_t time_ps, uint32_t what,
		  const struct rt_packet *packet)
{
	struct rt_event *heap = rt_grow(events->heap, events->heap_count,
					&events->heap_capacity, sizeof(*heap));
	const struct rt_event event = { time_ps, next_order(events, what), *packet };
	size_t at;

	if (!heap) {
		events->out_of_memory = true;
		return;
	}
	events->heap = heap;
	for (at = events->heap_count++; at; at = (at - 1) / 2) {
		if (event_key(&event) > event_key(&heap[(at - 1) / 2]))
			break;
		heap[at] = heap[(at - 1) / 2];
	}
	heap[at] = event;
	show_rare(events);
}

static void take_heap(struct rt_events *events, struct rt_event_now *ret)
{
	struct rt_event *heap = events->heap;
	const struct rt_event last = heap[events->heap_count - 1];
	const size_t count = --events->heap_count;
	size_t at = 0;

	ret->type = rt_event_type(&heap[0]);
	ret->target = rt_event_target(&heap[0]);
	events->heap_taken = heap[0];
	ret->packet = &events->heap_taken.packet;
	events->now_ps = heap[0].time_ps;
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    event_key(&heap[child + 1]) < event_key(&heap[child]))
			child++;
		if (event_key(&heap[child]) > event_key(&last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (count)
		heap[at] = last;
	show_rare(events);
}

/* --- slots: the heap ---------------------------------------------------- */

static inline uint32_t slot_of(unsigned __int128 key)
{
	return (uint32_t)key & ((1u << RT_EVENT_WHAT_BITS) - 1);
}

static inline void slot_put(struct rt_events *events, uint32_t at,
			    unsigned __int128 key)
{
	events->slots[at] = key;
	events->slot_at[slot_of(key)] = at;
}

/* Of two places the earlier; without a branch, for nobody can guess it. */
static inline uint32_t earlier(const unsigned __int128 *slots, uint32_t a, uint32_t b)
{
	const uint32_t second = slots[b] < slots[a];

	return a ^ ((a ^ b) & -second);
}

static void slot_rise(struct rt_events *events, uint32_t at, unsigned __int128 key)
{
	while (at) {
		const uint32_t parent = (at - 1) / CHILDREN;

		if (key > events->slots[parent])
			break;
		slot_put(events, at, events->slots[parent]);
		at = parent;
	}
	slot_put(events, at, key);
}

static void slot_sink(struct rt_events *events, uint32_t at, unsigned __int128 key)
{
	const uint32_t count = events->slot_pending;

	while (CHILDREN * at + 1 < count) {
		const unsigned __int128 *slots = &events->slots[CHILDREN * at + 1];
		const uint32_t child = earlier(slots, earlier(slots, 0, 1),
					       earlier(slots, 2, 3));

		if (slots[child] > key)
			break;
		slot_put(events, at, slots[child]);
		at = CHILDREN * at + 1 + child;
	}
	slot_put(events, at, key);
}

static void slot_set(struct rt_events *events, uint32_t slot, unsigned __int128 key)
{
	const uint32_t at = events->slot_at[slot];

	if (at != UINT32_MAX) {
		if (key > events->slots[at])
			slot_sink(events, at, key);
		else
			slot_rise(events, at, key);
	} else if (events->slot_hole) {
		events->slot_hole = events->holes = false;
		slot_sink(events, 0, key);
	} else {
		const uint32_t last = events->slot_pending++;

		events->slots[last + CHILDREN] = KEY_NEVER;
		slot_rise(events, last, key);
	}
	show_rare(events);
}

/* Let the last entry take the free place at. */
static void slot_close(struct rt_events *events, uint32_t at)
{
	const uint32_t count = --events->slot_pending;
	const unsigned __int128 last = events->slots[count];

	events->slots[count] = KEY_NEVER;
	if (at != count) {
		if (at && last < events->slots[(at - 1) / CHILDREN])
			slot_rise(events, at, last);
		else
			slot_sink(events, at, last);
	}
	show_rare(events);
}

/* --- slots: the tournament ---------------------------------------------- */

/* Let slot have key, and play its matches up to the root again. */
static void busy_show(struct rt_events *events, uint32_t slot, unsigned __int128 key)
{
	unsigned __int128 *busy = events->busy;
	uint32_t at = events->busy_leaves + slot;

	busy[at] = key;
	while (at > 1) {
		const unsigned __int128 other = busy[at ^ 1];

		key = other < key ? other : key;
		at /= 2;
		busy[at] = key;
	}
}

/* --- slots -------------------------------------------------------------- */

void rt_events_slot_set(struct rt_events *events, uint32_t slot, uint64_t time_ps)
{
	const unsigned __int128 key = key_of(time_ps, next_order(events, slot));

	if (slot >= events->busy_count) {
		slot_set(events, slot, key);
		return;
	}
	if (slot == events->busy_hole) {
		events->busy_hole = UINT32_MAX;
		events->holes = false;
	}
	busy_show(events, slot, key);
}

void rt_events_slot_clear(struct rt_events *events, uint32_t slot)
{
	if (!rt_events_slot_pending(events, slot))
		return;
	if (slot < events->busy_count) {
		busy_show(events, slot, KEY_NEVER);
		return;
	}
	slot_close(events, events->slot_at[slot]);
	events->slot_at[slot] = UINT32_MAX;
}

/*
 * A timer that fires is often set again at once, so its place is kept free until
 * the next event is asked for: then one way through the structure serves both.
 * What is left there is earlier than all else, and nothing passes it.
 */
static void take_slot(struct rt_events *events, struct rt_event_now *ret)
{
	const uint32_t slot = slot_of(events->slots[0]);

	ret->type = events->slot_what[slot] >> RT_EVENT_TARGET_BITS;
	ret->target = events->slot_what[slot] & ((1u << RT_EVENT_TARGET_BITS) - 1);
	events->now_ps = time_of(events->slots[0]);
	events->holes = true;
	events->slot_hole = true;
	events->slot_at[slot] = UINT32_MAX;
}

void rt_events_fill_holes(struct rt_events *events)
{
	events->holes = false;
	if (events->busy_hole != UINT32_MAX)
		busy_show(events, events->busy_hole, KEY_NEVER);
	events->busy_hole = UINT32_MAX;
	if (events->slot_hole) {
		events->slot_hole = false;
		slot_close(events, 0);
	}
}

/* --- the next one ------------------------------------------------------- */

static unsigned __int128 first_of_rings(const struct rt_events *events)
{
	const struct rt_event_ring *ring =
		&events->rings[rt_event_ring_of(events->tree[1])];

	if (events->tree[1] == RT_EVENTS_NEVER)
		return KEY_NEVER;
	return event_key(&ring->items[ring->head & ring->mask]);
}

static inline unsigned __int128 earlier_key(unsigned __int128 a, unsigned __int128 b)
{
	return a < b ? a : b;
}

bool rt_events_next_of_all(struct rt_events *events, uint64_t until_ps,
			   struct rt_event_now *ret)
{
	const unsigned __int128 ring = first_of_rings(events);
	const unsigned __int128 busy = events->busy[1], slot = events->slots[0];
	const unsigned __int128 first = earlier_key(
		earlier_key(ring, busy), earlier_key(slot, first_of_heap(events)));

	if (time_of(first) > until_ps)
		return false;
	if (first == ring)
		rt_events_take_ring(events, ret);
	else if (first == busy)
		rt_events_take_busy(events, ret);
	else if (first == slot)
		take_slot(events, ret);
	else
		take_heap(events, ret);
	return true;
}

void rt_events_each(const struct rt_events *events,
		    void (*visit)(void *user, const struct rt_event *event), void *user)
{
	for (unsigned i = 0; i < events->ring_count; i++) {
		const struct rt_event_ring *ring = &events->rings[i];

		for (uint32_t at = ring->head; at != ring->tail; at++)
			visit(user, &ring->items[at & ring->mask]);
	}
	for (size_t i = 0; i < events->heap_count; i++)
		visit(user, &events->heap[i]);
}
