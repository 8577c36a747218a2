/* SPDX-License-Identifier: BSD-2-Clause */
/* rows.h - the rows of the commands, one file each. */
#ifndef RT_CMD_ROWS_H
#define RT_CMD_ROWS_H

struct rt_command;

extern const struct rt_command rt_cmd_agent;
extern const struct rt_command rt_cmd_analyze;
extern const struct rt_command rt_cmd_apply;
extern const struct rt_command rt_cmd_capture;
extern const struct rt_command rt_cmd_check;
extern const struct rt_command rt_cmd_confirm;
extern const struct rt_command rt_cmd_diff;
extern const struct rt_command rt_cmd_exporter;
extern const struct rt_command rt_cmd_headroom;
extern const struct rt_command rt_cmd_history;
extern const struct rt_command rt_cmd_incast;
extern const struct rt_command rt_cmd_lab;
extern const struct rt_command rt_cmd_list;
extern const struct rt_command rt_cmd_persist;
extern const struct rt_command rt_cmd_probe;
extern const struct rt_command rt_cmd_profile;
extern const struct rt_command rt_cmd_recover;
extern const struct rt_command rt_cmd_rollback;
extern const struct rt_command rt_cmd_show_port;
extern const struct rt_command rt_cmd_sim;
extern const struct rt_command rt_cmd_snapshot;
extern const struct rt_command rt_cmd_stress;
extern const struct rt_command rt_cmd_top;
extern const struct rt_command rt_cmd_tos;

#endif
