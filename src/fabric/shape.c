/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shape.c - what a workload asks of how its flows send, beside the laws of congestion:
 * bursts, a rate of their own, messages in flight, an end in time, datagrams.
 */
#include "fabric/state.h"

/*
 * How far a flow under a rate of its own may be behind it and still make up for it: what
 * others in front of it at the port cost it, but not the time that a pause took.
 */
#define BEHIND_PACKETS 16

/* Silence between bursts moves a send to the next burst. */
static void keep_bursts(struct rt_fab_flow *flow)
{
	const uint64_t period_ps = flow->spec.on_ps + flow->spec.off_ps;
	uint64_t phase_ps;

	if (!flow->spec.off_ps)
		return;
	phase_ps = (flow->next_ps - flow->spec.start_ps) % period_ps;
	if (phase_ps >= flow->spec.on_ps)
		flow->next_ps += period_ps - phase_ps;
}

void rt_flow_keep_shape(struct rt_fab_flow *flow)
{
	const uint64_t due_ps = flow->shape.due_ps + flow->shape.late_ps;

	if (flow->next_ps < due_ps)
		flow->next_ps = due_ps;
	keep_bursts(flow);
}

void rt_flow_shape_sent(struct rt_fabric *fab, struct rt_fab_flow *flow)
{
	struct rt_flow_shape *shape = &flow->shape;

	if (shape->cap_bps) {
		const uint64_t gap_ps = rt_fabric_wire_ps(fab, flow->sent_bytes,
							  shape->cap_bps);

		if (shape->due_ps + BEHIND_PACKETS * gap_ps < fab->events.now_ps)
			shape->due_ps = fab->events.now_ps - BEHIND_PACKETS * gap_ps;
		shape->due_ps += gap_ps;
		/*
		 * Streams of one rate that marched in step would always meet the full
		 * queue in the same order, and one of them would have all the loss.
		 */
		if (shape->datagrams)
			shape->late_ps = rt_rng_below(&fab->shape_rng, gap_ps);
	}
	/* Nothing will say that it arrived. */
	if (shape->datagrams)
		flow->tx.acked = flow->tx.next;
	rt_flow_keep_shape(flow);
}

/* --- messages ----------------------------------------------------------- */

void rt_flow_post(struct rt_fab_flow *flow)
{
	uint64_t until = flow->packets;

	if (flow->outstanding) {
		const uint64_t messages = flow->tx.acked / flow->message_packets +
					  flow->outstanding;

		if (messages < until / flow->message_packets)
			until = messages * flow->message_packets;
	}
	if (until > flow->tx.posted)
		rt_rc_post(&flow->tx, until - flow->tx.posted);
}

uint64_t rt_flow_bytes(const struct rt_fabric *fab, const struct rt_fab_flow *flow,
		       uint64_t packets)
{
	const uint64_t mtu = fab->config.mtu_bytes;

	if (packets >= flow->packets)
		return flow->spec.bytes;
	return packets * mtu -
	       packets / flow->message_packets * (mtu - flow->message_last_bytes);
}

void rt_flow_stop(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	const uint64_t top = flow->tx.top;

	if (flow->done)
		return;
	flow->spec.bytes = rt_flow_bytes(fab, flow, top);
	flow->packets = top;
	flow->last_bytes = fab->config.mtu_bytes;
	/* What was begun is sent to its end. */
	if (!flow->shape.datagrams && top % flow->message_packets) {
		flow->packets += flow->message_packets - top % flow->message_packets;
		flow->spec.bytes = flow->packets / flow->message_packets *
				   flow->spec.message_bytes;
	}
	if (!flow->shape.datagrams)
		flow->last_bytes = flow->message_last_bytes;
	flow->tx.posted = flow->packets;
	if (flow->shape.datagrams)
		rt_flow_settle(fab, index);
	else if (flow->tx.acked == flow->packets)
		rt_flow_finish(fab, index);
}

/* --- datagrams ---------------------------------------------------------- */

void rt_flow_settle(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];

	if (!flow->done && flow->tx.top == flow->packets &&
	    flow->arrived + flow->stats.lost == flow->packets)
		rt_flow_finish(fab, index);
}

void rt_flow_datagram(struct rt_fabric *fab, const struct rt_packet *packet)
{
	struct rt_fab_flow *flow = &fab->flows[packet->flow];

	flow->arrived++;
	/* All of it is one message: only its end may be short. */
	flow->arrived_bytes += packet->flags & RT_PACKET_LAST ? flow->last_bytes
							      : fab->config.mtu_bytes;
	flow->last_ps = fab->events.now_ps;
	flow->stats.marked += (packet->flags & RT_PACKET_CE) != 0;
	rt_flow_settle(fab, packet->flow);
}

void rt_flow_lost(struct rt_fabric *fab, const struct rt_packet *packet)
{
	struct rt_fab_flow *flow = &fab->flows[packet->flow];

	flow->stats.lost++;
	if (flow->shape.datagrams)
		rt_flow_settle(fab, packet->flow);
}
