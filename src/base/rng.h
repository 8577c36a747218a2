/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rng.h - a seeded generator that is passed in, never global: one seed, one
 * run, byte for byte, with any compiler.
 *
 * The algorithm is xoshiro256** (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2018), seeded through splitmix64 as its
 * authors advise.
 */
#ifndef RT_BASE_RNG_H
#define RT_BASE_RNG_H

#include <stdint.h>

struct rt_rng {
	uint64_t state[4];
};

static inline uint64_t rt_rng_splitmix(uint64_t *state)
{
	uint64_t mix = *state += 0x9E3779B97F4A7C15u;

	mix = (mix ^ mix >> 30) * 0xBF58476D1CE4E5B9u;
	mix = (mix ^ mix >> 27) * 0x94D049BB133111EBu;
	return mix ^ mix >> 31;
}

/* Any seed is good, 0 too.  stream separates generators of the same seed. */
static inline void rt_rng_init(struct rt_rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t mix = seed ^ stream * 0xD1342543DE82EF95u;

	for (unsigned i = 0; i < 4; i++)
		rng->state[i] = rt_rng_splitmix(&mix);
}

static inline uint64_t rt_rng_rotl(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static inline uint64_t rt_rng_u64(struct rt_rng *rng)
{
	uint64_t *s = rng->state;
	const uint64_t out = rt_rng_rotl(s[1] * 5, 7) * 9;
	const uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rt_rng_rotl(s[3], 45);
	return out;
}

/* Uniform in [0, 1), 53 bits. */
static inline double rt_rng_unit(struct rt_rng *rng)
{
	return (double)(rt_rng_u64(rng) >> 11) * 0x1p-53;
}

/* Uniform in [0, bound); 0 when bound is 0.  Bias below 2^-32 for small bounds. */
static inline uint64_t rt_rng_below(struct rt_rng *rng, uint64_t bound)
{
	return (uint64_t)((unsigned __int128)rt_rng_u64(rng) * bound >> 64);
}

#endif
