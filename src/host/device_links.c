/* SPDX-License-Identifier: BSD-2-Clause */
/* device_links.c - the network devices behind an RDMA port: itself, or a bond's slaves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "kern/kern.h"

int rt_devices_add(struct rt_devices *to, const struct rt_device *device)
{
	struct rt_device *grown = rt_grow(to->items, to->count, &to->capacity,
					  sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	to->items = grown;
	to->items[to->count++] = *device;
	return 0;
}

static bool has_netdev(const struct rt_devices *devices, const char *netdev)
{
	for (size_t i = 0; i < devices->count; i++)
		if (strcmp(devices->items[i].netdev, netdev) == 0)
			return true;
	return false;
}

/* The same port behind another network device of its bond. */
static int add_slave(struct rt_kern *kern, const struct rt_device *device,
		     const struct rt_link *link, struct rt_devices *to)
{
	struct rt_device slave = *device;

	snprintf(slave.netdev, sizeof(slave.netdev), "%s", link->name);
	slave.ifindex = link->ifindex;
	memcpy(slave.mac, link->mac, sizeof(slave.mac));
	slave.carrier = link->carrier;
	if (kern->ops->speed_get(kern, slave.netdev, &slave.speed_bps, NULL) < 0)
		slave.speed_bps = (struct rt_opt_u64){ 0 };
	return rt_devices_add(to, &slave);
}

static const struct rt_link *link_named(const struct rt_links *links, const char *name)
{
	for (size_t i = 0; i < links->count; i++)
		if (strcmp(links->items[i].name, name) == 0)
			return &links->items[i];
	return NULL;
}

int rt_device_links(struct rt_kern *kern, const struct rt_devices *devices,
		    const struct rt_device *device, struct rt_devices *to)
{
	const bool is_bond = *device->bond && strcmp(device->bond, device->netdev) == 0;
	char slaves[sizeof(device->slaves)], *rest = slaves, *name;
	struct rt_links links = { 0 };
	int r = 0;

	if (!is_bond && rt_devices_add(to, device) < 0)
		return -ENOMEM;
	if (!*device->bond)
		return 0;
	memcpy(slaves, device->slaves, sizeof(slaves));
	r = kern->ops->links(kern, &links, NULL);
	while (r == 0 && (name = strsep(&rest, ", "))) {
		const struct rt_link *link = link_named(&links, name);

		if (link && !has_netdev(devices, name))
			r = add_slave(kern, device, link, to);
	}
	rt_links_free(&links);
	return r;
}
