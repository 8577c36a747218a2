/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_capture.c - what the capture itself can't be trusted in. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/rules.h"

/* A frame in how many seen twice is a mirror's doing and no go-back-N. */
#define TWICE_SHARE 3 /* one in three */
#define TWICE_MIN   16

/* The same where its id says that it was sent once. */
#define DOUBLED_SHARE 5
#define DOUBLED_MIN   4

/* A transport that may use a PSN as often as it likes. */
#define UD 3

void rt_check_no_roce(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->roce.frames == 0)
		rt_findings_add(findings, rule, "", "%s",
				*analysis->capture.note ? analysis->capture.note
							: "no frames");
}

uint64_t rt_lost_by_capture(const struct rt_analysis *analysis)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < analysis->capture.interface_count; i++)
		lost += analysis->capture.interfaces[i].dropped.value;
	return lost;
}

/* Its findings are rt_diagnose()'s, which knows what the other rules would say. */
void rt_check_not_judged(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	(void)rule;
	(void)subject;
	(void)findings;
}

void rt_check_dropped(const struct rt_rule *rule, const void *subject,
		      struct rt_findings *findings)
{
	const struct rt_analysis_capture *capture =
		&((const struct rt_analysis *)subject)->capture;

	for (size_t i = 0; i < capture->interface_count; i++) {
		const struct rt_analysis_if *at = &capture->interfaces[i];

		if (at->dropped.known && at->dropped.value)
			rt_findings_add(findings, rule, at->name,
					"%" PRIu64
					" frames lost by the capture, %" PRIu64
					" captured",
					at->dropped.value, at->frames);
	}
}

void rt_check_damage(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	const struct rt_analysis_capture *capture =
		&((const struct rt_analysis *)subject)->capture;

	if (*capture->damage)
		rt_findings_add(findings, rule, "",
				"%s; %" PRIu64 " frames were read before it",
				capture->damage, capture->frames);
}

void rt_check_file_cut(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_analysis_capture *capture =
		&((const struct rt_analysis *)subject)->capture;

	if (capture->ends_at_bytes.known)
		rt_findings_add(findings, rule, "",
				"the record at byte %" PRIu64 " is cut off; %" PRIu64
				" frames were read before it",
				capture->ends_at_bytes.value, capture->frames);
}

void rt_check_snap_short(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->roce.bth_cut)
		rt_findings_add(findings, rule, "",
				"%" PRIu64 " of %" PRIu64
				" RoCE frames end before their transport header does",
				analysis->roce.bth_cut, analysis->roce.frames);
}

bool rt_is_doubled(const struct rt_analysis_flow *flow)
{
	return flow->seen_before >= DOUBLED_MIN &&
	       flow->seen_before * DOUBLED_SHARE >= flow->frames;
}

bool rt_has_doubtful_timeouts(const struct rt_analysis_flow *flow)
{
	return flow->copies * DOUBLED_SHARE >= flow->frames && flow->copies > 0 &&
	       flow->timeouts.value > 0 &&
	       flow->timeouts.value <= flow->lookalikes.value;
}

static bool is_seen_twice(const struct rt_analysis_flow *flow)
{
	if (rt_is_doubled(flow) || rt_has_doubtful_timeouts(flow))
		return true;
	return flow->transport != UD && flow->h_behind >= TWICE_MIN &&
	       flow->h_behind * TWICE_SHARE >= flow->frames &&
	       flow->rewinds_nak + flow->rewinds_rnr + flow->timeouts.value == 0 &&
	       flow->rewinds_alone * 4 >= flow->h_behind;
}

static void tell_twice(const struct rt_rule *rule, const struct rt_analysis_flow *flow,
		       const char *where, struct rt_findings *findings)
{
	char lag[RT_UNIT_TEXT_BYTES];
	char alike[80] = "frames were not compared";

	if (rt_is_doubled(flow)) {
		rt_findings_add(
			findings, rule, where,
			"%" PRIu64 " of %" PRIu64
			" frames have PSN and IP id of one up to %s before, and no "
			"NAK asked for them; what was lost, sent again or waited for "
			"can't be judged here",
			flow->seen_before, flow->frames,
			rt_unit_format(RT_UNIT_NS, flow->seen_lag_ns.value, lag));
		return;
	}
	if (rt_has_doubtful_timeouts(flow)) {
		rt_findings_add(
			findings, rule, where,
			"%" PRIu64 " copies were left out, and %" PRIu64
			" frames may be copies as well: whether %" PRIu64
			" rewinds after a silence are time-outs can't be judged",
			flow->copies, flow->lookalikes.value, flow->timeouts.value);
		return;
	}
	if (flow->lookalikes.known)
		snprintf(alike, sizeof(alike),
			 "%" PRIu64 " of them are the same in all that was captured",
			 flow->lookalikes.value);
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " of %" PRIu64 " frames repeat a PSN, in %" PRIu64
			" rewinds, without a NAK, an RNR NAK or a silence before; %s",
			flow->h_behind, flow->frames, flow->p_rewinds, alike);
}

RT_FLOW_WEIGHT(weigh_seen_twice, is_seen_twice, flow->h_behind)

void rt_check_frames_twice(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_seen_twice, tell_twice);
}

void rt_check_copies(const struct rt_rule *rule, const void *subject,
		     struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	for (size_t i = 0; i < analysis->capture.interface_count; i++) {
		const struct rt_analysis_if *interface =
			&analysis->capture.interfaces[i];
		char where[96];

		if (interface->copies == 0)
			continue;
		snprintf(where, sizeof(where), "interface %zu%s%s", i,
			 *interface->name ? " " : "", interface->name);
		rt_findings_add(findings, rule, where,
				"%" PRIu64 " of %" PRIu64
				" frames repeat one captured at most 500 us before",
				interface->copies, interface->frames);
	}
}

static bool has_hole(const struct rt_analysis_flow *flow)
{
	return flow->acked_holes > 0;
}

static void tell_hole(const struct rt_rule *rule, const struct rt_analysis_flow *flow,
		      const char *where, struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " PSNs in %" PRIu64
			" gaps were acknowledged without being sent again%s",
			flow->acked_psns, flow->acked_holes,
			flow->timeouts.value
				? "; its rewinds after a silence are not judged: NAKs "
				  "may be missing, too"
				: "");
}

RT_FLOW_WEIGHT(weigh_hole, has_hole, flow->acked_psns)

void rt_check_capture_hole(const struct rt_rule *rule, const void *subject,
			   struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_hole, tell_hole);
}

void rt_check_overflow(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->sequence.overflow || analysis->roce.direction_overflow ||
	    analysis->connections.overflow || analysis->sequence.holes_given_up ||
	    analysis->pauses.overflow || analysis->throughput.series_overflow)
		rt_findings_add(
			findings, rule, "",
			"not followed: %" PRIu64 " frames of flows, %" PRIu64
			" of directions, %" PRIu64 " pauses, %" PRIu64
			" senders over time, %" PRIu64 " gaps, %" PRIu64
			" connections (limits: %u flows, %u directions)",
			analysis->sequence.overflow, analysis->roce.direction_overflow,
			analysis->pauses.overflow, analysis->throughput.series_overflow,
			analysis->sequence.holes_given_up,
			analysis->connections.overflow, RT_ANALYSIS_MAX_FLOWS,
			RT_ANALYSIS_MAX_PAIRS);
}

void rt_check_fragments(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	if (analysis->roce.frames && analysis->capture.fragments)
		rt_findings_add(findings, rule, "", "%" PRIu64 " IP fragments",
				analysis->capture.fragments);
}

void rt_check_time_back(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_analysis_capture *capture =
		&((const struct rt_analysis *)subject)->capture;
	char text[RT_UNIT_TEXT_BYTES];

	if (capture->times_back)
		rt_findings_add(
			findings, rule, "",
			"%" PRIu64
			" %s stamped before the one in front of %s, by up to %s",
			capture->times_back,
			capture->times_back == 1 ? "frame is" : "frames are",
			capture->times_back == 1 ? "it" : "them",
			rt_unit_format(RT_UNIT_NS, capture->longest_back_ns, text));
}
