/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_core.c - frames that come in are stored, those whose turn it is go out. */
#include "lab/switch_core.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "cc/ps.h"
#include "lab/switch_frame.h"
#include "rocetune/err.h"
#include "wire/bytes.h"

#define FCS_BYTES       4u
#define TYPE_VLAN       0x8100
#define ADDRESSES_BYTES 12u

/* What buffers and the wire count of a frame. */
static uint32_t frame_bytes(uint32_t bytes)
{
	return (bytes < RT_LAB_FRAME_MIN ? RT_LAB_FRAME_MIN : bytes) + FCS_BYTES;
}

/* --- coming in ------------------------------------------------------------ */

static void fail(struct rt_lab_core *core, int code)
{
	if (!core->failed)
		core->failed = code;
}

static void no_memory(struct rt_lab_core *core)
{
	fail(core, rt_err_sys(core->err, -ENOMEM, "cannot queue a frame"));
}

/*
 * Room at ingress, and for lossy classes at egress: false drops.  A lossless class is
 * judged at ingress only.
 */
static bool admit(struct rt_lab_core *core, uint32_t in, struct rt_lab_port *out,
		  unsigned prio, uint32_t bytes)
{
	struct rt_lab_port *port = &core->ports[in];
	struct rt_lab_pools *pools = &core->pools[port->at_switch];
	struct rt_lab_switch_prio *counts = &port->counts.prios[prio];
	struct rt_pg *pg = &port->pgs[prio];
	unsigned verdict;

	if (!port->pg[prio].lossless)
		return rt_egress_enqueue(&pools->egress, &core->laws.egress,
					 &out->counts.prios[prio].queue_bytes, bytes);
	verdict = rt_buffer_enqueue(&pools->pool, &port->pg[prio], pg, bytes);
	if (verdict & RT_BUFFER_DROP)
		return false;
	if (pg->headroom_bytes > counts->headroom_max_bytes)
		counts->headroom_max_bytes = pg->headroom_bytes;
	out->counts.prios[prio].queue_bytes += bytes;
	if (verdict & RT_BUFFER_PAUSE)
		rt_lab_pause_tell(core, in, prio);
	return true;
}

/* With the tag that was taken out put back. */
static void copy_frame(uint8_t *to, const struct rt_lab_arrival *frame)
{
	size_t at = 0;

	if (frame->tagged) {
		at = ADDRESSES_BYTES;
		memcpy(to, frame->data, at);
		rt_put_be16(to + at, frame->tpid ? frame->tpid : TYPE_VLAN);
		rt_put_be16(to + at + 2, frame->vlan);
		to += RT_LAB_TAG_BYTES;
	}
	memcpy(to + at, frame->data + at, frame->bytes - at);
}

/* By the queue it found, or the one it leaves behind. */
static void mark(struct rt_lab_core *core, const struct rt_red *red,
		 uint64_t queue_bytes, struct rt_lab_stored *stored)
{
	if (!(stored->flags & RT_LAB_STORED_ECT) ||
	    !rt_red_marks(red, queue_bytes, &core->rng))
		return;
	stored->flags |= RT_LAB_STORED_CE;
	rt_lab_mark_ce(rt_lab_stored_data(stored) + stored->net_at);
}

/* Into the queue of port out, both by index. */
static void store(struct rt_lab_core *core, uint32_t in, uint32_t out, unsigned prio,
		  const struct rt_lab_arrival *frame, const struct rt_lab_look *look)
{
	const uint32_t tag_bytes = frame->tagged ? RT_LAB_TAG_BYTES : 0;
	const uint32_t bytes = frame->bytes + tag_bytes;
	struct rt_lab_port *port = &core->ports[out];
	struct rt_lab_switch_prio *counts = &port->counts.prios[prio];
	struct rt_lab_queue *queue = &port->queues[prio];
	const uint64_t found_bytes = counts->queue_bytes;
	struct rt_lab_stored *stored;

	if (!rt_lab_queue_room(queue, bytes)) {
		no_memory(core);
		return;
	}
	if (bytes > RT_LAB_FRAME_MAX + RT_LAB_TAG_BYTES ||
	    !admit(core, in, port, prio, frame_bytes(bytes))) {
		if (core->ports[in].pg[prio].lossless)
			counts = &core->ports[in].counts.prios[prio];
		counts->drops++;
		counts->drop_bytes += bytes;
		return;
	}
	if (counts->queue_bytes > counts->queue_max_bytes)
		counts->queue_max_bytes = counts->queue_bytes;
	stored = rt_lab_queue_put(queue, bytes);
	stored->in = in;
	if (look->net_at)
		stored->net_at = (uint16_t)(look->net_at + tag_bytes);
	if (look->ecn == RT_ECN_ECT0 || look->ecn == RT_ECN_ECT1)
		stored->flags = RT_LAB_STORED_ECT;
	copy_frame(rt_lab_stored_data(stored), frame);
	if (core->laws.options & RT_MODEL_RED_AT_ENQUEUE)
		mark(core, &port->red[prio], found_bytes, stored);
	rt_sched_backlogged(&port->sched, prio);
	port->retry_ps = RT_PS_NEVER;
	rt_lab_port_due(core, out);
}

static void count_came(struct rt_lab_port *port, unsigned prio,
		       const struct rt_lab_arrival *frame)
{
	port->counts.prios[prio].rx_frames++;
	port->counts.prios[prio].rx_bytes += frame->bytes +
					     (frame->tagged ? RT_LAB_TAG_BYTES : 0);
}

static void flood(struct rt_lab_core *core, uint32_t in, unsigned prio,
		  const struct rt_lab_arrival *frame, const struct rt_lab_look *look)
{
	const struct rt_topology *topology = core->topology;
	const uint32_t from = topology->hosts + in, node = topology->ports[from].node;
	bool counted = false;

	for (uint32_t out = topology->first_port[node];
	     out < topology->first_port[node + 1]; out++) {
		if (!rt_lab_floods(topology, from, out))
			continue;
		if (!counted)
			count_came(&core->ports[in], prio, frame);
		counted = true;
		store(core, in, out - topology->hosts, prio, frame, look);
	}
	core->ports[in].counts.filtered += !counted;
}

/* A frame's last byte has come in by port in. */
static void come_in(struct rt_lab_core *core, uint32_t in,
		    const struct rt_lab_arrival *frame)
{
	const struct rt_topology *topology = core->topology;
	struct rt_lab_port *port = &core->ports[in];
	struct rt_lab_look look;
	uint32_t host, out;
	unsigned prio;

	if (!rt_lab_look(frame->data, frame->bytes, &look)) {
		port->counts.filtered++;
		return;
	}
	if (rt_lab_mac_is_link_local(look.dst)) {
		rt_lab_pause_came(core, in, frame->data, frame->bytes);
		return;
	}
	if (port->role == RT_PORT_HOST)
		rt_lab_macs_learn(core->macs, look.src,
				  topology->ports[topology->hosts + in].peer,
				  core->now_ps);
	prio = look.net_at ? core->prio_of_dscp[look.dscp] : 0;
	host = rt_lab_macs_find(core->macs, look.dst);
	if (host == RT_LAB_HOST_NONE) {
		flood(core, in, prio, frame, &look);
		return;
	}
	out = rt_lab_forward(topology, topology->hosts + in, host,
			     rt_hash_pair(core->macs->seed, look.hash));
	if (out == RT_LAB_PORT_NONE) {
		port->counts.filtered++;
		return;
	}
	count_came(port, prio, frame);
	store(core, in, out - topology->hosts, prio, frame, &look);
}

/* --- going out ------------------------------------------------------------ */

void rt_lab_port_due(struct rt_lab_core *core, uint32_t index)
{
	const struct rt_lab_port *port = &core->ports[index];
	uint64_t due_ps = port->timer_ps, start_ps = RT_PS_NEVER;

	if (port->done_ps != RT_PS_NEVER)
		start_ps = port->done_ps;
	else if (port->pause_due)
		start_ps = port->free_ps;
	else if (rt_sched_ready(&port->sched))
		start_ps = port->retry_ps == RT_PS_NEVER ? port->free_ps
							 : port->retry_ps;
	core->due_ps[index] = start_ps < due_ps ? start_ps : due_ps;
}

/* A frame of prio that came in by port in leaves the buffer. */
static void release(struct rt_lab_core *core, struct rt_lab_port *out, unsigned prio,
		    const struct rt_lab_stored *stored)
{
	struct rt_lab_port *in = &core->ports[stored->in];
	struct rt_lab_pools *pools = &core->pools[out->at_switch];
	uint64_t *queue_bytes = &out->counts.prios[prio].queue_bytes;
	const uint32_t bytes = frame_bytes(stored->bytes);

	if (!in->pg[prio].lossless) {
		rt_egress_dequeue(&pools->egress, &core->laws.egress, queue_bytes,
				  bytes);
		return;
	}
	*queue_bytes -= bytes;
	if (rt_buffer_dequeue(&pools->pool, &in->pg[prio], &in->pgs[prio], bytes) &
	    RT_BUFFER_RESUME)
		rt_lab_pause_tell(core, stored->in, prio);
}

static int pick(struct rt_lab_core *core, struct rt_lab_port *port)
{
	uint32_t head_bytes[RT_QUEUES];
	unsigned left = rt_sched_counts(&port->sched, &core->sched);

	for (; left; left &= left - 1) {
		const unsigned prio = (unsigned)__builtin_ctz(left);

		head_bytes[prio] = frame_bytes(
			rt_lab_queue_first(&port->queues[prio])->bytes);
	}
	return rt_sched_pick(&port->sched, &core->sched, head_bytes, core->now_ps);
}

static void take(struct rt_lab_core *core, struct rt_lab_port *port, unsigned prio,
		 struct rt_lab_stored *stored)
{
	struct rt_lab_switch_prio *counts = &port->counts.prios[prio];

	release(core, port, prio, stored);
	if (!(core->laws.options & RT_MODEL_RED_AT_ENQUEUE))
		mark(core, &port->red[prio], counts->queue_bytes, stored);
	counts->tx_frames++;
	counts->tx_bytes += stored->bytes;
	counts->tx_ce += (stored->flags & RT_LAB_STORED_CE) != 0;
}

/* The first bit of what goes next, if anything may. */
static void start(struct rt_lab_core *core, struct rt_lab_port *port)
{
	const struct rt_wire_format *wire = &core->laws.wire;
	int queue = RT_LAB_QUEUE_FIRST;
	struct rt_lab_stored *stored;
	uint64_t bytes;

	port->retry_ps = RT_PS_NEVER;
	if (port->pause_due) {
		if (!rt_lab_pause_build(core, port)) {
			no_memory(core);
			return;
		}
	} else {
		queue = pick(core, port);
	}
	if (queue < 0) {
		port->retry_ps = rt_sched_retry_ps(&port->sched, &core->sched);
		return;
	}
	stored = rt_lab_queue_first(&port->queues[queue]);
	rt_lab_queue_take(&port->queues[queue]);
	if (queue != RT_LAB_QUEUE_FIRST) {
		take(core, port, (unsigned)queue, stored);
		if (rt_lab_queue_empty(&port->queues[queue]))
			rt_sched_emptied(&port->sched, (unsigned)queue);
	}
	bytes = wire->lead_bytes + frame_bytes(stored->bytes);
	port->sending = (uint8_t)queue;
	port->done_ps = core->now_ps + rt_lab_wire_ps(bytes, port->speed_bps);
	port->free_ps = core->now_ps +
			rt_lab_wire_ps(bytes + wire->gap_bytes, port->speed_bps);
}

static void flush_port(struct rt_lab_core *core, struct rt_lab_port *port)
{
	struct iovec frames[RT_LAB_OUT_MAX];
	uint64_t at[RT_QUEUES + 1];
	int taken;

	for (unsigned q = 0; q <= RT_QUEUES; q++)
		at[q] = port->queues[q].free;
	for (unsigned i = 0; i < port->out_count; i++) {
		const unsigned q = port->out[i];
		struct rt_lab_stored *stored = rt_lab_queue_taken(&port->queues[q],
								  &at[q]);

		frames[i] = (struct iovec){ .iov_base = rt_lab_stored_data(stored),
					    .iov_len = stored->bytes };
	}
	taken = core->send(core->send_user,
			   core->topology->hosts + (uint32_t)(port - core->ports),
			   frames, port->out_count, core->err);
	if (taken < 0) {
		fail(core, taken);
		return;
	}
	for (int i = 0; i < taken; i++)
		rt_lab_queue_let_go(&port->queues[port->out[i]]);
	port->out_count -= (unsigned)taken;
	memmove(port->out, port->out + taken, port->out_count);
}

/* An interface that takes nothing for long loses the oldest. */
static void hand_out(struct rt_lab_core *core, struct rt_lab_port *port)
{
	const uint64_t late_ns = (core->until_ps - port->done_ps) / RT_PS_PER_NS;

	port->counts.late_sum_ns += late_ns;
	if (late_ns > port->counts.late_max_ns)
		port->counts.late_max_ns = late_ns;
	if (port->out_count == RT_LAB_OUT_MAX)
		flush_port(core, port);
	if (port->out_count == RT_LAB_OUT_MAX) {
		rt_lab_queue_let_go(&port->queues[port->out[0]]);
		memmove(port->out, port->out + 1, --port->out_count);
		port->counts.ring_drops++;
	}
	if (!port->is_busy)
		core->busy[core->busy_count++] = (uint16_t)(port - core->ports);
	port->is_busy = true;
	port->out[port->out_count++] = port->sending;
}

/* The last bit of what was under way. */
static void finish(struct rt_lab_core *core, struct rt_lab_port *port)
{
	struct rt_lab_queue *queue = &port->queues[port->sending];
	uint64_t at = queue->free;
	struct rt_lab_stored *stored;

	if (port->peer == RT_LAB_PORT_NONE) {
		hand_out(core, port);
		port->done_ps = RT_PS_NEVER;
		return;
	}
	port->done_ps = RT_PS_NEVER;
	stored = rt_lab_queue_taken(queue, &at);
	come_in(core, port->peer,
		&(struct rt_lab_arrival){ .data = rt_lab_stored_data(stored),
					  .bytes = stored->bytes });
	rt_lab_queue_let_go(queue);
}

/* Something is due at this port. */
static void step(struct rt_lab_core *core, uint32_t index)
{
	struct rt_lab_port *port = &core->ports[index];

	rt_lab_pause_timers(core, port);
	if (port->done_ps <= core->now_ps)
		finish(core, port);
	if (port->done_ps == RT_PS_NEVER && port->free_ps <= core->now_ps)
		start(core, port);
	rt_lab_port_due(core, index);
}

/* --- time ----------------------------------------------------------------- */

static uint32_t earliest(const struct rt_lab_core *core)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < core->port_count; i++)
		if (core->due_ps[i] < core->due_ps[first])
			first = i;
	return first;
}

static void run_until(struct rt_lab_core *core, uint64_t until_ps)
{
	while (!core->failed) {
		const uint32_t index = earliest(core);

		if (core->due_ps[index] > until_ps)
			break;
		if (core->due_ps[index] > core->now_ps)
			core->now_ps = core->due_ps[index];
		step(core, index);
	}
	if (until_ps > core->now_ps)
		core->now_ps = until_ps;
}

int rt_lab_core_arrive(struct rt_lab_core *core, const struct rt_lab_arrival *arrival,
		       struct rt_err *err)
{
	core->err = err;
	if (arrival->time_ps > core->until_ps)
		core->until_ps = arrival->time_ps;
	run_until(core, arrival->time_ps);
	if (!core->failed)
		come_in(core, arrival->port - core->topology->hosts, arrival);
	core->err = NULL;
	return core->failed;
}

int rt_lab_core_advance(struct rt_lab_core *core, uint64_t until_ps, struct rt_err *err)
{
	core->err = err;
	if (until_ps > core->until_ps)
		core->until_ps = until_ps;
	run_until(core, until_ps);
	core->err = NULL;
	return core->failed;
}

void rt_lab_core_wake(struct rt_lab_core *core, uint64_t now_ps, uint64_t most_ps)
{
	core->until_ps = now_ps;
	if (now_ps > most_ps && core->now_ps < now_ps - most_ps)
		core->now_ps = now_ps - most_ps;
}

int rt_lab_core_flush(struct rt_lab_core *core, struct rt_err *err)
{
	uint32_t left = 0;

	core->err = err;
	for (uint32_t i = 0; i < core->busy_count && !core->failed; i++) {
		struct rt_lab_port *port = &core->ports[core->busy[i]];

		if (port->out_count)
			flush_port(core, port);
		port->is_busy = port->out_count != 0;
		if (port->is_busy)
			core->busy[left++] = core->busy[i];
	}
	core->busy_count = left;
	core->err = NULL;
	return core->failed;
}

uint64_t rt_lab_core_next_ps(const struct rt_lab_core *core)
{
	return core->due_ps[earliest(core)];
}
