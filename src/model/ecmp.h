/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ecmp.h - which of several equal ways a flow goes: a number from what switches hash,
 * that a topology takes modulo the ways there are.  A kind of hash is a row.
 */
#ifndef RT_MODEL_ECMP_H
#define RT_MODEL_ECMP_H

#include <stdint.h>

#include "rocetune/scenario.h"

/* One direction of a flow, at the switch that has a choice. */
struct rt_ecmp_key {
	uint64_t seed;
	uint64_t direction; /* 2 * flow, or 2 * flow + 1 on the way back */
	uint32_t node;      /* of the switch */
	uint32_t from, to;  /* hosts */
	uint16_t sport, dport;
};

uint64_t rt_ecmp_hash(enum rt_ecmp_id kind, const struct rt_ecmp_key *key);

#endif
