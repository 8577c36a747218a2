/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_work.h - rows of changes, for the files that make them. */
#ifndef RT_RUN_RECOVER_WORK_H
#define RT_RUN_RECOVER_WORK_H

#include "host/state.h"
#include "run/recover.h"

/* Room for most rows; NULL when memory ran out. */
struct rt_change_rows *rt_changes_new(size_t most);
void rt_changes_free(void *rows);

/* The journal's writes become the row's. */
void rt_changes_add(struct rt_change_rows *rows, struct rt_journal *journal);
void rt_changes_add_unreadable(struct rt_change_rows *rows,
			       const struct rt_journal_file *file);

/*
 * As rt_state_lock(), and what nobody sits at and calls again waits for whoever is
 * busy: the clock of --confirm, and a NIC's unit at boot, beside those of all others.
 */
int rt_changes_lock(struct rt_state *state, const char *what, unsigned wait_ms,
		    struct rt_err *err);

/*
 * Close what another boot left, as rt_run_recover() does; the state is locked.  buf
 * says of each what it was; "": there was none, or it could not be closed.
 */
void rt_changes_close_earlier(struct rt_state *state, struct rt_kern *kern,
			      char buf[RT_PENDING_BYTES]);

/* Takes rows. */
void rt_changes_give(struct rt_change_rows *rows, const struct rt_table *table,
		     struct rt_outcome *ret_outcome);

#endif
