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
 *   - one ring per distinct delay, which costs nothing to keep sorted;
 *   - slots, for timers that move (a QP's next send, its rate timer, a port
 *     that becomes free, a pause that ends): one pending time per slot, in an
 *     indexed heap;
 *   - a heap for whatever has one delay too many.
 * Each of these shows its earliest event as one head; the next event is the
 * earliest head, by a scan up to eight heads and by a winner tree beyond.
 */
#ifndef RT_FABRIC_EVENTS_H
#define RT_FABRIC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/packet.h"

struct rt_err;

#define RT_EVENTS_NEVER UINT64_MAX
#define RT_EVENTS_HEADS 64u /* rings, and the two heaps */

/*
 * order holds, from the top, the insertion number (36 bits), the type (4) and
 * the target (24): comparing it compares insertion numbers.
 */
#define RT_EVENT_TARGET_BITS 24
#define RT_EVENT_TYPE_BITS   4
#define RT_EVENT_WHAT_BITS   (RT_EVENT_TARGET_BITS + RT_EVENT_TYPE_BITS)
#define RT_EVENTS_MAX        (UINT64_C(1) << (64 - RT_EVENT_WHAT_BITS))

struct rt_event {
	uint64_t time_ps;
	uint64_t order;
	struct rt_packet packet; /* of ring and heap events; else undefined */
};

struct rt_event_ring {
	struct rt_event *items;
	uint32_t head, tail, mask;
	uint64_t delay_ps;
};

struct rt_event_slot {
	uint64_t time_ps;
	uint64_t order;
	uint32_t slot;
};

struct rt_events {
	uint64_t now_ps;
	uint64_t inserted;
	bool out_of_memory; /* an event was lost: the run must end */

	/* Heads: 0 is the slots, 1 the heap, the rest are rings. */
	uint32_t head_count;
	uint64_t head_ps[RT_EVENTS_HEADS];
	uint64_t head_order[RT_EVENTS_HEADS];
	uint8_t winner[2 * RT_EVENTS_HEADS]; /* tree over heads; [1] is the best */
	struct rt_event_ring rings[RT_EVENTS_HEADS];

	struct rt_event_slot *slots; /* heap of the pending ones */
	uint32_t slot_pending;
	uint32_t *slot_at;   /* where in slots; UINT32_MAX: not pending */
	uint32_t *slot_what; /* type and target of each slot */

	struct rt_event *heap;
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

/* slot_what (rt_event_what() of each slot) is copied.  -ENOMEM. */
int rt_events_init(struct rt_events *events, const uint32_t *slot_what,
		   uint32_t slot_count, struct rt_err *err);
void rt_events_free(struct rt_events *events);

/*
 * The ring for events delay_ps from now: make it, or find it.  0 when there are
 * too many distinct delays: rt_events_after() then uses the heap.
 */
unsigned rt_events_ring(struct rt_events *events, uint64_t delay_ps);

/* Schedule through the heap, at any time not before now. */
void rt_events_at(struct rt_events *events, uint64_t time_ps, uint32_t what,
		  const struct rt_packet *packet);

bool rt_event_ring_grow(struct rt_event_ring *ring);
void rt_events_replay(struct rt_events *events, unsigned head);

static inline void rt_events_set_head(struct rt_events *events, unsigned head,
				      uint64_t time_ps, uint64_t order)
{
	events->head_ps[head] = time_ps;
	events->head_order[head] = order;
	if (events->head_count > 8)
		rt_events_replay(events, head);
}

/* Schedule what for delay_ps from now; ring is that delay's, or 0. */
static inline void rt_events_after(struct rt_events *events, unsigned ring_index,
				   uint64_t delay_ps, uint32_t what,
				   const struct rt_packet *packet)
{
	struct rt_event_ring *ring = &events->rings[ring_index];
	const uint64_t time_ps = events->now_ps + delay_ps;
	uint64_t order;

	if (!ring_index) {
		rt_events_at(events, time_ps, what, packet);
		return;
	}
	if (ring->tail - ring->head > ring->mask && !rt_event_ring_grow(ring)) {
		events->out_of_memory = true;
		return;
	}
	order = events->inserted++ << RT_EVENT_WHAT_BITS | what;
	ring->items[ring->tail & ring->mask] = (struct rt_event){ time_ps, order,
								  *packet };
	if (ring->head == ring->tail++)
		rt_events_set_head(events, ring_index, time_ps, order);
}

/* Let slot happen at time_ps, not before now; moves it when it is pending. */
void rt_events_slot_set(struct rt_events *events, uint32_t slot, uint64_t time_ps);
void rt_events_slot_clear(struct rt_events *events, uint32_t slot);

static inline bool rt_events_slot_pending(const struct rt_events *events, uint32_t slot)
{
	return events->slot_at[slot] != UINT32_MAX;
}

/*
 * Take the earliest event not after until_ps and make its time now.  False when
 * there is none; now is then left alone.
 */
bool rt_events_next(struct rt_events *events, uint64_t until_ps, struct rt_event *ret);

#endif
