/* SPDX-License-Identifier: BSD-2-Clause */
/* plan_check.c - what a NIC cannot do, said before anything is written. */
#include <errno.h>
#include <stdio.h>

#include "base/own.h"
#include "host/plan_parts.h"
#include "rocetune/err.h"

/* The smaller of two bounds, of which each may be unknown (0). */
static uint64_t bound_of(struct rt_opt_u64 told, unsigned limit)
{
	const uint64_t device = told.known ? told.value : 0;

	return device && (!limit || device < limit) ? device : limit;
}

static int check_lossless(const struct rt_host_port *port, const struct rt_plan *plan,
			  struct rt_err *err)
{
	const struct rt_driver_limits *limits = &port->driver->limits;
	const uint64_t bound = bound_of(rt_qos_number(&plan->have, RT_KNOB_PFC_CAP),
					limits->lossless);
	const struct rt_opt_u64 mask = rt_qos_number(&plan->target, RT_KNOB_PFC_MASK);
	const int count = mask.known ? __builtin_popcountll(mask.value) : 0;

	if (!bound || (uint64_t)count <= bound || !rt_plan_touches(plan, RT_GROUP_PFC))
		return 0;
	return rt_err_set(
		err, -ERANGE,
		"%s: %d priorities cannot be lossless, %s does %u: leave fewer "
		"classes lossless",
		port->device->ibdev, count, port->driver->help, (unsigned)bound);
}

static int check_classes(const struct rt_host_port *port, const struct rt_plan *plan,
			 struct rt_err *err)
{
	const uint64_t bound = bound_of(rt_qos_number(&plan->have, RT_KNOB_ETS_CAP),
					port->driver->limits.classes);
	const struct rt_knob_value *have = &plan->have.knobs[RT_KNOB_ETS_PRIO_TC];
	const struct rt_knob_value *target = &plan->target.knobs[RT_KNOB_ETS_PRIO_TC];
	const uint64_t which = rt_knob_differs(&rt_knobs[RT_KNOB_ETS_PRIO_TC], have,
					       target);

	for (unsigned i = 0; i < 8 && bound; i++)
		if (which >> i & 1 && target->number[i] >= bound)
			return rt_err_set(
				err, -ERANGE,
				"%s: priority %u cannot be in traffic class %u: "
				"there are %u, from 0",
				port->device->ibdev, i, (unsigned)target->number[i],
				(unsigned)bound);
	return 0;
}

/* 802.1Qaz: the shares of all classes that are scheduled by share are 100 percent. */
static int check_shares(const struct rt_host_port *port, const struct rt_plan *plan,
			struct rt_err *err)
{
	const struct rt_knob_value *tsa = &plan->target.knobs[RT_KNOB_ETS_TSA];
	const struct rt_knob_value *bw = &plan->target.knobs[RT_KNOB_ETS_BW];
	uint64_t sum = 0;

	if (!rt_plan_touches(plan, RT_GROUP_ETS) || tsa->known != 0xff ||
	    bw->known != 0xff)
		return 0;
	for (unsigned i = 0; i < 8; i++)
		if (tsa->number[i] == RT_TSA_ETS)
			sum += bw->number[i];
	if (sum == 0 || sum == 100)
		return 0;
	return rt_err_set(err, -ERANGE,
			  "%s: shares of traffic classes would sum to %u %%, not 100: "
			  "classes that the profile does not name keep theirs",
			  port->device->ibdev, (unsigned)sum);
}

static bool is_on(const struct rt_qos *qos, enum rt_knob_id id)
{
	const struct rt_opt_u64 number = rt_qos_number(qos, id);

	return number.known && number.value;
}

static int check_pause(const struct rt_host_port *port, const struct rt_plan *plan,
		       struct rt_err *err)
{
	const bool pause = is_on(&plan->target, RT_KNOB_PAUSE_RX) ||
			   is_on(&plan->target, RT_KNOB_PAUSE_TX);

	if (!port->driver->limits.pause_or_pfc || !pause ||
	    !is_on(&plan->target, RT_KNOB_PFC_MASK) ||
	    (!rt_plan_touches(plan, RT_GROUP_PFC) &&
	     !rt_plan_touches(plan, RT_GROUP_PAUSE)))
		return 0;
	return rt_err_set(err, -EINVAL,
			  "%s: %s cannot do PFC and 802.3x pause together: set "
			  "host.global_pause: off",
			  port->device->ibdev, port->driver->help);
}

int rt_plan_check(const struct rt_host_port *port, const struct rt_plan *plan,
		  struct rt_err *err)
{
	static int (*const checks[])(const struct rt_host_port *port,
				     const struct rt_plan *plan, struct rt_err *err) = {
		check_lossless,
		check_classes,
		check_shares,
		check_pause,
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(checks); i++) {
		int r = checks[i](port, plan, err);

		if (r < 0)
			return r;
	}
	return 0;
}
