/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_timers.c - a heap of deadlines. */
#include "traffic/soft_timers.h"

#include <stdlib.h>
#include <string.h>

bool rt_soft_timers_grow(struct rt_soft_timers *timers, uint32_t size)
{
	uint64_t *at_ps;
	uint32_t *place, *heap;

	if (size <= timers->size)
		return true;
	at_ps = realloc(timers->at_ps, size * sizeof(*at_ps));
	if (at_ps)
		timers->at_ps = at_ps;
	place = realloc(timers->place, size * sizeof(*place));
	if (place)
		timers->place = place;
	heap = realloc(timers->heap, (size + 1ul) * sizeof(*heap));
	if (heap)
		timers->heap = heap;
	if (!at_ps || !place || !heap)
		return false;
	memset(place + timers->size, 0, (size - timers->size) * sizeof(*place));
	timers->size = size;
	return true;
}

void rt_soft_timers_free(struct rt_soft_timers *timers)
{
	free(timers->at_ps);
	free(timers->place);
	free(timers->heap);
	*timers = (struct rt_soft_timers){ 0 };
}

static void put(struct rt_soft_timers *timers, uint32_t place, uint32_t number)
{
	timers->heap[place] = number;
	timers->place[number] = place;
}

static void rise(struct rt_soft_timers *timers, uint32_t place, uint32_t number)
{
	const uint64_t at_ps = timers->at_ps[number];

	while (place > 1 && timers->at_ps[timers->heap[place / 2]] > at_ps) {
		put(timers, place, timers->heap[place / 2]);
		place /= 2;
	}
	put(timers, place, number);
}

static void sink(struct rt_soft_timers *timers, uint32_t place, uint32_t number)
{
	const uint64_t at_ps = timers->at_ps[number];

	for (;;) {
		uint32_t child = 2 * place;

		if (child < timers->count && timers->at_ps[timers->heap[child + 1]] <
						     timers->at_ps[timers->heap[child]])
			child++;
		if (child > timers->count ||
		    timers->at_ps[timers->heap[child]] >= at_ps)
			break;
		put(timers, place, timers->heap[child]);
		place = child;
	}
	put(timers, place, number);
}

static void take_out(struct rt_soft_timers *timers, uint32_t number)
{
	const uint32_t place = timers->place[number];
	const uint32_t last = timers->heap[timers->count--];

	timers->place[number] = 0;
	if (last == number)
		return;
	rise(timers, place, last);
	sink(timers, timers->place[last], last);
}

void rt_soft_timers_set(struct rt_soft_timers *timers, uint32_t number, uint64_t at_ps)
{
	uint32_t place = timers->place[number];

	if (at_ps == RT_PS_NEVER) {
		if (place)
			take_out(timers, number);
		return;
	}
	timers->at_ps[number] = at_ps;
	if (!place)
		place = ++timers->count;
	rise(timers, place, number);
	sink(timers, timers->place[number], number);
}

bool rt_soft_timers_due(struct rt_soft_timers *timers, uint64_t now_ps,
			uint32_t *ret_number)
{
	if (rt_soft_timers_next(timers) > now_ps)
		return false;
	*ret_number = timers->heap[1];
	take_out(timers, *ret_number);
	return true;
}
