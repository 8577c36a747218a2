/* SPDX-License-Identifier: BSD-2-Clause */
/* marks.h - ECN codepoints and CNPs, frame by frame. */
#ifndef RT_ANALYSIS_MARKS_H
#define RT_ANALYSIS_MARKS_H

#include "analysis/stage.h"

/* Of frames whose flow had no room; flows count themselves. */
struct marks {
	uint64_t cnps;
	uint64_t data_frames, data_ce, data_not_ect;
};

/* Of the QP that the CNP goes to.  -ENOMEM. */
int rt_marks_take_cnp(struct rt_flow_more *more, const struct rt_frame *frame,
		      struct rt_err *err);

/* Of a stream, one that brings no data.  -ENOMEM. */
int rt_marks_take_ask(struct rt_flow_more *more, const struct rt_frame *frame,
		      struct rt_err *err);

static inline void rt_marks_take_other(struct marks *marks,
				       const struct rt_frame *frame)
{
	if (rt_is_data(frame)) {
		marks->data_frames++;
		marks->data_ce += frame->ecn == RT_ECN_CE;
		marks->data_not_ect += frame->ecn == RT_ECN_NOT_ECT;
	}
	marks->cnps += frame->bth.opcode == RT_OP_CNP;
}

#endif
