/* SPDX-License-Identifier: BSD-2-Clause */
#include "rocetune/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "rocetune/err.h"

/*
 * One spelling of a unit: value in the base unit = number * mul / div.
 * A row with "" is what a bare number means: sizes, rates and times have none.
 * Rows with show set are used for output, largest first.
 */
struct spelling {
	const char *suffix;
	uint64_t mul, div;
	bool show;
};

#define KILO 1000ull
#define MEGA 1000000ull
#define GIGA 1000000000ull
#define TERA 1000000000000ull

static const struct spelling plain[] = { { "", 1, 1, true }, { 0 } };

static const struct spelling bytes[] = {
	{ "GB", GIGA, 1, true },
	{ "MB", MEGA, 1, true },
	{ "KB", KILO, 1, true },
	{ "B", 1, 1, true },
	{ "KiB", 1ull << 10, 1, false },
	{ "MiB", 1ull << 20, 1, false },
	{ "GiB", 1ull << 30, 1, false },
	{ "G", GIGA, 1, false },
	{ "M", MEGA, 1, false },
	{ "K", KILO, 1, false },
	{ 0 },
};

/* The one size that everybody writes bare. */
static const struct spelling mtu[] = {
	{ "B", 1, 1, true },
	{ "", 1, 1, false },
	{ "KB", KILO, 1, false },
	{ "KiB", 1ull << 10, 1, false },
	{ 0 },
};

static const struct spelling bps[] = {
	{ "Tb/s", TERA, 1, true },
	{ "Gb/s", GIGA, 1, true },
	{ "Mb/s", MEGA, 1, true },
	{ "kb/s", KILO, 1, true },
	{ "b/s", 1, 1, true },
	{ "Tbps", TERA, 1, false },
	{ "Gbps", GIGA, 1, false },
	{ "Mbps", MEGA, 1, false },
	{ "kbps", KILO, 1, false },
	{ "bps", 1, 1, false },
	{ "Tbit/s", TERA, 1, false },
	{ "Gbit/s", GIGA, 1, false },
	{ "Mbit/s", MEGA, 1, false },
	{ "kbit/s", KILO, 1, false },
	{ "Tbit", TERA, 1, false },
	{ "Gbit", GIGA, 1, false },
	{ "Mbit", MEGA, 1, false },
	{ "kbit", KILO, 1, false },
	{ "T", TERA, 1, false },
	{ "G", GIGA, 1, false },
	{ "M", MEGA, 1, false },
	{ "K", KILO, 1, false },
	{ 0 },
};

static const struct spelling pps[] = {
	{ "Mpps", MEGA, 1, true },
	{ "kpps", KILO, 1, true },
	{ "pps", 1, 1, true },
	{ 0 },
};

static const struct spelling ns[] = {
	{ "s", GIGA, 1, true },         { "ms", MEGA, 1, true },
	{ "us", KILO, 1, true },        { "ns", 1, 1, true },
	{ "min", 60 * GIGA, 1, false }, { "h", 3600 * GIGA, 1, false },
	{ "ps", 1, KILO, false },       { 0 },
};

static const struct spelling ps[] = {
	{ "s", TERA, 1, true },
	{ "ms", GIGA, 1, true },
	{ "us", MEGA, 1, true },
	{ "ns", KILO, 1, true },
	{ "ps", 1, 1, true },
	{ "min", 60 * TERA, 1, false },
	{ 0 },
};

static const struct spelling pct[] = { { "%", RT_PPB / 100, 1, true }, { 0 } };

static const struct spelling ratio[] = {
	{ "", RT_PPB, 1, true },
	{ "%", RT_PPB / 100, 1, false },
	{ 0 },
};

static const struct spelling length[] = {
	{ "m", KILO, 1, true },
	{ "cm", 10, 1, false },
	{ "mm", 1, 1, false },
	{ "km", MEGA, 1, false },
	{ 0 },
};

static const struct {
	const struct spelling *spellings;
	const char *name, *example;
	const char *likely[2]; /* what a bare number may lack, likeliest first */
} units[] = {
	[RT_UNIT_NONE] = { plain, "number", "a whole number", { NULL } },
	[RT_UNIT_COUNT] = { plain, "count", "a whole number", { NULL } },
	[RT_UNIT_BYTES] = { bytes,
			    "bytes",
			    "a size such as 400KB or 256KiB",
			    { "KB", "B" } },
	[RT_UNIT_BPS] = { bps,
			  "bits per second",
			  "a rate such as 400G or 40Mb/s",
			  { "Gb/s", "Mb/s" } },
	[RT_UNIT_PPS] = { pps,
			  "packets per second",
			  "a packet rate such as 10Mpps",
			  { "Mpps", "pps" } },
	[RT_UNIT_NS] = { ns,
			 "nanoseconds",
			 "a time such as 55us or 200ms",
			 { "us", "ms" } },
	[RT_UNIT_PS] = { ps,
			 "picoseconds",
			 "a time such as 55us or 200ms",
			 { "us", "ms" } },
	[RT_UNIT_PCT] = { pct,
			  "parts per billion",
			  "a percentage such as 20%",
			  { NULL } },
	[RT_UNIT_RATIO] = { ratio,
			    "parts per billion",
			    "a ratio such as 1/8",
			    { NULL } },
	[RT_UNIT_LENGTH] = { length, "millimetres", "a length such as 40m", { "m" } },
	[RT_UNIT_QUANTA] = { plain,
			     "pause quanta of 512 bit times",
			     "a whole number",
			     { NULL } },
	[RT_UNIT_BITS] = { plain, "bit times", "a whole number", { NULL } },
	[RT_UNIT_MTU] = { mtu, "bytes", "an MTU in bytes such as 4096", { NULL } },
};

const char *rt_unit_name(enum rt_unit unit)
{
	return units[unit].name;
}

const char *rt_unit_example(enum rt_unit unit)
{
	return units[unit].example;
}

/* Digits with at most one point: number = *ret_digits / 10^*ret_decimals. */
static const char *take_number(const char *at, uint64_t *ret_digits,
			       unsigned *ret_decimals)
{
	uint64_t digits = 0;
	unsigned decimals = 0;
	bool point = false, any = false;

	for (; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		if (__builtin_mul_overflow(digits, 10, &digits) ||
		    __builtin_add_overflow(digits, (uint64_t)(*at - '0'), &digits))
			return NULL;
		decimals += point;
		any = true;
	}
	*ret_digits = digits;
	*ret_decimals = decimals;
	return any ? at : NULL;
}

/* M is mega, m is milli or metre: of a length the case decides. */
static const struct spelling *find_spelling(enum rt_unit unit, const char *suffix)
{
	for (const struct spelling *s = units[unit].spellings; s->suffix; s++)
		if ((unit == RT_UNIT_LENGTH ? strcmp : strcasecmp)(s->suffix, suffix) ==
		    0)
			return s;
	return NULL;
}

/* Behind k, M, G, T, Ki and so on; suffix itself when there is no such prefix. */
static const char *skip_prefix(const char *suffix)
{
	if (!*suffix || !strchr("kKmMgGtT", *suffix))
		return suffix;
	return suffix + (suffix[1] == 'i' && suffix[2] == 'B' ? 2 : 1);
}

/* b is a bit where a size is wanted: 400Mb are not 400MB. */
static bool means_bits(enum rt_unit unit, const char *suffix)
{
	const char *at = skip_prefix(suffix);

	return (unit == RT_UNIT_BYTES || unit == RT_UNIT_MTU) &&
	       (strcmp(at, "b") == 0 || strncasecmp(at, "bit", 3) == 0);
}

/* B is a byte where a rate is wanted: 100GB/s are not 100Gb/s. */
static bool means_bytes(enum rt_unit unit, const char *suffix)
{
	const char *at = skip_prefix(suffix);

	return unit == RT_UNIT_BPS && *at == 'B' &&
	       (!at[1] || strcasecmp(at + 1, "/s") == 0 ||
		strcasecmp(at + 1, "ps") == 0);
}

static int scale(uint64_t digits, unsigned decimals, uint64_t mul, uint64_t div,
		 uint64_t *ret_value)
{
	unsigned __int128 top = (unsigned __int128)digits * mul, bottom = div;

	for (; decimals; decimals--)
		bottom *= 10;
	if (top % bottom || top / bottom > INT64_MAX)
		return -ERANGE;
	*ret_value = (uint64_t)(top / bottom);
	return 0;
}

/* digits / 10^decimals / divisor: a third is the nearest part per billion. */
static int scale_fraction(uint64_t digits, unsigned decimals, uint64_t mul,
			  uint64_t divisor, uint64_t *ret_value)
{
	const unsigned __int128 top = (unsigned __int128)digits * mul;
	unsigned __int128 bottom = divisor;

	for (; decimals; decimals--)
		bottom *= 10;
	if ((top + bottom / 2) / bottom > INT64_MAX)
		return -ERANGE;
	*ret_value = (uint64_t)((top + bottom / 2) / bottom);
	return 0;
}

/* The number of text without what follows it, for messages. */
static int number_bytes(const char *text, const char *end)
{
	return (int)(end - text);
}

static int refuse_bare(enum rt_unit unit, const char *text, struct rt_err *err)
{
	const char *const *likely = units[unit].likely;
	/* 6180 is more likely bytes than KB. */
	const bool many = unit == RT_UNIT_BYTES && strcspn(text, ".") > 3;

	if (!likely[0])
		return rt_err_set(err, -EINVAL, "'%s' is not %s", text,
				  units[unit].example);
	if (!likely[1] || strchr(text, '.'))
		return rt_err_set(err, -EINVAL, "%s of what? write %s%s", text, text,
				  likely[0]);
	return rt_err_set(err, -EINVAL, "%s of what? write %s%s or %s%s", text, text,
			  likely[many], text, likely[!many]);
}

static int refuse_byte_rate(const char *text, const char *suffix, struct rt_err *err)
{
	const char *byte = skip_prefix(suffix);
	char size[64], hint[RT_UNIT_TEXT_BYTES] = "";
	uint64_t count;

	snprintf(size, sizeof(size), "%.*s", number_bytes(text, byte + 1), text);
	if (rt_unit_parse(RT_UNIT_BYTES, size, &count, NULL) == 0 &&
	    !__builtin_mul_overflow(count, 8, &count))
		rt_unit_format_exact(RT_UNIT_BPS, count, hint);
	return rt_err_set(
		err, -EINVAL,
		"'%s' counts bytes (B), a rate counts bits: write %.*sb/s%s%s%s", text,
		number_bytes(text, suffix) + (byte != suffix), text,
		*hint ? ", or " : "", hint, *hint ? " if bytes are meant" : "");
}

/* suffix: what stands behind the number of text and is no spelling of the unit. */
static int refuse_suffix(enum rt_unit unit, const char *text, const char *suffix,
			 struct rt_err *err)
{
	const struct spelling *s = units[unit].spellings;

	if (!*suffix)
		return refuse_bare(unit, text, err);
	if (means_bytes(unit, suffix))
		return refuse_byte_rate(text, suffix, err);
	if (means_bits(unit, suffix))
		return rt_err_set(err, -EINVAL,
				  "'%s' counts bits (b), a size counts bytes: write "
				  "%.*sB",
				  text,
				  number_bytes(text, suffix) +
					  (skip_prefix(suffix) != suffix),
				  text);
	while (unit == RT_UNIT_LENGTH && s->suffix && strcasecmp(s->suffix, suffix))
		s++;
	if (unit == RT_UNIT_LENGTH && s->suffix)
		return rt_err_set(err, -EINVAL, "'%s' is not a length: write %.*s%s",
				  text, number_bytes(text, suffix), text, s->suffix);
	return rt_err_set(err, -EINVAL, "'%s' is not %s", text, units[unit].example);
}

/* 0x6a: identifiers and masks are as often written that way. */
static bool take_hex(const char *text, uint64_t *ret_value)
{
	char *end;
	uint64_t value;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') ||
	    !isxdigit((unsigned char)text[2]) || strlen(text) > 2 + 16)
		return false;
	value = strtoull(text + 2, &end, 16);
	if (*end || value > INT64_MAX)
		return false;
	*ret_value = value;
	return true;
}

static int refuse_scale(enum rt_unit unit, const char *text, struct rt_err *err)
{
	if (units[unit].spellings == plain && strchr(text, '.'))
		return rt_err_set(err, -ERANGE, "'%s' is not %s", text,
				  units[unit].example);
	return rt_err_set(err, -ERANGE, "'%s' is out of range, or finer than %s", text,
			  units[unit].name);
}

int rt_unit_parse(enum rt_unit unit, const char *text, uint64_t *ret_value,
		  struct rt_err *err)
{
	const struct spelling *found;
	uint64_t digits, divisor = 1;
	unsigned decimals, none = 0;
	const char *end = take_number(text, &digits, &decimals);

	if (unit == RT_UNIT_NONE && take_hex(text, ret_value))
		return 0;
	if (!end || decimals > 18)
		return rt_err_set(err, -EINVAL, "'%s' is not %s", text,
				  units[unit].example);
	if (unit == RT_UNIT_RATIO && *end == '/') {
		end = take_number(end + 1, &divisor, &none);
		if (!end || none || divisor == 0 || divisor > RT_PPB)
			return rt_err_set(err, -EINVAL, "'%s' is not %s", text,
					  units[unit].example);
	}
	while (*end == ' ')
		end++;
	found = means_bits(unit, end) || means_bytes(unit, end)
			? NULL
			: find_spelling(unit, end);
	/* Nothing of anything is nothing. */
	if (!found && !*end && digits == 0 && units[unit].likely[0])
		found = units[unit].spellings;
	if (!found)
		return refuse_suffix(unit, text, end, err);
	if ((divisor > 1
		     ? scale_fraction(digits, decimals, found->mul, divisor, ret_value)
		     : scale(digits, decimals, found->mul, found->div, ret_value)) < 0)
		return refuse_scale(unit, text, err);
	return 0;
}

/* value in units of s as decimal text with every digit it needs. */
static void print_exact(const struct spelling *s, uint64_t value,
			char buf[RT_UNIT_TEXT_BYTES])
{
	const uint64_t whole = value / s->mul;
	uint64_t part = value % s->mul, step = s->mul;
	int used = snprintf(buf, RT_UNIT_TEXT_BYTES, "%" PRIu64, whole);

	if (part)
		buf[used++] = '.';
	while (part && used < RT_UNIT_TEXT_BYTES - 8) {
		step /= 10;
		buf[used++] = (char)('0' + part / step);
		part %= step;
	}
	snprintf(buf + used, (size_t)(RT_UNIT_TEXT_BYTES - used), "%s", s->suffix);
}

/* An MTU is 9216B, not 9.216KB: small sizes that are no round KB stay in bytes. */
static bool stays_in_bytes(enum rt_unit unit, uint64_t value)
{
	return unit == RT_UNIT_BYTES && value < 100000 && value % 1000;
}

static const struct spelling *pick_spelling(enum rt_unit unit, uint64_t value)
{
	const struct spelling *s = units[unit].spellings, *smallest = s;

	for (; s->suffix && s->show; s++) {
		smallest = s;
		if (value >= s->mul && (s->mul == 1 || !stays_in_bytes(unit, value)))
			return s;
	}
	return smallest;
}

/* 1/8 and its like are said as people say them. */
static bool print_ratio(uint64_t value, char buf[RT_UNIT_TEXT_BYTES])
{
	for (uint64_t below = 2; below <= 512; below *= 2)
		if (value * below == RT_PPB) {
			snprintf(buf, RT_UNIT_TEXT_BYTES, "1/%" PRIu64, below);
			return true;
		}
	return false;
}

char *rt_unit_format_exact(enum rt_unit unit, uint64_t value,
			   char buf[RT_UNIT_TEXT_BYTES])
{
	if (unit == RT_UNIT_RATIO && print_ratio(value, buf))
		return buf;
	print_exact(pick_spelling(unit, value), value, buf);
	return buf;
}

/*
 * Digits that are still read at a glance: sizes are compared and copied to the
 * byte, times and rates are not.
 */
static size_t most_digits(enum rt_unit unit)
{
	return unit == RT_UNIT_BYTES ? 6 : 4;
}

bool rt_unit_is_bare(enum rt_unit unit, const char *text)
{
	return unit == RT_UNIT_MTU && !text[strspn(text, "0123456789.")];
}

char *rt_unit_format(enum rt_unit unit, uint64_t value, char buf[RT_UNIT_TEXT_BYTES])
{
	const struct spelling *s = pick_spelling(unit, value);
	const size_t digits = strlen(rt_unit_format_exact(unit, value, buf));
	double shown;

	if (s->mul == 1 || digits <= strlen(s->suffix) + most_digits(unit) + 1)
		return buf;
	shown = (double)value / (double)s->mul;
	snprintf(buf, RT_UNIT_TEXT_BYTES, "%.*f%s",
		 shown >= 1000  ? 0
		 : shown >= 100 ? 1
		 : shown >= 10  ? 2
				: 3,
		 shown, s->suffix);
	return buf;
}
