/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ext.h - extension headers of the BTH, a row each, read and written by the same
 * table (IBTA 9.3).  Internal to wire.
 */
#ifndef RT_WIRE_EXT_H
#define RT_WIRE_EXT_H

#include <stdint.h>

#include "rocetune/frame.h"
#include "wire/bytes.h"

#define RT_BTH_BYTES     12
#define RT_ICRC_BYTES    4
/* No opcode has more: RDETH, DETH and AtomicETH of an RD atomic. */
#define RT_EXT_MAX_BYTES 40

struct rt_ext {
	const char *name;
	uint8_t bytes;
	void (*get)(struct rt_bth *bth, const uint8_t *at);
	void (*put)(const struct rt_bth *bth, uint8_t *at);
};

/* Indexed by bit number of enum rt_ext_bits. */
extern const struct rt_ext rt_exts[];

/* The two that most packets with any have. */
static inline void rt_ext_get_aeth(struct rt_bth *bth, const uint8_t *at)
{
	bth->syndrome = at[0];
	bth->msn = rt_get_be24_low(at);
}

static inline void rt_ext_get_reth(struct rt_bth *bth, const uint8_t *at)
{
	bth->va = rt_get_be64(at);
	bth->rkey = rt_get_be32(at + 8);
	bth->dma_bytes = rt_get_be32(at + 12);
}

#endif
