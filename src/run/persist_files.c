/* SPDX-License-Identifier: BSD-2-Clause */
/* persist_files.c - making and removing files below a root. */
#include "run/persist_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

static const char written[] = "written", as_before[] = "as before";

static int tell(struct rt_persist_files *files, const char *path, const char *done)
{
	struct rt_persisted *to = files->to;
	struct rt_persisted_file *items = rt_grow(to->files, to->count, &to->capacity,
						  sizeof(*items));

	if (!items)
		return -ENOMEM;
	to->files = items;
	items += to->count++;
	memset(items, 0, sizeof(*items));
	snprintf(items->path, sizeof(items->path), "%s", path);
	items->done = done;
	return 0;
}

static int full_path(const struct rt_persist_files *files, const char *path,
		     char full[1024], struct rt_err *err)
{
	if (snprintf(full, 1024, "%s%s", files->root, path) >= 1024 ||
	    strlen(path) >= sizeof(files->to->files->path))
		return rt_err_sys(err, -ENAMETOOLONG, "%s%s", files->root, path);
	return 0;
}

static int make_parents(const char *full, struct rt_err *err)
{
	char part[1024];

	snprintf(part, sizeof(part), "%s", full);
	for (char *at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return rt_err_sys(err, -errno, "%s: cannot make the folder",
					  part);
		*at = '/';
	}
	return 0;
}

/* The file's bytes; NULL: there is none, or it cannot be read. */
static char *read_all(const char *full, size_t *ret_bytes)
{
	RT_AUTO(rt_auto_fclose) FILE *file = fopen(full, "re");
	RT_AUTO(rt_auto_free) char *text = NULL;
	struct stat at;

	if (!file || fstat(fileno(file), &at) < 0 || !S_ISREG(at.st_mode) ||
	    at.st_size > (4 << 20))
		return NULL;
	text = malloc((size_t)at.st_size + 1);
	if (!text || fread(text, 1, (size_t)at.st_size, file) != (size_t)at.st_size)
		return NULL;
	text[at.st_size] = '\0';
	*ret_bytes = (size_t)at.st_size;
	return rt_steal(&text);
}

static int write_all(const char *full, const char *text, size_t bytes,
		     struct rt_err *err)
{
	char beside[1024 + 8];
	FILE *file;
	int r = 0;

	snprintf(beside, sizeof(beside), "%s.new", full);
	file = fopen(beside, "we");
	if (!file)
		return rt_err_sys(err, -errno, "%s: cannot write", beside);
	if (fwrite(text, 1, bytes, file) != bytes || fflush(file) != 0 ||
	    fsync(fileno(file)) < 0)
		r = errno ? -errno : -EIO;
	if (fclose(file) != 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(beside, full) < 0)
		r = -errno;
	if (r == 0)
		return 0;
	unlink(beside);
	return rt_err_sys(err, r, "%s: cannot write", full);
}

static bool is_marked(const char *text, size_t bytes)
{
	const size_t mark = sizeof(RT_PERSIST_MARK) - 1;

	return bytes >= mark && memcmp(text, RT_PERSIST_MARK, mark) == 0;
}

int rt_persist_write(struct rt_persist_files *files, const char *path, const char *text,
		     size_t bytes, bool marked, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *is = NULL;
	char full[1024];
	size_t is_bytes = 0;
	int r = full_path(files, path, full, err);

	if (r == 0)
		r = make_parents(full, err);
	if (r < 0)
		return r;
	is = read_all(full, &is_bytes);
	if (is && is_bytes == bytes && memcmp(is, text, bytes) == 0)
		return tell(files, path, as_before);
	if (marked && access(full, F_OK) == 0 && !(is && is_marked(is, is_bytes)))
		return rt_err_set(err, -EEXIST,
				  "%s is there and not rocetune's: move it away first",
				  full);
	r = write_all(full, text, bytes, err);
	return r < 0 ? r : tell(files, path, written);
}

int rt_persist_link(struct rt_persist_files *files, const char *path,
		    const char *target, struct rt_err *err)
{
	char full[1024], is[512];
	ssize_t n;
	int r = full_path(files, path, full, err);

	if (r == 0)
		r = make_parents(full, err);
	if (r < 0)
		return r;
	n = readlink(full, is, sizeof(is) - 1);
	if (n >= 0 && strlen(target) == (size_t)n && memcmp(is, target, (size_t)n) == 0)
		return tell(files, path, as_before);
	if (n >= 0)
		unlink(full);
	if (symlink(target, full) < 0)
		return rt_err_sys(err, -errno, "%s: cannot make the link", full);
	return tell(files, path, written);
}

int rt_persist_remove(struct rt_persist_files *files, const char *path, bool marked,
		      struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *is = NULL;
	char full[1024];
	struct stat at;
	size_t bytes;
	int r = full_path(files, path, full, err);

	if (r < 0)
		return r;
	if (lstat(full, &at) < 0)
		return errno == ENOENT ? 0 : rt_err_sys(err, -errno, "%s", full);
	is = marked ? read_all(full, &bytes) : NULL;
	if (marked && !(is && is_marked(is, bytes)))
		return tell(files, path, "left");
	if ((S_ISDIR(at.st_mode) ? rmdir(full) : unlink(full)) < 0)
		return rt_err_sys(err, -errno, "%s: cannot remove", full);
	return tell(files, path, "removed");
}

void rt_persist_undo(struct rt_persist_files *files)
{
	char full[1024];

	for (size_t i = files->to->count; i > 0; i--)
		if (files->to->files[i - 1].done == written &&
		    full_path(files, files->to->files[i - 1].path, full, NULL) == 0)
			unlink(full);
}
