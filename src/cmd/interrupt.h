/* SPDX-License-Identifier: BSD-2-Clause */
/* interrupt.h - commands that end early, but well, when somebody has had enough. */
#ifndef RT_CMD_INTERRUPT_H
#define RT_CMD_INTERRUPT_H

#include <signal.h>

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP only sets what is returned; the
 * second does what it always did.
 */
const volatile sig_atomic_t *rt_cmd_catch_interrupt(void);

#endif
