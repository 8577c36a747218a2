/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "base/record.h"
#include "model/criteria.h"
#include "model/finding.h"
#include "rocetune/err.h"
#include "run/agent.h"
#include "run/stress_figures.h"
#include "run/stress_merge.h"
#include "run/stress_plan.h"
#include "run/stress_rates.h"
#include "run/stress_record.h"
#include "run/stress_rules.h"
#include "traffic/rendezvous.h"

#define NS_PER_S     INT64_C(1000000000)
#define NS_PER_MS    INT64_C(1000000)
#define STEP_NS      (30 * NS_PER_S) /* that ranks have for a step */
#define LEAD_NS      (200 * NS_PER_MS)
#define LEAD_RANK_NS (NS_PER_MS / 2) /* more for each rank to hear of the start */
/* After its end: above the silence after which a rank is lost, and what may linger. */
#define REPORT_NS    (15 * NS_PER_S)
#define LOOK_NS      (100 * NS_PER_MS)

struct stress {
	struct rt_rendezvous *rendezvous;
	const struct rt_stress_wish *wish;
	const struct rt_stress_watch *watch;
	struct rt_stress_plan plan;
	struct rt_stress_rank *ranks; /* owned; size of them */
	uint32_t size;
	struct rt_agent *own; /* of rank 0; NULL: the root is none */
	int64_t start_ns;
	bool stopped; /* this root has asked for it */
};

/* The result comes first, so that its table describes the whole. */
struct stress_outcome {
	struct rt_stress_result result;
	struct rt_findings findings;
	struct rt_criteria criteria;
};

static void release(void *object)
{
	struct stress_outcome *outcome = object;

	rt_stress_result_free(&outcome->result);
	rt_findings_free(&outcome->findings);
	rt_criteria_free(&outcome->criteria);
	free(outcome);
}

static bool is_cancelled(const struct stress *stress)
{
	return stress->watch && stress->watch->cancelled && *stress->watch->cancelled;
}

/* Between records, which take a while where there are many flows: ranks wait for us. */
static void keep_alive(const struct stress *stress)
{
	struct rt_rendezvous_news news = { 0 };

	if (stress->own)
		rt_agent_keep_alive(stress->own);
	else
		(void)stress->rendezvous->ops->poll(stress->rendezvous, &news, NULL);
}

/* --- one step: a text to each, an answer of each ---------------------------------- */

static int texts_new(const struct stress *stress, struct rt_texts *ret_texts,
		     struct rt_err *err)
{
	struct rt_texts texts = { .count = stress->size };

	texts.items = calloc(stress->size + 1, sizeof(*texts.items));
	if (!texts.items)
		return rt_err_sys(err, -ENOMEM, "cannot hold the texts of %u hosts",
				  stress->size);
	*ret_texts = texts;
	return 0;
}

/* Tell all; *ret_mine is what this process is told as a rank, NULL when it is none. */
static int tell(const struct stress *stress, const struct rt_texts *texts,
		char **ret_mine, struct rt_err *err)
{
	return stress->rendezvous->ops->scatter(
		stress->rendezvous, texts, rt_monotonic_ns() + STEP_NS, ret_mine, err);
}

/* Tell all, and hear all; what this process says as a rank comes of step. */
static int exchange(const struct stress *stress, const struct rt_texts *texts,
		    int (*step)(struct rt_agent *, const char *, char **,
				struct rt_err *),
		    struct rt_texts *ret_answers, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *mine = NULL;
	RT_AUTO(rt_auto_free) char *said = NULL;
	int r = tell(stress, texts, &mine, err);

	if (r == 0 && stress->own)
		r = step(stress->own, mine ? mine : "", &said, err);
	if (r < 0)
		return r;
	return stress->rendezvous->ops->gather(stress->rendezvous, said,
					       rt_monotonic_ns() + STEP_NS, ret_answers,
					       err);
}

/* Every rank gets the same record: why there is no run, or when it starts. */
static int tell_same(const struct stress *stress, const struct rt_table *table,
		     const void *record, char **ret_mine, struct rt_err *err)
{
	struct rt_texts texts;
	int r = texts_new(stress, &texts, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < stress->size && r == 0; i++) {
		r = rt_stress_write(table, record, &texts.items[i], err);
		keep_alive(stress);
	}
	if (r == 0)
		r = tell(stress, &texts, ret_mine, err);
	rt_texts_free(&texts);
	return r;
}

/* --- calling it off --------------------------------------------------------------- */

/* What comes next to the ranks, so that they hear of it in their place. */
enum next_word {
	NEXT_JOB,
	NEXT_PEERS,
	NEXT_START,
};

/* Ranks must not wait for what will not come; returns r. */
static int call_off(const struct stress *stress, enum next_word next, int r,
		    const struct rt_err *why)
{
	struct rt_stress_job job = { 0 };
	struct rt_stress_peers peers = { 0 };
	struct rt_stress_start start = { 0 };
	const struct {
		const struct rt_table *table;
		void *record;
		char *refused;
	} words[] = {
		[NEXT_JOB] = { &rt_stress_job_table, &job, job.refused },
		[NEXT_PEERS] = { &rt_stress_peers_table, &peers, peers.refused },
		[NEXT_START] = { &rt_stress_start_table, &start, start.refused },
	};
	char *mine = NULL;

	if (r >= 0 || r == -ECONNRESET)
		return r;
	snprintf(words[next].refused, sizeof(job.refused), "%.*s",
		 (int)sizeof(job.refused) - 1, *why->msg ? why->msg : "called off");
	tell_same(stress, words[next].table, words[next].record, &mine, NULL);
	free(mine);
	return r;
}

/* --- jobs ------------------------------------------------------------------------- */

static int make_ranks(struct stress *stress, struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = stress->rendezvous;
	int r = 0;

	for (uint32_t i = 0; i < stress->size && r == 0; i++) {
		const char *name = rendezvous->ops->rank_name(rendezvous, i);

		snprintf(stress->ranks[i].name, sizeof(stress->ranks[i].name), "%.63s",
			 name ? name : "");
		r = rt_stress_plan_job(&stress->plan, i, &stress->ranks[i].job, err);
		keep_alive(stress);
	}
	return r;
}

static int take_ready(struct stress *stress, uint32_t i, const char *text,
		      struct rt_err *err)
{
	struct rt_stress_rank *rank = &stress->ranks[i];
	struct rt_err why = { 0 };
	int r;

	if (!text)
		return rt_err_set(err, -EPIPE, "%s was lost before the start",
				  rank->name);
	r = rt_stress_read(rank->name, text, &rt_stress_ready_table, &rank->ready, err);
	if (r == 0 && rt_stress_ready_check(&rank->ready, &rank->job, &why) < 0)
		return rt_err_set(err, -EPROTO, "%s: %s", rank->name, why.msg);
	if (r == 0 && *rank->ready.failed)
		return rt_err_set(err, -ENODEV, "%s: %s", rank->name,
				  rank->ready.failed);
	return r;
}

/* Ports that carry others' connections are left alone. */
static int check_use(const struct stress *stress, struct rt_err *err)
{
	if (stress->wish->disrupt)
		return 0;
	for (uint32_t i = 0; i < stress->size; i++) {
		const struct rt_stress_rank *rank = &stress->ranks[i];

		if (rank->ready.connected.value)
			return rt_err_set(
				err, -EBUSY,
				"%s: %llu RDMA connections of others are in "
				"use on %s (%s), and this traffic would stop "
				"them, too: --disrupt to do it all the same",
				rank->name,
				(unsigned long long)rank->ready.connected.value,
				rank->ready.about.device,
				*rank->ready.users ? rank->ready.users
						   : "by whom is not told");
	}
	return 0;
}

static int hand_out_jobs(struct stress *stress, struct rt_err *err)
{
	struct rt_texts texts, answers = { 0 };
	int r = texts_new(stress, &texts, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < stress->size && r == 0; i++) {
		r = rt_stress_write(&rt_stress_job_table, &stress->ranks[i].job,
				    &texts.items[i], err);
		keep_alive(stress);
	}
	if (r == 0)
		r = exchange(stress, &texts, rt_agent_prepare, &answers, err);
	for (uint32_t i = 0; i < stress->size && r == 0; i++) {
		r = take_ready(stress, i, answers.items[i], err);
		keep_alive(stress);
	}
	rt_texts_free(&texts);
	rt_texts_free(&answers);
	if (r == 0)
		r = rt_stress_heed_links(&stress->plan, stress->ranks, err);
	return r < 0 ? r : check_use(stress, err);
}

/* --- peers ------------------------------------------------------------------------ */

/* By flow: the address of its sender's end and of its receiver's; owned by ready. */
struct pair {
	const struct rt_qp_address *from, *to;
};

static void pair_up(const struct stress *stress, struct pair *pairs)
{
	for (uint32_t i = 0; i < stress->size; i++) {
		const struct rt_stress_rank *rank = &stress->ranks[i];

		for (size_t k = 0; k < rank->job.flow_count; k++) {
			const struct rt_traffic_flow *flow = &rank->job.flows[k];
			struct pair *pair = &pairs[flow->flow];

			*(flow->from == i ? &pair->from
					  : &pair->to) = &rank->ready.addresses[k];
		}
	}
}

static int write_peers(const struct rt_stress_rank *rank, uint32_t number,
		       const struct pair *pairs, char **ret_text, struct rt_err *err)
{
	struct rt_stress_peers peers = { .address_count = rank->job.flow_count };
	int r;

	peers.addresses = calloc(rank->job.flow_count + 1, sizeof(*peers.addresses));
	if (!peers.addresses)
		return rt_err_sys(err, -ENOMEM, "cannot hold addresses");
	for (size_t k = 0; k < rank->job.flow_count; k++) {
		const struct rt_traffic_flow *flow = &rank->job.flows[k];
		const struct pair *pair = &pairs[flow->flow];

		peers.addresses[k] = flow->from == number ? *pair->to : *pair->from;
	}
	r = rt_stress_write(&rt_stress_peers_table, &peers, ret_text, err);
	free(peers.addresses);
	return r;
}

static int take_connected(const struct rt_stress_rank *rank, const char *text,
			  struct rt_err *err)
{
	struct rt_stress_connected connected;
	int r;

	if (!text)
		return rt_err_set(err, -EPIPE, "%s was lost before the start",
				  rank->name);
	r = rt_stress_read(rank->name, text, &rt_stress_connected_table, &connected,
			   err);
	if (r == 0 && *connected.failed)
		return rt_err_set(err, -ENOTCONN, "%s: %s", rank->name,
				  connected.failed);
	return r;
}

static int introduce(struct stress *stress, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct pair *pairs = NULL;
	struct rt_texts texts, answers = { 0 };
	int r = texts_new(stress, &texts, err);

	if (r < 0)
		return r;
	pairs = calloc(stress->plan.flow_count + 1, sizeof(*pairs));
	if (!pairs)
		r = rt_err_sys(err, -ENOMEM, "cannot hold addresses");
	else
		pair_up(stress, pairs);
	for (uint32_t i = 0; i < stress->size && r == 0; i++) {
		r = write_peers(&stress->ranks[i], i, pairs, &texts.items[i], err);
		keep_alive(stress);
	}
	if (r == 0)
		r = exchange(stress, &texts, rt_agent_connect, &answers, err);
	for (uint32_t i = 0; i < stress->size && r == 0; i++) {
		r = take_connected(&stress->ranks[i], answers.items[i], err);
		keep_alive(stress);
	}
	rt_texts_free(&texts);
	rt_texts_free(&answers);
	return r;
}

/* --- traffic ---------------------------------------------------------------------- */

static int start_all(struct stress *stress, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *mine = NULL;
	const struct rt_stress_start start = {
		.start_ns = rt_monotonic_ns() + LEAD_NS + stress->size * LEAD_RANK_NS,
	};
	int r = tell_same(stress, &rt_stress_start_table, &start, &mine, err);

	stress->start_ns = start.start_ns;
	if (r == 0 && stress->own)
		r = rt_agent_start(stress->own, mine ? mine : "", stress->rendezvous,
				   err);
	return r;
}

static void tell_progress(const struct stress *stress, uint32_t lost)
{
	const int64_t elapsed_ns = rt_monotonic_ns() - stress->start_ns;

	if (stress->watch && stress->watch->progress)
		stress->watch->progress(stress->watch->user,
					elapsed_ns > 0 ? (uint64_t)elapsed_ns : 0,
					stress->plan.total_ns, lost);
}

static void own_tick(void *user, uint64_t elapsed_ns)
{
	(void)elapsed_ns;
	tell_progress((const struct stress *)user, 0);
}

/* Hear what there is, and pass on that the user has had enough. */
static int look_round(struct stress *stress, struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = stress->rendezvous;
	struct rt_rendezvous_news news = { 0 };
	int r = rendezvous->ops->poll(rendezvous, &news, err);

	if (is_cancelled(stress) && !stress->stopped) {
		stress->stopped = true;
		rendezvous->ops->stop(rendezvous, "interrupted", NULL);
	}
	tell_progress(stress, news.lost);
	return r;
}

/*
 * From the start on a rank that does not answer costs its own part of the report, never
 * that of the others: at the deadline it is lost.
 */
static int gather_all_the_same(const struct stress *stress, const char *mine,
			       int64_t until_ns, struct rt_texts *ret_texts,
			       struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = stress->rendezvous;
	int r = stress->own
			? rt_agent_gather(stress->own, mine, until_ns, ret_texts, err)
			: rendezvous->ops->gather(rendezvous, mine, until_ns, ret_texts,
						  err);

	if (r != -ETIMEDOUT || !rendezvous->ops->give_up)
		return r;
	r = rendezvous->ops->give_up(rendezvous, err);
	return r < 0 ? r
		     : rendezvous->ops->gather(rendezvous, mine, until_ns, ret_texts,
					       err);
}

/* A root that is no rank waits for the ends, and looks round meanwhile. */
static int await_ends(struct stress *stress, struct rt_texts *ret_ends,
		      struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = stress->rendezvous;
	const int64_t last_ns = stress->start_ns + (int64_t)stress->plan.total_ns +
				REPORT_NS;
	int r;

	for (;;) {
		const int64_t now_ns = rt_monotonic_ns();

		r = rendezvous->ops->gather(rendezvous, NULL, now_ns + LOOK_NS,
					    ret_ends, err);
		if (r != -ETIMEDOUT && r != -EINTR)
			return r;
		if (now_ns > last_ns)
			return gather_all_the_same(stress, NULL, now_ns, ret_ends, err);
		r = look_round(stress, err);
		if (r < 0)
			return r;
	}
}

/* As a rank: work, then answer the others until they have ended. */
static int own_end(struct stress *stress, struct rt_texts *ret_ends, struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = stress->rendezvous;
	const struct rt_stress_connected ended = { 0 };
	RT_AUTO(rt_auto_free) char *mine = NULL;
	int r = rt_agent_work(stress->own, rendezvous, own_tick, stress, err);

	if (r == 0)
		r = rt_stress_write(&rt_stress_connected_table, &ended, &mine, err);
	if (r < 0)
		return r;
	return gather_all_the_same(stress, mine,
				   stress->start_ns + (int64_t)stress->plan.total_ns +
					   REPORT_NS,
				   ret_ends, err);
}

/* When all have ended, all are told to report, and do. */
static int collect(struct stress *stress, struct rt_texts *ret_reports,
		   struct rt_err *err)
{
	struct rt_rendezvous *rendezvous = stress->rendezvous;
	RT_AUTO(rt_auto_free) char *mine = NULL;
	RT_AUTO(rt_auto_free) char *report = NULL;
	const struct rt_stress_start go_on = { 0 };
	struct rt_texts ends = { 0 };
	int r = stress->own ? own_end(stress, &ends, err)
			    : await_ends(stress, &ends, err);

	rt_texts_free(&ends);
	if (r == 0)
		r = tell_same(stress, &rt_stress_start_table, &go_on, &mine, err);
	if (r == -ETIMEDOUT && rendezvous->ops->give_up) {
		free(rt_steal(&mine));
		r = rendezvous->ops->give_up(rendezvous, err);
	}
	if (r == 0 && stress->own)
		r = rt_agent_report(stress->own, rendezvous, &report, err);
	if (r < 0)
		return r;
	return gather_all_the_same(stress, report, rt_monotonic_ns() + REPORT_NS,
				   ret_reports, err);
}

/* A report that makes no sense is as good as none, and the run goes on without. */
static void take_report(struct rt_stress_rank *rank, const char *text)
{
	struct rt_err why = { 0 };
	int r;

	if (!text) {
		snprintf(rank->lost, sizeof(rank->lost),
			 "it was lost during the run, or did not answer in time");
		return;
	}
	r = rt_stress_read(rank->name, text, &rt_stress_report_table, &rank->report,
			   &why);
	if (r == 0) {
		r = rt_stress_report_check(&rank->report, &rank->job, &why);
		if (r < 0)
			rt_record_free(&rt_stress_report_table, &rank->report);
	}
	rank->reported = r == 0;
	if (r < 0)
		snprintf(rank->lost, sizeof(rank->lost),
			 "its report was refused: %.130s", why.msg);
}

static int traffic(struct stress *stress, struct rt_err *err)
{
	struct rt_texts reports = { 0 };
	const struct rt_stress_start bye = { 0 };
	char *mine = NULL;
	int r = collect(stress, &reports, err);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < stress->size; i++) {
		take_report(&stress->ranks[i], reports.items[i]);
		keep_alive(stress);
	}
	rt_texts_free(&reports);
	/* Ranks may close now; a rank that cannot be told has closed. */
	tell_same(stress, &rt_stress_start_table, &bye, &mine, NULL);
	free(mine);
	return 0;
}

/* --- the whole -------------------------------------------------------------------- */

/* By the scenario's own checks, if it has any. */
static int judge_checks(const struct rt_stress_plan *plan,
			struct stress_outcome *outcome, struct rt_err *err)
{
	struct rt_stress_result *result = &outcome->result;
	struct rt_criteria *criteria = &outcome->criteria;
	const struct rt_stress_ran ran = { &plan->scenario, &plan->laws, plan->ranks,
					   plan->slower };
	struct rt_figures figures;
	int r;

	if (!plan->scenario.check_count || plan->checks_later)
		return 0;
	rt_figures_init(&figures, &plan->scenario);
	r = rt_stress_figures(&ran, result, &figures, err);
	if (r == 0)
		r = rt_criteria_find(&plan->scenario, &figures, criteria,
				     &outcome->findings, err);
	rt_figures_free(&figures);
	if (r == 0)
		result->checks = rt_criteria_told(criteria);
	return r;
}

static int judge(const struct stress *stress, struct rt_outcome *ret_outcome,
		 struct rt_err *err)
{
	struct stress_outcome *outcome = calloc(1, sizeof(*outcome));
	int r;

	if (!outcome)
		return rt_err_sys(err, -ENOMEM, "cannot hold the result");
	r = rt_stress_merge(&stress->plan, stress->ranks, stress->wish->utf8,
			    &outcome->result, err);
	if (r == 0)
		r = rt_rules_run(rt_stress_rules, rt_stress_rule_count,
				 &outcome->result, &outcome->findings, err);
	if (r == 0)
		r = judge_checks(&stress->plan, outcome, err);
	if (r < 0) {
		release(outcome);
		return r;
	}
	rt_findings_sort(&outcome->findings);
	rt_stress_write_verdict(&outcome->findings, &outcome->result);
	outcome->result.findings = outcome->findings.items;
	outcome->result.finding_count = outcome->findings.count;
	*ret_outcome = (struct rt_outcome){ .table = &rt_stress_table,
					    .object = outcome,
					    .findings = &outcome->findings,
					    .release = release };
	return 0;
}

static int run(struct stress *stress, struct rt_err *err)
{
	int r = rt_stress_plan(stress->wish, stress->size, &stress->plan, err);

	if (r == 0)
		r = make_ranks(stress, err);
	if (r < 0)
		return call_off(stress, NEXT_JOB, r, err);
	r = hand_out_jobs(stress, err);
	if (r < 0)
		return call_off(stress, NEXT_PEERS, r, err);
	r = introduce(stress, err);
	if (r == 0 && is_cancelled(stress))
		r = rt_err_set(err, -EINTR, "interrupted before the start");
	if (r < 0)
		return call_off(stress, NEXT_START, r, err);
	r = start_all(stress, err);
	return r < 0 ? r : traffic(stress, err);
}

int rt_run_stress(struct rt_rendezvous *rendezvous, const struct rt_stress_asked *asked,
		  struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct stress stress = { .rendezvous = rendezvous,
				 .wish = asked->wish,
				 .watch = asked->watch,
				 .size = rendezvous->size };
	struct rt_err why = { 0 }; /* call_off() needs words */
	int r = 0;

	stress.ranks = calloc((size_t)stress.size + 1, sizeof(*stress.ranks));
	if (!stress.ranks)
		return rt_err_sys(err, -ENOMEM, "cannot hold %u hosts", stress.size);
	if (asked->own)
		r = rt_agent_new(asked->own, rendezvous, &stress.own, &why);
	if (r == 0)
		r = run(&stress, &why);
	if (r == 0)
		r = judge(&stress, ret_outcome, &why);
	for (uint32_t i = 0; i < stress.size; i++)
		rt_stress_rank_free(&stress.ranks[i]);
	free(stress.ranks);
	rt_agent_free(stress.own);
	rt_stress_plan_free(&stress.plan);
	return r < 0 ? rt_err_set(err, r, "%s", why.msg) : 0;
}
