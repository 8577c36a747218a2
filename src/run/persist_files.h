/* SPDX-License-Identifier: BSD-2-Clause */
/* persist_files.h - files below a root that are made, or removed, and told of. */
#ifndef RT_RUN_PERSIST_FILES_H
#define RT_RUN_PERSIST_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "run/persist.h"

/* Begins every file of ours whose place others may want, too. */
#define RT_PERSIST_MARK \
	"# Written by rocetune persist; `rocetune persist DEV --remove` undoes it.\n"

struct rt_persist_kept;

/* Zeroed but for the first two; rt_persist_forget() in the end. */
struct rt_persist_files {
	const char *root; /* "" for this host */
	struct rt_persisted *to;
	bool only_check; /* whether it could be: nothing is written, nor told */
	struct rt_persist_kept *kept;
	size_t kept_count, kept_capacity;
};

/*
 * Parents are made; what is there is kept for rt_persist_undo().
 * -EEXIST: something else is there that does not begin as ours, or cannot be kept.
 */
int rt_persist_write(struct rt_persist_files *files, const char *path, const char *text,
		     size_t bytes, bool marked, struct rt_err *err);
int rt_persist_link(struct rt_persist_files *files, const char *path,
		    const char *target, struct rt_err *err);

/* Nothing there is fine; a marked file that is not ours stays. */
int rt_persist_remove(struct rt_persist_files *files, const char *path, bool marked,
		      struct rt_err *err);

/*
 * Put back, byte by byte, whatever was written over or removed, and remove what was
 * not there.  What could not be: the first of it, after all others were.
 */
int rt_persist_undo(struct rt_persist_files *files, struct rt_err *err);
void rt_persist_forget(struct rt_persist_files *files);

#endif
