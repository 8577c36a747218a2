/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * red.h - the congestion point: which packets a queue marks CE.
 *
 * DCQCN (SIGCOMM 2015, section 3.1, figure 5), on the instantaneous length of
 * the egress queue q:
 *	q <= Kmin		never
 *	Kmin < q <= Kmax	with probability Pmax (q - Kmin) / (Kmax - Kmin)
 *	q > Kmax		always
 * Kmin = Kmax is step marking.  The caller decides which q to give: before or
 * after this packet, at enqueue or at dequeue (the public ns-3 models: at
 * dequeue, without the packet that leaves).
 */
#ifndef RT_CC_RED_H
#define RT_CC_RED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

struct rt_red {
	uint64_t kmin_bytes;
	uint64_t kmax_bytes;
	double slope_per_byte; /* Pmax / (Kmax - Kmin); 0 for a step */
};

/* Kmin above Kmax is taken as a step at Kmin; pmax_ppb is cut at 10^9. */
static inline void rt_red_init(struct rt_red *red, uint64_t kmin_bytes,
			       uint64_t kmax_bytes, uint64_t pmax_ppb)
{
	const double pmax = pmax_ppb > 1000000000 ? 1.0 : (double)pmax_ppb / 1e9;

	red->kmin_bytes = kmin_bytes;
	red->kmax_bytes = kmax_bytes > kmin_bytes ? kmax_bytes : kmin_bytes;
	red->slope_per_byte = 0;
	if (kmax_bytes > kmin_bytes)
		red->slope_per_byte = pmax / (double)(kmax_bytes - kmin_bytes);
}

/* In [0, 1]; one multiplication in double, the same with every compiler. */
static inline double rt_red_probability(const struct rt_red *red, uint64_t queue_bytes)
{
	if (queue_bytes <= red->kmin_bytes)
		return 0;
	if (queue_bytes > red->kmax_bytes)
		return 1;
	return (double)(queue_bytes - red->kmin_bytes) * red->slope_per_byte;
}

/* Draws from rng only between Kmin and Kmax. */
static inline bool rt_red_marks(const struct rt_red *red, uint64_t queue_bytes,
				struct rt_rng *rng)
{
	if (queue_bytes <= red->kmin_bytes)
		return false;
	if (queue_bytes > red->kmax_bytes)
		return true;
	return rt_rng_unit(rng) <
	       (double)(queue_bytes - red->kmin_bytes) * red->slope_per_byte;
}

#endif
