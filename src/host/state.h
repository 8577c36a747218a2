/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - the folder in which journals lie, and the lock on it.
 *
 *   lock            who changes this host just now; held by the process that writes
 *                   and by its supervisor, for as long as either lives
 *   ID.journal      one change each; ID is a running number and the device
 *   ID.journal.bad  one that could not be read and was put aside
 *
 * A journal is replaced as a whole (written beside, synced, renamed, the folder
 * synced), so a reader finds one state or the next.  Finished ones are the history;
 * the oldest beyond RT_STATE_HISTORY are removed.
 */
#ifndef RT_HOST_STATE_H
#define RT_HOST_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "host/journal.h"
#include "rocetune/err.h"

#define RT_STATE_FOLDER  "/var/lib/rocetune"
#define RT_STATE_HISTORY 64u   /* finished journals that are kept */
#define RT_STATE_MOST    4096u /* files that are looked at */

struct rt_state;

/*
 * Open the folder: $ROCETUNE_STATE, or RT_STATE_FOLDER.  to_write makes it if need
 * be; without it nothing is ever made or written, and a folder that is not there is
 * an empty one.
 * What mkdir or open said.  -EPERM, to write: it is not the user's or root's, or others
 * may write there.
 */
int rt_state_open(bool to_write, struct rt_state **ret_state, struct rt_err *err);
void rt_state_close(struct rt_state *state);
void rt_auto_state_close(struct rt_state **state);

/* Path of the folder, for messages and for a process that opens it again. */
const char *rt_state_folder(const struct rt_state *state);

/*
 * Be the only one: what ("rocetune apply mlx5_0") is for those that come second.  A
 * forked child holds the lock too, until it ends or unlocks; so does its parent.
 * -EBUSY: another holds it; *err says who.
 */
int rt_state_lock(struct rt_state *state, const char *what, struct rt_err *err);
void rt_state_unlock(struct rt_state *state);

/* For the child: its process is told, too, should the parent's be dead. */
void rt_state_lock_too(struct rt_state *state);

/* The two files that are open: the folder and the lock; -1: not open. */
void rt_state_fds(const struct rt_state *state, int ret_fds[2]);

/* Who holds the lock ("rocetune apply mlx5_0, process 312"), or "".  Takes nothing. */
#define RT_STATE_HOLDER_BYTES 256
void rt_state_holder(const struct rt_state *state, char buf[RT_STATE_HOLDER_BYTES]);

/*
 * Write the journal and wait until it is on the disk; one without id gets one.  A
 * folder that somebody removed meanwhile is made again, and locked as it was.
 * What the system said; then the file is as it was.
 */
int rt_state_save(struct rt_state *state, struct rt_journal *journal,
		  struct rt_err *err);

/* -ENOENT: no such journal.  Otherwise as rt_journal_parse(). */
int rt_state_load(struct rt_state *state, const char *id,
		  struct rt_journal *ret_journal, struct rt_err *err);

/* Journals by name, oldest first (by number). */
struct rt_journal_file {
	char id[96];
	struct rt_journal journal;     /* zero when it cannot be read */
	char failed[RT_ERR_MSG_BYTES]; /* why not; "": it was */
};

struct rt_journal_files {
	struct rt_journal_file *items; /* owned */
	size_t count, capacity;
};

/*
 * All journals; those that cannot be read are listed and say why.
 * What opening the folder said; -ENOMEM.
 */
int rt_state_list(struct rt_state *state, struct rt_journal_files *ret_files,
		  struct rt_err *err);
void rt_journal_files_free(struct rt_journal_files *files);

/*
 * Take one that cannot be read out of the way: it gets this ending, and is no journal
 * any more.  What renaming it said.
 */
#define RT_STATE_ASIDE ".bad"
int rt_state_set_aside(struct rt_state *state, const char *id, struct rt_err *err);

/* Remove the oldest finished journals beyond RT_STATE_HISTORY. */
void rt_state_prune(struct rt_state *state);

#endif
