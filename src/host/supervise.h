/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * supervise.h - the process that watches over a change; part of transaction.c.
 *
 * It answers twice: when it is ready, and when what had to be done is done.  Between
 * the two it counts the steps that begin, and waits for a word, or the writer's end.
 */
#ifndef RT_HOST_SUPERVISE_H
#define RT_HOST_SUPERVISE_H

#include <sys/types.h>

#include "rocetune/err.h"

struct rt_journal;
struct rt_txn_setup;

/* What the writer says, one byte; its death is the same as UNDO. */
#define RT_TXN_DONE  'd' /* committed, or somebody else keeps the deadline */
#define RT_TXN_WATCH 'w' /* unconfirmed: undo it at the deadline */
#define RT_TXN_UNDO  'u'
#define RT_TXN_STEP  's' /* the next step is written now */

/* What the supervisor says. */
struct rt_supervisor_says {
	int code; /* 0 or negative errno */
	char msg[RT_ERR_MSG_BYTES];
};

/*
 * Fork it for the journal, which it has a copy of: what it goes by when somebody
 * removes or cuts the file.  *ret_socket (SOCK_SEQPACKET) is the caller's
 * end; closing it is as good as dying.  What fork said.
 */
int rt_supervisor_start(const struct rt_txn_setup *setup, struct rt_journal *journal,
			pid_t *ret_pid, int *ret_socket, struct rt_err *err);

#endif
