/* SPDX-License-Identifier: BSD-2-Clause */
/* dash.h - a dashboard over the made-up host, without a terminal. */
#ifndef RT_TESTS_DASH_H
#define RT_TESTS_DASH_H

#include "unit.h"

#include <string.h>

#include "dash/keys.h"
#include "dash/session.h"
#include "watch/source.h"
#include "watch/watch.h"

#define SECOND_NS INT64_C(1000000000)

struct stage {
	struct rt_watch *watch;
	struct rt_dash_options options;
	struct rt_dash dash;
	struct rt_canvas canvas;
	unsigned rows, columns;
	struct rt_watch_source_ops timeless; /* of a source that open_live() made */
};

static inline void tick(struct stage *stage)
{
	assert_int_equal(rt_watch_tick(stage->watch, NULL), 0);
}

/* Of an 80x24 terminal, after so many samples of the made-up host. */
static inline void open_stage_of(struct stage *stage, int64_t step_ns, unsigned samples,
				 bool ascii)
{
	struct rt_watch_source *source = NULL;

	*stage = (struct stage){ .rows = 24, .columns = 80, .options.speed = 1 };
	assert_int_equal(rt_watch_demo_open((uint64_t)step_ns, &source, NULL), 0);
	assert_int_equal(rt_watch_open(source, (uint64_t)step_ns, &stage->watch, NULL),
			 0);
	for (unsigned i = 0; i < samples; i++)
		tick(stage);
	rt_dash_begin(&stage->dash, stage->watch, &stage->options, ascii);
}

/* At so many seconds of its time. */
static inline void open_stage(struct stage *stage, unsigned seconds, bool ascii)
{
	open_stage_of(stage, SECOND_NS, seconds + 1, ascii);
}

/* The same host without a time of its own: sampled whenever it is time here. */
static inline void open_live(struct stage *stage, unsigned samples)
{
	struct rt_watch_source *source = NULL;

	*stage = (struct stage){ .rows = 24, .columns = 80, .options.speed = 1 };
	assert_int_equal(rt_watch_demo_open((uint64_t)SECOND_NS, &source, NULL), 0);
	stage->timeless = *source->ops;
	stage->timeless.next_ns = NULL;
	stage->timeless.seek = NULL;
	source->ops = &stage->timeless;
	assert_int_equal(
		rt_watch_open(source, (uint64_t)SECOND_NS, &stage->watch, NULL), 0);
	for (unsigned i = 0; i < samples; i++)
		tick(stage);
	rt_dash_begin(&stage->dash, stage->watch, &stage->options, false);
}

static inline void close_stage(struct stage *stage)
{
	rt_dash_end(&stage->dash);
	rt_canvas_free(&stage->canvas);
	rt_watch_close(stage->watch);
}

/* The screen as text; the caller frees it. */
static inline char *picture(struct stage *stage)
{
	char *text;

	assert_int_equal(rt_dash_picture(&stage->dash, stage->rows, stage->columns,
					 &stage->canvas),
			 0);
	text = rt_canvas_text(&stage->canvas);
	assert_non_null(text);
	return text;
}

static inline bool shows(struct stage *stage, const char *words)
{
	char *text = picture(stage);
	const bool found = strstr(text, words) != NULL;

	free(text);
	return found;
}

static inline const struct rt_watch_snapshot *now(const struct stage *stage)
{
	return rt_watch_look(stage->watch);
}

static inline void press(struct stage *stage, int code)
{
	rt_dash_press(&stage->dash, code);
}

/* Settled, as after drawing. */
static inline void look(struct stage *stage)
{
	free(picture(stage));
}

/* Into a mode by the usual ways, so that a key can be tried there. */
static inline void go_into(struct stage *stage, enum rt_dash_mode mode)
{
	static const int ways[] = { [RT_MODE_PORT] = RT_KEY_ENTER,
				    [RT_MODE_HELP] = '?',
				    [RT_MODE_FILTER] = '/',
				    [RT_MODE_SORT] = 's' };

	look(stage);
	if (mode != RT_MODE_SCREEN)
		press(stage, ways[mode]);
	assert_int_equal(stage->dash.ui.mode, mode);
	look(stage);
}

#endif
