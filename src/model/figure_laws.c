/* SPDX-License-Identifier: BSD-2-Clause */
/* figure_laws.c - what scenario and laws say of the ports towards hosts. */
#include <errno.h>
#include <stdlib.h>

#include "base/own.h"
#include "model/fabric_config.h"
#include "model/figure.h"
#include "model/workload.h"
#include "rocetune/err.h"

/* What a host's flows have in common: how many share what the capped ones leave. */
struct sender {
	double capped_bps;
	uint32_t uncapped;
};

struct load {
	const struct rt_scenario *scenario;
	const struct rt_fabric_config *laws;
	struct rt_flow_spec *flows;
	size_t flow_count;
	struct sender *senders;
	double (*offered_bps)[RT_PRIO_COUNT]; /* by receiver */
	uint8_t *prios;                       /* by receiver: mask of those that are */
};

/* Of a full packet: all bytes that the link is busy with. */
static uint32_t wire_bytes(const struct rt_fabric_config *laws)
{
	return laws->wire.lead_bytes + laws->mtu_bytes + laws->wire.data_overhead +
	       laws->wire.gap_bytes;
}

/* Bits on the wire that a flow may send by its own rate; 0: no cap. */
static double cap_of(const struct load *load, const struct rt_flow_spec *flow)
{
	const struct rt_workload_spec *by = &load->scenario->workloads[flow->workload];
	const double line_bps = (double)load->scenario->topology.speed_bps;

	if (by->rate_bps)
		return (double)by->rate_bps * wire_bytes(load->laws) /
		       load->laws->mtu_bytes;
	return line_bps * (double)by->rate_share_ppb / RT_PPB;
}

static void offer(struct load *load)
{
	const double line_bps = (double)load->scenario->topology.speed_bps;

	for (size_t i = 0; i < load->flow_count; i++) {
		struct sender *from = &load->senders[load->flows[i].from];
		const double cap_bps = cap_of(load, &load->flows[i]);

		from->capped_bps += cap_bps;
		from->uncapped += cap_bps <= 0;
	}
	for (size_t i = 0; i < load->flow_count; i++) {
		const struct rt_flow_spec *flow = &load->flows[i];
		const struct sender *from = &load->senders[flow->from];
		struct rt_flow_marks marks;
		double bps = cap_of(load, flow);

		if (rt_fabric_config_marks(load->laws, load->scenario, flow->workload,
					   &marks, NULL) < 0)
			continue;
		if (bps <= 0 && from->capped_bps < line_bps)
			bps = (line_bps - from->capped_bps) / from->uncapped;
		if (flow->off_ps)
			bps *= (double)flow->on_ps /
			       (double)(flow->on_ps + flow->off_ps);
		load->offered_bps[flow->to][marks.prio] += bps;
		load->prios[flow->to] |= (uint8_t)(1u << marks.prio);
	}
}

static void add_port(struct rt_figures *figures, const struct load *load, uint32_t host)
{
	struct rt_figure of = { .host = RT_KNOWN_U64(host) };

	rt_figures_add(figures, &of, RT_FIGURE_CAPACITY,
		       RT_KNOWN_F64((double)load->scenario->topology.speed_bps));
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		const struct rt_queue_config *queue = &load->laws->queues[prio];
		struct rt_opt_f64 weight = RT_KNOWN_F64(queue->weight);

		if (!(load->prios[host] >> prio & 1))
			continue;
		of.prio = RT_KNOWN_U64(prio);
		weight.known = !queue->strict;
		rt_figures_add(figures, &of, RT_FIGURE_OFFERED,
			       RT_KNOWN_F64(load->offered_bps[host][prio]));
		rt_figures_add(figures, &of, RT_FIGURE_WEIGHT, weight);
	}
}

int rt_figures_add_laws(struct rt_figures *figures, const struct rt_scenario *scenario,
			const struct rt_fabric_config *laws, uint32_t hosts,
			struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct rt_flow_spec *flows = NULL;
	RT_AUTO(rt_auto_free)
	struct sender *senders = calloc(hosts, sizeof(*senders));
	RT_AUTO(rt_auto_free) uint8_t *prios = calloc(hosts, sizeof(*prios));
	RT_AUTO(rt_auto_free)
	void *offered = calloc(hosts, RT_PRIO_COUNT * sizeof(double));
	struct load load = { .scenario = scenario,
			     .laws = laws,
			     .senders = senders,
			     .offered_bps = offered,
			     .prios = prios };
	int r;

	if (!senders || !prios || !offered)
		return rt_err_sys(err, -ENOMEM, "cannot hold the offered load");
	r = rt_workload_flows(scenario, hosts, &flows, &load.flow_count, err);
	if (r < 0)
		return r;
	load.flows = flows;
	offer(&load);
	for (uint32_t host = 0; host < hosts; host++)
		add_port(figures, &load, host);
	return 0;
}
