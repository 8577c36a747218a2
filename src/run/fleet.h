/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fleet.h - what many hosts have, kept small, and who differs from the rest.
 *
 * Of a host the values are kept, not what they were read from, and every text once:
 * some hundred bytes a port.
 */
#ifndef RT_RUN_FLEET_H
#define RT_RUN_FLEET_H

#include "run/host.h"

struct rt_err;
struct rt_fleet;
struct rt_kern;

int rt_fleet_open(struct rt_fleet **ret_fleet, struct rt_err *err);
void rt_fleet_close(struct rt_fleet *fleet); /* NULL is fine */

/* Whether a host of this name was added. */
bool rt_fleet_has(const struct rt_fleet *fleet, const char *host);

/* Read all ports and knobs of the host that kern is. */
int rt_fleet_add(struct rt_fleet *fleet, const char *host, struct rt_kern *kern,
		 struct rt_err *err);

/*
 * Fill the differences, hosts, devices and matched_by; texts are the fleet's.
 * -ENOMEM: what is there has to be freed all the same.
 */
int rt_fleet_compare(struct rt_fleet *fleet, enum rt_match_by by,
		     struct rt_host_diff *diff, struct rt_err *err);

#endif
