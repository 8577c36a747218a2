/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_net.c - marks, pauses and shares: how the network treats the traffic. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/rules.h"

/* Fewer frames say nothing about a habit. */
#define FEW_FRAMES 16
#define CE_FRAMES  8

/* --- marks --------------------------------------------------------------------- */

static bool is_not_ect(const struct rt_analysis_flow *flow)
{
	return flow->frames >= FEW_FRAMES && flow->payload_bytes > 0 &&
	       flow->ecn.not_ect == flow->frames;
}

static void tell_not_ect(const struct rt_rule *rule,
			 const struct rt_analysis_flow *flow, const char *where,
			 struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where, "all %" PRIu64 " frames, DSCP %u",
			flow->frames, flow->dscp);
}

RT_FLOW_WEIGHT(weigh_not_ect, is_not_ect, flow->frames)

void rt_check_not_ect(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_not_ect, tell_not_ect);
}

static bool is_all_ce(const struct rt_analysis_flow *flow)
{
	return flow->frames >= FEW_FRAMES && flow->ecn.ce == flow->frames;
}

static void tell_all_ce(const struct rt_rule *rule, const struct rt_analysis_flow *flow,
			const char *where, struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where, "all %" PRIu64 " frames, the first too",
			flow->frames);
}

RT_FLOW_WEIGHT(weigh_all_ce, is_all_ce, flow->frames)

void rt_check_all_ce(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_all_ce, tell_all_ce);
}

static bool is_unanswered(const struct rt_analysis_flow *flow)
{
	return flow->ecn.ce >= CE_FRAMES && flow->cnps.value == 0;
}

static bool is_unanswered_seen(const struct rt_analysis_flow *flow)
{
	return is_unanswered(flow) && flow->cnps.known;
}

/* Where ACKs and CNPs fit several streams nothing is known of either kind. */
static bool is_unanswered_hidden(const struct rt_analysis_flow *flow)
{
	return is_unanswered(flow) && !flow->cnps.known &&
	       flow->answered == RT_FLOW_UNANSWERED;
}

static void tell_unanswered(const struct rt_rule *rule,
			    const struct rt_analysis_flow *flow, const char *where,
			    struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " of %" PRIu64
			" frames CE-marked, no CNP; its ACKs were %sseen",
			flow->ecn.ce, flow->frames, flow->cnps.known ? "" : "not ");
}

RT_FLOW_WEIGHT(weigh_unanswered_seen, is_unanswered_seen, flow->ecn.ce)

void rt_check_ce_no_cnp(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_unanswered_seen, tell_unanswered);
}

RT_FLOW_WEIGHT(weigh_unanswered_hidden, is_unanswered_hidden, flow->ecn.ce)

void rt_check_ce_no_return(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_unanswered_hidden,
		      tell_unanswered);
}

static bool is_marked_elsewhere(const struct rt_analysis_flow *flow)
{
	return flow->cnps.known && flow->cnps.value > 0 && flow->ecn.ce == 0;
}

static void tell_elsewhere(const struct rt_rule *rule,
			   const struct rt_analysis_flow *flow, const char *where,
			   struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " CNPs, none of its %" PRIu64
			" frames CE-marked here",
			flow->cnps.value, flow->frames);
}

RT_FLOW_WEIGHT(weigh_marked_elsewhere, is_marked_elsewhere, flow->cnps.value)

void rt_check_cnp_no_ce(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_marked_elsewhere, tell_elsewhere);
}

void rt_check_cnp_no_flow(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->marks.cnps_unmatched)
		rt_findings_add(findings, rule, "", "%" PRIu64 " of %" PRIu64 " CNPs",
				analysis->marks.cnps_unmatched, analysis->marks.cnps);
}

/* --- pauses -------------------------------------------------------------------- */

/* SONiC's watchdog takes 200 ms by default and 100 ms at the least. */
#define STORM_NS        100000000u
#define STORM_REFRESHES 1000u
#define PAUSE_SHARE_PCT 1.0

static void port_name(const struct rt_analysis_pause *port, char *buf, size_t bytes)
{
	char priority[32] = "all priorities";

	if (port->priority.known)
		snprintf(priority, sizeof(priority), "priority %" PRIu64,
			 port->priority.value);
	snprintf(buf, bytes,
		 "interface %" PRIu64 ", sent by %s%02x:%02x:%02x:%02x:%02x:%02x, %s",
		 port->interface, port->pauser == RT_PAUSER_HOST ? "host " : "",
		 port->source[0], port->source[1], port->source[2], port->source[3],
		 port->source[4], port->source[5], priority);
}

void rt_check_pause_hidden(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->roce.frames && !analysis->pauses.frames.known)
		rt_findings_add(findings, rule, "",
				"no pause frame among %" PRIu64 " frames",
				analysis->capture.frames);
}

void rt_check_pause_untimed(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_analysis_pauses *pauses =
		&((const struct rt_analysis *)subject)->pauses;
	uint64_t xoff = 0;

	for (size_t i = 0; i < pauses->port_count; i++)
		if (!pauses->ports[i].speed_bps.known)
			xoff += pauses->ports[i].xoff;
	if (xoff)
		rt_findings_add(findings, rule, "",
				"%" PRIu64 " XOFFs on links of unknown speed", xoff);
}

static bool is_storm(const struct rt_analysis_pause *port)
{
	return (port->longest_ns.known && port->longest_ns.value >= STORM_NS) ||
	       port->longest_refreshes.value >= STORM_REFRESHES;
}

static void tell_port(const struct rt_rule *rule, const struct rt_analysis_pause *port,
		      struct rt_findings *findings)
{
	char where[160], paused[RT_UNIT_TEXT_BYTES] = "unknown time";
	char longest[RT_UNIT_TEXT_BYTES] = "unknown", share[32] = "";
	char refreshes[24] = "an unknown number of";

	port_name(port, where, sizeof(where));
	if (port->paused_ns.known)
		rt_unit_format(RT_UNIT_NS, port->paused_ns.value, paused);
	if (port->longest_ns.known)
		rt_unit_format(RT_UNIT_NS, port->longest_ns.value, longest);
	if (port->share_pct.known)
		snprintf(share, sizeof(share), " (%.3g%%)", port->share_pct.value);
	if (port->longest_refreshes.known)
		snprintf(refreshes, sizeof(refreshes), "%" PRIu64,
			 port->longest_refreshes.value);
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " XOFF, %" PRIu64 " XON; paused %s%s, longest %s; "
			"%s refreshes in a row without XON",
			port->xoff, port->xon, paused, share, longest, refreshes);
}

void rt_check_pause_storm(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_analysis_pauses *pauses =
		&((const struct rt_analysis *)subject)->pauses;

	for (size_t i = 0; i < pauses->port_count; i++)
		if (is_storm(&pauses->ports[i]))
			tell_port(rule, &pauses->ports[i], findings);
}

void rt_check_pause_share(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_analysis_pauses *pauses =
		&((const struct rt_analysis *)subject)->pauses;

	for (size_t i = 0; i < pauses->port_count; i++)
		if (!is_storm(&pauses->ports[i]) && pauses->ports[i].share_pct.known &&
		    pauses->ports[i].share_pct.value >= PAUSE_SHARE_PCT)
			tell_port(rule, &pauses->ports[i], findings);
}

/* Priorities of tagged frames; 0 when nothing is tagged. */
static unsigned tagged_priorities(const struct rt_analysis *analysis)
{
	unsigned mask = 0;

	for (size_t i = 0; i < analysis->capture.vlan_count; i++)
		mask |= 1u << analysis->capture.vlans[i].pcp;
	return mask;
}

static unsigned paused_priorities(const struct rt_analysis *analysis)
{
	unsigned mask = 0;

	for (size_t i = 0; i < analysis->pauses.port_count; i++)
		if (analysis->pauses.ports[i].priority.known &&
		    analysis->pauses.ports[i].xoff)
			mask |= 1u << analysis->pauses.ports[i].priority.value;
	return mask;
}

void rt_check_pause_priority(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;
	const unsigned paused = paused_priorities(analysis);
	const unsigned tagged = tagged_priorities(analysis);
	const unsigned unused = tagged ? paused & ~tagged : 0;
	uint64_t xoff[RT_PRIO_COUNT] = { 0 };
	char list[160] = "";
	size_t used = 0;

	if (__builtin_popcount(paused) <= 2 && !(paused & 1) && !unused)
		return;
	for (size_t i = 0; i < analysis->pauses.port_count; i++)
		if (analysis->pauses.ports[i].priority.known)
			xoff[analysis->pauses.ports[i].priority.value] +=
				analysis->pauses.ports[i].xoff;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
		if (xoff[prio] && used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used,
						 "%spriority %u: %" PRIu64 " XOFF",
						 used ? ", " : "", prio, xoff[prio]);
	rt_findings_add(findings, rule, "", "%s%s", list,
			unused ? "; tagged frames use other priorities or fewer" : "");
}

void rt_check_pause_global(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->roce.frames && analysis->pauses.pause_frames.value)
		rt_findings_add(findings, rule, "", "%" PRIu64 " 802.3x PAUSE frames",
				analysis->pauses.pause_frames.value);
}

/* --- shares --------------------------------------------------------------------- */

#define MEAN_FAN_IN    1.5
#define UNFAIR_BYTES   65536u /* a few requests in minutes have no rate */
#define MANY_FLOWS     8u
#define FLOWS_PER_PORT 4u

void rt_check_unfair(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	const struct rt_analysis_throughput *throughput =
		&((const struct rt_analysis *)subject)->throughput;

	for (size_t i = 0; i < throughput->receiver_count; i++) {
		const struct rt_analysis_receiver *row = &throughput->receivers[i];
		char slow[RT_UNIT_TEXT_BYTES], fast[RT_UNIT_TEXT_BYTES], where[160];

		if (!row->jain.known || row->jain.value >= RT_FAIR_JAIN ||
		    row->mean_fan_in.value < MEAN_FAN_IN ||
		    row->good_bytes < UNFAIR_BYTES)
			continue;
		snprintf(where, sizeof(where), "receiver %s", row->receiver);
		rt_findings_add(
			findings, rule, where,
			"Jain index %.2f over %" PRIu64
			" senders: slowest %s at %s, fastest at %s",
			row->jain.value, row->senders, row->slowest,
			rt_unit_format(RT_UNIT_BPS, row->slowest_bps.value, slow),
			rt_unit_format(RT_UNIT_BPS, row->fastest_bps.value, fast));
	}
}

void rt_check_few_ports(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;
	uint64_t seen[65536 / 64] = { 0 };
	unsigned flows = 0, ports = 0;

	for (size_t i = 0; i < analysis->sequence.flow_count; i++) {
		const struct rt_analysis_flow *flow = &analysis->sequence.flows[i];

		if (flow->payload_bytes == 0)
			continue;
		flows++;
		seen[flow->udp_sport / 64] |= 1ull << flow->udp_sport % 64;
	}
	for (size_t i = 0; i < 65536 / 64; i++)
		ports += (unsigned)__builtin_popcountll(seen[i]);
	if (analysis->roce.v2 && flows >= MANY_FLOWS && ports * FLOWS_PER_PORT <= flows)
		rt_findings_add(findings, rule, "",
				"%u data flows use %u UDP source ports", flows, ports);
}
