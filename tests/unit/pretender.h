/* SPDX-License-Identifier: BSD-2-Clause */
/* pretender.h - an engine that moves nothing and counts as if, as faults want it. */
#ifndef RT_TESTS_PRETENDER_H
#define RT_TESTS_PRETENDER_H

#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "kern/kern_fake.h"
#include "rocetune/err.h"
#include "traffic/engine.h"

#define MS UINT64_C(1000000)

/* What goes wrong with the flow of this number; -1: nothing. */
struct faults {
	int stops, stops_ms;   /* an error ends it */
	int loses;             /* its receiver misses frames */
	int refuses;           /* its queue pair cannot be made */
	int dies;              /* its sender's process ends in the middle */
	unsigned rate_mbps[4]; /* of flows, by number modulo 4 */
	unsigned connected;    /* others' connections on every port */
	bool discards;         /* ports of receivers drop, after a while */
	int lingers_ms;        /* its last frame comes so long after time is up */
	unsigned drops;        /* frames that kernels of receivers had no room for */
	uint64_t receives_bps; /* link of rank 0; 0: as others' */
};

struct pretender {
	struct rt_engine base;
	const struct faults *faults;
	const struct rt_traffic_flow *flows[64];
	bool sends[64];
	int64_t stopped_ns[64]; /* 0: not */
	uint64_t told[64];      /* messages whose latency was told */
	unsigned count;
	int64_t epoch_ns, worked_ns;
};

static const struct faults *current_faults;
static struct rt_fake *current_host; /* of an agent's process */
static uint32_t current_rank;

static int pretend_open(const struct rt_engine_config *config,
			struct rt_engine **ret_engine, struct rt_err *err)
{
	struct pretender *pretender = calloc(1, sizeof(*pretender));
	extern const struct rt_engine_ops pretend;

	(void)err;
	assert_non_null(config->laws);
	pretender->base.ops = &pretend;
	pretender->faults = current_faults;
	*ret_engine = &pretender->base;
	return 0;
}

static void pretend_about(const struct rt_engine *engine,
			  struct rt_engine_about *ret_about)
{
	const struct pretender *pretender = (const struct pretender *)engine;

	*ret_about = (struct rt_engine_about){ .engine = "pretend",
					       .device = "mlx5_0",
					       .speed_bps = RT_KNOWN_U64(10000000000) };
	if (!current_rank && pretender->faults->receives_bps)
		ret_about->speed_bps.value = pretender->faults->receives_bps;
}

static int pretend_create(struct rt_engine *engine, const struct rt_traffic_flow *flow,
			  bool sends, unsigned *ret_index,
			  struct rt_qp_address *ret_address, struct rt_err *err)
{
	struct pretender *pretender = (struct pretender *)engine;

	if (pretender->faults->refuses == (int)flow->flow && sends)
		return rt_err_set(err, -ENOMEM, "no queue pair is left");
	*ret_index = pretender->count;
	pretender->flows[pretender->count] = flow;
	pretender->sends[pretender->count++] = sends;
	*ret_address = (struct rt_qp_address){ .qpn = flow->flow * 2 + sends };
	return 0;
}

/* The other end's address must be the other end's. */
static int pretend_connect(struct rt_engine *engine, unsigned index,
			   const struct rt_qp_address *peer, struct rt_err *err)
{
	struct pretender *pretender = (struct pretender *)engine;

	if (peer->qpn != pretender->flows[index]->flow * 2 + !pretender->sends[index])
		return rt_err_set(err, -EINVAL, "that is queue pair %u", peer->qpn);
	return 0;
}

static void pretend_begin(struct rt_engine *engine, int64_t epoch_ns)
{
	((struct pretender *)engine)->epoch_ns = epoch_ns;
}

static int pretend_work(struct rt_engine *engine, int64_t until_ns, int wake_fd,
			struct rt_err *err)
{
	struct pretender *pretender = (struct pretender *)engine;
	struct pollfd look = { .fd = wake_fd, .events = POLLIN };
	const int64_t left_ns = until_ns - rt_monotonic_ns();

	(void)err;
	if (pretender->faults->discards && pretender->count && !pretender->sends[0] &&
	    rt_monotonic_ns() > pretender->epoch_ns + 300000000)
		rt_fake_set_stat(&current_host->ports[0].ethtool_stats,
				 "rx_prio3_discards", 109);
	for (unsigned i = 0; i < pretender->count; i++)
		if (pretender->sends[i] &&
		    rt_monotonic_ns() > pretender->epoch_ns + 300000000 &&
		    pretender->faults->dies == (int)pretender->flows[i]->flow)
			_exit(7);
	if (left_ns > 0)
		poll(&look, 1, (int)(left_ns / 1000000) + 1);
	pretender->worked_ns = rt_monotonic_ns();
	return 0;
}

static void pretend_stop(struct rt_engine *engine, unsigned index)
{
	((struct pretender *)engine)->stopped_ns[index] = rt_monotonic_ns();
}

/* How long it has sent. */
static int64_t sent_ns(const struct pretender *pretender, unsigned index)
{
	const struct rt_traffic_flow *flow = pretender->flows[index];
	const struct faults *faults = pretender->faults;
	int64_t now_ns = pretender->stopped_ns[index] ? pretender->stopped_ns[index]
						      : rt_monotonic_ns();

	now_ns -= pretender->epoch_ns;
	if (now_ns > (int64_t)flow->stop_ns)
		now_ns = (int64_t)flow->stop_ns;
	if (faults->stops == (int)flow->flow &&
	    now_ns > (int64_t)(faults->stops_ms * MS))
		now_ns = (int64_t)(faults->stops_ms * MS);
	now_ns -= (int64_t)flow->start_ns;
	return now_ns > 0 ? now_ns : 0;
}

static uint64_t messages_of(const struct pretender *pretender, unsigned index)
{
	const struct rt_traffic_flow *flow = pretender->flows[index];
	const uint64_t able_bps = UINT64_C(1000000) *
				  pretender->faults->rate_mbps[flow->flow % 4];
	const bool capped = flow->rate_bps && flow->rate_bps < able_bps;
	const uint64_t bps = capped ? flow->rate_bps : able_bps;
	const uint64_t bytes = (uint64_t)sent_ns(pretender, index) / 8000 * bps /
			       1000000;
	const uint64_t most = flow->total_bytes ? flow->total_bytes : UINT64_MAX;

	return (bytes < most ? bytes : most) / flow->message_bytes;
}

/* A sender's last frame is under way until then, and its receiver must be there. */
static void linger(const struct pretender *pretender, unsigned index,
		   struct rt_qp_totals *totals)
{
	const struct rt_traffic_flow *flow = pretender->flows[index];
	const int64_t last_ns = pretender->epoch_ns + (int64_t)flow->stop_ns +
				pretender->faults->lingers_ms * (int64_t)MS;
	const bool came = pretender->worked_ns >= last_ns;

	if (came) {
		totals->bytes.value += flow->message_bytes;
		totals->messages.value++;
	}
	if (pretender->sends[index]) {
		totals->data_frames_tx = RT_KNOWN_U64(7);
		totals->data_frames_retransmitted = RT_KNOWN_U64(9);
		totals->rate_cuts = RT_KNOWN_U64(0);
		if (!came)
			totals->state = RT_QP_RUNNING;
	} else {
		totals->data_frames_rx = RT_KNOWN_U64(6 + came);
	}
}

static void pretend_totals(const struct rt_engine *engine, unsigned index,
			   struct rt_qp_totals *ret_totals)
{
	const struct pretender *pretender = (const struct pretender *)engine;
	const struct rt_traffic_flow *flow = pretender->flows[index];
	const uint64_t messages = messages_of(pretender, index);
	const struct faults *faults = pretender->faults;
	const int64_t now_ns = rt_monotonic_ns() - pretender->epoch_ns;

	*ret_totals = (struct rt_qp_totals){
		.state = RT_QP_RUNNING,
		.bytes = RT_KNOWN_U64(messages * flow->message_bytes),
		.messages = RT_KNOWN_U64(messages),
		.first_ns = { flow->start_ns, messages > 0 },
		.last_ns = { flow->start_ns + (uint64_t)sent_ns(pretender, index),
			     messages > 0 },
		.frame_sequence_error = RT_KNOWN_U64(0),
		.nak_rx = RT_KNOWN_U64(0),
	};
	if (faults->loses == (int)flow->flow && now_ns > 200000000)
		ret_totals->frame_sequence_error = RT_KNOWN_U64(5);
	if (pretender->stopped_ns[index] || now_ns > (int64_t)flow->stop_ns ||
	    (flow->total_bytes && messages * flow->message_bytes >= flow->total_bytes))
		ret_totals->state = RT_QP_DONE;
	if (faults->lingers_ms && !pretender->stopped_ns[index])
		linger(pretender, index, ret_totals);
	if (faults->stops == (int)flow->flow && pretender->sends[index] &&
	    now_ns > (int64_t)(faults->stops_ms * MS)) {
		ret_totals->state = RT_QP_STOPPED;
		strcpy(ret_totals->error, "IBV_WC_RETRY_EXC_ERR");
		ret_totals->error_ns = RT_KNOWN_U64(faults->stops_ms * MS);
	}
}

static void pretend_latency(struct rt_engine *engine, unsigned index,
			    struct rt_histogram *into)
{
	struct pretender *pretender = (struct pretender *)engine;

	for (; pretender->told[index] < messages_of(pretender, index);
	     pretender->told[index]++)
		rt_histogram_add(into, 20000);
}

static void pretend_health(struct rt_engine *engine,
			   struct rt_engine_health *ret_health)
{
	const struct pretender *pretender = (const struct pretender *)engine;
	const bool receives = pretender->count && !pretender->sends[0];

	*ret_health = (struct rt_engine_health){
		.ring_drops = RT_KNOWN_U64(receives ? pretender->faults->drops : 0),
		.strays = RT_KNOWN_U64(0),
		.away_ns = RT_KNOWN_U64(receives ? 2000000 : 0),
		.late_max_ns = RT_KNOWN_U64(receives ? 2000000 : 0),
	};
}

static void pretend_close(struct rt_engine *engine)
{
	free(engine);
}

const struct rt_engine_ops pretend = {
	.name = "pretend",
	.help = "counts as if",
	.open = pretend_open,
	.about = pretend_about,
	.qp_create = pretend_create,
	.qp_connect = pretend_connect,
	.begin = pretend_begin,
	.work = pretend_work,
	.qp_stop = pretend_stop,
	.totals = pretend_totals,
	.latency = pretend_latency,
	.health = pretend_health,
	.close = pretend_close,
};

#endif
