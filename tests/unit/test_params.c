/* SPDX-License-Identifier: BSD-2-Clause */
/* test_params.c - the parameter table keeps its own rules. */
#include "profiles.h"

#include <stdlib.h>

#include "base/own.h"
#include "model/params.h"

static size_t width(const struct rt_param *row)
{
	if (row->type == RT_PARAM_PAIRS)
		return sizeof(struct rt_pairs);
	return sizeof(struct rt_setting) *
	       (row->type == RT_PARAM_SIZES ? RT_BUFFER_COUNT : 1);
}

static void test_rows_are_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];

		print_message("# %s\n", row->path);
		assert_non_null(row->path);
		assert_non_null(row->help);
		assert_true((row->type == RT_PARAM_ENUM) == (row->names != NULL));
		assert_true(row->min <= row->max);
		assert_true(row->offset + (RT_CLASS_MAX - 1) * row->class_stride +
				    (RT_ROLE_COUNT - 1) * row->role_stride +
				    width(row) <=
			    sizeof(struct rt_profile));
		assert_true((strstr(row->path, "<class>") != NULL) ==
			    (row->class_stride != 0));
		assert_true((strstr(row->path, "<role>") != NULL) ==
			    (row->role_stride != 0));
	}
}

/* Two knobs never share memory; one path twice is two ways to write it. */
static void test_rows_do_not_overlap(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_param_count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct rt_param *a = &rt_params[i], *b = &rt_params[j];

			assert_true(a->offset + width(a) <= b->offset ||
				    b->offset + width(b) <= a->offset);
			if (strcmp(a->path, b->path) == 0)
				assert_true(a->choice && a->choice == b->choice);
		}
}

/* The words a row allows, and one number inside and one outside of its range. */
static void sample(const struct rt_param *row, unsigned n, char text[64])
{
	const bool bounded = row->max && row->type != RT_PARAM_BREAKOUT;
	char number[RT_UNIT_TEXT_BYTES];

	switch (row->type) {
	case RT_PARAM_NUMBER:
		rt_unit_format_exact(row->unit, bounded ? (n ? row->max : row->min) : 7,
				     number);
		snprintf(text, 64, "%s", number);
		break;
	case RT_PARAM_PERCENT: snprintf(text, 64, n ? "100%%" : "0%%"); break;
	case RT_PARAM_BOOL: snprintf(text, 64, n ? "yes" : "no"); break;
	case RT_PARAM_ENUM: snprintf(text, 64, "%s", row->names[n].name); break;
	case RT_PARAM_DSCP: snprintf(text, 64, n ? "24-31, 48" : "0"); break;
	case RT_PARAM_CLASSES: snprintf(text, 64, n ? "a" : "none"); break;
	case RT_PARAM_BREAKOUT:
		snprintf(text, 64, n ? "2x400Gb/s" : "8x100Gb/s");
		break;
	case RT_PARAM_SIZES: snprintf(text, 64, n ? "1KB, 2KB" : "9B"); break;
	default: snprintf(text, 64, n ? "word" : "7");
	}
}

static bool is_list(const struct rt_param *row)
{
	return row->type == RT_PARAM_DSCP || row->type == RT_PARAM_CLASSES ||
	       row->type == RT_PARAM_SIZES;
}

/* The row's path as nested flow maps around value. */
static void document(const struct rt_param *row, const char *value, char text[512])
{
	char path[96], *save = NULL;
	size_t used, depth = 0;
	bool list = is_list(row);

	snprintf(path, sizeof(path), "%s", row->path);
	used = (size_t)snprintf(text, 512, "{classes: {a: {prio: 3}}, ");
	/* The class map stands once: a row of it goes inside. */
	if (strncmp(path, "classes.", 8) == 0)
		used = (size_t)snprintf(text, 512, "{");
	for (char *part = strtok_r(path, ".", &save); part;
	     part = strtok_r(NULL, ".", &save)) {
		const char *key = strcmp(part, "<class>") == 0    ? "a"
				  : strcmp(part, "<role>") == 0   ? "up"
				  : strcmp(part, "<driver>") == 0 ? "mlx5"
				  : strcmp(part, "<name>") == 0   ? "KEY"
								  : part;

		used += (size_t)snprintf(text + used, 512 - used,
					 "%s%s: ", depth ? "{" : "", key);
		depth++;
	}
	if (list && strcmp(value, "none") == 0)
		value = "";
	used += (size_t)snprintf(text + used, 512 - used, list ? "[%s]" : "%s", value);
	while (depth--)
		used += (size_t)snprintf(text + used, 512 - used, "}");
}

static bool needs_company(const struct rt_param *row)
{
	return strcmp(row->path, "extends") == 0 ||
	       strcmp(row->path, "classes.<class>.lossless") == 0;
}

static void test_the_word_for_zero_is_read(void **state)
{
	unsigned read = 0;

	(void)state;
	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];
		const struct rt_setting *setting;
		struct rt_profile *profile;
		char text[512];

		if (!row->zero)
			continue;
		document(row, row->zero, text);
		profile = good_profile(text);
		setting = rt_param_setting(profile, row, 0, RT_ROLE_UP);
		assert_int_equal(setting->state, RT_SETTING_VALUE);
		assert_int_equal(setting->number, 0);
		rt_profile_free(profile);
		read++;
	}
	assert_int_equal(read, 4);
}

/* What is written in a row's own spelling reads back to that spelling. */
static void test_every_row_reads_what_it_writes(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_param_count; i++)
		for (unsigned n = 0; n < 2; n++) {
			const struct rt_param *row = &rt_params[i];
			struct rt_profile *profile;
			const struct rt_setting *setting;
			char value[64], text[512], back[RT_PARAM_TEXT_BYTES];

			if (needs_company(row))
				continue;
			sample(row, n, value);
			document(row, value, text);
			print_message("# %s\n", text);
			profile = good_profile(text);
			setting =
				row->type == RT_PARAM_PAIRS
					? &((const struct rt_pairs *)((const char *)
									      profile +
								      row->offset))
						   ->items[0]
						   .value
					: rt_param_setting(profile, row, 0, RT_ROLE_UP);
			rt_param_format(profile, row, setting, back);
			/* Zero has a word, which the next of these tests reads. */
			assert_string_equal(back,
					    row->zero && n == 0 ? row->zero : value);
			assert_true(rt_param_equal(profile, setting, profile, setting,
						   row));
			rt_profile_free(profile);
		}
}

/* keep goes to the first of the rows with one path. */
static bool is_second_spelling(size_t index)
{
	return index > 0 &&
	       strcmp(rt_params[index].path, rt_params[index - 1].path) == 0;
}

static void test_every_row_takes_keep_and_refuses_a_map(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];
		const bool free_text = row->type == RT_PARAM_TEXT ||
				       row->type == RT_PARAM_TEXTS;
		struct rt_profile *profile = NULL;
		struct rt_param no_list = *row;
		char text[512];

		no_list.type = RT_PARAM_TEXT; /* so that no [] stands around it */
		document(&no_list, "keep", text);
		print_message("# %s\n", text);
		if (!needs_company(row) && !is_second_spelling(i) &&
		    row->type != RT_PARAM_PAIRS) {
			profile = good_profile(text);
			assert_int_equal(
				rt_param_setting(profile, row, 0, RT_ROLE_UP)->state,
				free_text ? RT_SETTING_VALUE : RT_SETTING_KEEP);
			rt_profile_free(profile);
			profile = NULL;
		}
		document(&no_list, "{x: 1}", text);
		assert_int_not_equal(rt_profile_parse("t.yaml", text, strlen(text),
						      &no_search, NULL, &profile, NULL),
				     0);
		assert_null(profile);
	}
}

static void test_cursor_visits_every_knob_once(void **state)
{
	struct rt_profile *profile = good_profile(
		"classes: {a: {prio: 1}, b: {prio: 2}}\napp: {X: 1, Y: 2}\n");
	struct rt_param_cursor cursor = { 0 };
	struct rt_param_value at;
	size_t visited = 0, expected = 0;

	(void)state;
	for (size_t i = 0; i < rt_param_count; i++) {
		const struct rt_param *row = &rt_params[i];

		if (row->type == RT_PARAM_PAIRS)
			expected += strncmp(row->path, "app.", 4) == 0 ? 2 : 0;
		else
			expected += (row->class_stride ? 2 : 1) *
				    (row->role_stride ? RT_ROLE_COUNT : 1);
	}
	while (rt_param_next(profile, &cursor, &at)) {
		assert_null(strchr(at.path, '<'));
		visited++;
		assert_true(visited <= expected);
	}
	assert_int_equal(visited, expected);
	rt_profile_free(profile);
}

RT_UNIT_MAIN(cmocka_unit_test(test_rows_are_complete),
	     cmocka_unit_test(test_rows_do_not_overlap),
	     cmocka_unit_test(test_every_row_reads_what_it_writes),
	     cmocka_unit_test(test_the_word_for_zero_is_read),
	     cmocka_unit_test(test_every_row_takes_keep_and_refuses_a_map),
	     cmocka_unit_test(test_cursor_visits_every_knob_once))
