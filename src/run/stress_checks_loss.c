/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stress_checks_loss.c - what a stress run lost.
 *
 * Queue pairs of the soft engine count what they miss; verbs tell nothing of the kind,
 * but the NIC's port does, of all its queue pairs together.
 */
#include <stdio.h>

#include "base/own.h"
#include "model/finding.h"
#include "run/stress_checks.h"
#include "run/stress_record.h"

static bool knows_gaps(const struct rt_stress_qp *qp)
{
	return qp->frame_sequence_error.known || qp->nak_rx.known;
}

/* What a receiver missed, or said that it missed; not what only took too long. */
static uint64_t missed(const struct rt_stress_qp *qp)
{
	return rt_stress_gaps(&qp->frame_sequence_error, &qp->nak_rx, qp->error);
}

static uint64_t by_machine(const struct rt_stress_result *stress,
			   const struct rt_stress_qp *qp)
{
	return rt_stress_lost_by_machine(stress, qp->from, qp->to);
}

/* --- where only ports know -------------------------------------------------------- */

/* A host's queue pairs that do not know themselves. */
struct unaware {
	size_t lossless, others;
};

static struct unaware count_unaware(const struct rt_stress_result *stress,
				    uint32_t rank, bool sends)
{
	struct unaware count = { 0 };

	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if ((sends ? qp->from : qp->to) != rank || knows_gaps(qp))
			continue;
		if (rt_stress_is_lossless(stress, qp->prio))
			count.lossless++;
		else
			count.others++;
	}
	return count;
}

/*
 * Whether what a port counted is to be told of lossless priorities, or of others: of a
 * port with both nobody knows whose gap it was.
 */
static bool is_of(const struct unaware *count, bool lossless)
{
	return lossless ? count->lossless && !count->others : count->others > 0;
}

/* The gaps that a port saw; name: what the port counts. */
static void tell_port(const struct rt_rule *rule, const char *host, uint64_t gaps,
		      const char *what, struct rt_findings *findings)
{
	rt_findings_add(findings, rule, host,
			"its port counted %llu %s; its queue pairs do not tell whose "
			"they are",
			(unsigned long long)gaps, what);
}

static void find_port_loss(const struct rt_rule *rule,
			   const struct rt_stress_result *stress, bool lossless,
			   struct rt_findings *findings)
{
	for (size_t i = 0; i < stress->receiver_count; i++) {
		const struct rt_stress_receiver *receiver = &stress->receivers[i];
		const struct unaware count = count_unaware(stress, receiver->rank,
							   false);

		if (is_of(&count, lossless) && receiver->frame_sequence_error.value)
			tell_port(rule, receiver->name,
				  receiver->frame_sequence_error.value,
				  "frames out of order", findings);
	}
	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];
		const struct unaware count = count_unaware(stress, sender->rank, true);

		if (is_of(&count, lossless) && sender->nak_rx.value)
			tell_port(rule, sender->name, sender->nak_rx.value,
				  "NAKs for gaps", findings);
	}
}

static void find_port_timeouts(const struct rt_rule *rule,
			       const struct rt_stress_result *stress,
			       struct rt_findings *findings)
{
	for (size_t i = 0; i < stress->sender_count; i++) {
		const struct rt_stress_sender *sender = &stress->senders[i];
		const struct unaware count = count_unaware(stress, sender->rank, true);

		if ((count.lossless || count.others) && sender->timeouts.value &&
		    !sender->nak_rx.value)
			tell_port(rule, sender->name, sender->timeouts.value,
				  "time-outs", findings);
	}
}

/* --- the rules -------------------------------------------------------------------- */

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

		if (missed(qp) <= by_machine(stress, qp) ||
		    rt_stress_is_lossless(stress, qp->prio) != lossless)
			continue;
		if (!worst || missed(qp) > missed(worst))
			worst = qp;
		events += missed(qp);
		resent += qp->data_frames_retransmitted.value;
		count++;
	}
	find_port_loss(rule, stress, lossless, findings);
	if (!worst)
		return;
	snprintf(where, sizeof(where), "priority %u", worst->prio);
	rt_findings_add(findings, rule, where,
			"%zu queue pairs saw gaps %llu times in all and sent %llu "
			"frames again; most: %s, %llu times",
			count, (unsigned long long)events, (unsigned long long)resent,
			worst->flow_name, (unsigned long long)missed(worst));
}

RT_STRESS_CHECK(lossless_loss)
{
	find_loss(rule, subject, true, findings);
}

RT_STRESS_CHECK(loss)
{
	find_loss(rule, subject, false, findings);
}

RT_STRESS_CHECK(timeouts)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_qp *worst = NULL;
	uint64_t count = 0;

	find_port_timeouts(rule, stress, findings);
	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		if (missed(qp) || qp->timeouts.value <= by_machine(stress, qp))
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

/* Whether a port of either end counts what its queue pairs miss. */
static bool ports_know(const struct rt_stress_result *stress,
		       const struct rt_stress_qp *qp)
{
	for (size_t i = 0; i < stress->receiver_count; i++)
		if (stress->receivers[i].rank == qp->to &&
		    stress->receivers[i].frame_sequence_error.known)
			return true;
	for (size_t i = 0; i < stress->sender_count; i++)
		if (stress->senders[i].rank == qp->from &&
		    stress->senders[i].nak_rx.known)
			return true;
	return false;
}

RT_STRESS_CHECK(loss_unknown)
{
	const struct rt_stress_result *stress = subject;
	const struct rt_stress_qp *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < stress->qp_count; i++) {
		const struct rt_stress_qp *qp = &stress->qps[i];

		/* Of a lost host it is told already. */
		if (qp->victim || knows_gaps(qp) || ports_know(stress, qp) ||
		    stress->hosts[qp->from].lost || stress->hosts[qp->to].lost)
			continue;
		if (!first)
			first = qp;
		count++;
	}
	if (first)
		rt_findings_add(findings, rule, first->flow_name,
				"so with %zu of %zu queue pairs", count,
				stress->qp_count);
}
