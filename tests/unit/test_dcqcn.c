/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reaction point against traces worked out by hand.  Equations and figures are
 * those of Zhu et al., SIGCOMM 2015; "cut" is RC <- RC (1 - alpha / 2), "raise" is
 * alpha <- (1 - g) alpha + g, "decay" is alpha <- (1 - g) alpha; g = 1/256.
 */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/own.h"
#include "cc/dcqcn.h"
#include "rocetune/err.h"

#define US RT_PS_PER_US
#define MB 1000000u

static struct rt_rp_params set_params(const char *name)
{
	const struct rt_dcqcn_set *set = rt_dcqcn_set_find(name);

	assert_non_null(set);
	assert_int_equal(rt_rp_params_check(&set->rp, NULL), 0);
	return set->rp;
}

/* Doubles are compared exactly: each expected value is the same few operations. */
static double decayed(double alpha, unsigned ticks)
{
	while (ticks--)
		alpha *= 255.0 / 256;
	return alpha;
}

#define assert_rates(rp, rate, target)                       \
	do {                                                 \
		assert_int_equal((rp).rate_bps, (rate));     \
		assert_int_equal((rp).target_bps, (target)); \
	} while (0)

/*
 * 40 Gb/s, alpha 1 at the start, T = K = 55 us, F = 5, R_AI 40 Mb/s, R_HAI 200 Mb/s.
 * Cuts: section 3.1 equation (1).  Increases: figure 7 and equations (2) to (4).
 */
static const struct {
	uint64_t at_ps;
	uint64_t rate_bps;
	uint64_t target_bps;
} paper_timer[] = {
	/* 1 to 4: under F, fast recovery: RC = (RC + RT) / 2 */
	{ 205 * US, 15000000000, 20000000000 }, /* (10 + 20) / 2 */
	{ 260 * US, 17500000000, 20000000000 },
	{ 315 * US, 18750000000, 20000000000 },
	{ 370 * US, 19375000000, 20000000000 },
	/* 5, 6: max = F, min = 0: RT += 0.04, then the mean */
	{ 425 * US, 19707500000, 20040000000 }, /* (19.375 + 20.04) / 2 */
	{ 480 * US, 19893750000, 20080000000 },
};

static const struct {
	uint64_t rate_bps;
	uint64_t target_bps;
} paper_bytes[] = {
	/* 1 to 4: T = 6, BC under F: still additive */
	{ 20006875000, 20120000000 }, /* (19.89375 + 20.12) / 2 */
	{ 20083437500, 20160000000 },
	{ 20141718750, 20200000000 },
	{ 20190859375, 20240000000 },
	/* 5: both at F: hyper, i = min - F + 1 = 1, RT += 0.2;
	 * halves rounded down: 10095429687 + 10220000000 */
	{ 20315429687, 20440000000 },
};

static void test_rp_paper_cut_recover_add_and_hyper(void **state)
{
	const struct rt_rp_params params = set_params("paper-40g");
	const double alpha = decayed(1, 7);
	struct rt_rp rp;

	(void)state;
	rt_rp_init(&rp, &params);
	assert_rates(rp, 40000000000, 40000000000);
	assert_true(rp.increase_at_ps == RT_PS_NEVER);

	/* CNP 1: cut with alpha 1 to the half; raise: 255/256 + 1/256 = 1. */
	assert_int_equal(rt_rp_on_cnp(&rp, &params, 100 * US),
			 RT_RP_RATE | RT_RP_ARM_INCREASE);
	assert_rates(rp, 20000000000, 40000000000);
	assert_true(rp.alpha == 1);
	assert_int_equal(rp.increase_at_ps, 155 * US);

	/* CNP 2 before T: RT = RC, cut again, T starts anew. */
	rt_rp_on_cnp(&rp, &params, 150 * US);
	assert_rates(rp, 10000000000, 20000000000);

	for (size_t i = 0; i < RT_ARRAY_SIZE(paper_timer); i++) {
		assert_int_equal(rp.increase_at_ps, paper_timer[i].at_ps);
		assert_int_equal(rt_rp_on_increase(&rp, &params, paper_timer[i].at_ps),
				 RT_RP_RATE | RT_RP_ARM_INCREASE);
		assert_rates(rp, paper_timer[i].rate_bps, paper_timer[i].target_bps);
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(paper_bytes); i++) {
		assert_int_equal(rt_rp_on_bytes_sent(&rp, &params, 10 * MB - 1), 0);
		assert_int_equal(rt_rp_on_bytes_sent(&rp, &params, 1), RT_RP_RATE);
		assert_rates(rp, paper_bytes[i].rate_bps, paper_bytes[i].target_bps);
	}

	/* T = 7, BC = 5: min 5, i = 1.  10157714843 + 10320000000 */
	rt_rp_on_increase(&rp, &params, 535 * US);
	assert_rates(rp, 20477714843, 20640000000);
	/* T = 7, BC = 6: min 6, i = 2, RT += 0.4.  10238857421 + 10520000000 */
	rt_rp_on_bytes_sent(&rp, &params, 10 * MB);
	assert_rates(rp, 20758857421, 21040000000);

	/* CNP 3: alpha decayed at 205, 260 ... 535 us, seven times; the cut uses it
	 * (0.9729746...), and only then it is raised.
	 * 20758857421 * (1 - 0.4864873...) = 10659936855 */
	rt_rp_on_cnp(&rp, &params, 560 * US);
	assert_rates(rp, (uint64_t)(20758857421.0 * (1 - alpha / 2)), 20758857421);
	assert_int_equal(rp.rate_bps, 10659936855);
	assert_true(rp.alpha == 255.0 / 256 * alpha + 1.0 / 256);
	assert_int_equal(rp.timer_count, 0);
	assert_int_equal(rp.byte_count, 0);
}

/*
 * The authors' simulator raises first: 255/256 * 0.5 + 1/256 = 0.501953125, cut to
 * 40 (1 - 0.2509765625) = 29.9609375 Gb/s; then 255/256 * 0.501953125 + 1/256 =
 * 0.5038986206..., cut to 22.412300... Gb/s (both stand in its logs).
 */
static void test_rp_alpha_first_raises_before_it_cuts(void **state)
{
	const struct rt_rp_params params = set_params("msft-40g");
	struct rt_rp rp;

	(void)state;
	rt_rp_init(&rp, &params);
	rt_rp_on_cnp(&rp, &params, 50 * US);
	assert_true(rp.alpha == 0.501953125);
	assert_rates(rp, 29960937500, 40000000000);
	rt_rp_on_cnp(&rp, &params, 100 * US);
	assert_true(rp.alpha == 255.0 / 256 * 0.501953125 + 1.0 / 256);
	assert_in_range(rp.rate_bps, 22412299500, 22412300500);
	assert_int_equal(rp.target_bps, 29960937500);
}

/*
 * hpcc: the first CNP only starts alpha (every 1 us) and the checks (every 4 us,
 * 1 ns late); a check cuts if a CNP came since the last one.
 */
static void test_rp_mlx_cuts_at_checks_only(void **state)
{
	const struct rt_rp_params params = set_params("hpcc-mlx-100g");
	const double alpha = decayed(1, 4);
	const uint64_t cut = (uint64_t)(100e9 * (1 - alpha / 2)); /* 50.776 Gb/s */
	const uint64_t check = 14 * US + 1000;
	struct rt_rp rp;

	(void)state;
	rt_rp_init(&rp, &params);
	assert_int_equal(rt_rp_on_cnp(&rp, &params, 10 * US), RT_RP_ARM_DECREASE);
	assert_rates(rp, 100000000000, 100000000000);
	assert_int_equal(rp.decrease_at_ps, check);

	/* No CNP in between: four decays at 11, 12, 13, 14 us.  Stage 0: RT stays. */
	assert_int_equal(rt_rp_on_decrease(&rp, &params, check),
			 RT_RP_RATE | RT_RP_ARM_DECREASE | RT_RP_ARM_INCREASE);
	assert_true(rp.alpha == alpha);
	assert_rates(rp, cut, 100000000000);
	assert_true(rp.decrease_at_ps == RT_PS_NEVER);
	assert_int_equal(rp.increase_at_ps, check + 300 * US);

	/* A CNP at 20.5 us waits for the check of the grid after it, 22.001 us; the
	 * tick at 21 us raises, that at 22 us decays again. */
	assert_int_equal(rt_rp_on_cnp(&rp, &params, 20500000), RT_RP_ARM_DECREASE);
	assert_int_equal(rp.decrease_at_ps, 22 * US + 1000);
	rt_rp_alpha_until(&rp, &params, 22 * US);
	assert_true(rp.alpha ==
		    (255.0 / 256 * decayed(1, 10) + 1.0 / 256) * (255.0 / 256));
	/* On the very instant of a check a CNP is for the next one. */
	rt_rp_on_decrease(&rp, &params, 22 * US + 1000);
	rt_rp_on_cnp(&rp, &params, 26 * US + 1000);
	assert_int_equal(rp.decrease_at_ps, 30 * US + 1000);
}

/* Checks that run on cut at the same times, and in between do nothing. */
static void test_rp_checks_may_run_without_cnps(void **state)
{
	struct rt_rp_params params = set_params("hpcc-mlx-100g");
	struct rt_rp resting, running;

	(void)state;
	rt_rp_init(&resting, &params);
	rt_rp_on_cnp(&resting, &params, 10 * US);
	rt_rp_on_decrease(&resting, &params, 14 * US + 1000);
	rt_rp_on_cnp(&resting, &params, 20500000);
	rt_rp_on_decrease(&resting, &params, 22 * US + 1000);

	params.options |= RT_RP_CHECKS_RUN;
	rt_rp_init(&running, &params);
	rt_rp_on_cnp(&running, &params, 10 * US);
	rt_rp_on_decrease(&running, &params, 14 * US + 1000);
	assert_int_equal(running.decrease_at_ps, 18 * US + 1000);
	assert_int_equal(rt_rp_on_decrease(&running, &params, 18 * US + 1000),
			 RT_RP_ARM_DECREASE);
	assert_int_equal(rt_rp_on_cnp(&running, &params, 20500000), 0);
	rt_rp_on_decrease(&running, &params, 22 * US + 1000);
	assert_int_equal(running.decrease_at_ps, 26 * US + 1000);
	assert_true(running.alpha == resting.alpha);
	assert_rates(running, resting.rate_bps, resting.target_bps);
	assert_int_equal(running.increase_at_ps, resting.increase_at_ps);
}

/* hpcc increases: stage 0 < F = 1 fast, stage 1 additive, stages above hyper. */
static void test_rp_stages_fast_additive_hyper(void **state)
{
	const struct rt_rp_params params = set_params("hpcc-mlx-100g");
	struct rt_rp rp;

	(void)state;
	rt_rp_init(&rp, &params);
	rt_rp_on_cnp(&rp, &params, 0);
	rt_rp_on_decrease(&rp, &params, rp.decrease_at_ps);
	rp.rate_bps = 1000000000; /* round figures from here */
	rp.target_bps = 3000000000;
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_rates(rp, 2000000000, 3000000000); /* (1 + 3) / 2 */
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_rates(rp, 2510000000, 3020000000); /* (2 + 3.02) / 2 */
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_rates(rp, 2865000000, 3220000000); /* (2.51 + 3.22) / 2 */
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_rates(rp, 3142500000, 3420000000); /* no factor: + 0.2 again */

	/* The next cut is the first after an increase: RT = RC. */
	rt_rp_on_cnp(&rp, &params, rp.increase_at_ps - 1);
	rt_rp_on_decrease(&rp, &params, rp.decrease_at_ps);
	assert_int_equal(rp.target_bps, 3142500000);
}

/* The one bit that an option changes, on the same events. */
static void test_rp_options_change_what_they_say(void **state)
{
	struct rt_rp_params params = set_params("paper-40g");
	struct rt_rp rp;

	(void)state;
	/* f_inclusive: T = 5 = F is fast recovery, T = 6 additive. */
	params.options = RT_RP_F_INCLUSIVE;
	rt_rp_init(&rp, &params);
	rt_rp_on_cnp(&rp, &params, 0);
	for (unsigned i = 0; i < 5; i++)
		rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_int_equal(rp.target_bps, 40000000000);
	assert_int_equal(rp.phase, RT_RP_FAST);
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_int_equal(rp.phase, RT_RP_ADDITIVE);

	/* target_free: RT may pass 40 Gb/s, RC not.  T = 5: RT = 40.04. */
	params.options = RT_RP_TARGET_FREE;
	rt_rp_init(&rp, &params);
	rt_rp_on_cnp(&rp, &params, 0);
	for (unsigned i = 0; i < 5; i++)
		rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_int_equal(rp.target_bps, 40040000000);
	assert_in_range(rp.rate_bps, params.min_rate_bps, params.line_rate_bps);

	/* target_eighth needs a target that cuts leave alone: five cuts with alpha 1
	 * make RC 1.25, RT 40 > 12.5: RT = 5, RC = (1.25 + 5) / 2. */
	params.options = RT_RP_TARGET_EIGHTH;
	params.clamp = RT_RP_CLAMP_AFTER_INCREASE;
	rt_rp_init(&rp, &params);
	for (unsigned i = 0; i < 5; i++)
		rt_rp_on_cnp(&rp, &params, i);
	assert_rates(rp, 1250000000, 40000000000);
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
	assert_rates(rp, 3125000000, 5000000000);
	rt_rp_on_increase(&rp, &params, rp.increase_at_ps); /* only the first */
	assert_rates(rp, 4062500000, 5000000000);
}

/* target_eighth: at RT = 10 RC not yet; a bit above, 10000000008 / 8 = 1250000001. */
static void test_rp_target_eighth_starts_above_ten_rates(void **state)
{
	struct rt_rp_params params = set_params("paper-40g");
	struct rt_rp rp;

	(void)state;
	params.options = RT_RP_TARGET_EIGHTH;
	for (unsigned above = 0; above < 2; above++) {
		rt_rp_init(&rp, &params);
		rt_rp_on_cnp(&rp, &params, 0);
		rp.rate_bps = 1000000000;
		rp.target_bps = above ? 10000000008 : 10000000000;
		rt_rp_on_increase(&rp, &params, rp.increase_at_ps);
		assert_int_equal(rp.target_bps, above ? 1250000001 : 10000000000);
	}
}

static void to_hyper(struct rt_rp *rp, const struct rt_rp_params *params)
{
	rt_rp_init(rp, params);
	rt_rp_on_cnp(rp, params, 0);
	rt_rp_on_cnp(rp, params, 1);
	for (unsigned i = 0; i < 5; i++)
		rt_rp_on_increase(rp, params, rp->increase_at_ps);
	for (unsigned i = 0; i < 5; i++)
		rt_rp_on_bytes_sent(rp, params, 10 * MB);
}

/* msft: half of 55 us is 27.5 us, whole microseconds make 27; half of 10 MB 5. */
static void test_rp_hyper_options_of_the_authors_model(void **state)
{
	struct rt_rp_params params = set_params("paper-40g");
	uint64_t before_ps;
	struct rt_rp rp;

	(void)state;
	to_hyper(&rp, &params);
	assert_int_equal(rp.phase, RT_RP_HYPER); /* paper: by the byte event */

	params.options = RT_RP_HYPER_BY_TIMER | RT_RP_HYPER_HALF;
	to_hyper(&rp, &params);
	assert_int_equal(rp.phase, RT_RP_ADDITIVE); /* waits for the timer */
	before_ps = rp.increase_at_ps;
	rt_rp_on_increase(&rp, &params, before_ps);
	assert_int_equal(rp.phase, RT_RP_HYPER);
	assert_int_equal(rp.increase_at_ps, before_ps + 55 * US); /* still whole */
	before_ps = rp.increase_at_ps;
	rt_rp_on_increase(&rp, &params, before_ps);
	assert_int_equal(rp.increase_at_ps, before_ps + 27 * US);
	assert_int_equal(rt_rp_on_bytes_sent(&rp, &params, 5 * MB - 1), 0);
	assert_int_equal(rt_rp_on_bytes_sent(&rp, &params, 1), RT_RP_RATE);
}

/* Floors: min_keep per cut, min_rate for all; rate on the first CNP. */
static void test_rp_floors_hold(void **state)
{
	struct rt_rp_params params = set_params("paper-40g");
	struct rt_rp rp;

	(void)state;
	params.min_keep = 0.75;
	rt_rp_init(&rp, &params);
	rt_rp_on_cnp(&rp, &params, 0); /* alpha 1 would halve */
	assert_int_equal(rp.rate_bps, 30000000000);
	params.min_keep = 0;
	rt_rp_init(&rp, &params);
	for (unsigned i = 0; i < 20; i++)
		rt_rp_on_cnp(&rp, &params, i); /* 40e9 / 2^20 = 38147 */
	assert_int_equal(rp.rate_bps, params.min_rate_bps);

	params = set_params("nvidia-100g");
	params.rate_on_first_cnp_bps = 25000000000;
	rt_rp_init(&rp, &params);
	assert_int_equal(rt_rp_on_cnp(&rp, &params, 0),
			 RT_RP_RATE | RT_RP_ARM_DECREASE);
	assert_int_equal(rp.rate_bps, 25000000000);
}

/* keep_bytes: what was sent before the cut counts for the next byte event. */
static void test_rp_byte_counter_restarts_unless_kept(void **state)
{
	struct rt_rp_params params = set_params("paper-40g");
	struct rt_rp rp;

	(void)state;
	for (unsigned keep = 0; keep < 2; keep++) {
		params.options = keep ? RT_RP_KEEP_BYTES : 0;
		rt_rp_init(&rp, &params);
		assert_int_equal(rt_rp_on_bytes_sent(&rp, &params, 50 * MB), 0);
		rt_rp_on_cnp(&rp, &params, 0);
		rt_rp_on_bytes_sent(&rp, &params, 6 * MB);
		rt_rp_on_cnp(&rp, &params, 1);
		rt_rp_on_bytes_sent(&rp, &params, 4 * MB);
		assert_int_equal(rp.byte_count, keep);
	}
}

/*
 * Back at line rate the limiter lets go and the timer is off; a cut after that does
 * the same as with a timer that ran on.
 */
static void test_rp_released_at_line_rate(void **state)
{
	struct rt_rp_params params = set_params("hpcc-mlx-100g");
	struct rt_rp rp[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		params.options = i ? RT_RP_ALWAYS_ARMED : 0;
		rt_rp_init(&rp[i], &params);
		rt_rp_on_cnp(&rp[i], &params, 0);
		rt_rp_on_decrease(&rp[i], &params, rp[i].decrease_at_ps);
		for (unsigned n = 0; n < 60 && rp[i].increase_at_ps != RT_PS_NEVER; n++)
			rt_rp_on_increase(&rp[i], &params, rp[i].increase_at_ps);
	}
	assert_int_equal(rp[0].mode, RT_RP_RELEASED);
	assert_true(rp[0].increase_at_ps == RT_PS_NEVER);
	assert_rates(rp[0], 100000000000, 100000000000);
	assert_int_equal(rp[1].mode, RT_RP_LIMITED);
	/* Halving and rounding down stops 1 b/s short for ever. */
	assert_in_range(rp[1].rate_bps, 99999999998, 100000000000);
	for (unsigned i = 0; i < 2; i++) {
		rt_rp_on_cnp(&rp[i], &params, 1000 * RT_PS_PER_MS);
		rt_rp_on_decrease(&rp[i], &params, rp[i].decrease_at_ps);
	}
	assert_true(rp[0].alpha == rp[1].alpha);
	assert_in_range(rp[0].rate_bps, rp[1].rate_bps, rp[1].rate_bps + 2);
	assert_int_equal(rp[0].mode, RT_RP_LIMITED);
	assert_int_equal(rp[0].increase_at_ps, rp[1].increase_at_ps);
}

static void test_rp_params_check_names_what_is_wrong(void **state)
{
	static const struct {
		const char *word;
		size_t offset;
		uint64_t value;
	} cases[] = {
		{ "line rate", offsetof(struct rt_rp_params, line_rate_bps), 0 },
		{ "min_rate", offsetof(struct rt_rp_params, min_rate_bps), 0 },
		{ "min_rate", offsetof(struct rt_rp_params, min_rate_bps),
		  41000000000 },
		{ "first CNP", offsetof(struct rt_rp_params, rate_on_first_cnp_bps),
		  41000000000 },
		{ "byte counter", offsetof(struct rt_rp_params, byte_counter_bytes),
		  1ull << 31 },
		{ "alpha interval", offsetof(struct rt_rp_params, alpha_interval_ps),
		  0 },
	};
	struct rt_rp_params params = set_params("paper-40g");
	struct rt_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_rp_params bad = params;

		memcpy((char *)&bad + cases[i].offset, &cases[i].value,
		       sizeof(cases[i].value));
		assert_int_equal(rt_rp_params_check(&bad, &err), -EINVAL);
		assert_non_null(strstr(err.msg, cases[i].word));
	}
	params.g = 0;
	assert_int_equal(rt_rp_params_check(&params, &err), -EINVAL);
	params.g = NAN;
	assert_int_equal(rt_rp_params_check(&params, &err), -EINVAL);
	params.g = 1;
	params.increase_interval_ps = params.byte_counter_bytes = 0;
	assert_int_equal(rt_rp_params_check(&params, &err), -EINVAL);
	assert_null(rt_dcqcn_set_find("none"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_rp_paper_cut_recover_add_and_hyper),
	     cmocka_unit_test(test_rp_alpha_first_raises_before_it_cuts),
	     cmocka_unit_test(test_rp_mlx_cuts_at_checks_only),
	     cmocka_unit_test(test_rp_checks_may_run_without_cnps),
	     cmocka_unit_test(test_rp_stages_fast_additive_hyper),
	     cmocka_unit_test(test_rp_options_change_what_they_say),
	     cmocka_unit_test(test_rp_target_eighth_starts_above_ten_rates),
	     cmocka_unit_test(test_rp_hyper_options_of_the_authors_model),
	     cmocka_unit_test(test_rp_floors_hold),
	     cmocka_unit_test(test_rp_byte_counter_restarts_unless_kept),
	     cmocka_unit_test(test_rp_released_at_line_rate),
	     cmocka_unit_test(test_rp_params_check_names_what_is_wrong))
