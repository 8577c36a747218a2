/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * units.h - what a number counts, and how people write it.
 *
 * Inside the program a quantity is an integer in one fixed unit that stands in
 * the variable's name: _bps is always bits per second, _bytes bytes, _ns
 * nanoseconds, _ps picoseconds, _mm millimetres, _ppb parts per billion (for
 * percentages and ratios alike).  Text is converted once, at the edge, here.
 *
 * Nothing here allocates or prints.
 */
#ifndef ROCETUNE_UNITS_H
#define ROCETUNE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_err;

enum rt_unit {
	RT_UNIT_NONE,   /* a plain number: identifier, index, mask, also 0x6a */
	RT_UNIT_COUNT,  /* how many of something */
	RT_UNIT_BYTES,  /* written 400KB (1000), 400KiB (1024), 64B */
	RT_UNIT_BPS,    /* bits per second: 400G, 100Gbps, 40Gb/s */
	RT_UNIT_PPS,    /* packets per second */
	RT_UNIT_NS,     /* 4us, 100ms, 2s, 55000ns */
	RT_UNIT_PS,     /* same spelling, kept in picoseconds */
	RT_UNIT_PCT,    /* 15%, kept in parts per billion */
	RT_UNIT_RATIO,  /* 1/8, 0.125, 8, kept in parts per billion */
	RT_UNIT_LENGTH, /* 5m, 300m, 2.5m, 2km, kept in millimetres */
	RT_UNIT_QUANTA, /* pause quanta, 512 bit times each */
	RT_UNIT_BITS,   /* bit times */
	RT_UNIT_MTU,    /* bytes of a packet: 4096 may stay bare */
};

#define RT_PPB 1000000000u /* one whole, for RT_UNIT_PCT and RT_UNIT_RATIO */

/*
 * Read all of text as a quantity of the unit.  Sizes, rates, times and lengths
 * need their unit (0 may stay bare, an MTU is in bytes), and RT_UNIT_PCT its
 * sign, 0.2 and 20% being too easy to mix up.  b is a bit and B a byte: neither
 * is taken for the other.
 * -EINVAL: not such a quantity.  -ERANGE: it is above INT64_MAX, which is where the
 * integers of JSON's readers end, or finer than the unit (0.5B).
 */
int rt_unit_parse(enum rt_unit unit, const char *text, uint64_t *ret_value,
		  struct rt_err *err);

/*
 * True when text has no unit where one may be left out: a number that is out of
 * range may then only lack it (mtu: 9 for 9KB).
 */
bool rt_unit_is_bare(enum rt_unit unit, const char *text);

/* A buffer that every rt_unit_format() result fits in. */
#define RT_UNIT_TEXT_BYTES 40

/*
 * Write value for people: the largest unit that loses nothing, or, where that
 * would take more than six digits, one rounded to four.  Returns buf.
 */
char *rt_unit_format(enum rt_unit unit, uint64_t value, char buf[RT_UNIT_TEXT_BYTES]);

/* As above but never rounded: rt_unit_parse() gives the same value back. */
char *rt_unit_format_exact(enum rt_unit unit, uint64_t value,
			   char buf[RT_UNIT_TEXT_BYTES]);

/* What a value of this unit is called in a schema: "bytes", "bits per second". */
const char *rt_unit_name(enum rt_unit unit);

/* What the user may write: "a rate such as 400G". */
const char *rt_unit_example(enum rt_unit unit);

#endif
