/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_pick.c - which interface and address, and which never. */
#include "traffic/soft_pick.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/ip.h"
#include "kern/files.h"
#include "rocetune/err.h"

/* --- addresses ---------------------------------------------------------------- */

static bool read_address(const struct sockaddr *from, struct rt_ip *ret_ip)
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;

	*ret_ip = (struct rt_ip){ 0 };
	if (from && from->sa_family == AF_INET) {
		ret_ip->version = 4;
		memcpy(ret_ip->bytes, &v4->sin_addr, 4);
	} else if (from && from->sa_family == AF_INET6) {
		ret_ip->version = 6;
		memcpy(ret_ip->bytes, &v6->sin6_addr, 16);
	}
	return ret_ip->version != 0;
}

/* Less is better: IPv4, then IPv6, then what is only good on this link. */
static unsigned rank_of(const struct rt_ip *ip)
{
	if (ip->version == 4)
		return 0;
	return ip->bytes[0] == 0xFE && (ip->bytes[1] & 0xC0) == 0x80 ? 2 : 1;
}

static bool is_candidate(const struct ifaddrs *at, const char *netdev,
			 const struct rt_ip *want, const struct rt_ip *ip)
{
	if (*netdev && strcmp(at->ifa_name, netdev) != 0)
		return false;
	if (want->version)
		return rt_ip_equal(want, ip);
	return *netdev || ((at->ifa_flags & IFF_UP) && !(at->ifa_flags & IFF_LOOPBACK));
}

static void take(const struct ifaddrs *at, const struct rt_ip *ip,
		 struct rt_soft_place *place)
{
	struct rt_ip mask;

	snprintf(place->netdev, sizeof(place->netdev), "%s", at->ifa_name);
	place->ip = *ip;
	place->prefix = read_address(at->ifa_netmask, &mask)
				? rt_ip_prefix_bits(mask.bytes, sizeof(mask.bytes))
				: 0;
	place->ifindex = if_nametoindex(at->ifa_name);
}

/* The best address of those that will do, of interfaces that owned does not name. */
static bool choose(const struct ifaddrs *all, const char *netdev,
		   const struct rt_ip *want, const struct rt_names *owned,
		   struct rt_soft_place *place)
{
	unsigned best = UINT32_MAX;

	for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
		bool is_owned = false;
		struct rt_ip ip;

		for (size_t i = 0; i < owned->count; i++)
			is_owned |= strcmp(owned->items[i], at->ifa_name) == 0;
		if ((is_owned && !*netdev && !want->version) ||
		    !read_address(at->ifa_addr, &ip) ||
		    !is_candidate(at, netdev, want, &ip) || rank_of(&ip) >= best)
			continue;
		best = rank_of(&ip);
		take(at, &ip, place);
	}
	return best != UINT32_MAX;
}

/* --- interfaces of RDMA devices -------------------------------------------------- */

static const struct rt_link *find_link(const struct rt_links *links, unsigned ifindex)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->items[i].ifindex == ifindex)
			return &links->items[i];
	return NULL;
}

/* The port's own interface, and VLANs and bonds on it, which have its MAC address. */
static int add_owned(struct rt_names *owned, const struct rt_links *links,
		     const struct rt_rdma_port *port)
{
	const struct rt_link *own = find_link(links, port->ifindex);
	int r = 0;

	for (size_t i = 0; own && r == 0 && i < links->count; i++)
		if (memcmp(links->items[i].mac, own->mac, sizeof(own->mac)) == 0)
			r = rt_names_add(owned, links->items[i].name);
	return r;
}

static int list_owned(struct rt_kern *kern, struct rt_names *owned, struct rt_err *err)
{
	struct rt_rdma_ports ports = { 0 };
	struct rt_links links = { 0 };
	struct rt_err why = { 0 };
	int r = kern->ops->rdma_ports(kern, &ports, &why);

	if (r == -EOPNOTSUPP) /* a kernel without RDMA */
		return 0;
	if (r < 0)
		return rt_err_set(err, r,
				  "cannot tell which interfaces belong to RDMA "
				  "devices, where this traffic would be in their "
				  "way: %s",
				  *why.msg ? why.msg : strerror(-r));
	r = kern->ops->links(kern, &links, err);
	for (size_t i = 0; r == 0 && i < ports.count; i++)
		r = add_owned(owned, &links, &ports.items[i]);
	rt_rdma_ports_free(&ports);
	rt_links_free(&links);
	return r;
}

/* --- both ------------------------------------------------------------------------- */

static int nothing(const char *netdev, const struct rt_ip *ip, struct rt_err *err)
{
	char text[RT_IP_TEXT_BYTES];

	if (*netdev && !if_nametoindex(netdev))
		return rt_err_set(err, -ENODEV, "%s: there is no such interface here",
				  netdev);
	if (ip->version && *netdev)
		return rt_err_set(err, -ENODEV, "%s does not have the address %s",
				  netdev, rt_ip_format(ip, text));
	if (ip->version)
		return rt_err_set(err, -ENODEV, "no interface has the address %s",
				  rt_ip_format(ip, text));
	if (*netdev)
		return rt_err_set(
			err, -ENODEV,
			"%s: it has no address: give it one, as in ip address "
			"add 10.0.0.1/24 dev %s",
			netdev, netdev);
	return rt_err_set(err, -ENODEV,
			  "no interface that is up, has an address and belongs to no "
			  "RDMA device");
}

static int pick(const char *netdev, const struct rt_ip *ip,
		const struct rt_names *owned, struct rt_soft_place *place,
		struct rt_err *err)
{
	char text[RT_IP_TEXT_BYTES];
	struct ifaddrs *all;
	bool found;

	if (getifaddrs(&all) < 0)
		return rt_err_sys(err, -errno, "cannot list addresses");
	found = choose(all, netdev, ip, owned, place);
	freeifaddrs(all);
	if (!found)
		return nothing(netdev, ip, err);
	for (size_t i = 0; i < owned->count; i++)
		if (strcmp(owned->items[i], place->netdev) == 0)
			return rt_err_set(
				err, -EBUSY,
				"%s belongs to an RDMA device, whose NIC takes UDP "
				"port 4791 for itself: use the verbs engine there",
				place->netdev);
	snprintf(place->chosen, sizeof(place->chosen), "%s: %s; %s: %s", place->netdev,
		 *netdev       ? "as told"
		 : ip->version ? "it has the address"
			       : "the first that is up and has an address",
		 rt_ip_format(&place->ip, text),
		 ip->version              ? "as told"
		 : place->ip.version == 4 ? "its first IPv4 address"
					  : "its first address, IPv6 only");
	return 0;
}

int rt_soft_pick(struct rt_kern *kern, const char *netdev, const struct rt_ip *ip,
		 struct rt_soft_place *ret_place, struct rt_err *err)
{
	struct rt_soft_place place = { 0 };
	struct rt_names owned = { 0 };
	int r = list_owned(kern, &owned, err);

	if (r == 0)
		r = pick(netdev, ip, &owned, &place, err);
	rt_names_free(&owned);
	if (r < 0)
		return r;
	(void)kern->ops->speed_get(kern, place.netdev, &place.speed_bps, NULL);
	*ret_place = place;
	return 0;
}

bool rt_soft_on_link(const struct rt_soft_place *place, const struct rt_ip *ip)
{
	const unsigned whole = place->prefix / 8;
	const uint8_t rest = (uint8_t)(0xFF00u >> place->prefix % 8);

	if (ip->version != place->ip.version || !place->prefix ||
	    memcmp(ip->bytes, place->ip.bytes, whole) != 0)
		return false;
	return whole == sizeof(ip->bytes) ||
	       ((ip->bytes[whole] ^ place->ip.bytes[whole]) & rest) == 0;
}
