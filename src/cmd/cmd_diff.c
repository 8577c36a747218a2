/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_diff.c - many hosts, and who differs from the rest. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "model/finding.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/host.h"
#include "run/outcome.h"

struct diff_options {
	unsigned match; /* enum rt_match_by */
};

static const struct rt_option diff_options[] = {
	{ .name = "match",
	  .arg = "HOW",
	  .type = RT_OPTION_ENUM,
	  .offset = offsetof(struct diff_options, match),
	  .names = rt_match_by_names,
	  .help = "which ports belong together: those of one name, or of one place by "
		  "PCI address (auto: name, where most hosts have the same names)" },
};

#define ODD_COLUMN 16u

static void show_value(struct rt_cmd *cmd, const struct rt_host_difference *difference,
		       const struct rt_odd_value *value)
{
	char label[120];

	snprintf(label, sizeof(label), "  %.80s", value->value);
	if (!cmd->common.all) {
		rt_report_paragraph(cmd->out, label, ODD_COLUMN, value->hosts);
		return;
	}
	for (uint64_t i = 0; i < value->host_count; i++)
		rt_report_paragraph(cmd->out, i ? "" : label, ODD_COLUMN,
				    difference->odd[value->first + i].host);
}

static void show_difference(struct rt_cmd *cmd,
			    const struct rt_host_difference *difference)
{
	char label[120], text[700];

	snprintf(label, sizeof(label), "%.100s", difference->knob);
	if (difference->majority)
		snprintf(text, sizeof(text),
			 "is %s on %" PRIu64 " of %" PRIu64 " hosts; the others:",
			 difference->majority, difference->majority_hosts,
			 difference->hosts);
	else
		snprintf(text, sizeof(text),
			 "differs on %" PRIu64 " hosts, without a majority:",
			 difference->hosts);
	rt_report_paragraph(cmd->out, label, 0, text);
	for (size_t i = 0; i < difference->value_count; i++)
		show_value(cmd, difference, &difference->values[i]);
}

static void show_diff(struct rt_cmd *cmd, const struct rt_host_diff *diff)
{
	const char *last = "";
	char device[RT_DEVICE_NAME_BYTES];

	fprintf(cmd->out, "%" PRIu64 " hosts, %" PRIu64 " RDMA port%s matched by %s: ",
		diff->hosts, diff->devices, diff->devices == 1 ? "" : "s",
		rt_name_of(rt_match_by_names, diff->matched_by));
	if (diff->difference_count == 0)
		fputs("all the same\n", cmd->out);
	else
		fprintf(cmd->out, "%zu difference%s\n", diff->difference_count,
			diff->difference_count == 1 ? "" : "s");
	for (size_t i = 0; i < diff->difference_count; i++) {
		const struct rt_host_difference *difference = &diff->differences[i];

		if (strcmp(last, difference->device) != 0) {
			snprintf(device, sizeof(device), "%s", difference->device);
			fprintf(cmd->out,
				cmd->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n",
				rt_text_clean(device));
		}
		last = difference->device;
		show_difference(cmd, difference);
	}
}

static int say_unread(struct rt_cmd *cmd, const struct rt_host_diff *diff)
{
	struct rt_err err = { 0 };

	for (size_t i = 0; i < diff->unread_count; i++) {
		rt_err_set(&err, -1, "%s", diff->unread[i].why);
		rt_cmd_say(cmd, &err);
	}
	return RT_EXIT_FAILED;
}

static int run_diff(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct diff_options *wanted = options;
	const struct rt_host_diff *diff;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	if (rt_run_host_diff((const char *const *)argv, (size_t)argc, wanted->match,
			     &outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	diff = outcome.object;
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_diff(cmd, diff);
	if (code == RT_EXIT_OK && diff->difference_count &&
	    cmd->common.fail_on <= RT_SEVERITY_WARN)
		code = RT_EXIT_FINDINGS;
	if (diff->unread_count)
		code = say_unread(cmd, diff);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_diff = {
	.name = "diff",
	.operands = "HOST...",
	.summary = "compare hosts knob by knob: what most have, and who differs",
	.describe =
		"HOST is a bundle of `rocetune snapshot`, a folder that looks like a "
		"host's root, or a folder of either, or of links to them; a host is "
		"called as its bundle. "
		"Every knob and the facts that hosts of one kind share (driver, "
		"firmware, chip, link, speed, MTU, PCIe link, NUMA node) are compared "
		"port by port: what most hosts have, and who has something else. Where "
		"no value is the most frequent, all are listed.\n\n"
		"Ports are matched by RDMA name, or, where hosts name them "
		"differently, "
		"by their place in the order of PCI addresses (rail 1, 2, ...). Ports "
		"that some hosts lack are told. Of a port in a bond its own network "
		"device is compared; of a bond's RDMA device what the bond's first "
		"slave has.\n\n"
		"A difference is a warning: with --fail-on warn the exit code is 1. A "
		"host that cannot be read does not keep the others from being "
		"compared; "
		"the exit code is then 3.",
	.examples = "rocetune diff host1.tar host2.tar\n    what differs\n"
		    "rocetune diff --fail-on warn snapshots/\n    a fleet: one NIC in "
		    "thousands is found\n",
	RT_OPTIONS(diff_options, diff_options),
	.min_operands = 1,
	.max_operands = -1,
	.run = run_diff,
};
