/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_checks.c - whether a stress run ran, and as it was asked for. */
#include <stdio.h>

#include "base/own.h"
#include "model/counters.h"
#include "model/finding.h"
#include "rocetune/frame.h"
#include "rocetune/units.h"
#include "run/agent_work.h"
#include "run/stress_checks.h"

#define NS(value, text)  rt_unit_format(RT_UNIT_NS, value, text)
#define BPS(value, text) rt_unit_format(RT_UNIT_BPS, value, text)

/* --- what did not work ------------------------------------------------------------ */

RT_STRESS_CHECK(rank_lost)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_host *first = NULL;

	for (size_t i = 0; i < stress->host_count && !first; i++)
		if (stress->hosts[i].lost)
			first = &stress->hosts[i];
	if (first)
		rt_findings_add(findings, rule, first->name,
				"%u of %u hosts did not report: %s", stress->ranks_lost,
				stress->ranks, first->why);
}

RT_STRESS_CHECK(nothing_moved)
{
	const struct rt_stress_result *stress = subject;
	size_t count = 0;

	/* Stopped before there was time to move anything. */
	if (stress->cut_short && stress->ran_ns < stress->interval_ns)
		return;
	/* What a lost end did is not known, and what arrived did move. */
	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (qp->victim)
			continue;
		if (!qp->tx_bytes.known || qp->tx_bytes.value || qp->rx_bytes.value)
			return;
		count++;
	}
	if (count)
		rt_findings_add(findings, rule, "",
				"%zu queue pairs, not one byte was acknowledged",
				count);
}

/* Queue pairs that stopped with the death of their peer are told with that. */
static bool stopped_by_itself(const struct rt_stress_result *stress, uint32_t sender)
{
	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (qp->from == sender && qp->state == RT_QP_STOPPED && !qp->victim &&
		    !stress->hosts[qp->from].lost && !stress->hosts[qp->to].lost)
			return true;
	}
	return false;
}

RT_STRESS_CHECK(sender_stopped)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];

		if (sender->stopped && stopped_by_itself(stress, sender->rank))
			rt_findings_add(findings, rule, sender->name,
					"%s, %u of its %u queue pairs; the others went "
					"on",
					sender->state, sender->stopped, sender->qps);
	}
}

RT_STRESS_CHECK(cut_short)
{
	const struct rt_stress_result *stress = subject;
	char ran[RT_UNIT_TEXT_BYTES], asked[RT_UNIT_TEXT_BYTES];

	if (!stress->cut_short)
		return;
	rt_findings_add(findings, rule, "", "after %s of %s: %s",
			NS(stress->ran_ns, ran), NS(stress->time_ns, asked),
			stress->cut_why);
	if (stress->damaged)
		rt_stress_as_error(findings);
}

RT_STRESS_CHECK(not_all_time)
{
	const struct rt_stress_result *stress = subject;
	char had[RT_UNIT_TEXT_BYTES], wanted[RT_UNIT_TEXT_BYTES];

	if (stress->cut_short) /* which says all of it */
		return;
	if (stress->wanted_ns)
		rt_findings_add(
			findings, rule, "", "the run was to take %s, and its flows %s",
			NS(stress->time_ns, had), NS(stress->wanted_ns, wanted));
	if (stress->unfinished)
		rt_findings_add(findings, rule, "",
				"%u of %zu queue pairs had bytes left to send after %s",
				stress->unfinished, stress->qp_count,
				NS(stress->ran_ns, had));
}

#define LATE_SLACK 1.1

/* More came after the end than a link that is busy all the drain brings. */
RT_STRESS_CHECK(late)
{
	const struct rt_stress_result *stress = subject;
	char bytes[RT_UNIT_TEXT_BYTES], takes[RT_UNIT_TEXT_BYTES];

	for (size_t i = 0; i < stress->receiver_count; i++) {
		const struct rt_stress_receiver *receiver = &stress->receivers[i];
		const double speed = (double)receiver->speed_bps.value;
		const double late_ns = 8e9 * (double)receiver->late_bytes.value / speed;

		if (!receiver->late_bytes.known || !receiver->speed_bps.value ||
		    late_ns <= LATE_SLACK * (double)RT_AGENT_DRAIN_NS)
			continue;
		rt_findings_add(
			findings, rule, receiver->name,
			"%s came after the end, which keeps its link busy for %s",
			rt_unit_format(RT_UNIT_BYTES, receiver->late_bytes.value,
				       bytes),
			NS((uint64_t)late_ns, takes));
	}
}

/* --- what it was asked to be ------------------------------------------------------ */

RT_STRESS_CHECK(not_ect)
{
	const struct rt_stress_result *stress = subject;
	size_t count = 0;

	for (size_t i = 0; i < stress->qp_count; i++)
		count += !stress->qps[i].victim && stress->qps[i].ecn == RT_ECN_NOT_ECT;
	if (count)
		rt_findings_add(findings, rule, "",
				"%zu of %zu queue pairs send Not-ECT", count,
				stress->qp_count);
}

RT_STRESS_CHECK(all_ce)
{
	const struct rt_stress_result *stress = subject;
	size_t count = 0;

	for (size_t i = 0; i < stress->qp_count; i++)
		count += stress->qps[i].ecn == RT_ECN_CE;
	if (count)
		rt_findings_add(findings, rule, "", "%zu of %zu queue pairs send CE",
				count, stress->qp_count);
}

/* --- the run itself --------------------------------------------------------------- */

#define CAP_SLACK 0.02

/* Signs that something else than the pacing held it back, or no way to tell. */
static bool was_held_back(const struct rt_stress_qp *qp)
{
	return !qp->ecn_ce_rx.known || qp->ecn_ce_rx.value ||
	       !qp->data_frames_retransmitted.known ||
	       qp->data_frames_retransmitted.value || qp->paused_ns.value ||
	       qp->cnp_rx.value || qp->timeouts.value;
}

/* Who posts, and whose time counts: who reads. */
static uint32_t driver_of(const struct rt_stress_qp *qp)
{
	return qp->op == RT_TRAFFIC_READ ? qp->to : qp->from;
}

static bool missed_cap(const struct rt_stress_result *stress,
		       const struct rt_stress_qp *qp)
{
	const double asked = (double)qp->rate_cap_bps.value;
	const double has = (double)qp->goodput_bps.value;
	/* Completions come a message at a time, at both ends of the time. */
	const double message = qp->message_tx.value
				       ? (double)qp->tx_bytes.value /
						 (double)qp->message_tx.value
				       : 0;
	const double grain = 2 * 8e9 * message / (double)rt_stress_hold_ns(stress);

	if (!qp->rate_cap_bps.known || !qp->goodput_bps.known ||
	    qp->state == RT_QP_STOPPED || qp->victim ||
	    rt_stress_looked_late(stress, driver_of(qp)))
		return false;
	return has > asked * (1 + CAP_SLACK) + grain ||
	       (has < asked * (1 - CAP_SLACK) - grain && !was_held_back(qp));
}

RT_STRESS_CHECK(cap_missed)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_qp *first = NULL;
	size_t count = 0;
	char cap[RT_UNIT_TEXT_BYTES], got[RT_UNIT_TEXT_BYTES];

	if (rt_stress_hold_ns(stress) < RT_STRESS_HOLD_INTERVALS * stress->interval_ns)
		return;
	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (!missed_cap(stress, qp))
			continue;
		if (!first)
			first = qp;
		count++;
	}
	if (first)
		rt_findings_add(findings, rule, first->flow_name,
				"%s asked, %s came; so with %zu of %zu queue pairs",
				BPS(first->rate_cap_bps.value, cap),
				BPS(first->goodput_bps.value, got), count,
				stress->qp_count);
}

#define SKEW_SHARE 20 /* one part of the time that is judged */

RT_STRESS_CHECK(start_skew)
{
	const struct rt_stress_result *stress = subject;
	char skew[RT_UNIT_TEXT_BYTES], held[RT_UNIT_TEXT_BYTES];

	if (!stress->start_skew_ns.known ||
	    stress->start_skew_ns.value <= stress->clock_error_ns.value ||
	    stress->start_skew_ns.value <= rt_stress_hold_ns(stress) / SKEW_SHARE)
		return;
	rt_findings_add(findings, rule, "",
			"the last sender's first byte left %s later than the first's, "
			"against their plan; the run is judged over %s",
			NS(stress->start_skew_ns.value, skew),
			NS(rt_stress_hold_ns(stress), held));
}

#define CLOCK_TO_TELL_NS 10000000

RT_STRESS_CHECK(clock_unsure)
{
	const struct rt_stress_result *stress = subject;
	char within[RT_UNIT_TEXT_BYTES];

	if (stress->clock_error_ns.value >= CLOCK_TO_TELL_NS)
		rt_findings_add(findings, rule, "",
				"a host's clock is known within %s only",
				NS(stress->clock_error_ns.value, within));
}

RT_STRESS_CHECK(lossless_unknown)
{
	const struct rt_stress_result *stress = subject;

	if (!stress->lossless.known)
		rt_findings_add(findings, rule, "",
				"no profile and no --lossless: a loss could not stop "
				"the run");
}
