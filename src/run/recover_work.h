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

/* Takes rows. */
void rt_changes_give(struct rt_change_rows *rows, const struct rt_table *table,
		     struct rt_outcome *ret_outcome);

#endif
