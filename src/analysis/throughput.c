/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * throughput.c - who delivers how much to whom, over time.
 *
 * Time is cut into at most RT_ANALYSIS_WINDOWS windows of one width, which
 * doubles, neighbours merging, whenever a frame lies beyond the last: so the
 * memory is the same for a millisecond and for a day.  Goodput is payload that
 * the sequence stage had not seen before; wire bytes are whole frames as
 * captured, without preamble, gap and usually without FCS.  Where the link speed
 * is known a frame counts in the windows during which it was on the wire, so that
 * no window holds more than the link carries in it.
 */
#include "analysis/throughput.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stage.h"
#include "base/own.h"
#include "rocetune/err.h"

/* With so many doublings 256 windows hold any 64-bit time. */
#define MAX_DOUBLINGS 46u

/* Receivers, and senders to each, whose windows go into the result. */
#define SERIES_RECEIVERS 4u
#define SERIES_SENDERS   8u

/* Below it a speed is a mistake, and products would overflow. */
#define SLOWEST_BPS 1000000u

static void merge_windows(struct rt_pair_window *windows)
{
	for (unsigned i = 0; i < RT_ANALYSIS_WINDOWS / 2; i++) {
		const struct rt_pair_window *a = &windows[2 * i], *b = a + 1;

		windows[i] = (struct rt_pair_window){
			.good_bytes = a->good_bytes + b->good_bytes,
			.wire_bytes = a->wire_bytes + b->wire_bytes,
			.frames = a->frames + b->frames,
			.ce = a->ce + b->ce,
		};
	}
	memset(&windows[RT_ANALYSIS_WINDOWS / 2], 0,
	       sizeof(*windows) * RT_ANALYSIS_WINDOWS / 2);
}

/* The window of a time; frames stamped before the first go into window 0. */
static unsigned window_at(struct throughput *state, struct rt_flows *flows,
			  uint64_t since_first_ns)
{
	if (since_first_ns - state->current_ns < state->window_ns)
		return state->current;
	while (since_first_ns / state->window_ns >= RT_ANALYSIS_WINDOWS &&
	       state->doublings < MAX_DOUBLINGS) {
		for (size_t i = 0; i < flows->pair_count; i++)
			if (flows->pairs[i].windows) {
				rt_pair_flush(&flows->pairs[i]);
				merge_windows(flows->pairs[i].windows);
			}
		state->doublings++;
		state->window_ns *= 2;
	}
	state->current = (unsigned)(since_first_ns / state->window_ns) %
			 RT_ANALYSIS_WINDOWS;
	state->current_ns = state->current * state->window_ns;
	return state->current;
}

static int follow(struct throughput *state, struct rt_pair *pair, struct rt_err *err)
{
	if (state->followed == RT_ANALYSIS_MAX_SERIES) {
		state->not_followed++;
		return 0;
	}
	pair->windows = calloc(RT_ANALYSIS_WINDOWS, sizeof(*pair->windows));
	if (!pair->windows)
		return rt_err_sys(err, -ENOMEM, "cannot follow more senders");
	state->followed++;
	return 0;
}

static void note_speed(struct throughput *state, const struct rt_stage_context *context,
		       uint16_t interface)
{
	uint64_t speed = interface < context->interface_count
				 ? context->interfaces[interface].speed_bps
				 : 0;

	if (context->link_speed_bps.known)
		speed = context->link_speed_bps.value;
	state->has_speed = true;
	state->interface = interface;
	state->byte_ns = speed < SLOWEST_BPS
				 ? 0
				 : (UINT64_C(8000000000) << RT_BYTE_NS_BITS) / speed;
}

/* What a frame adds to its windows; it takes span_ns from since_ns. */
struct share {
	uint64_t since_ns, span_ns, good_bytes, wire_bytes;
};

/*
 * The first window gets its part, the next the rest.  A frame that is longer than
 * a window, as on slow links before windows have widened, goes on from there.
 */
static void spread(struct throughput *state, struct rt_flows *flows,
		   struct rt_pair_window *windows, struct share share)
{
	for (;;) {
		const unsigned at = window_at(state, flows, share.since_ns);
		const uint64_t end_ns = (at + 1) * state->window_ns;
		const uint64_t part_ns = end_ns - share.since_ns;
		uint64_t good, wire;

		if (end_ns <= share.since_ns || part_ns >= share.span_ns) {
			windows[at].good_bytes += share.good_bytes;
			windows[at].wire_bytes += share.wire_bytes;
			return;
		}
		good = share.good_bytes * part_ns / share.span_ns;
		wire = share.wire_bytes * part_ns / share.span_ns;
		windows[at].good_bytes += good;
		windows[at].wire_bytes += wire;
		share = (struct share){ end_ns, share.span_ns - part_ns,
					share.good_bytes - good,
					share.wire_bytes - wire };
	}
}

/* The first frame of a pair that has a payload. */
static int begin(struct throughput *state, struct rt_pair *pair,
		 const struct rt_frame *frame, struct rt_err *err)
{
	pair->first_ns = pair->last_ns = frame->time_ns;
	return follow(state, pair, err);
}

int rt_throughput_take_data(struct throughput *state, struct rt_stage_context *context,
			    struct rt_pair *pair, const struct rt_frame *frame,
			    bool again, struct rt_err *err)
{
	const uint32_t good = again ? 0 : frame->bth.payload_bytes;
	const uint64_t since_ns = rt_elapsed_ns(context->first_ns, frame->time_ns);
	const bool ce = frame->ecn == RT_ECN_CE;
	struct rt_pair_window *window;
	uint64_t span_ns;
	int r = 0;

	if (state->window_ns == 0)
		state->window_ns = RT_FIRST_WINDOW_NS;
	if (!pair->windows && pair->data_frames == 0)
		r = begin(state, pair, frame, err);
	if (!state->has_speed || state->interface != frame->interface)
		note_speed(state, context, frame->interface);
	span_ns = rt_throughput_wire_ns(state, frame);
	if (frame->time_ns >= pair->last_ns) {
		pair->last_ns = frame->time_ns;
		pair->last_span_ns = span_ns;
	}
	pair->again_bytes += frame->bth.payload_bytes - good;
	if (!pair->windows) {
		pair->data_frames++;
		pair->data_wire_bytes += frame->wire_bytes;
		pair->good_bytes += good;
		pair->data_ce += ce;
		return r;
	}
	rt_pair_flush(pair);
	pair->window = window_at(state, &context->flows, since_ns);
	window = &pair->windows[pair->window];
	window->frames++;
	window->ce += ce;
	spread(state, &context->flows, pair->windows,
	       (struct share){ since_ns, span_ns, good, frame->wire_bytes });
	return r;
}

/* --- result: the pairs of one receiver ---------------------------------------- */

/* Pairs with data, sorted so that those of one receiver stand together. */
struct inbound {
	const struct rt_pair *pair;
	struct rt_opt_u64 contended_bps;
};

static int by_receiver(const void *a, const void *b)
{
	const struct rt_pair *first = ((const struct inbound *)a)->pair;
	const struct rt_pair *second = ((const struct inbound *)b)->pair;
	int r = memcmp(&first->dst, &second->dst, sizeof(first->dst));

	if (r != 0)
		return r;
	if (first->dst_version != second->dst_version)
		return first->dst_version < second->dst_version ? -1 : 1;
	if (first->good_bytes != second->good_bytes)
		return first->good_bytes < second->good_bytes ? 1 : -1;
	return memcmp(&first->src, &second->src, sizeof(first->src));
}

static bool same_receiver(const struct rt_pair *a, const struct rt_pair *b)
{
	return a->dst_version == b->dst_version &&
	       memcmp(&a->dst, &b->dst, sizeof(a->dst)) == 0;
}

struct receiver {
	struct inbound *inbound;
	size_t count;
	int64_t start_ns;                     /* of the first window */
	uint32_t fan_in[RT_ANALYSIS_WINDOWS]; /* senders active in a window */
	uint64_t wire[RT_ANALYSIS_WINDOWS];
};

static void count_fan_in(struct receiver *receiver)
{
	memset(receiver->fan_in, 0, sizeof(receiver->fan_in));
	memset(receiver->wire, 0, sizeof(receiver->wire));
	for (size_t i = 0; i < receiver->count; i++) {
		const struct rt_pair_window *windows =
			receiver->inbound[i].pair->windows;

		for (unsigned w = 0; windows && w < RT_ANALYSIS_WINDOWS; w++) {
			receiver->fan_in[w] += windows[w].frames > 0;
			receiver->wire[w] += windows[w].wire_bytes;
		}
	}
}

/* What of a window lies between the first and the last of a sender's data. */
static uint64_t active_ns(const struct rt_pair *pair, int64_t start_ns, unsigned w,
			  uint64_t width_ns)
{
	const uint64_t first = rt_elapsed_ns(start_ns, pair->first_ns);
	const uint64_t last = rt_elapsed_ns(start_ns, pair->last_ns) +
			      pair->last_span_ns;
	const uint64_t from = w * width_ns, to = from + width_ns;
	const uint64_t begin = first > from ? first : from;
	const uint64_t end = last < to ? last : to;

	/* The last frame's own time is not known: whole windows are meant. */
	if (pair->last_span_ns == 0)
		return width_ns;
	return end > begin ? end - begin : 0;
}

/*
 * A sender's rate while it had company: from its first frame to the end of its
 * last, in the windows in which two senders or more were active.  Windows in
 * which it was shut out count, else a starved sender would look fast.
 */
static struct rt_opt_u64 contended_rate(const struct receiver *receiver,
					const struct rt_pair *pair, uint64_t width_ns)
{
	unsigned first = RT_ANALYSIS_WINDOWS, last = 0;
	uint64_t bytes = 0, time_ns = 0;

	if (!pair->windows)
		return (struct rt_opt_u64){ 0 };
	for (unsigned w = 0; w < RT_ANALYSIS_WINDOWS; w++)
		if (pair->windows[w].wire_bytes) {
			first = first == RT_ANALYSIS_WINDOWS ? w : first;
			last = w;
		}
	for (unsigned w = first; w <= last && w < RT_ANALYSIS_WINDOWS; w++)
		if (receiver->fan_in[w] > 1) {
			time_ns += active_ns(pair, receiver->start_ns, w, width_ns);
			bytes += pair->windows[w].good_bytes;
		}
	return rt_rate_bps(bytes, time_ns);
}

/* Jain, Chiu, Hawe (DEC-TR-301, 1984): (sum x)^2 / (n * sum x^2). */
static void judge_fairness(struct receiver *receiver, struct rt_analysis_receiver *row)
{
	const struct inbound *slowest = NULL, *fastest = NULL;
	double sum = 0, squares = 0;
	unsigned n = 0;

	for (size_t i = 0; i < receiver->count; i++) {
		const struct inbound *in = &receiver->inbound[i];
		const double rate = (double)in->contended_bps.value;

		if (!in->contended_bps.known)
			continue;
		n++;
		sum += rate;
		squares += rate * rate;
		if (!slowest || in->contended_bps.value < slowest->contended_bps.value)
			slowest = in;
		if (!fastest || in->contended_bps.value > fastest->contended_bps.value)
			fastest = in;
	}
	if (n < 2 || squares <= 0)
		return;
	row->jain = RT_KNOWN_F64(sum * sum / (n * squares));
	row->slowest_bps = slowest->contended_bps;
	row->fastest_bps = fastest->contended_bps;
	rt_flow_addr_format(slowest->pair->src, slowest->pair->src_version,
			    row->slowest);
}

static void fill_receiver(const struct receiver *receiver, int64_t start_ns,
			  uint64_t width_ns, struct rt_analysis_receiver *row)
{
	const struct rt_pair *first = receiver->inbound[0].pair;
	int64_t from = first->first_ns, to = first->last_ns;
	uint64_t windows = 0, senders = 0, peak = 0, span_ns;

	rt_flow_addr_format(first->dst, first->dst_version, row->receiver);
	row->senders = receiver->count;
	for (size_t i = 0; i < receiver->count; i++) {
		const struct rt_pair *pair = receiver->inbound[i].pair;

		row->payload_bytes += pair->payload_bytes;
		row->good_bytes += pair->good_bytes;
		row->wire_bytes += pair->data_wire_bytes;
		from = pair->first_ns < from ? pair->first_ns : from;
		to = pair->last_ns > to ? pair->last_ns : to;
	}
	for (unsigned w = 0; w < RT_ANALYSIS_WINDOWS; w++) {
		windows += receiver->fan_in[w] > 0;
		senders += receiver->fan_in[w];
		if (receiver->fan_in[w] > row->max_fan_in)
			row->max_fan_in = receiver->fan_in[w];
		peak = receiver->wire[w] > peak ? receiver->wire[w] : peak;
	}
	span_ns = rt_elapsed_ns(from, to);
	row->start_ns = rt_elapsed_ns(start_ns, from);
	row->duration_ns = span_ns;
	row->goodput_bps = rt_rate_bps(row->good_bytes, span_ns);
	row->wire_bps = rt_rate_bps(row->wire_bytes, span_ns);
	if (windows > 1)
		row->peak_wire_bps = rt_rate_bps(peak, width_ns);
	if (windows)
		row->mean_fan_in = RT_KNOWN_F64((double)senders / (double)windows);
}

static void fill_sender(const struct inbound *in, int64_t start_ns,
			struct rt_analysis_sender *row)
{
	const struct rt_pair *pair = in->pair;
	const uint64_t span_ns = rt_elapsed_ns(pair->first_ns, pair->last_ns);

	rt_flow_addr_format(pair->dst, pair->dst_version, row->receiver);
	rt_flow_addr_format(pair->src, pair->src_version, row->sender);
	row->payload_bytes = pair->payload_bytes;
	row->good_bytes = pair->good_bytes;
	row->wire_bytes = pair->data_wire_bytes;
	row->start_ns = rt_elapsed_ns(start_ns, pair->first_ns);
	row->duration_ns = span_ns;
	row->goodput_bps = rt_rate_bps(pair->good_bytes, span_ns);
	row->contended_bps = in->contended_bps;
	row->ce_pct = RT_KNOWN_F64(100.0 * (double)pair->data_ce /
				   (double)pair->data_frames);
}

/* --- result: windows -------------------------------------------------------- */

/* The result while it grows. */
struct output {
	struct rt_analysis_throughput *throughput;
	size_t capacity; /* of its windows */
};

static int add_window(struct output *out, const struct rt_analysis_window *row,
		      struct rt_err *err)
{
	struct rt_analysis_throughput *throughput = out->throughput;
	struct rt_analysis_window *windows = rt_grow(throughput->windows,
						     throughput->window_count,
						     &out->capacity, sizeof(*windows));

	if (!windows)
		return rt_err_sys(err, -ENOMEM, "cannot hold the time series");
	throughput->windows = windows;
	windows[throughput->window_count++] = *row;
	return 0;
}

/* Windows of one sender of the receiver, or (SIZE_MAX) of all of them together. */
static int add_series(struct output *out, const struct receiver *receiver,
		      size_t sender, struct rt_err *err)
{
	const bool all = sender == SIZE_MAX;
	const size_t from = all ? 0 : sender, to = all ? receiver->count : sender + 1;
	const struct rt_pair *first = receiver->inbound[from].pair;
	struct rt_analysis_window named = { 0 };
	int r = 0;

	rt_flow_addr_format(first->dst, first->dst_version, named.receiver);
	if (!all)
		rt_flow_addr_format(first->src, first->src_version, named.sender);
	for (unsigned w = 0; r == 0 && w < RT_ANALYSIS_WINDOWS; w++) {
		struct rt_analysis_window row = named;

		row.start_ns = w * out->throughput->window_ns;
		for (size_t i = from; i < to; i++) {
			const struct rt_pair_window *in =
				receiver->inbound[i].pair->windows;

			if (!in || in[w].wire_bytes == 0)
				continue;
			row.good_bytes += in[w].good_bytes;
			row.wire_bytes += in[w].wire_bytes;
			row.ce += in[w].ce;
			row.senders += in[w].frames > 0;
		}
		if (row.wire_bytes > 0)
			r = add_window(out, &row, err);
	}
	return r;
}

static int add_all_series(struct output *out, const struct receiver *receiver,
			  struct rt_err *err)
{
	int r = add_series(out, receiver, SIZE_MAX, err);

	for (size_t i = 0;
	     r == 0 && receiver->count > 1 && i < receiver->count && i < SERIES_SENDERS;
	     i++)
		r = add_series(out, receiver, i, err);
	return r;
}

/* --- result ----------------------------------------------------------------- */

/* A run of inbound pairs with one receiver; the largest receivers come first. */
struct group {
	size_t from, count;
	uint64_t good_bytes;
};

static int by_good_bytes(const void *a, const void *b)
{
	const struct group *first = a, *second = b;

	if (first->good_bytes != second->good_bytes)
		return first->good_bytes < second->good_bytes ? 1 : -1;
	return first->from < second->from ? -1 : first->from > second->from;
}

/* Both arrays hold as many as there are pairs; returns the number of groups. */
static size_t collect(const struct rt_flows *flows, struct inbound *inbound,
		      struct group *groups)
{
	size_t pairs = 0, count = 0;

	for (size_t i = 0; i < flows->pair_count; i++)
		if (flows->pairs[i].data_frames && rt_pair_counts(flows, i))
			inbound[pairs++].pair = &flows->pairs[i];
	qsort(inbound, pairs, sizeof(*inbound), by_receiver);
	for (size_t i = 0; i < pairs; i++) {
		if (i == 0 || !same_receiver(inbound[i - 1].pair, inbound[i].pair))
			groups[count++] = (struct group){ .from = i };
		groups[count - 1].count++;
		groups[count - 1].good_bytes += inbound[i].pair->good_bytes;
	}
	qsort(groups, count, sizeof(*groups), by_good_bytes);
	return count;
}

static int add_receiver(struct output *out, struct receiver *receiver, int64_t start_ns,
			struct rt_err *err)
{
	struct rt_analysis_throughput *throughput = out->throughput;
	struct rt_analysis_receiver *row =
		&throughput->receivers[throughput->receiver_count++];

	count_fan_in(receiver);
	for (size_t i = 0; i < receiver->count; i++)
		receiver->inbound[i].contended_bps = contended_rate(
			receiver, receiver->inbound[i].pair, throughput->window_ns);
	fill_receiver(receiver, start_ns, throughput->window_ns, row);
	judge_fairness(receiver, row);
	for (size_t i = 0; i < receiver->count; i++)
		fill_sender(&receiver->inbound[i], start_ns,
			    &throughput->senders[throughput->sender_count++]);
	if (throughput->receiver_count > SERIES_RECEIVERS)
		return 0;
	return add_all_series(out, receiver, err);
}

static int throughput_finish(void *state, struct rt_stage_context *context,
			     struct rt_analysis *result, struct rt_err *err)
{
	const struct throughput *throughput = state;
	const struct rt_flows *flows = &context->flows;
	const size_t room = flows->pair_count + 1;
	struct output out = { .throughput = &result->throughput };
	RT_AUTO(rt_auto_free) struct inbound *inbound = calloc(room, sizeof(*inbound));
	RT_AUTO(rt_auto_free) struct group *groups = calloc(room, sizeof(*groups));
	RT_AUTO(rt_auto_free) struct receiver *receiver = calloc(1, sizeof(*receiver));
	size_t count;
	int r = 0;

	result->throughput.receivers = calloc(room,
					      sizeof(struct rt_analysis_receiver));
	result->throughput.senders = calloc(room, sizeof(struct rt_analysis_sender));
	if (!inbound || !groups || !receiver || !result->throughput.receivers ||
	    !result->throughput.senders)
		return rt_err_sys(err, -ENOMEM, "cannot hold the throughput");
	if (throughput->followed)
		result->throughput.window_ns = throughput->window_ns;
	result->throughput.series_overflow = throughput->not_followed;
	count = collect(flows, inbound, groups);
	for (size_t i = 0; r == 0 && i < count; i++) {
		receiver->inbound = &inbound[groups[i].from];
		receiver->count = groups[i].count;
		receiver->start_ns = context->first_ns;
		r = add_receiver(&out, receiver, context->min_ns, err);
	}
	return r;
}

const struct rt_stage rt_stage_throughput = {
	.name = "throughput",
	.state_bytes = sizeof(struct throughput),
	.finish = throughput_finish,
};
