/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_top.c - ports and their congestion, live. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/host_options.h"
#include "cmd/rows.h"
#include "cmd/top_batch.h"
#include "cmd/watch_options.h"
#include "dash/dash.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"
#include "run/watch.h"
#include "run/watch_sim.h"

#define SECOND_NS UINT64_C(1000000000)

struct top_options {
	/* what */
	struct rt_watch_options what;
	const char *capture;
	/* when */
	struct rt_opt_u64 count, seek, speed;
	/* how */
	bool batch, csv, ascii, mono;
	struct rt_opt_u64 screen;
	const char *record;
};

#define ROW(member_, name_, arg_, type_, unit_, help_, ...)                     \
	{                                                                       \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,          \
		.unit = RT_UNIT_##unit_,                                        \
		.offset = offsetof(struct top_options, member_), .help = help_, \
		##__VA_ARGS__                                                   \
	}

static const struct rt_option top_option_rows[] = {
	RT_WATCH_OPTION_ROWS(top_options, what, "1s"),
	ROW(capture, "capture", "NAMES", TEXT, NONE,
	    "also watch the flows that pass these interfaces, commas between; with "
	    "--lab those of its switch: s0p0"),
	ROW(count, "count", "N", QUANTITY, COUNT,
	    "end after so many intervals; 0: what is there now, without rates",
	    .letter = 'n'),
	ROW(batch, "batch", NULL, FLAG, NONE,
	    "write text instead of screens, also to a terminal", .letter = 'b'),
	ROW(csv, "csv", NULL, FLAG, NONE,
	    "write CSV: a row for each port and interval"),
	ROW(record, "write", "FILE", TEXT, NONE,
	    "record what is seen; the file must not be there", .letter = 'w'),
	ROW(ascii, "ascii", NULL, FLAG, NONE, "screens without characters beyond ASCII",
	    .letter = 'U'),
	ROW(mono, "mono", NULL, FLAG, NONE,
	    "screens without colour, as with NO_COLOR in the environment"),
	ROW(screen, "screen", "N", QUANTITY, COUNT,
	    "begin with this one: 1 ports, 2 pauses, 3 ECN, 4 errors, 5 flows, 6 "
	    "events",
	    .min = 1, .max = 6),
	ROW(seek, "seek", "TIME", QUANTITY, NS,
	    "begin so long after a recording's beginning"),
	ROW(speed, "speed", "N", QUANTITY, RATIO,
	    "of a source with a time of its own: 2, 1/5000; 0: as fast as it goes "
	    "(default: --demo and screens 1, screens of --scenario 1/5000, or 1/1000 "
	    "with --interval, else 0)"),
};

/* --- options ----------------------------------------------------------------------------- */

static int make_request(const struct top_options *given, struct rt_watch_wanted *wanted,
			struct rt_words *capture, struct rt_err *err)
{
	struct rt_watch_request *request = &wanted->request;
	int r = rt_watch_options_take(&given->what, SECOND_NS, wanted, err);

	request->seek_ns = given->seek;
	request->record = given->record;
	if (r == 0)
		r = rt_words_split(given->capture, capture, err);
	if (given->capture)
		request->capture = capture->items;
	if (r == 0)
		r = rt_run_watch_check(request, err);
	if (r == 0 && given->speed.known && !request->replay && !request->demo &&
	    !request->scenario)
		r = rt_err_set(err, -EINVAL,
			       "--speed is of what has a time of its own: it wants "
			       "--replay, --demo or --scenario");
	return r;
}

static double speed_of(const struct top_options *given, double usual)
{
	return given->speed.known ? (double)given->speed.value / RT_PPB : usual;
}

/* --- the command --------------------------------------------------------------------------- */

static int watch_in_batch(struct rt_cmd *cmd, const struct top_options *given,
			  struct rt_watch *watch)
{
	const struct rt_top_batch batch = {
		.intervals = given->count,
		.speed = speed_of(given, given->what.demo ? 1 : 0),
		.csv = given->csv,
	};

	return rt_top_batch(cmd, watch, &batch);
}

/* What "e" writes, as batch output has it. */
static int write_snapshot(void *context, const struct rt_watch_snapshot *snapshot,
			  FILE *to, struct rt_err *err)
{
	struct rt_outcome outcome = { 0 };
	int r = rt_run_watch_outcome(snapshot, true, 0, &outcome, err);

	(void)context;
	if (r == 0)
		r = rt_report_json_write(to, outcome.table, outcome.object, 0, err);
	rt_outcome_release(&outcome);
	if (r == 0)
		fputc('\n', to);
	return r;
}

/* Where "w" keeps the layout; false: the environment does not say. */
static bool find_layout(char *path, size_t bytes)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = -1;

	if (config && *config == '/')
		length = snprintf(path, bytes, "%s/rocetune/top", config);
	else if (home && *home == '/')
		length = snprintf(path, bytes, "%s/.config/rocetune/top", home);
	return length > 0 && (size_t)length < bytes;
}

/* What a fabric does in some milliseconds is over before it is seen. */
static double usual_screen_speed(const struct top_options *given)
{
	if (!given->what.scenario)
		return 1;
	return given->what.interval ? 1.0 / RT_WATCH_SIM_FASTER : 1.0 / 5000;
}

static int watch_on_screen(struct rt_cmd *cmd, const struct top_options *given,
			   struct rt_watch *watch)
{
	char layout[PATH_MAX];
	const struct rt_dash_options options = {
		.ascii = given->ascii,
		.mono = given->mono || cmd->no_colour,
		.screen = given->screen.known ? (unsigned)given->screen.value : 0,
		.speed = speed_of(given, usual_screen_speed(given)),
		.layout_file = find_layout(layout, sizeof(layout)) ? layout : NULL,
		.write_snapshot = write_snapshot,
	};
	struct rt_err err = { 0 };

	if (rt_dash_run(watch, &options, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	return RT_EXIT_OK;
}

static bool wants_batch(const struct rt_cmd *cmd, const struct top_options *given)
{
	return given->batch || given->csv || given->count.known || cmd->common.json ||
	       !rt_dash_possible();
}

static int watch_request(struct rt_cmd *cmd, const struct top_options *given,
			 const struct rt_watch_request *request)
{
	struct rt_err err = { 0 };
	struct rt_watch *watch;
	int code;

	if (rt_run_watch_is_here(request))
		rt_cmd_note_pending(cmd);
	if (rt_run_watch_open(request, &watch, &err) < 0)
		return rt_top_batch_fail(cmd, &err);
	if (wants_batch(cmd, given))
		code = watch_in_batch(cmd, given, watch);
	else
		code = watch_on_screen(cmd, given, watch);
	rt_run_watch_close(watch);
	return code;
}

static int run_top(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct top_options *given = options;
	struct rt_watch_wanted wanted = { 0 };
	struct rt_words capture = { 0 };
	struct rt_err err = { 0 };
	int code;

	(void)argc;
	(void)argv;
	if (cmd->common.json && given->csv)
		return rt_cmd_usage(cmd, "--json and --csv: one of them");
	if (make_request(given, &wanted, &capture, &err) < 0)
		code = rt_cmd_usage(cmd, "%s", err.msg);
	else
		code = watch_request(cmd, given, &wanted.request);
	rt_watch_wanted_free(&wanted);
	free(capture.text);
	return code;
}

const struct rt_command rt_cmd_top = {
	.name = "top",
	.operands = "",
	.summary = "watch ports: throughput, pauses, marks, losses, and what is wrong",
	.describe =
		"Samples the counters of RoCE ports and shows rates over measured time "
		"and, for each port, a verdict: what its counters say is wrong with it "
		"(docs/findings.md lists the rules). Where a host has no RDMA device "
		"its "
		"network devices are watched. Nothing is changed on the host, and no "
		"counter is ever cleared.\n\n"
		"Paused by peer (pause % by) means that received pause frames stopped "
		"this port, pausing peer (pause % of) that this port stopped its peer: "
		"a slow host is seen in the latter. What cannot be read is \"-\" in "
		"text, null in JSON and empty in CSV, never 0. Throughput has resends "
		"in it.\n\n"
		"Where standard output is no terminal, or with --batch, --json or "
		"--csv, "
		"each interval is written as it ends: text, a line for each port; "
		"JSON, "
		"an object of kind \"watch\" on a line of its own; CSV, a row for each "
		"port. Rates need two samples, so that the first one is not shown; -n "
		"N "
		"gives N intervals. With --all JSON has each counter. An "
		"interval whose sample failed says why and has no ports (CSV: no "
		"rows; standard error says why). Ctrl-C ends it "
		"well, and so does the end of whoever reads.\n\n"
		"The exit code is 1 when a finding at or above --fail-on held in any "
		"interval that was shown, 3 when nothing could be read, or when not "
		"all of a recording could be written. Screens end with 0, or with 3 "
		"for the same reasons.\n\n"
		"A recording (-w) is lines of JSON that can be cut anywhere and joined "
		"(docs/recording.md). Played back, it gives the same output.",
	.examples = "rocetune top -b -n 5 -d 1\n    five lines a port, a second apart\n"
		    "rocetune top --json -d 100ms | jq '.ports[] | {name, verdict}'\n"
		    "    ten verdicts a second\n"
		    "rocetune top -n 3600 -w hour.rtw >hour.txt\n    record an hour\n"
		    "rocetune top -r hour.rtw --seek 600s --csv\n"
		    "    the same from the tenth minute on, as a table\n"
		    "rocetune top --demo -b -n 1 --speed 0\n    what there is to see\n",
	RT_OPTIONS(top_option_rows, top_options),
	.run = run_top,
};
