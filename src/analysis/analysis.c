/* SPDX-License-Identifier: BSD-2-Clause */
/* analysis.c - the driver: batches through the flow table and the stages. */
#include "rocetune/analysis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/marks.h"
#include "analysis/overview.h"
#include "analysis/sequence.h"
#include "analysis/stage.h"
#include "analysis/throughput.h"
#include "analysis/usual.h"
#include "base/own.h"
#include "rocetune/err.h"

/*
 * In the order in which they see a frame: throughput uses what sequence found
 * out about it; marks and sequence results are summed before.
 */
enum {
	STAGE_OVERVIEW,
	STAGE_CONNECTIONS,
	STAGE_PAUSES,
	STAGE_SEQUENCE,
	STAGE_MARKS,
	STAGE_THROUGHPUT,
	STAGES,
};

static const struct rt_stage *const stages[STAGES] = {
	[STAGE_OVERVIEW] = &rt_stage_overview,
	[STAGE_CONNECTIONS] = &rt_stage_connections,
	[STAGE_PAUSES] = &rt_stage_pauses,
	[STAGE_SEQUENCE] = &rt_stage_sequence,
	[STAGE_MARKS] = &rt_stage_marks,
	[STAGE_THROUGHPUT] = &rt_stage_throughput,
};

struct rt_analyzer {
	struct rt_stage_context context;
	void *states[STAGES];
	uint8_t usual_ops[256]; /* enum rt_usual_op */
};

int rt_analyzer_new(const struct rt_analysis_config *config,
		    struct rt_analyzer **ret_analyzer, struct rt_err *err)
{
	RT_AUTO(rt_auto_analyzer_free)
	struct rt_analyzer *analyzer = calloc(1, sizeof(*analyzer));
	uint32_t max = config->max_flows;
	int r;

	if (!analyzer)
		return rt_err_sys(err, -ENOMEM, "cannot start the analysis");
	if (max == 0 || max > RT_ANALYSIS_MAX_FLOWS)
		max = RT_ANALYSIS_MAX_FLOWS;
	analyzer->context.link_speed_bps = config->link_speed_bps;
	for (unsigned i = 0; i < 256; i++)
		analyzer->usual_ops[i] = config->long_way ? 0 : rt_usual_op(&rt_ops[i]);
	r = rt_flows_init(&analyzer->context.flows, max, err);
	for (size_t i = 0; r == 0 && i < STAGES; i++) {
		analyzer->states[i] = calloc(1, stages[i]->state_bytes);
		if (!analyzer->states[i])
			r = rt_err_sys(err, -ENOMEM, "cannot start the analysis");
	}
	if (r == 0)
		*ret_analyzer = rt_steal(&analyzer);
	return r;
}

/* Frames that came before any time did: they count as seen at the first of it. */
static void start_clock(struct rt_stage_context *context, int64_t now_ns)
{
	struct rt_flows *flows = &context->flows;

	context->has_time = true;
	context->first_ns = context->min_ns = context->max_ns = now_ns;
	for (uint32_t i = 0; i < flows->count; i++) {
		struct rt_flow *flow = rt_flow_at(flows, i);
		struct rt_flow_more *more = rt_flow_more_at(flows, i);

		flow->last_ns = now_ns;
		more->first_ns = now_ns;
		if (more->events)
			more->events->nak_ns = more->events->cnp_first_ns =
				more->events->cnp_last_ns = now_ns;
	}
	for (size_t i = 0; i < flows->pair_count; i++)
		flows->pairs[i].first_ns = flows->pairs[i].last_ns = now_ns;
}

static inline void note_time(struct rt_stage_context *context, int64_t time_ns)
{
	if (time_ns > context->max_ns)
		context->max_ns = time_ns;
	else if (time_ns < context->min_ns)
		context->min_ns = time_ns;
}

/* The first batch that has a time starts the clock before its flows are made. */
static void note_times(struct rt_stage_context *context, const struct rt_batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct rt_frame *frame = &batch->frames[i];

		if (frame->flags & RT_FRAME_NO_TIME)
			continue;
		if (!context->has_time)
			start_clock(context, frame->time_ns);
		note_time(context, frame->time_ns);
	}
}

/* A RoCE frame that has a flow: its transport header is there. */
static inline bool has_flow(const struct rt_frame *frame)
{
	return frame->kind == RT_FRAME_ROCE && !(frame->flags & RT_FRAME_BTH_CUT);
}

static int find_flow(struct rt_flows *flows, struct rt_batch *batch, uint32_t i,
		     struct rt_err *err)
{
	struct rt_flow_found found = { RT_NO_INDEX, RT_NO_INDEX };
	struct rt_flow_key key;
	int r = 0;

	if (has_flow(&batch->frames[i])) {
		rt_flow_key_of(&batch->frames[i], &key);
		r = rt_flows_find(flows, &key, &batch->frames[i], &found, err);
	}
	batch->flow[i] = found.flow;
	batch->pair[i] = found.pair;
	return r;
}

/*
 * Each pass touches what the one before it has sent for: the directory's slots,
 * the flow records behind them, their pairs.
 */
static int find_flows(struct rt_analyzer *analyzer, struct rt_batch *batch,
		      struct rt_err *err)
{
	struct rt_flows *flows = &analyzer->context.flows;
	uint64_t hash[RT_BATCH_FRAMES];
	uint32_t guess[RT_BATCH_FRAMES];
	int r = 0;

	batch->usual = 0;
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct rt_frame *frame = &batch->frames[i];

		hash[i] = 0;
		if (!(frame->flags & RT_FRAME_NO_TIME))
			note_time(&analyzer->context, frame->time_ns);
		if (__builtin_expect(rt_is_usual(frame, analyzer->usual_ops), 1)) {
			batch->usual |= UINT64_C(1) << i;
			hash[i] = rt_usual_hash(frame);
		} else if (has_flow(frame)) {
			struct rt_flow_key key;

			rt_flow_key_of(frame, &key);
			hash[i] = key.hash;
		}
		rt_flow_prefetch_slot(flows, hash[i]);
	}
	for (uint32_t i = 0; i < batch->count; i++)
		guess[i] = rt_flow_prefetch(flows, hash[i]);
	for (uint32_t i = 0; r == 0 && i < batch->count; i++) {
		const struct rt_frame *frame = &batch->frames[i];

		if (batch->usual >> i & 1 && guess[i] != RT_NO_INDEX &&
		    rt_usual_is_of(frame, rt_flow_at(flows, guess[i]))) {
			batch->flow[i] = guess[i];
			batch->pair[i] = rt_flow_at(flows, guess[i])->pair;
		} else {
			r = find_flow(flows, batch, i, err);
			if (batch->flow[i] != RT_NO_INDEX)
				rt_flow_more_prefetch(flows, batch->flow[i]);
		}
		if (batch->pair[i] != RT_NO_INDEX)
			rt_pair_prefetch(&flows->pairs[batch->pair[i]]);
	}
	return r;
}

/* A flow's packet counts for its pair there, and another pair's is taken off. */
static void count_pair(struct rt_flows *flows, uint32_t flow_index, uint32_t pair_index,
		       enum rt_ecn ecn)
{
	if (flow_index != RT_NO_INDEX)
		flows->pairs[rt_flow_at(flows, flow_index)->pair].ecn[ecn]--;
	if (pair_index != RT_NO_INDEX)
		flows->pairs[pair_index].ecn[ecn]++;
}

/* A RoCE frame through the stages that look at all of them. */
static int take_roce(struct rt_analyzer *analyzer, const struct rt_frame *frame,
		     uint32_t flow_index, uint32_t pair_index, struct rt_err *err)
{
	struct rt_stage_context *context = &analyzer->context;
	struct rt_flows *flows = &context->flows;
	uint32_t own_pair = RT_NO_INDEX;
	bool again = false;
	int r = 0;

	if (flow_index != RT_NO_INDEX) {
		struct rt_flow *flow = rt_flow_at(flows, flow_index);

		if (frame->flags & RT_FRAME_DIGEST && pair_index != RT_NO_INDEX &&
		    rt_sequence_is_copy(flows, flow_index, flow, pair_index, frame))
			return 0;
		if (__builtin_expect(frame->flags & RT_FRAME_CM, 0))
			r = rt_connections_take(flows, frame, err);
		if (r < 0)
			return r;
		r = rt_sequence_take(flows, flow_index, flow, frame, &again, err);
		flow->ecn[frame->ecn & 3]++;
		if (r == 0 && frame->bth.opcode == RT_OP_CNP)
			r = rt_marks_take_cnp(rt_flow_more_at(flows, flow_index), frame,
					      err);
		if (r == 0 && rt_ops[frame->bth.opcode].bits & RT_OP_ASKS)
			r = rt_marks_take_ask(rt_flow_more_at(flows, flow_index), frame,
					      err);
		own_pair = flow->pair;
	} else {
		rt_marks_take_other(analyzer->states[STAGE_MARKS], frame);
	}
	if (__builtin_expect(pair_index != own_pair, 0))
		count_pair(flows, flow_index, pair_index, frame->ecn & 3);
	if (pair_index != RT_NO_INDEX) {
		struct rt_pair *pair = &flows->pairs[pair_index];

		if (!rt_is_data(frame) || !frame->bth.payload_bytes)
			pair->other_wire_bytes += frame->wire_bytes;
		else if (r == 0)
			r = rt_throughput_take(analyzer->states[STAGE_THROUGHPUT],
					       context, pair, frame, again, err);
	}
	return r;
}

/* The same for a usual frame whose flow has room and that comes from its pair. */
static inline int take_usual(struct rt_analyzer *analyzer, const struct rt_frame *frame,
			     uint32_t flow_index, uint32_t pair_index,
			     struct rt_err *err)
{
	struct rt_flows *flows = &analyzer->context.flows;
	struct rt_flow *flow = rt_flow_at(flows, flow_index);
	struct rt_pair *pair = &flows->pairs[pair_index];
	const unsigned op = analyzer->usual_ops[frame->bth.opcode];

	if (__builtin_expect(!rt_usual_is_next(flow, frame, op), 0))
		return take_roce(analyzer, frame, flow_index, pair_index, err);
	if (frame->flags & RT_FRAME_DIGEST) {
		rt_copies_remember_usual(flows->sightings, flow_index, pair_index,
					 frame);
		rt_ip_ids_take(&flow->ids, frame);
	}
	flow->messages += op & RT_USUAL_STARTS;
	flow->payload_bytes += frame->bth.payload_bytes;
	flow->next_psn = flow->high_psn = (frame->bth.psn + 1) & RT_PSN_MASK;
	if (frame->time_ns > flow->last_ns)
		flow->last_ns = frame->time_ns;
	flow->ecn[frame->ecn & 3]++;
	if (frame->bth.payload_bytes)
		return rt_throughput_take(analyzer->states[STAGE_THROUGHPUT],
					  &analyzer->context, pair, frame, false, err);
	pair->other_wire_bytes += frame->wire_bytes;
	return 0;
}

/* ACKs will look at the streams they answer. */
static inline void prefetch_answered(const struct rt_flows *flows,
				     const struct rt_batch *batch)
{
	const uint64_t all = UINT64_MAX >> (64 - batch->count);

	for (uint64_t left = all & ~batch->usual; left; left &= left - 1) {
		const uint32_t flow = batch->flow[__builtin_ctzll(left)];
		const uint32_t peer = flow == RT_NO_INDEX
					      ? RT_NO_INDEX
					      : rt_flow_more_at(flows, flow)->peer;

		if (peer == RT_NO_INDEX)
			continue;
		__builtin_prefetch(rt_flow_at(flows, peer));
		rt_flow_more_prefetch(flows, peer);
	}
}

static int feed_batch(struct rt_analyzer *analyzer, struct rt_batch *batch,
		      struct rt_err *err)
{
	struct rt_flows *flows = &analyzer->context.flows;
	int r;

	if (!analyzer->context.has_time)
		note_times(&analyzer->context, batch);
	r = find_flows(analyzer, batch, err);
	if (r == 0)
		prefetch_answered(flows, batch);
	rt_overview_take(analyzer->states[STAGE_OVERVIEW], batch);
	for (uint32_t i = 0; r == 0 && i < batch->count; i++) {
		const struct rt_frame *frame = &batch->frames[i];
		const uint32_t flow = batch->flow[i], pair = batch->pair[i];

		if (__builtin_expect(batch->usual >> i & 1 && flow != RT_NO_INDEX &&
					     rt_flow_at(flows, flow)->pair == pair,
				     1))
			r = take_usual(analyzer, frame, flow, pair, err);
		else if (has_flow(frame))
			r = take_roce(analyzer, frame, flow, pair, err);
		else if (frame->kind == RT_FRAME_PFC || frame->kind == RT_FRAME_PAUSE)
			r = rt_pauses_take(analyzer->states[STAGE_PAUSES],
					   &analyzer->context, frame, err);
	}
	return r;
}

void rt_analyzer_interfaces(struct rt_analyzer *analyzer,
			    const struct rt_capture_if *interfaces, size_t count)
{
	analyzer->context.interfaces = interfaces;
	analyzer->context.interface_count = count;
}

/* Frames that come before any time are a batch apart, for start_clock(). */
static uint32_t batch_length(const struct rt_stage_context *context,
			     const struct rt_frame *frames, size_t left)
{
	const uint32_t most = left < RT_BATCH_FRAMES ? (uint32_t)left : RT_BATCH_FRAMES;
	uint32_t untimed = 0;

	while (!context->has_time && untimed < most &&
	       frames[untimed].flags & RT_FRAME_NO_TIME)
		untimed++;
	return untimed ? untimed : most;
}

int rt_analyzer_feed(struct rt_analyzer *analyzer, const struct rt_frame *frames,
		     size_t count, struct rt_err *err)
{
	struct rt_batch batch;
	int r = 0;

	for (size_t done = 0; r == 0 && done < count; done += batch.count) {
		batch.frames = frames + done;
		batch.count = batch_length(&analyzer->context, batch.frames,
					   count - done);
		r = feed_batch(analyzer, &batch, err);
	}
	return r;
}

int rt_analyzer_finish(struct rt_analyzer *analyzer, struct rt_analysis *ret_analysis,
		       struct rt_err *err)
{
	struct rt_analysis result = { 0 };
	int r;

	rt_flows_settle(&analyzer->context.flows);
	r = rt_flows_choose(&analyzer->context.flows, err);

	for (size_t i = 0; r == 0 && i < STAGES; i++)
		r = stages[i]->finish(analyzer->states[i], &analyzer->context, &result,
				      err);
	if (r < 0) {
		rt_analysis_free(&result);
		return r;
	}
	*ret_analysis = result;
	return 0;
}

void rt_analyzer_free(struct rt_analyzer *analyzer)
{
	if (!analyzer)
		return;
	for (size_t i = 0; i < STAGES; i++) {
		if (analyzer->states[i] && stages[i]->free)
			stages[i]->free(analyzer->states[i]);
		free(analyzer->states[i]);
	}
	rt_flows_free(&analyzer->context.flows);
	free(analyzer);
}

void rt_auto_analyzer_free(struct rt_analyzer **analyzer)
{
	rt_analyzer_free(*analyzer);
}

int rt_analysis_of_source(struct rt_source *source,
			  const struct rt_analysis_config *config,
			  struct rt_analysis *ret_analysis, struct rt_err *err)
{
	RT_AUTO(rt_auto_analyzer_free) struct rt_analyzer *analyzer = NULL;
	struct rt_frame frames[RT_BATCH_FRAMES];
	const struct rt_capture_if *interfaces;
	struct rt_err damage = { 0 };
	size_t count = 0, interface_count = 0;
	bool any = false;
	int r = rt_analyzer_new(config, &analyzer, err);

	if (r < 0)
		return r;
	do {
		r = source->ops->read(source, frames, RT_BATCH_FRAMES, &count, &damage);
		if (r < 0 && !any && r != -EBADMSG)
			return rt_err_set(err, r, "%s", damage.msg);
		if (r < 0)
			break;
		any = any || count > 0;
		interfaces = source->ops->interfaces(source, &interface_count);
		rt_analyzer_interfaces(analyzer, interfaces, interface_count);
		r = rt_analyzer_feed(analyzer, frames, count, err);
		if (r < 0)
			return r;
	} while (count > 0);
	r = rt_analyzer_finish(analyzer, ret_analysis, err);
	if (r == 0)
		snprintf(ret_analysis->capture.damage,
			 sizeof(ret_analysis->capture.damage), "%s", damage.msg);
	return r;
}

void rt_analysis_free(struct rt_analysis *analysis)
{
	free(analysis->capture.interfaces);
	free(analysis->capture.kinds);
	free(analysis->capture.encaps);
	free(analysis->capture.vlans);
	free(analysis->capture.contents);
	free(analysis->roce.opcodes);
	free(analysis->roce.syndromes);
	free(analysis->roce.pads);
	free(analysis->roce.dscps);
	free(analysis->roce.directions);
	free(analysis->connections.list);
	free(analysis->pauses.ports);
	free(analysis->marks.cnp_rows);
	free(analysis->sequence.flows);
	free(analysis->sequence.copies);
	free(analysis->sequence.addresses);
	free(analysis->throughput.receivers);
	free(analysis->throughput.senders);
	free(analysis->throughput.windows);
	*analysis = (struct rt_analysis){ 0 };
}
