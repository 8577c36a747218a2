/* SPDX-License-Identifier: BSD-2-Clause */
/* help.h - help, man pages and completion, all made from the command rows. */
#ifndef RT_CMD_HELP_H
#define RT_CMD_HELP_H

#include <stdbool.h>
#include <stdio.h>

struct rt_command;
struct rt_err;

/* What `rocetune --help` prints. */
void rt_help_overview(FILE *to);

/* What `rocetune COMMAND --help` prints; parent is NULL at the top. */
void rt_help_command(FILE *to, const struct rt_command *parent,
		     const struct rt_command *command);

/* "rocetune profile check [OPTION...] PROFILE..." and a line end. */
void rt_help_usage(FILE *to, const struct rt_command *parent,
		   const struct rt_command *command);

extern const char *const rt_help_tag_line;

/* The page of a command, or of the whole for "rocetune"; false: no such page. */
bool rt_man_page(FILE *to, const char *name);

void rt_completion_bash(FILE *to);

/* docs/findings.md, from the tables of rules. */
void rt_help_findings(FILE *to);

/* docs/nics.md, from the tables of drivers.  -ENOMEM. */
int rt_help_nics(FILE *to, struct rt_err *err);

/* docs/counters.md, from the counter catalogue and the tables of drivers.  -ENOMEM. */
int rt_help_counters(FILE *to, struct rt_err *err);

/* Every metric of the exporter, as Markdown: docs/metrics.md. */
void rt_help_metrics(FILE *to);

extern const struct rt_command rt_cmd_help;

#endif
