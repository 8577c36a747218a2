/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What holds for the reaction point whatever happens: bounds over seeded random
 * events, alpha without timer events, and two flows that find their fair share.
 */
#include "unit.h"

#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "base/rng.h"
#include "cc/dcqcn.h"
#include "cc/red.h"

#define US RT_PS_PER_US

/* Of gcc 12 and clang 14 on x86-64; whoever changes a law changes it knowingly. */
#define DIGEST 0xb32957569d4ade49ull

static struct rt_rp_params random_params(struct rt_rng *rng)
{
	struct rt_rp_params params = {
		.line_rate_bps = 1000000000 * (1 + rt_rng_below(rng, 800)),
		.ai_rate_bps = 1000000 * rt_rng_below(rng, 1000),
		.hai_rate_bps = 1000000 * rt_rng_below(rng, 10000),
		.alpha_interval_ps = US * (1 + rt_rng_below(rng, 60)),
		.decrease_interval_ps = US * (1 + rt_rng_below(rng, 60)),
		.decrease_offset_ps = rt_rng_below(rng, 2) * RT_PS_PER_NS,
		.increase_interval_ps = US * (2 + rt_rng_below(rng, 400)),
		.byte_counter_bytes = rt_rng_below(rng, 3) * 50000,
		.g = (1 + (double)rt_rng_below(rng, 1024)) / 1024,
		.rp_alpha = rt_rng_unit(rng),
		.cut_scale = rt_rng_below(rng, 2) ? 0.5 : 1,
		.min_keep = rt_rng_below(rng, 2) ? 0 : 0.5,
		.fast_recovery = (uint32_t)rt_rng_below(rng, 7),
		.reaction = (enum rt_rp_reaction)rt_rng_below(rng, 3),
		.increase = (enum rt_rp_increase)rt_rng_below(rng, 2),
		.clamp = (enum rt_rp_clamp)rt_rng_below(rng, 2),
		.options = (unsigned)rt_rng_below(rng, 128),
	};

	params.min_rate_bps = 1 + rt_rng_below(rng, params.line_rate_bps);
	params.rate_on_first_cnp_bps = rt_rng_below(rng, 2) *
				       (params.min_rate_bps + params.line_rate_bps) / 2;
	return params;
}

/* One step of time: a deadline if one is due before next_ps, else what rng says. */
static unsigned step(struct rt_rp *rp, const struct rt_rp_params *params,
		     uint64_t *now_ps, struct rt_rng *rng)
{
	const uint64_t next_ps = *now_ps + rt_rng_below(rng, 30 * US);

	if (rp->decrease_at_ps <= next_ps && rp->decrease_at_ps <= rp->increase_at_ps) {
		*now_ps = rp->decrease_at_ps;
		return rt_rp_on_decrease(rp, params, *now_ps);
	}
	if (rp->increase_at_ps <= next_ps) {
		*now_ps = rp->increase_at_ps;
		return rt_rp_on_increase(rp, params, *now_ps);
	}
	*now_ps = next_ps;
	if (!rt_rng_below(rng, 8))
		return rt_rp_on_cnp(rp, params, next_ps);
	return rt_rp_on_bytes_sent(rp, params, (uint32_t)rt_rng_below(rng, 65536));
}

static void test_rp_stays_in_bounds_over_random_events(void **state)
{
	struct rt_rng rng;
	unsigned changes = 0;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	for (unsigned round = 0; round < 400; round++) {
		const struct rt_rp_params params = random_params(&rng);
		uint64_t now_ps = 0;
		struct rt_rp rp;

		assert_int_equal(rt_rp_params_check(&params, NULL), 0);
		rt_rp_init(&rp, &params);
		for (unsigned i = 0; i < 1000; i++) {
			const struct rt_rp before = rp;
			const unsigned change = step(&rp, &params, &now_ps, &rng);

			assert_in_range(rp.rate_bps, params.min_rate_bps,
					params.line_rate_bps);
			assert_true(rp.alpha >= 0 && rp.alpha <= 1);
			if (!(params.options & RT_RP_TARGET_FREE))
				assert_true(rp.target_bps <= params.line_rate_bps);
			/* A call says exactly what it changed. */
			assert_int_equal(!!(change & RT_RP_RATE),
					 before.rate_bps != rp.rate_bps);
			if (before.increase_at_ps != rp.increase_at_ps)
				assert_true(change & RT_RP_ARM_INCREASE);
			if (before.decrease_at_ps != rp.decrease_at_ps)
				assert_true(change & RT_RP_ARM_DECREASE);
			assert_true(rp.increase_at_ps > now_ps);
			assert_true(rp.decrease_at_ps > now_ps);
			changes += !!change;
		}
	}
	assert_in_range(changes, 100000, 400000);
}

/*
 * One seed, one run, byte for byte: all values of 200 random reaction points go into
 * one digest, and every compiler and optimisation level must come to the same.
 */
static void test_rp_has_the_same_bits_with_any_compiler(void **state)
{
	uint64_t digest = 0;
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 2, 0);
	for (unsigned round = 0; round < 200; round++) {
		const struct rt_rp_params params = random_params(&rng);
		uint64_t now_ps = 0, bits;
		struct rt_rp rp;

		rt_rp_init(&rp, &params);
		for (unsigned i = 0; i < 500; i++) {
			step(&rp, &params, &now_ps, &rng);
			memcpy(&bits, &rp.alpha, sizeof(bits));
			digest = rt_hash_pair(digest, rp.rate_bps);
			digest = rt_hash_pair(digest, rp.target_bps ^ bits);
		}
	}
	print_message("# digest %016llx\n", (unsigned long long)digest);
	assert_true(digest == DIGEST);
}

/*
 * Alpha needs no events: asked at odd moments it is, bit for bit, what a timer
 * makes of it that multiplies at every tick.  The one difference is by design: an
 * alpha below 2^-55 g becomes 0 when it would be multiplied again, and then every
 * sum it enters rounds to what it is without it.
 */
static void test_rp_alpha_is_what_a_timer_would_make_of_it(void **state)
{
	struct rt_rp_params params = rt_dcqcn_set_find("nvidia-100g")->rp;
	const double lost = 0x1p-55 * params.g;
	double alpha = params.rp_alpha;
	uint64_t tick_ps = 0, now_ps = 0;
	unsigned long ticks = 0, zeros = 0;
	bool cnp = false;
	struct rt_rng rng;
	struct rt_rp rp;

	(void)state;
	rt_rng_init(&rng, 3, 0);
	rt_rp_init(&rp, &params);
	rt_rp_on_cnp(&rp, &params, 0);
	for (unsigned i = 0; i < 20000; i++) {
		/* Every hundredth wait is long enough for alpha to die away. */
		now_ps += rt_rng_below(&rng, i % 100 ? 30 * US : 60000 * US);
		for (; tick_ps + params.alpha_interval_ps < now_ps; ticks++) {
			tick_ps += params.alpha_interval_ps;
			alpha = (1 - params.g) * alpha + (cnp ? params.g : 0);
			cnp = false;
		}
		rt_rp_on_cnp(&rp, &params, now_ps);
		cnp = true;
		if (rp.alpha_from_ps != tick_ps)
			rt_rp_alpha_until(&rp, &params, now_ps - 1);
		if (alpha >= lost) {
			assert_true(rp.alpha == alpha);
		} else {
			assert_true(rp.alpha >= 0 && rp.alpha < lost);
			assert_true(1 - rp.alpha / 2 == 1 - alpha / 2);
			assert_true((1 - params.g) * rp.alpha + params.g ==
				    (1 - params.g) * alpha + params.g);
			zeros++;
		}
	}
	assert_true(ticks > 1000000 && zeros > 50);
}

/* --- two flows through one queue ------------------------------------------- */

enum {
	FLOWS = 2,
	PACKET_BYTES = 1048
};

struct loop {
	struct rt_rp rp[FLOWS];
	struct rt_np np[FLOWS];
	uint64_t send_at_ps[FLOWS];
	uint64_t cnp_at_ps[FLOWS]; /* a CNP on its way; RT_PS_NEVER: none */
	uint64_t bytes[FLOWS];
	uint64_t queue_bytes;
	uint64_t drained_ps; /* the queue is as long as it was then */
	struct rt_rng rng;
};

static uint64_t packet_ps(uint64_t rate_bps)
{
	return PACKET_BYTES * 8 * 1000000000000ull / rate_bps;
}

/* A packet joins a queue that drains at line rate, may be marked, may make a CNP. */
static void send(struct loop *loop, const struct rt_dcqcn_set *set,
		 const struct rt_red *red, unsigned flow, uint64_t now_ps)
{
	const uint64_t drained = (now_ps - loop->drained_ps) / 1000 *
				 (set->rp.line_rate_bps / 1000000) / 8000;

	loop->queue_bytes -= drained < loop->queue_bytes ? drained : loop->queue_bytes;
	loop->drained_ps = now_ps;
	if (rt_red_marks(red, loop->queue_bytes, &loop->rng) &&
	    rt_np_on_mark(&loop->np[flow], &set->np, now_ps))
		loop->cnp_at_ps[flow] = now_ps + 4 * US;
	loop->queue_bytes += PACKET_BYTES;
	loop->bytes[flow] += PACKET_BYTES;
	rt_rp_on_bytes_sent(&loop->rp[flow], &set->rp, PACKET_BYTES);
	loop->send_at_ps[flow] = now_ps + packet_ps(loop->rp[flow].rate_bps);
}

/* The earliest thing that is due for flow happens; false: not before until_ps. */
static bool advance(struct loop *loop, const struct rt_dcqcn_set *set,
		    const struct rt_red *red, uint64_t until_ps)
{
	uint64_t due[FLOWS][4], now = until_ps;
	unsigned flow = FLOWS, what = 0;

	for (unsigned f = 0; f < FLOWS; f++) {
		due[f][0] = loop->cnp_at_ps[f];
		due[f][1] = loop->rp[f].increase_at_ps;
		due[f][2] = loop->np[f].cnp_at_ps;
		due[f][3] = loop->send_at_ps[f];
		for (unsigned w = 0; w < 4; w++)
			if (due[f][w] < now) {
				now = due[f][w];
				flow = f;
				what = w;
			}
	}
	if (flow == FLOWS)
		return false;
	if (what == 0) {
		loop->cnp_at_ps[flow] = RT_PS_NEVER;
		rt_rp_on_cnp(&loop->rp[flow], &set->rp, now);
	} else if (what == 1) {
		rt_rp_on_increase(&loop->rp[flow], &set->rp, now);
	} else if (what == 2) {
		rt_np_on_timer(&loop->np[flow], &set->np, now);
		loop->cnp_at_ps[flow] = now + 4 * US;
	} else {
		send(loop, set, red, flow, now);
	}
	return true;
}

/*
 * Section 4 (two-flow convergence): 36 and 4 Gb/s on a 40 Gb/s link with Kmin 5 KB,
 * Kmax 200 KB, Pmax 1 %; 300 ms to converge, then 300 ms over which each flow must
 * send half of all bytes to within 5 % of its share.
 */
static void test_rp_two_flows_find_their_fair_share(void **state)
{
	const struct rt_dcqcn_set *set = rt_dcqcn_set_find("paper-40g");
	static const uint64_t start_bps[FLOWS] = { 36000000000, 4000000000 };
	struct rt_red red;

	(void)state;
	rt_red_init(&red, 5000, 200000, 10000000);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct loop loop = { .cnp_at_ps = { RT_PS_NEVER, RT_PS_NEVER } };
		uint64_t before[FLOWS], sent[FLOWS];

		rt_rng_init(&loop.rng, seed, 0);
		for (unsigned f = 0; f < FLOWS; f++) {
			rt_np_init(&loop.np[f], &set->np, 0);
			rt_rp_init(&loop.rp[f], &set->rp);
			loop.rp[f].rate_bps = loop.rp[f].target_bps = start_bps[f];
			loop.rp[f].mode = RT_RP_LIMITED;
			loop.rp[f].increase_at_ps = set->rp.increase_interval_ps;
		}
		while (advance(&loop, set, &red, 300 * RT_PS_PER_MS))
			;
		memcpy(before, loop.bytes, sizeof(before));
		while (advance(&loop, set, &red, 600 * RT_PS_PER_MS))
			;
		for (unsigned f = 0; f < FLOWS; f++)
			sent[f] = loop.bytes[f] - before[f];
		print_message("# seed %u: %.2f and %.2f Gb/s\n", (unsigned)seed,
			      (double)sent[0] * 8e-9 / 0.3,
			      (double)sent[1] * 8e-9 / 0.3);
		for (unsigned f = 0; f < FLOWS; f++)
			assert_in_range(sent[f] * 2000 / (sent[0] + sent[1]), 950,
					1050);
		assert_true((sent[0] + sent[1]) * 8 > 36000000000 / 1000 * 300);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_rp_stays_in_bounds_over_random_events),
	     cmocka_unit_test(test_rp_has_the_same_bits_with_any_compiler),
	     cmocka_unit_test(test_rp_alpha_is_what_a_timer_would_make_of_it),
	     cmocka_unit_test(test_rp_two_flows_find_their_fair_share))
