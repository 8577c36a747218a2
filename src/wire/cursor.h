/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cursor.h - bytes read and written one field after the other, with bounds: after
 * the first step over the end all reads give zeros, nothing is written, and bad says
 * so, to be looked at once.  Internal to wire.
 */
#ifndef RT_WIRE_CURSOR_H
#define RT_WIRE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rt_rd {
	const uint8_t *at, *end;
	bool bad;
	const uint8_t *origin; /* what offsets in messages count from */
};

static inline size_t rt_rd_left(const struct rt_rd *rd)
{
	return (size_t)(rd->end - rd->at);
}

static inline size_t rt_rd_offset(const struct rt_rd *rd)
{
	return (size_t)(rd->at - rd->origin);
}

/* The next count bytes, which are stepped over; NULL when there are fewer. */
static inline const uint8_t *rt_rd_take(struct rt_rd *rd, size_t count)
{
	const uint8_t *taken = rd->at;

	if (rd->bad || rt_rd_left(rd) < count) {
		rd->bad = true;
		return NULL;
	}
	rd->at += count;
	return taken;
}

static inline uint8_t rt_rd_u8(struct rt_rd *rd)
{
	const uint8_t *at = rt_rd_take(rd, 1);

	return at ? at[0] : 0;
}

static inline uint16_t rt_rd_be16(struct rt_rd *rd)
{
	const uint8_t *at = rt_rd_take(rd, 2);

	return at ? (uint16_t)((unsigned)at[0] << 8 | at[1]) : 0;
}

static inline uint32_t rt_rd_be32(struct rt_rd *rd)
{
	const uint32_t high = rt_rd_be16(rd);

	return high << 16 | rt_rd_be16(rd);
}

struct rt_wr {
	uint8_t *at, *end;
	bool bad;
};

static inline void rt_wr_bytes(struct rt_wr *wr, const void *from, size_t count)
{
	if (wr->bad || (size_t)(wr->end - wr->at) < count) {
		wr->bad = true;
		return;
	}
	memcpy(wr->at, from, count);
	wr->at += count;
}

static inline void rt_wr_u8(struct rt_wr *wr, unsigned value)
{
	const uint8_t byte = (uint8_t)value;

	rt_wr_bytes(wr, &byte, 1);
}

static inline void rt_wr_be16(struct rt_wr *wr, unsigned value)
{
	const uint8_t bytes[2] = { (uint8_t)(value >> 8), (uint8_t)value };

	rt_wr_bytes(wr, bytes, sizeof(bytes));
}

static inline void rt_wr_be32(struct rt_wr *wr, uint32_t value)
{
	rt_wr_be16(wr, value >> 16);
	rt_wr_be16(wr, value & 0xFFFF);
}

#endif
