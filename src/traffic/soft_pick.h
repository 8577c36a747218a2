/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_pick.h - the interface and the address of a soft engine.  Internal to traffic. */
#ifndef RT_TRAFFIC_SOFT_PICK_H
#define RT_TRAFFIC_SOFT_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;
struct rt_kern;

struct rt_soft_place {
	char netdev[16];
	unsigned ifindex;
	struct rt_ip ip;
	unsigned prefix; /* bits of the address that are the network's */
	struct rt_opt_u64 speed_bps;
	char chosen[200]; /* why, in words */
};

/*
 * Choose what is not told (netdev "", ip version 0) among the interfaces that are up
 * and have an address, IPv4 first.
 * -ENODEV: there is none such.  -EBUSY: an RDMA device owns it: its NIC swallows UDP
 * port 4791, and a queue pair there may be somebody's.
 */
int rt_soft_pick(struct rt_kern *kern, const char *netdev, const struct rt_ip *ip,
		 struct rt_soft_place *ret_place, struct rt_err *err);

/* Whether both are in the network of the place. */
bool rt_soft_on_link(const struct rt_soft_place *place, const struct rt_ip *ip);

#endif
