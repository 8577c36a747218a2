/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_cross.c - what endpoints, capture and switch each counted of the same. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/lab_run.h"

#define AGREE_PCT   1.0
/* Of small counts: a frame at the edge of what is looked at is no disagreement. */
#define AGREE_SLACK 3u

struct seen {
	struct rt_opt_u64 endpoints, capture, sw;
};

/* --- sums ---------------------------------------------------------------------------- */

/* Unknown as soon as one part is. */
static void add(struct rt_opt_u64 *sum, const struct rt_opt_u64 *part)
{
	sum->known = sum->known && part->known;
	sum->value += part->value;
}

#define SUM_QPS(run, member)                                                \
	({                                                                  \
		struct rt_opt_u64 sum_ = { 0, (run)->stress.qp_count > 0 }; \
		for (size_t i_ = 0; i_ < (run)->stress.qp_count; i_++)      \
			add(&sum_, &(run)->stress.qps[i_].member);          \
		sum_;                                                       \
	})

#define SUM_QUEUES(run, member, condition)                                         \
	({                                                                         \
		struct rt_opt_u64 sum_ = RT_KNOWN_U64(0);                          \
		for (size_t i_ = 0; i_ < (run)->lab.queue_count; i_++) {           \
			const struct rt_lab_queue *queue = &(run)->lab.queues[i_]; \
			if (condition)                                             \
				sum_.value += queue->member;                       \
		}                                                                  \
		sum_;                                                              \
	})

/* "s0p3" of a switch and what is at its other end; NULL: another switch. */
static const struct rt_lab_host *host_at(const struct rt_lab_run *run, const char *port)
{
	for (size_t i = 0; i < run->lab.state.host_count; i++)
		if (strcmp(run->lab.state.hosts[i].switch_port, port) == 0)
			return &run->lab.state.hosts[i];
	return NULL;
}

static bool is_receiver(const struct rt_lab_run *run, const char *port)
{
	const struct rt_lab_host *host = host_at(run, port);

	for (size_t i = 0; host && i < run->stress.qp_count; i++)
		if (run->stress.qps[i].to == (uint32_t)(host - run->lab.state.hosts))
			return true;
	return false;
}

/* A host that does both gets ACKs among data: the switch cannot tell them apart. */
static bool roles_are_apart(const struct rt_lab_run *run)
{
	for (size_t i = 0; i < run->stress.qp_count; i++)
		for (size_t j = 0; j < run->stress.qp_count; j++)
			if (run->stress.qps[i].from == run->stress.qps[j].to)
				return false;
	return true;
}

static bool carries_data(const struct rt_lab_run *run, unsigned prio)
{
	for (size_t i = 0; i < run->stress.qp_count; i++)
		if (run->stress.qps[i].prio == prio)
			return true;
	return false;
}

/* --- figures --------------------------------------------------------------------------- */

static struct seen see_frames(const struct rt_lab_run *run)
{
	struct seen seen = { .sw = SUM_QUEUES(run, tx_frames,
					      host_at(run, queue->port) != NULL) };
	const struct rt_opt_u64 parts[] = { SUM_QPS(run, data_frames_rx),
					    SUM_QPS(run, ack_rx), SUM_QPS(run, nak_rx),
					    SUM_QPS(run, cnp_rx) };
	const struct rt_analysis_roce *roce = &run->analysis.roce;

	seen.endpoints.known = true;
	for (size_t i = 0; i < RT_ARRAY_SIZE(parts); i++)
		add(&seen.endpoints, &parts[i]);
	seen.capture.known = roce->direction_overflow == 0;
	for (size_t i = 0; i < roce->direction_count; i++)
		seen.capture.value += roce->directions[i].frames;
	return seen;
}

static struct seen see_data(const struct rt_lab_run *run)
{
	struct seen seen = {
		.endpoints = SUM_QPS(run, data_frames_rx),
		.capture = RT_KNOWN_U64(run->analysis.marks.data_frames),
	};

	if (roles_are_apart(run))
		seen.sw = SUM_QUEUES(run, tx_frames,
				     is_receiver(run, queue->port) &&
					     carries_data(run, queue->prio));
	return seen;
}

/* Where frames were lost a receiver throws away what comes behind, which only it knows. */
static struct seen see_payload(const struct rt_lab_run *run)
{
	const struct rt_analysis_throughput *throughput = &run->analysis.throughput;
	struct seen seen = { .endpoints = SUM_QPS(run, rx_bytes),
			     .capture = { 0, run->analysis.sequence.h_gaps == 0 &&
						     !run->endpoint_drops } };

	for (size_t i = 0; i < throughput->receiver_count; i++)
		seen.capture.value += throughput->receivers[i].good_bytes;
	return seen;
}

static struct seen see_marks(const struct rt_lab_run *run)
{
	return (struct seen){
		.endpoints = SUM_QPS(run, ecn_ce_rx),
		.capture = RT_KNOWN_U64(run->analysis.marks.data_ce),
		.sw = SUM_QUEUES(run, tx_ce, true),
	};
}

static struct seen see_cnps(const struct rt_lab_run *run)
{
	return (struct seen){
		.endpoints = SUM_QPS(run, cnp_tx),
		.capture = RT_KNOWN_U64(run->analysis.marks.cnps),
	};
}

static struct seen see_naks(const struct rt_lab_run *run)
{
	return (struct seen){
		.endpoints = SUM_QPS(run, nak_tx),
		.capture = RT_KNOWN_U64(run->analysis.sequence.naks),
	};
}

/* None of an analysis is no proof, but here every port was looked at. */
static struct seen see_xoff(const struct rt_lab_run *run)
{
	return (struct seen){
		.capture = RT_KNOWN_U64(run->analysis.pauses.xoff.value),
		.sw = SUM_QUEUES(run, tx_xoff, host_at(run, queue->port) != NULL),
	};
}

static struct seen see_pauses(const struct rt_lab_run *run)
{
	return (struct seen){
		.capture = RT_KNOWN_U64(run->analysis.pauses.paused_ns.value),
		.sw = SUM_QUEUES(run, tx_paused_ns, host_at(run, queue->port) != NULL),
	};
}

/*
 * What endpoints sent and nobody saw leave towards the receivers: what is still on its
 * way when they stop counting arrives later, and is no loss.
 */
static struct seen see_drops(const struct rt_lab_run *run)
{
	const struct rt_opt_u64 sent = SUM_QPS(run, data_frames_tx);
	const uint64_t passed = run->analysis.marks.data_frames;

	return (struct seen){
		.endpoints = { sent.value > passed ? sent.value - passed : 0,
			       sent.known },
		.sw = SUM_QUEUES(run, drops, carries_data(run, queue->prio)),
	};
}

static const struct figure {
	const char *name;
	struct seen (*see)(const struct rt_lab_run *run);
	bool all_ports; /* the capture knows it only where every host's port was seen */
	bool received; /* frames that hosts got: those their kernels lost are missing */
} figures[] = {
	{ "frames to hosts", see_frames, true, true },
	{ "data frames to receivers", see_data, false, true },
	{ "payload delivered (bytes)", see_payload, false, false },
	{ "CE marks", see_marks, false, true },
	{ "CNPs", see_cnps, false, false },
	{ "NAKs", see_naks, false, false },
	{ "XOFF frames", see_xoff, true, false },
	{ "senders told to pause (ns)", see_pauses, true, false },
	{ "data frames lost", see_drops, false, false },
};

/* --- side by side ------------------------------------------------------------------------- */

/*
 * The switch counts a pause from when it was due, the capture from when the frame left,
 * which is when the process next ran; the same at its end.
 */
#define EDGE_LEAST_NS UINT64_C(250000)

static uint64_t pause_slack(const struct rt_lab_run *run)
{
	const uint64_t edge_ns = run->late_max_ns > EDGE_LEAST_NS ? run->late_max_ns
								  : EDGE_LEAST_NS;

	return 2 * edge_ns * SUM_QUEUES(run, tx_xoff, true).value;
}

static void compare(struct rt_lab_cross *row, uint64_t slack, const char *why)
{
	const struct rt_opt_u64 *const seen[] = { &row->endpoints, &row->capture,
						  &row->sw };
	uint64_t least = UINT64_MAX, most = 0;
	unsigned known = 0;

	for (size_t i = 0; i < RT_ARRAY_SIZE(seen); i++) {
		if (!seen[i]->known)
			continue;
		known++;
		least = seen[i]->value < least ? seen[i]->value : least;
		most = seen[i]->value > most ? seen[i]->value : most;
	}
	row->agrees = true;
	if (known < 2)
		return;
	row->differ_pct = RT_KNOWN_F64(
		most ? 100.0 * (double)(most - least) / (double)most : 0.0);
	row->agrees = row->differ_pct.value <= AGREE_PCT || most - least <= AGREE_SLACK;
	if (row->agrees || most - least > slack)
		return;
	row->agrees = true;
	snprintf(row->why, sizeof(row->why), "%s", why);
}

int rt_lab_cross_make(struct rt_lab_run *run, struct rt_err *err)
{
	const bool all_ports = strcmp(run->ports, "all") == 0;

	run->cross = calloc(RT_ARRAY_SIZE(figures), sizeof(*run->cross));
	if (!run->cross)
		return rt_err_sys(err, -ENOMEM, "the figures side by side");
	for (size_t i = 0; i < RT_ARRAY_SIZE(figures); i++) {
		struct rt_lab_cross *row = &run->cross[run->cross_count++];
		const struct seen seen = figures[i].see(run);

		snprintf(row->figure, sizeof(row->figure), "%s", figures[i].name);
		row->endpoints = seen.endpoints;
		row->capture = seen.capture;
		row->sw = seen.sw;
		if (figures[i].all_ports && !all_ports)
			row->capture.known = false;
		if (figures[i].see == see_pauses)
			compare(row, pause_slack(run), "told late");
		else
			compare(row, figures[i].received ? run->endpoint_drops : 0,
				"lost at hosts");
	}
	return 0;
}
