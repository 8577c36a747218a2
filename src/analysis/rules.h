/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rules.h - the predicates behind the rows of diagnosis.c.  Subject of all is a
 * struct rt_analysis; all report through rt_findings_add().
 */
#ifndef RT_ANALYSIS_RULES_H
#define RT_ANALYSIS_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "rocetune/analysis.h"

/* Findings of one rule about single flows; the rest is summed up in one more. */
#define RT_RULE_FLOWS 3

typedef void rt_rule_check(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings);

/* capture */
rt_rule_check rt_check_no_roce, rt_check_dropped, rt_check_not_judged, rt_check_damage,
	rt_check_file_cut, rt_check_snap_short, rt_check_frames_twice, rt_check_copies,
	rt_check_capture_hole, rt_check_overflow, rt_check_fragments,
	rt_check_time_back;
/* connections */
rt_rule_check rt_check_cm_refused, rt_check_cm_contradiction;
/* loss */
rt_rule_check rt_check_loss, rt_check_reordering, rt_check_gap_unanswered,
	rt_check_unreliable_gap, rt_check_timeouts, rt_check_rnr_wait,
	rt_check_rnr_stall, rt_check_naks_alone, rt_check_fatal_nak, rt_check_icrc_some,
	rt_check_icrc_all;
/* marks */
rt_rule_check rt_check_not_ect, rt_check_all_ce, rt_check_ce_no_cnp,
	rt_check_ce_no_return, rt_check_cnp_no_ce, rt_check_cnp_no_flow;
/* pauses */
rt_rule_check rt_check_pause_hidden, rt_check_pause_untimed, rt_check_pause_share,
	rt_check_pause_storm, rt_check_pause_priority, rt_check_pause_global;
/* throughput */
rt_rule_check rt_check_unfair, rt_check_few_ports;

/*
 * Frames that whoever captured had no room for, on all interfaces; 0: none, or not
 * told.
 */
uint64_t rt_lost_by_capture(const struct rt_analysis *analysis);

/*
 * Much of the flow is in the capture twice and was not left out: what looks as if it
 * was sent again may be that.  capture-frames-twice tells.
 */
bool rt_is_doubled(const struct rt_analysis_flow *flow);

/*
 * Copies of the flow were left out, and as many frames as it has time-outs may be
 * copies that were not: a single one of these looks like a time-out.  The same tells.
 */
bool rt_has_doubtful_timeouts(const struct rt_analysis_flow *flow);

/* How bad a flow is by a rule, in whatever that counts; 0: it is in order. */
typedef uint64_t rt_flow_weight(const struct rt_analysis_flow *flow);

/* A weight of expression (of flow) where predicate holds; more than 0. */
#define RT_FLOW_WEIGHT(name, predicate, expression)                      \
	static uint64_t name(const struct rt_analysis_flow *flow)        \
	{                                                                \
		return predicate(flow) ? (uint64_t)(expression) + 1 : 0; \
	}

/*
 * Walk the flows that have a weight: the RT_RULE_FLOWS worst get a finding of
 * their own through tell, worst first, the others are counted in one more.
 */
void rt_rule_flows(const struct rt_rule *rule, const struct rt_analysis *analysis,
		   struct rt_findings *findings, rt_flow_weight *weigh,
		   void (*tell)(const struct rt_rule *rule,
				const struct rt_analysis_flow *flow, const char *where,
				struct rt_findings *findings));

#endif
