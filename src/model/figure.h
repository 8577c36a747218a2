/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figure.h - what a run measured, as plain numbers that a check can ask for: of which
 * workload, priority and host, whoever ran it.
 *
 * The simulator, the lab and a stress run each fill a list; criteria (model/criteria.h)
 * judge it and know nothing else of the run.
 */
#ifndef RT_MODEL_FIGURE_H
#define RT_MODEL_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "rocetune/scenario.h"

struct rt_err;
struct rt_fabric_config;

/* Which numbers there are; rt_figure_kinds says what each is. */
enum rt_figure_id {
	RT_FIGURE_NONE,
	/* Of a flow; its host is the sender. */
	RT_FIGURE_GOODPUT,
	RT_FIGURE_DELIVERED,
	RT_FIGURE_SENT,
	RT_FIGURE_LOST,
	RT_FIGURE_LOSS,
	RT_FIGURE_RESENT,
	RT_FIGURE_NAKS,
	RT_FIGURE_TIMEOUTS,
	RT_FIGURE_STOPPED,
	RT_FIGURE_MARKED,
	RT_FIGURE_CNP_TX,
	RT_FIGURE_CNP_RX,
	RT_FIGURE_LATENCY_MIN,
	RT_FIGURE_LATENCY_MEAN,
	RT_FIGURE_LATENCY_MAX,
	/* Of all flows of a workload. */
	RT_FIGURE_JAIN,
	RT_FIGURE_SPREAD,
	/* Of a switch's port towards a host, and a priority. */
	RT_FIGURE_QUEUE_RATE,
	RT_FIGURE_QUEUE_SHARE,
	RT_FIGURE_QUEUE_DATA,
	RT_FIGURE_QUEUE_ACK,
	RT_FIGURE_QUEUE_CNP,
	RT_FIGURE_QUEUE_CE,
	RT_FIGURE_QUEUE_DROPS,
	RT_FIGURE_PFC_TX,
	RT_FIGURE_PAUSED,
	/* The same, as scenario and laws have it. */
	RT_FIGURE_OFFERED,
	RT_FIGURE_WEIGHT,
	/* Of a host, by its own counters. */
	RT_FIGURE_HOST_DATA_RX,
	RT_FIGURE_HOST_ACK_TX,
	RT_FIGURE_HOST_ACK_RX,
	RT_FIGURE_HOST_CNP_TX,
	RT_FIGURE_HOST_CNP_RX,
	/* Of a switch's port towards a host, or of all. */
	RT_FIGURE_CAPACITY,
	RT_FIGURE_SWITCH_DROPS,
	RT_FIGURE_SWITCH_LOSS,
	RT_FIGURE_COUNT,
};

/* What a figure is of: bits. */
enum rt_figure_scope {
	RT_OF_WORKLOAD = 1 << 0,
	RT_OF_PRIO = 1 << 1,
	RT_OF_HOST = 1 << 2,
};

struct rt_figure_kind {
	enum rt_unit unit;
	unsigned scope;
};

extern const struct rt_figure_kind rt_figure_kinds[RT_FIGURE_COUNT];
extern const struct rt_name rt_figure_names[]; /* RT_FIGURE_NONE has none */

struct rt_figure {
	unsigned id;                           /* enum rt_figure_id */
	char workload[RT_WORKLOAD_NAME_BYTES]; /* "": of none */
	struct rt_opt_u64 prio, host, flow;    /* unknown: of none */
	struct rt_opt_f64 value; /* in the kind's unit; percentages as such */
};

struct rt_figures {
	struct rt_figure *items; /* owned */
	size_t count, capacity;
	uint64_t wanted; /* bit id: somebody asks for it; others are not kept */
	bool out_of_memory;
};

/* An empty list of what the scenario's checks ask for. */
void rt_figures_init(struct rt_figures *figures, const struct rt_scenario *scenario);
void rt_figures_free(struct rt_figures *figures);

static inline bool rt_figures_want(const struct rt_figures *figures, unsigned id)
{
	return figures->wanted >> id & 1;
}

/* Append *of with this id and value, if it is wanted. */
void rt_figures_add(struct rt_figures *figures, const struct rt_figure *of, unsigned id,
		    struct rt_opt_f64 value);

/*
 * What scenario and laws (complete) say of the ports towards hosts: offered load,
 * weights, capacity.  -ENOMEM.
 */
int rt_figures_add_laws(struct rt_figures *figures, const struct rt_scenario *scenario,
			const struct rt_fabric_config *laws, uint32_t hosts,
			struct rt_err *err);

/*
 * Jain's index and (max - min) / max of the goodputs of each workload in the list;
 * none of fewer than two, unknown where one of them is unknown or all are 0.
 */
void rt_figures_add_fairness(struct rt_figures *figures,
			     const struct rt_scenario *scenario);

#endif
