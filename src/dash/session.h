/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - a dashboard at work: what it watches, what the user chose, and the picture
 * that is kept while it is paused.
 */
#ifndef RT_DASH_SESSION_H
#define RT_DASH_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "dash/canvas.h"
#include "dash/dash.h"
#include "dash/data.h"
#include "dash/ui.h"

struct rt_dash {
	struct rt_watch *watch;                /* borrowed */
	const struct rt_dash_options *options; /* borrowed */
	struct rt_dash_ui ui;
	struct rt_dash_frozen *frozen; /* owned; NULL: the picture moves */
	int64_t now_ns;                /* CLOCK_MONOTONIC */
	int64_t paused_ns, message_ns; /* since when */
	bool leave;                    /* the user wants to */
	bool repaint;                  /* the terminal may show something else */
	bool told_lost;                /* that a recording ended */
};

/* Choices of options and of its saved layout. */
void rt_dash_begin(struct rt_dash *dash, struct rt_watch *watch,
		   const struct rt_dash_options *options, bool ascii);
void rt_dash_end(struct rt_dash *dash);

/* What is shown: the picture that is kept, or what is known now. */
struct rt_dash_data rt_dash_shown(const struct rt_dash *dash);

/* Draw it all for a terminal of this size, at now_ns.  -ENOMEM. */
int rt_dash_picture(struct rt_dash *dash, unsigned rows, unsigned columns,
		    struct rt_canvas *canvas);

/* Say something in the last line for some seconds. */
void rt_dash_say(struct rt_dash *dash, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Stop the picture, or let it go on; sampling goes on always. */
void rt_dash_pause(struct rt_dash *dash, bool paused);

#endif
