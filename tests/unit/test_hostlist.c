/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of hosts as Slurm and ClusterShell write them. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

static void test_lists_are_written_out(void **state)
{
	static const struct {
		const char *text, *names;
	} cases[] = {
		{ "n01", "n01" },
		{ "n[01-03,07]", "n01 n02 n03 n07" },
		{ "n[8-11]", "n8 n9 n10 n11" },
		{ "n[08-11]", "n08 n09 n10 n11" },
		{ "n[0-2]", "n0 n1 n2" },
		{ "a,b-1.site,c", "a b-1.site c" },
		{ "r[1-2]c[1-2]-ib0,x", "r1c1-ib0 r1c2-ib0 r2c1-ib0 r2c2-ib0 x" },
		{ "[1-2]", "1 2" },
		{ "10.0.0.[1-3]", "10.0.0.1 10.0.0.2 10.0.0.3" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_hostlist list;
		char all[256] = "";
		struct rt_line line = { all, sizeof(all), 0 };

		assert_int_equal(rt_hostlist_read(cases[i].text, 100, &list, NULL), 0);
		for (size_t j = 0; j < list.count; j++)
			rt_line_put(&line, "%s%s", j ? " " : "", list.names[j]);
		assert_string_equal(all, cases[i].names);
		rt_hostlist_free(&list);
	}
}

static void test_what_is_wrong_is_said_with_its_place(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *says;
	} cases[] = {
		{ "", -EINVAL, "a name is missing" },
		{ "a,,b", -EINVAL, "a name is missing" },
		{ "a,", -EINVAL, "a name is missing" },
		{ "n[1-3", -EINVAL, "a [ without its ] at character 2" },
		{ "n1-3]", -EINVAL, "a ] without its [ at character 5" },
		{ "n[1-[2]]", -EINVAL, "a [ within [ ] at character 5" },
		{ "n[]", -EINVAL, "no number at character 3" },
		{ "n[1,]", -EINVAL, "no number at character 5" },
		{ "n[3-1]", -EINVAL, "a range that goes backwards at character 3" },
		{ "n[01-100]", -EINVAL, "unlike width" },
		{ "n[1-2x]", -EINVAL, "neither , nor ] at character 6" },
		{ "n[1-9999999999]", -EINVAL, "a number too long" },
		{ "n 1", -EINVAL,
		  "a blank or other than visible ASCII at character 2" },
		{ "n1,n[1-2]", -EINVAL, "n1 stands there twice" },
		{ "n[1-101]", -E2BIG, "more than 100" },
		{ "n[1-999999999][1-999999999][1-999999999]", -E2BIG, "more than 100" },
	};
	char long_name[300];
	struct rt_hostlist list;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		const int r = rt_hostlist_read(cases[i].text, 100, &list, &err);

		print_message("# %s\n", err.msg);
		assert_int_equal(r, cases[i].r);
		assert_non_null(strstr(err.msg, cases[i].says));
	}
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(rt_hostlist_read(long_name, 100, &list, NULL), -E2BIG);
}

RT_UNIT_MAIN(cmocka_unit_test(test_lists_are_written_out),
	     cmocka_unit_test(test_what_is_wrong_is_said_with_its_place))
