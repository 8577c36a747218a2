/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - what happened: the newest RT_WATCH_MAX_EVENTS, in room that never grows.
 *
 * A finding begins at once and ends when it was absent for some ticks and for some time,
 * so that one that flickers is one event, however fast the ticks are.
 */
#ifndef RT_WATCH_EVENTS_H
#define RT_WATCH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/watch.h"

/* Ticks without a finding before it has ended, and how long they are at least. */
#define RT_EVENTS_ABSENT    3u
#define RT_EVENTS_ABSENT_NS INT64_C(2500000000)

struct rt_events {
	struct rt_watch_event *items; /* owned; twice the room, so as to seldom move */
	size_t first, count;
	uint64_t last; /* number of the newest */
	/* When what comes now happens. */
	int64_t time_ns, wall_ns;
};

int rt_events_open(struct rt_events *events); /* -ENOMEM */
void rt_events_close(struct rt_events *events);

void rt_events_add(struct rt_events *events, enum rt_watch_event_kind kind,
		   enum rt_severity severity, const char *port, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void rt_events_acknowledge(struct rt_events *events, uint64_t number);

/* --- what lasts ------------------------------------------------------------------------------ */

/* A finding that has begun. */
struct rt_lasting {
	const char *id; /* borrowed from the rule, and known by it; as is title */
	const char *title;
	int64_t seen_ns; /* when it was last there */
	unsigned absent; /* ticks */
	char where[sizeof(((struct rt_finding *)0)->where)];
};

struct rt_lastings {
	struct rt_lasting *items; /* owned */
	size_t count, capacity;
};

/* One of them has not begun: the event will want its evidence. */
bool rt_events_will_begin(const struct rt_lastings *lastings,
			  const struct rt_findings *findings);

/* The findings of a port at a tick: what begins and ends among them.  -ENOMEM. */
int rt_events_follow(struct rt_events *events, struct rt_lastings *lastings,
		     const char *port, const struct rt_findings *findings);
void rt_lastings_free(struct rt_lastings *lastings);

#endif
