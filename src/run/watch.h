/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.h - what `rocetune top` and `exporter` look at: which source, opened.
 */
#ifndef RT_RUN_WATCH_H
#define RT_RUN_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

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
		*capture;          /* interfaces whose flows are watched; may be NULL */
	uint64_t interval_ns;      /* 0: of a scenario, what suits it */
	struct rt_opt_u64 seek_ns; /* of a recording: so far from its beginning */
	const char *record;        /* file to record into; NULL: none */
};

/* -EINVAL: it asks for more than one thing, or for what that thing cannot do. */
int rt_run_watch_check(const struct rt_watch_request *request, struct rt_err *err);

/* It is this host, as it is now, that it asks for. */
bool rt_run_watch_is_here(const struct rt_watch_request *request);

/*
 * The request is borrowed as long as the watching lasts.
 * -ENODEV: nothing to watch here, and what can be done about it.
 */
int rt_run_watch_open(const struct rt_watch_request *request,
		      struct rt_watch **ret_watch, struct rt_err *err);
void rt_run_watch_close(struct rt_watch *watch); /* NULL is fine */

/*
 * Kind "watch": a snapshot as an object that its tables describe (run/watch_table.h),
 * which is good until the next tick.  with_counters: raw values and rates too;
 * after_event: of events only those that came after this one, 0: all there are.
 */
struct rt_outcome;
struct rt_watch_snapshot; /* explained, where evidence is to be there */
int rt_run_watch_outcome(const struct rt_watch_snapshot *snapshot, bool with_counters,
			 uint64_t after_event, struct rt_outcome *ret_outcome,
			 struct rt_err *err);

/* --- without a screen ------------------------------------------------------------- */

struct rt_watched;

struct rt_watch_batch {
	/*
	 * So many intervals, then it ends; unknown: until it is told to.  The first
	 * sample, which has no rates yet, is shown only where there are to be none.
	 */
	struct rt_opt_u64 intervals;
	double speed; /* of a source with a time of its own; 0: as fast as it goes */
	bool with_counters; /* raw values and rates too */
	int stop_fd;        /* readable: it is to end; -1: none */
	int out_fd;         /* whose reader may go away; -1: none */
	/* A negative result ends it. */
	int (*show)(void *context, const struct rt_watched *watched);
	void *context;
};

/*
 * Watch and show until one of them ends it, and with it what is recorded.  0; what show
 * said; -ENODATA: there was nothing to show; what writing the recording said: it could
 * not be gone on with, or its end is missing.
 */
int rt_run_watch_batch(struct rt_watch *watch, const struct rt_watch_batch *batch,
		       struct rt_err *err);

/* It says only that rates have not begun: what a later interval says stands for it. */
struct rt_finding;
bool rt_run_watch_is_beginning(const struct rt_finding *finding);

#endif
