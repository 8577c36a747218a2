/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - where samples come from: this host or a picture of one (run/watch_host), a
 * lab (run/watch_lab), a simulation (run/watch_sim), a recording, a demonstration.
 *
 * Used from one thread.  A source keeps open what it reads; it never forks, and it
 * changes nothing.
 */
#ifndef RT_WATCH_SOURCE_H
#define RT_WATCH_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct rt_err;
struct rt_watch_sample;
struct rt_watch_source;

struct rt_watch_source_ops {
	const char *name; /* "host", "replay", "demo" */
	const char *help;
	/*
	 * Fill *sample, which is the one of the last call, or zero.  A port that cannot
	 * be read says so in its note and looks; one that went away is RT_WATCH_GONE.
	 * -ENODATA: there is no more (recordings, simulations).  Another error is of
	 * the whole source, and may pass.
	 */
	int (*sample)(struct rt_watch_source *source, struct rt_watch_sample *sample,
		      struct rt_err *err);
	/*
	 * When, by its own clock, its next sample is: of a source whose time is not the
	 * world's.  NULL: it is sampled whenever the caller likes.  -ENODATA.
	 */
	int (*next_ns)(struct rt_watch_source *source, int64_t *ret_ns);
	/*
	 * The next sample is to be the last one at or before time_ns (its first, if
	 * there is none).  NULL: it cannot.
	 */
	int (*seek)(struct rt_watch_source *source, int64_t time_ns,
		    struct rt_err *err);
	void (*close)(struct rt_watch_source *source); /* takes it */
};

/* Every source begins with it. */
struct rt_watch_source {
	const struct rt_watch_source_ops *ops;
	char title[128]; /* what is watched: "host node1", "recording x.rtw" */
};

/* --- sources of this room ------------------------------------------------------------------ */

/*
 * A made-up host whose ports have every trouble there is a verdict for, always the same:
 * a sample each step_ns of its own time, for ever.  -ENOMEM.
 */
int rt_watch_demo_open(uint64_t step_ns, struct rt_watch_source **ret_source,
		       struct rt_err *err);

/*
 * A recording (watch/recording.h); what follows a place where it was cut is left out,
 * and title says so.  -EINVAL: it is none, with file and line.
 */
int rt_watch_replay_open(const char *path, struct rt_watch_source **ret_source,
			 struct rt_err *err);

#endif
