/* SPDX-License-Identifier: BSD-2-Clause */
/* made_tree.h - a host's tree in a folder of its own. */
#ifndef RT_TESTS_MADE_TREE_H
#define RT_TESTS_MADE_TREE_H

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A file, with the folders on the way. */
static inline void made_tree_put(const char *folder, const char *path, const char *text)
{
	char full[800], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", folder, path);
	for (slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Written aside and renamed, as writers do whose readers are to see all or nothing. */
static inline void made_tree_replace(const char *folder, const char *path,
				     const char *text)
{
	char aside[300], from[800], to[800];

	snprintf(aside, sizeof(aside), "%.290s.new", path);
	made_tree_put(folder, aside, text);
	snprintf(from, sizeof(from), "%.300s/%s", folder, aside);
	snprintf(to, sizeof(to), "%.300s/%s", folder, path);
	assert_int_equal(rename(from, to), 0);
}

static inline void made_tree_remove(const char *folder)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

#endif
