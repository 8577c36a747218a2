/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_stress.c - any text as what the other side of a stress run says: a job at a
 * rank, or what ranks answer at the root, up to the merged and judged result.  Byte 0
 * chooses which.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/record.h"
#include "base/rng.h"
#include "model/finding.h"
#include "rocetune/err.h"
#include "run/stress_merge.h"
#include "run/stress_plan.h"
#include "run/stress_record.h"
#include "run/stress_rules.h"
#include "traffic/engine.h"
#include "traffic/pace.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#define RANKS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* One look at a flow that began so long ago; nothing is waited for. */
static void see_engine(struct rt_engine *engine, unsigned index, int64_t ago_ns)
{
	const struct rt_engine_ops *ops = engine->ops;
	struct rt_histogram *latency = calloc(1, sizeof(*latency));
	struct rt_qp_totals totals;

	HOLDS(latency);
	ops->begin(engine, rt_monotonic_ns() - ago_ns);
	HOLDS(ops->work(engine, 0, -1, NULL) == 0);
	ops->totals(engine, index, &totals);
	HOLDS(totals.state <= RT_QP_STOPPED);
	ops->latency(engine, index, latency);
	ops->qp_stop(engine, index);
	ops->totals(engine, index, &totals);
	HOLDS(totals.state == RT_QP_DONE);
	free(latency);
}

/* What an engine makes of a flow that passed, and pacing in software as verbs do it. */
static void use_flow(const struct rt_stress_job *job,
		     const struct rt_traffic_flow *flow)
{
	const bool sends = flow->from == job->rank;
	struct rt_qp_address address;
	struct rt_engine *engine;
	struct rt_pace pace;
	struct rt_rng rng;
	unsigned index;

	rt_pace_init(&pace, flow->rate_bps, (int64_t)flow->start_ns, flow->on_ns,
		     flow->off_ns);
	for (int64_t now_ns = 0; now_ns < 4; now_ns++)
		if (rt_pace_next(&pace, (int64_t)flow->start_ns + now_ns) <= now_ns)
			rt_pace_spend(&pace, flow->message_bytes);
	rt_rng_init(&rng, flow->flow, 1);
	for (unsigned i = 0; i < 4; i++)
		HOLDS(rt_traffic_flow_next_bytes(flow, 0, &rng) <=
		      RT_STRESS_MAX_MESSAGE);
	HOLDS(rt_engine_null.open(&job->config, &engine, NULL) == 0);
	if (rt_engine_null.qp_create(engine, flow, sends, &index, &address, NULL) ==
		    0 &&
	    rt_engine_null.qp_connect(engine, index, &address, NULL) == 0)
		see_engine(engine, index, (int64_t)(job->total_ns / 2));
	rt_engine_null.close(engine);
}

static void see_job(const char *text)
{
	struct rt_stress_job job = { 0 };

	if (rt_stress_read("fuzz", text, &rt_stress_job_table, &job, NULL) == 0 &&
	    rt_stress_job_check(&job, NULL) == 0)
		for (size_t i = 0; i < job.flow_count; i++) {
			HOLDS(job.flows[i].from < job.ranks);
			HOLDS(job.flows[i].to < job.ranks);
			HOLDS(job.flows[i].prio < 8 && job.flows[i].dscp < 64);
			HOLDS(job.flows[i].stop_ns <= job.total_ns);
			use_flow(&job, &job.flows[i]);
		}
	rt_record_free(&rt_stress_job_table, &job);
}

/* Shares are shares, and nobody stands outside of the lists. */
static void see_result(const struct rt_stress_result *result)
{
	HOLDS(!result->jain.known ||
	      (result->jain.value >= 0 && result->jain.value <= 1.000001));
	HOLDS(!result->spread.known ||
	      (result->spread.value >= 0 && result->spread.value <= 1));
	HOLDS(result->sender_count <= RANKS && result->receiver_count <= RANKS);
	for (size_t i = 0; i < result->sender_count; i++)
		HOLDS(result->senders[i].rank < RANKS &&
		      strlen(result->senders[i].bars) <
			      sizeof(result->senders[i].bars));
}

static void merge(const struct rt_stress_plan *plan, struct rt_stress_rank *ranks)
{
	struct rt_stress_result result;
	struct rt_findings findings = { 0 };

	HOLDS(rt_stress_merge(plan, ranks, true, &result, NULL) == 0);
	HOLDS(rt_rules_run(rt_stress_rules, rt_stress_rule_count, &result, &findings,
			   NULL) == 0);
	rt_findings_sort(&findings);
	rt_stress_write_verdict(&findings, &result);
	see_result(&result);
	rt_findings_free(&findings);
	rt_stress_result_free(&result);
}

/* All ranks answer the same; for some of them it makes no sense. */
static void see_answers(const char *text, bool ready)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .victim = RT_VICTIM_LOSSY,
					     .senders = RT_KNOWN_U64(2),
					     .lossless = RT_KNOWN_U64(8) };
	struct rt_stress_rank ranks[RANKS] = { 0 };
	struct rt_stress_plan plan;

	HOLDS(rt_stress_plan(&wish, RANKS, &plan, NULL) == 0);
	for (uint32_t i = 0; i < RANKS; i++) {
		struct rt_stress_rank *rank = &ranks[i];

		HOLDS(rt_stress_plan_job(&plan, i, &rank->job, NULL) == 0);
		if (ready) {
			if (rt_stress_read("fuzz", text, &rt_stress_ready_table,
					   &rank->ready, NULL) == 0 &&
			    rt_stress_ready_check(&rank->ready, &rank->job, NULL) < 0)
				rt_record_free(&rt_stress_ready_table, &rank->ready);
			continue;
		}
		if (rt_stress_read("fuzz", text, &rt_stress_report_table, &rank->report,
				   NULL) < 0)
			continue;
		rank->reported = rt_stress_report_check(&rank->report, &rank->job,
							NULL) == 0;
		if (!rank->reported)
			rt_record_free(&rt_stress_report_table, &rank->report);
	}
	merge(&plan, ranks);
	for (uint32_t i = 0; i < RANKS; i++)
		rt_stress_rank_free(&ranks[i]);
	rt_stress_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text;

	if (bytes < 1)
		return 0;
	text = malloc(bytes);
	HOLDS(text);
	memcpy(text, data + 1, bytes - 1);
	text[bytes - 1] = '\0';
	switch (data[0] % 3) {
	case 0: see_job(text); break;
	case 1: see_answers(text, true); break;
	default: see_answers(text, false);
	}
	free(text);
	return 0;
}
