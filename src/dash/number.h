/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number.h - numbers in narrow columns.  Unknown is "-"; what is more than nothing is
 * never written as 0.
 */
#ifndef RT_DASH_NUMBER_H
#define RT_DASH_NUMBER_H

#include <stdbool.h>

#include "rocetune/field.h"

#define RT_NUMBER_BYTES 32

/* What people want to read: keys "u" and "i". */
struct rt_dash_units {
	bool bytes; /* a second, instead of bits */
	bool iec;   /* prefixes of 1024 */
};

/*
 * Into at most width characters (4 or more), with a prefix where it needs one: as many
 * digits as there is room for, at most four.  NaN is "-".
 */
char *rt_number_scaled(double value, bool iec, unsigned width,
		       char text[RT_NUMBER_BYTES]);
/* bits a second, by units, without a letter of these. */
char *rt_number_rate(double bps, const struct rt_dash_units *units, unsigned width,
		     char text[RT_NUMBER_BYTES]);
/* "18%", "0.4%", "<.1%". */
char *rt_number_percent(double percent, char text[RT_NUMBER_BYTES]);
/* "850 us", "1.0 s", "4 min". */
char *rt_number_time(uint64_t ns, char text[RT_NUMBER_BYTES]);

/* How fast time goes, and 0 is none: "30", "0.5", "1/5000". */
char *rt_number_speed(double speed, char text[RT_NUMBER_BYTES]);

double rt_number_or_nan(struct rt_opt_f64 value);

#endif
