/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/switch_queue.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_RING_BYTES 4096u
#define WRAP             UINT32_MAX /* as bytes: what follows lies at the start */

static uint64_t span(uint32_t bytes)
{
	return (sizeof(struct rt_lab_stored) + bytes + 15) & ~UINT64_C(15);
}

static struct rt_lab_stored *stored_at(const struct rt_lab_queue *queue, uint64_t at)
{
	return (struct rt_lab_stored *)(void *)(queue->ring + (at & queue->mask));
}

/* From at, or from the ring's start if nothing but the mark of that is there. */
static uint64_t skip(const struct rt_lab_queue *queue, uint64_t at)
{
	return stored_at(queue, at)->bytes == WRAP ? (at | queue->mask) + 1 : at;
}

static uint64_t next(const struct rt_lab_queue *queue, uint64_t at)
{
	return at + span(stored_at(queue, at)->bytes);
}

/* What putting takes at the end, with the stretch that is too short for it. */
static uint64_t needs(const struct rt_lab_queue *queue, uint32_t bytes)
{
	const uint64_t left = queue->mask + 1 - (queue->tail & queue->mask);

	return span(bytes) > left ? left + span(bytes) : span(bytes);
}

/* In a larger ring frames lie one behind the other from its start. */
static bool grow(struct rt_lab_queue *queue, uint32_t bytes)
{
	struct rt_lab_queue larger = { 0 };
	uint64_t size = queue->ring ? (queue->mask + 1) * 2 : FIRST_RING_BYTES;

	while (size < (queue->tail - queue->free) + span(bytes))
		size *= 2;
	larger.ring = aligned_alloc(64, size);
	if (!larger.ring)
		return false;
	larger.mask = size - 1;
	for (uint64_t at = queue->free; at != queue->tail;) {
		if (at == queue->head)
			larger.head = larger.tail;
		at = skip(queue, at);
		memcpy(stored_at(&larger, larger.tail), stored_at(queue, at),
		       span(stored_at(queue, at)->bytes));
		larger.tail += span(stored_at(queue, at)->bytes);
		at = next(queue, at);
	}
	if (queue->head == queue->tail)
		larger.head = larger.tail;
	free(queue->ring);
	*queue = larger;
	return true;
}

bool rt_lab_queue_room(struct rt_lab_queue *queue, uint32_t bytes)
{
	/* Short queues stay in few lines of a cache. */
	if (queue->free == queue->tail)
		queue->free = queue->head = queue->tail = 0;
	if (queue->ring &&
	    queue->tail - queue->free + needs(queue, bytes) <= queue->mask + 1)
		return true;
	return grow(queue, bytes);
}

struct rt_lab_stored *rt_lab_queue_put(struct rt_lab_queue *queue, uint32_t bytes)
{
	struct rt_lab_stored *stored;

	if (needs(queue, bytes) != span(bytes)) {
		stored_at(queue, queue->tail)->bytes = WRAP;
		queue->tail = (queue->tail | queue->mask) + 1;
	}
	stored = stored_at(queue, queue->tail);
	*stored = (struct rt_lab_stored){ .bytes = bytes };
	queue->tail += span(bytes);
	return stored;
}

struct rt_lab_stored *rt_lab_queue_first(const struct rt_lab_queue *queue)
{
	return stored_at(queue, skip(queue, queue->head));
}

void rt_lab_queue_take(struct rt_lab_queue *queue)
{
	queue->head = next(queue, skip(queue, queue->head));
}

struct rt_lab_stored *rt_lab_queue_taken(const struct rt_lab_queue *queue, uint64_t *at)
{
	const uint64_t here = skip(queue, *at);

	*at = next(queue, here);
	return stored_at(queue, here);
}

void rt_lab_queue_let_go(struct rt_lab_queue *queue)
{
	queue->free = next(queue, skip(queue, queue->free));
}

void rt_lab_queue_free(struct rt_lab_queue *queue)
{
	free(queue->ring);
	*queue = (struct rt_lab_queue){ 0 };
}
