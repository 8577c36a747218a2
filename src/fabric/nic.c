/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nic.c - hosts: flows that want to send, each behind its rate limiter and
 * window, and the receiving side that acknowledges and notifies.
 */
#include "fabric/state.h"

/* --- when a flow may send ----------------------------------------------- */

static inline uint64_t window_of(const struct rt_fabric *fab,
				 const struct rt_fab_flow *flow)
{
	uint64_t window = fab->config.window_bytes;

	if (fab->config.options & RT_MODEL_VARIABLE_WINDOW)
		window = (uint64_t)((unsigned __int128)window * flow->rp.rate_bps /
				    fab->config.rp.line_rate_bps);
	return window ? window : 1;
}

static inline bool can_send(const struct rt_fabric *fab, const struct rt_fab_flow *flow)
{
	if (!rt_rc_can_send(&flow->tx, &fab->config.rc))
		return false;
	return !fab->config.window_bytes ||
	       (flow->tx.next - flow->tx.acked) * fab->config.mtu_bytes <
		       window_of(fab, flow);
}

bool rt_flow_can_send(const struct rt_fabric *fab, const struct rt_fab_flow *flow)
{
	return can_send(fab, flow);
}

/* What the rate asks for after the last packet. */
static inline uint64_t paced_ps(const struct rt_fabric *fab,
				const struct rt_fab_flow *flow)
{
	return flow->sent_ps +
	       (flow->sent_bytes == fab->full_bytes
			? flow->gap_ps
			: rt_fabric_wire_ps(fab, flow->sent_bytes, flow->rp.rate_bps));
}

static void pace(struct rt_fabric *fab, struct rt_fab_flow *flow)
{
	flow->next_ps = paced_ps(fab, flow);
	if (flow->shaped)
		rt_flow_keep_shape(flow);
}

static void make_ready(struct rt_fabric *fab, struct rt_fab_port *port, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	const unsigned prio = flow->prio;

	flow->ready = true;
	flow->next_ready = RT_FLOW_NONE;
	if (port->prios[prio].ready_first == RT_FLOW_NONE) {
		port->prios[prio].ready_first = index;
		rt_sched_backlogged(&port->sched, prio);
	} else {
		fab->flows[port->prios[prio].ready_last].next_ready = index;
	}
	port->prios[prio].ready_last = index;
}

void rt_flow_make_ready(struct rt_fabric *fab, uint32_t index)
{
	make_ready(fab, &fab->ports[fab->flows[index].port], index);
}

/*
 * Line the flow up at its port, or set its alarm.  A flow whose time comes while
 * its port still sends something stands in line already; should its rate fall
 * meanwhile, rt_nic_take() passes it over.  True: it is in line now.
 */
static bool line_up(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	struct rt_fab_port *port = &fab->ports[flow->port];
	const uint32_t slot = rt_send_slot(index);

	if (flow->ready || !can_send(fab, flow))
		return false;
	if (flow->next_ps > fab->events.now_ps && flow->next_ps > port->free_ps) {
		rt_events_slot_set(&fab->events, slot, flow->next_ps);
		return false;
	}
	rt_events_slot_clear(&fab->events, slot);
	make_ready(fab, port, index);
	return true;
}

/* --- rate --------------------------------------------------------------- */

static void arm(struct rt_fabric *fab, uint32_t slot, uint64_t at_ps)
{
	if (at_ps == RT_PS_NEVER)
		rt_events_slot_clear(&fab->events, slot);
	else
		rt_events_slot_set(&fab->events, slot, at_ps);
}

/* Do what a change of the reaction point asks for: enum rt_rp_change bits. */
static void apply(struct rt_fabric *fab, uint32_t index, unsigned change)
{
	struct rt_fab_flow *flow = &fab->flows[index];

	if (change & RT_RP_ARM_INCREASE)
		arm(fab, rt_flow_slot(fab, index, RT_EV_INCREASE),
		    flow->rp.increase_at_ps);
	if (change & RT_RP_ARM_DECREASE)
		arm(fab, rt_flow_slot(fab, index, RT_EV_DECREASE),
		    flow->rp.decrease_at_ps);
	if (!(change & RT_RP_RATE))
		return;
	flow->gap_ps = rt_fabric_wire_ps(fab, fab->full_bytes, flow->rp.rate_bps);
	if (!flow->sent_bytes || (fab->config.options & RT_MODEL_PENDING_SEND_STAYS))
		return;
	pace(fab, flow);
	rt_flow_may_send(fab, index);
}

void rt_flow_increase(struct rt_fabric *fab, uint32_t index)
{
	apply(fab, index,
	      rt_rp_on_increase(&fab->flows[index].rp, &fab->config.rp,
				fab->events.now_ps));
}

void rt_flow_decrease(struct rt_fabric *fab, uint32_t index)
{
	fab->cuts += fab->flows[index].rp.cut_due;
	apply(fab, index,
	      rt_rp_on_decrease(&fab->flows[index].rp, &fab->config.rp,
				fab->events.now_ps));
}

static void congested(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];

	if (flow->done || (fab->config.options & RT_MODEL_NO_CC))
		return;
	if (fab->config.rp.reaction != RT_RP_MLX)
		fab->cuts++;
	if (fab->tick_first)
		rt_rp_alpha_until(&flow->rp, &fab->config.rp, fab->events.now_ps);
	apply(fab, index, rt_rp_on_cnp(&flow->rp, &fab->config.rp, fab->events.now_ps));
}

/* --- sending ------------------------------------------------------------ */

static void fill_data(struct rt_fabric *fab, struct rt_fab_flow *flow,
		      uint64_t sequence, struct rt_packet *packet)
{
	const struct rt_wire_format *wire = &fab->config.wire;
	uint32_t payload = fab->config.mtu_bytes, extra = 0, end = 0;
	uint64_t of_message = sequence;

	if (of_message >= flow->message_packets)
		of_message %= flow->message_packets;
	if (of_message == 0) {
		extra = flow->first_extra;
		packet->flags |= RT_PACKET_FIRST;
	}
	if (of_message + 1 == flow->message_packets) {
		payload = flow->message_last_bytes;
		end = flow->last_extra;
		packet->flags |= RT_PACKET_LAST;
	}
	if (sequence + 1 == flow->packets) {
		payload = flow->last_bytes;
		end = flow->last_extra;
		packet->flags |= RT_PACKET_LAST;
	}
	/* RoCE pads the payload to whole words (IBTA 9.2.3). */
	packet->bytes = (uint16_t)((payload + 3) / 4 * 4 + wire->data_overhead + extra +
				   end);
}

static void make_data(struct rt_fabric *fab, uint32_t index, struct rt_packet *packet)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	const bool armed = flow->tx.timeout_at_ps != RT_PS_NEVER;
	bool resent;
	const uint64_t sequence = rt_rc_send(&flow->tx, &fab->config.rc,
					     fab->events.now_ps, &resent);
	const uint32_t slot = rt_flow_slot(fab, index, RT_EV_RTO);

	*packet = (struct rt_packet){
		.flow = index,
		.psn = rt_rc_psn(&flow->tx, sequence),
		.kind = RT_PACKET_DATA,
		.flags = flow->data_flags,
		.prio = flow->prio,
	};
	if (resent) {
		packet->flags |= RT_PACKET_RESENT;
		flow->stats.resent++;
	}
	fill_data(fab, flow, sequence, packet);
	/* At the end of a message, and when nothing can follow without an ACK. */
	if (packet->flags & RT_PACKET_LAST || !can_send(fab, flow))
		packet->flags |= RT_PACKET_ACKREQ;
	if (!armed && flow->tx.timeout_at_ps != RT_PS_NEVER &&
	    !rt_events_slot_pending(&fab->events, slot))
		rt_events_slot_set(&fab->events, slot, flow->tx.timeout_at_ps);
}

void rt_flow_may_send(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	struct rt_fab_port *port = &fab->ports[flow->port];

	/* Nobody else is there: no need to stand in line. */
	if (!port->looks && flow->next_ps <= fab->events.now_ps &&
	    can_send(fab, flow) && rt_port_idle(fab, port, flow->prio)) {
		struct rt_packet packet;

		rt_events_slot_clear(&fab->events, rt_send_slot(index));
		make_data(fab, index, &packet);
		rt_port_send_data(fab, port, &packet);
		return;
	}
	if (port->looks || line_up(fab, index))
		rt_port_kick(fab, port);
}

void rt_flow_start(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];

	/* An application of ns-3 starts after what else happens at that time. */
	if (fab->looks && !flow->called) {
		flow->called = true;
		rt_events_slot_set(&fab->events, rt_send_slot(index),
				   fab->events.now_ps);
		return;
	}
	flow->started = true;
	rt_flow_post(flow);
	if (fab->looks)
		rt_nic_look_add(fab, index);
	rt_flow_may_send(fab, index);
}

bool rt_nic_take(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio,
		 struct rt_packet *ret_packet)
{
	const uint32_t index = port->prios[prio].ready_first;
	struct rt_fab_flow *flow;

	if (index == RT_FLOW_NONE)
		return false;
	flow = &fab->flows[index];
	port->prios[prio].ready_first = flow->next_ready;
	flow->ready = false;
	if (!can_send(fab, flow))
		return false;
	if (flow->next_ps > fab->events.now_ps) {
		rt_events_slot_set(&fab->events, rt_send_slot(index), flow->next_ps);
		return false;
	}
	make_data(fab, index, ret_packet);
	return true;
}

void rt_nic_sent(struct rt_fabric *fab, const struct rt_packet *packet)
{
	struct rt_fab_flow *flow = &fab->flows[packet->flow];
	const struct rt_wire_format *wire = &fab->config.wire;
	unsigned change;

	flow->sent_ps = fab->events.now_ps;
	flow->sent_bytes = wire->lead_bytes + packet->bytes + wire->gap_bytes;
	flow->next_ps = paced_ps(fab, flow);
	if (flow->shaped)
		rt_flow_shape_sent(fab, flow);
	change = rt_rp_on_bytes_sent(&flow->rp, &fab->config.rp, packet->bytes);
	if (change)
		apply(fab, packet->flow, change);
	if (!fab->looks)
		line_up(fab, packet->flow);
}

void rt_flow_finish(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];

	flow->done = true;
	flow->done_ps = fab->events.now_ps;
	fab->over |= !--fab->flows_open;
	rt_events_slot_clear(&fab->events, rt_send_slot(index));
	for (unsigned type = RT_EV_INCREASE; type <= RT_EV_NP; type++)
		rt_events_slot_clear(&fab->events, rt_flow_slot(fab, index, type));
	if (fab->looks)
		rt_port_kick(fab, &fab->ports[flow->port]);
}

void rt_flow_timeout(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	const unsigned what = rt_rc_on_timeout(&flow->tx, &fab->config.rc,
					       fab->events.now_ps);

	if (what & RT_RC_FAILED) {
		flow->stats.failed = true;
		rt_flow_finish(fab, index);
		return;
	}
	if (what & RT_RC_TIMER && flow->tx.timeout_at_ps != RT_PS_NEVER)
		rt_events_slot_set(&fab->events, rt_flow_slot(fab, index, RT_EV_RTO),
				   flow->tx.timeout_at_ps);
	if (what & RT_RC_GO_BACK) {
		flow->stats.timeouts++;
		rt_flow_may_send(fab, index);
	}
}

/* --- what comes back to the sender -------------------------------------- */

static void acknowledged(struct rt_fabric *fab, uint32_t index,
			 const struct rt_packet *packet)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	const uint64_t now_ps = fab->events.now_ps;
	const uint32_t slot = rt_flow_slot(fab, index, RT_EV_RTO);
	unsigned what;

	if (flow->done)
		return;
	if (packet->kind == RT_PACKET_NAK) {
		flow->stats.naks++;
		what = rt_rc_on_nak(&flow->tx, &fab->config.rc,
				    packet->psn & RT_PSN_MASK, rt_packet_ahead(packet),
				    now_ps);
	} else {
		what = rt_rc_on_ack(&flow->tx, &fab->config.rc, packet->psn, now_ps);
	}
	if (what & RT_RC_FAILED) {
		rt_flow_finish(fab, index);
		flow->stats.failed = true;
		return;
	}
	if (what & RT_RC_IDLE && flow->tx.acked == flow->packets) {
		rt_flow_finish(fab, index);
		return;
	}
	if (flow->outstanding)
		rt_flow_post(flow);
	if (packet->flags & RT_PACKET_ECHO) {
		flow->stats.echoes++;
		congested(fab, index);
	}
	if (what & RT_RC_TIMER && flow->tx.timeout_at_ps != RT_PS_NEVER &&
	    (flow->tx.selective || !rt_events_slot_pending(&fab->events, slot)))
		rt_events_slot_set(&fab->events, slot, flow->tx.timeout_at_ps);
	if (what & (RT_RC_PROGRESS | RT_RC_GO_BACK) && !flow->ready)
		rt_flow_may_send(fab, index);
}

/* --- the receiver ------------------------------------------------------- */

static void send_cnp(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	struct rt_packet packet = {
		.flow = index,
		.bytes = (uint16_t)fab->config.wire.cnp_bytes,
		.kind = RT_PACKET_CNP,
		.prio = fab->config.cnp_prio,
	};

	flow->stats.cnps_sent++;
	rt_port_queue(fab, &fab->ports[flow->spec.to], &packet);
}

void rt_flow_cnp_due(struct rt_fabric *fab, uint32_t index)
{
	if (rt_np_on_timer(&fab->flows[index].np, &fab->config.np, fab->events.now_ps))
		send_cnp(fab, index);
}

static void marked(struct rt_fabric *fab, uint32_t index)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	const uint32_t slot = rt_flow_slot(fab, index, RT_EV_NP);

	flow->stats.marked++;
	if (fab->config.options & RT_MODEL_ECN_ECHO_IN_ACK) {
		flow->echo = true;
		return;
	}
	if (fab->config.options & RT_MODEL_NO_CC)
		return;
	if (rt_np_on_mark(&flow->np, &fab->config.np, fab->events.now_ps))
		send_cnp(fab, index);
	else if (flow->np.cnp_at_ps != RT_PS_NEVER &&
		 !rt_events_slot_pending(&fab->events, slot))
		rt_events_slot_set(&fab->events, slot, flow->np.cnp_at_ps);
}

static void reply(struct rt_fabric *fab, uint32_t index,
		  const struct rt_rc_reply *reply)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	struct rt_fab_port *port = &fab->ports[flow->spec.to];
	struct rt_packet packet = {
		.flow = index,
		.psn = reply->psn,
		.bytes = (uint16_t)fab->config.wire.ack_bytes,
		.kind = reply->kind == RT_RC_NAK ? RT_PACKET_NAK : RT_PACKET_ACK,
		.flags = flow->echo ? RT_PACKET_ECHO : 0,
		.prio = flow->ack_prio,
	};

	if (reply->kind == RT_RC_NAK) {
		rt_packet_set_ahead(&packet, reply->ahead);
		if (fab->config.options & RT_MODEL_NAK_CUTS)
			packet.flags |= RT_PACKET_ECHO;
	}
	flow->echo = false;
	if (!(fab->config.options & RT_MODEL_ACK_HIGH_PRIO)) {
		rt_port_queue(fab, port, &packet);
		return;
	}
	rt_port_queue_first(fab, port, &packet);
}

static void received(struct rt_fabric *fab, uint32_t index,
		     const struct rt_packet *packet)
{
	struct rt_fab_flow *flow = &fab->flows[index];
	struct rt_rc_reply answer;

	if (!flow->received) {
		/* Of datagrams none is received in this sense: each comes by here. */
		if (flow->shape.datagrams) {
			rt_flow_datagram(fab, packet);
			return;
		}
		rt_np_init(&flow->np, &fab->config.np, fab->events.now_ps);
	}
	if (packet->flags & RT_PACKET_CE)
		marked(fab, index);
	answer = rt_rc_on_data(&flow->rx, &fab->config.rc, packet->psn,
			       packet->flags & RT_PACKET_ACKREQ, fab->events.now_ps);
	if (answer.delivered) {
		flow->received += answer.delivered;
		flow->last_ps = fab->events.now_ps;
	}
	if (answer.kind != RT_RC_SILENT)
		reply(fab, index, &answer);
	else if (!answer.delivered)
		flow->echo = false; /* of a packet that nothing is said of */
}

void rt_nic_arrive(struct rt_fabric *fab, const struct rt_packet *packet)
{
	switch (packet->kind) {
	case RT_PACKET_DATA: received(fab, packet->flow, packet); break;
	case RT_PACKET_CNP:
		fab->flows[packet->flow].stats.cnps_received++;
		congested(fab, packet->flow);
		break;
	default: acknowledged(fab, packet->flow, packet); break;
	}
}
