/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crc32_fold.c - CRC-32 of long stretches by carry-less multiplication (Gopal and
 * others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel
 * 2009): 64 bytes a step are folded onto the next 64.  What is left are 16 bytes
 * with the same CRC as all that was folded, and they go through the tables.
 */
#include "wire/icrc.h"

#include <string.h>

#if defined(__x86_64__)

#include <immintrin.h>

#define STEP 64

/* {x^(n + 32), x^(n - 32)} modulo the polynomial, reflected, for n bits ahead. */
#define AHEAD_512 _mm_set_epi64x(0x1C6E41596, 0x154442BD4)
#define AHEAD_128 _mm_set_epi64x(0x0CCAA009E, 0x1751997D0)

__attribute__((target("pclmul"))) static inline __m128i ahead(__m128i lane, __m128i by,
							      __m128i next)
{
	return _mm_clmulepi64_si128(lane, by, 0x00) ^
	       _mm_clmulepi64_si128(lane, by, 0x11) ^ next;
}

static inline __m128i load(const uint8_t *at)
{
	return _mm_loadu_si128((const __m128i *)(const void *)at);
}

__attribute__((target("pclmul"))) static size_t fold(uint32_t state,
						     const uint8_t *first,
						     const uint8_t *data, size_t bytes,
						     uint8_t ret_rest[16])
{
	/* by name: an array of them would be kept in memory */
	__m128i a = load(first) ^ _mm_cvtsi32_si128((int)state), b = load(first + 16);
	__m128i c = load(first + 32), d = load(first + 48);
	size_t at;

	for (at = STEP; at + STEP <= bytes; at += STEP) {
		a = ahead(a, AHEAD_512, load(data + at));
		b = ahead(b, AHEAD_512, load(data + at + 16));
		c = ahead(c, AHEAD_512, load(data + at + 32));
		d = ahead(d, AHEAD_512, load(data + at + 48));
	}
	a = ahead(a, AHEAD_128, b);
	a = ahead(a, AHEAD_128, c);
	a = ahead(a, AHEAD_128, d);
	for (; at + 16 <= bytes; at += 16)
		a = ahead(a, AHEAD_128, load(data + at));
	memcpy(ret_rest, &a, 16);
	return at;
}

bool rt_crc32_can_fold(void)
{
	return __builtin_cpu_supports("pclmul");
}

size_t rt_crc32_fold(uint32_t state, const uint8_t *first, const uint8_t *data,
		     size_t bytes, uint8_t ret_rest[16])
{
	return bytes < STEP ? 0 : fold(state, first, data, bytes, ret_rest);
}

#else

bool rt_crc32_can_fold(void)
{
	return false;
}

size_t rt_crc32_fold(uint32_t state, const uint8_t *first, const uint8_t *data,
		     size_t bytes, uint8_t ret_rest[16])
{
	(void)state;
	(void)first;
	(void)data;
	(void)bytes;
	(void)ret_rest;
	return 0;
}

#endif
