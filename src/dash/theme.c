/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * theme.c - THEMES: what each style looks like.
 *
 * Trouble is orange and traffic blue, which every kind of colour-blind eye tells apart
 * (Okabe and Ito, "Color Universal Design", 2008); neither is ever the only sign.  Where
 * the background is the terminal's own, every colour is seen on white and on black.
 */
#include "dash/theme.h"

const struct rt_name rt_theme_names[] = {
	{ "default", RT_THEME_DEFAULT, "blue, orange and white" },
	{ "mono", RT_THEME_MONO, "without colours" },
	{ "contrast", RT_THEME_HIGH_CONTRAST, "bright on black, nothing faint" },
	{ 0 },
};

/* Of 256, of 16 and of 8 colours. */
struct row {
	unsigned attributes;
	int8_t mono; /* attributes without colours are these; -1: the same */
	int16_t front[3], back[3];
};

/* clang-format off */
#define NONE        { -1, -1, -1 }
#define ORANGE      { 208, 11, 3 }
#define DEEP_ORANGE { 166, 3, 3 }
#define BLUE        { 33, 12, 6 }
#define GREY        { 244, 8, -1 }
#define WHITE       { 255, 15, 7 }
#define BLACK       { 16, 0, 0 }
/* clang-format on */

static const struct row themes[RT_THEME_COUNT][RT_STYLE_COUNT] = {
	[RT_THEME_DEFAULT] = {
		[RT_STYLE_PLAIN] = { 0, -1, NONE, NONE },
		[RT_STYLE_DIM] = { 0, RT_LOOK_FAINT, GREY, NONE },
		[RT_STYLE_STRONG] = { RT_LOOK_BOLD, -1, NONE, NONE },
		[RT_STYLE_HEADER] = { RT_LOOK_UNDERLINE, -1, BLUE, NONE },
		[RT_STYLE_TAB] = { RT_LOOK_BOLD, RT_LOOK_REVERSE, WHITE, { 25, 4, 4 } },
		[RT_STYLE_GOOD] = { 0, -1, BLUE, NONE },
		[RT_STYLE_NOTE] = { 0, -1, BLUE, NONE },
		[RT_STYLE_UNSURE] = { 0, -1, GREY, NONE },
		[RT_STYLE_WARN] = { 0, RT_LOOK_BOLD, ORANGE, NONE },
		[RT_STYLE_BAD] = { RT_LOOK_BOLD, RT_LOOK_BOLD | RT_LOOK_REVERSE, BLACK,
				   ORANGE },
		[RT_STYLE_RX] = { 0, -1, BLUE, NONE },
		[RT_STYLE_TX] = { 0, -1, NONE, NONE },
		[RT_STYLE_HEAT_1] = { 0, -1, BLUE, NONE },
		[RT_STYLE_HEAT_2] = { 0, RT_LOOK_BOLD, ORANGE, NONE },
		[RT_STYLE_HEAT_3] = { RT_LOOK_BOLD, RT_LOOK_BOLD | RT_LOOK_REVERSE,
				      BLACK, DEEP_ORANGE },
	},
	[RT_THEME_MONO] = {
		[RT_STYLE_DIM] = { RT_LOOK_FAINT, -1, NONE, NONE },
		[RT_STYLE_STRONG] = { RT_LOOK_BOLD, -1, NONE, NONE },
		[RT_STYLE_HEADER] = { RT_LOOK_UNDERLINE, -1, NONE, NONE },
		[RT_STYLE_TAB] = { RT_LOOK_REVERSE, -1, NONE, NONE },
		[RT_STYLE_WARN] = { RT_LOOK_BOLD, -1, NONE, NONE },
		[RT_STYLE_BAD] = { RT_LOOK_BOLD | RT_LOOK_REVERSE, -1, NONE, NONE },
		[RT_STYLE_HEAT_2] = { RT_LOOK_BOLD, -1, NONE, NONE },
		[RT_STYLE_HEAT_3] = { RT_LOOK_BOLD | RT_LOOK_REVERSE, -1, NONE, NONE },
	},
	[RT_THEME_HIGH_CONTRAST] = {
		[RT_STYLE_PLAIN] = { 0, -1, WHITE, BLACK },
		[RT_STYLE_DIM] = { 0, -1, { 250, 7, 7 }, BLACK },
		[RT_STYLE_STRONG] = { RT_LOOK_BOLD, -1, WHITE, BLACK },
		[RT_STYLE_HEADER] = { RT_LOOK_BOLD | RT_LOOK_UNDERLINE, -1, WHITE,
				      BLACK },
		[RT_STYLE_TAB] = { RT_LOOK_BOLD, RT_LOOK_REVERSE, BLACK, WHITE },
		[RT_STYLE_GOOD] = { 0, -1, WHITE, BLACK },
		[RT_STYLE_NOTE] = { 0, -1, { 159, 14, 6 }, BLACK },
		[RT_STYLE_UNSURE] = { 0, -1, { 250, 7, 7 }, BLACK },
		[RT_STYLE_WARN] = { RT_LOOK_BOLD, RT_LOOK_BOLD, { 220, 11, 3 }, BLACK },
		[RT_STYLE_BAD] = { RT_LOOK_BOLD, RT_LOOK_BOLD | RT_LOOK_REVERSE, BLACK,
				   { 220, 11, 3 } },
		[RT_STYLE_RX] = { RT_LOOK_BOLD, -1, { 159, 14, 6 }, BLACK },
		[RT_STYLE_TX] = { RT_LOOK_BOLD, -1, WHITE, BLACK },
		[RT_STYLE_HEAT_1] = { 0, -1, { 159, 14, 6 }, BLACK },
		[RT_STYLE_HEAT_2] = { RT_LOOK_BOLD, RT_LOOK_BOLD, { 220, 11, 3 }, BLACK },
		[RT_STYLE_HEAT_3] = { RT_LOOK_BOLD, RT_LOOK_BOLD | RT_LOOK_REVERSE,
				      BLACK, { 220, 11, 3 } },
	},
};

struct rt_look rt_theme_look(enum rt_dash_theme theme, enum rt_style style, int colours)
{
	const struct row *row = &themes[theme][style];
	const unsigned depth = colours >= 256 ? 0 : colours >= 16 ? 1 : 2;
	const bool coloured = colours >= 8 && theme != RT_THEME_MONO;

	/* Where the colour that a style has elsewhere is not, its weight tells. */
	if (!coloured || (row->front[0] >= 0 && row->front[depth] < 0))
		return (struct rt_look){ row->mono >= 0 ? (unsigned)row->mono
							: row->attributes,
					 -1, -1 };
	return (struct rt_look){ row->attributes, row->front[depth], row->back[depth] };
}
