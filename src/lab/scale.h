/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale.h - a fast fabric's laws at a rate that one machine can carry.
 *
 * With K = real rate / lab rate, sizes are divided by S and times multiplied by D with
 * S * D = K: rates become 1 / K, and every ratio of a queue to a threshold, of a timer
 * to the time a threshold takes to fill, stays what it is: the lab is the fabric in
 * slow motion.  S is as large as thresholds of a few packets allow (Kmin keeps
 * RT_LAB_KMIN_PACKETS), so that D, and how long a run must be, stays small.
 */
#ifndef RT_LAB_SCALE_H
#define RT_LAB_SCALE_H

#include <stdint.h>

#include "model/fabric_config.h"

struct rt_err;

#define RT_LAB_KMIN_PACKETS 16u

struct rt_lab_scale {
	uint64_t from_bps, to_bps;
	double sizes, times; /* S and D */
	char said[320];      /* in words, for the report */
};

/* -EINVAL: a rate above the real one, or laws that cannot be scaled. */
int rt_lab_scale(struct rt_fabric_config *laws, uint64_t from_bps, uint64_t to_bps,
		 struct rt_lab_scale *ret_scale, struct rt_err *err);

#endif
