/* SPDX-License-Identifier: BSD-2-Clause */
/* sequence.h - the parts of the sequence stage. */
#ifndef RT_ANALYSIS_SEQUENCE_H
#define RT_ANALYSIS_SEQUENCE_H

struct rt_analysis_sequence;
struct rt_err;
struct rt_stage_context;

/* Rows and sums from the flow table; also writes each flow's row.  -ENOMEM. */
int rt_sequence_result(struct rt_stage_context *context,
		       struct rt_analysis_sequence *sequence, struct rt_err *err);

#endif
