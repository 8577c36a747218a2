/* SPDX-License-Identifier: BSD-2-Clause */
/* switch.c - a frame that came into a switch, and a packet that leaves it. */
#include <errno.h>

#include "fabric/state.h"
#include "rocetune/err.h"

/*
 * ns-3 models draw a number for every packet that leaves a queue between Kmin and Kmax,
 * though a second mark or one on an ACK is without effect.
 */
static bool ns3_marks(struct rt_fabric *fab, const struct rt_red *red,
		      uint64_t queue_bytes)
{
	if (queue_bytes > red->kmax_bytes)
		return true;
	return (fab->random == RT_RANDOM_HPCC ? rt_mrg32k3a_draw(&fab->ns3_rng)
					      : rt_mrg32k3a_next(&fab->ns3_rng)) <
	       rt_red_probability(red, queue_bytes);
}

static inline void mark(struct rt_fabric *fab, struct rt_fab_port *out,
			struct rt_packet *packet, uint64_t queue_bytes)
{
	const struct rt_red *red = &fab->config.red[out->role][packet->prio];
	bool may;

	if (queue_bytes <= red->kmin_bytes)
		return;
	may = (packet->flags & (RT_PACKET_ECT | RT_PACKET_CE)) == RT_PACKET_ECT;
	if (fab->random ? ns3_marks(fab, red, queue_bytes) && may
			: may && rt_red_marks(red, queue_bytes, &fab->rng)) {
		packet->flags |= RT_PACKET_CE;
		out->marked++;
	}
}

/*
 * Room at ingress, and for lossy classes at egress: false drops.  A lossless
 * class is judged at ingress only; a packet that a lossy egress refuses has
 * taken nothing there.
 */
static bool admit(struct rt_fabric *fab, struct rt_fab_port *in,
		  struct rt_fab_port *out, const struct rt_packet *packet)
{
	const struct rt_pg_params *params = &in->pg[packet->prio];
	struct rt_fab_switch *sw = in->in_switch;
	struct rt_pg *pg = &in->prios[packet->prio].pg;
	unsigned verdict;

	if (!params->lossless)
		return rt_egress_enqueue(&sw->egress, &fab->config.egress,
					 &out->prios[packet->prio].queued_bytes,
					 packet->bytes);
	verdict = rt_buffer_enqueue(&sw->pool, params, pg, packet->bytes);
	if (verdict & RT_BUFFER_DROP)
		return false;
	if (pg->headroom_bytes > fab->headroom_max_bytes)
		fab->headroom_max_bytes = pg->headroom_bytes;
	if (verdict & RT_BUFFER_PAUSE)
		rt_port_send_pause(fab, in, packet->prio, true);
	out->prios[packet->prio].queued_bytes += packet->bytes;
	return true;
}

/*
 * What is refused while the peer is asked to stop would have needed that much
 * headroom more.  Too small a headroom can refuse before anybody was asked.
 */
static void lose(struct rt_fabric *fab, struct rt_fab_port *in,
		 const struct rt_fab_port *out, const struct rt_packet *packet)
{
	const struct rt_pg *pg = &in->prios[packet->prio].pg;
	struct rt_port_loss *loss;

	in->drops++;
	if (fab->detail.on)
		rt_detail_lost(fab, out, packet);
	if (packet->kind == RT_PACKET_DATA)
		rt_flow_lost(fab, packet);
	if (!in->losses)
		in->losses = calloc(RT_PRIO_COUNT, sizeof(*in->losses));
	if (!in->losses) {
		rt_fabric_fail(fab,
			       rt_err_sys(fab->err, -ENOMEM, "cannot count losses"));
		return;
	}
	loss = &in->losses[packet->prio];
	loss->frames++;
	loss->bytes += packet->bytes;
	if (!pg->paused)
		return;
	loss->refused_bytes += packet->bytes;
	if (pg->headroom_bytes + loss->refused_bytes > loss->asked_bytes)
		loss->asked_bytes = pg->headroom_bytes + loss->refused_bytes;
}

void rt_switch_arrive(struct rt_fabric *fab, uint32_t port, struct rt_packet *packet)
{
	struct rt_fab_port *in = &fab->ports[port];
	const bool back = packet->kind != RT_PACKET_DATA;
	struct rt_fab_port *out =
		&fab->ports[fab->routes[packet->flow].ports[back][++packet->hop]];

	if (fab->config.options & RT_MODEL_RED_AT_ENQUEUE)
		mark(fab, out, packet, out->prios[packet->prio].queued_bytes);
	if (!admit(fab, in, out, packet)) {
		lose(fab, in, out, packet);
		return;
	}
	packet->in = (uint16_t)port;
	rt_port_queue(fab, out, packet);
}

void rt_switch_leave(struct rt_fabric *fab, struct rt_fab_port *out,
		     struct rt_packet *packet)
{
	struct rt_fab_port *in = &fab->ports[packet->in];
	const struct rt_pg_params *params = &in->pg[packet->prio];
	struct rt_fab_switch *sw = out->in_switch;
	unsigned verdict = RT_BUFFER_OK;

	if (!params->lossless) {
		rt_egress_dequeue(&sw->egress, &fab->config.egress,
				  &out->prios[packet->prio].queued_bytes,
				  packet->bytes);
	} else {
		out->prios[packet->prio].queued_bytes -= packet->bytes;
		verdict = rt_buffer_dequeue(&sw->pool, params,
					    &in->prios[packet->prio].pg, packet->bytes);
	}
	if (!(fab->config.options & RT_MODEL_RED_AT_ENQUEUE))
		mark(fab, out, packet, out->prios[packet->prio].queued_bytes);
	if (verdict & RT_BUFFER_RESUME) {
		if (in->losses)
			in->losses[packet->prio].refused_bytes = 0;
		rt_port_send_pause(fab, in, packet->prio, false);
	}
}
