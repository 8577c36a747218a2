/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_profile.h - a profile's settings as a fabric of the simulator. */
#ifndef RT_RUN_SIM_PROFILE_H
#define RT_RUN_SIM_PROFILE_H

struct rt_err;
struct rt_fabric_config;
struct rt_profile;
struct rt_scenario;

/*
 * Give links that the user did not describe the profile's speed and cable, and
 * packets its MTU.
 */
void rt_sim_profile_links(const struct rt_profile *profile,
			  struct rt_scenario *scenario);

/*
 * Put what the profile sets into config; what it leaves open keeps the
 * simulator's default.  Flows use its first lossless class, else its first data
 * class that is marked, else its first data class.
 * Classes that a workload of the scenario names are taken too, each with its PFC,
 * thresholds and scheduling; all are listed in config->classes.
 * config->assumed lists in words what it left open and the scenario's model does not
 * set either; that is to be applied with rt_fabric_config_model().
 * -EINVAL: no data class, or a workload of no class there is.  -EOPNOTSUPP: an algorithm that is not simulated.
 */
int rt_sim_profile_config(const struct rt_profile *profile,
			  const struct rt_scenario *scenario,
			  struct rt_fabric_config *config, struct rt_err *err);

#endif
