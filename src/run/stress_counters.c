/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/counters.h"
#include "rocetune/units.h"

/* --- what a port tells of its host's part ----------------------------------------- */

static void fill(struct rt_opt_u64 *value, const struct rt_counter_set *moved,
		 enum rt_counter_id id)
{
	if (!value->known)
		*value = rt_counter_total(moved, id);
}

/*
 * CNPs that came: where they are not counted as such, those that were handled and those
 * that were not.  How often the rate was cut is neither of them.
 */
static void fill_cnps(struct rt_opt_u64 *value, const struct rt_counter_set *moved)
{
	const struct rt_opt_u64 handled = rt_counter_total(moved,
							   RT_COUNTER_CNP_HANDLED);
	const struct rt_opt_u64 ignored = rt_counter_total(moved,
							   RT_COUNTER_CNP_IGNORED);

	if (!value->known && handled.known)
		*value = RT_KNOWN_U64(handled.value + ignored.value);
}

/*
 * The priority that stood still longest, of those that the host sends on, or answers
 * on, over the time between the two readings.
 */
static void fill_paused(struct rt_opt_f64 *paused_pct,
			const struct rt_stress_rank *rank,
			const struct rt_counter_set *moved, bool sends)
{
	if (paused_pct->known || moved->elapsed_ns <= 0)
		return;
	for (size_t i = 0; i < rank->job.flow_count; i++) {
		const struct rt_traffic_flow *flow = &rank->job.flows[i];
		const struct rt_opt_u64 ns = rt_counter_value(
			moved, RT_COUNTER_PFC_RX_NS, flow->prio);
		const double share = (double)ns.value * 100 / (double)moved->elapsed_ns;
		const double pct = share < 100 ? share : 100;

		if ((flow->from == rank->job.rank) != sends || flow->victim ||
		    !ns.known)
			continue;
		if (!paused_pct->known || pct > paused_pct->value)
			*paused_pct = RT_KNOWN_F64(pct);
	}
}

static void fill_parts(const struct rt_stress_rank *rank, uint32_t number,
		       const struct rt_counter_set *moved,
		       struct rt_stress_result *result)
{
	for (size_t i = 0; i < result->sender_count; i++) {
		struct rt_stress_sender *sender = &result->senders[i];

		if (sender->rank != number)
			continue;
		fill(&sender->cnp_rx, moved, RT_COUNTER_CNP_RX);
		fill_cnps(&sender->cnp_rx, moved);
		fill(&sender->nak_rx, moved, RT_COUNTER_SEQ_NAKS_RX);
		fill(&sender->timeouts, moved, RT_COUNTER_ACK_TIMEOUTS);
		fill_paused(&sender->paused_pct, rank, moved, true);
	}
	for (size_t i = 0; i < result->receiver_count; i++) {
		struct rt_stress_receiver *receiver = &result->receivers[i];

		if (receiver->rank != number)
			continue;
		fill(&receiver->ecn_ce_rx, moved, RT_COUNTER_CE_RX);
		fill(&receiver->cnp_tx, moved, RT_COUNTER_CNP_TX);
		fill(&receiver->frame_sequence_error, moved,
		     RT_COUNTER_OUT_OF_SEQUENCE);
		fill_paused(&receiver->paused_pct, rank, moved, false);
	}
}

/* --- rows ------------------------------------------------------------------------- */

static void make_row(const struct rt_stress_rank *rank, uint32_t number,
		     const struct rt_counter_reading *before,
		     const struct rt_counter_set *moved, struct rt_stress_counter *row)
{
	const struct rt_counter_set *after = &rank->report.after;
	const struct rt_counter *counter = &rt_counters[before->counter];
	char text[RT_UNIT_TEXT_BYTES];

	*row = (struct rt_stress_counter){
		.rank = number,
		.counter = before->counter,
		.elapsed_ns = moved->elapsed_ns > 0 ? (uint64_t)moved->elapsed_ns : 0,
		.before = RT_KNOWN_U64(before->value)
	};
	memcpy(row->host, rank->name, sizeof(row->host));
	snprintf(row->port, sizeof(row->port), "%s",
		 *after->device ? after->device : after->netdev);
	snprintf(row->label, sizeof(row->label), "%s", counter->label);
	memcpy(row->name, before->name, sizeof(row->name));
	if (before->prio != RT_COUNTER_NO_PRIO)
		row->prio = RT_KNOWN_U64(before->prio);
	row->after = rt_counter_value(after, before->counter, before->prio);
	row->difference = rt_counter_value(moved, before->counter, before->prio);
	if (row->difference.known)
		snprintf(row->moved, sizeof(row->moved), "+%s",
			 rt_unit_format(counter->unit, row->difference.value, text));
}

/* What is to be read first: it moved, and is not bytes and frames, which always do. */
static bool is_news(const struct rt_stress_counter *row)
{
	if (row->difference.known && !row->difference.value)
		return false;
	switch (row->counter) {
	case RT_COUNTER_NETDEV_RX_BYTES:
	case RT_COUNTER_NETDEV_RX_PACKETS:
	case RT_COUNTER_NETDEV_TX_BYTES:
	case RT_COUNTER_NETDEV_TX_PACKETS: return false;
	default: return rt_counters[row->counter].group != RT_COUNTERS_TRAFFIC;
	}
}

/* News first; then in the order of the catalogue, and of hosts. */
static int compare_rows(const void *a, const void *b)
{
	const struct rt_stress_counter *left = a, *right = b;
	const uint64_t keys[][2] = {
		{ !is_news(left), !is_news(right) },
		{ left->counter, right->counter },
		{ left->rank, right->rank },
		{ left->prio.value, right->prio.value },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static int take_rank(const struct rt_stress_rank *rank, uint32_t number,
		     struct rt_stress_result *result)
{
	const struct rt_counter_set *before = &rank->report.before;
	const struct rt_counter_set *after = &rank->report.after;
	struct rt_counter_set moved = { 0 };
	int r;

	if (!rank->reported || !before->count || !after->count)
		return 0;
	r = rt_counters_diff(before, after, &moved, NULL);
	if (r == -ENOMEM)
		return r;
	for (size_t i = 0; r == 0 && i < before->count; i++)
		make_row(rank, number, &before->items[i], &moved,
			 &result->counters[result->counter_count++]);
	if (r == 0)
		fill_parts(rank, number, &moved, result);
	rt_counter_set_free(&moved);
	return 0;
}

int rt_stress_take_counters(const struct rt_stress_rank *ranks,
			    struct rt_stress_result *result)
{
	size_t most = 0;
	int r = 0;

	for (uint32_t i = 0; i < result->ranks; i++)
		most += ranks[i].report.before.count;
	result->counters = calloc(most + 1, sizeof(*result->counters));
	if (!result->counters)
		return -ENOMEM;
	for (uint32_t i = 0; i < result->ranks && r == 0; i++)
		r = take_rank(&ranks[i], i, result);
	qsort(result->counters, result->counter_count, sizeof(*result->counters),
	      compare_rows);
	while (result->counter_count &&
	       !is_news(&result->counters[result->counter_count - 1])) {
		result->counter_count--;
		result->other_counter_count++;
	}
	result->other_counters = &result->counters[result->counter_count];
	return r;
}
