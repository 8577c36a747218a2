/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netdev.h - making and setting interfaces by rtnetlink (linux/rtnetlink.h): veth
 * pairs, addresses, up.
 *
 * A struct rt_nl speaks to the network namespace that it was first used in.
 */
#ifndef RT_KERN_NETDEV_H
#define RT_KERN_NETDEV_H

#include <stdint.h>

struct rt_err;
struct rt_ip;
struct rt_nl;

struct rt_veth {
	const char *name, *peer;
	int peer_netns_fd; /* where the peer is made; -1: here */
	uint32_t mtu_bytes;
	uint8_t mac[6], peer_mac[6];
};

/*
 * Make both ends (drivers/net/veth.c).  -EEXIST: a name is taken.  -EINVAL: no name
 * for an interface, or an MTU that veth does not do.  -EADDRNOTAVAIL: a MAC address of
 * zeros or of a group.
 */
int rt_veth_add(struct rt_nl *nl, const struct rt_veth *veth, struct rt_err *err);

/* -ENODEV: no such interface; so everywhere below. */
int rt_netdev_up(struct rt_nl *nl, const char *netdev, struct rt_err *err);

/* IPv4, with the route that its prefix means. */
int rt_netdev_address(struct rt_nl *nl, const char *netdev, const struct rt_ip *ip,
		      unsigned prefix_bits, struct rt_err *err);

/*
 * Frames leave with their checksum, none longer than the MTU: a peer that is a program
 * gets what a cable would carry (ETHTOOL_STXCSUM, linux/ethtool.h; without it the
 * kernel takes segmentation away, too).  Of the calling thread's namespace.
 */
int rt_netdev_no_offload(const char *netdev, struct rt_err *err);

#endif
