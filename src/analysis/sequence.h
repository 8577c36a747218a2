/* SPDX-License-Identifier: BSD-2-Clause */
/* sequence.h - PSNs: the frame that was expected, and streams as rows of the result. */
#ifndef RT_ANALYSIS_SEQUENCE_H
#define RT_ANALYSIS_SEQUENCE_H

#include "analysis/stage.h"

#define RT_PSN_MASK 0xFFFFFFu

/*
 * A frame of a stream that is not the one expected, or from which something is
 * learned; *ret_again: its payload was seen before, or is damaged.  -ENOMEM.
 */
int rt_sequence_take_data(struct rt_flows *flows, uint32_t index,
			  const struct rt_frame *frame, bool *ret_again,
			  struct rt_err *err);

/* An acknowledgement, alone or in a READ response, to the QP of flow index.  -ENOMEM. */
int rt_sequence_take_aeth(struct rt_flows *flows, uint32_t index,
			  const struct rt_frame *frame, struct rt_err *err);

/*
 * Is a frame that may be one a copy of another?  Counts copies and what looks like
 * one.  For frames with a digest.  Perhaps: it stays, but its id is no new one.
 */
enum rt_copy rt_sequence_judge_copy(struct rt_flows *flows, uint32_t index,
				    uint32_t pair, const struct rt_frame *frame);

/*
 * Only a frame that is not above all before it can be a copy of one; CNPs have
 * no PSN, and while READ requests wait the top of the stream is not known.
 */
static inline bool rt_sequence_may_be_copy(const struct rt_flow *flow,
					   const struct rt_frame *frame)
{
	return rt_psn_delta(frame->bth.psn, flow->high_psn) < 0 ||
	       frame->bth.opcode == RT_OP_CNP || flow->flags & RT_FLOW_PENDING;
}

/* True when the frame is a copy, to be left out; it is remembered either way. */
static inline bool rt_sequence_is_copy(struct rt_flows *flows, uint32_t index,
				       struct rt_flow *flow, uint32_t pair,
				       const struct rt_frame *frame)
{
	enum rt_copy copy = RT_COPY_NONE;

	if (__builtin_expect(rt_sequence_may_be_copy(flow, frame), 0))
		copy = rt_sequence_judge_copy(flows, index, pair, frame);
	rt_copies_remember(flows->sightings, index, pair, frame, copy == RT_COPY_SURE);
	if (copy == RT_COPY_NONE && frame->bth.opcode != RT_OP_CNP)
		rt_ip_ids_take(&flow->ids, frame);
	return copy == RT_COPY_SURE;
}

/* What keeps a frame from being the next of its stream, whatever its PSN. */
#define RT_FLOW_WATCHED \
	(RT_FLOW_FILLED | RT_FLOW_IN_BEHIND | RT_FLOW_NAKED | RT_FLOW_PENDING)

/* Nothing happens: the PSN that comes next, nothing open, nothing to learn. */
static inline bool rt_sequence_expected(const struct rt_flow *flow,
					const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;
	const unsigned bits = rt_ops[bth->opcode].bits;

	return bth->psn == flow->next_psn && bth->psn == flow->high_psn &&
	       (flow->flags & (RT_FLOW_WATCHED | RT_FLOW_STARTED)) == RT_FLOW_STARTED &&
	       !flow->last_bad && frame->icrc != RT_ICRC_BAD &&
	       !(bits & RT_OP_IS_READ) &&
	       (!(bits & RT_OP_FULL) || flow->mtu == bth->payload_bytes);
}

/* ACKs: the flow's top is that of its acknowledgements. */
static inline void rt_sequence_answer(struct rt_flow *flow, uint32_t psn)
{
	const uint32_t end = (psn + 1) & RT_PSN_MASK;

	if (!(flow->flags & RT_FLOW_STARTED) || rt_psn_delta(end, flow->high_psn) > 0)
		flow->high_psn = end;
	flow->flags |= RT_FLOW_STARTED;
}

static inline int rt_sequence_take(struct rt_flows *flows, uint32_t index,
				   struct rt_flow *flow, const struct rt_frame *frame,
				   bool *ret_again, struct rt_err *err)
{
	const struct rt_bth *bth = &frame->bth;
	int r = 0;

	if (frame->icrc == RT_ICRC_OK)
		rt_flow_more_at(flows, index)->icrc_ok++;
	else if (frame->icrc == RT_ICRC_BAD)
		rt_flow_more_at(flows, index)->icrc_bad++;
	if (bth->ext & RT_EXT_AETH)
		r = rt_sequence_take_aeth(flows, index, frame, err);
	if (r < 0)
		return r;
	if (flow->stream != RT_STREAM_NONE) {
		if (__builtin_expect(rt_sequence_expected(flow, frame), 1)) {
			flow->messages += rt_ops[bth->opcode].bits & RT_OP_STARTS;
			flow->payload_bytes += bth->payload_bytes;
			flow->next_psn = flow->high_psn = (bth->psn + 1) & RT_PSN_MASK;
		} else {
			r = rt_sequence_take_data(flows, index, frame, ret_again, err);
		}
	} else if (bth->opcode != RT_OP_CNP) {
		rt_sequence_answer(flow, bth->psn);
	}
	if (frame->time_ns > flow->last_ns)
		flow->last_ns = frame->time_ns;
	return r;
}

/* After the last frame: rows and sums.  -ENOMEM. */
int rt_sequence_result(struct rt_stage_context *context,
		       struct rt_analysis_sequence *sequence, struct rt_err *err);

#endif
