/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_figures.h - what a stress run brought, as figures that checks can ask for. */
#ifndef RT_RUN_STRESS_FIGURES_H
#define RT_RUN_STRESS_FIGURES_H

#include <stdint.h>

struct rt_err;
struct rt_fabric_config;
struct rt_figures;
struct rt_scenario;
struct rt_stress_result;

/* What was run. */
struct rt_stress_ran {
	const struct rt_scenario *scenario;
	const struct rt_fabric_config *laws;
	uint32_t ranks;
	double slower; /* rates were one in so many of the scenario's: a lab's; else 1 */
};

/*
 * Fill an empty list of the scenario with what the endpoints know; of switches they know
 * nothing, and a check that asks for that has nothing to look at.  What an engine cannot
 * know is unknown.  Rates are told as the scenario's.  -ENOMEM.
 */
int rt_stress_figures(const struct rt_stress_ran *ran,
		      const struct rt_stress_result *result, struct rt_figures *figures,
		      struct rt_err *err);

#endif
