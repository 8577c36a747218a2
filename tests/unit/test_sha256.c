/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 and HMAC against the examples of FIPS 180 and RFC 4231. */
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

static void test_sha256_of_the_standards_examples(void **state)
{
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb924"
		      "27ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223"
			 "b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039"
		  "a33ce45964ff2167f6ecedd419db06c1" },
	};
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 sha;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		rt_sha256_init(&sha);
		rt_sha256_add(&sha, cases[i].text, strlen(cases[i].text));
		rt_sha256_end(&sha, digest);
		assert_digest(digest, cases[i].hex);
	}
}

/* A million times "a", in pieces that fit no block. */
static void test_sha256_takes_pieces_of_any_size(void **state)
{
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 sha;
	char piece[625];

	(void)state;
	memset(piece, 'a', sizeof(piece));
	rt_sha256_init(&sha);
	for (size_t i = 0; i < 1600; i++)
		rt_sha256_add(&sha, piece, sizeof(piece));
	rt_sha256_end(&sha, digest);
	assert_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67"
			      "f1809a48a497200e046d39ccc7112cd0");
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

RT_UNIT_MAIN(cmocka_unit_test(test_sha256_of_the_standards_examples),
	     cmocka_unit_test(test_sha256_takes_pieces_of_any_size),
	     cmocka_unit_test(test_hmac_of_rfc_4231),
	     cmocka_unit_test(test_digests_differ_in_any_bit))
