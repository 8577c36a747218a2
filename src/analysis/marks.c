/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks.c - ECN marks and the CNPs that answer them.
 *
 * A CNP goes from the receiver of marked data to its sender and names the QP at
 * the sender's side (IBTA A17.9.3), a number that data packets do not carry.
 * ACKs do: they go to the same QP.  So a CNP slows the stream that the ACKs
 * toward that QP answer, or the READ responses that this QP's requests asked
 * for.  Where the ACKs fit several streams their CNPs are not added to any.
 * Where no ACK was seen, two guesses are left, and the result says which was
 * used.  UDP source ports are no help: NICs send CNPs from any.
 */
#include "analysis/marks.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/stage.h"
#include "base/own.h"
#include "rocetune/err.h"

int rt_marks_take_cnp(struct rt_flow_more *more, const struct rt_frame *frame,
		      struct rt_err *err)
{
	const int r = rt_flow_need_events(more, err);
	struct rt_flow_events *events = more->events;

	if (r < 0)
		return r;
	if (events->cnps++ == 0) {
		events->cnp_first_ns = frame->time_ns;
	} else {
		const uint64_t since = rt_elapsed_ns(events->cnp_last_ns,
						     frame->time_ns);

		if (events->cnps == 2 || since < events->cnp_min_ns)
			events->cnp_min_ns = since;
	}
	events->cnp_last_ns = frame->time_ns;
	rt_ip_ids_take(&events->cnp_ids, frame);
	return 0;
}

int rt_marks_take_ask(struct rt_flow_more *more, const struct rt_frame *frame,
		      struct rt_err *err)
{
	const int r = rt_flow_need_events(more, err);

	if (r == 0)
		more->events->asks_ecn[frame->ecn & 3]++;
	return r;
}

static uint64_t cnps_of(const struct rt_flows *flows, uint32_t index)
{
	return rt_flow_events_of(rt_flow_more_at(flows, index))->cnps;
}

/* --- which flow a CNP slows -------------------------------------------------- */

struct match {
	enum rt_cnp_match how;
	uint32_t flow; /* RT_NO_INDEX: several, or none */
};

/* By what a stream is known to be slowed by the CNPs to a QP. */
enum answer {
	ANSWERS_NOT,
	ANSWERS_PERHAPS,
	ANSWERS
};

static enum answer by_acks(const struct rt_flow_more *acks)
{
	return acks->peer_sure ? ANSWERS : ANSWERS_PERHAPS;
}

static enum answer answers(const struct rt_flows *flows, uint32_t cnp_flow,
			   uint32_t data_flow)
{
	const struct rt_flow *cnp = rt_flow_at(flows, cnp_flow);
	const struct rt_flow *data = rt_flow_at(flows, data_flow);
	const struct rt_flow_more *more = rt_flow_more_at(flows, data_flow);

	if (rt_flow_more_at(flows, cnp_flow)->peer == data_flow)
		return by_acks(rt_flow_more_at(flows, cnp_flow));
	if (more->connection != RT_NO_INDEX)
		return more->connected_qp == cnp->dest_qp ? ANSWERS : ANSWERS_NOT;
	/* READ responses from the QP that the requests went to. */
	if (data->stream == RT_STREAM_RESPONSE && more->peer != RT_NO_INDEX) {
		const struct rt_flow *request = rt_flow_at(flows, more->peer);

		if (request->dest_qp == cnp->dest_qp && request->pair == cnp->pair)
			return by_acks(more);
	}
	/* UD says its source QP itself. */
	return data->transport == 3 && data->src_qp == cnp->dest_qp ? ANSWERS
								    : ANSWERS_NOT;
}

static bool carries_data(const struct rt_flow *flow)
{
	return flow->stream != RT_STREAM_NONE && flow->payload_bytes > 0;
}

/* A stream whose ACKs go to another QP is not slowed by CNPs to this one. */
static bool may_slow(const struct rt_flows *flows, uint32_t cnp_flow, uint32_t at)
{
	const struct rt_flow_more *more = rt_flow_more_at(flows, at);

	return carries_data(rt_flow_at(flows, at)) &&
	       (more->answered != RT_FLOW_ANSWERED ||
		more->answer_qp == rt_flow_at(flows, cnp_flow)->dest_qp);
}

static struct match match_cnps(const struct rt_flows *flows, uint32_t cnp_flow)
{
	const struct rt_flow *cnp = rt_flow_at(flows, cnp_flow);
	const uint32_t back = flows->pairs[cnp->pair].reverse;
	uint32_t data_flows = 0, only = RT_NO_INDEX, same = RT_NO_INDEX, steps = 0;
	uint32_t perhaps = RT_NO_INDEX, ambiguous = 0;

	if (back == RT_NO_INDEX)
		return (struct match){ RT_CNP_UNMATCHED, RT_NO_INDEX };
	for (uint32_t at = flows->pairs[back].last_flow; at != RT_NO_INDEX;
	     at = rt_flow_more_at(flows, at)->next_in_pair) {
		const enum answer answer = answers(flows, cnp_flow, at);

		if (steps++ == RT_FLOW_CANDIDATES)
			return (struct match){ RT_CNP_UNMATCHED, RT_NO_INDEX };
		if (!may_slow(flows, cnp_flow, at))
			continue;
		if (answer == ANSWERS)
			return (struct match){ RT_CNP_PAIRED, at };
		perhaps = answer == ANSWERS_PERHAPS ? at : perhaps;
		ambiguous += rt_flow_more_at(flows, at)->answered >= RT_FLOW_GUESSED;
		data_flows++;
		only = at;
		if (rt_flow_at(flows, at)->dest_qp == cnp->dest_qp)
			same = at;
	}
	if (perhaps != RT_NO_INDEX)
		return (struct match){ RT_CNP_GUESSED, perhaps };
	if (ambiguous)
		return (struct match){ RT_CNP_AMBIGUOUS, RT_NO_INDEX };
	if (data_flows == 1)
		return (struct match){ RT_CNP_ONLY_FLOW, only };
	if (same != RT_NO_INDEX)
		return (struct match){ RT_CNP_SAME_NUMBER, same };
	return (struct match){ RT_CNP_UNMATCHED, RT_NO_INDEX };
}

/* --- result ---------------------------------------------------------------- */

static void fill_cnp_row(const struct rt_flows *flows, uint32_t index,
			 const struct match *match, struct rt_analysis_cnp *row)
{
	const struct rt_flow *flow = rt_flow_at(flows, index);
	const struct rt_flow_events *events = rt_flow_events_of(
		rt_flow_more_at(flows, index));
	const struct rt_pair *pair = &flows->pairs[flow->pair];

	rt_flow_addr_format(pair->src, pair->src_version, row->from);
	rt_flow_addr_format(pair->dst, pair->dst_version, row->to);
	row->dest_qp = flow->dest_qp;
	row->cnps = events->cnps;
	row->match = match->how;
	if (events->cnps > 1) {
		row->min_interval_ns = RT_KNOWN_U64(events->cnp_min_ns);
		row->mean_interval_ns = RT_KNOWN_U64(
			rt_elapsed_ns(events->cnp_first_ns, events->cnp_last_ns) /
			(events->cnps - 1));
	}
	if (match->flow != RT_NO_INDEX) {
		const struct rt_flow *slowed = rt_flow_at(flows, match->flow);

		row->flow_dest_qp = RT_KNOWN_U64(slowed->dest_qp);
		row->flow_ce = RT_KNOWN_U64(slowed->ecn[RT_ECN_CE]);
	}
}

/* The rows of sequence carry the CNPs that slow their stream. */
static void add_cnps(const struct rt_flows *flows, struct rt_analysis *result,
		     uint32_t flow, uint64_t cnps)
{
	struct rt_opt_u64 *sum =
		&result->sequence.flows[rt_flow_more_at(flows, flow)->row].cnps;

	*sum = RT_KNOWN_U64(sum->value + cnps);
}

/* A packet counts once, where its flow counts, or its flow had no room. */
static void count_totals(const struct rt_flows *flows, const struct marks *others,
			 struct rt_analysis_marks *marks)
{
	marks->cnps = others->cnps;
	marks->data_frames = others->data_frames;
	marks->data_ce = others->data_ce;
	marks->data_not_ect = others->data_not_ect;
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow *flow = rt_flow_at(flows, i);
		const uint64_t *asks =
			rt_flow_events_of(rt_flow_more_at(flows, i))->asks_ecn;

		if (!rt_flow_counts(flows, i))
			continue;
		marks->cnps += cnps_of(flows, i);
		if (flow->stream == RT_STREAM_NONE)
			continue;
		marks->data_frames += rt_ecn_sum(flow->ecn) - rt_ecn_sum(asks);
		marks->data_ce += flow->ecn[RT_ECN_CE] - asks[RT_ECN_CE];
		marks->data_not_ect += flow->ecn[RT_ECN_NOT_ECT] - asks[RT_ECN_NOT_ECT];
	}
}

/* By index: which streams are slowed, which roots of pairs have unsure CNPs. */
struct cnp_finds {
	bool *has_cnp; /* owned */
	bool *unsure;  /* owned */
};

static void auto_free_finds(struct cnp_finds *finds)
{
	free(finds->has_cnp);
	free(finds->unsure);
}

/* Could CNPs that fit several streams be this one's? */
static bool is_unsure(const struct rt_flows *flows, const struct cnp_finds *finds,
		      uint32_t stream)
{
	const uint32_t back = flows->pairs[rt_flow_at(flows, stream)->pair].reverse;

	return back != RT_NO_INDEX && finds->unsure[flows->pairs[back].root] &&
	       rt_flow_more_at(flows, stream)->answered != RT_FLOW_ANSWERED;
}

static void count_unanswered(const struct rt_flows *flows,
			     const struct cnp_finds *finds, struct rt_analysis *result)
{
	struct rt_analysis_marks *marks = &result->marks;

	for (uint32_t i = 0; i < flows->count; i++) {
		const struct rt_flow *flow = rt_flow_at(flows, i);
		const bool ce = flow->ecn[RT_ECN_CE] > 0, has_cnp = finds->has_cnp[i];
		struct rt_analysis_flow *row;

		if (flow->stream == RT_STREAM_NONE || !rt_flow_counts(flows, i))
			continue;
		marks->flows_ce += ce;
		if (is_unsure(flows, finds, i))
			continue;
		marks->flows_ce_no_cnp += ce && !has_cnp;
		marks->flows_cnp_no_ce += !ce && has_cnp;
		marks->ce_no_cnp_visible += ce && !has_cnp &&
					    flows->pairs[flow->pair].reverse !=
						    RT_NO_INDEX;
		row = &result->sequence.flows[rt_flow_more_at(flows, i)->row];
		row->cnps.known = row->cnps.known ||
				  row->answered != RT_FLOW_UNANSWERED;
	}
}

static void match_flow(const struct rt_flows *flows, uint32_t index,
		       struct cnp_finds *finds, struct rt_analysis *result)
{
	struct rt_analysis_marks *out = &result->marks;
	const uint64_t cnps = cnps_of(flows, index);
	struct match match = match_cnps(flows, index);

	if (match.flow != RT_NO_INDEX)
		match.flow = rt_flow_more_at(flows, match.flow)->primary;
	fill_cnp_row(flows, index, &match, &out->cnp_rows[out->cnp_row_count++]);
	if (match.how >= RT_CNP_GUESSED) {
		finds->unsure[flows->pairs[rt_flow_at(flows, index)->pair].root] = true;
		out->cnps_unsure += cnps;
	} else if (match.flow == RT_NO_INDEX) {
		out->cnps_unmatched += cnps;
	} else {
		finds->has_cnp[match.flow] = true;
		add_cnps(flows, result, match.flow, cnps);
	}
}

static int marks_finish(void *state, struct rt_stage_context *context,
			struct rt_analysis *result, struct rt_err *err)
{
	const struct marks *marks = state;
	const struct rt_flows *flows = &context->flows;
	struct rt_analysis_marks *out = &result->marks;
	RT_AUTO(auto_free_finds)
	struct cnp_finds finds = { calloc(flows->count + 1, sizeof(bool)),
				   calloc(flows->pair_count + 1, sizeof(bool)) };
	size_t rows = 0;

	for (uint32_t i = 0; i < flows->count; i++)
		rows += cnps_of(flows, i) > 0 && rt_flow_counts(flows, i);
	out->cnp_rows = calloc(rows + 1, sizeof(*out->cnp_rows));
	if (!finds.has_cnp || !finds.unsure || !out->cnp_rows)
		return rt_err_sys(err, -ENOMEM, "cannot hold the CNPs");
	count_totals(flows, marks, out);
	for (uint32_t i = 0; i < flows->count; i++)
		if (cnps_of(flows, i) && rt_flow_counts(flows, i))
			match_flow(flows, i, &finds, result);
	count_unanswered(flows, &finds, result);
	return 0;
}

const struct rt_stage rt_stage_marks = {
	.name = "marks",
	.state_bytes = sizeof(struct marks),
	.finish = marks_finish,
};
