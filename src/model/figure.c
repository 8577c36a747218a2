/* SPDX-License-Identifier: BSD-2-Clause */
/* figure.c - the kinds of figures, and lists of them. */
#include "model/figure.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/workload.h"
#include "rocetune/err.h"

#define FLOW  (RT_OF_WORKLOAD | RT_OF_PRIO | RT_OF_HOST)
#define QUEUE (RT_OF_PRIO | RT_OF_HOST)

const struct rt_figure_kind rt_figure_kinds[RT_FIGURE_COUNT] = {
	[RT_FIGURE_GOODPUT] = { RT_UNIT_BPS, FLOW },
	[RT_FIGURE_DELIVERED] = { RT_UNIT_BYTES, FLOW },
	[RT_FIGURE_SENT] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_LOST] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_LOSS] = { RT_UNIT_PCT, FLOW },
	[RT_FIGURE_RESENT] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_NAKS] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_TIMEOUTS] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_STOPPED] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_MARKED] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_CNP_TX] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_CNP_RX] = { RT_UNIT_COUNT, FLOW },
	[RT_FIGURE_LATENCY_MIN] = { RT_UNIT_NS, FLOW },
	[RT_FIGURE_LATENCY_MEAN] = { RT_UNIT_NS, FLOW },
	[RT_FIGURE_LATENCY_MAX] = { RT_UNIT_NS, FLOW },
	[RT_FIGURE_JAIN] = { RT_UNIT_RATIO, RT_OF_WORKLOAD },
	[RT_FIGURE_SPREAD] = { RT_UNIT_PCT, RT_OF_WORKLOAD },
	[RT_FIGURE_QUEUE_RATE] = { RT_UNIT_BPS, QUEUE },
	[RT_FIGURE_QUEUE_SHARE] = { RT_UNIT_PCT, QUEUE },
	[RT_FIGURE_QUEUE_DATA] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_QUEUE_ACK] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_QUEUE_CNP] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_QUEUE_CE] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_QUEUE_DROPS] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_PFC_TX] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_PAUSED] = { RT_UNIT_PCT, QUEUE },
	[RT_FIGURE_OFFERED] = { RT_UNIT_BPS, QUEUE },
	[RT_FIGURE_WEIGHT] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_HOST_DATA_RX] = { RT_UNIT_COUNT, QUEUE },
	[RT_FIGURE_HOST_ACK_TX] = { RT_UNIT_COUNT, RT_OF_HOST },
	[RT_FIGURE_HOST_ACK_RX] = { RT_UNIT_COUNT, RT_OF_HOST },
	[RT_FIGURE_HOST_CNP_TX] = { RT_UNIT_COUNT, RT_OF_HOST },
	[RT_FIGURE_HOST_CNP_RX] = { RT_UNIT_COUNT, RT_OF_HOST },
	[RT_FIGURE_CAPACITY] = { RT_UNIT_BPS, RT_OF_HOST },
	[RT_FIGURE_SWITCH_DROPS] = { RT_UNIT_COUNT, 0 },
	[RT_FIGURE_SWITCH_LOSS] = { RT_UNIT_PCT, 0 },
};

const struct rt_name rt_figure_names[] = {
	{ "goodput", RT_FIGURE_GOODPUT, "flow: payload that arrived, over its time" },
	{ "delivered", RT_FIGURE_DELIVERED, "flow: payload that arrived" },
	{ "sent", RT_FIGURE_SENT, "flow: data packets sent, resends too" },
	{ "lost", RT_FIGURE_LOST, "flow: data packets that switches dropped" },
	{ "loss", RT_FIGURE_LOSS, "flow: the same of those sent" },
	{ "resent", RT_FIGURE_RESENT, "flow: data packets sent again" },
	{ "naks", RT_FIGURE_NAKS, "flow: NAKs that reached its sender" },
	{ "timeouts", RT_FIGURE_TIMEOUTS, "flow: times its sender went back" },
	{ "stopped", RT_FIGURE_STOPPED, "flow: 1 when its retries ran out" },
	{ "marked", RT_FIGURE_MARKED, "flow: data packets that arrived with CE" },
	{ "cnp_tx", RT_FIGURE_CNP_TX, "flow: CNPs that its receiver sent" },
	{ "cnp_rx", RT_FIGURE_CNP_RX, "flow: CNPs that reached its sender" },
	{ "latency_min", RT_FIGURE_LATENCY_MIN, "flow: way of a packet" },
	{ "latency_mean", RT_FIGURE_LATENCY_MEAN, "flow: way of a packet on average" },
	{ "latency_max", RT_FIGURE_LATENCY_MAX, "flow: way of a packet at most" },
	{ "jain", RT_FIGURE_JAIN, "workload: Jain's index of goodputs" },
	{ "spread", RT_FIGURE_SPREAD, "workload: (max - min) / max of goodputs" },
	{ "queue_rate", RT_FIGURE_QUEUE_RATE,
	  "switch port to host, priority: bits of its frames, preamble and gap too" },
	{ "queue_share", RT_FIGURE_QUEUE_SHARE, "the same as a share of the link" },
	{ "queue_data", RT_FIGURE_QUEUE_DATA, "the same: data frames" },
	{ "queue_ack", RT_FIGURE_QUEUE_ACK, "the same: ACKs" },
	{ "queue_cnp", RT_FIGURE_QUEUE_CNP, "the same: CNPs" },
	{ "queue_ce", RT_FIGURE_QUEUE_CE, "the same: data frames with CE" },
	{ "queue_drops", RT_FIGURE_QUEUE_DROPS, "the same: frames without room" },
	{ "pfc_tx", RT_FIGURE_PFC_TX,
	  "switch port to host, priority: pause frames sent to it" },
	{ "paused", RT_FIGURE_PAUSED, "the same: of the time the host stood still" },
	{ "offered", RT_FIGURE_OFFERED, "the same: what flows to it would send" },
	{ "weight", RT_FIGURE_WEIGHT, "the same: of its turn; unknown where strict" },
	{ "host_data_rx", RT_FIGURE_HOST_DATA_RX,
	  "host, priority: data frames it received" },
	{ "host_ack_tx", RT_FIGURE_HOST_ACK_TX, "host: ACKs it sent" },
	{ "host_ack_rx", RT_FIGURE_HOST_ACK_RX, "host: ACKs it received" },
	{ "host_cnp_tx", RT_FIGURE_HOST_CNP_TX, "host: CNPs it sent" },
	{ "host_cnp_rx", RT_FIGURE_HOST_CNP_RX, "host: CNPs it received" },
	{ "capacity", RT_FIGURE_CAPACITY, "switch port to host: speed" },
	{ "switch_drops", RT_FIGURE_SWITCH_DROPS, "all switches: frames dropped" },
	{ "switch_loss", RT_FIGURE_SWITCH_LOSS,
	  "all switches: the same of the data frames that hosts sent" },
	{ 0 },
};

_Static_assert(RT_FIGURE_COUNT <= 64, "a mask of figures holds them all");

/* A share by weights is worked out of these. */
#define DWRR_NEEDS                                                            \
	(UINT64_C(1) << RT_FIGURE_OFFERED | UINT64_C(1) << RT_FIGURE_WEIGHT | \
	 UINT64_C(1) << RT_FIGURE_CAPACITY | UINT64_C(1) << RT_FIGURE_QUEUE_RATE)

void rt_figures_init(struct rt_figures *figures, const struct rt_scenario *scenario)
{
	*figures = (struct rt_figures){ 0 };
	for (size_t i = 0; i < scenario->check_count; i++) {
		const struct rt_check_spec *spec = &scenario->checks[i];

		figures->wanted |= UINT64_C(1) << spec->figure;
		for (unsigned k = 0; k < RT_CHECK_RELATIONS; k++)
			if (spec->bounds[k].kind == RT_BOUND_FIGURE)
				figures->wanted |= UINT64_C(1)
						   << spec->bounds[k].figure;
			else if (spec->bounds[k].kind == RT_BOUND_DWRR)
				figures->wanted |= DWRR_NEEDS;
	}
	/* Fairness is worked out of these. */
	if (rt_figures_want(figures, RT_FIGURE_JAIN) ||
	    rt_figures_want(figures, RT_FIGURE_SPREAD))
		figures->wanted |= UINT64_C(1) << RT_FIGURE_GOODPUT;
}

void rt_figures_free(struct rt_figures *figures)
{
	free(figures->items);
	*figures = (struct rt_figures){ 0 };
}

void rt_figures_add(struct rt_figures *figures, const struct rt_figure *of, unsigned id,
		    struct rt_opt_f64 value)
{
	struct rt_figure *grown;

	if (!rt_figures_want(figures, id))
		return;
	grown = rt_grow(figures->items, figures->count, &figures->capacity,
			sizeof(*grown));
	if (!grown) {
		figures->out_of_memory = true;
		return;
	}
	figures->items = grown;
	grown[figures->count] = *of;
	grown[figures->count].id = id;
	grown[figures->count++].value = value;
}

static void add_fairness(struct rt_figures *figures, const char *workload)
{
	struct rt_figure of = { 0 };
	double sum = 0, squares = 0, least = 0, most = 0;
	bool unknown = false;
	size_t count = 0;

	memcpy(of.workload, workload, sizeof(of.workload));
	for (size_t i = 0; i < figures->count; i++) {
		const struct rt_figure *item = &figures->items[i];
		const double value = item->value.value;

		if (item->id != RT_FIGURE_GOODPUT ||
		    strcmp(item->workload, workload) != 0)
			continue;
		unknown |= !item->value.known;
		least = !count || value < least ? value : least;
		most = value > most ? value : most;
		sum += value;
		squares += value * value;
		count++;
	}
	if (count < 2)
		return; /* one alone shares with nobody */
	unknown |= most <= 0;
	rt_figures_add(figures, &of, RT_FIGURE_JAIN,
		       (struct rt_opt_f64){
			       unknown ? 0 : sum * sum / (squares * (double)count),
			       !unknown });
	rt_figures_add(figures, &of, RT_FIGURE_SPREAD,
		       (struct rt_opt_f64){ unknown ? 0 : 100 * (most - least) / most,
					    !unknown });
}

void rt_figures_add_fairness(struct rt_figures *figures,
			     const struct rt_scenario *scenario)
{
	char name[RT_WORKLOAD_NAME_BYTES] = "";

	for (size_t i = 0; i < scenario->workload_count; i++) {
		rt_workload_name(scenario, i, name);
		add_fairness(figures, name);
	}
}
