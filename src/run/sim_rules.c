/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/sim_rules.h"

#include "base/own.h"
#include "model/finding.h"
#include "rocetune/sim.h"

static void check_unfinished(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	if (sim->event_bound_hit)
		rt_findings_add(findings, rule, "",
				"%llu of %llu flows done after %llu events",
				(unsigned long long)sim->flows_done,
				(unsigned long long)sim->flow_count,
				(unsigned long long)sim->events);
}

static void check_failed(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	for (size_t i = 0; i < sim->flows_listed; i++)
		if (sim->flows[i].failed) {
			rt_findings_add(findings, rule, sim->flows[i].from,
					"%llu of %llu flows failed, flow %zu first",
					(unsigned long long)sim->flows_failed,
					(unsigned long long)sim->flow_count, i);
			return;
		}
}

/* The port that dropped most stands for all. */
static void check_drops(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;
	const struct rt_sim_port *worst = NULL;

	for (size_t i = 0; i < sim->port_count; i++)
		if (sim->ports[i].drops &&
		    (!worst || sim->ports[i].drops > worst->drops))
			worst = &sim->ports[i];
	if (worst)
		rt_findings_add(findings, rule, worst->name,
				"%llu frames dropped, %llu of them here; %llu resent",
				(unsigned long long)sim->drops,
				(unsigned long long)worst->drops,
				(unsigned long long)sim->resent);
}

static void check_pause_without_mark(const struct rt_rule *rule, const void *subject,
				     struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	if (sim->pfc_xoff && !sim->marks)
		rt_findings_add(findings, rule, "",
				"%llu XOFF frames, no packet marked",
				(unsigned long long)sim->pfc_xoff);
}

static void check_unfair(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_sim_result *sim = subject;

	if (sim->jain.known && sim->jain.value < 0.8 && sim->flow_count > 1)
		rt_findings_add(findings, rule, "", "Jain index %.3f over %llu flows",
				sim->jain.value, (unsigned long long)sim->flow_count);
}

const struct rt_rule rt_sim_rules[] = {
	{ .id = "sim-bound-hit",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "the bound on events ended the run before its flows",
	  .explain = "Figures describe the part that was simulated.",
	  .remedy = "Simulate fewer or smaller flows, or set a duration.",
	  .check = check_unfinished },
	{ .id = "sim-flow-failed",
	  .severity = RT_SEVERITY_ERROR,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "flows ran out of retries",
	  .explain =
		  "A queue pair goes to the error state when its retry count is used "
		  "up without progress (IBTA 9.9.2).",
	  .remedy = "Find the losses; see drops per port.",
	  .check = check_failed },
	{ .id = "sim-drops",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "switches dropped frames",
	  .explain =
		  "A lossless class drops only when its headroom is too small for what "
		  "is in flight; a lossy class when its share of the buffer is full. "
		  "Each loss costs everything sent after it (go-back-N).",
	  .remedy = "Raise headroom to what `rocetune headroom` gives for the link, or "
		    "lower Kmin so that senders slow down earlier.",
	  .check = check_drops },
	{ .id = "sim-pause-without-mark",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "PFC stopped senders, but ECN never slowed them",
	  .explain = "Congestion control should act before flow control: Kmin is to be "
		     "reached before XOFF (SIGCOMM 2015, section 4).",
	  .remedy = "Lower Kmin, or raise the XOFF threshold.",
	  .check = check_pause_without_mark },
	{ .id = "sim-unfair",
	  .severity = RT_SEVERITY_WARN,
	  .basis = RT_BASIS_OBSERVED,
	  .title = "flows got very different throughputs",
	  .explain = "Jain's index is 1 when all are equal and 1/n when one has all.",
	  .remedy = "Look at the slowest sender: what is its path, who pauses it?",
	  .check = check_unfair },
};

const size_t rt_sim_rule_count = RT_ARRAY_SIZE(rt_sim_rules);
