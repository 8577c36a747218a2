/* SPDX-License-Identifier: BSD-2-Clause */
/* unit.h - what every unit test includes first. */
#ifndef RT_TESTS_UNIT_H
#define RT_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

/* Folder of outside reference files; tests skip by name where it is absent. */
static inline const char *rt_test_shared(void)
{
	const char *path = getenv("SHARED");

	return path && *path ? path : "../shared";
}

/* Skip this test, saying why, when the reference folder lacks path. */
#define RT_NEED_SHARED(path)                                         \
	do {                                                         \
		if (access((path), R_OK) != 0) {                     \
			print_message("# skipped: no %s\n", (path)); \
			skip();                                      \
		}                                                    \
	} while (0)

#define RT_UNIT_MAIN(...)                                          \
	int main(void)                                             \
	{                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
                                                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);  \
	}

#endif
