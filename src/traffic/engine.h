/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - who moves the bytes of a stress run: the seam to verbs, to the soft
 * endpoints in user space, and to none (for tests of everything else).
 *
 * An engine is one end on one host: one RDMA device or one interface, any number of
 * queue pairs that send or receive.  It is used from one thread.  Order of calls:
 * open, about; qp_create for every flow of this rank; qp_connect for each; then
 * work() again and again with qp_stop and totals between, close.
 *
 * Times are of CLOCK_MONOTONIC in nanoseconds; epoch_ns is the common start, in this
 * host's clock.  All calls return 0 or a negative errno with err set.
 */
#ifndef RT_TRAFFIC_ENGINE_H
#define RT_TRAFFIC_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/field.h"
#include "traffic/faults.h"
#include "traffic/flow.h"

struct rt_counter_set;
struct rt_err;
struct rt_fabric_config;
struct rt_histogram;

/* What an engine is opened with; what is 0, "" or unknown it chooses, and says. */
struct rt_engine_config {
	char device[64]; /* RDMA device (verbs) */
	char netdev[16]; /* interface (soft); verbs: instead of device */
	struct rt_ip ip; /* local address */
	struct rt_opt_u64 gid_index;
	uint32_t mtu_bytes;    /* path MTU */
	uint32_t region_bytes; /* memory a QP works on */
	bool use_cm;           /* verbs: connect by librdmacm */
	/* RC: 4.096 us * 2^code until a packet is sent again (IBTA 9.7.6.1.3), ... */
	uint8_t ack_timeout_code;      /* 1 to 31; 0: 14, that is 67 ms */
	struct rt_opt_u64 retry_count; /* ... so often, 0 to 7; unknown: 6 */
	/* Laws, for engines that run them themselves (soft); borrowed. */
	const struct rt_fabric_config *laws;
	uint64_t line_rate_bps;         /* soft: of the link; 0: as laws say */
	struct rt_engine_faults faults; /* soft */
};

/* What was chosen; of the host's end. */
struct rt_engine_about {
	char engine[16];
	char device[64], netdev[16];
	struct rt_ip ip;
	struct rt_opt_u64 gid_index;
	char gid_type[16]; /* "RoCE v2" */
	char chosen[200];  /* why this device, address and GID, in words */
	uint32_t mtu_bytes;
	struct rt_opt_u64 speed_bps;
	bool huge_pages;
	char transport[32]; /* "RC on rxe0", "user space over AF_PACKET" */
};

extern const struct rt_table rt_engine_about_table;

/* What an engine knows of its own failings, which are the host's and not the network's. */
struct rt_engine_health {
	struct rt_opt_u64 ring_drops; /* frames the kernel had no room for, so far */
	struct rt_opt_u64 strays;     /* of RoCE, that no queue pair took, so far */
	/*
	 * Since the last call: how long it was not there although something was due, as
	 * a sum of whole milliseconds and more, and the longest of them.
	 */
	struct rt_opt_u64 away_ns, late_max_ns;
};

struct rt_engine;

struct rt_engine_ops {
	const char *name; /* "verbs", "soft", "null" */
	const char *help;

	int (*open)(const struct rt_engine_config *config,
		    struct rt_engine **ret_engine, struct rt_err *err);
	void (*about)(const struct rt_engine *engine,
		      struct rt_engine_about *ret_about);
	/*
	 * Make the queue pair of one end of flow (kept by the engine until close;
	 * sends: this rank is flow->from).  *ret_address is this end's.
	 */
	int (*qp_create)(struct rt_engine *engine, const struct rt_traffic_flow *flow,
			 bool sends, unsigned *ret_index,
			 struct rt_qp_address *ret_address, struct rt_err *err);
	int (*qp_connect)(struct rt_engine *engine, unsigned index,
			  const struct rt_qp_address *peer, struct rt_err *err);
	/* When time 0 of all flows is; called once, before the first work(). */
	void (*begin)(struct rt_engine *engine, int64_t epoch_ns);
	/*
	 * Send, receive and answer until until_ns, or until wake_fd (-1: none) is
	 * readable, which it looks at every millisecond at least.  Senders start and
	 * stop at their flow's times by themselves.  A queue pair that fails is in its
	 * totals; an error here is of the whole engine and ends it.
	 */
	int (*work)(struct rt_engine *engine, int64_t until_ns, int wake_fd,
		    struct rt_err *err);
	/* Post no more; what is posted may complete. */
	void (*qp_stop)(struct rt_engine *engine, unsigned index);
	/*
	 * Take back what is posted and not sent, if need be in the middle of a message: what
	 * is under way may be answered still, and sent again where it got lost.  NULL: it
	 * cannot, and all that is posted is sent.
	 */
	void (*qp_cut)(struct rt_engine *engine, unsigned index);
	void (*totals)(const struct rt_engine *engine, unsigned index,
		       struct rt_qp_totals *ret_totals);
	/*
	 * Completion times of messages in nanoseconds, post to completion, of this
	 * sender since the last call, added to *into; they are then forgotten.
	 */
	void (*latency)(struct rt_engine *engine, unsigned index,
			struct rt_histogram *into);
	/* NULL: it knows nothing of it. */
	void (*health)(struct rt_engine *engine, struct rt_engine_health *ret_health);
	/*
	 * What a NIC in this engine's place would count of its port, instead of what set
	 * (zero, or of the last call) holds: of this engine's frames alone, FCS not
	 * counted, since open.  NULL: there is a NIC, ask it (host/counters.h).  -ENOMEM.
	 */
	int (*counters)(struct rt_engine *engine, struct rt_counter_set *set);
	void (*close)(struct rt_engine *engine); /* takes it */
};

/* Every engine begins with it. */
struct rt_engine {
	const struct rt_engine_ops *ops;
};

extern const struct rt_engine_ops rt_engine_soft, rt_engine_null;

/* Those built in, ends with NULL; verbs is a module (traffic/module.h). */
extern const struct rt_engine_ops *const rt_engines[];

#endif
