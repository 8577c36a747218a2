/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * criteria.h - the checks of a scenario, judged over the figures of a run.
 *
 * Never vacuous: a check that finds no figure of its kind has failed, and so has one
 * that finds a figure whose value is unknown, or a scenario whose list of checks is
 * empty.
 */
#ifndef RT_MODEL_CRITERIA_H
#define RT_MODEL_CRITERIA_H

#include <stddef.h>
#include <stdint.h>

#include "model/figure.h"
#include "model/finding.h"
#include "rocetune/scenario.h"

struct rt_err;

enum rt_criterion_verdict {
	RT_CRITERION_PASSED,
	RT_CRITERION_FAILED,
	RT_CRITERION_NOTHING, /* there was nothing to look at: failed */
};

/* One check, judged. */
struct rt_criterion {
	uint32_t number; /* in the scenario, from 1 */
	char name[RT_CHECK_NAME_BYTES];
	unsigned verdict; /* enum rt_criterion_verdict */
	char what[96];    /* "loss of workload q3", "sum of pfc_tx, priority 3" */
	char wanted[96];  /* "0", "above 0", "dwrr within 5%" */
	char value[48];   /* of one row that was looked at, the first wrong one */
	uint32_t rows, wrong;
	char evidence[280]; /* the first three that are wrong, and how many more */
};

/* A row that is not as it must be. */
struct rt_offender {
	uint32_t check; /* number */
	char what[96];  /* "loss of flow 2 (q3, host 1, priority 3)" */
	char value[48], wanted[96];
};

#define RT_OFFENDERS_MAX 1000u

struct rt_criteria {
	struct rt_criterion *items; /* owned */
	size_t count, failed;
	char passed[48];               /* "7 of 9" */
	struct rt_offender *offenders; /* owned; the first RT_OFFENDERS_MAX */
	size_t offender_count;
};

extern const struct rt_table rt_criterion_table, rt_offender_table;

/*
 * Judge all checks of a finished scenario.  The caller owns *ret_criteria and frees it
 * with rt_criteria_free().  -ENOMEM, also when figures lack some for that.
 */
int rt_criteria_judge(const struct rt_scenario *scenario,
		      const struct rt_figures *figures,
		      struct rt_criteria *ret_criteria, struct rt_err *err);
void rt_criteria_free(struct rt_criteria *criteria);

/* As a result shows it; borrowed from criteria. */
struct rt_checks_told rt_criteria_told(const struct rt_criteria *criteria);

/* Rows of a result's table for its member checks, a struct rt_checks_told. */
#define RT_CHECKS_FIELDS(owner)                                                     \
	{ .name = "checks_passed",                                                  \
	  .help = "of the scenario's checks",                                       \
	  .type = RT_FIELD_CHARS,                                                   \
	  .offset = offsetof(owner, checks.passed),                                 \
	  .length = sizeof(((owner *)0)->checks.passed),                            \
	  .flags = RT_FIELD_ZERO_QUIET },                                           \
		{ .name = "checks_failed",                                          \
		  .help = "the others",                                             \
		  .type = RT_FIELD_OPT_U64,                                         \
		  .unit = RT_UNIT_COUNT,                                            \
		  .offset = offsetof(owner, checks.failed),                         \
		  .flags = RT_FIELD_DETAIL },                                       \
		{ .name = "checks",                                                 \
		  .help = "the scenario's checks",                                  \
		  .type = RT_FIELD_LIST,                                            \
		  .offset = offsetof(owner, checks.items),                          \
		  .count_offset = offsetof(owner, checks.count),                    \
		  .table = &rt_criterion_table },                                   \
	{                                                                           \
		.name = "offenders", .help = "what they found wrong",               \
		.type = RT_FIELD_LIST, .offset = offsetof(owner, checks.offenders), \
		.count_offset = offsetof(owner, checks.offender_count),             \
		.table = &rt_offender_table                                         \
	}

/* The same, and what fails becomes findings; for whoever has some already. */
int rt_criteria_find(const struct rt_scenario *scenario,
		     const struct rt_figures *figures, struct rt_criteria *ret_criteria,
		     struct rt_findings *findings, struct rt_err *err);

/*
 * What is expected of each of count queues of one port by water filling: a queue that
 * offers no more than its share by weight gets what it offers, and what that leaves the
 * others share again (sonic-net/sonic-mgmt, tests/snappi_tests/rocev2).
 */
void rt_dwrr_expected(const double *offered_bps, const double *weights, size_t count,
		      double capacity_bps, double *ret_bps);

/* One rule, over a struct rt_criteria: a check of the scenario failed. */
extern const struct rt_rule rt_criteria_rules[];
extern const size_t rt_criteria_rule_count;

#endif
