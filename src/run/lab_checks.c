/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab_checks.c - a scenario's checks, judged by what endpoints and switches of a lab
 * counted.  A lab is its fabric in slow motion: rates are told as the fabric's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/figure.h"
#include "run/lab_run_parts.h"
#include "run/stress_figures.h"

#define WIRE_BYTES 24 /* of a frame beside what the switch counts: FCS, preamble, gap */

static const struct rt_lab_port *port_of(const struct rt_lab_run *run, const char *name)
{
	for (size_t i = 0; i < run->lab.port_count; i++)
		if (strcmp(run->lab.ports[i].name, name) == 0)
			return &run->lab.ports[i];
	return NULL;
}

/* Hosts are called h0, h1, ...; a port between switches faces none. */
static struct rt_opt_u64 host_of(const struct rt_lab_port *port)
{
	unsigned number;

	if (!port || sscanf(port->peer, "h%u", &number) != 1)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(number);
}

static double slower_than_real(const struct rt_lab_plan *plan)
{
	return (double)plan->scale.from_bps / (double)plan->scale.to_bps;
}

static struct rt_opt_f64 count(uint64_t number)
{
	return RT_KNOWN_F64((double)number);
}

static double wire_bits(uint64_t bytes, uint64_t frames)
{
	return 8.0 * ((double)bytes + WIRE_BYTES * (double)frames);
}

/* Seconds that a port sent: it may go on when nobody sends to it any more. */
static double sent_s(const struct rt_lab_run *run, const struct rt_lab_port *port)
{
	const double ran_s = (double)run->stress.ran_ns * 1e-9;
	const double busy_s = wire_bits(port->tx_bytes, port->tx_frames) /
			      (double)port->speed_bps;

	return busy_s > ran_s ? busy_s : ran_s;
}

/* A queue that no flow is in, nor the ACKs of one, has what else there is: CNPs. */
static bool is_of_cnps(const struct rt_lab_run *run, const struct rt_lab_plan *plan,
		       unsigned prio)
{
	for (size_t i = 0; i < run->stress.qp_count; i++)
		if (run->stress.qps[i].prio == prio)
			return false;
	return prio == plan->laws.cnp_prio;
}

static void add_queue(struct rt_figures *figures, const struct rt_lab_run *run,
		      const struct rt_lab_plan *plan, const struct rt_lab_queue *queue)
{
	const double slower = slower_than_real(plan);
	const struct rt_lab_port *port = port_of(run, queue->port);
	const struct rt_figure of = { .host = host_of(port),
				      .prio = RT_KNOWN_U64(queue->prio) };
	const double bits = wire_bits(queue->tx_bytes, queue->tx_frames);
	double ran_s;

	if (!of.host.known || !run->stress.ran_ns || !port->speed_bps)
		return;
	ran_s = sent_s(run, port);
	rt_figures_add(figures, &of, RT_FIGURE_QUEUE_RATE,
		       RT_KNOWN_F64(bits / ran_s * slower));
	rt_figures_add(figures, &of, RT_FIGURE_QUEUE_SHARE,
		       RT_KNOWN_F64(100 * bits / ran_s / (double)port->speed_bps));
	if (is_of_cnps(run, plan, queue->prio))
		rt_figures_add(figures, &of, RT_FIGURE_QUEUE_CNP,
			       count(queue->tx_frames));
	rt_figures_add(figures, &of, RT_FIGURE_QUEUE_CE, count(queue->tx_ce));
	rt_figures_add(figures, &of, RT_FIGURE_QUEUE_DROPS, count(queue->drops));
	rt_figures_add(figures, &of, RT_FIGURE_PFC_TX, count(queue->tx_xoff));
	rt_figures_add(figures, &of, RT_FIGURE_PAUSED,
		       RT_KNOWN_F64(100 * (double)queue->tx_paused_ns * 1e-9 / ran_s));
}

static void add_switches(struct rt_figures *figures, const struct rt_lab_run *run)
{
	const struct rt_figure of = { 0 };
	struct rt_opt_f64 loss = { 0 };
	uint64_t drops = 0, sent = 0;
	bool known = true;

	for (size_t i = 0; i < run->lab.queue_count; i++)
		drops += run->lab.queues[i].drops;
	for (size_t i = 0; i < run->stress.qp_count; i++) {
		known &= run->stress.qps[i].data_frames_tx.known;
		sent += run->stress.qps[i].data_frames_tx.value;
	}
	if (known && sent)
		loss = RT_KNOWN_F64(100 * (double)drops / (double)sent);
	rt_figures_add(figures, &of, RT_FIGURE_SWITCH_DROPS, count(drops));
	rt_figures_add(figures, &of, RT_FIGURE_SWITCH_LOSS, loss);
}

int rt_lab_run_check(struct rt_lab_run *run, const struct rt_lab_plan *plan,
		     struct rt_err *err)
{
	const struct rt_stress_ran ran = {
		.scenario = &plan->scenario,
		.laws = &plan->laws,
		.ranks = plan->topology.hosts,
		.slower = slower_than_real(plan),
	};
	struct rt_stress_result *stress = &run->stress;
	struct rt_figures figures;
	int r;

	if (!plan->scenario.check_count)
		return 0;
	rt_figures_init(&figures, &plan->scenario);
	r = rt_stress_figures(&ran, stress, &figures, err);
	for (size_t i = 0; r == 0 && i < run->lab.queue_count; i++)
		add_queue(&figures, run, plan, &run->lab.queues[i]);
	add_switches(&figures, run);
	if (r == 0)
		r = rt_criteria_find(&plan->scenario, &figures, &run->criteria,
				     &run->stress_findings, err);
	rt_figures_free(&figures);
	if (r == 0)
		stress->checks = rt_criteria_told(&run->criteria);
	return r;
}
