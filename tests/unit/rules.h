/* SPDX-License-Identifier: BSD-2-Clause */
/* rules.h - what rules find in an analysis, as one line for tests. */
#ifndef RT_TESTS_RULES_H
#define RT_TESTS_RULES_H

#include <stdio.h>

#include "analysis/diagnosis.h"
#include "rocetune/analysis.h"

/* The ids of all findings, in order, each once. */
static inline void list_ids(const struct rt_analysis *analysis, char *buf, size_t bytes)
{
	struct rt_findings findings = { 0 };
	size_t used = 0;

	assert_int_equal(rt_diagnose(analysis, &findings, NULL), 0);
	buf[0] = '\0';
	for (size_t i = 0; i < findings.count && used < bytes; i++)
		if (i == 0 || findings.items[i].id != findings.items[i - 1].id)
			used += (size_t)snprintf(buf + used, bytes - used, "%s%s",
						 used ? " " : "", findings.items[i].id);
	rt_findings_free(&findings);
}

#endif
