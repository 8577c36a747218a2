/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments: dates, and what passed in a world that began with the epoch. */
#include "unit.h"

#include <string.h>

#include "base/own.h"
#include "base/when.h"

static void test_moments_are_dates_or_what_passed(void **state)
{
	static const struct {
		int64_t wall_ns;
		const char *full, *clock;
		bool date;
	} cases[] = {
		{ INT64_C(1772352025123456789), "2026-03-01T08:00:25.123Z", "08:00:25",
		  true },
		{ INT64_C(86400000000000), "1970-01-02T00:00:00.000Z", "00:00:00",
		  true },
		{ INT64_C(86399999999999), "86399999999.999 us", "86399 s", false },
		{ INT64_C(100000000000), "100000000.000 us", "100 s", false },
		{ INT64_C(99999999999), "99999999.999 us", "99999 ms", false },
		{ INT64_C(1680020), "1680.020 us", "1680 us", false },
		{ INT64_C(20000), "20.000 us", "20 us", false },
		{ 0, "0.000 us", "0 us", false },
		{ -1, "-", "-", false },
		{ INT64_MIN, "-", "-", false },
		{ INT64_MAX, "2262-04-11T23:47:16.854Z", "23:47:16", true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char text[RT_WHEN_BYTES];

		assert_string_equal(rt_when_write(cases[i].wall_ns, text),
				    cases[i].full);
		assert_string_equal(rt_when_write_clock(cases[i].wall_ns, text),
				    cases[i].clock);
		assert_true(strlen(text) <= 8);
		assert_int_equal(rt_when_is_date(cases[i].wall_ns), cases[i].date);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_moments_are_dates_or_what_passed))
