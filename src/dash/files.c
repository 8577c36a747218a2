/* SPDX-License-Identifier: BSD-2-Clause */
#include "dash/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dash/dash.h"
#include "rocetune/err.h"
#include "watch/watch.h"

#define MOST_NAMES 100u

int rt_dash_name_file(const struct rt_dash_options *options,
		      const struct rt_watch_snapshot *snapshot, const char *ending,
		      char *path, size_t bytes, struct rt_err *err)
{
	const time_t seconds = (time_t)(snapshot->wall_ns / 1000000000);
	const char *folder = options->snapshot_path;
	char stamp[32] = "", number[8] = "";
	struct tm when;

	if (gmtime_r(&seconds, &when))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &when);
	for (unsigned i = 1; i <= MOST_NAMES; i++) {
		const int length = snprintf(path, bytes, "%s%srocetune-%s%s.%s",
					    folder ? folder : "", folder ? "/" : "",
					    stamp, number, ending);

		if (length < 0 || (size_t)length >= bytes)
			return rt_err_sys(err, -ENAMETOOLONG, "%s", folder);
		if (access(path, F_OK) != 0)
			return 0;
		snprintf(number, sizeof(number), "-%u", i + 1);
	}
	return rt_err_sys(err, -EEXIST, "%s", path);
}

bool rt_dash_is_empty(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && about.st_size == 0;
}

int rt_dash_create(const char *path, FILE **ret_file, struct rt_err *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	const int r = -errno;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return rt_err_sys(err, r, "%s", path);
	}
	*ret_file = file;
	return 0;
}

int rt_dash_write_snapshot(const struct rt_dash_options *options,
			   const struct rt_watch_snapshot *snapshot, char *path,
			   size_t bytes, struct rt_err *err)
{
	FILE *file;
	int r;

	if (!options->write_snapshot)
		return rt_err_set(err, -EOPNOTSUPP, "snapshots cannot be written here");
	r = rt_dash_name_file(options, snapshot, "json", path, bytes, err);
	if (r == 0)
		r = rt_dash_create(path, &file, err);
	if (r < 0)
		return r;
	r = options->write_snapshot(options->context, snapshot, file, err);
	if (fclose(file) != 0 && r == 0)
		r = rt_err_sys(err, -errno, "%s", path);
	if (r < 0)
		unlink(path);
	return r;
}
