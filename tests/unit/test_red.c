/* SPDX-License-Identifier: BSD-2-Clause */
/* Marking at the congestion point: SIGCOMM 2015, section 3.1, figure 5. */
#include "unit.h"

#include "base/own.h"
#include "cc/red.h"

/* Kmin 5 KB, Kmax 200 KB, Pmax 1 % (section 5): the ramp is 195000 bytes long. */
static void test_red_probability_of_the_paper(void **state)
{
	static const struct {
		uint64_t queue_bytes;
		double probability;
	} cases[] = {
		{ 0, 0 },
		{ 5000, 0 },             /* at Kmin: not yet */
		{ 5001, 0.01 / 195000 }, /* one byte above */
		{ 102500, 0.01 * 0.5 },  /* middle: (102500 - 5000) / 195000 */
		{ 200000, 0.01 },        /* at Kmax: Pmax */
		{ 200001, 1 },           /* above: all */
		{ UINT64_MAX, 1 },
	};
	struct rt_red red;

	(void)state;
	rt_red_init(&red, 5000, 200000, 10000000);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		double off = rt_red_probability(&red, cases[i].queue_bytes) -
			     cases[i].probability;

		assert_true(off < 1e-17 && off > -1e-17);
	}
}

/* Kmin = Kmax = 40 KB (QCN and DCTCP style): a step, and nothing is drawn. */
static void test_red_step_when_kmin_is_kmax(void **state)
{
	struct rt_rng rng, untouched;
	struct rt_red red;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	untouched = rng;
	rt_red_init(&red, 40000, 40000, 1);
	assert_false(rt_red_marks(&red, 40000, &rng));
	assert_true(rt_red_marks(&red, 40001, &rng));
	rt_red_init(&red, 40000, 30000, 1); /* Kmax below Kmin: the same step */
	assert_false(rt_red_marks(&red, 40000, &rng));
	assert_true(rt_red_marks(&red, 40001, &rng));
	assert_memory_equal(&rng, &untouched, sizeof(rng));
}

/* At Kmax itself it is still a draw: with Pmax 0 the ramp marks nothing, above all. */
static void test_red_kmax_belongs_to_the_ramp(void **state)
{
	struct rt_rng rng;
	struct rt_red red;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	rt_red_init(&red, 1000, 2000, 0);
	assert_false(rt_red_marks(&red, 2000, &rng));
	assert_true(rt_red_marks(&red, 2001, &rng));
}

/*
 * Share of marks over n draws at a probability p: within 4 standard deviations,
 * sqrt(p (1 - p) / n).  Kmin 400 KB, Kmax 1600 KB, Pmax 20 % at 1000 KB: p = 0.1,
 * n = 10^6: 0.1 +- 0.0012.
 */
static void test_red_marks_as_often_as_it_says(void **state)
{
	unsigned marks = 0;
	struct rt_rng rng;
	struct rt_red red;

	(void)state;
	rt_rng_init(&rng, 5, 0);
	rt_red_init(&red, 400000, 1600000, 200000000);
	for (unsigned i = 0; i < 1000000; i++)
		marks += rt_red_marks(&red, 1000000, &rng);
	assert_in_range(marks, 98800, 101200);
}

/* Longer queue, never less marking: the same draw that marks at q marks above q. */
static void test_red_is_monotone_in_the_queue(void **state)
{
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 9, 0);
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t kmin = rt_rng_below(&rng, 1000000);
		struct rt_red red;
		double last = 0;

		rt_red_init(&red, kmin, kmin + rt_rng_below(&rng, 1000000),
			    rt_rng_below(&rng, 1000000001));
		for (uint64_t q = 0; q < 2100000; q += 1 + rt_rng_below(&rng, 40000)) {
			struct rt_rng draw = rng, same = rng;
			double p = rt_red_probability(&red, q);

			assert_true(p >= last && p <= 1);
			if (rt_red_marks(&red, q, &draw))
				assert_true(rt_red_marks(&red, q + 1000, &same));
			last = p;
		}
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_red_probability_of_the_paper),
	     cmocka_unit_test(test_red_step_when_kmin_is_kmax),
	     cmocka_unit_test(test_red_kmax_belongs_to_the_ramp),
	     cmocka_unit_test(test_red_marks_as_often_as_it_says),
	     cmocka_unit_test(test_red_is_monotone_in_the_queue))
