/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_switch.h - what a soft switch counted of a port, under the catalogue's names.
 */
#ifndef RT_RUN_WATCH_SWITCH_H
#define RT_RUN_WATCH_SWITCH_H

#include <stdint.h>

#include "rocetune/field.h"
#include "rocetune/units.h"

struct rt_counter_set;
struct rt_lab_switch_port;

/*
 * Into *set, which is zero or of the last call.  lossless: bit n of priority n; what
 * was dropped of such a priority was dropped where it came in, of others where it would
 * have left, so that without it drops stay unknown.  time_ns: of the counters.
 * -ENOMEM.
 */
int rt_watch_switch_fill(const struct rt_lab_switch_port *port, int64_t time_ns,
			 struct rt_opt_u64 lossless, struct rt_counter_set *set);

#endif
