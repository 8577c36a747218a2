/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_pick.h - some ports of a source that hands over all of them. */
#ifndef RT_RUN_WATCH_PICK_H
#define RT_RUN_WATCH_PICK_H

struct rt_err;
struct rt_watch_request;
struct rt_watch_source;

/*
 * Takes source, which can seek, also on failure.  Of the request the patterns, which
 * are borrowed as long as the source lives, and whether it is the demonstration.  A
 * request without patterns gives the source itself.  -ENOMEM.  -ENODEV: it never has a
 * port that was asked for.
 */
int rt_watch_pick_open(struct rt_watch_source *source,
		       const struct rt_watch_request *request,
		       struct rt_watch_source **ret_source, struct rt_err *err);

#endif
