/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_dash.c - the dashboard: any text in a cell, any layout file's choices, any keys, at
 * sizes that change.  Nothing that steers a terminal is ever on the canvas.
 */
#include <stdlib.h>
#include <string.h>

#include "dash/keys.h"
#include "dash/session.h"
#include "watch/source.h"
#include "watch/watch.h"

#define SECOND_NS UINT64_C(1000000000)
#define MOST_KEYS 16u

static void check(const struct rt_canvas *canvas)
{
	for (size_t i = 0; i < (size_t)canvas->rows * canvas->columns; i++) {
		const uint32_t at = canvas->cells[i].character;

		if (at < ' ' || (at >= 0x7f && at < 0xa1) ||
		    (canvas->ascii && at > '~'))
			abort();
	}
}

/* Text from outside, cut and adjusted either way. */
static void put_text(const uint8_t *data, size_t size, bool ascii)
{
	struct rt_canvas canvas = { .ascii = ascii };
	char *text = malloc(size + 1);

	if (!text || rt_canvas_resize(&canvas, 2, 20) < 0)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rt_canvas_put(&canvas, (struct rt_box){ 0, 3, 12 }, RT_STYLE_PLAIN, text);
	rt_canvas_put_right(&canvas, (struct rt_box){ 1, 0, 25 }, RT_STYLE_PLAIN, text);
	check(&canvas);
	if (canvas.cells[2].character != ' ' || canvas.cells[15].character != ' ')
		abort();
	rt_canvas_free(&canvas);
	free(text);
}

/* Keys that write files are left out. */
static int key_of(uint8_t byte)
{
	const struct rt_dash_key *key = &rt_dash_keys[byte % rt_dash_key_count];

	return strchr("eEw", key->code < 128 ? key->code : 'e') ? byte : key->code;
}

static void use(const uint8_t *data, size_t size, bool ascii)
{
	const struct rt_dash_options options = { .speed = 1 };
	struct rt_watch_source *source = NULL;
	struct rt_watch *watch = NULL;
	struct rt_canvas canvas = { 0 };
	struct rt_dash dash;
	unsigned rows = 24, columns = 80;

	if (rt_watch_demo_open(SECOND_NS, &source, NULL) < 0 ||
	    rt_watch_open(source, SECOND_NS, &watch, NULL) < 0)
		abort();
	rt_dash_begin(&dash, watch, &options, ascii);
	for (size_t i = 0; i < size && i < MOST_KEYS; i++) {
		if (data[i] >= 240)
			rt_watch_tick(watch, NULL);
		else if (data[i] >= 230)
			rows = 1 + data[i] % 10u * 7;
		else if (data[i] >= 220)
			columns = 1 + data[i] % 10u * 17;
		else
			rt_dash_press(&dash, key_of(data[i]));
		if (rt_dash_picture(&dash, rows, columns, &canvas) < 0)
			abort();
		check(&canvas);
	}
	rt_canvas_free(&canvas);
	rt_dash_end(&dash);
	rt_watch_close(watch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool ascii = size && data[0] & 1;

	put_text(data, size, ascii);
	/* A text is tried in no time, which a dashboard is not. */
	if (size && data[0] % 8 < 2)
		use(data, size, ascii);
	return 0;
}
