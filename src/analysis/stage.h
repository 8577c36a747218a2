/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stage.h - the stages of the analysis: one row each, one pass over the frames.
 *
 * The driver (analysis.c) looks up the flows of a batch, then shows the frames to
 * every stage in the order of its table.  A stage owns its state, its members
 * of the shared records (flow.h) and its section of the result.
 *
 * Four stages look at every RoCE frame.  What they do with one is an inline function
 * of their header, and the driver's loop calls the four in a row: so a frame and its
 * flow are fetched once, and the compiler sees what the stages have in common.  What
 * is rare stands out of line.  Other stages take the frames of their kinds alone.
 */
#ifndef RT_ANALYSIS_STAGE_H
#define RT_ANALYSIS_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/flow.h"
#include "rocetune/analysis.h"

#define RT_BATCH_FRAMES 64

struct rt_batch {
	const struct rt_frame *frames;
	uint32_t count;
	/* Of RoCE frames; RT_NO_INDEX where there is none. */
	uint32_t flow[RT_BATCH_FRAMES], pair[RT_BATCH_FRAMES];
	uint64_t usual; /* bit i: a usual frame (usual.h) */
};

/* What all stages share. */
struct rt_stage_context {
	struct rt_opt_u64
		link_speed_bps; /* the user's; known: goes before the file's */
	const struct rt_capture_if *interfaces; /* valid during a call */
	size_t interface_count;
	struct rt_flows flows;
	bool has_time; /* first_ns, min_ns and max_ns are valid */
	int64_t first_ns, min_ns, max_ns;
};

struct rt_stage {
	const char *name;
	size_t state_bytes; /* zeroed by the driver, which also frees it */
	/* Fills the stage's section; what it allocates there is the result's. */
	int (*finish)(void *state, struct rt_stage_context *context,
		      struct rt_analysis *result, struct rt_err *err);
	void (*free)(void *state); /* of what the state points to; may be NULL */
};

/* Other kinds of frames than RoCE, one at a time.  -ENOMEM. */
int rt_pauses_take(void *state, const struct rt_stage_context *context,
		   const struct rt_frame *frame, struct rt_err *err);

extern const struct rt_stage rt_stage_overview, rt_stage_connections, rt_stage_pauses,
	rt_stage_sequence, rt_stage_marks, rt_stage_throughput;

/*
 * Frames that bring data: SEND, WRITE, READ Response, however few bytes of it.
 * Requests that only ask (READ, atomics, FLUSH, RESYNC) have PSNs of a stream and bring
 * none.
 */
static inline bool rt_is_data(const struct rt_frame *frame)
{
	const struct rt_op *op = &rt_ops[frame->bth.opcode];

	return op->stream != RT_STREAM_NONE && !(op->bits & RT_OP_ASKS);
}

/* Nanoseconds from a to b, 0 when b is not later; for any two time stamps. */
static inline uint64_t rt_elapsed_ns(int64_t a, int64_t b)
{
	return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

/*
 * bytes over ns as bits per second; unknown when no time passed, and when lengths
 * that a damaged file claims make a rate that no integer holds.
 */
static inline struct rt_opt_u64 rt_rate_bps(uint64_t bytes, uint64_t ns)
{
	const double rate = ns ? (double)bytes * 8e9 / (double)ns : 0;

	if (ns == 0 || rate >= 0x1p63)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64((uint64_t)(rate + 0.5));
}

#endif
