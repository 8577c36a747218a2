/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.h - files under a root: the host's own, or a folder that stands for one and
 * out of which no path and no symbolic link leads.
 *
 * Reading many files of one folder, as the 256 GIDs of a port are, walks the path
 * once: the folder stays open for the next.
 */
#ifndef RT_KERN_FILES_H
#define RT_KERN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "kern/kern.h"

struct rt_err;

#define RT_FILES_PATH_BYTES 512

struct rt_root {
	int fd;         /* O_PATH */
	bool contained; /* nothing outside of it is ever opened */
	int near_fd;    /* folder of the last file that was read; -1: none */
	char near[RT_FILES_PATH_BYTES];
};

/*
 * -ENOENT, -ENOTDIR and what else open says; -EOPNOTSUPP: containing needs Linux 5.6
 * (openat2).
 */
int rt_root_open(const char *folder, bool contained, struct rt_root *ret_root,
		 struct rt_err *err);
void rt_root_close(struct rt_root *root);

/*
 * As the slots of struct rt_kern_ops; paths are absolute.  Reading opens read only
 * and never waits; in a contained root only plain files are read.
 */
int rt_root_read(struct rt_root *root, const char *path, char *buf, size_t capacity,
		 size_t *ret_bytes, struct rt_err *err);
/* A file descriptor for pread(2), which the caller closes. */
int rt_root_open_file(struct rt_root *root, const char *path, struct rt_err *err);
/*
 * Whether there are descriptors to spare, so that this one may be held on to: the last
 * ones of the process are for whoever else needs one.
 */
bool rt_file_may_stay_open(int fd);
/* Whether an open file was removed, or another one took its place (rename(2)). */
bool rt_file_is_nameless(int fd);
int rt_root_write(struct rt_root *root, const char *path, const char *text,
		  struct rt_err *err);
int rt_root_folder(struct rt_root *root, const char *path, struct rt_names *ret_names,
		   struct rt_err *err);
int rt_root_symlink(struct rt_root *root, const char *path, char *buf, size_t capacity,
		    struct rt_err *err);
int rt_root_access(struct rt_root *root, const char *path, bool for_writing);
int rt_root_make(struct rt_root *root, const char *path, struct rt_err *err);
int rt_root_remove(struct rt_root *root, const char *path, struct rt_err *err);

/* Add a copy of name; -ENOMEM, -E2BIG: more than any folder of a kernel has. */
int rt_names_add(struct rt_names *names, const char *name);
void rt_names_sort(struct rt_names *names);

#endif
