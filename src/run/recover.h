/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover.h - journeys about changes that were made: confirm, undo, recover what died
 * half way, the history.  Nothing is printed.
 */
#ifndef RT_RUN_RECOVER_H
#define RT_RUN_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/apply.h"

struct rt_outcome;
struct rt_state;

/* --- the history --------------------------------------------------------------- */

struct rt_change_row {
	char id[96];
	char status[16]; /* of enum rt_journal_status; "unreadable" */
	char device[RT_IBNAME_BYTES + 8], netdev[RT_IFNAME_BYTES], pci[16];
	char profile[256];
	char undoes[96];
	struct rt_opt_u64 left_ns; /* of an unconfirmed one, until it is undone */
	char began[32], ended[32];
	char result[RT_ERR_MSG_BYTES];
	struct rt_journal_write *writes; /* owned */
	size_t write_count;
};

struct rt_change_rows {
	struct rt_change_row *items; /* owned */
	size_t count;
	char holder[256]; /* who changes the host just now; "": nobody */
};

extern const struct rt_table rt_change_row_table, rt_history_table, rt_recovered_table;

/* Kind history: all changes, oldest first; writes nothing. */
int rt_run_history(struct rt_outcome *ret_outcome, struct rt_err *err);

/* --- finishing ------------------------------------------------------------------- */

/*
 * Kind recovered, a struct rt_change_rows of what was looked at, each with what came
 * of it in result.
 */

/* Some could not be finished and were left as they are. */
bool rt_changes_left(const struct rt_change_rows *rows);

/*
 * Keep unconfirmed changes: of one device (NULL: all), all or none.  -ENOENT: there is
 * none.  -ETIME: its deadline is over.  -ESTALE: it is of another boot or NIC, or the
 * port holds something else by now.  -ENODEV: the NIC is gone.
 */
int rt_run_confirm(const struct rt_apply_host *host, const char *device,
		   struct rt_outcome *ret_outcome, struct rt_err *err);

struct rt_recover_wish {
	/* Only this journal, and only if its time is over: what the clock calls. */
	const char *overdue;
	const char *forget; /* close this one as it is: nothing is written; one that
			     * cannot be read is put aside */
};

/*
 * Undo what died half way, and what was not confirmed in time, if boot, NIC and
 * values are still the journal's; what is not so is reported and left alone.  What
 * another boot left is closed: its values are gone.
 */
int rt_run_recover(const struct rt_apply_host *host, const struct rt_recover_wish *wish,
		   struct rt_outcome *ret_outcome, struct rt_err *err);

/*
 * Give a device back what it was before its last change.  One that is not finished is
 * undone at once (kind recovered); else it is a change of its own, with gate and
 * transaction (kind apply).  -ENOENT: no change is in force.  wish: devices (one),
 * dry_run, disrupt, one_way, confirm_ns.
 */
int rt_run_rollback(const struct rt_apply_host *host, const struct rt_apply_wish *wish,
		    struct rt_outcome *ret_outcome, struct rt_err *err);

/* How long waits for another rocetune what nobody sits at. */
#define RT_CHANGES_WAIT_MS 600000u

/* --- for commands that only read ---------------------------------------------------- */

/*
 * One line for people about a change that is not finished, in buf, or about why that
 * cannot be told; false: there is none.  Writes and locks nothing.
 */
#define RT_PENDING_BYTES 400
bool rt_recovery_pending(char buf[RT_PENDING_BYTES]);

/* The same with the folder at hand. */
bool rt_recovery_pending_in(struct rt_state *state, char buf[RT_PENDING_BYTES]);

#endif
