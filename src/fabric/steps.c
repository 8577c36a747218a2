/* SPDX-License-Identifier: BSD-2-Clause */
/* steps.c - a run that is looked at between its events. */
#include "fabric/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/state.h"
#include "rocetune/err.h"

struct rt_fabric_steps {
	struct rt_fabric fab;
	struct rt_err err; /* for fab */
	bool ended;
};

int rt_fabric_steps_open(const struct rt_scenario *scenario,
			 const struct rt_fabric_config *config,
			 struct rt_fabric_steps **ret_steps, struct rt_err *err)
{
	struct rt_fabric_steps *steps = rt_fabric_lines(1, sizeof(*steps));
	const struct rt_fabric_run run = { 0 };
	int r;

	if (!steps)
		return rt_err_sys(err, -ENOMEM, "cannot hold the simulation");
	steps->fab.scenario = scenario;
	steps->fab.config = *config;
	steps->fab.err = &steps->err;
	steps->fab.looked_at = true;
	steps->fab.stop_ps = scenario->duration_ps ? scenario->duration_ps
						   : RT_SIM_MAX_DURATION_PS;
	r = rt_fabric_build(&steps->fab, &run, err);
	if (r < 0) {
		rt_fabric_steps_close(steps);
		return r;
	}
	*ret_steps = steps;
	return 0;
}

void rt_fabric_steps_close(struct rt_fabric_steps *steps)
{
	if (!steps)
		return;
	rt_fabric_teardown(&steps->fab);
	free(steps);
}

int rt_fabric_step(struct rt_fabric_steps *steps, uint64_t until_ps,
		   uint64_t *ret_now_ps, struct rt_err *err)
{
	struct rt_fabric *fab = &steps->fab;

	if (steps->ended)
		return rt_err_set(err, -ENODATA, "the simulation is over");
	rt_fabric_until(fab, until_ps < fab->stop_ps ? until_ps : fab->stop_ps);
	if (fab->failed)
		return rt_err_set(err, fab->failed, "%s",
				  *steps->err.msg ? steps->err.msg
						  : "cannot hold the events");
	steps->ended = fab->over || fab->events.now_ps >= fab->stop_ps;
	*ret_now_ps = fab->events.now_ps;
	return 0;
}

/* --- looking ---------------------------------------------------------------- */

static const struct rt_queue_counts *queue_of(const struct rt_fabric *fab,
					      uint32_t port, unsigned prio)
{
	return &fab->detail.queues[port * RT_PRIO_COUNT + prio];
}

/* What left a port; wire bytes have what lies between frames, too. */
static void look_sent(const struct rt_fabric *fab, uint32_t port, unsigned prio,
		      uint64_t *ret_frames, uint64_t *ret_bytes)
{
	const struct rt_queue_counts *queue = queue_of(fab, port, prio);
	const struct rt_wire_format *wire = &fab->config.wire;
	uint64_t frames = 0;

	for (unsigned i = 0; i < RT_PACKET_KIND_COUNT; i++)
		frames += queue->kind[i];
	*ret_frames = frames;
	*ret_bytes = queue->wire_bytes - frames * (wire->lead_bytes + wire->gap_bytes);
}

static uint64_t asked_ns(const struct rt_port_pause *pause, int64_t now_ns)
{
	const int64_t end_ns = pause->pausing_end_ns < now_ns ? pause->pausing_end_ns
							      : now_ns;

	return pause->pausing.asked_ns +
	       (pause->pausing_open_ns >= 0
			? (uint64_t)(end_ns - pause->pausing_open_ns)
			: 0);
}

static void look_pauses(const struct rt_fabric *fab, const struct rt_fab_port *port,
			unsigned prio, struct rt_fabric_prio_look *look)
{
	const struct rt_port_pause *pause = &port->pauses[prio];

	look->pause_rx = pause->paused.xoff + pause->paused.xon;
	look->pause_tx = pause->pausing.xoff + pause->pausing.xon;
	look->paused_ns = pause->paused.stopped_ns.value;
	if (port->sched.paused_mask >> prio & 1)
		look->paused_ns += (fab->events.now_ps - pause->since_ps) / 1000;
	look->pausing_ns = asked_ns(pause, (int64_t)(fab->events.now_ps / 1000));
}

static void look_flows(const struct rt_fabric *fab, struct rt_fabric_look *look)
{
	for (uint32_t i = 0; i < fab->flow_count; i++) {
		const struct rt_fab_flow *flow = &fab->flows[i];

		if (flow->spec.to == look->host) {
			look->ce_rx += flow->stats.marked;
			look->cnp_tx += flow->stats.cnps_sent;
		}
		if (flow->spec.from != look->host)
			continue;
		look->cnp_rx += flow->stats.cnps_received;
		look->naks_rx += flow->stats.naks;
		look->timeouts += flow->stats.timeouts;
		look->failed += flow->stats.failed;
	}
}

uint32_t rt_fabric_steps_ports(const struct rt_fabric_steps *steps)
{
	return steps->fab.port_count;
}

void rt_fabric_steps_look(const struct rt_fabric_steps *steps, uint32_t index,
			  struct rt_fabric_look *ret_look)
{
	const struct rt_fabric *fab = &steps->fab;
	const struct rt_fab_port *port = &fab->ports[index];
	struct rt_fabric_look look = { .is_nic = port->is_nic,
				       .host = index,
				       .speed_bps = port->link->speed_bps,
				       .marked = port->marked };

	memcpy(look.name, fab->topology.ports[index].name, sizeof(look.name));
	memcpy(look.peer, fab->topology.ports[port->peer].name, sizeof(look.peer));
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		struct rt_fabric_prio_look *of = &look.prios[prio];

		look_sent(fab, index, prio, &of->tx_frames, &of->tx_bytes);
		look_sent(fab, port->peer, prio, &of->rx_frames, &of->rx_bytes);
		if (port->pauses)
			look_pauses(fab, port, prio, of);
		if (port->losses)
			of->drops = port->losses[prio].frames;
	}
	if (look.is_nic)
		look_flows(fab, &look);
	*ret_look = look;
}
