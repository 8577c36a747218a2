/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jain.h - how fairly something is shared: Jain's index (Jain, Chiu, Hawe, "A quantitative
 * measure of fairness and discrimination", DEC TR-301, 1984).  1: all have the same; 1/n:
 * one of n has all.
 */
#ifndef RT_BASE_JAIN_H
#define RT_BASE_JAIN_H

#include <stdint.h>

#include "rocetune/field.h"

struct rt_jain {
	double sum, squares;
	uint64_t count;
};

static inline void rt_jain_add(struct rt_jain *jain, double share)
{
	jain->sum += share;
	jain->squares += share * share;
	jain->count++;
}

/* Unknown where nobody has anything; of one, 1. */
static inline struct rt_opt_f64 rt_jain_index(const struct rt_jain *jain)
{
	if (!(jain->squares > 0))
		return (struct rt_opt_f64){ 0 };
	return RT_KNOWN_F64(jain->sum * jain->sum /
			    ((double)jain->count * jain->squares));
}

/* Among several: unknown of one as well. */
static inline struct rt_opt_f64 rt_jain_among(const struct rt_jain *jain)
{
	return jain->count > 1 ? rt_jain_index(jain) : (struct rt_opt_f64){ 0 };
}

#endif
