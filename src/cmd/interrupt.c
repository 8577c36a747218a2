/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/interrupt.h"

#include <stddef.h>

/* A handler has no other way to speak. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

const volatile sig_atomic_t *rt_cmd_catch_interrupt(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	return &interrupted;
}
