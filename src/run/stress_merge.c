/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "run/stress_counters.h"
#include "run/stress_series.h"
#include "run/stress_share.h"

/* Both ends of a flow; NULL: the rank did not report. */
struct ends {
	const struct rt_stress_end *from, *to;
	const struct rt_qp_address *from_address, *to_address;
};

struct merge {
	const struct rt_stress_plan *plan;
	const struct rt_stress_rank *ranks;
	struct rt_stress_result *result;
	struct ends *ends;       /* owned: of each flow */
	struct rt_window window; /* of what is judged */
	size_t intervals;        /* of the run; what came later is of no interval */
	bool utf8;
};

void rt_stress_rank_free(struct rt_stress_rank *rank)
{
	rt_record_free(&rt_stress_job_table, &rank->job);
	rt_record_free(&rt_stress_ready_table, &rank->ready);
	rt_record_free(&rt_stress_report_table, &rank->report);
}

/* --- which end is whose --------------------------------------------------------------- */

static void find_ends(struct merge *merge)
{
	for (uint32_t r = 0; r < merge->plan->ranks; r++) {
		const struct rt_stress_rank *rank = &merge->ranks[r];

		for (size_t i = 0; i < rank->job.flow_count; i++) {
			const struct rt_traffic_flow *flow = &rank->job.flows[i];
			struct ends *ends = &merge->ends[flow->flow];
			const struct rt_qp_address *address =
				i < rank->ready.address_count
					? &rank->ready.addresses[i]
					: NULL;
			const struct rt_stress_end *end =
				rank->reported ? &rank->report.ends[i] : NULL;

			*(flow->from == r ? &ends->from : &ends->to) = end;
			*(flow->from == r ? &ends->from_address
					  : &ends->to_address) = address;
		}
	}
}

static const struct rt_stress_end *driver(const struct rt_traffic_flow *flow,
					  const struct ends *ends)
{
	return flow->op == RT_TRAFFIC_READ ? ends->to : ends->from;
}

/* --- the time that is judged ------------------------------------------------------------ */

static void find_window(struct merge *merge)
{
	const struct rt_stress_plan *plan = merge->plan;
	struct rt_stress_result *result = merge->result;
	const uint64_t interval = plan->interval_ns;
	uint64_t to = plan->hold_to_ns, from = plan->hold_from_ns;

	for (uint32_t r = 0; r < plan->ranks; r++)
		if (merge->ranks[r].reported &&
		    merge->ranks[r].report.ran_ns > result->ran_ns)
			result->ran_ns = merge->ranks[r].report.ran_ns;
	if (result->ran_ns < to)
		to = result->ran_ns / interval * interval;
	if (to <= from) /* it ended before all were to send */
		from = plan->alone_ns < to ? plan->alone_ns / interval * interval : 0;
	merge->window = (struct rt_window){ from / interval, to / interval, interval };
	result->hold_from_ns = from;
	result->hold_to_ns = to > from ? to : from;
	result->interval_ns = interval;
	merge->intervals = (result->ran_ns + interval - 1) / interval;
}

/* --- queue pairs ---------------------------------------------------------------------- */

#define TOTAL(end, member) ((end) ? (end)->totals.member : (struct rt_opt_u64){ 0 })

static struct rt_opt_u64 first_known(struct rt_opt_u64 a, struct rt_opt_u64 b)
{
	return a.known ? a : b;
}

static void take_frames(struct rt_stress_qp *qp, const struct ends *ends)
{
	const struct rt_stress_end *from = ends->from, *to = ends->to;

	qp->data_frames_tx = TOTAL(from, data_frames_tx);
	qp->data_frames_rx = TOTAL(to, data_frames_rx);
	if (qp->data_frames_tx.known && qp->data_frames_rx.known)
		qp->frame_delta = RT_KNOWN_U64(
			qp->data_frames_tx.value > qp->data_frames_rx.value
				? qp->data_frames_tx.value - qp->data_frames_rx.value
				: 0);
	qp->data_frames_retransmitted = TOTAL(from, data_frames_retransmitted);
	qp->frame_sequence_error = TOTAL(to, frame_sequence_error);
	qp->ecn_ce_rx = TOTAL(to, ecn_ce_rx);
	qp->cnp_tx = TOTAL(to, cnp_tx);
	qp->cnp_rx = TOTAL(from, cnp_rx);
	qp->ack_tx = TOTAL(to, ack_tx);
	qp->ack_rx = TOTAL(from, ack_rx);
	qp->nak_tx = TOTAL(to, nak_tx);
	qp->nak_rx = TOTAL(from, nak_rx);
	qp->timeouts = first_known(TOTAL(from, timeouts), TOTAL(to, timeouts));
	qp->rate_cuts = TOTAL(from, rate_cuts);
	qp->rate_bps = TOTAL(from, rate_bps);
	qp->paused_ns = TOTAL(from, paused_ns);
}

/* An end that failed tells more than one that did not. */
static void take_state(struct rt_stress_qp *qp, const struct rt_stress_end *drives,
		       const struct rt_stress_end *other)
{
	const struct rt_stress_end *tells = drives ? drives : other;

	if (other && other->totals.state == RT_QP_STOPPED &&
	    (!drives || drives->totals.state != RT_QP_STOPPED))
		tells = other;
	if (!tells)
		return;
	qp->state = tells->totals.state;
	snprintf(qp->error, sizeof(qp->error), "%s", tells->totals.error);
	qp->error_ns = tells->totals.error_ns;
	if (qp->state == RT_QP_DONE)
		qp->message_fail = RT_KNOWN_U64(0);
}

static void take_times(const struct rt_stress_plan *plan, struct rt_stress_qp *qp,
		       const struct rt_traffic_flow *flow,
		       const struct rt_stress_end *drives)
{
	qp->first_timestamp_ns = TOTAL(drives, first_ns);
	qp->last_timestamp_ns = TOTAL(drives, last_ns);
	if (plan->sized && qp->state == RT_QP_DONE && qp->last_timestamp_ns.known &&
	    qp->last_timestamp_ns.value >= flow->start_ns)
		qp->flow_completion_time_ns = RT_KNOWN_U64(qp->last_timestamp_ns.value -
							   flow->start_ns);
}

/* Of flows that end after so many bytes the rate is over their own time. */
static uint64_t qp_bps(const struct merge *merge, const struct rt_stress_qp *qp)
{
	const struct rt_series series = { qp->series, qp->series_count };

	if (!merge->plan->sized)
		return rt_series_bps(series, &merge->window);
	if (!qp->first_timestamp_ns.known || !qp->last_timestamp_ns.known ||
	    qp->last_timestamp_ns.value <= qp->first_timestamp_ns.value)
		return 0;
	return rt_bytes_bps(qp->tx_bytes,
			    qp->last_timestamp_ns.value - qp->first_timestamp_ns.value);
}

static int take_series(struct rt_stress_qp *qp, const struct rt_stress_end *drives)
{
	if (!drives || !drives->series_count)
		return 0;
	qp->series = calloc(drives->series_count, sizeof(*qp->series));
	if (!qp->series)
		return -ENOMEM;
	memcpy(qp->series, drives->series, drives->series_count * sizeof(*qp->series));
	qp->series_count = drives->series_count;
	return 0;
}

static void take_addresses(struct rt_stress_qp *qp, const struct ends *ends)
{
	if (ends->from_address) {
		qp->src_qp = RT_KNOWN_U64(ends->from_address->qpn);
		qp->source_ip = ends->from_address->ip;
	}
	if (ends->to_address) {
		qp->dest_qp = RT_KNOWN_U64(ends->to_address->qpn);
		qp->dest_ip = ends->to_address->ip;
	}
}

static int merge_qp(const struct merge *merge, const struct rt_traffic_flow *flow,
		    struct rt_stress_qp *qp)
{
	const struct ends *ends = &merge->ends[flow->flow];
	const struct rt_stress_end *drives = driver(flow, ends);
	int r;

	*qp = (struct rt_stress_qp){
		.flow = flow->flow,
		.from = flow->from,
		.to = flow->to,
		.workload = flow->workload,
		.victim = flow->victim,
		.op = flow->op,
		.prio = flow->prio,
		.dscp = flow->dscp,
		.ecn = flow->ecn,
		.rate_cap_bps = { flow->rate_bps, flow->rate_bps > 0 },
	};
	snprintf(qp->flow_name, sizeof(qp->flow_name), "%.24s -> %.24s #%u",
		 merge->ranks[flow->from].name, merge->ranks[flow->to].name,
		 flow->flow);
	take_addresses(qp, ends);
	qp->tx_bytes = TOTAL(drives, bytes).value;
	qp->rx_bytes = TOTAL(ends->to, bytes);
	qp->message_tx = TOTAL(drives, messages).value;
	qp->message_complete_rx = TOTAL(ends->to, messages);
	if (drives)
		qp->latency = drives->latency;
	take_frames(qp, ends);
	take_state(qp, drives, drives == ends->from ? ends->to : ends->from);
	take_times(merge->plan, qp, flow, drives);
	r = take_series(qp, drives);
	qp->goodput_bps = qp_bps(merge, qp);
	return r;
}

static int merge_qps(struct merge *merge)
{
	const struct rt_stress_plan *plan = merge->plan;
	struct rt_stress_result *result = merge->result;

	result->qps = calloc(plan->flow_count + 1, sizeof(*result->qps));
	if (!result->qps)
		return -ENOMEM;
	result->qp_count = plan->flow_count;
	for (size_t i = 0; i < plan->flow_count; i++) {
		if (merge_qp(merge, &plan->flows[i], &result->qps[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* --- sums over queue pairs --------------------------------------------------------------- */

/* Unknown stays unknown only while no part is known: one that is not adds nothing. */
static void add(struct rt_opt_u64 *sum, struct rt_opt_u64 part)
{
	if (part.known)
		*sum = RT_KNOWN_U64(sum->value + part.value);
}

static int add_series(uint64_t **sum, size_t *sum_count, const struct rt_stress_qp *qp,
		      size_t intervals)
{
	if (!*sum) {
		*sum = calloc(intervals + 1, sizeof(**sum));
		if (!*sum)
			return -ENOMEM;
		*sum_count = intervals;
	}
	for (size_t i = 0; i < qp->series_count && i < intervals; i++)
		(*sum)[i] += qp->series[i];
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

static int add_to_sender(const struct merge *merge, struct rt_stress_sender *sender,
			 const struct rt_stress_qp *qp)
{
	sender->qps++;
	if (qp->state == RT_QP_STOPPED && !sender->stopped++)
		name_stop(qp, sender->state, sizeof(sender->state));
	sender->bytes += qp->tx_bytes;
	sender->messages += qp->message_tx;
	sender->goodput_bps += qp->goodput_bps;
	add(&sender->cnp_rx, qp->cnp_rx);
	add(&sender->rate_cuts, qp->rate_cuts);
	add(&sender->data_frames_retransmitted, qp->data_frames_retransmitted);
	add(&sender->nak_rx, qp->nak_rx);
	take_lateness(sender, qp, &merge->plan->flows[qp->flow]);
	if (qp->paused_ns.known && merge->result->ran_ns) {
		const double pct = (double)qp->paused_ns.value * 100 /
				   (double)merge->result->ran_ns;

		if (!sender->paused_pct.known || pct > sender->paused_pct.value)
			sender->paused_pct = RT_KNOWN_F64(pct);
	}
	return add_series(&sender->series, &sender->series_count, qp, merge->intervals);
}

static int add_to_receiver(const struct merge *merge,
			   struct rt_stress_receiver *receiver,
			   const struct rt_stress_qp *qp)
{
	receiver->bytes += qp->rx_bytes.known ? qp->rx_bytes.value : qp->tx_bytes;
	receiver->goodput_bps += qp->goodput_bps;
	add(&receiver->ecn_ce_rx, qp->ecn_ce_rx);
	add(&receiver->cnp_tx, qp->cnp_tx);
	add(&receiver->frame_sequence_error, qp->frame_sequence_error);
	add(&receiver->nak_tx, qp->nak_tx);
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

static void count_roles(struct merge *merge, const struct roles *roles)
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

static void name_roles(struct merge *merge, const struct roles *roles)
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

static int add_qps(struct merge *merge, const struct roles *roles)
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

static int merge_roles(struct merge *merge)
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
	if (count_senders(result, &roles) < 0)
		return -ENOMEM;
	return add_qps(merge, &roles);
}

/* --- the victim -------------------------------------------------------------------------- */

static struct rt_opt_f64 factor(struct rt_opt_u64 more, struct rt_opt_u64 less)
{
	if (!more.known || !less.known || !less.value)
		return (struct rt_opt_f64){ 0 };
	return RT_KNOWN_F64((double)more.value / (double)less.value);
}

/* What a scenario's victim shares with the load, since nobody says it. */
static unsigned victim_kind(const struct merge *merge,
			    const struct rt_traffic_flow *victim)
{
	const struct rt_stress_plan *plan = merge->plan;
	bool same_receiver = false, same_prio = false;

	if (plan->victim != RT_VICTIM_NONE)
		return plan->victim;
	for (size_t i = 0; i < plan->flow_count; i++) {
		const struct rt_traffic_flow *flow = &plan->flows[i];

		if (flow->victim || flow->to != victim->to)
			continue;
		same_receiver = true;
		same_prio |= flow->prio == victim->prio;
	}
	if (!same_receiver)
		return RT_VICTIM_RECEIVER;
	if (same_prio)
		return RT_VICTIM_SAME;
	return plan->lossless.value >> victim->prio & 1 ? RT_VICTIM_LOSSLESS
							: RT_VICTIM_LOSSY;
}

static void merge_victim(const struct merge *merge, const struct rt_stress_qp *qp,
			 struct rt_stress_victim *victim)
{
	const struct rt_stress_plan *plan = merge->plan;
	const struct rt_traffic_flow *flow = &plan->flows[qp->flow];
	const struct rt_stress_end *end = driver(flow, &merge->ends[qp->flow]);
	const uint64_t ran_ns = merge->result->ran_ns;

	*victim = (struct rt_stress_victim){ .kind = victim_kind(merge, flow),
					     .prio = qp->prio,
					     .dscp = qp->dscp };
	memcpy(victim->flow_name, qp->flow_name, sizeof(victim->flow_name));
	if (!end)
		return;
	victim->alone = end->alone;
	victim->loaded = end->latency;
	if (ran_ns > plan->alone_ns && plan->alone_ns > flow->start_ns) {
		victim->alone_bps = RT_KNOWN_U64(rt_bytes_bps(
			end->alone_bytes, plan->alone_ns - flow->start_ns));
		victim->loaded_bps = RT_KNOWN_U64(rt_bytes_bps(
			qp->tx_bytes - end->alone_bytes, ran_ns - plan->alone_ns));
	}
	victim->avg_factor = factor(victim->loaded.avg_ns, victim->alone.avg_ns);
	victim->p99_factor = factor(victim->loaded.p99_ns, victim->alone.p99_ns);
	victim->p999_factor = factor(victim->loaded.p999_ns, victim->alone.p999_ns);
	victim->throughput_factor = factor(victim->alone_bps, victim->loaded_bps);
}

static int merge_victims(struct merge *merge)
{
	struct rt_stress_result *result = merge->result;

	for (size_t i = 0; i < result->qp_count; i++)
		result->victim_count += result->qps[i].victim;
	result->victims = calloc(result->victim_count + 1, sizeof(*result->victims));
	if (!result->victims)
		return -ENOMEM;
	for (size_t i = 0, at = 0; i < result->qp_count; i++)
		if (result->qps[i].victim)
			merge_victim(merge, &result->qps[i], &result->victims[at++]);
	return 0;
}

/* --- hosts --------------------------------------------------------------------------------- */

static void merge_host(const struct rt_stress_rank *rank, struct rt_stress_host *host)
{
	const struct rt_engine_about *about = &rank->ready.about;

	memcpy(host->name, rank->name, sizeof(host->name));
	host->lost = !rank->reported;
	snprintf(host->why, sizeof(host->why), "%s",
		 rank->reported ? rank->report.why : rank->lost);
	memcpy(host->engine, about->engine, sizeof(host->engine));
	memcpy(host->device, about->device, sizeof(host->device));
	memcpy(host->netdev, about->netdev, sizeof(host->netdev));
	memcpy(host->gid_type, about->gid_type, sizeof(host->gid_type));
	memcpy(host->chosen, about->chosen, sizeof(host->chosen));
	memcpy(host->transport, about->transport, sizeof(host->transport));
	host->ip = about->ip;
	host->gid_index = about->gid_index;
	host->mtu_bytes = (struct rt_opt_u64){ about->mtu_bytes, about->mtu_bytes > 0 };
	host->speed_bps = about->speed_bps;
	host->huge_pages = about->huge_pages;
	host->clock_error_ns = rank->report.clock_error_ns;
	if (rank->reported)
		host->late_most_ns = RT_KNOWN_U64(rank->report.late_most_ns);
	host->connected = rank->ready.connected;
}

static int merge_hosts(struct merge *merge)
{
	struct rt_stress_result *result = merge->result;

	result->ranks = merge->plan->ranks;
	result->hosts = calloc((size_t)result->ranks + 1, sizeof(*result->hosts));
	if (!result->hosts)
		return -ENOMEM;
	result->host_count = result->ranks;
	for (uint32_t r = 0; r < result->ranks; r++) {
		struct rt_stress_host *host = &result->hosts[r];

		merge_host(&merge->ranks[r], host);
		host->rank = r;
		result->ranks_lost += host->lost;
		if (host->clock_error_ns.known &&
		    host->clock_error_ns.value >= result->clock_error_ns.value)
			result->clock_error_ns = host->clock_error_ns;
		/* Who asked for the end knows why; the others only heard of it. */
		if (*host->why && !host->lost &&
		    (!result->cut_short || merge->ranks[r].report.asked)) {
			result->cut_short = true;
			snprintf(result->cut_why, sizeof(result->cut_why), "%s%s%s",
				 merge->ranks[r].report.asked ? host->name : "",
				 merge->ranks[r].report.asked ? ": " : "", host->why);
		}
	}
	return 0;
}

int rt_stress_merge(const struct rt_stress_plan *plan,
		    const struct rt_stress_rank *ranks, bool utf8,
		    struct rt_stress_result *ret_result, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) struct ends *ends = NULL;
	struct rt_stress_result result = { .time_ns = plan->total_ns,
					   .alone_ns = plan->alone_ns,
					   .lossless = plan->lossless };
	struct merge merge = { plan, ranks, &result, NULL, { 0 }, 0, utf8 };
	int r;

	ends = calloc(plan->flow_count + 1, sizeof(*ends));
	merge.ends = ends;
	memcpy(result.pattern, plan->pattern, sizeof(result.pattern));
	memcpy(result.profile, plan->profile, sizeof(result.profile));
	memcpy(result.marking, plan->marking, sizeof(result.marking));
	r = ends ? 0 : -ENOMEM;
	if (r == 0) {
		find_ends(&merge);
		find_window(&merge);
		r = merge_qps(&merge);
	}
	if (r == 0)
		r = merge_roles(&merge);
	if (r == 0)
		r = merge_victims(&merge);
	if (r == 0)
		r = merge_hosts(&merge);
	if (r == 0)
		r = rt_stress_take_counters(ranks, &result);
	if (r == 0)
		r = rt_stress_share(plan, &merge.window, merge.intervals, utf8,
				    &result);
	if (r < 0) {
		rt_stress_result_free(&result);
		return rt_err_sys(err, r, "cannot hold the result");
	}
	*ret_result = result;
	return 0;
}
