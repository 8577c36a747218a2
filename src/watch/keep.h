/* SPDX-License-Identifier: BSD-2-Clause */
/* keep.h - what a struct rt_watch is: for the sampler's own files. */
#ifndef RT_WATCH_KEEP_H
#define RT_WATCH_KEEP_H

#include "rocetune/err.h"
#include "watch/events.h"
#include "watch/meter.h"
#include "watch/source.h"
#include "watch/watch.h"

/* Histories of counters are kept of as many ports as fit; of figures, of all. */
#define RT_KEEP_HISTORY_BYTES (UINT64_C(64) << 20)

/* A clock of a source's own, against the world's. */
struct rt_keep_anchor {
	bool set;
	int64_t mono_ns, own_ns;
	double speed;
};

struct rt_recorder;

struct rt_watch {
	struct rt_watch_source *source; /* owned */
	struct rt_watch_sample sample;
	struct rt_watch_view *views; /* by port */
	struct rt_meter **meters;    /* by port, each owned */
	size_t capacity;             /* of both */
	size_t held;                 /* ports that they were made for */
	size_t slot;                 /* of all rings: the place of the newest points */
	uint64_t history_items;      /* of all ports */
	int64_t began_ns;            /* CLOCK_MONOTONIC of the last tick; 0: none yet */
	int64_t due_ns;              /* of the next one */
	struct rt_keep_anchor anchor;
	struct rt_opt_u64 baseline_at_ns; /* in the source's time, as its bits */
	struct rt_events events;
	bool failing;                 /* the source's last sample */
	bool flows_failing;           /* the capture of flows, there */
	bool jumped;                  /* the next one does not follow the last */
	bool explained;               /* findings have their evidence, or never will */
	struct rt_recorder *recorder; /* owned; NULL: none */
	char *recording_path;         /* owned */
	struct rt_err lost;           /* why it ended, when nobody ended it */
	struct rt_watch_snapshot snapshot;
};

/* --- due.c ----------------------------------------------------------------------------------- */

/* An interval within the bounds. */
uint64_t rt_keep_bounded(uint64_t interval_ns);
/*
 * A tick begins now: the next one is an interval after this one was due, unless that has
 * passed as well.
 */
void rt_keep_plan_next(struct rt_watch *watch, int64_t now_ns);

/* --- paces.c --------------------------------------------------------------------------------- */

void rt_keep_fill_paces(const struct rt_watch *watch, const struct rt_meter *meter,
			struct rt_watch_view *view);

/* --- watch.c --------------------------------------------------------------------------------- */

/* As rt_watch_explain(), of the first count ports.  -ENOMEM. */
int rt_keep_explain(struct rt_watch *watch, size_t count);

/* --- changes.c ------------------------------------------------------------------------------- */

/* Tell how a port, its sources and its findings changed since the last tick.  -ENOMEM. */
int rt_keep_tell_port(struct rt_watch *watch, size_t port);

/* Tell that the source failed, once. */
void rt_keep_tell_failure(struct rt_watch *watch, const char *why);

/* Tell when the capture of flows failed, and when it goes on. */
void rt_keep_tell_flows(struct rt_watch *watch);

/* --- record.c -------------------------------------------------------------------------------- */

/* Write the sample, if there is where; what goes wrong is an event. */
void rt_keep_record(struct rt_watch *watch);

#endif
