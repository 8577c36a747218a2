/* SPDX-License-Identifier: BSD-2-Clause */
/* Words: names of values, slips of the pen, what a terminal may be shown. */
#include "unit.h"

#include <string.h>

#include "base/json.h"
#include "base/own.h"
#include "base/text.h"

static void test_names_are_found_both_ways(void **state)
{
	static const struct rt_name names[] = { { "red", 1, "" },
						{ "blue", 4, "" },
						{ 0 } };

	(void)state;
	assert_string_equal(rt_name_of(names, 4), "blue");
	assert_null(rt_name_of(names, 0));
	assert_int_equal(rt_name_find(names, "red")->value, 1);
	assert_null(rt_name_find(names, "Red"));
	assert_null(rt_name_find(names, "re"));
}

static void test_nearest_word_is_a_slip_and_no_guess(void **state)
{
	static const char *const words[] = { "tos", "sim", "profile", "headroom",
					     "analyze" };
	static const struct {
		const char *word, *nearest; /* NULL: none is near enough */
	} cases[] = {
		{ "profil", "profile" },  { "porfile", "profile" },
		{ "hadrom", "headroom" }, { "analyse", "analyze" },
		{ "tso", NULL }, /* two of three letters are another word */
		{ "tot", "tos" },         { "si", "sim" },
		{ "xyz", NULL },          { "", NULL },
		{ "simulation", NULL },
	};
	char long_word[64];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const char *near = rt_text_nearest(cases[i].word, words,
						   RT_ARRAY_SIZE(words));

		print_message("# %s: %s\n", cases[i].word, near ? near : "-");
		if (cases[i].nearest)
			assert_string_equal(near, cases[i].nearest);
		else
			assert_null(near);
	}
	memset(long_word, 'a', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = '\0';
	assert_null(rt_text_nearest(long_word, words, RT_ARRAY_SIZE(words)));
	assert_null(rt_text_nearest("tos", NULL, 0));
}

static void test_clean_text_cannot_steer_a_terminal(void **state)
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{ "plain", "plain" },
		{ "\033[31mred", "?[31mred" },
		{ "a\tb\nc\x7f", "a?b?c?" },
		{ "\xC2\x9B"
		  "31m",
		  "?31m" }, /* C1: CSI */
		{ "\xC3\xBC \xE2\x86\x92", "\xC3\xBC \xE2\x86\x92" },
		{ "\xC3", "?" },
		{ "\xED\xA0\x80!", "??"
				   "?!" }, /* a surrogate */
		{ "a\xE2\x80\xAE"
		  "b",
		  "a?b" }, /* U+202E: from here to the left */
		{ "\xE2\x80\x8B\xE2\x80\x8F\xE2\x80\xAA\xE2\x81\xA0\xE2\x81\xA9",
		  "?????" },
		{ "\xEF\xBB\xBF\xF3\xA0\x80\x81", "??" },         /* BOM, a tag */
		{ "\xE2\x80\x8A\xE2\x80\x90\xE2\x81\xB0\xC2\xA0", /* their neighbours */
		  "\xE2\x80\x8A\xE2\x80\x90\xE2\x81\xB0\xC2\xA0" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		char text[32];

		strcpy(text, cases[i].text);
		assert_string_equal(rt_text_clean(text), cases[i].clean);
	}
}

static void test_words_of_a_list(void **state)
{
	(void)state;
	assert_true(rt_text_lists("eth1", "eth1"));
	assert_true(rt_text_lists("eth10, eth1", "eth1"));
	assert_true(rt_text_lists("eth0,eth1", "eth1"));
	assert_false(rt_text_lists("eth10, eth2", "eth1"));
	assert_false(rt_text_lists("xeth1", "eth1"));
	assert_false(rt_text_lists("", "eth1"));
	assert_false(rt_text_lists("eth1, ", ""));
}

/* What is escaped is read back as it was. */
static void test_json_cannot_steer_a_terminal(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "\x7f", "\"\\u007F\"\n" },
		{ "\033[m", "\"\\u001B[m\"\n" },
		{ "a\xC2\x9Bz", "\"a\\u009Bz\"\n" },
		{ "\xE2\x80\xAE", "\"\\u202E\"\n" },
		{ "\xF3\xA0\x80\x81", "\"\\uDB40\\uDC01\"\n" },
		{ "\xC3\xBC \xE2\x86\x92", "\"\xC3\xBC \xE2\x86\x92\"\n" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_json *value = rt_json_text(cases[i].text);
		char *text = NULL;
		size_t bytes;
		FILE *to = open_memstream(&text, &bytes);

		assert_non_null(to);
		assert_int_equal(rt_json_write(value, to, NULL), 0);
		fclose(to);
		assert_string_equal(text, cases[i].json);
		free(text);
		rt_json_free(value);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_words_of_a_list),
	     cmocka_unit_test(test_names_are_found_both_ways),
	     cmocka_unit_test(test_nearest_word_is_a_slip_and_no_guess),
	     cmocka_unit_test(test_clean_text_cannot_steer_a_terminal),
	     cmocka_unit_test(test_json_cannot_steer_a_terminal))
