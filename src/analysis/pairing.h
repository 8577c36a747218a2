/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pairing.h - which stream the acknowledgements toward a QP answer.
 *
 * An ACK names the QP it goes to and a PSN; the stream it answers runs the other
 * way, and its packets do not name that QP.  So all streams of the other
 * direction in whose range the first PSN lies are candidates, and each further
 * ACK rules some out: nobody acknowledges what has not been sent, and a stream
 * is answered at one QP only.  One candidate left is the answer.  Where several
 * are left to the end, the likeliest is a guess that says so, or none is.
 */
#ifndef RT_ANALYSIS_PAIRING_H
#define RT_ANALYSIS_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

struct rt_flows;
struct rt_frame;

#define RT_PAIRING_CANDIDATES 32u
#define RT_PAIRINGS           16384u /* undecided at one time */

struct rt_candidate {
	uint32_t flow;
	uint8_t likeness;      /* by habits of NICs, for a guess only */
	uint64_t distance_sum; /* of acknowledged PSNs to the top of the stream */
};

struct rt_pairing {
	uint32_t count;
	struct rt_candidate at[RT_PAIRING_CANDIDATES];
};

/*
 * Take an acknowledgement that goes to the QP of flow index, and return the
 * stream it answers as far as is known now, for what has to be decided at once;
 * RT_NO_INDEX: nobody knows.  *ret_sure: no other is possible.
 */
uint32_t rt_pairing_take(struct rt_flows *flows, uint32_t index,
			 const struct rt_frame *ack, bool *ret_sure);

/*
 * At the end, after rt_flows_choose(): rule out what can be, guess the rest;
 * writes peer and answered.
 */
void rt_pairing_finish(struct rt_flows *flows);

#endif
