/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bytes.h - integers on the wire.  Nothing here checks bounds: callers know how
 * many bytes there are before they ask.
 */
#ifndef RT_WIRE_BYTES_H
#define RT_WIRE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t rt_get_be16(const uint8_t *at)
{
	uint16_t raw;

	memcpy(&raw, at, sizeof(raw));
	return __builtin_bswap16(raw);
}

static inline uint32_t rt_get_be32(const uint8_t *at)
{
	uint32_t raw;

	memcpy(&raw, at, sizeof(raw));
	return __builtin_bswap32(raw);
}

static inline uint64_t rt_get_be64(const uint8_t *at)
{
	uint64_t raw;

	memcpy(&raw, at, sizeof(raw));
	return __builtin_bswap64(raw);
}

static inline uint32_t rt_get_le32(const uint8_t *at)
{
	uint32_t raw;

	memcpy(&raw, at, sizeof(raw));
	return raw;
}

/* 24 bits: the low three of the four bytes at at. */
static inline uint32_t rt_get_be24_low(const uint8_t *at)
{
	return rt_get_be32(at) & 0xFFFFFF;
}

static inline void rt_put_be16(uint8_t *at, uint16_t value)
{
	const uint16_t raw = __builtin_bswap16(value);

	memcpy(at, &raw, sizeof(raw));
}

static inline void rt_put_be32(uint8_t *at, uint32_t value)
{
	const uint32_t raw = __builtin_bswap32(value);

	memcpy(at, &raw, sizeof(raw));
}

static inline void rt_put_be64(uint8_t *at, uint64_t value)
{
	const uint64_t raw = __builtin_bswap64(value);

	memcpy(at, &raw, sizeof(raw));
}

static inline void rt_put_le32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the host is taken to be little-endian");

#endif
