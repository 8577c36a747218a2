/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * port_profile.h - a port's state as a profile: what `show --yaml` writes.
 *
 * Applied to the same port it changes nothing (model/qos.h rt_qos_want()): what the
 * port does not tell, or no profile can say, is `keep` or left out.
 */
#ifndef RT_HOST_PORT_PROFILE_H
#define RT_HOST_PORT_PROFILE_H

struct rt_device;
struct rt_err;
struct rt_qos;

/* *ret_yaml is the caller's. */
int rt_port_profile(const struct rt_device *device, const struct rt_qos *qos,
		    char **ret_yaml, struct rt_err *err);

#endif
