/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - what happens next in a simulated fabric.
 *
 * Time is integer picoseconds.  Events of equal time happen in the order in
 * which they were scheduled, whatever structure they wait in, so a run is the
 * same everywhere.
 *
 * Nearly all events of a network happen a fixed delay after they were scheduled
 * (a packet of one size over one kind of link), and events of one delay are in
 * order already.  So there is:
 *   - one ring per distinct delay, which costs nothing to keep sorted.  The
 *     earliest of their heads is the root of a small tree of 64-bit keys.  When
 *     two rings are due at once, what waited longer was scheduled first: the
 *     delay alone breaks the tie, and no insertion number is compared;
 *   - slots, for timers that move: one pending time per slot.  Those that are
 *     set for nearly every packet (a QP's next send, a port that becomes free)
 *     stand in a tournament: one fixed way up, nothing that a processor must
 *     guess.  The others (rate timers, a pause that ends) are an indexed heap;
 *   - a heap for whatever has one delay too many.
 */
#ifndef RT_FABRIC_EVENTS_H
#define RT_FABRIC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/packet.h"

struct rt_err;

#define RT_EVENTS_NEVER UINT64_MAX
#define RT_EVENTS_RINGS 32u

/*
 * order holds, from the top, the insertion number (36 bits), the type (4) and
 * the target (24): comparing it compares insertion numbers.
 */
#define RT_EVENT_TARGET_BITS 24
#define RT_EVENT_TYPE_BITS   4
#define RT_EVENT_WHAT_BITS   (RT_EVENT_TARGET_BITS + RT_EVENT_TYPE_BITS)
#define RT_EVENTS_MAX        (UINT64_C(1) << (64 - RT_EVENT_WHAT_BITS))

/*
 * A key of the tree holds, from the top, the time (50 bits), the rank of the
 * ring's delay (5; the longest is 0), the ring's number (5) and the event's type
 * (4): what is to be done is known before the event itself is looked at.
 */
#define RT_EVENTS_RING_BITS 5
#define RT_EVENTS_TAG_BITS  (2 * RT_EVENTS_RING_BITS + RT_EVENT_TYPE_BITS)

#define RT_EVENTS_FETCH 16u

/* The latest that a ring can hold: 1125 s. */
#define RT_EVENTS_LAST_PS ((UINT64_C(1) << (64 - RT_EVENTS_TAG_BITS)) - 2)

struct rt_event {
	uint64_t time_ps;
	uint64_t order;
	struct rt_packet packet;
};

/* One that happens now. */
struct rt_event_now {
	unsigned type;
	uint32_t target;
	/*
	 * Of ring and heap events, else undefined.  Where it waited, so it is there
	 * until the next event is taken, and may be changed.
	 */
	struct rt_packet *packet;
};

struct rt_event_ring {
	struct rt_event *items;
	uint64_t delay_ps;
	uint32_t head, tail, mask;
	uint32_t tag; /* the low bits of its keys, less the type */
};

struct rt_events {
	uint64_t now_ps;
	uint64_t inserted;
	uint32_t ring_count;
	uint32_t leaves;    /* of the tree: a power of two, at least ring_count */
	bool holes;         /* a slot was taken, and its place is not filled */
	bool out_of_memory; /* an event was lost: the run must end */

	/* Each node is the lesser of its two children; [1] is the root. */
	uint64_t tree[2 * RT_EVENTS_RINGS];
	struct rt_event_ring rings[RT_EVENTS_RINGS];
	struct rt_event *outgrown[RT_EVENTS_RINGS]; /* of rings: may be in use */
	struct rt_event_ring none;                  /* always full: for the heap */
	unsigned last_ring;                         /* from which an event was taken */

	/*
	 * Keys of slots: time above order, whose low bits are the slot's number.
	 * The tournament of the busy ones: each node is the earlier of two, [1] the
	 * earliest, and slot n stands at [busy_leaves + n].
	 */
	unsigned __int128 *busy;
	uint32_t busy_count, busy_leaves;
	uint32_t busy_hole; /* slot; UINT32_MAX: none */

	/*
	 * The heap of the others that are pending, four children to a node; never
	 * empty, for what comes after the last is later than all.
	 */
	unsigned __int128 *slots;
	uint32_t slot_pending;
	bool slot_hole;      /* the first was taken */
	uint32_t *slot_at;   /* where in slots; UINT32_MAX: not pending; of all */
	uint32_t *slot_what; /* type and target of each slot */

	uint64_t rare_ps; /* the earlier of the first in slots and in heap */
	struct rt_event *heap;
	struct rt_event heap_taken;
	size_t heap_count, heap_capacity;
};

static inline uint32_t rt_event_what(unsigned type, uint32_t target)
{
	return (uint32_t)type << RT_EVENT_TARGET_BITS | target;
}

static inline unsigned rt_event_type(const struct rt_event *event)
{
	return (unsigned)(event->order >> RT_EVENT_TARGET_BITS) &
	       ((1u << RT_EVENT_TYPE_BITS) - 1);
}

static inline uint32_t rt_event_target(const struct rt_event *event)
{
	return (uint32_t)event->order & ((1u << RT_EVENT_TARGET_BITS) - 1);
}

/*
 * slot_what (rt_event_what() of each slot) is copied.  The first busy_count slots
 * are the busy ones.  -ENOMEM.
 */
int rt_events_init(struct rt_events *events, const uint32_t *slot_what,
		   uint32_t slot_count, uint32_t busy_count, struct rt_err *err);
void rt_events_free(struct rt_events *events);

/*
 * The ring for events delay_ps from now: make it, or find it.  When there are too
 * many distinct delays rt_events_after() uses the heap for what comes here.
 */
struct rt_event_ring *rt_events_ring(struct rt_events *events, uint64_t delay_ps);

/* Schedule through the heap, at any time not before now. */
void rt_events_at(struct rt_events *events, uint64_t time_ps, uint32_t what,
		  const struct rt_packet *packet);

/* Not for callers: there is no such ring, or it is full. */
void rt_events_after_slowly(struct rt_events *events, struct rt_event_ring *ring,
			    uint64_t delay_ps, uint32_t what,
			    const struct rt_packet *packet);

static inline unsigned rt_event_ring_of(uint64_t key_or_tag)
{
	return key_or_tag >> RT_EVENT_TYPE_BITS & (RT_EVENTS_RINGS - 1);
}

static inline uint64_t rt_events_key(const struct rt_event_ring *ring,
				     const struct rt_event *event)
{
	return event->time_ps << RT_EVENTS_TAG_BITS | ring->tag | rt_event_type(event);
}

/* The head of an empty ring: on its way up it stops where something is earlier. */
static inline void rt_events_show_first(struct rt_events *events, uint64_t key)
{
	uint64_t *tree = events->tree;
	uint32_t at = events->leaves + rt_event_ring_of(key);

	do {
		tree[at] = key;
		at /= 2;
	} while (key < tree[at]); /* never at [0] */
}

/* The head of the ring that was the earliest, as one was taken from it. */
static inline void rt_events_show_next(struct rt_events *events, unsigned ring,
				       uint64_t key)
{
	uint64_t *tree = events->tree;
	uint32_t at = events->leaves + ring;

	tree[at] = key;
	while (at > 1) {
		const uint64_t other = tree[at ^ 1];

		key = other < key ? other : key;
		at /= 2;
		tree[at] = key;
	}
}

/* Schedule what for delay_ps from now; ring is rt_events_ring()'s for that. */
static inline void rt_events_after(struct rt_events *events, struct rt_event_ring *ring,
				   uint64_t delay_ps, uint32_t what,
				   const struct rt_packet *packet)
{
	struct rt_event *item;

	/* One place is left free: that of the event which happens now. */
	if (__builtin_expect(ring->tail - ring->head >= ring->mask, 0)) {
		rt_events_after_slowly(events, ring, delay_ps, what, packet);
		return;
	}
	item = &ring->items[ring->tail & ring->mask];
	item->time_ps = events->now_ps + delay_ps;
	item->order = events->inserted++ << RT_EVENT_WHAT_BITS | what;
	item->packet = *packet;
	if (ring->head == ring->tail++)
		rt_events_show_first(events, rt_events_key(ring, item));
}

/* Let slot happen at time_ps, not before now; moves it when it is pending. */
void rt_events_slot_set(struct rt_events *events, uint32_t slot, uint64_t time_ps);
void rt_events_slot_clear(struct rt_events *events, uint32_t slot);

static inline bool rt_events_slot_pending(const struct rt_events *events, uint32_t slot)
{
	if (slot >= events->busy_count)
		return events->slot_at[slot] != UINT32_MAX;
	return ~events->busy[events->busy_leaves + slot] && slot != events->busy_hole;
}

/* Not for callers: parts of rt_events_next(). */
void rt_events_fill_holes(struct rt_events *events);
bool rt_events_next_of_all(struct rt_events *events, uint64_t until_ps,
			   struct rt_event_now *ret);

static inline void rt_events_take_ring(struct rt_events *events,
				       struct rt_event_now *ret)
{
	const uint64_t first = events->tree[1];
	const unsigned index = rt_event_ring_of(first);
	struct rt_event_ring *ring = &events->rings[index];
	struct rt_event *item = &ring->items[ring->head++ & ring->mask];
	uint64_t key = RT_EVENTS_NEVER;

	ret->type = first & ((1u << RT_EVENT_TYPE_BITS) - 1);
	ret->target = rt_event_target(item);
	ret->packet = &item->packet;
	events->now_ps = first >> RT_EVENTS_TAG_BITS;
	events->last_ring = index;
	if (ring->head != ring->tail)
		key = rt_events_key(ring, &ring->items[ring->head & ring->mask]);
	rt_events_show_next(events, index, key);
}

static inline void rt_events_take_busy(struct rt_events *events,
				       struct rt_event_now *ret)
{
	const unsigned __int128 first = events->busy[1];
	const uint32_t slot = (uint32_t)first & ((1u << RT_EVENT_WHAT_BITS) - 1);

	ret->type = events->slot_what[slot] >> RT_EVENT_TARGET_BITS;
	ret->target = events->slot_what[slot] & ((1u << RT_EVENT_TARGET_BITS) - 1);
	events->now_ps = (uint64_t)(first >> 64);
	events->holes = true;
	events->busy_hole = slot;
}

/* Whether the first ring goes before the first busy slot. */
static inline bool rt_events_ring_first(const struct rt_events *events)
{
	const uint64_t ring_ps = events->tree[1] >> RT_EVENTS_TAG_BITS;
	const uint64_t busy_ps = (uint64_t)(events->busy[1] >> 64);
	const struct rt_event_ring *ring;

	if (ring_ps != busy_ps)
		return ring_ps < busy_ps;
	ring = &events->rings[rt_event_ring_of(events->tree[1])];
	return ring->items[ring->head & ring->mask].order < (uint64_t)events->busy[1];
}

/*
 * Take the earliest event not after until_ps (RT_EVENTS_LAST_PS at most) and make
 * its time now.  False when there is none; now is then left alone.
 */
static inline bool rt_events_next(struct rt_events *events, uint64_t until_ps,
				  struct rt_event_now *ret)
{
	uint64_t ring_ps;

	if (events->holes)
		rt_events_fill_holes(events);
	ring_ps = events->tree[1] >> RT_EVENTS_TAG_BITS;
	if (events->rare_ps <= ring_ps || ring_ps > until_ps)
		return rt_events_next_of_all(events, until_ps, ret);
	if (rt_events_ring_first(events))
		rt_events_take_ring(events, ret);
	else
		rt_events_take_busy(events, ret);
	return true;
}

/* The event of the ring last taken from that comes after ahead others; or NULL. */
static inline const struct rt_event *rt_events_ahead(const struct rt_events *events,
						     uint32_t ahead)
{
	const struct rt_event_ring *ring = &events->rings[events->last_ring];

	if (ring->tail - ring->head <= ahead)
		return NULL;
	return &ring->items[(ring->head + ahead) & ring->mask];
}

/* Ask early for the places of that ring that are soon read, and soon written. */
static inline __attribute__((always_inline)) void
rt_events_fetch(const struct rt_events *events)
{
	const struct rt_event_ring *ring = &events->rings[events->last_ring];

	__builtin_prefetch(&ring->items[(ring->head + RT_EVENTS_FETCH) & ring->mask]);
	__builtin_prefetch(&ring->items[(ring->tail + RT_EVENTS_FETCH) & ring->mask],
			   1);
}

/* Visit what waits in rings and heap, in no order; not the slots. */
void rt_events_each(const struct rt_events *events,
		    void (*visit)(void *user, const struct rt_event *event),
		    void *user);

#endif
