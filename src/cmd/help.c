/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/help.h"

#include <string.h>

#include "cmd/cmd.h"

static const char *const tag_line =
	"RoCE congestion-control toolkit: PFC, ECN and DCQCN for RoCEv2 networks";

void rt_help_overview(FILE *to)
{
	fprintf(to, "rocetune - %s\n\nUsage: rocetune COMMAND [OPTION...]\n\nCommands:\n",
		tag_line);
	rt_command_for_each(row)
		fprintf(to, "  %-10s %s\n", row->name, row->summary);
	fputs("\nrocetune COMMAND --help tells more; rocetune --version.\n"
	      "Exit codes: 0 done, 1 done with findings, 2 usage, 3 could not be done.\n",
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

static void put_options(FILE *to, const struct rt_option *rows, size_t count)
{
	char word[80];

	for (size_t i = 0; i < count; i++) {
		option_word(&rows[i], word, sizeof(word));
		fprintf(to, "  %-28s %s\n", word, rows[i].help);
	}
}

static void put_usage(FILE *to, const struct rt_command *parent,
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
	fprintf(to, "%s\n\nUsage: ", command->summary);
	put_usage(to, parent, command);
	if (command->subs) {
		fputs("\nSub-commands:\n", to);
		for (const struct rt_command *sub = command->subs; sub->name; sub++)
			fprintf(to, "  %-10s %s\n", sub->name, sub->summary);
		fputs("\nEach takes --help.\n", to);
		return;
	}
	if (command->describe)
		fprintf(to, "\n%s\n", command->describe);
	if (command->option_count) {
		fputs("\nOptions:\n", to);
		put_options(to, command->options, command->option_count);
	}
	fputs("\nCommon options:\n", to);
	put_options(to, rt_common_options, rt_common_option_count);
	if (command->examples)
		fprintf(to, "\nExamples:\n%s", command->examples);
}

/* --- man pages ------------------------------------------------------------- */

/* Text as roff: backslashes, leading dots and hyphens must be protected. */
static void roff(FILE *to, const char *text)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", to);
		if (*text == '\\')
			fputs("\\e", to);
		else if (*text == '-')
			fputs("\\-", to);
		else
			fputc(*text, to);
		line_start = *text == '\n';
	}
}

static void man_paragraphs(FILE *to, const char *text)
{
	while (text && *text) {
		const char *end = strstr(text, "\n\n");
		char part[2048];
		size_t bytes = end ? (size_t)(end - text) : strlen(text);

		if (bytes >= sizeof(part))
			bytes = sizeof(part) - 1;
		memcpy(part, text, bytes);
		part[bytes] = '\0';
		fputs(".PP\n", to);
		roff(to, part);
		fputc('\n', to);
		text = end ? end + 2 : NULL;
	}
}

static void man_options(FILE *to, const struct rt_option *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs(".TP\n\\fB", to);
		if (rows[i].letter)
			fprintf(to, "\\-%c\\fR, \\fB", rows[i].letter);
		fputs("\\-\\-", to);
		roff(to, rows[i].name);
		fputs("\\fR", to);
		if (rows[i].arg)
			fprintf(to, " \\fI%s\\fR", rows[i].arg);
		fputc('\n', to);
		roff(to, rows[i].help);
		fputc('\n', to);
	}
}

static void man_examples(FILE *to, const char *examples)
{
	if (!examples)
		return;
	fputs(".SH EXAMPLES\n.nf\n", to);
	roff(to, examples);
	fputs(".fi\n", to);
}

static void man_sub(FILE *to, const struct rt_command *parent,
		    const struct rt_command *sub)
{
	fputs(".SS ", to);
	roff(to, sub->name);
	fputs("\n.B ", to);
	put_usage(to, parent, sub);
	man_paragraphs(to, sub->summary);
	man_paragraphs(to, sub->describe);
	man_options(to, sub->options, sub->option_count);
	if (sub->examples) {
		fputs(".PP\nExamples:\n.PP\n.nf\n", to);
		roff(to, sub->examples);
		fputs(".fi\n", to);
	}
}

static void man_title(FILE *to, const char *page)
{
	fprintf(to, ".\\\" Made from the command table; do not edit.\n.TH ");
	for (; *page; page++)
		fputc(*page >= 'a' && *page <= 'z' ? *page - 32 : *page, to);
	fputs(" 1 2026-11-30 \"rocetune " RT_VERSION "\" \"User Commands\"\n", to);
}

static void man_exit(FILE *to)
{
	fputs(".SH EXIT STATUS\n.TP\n0\nDone and healthy.\n.TP\n1\nDone, with findings "
	      "at or above \\fB\\-\\-fail\\-on\\fR.\n.TP\n2\nWrong usage.\n.TP\n3\nCould "
	      "not be done.\n",
	      to);
}

static void man_command(FILE *to, const struct rt_command *command)
{
	char page[64];

	snprintf(page, sizeof(page), "rocetune-%s", command->name);
	man_title(to, page);
	fputs(".SH NAME\n", to);
	roff(to, page);
	fputs(" \\- ", to);
	roff(to, command->summary);
	fputs("\n.SH SYNOPSIS\n.B ", to);
	put_usage(to, NULL, command);
	fputs(".SH DESCRIPTION\n", to);
	man_paragraphs(to, command->describe ? command->describe : command->summary);
	if (command->subs)
		fputs(".SH SUB-COMMANDS\n", to);
	for (const struct rt_command *sub = command->subs; sub && sub->name; sub++)
		man_sub(to, command, sub);
	fputs(".SH OPTIONS\n", to);
	man_options(to, command->options, command->option_count);
	man_options(to, rt_common_options, rt_common_option_count);
	man_exit(to);
	man_examples(to, command->examples);
	fputs(".SH SEE ALSO\n.BR rocetune (1)\n", to);
}

static void man_overview(FILE *to)
{
	man_title(to, "rocetune");
	fprintf(to, ".SH NAME\nrocetune \\- ");
	roff(to, tag_line);
	fputs("\n.SH SYNOPSIS\n.B rocetune\n.I COMMAND\n[\\fIOPTION\\fR...]\n"
	      ".SH DESCRIPTION\n.PP\nDescribes, simulates and measures congestion control "
	      "of RoCEv2 networks.\nEach command has a page of its own.\n.SH COMMANDS\n",
	      to);
	rt_command_for_each(row) {
		fputs(".TP\n.BR rocetune\\-", to);
		roff(to, row->name);
		fputs(" (1)\n", to);
		roff(to, row->summary);
		fputc('\n', to);
	}
	man_exit(to);
	fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colour, whatever the terminal.\n"
	      ".TP\n.B ROCETUNE_PROFILES\nFolder to look for profiles in before the "
	      "installed ones.\n",
	      to);
}

/* --- completion -------------------------------------------------------------- */

static void complete_words(FILE *to, const struct rt_command *command)
{
	for (size_t i = 0; i < command->option_count; i++)
		fprintf(to, " --%s", command->options[i].name);
	for (size_t i = 0; i < rt_common_option_count; i++)
		fprintf(to, " --%s", rt_common_options[i].name);
}

static void completion_bash(FILE *to)
{
	fputs("# bash completion for rocetune; made from the command table\n"
	      "_rocetune() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n"
	      "\tcase \"$COMP_CWORD ${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n"
	      "\t1\\ *) words=\"",
	      to);
	rt_command_for_each(row)
		fprintf(to, "%s ", row->name);
	fputs("--help --version\" ;;\n", to);
	rt_command_for_each(row) {
		for (const struct rt_command *sub = row->subs; sub && sub->name; sub++) {
			fprintf(to, "\t[3-9]\\ %s\\ %s | ??\\ %s\\ %s) words=\"", row->name,
				sub->name, row->name, sub->name);
			complete_words(to, sub);
			fputs("\" ;;\n", to);
		}
		fprintf(to, "\t*\\ %s\\ *) words=\"", row->name);
		for (const struct rt_command *sub = row->subs; sub && sub->name; sub++)
			fprintf(to, "%s ", sub->name);
		complete_words(to, row);
		fputs("\" ;;\n", to);
	}
	fputs("\tesac\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\t[[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	      "}\n"
	      "complete -o filenames -F _rocetune rocetune\n",
	      to);
}

/* --- the command --------------------------------------------------------------- */

struct help_options {
	bool list_man;
	const char *man, *write_man, *completion;
};

static const struct rt_option help_rows[] = {
	{ .name = "man", .arg = "PAGE", .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, man),
	  .help = "print a man page: rocetune, or the name of a command" },
	{ .name = "write-man", .arg = "FOLDER", .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, write_man),
	  .help = "write all man pages into a folder" },
	{ .name = "list-man", .type = RT_OPTION_FLAG,
	  .offset = offsetof(struct help_options, list_man),
	  .help = "list the names of all man pages" },
	{ .name = "completion", .arg = "SHELL", .type = RT_OPTION_TEXT,
	  .offset = offsetof(struct help_options, completion),
	  .help = "print the completion script for a shell (bash)" },
};

static bool man_page(FILE *to, const char *name)
{
	if (strcmp(name, "rocetune") == 0) {
		man_overview(to);
		return true;
	}
	rt_command_for_each(row)
		if (strcmp(row->name, name) == 0) {
			man_command(to, row);
			return true;
		}
	return false;
}

static bool write_page(struct rt_cmd *cmd, const char *folder, const char *name,
		       const char *file)
{
	char path[512];
	FILE *to;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s.1", folder, file);
	to = fopen(path, "we");
	if (!to) {
		fprintf(cmd->err, "rocetune help: %s cannot be written\n", path);
		return false;
	}
	ok = man_page(to, name);
	return fclose(to) == 0 && ok;
}

static int write_all(struct rt_cmd *cmd, const char *folder)
{
	char file[64];
	bool ok = write_page(cmd, folder, "rocetune", "rocetune");

	rt_command_for_each(row) {
		if (!ok)
			break;
		snprintf(file, sizeof(file), "rocetune-%s", row->name);
		ok = write_page(cmd, folder, row->name, file);
	}
	return ok ? RT_EXIT_OK : RT_EXIT_FAILED;
}

static int run_help(struct rt_cmd *cmd, const void *options, int argc, char **argv)
{
	const struct help_options *given = options;

	if (given->man)
		return man_page(cmd->out, given->man) ?
			       RT_EXIT_OK :
			       rt_cmd_usage(cmd, "no man page for '%s'", given->man);
	if (given->write_man)
		return write_all(cmd, given->write_man);
	if (given->completion) {
		if (strcmp(given->completion, "bash") != 0)
			return rt_cmd_usage(cmd, "no completion for '%s', only for bash",
					    given->completion);
		completion_bash(cmd->out);
		return RT_EXIT_OK;
	}
	if (given->list_man) {
		fputs("rocetune.1\n", cmd->out);
		rt_command_for_each(row)
			fprintf(cmd->out, "rocetune-%s.1\n", row->name);
		return RT_EXIT_OK;
	}
	rt_command_for_each(row)
		if (argc && strcmp(row->name, argv[0]) == 0) {
			rt_help_command(cmd->out, NULL, row);
			return RT_EXIT_OK;
		}
	if (argc)
		return rt_cmd_usage(cmd, "no command '%s'", argv[0]);
	rt_help_overview(cmd->out);
	return RT_EXIT_OK;
}

const struct rt_command rt_cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "help, man pages and shell completion",
	.describe = "Prints what is known of a command. Man pages and completion are made "
		    "from the same table as the parser, so they cannot drift apart.",
	RT_OPTIONS(help_rows, help_options),
	.max_operands = 1,
	.run = run_help,
};
