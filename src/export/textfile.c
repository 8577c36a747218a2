/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/textfile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocetune/err.h"

#define ENDING ".prom"

int rt_textfile_check(const char *path, struct rt_err *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t length = strlen(name), ending = strlen(ENDING);

	/* node_exporter, collector/textfile.go: only names with this ending. */
	if (length <= ending || strcmp(name + length - ending, ENDING) != 0)
		return rt_err_set(err, -EINVAL,
				  "--textfile: node_exporter reads only files whose "
				  "names end with %s: %s%s",
				  ENDING, path, length ? ENDING : "rocetune" ENDING);
	if (strlen(path) >= PATH_MAX - 32)
		return rt_err_sys(err, -ENAMETOOLONG, "--textfile");
	return 0;
}

/* --- parts --------------------------------------------------------------------------------- */

static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

/* Beside it, and without its ending: all but the number of the process. */
static void make_stem(const char *path, char stem[PATH_MAX])
{
	const int folder = folder_length(path);

	snprintf(stem, PATH_MAX, "%.*s.%.*s.", folder, path, PATH_MAX - 32 - folder,
		 path + folder);
}

static bool is_left(const char *name, const char *stem)
{
	const size_t length = strlen(stem);
	long pid;
	char *end;

	if (strncmp(name, stem, length) != 0 || !isdigit((unsigned char)name[length]))
		return false;
	errno = 0;
	pid = strtol(name + length, &end, 10);
	return !errno && !*end && pid > 0 && pid <= INT_MAX &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

void rt_textfile_tidy(const char *path)
{
	const int length = folder_length(path);
	char stem[PATH_MAX], folder[PATH_MAX];
	const struct dirent *entry;
	DIR *all;

	make_stem(path, stem);
	snprintf(folder, sizeof(folder), "%.*s", length, path);
	all = opendir(length ? folder : ".");
	while (all && (entry = readdir(all)))
		if (is_left(entry->d_name, stem + length))
			unlinkat(dirfd(all), entry->d_name, 0);
	if (all)
		closedir(all);
}

/* --- writing ------------------------------------------------------------------------------- */

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		const ssize_t written = write(fd, text, bytes);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			text += written;
			bytes -= (size_t)written;
		}
	}
	return 0;
}

static int open_part(const char *part)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(part, flags, 0644);

	/* What a process of the same number left when it died. */
	if (fd < 0 && errno == EEXIST && unlink(part) == 0)
		fd = open(part, flags, 0644);
	return fd < 0 ? -errno : fd;
}

int rt_textfile_write(const char *path, const char *text, size_t bytes,
		      struct rt_err *err)
{
	char stem[PATH_MAX], part[PATH_MAX + 16];
	int fd, r;

	make_stem(path, stem);
	snprintf(part, sizeof(part), "%s%d", stem, (int)getpid());
	fd = open_part(part);
	if (fd < 0)
		return rt_err_sys(err, fd, "cannot write %s", part);
	r = write_all(fd, text, bytes);
	/* Whatever the umask: node_exporter is somebody else. */
	if (r == 0 && fchmod(fd, 0644) < 0)
		r = -errno;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(part, path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(part);
		return rt_err_sys(err, r, "cannot write %s", path);
	}
	return 0;
}
