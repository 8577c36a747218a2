/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_apply.c - changing ports: apply and rollback. */
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/host_options.h"
#include "cmd/rows.h"
#include "model/finding.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/apply.h"
#include "run/knob_names.h"
#include "run/outcome.h"
#include "run/recover.h"

/* --- the plan, as text ---------------------------------------------------------------- */

/* Where the text of a change begins: behind the longest name. */
static unsigned column_of(const struct rt_applied_port *port)
{
	size_t longest = 0;

	for (size_t i = 0; i < port->knob_count; i++)
		if (port->knobs[i].changed && strlen(port->knobs[i].knob) > longest)
			longest = strlen(port->knobs[i].knob);
	return (unsigned)longest + 4; /* indented by 2 */
}

/* To be pasted into a shell: one a line, however long, and nothing else on it. */
static void show_commands(struct rt_cmd *cmd, const char *commands, unsigned column)
{
	char text[RT_KNOB_TEXT_BYTES], *rest = text;

	snprintf(text, sizeof(text), "%s", commands);
	rt_text_clean(text);
	rt_report_paragraph(cmd->out, "", column, "by hand:");
	while (rest) {
		char *next = strstr(rest, "; ");

		if (next)
			*next = '\0';
		fprintf(cmd->out, "%*s%s\n", (int)column, "", rest);
		rest = next ? next + 2 : NULL;
	}
}

static void show_change(struct rt_cmd *cmd, const struct rt_applied_knob *knob,
			unsigned column)
{
	const bool wide = strcmp(knob->scope, "port") != 0;
	char text[2 * RT_KNOB_TEXT_BYTES + 64];

	snprintf(text, sizeof(text), "%s -> %s  [%s%s%s%s]", knob->have, knob->want,
		 knob->impact, wide ? ", whole " : "", wide ? knob->scope : "",
		 knob->one_way ? ", one-way" : "");
	rt_report_paragraph(cmd->out, knob->knob, column, text);
	if (*knob->note)
		rt_report_paragraph(cmd->out, "", column, knob->note);
	if (*knob->source) {
		snprintf(text, sizeof(text), "from %s", knob->source);
		rt_report_paragraph(cmd->out, "", column, text);
	}
	if (*knob->command)
		show_commands(cmd, knob->command, column);
}

#define LABEL_COLUMN 12u

static void show_missing(struct rt_cmd *cmd, const struct rt_applied_port *port)
{
	char text[RT_KNOB_TEXT_BYTES];

	for (size_t i = 0; i < port->missing_count; i++) {
		const struct rt_applied_knob *knob = &port->missing[i];

		snprintf(text, sizeof(text), "%s: %s%s%s%s", knob->knob, knob->note,
			 *knob->source ? " (" : "", knob->source,
			 *knob->source ? ")" : "");
		rt_report_paragraph(cmd->out, i ? "" : "missing", LABEL_COLUMN, text);
	}
	for (size_t i = 0; i < port->note_count; i++) {
		snprintf(text, sizeof(text), "%s: %s", port->notes[i].param,
			 port->notes[i].text);
		rt_report_paragraph(cmd->out, i ? "" : "not ours", LABEL_COLUMN, text);
	}
}

/* Before anything is written, so that it can be seen what is going on. */
void rt_cmd_show_plan(void *context, const struct rt_applied_port *port)
{
	struct rt_cmd *cmd = context;
	const unsigned column = column_of(port);
	uint32_t same = 0;

	for (size_t i = 0; i < port->knob_count; i++)
		same += !port->knobs[i].changed;
	rt_cmd_line(cmd, "%s%s%s%s: %s%s%s: %u change%s, %u knob%s as wanted already",
		    port->device, *port->netdev ? " (" : "", port->netdev,
		    *port->netdev ? ")" : "", port->profile, *port->rail ? ", " : "",
		    port->rail, port->changes, port->changes == 1 ? "" : "s", same,
		    same == 1 ? "" : "s");
	for (size_t i = 0; i < port->knob_count; i++)
		if (port->knobs[i].changed)
			show_change(cmd, &port->knobs[i], column);
	show_missing(cmd, port);
	fputc('\n', cmd->out);
	fflush(cmd->out);
}

/* --- the end, as text --------------------------------------------------------------------- */

static void show_end(struct rt_cmd *cmd, const struct rt_applied_port *port)
{
	char text[RT_ERR_MSG_BYTES + 300], label[RT_IBNAME_BYTES + 32];
	const char *end = rt_name_of(rt_apply_end_names, port->end);

	snprintf(label, sizeof(label), "%s", port->device);
	if (port->end == RT_APPLY_UNCHANGED)
		snprintf(text, sizeof(text),
			 "unchanged: all is as wanted already, "
			 "nothing was written");
	else if (port->end == RT_APPLY_PLANNED)
		snprintf(text, sizeof(text), "planned only: nothing was written");
	else if (port->end <= RT_APPLY_UNCONFIRMED)
		snprintf(text, sizeof(text),
			 "%s: %u change%s in %u write%s, read back%s%s", end,
			 port->changes, port->changes == 1 ? "" : "s", port->writes,
			 port->writes == 1 ? "" : "s",
			 *port->confirm ? "; it lasts " : "", port->confirm);
	else
		snprintf(text, sizeof(text), "%s: %s", end, port->reason);
	rt_report_paragraph(cmd->out, label, (unsigned)strlen(label) + 4, text);
}

int rt_cmd_show_applied(struct rt_cmd *cmd, const struct rt_outcome *outcome)
{
	const struct rt_applied *applied = outcome->object;
	int code = RT_EXIT_OK;

	if (cmd->common.json) {
		code = rt_cmd_show(cmd, outcome->table, applied);
	} else {
		for (size_t i = 0; i < applied->count; i++)
			show_end(cmd, &applied->ports[i]);
		rt_cmd_show_findings(cmd, &applied->findings);
		if (applied->order) {
			fputc('\n', cmd->out);
			rt_report_paragraph(cmd->out, "order", LABEL_COLUMN,
					    applied->order);
		}
	}
	if (code != RT_EXIT_OK)
		return code;
	if (rt_applied_failed(applied))
		return RT_EXIT_FAILED;
	return rt_cmd_verdict(cmd, outcome->findings);
}

/* --- apply --------------------------------------------------------------------------------------- */

struct apply_options {
	const char *profile, *only, *allow_missing, *confirm, *sysroot;
	bool dry_run, disrupt, one_way, yes;
};

#define FLAG(field, name_, help_)                                                \
	{                                                                        \
		.name = (name_), .type = RT_OPTION_FLAG,                         \
		.offset = offsetof(struct apply_options, field), .help = (help_) \
	}
#define TEXT(field, name_, arg_, help_)                                          \
	{                                                                        \
		.name = (name_), .arg = (arg_), .type = RT_OPTION_TEXT,          \
		.offset = offsetof(struct apply_options, field), .help = (help_) \
	}
#define DRY_RUN FLAG(dry_run, "dry-run", "show the plan and what stands against it")
#define DISRUPT                  \
	FLAG(disrupt, "disrupt", \
	     "even if connections are in use and the link goes down")
#define ONE_WAY \
	FLAG(one_way, "one-way", "even if what was before cannot be had again in full")
#define CONFIRM                                                                      \
	TEXT(confirm, "confirm", "TIME",                                             \
	     "undo it after this time (5m) unless `rocetune confirm` comes; never: " \
	     "it lasts")

static const struct rt_option apply_options[] = {
	{ .name = "profile",
	  .letter = 'p',
	  .arg = "PROFILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct apply_options, profile),
	  .help = "what the ports shall be; a name of `rocetune profile list`, or a "
		  "path" },
	DRY_RUN,
	TEXT(only, "only", "GROUP,...",
	     "only these groups: trust, pfc, ets, rate, buffer, dcbx, pause, storm, "
	     "tos, cc"),
	TEXT(allow_missing, "allow-missing", "KNOB,...",
	     "go on without these knobs where the port lacks them"),
	DISRUPT,
	ONE_WAY,
	CONFIRM,
	FLAG(yes, "yes", "also a profile of research or simulation"),
	TEXT(sysroot, "sysroot", "FOLDER|FILE",
	     "with --dry-run: for a host's bundle (rocetune snapshot) or a folder"),
};

static const struct rt_option rollback_options[] = { DRY_RUN, DISRUPT, ONE_WAY,
						     CONFIRM };

/* Names are kept by words and argv. */
static int wish_of(struct rt_cmd *cmd, const struct apply_options *wanted, int argc,
		   char **argv, struct rt_words *words, struct rt_apply_wish *wish)
{
	struct rt_err err = { 0 };

	*wish = (struct rt_apply_wish){
		.devices = (const char *const *)argv,
		.device_count = (size_t)argc,
		.profile = wanted->profile,
		.dry_run = wanted->dry_run,
		.disrupt = wanted->disrupt,
		.one_way = wanted->one_way,
		.yes = wanted->yes,
		.planned = cmd->common.json ? NULL : rt_cmd_show_plan,
		.context = cmd,
	};
	if (rt_groups_parse(wanted->only, &wish->groups, &err) < 0 ||
	    rt_wait_parse(wanted->confirm, &wish->confirm_ns, &err) < 0 ||
	    rt_words_split(wanted->allow_missing, words, &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (rt_knob_names_check(words->items, &err) < 0) {
		free(words->text);
		return rt_cmd_usage(cmd, "%s", err.msg);
	}
	wish->allow_missing = words->items;
	return RT_EXIT_OK;
}

static int run_apply(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct apply_options *wanted = options;
	const struct rt_apply_host host = wanted->sysroot
						  ? rt_apply_sysroot(wanted->sysroot)
						  : rt_this_host;
	struct rt_outcome outcome = { 0 };
	struct rt_apply_wish wish;
	struct rt_words words = { 0 };
	struct rt_err err = { 0 };
	int code;

	if (!wanted->profile)
		return rt_cmd_usage(cmd, "wants --profile");
	if (wanted->sysroot && !wanted->dry_run)
		return rt_cmd_usage(cmd,
				    "--sysroot is of another host: say --dry-run, too");
	code = wish_of(cmd, wanted, argc, argv, &words, &wish);
	if (code != RT_EXIT_OK)
		return code;
	if (rt_run_apply(&host, &wish, &outcome, &err) < 0)
		code = rt_cmd_fail(cmd, &err);
	else
		code = rt_cmd_show_applied(cmd, &outcome);
	rt_outcome_release(&outcome);
	free(words.text);
	return code;
}

const struct rt_command rt_cmd_apply = {
	.name = "apply",
	.operands = "DEV...",
	.summary = "make ports as a profile says, all or nothing",
	.describe =
		"DEV is an RDMA device (mlx5_0, mlx5_0/2), a network device or a PCI "
		"address; of a bond, its slaves are changed in turn.\n\n"
		"All ports are read and planned first, and the plans are shown: old "
		"and "
		"new value, what the write does to traffic (live, blip, flap, reload, "
		"fw-reset), the place in the profile, and the same by hand. A reason "
		"against any of them leaves all alone. Then one port after another is "
		"written, read back, and watched until carrier, bond and GIDs are as "
		"before; at the first that is not well the rest is left alone.\n\n"
		"A change is a transaction: before the first write a journal is on the "
		"disk (/var/lib/rocetune) and a supervisor process holds it. When a "
		"write fails or is not kept, on a signal, and when this program dies, "
		"all is put back within a second; if the supervisor dies as well, by "
		"`rocetune recover`.\n\n"
		"--confirm undoes the change unless somebody confirms it in time; the "
		"clock starts when the link is up again, and is systemd's, or, where "
		"that does not run, a process of rocetune. Where the port carries the "
		"SSH session that one came by, 5m is the default.\n\n"
		"Applied again, it writes nothing and says so. DCQCN parameters are "
		"written; whether DCQCN is what runs is cc.algorithm, a fact of its "
		"own.\n\n"
		"Exit code 3 when a port is not as wanted (refused, undone, not "
		"reached), or with --dry-run would be refused.",
	.examples =
		"rocetune apply mlx5_0 --profile nvidia-lossless-400g --dry-run\n    "
		"what "
		"would change, and what stands against it\n"
		"rocetune apply mlx5_0 mlx5_1 -p my.yaml --confirm 5m\n    both, one "
		"after the other; undone unless confirmed\n"
		"rocetune apply eth2 -p my.yaml --only cc\n    congestion control "
		"alone: "
		"the link does not go down\n",
	RT_OPTIONS(apply_options, apply_options),
	.min_operands = 1,
	.max_operands = -1,
	.run = run_apply,
};

/* --- rollback -------------------------------------------------------------------------------------- */

static int run_rollback(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	struct rt_outcome outcome = { 0 };
	struct rt_apply_wish wish;
	struct rt_words words = { 0 };
	struct rt_err err = { 0 };
	int code = wish_of(cmd, options, argc, argv, &words, &wish);

	if (code != RT_EXIT_OK)
		return code;
	if (rt_run_rollback(&rt_this_host, &wish, &outcome, &err) < 0)
		code = rt_cmd_fail(cmd, &err);
	else if (outcome.table == &rt_recovered_table)
		code = rt_cmd_show_changes(cmd, &outcome);
	else
		code = rt_cmd_show_applied(cmd, &outcome);
	rt_outcome_release(&outcome);
	free(words.text);
	return code;
}

const struct rt_command rt_cmd_rollback = {
	.name = "rollback",
	.operands = "DEV",
	.summary = "undo the last change of a port",
	.describe =
		"A change that is not finished, or waits to be confirmed, is undone at "
		"once. One that is committed is undone by a change of its own, with a "
		"plan, the same reasons against it, and a transaction, as `rocetune "
		"apply` does; a knob that was changed by other hands since stands "
		"against it.",
	.examples = "rocetune rollback mlx5_0 --dry-run\n    what would be put back\n"
		    "rocetune rollback mlx5_0\n    put it back\n",
	RT_OPTIONS(rollback_options, apply_options),
	.min_operands = 1,
	.max_operands = 1,
	.run = run_rollback,
};
