/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

const struct rt_name rt_severity_names[] = {
	{ "info", RT_SEVERITY_INFO, "worth knowing, nothing to do" },
	{ "unknown", RT_SEVERITY_UNKNOWN, "could not be judged from here" },
	{ "warn", RT_SEVERITY_WARN, "likely to hurt" },
	{ "error", RT_SEVERITY_ERROR, "wrong" },
	{ 0 },
};

const struct rt_name rt_basis_names[] = {
	{ "configured", RT_BASIS_CONFIGURED, "what somebody set" },
	{ "observed", RT_BASIS_OBSERVED, "what was measured" },
	{ 0 },
};

static const struct rt_field finding_fields[] = {
	RT_FIELD(struct rt_finding, ENUM, severity, NONE, "how bad it is",
		 .names = rt_severity_names),
	RT_FIELD(struct rt_finding, TEXT, id, NONE, "stable name of the rule"),
	RT_FIELD_CHARS_OF(struct rt_finding, where, "the place or object concerned"),
	RT_FIELD(struct rt_finding, TEXT, title, NONE, "the rule in one line"),
	RT_FIELD_CHARS_OF(struct rt_finding, evidence, "the figures behind it"),
	RT_FIELD(struct rt_finding, TEXT, explain, NONE, "why it matters",
		 .flags = RT_FIELD_DETAIL),
	RT_FIELD(struct rt_finding, TEXT, remedy, NONE, "what to do"),
	RT_FIELD(struct rt_finding, ENUM, basis, NONE,
		 "whether it rests on what was configured or observed",
		 .names = rt_basis_names, .flags = RT_FIELD_DETAIL),
};

RT_TABLE(rt_finding_table, rt_finding, "finding", "Findings",
	 "What a rule found, with its evidence and remedy.", finding_fields);

/* Words of a hostile file must not steer the terminal that shows them. */
static void put_where(struct rt_finding *finding, const char *where)
{
	const size_t length = strnlen(where, sizeof(finding->where) - 1);

	memcpy(finding->where, where, length);
	finding->where[length] = '\0';
	rt_text_clean(finding->where);
}

void rt_findings_add(struct rt_findings *findings, const struct rt_rule *rule,
		     const char *where, const char *evidence_fmt, ...)
{
	struct rt_finding *items = rt_grow(findings->items, findings->count,
					   &findings->capacity, sizeof(*items));
	struct rt_finding *added;
	va_list args;

	if (!items) {
		findings->out_of_memory = true;
		return;
	}
	findings->items = items;
	added = &items[findings->count++];
	/* Not all at once: that would clear two long texts for nothing. */
	added->id = rule->id;
	added->severity = rule->severity;
	added->basis = rule->basis;
	added->title = rule->title;
	added->explain = rule->explain;
	added->remedy = rule->remedy;
	added->folded = 0;
	*added->evidence = '\0';
	put_where(added, where);
	if (findings->brief)
		return;
	va_start(args, evidence_fmt);
	vsnprintf(added->evidence, sizeof(added->evidence), evidence_fmt, args);
	va_end(args);
	rt_text_clean(added->evidence);
}

void rt_findings_fold(struct rt_findings *findings, size_t count)
{
	if (findings->count && !findings->out_of_memory)
		findings->items[findings->count - 1].folded = count;
}

int rt_findings_append(struct rt_findings *to, const struct rt_findings *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct rt_finding *items = rt_grow(to->items, to->count, &to->capacity,
						   sizeof(*items));

		if (!items) {
			to->out_of_memory = true;
			return -ENOMEM;
		}
		to->items = items;
		items[to->count++] = from->items[i];
	}
	return 0;
}

int rt_rules_run(const struct rt_rule *rules, size_t count, const void *subject,
		 struct rt_findings *findings, struct rt_err *err)
{
	for (size_t i = 0; i < count; i++)
		rules[i].check(&rules[i], subject, findings);
	if (findings->out_of_memory)
		return rt_err_sys(err, -ENOMEM, "cannot hold the findings");
	return 0;
}

enum rt_severity rt_findings_worst(const struct rt_findings *findings)
{
	enum rt_severity worst = RT_SEVERITY_INFO;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].severity > worst)
			worst = findings->items[i].severity;
	return worst;
}

/* Insertion sort: stable, and the lists are short. */
void rt_findings_sort(struct rt_findings *findings)
{
	for (size_t i = 1; i < findings->count; i++) {
		const struct rt_finding moving = findings->items[i];
		size_t at = i;

		for (; at && findings->items[at - 1].severity < moving.severity; at--)
			findings->items[at] = findings->items[at - 1];
		findings->items[at] = moving;
	}
}

void rt_findings_free(struct rt_findings *findings)
{
	free(findings->items);
	*findings = (struct rt_findings){ 0 };
}
