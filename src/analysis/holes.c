/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/holes.h"

#include <stdlib.h>
#include <string.h>

#include "rocetune/frame.h"

#define PSN_MASK 0xFFFFFFu

#define FIRST_CAPACITY 8u

/*
 * After so many frames the PSNs may have gone round and mean others.  A frame
 * takes one PSN; those that take more (READ requests) carry no payload to count.
 */
#define OLD_FRAMES (1u << 22)

/* The stretch before the first PSN of a stream, and its number as a gap. */
#define BEFORE_PSNS 65536u
#define BEFORE_GAP  UINT32_MAX

static struct rt_holes *take_set(struct rt_hole_pool *pool)
{
	struct rt_holes *set = pool->spare;

	if (set) {
		pool->spare = set->next;
		set->gaps = 0;
		return set;
	}
	if (pool->count == RT_HOLE_SETS)
		return NULL;
	set = calloc(1, sizeof(*set));
	pool->count += set != NULL;
	return set;
}

static void drop(struct rt_holes *set, uint32_t from, uint32_t count)
{
	memmove(&set->at[from], &set->at[from + count],
		sizeof(*set->at) * (set->count - from - count));
	set->count -= count;
}

/* Pieces of a gap are neighbours: it counts with the last of them. */
static bool is_last_piece(const struct rt_holes *set, uint32_t i)
{
	return i + 1 == set->count || set->at[i + 1].gap != set->at[i].gap;
}

static void count_acked(const struct rt_holes *set, uint32_t i,
			struct rt_holes_lost *lost)
{
	if (!set->at[i].acked || set->at[i].gap == BEFORE_GAP)
		return;
	lost->acked += is_last_piece(set, i);
	lost->acked_psns += set->at[i].span;
}

static void give_up_oldest(struct rt_holes *set, struct rt_holes_lost *lost)
{
	if (set->at[0].acked) {
		count_acked(set, 0, lost);
	} else if (set->at[0].gap != BEFORE_GAP) {
		lost->given_up++;
	}
	drop(set, 0, 1);
}

/* Room for more holes, up to the bound; false: there is none. */
static bool has_room(struct rt_holes *set, uint32_t more)
{
	uint32_t capacity = set->capacity ? set->capacity * 2 : FIRST_CAPACITY;
	struct rt_hole *at;

	if (set->count + more <= set->capacity)
		return true;
	if (set->capacity == RT_HOLES_OF_FLOW)
		return false;
	at = realloc(set->at, capacity * sizeof(*at));
	if (!at)
		return false;
	set->at = at;
	set->capacity = capacity;
	return true;
}

/* A set that has room for a hole more; NULL, which counts: there is none. */
static struct rt_holes *make_room(struct rt_hole_pool *pool, struct rt_holes **holes,
				  uint32_t age, struct rt_holes_lost *lost)
{
	struct rt_holes *set = *holes ? *holes : take_set(pool);

	if (set)
		*holes = set;
	while (set && set->count && age - set->at[0].age >= OLD_FRAMES)
		give_up_oldest(set, lost);
	/* One place stays free, for a hole that a frame splits. */
	while (set && !has_room(set, 2) && set->count)
		give_up_oldest(set, lost);
	if (set && has_room(set, 2))
		return set;
	lost->given_up++;
	return NULL;
}

void rt_holes_open(struct rt_hole_pool *pool, struct rt_holes **holes, uint32_t psn,
		   uint32_t span, uint32_t age, struct rt_holes_lost *lost)
{
	struct rt_holes *set = make_room(pool, holes, age, lost);

	if (set)
		set->at[set->count++] = (struct rt_hole){ .psn = psn,
							  .span = span & PSN_MASK,
							  .gap = set->gaps++,
							  .age = age };
}

void rt_holes_open_before(struct rt_hole_pool *pool, struct rt_holes **holes,
			  uint32_t first_psn, uint32_t age, struct rt_holes_lost *lost)
{
	struct rt_holes *set = make_room(pool, holes, age, lost);

	if (!set)
		return;
	memmove(&set->at[1], &set->at[0], sizeof(*set->at) * set->count++);
	set->at[0] = (struct rt_hole){ .psn = (first_psn - BEFORE_PSNS) & PSN_MASK,
				       .span = BEFORE_PSNS,
				       .gap = BEFORE_GAP,
				       .age = age };
}

void rt_holes_open_bad(struct rt_hole_pool *pool, struct rt_holes **holes, uint32_t psn,
		       uint32_t age, struct rt_holes_lost *lost)
{
	struct rt_holes *set = make_room(pool, holes, age, lost);

	if (set)
		set->at[set->count++] = (struct rt_hole){
			.psn = psn, .span = 1, .gap = BEFORE_GAP, .age = age
		};
}

/* The first hole that ends behind psn. */
static uint32_t search(const struct rt_holes *set, uint32_t psn)
{
	uint32_t low = 0, high = set->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct rt_hole *hole = &set->at[middle];

		if (rt_psn_delta((hole->psn + hole->span) & PSN_MASK, psn) > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Take [psn, psn + span) out of hole i, which it meets; true: nothing is left. */
static bool cut(struct rt_holes *set, uint32_t i, uint32_t psn, uint32_t span,
		struct rt_holes_lost *lost)
{
	struct rt_hole *hole = &set->at[i];
	const int32_t head = rt_psn_delta(psn, hole->psn);
	const int32_t tail = (int32_t)hole->span - head - (int32_t)span;
	struct rt_hole rest = *hole;

	if (head <= 0 && tail <= 0) {
		drop(set, i, 1);
		return true;
	}
	rest.psn = (psn + span) & PSN_MASK;
	rest.span = (tail > 0 ? (uint32_t)tail : 0) & PSN_MASK;
	if (head <= 0) {
		*hole = rest;
		return false;
	}
	hole->span = (uint32_t)head & PSN_MASK;
	if (tail <= 0)
		return false;
	if (!has_room(set, 1)) {
		lost->given_up++;
		return false;
	}
	memmove(&set->at[i + 2], &set->at[i + 1],
		sizeof(*set->at) * (set->count - i - 1));
	set->at[i + 1] = rest;
	set->count++;
	return false;
}

/* Is a piece of this gap left beside where hole i was? */
static bool has_gap(const struct rt_holes *set, uint32_t i, uint32_t gap)
{
	return (i > 0 && set->at[i - 1].gap == gap) ||
	       (i < set->count && set->at[i].gap == gap);
}

enum rt_hole_fill rt_holes_fill(struct rt_hole_pool *pool, struct rt_holes **holes,
				uint32_t psn, uint32_t span, uint32_t age,
				struct rt_holes_lost *lost)
{
	struct rt_holes *set = *holes;
	enum rt_hole_fill fill = RT_HOLE_MISSED;
	uint32_t i;

	if (!set)
		return RT_HOLE_MISSED;
	i = search(set, psn);
	while (i < set->count &&
	       rt_psn_delta(set->at[i].psn, (psn + span) & PSN_MASK) < 0) {
		const uint32_t gap = set->at[i].gap;
		const bool naked = set->at[i].naked;
		const bool old = age - set->at[i].age >= OLD_FRAMES;

		if (!cut(set, i, psn, span, lost)) {
			fill = fill == RT_HOLE_MISSED && !old ? RT_HOLE_PART : fill;
			i++;
		} else if (!old) {
			fill = gap == BEFORE_GAP || has_gap(set, i, gap) ? RT_HOLE_PART
			       : naked                                   ? RT_HOLE_NAKED
				       : RT_HOLE_WHOLE;
		}
	}
	if (set->count == 0) {
		set->next = pool->spare;
		pool->spare = set;
		*holes = NULL;
	}
	return fill;
}

/* Those acknowledged before are in front: it ends at the first of them. */
void rt_holes_ack(struct rt_holes *holes, uint32_t psn)
{
	uint32_t i = search(holes, psn);

	while (i > 0 && !holes->at[i - 1].acked)
		holes->at[--i].acked = true;
}

void rt_holes_nak(struct rt_holes *holes, uint32_t psn)
{
	for (uint32_t i = search(holes, psn); i < holes->count; i++)
		holes->at[i].naked = true;
}

void rt_holes_sum(const struct rt_holes *holes, struct rt_holes_lost *lost)
{
	for (uint32_t i = 0; holes && i < holes->count; i++)
		count_acked(holes, i, lost);
}

void rt_holes_free(struct rt_holes *holes)
{
	if (holes)
		free(holes->at);
	free(holes);
}

void rt_hole_pool_free(struct rt_hole_pool *pool)
{
	while (pool->spare) {
		struct rt_holes *set = pool->spare;

		pool->spare = set->next;
		rt_holes_free(set);
	}
}
