/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * null.c - an engine that moves no byte: queue pairs, states and totals as they would
 * be on a link that gives every flow what it asks for (1 Gbps where it asks for
 * nothing).  For tests of all that stands around an engine, of many hosts above all.
 *
 * Totals are a function of time and of the flow's row, so both ends agree without
 * saying a word to each other.  Time is that of the last work(): an engine that is not
 * worked does nothing.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/own.h"
#include "model/sizes.h"
#include "rocetune/err.h"
#include "traffic/engine.h"

#define DEFAULT_BPS  UINT64_C(1000000000)
#define DEFAULT_MTU  1024u
#define FIRST_QPN    0x100u
#define MOST_SAMPLES 4096u /* latencies that one call tells */
#define NS_A_SECOND  UINT64_C(1000000000)

struct null_qp {
	struct rt_traffic_flow flow; /* but its sizes */
	uint64_t message_bytes;      /* mean, where there is a list */
	bool sends, connected, stopped;
	uint64_t stopped_ns;
	uint64_t told; /* messages whose latency was */
};

struct null_engine {
	struct rt_engine base;
	struct rt_engine_config config;
	struct null_qp *qps; /* owned */
	size_t count, capacity;
	int64_t epoch_ns;
	uint64_t now_ns; /* from the epoch, of the last work() */
};

static struct null_engine *of(struct rt_engine *engine)
{
	return (struct null_engine *)engine;
}

static const struct null_qp *qp_at(const struct rt_engine *engine, unsigned index)
{
	return &((const struct null_engine *)engine)->qps[index];
}

static int null_open(const struct rt_engine_config *config,
		     struct rt_engine **ret_engine, struct rt_err *err)
{
	struct null_engine *engine = calloc(1, sizeof(*engine));

	if (!engine)
		return rt_err_sys(err, -ENOMEM, "cannot open the null engine");
	engine->base.ops = &rt_engine_null;
	engine->config = *config;
	engine->config.laws = NULL;
	if (!engine->config.mtu_bytes)
		engine->config.mtu_bytes = DEFAULT_MTU;
	*ret_engine = &engine->base;
	return 0;
}

static void null_about(const struct rt_engine *base, struct rt_engine_about *ret_about)
{
	const struct null_engine *engine = (const struct null_engine *)base;

	*ret_about = (struct rt_engine_about){
		.engine = "null",
		.chosen = "asked for: it moves no bytes",
		.ip = engine->config.ip,
		.mtu_bytes = engine->config.mtu_bytes,
		.transport = "none",
	};
}

static int null_qp_create(struct rt_engine *base, const struct rt_traffic_flow *flow,
			  bool sends, unsigned *ret_index,
			  struct rt_qp_address *ret_address, struct rt_err *err)
{
	struct null_engine *engine = of(base);
	struct null_qp *grown = rt_grow(engine->qps, engine->count, &engine->capacity,
					sizeof(*grown));
	struct null_qp qp = {
		.flow = *flow,
		.message_bytes = flow->message_bytes,
		.sends = sends,
	};

	if (!grown)
		return rt_err_sys(err, -ENOMEM, "cannot hold another queue pair");
	engine->qps = grown;
	if (flow->size_count)
		qp.message_bytes = (uint64_t)llround(
			rt_sizes_mean_bytes(flow->sizes, flow->size_count));
	qp.flow.sizes = NULL; /* the caller's */
	qp.flow.size_count = 0;
	if (!qp.message_bytes)
		return rt_err_set(err, -EINVAL, "flow %u: messages of no bytes",
				  flow->flow);
	*ret_index = (unsigned)engine->count;
	*ret_address = (struct rt_qp_address){
		.flow = flow->flow,
		.qpn = FIRST_QPN + (uint32_t)engine->count,
		.ip = engine->config.ip,
		.mtu_bytes = engine->config.mtu_bytes,
		.region_bytes = engine->config.region_bytes,
	};
	engine->qps[engine->count++] = qp;
	return 0;
}

static int null_qp_connect(struct rt_engine *base, unsigned index,
			   const struct rt_qp_address *peer, struct rt_err *err)
{
	struct null_qp *qp = &of(base)->qps[index];

	if (peer->flow != qp->flow.flow || !peer->qpn)
		return rt_err_set(err, -EINVAL, "flow %u: the address is of flow %u",
				  qp->flow.flow, peer->flow);
	rt_traffic_flow_heed(&qp->flow, peer);
	qp->connected = true;
	return 0;
}

static void null_begin(struct rt_engine *base, int64_t epoch_ns)
{
	of(base)->epoch_ns = epoch_ns;
}

/* Wait as one who has nothing to do but to look at wake_fd. */
static void wait_until(int64_t until_ns, int wake_fd)
{
	struct pollfd wake = { .fd = wake_fd, .events = POLLIN };
	int64_t left_ns;

	while ((left_ns = until_ns - rt_monotonic_ns()) > 0) {
		const struct timespec left = { .tv_sec = left_ns / 1000000000,
					       .tv_nsec = left_ns % 1000000000 };

		if (ppoll(&wake, 1, &left, NULL) != 0)
			return;
	}
}

static int null_work(struct rt_engine *base, int64_t until_ns, int wake_fd,
		     struct rt_err *err)
{
	struct null_engine *engine = of(base);
	int64_t now_ns;

	(void)err;
	wait_until(until_ns, wake_fd);
	now_ns = rt_monotonic_ns() - engine->epoch_ns;
	engine->now_ns = now_ns > 0 ? (uint64_t)now_ns : 0;
	return 0;
}

static void null_qp_stop(struct rt_engine *base, unsigned index)
{
	struct null_qp *qp = &of(base)->qps[index];

	if (qp->stopped)
		return;
	qp->stopped = true;
	qp->stopped_ns = of(base)->now_ns;
}

static uint64_t rate_of(const struct null_qp *qp)
{
	return qp->flow.rate_bps ? qp->flow.rate_bps : DEFAULT_BPS;
}

/* How long of the first at_ns the flow has been sending: bursts have gaps. */
static uint64_t sending_ns(const struct null_qp *qp, uint64_t at_ns)
{
	const struct rt_traffic_flow *flow = &qp->flow;
	const uint64_t period_ns = flow->on_ns + flow->off_ns;
	uint64_t past_ns, phase_ns;

	if (qp->stopped && qp->stopped_ns < at_ns)
		at_ns = qp->stopped_ns;
	if (flow->stop_ns && flow->stop_ns < at_ns)
		at_ns = flow->stop_ns;
	if (at_ns <= flow->start_ns || !qp->connected)
		return 0;
	past_ns = at_ns - flow->start_ns;
	if (!flow->off_ns)
		return past_ns;
	phase_ns = past_ns % period_ns;
	return past_ns / period_ns * flow->on_ns +
	       (phase_ns < flow->on_ns ? phase_ns : flow->on_ns);
}

/* Whole messages, the last of which may be a shorter one. */
static uint64_t messages_at(const struct null_qp *qp, uint64_t at_ns)
{
	const uint64_t bytes = (uint64_t)((unsigned __int128)sending_ns(qp, at_ns) *
					  rate_of(qp) / 8 / NS_A_SECOND);
	const uint64_t total = qp->flow.total_bytes;

	if (total && bytes >= total)
		return (total + qp->message_bytes - 1) / qp->message_bytes;
	return bytes / qp->message_bytes;
}

static unsigned state_at(const struct null_qp *qp, uint64_t at_ns, bool all_sent)
{
	if (qp->stopped || all_sent || (qp->flow.stop_ns && at_ns >= qp->flow.stop_ns))
		return RT_QP_DONE;
	return qp->connected && at_ns >= qp->flow.start_ns ? RT_QP_RUNNING
							   : RT_QP_WAITING;
}

static void null_totals(const struct rt_engine *base, unsigned index,
			struct rt_qp_totals *ret_totals)
{
	const struct null_qp *qp = qp_at(base, index);
	const uint64_t now_ns = ((const struct null_engine *)base)->now_ns;
	const uint64_t messages = messages_at(qp, now_ns);
	uint64_t bytes = messages * qp->message_bytes;
	const bool all_sent = qp->flow.total_bytes && bytes >= qp->flow.total_bytes;

	if (all_sent)
		bytes = qp->flow.total_bytes;
	*ret_totals = (struct rt_qp_totals){
		.state = state_at(qp, now_ns, all_sent),
		.bytes = RT_KNOWN_U64(bytes),
		.messages = RT_KNOWN_U64(messages),
	};
	if (messages)
		ret_totals->first_ns = RT_KNOWN_U64(qp->flow.start_ns);
	if (qp->sends)
		ret_totals->rate_bps = RT_KNOWN_U64(rate_of(qp));
}

static void null_latency(struct rt_engine *base, unsigned index,
			 struct rt_histogram *into)
{
	struct null_qp *qp = &of(base)->qps[index];
	const uint64_t messages = messages_at(qp, of(base)->now_ns);
	const uint64_t each_ns = (uint64_t)((unsigned __int128)qp->message_bytes * 8 *
					    NS_A_SECOND / rate_of(qp));

	for (unsigned i = 0; qp->told < messages && i < MOST_SAMPLES; i++, qp->told++)
		rt_histogram_add(into, each_ns);
	qp->told = messages;
}

static void null_close(struct rt_engine *base)
{
	free(of(base)->qps);
	free(base);
}

const struct rt_engine_ops rt_engine_null = {
	.name = "null",
	.help = "moves no bytes and reports as if; for tests of the rest",
	.open = null_open,
	.about = null_about,
	.qp_create = null_qp_create,
	.qp_connect = null_qp_connect,
	.begin = null_begin,
	.work = null_work,
	.qp_stop = null_qp_stop,
	.totals = null_totals,
	.latency = null_latency,
	.close = null_close,
};
