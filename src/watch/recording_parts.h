/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_parts.h - a recording that is read: where its lines are, and what the last
 * ones said.  Between recording.c, recording_read.c and replay.c only.
 */
#ifndef RT_WATCH_RECORDING_PARTS_H
#define RT_WATCH_RECORDING_PARTS_H

#include "watch/recording.h"
#include "watch/recording_lines.h"

/* A line of the text. */
struct rt_recording_line {
	size_t offset;
	uint32_t bytes; /* without its end */
	uint32_t line;  /* from 1 */
};

struct rt_recording_segment {
	struct rt_recording_line at;
	uint64_t first;   /* sample; that of the next segment where it has none */
	int64_t begun_ns; /* as it says */
	int64_t shift_ns; /* to add to its times: clocks of joined files differ */
	bool elsewhere;   /* what was before it says nothing of it: another time */
};

struct rt_recording_moment {
	struct rt_recording_line at;
	int64_t time_ns; /* shifted */
	uint32_t segment;
};

/* What the lines of a segment said of a port, up to one of them. */
struct rt_recording_track {
	size_t number; /* of the port in samples that are handed out */
	struct rt_watch_port facts;
	struct rt_counter_set set;           /* without items */
	const struct rt_line_layout *layout; /* of the head */
	uint64_t *values;                    /* owned; by item of the layout */
	bool *known;                         /* owned */
	size_t known_count;
	uint64_t layout_number; /* of those that are known; 0: to be counted anew */
};

struct rt_recording {
	char *name;
	const char *text;
	size_t bytes;
	struct rt_recording_about about;
	struct rt_recording_segment *segments;
	size_t segment_count, segment_capacity;
	struct rt_recording_moment *moments; /* by sample */
	size_t moment_count, moment_capacity;

	/* As of the line before sample next; head is empty: of no line. */
	uint64_t next;
	size_t segment;
	struct rt_line_head head;
	struct rt_recording_track *tracks; /* by port of the head */
	size_t track_count;
	int64_t time_ns, wall_ns;
	struct rt_watch_flows flows;
	/* Ports by number, of all segments read so far. */
	char (*names)[sizeof(((struct rt_watch_port *)0)->name)];
	size_t name_count, name_capacity;
};

/* The first of a part whose clock is not that of the part before. */
bool rt_recording_begins_elsewhere(const struct rt_recording *recording,
				   uint64_t number);

/* The first sample behind the segment that number is in. */
uint64_t rt_recording_next_segment(const struct rt_recording *recording,
				   uint64_t number);

/* A head line; the caller frees it (rt_record_free()).  -EINVAL. */
int rt_recording_read_head(const struct rt_recording *recording,
			   const struct rt_recording_line *at,
			   struct rt_line_head *ret_head, struct rt_err *err);

/* Forget what was decoded. */
void rt_recording_forget(struct rt_recording *recording);

#endif
