/* SPDX-License-Identifier: BSD-2-Clause */
/* diagnosis.h - rules over an analysis: what is wrong, and how that is known. */
#ifndef RT_ANALYSIS_DIAGNOSIS_H
#define RT_ANALYSIS_DIAGNOSIS_H

#include <stddef.h>

#include "model/finding.h"

struct rt_analysis;
struct rt_err;

/* The rules; their subject is a struct rt_analysis. */
extern const struct rt_rule rt_diagnosis_rules[];
extern const size_t rt_diagnosis_rule_count;

/* Append what the rules find.  -ENOMEM. */
int rt_diagnose(const struct rt_analysis *analysis, struct rt_findings *findings,
		struct rt_err *err);

#endif
