/* SPDX-License-Identifier: BSD-2-Clause */
/* The port scheduler: strict order, DWRR shares, rate caps, pause. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "cc/sched.h"
#include "rocetune/err.h"

#define US RT_PS_PER_US

/* Eight weighted queues of weight 1, to be changed by the test. */
static void plain(struct rt_queue_config queues[RT_QUEUES])
{
	for (unsigned q = 0; q < RT_QUEUES; q++)
		queues[q] = (struct rt_queue_config){ .weight = 1 };
}

static void start(struct rt_sched *sched, struct rt_sched_params *params,
		  const struct rt_queue_config queues[RT_QUEUES], uint32_t quantum)
{
	assert_int_equal(rt_sched_params_init(params, queues, quantum, NULL), 0);
	rt_sched_init(sched);
}

static void test_sched_strict_goes_by_number(void **state)
{
	static const uint32_t head[RT_QUEUES] = { 1000, 1000, 1000, 1000,
						  1000, 1000, 1000, 1000 };
	struct rt_queue_config queues[RT_QUEUES];
	struct rt_sched_params params;
	struct rt_sched sched;

	(void)state;
	plain(queues);
	queues[3].strict = queues[6].strict = queues[7].strict = true;
	start(&sched, &params, queues, 1000);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), RT_SCHED_NONE);
	for (unsigned q = 0; q < RT_QUEUES; q++)
		rt_sched_backlogged(&sched, q);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 7);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 7);
	rt_sched_emptied(&sched, 7);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 6);
	rt_sched_set_paused(&sched, 1 << 6);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 3);
	rt_sched_set_paused(&sched, 1 << 6 | 1 << 3);
	assert_in_range(rt_sched_pick(&sched, &params, head, 0), 0, 5);
	rt_sched_set_paused(&sched, 0xff);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), RT_SCHED_NONE);
	rt_sched_set_paused(&sched, 0);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 6);
}

/*
 * Shreedhar and Varghese, section 3: packets of 600, quantum 1000 and 2000.
 * Queue 0: 1000 -> 400, one.  Queue 1: 2000 -> 200, three.  Queue 0: 1400 -> 200,
 * two.  Queue 1: 2200 -> 400, three.  Queue 0: 1200 -> 0, two.  Queue 1: 2400 -> 0,
 * four.  Then it begins anew.
 */
static void test_sched_dwrr_by_hand(void **state)
{
	static const char expected[] = "011100111001111011100111001111";
	static const uint32_t head[RT_QUEUES] = { 600, 600 };
	struct rt_queue_config queues[RT_QUEUES];
	struct rt_sched_params params;
	struct rt_sched sched;

	(void)state;
	plain(queues);
	queues[1].weight = 2;
	start(&sched, &params, queues, 1000);
	rt_sched_backlogged(&sched, 0);
	rt_sched_backlogged(&sched, 1);
	for (size_t i = 0; i < sizeof(expected) - 1; i++)
		assert_int_equal(rt_sched_pick(&sched, &params, head, 0),
				 expected[i] - '0');
}

/*
 * What is left when a queue empties is lost: as above, but queue 0 is empty after
 * its first packet and back at once.  Its 400 are gone, so its next turn is one
 * packet (1000 -> 400), not two.
 */
static void test_sched_emptied_queue_loses_its_credit(void **state)
{
	static const char expected[] = "1110111";
	static const uint32_t head[RT_QUEUES] = { 600, 600 };
	struct rt_queue_config queues[RT_QUEUES];
	struct rt_sched_params params;
	struct rt_sched sched;

	(void)state;
	plain(queues);
	queues[1].weight = 2;
	start(&sched, &params, queues, 1000);
	rt_sched_backlogged(&sched, 0);
	rt_sched_backlogged(&sched, 1);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 0);
	rt_sched_emptied(&sched, 0);
	rt_sched_backlogged(&sched, 0);
	for (size_t i = 0; i < sizeof(expected) - 1; i++)
		assert_int_equal(rt_sched_pick(&sched, &params, head, 0),
				 expected[i] - '0');
}

/*
 * Shares by bytes, whatever the packet sizes: weights 1, 2 and 5 of 8.  DWRR is off
 * by less than a quantum and a packet (5 * 4096 + 9000), here under 0.1 %.
 */
static void test_sched_dwrr_shares_bytes_by_weight(void **state)
{
	struct rt_queue_config queues[RT_QUEUES];
	uint64_t sent[RT_QUEUES] = { 0 }, all = 0;
	uint32_t head[RT_QUEUES] = { 0 };
	struct rt_sched_params params;
	struct rt_sched sched;
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 2, 0);
	plain(queues);
	queues[1].weight = 2;
	queues[2].weight = 5;
	start(&sched, &params, queues, 4096);
	for (unsigned q = 0; q < 3; q++) {
		rt_sched_backlogged(&sched, q);
		head[q] = 1000;
	}
	for (unsigned i = 0; i < 100000; i++) {
		int q = rt_sched_pick(&sched, &params, head, 0);

		assert_in_range(q, 0, 2);
		sent[q] += head[q];
		all += head[q];
		/* Queue 0 sends small frames, queue 2 large ones. */
		head[q] = 64 + (uint32_t)rt_rng_below(&rng, q == 0 ? 200 : 4000u * q);
	}
	assert_in_range(sent[0] * 8000 / all, 999, 1001);
	assert_in_range(sent[1] * 8000 / all, 1998, 2002);
	assert_in_range(sent[2] * 8000 / all, 4995, 5005);
}

/* A queue that was paused or empty comes back without a hoard of credit. */
static void test_sched_no_hoard_over_a_pause(void **state)
{
	static const uint32_t head[RT_QUEUES] = { 1000, 1000, 1000 };
	struct rt_queue_config queues[RT_QUEUES];
	unsigned sent[3] = { 0 };
	struct rt_sched_params params;
	struct rt_sched sched;

	(void)state;
	plain(queues);
	start(&sched, &params, queues, 1000);
	for (unsigned q = 0; q < 3; q++)
		rt_sched_backlogged(&sched, q);
	rt_sched_set_paused(&sched, 1 << 2);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(rt_sched_pick(&sched, &params, head, 0) < 2);
	rt_sched_set_paused(&sched, 0);
	for (unsigned i = 0; i < 300; i++)
		sent[rt_sched_pick(&sched, &params, head, 0)]++;
	for (unsigned q = 0; q < 3; q++)
		assert_in_range(sent[q], 98, 102);
}

/*
 * A strict CNP queue of at most 1 Gb/s: 1000 bytes take 8 us.  Without a burst it
 * goes at 0, 8, 16 ... and leaves the port to others in between; with a burst of
 * 2000 bytes (16 us) it goes at 0 three times: 0, 8 and 16 us ahead.
 */
static void test_sched_rate_cap_is_kept(void **state)
{
	static const uint32_t head[RT_QUEUES] = { [0] = 1000, [6] = 1000 };
	struct rt_queue_config queues[RT_QUEUES];
	struct rt_sched_params params;
	struct rt_sched sched;

	(void)state;
	plain(queues);
	queues[6] = (struct rt_queue_config){ .strict = true,
					      .max_rate_bps = 1000000000 };
	start(&sched, &params, queues, 1000);
	rt_sched_backlogged(&sched, 0);
	rt_sched_backlogged(&sched, 6);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 6);
	assert_int_equal(rt_sched_retry_ps(&sched, &params), 8 * US);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 8 * US - 1), 0);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 8 * US), 6);
	rt_sched_emptied(&sched, 0);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 9 * US), RT_SCHED_NONE);
	assert_int_equal(rt_sched_retry_ps(&sched, &params), 16 * US);
	rt_sched_set_paused(&sched, 1 << 6);
	assert_true(rt_sched_retry_ps(&sched, &params) == RT_PS_NEVER);

	queues[6].burst_bytes = 2000;
	start(&sched, &params, queues, 1000);
	rt_sched_backlogged(&sched, 6);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(rt_sched_pick(&sched, &params, head, 0), 6);
	assert_int_equal(rt_sched_pick(&sched, &params, head, 0), RT_SCHED_NONE);
	assert_int_equal(rt_sched_retry_ps(&sched, &params), 8 * US);
}

/*
 * Property: over random loads a pick is always a queue that may go; nothing is
 * picked only when none may; a capped queue stays within rate and burst.  Sizes
 * of heads other than rt_sched_counts() tells make no difference.
 */
static void test_sched_random_picks_are_allowed_and_work_conserving(void **state)
{
	struct rt_queue_config queues[RT_QUEUES];
	struct rt_sched_params params;
	struct rt_sched sched;
	uint64_t capped_bytes = 0;
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 23, 0);
	for (unsigned round = 0; round < 200; round++) {
		uint64_t now = 0, sent = 0;
		uint32_t head[RT_QUEUES];

		plain(queues);
		for (unsigned q = 0; q < RT_QUEUES; q++) {
			queues[q].strict = rt_rng_below(&rng, 3) == 0;
			queues[q].weight = 1 + (uint32_t)rt_rng_below(&rng, 100);
		}
		queues[5].max_rate_bps = 10000000000;
		queues[5].burst_bytes = 9000;
		start(&sched, &params, queues, 1500);
		for (unsigned i = 0; i < 2000; i++) {
			uint32_t few[RT_QUEUES];
			struct rt_sched copy;
			unsigned ready, counts;
			int pick;

			for (unsigned q = 0; q < RT_QUEUES; q++) {
				head[q] = 64 + (uint32_t)rt_rng_below(&rng, 9000);
				if (rt_rng_below(&rng, 2))
					rt_sched_backlogged(&sched, q);
				else
					rt_sched_emptied(&sched, q);
			}
			rt_sched_set_paused(
				&sched, (uint8_t)(rt_rng_u64(&rng) & rt_rng_u64(&rng)));
			ready = sched.backlog_mask & ~sched.paused_mask & 0xffu;
			copy = sched;
			counts = rt_sched_counts(&copy, &params);
			for (unsigned q = 0; q < RT_QUEUES; q++)
				few[q] = counts >> q & 1 ? head[q] : 1;
			pick = rt_sched_pick(&sched, &params, head, now);
			assert_int_equal(rt_sched_pick(&copy, &params, few, now), pick);
			assert_memory_equal(&copy, &sched, sizeof(sched));
			if (pick == RT_SCHED_NONE)
				assert_false(ready & ~(1u << 5));
			else
				assert_true(ready >> pick & 1);
			if (pick == 5) {
				sent += head[5];
				/* 10 Gb/s are 800 ps a byte */
				assert_true(sent <= now / 800 + 9000 + 9064);
			}
			now += rt_rng_below(&rng, 2 * US);
		}
		capped_bytes += sent;
	}
	assert_true(capped_bytes > 10000000);
}

static void test_sched_params_refuse_what_cannot_work(void **state)
{
	struct rt_queue_config queues[RT_QUEUES];
	struct rt_sched_params params;
	struct rt_err err = { 0 };

	(void)state;
	plain(queues);
	assert_int_equal(rt_sched_params_init(&params, queues, 0, &err), -EINVAL);
	queues[4].weight = 0;
	assert_int_equal(rt_sched_params_init(&params, queues, 1500, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "queue 4"));
	queues[4].weight = 65536;
	assert_int_equal(rt_sched_params_init(&params, queues, 1500, &err), -EINVAL);
	queues[4].weight = 65535;
	assert_int_equal(rt_sched_params_init(&params, queues, 1500, &err), 0);
	assert_int_equal(rt_sched_params_init(&params, queues, 1u << 20, &err),
			 -EINVAL);
	for (unsigned q = 0; q < RT_QUEUES; q++)
		queues[q] = (struct rt_queue_config){ .strict = true };
	assert_int_equal(rt_sched_params_init(&params, queues, 1500, &err), 0);
	assert_int_equal(params.strict_mask, 0xff);
}

RT_UNIT_MAIN(cmocka_unit_test(test_sched_strict_goes_by_number),
	     cmocka_unit_test(test_sched_dwrr_by_hand),
	     cmocka_unit_test(test_sched_emptied_queue_loses_its_credit),
	     cmocka_unit_test(test_sched_dwrr_shares_bytes_by_weight),
	     cmocka_unit_test(test_sched_no_hoard_over_a_pause),
	     cmocka_unit_test(test_sched_rate_cap_is_kept),
	     cmocka_unit_test(test_sched_random_picks_are_allowed_and_work_conserving),
	     cmocka_unit_test(test_sched_params_refuse_what_cannot_work))
