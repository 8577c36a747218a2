/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_host_parts.h - a host that is watched: what its files share. */
#ifndef RT_RUN_WATCH_HOST_PARTS_H
#define RT_RUN_WATCH_HOST_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/device.h"
#include "watch/sample.h"
#include "watch/source.h"

struct rt_counter_port;
struct rt_err;
struct rt_kern;

struct rt_watch_host_port {
	struct rt_device device;
	struct rt_counter_port *counters; /* NULL: it is gone */
	struct rt_watch_port facts;
	int changes_fd; /* carrier_changes; -1: none */
	uint64_t changes;
	uint64_t cost_ns[RT_SOURCE_COUNT];  /* of the last reading; 0: none yet */
	uint64_t usual_ns[RT_SOURCE_COUNT]; /* the lesser of the last two */
	struct rt_counter_pace first[RT_SOURCE_COUNT]; /* in a picture: since opened */
	unsigned moves;  /* bits of sources that changed since */
	uint64_t looked; /* of the set: failed are bits of sources by its looks */
	unsigned failed;
	unsigned noted; /* what the note is about, as bits */
	bool seen;      /* by this scan */
	bool told;      /* its facts are in the sample */
};

struct rt_watch_host {
	struct rt_watch_source source;     /* first */
	struct rt_kern *kern;              /* owned */
	char **ports, **exclude;           /* owned; end with NULL; NULL: none said */
	struct rt_watch_host_port **items; /* owned, and stay where they are */
	size_t count, capacity;
	int64_t looked_ns, scanned_ns; /* when that was last */
	uint64_t print;                /* of what ports there are, by their names */
	int64_t sampled_ns;            /* the last sample; 0: none */
	bool is_picture;               /* not a host that is running */
	bool changed;                  /* ports are to be looked for soon */
};

/*
 * Look for ports: those that are new, gone, back, or have changed; all of them are read
 * anew when now_ns is late enough, or something was seen to change.  What listing them
 * said, -ENOMEM: they are as they were.
 */
int rt_watch_host_look(struct rt_watch_host *host, int64_t now_ns, struct rt_err *err);
/* The same, unless it is too early to. */
int rt_watch_host_look_if_due(struct rt_watch_host *host, int64_t now_ns,
			      struct rt_err *err);

/* It is gone: what it had open is closed. */
void rt_watch_host_lose(struct rt_watch_host_port *port);
void rt_watch_host_shut(struct rt_watch_host_port *port);

/* What device is, but for its addresses; a note is left alone.  -ENOMEM. */
int rt_watch_host_facts(struct rt_kern *kern, const struct rt_device *device,
			struct rt_watch_port *port);
/* An address of it, which is not asked for again: there may be many. */
int rt_watch_host_address(struct rt_kern *kern, const struct rt_device *device,
			  struct rt_watch_port *port, struct rt_err *err);

#endif
