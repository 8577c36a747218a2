/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab.h - the fabric in one box: a process that is the switch, and network namespaces
 * that are the hosts.
 *
 * One process makes and holds everything: the hosts' namespaces are open files of it
 * and have no other name, a veth pair goes with its namespaces, and the process is the
 * first of a PID namespace in which all runs that is started on the hosts.  When it
 * ends, however it ends, the kernel ends those processes and takes namespaces and links
 * away (pid_namespaces(7), namespaces(7)); only the notes in its folder can be left
 * (lab/lab_state.h).
 */
#ifndef RT_LAB_LAB_H
#define RT_LAB_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lab/lab_state.h"
#include "lab/switch.h"

struct rt_err;

struct rt_lab_setup {
	const char *name;
	const struct rt_topology *topology;  /* borrowed, as all here */
	const struct rt_fabric_config *laws; /* already scaled (lab/scale.h) */
	uint8_t prio_of_dscp[64];
	uint64_t seed;
	uint32_t mtu_bytes;   /* of interfaces: IP packets; 0: what laws need */
	const char *profile;  /* to be noted; NULL: none */
	const char *scenario; /* file, from the root, to be noted; NULL: none */
	const char *said;     /* how laws were scaled, to be noted */
	const char *faults;   /* what is wrong with it on purpose; NULL: nothing */
	bool user_namespace;  /* as rt_netns_prepare() said */
	/* It ends with the calling thread; else it lives on its own. */
	bool owned;
	/*
	 * A process of its own in each host's namespace, which ends when host returns;
	 * NULL: none.  fds: one for each, closed in all other processes of the lab.
	 */
	int (*host)(void *context, uint32_t host, int fd);
	void *context;
	const int *host_fds;
};

/*
 * Make a lab and wait until it is up.  removed tells in words what a dead lab of that
 * name had left; "".  -EEXIST: one is up.  -EINVAL: the topology is too large.  What
 * making namespaces, links or the switch said.
 * *ret_state is the caller's; of an owned lab the caller reaps the process.
 */
int rt_lab_start(const struct rt_lab_store *store, const struct rt_lab_setup *setup,
		 char removed[160], struct rt_lab_state *ret_state, struct rt_err *err);

/*
 * End it: asked to, and killed when it is not gone in three seconds.  *ret_killed.
 * -ESRCH: it is gone already.  -ENOTEMPTY: it has ended, and something in its folder is
 * not its own and stays.
 */
int rt_lab_stop(const struct rt_lab_store *store, const struct rt_lab_state *state,
		bool *ret_killed, struct rt_err *err);

/*
 * Be in a host (NULL: where the switch is) from here on: its network, and for children
 * its PID namespace, with which they end.  Only for a process of one thread when the lab
 * is of a user namespace.  -ESRCH: it is gone.
 */
int rt_lab_enter(const struct rt_lab_state *state, const struct rt_lab_host *host,
		 struct rt_err *err);

/* The same for one thread and the network alone, of an own lab. */
int rt_lab_enter_network(const struct rt_lab_state *state,
			 const struct rt_lab_host *host, struct rt_err *err);

/* "h3" of the lab.  -ENOENT: the text says which there are. */
int rt_lab_host_find(const struct rt_lab_state *state, const char *name,
		     const struct rt_lab_host **ret_host, struct rt_err *err);

/* What interfaces need for laws' packets: 1500 at least. */
uint32_t rt_lab_mtu(const struct rt_fabric_config *laws);

#endif
