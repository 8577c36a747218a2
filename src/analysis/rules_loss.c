/* SPDX-License-Identifier: BSD-2-Clause */
/* rules_loss.c - lost, late, refused and damaged packets. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/rules.h"
#include "analysis/syndrome.h"

#define RC  0
#define UC  1
#define RD  2
#define XRC 5

/* An RNR wait above this share of the stream's time is a stall. */
#define RNR_STALL_PCT 5

/* A rewind that repeats more frames than this went back N, NAK seen or not. */
#define BACK_FRAMES 4

/* The worst flows so far, worst first. */
struct worst {
	const struct rt_analysis_flow *flow[RT_RULE_FLOWS];
	uint64_t weight[RT_RULE_FLOWS];
};

/* Of equals the earlier one stays in front. */
static void keep_worst(struct worst *worst, const struct rt_analysis_flow *flow,
		       uint64_t weight)
{
	for (size_t i = 0; i < RT_RULE_FLOWS; i++) {
		const struct rt_analysis_flow *pushed = worst->flow[i];
		const uint64_t pushed_weight = worst->weight[i];

		if (weight <= pushed_weight)
			continue;
		worst->flow[i] = flow;
		worst->weight[i] = weight;
		flow = pushed;
		weight = pushed_weight;
	}
}

void rt_rule_flows(const struct rt_rule *rule, const struct rt_analysis *analysis,
		   struct rt_findings *findings, rt_flow_weight *weigh,
		   void (*tell)(const struct rt_rule *rule,
				const struct rt_analysis_flow *flow, const char *where,
				struct rt_findings *findings))
{
	struct worst worst = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < analysis->sequence.flow_count; i++) {
		const struct rt_analysis_flow *flow = &analysis->sequence.flows[i];
		const uint64_t weight = weigh(flow);

		count += weight > 0;
		keep_worst(&worst, flow, weight);
	}
	for (size_t i = 0; i < RT_RULE_FLOWS && worst.weight[i]; i++) {
		const struct rt_analysis_flow *flow = worst.flow[i];
		char where[160];

		snprintf(where, sizeof(where), "%s > %s QP %" PRIu32 "%s", flow->src,
			 flow->dst, flow->dest_qp,
			 flow->stream == RT_FLOW_RESPONSE ? " (READ responses)" : "");
		tell(rule, flow, where, findings);
	}
	if (count <= RT_RULE_FLOWS)
		return;
	rt_findings_add(findings, rule, "",
			"%zu flows more, %zu in all: the flow table has them",
			count - RT_RULE_FLOWS, count);
	rt_findings_fold(findings, count - RT_RULE_FLOWS);
}

static bool is_reliable(const struct rt_analysis_flow *flow)
{
	return flow->transport == RC || flow->transport == RD || flow->transport == XRC;
}

/*
 * A resend whose next frame got lost as well looks like a late frame: where most
 * gaps were filled by resends, the few others were too.
 */
static bool is_reordered(const struct rt_analysis_flow *flow)
{
	return flow->reordered > flow->repaired + flow->undecided;
}

/* Gaps that neither late frames nor the capture explain. */
static uint64_t real_gaps(const struct rt_analysis_flow *flow)
{
	const uint64_t explained = (is_reordered(flow) ? flow->reordered : 0) +
				   flow->acked_holes + flow->bad_h_gaps +
				   flow->between_gaps;

	return flow->h_gaps > explained ? flow->h_gaps - explained : 0;
}

/* Each copy of a mirror is a rewind of its own; a sender repeats a window. */
static bool goes_back_n(const struct rt_analysis_flow *flow)
{
	return flow->rewinds_alone > 0 &&
	       flow->h_behind > BACK_FRAMES * flow->p_rewinds;
}

static bool is_lossy(const struct rt_analysis_flow *flow)
{
	if (!is_reliable(flow) || rt_is_doubled(flow))
		return false;
	if (is_reordered(flow) && real_gaps(flow) == 0)
		return false;
	if (!flow->return_seen && flow->rewinds_alone > 0 && flow->silence_ns > 0)
		return true;
	return flow->rewinds_nak > 0 || goes_back_n(flow) ||
	       (real_gaps(flow) > 0 && flow->p_rewinds > 0);
}

/* Where a gap is seen tells on which side of the tap packets got lost. */
static const char *side_of_loss(const struct rt_analysis_flow *flow, char *buf,
				size_t bytes)
{
	const char *side = flow->p_gaps > flow->bad_gaps
				   ? "gaps are visible: lost before this tap"
				   : "no gap is visible: lost behind this tap";

	if (flow->p_gaps == flow->bad_gaps && flow->icrc_bad > 0 && flow->icrc_ok > 0) {
		snprintf(buf, bytes,
			 "%" PRIu64
			 " frames are damaged, which is a loss each; no other "
			 "gap is visible",
			 flow->icrc_bad);
		side = buf;
	}
	if (flow->whole_at.known) {
		snprintf(buf, bytes,
			 "lost between interface %" PRIu64 ", where none is missing, "
			 "and %" PRIu64,
			 flow->whole_at.value, flow->interface);
		side = buf;
	}
	return side;
}

static void tell_resends(const struct rt_rule *rule,
			 const struct rt_analysis_flow *flow, const char *where,
			 const char *side, struct rt_findings *findings)
{
	const double share = flow->frames ? 100.0 * (double)flow->h_behind /
						    (double)flow->frames
					  : 0;
	const char *unseen =
		flow->return_seen ? ""
				  : "; return path not seen: NAKs are not visible, "
				    "and late frames and time-outs can't be told from "
				    "resends";

	rt_findings_add(findings, rule, where,
			"%" PRIu64 " gaps (%" PRIu64 " PSNs), %" PRIu64
			" rewinds after a NAK, %" PRIu64 " without; %" PRIu64
			" frames (%.3g%%) sent again; %s%s",
			flow->p_gaps, flow->p_skipped, flow->rewinds_nak,
			flow->rewinds_alone, flow->h_behind, share, side, unseen);
}

static void tell_loss(const struct rt_rule *rule, const struct rt_analysis_flow *flow,
		      const char *where, struct rt_findings *findings)
{
	char buf[112];

	tell_resends(rule, flow, where, side_of_loss(flow, buf, sizeof(buf)), findings);
}

/* Resends were seen, whatever was not; which gaps are the network's is not known. */
static void tell_loss_somewhere(const struct rt_rule *rule,
				const struct rt_analysis_flow *flow, const char *where,
				struct rt_findings *findings)
{
	tell_resends(rule, flow, where,
		     "on which side of this tap is not judged: the capture lost frames",
		     findings);
}

RT_FLOW_WEIGHT(weigh_lossy, is_lossy, flow->h_behind)

void rt_check_loss(const struct rt_rule *rule, const void *subject,
		   struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_lossy,
		      rt_lost_by_capture(subject) ? tell_loss_somewhere : tell_loss);
}

static void tell_reordered(const struct rt_rule *rule,
			   const struct rt_analysis_flow *flow, const char *where,
			   struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " of %" PRIu64
			" gaps were filled by frames that came late; it drew %" PRIu64
			" NAKs, and %" PRIu64 " frames came again",
			flow->reordered, flow->h_gaps, flow->naks.value,
			flow->h_behind);
}

RT_FLOW_WEIGHT(weigh_reordered, is_reordered, flow->reordered)

void rt_check_reordering(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_reordered, tell_reordered);
}

static bool is_unanswered(const struct rt_analysis_flow *flow)
{
	return is_reliable(flow) && real_gaps(flow) > 0 && flow->p_rewinds == 0;
}

static void tell_unanswered(const struct rt_rule *rule,
			    const struct rt_analysis_flow *flow, const char *where,
			    struct rt_findings *findings)
{
	rt_findings_add(
		findings, rule, where,
		"%" PRIu64 " gaps (%" PRIu64 " PSNs) without a rewind; ACKs %s seen",
		real_gaps(flow), flow->h_skipped, flow->acks.known ? "are" : "not");
}

RT_FLOW_WEIGHT(weigh_unanswered, is_unanswered, real_gaps(flow))

void rt_check_gap_unanswered(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_unanswered, tell_unanswered);
}

static bool is_unreliable_gap(const struct rt_analysis_flow *flow)
{
	return flow->transport == UC && flow->p_gaps > 0;
}

static void tell_unreliable(const struct rt_rule *rule,
			    const struct rt_analysis_flow *flow, const char *where,
			    struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " gaps, %" PRIu64 " PSNs missing of about %" PRIu64,
			flow->p_gaps, flow->p_skipped, flow->frames + flow->p_skipped);
}

RT_FLOW_WEIGHT(weigh_unreliable_gap, is_unreliable_gap, flow->p_skipped)

void rt_check_unreliable_gap(const struct rt_rule *rule, const void *subject,
			     struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_unreliable_gap, tell_unreliable);
}

/* Where the tap missed packets it may have missed NAKs, and what filled a silence. */
static bool has_timeouts(const struct rt_analysis_flow *flow)
{
	return is_reliable(flow) && flow->timeouts.value > 0 && !rt_is_doubled(flow) &&
	       !rt_has_doubtful_timeouts(flow) && flow->acked_holes == 0;
}

static void tell_timeouts(const struct rt_rule *rule,
			  const struct rt_analysis_flow *flow, const char *where,
			  struct rt_findings *findings)
{
	char sum[RT_UNIT_TEXT_BYTES], longest[RT_UNIT_TEXT_BYTES],
		all[RT_UNIT_TEXT_BYTES];

	rt_findings_add(findings, rule, where,
			"%" PRIu64 " rewinds without a NAK after a silence: %s of the "
			"stream's %s, up to %s each%s",
			flow->timeouts.value,
			rt_unit_format(RT_UNIT_NS, flow->timeout_silence_ns, sum),
			rt_unit_format(RT_UNIT_NS, flow->duration_ns, all),
			rt_unit_format(RT_UNIT_NS, flow->longest_silence_ns, longest),
			flow->acks.known ? ""
					 : "; which answers are its own is not known, "
					   "there may have been NAKs");
}

RT_FLOW_WEIGHT(weigh_timeouts, has_timeouts, flow->timeout_silence_ns)

void rt_check_timeouts(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_timeouts, tell_timeouts);
}

/* --- receiver not ready -------------------------------------------------------- */

/* By the time asked for or by the time that passed: hosts wait longer than asked. */
static bool is_stalled(const struct rt_analysis_flow *flow)
{
	const uint64_t limit_ns = flow->duration_ns / 100 * RNR_STALL_PCT;

	return flow->rnr_naks.value > 0 && (flow->rnr_wait_ns.value >= limit_ns ||
					    flow->rnr_silence_ns >= limit_ns);
}

static bool has_rnr(const struct rt_analysis_flow *flow)
{
	return flow->rnr_naks.value > 0 && !is_stalled(flow);
}

static void tell_rnr(const struct rt_rule *rule, const struct rt_analysis_flow *flow,
		     const char *where, struct rt_findings *findings)
{
	char sum[RT_UNIT_TEXT_BYTES], longest[RT_UNIT_TEXT_BYTES];
	char all[RT_UNIT_TEXT_BYTES], silence[RT_UNIT_TEXT_BYTES];

	rt_findings_add(
		findings, rule, where,
		"%" PRIu64 " RNR NAKs asked for %s of waiting (up to %s each); the "
		"sender was silent for %s of the stream's %s before it went on; "
		"%" PRIu64 " frames came again",
		flow->rnr_naks.value,
		rt_unit_format(RT_UNIT_NS, flow->rnr_wait_ns.value, sum),
		rt_unit_format(RT_UNIT_NS, flow->rnr_longest_ns.value, longest),
		rt_unit_format(RT_UNIT_NS, flow->rnr_silence_ns, silence),
		rt_unit_format(RT_UNIT_NS, flow->duration_ns, all), flow->h_behind);
}

/* RNR NAKs that belong to no stream seen: their sender's data is not here. */
static void tell_unpaired(const struct rt_rule *rule,
			  const struct rt_analysis *analysis,
			  struct rt_findings *findings)
{
	char sum[RT_UNIT_TEXT_BYTES];
	uint64_t paired = 0;

	for (size_t i = 0; i < analysis->sequence.flow_count; i++)
		paired += analysis->sequence.flows[i].rnr_naks.value;
	if (analysis->sequence.rnr_naks > paired)
		rt_findings_add(findings, rule, "",
				"%" PRIu64
				" RNR NAKs whose streams could not be told; all "
				"RNR NAKs together asked for %s",
				analysis->sequence.rnr_naks - paired,
				rt_unit_format(RT_UNIT_NS,
					       analysis->sequence.rnr_wait_ns, sum));
}

RT_FLOW_WEIGHT(weigh_rnr, has_rnr, flow->rnr_wait_ns.value)

void rt_check_rnr_wait(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_rnr, tell_rnr);
	tell_unpaired(rule, subject, findings);
}

RT_FLOW_WEIGHT(weigh_stalled, is_stalled, flow->rnr_wait_ns.value)

void rt_check_rnr_stall(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_stalled, tell_rnr);
}

void rt_check_naks_alone(const struct rt_rule *rule, const void *subject,
			 struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;
	uint64_t paired = 0;

	for (size_t i = 0; i < analysis->sequence.flow_count; i++)
		paired += analysis->sequence.flows[i].naks.value;
	if (analysis->sequence.naks > paired)
		rt_findings_add(findings, rule, "",
				"%" PRIu64 " of %" PRIu64
				" NAKs for a sequence error answer no stream that is "
				"known here",
				analysis->sequence.naks - paired,
				analysis->sequence.naks);
}

void rt_check_fatal_nak(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	const struct rt_analysis *analysis = subject;

	for (size_t i = 0; i < analysis->roce.syndrome_count; i++) {
		const struct rt_analysis_count *row = &analysis->roce.syndromes[i];

		if (rt_syndrome_name_is_fatal(row->name))
			rt_findings_add(findings, rule, "", "%" PRIu64 " of %s",
					row->frames, row->name);
	}
}

/* --- invariant CRC --------------------------------------------------------------- */

static bool is_sometimes_bad(const struct rt_analysis_flow *flow)
{
	return flow->icrc_bad > 0 && flow->icrc_ok > 0;
}

static bool is_always_bad(const struct rt_analysis_flow *flow)
{
	return flow->icrc_bad > 0 && flow->icrc_ok == 0;
}

static void tell_icrc(const struct rt_rule *rule, const struct rt_analysis_flow *flow,
		      const char *where, struct rt_findings *findings)
{
	rt_findings_add(findings, rule, where,
			"%" PRIu64 " of %" PRIu64 " frames that could be checked",
			flow->icrc_bad, flow->icrc_bad + flow->icrc_ok);
}

RT_FLOW_WEIGHT(weigh_sometimes_bad, is_sometimes_bad, flow->icrc_bad)

void rt_check_icrc_some(const struct rt_rule *rule, const void *subject,
			struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_sometimes_bad, tell_icrc);
}

RT_FLOW_WEIGHT(weigh_always_bad, is_always_bad, flow->icrc_bad)

void rt_check_icrc_all(const struct rt_rule *rule, const void *subject,
		       struct rt_findings *findings)
{
	rt_rule_flows(rule, subject, findings, weigh_always_bad, tell_icrc);
}
