/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_holds.c - a floor for simulators: heap holds per CPU second.
 *
 * The hold model of the event-queue literature (Jones, "An empirical comparison of
 * priority-queue implementations", CACM 29(4), 1986): take the earliest of 4096
 * events, put it back at a random later time.  A simulator's speed in packet-hops
 * per hold can be compared between machines and hours.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/rng.h"

enum {
	EVENTS = 4096,
	HOLDS = 10000000,
};

struct event {
	uint64_t time_ps, what;
};

/* Put event at the root and let it sink to its place. */
static void replace_first(struct event *heap, struct event event)
{
	size_t hole = 0, child;

	/* The plain textbook form: a branch for the smaller child, and no tricks. */
	while ((child = 2 * hole + 1) < EVENTS) {
		if (child + 1 < EVENTS && heap[child + 1].time_ps < heap[child].time_ps)
			child++;
		if (heap[child].time_ps >= event.time_ps)
			break;
		heap[hole] = heap[child];
		hole = child;
	}
	heap[hole] = event;
}

int main(void)
{
	static struct event heap[EVENTS];
	struct timespec spent;
	struct rt_rng rng;
	uint64_t sum = 0;

	rt_rng_init(&rng, 1, 0);
	for (uint64_t i = 0; i < EVENTS; i++)
		heap[i] = (struct event){ i * 1000, i };
	for (int i = 0; i < HOLDS; i++) {
		struct event next = heap[0];

		sum += next.what;
		next.time_ps += rt_rng_below(&rng, 8000000);
		replace_first(heap, next);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	printf("%.0f %llu\n",
	       HOLDS / ((double)spent.tv_sec + (double)spent.tv_nsec / 1e9),
	       (unsigned long long)sum);
	return 0;
}
