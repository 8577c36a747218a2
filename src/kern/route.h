/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * route.h - the way to another host as the kernel of this network namespace knows it:
 * interface, gateway, and the MAC address of the next hop.
 *
 * For whoever builds frames, and so has to do without the kernel's output path.
 */
#ifndef RT_KERN_ROUTE_H
#define RT_KERN_ROUTE_H

#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;

struct rt_route {
	unsigned ifindex;
	struct rt_ip gateway; /* version 0: the host is on the link */
	struct rt_ip source;  /* that the kernel would send from; version 0: not told */
};

/*
 * The route to a host; ifindex 0: by any interface.
 * -ENETUNREACH and the like: what the kernel says.
 */
int rt_route_lookup(const struct rt_ip *to, unsigned ifindex,
		    struct rt_route *ret_route, struct rt_err *err);

/*
 * The MAC address of a neighbour.  One that is not known yet is asked for by ARP or
 * neighbour discovery, which a UDP datagram to its discard port (RFC 863) brings about.
 * -EHOSTUNREACH: no answer within wait_ms.
 */
int rt_neighbour_lookup(const struct rt_ip *neighbour, unsigned ifindex,
			unsigned wait_ms, uint8_t ret_mac[6], struct rt_err *err);

/* Both: where frames to this host go. */
int rt_next_hop(const struct rt_ip *to, unsigned ifindex, unsigned wait_ms,
		uint8_t ret_mac[6], struct rt_err *err);

/*
 * What the kernel's answers say: RTM_NEWROUTE, RTM_NEWNEIGH (linux/rtnetlink.h,
 * linux/neighbour.h), the bytes behind struct nlmsghdr, 4-byte aligned, from anywhere.
 * -EPROTO: it makes no sense; -EHOSTUNREACH: a route that leads nowhere; -ENOENT: the
 * neighbour's address is not known.
 */
int rt_route_parse(const void *payload, size_t bytes, struct rt_route *ret_route,
		   struct rt_err *err);
int rt_neighbour_parse(const void *payload, size_t bytes, uint8_t ret_mac[6],
		       struct rt_err *err);

#endif
