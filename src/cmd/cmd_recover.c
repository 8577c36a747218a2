/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_recover.c - changes that were made: confirm, recover, history. */
#include "cmd/cmd.h"
#include "cmd/host_options.h"
#include "cmd/rows.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/recover.h"

/* --- what came of them ------------------------------------------------------------------ */

int rt_cmd_show_changes(struct rt_cmd *cmd, const struct rt_outcome *outcome)
{
	const struct rt_change_rows *rows = outcome->object;
	int code = RT_EXIT_OK;

	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome->table, rows);
	else if (!rows->count)
		fputs("Nothing to recover: no change is unfinished.\n", cmd->out);
	for (size_t i = 0; i < rows->count && !cmd->common.json; i++) {
		const struct rt_change_row *row = &rows->items[i];

		rt_cmd_line(cmd, "%s  %s%s%s", row->id, row->status,
			    *row->profile ? "  " : "", row->profile);
		if (*row->result)
			rt_report_paragraph(cmd->out, "", 2, row->result);
	}
	if (code == RT_EXIT_OK && rt_changes_left(rows))
		code = RT_EXIT_FAILED;
	return code;
}

/* --- confirm ------------------------------------------------------------------------------- */

static int run_confirm(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code;

	(void)options;
	if (rt_run_confirm(argc ? argv[0] : NULL, &outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show_changes(cmd, &outcome);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_confirm = {
	.name = "confirm",
	.operands = "[DEV]",
	.summary = "keep a change that would be undone otherwise",
	.describe = "Without DEV, all changes that wait for it.",
	.examples = "rocetune confirm\n    we still reach the host: it may stay\n",
	.max_operands = 1,
	.run = run_confirm,
};

/* --- recover -------------------------------------------------------------------------------- */

struct recover_options {
	const char *overdue, *forget;
};

static const struct rt_option recover_options[] = {
	{ .name = "overdue",
	  .arg = "CHANGE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct recover_options, overdue),
	  .help = "only this one, if it was not confirmed in time; what the clock of "
		  "--confirm calls" },
	{ .name = "forget",
	  .arg = "CHANGE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct recover_options, forget),
	  .help = "write nothing, and let this one count as finished" },
};

static int run_recover(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct recover_options *wanted = options;
	const struct rt_recover_wish wish = { .overdue = wanted->overdue,
					      .forget = wanted->forget };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code;

	(void)argc;
	(void)argv;
	if (wish.overdue && wish.forget)
		return rt_cmd_usage(cmd,
				    "--overdue and --forget are two things: say one");
	if (rt_run_recover(&rt_this_host, &wish, &outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	code = rt_cmd_show_changes(cmd, &outcome);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_recover = {
	.name = "recover",
	.operands = "",
	.summary = "undo changes that died half way",
	.describe =
		"A change whose program and supervisor both died is put back, and so "
		"is "
		"one that was not confirmed in time: if the boot, the PCI address and "
		"the MAC address are the journal's, and every knob holds what it was, "
		"what was written, or what it may hold in between. Otherwise it is "
		"reported and nothing is touched; --forget ends the matter.\n\n"
		"What another boot left is closed: a NIC comes up with its own "
		"defaults, so there is nothing to put back.\n\n"
		"Exit code 3 when something was left as it is.",
	.examples = "rocetune recover\n    put back what died half way\n",
	RT_OPTIONS(recover_options, recover_options),
	.run = run_recover,
};

/* --- history --------------------------------------------------------------------------------- */

static int run_history(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour };
	const struct rt_change_rows *rows;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	(void)options;
	(void)argc;
	(void)argv;
	if (rt_run_history(&outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	rows = outcome.object;
	if (cmd->common.json) {
		code = rt_cmd_show(cmd, outcome.table, rows);
	} else {
		rt_report_text_list(cmd->out, &rt_change_row_table, rows->items,
				    rows->count, &style);
		if (!rows->count)
			fputs("Nothing was changed yet.\n", cmd->out);
		if (*rows->holder) {
			fputc('\n', cmd->out);
			rt_cmd_line(cmd, "Just now: %s", rows->holder);
		}
	}
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_history = {
	.name = "history",
	.operands = "",
	.summary = "changes that were made to ports",
	.describe = "The last 64 changes and those that are not finished, from the "
		    "journals "
		    "in /var/lib/rocetune. --json has every knob with its old and new "
		    "value "
		    "and the line that undoes it by hand. Reads only.",
	.examples = "rocetune history\n    what was done here, and when\n",
	.run = run_history,
};
