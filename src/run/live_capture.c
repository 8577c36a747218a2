/* SPDX-License-Identifier: BSD-2-Clause */
/* live_capture.c - interfaces to a file and to an analysis. */
#include "run/live_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/device.h"
#include "kern/kern.h"
#include "pktio/live.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "run/analyze.h"
#include "run/lab_env.h"
#include "run/outcome.h"
#include "run/sim_capture.h"

#define BATCH 64u

#define OWNER struct rt_captured_if
static const struct rt_field if_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, name, "network device"),
	RT_FIELD(OWNER, OPT_U64, speed_bps, BPS, "of its link"),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames captured"),
	RT_FIELD(OWNER, U64, bytes, BYTES, "of these, on the wire"),
	RT_FIELD(OWNER, U64, roce, COUNT, "RoCE frames", .label = "RoCE"),
	RT_FIELD(OWNER, U64, cnps, COUNT, "congestion notifications", .label = "CNPs"),
	RT_FIELD(OWNER, U64, ce, COUNT, "RoCE frames marked CE", .label = "CE"),
	RT_FIELD(OWNER, U64, pauses, COUNT, "PFC and pause frames"),
	RT_FIELD(OWNER, OPT_U64, dropped, COUNT,
		 "frames that were lost for want of room"),
};
static RT_TABLE(if_table, rt_captured_if, "captured_interface", "Interfaces",
		"What was captured at an interface.", if_fields);
#undef OWNER

#define OWNER struct rt_captured
static const struct rt_field captured_fields[] = {
	RT_FIELD(OWNER, TEXT, file, NONE, "where the frames were written",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(OWNER, OPT_U64, duration_ns, NS, "from the first frame to the last"),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames captured"),
	RT_FIELD(OWNER, U64, dropped, COUNT, "frames lost for want of room"),
	RT_FIELD_CHARS_OF(OWNER, note, "what this capture cannot see or say",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD(OWNER, OPT_U64, first_ns, NS, "first frame, since 1970",
		 .flags = RT_FIELD_META),
	RT_FIELD(OWNER, OPT_U64, last_ns, NS, "last frame, since 1970",
		 .flags = RT_FIELD_META),
	RT_FIELD_LIST_OF(OWNER, interfaces, interface_count, &if_table, "interfaces"),
};
RT_TABLE(rt_captured_table, rt_captured, "capture", "Capture",
	 "What was captured at interfaces of this host.", captured_fields);
#undef OWNER

struct capturing {
	const struct rt_capture_request *request;
	struct rt_sink *sink;     /* or NULL */
	struct rt_source *source; /* live */
	struct rt_captured *captured;
};

/* --- before: what the kernel tells of the interfaces --------------------------------------- */

/* One speed for all, or it is not told: 0. */
static uint64_t ask_speed(struct rt_kern *kern, const char *const *netdevs)
{
	struct rt_opt_u64 first = { 0 }, speed;

	for (size_t i = 0; netdevs[i]; i++) {
		if (kern->ops->speed_get(kern, netdevs[i], &speed, NULL) < 0 ||
		    !speed.known || (i && speed.value != first.value))
			return 0;
		first = speed;
	}
	return first.value;
}

static void note(struct rt_captured *captured, const char *text)
{
	const size_t used = strlen(captured->note);

	snprintf(captured->note + used, sizeof(captured->note) - used, "%s%s",
		 used ? " " : "", text);
}

/* The NIC's own RDMA goes past the kernel, and so past this capture. */
static void note_bypass(struct rt_kern *kern, const struct rt_capture_request *request,
			struct rt_captured *captured)
{
	struct rt_devices devices = { 0 };
	char text[400];

	if (rt_devices_read(kern, 0, &devices, NULL) < 0)
		return;
	for (size_t i = 0; i < devices.count; i++) {
		const struct rt_device *device = &devices.items[i];
		bool asked = false;

		for (size_t j = 0; request->netdevs[j]; j++)
			asked = asked ||
				strcmp(request->netdevs[j], device->netdev) == 0;
		if (!asked || device->function == RT_FUNCTION_SOFT)
			continue;
		snprintf(text, sizeof(text),
			 "%.15s is %.40s's: its RDMA passes by the kernel and is not "
			 "seen here; capture at a mirror port of the switch, or with a "
			 "libpcap that has rdmasniff: tcpdump -i %.40s, which does not "
			 "count what it loses (rocetune capture --help tells why).",
			 device->netdev, device->ibdev, device->ibdev);
		note(captured, text);
		break;
	}
	rt_devices_free(&devices);
}

static uint64_t look(const struct rt_capture_request *request,
		     struct rt_captured *captured)
{
	RT_AUTO(rt_auto_kern_close) struct rt_kern *kern = NULL;
	/* A lab is slower than its interfaces say. */
	const struct rt_opt_u64 lab_bps = rt_lab_env_rate_bps();

	if (rt_kern_open_live(&kern, NULL) < 0)
		return request->speed_bps.value;
	note_bypass(kern, request, captured);
	if (request->speed_bps.known || lab_bps.known)
		return request->speed_bps.known ? request->speed_bps.value
						: lab_bps.value;
	return ask_speed(kern, request->netdevs);
}

/* --- while: counting --------------------------------------------------------------------- */

static void count_frame(const struct rt_frame *frame, struct rt_captured *captured)
{
	struct rt_captured_if *at;

	if (frame->interface >= captured->interface_count)
		return;
	at = &captured->interfaces[frame->interface];
	at->frames++;
	at->bytes += frame->wire_bytes;
	captured->frames++;
	if (!captured->first_ns.known)
		captured->first_ns = RT_KNOWN_U64((uint64_t)frame->time_ns);
	captured->last_ns = RT_KNOWN_U64((uint64_t)frame->time_ns);
	if (frame->kind == RT_FRAME_ROCE) {
		at->roce++;
		at->cnps += frame->bth.opcode == RT_OP_CNP;
		at->ce += frame->ecn == RT_ECN_CE;
	}
	at->pauses += frame->kind == RT_FRAME_PFC || frame->kind == RT_FRAME_PAUSE;
}

static int read_frames(struct capturing *capturing, struct rt_err *err)
{
	struct rt_source *source = capturing->source;
	struct rt_frame frames[BATCH];
	size_t count = 0;
	int r;

	do {
		r = source->ops->read(source, frames, BATCH, &count, err);
		for (size_t i = 0; r == 0 && i < count; i++)
			count_frame(&frames[i], capturing->captured);
	} while (r == 0 && count > 0);
	return r;
}

/* --- after -------------------------------------------------------------------------------- */

/* What was lost is said in the file as well. */
static int take_drops(struct capturing *capturing, struct rt_err *err)
{
	struct rt_captured *captured = capturing->captured;
	size_t count;
	const struct rt_capture_if *from = capturing->source->ops->interfaces(
		capturing->source, &count);
	int r = 0;

	for (size_t i = 0; i < count && i < captured->interface_count && r == 0; i++) {
		captured->interfaces[i].dropped = from[i].dropped;
		captured->dropped += from[i].dropped.value;
		if (capturing->sink && from[i].dropped.known)
			r = rt_capture_note_drops(capturing->sink, (unsigned)i,
						  rt_clock_ns(CLOCK_REALTIME),
						  from[i].dropped.value, err);
	}
	if (captured->dropped)
		note(captured,
		     "Frames were lost in capturing: of this capture nobody can tell "
		     "what the network lost.");
	return r;
}

static int finish(struct capturing *capturing, struct rt_err *err)
{
	struct rt_sink *sink = capturing->sink;
	int r = take_drops(capturing, err), closed;

	capturing->sink = NULL;
	closed = sink ? sink->ops->close(sink, r == 0 ? err : NULL) : 0;
	return r < 0 ? r : closed;
}

/* --- the journey -------------------------------------------------------------------------- */

/*
 * A file is made, or made anew, only when there is something to write into it: a sink has
 * to be there before its interfaces, so these are opened once to see that they can be.
 */
static int try_open(const struct rt_live_config *live, struct rt_err *err)
{
	struct rt_source *source;
	int r = rt_live_open(live, &source, err);

	if (r == 0)
		rt_source_close(source);
	return r;
}

static int open_all(struct capturing *capturing, uint64_t speed_bps, struct rt_err *err)
{
	const struct rt_capture_request *request = capturing->request;
	struct rt_captured *captured = capturing->captured;
	struct rt_live_config live = {
		.netdevs = request->netdevs,
		.speed_bps = speed_bps,
		.decode_flags = request->no_icrc ? 0 : RT_DECODE_ICRC,
		.roce_only = true,
		.until_ns = INT64_MAX,
		.stop_fd = request->stop_fd,
	};
	int r = 0;

	for (size_t i = 0; request->netdevs[i]; i++) {
		struct rt_captured_if *at =
			&captured->interfaces[captured->interface_count++];

		snprintf(at->name, sizeof(at->name), "%.63s", request->netdevs[i]);
		if (speed_bps)
			at->speed_bps = RT_KNOWN_U64(speed_bps);
	}
	if (request->file)
		r = try_open(&live, err);
	if (r == 0 && request->file)
		r = rt_sim_capture_create(request->file, NULL, NULL, &capturing->sink,
					  err);
	if (r < 0)
		return r;
	live.sink = capturing->sink;
	if (request->time_ns.known)
		live.until_ns = rt_clock_ns(CLOCK_MONOTONIC) +
				(int64_t)request->time_ns.value;
	return rt_live_open(&live, &capturing->source, err);
}

static int capture(struct capturing *capturing, struct rt_outcome *ret_analysis,
		   struct rt_err *err)
{
	const struct rt_capture_request *request = capturing->request;
	const struct rt_analyze_options options = { .no_icrc = request->no_icrc };
	struct rt_captured *captured = capturing->captured;
	const uint64_t speed_bps = look(request, captured);
	int r = open_all(capturing, speed_bps, err), closed;

	if (r == 0 && request->ready)
		request->ready(request->user, captured->note);
	if (r == 0)
		r = request->analyze
			    ? rt_analyze_source(capturing->source,
						request->file ? request->file : "live",
						&options, ret_analysis, err)
			    : read_frames(capturing, err);
	if (capturing->source) {
		closed = finish(capturing, r == 0 ? err : NULL);
		rt_source_close(capturing->source);
		if (r == 0 && closed < 0 && request->analyze)
			rt_outcome_release(ret_analysis);
		r = r < 0 ? r : closed;
	} else if (capturing->sink) {
		capturing->sink->ops->close(capturing->sink, NULL);
	}
	return r;
}

static void release(void *object)
{
	struct rt_captured *captured = object;

	free(captured->interfaces);
	free(captured);
}

int rt_run_capture(const struct rt_capture_request *request,
		   struct rt_outcome *ret_outcome, struct rt_err *err)
{
	struct rt_captured *captured = calloc(1, sizeof(*captured));
	struct capturing capturing = { .request = request, .captured = captured };
	struct rt_outcome analysis = { 0 };
	int r = 0;

	if (captured)
		captured->interfaces = calloc(RT_CAPTURE_IFS,
					      sizeof(*captured->interfaces));
	if (!captured || !captured->interfaces) {
		free(captured);
		return rt_err_sys(err, -ENOMEM, "the capture");
	}
	captured->file = request->file;
	r = capture(&capturing, &analysis, err);
	if (r < 0 || request->analyze) {
		release(captured);
		if (r == 0)
			*ret_outcome = analysis;
		return r;
	}
	if (captured->frames)
		captured->duration_ns = RT_KNOWN_U64(captured->last_ns.value -
						     captured->first_ns.value);
	*ret_outcome = (struct rt_outcome){ .table = &rt_captured_table,
					    .object = captured,
					    .release = release };
	return 0;
}
