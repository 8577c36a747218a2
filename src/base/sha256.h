/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sha256.h - SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): to prove that one knows
 * a token without showing it.  Short messages; not made for bulk data.
 */
#ifndef RT_BASE_SHA256_H
#define RT_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_SHA256_BYTES       32u
#define RT_SHA256_BLOCK_BYTES 64u

struct rt_sha256 {
	uint32_t state[8];
	uint64_t bytes; /* so far */
	uint8_t block[RT_SHA256_BLOCK_BYTES];
};

void rt_sha256_init(struct rt_sha256 *sha);
void rt_sha256_add(struct rt_sha256 *sha, const void *data, size_t bytes);
void rt_sha256_end(struct rt_sha256 *sha, uint8_t ret_digest[RT_SHA256_BYTES]);

/* A keyed digest, of data that comes in pieces. */
struct rt_hmac {
	struct rt_sha256 inner;
	uint8_t outer_key[RT_SHA256_BLOCK_BYTES];
};

void rt_hmac_init(struct rt_hmac *hmac, const void *key, size_t key_bytes);
void rt_hmac_add(struct rt_hmac *hmac, const void *data, size_t bytes);
void rt_hmac_end(struct rt_hmac *hmac, uint8_t ret_digest[RT_SHA256_BYTES]);

/* Whether both are the same; takes as long wherever they differ. */
bool rt_digest_equal(const uint8_t a[RT_SHA256_BYTES],
		     const uint8_t b[RT_SHA256_BYTES]);

#endif
