/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_rates.h - rate caps that depend on the links that traffic runs over: pure. */
#ifndef RT_RUN_STRESS_RATES_H
#define RT_RUN_STRESS_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "run/stress_merge.h"
#include "run/stress_plan.h"

struct rt_engine_about;
struct rt_err;

/*
 * Payload per second of a flow whose frames take their share (rate_share_ppb) of about's
 * link.  -ENODATA: nobody knows how fast that link is.
 */
int rt_stress_share_bps(const struct rt_traffic_flow *flow,
			const struct rt_engine_about *about, uint64_t *ret_bps,
			struct rt_err *err);

/*
 * Shares of a link become rates, now that ranks (plan->ranks of them) have told what
 * theirs are.  -ENODATA as above; no rank that got as far leaves it unknown.
 */
int rt_stress_heed_links(struct rt_stress_plan *plan,
			 const struct rt_stress_rank *ranks, struct rt_err *err);

/* Every sender has the same to do, all the time. */
bool rt_stress_flows_are_even(const struct rt_stress_plan *plan);

#endif
