/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terminal.h - the terminal, by ncurses: a canvas goes out, keys come in.  What ncurses
 * keeps is global, so that there is one.
 */
#ifndef RT_DASH_TERMINAL_H
#define RT_DASH_TERMINAL_H

#include <stdbool.h>

#include "dash/canvas.h"
#include "dash/dash.h"

struct rt_err;
struct rt_terminal;

/* mono: no colour.  -ENOTTY: it cannot draw screens. */
int rt_terminal_open(bool mono, struct rt_terminal **ret_terminal, struct rt_err *err);
/* As it was before.  NULL is fine. */
void rt_terminal_close(struct rt_terminal *terminal);

/* Whether its locale can show more than ASCII. */
bool rt_terminal_is_utf8(const struct rt_terminal *terminal);

/* How large it is now; asks the kernel. */
void rt_terminal_size(struct rt_terminal *terminal, unsigned *ret_rows,
		      unsigned *ret_columns);

/* repaint: what the terminal shows is not to be trusted. */
void rt_terminal_show(struct rt_terminal *terminal, const struct rt_canvas *canvas,
		      enum rt_dash_theme theme, bool repaint);

/* A key that was pressed (enum rt_key, or a character); RT_KEY_NONE. */
int rt_terminal_key(struct rt_terminal *terminal);

#endif
