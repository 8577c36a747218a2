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

#include "base/own.h"

void rt_stats_free(struct rt_stats *stats)
{
	free(stats->items);
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

/* Another name at this place than before. */
static int rename_item(struct rt_stats *stats, const char *name, size_t bytes)
{
	struct rt_stat *grown;

	if (stats->count == RT_STATS_MAX)
		return -E2BIG;
	grown = rt_grow(stats->items, stats->count, &stats->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	stats->items = grown;
	stats->changed = true;
	memset(grown[stats->count].name, 0, sizeof(grown->name));
	memcpy(grown[stats->count].name, name, bytes);
	return 0;
}

/* The name that came at this place the last time is this one. */
static bool was_named(const struct rt_stats *stats, const char *name, size_t bytes)
{
	const char *was;

	if (stats->count >= stats->sorted_count)
		return false;
	was = stats->items[stats->count].name;
	return memcmp(was, name, bytes) == 0 && was[bytes] == '\0';
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
		stats->items[stats->count++].value = value;
	return r;
}

/* Of two of one name the first that came. */
static int by_name(const void *a, const void *b, void *context)
{
	const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
	const struct rt_stat *items = context;
	const int r = strcmp(items[one].name, items[two].name);

	return r ? r : (one > two) - (one < two);
}

static int sort(struct rt_stats *stats)
{
	if (stats->sorted_capacity < stats->capacity) {
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
			stats->items);
	stats->sorted_count = stats->count;
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
	return result;
}

const struct rt_stat *rt_stats_find(const struct rt_stats *stats, const char *name)
{
	size_t low = 0, high = stats->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(stats->items[stats->sorted[middle]].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == stats->count ||
	    strcmp(stats->items[stats->sorted[low]].name, name) != 0)
		return NULL;
	return &stats->items[stats->sorted[low]];
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
	const char *at = line, *end = line + bytes, *name, *digits;
	uint64_t number = 0;
	size_t length;

	if (stats->count >= stats->sorted_count)
		return 0;
	name = stats->items[stats->count].name;
	length = strlen(name);
	while (at < end && *at == ' ')
		at++;
	/* At least a colon, a blank, a digit and the line's end. */
	if ((size_t)(end - at) < length + 4 || memcmp(at, name, length) != 0 ||
	    at[length] != ':' || at[length + 1] != ' ')
		return 0;
	digits = at += length + 2;
	while (at < end && *at >= '0' && *at <= '9')
		number = number * 10 + (unsigned)(*at++ - '0');
	/* Up to 19 digits fit whatever they are. */
	if (at == end || *at != '\n' || at == digits || at - digits > 19)
		return 0;
	stats->items[stats->count++].value = number;
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

int rt_stats_parse(const char *text, size_t bytes, struct rt_stats *stats)
{
	int r = 0;

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
	return rt_stats_end(stats, r);
}

char *rt_stats_text(const struct rt_stats *stats, size_t *ret_bytes)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, ret_bytes);

	if (!to)
		return NULL;
	for (size_t i = 0; i < stats->count; i++)
		fprintf(to, "%s: %" PRIu64 "\n", stats->items[i].name,
			stats->items[i].value);
	if (fclose(to) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
