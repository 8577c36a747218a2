/* SPDX-License-Identifier: BSD-2-Clause */
/* port_plan.h - the plainest plan, until host has its own. */
#ifndef RT_TESTS_PORT_PLAN_H
#define RT_TESTS_PORT_PLAN_H
#include "port.h"
#include <inttypes.h>

int rt_host_read(const struct rt_host_port *port, struct rt_qos *ret_qos,
		 struct rt_err *err)
{
	(void)err;
	memset(ret_qos, 0, sizeof(*ret_qos));
	for (size_t i = 0; i < port->driver->row_count; i++)
		port->driver->rows[i].access->read(port, &port->driver->rows[i],
						   ret_qos);
	return 0;
}

int rt_plan_make(const struct rt_host_port *port, const struct rt_qos *have,
		 const struct rt_qos *want, const struct rt_plan_wish *wish,
		 struct rt_plan *plan, struct rt_err *err)
{
	(void)wish;
	memset(plan, 0, sizeof(*plan));
	plan->have = *have;
	rt_qos_merge(have, want, &plan->target);
	for (size_t i = 0; i < port->driver->row_count; i++) {
		const struct rt_driver_row *row = &port->driver->rows[i];
		struct rt_change *change = &plan->changes[plan->change_count];
		struct rt_step *step = plan->step_count
					       ? &plan->steps[plan->step_count - 1]
					       : NULL;

		*change = (struct rt_change){ .knob = row->knob,
					      .raw = SIZE_MAX,
					      .row = row };
		if (row->raw) {
			const struct rt_raw_value *to = rt_qos_raw(&plan->target,
								   row->raw);
			if (!to || to->number == rt_qos_raw(have, row->raw)->number)
				continue;
			change->raw = (size_t)(to - plan->target.raw);
		} else {
			change->which = rt_knob_differs(&rt_knobs[row->knob],
							&have->knobs[row->knob],
							&plan->target.knobs[row->knob]);
			if (!change->which)
				continue;
		}
		if (!step || step->access != row->access) {
			step = &plan->steps[plan->step_count++];
			step->access = row->access;
			step->first = plan->change_count;
		}
		step->count++;
		plan->change_count++;
	}
	return port->driver->arrange(port, have, &plan->target, plan, err);
}

const char *rt_change_name(const struct rt_plan *plan, const struct rt_change *change)
{
	return change->raw == SIZE_MAX ? rt_knobs[change->knob].name
				       : plan->target.raw[change->raw].name;
}
char *rt_change_new(const struct rt_plan *plan, const struct rt_change *change,
		    char buf[RT_KNOB_TEXT_BYTES])
{
	if (change->raw == SIZE_MAX)
		return rt_knob_format(&rt_knobs[change->knob],
				      &plan->target.knobs[change->knob], buf);
	snprintf(buf, 24, "%" PRIu64, plan->target.raw[change->raw].number);
	return buf;
}
char *rt_change_command(const struct rt_host_port *port, const struct rt_plan *plan,
			const struct rt_change *change, char buf[RT_KNOB_TEXT_BYTES])
{
	char value[RT_KNOB_TEXT_BYTES];
	const char *at = strstr(change->row->command, "{value}");
	(void)port;
	rt_change_new(plan, change, value);
	if (at)
		snprintf(buf, RT_KNOB_TEXT_BYTES, "%.*s%.100s%s",
			 (int)(at - change->row->command), change->row->command, value,
			 at + 7);
	else
		snprintf(buf, RT_KNOB_TEXT_BYTES, "%s", change->row->command);
	return buf;
}
int rt_step_write(const struct rt_host_port *port, const struct rt_plan *plan,
		  const struct rt_step *step, struct rt_err *err)
{
	return step->access->write(port, step, &plan->have, &plan->target, err);
}
int rt_kern_line(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		 struct rt_err *err)
{
	size_t n;
	int r = kern->ops->file_read(kern, path, buf, capacity, &n, err);
	if (r == 0)
		buf[strcspn(buf, "\n")] = 0;
	return r;
}
#endif
