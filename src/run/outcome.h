/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outcome.h - what a journey brings back: an object that describes itself and
 * what the rules found in it.  Commands show outcomes without knowing more.
 */
#ifndef RT_RUN_OUTCOME_H
#define RT_RUN_OUTCOME_H

#include <stddef.h>

struct rt_findings;
struct rt_rule;
struct rt_table;

struct rt_outcome {
	const struct rt_table *table;
	void *object;                  /* owned; described by table */
	struct rt_findings *findings;  /* inside object; NULL: nothing is judged */
	void (*release)(void *object); /* frees object */
};

/* Frees the object; an empty outcome is fine. */
void rt_outcome_release(struct rt_outcome *outcome);

/* Every kind of result the program writes, ends with NULL; for the schemas. */
extern const struct rt_table *const rt_outcome_kinds[];

/* A table of rules and where it is used; for the documentation. */
struct rt_rule_set {
	const char *title; /* NULL: end of the list */
	const struct rt_rule *rules;
	const size_t *count;
};

extern const struct rt_rule_set rt_outcome_rules[];

#endif
