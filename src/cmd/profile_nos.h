/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_nos.h - profiles from and to switch configurations, for cmd_profile.c. */
#ifndef RT_CMD_PROFILE_NOS_H
#define RT_CMD_PROFILE_NOS_H

#include "cmd/cmd.h"

struct rt_cmd_import {
	const char *nos, *port, *headroom_table;
	unsigned role;
	struct rt_opt_u64 cell;
};

extern const struct rt_option rt_cmd_import_options[5];
int rt_cmd_import_run(struct rt_cmd *cmd, const void *options, int argc, char **argv);

struct rt_cmd_export {
	const char *nos, *port, *against;
	unsigned role;
};

extern const struct rt_option rt_cmd_export_options[4];
int rt_cmd_export_run(struct rt_cmd *cmd, const void *options, int argc, char **argv);

#endif
