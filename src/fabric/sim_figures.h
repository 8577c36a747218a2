/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_figures.h - what a simulated run brought, as figures that checks can ask for. */
#ifndef RT_FABRIC_SIM_FIGURES_H
#define RT_FABRIC_SIM_FIGURES_H

struct rt_err;
struct rt_fabric_config;
struct rt_figures;
struct rt_scenario;
struct rt_sim_result;

/* Fill an empty list of a finished scenario, run under config.  -ENOMEM. */
int rt_sim_figures(const struct rt_scenario *scenario,
		   const struct rt_fabric_config *config,
		   const struct rt_sim_result *result, struct rt_figures *figures,
		   struct rt_err *err);

#endif
