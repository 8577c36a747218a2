/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ps.h - time in the laws: unsigned picoseconds since an origin that the caller
 * chose.  2^64 ps are 213 days.
 */
#ifndef RT_CC_PS_H
#define RT_CC_PS_H

#include <stdint.h>

/* A deadline that never comes: the timer is off. */
#define RT_PS_NEVER UINT64_MAX

#define RT_PS_PER_NS 1000ull
#define RT_PS_PER_US 1000000ull
#define RT_PS_PER_MS 1000000000ull

#endif
