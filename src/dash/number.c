/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double rt_number_or_nan(struct rt_opt_f64 value)
{
	return value.known ? value.value : (double)NAN;
}

/* value with so many decimals, and a prefix; how long that is. */
static int write_scaled(double value, int decimals, char prefix,
			char text[RT_NUMBER_BYTES])
{
	const char tail[2] = { prefix, '\0' };

	return snprintf(text, RT_NUMBER_BYTES, "%.*f%s", decimals, value, tail);
}

/* The number of decimals that leaves at most four digits. */
static int decimals_of(double value)
{
	return value < 10 ? 2 : value < 1000 ? 1 : 0;
}

char *rt_number_scaled(double value, bool iec, unsigned width,
		       char text[RT_NUMBER_BYTES])
{
	static const char prefixes[] = " kMGTPE";
	const double base = iec ? 1024 : 1000;
	size_t at = 0;
	int decimals;

	if (isnan(value))
		return strcpy(text, "-");
	if (value <= 0)
		return strcpy(text, "0");
	if (value < 0.01)
		return strcpy(text, "<.01");
	/* Above it, three digits would round to four. */
	while (value >= 999.5 && prefixes[at + 1]) {
		value /= base;
		at++;
	}
	/* So many of something are not written as "2.00". */
	if (at == 0)
		decimals = value < 10 && fabs(value - round(value)) >= 0.005 ? 2 : 0;
	else
		decimals = decimals_of(value);
	while (write_scaled(value, decimals, at ? prefixes[at] : '\0', text) >
		       (int)width &&
	       decimals > 0)
		decimals--;
	return text;
}

char *rt_number_rate(double bps, const struct rt_dash_units *units, unsigned width,
		     char text[RT_NUMBER_BYTES])
{
	return rt_number_scaled(units->bytes ? bps / 8 : bps, units->iec, width, text);
}

char *rt_number_percent(double percent, char text[RT_NUMBER_BYTES])
{
	if (isnan(percent))
		return strcpy(text, "-");
	if (percent <= 0)
		return strcpy(text, "0%");
	if (percent < 0.1)
		return strcpy(text, "<.1%");
	snprintf(text, RT_NUMBER_BYTES, percent < 9.95 ? "%.1f%%" : "%.0f%%", percent);
	return text;
}

char *rt_number_time(uint64_t ns, char text[RT_NUMBER_BYTES])
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} rows[] = {
		{ UINT64_C(86400000000000), "d" }, { UINT64_C(3600000000000), "h" },
		{ UINT64_C(60000000000), "min" },  { UINT64_C(1000000000), "s" },
		{ UINT64_C(1000000), "ms" },       { UINT64_C(1000), "us" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ns >= rows[i].ns) {
			const double value = (double)ns / (double)rows[i].ns;

			snprintf(text, RT_NUMBER_BYTES,
				 value < 9.95 ? "%.3g %s" : "%.0f %s",
				 value < 9.95 ? round(value * 10) / 10 : value,
				 rows[i].unit);
			return text;
		}
	snprintf(text, RT_NUMBER_BYTES, "%" PRIu64 " ns", ns);
	return text;
}

char *rt_number_speed(double speed, char text[RT_NUMBER_BYTES])
{
	if (speed > 0 && speed < 0.1)
		snprintf(text, RT_NUMBER_BYTES, "1/%.0f", 1 / speed);
	else
		snprintf(text, RT_NUMBER_BYTES, "%g", speed);
	return text;
}
