/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nic_look.c - hosts under option ns3_order: whenever its link is free a host looks
 * round its flows, from the one after the last that sent, and takes the first that may
 * send; if there is none it comes again when the first may.  So do the HPCC authors'
 * ns-3 model and its forks (qbb-net-device.cc, GetNextQindex() and
 * DequeueAndTransmit()).  By default flows line up when they may send (nic.c), which
 * costs nothing for those that wait, and differs only in who goes first among equals.
 */
#include <errno.h>

#include "fabric/state.h"
#include "rocetune/err.h"

int rt_nic_look_build(struct rt_fabric *fab, struct rt_err *err)
{
	uint32_t *room;

	fab->looks = calloc(fab->topology.hosts, sizeof(*fab->looks));
	room = calloc((size_t)fab->flow_count + 1, sizeof(*room));
	fab->look_flows = room;
	if (!fab->looks || !room)
		return rt_err_sys(err, -ENOMEM, "cannot hold the flows of hosts");
	for (uint32_t i = 0; i < fab->port_count; i++)
		fab->ports[i].tells_done = true;
	for (uint32_t host = 0; host < fab->topology.hosts; host++) {
		fab->ports[host].looks = true;
		fab->looks[host].flows = room;
		for (uint32_t i = 0; i < fab->flow_count; i++)
			room += fab->flows[i].port == host;
	}
	return 0;
}

void rt_nic_look_add(struct rt_fabric *fab, uint32_t flow)
{
	struct rt_nic_look *look = &fab->looks[fab->flows[flow].port];

	look->flows[look->count++] = flow;
}

/* Forget finished flows from place first on; returns where place at is now. */
static uint32_t forget(struct rt_fabric *fab, struct rt_nic_look *look, uint32_t first,
		       uint32_t at)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < look->count; i++) {
		if (fab->flows[look->flows[i]].done)
			continue;
		if (i == at)
			at = kept;
		look->flows[kept++] = look->flows[i];
	}
	look->count = kept;
	return at;
}

/* The place of the flow whose turn it is; RT_FLOW_NONE: nobody may send now. */
static uint32_t whose_turn(struct rt_fabric *fab, struct rt_nic_look *look, bool paused)
{
	uint32_t found = RT_FLOW_NONE, finished = RT_FLOW_NONE;

	for (uint32_t i = 1; i <= look->count && found == RT_FLOW_NONE; i++) {
		const uint32_t at = (i + look->last) % look->count;
		const struct rt_fab_flow *flow = &fab->flows[look->flows[at]];

		if (!paused && rt_flow_can_send(fab, flow)) {
			if (flow->next_ps <= fab->events.now_ps)
				found = at;
		} else if (flow->done && at < finished) {
			finished = at;
		}
	}
	return finished == RT_FLOW_NONE ? found : forget(fab, look, finished, found);
}

/* Come again when the first flow may send that has something to send. */
static void look_again(struct rt_fabric *fab, const struct rt_nic_look *look,
		       uint32_t slot)
{
	uint64_t at_ps = RT_PS_NEVER;

	for (uint32_t i = 0; i < look->count; i++) {
		const struct rt_fab_flow *flow = &fab->flows[look->flows[i]];

		if (flow->tx.next < flow->tx.posted && flow->next_ps < at_ps)
			at_ps = flow->next_ps;
	}
	if (at_ps != RT_PS_NEVER && at_ps > fab->events.now_ps &&
	    !rt_events_slot_pending(&fab->events, slot))
		rt_events_slot_set(&fab->events, slot, at_ps);
}

void rt_nic_look(struct rt_fabric *fab, struct rt_fab_port *port)
{
	const uint32_t host = rt_port_index(fab, port);
	const unsigned prio = fab->config.data_prio;
	const bool paused = port->sched.paused_mask >> prio & 1;
	struct rt_nic_look *look = &fab->looks[host];
	uint32_t at;

	/* What is queued, ACKs, goes before data. */
	if (port->prios[prio].ready_first != RT_FLOW_NONE ||
	    (!paused && !rt_packet_queue_empty(&port->prios[prio].queue)))
		return;
	at = whose_turn(fab, look, paused);
	if (at == RT_FLOW_NONE) {
		look_again(fab, look, rt_port_slot(fab, host));
		return;
	}
	look->last = at;
	rt_flow_make_ready(fab, look->flows[at]);
}
