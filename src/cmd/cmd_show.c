/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_show.c - the congestion control of one port. */
#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/host.h"
#include "run/outcome.h"
#include "run/pasted.h"

struct show_options {
	const char *sysroot, *from, *profile;
	bool yaml;
};

static const struct rt_option show_options[] = {
	{ .name = "sysroot",
	  .arg = "FOLDER|FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct show_options, sysroot),
	  .help = "a host's bundle (rocetune snapshot) or a folder instead of this "
		  "machine" },
	{ .name = "from",
	  .arg = "FILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct show_options, from),
	  .help = "what a saved output of another tool says instead ('-': standard "
		  "input)" },
	{ .name = "profile",
	  .letter = 'p',
	  .arg = "PROFILE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct show_options, profile),
	  .help = "with --from: what it expects of the firmware beside mlxconfig's "
		  "answer" },
	{ .name = "yaml",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct show_options, yaml),
	  .help = "write a profile: what the port has, and keep where that cannot be "
		  "said" },
};

static void heading(struct rt_cmd *cmd, const struct rt_shown_section *section)
{
	fprintf(cmd->out, cmd->colour ? "\n\033[1m%s\033[0m: %s" : "\n%s: %s",
		section->name, section->help);
	if (section->interface)
		fprintf(cmd->out, " (%s)", section->interface);
	fputc('\n', cmd->out);
}

#define WORDS_COLUMN 11u

/* "unknown  rp.ai, rp.hai: why" */
static void show_words(struct rt_cmd *cmd, const char *label,
		       const struct rt_host_line *lines, size_t count)
{
	char text[2 * RT_HOST_TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s: %s", lines[i].subject, lines[i].text);
		rt_report_paragraph(cmd->out, i ? "" : label, WORDS_COLUMN, text);
	}
}

static void show_section(struct rt_cmd *cmd, const struct rt_shown_section *section)
{
	const struct rt_report_style style = { .detail = cmd->common.all,
					       .colour = cmd->colour };

	heading(cmd, section);
	rt_report_text_list(cmd->out, &rt_shown_row_table, section->rows,
			    section->row_count, &style);
	show_words(cmd, "note", section->remarks, section->remark_count);
	show_words(cmd, "unknown", section->unknown, section->unknown_count);
	if (cmd->common.all)
		show_words(cmd, "lacking", section->lacking, section->lacking_count);
}

/* Why nothing of a group is known: one reason goes without the names. */
static void show_reasons(struct rt_cmd *cmd, const struct rt_shown_section *section)
{
	const bool unknown = section->unknown_count > 0;

	if (section->unknown_count == 1)
		rt_report_paragraph(cmd->out, section->name, WORDS_COLUMN,
				    section->unknown->text);
	else
		show_words(cmd, section->name, section->unknown,
			   section->unknown_count);
	if (cmd->common.all || !unknown)
		show_words(cmd, unknown ? "" : section->name, section->lacking,
			   section->lacking_count);
}

/* Groups of which nothing is known, behind those of which something is. */
static void show_unknown(struct rt_cmd *cmd, const struct rt_shown *shown)
{
	bool any = false;

	for (size_t i = 0; i < shown->section_count; i++) {
		const struct rt_shown_section *section = &shown->sections[i];

		if (section->row_count)
			continue;
		if (!any)
			fprintf(cmd->out,
				cmd->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n",
				"unknown");
		any = true;
		show_reasons(cmd, section);
	}
}

/* Priorities at 0 are said together: there would be seventy lines of them. */
static void show_counters(struct rt_cmd *cmd, const struct rt_shown_counters *counters)
{
	const struct rt_report_style style = { .colour = cmd->colour };
	char text[120];

	fprintf(cmd->out, cmd->colour ? "\n\033[1m%s\033[0m: %s\n" : "\n%s: %s\n",
		"counters", "what was counted since the NIC or its driver started");
	rt_report_text_list(cmd->out, &rt_shown_counter_table, counters->rows,
			    counters->row_count, &style);
	if (counters->zeros) {
		snprintf(text, sizeof(text), "%" PRIu64 " counters of priorities are 0",
			 counters->zeros);
		rt_report_paragraph(cmd->out, "note", WORDS_COLUMN, text);
	}
	show_words(cmd, "not read", counters->failed, counters->failed_count);
	if (*counters->unknown)
		rt_report_paragraph(cmd->out, "unknown", WORDS_COLUMN,
				    counters->unknown);
}

static void show_port(struct rt_cmd *cmd, const struct rt_shown *shown)
{
	rt_report_paragraph(cmd->out, "", 2, shown->title);
	rt_report_paragraph(cmd->out, "", 2, shown->facts);
	if (*shown->untunable)
		rt_report_paragraph(cmd->out, "not tuned", WORDS_COLUMN + 2,
				    shown->untunable);
	for (size_t i = 0; i < shown->section_count; i++)
		if (shown->sections[i].row_count)
			show_section(cmd, &shown->sections[i]);
	if (*shown->peer) {
		fputs("\nThe other end, as the NIC heard it by DCBX\n", cmd->out);
		rt_report_paragraph(cmd->out, "", 2, shown->peer);
	}
	if (cmd->common.all)
		show_counters(cmd, &shown->counters);
	show_unknown(cmd, shown);
	if (shown->other_count)
		fputs("\nOther ports of the bond differ\n", cmd->out);
	for (size_t i = 0; i < shown->other_count; i++)
		rt_report_paragraph(cmd->out, shown->others[i].subject, WORDS_COLUMN,
				    shown->others[i].text);
}

/* Settings that are not as expected are findings for the exit code only. */
static int show_pasted(struct rt_cmd *cmd, const struct show_options *wanted)
{
	struct rt_outcome outcome = { 0 };
	const struct rt_pasted *pasted;
	struct rt_err err = { 0 };
	int code;

	if (rt_run_pasted(wanted->from, wanted->profile, 1, &outcome, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	pasted = outcome.object;
	code = rt_cmd_show(cmd, outcome.table, outcome.object);
	for (size_t i = 0; i < pasted->setting_count && code == RT_EXIT_OK; i++)
		if (pasted->settings[i].verdict == RT_FIRMWARE_OTHER ||
		    pasted->settings[i].verdict == RT_FIRMWARE_SEVERAL)
			code = RT_EXIT_FINDINGS;
	rt_outcome_release(&outcome);
	return code;
}

static int run_show(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct show_options *wanted = options;
	struct rt_outcome outcome = { 0 };
	const struct rt_shown *shown;
	struct rt_err err = { 0 };
	int code = RT_EXIT_OK;

	if (!wanted->from != (argc == 1))
		return rt_cmd_usage(cmd, "say a device, or --from FILE");
	if (wanted->from && (wanted->yaml || wanted->sysroot))
		return rt_cmd_usage(cmd,
				    "--from goes with neither --yaml nor --sysroot");
	if (wanted->profile && !wanted->from)
		return rt_cmd_usage(cmd, "--profile goes with --from");
	if (wanted->from)
		return show_pasted(cmd, wanted);
	if (wanted->yaml && cmd->common.json)
		return rt_cmd_usage(cmd, "--json and --yaml are two answers: say one");
	if (!wanted->sysroot)
		rt_cmd_note_pending(cmd);
	if (rt_run_show(wanted->sysroot, argv[0], cmd->common.all, &outcome, &err) < 0)
		return rt_cmd_fail_file(cmd, wanted->sysroot, &err);
	shown = outcome.object;
	if (wanted->yaml)
		fputs(shown->profile, cmd->out);
	else if (cmd->common.json)
		code = rt_cmd_show(cmd, outcome.table, outcome.object);
	else
		show_port(cmd, shown);
	rt_outcome_release(&outcome);
	return code;
}

const struct rt_command rt_cmd_show_port = {
	.name = "show",
	.operands = "[DEV]",
	.summary = "what a port's congestion control is set to",
	.describe =
		"DEV is an RDMA device (mlx5_0, or mlx5_0/2 where there are several "
		"ports), a network device or a PCI address.\n\n"
		"Each knob stands with its value in units that are the same for all "
		"vendors, the vendor's own name and raw value, and what a write does: "
		"live (nothing is lost), blip (queues are rebuilt), flap (the link "
		"goes "
		"down and comes back), reload (of the driver), fw-reset. The interface "
		"by which a group is reached stands in its heading. What is unknown "
		"says why; nothing unknown is shown as 0.\n\n"
		"DCQCN parameters are what is written in the NIC; whether DCQCN is "
		"what "
		"runs is cc.algorithm, a fact of its own.\n\n"
		"The knobs of a link are those of its network device; where that is in "
		"a bond, what differs on the bond's other ports is told.\n\n"
		"--all adds the port's counters: those of priorities that are not 0, "
		"and "
		"all of the port, with the NIC's own names; docs/counters.md has them "
		"all.\n\n"
		"--from reads what another tool wrote: ethtool -S and -i, rdma link "
		"and "
		"statistic, hw_counters, mlnx_qos, mlxconfig, ibv_devinfo, show_gids, "
		"lldptool, niccli, nicctl, and counters of SONiC; several in one file, "
		"with their prompts. With --profile the settings of its "
		"host.firmware_expect stand beside those of mlxconfig, and the exit "
		"code is 1 when one is other, or when queries do not agree.\n\n"
		"--yaml writes a profile for `rocetune profile check` and `rocetune "
		"apply`. Applied to the same port it changes nothing.",
	.examples = "rocetune show mlx5_0\n    all knobs\n"
		    "rocetune show eth2 --sysroot host7.tar\n    of another host\n"
		    "mlxconfig -d 3b:00.0 query | rocetune show --from - --profile "
		    "my.yaml\n    is the firmware set as expected\n"
		    "rocetune show mlx5_0 --yaml >golden.yaml\n    the start of a "
		    "profile\n",
	RT_OPTIONS(show_options, show_options),
	.max_operands = 1,
	.run = run_show,
};
