/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/when.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_NS    INT64_C(86400000000000)
#define SECOND_NS INT64_C(1000000000)

bool rt_when_is_date(int64_t wall_ns)
{
	return wall_ns >= DAY_NS;
}

static struct tm utc_of(int64_t wall_ns)
{
	const time_t seconds = (time_t)(wall_ns / SECOND_NS);
	struct tm utc = { 0 };

	gmtime_r(&seconds, &utc); /* years of 64 bits of nanoseconds have four digits */
	return utc;
}

char *rt_when_write(int64_t wall_ns, char text[RT_WHEN_BYTES])
{
	struct tm utc;
	size_t used;

	if (wall_ns < 0)
		return strcpy(text, "-");
	if (!rt_when_is_date(wall_ns)) {
		snprintf(text, RT_WHEN_BYTES, "%" PRId64 ".%03d us", wall_ns / 1000,
			 (int)(wall_ns % 1000));
		return text;
	}
	utc = utc_of(wall_ns);
	used = strftime(text, RT_WHEN_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text + used, RT_WHEN_BYTES - used, ".%03dZ",
		 (int)(wall_ns % SECOND_NS / 1000000));
	return text;
}

char *rt_when_write_clock(int64_t wall_ns, char text[RT_WHEN_BYTES])
{
	static const struct {
		int64_t unit_ns;
		const char *unit;
	} rows[] = { { 1000, "us" }, { 1000000, "ms" }, { SECOND_NS, "s" } };
	const struct tm utc = utc_of(wall_ns);
	size_t row = 0;

	if (wall_ns < 0)
		return strcpy(text, "-");
	if (rt_when_is_date(wall_ns)) {
		strftime(text, RT_WHEN_BYTES, "%H:%M:%S", &utc);
		return text;
	}
	/* The finest that leaves at most five digits. */
	while (wall_ns / rows[row].unit_ns >= 100000)
		row++;
	snprintf(text, RT_WHEN_BYTES, "%" PRId64 " %s", wall_ns / rows[row].unit_ns,
		 rows[row].unit);
	return text;
}
