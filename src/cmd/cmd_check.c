/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_check.c - host, profile, switch and announcement, side by side. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "model/finding.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/check.h"
#include "run/outcome.h"

struct check_options {
	const char *profile, *switch_file, *switch_dir, *port, *headroom, *lldp;
	const char *sysroot;
};

#define CHECK_TEXT(name_, letter_, arg_, member, help_)                            \
	{                                                                          \
		.name = (name_), .letter = (letter_), .arg = (arg_),               \
		.type = RT_OPTION_TEXT,                                            \
		.offset = offsetof(struct check_options, member), .help = (help_), \
	}

static const struct rt_option check_options[] = {
	CHECK_TEXT("profile", 'p', "PROFILE", profile, "what the rails should be"),
	CHECK_TEXT(
		"switch", 0, "FILE", switch_file,
		"configuration of the switch at the other end (SONiC config_db.json, "
		"EOS running-config)"),
	CHECK_TEXT("switch-dir", 0, "DIR", switch_dir,
		   "folder of configurations, NAME.json or NAME.cfg by name of the "
		   "switch"),
	CHECK_TEXT(
		"port", 0, "NAME", port,
		"port of the switch, where one DEV is checked; without it the one that "
		"LLDP names"),
	CHECK_TEXT("headroom", 0, "FILE", headroom,
		   "the switch's pg_profile_lookup.ini, for headroom that it binds "
		   "itself"),
	CHECK_TEXT("lldp", 0, "live|FILE", lldp,
		   "what the switch announces: live (lldpd, or listening for at most "
		   "35 s), a capture, or what `lldpcli -f json show neighbors details` "
		   "wrote (- is standard input)"),
	CHECK_TEXT("sysroot", 0, "FOLDER|FILE", sysroot,
		   "a host's bundle (rocetune snapshot) or a folder instead of this "
		   "machine"),
};

/* --- text ------------------------------------------------------------------------------- */

static void show_link(struct rt_cmd *cmd, const struct rt_checked_links *links,
		      const struct rt_checked_link *link)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour,
					       .columns = RT_REPORT_COLUMNS };
	char ends[1024], counts[96];

	snprintf(ends, sizeof(ends), "%s (%s), profile %s%s%s%s%s%s%s%s:", link->device,
		 link->netdev, links->profile, *link->rail ? " (" : "", link->rail,
		 *link->rail ? ")" : "", *link->switch_name ? ", " : "",
		 link->switch_name, *link->switch_name ? " " : "",
		 *link->switch_port   ? link->switch_port
		 : *link->switch_name ? "(port unknown)"
				      : "");
	snprintf(counts, sizeof(counts), "%u error%s, %u warning%s, %u not judged",
		 link->errors, link->errors == 1 ? "" : "s", link->warnings,
		 link->warnings == 1 ? "" : "s", link->not_judged);
	if (strlen(ends) + 1 + strlen(counts) <= RT_REPORT_COLUMNS) {
		rt_cmd_line(cmd, "%s %s", ends, counts);
	} else {
		rt_cmd_line(cmd, "%s", ends);
		rt_cmd_line(cmd, "  %s", counts);
	}
	fputc('\n', cmd->out);
	rt_report_text_list(cmd->out, &rt_align_row_table, link->rows.items,
			    link->rows.count, &style);
	rt_cmd_show_judged(cmd, &link->findings);
	if (!cmd->common.all)
		return;
	for (size_t i = 0; i < link->peer_count; i++) {
		fputc('\n', cmd->out);
		rt_report_text(cmd->out, &rt_dcbx_peer_table, &link->peers[i], &style);
	}
}

static void show_links(struct rt_cmd *cmd, const struct rt_checked_links *links)
{
	for (size_t i = 0; i < links->count; i++) {
		if (i)
			fputc('\n', cmd->out);
		show_link(cmd, links, &links->ports[i]);
	}
}

/* --- the command -------------------------------------------------------------------------- */

static void listening(void *user, unsigned most_ms)
{
	struct rt_cmd *cmd = user;

	if (cmd->progress)
		fprintf(cmd->err, "listening for LLDP, at most %u s ...\n",
			most_ms / 1000);
}

static const char *mistake(const struct check_options *wanted)
{
	if (!wanted->profile)
		return "--profile is missing: say what the rails should be";
	if (wanted->switch_file && wanted->switch_dir)
		return "--switch is one file, --switch-dir a folder: say one of them";
	if (wanted->port && !wanted->switch_file)
		return "--port is of one switch: say --switch, too";
	if (wanted->headroom && !wanted->switch_file && !wanted->switch_dir)
		return "--headroom is of a switch: say --switch or --switch-dir, too";
	if (wanted->sysroot && wanted->lldp && strcmp(wanted->lldp, "live") == 0)
		return "--lldp live is of this machine, --sysroot another";
	return NULL;
}

static int run_check(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct check_options *wanted = options;
	const struct rt_check_request request = {
		.devices = (const char *const *)argv,
		.device_count = (size_t)argc,
		.profile = wanted->profile,
		.sysroot = wanted->sysroot,
		.switch_file = wanted->switch_file,
		.switch_dir = wanted->switch_dir,
		.port = wanted->port,
		.headroom = wanted->headroom,
		.lldp = wanted->lldp,
		.listening = listening,
		.user = cmd,
	};
	const char *wrong = mistake(wanted);
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	if (wrong)
		return rt_cmd_usage(cmd, "%s", wrong);
	if (rt_run_check(&request, &outcome, &err) < 0)
		return err.code == -ENOTUNIQ ? rt_cmd_usage(cmd, "%s", err.msg)
					     : rt_cmd_fail(cmd, &err);
	if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_links(cmd, outcome.object);
	if (code == RT_EXIT_OK)
		code = rt_cmd_verdict(cmd, outcome.findings);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_check = {
	.name = "check",
	.operands = "[DEV...]",
	.summary = "host, profile, switch and LLDP announcement against each other",
	.describe =
		"DEV is an RDMA device, a netdev or a PCI address; without it every "
		"port is checked that RoCE can be tuned on. Each slave of a bond is a "
		"link of its own, and may be named. Nothing is changed, neither here "
		"nor on the switch.\n\n"
		"Each port is compared with its rail of the profile, with the port of "
		"the switch at the other end (--switch, or --switch-dir, where LLDP or "
		"the leaf of the rail names the file), and with what that switch "
		"announces (--lldp). What a side does not tell is counted as not "
		"judged; --fail-on unknown makes that a failure.\n\n"
		"An agent sends LLDP every 30 s, so listening takes as long; it ends "
		"when every port has heard somebody who speaks DCBX. It needs "
		"CAP_NET_RAW; a NIC whose firmware has an LLDP agent may keep the "
		"frames to itself.",
	.examples =
		"rocetune check --profile cx7-400g-eos\n    the ports of this host "
		"against their "
		"profile\n"
		"rocetune check mlx5_0 -p cx7-400g-eos --switch leaf1.cfg --port "
		"Ethernet1/1\n    and against the switch\n"
		"rocetune check -p my.yaml --switch-dir configs --lldp live\n    every "
		"rail with the switch it is cabled to\n",
	RT_OPTIONS(check_options, check_options),
	.min_operands = 0,
	.max_operands = -1,
	.run = run_check,
};
