/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int rt_canvas_resize(struct rt_canvas *canvas, unsigned rows, unsigned columns)
{
	const size_t wanted = (size_t)rows * columns;

	if (wanted > canvas->capacity) {
		struct rt_cell *grown = realloc(canvas->cells,
						wanted * sizeof(*canvas->cells));

		if (!grown)
			return -ENOMEM;
		canvas->cells = grown;
		canvas->capacity = wanted;
	}
	canvas->rows = rows;
	canvas->columns = columns;
	for (size_t i = 0; i < wanted; i++)
		canvas->cells[i] = (struct rt_cell){ ' ', RT_STYLE_PLAIN };
	return 0;
}

void rt_canvas_free(struct rt_canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct rt_canvas){ 0 };
}

void rt_canvas_set(struct rt_canvas *canvas, unsigned row, unsigned column,
		   unsigned style, uint32_t character)
{
	if (row < canvas->rows && column < canvas->columns)
		canvas->cells[(size_t)row * canvas->columns + column] =
			(struct rt_cell){ character, (uint8_t)style };
}

void rt_canvas_mark(struct rt_canvas *canvas, struct rt_box box, unsigned bits)
{
	for (unsigned i = 0; i < box.width; i++)
		if (box.row < canvas->rows && box.column + i < canvas->columns)
			canvas->cells[(size_t)box.row * canvas->columns + box.column +
				      i]
				.style |= (uint8_t)bits;
}

/* --- text ------------------------------------------------------------------------------- */

/*
 * Scripts whose letters take one column in every terminal.  The others may take two, or
 * none, and which is a matter of taste: they would break the columns.
 */
static bool takes_one_column(uint32_t character)
{
	return (character >= 0x20 && character < 0x7f) ||
	       (character >= 0xa1 && character < 0x300 && character != 0xad) ||
	       (character >= 0x370 && character < 0x483) ||
	       (character >= 0x48a && character < 0x530);
}

/* The next character of well-formed UTF-8 (rt_text_utf8_length()), and its bytes. */
static uint32_t decode(const char *text, size_t *ret_bytes)
{
	const uint8_t first = (uint8_t)*text;
	const size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t character = bytes == 1 ? first : first & (0x7fu >> bytes);

	for (size_t i = 1; i < bytes; i++)
		character = character << 6 | ((uint8_t)text[i] & 0x3f);
	*ret_bytes = bytes;
	return character;
}

/* What may be shown of what stands at text; each bad byte is a question mark. */
static uint32_t next_character(const struct rt_canvas *canvas, const char **text)
{
	size_t left = strnlen(*text, 4), bytes = 1;
	uint32_t character = '?';

	while (left && rt_text_utf8_length(*text, left) == 0)
		left--;
	if (left)
		character = decode(*text, &bytes);
	*text += bytes;
	return takes_one_column(character) && (!canvas->ascii || character < 0x80)
		       ? character
		       : '?';
}

static unsigned count_characters(const struct rt_canvas *canvas, const char *text)
{
	unsigned count = 0;

	while (*text) {
		next_character(canvas, &text);
		count++;
	}
	return count;
}

unsigned rt_canvas_put(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		       const char *text)
{
	unsigned used = 0;

	while (*text && used < box.width) {
		uint32_t character = next_character(canvas, &text);

		if (*text && used + 1 == box.width)
			character = canvas->ascii ? '~' : 0x2026; /* ellipsis */
		rt_canvas_set(canvas, box.row, box.column + used++, style, character);
	}
	return used;
}

unsigned rt_canvas_put_right(struct rt_canvas *canvas, struct rt_box box,
			     unsigned style, const char *text)
{
	const unsigned count = count_characters(canvas, text);

	if (count < box.width) {
		box.column += box.width - count;
		box.width = count;
	}
	return rt_canvas_put(canvas, box, style, text);
}

unsigned rt_canvas_printf(struct rt_canvas *canvas, struct rt_box box, unsigned style,
			  const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return rt_canvas_put(canvas, box, style, text);
}

size_t rt_character_utf8(uint32_t character, char bytes[5])
{
	static const uint8_t leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const size_t count = character < 0x80      ? 1
			     : character < 0x800   ? 2
			     : character < 0x10000 ? 3
						   : 4;

	for (size_t i = count; i-- > 1; character >>= 6)
		bytes[i] = (char)(0x80 | (character & 0x3f));
	bytes[0] = (char)(leads[count] | character);
	bytes[count] = '\0';
	return count;
}

char *rt_canvas_text(const struct rt_canvas *canvas)
{
	char *text = malloc((size_t)canvas->rows * (canvas->columns * 4 + 1) + 5);
	size_t used = 0;

	for (unsigned row = 0; text && row < canvas->rows; row++) {
		size_t end = used;

		for (unsigned i = 0; i < canvas->columns; i++) {
			const uint32_t character =
				canvas->cells[(size_t)row * canvas->columns + i]
					.character;

			used += rt_character_utf8(character, text + used);
			if (character != ' ')
				end = used;
		}
		used = end;
		text[used++] = '\n';
	}
	if (text)
		text[used] = '\0';
	return text;
}
