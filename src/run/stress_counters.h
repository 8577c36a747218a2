/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_counters.h - what the ports of a run counted: pure. */
#ifndef RT_RUN_STRESS_COUNTERS_H
#define RT_RUN_STRESS_COUNTERS_H

#include "run/stress.h"
#include "run/stress_merge.h"

/*
 * Rows of all ports into result, those that moved apart; and what queue pairs do not
 * tell of senders and receivers is filled in from them.  ranks has result->ranks
 * items.  -ENOMEM.
 */
int rt_stress_take_counters(const struct rt_stress_rank *ranks,
			    struct rt_stress_result *result);

#endif
