/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screens.h - SCREENS and COLUMNS.  A screen is a row: its title, its columns, and who
 * draws it.  Drawing is pure: (data, ui, size) determine the canvas.
 */
#ifndef RT_DASH_SCREENS_H
#define RT_DASH_SCREENS_H

#include "dash/canvas.h"
#include "dash/data.h"
#include "dash/ui.h"

/* All that drawing needs. */
struct rt_draw {
	const struct rt_dash_data *data;
	const struct rt_dash_ui *ui;
	struct rt_canvas *canvas;
};

/* How the number of a column is written. */
enum rt_column_kind {
	RT_COLUMN_OWN,     /* by the column's own function */
	RT_COLUMN_RATE,    /* bits a second */
	RT_COLUMN_PERCENT, /* a number and what it was lately */
	RT_COLUMN_HEAT,    /* a percentage of few characters, coloured */
	RT_COLUMN_EVENTS,  /* so many a second; more than none is no trouble */
	RT_COLUMN_TROUBLE, /* so many a second; more than none is */
};

#define RT_NO_HISTORY RT_COLUMN_COUNT
#define RT_NO_FIGURE  SIZE_MAX /* the rate of its counter instead */

struct rt_column {
	const char *group;    /* over the titles of its neighbours too; NULL: none */
	const char *title[2]; /* two lines; the first unused with a group */
	const char *sort;     /* in the list to pick from; NULL: cannot be sorted by */
	uint8_t least, most;  /* characters; grows while there is room */
	bool left;            /* adjusted */
	enum rt_column_kind kind;
	size_t figure;    /* offset of an rt_opt_f64 in struct rt_watch_figures */
	unsigned history; /* enum rt_watch_column, drawn behind the number */
	unsigned counter; /* where the figure is none */
	unsigned style;   /* of the history; RT_COLUMN_HEAT: the priority */
	void (*draw)(const struct rt_draw *draw, const struct rt_column *column,
		     size_t port, struct rt_box box);
	/* To sort by; the most first; NaN last.  NULL: the figure. */
	double (*weight)(const struct rt_watch_view *view);
};

enum rt_screen_kind {
	RT_LINES_PORTS,
	RT_LINES_FANS,
	RT_LINES_EVENTS,
};

struct rt_screen {
	const char *title, *help;
	enum rt_screen_kind lines;
	const struct rt_column *columns; /* of ports; NULL: draws itself */
	size_t column_count;
	void (*draw)(const struct rt_draw *draw, struct rt_box body, unsigned rows);
	/* What can be sorted by, where it is not the columns; names of other lines. */
	const struct rt_column *sort_columns;
	size_t sort_count;
	const char *const *sorts;
};

extern const struct rt_screen rt_screens[RT_DASH_SCREENS];

/* The columns, and how many there are, that can be sorted by; the first is "as it is". */
const char *rt_screen_sort_name(unsigned screen, unsigned sort);
unsigned rt_screen_sort_count(unsigned screen);
/* The column that sort means; NULL: the order of ports. */
const struct rt_column *rt_screen_sort_column(unsigned screen, unsigned sort);

/*
 * Settle the ui and draw all of it on a canvas of ui's rows and columns.  -ENOMEM.
 */
int rt_dash_draw(const struct rt_dash_data *data, struct rt_dash_ui *ui,
		 struct rt_canvas *canvas);

/* --- parts ------------------------------------------------------------------------------ */

/* Lines between the head and the foot of the screen. */
unsigned rt_dash_body_rows(const struct rt_dash_ui *ui);

void rt_draw_ports(const struct rt_draw *draw, struct rt_box body, unsigned rows);
void rt_draw_fans(const struct rt_draw *draw, struct rt_box body, unsigned rows);
void rt_draw_events(const struct rt_draw *draw, struct rt_box body, unsigned rows);

/* Lines that a screen has for its list, of the rows of its body. */
unsigned rt_dash_list_rows(const struct rt_dash_ui *ui);

/* Texts that may be longer than the screen, from ui's scroll on; how many lines in all. */
unsigned rt_draw_port_page(const struct rt_draw *draw, struct rt_box body,
			   unsigned rows);
unsigned rt_draw_help_page(const struct rt_draw *draw, struct rt_box body,
			   unsigned rows);

/* The worst finding of a port; NULL: none. */
const struct rt_finding *rt_view_worst(const struct rt_watch_view *view);
enum rt_style rt_style_of_severity(unsigned severity);
/* The style and sign of a port. */
enum rt_style rt_view_style(const struct rt_watch_view *view);
uint32_t rt_view_sign(const struct rt_canvas *canvas, const struct rt_watch_view *view);
/* Whether one of these sources (bits of enum rt_counter_source) has become old. */
bool rt_view_is_old(const struct rt_watch_view *view, unsigned sources);

#endif
