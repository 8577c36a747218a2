/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * transaction.h - a change of one port as a transaction: all new, or all old.
 *
 * Two processes take part.  The writer writes; its supervisor, forked before the
 * first write, in a session of its own and deaf to signals, only waits.  Whatever
 * ends the writer (a failed write, a signal, its death) makes the supervisor put
 * back what was; whatever ends the supervisor makes the writer do so.  What counts
 * is the journal on the disk: replacing "writing" by "committed" is the one step
 * after which all stays new.  If both die, the journal stays for rt_undo().
 */
#ifndef RT_HOST_TRANSACTION_H
#define RT_HOST_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/journal.h"
#include "host/plan.h"

struct rt_err;
struct rt_state;
struct rt_txn;

struct rt_txn_setup {
	struct rt_state *state; /* locked */
	const struct rt_host_port *port;
	const struct rt_plan *plan;
	const char *profile;
	const char *undoes; /* id of the journal that this change undoes; NULL: none */
	/* A way of its own to the kernel for the supervisor, after the fork. */
	int (*kern_open)(void *context, struct rt_kern **ret_kern, struct rt_err *err);
	void *context;
};

/*
 * Write the journal and start the supervisor.  All setup points to is borrowed until
 * rt_txn_free(); SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP wait until then, and
 * are not looked at where they are ignored.
 * -EINTR and what fork, or writing, said: nothing was changed.
 */
int rt_txn_begin(const struct rt_txn_setup *setup, struct rt_txn **ret_txn,
		 struct rt_err *err);

/*
 * Write all steps, reading each back.
 * -EIO: the driver kept another value.  -EINTR: a signal came.  -EPIPE: the
 * supervisor died.  Otherwise what the driver said.  Then rt_txn_undo().
 */
int rt_txn_write(struct rt_txn *txn, struct rt_err *err);

/* Wait wait_ms; -EINTR, -EPIPE as above.  For waiting until a link is up again. */
int rt_txn_pause(struct rt_txn *txn, unsigned wait_ms, struct rt_err *err);

/*
 * Make it last.  deadline known: only until then (CLOCK_BOOTTIME, ns), unless it is
 * confirmed; watch: the supervisor lives on and undoes it then, else somebody else
 * must.  What writing the journal said: then rt_txn_undo().
 */
int rt_txn_commit(struct rt_txn *txn, struct rt_opt_u64 deadline_ns, bool watch,
		  struct rt_err *err);

/*
 * Have it put back: by the supervisor, or here when that one died.  As rt_undo().
 */
int rt_txn_undo(struct rt_txn *txn, struct rt_err *err);

/* As it is on the disk; borrowed. */
const struct rt_journal *rt_txn_journal(const struct rt_txn *txn);

pid_t rt_txn_supervisor(const struct rt_txn *txn);

/* NULL is fine.  What is neither committed nor undone is undone by the supervisor. */
void rt_txn_free(struct rt_txn *txn);
void rt_auto_txn_free(struct rt_txn **txn);

#endif
