/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_planning.h - what the files that make a plan share. */
#ifndef RT_RUN_STRESS_PLANNING_H
#define RT_RUN_STRESS_PLANNING_H

#include <stdbool.h>

#include "rocetune/scenario.h"
#include "run/stress_plan.h"

struct rt_stress_planning {
	const struct rt_stress_wish *wish;
	struct rt_scenario scenario; /* owned */
	struct rt_profile *profile;  /* owned; NULL: none */
	struct rt_stress_plan *plan;
	bool victims;                  /* some flow is one */
	struct rt_workload_spec sizes; /* of messages; owns its list of sizes alone */
};

/*
 * Numbers and names of the wish that no run of so many ranks could have: -EDOM, and the
 * option as it is typed.
 */
int rt_stress_check_wish(const struct rt_stress_wish *wish, uint32_t ranks,
			 struct rt_err *err);

/* "4KB,64KB", the name of a published distribution, or a file.  -EDOM, or of the file. */
int rt_stress_read_sizes(const char *text, struct rt_workload_spec *spec,
			 struct rt_err *err);

/* The flow that the wish asks for, behind the others, for whom there is room. */
int rt_stress_add_victim(struct rt_stress_planning *in, struct rt_err *err);

/* When each flow starts and stops, and which time is judged. */
int rt_stress_plan_times(struct rt_stress_planning *in, struct rt_err *err);

#endif
