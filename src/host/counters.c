/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counters by the rows of a port's driver. */
#include "host/counters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "host/device.h"
#include "host/driver.h"
#include "rocetune/err.h"

/* --- rows of every port ----------------------------------------------------------------- */

#define NETDEV(id, name_)                                               \
	{                                                               \
		.counter = RT_COUNTER_##id, .source = RT_SOURCE_NETDEV, \
		.name = (name_),                                        \
		.from = "Linux ABI/testing/sysfs-class-net-statistics"  \
	}
#define PMA(id, name_, ...)                                                           \
	{                                                                             \
		.counter = RT_COUNTER_##id, .source = RT_SOURCE_PMA, .name = (name_), \
		.from = "Linux ABI/stable/sysfs-class-infiniband, "                   \
			"drivers/infiniband/core/sysfs.c",                            \
		__VA_ARGS__                                                           \
	}

#define STANDARD(id, name_)                                               \
	{                                                                 \
		.counter = RT_COUNTER_##id, .source = RT_SOURCE_STANDARD, \
		.name = (name_),                                          \
		.from = "Linux Documentation/networking/statistics.rst"   \
	}

#define QDISC(id, name_)                                                   \
	{                                                                  \
		.counter = RT_COUNTER_##id, .source = RT_SOURCE_QDISC,     \
		.name = (name_), .wraps = 32,                              \
		.from = "Linux include/uapi/linux/{gen_stats,pkt_sched}.h" \
	}

/* Data are counted in words of four bytes; the small ones stay at their end. */
static const struct rt_counter_row common[] = {
	PMA(RDMA_RX_BYTES, "port_rcv_data", .scale = 4),
	PMA(RDMA_RX_FRAMES, "port_rcv_packets"),
	PMA(RDMA_TX_BYTES, "port_xmit_data", .scale = 4),
	PMA(RDMA_TX_FRAMES, "port_xmit_packets"),
	PMA(XMIT_WAIT, "port_xmit_wait", .sticks = 32),
	PMA(SYMBOL_ERRORS, "symbol_error", .sticks = 16),
	PMA(LINK_DOWNS, "link_downed", .sticks = 8),
	STANDARD(PAUSE_RX_FRAMES, "pause-rx_pause_frames"),
	STANDARD(PAUSE_TX_FRAMES, "pause-tx_pause_frames"),
	STANDARD(RX_BYTES, "eth-mac-OctetsReceivedOK"),
	STANDARD(RX_FRAMES, "eth-mac-FramesReceivedOK"),
	STANDARD(TX_BYTES, "eth-mac-OctetsTransmittedOK"),
	STANDARD(TX_FRAMES, "eth-mac-FramesTransmittedOK"),
	STANDARD(CRC_ERRORS, "eth-mac-FrameCheckSequenceErrors"),
	STANDARD(SYMBOL_ERRORS, "eth-phy-SymbolErrorDuringCarrier"),
	STANDARD(FEC_CORRECTED, "fec-corrected_blocks"),
	STANDARD(FEC_CORRECTED_BITS, "fec-corrected_bits"),
	STANDARD(FEC_UNCORRECTABLE, "fec-uncorrectable_blocks"),
	NETDEV(NETDEV_RX_BYTES, "rx_bytes"),
	NETDEV(NETDEV_RX_PACKETS, "rx_packets"),
	NETDEV(NETDEV_RX_DROPPED, "rx_dropped"),
	NETDEV(NETDEV_RX_ERRORS, "rx_errors"),
	NETDEV(NETDEV_TX_BYTES, "tx_bytes"),
	NETDEV(NETDEV_TX_PACKETS, "tx_packets"),
	NETDEV(NETDEV_TX_DROPPED, "tx_dropped"),
	NETDEV(NETDEV_TX_ERRORS, "tx_errors"),
};
const struct rt_counter_rows rt_counters_common = { common, RT_ARRAY_SIZE(common) };

/*
 * What a qdisc drops never came to the device, whose own count is the other row.  One that
 * has no queue (noqueue) has no number either.
 */
static const struct rt_counter_row plain[] = {
	NETDEV(RX_BYTES, "rx_bytes"),      NETDEV(RX_FRAMES, "rx_packets"),
	NETDEV(TX_BYTES, "tx_bytes"),      NETDEV(TX_FRAMES, "tx_packets"),
	NETDEV(RX_DISCARDS, "rx_dropped"), QDISC(TX_DISCARDS, "drops"),
	NETDEV(TX_DISCARDS, "tx_dropped"), QDISC(SWITCH_MARKED, "marked"),
};
const struct rt_counter_rows rt_counters_plain = { plain, RT_ARRAY_SIZE(plain) };

/* --- once ------------------------------------------------------------------------------- */

int rt_counters_read(struct rt_kern *kern, const struct rt_device *device,
		     struct rt_counter_set *ret_set, struct rt_err *err)
{
	struct rt_counter_set set = { 0 };
	struct rt_counter_port *port;
	int r = rt_counter_port_open(kern, device, &port, err);

	if (r < 0)
		return r;
	r = rt_counter_port_read(port, RT_COUNTER_ALL_SOURCES, &set, err);
	rt_counter_port_close(port);
	if (r < 0) {
		rt_counter_set_free(&set);
		return r;
	}
	*ret_set = set;
	return 0;
}

/* --- which port ------------------------------------------------------------------------- */

/* A network device, with what its driver is called. */
static void read_netdev(struct rt_kern *kern, const struct rt_link *link,
			struct rt_device *device)
{
	struct rt_ethtool_info info;

	*device = (struct rt_device){ .ifindex = link->ifindex,
				      .carrier = link->carrier,
				      .mtu_bytes = RT_KNOWN_U64(link->mtu_bytes) };
	memcpy(device->mac, link->mac, sizeof(device->mac));
	snprintf(device->netdev, sizeof(device->netdev), "%s", link->name);
	if (kern->ops->ethtool_info(kern, link->name, &info, NULL) == 0) {
		snprintf(device->kernel_driver, sizeof(device->kernel_driver), "%s",
			 info.driver);
		device->driver = rt_driver_find(info.driver);
		device->driver_name = device->driver ? device->driver->name : NULL;
	}
}

static int find_netdev(struct rt_kern *kern, const char *name,
		       struct rt_device *ret_device, struct rt_err *err)
{
	struct rt_links links;
	bool found = false;
	int r = kern->ops->links(kern, &links, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < links.count && !found; i++)
		if (strcmp(links.items[i].name, name) == 0) {
			found = true;
			read_netdev(kern, &links.items[i], ret_device);
		}
	rt_links_free(&links);
	return found ? 0 : rt_err_set(err, -ENODEV, "%.63s: no such device", name);
}

int rt_counters_netdevs(struct rt_kern *kern, struct rt_devices *ret_devices,
			struct rt_err *err)
{
	struct rt_devices devices = { 0 };
	struct rt_device device;
	struct rt_links links;
	int r = kern->ops->links(kern, &links, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < links.count && r == 0; i++) {
		const struct rt_link *link = &links.items[i];

		/* The loopback has no kind either, but no driver that has a name. */
		if (*link->kind && strcmp(link->kind, "veth") != 0)
			continue;
		read_netdev(kern, link, &device);
		if (!*device.kernel_driver)
			continue;
		if (kern->ops->speed_get(kern, link->name, &device.speed_bps, NULL) < 0)
			device.speed_bps = (struct rt_opt_u64){ 0 };
		r = rt_devices_add(&devices, &device);
	}
	rt_links_free(&links);
	if (r < 0) {
		rt_devices_free(&devices);
		return rt_err_sys(err, r, "cannot hold the network devices");
	}
	*ret_devices = devices;
	return 0;
}

int rt_counters_port(struct rt_kern *kern, const char *name,
		     struct rt_device *ret_device, struct rt_err *err)
{
	struct rt_devices devices = { 0 };
	struct rt_err why = { 0 };
	struct rt_device *found;
	int r = rt_devices_read(kern, 0, &devices, &why);

	if (r < 0 && r != -EOPNOTSUPP)
		return rt_err_set(err, r, "%s", why.msg);
	found = rt_device_find(&devices, name, &why);
	if (found)
		*ret_device = *found; /* it has no GIDs, so it owns nothing */
	rt_devices_free(&devices);
	if (found)
		return 0;
	if (why.code == -EINVAL)
		return rt_err_set(err, -EINVAL, "%s", why.msg);
	return find_netdev(kern, name, ret_device, err);
}
