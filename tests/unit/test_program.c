/* SPDX-License-Identifier: BSD-2-Clause */
/* test_program.c - what other programs write, and how their calls end. */
#include "unit.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/program.h"

static void test_program_output_is_read_or_refused(void **state)
{
	static const struct {
		const char *label, *script;
		unsigned most_ms;
		int result;
		const char *text;
	} cases[] = {
		{ "a line", "echo yes; echo no >&2", 60000, 0, "yes\n" },
		{ "nothing", "true", 60000, 0, "" },
		{ "as much as may be", "printf 1234567890", 60000, 0, "1234567890" },
		{ "one byte more", "printf 12345678901", 60000, -EFBIG, NULL },
		{ "without an end", "yes", 60000, -EFBIG, NULL },
		{ "a failure", "echo half; exit 3", 60000, -EIO, NULL },
		{ "no input", "cat", 60000, 0, "" },
		/* it sleeps for longer than any test may take */
		{ "no answer", "exec sleep 100000", 50, -ETIMEDOUT, NULL },
		{ "no end after the answer", "exec >&- 2>&-; exec sleep 100000", 50,
		  -ETIMEDOUT, NULL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const char *const argv[] = { "sh", "-c", cases[i].script, NULL };
		RT_AUTO(rt_auto_free) char *text = NULL;
		struct rt_err err = { 0 };
		int r = rt_program_read(argv, cases[i].most_ms, 10, &text, &err);

		print_message("# %s: %d %s\n", cases[i].label, r, err.msg);
		assert_int_equal(r, cases[i].result);
		assert_int_equal(err.code, cases[i].result);
		if (r == 0)
			assert_string_equal(text, cases[i].text);
	}
}

static void test_program_that_is_not_there_is_named(void **state)
{
	const char *const argv[] = { "no-such-program-anywhere", NULL };
	struct rt_err err = { 0 };
	char *text;
	pid_t pid;

	(void)state;
	/* It learns of that through memory it shares with the child, if it does. */
	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv,
			 environ) == 0) {
		waitpid(pid, NULL, 0);
		print_message("# skipped: posix_spawn() tells no error here\n");
		skip(); /* valgrind */
	}
	assert_int_equal(rt_program_read(argv, 60000, 10, &text, &err), -ENOENT);
	assert_non_null(strstr(err.msg, argv[0]));
	assert_int_equal(rt_program_run(argv, 60000, &err), -ENOENT);
}

static void test_program_is_run_to_its_end(void **state)
{
	static const struct {
		const char *script;
		unsigned most_ms;
		int result;
	} cases[] = {
		{ "exit 0", 60000, 0 },
		{ "exit 1", 60000, -EIO },
		{ "kill -9 $$", 60000, -EIO },
		{ "exec sleep 100000", 50, -ETIMEDOUT },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const char *const argv[] = { "sh", "-c", cases[i].script, NULL };
		struct rt_err err = { 0 };

		assert_int_equal(rt_program_run(argv, cases[i].most_ms, &err),
				 cases[i].result);
		assert_int_equal(err.code, cases[i].result);
	}
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

RT_UNIT_MAIN(cmocka_unit_test(test_program_output_is_read_or_refused),
	     cmocka_unit_test(test_program_that_is_not_there_is_named),
	     cmocka_unit_test(test_program_is_run_to_its_end))
