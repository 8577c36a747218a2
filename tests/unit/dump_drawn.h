/* SPDX-License-Identifier: BSD-2-Clause */
/* dump_drawn.h - what the dashboard draws of ports: all that is known, and no number else. */
#ifndef RT_TESTS_DUMP_DRAWN_H
#define RT_TESTS_DUMP_DRAWN_H

#include "dash.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"

/* The line of a picture that has a word in it; NULL: none. */
static inline const char *dump_line_with(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	while (at && at > text && at[-1] != '\n')
		at--;
	return at;
}

static inline bool dump_is_in_line(const char *line, const char *word)
{
	const char *at = strstr(line, word), *end = strchr(line, '\n');

	return at && (!end || at < end);
}

/* A column of the overview, by the last line of its head: is a number there? */
static inline bool dump_has_number(const char *text, const char *line, const char *head)
{
	const char *top = dump_line_with(text, head);
	const size_t from = (size_t)(strstr(top, head) - top);

	for (size_t i = 0; i < strlen(head); i++)
		if (line[from + i] >= '0' && line[from + i] <= '9')
			return true;
	return false;
}

/* Its row of the overview: what is unknown is no number. */
static inline unsigned dump_check_row(const char *text,
				      const struct rt_watch_view *view)
{
	const struct {
		const char *head;
		bool known;
	} columns[] = {
		{ " by peer", view->figures.paused_pct.known },
		{ "        peer", view->figures.pausing_pct.known },
		{ "     np", view->figures.cnp_tx_ps.known },
		{ "     rp", view->figures.cnp_rx_ps.known },
		{ "  ev/s", view->figures.loss_events_ps.known },
	};
	const char *line = dump_line_with(text, view->port->name);
	unsigned failed = 0;

	if (!line)
		return 1;
	for (size_t i = 0; i < RT_ARRAY_SIZE(columns); i++)
		failed += dump_has_number(text, line, columns[i].head) !=
			  columns[i].known;
	return failed;
}

/* Whether some line of a page has both; a long name is cut. */
static inline bool dump_are_in_one_line(const char *text, const char *value,
					const char *source, const char *name)
{
	char from[60];

	snprintf(from, sizeof(from), " %s %.22s", source, name);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (dump_is_in_line(line, from) && dump_is_in_line(line, value))
			return true;
	}
	return false;
}

/* Its page: every counter with its value, and the driver's own name for it. */
static inline unsigned dump_check_page(const char *text,
				       const struct rt_watch_view *view)
{
	unsigned failed = 0;

	for (size_t i = 0; i < view->set->count; i++) {
		const struct rt_counter_reading *item = &view->set->items[i];
		char value[32];

		/* Priorities that stand at 0 share the line of the first one. */
		if (item->prio < 8 && item->value == 0)
			continue;
		snprintf(value, sizeof(value), " %llu ",
			 (unsigned long long)item->value);
		if (!dump_are_in_one_line(
			    text, value,
			    rt_name_of(rt_counter_source_names, item->source),
			    item->name)) {
			print_message("%s: no line of %s\n", view->port->name,
				      item->name);
			failed++;
		}
	}
	return failed;
}

static inline unsigned dump_check_drawn(struct rt_watch *watch)
{
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	struct stage stage = { .watch = watch, .rows = 43, .columns = 132 };
	unsigned failed = 0;

	rt_dash_begin(&stage.dash, watch, &stage.options, true);
	for (int key = '1'; key <= '6'; key++) {
		char *text;

		press(&stage, key);
		text = picture(&stage);
		failed += strstr(text, "nan") != NULL || strstr(text, "inf ") != NULL;
		for (size_t i = 0; key < '5' && i < snapshot->count; i++)
			failed += !dump_line_with(text, snapshot->views[i].port->name);
		for (size_t i = 0; key == '1' && i < snapshot->count; i++)
			failed += dump_check_row(text, &snapshot->views[i]);
		free(text);
	}
	press(&stage, '1');
	stage.rows = 400; /* a page whole */
	for (size_t i = 0; i < snapshot->count; i++) {
		char *text;

		look(&stage);
		press(&stage, RT_KEY_ENTER);
		text = picture(&stage);
		failed += dump_check_page(text, &snapshot->views[i]);
		free(text);
		press(&stage, RT_KEY_ESCAPE);
		look(&stage);
		press(&stage, 'j');
	}
	rt_dash_end(&stage.dash);
	rt_canvas_free(&stage.canvas);
	return failed;
}

#endif
