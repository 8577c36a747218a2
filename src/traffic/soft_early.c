/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_early.c - frames that overtake each other: a path that lets them, played in front
 * of this end, and an end that keeps what comes too early.
 *
 * A receiver of go-back-N takes a packet that is early for the sign of a loss (IBTA
 * 9.7.5.2.5) and asks for all again.  NICs that expect paths to reorder keep it instead
 * and wait, as these do here.  What is further ahead than they keep is a loss.
 */
#include <stdlib.h>

#include "rocetune/units.h"
#include "traffic/soft_state.h"

/* The longest that a frame is held back for one of its queue pair to overtake it. */
#define HELD_PS (2 * RT_PS_PER_MS)

/* --- the path --------------------------------------------------------------- */

static bool is_data(const struct rt_frame *frame)
{
	return frame->kind == RT_FRAME_ROCE && frame->bth.payload_bytes;
}

/* It is frame's turn; keep it back: a copy, as bytes are borrowed. */
static bool hold(struct rt_soft *soft, const struct rt_frame *frame,
		 const uint8_t *data)
{
	struct rt_soft_held *held = &soft->held;

	if (held->bytes || frame->wire_bytes > soft->slot_bytes ||
	    rt_rng_below(&soft->rng, RT_PPB) >= soft->config.faults.overtake_ppb)
		return false;
	memcpy(held->data, data, frame->wire_bytes);
	held->bytes = frame->wire_bytes;
	held->qp = frame->bth.dest_qp;
	held->until_ps = soft->now_ps + HELD_PS;
	return true;
}

bool rt_soft_hold_back(struct rt_soft *soft, const struct rt_frame *frame,
		       const uint8_t *data)
{
	if (!soft->held.data || !is_data(frame))
		return false;
	if (soft->held.bytes && soft->held.qp == frame->bth.dest_qp) {
		soft->held.until_ps = 0; /* it is overtaken now */
		return false;
	}
	return hold(soft, frame, data);
}

uint32_t rt_soft_let_go(struct rt_soft *soft)
{
	struct rt_soft_held *held = &soft->held;
	const uint32_t bytes = held->bytes;

	if (!bytes || soft->now_ps < held->until_ps)
		return 0;
	held->bytes = 0;
	return bytes;
}

uint64_t rt_soft_held_next_ps(const struct rt_soft *soft)
{
	return soft->held.bytes ? soft->held.until_ps : RT_PS_NEVER;
}

/* --- the end ---------------------------------------------------------------- */

bool rt_soft_keep_early(struct rt_soft *soft, struct rt_soft_qp *qp,
			const struct rt_bth *bth)
{
	const uint32_t ahead = rt_psn_distance(bth->psn, qp->rx.expected_psn);
	const uint32_t at = bth->psn % RT_SOFT_EARLY_MAX;

	if (!soft->config.faults.keep_early || !ahead || ahead >= RT_SOFT_EARLY_MAX)
		return false;
	if (!qp->early)
		qp->early = calloc(RT_SOFT_EARLY_MAX, sizeof(*qp->early));
	if (!qp->early)
		return false;
	if (qp->early_mask >> at & 1) {
		qp->stats.duplicates++;
		return true;
	}
	qp->stats.early++;
	qp->early[at] = *bth;
	qp->early_mask |= UINT64_C(1) << at;
	return true;
}

const struct rt_bth *rt_soft_next_early(struct rt_soft_qp *qp)
{
	const uint32_t at = qp->rx.expected_psn % RT_SOFT_EARLY_MAX;

	if (!(qp->early_mask >> at & 1))
		return NULL;
	qp->early_mask &= ~(UINT64_C(1) << at);
	return &qp->early[at];
}
