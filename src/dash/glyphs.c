/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/glyphs.h"

#include <math.h>

/* U+2581 to U+2588 and U+258F to U+2588: Unicode, Block Elements. */
static const struct rt_glyphs unicode = {
	.levels = { 0x2581, 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587,
		    0x2588 },
	.parts = { ' ', 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589,
		   0x2588 },
	.line = 0x2500,
	.up = 0x25b2,
	.down = 0x25bc,
	.dot = 0xb7,
	.old = '~',
	.severities = { 'i', '?', '!', 'X' },
	.good = ' ',
};

static const struct rt_glyphs ascii = {
	.levels = { '_', '_', '.', ':', '-', '=', '+', '*', '#' },
	.parts = { ' ', ' ', ' ', ' ', '-', '-', '=', '=', '#' },
	.line = '-',
	.up = '^',
	.down = 'v',
	.dot = '.',
	.old = '~',
	.severities = { 'i', '?', '!', 'X' },
	.good = ' ',
};

const struct rt_glyphs *rt_glyphs_of(const struct rt_canvas *canvas)
{
	return canvas->ascii ? &ascii : &unicode;
}

/* Eighths of value in most: none only of 0. */
static unsigned eighths(double value, double most)
{
	const double share = most > 0 ? value / most : 0;

	if (!(share > 0))
		return 0;
	return share >= 1 ? 8 : (unsigned)ceil(share * 8);
}

void rt_draw_spark(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		   const float *values, size_t count, double most)
{
	const struct rt_glyphs *glyphs = rt_glyphs_of(canvas);
	const size_t shown = count < box.width ? count : box.width;

	for (size_t i = 0; i < shown; i++) {
		const double value = (double)values[count - shown + i];
		const unsigned column = box.column + box.width - (unsigned)(shown - i);
		const unsigned level = isnan(value) ? 0 : eighths(value, most);

		if (!isnan(value))
			rt_canvas_set(canvas, box.row, column,
				      level ? style : RT_STYLE_DIM,
				      glyphs->levels[level]);
	}
}

void rt_draw_bar(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		 double share)
{
	const struct rt_glyphs *glyphs = rt_glyphs_of(canvas);
	const double filled = share > 1 ? box.width : share > 0 ? share * box.width : 0;

	for (unsigned i = 0; i < box.width; i++) {
		const double left = filled - i;

		rt_canvas_set(canvas, box.row, box.column + i, style,
			      glyphs->parts[eighths(left, 1)]);
	}
}

void rt_draw_rule(struct rt_canvas *canvas, struct rt_box box, unsigned style)
{
	for (unsigned i = 0; i < box.width; i++)
		rt_canvas_set(canvas, box.row, box.column + i, style,
			      rt_glyphs_of(canvas)->line);
}
