/* SPDX-License-Identifier: BSD-2-Clause */
/* files.c - sysfs, debugfs, configfs and procfs, under a root. */
#include "kern/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"

#define NAMES_MAX 65536u /* of one folder */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* --- opening --------------------------------------------------------------------------- */

/* glibc 2.36 has no wrapper. */
static int open_contained(int root, const char *path, uint64_t flags)
{
	const struct open_how how = {
		.flags = flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* A file descriptor or a negative errno.  path is absolute; root itself is "/". */
static int open_under(const struct rt_root *root, const char *path, int flags)
{
	int fd;

	while (*path == '/')
		path++;
	if (!*path)
		path = ".";
	flags |= O_CLOEXEC;
	fd = root->contained ? open_contained(root->fd, path, (uint64_t)flags)
			     : openat(root->fd, path, flags);
	return fd < 0 ? -errno : fd;
}

int rt_root_open(const char *folder, bool contained, struct rt_root *ret_root,
		 struct rt_err *err)
{
	struct rt_root root = { .contained = contained, .near_fd = -1 };
	int probe;

	root.fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root.fd < 0)
		return rt_err_sys(err, -errno, "%s", folder);
	probe = open_under(&root, "/", O_PATH | O_DIRECTORY);
	if (probe < 0) {
		close_fd(&root.fd);
		if (probe == -ENOSYS)
			return rt_err_set(err, -EOPNOTSUPP,
					  "%s: reading a folder as a host needs "
					  "openat2(), which this kernel lacks (Linux "
					  "5.6 has it)",
					  folder);
		return rt_err_sys(err, probe, "%s", folder);
	}
	close_fd(&probe);
	*ret_root = root;
	return 0;
}

void rt_root_close(struct rt_root *root)
{
	close_fd(&root->near_fd);
	close_fd(&root->fd);
}

/* Keep the folder of path open, if it can be; returns the name in it, or NULL. */
static const char *go_near(struct rt_root *root, const char *path)
{
	const char *slash = strrchr(path, '/');
	const size_t bytes = slash ? (size_t)(slash - path) : 0;
	int fd;

	if (bytes == 0 || bytes >= sizeof(root->near) || !slash[1])
		return NULL;
	if (root->near_fd >= 0 && strncmp(root->near, path, bytes) == 0 &&
	    root->near[bytes] == '\0')
		return slash + 1;
	close_fd(&root->near_fd);
	memcpy(root->near, path, bytes);
	root->near[bytes] = '\0';
	fd = open_under(root, root->near, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return NULL;
	root->near_fd = fd;
	return slash + 1;
}

/* A folder of someone else may hold pipes and devices, which opening may disturb. */
static int check_plain(mode_t mode)
{
	return S_ISREG(mode) ? 0 : S_ISDIR(mode) ? -EISDIR : -EINVAL;
}

/*
 * A link at the end is none of ours to follow: -ELOOP.  *ret_bytes is how many the file
 * has, where that can be trusted, which it cannot in sysfs; else it is left.
 */
static int open_near(const struct rt_root *root, const char *name, int flags,
		     size_t *ret_bytes)
{
	struct stat st;
	int fd;

	if (root->contained) {
		if (fstatat(root->near_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
		if (!S_ISREG(st.st_mode))
			return S_ISLNK(st.st_mode) ? -ELOOP : check_plain(st.st_mode);
		*ret_bytes = (size_t)st.st_size;
	}
	fd = openat(root->near_fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_far(const struct rt_root *root, const char *path, int flags)
{
	struct stat st;
	int probe, r;

	if (root->contained) {
		probe = open_under(root, path, O_PATH);
		if (probe < 0)
			return probe;
		r = fstat(probe, &st) < 0 ? -errno : check_plain(st.st_mode);
		close_fd(&probe);
		if (r < 0)
			return r;
	}
	return open_under(root, path, flags);
}

/*
 * A link at the end, or a folder that is gone since, sends us the whole way, which
 * also says what is wrong.
 */
static int open_for_reading(struct rt_root *root, const char *path, size_t *ret_bytes)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	const char *name = go_near(root, path);
	int fd;

	if (name && strcmp(name, "..") != 0) {
		fd = open_near(root, name, flags, ret_bytes);
		if (fd >= 0)
			return fd;
		if (fd != -ELOOP)
			close_fd(&root->near_fd);
	}
	return open_far(root, path, flags);
}

/* --- files ----------------------------------------------------------------------------- */

/*
 * -EFBIG when there is more than fits; a 0 goes behind what does.  expected spares the
 * read that finds the end; SIZE_MAX: not known.
 */
static int read_all(int fd, char *buf, size_t capacity, size_t expected,
		    size_t *ret_bytes)
{
	size_t used = 0;

	while (used < capacity) {
		const ssize_t got = read(fd, buf + used, capacity - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		used += (size_t)got;
		if (used == capacity)
			break;
		if (got == 0 || used == expected) {
			buf[used] = '\0';
			*ret_bytes = used;
			return 0;
		}
	}
	return -EFBIG;
}

int rt_root_read(struct rt_root *root, const char *path, char *buf, size_t capacity,
		 size_t *ret_bytes, struct rt_err *err)
{
	size_t expected = SIZE_MAX;
	int fd = open_for_reading(root, path, &expected);
	int r = fd;

	if (fd >= 0)
		r = read_all(fd, buf, capacity, expected, ret_bytes);
	close_fd(&fd);
	return r < 0 ? rt_err_sys(err, r, "%s", path) : 0;
}

int rt_root_open_file(struct rt_root *root, const char *path, struct rt_err *err)
{
	size_t expected;
	const int fd = open_for_reading(root, path, &expected);

	return fd < 0 ? rt_err_sys(err, fd, "%s", path) : fd;
}

#define SPARE_FILES 64

bool rt_file_may_stay_open(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       (rlim_t)fd + SPARE_FILES < limit.rlim_cur;
}

bool rt_file_is_nameless(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && file.st_nlink == 0;
}

int rt_root_write(struct rt_root *root, const char *path, const char *text,
		  struct rt_err *err)
{
	const size_t bytes = strlen(text);
	int fd = open_under(root, path, O_WRONLY | O_NOCTTY);
	ssize_t put;
	int r = 0;

	if (fd < 0)
		return rt_err_sys(err, fd, "%s: cannot be written", path);
	do
		put = write(fd, text, bytes);
	while (put < 0 && errno == EINTR);
	if (put < 0)
		r = rt_err_sys(err, -errno, "%s: '%.40s' was refused", path, text);
	else if ((size_t)put < bytes)
		r = rt_err_set(err, -EIO, "%s: took %zd of %zu bytes", path, put,
			       bytes);
	close_fd(&fd);
	return r;
}

/* --- folders --------------------------------------------------------------------------- */

int rt_names_add(struct rt_names *names, const char *name)
{
	char **grown;

	if (names->count == NAMES_MAX)
		return -E2BIG;
	grown = rt_grow(names->items, names->count, &names->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->items = grown;
	grown[names->count] = strdup(name);
	if (!grown[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void rt_names_sort(struct rt_names *names)
{
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
}

void rt_names_free(struct rt_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct rt_names){ 0 };
}

static int list_folder(DIR *dir, struct rt_names *names)
{
	const struct dirent *entry;
	int r = 0;

	while (r == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = rt_names_add(names, entry->d_name);
	}
	return r;
}

int rt_root_folder(struct rt_root *root, const char *path, struct rt_names *ret_names,
		   struct rt_err *err)
{
	struct rt_names names = { 0 };
	int fd = open_under(root, path, O_RDONLY | O_DIRECTORY), r;
	DIR *dir;

	if (fd < 0)
		return rt_err_sys(err, fd, "%s", path);
	dir = fdopendir(fd);
	if (!dir) {
		r = rt_err_sys(err, -errno, "%s", path);
		close_fd(&fd);
		return r;
	}
	r = list_folder(dir, &names);
	closedir(dir);
	if (r < 0) {
		rt_names_free(&names);
		return rt_err_sys(err, r, "%s", path);
	}
	rt_names_sort(&names);
	*ret_names = names;
	return 0;
}

/* --- the rest -------------------------------------------------------------------------- */

int rt_root_symlink(struct rt_root *root, const char *path, char *buf, size_t capacity,
		    struct rt_err *err)
{
	int fd = open_under(root, path, O_PATH | O_NOFOLLOW);
	ssize_t bytes;

	if (fd < 0)
		return rt_err_sys(err, fd, "%s", path);
	bytes = readlinkat(fd, "", buf, capacity);
	/* ENOENT of an empty path: fd is no link. */
	if (bytes < 0)
		bytes = errno == ENOENT ? -EINVAL : -errno;
	close_fd(&fd);
	if (bytes < 0)
		return rt_err_sys(err, (int)bytes, "%s", path);
	if ((size_t)bytes >= capacity)
		return rt_err_sys(err, -ENAMETOOLONG, "%s", path);
	buf[bytes] = '\0';
	return 0;
}

int rt_root_access(struct rt_root *root, const char *path, bool for_writing)
{
	const int mode = for_writing ? W_OK : R_OK;
	int fd;

	if (!root->contained) {
		while (*path == '/')
			path++;
		return faccessat(root->fd, *path ? path : ".", mode, AT_EACCESS) < 0
			       ? -errno
			       : 0;
	}
	if (for_writing)
		return -EROFS;
	fd = open_under(root, path, O_PATH);
	if (fd < 0)
		return fd;
	close_fd(&fd);
	return 0;
}

/* configfs takes no other flags or modes than these. */
int rt_root_make(struct rt_root *root, const char *path, struct rt_err *err)
{
	while (*path == '/' && path[1])
		path++;
	if (mkdirat(root->fd, path, 0755) < 0)
		return rt_err_sys(err, -errno, "/%s: cannot be made", path);
	return 0;
}

int rt_root_remove(struct rt_root *root, const char *path, struct rt_err *err)
{
	while (*path == '/' && path[1])
		path++;
	if (unlinkat(root->fd, path, AT_REMOVEDIR) < 0)
		return rt_err_sys(err, -errno, "/%s: cannot be removed", path);
	return 0;
}
