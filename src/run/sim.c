/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "fabric/fabric.h"
#include "fabric/sim_figures.h"
#include "model/criteria.h"
#include "model/finding.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "rocetune/scenario.h"
#include "rocetune/sim.h"
#include "run/profile.h"
#include "run/sim_capture.h"
#include "run/sim_profile.h"
#include "run/sim_rules.h"

/* The result comes first, so that its table describes the whole. */
struct sim_outcome {
	struct rt_sim_result result;
	struct rt_findings findings;
	struct rt_criteria criteria;
};

static void release(void *object)
{
	struct sim_outcome *outcome = object;

	rt_sim_result_free(&outcome->result);
	rt_findings_free(&outcome->findings);
	rt_criteria_free(&outcome->criteria);
	free(outcome);
}

static int get_scenario(const struct rt_sim_request *request,
			struct rt_scenario *ret_scenario, struct rt_err *err)
{
	struct rt_workload_spec *workload = &ret_scenario->workloads[0];

	if (request->scenario)
		return rt_scenario_read(request->scenario, ret_scenario, err);
	rt_scenario_init(ret_scenario);
	if (!request->incast.known || request->incast.value < 1 ||
	    request->incast.value >= RT_SIM_MAX_HOSTS)
		return rt_err_set(err, -EDOM, "an incast has 1 to %u senders",
				  RT_SIM_MAX_HOSTS - 1);
	snprintf(ret_scenario->name, sizeof(ret_scenario->name), "incast-%u",
		 (unsigned)request->incast.value);
	ret_scenario->workload_count = 1;
	*workload = (struct rt_workload_spec){
		.kind = RT_WORKLOAD_INCAST,
		.senders = (uint32_t)request->incast.value,
		.qps = 1,
		.size_bytes = 1000000,
	};
	return 0;
}

/* Numbers of the command line keep to the bounds of the keys they stand for. */
static int check_request(const struct rt_sim_request *request, struct rt_err *err)
{
	const struct {
		const char *section, *key;
		struct rt_opt_u64 given;
	} numbers[] = {
		{ "topology", "speed", request->speed_bps },
		{ "workload", "size", request->size_bytes },
		{ "", "duration", request->duration_ps },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RT_ARRAY_SIZE(numbers); i++)
		if (numbers[i].given.known)
			r = rt_scenario_check(numbers[i].section, numbers[i].key,
					      numbers[i].given.value, err);
	return r < 0 ? -EDOM : 0;
}

/* What the command line says goes over what the file says. */
static int override(const struct rt_sim_request *request, struct rt_scenario *scenario,
		    struct rt_err *err)
{
	int r = check_request(request, err);

	if (r < 0)
		return r;
	if (request->speed_bps.known) {
		scenario->topology.speed_bps = request->speed_bps.value;
		scenario->topology.fabric_speed_bps = request->speed_bps.value;
	}
	for (size_t i = 0; request->size_bytes.known && i < scenario->workload_count;
	     i++) {
		struct rt_workload_spec *spec = &scenario->workloads[i];

		if (spec->flows || spec->sizes)
			return rt_err_set(err, -EDOM,
					  "--size: workload %zu has sizes of its own",
					  i + 1);
		if (spec->duration_ps)
			return rt_err_set(err, -EDOM,
					  "--size: workload %zu sends for a duration",
					  i + 1);
		spec->size_bytes = request->size_bytes.value;
	}
	if (request->seed.known)
		scenario->seed = request->seed.value;
	if (request->duration_ps.known)
		scenario->duration_ps = request->duration_ps.value;
	r = rt_scenario_finish(scenario, err);
	/* Without a file every number came from there. */
	return r == -EINVAL && !request->scenario ? -EDOM : r;
}

static double seconds(void)
{
	return (double)rt_monotonic_ns() / 1e9;
}

/* With a capture: create it, run, and close it whatever happened. */
static int run_captured(const struct rt_sim_request *request,
			const struct rt_scenario *scenario,
			const struct rt_fabric_config *config,
			struct rt_sim_result *result, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *names = NULL;
	const char *ports[RT_SIM_CAPTURE_PORTS + 1];
	struct rt_fabric_run run = { .progress = request->progress,
				     .progress_user = request->progress_user };
	struct rt_err close_err = { 0 };
	int r = 0, closed = 0;

	if (request->ports) {
		r = rt_sim_capture_ports(request->ports, scenario, &names, ports, err);
		run.ports = ports;
	}
	if (r == 0 && request->pcap)
		r = rt_sim_capture_create(request->pcap, request->scenario,
					  scenario->profile, &run.sink, err);
	if (r < 0)
		return r;
	r = rt_fabric_run(scenario, config, &run, result, err);
	if (run.sink)
		closed = run.sink->ops->close(run.sink, &close_err);
	if (r == 0 && closed < 0) {
		rt_sim_result_free(result);
		r = rt_err_set(err, closed, "%s", close_err.msg);
	}
	return r;
}

/* Say which file's settings do not go together; returns r. */
static int name_files(const struct rt_sim_request *request,
		      const struct rt_scenario *scenario, struct rt_err *err, int r)
{
	const char *file = request->scenario ? request->scenario : scenario->name;

	if (r != -EINVAL)
		return r;
	if (*scenario->profile)
		return rt_err_set(err, r, "%s under profile %s: %s", file,
				  scenario->profile, err ? err->msg : "");
	return rt_err_set(err, r, "%s: %s", file, err ? err->msg : "");
}

/* By the scenario's own checks, if it has any. */
static int judge_checks(const struct rt_scenario *scenario,
			const struct rt_fabric_config *config,
			struct sim_outcome *outcome, struct rt_err *err)
{
	struct rt_sim_result *result = &outcome->result;
	struct rt_criteria *criteria = &outcome->criteria;
	struct rt_figures figures;
	int r;

	if (!scenario->check_count)
		return 0;
	rt_figures_init(&figures, scenario);
	r = rt_sim_figures(scenario, config, result, &figures, err);
	if (r == 0)
		r = rt_criteria_find(scenario, &figures, criteria, &outcome->findings,
				     err);
	rt_figures_free(&figures);
	if (r == 0)
		result->checks = rt_criteria_told(criteria);
	return r;
}

static int judge(const struct rt_scenario *scenario,
		 const struct rt_fabric_config *config, struct sim_outcome *outcome,
		 struct rt_err *err)
{
	int r = rt_rules_run(rt_sim_rules, rt_sim_rule_count, &outcome->result,
			     &outcome->findings, err);

	return r < 0 ? r : judge_checks(scenario, config, outcome, err);
}

int rt_run_sim(const struct rt_sim_request *request, struct rt_outcome *ret_outcome,
	       struct rt_err *err)
{
	RT_AUTO(rt_auto_profile_free) struct rt_profile *profile = NULL;
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_fabric_config config;
	struct sim_outcome *outcome;
	const double start = seconds();
	int r = get_scenario(request, &scenario, err);

	if (r == 0)
		r = rt_sim_profile_read(request->profile, !request->scenario, &scenario,
					&profile, err);
	if (r == 0)
		r = override(request, &scenario, err);
	if (r == 0)
		r = name_files(request, &scenario, err,
			       rt_sim_profile_laws(&scenario, profile, &config, err));
	if (r < 0)
		return r;
	outcome = calloc(1, sizeof(*outcome));
	if (!outcome)
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	r = name_files(
		request, &scenario, err,
		run_captured(request, &scenario, &config, &outcome->result, err));
	if (r == 0)
		r = judge(&scenario, &config, outcome, err);
	if (r < 0) {
		release(outcome);
		return r;
	}
	rt_findings_sort(&outcome->findings);
	rt_sim_write_verdict(&outcome->findings, &outcome->result);
	outcome->result.findings = outcome->findings.items;
	outcome->result.finding_count = outcome->findings.count;
	outcome->result.wall_s = seconds() - start;
	*ret_outcome = (struct rt_outcome){ .table = &rt_sim_table,
					    .object = outcome,
					    .findings = &outcome->findings,
					    .release = release };
	return 0;
}
