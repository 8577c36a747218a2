/* SPDX-License-Identifier: BSD-2-Clause */
/* sim_rules.h - rules over a struct rt_sim_result. */
#ifndef RT_RUN_SIM_RULES_H
#define RT_RUN_SIM_RULES_H

#include <stddef.h>

#include "model/finding.h"

struct rt_sim_result;

extern const struct rt_rule rt_sim_rules[];
extern const size_t rt_sim_rule_count;

/* One line about sorted findings, into result->verdict. */
void rt_sim_write_verdict(const struct rt_findings *findings,
			  struct rt_sim_result *result);

#endif
