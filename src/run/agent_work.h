/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_work.h - what the files of a rank share. */
#ifndef RT_RUN_AGENT_WORK_H
#define RT_RUN_AGENT_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "model/counters.h"
#include "run/agent.h"
#include "run/stress_record.h"

/* One end of a flow of this rank. */
struct rt_agent_end {
	const struct rt_traffic_flow *flow; /* of the job */
	unsigned index;                     /* of the engine's queue pair */
	bool sends, drives;
	uint64_t sampled_bytes; /* that stand in series already */
	uint64_t *series;       /* owned; of who drives */
	struct rt_stress_cause
		*causes; /* owned: of each interval; of who drives or sends */
	struct rt_stress_cause before;        /* all of them, up to the last look */
	struct rt_histogram *latency, *alone; /* owned; of who drives; of a victim */
	uint64_t alone_bytes;
	struct rt_opt_u64 timely_bytes; /* when the time of the run was over */
	uint64_t paused_ns;             /* as it was at the last look */
	uint64_t stopped_ns; /* how long it has now been paused most of the time */
	uint64_t messages;   /* completed, at the last sample */
	uint64_t moved_ns;   /* the first sample that saw so many */
};

struct rt_device;
struct rt_kern;
struct rt_lab_nic;

struct rt_agent {
	const struct rt_agent_options *options;
	struct rt_rendezvous *rendezvous; /* borrowed */
	uint32_t rank;
	struct rt_stress_job job;
	bool rejected;   /* the job made no sense; the root was told why */
	bool told_early; /* to stop, before there was traffic: */
	char early_reason[160];
	const struct rt_engine_ops *ops; /* NULL: no engine yet */
	struct rt_engine *engine;
	struct rt_agent_end *ends; /* owned; job.flow_count */
	size_t series_count;
	struct rt_opt_u64 connected; /* by others, before */
	char users[128];
	struct rt_kern *kern;   /* owned, as the next one; NULL: cannot be looked at */
	struct rt_device *port; /* of the engine */
	struct rt_counter_set before, after;
	int64_t looked_ns;      /* at its counters */
	struct rt_lab_nic *nic; /* owned; NULL: not of a lab, or cannot be written */
	struct rt_counter_set published;
	int64_t publish_ns;       /* when it is to be written again */
	int64_t start_ns, end_ns; /* in this host's clock */
	bool over;                /* the time of the run: it ran for so long */
	uint64_t ran_ns;
	uint64_t ticks;                 /* intervals that stand in the series */
	uint64_t sampled_ns, judged_ns; /* into the run: the last of each */
	uint64_t late_most_ns;
	uint64_t *away; /* owned: of each interval, how long this rank was not there */
	struct rt_opt_u64 ring_drops, strays, engine_late_ns;
	uint64_t clock_error_ns;
	bool cut;      /* what was posted and not sent was taken back */
	bool stopping; /* nothing is posted any more */
	bool asked;    /* by this rank */
	char why[160];
};

/*
 * Traffic that was posted may complete for so long; an engine that can takes back the
 * rest.
 */
#define RT_AGENT_DRAIN_NS  INT64_C(400000000)
/*
 * And so much longer while it is sent again, or cannot be taken back, after a run that
 * nothing cut short.
 */
#define RT_AGENT_LINGER_NS INT64_C(2000000000)

/* --- agent_sample.c: what is looked at every interval ----------------------------- */

/* Look at every end: bytes into series, latencies into histograms. */
void rt_agent_sample(struct rt_agent *agent, uint64_t elapsed_ns);

static inline bool rt_agent_is_cause(const struct rt_stress_cause *cause)
{
	return cause->losses || cause->cuts || cause->paused_ns;
}

/* What its engine says of itself since the last time, as of count intervals. */
void rt_agent_take_health(struct rt_agent *agent, uint64_t first, uint64_t count);

/* Whether nothing that this rank posted is under way any more. */
bool rt_agent_is_settled(const struct rt_agent *agent);

/* Whether some end shows damage that is to stop a run; why then is the reason. */
bool rt_agent_damaged(struct rt_agent *agent, char why[160]);

/* Whether all that was to be sent is sent, as far as this rank can know. */
bool rt_agent_is_done(const struct rt_agent *agent);

void rt_agent_summarise(const struct rt_histogram *histogram,
			struct rt_stress_latency *ret_latency);

/* --- agent_engine.c --------------------------------------------------------------- */

/*
 * The engine by name; "": verbs where the config names an RDMA device or this host has
 * one, else soft.  -ENOENT: there is none of that name; what opening its module said.
 */
int rt_agent_engine(const struct rt_agent_options *options, const char *name,
		    const struct rt_engine_ops **ret_ops, struct rt_err *err);

/* --- agent_counters.c ------------------------------------------------------------- */

/* The options' way to a host, else this host. */
int rt_agent_kern(const struct rt_agent_options *options, struct rt_kern **ret_kern,
		  struct rt_err *err);

/* Find the engine's port, and who else uses it; what cannot be told stays unknown. */
void rt_agent_look_around(struct rt_agent *agent);
/* Into set, instead of what it holds; empty when they cannot be read. */
void rt_agent_read_counters(struct rt_agent *agent, struct rt_counter_set *set);
void rt_agent_close_port(struct rt_agent *agent);

/* Begin to write the engine's counters, where a lab wants them. */
void rt_agent_open_nic(struct rt_agent *agent);
/* Write them, if it is time; when it is time again, INT64_MAX: never. */
int64_t rt_agent_publish(struct rt_agent *agent, int64_t now_ns);

/*
 * Whether the port's counters show damage that is to stop a run; looked at once a
 * second, from before to after.
 */
bool rt_agent_port_damaged(struct rt_agent *agent, int64_t now_ns, char why[160]);

/* The same of what it counted since the start, and since the last look: pure. */
bool rt_agent_judge_port(const struct rt_agent *agent, const struct rt_counter_set *all,
			 const struct rt_counter_set *since, char why[160]);

#endif
