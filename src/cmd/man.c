/* SPDX-License-Identifier: BSD-2-Clause */
/* man.c - man pages from the command rows. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/help.h"

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

/* Right after a heading the first paragraph needs no mark of its own. */
static void man_paragraphs(FILE *to, const char *text, bool after_heading)
{
	while (text && *text) {
		const char *end = strstr(text, "\n\n");
		char part[2048];
		size_t bytes = end ? (size_t)(end - text) : strlen(text);

		if (bytes >= sizeof(part))
			bytes = sizeof(part) - 1;
		memcpy(part, text, bytes);
		part[bytes] = '\0';
		fputs(after_heading ? "" : ".PP\n", to);
		after_heading = false;
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
	rt_help_usage(to, parent, sub);
	man_paragraphs(to, sub->summary, false);
	man_paragraphs(to, sub->describe, false);
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
	      "at or above \\fB\\-\\-fail\\-on\\fR.\n.TP\n2\nWrong "
	      "usage.\n.TP\n3\nCould "
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
	rt_help_usage(to, NULL, command);
	fputs(".SH DESCRIPTION\n", to);
	man_paragraphs(to, command->describe ? command->describe : command->summary,
		       true);
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
	roff(to, rt_help_tag_line);
	fputs("\n.SH SYNOPSIS\n.B rocetune\n.I COMMAND\n[\\fIOPTION\\fR...]\n"
	      ".SH DESCRIPTION\nDescribes, simulates and measures congestion control "
	      "of RoCEv2 networks.\nEach command has a page of its own.\n.SH "
	      "COMMANDS\n",
	      to);
	rt_command_for_each(row)
	{
		fputs(".TP\n.BR rocetune\\-", to);
		roff(to, row->name);
		fputs(" (1)\n", to);
		roff(to, row->summary);
		fputc('\n', to);
	}
	man_exit(to);
	fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colour, whatever the terminal.\n"
	      ".TP\n.B ROCETUNE_PROFILES\nFolders to look for profiles in before the "
	      "installed ones, with : between.\n",
	      to);
}

bool rt_man_page(FILE *to, const char *name)
{
	if (strcmp(name, "rocetune") == 0) {
		man_overview(to);
		return true;
	}
	rt_command_for_each(row) if (strcmp(row->name, name) == 0)
	{
		man_command(to, row);
		return true;
	}
	return false;
}
