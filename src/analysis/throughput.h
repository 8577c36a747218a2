/* SPDX-License-Identifier: BSD-2-Clause */
/* throughput.h - a frame that lies in the window of the one before. */
#ifndef RT_ANALYSIS_THROUGHPUT_H
#define RT_ANALYSIS_THROUGHPUT_H

#include "analysis/stage.h"

#define RT_FIRST_WINDOW_NS 1000u

/* Preamble, FCS and gap, which a frame takes on the wire beside its bytes. */
#define RT_LINK_OVERHEAD_BYTES 24u

/* Beyond it a frame is a mistake, and products would overflow. */
#define RT_LONGEST_BYTES (1u << 20)

/* A byte at 400 Gb/s takes 0.02 ns: its time has a fraction of so many bits. */
#define RT_BYTE_NS_BITS 20

struct throughput {
	unsigned doublings;
	uint64_t window_ns; /* the width that makes; 0: no data yet */
	unsigned current;   /* window of the last frame, which starts at ... */
	uint64_t current_ns;
	uint32_t followed; /* pairs that have windows */
	uint64_t not_followed;
	bool has_speed; /* of the interface of the last frame: */
	uint16_t interface;
	uint64_t byte_ns; /* time of a byte, in 2^-RT_BYTE_NS_BITS ns; 0: not known */
};

/* Time that a frame takes on its link; 0: not known, or no frame and no link. */
static inline uint64_t rt_throughput_wire_ns(const struct throughput *state,
					     const struct rt_frame *frame)
{
	const uint64_t bytes = (uint64_t)frame->wire_bytes + RT_LINK_OVERHEAD_BYTES;

	return state->byte_ns == 0 || frame->wire_bytes > RT_LONGEST_BYTES
		       ? 0
		       : bytes * state->byte_ns >> RT_BYTE_NS_BITS;
}

/* Any frame with a payload; again: it was seen before.  -ENOMEM. */
int rt_throughput_take_data(struct throughput *state, struct rt_stage_context *context,
			    struct rt_pair *pair, const struct rt_frame *frame,
			    bool again, struct rt_err *err);

/*
 * The same for one that comes in the order of time and lies in the current window.
 */
static inline int rt_throughput_take(struct throughput *state,
				     struct rt_stage_context *context,
				     struct rt_pair *pair, const struct rt_frame *frame,
				     bool again, struct rt_err *err)
{
	const uint64_t in_ns = (uint64_t)frame->time_ns - (uint64_t)context->first_ns -
			       state->current_ns;
	const uint64_t span_ns = rt_throughput_wire_ns(state, frame);

	if (__builtin_expect(!pair->windows || frame->time_ns < pair->last_ns ||
				     in_ns >= state->window_ns ||
				     state->window_ns - in_ns < span_ns ||
				     state->interface != frame->interface || again,
			     0))
		return rt_throughput_take_data(state, context, pair, frame, again, err);
	if (pair->window != state->current) {
		rt_pair_flush(pair);
		pair->window = state->current;
	}
	pair->last_ns = frame->time_ns;
	pair->last_span_ns = span_ns;
	pair->now.frames++;
	pair->now.ce += frame->ecn == RT_ECN_CE;
	pair->now.good_bytes += frame->bth.payload_bytes;
	pair->now.wire_bytes += frame->wire_bytes;
	return 0;
}

#endif
