/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ui.h - what the user has chosen to see.  Plain values: with the data and a size they
 * determine every cell (screens.h), and keys change nothing else (keys.h).
 */
#ifndef RT_DASH_UI_H
#define RT_DASH_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dash/dash.h"
#include "dash/data.h"
#include "dash/number.h"

#define RT_DASH_SCREENS       6u
#define RT_DASH_LEAST_ROWS    24u
#define RT_DASH_LEAST_COLUMNS 80u

/* What keys mean, and what is drawn. */
enum rt_dash_mode {
	RT_MODE_SCREEN, /* one of the numbered ones */
	RT_MODE_PORT,   /* all of one port */
	RT_MODE_HELP,
	RT_MODE_FILTER, /* a filter is being typed */
	RT_MODE_SORT,   /* a column is being picked */
	RT_MODE_COUNT,
};

#define RT_FILTER_BYTES 64

struct rt_dash_ui {
	enum rt_dash_mode mode;
	enum rt_dash_mode under;        /* that the help goes back to */
	unsigned screen;                /* 0 to 5 */
	unsigned sort[RT_DASH_SCREENS]; /* column of the screen; 0: as they come */
	bool reverse[RT_DASH_SCREENS];
	unsigned pick;       /* RT_MODE_SORT: where the cursor is */
	bool reverse_before; /* and reverse, before it */
	unsigned shift;      /* columns that are scrolled away to the left */
	char filter[RT_FILTER_BYTES], filter_before[RT_FILTER_BYTES];
	bool inverse, only_findings;
	struct rt_dash_units units;
	enum rt_dash_theme theme;
	bool ascii;

	/* The line that the cursor is on, by what it is, so that it stays there. */
	size_t port;
	struct rt_ip fan;              /* its receiver; version 0: none yet */
	uint64_t event;                /* its number; 0: the newest */
	unsigned top[RT_DASH_SCREENS]; /* first line shown */
	unsigned scroll;               /* of help and of a port */

	bool g_before; /* the key before was g */

	/* Of the moment. */
	bool paused;
	uint64_t paused_ns;
	char message[200];      /* instead of the last line; "" */
	double speed;           /* of sources with a time of their own */
	unsigned rows, columns; /* of the terminal, as last seen */

	/* Lines of the screen, filtered and sorted, by rt_dash_settle(): numbers of ports
	 * or places of fans or events.  Owned. */
	uint32_t *lines;
	size_t line_count, line_capacity;
	size_t cursor;       /* a place in lines */
	unsigned page;       /* lines that fit */
	unsigned body_lines; /* of help or of a port, in all */
};

void rt_dash_ui_free(struct rt_dash_ui *ui);

/*
 * Make lines, cursor and top fit the data: to be called before drawing.  Doing it twice
 * changes nothing.  -ENOMEM.
 */
int rt_dash_settle(struct rt_dash_ui *ui, const struct rt_dash_data *data);

/* The cursor to a place of lines (clamped), and what that is. */
void rt_dash_go(struct rt_dash_ui *ui, const struct rt_dash_data *data, int64_t place);

#endif
