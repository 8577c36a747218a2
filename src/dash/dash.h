/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dash.h - the dashboard: draws what a struct rt_watch knows, and nothing else.  No key
 * changes the host.
 */
#ifndef RT_DASH_DASH_H
#define RT_DASH_DASH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rt_err;
struct rt_watch;
struct rt_watch_snapshot;

enum rt_dash_theme {
	RT_THEME_DEFAULT, /* blue, orange, white: told apart by colour-blind eyes */
	RT_THEME_MONO,
	RT_THEME_HIGH_CONTRAST,
};

struct rt_dash_options {
	bool ascii;      /* no characters beyond ASCII, whatever the locale */
	bool mono;       /* no colour, whatever the terminal */
	unsigned screen; /* 1 to 6; 0: the first, or the one of the saved layout */
	double speed;    /* of a recording; 0: as fast as it goes */
	const char *layout_file;   /* "w" writes it; NULL: none */
	const char *snapshot_path; /* folder of "e" and "E"; NULL: the current one */
	/* What "e" writes into a new file, as batch output has it; NULL: it cannot. */
	int (*write_snapshot)(void *context, const struct rt_watch_snapshot *snapshot,
			      FILE *to, struct rt_err *err);
	void *context;
};

/* Whether a screen can be drawn here (a terminal, and known to terminfo). */
bool rt_dash_possible(void);

/*
 * Draw until the user leaves.  The terminal is as before afterwards, whatever happens,
 * and nothing is recorded any more.  0, why it ended, or why not all is recorded.
 */
int rt_dash_run(struct rt_watch *watch, const struct rt_dash_options *options,
		struct rt_err *err);

#endif
