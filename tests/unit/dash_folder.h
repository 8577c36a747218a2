/* SPDX-License-Identifier: BSD-2-Clause */
/* dash_folder.h - where a dashboard's keys write: a folder for all tests of a program. */
#ifndef RT_TESTS_DASH_FOLDER_H
#define RT_TESTS_DASH_FOLDER_H

#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/rocetune-dash-XXXXXX";

static inline void empty_folder(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[512];

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (*entry->d_name != '.')
			assert_int_equal(unlink(path), 0);
	}
	closedir(dir);
}

static inline int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

#endif
