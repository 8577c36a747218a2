/* SPDX-License-Identifier: BSD-2-Clause */
/* completion.c - shell completion from the command rows. */
#include "cmd/cmd.h"
#include "cmd/help.h"

static void complete_words(FILE *to, const struct rt_command *command)
{
	for (size_t i = 0; i < command->option_count; i++)
		fprintf(to, " --%s", command->options[i].name);
	for (size_t i = 0; i < rt_common_option_count; i++)
		fprintf(to, " --%s", rt_common_options[i].name);
}

void rt_completion_bash(FILE *to)
{
	fputs("# bash completion for rocetune; made from the command table\n"
	      "_rocetune() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n"
	      "\tcase \"$COMP_CWORD ${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n"
	      "\t1\\ *) words=\"",
	      to);
	rt_command_for_each(row) fprintf(to, "%s ", row->name);
	fputs("--help --version\" ;;\n", to);
	rt_command_for_each(row)
	{
		for (const struct rt_command *sub = row->subs; sub && sub->name;
		     sub++) {
			fprintf(to, "\t[3-9]\\ %s\\ %s | ??\\ %s\\ %s) words=\"",
				row->name, sub->name, row->name, sub->name);
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
