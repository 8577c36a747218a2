/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_counters.c - the port under the engine: who else uses it, what it counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/counters.h"
#include "host/device.h"
#include "kern/kern.h"
#include "lab/lab_nic.h"
#include "rocetune/err.h"
#include "run/agent_work.h"
#include "traffic/engine.h"

#define LOOK_EVERY_NS INT64_C(1000000000)
#define PAUSED_SHARE  2 /* one part of the time between two looks */

int rt_agent_kern(const struct rt_agent_options *options, struct rt_kern **ret_kern,
		  struct rt_err *err)
{
	if (options->kern_open)
		return options->kern_open(options->kern_context, ret_kern, err);
	return rt_kern_open_live(ret_kern, err);
}

/* What cannot be read stays unknown; the traffic does not depend on it. */
void rt_agent_look_around(struct rt_agent *agent)
{
	struct rt_engine_about about = { 0 };
	struct rt_device device = { 0 };
	struct rt_rdma_use use;
	const char *name;

	agent->ops->about(agent->engine, &about);
	name = *about.device ? about.device : about.netdev;
	if (!*name || rt_agent_kern(agent->options, &agent->kern, NULL) < 0)
		return;
	if (*about.device &&
	    agent->kern->ops->rdma_use(agent->kern, about.device, &use, NULL) == 0) {
		agent->connected = RT_KNOWN_U64(use.connected);
		snprintf(agent->users, sizeof(agent->users), "%s", use.who);
	}
	if (rt_counters_port(agent->kern, name, &device, NULL) < 0)
		return;
	agent->port = malloc(sizeof(*agent->port));
	if (agent->port)
		*agent->port = device;
}

/* What cannot be read is unknown, and not what an earlier look saw. */
void rt_agent_read_counters(struct rt_agent *agent, struct rt_counter_set *set)
{
	struct rt_counter_set now = { 0 };

	rt_counter_set_free(set);
	*set = (struct rt_counter_set){ 0 };
	if (agent->port && rt_counters_read(agent->kern, agent->port, &now, NULL) == 0)
		*set = now;
}

void rt_agent_close_port(struct rt_agent *agent)
{
	rt_lab_nic_close(agent->nic);
	rt_counter_set_free(&agent->published);
	rt_counter_set_free(&agent->before);
	rt_counter_set_free(&agent->after);
	free(agent->port);
	if (agent->kern)
		rt_kern_close(agent->kern);
}

/* --- in a lab --------------------------------------------------------------------- */

/* Who watches sees that there are none; the traffic does not depend on it. */
void rt_agent_open_nic(struct rt_agent *agent)
{
	const struct rt_agent_options *options = agent->options;

	if (options->lab_folder && options->lab_host && agent->ops->counters)
		(void)rt_lab_nic_open(options->lab_folder, options->lab_host,
				      &agent->nic, NULL);
	agent->publish_ns = 0;
	rt_agent_publish(agent, rt_monotonic_ns());
}

int64_t rt_agent_publish(struct rt_agent *agent, int64_t now_ns)
{
	if (!agent->nic || !agent->engine)
		return INT64_MAX;
	if (now_ns < agent->publish_ns)
		return agent->publish_ns;
	if (agent->ops->counters(agent->engine, &agent->published) == 0)
		rt_lab_nic_write(agent->nic, &agent->published);
	agent->publish_ns = now_ns + RT_LAB_PUBLISH_NS;
	return agent->publish_ns;
}

/* --- damage ----------------------------------------------------------------------- */

static uint64_t rise(const struct rt_counter_set *set, enum rt_counter_id id,
		     unsigned prio)
{
	return rt_counter_value(set, id, prio).value;
}

static bool find_discards(const struct rt_agent *agent,
			  const struct rt_counter_set *since, char why[160])
{
	for (unsigned prio = 0; prio < 8; prio++) {
		const uint64_t lost = rise(since, RT_COUNTER_RX_DISCARDS, prio) +
				      rise(since, RT_COUNTER_RX_BUFFER_DISCARDS, prio);

		if (!(agent->job.lossless.value >> prio & 1) || !lost)
			continue;
		snprintf(why, 160,
			 "the NIC discarded %llu frames of lossless priority %u",
			 (unsigned long long)lost, prio);
		return true;
	}
	return false;
}

/*
 * What queue pairs do not tell, of the port: lost where all of them are of lossless
 * priorities, since a port does not say whose gap it was.
 */
static bool find_gaps(const struct rt_agent *agent, const struct rt_counter_set *since,
		      char why[160])
{
	const uint64_t missed =
		rt_counter_total(since, RT_COUNTER_OUT_OF_SEQUENCE).value;
	const uint64_t naks = rt_counter_total(since, RT_COUNTER_SEQ_NAKS_RX).value;

	if (!(missed | naks) || !agent->job.flow_count || !agent->job.lossless.known)
		return false;
	for (size_t i = 0; i < agent->job.flow_count; i++) {
		const struct rt_agent_end *end = &agent->ends[i];
		struct rt_qp_totals totals;

		agent->ops->totals(agent->engine, end->index, &totals);
		if (totals.frame_sequence_error.known || totals.nak_rx.known ||
		    !(agent->job.lossless.value >> end->flow->prio & 1))
			return false;
	}
	snprintf(why, 160,
		 "loss on a lossless priority: the port counted %llu frames out of "
		 "order and %llu NAKs for gaps",
		 (unsigned long long)missed, (unsigned long long)naks);
	return true;
}

static bool find_storm(const struct rt_counter_set *since, char why[160])
{
	const struct rt_opt_u64 storms = rt_counter_total(since,
							  RT_COUNTER_STORM_EVENTS);

	if (storms.value)
		snprintf(why, 160, "the NIC's pause storm watchdog acted %llu times",
			 (unsigned long long)storms.value);
	return storms.value > 0;
}

/*
 * Either end's port: a sender's stops its data, a receiver's its ACKs, and without these
 * the senders' retries run out.
 */
static bool find_standstill(const struct rt_counter_set *since, char why[160])
{
	if (since->elapsed_ns < LOOK_EVERY_NS)
		return false;
	for (unsigned prio = 0; prio < 8; prio++) {
		const uint64_t paused = rise(since, RT_COUNTER_PFC_RX_NS, prio);
		const double pct = (double)paused * 100 / (double)since->elapsed_ns;

		if (pct <= 100.0 / PAUSED_SHARE)
			continue;
		snprintf(why, 160,
			 "priority %u was paused by its peer for %.0f%% of %.3g s",
			 prio, pct < 100 ? pct : 100, (double)since->elapsed_ns / 1e9);
		return true;
	}
	return false;
}

bool rt_agent_judge_port(const struct rt_agent *agent, const struct rt_counter_set *all,
			 const struct rt_counter_set *since, char why[160])
{
	return find_discards(agent, all, why) || find_gaps(agent, all, why) ||
	       find_storm(all, why) || find_standstill(since, why);
}

bool rt_agent_port_damaged(struct rt_agent *agent, int64_t now_ns, char why[160])
{
	struct rt_counter_set since = { 0 }, all = { 0 };
	struct rt_counter_set last = agent->after;
	bool damaged;

	if (!agent->port || now_ns - agent->looked_ns < LOOK_EVERY_NS)
		return false;
	agent->looked_ns = now_ns;
	agent->after = (struct rt_counter_set){ 0 };
	rt_agent_read_counters(agent, &agent->after);
	/* The first look is since the start. */
	rt_counters_diff(last.count ? &last : &agent->before, &agent->after, &since,
			 NULL);
	rt_counters_diff(&agent->before, &agent->after, &all, NULL);
	damaged = rt_agent_judge_port(agent, &all, &since, why);
	rt_counter_set_free(&last);
	rt_counter_set_free(&since);
	rt_counter_set_free(&all);
	return damaged;
}
