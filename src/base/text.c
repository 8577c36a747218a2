/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"

#define WORD_MAX 48

const char *rt_name_of(const struct rt_name *names, unsigned value)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

bool rt_text_lists(const char *list, const char *word)
{
	const size_t bytes = strlen(word);

	for (const char *at = list; bytes && *at; at += strcspn(at, ", ")) {
		at += strspn(at, ", ");
		if (strcspn(at, ", ") == bytes && memcmp(at, word, bytes) == 0)
			return true;
	}
	return false;
}

const struct rt_name *rt_name_find(const struct rt_name *names, const char *name)
{
	for (; names->name; names++)
		if (strcmp(names->name, name) == 0)
			return names;
	return NULL;
}

/* Levenshtein distance over two rows; both words are at most WORD_MAX long. */
static size_t edit_distance(const char *a, const char *b)
{
	const size_t a_len = strlen(a), b_len = strlen(b);
	size_t row[WORD_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b_len];
}

const char *rt_text_nearest(const char *word, const char *const *words, size_t count)
{
	const char *nearest = NULL;
	const size_t len = strlen(word);
	size_t best = len <= 3 ? 2 : len / 3 + 2;

	if (len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t distance;

		if (strlen(words[i]) > WORD_MAX)
			continue;
		distance = edit_distance(word, words[i]);
		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}

/* Length of the well-formed sequence at text, 0 when there is none. */
static size_t utf8_sequence(const uint8_t *at, size_t left)
{
	const uint8_t lead = at[0];
	const size_t length = lead < 0x80   ? 1
			      : lead < 0xC2 ? 0
			      : lead < 0xE0 ? 2
			      : lead < 0xF0 ? 3
			      : lead < 0xF5 ? 4
					    : 0;

	if (length == 0 || length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xC0) != 0x80)
			return 0;
	if ((lead == 0xE0 && at[1] < 0xA0) || (lead == 0xED && at[1] > 0x9F) ||
	    (lead == 0xF0 && at[1] < 0x90) || (lead == 0xF4 && at[1] > 0x8F))
		return 0;
	return length;
}

size_t rt_text_utf8_length(const char *text, size_t bytes)
{
	size_t good = 0;

	while (good < bytes) {
		size_t length = utf8_sequence((const uint8_t *)text + good,
					      bytes - good);

		if (length == 0)
			break;
		good += length;
	}
	return good;
}

/*
 * Characters that are not seen and change what is: controls, and of Unicode's category
 * Cf those that turn the direction of text, join or part words or hide (UAX #9, UAX
 * #44), with the line and paragraph separators.
 */
static const struct {
	uint32_t first, last;
} unseen[] = {
	{ 0x00, 0x1F },       { 0x7F, 0x9F },     { 0x061C, 0x061C },
	{ 0x180E, 0x180E },   { 0x200B, 0x200F }, { 0x2028, 0x202E },
	{ 0x2060, 0x206F },   { 0xFEFF, 0xFEFF }, { 0xFFF9, 0xFFFB },
	{ 0xE0000, 0xE007F },
};

static uint32_t character_of(const uint8_t *at, size_t length)
{
	uint32_t character = length == 1 ? at[0] : at[0] & (0x7Fu >> length);

	for (size_t i = 1; i < length; i++)
		character = character << 6 | (at[i] & 0x3F);
	return character;
}

size_t rt_text_unseen(const char *text, size_t bytes, uint32_t *ret_character)
{
	const uint8_t *at = (const uint8_t *)text;
	const size_t length = utf8_sequence(at, bytes);
	uint32_t character;

	if (length == 0 || (at[0] >= 0x20 && at[0] < 0x7F))
		return 0;
	character = character_of(at, length);
	for (size_t i = 0; i < RT_ARRAY_SIZE(unseen); i++)
		if (character >= unseen[i].first && character <= unseen[i].last) {
			*ret_character = character;
			return length;
		}
	return 0;
}

size_t rt_text_bom(const char *text, size_t bytes)
{
	return bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* Past what needs no look: mostly all of it, and each finding of each tick comes by. */
static char *skip_plain(char *text)
{
	while (*text >= 0x20 && *text < 0x7F)
		text++;
	return text;
}

char *rt_text_clean(char *text)
{
	char *to = skip_plain(text);
	size_t left = strlen(to);
	uint32_t character;

	for (const char *from = to; left;) {
		const size_t length = utf8_sequence((const uint8_t *)from, left);

		if (length == 0 || rt_text_unseen(from, left, &character))
			*to++ = '?';
		else
			for (size_t i = 0; i < length; i++)
				*to++ = from[i];
		from += length ? length : 1;
		left -= length ? length : 1;
	}
	*to = '\0';
	return text;
}

void rt_line_put(struct rt_line *line, const char *fmt, ...)
{
	const size_t room = line->capacity - line->used;
	va_list args;
	int bytes;

	va_start(args, fmt);
	bytes = vsnprintf(line->text + line->used, room, fmt, args);
	va_end(args);
	if (bytes > 0)
		line->used += (size_t)bytes < room ? (size_t)bytes : room - 1;
}
