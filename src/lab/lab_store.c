/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_store.c - the folders of labs: private, locked, no links followed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/own.h"
#include "base/record.h"
#include "base/text.h"
#include "kern/files.h"
#include "lab/lab_nic.h"
#include "lab/lab_state.h"
#include "rocetune/err.h"

#define STATE_FILE RT_LAB_STATE_FILE
#define STATE_NEW  "state.new"
#define END_FILE   "ended"

/* All that a lab's folder ever holds, beside its lock and the files of hosts' NICs. */
static const char *const files[] = { STATE_FILE, STATE_NEW, END_FILE,
				     RT_LAB_COUNTERS_FILE };

#define STATE_BYTES    (256u << 10)
#define REMOVE_TRIES   500u /* of a millisecond: a writer may wait for its turn */
#define REMOVE_WAIT_US 1000
#define CLAIM_TRIES    20u
#define OPEN_FOLDER    (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* --- the folder of all ---------------------------------------------------------------- */

/* From the root: a lab's process leaves the folder that it was started in. */
static int store_path(char *buf, size_t capacity, struct rt_err *err)
{
	const char *run = getenv("ROCETUNE_RUN");
	const char *user = getenv("XDG_RUNTIME_DIR");
	char path[PATH_MAX];
	int n;

	if (run && *run)
		n = snprintf(path, sizeof(path), "%s/lab", run);
	else if (geteuid() == 0)
		n = snprintf(path, sizeof(path), "/run/rocetune/lab");
	else if (user && *user)
		n = snprintf(path, sizeof(path), "%s/rocetune/lab", user);
	else
		return rt_err_set(err, -ENOENT,
				  "no folder for the lab's state: XDG_RUNTIME_DIR is "
				  "not set; log in anew, or name a folder of your own "
				  "with ROCETUNE_RUN");
	if (n >= (int)sizeof(path))
		return rt_err_sys(err, -ENAMETOOLONG, "the folder of labs");
	return rt_file_absolute(path, buf, capacity, err);
}

/* What others may write to, they could have us write through. */
static int check_private(int fd, const char *path, struct rt_err *err)
{
	struct stat folder;

	if (fstat(fd, &folder) < 0)
		return rt_err_sys(err, -errno, "%s", path);
	if (folder.st_uid != geteuid() || folder.st_mode & (S_IWGRP | S_IWOTH))
		return rt_err_set(err, -EPERM,
				  "%s: the folder of labs is not yours alone: remove "
				  "it, or name another with ROCETUNE_RUN",
				  path);
	return 0;
}

/* Each part of the path; what is above it belongs to the system. */
static int make_folders(const char *path)
{
	char part[256];

	snprintf(part, sizeof(part), "%s", path);
	for (char *at = part + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int rt_lab_store_open(bool to_make, struct rt_lab_store *ret_store, struct rt_err *err)
{
	struct rt_lab_store store = { .fd = -1 };
	int r = store_path(store.path, sizeof(store.path), err);

	if (r < 0)
		return r;
	if (to_make) {
		r = make_folders(store.path);
		if (r < 0)
			return rt_err_sys(err, r, "%s: cannot make the folder of labs",
					  store.path);
	}
	store.fd = open(store.path, OPEN_FOLDER);
	if (store.fd < 0 && (to_make || errno != ENOENT))
		return rt_err_sys(err, -errno, "%s: cannot open the folder of labs",
				  store.path);
	r = store.fd < 0 ? 0 : check_private(store.fd, store.path, err);
	if (r < 0) {
		close(store.fd);
		return r;
	}
	*ret_store = store;
	return 0;
}

void rt_lab_store_close(struct rt_lab_store *store)
{
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
}

int rt_lab_store_names(const struct rt_lab_store *store, struct rt_names *ret_names,
		       struct rt_err *err)
{
	struct rt_names names = { 0 };
	const struct dirent *entry;
	DIR *folder;
	int r = 0;

	if (store->fd < 0) {
		*ret_names = names;
		return 0;
	}
	folder = fdopendir(openat(store->fd, ".", OPEN_FOLDER));
	if (!folder)
		return rt_err_sys(err, -errno, "%s", store->path);
	while (r == 0 && (entry = readdir(folder)))
		if (rt_lab_name_check(entry->d_name, NULL) == 0)
			r = rt_names_add(&names, entry->d_name);
	closedir(folder);
	if (r < 0) {
		rt_names_free(&names);
		return rt_err_sys(err, r, "%s", store->path);
	}
	rt_names_sort(&names);
	*ret_names = names;
	return 0;
}

/* --- the folder of one ------------------------------------------------------------------ */

/* Of the open file, so that forked processes hold it on (fcntl(2)). */
static int lock(int fd)
{
	const struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

static int open_lock(int folder_fd, int flags)
{
	const int fd = openat(folder_fd, RT_LAB_LOCK_FILE,
			      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags,
			      0600);

	return fd < 0 ? -errno : fd;
}

/* Nothing of a lab's, but the lock and the files of NICs. */
static bool is_strange(const char *file)
{
	return strcmp(file, ".") != 0 && strcmp(file, "..") != 0 &&
	       strcmp(file, RT_LAB_LOCK_FILE) != 0 && !rt_lab_nic_is_file(file);
}

/* Those of hosts whose endpoints were ended in the middle; whether more is there. */
static bool remove_nics(int folder_fd)
{
	DIR *folder = fdopendir(openat(folder_fd, ".", OPEN_FOLDER));
	const struct dirent *entry;
	bool more = false;

	while (folder && (entry = readdir(folder))) {
		more = more || is_strange(entry->d_name);
		if (rt_lab_nic_is_file(entry->d_name))
			unlinkat(folder_fd, entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
	return more;
}

static int remove_files(int folder_fd)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++)
		if (unlinkat(folder_fd, files[i], 0) < 0 && errno != ENOENT)
			return -errno;
	return 0;
}

/* Is what is locked the folder that has the name, and its lock?  Else it was removed. */
static bool is_current(int store_fd, const struct rt_lab_claim *claim)
{
	struct stat named, folder, lock;

	return fstatat(store_fd, claim->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       fstat(claim->folder_fd, &folder) == 0 &&
	       fstat(claim->lock_fd, &lock) == 0 && named.st_dev == folder.st_dev &&
	       named.st_ino == folder.st_ino && lock.st_nlink > 0;
}

/* A folder that nobody takes for a lab's any more, whoever is at it. */
static int remove_away(int store_fd, int folder_fd, const char *name)
{
	int r = -ENOTEMPTY;

	for (unsigned i = 0; i < REMOVE_TRIES && (r == -ENOTEMPTY || r == -EEXIST);
	     i++) {
		if (i > 0)
			usleep(REMOVE_WAIT_US);
		(void)remove_files(folder_fd);
		(void)remove_nics(folder_fd);
		unlinkat(folder_fd, RT_LAB_LOCK_FILE, 0);
		r = unlinkat(store_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
	}
	return r;
}

/* What is there of a remover that was killed goes first. */
static int move_away(int store_fd, const char *name, const char *away)
{
	int fd;

	if (renameat(store_fd, name, store_fd, away) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	fd = openat(store_fd, away, OPEN_FOLDER);
	if (fd >= 0) {
		(void)remove_away(store_fd, fd, away);
		close(fd);
	}
	return renameat(store_fd, name, store_fd, away) < 0 ? -errno : 0;
}

/*
 * -ENOTEMPTY: there is something of somebody else in it, which stays.  Endpoints may
 * finish what they were writing, and begin no more once the state is gone
 * (rt_lab_nic_write()).  The folder gives up its name, under the lock, before that goes:
 * whoever takes the name next has another one.
 */
static int remove_folder(const struct rt_lab_claim *claim)
{
	char away[RT_LAB_NAME_BYTES + 1];
	const bool current = is_current(claim->store_fd, claim);
	int r = remove_files(claim->folder_fd);

	if (remove_nics(claim->folder_fd) && r == 0)
		r = -ENOTEMPTY;
	snprintf(away, sizeof(away), ".%s", claim->name);
	if (r == 0 && current)
		r = move_away(claim->store_fd, claim->name, away);
	if (r < 0 || !current) {
		unlinkat(claim->folder_fd, RT_LAB_LOCK_FILE, 0);
		return r;
	}
	return remove_away(claim->store_fd, claim->folder_fd, away);
}

/*
 * The folder and its lock, taken.  -EAGAIN: somebody has it.  -ESTALE: it was removed in
 * the meantime.
 */
static int take_folder(const struct rt_lab_store *store, const char *name, bool to_make,
		       struct rt_lab_claim *ret_claim)
{
	struct rt_lab_claim claim = { .store_fd = -1, .folder_fd = -1, .lock_fd = -1 };
	int r;

	snprintf(claim.name, sizeof(claim.name), "%s", name);
	claim.folder_fd = openat(store->fd, name, OPEN_FOLDER);
	if (claim.folder_fd < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	claim.lock_fd = open_lock(claim.folder_fd, to_make ? O_CREAT : 0);
	r = claim.lock_fd < 0 ? claim.lock_fd : lock(claim.lock_fd);
	if ((r == 0 && !is_current(store->fd, &claim)) || r == -ENOENT)
		r = -ESTALE;
	if (r == 0) {
		claim.store_fd = fcntl(store->fd, F_DUPFD_CLOEXEC, 3);
		r = claim.store_fd < 0 ? -errno : 0;
	}
	if (r < 0)
		rt_lab_claim_close(&claim);
	else
		*ret_claim = claim;
	return r;
}

void rt_lab_claim_close(struct rt_lab_claim *claim)
{
	int *const fds[] = { &claim->store_fd, &claim->folder_fd, &claim->lock_fd };

	for (size_t i = 0; i < RT_ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

void rt_lab_claim_remove(struct rt_lab_claim *claim)
{
	(void)remove_folder(claim);
}

/*
 * A file of the folder; -ELOOP and others when it is not a plain file of ours.  One that
 * is replaced just now has no name any more, and is whole as it was; one with two is
 * somebody else's, too.
 */
static int open_file(int folder_fd, const char *file)
{
	const int fd = openat(folder_fd, file,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
	    about.st_uid == geteuid() && about.st_nlink <= 1)
		return fd;
	close(fd);
	return -ELOOP;
}

static int read_file(int folder_fd, const char *file, char *buf, size_t capacity,
		     size_t *ret_bytes)
{
	const int fd = open_file(folder_fd, file);
	size_t used = 0;
	ssize_t n = 0;

	if (fd < 0)
		return fd;
	do {
		n = read(fd, buf + used, capacity - used);
		used += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && used < capacity) || (n < 0 && errno == EINTR));
	close(fd);
	if (n < 0)
		return -errno;
	if (used == capacity)
		return -EFBIG;
	*ret_bytes = used;
	return 0;
}

/* "removed what lab x left, whose process 123 had died" */
static void tell_removed(int folder_fd, const char *name, char removed[160])
{
	RT_AUTO(rt_auto_free) char *text = malloc(STATE_BYTES);
	struct rt_lab_state state;
	size_t bytes;

	snprintf(removed, 160, "removed what a lab '%s' had left that died", name);
	if (text && read_file(folder_fd, STATE_FILE, text, STATE_BYTES, &bytes) == 0 &&
	    rt_lab_state_parse(STATE_FILE, text, bytes, &state, NULL) == 0) {
		snprintf(removed, 160,
			 "removed what a lab '%s' had left whose process, %u, died",
			 name, state.pid);
		rt_lab_state_free(&state);
	}
}

/* The folder of a new lab; what was there before stays for now (*ret_made: nothing). */
static int make_folder(const struct rt_lab_store *store, const char *name,
		       bool *ret_made, struct rt_lab_claim *ret_claim)
{
	int r = -ESTALE;

	for (unsigned i = 0; i < CLAIM_TRIES && r == -ESTALE; i++) {
		*ret_made = mkdirat(store->fd, name, 0700) == 0;
		if (!*ret_made && errno != EEXIST)
			return -errno;
		r = take_folder(store, name, true, ret_claim);
	}
	return r;
}

int rt_lab_claim(const struct rt_lab_store *store, const char *name, char removed[160],
		 struct rt_lab_claim *ret_claim, struct rt_err *err)
{
	struct rt_lab_claim claim;
	bool made = false;
	int r = make_folder(store, name, &made, &claim);

	*removed = '\0';
	if (r == -EAGAIN)
		return rt_err_set(err, -EEXIST,
				  "lab '%s' is up: see rocetune lab show, end it with "
				  "rocetune lab down, or give this one another --name",
				  name);
	if (r < 0)
		return rt_err_sys(err, r, "%s/%s: cannot make the lab's folder",
				  store->path, name);
	if (!made) {
		tell_removed(claim.folder_fd, name, removed);
		(void)remove_nics(claim.folder_fd);
		r = remove_files(claim.folder_fd);
	}
	if (r < 0) {
		rt_lab_claim_close(&claim);
		return rt_err_sys(err, r, "%s/%s: cannot remove what a lab left",
				  store->path, name);
	}
	*ret_claim = claim;
	return 0;
}

static int write_text(int folder_fd, const char *file, const char *text, size_t bytes)
{
	const int fd = openat(folder_fd, file,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			      0600);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, bytes);
	if (close(fd) < 0 || n < 0)
		return -errno;
	return (size_t)n == bytes ? 0 : -ENOSPC;
}

/* What a later change cannot keep: another file, or another time. */
static int remember_state(struct rt_lab_claim *claim)
{
	struct stat state;

	if (fstatat(claim->folder_fd, STATE_FILE, &state, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	claim->state_inode = state.st_ino;
	claim->state_bytes = (uint64_t)state.st_size;
	claim->state_ns = (int64_t)state.st_mtim.tv_sec * 1000000000 +
			  state.st_mtim.tv_nsec;
	return 0;
}

int rt_lab_state_write(struct rt_lab_claim *claim, const struct rt_lab_state *state,
		       struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	struct rt_json *json = rt_record_envelope(&rt_lab_state_table, state);
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	int r = to ? rt_json_write(json, to, err) : -ENOMEM;

	rt_json_free(json);
	if (to && fclose(to) != 0 && r == 0)
		r = -ENOMEM;
	if (r < 0)
		return rt_err_sys(err, r, "cannot hold the lab's state");
	/* One that was cut off in the middle is in the way. */
	(void)unlinkat(claim->folder_fd, STATE_NEW, 0);
	r = write_text(claim->folder_fd, STATE_NEW, text, bytes);
	if (r == 0 &&
	    renameat(claim->folder_fd, STATE_NEW, claim->folder_fd, STATE_FILE) < 0)
		r = -errno;
	if (r == 0)
		r = remember_state(claim);
	if (r < 0)
		return rt_err_sys(err, r, "lab '%s': cannot write its state",
				  claim->name);
	return 0;
}

bool rt_lab_state_is_ours(const struct rt_lab_claim *claim)
{
	struct rt_lab_claim now = { .folder_fd = claim->folder_fd };

	return remember_state(&now) == 0 && now.state_inode == claim->state_inode &&
	       now.state_bytes == claim->state_bytes && now.state_ns == claim->state_ns;
}

void rt_lab_write_end(const struct rt_lab_claim *claim, const char *why)
{
	/* A remark for people: without it they read that it died. */
	(void)write_text(claim->folder_fd, END_FILE, why, strlen(why));
}

/* --- finding one ---------------------------------------------------------------------- */

/* Is somebody holding its lock?  One that cannot be asked is nobody's. */
static bool is_held(int folder_fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const int fd = open_lock(folder_fd, 0);
	bool held;

	if (fd < 0)
		return false;
	held = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
	close(fd);
	return held;
}

static int say_dead(int folder_fd, const char *name, struct rt_err *err)
{
	char why[400];
	size_t bytes = 0;

	if (read_file(folder_fd, END_FILE, why, sizeof(why) - 1, &bytes) < 0)
		bytes = 0;
	why[bytes] = '\0';
	rt_text_clean(why);
	return rt_err_set(
		err, -ESRCH,
		"lab '%s' is no more: %s; rocetune lab down --name %s removes "
		"its notes",
		name, bytes ? why : "its process died", name);
}

/* The folder of a lab that is noted; the caller closes it. */
static int open_noted(const struct rt_lab_store *store, const char *name, int *ret_fd,
		      struct rt_err *err)
{
	int r = rt_lab_name_check(name, err), fd;

	if (r < 0)
		return r;
	fd = store->fd < 0 ? -1 : openat(store->fd, name, OPEN_FOLDER);
	if (fd < 0 && (store->fd < 0 || errno == ENOENT))
		return rt_err_set(err, -ENOENT,
				  "there is no lab '%s': rocetune lab up makes one",
				  name);
	if (fd < 0)
		return rt_err_sys(err, -errno, "%s/%s", store->path, name);
	*ret_fd = fd;
	return 0;
}

static int read_state(const struct rt_lab_store *store, int folder_fd, const char *name,
		      struct rt_lab_state *ret_state, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = malloc(STATE_BYTES);
	char path[320];
	size_t bytes;
	int r;

	snprintf(path, sizeof(path), "%s/%s/" STATE_FILE, store->path, name);
	if (!text)
		return rt_err_sys(err, -ENOMEM, "%s", path);
	r = read_file(folder_fd, STATE_FILE, text, STATE_BYTES, &bytes);
	if (r == -ENOENT)
		return rt_err_set(err, -EAGAIN,
				  "lab '%s' is being made: try again in a moment",
				  name);
	if (r < 0)
		return rt_err_sys(err, r, "%s: cannot read", path);
	return rt_lab_state_parse(path, text, bytes, ret_state, err);
}

int rt_lab_find(const struct rt_lab_store *store, const char *name,
		struct rt_lab_state *ret_state, struct rt_err *err)
{
	int folder_fd = -1;
	int r = open_noted(store, name, &folder_fd, err);

	if (r < 0)
		return r;
	if (is_held(folder_fd))
		r = read_state(store, folder_fd, name, ret_state, err);
	else
		r = say_dead(folder_fd, name, err);
	close(folder_fd);
	return r;
}

int rt_lab_forget(const struct rt_lab_store *store, const char *name,
		  struct rt_err *err)
{
	struct rt_lab_claim claim;
	int fd = -1;
	int r = open_noted(store, name, &fd, err);

	if (r < 0)
		return r;
	close(fd);
	r = take_folder(store, name, true, &claim);
	if (r == -EAGAIN)
		return rt_err_set(err, -EBUSY, "lab '%s' lives", name);
	if (r == -ESTALE)
		return rt_err_set(err, -ENOENT, "lab '%s' was removed just now", name);
	if (r < 0)
		return rt_err_sys(err, r, "%s/%s", store->path, name);
	r = remove_folder(&claim);
	rt_lab_claim_close(&claim);
	if (r == -ENOTEMPTY || r == -EEXIST)
		return rt_err_set(err, -ENOTEMPTY,
				  "%s/%s: the lab's notes were removed, but there is "
				  "something in the folder that is not rocetune's: "
				  "look at it, and remove the folder by hand",
				  store->path, name);
	return r < 0 ? rt_err_sys(err, r, "%s/%s: cannot remove", store->path, name)
		     : 0;
}

int rt_lab_file_open(const struct rt_lab_store *store, const char *name,
		     const char *file, int *ret_fd, struct rt_err *err)
{
	int folder_fd = -1;
	int r = open_noted(store, name, &folder_fd, err), fd;

	if (r < 0)
		return r;
	fd = open_file(folder_fd, file);
	close(folder_fd);
	if (fd < 0)
		return rt_err_sys(err, fd, "%s/%s/%s: cannot read", store->path, name,
				  file);
	*ret_fd = fd;
	return 0;
}
