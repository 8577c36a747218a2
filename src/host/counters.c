/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - counters by the rows of a port's driver. */
#include "host/counters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "host/counters_read.h"
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

/* Data are counted in words of four bytes; the small ones stay at their end. */
static const struct rt_counter_row common[] = {
	PMA(RDMA_RX_BYTES, "port_rcv_data", .scale = 4),
	PMA(RDMA_RX_FRAMES, "port_rcv_packets"),
	PMA(RDMA_TX_BYTES, "port_xmit_data", .scale = 4),
	PMA(RDMA_TX_FRAMES, "port_xmit_packets"),
	PMA(XMIT_WAIT, "port_xmit_wait", .sticks = 32),
	PMA(SYMBOL_ERRORS, "symbol_error", .sticks = 16),
	PMA(LINK_DOWNS, "link_downed", .sticks = 8),
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

static const struct rt_counter_row plain[] = {
	NETDEV(RX_BYTES, "rx_bytes"),      NETDEV(RX_FRAMES, "rx_packets"),
	NETDEV(TX_BYTES, "tx_bytes"),      NETDEV(TX_FRAMES, "tx_packets"),
	NETDEV(RX_DISCARDS, "rx_dropped"), NETDEV(TX_DISCARDS, "tx_dropped"),
};
const struct rt_counter_rows rt_counters_plain = { plain, RT_ARRAY_SIZE(plain) };

/* --- one row ---------------------------------------------------------------------------- */

static bool is_of_prio(const struct rt_counter_row *row)
{
	return strchr(row->name, '%') != NULL;
}

/* The row's name, the priority in the place of each %. */
static void write_name(const struct rt_counter_row *row, unsigned prio,
		       char name[RT_COUNTER_NAME_BYTES])
{
	size_t used = 0;

	for (const char *at = row->name; *at && used + 1 < RT_COUNTER_NAME_BYTES; at++)
		name[used++] = *at == '%' ? (char)('0' + prio) : *at;
	name[used] = '\0';
}

/* One part of a sum; what the NIC gives for "none" (all ones) is none. */
static bool read_part(struct rt_counter_reader *reader,
		      const struct rt_counter_row *row, const char *name,
		      uint64_t *ret_value)
{
	const uint64_t end = row->sticks ? (UINT64_C(1) << row->sticks) - 1
					 : UINT64_MAX;

	return rt_counter_lookup(reader, row->source, name, ret_value) &&
	       *ret_value != end && *ret_value != UINT64_MAX;
}

static bool read_row(struct rt_counter_reader *reader, const struct rt_counter_row *row,
		     unsigned prio, struct rt_counter_reading *reading)
{
	const uint32_t scale = row->scale ? row->scale : 1;
	char parts[RT_COUNTER_NAME_BYTES], *rest = parts, *part;
	uint64_t sum = 0, value;

	*reading = (struct rt_counter_reading){ .counter = row->counter,
						.prio = (uint8_t)prio,
						.bits = row->wraps ? row->wraps : 64,
						.source = row->source,
						.scale = scale };
	write_name(row, prio, reading->name);
	memcpy(parts, reading->name, sizeof(parts));
	while ((part = strsep(&rest, "+")))
		if (!read_part(reader, row, part, &value) ||
		    __builtin_add_overflow(sum, value, &sum))
			return false;
	return !__builtin_mul_overflow(sum, scale, &reading->value);
}

/* --- all -------------------------------------------------------------------------------- */

#define ROW_SETS 3u

/* In the order of preference. */
static size_t choose_rows(const struct rt_device *device,
			  struct rt_counter_rows sets[ROW_SETS])
{
	const struct rt_driver *driver = device->driver;
	size_t count = 0;

	if (driver)
		sets[count++] = driver->counters;
	if (device->function == RT_FUNCTION_SOFT ||
	    (!*device->ibdev && !(driver && driver->counters.count)))
		sets[count++] = rt_counters_plain;
	sets[count++] = rt_counters_common;
	return count;
}

/* The first row that can be read; 1: there is one. */
static int read_counter(struct rt_counter_reader *reader,
			const struct rt_counter_rows *sets, size_t set_count,
			enum rt_counter_id id, unsigned prio,
			struct rt_counter_set *set)
{
	struct rt_counter_reading reading;

	for (size_t i = 0; i < set_count; i++)
		for (size_t j = 0; j < sets[i].count; j++) {
			const struct rt_counter_row *row = &sets[i].items[j];

			if (row->counter == id &&
			    is_of_prio(row) == (prio != RT_COUNTER_NO_PRIO) &&
			    read_row(reader, row, prio, &reading))
				return rt_counter_set_add(set, &reading);
		}
	return 0;
}

static int read_all(struct rt_counter_reader *reader, struct rt_counter_set *set)
{
	struct rt_counter_rows sets[ROW_SETS];
	const size_t count = choose_rows(reader->device, sets);
	int r = 0;

	for (unsigned id = 0; id < RT_COUNTER_COUNT && r == 0; id++) {
		if (rt_counters[id].scope & RT_COUNTER_PRIO)
			for (unsigned prio = 0; prio < 8 && r == 0; prio++)
				r = read_counter(reader, sets, count, id, prio, set);
		if (r == 0 && rt_counters[id].scope & RT_COUNTER_PORT)
			r = read_counter(reader, sets, count, id, RT_COUNTER_NO_PRIO,
					 set);
	}
	return r;
}

int rt_counters_read(struct rt_kern *kern, const struct rt_device *device,
		     struct rt_counter_set *ret_set, struct rt_err *err)
{
	struct rt_counter_set set = { .time_ns = rt_clock_ns(CLOCK_MONOTONIC) };
	struct rt_counter_reader reader;
	int r;

	if (*device->ibdev)
		snprintf(set.device, sizeof(set.device), "%s/%u", device->ibdev,
			 device->port);
	snprintf(set.netdev, sizeof(set.netdev), "%s", device->netdev);
	snprintf(set.driver, sizeof(set.driver), "%s",
		 device->driver ? device->driver->name : "");
	rt_counter_reader_init(&reader, kern, device);
	r = read_all(&reader, &set);
	set.refresh_ms = reader.refresh_ms;
	memcpy(set.looks, reader.looks, sizeof(set.looks));
	rt_counter_reader_free(&reader);
	if (r < 0) {
		rt_counter_set_free(&set);
		return rt_err_sys(err, r, "cannot hold the counters of %s%s%s",
				  device->ibdev, *device->ibdev ? "/" : "",
				  device->netdev);
	}
	*ret_set = set;
	return 0;
}

/* --- which port ------------------------------------------------------------------------- */

/* A network device of this name, with what its driver is called. */
static int find_netdev(struct rt_kern *kern, const char *name,
		       struct rt_device *ret_device, struct rt_err *err)
{
	struct rt_device device = { 0 };
	struct rt_ethtool_info info;
	struct rt_links links;
	bool found = false;
	int r = kern->ops->links(kern, &links, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < links.count; i++)
		if (strcmp(links.items[i].name, name) == 0) {
			found = true;
			device.ifindex = links.items[i].ifindex;
			memcpy(device.mac, links.items[i].mac, sizeof(device.mac));
		}
	rt_links_free(&links);
	if (!found)
		return rt_err_set(err, -ENODEV, "%.63s: no such device", name);
	snprintf(device.netdev, sizeof(device.netdev), "%s", name);
	if (kern->ops->ethtool_info(kern, name, &info, NULL) == 0) {
		snprintf(device.kernel_driver, sizeof(device.kernel_driver), "%s",
			 info.driver);
		device.driver = rt_driver_find(info.driver);
	}
	*ret_device = device;
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
