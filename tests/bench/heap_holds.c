/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_holds.c - a floor for simulators: heap holds per CPU second.
 *
 * The hold model of the event-queue literature (Jones, "An empirical comparison of
 * priority-queue implementations", CACM 29(4), 1986): take the earliest of 4096
 * events, put it back up to 8 us later, twenty million times.  Random numbers are
 * Marsaglia's xorshift ("Xorshift RNGs", Journal of Statistical Software 8(14), 2003),
 * which cost next to nothing beside the heap.  Only the holds are timed.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum {
	EVENTS = 4096,
	HOLDS = 20000000,
};

struct event {
	uint64_t time_ps, what;
};

static struct event heap[EVENTS];

/* Put event at the root and let it sink to its place. */
static void replace_first(struct event event)
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

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	uint64_t random = UINT64_C(88172645463325252), sum = 0;
	double from, spent;

	for (uint64_t i = 0; i < EVENTS; i++)
		heap[i] = (struct event){ i * 1000, i };
	from = cpu_seconds();
	for (int i = 0; i < HOLDS; i++) {
		struct event next = heap[0];

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		sum += next.what;
		next.time_ps += random % 8000000;
		replace_first(next);
	}
	spent = cpu_seconds() - from;
	printf("%.0f %llu\n", HOLDS / spent, (unsigned long long)sum);
	return 0;
}
