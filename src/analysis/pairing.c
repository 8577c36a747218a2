/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/pairing.h"

#include <stdlib.h>

#include "analysis/flow.h"
#include "analysis/syndrome.h"
#include "base/own.h"

/*
 * PSNs that an ACK may lag behind the highest one sent, and lie before the first
 * one seen; and what a NAK may lie ahead, since it names what has not come yet.
 */
#define PAIR_WINDOW 65536
#define PAIR_BEFORE 1024
#define PAIR_TRIES  16

/* Rounds of ruling out at the end; each can free a candidate of another QP. */
#define FINISH_ROUNDS 64

/* A decision stands while fewer than one ACK in so many contradicts it. */
#define CONTRADICTED 16

static bool is_ack(const struct rt_frame *frame)
{
	return rt_syndrome_kind(frame->bth.syndrome) == RT_SYNDROME_ACK;
}

/* How far the PSN lies below the top of a stream; 0: it can't belong to it. */
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

/* One QP number or one UDP source port for both ways: habits, no rules. */
static uint8_t likeness(const struct rt_frame *ack, const struct rt_flow *flow)
{
	return (uint8_t)((ack->udp_sport == flow->udp_sport ? 2 : 0) +
			 (ack->bth.dest_qp == flow->dest_qp ? 1 : 0));
}

/* A stream that is answered at another QP is no candidate. */
static bool is_taken(const struct rt_flow_more *stream, uint32_t qp)
{
	return stream->answered == RT_FLOW_ANSWERED && stream->answer_qp != qp;
}

static void release(struct rt_flows *flows, struct rt_flow_more *more)
{
	free(rt_steal(&more->pairing));
	flows->pairings--;
}

static void decide(struct rt_flows *flows, uint32_t index, uint32_t stream)
{
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	struct rt_flow_more *answered = rt_flow_more_at(flows, stream);

	more->peer = stream;
	more->peer_sure = true;
	answered->answered = RT_FLOW_ANSWERED;
	answered->answer_qp = rt_flow_at(flows, index)->dest_qp;
	if (more->pairing)
		release(flows, more);
}

/* Streams that begin above the PSN, amid which a capture may start, are second. */
static void prefer_seen(const struct rt_flows *flows, uint32_t psn,
			struct rt_pairing *pairing)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < pairing->count; i++) {
		const uint32_t first =
			rt_flow_more_at(flows, pairing->at[i].flow)->first_psn;
		const struct rt_candidate candidate = pairing->at[i];

		if (rt_psn_delta(psn, first) < 0)
			continue;
		pairing->at[i] = pairing->at[kept];
		pairing->at[kept++] = candidate;
	}
	if (kept)
		pairing->count = kept;
}

/* Candidates by the first ACK; more than there is room for are too many. */
static void collect(const struct rt_flows *flows, uint32_t index,
		    const struct rt_frame *ack, struct rt_pairing *pairing)
{
	const uint32_t back = flows->pairs[rt_flow_at(flows, index)->pair].reverse;

	pairing->count = 0;
	/* among so many none is found without all of them being looked at */
	if (back == RT_NO_INDEX || flows->pairs[back].flow_count > RT_FLOW_CANDIDATES)
		return;
	for (uint32_t at = flows->pairs[back].last_flow; at != RT_NO_INDEX;
	     at = rt_flow_more_at(flows, at)->next_in_pair) {
		const struct rt_flow *flow = rt_flow_at(flows, at);
		const struct rt_flow_more *more = rt_flow_more_at(flows, at);
		const uint32_t distance = ack_distance(flow, more, ack->bth.psn);

		if (distance == 0 || flow->transport != ack->bth.opcode >> 5 ||
		    is_taken(more, ack->bth.dest_qp))
			continue;
		if (pairing->count == RT_PAIRING_CANDIDATES) {
			pairing->count = 0;
			return;
		}
		pairing->at[pairing->count++] = (struct rt_candidate){
			.flow = at,
			.likeness = likeness(ack, flow),
			.distance_sum = distance,
		};
	}
	prefer_seen(flows, ack->bth.psn, pairing);
}

/* Only ACKs rule out: a NAK names a PSN that may not have come yet. */
static void rule_out(const struct rt_flows *flows, const struct rt_frame *ack,
		     struct rt_pairing *pairing)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < pairing->count; i++) {
		struct rt_candidate *candidate = &pairing->at[i];
		const struct rt_flow *flow = rt_flow_at(flows, candidate->flow);
		const struct rt_flow_more *more = rt_flow_more_at(flows,
								  candidate->flow);
		const uint32_t distance = ack_distance(flow, more, ack->bth.psn);

		/* While READ requests wait for a path MTU the top is not known. */
		if (is_taken(more, ack->bth.dest_qp) ||
		    (distance == 0 && is_ack(ack) && !(flow->flags & RT_FLOW_PENDING)))
			continue;
		candidate->distance_sum += distance;
		pairing->at[kept++] = *candidate;
	}
	pairing->count = kept;
}

/* The likeliest, RT_NO_INDEX when two are alike. */
static uint32_t best_of(const struct rt_pairing *pairing)
{
	const struct rt_candidate *best = &pairing->at[0];
	bool tie = false;

	for (uint32_t i = 1; i < pairing->count; i++) {
		const struct rt_candidate *at = &pairing->at[i];

		if (at->likeness > best->likeness ||
		    (at->likeness == best->likeness &&
		     at->distance_sum < best->distance_sum)) {
			best = at;
			tie = false;
		} else if (at->likeness == best->likeness &&
			   at->distance_sum == best->distance_sum) {
			tie = true;
		}
	}
	return tie || pairing->count == 0 ? RT_NO_INDEX : best->flow;
}

static struct rt_pairing *start(struct rt_flows *flows, struct rt_flow_more *more)
{
	if (more->peer_tries == PAIR_TRIES || flows->pairings == RT_PAIRINGS)
		return NULL;
	more->peer_tries++;
	more->pairing = malloc(sizeof(*more->pairing));
	flows->pairings += more->pairing != NULL;
	return more->pairing;
}

static uint32_t narrow(struct rt_flows *flows, uint32_t index,
		       const struct rt_frame *ack, bool *ret_sure)
{
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	uint32_t told;

	if (more->peer_tries == PAIR_TRIES && !more->pairing)
		return RT_NO_INDEX;
	if (rt_connections_stream(flows, rt_flow_at(flows, index), &told)) {
		more->peer_tries += more->peer_tries < PAIR_TRIES;
		*ret_sure = told != RT_NO_INDEX;
		if (*ret_sure)
			decide(flows, index, told);
		return told;
	}
	if (more->pairing)
		rule_out(flows, ack, more->pairing);
	else if (start(flows, more))
		collect(flows, index, ack, more->pairing);
	else
		return RT_NO_INDEX;
	if (more->pairing->count == 1) {
		*ret_sure = true;
		decide(flows, index, more->pairing->at[0].flow);
		return more->peer;
	}
	if (more->pairing->count == 0) {
		release(flows, more);
		return RT_NO_INDEX;
	}
	return best_of(more->pairing);
}

uint32_t rt_pairing_take(struct rt_flows *flows, uint32_t index,
			 const struct rt_frame *ack, bool *ret_sure)
{
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	const struct rt_flow *stream;

	*ret_sure = false;
	if (more->peer == RT_NO_INDEX)
		return narrow(flows, index, ack, ret_sure);
	stream = rt_flow_at(flows, more->peer);
	*ret_sure = true;
	more->peer_acks += is_ack(ack);
	if (is_ack(ack) && !(stream->flags & RT_FLOW_PENDING) &&
	    rt_psn_delta(stream->high_psn, ack->bth.psn) < 1) {
		more->peer_misses++;
		*ret_sure = false;
	}
	return more->peer;
}

/* --- at the end -------------------------------------------------------------- */

/* What got decided since takes streams away from the others. */
static bool decide_more(struct rt_flows *flows)
{
	bool decided = false;

	for (uint32_t i = 0; i < flows->count; i++) {
		struct rt_flow_more *more = rt_flow_more_at(flows, i);
		struct rt_pairing *pairing = more->pairing;
		uint32_t kept = 0;

		if (!pairing)
			continue;
		for (uint32_t c = 0; c < pairing->count; c++)
			if (!is_taken(rt_flow_more_at(flows, pairing->at[c].flow),
				      rt_flow_at(flows, i)->dest_qp))
				pairing->at[kept++] = pairing->at[c];
		pairing->count = kept;
		if (kept == 1) {
			decide(flows, i, pairing->at[0].flow);
			decided = true;
		}
	}
	return decided;
}

/* A decision that later ACKs speak against was none. */
static void doubt(struct rt_flows *flows, struct rt_flow_more *more)
{
	if (!more->peer_sure || more->peer_misses == 0 ||
	    more->peer_misses * CONTRADICTED < more->peer_acks)
		return;
	more->peer_sure = false;
	rt_flow_more_at(flows, more->peer)->answered = RT_FLOW_GUESSED;
}

/* Of the streams that nobody has taken yet. */
static void guess(struct rt_flows *flows, uint32_t index)
{
	struct rt_flow_more *more = rt_flow_more_at(flows, index);
	struct rt_pairing *pairing = more->pairing;
	const uint32_t qp = rt_flow_at(flows, index)->dest_qp;
	uint32_t kept = 0, best;

	for (uint32_t i = 0; i < pairing->count; i++) {
		struct rt_flow_more *stream = rt_flow_more_at(flows,
							      pairing->at[i].flow);

		if (stream->answered == RT_FLOW_UNANSWERED)
			stream->answered = RT_FLOW_AMBIGUOUS;
		if (stream->answered == RT_FLOW_AMBIGUOUS || stream->answer_qp == qp)
			pairing->at[kept++] = pairing->at[i];
	}
	pairing->count = kept;
	best = best_of(pairing);
	release(flows, more);
	if (best == RT_NO_INDEX)
		return;
	more->peer = best;
	rt_flow_more_at(flows, best)->answered = RT_FLOW_GUESSED;
	rt_flow_more_at(flows, best)->answer_qp = qp;
}

/* The copy that counts may stand at another interface than the ACKs. */
static void tell_primary(struct rt_flows *flows, const struct rt_flow_more *more)
{
	struct rt_flow_more *primary = rt_flow_more_at(flows, more->primary);

	if (primary->answered != RT_FLOW_UNANSWERED)
		return;
	primary->answered = more->answered;
	primary->answer_qp = more->answer_qp;
}

void rt_pairing_finish(struct rt_flows *flows)
{
	for (unsigned round = 0; round < FINISH_ROUNDS && flows->pairings; round++)
		if (!decide_more(flows))
			break;
	for (uint32_t i = 0; i < flows->count; i++)
		doubt(flows, rt_flow_more_at(flows, i));
	for (uint32_t i = 0; i < flows->count && flows->pairings; i++)
		if (rt_flow_more_at(flows, i)->pairing)
			guess(flows, i);
	for (uint32_t i = 0; i < flows->count; i++)
		tell_primary(flows, rt_flow_more_at(flows, i));
}
