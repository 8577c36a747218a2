/* SPDX-License-Identifier: BSD-2-Clause */
/* wish.h - what a switch system is asked to write. */
#ifndef RT_NOS_WISH_H
#define RT_NOS_WISH_H

#include <stddef.h>

#include "rocetune/profile.h"

struct rt_findings;
struct rt_switch;

/* All borrowed. */
struct rt_nos_wish {
	const struct rt_profile *profile;
	enum rt_role role; /* of the profile's thresholds that the ports get */
	const char *const *ports;
	size_t port_count;
	/* The configuration that the switch has; text NULL: it is not known. */
	const char *against_name, *against;
	size_t against_bytes;
	const struct rt_switch *there; /* the same, read; NULL: it is not known */
	/* What of the profile the system cannot hold (may be NULL). */
	struct rt_findings *complaints;
};

#endif
