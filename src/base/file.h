/* SPDX-License-Identifier: BSD-2-Clause */
/* file.h - a whole file as text, within a bound. */
#ifndef RT_BASE_FILE_H
#define RT_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct rt_err;

/* What to call the file of this path in messages: "-" is standard input. */
const char *rt_file_name(const char *path);

/*
 * A regular file, or a link to one.  For files that nobody named, found in a folder: a
 * pipe without a writer must not hold who opens it.
 */
bool rt_file_is_regular(const char *path);

/* The same of one that was named; "-" passes.  -EINVAL: it is there, and is none. */
int rt_file_check_regular(const char *path, struct rt_err *err);

/*
 * path from the root, whatever the working folder becomes; links in it stay.
 * -ENAMETOOLONG, or what getcwd(3) said: *buf is as it was.
 */
int rt_file_absolute(const char *path, char *buf, size_t capacity, struct rt_err *err);

/*
 * Read all of path ("-": standard input) into *ret_text, which the caller frees and
 * which has no end mark; a byte order mark in front is left out.  -EFBIG: more than
 * most_bytes, a multiple of 1 MiB.  Otherwise what open or read said.
 */
int rt_file_read(const char *path, size_t most_bytes, char **ret_text,
		 size_t *ret_bytes, struct rt_err *err);

/* Write all of it to a file that is open, in as many steps as that takes.  -errno. */
int rt_file_write_all(int fd, const void *bytes, size_t count);

#endif
