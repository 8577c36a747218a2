/* SPDX-License-Identifier: BSD-2-Clause */
/* stop.h - Ctrl-C of commands that go on until it, and then say what came. */
#ifndef RT_CMD_STOP_H
#define RT_CMD_STOP_H

/*
 * A file that is readable when the user interrupts or ends the program; the caller
 * closes it.  -1: there is none, and signals do what they always do.
 */
int rt_cmd_open_stop(void);

#endif
