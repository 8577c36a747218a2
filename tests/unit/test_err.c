/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "rocetune/err.h"

static int fails(struct rt_err *err)
{
	return rt_err_set(err, -ERANGE, "%d of %s", 3, "four");
}

static void test_err_carries_code_and_text(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(fails(&err), -ERANGE);
	assert_int_equal(err.code, -ERANGE);
	assert_string_equal(err.msg, "3 of four");
	assert_int_equal(fails(NULL), -ERANGE);
}

static void test_err_sys_appends_the_systems_words(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_err_sys(&err, -ENOENT, "x.yaml"), -ENOENT);
	assert_string_equal(err.msg, "x.yaml: No such file or directory");
}

static void test_err_may_quote_itself(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	fails(&err);
	rt_err_set(&err, -EINVAL, "line 2: %s", err.msg);
	assert_string_equal(err.msg, "line 2: 3 of four");
}

static void test_err_cuts_what_does_not_fit(void **state)
{
	char word[2 * RT_ERR_MSG_BYTES];
	struct rt_err err = { 0 };

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	rt_err_sys(&err, -ENOENT, "%s", word);
	assert_int_equal(strlen(err.msg), RT_ERR_MSG_BYTES - 1);
	assert_string_equal(err.msg + RT_ERR_MSG_BYTES - 5, "x...");
}

static void test_err_passes_no_control_characters(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	rt_err_set(&err, -EINVAL, "key '%s' is wrong", "\033[31m\a\n\x7f\xc3\xa9");
	assert_string_equal(err.msg, "key '?[31m???\xc3\xa9' is wrong");
	/* C1: CSI as UTF-8 terminals know it, and its last; then Latin-1, an overlong
	 * ESC and a character cut short */
	rt_err_set(&err, -EINVAL, "%s",
		   "\xc2\x9b"
		   "31m\xc2\x9f\xc2\xa0|\x9b|\xc0\x9b|\xe2\x82");
	assert_string_equal(err.msg, "?31m?\xc2\xa0|?|??|??");
}

RT_UNIT_MAIN(cmocka_unit_test(test_err_carries_code_and_text),
	     cmocka_unit_test(test_err_sys_appends_the_systems_words),
	     cmocka_unit_test(test_err_may_quote_itself),
	     cmocka_unit_test(test_err_cuts_what_does_not_fit),
	     cmocka_unit_test(test_err_passes_no_control_characters))
