/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usual.h - the frame that nothing is to be said of but that it came.
 *
 * Nine frames of ten are RoCEv2 over IPv4, carry a part of a SEND, WRITE or READ
 * response without an AETH, and have nothing odd about them: no tag, no tunnel, no
 * damage, no checked ICRC.  That much is seen in three words of the frame.  For these
 * the flow is looked up and counted with what cannot be left out of them; all others,
 * and usual ones that are not the next of their stream, go through the stages.
 */
#ifndef RT_ANALYSIS_USUAL_H
#define RT_ANALYSIS_USUAL_H

#include "analysis/flow.h"
#include "analysis/sequence.h"

/* What an opcode is, for usual frames; 0: such frames are not. */
enum rt_usual_op {
	RT_USUAL_STARTS = 1 << 0, /* a message */
	RT_USUAL_FULL = 1 << 1,   /* the payload is one path MTU */
	RT_USUAL = 1 << 2,        /* always */
};

static inline uint8_t rt_usual_op(const struct rt_op *op)
{
	if (op->stream == RT_STREAM_NONE || op->bits & RT_OP_ASKS ||
	    op->ext & (RT_EXT_AETH | RT_EXT_DETH | RT_EXT_RDETH))
		return 0;
	return (uint8_t)(RT_USUAL | (op->bits & RT_OP_STARTS ? RT_USUAL_STARTS : 0) |
			 (op->bits & RT_OP_FULL ? RT_USUAL_FULL : 0));
}

/* ops: rt_usual_op() of each opcode. */
static inline bool rt_is_usual(const struct rt_frame *frame, const uint8_t ops[256])
{
	uint32_t kind;
	uint64_t flags;

	_Static_assert(offsetof(struct rt_frame, icrc) ==
				       offsetof(struct rt_frame, kind) + 3 &&
			       offsetof(struct rt_frame, vlan_tags) ==
				       offsetof(struct rt_frame, flags) + 6,
		       "fields are looked at by words");
	memcpy(&kind, &frame->kind, sizeof(kind));
	memcpy(&flags, &frame->flags, sizeof(flags));
	return kind == (RT_FRAME_ROCE | RT_ROCE_V2 << 8 | RT_ENCAP_NONE << 16 |
			(uint32_t)RT_ICRC_NONE << 24) &&
	       (flags & ((uint64_t)0xFF << 48 |
			 (UINT16_MAX & ~(RT_FRAME_CUT | RT_FRAME_DIGEST)))) == 0 &&
	       frame->dst.version == 4 && ops[frame->bth.opcode];
}

static inline uint32_t rt_usual_ip(const struct rt_ip *ip)
{
	uint32_t word;

	memcpy(&word, ip->bytes, sizeof(word));
	return word;
}

/* As rt_flow_key_of() makes it. */
static inline uint64_t rt_usual_hash(const struct rt_frame *frame)
{
	return rt_flow_hash_of(rt_usual_ip(&frame->dst), 0,
			       rt_flow_qps(frame->bth.dest_qp, 0,
					   rt_ops[frame->bth.opcode].stream,
					   frame->interface, 4));
}

/* Is this the frame's flow, and does it come from that flow's pair? */
static inline bool rt_usual_is_of(const struct rt_frame *frame,
				  const struct rt_flow *flow)
{
	uint32_t last; /* interface, stream, version */

	_Static_assert(offsetof(struct rt_flow, stream) ==
				       offsetof(struct rt_flow, interface) + 2 &&
			       offsetof(struct rt_flow, version) ==
				       offsetof(struct rt_flow, interface) + 3,
		       "fields are looked at by words");
	memcpy(&last, &flow->interface, sizeof(last));
	return flow->dst.low == rt_usual_ip(&frame->dst) &&
	       flow->src.low == rt_usual_ip(&frame->src) &&
	       flow->dest_qp == frame->bth.dest_qp &&
	       (flow->src.high | flow->src_qp) == 0 &&
	       last == (frame->interface |
			(uint32_t)rt_ops[frame->bth.opcode].stream << 16 | 4u << 24);
}

/* The next of its stream, and nothing open: what rt_sequence_expected() asks. */
static inline bool rt_usual_is_next(const struct rt_flow *flow,
				    const struct rt_frame *frame, unsigned op)
{
	const struct rt_bth *bth = &frame->bth;

	return bth->psn == flow->next_psn && bth->psn == flow->high_psn &&
	       (flow->flags & (RT_FLOW_WATCHED | RT_FLOW_STARTED)) == RT_FLOW_STARTED &&
	       !flow->last_bad &&
	       (!(op & RT_USUAL_FULL) || flow->mtu == bth->payload_bytes);
}

#endif
