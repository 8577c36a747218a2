/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_sample.c - what a rank looks at every interval, and what it makes of it. */
#include <stdio.h>
#include <string.h>

#include "rocetune/units.h"
#include "run/agent_work.h"

#define NS_PER_S        1000000000.0
#define PAUSED_SHARE    2 /* one part of an interval */
#define PAUSED_STOPS_NS UINT64_C(1000000000)
#define STARVED_NS      5e8 /* no shorter silence is told from a busy host's */
#define VICTIM_MESSAGES 20  /* fewer have no mean worth a stop */

/* --- series ----------------------------------------------------------------------- */

/* Bytes since the last look, evenly on the intervals that have passed since. */
static void add_bytes(const struct rt_agent *agent, struct rt_agent_end *end,
		      uint64_t bytes, uint64_t first, uint64_t count)
{
	const uint64_t delta = bytes > end->sampled_bytes ? bytes - end->sampled_bytes
							  : 0;
	const uint64_t last = agent->series_count - 1;

	end->sampled_bytes = bytes;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t at = first + i < last ? first + i : last;

		end->series[at] += delta / count + (i == 0 ? delta % count : 0);
	}
}

static void take_latency(const struct rt_agent *agent, struct rt_agent_end *end,
			 uint64_t elapsed_ns, uint64_t bytes)
{
	const bool alone = end->alone &&
			   elapsed_ns <=
				   agent->job.alone_ns + agent->job.interval_ns / 2;

	agent->ops->latency(agent->engine, end->index,
			    alone ? end->alone : end->latency);
	if (alone)
		end->alone_bytes = bytes;
}

/* What its transport did since the last look; of several intervals it is the first's. */
static void add_causes(const struct rt_agent *agent, struct rt_agent_end *end,
		       const struct rt_qp_totals *totals)
{
	const uint64_t last = agent->series_count - 1;
	struct rt_stress_cause *to =
		&end->causes[agent->ticks < last ? agent->ticks : last];
	const struct rt_stress_cause now = {
		.losses = totals->data_frames_retransmitted.value +
			  totals->nak_rx.value + totals->timeouts.value,
		.cuts = totals->rate_cuts.value,
		.paused_ns = totals->paused_ns.value,
	};

	to->losses += now.losses - end->before.losses;
	to->cuts += now.cuts - end->before.cuts;
	to->paused_ns += now.paused_ns - end->before.paused_ns;
	end->before = now;
}

void rt_agent_take_health(struct rt_agent *agent, uint64_t first, uint64_t count)
{
	const uint64_t last = agent->series_count - 1;
	struct rt_engine_health health = { 0 };

	if (!agent->engine || !agent->ops->health)
		return;
	agent->ops->health(agent->engine, &health);
	agent->ring_drops = health.ring_drops;
	agent->strays = health.strays;
	if (health.late_max_ns.known &&
	    health.late_max_ns.value >= agent->engine_late_ns.value)
		agent->engine_late_ns = health.late_max_ns;
	for (uint64_t i = 0; i < count; i++)
		agent->away[first + i < last ? first + i : last] +=
			health.away_ns.value / count;
}

/* An interval without its end in time lacks bytes that the one before it has. */
static void add_lateness(struct rt_agent *agent, uint64_t interval, uint64_t late_ns)
{
	const uint64_t last = agent->series_count - 1;

	agent->away[interval < last ? interval : last] += late_ns;
}

void rt_agent_sample(struct rt_agent *agent, uint64_t elapsed_ns)
{
	const uint64_t interval = agent->job.interval_ns;
	const uint64_t passed = elapsed_ns / interval;
	const bool whole = passed > agent->ticks;
	/* What is not a whole interval yet is the last look's. */
	const uint64_t count = whole ? passed - agent->ticks : 1;

	if (whole && elapsed_ns - (agent->ticks + 1) * interval > agent->late_most_ns)
		agent->late_most_ns = elapsed_ns - (agent->ticks + 1) * interval;
	rt_agent_take_health(agent, agent->ticks, count);
	if (whole)
		add_lateness(agent, passed, elapsed_ns - passed * interval);
	for (size_t i = 0; i < agent->job.flow_count; i++) {
		struct rt_agent_end *end = &agent->ends[i];
		struct rt_qp_totals totals;

		if (!end->causes)
			continue;
		agent->ops->totals(agent->engine, end->index, &totals);
		add_causes(agent, end, &totals);
		if (!end->drives)
			continue;
		add_bytes(agent, end, totals.bytes.value, agent->ticks, count);
		take_latency(agent, end, elapsed_ns, totals.bytes.value);
		if (totals.messages.value > end->messages) {
			end->messages = totals.messages.value;
			end->moved_ns = elapsed_ns;
		}
	}
	agent->sampled_ns = elapsed_ns;
	if (whole)
		agent->ticks = passed;
}

void rt_agent_summarise(const struct rt_histogram *histogram,
			struct rt_stress_latency *ret_latency)
{
	const struct rt_opt_f64 mean = rt_histogram_mean(histogram);

	*ret_latency = (struct rt_stress_latency){ .count = histogram->count };
	if (!histogram->count)
		return;
	ret_latency->avg_ns = RT_KNOWN_U64((uint64_t)mean.value);
	ret_latency->min_ns = RT_KNOWN_U64(histogram->min);
	ret_latency->p50_ns = rt_histogram_quantile(histogram, RT_PPB / 2);
	ret_latency->p90_ns = rt_histogram_quantile(histogram, RT_PPB / 10 * 9);
	ret_latency->p99_ns = rt_histogram_quantile(histogram, RT_PPB / 100 * 99);
	ret_latency->p999_ns = rt_histogram_quantile(histogram, RT_PPB / 1000 * 999);
	ret_latency->max_ns = RT_KNOWN_U64(histogram->max);
}

uint64_t rt_stress_gaps(const struct rt_opt_u64 *sequence_errors,
			const struct rt_opt_u64 *naks, const char *error)
{
	/* What the other end refuses; an abort tells of no NAK. */
	const bool refused = strcmp(error, "IBV_WC_REM_INV_REQ_ERR") == 0 ||
			     strcmp(error, "IBV_WC_REM_ACCESS_ERR") == 0 ||
			     strcmp(error, "IBV_WC_REM_OP_ERR") == 0;
	const uint64_t of_gaps = naks->value - (refused && naks->value);

	return sequence_errors->value > of_gaps ? sequence_errors->value : of_gaps;
}

/* --- damage ----------------------------------------------------------------------- */

static bool lost_frames(const struct rt_agent *agent, const struct rt_agent_end *end,
			const struct rt_qp_totals *totals, char why[160])
{
	const unsigned prio = end->flow->prio;
	const uint64_t gaps = rt_stress_gaps(&totals->frame_sequence_error,
					     &totals->nak_rx, totals->error);

	if (!agent->job.lossless.known || !(agent->job.lossless.value >> prio & 1))
		return false;
	if (totals->state == RT_QP_STOPPED)
		snprintf(why, 160, "flow %u of lossless priority %u was stopped: %.40s",
			 end->flow->flow, prio, totals->error);
	else if (gaps)
		snprintf(why, 160, "loss on lossless priority %u: %llu gaps in flow %u",
			 prio, (unsigned long long)gaps, end->flow->flow);
	return gaps || totals->state == RT_QP_STOPPED;
}

/*
 * For more than half of the time since the last look, however long ago that was, and
 * so for a second.  Who receives is judged as well: its ACKs are what stands.
 */
static bool stood_still(const struct rt_agent *agent, struct rt_agent_end *end,
			const struct rt_qp_totals *totals, char why[160])
{
	const uint64_t passed_ns = agent->sampled_ns - agent->judged_ns;
	const uint64_t paused_ns = totals->paused_ns.value > end->paused_ns
					   ? totals->paused_ns.value - end->paused_ns
					   : 0;

	end->paused_ns = totals->paused_ns.value;
	if (!totals->paused_ns.known || paused_ns <= passed_ns / PAUSED_SHARE)
		end->stopped_ns = 0;
	else
		end->stopped_ns += passed_ns;
	if (end->stopped_ns < PAUSED_STOPS_NS)
		return false;
	snprintf(why, 160, "flow %u%s stood paused for more than half of %.3g s",
		 end->flow->flow, end->sends ? "" : ", its receiver,",
		 (double)end->stopped_ns / NS_PER_S);
	return true;
}

/*
 * How long its oldest message has been open at least; 0: not to be told, since it may
 * wait for its turn.
 */
static uint64_t open_ns(const struct rt_agent *agent, const struct rt_agent_end *end)
{
	const struct rt_traffic_flow *flow = end->flow;
	const uint64_t from = end->moved_ns > agent->job.alone_ns ? end->moved_ns
								  : agent->job.alone_ns;

	if (flow->rate_bps || flow->off_ns || agent->sampled_ns <= from)
		return 0;
	return agent->sampled_ns - from;
}

static bool hurts_victim(const struct rt_agent *agent, const struct rt_agent_end *end,
			 char why[160])
{
	const double bound = (double)agent->job.victim_bound_ppb / RT_PPB;
	double slower = 0, alone_ns, waits_ns;

	if (!end->alone || end->alone->count < VICTIM_MESSAGES)
		return false;
	alone_ns = rt_histogram_mean(end->alone).value;
	if (alone_ns < 1)
		return false;
	waits_ns = (double)open_ns(agent, end);
	if (end->latency->count >= VICTIM_MESSAGES)
		slower = rt_histogram_mean(end->latency).value / alone_ns;
	if (slower > bound)
		snprintf(why, 160,
			 "the victim takes %.1f times as long as alone; bound %.3g",
			 slower, bound);
	else if (waits_ns >= STARVED_NS && waits_ns > bound * alone_ns)
		snprintf(
			why, 160,
			"the victim starves: no message was completed for %.3g s, %.3g "
			"times as long as one takes alone; bound %.3g",
			waits_ns / NS_PER_S, waits_ns / alone_ns, bound);
	else
		return false;
	return true;
}

bool rt_agent_damaged(struct rt_agent *agent, char why[160])
{
	bool damaged = false;

	for (size_t i = 0; i < agent->job.flow_count && !damaged; i++) {
		struct rt_agent_end *end = &agent->ends[i];
		struct rt_qp_totals totals;

		agent->ops->totals(agent->engine, end->index, &totals);
		damaged = lost_frames(agent, end, &totals, why) ||
			  stood_still(agent, end, &totals, why) ||
			  hurts_victim(agent, end, why);
	}
	agent->judged_ns = agent->sampled_ns;
	return damaged;
}

/* --- the end ---------------------------------------------------------------------- */

/*
 * Who only answers is done when all has come; where it cannot know that its NIC
 * answers without it.
 */
static bool end_is_done(const struct rt_agent *agent, const struct rt_agent_end *end)
{
	struct rt_qp_totals totals;

	agent->ops->totals(agent->engine, end->index, &totals);
	if (totals.state == RT_QP_STOPPED || totals.state == RT_QP_DONE)
		return true;
	if (end->drives)
		return false;
	return !totals.bytes.known || totals.bytes.value >= end->flow->total_bytes;
}

bool rt_agent_is_settled(const struct rt_agent *agent)
{
	for (size_t i = 0; i < agent->job.flow_count; i++) {
		struct rt_qp_totals totals;

		if (!agent->ends[i].drives)
			continue;
		agent->ops->totals(agent->engine, agent->ends[i].index, &totals);
		if (totals.state == RT_QP_RUNNING)
			return false;
	}
	return true;
}

bool rt_agent_is_done(const struct rt_agent *agent)
{
	for (size_t i = 0; i < agent->job.flow_count; i++)
		if (!agent->ends[i].flow->total_bytes ||
		    !end_is_done(agent, &agent->ends[i]))
			return false;
	return true;
}
