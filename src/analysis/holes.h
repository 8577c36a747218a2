/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * holes.h - PSNs of a stream that were skipped and have not come yet.
 *
 * A set of holes in the order of their PSNs, none older than a quarter of the
 * PSN circle.  A late or resent frame takes its part out: what is left of the
 * gap stays as one hole or two.  A stream gets a set with its first gap and
 * gives it back when the last one is filled.  Sets are bounded in number and
 * size; what finds no room is given up and counted, the oldest first.
 */
#ifndef RT_ANALYSIS_HOLES_H
#define RT_ANALYSIS_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#define RT_HOLES_OF_FLOW 1024u /* holes of one stream */
#define RT_HOLE_SETS     4096u /* streams that have holes at one time */

struct rt_hole {
	uint32_t psn;
	uint32_t acked : 1; /* the receiver acknowledged beyond it */
	uint32_t naked : 1; /* the receiver asked for it, or for what is before */
	uint32_t span : 24;
	uint32_t gap; /* pieces of one gap have the same number */
	uint32_t age; /* frames of the stream when it opened, modulo 2^32 */
};

struct rt_holes {
	struct rt_holes *next; /* of the spare ones */
	struct rt_hole *at;    /* owned */
	uint32_t count, capacity;
	uint32_t gaps; /* opened so far: numbers them */
};

/* Spare sets, and how many there are in all. */
struct rt_hole_pool {
	struct rt_holes *spare; /* owned */
	uint32_t count;
};

/* What was given up or turned out to be acknowledged. */
struct rt_holes_lost {
	uint64_t given_up; /* holes that are no longer watched */
	uint64_t acked, acked_psns;
};

/*
 * A gap of span PSNs opens at psn, behind all that are there; age counts the
 * frames of the stream.  *holes is made when NULL.  Out of memory or room the
 * oldest hole, or this one, is given up, and *lost says so.
 */
void rt_holes_open(struct rt_hole_pool *pool, struct rt_holes **holes, uint32_t psn,
		   uint32_t span, uint32_t age, struct rt_holes_lost *lost);

/*
 * What lies before first_psn was not seen either: a stretch of it counts as a
 * hole, but as no gap.  Once per stream.
 */
void rt_holes_open_before(struct rt_hole_pool *pool, struct rt_holes **holes,
			  uint32_t first_psn, uint32_t age, struct rt_holes_lost *lost);

/*
 * What came at psn, behind all that are there, is damaged: it counts as a hole,
 * but as no gap.
 */
void rt_holes_open_bad(struct rt_hole_pool *pool, struct rt_holes **holes, uint32_t psn,
		       uint32_t age, struct rt_holes_lost *lost);

enum rt_hole_fill {
	RT_HOLE_MISSED, /* no hole there: seen before */
	RT_HOLE_PART,   /* something of its gap is still missing, or it was none */
	RT_HOLE_WHOLE,  /* its gap is filled now */
	RT_HOLE_NAKED,  /* the same, and the receiver had asked for it */
};

/*
 * A frame takes span PSNs from psn.  The set goes back to the pool, and *holes
 * becomes NULL, when nothing is left in it.
 */
enum rt_hole_fill rt_holes_fill(struct rt_hole_pool *pool, struct rt_holes **holes,
				uint32_t psn, uint32_t span, uint32_t age,
				struct rt_holes_lost *lost);

/* Mark the holes that end at psn or before as acknowledged. */
void rt_holes_ack(struct rt_holes *holes, uint32_t psn);

/* Mark the holes that end behind psn as asked for. */
void rt_holes_nak(struct rt_holes *holes, uint32_t psn);

/* Add the acknowledged gaps that are still open, and their PSNs, to *lost. */
void rt_holes_sum(const struct rt_holes *holes, struct rt_holes_lost *lost);

void rt_holes_free(struct rt_holes *holes); /* NULL is fine */
void rt_hole_pool_free(struct rt_hole_pool *pool);

#endif
