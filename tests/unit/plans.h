/* SPDX-License-Identifier: BSD-2-Clause */
/* plans.h - what tests of plans share: wants from text, a plan that must be. */
#ifndef RT_TESTS_PLANS_H
#define RT_TESTS_PLANS_H

#include "fake_host.h"

#include "host/plan.h"
#include "model/qos.h"

static inline void want_raw(struct rt_qos *want, const char *name, uint64_t number)
{
	want->raw[want->raw_count++] =
		(struct rt_raw_value){ .name = name, .known = true, .number = number };
}

/* "name=text" lines become what is wanted. */
static inline void want_texts(const char *const *texts, struct rt_qos *ret_want)
{
	*ret_want = (struct rt_qos){ 0 };
	for (; *texts; texts++) {
		char name[64];
		const char *eq = strchr(*texts, '=');
		const struct rt_knob *row;

		snprintf(name, sizeof(name), "%.*s", (int)(eq - *texts), *texts);
		row = rt_knob_find(name);
		if (!row)
			fail_msg("no knob %s", name);
		if (rt_knob_parse(row, eq + 1, &ret_want->knobs[row - rt_knobs], NULL) <
		    0)
			fail_msg("%s", *texts);
	}
}

static inline void make_plan(const struct rt_host_port *port, const struct rt_qos *have,
			     const struct rt_qos *want, struct rt_plan *ret_plan)
{
	struct rt_err err = { 0 };

	if (rt_plan_make(port, have, want, NULL, ret_plan, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline void show_plan(const struct rt_host_port *port,
			     const struct rt_plan *plan)
{
	char old[RT_KNOB_TEXT_BYTES], new[RT_KNOB_TEXT_BYTES], line[RT_KNOB_TEXT_BYTES];

	for (size_t s = 0; s < plan->step_count; s++) {
		const struct rt_step *step = &plan->steps[s];

		for (size_t i = step->first; i < step->first + step->count; i++) {
			const struct rt_change *change = &plan->changes[i];

			print_message("# %zu %s: %s -> %s [%s%s] %s\n", s,
				      rt_change_name(plan, change),
				      rt_change_old(plan, change, old),
				      rt_change_new(plan, change, new),
				      rt_name_of(rt_impact_names, change->impact),
				      change->one_way ? ", one-way" : "",
				      rt_change_command(port, plan, change, line));
		}
	}
	for (size_t i = 0; i < plan->missing_count; i++)
		print_message("# missing %s: %s\n", plan->missing[i].name,
			      plan->missing[i].why);
}

#endif
