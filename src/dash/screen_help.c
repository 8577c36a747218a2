/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_help.c - every key, from the rows that give keys their meaning; and the signs. */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "dash/keys.h"
#include "dash/page.h"

#define KEYS_WIDTH 26u

static const struct {
	const char *sign, *help;
} legend[] = {
	{ "X ! ? i", "error, warning, cannot be judged, note" },
	{ "-", "unknown: it could not be read, which is not 0" },
	{ "~", "old: older than three intervals, or its source answers seldom" },
	{ "dot, on screen 2", "a priority without PFC, and no pause" },
	{ ">0, on screen 2", "there are pauses; for how long is unknown" },
	{ "paused by peer", "rx pause: the peer, a switch mostly, stops this port" },
	{ "pausing peer", "tx pause: this port, NIC or host, stops its peer" },
	{ "np, rp", "notification point: sends CNPs; reaction point: obeys them" },
	{ "loss ev/s", "loss events: times that loss was noticed, not packets" },
};

static void put_row(struct rt_page *page, const char *left, const char *right)
{
	struct rt_box box = rt_page_line(page);
	const unsigned width = box.width;

	box.column += 2;
	box.width = KEYS_WIDTH - 3;
	rt_canvas_put(page->canvas, box, RT_STYLE_STRONG, left);
	box.column = page->body.column + KEYS_WIDTH;
	box.width = width - KEYS_WIDTH;
	rt_canvas_put(page->canvas, box, RT_STYLE_PLAIN, right);
}

/* Keys whose help is the same are one line; it stands where the first of them does. */
static void put_keys(struct rt_page *page, size_t first)
{
	const struct rt_dash_key *key = &rt_dash_keys[first];
	char names[128] = "";
	struct rt_line line = { names, sizeof(names), 0 };

	for (size_t i = 0; i < rt_dash_key_count; i++)
		if (strcmp(rt_dash_keys[i].help, key->help) == 0) {
			if (i < first)
				return;
			rt_line_put(&line, "%s%s", line.used ? " " : "",
				    rt_dash_keys[i].name);
		}
	put_row(page, names, key->help);
}

unsigned rt_draw_help_page(const struct rt_draw *draw, struct rt_box body,
			   unsigned rows)
{
	struct rt_page page = { draw->canvas, body, rows, draw->ui->scroll, 0 };

	rt_page_heading(&page, "Keys");
	for (size_t i = 0; i < rt_dash_key_count; i++)
		put_keys(&page, i);
	rt_page_heading(&page, "Screens");
	for (unsigned i = 0; i < RT_DASH_SCREENS; i++) {
		char title[32];

		snprintf(title, sizeof(title), "%u %s", i + 1, rt_screens[i].title);
		put_row(&page, title, rt_screens[i].help);
	}
	rt_page_heading(&page, "Signs and words");
	for (size_t i = 0; i < RT_ARRAY_SIZE(legend); i++)
		put_row(&page, legend[i].sign, legend[i].help);
	rt_page_heading(&page, "No key changes the host");
	return page.line;
}
