/* SPDX-License-Identifier: BSD-2-Clause */
/* switch_counters.c - what a soft switch counted, and the tables that describe it. */
#include "cc/ps.h"
#include "lab/switch_core.h"

#define PRIO(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_lab_switch_prio, kind, member, unit, help, ##__VA_ARGS__)
#define PORT(kind, member, unit, help, ...) \
	RT_FIELD(struct rt_lab_switch_port, kind, member, unit, help, ##__VA_ARGS__)

static const struct rt_field prio_fields[] = {
	PRIO(U64, rx_frames, COUNT, "Frames that came in to be forwarded"),
	PRIO(U64, rx_bytes, BYTES, "Their bytes, without FCS"),
	PRIO(U64, tx_frames, COUNT, "Frames that went out"),
	PRIO(U64, tx_bytes, BYTES, "Their bytes, without FCS"),
	PRIO(U64, tx_ce, COUNT, "Of these, with a CE mark that this switch made"),
	PRIO(U64, drops, COUNT,
	     "Frames refused: of a lossless priority where they came in, of a lossy "
	     "one "
	     "where they would have left"),
	PRIO(U64, drop_bytes, BYTES, "Their bytes, without FCS"),
	PRIO(U64, rx_xoff, COUNT,
	     "PFC frames that came and asked this port to stop this priority: paused "
	     "by "
	     "the peer"),
	PRIO(U64, rx_xon, COUNT, "PFC frames that came and let it go on"),
	PRIO(U64, tx_xoff, COUNT,
	     "PFC frames sent that asked the peer to stop, repeated ones too: pausing "
	     "the peer"),
	PRIO(U64, tx_xon, COUNT, "PFC frames sent that let it go on"),
	PRIO(U64, rx_paused_ns, NS, "Time in which this priority could not send here"),
	PRIO(U64, tx_paused_ns, NS, "Time in which the peer was asked to stop"),
	PRIO(U64, queue_bytes, BYTES, "Waiting to go out now, with FCS"),
	PRIO(U64, queue_max_bytes, BYTES, "The most that ever waited"),
	PRIO(U64, headroom_max_bytes, BYTES,
	     "The most headroom that was in use of what came in here"),
};

static RT_TABLE(prio_table, rt_lab_switch_prio, "lab_prio", "Priorities",
		"Of one priority of a port; rx is into the switch", prio_fields);

static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_lab_switch_port, name, "The port"),
	RT_FIELD_CHARS_OF(struct rt_lab_switch_port, peer,
			  "The port at the other end of its cable"),
	PORT(U64, speed_bps, BPS, "The rate to which it is paced"),
	PORT(U64, filtered, COUNT,
	     "Frames that came in and are for nobody behind another port"),
	PORT(U64, ring_drops, COUNT,
	     "Frames lost between kernel and switch because the lab was too slow: no "
	     "loss of the fabric's"),
	PORT(U64, late_max_ns, NS,
	     "How late a frame left at worst, for the same reason"),
	PORT(U64, late_sum_ns, NS, "How late all frames left, added up"),
	RT_FIELD_ARRAY_OF(struct rt_lab_switch_port, prios, RT_PRIO_COUNT, &prio_table,
			  "By priority, from 0"),
};

static RT_TABLE(port_table, rt_lab_switch_port, "lab_port", "Ports",
		"One port of a soft switch", port_fields);

static const struct rt_field counter_fields[] = {
	RT_FIELD(struct rt_lab_switch_counters, U64, time_ns, NS,
		 "When they were read, on the clock that counts from boot",
		 .flags = RT_FIELD_META),
	RT_FIELD_LIST_OF(struct rt_lab_switch_counters, ports, port_count, &port_table,
			 "Every port of every switch"),
};

RT_TABLE(rt_lab_switch_counters_table, rt_lab_switch_counters, "lab_counters",
	 "Switch counters", "What the soft switch counted since it started",
	 counter_fields);

/* Pauses that go on count up to now. */
static void read_port(const struct rt_lab_core *core, const struct rt_lab_port *port,
		      struct rt_lab_switch_port *to)
{
	*to = port->counts;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (port->pause_end_ps[prio] != RT_PS_NEVER)
			to->prios[prio].rx_paused_ns += (core->now_ps -
							 port->paused_from_ps[prio]) /
							RT_PS_PER_NS;
		if (port->pgs[prio].paused)
			to->prios[prio].tx_paused_ns += (core->now_ps -
							 port->pausing_from_ps[prio]) /
							RT_PS_PER_NS;
	}
}

void rt_lab_core_counters(const struct rt_lab_core *core,
			  struct rt_lab_switch_counters *counters)
{
	for (uint32_t i = 0; i < core->port_count; i++)
		read_port(core, &core->ports[i], &counters->ports[i]);
	counters->port_count = core->port_count;
}
