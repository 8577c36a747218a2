/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_align.h - what the files with the rules over two ends of a link share. */
#ifndef RT_MODEL_RULES_ALIGN_H
#define RT_MODEL_RULES_ALIGN_H

#include <inttypes.h>
#include <stdio.h>

#include "model/align.h"
#include "model/rules_check.h"

/* A violation at the port; part is what of it, "" for all. */
#define align_found(findings, rule, align, part, ...)                        \
	({                                                                   \
		char rt_where_[160];                                         \
		snprintf(rt_where_, sizeof(rt_where_), "%.100s%s%.40s",      \
			 (align)->where, *(part) ? ", " : "", (part));       \
		rt_findings_add((findings), (rule), rt_where_, __VA_ARGS__); \
	})

/* Its row in rt_align_rules. */
#define RT_ALIGN_NOT_JUDGED 1

/* The rule lacked what fmt says: a finding align-not-judged; findings NULL: nothing. */
void rt_align_lacks(struct rt_findings *findings, const struct rt_rule *rule,
		    const struct rt_align *align, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Unknown too where the side is absent. */
struct rt_opt_u64 rt_align_host(const struct rt_align *align, enum rt_knob_id id);
struct rt_opt_u64 rt_align_want(const struct rt_align *align, enum rt_knob_id id);
struct rt_opt_u64 rt_align_said(const struct rt_align *align, enum rt_knob_id id);

/* Priorities whose PAUSE the switch's port both sends and obeys. */
struct rt_opt_u64 rt_align_switch_pfc(const struct rt_align *align);

/* The priority that the host gives a DSCP: its map's, else the profile's. */
struct rt_opt_u64 rt_align_prio_of_dscp(const struct rt_align *align, unsigned dscp);

/* DSCPs of the CNPs: what the host sends, else what the profile wants; a mask. */
struct rt_opt_u64 rt_align_cnp_dscps(const struct rt_align *align);

/* As rt_switch_mask_text() of what is known. */
char *rt_align_mask(uint64_t mask, char buf[RT_SWITCH_MASK_BYTES]);

static inline bool rt_align_is_data(const struct rt_class *class)
{
	return !rt_setting_known(&class->kind) || class->kind.number == RT_CLASS_DATA;
}

static inline bool rt_align_is_cnp(const struct rt_class *class)
{
	return rt_setting_known(&class->kind) && class->kind.number == RT_CLASS_CNP;
}

typedef void rt_align_check_fn(const struct rt_rule *rule, const void *subject,
			       struct rt_findings *findings);
/* rules_align_host.c: the host against its profile */
rt_align_check_fn rt_align_sides, rt_align_other_port, rt_align_differs,
	rt_align_cc_differs, rt_align_tclass, rt_align_devx, rt_align_app,
	rt_align_cm_tos, rt_align_cnp_dscp, rt_align_cnp_paused, rt_align_global_pause,
	rt_align_willing, rt_align_host_mtu, rt_align_storm_timeout;
/* rules_align_switch.c: the port of the switch against host and profile */
rt_align_check_fn rt_align_pfc_host_only, rt_align_pfc_switch_only, rt_align_trust,
	rt_align_link_down, rt_align_mtu, rt_align_speed, rt_align_cable,
	rt_align_watchdog, rt_align_watchdog_storm, rt_align_watchdog_prios,
	rt_align_unguarded;
/* rules_align_class.c: the way of a class through the switch */
rt_align_check_fn rt_align_lossless_class, rt_align_lossy_class, rt_align_rest_paused,
	rt_align_class_prio, rt_align_cnp_queue, rt_align_cnp_shared, rt_align_queue,
	rt_align_ecn, rt_align_thresholds, rt_align_ect, rt_align_headroom,
	rt_align_sched;
/* rules_align_lldp.c: what is announced against all of them */
rt_align_check_fn rt_align_two_agents, rt_align_no_dcbx, rt_align_dialect,
	rt_align_malformed, rt_align_peer_error, rt_align_pfc_announced,
	rt_align_pfc_oper, rt_align_not_applied, rt_align_ets_announced,
	rt_align_app_announced, rt_align_both_willing, rt_align_wrong_port;

#endif
