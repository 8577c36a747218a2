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
#include "run/stress_merging.h"
#include "run/stress_share.h"

void rt_stress_rank_free(struct rt_stress_rank *rank)
{
	rt_record_free(&rt_stress_job_table, &rank->job);
	rt_record_free(&rt_stress_ready_table, &rank->ready);
	rt_record_free(&rt_stress_report_table, &rank->report);
}

/* --- which end is whose ----------------------------------------------------------- */

static void find_ends(struct rt_stress_merging *merge)
{
	for (uint32_t r = 0; r < merge->plan->ranks; r++) {
		const struct rt_stress_rank *rank = &merge->ranks[r];

		for (size_t i = 0; i < rank->job.flow_count; i++) {
			const struct rt_traffic_flow *flow = &rank->job.flows[i];
			struct rt_stress_ends *ends = &merge->ends[flow->flow];
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
					  const struct rt_stress_ends *ends)
{
	return flow->op == RT_TRAFFIC_READ ? ends->to : ends->from;
}

/* --- the time that is judged ------------------------------------------------------ */

static void find_window(struct rt_stress_merging *merge)
{
	const struct rt_stress_plan *plan = merge->plan;
	struct rt_stress_result *result = merge->result;
	const uint64_t interval = plan->interval_ns;
	/* Without a time in which all were to send it is all of the time. */
	const bool held = plan->hold_to_ns > plan->hold_from_ns;
	uint64_t to = held ? plan->hold_to_ns : plan->total_ns;
	uint64_t from = held ? plan->hold_from_ns : plan->alone_ns;

	for (uint32_t r = 0; r < plan->ranks; r++)
		if (merge->ranks[r].reported &&
		    merge->ranks[r].report.ran_ns > result->ran_ns)
			result->ran_ns = merge->ranks[r].report.ran_ns;
	if (result->ran_ns < to)
		to = result->ran_ns / interval * interval;
	/* It ended before all were to send: nothing is judged, since some had no turn. */
	if (to < from)
		from = to;
	merge->window = (struct rt_window){ from / interval, to / interval, interval };
	result->hold_from_ns = from;
	result->hold_to_ns = to > from ? to : from;
	result->interval_ns = interval;
	merge->intervals = (result->ran_ns + interval - 1) / interval;
}

/* --- queue pairs ------------------------------------------------------------------ */

#define TOTAL(end, member) ((end) ? (end)->totals.member : (struct rt_opt_u64){ 0 })

static struct rt_opt_u64 first_known(struct rt_opt_u64 a, struct rt_opt_u64 b)
{
	return a.known ? a : b;
}

static void take_frames(struct rt_stress_qp *qp, const struct rt_stress_ends *ends)
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
	/* Who writes is acknowledged, and so is who reads: each is known at one end. */
	qp->ack_tx = first_known(TOTAL(from, ack_tx), TOTAL(to, ack_tx));
	qp->ack_rx = first_known(TOTAL(from, ack_rx), TOTAL(to, ack_rx));
	qp->nak_tx = first_known(TOTAL(from, nak_tx), TOTAL(to, nak_tx));
	qp->nak_rx = first_known(TOTAL(from, nak_rx), TOTAL(to, nak_rx));
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

/* Done is also who was stopped before all was sent: that flow did not complete. */
static void take_times(struct rt_stress_qp *qp, const struct rt_traffic_flow *flow,
		       const struct rt_stress_end *drives)
{
	const bool complete = flow->total_bytes && qp->state == RT_QP_DONE &&
			      qp->tx_bytes.value >= flow->total_bytes;

	qp->first_timestamp_ns = TOTAL(drives, first_ns);
	qp->last_timestamp_ns = TOTAL(drives, last_ns);
	if (complete && qp->last_timestamp_ns.known &&
	    qp->last_timestamp_ns.value >= flow->start_ns)
		qp->flow_completion_time_ns = RT_KNOWN_U64(qp->last_timestamp_ns.value -
							   flow->start_ns);
}

/*
 * Of flows that end after so many bytes the rate is over their own time: that of what
 * came at one instant is unknown, and nothing at all is 0 once there was time for it.
 */
struct rt_opt_u64 rt_stress_own_bps(const struct rt_stress_merging *merge,
				    struct rt_opt_u64 bytes, uint64_t ns)
{
	const struct rt_opt_u64 unknown = { 0 };

	if (!bytes.known)
		return unknown;
	if (ns)
		return RT_KNOWN_U64(rt_bytes_bps(bytes.value, ns));
	if (!bytes.value && merge->result->ran_ns >= merge->window.interval_ns)
		return RT_KNOWN_U64(0);
	return unknown;
}

static struct rt_opt_u64 qp_bps(const struct rt_stress_merging *merge,
				const struct rt_stress_qp *qp)
{
	const struct rt_series series = { qp->series, qp->series_count };
	uint64_t own_ns = 0;

	if (!merge->plan->sized)
		return (struct rt_opt_u64){
			rt_series_bps(series, &merge->window),
			qp->tx_bytes.known && merge->window.last > merge->window.first
		};
	if (qp->first_timestamp_ns.known && qp->last_timestamp_ns.known &&
	    qp->last_timestamp_ns.value > qp->first_timestamp_ns.value)
		own_ns = qp->last_timestamp_ns.value - qp->first_timestamp_ns.value;
	return rt_stress_own_bps(merge, qp->tx_bytes, own_ns);
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

static void take_addresses(struct rt_stress_qp *qp, const struct rt_stress_ends *ends)
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

static int merge_qp(const struct rt_stress_merging *merge,
		    const struct rt_traffic_flow *flow, struct rt_stress_qp *qp)
{
	const struct rt_stress_ends *ends = &merge->ends[flow->flow];
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
		.udp_sport = { flow->udp_sport, flow->udp_sport > 0 },
		.rate_cap_bps = { flow->rate_bps, flow->rate_bps > 0 },
	};
	snprintf(qp->flow_name, sizeof(qp->flow_name), "%.24s -> %.24s #%u",
		 merge->ranks[flow->from].name, merge->ranks[flow->to].name,
		 flow->flow);
	take_addresses(qp, ends);
	qp->tx_bytes = TOTAL(drives, bytes);
	qp->rx_bytes = TOTAL(ends->to, bytes);
	if (drives)
		qp->tx_late_bytes = drives->late_bytes;
	if (ends->to)
		qp->rx_late_bytes = ends->to->late_bytes;
	qp->message_tx = TOTAL(drives, messages);
	qp->message_complete_rx = TOTAL(ends->to, messages);
	if (drives)
		qp->latency = drives->latency;
	take_frames(qp, ends);
	take_state(qp, drives, drives == ends->from ? ends->to : ends->from);
	take_times(qp, flow, drives);
	r = take_series(qp, drives);
	qp->goodput_bps = qp_bps(merge, qp);
	return r;
}

static int merge_qps(struct rt_stress_merging *merge)
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

/* --- the victim ------------------------------------------------------------------- */

static struct rt_opt_f64 factor(struct rt_opt_u64 more, struct rt_opt_u64 less)
{
	if (!more.known || !less.known || !less.value)
		return (struct rt_opt_f64){ 0 };
	return RT_KNOWN_F64((double)more.value / (double)less.value);
}

/* What a scenario's victim shares with the load, since nobody says it. */
static unsigned victim_kind(const struct rt_stress_merging *merge,
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

static void merge_victim(const struct rt_stress_merging *merge,
			 const struct rt_stress_qp *qp, struct rt_stress_victim *victim)
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
		victim->loaded_bps.known = end->totals.bytes.known &&
					   end->late_bytes.known;
		victim->loaded_bps.value = rt_bytes_bps(end->totals.bytes.value -
								end->alone_bytes -
								end->late_bytes.value,
							ran_ns - plan->alone_ns);
	}
	victim->avg_factor = factor(victim->loaded.avg_ns, victim->alone.avg_ns);
	victim->p99_factor = factor(victim->loaded.p99_ns, victim->alone.p99_ns);
	victim->p999_factor = factor(victim->loaded.p999_ns, victim->alone.p999_ns);
	victim->throughput_factor = factor(victim->alone_bps, victim->loaded_bps);
}

static int merge_victims(struct rt_stress_merging *merge)
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

/* --- hosts ------------------------------------------------------------------------ */

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
	host->ring_drops = rank->report.ring_drops;
	host->strays = rank->report.strays;
	host->engine_late_ns = rank->report.engine_late_ns;
	host->connected = rank->ready.connected;
}

static int take_away(const struct rt_stress_rank *rank, struct rt_stress_host *host)
{
	const struct rt_stress_report *report = &rank->report;

	if (!report->away_count)
		return 0;
	host->away = calloc(report->away_count, sizeof(*host->away));
	if (!host->away)
		return -ENOMEM;
	memcpy(host->away, report->away, report->away_count * sizeof(*host->away));
	host->away_count = report->away_count;
	return 0;
}

/* What the end of the run cut off, though nothing went wrong. */
static void find_unfinished(const struct rt_stress_merging *merge)
{
	const struct rt_stress_plan *plan = merge->plan;
	struct rt_stress_result *result = merge->result;

	if (plan->wanted_ns > plan->total_ns)
		result->wanted_ns = plan->wanted_ns;
	for (size_t i = 0; i < result->qp_count; i++) {
		const struct rt_stress_qp *qp = &result->qps[i];
		const uint64_t total_bytes = plan->flows[qp->flow].total_bytes;

		result->unfinished += !qp->victim && qp->state != RT_QP_STOPPED &&
				      qp->tx_bytes.known &&
				      qp->tx_bytes.value < total_bytes;
	}
}

static int merge_hosts(struct rt_stress_merging *merge)
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
		if (take_away(&merge->ranks[r], host) < 0)
			return -ENOMEM;
		host->rank = r;
		if (host->ring_drops.known)
			result->ring_drops = RT_KNOWN_U64(result->ring_drops.value +
							  host->ring_drops.value);
		result->ranks_lost += host->lost;
		if (host->clock_error_ns.known &&
		    host->clock_error_ns.value >= result->clock_error_ns.value)
			result->clock_error_ns = host->clock_error_ns;
		/* A rank asks for the end of damage, or of its own interruption. */
		result->damaged |= !host->lost && merge->ranks[r].report.asked &&
				   strcmp(host->why, "interrupted") != 0;
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
	RT_AUTO(rt_auto_free) struct rt_stress_ends *ends = NULL;
	struct rt_stress_result result = { .time_ns = plan->total_ns,
					   .alone_ns = plan->alone_ns,
					   .lossless = plan->lossless };
	struct rt_stress_merging merge = { plan, ranks, &result, NULL, { 0 }, 0, utf8 };
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
	if (r == 0) {
		find_unfinished(&merge);
		r = rt_stress_merge_roles(&merge);
	}
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
