/* SPDX-License-Identifier: BSD-2-Clause */
/* criteria_table.c - judged checks describe themselves, and are findings. */
#include <stdio.h>

#include "base/own.h"
#include "model/criteria.h"

static const struct rt_name verdict_names[] = {
	{ "passed", RT_CRITERION_PASSED, "all that was looked at is as it must be" },
	{ "failed", RT_CRITERION_FAILED, "something is not" },
	{ "nothing to look at", RT_CRITERION_NOTHING,
	  "the run has no such figure, so the check has failed" },
	{ 0 },
};

#define CRITERION(kind, member, help, ...) \
	RT_FIELD(struct rt_criterion, kind, member, NONE, help, ##__VA_ARGS__)

static const struct rt_field criterion_fields[] = {
	CRITERION(U32, number, "in the scenario, from 1"),
	RT_FIELD_CHARS_OF(struct rt_criterion, name, "what it is for"),
	CRITERION(ENUM, verdict, "how it went", .names = verdict_names),
	RT_FIELD_CHARS_OF(struct rt_criterion, what, "what was looked at"),
	RT_FIELD_CHARS_OF(struct rt_criterion, wanted, "what it must be"),
	RT_FIELD_CHARS_OF(struct rt_criterion, value,
			  "what the first wrong one is, or "
			  "the first of all"),
	RT_FIELD(struct rt_criterion, U32, rows, COUNT, "how many were looked at"),
	RT_FIELD(struct rt_criterion, U32, wrong, COUNT, "how many of them are wrong"),
	RT_FIELD_CHARS_OF(struct rt_criterion, evidence, "the first three of these",
			  .flags = RT_FIELD_DETAIL),
};

RT_TABLE(rt_criterion_table, rt_criterion, "check_result", "Checks",
	 "One check of the scenario, judged.", criterion_fields);

static const struct rt_field offender_fields[] = {
	RT_FIELD(struct rt_offender, U32, check, NONE, "number of the check"),
	RT_FIELD_CHARS_OF(struct rt_offender, what, "what is wrong"),
	RT_FIELD_CHARS_OF(struct rt_offender, value, "what it is"),
	RT_FIELD_CHARS_OF(struct rt_offender, wanted, "what it must be"),
};

RT_TABLE(rt_offender_table, rt_offender, "check_offender", "Not as they must be",
	 "One figure that a check found wrong; the first 1000.", offender_fields);

static void check_criteria(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_criteria *criteria = subject;

	for (size_t i = 0; i < criteria->count; i++) {
		const struct rt_criterion *item = &criteria->items[i];
		char where[64];

		if (item->verdict == RT_CRITERION_PASSED)
			continue;
		snprintf(where, sizeof(where), "check %u", item->number);
		rt_findings_add(findings, rule, where, "%s%s%s must be %s: %s",
				item->name, *item->name ? ": " : "", item->what,
				item->wanted, item->evidence);
	}
}

const struct rt_rule rt_criteria_rules[] = {
	{ .id = "scenario-check",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "a check of the scenario failed",
	  .explain = "The scenario says under checks what must hold at the end of a "
		     "run. A "
		     "check that found nothing to look at has failed as well: it would "
		     "hold of a run in which nothing happened.",
	  .remedy = "Look at the rows that are not as they must be; if the check asks "
		    "for what this scenario never has, mend the check.",
	  .check = check_criteria },
};

const size_t rt_criteria_rule_count = RT_ARRAY_SIZE(rt_criteria_rules);
