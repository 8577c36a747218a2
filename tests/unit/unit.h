/* SPDX-License-Identifier: BSD-2-Clause */
/* unit.h - what every unit test includes first. */
#ifndef RT_TESTS_UNIT_H
#define RT_TESTS_UNIT_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

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

/* Skip this test where openat2() is not: an older kernel, or valgrind. */
#define RT_NEED_OPENAT2()                                                         \
	do {                                                                      \
		const struct open_how rt_how_ = { .flags = O_PATH };              \
		const long rt_fd_ = syscall(SYS_openat2, AT_FDCWD, "/", &rt_how_, \
					    sizeof(rt_how_));                     \
		if (rt_fd_ < 0) {                                                 \
			print_message("# skipped: no openat2() here\n");          \
			skip();                                                   \
		}                                                                 \
		close((int)rt_fd_);                                               \
	} while (0)

#define RT_UNIT_MAIN(...)                                          \
	int main(void)                                             \
	{                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
                                                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);  \
	}

#endif
