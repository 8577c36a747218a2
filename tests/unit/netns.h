/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netns.h - tests in a network namespace of their own.  Includes after unit.h.
 *
 * set_up makes namespace and links and says in have_veth whether it could.
 */
#ifndef RT_TESTS_NETNS_H
#define RT_TESTS_NETNS_H

#include "../tools/veth.h"

static bool have_veth;

#define NEED_VETH()                                                              \
	do {                                                                     \
		if (!have_veth) {                                                \
			print_message("# skipped: no network namespace here\n"); \
			skip();                                                  \
		}                                                                \
	} while (0)

#endif
