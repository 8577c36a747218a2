/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale.h - a fast fabric's laws at a rate that one machine can carry.
 *
 * With K = real rate / lab rate, sizes are divided by S and times multiplied by D with
 * S * D = K: rates become 1 / K, and every ratio of a queue to a threshold, of a timer
 * to the time a threshold takes to fill, stays what it is: the lab is the fabric in
 * slow motion.
 *
 * S is as large as Kmin allows, so that D, and how long a run must be, stays small: Kmin
 * keeps RT_LAB_KMIN_PS at the lab's rate and RT_LAB_KMIN_PACKETS.  Time, because the
 * processes of a lab answer within a millisecond or so, which is no part of the slow
 * motion: a queue below Kmin that is shorter than that runs empty while senders wait to
 * hear of it.  The real fabric has the same relation: a round trip is some 10 us, Kmin
 * some 30 us of the rate.  D is never above RT_LAB_TIMES_MAX, whatever becomes of Kmin:
 * 5 s of the lab are then 40 ms of the fabric at least, in which DCQCN settles.
 *
 * What a process that is kept waiting would break does not follow the scale: headroom
 * holds RT_LAB_REACTION_PS of the rate, beside the buffer, so that the pool and all
 * thresholds are those of the scaled fabric; pauses last RT_LAB_PAUSE_PS at least, and
 * are refreshed after half of it; transport waits RT_LAB_TIMEOUT_PS for an answer.
 */
#ifndef RT_LAB_SCALE_H
#define RT_LAB_SCALE_H

#include <stdint.h>

#include "model/fabric_config.h"

struct rt_err;

#define RT_LAB_KMIN_PS      UINT64_C(2000000000) /* 2 ms */
#define RT_LAB_KMIN_PACKETS 8u                   /* of the lab's MTU */
#define RT_LAB_TIMES_MAX    125
#define RT_LAB_REACTION_PS  UINT64_C(100000000000) /* 100 ms */
#define RT_LAB_PAUSE_PS     UINT64_C(100000000000) /* 100 ms */
#define RT_LAB_TIMEOUT_PS   UINT64_C(100000000000)

struct rt_lab_scale {
	uint64_t from_bps, to_bps;
	double sizes, times; /* S and D */
	char said[320];      /* in words, for the report */
};

/*
 * from_bps: of a host's link, for which the laws are.  Laws that a model option or a
 * profile changes afterwards are not scaled: scale last.
 * -EINVAL: a rate above the real one, or laws that cannot be scaled.
 */
int rt_lab_scale(struct rt_fabric_config *laws, uint64_t from_bps, uint64_t to_bps,
		 struct rt_lab_scale *ret_scale, struct rt_err *err);

#endif
