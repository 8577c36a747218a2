/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/outcome.h"

#include "run/analyze.h"

void rt_outcome_release(struct rt_outcome *outcome)
{
	if (outcome->release)
		outcome->release(outcome->object);
	*outcome = (struct rt_outcome){ 0 };
}

const struct rt_table *const rt_outcome_kinds[] = {
	&rt_analyze_table,
	NULL,
};

const struct rt_rule_set rt_outcome_rules[] = {
	{ 0 },
};
