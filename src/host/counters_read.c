/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters_read.c - the sources of counters: each is asked when it is first needed, and
 * no more after its first error (a NIC's function that may not be asked fills the
 * kernel's log at each try).
 */
#include "host/counters_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/device.h"
#include "rocetune/err.h"

/* --- looks ------------------------------------------------------------------------------ */

static void fail(struct rt_counter_reader *reader, enum rt_counter_source source,
		 const struct rt_err *why)
{
	struct rt_counter_look *look = &reader->looks[source];

	look->state = RT_LOOK_FAILED;
	snprintf(look->why, sizeof(look->why), "%.159s", why->msg);
}

static bool is_new(const struct rt_counter_reader *reader,
		   enum rt_counter_source source)
{
	return reader->looks[source].state == RT_LOOK_NONE;
}

static bool is_read(const struct rt_counter_reader *reader,
		    enum rt_counter_source source)
{
	return reader->looks[source].state == RT_LOOK_READ;
}

/* --- files ------------------------------------------------------------------------------ */

/*
 * A number in a file.  One that is not there is a counter that the driver does not
 * have; text ("N/A (no PMA)") one that it cannot tell.  Other errors end the source.
 */
static bool read_file(struct rt_counter_reader *reader, enum rt_counter_source source,
		      const char *path, uint64_t *ret_value)
{
	struct rt_err why = { 0 };
	int r;

	if (reader->looks[source].state == RT_LOOK_FAILED)
		return false;
	r = rt_kern_number(reader->kern, path, ret_value, &why);
	if (r == 0)
		reader->looks[source].state = RT_LOOK_READ;
	else if (r != -ENOENT && r != -ENOTDIR && r != -EPROTO)
		fail(reader, source, &why);
	return r == 0;
}

#define PATH_BYTES 320

static bool read_port_file(struct rt_counter_reader *reader,
			   enum rt_counter_source source, const char *folder,
			   const char *name, uint64_t *ret_value)
{
	const struct rt_device *device = reader->device;
	char path[PATH_BYTES];

	if (!*device->ibdev)
		return false;
	if (source == RT_SOURCE_DEVICE)
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/%s/%s",
			 device->ibdev, folder, name);
	else
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/%s/%s",
			 device->ibdev, device->port, folder, name);
	return read_file(reader, source, path, ret_value);
}

static bool read_netdev(struct rt_counter_reader *reader,
			const struct rt_counter_link *link, const char *name,
			uint64_t *ret_value)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", link->netdev,
		 name);
	return read_file(reader, RT_SOURCE_NETDEV, path, ret_value);
}

/* --- answers of the kernel -------------------------------------------------------------- */

/* What links say is needed of all of them, or of none. */
static void ask_ethtool(struct rt_counter_reader *reader)
{
	struct rt_kern *kern = reader->kern;
	struct rt_err why = { 0 };

	if (!is_new(reader, RT_SOURCE_ETHTOOL) || reader->link_count == 0)
		return;
	reader->looks[RT_SOURCE_ETHTOOL].state = RT_LOOK_READ;
	for (size_t i = 0; i < reader->link_count; i++)
		if (kern->ops->ethtool_stats(kern, reader->links[i].netdev,
					     &reader->links[i].ethtool, &why) < 0)
			fail(reader, RT_SOURCE_ETHTOOL, &why);
}

static void ask_dcb(struct rt_counter_reader *reader)
{
	struct rt_kern *kern = reader->kern;
	struct rt_dcb dcb;
	int r;

	if (!is_new(reader, RT_SOURCE_DCB) || reader->link_count == 0)
		return;
	reader->looks[RT_SOURCE_DCB].state = RT_LOOK_READ;
	for (size_t i = 0; i < reader->link_count; i++) {
		struct rt_counter_link *link = &reader->links[i];
		struct rt_err why = { 0 };

		r = kern->ops->dcb_get(kern, link->netdev, &dcb, &why);
		if (r == 0 && dcb.has & RT_DCB_PFC) {
			link->pfc = dcb.pfc;
			continue;
		}
		if (r == 0)
			rt_err_set(&why, -EOPNOTSUPP,
				   "%s: the driver does not tell PFC by dcbnl",
				   link->netdev);
		fail(reader, RT_SOURCE_DCB, &why);
	}
}

static void ask_rdma(struct rt_counter_reader *reader)
{
	const struct rt_device *device = reader->device;
	struct rt_kern *kern = reader->kern;
	struct rt_err why = { 0 };
	uint64_t refresh_ms;
	int r;

	if (!is_new(reader, RT_SOURCE_RDMA) || reader->rdma_in_files || !*device->ibdev)
		return;
	r = kern->ops->rdma_stats(kern, device->ibdev, device->port, &reader->rdma,
				  &why);
	if (r == 0) {
		reader->looks[RT_SOURCE_RDMA].state = RT_LOOK_READ;
		return;
	}
	if (r != -EOPNOTSUPP) {
		fail(reader, RT_SOURCE_RDMA, &why);
		return;
	}
	reader->rdma_in_files = true;
	if (read_port_file(reader, RT_SOURCE_RDMA, "hw_counters", "lifespan",
			   &refresh_ms))
		reader->refresh_ms = RT_KNOWN_U64(refresh_ms);
}

static bool find_stat(const struct rt_stats *stats, const char *name,
		      uint64_t *ret_value)
{
	const struct rt_stat *stat = rt_stats_find(stats, name);

	if (stat)
		*ret_value = stat->value;
	return stat != NULL;
}

/* "requests[3]": the direction of dcbnl's words, and a priority. */
static bool find_pfc(const struct rt_dcb_pfc *pfc, const char *name,
		     uint64_t *ret_value)
{
	unsigned prio;

	if (sscanf(name, "requests[%u]", &prio) == 1 && prio < 8)
		*ret_value = pfc->requests[prio];
	else if (sscanf(name, "indications[%u]", &prio) == 1 && prio < 8)
		*ret_value = pfc->indications[prio];
	else
		return false;
	return true;
}

/* --- by source -------------------------------------------------------------------------- */

static bool lookup_link(struct rt_counter_reader *reader, enum rt_counter_source source,
			const struct rt_counter_link *link, const char *name,
			uint64_t *ret_value)
{
	switch (source) {
	case RT_SOURCE_ETHTOOL:
		return is_read(reader, source) &&
		       find_stat(&link->ethtool, name, ret_value);
	case RT_SOURCE_DCB:
		return is_read(reader, source) && find_pfc(&link->pfc, name, ret_value);
	default: return read_netdev(reader, link, name, ret_value);
	}
}

/* All links have it, or it is unknown. */
static bool lookup_links(struct rt_counter_reader *reader,
			 enum rt_counter_source source, const char *name,
			 uint64_t *ret_value)
{
	uint64_t sum = 0, value;

	if (source == RT_SOURCE_ETHTOOL)
		ask_ethtool(reader);
	if (source == RT_SOURCE_DCB)
		ask_dcb(reader);
	for (size_t i = 0; i < reader->link_count; i++) {
		if (!lookup_link(reader, source, &reader->links[i], name, &value) ||
		    __builtin_add_overflow(sum, value, &sum))
			return false;
	}
	*ret_value = sum;
	return reader->link_count > 0;
}

bool rt_counter_lookup(struct rt_counter_reader *reader, enum rt_counter_source source,
		       const char *name, uint64_t *ret_value)
{
	switch (source) {
	case RT_SOURCE_ETHTOOL:
	case RT_SOURCE_DCB:
	case RT_SOURCE_NETDEV: return lookup_links(reader, source, name, ret_value);
	case RT_SOURCE_RDMA:
		ask_rdma(reader);
		if (reader->rdma_in_files)
			return read_port_file(reader, source, "hw_counters", name,
					      ret_value);
		return is_read(reader, source) &&
		       find_stat(&reader->rdma, name, ret_value);
	case RT_SOURCE_DEVICE:
		return read_port_file(reader, source, "hw_counters", name, ret_value);
	case RT_SOURCE_PMA:
		return read_port_file(reader, source, "counters", name, ret_value);
	default: return false;
	}
}

/* --- beginning and end ------------------------------------------------------------------ */

static void add_link(struct rt_counter_reader *reader, const char *netdev)
{
	if (*netdev && reader->link_count < RT_COUNTER_LINKS)
		snprintf(reader->links[reader->link_count++].netdev, RT_IFNAME_BYTES,
			 "%s", netdev);
}

void rt_counter_reader_init(struct rt_counter_reader *reader, struct rt_kern *kern,
			    const struct rt_device *device)
{
	char slaves[sizeof(device->slaves)], *rest = slaves, *slave;

	*reader = (struct rt_counter_reader){ .kern = kern, .device = device };
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		reader->looks[i].source = i;
	if (!*device->bond || strcmp(device->bond, device->netdev) != 0) {
		add_link(reader, device->netdev);
		return;
	}
	snprintf(slaves, sizeof(slaves), "%s", device->slaves);
	while ((slave = strsep(&rest, ", ")))
		add_link(reader, slave);
}

void rt_counter_reader_free(struct rt_counter_reader *reader)
{
	for (size_t i = 0; i < reader->link_count; i++)
		rt_stats_free(&reader->links[i].ethtool);
	rt_stats_free(&reader->rdma);
}
