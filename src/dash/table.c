/* SPDX-License-Identifier: BSD-2-Clause */
/* table.c - ports as lines, and figures as cells. */
#include "dash/table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "dash/glyphs.h"

#define NUMBER_WIDTH 4u
#define MOST_COLUMNS 32u

/* --- views ------------------------------------------------------------------------------ */

const struct rt_finding *rt_view_worst(const struct rt_watch_view *view)
{
	return view->findings.count ? &view->findings.items[0] : NULL;
}

enum rt_style rt_style_of_severity(unsigned severity)
{
	switch (severity) {
	case RT_SEVERITY_ERROR: return RT_STYLE_BAD;
	case RT_SEVERITY_WARN: return RT_STYLE_WARN;
	case RT_SEVERITY_UNKNOWN: return RT_STYLE_UNSURE;
	default: return RT_STYLE_NOTE;
	}
}

enum rt_style rt_view_style(const struct rt_watch_view *view)
{
	const struct rt_finding *worst = rt_view_worst(view);

	return worst ? rt_style_of_severity(worst->severity) : RT_STYLE_GOOD;
}

uint32_t rt_view_sign(const struct rt_canvas *canvas, const struct rt_watch_view *view)
{
	const struct rt_glyphs *glyphs = rt_glyphs_of(canvas);
	const struct rt_finding *worst = rt_view_worst(view);

	return worst ? glyphs->severities[worst->severity] : glyphs->good;
}

bool rt_view_is_old(const struct rt_watch_view *view, unsigned sources)
{
	for (size_t i = 0; i < view->pace_count; i++)
		if (sources >> view->paces[i].source & 1 && view->paces[i].old)
			return true;
	return false;
}

/* Of a counter of the port; of priorities it is no figure. */
static double counter_rate(const struct rt_watch_view *view, unsigned counter)
{
	const struct rt_counter_reading *reading = rt_counter_find(view->set, counter,
								   RT_COUNTER_NO_PRIO);

	return reading ? (double)view->per_s[reading - view->set->items] : (double)NAN;
}

static double figure_value(const struct rt_watch_view *view, size_t figure)
{
	struct rt_opt_f64 value;

	memcpy(&value, (const char *)&view->figures + figure, sizeof(value));
	return rt_number_or_nan(value);
}

double rt_column_value(const struct rt_column *column, const struct rt_watch_view *view)
{
	return column->figure == RT_NO_FIGURE ? counter_rate(view, column->counter)
					      : figure_value(view, column->figure);
}

/* Where that is read: bits. */
static unsigned column_sources(const struct rt_column *column,
			       const struct rt_watch_view *view)
{
	return column->figure == RT_NO_FIGURE
		       ? rt_watch_counter_sources(view, column->counter)
		       : rt_watch_figure_sources(view, column->figure);
}

/* --- cells ------------------------------------------------------------------------------ */

void rt_draw_port_name(const struct rt_draw *draw, const struct rt_column *column,
		       size_t port, struct rt_box box)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[port];

	(void)column;
	rt_canvas_set(draw->canvas, box.row, box.column, rt_view_style(view),
		      rt_view_sign(draw->canvas, view));
	box.column += 2;
	box.width -= 2;
	rt_canvas_put(draw->canvas, box,
		      view->port->state == RT_WATCH_GONE ? RT_STYLE_DIM
							 : RT_STYLE_STRONG,
		      view->port->name);
}

void rt_draw_verdict(const struct rt_draw *draw, const struct rt_column *column,
		     size_t port, struct rt_box box)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[port];
	const char *name = rt_name_of(rt_verdict_names, view->verdict);

	(void)column;
	rt_canvas_put(draw->canvas, box, rt_view_style(view), name ? name : "-");
}

/* The speed where the link is up, else what it is. */
void rt_draw_speed(const struct rt_draw *draw, const struct rt_column *column,
		   size_t port, struct rt_box box)
{
	const struct rt_watch_port *about = draw->data->snapshot->views[port].port;
	char text[RT_NUMBER_BYTES];

	(void)column;
	if (about->state == RT_WATCH_GONE || about->state == RT_WATCH_DOWN) {
		rt_canvas_put_right(draw->canvas, box, RT_STYLE_WARN,
				    rt_name_of(rt_watch_state_names, about->state));
		return;
	}
	rt_number_scaled(about->speed_bps.known ? (double)about->speed_bps.value
						: (double)NAN,
			 false, box.width, text);
	rt_canvas_put_right(draw->canvas, box,
			    about->state == RT_WATCH_UP ? RT_STYLE_PLAIN : RT_STYLE_DIM,
			    text);
}

void rt_draw_worst(const struct rt_draw *draw, const struct rt_column *column,
		   size_t port, struct rt_box box)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[port];
	const struct rt_finding *worst = rt_view_worst(view);

	(void)column;
	if (worst)
		rt_canvas_put(draw->canvas, box, rt_view_style(view), worst->title);
	else if (*view->port->note)
		rt_canvas_put(draw->canvas, box, RT_STYLE_DIM, view->port->note);
}

void rt_draw_gap(const struct rt_draw *draw, const struct rt_column *column,
		 size_t port, struct rt_box box)
{
	(void)draw;
	(void)column;
	(void)port;
	(void)box;
}

/* Of nothing, of a little, of much. */
static enum rt_style heat_style(double percent)
{
	return percent >= 20  ? RT_STYLE_HEAT_3
	       : percent >= 1 ? RT_STYLE_HEAT_2
	       : percent > 0  ? RT_STYLE_HEAT_1
			      : RT_STYLE_PLAIN;
}

/* The mark before a value whose sources are old; whether they are. */
static bool mark_old(const struct rt_draw *draw, size_t port, unsigned sources,
		     struct rt_box box)
{
	const bool old = rt_view_is_old(&draw->data->snapshot->views[port], sources);

	if (old)
		rt_canvas_set(draw->canvas, box.row, box.column - 1, RT_STYLE_DIM,
			      rt_glyphs_of(draw->canvas)->old);
	return old;
}

/* Of pause frames, which are counted also where the time that they last is not. */
static size_t frames_figure(const struct rt_column *column)
{
	const size_t prio = offsetof(struct rt_watch_figures, prios) +
			    column->style * sizeof(struct rt_watch_prio);
	const size_t paused = prio + offsetof(struct rt_watch_prio, paused_pct);

	return prio + (column->figure == paused
			       ? offsetof(struct rt_watch_prio, paused_fps)
			       : offsetof(struct rt_watch_prio, pausing_fps));
}

/*
 * A percentage without its sign.  Without a pause it is a dot where PFC is off; with
 * pauses that nobody times it is said that there are some.
 */
static void draw_heat(const struct rt_draw *draw, const struct rt_column *column,
		      size_t port, struct rt_box box)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[port];
	const struct rt_opt_u64 lossless = view->port->lossless;
	double value = figure_value(view, column->figure);
	const bool timed = !isnan(value);
	const size_t figure = timed ? column->figure : frames_figure(column);
	const double known = figure_value(view, figure);
	char text[RT_NUMBER_BYTES];
	bool old = false;

	if (!isnan(known))
		old = mark_old(draw, port, rt_watch_figure_sources(view, figure), box);
	if (!timed && known > 0) {
		rt_canvas_put_right(draw->canvas, box,
				    old ? RT_STYLE_DIM : RT_STYLE_HEAT_2, ">0");
		return;
	}
	if (!timed && !isnan(known))
		value = 0;
	if (!(value > 0) && lossless.known && !(lossless.value >> column->style & 1)) {
		rt_canvas_set(draw->canvas, box.row, box.column + box.width - 1,
			      RT_STYLE_DIM, rt_glyphs_of(draw->canvas)->dot);
		return;
	}
	rt_number_percent(value, text);
	text[strcspn(text, "%")] = '\0';
	rt_canvas_put_right(draw->canvas, box,
			    old || isnan(value) ? RT_STYLE_DIM : heat_style(value),
			    text);
}

static void draw_history(const struct rt_draw *draw, const struct rt_column *column,
			 size_t port, struct rt_box box)
{
	const struct rt_watch_port *about = draw->data->snapshot->views[port].port;
	float values[RT_WATCH_POINTS];
	const size_t count = draw->data->history(draw->data->context, port,
						 column->history, values, box.width);
	double most = 0;

	for (size_t i = 0; i < count; i++)
		if (values[i] > most)
			most = (double)values[i];
	if (column->kind == RT_COLUMN_PERCENT)
		most = 100;
	else if (column->kind == RT_COLUMN_RATE && about->speed_bps.known)
		most = (double)about->speed_bps.value;
	rt_draw_spark(draw->canvas, box, column->style, values, count, most);
}

static void write_number(const struct rt_draw *draw, const struct rt_column *column,
			 double value, unsigned width, char text[RT_NUMBER_BYTES])
{
	if (column->kind == RT_COLUMN_RATE)
		rt_number_rate(value, &draw->ui->units, width, text);
	else if (column->kind == RT_COLUMN_PERCENT)
		rt_number_percent(value, text);
	else
		rt_number_scaled(value, false, width, text);
}

static enum rt_style number_style(const struct rt_column *column, double value,
				  bool old)
{
	if (old || isnan(value))
		return RT_STYLE_DIM;
	if (column->kind == RT_COLUMN_PERCENT)
		return heat_style(value);
	return column->kind == RT_COLUMN_TROUBLE && value > 0 ? RT_STYLE_WARN
							      : RT_STYLE_PLAIN;
}

/* A number, after the mark of an old one, and what it was lately. */
static void draw_number(const struct rt_draw *draw, const struct rt_column *column,
			size_t port, struct rt_box box)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[port];
	const double value = rt_column_value(column, view);
	struct rt_box number = box;
	char text[RT_NUMBER_BYTES];
	bool old = false;

	if (!isnan(value))
		old = mark_old(draw, port, column_sources(column, view), box);
	if (column->history != RT_NO_HISTORY) {
		number.width = NUMBER_WIDTH;
		box.column += NUMBER_WIDTH;
		box.width -= NUMBER_WIDTH;
		draw_history(draw, column, port, box);
	}
	write_number(draw, column, value, number.width, text);
	rt_canvas_put_right(draw->canvas, number, number_style(column, value, old),
			    text);
}

/* --- layout ----------------------------------------------------------------------------- */

/* The first columns stay where they are when the others are scrolled. */
static bool stays(const struct rt_screen *screen, size_t column)
{
	return column == 0 || screen->columns[column].draw == rt_draw_verdict;
}

/* Columns of a screen with the width that each one has; 0: it is not seen. */
struct layout {
	unsigned widths[MOST_COLUMNS];
	bool cut; /* there are more at the right */
};

static unsigned take_least(const struct rt_screen *screen, unsigned shift,
			   unsigned width, struct layout *layout)
{
	unsigned used = 0, skipped = 0;

	for (size_t i = 0; i < screen->column_count; i++) {
		const unsigned least = screen->columns[i].least;
		const unsigned gap = used ? 1 : 0;

		if (!stays(screen, i) && skipped < shift) {
			skipped++;
			continue;
		}
		if (least == 0 || layout->cut)
			continue;
		layout->cut = used + gap + least > width;
		if (!layout->cut) {
			layout->widths[i] = least;
			used += gap + least;
		}
	}
	return used;
}

static bool grows(const struct rt_screen *screen, const struct layout *layout, size_t i)
{
	return layout->widths[i] && layout->widths[i] < screen->columns[i].most;
}

static unsigned count_growing(const struct rt_screen *screen,
			      const struct layout *layout)
{
	unsigned count = 0;

	for (size_t i = 0; i < screen->column_count; i++)
		count += grows(screen, layout, i);
	return count;
}

static void lay_out(const struct rt_screen *screen, unsigned shift, unsigned width,
		    struct layout *layout)
{
	unsigned used, wanted;

	memset(layout, 0, sizeof(*layout));
	used = take_least(screen, shift, width, layout);
	/* All that can grow do, or none: numbers stay as wide as their neighbours. */
	while ((wanted = count_growing(screen, layout)) && used + wanted <= width) {
		for (size_t i = 0; i < screen->column_count; i++)
			layout->widths[i] += grows(screen, layout, i);
		used += wanted;
	}
	if (used < width &&
	    width - used <= screen->columns[0].most - layout->widths[0]) {
		layout->widths[0] += width - used;
		used = width;
	}
	for (size_t i = 0; i < screen->column_count; i++)
		if (screen->columns[i].least == 0 && used + 14 <= width) {
			layout->widths[i] = width - used - 1;
			used = width;
		}
}

/* --- head ------------------------------------------------------------------------------- */

/*
 * A heading may begin in the blanks before its column; one that ends in a blank begins
 * there sooner, and leaves room to the next one.
 */
static void put_heading(const struct rt_draw *draw, const struct rt_column *column,
			struct rt_box box, const char *text)
{
	const unsigned length = (unsigned)strlen(text);

	if (!column->left && length > box.width && box.column >= length - box.width) {
		box.column -= length - box.width;
		box.width = length;
	}
	if (column->left)
		rt_canvas_put(draw->canvas, box, RT_STYLE_HEADER, text);
	else
		rt_canvas_put_right(draw->canvas, box, RT_STYLE_HEADER, text);
}

static const char *unit_of(const struct rt_draw *draw, const struct rt_column *column)
{
	if (column->title[1] || column->kind != RT_COLUMN_RATE)
		return column->title[1];
	return draw->ui->units.bytes ? "B/s" : "b/s";
}

/* The title of several columns, in the middle of a line over all of them. */
static void put_group(const struct rt_draw *draw, struct rt_box box, const char *text)
{
	const unsigned length = (unsigned)strlen(text);

	if (length + 4 <= box.width) {
		rt_draw_rule(draw->canvas, box, RT_STYLE_DIM);
		box.column += (box.width - length) / 2 - 1;
		rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN, "%*s",
				 (int)length + 2, "");
		box.column++;
	} else if (length < box.width) {
		box.column += (box.width - length) / 2;
	}
	if (length < box.width)
		box.width = length;
	rt_canvas_put(draw->canvas, box, RT_STYLE_HEADER, text);
}

static void draw_head(const struct rt_draw *draw, const struct rt_screen *screen,
		      const struct layout *layout, struct rt_box body)
{
	struct rt_box group = body, box = body;
	const char *grouped = NULL;

	for (size_t i = 0; i < screen->column_count; i++) {
		const struct rt_column *column = &screen->columns[i];
		const struct rt_column *next = column + 1;

		if (!layout->widths[i])
			continue;
		box.width = layout->widths[i];
		box.row = body.row;
		if (!column->group)
			put_heading(draw, column, box, column->title[0]);
		if (column->group && (!grouped || strcmp(grouped, column->group) != 0))
			group.column = box.column;
		grouped = column->group;
		group.width = box.column + box.width - group.column;
		if (grouped &&
		    (i + 1 == screen->column_count || !layout->widths[i + 1] ||
		     !next->group || strcmp(next->group, grouped) != 0))
			put_group(draw, group, grouped);
		box.row = body.row + 1;
		put_heading(draw, column, box, unit_of(draw, column));
		box.column += box.width + 1;
	}
}

/* --- lines ------------------------------------------------------------------------------ */

static void draw_line(const struct rt_draw *draw, const struct rt_screen *screen,
		      const struct layout *layout, size_t port, struct rt_box box)
{
	for (size_t i = 0; i < screen->column_count; i++) {
		const struct rt_column *column = &screen->columns[i];

		box.width = layout->widths[i];
		if (!box.width)
			continue;
		if (column->draw)
			column->draw(draw, column, port, box);
		else if (column->kind == RT_COLUMN_HEAT)
			draw_heat(draw, column, port, box);
		else
			draw_number(draw, column, port, box);
		box.column += box.width + 1;
	}
}

void rt_draw_ports(const struct rt_draw *draw, struct rt_box body, unsigned rows)
{
	const struct rt_dash_ui *ui = draw->ui;
	const struct rt_screen *screen = &rt_screens[ui->screen];
	const unsigned top = ui->top[ui->screen];
	struct layout layout;

	lay_out(screen, ui->shift, body.width, &layout);
	draw_head(draw, screen, &layout, body);
	for (unsigned i = 0; i + 2 < rows && top + i < ui->line_count; i++) {
		struct rt_box box = { body.row + 2 + i, body.column, body.width };

		draw_line(draw, screen, &layout, ui->lines[top + i], box);
		if (top + i == ui->cursor)
			rt_canvas_mark(draw->canvas, box, RT_STYLE_CURSOR);
	}
}
