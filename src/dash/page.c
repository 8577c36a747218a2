/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/page.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "dash/glyphs.h"

struct rt_box rt_page_line(struct rt_page *page)
{
	const unsigned at = page->line++;
	struct rt_box box = page->body;

	box.row = at >= page->first && at - page->first < page->rows
			  ? page->body.row + at - page->first
			  : UINT_MAX;
	return box;
}

/* Bytes of text that go into a line of so many columns; all of a word if it must. */
static size_t line_bytes(const char *text, size_t columns)
{
	size_t fits = 0, at = 0;

	while (text[at]) {
		const size_t word = strcspn(text + at, " \n");

		if (at + word > columns)
			break;
		fits = at + word;
		if (text[fits] != ' ')
			return fits;
		at = fits + 1;
	}
	return fits ? fits : strlen(text) < columns ? strlen(text) : columns;
}

void rt_page_text(struct rt_page *page, unsigned indent, unsigned style,
		  const char *text)
{
	const unsigned width = page->body.width > indent + 8 ? page->body.width - indent
							     : 8;

	while (*text) {
		const size_t bytes = line_bytes(text, width);
		struct rt_box box = rt_page_line(page);
		char line[512];

		box.column += indent;
		box.width = width;
		snprintf(line, sizeof(line), "%.*s", (int)bytes, text);
		rt_canvas_put(page->canvas, box, style, line);
		text += bytes;
		text += *text == ' ' || *text == '\n';
	}
}

void rt_page_heading(struct rt_page *page, const char *text)
{
	const unsigned length = (unsigned)strlen(text);
	struct rt_box box;

	if (page->line)
		rt_page_line(page);
	box = rt_page_line(page);
	rt_canvas_put(page->canvas, box, RT_STYLE_STRONG, text);
	if (box.width > length + 1) {
		box.column += length + 1;
		box.width -= length + 1;
		rt_draw_rule(page->canvas, box, RT_STYLE_DIM);
	}
}
