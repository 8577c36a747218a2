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

/* --- what was, to be put back ------------------------------------------------------------ */

enum kind {
	NOTHING,
	TEXT,
	LINK,
	FOLDER
};

struct rt_persist_kept {
	char full[1024];
	enum kind kind;
	mode_t mode;
	char *bytes; /* of a text or a link; owned */
	size_t count;
};

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

/* What is there now.  -EEXIST: nothing that could be put back. */
static int look(const char *full, struct rt_persist_kept *kept, struct rt_err *err)
{
	char link[512];
	struct stat at;
	ssize_t n;

	*kept = (struct rt_persist_kept){ 0 };
	snprintf(kept->full, sizeof(kept->full), "%s", full);
	if (lstat(full, &at) < 0)
		return errno == ENOENT ? 0 : rt_err_sys(err, -errno, "%s", full);
	kept->mode = at.st_mode & 07777;
	if (S_ISDIR(at.st_mode)) {
		kept->kind = FOLDER;
		return 0;
	}
	if (S_ISLNK(at.st_mode)) {
		kept->kind = LINK;
		n = readlink(full, link, sizeof(link));
		if (n >= 0 && n < (ssize_t)sizeof(link)) {
			kept->count = (size_t)n;
			kept->bytes = strndup(link, (size_t)n);
		}
	} else {
		kept->kind = TEXT;
		kept->bytes = read_all(full, &kept->count);
	}
	if (!kept->bytes)
		return rt_err_set(err, -EEXIST,
				  "%s is there and cannot be kept: move it away first",
				  full);
	return 0;
}

static int keep(struct rt_persist_files *files, const struct rt_persist_kept *kept)
{
	struct rt_persist_kept *items = rt_grow(files->kept, files->kept_count,
						&files->kept_capacity, sizeof(*items));

	if (!items)
		return -ENOMEM;
	files->kept = items;
	items[files->kept_count++] = *kept;
	return 0;
}

/* Takes what kept owns, also when it fails. */
static int keep_or_free(struct rt_persist_files *files, struct rt_persist_kept *kept,
			struct rt_err *err)
{
	if (!files->only_check && keep(files, kept) == 0)
		return 0;
	free(kept->bytes);
	return files->only_check ? 0 : rt_err_sys(err, -ENOMEM, "%s", kept->full);
}

/* --- writing ------------------------------------------------------------------------------ */

/* A name lasts when its folder is on the disk, too. */
static int sync_folder(const char *full)
{
	char folder[1024 + 8];
	char *slash;
	int fd, r;

	snprintf(folder, sizeof(folder), "%s", full);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static int make_parents(struct rt_persist_files *files, const char *full,
			struct rt_err *err)
{
	char part[1024];

	snprintf(part, sizeof(part), "%s", full);
	for (char *at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
		struct rt_persist_kept nothing = { 0 };

		*at = '\0';
		if (mkdir(part, 0755) == 0) {
			snprintf(nothing.full, sizeof(nothing.full), "%s", part);
			if (keep(files, &nothing) < 0)
				return rt_err_sys(err, -ENOMEM, "%s", part);
			sync_folder(part);
		} else if (errno != EEXIST) {
			return rt_err_sys(err, -errno, "%s: cannot make the folder",
					  part);
		}
		*at = '/';
	}
	return 0;
}

/* Put beside into the place of full: one or the other is there, at any moment. */
static int move_there(const char *beside, const char *full)
{
	return rename(beside, full) < 0 ? -errno : sync_folder(full);
}

static int write_all(const char *full, const char *text, size_t bytes, mode_t mode,
		     struct rt_err *err)
{
	char beside[1024 + 8];
	FILE *file;
	int r = 0;

	snprintf(beside, sizeof(beside), "%s.new", full);
	unlink(beside); /* what was left there, whatever it is */
	file = fopen(beside, "wxe");
	if (!file)
		return rt_err_sys(err, -errno, "%s: cannot write", beside);
	errno = 0;
	if (fwrite(text, 1, bytes, file) != bytes || fflush(file) != 0 ||
	    (mode && fchmod(fileno(file), mode) < 0) || fsync(fileno(file)) < 0)
		r = errno ? -errno : -EIO;
	if (fclose(file) != 0 && r == 0)
		r = -errno;
	if (r == 0)
		r = move_there(beside, full);
	if (r == 0)
		return 0;
	unlink(beside);
	return rt_err_sys(err, r, "%s: cannot write", full);
}

static int link_all(const char *full, const char *target, struct rt_err *err)
{
	char beside[1024 + 8];
	int r;

	snprintf(beside, sizeof(beside), "%s.new", full);
	unlink(beside);
	r = symlink(target, beside) < 0 ? -errno : move_there(beside, full);
	if (r == 0)
		return 0;
	unlink(beside);
	return rt_err_sys(err, r, "%s: cannot make the link", full);
}

static bool is_marked(const struct rt_persist_kept *is)
{
	const size_t mark = sizeof(RT_PERSIST_MARK) - 1;

	return is->kind == TEXT && is->count >= mark &&
	       memcmp(is->bytes, RT_PERSIST_MARK, mark) == 0;
}

static bool is_same(const struct rt_persist_kept *is, enum kind kind, const char *bytes,
		    size_t count)
{
	return is->kind == kind && is->count == count &&
	       memcmp(is->bytes, bytes, count) == 0;
}

/* What is at path, when something else may be put there. */
static int look_over(const char *full, bool marked, struct rt_persist_kept *is,
		     struct rt_err *err)
{
	int r = look(full, is, err);

	if (r < 0)
		return r;
	if (is->kind == FOLDER || (marked && is->kind != NOTHING && !is_marked(is))) {
		free(is->bytes);
		return rt_err_set(err, -EEXIST,
				  "%s is there and not rocetune's: move it away first",
				  full);
	}
	return 0;
}

/* What is to be at a path. */
struct thing {
	enum kind kind; /* TEXT, LINK */
	const char *bytes;
	size_t count;
	bool marked;
};

static int write_thing(struct rt_persist_files *files, const char *path,
		       const struct thing *thing, struct rt_err *err)
{
	struct rt_persist_kept is;
	char full[1024];
	int r = full_path(files, path, full, err);

	if (r == 0)
		r = look_over(full, thing->marked, &is, err);
	if (r < 0)
		return r;
	if (is_same(&is, thing->kind, thing->bytes, thing->count)) {
		free(is.bytes);
		return files->only_check ? 0 : tell(files, path, as_before);
	}
	if (!files->only_check)
		r = make_parents(files, full, err);
	if (r < 0)
		free(is.bytes);
	else
		r = keep_or_free(files, &is, err);
	if (r < 0 || files->only_check)
		return r;
	r = thing->kind == LINK ? link_all(full, thing->bytes, err)
				: write_all(full, thing->bytes, thing->count, 0, err);
	return r < 0 ? r : tell(files, path, written);
}

int rt_persist_write(struct rt_persist_files *files, const char *path, const char *text,
		     size_t bytes, bool marked, struct rt_err *err)
{
	const struct thing thing = { TEXT, text, bytes, marked };

	return write_thing(files, path, &thing, err);
}

int rt_persist_link(struct rt_persist_files *files, const char *path,
		    const char *target, struct rt_err *err)
{
	const struct thing thing = { LINK, target, strlen(target), false };

	return write_thing(files, path, &thing, err);
}

int rt_persist_remove(struct rt_persist_files *files, const char *path, bool marked,
		      struct rt_err *err)
{
	struct rt_persist_kept is;
	char full[1024];
	int r = full_path(files, path, full, err);

	if (r == 0)
		r = look(full, &is, err);
	if (r < 0 || is.kind == NOTHING)
		return r;
	if (marked && !is_marked(&is)) {
		free(is.bytes);
		return files->only_check ? 0 : tell(files, path, "left");
	}
	r = keep_or_free(files, &is, err);
	if (r < 0 || files->only_check)
		return r;
	if ((is.kind == FOLDER ? rmdir(full) : unlink(full)) < 0) {
		r = -errno;
		free(is.bytes);
		files->kept_count--;
		return rt_err_sys(err, r, "%s: cannot remove", full);
	}
	sync_folder(full);
	return tell(files, path, "removed");
}

/* --- putting back --------------------------------------------------------------------------- */

/* The write that failed may have changed nothing. */
static bool is_there(const struct rt_persist_kept *was)
{
	struct rt_persist_kept is;
	bool same;

	if (look(was->full, &is, NULL) < 0)
		return false;
	same = was->mode == is.mode && (is.kind == TEXT || is.kind == LINK) &&
	       is_same(&is, was->kind, was->bytes, was->count);
	free(is.bytes);
	return same;
}

static int put_back(const struct rt_persist_kept *was, struct rt_err *err)
{
	if (is_there(was))
		return 0;
	switch (was->kind) {
	case TEXT: return write_all(was->full, was->bytes, was->count, was->mode, err);
	case LINK: return link_all(was->full, was->bytes, err);
	case FOLDER:
		return mkdir(was->full, was->mode) < 0 && errno != EEXIST
			       ? rt_err_sys(err, -errno, "%s", was->full)
			       : 0;
	default: break;
	}
	/* A folder that is not empty is somebody else's, too. */
	if (unlink(was->full) < 0 && errno != ENOENT &&
	    (errno != EISDIR || (rmdir(was->full) < 0 && errno != ENOTEMPTY)))
		return rt_err_sys(err, -errno, "%s: cannot remove", was->full);
	sync_folder(was->full);
	return 0;
}

int rt_persist_undo(struct rt_persist_files *files, struct rt_err *err)
{
	int first = 0;

	for (size_t i = files->kept_count; i > 0; i--) {
		int r = put_back(&files->kept[i - 1], first < 0 ? NULL : err);

		if (first == 0)
			first = r;
	}
	return first;
}

void rt_persist_forget(struct rt_persist_files *files)
{
	for (size_t i = 0; i < files->kept_count; i++)
		free(files->kept[i].bytes);
	free(files->kept);
	files->kept = NULL;
	files->kept_count = files->kept_capacity = 0;
}
