/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffer.h - shared packet memory of a switch: who may store, who is paused.
 *
 * Per (ingress port, priority group) a guaranteed part, a share of a pool under a
 * static or dynamic threshold, and headroom for what is still in flight after
 * XOFF.  The dynamic threshold is Choudhury and Hahne's (IEEE/ACM Transactions on
 * Networking 6(2), 1998): alpha times what is free.  Two ways of counting exist:
 *
 * RT_BUFFER_SPLIT  (alibaba-edu/High-Precision-Congestion-Control, switch-mmu)
 *	Guaranteed bytes and headroom lie outside the pool; pool.size_bytes is
 *	memory - sum(headroom + guaranteed).  A packet that would lift the group's
 *	pool use above the threshold goes to headroom, and leaves it first.
 *	XOFF: headroom in use, or pool use >= threshold.
 *	XON: headroom empty, and pool use 0 or pool use + xon_bytes <= threshold.
 * RT_BUFFER_COUNTED  (bobzhuyb/ns3-rdma, broadcom-node)
 *	Every byte counts in the pool; what comes while the pool is above its size
 *	counts as headroom as well.
 *	XOFF: use - guaranteed > threshold.  XON: use - guaranteed + xon_bytes <
 *	threshold.
 *
 * A group that has become empty always resumes, so that nothing waits for ever.
 * Pure; the caller owns pools and groups and calls enqueue and dequeue in pairs
 * with the same bytes.
 */
#ifndef RT_CC_BUFFER_H
#define RT_CC_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* One pool (partition) of a switch; SPLIT and COUNTED groups must not share one. */
struct rt_buffer_pool {
	uint64_t size_bytes; /* what the thresholds share out */
	uint64_t used_bytes;
	uint64_t memory_bytes;        /* COUNTED: the most it may hold; else unused */
	uint64_t headroom_size_bytes; /* shared headroom; 0: each group has its own */
	uint64_t headroom_used_bytes;
};

enum rt_buffer_form {
	RT_BUFFER_SPLIT,
	RT_BUFFER_COUNTED
};

/* Alpha with 32 fraction bits, exact for powers of two down to 2^-32. */
#define RT_BUFFER_ALPHA_ONE (1ull << 32)

static inline uint64_t rt_buffer_alpha_from_ppb(uint64_t buffer_alpha_ppb)
{
	return (uint64_t)(((unsigned __int128)buffer_alpha_ppb << 32) / 1000000000);
}

/* dynamic_th of SONiC's pg_profile: alpha = 2^dynamic_th, -32 to 31. */
static inline uint64_t rt_buffer_alpha_from_dynamic_th(int dynamic_th)
{
	return dynamic_th < 0 ? RT_BUFFER_ALPHA_ONE >> -dynamic_th
			      : RT_BUFFER_ALPHA_ONE << dynamic_th;
}

struct rt_pg_params {
	enum rt_buffer_form form;
	bool lossless;           /* sends XOFF and has headroom; false: drops */
	bool dynamic;            /* threshold alpha * free; false: xoff_bytes */
	uint64_t reserved_bytes; /* guaranteed */
	uint64_t headroom_bytes; /* most this group may take of it */
	uint64_t xoff_bytes;     /* static threshold */
	uint64_t alpha_q32;      /* rt_buffer_alpha_from_*() */
	uint64_t xon_bytes;      /* hysteresis under the threshold */
};

/* State of one (ingress port, priority group). */
struct rt_pg {
	uint64_t used_bytes;     /* SPLIT: without headroom; COUNTED: all */
	uint64_t headroom_bytes; /* in use */
	bool paused;             /* XOFF was sent and XON not yet */
};

enum rt_buffer_verdict {
	RT_BUFFER_OK = 0,
	RT_BUFFER_DROP = 1 << 0,   /* not stored; nothing changed */
	RT_BUFFER_PAUSE = 1 << 1,  /* send XOFF now (once: paused is set) */
	RT_BUFFER_RESUME = 1 << 2, /* send XON now */
};

/* alpha * free, or the static one; below 0 when a COUNTED pool is overfull. */
static inline int64_t rt_buffer_threshold(const struct rt_buffer_pool *pool,
					  const struct rt_pg_params *params)
{
	const int64_t free_bytes = (int64_t)pool->size_bytes -
				   (int64_t)pool->used_bytes;

	if (!params->dynamic)
		return (int64_t)params->xoff_bytes;
	return (int64_t)((__int128)free_bytes * (int64_t)params->alpha_q32 >> 32);
}

/* Use above the guarantee: what is held against the threshold. */
static inline int64_t rt_pg_excess(const struct rt_pg *pg,
				   const struct rt_pg_params *params)
{
	return (int64_t)pg->used_bytes - (int64_t)params->reserved_bytes;
}

/* The XOFF rule alone, whatever paused says: a refresh timer asks it again. */
static inline bool rt_buffer_wants_pause(const struct rt_buffer_pool *pool,
					 const struct rt_pg_params *params,
					 const struct rt_pg *pg)
{
	const int64_t threshold = rt_buffer_threshold(pool, params);
	const int64_t excess = rt_pg_excess(pg, params);

	if (!params->lossless)
		return false;
	if (params->form == RT_BUFFER_COUNTED)
		return excess > 0 && excess > threshold;
	return pg->headroom_bytes || (excess > 0 ? excess : 0) >= threshold;
}

/* The XON rule alone. */
static inline bool rt_buffer_may_resume(const struct rt_buffer_pool *pool,
					const struct rt_pg_params *params,
					const struct rt_pg *pg)
{
	const int64_t excess = rt_pg_excess(pg, params);
	const int64_t hysteresis = (int64_t)params->xon_bytes;

	if (!pg->used_bytes && !pg->headroom_bytes)
		return true;
	if (params->form == RT_BUFFER_COUNTED)
		return excess + hysteresis < rt_buffer_threshold(pool, params);
	return !pg->headroom_bytes &&
	       (excess <= 0 ||
		excess + hysteresis <= rt_buffer_threshold(pool, params));
}

/* Not for callers: where a packet goes that does not fit under the threshold. */
bool rt_buffer_take_headroom(struct rt_buffer_pool *pool,
			     const struct rt_pg_params *params, struct rt_pg *pg,
			     uint32_t bytes);
bool rt_buffer_store_counted(struct rt_buffer_pool *pool,
			     const struct rt_pg_params *params, struct rt_pg *pg,
			     uint32_t bytes);

/* Not for callers: SPLIT's way in. */
static inline bool rt_buffer_store_split(struct rt_buffer_pool *pool,
					 const struct rt_pg_params *params,
					 struct rt_pg *pg, uint32_t bytes)
{
	const int64_t excess = rt_pg_excess(pg, params) + bytes;
	int64_t shared;

	if (excess <= 0) {
		pg->used_bytes += bytes;
		return true;
	}
	shared = excess < (int64_t)bytes ? excess : (int64_t)bytes;
	if (excess > rt_buffer_threshold(pool, params) ||
	    pool->used_bytes + (uint64_t)shared > pool->size_bytes)
		return rt_buffer_take_headroom(pool, params, pg, bytes);
	pg->used_bytes += bytes;
	pool->used_bytes += (uint64_t)shared;
	return true;
}

/* A packet of bytes has come for this group.  Returns enum rt_buffer_verdict. */
static inline unsigned rt_buffer_enqueue(struct rt_buffer_pool *pool,
					 const struct rt_pg_params *params,
					 struct rt_pg *pg, uint32_t bytes)
{
	const bool stored = params->form == RT_BUFFER_SPLIT
				    ? rt_buffer_store_split(pool, params, pg, bytes)
				    : rt_buffer_store_counted(pool, params, pg, bytes);

	if (!stored)
		return RT_BUFFER_DROP;
	if (pg->paused || !rt_buffer_wants_pause(pool, params, pg))
		return RT_BUFFER_OK;
	pg->paused = true;
	return RT_BUFFER_PAUSE;
}

/* A packet of bytes that was stored for this group has left the switch. */
static inline unsigned rt_buffer_dequeue(struct rt_buffer_pool *pool,
					 const struct rt_pg_params *params,
					 struct rt_pg *pg, uint32_t bytes)
{
	uint64_t headroom = pg->headroom_bytes < bytes ? pg->headroom_bytes : bytes;
	uint64_t rest = bytes - headroom;
	int64_t excess = rt_pg_excess(pg, params);

	pg->headroom_bytes -= headroom;
	pool->headroom_used_bytes -= headroom;
	if (params->form == RT_BUFFER_COUNTED) {
		pg->used_bytes -= bytes;
		pool->used_bytes -= bytes;
	} else {
		if (excess > 0)
			pool->used_bytes -= (uint64_t)excess < rest ? (uint64_t)excess
								    : rest;
		pg->used_bytes -= rest;
	}
	if (!pg->paused || !rt_buffer_may_resume(pool, params, pg))
		return RT_BUFFER_OK;
	pg->paused = false;
	return RT_BUFFER_RESUME;
}

/*
 * Egress side: what a queue may hold of an egress pool.  For lossy classes; a
 * lossless class is judged at ingress and gets no limit here.
 */
struct rt_egress_params {
	bool dynamic;
	uint64_t reserved_bytes;
	uint64_t limit_bytes; /* static */
	uint64_t alpha_q32;
};

/*
 * A packet of bytes wants into a queue that holds *queue_bytes.  False: drop,
 * nothing changed.  True: both *queue_bytes and the pool count it.
 */
bool rt_egress_enqueue(struct rt_buffer_pool *pool,
		       const struct rt_egress_params *params, uint64_t *queue_bytes,
		       uint32_t bytes);
void rt_egress_dequeue(struct rt_buffer_pool *pool,
		       const struct rt_egress_params *params, uint64_t *queue_bytes,
		       uint32_t bytes);

#endif
