/* SPDX-License-Identifier: BSD-2-Clause */
/* changes.c - changes as rows: the history, and what is not finished. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/state.h"
#include "run/outcome.h"
#include "run/recover_work.h"

/* --- rows -------------------------------------------------------------------------- */

static const struct rt_field row_fields[] = {
	RT_FIELD_CHARS_OF(struct rt_change_row, id, "name of the change"),
	RT_FIELD_CHARS_OF(struct rt_change_row, status, "how far it came"),
	RT_FIELD_CHARS_OF(struct rt_change_row, device, "RDMA device and port"),
	RT_FIELD_CHARS_OF(struct rt_change_row, netdev, "network device"),
	RT_FIELD_CHARS_OF(struct rt_change_row, pci, "PCI address",
			  .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct rt_change_row, profile,
			  "what was applied; or that it is a rollback, and of what"),
	RT_FIELD_CHARS_OF(struct rt_change_row, undoes,
			  "the change that this one undoes; \"\": none",
			  .flags = RT_FIELD_DATA),
	RT_FIELD(struct rt_change_row, OPT_U64, left_ns, NS,
		 "how long it still waits to be confirmed; unknown: it does not wait",
		 .label = "left", .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_CHARS_OF(struct rt_change_row, began, "when, UTC"),
	RT_FIELD_CHARS_OF(struct rt_change_row, ended, "when, UTC",
			  .flags = RT_FIELD_DETAIL),
	RT_FIELD_CHARS_OF(struct rt_change_row, result, "what came of it",
			  .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(struct rt_change_row, writes, write_count,
			 &rt_journal_write_table, "what was written, in order",
			 .flags = RT_FIELD_DATA),
};

RT_TABLE(rt_change_row_table, rt_change_row, "change", "Changes",
	 "A change of one port.", row_fields);

/* When and by whom is not part of what the changes were. */
static const struct rt_field rows_fields[] = {
	RT_FIELD_LIST_OF(struct rt_change_rows, items, count, &rt_change_row_table,
			 "changes, oldest first"),
	RT_FIELD_CHARS_OF(struct rt_change_rows, holder,
			  "who changes the host just now", .flags = RT_FIELD_META),
};

RT_TABLE(rt_history_table, rt_change_rows, "history", "History",
	 "Changes that were made, and those that are not finished.", rows_fields);
RT_TABLE(rt_recovered_table, rt_change_rows, "recovered", "Changes",
	 "Changes that were confirmed, undone or left, and why.", rows_fields);

void rt_changes_free(void *object)
{
	struct rt_change_rows *rows = object;

	if (!rows)
		return;
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].writes);
	free(rows->items);
	free(rows);
}

static void fill_row(const struct rt_journal *journal, struct rt_change_row *row)
{
	const uint64_t now = rt_boottime_ns();

	memcpy(row->id, journal->id, sizeof(row->id));
	snprintf(row->status, sizeof(row->status), "%s",
		 rt_name_of(rt_journal_status_names, journal->status));
	snprintf(row->device, sizeof(row->device), journal->port > 1 ? "%s/%u" : "%s",
		 journal->ibdev, journal->port);
	memcpy(row->netdev, journal->netdev, sizeof(row->netdev));
	memcpy(row->pci, journal->pci, sizeof(row->pci));
	memcpy(row->undoes, journal->undoes, sizeof(row->undoes));
	if (*journal->undoes)
		snprintf(row->profile, sizeof(row->profile), "rollback of %s",
			 journal->undoes);
	else
		memcpy(row->profile, journal->profile, sizeof(row->profile));
	memcpy(row->began, journal->began, sizeof(row->began));
	memcpy(row->ended, journal->ended, sizeof(row->ended));
	memcpy(row->result, journal->result, sizeof(row->result));
	if (journal->status == RT_JOURNAL_UNCONFIRMED && journal->deadline_ns.known)
		row->left_ns = RT_KNOWN_U64(journal->deadline_ns.value > now
						    ? journal->deadline_ns.value - now
						    : 0);
}

/* The journal's writes become the row's. */
void rt_changes_add(struct rt_change_rows *rows, struct rt_journal *journal)
{
	struct rt_change_row *row = &rows->items[rows->count++];

	fill_row(journal, row);
	row->writes = rt_steal(&journal->writes);
	row->write_count = journal->write_count;
}

void rt_changes_add_unreadable(struct rt_change_rows *rows,
			       const struct rt_journal_file *file)
{
	struct rt_change_row *row = &rows->items[rows->count++];

	memcpy(row->id, file->id, sizeof(row->id));
	snprintf(row->status, sizeof(row->status), "unreadable");
	snprintf(row->result, sizeof(row->result),
		 "%.350s; `rocetune recover --forget %s` puts it aside", file->failed,
		 file->id);
}

struct rt_change_rows *rt_changes_new(size_t most)
{
	struct rt_change_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->items = calloc(most + 1, sizeof(*rows->items));
	if (rows && !rows->items)
		return free(rows), NULL;
	return rows;
}

void rt_changes_give(struct rt_change_rows *rows, const struct rt_table *table,
		     struct rt_outcome *ret_outcome)
{
	*ret_outcome = (struct rt_outcome){ .table = table,
					    .object = rows,
					    .release = rt_changes_free };
}

/* --- the history ------------------------------------------------------------------------ */

_Static_assert(sizeof(((struct rt_change_rows *)0)->holder) == RT_STATE_HOLDER_BYTES,
	       "a holder fits");

int rt_run_history(struct rt_outcome *ret_outcome, struct rt_err *err)
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	struct rt_journal_files files = { 0 };
	struct rt_change_rows *rows;
	int r = rt_state_open(false, &state, err);

	if (r == 0)
		r = rt_state_list(state, &files, err);
	if (r < 0)
		return r;
	rows = rt_changes_new(files.count);
	if (!rows) {
		rt_journal_files_free(&files);
		return rt_err_sys(err, -ENOMEM, "cannot hold the history");
	}
	for (size_t i = 0; i < files.count; i++)
		if (*files.items[i].failed)
			rt_changes_add_unreadable(rows, &files.items[i]);
		else
			rt_changes_add(rows, &files.items[i].journal);
	rt_state_holder(state, rows->holder);
	rt_journal_files_free(&files);
	rt_changes_give(rows, &rt_history_table, ret_outcome);
	return 0;
}

/* True of what is left as it is, not of what waits for its time. */
bool rt_changes_left(const struct rt_change_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct rt_name *status = rt_name_find(rt_journal_status_names,
							    rows->items[i].status);

		/* No time left is none to wait for. */
		if (!status ||
		    (rt_journal_pending(status->value) &&
		     !(rows->items[i].left_ns.known && rows->items[i].left_ns.value)))
			return true;
	}
	return false;
}

/* --- for commands that only read --------------------------------------------------------------- */

bool rt_recovery_pending_in(struct rt_state *state, char buf[RT_PENDING_BYTES])
{
	struct rt_journal_files files = { 0 };
	struct rt_err err = { 0 };
	bool found = false;

	/* What cannot be looked at may be anything. */
	if (rt_state_list(state, &files, &err) < 0) {
		snprintf(buf, RT_PENDING_BYTES, "%.300s", err.msg);
		return true;
	}
	for (size_t i = 0; i < files.count && !found; i++) {
		const struct rt_journal *journal = &files.items[i].journal;

		if (*files.items[i].failed) {
			snprintf(buf, RT_PENDING_BYTES,
				 "a journal cannot be read: %.200s: `rocetune recover "
				 "--forget %s` puts it aside",
				 files.items[i].failed, files.items[i].id);
			found = true;
		} else if (rt_journal_pending(journal->status)) {
			snprintf(buf, RT_PENDING_BYTES, "change %s of %s is %s",
				 journal->id, journal->ibdev,
				 rt_name_of(rt_journal_status_names, journal->status));
			found = true;
		}
	}
	rt_journal_files_free(&files);
	return found;
}

bool rt_recovery_pending(char buf[RT_PENDING_BYTES])
{
	RT_AUTO(rt_auto_state_close) struct rt_state *state = NULL;
	char holder[RT_STATE_HOLDER_BYTES];
	const char *remedy;

	if (rt_state_open(false, &state, NULL) < 0 ||
	    !rt_recovery_pending_in(state, buf))
		return false;
	rt_state_holder(state, holder);
	remedy = strstr(buf, "unconfirmed") ? "rocetune confirm, or rollback"
					    : "rocetune recover";
	if (*holder)
		snprintf(buf, RT_PENDING_BYTES, "the host is being changed by %.255s",
			 holder);
	else if (strncmp(buf, "change ", 7) == 0)
		snprintf(buf + strlen(buf), RT_PENDING_BYTES - strlen(buf), ": %s",
			 remedy);
	return true;
}
