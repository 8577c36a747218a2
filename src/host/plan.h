/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan.h - from what a port has to what it should have: which writes, in which
 * order, with which risk.  Pure: reads nothing, writes nothing.
 *
 * Changes are knobs; steps are writes: one step carries all changes that one
 * access takes in one go.  Undoing is the same thing the other way round: a plan
 * from what is there now to what was there before.
 */
#ifndef RT_HOST_PLAN_H
#define RT_HOST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/driver.h"

#define RT_PLAN_CHANGE_MAX (RT_KNOB_COUNT + RT_QOS_RAW_MAX)

struct rt_change {
	enum rt_knob_id knob;
	size_t raw;     /* index into the target's raw knobs; SIZE_MAX: a neutral one */
	uint64_t which; /* elements that change */
	const struct rt_driver_row *row;
	enum rt_impact impact;
	enum rt_scope scope;
	bool one_way;
	char note[120]; /* why it is one-way, what else it does; "" */
};

/*
 * A knob that a step disturbs without being asked to (the first DSCP entry of ice
 * resets ETS): it is written again after; until then it may hold `between`.
 */
struct rt_side_effect {
	enum rt_knob_id knob;
	struct rt_knob_value between;
};

#define RT_STEP_EFFECT_MAX 8

struct rt_step {
	const struct rt_access *access;
	size_t first, count; /* of the plan's changes */
	enum rt_impact impact;
	struct rt_side_effect effects[RT_STEP_EFFECT_MAX];
	size_t effect_count;
};

/* Wanted, but the device has no such knob, or it cannot be written here. */
struct rt_missing {
	char name[64]; /* of the knob */
	char why[RT_KNOB_WHY_BYTES];
	bool allowed; /* --allow-missing named it */
};

struct rt_plan {
	struct rt_qos have, target; /* target: have with the changes */
	struct rt_change changes[RT_PLAN_CHANGE_MAX];
	size_t change_count;
	struct rt_step steps[RT_PLAN_CHANGE_MAX];
	size_t step_count;
	struct rt_missing missing[RT_PLAN_CHANGE_MAX];
	size_t missing_count;
	enum rt_impact impact; /* the worst */
	bool one_way;          /* some change is */
	bool as_it_was;        /* its wish was */
};

struct rt_plan_wish {
	unsigned groups;                  /* bits 1 << enum rt_knob_group; 0: all */
	const char *const *allow_missing; /* names; ends with NULL; or NULL */
	/*
	 * What is wanted was read here before: it is written as it stood, in range or
	 * not, and whether the NIC takes it the NIC says.
	 */
	bool as_it_was;
	/* Rather part of it than nothing: what does not go along is left out. */
	bool best_effort;
};

/*
 * Plan to give the port what want knows.  Ordered by the driver's rules; PFC after
 * what makes it safe (buffer, classification, ETS, CC), and before it when it is
 * taken away.  -ERANGE: a value the device cannot take (more lossless priorities
 * than it has; out of the row's range).  Missing knobs are no error here.
 */
int rt_plan_make(const struct rt_host_port *port, const struct rt_qos *have,
		 const struct rt_qos *want, const struct rt_plan_wish *wish,
		 struct rt_plan *ret_plan, struct rt_err *err);

/* The change's old and new value, the vendor's or iproute2's line for it. */
char *rt_change_old(const struct rt_plan *plan, const struct rt_change *change,
		    char buf[RT_KNOB_TEXT_BYTES]);
char *rt_change_new(const struct rt_plan *plan, const struct rt_change *change,
		    char buf[RT_KNOB_TEXT_BYTES]);
char *rt_change_command(const struct rt_host_port *port, const struct rt_plan *plan,
			const struct rt_change *change, char buf[RT_KNOB_TEXT_BYTES]);
const char *rt_change_name(const struct rt_plan *plan, const struct rt_change *change);

/* Write one step; 0, or what the kernel said.  Does not read back. */
int rt_step_write(const struct rt_host_port *port, const struct rt_plan *plan,
		  const struct rt_step *step, struct rt_err *err);

#endif
