/* SPDX-License-Identifier: BSD-2-Clause */
/* scenario_reader.h - the parts of the scenario reader, for one another. */
#ifndef RT_MODEL_SCENARIO_READER_H
#define RT_MODEL_SCENARIO_READER_H

#include <stdbool.h>

#include "model/scenario.h"
#include "rocetune/scenario.h"

struct rt_doc;
struct rt_node;

struct rt_scenario_reader {
	const struct rt_doc *doc;
	struct rt_err *err;
	bool may_open; /* doc is a file, and may name others */
};

/* Read the keys of a map that the rows of section know, into base. */
int rt_scenario_read_section(const struct rt_scenario_reader *in, const char *section,
			     const struct rt_node *map, void *base);

/* Keys that hold lists, in place or in a file; spec owns what they allocate. */
int rt_scenario_read_flows(const struct rt_scenario_reader *in,
			   const struct rt_node *node, struct rt_workload_spec *spec);
int rt_scenario_read_sizes(const struct rt_scenario_reader *in,
			   const struct rt_node *node, struct rt_workload_spec *spec);
int rt_scenario_read_checks(const struct rt_scenario_reader *in,
			    const struct rt_node *node, struct rt_scenario *scenario);

/*
 * Set in->err to text, at the place of an item (from 1) of the list that node holds or
 * whose file it names; -EINVAL.
 */
int rt_scenario_item_err(const struct rt_scenario_reader *in,
			 const struct rt_node *node, size_t item, const char *text);

#endif
