/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_pause.c - PFC frames (IEEE 802.1Qbb) that come in, and those that are sent. */
#include "lab/switch_core.h"

#include "cc/ps.h"
#include "wire/build.h"
#include "wire/bytes.h"

enum {
	TYPE_MAC_CONTROL = 0x8808,
	OPCODE_PFC = 0x0101,
	PFC_BYTES = 34, /* Ethernet header, opcode, vector, eight times */
};

static uint64_t quanta_ps(uint64_t quanta, uint64_t speed_bps)
{
	return (uint64_t)((unsigned __int128)quanta * 512 * 1000000000000 / speed_bps);
}

static void set_timer(struct rt_lab_port *port)
{
	uint64_t earliest_ps = RT_PS_NEVER;

	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (port->pause_end_ps[prio] < earliest_ps)
			earliest_ps = port->pause_end_ps[prio];
		if (port->refresh_ps[prio] < earliest_ps)
			earliest_ps = port->refresh_ps[prio];
	}
	port->timer_ps = earliest_ps;
}

/* --- paused by the peer --------------------------------------------------- */

static void resume(struct rt_lab_core *core, struct rt_lab_port *port, unsigned prio)
{
	const unsigned mask = port->sched.paused_mask & ~(1u << prio);

	if (port->pause_end_ps[prio] == RT_PS_NEVER)
		return;
	port->counts.prios[prio].rx_paused_ns +=
		(core->now_ps - port->paused_from_ps[prio]) / RT_PS_PER_NS;
	port->pause_end_ps[prio] = port->retry_ps = RT_PS_NEVER;
	rt_sched_set_paused(&port->sched, (uint8_t)mask);
}

static void pause(struct rt_lab_core *core, struct rt_lab_port *port, unsigned prio,
		  uint16_t quanta)
{
	if (port->pause_end_ps[prio] == RT_PS_NEVER)
		port->paused_from_ps[prio] = core->now_ps;
	port->pause_end_ps[prio] = core->now_ps + quanta_ps(quanta, port->speed_bps);
	rt_sched_set_paused(&port->sched,
			    (uint8_t)(port->sched.paused_mask | 1u << prio));
}

/* A switch obeys on the priorities it has PFC on, which are the lossless ones. */
void rt_lab_pause_came(struct rt_lab_core *core, uint32_t index, const uint8_t *data,
		       uint32_t bytes)
{
	struct rt_lab_port *port = &core->ports[index];
	unsigned enabled;

	if (bytes < PFC_BYTES || rt_get_be16(data + 12) != TYPE_MAC_CONTROL ||
	    rt_get_be16(data + 14) != OPCODE_PFC) {
		port->counts.filtered++;
		return;
	}
	enabled = data[17];
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		const uint16_t quanta = rt_get_be16(data + 18 + 2 * prio);

		if (!(enabled >> prio & 1))
			continue;
		port->counts.prios[prio].rx_xoff += quanta != 0;
		port->counts.prios[prio].rx_xon += quanta == 0;
		if (!quanta)
			resume(core, port, prio);
		else if (port->pg[prio].lossless)
			pause(core, port, prio, quanta);
	}
	set_timer(port);
	rt_lab_port_due(core, index);
}

/* --- pausing the peer ----------------------------------------------------- */

static uint64_t refresh_after_ps(const struct rt_lab_core *core,
				 const struct rt_lab_port *port)
{
	return core->laws.pause_refresh_ps
		       ? core->laws.pause_refresh_ps
		       : quanta_ps(core->laws.pause_quanta, port->speed_bps) / 2 + 1;
}

void rt_lab_pause_tell(struct rt_lab_core *core, uint32_t index, unsigned prio)
{
	struct rt_lab_port *port = &core->ports[index];

	port->pause_due |= (uint8_t)(1u << prio);
	if (port->pgs[prio].paused) {
		port->pausing_from_ps[prio] = core->now_ps;
		port->refresh_ps[prio] = core->now_ps + refresh_after_ps(core, port);
	} else {
		port->counts.prios[prio].tx_paused_ns +=
			(core->now_ps - port->pausing_from_ps[prio]) / RT_PS_PER_NS;
		port->refresh_ps[prio] = RT_PS_NEVER;
	}
	if (core->laws.options & RT_MODEL_PAUSE_ON_OFF)
		port->refresh_ps[prio] = RT_PS_NEVER;
	set_timer(port);
	rt_lab_port_due(core, index);
}

void rt_lab_pause_timers(struct rt_lab_core *core, struct rt_lab_port *port)
{
	if (core->now_ps < port->timer_ps)
		return;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (port->pause_end_ps[prio] <= core->now_ps)
			resume(core, port, prio);
		if (port->refresh_ps[prio] <= core->now_ps) {
			port->pause_due |= (uint8_t)(1u << prio);
			port->refresh_ps[prio] = core->now_ps +
						 refresh_after_ps(core, port);
		}
	}
	set_timer(port);
}

/* One frame says it of every priority there is something to say of. */
bool rt_lab_pause_build(struct rt_lab_core *core, struct rt_lab_port *port)
{
	struct rt_lab_queue *queue = &port->queues[RT_LAB_QUEUE_FIRST];
	struct rt_pause asked = { .enable = port->pause_due };
	struct rt_lab_stored *stored;

	if (!rt_lab_queue_room(queue, RT_BUILD_PAUSE_BYTES))
		return false;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		struct rt_lab_switch_prio *counts = &port->counts.prios[prio];
		const bool xoff = port->pgs[prio].paused;

		if (!(port->pause_due >> prio & 1))
			continue;
		asked.quanta[prio] = xoff ? core->laws.pause_quanta : 0;
		counts->tx_xoff += xoff;
		counts->tx_xon += !xoff;
	}
	port->pause_due = 0;
	stored = rt_lab_queue_put(queue, RT_BUILD_PAUSE_BYTES);
	rt_build_pfc(port->mac, &asked, rt_lab_stored_data(stored),
		     RT_BUILD_PAUSE_BYTES);
	return true;
}
