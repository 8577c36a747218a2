/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sha256.h"

#include <string.h>

/* FIPS 180-4, 4.2.2: fractions of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static uint32_t load(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
	       at[3];
}

static void store(uint8_t *at, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> (24 - 8 * i));
}

/* 6.2.2, step 1: sixteen words of the block become 64. */
static void schedule(const uint8_t *block, uint32_t w[64])
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = load(block + (size_t)4 * i);
	for (unsigned i = 16; i < 64; i++) {
		const uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
		       (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], v[8];

	schedule(block, w);
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		const uint32_t a = v[0], e = v[4];
		const uint32_t one = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
				     ((e & v[5]) ^ (~e & v[6])) + rounds[i] + w[i];
		const uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
				     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

void rt_sha256_init(struct rt_sha256 *sha)
{
	static const uint32_t start[8] = { /* 5.3.3 */
					   0x6a09e667, 0xbb67ae85, 0x3c6ef372,
					   0xa54ff53a, 0x510e527f, 0x9b05688c,
					   0x1f83d9ab, 0x5be0cd19
	};

	memcpy(sha->state, start, sizeof(start));
	sha->bytes = 0;
}

void rt_sha256_add(struct rt_sha256 *sha, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	while (bytes) {
		const size_t used = sha->bytes % sizeof(sha->block);
		const size_t room = sizeof(sha->block) - used;
		const size_t step = bytes < room ? bytes : room;

		memcpy(sha->block + used, at, step);
		sha->bytes += step;
		at += step;
		bytes -= step;
		if (step == room)
			compress(sha->state, sha->block);
	}
}

void rt_sha256_end(struct rt_sha256 *sha, uint8_t ret_digest[RT_SHA256_BYTES])
{
	static const uint8_t pad[RT_SHA256_BLOCK_BYTES] = { 0x80 };
	const uint64_t bits = sha->bytes * 8;
	const size_t used = sha->bytes % sizeof(sha->block);
	uint8_t length[8];

	store(length, (uint32_t)(bits >> 32));
	store(length + 4, (uint32_t)bits);
	rt_sha256_add(sha, pad, (used < 56 ? 56 : 120) - used);
	rt_sha256_add(sha, length, sizeof(length));
	for (unsigned i = 0; i < 8; i++)
		store(ret_digest + (size_t)4 * i, sha->state[i]);
}

void rt_hmac_init(struct rt_hmac *hmac, const void *key, size_t key_bytes)
{
	uint8_t block[RT_SHA256_BLOCK_BYTES] = { 0 };

	if (key_bytes > sizeof(block)) {
		rt_sha256_init(&hmac->inner);
		rt_sha256_add(&hmac->inner, key, key_bytes);
		rt_sha256_end(&hmac->inner, block);
	} else {
		memcpy(block, key, key_bytes);
	}
	for (size_t i = 0; i < sizeof(block); i++) {
		hmac->outer_key[i] = block[i] ^ 0x5c;
		block[i] ^= 0x36;
	}
	rt_sha256_init(&hmac->inner);
	rt_sha256_add(&hmac->inner, block, sizeof(block));
}

void rt_hmac_add(struct rt_hmac *hmac, const void *data, size_t bytes)
{
	rt_sha256_add(&hmac->inner, data, bytes);
}

void rt_hmac_end(struct rt_hmac *hmac, uint8_t ret_digest[RT_SHA256_BYTES])
{
	uint8_t inner[RT_SHA256_BYTES];
	struct rt_sha256 outer;

	rt_sha256_end(&hmac->inner, inner);
	rt_sha256_init(&outer);
	rt_sha256_add(&outer, hmac->outer_key, sizeof(hmac->outer_key));
	rt_sha256_add(&outer, inner, sizeof(inner));
	rt_sha256_end(&outer, ret_digest);
}

bool rt_digest_equal(const uint8_t a[RT_SHA256_BYTES], const uint8_t b[RT_SHA256_BYTES])
{
	volatile uint8_t difference = 0;

	for (unsigned i = 0; i < RT_SHA256_BYTES; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}
