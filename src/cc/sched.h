/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.h - which of a port's eight queues sends next.
 *
 * Strict queues first, the higher number first (IEEE 802.1Q-2018, 8.6.8.1); below
 * them deficit weighted round robin (Shreedhar and Varghese, IEEE/ACM Transactions
 * on Networking 4(3), 1996).  Any queue may have a maximum rate: a token bucket in
 * its virtual form (ITU-T I.371, GCRA), all integer.  A queue over its rate or
 * paused is passed over, its neighbours are served.
 *
 * The caller tells when a queue becomes non-empty or empty and when its priority
 * is paused; a pick is then a few bit operations.
 */
#ifndef RT_CC_SCHED_H
#define RT_CC_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "cc/ps.h"

struct rt_err;

#define RT_QUEUES 8

/* What a user says of one queue. */
struct rt_queue_config {
	bool strict;
	uint32_t weight;       /* DWRR share, 1 and up; unused when strict */
	uint64_t max_rate_bps; /* 0: none */
	uint32_t burst_bytes;  /* with max_rate: how far a queue may run ahead */
};

/* Made from it by rt_sched_params_init(); shared by all ports alike. */
struct rt_sched_params {
	uint8_t strict_mask;                 /* bit q: queue q is strict */
	uint8_t capped_mask;                 /* bit q: queue q has a maximum rate */
	uint32_t quantum_bytes[RT_QUEUES];   /* credit a DWRR round gives */
	uint64_t ps_per_byte_q16[RT_QUEUES]; /* of the maximum rate, 16 fraction bits */
	uint64_t burst_ps[RT_QUEUES];
};

struct rt_sched {
	uint8_t backlog_mask; /* bit q: queue q holds a packet */
	uint8_t paused_mask;  /* bit q: queue q must not start one */
	uint8_t turn;         /* DWRR: the queue being served */
	uint8_t turn_paid;    /* DWRR: it has had this round's quantum */
	uint32_t deficit_bytes[RT_QUEUES];
	uint64_t free_at_ps[RT_QUEUES]; /* capped: the bucket would be full then */
};

#define RT_SCHED_NONE (-1)

/*
 * Fill *ret_params.  quantum_bytes: what the smallest weight gets a round; the
 * largest frame is a good value, less costs rounds.
 * -EINVAL: a weight of 0, a weight over 65535 times the smallest, a quantum of 0.
 */
int rt_sched_params_init(struct rt_sched_params *ret_params,
			 const struct rt_queue_config queues[RT_QUEUES],
			 uint32_t quantum_bytes, struct rt_err *err);

/* Nothing waits, nothing is paused, buckets full. */
void rt_sched_init(struct rt_sched *sched);

static inline void rt_sched_backlogged(struct rt_sched *sched, unsigned queue)
{
	sched->backlog_mask |= (uint8_t)(1u << queue);
}

/* The queue's last packet was taken; its unused credit is lost. */
static inline void rt_sched_emptied(struct rt_sched *sched, unsigned queue)
{
	sched->backlog_mask &= (uint8_t) ~(1u << queue);
	sched->deficit_bytes[queue] = 0;
}

/* bit q of mask: queue q is paused from now on; the others are not. */
static inline void rt_sched_set_paused(struct rt_sched *sched, uint8_t mask)
{
	sched->paused_mask = mask;
}

/* Bit q: queue q waits and is not paused; its maximum rate is not asked. */
static inline unsigned rt_sched_ready(const struct rt_sched *sched)
{
	return sched->backlog_mask & ~sched->paused_mask & 0xffu;
}

/* The queues of which the next pick may read head_bytes; mostly none. */
static inline unsigned rt_sched_counts(const struct rt_sched *sched,
				       const struct rt_sched_params *params)
{
	const unsigned ready = rt_sched_ready(sched);

	if (ready & params->capped_mask)
		return ready;
	return ready & params->strict_mask || !(ready & (ready - 1)) ? 0 : ready;
}

/* Parts of rt_sched_pick(), not for callers. */
unsigned rt_sched_uncapped(const struct rt_sched *sched,
			   const struct rt_sched_params *params, unsigned ready,
			   uint64_t now_ps);
unsigned rt_sched_round(struct rt_sched *sched, const struct rt_sched_params *params,
			unsigned ready, const uint32_t head_bytes[RT_QUEUES]);
void rt_sched_charge(struct rt_sched *sched, const struct rt_sched_params *params,
		     unsigned queue, uint32_t bytes, uint64_t now_ps);

/*
 * The queue whose head (head_bytes[queue], read only for queues that
 * rt_sched_counts() tells) the caller now sends: the pick is charged for it.
 * RT_SCHED_NONE: nothing may go.  If that is for rate limits only, rt_sched_retry_ps()
 * says when to ask again.  A queue that is alone takes the port without a look at
 * credits.
 */
static inline int rt_sched_pick(struct rt_sched *sched,
				const struct rt_sched_params *params,
				const uint32_t head_bytes[RT_QUEUES], uint64_t now_ps)
{
	unsigned ready = rt_sched_ready(sched);
	unsigned queue;

	if (ready & params->capped_mask)
		ready = rt_sched_uncapped(sched, params, ready, now_ps);
	if (!ready)
		return RT_SCHED_NONE;
	if (ready & params->strict_mask)
		queue = 31 - (unsigned)__builtin_clz(ready & params->strict_mask);
	else if (!(ready & (ready - 1)))
		queue = (unsigned)__builtin_ctz(ready);
	else
		queue = rt_sched_round(sched, params, ready, head_bytes);
	if (params->capped_mask >> queue & 1)
		rt_sched_charge(sched, params, queue, head_bytes[queue], now_ps);
	return (int)queue;
}

/*
 * The earliest time a queue that waits for its rate limit may go; RT_PS_NEVER when
 * none does.
 */
uint64_t rt_sched_retry_ps(const struct rt_sched *sched,
			   const struct rt_sched_params *params);

#endif
