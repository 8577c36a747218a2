/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_profile.h - a profile's settings as a fabric of the simulator. */
#ifndef RT_RUN_SIM_PROFILE_H
#define RT_RUN_SIM_PROFILE_H

#include <stdbool.h>

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
 * -EINVAL: no data class, or a workload of no class there is.  -EOPNOTSUPP: an
 * algorithm that is not simulated.
 */
int rt_sim_profile_config(const struct rt_profile *profile,
			  const struct rt_scenario *scenario,
			  struct rt_fabric_config *config, struct rt_err *err);

/*
 * The profile of this name or file, else (NULL) the scenario's; NULL in *ret_profile
 * when neither names one.  The scenario notes it and, take_links, has its links.
 * -EINVAL: the name is too long.  Errors of rt_run_profile_read().
 */
int rt_sim_profile_read(const char *name, bool take_links, struct rt_scenario *scenario,
			struct rt_profile **ret_profile, struct rt_err *err);

/*
 * The laws of a finished scenario under a profile (NULL: the defaults), its model
 * section last.  Errors of rt_sim_profile_config() and rt_fabric_config_model().
 */
int rt_sim_profile_laws(const struct rt_scenario *scenario,
			const struct rt_profile *profile,
			struct rt_fabric_config *config, struct rt_err *err);

#endif
