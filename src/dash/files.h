/* SPDX-License-Identifier: BSD-2-Clause */
/* files.h - files that keys write: a snapshot, and the name of a recording. */
#ifndef RT_DASH_FILES_H
#define RT_DASH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rt_dash_options;
struct rt_err;
struct rt_watch_snapshot;

/*
 * A name that no file has, in the folder of options: "rocetune-20260302-080020.json".
 * -EEXIST: there are too many already.
 */
int rt_dash_name_file(const struct rt_dash_options *options,
		      const struct rt_watch_snapshot *snapshot, const char *ending,
		      char *path, size_t bytes, struct rt_err *err);

/* It is there, and has nothing in it. */
bool rt_dash_is_empty(const char *path);

/*
 * A new file to write.  -EEXIST: something is there, be it a pipe or a link: neither is
 * opened.
 */
int rt_dash_create(const char *path, FILE **ret_file, struct rt_err *err);

/* Into a new file, whose path is written to path.  -EOPNOTSUPP: options cannot. */
int rt_dash_write_snapshot(const struct rt_dash_options *options,
			   const struct rt_watch_snapshot *snapshot, char *path,
			   size_t bytes, struct rt_err *err);

#endif
