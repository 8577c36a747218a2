/* SPDX-License-Identifier: BSD-2-Clause */
/* spoil.h - a file that somebody else has open, and cannot use any more. */
#ifndef RT_TESTS_SPOIL_H
#define RT_TESTS_SPOIL_H

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As file systems do that write only then: closing the file of this path is to fail. */
static inline void spoil_closing(const char *path)
{
	char name[64], to[128];
	ssize_t length;

	for (int fd = 3; fd < 256; fd++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		length = readlink(name, to, sizeof(to) - 1);
		to[length < 0 ? 0 : length] = '\0';
		if (strcmp(to, path) == 0)
			assert_int_equal(close(fd), 0);
	}
}

#endif
