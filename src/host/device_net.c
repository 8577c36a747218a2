/* SPDX-License-Identifier: BSD-2-Clause */
/* device_net.c - the network device of an RDMA port, its bond, its MTUs. */
#include <stdio.h>
#include <string.h>

#include "host/device_read.h"

/*
 * What RoCE v2 and the longest extended headers take of a network device's MTU:
 * GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH 28, ICRC 4 (include/rdma/ib_addr.h
 * iboe_get_mtu()).
 */
#define ROCE_OVERHEAD_BYTES 96

/* IBTA path MTUs. */
static struct rt_opt_u64 roce_mtu(uint64_t mtu_bytes)
{
	for (unsigned mtu = 4096; mtu >= 256; mtu /= 2)
		if (mtu_bytes >= mtu + ROCE_OVERHEAD_BYTES)
			return RT_KNOWN_U64(mtu);
	return (struct rt_opt_u64){ 0 };
}

static const struct rt_link *link_named(const struct rt_links *links, const char *name)
{
	for (size_t i = 0; i < links->count && *name; i++)
		if (strcmp(links->items[i].name, name) == 0)
			return &links->items[i];
	return NULL;
}

static const struct rt_link *link_numbered(const struct rt_links *links,
					   unsigned ifindex)
{
	for (size_t i = 0; i < links->count && ifindex; i++)
		if (links->items[i].ifindex == ifindex)
			return &links->items[i];
	return NULL;
}

/* The bond that link is, or is in. */
static const struct rt_link *bond_of(const struct rt_links *links,
				     const struct rt_link *link)
{
	const struct rt_link *master = link_numbered(links, link->master_ifindex);

	if (strcmp(link->kind, "bond") == 0)
		return link;
	return master && strcmp(master->kind, "bond") == 0 ? master : NULL;
}

static void read_bond(const struct rt_links *links, const struct rt_link *link,
		      struct rt_device *device)
{
	const struct rt_link *bond = bond_of(links, link);
	size_t used = 0;

	if (!bond)
		return;
	snprintf(device->bond, sizeof(device->bond), "%s", bond->name);
	for (size_t i = 0; i < links->count; i++) {
		const struct rt_link *slave = &links->items[i];
		const size_t left = sizeof(device->slaves) - used;
		int n;

		if (slave->master_ifindex != bond->ifindex)
			continue;
		n = snprintf(device->slaves + used, left, "%s%s", used ? ", " : "",
			     slave->name);
		if (n < 0 || (size_t)n >= left) {
			device->slaves[used] = '\0';
			return;
		}
		used += (size_t)n;
	}
}

/* The name rdma netlink gives, else that of the first GID (an old kernel's way). */
static void find_netdev(const struct rt_device_source *from, struct rt_device *device)
{
	char path[RT_PATH_BYTES];

	snprintf(device->netdev, sizeof(device->netdev), "%s", from->port->netdev);
	if (!*device->netdev &&
	    rt_kern_line(from->kern, rt_port_path(device, "gid_attrs/ndevs/0", path),
			 device->netdev, sizeof(device->netdev), NULL) < 0)
		device->netdev[0] = '\0';
	if (strchr(device->netdev, '/') || device->netdev[0] == '.')
		device->netdev[0] = '\0';
}

static void read_mtu_file(const struct rt_device_source *from, struct rt_device *device)
{
	char path[RT_PATH_BYTES];
	uint64_t mtu;

	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", device->netdev);
	if (rt_kern_number(from->kern, path, &mtu, NULL) == 0)
		device->mtu_bytes = RT_KNOWN_U64(mtu);
}

void rt_device_read_net(const struct rt_device_source *from, struct rt_device *device)
{
	struct rt_ethtool_info info;
	const struct rt_link *link;

	find_netdev(from, device);
	if (!*device->netdev)
		return;
	link = link_named(from->links, device->netdev);
	if (link) {
		device->ifindex = link->ifindex;
		memcpy(device->mac, link->mac, sizeof(device->mac));
		device->carrier = link->carrier;
		device->mtu_bytes = RT_KNOWN_U64(link->mtu_bytes);
		read_bond(from->links, link, device);
	} else {
		read_mtu_file(from, device);
	}
	if (device->mtu_bytes.known)
		device->roce_mtu_bytes = roce_mtu(device->mtu_bytes.value);
	if (from->kern->ops->speed_get(from->kern, device->netdev, &device->speed_bps,
				       NULL) < 0)
		device->speed_bps = (struct rt_opt_u64){ 0 };
	if (!*device->firmware &&
	    from->kern->ops->ethtool_info(from->kern, device->netdev, &info, NULL) == 0)
		snprintf(device->firmware, sizeof(device->firmware), "%s",
			 info.firmware);
}

void rt_device_enter_bond(const struct rt_device *device, struct rt_device *ret_at)
{
	const size_t first = strcspn(device->slaves, ",");

	*ret_at = *device;
	if (*device->bond && strcmp(device->bond, device->netdev) == 0 && first &&
	    first < sizeof(ret_at->netdev))
		snprintf(ret_at->netdev, sizeof(ret_at->netdev), "%.*s", (int)first,
			 device->slaves);
}
