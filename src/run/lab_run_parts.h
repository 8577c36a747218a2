/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_run_parts.h - the parts of a lab's run, for one another. */
#ifndef RT_RUN_LAB_RUN_PARTS_H
#define RT_RUN_LAB_RUN_PARTS_H

#include "run/lab_plan.h"
#include "run/lab_run.h"

/* What is summed up of stress, lab and analysis, the verdict included. */
void rt_lab_run_sum_up(struct rt_lab_run *run, const struct rt_lab_plan *plan);

/* How far the machine kept time; before rt_lab_cross_make(). */
void rt_lab_run_sum_machine(struct rt_lab_run *run);

/*
 * Judge the scenario's checks by what endpoints and switches counted, into run->stress
 * and run->stress_findings; nothing without checks.  -ENOMEM.
 */
int rt_lab_run_check(struct rt_lab_run *run, const struct rt_lab_plan *plan,
		     struct rt_err *err);

/*
 * What a lab's process that stood still, or a host that was lost, explains is left as
 * something that could not be judged.  Of run its machine's sums, stress and lab count.
 */
void rt_lab_run_excuse(const struct rt_lab_run *run, struct rt_findings *findings);

void rt_lab_run_free(void *run);

#endif
