/* SPDX-License-Identifier: BSD-2-Clause */
/* stats.c - lists of statistics: filling, finding, and their text. */
#include "kern/stats.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"

void rt_stats_free(struct rt_stats *stats)
{
	free(stats->values);
	free(stats->names);
	free(stats->starts);
	free(stats->sorted);
	*stats = (struct rt_stats){ 0 };
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c) != 0;
}

void rt_stats_begin(struct rt_stats *stats)
{
	stats->count = 0;
}

static size_t name_bytes(const struct rt_stats *stats, size_t place)
{
	return stats->starts[place + 1] - stats->starts[place] - 1;
}

/* Room for one more name of so many bytes, and its value. */
static int make_room(struct rt_stats *stats, size_t bytes)
{
	const size_t count = stats->count, end = count ? stats->starts[count] : 0;
	uint64_t *values = rt_grow(stats->values, count, &stats->capacity,
				   sizeof(*values));
	uint32_t *starts;
	char *names = stats->names;

	if (values)
		stats->values = values;
	starts = rt_grow(stats->starts, count + 1, &stats->starts_capacity,
			 sizeof(*starts));
	if (starts)
		stats->starts = starts;
	if (end + bytes + 1 > stats->names_capacity) {
		names = realloc(names, (end + bytes + 1) * 2);
		if (names) {
			stats->names = names;
			stats->names_capacity = (end + bytes + 1) * 2;
		}
	}
	return values && starts && names ? 0 : -ENOMEM;
}

/* Another name at this place than before: those behind it are not known any more. */
static int rename_item(struct rt_stats *stats, const char *name, size_t bytes)
{
	const size_t count = stats->count;
	uint32_t start;
	int r;

	if (count == RT_STATS_MAX)
		return -E2BIG;
	r = make_room(stats, bytes);
	if (r < 0)
		return r;
	if (count == 0)
		stats->starts[0] = 0;
	start = stats->starts[count];
	memcpy(&stats->names[start], name, bytes);
	stats->names[start + bytes] = '\0';
	stats->starts[count + 1] = start + (uint32_t)bytes + 1;
	stats->named = count + 1;
	stats->changed = true;
	return 0;
}

/* The name that came at this place the last time is this one. */
static bool was_named(const struct rt_stats *stats, const char *name, size_t bytes)
{
	const size_t count = stats->count;

	return count < stats->named && name_bytes(stats, count) == bytes &&
	       memcmp(rt_stats_name(stats, count), name, bytes) == 0;
}

int rt_stats_add(struct rt_stats *stats, const char *name, size_t bytes, uint64_t value)
{
	int r = 0;

	bytes = strnlen(name, bytes);
	while (bytes && is_blank(*name)) {
		name++;
		bytes--;
	}
	while (bytes && is_blank(name[bytes - 1]))
		bytes--;
	if (bytes == 0)
		return 0;
	if (bytes >= RT_STAT_NAME_BYTES)
		bytes = RT_STAT_NAME_BYTES - 1;
	if (!was_named(stats, name, bytes))
		r = rename_item(stats, name, bytes);
	if (r == 0)
		stats->values[stats->count++] = value;
	return r;
}

/* Of two of one name the first that came. */
static int by_name(const void *a, const void *b, void *context)
{
	const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
	const struct rt_stats *stats = context;
	const int r = strcmp(rt_stats_name(stats, one), rt_stats_name(stats, two));

	return r ? r : (one > two) - (one < two);
}

static int sort(struct rt_stats *stats)
{
	if (stats->sorted_capacity < stats->count) {
		uint32_t *grown = realloc(stats->sorted,
					  stats->capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		stats->sorted = grown;
		stats->sorted_capacity = stats->capacity;
	}
	for (uint32_t i = 0; i < stats->count; i++)
		stats->sorted[i] = i;
	if (stats->count)
		qsort_r(stats->sorted, stats->count, sizeof(*stats->sorted), by_name,
			stats);
	stats->sorted_count = stats->named = stats->count;
	stats->changed = false;
	stats->layout++;
	return 0;
}

int rt_stats_end(struct rt_stats *stats, int result)
{
	if (result == 0 && (stats->changed || stats->count != stats->sorted_count))
		result = sort(stats);
	if (result < 0)
		stats->count = 0;
	stats->filled++;
	stats->has_print = false;
	return result;
}

const uint64_t *rt_stats_find(const struct rt_stats *stats, const char *name)
{
	size_t low = 0, high = stats->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(rt_stats_name(stats, stats->sorted[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == stats->count ||
	    strcmp(rt_stats_name(stats, stats->sorted[low]), name) != 0)
		return NULL;
	return &stats->values[stats->sorted[low]];
}

/* --- text ---------------------------------------------------------------------------- */

/* All of the text, blanks around it aside, as a decimal number. */
static bool read_number(const char *text, size_t bytes, uint64_t *ret_number)
{
	uint64_t number = 0;
	bool any = false;

	for (; bytes && is_blank(*text); bytes--)
		text++;
	for (; bytes && isdigit((unsigned char)*text); bytes--, any = true) {
		const unsigned digit = (unsigned)(*text++ - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	for (; bytes && is_blank(*text); bytes--)
		text++;
	*ret_number = number;
	return any && bytes == 0;
}

/*
 * A line that is as it was but for its digits: blanks, the name, ": ", a number.  Writes
 * its value, and returns how many bytes it has; 0: it is another one, or not so plain.
 */
static size_t follow_line(struct rt_stats *stats, const char *line, size_t bytes)
{
	const char *at = line, *end = line + bytes, *digits;
	uint64_t number = 0;
	size_t length;

	if (stats->count >= stats->named)
		return 0;
	length = name_bytes(stats, stats->count);
	while (at < end && *at == ' ')
		at++;
	/* At least a colon, a blank, a digit and the line's end. */
	if ((size_t)(end - at) < length + 4 || at[length] != ':' ||
	    at[length + 1] != ' ' ||
	    memcmp(at, rt_stats_name(stats, stats->count), length) != 0)
		return 0;
	digits = at += length + 2;
	while (at < end && *at >= '0' && *at <= '9')
		number = number * 10 + (unsigned)(*at++ - '0');
	/* Up to 19 digits fit whatever they are. */
	if (at == end || *at != '\n' || at == digits || at - digits > 19)
		return 0;
	stats->values[stats->count++] = number;
	return (size_t)(at + 1 - line);
}

/* The number is behind the last colon: "[0]: rx_ucast_packets: 10". */
static int parse_line(const char *line, size_t bytes, struct rt_stats *stats)
{
	const char *colon = memrchr(line, ':', bytes);
	uint64_t value;

	if (!colon ||
	    !read_number(colon + 1, bytes - (size_t)(colon + 1 - line), &value))
		return 0;
	return rt_stats_add(stats, line, (size_t)(colon - line), value);
}

/*
 * Most devices of a host stand still, and then so does their text.  It is known again by
 * 128 bits of a hash: what it was before is not read, nor kept.
 */
static struct rt_stats_print print_of(const char *text, size_t bytes)
{
	uint64_t one = bytes, other = ~(uint64_t)bytes, words[2];

	for (; bytes >= sizeof(words); bytes -= sizeof(words), text += sizeof(words)) {
		memcpy(words, text, sizeof(words));
		one = rt_hash_fold(one ^ words[0], words[1]);
		other = rt_hash_fold(other ^ words[1], words[0]);
	}
	memset(words, 0, sizeof(words));
	memcpy(words, text, bytes);
	return (struct rt_stats_print){ rt_hash_fold(one ^ words[0], words[1]),
					rt_hash_fold(other ^ words[1], words[0]) };
}

static bool is_as_before(const struct rt_stats *stats, struct rt_stats_print print)
{
	return stats->has_print && stats->print.one == print.one &&
	       stats->print.other == print.other;
}

int rt_stats_parse(const char *text, size_t bytes, struct rt_stats *stats)
{
	const struct rt_stats_print print = print_of(text, bytes);
	int r = 0;

	if (is_as_before(stats, print)) {
		stats->count = stats->sorted_count;
		return 0;
	}
	rt_stats_begin(stats);
	while (bytes && r == 0) {
		size_t step = follow_line(stats, text, bytes);

		if (step == 0) {
			const char *end = memchr(text, '\n', bytes);
			const size_t line = end ? (size_t)(end - text) : bytes;

			r = parse_line(text, line, stats);
			step = end ? line + 1 : line;
		}
		text += step;
		bytes -= step;
	}
	r = rt_stats_end(stats, r);
	stats->has_print = r == 0;
	stats->print = print;
	return r;
}

char *rt_stats_text(const struct rt_stats *stats, size_t *ret_bytes)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, ret_bytes);

	if (!to)
		return NULL;
	for (size_t i = 0; i < stats->count; i++)
		fprintf(to, "%s: %" PRIu64 "\n", rt_stats_name(stats, i),
			stats->values[i]);
	if (fclose(to) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
