/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verbs.h - the insides of the verbs engine: one RDMA port, its queue pairs, and the
 * completion queues they share.
 *
 * A work request carries index << 1 of its queue pair, and 1 in the lowest bit when it
 * is a receive.  RC completes in the order of posting, so what is posted and not
 * completed is a ring of slots.
 */
#ifndef RT_TRAFFIC_VERBS_VERBS_H
#define RT_TRAFFIC_VERBS_VERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "traffic/engine.h"
#include "traffic/pace.h"

struct rdma_cm_id;
struct rdma_event_channel;

/* Completions taken, and requests chained, at once. */
#define VERBS_BATCH 32u
/* Nothing to wake up for. */
#define VERBS_NEVER INT64_MAX

struct verbs_region {
	void *memory; /* mapped */
	uint64_t bytes, mapped_bytes;
	bool huge;
	struct ibv_mr *mr;
};

struct verbs_slot {
	int64_t posted_ns;
	uint64_t bytes;
};

/* One completion queue serves many queue pairs, until its room is used up. */
struct verbs_cq {
	struct ibv_cq *cq;
	uint32_t room;
};

struct verbs_qp {
	struct rt_traffic_flow flow; /* sizes owned */
	unsigned index;
	bool posts;     /* it sends requests; else the peer does */
	bool takes;     /* it must keep receives posted */
	bool connected; /* it may post */
	bool halt;      /* qp_stop() came */
	bool touched;   /* it had a completion in this batch */
	struct ibv_qp *qp;
	struct verbs_cq *cq;
	struct verbs_region region;
	uint32_t psn, send_depth, receive_depth, inline_bytes;
	struct rt_qp_address peer;
	/* librdmacm: the connection, and where the passive end listens. */
	struct rdma_cm_id *id, *listener;
	int cm_result; /* of the connection: 0 while under way, 1, negative errno */

	int64_t start_ns, stop_ns; /* of the clock */
	int64_t due_ns;            /* when time alone gives it something to do */
	struct rt_pace pace;
	struct rt_rng rng;
	uint64_t next_bytes; /* size of the next message; 0: not drawn */
	uint64_t offset;     /* in the region, of the next message */
	uint64_t posted_bytes;
	struct verbs_slot *slots; /* a power of two of them */
	uint32_t slot_mask, head, tail;
	uint32_t receives; /* posted */
	struct rt_qp_totals totals;
	struct rt_histogram *latency; /* of one that posts */
};

struct verbs_engine {
	struct rt_engine base;
	struct rt_engine_config config;
	struct rt_engine_about about;
	struct ibv_context *context;
	struct ibv_device_attr device;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct rdma_event_channel *cm;
	uint8_t port;
	uint8_t gid_index;
	struct verbs_cq **cqs;
	size_t cq_count, cq_capacity;
	struct verbs_qp **qps;
	size_t qp_count, qp_capacity;
	int64_t epoch_ns;
	int64_t due_ns;        /* the earliest of all due_ns */
	int64_t gap_ns;        /* between completions, on the average of late */
	bool port_error;       /* the port went down, and has not come back, */
	int64_t port_error_ns; /* since */
	uint64_t locked_bytes;
};

static inline struct verbs_engine *verbs_of(const struct rt_engine *engine)
{
	return (struct verbs_engine *)(uintptr_t)engine;
}

int64_t verbs_now_ns(void);

/* device.c: choose and open; fills context, port, gid_index and about. */
int verbs_device_open(struct verbs_engine *engine, struct rt_err *err);

/* memory.c: one region; *region is written on success only. */
int verbs_region_make(struct verbs_engine *engine, uint64_t bytes,
		      struct verbs_region *ret_region, struct rt_err *err);
void verbs_region_free(struct verbs_region *region);

/* qp.c */
int verbs_qp_create(struct rt_engine *base, const struct rt_traffic_flow *flow,
		    bool sends, unsigned *ret_index, struct rt_qp_address *ret_address,
		    struct rt_err *err);
int verbs_qp_connect(struct rt_engine *base, unsigned index,
		     const struct rt_qp_address *peer, struct rt_err *err);
void verbs_qp_free(struct verbs_qp *qp);
/* What the queue pair shall be made with, for librdmacm too. */
struct ibv_qp_init_attr verbs_qp_wants(struct verbs_engine *engine,
				       struct verbs_qp *qp);
uint8_t verbs_reads_of_peer(const struct verbs_engine *engine,
			    const struct verbs_qp *qp);

/* cm.c: connections by librdmacm. */
int verbs_cm_listen(struct verbs_engine *engine, struct verbs_qp *qp,
		    struct rt_err *err);
int verbs_cm_connect(struct verbs_engine *engine, struct verbs_qp *qp,
		     struct rt_err *err);
void verbs_cm_events(struct verbs_engine *engine);
void verbs_cm_free(struct verbs_qp *qp);

/* post.c: what is due of one queue pair; sets its due_ns. */
void verbs_post(struct verbs_engine *engine, struct verbs_qp *qp, int64_t now_ns);
/* Receives, in batches. */
int verbs_refill(struct verbs_qp *qp);
/* Its end by an error, if it has not ended before. */
void verbs_fail(struct verbs_engine *engine, struct verbs_qp *qp, const char *what,
		int64_t now_ns);

/* work.c */
void verbs_begin(struct rt_engine *base, int64_t epoch_ns);
int verbs_work(struct rt_engine *base, int64_t until_ns, int wake_fd,
	       struct rt_err *err);

#endif
