/* SPDX-License-Identifier: BSD-2-Clause */
/* Holes of a stream, against an array that says of every PSN whether it came. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/holes.h"
#include "base/own.h"
#include "base/rng.h"
#include "frames.h"

#define A "10.0.0.1" /* sender */
#define B "10.0.0.2" /* receiver */

static const struct rt_analysis_config config;

static void test_pieces_of_a_gap(void **state)
{
	/* One gap of PSNs 10 to 15, over the end of the circle too. */
	static const struct {
		uint32_t psn, span;
		enum rt_hole_fill fill;
	} steps[] = {
		{ 9, 1, RT_HOLE_MISSED },  { 12, 2, RT_HOLE_PART },
		{ 12, 1, RT_HOLE_MISSED }, { 8, 3, RT_HOLE_PART },
		{ 14, 9, RT_HOLE_PART },   { 11, 1, RT_HOLE_WHOLE },
		{ 11, 1, RT_HOLE_MISSED },
	};
	static const uint32_t bases[] = { 0, 0xFFFFF2 };

	(void)state;
	for (size_t b = 0; b < RT_ARRAY_SIZE(bases); b++) {
		struct rt_hole_pool pool = { 0 };
		struct rt_holes *holes = NULL;
		struct rt_holes_lost lost = { 0 };

		rt_holes_open(&pool, &holes, (bases[b] + 10) & 0xFFFFFF, 6, 0, &lost);
		for (size_t i = 0; i < RT_ARRAY_SIZE(steps); i++)
			assert_int_equal(
				rt_holes_fill(&pool, &holes,
					      (bases[b] + steps[i].psn) & 0xFFFFFF,
					      steps[i].span, 1, &lost),
				steps[i].fill);
		assert_null(holes);
		assert_int_equal(lost.given_up, 0);
		rt_hole_pool_free(&pool);
	}
}

/* A hole that is as old as the PSN circle is long must not be filled by a new lap. */
static void test_old_holes_are_not_filled(void **state)
{
	struct rt_hole_pool pool = { 0 };
	struct rt_holes *holes = NULL;
	struct rt_holes_lost lost = { 0 };

	(void)state;
	rt_holes_open(&pool, &holes, 10, 1, 5, &lost);
	assert_int_equal(rt_holes_fill(&pool, &holes, 10, 1, 5 + (1 << 24), &lost),
			 RT_HOLE_MISSED);
	rt_hole_pool_free(&pool);
	rt_holes_free(holes);
}

static void test_acknowledged_gaps(void **state)
{
	struct rt_hole_pool pool = { 0 };
	struct rt_holes *holes = NULL;
	struct rt_holes_lost lost = { 0 };

	(void)state;
	rt_holes_open(&pool, &holes, 10, 4, 0, &lost); /* 10 to 13 */
	rt_holes_open(&pool, &holes, 20, 2, 0, &lost); /* 20, 21 */
	rt_holes_open(&pool, &holes, 30, 1, 0, &lost);
	rt_holes_fill(&pool, &holes, 11, 1, 0, &lost); /* 10 and 12 to 13 are left */
	rt_holes_ack(holes, 22);
	rt_holes_fill(&pool, &holes, 20, 2, 0, &lost); /* it came after all */
	rt_holes_sum(holes, &lost);
	assert_int_equal(lost.acked, 1);
	assert_int_equal(lost.acked_psns, 3);
	rt_hole_pool_free(&pool);
	rt_holes_free(holes);
}

/* 3000 PSNs, of which random ones are skipped, come late, or come again. */
static void test_random_frames_against_an_array(void **state)
{
	enum {
		PSNS = 3000
	};
	static bool came[PSNS];
	const uint32_t base = 0xFFFA00; /* the circle closes amid them */
	struct rt_hole_pool pool = { 0 };
	struct rt_holes *holes = NULL;
	struct rt_holes_lost lost = { 0 };
	struct rt_rng rng;
	uint32_t high = 0;

	(void)state;
	rt_rng_init(&rng, 7, 0);
	while (high < PSNS - 8) {
		const uint32_t skip = (uint32_t)(rt_rng_u64(&rng) % 4);

		if (skip)
			rt_holes_open(&pool, &holes, (base + high) & 0xFFFFFF, skip, 0,
				      &lost);
		came[high + skip] = true;
		high += skip + 1;
		for (unsigned i = 0; i < 2; i++) {
			const uint32_t psn = (uint32_t)(rt_rng_u64(&rng) % high);
			const bool fills = rt_holes_fill(&pool, &holes,
							 (base + psn) & 0xFFFFFF, 1, 0,
							 &lost) != RT_HOLE_MISSED;

			assert_int_equal(fills, !came[psn]);
			came[psn] = true;
		}
	}
	assert_int_equal(lost.given_up, 0);
	rt_holes_free(holes);
	rt_hole_pool_free(&pool);
}

/*
 * 1100 frames with a gap behind each; 1023 gaps are watched, the oldest 77 of
 * 1100 are given up.  Of the frames that fill all of them 1023 are new.
 */
static void test_more_gaps_than_are_watched(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	const struct rt_analysis_flow *flow;
	struct rt_analysis analysis;

	(void)state;
	for (uint32_t i = 0; i <= 1100; i++)
		made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 7, 2 * i, 1024);
	for (uint32_t i = 0; i < 1100; i++)
		made_roce(made, A, B, RT_OP_RC_WRITE_MIDDLE, 7, 2 * i + 1, 1024);
	made_analyse(made, &config, &analysis);
	flow = &analysis.sequence.flows[0];
	assert_int_equal(flow->h_gaps, 1100);
	assert_int_equal(flow->holes_given_up, 77);
	assert_int_equal(flow->resent_bytes, 77 * 1024);
	assert_int_equal(analysis.throughput.receivers[0].good_bytes,
			 (1101 + 1023) * 1024);
	rt_analysis_free(&analysis);
	free(made);
}

RT_UNIT_MAIN(cmocka_unit_test(test_pieces_of_a_gap),
	     cmocka_unit_test(test_old_holes_are_not_filled),
	     cmocka_unit_test(test_acknowledged_gaps),
	     cmocka_unit_test(test_random_frames_against_an_array),
	     cmocka_unit_test(test_more_gaps_than_are_watched))
