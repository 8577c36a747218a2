/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_share.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "run/stress_merge.h"

static struct rt_series series_of(const struct rt_stress_sender *sender)
{
	return (struct rt_series){ sender->series, sender->series_count };
}

bool rt_stress_tells(const struct rt_stress_sender *sender)
{
	return !sender->stopped && !sender->lost && sender->goodput_bps.known;
}

/* --- fairness --------------------------------------------------------------------- */

/* Rates of the senders that tell something, in values; how many there are. */
static size_t living_rates(const struct rt_stress_result *result, uint64_t *values)
{
	size_t count = 0;

	for (size_t i = 0; i < result->sender_count; i++)
		if (rt_stress_tells(&result->senders[i]))
			values[count++] = result->senders[i].goodput_bps.value;
	return count;
}

static void find_slowest(struct rt_stress_result *result)
{
	const struct rt_stress_sender *slowest = NULL;
	uint64_t fastest = 0;

	for (size_t i = 0; i < result->sender_count; i++) {
		const struct rt_stress_sender *sender = &result->senders[i];

		if (!rt_stress_tells(sender))
			continue;
		if (!slowest || sender->goodput_bps.value < slowest->goodput_bps.value)
			slowest = sender;
		if (sender->goodput_bps.value > fastest)
			fastest = sender->goodput_bps.value;
	}
	if (!slowest || result->sender_count < 2)
		return;
	memcpy(result->slowest, slowest->name, sizeof(result->slowest));
	result->slowest_bps = slowest->goodput_bps;
	result->fastest_bps = RT_KNOWN_U64(fastest);
	if (fastest)
		result->spread = RT_KNOWN_F64(
			(double)(fastest - slowest->goodput_bps.value) /
			(double)fastest);
}

/* Jain's index of each interval of the window. */
static void judge_intervals(const struct rt_window *window, uint64_t *values,
			    struct rt_stress_result *result)
{
	double sum = 0;
	size_t judged = 0;

	for (size_t at = window->first; at < window->last; at++) {
		struct rt_opt_f64 jain;
		size_t count = 0;

		for (size_t i = 0; i < result->sender_count; i++) {
			const struct rt_stress_sender *sender = &result->senders[i];

			if (rt_stress_tells(sender))
				values[count++] = at < sender->series_count
							  ? sender->series[at]
							  : 0;
		}
		jain = rt_series_jain(values, count);
		if (!jain.known)
			continue;
		sum += jain.value;
		judged++;
		if (!result->jain_least.known || jain.value < result->jain_least.value)
			result->jain_least = jain;
	}
	if (judged)
		result->jain_mean = RT_KNOWN_F64(sum / (double)judged);
}

/* The same number of queue pairs each; the plan says the rest. */
static bool senders_are_alike(const struct rt_stress_plan *plan,
			      const struct rt_stress_result *result)
{
	for (size_t i = 1; i < result->sender_count; i++)
		if (result->senders[i].qps != result->senders[0].qps)
			return false;
	return plan->even && result->sender_count > 1;
}

static int judge_fairness(const struct rt_stress_plan *plan,
			  const struct rt_window *window,
			  struct rt_stress_result *result)
{
	RT_AUTO(rt_auto_free) uint64_t *values = NULL;

	values = calloc(result->sender_count + 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	find_slowest(result);
	result->jain = rt_series_jain(values, living_rates(result, values));
	if (!plan->sized)
		judge_intervals(window, values, result);
	/* Before all were to send, some had more time than others. */
	result->jain_judged = senders_are_alike(plan, result) &&
			      (plan->sized ||
			       result->hold_from_ns >= plan->hold_from_ns) &&
			      window->last > window->first;
	return 0;
}

/* --- the rest --------------------------------------------------------------------- */

static void judge_start(struct rt_stress_result *result)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < result->sender_count; i++) {
		const struct rt_opt_u64 *late = &result->senders[i].start_late_ns;

		if (!late->known)
			continue;
		least = late->value < least ? late->value : least;
		most = late->value > most ? late->value : most;
	}
	if (most >= least)
		result->start_skew_ns = RT_KNOWN_U64(most - least);
}

/*
 * What a link carries of payload at most: packets of the path's MTU, or of its messages
 * where they are shorter, each with headers, FCS, preamble and gap (IEEE 802.3 4.2.3).
 */
static struct rt_opt_f64 most_of_link(const struct rt_stress_plan *plan,
				      const struct rt_stress_result *result,
				      uint32_t rank)
{
	const struct rt_wire_format *wire = &plan->laws.wire;
	const struct rt_opt_u64 *told = &result->hosts[rank].mtu_bytes;
	const double mtu = (double)(told->known ? told->value : plan->laws.mtu_bytes);
	double bytes = 0, messages = 0, payload = mtu;

	for (size_t i = 0; i < result->qp_count; i++) {
		const struct rt_stress_qp *qp = &result->qps[i];

		if (qp->to != rank || qp->victim || !qp->tx_bytes.known)
			continue;
		bytes += (double)qp->tx_bytes.value;
		messages += (double)qp->message_tx.value;
	}
	if (messages > 0 && bytes / messages < mtu)
		payload = bytes / messages;
	if (payload <= 0)
		return (struct rt_opt_f64){ 0 };
	return RT_KNOWN_F64(
		100 * payload /
		(payload + wire->data_overhead + wire->lead_bytes + wire->gap_bytes));
}

static void judge_receivers(const struct rt_stress_plan *plan,
			    struct rt_stress_result *result)
{
	for (size_t i = 0; i < result->receiver_count; i++) {
		struct rt_stress_receiver *receiver = &result->receivers[i];

		receiver->most_pct = most_of_link(plan, result, receiver->rank);
		if (i == 0)
			result->goodput_bps.known = true;
		result->goodput_bps.known &= receiver->goodput_bps.known;
		result->goodput_bps.value += receiver->goodput_bps.value;
		if (receiver->goodput_bps.known && receiver->speed_bps.known &&
		    receiver->speed_bps.value)
			receiver->share_pct = RT_KNOWN_F64(
				(double)receiver->goodput_bps.value * 100 /
				(double)receiver->speed_bps.value);
	}
}

static void draw_bars(size_t intervals, bool utf8, struct rt_stress_result *result)
{
	struct rt_bars bars = { .intervals = intervals,
				.columns = RT_STRESS_BARS,
				.utf8 = utf8 };

	for (size_t i = 0; i < result->sender_count; i++)
		for (size_t at = 0; at < result->senders[i].series_count; at++)
			if (result->senders[i].series[at] > bars.most)
				bars.most = result->senders[i].series[at];
	for (size_t i = 0; i < result->sender_count; i++) {
		struct rt_stress_sender *sender = &result->senders[i];

		if (sender->series_count) /* else it is not known */
			rt_series_bars(series_of(sender), &bars, sender->bars,
				       sizeof(sender->bars));
	}
}

int rt_stress_share(const struct rt_stress_plan *plan, const struct rt_window *window,
		    size_t intervals, bool utf8, struct rt_stress_result *result)
{
	int r;

	result->dips = calloc(RT_STRESS_DIPS_LISTED, sizeof(*result->dips));
	if (!result->dips)
		return -ENOMEM;
	r = rt_stress_swing(plan, window, result);
	if (r < 0)
		return r;
	judge_start(result);
	judge_receivers(plan, result);
	draw_bars(intervals, utf8, result);
	return judge_fairness(plan, window, result);
}
