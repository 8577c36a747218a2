/* SPDX-License-Identifier: BSD-2-Clause */
/* theme.h - how styles look, by theme and by how many colours there are. */
#ifndef RT_DASH_THEME_H
#define RT_DASH_THEME_H

#include <stdint.h>

#include "dash/canvas.h"
#include "dash/dash.h"
#include "rocetune/field.h"

#define RT_THEME_COUNT 3u

enum rt_look_attribute {
	RT_LOOK_BOLD = 1,
	RT_LOOK_FAINT = 2,
	RT_LOOK_REVERSE = 4,
	RT_LOOK_UNDERLINE = 8,
};

struct rt_look {
	unsigned attributes;
	int front, back; /* colour numbers; -1: as the terminal has it */
};

extern const struct rt_name rt_theme_names[];

/* colours: as many as the terminal has; fewer than 8: none are used. */
struct rt_look rt_theme_look(enum rt_dash_theme theme, enum rt_style style,
			     int colours);

#endif
