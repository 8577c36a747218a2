/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_sample.c - what a rank looks at every interval, and what it makes of it. */
#include <stdio.h>
#include <string.h>

#include "rocetune/units.h"
#include "run/agent_work.h"

#define NS_PER_S        1000000000.0
#define PAUSED_SHARE    2 /* one part of an interval */
#define PAUSED_STOPS_NS UINT64_C(1000000000)
#define VICTIM_MESSAGES 20 /* fewer have no mean worth a stop */

/* --- series ----------------------------------------------------------------------------- */

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

/* An interval without its end in time lacks bytes that the one before it has. */
static void add_away(struct rt_agent *agent, uint64_t first, uint64_t count,
		     uint64_t late_ns)
{
	const uint64_t last = agent->series_count - 1, next = first + count;
	struct rt_engine_health health = { 0 };

	agent->away[next < last ? next : last] += late_ns;
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

void rt_agent_sample(struct rt_agent *agent, uint64_t elapsed_ns)
{
	const uint64_t interval = agent->job.interval_ns;
	const uint64_t passed = elapsed_ns / interval;
	const bool whole = passed > agent->ticks;
	/* What is not a whole interval yet is the last look's. */
	const uint64_t count = whole ? passed - agent->ticks : 1;

	if (whole && elapsed_ns - (agent->ticks + 1) * interval > agent->late_most_ns)
		agent->late_most_ns = elapsed_ns - (agent->ticks + 1) * interval;
	add_away(agent, agent->ticks, count,
		 whole ? elapsed_ns - passed * interval : 0);
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
	}
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

/* --- damage ------------------------------------------------------------------------------- */

static bool lost_frames(const struct rt_agent *agent, const struct rt_agent_end *end,
			const struct rt_qp_totals *totals, char why[160])
{
	const unsigned prio = end->flow->prio;
	const uint64_t gaps = totals->frame_sequence_error.value > totals->nak_rx.value
				      ? totals->frame_sequence_error.value
				      : totals->nak_rx.value;

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

static bool stood_still(const struct rt_agent *agent, struct rt_agent_end *end,
			const struct rt_qp_totals *totals, char why[160])
{
	const uint64_t paused = totals->paused_ns.value - end->paused_ns;

	end->paused_ns = totals->paused_ns.value;
	if (!totals->paused_ns.known || !end->sends ||
	    paused * PAUSED_SHARE <= agent->job.interval_ns)
		end->stopped_ns = 0;
	else
		end->stopped_ns += agent->job.interval_ns;
	if (end->stopped_ns < PAUSED_STOPS_NS)
		return false;
	snprintf(why, 160, "flow %u stood paused for more than half of %.3g s",
		 end->flow->flow, (double)end->stopped_ns / NS_PER_S);
	return true;
}

static bool hurts_victim(const struct rt_agent *agent, const struct rt_agent_end *end,
			 char why[160])
{
	const double bound = (double)agent->job.victim_bound_ppb / RT_PPB;
	double slower;

	if (!end->alone || end->alone->count < VICTIM_MESSAGES ||
	    end->latency->count < VICTIM_MESSAGES)
		return false;
	slower = rt_histogram_mean(end->latency).value /
		 rt_histogram_mean(end->alone).value;
	if (slower <= bound)
		return false;
	snprintf(why, 160, "the victim takes %.1f times as long as alone; bound %.3g",
		 slower, bound);
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
	return damaged;
}

/* --- the end -------------------------------------------------------------------------------- */

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

bool rt_agent_is_done(const struct rt_agent *agent)
{
	for (size_t i = 0; i < agent->job.flow_count; i++)
		if (!agent->ends[i].flow->total_bytes ||
		    !end_is_done(agent, &agent->ends[i]))
			return false;
	return true;
}
