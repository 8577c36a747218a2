/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_merge.h - from the reports of all ranks to one result: pure.  What it reads
 * has passed rt_stress_report_check() and its like.
 */
#ifndef RT_RUN_STRESS_MERGE_H
#define RT_RUN_STRESS_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/stress.h"
#include "run/stress_plan.h"
#include "run/stress_record.h"

struct rt_err;

/* What the root knows of a rank. */
struct rt_stress_rank {
	char name[64];
	struct rt_stress_job job;
	struct rt_stress_ready ready;
	struct rt_stress_report report;
	bool reported;  /* report is there, and makes sense */
	char lost[160]; /* why it is not */
};
void rt_stress_rank_free(struct rt_stress_rank *rank);

/* Columns of the bars. */
#define RT_STRESS_BARS 30u

/*
 * ranks has plan->ranks items.  *ret_result is the caller's: rt_stress_result_free().
 * -ENOMEM.
 */
int rt_stress_merge(const struct rt_stress_plan *plan,
		    const struct rt_stress_rank *ranks, bool utf8,
		    struct rt_stress_result *ret_result, struct rt_err *err);

#endif
