/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_flows.h - live flows: a source whose samples have, beside those of another
 * source, what passed interfaces since the sample before.
 */
#ifndef RT_RUN_WATCH_FLOWS_H
#define RT_RUN_WATCH_FLOWS_H

struct rt_err;
struct rt_watch_source;

/*
 * netdevs ends with NULL and is borrowed for the call: interfaces of this host, or of
 * the lab's switch when lab names one ("": the only one there is).  A thread reads them
 * all the time, so that rings do not run over in long intervals; it sends nothing.
 * Takes source, also on failure.  Errors of rt_live_open(); -EPERM also where a lab
 * cannot be entered from here.
 */
int rt_watch_flows_open(struct rt_watch_source *source, const char *const *netdevs,
			const char *lab, struct rt_watch_source **ret_source,
			struct rt_err *err);

#endif
