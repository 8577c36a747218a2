/* SPDX-License-Identifier: BSD-2-Clause */
/* main.c - finds the command, parses its options, runs it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/options.h"
#include "model/finding.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "run/outcome.h"
#include "run/recover.h"

static void say_name(const struct rt_cmd *cmd)
{
	fputs("rocetune", cmd->err);
	if (cmd->parent)
		fprintf(cmd->err, " %s", cmd->parent->name);
	if (cmd->command)
		fprintf(cmd->err, " %s", cmd->command->name);
}

struct rt_json *rt_cmd_error_json(const char *file, const struct rt_err *err)
{
	struct rt_json *object = rt_json_object();

	rt_json_set(object, "rocetune", rt_json_u64(1));
	rt_json_set(object, "kind", rt_json_text("error"));
	rt_json_set(object, "message", rt_json_text(err->msg));
	rt_json_set(object, "errno", rt_json_i64(-err->code));
	if (file)
		rt_json_set(object, "file", rt_json_text(file));
	return object;
}

int rt_cmd_say(struct rt_cmd *cmd, const struct rt_err *err)
{
	say_name(cmd);
	fprintf(cmd->err, ": %s\n", err->msg);
	return RT_EXIT_FAILED;
}

int rt_cmd_fail(struct rt_cmd *cmd, const struct rt_err *err)
{
	return rt_cmd_fail_file(cmd, NULL, err);
}

int rt_cmd_fail_file(struct rt_cmd *cmd, const char *file, const struct rt_err *err)
{
	if (cmd->common.json) {
		struct rt_json *object = rt_cmd_error_json(file, err);

		rt_json_write(object, cmd->out, NULL);
		rt_json_free(object);
	}
	return rt_cmd_say(cmd, err);
}

#define CMD_LINE_BYTES 2048

void rt_cmd_line(struct rt_cmd *cmd, const char *fmt, ...)
{
	char text[CMD_LINE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fprintf(cmd->out, "%s\n", rt_text_clean(text));
}

int rt_cmd_usage(struct rt_cmd *cmd, const char *fmt, ...)
{
	char text[RT_ERR_MSG_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say_name(cmd);
	fprintf(cmd->err, ": %s", rt_text_clean(text));
	fputs("\nTry: rocetune", cmd->err);
	if (cmd->parent)
		fprintf(cmd->err, " %s", cmd->parent->name);
	if (cmd->command)
		fprintf(cmd->err, " %s", cmd->command->name);
	fputs(" --help\n", cmd->err);
	return RT_EXIT_USAGE;
}

/* Who asks for all gets long lines, and no row in several. */
static struct rt_report_style style_of(const struct rt_cmd *cmd)
{
	return (struct rt_report_style){ .detail = cmd->common.all,
					 .colour = cmd->colour,
					 .rows = cmd->common.all ? 0 : 16,
					 .columns = cmd->common.all
							    ? 0
							    : RT_REPORT_COLUMNS };
}

int rt_cmd_show(struct rt_cmd *cmd, const struct rt_table *table, const void *object)
{
	const struct rt_report_style style = style_of(cmd);
	struct rt_err err = { 0 };

	if (!cmd->common.json) {
		rt_report_text(cmd->out, table, object, &style);
		return RT_EXIT_OK;
	}
	if (rt_report_json_write(cmd->out, table, object, 0, &err) < 0)
		return rt_cmd_say(cmd, &err);
	fputc('\n', cmd->out);
	return RT_EXIT_OK;
}

#define FINDING_COLUMN 11u /* of what is said, behind the label */

static void show_finding(struct rt_cmd *cmd, const struct rt_finding *finding)
{
	if (*finding->where)
		rt_report_paragraph(cmd->out, "at", FINDING_COLUMN, finding->where);
	if (*finding->evidence)
		rt_report_paragraph(cmd->out, *finding->where ? "" : "evidence",
				    FINDING_COLUMN, finding->evidence);
}

#define FINDINGS_SHOWN 3u /* of one rule, unless --all */

/* One rule and the places where it holds; returns how many findings these are. */
static size_t show_rule(struct rt_cmd *cmd, const struct rt_finding *first, size_t left)
{
	const unsigned most = cmd->common.all ? UINT_MAX : FINDINGS_SHOWN;
	size_t count = 1, more = 0;

	while (count < left && strcmp(first[count].id, first->id) == 0 &&
	       first[count].severity == first->severity)
		count++;
	fprintf(cmd->out, "\n%s: %s [%s]\n",
		rt_name_of(rt_severity_names, first->severity), first->title,
		first->id);
	for (size_t i = 0; i < count && i < most; i++)
		show_finding(cmd, &first[i]);
	for (size_t i = most; i < count; i++)
		more += first[i].folded ? first[i].folded : 1;
	if (more)
		fprintf(cmd->out, "  ...      and %zu more (--all shows them)\n", more);
	if (cmd->common.all)
		rt_report_paragraph(cmd->out, "why", FINDING_COLUMN, first->explain);
	rt_report_paragraph(cmd->out, "remedy", FINDING_COLUMN, first->remedy);
	return count;
}

void rt_cmd_show_findings(struct rt_cmd *cmd, const struct rt_findings *findings)
{
	for (size_t i = 0; i < findings->count;)
		i += show_rule(cmd, &findings->items[i], findings->count - i);
}

static void show_not_judged(struct rt_cmd *cmd, const struct rt_findings *findings)
{
	char text[sizeof(findings->items->where) + sizeof(findings->items->evidence) +
		  4];
	bool any = false;

	for (size_t i = 0; i < findings->count; i++) {
		const struct rt_finding *finding = &findings->items[i];

		if (finding->severity != RT_SEVERITY_UNKNOWN)
			continue;
		if (!any)
			fprintf(cmd->out, "\nNot judged, for lack of a number:\n");
		any = true;
		snprintf(text, sizeof(text), "%s%s%s", finding->where,
			 *finding->where ? ": " : "", finding->evidence);
		rt_report_paragraph(cmd->out, "-", 4, text);
	}
}

/* Of findings worst first those of these severities, which stand together. */
static void show_between(struct rt_cmd *cmd, const struct rt_findings *findings,
			 enum rt_severity worst, enum rt_severity best)
{
	struct rt_findings part = { 0 };

	for (size_t i = 0; i < findings->count; i++) {
		const unsigned severity = findings->items[i].severity;

		if (severity > worst || severity < best)
			continue;
		if (!part.count)
			part.items = &findings->items[i];
		part.count++;
	}
	rt_cmd_show_findings(cmd, &part);
}

void rt_cmd_show_judged(struct rt_cmd *cmd, const struct rt_findings *findings)
{
	show_between(cmd, findings, RT_SEVERITY_ERROR, RT_SEVERITY_WARN);
	show_between(cmd, findings, RT_SEVERITY_INFO, RT_SEVERITY_INFO);
	show_not_judged(cmd, findings);
}

void rt_cmd_note_pending(struct rt_cmd *cmd)
{
	char text[RT_PENDING_BYTES];

	if (!rt_recovery_pending(text))
		return;
	say_name(cmd);
	fprintf(cmd->err, ": note: %s\n", rt_text_clean(text));
}

int rt_cmd_verdict(const struct rt_cmd *cmd, const struct rt_findings *findings)
{
	return findings->count > 0 && rt_findings_worst(findings) >= cmd->common.fail_on
		       ? RT_EXIT_FINDINGS
		       : RT_EXIT_OK;
}

int rt_cmd_show_outcome(struct rt_cmd *cmd, const struct rt_outcome *outcome)
{
	int code = rt_cmd_show(cmd, outcome->table, outcome->object);

	if (code != RT_EXIT_OK || !outcome->findings)
		return code;
	if (!cmd->common.json)
		rt_cmd_show_findings(cmd, outcome->findings);
	return rt_cmd_verdict(cmd, outcome->findings);
}

static const struct rt_command *find_command(const char *name)
{
	rt_command_for_each(row) if (strcmp(row->name, name) == 0) return row;
	return NULL;
}

static const struct rt_command *find_sub(const struct rt_command *rows,
					 const char *name)
{
	for (; rows->name; rows++)
		if (strcmp(rows->name, name) == 0)
			return rows;
	return NULL;
}

/* subs NULL: at the top. */
static int unknown_command(struct rt_cmd *cmd, const struct rt_command *subs,
			   const char *word)
{
	const char *names[64], *near;
	size_t count = 0;

	for (const struct rt_command *row = subs; row && row->name && count < 64; row++)
		names[count++] = row->name;
	rt_command_for_each(row) if (!subs && count < 64) names[count++] = row->name;
	near = rt_text_nearest(word, names, count);
	if (near)
		return rt_cmd_usage(cmd, "unknown command '%s': did you mean %s?", word,
				    near);
	return rt_cmd_usage(cmd, "unknown command '%s'", word);
}

static int check_operands(struct rt_cmd *cmd, int operands)
{
	const struct rt_command *command = cmd->command;

	if (operands < command->min_operands)
		return rt_cmd_usage(cmd, "wants %s", command->operands);
	if (command->max_operands >= 0 && operands > command->max_operands)
		return rt_cmd_usage(cmd,
				    *command->operands ? "takes only %s"
						       : "takes no operands%s",
				    command->operands);
	return RT_EXIT_OK;
}

/* Output that did not reach its place must not look like success. */
static int flush_out(struct rt_cmd *cmd, int code)
{
	if (fflush(cmd->out) != 0 || ferror(cmd->out)) {
		fprintf(cmd->err, "rocetune: cannot write the output: %s\n",
			strerror(errno));
		return RT_EXIT_FAILED;
	}
	return code;
}

static int run_command(struct rt_cmd *cmd, int argc, char **argv)
{
	RT_AUTO(rt_auto_free) void *options = NULL;
	struct rt_err err = { 0 };
	int operands, code;

	options = calloc(1, cmd->command->options_bytes + 1);
	if (!options)
		return RT_EXIT_FAILED;
	cmd->common = (struct rt_common){ .fail_on = RT_SEVERITY_ERROR };
	if (rt_options_parse(cmd->command, options, &cmd->common, argc, argv, &operands,
			     &err) < 0)
		return rt_cmd_usage(cmd, "%s", err.msg);
	if (cmd->common.help) {
		rt_help_command(cmd->out, cmd->parent, cmd->command);
		return flush_out(cmd, RT_EXIT_OK);
	}
	code = check_operands(cmd, operands);
	if (code == RT_EXIT_OK)
		code = cmd->command->run(cmd, options, operands, argv);
	return flush_out(cmd, code);
}

static int dispatch(struct rt_cmd *cmd, int argc, char **argv)
{
	const struct rt_command *found = find_command(argv[1]);

	if (!found)
		return unknown_command(cmd, NULL, argv[1]);
	cmd->command = found;
	if (!found->subs)
		return run_command(cmd, argc - 1, argv + 1);
	if (argc < 3)
		return rt_cmd_usage(cmd, "wants a sub-command");
	if (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
		rt_help_command(cmd->out, NULL, found);
		return flush_out(cmd, RT_EXIT_OK);
	}
	cmd->command = find_sub(found->subs, argv[2]);
	if (!cmd->command) {
		cmd->command = found;
		return unknown_command(cmd, found->subs, argv[2]);
	}
	cmd->parent = found;
	return run_command(cmd, argc - 2, argv + 2);
}

/*
 * A standard stream that the caller closed would come back as the next file that
 * is opened, and a report would land in a capture.  Each is filled with a
 * descriptor that cannot be used in its direction, so that using it still fails.
 */
static bool hold_standard_streams(void)
{
	static const int ways[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", ways[fd]) != fd)
			return false;
	return true;
}

/* no-color.org: set, and not empty, whatever it is set to. */
static bool wants_no_colour(void)
{
	const char *value = getenv("NO_COLOR");

	return value && *value;
}

int rt_main(int argc, char **argv)
{
	struct rt_cmd cmd = {
		.out = stdout,
		.err = stderr,
		.no_colour = wants_no_colour(),
		.progress = isatty(STDERR_FILENO),
	};

	cmd.colour = isatty(STDOUT_FILENO) && !cmd.no_colour;
	/* A file that is as large as it may be is told by writing to it. */
	signal(SIGXFSZ, SIG_IGN);
	if (!hold_standard_streams())
		return RT_EXIT_FAILED;
	if (argc < 2) {
		rt_help_overview(stderr);
		return RT_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		rt_help_overview(stdout);
		return flush_out(&cmd, RT_EXIT_OK);
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("rocetune %s\n", RT_VERSION);
		return flush_out(&cmd, RT_EXIT_OK);
	}
	return dispatch(&cmd, argc, argv);
}
