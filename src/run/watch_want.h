/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_want.h - which ports of a source were asked for. */
#ifndef RT_RUN_WATCH_WANT_H
#define RT_RUN_WATCH_WANT_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/watch.h"

static inline bool rt_watch_matches(const char *const *patterns, const char *name)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/* By its name or that of its network device (""): fnmatch(3), without flags. */
static inline bool rt_watch_wants(const struct rt_watch_request *request,
				  const char *name, const char *netdev)
{
	const bool named = !request->ports || !request->ports[0] ||
			   rt_watch_matches(request->ports, name) ||
			   (*netdev && rt_watch_matches(request->ports, netdev));

	return named && !rt_watch_matches(request->exclude, name) &&
	       !(*netdev && rt_watch_matches(request->exclude, netdev));
}

#endif
