/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_share.h - how a run's senders shared what there was: pure. */
#ifndef RT_RUN_STRESS_SHARE_H
#define RT_RUN_STRESS_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "run/stress.h"
#include "run/stress_plan.h"
#include "run/stress_series.h"

/* Dips that are listed; all are counted. */
#define RT_STRESS_DIPS_LISTED 64u

/*
 * From result's senders and receivers, with their series: who was slow, when, and how
 * fair it was in window.  -ENOMEM.
 */
int rt_stress_share(const struct rt_stress_plan *plan, const struct rt_window *window,
		    size_t intervals, bool utf8, struct rt_stress_result *result);

/* --- stress_swing.c --------------------------------------------------------------- */

/* Dips and variation of each sender, and what is known of their causes.  -ENOMEM. */
int rt_stress_swing(const struct rt_stress_plan *plan, const struct rt_window *window,
		    struct rt_stress_result *result);

/* Whether a sender's rate says how it was treated. */
bool rt_stress_tells(const struct rt_stress_sender *sender);

#endif
