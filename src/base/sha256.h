/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sha256.h - HMAC with SHA-256 (RFC 2104, FIPS 180-4), to prove that one knows a token
 * without showing it.  Nettle does the work.
 */
#ifndef RT_BASE_SHA256_H
#define RT_BASE_SHA256_H

#include <nettle/hmac.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_SHA256_BYTES SHA256_DIGEST_SIZE

/* A keyed digest, of data that comes in pieces. */
struct rt_hmac {
	struct hmac_sha256_ctx context;
};

void rt_hmac_init(struct rt_hmac *hmac, const void *key, size_t key_bytes);
void rt_hmac_add(struct rt_hmac *hmac, const void *data, size_t bytes);
void rt_hmac_end(struct rt_hmac *hmac, uint8_t ret_digest[RT_SHA256_BYTES]);

/* Whether both are the same; takes as long wherever they differ. */
bool rt_digest_equal(const uint8_t a[RT_SHA256_BYTES],
		     const uint8_t b[RT_SHA256_BYTES]);

#endif
