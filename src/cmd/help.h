/* SPDX-License-Identifier: BSD-2-Clause */
/* help.h - help, man pages and completion, all made from the command rows. */
#ifndef RT_CMD_HELP_H
#define RT_CMD_HELP_H

#include <stdio.h>

struct rt_command;

/* What `rocetune --help` prints. */
void rt_help_overview(FILE *to);

/* What `rocetune COMMAND --help` prints; parent is NULL at the top. */
void rt_help_command(FILE *to, const struct rt_command *parent,
		     const struct rt_command *command);

extern const struct rt_command rt_cmd_help;

#endif
