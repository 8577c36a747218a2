/* SPDX-License-Identifier: BSD-2-Clause */
/* sequence_result.c - streams as rows of the result, largest first. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/sequence.h"
#include "analysis/stage.h"
#include "base/own.h"
#include "base/pages.h"
#include "rocetune/err.h"

/* A rewind repeats more frames than this where a sender goes back N. */
#define WINDOW_FRAMES 4

/* What rows are sorted by; comparing flows themselves would chase pointers. */
struct order {
	uint64_t payload_bytes, first_frame;
	uint32_t flow;
};

static int by_size(const void *a, const void *b)
{
	const struct order *first = a, *second = b;

	if (first->payload_bytes != second->payload_bytes)
		return first->payload_bytes < second->payload_bytes ? 1 : -1;
	if (first->first_frame != second->first_frame)
		return first->first_frame < second->first_frame ? -1 : 1;
	return first->flow < second->flow ? -1 : first->flow > second->flow;
}

static void fill_identity(const struct rt_stage_context *context, uint32_t index,
			  char (*addresses)[RT_IP_TEXT_BYTES],
			  struct rt_analysis_flow *row)
{
	const struct rt_flow *flow = rt_flow_at(&context->flows, index);
	const struct rt_pair *pair = &context->flows.pairs[flow->pair];
	const uint16_t mtu = flow->mtu ? flow->mtu : pair->mtu;
	const struct rt_flow_more *more = rt_flow_more_at(&context->flows, index);
	const struct rt_flow_events *events = rt_flow_events_of(more);
	const uint64_t span_ns = rt_elapsed_ns(more->first_ns, flow->last_ns);

	row->src = addresses[2 * (size_t)flow->pair];
	row->dst = addresses[2 * (size_t)flow->pair + 1];
	row->interface = flow->interface;
	row->dest_qp = flow->dest_qp;
	row->return_seen = pair->reverse != RT_NO_INDEX ||
			   context->flows.pairs[pair->root].reverse != RT_NO_INDEX;
	if (flow->transport == RT_TRANSPORT_UD) {
		row->src_qp = RT_KNOWN_U64(flow->src_qp);
		row->pairing = RT_FLOW_IN_PACKET;
	} else if (more->connection != RT_NO_INDEX) {
		row->src_qp = RT_KNOWN_U64(more->connected_qp);
		row->pairing = RT_FLOW_BY_CM;
	}
	row->answered = more->answered;
	row->stream = flow->stream;
	row->transport = flow->transport;
	row->first_frame = more->first_frame;
	row->dscp = flow->dscp;
	row->udp_sport = flow->udp_sport;
	if (mtu)
		row->mtu_bytes = RT_KNOWN_U64(mtu);
	row->start_ns = rt_elapsed_ns(context->min_ns, more->first_ns);
	row->duration_ns = span_ns;
	row->goodput_bps = rt_rate_bps(flow->payload_bytes - events->resent_bytes -
					       events->bad_bytes,
				       span_ns);
}

static void fill_counts(const struct rt_flow *flow, const struct rt_flow_more *more,
			struct rt_analysis_flow *row)
{
	const struct rt_flow_events *events = rt_flow_events_of(more);
	struct rt_holes_lost lost = events->lost;

	rt_holes_sum(events->holes, &lost);
	row->ecn = (struct rt_analysis_ecn){ .not_ect = flow->ecn[RT_ECN_NOT_ECT],
					     .ect1 = flow->ecn[RT_ECN_ECT1],
					     .ect0 = flow->ecn[RT_ECN_ECT0],
					     .ce = flow->ecn[RT_ECN_CE] };
	row->frames = flow->ecn[0] + flow->ecn[1] + flow->ecn[2] + flow->ecn[3];
	row->messages = flow->messages;
	row->payload_bytes = flow->payload_bytes;
	row->resent_bytes = events->resent_bytes;
	row->p_gaps = events->p_gaps;
	row->p_skipped = events->p_skipped;
	row->p_rewinds = events->p_rewinds;
	row->h_gaps = events->h_gaps;
	row->h_skipped = events->h_skipped;
	row->h_episodes = events->h_episodes;
	row->h_behind = events->h_behind;
	row->reordered = events->reordered;
	row->repaired = events->repaired + !!(flow->flags & RT_FLOW_DOUBT);
	row->undecided = events->undecided;
	/* Windows come again, and whether NAKs came before them is out of sight. */
	if (!row->return_seen && row->h_behind > WINDOW_FRAMES * row->p_rewinds) {
		row->undecided += row->reordered;
		row->reordered = 0;
	}
	row->between_gaps = events->between_gaps;
	row->bad_gaps = events->bad_gaps;
	row->bad_h_gaps = events->bad_h_gaps;
	row->bad_bytes = events->bad_bytes;
	row->holes_given_up = lost.given_up;
	row->acked_holes = lost.acked;
	row->acked_psns = lost.acked_psns;
	row->rewinds_nak = events->rewinds_nak;
	row->rewinds_rnr = events->rewinds_rnr;
	row->rewinds_alone = events->rewinds_alone;
	row->silence_ns = events->silence_ns;
	row->longest_silence_ns = events->longest_silence_ns;
	if (rt_flow_resends(flow) && row->return_seen &&
	    events->reordered <= row->repaired + row->undecided)
		row->timeouts = RT_KNOWN_U64(events->timeouts);
	row->timeout_silence_ns = events->timeout_silence_ns;
	row->rnr_silence_ns = events->rnr_silence_ns;
	if (events->rewinds_nak + events->rewinds_rnr)
		row->nak_to_resend_ns = RT_KNOWN_U64(
			events->nak_to_resend_ns /
			(events->rewinds_nak + events->rewinds_rnr));
	row->icrc_ok = more->icrc_ok;
	row->icrc_bad = more->icrc_bad;
	row->copies = more->copies;
	row->seen_before = more->seen_before;
	if (more->seen_before)
		row->seen_lag_ns = RT_KNOWN_U64(more->seen_lag_ns);
}

static void add(struct rt_opt_u64 *sum, uint64_t more)
{
	*sum = RT_KNOWN_U64(sum->value + more);
}

/* What answered a stream came on another flow. */
static void add_answers(const struct rt_flow *answers, const struct rt_flow_more *more,
			struct rt_analysis_flow *row)
{
	const struct rt_flow_events *events = rt_flow_events_of(more);

	row->return_seen = true;
	add(&row->acks, more->acks);
	add(&row->naks, events->naks);
	add(&row->rnr_naks, events->rnr_naks);
	add(&row->other_naks, events->other_naks);
	add(&row->rnr_wait_ns, events->rnr_wait_ns);
	if (!row->rnr_longest_ns.known ||
	    events->rnr_longest_ns > row->rnr_longest_ns.value)
		row->rnr_longest_ns = RT_KNOWN_U64(events->rnr_longest_ns);
	if (row->pairing != RT_FLOW_UNPAIRED)
		return;
	row->src_qp = RT_KNOWN_U64(answers->dest_qp);
	row->pairing = RT_FLOW_INFERRED;
}

static void sum_row(struct rt_analysis_sequence *sum,
		    const struct rt_analysis_flow *row)
{
	sum->streams++;
	sum->frames += row->frames;
	sum->payload_bytes += row->payload_bytes;
	sum->messages += row->messages;
	sum->resent_bytes += row->resent_bytes;
	sum->p_gaps += row->p_gaps;
	sum->p_skipped += row->p_skipped;
	sum->p_rewinds += row->p_rewinds;
	sum->h_gaps += row->h_gaps;
	sum->h_skipped += row->h_skipped;
	sum->h_episodes += row->h_episodes;
	sum->h_behind += row->h_behind;
	sum->reordered += row->reordered;
	sum->repaired += row->repaired;
	sum->undecided += row->undecided;
	sum->holes_given_up += row->holes_given_up;
	sum->acked_holes += row->acked_holes;
	sum->acked_psns += row->acked_psns;
	sum->rewinds_nak += row->rewinds_nak;
	sum->rewinds_rnr += row->rewinds_rnr;
	sum->rewinds_alone += row->rewinds_alone;
	/* At most what an integer of JSON holds: a damaged file has centuries. */
	if (sum->silence_ns > INT64_MAX - row->silence_ns)
		sum->silence_ns = INT64_MAX - row->silence_ns;
	sum->silence_ns += row->silence_ns;
	sum->timeouts += row->timeouts.value;
}

/*
 * The streams that count, or the copies at other interfaces, in the order of
 * their rows; *ret_order is the caller's.
 */
static int sort_streams(const struct rt_flows *flows, bool copies,
			struct order **ret_order, size_t *ret_count, struct rt_err *err)
{
	struct order *order = calloc((size_t)flows->count + 1, sizeof(*order));
	size_t count = 0;

	if (!order)
		return rt_err_sys(err, -ENOMEM, "cannot hold the flows");
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow *flow = rt_flow_at(flows, i);

		if (flow->stream != RT_STREAM_NONE &&
		    copies != rt_flow_counts(flows, i))
			order[count++] = (struct order){
				.payload_bytes = flow->payload_bytes,
				.first_frame = rt_flow_more_at(flows, i)->first_frame,
				.flow = i,
			};
	}
	qsort(order, count, sizeof(*order), by_size);
	*ret_order = order;
	*ret_count = count;
	return 0;
}

/* Source and destination of each pair, which many flows may have. */
static int format_addresses(const struct rt_flows *flows,
			    struct rt_analysis_sequence *sequence, struct rt_err *err)
{
	sequence->addresses = calloc(2 * flows->pair_count + 1,
				     sizeof(*sequence->addresses));
	if (!sequence->addresses)
		return rt_err_sys(err, -ENOMEM, "cannot hold the addresses");
	for (size_t i = 0; i < flows->pair_count; i++) {
		const struct rt_pair *pair = &flows->pairs[i];

		rt_flow_addr_format(pair->src, pair->src_version,
				    sequence->addresses[2 * i]);
		rt_flow_addr_format(pair->dst, pair->dst_version,
				    sequence->addresses[2 * i + 1]);
	}
	return 0;
}

static int fill_rows(const struct rt_stage_context *context, bool copies,
		     char (*addresses)[RT_IP_TEXT_BYTES],
		     struct rt_analysis_flow **ret_rows, size_t *ret_count,
		     struct rt_err *err)
{
	const struct rt_flows *flows = &context->flows;
	RT_AUTO(rt_auto_free) struct order *order = NULL;
	struct rt_analysis_flow *rows;
	size_t count;
	int r = sort_streams(flows, copies, &order, &count, err);

	if (r < 0)
		return r;
	rows = calloc(count + 1, sizeof(*rows));
	if (!rows)
		return rt_err_sys(err, -ENOMEM, "cannot hold the flows");
	rt_pages_dense(rows, count * sizeof(*rows));
	for (size_t i = 0; i < count; i++) {
		struct rt_flow_more *more = rt_flow_more_at(flows, order[i].flow);

		more->row = (uint32_t)i;
		fill_identity(context, order[i].flow, addresses, &rows[i]);
		fill_counts(rt_flow_at(flows, order[i].flow), more, &rows[i]);
		if (rt_sightings_any(flows->sightings))
			rows[i].lookalikes = RT_KNOWN_U64(more->lookalikes);
	}
	*ret_rows = rows;
	*ret_count = count;
	return 0;
}

/* Gaps here and none there: the packets got lost between the two. */
static void compare_copies(const struct rt_flows *flows,
			   struct rt_analysis_sequence *sequence)
{
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow *flow = rt_flow_at(flows, i);
		const struct rt_flow_more *more = rt_flow_more_at(flows, i);
		struct rt_analysis_flow *row;

		if (flow->stream == RT_STREAM_NONE || rt_flow_counts(flows, i) ||
		    rt_flow_events_of(more)->p_gaps > 0)
			continue;
		row = &sequence->flows[rt_flow_more_at(flows, more->primary)->row];
		if (row->p_gaps > 0 && row->frames < rt_ecn_sum(flow->ecn))
			row->whole_at = RT_KNOWN_U64(flow->interface);
	}
}

/* READ responses come from the QP that the requests they answer went to. */
static void pair_responses(const struct rt_flows *flows, uint32_t index,
			   struct rt_analysis_flow *rows)
{
	const struct rt_flow_more *more = rt_flow_more_at(flows, index);
	struct rt_analysis_flow *row;

	if (rt_flow_at(flows, index)->stream != RT_STREAM_RESPONSE || !more->peer_sure)
		return;
	row = &rows[more->row];
	if (row->pairing != RT_FLOW_UNPAIRED)
		return;
	row->src_qp = RT_KNOWN_U64(rt_flow_at(flows, more->peer)->dest_qp);
	row->pairing = RT_FLOW_INFERRED;
}

/* Answers to a stream, from where they count, go to the row that counts. */
static void add_all_answers(const struct rt_flows *flows,
			    struct rt_analysis_sequence *sequence)
{
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow_more *more = rt_flow_more_at(flows, i);
		const struct rt_flow_events *events = rt_flow_events_of(more);
		uint32_t stream;

		if (!rt_flow_counts(flows, i))
			continue;
		sequence->naks += events->naks;
		sequence->rnr_naks += events->rnr_naks;
		sequence->other_naks += events->other_naks;
		sequence->rnr_wait_ns += events->rnr_wait_ns;
		if (more->peer == RT_NO_INDEX)
			continue;
		pair_responses(flows, i, sequence->flows);
		stream = rt_flow_more_at(flows, more->peer)->primary;
		add_answers(rt_flow_at(flows, i), more,
			    &sequence->flows[rt_flow_more_at(flows, stream)->row]);
	}
}

int rt_sequence_result(struct rt_stage_context *context,
		       struct rt_analysis_sequence *sequence, struct rt_err *err)
{
	int r = format_addresses(&context->flows, sequence, err);

	if (r == 0)
		r = fill_rows(context, false, sequence->addresses, &sequence->flows,
			      &sequence->flow_count, err);
	if (r == 0)
		r = fill_rows(context, true, sequence->addresses, &sequence->copies,
			      &sequence->copy_count, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sequence->flow_count; i++)
		sum_row(sequence, &sequence->flows[i]);
	compare_copies(&context->flows, sequence);
	add_all_answers(&context->flows, sequence);
	sequence->overflow = context->flows.overflow;
	return 0;
}
