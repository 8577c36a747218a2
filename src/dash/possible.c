/* SPDX-License-Identifier: BSD-2-Clause */
/* possible.c - whether a terminal can draw screens, by terminfo. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>
/* It makes common words macros, and so stands last and alone. */
#include <term.h>

#include "dash/dash.h"

bool rt_dash_possible(void)
{
	const char *name = getenv("TERM");
	int found = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !name || !*name ||
	    strcmp(name, "dumb") == 0)
		return false;
	if (setupterm(name, STDOUT_FILENO, &found) != OK)
		return false;
	found = tigetstr("cup") != NULL && tigetstr("clear") != NULL;
	del_curterm(cur_term);
	return found;
}
