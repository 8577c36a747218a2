/* SPDX-License-Identifier: BSD-2-Clause */
/* behind.h - closing a file behind the back of who has it open: its close(2) then fails. */
#ifndef RT_TESTS_BEHIND_H
#define RT_TESTS_BEHIND_H

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void close_behind(const char *path)
{
	unsigned closed = 0;

	for (int fd = 3; fd < 100; fd++) {
		char link[40], at[200];
		ssize_t bytes;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		bytes = readlink(link, at, sizeof(at) - 1);
		if (bytes < 0)
			continue;
		at[bytes] = '\0';
		if (strcmp(at, path) == 0)
			closed += close(fd) == 0;
	}
	assert_int_equal(closed, 1);
}

#endif
