/* SPDX-License-Identifier: BSD-2-Clause */
/* sched.c - rates and rounds of the port scheduler. */
#include "cc/sched.h"

#include <errno.h>
#include <inttypes.h>

#include "rocetune/err.h"

/* 8 bits a byte, 10^12 ps a second. */
#define PS_BITS_PER_BYTE_SECOND 8000000000000ull
#define WEIGHT_RATIO_MAX        65535u

/* Of the weighted queues; UINT32_MAX when all are strict. */
static int smallest_weight(const struct rt_queue_config queues[RT_QUEUES],
			   uint32_t *ret_least, struct rt_err *err)
{
	uint32_t least = UINT32_MAX;

	for (unsigned q = 0; q < RT_QUEUES; q++) {
		if (queues[q].strict)
			continue;
		if (!queues[q].weight)
			return rt_err_set(err, -EINVAL,
					  "scheduler: queue %u is neither strict nor "
					  "has it a weight",
					  q);
		if (queues[q].weight < least)
			least = queues[q].weight;
	}
	*ret_least = least;
	return 0;
}

static int init_queue(struct rt_sched_params *params, unsigned q,
		      const struct rt_queue_config *queue, uint64_t quantum_bytes,
		      struct rt_err *err)
{
	if (queue->strict)
		params->strict_mask |= (uint8_t)(1u << q);
	else if (quantum_bytes > UINT32_MAX / 2)
		return rt_err_set(err, -EINVAL,
				  "scheduler: queue %u: the quantum of weight %" PRIu32
				  " is above 2 GiB; use smaller weights or quantum",
				  q, queue->weight);
	else
		params->quantum_bytes[q] = (uint32_t)quantum_bytes;
	if (!queue->max_rate_bps)
		return 0;
	params->capped_mask |= (uint8_t)(1u << q);
	params->ps_per_byte_q16[q] =
		(uint64_t)(((unsigned __int128)PS_BITS_PER_BYTE_SECOND << 16) /
			   queue->max_rate_bps);
	params->burst_ps[q] = (uint64_t)((unsigned __int128)params->ps_per_byte_q16[q] *
						 queue->burst_bytes >>
					 16);
	return 0;
}

int rt_sched_params_init(struct rt_sched_params *ret_params,
			 const struct rt_queue_config queues[RT_QUEUES],
			 uint32_t quantum_bytes, struct rt_err *err)
{
	struct rt_sched_params params = { 0 };
	uint32_t least;
	int r = smallest_weight(queues, &least, err);

	if (r < 0)
		return r;
	if (!quantum_bytes)
		return rt_err_set(err, -EINVAL, "scheduler: the quantum is 0 bytes");
	for (unsigned q = 0; q < RT_QUEUES; q++) {
		const uint64_t weight = queues[q].weight;

		if (!queues[q].strict && weight / least > WEIGHT_RATIO_MAX)
			return rt_err_set(err, -EINVAL,
					  "scheduler: the weight of queue %u is more "
					  "than %u times the smallest",
					  q, WEIGHT_RATIO_MAX);
		r = init_queue(&params, q, &queues[q], quantum_bytes * weight / least,
			       err);
		if (r < 0)
			return r;
	}
	*ret_params = params;
	return 0;
}

void rt_sched_init(struct rt_sched *sched)
{
	*sched = (struct rt_sched){ 0 };
}

/* A bucket that fills at free_at lets a packet go once it is within its burst. */
static uint64_t allowed_at_ps(const struct rt_sched *sched,
			      const struct rt_sched_params *params, unsigned queue)
{
	const uint64_t free_at_ps = sched->free_at_ps[queue];

	return free_at_ps > params->burst_ps[queue]
		       ? free_at_ps - params->burst_ps[queue]
		       : 0;
}

unsigned rt_sched_uncapped(const struct rt_sched *sched,
			   const struct rt_sched_params *params, unsigned ready,
			   uint64_t now_ps)
{
	for (unsigned left = ready & params->capped_mask; left; left &= left - 1) {
		const unsigned queue = (unsigned)__builtin_ctz(left);

		if (allowed_at_ps(sched, params, queue) > now_ps)
			ready &= ~(1u << queue);
	}
	return ready;
}

void rt_sched_charge(struct rt_sched *sched, const struct rt_sched_params *params,
		     unsigned queue, uint32_t bytes, uint64_t now_ps)
{
	const uint64_t cost_ps =
		(uint64_t)((unsigned __int128)params->ps_per_byte_q16[queue] * bytes >>
			   16);
	const uint64_t from_ps = sched->free_at_ps[queue] > now_ps
					 ? sched->free_at_ps[queue]
					 : now_ps;

	sched->free_at_ps[queue] = from_ps + cost_ps;
}

/* The next ready queue after this one, round the circle; itself if it is alone. */
static unsigned next_turn(unsigned ready, unsigned queue)
{
	const unsigned later = ready & ~((2u << queue) - 1);

	return (unsigned)__builtin_ctz(later ? later : ready);
}

unsigned rt_sched_round(struct rt_sched *sched, const struct rt_sched_params *params,
			unsigned ready, const uint32_t head_bytes[RT_QUEUES])
{
	for (;;) {
		const unsigned queue = sched->turn;

		if (ready >> queue & 1) {
			if (!sched->turn_paid)
				sched->deficit_bytes[queue] +=
					params->quantum_bytes[queue];
			sched->turn_paid = 1;
			if (sched->deficit_bytes[queue] >= head_bytes[queue]) {
				sched->deficit_bytes[queue] -= head_bytes[queue];
				return queue;
			}
		}
		sched->turn = (uint8_t)next_turn(ready, queue);
		sched->turn_paid = 0;
	}
}

uint64_t rt_sched_retry_ps(const struct rt_sched *sched,
			   const struct rt_sched_params *params)
{
	uint64_t earliest_ps = RT_PS_NEVER;
	unsigned left = sched->backlog_mask & ~sched->paused_mask & params->capped_mask;

	for (; left; left &= left - 1) {
		const uint64_t at_ps = allowed_at_ps(sched, params,
						     (unsigned)__builtin_ctz(left));

		if (at_ps < earliest_ps)
			earliest_ps = at_ps;
	}
	return earliest_ps;
}
