/* SPDX-License-Identifier: BSD-2-Clause */
/* device.c - RDMA ports: enumerated, joined with what else is known of them. */
#include "host/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "host/device_read.h"
#include "host/driver.h"
#include "rocetune/err.h"

/* IB port states as words (IBTA PortInfo; ib_verbs.h enum ib_port_state). */
static const struct rt_name state_names[] = {
	{ "down", 1, NULL },   { "init", 2, NULL },     { "armed", 3, NULL },
	{ "active", 4, NULL }, { "deferred", 5, NULL }, { 0 },
};

char *rt_port_path(const struct rt_device *device, const char *name,
		   char buf[RT_PATH_BYTES])
{
	snprintf(buf, RT_PATH_BYTES, "/sys/class/infiniband/%s/ports/%u/%s",
		 device->ibdev, device->port, name);
	return buf;
}

/* --- one port ------------------------------------------------------------------- */

static void read_link_layer(const struct rt_device_source *from,
			    struct rt_device *device)
{
	char path[RT_PATH_BYTES], line[32] = "";

	if (rt_kern_line(from->kern, rt_port_path(device, "link_layer", path), line,
			 sizeof(line), NULL) < 0)
		snprintf(line, sizeof(line), "%s", from->port->protocol);
	if (strcmp(line, "InfiniBand") == 0 || strcmp(line, "ib") == 0 ||
	    strcmp(line, "opa") == 0)
		device->link_layer = RT_LAYER_INFINIBAND;
	else if (strcmp(line, "Ethernet") == 0 || strcmp(line, "roce") == 0 ||
		 strcmp(line, "iw") == 0)
		device->link_layer = RT_LAYER_ETHERNET;
}

/* "400 Gb/sec (4X NDR)": what an InfiniBand port has instead of a netdev's speed. */
static void read_ib_rate(const struct rt_device_source *from, struct rt_device *device)
{
	char path[RT_PATH_BYTES], line[64];
	char *end;
	double gbps;

	if (rt_kern_line(from->kern, rt_port_path(device, "rate", path), line,
			 sizeof(line), NULL) < 0)
		return;
	gbps = strtod(line, &end);
	if (end > line && strncmp(end, " Gb/sec", 7) == 0 && gbps > 0 && gbps < 1e5)
		device->speed_bps = RT_KNOWN_U64((uint64_t)(gbps * 1e9 + 0.5));
}

static void read_use(struct rt_kern *kern, struct rt_device *device)
{
	struct rt_rdma_use use;

	if (kern->ops->rdma_use(kern, device->ibdev, &use, NULL) < 0)
		return;
	device->qps = RT_KNOWN_U64(use.qps);
	device->connected = RT_KNOWN_U64(use.connected);
	snprintf(device->users, sizeof(device->users), "%s", use.who);
}

/* Why nothing can be tuned on this port, whatever its driver could. */
static void judge(struct rt_kern *kern, struct rt_device *device)
{
	char *why = device->untunable;

	if (!rt_kern_holds(kern, device->ibdev, device->port))
		snprintf(why, sizeof(device->untunable),
			 "not in this bundle, which is of another port");
	else if (device->link_layer == RT_LAYER_INFINIBAND)
		snprintf(why, sizeof(device->untunable),
			 "InfiniBand has credits and a subnet manager instead of PFC "
			 "and ECN: not tuned this way");
	else if (!device->driver)
		snprintf(why, sizeof(device->untunable), "rocetune knows no driver %s",
			 *device->kernel_driver ? device->kernel_driver
						: "(it has no name here)");
	else if (device->driver->cannot)
		snprintf(why, sizeof(device->untunable), "%s", device->driver->cannot);
	else if (device->function == RT_FUNCTION_VF ||
		 device->function == RT_FUNCTION_SF)
		snprintf(why, sizeof(device->untunable),
			 "a %s: trust, PFC and buffers belong to the physical function "
			 "of the port",
			 rt_name_of(rt_function_names, device->function));
}

static void read_device(const struct rt_device_source *from, struct rt_device *device)
{
	const struct rt_rdma_port *port = from->port;
	const char *state = rt_name_of(state_names, port->state);

	*device = (struct rt_device){ .port = port->port };
	snprintf(device->ibdev, sizeof(device->ibdev), "%s", port->ibdev);
	snprintf(device->firmware, sizeof(device->firmware), "%s", port->firmware);
	snprintf(device->state, sizeof(device->state), "%s", state ? state : "");
	for (unsigned i = 0; i < RT_GROUP_COUNT; i++)
		device->groups[i].group = i;
	read_link_layer(from, device);
	rt_device_read_pci(from, device);
	rt_device_read_net(from, device);
	if (device->link_layer == RT_LAYER_INFINIBAND)
		read_ib_rate(from, device);
	device->driver = rt_driver_find(device->kernel_driver);
	device->driver_name = device->driver ? device->driver->name : NULL;
	judge(from->kern, device);
}

int rt_device_read_detail(struct rt_kern *kern, unsigned detail,
			  struct rt_device *device, struct rt_err *err)
{
	int r = 0;

	if (detail & RT_DEVICE_USE)
		read_use(kern, device);
	if (detail & RT_DEVICE_GIDS)
		r = rt_device_read_gids(kern, device, err);
	if (r == 0 && detail & RT_DEVICE_GROUPS)
		rt_device_read_groups(kern, device);
	return r;
}

/* --- all ------------------------------------------------------------------------- */

static int read_ports(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
		      struct rt_err *err)
{
	int r = kern->ops->rdma_ports(kern, ret_ports, err);

	if (r != -EOPNOTSUPP && r != -ENOENT && r != -EPROTONOSUPPORT)
		return r;
	r = rt_rdma_ports_from_sysfs(kern, ret_ports, err);
	if (r == -ENOENT)
		return rt_err_set(err, -EOPNOTSUPP,
				  "this kernel has no RDMA: neither rdma netlink nor "
				  "/sys/class/infiniband answers");
	return r;
}

/* Names become parts of paths. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static int add_port(struct rt_device_source *from, unsigned detail,
		    struct rt_devices *devices, struct rt_err *err)
{
	struct rt_device *items = rt_grow(devices->items, devices->count,
					  &devices->capacity, sizeof(*items));

	if (!items)
		return rt_err_sys(err, -ENOMEM, "cannot hold the devices");
	devices->items = items;
	if (!is_plain(from->port->ibdev))
		return rt_err_set(err, -EPROTO, "\"%s\" is no name of an RDMA device",
				  from->port->ibdev);
	read_device(from, &items[devices->count]);
	return rt_device_read_detail(from->kern, detail, &items[devices->count++], err);
}

int rt_devices_read(struct rt_kern *kern, unsigned detail,
		    struct rt_devices *ret_devices, struct rt_err *err)
{
	struct rt_devices devices = { 0 };
	struct rt_rdma_ports ports = { 0 };
	struct rt_links links = { 0 };
	struct rt_device_source from = { .kern = kern, .links = &links };
	int r = read_ports(kern, &ports, err);

	if (r < 0)
		return r;
	if (ports.count && kern->ops->links(kern, &links, NULL) < 0)
		links = (struct rt_links){ 0 };
	for (size_t i = 0; i < ports.count && r == 0; i++) {
		from.port = &ports.items[i];
		r = add_port(&from, detail, &devices, err);
	}
	rt_links_free(&links);
	rt_rdma_ports_free(&ports);
	if (r < 0) {
		rt_devices_free(&devices);
		return r;
	}
	*ret_devices = devices;
	return 0;
}

void rt_devices_free(struct rt_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		free(devices->items[i].gids);
	free(devices->items);
	*devices = (struct rt_devices){ 0 };
}

/* --- finding one ------------------------------------------------------------------ */

/* How closely a device answers to a name. */
enum answer {
	ANSWER_NO,
	ANSWER_SEVERAL_PORTS, /* "mlx4_0" where there is a port 2 */
	ANSWER_YES,
};

static enum answer answers_to(const struct rt_device *device, const char *name)
{
	char full[RT_IBNAME_BYTES + 12], place[sizeof(device->pci) + 12];

	snprintf(full, sizeof(full), "%s/%u", device->ibdev, device->port);
	snprintf(place, sizeof(place), "%s/%u", device->pci, device->port);
	if (strcmp(name, full) == 0 ||
	    (*device->netdev && strcmp(name, device->netdev) == 0))
		return ANSWER_YES;
	/* Functions without an address of their own share their parent's. */
	if (strcmp(name, device->ibdev) == 0 ||
	    (*device->pci &&
	     (strcasecmp(name, device->pci) == 0 || strcasecmp(name, place) == 0)))
		return ANSWER_SEVERAL_PORTS;
	return ANSWER_NO;
}

/* "mlx5_0/1, mlx5_1/1": those that answer at least so closely, for a message. */
static const char *names_of(const struct rt_devices *devices, const char *name,
			    enum answer least, char *buf, size_t bytes)
{
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; i < devices->count && used < bytes; i++) {
		const struct rt_device *device = &devices->items[i];
		int n;

		if (answers_to(device, name) < least)
			continue;
		n = snprintf(buf + used, bytes - used, "%s%s/%u", used ? ", " : "",
			     device->ibdev, device->port);
		used += n > 0 ? (size_t)n : 0;
	}
	return buf;
}

struct rt_device *rt_device_find(struct rt_devices *devices, const char *name,
				 struct rt_err *err)
{
	struct rt_device *found = NULL;
	char list[300];
	size_t count = 0;

	for (size_t i = 0; i < devices->count; i++)
		switch (answers_to(&devices->items[i], name)) {
		case ANSWER_NO: break;
		case ANSWER_YES: return &devices->items[i];
		case ANSWER_SEVERAL_PORTS:
			found = &devices->items[i];
			count++;
			break;
		}
	if (count == 1)
		return found;
	if (count > 1)
		rt_err_set(err, -EINVAL, "%s is several ports: say one of %s", name,
			   names_of(devices, name, ANSWER_SEVERAL_PORTS, list,
				    sizeof(list)));
	else if (devices->count == 0)
		rt_err_set(err, -ENODEV, "no RDMA device %s: there is none at all",
			   name);
	else
		rt_err_set(err, -ENODEV,
			   "no RDMA device, netdev or PCI address %s: there are %s",
			   name,
			   names_of(devices, name, ANSWER_NO, list, sizeof(list)));
	return NULL;
}
