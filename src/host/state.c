/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - journals as files, and the lock. */
#include "host/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "base/text.h"

#define ENDING ".journal"

struct rt_state {
	char folder[4096];
	int fd; /* of the folder; -1: there is none */
	int lock_fd;
};

/* --- the folder --------------------------------------------------------------------- */

/* With all above it, as a package would have made it. */
static int make_folder(const char *path)
{
	char part[4096];

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return -ENAMETOOLONG;
	for (char *at = part + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return mkdir(part, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int open_folder(const struct rt_state *state)
{
	const int fd = open(state->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Whoever else may write here could have root write through a link of theirs. */
static int check_owner(const struct rt_state *state, struct rt_err *err)
{
	struct stat folder;

	if (fstat(state->fd, &folder) < 0)
		return rt_err_sys(err, -errno, "%s", state->folder);
	if (folder.st_uid != 0 && folder.st_uid != geteuid())
		return rt_err_set(err, -EPERM,
				  "%s: the state folder belongs to user %u: give it to "
				  "root, or name another with ROCETUNE_STATE",
				  state->folder, (unsigned)folder.st_uid);
	if (folder.st_mode & (S_IWGRP | S_IWOTH))
		return rt_err_set(err, -EPERM,
				  "%s: others may write to the state folder: chmod 755",
				  state->folder);
	return 0;
}

int rt_state_open(bool to_write, struct rt_state **ret_state, struct rt_err *err)
{
	const char *folder = getenv("ROCETUNE_STATE");
	RT_AUTO(rt_auto_state_close) struct rt_state *state = malloc(sizeof(*state));
	int r;

	if (!state)
		return rt_err_sys(err, -ENOMEM, "cannot open the state folder");
	state->fd = state->lock_fd = -1;
	if (!folder || !*folder)
		folder = RT_STATE_FOLDER;
	/* A timer that undoes a change has another working folder. */
	r = rt_file_absolute(folder, state->folder, sizeof(state->folder), err);
	if (r < 0)
		return r;
	r = to_write ? make_folder(folder) : 0;
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot make the state folder", folder);
	state->fd = open_folder(state);
	if (state->fd < 0 && (to_write || state->fd != -ENOENT))
		return rt_err_sys(err, state->fd, "%s: cannot open the state folder",
				  folder);
	r = to_write ? check_owner(state, err) : 0;
	if (r < 0)
		return r;
	*ret_state = rt_steal(&state);
	return 0;
}

void rt_state_close(struct rt_state *state)
{
	if (!state)
		return;
	rt_state_unlock(state);
	if (state->fd >= 0)
		close(state->fd);
	free(state);
}

void rt_auto_state_close(struct rt_state **state)
{
	rt_state_close(*state);
}

const char *rt_state_folder(const struct rt_state *state)
{
	return state->folder;
}

/* --- the lock ------------------------------------------------------------------------- */

/* Of the open file, not of the process: a forked child holds it too (fcntl(2)). */
static const struct flock whole_file = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

/* A file of our own, not a name for another's. */
static int open_lock(const struct rt_state *state)
{
	const int fd = openat(state->fd, "lock",
			      O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			      0644);
	struct stat file;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 1)
		return fd;
	close(fd);
	return -ELOOP;
}

/* The number behind the last blank; 0: none. */
static long process_of(const char *line)
{
	const char *blank = strrchr(line, ' ');

	return blank ? strtol(blank, NULL, 10) : 0;
}

static bool is_dead(long process)
{
	return process > 0 && kill((pid_t)process, 0) < 0 && errno == ESRCH;
}

/* proc_pid_stat(5): the state stands behind the name, which may hold anything. */
static bool is_stopped(long process)
{
	char path[64], text[512], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && strncmp(end, ") T", 3) == 0;
}

/* The writer in the first line; once that is dead, its supervisor in the second. */
static void read_holder(int fd, char buf[RT_STATE_HOLDER_BYTES])
{
	char text[2 * RT_STATE_HOLDER_BYTES], *second;
	const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long process;

	text[n > 0 ? n : 0] = '\0';
	second = text + strcspn(text, "\n");
	if (*second)
		*second++ = '\0';
	second[strcspn(second, "\n")] = '\0';
	process = process_of(second);
	if (!*text)
		snprintf(buf, RT_STATE_HOLDER_BYTES, "another rocetune");
	else if (!is_dead(process_of(text)) || !*second)
		snprintf(buf, RT_STATE_HOLDER_BYTES, "%.*s", RT_STATE_HOLDER_BYTES - 1,
			 text);
	else if (is_stopped(process))
		snprintf(buf, RT_STATE_HOLDER_BYTES,
			 "%.100s, which is dead: its supervisor, process %ld, is "
			 "stopped: kill -CONT %ld",
			 text, process, process);
	else
		snprintf(buf, RT_STATE_HOLDER_BYTES,
			 "%.100s, which is dead: its supervisor, process %ld, puts "
			 "back what was",
			 text, process);
	rt_text_clean(buf);
}

void rt_state_lock_too(struct rt_state *state)
{
	char line[64];
	struct stat file;
	const int n = snprintf(line, sizeof(line), "supervisor, process %ld\n",
			       (long)getpid());

	/* A remark for people; without it the writer is named. */
	if (state->lock_fd >= 0 && fstat(state->lock_fd, &file) == 0 &&
	    pwrite(state->lock_fd, line, (size_t)n, file.st_size) != n)
		return;
}

void rt_state_holder(const struct rt_state *state, char buf[RT_STATE_HOLDER_BYTES])
{
	struct flock lock = whole_file;
	const int fd = openat(state->fd, "lock",
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	*buf = '\0';
	if (fd < 0)
		return;
	lock.l_type = F_RDLCK; /* all that a file opened for reading may ask for */
	if (fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		read_holder(fd, buf);
	close(fd);
}

int rt_state_lock(struct rt_state *state, const char *what, struct rt_err *err)
{
	struct flock lock = whole_file;
	char holder[RT_STATE_HOLDER_BYTES];
	const int fd = open_lock(state);
	int n, r = 0;

	if (fd < 0)
		return rt_err_sys(err, fd, "%s/lock: cannot open", state->folder);
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0)
		r = errno == EACCES ? -EAGAIN : -errno;
	if (r == -EAGAIN) {
		rt_state_holder(state, holder);
		close(fd);
		return rt_err_set(err, -EBUSY,
				  "another rocetune changes this host: %s; wait until "
				  "it is done",
				  *holder ? holder : "it just ended, try again");
	}
	n = snprintf(holder, sizeof(holder), "%.150s, process %ld\n", what,
		     (long)getpid());
	if (r == 0 && (ftruncate(fd, 0) < 0 || pwrite(fd, holder, (size_t)n, 0) != n))
		r = -errno;
	if (r < 0) {
		close(fd);
		return rt_err_sys(err, r, "%s/lock: cannot lock", state->folder);
	}
	state->lock_fd = fd;
	return 0;
}

void rt_state_unlock(struct rt_state *state)
{
	if (state->lock_fd >= 0)
		close(state->lock_fd);
	state->lock_fd = -1;
}

void rt_state_fds(const struct rt_state *state, int ret_fds[2])
{
	ret_fds[0] = state->fd;
	ret_fds[1] = state->lock_fd;
}

/* With its words; whoever of us came first has it already. */
static void lock_again(struct rt_state *state)
{
	struct flock lock = whole_file;
	char what[RT_STATE_HOLDER_BYTES];
	const ssize_t n = pread(state->lock_fd, what, sizeof(what), 0);
	const int fd = open_lock(state);

	if (fd < 0)
		return;
	if (fcntl(fd, F_OFD_SETLK, &lock) == 0 && n > 0 &&
	    pwrite(fd, what, (size_t)n, 0) == n)
		dup3(fd, state->lock_fd, O_CLOEXEC);
	close(fd);
}

/* Somebody removed the folder: what is open of it keeps nothing any more. */
static void follow(struct rt_state *state, bool makes)
{
	struct stat now;
	int fd;

	if (state->fd < 0 || fstat(state->fd, &now) < 0 || now.st_nlink > 0 ||
	    (makes && make_folder(state->folder) < 0))
		return;
	fd = open_folder(state);
	if (fd < 0)
		return;
	dup3(fd, state->fd, O_CLOEXEC);
	close(fd);
	makes = makes && check_owner(state, NULL) == 0;
	if (makes && state->lock_fd >= 0)
		lock_again(state);
}

/* --- one journal ------------------------------------------------------------------------ */

struct path {
	char name[128];
};

/* An id is a name here, never a way out of the folder. */
static int path_of(const char *id, struct path *ret_path, struct rt_err *err)
{
	if (!*id || *id == '.' || strchr(id, '/') || strlen(id) >= 96)
		return rt_err_set(err, -EINVAL, "\"%.95s\" is no name of a journal",
				  id);
	snprintf(ret_path->name, sizeof(ret_path->name), "%s" ENDING, id);
	return 0;
}

static bool is_journal(const char *name)
{
	const size_t bytes = strlen(name), ending = sizeof(ENDING) - 1;

	return *name != '.' && bytes > ending && bytes < 96 + ending &&
	       strcmp(name + bytes - ending, ENDING) == 0;
}

#define NUMBER_MOST UINT64_C(999999999999)

/* The running number that a name of ours begins with; 0: it is none. */
static uint64_t number_of(const char *name)
{
	uint64_t number;
	char *end;

	if (*name < '0' || *name > '9')
		return 0;
	number = strtoull(name, &end, 10);
	return *end == '-' && number <= NUMBER_MOST ? number : 0;
}

/* Above all that are there, those included that were put aside. */
static int next_id(const struct rt_state *state, struct rt_journal *journal)
{
	const int fd = openat(state->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	uint64_t last = 0;

	if (!folder)
		return -errno;
	for (struct dirent *entry; (entry = readdir(folder));) {
		const uint64_t number = number_of(entry->d_name);

		if (number > last)
			last = number;
	}
	closedir(folder);
	if (last == NUMBER_MOST)
		return -EOVERFLOW;
	snprintf(journal->id, sizeof(journal->id), "%06" PRIu64 "-%s-%u", last + 1,
		 journal->ibdev, journal->port);
	return 0;
}

static int write_file(int folder, const char *name, const struct rt_journal *journal,
		      struct rt_err *err)
{
	struct rt_json *json;
	FILE *file;
	int fd, r;

	/* What lies there is of one that died, or a link of somebody's. */
	unlinkat(folder, name, 0);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0644);
	file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return rt_err_sys(err, r, "cannot write the journal");
	}
	json = rt_record_envelope(&rt_journal_table, journal);
	r = rt_json_write(json, file, err);
	rt_json_free(json);
	if (r == 0 && fsync(fd) < 0)
		r = rt_err_sys(err, -errno, "cannot write the journal");
	if (fclose(file) != 0 && r == 0)
		r = rt_err_sys(err, -errno, "cannot write the journal");
	return r;
}

int rt_state_save(struct rt_state *state, struct rt_journal *journal,
		  struct rt_err *err)
{
	char beside[128 + 8];
	struct path path;
	int r = 0;

	follow(state, true);
	if (!*journal->id)
		r = next_id(state, journal);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot read", state->folder);
	r = path_of(journal->id, &path, err);
	if (r < 0)
		return r;
	snprintf(beside, sizeof(beside), ".%s.new", path.name);
	r = write_file(state->fd, beside, journal, err);
	if (r == 0 && renameat(state->fd, beside, state->fd, path.name) < 0)
		r = rt_err_sys(err, -errno, "%s/%s: cannot write the journal",
			       state->folder, path.name);
	if (r < 0) {
		unlinkat(state->fd, beside, 0);
		return r;
	}
	if (fsync(state->fd) < 0)
		return rt_err_sys(err, -errno, "%s: cannot sync", state->folder);
	return 0;
}

#define JOURNAL_MOST_BYTES (1u << 20) /* a full one has some 200 KB */

static int read_file(const struct rt_state *state, const char *name, char **ret_text,
		     size_t *ret_bytes, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = malloc(JOURNAL_MOST_BYTES + 1);
	const int fd = openat(state->fd, name,
			      O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	size_t bytes = 0;
	ssize_t n = text ? 1 : -1;

	if (fd < 0)
		return rt_err_sys(err, -errno, "%s/%s", state->folder, name);
	while (n > 0 && bytes <= JOURNAL_MOST_BYTES) {
		n = read(fd, text + bytes, JOURNAL_MOST_BYTES + 1 - bytes);
		bytes += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (n < 0)
		return rt_err_sys(err, text ? -errno : -ENOMEM, "%s/%s: cannot read",
				  state->folder, name);
	if (bytes > JOURNAL_MOST_BYTES)
		return rt_err_set(err, -EFBIG, "%s/%s: too large for a journal",
				  state->folder, name);
	*ret_text = rt_steal(&text);
	*ret_bytes = bytes;
	return 0;
}

int rt_state_load(struct rt_state *state, const char *id,
		  struct rt_journal *ret_journal, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	char name[4096 + 130];
	struct rt_journal journal;
	struct path path;
	size_t bytes = 0;
	int r = path_of(id, &path, err);

	follow(state, false);
	if (r == 0)
		r = read_file(state, path.name, &text, &bytes, err);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%s/%s", state->folder, path.name);
	r = rt_journal_parse(name, text, bytes, &journal, err);
	if (r < 0)
		return r;
	/* A copy under another name is not the journal it says it is. */
	if (strcmp(journal.id, id) != 0) {
		r = rt_err_set(err, -EINVAL, "%s: says to be journal \"%s\"", name,
			       journal.id);
		rt_journal_free(&journal);
		return r;
	}
	*ret_journal = journal;
	return 0;
}

/* --- all of them -------------------------------------------------------------------------- */

void rt_journal_files_free(struct rt_journal_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		rt_journal_free(&files->items[i].journal);
	free(files->items);
	*files = (struct rt_journal_files){ 0 };
}

static int add_file(const char *name, struct rt_journal_files *files)
{
	struct rt_journal_file *items = rt_grow(files->items, files->count,
						&files->capacity, sizeof(*items));

	if (!items)
		return -ENOMEM;
	files->items = items;
	items += files->count++;
	memset(items, 0, sizeof(*items));
	snprintf(items->id, sizeof(items->id), "%.*s",
		 (int)(strlen(name) - (sizeof(ENDING) - 1)), name);
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct rt_journal_file *one = a, *other = b;
	const uint64_t number = number_of(one->id), than = number_of(other->id);

	return number != than ? (number > than) - (number < than)
			      : strcmp(one->id, other->id);
}

static int list_names(const struct rt_state *state, struct rt_journal_files *files)
{
	const int fd = openat(state->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	int r = folder ? 0 : -errno;

	if (!folder && fd >= 0)
		close(fd);
	for (struct dirent *entry; r == 0 && (entry = readdir(folder));) {
		if (!is_journal(entry->d_name))
			continue;
		r = files->count == RT_STATE_MOST ? -E2BIG
						  : add_file(entry->d_name, files);
	}
	if (folder)
		closedir(folder);
	if (files->count)
		qsort(files->items, files->count, sizeof(*files->items), by_id);
	return r;
}

int rt_state_list(struct rt_state *state, struct rt_journal_files *ret_files,
		  struct rt_err *err)
{
	struct rt_journal_files files = { 0 };
	int r = state->fd < 0 ? 0 : list_names(state, &files);

	if (r < 0) {
		rt_journal_files_free(&files);
		return r == -E2BIG
			       ? rt_err_set(err, r,
					    "%s: more than %u journals: move finished "
					    "ones elsewhere",
					    state->folder, RT_STATE_MOST)
			       : rt_err_sys(err, r, "%s: cannot read", state->folder);
	}
	for (size_t i = 0; i < files.count; i++) {
		struct rt_journal_file *file = &files.items[i];
		struct rt_err why = { 0 };

		if (rt_state_load(state, file->id, &file->journal, &why) < 0)
			memcpy(file->failed, why.msg, sizeof(file->failed));
	}
	*ret_files = files;
	return 0;
}

int rt_state_set_aside(struct rt_state *state, const char *id, struct rt_err *err)
{
	char aside[128 + 8];
	struct path path;
	int r = path_of(id, &path, err);

	if (r < 0)
		return r;
	snprintf(aside, sizeof(aside), "%s" RT_STATE_ASIDE, path.name);
	if (renameat(state->fd, path.name, state->fd, aside) < 0 ||
	    fsync(state->fd) < 0)
		return rt_err_sys(err, -errno, "%s/%s: cannot put it aside",
				  state->folder, path.name);
	return 0;
}

void rt_state_prune(struct rt_state *state)
{
	struct rt_journal_files files = { 0 };
	size_t finished = 0;
	struct path path;

	if (rt_state_list(state, &files, NULL) < 0)
		return;
	for (size_t i = files.count; i > 0; i--) {
		const struct rt_journal_file *file = &files.items[i - 1];

		if (*file->failed || rt_journal_pending(file->journal.status))
			continue;
		if (++finished > RT_STATE_HISTORY &&
		    path_of(file->id, &path, NULL) == 0)
			unlinkat(state->fd, path.name, 0);
	}
	rt_journal_files_free(&files);
}
