/* SPDX-License-Identifier: BSD-2-Clause */
/* test_dash_canvas.c - cells, text from outside, numbers, pictures, themes. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/own.h"
#include "dash/canvas.h"
#include "dash/glyphs.h"
#include "dash/number.h"
#include "dash/theme.h"

static void assert_drawn(const struct rt_canvas *canvas, const char *wanted)
{
	char *text = rt_canvas_text(canvas);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_canvas_text_from_outside_is_harmless(void **state)
{
	static const struct {
		const char *label, *text, *utf8, *ascii;
	} cases[] = {
		{ "plain", "mlx5_0/1", "mlx5_0/1\n", "mlx5_0/1\n" },
		{ "escape", "a\033[2Jb", "a?[2Jb\n", "a?[2Jb\n" },
		{ "controls", "\t\r\n\177", "????\n", "????\n" },
		{ "C1", "a\302\233b", "a?b\n", "a?b\n" },
		{ "no UTF-8", "a\377\376b", "a??b\n", "a??b\n" },
		{ "cut UTF-8", "ab\303", "ab?\n", "ab?\n" },
		{ "overlong", "\300\257x", "??x\n", "??x\n" },
		{ "one column", "\303\244\316\261", "\303\244\316\261\n", "??\n" },
		{ "two columns", "\346\274\242x", "?x\n", "?x\n" },
		{ "combining", "e\314\201x", "e?x\n", "e?x\n" },
		{ "turns round", "a\342\200\256b", "a?b\n", "a?b\n" },
		{ "emoji", "\360\237\222\251x", "?x\n", "?x\n" },
		{ "too long", "0123456789abcdef", "012345678\342\200\246\n",
		  "012345678~\n" },
		{ "just fits", "0123456789", "0123456789\n", "0123456789\n" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases) * 2; i++) {
		struct rt_canvas canvas = { .ascii = i % 2 };
		const struct rt_box box = { 0, 0, 10 };

		print_message("# %s\n", cases[i / 2].label);
		assert_int_equal(rt_canvas_resize(&canvas, 1, 12), 0);
		rt_canvas_put(&canvas, box, RT_STYLE_PLAIN, cases[i / 2].text);
		assert_drawn(&canvas, i % 2 ? cases[i / 2].ascii : cases[i / 2].utf8);
		rt_canvas_free(&canvas);
	}
}

static void test_canvas_keeps_to_its_cells(void **state)
{
	struct rt_canvas canvas = { 0 };

	(void)state;
	assert_int_equal(rt_canvas_resize(&canvas, 2, 4), 0);
	rt_canvas_put(&canvas, (struct rt_box){ 0, 2, 10 }, RT_STYLE_PLAIN, "abcdef");
	rt_canvas_put(&canvas, (struct rt_box){ 5, 0, 4 }, RT_STYLE_PLAIN, "below");
	rt_canvas_put_right(&canvas, (struct rt_box){ 1, 0, 4 }, RT_STYLE_PLAIN, "42");
	rt_canvas_set(&canvas, 0, 4, RT_STYLE_PLAIN, 'x');
	rt_canvas_mark(&canvas, (struct rt_box){ 1, 2, 9 }, RT_STYLE_CURSOR);
	assert_drawn(&canvas, "  ab\n  42\n");
	assert_int_equal(canvas.cells[6].style, RT_STYLE_CURSOR);
	assert_int_equal(canvas.cells[5].style, RT_STYLE_PLAIN);
	assert_int_equal(rt_canvas_resize(&canvas, 1, 2), 0);
	assert_drawn(&canvas, "\n");
	rt_canvas_free(&canvas);
}

static void test_number_fits_and_is_never_a_false_zero(void **state)
{
	static const struct {
		double value;
		bool iec;
		unsigned width;
		const char *text;
	} cases[] = {
		{ (double)NAN, false, 4, "-" },
		{ 0, false, 4, "0" },
		{ 0.001, false, 4, "<.01" },
		{ 0.25, false, 4, "0.25" },
		{ 2, false, 4, "2" },
		{ 9.5, false, 4, "9.50" },
		{ 42.4, false, 4, "42" },
		{ 999, false, 4, "999" },
		{ 999.7, false, 4, "1.0k" },
		{ 7600, false, 4, "7.6k" },
		{ 9990, false, 4, "10k" },
		{ 410000, false, 4, "410k" },
		{ 999700, false, 4, "1.0M" },
		{ 372e9, false, 4, "372G" },
		{ 46.13e9, false, 4, "46G" },
		{ 46.13e9, false, 6, "46.1G" },
		{ 1024, true, 4, "1.0k" },
		{ 1010, true, 4, "1.0k" },
		{ 512.0 * 1024 * 1024, true, 4, "512M" },
		{ 1.8e19, false, 4, "18E" },
	};
	char text[RT_NUMBER_BYTES];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		assert_string_equal(rt_number_scaled(cases[i].value, cases[i].iec,
						     cases[i].width, text),
				    cases[i].text);
	for (double value = 0.001; value < 1e19; value *= 1.07)
		for (unsigned i = 0; i < 2; i++) {
			rt_number_scaled(value, i, 4, text);
			assert_true(strlen(text) <= 4);
			assert_string_not_equal(text, "0");
		}
}

static void test_number_other_units(void **state)
{
	const struct rt_dash_units bytes = { .bytes = true };
	const struct rt_dash_units iec = { .iec = true };
	const struct rt_dash_units both = { .bytes = true, .iec = true };
	char text[RT_NUMBER_BYTES];

	(void)state;
	assert_string_equal(rt_number_percent((double)NAN, text), "-");
	assert_string_equal(rt_number_percent(0, text), "0%");
	assert_string_equal(rt_number_percent(0.01, text), "<.1%");
	assert_string_equal(rt_number_percent(0.44, text), "0.4%");
	assert_string_equal(rt_number_percent(9.96, text), "10%");
	assert_string_equal(rt_number_percent(100, text), "100%");
	assert_string_equal(rt_number_rate(8e9, &bytes, 4, text), "1.0G");
	assert_string_equal(rt_number_rate(8e9, &iec, 4, text), "7.5G");
	assert_string_equal(rt_number_rate(8e9, &both, 5, text), "954M");
	assert_string_equal(rt_number_time(870000, text), "870 us");
	assert_string_equal(rt_number_time(1500000000, text), "1.5 s");
	assert_string_equal(rt_number_time(240 * UINT64_C(1000000000), text), "4 min");
	assert_string_equal(rt_number_time(12, text), "12 ns");
}

static void test_spark_and_bar(void **state)
{
	const float values[] = { 0, 1, 50, NAN, 100, 200 };
	struct rt_canvas canvas = { .ascii = true };

	(void)state;
	assert_int_equal(rt_canvas_resize(&canvas, 1, 8), 0);
	rt_draw_spark(&canvas, (struct rt_box){ 0, 0, 8 }, RT_STYLE_RX, values, 6, 100);
	assert_drawn(&canvas, "  __- ##\n");
	/* Nothing, and next to nothing, are told apart by their weight. */
	assert_int_equal(canvas.cells[2].style, RT_STYLE_DIM);
	assert_int_equal(canvas.cells[3].style, RT_STYLE_RX);
	assert_int_equal(rt_canvas_resize(&canvas, 1, 8), 0);
	rt_draw_spark(&canvas, (struct rt_box){ 0, 0, 2 }, RT_STYLE_RX, values, 6, 100);
	assert_drawn(&canvas, "##\n");
	assert_int_equal(rt_canvas_resize(&canvas, 1, 8), 0);
	rt_draw_bar(&canvas, (struct rt_box){ 0, 0, 8 }, RT_STYLE_RX, 0.5);
	assert_drawn(&canvas, "####\n");
	canvas.ascii = false;
	assert_int_equal(rt_canvas_resize(&canvas, 1, 8), 0);
	rt_draw_bar(&canvas, (struct rt_box){ 0, 0, 4 }, RT_STYLE_RX, 3.0 / 8);
	assert_drawn(&canvas, "\u2588\u258c\n");
	rt_canvas_free(&canvas);
}

/* Without colours trouble still looks like trouble, in every theme. */
static void test_theme_without_colours_has_weights(void **state)
{
	(void)state;
	for (unsigned theme = 0; theme < RT_THEME_COUNT; theme++) {
		const struct rt_look plain = rt_theme_look(theme, RT_STYLE_PLAIN, 0);
		const struct rt_look bad = rt_theme_look(theme, RT_STYLE_BAD, 0);
		const struct rt_look warn = rt_theme_look(theme, RT_STYLE_WARN, 0);

		assert_int_equal(plain.attributes, 0);
		assert_int_not_equal(bad.attributes, plain.attributes);
		assert_int_not_equal(warn.attributes, plain.attributes);
		assert_int_not_equal(warn.attributes, bad.attributes);
		for (unsigned style = 0; style < RT_STYLE_COUNT; style++) {
			const struct rt_look look = rt_theme_look(theme, style, 0);

			assert_int_equal(look.front, -1);
			assert_int_equal(look.back, -1);
		}
	}
}

static void test_theme_keeps_to_the_colours_there_are(void **state)
{
	static const int depths[] = { 8, 16, 256 };

	(void)state;
	for (unsigned i = 0; i < RT_THEME_COUNT * RT_STYLE_COUNT * 3; i++) {
		const int colours = depths[i % 3];
		const struct rt_look look = rt_theme_look(
			i / 3 / RT_STYLE_COUNT, i / 3 % RT_STYLE_COUNT, colours);

		assert_in_range(look.front + 1, 0, colours);
		assert_in_range(look.back + 1, 0, colours);
		assert_true(look.front == -1 || look.front != look.back);
		/* Red and green are what many cannot tell apart. */
		assert_true(look.front != 1 && look.front != 2);
	}
}

/* No two severities have the same sign, in either set of characters. */
static void test_signs_differ(void **state)
{
	(void)state;
	for (unsigned ascii = 0; ascii < 2; ascii++) {
		const struct rt_canvas canvas = { .ascii = ascii };
		const struct rt_glyphs *glyphs = rt_glyphs_of(&canvas);

		for (unsigned i = 0; i < 4; i++) {
			assert_int_not_equal(glyphs->severities[i], glyphs->good);
			for (unsigned j = 0; j < i; j++)
				assert_int_not_equal(glyphs->severities[i],
						     glyphs->severities[j]);
		}
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_canvas_text_from_outside_is_harmless),
	     cmocka_unit_test(test_canvas_keeps_to_its_cells),
	     cmocka_unit_test(test_number_fits_and_is_never_a_false_zero),
	     cmocka_unit_test(test_number_other_units),
	     cmocka_unit_test(test_spark_and_bar),
	     cmocka_unit_test(test_theme_without_colours_has_weights),
	     cmocka_unit_test(test_theme_keeps_to_the_colours_there_are),
	     cmocka_unit_test(test_signs_differ))
