/* SPDX-License-Identifier: BSD-2-Clause */
/* table.c - all commands, in the order in which help shows them. */
#include <stddef.h>

#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/rows.h"

/* The host: see it, change it; what should be; traffic. */
const struct rt_command *const rt_commands[] = {
	&rt_cmd_list,     &rt_cmd_show_port,
	&rt_cmd_check,    &rt_cmd_snapshot,
	&rt_cmd_diff,     &rt_cmd_apply,
	&rt_cmd_confirm,  &rt_cmd_rollback,
	&rt_cmd_recover,  &rt_cmd_history,
	&rt_cmd_persist,  &rt_cmd_profile,
	&rt_cmd_headroom, &rt_cmd_tos,
	&rt_cmd_sim,      &rt_cmd_stress,
	&rt_cmd_incast,   &rt_cmd_agent,
	&rt_cmd_lab,      &rt_cmd_probe,
	&rt_cmd_capture,  &rt_cmd_analyze,
	&rt_cmd_top,      &rt_cmd_exporter,
	&rt_cmd_help,     NULL,
};
