/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_switch_chain.c - rules about ECN, and about the chain of a DSCP. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/rules_switch.h"
#include "model/switch_build.h"
#include "rocetune/units.h"

#define USUAL_CNP_DSCP 48

/* --- WRED profiles --------------------------------------------------------------- */

/* Whether a queue of the subject's ports has it. */
static bool is_bound(const struct rt_switch_subject *subject,
		     const struct rt_switch_wred *wred)
{
	rt_subject_for_each_port (port, subject)
		for (unsigned i = 0; i < RT_SWITCH_QUEUES; i++)
			if (port->queues[i].wred.object == wred)
				return true;
	return false;
}

#define for_each_bound_wred(wred_, subject_)                                      \
	for (const struct rt_switch_wred *wred_ = (subject_)->sw->wreds;          \
	     wred_ && wred_ < (subject_)->sw->wreds + (subject_)->sw->wred_count; \
	     wred_++)                                                             \
		if (is_bound((subject_), wred_))

static void add_at(struct rt_findings *findings, const struct rt_rule *rule,
		   const struct rt_place *place, const char *evidence)
{
	char where[RT_PLACE_TEXT_BYTES];

	rt_findings_add(findings, rule, rt_place_format(place, where), "%s", evidence);
}

void rt_check_kmin_above_kmax(const struct rt_rule *rule, const void *subject,
			      struct rt_findings *findings)
{
	static const char *const colours[] = { "green", "yellow", "red" };
	char low[RT_UNIT_TEXT_BYTES], high[RT_UNIT_TEXT_BYTES], evidence[240];

	for_each_bound_wred (wred, (const struct rt_switch_subject *)subject)
		for (unsigned i = 0; i < RT_SWITCH_COLOURS; i++) {
			const struct rt_switch_wred_colour *colour = &wred->colour[i];

			if (!rt_setting_known(&colour->kmin) ||
			    !rt_setting_known(&colour->kmax) ||
			    colour->kmin.number <= colour->kmax.number)
				continue;
			snprintf(
				evidence, sizeof(evidence),
				"%.80s, %s: minimum %s, maximum %s", wred->id.name,
				colours[i],
				rt_unit_format(RT_UNIT_BYTES, colour->kmin.number, low),
				rt_unit_format(RT_UNIT_BYTES, colour->kmax.number,
					       high));
			add_at(findings, rule, &colour->kmin.place, evidence);
		}
}

/* NVIDIA's platforms take ECN without WRED as it is meant. */
static bool is_nvidia(const struct rt_switch *sw)
{
	static const char *const parts[] = { "mellanox", "Mellanox", "nvidia", "NVIDIA",
					     "MSN",      "SN5",      "mlnx" };
	const char *const names[] = { sw->hwsku.text, sw->platform.text };

	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++)
		for (size_t j = 0; names[i] && j < RT_ARRAY_SIZE(parts); j++)
			if (strstr(names[i], parts[j]))
				return true;
	return false;
}

void rt_check_ecn_disabled(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	char evidence[200];

	if (is_nvidia(of->sw))
		return;
	for_each_bound_wred (wred, of) {
		const struct rt_setting *enable = &wred->colour[RT_GREEN].enable;

		if (!rt_switch_wred_marks(wred) || !rt_setting_known(enable) ||
		    enable->number)
			continue;
		snprintf(evidence, sizeof(evidence),
			 "%.80s has ecn %.20s and wred_green_enable %s", wred->id.name,
			 wred->ecn.text,
			 enable->state == RT_SETTING_VALUE ? "false" : "not set");
		add_at(findings, rule, &wred->ecn.place, evidence);
	}
}

/* Size of the largest pool that the text gives one for; 0: of none. */
static uint64_t largest_pool(const struct rt_switch *sw)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < sw->pool_count; i++)
		if (rt_setting_known(&sw->pools[i].size) &&
		    sw->pools[i].size.number > largest)
			largest = sw->pools[i].size.number;
	return largest;
}

void rt_check_marking_off(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	const uint64_t pool_bytes = largest_pool(of->sw);
	char low[RT_UNIT_TEXT_BYTES], size[RT_UNIT_TEXT_BYTES], evidence[200];

	if (!pool_bytes)
		return;
	for_each_bound_wred (wred, of) {
		const struct rt_setting *kmin = &wred->colour[RT_GREEN].kmin;

		if (!rt_switch_wred_marks(wred) || !rt_setting_known(kmin) ||
		    kmin->number < pool_bytes)
			continue;
		snprintf(evidence, sizeof(evidence),
			 "%.80s marks from %s on, the largest pool has %s",
			 wred->id.name,
			 rt_unit_format(RT_UNIT_BYTES, kmin->number, low),
			 rt_unit_format(RT_UNIT_BYTES, pool_bytes, size));
		add_at(findings, rule, &kmin->place, evidence);
	}
}

/* --- queues ------------------------------------------------------------------------ */

/* The queue that a PFC priority stops; false: unknown. */
static bool queue_of_prio(const struct rt_switch *sw, const struct rt_switch_port *port,
			  unsigned prio, unsigned *ret_queue)
{
	const struct rt_setting *queue = rt_switch_mapped(
		sw, port, sw->pause_by_class ? RT_SWITCH_TC_QUEUE : RT_SWITCH_PFC_QUEUE,
		prio);

	*ret_queue = (unsigned)queue->number;
	return rt_setting_known(queue) && queue->number < RT_SWITCH_QUEUES;
}

void rt_check_pfc_without_ecn(const struct rt_rule *rule, const void *subject,
			      struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of)
		for (unsigned prio = 0; prio < RT_SWITCH_PRIOS; prio++) {
			const struct rt_switch_wred *wred;
			unsigned queue;

			if (!rt_setting_known(&port->pfc_tx) ||
			    !(port->pfc_tx.number >> prio & 1) ||
			    !queue_of_prio(of->sw, port, prio, &queue))
				continue;
			wred = port->queues[queue].wred.object;
			if (!port->queues[queue].wred.name)
				rt_switch_gather(&gather, port, &port->pfc.place,
						 "priority %u has PFC, and its queue "
						 "%u no WRED profile",
						 prio, queue);
			else if (wred && !rt_switch_wred_marks(wred))
				rt_switch_gather(&gather, port,
						 &port->queues[queue].wred.place,
						 "priority %u has PFC, and %.60s of "
						 "its queue %u marks nothing",
						 prio, wred->id.name, queue);
		}
	rt_switch_gathered(&gather, rule, findings);
}

void rt_check_cnp_queue(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of) {
		const struct rt_setting *tc = rt_switch_dscp_to_tc(of->sw, port,
								   USUAL_CNP_DSCP);
		unsigned others;

		if (!rt_setting_known(tc) || !rt_setting_known(&port->pfc_tx) ||
		    !port->pfc_tx.number)
			continue;
		others = (unsigned)__builtin_popcountll(rt_switch_dscps_of_tc(
				 of->sw, port, (unsigned)tc->number)) -
			 1;
		if (others)
			rt_switch_gather(&gather, port, &tc->place,
					 "DSCP %u is in traffic class %" PRIu64
					 " with %u others",
					 USUAL_CNP_DSCP, tc->number, others);
	}
	rt_switch_gathered(&gather, rule, findings);
}

/* --- chains ------------------------------------------------------------------------- */

/* What is known of a priority with PFC, from the classes that lead to it. */
struct reach {
	bool any;       /* a class with DSCPs leads to it */
	bool is_paused; /* the worst is: all but the headroom was seen to be right */
	enum rt_switch_lossless worst;
	unsigned tc; /* of the worst */
	uint64_t dscps;
	char why[160];
};

static bool touches(const struct rt_setting *mask, unsigned prio)
{
	return rt_setting_known(mask) && (mask->number >> prio & 1);
}

static void reach_prio(const struct rt_switch *sw, const struct rt_switch_port *port,
		       unsigned prio, struct reach *ret_reach)
{
	*ret_reach = (struct reach){ .worst = RT_LOSSLESS_YES };
	for (unsigned tc = 0; tc < RT_SWITCH_TCS; tc++) {
		const uint64_t dscps = rt_switch_dscps_of_tc(sw, port, tc);
		struct rt_switch_path path;

		if (!dscps)
			continue;
		rt_switch_path_of_tc(sw, port, tc, &path);
		if (!touches(&path.rx_prios, prio) && !touches(&path.tx_prios, prio))
			continue;
		ret_reach->any = true;
		if (path.lossless >= ret_reach->worst)
			continue;
		ret_reach->worst = path.lossless;
		ret_reach->is_paused = rt_setting_known(&path.prios) &&
				       path.prios.number >> prio & 1;
		ret_reach->tc = tc;
		ret_reach->dscps = dscps;
		memcpy(ret_reach->why, path.why, sizeof(path.why));
	}
}

/* No file of such a system tells headroom, so that it is not there is no finding. */
static bool is_platforms(const struct rt_switch *sw, const struct reach *reach)
{
	return sw->pause_by_class && reach->worst == RT_LOSSLESS_UNKNOWN &&
	       reach->is_paused;
}

/* The rule for priorities of which verdict is the worst that can be said. */
static void check_reach(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings, enum rt_switch_lossless verdict)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of)
		for (unsigned prio = 0; prio < RT_SWITCH_PRIOS; prio++) {
			struct rt_setting dscps = { .state = RT_SETTING_VALUE };
			char list[RT_SWITCH_MASK_BYTES];
			struct reach reach;

			if (!touches(&port->pfc_tx, prio))
				continue;
			reach_prio(of->sw, port, prio, &reach);
			if (!reach.any || reach.worst != verdict ||
			    is_platforms(of->sw, &reach))
				continue;
			dscps.number = reach.dscps;
			rt_switch_gather(&gather, port, &port->pfc.place,
					 "priority %u, traffic class %u (DSCP %.60s): "
					 "%.100s",
					 prio, reach.tc,
					 rt_switch_mask_text(&dscps, list), reach.why);
		}
	rt_switch_gathered(&gather, rule, findings);
}

void rt_check_lossless_broken(const struct rt_rule *rule, const void *subject,
			      struct rt_findings *findings)
{
	check_reach(rule, subject, findings, RT_LOSSLESS_NO);
}

void rt_check_lossless_unknown(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	check_reach(rule, subject, findings, RT_LOSSLESS_UNKNOWN);
}

void rt_check_pfc_unreached(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of)
		for (unsigned prio = 0; prio < RT_SWITCH_PRIOS; prio++) {
			struct reach reach;

			if (!touches(&port->pfc_tx, prio) ||
			    !rt_switch_map_of(of->sw, port, RT_SWITCH_DSCP_TC) ||
			    !rt_switch_map_of(of->sw, port, RT_SWITCH_TC_QUEUE))
				continue;
			reach_prio(of->sw, port, prio, &reach);
			if (!reach.any)
				rt_switch_gather(&gather, port, &port->pfc.place,
						 "no DSCP leads to priority %u", prio);
		}
	rt_switch_gathered(&gather, rule, findings);
}

/* --- which map ------------------------------------------------------------------------ */

/* The most common map of ports with PFC: what the others differ from. */
static const struct rt_switch_map *usual_map(const struct rt_switch *sw)
{
	const struct rt_switch_map *usual = NULL;
	size_t most = 0;

	for (size_t i = 0; i < sw->map_count; i++) {
		size_t ports = 0;

		if (sw->maps[i].kind != RT_SWITCH_DSCP_TC)
			continue;
		for (size_t j = 0; j < sw->port_count; j++)
			ports += sw->ports[j].pfc_tx.number &&
				 rt_switch_map_of(sw, &sw->ports[j],
						  RT_SWITCH_DSCP_TC) == &sw->maps[i];
		if (ports > most) {
			most = ports;
			usual = &sw->maps[i];
		}
	}
	return usual;
}

static uint64_t dscps_that_differ(const struct rt_switch_map *a,
				  const struct rt_switch_map *b)
{
	uint64_t mask = 0;

	for (unsigned dscp = 0; dscp < RT_SWITCH_DSCPS; dscp++)
		if (rt_setting_known(&a->to[dscp]) != rt_setting_known(&b->to[dscp]) ||
		    a->to[dscp].number != b->to[dscp].number)
			mask |= 1ull << dscp;
	return mask;
}

void rt_check_maps_differ(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	const struct rt_switch_map *usual = usual_map(of->sw);
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of) {
		const struct rt_switch_map *map = rt_switch_map_of(of->sw, port,
								   RT_SWITCH_DSCP_TC);
		struct rt_setting differ = { .state = RT_SETTING_VALUE };
		char list[RT_SWITCH_MASK_BYTES];

		if (!usual || !map || map == usual || !port->pfc_tx.number)
			continue;
		differ.number = dscps_that_differ(map, usual);
		if (differ.number)
			rt_switch_gather(
				&gather, port,
				&port->maps[rt_switch_map_slot(RT_SWITCH_DSCP_TC)]
					 .place,
				"map %.40s, elsewhere %.40s; DSCP %.60s differ",
				map->id.name, usual->id.name,
				rt_switch_mask_text(&differ, list));
	}
	rt_switch_gathered(&gather, rule, findings);
}

/* A port that the file lists, without an entry of its own. */
void rt_check_global_only(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of)
		if (of->sw->has_ports && of->sw->global_dscp.name &&
		    !of->sw->pause_by_class && rt_setting_known(&port->speed) &&
		    !port->maps[rt_switch_map_slot(RT_SWITCH_DSCP_TC)].name &&
		    !port->maps[rt_switch_map_slot(RT_SWITCH_TC_QUEUE)].name &&
		    port->pfc.state != RT_SETTING_VALUE)
			rt_switch_gather(&gather, port, NULL,
					 "no entry of PORT_QOS_MAP but the global one");
	rt_switch_gathered(&gather, rule, findings);
}
