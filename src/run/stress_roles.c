/* SPDX-License-Identifier: BSD-2-Clause */
/* stress_roles.c - who sent and who received in a stress run: sums of queue pairs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "run/stress_merging.h"

/* As soon as one part is unknown, so is the sum. */
static void add_all(struct rt_opt_u64 *sum, struct rt_opt_u64 part, bool first)
{
	sum->known = part.known && (first || sum->known);
	sum->value = sum->known ? sum->value + part.value : 0;
}

/* Unknown stays unknown only while no part is known: one that is not adds nothing. */
static void add(struct rt_opt_u64 *sum, struct rt_opt_u64 part)
{
	if (part.known)
		*sum = RT_KNOWN_U64(sum->value + part.value);
}

/* Of an end that did not report it is not known: there is no sum. */
static int add_series(uint64_t **sum, size_t *sum_count, const struct rt_stress_qp *qp,
		      size_t intervals)
{
	if (!*sum) {
		*sum = calloc(intervals + 1, sizeof(**sum));
		if (!*sum)
			return -ENOMEM;
		*sum_count = intervals;
	}
	if (!qp->tx_bytes.known)
		*sum_count = 0;
	for (size_t i = 0; i < qp->series_count && i < *sum_count; i++)
		(*sum)[i] += qp->series[i];
	return 0;
}

/*
 * Of one end, into the sender's row of each interval: queue pairs of a host are paused
 * together, so of pauses the longest counts.
 */
static int add_causes(struct rt_stress_sender *sender, const struct rt_stress_end *end,
		      size_t intervals)
{
	if (!end || !end->cause_count)
		return 0;
	if (!sender->causes) {
		sender->causes = calloc(intervals + 1, sizeof(*sender->causes));
		if (!sender->causes)
			return -ENOMEM;
		sender->cause_count = intervals;
	}
	for (size_t i = 0; i < end->cause_count; i++) {
		const struct rt_stress_cause *from = &end->causes[i];
		struct rt_stress_cause *to;

		if (from->interval >= intervals)
			continue;
		to = &sender->causes[from->interval];
		to->losses += from->losses;
		to->cuts += from->cuts;
		if (from->paused_ns > to->paused_ns)
			to->paused_ns = from->paused_ns;
	}
	return 0;
}

/* "stopped (RETRY_EXC) at 1.32 s": without what all verbs names have in common. */
static void name_stop(const struct rt_stress_qp *qp, char *text, size_t bytes)
{
	static const char head[] = "IBV_WC_", tail[] = "_ERR";
	const char *word = *qp->error ? qp->error : "no reason told";
	size_t length;

	if (strncmp(word, head, strlen(head)) == 0)
		word += strlen(head);
	length = strlen(word);
	if (length > strlen(tail) && strcmp(word + length - strlen(tail), tail) == 0)
		length -= strlen(tail);
	if (qp->error_ns.known)
		snprintf(text, bytes, "stopped (%.*s) at %.3g s", (int)length, word,
			 (double)qp->error_ns.value / 1e9);
	else
		snprintf(text, bytes, "stopped (%.*s)", (int)length, word);
}

/* How late its first byte was; the least of a sender's queue pairs counts. */
static void take_lateness(struct rt_stress_sender *sender,
			  const struct rt_stress_qp *qp,
			  const struct rt_traffic_flow *flow)
{
	uint64_t late;

	if (!qp->first_timestamp_ns.known)
		return;
	late = qp->first_timestamp_ns.value > flow->start_ns
		       ? qp->first_timestamp_ns.value - flow->start_ns
		       : 0;
	if (!sender->start_late_ns.known || late < sender->start_late_ns.value)
		sender->start_late_ns = RT_KNOWN_U64(late);
}

/*
 * Latency is known where it is driven: of what is read from a sender its readers know
 * it, and of several there are no quantiles of all.
 */
static void take_latency(const struct rt_stress_merging *merge,
			 struct rt_stress_sender *sender, const struct rt_stress_qp *qp)
{
	const struct rt_stress_latency *own =
		&merge->ranks[sender->rank].report.latency;
	const struct rt_stress_latency none = { 0 };

	if (qp->op == RT_TRAFFIC_READ)
		sender->latency = sender->qps == 1 ? qp->latency : none;
	else if (sender->qps > 1 && sender->latency.count != own->count)
		sender->latency = none;
	sender->p99_ns = sender->latency.p99_ns;
}

/*
 * The share of the time that is judged, and of flows that end by themselves of all of
 * it; of a host's queue pairs the most.  What an end stood paused while it only waited
 * for its last ACKs is of no interval of these.
 */
static void take_paused(const struct rt_stress_merging *merge,
			const struct rt_stress_end *end, struct rt_opt_f64 *most)
{
	const struct rt_window *window = &merge->window;
	uint64_t of_ns = (window->last - window->first) * window->interval_ns;
	uint64_t paused_ns = 0;
	double pct;

	if (!end || !end->totals.paused_ns.known)
		return;
	for (size_t i = 0; i < end->cause_count; i++)
		if (end->causes[i].interval >= window->first &&
		    end->causes[i].interval < window->last)
			paused_ns += end->causes[i].paused_ns;
	if (merge->plan->sized) {
		paused_ns = end->totals.paused_ns.value;
		of_ns = merge->result->ran_ns;
	}
	if (!of_ns)
		return;
	pct = (double)paused_ns * 100 / (double)of_ns;
	pct = pct < 100 ? pct : 100;
	if (!most->known || pct > most->value)
		*most = RT_KNOWN_F64(pct);
}

static int add_to_sender(const struct rt_stress_merging *merge,
			 struct rt_stress_sender *sender, const struct rt_stress_qp *qp)
{
	sender->qps++;
	if (qp->state == RT_QP_STOPPED && !sender->stopped++)
		name_stop(qp, sender->state, sizeof(sender->state));
	add_all(&sender->bytes, qp->tx_bytes, sender->qps == 1);
	add_all(&sender->late_bytes, qp->tx_late_bytes, sender->qps == 1);
	add_all(&sender->messages, qp->message_tx, sender->qps == 1);
	add_all(&sender->goodput_bps, qp->goodput_bps, sender->qps == 1);
	add(&sender->cnp_rx, qp->cnp_rx);
	add(&sender->rate_cuts, qp->rate_cuts);
	add(&sender->data_frames_retransmitted, qp->data_frames_retransmitted);
	/* The reader's requests are acknowledged, not the sender's data. */
	if (qp->op != RT_TRAFFIC_READ)
		add(&sender->nak_rx, qp->nak_rx);
	add(&sender->timeouts, qp->timeouts);
	take_latency(merge, sender, qp);
	take_lateness(sender, qp, &merge->plan->flows[qp->flow]);
	if (add_causes(sender, merge->ends[qp->flow].from, merge->intervals) < 0 ||
	    add_causes(sender, merge->ends[qp->flow].to, merge->intervals) < 0)
		return -ENOMEM;
	take_paused(merge, merge->ends[qp->flow].from, &sender->paused_pct);
	return add_series(&sender->series, &sender->series_count, qp, merge->intervals);
}

static int add_to_receiver(const struct rt_stress_merging *merge,
			   struct rt_stress_receiver *receiver,
			   const struct rt_stress_qp *qp)
{
	const bool first = !receiver->series;

	add_all(&receiver->bytes, qp->rx_bytes.known ? qp->rx_bytes : qp->tx_bytes,
		first);
	add_all(&receiver->late_bytes,
		qp->rx_bytes.known ? qp->rx_late_bytes : qp->tx_late_bytes, first);
	add_all(&receiver->goodput_bps, qp->goodput_bps, first);
	add(&receiver->ecn_ce_rx, qp->ecn_ce_rx);
	add(&receiver->cnp_tx, qp->cnp_tx);
	add(&receiver->frame_sequence_error, qp->frame_sequence_error);
	if (qp->op != RT_TRAFFIC_READ)
		add(&receiver->nak_tx, qp->nak_tx);
	take_paused(merge, merge->ends[qp->flow].to, &receiver->paused_pct);
	return add_series(&receiver->series, &receiver->series_count, qp,
			  merge->intervals);
}

/* Hosts that take part in each way, as numbers from 1; 0: it does not. */
struct roles {
	uint32_t *sender, *receiver; /* of each rank */
};

static int compare_pairs(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* How many different hosts send to each receiver. */
static int count_senders(struct rt_stress_result *result, const struct roles *roles)
{
	RT_AUTO(rt_auto_free) uint64_t *pairs = NULL;
	size_t count = 0;

	pairs = calloc(result->qp_count + 1, sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < result->qp_count; i++)
		if (!result->qps[i].victim)
			pairs[count++] = (uint64_t)result->qps[i].to << 32 |
					 result->qps[i].from;
	qsort(pairs, count, sizeof(*pairs), compare_pairs);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || pairs[i] != pairs[i - 1])
			result->receivers[roles->receiver[pairs[i] >> 32] - 1]
				.senders++;
	return 0;
}

static void count_roles(struct rt_stress_merging *merge, const struct roles *roles)
{
	struct rt_stress_result *result = merge->result;

	for (size_t i = 0; i < result->qp_count; i++) {
		const struct rt_stress_qp *qp = &result->qps[i];

		if (qp->victim)
			continue;
		if (!roles->sender[qp->from])
			roles->sender[qp->from] = (uint32_t)++result->sender_count;
		if (!roles->receiver[qp->to])
			roles->receiver[qp->to] = (uint32_t)++result->receiver_count;
	}
}

static void name_roles(struct rt_stress_merging *merge, const struct roles *roles)
{
	struct rt_stress_result *result = merge->result;

	for (uint32_t r = 0; r < merge->plan->ranks; r++) {
		const struct rt_stress_rank *rank = &merge->ranks[r];

		if (roles->sender[r]) {
			struct rt_stress_sender *sender =
				&result->senders[roles->sender[r] - 1];

			sender->rank = r;
			sender->lost = !rank->reported;
			if (sender->lost)
				snprintf(sender->state, sizeof(sender->state),
					 "no report");
			memcpy(sender->name, rank->name, sizeof(sender->name));
			sender->latency = rank->report.latency;
			sender->p99_ns = rank->report.latency.p99_ns;
		}
		if (roles->receiver[r]) {
			struct rt_stress_receiver *receiver =
				&result->receivers[roles->receiver[r] - 1];

			receiver->rank = r;
			memcpy(receiver->name, rank->name, sizeof(receiver->name));
			receiver->speed_bps = rank->ready.about.speed_bps;
		}
	}
}

static int add_qps(struct rt_stress_merging *merge, const struct roles *roles)
{
	struct rt_stress_result *result = merge->result;
	int r = 0;

	for (size_t i = 0; i < result->qp_count && r == 0; i++) {
		const struct rt_stress_qp *qp = &result->qps[i];
		struct rt_stress_receiver *receiver;

		if (qp->victim)
			continue;
		receiver = &result->receivers[roles->receiver[qp->to] - 1];
		r = add_to_sender(merge, &result->senders[roles->sender[qp->from] - 1],
				  qp);
		if (r == 0)
			r = add_to_receiver(merge, receiver, qp);
	}
	return r;
}

/* From the first byte to the last, of one host's part. */
struct span {
	uint64_t first_ns, last_ns; /* last 0: nothing yet */
};

static void stretch(struct span *span, const struct rt_stress_qp *qp)
{
	if (!qp->first_timestamp_ns.known || !qp->last_timestamp_ns.known)
		return;
	if (!span->last_ns || qp->first_timestamp_ns.value < span->first_ns)
		span->first_ns = qp->first_timestamp_ns.value;
	if (qp->last_timestamp_ns.value > span->last_ns)
		span->last_ns = qp->last_timestamp_ns.value;
}

static uint64_t span_ns(const struct span *span)
{
	return span->last_ns > span->first_ns ? span->last_ns - span->first_ns : 0;
}

/* Flows that end after so many bytes: rates are over a host's own time, not sums. */
static int rate_spans(struct rt_stress_merging *merge)
{
	struct rt_stress_result *result = merge->result;
	RT_AUTO(rt_auto_free) struct span *spans = NULL;
	struct span *from, *to;

	if (!merge->plan->sized)
		return 0;
	spans = calloc((size_t)merge->plan->ranks * 2 + 1, sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	from = spans;
	to = spans + merge->plan->ranks;
	for (size_t i = 0; i < result->qp_count; i++) {
		const struct rt_stress_qp *qp = &result->qps[i];

		if (qp->victim)
			continue;
		stretch(&from[qp->from], qp);
		stretch(&to[qp->to], qp);
	}
	for (size_t i = 0; i < result->sender_count; i++) {
		struct rt_stress_sender *sender = &result->senders[i];

		sender->goodput_bps = rt_stress_own_bps(merge, sender->bytes,
							span_ns(&from[sender->rank]));
	}
	for (size_t i = 0; i < result->receiver_count; i++) {
		struct rt_stress_receiver *receiver = &result->receivers[i];

		receiver->goodput_bps = rt_stress_own_bps(merge, receiver->bytes,
							  span_ns(&to[receiver->rank]));
	}
	return 0;
}

int rt_stress_merge_roles(struct rt_stress_merging *merge)
{
	struct rt_stress_result *result = merge->result;
	RT_AUTO(rt_auto_free) uint32_t *memory = NULL;
	struct roles roles;

	memory = calloc((size_t)merge->plan->ranks * 2 + 1, sizeof(*memory));
	if (!memory)
		return -ENOMEM;
	roles = (struct roles){ memory, memory + merge->plan->ranks };
	count_roles(merge, &roles);
	result->senders = calloc(result->sender_count + 1, sizeof(*result->senders));
	result->receivers = calloc(result->receiver_count + 1,
				   sizeof(*result->receivers));
	if (!result->senders || !result->receivers)
		return -ENOMEM;
	name_roles(merge, &roles);
	if (count_senders(result, &roles) < 0 || add_qps(merge, &roles) < 0)
		return -ENOMEM;
	return rate_spans(merge);
}
