/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "report/report.h"
#include "rocetune/err.h"
#include "rocetune/field.h"
#include "run/outcome.h"

const char *const rt_help_tag_line =
	"RoCE congestion-control toolkit: PFC, ECN and DCQCN for RoCEv2 networks";

#define COLUMNS       80u /* of what is no terminal, or does not say */
#define COLUMNS_LEAST 40u

/* --- lines no longer than the terminal is wide --------------------------------------- */

/* Where the text stands in its line, and how far lines are indented that go on with it. */
struct page {
	FILE *to;
	unsigned columns, at, indent;
};

static struct page page_on(FILE *to)
{
	struct winsize size = { 0 };
	const int fd = fileno(to);

	if (fd < 0 || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col < COLUMNS_LEAST)
		size.ws_col = COLUMNS;
	return (struct page){ .to = to, .columns = size.ws_col };
}

static void new_line(struct page *page)
{
	fprintf(page->to, "\n%*s", (int)page->indent, "");
	page->at = page->indent;
}

/* Text whose line breaks stay, and whose longer lines are broken at blanks. */
static void put_text(struct page *page, const char *text)
{
	bool first = true;

	while (*text) {
		const unsigned length = (unsigned)strcspn(text, " \n");

		if (!first && length && page->at + 1 + length > page->columns) {
			new_line(page);
			first = true;
		}
		if (length) {
			fprintf(page->to, "%s%.*s", first ? "" : " ", (int)length,
				text);
			page->at += length + !first;
			first = false;
		}
		text += length;
		if (*text == '\n') {
			if (text[1] == '\n')
				fputc('\n', page->to);
			text += strspn(text, "\n");
			new_line(page);
			first = true;
		}
		text += strspn(text, " ");
	}
	fputc('\n', page->to);
	page->at = 0;
}

/* "  word      text", the text in a column of its own. */
static void put_row(struct page *page, unsigned width, const char *word,
		    const char *text)
{
	page->at = (unsigned)fprintf(page->to, "  %-*s ", (int)width, word);
	page->indent = width + 3;
	if (strlen(word) > width)
		new_line(page);
	put_text(page, text);
	page->indent = 0;
}

/* --- pages ------------------------------------------------------------------------------ */

void rt_help_overview(FILE *to)
{
	struct page page = page_on(to);

	page.at = (unsigned)fprintf(to, "rocetune - ");
	put_text(&page, rt_help_tag_line);
	fputs("\nUsage: rocetune COMMAND [OPTION...]\n\nCommands:\n", to);
	rt_command_for_each(row) put_row(&page, 10, row->name, row->summary);
	fputs("\nrocetune COMMAND --help tells more; rocetune --version.\n"
	      "Exit codes: 0 done, 1 done with findings, 2 usage, 3 could not be "
	      "done.\n",
	      to);
}

static void option_word(const struct rt_option *row, char *buf, size_t bytes)
{
	char letter[8] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(buf, bytes, "%s--%s%s%s", letter, row->name, row->arg ? " " : "",
		 row->arg ? row->arg : "");
}

static void put_options(struct page *page, const struct rt_option *rows, size_t count)
{
	char word[80];

	for (size_t i = 0; i < count; i++) {
		option_word(&rows[i], word, sizeof(word));
		put_row(page, 28, word, rows[i].help);
	}
}

void rt_help_usage(FILE *to, const struct rt_command *parent,
		   const struct rt_command *command)
{
	fputs("rocetune ", to);
	if (parent)
		fprintf(to, "%s ", parent->name);
	fprintf(to, "%s", command->name);
	fputs(command->subs ? " SUB-COMMAND" : "", to);
	fputs(" [OPTION...]", to);
	if (command->operands && *command->operands)
		fprintf(to, " %s", command->operands);
	fputc('\n', to);
}

void rt_help_command(FILE *to, const struct rt_command *parent,
		     const struct rt_command *command)
{
	struct page page = page_on(to);

	put_text(&page, command->summary);
	fputs("\nUsage: ", to);
	rt_help_usage(to, parent, command);
	if (command->subs) {
		fputs("\nSub-commands:\n", to);
		for (const struct rt_command *sub = command->subs; sub->name; sub++)
			put_row(&page, 10, sub->name, sub->summary);
		fputs("\nEach takes --help.\n", to);
		return;
	}
	if (command->describe) {
		fputc('\n', to);
		put_text(&page, command->describe);
	}
	if (command->option_count) {
		fputs("\nOptions:\n", to);
		put_options(&page, command->options, command->option_count);
	}
	fputs("\nCommon options:\n", to);
	put_options(&page, rt_common_options, rt_common_option_count);
	if (command->examples)
		fprintf(to, "\nExamples:\n%s", command->examples);
}

/* --- the command --------------------------------------------------------------- */

struct help_options {
	bool list_man, findings, nics, counters, metrics, list_schemas;
	const char *man, *write_man, *completion, *schema;
};

static const struct rt_option help_rows[] = {
	{ .name = "man",
	  .arg = "PAGE",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, man),
	  .help = "print a man page: rocetune, or the name of a command" },
	{ .name = "write-man",
	  .arg = "FOLDER",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, write_man),
	  .help = "write all man pages into a folder" },
	{ .name = "list-man",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, list_man),
	  .help = "list the names of all man pages" },
	{ .name = "completion",
	  .arg = "SHELL",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, completion),
	  .help = "print the completion script for a shell (bash)" },
	{ .name = "schema",
	  .arg = "KIND",
	  .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, schema),
	  .help = "print the JSON Schema of a kind of result" },
	{ .name = "list-schemas",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, list_schemas),
	  .help = "list the kinds of results" },
	{ .name = "findings",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, findings),
	  .help = "print every rule with its explanation, as Markdown" },
	{ .name = "nics",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, nics),
	  .help = "print what is read and set on which NIC, as Markdown" },
	{ .name = "counters",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, counters),
	  .help = "print every counter and where each NIC has it, as Markdown" },
	{ .name = "metrics",
	  .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, metrics),
	  .help = "print every metric of the exporter, as Markdown" },
};

static bool write_page(struct rt_cmd *cmd, const char *folder, const char *name,
		       const char *file)
{
	struct rt_err err = { 0 };
	char path[512];
	FILE *to;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s.1", folder, file);
	errno = 0;
	to = fopen(path, "we");
	ok = to && rt_man_page(to, name);
	if (to && fclose(to) == 0 && ok)
		return true;
	rt_err_sys(&err, errno ? -errno : -EIO, "%s cannot be written", path);
	rt_cmd_say(cmd, &err);
	return false;
}

static int write_all(struct rt_cmd *cmd, const char *folder)
{
	char file[64];
	bool ok = write_page(cmd, folder, "rocetune", "rocetune");

	rt_command_for_each(row)
	{
		if (!ok)
			break;
		snprintf(file, sizeof(file), "rocetune-%s", row->name);
		ok = write_page(cmd, folder, row->name, file);
	}
	return ok ? RT_EXIT_OK : RT_EXIT_FAILED;
}

static int print_schema(struct rt_cmd *cmd, const char *kind)
{
	struct rt_err err = { 0 };
	struct rt_json *schema;
	int r;

	for (const struct rt_table *const *at = rt_outcome_kinds; *at; at++) {
		if (strcmp((*at)->name, kind) != 0)
			continue;
		schema = rt_report_schema(*at);
		r = rt_json_write(schema, cmd->out, &err);
		rt_json_free(schema);
		return r < 0 ? rt_cmd_fail(cmd, &err) : RT_EXIT_OK;
	}
	return rt_cmd_usage(cmd, "no kind '%s': see --list-schemas", kind);
}

static int list_schemas(struct rt_cmd *cmd)
{
	for (const struct rt_table *const *at = rt_outcome_kinds; *at; at++)
		fprintf(cmd->out, "%s\n", (*at)->name);
	return RT_EXIT_OK;
}

static int list_man(struct rt_cmd *cmd)
{
	fputs("rocetune.1\n", cmd->out);
	rt_command_for_each(row) fprintf(cmd->out, "rocetune-%s.1\n", row->name);
	return RT_EXIT_OK;
}

static int describe(struct rt_cmd *cmd, const char *name)
{
	rt_command_for_each(row) if (strcmp(row->name, name) == 0)
	{
		rt_help_command(cmd->out, NULL, row);
		return RT_EXIT_OK;
	}
	return rt_cmd_usage(cmd, "no command '%s'", name);
}

static int print_nics(struct rt_cmd *cmd)
{
	struct rt_err err = { 0 };

	return rt_help_nics(cmd->out, &err) < 0 ? rt_cmd_fail(cmd, &err) : RT_EXIT_OK;
}

static int print_counters(struct rt_cmd *cmd)
{
	struct rt_err err = { 0 };

	return rt_help_counters(cmd->out, &err) < 0 ? rt_cmd_fail(cmd, &err)
						    : RT_EXIT_OK;
}

static int run_help(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct help_options *given = options;

	if (given->man)
		return rt_man_page(cmd->out, given->man)
			       ? RT_EXIT_OK
			       : rt_cmd_usage(cmd, "no man page for '%s'", given->man);
	if (given->write_man)
		return write_all(cmd, given->write_man);
	if (given->completion) {
		if (strcmp(given->completion, "bash") != 0)
			return rt_cmd_usage(cmd,
					    "no completion for '%s', only for bash",
					    given->completion);
		rt_completion_bash(cmd->out);
		return RT_EXIT_OK;
	}
	if (given->schema)
		return print_schema(cmd, given->schema);
	if (given->list_schemas)
		return list_schemas(cmd);
	if (given->list_man)
		return list_man(cmd);
	if (given->nics)
		return print_nics(cmd);
	if (given->counters)
		return print_counters(cmd);
	if (given->findings)
		rt_help_findings(cmd->out);
	else if (given->metrics)
		rt_help_metrics(cmd->out);
	else if (argc)
		return describe(cmd, argv[0]);
	else
		rt_help_overview(cmd->out);
	return RT_EXIT_OK;
}

const struct rt_command rt_cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "help, man pages and shell completion",
	.describe =
		"Prints what is known of a command. Man pages and completion are made "
		"from the same table as the parser, so they cannot drift apart.",
	RT_OPTIONS(help_rows, help_options),
	.max_operands = 1,
	.run = run_help,
};
