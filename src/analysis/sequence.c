/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequence.c - packet sequence numbers of every stream: gaps, rewinds, NAKs.
 *
 * The definitions stand in rocetune/analysis.h.  What a NAK or an ACK says is
 * about a stream in the other direction, and a packet names only the QP it goes
 * to, so the two are paired by PSN: an acknowledged PSN lies a little below the
 * highest one of the stream it acknowledges (IBTA 9.7.5).
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/sequence.h"
#include "analysis/stage.h"
#include "analysis/syndrome.h"
#include "base/own.h"
#include "rocetune/err.h"

#define PSN_MASK 0xFFFFFFu

/* An idle time before a rewind counts as silence from here on. */
#define SILENCE_NS 1000000u

/* A gap joins an older one that began no farther back than this. */
#define HOLE_REACH 4096u

/*
 * PSNs that an ACK may lag behind the highest one sent, and lie before the first
 * one seen: a NAK names what has not come yet.
 */
#define PAIR_WINDOW 65536
#define PAIR_BEFORE 1024
#define PAIR_TRIES  16

static uint32_t psn_add(uint32_t psn, uint32_t span)
{
	return (psn + span) & PSN_MASK;
}

/* --- one frame of a stream ------------------------------------------------- */

/* A frame behind the one before it: is a NAK the reason, or nothing seen? */
static void note_rewind(struct rt_flow *flow, struct rt_flow_more *more,
			int64_t time_ns)
{
	const uint64_t idle_ns = rt_elapsed_ns(flow->last_ns, time_ns);
	const bool alone = !(flow->flags & RT_FLOW_NAKED);
	const bool rnr = !alone && more->nak_is_rnr;

	more->p_rewinds++;
	more->rewinds_alone += alone;
	more->rewinds_rnr += rnr;
	more->rewinds_nak += !alone && !rnr;
	if (!alone)
		more->nak_to_resend_ns += rt_elapsed_ns(more->nak_ns, time_ns);
	flow->flags &= (uint8_t)~RT_FLOW_NAKED;
	if (idle_ns < SILENCE_NS)
		return;
	more->silence_ns += idle_ns;
	more->timeouts += alone;
	more->timeout_silence_ns += alone ? idle_ns : 0;
	more->rnr_silence_ns += rnr ? idle_ns : 0;
	if (idle_ns > more->longest_silence_ns)
		more->longest_silence_ns = idle_ns;
}

/*
 * Gaps are watched until it is clear what they were: late frames fill them and
 * the stream goes on at its top (reordering), or what follows the filling has
 * been seen before (the sender went back).  A gap that opens while an older one
 * near it is not filled yet joins it: what lies between them has arrived.
 */
static void open_hole(struct rt_flow *flow, struct rt_flow_more *more, uint32_t psn)
{
	const uint32_t reach = (psn - more->hole_psn) & PSN_MASK;

	if (flow->flags & RT_FLOW_HOLE && reach < HOLE_REACH) {
		more->hole_filled += (flow->high_psn - more->hole_end) & PSN_MASK;
		more->hole_gaps++;
	} else {
		more->hole_psn = flow->high_psn;
		more->hole_filled = 0;
		more->hole_gaps = 1;
	}
	more->hole_end = psn;
	flow->flags |= RT_FLOW_HOLE;
}

/*
 * True when the frame is the first to fill its part of a gap; among gaps that have
 * joined that is not tracked, and false.
 */
static bool watch_hole(struct rt_flow *flow, struct rt_flow_more *more, uint32_t psn,
		       uint32_t span, int32_t since_high)
{
	bool fills;
	const bool inside = flow->flags & RT_FLOW_HOLE &&
			    rt_psn_delta(psn, more->hole_psn) >= 0 &&
			    rt_psn_delta(psn, more->hole_end) < 0;

	if (flow->flags & RT_FLOW_FILLED && !inside) {
		more->reordered += since_high >= 0 ? more->hole_gaps : 0;
		flow->flags &= (uint8_t) ~(RT_FLOW_HOLE | RT_FLOW_FILLED);
	}
	if (since_high > 0) {
		open_hole(flow, more, psn);
		return false;
	}
	if (!inside)
		return false;
	fills = more->hole_gaps == 1 &&
		psn == psn_add(more->hole_psn, more->hole_filled);
	more->hole_filled += span;
	if (more->hole_filled >= ((more->hole_end - more->hole_psn) & PSN_MASK))
		flow->flags |= RT_FLOW_FILLED;
	return fills;
}

/*
 * Judge a frame that takes span PSNs from psn against what the stream has seen;
 * true when it has been seen before: behind the highest, and not filling a gap.
 */
static bool take_psns(struct rt_flow *flow, struct rt_flow_more *more, uint32_t psn,
		      uint32_t span, int64_t time_ns)
{
	const uint32_t end = psn_add(psn, span);
	int32_t since_last, since_high;
	bool fills;

	if (!(flow->flags & RT_FLOW_STARTED)) {
		flow->flags |= RT_FLOW_STARTED;
		more->first_psn = psn;
		flow->next_psn = flow->high_psn = end;
		return false;
	}
	if (psn == flow->next_psn && psn == flow->high_psn &&
	    !(flow->flags & (RT_FLOW_FILLED | RT_FLOW_IN_BEHIND | RT_FLOW_NAKED))) {
		flow->next_psn = flow->high_psn = end;
		return false;
	}
	since_last = rt_psn_delta(psn, flow->next_psn);
	since_high = rt_psn_delta(psn, flow->high_psn);
	if (since_last > 0) {
		more->p_gaps++;
		more->p_skipped += (uint32_t)since_last;
	} else if (since_last < 0) {
		note_rewind(flow, more, time_ns);
	} else if (flow->flags & RT_FLOW_NAKED && psn == more->nak_psn) {
		/* Lost before the tap and the last of its window: no rewind here. */
		flow->flags &= (uint8_t)~RT_FLOW_NAKED;
	}
	fills = watch_hole(flow, more, psn, span, since_high);
	if (since_high > 0) {
		more->h_gaps++;
		more->h_skipped += (uint32_t)since_high;
	}
	if (since_high < 0) {
		more->h_behind++;
		more->h_episodes += !(flow->flags & RT_FLOW_IN_BEHIND);
		flow->flags |= RT_FLOW_IN_BEHIND;
	} else {
		flow->flags &= (uint8_t)~RT_FLOW_IN_BEHIND;
	}
	flow->next_psn = end;
	if (rt_psn_delta(end, flow->high_psn) > 0)
		flow->high_psn = end;
	return since_high < 0 && !fills;
}

/* --- path MTU and the length of READ requests -------------------------------- */

static const uint16_t mtus[] = { 256, 512, 1024, 2048, 4096 };

static bool is_path_mtu(uint32_t bytes)
{
	return bytes >= 256 && bytes <= 4096 && (bytes & (bytes - 1)) == 0;
}

static void learn_mtu(struct rt_flows *flows, uint32_t index,
		      const struct rt_frame *frame)
{
	struct rt_flow *flow = rt_flow_at(flows, index);
	const uint16_t mtu = (uint16_t)frame->bth.payload_bytes;
	struct rt_pair *pair;
	uint32_t peer;

	if (flow->mtu == mtu || frame->icrc == RT_ICRC_BAD ||
	    !is_path_mtu(frame->bth.payload_bytes))
		return;
	flow->mtu = mtu;
	pair = &flows->pairs[flow->pair];
	peer = rt_flow_more_at(flows, index)->peer;
	if (peer != RT_NO_INDEX && flow->stream == RT_STREAM_RESPONSE)
		rt_flow_at(flows, peer)->mtu = mtu;
	if (mtu > pair->mtu)
		pair->mtu = mtu;
	if (pair->reverse != RT_NO_INDEX && mtu > flows->pairs[pair->reverse].mtu)
		flows->pairs[pair->reverse].mtu = mtu;
}

/* 0: not known yet. */
static uint16_t mtu_of(const struct rt_flows *flows, const struct rt_flow *flow)
{
	const struct rt_pair *pair = &flows->pairs[flow->pair];

	if (flow->mtu)
		return flow->mtu;
	if (pair->mtu == 0 && pair->reverse != RT_NO_INDEX)
		return flows->pairs[pair->reverse].mtu;
	return pair->mtu;
}

/* IBTA 9.4.4: as many PSNs as responses, one at least. */
static uint32_t read_span(uint32_t dma_bytes, uint32_t mtu)
{
	const uint32_t span = dma_bytes / mtu + (dma_bytes % mtu != 0);

	return span ? span : 1;
}

static void replay(struct rt_flow *flow, struct rt_flow_more *more, uint16_t mtu)
{
	for (uint32_t i = 0; i < more->waits->count; i++) {
		const struct rt_flow_wait *wait = &more->waits->at[i];

		take_psns(flow, more, wait->psn, read_span(wait->dma_bytes, mtu),
			  wait->time_ns);
	}
	more->waits->count = 0;
	flow->flags &= (uint8_t)~RT_FLOW_PENDING;
}

/*
 * No packet told the MTU: take the one under which most requests follow each
 * other without a gap, the largest of equals, and remember it only when no
 * other does as well.
 */
static void infer_and_replay(struct rt_flow *flow, struct rt_flow_more *more)
{
	const struct rt_flow_waits *waits = more->waits;
	unsigned best = 0, best_score = 0, equals = 0;

	for (unsigned m = 0; m < RT_ARRAY_SIZE(mtus); m++) {
		unsigned score = 0;

		for (uint32_t i = 0; i + 1 < waits->count; i++)
			score += psn_add(waits->at[i].psn,
					 read_span(waits->at[i].dma_bytes, mtus[m])) ==
				 waits->at[i + 1].psn;
		equals = score > best_score ? 1 : equals + (score == best_score);
		if (score >= best_score)
			best = m;
		best_score = score > best_score ? score : best_score;
	}
	if (equals == 1)
		flow->mtu = mtus[best];
	replay(flow, more, mtus[best]);
}

static int put_off(struct rt_flow *flow, struct rt_flow_more *more,
		   const struct rt_frame *frame, struct rt_err *err)
{
	const bool read = rt_ops[frame->bth.opcode].bits & RT_OP_IS_READ;

	if (!more->waits) {
		more->waits = calloc(1, sizeof(*more->waits));
		if (!more->waits)
			return rt_err_sys(err, -ENOMEM, "cannot hold READ requests");
	}
	flow->flags |= RT_FLOW_PENDING;
	more->waits->at[more->waits->count++] =
		(struct rt_flow_wait){ .time_ns = frame->time_ns,
				       .psn = frame->bth.psn,
				       .dma_bytes = read ? frame->bth.dma_bytes : 1 };
	if (more->waits->count == RT_FLOW_WAITS)
		infer_and_replay(flow, more);
	return 0;
}

/* --- acknowledgements ------------------------------------------------------- */

/*
 * How far an acknowledged PSN lies below the top of a stream; 0: it can't belong
 * to it.
 */
static uint32_t ack_distance(const struct rt_flow *flow,
			     const struct rt_flow_more *more, uint32_t psn)
{
	const int32_t below = rt_psn_delta(flow->high_psn, psn);

	if (flow->stream != RT_STREAM_REQUEST || !(flow->flags & RT_FLOW_STARTED) ||
	    below < 1 || below > PAIR_WINDOW)
		return 0;
	if (flow->messages < PAIR_WINDOW &&
	    rt_psn_delta(psn, more->first_psn) < -PAIR_BEFORE)
		return 0;
	return (uint32_t)below;
}

/*
 * Habits of NICs, which tell candidates apart where PSNs do not start at random:
 * one UDP source port for both ways of a connection, or one QP number.
 */
static unsigned likeness(const struct rt_frame *ack, const struct rt_flow *flow)
{
	return (ack->udp_sport == flow->udp_sport ? 2u : 0u) +
	       (ack->bth.dest_qp == flow->dest_qp ? 1u : 0u);
}

/* The request stream that the acknowledgements of a flow answer. */
static uint32_t find_peer(const struct rt_flows *flows, uint32_t index,
			  const struct rt_frame *ack)
{
	const uint32_t back = flows->pairs[rt_flow_at(flows, index)->pair].reverse;
	uint32_t best = RT_NO_INDEX, best_distance = 0, steps = 0;
	unsigned best_likeness = 0;
	bool tie = false;

	if (back == RT_NO_INDEX)
		return RT_NO_INDEX;
	for (uint32_t at = flows->pairs[back].last_flow; at != RT_NO_INDEX;
	     at = rt_flow_more_at(flows, at)->next_in_pair) {
		const struct rt_flow *flow = rt_flow_at(flows, at);
		const uint32_t distance = ack_distance(flow, rt_flow_more_at(flows, at),
						       ack->bth.psn);
		const unsigned like = likeness(ack, flow);

		if (steps++ == RT_FLOW_CANDIDATES)
			return RT_NO_INDEX;
		if (distance == 0 || flow->transport != ack->bth.opcode >> 5)
			continue;
		if (best == RT_NO_INDEX || like > best_likeness ||
		    (like == best_likeness && distance < best_distance)) {
			best = at;
			best_distance = distance;
			best_likeness = like;
			tie = false;
		} else if (distance == best_distance && like == best_likeness) {
			tie = true;
		}
	}
	return tie ? RT_NO_INDEX : best;
}

/* A hole that the receiver acknowledges over was never one on the wire. */
static void check_hole(struct rt_flow *flow, struct rt_flow_more *more, uint32_t psn)
{
	if (!(flow->flags & RT_FLOW_HOLE) || flow->flags & RT_FLOW_FILLED ||
	    rt_psn_delta(psn, more->hole_end) < 0)
		return;
	flow->flags &= (uint8_t)~RT_FLOW_HOLE;
	more->acked_holes += more->hole_gaps;
	more->acked_psns += ((more->hole_end - more->hole_psn) & PSN_MASK) -
			    more->hole_filled;
}

static void tell_stream(struct rt_flow *flow, struct rt_flow_more *more,
			const struct rt_frame *frame)
{
	const enum rt_syndrome_kind kind = rt_syndrome_kind(frame->bth.syndrome);
	const bool rnr = kind == RT_SYNDROME_RNR;

	if (kind == RT_SYNDROME_ACK) {
		check_hole(flow, more, frame->bth.psn);
		return;
	}
	if (kind == RT_SYNDROME_RESERVED)
		return;
	/* Packets in flight behind a refused one draw a NAK of the same PSN. */
	if (flow->flags & RT_FLOW_NAKED && more->nak_is_rnr &&
	    more->nak_psn == frame->bth.psn)
		return;
	flow->flags |= RT_FLOW_NAKED;
	more->nak_is_rnr = rnr;
	more->nak_psn = frame->bth.psn;
	more->nak_ns = frame->time_ns;
}

static void count_aeth(struct rt_flow_more *more, uint8_t syndrome)
{
	const uint64_t wait_ns = rt_rnr_wait_ns(syndrome);

	switch (rt_syndrome_kind(syndrome)) {
	case RT_SYNDROME_ACK: more->acks++; break;
	case RT_SYNDROME_RNR:
		more->rnr_naks++;
		more->rnr_wait_ns += wait_ns;
		if (wait_ns > more->rnr_longest_ns)
			more->rnr_longest_ns = wait_ns;
		break;
	case RT_SYNDROME_NAK:
		if ((syndrome & 31) == RT_NAK_SEQUENCE_ERROR)
			more->naks++;
		else
			more->other_naks++;
		break;
	case RT_SYNDROME_RESERVED: break;
	}
}

static void take_aeth(struct rt_flows *flows, uint32_t index,
		      const struct rt_frame *frame)
{
	struct rt_flow_more *more = rt_flow_more_at(flows, index);

	count_aeth(more, frame->bth.syndrome);
	if (more->peer == RT_NO_INDEX && more->peer_tries < PAIR_TRIES) {
		more->peer_tries++;
		more->peer = find_peer(flows, index, frame);
	}
	if (more->peer != RT_NO_INDEX)
		tell_stream(rt_flow_at(flows, more->peer),
			    rt_flow_more_at(flows, more->peer), frame);
}

/* --- frames ---------------------------------------------------------------- */

static int take_data(struct rt_flows *flows, uint32_t index,
		     const struct rt_frame *frame, bool *ret_again, struct rt_err *err)
{
	const struct rt_op *op = &rt_ops[frame->bth.opcode];
	struct rt_flow *flow = rt_flow_at(flows, index);
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	const bool long_read = op->bits & RT_OP_IS_READ &&
			       frame->bth.dma_bytes > mtus[0];
	uint32_t span = 1;

	flow->messages += !!(op->bits & RT_OP_STARTS);
	flow->payload_bytes += frame->bth.payload_bytes;
	if (op->bits & RT_OP_FULL)
		learn_mtu(flows, index, frame);
	if (long_read || flow->flags & RT_FLOW_PENDING) {
		const uint16_t mtu = mtu_of(flows, flow);

		if (mtu == 0)
			return put_off(flow, more, frame, err);
		if (flow->flags & RT_FLOW_PENDING)
			replay(flow, more, mtu);
		if (long_read)
			span = read_span(frame->bth.dma_bytes, mtu);
	}
	*ret_again = take_psns(flow, more, frame->bth.psn, span, frame->time_ns);
	if (*ret_again)
		flow->resent_bytes += frame->bth.payload_bytes;
	return 0;
}

static int sequence_frames(void *state, struct rt_stage_context *context,
			   struct rt_batch *batch, struct rt_err *err)
{
	struct rt_flows *flows = &context->flows;

	(void)state;
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct rt_frame *frame = &batch->frames[i];
		const uint32_t index = batch->flow[i];
		struct rt_flow *flow;
		int r = 0;

		if (index == RT_NO_INDEX)
			continue;
		flow = rt_flow_at(flows, index);
		if (frame->bth.ext & RT_EXT_AETH)
			take_aeth(flows, index, frame);
		if (flow->stream != RT_STREAM_NONE)
			r = take_data(flows, index, frame, &batch->again[i], err);
		if (r < 0)
			return r;
		if (frame->time_ns > flow->last_ns)
			flow->last_ns = frame->time_ns;
	}
	return 0;
}

static int sequence_finish(void *state, struct rt_stage_context *context,
			   struct rt_analysis *result, struct rt_err *err)
{
	struct rt_flows *flows = &context->flows;

	(void)state;
	for (uint32_t i = 0; i < flows->count; i++) {
		struct rt_flow *flow = rt_flow_at(flows, i);
		struct rt_flow_more *more = rt_flow_more_at(flows, i);
		const uint16_t mtu = mtu_of(flows, flow);

		if (!(flow->flags & RT_FLOW_PENDING))
			continue;
		if (mtu)
			replay(flow, more, mtu);
		else
			infer_and_replay(flow, more);
	}
	return rt_sequence_result(context, &result->sequence, err);
}

const struct rt_stage rt_stage_sequence = {
	.name = "sequence",
	.state_bytes = 1,
	.frames = sequence_frames,
	.finish = sequence_finish,
};
