/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_app.c - APP entries over dcbnl: which priority a DSCP or RoCEv2's UDP port
 * has.
 *
 * One entry a message: the kernel's loop stops at the first answer that is not 0,
 * also a positive one (net/dcb/dcbnl.c, ice_dcb_nl.c).  Some drivers replace a
 * DSCP's entry, others add a second one and need the first deleted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/access.h"
#include "rocetune/err.h"

#define ROCE_V2_PORT 4791

static int get_apps(const struct rt_host_port *port, struct rt_dcb *dcb)
{
	int r;

	if (!port->device->netdev[0])
		return -ENODEV;
	r = port->kern->ops->dcb_get(port->kern, port->device->netdev, dcb, NULL);
	if (r == 0 && !(dcb->has & RT_DCB_APP))
		r = -EOPNOTSUPP;
	return r;
}

/* Entries of two priorities: nobody can say which one holds. */
static uint64_t entry_of(const struct rt_dcb_apps *apps, uint8_t selector,
			 unsigned protocol, bool *ret_twice)
{
	uint64_t priority = RT_NO_PRIO;

	*ret_twice = false;
	for (size_t i = 0; i < apps->count; i++) {
		const struct rt_dcb_app *app = &apps->items[i];

		if (app->selector != selector || app->protocol != protocol)
			continue;
		*ret_twice |= priority != RT_NO_PRIO && priority != app->priority;
		priority = app->priority;
	}
	return priority;
}

static void read_dscp(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_qos *qos)
{
	struct rt_knob_value *value = &qos->knobs[row->knob];
	struct rt_dcb dcb = { 0 };
	int r = get_apps(port, &dcb);
	char why[RT_KNOB_WHY_BYTES] = "";

	if (r < 0) {
		rt_row_absent(row, qos, r);
		return;
	}
	rt_row_unknown(row, qos, "%s", why);
	for (unsigned dscp = 0; dscp < 64; dscp++) {
		bool twice;
		uint64_t priority = entry_of(&dcb.app, RT_APP_DSCP, dscp, &twice);

		if (!twice)
			rt_row_set(row, qos, dscp, priority);
		else if (!*why)
			snprintf(why, sizeof(why), "DSCP %u has two priorities", dscp);
	}
	memcpy(value->why, why, sizeof(why));
}

static void read_udp(const struct rt_host_port *port, const struct rt_driver_row *row,
		     struct rt_qos *qos)
{
	struct rt_dcb dcb = { 0 };
	int r = get_apps(port, &dcb);
	uint64_t priority;
	bool twice;

	if (r < 0) {
		rt_row_absent(row, qos, r);
		return;
	}
	priority = entry_of(&dcb.app, RT_APP_DGRAM, ROCE_V2_PORT, &twice);
	if (twice)
		rt_row_unknown(row, qos, "UDP port 4791 has two priorities");
	else
		rt_row_set(row, qos, 0, priority);
}

static int delete_entry(const struct rt_host_port *port, struct rt_dcb_app app,
			uint64_t priority, struct rt_err *err)
{
	int r;

	app.priority = (uint8_t)priority;
	r = port->kern->ops->dcb_app_delete(port->kern, port->device->netdev, &app,
					    err);
	return r < 0 ? r : 0;
}

/* From old to new; RT_NO_PRIO is no entry. */
static int move_entry(const struct rt_host_port *port, const struct rt_driver_row *row,
		      struct rt_dcb_app app, uint64_t old, uint64_t new,
		      struct rt_err *err)
{
	int r = 0;

	if (old == new)
		return 0;
	if (old != RT_NO_PRIO && (new == RT_NO_PRIO || row->flags &RT_ROW_DELETE_FIRST))
		r = delete_entry(port, app, old, err);
	if (r < 0 || new == RT_NO_PRIO)
		return r;
	app.priority = (uint8_t) new;
	r = port->kern->ops->dcb_app_add(port->kern, port->device->netdev, &app, err);
	return r < 0 ? r : 0;
}

/* Against what is there now, so that a step that half succeeded can be repeated. */
static int write_entries(const struct rt_host_port *port, const struct rt_plan *plan,
			 const struct rt_step *step, struct rt_dcb_app app,
			 bool by_dscp, struct rt_err *err)
{
	const struct rt_change *change = plan->changes + step->first;
	const struct rt_knob *knob = &rt_knobs[change->knob];
	const struct rt_knob_value *target = &plan->target.knobs[change->knob];
	struct rt_dcb dcb = { 0 };
	int r = get_apps(port, &dcb);

	if (r < 0)
		return rt_err_sys(err, r, "%s: APP entries", port->device->netdev);
	for (unsigned i = 0; i < knob->length; i++) {
		bool twice;

		if (!(change->which >> i & 1))
			continue;
		if (by_dscp)
			app.protocol = (uint16_t)i;
		r = move_entry(port, change->row, app,
			       entry_of(&dcb.app, app.selector, app.protocol, &twice),
			       rt_knob_number(knob, target, i), err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int write_dscp(const struct rt_host_port *port, const struct rt_plan *plan,
		      const struct rt_step *step, struct rt_err *err)
{
	return write_entries(port, plan, step,
			     (struct rt_dcb_app){ .selector = RT_APP_DSCP }, true, err);
}

static int write_udp(const struct rt_host_port *port, const struct rt_plan *plan,
		     const struct rt_step *step, struct rt_err *err)
{
	return write_entries(port, plan, step,
			     (struct rt_dcb_app){ .selector = RT_APP_DGRAM,
						  .protocol = ROCE_V2_PORT },
			     false, err);
}

const struct rt_access rt_access_dscp = {
	.name = "dcbnl APP",
	.interface = "dcbnl",
	.read = read_dscp,
	.write = write_dscp,
};

const struct rt_access rt_access_udp = {
	.name = "dcbnl APP of UDP 4791",
	.interface = "dcbnl",
	.read = read_udp,
	.write = write_udp,
};
