/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/ecmp.h"

#include <stddef.h>

#include "base/hash.h"

static uint64_t seeded(const struct rt_ecmp_key *key)
{
	return rt_hash_pair(key->seed, key->direction);
}

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits);
}

/* MurmurHash3, x86, 32 bits (Appleby, public domain), of whole words. */
static uint32_t murmur3(const uint32_t *words, size_t count, uint32_t seed)
{
	uint32_t hash = seed;

	for (size_t i = 0; i < count; i++) {
		hash ^= rotate(words[i] * 0xcc9e2d51u, 15) * 0x1b873593u;
		hash = rotate(hash, 13) * 5 + 0xe6546b64u;
	}
	hash ^= (uint32_t)(4 * count);
	hash = (hash ^ hash >> 16) * 0x85ebca6bu;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
	return hash ^ hash >> 16;
}

/* Host n is 11.n/256.n%256.1 there (third.cc, node_id_to_ip()). */
static uint32_t hpcc_address(uint32_t host)
{
	return 0x0b000001u + host / 256 * 0x10000u + host % 256 * 0x100u;
}

/* alibaba-edu/High-Precision-Congestion-Control, switch-node.cc: the seed is the node. */
static uint64_t hpcc(const struct rt_ecmp_key *key)
{
	const uint32_t words[3] = { hpcc_address(key->from), hpcc_address(key->to),
				    key->sport | (uint32_t)key->dport << 16 };

	return murmur3(words, 3, key->node);
}

uint64_t rt_ecmp_hash(enum rt_ecmp_id kind, const struct rt_ecmp_key *key)
{
	static uint64_t (*const rows[])(const struct rt_ecmp_key *) = {
		[RT_ECMP_SEEDED] = seeded,
		[RT_ECMP_HPCC] = hpcc,
	};

	return rows[kind](key);
}
