/* SPDX-License-Identifier: BSD-2-Clause */
/* tables.c - what the sampler derives, described: figures, sources, events. */
#include "watch/watch.h"

/* --- figures ------------------------------------------------------------------------------- */

#define OWNER                 struct rt_watch_prio
#define F(member, unit, help) RT_FIELD(OWNER, OPT_F64, member, unit, help)
static const struct rt_field prio_fields[] = {
	F(paused_pct, PCT, "paused by the peer, of the time"),
	F(pausing_pct, PCT, "pausing the peer, of the time"),
	F(paused_fps, PPS, "pause frames from the peer, a second"),
	F(pausing_fps, PPS, "pause frames to the peer, a second"),
	F(rx_bps, BPS, "received"),
	F(tx_bps, BPS, "sent"),
	F(discards_ps, PPS, "frames that this port dropped, a second"),
};
RT_TABLE(rt_watch_prio_table, rt_watch_prio, "watch_prio", "Priorities",
	 "What is derived from the counters of a priority.", prio_fields);
#undef OWNER

#define OWNER struct rt_watch_figures
static const struct rt_field figures_fields[] = {
	F(rx_bps, BPS, "received at the port; throughput, resends included"),
	F(tx_bps, BPS, "sent at the port; throughput, resends included"),
	F(rx_pct, PCT, "received, of the link's speed"),
	F(tx_pct, PCT, "sent, of the link's speed"),
	F(rdma_rx_bps, BPS, "received by RDMA"),
	F(rdma_tx_bps, BPS, "sent by RDMA, resends included"),
	F(paused_pct, PCT, "the worst priority: paused by the peer, of the time"),
	F(pausing_pct, PCT, "the worst priority: pausing the peer, of the time"),
	F(link_paused_pct, PCT, "the whole link paused by the peer, of the time"),
	F(link_pausing_pct, PCT, "the peer's whole link paused, of the time"),
	F(ce_ps, PPS, "RoCE packets that came in marked, a second"),
	F(marks_ps, PPS, "sent frames that this port's queue marked, a second"),
	F(cnp_tx_ps, PPS, "CNPs that the notification point sent, a second"),
	F(cnp_rx_ps, PPS,
	  "CNPs that the reaction point handled, without those of its own slow "
	  "restart, a second"),
	F(cnp_most_pct, PCT,
	  "CNPs sent, of the most that their pacing lets one queue pair cause"),
	F(slow_restart_cnps_ps, PPS, "CNPs of the NIC's slow restart, a second"),
	F(loss_events_ps, PPS,
	  "gaps, NAKs or time-outs, whichever is more, a second; not bytes lost"),
	F(out_of_order_ps, PPS, "packets that came before one that was missing"),
	F(naks_ps, PPS, "times the peer told that a packet was missing, a second"),
	F(timeouts_ps, PPS, "times no answer came and all was sent again, a second"),
	F(rnr_ps, PPS, "times a receive buffer was missing at either end, a second"),
	F(retry_exceeded_ps, PPS,
	  "queue pairs that gave up after their retries, RNR retries included, a "
	  "second"),
	F(discards_ps, PPS, "frames that this port dropped, a second"),
	F(lossless_discards_ps, PPS,
	  "of these on priorities that are lossless; at least so many"),
	F(out_of_buffer_ps, PPS, "packets without a receive buffer, a second"),
	F(symbol_errors_ps, PPS, "received symbols that are none, a second"),
	F(fec_uncorrectable_ps, PPS, "blocks that FEC could not repair, a second"),
	F(crc_errors_ps, PPS, "received frames whose FCS was wrong, a second"),
	F(link_downs_ps, PPS, "times the link went down, a second"),
	F(pcie_stalls_ps, NONE,
	  "seconds in which the host let the NIC wait, of those that passed: 1 is all"),
	RT_FIELD_ARRAY_OF(OWNER, prios, 8, &rt_watch_prio_table, "by priority, from 0"),
};
RT_TABLE(rt_watch_figures_table, rt_watch_figures, "watch_figures", "Figures",
	 "What is derived from a port's counters, over measured time.", figures_fields);
#undef OWNER
#undef F

/* --- sources ------------------------------------------------------------------------------- */

#define OWNER struct rt_watch_pace
static const struct rt_field pace_fields[] = {
	RT_FIELD(OWNER, ENUM, source, NONE, "where counters are read",
		 .names = rt_counter_source_names),
	RT_FIELD(OWNER, ENUM, state, NONE, "how that went",
		 .names = rt_counter_look_names),
	RT_FIELD_CHARS_OF(OWNER, why, "why not"),
	RT_FIELD(OWNER, OPT_U64, refresh_ns, NS,
		 "measured: its values change only this often"),
	RT_FIELD(OWNER, OPT_U64, age_ns, NS, "how old its values are"),
	RT_FIELD(OWNER, U64, cost_ns, NS, "what its last reading took"),
	RT_FIELD(OWNER, U64, every_ns, NS, "how often it is read"),
	RT_FIELD(OWNER, BOOL, slowed, NONE,
		 "it is read less often, as reading took over a tenth of the interval"),
	RT_FIELD(OWNER, BOOL, old, NONE, "its values are older than three intervals"),
};
RT_TABLE(rt_watch_pace_table, rt_watch_pace, "watch_pace", "Sources",
	 "How a source of a port's counters does.", pace_fields);
#undef OWNER

/* --- events -------------------------------------------------------------------------------- */

const struct rt_name rt_watch_event_kind_names[] = {
	{ "finding-began", RT_EVENT_FINDING_BEGAN, "a rule began to hold" },
	{ "finding-ended", RT_EVENT_FINDING_ENDED, "it holds no more" },
	{ "port", RT_EVENT_PORT, "a port came, went, or its link did" },
	{ "counters-reset", RT_EVENT_COUNTERS_RESET, "counters began anew" },
	{ "source", RT_EVENT_SOURCE, "a source failed, or is read less often" },
	{ 0 },
};

#define OWNER struct rt_watch_event
static const struct rt_field event_fields[] = {
	RT_FIELD(OWNER, U64, number, NONE, "from 1"),
	RT_FIELD(OWNER, I64, time_ns, NS, "when, of no known origin"),
	RT_FIELD(OWNER, I64, wall_ns, NS, "when, since 1970", .flags = RT_FIELD_META),
	RT_FIELD(OWNER, ENUM, kind, NONE, "what happened",
		 .names = rt_watch_event_kind_names),
	RT_FIELD(OWNER, ENUM, severity, NONE, "how bad it is",
		 .names = rt_severity_names),
	RT_FIELD_CHARS_OF(OWNER, port, "of which port"),
	RT_FIELD_CHARS_OF(OWNER, id, "of which rule"),
	RT_FIELD_CHARS_OF(OWNER, text, "in words"),
	RT_FIELD(OWNER, BOOL, acknowledged, NONE, "somebody has seen it"),
};
RT_TABLE(rt_watch_event_table, rt_watch_event, "watch_event", "Events",
	 "What happened while watching.", event_fields);
#undef OWNER
