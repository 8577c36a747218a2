/* SPDX-License-Identifier: BSD-2-Clause */
/* watch.c - the table of sources, and opening the one that was asked for. */
#include "run/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "kern/kern.h"
#include "rocetune/err.h"
#include "run/host.h"
#include "run/watch_flows.h"
#include "run/watch_host.h"
#include "run/watch_lab.h"
#include "run/watch_pick.h"
#include "run/watch_sim.h"
#include "watch/source.h"
#include "watch/watch.h"

/* --- sources ------------------------------------------------------------------------------- */

static bool asks_sysroot(const struct rt_watch_request *request)
{
	return request->sysroot != NULL;
}

static bool asks_lab(const struct rt_watch_request *request)
{
	return request->lab != NULL;
}

static bool asks_scenario(const struct rt_watch_request *request)
{
	return request->scenario != NULL;
}

static bool asks_replay(const struct rt_watch_request *request)
{
	return request->replay != NULL;
}

static bool asks_demo(const struct rt_watch_request *request)
{
	return request->demo;
}

static int open_host(const struct rt_watch_request *request,
		     struct rt_watch_source **ret_source, struct rt_err *err)
{
	struct rt_kern *kern;
	int r = rt_run_open_host(request->sysroot, &kern, err);

	return r < 0 ? r : rt_watch_host_open(kern, request, ret_source, err);
}

static int open_lab(const struct rt_watch_request *request,
		    struct rt_watch_source **ret_source, struct rt_err *err)
{
	return rt_watch_lab_open(request->lab, request, ret_source, err);
}

static int open_scenario(const struct rt_watch_request *request,
			 struct rt_watch_source **ret_source, struct rt_err *err)
{
	return rt_watch_sim_open(request->scenario, request, ret_source, err);
}

static int open_replay(const struct rt_watch_request *request,
		       struct rt_watch_source **ret_source, struct rt_err *err)
{
	return rt_watch_replay_open(request->replay, ret_source, err);
}

static int open_demo(const struct rt_watch_request *request,
		     struct rt_watch_source **ret_source, struct rt_err *err)
{
	return rt_watch_demo_open(request->interval_ns, ret_source, err);
}

struct source_row {
	const char *option; /* as people ask for it */
	bool (*asked)(const struct rt_watch_request *request);
	int (*open)(const struct rt_watch_request *request,
		    struct rt_watch_source **ret_source, struct rt_err *err);
	bool picks; /* it looks at the patterns itself */
};

static const struct source_row rows[] = {
	{ "--sysroot", asks_sysroot, open_host, true },
	{ "--lab", asks_lab, open_lab, true },
	{ "--scenario", asks_scenario, open_scenario, true },
	{ "--replay", asks_replay, open_replay, false },
	{ "--demo", asks_demo, open_demo, false },
};

static const struct source_row this_host = { "this host", NULL, open_host, true };

/* --- requests ------------------------------------------------------------------------------ */

static int find_row(const struct rt_watch_request *request,
		    const struct source_row **ret_row, struct rt_err *err)
{
	const struct source_row *found = NULL;

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		if (!rows[i].asked(request))
			continue;
		if (found)
			return rt_err_set(err, -EINVAL,
					  "%s and %s: one thing is watched at a time",
					  found->option, rows[i].option);
		found = &rows[i];
	}
	*ret_row = found ? found : &this_host;
	return 0;
}

bool rt_run_watch_is_here(const struct rt_watch_request *request)
{
	const struct source_row *row;

	return find_row(request, &row, NULL) == 0 && row == &this_host;
}

static bool captures(const struct rt_watch_request *request)
{
	return request->capture && request->capture[0];
}

int rt_run_watch_check(const struct rt_watch_request *request, struct rt_err *err)
{
	const struct source_row *row;
	int r = find_row(request, &row, err);

	if (r < 0)
		return r;
	if (request->seek_ns.known && !request->replay)
		return rt_err_set(err, -EINVAL,
				  "--seek is of recordings: it wants --replay FILE");
	/* Frames pass here and now, or nowhere. */
	if (captures(request) && row != &this_host && !request->lab)
		return rt_err_set(
			err, -EINVAL,
			"--capture is of this host's interfaces or of a lab's, "
			"and not of %s",
			row->option);
	return 0;
}

static int open_source(const struct rt_watch_request *request,
		       struct rt_watch_source **ret_source, struct rt_err *err)
{
	const struct source_row *row;
	int r = rt_run_watch_check(request, err);

	if (r == 0)
		r = find_row(request, &row, err);
	if (r == 0)
		r = row->open(request, ret_source, err);
	if (r == 0 && !row->picks)
		r = rt_watch_pick_open(*ret_source, request, ret_source, err);
	if (r == 0 && captures(request))
		r = rt_watch_flows_open(*ret_source, request->capture, request->lab,
					ret_source, err);
	return r;
}

/* Its first sample is where it begins. */
static int seek(struct rt_watch_source *source, uint64_t by_ns, struct rt_err *err)
{
	int64_t first_ns;

	if (!source->ops->seek || source->ops->next_ns(source, &first_ns) < 0)
		return 0; /* it is empty, which is told by reading it */
	if (by_ns > INT64_MAX ||
	    __builtin_add_overflow(first_ns, (int64_t)by_ns, &first_ns))
		first_ns = INT64_MAX;
	return source->ops->seek(source, first_ns, err);
}

int rt_run_watch_open(const struct rt_watch_request *request,
		      struct rt_watch **ret_watch, struct rt_err *err)
{
	struct rt_watch_source *source;
	struct rt_watch *watch;
	int r = open_source(request, &source, err);

	if (r < 0)
		return r;
	if (request->seek_ns.known)
		r = seek(source, request->seek_ns.value, err);
	if (r < 0) {
		source->ops->close(source);
		return r;
	}
	r = rt_watch_open(source, request->interval_ns, &watch, err);
	if (r < 0)
		return r;
	if (request->record)
		r = rt_watch_record(watch, request->record, err);
	if (r < 0) {
		rt_watch_close(watch);
		return r;
	}
	*ret_watch = watch;
	return 0;
}

void rt_run_watch_close(struct rt_watch *watch)
{
	rt_watch_close(watch);
}
