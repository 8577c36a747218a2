/* SPDX-License-Identifier: BSD-2-Clause */
/* buffer.c - the less frequent ways into a shared buffer: headroom, egress. */
#include "cc/buffer.h"

static bool headroom_fits(const struct rt_buffer_pool *pool,
			  const struct rt_pg_params *params, const struct rt_pg *pg,
			  uint32_t bytes)
{
	if (!params->lossless || pg->headroom_bytes + bytes > params->headroom_bytes)
		return false;
	return !pool->headroom_size_bytes ||
	       pool->headroom_used_bytes + bytes <= pool->headroom_size_bytes;
}

bool rt_buffer_take_headroom(struct rt_buffer_pool *pool,
			     const struct rt_pg_params *params, struct rt_pg *pg,
			     uint32_t bytes)
{
	if (!headroom_fits(pool, params, pg, bytes))
		return false;
	pg->headroom_bytes += bytes;
	pool->headroom_used_bytes += bytes;
	return true;
}

/*
 * The pool is judged before the packet comes for whether it may be stored, and
 * with the packet for whether it is headroom: so does the model this follows.
 */
bool rt_buffer_store_counted(struct rt_buffer_pool *pool,
			     const struct rt_pg_params *params, struct rt_pg *pg,
			     uint32_t bytes)
{
	const bool guaranteed = pg->used_bytes + bytes <= params->reserved_bytes;

	if (pool->used_bytes + bytes > pool->memory_bytes)
		return false;
	if (!guaranteed) {
		if (pool->used_bytes > pool->size_bytes &&
		    !headroom_fits(pool, params, pg, bytes))
			return false;
		if (!params->lossless && rt_pg_excess(pg, params) + bytes >
						 rt_buffer_threshold(pool, params))
			return false;
	}
	pool->used_bytes += bytes;
	pg->used_bytes += bytes;
	if (pool->used_bytes > pool->size_bytes) {
		pg->headroom_bytes += bytes;
		pool->headroom_used_bytes += bytes;
	}
	return true;
}

static uint64_t above(uint64_t bytes, uint64_t reserved_bytes)
{
	return bytes > reserved_bytes ? bytes - reserved_bytes : 0;
}

bool rt_egress_enqueue(struct rt_buffer_pool *pool,
		       const struct rt_egress_params *params, uint64_t *queue_bytes,
		       uint32_t bytes)
{
	const uint64_t after = *queue_bytes + bytes;
	const uint64_t shared = above(after, params->reserved_bytes);
	const uint64_t taken = shared - above(*queue_bytes, params->reserved_bytes);
	const uint64_t free_bytes = above(pool->size_bytes, pool->used_bytes);
	uint64_t limit = params->limit_bytes;

	if (params->dynamic)
		limit = (uint64_t)((unsigned __int128)free_bytes * params->alpha_q32 >>
				   32);
	if (shared && (shared > limit || taken > free_bytes))
		return false;
	*queue_bytes = after;
	pool->used_bytes += taken;
	return true;
}

void rt_egress_dequeue(struct rt_buffer_pool *pool,
		       const struct rt_egress_params *params, uint64_t *queue_bytes,
		       uint32_t bytes)
{
	const uint64_t after = *queue_bytes - bytes;

	pool->used_bytes -= above(*queue_bytes, params->reserved_bytes) -
			    above(after, params->reserved_bytes);
	*queue_bytes = after;
}
