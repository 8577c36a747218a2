/* SPDX-License-Identifier: BSD-2-Clause */
/* screens.c - what is around every screen: head, foot, and which body is in between. */
#include "dash/screens.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "base/when.h"
#include "dash/glyphs.h"
#include "dash/page.h"

#define HEAD_ROWS 2u
#define FOOT_ROWS 2u

unsigned rt_dash_body_rows(const struct rt_dash_ui *ui)
{
	return ui->rows > HEAD_ROWS + FOOT_ROWS ? ui->rows - HEAD_ROWS - FOOT_ROWS : 0;
}

unsigned rt_dash_list_rows(const struct rt_dash_ui *ui)
{
	const unsigned rows = rt_dash_body_rows(ui);
	unsigned third;

	switch (rt_screens[ui->screen].lines) {
	case RT_LINES_PORTS: return rows > 2 ? rows - 2 : 0;
	case RT_LINES_EVENTS: return rows > 1 ? rows - 1 : 0;
	case RT_LINES_FANS: break;
	}
	third = rows / 3;
	return ui->line_count < third ? (unsigned)ui->line_count : third;
}

/* --- head ------------------------------------------------------------------------------- */

static void draw_tabs(const struct rt_draw *draw)
{
	const struct rt_dash_ui *ui = draw->ui;
	struct rt_box box = { 0, 0, 0 };
	const struct rt_watch_snapshot *snapshot = draw->data->snapshot;
	const bool date = rt_when_is_date(snapshot->wall_ns);
	char text[64], when[RT_WHEN_BYTES];

	for (unsigned i = 0; i < RT_DASH_SCREENS; i++) {
		const bool on = i == ui->screen && ui->mode != RT_MODE_HELP;

		snprintf(text, sizeof(text), on ? "[%u %s]" : " %u %s ", i + 1,
			 rt_screens[i].title);
		box.width = (unsigned)strlen(text);
		rt_canvas_put(draw->canvas, box, on ? RT_STYLE_TAB : RT_STYLE_PLAIN,
			      text);
		box.column += box.width;
	}
	if (!snapshot->ticks)
		return;
	snprintf(text, sizeof(text), date ? "%s UTC" : "after %s",
		 rt_when_write_clock(snapshot->wall_ns, when));
	box.width = ui->columns - box.column;
	rt_canvas_put_right(draw->canvas, box, RT_STYLE_PLAIN, text);
}

/* A part of the second line, two blanks before the next. */
static void put_part(const struct rt_draw *draw, struct rt_box *box, unsigned style,
		     const char *text)
{
	const unsigned used = rt_canvas_put(draw->canvas, *box, style, text) + 2;

	box->column += used;
	box->width = box->width > used ? box->width - used : 0;
}

static void put_choices(const struct rt_draw *draw, struct rt_box *box)
{
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned sort = ui->sort[ui->screen];
	char text[RT_FILTER_BYTES + 64];

	if (*ui->filter || ui->mode == RT_MODE_FILTER) {
		snprintf(text, sizeof(text), "filter%s: %s",
			 ui->inverse ? " without" : "", ui->filter);
		put_part(draw, box, RT_STYLE_STRONG, text);
	}
	if (ui->only_findings)
		put_part(draw, box, RT_STYLE_STRONG, "findings only");
	if (sort || ui->reverse[ui->screen]) {
		snprintf(text, sizeof(text), "by %s%s",
			 rt_screen_sort_name(ui->screen, sort),
			 ui->reverse[ui->screen] ? ", reversed" : "");
		put_part(draw, box, RT_STYLE_STRONG, text);
	}
	if (ui->units.iec)
		put_part(draw, box, RT_STYLE_PLAIN, "k=1024");
}

/* What is so at the moment, the most important first. */
static void draw_state(const struct rt_draw *draw)
{
	const struct rt_watch_snapshot *snapshot = draw->data->snapshot;
	const struct rt_dash_ui *ui = draw->ui;
	struct rt_box box = { 1, 0, ui->columns };
	char text[256], time[RT_NUMBER_BYTES];
	uint64_t every_ns;

	if (ui->paused) {
		snprintf(text, sizeof(text), "PAUSED %" PRIu64 " s",
			 ui->paused_ns / 1000000000);
		put_part(draw, &box, RT_STYLE_TAB, text);
	}
	if (draw->data->recording)
		put_part(draw, &box, RT_STYLE_WARN, "REC");
	if (snapshot->ended)
		put_part(draw, &box, RT_STYLE_TAB, "END");
	if (*snapshot->said)
		put_part(draw, &box, RT_STYLE_BAD, snapshot->said);
	put_choices(draw, &box);
	if (snapshot->baseline_ns.known) {
		snprintf(text, sizeof(text), "baseline %s ago",
			 rt_number_time(snapshot->baseline_ns.value, time));
		put_part(draw, &box, RT_STYLE_PLAIN, text);
	}
	if (ui->speed < 1 || ui->speed > 1) {
		snprintf(text, sizeof(text), ui->speed > 0 ? "speed %s" : "full speed",
			 rt_number_speed(ui->speed, time));
		put_part(draw, &box, RT_STYLE_PLAIN, text);
	}
	every_ns = snapshot->own_time ? snapshot->elapsed_ns : snapshot->interval_ns;
	if (every_ns) {
		snprintf(text, sizeof(text), "every %s",
			 rt_number_time(every_ns, time));
		put_part(draw, &box, RT_STYLE_DIM, text);
	}
	put_part(draw, &box, RT_STYLE_DIM, snapshot->title ? snapshot->title : "");
}

/* --- foot ------------------------------------------------------------------------------- */

#define STATUS_BYTES 768
#define STATUS_ROWS  3u

/* All of what is under the cursor: the worst of a port, or an event.  Its style. */
static unsigned write_status(const struct rt_draw *draw, char text[STATUS_BYTES])
{
	const struct rt_watch_snapshot *snapshot = draw->data->snapshot;
	const struct rt_dash_ui *ui = draw->ui;
	const enum rt_screen_kind kind = rt_screens[ui->screen].lines;
	const struct rt_watch_view *view;
	const struct rt_finding *worst;

	*text = '\0';
	if (ui->line_count == 0 || kind == RT_LINES_FANS)
		return RT_STYLE_PLAIN;
	if (kind == RT_LINES_EVENTS) {
		snprintf(text, STATUS_BYTES, "%s",
			 snapshot->events[ui->lines[ui->cursor]].text);
		return RT_STYLE_PLAIN;
	}
	view = &snapshot->views[ui->lines[ui->cursor]];
	worst = rt_view_worst(view);
	if (worst)
		snprintf(text, STATUS_BYTES, "%s: %s: %s", view->port->name,
			 worst->title, worst->evidence);
	else if (*view->port->note)
		snprintf(text, STATUS_BYTES, "%s: %s", view->port->name,
			 view->port->note);
	return rt_view_style(view);
}

/* Which lines are seen, of how many, at the right of box, which has the rest after. */
static void put_seen(const struct rt_draw *draw, struct rt_box *box)
{
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned top = ui->top[ui->screen];
	char seen[48];

	if (ui->line_count <= ui->page || !ui->page)
		return;
	snprintf(seen, sizeof(seen), " %u-%u of %zu ", top + 1, top + ui->page,
		 ui->line_count);
	rt_canvas_put_right(draw->canvas, *box, RT_STYLE_PLAIN, seen);
	box->width -= (unsigned)strlen(seen);
}

/* One line, or a rule; up to three, under a rule, where the list leaves room. */
static void draw_status(const struct rt_draw *draw)
{
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned room = ui->line_count < ui->page
				      ? ui->page - (unsigned)ui->line_count
				      : 0;
	struct rt_box box = { ui->rows - 2, 0, ui->columns };
	struct rt_page page = { draw->canvas, box, 0, 0, 0 };
	char text[STATUS_BYTES];
	const unsigned style = write_status(draw, text);

	rt_page_text(&page, 0, style, text); /* how many lines it would be */
	page.rows = page.line < STATUS_ROWS ? page.line : STATUS_ROWS;
	if (page.rows == 0 || room < page.rows) {
		if (!*text)
			rt_draw_rule(draw->canvas, box, RT_STYLE_DIM);
		put_seen(draw, &box);
		rt_canvas_put(draw->canvas, box, style, text);
		return;
	}
	page.line = 0;
	page.body.row = ui->rows - 1 - page.rows;
	rt_page_text(&page, 0, style, text);
	box.row = page.body.row - 1;
	rt_draw_rule(draw->canvas, box, RT_STYLE_DIM);
}

static const char *const hints[RT_MODE_COUNT] = {
	[RT_MODE_SCREEN] = "? help  q quit  Enter port  s sort  / filter  ^Z findings  "
			   "space pause",
	[RT_MODE_PORT] = "? help  q quit  Esc back  arrows move  r baseline  "
			 "space pause",
	[RT_MODE_HELP] = "Esc back  arrows move  q quit",
	[RT_MODE_FILTER] = "Enter take it  Esc as before",
	[RT_MODE_SORT] = "Enter sort by it  r reverse  Esc as before",
};

static void draw_foot(const struct rt_draw *draw)
{
	const struct rt_dash_ui *ui = draw->ui;
	struct rt_box box = { ui->rows - 1, 0, ui->columns };

	if (*ui->message)
		rt_canvas_put(draw->canvas, box, RT_STYLE_STRONG, ui->message);
	else if (ui->mode == RT_MODE_FILTER)
		rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN, "/%s_   %s",
				 ui->filter, hints[RT_MODE_FILTER]);
	else
		rt_canvas_put(draw->canvas, box, RT_STYLE_DIM, hints[ui->mode]);
}

/* --- body ------------------------------------------------------------------------------- */

/* What to sort by, over the screen. */
static void draw_sorts(const struct rt_draw *draw, struct rt_box body)
{
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned count = rt_screen_sort_count(ui->screen);
	struct rt_box box = { body.row, body.column, 42 };

	rt_canvas_printf(draw->canvas, box, RT_STYLE_TAB, "%-42s", " sort by");
	for (unsigned i = 0; i < count; i++) {
		box.row++;
		rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN, " %c %-39s",
				 i == ui->sort[ui->screen] ? '*' : ' ',
				 rt_screen_sort_name(ui->screen, i));
		if (i == ui->pick)
			rt_canvas_mark(draw->canvas, box, RT_STYLE_CURSOR);
	}
}

static void draw_lines(const struct rt_draw *draw, struct rt_box body)
{
	const struct rt_dash_ui *ui = draw->ui;
	const struct rt_screen *screen = &rt_screens[ui->screen];

	screen->draw(draw, body, rt_dash_body_rows(ui));
	body.row += 2;
	if (ui->line_count == 0 && (*ui->filter || ui->only_findings))
		rt_canvas_put(draw->canvas, body, RT_STYLE_PLAIN,
			      "Nothing passes the filter (\\ clears it).");
	else if (ui->line_count == 0 && screen->lines == RT_LINES_PORTS)
		rt_canvas_put(draw->canvas, body, RT_STYLE_PLAIN,
			      "No port is known yet.");
}

/* A page that got shorter, or a screen that got taller, is shown to its end. */
static unsigned draw_page(const struct rt_draw *draw, struct rt_box body)
{
	const bool help = draw->ui->mode == RT_MODE_HELP;

	return help ? rt_draw_help_page(draw, body, rt_dash_body_rows(draw->ui))
		    : rt_draw_port_page(draw, body, rt_dash_body_rows(draw->ui));
}

static void blank(struct rt_canvas *canvas, unsigned row, unsigned rows)
{
	for (unsigned i = 0; i < rows; i++)
		for (unsigned j = 0; j < canvas->columns; j++)
			rt_canvas_set(canvas, row + i, j, RT_STYLE_PLAIN, ' ');
}

static void draw_pages(const struct rt_draw *draw, struct rt_dash_ui *ui,
		       struct rt_box body)
{
	const unsigned rows = rt_dash_body_rows(ui);
	unsigned last;

	ui->body_lines = draw_page(draw, body);
	last = ui->body_lines > rows ? ui->body_lines - rows : 0;
	if (ui->scroll > last) {
		ui->scroll = last;
		blank(draw->canvas, body.row, rows);
		draw_page(draw, body);
	}
}

/* In two lines, so that even twenty columns hold it. */
static void draw_too_small(const struct rt_draw *draw)
{
	const struct rt_dash_ui *ui = draw->ui;
	struct rt_box box = { ui->rows > 1 ? ui->rows / 2 - 1 : 0, 0, ui->columns };

	rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN, "need %ux%u,",
			 RT_DASH_LEAST_COLUMNS, RT_DASH_LEAST_ROWS);
	box.row++;
	rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN, "have %ux%u", ui->columns,
			 ui->rows);
}

int rt_dash_draw(const struct rt_dash_data *data, struct rt_dash_ui *ui,
		 struct rt_canvas *canvas)
{
	const struct rt_draw draw = { data, ui, canvas };
	const struct rt_box body = { HEAD_ROWS, 0, ui->columns };
	int r = rt_canvas_resize(canvas, ui->rows, ui->columns);

	canvas->ascii = ui->ascii;
	if (r == 0)
		r = rt_dash_settle(ui, data);
	if (r < 0)
		return r;
	if (ui->rows < RT_DASH_LEAST_ROWS || ui->columns < RT_DASH_LEAST_COLUMNS) {
		draw_too_small(&draw);
		return 0;
	}
	draw_tabs(&draw);
	draw_state(&draw);
	if (ui->mode == RT_MODE_PORT || ui->mode == RT_MODE_HELP)
		draw_pages(&draw, ui, body);
	else
		draw_lines(&draw, body);
	if (ui->mode == RT_MODE_SORT)
		draw_sorts(&draw, body);
	if (ui->mode != RT_MODE_PORT && ui->mode != RT_MODE_HELP)
		draw_status(&draw);
	draw_foot(&draw);
	return 0;
}
