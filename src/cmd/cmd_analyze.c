/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_analyze.c - what captures say, and what is wrong in them. */
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/analyze.h"

struct analyze_options {
	struct rt_opt_u64 link_speed_bps;
	bool no_icrc;
	bool keep_duplicates;
};

static const struct rt_option options_table[] = {
	{ "link-speed", 0, "RATE", RT_OPTION_QUANTITY, RT_UNIT_BPS,
	  offsetof(struct analyze_options, link_speed_bps), NULL,
	  "speed of the links, where pauses need a time (goes before the file's)",
	  1000000, 0 },
	{ "no-icrc", 0, NULL, RT_OPTION_FLAG, RT_UNIT_NONE,
	  offsetof(struct analyze_options, no_icrc), NULL,
	  "do not check invariant CRCs: faster", 0, 0 },
	{ "keep-duplicates", 0, NULL, RT_OPTION_FLAG, RT_UNIT_NONE,
	  offsetof(struct analyze_options, keep_duplicates), NULL,
	  "count copies of frames in flows too, as if they were frames of their own", 0,
	  0 },
};

/* One file: a result of its own, or, of several as JSON, an item of an array. */
static int analyze_one(struct rt_cmd *cmd, const char *path,
		       const struct rt_analyze_options *options, bool in_array)
{
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };
	struct rt_json *json;
	int code;

	if (rt_analyze_file(path, options, &outcome, &err) < 0) {
		if (!in_array)
			return rt_cmd_fail_file(cmd, path, &err);
		json = rt_cmd_error_json(path, &err);
		rt_json_write_part(json, cmd->out, 1);
		rt_json_free(json);
		return rt_cmd_say(cmd, &err);
	}
	if (!in_array)
		code = rt_cmd_show_outcome(cmd, &outcome);
	else if (rt_report_json_write(cmd->out, outcome.table, outcome.object, 1,
				      &err) < 0)
		code = rt_cmd_say(cmd, &err);
	else
		code = rt_cmd_verdict(cmd, outcome.findings);
	rt_outcome_release(&outcome);
	return code;
}

static int run_analyze(struct rt_cmd *cmd, const void *opts, int argc, char **argv)
{
	const struct analyze_options *given = opts;
	const struct rt_analyze_options options = {
		.link_speed_bps = given->link_speed_bps,
		.no_icrc = given->no_icrc,
		.keep_duplicates = given->keep_duplicates,
	};
	const bool in_array = cmd->common.json && argc > 1;
	int worst = RT_EXIT_OK;

	for (int i = 0; i < argc; i++) {
		int code;

		if (in_array)
			fputs(i > 0 ? ",\n  " : "[\n  ", cmd->out);
		else if (i > 0)
			fputc('\n', cmd->out);
		code = analyze_one(cmd, argv[i], &options, in_array);
		worst = code > worst ? code : worst;
	}
	if (in_array)
		fputs("\n]\n", cmd->out);
	return worst;
}

const struct rt_command rt_cmd_analyze = {
	.name = "analyze",
	.operands = "FILE...",
	.summary =
		"what a capture says: pauses, marks, losses, incast, and what is wrong",
	.describe = "Reads pcap and pcapng files, also compressed; \"-\" is standard "
		    "input. Every "
		    "file is a report of its own. With --json one file gives an object "
		    "of kind "
		    "\"analysis\", several give an array of them in the order of the "
		    "operands; a "
		    "file that can't be read stands there as an object of kind "
		    "\"error\".\n\n"
		    "File order is taken as the order of events. What a tap can't show "
		    "is unknown, "
		    "not zero: most taps never show pause frames, and a capture taken "
		    "before the "
		    "point of loss shows no gap. Times of pauses need the link speed, "
		    "from the "
		    "file or from --link-speed.\n\n"
		    "A frame that a mirror of several ports captured more than once "
		    "counts once in "
		    "flows, marks and throughput, where it can be told from a resend; "
		    "counts of "
		    "frames include it.\n\n"
		    "The exit code is that of the worst file: 1 when a finding is at "
		    "or above "
		    "--fail-on, 3 when a file could not be read.",
	.examples = "rocetune analyze incast.pcapng\n    the report of one capture\n"
		    "rocetune analyze --link-speed 100G mirror.pcap\n"
		    "    pauses in microseconds\n"
		    "zcat big.pcap.gz | rocetune analyze --json --no-icrc -\n"
		    "    for a script, from standard input\n",
	RT_OPTIONS(options_table, analyze_options),
	.min_operands = 1,
	.max_operands = -1,
	.run = run_analyze,
};
