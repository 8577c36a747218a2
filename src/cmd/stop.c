/* SPDX-License-Identifier: BSD-2-Clause */
/* stop.c - signals as a file. */
#include "cmd/stop.h"

#include <signal.h>
#include <sys/signalfd.h>

int rt_cmd_open_stop(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd >= 0)
		sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}
