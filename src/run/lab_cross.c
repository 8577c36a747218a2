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
/* Of paused time: what the machine's lateness may explain at most. */
#define LATE_PCT    3u
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

/* At ports towards hosts, which are what captures see. */
#define SUM_AT_HOSTS(run, member) \
	SUM_QUEUES(run, member, rt_lab_host_at(&(run)->lab.state, queue->port))

/* Is it among "s0p0,s0p1" or "all"? */
static bool was_captured(const struct rt_lab_run *run, const char *port)
{
	const size_t bytes = strlen(port);

	if (strcmp(run->ports, "all") == 0)
		return true;
	for (const char *at = run->ports; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, port, bytes) == 0 && strchr(",", at[bytes]))
			return true;
	}
	return false;
}

static bool is_receiver(const struct rt_lab_run *run, const char *port)
{
	const struct rt_lab_host *host = rt_lab_host_at(&run->lab.state, port);

	for (size_t i = 0; host && i < run->stress.qp_count; i++)
		if (run->stress.qps[i].to == (uint32_t)(host - run->lab.state.hosts))
			return true;
	return false;
}

/* What a capture lost may be any of what it counts: it is no witness then. */
static bool captured_enough(const struct rt_lab_run *run, bool all_ports)
{
	if (run->capture_drops)
		return false;
	for (size_t i = 0; i < run->lab.state.host_count; i++) {
		const char *port = run->lab.state.hosts[i].switch_port;

		if ((all_ports || is_receiver(run, port)) && !was_captured(run, port))
			return false;
	}
	return true;
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

/* Requests of READs are frames that no end counts. */
static bool somebody_reads(const struct rt_lab_run *run)
{
	for (size_t i = 0; i < run->stress.qp_count; i++)
		if (run->stress.qps[i].op == RT_TRAFFIC_READ)
			return true;
	return false;
}

/* --- figures --------------------------------------------------------------------------- */

static struct seen see_frames(const struct rt_lab_run *run)
{
	struct seen seen = { .sw = SUM_AT_HOSTS(run, tx_frames) };
	const struct rt_opt_u64 parts[] = { SUM_QPS(run, data_frames_rx),
					    SUM_QPS(run, ack_rx), SUM_QPS(run, nak_rx),
					    SUM_QPS(run, cnp_rx) };
	const struct rt_analysis_roce *roce = &run->analysis.roce;

	seen.endpoints.known = !somebody_reads(run);
	for (size_t i = 0; i < RT_ARRAY_SIZE(parts) && seen.endpoints.known; i++)
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

/* Both ways: slow hosts stop the switch. */
static struct rt_opt_u64 sum_of(struct rt_opt_u64 a, struct rt_opt_u64 b)
{
	return (struct rt_opt_u64){ a.value + b.value, a.known && b.known };
}

/* None of an analysis is no proof, but here every port was looked at. */
static struct seen see_xoff(const struct rt_lab_run *run)
{
	return (struct seen){
		.capture = RT_KNOWN_U64(run->analysis.pauses.xoff.value),
		.sw = sum_of(SUM_AT_HOSTS(run, tx_xoff), SUM_AT_HOSTS(run, rx_xoff)),
	};
}

static struct seen see_pauses(const struct rt_lab_run *run)
{
	return (struct seen){
		.capture = RT_KNOWN_U64(run->analysis.pauses.paused_ns.value),
		.sw = sum_of(SUM_AT_HOSTS(run, tx_paused_ns),
			     SUM_AT_HOSTS(run, rx_paused_ns)),
	};
}

/* What endpoints sent and did not receive: theirs alone. */
static struct seen see_drops(const struct rt_lab_run *run)
{
	const struct rt_opt_u64 sent = SUM_QPS(run, data_frames_tx);
	const struct rt_opt_u64 received = SUM_QPS(run, data_frames_rx);

	return (struct seen){
		.endpoints = { sent.value > received.value ? sent.value - received.value
							   : 0,
			       sent.known && received.known },
		.sw = SUM_QUEUES(run, drops, carries_data(run, queue->prio)),
	};
}

/* --- what explains a difference ----------------------------------------------------- */

struct excuse {
	const char *why;
	uint64_t amount;
	uint64_t most; /* an excuse for more than this excuses anything: not judged */
};

static struct excuse lost_at_hosts(const struct rt_lab_run *run)
{
	return (struct excuse){ "lost at hosts", run->endpoint_drops, UINT64_MAX };
}

/*
 * The switch counts a pause from when it was due, the capture from when the frame left,
 * which is when the process next ran; the same at its end.
 */
static struct excuse told_late(const struct rt_lab_run *run)
{
	const uint64_t episodes = SUM_AT_HOSTS(run, tx_xon).value +
				  SUM_AT_HOSTS(run, rx_xon).value;
	const uint64_t paused_ns = SUM_AT_HOSTS(run, tx_paused_ns).value +
				   SUM_AT_HOSTS(run, rx_paused_ns).value;

	return (struct excuse){ "told late", 2 * run->late_mean_ns * episodes,
				paused_ns / 100 * LATE_PCT };
}

/*
 * What left the switch when the endpoints no longer counted is no loss, nor is what the
 * kernel lost outside of the switch's queues a drop of it.
 */
static struct excuse under_way(const struct rt_lab_run *run)
{
	const struct seen data = see_data(run);
	const struct rt_opt_u64 *passed = data.sw.known ? &data.sw : &data.capture;
	uint64_t behind = 0;

	if (!data.sw.known && !captured_enough(run, false))
		return (struct excuse){ "unseen on its way", UINT64_MAX, 0 };
	if (passed->value > data.endpoints.value)
		behind = passed->value - data.endpoints.value;
	return (struct excuse){ "under way", behind + run->ring_drops, UINT64_MAX };
}

/* --- all of them ---------------------------------------------------------------------- */

static const struct figure {
	const char *name;
	struct seen (*see)(const struct rt_lab_run *run);
	bool all_ports; /* the capture needs every host's; else only the receivers' */
	struct excuse (*excuse)(const struct rt_lab_run *run); /* NULL: none */
} figures[] = {
	{ "frames to hosts", see_frames, true, lost_at_hosts },
	{ "data frames to receivers", see_data, false, lost_at_hosts },
	{ "payload delivered (bytes)", see_payload, false, NULL },
	{ "CE marks", see_marks, false, lost_at_hosts },
	{ "CNPs", see_cnps, false, NULL },
	{ "NAKs", see_naks, false, NULL },
	{ "XOFF, both ways", see_xoff, true, NULL },
	{ "pauses, both ways (ns)", see_pauses, true, told_late },
	{ "data frames lost", see_drops, false, under_way },
};

/* --- side by side ------------------------------------------------------------------------- */

/* Fills in what the known ones differ by; how many know. */
static unsigned spread(struct rt_lab_cross *row, uint64_t *ret_apart)
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
	*ret_apart = known ? most - least : 0;
	if (known > 1)
		row->differ_pct = RT_KNOWN_F64(
			most ? 100.0 * (double)(most - least) / (double)most : 0.0);
	return known;
}

static void compare(struct rt_lab_cross *row, const struct excuse *excuse)
{
	uint64_t apart;
	const unsigned known = spread(row, &apart);

	if (known < 2) {
		row->agrees = known ? RT_LAB_AGREE_ONE : RT_LAB_AGREE_NOBODY;
		return;
	}
	row->agrees = RT_LAB_AGREE_YES;
	if (row->differ_pct.value <= AGREE_PCT || apart <= AGREE_SLACK)
		return;
	row->agrees = RT_LAB_AGREE_NO;
	if (apart > excuse->amount)
		return;
	row->agrees = apart > excuse->most ? RT_LAB_AGREE_UNSURE : RT_LAB_AGREE_YES;
	snprintf(row->why, sizeof(row->why), "%s", excuse->why);
}

int rt_lab_cross_make(struct rt_lab_run *run, struct rt_err *err)
{
	run->cross = calloc(RT_ARRAY_SIZE(figures), sizeof(*run->cross));
	if (!run->cross)
		return rt_err_sys(err, -ENOMEM, "the figures side by side");
	for (size_t i = 0; i < RT_ARRAY_SIZE(figures); i++) {
		struct rt_lab_cross *row = &run->cross[run->cross_count++];
		const struct seen seen = figures[i].see(run);
		struct excuse excuse = { "", 0, 0 };

		snprintf(row->figure, sizeof(row->figure), "%s", figures[i].name);
		row->endpoints = seen.endpoints;
		row->capture = seen.capture;
		row->sw = seen.sw;
		if (!captured_enough(run, figures[i].all_ports))
			row->capture.known = false;
		if (figures[i].excuse)
			excuse = figures[i].excuse(run);
		compare(row, &excuse);
	}
	return 0;
}
