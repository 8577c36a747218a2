/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bundle.h - a tree of files in memory: what a snapshot of a host collects, and what
 * stands for the host later.
 *
 * Paths have no "/" in front, no empty, "." or ".." part: "sys/class/net/eth0/mtu";
 * "" is the root.  A path that is added brings the folders above it.  What a
 * symbolic link says is kept as it is; nothing leads out of the tree.
 */
#ifndef RT_BASE_BUNDLE_H
#define RT_BASE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

struct rt_err;

/* Bounds on one tree, from whatever it is made. */
#define RT_BUNDLE_MAX_ENTRIES 100000u
#define RT_BUNDLE_MAX_BYTES   (64u << 20) /* of files and links */
#define RT_BUNDLE_PATH_BYTES  1024u

enum rt_bundle_kind {
	RT_BUNDLE_FOLDER,
	RT_BUNDLE_FILE,
	RT_BUNDLE_SYMLINK,
};

struct rt_bundle_entry {
	enum rt_bundle_kind kind;
	char *path;
	char *data; /* of a file; where a link points, as written; 0 behind it */
	size_t bytes;
};

struct rt_bundle;

/* NULL: out of memory. */
struct rt_bundle *rt_bundle_new(void);
void rt_bundle_free(struct rt_bundle *bundle); /* NULL is fine */
void rt_auto_bundle_free(struct rt_bundle **bundle);

/*
 * Add what is not there yet.  -EINVAL: no such path may be; -ENAMETOOLONG; -EEXIST: it
 * is there (a folder may be there already); -ENOTDIR: a part above it is no folder;
 * -E2BIG: the bounds; -ENOMEM.
 */
int rt_bundle_add_folder(struct rt_bundle *bundle, const char *path,
			 struct rt_err *err);
int rt_bundle_add_file(struct rt_bundle *bundle, const char *path, const void *data,
		       size_t bytes, struct rt_err *err);
int rt_bundle_add_symlink(struct rt_bundle *bundle, const char *path,
			  const char *target, struct rt_err *err);

/* Exactly this path, or NULL; the root is a folder.  Valid until the next add. */
const struct rt_bundle_entry *rt_bundle_find(const struct rt_bundle *bundle,
					     const char *path);

/*
 * The same by an absolute path as on a host, through links ("/" and ".." stay in the
 * tree); follow: the last part too.  -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG.
 */
int rt_bundle_resolve(const struct rt_bundle *bundle, const char *path, bool follow,
		      const struct rt_bundle_entry **ret_entry);

/*
 * The same, but what is missing on the way is fetched: path as in a bundle, last: it
 * is what was asked for, if no link leads on.  fetch adds it or returns an errno.
 */
struct rt_bundle_source {
	int (*fetch)(void *context, struct rt_bundle *bundle, const char *path,
		     bool last);
	void *context;
};
int rt_bundle_fetch(struct rt_bundle *bundle, const char *path, bool follow,
		    const struct rt_bundle_source *source,
		    const struct rt_bundle_entry **ret_entry);

/* All entries but the root in the order of their paths: folders before what they hold. */
size_t rt_bundle_count(const struct rt_bundle *bundle);
const struct rt_bundle_entry *rt_bundle_at(struct rt_bundle *bundle, size_t i);

/*
 * The entries inside a folder and its folders are those from *ret_first to before
 * *ret_end in that order.
 */
void rt_bundle_range(struct rt_bundle *bundle, const char *folder, size_t *ret_first,
		     size_t *ret_end);

#endif
