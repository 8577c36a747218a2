/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft.h - RoCEv2 endpoints in user space, as values: frames in, frames out, the time
 * in.  Nothing here knows a socket or a clock; soft_engine.c puts it on an interface,
 * the tests on a paper wire.
 *
 * One struct rt_soft is one host: a port with a line rate that pause frames stop by
 * priority, and queue pairs with reliable connections (IBTA chapter 9.7) whose frames
 * are those a NIC would send.  What they do about loss is cc/rc.h, about marks
 * cc/dcqcn.h, with the same parameters as the simulator.
 *
 * Times are nanoseconds of one clock that never goes back.
 */
#ifndef RT_TRAFFIC_SOFT_H
#define RT_TRAFFIC_SOFT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "traffic/faults.h"
#include "traffic/flow.h"

struct rt_counter_set;
struct rt_err;
struct rt_fabric_config;
struct rt_histogram;
struct rt_soft;

#define RT_SOFT_MTU_MIN         256u /* path MTUs of the standard (IBTA 9.3.3.1) */
#define RT_SOFT_MTU_MAX         4096u
#define RT_SOFT_BATCH           64u        /* most frames of one rt_soft_transmit() */
#define RT_SOFT_MESSAGE_MAX     (1u << 31) /* bytes (IBTA 9.7.7) */
#define RT_SOFT_OUTSTANDING_MAX 4096u
#define RT_SOFT_READS_MAX       16u /* READs a queue pair has open at most */

/*
 * Laws whose time-out is shorter get this one, code 14: that of a NIC would be the
 * scheduler's here, not the network's, as a process may be off its processor for tens
 * of milliseconds.
 */
#define RT_SOFT_TIMEOUT_MIN_CODE 14

struct rt_soft_config {
	uint8_t mac[6];
	struct rt_ip ip;
	uint32_t mtu_bytes;                  /* path MTU: a power of two */
	uint64_t line_rate_bps;              /* 0: as laws say */
	const struct rt_fabric_config *laws; /* copied */
	uint8_t ack_timeout_code;            /* 4.096 us * 2^code; 0: as laws say */
	struct rt_opt_u64 retry_count;       /* unknown: as laws say */
	struct rt_engine_faults faults;
	uint64_t seed; /* of QP and packet numbers */
	int64_t now_ns;
};

/* Frames that reached no queue pair, and why. */
struct rt_soft_strays {
	uint64_t bad_icrc;
	uint64_t unknown_qp; /* no such one, or not from its peer */
	uint64_t malformed;  /* not what its queue pair may get */
	uint64_t other;      /* no RoCE, no pause, or for another address */
};

/* -EINVAL: an MTU, address or laws that cannot be; -ENOMEM. */
int rt_soft_new(const struct rt_soft_config *config, struct rt_soft **ret_soft,
		struct rt_err *err);
void rt_soft_free(struct rt_soft *soft); /* NULL is fine */

/* As rt_engine_ops says.  -EINVAL: a flow that makes no sense; -ENOMEM, -EMFILE. */
int rt_soft_qp_create(struct rt_soft *soft, const struct rt_traffic_flow *flow,
		      bool sends, unsigned *ret_index,
		      struct rt_qp_address *ret_address, struct rt_err *err);
/* next_hop: where frames to the peer go. */
int rt_soft_qp_connect(struct rt_soft *soft, unsigned index,
		       const struct rt_qp_address *peer, const uint8_t next_hop[6],
		       struct rt_err *err);
void rt_soft_begin(struct rt_soft *soft, int64_t epoch_ns);
void rt_soft_qp_stop(struct rt_soft *soft, unsigned index);
void rt_soft_qp_cut(struct rt_soft *soft, unsigned index);

/* A frame that came at now_ns, without its VLAN tag; anything may be in it. */
void rt_soft_receive(struct rt_soft *soft, const uint8_t *data, uint32_t bytes,
		     int64_t now_ns);
/*
 * One that came at came_ns and is looked at only now: all happens now, but a pause is
 * counted (rt_soft_counters()) from when it came, as a NIC obeys at once.
 */
void rt_soft_receive_late(struct rt_soft *soft, const uint8_t *data, uint32_t bytes,
			  int64_t came_ns, int64_t now_ns);

/*
 * The frames to send now, at most max and RT_SOFT_BATCH; they count as sent.  They are
 * borrowed until the next call.
 */
unsigned rt_soft_transmit(struct rt_soft *soft, int64_t now_ns, struct iovec *frames,
			  unsigned max);

/* When rt_soft_transmit() has something to do again; INT64_MAX: only after a frame. */
int64_t rt_soft_next_ns(const struct rt_soft *soft);

void rt_soft_totals(const struct rt_soft *soft, unsigned index,
		    struct rt_qp_totals *ret_totals);
/* Of whoever posts the messages: the sender, with READ the receiver. */
void rt_soft_latency(struct rt_soft *soft, unsigned index, struct rt_histogram *into);
void rt_soft_strays(const struct rt_soft *soft, struct rt_soft_strays *ret_strays);
/*
 * What a NIC would count, as of now_ns, in place of what set (zero, or of the last call)
 * holds.  ring_drops: frames that were lost in front of rt_soft_receive().  -ENOMEM.
 */
int rt_soft_counters(struct rt_soft *soft, int64_t now_ns, uint64_t ring_drops,
		     struct rt_counter_set *set);

#endif
