/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work.c - the loop: take completions in batches, post what they make room for, look at
 * the clock once a round, and sleep only when nothing has come for a while.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include <rdma/rdma_cma.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "cc/rc.h"
#include "rocetune/err.h"
#include "traffic/verbs/choose.h"
#include "traffic/verbs/verbs.h"

/*
 * How long it spins before it sleeps: a sleeper misses the latency of small messages.
 * Where completions are usually further apart than that, it sleeps at once: spinning
 * would be in vain, and takes the processor from who moves the bytes in software.
 */
#define SPIN_NS INT64_C(50000)
/* How often the waker and the device's events are looked at. */
#define LOOK_NS INT64_C(1000000)

int64_t verbs_now_ns(void)
{
	return rt_monotonic_ns();
}

static int64_t clamp_add(int64_t base_ns, uint64_t add_ns)
{
	return add_ns > (uint64_t)(INT64_MAX - base_ns) ? INT64_MAX
							: base_ns + (int64_t)add_ns;
}

void verbs_begin(struct rt_engine *base, int64_t epoch_ns)
{
	struct verbs_engine *engine = verbs_of(base);

	engine->epoch_ns = epoch_ns;
	engine->due_ns = INT64_MIN;
	for (size_t i = 0; i < engine->qp_count; i++) {
		struct verbs_qp *qp = engine->qps[i];
		const struct rt_traffic_flow *flow = &qp->flow;

		qp->start_ns = clamp_add(epoch_ns, flow->start_ns);
		qp->stop_ns = flow->stop_ns || !flow->total_bytes
				      ? clamp_add(epoch_ns, flow->stop_ns)
				      : VERBS_NEVER;
		qp->due_ns = qp->start_ns;
		rt_pace_init(&qp->pace, flow->rate_bps, qp->start_ns, flow->on_ns,
			     flow->off_ns);
	}
}

/* --- completions ------------------------------------------------------------------ */

static void count(struct verbs_engine *engine, struct verbs_qp *qp, uint64_t bytes,
		  int64_t now_ns)
{
	struct rt_qp_totals *totals = &qp->totals;
	const int64_t at = now_ns - engine->epoch_ns;

	totals->bytes.value += bytes;
	totals->messages.value++;
	totals->last_ns = RT_KNOWN_U64(at > 0 ? (uint64_t)at : 0);
}

static void complete(struct verbs_engine *engine, const struct ibv_wc *wc,
		     int64_t now_ns)
{
	struct verbs_qp *qp = engine->qps[wc->wr_id >> 1];
	const bool received = wc->wr_id & 1;
	const struct verbs_slot *slot = NULL;

	qp->touched = true;
	if (received)
		qp->receives--;
	else
		slot = &qp->slots[qp->tail++ & qp->slot_mask];
	if (wc->status != IBV_WC_SUCCESS) {
		verbs_fail(engine, qp, verbs_status_name(wc->status), now_ns);
		return;
	}
	count(engine, qp, received ? wc->byte_len : slot->bytes, now_ns);
	if (slot)
		rt_histogram_add(qp->latency, (uint64_t)(now_ns - slot->posted_ns));
}

/* After a batch: every queue pair that moved gets its receives and requests. */
static void follow(struct verbs_engine *engine, const struct ibv_wc *wcs, int n,
		   int64_t now_ns)
{
	for (int i = 0; i < n; i++) {
		struct verbs_qp *qp = engine->qps[wcs[i].wr_id >> 1];

		if (!qp->touched)
			continue;
		qp->touched = false;
		if (qp->takes && qp->totals.state != RT_QP_STOPPED &&
		    verbs_refill(qp) < 0)
			verbs_fail(engine, qp, "ibv_post_recv", now_ns);
		verbs_post(engine, qp, now_ns);
		if (qp->due_ns < engine->due_ns)
			engine->due_ns = qp->due_ns;
	}
}

/* Completions taken; negative: the device is gone. */
static int take(struct verbs_engine *engine, int64_t *now_ns)
{
	struct ibv_wc wcs[VERBS_BATCH];
	int taken = 0;

	for (size_t i = 0; i < engine->cq_count; i++) {
		const int n = ibv_poll_cq(engine->cqs[i]->cq, VERBS_BATCH, wcs);

		if (n < 0)
			return -EIO;
		if (!n)
			continue;
		*now_ns = verbs_now_ns();
		for (int c = 0; c < n; c++)
			complete(engine, &wcs[c], *now_ns);
		follow(engine, wcs, n, *now_ns);
		taken += n;
	}
	return taken;
}

/* --- time ------------------------------------------------------------------------- */

static void scan(struct verbs_engine *engine, int64_t now_ns)
{
	engine->due_ns = VERBS_NEVER;
	for (size_t i = 0; i < engine->qp_count; i++) {
		struct verbs_qp *qp = engine->qps[i];

		if (now_ns >= qp->due_ns)
			verbs_post(engine, qp, now_ns);
		if (qp->due_ns < engine->due_ns)
			engine->due_ns = qp->due_ns;
	}
}

/* --- events ----------------------------------------------------------------------- */

static int on_event(struct verbs_engine *engine, const struct ibv_async_event *event,
		    struct rt_err *err)
{
	const char *name = verbs_event_name(event->event_type);

	switch (event->event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
		verbs_fail(engine, event->element.qp->qp_context, name, verbs_now_ns());
		return 0;
	case IBV_EVENT_PORT_ERR:
		if (event->element.port_num != engine->port)
			return 0;
		engine->port_error = true;
		engine->port_error_ns = verbs_now_ns();
		return 0;
	case IBV_EVENT_PORT_ACTIVE:
		engine->port_error &= event->element.port_num != engine->port;
		return 0;
	case IBV_EVENT_DEVICE_FATAL:
	case IBV_EVENT_CQ_ERR:
		return rt_err_set(err, -EIO, "%s reports %s", engine->about.device,
				  name);
	default: return 0;
	}
}

static int take_events(struct verbs_engine *engine, struct rt_err *err)
{
	struct ibv_async_event event;
	int r = 0;

	while (r == 0 && ibv_get_async_event(engine->context, &event) == 0) {
		r = on_event(engine, &event, err);
		ibv_ack_async_event(&event);
	}
	return r;
}

/*
 * Requests over a dead port end by RETRY_EXC or sooner: a sender waits up to four times
 * its time-out at each try (IBTA 9.7.6.1.3).  rdma_rxe forgets some: it completes them
 * never, so who has heard nothing for that long and a second more is taken for stopped.
 */
static void give_up(struct verbs_engine *engine, int64_t now_ns)
{
	const int64_t wait_ns =
		(int64_t)(rt_rc_timeout_ps(engine->config.ack_timeout_code) / 1000) *
			(int64_t)(4 * (engine->config.retry_count.value + 1)) +
		INT64_C(1000000000);

	if (!engine->port_error || now_ns - engine->port_error_ns < wait_ns)
		return;
	for (size_t i = 0; i < engine->qp_count; i++)
		if (engine->qps[i]->head != engine->qps[i]->tail)
			verbs_fail(engine, engine->qps[i], "no completion", now_ns);
}

static void drain_channel(struct verbs_engine *engine)
{
	struct ibv_cq *cq;
	void *context;

	while (ibv_get_cq_event(engine->channel, &cq, &context) == 0)
		ibv_ack_cq_events(cq, 1);
}

/* Sleep up to timeout_ns; 1: the caller's waker is readable. */
static int look_around(struct verbs_engine *engine, int64_t timeout_ns, int wake_fd,
		       struct rt_err *err)
{
	struct pollfd fds[] = {
		{ .fd = wake_fd, .events = POLLIN },
		{ .fd = engine->context->async_fd, .events = POLLIN },
		{ .fd = engine->channel->fd, .events = POLLIN },
		{ .fd = engine->cm ? engine->cm->fd : -1, .events = POLLIN },
	};
	const struct timespec timeout = { .tv_sec = timeout_ns / 1000000000,
					  .tv_nsec = timeout_ns % 1000000000 };

	if (ppoll(fds, 4, &timeout, NULL) < 0)
		return errno == EINTR ? 0 : rt_err_sys(err, -errno, "poll");
	if (fds[2].revents)
		drain_channel(engine);
	if (fds[3].revents)
		verbs_cm_events(engine);
	if (fds[1].revents) {
		const int r = take_events(engine, err);

		if (r < 0)
			return r;
	}
	return fds[0].revents != 0;
}

/* Ask for an event at the next completion, unless one came in the meantime: then 1. */
static int arm(struct verbs_engine *engine, int64_t *now_ns)
{
	for (size_t i = 0; i < engine->cq_count; i++)
		if (ibv_req_notify_cq(engine->cqs[i]->cq, 0) != 0)
			return -EIO;
	return take(engine, now_ns);
}

/* Completions came so long after the last of them, or after posting by the clock. */
static void note_gap(struct verbs_engine *engine, int64_t gap_ns)
{
	engine->gap_ns += (gap_ns - engine->gap_ns) / 8;
}

/* Nothing has come: how long to sleep; 0: not now. */
static int64_t idle(struct verbs_engine *engine, int64_t until_ns, int64_t busy_ns,
		    int64_t *now_ns, int *ret_taken)
{
	const int64_t due = engine->due_ns < until_ns ? engine->due_ns : until_ns;

	if (engine->gap_ns <= SPIN_NS && *now_ns - busy_ns < SPIN_NS)
		return 0;
	*ret_taken = arm(engine, now_ns);
	return *ret_taken == 0 && due > *now_ns ? due - *now_ns : 0;
}

int verbs_work(struct rt_engine *base, int64_t until_ns, int wake_fd,
	       struct rt_err *err)
{
	struct verbs_engine *engine = verbs_of(base);
	int64_t now = verbs_now_ns(), busy = now, looked = now - LOOK_NS;

	for (;;) {
		int64_t sleep_ns = 0;
		int n;

		if (now >= engine->due_ns) {
			scan(engine, now);
			busy = now;
		}
		n = take(engine, &now);
		if (n == 0) {
			now = verbs_now_ns();
			sleep_ns = idle(engine, until_ns, busy, &now, &n);
		}
		if (n < 0)
			return rt_err_set(err, -EIO,
					  "%s no longer gives its completions",
					  engine->about.device);
		if (n > 0) {
			note_gap(engine, now - busy);
			busy = now;
		}
		if (sleep_ns || now - looked >= LOOK_NS) {
			const int r = look_around(engine, sleep_ns, wake_fd, err);

			if (r != 0)
				return r < 0 ? r : 0;
			now = looked = verbs_now_ns();
			give_up(engine, now);
		}
		if (now >= until_ns)
			return 0;
	}
}
