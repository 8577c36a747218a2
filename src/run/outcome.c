/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/outcome.h"

#include "rocetune/sim.h"
#include "run/profile.h"
#include "run/sim.h"

void rt_outcome_release(struct rt_outcome *outcome)
{
	if (outcome->release)
		outcome->release(outcome->object);
	*outcome = (struct rt_outcome){ 0 };
}

const struct rt_table *const rt_outcome_kinds[] = {
	&rt_sim_table,
	&rt_sim_keys_table,
	&rt_profile_list_table,
	&rt_profile_show_table,
	&rt_profile_checks_table,
	&rt_profile_diff_table,
	&rt_profile_knobs_table,
	&rt_headroom_table,
	&rt_tos_table,
	NULL,
};
