/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sha256.h"

#include <nettle/memops.h>

void rt_hmac_init(struct rt_hmac *hmac, const void *key, size_t key_bytes)
{
	hmac_sha256_set_key(&hmac->context, key_bytes, key);
}

void rt_hmac_add(struct rt_hmac *hmac, const void *data, size_t bytes)
{
	hmac_sha256_update(&hmac->context, bytes, data);
}

void rt_hmac_end(struct rt_hmac *hmac, uint8_t ret_digest[RT_SHA256_BYTES])
{
	hmac_sha256_digest(&hmac->context, RT_SHA256_BYTES, ret_digest);
}

bool rt_digest_equal(const uint8_t a[RT_SHA256_BYTES], const uint8_t b[RT_SHA256_BYTES])
{
	return memeql_sec(a, b, RT_SHA256_BYTES);
}
