/* SPDX-License-Identifier: BSD-2-Clause */
/* port.c - what every port does: choose what goes next, send it, be paused. */
#include <errno.h>

#include "fabric/state.h"
#include "rocetune/err.h"

/* --- statistics --------------------------------------------------------- */

/* Only data carries these two flags, only a pause frame has no PSN to speak of. */
static inline void count_sent(struct rt_port_counts *sent,
			      const struct rt_packet *packet)
{
	sent->bytes += packet->bytes;
	sent->kind[packet->kind]++;
	sent->ce += (packet->flags & RT_PACKET_CE) != 0;
	sent->resent += (packet->flags & RT_PACKET_RESENT) != 0;
}

static struct rt_port_pause *pause_of(struct rt_fabric *fab, struct rt_fab_port *port,
				      unsigned prio)
{
	if (!port->pauses) {
		port->pauses = calloc(RT_PRIO_COUNT, sizeof(*port->pauses));
		if (!port->pauses) {
			rt_fabric_fail(fab, rt_err_sys(fab->err, -ENOMEM,
						       "cannot count pauses"));
			return NULL;
		}
		for (unsigned i = 0; i < RT_PRIO_COUNT; i++) {
			port->pauses[i].paused_open_ns = -1;
			port->pauses[i].pausing_open_ns = -1;
		}
	}
	return &port->pauses[prio];
}

/*
 * What pause frames ask for, in the capture's nanoseconds: a frame replaces the
 * time that is left, quanta 0 ends it (802.1Qbb).
 */
static void count_asked(struct rt_sim_pause *stats, int64_t *open_ns, int64_t *end_ns,
			int64_t now_ns, uint64_t quanta, uint64_t speed_bps)
{
	if (*open_ns >= 0 && (!quanta || now_ns >= *end_ns)) {
		stats->asked_ns += (uint64_t)((now_ns < *end_ns ? now_ns : *end_ns) -
					      *open_ns);
		*open_ns = -1;
	}
	if (!quanta) {
		stats->xon++;
		return;
	}
	stats->xoff++;
	if (*open_ns < 0)
		*open_ns = now_ns;
	*end_ns = now_ns + (int64_t)rt_pause_ns((uint16_t)quanta, speed_bps);
}

static void count_pause(struct rt_fabric *fab, struct rt_fab_port *port,
			const struct rt_packet *packet, bool outgoing)
{
	struct rt_port_pause *pause = pause_of(fab, port, packet->prio);
	const int64_t now_ns = (int64_t)(fab->events.now_ps / 1000);
	const uint64_t speed_bps = port->link->speed_bps;

	if (!pause)
		return;
	if (outgoing)
		count_asked(&pause->pausing, &pause->pausing_open_ns,
			    &pause->pausing_end_ns, now_ns, packet->psn, speed_bps);
	else
		count_asked(&pause->paused, &pause->paused_open_ns,
			    &pause->paused_end_ns, now_ns, packet->psn, speed_bps);
}

/* --- sending ------------------------------------------------------------ */

static void learn_delay(struct rt_fabric *fab, struct rt_link *link,
			struct rt_link_delay *delay, uint32_t bytes)
{
	const struct rt_wire_format *wire = &fab->config.wire;

	delay->bytes = bytes;
	delay->done_ps = rt_fabric_wire_ps(
		fab, wire->lead_bytes + bytes + wire->gap_bytes, link->speed_bps);
	delay->arrive_ps = rt_fabric_wire_ps(fab, wire->lead_bytes + bytes,
					     link->speed_bps) +
			   link->delay_ps;
	delay->done_ring = rt_events_ring(&fab->events, delay->done_ps);
	delay->arrive_ring = rt_events_ring(&fab->events, delay->arrive_ps);
}

static inline const struct rt_link_delay *delay_of(struct rt_fabric *fab,
						   struct rt_link *link, uint32_t bytes)
{
	struct rt_link_delay *delay =
		&link->delays[(bytes ^ bytes >> 4) % RT_LINK_DELAYS];

	if (__builtin_expect(delay->bytes != bytes, 0))
		learn_delay(fab, link, delay, bytes);
	return delay;
}

static __attribute__((noinline)) void watch(struct rt_fabric *fab,
					    const struct rt_fab_port *port,
					    const struct rt_packet *packet)
{
	if (port->tap_tx >= 0)
		rt_tap_frame(fab, port, packet, true);
	if (fab->detail.on)
		rt_detail_sent(fab, port, packet);
}

static inline const struct rt_link_delay *
depart(struct rt_fabric *fab, struct rt_fab_port *port, const struct rt_packet *packet)
{
	const struct rt_link_delay *delay = delay_of(fab, port->link, packet->bytes);

	port->free_ps = fab->events.now_ps + delay->done_ps;
	port->busy_ps += delay->done_ps;
	count_sent(&port->sent, packet);
	if (port->watched_tx)
		watch(fab, port, packet);
	rt_events_after(&fab->events, delay->arrive_ring, delay->arrive_ps,
			port->arrive_what, packet);
	return delay;
}

/* Come back when what departs has left, if something waits for that. */
static inline void come_back(struct rt_fabric *fab, struct rt_fab_port *port,
			     const struct rt_link_delay *delay,
			     const struct rt_packet *packet)
{
	if (rt_packet_queue_empty(&port->first) && !port->tells_done &&
	    !rt_sched_ready(&port->sched))
		return;
	port->waiting = true;
	rt_events_after(&fab->events, delay->done_ring, delay->done_ps, port->done_what,
			packet);
}

static void transmit(struct rt_fabric *fab, struct rt_fab_port *port,
		     const struct rt_packet *packet)
{
	come_back(fab, port, depart(fab, port, packet), packet);
}

void rt_port_send_data(struct rt_fabric *fab, struct rt_fab_port *port,
		       const struct rt_packet *packet)
{
	const struct rt_link_delay *delay = depart(fab, port, packet);

	rt_nic_sent(fab, packet);
	come_back(fab, port, delay, packet);
}

/* A packet was taken of this priority; what is left? */
static inline void took(struct rt_fab_port *port, unsigned prio)
{
	struct rt_packet_queue *queue = &port->prios[prio].queue;

	if (!rt_packet_queue_empty(queue))
		return;
	/* Short queues stay in few lines of a cache. */
	queue->head = queue->tail = 0;
	if (!port->is_nic || port->prios[prio].ready_first == RT_FLOW_NONE)
		rt_sched_emptied(&port->sched, prio);
}

/* The scheduler asks for sizes when it counts credits: then they are looked up. */
static int pick(struct rt_fabric *fab, struct rt_fab_port *port)
{
	uint32_t head_bytes[RT_PRIO_COUNT];
	unsigned left = rt_sched_counts(&port->sched, &fab->sched);

	for (; left; left &= left - 1) {
		const unsigned prio = (unsigned)__builtin_ctz(left);
		const struct rt_packet_queue *queue = &port->prios[prio].queue;

		head_bytes[prio] = rt_packet_queue_empty(queue)
					   ? fab->full_bytes
					   : rt_packet_queue_first(queue)->bytes;
	}
	return rt_sched_pick(&port->sched, &fab->sched, head_bytes, fab->events.now_ps);
}

static void send_queued(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio)
{
	struct rt_packet packet = rt_packet_queue_pop(&port->prios[prio].queue);

	rt_port_area(fab, port);
	port->total_bytes -= packet.bytes;
	if (!port->is_nic)
		rt_switch_leave(fab, port, &packet);
	took(port, prio);
	transmit(fab, port, &packet);
}

/* False: the flow whose turn it was must still wait. */
static bool send_ready(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio)
{
	struct rt_packet packet;
	const bool taken = rt_nic_take(fab, port, prio, &packet);

	took(port, prio);
	if (taken)
		rt_port_send_data(fab, port, &packet);
	return taken;
}

/* A pause frame, or an ACK with ack_high_prio. */
static void send_first(struct rt_fabric *fab, struct rt_fab_port *port)
{
	const struct rt_packet packet = rt_packet_queue_pop(&port->first);

	if (packet.kind == RT_PACKET_PFC) {
		count_pause(fab, port, &packet, true);
		port->xon_sent += !packet.psn;
	}
	transmit(fab, port, &packet);
}

/* What is over its maximum rate may go when its bucket lets it. */
static void retry_later(struct rt_fabric *fab, struct rt_fab_port *port)
{
	uint64_t retry_ps;

	if (!(port->sched.backlog_mask & fab->sched.capped_mask))
		return;
	retry_ps = rt_sched_retry_ps(&port->sched, &fab->sched);
	if (retry_ps != RT_PS_NEVER)
		rt_events_slot_set(&fab->events,
				   rt_port_slot(fab, rt_port_index(fab, port)),
				   retry_ps);
}

static void send_next(struct rt_fabric *fab, struct rt_fab_port *port)
{
	int prio;

	if (!rt_packet_queue_empty(&port->first)) {
		send_first(fab, port);
		return;
	}
	if (port->looks)
		rt_nic_look(fab, port);
	do {
		prio = pick(fab, port);
		if (prio < 0) {
			retry_later(fab, port);
			return;
		}
		if (!rt_packet_queue_empty(&port->prios[prio].queue)) {
			send_queued(fab, port, (unsigned)prio);
			return;
		}
	} while (!send_ready(fab, port, (unsigned)prio));
}

void rt_port_kick(struct rt_fabric *fab, struct rt_fab_port *port)
{
	if (port->waiting)
		return;
	if (fab->events.now_ps >= port->free_ps) {
		send_next(fab, port);
		return;
	}
	port->waiting = true;
	rt_events_slot_set(&fab->events, rt_port_slot(fab, rt_port_index(fab, port)),
			   port->free_ps);
}

/* A slot that was set for a rate limit may come while a frame is being sent. */
void rt_port_free(struct rt_fabric *fab, struct rt_fab_port *port)
{
	if (fab->events.now_ps < port->free_ps)
		return;
	port->waiting = false;
	send_next(fab, port);
}

void rt_port_queue(struct rt_fabric *fab, struct rt_fab_port *port,
		   struct rt_packet *packet)
{
	const unsigned prio = packet->prio;
	struct rt_packet_queue *queue = &port->prios[prio].queue;

	if (port->total_bytes + packet->bytes > port->queue_max_bytes)
		port->queue_max_bytes = port->total_bytes + packet->bytes;
	/* A packet that may go at once, before all else there is, waits nowhere. */
	if (!port->total_bytes && rt_port_idle(fab, port, prio)) {
		if (!port->is_nic)
			rt_switch_leave(fab, port, packet);
		transmit(fab, port, packet);
		return;
	}
	rt_sched_backlogged(&port->sched, prio);
	if (!rt_packet_queue_push(queue, packet)) {
		rt_fabric_fail(fab,
			       rt_err_sys(fab->err, -ENOMEM, "cannot queue a packet"));
		return;
	}
	rt_port_area(fab, port);
	port->total_bytes += packet->bytes;
	rt_port_kick(fab, port);
}

void rt_port_queue_first(struct rt_fabric *fab, struct rt_fab_port *port,
			 const struct rt_packet *packet)
{
	if (!port->waiting && fab->events.now_ps >= port->free_ps &&
	    rt_packet_queue_empty(&port->first)) {
		transmit(fab, port, packet);
		return;
	}
	if (!rt_packet_queue_push(&port->first, packet))
		rt_fabric_fail(fab,
			       rt_err_sys(fab->err, -ENOMEM, "cannot queue a packet"));
	rt_port_kick(fab, port);
}

/* --- pausing ------------------------------------------------------------ */

void rt_port_send_pause(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio,
			bool xoff)
{
	const uint32_t slot = rt_refresh_slot(fab, rt_port_index(fab, port), prio);
	const struct rt_packet packet = {
		.flow = RT_FLOW_NONE,
		.psn = xoff ? fab->config.pause_quanta : 0,
		.bytes = (uint16_t)fab->config.wire.pfc_bytes,
		.kind = RT_PACKET_PFC,
		.prio = (uint8_t)prio,
	};

	if (!rt_packet_queue_push(&port->first, &packet))
		rt_fabric_fail(fab,
			       rt_err_sys(fab->err, -ENOMEM, "cannot queue a pause"));
	/* The model that is repeated draws an IP identification for each. */
	if (fab->random == RT_RANDOM_HPCC)
		rt_mrg32k3a_draw(&fab->ns3_rng);
	if (!(fab->config.options & RT_MODEL_PAUSE_ON_OFF)) {
		if (xoff)
			rt_events_slot_set(&fab->events, slot,
					   fab->events.now_ps + port->link->refresh_ps);
		else
			rt_events_slot_clear(&fab->events, slot);
	}
	rt_port_kick(fab, port);
}

void rt_port_refresh(struct rt_fabric *fab, uint32_t port_prio)
{
	struct rt_fab_port *port = &fab->ports[port_prio / RT_PRIO_COUNT];

	if (!port->prios[port_prio % RT_PRIO_COUNT].pg.paused)
		return;
	/* A pause frame that still waits for its turn says it as well. */
	if (rt_packet_queue_empty(&port->first))
		rt_port_send_pause(fab, port, port_prio % RT_PRIO_COUNT, true);
	else
		rt_events_slot_set(&fab->events,
				   rt_refresh_slot(fab, port_prio / RT_PRIO_COUNT,
						   port_prio % RT_PRIO_COUNT),
				   fab->events.now_ps + port->link->refresh_ps);
}

void rt_port_pause_arrived(struct rt_fabric *fab, struct rt_fab_port *port,
			   const struct rt_packet *packet)
{
	struct rt_link *link = port->link;

	count_pause(fab, port, packet, false);
	if (link->reaction_ps)
		rt_events_after(&fab->events, link->reaction_ring, link->reaction_ps,
				rt_event_what(RT_EV_PAUSE, rt_port_index(fab, port)),
				packet);
	else
		rt_port_pause_now(fab, port, packet);
}

static void resume(struct rt_fabric *fab, struct rt_fab_port *port, unsigned prio)
{
	struct rt_port_pause *pause = pause_of(fab, port, prio);
	const uint8_t mask = port->sched.paused_mask;

	if (!pause || !(mask >> prio & 1))
		return;
	pause->paused.stopped_ns.value += (fab->events.now_ps - pause->since_ps) / 1000;
	rt_sched_set_paused(&port->sched, (uint8_t)(mask & ~(1u << prio)));
	rt_port_kick(fab, port);
}

void rt_port_pause_now(struct rt_fabric *fab, struct rt_fab_port *port,
		       const struct rt_packet *packet)
{
	const unsigned prio = packet->prio;
	const uint32_t slot = rt_pause_end_slot(fab, rt_port_index(fab, port), prio);
	const uint64_t quantum_ps_x_bps = UINT64_C(512000000000000);
	struct rt_port_pause *pause = pause_of(fab, port, prio);

	if (!pause)
		return;
	if (!packet->psn) {
		rt_events_slot_clear(&fab->events, slot);
		resume(fab, port, prio);
		return;
	}
	if (!(port->sched.paused_mask >> prio & 1)) {
		pause->since_ps = fab->events.now_ps;
		pause->paused.pauses.value++;
		rt_sched_set_paused(&port->sched,
				    (uint8_t)(port->sched.paused_mask | 1u << prio));
	}
	if (!(fab->config.options & RT_MODEL_PAUSE_ON_OFF))
		rt_events_slot_set(&fab->events, slot,
				   fab->events.now_ps +
					   (uint64_t)((unsigned __int128)packet->psn *
						      quantum_ps_x_bps /
						      port->link->speed_bps));
}

void rt_port_pause_end(struct rt_fabric *fab, uint32_t port_prio)
{
	resume(fab, &fab->ports[port_prio / RT_PRIO_COUNT], port_prio % RT_PRIO_COUNT);
}
