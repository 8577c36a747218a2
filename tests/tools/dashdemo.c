/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dashdemo.c - the dashboard over the made-up host, at a moment of its time that stays.
 *
 *   dashdemo [samples=N] [speed=X] [size=COLUMNSxROWS] [keys=TEXT] [ascii] [mono] [print]
 *
 * print: write the picture that a terminal of this size has after these keys; else draw
 * it on the terminal.  Both say the same at a speed of next to nothing (the default).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dash/keys.h"
#include "dash/session.h"
#include "rocetune/err.h"
#include "watch/source.h"
#include "watch/watch.h"

struct wish {
	unsigned samples, rows, columns;
	const char *keys;
	bool print;
	struct rt_dash_options options;
};

static bool read_word(const char *word, struct wish *wish)
{
	if (strcmp(word, "print") == 0)
		wish->print = true;
	else if (strcmp(word, "ascii") == 0)
		wish->options.ascii = true;
	else if (strcmp(word, "mono") == 0)
		wish->options.mono = true;
	else if (strncmp(word, "keys=", 5) == 0)
		wish->keys = word + 5;
	else
		return sscanf(word, "samples=%u", &wish->samples) == 1 ||
		       sscanf(word, "speed=%lf", &wish->options.speed) == 1 ||
		       sscanf(word, "size=%ux%u", &wish->columns, &wish->rows) == 2;
	return true;
}

static int print(struct rt_watch *watch, const struct wish *wish)
{
	struct rt_canvas canvas = { 0 };
	struct rt_dash dash;
	char *text = NULL;
	int r;

	rt_dash_begin(&dash, watch, &wish->options, wish->options.ascii);
	r = rt_dash_picture(&dash, wish->rows, wish->columns, &canvas);
	for (const char *key = wish->keys; *key && r == 0; key++) {
		rt_dash_press(&dash, *key);
		r = rt_dash_picture(&dash, wish->rows, wish->columns, &canvas);
	}
	if (r == 0)
		text = rt_canvas_text(&canvas);
	if (text)
		fputs(text, stdout);
	free(text);
	rt_canvas_free(&canvas);
	rt_dash_end(&dash);
	return r;
}

int main(int argc, char **argv)
{
	const uint64_t step_ns = 1000000000;
	struct wish wish = { .samples = 26,
			     .rows = 24,
			     .columns = 80,
			     .keys = "",
			     .options.speed = 1e-6 };
	struct rt_watch_source *source = NULL;
	struct rt_watch *watch = NULL;
	struct rt_err err = { 0 };
	int r;

	for (int i = 1; i < argc; i++)
		if (!read_word(argv[i], &wish)) {
			fprintf(stderr, "dashdemo: what is %s?\n", argv[i]);
			return 2;
		}
	r = rt_watch_demo_open(step_ns, &source, &err);
	if (r == 0)
		r = rt_watch_open(source, step_ns, &watch, &err);
	for (unsigned i = 0; i < wish.samples && r == 0; i++)
		r = rt_watch_tick(watch, &err);
	if (r == 0)
		r = wish.print ? print(watch, &wish)
			       : rt_dash_run(watch, &wish.options, &err);
	rt_watch_close(watch);
	if (r < 0)
		fprintf(stderr, "dashdemo: %s\n", err.msg);
	return r < 0 ? 1 : 0;
}
