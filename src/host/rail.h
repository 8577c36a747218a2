/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rail.h - which entry of a profile's rails means a device.
 *
 * The rails of a host are its physical Ethernet ports with RDMA, counted from 0 in
 * the order of their PCI addresses: that order is the same on machines that are built
 * alike, whatever the kernel calls the devices.
 */
#ifndef RT_HOST_RAIL_H
#define RT_HOST_RAIL_H

#include <stddef.h>

#include "host/device.h"
#include "rocetune/profile.h"

#define RT_RAIL_NONE ((size_t)-1)

/* The device's number; unknown: it is none (a VF, a soft device, InfiniBand). */
struct rt_opt_u64 rt_device_rail(const struct rt_devices *devices,
				 const struct rt_device *device);

/* The first entry that selects the device, as an index of rails; or RT_RAIL_NONE. */
size_t rt_rail_of(const struct rt_profile *profile, const struct rt_devices *devices,
		  const struct rt_device *device);

/*
 * The leaf that the entry names, {rail} replaced by the device's number; "" when it
 * names none, or needs a number that the device has not.  Returns buf.
 */
char *rt_rail_leaf(const struct rt_rail *rail, struct rt_opt_u64 number, char *buf,
		   size_t bytes);

#endif
