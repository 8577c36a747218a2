/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_switch.c - the rules over a switch, and those about ports and watchdogs. */
#include "model/rules_switch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/units.h"

void rt_switch_gather(struct rt_switch_gather *gather,
		      const struct rt_switch_port *port, const struct rt_place *place,
		      const char *fmt, ...)
{
	struct rt_switch_said now = { .first = port->id.name, .ports = 1 };
	va_list args;

	va_start(args, fmt);
	vsnprintf(now.evidence, sizeof(now.evidence), fmt, args);
	va_end(args);
	for (size_t i = 0; i < gather->count; i++)
		if (strcmp(gather->said[i].evidence, now.evidence) == 0) {
			gather->said[i].ports++;
			return;
		}
	if (gather->count == RT_SWITCH_SAID_MAX) {
		gather->more++;
		return;
	}
	rt_place_format(place && place->line ? place : &port->id.place, now.where);
	gather->said[gather->count++] = now;
}

void rt_switch_gathered(const struct rt_switch_gather *gather,
			const struct rt_rule *rule, struct rt_findings *findings)
{
	for (size_t i = 0; i < gather->count; i++) {
		const struct rt_switch_said *said = &gather->said[i];

		if (said->ports == 1)
			rt_findings_add(findings, rule, said->where, "%.60s: %s",
					said->first, said->evidence);
		else
			rt_findings_add(findings, rule, said->where,
					"%.60s and %zu more: %s", said->first,
					said->ports - 1, said->evidence);
	}
	if (gather->more) {
		rt_findings_add(findings, rule, "", "%zu ports in other ways",
				gather->more);
		rt_findings_fold(findings, gather->more);
	}
}

static bool has_pfc(const struct rt_switch_port *port)
{
	return rt_setting_known(&port->pfc_tx) && port->pfc_tx.number;
}

static bool known_both(const struct rt_setting *a, const struct rt_setting *b)
{
	return rt_setting_known(a) && rt_setting_known(b);
}

/* --- PFC ---------------------------------------------------------------------- */

static void check_pfc_empty(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of)
		if (port->pfc.state == RT_SETTING_VALUE && !port->pfc.number &&
		    !of->sw->pause_by_class)
			rt_switch_gather(&gather, port, &port->pfc.place,
					 "pfc_enable is empty");
	rt_switch_gathered(&gather, rule, findings);
}

static void check_pfc_overruled(const struct rt_rule *rule, const void *subject,
				struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };
	char mask[RT_SWITCH_MASK_BYTES];

	rt_subject_for_each_port (port, of)
		if (rt_setting_known(&port->pfc) && port->pfc.number &&
		    rt_setting_known(&port->pfc_tx) && !port->pfc_tx.number)
			rt_switch_gather(&gather, port, &port->pfc.place,
					 "priority %s is listed, but %s",
					 rt_switch_mask_text(&port->pfc, mask),
					 port->pfc_tx.text);
	rt_switch_gathered(&gather, rule, findings);
}

static void check_asymmetric(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	struct rt_switch_gather gather = { 0 };
	char tx[RT_SWITCH_MASK_BYTES], rx[RT_SWITCH_MASK_BYTES];

	rt_subject_for_each_port (port, (const struct rt_switch_subject *)subject)
		if (known_both(&port->pfc_tx, &port->pfc_rx) &&
		    port->pfc_tx.number != port->pfc_rx.number)
			rt_switch_gather(&gather, port, &port->asymmetric.place,
					 "sends PAUSE for priority %s, obeys it for %s",
					 rt_switch_mask_text(&port->pfc_tx, tx),
					 rt_switch_mask_text(&port->pfc_rx, rx));
	rt_switch_gathered(&gather, rule, findings);
}

/* --- headroom --------------------------------------------------------------------- */

static void check_no_headroom_row(const struct rt_rule *rule, const void *subject,
				  struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };
	char speed[RT_UNIT_TEXT_BYTES], cable[RT_UNIT_TEXT_BYTES];

	rt_subject_for_each_port (port, of) {
		if (!has_pfc(port) || !of->sw->headroom.file ||
		    !known_both(&port->speed, &port->cable) || !port->cable.number)
			continue;
		if (rt_switch_headroom_find(&of->sw->headroom, port->speed.number,
					    port->cable.number))
			continue;
		rt_switch_gather(
			&gather, port, &port->cable.place,
			"PFC is on, and %.80s has no row for %s and %s",
			of->sw->headroom.file,
			rt_unit_format(RT_UNIT_BPS, port->speed.number, speed),
			rt_unit_format(RT_UNIT_LENGTH, port->cable.number, cable));
	}
	rt_switch_gathered(&gather, rule, findings);
}

static void check_cable_zero(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, (const struct rt_switch_subject *)subject)
		if (has_pfc(port) && rt_setting_known(&port->cable) &&
		    !port->cable.number)
			rt_switch_gather(&gather, port, &port->cable.place,
					 "PFC is on and the cable's length is %.20s",
					 port->cable.text);
	rt_switch_gathered(&gather, rule, findings);
}

/* pg_lossless_100000_40m_profile, also with _mtu or _th before the end. */
static bool read_profile_name(const char *name, uint64_t *ret_bps, uint64_t *ret_mm)
{
	char cable[24];
	uint64_t mbps;

	if (sscanf(name, "pg_lossless_%9" SCNu64 "_%20[0-9.]m_", &mbps, cable) != 2)
		return false;
	*ret_bps = mbps * 1000000;
	strcat(cable, "m");
	return rt_unit_parse(RT_UNIT_LENGTH, cable, ret_mm, NULL) == 0;
}

static void judge_profile_name(struct rt_switch_gather *gather,
			       const struct rt_switch_port *port,
			       const struct rt_switch_pg *pg)
{
	char speed[RT_UNIT_TEXT_BYTES], cable[RT_UNIT_TEXT_BYTES];
	uint64_t speed_bps, cable_mm;

	if (!pg->buffer.name ||
	    !read_profile_name(pg->buffer.name, &speed_bps, &cable_mm))
		return;
	if ((!rt_setting_known(&port->speed) || port->speed.number == speed_bps) &&
	    (!rt_setting_known(&port->cable) || port->cable.number == cable_mm))
		return;
	rt_switch_gather(
		gather, port, &pg->buffer.place, "profile %.60s on a port of %s and %s",
		pg->buffer.name,
		rt_setting_known(&port->speed)
			? rt_unit_format(RT_UNIT_BPS, port->speed.number, speed)
			: "unknown speed",
		rt_setting_known(&port->cable)
			? rt_unit_format(RT_UNIT_LENGTH, port->cable.number, cable)
			: "unknown cable");
}

static void check_profile_name(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, (const struct rt_switch_subject *)subject)
		for (unsigned i = 0; i < RT_SWITCH_GROUPS; i++)
			judge_profile_name(&gather, port, &port->groups[i]);
	rt_switch_gathered(&gather, rule, findings);
}

/* The groups that are bound at all. */
static unsigned groups_bound(const struct rt_switch_port *port)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < RT_SWITCH_GROUPS; i++)
		if (port->groups[i].buffer.name ||
		    port->groups[i].unnamed.state != RT_SETTING_UNSET)
			mask |= 1u << i;
	return mask;
}

/* A child of the same cage with more groups bound, or NULL. */
static const struct rt_switch_port *better_sibling(const struct rt_switch *sw,
						   const struct rt_switch_port *port)
{
	const unsigned mine = groups_bound(port);

	for (size_t i = 0; i < sw->port_count; i++) {
		const struct rt_switch_port *other = &sw->ports[i];

		if (other != port && has_pfc(other) &&
		    rt_setting_known(&other->index) &&
		    other->index.number == port->index.number &&
		    (groups_bound(other) & ~mine))
			return other;
	}
	return NULL;
}

static void check_siblings(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };

	rt_subject_for_each_port (port, of) {
		const struct rt_switch_port *other =
			has_pfc(port) && rt_setting_known(&port->index)
				? better_sibling(of->sw, port)
				: NULL;
		struct rt_setting missing = { .state = RT_SETTING_VALUE };
		char mask[RT_SWITCH_MASK_BYTES];

		if (!other)
			continue;
		missing.number = groups_bound(other) & ~groups_bound(port);
		rt_switch_gather(&gather, port, NULL,
				 "priority group %s has no profile; on %.60s of the "
				 "same cage it has",
				 rt_switch_mask_text(&missing, mask), other->id.name);
	}
	rt_switch_gathered(&gather, rule, findings);
}

/* --- the watchdog ------------------------------------------------------------------ */

static const struct rt_setting *poll_of(const struct rt_switch *sw,
					const struct rt_switch_port *port)
{
	return port->watchdog.poll.state != RT_SETTING_UNSET ? &port->watchdog.poll
							     : &sw->watchdog.poll;
}

static bool is_watched(const struct rt_switch_port *port)
{
	return rt_setting_known(&port->watchdog.on) && port->watchdog.on.number;
}

static void check_watchdog_poll(const struct rt_rule *rule, const void *subject,
				struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	struct rt_switch_gather gather = { 0 };
	char time[RT_UNIT_TEXT_BYTES], poll[RT_UNIT_TEXT_BYTES];

	rt_subject_for_each_port (port, of) {
		const struct rt_setting *every = poll_of(of->sw, port);
		const struct rt_switch_watchdog *watchdog = &port->watchdog;

		if (!is_watched(port))
			continue;
		if (known_both(&watchdog->detect, every) &&
		    watchdog->detect.number < every->number)
			rt_switch_gather(
				&gather, port, &watchdog->detect.place,
				"detection %s, polled every %s",
				rt_unit_format(RT_UNIT_NS, watchdog->detect.number,
					       time),
				rt_unit_format(RT_UNIT_NS, every->number, poll));
		if (known_both(&watchdog->restore, every) &&
		    watchdog->restore.number < every->number)
			rt_switch_gather(
				&gather, port, &watchdog->restore.place,
				"restoration %s, polled every %s",
				rt_unit_format(RT_UNIT_NS, watchdog->restore.number,
					       time),
				rt_unit_format(RT_UNIT_NS, every->number, poll));
	}
	rt_switch_gathered(&gather, rule, findings);
}

/*
 * A peer may hold a port back by one PAUSE for 65535 quanta of 512 bit times (IEEE
 * 802.1Qbb, 16 bits a priority): no storm yet.  Three in a row are the least to act on.
 */
static void check_watchdog_quanta(const struct rt_rule *rule, const void *subject,
				  struct rt_findings *findings)
{
	struct rt_switch_gather gather = { 0 };
	char time[RT_UNIT_TEXT_BYTES], pause[RT_UNIT_TEXT_BYTES];

	rt_subject_for_each_port (port, (const struct rt_switch_subject *)subject) {
		uint64_t pause_ns;

		if (!is_watched(port) ||
		    !known_both(&port->watchdog.detect, &port->speed) ||
		    !port->speed.number)
			continue;
		pause_ns = (uint64_t)(65535.0 * 512 * 1e9 / (double)port->speed.number);
		if (port->watchdog.detect.number >= 3 * pause_ns)
			continue;
		rt_switch_gather(
			&gather, port, &port->watchdog.detect.place,
			"detection %s, while one PAUSE can last %s",
			rt_unit_format(RT_UNIT_NS, port->watchdog.detect.number, time),
			rt_unit_format(RT_UNIT_NS, pause_ns, pause));
	}
	rt_switch_gathered(&gather, rule, findings);
}

static void check_no_watchdog(const struct rt_rule *rule, const void *subject,
			      struct rt_findings *findings)
{
	struct rt_switch_gather gather = { 0 };
	char mask[RT_SWITCH_MASK_BYTES];

	rt_subject_for_each_port (port, (const struct rt_switch_subject *)subject)
		if (has_pfc(port) && rt_setting_known(&port->watchdog.on) &&
		    !port->watchdog.on.number)
			rt_switch_gather(&gather, port, &port->pfc.place,
					 "PFC is on for priority %s; %s",
					 rt_switch_mask_text(&port->pfc_tx, mask),
					 port->watchdog.on.text);
	rt_switch_gathered(&gather, rule, findings);
}

/* Hardware of the generation in sonic-buildimage issue 29203, by names of its SKUs. */
static const char *tomahawk_of(const struct rt_switch *sw)
{
	static const struct {
		const char *part, *chip;
	} skus[] = {
		{ "7060X6", "Tomahawk 5" },  { "7060DX5", "Tomahawk 4" },
		{ "7060PX5", "Tomahawk 4" }, { "7388X5", "Tomahawk 4" },
		{ "Z9664", "Tomahawk 4" },   { "z9664", "Tomahawk 4" },
		{ "Z9864", "Tomahawk 5" },   { "z9864", "Tomahawk 5" },
		{ "th4", "Tomahawk 4" },     { "th5", "Tomahawk 5" },
		{ "th6", "Tomahawk 6" },
	};
	const char *const names[] = { sw->hwsku.text, sw->platform.text };

	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++)
		for (size_t j = 0; names[i] && j < RT_ARRAY_SIZE(skus); j++)
			if (strstr(names[i], skus[j].part))
				return skus[j].chip;
	return NULL;
}

static void check_watchdog_all(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	const struct rt_switch_subject *of = subject;
	const char *chip = tomahawk_of(of->sw);
	struct rt_switch_gather gather = { 0 };
	char mask[RT_SWITCH_MASK_BYTES], time[RT_UNIT_TEXT_BYTES];

	rt_subject_for_each_port (port, of) {
		const struct rt_switch_watchdog *watchdog = &port->watchdog;

		if (!chip || !is_watched(port) || !has_pfc(port) ||
		    !rt_setting_known(&port->watchdog_prios) ||
		    port->watchdog_prios.number != port->pfc_tx.number ||
		    !known_both(&watchdog->detect, &watchdog->restore) ||
		    watchdog->detect.number != watchdog->restore.number)
			continue;
		rt_switch_gather(
			&gather, port, &watchdog->restore.place,
			"%s, watchdog on every PFC priority (%s), detection = "
			"restoration = %s",
			chip, rt_switch_mask_text(&port->pfc_tx, mask),
			rt_unit_format(RT_UNIT_NS, watchdog->detect.number, time));
	}
	rt_switch_gathered(&gather, rule, findings);
}

/* --- the table --------------------------------------------------------------------- */

#define RULE(id_, severity_, check_, title_, explain_, remedy_)                \
	{                                                                      \
		.id = (id_), .severity = RT_SEVERITY_##severity_,              \
		.basis = RT_BASIS_CONFIGURED, .title = (title_),               \
		.explain = (explain_), .remedy = (remedy_), .check = (check_), \
	}

const struct rt_rule rt_switch_rules[] = {
	RULE("switch-kmin-above-kmax", ERROR, rt_check_kmin_above_kmax,
	     "Marking would end before it begins",
	     "A minimum threshold above the maximum is refused by some switches and "
	     "has "
	     "crashed others: sonic-utilities pull 579.",
	     "Set the minimum to at most the maximum."),
	RULE("switch-ecn-wred-off", WARN, rt_check_ecn_disabled,
	     "ECN is asked for in a profile whose WRED is off",
	     "Where the switch follows SAI, wred_green_enable false leaves the whole "
	     "profile without effect, ECN included: sonic-buildimage issue 4545. On "
	     "NVIDIA platforms it means ECN only, and is fine.",
	     "Set wred_green_enable to true, unless the vendor says otherwise."),
	RULE("switch-marking-never", WARN, rt_check_marking_off,
	     "The marking threshold is not below the pool",
	     "A queue cannot get longer than the pool it is in, so nothing is ever "
	     "marked and PFC does all the work; such placeholders were shipped: "
	     "sonic-buildimage pull 25626.",
	     "Set real thresholds."),
	RULE("switch-pfc-without-ecn", WARN, rt_check_pfc_without_ecn,
	     "A queue with PFC has no ECN",
	     "Without marks senders slow down only because they are paused, which "
	     "spreads to everybody behind them: sonic-buildimage issue 21891.",
	     "Bind a WRED profile with ECN to the queue."),
	RULE("switch-cnp-shares-class", INFO, rt_check_cnp_queue,
	     "The usual DSCP of CNPs shares its traffic class",
	     "CNPs of NVIDIA's and Broadcom's NICs carry DSCP 48 unless set otherwise. "
	     "Among other packets they wait when it matters, and counters of that "
	     "queue tell nothing: sonic-mgmt pull 25347.",
	     "Give the CNPs' DSCP a traffic class and a strict queue of its own."),
	RULE("switch-lossless-broken", ERROR, rt_check_lossless_broken,
	     "A DSCP that PFC is meant for is not lossless",
	     "Packets are protected only when traffic class, priority group, its "
	     "headroom, queue and PFC priority fit together; here one link does not.",
	     "Correct the link named, on this port."),
	RULE("switch-lossless-unknown", UNKNOWN, rt_check_lossless_unknown,
	     "Whether a class is lossless cannot be told from this file",
	     "A qos.json has no buffers, and SONiC makes the profiles of lossless "
	     "priority groups while it runs.",
	     "Give the platform's headroom table (SONiC's pg_profile_lookup.ini), or "
	     "ask "
	     "the running switch."),
	RULE("switch-pfc-unreached", WARN, rt_check_pfc_unreached,
	     "PFC is on for a priority that no DSCP leads to",
	     "The priority pauses and is paused, but no traffic is put into it by "
	     "DSCP.",
	     "Map the DSCP of the traffic, or turn PFC off for the priority."),
	RULE("switch-dscp-maps-differ", INFO, rt_check_maps_differ,
	     "Ports classify DSCPs by different maps",
	     "One DSCP is lossless on some ports and lossy on others; a packet that "
	     "crosses from one to the other changes class: sonic-buildimage pulls "
	     "11087 "
	     "and 12730.",
	     "Make sure that it is meant so, and compare hosts with their own port."),
	RULE("switch-port-global-only", WARN, rt_check_global_only,
	     "A port has only the global DSCP map",
	     "The map of the whole switch classifies, but a port without an entry of "
	     "its own in PORT_QOS_MAP has no queues and no PFC.",
	     "Give the port its entry, if RoCE is to pass it."),
	RULE("switch-pfc-empty", INFO, check_pfc_empty,
	     "An empty list of PFC priorities",
	     "It says none, but orchagent pushed only lists with something in them, so "
	     "PFC went on running: sonic-swss pull 1055.",
	     "Look whether the port's pause counters stay flat."),
	RULE("switch-pfc-overruled", ERROR, check_pfc_overruled,
	     "Priorities are listed, and PFC is off",
	     "Another line turns PFC off for the port or for the whole switch.",
	     "Remove that line, or the list."),
	RULE("switch-pfc-asymmetric", INFO, check_asymmetric,
	     "PFC differs by direction",
	     "With pfc_asym the port sends PAUSE for its list and obeys every "
	     "priority's, so a host may stop lossy queues too.",
	     "Make sure that it is meant so."),
	RULE("switch-no-headroom-row", ERROR, check_no_headroom_row,
	     "The platform has no headroom for a port's speed and cable",
	     "SONiC looks for exactly this pair; without a row it makes no lossless "
	     "priority group, and packets drop in spite of PFC: sonic-buildimage issue "
	     "5837.",
	     "Set a cable length that the table has, the next longer one."),
	RULE("switch-cable-zero", ERROR, check_cable_zero,
	     "A cable length that turns headroom off",
	     "SONiC makes no lossless priority group for a cable of 0m.",
	     "Set the length of the cable."),
	RULE("switch-profile-stale", ERROR, check_profile_name,
	     "A headroom profile for another speed or cable",
	     "The profile's name says what it was made for. A change of the cable did "
	     "not always make it anew: sonic-swss pull 4004.",
	     "Bind the profile of the port's speed and cable."),
	RULE("switch-siblings-differ", ERROR, check_siblings,
	     "Ports of one cage differ in their priority groups",
	     "After a breakout only the first child got lossless groups, until the "
	     "others were shut and started again: sonic-buildimage issue 23354.",
	     "Shut and start the port, or bind the profile."),
	RULE("switch-watchdog-below-poll", ERROR, check_watchdog_poll,
	     "The watchdog is to be faster than it looks",
	     "Times below the polling interval cannot be kept: SONiC's pfcwd refuses "
	     "them.",
	     "Raise the time, or poll more often."),
	RULE("switch-watchdog-hasty", WARN, check_watchdog_quanta,
	     "The watchdog takes an ordinary PAUSE for a storm",
	     "One PAUSE frame may stop a priority for 65535 quanta. A detection time "
	     "of "
	     "less than three of them drops RoCE packets without a storm: sonic-swss "
	     "pull 3036.",
	     "Raise the detection time."),
	RULE("switch-no-watchdog", WARN, check_no_watchdog, "PFC without a watchdog",
	     "A peer that never stops pausing (a hung host) stops this port, then "
	     "everything that waits for it.",
	     "Start the watchdog on the port."),
	RULE("switch-watchdog-all-pfc", WARN, check_watchdog_all,
	     "A watchdog that may swing",
	     "On this chip a storm on all PFC priorities at once was found and ended "
	     "over and over, 170 times in 20 minutes: sonic-buildimage issue 29203.",
	     "Make the restoration time longer than the detection time."),
};

const size_t rt_switch_rule_count = RT_ARRAY_SIZE(rt_switch_rules);

int rt_switch_check(const struct rt_switch *sw, const struct rt_switch_port *port,
		    struct rt_findings *findings, struct rt_err *err)
{
	const struct rt_switch_subject subject = { .sw = sw, .port = port };

	return rt_rules_run(rt_switch_rules, rt_switch_rule_count, &subject, findings,
			    err);
}
