/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/sim_figures.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/fabric_config.h"
#include "model/figure.h"
#include "model/topology.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"
#include "rocetune/sim.h"

/* Hosts are called h0, h1, ...; anything else is a switch's port. */
static struct rt_opt_u64 host_of(const char *name)
{
	unsigned number;

	if (*name != 'h' || sscanf(name + 1, "%u", &number) != 1)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(number);
}

static struct rt_opt_f64 count(uint64_t number)
{
	return RT_KNOWN_F64((double)number);
}

static struct rt_opt_f64 maybe(const struct rt_opt_u64 *number)
{
	return (struct rt_opt_f64){ (double)number->value, number->known };
}

static void add_flow(struct rt_figures *figures, const struct rt_sim_flow *flow)
{
	struct rt_figure of = { .prio = flow->prio,
				.host = host_of(flow->from),
				.flow = RT_KNOWN_U64(flow->flow) };
	const struct {
		unsigned id;
		struct rt_opt_f64 value;
	} rows[] = {
		{ RT_FIGURE_GOODPUT, count(flow->throughput_bps) },
		{ RT_FIGURE_DELIVERED, count(flow->delivered_bytes) },
		{ RT_FIGURE_SENT, count(flow->packets_sent) },
		{ RT_FIGURE_LOST, count(flow->lost) },
		{ RT_FIGURE_LOSS, flow->loss_pct },
		{ RT_FIGURE_RESENT, count(flow->resent) },
		{ RT_FIGURE_NAKS, count(flow->naks) },
		{ RT_FIGURE_TIMEOUTS, count(flow->timeouts) },
		{ RT_FIGURE_STOPPED, count(flow->failed) },
		{ RT_FIGURE_MARKED, count(flow->marked) },
		{ RT_FIGURE_CNP_TX, count(flow->cnps_sent) },
		{ RT_FIGURE_CNP_RX, count(flow->cnps_received) },
		{ RT_FIGURE_LATENCY_MIN, maybe(&flow->latency_min_ns) },
		{ RT_FIGURE_LATENCY_MEAN, maybe(&flow->latency_mean_ns) },
		{ RT_FIGURE_LATENCY_MAX, maybe(&flow->latency_max_ns) },
	};

	memcpy(of.workload, flow->workload, sizeof(of.workload));
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		rt_figures_add(figures, &of, rows[i].id, rows[i].value);
}

static void add_queue(struct rt_figures *figures, const struct rt_sim_queue *queue)
{
	const struct rt_figure of = { .prio = RT_KNOWN_U64(queue->prio),
				      .host = host_of(queue->peer) };
	const struct {
		unsigned id;
		struct rt_opt_f64 value;
	} rows[] = {
		{ RT_FIGURE_QUEUE_RATE, maybe(&queue->rate_bps) },
		{ RT_FIGURE_QUEUE_SHARE, queue->share_pct },
		{ RT_FIGURE_QUEUE_DATA, count(queue->data) },
		{ RT_FIGURE_QUEUE_ACK, count(queue->ack) },
		{ RT_FIGURE_QUEUE_CNP, count(queue->cnp) },
		{ RT_FIGURE_QUEUE_CE, count(queue->ce) },
		{ RT_FIGURE_QUEUE_DROPS, count(queue->drops) },
		{ RT_FIGURE_HOST_DATA_RX, maybe(&queue->host_data) },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		rt_figures_add(figures, &of, rows[i].id, rows[i].value);
}

/* Pauses that were not sent are counted as well: there were none. */
static void add_pauses(struct rt_figures *figures, const struct rt_sim_result *result,
		       const struct rt_sim_port *port, unsigned prio)
{
	const struct rt_figure of = { .prio = RT_KNOWN_U64(prio),
				      .host = host_of(port->peer) };
	struct rt_opt_f64 sent = RT_KNOWN_F64(0), stood = RT_KNOWN_F64(0);

	for (size_t i = 0; i < result->pause_count; i++) {
		const struct rt_sim_pause *pause = &result->pauses[i];

		if (pause->prio != prio)
			continue;
		if (pause->direction == RT_SIM_PAUSING_PEER &&
		    strcmp(pause->port, port->name) == 0)
			sent = count(pause->xoff);
		if (pause->direction == RT_SIM_PAUSED_BY_PEER &&
		    strcmp(pause->port, port->peer) == 0)
			stood = pause->share_pct;
	}
	rt_figures_add(figures, &of, RT_FIGURE_PFC_TX, sent);
	rt_figures_add(figures, &of, RT_FIGURE_PAUSED, stood);
}

static void add_host(struct rt_figures *figures, const struct rt_sim_port *port)
{
	const struct rt_figure of = { .host = host_of(port->name) };

	if (!of.host.known)
		return;
	rt_figures_add(figures, &of, RT_FIGURE_HOST_ACK_TX, count(port->tx.ack));
	rt_figures_add(figures, &of, RT_FIGURE_HOST_ACK_RX, count(port->rx.ack));
	rt_figures_add(figures, &of, RT_FIGURE_HOST_CNP_TX, count(port->tx.cnp));
	rt_figures_add(figures, &of, RT_FIGURE_HOST_CNP_RX, count(port->rx.cnp));
}

/* All switches: what they dropped of the data frames that hosts sent. */
static void add_switches(struct rt_figures *figures, const struct rt_sim_result *result)
{
	const struct rt_figure of = { 0 };
	struct rt_opt_f64 loss = { 0 };

	if (result->packets_sent)
		loss = RT_KNOWN_F64(100 * (double)result->drops /
				    (double)result->packets_sent);
	rt_figures_add(figures, &of, RT_FIGURE_SWITCH_DROPS, count(result->drops));
	rt_figures_add(figures, &of, RT_FIGURE_SWITCH_LOSS, loss);
}

/* Priorities that flows have: those of which a port could have paused. */
static unsigned prios_of(const struct rt_sim_result *result)
{
	unsigned mask = 0;

	for (size_t i = 0; i < result->flows_listed; i++)
		if (result->flows[i].prio.known)
			mask |= 1u << result->flows[i].prio.value;
	return mask;
}

int rt_sim_figures(const struct rt_scenario *scenario,
		   const struct rt_fabric_config *config,
		   const struct rt_sim_result *result, struct rt_figures *figures,
		   struct rt_err *err)
{
	const unsigned prios = prios_of(result);

	for (size_t i = 0; i < result->flows_listed; i++)
		add_flow(figures, &result->flows[i]);
	for (size_t i = 0; i < result->queue_count; i++)
		add_queue(figures, &result->queues[i]);
	for (size_t i = 0; i < result->port_count; i++) {
		const struct rt_sim_port *port = &result->ports[i];

		add_host(figures, port);
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			if (port->role == RT_PORT_HOST && prios >> prio & 1)
				add_pauses(figures, result, port, prio);
	}
	add_switches(figures, result);
	rt_figures_add_fairness(figures, scenario);
	return rt_figures_add_laws(figures, scenario, config, result->hosts, err);
}
