/* SPDX-License-Identifier: BSD-2-Clause */
/* device.c - what RDMA ports and GIDs this host has, and opening the one chosen. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "base/ip.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/verbs/choose.h"
#include "traffic/verbs/verbs.h"

/* All ports of all devices; gids of ports[i] are owned through it. */
struct host_ports {
	struct verbs_port *items;
	size_t count, capacity;
};

static void host_ports_free(struct host_ports *ports)
{
	for (size_t i = 0; i < ports->count; i++)
		free((void *)(uintptr_t)ports->items[i].gids);
	free(ports->items);
}

/* --- GIDs ------------------------------------------------------------------------- */

static const uint8_t *address_of(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return (const uint8_t *)&(
			       (const struct sockaddr_in *)(const void *)address)
			->sin_addr;
	return (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)address)
		->sin6_addr;
}

/* The subnet of a GID is that of the same address among the host's. */
static void find_prefix(const struct ifaddrs *addresses, struct verbs_gid *gid)
{
	const struct rt_ip ip = verbs_gid_ip(gid->bytes);
	const int family = ip.version == 4 ? AF_INET : AF_INET6;
	const size_t bytes = ip.version == 4 ? 4 : 16;

	for (const struct ifaddrs *a = addresses; a; a = a->ifa_next)
		if (a->ifa_addr && a->ifa_netmask && a->ifa_addr->sa_family == family &&
		    memcmp(address_of(a->ifa_addr), ip.bytes, bytes) == 0)
			gid->prefix_bits = (uint8_t)rt_ip_prefix_bits(
				address_of(a->ifa_netmask), bytes);
}

static unsigned kind_of(uint32_t type)
{
	if (type == IBV_GID_TYPE_ROCE_V2)
		return VERBS_GID_ROCE_V2;
	return type == IBV_GID_TYPE_ROCE_V1 ? VERBS_GID_ROCE_V1 : VERBS_GID_IB;
}

/* GIDs of the whole device; *ret_entries is owned by the caller. */
static ssize_t read_gids(struct ibv_context *context,
			 const struct ibv_device_attr *device,
			 struct ibv_gid_entry **ret_entries)
{
	struct ibv_port_attr port;
	size_t most = 0;

	for (uint8_t n = 1; n <= device->phys_port_cnt; n++)
		if (ibv_query_port(context, n, &port) == 0 && port.gid_tbl_len > 0)
			most += (size_t)port.gid_tbl_len;
	*ret_entries = calloc(most ? most : 1, sizeof(**ret_entries));
	return *ret_entries ? ibv_query_gid_table(context, *ret_entries, most, 0)
			    : -ENOMEM;
}

static void take_gids(struct verbs_port *port, const struct ibv_gid_entry *entries,
		      size_t count, const struct ifaddrs *addresses)
{
	struct verbs_gid *gids = calloc(count ? count : 1, sizeof(*gids));

	port->gids = gids;
	if (!gids)
		return;
	for (size_t i = 0; i < count; i++) {
		struct verbs_gid *gid = &gids[port->gid_count];

		if (entries[i].port_num != port->number)
			continue;
		gid->index = entries[i].gid_index;
		gid->kind = kind_of(entries[i].gid_type);
		memcpy(gid->bytes, entries[i].gid.raw, 16);
		gid->ifindex = entries[i].ndev_ifindex;
		find_prefix(addresses, gid);
		port->gid_count++;
	}
}

/* --- ports ------------------------------------------------------------------------ */

static void name_state(struct verbs_port *port, enum ibv_port_state state)
{
	static const char *const words[] = {
		[IBV_PORT_NOP] = "in no state",
		[IBV_PORT_DOWN] = "DOWN",
		[IBV_PORT_INIT] = "INIT",
		[IBV_PORT_ARMED] = "ARMED",
		[IBV_PORT_ACTIVE] = "ACTIVE",
		[IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	port->active = state == IBV_PORT_ACTIVE;
	snprintf(port->state, sizeof(port->state), "%s",
		 (size_t)state < RT_ARRAY_SIZE(words) ? words[state] : "unknown");
}

static int add_ports(struct host_ports *ports, struct ibv_context *context,
		     const struct ifaddrs *addresses)
{
	struct ibv_device_attr device;
	struct ibv_gid_entry *entries RT_AUTO(rt_auto_free) = NULL;
	ssize_t count;

	if (ibv_query_device(context, &device) != 0)
		return 0;
	count = read_gids(context, &device, &entries);
	for (uint8_t n = 1; n <= device.phys_port_cnt; n++) {
		struct verbs_port *moved, *port;
		struct ibv_port_attr attr;

		if (ibv_query_port(context, n, &attr) != 0)
			continue;
		moved = rt_grow(ports->items, ports->count, &ports->capacity,
				sizeof(*moved));
		if (!moved)
			return -ENOMEM;
		ports->items = moved;
		port = &moved[ports->count++];
		*port = (struct verbs_port){
			.number = n,
			.ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET,
		};
		snprintf(port->device, sizeof(port->device), "%s",
			 ibv_get_device_name(context->device));
		name_state(port, attr.state);
		take_gids(port, entries, count > 0 ? (size_t)count : 0, addresses);
	}
	return 0;
}

/* Devices that the kernel has and no provider library drives are not in verbs' list. */
static bool kernel_has_devices(void)
{
	DIR *folder = opendir("/sys/class/infiniband");
	const struct dirent *entry;
	bool found = false;

	while (folder && (entry = readdir(folder)))
		found = found || entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return found;
}

static int read_host(struct ibv_device **devices, int count, struct host_ports *ports,
		     struct rt_err *err)
{
	struct ifaddrs *addresses = NULL;
	int r = 0, refused = 0;

	if (getifaddrs(&addresses) < 0)
		addresses = NULL;
	for (int i = 0; i < count && r == 0; i++) {
		struct ibv_context *context = ibv_open_device(devices[i]);

		if (!context) {
			refused = errno;
			continue;
		}
		r = add_ports(ports, context, addresses);
		ibv_close_device(context);
	}
	if (addresses)
		freeifaddrs(addresses);
	if (r < 0)
		return rt_err_sys(err, r, "the list of RDMA ports");
	if (!ports->count && refused)
		return rt_err_sys(
			err, -refused,
			"no RDMA device can be opened (/dev/infiniband/uverbs*)");
	return 0;
}

/* --- the one chosen --------------------------------------------------------------- */

static int wish_of(const struct rt_engine_config *config, struct verbs_wish *wish,
		   struct rt_err *err)
{
	*wish = (struct verbs_wish){ .ip = config->ip, .gid_index = config->gid_index };
	memcpy(wish->device, config->device, sizeof(wish->device));
	memcpy(wish->netdev, config->netdev, sizeof(wish->netdev));
	if (!*wish->netdev)
		return 0;
	wish->ifindex = if_nametoindex(wish->netdev);
	if (!wish->ifindex)
		return rt_err_set(err, -ENODEV, "there is no interface '%s'",
				  wish->netdev);
	return 0;
}

static void describe(struct verbs_engine *engine, const struct verbs_port *port,
		     const struct verbs_choice *choice)
{
	const struct verbs_gid *gid = &port->gids[choice->gid];
	struct rt_engine_about *about = &engine->about;

	snprintf(about->engine, sizeof(about->engine), "verbs");
	snprintf(about->device, sizeof(about->device), "%s", port->device);
	if (gid->ifindex && !if_indextoname(gid->ifindex, about->netdev))
		about->netdev[0] = '\0';
	about->ip = verbs_gid_ip(gid->bytes);
	about->gid_index = RT_KNOWN_U64(gid->index);
	snprintf(about->gid_type, sizeof(about->gid_type), "RoCE v2");
	snprintf(about->chosen, sizeof(about->chosen), "%s", choice->why);
	snprintf(about->transport, sizeof(about->transport), "RC on %.24s",
		 port->device);
	engine->port = port->number;
	engine->gid_index = (uint8_t)gid->index;
}

/* What Linux takes off an interface's MTU for RoCE (include/rdma/ib_addr.h). */
#define HEADER_BYTES 96u

/* MTU and speed of the port that was opened. */
static int measure(struct verbs_engine *engine, struct rt_err *err)
{
	struct rt_engine_about *about = &engine->about;
	struct ibv_port_attr port;
	const uint32_t asked = engine->config.mtu_bytes;

	if (ibv_query_device(engine->context, &engine->device) != 0 ||
	    ibv_query_port(engine->context, engine->port, &port) != 0)
		return rt_err_sys(err, -errno, "%s/%u", about->device, engine->port);
	about->mtu_bytes = verbs_mtu_bytes(port.active_mtu);
	about->speed_bps = verbs_speed_bps(port.active_speed, port.active_width);
	if (!asked)
		return 0;
	if (!verbs_mtu_code(asked))
		return rt_err_set(
			err, -EINVAL,
			"%u bytes is no path MTU: 256, 512, 1024, 2048 or 4096", asked);
	if (asked > about->mtu_bytes)
		return rt_err_set(err, -EMSGSIZE,
				  "a path MTU of %u bytes does not go through %s/%u, "
				  "whose is %u: raise the MTU of %s (%u at least)",
				  asked, about->device, engine->port, about->mtu_bytes,
				  about->netdev, asked + HEADER_BYTES);
	about->mtu_bytes = asked;
	return 0;
}

/*
 * librdmacm makes queue pairs only on a context that it opened itself, once in a
 * process and for good.
 */
static struct ibv_context *open_by_cm(const char *name)
{
	struct ibv_context **contexts, *found = NULL;
	int count = 0;

	contexts = rdma_get_devices(&count);
	for (int i = 0; i < count && !found; i++)
		if (strcmp(ibv_get_device_name(contexts[i]->device), name) == 0)
			found = contexts[i];
	if (contexts)
		rdma_free_devices(contexts);
	return found;
}

static int open_chosen(struct verbs_engine *engine, struct ibv_device **devices,
		       int count, struct rt_err *err)
{
	struct host_ports ports RT_AUTO(host_ports_free) = { 0 };
	struct verbs_choice choice;
	struct verbs_wish wish;
	int r = wish_of(&engine->config, &wish, err);

	if (r == 0)
		r = read_host(devices, count, &ports, err);
	if (r == 0)
		r = verbs_choose(ports.items, ports.count, &wish, &choice, err);
	if (r < 0)
		return r;
	describe(engine, &ports.items[choice.port], &choice);
	if (engine->config.use_cm)
		engine->context = open_by_cm(engine->about.device);
	for (int i = 0; i < count && !engine->config.use_cm && !engine->context; i++)
		if (strcmp(ibv_get_device_name(devices[i]), engine->about.device) == 0)
			engine->context = ibv_open_device(devices[i]);
	if (!engine->context)
		return rt_err_sys(err, -errno, "%s cannot be opened",
				  engine->about.device);
	return measure(engine, err);
}

int verbs_device_open(struct verbs_engine *engine, struct rt_err *err)
{
	struct ibv_device **devices;
	int count = 0, r;

	devices = ibv_get_device_list(&count);
	if (!devices || count == 0) {
		const bool provider = kernel_has_devices();

		if (devices)
			ibv_free_device_list(devices);
		return rt_err_set(
			err, -ENODEV, "%s",
			provider ? "the kernel has RDMA devices and no library here "
				   "drives them: apt-get install ibverbs-providers"
				 : "there is no RDMA device here (rdma link); without "
				   "one, the soft engine sends RoCEv2 from any "
				   "interface");
	}
	r = open_chosen(engine, devices, count, err);
	ibv_free_device_list(devices);
	return r;
}
