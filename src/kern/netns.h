/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * netns.h - network namespaces that live as long as somebody holds them: by a file
 * descriptor, never by a name in the file system, so that nothing is left when the
 * holder dies (namespaces(7)).
 *
 * All calls are of the calling thread.
 */
#ifndef RT_KERN_NETNS_H
#define RT_KERN_NETNS_H

#include <stdbool.h>
#include <sys/types.h>

struct rt_err;

/* "4026531840" of a namespace: which it is; 0: it cannot be told. */
ino_t rt_netns_id(int fd);

/*
 * May namespaces and links be made?  Root may; others become root of a user namespace
 * of their own (user_namespaces(7)), for the rest of the process, and are in an empty
 * network of it: *ret_user_namespace.
 * -EPERM: neither is allowed here, the text has the remedy.
 */
int rt_netns_prepare(bool *ret_user_namespace, struct rt_err *err);

/* Whether other namespaces may be entered (CAP_SYS_ADMIN); nothing is tried. */
bool rt_netns_may_enter(void);

/* A new namespace, empty but for a loopback that is down; the caller closes the fd. */
int rt_netns_create(int *ret_fd, struct rt_err *err);

/* The namespace one is in; the caller closes the fd. */
int rt_netns_current(int *ret_fd, struct rt_err *err);

int rt_netns_enter(int fd, struct rt_err *err);

/*
 * No IPv6 here, on interfaces that are there and on those to come.  A kernel without
 * IPv6 has none to forbid; -EROFS where /proc/sys is not writable.
 */
int rt_netns_without_ipv6(struct rt_err *err);

#endif
