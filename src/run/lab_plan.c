/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_plan.c - scenario, profile and rate to a topology and its laws. */
#include "run/lab_plan.h"

#include <errno.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "run/sim_profile.h"

/* Of the fabric that a lab without profile is the slow motion of. */
#define REAL_SPEED_BPS UINT64_C(100000000000)

void rt_lab_plan_free(struct rt_lab_plan *plan)
{
	rt_topology_free(&plan->topology);
	rt_scenario_free(&plan->scenario);
}

/* A scenario of what the command line says. */
static void invent(const struct rt_lab_request *request, uint32_t senders,
		   struct rt_scenario *scenario)
{
	struct rt_topology_spec *topology = &scenario->topology;

	rt_scenario_init(scenario);
	topology->speed_bps = REAL_SPEED_BPS;
	topology->hosts = senders ? senders + 1 : RT_LAB_DEFAULT_HOSTS;
	scenario->workload_count = 1;
	scenario->workloads[0] = (struct rt_workload_spec){
		.kind = RT_WORKLOAD_INCAST,
		.senders = senders,
		.qps = 1,
		.size_bytes = 1000000,
	};
	if (request->topology.known)
		topology->kind = (unsigned)request->topology.value;
	if (topology->kind == RT_TOPOLOGY_LEAF_SPINE) {
		topology->leaves = 2;
		topology->spines = 2;
		topology->hosts = senders ? (senders + 2) / 2
					  : RT_LAB_DEFAULT_HOSTS / 2;
	}
	if (request->hosts.known)
		topology->hosts = (uint32_t)request->hosts.value;
	if (request->leaves.known)
		topology->leaves = (uint32_t)request->leaves.value;
	if (request->spines.known)
		topology->spines = (uint32_t)request->spines.value;
}

static void map_dscp(const struct rt_fabric_config *laws, uint8_t prio_of_dscp[64])
{
	for (uint8_t dscp = 0; dscp < 64; dscp++)
		prio_of_dscp[dscp] = rt_fabric_config_prio(laws, dscp);
}

/* The lab's links: all slower by the same factor. */
static int make_topology(const struct rt_scenario *scenario, uint64_t rate_bps,
			 struct rt_topology *ret_topology, struct rt_err *err)
{
	struct rt_topology_spec spec = scenario->topology;
	const double factor = (double)rate_bps / (double)spec.speed_bps;

	spec.fabric_speed_bps = (uint64_t)((double)spec.fabric_speed_bps * factor);
	spec.speed_bps = rate_bps;
	return rt_topology_build(&spec, ret_topology, err);
}

static int make_plan(const struct rt_lab_request *request, uint32_t senders,
		     struct rt_lab_plan *plan, struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	const uint64_t rate_bps = request->rate_bps.known ? request->rate_bps.value
							  : RT_LAB_DEFAULT_RATE_BPS;
	struct rt_scenario *scenario = &plan->scenario;
	int r = rt_lab_faults_read(request->faults, &plan->faults, err);

	if (r < 0)
		return r;
	if (request->scenario)
		r = rt_scenario_read(request->scenario, scenario, err);
	else
		invent(request, senders, scenario);
	if (r == 0)
		r = rt_sim_profile_read(request->profile, !request->scenario, scenario,
					&profile, err);
	if (r < 0)
		return r;
	if (request->seed.known)
		scenario->seed = request->seed.value;
	r = rt_scenario_finish(scenario, err);
	if (r < 0)
		return r == -EINVAL && !request->scenario ? -EDOM : r;
	r = rt_sim_profile_laws(scenario, profile, &plan->laws, err);
	if (r == 0)
		r = rt_lab_scale(&plan->laws, scenario->topology.speed_bps, rate_bps,
				 &plan->scale, err);
	if (r == 0)
		r = make_topology(scenario, rate_bps, &plan->topology, err);
	if (r < 0)
		return r;
	rt_lab_faults_of_laws(&plan->faults, &plan->laws);
	map_dscp(&plan->laws, plan->prio_of_dscp);
	return 0;
}

int rt_lab_plan_make(const struct rt_lab_request *request, uint32_t senders,
		     struct rt_lab_plan *ret_plan, struct rt_err *err)
{
	struct rt_lab_plan plan = { 0 };
	int r = make_plan(request, senders, &plan, err);

	if (r == 0)
		r = rt_lab_faults_check(&plan.faults, &plan.topology, err);
	if (r < 0)
		rt_lab_plan_free(&plan);
	else
		*ret_plan = plan;
	return r;
}

int rt_lab_plan_remake(const struct rt_lab_request *request,
		       struct rt_lab_plan *ret_plan, struct rt_err *err)
{
	struct rt_lab_plan plan = { 0 };
	int r = make_plan(request, 0, &plan, err);

	if (r < 0)
		rt_lab_plan_free(&plan);
	else
		*ret_plan = plan;
	return r;
}
