/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_lab.h - a lab that is up as a source of samples (watch/source.h). */
#ifndef RT_RUN_WATCH_LAB_H
#define RT_RUN_WATCH_LAB_H

#include "lab/lab_state.h"

struct rt_err;
struct rt_watch_request;
struct rt_watch_source;

/*
 * The ports of a lab's switches, and the NIC of each host, whose counters are there
 * while endpoints of rocetune run on it.  A lab that goes down leaves its ports gone;
 * when one of its name comes back with such ports they go on.
 * name: "" or NULL is the only lab there is.  Of the request only ports and exclude are
 * looked at; they are borrowed as long as the source lives.
 * -ENOENT: there is no such lab, or there are several.  -ESRCH: it is dead.
 * -ENODEV: none of its ports was asked for.
 */
int rt_watch_lab_open(const char *name, const struct rt_watch_request *request,
		      struct rt_watch_source **ret_source, struct rt_err *err);

/* The lab that is meant, by its name, or the only one.  -ENOENT.  -EINVAL: no name. */
int rt_watch_lab_choose(const char *name, char ret_name[RT_LAB_NAME_BYTES],
			struct rt_err *err);

#endif
