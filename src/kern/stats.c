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
	*stats = (struct rt_stats){ 0 };
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c) != 0;
}

int rt_stats_add(struct rt_stats *stats, const char *name, size_t bytes, uint64_t value)
{
	struct rt_stat *grown;

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
	if (stats->count == RT_STATS_MAX)
		return -E2BIG;
	grown = rt_grow(stats->items, stats->count, &stats->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	stats->items = grown;
	grown = &stats->items[stats->count++];
	memset(grown, 0, sizeof(*grown));
	memcpy(grown->name, name, bytes);
	grown->value = value;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct rt_stat *one = a, *two = b;

	return strcmp(one->name, two->name);
}

void rt_stats_sort(struct rt_stats *stats)
{
	if (stats->count)
		qsort(stats->items, stats->count, sizeof(*stats->items), by_name);
}

const struct rt_stat *rt_stats_find(const struct rt_stats *stats, const char *name)
{
	size_t low = 0, high = stats->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(stats->items[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < stats->count && strcmp(stats->items[low].name, name) == 0
		       ? &stats->items[low]
		       : NULL;
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

	stats->count = 0;
	while (bytes && r == 0) {
		const char *end = memchr(text, '\n', bytes);
		const size_t line = end ? (size_t)(end - text) : bytes;
		const size_t step = end ? line + 1 : line;

		r = parse_line(text, line, stats);
		text += step;
		bytes -= step;
	}
	if (r < 0)
		stats->count = 0;
	rt_stats_sort(stats);
	return r;
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
