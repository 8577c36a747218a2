/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_snapshot.c - a host's state as a file, to be looked at elsewhere. */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/host.h"
#include "run/outcome.h"

struct snapshot_options {
	const char *output, *sysroot;
};

static const struct rt_option snapshot_options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .arg = "FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct snapshot_options, output),
	  .help = "the bundle to write, - for standard output; needed" },
	{ .name = "sysroot",
	  .arg = "FOLDER|FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct snapshot_options, sysroot),
	  .help = "of a folder that looks like a host's root instead of this machine" },
};

static int run_snapshot(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct snapshot_options *wanted = options;
	const char *device = strcmp(argv[0], "all") == 0 ? NULL : argv[0];
	const bool to_stdout = wanted->output && strcmp(wanted->output, "-") == 0;
	struct rt_cmd aside = *cmd;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code;

	(void)argc;
	if (!wanted->output)
		return rt_cmd_usage(cmd, "say where to: -o FILE");
	if (to_stdout && isatty(STDOUT_FILENO))
		return rt_cmd_usage(cmd,
				    "a bundle is no text for a terminal: say where "
				    "to, or lead it there by > or |");
	if (!wanted->sysroot)
		rt_cmd_note_pending(cmd);
	if (!wanted->sysroot && geteuid() != 0)
		fputs("rocetune snapshot: note: not root: what only root may read will "
		      "be "
		      "missing\n",
		      cmd->err);
	if (rt_run_snapshot(wanted->sysroot, device, wanted->output, &outcome, &err) <
	    0)
		return rt_cmd_fail(cmd, &err);
	if (to_stdout) /* which the bundle went to */
		aside.out = cmd->err;
	code = rt_cmd_show(&aside, outcome.table, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_snapshot = {
	.name = "snapshot",
	.operands = "DEV|all",
	.summary = "write a host's state into a file, to look at it elsewhere",
	.describe =
		"Records all that `rocetune list` and `rocetune show` ask of the "
		"kernel "
		"for one port, or for all, and writes it as a tar archive. Commands "
		"that read take it by --sysroot, and say the same of it as of the "
		"host, "
		"byte for byte; `rocetune diff` compares many.\n\n"
		"In it are the files of sysfs, debugfs and configfs that were read, "
		"and "
		"in rocetune/answers.json what the kernel answered by netlink and "
		"ioctl: links, DCB, pause, speed, driver and firmware, private flags, "
		"RDMA ports, embedded switch; in rocetune/stats the counters of each "
		"port as ethtool -S and rdma statistic have them. That includes MAC "
		"addresses, GIDs and IP "
		"addresses, PCI addresses, GUIDs of RDMA devices, and the names of the "
		"processes that have queue pairs; of processes nothing else, no "
		"command "
		"line and no environment. No file of a user and no configuration file "
		"is in it. Look at it with tar before you give it away.\n\n"
		"Run as root: what only root may read is in it as refused otherwise. "
		"The same state gives the same bytes.",
	.examples = "rocetune snapshot all -o $(hostname).tar\n    this host\n"
		    "rocetune list --sysroot host7.tar\n    what it was\n"
		    "ssh host7 rocetune snapshot all -o - >host7.tar\n    another "
		    "host\n",
	RT_OPTIONS(snapshot_options, snapshot_options),
	.min_operands = 1,
	.max_operands = 1,
	.run = run_snapshot,
};
