/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - a dashboard at work, without a terminal. */
#include "dash/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "dash/layout.h"
#include "dash/screens.h"
#include "rocetune/err.h"

#define MESSAGE_NS INT64_C(5000000000)

void rt_dash_begin(struct rt_dash *dash, struct rt_watch *watch,
		   const struct rt_dash_options *options, bool ascii)
{
	struct rt_err err = { 0 };

	*dash = (struct rt_dash){ .watch = watch, .options = options };
	dash->ui.ascii = ascii;
	dash->ui.speed = options->speed >= 0 ? options->speed : 1;
	if (options->layout_file &&
	    rt_dash_layout_load(options->layout_file, &dash->ui, &err) < 0)
		rt_dash_say(dash, "%s", err.msg);
	if (options->screen >= 1 && options->screen <= RT_DASH_SCREENS)
		dash->ui.screen = options->screen - 1;
}

void rt_dash_end(struct rt_dash *dash)
{
	rt_dash_thaw(dash->frozen);
	dash->frozen = NULL;
	rt_dash_ui_free(&dash->ui);
}

struct rt_dash_data rt_dash_shown(const struct rt_dash *dash)
{
	struct rt_dash_data live = rt_dash_data_of(dash->watch);
	struct rt_dash_data data;

	if (!dash->frozen)
		return live;
	data = *rt_dash_frozen_data(dash->frozen);
	data.recording = live.recording;
	return data;
}

/* Nobody ended it: in front of all else that was said, as "recording to" is no more so. */
static void tell_lost_recording(struct rt_dash *dash)
{
	const char *lost = rt_watch_recording_lost(dash->watch);

	if (lost && !dash->told_lost)
		rt_dash_say(dash, "%s", lost);
	dash->told_lost = lost != NULL;
}

int rt_dash_picture(struct rt_dash *dash, unsigned rows, unsigned columns,
		    struct rt_canvas *canvas)
{
	const struct rt_dash_data data = rt_dash_shown(dash);

	if (!dash->frozen && rt_watch_explain(dash->watch, NULL) < 0)
		return -ENOMEM;
	tell_lost_recording(dash);
	dash->ui.rows = rows;
	dash->ui.columns = columns;
	dash->ui.paused = dash->frozen != NULL;
	dash->ui.paused_ns = (uint64_t)(dash->now_ns - dash->paused_ns);
	if (*dash->ui.message && dash->now_ns - dash->message_ns > MESSAGE_NS)
		*dash->ui.message = '\0';
	return rt_dash_draw(&data, &dash->ui, canvas);
}

void rt_dash_say(struct rt_dash *dash, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(dash->ui.message, sizeof(dash->ui.message), format, args);
	va_end(args);
	dash->message_ns = dash->now_ns;
}

void rt_dash_pause(struct rt_dash *dash, bool paused)
{
	const struct rt_dash_data live = rt_dash_data_of(dash->watch);

	rt_dash_thaw(dash->frozen);
	dash->frozen = NULL;
	if (paused && rt_watch_explain(dash->watch, NULL) == 0)
		dash->frozen = rt_dash_freeze(&live);
	dash->paused_ns = dash->now_ns;
	if (paused && !dash->frozen)
		rt_dash_say(dash, "no memory to keep the picture");
}
