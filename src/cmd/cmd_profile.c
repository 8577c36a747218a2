/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_profile.c - profiles: list, show, check, diff, knobs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/profile_nos.h"
#include "cmd/rows.h"
#include "model/finding.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/profile.h"

/* Half a profile helps nobody: text shows every row, too.  file: see rt_cmd_fail_file(). */
static int show(struct rt_cmd *cmd, const char *file, int r, struct rt_outcome *outcome,
		const struct rt_err *err)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour };
	int code = RT_EXIT_OK;

	if (r < 0)
		return rt_cmd_fail_file(cmd, file, err);
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome->table, outcome->object);
	else
		rt_report_text(cmd->out, outcome->table, outcome->object, &style);
	rt_outcome_release(outcome);
	return code;
}

static int run_list(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)options;
	(void)argc;
	(void)argv;
	return show(cmd, NULL, rt_run_profile_list(&outcome, &err), &outcome, &err);
}

struct show_options {
	struct rt_opt_u64 rail;
};

static const struct rt_option show_options[] = {
	{ .name = "rail",
	  .arg = "N",
	  .type = RT_OPTION_QUANTITY,
	  .unit = RT_UNIT_COUNT,
	  .offset = offsetof(struct show_options, rail),
	  .min = 1,
	  .help = "as it holds on the devices that the N-th entry of rails selects, "
		  "from 1; without it the rails are listed" },
};

static int run_show(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct show_options *wanted = options;
	const size_t rail = wanted->rail.known ? (size_t)wanted->rail.value - 1
					       : RT_NO_RAIL;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)argc;
	return show(cmd, argv[0],
		    rt_run_profile_show(argv[0], rail, cmd->common.all, &outcome, &err),
		    &outcome, &err);
}

static int run_diff(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)options;
	(void)argc;
	return show(cmd, NULL, rt_run_profile_diff(argv[0], argv[1], &outcome, &err),
		    &outcome, &err);
}

/* --- check -------------------------------------------------------------------- */

static const char *plural(uint32_t count)
{
	return count == 1 ? "" : "s";
}

static void show_checked(struct rt_cmd *cmd, const struct rt_checked_profile *checked)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour };

	fprintf(cmd->out, "%s: %u error%s, %u warning%s, %u not judged\n",
		checked->name, checked->errors, plural(checked->errors),
		checked->warnings, plural(checked->warnings), checked->not_judged);
	rt_cmd_show_judged(cmd, &checked->findings);
	if (checked->fan_in.count)
		fprintf(cmd->out, "\n%s\n", rt_fan_in_table.title);
	rt_report_text_list(cmd->out, &rt_fan_in_table, checked->fan_in.items,
			    checked->fan_in.count, &style);
}

/* Those that could not be read, one line each; the rest was checked. */
static int say_failed(struct rt_cmd *cmd, const struct rt_profile_checks *checks)
{
	struct rt_err err = { 0 };

	for (size_t i = 0; i < checks->count; i++)
		if (*checks->items[i].failed) {
			rt_err_set(&err, -ENOENT, "%s", checks->items[i].failed);
			rt_cmd_say(cmd, &err);
		}
	return RT_EXIT_FAILED;
}

static void show_checks(struct rt_cmd *cmd, const struct rt_profile_checks *checks)
{
	bool any = false;

	for (size_t i = 0; i < checks->count; i++) {
		if (*checks->items[i].failed)
			continue;
		if (any)
			fputc('\n', cmd->out);
		any = true;
		show_checked(cmd, &checks->items[i]);
	}
}

static int run_check(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct rt_profile_checks *checks;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	(void)options;
	if (rt_run_profile_check((const char *const *)argv, (size_t)argc, &outcome,
				 &err) < 0)
		return rt_cmd_fail(cmd, &err);
	checks = outcome.object;
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_checks(cmd, checks);
	if (code == RT_EXIT_OK)
		code = rt_cmd_verdict(cmd, outcome.findings);
	if (checks->failed)
		code = say_failed(cmd, checks);
	rt_outcome_release(&outcome);
	return code;
}

/* --- knobs --------------------------------------------------------------------- */

struct knobs_options {
	bool markdown;
};

static const struct rt_option knobs_options[] = {
	{ .name = "markdown",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct knobs_options, markdown),
	  .help = "as the table of docs/profiles.md" },
};

static void markdown_rows(struct rt_cmd *cmd, const struct rt_knob_rows *rows)
{
	fputs("| knob | takes | range | when unset | meaning "
	      "|\n|---|---|---|---|---|\n",
	      cmd->out);
	for (size_t i = 0; i < rows->count; i++) {
		const struct rt_knob_row *row = &rows->items[i];

		fprintf(cmd->out, "| `%s` | %s | %s | %s | %s |\n", row->path,
			row->expects, row->range, row->fallback ? row->fallback : "",
			row->help);
	}
}

static int run_knobs(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct knobs_options *wanted = options;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int r = rt_run_profile_knobs(&outcome, &err);

	(void)argc;
	(void)argv;
	if (r < 0 || !wanted->markdown)
		return show(cmd, NULL, r, &outcome, &err);
	markdown_rows(cmd, outcome.object);
	rt_outcome_release(&outcome);
	return RT_EXIT_OK;
}

static const struct rt_command profile_subs[] = {
	{
		.name = "list",
		.operands = "",
		.summary = "profiles of the search path",
		.describe =
			"Looks in the folders of $ROCETUNE_PROFILES (':' between), "
			"among the installed profiles and in ./profiles; of several "
			"with one name the first counts.",
		.examples = "rocetune profile list\n    what there is\n",
		.run = run_list,
	},
	{
		.name = "show",
		.operands = "PROFILE",
		.summary = "what a profile sets, with all it inherits",
		.describe =
			"PROFILE is a name of `rocetune profile list`, or a path.\n\n"
			"A value that is auto is shown as computed, with what it was "
			"computed from; where nothing computes it here it stays auto. "
			"--all shows what is unset, too.",
		.examples =
			"rocetune profile show nvidia-lossless-400g\n    every knob "
			"and where it is set\n"
			"rocetune profile show --rail 2 my.yaml\n    as it holds on "
			"the second entry of rails\n",
		RT_OPTIONS(show_options, show_options),
		.min_operands = 1,
		.max_operands = 1,
		.run = run_show,
	},
	{
		.name = "check",
		.operands = "PROFILE...",
		.summary = "judge profiles by the rules that need no device",
		.describe =
			"Errors are what cannot work, warnings what is likely to "
			"hurt. A rule that lacks a number says so and is counted as "
			"not judged; --fail-on unknown makes that a failure.\n\n"
			"Whether Kmax or PAUSE comes first depends on how many ports "
			"fill a queue: that is a table, not a verdict.\n\n"
			"A profile that cannot be read does not keep the others from "
			"being checked; the exit code is then 3.",
		.examples = "rocetune profile check azure-sonic\n    findings and the "
			    "fan-in table\n"
			    "rocetune profile check --fail-on warn *.yaml\n    for "
			    "continuous integration\n",
		.min_operands = 1,
		.max_operands = -1,
		.run = run_check,
	},
	{
		.name = "diff",
		.operands = "PROFILE PROFILE",
		.summary = "compare two profiles knob by knob",
		.describe = "Classes are matched by name, rails by what they select. "
			    "Both places are shown.",
		.examples = "rocetune profile diff dcqcn-paper-40g hpcc-100g\n    what "
			    "differs\n",
		.min_operands = 2,
		.max_operands = 2,
		.run = run_diff,
	},
	{
		.name = "import",
		.operands = "FILE",
		.summary = "one port of a switch's configuration as a profile",
		.describe =
			"Reads SONiC's config_db.json or qos.json, or the "
			"running-config of Arista EOS, follows each DSCP through the "
			"port to its traffic class, queue, priority group and PFC "
			"priority, and writes that as a profile. Beside each value "
			"stands what the configuration says, and where.\n\n"
			"What is wrong with the configuration goes to standard error, "
			"and decides the exit code; --json writes the port and the "
			"findings instead of the profile.\n\n"
			"FILE may be - for standard input.",
		.examples = "rocetune profile import config_db.json --port Ethernet8\n"
			    "    the port as a profile\n"
			    "rocetune profile import qos.json --headroom-table "
			    "pg_profile_lookup.ini\n    with the platform's headroom\n",
		RT_OPTIONS(rt_cmd_import_options, rt_cmd_import),
		.min_operands = 1,
		.max_operands = 1,
		.run = rt_cmd_import_run,
	},
	{
		.name = "export",
		.operands = "PROFILE",
		.summary = "a profile as a patch of a switch's configuration",
		.describe =
			"Writes a JSON Patch (RFC 6902) that SONiC's `config "
			"apply-patch` takes: maps, schedulers, ECN thresholds, "
			"watchdog, headroom and PFC of the ports, in the order in "
			"which a fabric is to be changed: PFC comes last. No entry is "
			"removed.\n\n"
			"With --against only what differs is written, and tables that "
			"the switch lacks are made. Without it the entries of the "
			"ports are written anew, and the switch refuses the patch if "
			"it lacks a table.\n\n"
			"Pools are the platform's and are not written; headroom is "
			"written where the profile has sizes, else SONiC makes it "
			"from the length of the cable. What SONiC cannot hold is said "
			"on standard error.",
		.examples = "rocetune profile export azure-sonic --nos sonic --port "
			    "Ethernet0,Ethernet4\n    all of it\n"
			    "rocetune profile export my.yaml --nos sonic --against "
			    "config_db.json\n    what is not so yet\n",
		RT_OPTIONS(rt_cmd_export_options, rt_cmd_export),
		.min_operands = 1,
		.max_operands = 1,
		.run = rt_cmd_export_run,
	},
	{
		.name = "knobs",
		.operands = "",
		.summary = "every knob a profile can set",
		.describe = "The parameter table: path, unit, range and meaning.",
		.examples = "rocetune profile knobs\n    what may be written\n",
		RT_OPTIONS(knobs_options, knobs_options),
		.run = run_knobs,
	},
	{ 0 },
};

const struct rt_command rt_cmd_profile = {
	.name = "profile",
	.operands = "",
	.summary = "profiles: what NIC, switch and control law should agree on",
	.describe = "A profile describes classes, switches and hosts of a RoCE network "
		    "in one vendor-neutral YAML file; docs/profiles.md tells how to "
		    "write one.",
	.examples = "rocetune profile list\n    what there is\n",
	.subs = profile_subs,
};
