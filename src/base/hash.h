/* SPDX-License-Identifier: BSD-2-Clause */
/* hash.h - mixing for hash tables of trusted size; not for security. */
#ifndef RT_BASE_HASH_H
#define RT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014): every bit counts. */
static inline uint64_t rt_hash_u64(uint64_t word)
{
	word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
	word = (word ^ word >> 27) * 0x94D049BB133111EBu;
	return word ^ word >> 31;
}

static inline uint64_t rt_hash_pair(uint64_t first, uint64_t second)
{
	return rt_hash_u64(first + 0x9E3779B97F4A7C15u * rt_hash_u64(second + 1));
}

/* Two words by one multiplication, whose halves are folded; for keys in hot loops. */
static inline uint64_t rt_hash_fold(uint64_t first, uint64_t second)
{
	const unsigned __int128 product = (unsigned __int128)(first ^
							      0x9E3779B97F4A7C15u) *
					  (second ^ 0xD6E8FEB86659FD93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). */
static inline uint64_t rt_hash_bytes(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint64_t hash = 0xCBF29CE484222325u;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * 0x100000001B3u;
	return hash;
}

#endif
