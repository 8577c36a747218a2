/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas.h - a screen in memory: cells of one character and one style each.  Screens are
 * drawn here, so that they can be looked at without a terminal; terminal.c hands the
 * cells on.
 */
#ifndef RT_DASH_CANVAS_H
#define RT_DASH_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a cell means; themes (theme.h) say how that looks. */
enum rt_style {
	RT_STYLE_PLAIN,
	RT_STYLE_DIM,    /* old, or of no weight */
	RT_STYLE_STRONG, /* names, headings */
	RT_STYLE_HEADER, /* of columns */
	RT_STYLE_TAB,    /* the screen that is on */
	RT_STYLE_GOOD,
	RT_STYLE_NOTE,
	RT_STYLE_UNSURE,
	RT_STYLE_WARN,
	RT_STYLE_BAD,
	RT_STYLE_RX,
	RT_STYLE_TX,
	RT_STYLE_HEAT_1, /* occupancies, from little to all */
	RT_STYLE_HEAT_2,
	RT_STYLE_HEAT_3,
	RT_STYLE_COUNT,
};
#define RT_STYLE_CURSOR 0x80u /* a bit beside them */

struct rt_cell {
	uint32_t character; /* takes one column; never a control character */
	uint8_t style;      /* enum rt_style, RT_STYLE_CURSOR */
};

struct rt_canvas {
	unsigned rows, columns;
	bool ascii;            /* nothing else is ever in a cell */
	struct rt_cell *cells; /* owned */
	size_t capacity;
};

struct rt_box {
	unsigned row, column, width;
};

/* Blank, of a new size; ascii stays.  -ENOMEM: as before. */
int rt_canvas_resize(struct rt_canvas *canvas, unsigned rows, unsigned columns);
void rt_canvas_free(struct rt_canvas *canvas);

/* Outside of the canvas nothing happens. */
void rt_canvas_set(struct rt_canvas *canvas, unsigned row, unsigned column,
		   unsigned style, uint32_t character);
/* Add style bits to cells that are there, or give them another style. */
void rt_canvas_mark(struct rt_canvas *canvas, struct rt_box box, unsigned bits);

/*
 * Write text into box, from the left or the right, cut with a mark where it is too long.
 * The text may come from anywhere: what would steer a terminal, is no UTF-8, or does not
 * take exactly one column everywhere becomes a question mark.  Returns columns used.
 */
unsigned rt_canvas_put(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		       const char *text);
unsigned rt_canvas_put_right(struct rt_canvas *canvas, struct rt_box box,
			     unsigned style, const char *text);
unsigned rt_canvas_printf(struct rt_canvas *canvas, struct rt_box box, unsigned style,
			  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* UTF-8 of a character; bytes are 1 to 4, and a 0 behind them. */
size_t rt_character_utf8(uint32_t character, char bytes[5]);

/* All rows as UTF-8, blanks at their ends left out; the caller frees it.  NULL: -ENOMEM. */
char *rt_canvas_text(const struct rt_canvas *canvas);

#endif
