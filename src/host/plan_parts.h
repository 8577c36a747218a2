/* SPDX-License-Identifier: BSD-2-Clause */
/* plan_parts.h - what the files of the planner share. */
#ifndef RT_HOST_PLAN_PARTS_H
#define RT_HOST_PLAN_PARTS_H

#include "host/access.h"
#include "host/plan.h"

struct rt_err;

/* The row by which the port's value was read, or could be written; or NULL. */
const struct rt_driver_row *rt_plan_row(const struct rt_driver *driver,
					const struct rt_qos *have, enum rt_knob_id id);
const struct rt_driver_row *rt_plan_raw_row(const struct rt_driver *driver,
					    const struct rt_raw_value *have);

/*
 * Put the changes in order and share them out to steps.  whole: knobs (1 << id) that
 * are written again because a step before resets them.
 */
void rt_plan_order(const struct rt_driver *driver, struct rt_plan *plan,
		   uint64_t whole);

/* What the device cannot do: -ERANGE, -EINVAL with what to do about it. */
int rt_plan_check(const struct rt_host_port *port, const struct rt_plan *plan,
		  struct rt_err *err);

/*
 * Whether the step's write carries this row: it is one of its changes, or, where one
 * write carries all rows of an access, their neighbour that is not only read.
 */
bool rt_step_carries(const struct rt_plan *plan, const struct rt_step *step,
		     const struct rt_driver_row *row);

/* True when a change of the plan is of this group. */
bool rt_plan_touches(const struct rt_plan *plan, enum rt_knob_group group);

#endif
