/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_scenario.c - any bytes as a scenario: read or refused, never more; and what is
 * read is simulated for a while, if it is small, and judged by its checks.
 */
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/sim_figures.h"
#include "model/criteria.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"
#include "rocetune/sim.h"

#define EVENTS    20000
#define HOSTS_MAX 16
#define FLOWS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct rt_scenario *scenario)
{
	const struct rt_topology_spec *topology = &scenario->topology;
	uint64_t flows = 0;

	if (topology->hosts > HOSTS_MAX ||
	    (topology->kind == RT_TOPOLOGY_LEAF_SPINE &&
	     (topology->leaves > 4 || topology->spines > 4)))
		return false;
	for (size_t i = 0; i < scenario->workload_count; i++)
		flows += rt_workload_flow_count(&scenario->workloads[i], HOSTS_MAX * 4);
	return flows <= FLOWS_MAX * HOSTS_MAX;
}

static void simulate(const struct rt_scenario *scenario)
{
	const struct rt_fabric_run run = { .event_limit = EVENTS };
	struct rt_fabric_config config;
	struct rt_sim_result result;
	struct rt_figures figures;
	struct rt_criteria criteria;

	rt_fabric_config_init(&config, scenario);
	if (rt_fabric_config_model(&config, scenario, NULL) < 0 ||
	    rt_fabric_run(scenario, &config, &run, &result, NULL) < 0)
		return;
	rt_figures_init(&figures, scenario);
	if (rt_sim_figures(scenario, &config, &result, &figures, NULL) == 0 &&
	    rt_criteria_judge(scenario, &figures, &criteria, NULL) == 0)
		rt_criteria_free(&criteria);
	rt_figures_free(&figures);
	rt_sim_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_scenario scenario;
	struct rt_err err = { 0 };

	if (rt_scenario_parse("fuzz", (const char *)data, size, &scenario, &err) < 0)
		return 0;
	if (is_small(&scenario))
		simulate(&scenario);
	rt_scenario_free(&scenario);
	return 0;
}
