/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elsewhere.h - RDMA devices of this host that are not seen from here, because they are
 * another network namespace's: a container's.
 *
 * Whose they are is told by that namespace's own kernel interfaces, which takes root.
 * That they are is told without: programs' verbs (/sys/class/infiniband_verbs) and PCI
 * are the same in all namespaces.
 */
#ifndef RT_HOST_ELSEWHERE_H
#define RT_HOST_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kern/kern.h"
#include "rocetune/field.h"

struct rt_devices;
struct rt_err;

#define RT_ELSEWHERE_ENTER_BYTES 160

struct rt_elsewhere {
	char device[RT_IBNAME_BYTES]; /* "": not told */
	char netdev[RT_IFNAME_BYTES]; /* "": none, or not told */
	char pci[16];                 /* "": none, or not told */
	char driver[32];              /* the kernel's; "": not told */
	char netns[RT_NETNS_NAME_BYTES];
	struct rt_opt_u64 netns_id, pid;
	char where[200];                      /* in words */
	char enter[RT_ELSEWHERE_ENTER_BYTES]; /* a command before another; "": none */
	char remedy[RT_ELSEWHERE_ENTER_BYTES + 32]; /* what to do, or to know; "" */
};

struct rt_elsewheres {
	struct rt_elsewhere *items; /* owned */
	size_t count, capacity;
};

extern const struct rt_table rt_elsewhere_table;

/*
 * Those that are not among here.  Empty where devices are shared by all namespaces, and
 * for a picture of a host.  -ENOMEM: what cannot be asked is not there.
 */
int rt_elsewhere_read(struct rt_kern *kern, const struct rt_devices *here,
		      struct rt_elsewheres *ret_elsewheres, struct rt_err *err);
void rt_elsewheres_free(struct rt_elsewheres *elsewheres);

/*
 * When name, of a device, network device or PCI address as a user says it, is one of
 * those: true, and *err says where it is and how command ("show mlx5_2") gets there.
 * NULL: any of them.
 */
bool rt_elsewhere_tell(struct rt_kern *kern, const struct rt_devices *here,
		       const char *name, const char *command, struct rt_err *err);

#endif
