/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_want.h - which ports of a source were asked for. */
#ifndef RT_RUN_WATCH_WANT_H
#define RT_RUN_WATCH_WANT_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "run/watch.h"

/* Whether one of the patterns, which end with NULL, is of the name: fnmatch(3). */
static inline bool rt_watch_matches(const char *const *patterns, const char *name)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/* A port's name, its RDMA device (what a "/" follows), or its network device (""). */
static inline bool rt_watch_names(const char *const *patterns, const char *name,
				  const char *netdev)
{
	const char *slash = strchr(name, '/');
	char device[64];

	if (rt_watch_matches(patterns, name) ||
	    (*netdev && rt_watch_matches(patterns, netdev)))
		return true;
	if (!slash || (size_t)(slash - name) >= sizeof(device))
		return false;
	memcpy(device, name, (size_t)(slash - name));
	device[slash - name] = '\0';
	return rt_watch_matches(patterns, device);
}

static inline bool rt_watch_wants(const struct rt_watch_request *request,
				  const char *name, const char *netdev)
{
	const bool named = !request->ports || !request->ports[0] ||
			   rt_watch_names(request->ports, name, netdev);

	return named && !rt_watch_names(request->exclude, name, netdev);
}

#endif
