/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostlist.h - many hosts in few words, as Slurm and ClusterShell write them:
 * "n[01-64,70],login,r[1-2]c[1-4]".  A range keeps the zeros of its first number.
 */
#ifndef RT_BASE_HOSTLIST_H
#define RT_BASE_HOSTLIST_H

#include <stddef.h>

struct rt_err;

#define RT_HOSTLIST_NAME_BYTES 256u /* of one name, with the 0 at its end */

struct rt_hostlist {
	char **names; /* owned, each its own */
	size_t count;
};

/*
 * All hosts of text, in its order.  -EINVAL: it is no such list, or a host stands in it
 * twice; -E2BIG: more than `most`, or a name of 256 bytes or more; -ENOMEM.
 */
int rt_hostlist_read(const char *text, size_t most, struct rt_hostlist *ret_list,
		     struct rt_err *err);
void rt_hostlist_free(struct rt_hostlist *list);

#endif
