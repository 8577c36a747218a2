/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_rules.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/own.h"
#include "model/counters.h"
#include "rocetune/frame.h"
#include "rocetune/units.h"
#include "run/stress.h"

#define RULE(name)                                                        \
	static void name(const struct rt_rule *rule, const void *subject, \
			 struct rt_findings *findings)

#define NS(value, text)  rt_unit_format(RT_UNIT_NS, value, text)
#define BPS(value, text) rt_unit_format(RT_UNIT_BPS, value, text)

/* --- sums ---------------------------------------------------------------------------- */

/* What all that load adds up to; known where somebody knows a part. */
struct sums {
	uint64_t bytes;
	struct rt_opt_u64 ce, cnp_tx, cnp_rx, cuts, paused_ns;
	size_t ect; /* queue pairs that can be marked */
};

static void add(struct rt_opt_u64 *sum, const struct rt_opt_u64 *part)
{
	if (part->known)
		*sum = RT_KNOWN_U64(sum->value + part->value);
}

static struct sums sum_up(const struct rt_stress_result *stress)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (qp->victim)
			continue;
		sums.bytes += qp->tx_bytes;
		sums.ect += qp->ecn == RT_ECN_ECT0 || qp->ecn == RT_ECN_ECT1;
		add(&sums.paused_ns, &qp->paused_ns);
	}
	for (size_t i = 0; i < stress->receiver_count; i++) {
		add(&sums.ce, &stress->receivers[i].ecn_ce_rx);
		add(&sums.cnp_tx, &stress->receivers[i].cnp_tx);
	}
	for (size_t i = 0; i < stress->sender_count; i++) {
		add(&sums.cnp_rx, &stress->senders[i].cnp_rx);
		add(&sums.cuts, &stress->senders[i].rate_cuts);
	}
	return sums;
}

static unsigned long long hold_ns(const struct rt_stress_result *stress)
{
	return stress->hold_to_ns - stress->hold_from_ns;
}

/* --- what did not work ------------------------------------------------------------------ */

RULE(rank_lost)
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

RULE(nothing_moved)
{
	const struct rt_stress_result *stress = subject;

	if (!sum_up(stress).bytes)
		rt_findings_add(findings, rule, "",
				"%zu queue pairs, not one byte was acknowledged",
				stress->qp_count);
}

RULE(sender_stopped)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];

		if (sender->stopped)
			rt_findings_add(findings, rule, sender->name,
					"%s, %u of its %u queue pairs; the others went "
					"on",
					sender->state, sender->stopped, sender->qps);
	}
}

static bool is_lossless(const struct rt_stress_result *stress, unsigned prio)
{
	return stress->lossless.known && stress->lossless.value >> prio & 1;
}

/* What a receiver missed, or said that it missed; not what only took too long. */
static uint64_t missed(const struct rt_stress_qp *qp)
{
	return qp->frame_sequence_error.value > qp->nak_rx.value
		       ? qp->frame_sequence_error.value
		       : qp->nak_rx.value;
}

/* Queue pairs of lossless priorities, or of others, that missed something. */
static void find_loss(const struct rt_rule *rule, const struct rt_stress_result *stress,
		      bool lossless, struct rt_findings *findings)
{
	const struct rt_stress_qp *worst = NULL;
	uint64_t events = 0, resent = 0;
	size_t count = 0;
	char where[32];

	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (!missed(qp) || is_lossless(stress, qp->prio) != lossless)
			continue;
		if (!worst || missed(qp) > missed(worst))
			worst = qp;
		events += missed(qp);
		resent += qp->data_frames_retransmitted.value;
		count++;
	}
	if (!worst)
		return;
	snprintf(where, sizeof(where), "priority %u", worst->prio);
	rt_findings_add(findings, rule, where,
			"%zu queue pairs saw gaps %llu times in all and sent %llu "
			"frames again; most: %s, %llu times",
			count, (unsigned long long)events, (unsigned long long)resent,
			worst->flow_name, (unsigned long long)missed(worst));
}

RULE(lossless_loss)
{
	find_loss(rule, subject, true, findings);
}

RULE(loss)
{
	find_loss(rule, subject, false, findings);
}

RULE(timeouts)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_qp *worst = NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (missed(qp) || !qp->timeouts.value)
			continue;
		if (!worst || qp->timeouts.value > worst->timeouts.value)
			worst = qp;
		count += qp->timeouts.value;
	}
	if (worst)
		rt_findings_add(findings, rule, worst->flow_name,
				"%llu times, %llu of them here; no receiver missed "
				"anything",
				(unsigned long long)count,
				(unsigned long long)worst->timeouts.value);
}

RULE(cut_short)
{
	const struct rt_stress_result *stress = subject;
	char ran[RT_UNIT_TEXT_BYTES], asked[RT_UNIT_TEXT_BYTES];

	if (stress->cut_short)
		rt_findings_add(findings, rule, "", "after %s of %s: %s",
				NS(stress->ran_ns, ran), NS(stress->time_ns, asked),
				stress->cut_why);
}

/* --- how it was shared --------------------------------------------------------------------- */

RULE(unfair)
{
	const struct rt_stress_result *stress = subject;
	char slow[RT_UNIT_TEXT_BYTES], fast[RT_UNIT_TEXT_BYTES];

	if (!stress->jain_judged || !stress->jain.known ||
	    stress->jain.value >= RT_FAIR_JAIN)
		return;
	rt_findings_add(
		findings, rule, stress->slowest,
		"the slowest sender got %s, the fastest %s; (max-min)/max %.2f, "
		"Jain index %.3f over %zu senders",
		BPS(stress->slowest_bps.value, slow),
		BPS(stress->fastest_bps.value, fast), stress->spread.value,
		stress->jain.value, stress->sender_count);
}

/* Whether the host of a sender was too busy to look at the time. */
static bool looked_late(const struct rt_stress_result *stress, uint32_t rank)
{
	const struct rt_opt_u64 *late = &stress->hosts[rank].late_most_ns;

	return late->known && late->value > stress->interval_ns / 2;
}

/* Twice, or for two intervals, or all the time: once may be the host. */
#define DIPS_TO_TELL      2
#define VARIATION_TO_TELL 0.35
#define INTERVALS_TO_TELL 10

static bool oscillates(const struct rt_stress_result *stress,
		       const struct rt_stress_sender *sender)
{
	if (looked_late(stress, sender->rank))
		return false;
	return sender->dips >= DIPS_TO_TELL ||
	       (sender->variation.known &&
		sender->variation.value > VARIATION_TO_TELL &&
		hold_ns(stress) >= INTERVALS_TO_TELL * stress->interval_ns);
}

RULE(oscillating)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_sender *worst = NULL;
	char least[RT_UNIT_TEXT_BYTES], median[RT_UNIT_TEXT_BYTES];
	size_t count = 0;

	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];

		if (!oscillates(stress, sender))
			continue;
		if (!worst || sender->variation.value > worst->variation.value)
			worst = sender;
		count++;
	}
	if (worst)
		rt_findings_add(
			findings, rule, worst->name,
			"%zu of %zu senders; here %u dips, least %s at a median "
			"of %s an interval, variation %.2f",
			count, stress->sender_count, worst->dips,
			BPS(worst->least_bps.value, least),
			BPS(worst->median_bps.value, median), worst->variation.value);
}

RULE(host_busy)
{
	const struct rt_stress_result *stress = subject;
	char late[RT_UNIT_TEXT_BYTES], interval[RT_UNIT_TEXT_BYTES];

	for (size_t i = 0; i < stress->host_count; i++)
		if (looked_late(stress, (uint32_t)i))
			rt_findings_add(findings, rule, stress->hosts[i].name,
					"looked %s late at intervals of %s",
					NS(stress->hosts[i].late_most_ns.value, late),
					NS(stress->interval_ns, interval));
}

#define HOLD_INTERVALS 5

RULE(hold_short)
{
	const struct rt_stress_result *stress = subject;
	char held[RT_UNIT_TEXT_BYTES];

	if (stress->sender_count > 1 && !stress->jain_judged &&
	    hold_ns(stress) < HOLD_INTERVALS * stress->interval_ns)
		rt_findings_add(findings, rule, "", "all senders were to send for %s",
				NS(hold_ns(stress), held));
}

/* --- the victim ------------------------------------------------------------------------------ */

/* Fewer messages have no 99th percentile. */
#define VICTIM_MESSAGES 100

static double hurt_from(const struct rt_stress_victim *victim)
{
	/* One queue, one share of it: slower is what a full queue is. */
	return victim->kind == RT_VICTIM_SAME ? 10 : 3;
}

static double p99_hurt(const struct rt_stress_victim *victim)
{
	return victim->p99_factor.known && victim->alone.count >= VICTIM_MESSAGES &&
			       victim->loaded.count >= VICTIM_MESSAGES
		       ? victim->p99_factor.value
		       : 0;
}

RULE(victim_hurt)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->victim_count; i++) {
		const struct rt_stress_victim *victim = &stress->victims[i];
		const double from = hurt_from(victim);

		if (p99_hurt(victim) < from && victim->avg_factor.value < from &&
		    victim->throughput_factor.value < from)
			continue;
		rt_findings_add(findings, rule, victim->flow_name,
				"%s: latency %.1f times the average, %.1f times the "
				"p99; throughput a factor of %.1f less (told from %.0f "
				"on)",
				rt_name_of(rt_victim_names, victim->kind),
				victim->avg_factor.value, victim->p99_factor.value,
				victim->throughput_factor.value, from);
	}
}

RULE(victim_silent)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->victim_count; i++) {
		const struct rt_stress_victim *victim = &stress->victims[i];

		if (!victim->alone.count || !victim->loaded.count)
			rt_findings_add(findings, rule, victim->flow_name,
					"%llu messages alone, %llu under load",
					(unsigned long long)victim->alone.count,
					(unsigned long long)victim->loaded.count);
	}
}

/* --- flow control and congestion control --------------------------------------------------- */

#define PAUSED_PCT 1.0 /* as pause-share of analyze */

RULE(paused)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_sender *worst = NULL;
	size_t count = 0;

	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];

		if (!sender->paused_pct.known || sender->paused_pct.value < PAUSED_PCT)
			continue;
		if (!worst || sender->paused_pct.value > worst->paused_pct.value)
			worst = sender;
		count++;
	}
	if (worst)
		rt_findings_add(findings, rule, worst->name,
				"paused by peer for %.3g%% of the run; %zu of %zu "
				"senders for more than %.3g%%",
				worst->paused_pct.value, count, stress->sender_count,
				PAUSED_PCT);
}

#define PAUSED_TO_TELL_NS 1000000

RULE(pause_without_mark)
{
	const struct rt_stress_result *stress = subject;
	const struct sums sums = sum_up(stress);
	char paused[RT_UNIT_TEXT_BYTES];

	if (sums.paused_ns.value < PAUSED_TO_TELL_NS || !sums.ce.known ||
	    sums.ce.value || !sums.ect)
		return;
	rt_findings_add(findings, rule, "",
			"queue pairs stood still for %s in all, no frame arrived with "
			"CE; all could have been marked",
			NS(sums.paused_ns.value, paused));
}

/* --- what the ports counted --------------------------------------------------------------- */

/* The counter of a rank, that of prio or of the port; NULL: it has none, or it stood. */
static const struct rt_stress_counter *moved(const struct rt_stress_result *stress,
					     size_t from, unsigned counter)
{
	for (size_t i = from; i < stress->counter_count; i++)
		if (stress->counters[i].counter == counter &&
		    stress->counters[i].difference.value)
			return &stress->counters[i];
	return NULL;
}

RULE(lossless_discards)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_counter *row;
	const unsigned counters[] = { RT_COUNTER_RX_DISCARDS,
				      RT_COUNTER_RX_BUFFER_DISCARDS };

	for (size_t k = 0; k < RT_ARRAY_SIZE(counters); k++)
		for (size_t i = 0; (row = moved(stress, i, counters[k]));
		     i = (size_t)(row - stress->counters) + 1)
			if (row->prio.known && row->prio.value < 8 &&
			    is_lossless(stress, (unsigned)row->prio.value))
				rt_findings_add(findings, rule, row->host,
						"%s on %s: %s frames of priority %llu",
						row->name, row->port, row->moved,
						(unsigned long long)row->prio.value);
}

RULE(watchdog)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_counter *row;

	for (size_t i = 0; (row = moved(stress, i, RT_COUNTER_STORM_EVENTS));
	     i = (size_t)(row - stress->counters) + 1)
		rt_findings_add(findings, rule, row->host, "%s on %s: %s", row->name,
				row->port, row->moved);
}

#define RECEIVER_PAUSES_PCT 1.0  /* of the run, a priority */
#define LINK_IS_FULL_PCT    90.0 /* then the link is what is short */

/* Who stops its peer without being at the speed of its link is slow itself. */
RULE(receiver_slow)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_counter *row;

	for (size_t i = 0; (row = moved(stress, i, RT_COUNTER_PFC_TX_NS));
	     i = (size_t)(row - stress->counters) + 1) {
		const double pct = (double)row->difference.value * 100 /
				   (double)(stress->ran_ns ? stress->ran_ns : 1);

		for (size_t k = 0; k < stress->receiver_count; k++) {
			const struct rt_stress_receiver *receiver =
				&stress->receivers[k];

			if (receiver->rank != row->rank || pct < RECEIVER_PAUSES_PCT ||
			    !receiver->share_pct.known ||
			    receiver->share_pct.value >= LINK_IS_FULL_PCT)
				continue;
			rt_findings_add(
				findings, rule, receiver->name,
				"it paused its peer for %.3g%% of the run (%s), "
				"at %.0f%% of its link",
				pct, row->name, receiver->share_pct.value);
		}
	}
}

#define MARKS_TO_TELL 10

RULE(mark_without_cnp)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->receiver_count; i++) {
		const struct rt_stress_receiver *receiver = &stress->receivers[i];

		if (receiver->ecn_ce_rx.value >= MARKS_TO_TELL &&
		    receiver->cnp_tx.known && !receiver->cnp_tx.value)
			rt_findings_add(findings, rule, receiver->name,
					"%llu frames came with CE, it sent no CNP",
					(unsigned long long)receiver->ecn_ce_rx.value);
	}
}

#define CNPS_TO_TELL 20

RULE(cnp_lost)
{
	const struct rt_stress_result *stress = subject;
	const struct sums sums = sum_up(stress);

	if (sums.cnp_tx.value >= CNPS_TO_TELL && sums.cnp_rx.known &&
	    sums.cnp_rx.value * 2 < sums.cnp_tx.value)
		rt_findings_add(findings, rule, "",
				"receivers sent %llu CNPs, senders got %llu",
				(unsigned long long)sums.cnp_tx.value,
				(unsigned long long)sums.cnp_rx.value);
}

RULE(cnp_without_cut)
{
	const struct rt_stress_result *stress = subject;
	const struct sums sums = sum_up(stress);

	if (sums.cnp_rx.value >= CNPS_TO_TELL && sums.cuts.known && !sums.cuts.value)
		rt_findings_add(findings, rule, "",
				"%llu CNPs reached senders, none cut its rate",
				(unsigned long long)sums.cnp_rx.value);
}

RULE(not_ect)
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

RULE(all_ce)
{
	const struct rt_stress_result *stress = subject;
	size_t count = 0;

	for (size_t i = 0; i < stress->qp_count; i++)
		count += stress->qps[i].ecn == RT_ECN_CE;
	if (count)
		rt_findings_add(findings, rule, "", "%zu of %zu queue pairs send CE",
				count, stress->qp_count);
}

/* --- the run itself --------------------------------------------------------------------------- */

#define CAP_SLACK 0.02

/* Signs that something else than the pacing held it back, or no way to tell. */
static bool was_held_back(const struct rt_stress_qp *qp)
{
	return !qp->ecn_ce_rx.known || qp->ecn_ce_rx.value ||
	       !qp->data_frames_retransmitted.known ||
	       qp->data_frames_retransmitted.value || qp->paused_ns.value ||
	       qp->cnp_rx.value || qp->timeouts.value;
}

static bool missed_cap(const struct rt_stress_result *stress,
		       const struct rt_stress_qp *qp)
{
	const double asked = (double)qp->rate_cap_bps.value;
	const double has = (double)qp->goodput_bps;
	/* Completions come a message at a time, at both ends of the time. */
	const double message = qp->message_tx
				       ? (double)qp->tx_bytes / (double)qp->message_tx
				       : 0;
	const double grain = 2 * 8e9 * message / (double)hold_ns(stress);

	if (!qp->rate_cap_bps.known || qp->state == RT_QP_STOPPED || qp->victim ||
	    looked_late(stress, qp->from))
		return false;
	return has > asked * (1 + CAP_SLACK) + grain ||
	       (has < asked * (1 - CAP_SLACK) - grain && !was_held_back(qp));
}

RULE(cap_missed)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_qp *first = NULL;
	size_t count = 0;
	char cap[RT_UNIT_TEXT_BYTES], got[RT_UNIT_TEXT_BYTES];

	if (hold_ns(stress) < HOLD_INTERVALS * stress->interval_ns)
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
				BPS(first->goodput_bps, got), count, stress->qp_count);
}

#define SKEW_SHARE 20 /* one part of the time that is judged */

RULE(start_skew)
{
	const struct rt_stress_result *stress = subject;
	char skew[RT_UNIT_TEXT_BYTES], held[RT_UNIT_TEXT_BYTES];

	if (!stress->start_skew_ns.known ||
	    stress->start_skew_ns.value <= stress->clock_error_ns.value ||
	    stress->start_skew_ns.value <= hold_ns(stress) / SKEW_SHARE)
		return;
	rt_findings_add(findings, rule, "",
			"the last sender's first byte left %s later than the first's, "
			"against their plan; the run is judged over %s",
			NS(stress->start_skew_ns.value, skew),
			NS(hold_ns(stress), held));
}

#define CLOCK_TO_TELL_NS 10000000

RULE(clock_unsure)
{
	const struct rt_stress_result *stress = subject;
	char within[RT_UNIT_TEXT_BYTES];

	if (stress->clock_error_ns.value >= CLOCK_TO_TELL_NS)
		rt_findings_add(findings, rule, "",
				"a host's clock is known within %s only",
				NS(stress->clock_error_ns.value, within));
}

RULE(lossless_unknown)
{
	const struct rt_stress_result *stress = subject;

	if (!stress->lossless.known)
		rt_findings_add(findings, rule, "",
				"no profile and no --lossless: a loss could not stop "
				"the run");
}

/* --- the rows ------------------------------------------------------------------------------------ */

#define ROW(id_, severity_, check_, title_, explain_, remedy_)                        \
	{                                                                             \
		.id = "stress-" id_, .severity = RT_SEVERITY_##severity_,             \
		.basis = RT_BASIS_OBSERVED, .title = (title_), .explain = (explain_), \
		.remedy = (remedy_), .check = check_                                  \
	}

const struct rt_rule rt_stress_rules[] = {
	ROW("rank-lost", ERROR, rank_lost, "a host did not report",
	    "Its agent died, or its way to the coordinator broke. What the others "
	    "report is of the run, what it sent or received is missing.",
	    "Look at its agent's last words; run again."),
	ROW("nothing-moved", ERROR, nothing_moved, "no data moved at all",
	    "Queue pairs were made and connected, so the hosts talk to each other, but "
	    "not by RoCE: UDP port 4791 is filtered, the GIDs are of different "
	    "networks, or the MTU is too large for the path.",
	    "Try `rocetune probe`; compare addresses and GIDs of the hosts (--all)."),
	ROW("sender-stopped", ERROR, sender_stopped, "a sender was stopped by an error",
	    "A queue pair that runs out of retries goes to the error state (IBTA "
	    "9.9.2) and sends no more. On a class that may drop this is what a long "
	    "overload ends in, and which sender it hits is chance; on a lossless one "
	    "it is damage. RETRY_EXC: nothing came back in time. RNR_RETRY_EXC: the "
	    "receiver had no receive posted.",
	    "Find the loss. Where drops are meant to be, give more retries or a longer "
	    "time-out."),
	ROW("lossless-loss", ERROR, lossless_loss, "a lossless priority lost frames",
	    "Receivers saw gaps in packet sequence numbers. PFC is there so that this "
	    "never is: headroom too small, PFC off on one hop, or a DSCP that one hop "
	    "maps to another class. A path that reorders (spraying) looks the same "
	    "from here, and so does a watchdog that drops.",
	    "Compare the hops' discard counters; `rocetune headroom`; `rocetune "
	    "check`."),
	ROW("lossless-discards", ERROR, lossless_discards,
	    "a NIC dropped frames of a lossless priority",
	    "Its receive buffer for the priority was full although PFC is on: the "
	    "headroom that is set is too small for the cable and the speed, or the "
	    "switch does not obey.",
	    "`rocetune headroom`; give the priority's buffer that much (`rocetune "
	    "apply`)."),
	ROW("watchdog", ERROR, watchdog, "a NIC's pause storm watchdog acted",
	    "The port had paused its peer for so long that the NIC took the pauses "
	    "back, and drops what comes.",
	    "Find what stalls the host: PCIe, memory, a hung receiver."),
	ROW("receiver-slow", WARN, receiver_slow, "the receiver is the bottleneck",
	    "A receiver that pauses its peer while its link is not full cannot take "
	    "what comes: PCIe, memory, or the NIC itself. Marks and CNPs are then a "
	    "consequence, not the cause.",
	    "Look at PCIe width and speed, NUMA placement, and what else uses the "
	    "host's memory."),
	ROW("loss", WARN, loss, "frames were lost",
	    "Receivers saw gaps in packet sequence numbers, on priorities that are "
	    "allowed to drop or of which that is not known. Each gap costs everything "
	    "sent after it (go-back-N).",
	    "Lower Kmin so that senders slow down earlier, or put the class under "
	    "PFC."),
	ROW("timeouts", WARN, timeouts, "senders went back after silence",
	    "No ACK came in time, and no receiver missed anything: the ACK was lost, "
	    "or the last frames were, or the sender stood paused for longer than its "
	    "time-out (which is no loss).",
	    "Compare with pauses; raise the local ACK time-out where they are long."),
	ROW("cut-short", WARN, cut_short, "the run ended before its time",
	    "By default a run ends at the first sign of damage: loss on a lossless "
	    "priority, a victim slowed beyond its bound, a sender paused for more "
	    "than half of a second. Figures are of the time until then.",
	    "Mend what is named, or go on in spite of it with --no-abort."),
	ROW("unfair", WARN, unfair, "senders got very different shares",
	    "Jain's index is 1 when all are equal and 1/n when one has all. Judged "
	    "only where all had the same to do; senders that an error stopped are "
	    "left out.",
	    "Look at the slowest sender: its path, its pauses, its CNPs."),
	ROW("oscillating", WARN, oscillating, "senders' rates swing",
	    "A sender fell below half of its median rate more than once, or its "
	    "intervals vary by more than a third: the collapse that two senders into "
	    "one receiver show without working congestion control (perftest issues "
	    "130 and 219), where each loss costs a window.",
	    "Is ECN marking on, do CNPs come, do rates go down smoothly? Then look "
	    "for loss."),
	ROW("host-busy", UNKNOWN, host_busy, "a host was too busy to keep time",
	    "Its agent looked at its queue pairs late, so that an interval of its "
	    "series has bytes of the next: its dips are not judged.",
	    "Give the agent a core of its own."),
	ROW("hold-short", UNKNOWN, hold_short, "too short to judge fairness",
	    "There must be some intervals in which all senders were to send.",
	    "Run longer (--time), or without steps (--ramp 0s)."),
	ROW("victim-hurt", WARN, victim_hurt, "a bystander suffers",
	    "The factor by which a flow that does not load is slower beside the load "
	    "than alone, as GPCNeT measures it. Told from 3 on, and on the load's own "
	    "queue, where waiting is natural, from 10.",
	    "Same priority: mark earlier (Kmin). Another priority: look at the "
	    "scheduler's weights. Another receiver: pauses spread; mark before XOFF."),
	ROW("victim-silent", UNKNOWN, victim_silent, "the victim could not be measured",
	    "It completed no message alone, or none under load.",
	    "Run longer, or let the victim send smaller messages."),
	ROW("paused", WARN, paused, "senders were paused for a good part of the time",
	    "More than one per cent of the run, as pause-share of analyze has it: "
	    "ECN starts too late, and PFC does its work. Who is paused stops its own "
	    "upstream, bystanders included.",
	    "Lower Kmin and Kmax, or give the switch more buffer before XOFF."),
	ROW("pause-without-mark", WARN, pause_without_mark,
	    "PFC stopped senders, but nothing was marked",
	    "Congestion control should act before flow control (SIGCOMM 2015, section "
	    "4). Either marking is not set up on the congested queue, or Kmin lies "
	    "above XOFF, or somebody on the way clears the bits. Under a profile of "
	    "PFC alone it is as it should be.",
	    "Set up ECN on the egress queue; compare Kmin with XOFF (`rocetune profile "
	    "check`)."),
	ROW("mark-without-cnp", WARN, mark_without_cnp,
	    "frames come marked, but the receiver tells nobody",
	    "A notification point sends a CNP for the first marked frame of a flow at "
	    "once, whatever its pacing.",
	    "Turn the notification point on for this priority (cc.np.enable)."),
	ROW("cnp-lost", WARN, cnp_lost, "CNPs do not reach the senders",
	    "Less than half of them came. They have no class of their own on the way "
	    "back, or are dropped in it.",
	    "Give the CNPs' DSCP a strict class on every hop."),
	ROW("cnp-without-cut", WARN, cnp_without_cut,
	    "CNPs come, but no sender slows down",
	    "The reaction point is off for this priority, or another algorithm than "
	    "DCQCN runs.",
	    "Turn the reaction point on (cc.rp.enable); look at cc.algorithm."),
	ROW("not-ect", INFO, not_ect, "load that can never be marked",
	    "Not-ECT frames are dropped where others would be marked (RFC 3168).",
	    "Set the ECN bits: a byte of 106 is DSCP 26 and ECT(0)."),
	ROW("all-ce", WARN, all_ce, "load that looks marked from the start",
	    "A sender sets CE, so every frame looks as if a switch had marked it.",
	    "Only switches set CE: --ecn 2."),
	ROW("cap-missed", WARN, cap_missed, "a rate cap was not kept within 2 %",
	    "The engine paces in software. Told only where no mark, CNP, pause or "
	    "resend held the sender back.",
	    "Smaller messages pace better; give the agent a core of its own."),
	ROW("start-skew", WARN, start_skew, "senders did not start together",
	    "First bytes left at different times after their planned start, by more "
	    "than a twentieth of the time that is judged and than the clocks' error.",
	    "Look for a busy host; give the agents cores of their own."),
	ROW("clock-unsure", UNKNOWN, clock_unsure, "the clocks are not well known",
	    "The offset of a host's clock is measured by the fastest of several round "
	    "trips; half of that one is the error.",
	    "Use a quieter way between the hosts (--listen on another network)."),
	ROW("lossless-unknown", UNKNOWN, lossless_unknown,
	    "which priorities are lossless is not known",
	    "A loss is damage only where there must be none.",
	    "Say --profile, or --lossless 3."),
};

const size_t rt_stress_rule_count = RT_ARRAY_SIZE(rt_stress_rules);

void rt_stress_write_verdict(const struct rt_findings *findings,
			     struct rt_stress_result *result)
{
	unsigned counts[RT_SEVERITY_ERROR + 1] = { 0 };

	for (size_t i = 0; i < findings->count; i++)
		counts[findings->items[i].severity]++;
	if (!counts[RT_SEVERITY_ERROR] && !counts[RT_SEVERITY_WARN])
		snprintf(result->verdict, sizeof(result->verdict), "nothing wrong%s",
			 counts[RT_SEVERITY_UNKNOWN] ? ", but not all could be judged"
						     : "");
	else
		snprintf(result->verdict, sizeof(result->verdict),
			 "%u wrong, %u suspect; first: %s%s%s",
			 counts[RT_SEVERITY_ERROR], counts[RT_SEVERITY_WARN],
			 findings->items[0].title,
			 *findings->items[0].where ? ": " : "",
			 findings->items[0].where);
}
