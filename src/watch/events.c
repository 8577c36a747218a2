/* SPDX-License-Identifier: BSD-2-Clause */
/* events.c - the log of what happened. */
#include "watch/events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

/* --- the log ------------------------------------------------------------------------------- */

#define ROOM (2 * RT_WATCH_MAX_EVENTS)

int rt_events_open(struct rt_events *events)
{
	*events = (struct rt_events){ .items = calloc(ROOM, sizeof(*events->items)) };
	return events->items ? 0 : -ENOMEM;
}

void rt_events_close(struct rt_events *events)
{
	free(events->items);
	*events = (struct rt_events){ 0 };
}

/* The place of the next one; the oldest goes, and all move once in a thousand times. */
static struct rt_watch_event *next_place(struct rt_events *events)
{
	if (events->count == RT_WATCH_MAX_EVENTS) {
		events->first++;
		events->count--;
	}
	if (events->first + events->count == ROOM) {
		memmove(events->items, events->items + events->first,
			events->count * sizeof(*events->items));
		events->first = 0;
	}
	return &events->items[events->first + events->count++];
}

static struct rt_watch_event *add(struct rt_events *events,
				  enum rt_watch_event_kind kind, unsigned severity,
				  const char *port)
{
	struct rt_watch_event *event = next_place(events);

	*event = (struct rt_watch_event){ .number = ++events->last,
					  .time_ns = events->time_ns,
					  .wall_ns = events->wall_ns,
					  .kind = kind,
					  .severity = severity };
	snprintf(event->port, sizeof(event->port), "%s", port);
	return event;
}

void rt_events_add(struct rt_events *events, enum rt_watch_event_kind kind,
		   enum rt_severity severity, const char *port, const char *fmt, ...)
{
	struct rt_watch_event *event = add(events, kind, severity, port);
	va_list args;

	va_start(args, fmt);
	vsnprintf(event->text, sizeof(event->text), fmt, args);
	va_end(args);
	rt_text_clean(event->text); /* reasons hold words of files and of kernels */
}

void rt_events_acknowledge(struct rt_events *events, uint64_t number)
{
	const uint64_t oldest = events->last + 1 - events->count;

	if (number >= oldest && number <= events->last)
		events->items[events->first + (number - oldest)].acknowledged = true;
}

/* --- what lasts ------------------------------------------------------------------------------ */

/* finding: that begins it, or NULL. */
static void add_finding(struct rt_events *events, enum rt_watch_event_kind kind,
			const char *port, const struct rt_lasting *lasting,
			const struct rt_finding *finding)
{
	const unsigned severity = finding ? finding->severity : RT_SEVERITY_INFO;
	struct rt_watch_event *event = add(events, kind, severity, port);
	struct rt_line line = { event->text, sizeof(event->text), 0 };

	snprintf(event->id, sizeof(event->id), "%s", lasting->id);
	/* Told apart by words, too: a letter alone reads like a milder finding. */
	if (kind == RT_EVENT_FINDING_ENDED)
		rt_line_put(&line, "over: ");
	if (*lasting->where && strcmp(lasting->where, port) != 0)
		rt_line_put(&line, "%s: ", lasting->where);
	rt_line_put(&line, "%s", lasting->title);
	if (finding && *finding->evidence)
		rt_line_put(&line, ": %s", finding->evidence);
	rt_text_clean(event->text); /* it may have been cut within a character */
}

/* What cannot be judged does not happen; sources tell why. */
static bool is_told(const struct rt_finding *finding)
{
	return finding->severity != RT_SEVERITY_UNKNOWN;
}

/* The rule's own id, and so the same pointer. */
static struct rt_lasting *find(const struct rt_lastings *lastings,
			       const struct rt_finding *finding)
{
	for (size_t i = 0; i < lastings->count; i++)
		if (lastings->items[i].id == finding->id &&
		    strcmp(lastings->items[i].where, finding->where) == 0)
			return &lastings->items[i];
	return NULL;
}

bool rt_events_will_begin(const struct rt_lastings *lastings,
			  const struct rt_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (is_told(&findings->items[i]) &&
		    !find(lastings, &findings->items[i]))
			return true;
	return false;
}

/* NULL: no memory. */
static struct rt_lasting *begin(struct rt_events *events, struct rt_lastings *lastings,
				const char *port, const struct rt_finding *finding)
{
	struct rt_lasting *items = rt_grow(lastings->items, lastings->count,
					   &lastings->capacity, sizeof(*items));
	struct rt_lasting *begun;

	if (!items)
		return NULL;
	lastings->items = items;
	begun = &items[lastings->count++];
	*begun = (struct rt_lasting){ .id = finding->id, .title = finding->title };
	memcpy(begun->where, finding->where, sizeof(begun->where));
	add_finding(events, RT_EVENT_FINDING_BEGAN, port, begun, finding);
	return begun;
}

static bool has_ended(const struct rt_lasting *lasting, int64_t time_ns)
{
	return lasting->absent >= RT_EVENTS_ABSENT &&
	       (uint64_t)time_ns - (uint64_t)lasting->seen_ns >= RT_EVENTS_ABSENT_NS;
}

static void end_absent(struct rt_events *events, struct rt_lastings *lastings,
		       const char *port)
{
	size_t kept = 0;

	for (size_t i = 0; i < lastings->count; i++) {
		if (has_ended(&lastings->items[i], events->time_ns))
			add_finding(events, RT_EVENT_FINDING_ENDED, port,
				    &lastings->items[i], NULL);
		else
			lastings->items[kept++] = lastings->items[i];
	}
	lastings->count = kept;
}

int rt_events_follow(struct rt_events *events, struct rt_lastings *lastings,
		     const char *port, const struct rt_findings *findings)
{
	for (size_t i = 0; i < lastings->count; i++)
		lastings->items[i].absent++;
	for (size_t i = 0; i < findings->count; i++) {
		const struct rt_finding *finding = &findings->items[i];
		struct rt_lasting *lasting;

		if (!is_told(finding))
			continue;
		lasting = find(lastings, finding);
		if (!lasting)
			lasting = begin(events, lastings, port, finding);
		if (!lasting)
			return -ENOMEM;
		lasting->absent = 0;
		lasting->seen_ns = events->time_ns;
	}
	if (lastings->count)
		end_absent(events, lastings, port);
	return 0;
}

void rt_lastings_free(struct rt_lastings *lastings)
{
	free(lastings->items);
	*lastings = (struct rt_lastings){ 0 };
}
