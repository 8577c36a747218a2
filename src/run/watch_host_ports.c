/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_host_ports.c - which ports of a host are watched, and what becomes of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/own.h"
#include "host/counters.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/watch_host_parts.h"
#include "run/watch_want.h"

#define LOOK_NS      5000000000ll  /* between looks at what ports there are */
#define LOOK_SOON_NS 500000000ll   /* after something was seen to change */
#define SCAN_NS      30000000000ll /* all of them anew, though nothing was seen */
#define ADDRESS_NS   30000000000ll /* and their addresses, in which nothing is seen */

/* --- which ports ------------------------------------------------------------------------- */

/* As everywhere (run/watch_want.h), and by its PCI address, which only a host knows. */
static bool matches(char *const *words, const struct rt_device *device)
{
	const char *const *patterns = (const char *const *)words;
	char name[sizeof(((struct rt_watch_port *)0)->name)];

	rt_watch_host_name(device, name);
	return rt_watch_names(patterns, name, device->netdev) ||
	       (*device->pci && rt_watch_matches(patterns, device->pci));
}

static bool is_wanted(const struct rt_watch_host *host, const struct rt_device *device)
{
	if (host->exclude && matches(host->exclude, device))
		return false;
	if (host->ports)
		return matches(host->ports, device);
	return device->link_layer != RT_LAYER_INFINIBAND;
}

/* RDMA ports, or network devices where there is none at all. */
static int find_devices(struct rt_kern *kern, struct rt_devices *ret_devices,
			struct rt_err *err)
{
	struct rt_err why = { 0 };
	int r = rt_devices_read(kern, 0, ret_devices, &why);

	if (r == 0 && ret_devices->count)
		return 0;
	if (r == 0)
		rt_devices_free(ret_devices);
	if (r < 0 && r != -EOPNOTSUPP)
		return rt_err_set(err, r, "%s", why.msg);
	r = rt_counters_netdevs(kern, ret_devices, err);
	/* A tree that somebody copied tells no links. */
	if (r == -EOPNOTSUPP || r == -ENOENT) {
		*ret_devices = (struct rt_devices){ 0 };
		r = 0;
	}
	return r;
}

static bool is_same(const struct rt_device *a, const struct rt_device *b)
{
	return strcmp(a->netdev, b->netdev) == 0 && a->ifindex == b->ifindex &&
	       strcmp(a->bond, b->bond) == 0 && strcmp(a->slaves, b->slaves) == 0 &&
	       a->driver == b->driver && a->function == b->function;
}

/* --- a port ------------------------------------------------------------------------------ */

void rt_watch_host_shut(struct rt_watch_host_port *port)
{
	rt_counter_port_close(port->counters);
	port->counters = NULL;
	if (port->changes_fd >= 0)
		close(port->changes_fd);
	port->changes_fd = -1;
}

void rt_watch_host_lose(struct rt_watch_host_port *port)
{
	rt_watch_host_shut(port);
	port->facts.state = RT_WATCH_GONE;
	port->facts.note[0] = '\0';
	port->noted = 0;
	port->told = false;
}

static bool read_changes(const struct rt_watch_host_port *port, uint64_t *ret_changes)
{
	char text[24] = "";

	if (port->changes_fd < 0 ||
	    pread(port->changes_fd, text, sizeof(text) - 1, 0) <= 0)
		return false;
	*ret_changes = strtoull(text, NULL, 10);
	return true;
}

static int open_port(struct rt_watch_host *host, struct rt_watch_host_port *port,
		     struct rt_err *err)
{
	char path[80];
	int r = rt_counter_port_open(host->kern, &port->device, &port->counters, err);

	if (r < 0)
		return r;
	memset(port->cost_ns, 0, sizeof(port->cost_ns));
	memset(port->usual_ns, 0, sizeof(port->usual_ns));
	memset(port->first, 0, sizeof(port->first));
	port->moves = 0;
	if (*port->device.netdev) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/carrier_changes",
			 port->device.netdev);
		port->changes_fd = rt_kern_file_open(host->kern, path, NULL);
	}
	if (!read_changes(port, &port->changes))
		port->changes = 0;
	return 0;
}

/*
 * What is known of it now; opened when it is new, or another one than before.  Its
 * address then, too, or when it is time to look at all of them.
 */
static int renew_port(struct rt_watch_host *host, struct rt_watch_host_port *port,
		      const struct rt_device *device, bool address, struct rt_err *err)
{
	const bool same = port->counters && is_same(&port->device, device);
	int r = 0;

	port->seen = true;
	port->told = false;
	if (!same)
		rt_watch_host_shut(port);
	port->device = *device;
	if (!same)
		r = open_port(host, port, err);
	if (r == 0 && rt_watch_host_facts(host->kern, device, &port->facts) < 0)
		r = rt_err_sys(err, -ENOMEM, "%s", port->facts.name);
	if (r == 0 && *device->ibdev && (address || !same))
		r = rt_watch_host_address(host->kern, device, &port->facts, err);
	return r;
}

static int add_port(struct rt_watch_host *host, const struct rt_device *device,
		    struct rt_err *err)
{
	struct rt_watch_host_port **grown, *port;

	grown = rt_grow(host->items, host->count, &host->capacity, sizeof(*grown));
	port = grown ? calloc(1, sizeof(*port)) : NULL;
	if (grown)
		host->items = grown;
	if (!port)
		return rt_err_sys(err, -ENOMEM, "cannot hold the ports");
	port->changes_fd = -1;
	host->items[host->count++] = port;
	return renew_port(host, port, device, true, err);
}

static struct rt_watch_host_port *find_port(struct rt_watch_host *host,
					    const struct rt_device *device)
{
	for (size_t i = 0; i < host->count; i++) {
		struct rt_watch_host_port *port = host->items[i];

		if (port->device.port == device->port &&
		    strcmp(port->device.ibdev, device->ibdev) == 0 &&
		    (*device->ibdev ||
		     strcmp(port->device.netdev, device->netdev) == 0))
			return port;
	}
	return NULL;
}

/* Those that are gone keep their places. */
static int check_room(struct rt_watch_host *host, const struct rt_devices *devices,
		      struct rt_err *err)
{
	size_t count = host->count;

	if (count + devices->count <= RT_WATCH_MAX_PORTS)
		return 0;
	for (size_t i = 0; i < devices->count; i++)
		count += is_wanted(host, &devices->items[i]) &&
			 !find_port(host, &devices->items[i]);
	return rt_watch_check_ports(count, host->source.title, err);
}

/* Look for ports: those that are new, gone, back, or have changed. */
static int scan(struct rt_watch_host *host, int64_t now_ns, struct rt_err *err)
{
	const bool address = now_ns - host->addressed_ns >= ADDRESS_NS;
	struct rt_devices devices;
	int r = find_devices(host->kern, &devices, err);

	if (r < 0)
		return r;
	r = check_room(host, &devices, err);
	for (size_t i = 0; i < host->count; i++)
		host->items[i]->seen = false;
	for (size_t i = 0; i < devices.count && r == 0; i++) {
		const struct rt_device *device = &devices.items[i];
		struct rt_watch_host_port *port = find_port(host, device);

		if (port)
			r = renew_port(host, port, device, address, err);
		else if (is_wanted(host, device))
			r = add_port(host, device, err);
	}
	rt_devices_free(&devices);
	for (size_t i = 0; i < host->count && r == 0; i++)
		if (!host->items[i]->seen)
			rt_watch_host_lose(host->items[i]);
	if (r == 0 && address)
		host->addressed_ns = now_ns;
	return r;
}

static uint64_t print_text(uint64_t print, const char *text)
{
	return rt_hash_pair(print, rt_hash_bytes(text, strlen(text)));
}

static uint64_t print_links(struct rt_kern *kern, uint64_t print)
{
	struct rt_links links;

	if (kern->ops->links(kern, &links, NULL) < 0)
		return print;
	for (size_t i = 0; i < links.count; i++) {
		const struct rt_link *link = &links.items[i];

		print = print_text(print, link->name);
		print = rt_hash_pair(print, link->ifindex);
		print = rt_hash_pair(print, link->master_ifindex);
		print = rt_hash_pair(print,
				     (uint64_t)link->mtu_bytes << 1 | link->carrier);
	}
	rt_links_free(&links);
	return print;
}

/* Another number when ports or links came, went, or changed what can be seen at once. */
static uint64_t print_of(struct rt_kern *kern)
{
	uint64_t print = print_links(kern, 0);
	struct rt_rdma_ports ports;

	if (kern->ops->rdma_ports(kern, &ports, NULL) < 0)
		return print;
	for (size_t i = 0; i < ports.count; i++) {
		const struct rt_rdma_port *port = &ports.items[i];

		print = print_text(print, port->ibdev);
		print = print_text(print, port->netdev);
		print = rt_hash_pair(print, (uint64_t)port->dev_index << 32 |
						    port->port << 8 | port->state);
	}
	rt_rdma_ports_free(&ports);
	return print;
}

/* Once a file was replaced by another one it will be again, and is looked at each time. */
static void renew_files(struct rt_watch_host *host)
{
	for (size_t i = 0; i < host->count && host->is_picture; i++) {
		struct rt_watch_host_port *port = host->items[i];

		if (port->counters && rt_counter_port_renew(port->counters))
			port->renews = true;
	}
}

/*
 * Two questions tell whether all is as it was; then only what cannot be seen by them is
 * read of each port.  Reading all of a host takes ten times as long.
 */
int rt_watch_host_look(struct rt_watch_host *host, int64_t now_ns, struct rt_err *err)
{
	const uint64_t print = print_of(host->kern);
	int r = 0;

	renew_files(host);
	host->looked_ns = now_ns;
	if (host->changed || print != host->print ||
	    now_ns - host->scanned_ns >= SCAN_NS) {
		r = scan(host, now_ns, err);
		if (r < 0) /* it is tried again at the next look */
			return r;
		host->print = print;
		host->scanned_ns = now_ns;
		host->changed = false;
		return 0;
	}
	for (size_t i = 0; i < host->count && r == 0; i++) {
		struct rt_watch_host_port *port = host->items[i];

		if (!port->counters)
			continue;
		port->told = false;
		r = rt_watch_host_facts(host->kern, &port->device, &port->facts);
	}
	return r < 0 ? rt_err_sys(err, r, "cannot look at the ports") : 0;
}

/* --- when ---------------------------------------------------------------------------------- */

static void look_at_carriers(struct rt_watch_host *host)
{
	for (size_t i = 0; i < host->count; i++) {
		struct rt_watch_host_port *port = host->items[i];
		uint64_t changes;

		if (!read_changes(port, &changes) || changes == port->changes)
			continue;
		port->changes = changes;
		host->changed = true;
	}
}

static bool is_look_due(const struct rt_watch_host *host, int64_t now_ns)
{
	const int64_t since_ns = now_ns - host->looked_ns;

	return since_ns >= (host->changed ? LOOK_SOON_NS : LOOK_NS);
}

int rt_watch_host_look_if_due(struct rt_watch_host *host, int64_t now_ns,
			      struct rt_err *err)
{
	look_at_carriers(host);
	return is_look_due(host, now_ns) ? rt_watch_host_look(host, now_ns, err) : 0;
}
