/* SPDX-License-Identifier: BSD-2-Clause */
/* sequence.h - the parts of the sequence stage. */
#ifndef RT_ANALYSIS_SEQUENCE_H
#define RT_ANALYSIS_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

struct rt_analysis_sequence;
struct rt_err;
struct rt_hole_pool;
struct rt_flow;
struct rt_flow_more;
struct rt_stage_context;

/* What a frame takes of its stream: span PSNs from psn. */
struct rt_psns {
	uint32_t psn, span;
	int64_t time_ns;
};

/*
 * Judge a frame against what the stream has seen; true when it has been seen
 * before: behind the highest, and not filling a gap.
 */
bool rt_sequence_take(struct rt_hole_pool *pool, struct rt_flow *flow,
		      struct rt_flow_more *more, const struct rt_psns *psns);

/* Rows and sums from the flow table; also writes each flow's row.  -ENOMEM. */
int rt_sequence_result(struct rt_stage_context *context,
		       struct rt_analysis_sequence *sequence, struct rt_err *err);

#endif
