/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_host.h - the source of samples that is this host, or a picture of one: all of
 * its RoCE ports, or its network devices where it has no RDMA.
 *
 * What is read is held open (host/counters.h).  What ports are is looked at every few
 * seconds, and at once when a carrier changed or a port went away.
 */
#ifndef RT_RUN_WATCH_HOST_H
#define RT_RUN_WATCH_HOST_H

struct rt_err;
struct rt_kern;
struct rt_watch_request;
struct rt_watch_source;

/*
 * Takes kern, also on failure; of the request its patterns and sysroot, which are
 * copied.  A pattern is of the port's name, RDMA device, network device or PCI address.
 * InfiniBand ports are watched when a pattern asks for them.  -ENODEV: nothing to
 * watch, and why.  -ENOMEM.
 */
int rt_watch_host_open(struct rt_kern *kern, const struct rt_watch_request *request,
		       struct rt_watch_source **ret_source, struct rt_err *err);

#endif
