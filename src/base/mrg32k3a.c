/* SPDX-License-Identifier: BSD-2-Clause */
/* mrg32k3a.c - two linear recurrences of order three, and jumps ahead in them. */
#include "base/mrg32k3a.h"

#include <string.h>

#define STREAM_STEPS_LOG2    127
#define SUBSTREAM_STEPS_LOG2 76

static const uint64_t moduli[2] = { 4294967087, 4294944443 };

/* One step; negative coefficients are taken modulo. */
static const uint64_t one_step[2][3][3] = {
	{ { 0, 1, 0 }, { 0, 0, 1 }, { 4294967087 - 810728, 1403580, 0 } },
	{ { 0, 1, 0 }, { 0, 0, 1 }, { 4294944443 - 1370589, 0, 527612 } },
};

/* Entries are below 2^32, so one product fits, and is reduced before it is added. */
static void multiply(uint64_t a[3][3], uint64_t b[3][3], uint64_t modulus,
		     uint64_t ret[3][3])
{
	uint64_t out[3][3];

	for (unsigned i = 0; i < 3; i++)
		for (unsigned j = 0; j < 3; j++) {
			out[i][j] = 0;
			for (unsigned k = 0; k < 3; k++)
				out[i][j] += a[i][k] * b[k][j] % modulus;
			out[i][j] %= modulus;
		}
	memcpy(ret, out, sizeof(out));
}

static void advance(uint64_t by[3][3], uint64_t modulus, uint64_t state[3])
{
	uint64_t out[3];

	for (unsigned i = 0; i < 3; i++)
		out[i] = (by[i][0] * state[0] % modulus +
			  by[i][1] * state[1] % modulus +
			  by[i][2] * state[2] % modulus) %
			 modulus;
	memcpy(state, out, sizeof(out));
}

static void jump(uint64_t by[3][3], uint64_t times, uint64_t modulus, uint64_t state[3])
{
	uint64_t power[3][3];

	memcpy(power, by, sizeof(power));
	for (; times; times >>= 1) {
		if (times & 1)
			advance(power, modulus, state);
		multiply(power, power, modulus, power);
	}
}

void rt_mrg32k3a_init(struct rt_mrg32k3a *rng, uint64_t stream, uint64_t run)
{
	for (unsigned part = 0; part < 2; part++) {
		const uint64_t modulus = moduli[part];
		uint64_t step[3][3];

		memcpy(step, one_step[part], sizeof(step));
		for (unsigned i = 0; i < 3; i++)
			rng->state[part][i] = 1;
		for (unsigned i = 0; i < SUBSTREAM_STEPS_LOG2; i++)
			multiply(step, step, modulus, step);
		jump(step, run, modulus, rng->state[part]);
		for (unsigned i = SUBSTREAM_STEPS_LOG2; i < STREAM_STEPS_LOG2; i++)
			multiply(step, step, modulus, step);
		memcpy(rng->next_stream[part], step, sizeof(step));
		jump(step, stream, modulus, rng->state[part]);
	}
}

/* What the recurrence gives after state. */
static uint64_t after(const uint64_t state[3], unsigned part)
{
	const uint64_t *row = one_step[part][2];

	return (row[0] * state[0] % moduli[part] + row[1] * state[1] % moduli[part] +
		row[2] * state[2] % moduli[part]) %
	       moduli[part];
}

/* 1 / (m1 + 1), as the authors write it. */
static double number(uint64_t first, uint64_t second)
{
	const uint64_t less = first > second ? first - second
					     : first + moduli[0] - second;

	return (double)less * 2.328306549295727688e-10;
}

double rt_mrg32k3a_draw(struct rt_mrg32k3a *rng)
{
	const uint64_t first = after(rng->state[0], 0),
		       second = after(rng->state[1], 1);

	for (unsigned part = 0; part < 2; part++)
		advance(rng->next_stream[part], moduli[part], rng->state[part]);
	return number(first, second);
}

double rt_mrg32k3a_next(struct rt_mrg32k3a *rng)
{
	for (unsigned part = 0; part < 2; part++) {
		uint64_t *state = rng->state[part];
		const uint64_t more = after(state, part);

		state[0] = state[1];
		state[1] = state[2];
		state[2] = more;
	}
	return number(rng->state[0][2], rng->state[1][2]);
}
