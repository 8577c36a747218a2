/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * finding.h - rules and what they find.
 *
 * A rule is a row: stable id, severity, predicate, explanation, remedy.  Every
 * command that judges something (profile check, analyze, later check and
 * doctor) runs a table of rules over its subject and prints the findings the
 * same way; docs/findings.md is made from the same rows.
 */
#ifndef RT_MODEL_FINDING_H
#define RT_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "rocetune/field.h"

struct rt_err;

enum rt_severity {
	RT_SEVERITY_INFO,    /* worth knowing, nothing to do */
	RT_SEVERITY_UNKNOWN, /* could not be judged from here */
	RT_SEVERITY_WARN,
	RT_SEVERITY_ERROR,
};

/* What a finding rests on. */
enum rt_basis {
	RT_BASIS_CONFIGURED, /* what somebody set */
	RT_BASIS_OBSERVED,   /* what was measured */
};

extern const struct rt_name rt_severity_names[];
extern const struct rt_name rt_basis_names[];

struct rt_findings;
struct rt_rule;

struct rt_rule {
	const char *id; /* stable: "ecn-kmin-above-kmax" */
	enum rt_severity severity;
	enum rt_basis basis;
	const char *title;   /* one line */
	const char *explain; /* why it matters, with its source */
	const char *remedy;  /* what to do */
	/* Calls rt_findings_add() once per violation.  Subject: per table. */
	void (*check)(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings);
};

struct rt_finding {
	const char *id;    /* borrowed from the rule, as the next ones */
	unsigned severity; /* enum rt_severity */
	unsigned basis;    /* enum rt_basis */
	const char *title;
	const char *explain;
	const char *remedy;
	char where[160];    /* place or object: "x.yaml:12:3", "priority 3" */
	char evidence[320]; /* the numbers that made the rule fire; "": not told */
	size_t folded;      /* further places that it sums up; 0: it is one itself */
};

struct rt_findings {
	struct rt_finding *items; /* owned */
	size_t count, capacity;
	bool out_of_memory; /* something is missing from the list */
	bool brief;         /* evidence is left empty: words cost more than finding */
};

extern const struct rt_table rt_finding_table;

/* Append one finding of rule; where may be "".  In brief nothing is formatted. */
void rt_findings_add(struct rt_findings *findings, const struct rt_rule *rule,
		     const char *where, const char *evidence_fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Senders whose rates have a Jain index below it do not share fairly. */
#define RT_FAIR_JAIN 0.8

/* The finding added last is not a place itself but sums up count more of them. */
void rt_findings_fold(struct rt_findings *findings, size_t count);

/* Copies of all of from at the end of to; -ENOMEM when some got lost. */
int rt_findings_append(struct rt_findings *to, const struct rt_findings *from);

/* Run every rule of a table over subject; -ENOMEM when some got lost. */
int rt_rules_run(const struct rt_rule *rules, size_t count, const void *subject,
		 struct rt_findings *findings, struct rt_err *err);

/* The worst severity present; RT_SEVERITY_INFO when there is none. */
enum rt_severity rt_findings_worst(const struct rt_findings *findings);

/* Worst first; otherwise the order in which they were found. */
void rt_findings_sort(struct rt_findings *findings);

void rt_findings_free(struct rt_findings *findings);

#endif
