/* SPDX-License-Identifier: BSD-2-Clause */
/* glyphs.h - characters that are pictures: of UTF-8, and what stands for them in ASCII. */
#ifndef RT_DASH_GLYPHS_H
#define RT_DASH_GLYPHS_H

#include <stdint.h>

#include "dash/canvas.h"
#include "model/finding.h"

struct rt_glyphs {
	uint32_t levels[9];     /* of sparklines: nothing, then an eighth to all */
	uint32_t parts[9];      /* of bars: nothing, then an eighth to all of a cell */
	uint32_t line;          /* a rule across */
	uint32_t up, down;      /* sorted so; there is more */
	uint32_t dot;           /* a priority without PFC */
	uint32_t old;           /* before a value that is old */
	uint32_t severities[4]; /* enum rt_severity; no two the same shape */
	uint32_t good;
};

const struct rt_glyphs *rt_glyphs_of(const struct rt_canvas *canvas);

/* Values from 0 to most, the newest at the right; NaN stays blank. */
void rt_draw_spark(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		   const float *values, size_t count, double most);

/* A bar that fills share (0 to 1) of box. */
void rt_draw_bar(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		 double share);

void rt_draw_rule(struct rt_canvas *canvas, struct rt_box box, unsigned style);

#endif
