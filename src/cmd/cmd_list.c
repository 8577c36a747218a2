/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_list.c - the RDMA ports of a host. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/host.h"
#include "run/outcome.h"

struct list_options {
	const char *sysroot;
};

static const struct rt_option list_options[] = {
	{ .name = "sysroot",
	  .arg = "FOLDER|FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct list_options, sysroot),
	  .help = "a host's bundle (rocetune snapshot) or a folder instead of this "
		  "machine" },
};

static void heading(struct rt_cmd *cmd, const char *text)
{
	fprintf(cmd->out, cmd->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

#define ACCESS_COLUMN 20u
#define SUBJECT_MOST  26u /* longer ones have their text behind them */

static unsigned subject_column(const struct rt_host_line *lines, size_t count)
{
	unsigned widest = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(lines[i].subject);

		if (length > widest && length <= SUBJECT_MOST)
			widest = (unsigned)length;
	}
	return widest + 4;
}

static void show_lines(struct rt_cmd *cmd, const char *title,
		       const struct rt_host_line *lines, size_t count)
{
	const unsigned column = subject_column(lines, count);

	if (count)
		heading(cmd, title);
	for (size_t i = 0; i < count; i++)
		rt_report_paragraph(cmd->out, lines[i].subject, column, lines[i].text);
}

static void show_access(struct rt_cmd *cmd, const struct rt_list_access *access)
{
	rt_report_paragraph(cmd->out, "", 2, access->devices);
	if (*access->both)
		rt_report_paragraph(cmd->out, "  read, written", ACCESS_COLUMN,
				    access->both);
	if (*access->read)
		rt_report_paragraph(cmd->out, "  only read", ACCESS_COLUMN,
				    access->read);
	if (*access->neither)
		rt_report_paragraph(cmd->out, "  neither", ACCESS_COLUMN,
				    access->neither);
}

static void show_list(struct rt_cmd *cmd, const struct rt_host_list *list)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour };
	const struct rt_list_view *view = &list->view;

	if (*list->note)
		rt_cmd_line(cmd, "No RDMA devices: %s.", list->note);
	rt_report_text_list(cmd->out, &rt_list_port_table, view->ports, view->count,
			    &style);
	if (view->count)
		heading(cmd, rt_list_adapter_table.title);
	rt_report_text_list(cmd->out, &rt_list_adapter_table, view->adapters,
			    view->count, &style);
	if (view->slot_count)
		heading(cmd, rt_list_slot_table.title);
	rt_report_text_list(cmd->out, &rt_list_slot_table, view->slots,
			    view->slot_count, &style);
	show_lines(cmd, "In other network namespaces", view->elsewhere,
		   list->elsewhere_count);
	show_lines(cmd, "Bonds", view->bonds, view->bond_count);
	show_lines(cmd, "RoCE v2 addresses, by GID index", view->addresses,
		   view->address_count);
	if (view->access_count)
		heading(cmd, "Groups of knobs (rocetune show tells why not)");
	for (size_t i = 0; i < view->access_count; i++)
		show_access(cmd, &view->access[i]);
	show_lines(cmd, "Not tuned here", view->untuned, view->untuned_count);
}

static int run_list(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct list_options *wanted = options;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	(void)argc;
	(void)argv;
	if (!wanted->sysroot)
		rt_cmd_note_pending(cmd);
	if (rt_run_list(wanted->sysroot, &outcome, &err) < 0)
		return rt_cmd_fail_file(cmd, wanted->sysroot, &err);
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_list(cmd, outcome.object);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_list = {
	.name = "list",
	.operands = "",
	.summary = "RDMA devices of this host, and what can be tuned on them",
	.describe =
		"Every port of every RDMA device: network device and bond, link, RoCE "
		"MTU (the largest payload that fits the network device's MTU with the "
		"headers of RoCE v2), PCIe link, NUMA node, queue pairs in use, RoCE "
		"v2 "
		"addresses by GID index, and which groups of knobs can be read and "
		"written by which interface. Ports that cannot be tuned this way say "
		"why. JSON has all of it, and all addresses.\n\n"
		"Where RDMA devices are not shared (rdma system: netns exclusive), "
		"those of containers are not seen on the host: they are listed with "
		"the network namespace that has them and the command that reads them "
		"there. To say which namespace takes root.\n\n"
		"Whether a group can be written is what the driver offers; nothing is "
		"tried, and writing takes root.\n\n"
		"A host without RDMA, or a kernel without it, is an empty list that "
		"says so, and no failure: the exit code is 0. List only reads; it "
		"opens nothing for writing.",
	.examples =
		"rocetune list\n    this host\n"
		"rocetune list --sysroot host7.tar\n    another, from its snapshot\n"
		"rocetune list --json | jq -r '.devices[].netdev'\n    for scripts\n",
	RT_OPTIONS(list_options, list_options),
	.run = run_list,
};
