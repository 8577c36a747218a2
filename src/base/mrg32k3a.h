/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mrg32k3a.h - the random numbers of ns-3, to repeat its runs exactly.
 *
 * MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple
 * recursive random number generators", Operations Research 47(1), 1999), with streams
 * 2^127 steps and substreams 2^76 steps apart (L'Ecuyer, Simard, Chen, Kelton,
 * "An object-oriented random-number package with many long streams and substreams",
 * Operations Research 50(6), 2002).  ns-3 seeds all with 1, takes its run number as the
 * substream, and gives each variable the next stream.  A model that makes a variable
 * for each draw, as the HPCC authors' does, so takes the first number of one stream
 * after the other: rt_mrg32k3a_draw() gives that, and rt_mrg32k3a_next() the numbers of
 * one stream.
 */
#ifndef RT_BASE_MRG32K3A_H
#define RT_BASE_MRG32K3A_H

#include <stdint.h>

struct rt_mrg32k3a {
	uint64_t state[2][3];
	uint64_t next_stream[2][3][3]; /* the step from stream to stream */
};

/* Before the first draw of stream, in substream run. */
void rt_mrg32k3a_init(struct rt_mrg32k3a *rng, uint64_t stream, uint64_t run);

/* The first number of this stream, in (0, 1); then goes on to the next stream. */
double rt_mrg32k3a_draw(struct rt_mrg32k3a *rng);

/* The next number of this stream, in (0, 1). */
double rt_mrg32k3a_next(struct rt_mrg32k3a *rng);

#endif
