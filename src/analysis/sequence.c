/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequence.c - packet sequence numbers of every stream: gaps, rewinds, NAKs.
 *
 * The definitions stand in rocetune/analysis.h.  What a NAK or an ACK says is
 * about a stream in the other direction; pairing.c finds which.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/sequence.h"
#include "analysis/stage.h"
#include "analysis/syndrome.h"
#include "base/own.h"
#include "rocetune/err.h"

/* An idle time before a rewind counts as silence from here on. */
#define SILENCE_NS 1000000u

/* What a frame takes of its stream: span PSNs from psn. */
struct psns {
	uint32_t psn, span;
	int64_t time_ns;
	bool bad; /* a receiver drops it: nothing of it is sure */
};

static uint32_t psn_add(uint32_t psn, uint32_t span)
{
	return (psn + span) & RT_PSN_MASK;
}

/* So early in a stream a PSN below its first one was not seen before. */
#define BEFORE_FRAMES 65536u

/* --- one frame of a stream ------------------------------------------------- */

/* A frame behind the one before it: is a NAK the reason, or nothing seen? */
static void note_rewind(struct rt_flow *flow, struct rt_flow_more *more,
			int64_t time_ns)
{
	const uint64_t idle_ns = rt_elapsed_ns(flow->last_ns, time_ns);
	const bool alone = !(flow->flags & RT_FLOW_NAKED);
	const bool rnr = !alone && more->events->nak_is_rnr;

	more->events->p_rewinds++;
	more->events->rewinds_alone += alone;
	more->events->rewinds_rnr += rnr;
	more->events->rewinds_nak += !alone && !rnr;
	if (!alone)
		more->events->nak_to_resend_ns += rt_elapsed_ns(more->events->nak_ns,
								time_ns);
	flow->flags &= (uint8_t)~RT_FLOW_NAKED;
	if (idle_ns < SILENCE_NS || !rt_flow_resends(flow))
		return;
	more->events->silence_ns += idle_ns;
	more->events->rnr_silence_ns += rnr ? idle_ns : 0;
	if (idle_ns > more->events->longest_silence_ns)
		more->events->longest_silence_ns = idle_ns;
	/* A responder has no timer: it repeats what it is asked for again. */
	if (!alone || flow->stream == RT_STREAM_RESPONSE)
		return;
	more->events->timeouts++;
	more->events->timeout_silence_ns += idle_ns;
}

static void note_gap(struct rt_hole_pool *pool, struct rt_flow *flow,
		     struct rt_flow_more *more, uint32_t span)
{
	rt_holes_open(pool, &more->events->holes, flow->high_psn, span,
		      (uint32_t)rt_ecn_sum(flow->ecn), &more->events->lost);
}

/*
 * The frame behind the one that filled a gap tells who filled it: one that was
 * seen before comes from a sender that went back and repeats what it sent behind
 * the lost one.  A late frame is followed by what has not come yet; but so is a
 * resend, which a NAK or a time-out caused, when the rest of it gets lost again.
 */
static void judge_filling(struct rt_flow *flow, struct rt_flow_more *more, bool again)
{
	const bool asked = flow->flags & RT_FLOW_ASKED;

	flow->flags &= (uint8_t) ~(RT_FLOW_FILLED | RT_FLOW_ASKED);
	if (again) {
		more->events->repaired++;
	} else if (!asked) {
		more->events->reordered++;
	} else {
		more->events->repaired += !!(flow->flags & RT_FLOW_DOUBT);
		flow->flags &= (uint8_t)~RT_FLOW_DOUBT_ACKED;
		flow->flags |= RT_FLOW_DOUBT;
		more->events->doubt_psn = more->events->filled_psn;
	}
}

/*
 * What filled the gap comes again.  If the receiver had it by then, the NAK
 * caused this one, and the one before was late; else nobody can tell.
 */
static void settle_doubt(struct rt_flow *flow, struct rt_flow_more *more)
{
	if (flow->flags & RT_FLOW_DOUBT_ACKED)
		more->events->reordered++;
	else
		more->events->undecided++;
	flow->flags &= (uint8_t) ~(RT_FLOW_DOUBT | RT_FLOW_DOUBT_ACKED);
}

/*
 * A frame behind the highest PSN comes again, or for the first time when it fills
 * its part of a gap.
 */
static bool is_again(struct rt_hole_pool *pool, struct rt_flow *flow,
		     struct rt_flow_more *more, const struct psns *psns)
{
	const uint32_t age = (uint32_t)rt_ecn_sum(flow->ecn);
	enum rt_hole_fill fill;

	if (rt_psn_delta(psns->psn, more->first_psn) < 0 && !more->events->saw_before &&
	    age < BEFORE_FRAMES) {
		more->events->saw_before = true;
		rt_holes_open_before(pool, &more->events->holes, more->first_psn, age,
				     &more->events->lost);
	}
	fill = rt_holes_fill(pool, &more->events->holes, psns->psn, psns->span, age,
			     &more->events->lost);
	if (flow->flags & RT_FLOW_FILLED)
		judge_filling(flow, more, fill == RT_HOLE_MISSED);
	if (flow->flags & RT_FLOW_DOUBT && fill == RT_HOLE_MISSED &&
	    psns->psn == more->events->doubt_psn)
		settle_doubt(flow, more);
	if (fill >= RT_HOLE_WHOLE) {
		flow->flags |= RT_FLOW_FILLED;
		more->events->filled_psn = psns->psn;
	}
	if (rt_flow_resends(flow) &&
	    (fill == RT_HOLE_NAKED ||
	     (fill == RT_HOLE_WHOLE && rt_psn_delta(psns->psn, flow->next_psn) < 0 &&
	      rt_elapsed_ns(flow->last_ns, psns->time_ns) >= SILENCE_NS)))
		flow->flags |= RT_FLOW_ASKED;
	return fill == RT_HOLE_MISSED;
}

static void note_top(struct rt_flow *flow, struct rt_flow_more *more)
{
	if (flow->flags & RT_FLOW_FILLED)
		judge_filling(flow, more, false);
	flow->flags &= (uint8_t)~RT_FLOW_IN_BEHIND;
}

/* In order, and nothing is open. */
static bool is_next(const struct rt_flow *flow, const struct psns *psns)
{
	return psns->psn == flow->next_psn && psns->psn == flow->high_psn &&
	       !psns->bad &&
	       !(flow->flags & (RT_FLOW_FILLED | RT_FLOW_IN_BEHIND | RT_FLOW_NAKED));
}

/*
 * Judge a frame against what the stream has seen; true when it has been seen
 * before: behind the highest, and not filling a gap.
 */
static bool take_psns(struct rt_hole_pool *pool, struct rt_flow *flow,
		      struct rt_flow_more *more, const struct psns *psns)
{
	const uint32_t psn = psns->psn, end = psn_add(psn, psns->span);
	int32_t since_last, since_high;
	bool again = false;

	if (!(flow->flags & RT_FLOW_STARTED)) {
		flow->flags |= RT_FLOW_STARTED;
		more->first_psn = psn;
		flow->next_psn = flow->high_psn = end;
		return false;
	}
	if (is_next(flow, psns)) {
		flow->next_psn = flow->high_psn = end;
		return false;
	}
	since_last = rt_psn_delta(psn, flow->next_psn);
	since_high = rt_psn_delta(psn, flow->high_psn);
	if (since_last > 0) {
		more->events->p_gaps++;
		more->events->p_skipped += (uint32_t)since_last;
		more->events->bad_gaps += psns->bad || flow->last_bad;
	} else if (since_last < 0) {
		note_rewind(flow, more, psns->time_ns);
	} else if (flow->flags & RT_FLOW_NAKED && psn == more->events->nak_psn) {
		/* Lost before the tap and the last of its window: no rewind here. */
		flow->flags &= (uint8_t)~RT_FLOW_NAKED;
	}
	if (since_high > 0) {
		more->events->h_gaps++;
		more->events->h_skipped += (uint32_t)since_high;
		more->events->bad_h_gaps += psns->bad || flow->last_bad;
		/* A UD queue pair numbers its packets to all destinations in one. */
		if (flow->transport != RT_TRANSPORT_UD)
			note_gap(pool, flow, more, (uint32_t)since_high);
	}
	if (since_high < 0) {
		more->events->h_behind++;
		more->events->h_episodes += !(flow->flags & RT_FLOW_IN_BEHIND);
		flow->flags |= RT_FLOW_IN_BEHIND;
		again = psns->bad ||
			(flow->transport != RT_TRANSPORT_UD &&
			 is_again(pool, flow, more, psns) && rt_flow_resends(flow));
	} else {
		note_top(flow, more);
	}
	if (psns->bad && since_high >= 0)
		rt_holes_open_bad(pool, &more->events->holes, psn,
				  (uint32_t)rt_ecn_sum(flow->ecn), &more->events->lost);
	flow->next_psn = end;
	if (rt_psn_delta(end, flow->high_psn) > 0)
		flow->high_psn = end;
	return again;
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
	if (flow->mtu && rt_flow_more_at(flows, index)->connection != RT_NO_INDEX)
		rt_connections_contradict(flows,
					  rt_flow_more_at(flows, index)->connection);
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

static void replay(struct rt_hole_pool *pool, struct rt_flow *flow,
		   struct rt_flow_more *more, uint16_t mtu)
{
	for (uint32_t i = 0; i < more->events->waits->count; i++) {
		const struct rt_flow_wait *wait = &more->events->waits->at[i];
		const struct psns psns = { wait->psn, read_span(wait->dma_bytes, mtu),
					   wait->time_ns, false };

		take_psns(pool, flow, more, &psns);
	}
	more->events->waits->count = 0;
	flow->flags &= (uint8_t)~RT_FLOW_PENDING;
}

/*
 * No packet told the MTU: take the one under which most requests follow each
 * other without a gap, the largest of equals, and remember it only when no
 * other does as well.
 */
static void infer_and_replay(struct rt_hole_pool *pool, struct rt_flow *flow,
			     struct rt_flow_more *more)
{
	const struct rt_flow_waits *waits = more->events->waits;
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
	replay(pool, flow, more, mtus[best]);
}

static int put_off(struct rt_hole_pool *pool, struct rt_flow *flow,
		   struct rt_flow_more *more, const struct rt_frame *frame,
		   struct rt_err *err)
{
	const bool read = rt_ops[frame->bth.opcode].bits & RT_OP_IS_READ;

	if (!more->events->waits) {
		more->events->waits = calloc(1, sizeof(*more->events->waits));
		if (!more->events->waits)
			return rt_err_sys(err, -ENOMEM, "cannot hold READ requests");
	}
	flow->flags |= RT_FLOW_PENDING;
	more->events->waits->at[more->events->waits->count++] =
		(struct rt_flow_wait){ .time_ns = frame->time_ns,
				       .psn = frame->bth.psn,
				       .dma_bytes = read ? frame->bth.dma_bytes : 1 };
	if (more->events->waits->count == RT_FLOW_WAITS)
		infer_and_replay(pool, flow, more);
	return 0;
}

/* --- acknowledgements ------------------------------------------------------- */

/* A NAK says as well that all before it was received. */
static void note_received(struct rt_flow *flow, const struct rt_flow_more *more,
			  const struct rt_frame *frame, bool sure)
{
	const bool ack = rt_syndrome_kind(frame->bth.syndrome) == RT_SYNDROME_ACK;

	if (flow->flags & RT_FLOW_DOUBT && sure &&
	    rt_psn_delta(frame->bth.psn, more->events->doubt_psn) >= (ack ? 0 : 1))
		flow->flags |= RT_FLOW_DOUBT_ACKED;
}

/* sure: the frame answers this stream and no other. */
static void tell_stream(struct rt_flow *flow, struct rt_flow_more *more,
			const struct rt_frame *frame, bool sure)
{
	const enum rt_syndrome_kind kind = rt_syndrome_kind(frame->bth.syndrome);
	const bool rnr = kind == RT_SYNDROME_RNR;

	if (!more->events)
		return;
	note_received(flow, more, frame, sure);
	if (kind == RT_SYNDROME_ACK) {
		/* What the receiver acknowledges it has got, seen here or not. */
		if (more->events->holes && sure)
			rt_holes_ack(more->events->holes, psn_add(frame->bth.psn, 1));
		return;
	}
	if (kind == RT_SYNDROME_RESERVED)
		return;
	if (more->events->holes && !rnr)
		rt_holes_nak(more->events->holes, frame->bth.psn);
	/* Packets in flight behind a refused one draw a NAK of the same PSN. */
	if (flow->flags & RT_FLOW_NAKED && more->events->nak_is_rnr &&
	    more->events->nak_psn == frame->bth.psn)
		return;
	flow->flags |= RT_FLOW_NAKED;
	more->events->nak_is_rnr = rnr;
	more->events->nak_psn = frame->bth.psn;
	more->events->nak_ns = frame->time_ns;
}

/* Of a NAK; more has room for what happens. */
static void count_nak(struct rt_flow_more *more, uint8_t syndrome)
{
	const uint64_t wait_ns = rt_rnr_wait_ns(syndrome);

	switch (rt_syndrome_kind(syndrome)) {
	case RT_SYNDROME_RNR:
		more->events->rnr_naks++;
		more->events->rnr_wait_ns += wait_ns;
		if (wait_ns > more->events->rnr_longest_ns)
			more->events->rnr_longest_ns = wait_ns;
		break;
	case RT_SYNDROME_NAK:
		if ((syndrome & 31) == RT_NAK_SEQUENCE_ERROR)
			more->events->naks++;
		else
			more->events->other_naks++;
		break;
	default: break;
	}
}

int rt_sequence_take_aeth(struct rt_flows *flows, uint32_t index,
			  const struct rt_frame *frame, struct rt_err *err)
{
	const bool ack = rt_syndrome_kind(frame->bth.syndrome) == RT_SYNDROME_ACK;
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	uint32_t peer;
	bool sure;
	int r = ack ? 0 : rt_flow_need_events(more, err);

	if (r < 0)
		return r;
	if (ack)
		more->acks++;
	else
		count_nak(more, frame->bth.syndrome);
	peer = rt_pairing_take(flows, index, frame, &sure);
	if (peer == RT_NO_INDEX)
		return 0;
	if (!ack)
		r = rt_flow_need_events(rt_flow_more_at(flows, peer), err);
	if (r == 0)
		tell_stream(rt_flow_at(flows, peer), rt_flow_more_at(flows, peer),
			    frame, sure);
	return r;
}

/* --- frames ---------------------------------------------------------------- */

/*
 * Does a READ response that begins a message stand behind requests of other kinds,
 * whose PSNs no response has?  Where the requests are not known, it may.
 */
static bool is_between(const struct rt_flows *flows, uint32_t peer,
		       const struct rt_frame *frame)
{
	if (!(rt_ops[frame->bth.opcode].bits & RT_OP_STARTS))
		return false;
	return peer == RT_NO_INDEX ||
	       rt_flow_at(flows, peer)->messages >
		       rt_flow_events_of(rt_flow_more_at(flows, peer))->reads;
}

/*
 * A requester that misses a READ response asks again from there on, as if a NAK
 * had come: IBTA calls the gap an implied NAK.
 */
static int imply_nak(struct rt_flows *flows, uint32_t index,
		     const struct rt_frame *frame, struct rt_err *err)
{
	const struct rt_flow *responses = rt_flow_at(flows, index);
	const uint32_t peer = rt_flow_more_at(flows, index)->peer;
	struct rt_flow_more *more;

	if (!(responses->flags & RT_FLOW_STARTED) ||
	    rt_psn_delta(frame->bth.psn, responses->next_psn) <= 0)
		return 0;
	if (is_between(flows, peer, frame)) {
		rt_flow_more_at(flows, index)->events->between_gaps++;
		return 0;
	}
	if (peer == RT_NO_INDEX)
		return 0;
	more = rt_flow_more_at(flows, peer);
	if (rt_flow_need_events(more, err) < 0)
		return -ENOMEM;
	rt_flow_at(flows, peer)->flags |= RT_FLOW_NAKED;
	more->events->nak_is_rnr = false;
	more->events->nak_psn = responses->next_psn;
	more->events->nak_ns = frame->time_ns;
	return 0;
}

/* Does more than the next PSN of the stream come with it? */
static bool is_event(const struct rt_flow *flow, const struct psns *psns)
{
	return psns->bad || flow->flags & RT_FLOW_PENDING ||
	       (flow->flags & RT_FLOW_STARTED && !is_next(flow, psns));
}

/* A stream that begins this far above the PSN that it was told to is none of it. */
#define FIRST_PSN_FAR 65536

/* The first frame of a stream: what was agreed on when its connection was made. */
static void meet(struct rt_flows *flows, uint32_t index, uint32_t psn)
{
	struct rt_flow *flow = rt_flow_at(flows, index);
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	struct rt_connected connected;
	int32_t since_first;

	if (!rt_connections_find(flows, flow, &connected))
		return;
	more->connection = connected.connection;
	if (connected.other_transport)
		rt_connections_contradict(flows, connected.connection);
	since_first = rt_psn_delta(psn, connected.psn);
	if (connected.mtu)
		flow->mtu = connected.mtu;
	if (flow->stream != RT_STREAM_REQUEST)
		return;
	more->answered = RT_FLOW_ANSWERED;
	more->answer_qp = connected.peer_qp;
	if (!connected.has_psn)
		return;
	if (since_first < 0 || since_first > FIRST_PSN_FAR) {
		rt_connections_contradict(flows, connected.connection);
		return;
	}
	flow->flags |= RT_FLOW_STARTED;
	more->first_psn = flow->next_psn = flow->high_psn = connected.psn;
}

int rt_sequence_take_data(struct rt_flows *flows, uint32_t index,
			  const struct rt_frame *frame, bool *ret_again,
			  struct rt_err *err)
{
	const struct rt_op *op = &rt_ops[frame->bth.opcode];
	struct rt_flow *flow = rt_flow_at(flows, index);
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	const bool read = op->bits & RT_OP_IS_READ;
	const bool long_read = read && frame->bth.dma_bytes > mtus[0];
	/* Where none is right the check is, not the frames. */
	const bool bad = frame->icrc == RT_ICRC_BAD && more->icrc_ok > 0;
	struct psns psns = { frame->bth.psn, 1, frame->time_ns, bad };

	if (flows->connections && more->connection == RT_NO_INDEX &&
	    !(flow->flags & (RT_FLOW_STARTED | RT_FLOW_PENDING)))
		meet(flows, index, frame->bth.psn);
	if ((read || is_event(flow, &psns)) && rt_flow_need_events(more, err) < 0)
		return -ENOMEM;
	if (read)
		more->events->reads++;
	flow->messages += !!(op->bits & RT_OP_STARTS);
	flow->payload_bytes += frame->bth.payload_bytes;
	if (op->bits & RT_OP_FULL)
		learn_mtu(flows, index, frame);
	if (long_read || flow->flags & RT_FLOW_PENDING) {
		const uint16_t mtu = mtu_of(flows, flow);

		if (mtu == 0)
			return put_off(&flows->hole_pool, flow, more, frame, err);
		if (flow->flags & RT_FLOW_PENDING)
			replay(&flows->hole_pool, flow, more, mtu);
		if (long_read)
			psns.span = read_span(frame->bth.dma_bytes, mtu);
	}
	if (flow->stream == RT_STREAM_RESPONSE &&
	    imply_nak(flows, index, frame, err) < 0)
		return -ENOMEM;
	*ret_again = take_psns(&flows->hole_pool, flow, more, &psns);
	flow->last_bad = bad;
	if (bad)
		more->events->bad_bytes += frame->bth.payload_bytes;
	else if (*ret_again)
		more->events->resent_bytes += frame->bth.payload_bytes;
	*ret_again = *ret_again || bad;
	return 0;
}

/* --- copies ------------------------------------------------------------------ */

/*
 * A packet that was marked between two places counts as marked: it leaves the more
 * usual of the codepoints that can be, which is what its flow has most of.
 */
static void move_mark(struct rt_flow *flow, const struct rt_flow_more *more,
		      struct rt_pair *pair, const struct rt_frame *frame)
{
	const enum rt_ecn from = flow->ecn[RT_ECN_ECT0] >= flow->ecn[RT_ECN_ECT1]
					 ? RT_ECN_ECT0
					 : RT_ECN_ECT1;

	if (flow->ecn[from] == 0)
		return;
	flow->ecn[from]--;
	flow->ecn[RT_ECN_CE]++;
	/*
	 * What is taken for a copy may be made to look like one: it may be the first to
	 * ask.
	 */
	if (rt_ops[frame->bth.opcode].bits & RT_OP_ASKS && more->events &&
	    more->events->asks_ecn[from]) {
		more->events->asks_ecn[from]--;
		more->events->asks_ecn[RT_ECN_CE]++;
	}
	if (!rt_is_data(frame) || !frame->bth.payload_bytes)
		return;
	if (pair->window == RT_NO_WINDOW)
		pair->data_ce++;
	else
		pair->now.ce++;
}

/* Of one that is kept; what its id says about the sender was said before. */
static enum rt_copy judge_kept(const struct rt_copy_of *of, struct rt_flow_more *more,
			       const struct rt_frame *frame)
{
	uint64_t lag_ns = 0;
	enum rt_copy copy;

	if (frame->bth.opcode == RT_OP_CNP ||
	    rt_psn_delta(frame->bth.psn, of->flow->high_psn) >= 0)
		return RT_COPY_NONE;
	copy = rt_copies_seen_before(of->flows->sightings, of, frame, &more->asked,
				     &lag_ns);
	/* an ACK is repeated for many a reason */
	if (of->flow->stream == RT_STREAM_NONE && copy == RT_COPY_SURE)
		copy = RT_COPY_PERHAPS;
	more->seen_before += copy == RT_COPY_SURE;
	if (copy == RT_COPY_SURE && lag_ns > more->seen_lag_ns)
		more->seen_lag_ns = lag_ns;
	return copy == RT_COPY_NONE ? RT_COPY_NONE : RT_COPY_PERHAPS;
}

enum rt_copy rt_sequence_judge_copy(struct rt_flows *flows, uint32_t index,
				    uint32_t pair, const struct rt_frame *frame)
{
	struct rt_flow *flow = rt_flow_at(flows, index);
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	const struct rt_copy_of of = { flows, flow, more, index, pair };
	bool marked = false;
	const enum rt_copy copy = rt_copies_judge(flows->sightings, &of, frame,
						  &marked);

	/* ACKs and CNPs are often the same without being either */
	more->lookalikes += copy == RT_COPY_PERHAPS && flow->stream != RT_STREAM_NONE;
	if (copy != RT_COPY_SURE)
		return judge_kept(&of, more, frame);
	more->copies++;
	flows->pairs[pair].copied = true;
	if (more->events && frame->bth.opcode == RT_OP_CNP)
		more->events->cnp_copies++;
	if (marked && flow->pair == pair)
		move_mark(flow, more, &flows->pairs[pair], frame);
	return copy;
}

/* --- the stage ---------------------------------------------------------------- */

/* Connections whose messages were captured behind their packets. */
static void meet_late(struct rt_flows *flows)
{
	for (uint32_t i = 0; flows->connections && i < flows->count; i++) {
		const struct rt_flow *flow = rt_flow_at(flows, i);
		struct rt_flow_more *more = rt_flow_more_at(flows, i);
		struct rt_connected connected;

		if (flow->stream == RT_STREAM_NONE ||
		    !rt_connections_find(flows, flow, &connected))
			continue;
		more->connection = connected.connection;
		more->connected_qp = connected.peer_qp;
		if (flow->stream != RT_STREAM_REQUEST)
			continue;
		more->answered = RT_FLOW_ANSWERED;
		more->answer_qp = connected.peer_qp;
	}
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
			replay(&flows->hole_pool, flow, more, mtu);
		else
			infer_and_replay(&flows->hole_pool, flow, more);
	}
	meet_late(flows);
	rt_pairing_finish(flows);
	return rt_sequence_result(context, &result->sequence, err);
}

const struct rt_stage rt_stage_sequence = {
	.name = "sequence",
	.state_bytes = 1,
	.finish = sequence_finish,
};
