/* SPDX-License-Identifier: BSD-2-Clause */
/* dcqcn.c - the reaction point's cuts and increases. */
#include "cc/dcqcn.h"

#include <errno.h>
#include <inttypes.h>

#include "rocetune/err.h"

/* Under this a rate counts as the line rate, and the limiter is released. */
#define RELEASE_WITHIN_BPS 1000

/* A free target stops here, far beyond any use, instead of wrapping. */
#define TARGET_MAX_BPS (1ull << 62)

/*
 * An alpha below g * 2^-55 is lost in the next raise ((1 - g) alpha + g rounds to
 * g), and below 2^-55 in the next cut (1 - alpha / 2 rounds to 1).
 */
#define ALPHA_LOST 0x1p-55

/* --- parameters ----------------------------------------------------------- */

static int check_rates(const struct rt_rp_params *params, struct rt_err *err)
{
	if (!params->line_rate_bps)
		return rt_err_set(err, -EINVAL, "DCQCN: the line rate is 0");
	if (!params->min_rate_bps || params->min_rate_bps > params->line_rate_bps)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: min_rate %" PRIu64
				  " b/s is not between 1 and "
				  "the line rate %" PRIu64 " b/s",
				  params->min_rate_bps, params->line_rate_bps);
	if (params->rate_on_first_cnp_bps > params->line_rate_bps)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: the rate on the first CNP, %" PRIu64
				  " b/s, is above the line rate",
				  params->rate_on_first_cnp_bps);
	return 0;
}

static int check_timers(const struct rt_rp_params *params, struct rt_err *err)
{
	if (!params->alpha_interval_ps)
		return rt_err_set(err, -EINVAL, "DCQCN: the alpha interval is 0");
	if (params->reaction == RT_RP_MLX && !params->decrease_interval_ps)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: the mlx reaction needs a decrease interval");
	if (!params->increase_interval_ps && !params->byte_counter_bytes)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: neither increase timer nor byte counter: a "
				  "rate once cut would never rise");
	if (params->byte_counter_bytes >= 1ull << 31)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: the byte counter, %" PRIu64
				  " bytes, is not below 2 GiB",
				  params->byte_counter_bytes);
	if (params->options & RT_RP_HYPER_HALF && params->byte_counter_bytes == 1)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: half of a byte counter of 1 is 0");
	if (params->options & RT_RP_HYPER_HALF && params->increase_interval_ps &&
	    params->increase_interval_ps / 2 < RT_PS_PER_US)
		return rt_err_set(err, -EINVAL,
				  "DCQCN: half the increase timer is under 1 us, and "
				  "hyper_half rounds it down to 0");
	return 0;
}

int rt_rp_params_check(const struct rt_rp_params *params, struct rt_err *err)
{
	int r = check_rates(params, err);

	if (!r)
		r = check_timers(params, err);
	if (r < 0)
		return r;
	if (!(params->g > 0 && params->g <= 1))
		return rt_err_set(err, -EINVAL, "DCQCN: g is not in (0, 1]");
	if (!(params->rp_alpha >= 0 && params->rp_alpha <= 1))
		return rt_err_set(err, -EINVAL, "DCQCN: rp_alpha is not in [0, 1]");
	if (!(params->cut_scale > 0 && params->cut_scale <= 1))
		return rt_err_set(err, -EINVAL, "DCQCN: cut_scale is not in (0, 1]");
	if (!(params->min_keep >= 0 && params->min_keep < 1))
		return rt_err_set(err, -EINVAL,
				  "DCQCN: min_keep is not in [0, 1): 1 forbids cuts");
	return 0;
}

void rt_rp_init(struct rt_rp *rp, const struct rt_rp_params *params)
{
	*rp = (struct rt_rp){
		.rate_bps = params->line_rate_bps,
		.target_bps = params->line_rate_bps,
		.increase_at_ps = RT_PS_NEVER,
		.decrease_at_ps = RT_PS_NEVER,
		.alpha = params->rp_alpha,
		.mode = RT_RP_UNLIMITED,
	};
}

/* --- alpha ---------------------------------------------------------------- */

static void raise_alpha(struct rt_rp *rp, const struct rt_rp_params *params)
{
	const double alpha = (1 - params->g) * rp->alpha + params->g;

	rp->alpha = alpha > 1 ? 1 : alpha;
}

void rt_rp_alpha_ticks(struct rt_rp *rp, const struct rt_rp_params *params,
		       uint64_t ticks)
{
	const double keep = 1 - params->g;
	double alpha;

	rp->alpha_from_ps += ticks * params->alpha_interval_ps;
	if (ticks && rp->cnp_seen) {
		raise_alpha(rp, params);
		rp->cnp_seen = 0;
		ticks--;
	}
	alpha = rp->alpha;
	while (ticks && alpha >= ALPHA_LOST * params->g) {
		alpha *= keep;
		ticks--;
	}
	rp->alpha = ticks ? 0 : alpha;
}

/* --- decrease ------------------------------------------------------------- */

static void cut_rate(struct rt_rp *rp, const struct rt_rp_params *params)
{
	double keep = 1 - rp->alpha * params->cut_scale;

	if (params->clamp == RT_RP_CLAMP_ALWAYS || rp->timer_count || rp->byte_count)
		rp->target_bps = rp->rate_bps;
	if (keep < params->min_keep)
		keep = params->min_keep;
	rp->rate_bps = (uint64_t)((double)rp->rate_bps * keep);
	if (rp->rate_bps < params->min_rate_bps)
		rp->rate_bps = params->min_rate_bps;
}

static unsigned restart_increase(struct rt_rp *rp, const struct rt_rp_params *params,
				 uint64_t now_ps)
{
	rp->timer_count = 0;
	rp->byte_count = 0;
	rp->phase = RT_RP_FAST;
	rp->mode = RT_RP_LIMITED;
	if (!(params->options & RT_RP_KEEP_BYTES))
		rp->bytes = 0;
	if (!params->increase_interval_ps)
		return 0;
	rp->increase_at_ps = now_ps + params->increase_interval_ps;
	return RT_RP_ARM_INCREASE;
}

/* DCQCN paper, section 3.1: equation (1), in the order the reaction says. */
static unsigned cut_at_cnp(struct rt_rp *rp, const struct rt_rp_params *params,
			   uint64_t now_ps)
{
	const uint64_t before_bps = rp->rate_bps;
	unsigned change;

	if (params->reaction == RT_RP_ALPHA_FIRST)
		raise_alpha(rp, params);
	cut_rate(rp, params);
	if (params->reaction == RT_RP_PAPER)
		raise_alpha(rp, params);
	rp->alpha_from_ps = now_ps;
	change = restart_increase(rp, params, now_ps);
	return change | (rp->rate_bps != before_bps ? RT_RP_RATE : 0);
}

/* The next check after now on the grid that began at the first CNP. */
static unsigned arm_check(struct rt_rp *rp, const struct rt_rp_params *params,
			  uint64_t now_ps)
{
	const uint64_t interval_ps = params->decrease_interval_ps;
	uint64_t checks = 1;

	rp->cut_due = 1;
	if (rp->decrease_at_ps != RT_PS_NEVER)
		return 0;
	if (now_ps > rp->check_from_ps)
		checks += (now_ps - rp->check_from_ps) / interval_ps;
	rp->decrease_at_ps = rp->check_from_ps + checks * interval_ps;
	return RT_RP_ARM_DECREASE;
}

static unsigned first_cnp(struct rt_rp *rp, const struct rt_rp_params *params,
			  uint64_t now_ps)
{
	const uint64_t before_bps = rp->rate_bps;

	rp->mode = RT_RP_LIMITED;
	rp->alpha = params->rp_alpha;
	rp->alpha_from_ps = now_ps;
	rp->check_from_ps = now_ps + params->decrease_offset_ps;
	if (params->rate_on_first_cnp_bps)
		rp->rate_bps = params->rate_on_first_cnp_bps;
	return rp->rate_bps != before_bps ? RT_RP_RATE : 0;
}

unsigned rt_rp_cnp(struct rt_rp *rp, const struct rt_rp_params *params, uint64_t now_ps)
{
	unsigned change = 0;

	if (rp->mode == RT_RP_UNLIMITED) {
		change = first_cnp(rp, params, now_ps);
	} else {
		if (now_ps)
			rt_rp_alpha_until(rp, params, now_ps - 1);
		if (params->reaction == RT_RP_MLX)
			rp->cnp_seen = 1;
	}
	if (params->reaction == RT_RP_MLX)
		return change | arm_check(rp, params, now_ps);
	return change | cut_at_cnp(rp, params, now_ps);
}

unsigned rt_rp_on_decrease(struct rt_rp *rp, const struct rt_rp_params *params,
			   uint64_t now_ps)
{
	const uint64_t before_bps = rp->rate_bps;
	unsigned change = RT_RP_ARM_DECREASE;

	rp->decrease_at_ps = params->options & RT_RP_CHECKS_RUN
				     ? now_ps + params->decrease_interval_ps
				     : RT_PS_NEVER;
	if (!rp->cut_due)
		return change;
	rp->cut_due = 0;
	rt_rp_alpha_until(rp, params, now_ps);
	cut_rate(rp, params);
	change |= restart_increase(rp, params, now_ps);
	return change | (rp->rate_bps != before_bps ? RT_RP_RATE : 0);
}

/* --- increase ------------------------------------------------------------- */

/* hpcc: one stage, compared before it counts this event. */
static uint64_t stage_step_bps(struct rt_rp *rp, const struct rt_rp_params *params)
{
	const uint32_t stage = rp->timer_count;

	rp->timer_count += stage < RT_RP_COUNT_MAX;
	if (stage < params->fast_recovery)
		return 0;
	rp->phase = stage == params->fast_recovery ? RT_RP_ADDITIVE : RT_RP_HYPER;
	return rp->phase == RT_RP_ADDITIVE ? params->ai_rate_bps : params->hai_rate_bps;
}

/*
 * DCQCN paper, figure 7: fast recovery while both counts are under F, hyper once
 * both have reached it, additive between; hyper grows by R_HAI times how far the
 * lesser count has come.
 */
static uint64_t counter_step_bps(struct rt_rp *rp, const struct rt_rp_params *params,
				 bool by_timer)
{
	const uint32_t first = params->fast_recovery +
			       (params->options & RT_RP_F_INCLUSIVE ? 1 : 0);
	uint32_t least, most;

	if (by_timer)
		rp->timer_count += rp->timer_count < RT_RP_COUNT_MAX;
	else
		rp->byte_count += rp->byte_count < RT_RP_COUNT_MAX;
	least = rp->timer_count < rp->byte_count ? rp->timer_count : rp->byte_count;
	most = rp->timer_count < rp->byte_count ? rp->byte_count : rp->timer_count;
	if (most < first)
		return 0;
	if (least < first || (params->options & RT_RP_HYPER_BY_TIMER && !by_timer &&
			      rp->phase == RT_RP_ADDITIVE)) {
		rp->phase = RT_RP_ADDITIVE;
		return params->ai_rate_bps;
	}
	rp->phase = RT_RP_HYPER;
	return params->hai_rate_bps * (least - first + 1);
}

static void raise_target(struct rt_rp *rp, const struct rt_rp_params *params,
			 uint64_t step_bps)
{
	const uint64_t most_bps = params->options & RT_RP_TARGET_FREE
					  ? TARGET_MAX_BPS
					  : params->line_rate_bps;

	if (params->options & RT_RP_TARGET_EIGHTH &&
	    (rp->timer_count == 1 || rp->byte_count == 1) &&
	    rp->target_bps > 10 * rp->rate_bps)
		rp->target_bps /= 8;
	else
		rp->target_bps += step_bps;
	if (rp->target_bps > most_bps)
		rp->target_bps = most_bps;
}

/*
 * Back at line rate with a target that cannot grow: every further event would
 * change nothing, so the limiter is released until the next cut.
 */
static bool may_release(const struct rt_rp *rp, const struct rt_rp_params *params)
{
	return !(params->options &
		 (RT_RP_TARGET_FREE | RT_RP_KEEP_BYTES | RT_RP_ALWAYS_ARMED)) &&
	       rp->target_bps == params->line_rate_bps &&
	       rp->rate_bps + RELEASE_WITHIN_BPS >= params->line_rate_bps;
}

/* True: the limiter was released. */
static bool increase(struct rt_rp *rp, const struct rt_rp_params *params, bool by_timer)
{
	raise_target(rp, params,
		     params->increase == RT_RP_STAGES
			     ? stage_step_bps(rp, params)
			     : counter_step_bps(rp, params, by_timer));
	/* Two odd halves lose 1 b/s, which must not undercut the floor. */
	rp->rate_bps = rp->rate_bps / 2 + rp->target_bps / 2;
	if (rp->rate_bps < params->min_rate_bps)
		rp->rate_bps = params->min_rate_bps;
	if (rp->rate_bps > params->line_rate_bps)
		rp->rate_bps = params->line_rate_bps;
	if (!may_release(rp, params))
		return false;
	rp->rate_bps = params->line_rate_bps;
	rp->increase_at_ps = RT_PS_NEVER;
	rp->mode = RT_RP_RELEASED;
	return true;
}

unsigned rt_rp_on_increase(struct rt_rp *rp, const struct rt_rp_params *params,
			   uint64_t now_ps)
{
	const uint64_t before_bps = rp->rate_bps;
	uint64_t interval_ps = params->increase_interval_ps;

	if (params->options & RT_RP_HYPER_HALF && rp->phase == RT_RP_HYPER)
		interval_ps = interval_ps / 2 / RT_PS_PER_US * RT_PS_PER_US;
	rp->increase_at_ps = now_ps + interval_ps;
	increase(rp, params, true);
	return RT_RP_ARM_INCREASE | (rp->rate_bps != before_bps ? RT_RP_RATE : 0);
}

unsigned rt_rp_byte_events(struct rt_rp *rp, const struct rt_rp_params *params)
{
	const uint64_t before_bps = rp->rate_bps;
	unsigned change = 0;

	for (;;) {
		uint64_t due_bytes = params->byte_counter_bytes;

		if (params->options & RT_RP_HYPER_HALF && rp->phase == RT_RP_HYPER)
			due_bytes /= 2;
		if (rp->bytes < due_bytes || rp->mode != RT_RP_LIMITED)
			break;
		rp->bytes -= (uint32_t)due_bytes;
		if (increase(rp, params, false))
			change |= RT_RP_ARM_INCREASE;
	}
	return change | (rp->rate_bps != before_bps ? RT_RP_RATE : 0);
}
