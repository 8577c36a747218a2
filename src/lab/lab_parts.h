/* SPDX-License-Identifier: BSD-2-Clause */
/* lab_parts.h - the parts of a lab's process, for one another. */
#ifndef RT_LAB_LAB_PARTS_H
#define RT_LAB_LAB_PARTS_H

#include "lab/lab.h"

struct rt_err;

/* The hosts' namespaces and cables; fds are closed by whoever ends the process. */
struct rt_lab_net {
	int switch_netns_fd;
	int netns_fd[RT_LAB_MAX_HOSTS];
	struct rt_lab_host hosts[RT_LAB_MAX_HOSTS];
	const char *netdevs[RT_LAB_MAX_PORTS]; /* of the switch, by port; or NULL */
	uint32_t host_count;
};

/* In the calling process, which must be in a namespace that becomes the switch's. */
int rt_lab_net_make(const struct rt_topology *topology, uint32_t mtu_bytes,
		    struct rt_lab_net *net, struct rt_err *err);

/*
 * A frame of each host, for the switch to learn where it is: what goes to a host that
 * never spoke floods, and a second and a third copy of an incast would be queued and
 * marked at the other hosts.  The switch must be open.
 */
int rt_lab_net_announce(const struct rt_lab_net *net, struct rt_err *err);

/*
 * The life of a lab's process, from its first instruction in its PID namespace; never
 * returns.  ready_fd takes a struct rt_err: code 0 is "up".
 */
_Noreturn void rt_lab_live(const struct rt_lab_setup *setup, struct rt_lab_claim *claim,
			   int ready_fd);

#endif
