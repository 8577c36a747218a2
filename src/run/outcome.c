/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/outcome.h"

#include "rocetune/sim.h"

void rt_outcome_release(struct rt_outcome *outcome)
{
	if (outcome->release)
		outcome->release(outcome->object);
	*outcome = (struct rt_outcome){ 0 };
}

const struct rt_table *const rt_outcome_kinds[] = {
	&rt_sim_table,
	NULL,
};
