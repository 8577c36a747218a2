/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/units.h"

static void test_unit_parse_reads_what_people_write(void **state)
{
	static const struct {
		enum rt_unit unit;
		const char *text;
		int result;
		uint64_t value;
	} cases[] = {
		{ RT_UNIT_BPS, "400G", 0, 400000000000 },
		{ RT_UNIT_BPS, "100Gbps", 0, 100000000000 },
		{ RT_UNIT_BPS, "40Mb/s", 0, 40000000 },
		{ RT_UNIT_BPS, "2.5Gbit/s", 0, 2500000000 },
		{ RT_UNIT_BPS, "400Q", -EINVAL, 0 },
		{ RT_UNIT_BYTES, "400KB", 0, 400000 },
		{ RT_UNIT_BYTES, "400KiB", 0, 409600 },
		{ RT_UNIT_BYTES, "371348B", 0, 371348 },
		{ RT_UNIT_BYTES, "1.5KB", 0, 1500 },
		{ RT_UNIT_BYTES, "0.5B", -ERANGE, 0 },
		{ RT_UNIT_BYTES, "-1", -EINVAL, 0 },
		{ RT_UNIT_BYTES, "", -EINVAL, 0 },
		{ RT_UNIT_BYTES, "1e6", -EINVAL, 0 },
		{ RT_UNIT_BYTES, "9223372036854775807B", 0, INT64_MAX },
		{ RT_UNIT_BYTES, "9223372036854775808B", -ERANGE, 0 },
		{ RT_UNIT_BYTES, "18446744073709551615B", -ERANGE, 0 },
		{ RT_UNIT_RATIO, "18446744073709551615/3", -ERANGE, 0 },
		{ RT_UNIT_RATIO, "0.000000000000000001/536870912", 0, 0 },
		{ RT_UNIT_RATIO, "0.000000000000000001/18", 0, 0 },
		{ RT_UNIT_BYTES, "18446744073709551616B", -EINVAL, 0 },
		{ RT_UNIT_BYTES, "400kB", 0, 400000 },
		{ RT_UNIT_BYTES, "0", 0, 0 },
		{ RT_UNIT_BPS, "0", 0, 0 },
		{ RT_UNIT_NS, "0", 0, 0 },
		{ RT_UNIT_PS, "0.0", 0, 0 },
		{ RT_UNIT_LENGTH, "0", 0, 0 },
		{ RT_UNIT_LENGTH, "4cm", 0, 40 },
		{ RT_UNIT_MTU, "4096", 0, 4096 },
		{ RT_UNIT_MTU, "9KB", 0, 9000 },
		{ RT_UNIT_BPS, "100GBIT/S", 0, 100000000000 },
		{ RT_UNIT_BYTES, "18446744074GB", -ERANGE, 0 },
		{ RT_UNIT_NS, "4us", 0, 4000 },
		{ RT_UNIT_NS, "100 ms", 0, 100000000 },
		{ RT_UNIT_PS, "55us", 0, 55000000 },
		{ RT_UNIT_PCT, "20%", 0, 200000000 },
		{ RT_UNIT_PCT, "0.2", -EINVAL, 0 },
		{ RT_UNIT_RATIO, "1/8", 0, 125000000 },
		{ RT_UNIT_RATIO, "8", 0, 8000000000 },
		{ RT_UNIT_RATIO, "1/3", 0, 333333333 },
		{ RT_UNIT_RATIO, "1/0", -EINVAL, 0 },
		{ RT_UNIT_LENGTH, "40m", 0, 40000 },
		{ RT_UNIT_LENGTH, "2.5m", 0, 2500 },
		{ RT_UNIT_COUNT, "16", 0, 16 },
		{ RT_UNIT_COUNT, "16x", -EINVAL, 0 },
		{ RT_UNIT_NONE, "0x6a", 0, 106 },
		{ RT_UNIT_NONE, "0X6A", 0, 106 },
		{ RT_UNIT_NONE, "0x7FFFFFFFFFFFFFFF", 0, INT64_MAX },
		{ RT_UNIT_NONE, "0xFFFFFFFFFFFFFFFF", -EINVAL, 0 },
		{ RT_UNIT_NONE, "0x10000000000000000", -EINVAL, 0 },
		{ RT_UNIT_NONE, "0x", -EINVAL, 0 },
		{ RT_UNIT_NONE, "0x6g", -EINVAL, 0 },
		{ RT_UNIT_NONE, "106.5", -ERANGE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		uint64_t value = 0;
		int r = rt_unit_parse(cases[i].unit, cases[i].text, &value, &err);

		print_message("# %s: %d %s\n", cases[i].text, r, err.msg);
		assert_int_equal(r, cases[i].result);
		assert_int_equal(err.code, cases[i].result);
		assert_true(value == cases[i].value);
	}
}

/* Without its unit, or with one that means something else, nothing is guessed. */
static void test_unit_parse_guesses_no_unit(void **state)
{
	static const struct {
		enum rt_unit unit;
		const char *text, *says;
	} cases[] = {
		{ RT_UNIT_BYTES, "400", "400 of what? write 400KB or 400B" },
		{ RT_UNIT_BYTES, "6180", "6180 of what? write 6180B or 6180KB" },
		{ RT_UNIT_BYTES, "1.5", "1.5 of what? write 1.5KB" },
		{ RT_UNIT_BPS, "40", "40 of what? write 40Gb/s or 40Mb/s" },
		{ RT_UNIT_PPS, "4", "4 of what? write 4Mpps or 4pps" },
		{ RT_UNIT_NS, "55", "55 of what? write 55us or 55ms" },
		{ RT_UNIT_PS, "4", "4 of what? write 4us or 4ms" },
		{ RT_UNIT_LENGTH, "40", "40 of what? write 40m" },
		{ RT_UNIT_BPS, "100GB/s",
		  "'100GB/s' counts bytes (B), a rate counts bits: write 100Gb/s, or "
		  "800Gb/s if bytes are meant" },
		{ RT_UNIT_BPS, "100GBps",
		  "'100GBps' counts bytes (B), a rate counts bits: write 100Gb/s, or "
		  "800Gb/s if bytes are meant" },
		{ RT_UNIT_BPS, "64KiB/s",
		  "'64KiB/s' counts bytes (B), a rate counts bits: write 64Kb/s, or "
		  "524.288kb/s if bytes are meant" },
		{ RT_UNIT_BPS, "100GB",
		  "'100GB' counts bytes (B), a rate counts bits: write 100Gb/s, or "
		  "800Gb/s if bytes are meant" },
		{ RT_UNIT_BYTES, "400Mb",
		  "'400Mb' counts bits (b), a size counts bytes: write 400MB" },
		{ RT_UNIT_BYTES, "64b",
		  "'64b' counts bits (b), a size counts bytes: write 64B" },
		{ RT_UNIT_BYTES, "1Mbit",
		  "'1Mbit' counts bits (b), a size counts bytes: write 1MB" },
		{ RT_UNIT_MTU, "9kb",
		  "'9kb' counts bits (b), a size counts bytes: write 9kB" },
		{ RT_UNIT_LENGTH, "40M", "'40M' is not a length: write 40m" },
		{ RT_UNIT_LENGTH, "40q", "'40q' is not a length such as 40m" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		uint64_t value = 77;

		assert_int_equal(
			rt_unit_parse(cases[i].unit, cases[i].text, &value, &err),
			-EINVAL);
		assert_string_equal(err.msg, cases[i].says);
		assert_true(value == 77);
	}
}

static void test_unit_format_exact_is_read_back_as_it_was(void **state)
{
	static const uint64_t values[] = {
		0,      1,       999,       1000,         1001,          1500,
		371348, 4000000, 333333333, 400000000000, 12345678901234
	};
	static const enum rt_unit units[] = {
		RT_UNIT_COUNT, RT_UNIT_BYTES, RT_UNIT_BPS,    RT_UNIT_NS, RT_UNIT_PS,
		RT_UNIT_PCT,   RT_UNIT_RATIO, RT_UNIT_LENGTH, RT_UNIT_MTU
	};

	(void)state;
	for (size_t u = 0; u < RT_ARRAY_SIZE(units); u++)
		for (size_t i = 0; i < RT_ARRAY_SIZE(values); i++) {
			char text[RT_UNIT_TEXT_BYTES];
			uint64_t back = 0;

			rt_unit_format_exact(units[u], values[i], text);
			assert_int_equal(rt_unit_parse(units[u], text, &back, NULL), 0);
			assert_true(back == values[i]);
		}
}

static void test_unit_format_is_short(void **state)
{
	static const struct {
		enum rt_unit unit;
		uint64_t value;
		const char *text;
	} cases[] = {
		{ RT_UNIT_BPS, 400000000000, "400Gb/s" },
		{ RT_UNIT_BPS, 98123456789, "98.12Gb/s" },
		{ RT_UNIT_BYTES, 371348, "371.348KB" },
		{ RT_UNIT_BYTES, 9216, "9216B" },
		{ RT_UNIT_BYTES, 59757, "59757B" },
		{ RT_UNIT_BYTES, 9000, "9KB" },
		{ RT_UNIT_BYTES, 12000144, "12.00MB" },
		{ RT_UNIT_NS, 1423960, "1.424ms" },
		{ RT_UNIT_NS, 151408, "151.4us" },
		{ RT_UNIT_NS, 0, "0ns" },
		{ RT_UNIT_NS, 55000, "55us" },
		{ RT_UNIT_PCT, 50000000, "5%" },
		{ RT_UNIT_RATIO, 125000000, "1/8" },
		{ RT_UNIT_LENGTH, 40000, "40m" },
		{ RT_UNIT_MTU, 4096, "4096B" },
		{ RT_UNIT_MTU, 9000, "9000B" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char text[RT_UNIT_TEXT_BYTES];

		assert_string_equal(rt_unit_format(cases[i].unit, cases[i].value, text),
				    cases[i].text);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_unit_parse_reads_what_people_write),
	     cmocka_unit_test(test_unit_parse_guesses_no_unit),
	     cmocka_unit_test(test_unit_format_exact_is_read_back_as_it_was),
	     cmocka_unit_test(test_unit_format_is_short))
