/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_profile.h - one port of a switch as a profile.
 *
 * Each traffic class that DSCPs lead to becomes a class of the profile; what the
 * configuration does not say is left out, or is `platform` where the switch decides.
 */
#ifndef RT_MODEL_SWITCH_PROFILE_H
#define RT_MODEL_SWITCH_PROFILE_H

#include "model/switch.h"

struct rt_err;

/*
 * The profile of what port does, with its thresholds at role; the caller frees it,
 * before the switch, whose texts its places point to.
 * -ENODATA: the port classifies no DSCP, so there are no classes.
 */
int rt_switch_profile(const struct rt_switch *sw, const struct rt_switch_port *port,
		      enum rt_role role, struct rt_profile **ret_profile,
		      struct rt_err *err);

/*
 * The port that stands for the switch when none is named: the first with PFC, else
 * the first with queues.  NULL: there is none.  *ret_alike: how many have PFC.
 */
const struct rt_switch_port *rt_switch_port_usual(const struct rt_switch *sw,
						  size_t *ret_alike);

#endif
