/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * log.h - a logarithm in integers: the same bits from every compiler and C library.
 */
#ifndef RT_BASE_LOG_H
#define RT_BASE_LOG_H

#include <stdint.h>

#define RT_LN2_Q62 UINT64_C(0x2C5C85FDF473DE6A) /* ln 2 * 2^62 */

/*
 * -ln((word + 1/2) / 2^64) with 32 fraction bits, wrong by less than 2^-31: of a
 * uniform word this is exponentially distributed with mean 2^32.
 *
 * log2 of a number in [1, 2) bit by bit: its square is 2 or above when the next bit is
 * 1 (as in Knuth, The Art of Computer Programming 1, 1.2.2, exercise 25).
 */
static inline uint64_t rt_minus_ln_q32(uint64_t word)
{
	/* (2 word + 1) / 2^65, so that no word is 0; mantissa has its top bit set. */
	const unsigned lead = word ? (unsigned)__builtin_clzll(word) : 64;
	uint64_t mantissa = word ? word << lead : UINT64_C(1) << 63;
	uint64_t log2_q40 = 0;

	if (word && lead)
		mantissa |= UINT64_C(1) << (lead - 1);
	for (unsigned i = 0; i < 40; i++) {
		const unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
		const unsigned carry = (unsigned)(square >> 127);

		log2_q40 = log2_q40 << 1 | carry;
		mantissa = (uint64_t)(square >> (63 + carry));
	}
	/* The mantissa stands for 2^(-1 - lead) times a number in [1, 2). */
	log2_q40 = ((uint64_t)(lead + 1) << 40) - log2_q40;
	return (uint64_t)((unsigned __int128)log2_q40 * RT_LN2_Q62 >> (40 + 62 - 32));
}

#endif
