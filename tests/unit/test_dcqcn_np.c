/* SPDX-License-Identifier: BSD-2-Clause */
/* The notification point: when marks become CNPs (SIGCOMM 2015, section 3.1, NP). */
#include "unit.h"

#include "base/own.h"
#include "base/rng.h"
#include "cc/dcqcn.h"

#define US RT_PS_PER_US

/* One row is one CE mark; what it must do to the state. */
struct step {
	uint64_t at_ps;
	bool timer; /* the deadline is due, not a mark */
	bool cnp;
	uint64_t armed_ps; /* afterwards; 0: off */
};

static void play(enum rt_np_pacing pacing, uint64_t interval_ps, uint64_t start_ps,
		 const struct step *steps, size_t count)
{
	const struct rt_np_params params = { interval_ps, pacing };
	struct rt_np np;

	rt_np_init(&np, &params, start_ps);
	for (size_t i = 0; i < count; i++) {
		const struct step *step = &steps[i];
		bool cnp;

		if (step->timer)
			assert_int_equal(np.cnp_at_ps, step->at_ps);
		cnp = step->timer ? rt_np_on_timer(&np, &params, step->at_ps)
				  : rt_np_on_mark(&np, &params, step->at_ps);
		assert_int_equal(cnp, step->cnp);
		assert_true(np.cnp_at_ps ==
			    (step->armed_ps ? step->armed_ps : RT_PS_NEVER));
	}
}

/* N = 50 us: a CNP at once when none went in the last N, else one when N is over. */
static void test_np_paper_sends_at_once_then_once_an_interval(void **state)
{
	static const struct step steps[] = {
		{ 7 * US, false, true, 0 },        /* the first mark ever */
		{ 8 * US, false, false, 57 * US }, /* 7 + 50 */
		{ 20 * US, false, false, 57 * US },
		{ 57 * US, true, true, 0 }, /* both marks, one CNP */
		{ 106 * US, false, false, 107 * US },
		{ 107 * US, true, true, 0 },
		/* nothing marked until after 157: at once again */
		{ 158 * US, false, true, 0 },
		{ 208 * US, false, true, 0 }, /* exactly N later: none in the last N */
	};

	(void)state;
	play(RT_NP_PAPER, 50 * US, 0, steps, RT_ARRAY_SIZE(steps));
}

/* min_time_between_cnps 4 us: marks within the gap are not remembered. */
static void test_np_min_gap_forgets(void **state)
{
	static const struct step steps[] = {
		{ 10 * US, false, true, 0 },   { 11 * US, false, false, 0 },
		{ 13999999, false, false, 0 }, { 14 * US, false, true, 0 },
		{ 30 * US, false, true, 0 },
	};

	(void)state;
	play(RT_NP_MIN_GAP, 4 * US, 0, steps, RT_ARRAY_SIZE(steps));
}

/* First packet at 2.4 us: ticks at 52.4, 102.4 ... whether marked or not. */
static void test_np_tick_keeps_the_flows_phase(void **state)
{
	static const struct step steps[] = {
		{ 2400000, false, false, 52400000 },
		{ 30 * US, false, false, 52400000 },
		{ 52400000, true, true, 0 },
		{ 152400000, false, false, 202400000 }, /* on a tick: the next one */
		{ 202400000, true, true, 0 },
	};

	(void)state;
	play(RT_NP_TICK, 50 * US, 2400000, steps, RT_ARRAY_SIZE(steps));
}

static void test_np_every_mark_is_told(void **state)
{
	static const struct step steps[] = {
		{ 1, false, true, 0 },
		{ 1, false, true, 0 },
		{ 2, false, true, 0 },
	};

	(void)state;
	play(RT_NP_EVERY, 0, 0, steps, RT_ARRAY_SIZE(steps));
}

/*
 * Property: over random marks, paced forms never send two CNPs nearer than the
 * interval (a tick: never two in one tick), and no mark is lost but by MIN_GAP.
 */
static void test_np_never_sends_faster_than_its_interval(void **state)
{
	static const enum rt_np_pacing forms[] = { RT_NP_PAPER, RT_NP_MIN_GAP,
						   RT_NP_TICK };
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 11, 0);
	for (size_t f = 0; f < RT_ARRAY_SIZE(forms); f++) {
		const struct rt_np_params params = { 50 * US, forms[f] };
		uint64_t now = 0, last = 0;
		unsigned cnps = 0;
		struct rt_np np;

		rt_np_init(&np, &params, 0);
		for (unsigned i = 0; i < 20000; i++) {
			uint64_t next = now + rt_rng_below(&rng, 40 * US);
			bool timer = np.cnp_at_ps <= next;

			now = timer ? np.cnp_at_ps : next;
			if (timer ? !rt_np_on_timer(&np, &params, now)
				  : !rt_np_on_mark(&np, &params, now)) {
				if (forms[f] != RT_NP_MIN_GAP)
					assert_true(np.cnp_at_ps > now);
				continue;
			}
			assert_true(!cnps || now - last >= 50 * US);
			last = now;
			cnps++;
		}
		assert_in_range(cnps, 1000, 20000);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_np_paper_sends_at_once_then_once_an_interval),
	     cmocka_unit_test(test_np_min_gap_forgets),
	     cmocka_unit_test(test_np_tick_keeps_the_flows_phase),
	     cmocka_unit_test(test_np_every_mark_is_told),
	     cmocka_unit_test(test_np_never_sends_faster_than_its_interval))
