/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "rocetune/err.h"

const char *rt_file_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int read_all(FILE *file, const char *name, size_t most_bytes, char **ret_text,
		    size_t *ret_bytes, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	size_t used = 0, size = 0, got, bom;

	do {
		if (used == size) {
			char *moved = realloc(text, size ? size * 2 : 16384);

			if (!moved)
				return rt_err_sys(err, -ENOMEM,
						  "%s: cannot hold the file", name);
			text = moved;
			size = size ? size * 2 : 16384;
		}
		errno = 0;
		got = fread(text + used, 1, size - used, file);
		used += got;
		if (used > most_bytes)
			return rt_err_set(err, -EFBIG, "%s: larger than %zu MiB", name,
					  most_bytes >> 20);
	} while (got > 0);
	if (ferror(file))
		return rt_err_sys(err, errno ? -errno : -EIO, "%s: cannot be read",
				  name);
	bom = rt_text_bom(text, used);
	memmove(text, text + bom, used - bom);
	*ret_text = rt_steal(&text);
	*ret_bytes = used - bom;
	return 0;
}

bool rt_file_is_regular(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int rt_file_check_regular(const char *path, struct rt_err *err)
{
	struct stat status;

	if (strcmp(path, "-") == 0 || stat(path, &status) < 0 ||
	    S_ISREG(status.st_mode))
		return 0;
	return rt_err_set(err, -EINVAL, "%s: not a regular file", path);
}

int rt_file_absolute(const char *path, char *buf, size_t capacity, struct rt_err *err)
{
	RT_AUTO(rt_auto_free)
	char *from = *path == '/' ? strdup("") : getcwd(NULL, 0);
	const char *between = *path == '/' ? "" : "/";

	if (!from)
		return rt_err_sys(err, -errno, "%s: the working folder", path);
	if (strlen(from) + strlen(between) + strlen(path) >= capacity)
		return rt_err_sys(err, -ENAMETOOLONG, "%s", path);
	snprintf(buf, capacity, "%s%s%s", from, between, path);
	return 0;
}

int rt_file_read(const char *path, size_t most_bytes, char **ret_text,
		 size_t *ret_bytes, struct rt_err *err)
{
	const bool from_stdin = strcmp(path, "-") == 0;
	RT_AUTO(rt_auto_fclose) FILE *opened = from_stdin ? NULL : fopen(path, "re");

	if (!from_stdin && !opened)
		return rt_err_sys(err, -errno, "%s: cannot be opened", path);
	return read_all(from_stdin ? stdin : opened, rt_file_name(path), most_bytes,
			ret_text, ret_bytes, err);
}

int rt_file_write_all(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count) {
		const ssize_t written = write(fd, at, count);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			at += written;
			count -= (size_t)written;
		}
	}
	return 0;
}
