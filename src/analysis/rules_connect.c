/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_connect.c - connections that were refused, or that messages contradict. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/rules.h"
#include "base/own.h"

/* Own words for the reasons of IBTA 12.6.7.2 that people meet. */
static const struct {
	uint16_t code;
	const char *text;
} reasons[] = {
	{ 1, "no QP left" },
	{ 3, "no resources" },
	{ 4, "its sender waited too long" },
	{ 5, "not supported" },
	{ 8, "no such service" },
	{ 9, "other transport service" },
	{ 10, "a stale connection" },
	{ 12, "other GID" },
	{ 26, "path MTU too large" },
	{ 27, "too few responder resources" },
	{ 28, "the application said no" },
};

static const char *reason_of(uint64_t code)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(reasons); i++)
		if (reasons[i].code == code)
			return reasons[i].text;
	return "see the table of the standard";
}

/* The first few get a finding each, the rest one. */
static void
tell_connections(const struct rt_rule *rule, const struct rt_analysis *analysis,
		 struct rt_findings *findings,
		 bool (*is_told)(const struct rt_analysis_connection *row),
		 void (*tell)(const struct rt_rule *rule,
			      const struct rt_analysis_connection *row,
			      const char *where, struct rt_findings *findings))
{
	size_t told = 0;

	for (size_t i = 0; i < analysis->connections.list_count; i++) {
		const struct rt_analysis_connection *row =
			&analysis->connections.list[i];
		char where[160];

		if (!is_told(row) || told++ >= RT_RULE_FLOWS)
			continue;
		snprintf(where, sizeof(where), "%s QP %" PRIu64 " > %s QP %" PRIu64,
			 row->src, row->src_qp.value, row->dst, row->dst_qp.value);
		tell(rule, row, where, findings);
	}
	if (told <= RT_RULE_FLOWS)
		return;
	rt_findings_add(findings, rule, "", "%zu connections more, %zu in all",
			told - RT_RULE_FLOWS, told);
	rt_findings_fold(findings, told - RT_RULE_FLOWS);
}

static bool is_refused(const struct rt_analysis_connection *row)
{
	return row->state == RT_CONNECTION_REFUSED;
}

static void tell_refused(const struct rt_rule *rule,
			 const struct rt_analysis_connection *row, const char *where,
			 struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where, "reason %" PRIu64 ": %s",
			row->reason.value, reason_of(row->reason.value));
}

void rt_check_cm_refused(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	tell_connections(rule, subject, findings, is_refused, tell_refused);
}

static bool is_contradicted(const struct rt_analysis_connection *row)
{
	return row->contradictions > 0;
}

static void tell_contradicted(const struct rt_rule *rule,
			      const struct rt_analysis_connection *row,
			      const char *where, struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " messages or packets speak against it",
			row->contradictions);
}

void rt_check_cm_contradiction(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	tell_connections(rule, subject, findings, is_contradicted, tell_contradicted);
}
