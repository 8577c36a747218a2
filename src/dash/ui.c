/* SPDX-License-Identifier: BSD-2-Clause */
/* ui.c - which lines a screen has, in which order, and where the cursor is. */
#include "dash/ui.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "dash/table.h"

void rt_dash_ui_free(struct rt_dash_ui *ui)
{
	free(ui->lines);
	ui->lines = NULL;
	ui->line_count = ui->line_capacity = 0;
}

/* --- filter ----------------------------------------------------------------------------- */

/* Whether one of the words holds the filter, in any case of letters. */
static bool holds(const struct rt_dash_ui *ui, const char *const *words, size_t count)
{
	bool found = false;

	for (size_t i = 0; i < count && !found; i++)
		found = words[i] && strcasestr(words[i], ui->filter);
	return found;
}

static bool shows_port(const struct rt_dash_ui *ui, const struct rt_watch_view *view)
{
	const struct rt_finding *worst = rt_view_worst(view);
	const char *const words[] = { view->port->name,
				      view->port->netdev,
				      view->port->driver,
				      view->port->peer,
				      rt_name_of(rt_verdict_names, view->verdict),
				      worst ? worst->id : NULL };

	if (ui->only_findings && !worst)
		return false;
	return !*ui->filter || holds(ui, words, RT_ARRAY_SIZE(words)) != ui->inverse;
}

/* By the receiver's address, or one of its senders'. */
static bool shows_fan(const struct rt_dash_ui *ui, const struct rt_watch_flows *flows,
		      const struct rt_watch_fan *fan)
{
	char text[RT_IP_TEXT_BYTES];
	const char *const words[] = { text };
	bool found;

	rt_ip_format(&fan->dst, text);
	found = holds(ui, words, 1);
	for (size_t i = 0; i < flows->count && !found; i++)
		if (memcmp(&flows->items[i].dst, &fan->dst, sizeof(fan->dst)) == 0) {
			rt_ip_format(&flows->items[i].src, text);
			found = holds(ui, words, 1);
		}
	return !*ui->filter || found != ui->inverse;
}

static bool shows_event(const struct rt_dash_ui *ui, const struct rt_watch_event *event)
{
	const char *const words[] = { event->port, event->id, event->text };

	if (ui->only_findings && event->kind != RT_EVENT_FINDING_BEGAN &&
	    event->kind != RT_EVENT_FINDING_ENDED)
		return false;
	return !*ui->filter || holds(ui, words, RT_ARRAY_SIZE(words)) != ui->inverse;
}

/* --- lines ------------------------------------------------------------------------------ */

static int add_line(struct rt_dash_ui *ui, size_t number)
{
	uint32_t *grown = rt_grow(ui->lines, ui->line_count, &ui->line_capacity,
				  sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	ui->lines = grown;
	ui->lines[ui->line_count++] = (uint32_t)number;
	return 0;
}

static int find_lines(struct rt_dash_ui *ui, const struct rt_watch_snapshot *snapshot)
{
	const enum rt_screen_kind kind = rt_screens[ui->screen].lines;
	const size_t count = kind == RT_LINES_PORTS  ? snapshot->count
			     : kind == RT_LINES_FANS ? snapshot->flows->fan_count
						     : snapshot->event_count;
	int r = 0;

	ui->line_count = 0;
	for (size_t i = 0; i < count && r == 0; i++) {
		/* Of events the newest comes first. */
		const size_t at = kind == RT_LINES_EVENTS ? count - 1 - i : i;
		const bool shown = kind == RT_LINES_PORTS
					   ? shows_port(ui, &snapshot->views[at])
				   : kind == RT_LINES_FANS
					   ? shows_fan(ui, snapshot->flows,
						       &snapshot->flows->fans[at])
					   : shows_event(ui, &snapshot->events[at]);

		if (shown)
			r = add_line(ui, at);
	}
	return r;
}

struct order {
	const struct rt_watch_snapshot *snapshot;
	const struct rt_dash_ui *ui;
	const struct rt_column *column;
};

static double weigh(const struct order *order, uint32_t line)
{
	const unsigned sort = order->ui->sort[order->ui->screen];

	switch (rt_screens[order->ui->screen].lines) {
	case RT_LINES_PORTS: {
		const struct rt_watch_view *view = &order->snapshot->views[line];
		const struct rt_column *column = order->column;

		return column->weight ? column->weight(view)
				      : rt_column_value(column, view);
	}
	case RT_LINES_FANS: {
		const struct rt_watch_fan *fan = &order->snapshot->flows->fans[line];

		return sort == 1   ? fan->senders
		       : sort == 2 ? -rt_number_or_nan(fan->jain)
				   : (double)fan->ce;
	}
	case RT_LINES_EVENTS: return order->snapshot->events[line].severity;
	}
	return 0;
}

/* The most first, what is unknown last, and otherwise as they come. */
static int compare(const void *a, const void *b, void *context)
{
	const struct order *order = context;
	const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	const double x = weigh(order, one), y = weigh(order, other);
	const bool later = rt_screens[order->ui->screen].lines == RT_LINES_EVENTS;

	if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1;
	if (x > y || x < y)
		return (x > y) != order->ui->reverse[order->ui->screen] ? -1 : 1;
	return (one < other) != later ? -1 : one != other;
}

static void sort_lines(struct rt_dash_ui *ui, const struct rt_watch_snapshot *snapshot)
{
	struct order order = {
		.snapshot = snapshot,
		.ui = ui,
		.column = rt_screen_sort_column(ui->screen, ui->sort[ui->screen]),
	};

	if (ui->sort[ui->screen]) {
		qsort_r(ui->lines, ui->line_count, sizeof(*ui->lines), compare, &order);
		return;
	}
	for (size_t i = 0; ui->reverse[ui->screen] && i < ui->line_count / 2; i++) {
		const uint32_t kept = ui->lines[i];

		ui->lines[i] = ui->lines[ui->line_count - 1 - i];
		ui->lines[ui->line_count - 1 - i] = kept;
	}
}

/* --- cursor ----------------------------------------------------------------------------- */

/* They are sorted anew in each window: their places say nothing. */
static bool is_fan(const struct rt_dash_ui *ui,
		   const struct rt_watch_snapshot *snapshot, uint32_t line)
{
	return memcmp(&snapshot->flows->fans[line].dst, &ui->fan, sizeof(ui->fan)) == 0;
}

/* Where the line is that the cursor was on; when it has gone, where it was. */
static size_t find_cursor(const struct rt_dash_ui *ui,
			  const struct rt_watch_snapshot *snapshot)
{
	const enum rt_screen_kind kind = rt_screens[ui->screen].lines;

	if ((kind == RT_LINES_EVENTS && ui->event == 0) ||
	    (kind == RT_LINES_FANS && ui->fan.version == 0))
		return 0;
	for (size_t i = 0; i < ui->line_count; i++) {
		const uint32_t line = ui->lines[i];

		if (kind == RT_LINES_PORTS ? line == ui->port
		    : kind == RT_LINES_FANS
			    ? is_fan(ui, snapshot, line)
			    : snapshot->events[line].number == ui->event)
			return i;
	}
	return ui->cursor < ui->line_count ? ui->cursor
	       : ui->line_count            ? ui->line_count - 1
					   : 0;
}

void rt_dash_go(struct rt_dash_ui *ui, const struct rt_dash_data *data, int64_t place)
{
	const int64_t last = (int64_t)ui->line_count - 1;
	const size_t cursor = (size_t)(place < 0 ? 0 : place > last ? last : place);

	if (ui->line_count == 0)
		return;
	ui->cursor = cursor;
	switch (rt_screens[ui->screen].lines) {
	case RT_LINES_PORTS: ui->port = ui->lines[cursor]; break;
	case RT_LINES_FANS:
		ui->fan = data->snapshot->flows->fans[ui->lines[cursor]].dst;
		break;
	case RT_LINES_EVENTS:
		/* At the top it goes with what comes. */
		ui->event = cursor == 0
				    ? 0
				    : data->snapshot->events[ui->lines[cursor]].number;
		break;
	}
}

static void scroll_to_cursor(struct rt_dash_ui *ui)
{
	unsigned *top = &ui->top[ui->screen];

	ui->page = rt_dash_list_rows(ui);
	if (*top + ui->page > ui->line_count)
		*top = ui->line_count > ui->page ? (unsigned)ui->line_count - ui->page
						 : 0;
	if (ui->cursor < *top)
		*top = (unsigned)ui->cursor;
	if (ui->page && ui->cursor >= *top + ui->page)
		*top = (unsigned)ui->cursor - ui->page + 1;
}

int rt_dash_settle(struct rt_dash_ui *ui, const struct rt_dash_data *data)
{
	const int r = find_lines(ui, data->snapshot);

	if (r < 0)
		return r;
	sort_lines(ui, data->snapshot);
	ui->cursor = find_cursor(ui, data->snapshot);
	/* It stays also on a receiver that no key was pressed at. */
	if (rt_screens[ui->screen].lines == RT_LINES_FANS && ui->fan.version == 0)
		rt_dash_go(ui, data, 0);
	scroll_to_cursor(ui);
	return 0;
}
