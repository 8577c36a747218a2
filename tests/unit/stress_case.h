/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_case.h - stress runs that never ran: a plan, and reports that a test then
 * changes, merged and judged as a root would.
 */
#ifndef RT_TESTS_STRESS_CASE_H
#define RT_TESTS_STRESS_CASE_H

#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/finding.h"
#include "rocetune/err.h"
#include "run/stress_merge.h"
#include "run/stress_plan.h"
#include "run/stress_rules.h"

#define STRESS_RANKS_MAX 16

struct stress_case {
	struct rt_stress_plan plan;
	struct rt_stress_rank ranks[STRESS_RANKS_MAX];
	struct rt_stress_result result;
	struct rt_findings findings;
};

/* Bytes of an interval of each sender of a sound run. */
#define SOUND_BYTES UINT64_C(12500000) /* 1 Gb/s in 100 ms */

static inline void stress_sound_end(const struct rt_stress_plan *plan,
				    const struct rt_traffic_flow *flow, uint32_t rank,
				    struct rt_stress_end *end)
{
	const size_t count = plan->total_ns / plan->interval_ns;

	end->flow = flow->flow;
	end->sends = flow->from == rank;
	end->totals.state = RT_QP_DONE;
	end->totals.data_frames_retransmitted = RT_KNOWN_U64(0);
	end->totals.frame_sequence_error = RT_KNOWN_U64(0);
	end->totals.nak_rx = end->totals.nak_tx = RT_KNOWN_U64(0);
	end->totals.ecn_ce_rx = RT_KNOWN_U64(end->sends ? 0 : 500);
	end->totals.cnp_tx = RT_KNOWN_U64(end->sends ? 0 : 50);
	end->totals.cnp_rx = RT_KNOWN_U64(end->sends ? 50 : 0);
	end->totals.rate_cuts = RT_KNOWN_U64(end->sends ? 40 : 0);
	end->totals.paused_ns = RT_KNOWN_U64(0);
	end->totals.timeouts = RT_KNOWN_U64(0);
	end->late_bytes = RT_KNOWN_U64(0);
	end->series = calloc(count + 1, sizeof(*end->series));
	assert_non_null(end->series);
	if (!rt_stress_drives(flow, rank))
		return;
	end->series_count = count;
	for (size_t i = flow->start_ns / plan->interval_ns; i < count; i++)
		end->series[i] = flow->victim ? SOUND_BYTES / 100 : SOUND_BYTES;
	end->totals.first_ns = RT_KNOWN_U64(flow->start_ns + 20000);
}

/* After series were changed: totals that fit them. */
static inline void stress_count(struct rt_stress_end *end,
				const struct rt_traffic_flow *flow)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < end->series_count; i++)
		bytes += end->series[i];
	end->totals.bytes = RT_KNOWN_U64(bytes);
	end->totals.messages = RT_KNOWN_U64(bytes / flow->message_bytes);
}

/* A run in which nothing is wrong. */
static inline void stress_sound(const struct rt_stress_wish *wish, uint32_t count,
				struct stress_case *ret_case)
{
	struct rt_err err = { 0 };
	int r;

	assert_true(count <= STRESS_RANKS_MAX);
	*ret_case = (struct stress_case){ 0 };
	r = rt_stress_plan(wish, count, &ret_case->plan, &err);
	print_message("# plan: %s\n", err.msg);
	assert_int_equal(r, 0);
	for (uint32_t i = 0; i < count; i++) {
		struct rt_stress_rank *rank = &ret_case->ranks[i];
		const struct rt_stress_plan *plan = &ret_case->plan;

		snprintf(rank->name, sizeof(rank->name), "n%u", i);
		assert_int_equal(rt_stress_plan_job(plan, i, &rank->job, &err), 0);
		rank->reported = true;
		snprintf(rank->ready.about.engine, sizeof(rank->ready.about.engine),
			 "soft");
		rank->ready.about.speed_bps = RT_KNOWN_U64(10000000000);
		rank->ready.addresses = calloc(rank->job.flow_count + 1,
					       sizeof(*rank->ready.addresses));
		rank->ready.address_count = rank->job.flow_count;
		rank->report.ran_ns = plan->total_ns;
		rank->report.clock_error_ns = RT_KNOWN_U64(5000);
		rank->report.end_count = rank->job.flow_count;
		rank->report.ends = calloc(rank->job.flow_count + 1,
					   sizeof(*rank->report.ends));
		for (size_t k = 0; k < rank->job.flow_count; k++) {
			rank->ready.addresses[k].qpn = 100 * i + (unsigned)k;
			stress_sound_end(plan, &rank->job.flows[k], i,
					 &rank->report.ends[k]);
		}
	}
}

/* The end of a flow at a rank. */
static inline struct rt_stress_end *stress_end(struct stress_case *made, uint32_t rank,
					       uint32_t flow)
{
	struct rt_stress_rank *of = &made->ranks[rank];

	for (size_t i = 0; i < of->job.flow_count; i++)
		if (of->job.flows[i].flow == flow)
			return &of->report.ends[i];
	fail_msg("rank %u has no flow %u", rank, flow);
	return NULL;
}

/* What its transport did, in an interval. */
static inline void stress_add_cause(struct rt_stress_end *end, uint32_t interval,
				    struct rt_stress_cause what)
{
	if (!end->causes)
		end->causes = calloc(32, sizeof(*end->causes));
	assert_non_null(end->causes);
	what.interval = interval;
	end->causes[end->cause_count++] = what;
}

static inline void stress_judge(struct stress_case *made)
{
	struct rt_err err = { 0 };

	for (uint32_t i = 0; i < made->plan.ranks; i++) {
		struct rt_stress_rank *rank = &made->ranks[i];

		for (size_t k = 0; k < rank->job.flow_count; k++)
			if (rt_stress_drives(&rank->job.flows[k], i))
				stress_count(&rank->report.ends[k],
					     &rank->job.flows[k]);
		if (!rank->reported)
			continue;
		assert_int_equal(
			rt_stress_report_check(&rank->report, &rank->job, &err), 0);
	}
	assert_int_equal(
		rt_stress_merge(&made->plan, made->ranks, false, &made->result, &err),
		0);
	assert_int_equal(rt_rules_run(rt_stress_rules, rt_stress_rule_count,
				      &made->result, &made->findings, &err),
			 0);
	rt_findings_sort(&made->findings);
	rt_stress_write_verdict(&made->findings, &made->result);
	made->result.findings = made->findings.items;
	made->result.finding_count = made->findings.count;
	for (size_t i = 0; i < made->findings.count; i++)
		print_message("# %s at %s: %s\n", made->findings.items[i].id,
			      made->findings.items[i].where,
			      made->findings.items[i].evidence);
}

static inline const struct rt_finding *stress_found(const struct stress_case *made,
						    const char *id)
{
	for (size_t i = 0; i < made->findings.count; i++)
		if (strcmp(made->findings.items[i].id, id) == 0)
			return &made->findings.items[i];
	return NULL;
}

static inline void stress_forget(struct stress_case *made)
{
	for (uint32_t i = 0; i < made->plan.ranks; i++)
		rt_stress_rank_free(&made->ranks[i]);
	rt_stress_result_free(&made->result);
	rt_findings_free(&made->findings);
	rt_stress_plan_free(&made->plan);
}

#endif
