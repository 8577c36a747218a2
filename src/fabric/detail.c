/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * detail.c - what is counted only when a scenario asks by priority: the egress queues
 * of switches, and how long packets are under way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "fabric/state.h"
#include "rocetune/err.h"

/* Workloads that differ in how they are treated, or something that will be checked. */
static bool asks_by_priority(const struct rt_fabric *fab)
{
	const struct rt_scenario *scenario = fab->scenario;

	if (scenario->model.ack_prio.known || scenario->check_count || fab->looked_at)
		return true;
	for (size_t i = 0; i < scenario->workload_count; i++)
		if (scenario->workloads[i].transport == RT_TRANSPORT_NONE ||
		    scenario->workloads[i].victim)
			return true;
	for (uint32_t i = 0; i < fab->flow_count; i++)
		if (fab->flows[i].prio != fab->config.data_prio)
			return true;
	return false;
}

int rt_detail_build(struct rt_fabric *fab, struct rt_err *err)
{
	struct rt_detail *detail = &fab->detail;

	if (!asks_by_priority(fab))
		return 0;
	detail->queues = calloc((size_t)fab->port_count * RT_PRIO_COUNT,
				sizeof(*detail->queues));
	detail->probes = calloc(fab->flow_count + 1u, sizeof(*detail->probes));
	if (!detail->queues || !detail->probes)
		return rt_err_sys(err, -ENOMEM, "cannot count by priority");
	detail->on = true;
	for (uint32_t i = 0; i < fab->flow_count; i++)
		detail->probes[i].sent_ps = RT_PS_NEVER;
	for (uint32_t i = 0; i < fab->port_count; i++) {
		fab->ports[i].watched_tx = true;
		fab->ports[i].watched_rx |= fab->ports[i].is_nic;
	}
	return 0;
}

static struct rt_queue_counts *queue_of(struct rt_fabric *fab,
					const struct rt_fab_port *port, unsigned prio)
{
	return &fab->detail.queues[rt_port_index(fab, port) * RT_PRIO_COUNT + prio];
}

void rt_detail_sent(struct rt_fabric *fab, const struct rt_fab_port *port,
		    const struct rt_packet *packet)
{
	const struct rt_wire_format *wire = &fab->config.wire;
	struct rt_queue_counts *queue;

	if (packet->kind == RT_PACKET_PFC)
		return;
	queue = queue_of(fab, port, packet->prio);
	queue->kind[packet->kind]++;
	queue->ce += (packet->flags & RT_PACKET_CE) != 0;
	queue->wire_bytes += wire->lead_bytes + packet->bytes + wire->gap_bytes;
	if (port->is_nic && packet->kind == RT_PACKET_DATA &&
	    !(packet->flags & RT_PACKET_RESENT)) {
		struct rt_flow_probe *probe = &fab->detail.probes[packet->flow];

		if (probe->sent_ps != RT_PS_NEVER)
			return;
		probe->sent_ps = fab->events.now_ps;
		probe->psn = packet->psn;
	}
}

/* The probe of packet's flow, if packet is the one; it is then over. */
static struct rt_flow_probe *
take_probe(struct rt_fabric *fab, const struct rt_packet *packet, uint64_t *ret_sent_ps)
{
	struct rt_flow_probe *probe;

	if (packet->kind != RT_PACKET_DATA)
		return NULL;
	probe = &fab->detail.probes[packet->flow];
	if (probe->sent_ps == RT_PS_NEVER || probe->psn != packet->psn)
		return NULL;
	*ret_sent_ps = probe->sent_ps;
	probe->sent_ps = RT_PS_NEVER;
	return probe;
}

void rt_detail_received(struct rt_fabric *fab, const struct rt_fab_port *port,
			const struct rt_packet *packet)
{
	uint64_t sent_ps, way_ps;
	struct rt_flow_probe *probe = take_probe(fab, packet, &sent_ps);

	if (packet->kind == RT_PACKET_DATA)
		queue_of(fab, port, packet->prio)->received++;
	if (!probe)
		return;
	way_ps = fab->events.now_ps - sent_ps;
	if (!probe->count || way_ps < probe->min_ps)
		probe->min_ps = way_ps;
	if (way_ps > probe->max_ps)
		probe->max_ps = way_ps;
	probe->sum_ps += way_ps;
	probe->count++;
}

void rt_detail_lost(struct rt_fabric *fab, const struct rt_fab_port *out,
		    const struct rt_packet *packet)
{
	uint64_t sent_ps;

	queue_of(fab, out, packet->prio)->drops++;
	take_probe(fab, packet, &sent_ps);
}

void rt_detail_warm(struct rt_fabric *fab)
{
	for (size_t i = 0; i < (size_t)fab->port_count * RT_PRIO_COUNT; i++)
		fab->detail.queues[i].cold_bytes = fab->detail.queues[i].wire_bytes;
}

void rt_detail_free(struct rt_detail *detail)
{
	free(detail->queues);
	free(detail->probes);
	*detail = (struct rt_detail){ 0 };
}

/* --- results ------------------------------------------------------------ */

void rt_detail_flow(const struct rt_fabric *fab, uint32_t index,
		    struct rt_sim_flow *ret)
{
	const struct rt_flow_probe *probe = &fab->detail.probes[index];

	ret->prio = RT_KNOWN_U64(fab->flows[index].prio);
	if (ret->packets_sent)
		ret->loss_pct = RT_KNOWN_F64(100.0 * (double)ret->lost /
					     (double)ret->packets_sent);
	if (!probe->count)
		return;
	ret->latency_min_ns = RT_KNOWN_U64(probe->min_ps / 1000);
	ret->latency_mean_ns = RT_KNOWN_U64(probe->sum_ps / probe->count / 1000);
	ret->latency_max_ns = RT_KNOWN_U64(probe->max_ps / 1000);
}

static void queue_result(const struct rt_fabric *fab, uint32_t port, unsigned prio,
			 struct rt_sim_queue *ret)
{
	const struct rt_queue_counts *queue =
		&fab->detail.queues[port * RT_PRIO_COUNT + prio];
	const struct rt_fab_port *from = &fab->ports[port];
	const uint64_t measured_ps = fab->events.now_ps - fab->warm_ps;
	const unsigned __int128 bits = (queue->wire_bytes - queue->cold_bytes) * 8;

	*ret = (struct rt_sim_queue){
		.prio = (uint8_t)prio,
		.lossless = from->pg[prio].lossless,
		.data = queue->kind[RT_PACKET_DATA],
		.ack = queue->kind[RT_PACKET_ACK],
		.nak = queue->kind[RT_PACKET_NAK],
		.cnp = queue->kind[RT_PACKET_CNP],
		.ce = queue->ce,
		.drops = queue->drops,
	};
	memcpy(ret->port, fab->topology.ports[port].name, sizeof(ret->port));
	if (from->role == RT_PORT_HOST)
		ret->host_data = RT_KNOWN_U64(
			fab->detail.queues[from->peer * RT_PRIO_COUNT + prio].received);
	memcpy(ret->peer, fab->topology.ports[from->peer].name, sizeof(ret->peer));
	if (!measured_ps || fab->warm_ps != fab->scenario->warmup_ps)
		return;
	ret->rate_bps = RT_KNOWN_U64((uint64_t)(bits * 1000000000000 / measured_ps));
	ret->share_pct = RT_KNOWN_F64(100.0 * (double)ret->rate_bps.value /
				      (double)from->link->speed_bps);
}

static bool is_used(const struct rt_queue_counts *queue)
{
	return queue->wire_bytes || queue->drops;
}

int rt_detail_queues(const struct rt_fabric *fab, struct rt_sim_result *result,
		     struct rt_err *err)
{
	size_t capacity = 0;

	for (uint32_t i = 0; fab->detail.on && i < fab->port_count; i++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			struct rt_sim_queue *grown;

			if (fab->ports[i].is_nic ||
			    !is_used(&fab->detail.queues[i * RT_PRIO_COUNT + prio]))
				continue;
			grown = rt_grow(result->queues, result->queue_count, &capacity,
					sizeof(*grown));
			if (!grown)
				return rt_err_sys(err, -ENOMEM, "cannot hold queues");
			result->queues = grown;
			queue_result(fab, i, prio, &grown[result->queue_count++]);
		}
	return 0;
}
