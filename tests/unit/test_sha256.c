/* SPDX-License-Identifier: BSD-2-Clause */
/* HMAC with SHA-256 against the examples of RFC 4231. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/sha256.h"

static void assert_digest(const uint8_t digest[RT_SHA256_BYTES], const char *hex)
{
	char text[2 * RT_SHA256_BYTES + 1];

	for (unsigned i = 0; i < RT_SHA256_BYTES; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", digest[i]);
	assert_string_equal(text, hex);
}

static void test_hmac_of_rfc_4231(void **state)
{
	static const uint8_t long_key[131] = { [0 ... 130] = 0xaa };
	static const struct {
		const void *key;
		size_t key_bytes;
		const char *text, *hex;
	} cases[] = {
		{ "Jefe", 4, "what do ya want for nothing?",
		  "5bdcc146bf60754e6a042426089575c7"
		  "5a003f089d2739839dec58b964ec3843" },
		{ long_key, sizeof(long_key),
		  "Test Using Larger Than Block-Size Key - Hash Key First",
		  "60e431591ee0b67f0d8a26aacbf5b77f"
		  "8e0bc6213728c5140546040f0ee37f54" },
	};
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_hmac hmac;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		rt_hmac_init(&hmac, cases[i].key, cases[i].key_bytes);
		rt_hmac_add(&hmac, cases[i].text, strlen(cases[i].text));
		rt_hmac_end(&hmac, digest);
		assert_digest(digest, cases[i].hex);
	}
}

static void test_digests_differ_in_any_bit(void **state)
{
	uint8_t a[RT_SHA256_BYTES] = { 1 }, b[RT_SHA256_BYTES] = { 1 };

	(void)state;
	assert_true(rt_digest_equal(a, b));
	for (unsigned bit = 0; bit < 8 * RT_SHA256_BYTES; bit++) {
		b[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(rt_digest_equal(a, b));
		b[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_hmac_of_rfc_4231),
	     cmocka_unit_test(test_digests_differ_in_any_bit))
