/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_profile_nos.c - profile import and export: switch configurations. */
#include "cmd/profile_nos.h"

#include <errno.h>

#include "base/json.h"
#include "model/finding.h"
#include "model/params.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/switch.h"

const struct rt_option rt_cmd_import_options[5] = {
	{ .name = "nos",
	  .arg = "NAME",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct rt_cmd_import, nos),
	  .help = "switch system: sonic or eos; without it the text is looked at" },
	{ .name = "port",
	  .arg = "PORT",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct rt_cmd_import, port),
	  .help = "name or alias; without it the first port with PFC" },
	{ .name = "headroom-table",
	  .arg = "FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct rt_cmd_import, headroom_table),
	  .help = "the platform's pg_profile_lookup.ini, which has the headroom that "
		  "SONiC's files leave out" },
	{ .name = "role",
	  .arg = "ROLE",
	  .type = RT_OPTION_ENUM,
	  .offset = offsetof(struct rt_cmd_import, role),
	  .names = rt_role_names,
	  .help = "what the port is in the profile: host (default), up or spine" },
	{ .name = "cell",
	  .arg = "SIZE",
	  .type = RT_OPTION_QUANTITY,
	  .unit = RT_UNIT_BYTES,
	  .offset = offsetof(struct rt_cmd_import, cell),
	  .min = 16,
	  .max = 4096,
	  .help = "size of a memory cell of the switch (254B), for thresholds in "
		  "segments" },
};

static void show_profile(struct rt_cmd *cmd, const struct rt_import *import,
			 bool chosen, struct rt_err *err)
{
	struct rt_cmd aside = *cmd;
	char from[600];

	snprintf(from, sizeof(from), "%.400s (%s), port %.100s", import->file,
		 import->nos, import->port);
	fprintf(cmd->out, "# Imported from %s.\n", rt_text_clean(from));
	if (!chosen && import->pfc_ports > 1)
		fprintf(cmd->out,
			"# %zu ports have PFC; this is the first, --port names "
			"another.\n",
			import->pfc_ports);
	fputs("# A switch does not know which class carries CNPs (kind: cnp), nor what "
	      "hosts\n# should do (ect, host): add it. Comments: what the "
	      "configuration says, and where.\n",
	      cmd->out);
	rt_report_profile(cmd->out, import->profile, import->file, err);
	/* The profile may go into a file: what is wrong goes elsewhere. */
	fflush(cmd->out);
	aside.out = cmd->err;
	rt_cmd_show_findings(&aside, &import->findings);
}

int rt_cmd_import_run(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct rt_cmd_import *wanted = options;
	const struct rt_import_options import = {
		.nos = wanted->nos,
		.file = argv[0],
		.port = wanted->port,
		.headroom = wanted->headroom_table,
		.role = (enum rt_role)wanted->role,
		.cell_bytes = (unsigned)wanted->cell.value,
	};
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	(void)argc;
	if (rt_run_profile_import(&import, &outcome, &err) < 0)
		return rt_cmd_fail_file(cmd, argv[0], &err);
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_profile(cmd, outcome.object, wanted->port, &err);
	if (err.code)
		code = rt_cmd_fail(cmd, &err);
	if (code == RT_EXIT_OK)
		code = rt_cmd_verdict(cmd, outcome.findings);
	rt_outcome_release(&outcome);
	return code;
}

/* --- export --------------------------------------------------------------------- */

const struct rt_option rt_cmd_export_options[4] = {
	{ .name = "nos",
	  .arg = "NAME",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct rt_cmd_export, nos),
	  .help = "switch system: sonic" },
	{ .name = "port",
	  .arg = "PORT,...",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct rt_cmd_export, port),
	  .help = "ports, ',' between; without it those that have QoS in --against" },
	{ .name = "against",
	  .arg = "FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct rt_cmd_export, against),
	  .help = "the switch's config_db.json: only what differs is written" },
	{ .name = "role",
	  .arg = "ROLE",
	  .type = RT_OPTION_ENUM,
	  .offset = offsetof(struct rt_cmd_export, role),
	  .names = rt_role_names,
	  .help = "whose thresholds of the profile the ports get: host (default), up "
		  "or spine" },
};

int rt_cmd_export_run(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct rt_cmd_export *wanted = options;
	const struct rt_export_options export = {
		.profile = argv[0],
		.nos = wanted->nos,
		.ports = wanted->port,
		.against = wanted->against,
		.role = (enum rt_role)wanted->role,
	};
	struct rt_findings complaints = { 0 };
	struct rt_cmd aside = *cmd;
	struct rt_json *patch = NULL;
	struct rt_err err = { 0 };
	int code;

	(void)argc;
	if (!wanted->nos || (!wanted->port && !wanted->against))
		return rt_cmd_usage(cmd, "wants --nos, and --port or --against");
	if (rt_run_profile_export(&export, &complaints, &patch, &err) < 0 ||
	    rt_json_write(patch, cmd->out, &err) < 0)
		code = rt_cmd_fail(cmd, &err);
	else
		code = rt_cmd_verdict(cmd, &complaints);
	fflush(cmd->out);
	aside.out = cmd->err; /* the patch may go into a file */
	if (!err.code)
		rt_cmd_show_findings(&aside, &complaints);
	rt_json_free(patch);
	rt_findings_free(&complaints);
	return code;
}
