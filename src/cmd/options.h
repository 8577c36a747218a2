/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - option rows: parsing a command line against them. */
#ifndef RT_CMD_OPTIONS_H
#define RT_CMD_OPTIONS_H

#include "cmd/cmd.h"

struct rt_err;

/*
 * Parse argv[1..] by the command's rows and the common ones.  Options may stand
 * anywhere before "--"; operands are moved to the front of argv, their number
 * is *ret_operands.  Names must be written in full.
 * -EINVAL: unknown option, missing or wrong value; the text suggests.
 */
int rt_options_parse(const struct rt_command *command, void *options,
		     struct rt_common *common, int argc, char **argv, int *ret_operands,
		     struct rt_err *err);

#endif
