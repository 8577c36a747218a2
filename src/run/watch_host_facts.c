/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_host_facts.c - what a port of a host is, for watching it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/device.h"
#include "host/driver.h"
#include "run/watch_host_parts.h"

/* What rdma netlink or sysfs say of the port; of a netdev alone its carrier. */
static unsigned state_of(const struct rt_device *device)
{
	if (*device->state)
		return strcmp(device->state, "active") == 0 ? RT_WATCH_UP
							    : RT_WATCH_DOWN;
	if (!device->ifindex)
		return RT_WATCH_STATE_UNKNOWN;
	return device->carrier ? RT_WATCH_UP : RT_WATCH_DOWN;
}

void rt_watch_host_name(const struct rt_device *device, char name[64])
{
	if (*device->ibdev)
		snprintf(name, 64, "%.50s/%u", device->ibdev, device->port);
	else
		snprintf(name, 64, "%s", device->netdev);
}

static void name_port(const struct rt_device *device, struct rt_watch_port *port)
{
	rt_watch_host_name(device, port->name);
	snprintf(port->netdev, sizeof(port->netdev), "%s", device->netdev);
	snprintf(port->driver, sizeof(port->driver), "%.15s",
		 device->driver ? device->driver->name : device->kernel_driver);
}

/* They are counted by device, and so not known of one with several ports. */
static bool is_only_port(struct rt_kern *kern, const struct rt_device *device)
{
	struct rt_rdma_ports ports;
	size_t of_device = 0;

	if (kern->ops->rdma_ports(kern, &ports, NULL) < 0)
		return false;
	for (size_t i = 0; i < ports.count; i++)
		of_device += strcmp(ports.items[i].ibdev, device->ibdev) == 0;
	rt_rdma_ports_free(&ports);
	return of_device == 1;
}

/* Listing those of a busy device takes long, and says nothing while it has a link. */
static struct rt_opt_u64 queue_pairs_of(struct rt_kern *kern,
					const struct rt_device *device, unsigned state)
{
	struct rt_rdma_use use;

	if (state != RT_WATCH_DOWN || !*device->ibdev || !is_only_port(kern, device) ||
	    kern->ops->rdma_use(kern, device->ibdev, &use, NULL) < 0)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(use.connected);
}

/* Of a bond what its first slave has: links' knobs are theirs. */
static int read_knobs(struct rt_kern *kern, const struct rt_device *device,
		      struct rt_watch_port *port)
{
	struct rt_knob_value value;
	struct rt_device at;
	struct rt_dcb dcb;
	int r;

	port->lossless = port->cnp_gap_ns = (struct rt_opt_u64){ 0 };
	rt_device_enter_bond(device, &at);
	if (*at.netdev && kern->ops->dcb_get(kern, at.netdev, &dcb, NULL) == 0 &&
	    dcb.has & RT_DCB_PFC)
		port->lossless = RT_KNOWN_U64(dcb.pfc.mask);
	r = rt_host_read_knob(&(struct rt_host_port){ .kern = kern,
						      .device = &at,
						      .driver = at.driver },
			      RT_KNOB_NP_CNP_INTERVAL, &value);
	if (r == 0 && value.known & 1)
		port->cnp_gap_ns = RT_KNOWN_U64(value.number[0]);
	return r;
}

int rt_watch_host_facts(struct rt_kern *kern, const struct rt_device *device,
			struct rt_watch_port *port)
{
	name_port(device, port);
	port->role = RT_WATCH_NIC;
	port->state = state_of(device);
	port->queue_pairs = queue_pairs_of(kern, device, port->state);
	port->speed_bps = device->speed_bps;
	port->mtu_bytes = device->mtu_bytes;
	port->pcie_bps = rt_pcie_bps(device->pcie_speed, device->pcie_width);
	port->pcie_max_bps = rt_pcie_bps(device->pcie_max_speed,
					 device->pcie_max_width);
	return read_knobs(kern, device, port);
}

/* --- addresses --------------------------------------------------------------------------- */

static bool is_link_local(const struct rt_ip *ip)
{
	return ip->version == 6 && ip->bytes[0] == 0xfe &&
	       (ip->bytes[1] & 0xc0) == 0x80;
}

/* IPv4 before IPv6, and link-local ones last. */
static unsigned worth(const struct rt_gid *gid)
{
	if (gid->type != RT_GID_ROCE_V2 || !gid->address.version)
		return 0;
	if (gid->address.version == 4)
		return 3;
	return is_link_local(&gid->address) ? 1 : 2;
}

int rt_watch_host_address(struct rt_kern *kern, const struct rt_device *device,
			  struct rt_watch_port *port, struct rt_err *err)
{
	struct rt_device copy = *device;
	struct rt_ip ip = { 0 };
	unsigned best = 0;
	int r;

	copy.gids = NULL;
	copy.gid_count = 0;
	r = rt_device_read_detail(kern, RT_DEVICE_GIDS, &copy, err);
	for (size_t i = 0; i < copy.gid_count && r == 0; i++)
		if (worth(&copy.gids[i]) > best) {
			best = worth(&copy.gids[i]);
			ip = copy.gids[i].address;
		}
	free(copy.gids);
	if (r == 0)
		port->ip = ip;
	return r;
}
