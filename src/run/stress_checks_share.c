/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_checks_share.c - who got how much of a stress run, who suffered, and why. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/counters.h"
#include "model/finding.h"
#include "rocetune/frame.h"
#include "rocetune/units.h"
#include "run/stress_checks.h"

#define NS(value, text)  rt_unit_format(RT_UNIT_NS, value, text)
#define BPS(value, text) rt_unit_format(RT_UNIT_BPS, value, text)

/* --- sums ------------------------------------------------------------------------- */

/* What all hosts that load add up to: known where each of them knows its part. */
struct sums {
	struct rt_opt_u64 ce, cnp_tx, cnp_rx, cuts;
};

static void add(struct rt_opt_u64 *sum, const struct rt_opt_u64 *part)
{
	sum->known = sum->known && part->known;
	sum->value += part->value;
}

static struct sums sum_up(const struct rt_stress_result *stress)
{
	const struct rt_opt_u64 none = RT_KNOWN_U64(0);
	struct sums sums = { none, none, none, none };

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

/* --- how it was shared ------------------------------------------------------------ */

/* Who got least may have lost it by itself. */
static bool slowest_lost(const struct rt_stress_result *stress)
{
	uint64_t lost = stress->fabric_lost.value;

	for (size_t i = 0; i < stress->receiver_count; i++)
		lost += stress->hosts[stress->receivers[i].rank].ring_drops.value;
	for (size_t i = 0; i < stress->sender_count; i++)
		if (strcmp(stress->senders[i].name, stress->slowest) == 0)
			lost += stress->hosts[stress->senders[i].rank].ring_drops.value;
	return lost > 0;
}

RT_STRESS_CHECK(unfair)
{
	const struct rt_stress_result *stress = subject;
	char slow[RT_UNIT_TEXT_BYTES], fast[RT_UNIT_TEXT_BYTES];

	if (!stress->jain_judged || !stress->jain.known ||
	    stress->jain.value >= RT_FAIR_JAIN || slowest_lost(stress))
		return;
	rt_findings_add(
		findings, rule, stress->slowest,
		"the slowest sender got %s, the fastest %s; (max-min)/max %.2f, "
		"Jain index %.3f over %zu senders",
		BPS(stress->slowest_bps.value, slow),
		BPS(stress->fastest_bps.value, fast), stress->spread.value,
		stress->jain.value, stress->sender_count);
}

/* Twice, or for three intervals, or all the time: less may be the start, or the host. */
#define DIPS_TO_TELL          2
#define DIPPED_TO_TELL        3
#define VARIATION_TO_TELL     0.5
#define INTERVALS_TO_TELL     10
#define EXPLAINED_SHARE       4 /* one part of the intervals */
#define STANDING_SHARE        4 /* the same, in a row */
/* Without a cause that is known: so many dips of so many senders, or so much. */
#define DIPS_UNEXPLAINED      3
#define SENDERS_UNEXPLAINED   2
#define VARIATION_UNEXPLAINED 1.0

/* A sender swings, and stops, with the death of who acknowledges what it sends. */
static bool sends_to_lost(const struct rt_stress_result *stress,
			  const struct rt_stress_sender *sender)
{
	for (size_t i = 0; i < stress->qp_count; i++)
		if (stress->qps[i].from == sender->rank &&
		    stress->hosts[stress->qps[i].to].lost)
			return true;
	return false;
}

/* Whether enough is left of a sender when its hosts' absences are left out. */
static bool is_judged(const struct rt_stress_result *stress,
		      const struct rt_stress_sender *sender)
{
	const uint64_t intervals = rt_stress_hold_ns(stress) / stress->interval_ns;

	return !sends_to_lost(stress, sender) &&
	       sender->intervals_judged >= RT_STRESS_HOLD_INTERVALS &&
	       (uint64_t)sender->intervals_judged * 2 >= intervals;
}

static bool varies(const struct rt_stress_sender *sender, double from)
{
	return sender->variation.known && sender->variation.value > from &&
	       sender->intervals_judged >= INTERVALS_TO_TELL;
}

/* Whether loss and pauses of a sender are the network's, as far as anybody knows. */
static bool is_of_network(const struct rt_stress_result *stress,
			  const struct rt_stress_sender *sender)
{
	if (stress->fabric_late_ns.value > stress->interval_ns / 2)
		return false;
	for (size_t i = 0; i < stress->qp_count; i++)
		if (stress->qps[i].from == sender->rank &&
		    rt_stress_lost_by_machine(stress, sender->rank, stress->qps[i].to))
			return false;
	return true;
}

static bool oscillates(const struct rt_stress_result *stress,
		       const struct rt_stress_sender *sender)
{
	if (!is_judged(stress, sender) || !is_of_network(stress, sender))
		return false;
	return sender->dips_explained.value >= DIPS_TO_TELL ||
	       sender->dipped_explained.value >= DIPPED_TO_TELL ||
	       (varies(sender, VARIATION_TO_TELL) &&
		sender->intervals_explained * EXPLAINED_SHARE >=
			sender->intervals_judged);
}

/* Whether one dip alone takes a good part of the time, whoever did it. */
static bool stood(const struct rt_stress_result *stress,
		  const struct rt_stress_sender *sender)
{
	return is_judged(stress, sender) &&
	       sender->dip_longest.value >= RT_STRESS_HOLD_INTERVALS &&
	       sender->dip_longest.value * STANDING_SHARE >= sender->intervals_judged;
}

static bool swings_somehow(const struct rt_stress_result *stress,
			   const struct rt_stress_sender *sender)
{
	return is_judged(stress, sender) &&
	       sender->dips.value - sender->dips_away.value >= DIPS_UNEXPLAINED;
}

/* Of all senders; without a cause one alone must swing far. */
static bool all_oscillate(const struct rt_stress_result *stress,
			  const struct rt_stress_sender *sender, size_t swinging)
{
	return oscillates(stress, sender) || stood(stress, sender) ||
	       (swinging >= SENDERS_UNEXPLAINED && swings_somehow(stress, sender)) ||
	       (is_judged(stress, sender) && varies(sender, VARIATION_UNEXPLAINED));
}

RT_STRESS_CHECK(oscillating)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_sender *worst = NULL;
	char least[RT_UNIT_TEXT_BYTES], median[RT_UNIT_TEXT_BYTES];
	char variation[40] = "";
	size_t count = 0, swinging = 0;

	for (size_t i = 0; i < stress->sender_count; i++)
		swinging += swings_somehow(stress, &stress->senders[i]);
	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];

		if (!all_oscillate(stress, sender, swinging))
			continue;
		if (!worst || sender->variation.value > worst->variation.value)
			worst = sender;
		count++;
	}
	if (!worst)
		return;
	if (worst->variation.known)
		snprintf(variation, sizeof(variation), ", variation %.2f",
			 worst->variation.value);
	rt_findings_add(
		findings, rule, worst->name,
		"%zu of %zu senders; here %llu dips, %llu of them with loss, "
		"cuts or pauses, least %s at a median of %s an interval%s",
		count, stress->sender_count,
		(unsigned long long)(worst->dips.value - worst->dips_away.value),
		(unsigned long long)worst->dips_explained.value,
		BPS(worst->least_bps.value, least),
		BPS(worst->median_bps.value, median), variation);
}

RT_STRESS_CHECK(host_too_slow)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->host_count; i++) {
		const struct rt_stress_host *host = &stress->hosts[i];
		char late[RT_UNIT_TEXT_BYTES] = "an unknown time";

		if (!host->ring_drops.value)
			continue;
		if (host->engine_late_ns.known)
			NS(host->engine_late_ns.value, late);
		rt_findings_add(findings, rule, host->name,
				"its kernel had no room for %llu frames; its engine "
				"was up to %s late",
				(unsigned long long)host->ring_drops.value, late);
	}
}

/* One part of the intervals: fewer are left out, and that is all. */
#define AWAY_TO_TELL 4

static void tell_busy(const struct rt_rule *rule, const struct rt_stress_result *stress,
		      const struct rt_stress_host *host, struct rt_findings *findings)
{
	const uint64_t intervals = rt_stress_hold_ns(stress) / stress->interval_ns;
	char late[RT_UNIT_TEXT_BYTES], interval[RT_UNIT_TEXT_BYTES];

	if (rt_stress_looked_late(stress, host->rank))
		rt_findings_add(findings, rule, host->name,
				"looked %s late at intervals of %s",
				NS(host->late_most_ns.value, late),
				NS(stress->interval_ns, interval));
	else if (host->intervals_away.value * AWAY_TO_TELL > intervals)
		rt_findings_add(findings, rule, host->name,
				"in %llu of %llu intervals of %s it was not there for "
				"more than a fifth",
				(unsigned long long)host->intervals_away.value,
				(unsigned long long)intervals,
				NS(stress->interval_ns, interval));
}

RT_STRESS_CHECK(host_busy)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->host_count; i++)
		tell_busy(rule, stress, &stress->hosts[i], findings);
}

RT_STRESS_CHECK(hold_short)
{
	const struct rt_stress_result *stress = subject;
	char held[RT_UNIT_TEXT_BYTES];

	if (stress->sender_count > 1 && !stress->jain_judged &&
	    rt_stress_hold_ns(stress) < RT_STRESS_HOLD_INTERVALS * stress->interval_ns)
		rt_findings_add(findings, rule, "", "all senders were to send for %s",
				NS(rt_stress_hold_ns(stress), held));
}

/* --- the victim ------------------------------------------------------------------- */

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

/* Not one message under load, in the time of many: nothing hurts more. */
static bool starves(const struct rt_stress_result *stress,
		    const struct rt_stress_victim *victim)
{
	const uint64_t loaded_ns = stress->ran_ns > stress->alone_ns
					   ? stress->ran_ns - stress->alone_ns
					   : 0;

	return victim->alone.count >= VICTIM_MESSAGES && !victim->loaded.count &&
	       victim->alone.avg_ns.known &&
	       (double)loaded_ns >
		       hurt_from(victim) * (double)victim->alone.avg_ns.value;
}

static const char *factor_text(const struct rt_opt_f64 *factor, char text[24])
{
	if (factor->known)
		snprintf(text, 24, "%.1f times", factor->value);
	else
		snprintf(text, 24, "unknown times");
	return text;
}

static void tell_hurt(const struct rt_rule *rule, const struct rt_stress_victim *victim,
		      struct rt_findings *findings)
{
	char avg[24], p99[24], less[24];

	rt_findings_add(findings, rule, victim->flow_name,
			"%s: latency %s the average, %s the p99; throughput %s less "
			"(told from %.0f on)",
			rt_name_of(rt_victim_names, victim->kind),
			factor_text(&victim->avg_factor, avg),
			factor_text(&victim->p99_factor, p99),
			factor_text(&victim->throughput_factor, less),
			hurt_from(victim));
}

RT_STRESS_CHECK(victim_hurt)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->victim_count; i++) {
		const struct rt_stress_victim *victim = &stress->victims[i];
		const double from = hurt_from(victim);

		if (starves(stress, victim)) {
			rt_findings_add(findings, rule, victim->flow_name,
					"%s: it starves, with %llu messages alone and "
					"none under load",
					rt_name_of(rt_victim_names, victim->kind),
					(unsigned long long)victim->alone.count);
			rt_stress_as_error(findings);
		} else if (p99_hurt(victim) >= from ||
			   victim->avg_factor.value >= from ||
			   victim->throughput_factor.value >= from) {
			tell_hurt(rule, victim, findings);
		}
	}
}

RT_STRESS_CHECK(victim_silent)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->victim_count; i++) {
		const struct rt_stress_victim *victim = &stress->victims[i];

		if ((!victim->alone.count || !victim->loaded.count) &&
		    !starves(stress, victim))
			rt_findings_add(findings, rule, victim->flow_name,
					"%llu messages alone, %llu under load",
					(unsigned long long)victim->alone.count,
					(unsigned long long)victim->loaded.count);
	}
}

/* --- flow control and congestion control ------------------------------------------ */

#define PAUSED_PCT 1.0 /* as pause-share of analyze */

RT_STRESS_CHECK(paused)
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

/* A storm at a receiver stops its ACKs, and then its senders' retries run out. */
RT_STRESS_CHECK(receiver_paused)
{
	const struct rt_stress_result *stress = subject;

	for (size_t i = 0; i < stress->receiver_count; i++) {
		const struct rt_stress_receiver *receiver = &stress->receivers[i];

		if (receiver->paused_pct.value >= PAUSED_PCT)
			rt_findings_add(findings, rule, receiver->name,
					"paused by peer for %.3g%% of the run",
					receiver->paused_pct.value);
	}
}

#define PAUSED_TO_TELL_NS 1000000

/* How many queue pairs of those that load can be marked. */
static size_t count_ect(const struct rt_stress_result *stress)
{
	size_t count = 0;

	for (size_t i = 0; i < stress->qp_count; i++)
		count += !stress->qps[i].victim && (stress->qps[i].ecn == RT_ECN_ECT0 ||
						    stress->qps[i].ecn == RT_ECN_ECT1);
	return count;
}

RT_STRESS_CHECK(pause_without_mark)
{
	const struct rt_stress_result *stress = subject;
	const struct sums sums = sum_up(stress);
	const struct rt_stress_sender *worst = NULL;
	char paused[RT_UNIT_TEXT_BYTES];
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < stress->sender_count; i++) {
		const double share = stress->senders[i].paused_pct.value / 100;
		const uint64_t ns = share >= 1 ? stress->ran_ns
					       : (uint64_t)(share *
							    (double)stress->ran_ns);

		if (ns <= longest_ns)
			continue;
		longest_ns = ns;
		worst = &stress->senders[i];
	}
	if (longest_ns < PAUSED_TO_TELL_NS || !sums.ce.known || sums.ce.value ||
	    !count_ect(stress))
		return;
	rt_findings_add(findings, rule, worst->name,
			"it stood still for %s, longest of all; no frame arrived with "
			"CE, and %zu queue pairs could have been marked",
			NS(longest_ns, paused), count_ect(stress));
}

#define MARKS_TO_TELL 10

RT_STRESS_CHECK(mark_without_cnp)
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

RT_STRESS_CHECK(cnp_lost)
{
	const struct rt_stress_result *stress = subject;
	const struct sums sums = sum_up(stress);

	if (sums.cnp_tx.known && sums.cnp_tx.value >= CNPS_TO_TELL &&
	    sums.cnp_rx.known && sums.cnp_rx.value * 2 < sums.cnp_tx.value)
		rt_findings_add(findings, rule, "",
				"receivers sent %llu CNPs, senders got %llu",
				(unsigned long long)sums.cnp_tx.value,
				(unsigned long long)sums.cnp_rx.value);
}

RT_STRESS_CHECK(cnp_without_cut)
{
	const struct rt_stress_result *stress = subject;
	const struct sums sums = sum_up(stress);

	if (sums.cnp_rx.known && sums.cnp_rx.value >= CNPS_TO_TELL && sums.cuts.known &&
	    !sums.cuts.value)
		rt_findings_add(findings, rule, "",
				"%llu CNPs reached senders, none cut its rate",
				(unsigned long long)sums.cnp_rx.value);
}

/* --- what the ports counted ------------------------------------------------------- */

/* The next row at or behind from of a counter that moved; NULL: there is none. */
static const struct rt_stress_counter *moved(const struct rt_stress_result *stress,
					     size_t from, unsigned counter)
{
	for (size_t i = from; i < stress->counter_count; i++)
		if (stress->counters[i].counter == counter &&
		    stress->counters[i].difference.value)
			return &stress->counters[i];
	return NULL;
}

RT_STRESS_CHECK(lossless_discards)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_counter *row;
	const unsigned counters[] = { RT_COUNTER_RX_DISCARDS,
				      RT_COUNTER_RX_BUFFER_DISCARDS };

	for (size_t k = 0; k < RT_ARRAY_SIZE(counters); k++)
		for (size_t i = 0; (row = moved(stress, i, counters[k]));
		     i = (size_t)(row - stress->counters) + 1)
			if (row->prio.known && row->prio.value < 8 &&
			    rt_stress_is_lossless(stress, (unsigned)row->prio.value))
				rt_findings_add(findings, rule, row->host,
						"%s on %s: %s frames of priority %llu",
						row->name, row->port, row->moved,
						(unsigned long long)row->prio.value);
}

RT_STRESS_CHECK(watchdog)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_counter *row;

	for (size_t i = 0; (row = moved(stress, i, RT_COUNTER_STORM_EVENTS));
	     i = (size_t)(row - stress->counters) + 1)
		rt_findings_add(findings, rule, row->host, "%s on %s: %s", row->name,
				row->port, row->moved);
}

#define RECEIVER_PAUSES_PCT 1.0  /* of the run, a priority */
#define LINK_IS_FULL_PCT    90.0 /* of what headers leave: the link is what is short */

/*
 * How much of what its link can carry it got between the two readings: the time over
 * which the pauses were counted.
 */
static struct rt_opt_f64 fill_pct(const struct rt_stress_receiver *receiver,
				  uint64_t elapsed_ns)
{
	if (!elapsed_ns || !receiver->bytes.known || !receiver->most_pct.known ||
	    !receiver->speed_bps.known || !receiver->speed_bps.value)
		return (struct rt_opt_f64){ 0 };
	return RT_KNOWN_F64((double)receiver->bytes.value * 8e9 / (double)elapsed_ns /
			    (double)receiver->speed_bps.value * 1e4 /
			    receiver->most_pct.value);
}

static void tell_slow(const struct rt_rule *rule, const struct rt_stress_counter *row,
		      const struct rt_stress_receiver *receiver,
		      struct rt_findings *findings)
{
	const struct rt_opt_f64 filled = fill_pct(receiver, row->elapsed_ns);
	double pct;

	if (receiver->rank != row->rank || !filled.known ||
	    filled.value >= LINK_IS_FULL_PCT)
		return;
	pct = (double)row->difference.value * 100 / (double)row->elapsed_ns;
	if (pct >= RECEIVER_PAUSES_PCT)
		rt_findings_add(
			findings, rule, receiver->name,
			"it paused its peer for %.3g%% of the run (%s), at %.0f%% "
			"of the payload that its link can carry",
			pct < 100 ? pct : 100, row->name, filled.value);
}

/* Who stops its peer without being at the speed of its link is slow itself. */
RT_STRESS_CHECK(receiver_slow)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_counter *row;

	for (size_t i = 0; (row = moved(stress, i, RT_COUNTER_PFC_TX_NS));
	     i = (size_t)(row - stress->counters) + 1)
		for (size_t k = 0; k < stress->receiver_count; k++)
			tell_slow(rule, row, &stress->receivers[k], findings);
}
