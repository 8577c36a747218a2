/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_exporter.c - ports and their congestion, for Prometheus. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "cmd/stop.h"
#include "cmd/watch_options.h"
#include "export/export.h"
#include "rocetune/err.h"

#define USUAL_NS UINT64_C(5000000000)

struct exporter_options {
	struct rt_watch_options what;
	const char *listen, *socket, *token_file, *textfile, *user;
	bool once;
};

#define ROW(member_, name_, arg_, type_, help_)                                      \
	{                                                                            \
		.name = name_, .arg = arg_, .type = RT_OPTION_##type_,               \
		.offset = offsetof(struct exporter_options, member_), .help = help_, \
	}

static const struct rt_option exporter_option_rows[] = {
	ROW(listen, "listen", "ADDRESS:PORT", TEXT,
	    "where to serve: [::1]:14791, :9000, 0.0.0.0 (default 127.0.0.1:14791)"),
	ROW(socket, "socket", "PATH", TEXT,
	    "serve at a unix socket instead, for its owner and group"),
	ROW(token_file, "token-file", "FILE", TEXT,
	    "answer only who shows the bearer token in this file"),
	ROW(textfile, "textfile", "PATH", TEXT,
	    "write a file for node_exporter instead of serving; ends with .prom"),
	ROW(once, "once", NULL, FLAG,
	    "write the file once and end; of a recording or scenario, as it ends"),
	ROW(user, "user", "NAME", TEXT,
	    "become this user once everything is open; of root"),
	RT_WATCH_OPTION_ROWS(exporter_options, what, "5s"),
};

static void say_ready(void *context, const char *where)
{
	struct rt_cmd *cmd = context;

	fprintf(cmd->err, "rocetune: metrics are at %s\n", where);
	fflush(cmd->err);
}

static void say(void *context, const char *text)
{
	struct rt_cmd *cmd = context;
	struct rt_err said = { 0 };

	rt_err_set(&said, -1, "%s", text);
	rt_cmd_say(cmd, &said);
}

static int export_request(struct rt_cmd *cmd, const struct rt_watch_request *request,
			  struct rt_export_options *export)
{
	struct rt_err err = { 0 };
	struct rt_watch *watch;
	int r;

	if (rt_run_watch_is_here(request))
		rt_cmd_note_pending(cmd);
	if (rt_run_watch_open(request, &watch, &err) < 0)
		return rt_cmd_fail(cmd, &err);
	/* A reader that went away is told by writing to it. */
	signal(SIGPIPE, SIG_IGN);
	export->stop_fd = rt_cmd_open_stop();
	r = rt_export_run(watch, export, &err);
	if (export->stop_fd >= 0)
		close(export->stop_fd);
	rt_run_watch_close(watch);
	return r < 0 ? rt_cmd_fail(cmd, &err) : RT_EXIT_OK;
}

static int run_exporter(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct exporter_options *given = options;
	struct rt_export_options export = {
		.listen = given->listen,
		.socket = given->socket,
		.token_file = given->token_file,
		.textfile = given->textfile,
		.once = given->once,
		.last = given->what.replay || given->what.scenario,
		.user = given->user,
		.ready = say_ready,
		.tell = say,
		.context = cmd,
	};
	struct rt_watch_wanted wanted = { 0 };
	struct rt_err err = { 0 };
	int code;

	(void)argc;
	(void)argv;
	if (rt_watch_options_take(&given->what, USUAL_NS, &wanted, &err) < 0 ||
	    rt_run_watch_check(&wanted.request, &err) < 0 ||
	    rt_export_check(&export, &err) < 0)
		code = rt_cmd_usage(cmd, "%s", err.msg);
	else
		code = export_request(cmd, &wanted.request, &export);
	rt_watch_wanted_free(&wanted);
	return code;
}

const struct rt_command rt_cmd_exporter = {
	.name = "exporter",
	.operands = "",
	.summary = "serve counters, states and verdicts of ports to Prometheus",
	.describe =
		"Samples the counters of RoCE ports once each interval and serves "
		"them at /metrics: OpenMetrics where that is asked for, else "
		"Prometheus' older text format. However many scrapes come, the host "
		"is read no more often: a scrape gets the last sample, and Age tells "
		"how old it is. Nothing is changed on the host.\n\n"
		"What cannot be read has no sample; it is never 0. Names, units and "
		"help are those of the counter catalogue: rocetune_NAME_total of a "
		"port, rocetune_prio_NAME_total by priority, in bytes and seconds. A "
		"counter of 32 bits goes on when it passes its end. "
		"rocetune_port_verdict tells what is wrong with a port, "
		"rocetune_port_finding by which rule (docs/findings.md). "
		"docs/exporter.md lists all of it.\n\n"
		"It listens at 127.0.0.1 unless told otherwise, has no TLS, and gives "
		"up all capabilities once it listens; with --user it also becomes "
		"somebody else. Counters need no rights; what cannot be read without "
		"them is told at the start. A request has 20 seconds and 16 KiB, one "
		"address half of the 256 connections.\n\n"
		"With --textfile the metrics are written where node_exporter's "
		"textfile collector finds them, each time as a whole. With --once "
		"there is one sample, and so no verdict, which is of rates; of a "
		"recording or a scenario it is the last one, without waiting. The file "
		"stays when the program ends: rocetune_sample_timestamp_seconds tells "
		"its age.",
	.examples =
		"rocetune exporter\n    at http://127.0.0.1:14791/metrics\n"
		"rocetune exporter --listen :9000 --token-file /etc/rocetune/token\n"
		"    for those who know the token\n"
		"rocetune exporter --socket /run/rocetune.sock --user rocetune\n"
		"    for those of the group, without any rights\n"
		"rocetune exporter --textfile /var/lib/node_exporter/rocetune.prom\n"
		"    no port of its own\n"
		"rocetune exporter --demo -d 1\n    to try dashboards and alert "
		"rules\n",
	RT_OPTIONS(exporter_option_rows, exporter_options),
	.run = run_exporter,
};
