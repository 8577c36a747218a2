/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_port.c - all of one port: what is wrong, and every counter with its origin. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dash/glyphs.h"
#include "dash/page.h"

/* --- what it is ------------------------------------------------------------------------- */

static void put_prios(struct rt_line *line, const char *title, struct rt_opt_u64 mask)
{
	rt_line_put(line, "  %s ", title);
	if (!mask.known || !mask.value)
		rt_line_put(line, "%s", mask.known ? "none" : "-");
	for (unsigned prio = 0, put = 0; mask.known && prio < 8; prio++)
		if (mask.value >> prio & 1)
			rt_line_put(line, "%s%u", put++ ? "," : "", prio);
}

static void put_rate(struct rt_line *line, const char *title, struct rt_opt_u64 bps)
{
	char text[RT_NUMBER_BYTES];

	rt_number_scaled(bps.known ? (double)bps.value : (double)NAN, false, 5, text);
	rt_line_put(line, "%s%s%s", title, text, bps.known ? "b/s" : "");
}

static void describe(struct rt_page *page, const struct rt_watch_view *view)
{
	const struct rt_watch_port *port = view->port;
	char text[512] = "", ip[RT_IP_TEXT_BYTES];
	struct rt_line line = { text, sizeof(text), 0 };

	rt_line_put(&line, "netdev %s  driver %s  %s",
		    *port->netdev ? port->netdev : "-",
		    *port->driver ? port->driver : "-",
		    rt_name_of(rt_watch_state_names, port->state));
	put_rate(&line, "  ", port->speed_bps);
	rt_line_put(&line, "  MTU ");
	if (port->mtu_bytes.known)
		rt_line_put(&line, "%" PRIu64, port->mtu_bytes.value);
	else
		rt_line_put(&line, "-");
	rt_line_put(&line, "  address %s", rt_ip_format(&port->ip, ip));
	put_prios(&line, "lossless priorities", port->lossless);
	put_prios(&line, "RDMA meant for", port->rdma_prios);
	if (port->pcie_bps.known) {
		put_rate(&line, "  PCIe ", port->pcie_bps);
		put_rate(&line, " of ", port->pcie_max_bps);
	}
	if (*port->peer)
		rt_line_put(&line, "  peer %s", port->peer);
	rt_page_text(page, 0, RT_STYLE_PLAIN, text);
	if (*port->note)
		rt_page_text(page, 0, RT_STYLE_UNSURE, port->note);
}

/* --- what is wrong ---------------------------------------------------------------------- */

static void put_labelled(struct rt_page *page, const char *label, const char *text)
{
	char all[1600];

	if (!text || !*text)
		return;
	snprintf(all, sizeof(all), "%s%s", label, text);
	rt_page_text(page, 2, RT_STYLE_PLAIN, all);
}

/* Where it is, is said where that is not just the port. */
static void show_finding(struct rt_page *page, const struct rt_watch_view *view,
			 const struct rt_finding *finding)
{
	const unsigned style = rt_style_of_severity(finding->severity);
	const bool elsewhere = *finding->where &&
			       strcmp(finding->where, view->port->name) != 0;
	struct rt_box box = rt_page_line(page);

	rt_canvas_set(page->canvas, box.row, box.column, style,
		      rt_glyphs_of(page->canvas)->severities[finding->severity]);
	box.column += 2;
	box.width -= 2;
	rt_canvas_printf(page->canvas, box, style, "%s%s%s  [%s]", finding->title,
			 elsewhere ? ": " : "", elsewhere ? finding->where : "",
			 finding->id);
	put_labelled(page, "Seen: ", finding->evidence);
	put_labelled(page, "", finding->explain);
	put_labelled(page, "Remedy: ", finding->remedy);
}

static void show_findings(struct rt_page *page, const struct rt_watch_view *view)
{
	char title[80];
	const char *verdict = rt_name_of(rt_verdict_names, view->verdict);

	snprintf(title, sizeof(title), "Verdict: %s", verdict ? verdict : "-");
	rt_page_heading(page, title);
	for (size_t i = 0; i < view->findings.count; i++)
		show_finding(page, view, &view->findings.items[i]);
	if (view->findings.count == 0)
		rt_page_text(page, 2, RT_STYLE_PLAIN, "No rule found anything.");
}

/* --- where it is read ------------------------------------------------------------------- */

static void put_time(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		     struct rt_opt_u64 ns)
{
	char text[RT_NUMBER_BYTES] = "-";

	if (ns.known)
		rt_number_time(ns.value, text);
	rt_canvas_put_right(canvas, box, style, text);
}

static void show_source(struct rt_page *page, const struct rt_watch_pace *pace)
{
	const struct rt_box line = rt_page_line(page);
	const unsigned style = pace->old || pace->state != RT_LOOK_READ
				       ? RT_STYLE_DIM
				       : RT_STYLE_PLAIN;
	const struct rt_opt_u64 times[] = {
		pace->age_ns,
		pace->refresh_ns,
		{ pace->cost_ns, pace->state == RT_LOOK_READ },
		{ pace->every_ns, pace->state == RT_LOOK_READ },
	};
	struct rt_box box = line;

	box.width = 14;
	rt_canvas_printf(page->canvas, box, style, "  %s",
			 rt_name_of(rt_counter_source_names, pace->source));
	box.column += 14;
	box.width = 7;
	rt_canvas_put(page->canvas, box, style,
		      rt_name_of(rt_counter_look_names, pace->state));
	for (size_t i = 0; i < 4; i++) {
		box.column += box.width;
		box.width = 9;
		put_time(page->canvas, box, style, times[i]);
	}
	box.column += box.width + 2;
	box.width = line.column + line.width - box.column;
	rt_canvas_printf(page->canvas, box, style, "%s%s%s", pace->old ? "old " : "",
			 pace->slowed ? "slowed " : "", pace->why);
}

static void show_sources(struct rt_page *page, const struct rt_watch_view *view)
{
	struct rt_box box;

	rt_page_heading(page, "Sources");
	box = rt_page_line(page);
	rt_canvas_put(
		page->canvas, box, RT_STYLE_HEADER,
		"  source      state        age  changes     cost     read  remarks");
	for (size_t i = 0; i < view->pace_count; i++)
		if (view->paces[i].state != RT_LOOK_NONE)
			show_source(page, &view->paces[i]);
}

/* --- counters --------------------------------------------------------------------------- */

#define EXACT_COLUMNS 20u /* of a value that is written to its last digit */

/* Where the columns of counters are. */
struct columns {
	struct rt_box label, value, rate, history, since, origin;
};

static struct columns place_columns(struct rt_box box)
{
	const bool wide = box.width >= 110;
	struct columns columns;
	struct rt_box *const all[] = {
		&columns.label,   &columns.value, &columns.rate,
		&columns.history, &columns.since, &columns.origin
	};
	const unsigned widths[] = { wide ? 34 : 29, wide ? EXACT_COLUMNS : 7,
				    wide ? 7 : 5,   wide ? 16 : 5,
				    wide ? 8 : 6,   0 };
	unsigned column = box.column;

	for (size_t i = 0; i < 6; i++) {
		*all[i] = (struct rt_box){ box.row, column, widths[i] };
		column += widths[i] + 1;
	}
	columns.origin.width = box.width > columns.origin.column
				       ? box.width - columns.origin.column
				       : 0;
	return columns;
}

/* With the letter of what there are so many of, in width with it. */
static void write_lettered(double value, char letter, bool iec, unsigned width,
			   char text[RT_NUMBER_BYTES])
{
	const bool some = value > 0;
	const char tail[2] = { letter, '\0' };

	rt_number_scaled(value, iec, width - some, text);
	if (some)
		strcat(text, tail);
}

/* To the last digit and with its unit; false: there is no room for that. */
static bool write_exactly(unsigned unit, uint64_t value, unsigned width,
			  char text[RT_NUMBER_BYTES])
{
	const char *letters = unit == RT_UNIT_NS      ? " ns"
			      : unit == RT_UNIT_BYTES ? " B"
						      : "";

	return width >= EXACT_COLUMNS &&
	       snprintf(text, RT_NUMBER_BYTES, "%" PRIu64 "%s", value,
			value ? letters : "") <= (int)width;
}

static void write_value(const struct rt_counter_reading *reading, uint64_t value,
			const struct rt_dash_units *units, unsigned width,
			char text[RT_NUMBER_BYTES])
{
	const unsigned unit = rt_counters[reading->counter].unit;

	if (value == UINT64_MAX)
		strcpy(text, "-");
	else if (write_exactly(unit, value, width, text))
		return;
	else if (unit == RT_UNIT_NS && value)
		rt_number_time(value, text);
	else if (unit == RT_UNIT_BYTES)
		write_lettered((double)value, 'B', units->iec, width, text);
	else if (snprintf(text, RT_NUMBER_BYTES, "%" PRIu64, value) > (int)width)
		rt_number_scaled((double)value, false, width, text);
}

/* Of time the share of it that is spent so. */
static void write_rate(const struct rt_counter_reading *reading, double per_s,
		       const struct rt_dash_units *units, unsigned width,
		       char text[RT_NUMBER_BYTES])
{
	switch (rt_counters[reading->counter].unit) {
	case RT_UNIT_NS: rt_number_percent(per_s / 1e7, text); break;
	case RT_UNIT_BYTES:
		write_lettered(units->bytes ? per_s : per_s * 8,
			       units->bytes ? 'B' : 'b', units->iec, width, text);
		break;
	default: rt_number_scaled(per_s, false, width, text);
	}
}

/* Never counted anything, and of a priority. */
static bool is_idle(const struct rt_watch_view *view, size_t item)
{
	return view->set->items[item].prio != RT_COUNTER_NO_PRIO &&
	       view->set->items[item].value == 0 && !(view->per_s[item] > 0);
}

/* The last of those after item that are idle priorities of the same counter too. */
static size_t last_alike(const struct rt_watch_view *view, size_t item)
{
	const struct rt_counter_reading *items = view->set->items;
	size_t last = item;

	while (is_idle(view, item) && last + 1 < view->set->count &&
	       items[last + 1].counter == items[item].counter &&
	       items[last + 1].source == items[item].source &&
	       items[last + 1].prio == items[last].prio + 1 && is_idle(view, last + 1))
		last++;
	return last;
}

static void put_history(const struct rt_draw *draw, struct rt_box box, size_t item)
{
	float values[RT_WATCH_POINTS];
	const size_t count = draw->data->counter_history(
		draw->data->context, draw->ui->port, item, values, box.width);
	double most = 0;

	for (size_t i = 0; i < count; i++)
		most = (double)values[i] > most ? (double)values[i] : most;
	rt_draw_spark(draw->canvas, box, RT_STYLE_RX, values, count, most);
}

static void put_label(struct rt_canvas *canvas, struct rt_box box, unsigned style,
		      bool old, const struct rt_counter_reading *first,
		      const struct rt_counter_reading *last)
{
	char prio[16] = "";

	if (first->prio != last->prio)
		snprintf(prio, sizeof(prio), "p%u-%u ", first->prio, last->prio);
	else if (first->prio != RT_COUNTER_NO_PRIO)
		snprintf(prio, sizeof(prio), "p%u ", first->prio);
	rt_canvas_printf(canvas, box, style, "%c%s%s",
			 old ? (char)rt_glyphs_of(canvas)->old : ' ', prio,
			 rt_counters[first->counter].label);
}

/* A line for item; for all up to last where they are alike. */
static void show_counter(const struct rt_draw *draw, struct rt_page *page, size_t item,
			 size_t last)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[draw->ui->port];
	const struct rt_counter_reading *reading = &view->set->items[item];
	const struct columns at = place_columns(rt_page_line(page));
	const bool old = rt_view_is_old(view, 1u << reading->source);
	const unsigned style = old ? RT_STYLE_DIM : RT_STYLE_PLAIN;
	const struct rt_dash_units *units = &draw->ui->units;
	char text[RT_NUMBER_BYTES];

	if (at.label.row >= page->canvas->rows)
		return;
	put_label(page->canvas, at.label, style, old, reading, &view->set->items[last]);
	write_value(reading, reading->value, units, at.value.width, text);
	rt_canvas_put_right(page->canvas, at.value, style, text);
	write_rate(reading, (double)view->per_s[item], units, at.rate.width, text);
	rt_canvas_put_right(page->canvas, at.rate, style, text);
	put_history(draw, at.history, item);
	write_value(reading, view->since[item], units, at.since.width, text);
	rt_canvas_put_right(page->canvas, at.since, style, text);
	rt_canvas_printf(page->canvas, at.origin, RT_STYLE_DIM, "%s %s%s",
			 rt_name_of(rt_counter_source_names, reading->source),
			 reading->name, last > item ? " and so on" : "");
}

static void show_group(struct rt_page *page, unsigned group)
{
	for (const struct rt_name *name = rt_counter_group_names; name->name; name++)
		if (name->value == group)
			rt_canvas_put(page->canvas, rt_page_line(page), RT_STYLE_HEADER,
				      name->help);
}

static void show_counters(const struct rt_draw *draw, struct rt_page *page)
{
	const struct rt_watch_view *view = &draw->data->snapshot->views[draw->ui->port];
	struct columns at;

	rt_page_heading(page, "Counters");
	at = place_columns(rt_page_line(page));
	rt_canvas_put_right(page->canvas, at.value, RT_STYLE_HEADER, "value");
	rt_canvas_put_right(page->canvas, at.rate, RT_STYLE_HEADER, "/s");
	rt_canvas_put_right(page->canvas, at.since, RT_STYLE_HEADER, "since");
	rt_canvas_put(page->canvas, at.origin, RT_STYLE_HEADER, "read from");
	for (size_t i = 0; i < view->set->count; i++) {
		const unsigned group = rt_counters[view->set->items[i].counter].group;
		const size_t last = last_alike(view, i);

		if (i == 0 ||
		    rt_counters[view->set->items[i - 1].counter].group != group)
			show_group(page, group);
		show_counter(draw, page, i, last);
		i = last;
	}
}

static void show_unknown(struct rt_page *page, const struct rt_watch_view *view)
{
	char text[3000] = "";
	struct rt_line line = { text, sizeof(text), 0 };
	unsigned known = 0;

	for (size_t i = 0; i < RT_COUNTER_COUNT; i++) {
		bool found = false;

		for (size_t j = 0; j < view->set->count && !found; j++)
			found = view->set->items[j].counter == i;
		if (!found)
			rt_line_put(&line, "%s%s", line.used ? ", " : "",
				    rt_counters[i].name);
		known += found;
	}
	if (known == RT_COUNTER_COUNT)
		return;
	rt_page_heading(page, "Unknown here");
	rt_page_text(page, 2, RT_STYLE_DIM, text);
}

unsigned rt_draw_port_page(const struct rt_draw *draw, struct rt_box body,
			   unsigned rows)
{
	const struct rt_watch_view *view;
	struct rt_page page = { draw->canvas, body, rows, draw->ui->scroll, 0 };
	struct rt_box box;

	if (draw->ui->port >= draw->data->snapshot->count)
		return 0;
	view = &draw->data->snapshot->views[draw->ui->port];
	box = rt_page_line(&page);
	rt_canvas_set(page.canvas, box.row, box.column, rt_view_style(view),
		      rt_view_sign(page.canvas, view));
	box.column += 2;
	box.width -= 2;
	rt_canvas_put(page.canvas, box, RT_STYLE_STRONG, view->port->name);
	describe(&page, view);
	show_findings(&page, view);
	show_sources(&page, view);
	show_counters(draw, &page);
	show_unknown(&page, view);
	return page.line;
}
