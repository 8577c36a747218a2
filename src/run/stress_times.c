/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_times.c - when each flow of a stress run starts and stops. */
#include <errno.h>
#include <stdlib.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/stress_planning.h"

#define PS_PER_NS     1000
#define NS_PER_MS     UINT64_C(1000000)
#define SIZED_TIME_NS (UINT64_C(60) * 1000000000) /* a cap, where bytes end it */
#define LEAST_TIME_NS (100 * NS_PER_MS)
#define RAMP_NS       (100 * NS_PER_MS)
#define RAMP_SHARE    5 /* all steps take one part of the loaded time at most */
#define ALONE_SHARE   4 /* one part of the time is the victim's */

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

/* Of the n-th sender, from 0, so that 1, 2, 4 ... have started: 0, 1, 2, 2, 3 ... */
static unsigned step_of(uint32_t nth)
{
	return nth ? 32 - (unsigned)__builtin_clz(nth) : 0;
}

/* Nobody said how long the run is: its workloads do, so that all of them have their time. */
static bool is_open(const struct rt_stress_planning *in)
{
	return in->wish->scenario && !in->scenario.duration_ps &&
	       !in->wish->time_ns.known;
}

/* When the last flow of a file ends; one that its bytes end has a cap.  0: victims alone. */
static uint64_t last_end_ns(const struct rt_stress_plan *plan)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < plan->flow_count; i++) {
		const struct rt_traffic_flow *flow = &plan->flows[i];
		uint64_t end_ns = flow->stop_ns;

		if (!end_ns && flow->total_bytes && !flow->victim)
			end_ns = flow->start_ns + SIZED_TIME_NS;
		if (end_ns > last_ns)
			last_ns = end_ns;
	}
	return last_ns;
}

static int plan_length(struct rt_stress_planning *in, struct rt_err *err)
{
	struct rt_stress_plan *plan = in->plan;

	plan->total_ns = plan->sized ? SIZED_TIME_NS : RT_STRESS_TIME_NS;
	if (in->wish->scenario && in->scenario.duration_ps)
		plan->total_ns = in->scenario.duration_ps / PS_PER_NS;
	if (in->wish->time_ns.known)
		plan->total_ns = in->wish->time_ns.value;
	if (is_open(in)) {
		plan->wanted_ns = last_end_ns(plan);
		if (plan->wanted_ns)
			plan->total_ns = plan->wanted_ns;
		if (in->victims) /* as much more as makes their part of the whole */
			plan->total_ns += plan->total_ns / (ALONE_SHARE - 1);
		if (plan->total_ns < LEAST_TIME_NS)
			plan->total_ns = LEAST_TIME_NS;
	}
	if (plan->total_ns < LEAST_TIME_NS || plan->total_ns > RT_STRESS_MAX_TIME_NS)
		return rt_err_set(err, -EDOM, "a run takes from 100ms to 24 hours");
	return 0;
}

/* Long runs of many queue pairs have longer intervals, so that reports stay short. */
static int plan_interval(const struct rt_stress_planning *in, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) uint32_t *counts = NULL;
	struct rt_stress_plan *plan = in->plan;
	/* Steps of a ramp make an open run longer. */
	const uint64_t steps_ns = !is_open(in) ? 0
				  : in->wish->ramp_ns.known
					  ? in->wish->ramp_ns.value *
						    step_of(plan->ranks)
					  : plan->total_ns / RAMP_SHARE;
	const uint64_t intervals = (plan->total_ns + steps_ns) / RT_STRESS_INTERVAL_NS +
				   2;
	uint64_t most = 1;

	counts = calloc(plan->ranks, sizeof(*counts));
	if (!counts)
		return rt_err_sys(err, -ENOMEM, "cannot count the flows");
	for (size_t i = 0; i < plan->flow_count; i++) {
		const uint32_t ends[] = { plan->flows[i].from, plan->flows[i].to };

		for (unsigned k = 0; k < RT_ARRAY_SIZE(ends); k++)
			if (++counts[ends[k]] > most)
				most = counts[ends[k]];
	}
	if (most > RT_STRESS_MAX_ENDS)
		return rt_err_set(err, -EDOM,
				  "%llu flows at one host, the most is %u: fewer --qps",
				  (unsigned long long)most, RT_STRESS_MAX_ENDS);
	plan->interval_ns = RT_STRESS_INTERVAL_NS *
			    round_up(intervals * most, RT_STRESS_MAX_SAMPLES) /
			    RT_STRESS_MAX_SAMPLES;
	return 0;
}

/* --- the ramp --------------------------------------------------------------------- */

/* A scenario that says itself when flows start is not to be ramped. */
static bool starts_differ(const struct rt_stress_plan *plan)
{
	for (size_t i = 1; i < plan->flow_count; i++)
		if (!plan->flows[i].victim &&
		    plan->flows[i].start_ns != plan->flows[0].start_ns)
			return true;
	return false;
}

static uint64_t ramp_step(const struct rt_stress_planning *in, uint32_t senders)
{
	const struct rt_stress_plan *plan = in->plan;
	const unsigned steps = step_of(senders - 1);
	const uint64_t room = (plan->total_ns - plan->alone_ns) / RAMP_SHARE;

	if (in->wish->ramp_ns.known)
		return in->wish->ramp_ns.value;
	if (plan->sized || starts_differ(plan) || !steps)
		return 0;
	return room / steps < RAMP_NS ? room / steps : RAMP_NS;
}

/* Number the senders in the order in which flows name them, from 1; how many. */
static uint32_t number_senders(const struct rt_stress_plan *plan, uint32_t *numbers)
{
	uint32_t count = 0;

	for (size_t i = 0; i < plan->flow_count; i++)
		if (!plan->flows[i].victim && !numbers[plan->flows[i].from])
			numbers[plan->flows[i].from] = ++count;
	return count;
}

static int plan_starts(struct rt_stress_planning *in, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) uint32_t *numbers = NULL;
	struct rt_stress_plan *plan = in->plan;
	uint64_t step;

	numbers = calloc(plan->ranks, sizeof(*numbers));
	if (!numbers)
		return rt_err_sys(err, -ENOMEM, "cannot number the senders");
	step = ramp_step(in, number_senders(plan, numbers));
	for (size_t i = 0; i < plan->flow_count; i++) {
		struct rt_traffic_flow *flow = &plan->flows[i];
		uint64_t later_ns;

		if (flow->victim)
			continue;
		later_ns = plan->alone_ns + step_of(numbers[flow->from] - 1) * step;
		flow->start_ns += later_ns;
		if (flow->stop_ns && in->wish->scenario)
			flow->stop_ns += later_ns;
	}
	return 0;
}

/* --- the ends --------------------------------------------------------------------- */

static int plan_stops(struct rt_stress_planning *in, struct rt_err *err)
{
	struct rt_stress_plan *plan = in->plan;
	uint64_t from = plan->alone_ns, to = plan->total_ns;

	if (in->wish->scenario)
		plan->wanted_ns = last_end_ns(plan);
	if (is_open(in) && plan->wanted_ns > plan->total_ns)
		plan->total_ns = to = plan->wanted_ns;
	for (size_t i = 0; i < plan->flow_count; i++) {
		struct rt_traffic_flow *flow = &plan->flows[i];

		/* Without a file it is the run that ends a flow. */
		if (!flow->stop_ns || flow->stop_ns > plan->total_ns ||
		    !in->wish->scenario)
			flow->stop_ns = plan->total_ns;
		if (flow->start_ns >= flow->stop_ns)
			return rt_err_set(err, -EDOM,
					  "flow %zu would start at %.3g s, when it has "
					  "to stop: a longer --time, a shorter --ramp "
					  "or --stagger",
					  i, (double)flow->start_ns / 1e9);
		if (flow->victim)
			continue;
		from = flow->start_ns > from ? flow->start_ns : from;
		to = flow->stop_ns < to ? flow->stop_ns : to;
	}
	plan->hold_from_ns = round_up(from, plan->interval_ns);
	plan->hold_to_ns = to / plan->interval_ns * plan->interval_ns;
	return 0;
}

int rt_stress_plan_times(struct rt_stress_planning *in, struct rt_err *err)
{
	struct rt_stress_plan *plan = in->plan;
	int r = plan_length(in, err);

	if (r == 0)
		r = plan_interval(in, err);
	if (r < 0)
		return r;
	if (in->victims)
		plan->alone_ns = round_up(plan->total_ns / ALONE_SHARE,
					  plan->interval_ns);
	r = plan_starts(in, err);
	return r < 0 ? r : plan_stops(in, err);
}
