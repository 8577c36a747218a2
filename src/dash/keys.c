/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "dash/files.h"
#include "dash/layout.h"
#include "dash/screens.h"
#include "dash/theme.h"
#include "rocetune/err.h"
#include "watch/watch.h"

/* --- leaving, help, modes --------------------------------------------------------------- */

static void leave(struct rt_dash *dash, int argument)
{
	(void)argument;
	dash->leave = true;
}

/* Out of the list to sort by, with the order as before. */
static void leave_sort(struct rt_dash_ui *ui)
{
	ui->reverse[ui->screen] = ui->reverse_before;
	ui->mode = RT_MODE_SCREEN;
}

static void help(struct rt_dash *dash, int argument)
{
	struct rt_dash_ui *ui = &dash->ui;

	(void)argument;
	if (ui->mode == RT_MODE_HELP) {
		ui->mode = ui->under;
	} else {
		if (ui->mode == RT_MODE_SORT)
			leave_sort(ui);
		ui->under = ui->mode;
		ui->mode = RT_MODE_HELP;
	}
	ui->scroll = 0;
}

static void go_back(struct rt_dash *dash, int argument)
{
	struct rt_dash_ui *ui = &dash->ui;

	(void)argument;
	if (ui->mode == RT_MODE_SORT)
		leave_sort(ui);
	if (ui->mode == RT_MODE_FILTER)
		memcpy(ui->filter, ui->filter_before, sizeof(ui->filter));
	ui->mode = ui->mode == RT_MODE_HELP ? ui->under : RT_MODE_SCREEN;
	ui->scroll = 0;
}

/* The port that a line is about; as many as there are: none. */
static size_t port_of_line(const struct rt_watch_snapshot *snapshot,
			   enum rt_screen_kind kind, uint32_t line)
{
	size_t port = 0;

	if (kind == RT_LINES_PORTS)
		return line;
	for (; port < snapshot->count; port++) {
		const struct rt_watch_port *about = snapshot->views[port].port;

		if (kind == RT_LINES_EVENTS
			    ? strcmp(about->name, snapshot->events[line].port) == 0
			    : memcmp(&about->ip, &snapshot->flows->fans[line].dst,
				     sizeof(about->ip)) == 0)
			break;
	}
	return port;
}

static void open_port(struct rt_dash *dash)
{
	const struct rt_dash_data data = rt_dash_shown(dash);
	struct rt_dash_ui *ui = &dash->ui;
	size_t port;

	if (ui->line_count == 0)
		return;
	port = port_of_line(data.snapshot, rt_screens[ui->screen].lines,
			    ui->lines[ui->cursor]);
	if (port == data.snapshot->count) {
		rt_dash_say(dash, "that is about no port here");
		return;
	}
	ui->port = port;
	ui->mode = RT_MODE_PORT;
	ui->scroll = 0;
}

static void enter(struct rt_dash *dash, int argument)
{
	struct rt_dash_ui *ui = &dash->ui;

	(void)argument;
	if (ui->mode == RT_MODE_SCREEN) {
		open_port(dash);
		return;
	}
	if (ui->mode == RT_MODE_SORT)
		ui->sort[ui->screen] = ui->pick;
	ui->mode = RT_MODE_SCREEN;
}

static void show(struct rt_dash *dash, int number)
{
	struct rt_dash_ui *ui = &dash->ui;

	ui->screen = (unsigned)number - 1;
	ui->mode = RT_MODE_SCREEN;
	ui->shift = 0;
}

static void turn(struct rt_dash *dash, int by)
{
	const int count = RT_DASH_SCREENS;

	show(dash, ((int)dash->ui.screen + by + count) % count + 1);
}

/* --- moving ----------------------------------------------------------------------------- */

enum move {
	MOVE_LINE = 1,
	MOVE_PAGE = 2,
	MOVE_END = 3
};

static int64_t distance(const struct rt_dash_ui *ui, int move)
{
	const int64_t page = ui->mode == RT_MODE_SCREEN ? ui->page
							: rt_dash_body_rows(ui);
	const int64_t far = INT64_C(1) << 30;
	const int size = move < 0 ? -move : move;
	const int64_t by = size == MOVE_LINE   ? 1
			   : size == MOVE_PAGE ? (page > 1 ? page - 1 : 1)
					       : far;

	return move < 0 ? -by : by;
}

static unsigned moved(unsigned from, int64_t by, unsigned last)
{
	const int64_t to = from + by;

	return (unsigned)(to < 0 ? 0 : to > last ? last : to);
}

static void move(struct rt_dash *dash, int argument)
{
	const struct rt_dash_data data = rt_dash_shown(dash);
	struct rt_dash_ui *ui = &dash->ui;
	const int64_t by = distance(ui, argument);

	if (ui->mode == RT_MODE_SCREEN)
		rt_dash_go(ui, &data, (int64_t)ui->cursor + by);
	else if (ui->mode == RT_MODE_SORT)
		ui->pick = moved(ui->pick, by, rt_screen_sort_count(ui->screen) - 1);
	else /* drawing knows where the end is */
		ui->scroll = moved(ui->scroll, by, 1u << 30);
}

/* Columns to the left and right; of a page of a port, the ports before and after. */
static void slide(struct rt_dash *dash, int by)
{
	const struct rt_dash_data data = rt_dash_shown(dash);
	struct rt_dash_ui *ui = &dash->ui;
	const size_t columns = rt_screens[ui->screen].column_count;

	if (ui->mode == RT_MODE_PORT) {
		ui->port = moved((unsigned)ui->port, by,
				 (unsigned)data.snapshot->count - 1);
		ui->scroll = 0;
	} else if (columns > 2) {
		ui->shift = moved(ui->shift, by, (unsigned)columns - 3);
	}
}

/* Some people's h is help, and others' is left, which means nothing at the edge. */
static void left_or_help(struct rt_dash *dash, int argument)
{
	if (dash->ui.shift)
		slide(dash, -1);
	else
		help(dash, argument);
}

static void key_g(struct rt_dash *dash, int argument)
{
	(void)argument;
	if (dash->ui.g_before)
		move(dash, -MOVE_END);
	dash->ui.g_before = !dash->ui.g_before;
}

/* --- what is seen ----------------------------------------------------------------------- */

static void pick_sort(struct rt_dash *dash, int argument)
{
	(void)argument;
	dash->ui.mode = RT_MODE_SORT;
	dash->ui.pick = dash->ui.sort[dash->ui.screen];
	dash->ui.reverse_before = dash->ui.reverse[dash->ui.screen];
}

static void reverse(struct rt_dash *dash, int argument)
{
	bool *reversed = &dash->ui.reverse[dash->ui.screen];

	(void)argument;
	*reversed = !*reversed;
}

static void type_filter(struct rt_dash *dash, int argument)
{
	struct rt_dash_ui *ui = &dash->ui;

	(void)argument;
	memcpy(ui->filter_before, ui->filter, sizeof(ui->filter));
	ui->mode = RT_MODE_FILTER;
}

static void rub_out(struct rt_dash *dash, int argument)
{
	char *filter = dash->ui.filter;
	size_t length = strlen(filter);

	(void)argument;
	while (length && ((unsigned char)filter[length - 1] & 0xc0) == 0x80)
		length--;
	filter[length ? length - 1 : 0] = '\0';
}

static void invert(struct rt_dash *dash, int argument)
{
	(void)argument;
	dash->ui.inverse = *dash->ui.filter && !dash->ui.inverse;
	if (!*dash->ui.filter)
		rt_dash_say(dash, "no filter: / sets one");
}

static void clear(struct rt_dash *dash, int argument)
{
	(void)argument;
	*dash->ui.filter = '\0';
	dash->ui.inverse = dash->ui.only_findings = false;
}

static void only_findings(struct rt_dash *dash, int argument)
{
	(void)argument;
	dash->ui.only_findings = !dash->ui.only_findings;
}

static void pause_picture(struct rt_dash *dash, int argument)
{
	(void)argument;
	rt_dash_pause(dash, dash->frozen == NULL);
}

static void swap_units(struct rt_dash *dash, int argument)
{
	bool *unit = argument ? &dash->ui.units.iec : &dash->ui.units.bytes;

	*unit = !*unit;
}

static void next_theme(struct rt_dash *dash, int argument)
{
	(void)argument;
	dash->ui.theme = (dash->ui.theme + 1) % RT_THEME_COUNT;
	dash->repaint = true;
	rt_dash_say(dash, "theme: %s", rt_theme_names[dash->ui.theme].help);
}

static void repaint(struct rt_dash *dash, int argument)
{
	(void)argument;
	dash->repaint = true;
}

/* --- the sampler ------------------------------------------------------------------------ */

static void change_interval(struct rt_dash *dash, int by)
{
	static const uint32_t steps_ms[] = { 100,  200,   500,   1000, 2000,
					     5000, 10000, 30000, 60000 };
	const struct rt_watch_snapshot *now = rt_watch_look(dash->watch);
	const uint64_t now_ms = now->interval_ns / UINT64_C(1000000);
	char text[RT_NUMBER_BYTES];
	uint64_t next_ms = 0;

	if (now->own_time) {
		rt_dash_say(dash, "its samples come when they do: { and } are slower "
				  "and faster");
		return;
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(steps_ms); i++)
		if (by < 0 ? steps_ms[i] < now_ms : steps_ms[i] > now_ms) {
			next_ms = steps_ms[i];
			if (by > 0)
				break;
		}
	if (next_ms == 0)
		return;
	rt_watch_set_interval(dash->watch, next_ms * UINT64_C(1000000));
	rt_dash_say(dash, "interval %s",
		    rt_number_time(next_ms * UINT64_C(1000000), text));
}

static void set_baseline(struct rt_dash *dash, int argument)
{
	struct rt_err err = { 0 };

	(void)argument;
	if (rt_watch_set_baseline(dash->watch, &err) < 0)
		rt_dash_say(dash, "%s", err.msg);
	else
		rt_dash_say(dash,
			    "counters are told since now (hardware keeps its own)");
}

static void clear_baseline(struct rt_dash *dash, int argument)
{
	(void)argument;
	rt_watch_clear_baseline(dash->watch);
	rt_dash_say(dash, "no baseline");
}

static void acknowledge(struct rt_dash *dash, int argument)
{
	const struct rt_dash_data data = rt_dash_shown(dash);
	const struct rt_dash_ui *ui = &dash->ui;

	(void)argument;
	if (rt_screens[ui->screen].lines != RT_LINES_EVENTS || ui->line_count == 0) {
		rt_dash_say(dash, "events are acknowledged on screen 6");
		return;
	}
	rt_watch_acknowledge(dash->watch,
			     data.snapshot->events[ui->lines[ui->cursor]].number);
	rt_dash_say(dash, "acknowledged");
}

/* Samples of another time; a picture that is kept is taken again there. */
static void seek(struct rt_dash *dash, int seconds)
{
	const int64_t now_ns = rt_watch_look(dash->watch)->time_ns;
	struct rt_err err = { 0 };
	int r = rt_watch_seek(dash->watch, now_ns + seconds * INT64_C(1000000000),
			      &err);

	if (r == 0)
		r = rt_watch_tick(dash->watch, &err);
	if (r < 0)
		rt_dash_say(dash, "%s", err.msg);
	else if (dash->frozen)
		rt_dash_pause(dash, true);
}

/* 0 is as fast as it goes, and so stands last. */
static void change_speed(struct rt_dash *dash, int by)
{
	static const double speeds[] = { 0.00001, 0.0001, 0.0002, 0.0005, 0.001, 0.01,
					 0.1,     0.25,   0.5,    1,      2,     5,
					 10,      30,     60,     300 };
	char text[RT_NUMBER_BYTES];
	const double now = dash->ui.speed > 0 ? dash->ui.speed : (double)INFINITY;
	double next = by < 0 ? speeds[0] : 0;

	for (size_t i = 0; i < RT_ARRAY_SIZE(speeds); i++)
		if (by < 0 ? speeds[i] < now : speeds[i] > now) {
			next = speeds[i];
			if (by > 0)
				break;
		}
	dash->ui.speed = next;
	if (next > 0)
		rt_dash_say(dash, "speed %s of recordings and simulations",
			    rt_number_speed(next, text));
	else
		rt_dash_say(dash, "recordings and simulations as fast as it goes");
}

/* --- files ------------------------------------------------------------------------------ */

static void write_snapshot(struct rt_dash *dash, int argument)
{
	const struct rt_dash_data data = rt_dash_shown(dash);
	struct rt_err err = { 0 };
	char path[4096];

	(void)argument;
	if ((!dash->frozen && rt_watch_explain(dash->watch, &err) < 0) ||
	    rt_dash_write_snapshot(dash->options, data.snapshot, path, sizeof(path),
				   &err) < 0)
		rt_dash_say(dash, "%s", err.msg);
	else
		rt_dash_say(dash, "snapshot written to %s", path);
}

static void record(struct rt_dash *dash, int argument)
{
	const char *now = rt_watch_recording(dash->watch);
	struct rt_err err = { 0 };
	char path[4096];
	int r;

	(void)argument;
	if (now) {
		snprintf(path, sizeof(path), "%s", now);
		r = rt_watch_record(dash->watch, NULL, &err);
	} else {
		r = rt_dash_name_file(dash->options, rt_watch_look(dash->watch), "rtw",
				      path, sizeof(path), &err);
		if (r == 0)
			r = rt_watch_record(dash->watch, path, &err);
	}
	if (r < 0)
		rt_dash_say(dash, "%s", err.msg);
	else if (now && rt_dash_is_empty(path))
		rt_dash_say(dash, "nothing was recorded to %s: no sample came", path);
	else
		rt_dash_say(dash, now ? "recorded to %s" : "recording to %s", path);
}

static void save_layout(struct rt_dash *dash, int argument)
{
	const char *path = dash->options->layout_file;
	struct rt_err err = { 0 };

	(void)argument;
	if (!path)
		rt_dash_say(dash, "there is no place for a layout");
	else if (rt_dash_layout_save(path, &dash->ui, &err) < 0)
		rt_dash_say(dash, "%s", err.msg);
	else
		rt_dash_say(dash, "layout saved to %s", path);
}

/* --- the table -------------------------------------------------------------------------- */

#define LISTS  RT_IN_LISTS
#define SCREEN RT_IN_SCREEN
#define VIEWS  RT_IN_VIEWS
#define CTRL   RT_KEY_CTRL

const struct rt_dash_key rt_dash_keys[] = {
	{ 'q', LISTS, "q", "leave", leave, 0 },
	{ RT_KEY_F10, RT_IN_ALL, "F10", "leave", leave, 0 },
	{ CTRL('C'), RT_IN_ALL, "Ctrl-C", "leave", leave, 0 },
	{ '?', LISTS, "?", "this help", help, 0 },
	{ 'h', RT_IN_HELP | RT_IN_PORT, "h", "this help", help, 0 },
	{ RT_KEY_F1, RT_IN_ALL, "F1", "this help", help, 0 },
	{ '1', VIEWS | RT_IN_HELP, "1", "show a screen", show, 1 },
	{ '2', VIEWS | RT_IN_HELP, "2", "show a screen", show, 2 },
	{ '3', VIEWS | RT_IN_HELP, "3", "show a screen", show, 3 },
	{ '4', VIEWS | RT_IN_HELP, "4", "show a screen", show, 4 },
	{ '5', VIEWS | RT_IN_HELP, "5", "show a screen", show, 5 },
	{ '6', VIEWS | RT_IN_HELP, "6", "show a screen", show, 6 },
	{ RT_KEY_TAB, VIEWS | RT_IN_HELP, "Tab", "next screen, or the one before", turn,
	  1 },
	{ RT_KEY_BACKTAB, VIEWS | RT_IN_HELP, "Shift-Tab",
	  "next screen, or the one before", turn, -1 },
	{ RT_KEY_ENTER, RT_IN_SCREEN | RT_IN_SORT | RT_IN_FILTER, "Enter",
	  "open a port; take what was typed or picked", enter, 0 },
	{ RT_KEY_ESCAPE, RT_IN_ALL & ~RT_IN_SCREEN, "Esc", "back", go_back, 0 },
	{ RT_KEY_UP, LISTS, "Up", "up or down", move, -MOVE_LINE },
	{ 'k', LISTS, "k", "up or down", move, -MOVE_LINE },
	{ RT_KEY_DOWN, LISTS, "Down", "up or down", move, MOVE_LINE },
	{ 'j', LISTS, "j", "up or down", move, MOVE_LINE },
	{ RT_KEY_LEFT, VIEWS, "Left", "columns or ports to the left or right", slide,
	  -1 },
	{ 'h', SCREEN, "h", "as Left; at the left edge, this help", left_or_help, 0 },
	{ RT_KEY_RIGHT, VIEWS, "Right", "columns or ports to the left or right", slide,
	  1 },
	{ 'l', SCREEN, "l", "columns or ports to the left or right", slide, 1 },
	{ RT_KEY_PAGE_UP, LISTS, "PgUp", "a page up or down", move, -MOVE_PAGE },
	{ RT_KEY_PAGE_DOWN, LISTS, "PgDn", "a page up or down", move, MOVE_PAGE },
	{ RT_KEY_HOME, LISTS, "Home", "to the beginning or the end", move, -MOVE_END },
	{ 'g', LISTS, "gg", "to the beginning or the end", key_g, 0 },
	{ RT_KEY_END, LISTS, "End", "to the beginning or the end", move, MOVE_END },
	{ 'G', LISTS, "G", "to the beginning or the end", move, MOVE_END },
	{ 's', SCREEN, "s", "pick what to sort by", pick_sort, 0 },
	{ '>', SCREEN, ">", "pick what to sort by", pick_sort, 0 },
	{ RT_KEY_F6, SCREEN, "F6", "pick what to sort by", pick_sort, 0 },
	{ 'I', SCREEN | RT_IN_SORT, "I", "sort the other way round", reverse, 0 },
	{ 'r', SCREEN | RT_IN_SORT, "r", "sort the other way round", reverse, 0 },
	{ '/', SCREEN, "/", "show only lines that hold a text", type_filter, 0 },
	{ '!', SCREEN, "!", "show the other lines: inverts the filter of /", invert,
	  0 },
	{ '\\', SCREEN, "\\", "show all lines", clear, 0 },
	{ CTRL('Z'), SCREEN, "Ctrl-Z", "show only what has findings, or all",
	  only_findings, 0 },
	{ RT_KEY_BACKSPACE, RT_IN_FILTER, "Backspace",
	  "rub out a character of the text", rub_out, 0 },
	{ ' ', VIEWS, "space", "stop the picture, sampling goes on; and again",
	  pause_picture, 0 },
	{ 'P', VIEWS, "P", "stop the picture, sampling goes on; and again",
	  pause_picture, 0 },
	{ 'Z', VIEWS, "Z", "stop the picture, sampling goes on; and again",
	  pause_picture, 0 },
	{ '+', VIEWS, "+", "live: sample less often, or more: 100 ms to 60 s",
	  change_interval, 1 },
	{ '-', VIEWS, "-", "live: sample less often, or more: 100 ms to 60 s",
	  change_interval, -1 },
	{ 'z', VIEWS, "z", "baseline: tell counters since now (r: of a port's page)",
	  set_baseline, 0 },
	{ 'r', RT_IN_PORT, "r",
	  "baseline: tell counters since now (r: of a port's page)", set_baseline, 0 },
	{ 'c', VIEWS, "c", "no baseline", clear_baseline, 0 },
	{ 'u', VIEWS, "u", "bits or bytes a second", swap_units, 0 },
	{ 'i', VIEWS, "i", "prefixes of 1000 or 1024", swap_units, 1 },
	{ 't', VIEWS, "t", "next theme", next_theme, 0 },
	{ 'a', SCREEN, "a", "acknowledge the event under the cursor", acknowledge, 0 },
	{ 'e', VIEWS, "e", "write what is shown to a file, as JSON", write_snapshot,
	  0 },
	{ 'E', VIEWS, "E", "begin or end a recording", record, 0 },
	{ 'w', VIEWS, "w", "save screen, order, units and theme", save_layout, 0 },
	{ '[', VIEWS, "[", "10 s back or on, of recordings", seek, -10 },
	{ ']', VIEWS, "]", "10 s back or on, of recordings", seek, 10 },
	{ '{', VIEWS, "{", "slower or faster, of recordings", change_speed, -1 },
	{ '}', VIEWS, "}", "slower or faster, of recordings", change_speed, 1 },
	{ CTRL('L'), RT_IN_ALL, "Ctrl-L", "draw the screen anew", repaint, 0 },
};
const size_t rt_dash_key_count = RT_ARRAY_SIZE(rt_dash_keys);

/* A character of what is being typed. */
static void type(struct rt_dash_ui *ui, int code)
{
	const size_t length = strlen(ui->filter);
	char bytes[5];
	size_t count;

	if (code < ' ' || code == 0x7f || code > 0x10ffff)
		return;
	count = rt_character_utf8((uint32_t)code, bytes);
	if (length + count < sizeof(ui->filter))
		memcpy(ui->filter + length, bytes, count + 1);
}

void rt_dash_press(struct rt_dash *dash, int code)
{
	const struct rt_dash_data data = rt_dash_shown(dash);
	const unsigned mode = 1u << dash->ui.mode;

	if (rt_dash_settle(&dash->ui, &data) < 0)
		return;
	if (code != 'g')
		dash->ui.g_before = false;
	for (size_t i = 0; i < rt_dash_key_count; i++)
		if (rt_dash_keys[i].code == code && rt_dash_keys[i].modes & mode) {
			rt_dash_keys[i].act(dash, rt_dash_keys[i].argument);
			return;
		}
	if (mode == RT_IN_FILTER)
		type(&dash->ui, code);
}
