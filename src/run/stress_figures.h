/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_figures.h - what a stress run brought, as figures that checks can ask for. */
#ifndef RT_RUN_STRESS_FIGURES_H
#define RT_RUN_STRESS_FIGURES_H

struct rt_err;
struct rt_figures;
struct rt_stress_plan;
struct rt_stress_result;

/*
 * Fill an empty list of the plan's scenario with what the endpoints know; of switches
 * they know nothing, and a check that asks for that has nothing to look at.  What an
 * engine cannot know is unknown.  -ENOMEM.
 */
int rt_stress_figures(const struct rt_stress_plan *plan,
		      const struct rt_stress_result *result, struct rt_figures *figures,
		      struct rt_err *err);

#endif
