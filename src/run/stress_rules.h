/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_rules.h - rules over a struct rt_stress_result. */
#ifndef RT_RUN_STRESS_RULES_H
#define RT_RUN_STRESS_RULES_H

#include <stddef.h>

#include "model/finding.h"

struct rt_stress_result;

extern const struct rt_rule rt_stress_rules[];
extern const size_t rt_stress_rule_count;

/* One line about sorted findings and what the run brought, into result->verdict. */
void rt_stress_write_verdict(const struct rt_findings *findings,
			     struct rt_stress_result *result);

#endif
