/* SPDX-License-Identifier: BSD-2-Clause */
/* Words: names of values, slips of the pen, what a terminal may be shown. */
#include "unit.h"

#include <string.h>

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

RT_UNIT_MAIN(cmocka_unit_test(test_words_of_a_list),
	     cmocka_unit_test(test_names_are_found_both_ways),
	     cmocka_unit_test(test_nearest_word_is_a_slip_and_no_guess),
	     cmocka_unit_test(test_clean_text_cannot_steer_a_terminal))
