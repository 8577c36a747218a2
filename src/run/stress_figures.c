/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_figures.h"

#include <errno.h>
#include <stdlib.h>

#include "base/own.h"
#include "model/figure.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "run/stress.h"
#include "traffic/flow.h"

static struct rt_opt_f64 maybe(const struct rt_opt_u64 *number)
{
	return (struct rt_opt_f64){ (double)number->value, number->known };
}

static struct rt_opt_f64 loss_of(const struct rt_stress_qp *qp)
{
	const struct rt_opt_f64 unknown = { 0 };

	if (!qp->frame_delta.known || !qp->data_frames_tx.known ||
	    !qp->data_frames_tx.value)
		return unknown;
	return RT_KNOWN_F64(100.0 * (double)qp->frame_delta.value /
			    (double)qp->data_frames_tx.value);
}

/* A message's time from post to completion is not a packet's way: no latency here. */
static void add_qp(struct rt_figures *figures, const struct rt_stress_ran *ran,
		   const struct rt_stress_qp *qp)
{
	struct rt_figure of = { .prio = RT_KNOWN_U64(qp->prio),
				.host = RT_KNOWN_U64(qp->from),
				.flow = RT_KNOWN_U64(qp->flow) };
	const struct {
		unsigned id;
		struct rt_opt_f64 value;
	} rows[] = {
		{ RT_FIGURE_GOODPUT,
		  { (double)qp->goodput_bps.value * ran->slower,
		    qp->goodput_bps.known } },
		{ RT_FIGURE_DELIVERED, maybe(&qp->rx_bytes) },
		{ RT_FIGURE_SENT, maybe(&qp->data_frames_tx) },
		{ RT_FIGURE_LOST, maybe(&qp->frame_delta) },
		{ RT_FIGURE_LOSS, loss_of(qp) },
		{ RT_FIGURE_RESENT, maybe(&qp->data_frames_retransmitted) },
		{ RT_FIGURE_NAKS, maybe(&qp->nak_rx) },
		{ RT_FIGURE_TIMEOUTS, maybe(&qp->timeouts) },
		{ RT_FIGURE_STOPPED,
		  { qp->state == RT_QP_STOPPED,
		    qp->goodput_bps.known || qp->state == RT_QP_STOPPED } },
		{ RT_FIGURE_MARKED, maybe(&qp->ecn_ce_rx) },
		{ RT_FIGURE_CNP_TX, maybe(&qp->cnp_tx) },
		{ RT_FIGURE_CNP_RX, maybe(&qp->cnp_rx) },
	};

	/* The victim of the command line is of no workload. */
	if (qp->workload < ran->scenario->workload_count)
		rt_workload_name(ran->scenario, qp->workload, of.workload);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		rt_figures_add(figures, &of, rows[i].id, rows[i].value);
}

/* Sums over the queue pairs of a host; unknown when one of them is. */
struct host_sums {
	struct rt_opt_u64 ack_tx, ack_rx, cnp_tx, cnp_rx;
	struct rt_opt_u64 data_rx[RT_PRIO_COUNT];
	unsigned prios;     /* that it receives */
	bool sends;         /* data */
	bool asks, answers; /* is acknowledged, acknowledges */
};

static void add_to(struct rt_opt_u64 *sum, const struct rt_opt_u64 *number, bool first)
{
	sum->known = number->known && (first || sum->known);
	sum->value += number->value;
}

static void sum_qp(struct host_sums *sums, const struct rt_stress_qp *qp)
{
	struct host_sums *from = &sums[qp->from], *to = &sums[qp->to];
	struct host_sums *asker = qp->op == RT_TRAFFIC_READ ? to : from;
	struct host_sums *answerer = qp->op == RT_TRAFFIC_READ ? from : to;
	const unsigned prio = qp->prio % RT_PRIO_COUNT;

	add_to(&asker->ack_rx, &qp->ack_rx, !asker->asks);
	asker->asks = true;
	add_to(&answerer->ack_tx, &qp->ack_tx, !answerer->answers);
	answerer->answers = true;
	add_to(&from->cnp_rx, &qp->cnp_rx, !from->sends);
	from->sends = true;
	add_to(&to->cnp_tx, &qp->cnp_tx, !to->prios);
	add_to(&to->data_rx[prio], &qp->data_frames_rx, !(to->prios >> prio & 1));
	to->prios |= 1u << prio;
}

static void add_host(struct rt_figures *figures, uint32_t host,
		     const struct host_sums *sums)
{
	struct rt_figure of = { .host = RT_KNOWN_U64(host) };

	const struct {
		enum rt_figure_id id;
		bool any;
		const struct rt_opt_u64 *sum;
	} rows[] = {
		{ RT_FIGURE_HOST_ACK_RX, sums->asks, &sums->ack_rx },
		{ RT_FIGURE_HOST_CNP_RX, sums->sends, &sums->cnp_rx },
		{ RT_FIGURE_HOST_ACK_TX, sums->answers, &sums->ack_tx },
		{ RT_FIGURE_HOST_CNP_TX, sums->prios > 0, &sums->cnp_tx },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rows[i].any)
			rt_figures_add(figures, &of, rows[i].id, maybe(rows[i].sum));
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (!(sums->prios >> prio & 1))
			continue;
		of.prio = RT_KNOWN_U64(prio);
		rt_figures_add(figures, &of, RT_FIGURE_HOST_DATA_RX,
			       maybe(&sums->data_rx[prio]));
	}
}

int rt_stress_figures(const struct rt_stress_ran *ran,
		      const struct rt_stress_result *result, struct rt_figures *figures,
		      struct rt_err *err)
{
	RT_AUTO(rt_auto_free)
	struct host_sums *sums = calloc(ran->ranks + 1, sizeof(*sums));

	if (!sums)
		return rt_err_sys(err, -ENOMEM, "cannot hold the hosts' sums");
	for (size_t i = 0; i < result->qp_count; i++) {
		add_qp(figures, ran, &result->qps[i]);
		sum_qp(sums, &result->qps[i]);
	}
	for (uint32_t host = 0; host < ran->ranks; host++)
		add_host(figures, host, &sums[host]);
	rt_figures_add_fairness(figures, ran->scenario);
	return rt_figures_add_laws(figures, ran->scenario, ran->laws, ran->ranks, err);
}
