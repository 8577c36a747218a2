/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_events.c - what happened, the newest first. */
#include "base/when.h"
#include "dash/glyphs.h"
#include "dash/screens.h"

static void draw_event(const struct rt_draw *draw, const struct rt_watch_event *event,
		       struct rt_box box)
{
	const unsigned style = event->acknowledged ? RT_STYLE_DIM
						   : (unsigned)rt_style_of_severity(
							     event->severity);
	const struct rt_glyphs *glyphs = rt_glyphs_of(draw->canvas);
	struct rt_box text = { box.row, box.column + 30, box.width - 30 };
	char clock[RT_WHEN_BYTES];

	rt_canvas_printf(draw->canvas, box, RT_STYLE_PLAIN, "%-8s   %-17.17s",
			 rt_when_write_clock(event->wall_ns, clock), event->port);
	rt_canvas_set(draw->canvas, box.row, box.column + 9, style,
		      event->acknowledged ? 'a' : glyphs->severities[event->severity]);
	rt_canvas_put(draw->canvas, text, style, event->text);
}

void rt_draw_events(const struct rt_draw *draw, struct rt_box body, unsigned rows)
{
	const struct rt_dash_ui *ui = draw->ui;
	const unsigned top = ui->top[ui->screen];
	struct rt_box box = body;

	rt_canvas_printf(
		draw->canvas, box, RT_STYLE_HEADER, "%-11sport              what",
		rt_when_is_date(draw->data->snapshot->wall_ns) ? "UTC" : "after");
	if (draw->data->snapshot->event_count == 0) {
		box.row++;
		rt_canvas_put(draw->canvas, box, RT_STYLE_PLAIN,
			      "Nothing happened yet.");
	}
	for (unsigned i = 0; i + 1 < rows && top + i < ui->line_count; i++) {
		box.row++;
		draw_event(draw, &draw->data->snapshot->events[ui->lines[top + i]],
			   box);
		if (top + i == ui->cursor)
			rt_canvas_mark(draw->canvas, box, RT_STYLE_CURSOR);
	}
}
