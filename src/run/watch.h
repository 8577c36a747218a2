/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.h - what `rocetune top` and `exporter` look at: which source, opened.
 */
#ifndef RT_RUN_WATCH_H
#define RT_RUN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_err;
struct rt_watch;

struct rt_watch_request {
	/* At most one of them; none: this host. */
	const char *sysroot;  /* folder or bundle of a snapshot, or of dumps */
	const char *lab;      /* name of a lab; "": the only one */
	const char *replay;   /* recording */
	const char *scenario; /* simulated, at its own pace */
	bool demo;
	const char *const *ports;   /* only these (shell patterns), ends with NULL */
	const char *const *exclude; /* not these; may be NULL */
	const char *const
		*capture; /* interfaces whose flows are watched; may be NULL */
	uint64_t interval_ns;
};

/* -ENODEV: nothing to watch here, and what can be done about it. */
int rt_run_watch_open(const struct rt_watch_request *request,
		      struct rt_watch **ret_watch, struct rt_err *err);

/* Kind "watch": an object that describes a snapshot by tables, for batch output. */
struct rt_outcome;
struct rt_watch_snapshot;
int rt_run_watch_outcome(const struct rt_watch_snapshot *snapshot,
			 struct rt_outcome *ret_outcome, struct rt_err *err);

#endif
