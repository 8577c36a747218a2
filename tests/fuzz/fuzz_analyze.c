/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_analyze.c - any bytes as a capture, analysed and judged; sums must agree
 * with the rows they are made of.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnosis.h"
#include "base/own.h"
#include "rocetune/analysis.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(const struct rt_analysis *analysis)
{
	uint64_t kinds = 0, opcodes = 0, asks = 0, directions = 0, flows = 0;

	for (size_t i = 0; i < analysis->capture.kind_count; i++)
		kinds += analysis->capture.kinds[i].frames;
	HOLDS(kinds == analysis->capture.frames);
	for (size_t i = 0; i < analysis->roce.opcode_count; i++) {
		const struct rt_analysis_opcode *row = &analysis->roce.opcodes[i];

		opcodes += row->frames;
		if (rt_ops[row->opcode & 0xff].bits & RT_OP_ASKS)
			asks += row->frames;
	}
	HOLDS(opcodes + analysis->roce.bth_cut == analysis->roce.frames);
	for (size_t i = 0; i < analysis->roce.direction_count; i++)
		directions += analysis->roce.directions[i].frames;
	HOLDS(directions + analysis->roce.direction_copies +
		      analysis->roce.direction_overflow ==
	      opcodes);
	for (size_t i = 0; i < analysis->sequence.flow_count; i++) {
		const struct rt_analysis_flow *flow = &analysis->sequence.flows[i];

		flows += flow->frames;
		HOLDS(flow->resent_bytes <= flow->payload_bytes);
		HOLDS(flow->h_episodes <= flow->h_behind);
		HOLDS(flow->p_rewinds ==
		      flow->rewinds_nak + flow->rewinds_rnr + flow->rewinds_alone);
		HOLDS(flow->timeouts.value <= flow->rewinds_alone);
	}
	HOLDS(flows == analysis->sequence.frames);
	/* Requests that only ask have a place in a stream, and bring no data. */
	HOLDS(analysis->sequence.frames <= analysis->marks.data_frames + asks);
	HOLDS(analysis->sequence.frames + analysis->roce.copies <=
	      analysis->roce.frames);
	HOLDS(analysis->connections.paired + analysis->connections.overflow <=
	      analysis->connections.messages);
	HOLDS(analysis->connections.list_count <= analysis->connections.messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	RT_AUTO(rt_auto_source_close) struct rt_source *source = NULL;
	const struct rt_analysis_config config = {
		/* The last byte chooses, so that both ways are seen. */
		.link_speed_bps = { .value = 100000000000,
				    .known = bytes && data[bytes - 1] & 1 },
		.max_flows = bytes && data[bytes - 1] & 2 ? 3 : 0,
	};
	const unsigned flags = RT_DECODE_ICRC |
			       (bytes && data[bytes - 1] & 4 ? 0 : RT_DECODE_DIGEST);
	struct rt_findings findings = { 0 };
	struct rt_analysis analysis;
	struct rt_err err = { 0 };

	if (rt_capture_open_memory(data, bytes, flags, &source, &err) < 0)
		return 0;
	if (rt_analysis_of_source(source, &config, &analysis, &err) < 0) {
		HOLDS(err.code < 0 && err.msg[0]);
		return 0;
	}
	check(&analysis);
	HOLDS(rt_diagnose(&analysis, &findings, &err) == 0);
	rt_findings_free(&findings);
	rt_analysis_free(&analysis);
	return 0;
}
