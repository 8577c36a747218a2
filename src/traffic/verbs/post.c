/* SPDX-License-Identifier: BSD-2-Clause */
/* post.c - requests as they are due, chained, and receives in batches. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "traffic/verbs/choose.h"
#include "traffic/verbs/verbs.h"

void verbs_fail(struct verbs_engine *engine, struct verbs_qp *qp, const char *what,
		int64_t now_ns)
{
	struct rt_qp_totals *totals = &qp->totals;
	struct rt_line line = { .text = totals->error,
				.capacity = sizeof(totals->error) };
	const int64_t at = now_ns - engine->epoch_ns;

	qp->due_ns = VERBS_NEVER;
	if (totals->state == RT_QP_STOPPED)
		return;
	totals->state = RT_QP_STOPPED;
	rt_line_put(&line, "%s%s", what,
		    engine->port_error ? ", IBV_EVENT_PORT_ERR" : "");
	totals->error_ns = RT_KNOWN_U64(at > 0 ? (uint64_t)at : 0);
}

/* --- one message ------------------------------------------------------------------ */

/* Messages walk round the region when it is larger than one of them. */
static uint64_t next_offset(struct verbs_qp *qp, uint64_t bytes)
{
	const uint64_t least = qp->peer.region_bytes < qp->region.bytes
				       ? qp->peer.region_bytes
				       : qp->region.bytes;
	uint64_t at = qp->offset;

	if (at + bytes > least)
		at = 0;
	qp->offset = at + (bytes + 63) / 64 * 64;
	return at;
}

static void fill_request(struct verbs_qp *qp, uint64_t bytes, struct ibv_send_wr *wr,
			 struct ibv_sge *sge)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[RT_TRAFFIC_WRITE] = IBV_WR_RDMA_WRITE,
		[RT_TRAFFIC_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[RT_TRAFFIC_SEND] = IBV_WR_SEND,
		[RT_TRAFFIC_READ] = IBV_WR_RDMA_READ,
	};
	const uint64_t at = next_offset(qp, bytes);

	*sge = (struct ibv_sge){
		.addr = (uintptr_t)qp->region.memory + at,
		.length = (uint32_t)bytes,
		.lkey = qp->region.mr->lkey,
	};
	*wr = (struct ibv_send_wr){
		.wr_id = (uint64_t)qp->index << 1,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = opcodes[qp->flow.op],
		.send_flags = IBV_SEND_SIGNALED |
			      (bytes <= qp->inline_bytes ? IBV_SEND_INLINE : 0),
		.wr.rdma = { .remote_addr = qp->peer.va + at, .rkey = qp->peer.rkey },
	};
}

/* --- when ------------------------------------------------------------------------- */

/* Nothing more is to be posted, now or later. */
static bool spent(const struct verbs_qp *qp, int64_t now_ns)
{
	const uint64_t total = qp->flow.total_bytes;
	const uint64_t moved = qp->takes ? qp->totals.bytes.value : qp->posted_bytes;

	return qp->halt || now_ns >= qp->stop_ns || (total && moved >= total);
}

/* States that time brings; whether it may post. */
static bool runs(struct verbs_qp *qp, int64_t now_ns)
{
	struct rt_qp_totals *totals = &qp->totals;

	if (totals->state == RT_QP_WAITING && now_ns >= qp->start_ns)
		totals->state = RT_QP_RUNNING;
	if (totals->state == RT_QP_WAITING) {
		qp->due_ns = qp->start_ns;
		if (qp->halt)
			totals->state = RT_QP_DONE;
		return false;
	}
	if (totals->state != RT_QP_RUNNING) {
		qp->due_ns = VERBS_NEVER;
		return false;
	}
	if (spent(qp, now_ns)) {
		qp->due_ns = VERBS_NEVER;
		if (qp->head == qp->tail)
			totals->state = RT_QP_DONE;
		return false;
	}
	qp->due_ns = qp->stop_ns;
	return qp->posts && qp->connected;
}

/* As many as are due, have room and go into one chain. */
static unsigned chain(struct verbs_qp *qp, int64_t now_ns, struct ibv_send_wr *wrs,
		      struct ibv_sge *sges)
{
	unsigned n = 0;

	while (n < VERBS_BATCH && !spent(qp, now_ns) &&
	       qp->head - qp->tail < qp->send_depth) {
		const int64_t due = rt_pace_next(&qp->pace, now_ns);
		uint64_t bytes;

		if (due > now_ns) {
			if (due < qp->due_ns)
				qp->due_ns = due;
			break;
		}
		bytes = rt_traffic_flow_next_bytes(&qp->flow, qp->posted_bytes,
						   &qp->rng);
		fill_request(qp, bytes, &wrs[n], &sges[n]);
		if (n)
			wrs[n - 1].next = &wrs[n];
		n++;
		qp->slots[qp->head++ & qp->slot_mask] =
			(struct verbs_slot){ .posted_ns = now_ns, .bytes = bytes };
		qp->posted_bytes += bytes;
		rt_pace_spend(&qp->pace, bytes);
	}
	return n;
}

void verbs_post(struct verbs_engine *engine, struct verbs_qp *qp, int64_t now_ns)
{
	struct ibv_send_wr wrs[VERBS_BATCH], *bad;
	struct ibv_sge sges[VERBS_BATCH];
	unsigned n = VERBS_BATCH;

	if (!runs(qp, now_ns))
		return;
	while (n == VERBS_BATCH) {
		int r;

		n = chain(qp, now_ns, wrs, sges);
		if (!n)
			return;
		if (!qp->totals.first_ns.known)
			qp->totals.first_ns = RT_KNOWN_U64(
				(uint64_t)(now_ns - engine->epoch_ns));
		r = ibv_post_send(qp->qp, wrs, &bad);
		if (r != 0) {
			char what[40];

			snprintf(what, sizeof(what), "ibv_post_send: %s",
				 strerrorname_np(r > 0 ? r : -r));
			verbs_fail(engine, qp, what, now_ns);
			return;
		}
	}
}

int verbs_refill(struct verbs_qp *qp)
{
	struct ibv_recv_wr wrs[VERBS_BATCH], *bad;
	struct ibv_sge sge = { .addr = (uintptr_t)qp->region.memory,
			       .length = (uint32_t)qp->region.bytes,
			       .lkey = qp->region.mr ? qp->region.mr->lkey : 0 };

	while (qp->takes && qp->receive_depth - qp->receives >= VERBS_BATCH) {
		for (unsigned i = 0; i < VERBS_BATCH; i++)
			wrs[i] = (struct ibv_recv_wr){
				.wr_id = (uint64_t)qp->index << 1 | 1,
				.next = i + 1 < VERBS_BATCH ? &wrs[i + 1] : NULL,
				.sg_list = &sge,
				.num_sge = qp->flow.op == RT_TRAFFIC_SEND ? 1 : 0,
			};
		if (ibv_post_recv(qp->qp, wrs, &bad) != 0)
			return -EIO;
		qp->receives += VERBS_BATCH;
	}
	return 0;
}
