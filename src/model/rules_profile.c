/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_profile.c - the rules over a profile. */
#include "model/rules_profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/params.h"
#include "model/profile_reader.h"
#include "model/rules_check.h"

typedef unsigned __int128 u128;

static const char *role_name(unsigned role)
{
	return rt_name_of(rt_role_names, role);
}

/* Two amounts in one message need two buffers. */
struct amount {
	char text[RT_UNIT_TEXT_BYTES];
};

static const char *bytes_text(uint64_t bytes, struct amount *buf)
{
	return rt_unit_format(RT_UNIT_BYTES, bytes, buf->text);
}

static const char *time_text(uint64_t ns, struct amount *buf)
{
	return rt_unit_format(RT_UNIT_NS, ns, buf->text);
}

/* --- ECN --------------------------------------------------------------------- */

static void check_kmin_kmax(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile)
		for (unsigned role = 0; role < RT_ROLE_COUNT; role++) {
			const struct rt_class_role *at = &class->at[role];
			struct amount kmin, kmax;

			if (rt_setting_known(&at->kmin) &&
			    rt_setting_known(&at->kmax) &&
			    at->kmin.number > at->kmax.number)
				found(findings, rule, &at->kmin.place,
				      "class %s, %s ports: kmin %s, kmax %s",
				      class->name, role_name(role),
				      bytes_text(at->kmin.number, &kmin),
				      bytes_text(at->kmax.number, &kmax));
		}
}

static void judge_kmin_xoff(const struct rt_rule *rule,
			    const struct rt_profile *profile,
			    const struct rt_class *class, enum rt_role role,
			    struct rt_findings *findings)
{
	const struct rt_setting *kmin = &class->at[role].kmin;
	struct amount a, b, c, alpha;
	struct rt_xoff xoff;
	uint64_t first;

	rt_xoff_of(profile, class, role, &xoff);
	first = rt_xoff_queue_bytes(&xoff, 1);
	if (xoff.known && kmin->number >= first && xoff.is_static)
		found(findings, rule, &kmin->place,
		      "class %s, %s ports: kmin %s, one %s port is paused at %s (xoff)",
		      class->name, role_name(role), bytes_text(kmin->number, &a),
		      role_name(xoff.role), bytes_text(first, &b));
	else if (xoff.known && kmin->number >= first)
		found(findings, rule, &kmin->place,
		      "class %s, %s ports: kmin %s, one %s port is paused at %s "
		      "(alpha %s of %s)",
		      class->name, role_name(role), bytes_text(kmin->number, &a),
		      role_name(xoff.role), bytes_text(first, &b),
		      rt_unit_format(RT_UNIT_RATIO, xoff.alpha_ppb, alpha.text),
		      bytes_text(xoff.pool_bytes, &c));
	else if (!xoff.known || *xoff.lacks)
		rt_rule_lacks(findings, rule, &kmin->place,
			      "class %s, %s ports, nor ecn-kmin-above-bound: %s",
			      class->name, role_name(role), xoff.lacks);
}

static void check_kmin_xoff(const struct rt_rule *rule, const void *subject,
			    struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile)
		for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
			if (rt_class_is_lossless(class) &&
			    rt_setting_known(&class->at[role].kmin))
				judge_kmin_xoff(rule, profile, class, role, findings);
}

/*
 * The paper's t_ECN < beta (B - 8 n t_flight) / (8 n (beta + 1)), its 8 taken as
 * the lossless priorities there are and its numerator as this pool; for a static
 * threshold its t_PFC > n t_ECN.
 */
static uint64_t kmin_bound(const struct rt_xoff *xoff, uint64_t ports,
			   unsigned priorities)
{
	const u128 top = xoff->is_static ? xoff->xoff_bytes
					 : (u128)xoff->alpha_ppb * xoff->pool_bytes;
	const u128 bottom = xoff->is_static ? ports
					    : (u128)(xoff->alpha_ppb + RT_PPB) *
						      priorities * ports;

	/* Rounded up: kmin must be below the bound, fraction and all. */
	return (uint64_t)((top + bottom - 1) / bottom);
}

static void judge_kmin_bound(const struct rt_rule *rule,
			     const struct rt_profile *profile,
			     const struct rt_class *class, enum rt_role role,
			     struct rt_findings *findings)
{
	const struct rt_setting *kmin = &class->at[role].kmin;
	const unsigned priorities = rt_profile_lossless_count(profile);
	const uint64_t partitions = rt_setting_or(&profile->sw.pool.partitions, 1);
	struct rt_shared_pool pool;
	struct amount a, b, c;
	struct rt_xoff xoff;
	uint64_t ports, bound;

	rt_xoff_of(profile, class, role, &xoff);
	rt_shared_pool_of(profile, role, &pool);
	if (!xoff.known || *xoff.lacks)
		return; /* ecn-kmin-above-xoff says so for both */
	if (!pool.ports.known)
		return rt_rule_lacks(
			findings, rule, &kmin->place,
			"class %s, %s ports: switch.roles says not how many ports "
			"there are",
			class->name, role_name(role));
	ports = (pool.ports.value + partitions - 1) / partitions;
	bound = kmin_bound(&xoff, ports, priorities);
	if (kmin->number >= bound)
		found(findings, rule, &kmin->place,
		      "class %s, %s ports: kmin %s, bound %s (%" PRIu64
		      " ports, %u lossless priorities, %s of %s)",
		      class->name, role_name(role), bytes_text(kmin->number, &a),
		      bytes_text(bound, &b), ports, priorities,
		      xoff.is_static ? "xoff" : "a pool",
		      bytes_text(xoff.is_static ? xoff.xoff_bytes : xoff.pool_bytes,
				 &c));
}

static void check_kmin_bound(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile)
		for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
			if (rt_class_is_lossless(class) &&
			    rt_setting_known(&class->at[role].kmin))
				judge_kmin_bound(rule, profile, class, role, findings);
}

static const struct rt_setting *any_kmin(const struct rt_class *class)
{
	for (unsigned role = 0; role < RT_ROLE_COUNT; role++)
		if (rt_setting_known(&class->at[role].kmin))
			return &class->at[role].kmin;
	return NULL;
}

static void check_not_ect(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile) {
		const struct rt_setting *kmin = any_kmin(class);

		if (!kmin)
			continue;
		if (!rt_setting_known(&class->ect))
			rt_rule_lacks(findings, rule, &kmin->place,
				      "class %s: ect is not said", class->name);
		else if (class->ect.number == RT_ECT_NO)
			found(findings, rule, &class->ect.place,
			      "class %s has ect: no, and a kmin at line %u",
			      class->name, kmin->place.line);
	}
}

/* --- PFC ----------------------------------------------------------------------- */

static bool has_no_headroom(const struct rt_setting *headroom)
{
	return rt_setting_known(headroom) && headroom->number == 0;
}

static void judge_auto(const struct rt_rule *rule, const struct rt_profile *profile,
		       const struct rt_class *class, enum rt_role role,
		       struct rt_findings *findings)
{
	struct rt_headroom headroom;
	char why[RT_AUTO_WHY_BYTES];

	if (!rt_headroom_auto(profile, role, &headroom, why))
		rt_rule_lacks(findings, rule, &class->at[role].headroom.place,
			      "class %s, %s ports: auto, but %s", class->name,
			      role_name(role), why);
}

static void judge_headroom(const struct rt_rule *rule, const struct rt_profile *profile,
			   const struct rt_class *class, struct rt_findings *findings)
{
	unsigned stated = 0, present = 0;

	for (unsigned role = 0; role < RT_ROLE_COUNT; role++) {
		const struct rt_setting *headroom = &class->at[role].headroom;

		present += rt_role_is_present(profile, role);
		stated += !is_unset(headroom);
		if (has_no_headroom(headroom))
			found(findings, rule, &headroom->place,
			      "class %s, %s ports: headroom 0", class->name,
			      role_name(role));
		else if (headroom->state == RT_SETTING_AUTO && !headroom->computed)
			judge_auto(rule, profile, class, role, findings);
	}
	if (!stated)
		found(findings, rule, &class->lossless.place,
		      "class %s is lossless and no role gives it headroom",
		      class->name);
	for (unsigned role = 0; stated && stated < present && role < RT_ROLE_COUNT;
	     role++)
		if (rt_role_is_present(profile, role) &&
		    is_unset(&class->at[role].headroom))
			rt_rule_lacks(findings, rule, &class->lossless.place,
				      "class %s: nothing is said for %s ports",
				      class->name, role_name(role));
}

static void check_headroom(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	for_each_class (class, profile)
		if (rt_class_is_lossless(class))
			judge_headroom(rule, profile, class, findings);
}

static void judge_headroom_sum(const struct rt_rule *rule,
			       const struct rt_profile *profile, enum rt_role role,
			       struct rt_findings *findings)
{
	const struct rt_profile_pool *pool = &profile->sw.pool;
	const struct rt_setting *room = rt_setting_known(&pool->buffer)
						? &pool->buffer
						: &pool->lossless;
	const struct rt_opt_u64 sum = rt_headroom_sum(profile, role);
	const char *which = role == RT_ROLE_SPINE ? "spine" : "leaf";
	const struct rt_place nowhere = { 0 };
	struct amount a, b;

	if (!sum.known || !rt_setting_known(room))
		rt_rule_lacks(findings, rule, &nowhere, "%s: %s", which,
			      sum.known ? "switch.pool has no size"
					: "a role's ports or headroom is not a number");
	else if (sum.value > room->number)
		found(findings, rule, &room->place,
		      "%s: headroom of all ports and lossless classes is %s, the pool "
		      "%s",
		      which, bytes_text(sum.value, &a), bytes_text(room->number, &b));
}

static void check_headroom_sum(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;

	if (!is_unset(&profile->sw.pool.shared_headroom) ||
	    rt_profile_lossless_count(profile) == 0)
		return;
	if (rt_role_is_present(profile, RT_ROLE_HOST) ||
	    rt_role_is_present(profile, RT_ROLE_UP))
		judge_headroom_sum(rule, profile, RT_ROLE_HOST, findings);
	if (rt_role_is_present(profile, RT_ROLE_SPINE))
		judge_headroom_sum(rule, profile, RT_ROLE_SPINE, findings);
}

static bool has_watchdog(const struct rt_profile *profile)
{
	const struct rt_watchdog *dog = &profile->sw.watchdog;

	return !is_unset(&dog->classes) || !is_unset(&dog->detect) ||
	       !is_unset(&dog->action);
}

static void check_watchdog(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_setting *watched = &profile->sw.watchdog.classes;

	for_each_class (class, profile) {
		if (!rt_class_is_lossless(class))
			continue;
		if (!has_watchdog(profile))
			found(findings, rule, &class->lossless.place,
			      "class %s is lossless, switch.watchdog is not set",
			      class->name);
		else if (watched->state == RT_SETTING_KEEP)
			rt_rule_lacks(findings, rule, &watched->place,
				      "class %s: switch.watchdog is kept as it is",
				      class->name);
		else if (is_value(watched) &&
			 !(watched->number >> (class - profile->classes) & 1))
			found(findings, rule, &watched->place,
			      "class %s is lossless, the watchdog has %s", class->name,
			      *watched->text ? watched->text : "no class");
	}
}

static void check_storm_timeout(const struct rt_rule *rule, const void *subject,
				struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_setting *detect = &profile->sw.watchdog.detect;
	const struct rt_setting *timeout = &profile->host.pause_storm_timeout;
	struct amount a, b;

	if (rt_profile_lossless_count(profile) == 0 || !has_watchdog(profile))
		return;
	if (!rt_setting_known(detect) || !rt_setting_known(timeout))
		rt_rule_lacks(findings, rule,
			      rt_setting_known(detect) ? &detect->place
						       : &timeout->place,
			      "%s is no known time",
			      rt_setting_known(detect) ? "host.pause_storm_timeout"
						       : "switch.watchdog.detect");
	else if (timeout->number == 0)
		found(findings, rule, &timeout->place,
		      "the NIC never stops pausing, the switch acts after %s (line %u)",
		      time_text(detect->number, &a), detect->place.line);
	else if (timeout->number >= detect->number)
		found(findings, rule, &timeout->place,
		      "the NIC stops pausing after %s, the switch acts after %s (line "
		      "%u)",
		      time_text(timeout->number, &a), time_text(detect->number, &b),
		      detect->place.line);
}

/* What drivers make of both: their set_pauseparam() and dcbnl in Linux. */
static void check_global_pause(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_setting *pause = &profile->host.global_pause;

	if (!rt_setting_known(pause) || !pause->number)
		return;
	for_each_class (class, profile)
		if (rt_class_is_lossless(class)) {
			found(findings, rule, &pause->place,
			      "host.global_pause is on, class %s is lossless (line %u)",
			      class->name, class->lossless.place.line);
			return;
		}
}

/* --- MTU ------------------------------------------------------------------------- */

/* Headers Linux reserves for any RoCE packet: include/rdma/ib_addr.h. */
#define ROCE_HEADER_BYTES 96

static void check_mtu(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_profile *profile = subject;
	const struct rt_setting *roce = &profile->match.roce_mtu;
	const struct rt_setting *link = &profile->match.l2_mtu;
	const struct rt_setting *port = &profile->sw.mtu;

	if (!rt_setting_known(roce) || !rt_setting_known(link))
		rt_rule_lacks(findings, rule, &roce->place, "match.%s is not said",
			      rt_setting_known(roce) ? "l2_mtu" : "roce_mtu");
	else if (roce->number + ROCE_HEADER_BYTES > link->number)
		found(findings, rule, &roce->place,
		      "RoCE MTU %" PRIu64 " + %d of headers > link MTU %" PRIu64
		      " (line %u)",
		      roce->number, ROCE_HEADER_BYTES, link->number, link->place.line);
	if (rt_setting_known(link) && rt_setting_known(port) &&
	    link->number > port->number)
		found(findings, rule, &link->place,
		      "MTU of the host's link %" PRIu64
		      " > of the switch's port %" PRIu64 " (line %u)",
		      link->number, port->number, port->place.line);
}

/* --- the table ------------------------------------------------------------------- */

static void check_nothing(const struct rt_rule *rule, const void *subject,
			  struct rt_findings *findings)
{
	(void)rule;
	(void)subject;
	(void)findings;
}

enum {
	RULE_NOT_JUDGED,
	RULE_FIRST
};

const struct rt_rule rt_profile_rules[] = {
	[RULE_NOT_JUDGED] = {
		.id = "profile-not-judged",
		.severity = RT_SEVERITY_UNKNOWN,
		.title = "A rule lacks a number",
		.explain = "The profile does not say what the named rule needs, so it "
			   "was not checked: that is neither good nor bad.",
		.remedy = "Give the number if you know it.",
		.check = check_nothing,
	},
	[RULE_FIRST] = {
		.id = "ecn-kmin-above-kmax",
		.severity = RT_SEVERITY_ERROR,
		.title = "Kmin is above Kmax",
		.explain = "Marking starts at Kmin and is certain from Kmax on; SONiC's "
			   "orchagent fails on the reverse (sonic-utilities pull 579). "
			   "Equal values are legal: a step.",
		.remedy = "Swap them, or make them equal for a step.",
		.check = check_kmin_kmax,
	},
	{
		.id = "ecn-kmin-above-xoff",
		.severity = RT_SEVERITY_ERROR,
		.title = "PAUSE comes before the first mark",
		.explain = "With one port filling the queue, its priority group reaches "
			   "XOFF (alpha * pool / (1 + alpha), Choudhury and Hahne 1998) "
			   "before the queue reaches Kmin: senders are paused and never "
			   "told to slow down.",
		.remedy = "Lower kmin below XOFF, or raise buffer_alpha.",
		.check = check_kmin_xoff,
	},
	{
		.id = "pfc-no-headroom",
		.severity = RT_SEVERITY_ERROR,
		.title = "A lossless class has no headroom",
		.explain = "After PAUSE is sent, cable and peer still deliver; without "
			   "room for that the class drops (IEEE 802.1Qbb). SONiC makes no "
			   "lossless group for a cable of 0m (sonic-swss buffermgr).",
		.remedy = "Give headroom a size (`rocetune headroom SPEED LENGTH`), auto "
			  "with switch.headroom_model, or platform.",
		.check = check_headroom,
	},
	{
		.id = "class-dscp-twice",
		.severity = RT_SEVERITY_ERROR,
		.title = "A DSCP is in two classes",
		.explain = "A packet goes to one queue; which one would depend on the "
			   "order in which a device was told.",
		.remedy = "Take it out of one class.",
		.check = rt_check_dscp_twice,
	},
	{
		.id = "sched-ets-not-100",
		.severity = RT_SEVERITY_ERROR,
		.title = "ETS shares do not add up to 100",
		.explain = "IEEE 802.1Qaz divides what strict classes leave among the "
			   "ETS classes, in percent; mlx5 refuses another sum (Linux "
			   "mlx5e_dbcnl_validate_ets).",
		.remedy = "Make the shares of the classes with ets add up to 100.",
		.check = rt_check_ets_sum,
	},
	{
		.id = "class-shares-paused-prio",
		.severity = RT_SEVERITY_ERROR,
		.title = "A class that is not lossless has a priority that is paused",
		.explain = "PFC pauses a priority, not a class (IEEE 802.1Qbb): what is "
			   "meant to be dropped, or never to wait, waits with the "
			   "lossless class and uses up its headroom.",
		.remedy = "Give the class a priority of its own, or make it lossless.",
		.check = rt_check_paused_prio,
	},
	{
		.id = "pfc-with-global-pause",
		.severity = RT_SEVERITY_ERROR,
		.title = "Pause of the whole link is on beside PFC",
		.explain = "It stops all classes where PFC would stop one. Of Linux' "
			   "drivers mlx4 clears the PFC mask when pause is turned on, ice, i40e and hns3 "
			   "refuse the second of them, and mlx5 takes both and treats "
			   "every buffer as lossless.",
		.remedy = "Turn host.global_pause off, or make no class lossless.",
		.check = check_global_pause,
	},
	{
		.id = "rp-rates-crossed",
		.severity = RT_SEVERITY_ERROR,
		.title = "The floor of the rate is above its ceiling",
		.explain = "A reaction point keeps each flow between min_rate and "
			   "max_rate, or the speed of the port: crossed, congestion "
			   "control cannot slow anything down.",
		.remedy = "Lower host.cc.rp.min_rate, or raise max_rate (0: line rate).",
		.check = rt_check_rates,
	},
	{
		.id = "mtu-over-link",
		.severity = RT_SEVERITY_ERROR,
		.title = "Packets are larger than the link takes",
		.explain = "A full RDMA packet with its headers (Linux reserves 96 bytes, "
			   "include/rdma/ib_addr.h) must fit the link's MTU, and that the "
			   "switch's; else it is dropped.",
		.remedy = "Lower roce_mtu, or raise the MTU of link and switch.",
		.check = check_mtu,
	},
	{
		.id = "ecn-kmin-above-bound",
		.severity = RT_SEVERITY_WARN,
		.title = "PAUSE may come before the first mark in the worst case",
		.explain = "All bytes queued at all egress ports may have come from one "
			   "ingress; only below beta (B - P n t_flight) / (P n (beta + "
			   "1)) is every sender marked before that ingress is paused "
			   "(DCQCN, SIGCOMM 2015; 21.75 KB for its switch). "
			   "Published settings for large buffers exceed it knowingly.",
		.remedy = "Lower kmin towards the bound, or accept rare PAUSE.",
		.check = check_kmin_bound,
	},
	{
		.id = "cnp-on-lossless",
		.severity = RT_SEVERITY_WARN,
		.title = "CNPs can be paused",
		.explain = "A CNP that waits behind PAUSE comes when the queue it warns "
			   "of has long overflowed; vendors put CNPs in a strict class "
			   "of their own that is not lossless (NVIDIA, Dell and Juniper "
			   "RoCE guides).",
		.remedy = "Give CNPs a class with a priority that is not lossless.",
		.check = rt_check_cnp_lossless,
	},
	{
		.id = "control-on-lossless",
		.severity = RT_SEVERITY_WARN,
		.title = "Control messages can be paused",
		.explain = "Control messages are small and tell others to go on; behind "
			   "PAUSE they wait for the very traffic that they steer.",
		.remedy = "Give control messages a strict class that is not lossless.",
		.check = rt_check_control_lossless,
	},
	{
		.id = "app-tc-no-class",
		.severity = RT_SEVERITY_WARN,
		.title = "An application's traffic class is that of no class",
		.explain = "The byte's upper six bits are a DSCP that no class names: "
			   "it goes to whatever takes the rest, on most switches a "
			   "lossy default queue.",
		.remedy = "Use the byte of a class (four times its DSCP, and 2 for ECT), "
			  "or the name of the class.",
		.check = rt_check_app_class,
	},
	{
		.id = "app-tc-not-ect",
		.severity = RT_SEVERITY_WARN,
		.title = "An application's traffic class has the wrong ECN bits",
		.explain = "With ect: tclass the byte itself must say ECT (RFC 3168): 0 "
			   "in its last two bits can never be marked, 3 (CE) is set by "
			   "switches and looks like congestion everywhere.",
		.remedy = "Use the byte that the message names.",
		.check = rt_check_app_ect,
	},
	{
		.id = "pfc-no-watchdog",
		.severity = RT_SEVERITY_WARN,
		.title = "PFC runs without a watchdog",
		.explain = "One NIC that pauses for ever, or a deadlock, stops the whole "
			   "fabric (Microsoft, SIGCOMM 2016).",
		.remedy = "Set switch.watchdog with the class in classes.",
		.check = check_watchdog,
	},
	{
		.id = "ecn-class-not-ect",
		.severity = RT_SEVERITY_WARN,
		.title = "ECN on a class whose packets cannot be marked",
		.explain = "Packets without ECT bits are dropped where others are marked "
			   "(RFC 3168; WRED shares its thresholds, sonic-swss issue "
			   "4718).",
		.remedy = "Have the NIC or the traffic class byte set ECT, or take ecn "
			  "off the class.",
		.check = check_not_ect,
	},
	{
		.id = "pfc-storm-timeout-not-shorter",
		.severity = RT_SEVERITY_WARN,
		.title = "The switch gives up on the NIC before the NIC does",
		.explain = "A NIC that cannot receive should stop pausing before the "
			   "switch's watchdog starts dropping (mlx5: "
			   "pfc-prevention-tout, 100 ms when auto).",
		.remedy = "Make host.pause_storm_timeout shorter than "
			  "switch.watchdog.detect.",
		.check = check_storm_timeout,
	},
	{
		.id = "pfc-headroom-over-pool",
		.severity = RT_SEVERITY_WARN,
		.title = "The ports' headroom is more than there is",
		.explain = "Headroom that ports do not share is reserved for each; the "
			   "switch refuses, or quietly leaves some ports without.",
		.remedy = "Fewer lossless classes, shorter cables, or "
			  "pool.shared_headroom.",
		.check = check_headroom_sum,
	},
};

const size_t rt_profile_rule_count = RT_ARRAY_SIZE(rt_profile_rules);

void rt_rule_lacks(struct rt_findings *findings, const struct rt_rule *rule,
		   const struct rt_place *place, const char *fmt, ...)
{
	char text[RT_AUTO_WHY_BYTES + 80], where[RT_PLACE_TEXT_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	rt_findings_add(findings, &rt_profile_rules[RULE_NOT_JUDGED],
			rt_place_format(place, where), "%s: %s", rule->id, text);
}

/* --- running -------------------------------------------------------------------- */

static bool has(const struct rt_findings *findings, const struct rt_finding *wanted,
		size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (findings->items[i].id == wanted->id &&
		    strcmp(findings->items[i].where, wanted->where) == 0 &&
		    strcmp(findings->items[i].evidence, wanted->evidence) == 0)
			return true;
	return false;
}

/* What the rail's own rules found, under the rule's row, with the rail named. */
static void take_new(struct rt_findings *findings, const struct rt_findings *rail,
		     const char *select, size_t known)
{
	for (size_t i = 0; i < rail->count; i++)
		for (size_t j = 0; j < rt_profile_rule_count; j++)
			if (rt_profile_rules[j].id == rail->items[i].id &&
			    !has(findings, &rail->items[i], known))
				rt_findings_add(findings, &rt_profile_rules[j],
						rail->items[i].where, "on %s: %s",
						select, rail->items[i].evidence);
}

int rt_profile_check(const struct rt_profile *profile, struct rt_findings *findings,
		     struct rt_err *err)
{
	int r = rt_rules_run(rt_profile_rules, rt_profile_rule_count, profile, findings,
			     err);
	const size_t known = findings->count;

	for (size_t i = 0; i < profile->rail_count && r == 0; i++) {
		struct rt_findings own = { 0 };
		struct rt_profile *rail;

		r = rt_profile_rail(profile, i, &rail, err);
		if (r < 0)
			break;
		r = rt_rules_run(rt_profile_rules, rt_profile_rule_count, rail, &own,
				 err);
		take_new(findings, &own, profile->rails[i].select, known);
		rt_findings_free(&own);
		rt_profile_free(rail);
	}
	rt_findings_sort(findings);
	return r;
}
