/* SPDX-License-Identifier: BSD-2-Clause */
/* findings.c - the rules as a page of documentation. */
#include "base/text.h"
#include "cmd/help.h"
#include "model/finding.h"
#include "run/outcome.h"

static void put_rule(FILE *to, const struct rt_rule *rule)
{
	fprintf(to, "### %s\n\n**%s** (%s, %s)\n\n%s\n\n*Remedy:* %s\n\n", rule->id,
		rule->title, rt_name_of(rt_severity_names, rule->severity),
		rt_name_of(rt_basis_names, rule->basis), rule->explain, rule->remedy);
}

void rt_help_findings(FILE *to)
{
	fputs("<!-- Made by `make docs` from the tables of rules; do not edit. -->\n"
	      "# Findings\n\n"
	      "Every rule has a stable id. A finding says on what it rests "
	      "(*configured* "
	      "or *observed*) and carries its evidence; `--all` also prints why it "
	      "matters.\n\n"
	      "| severity | meaning |\n|---|---|\n",
	      to);
	for (const struct rt_name *row = rt_severity_names; row->name; row++)
		fprintf(to, "| %s | %s |\n", row->name, row->help);
	fputc('\n', to);
	for (const struct rt_rule_set *set = rt_outcome_rules; set->title; set++) {
		fprintf(to, "## %s\n\n", set->title);
		for (size_t i = 0; i < *set->count; i++)
			put_rule(to, &set->rules[i]);
	}
}
