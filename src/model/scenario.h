/* SPDX-License-Identifier: BSD-2-Clause */
/* scenario.h - what the scenario reader and its tables share. */
#ifndef RT_MODEL_SCENARIO_H
#define RT_MODEL_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct rt_err;
struct rt_scenario;
struct rt_workload_spec;

/* How a key's value is kept: rt_scenario_key.type. */
enum rt_key_type {
	RT_KEY_U32,
	RT_KEY_U64,
	RT_KEY_OPT,     /* struct rt_opt_u64 */
	RT_KEY_ENUM,    /* unsigned, one of names */
	RT_KEY_OPTIONS, /* list of names, or-ed into an unsigned */
	RT_KEY_CHARS,   /* char[max + 1] */
	RT_KEY_FLOWS,   /* list of flows, or the name of a file with one */
	RT_KEY_SIZES,   /* the same of points, or the name of a distribution */
	RT_KEY_CHECKS,  /* the same of checks */
};

/* enum rt_model_option by name, and what each does. */
extern const struct rt_name rt_model_options[];

/* What a scenario's mistake is about: the key of a section, of which workload. */
struct rt_scenario_place {
	const char *section; /* NULL: the top of the file */
	const char *key;     /* NULL: the whole section */
	size_t workload;     /* from 0 */
	size_t item;         /* of the list that key holds, from 1; 0: all of it */
};

/*
 * How flows of a workload send, whoever they are: what no single key can say wrong.
 * -EINVAL, and *ret_place says at which key; its workload is set.
 */
int rt_scenario_check_traffic(const struct rt_workload_spec *spec, uint32_t hosts,
			      struct rt_scenario_place *place, struct rt_err *err);

/*
 * Make the bounds of every check of their texts.  -EINVAL: one that says nothing, or
 * what its figure is not of; *ret_place says where.
 */
int rt_scenario_check_checks(struct rt_scenario *scenario, uint32_t hosts,
			     struct rt_scenario_place *place, struct rt_err *err);

/* rt_scenario_finish(), and *ret_place is set when it fails. */
int rt_scenario_finish_at(struct rt_scenario *scenario,
			  struct rt_scenario_place *ret_place, struct rt_err *err);

#endif
