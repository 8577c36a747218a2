/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/record.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "rocetune/profile.h"
#include "run/profile.h"
#include "run/sim_profile.h"
#include "run/stress_planning.h"
#include "run/stress_rates.h"
#include "traffic/rendezvous.h"

#define PS_PER_NS         1000
#define LEAST_FLOW_PS     UINT64_C(1000000000)
#define OUTSTANDING       16
#define VICTIM_SLOWER_PPB (UINT64_C(10) * RT_PPB) /* that stops a run */

static const char *const pattern_names[] = {
	[RT_WORKLOAD_INCAST] = "incast",
	[RT_WORKLOAD_OUTCAST] = "outcast",
	[RT_WORKLOAD_PERMUTATION] = "permutation",
	[RT_WORKLOAD_ALLTOALL] = "all to all",
	[RT_WORKLOAD_RING] = "ring",
	[RT_WORKLOAD_FLOWS] = "listed flows",
	[RT_WORKLOAD_POISSON] = "Poisson arrivals",
	[RT_WORKLOAD_POISSON_INCAST] = "Poisson arrivals at one host",
};

/* --- the scenario ----------------------------------------------------------------- */

static void make_pattern(const struct rt_stress_wish *wish,
			 struct rt_scenario *ret_scenario)
{
	struct rt_workload_spec *spec = &ret_scenario->workloads[0];
	const uint32_t many = (uint32_t)wish->senders.value;
	const uint32_t one = (uint32_t)wish->receiver.value;

	rt_scenario_init(ret_scenario);
	ret_scenario->workload_count = 1;
	*spec = (struct rt_workload_spec){
		.kind = wish->pattern,
		.qps = 1,
		.size_bytes = 1000000,
		.outstanding = OUTSTANDING,
	};
	if (wish->pattern == RT_WORKLOAD_OUTCAST) {
		spec->receivers = many;
		spec->sender = one;
	} else {
		spec->senders = many;
		spec->receiver = one;
	}
	if (!wish->bytes.known) /* of the run, which cuts it */
		spec->duration_ps = RT_STRESS_TIME_NS * PS_PER_NS;
}

static void take(uint64_t *to, struct rt_opt_u64 from)
{
	if (from.known)
		*to = from.value;
}

/* What the command line says goes over what the file says, in every workload. */
static void take_wish(const struct rt_stress_wish *wish, struct rt_workload_spec *spec)
{
	const struct rt_opt_u64 rates[] = { wish->on_ns, wish->off_ns,
					    wish->stagger_ns };
	uint64_t *const times[] = { &spec->on_ps, &spec->off_ps, &spec->stagger_ps };

	take(&spec->message_bytes, wish->message_bytes);
	if (wish->bytes.known) {
		spec->duration_ps = 0;
		/* Bytes instead of a time: in messages as those of a time. */
		if (!spec->message_bytes)
			spec->message_bytes = RT_MESSAGE_BYTES_TIMED;
	}
	if (wish->qps.known)
		spec->qps = (uint32_t)wish->qps.value;
	if (wish->outstanding.known)
		spec->outstanding = (uint32_t)wish->outstanding.value;
	if (wish->op.known)
		spec->op = (unsigned)wish->op.value;
	if (wish->dscp.known || wish->prio.known)
		*spec->class = '\0';
	if (wish->dscp.known)
		spec->dscp = wish->dscp;
	if (wish->prio.known)
		spec->prio = wish->prio;
	for (size_t i = 0; i < RT_ARRAY_SIZE(times); i++)
		if (rates[i].known)
			*times[i] = rates[i].value * PS_PER_NS;
}

/*
 * A pattern that was typed is one that the file has.  What no command is called after,
 * listed flows and Poisson arrivals, goes with any.
 */
static int check_pattern(const struct rt_stress_wish *wish,
			 const struct rt_scenario *scenario, struct rt_err *err)
{
	const unsigned named = 1u << RT_WORKLOAD_INCAST | 1u << RT_WORKLOAD_OUTCAST |
			       1u << RT_WORKLOAD_PERMUTATION |
			       1u << RT_WORKLOAD_ALLTOALL | 1u << RT_WORKLOAD_RING;

	if (!wish->pattern_said || !wish->scenario)
		return 0;
	for (size_t i = 0; i < scenario->workload_count; i++)
		if (scenario->workloads[i].kind == wish->pattern ||
		    !(named >> scenario->workloads[i].kind & 1))
			return 0;
	return rt_err_set(err, -EDOM, "%s: its traffic is %s, and not %s",
			  wish->scenario, pattern_names[scenario->workloads[0].kind],
			  pattern_names[wish->pattern]);
}

static int get_scenario(struct rt_stress_planning *in, struct rt_err *err)
{
	const struct rt_stress_wish *wish = in->wish;
	struct rt_scenario *scenario = &in->scenario;
	int r = 0;

	if (wish->scenario)
		r = rt_scenario_read_for_hosts(wish->scenario, scenario, err);
	else
		make_pattern(wish, scenario);
	if (r == 0)
		r = check_pattern(wish, scenario, err);
	if (r < 0)
		return r;
	if (scenario->topology.kind == RT_TOPOLOGY_STAR &&
	    scenario->topology.hosts > in->plan->ranks)
		return rt_err_set(err, -EDOM, "the scenario has %u hosts, %u take part",
				  scenario->topology.hosts, in->plan->ranks);
	/* The network is what it is; only who is there matters. */
	scenario->topology.kind = RT_TOPOLOGY_STAR;
	scenario->topology.hosts = in->plan->ranks;
	if (wish->seed.known)
		scenario->seed = wish->seed.value;
	for (size_t i = 0; i < scenario->workload_count; i++)
		if (scenario->workloads[i].transport != RT_TRANSPORT_RC)
			return rt_err_set(err, -EOPNOTSUPP,
					  "workload %zu: transport none is the "
					  "simulator's: hosts send over reliable "
					  "connections",
					  i + 1);
	for (size_t i = 0; i < scenario->workload_count; i++)
		take_wish(wish, &scenario->workloads[i]);
	scenario->on_hosts = true;
	r = rt_scenario_finish(scenario, err);
	for (size_t i = 0; i < scenario->workload_count; i++)
		take(&scenario->workloads[i].size_bytes, wish->bytes);
	return r == -EINVAL && !wish->scenario ? -EDOM : r;
}

/* Laws of a lab are those of its links. */
static void find_slowness(struct rt_stress_planning *in)
{
	const uint64_t speed_bps = in->scenario.topology.speed_bps;
	struct rt_opt_u64 link_bps = in->wish->link_bps;

	if (in->wish->laws)
		link_bps = RT_KNOWN_U64(in->wish->laws->rp.line_rate_bps);
	if (link_bps.value)
		in->plan->slower = (double)speed_bps / (double)link_bps.value;
}

static int get_profile(struct rt_stress_planning *in, struct rt_err *err)
{
	const char *name = in->wish->profile ? in->wish->profile : in->scenario.profile;
	int r;

	if (!*name)
		return 0;
	r = rt_run_profile_read(name, &in->profile, err);
	if (r < 0)
		return r;
	snprintf(in->plan->profile, sizeof(in->plan->profile), "%s", name);
	return 0;
}

static int make_laws(struct rt_stress_planning *in, struct rt_err *err)
{
	struct rt_fabric_config *laws = &in->plan->laws;
	int r = 0;

	if (in->wish->laws) {
		*laws = *in->wish->laws;
		in->plan->with_laws = true;
		return 0;
	}
	if (in->profile)
		rt_sim_profile_links(in->profile, &in->scenario);
	rt_fabric_config_init(laws, &in->scenario);
	if (in->profile)
		r = rt_sim_profile_config(in->profile, &in->scenario, laws, err);
	if (r == 0)
		r = rt_fabric_config_model(laws, &in->scenario, err);
	in->plan->with_laws = true;
	return r;
}

/* Which priorities must not lose: as the user says, else the profile, else unknown. */
static void find_lossless(struct rt_stress_planning *in)
{
	uint64_t mask = 0;

	in->plan->lossless = in->wish->lossless;
	if (in->wish->lossless.known || !in->profile)
		return;
	for (size_t i = 0; i < in->profile->class_count; i++) {
		const struct rt_class *class = &in->profile->classes[i];

		if (rt_class_is_lossless(class) && rt_setting_known(&class->prio))
			mask |= UINT64_C(1) << (class->prio.number & 7);
	}
	in->plan->lossless = RT_KNOWN_U64(mask);
}

/* --- flows ------------------------------------------------------------------------ */

static int find_marks(const struct rt_stress_planning *in, size_t workload,
		      struct rt_flow_marks *ret_marks, struct rt_err *err)
{
	int r = rt_fabric_config_marks(&in->plan->laws, &in->scenario, workload,
				       ret_marks, err);

	if (r == 0 && in->wish->ecn.known)
		ret_marks->ecn = (uint8_t)in->wish->ecn.value;
	return r == -EINVAL && !in->wish->scenario ? -EDOM : r;
}

static int copy_sizes(const struct rt_workload_spec *from, struct rt_traffic_flow *flow,
		      struct rt_err *err)
{
	if (!from->size_count || flow->victim)
		return 0;
	flow->sizes = calloc(from->size_count, sizeof(*flow->sizes));
	if (!flow->sizes)
		return rt_err_sys(err, -ENOMEM, "cannot hold the sizes");
	memcpy(flow->sizes, from->sizes, from->size_count * sizeof(*flow->sizes));
	flow->size_count = from->size_count;
	flow->message_bytes = (uint64_t)rt_workload_mean_bytes(from);
	if (!flow->message_bytes)
		flow->message_bytes = 1;
	return 0;
}

/* A scenario may say what the simulator does and no host can. */
static int check_spec(const struct rt_workload_spec *spec, unsigned number,
		      struct rt_err *err)
{
	char text[RT_UNIT_TEXT_BYTES];

	if (spec->transport != RT_TRANSPORT_RC)
		return rt_err_set(err, -EDOM,
				  "workload %u: only the simulator sends datagrams",
				  number);
	if (spec->outstanding > RT_STRESS_MAX_OUTSTANDING)
		return rt_err_set(err, -EDOM,
				  "workload %u: outstanding %u, hosts take %u at most",
				  number, spec->outstanding, RT_STRESS_MAX_OUTSTANDING);
	if (spec->duration_ps && spec->duration_ps < LEAST_FLOW_PS)
		return rt_err_set(
			err, -EDOM,
			"workload %u: duration %s, hosts stop a flow after "
			"1ms at the earliest",
			number,
			rt_unit_format_exact(RT_UNIT_PS, spec->duration_ps, text));
	return 0;
}

/* A scenario's rate where links are slower than its own are. */
static uint64_t slowed_bps(const struct rt_stress_plan *plan, uint64_t rate_bps)
{
	const uint64_t slowed = (uint64_t)((double)rate_bps / plan->slower + 0.5);

	return rate_bps && !slowed ? 1 : slowed;
}

static int make_flow(const struct rt_stress_planning *in,
		     const struct rt_flow_spec *from, uint32_t number,
		     struct rt_traffic_flow *flow, struct rt_err *err)
{
	const struct rt_workload_spec *spec = &in->scenario.workloads[from->workload];
	struct rt_flow_marks marks;
	int r = find_marks(in, from->workload, &marks, err);

	if (r == 0)
		r = check_spec(spec, from->workload + 1u, err);
	if (r < 0)
		return r;
	*flow = (struct rt_traffic_flow){
		.flow = number,
		.from = from->from,
		.to = from->to,
		.workload = from->workload,
		.victim = spec->victim,
		.op = spec->op,
		.message_bytes = from->message_bytes,
		.outstanding = spec->outstanding ? spec->outstanding : OUTSTANDING,
		.total_bytes = from->bytes,
		.rate_bps = slowed_bps(in->plan, spec->rate_bps),
		.rate_share_ppb = spec->rate_bps ? 0 : spec->rate_share_ppb,
		.start_ns = from->start_ps / PS_PER_NS,
		.stop_ns = from->stop_ps / PS_PER_NS,
		.on_ns = from->on_ps / PS_PER_NS,
		.off_ns = from->off_ps / PS_PER_NS,
		.dscp = marks.dscp,
		.ecn = marks.ecn,
		.prio = marks.prio,
	};
	return copy_sizes(&in->sizes, flow, err);
}

static int make_flows(struct rt_stress_planning *in, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_flow_spec *specs = NULL;
	struct rt_stress_plan *plan = in->plan;
	struct rt_scenario slowed = in->scenario; /* its lists are borrowed */
	size_t count;
	int r;

	/* What a load is a share of: the links that there are. */
	slowed.topology.speed_bps = slowed_bps(plan, slowed.topology.speed_bps);
	r = rt_workload_flows(&slowed, plan->ranks, &specs, &count, err);

	if (r < 0)
		return r;
	plan->flows = calloc(count + 2, sizeof(*plan->flows)); /* room for a victim */
	if (!plan->flows)
		return rt_err_sys(err, -ENOMEM, "cannot hold %zu flows", count);
	for (size_t i = 0; i < count && r == 0; i++) {
		r = make_flow(in, &specs[i], (uint32_t)i, &plan->flows[i], err);
		plan->flow_count = i + 1;
		in->victims |= plan->flows[i].victim;
		plan->sized |= plan->flows[i].total_bytes > 0 && !plan->flows[i].victim;
	}
	return r;
}

/* --- the whole -------------------------------------------------------------------- */

/* "106 = DSCP 26 + ECT(0), priority 3 (lossless)". */
static void tell_marking(struct rt_stress_plan *plan)
{
	static const char *const ecn[] = { "Not-ECT", "ECT(1)", "ECT(0)", "CE" };
	const struct rt_traffic_flow *flow = &plan->flows[0];
	const bool lossless = plan->lossless.value >> flow->prio & 1;

	snprintf(plan->marking, sizeof(plan->marking),
		 "%u = DSCP %u + %s, priority %u (%s)", flow->dscp << 2 | flow->ecn,
		 flow->dscp, ecn[flow->ecn & 3], flow->prio,
		 !plan->lossless.known ? "lossless or not is not known"
		 : lossless            ? "lossless"
				       : "may drop");
}

static void tell_pattern(const struct rt_stress_planning *in)
{
	const struct rt_scenario *scenario = &in->scenario;
	const struct rt_workload_spec *spec = &scenario->workloads[0];
	const uint64_t pairs = rt_workload_flow_count(spec, in->plan->ranks) /
			       (spec->qps ? spec->qps : 1);
	struct rt_line line = { in->plan->pattern, sizeof(in->plan->pattern), 0 };

	if (in->wish->scenario && *scenario->name)
		rt_line_put(&line, "%.40s: ", scenario->name);
	rt_line_put(&line, "%s", pattern_names[spec->kind]);
	if (spec->kind == RT_WORKLOAD_INCAST)
		rt_line_put(&line, " %llu:1", (unsigned long long)pairs);
	if (spec->kind == RT_WORKLOAD_OUTCAST)
		rt_line_put(&line, " 1:%llu", (unsigned long long)pairs);
	if (spec->qps > 1)
		rt_line_put(&line, ", %u QPs a pair", spec->qps);
	if (scenario->workload_count > 1)
		rt_line_put(&line, " and %zu more", scenario->workload_count - 1);
}

/* --rate is a sender's: its queue pairs have an equal part of it each. */
static int cap_rates(struct rt_stress_planning *in, struct rt_err *err)
{
	struct rt_stress_plan *plan = in->plan;
	RT_AUTO(rt_auto_free) uint32_t *counts = NULL;

	if (!in->wish->rate_bps.known)
		return 0;
	counts = calloc(plan->ranks, sizeof(*counts));
	if (!counts)
		return rt_err_sys(err, -ENOMEM, "cannot count the flows");
	for (size_t i = 0; i < plan->flow_count; i++)
		counts[plan->flows[i].from] += !plan->flows[i].victim;
	for (size_t i = 0; i < plan->flow_count; i++) {
		struct rt_traffic_flow *flow = &plan->flows[i];
		uint64_t bps;

		if (flow->victim)
			continue;
		bps = in->wish->rate_bps.value / counts[flow->from];
		flow->rate_bps = bps ? bps : 1; /* 0 would be no cap */
		flow->rate_share_ppb = 0;
	}
	return 0;
}

/* Ports that follow each other, so that paths differ: one for each, or they would not. */
static int spread_ports(struct rt_stress_planning *in, struct rt_err *err)
{
	const uint64_t first = in->wish->sport.value;
	const size_t count = in->plan->flow_count;

	if (!in->wish->sport.known)
		return 0;
	if (first + count - 1 > UINT16_MAX)
		return rt_err_set(err, -EDOM,
				  "--sport %llu: %zu queue pairs need a port each, the "
				  "first of them %zu at most",
				  (unsigned long long)first, count,
				  count > UINT16_MAX ? 0 : UINT16_MAX - count + 1);
	for (size_t i = 0; i < count; i++)
		in->plan->flows[i].udp_sport = (uint16_t)(first + i);
	return 0;
}

static int plan_all(struct rt_stress_planning *in, struct rt_err *err)
{
	int r = rt_stress_check_wish(in->wish, in->plan->ranks, err);

	if (r == 0)
		r = get_scenario(in, err);
	if (r == 0) {
		find_slowness(in);
		r = get_profile(in, err);
	}
	if (r == 0)
		r = make_laws(in, err);
	if (r < 0)
		return r;
	find_lossless(in);
	if (in->wish->sizes)
		r = rt_stress_read_sizes(in->wish->sizes, &in->sizes, err);
	if (r == 0)
		r = make_flows(in, err);
	if (r == 0 && !in->plan->flow_count)
		r = rt_err_set(err, -EDOM, "there are no flows in it");
	if (r == 0)
		r = rt_stress_add_victim(in, err);
	if (r == 0)
		r = cap_rates(in, err);
	if (r == 0)
		r = rt_stress_plan_times(in, err);
	if (r == 0)
		r = spread_ports(in, err);
	if (r < 0)
		return r;
	in->plan->even = rt_stress_flows_are_even(in->plan);
	tell_marking(in->plan);
	tell_pattern(in);
	return 0;
}

int rt_stress_plan(const struct rt_stress_wish *wish, uint32_t ranks,
		   struct rt_stress_plan *ret_plan, struct rt_err *err)
{
	struct rt_stress_plan plan = { .ranks = ranks,
				       .with_abort = !wish->no_abort,
				       .checks_later = wish->checks_later,
				       .config = wish->config,
				       .slower = 1,
				       .victim_bound_ppb = VICTIM_SLOWER_PPB };
	struct rt_stress_planning in = { .wish = wish, .plan = &plan };
	int r;

	take(&plan.victim_bound_ppb, wish->victim_bound_ppb);
	snprintf(plan.engine, sizeof(plan.engine), "%s",
		 wish->engine ? wish->engine : "");
	r = plan_all(&in, err);
	rt_profile_free(in.profile);
	free(in.sizes.sizes);
	plan.scenario = in.scenario;
	if (r < 0)
		rt_stress_plan_free(&plan);
	else
		*ret_plan = plan;
	return r;
}

void rt_stress_plan_free(struct rt_stress_plan *plan)
{
	for (size_t i = 0; i < plan->flow_count; i++)
		rt_traffic_flow_free(&plan->flows[i]);
	free(plan->flows);
	rt_scenario_free(&plan->scenario);
	*plan = (struct rt_stress_plan){ 0 };
}

int rt_stress_plan_job(const struct rt_stress_plan *plan, uint32_t rank,
		       struct rt_stress_job *ret_job, struct rt_err *err)
{
	struct rt_stress_job job = { .rank = rank,
				     .ranks = plan->ranks,
				     .config = plan->config,
				     .with_laws = plan->with_laws,
				     .laws = plan->laws,
				     .total_ns = plan->total_ns,
				     .alone_ns = plan->alone_ns,
				     .interval_ns = plan->interval_ns,
				     .lossless = plan->lossless,
				     .with_abort = plan->with_abort,
				     .victim_bound_ppb = plan->victim_bound_ppb };
	size_t count = 0;
	int r = 0;

	memcpy(job.engine, plan->engine, sizeof(job.engine));
	for (size_t i = 0; i < plan->flow_count; i++)
		count += plan->flows[i].from == rank || plan->flows[i].to == rank;
	job.flows = calloc(count + 1, sizeof(*job.flows));
	if (!job.flows)
		r = -ENOMEM;
	for (size_t i = 0; i < plan->flow_count && r == 0; i++)
		if (plan->flows[i].from == rank || plan->flows[i].to == rank)
			r = rt_traffic_flow_copy(&plan->flows[i],
						 &job.flows[job.flow_count++]);
	if (r < 0) {
		rt_record_free(&rt_stress_job_table, &job);
		return rt_err_sys(err, r, "cannot hold the job of rank %u", rank);
	}
	*ret_job = job;
	return 0;
}
