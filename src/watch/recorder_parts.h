/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder_parts.h - a recorder: what its file says so far.  Between recorder.c,
 * recorder_head.c and recorder_sample.c only.
 */
#ifndef RT_WATCH_RECORDER_PARTS_H
#define RT_WATCH_RECORDER_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "watch/recording.h"
#include "watch/recording_lines.h"

/* What the file says of a port so far. */
struct rt_written {
	struct rt_watch_port facts;
	struct rt_counter_set set; /* owned; items: its layout, values last said */
	bool *known;     /* owned; by item: its value was said, and still holds */
	bool told;       /* a sample of this segment spoke of it */
	uint64_t layout; /* of the set that was written last */
};

/* Room for the changes of one sample; all owned. */
struct rt_record_room {
	struct rt_line_port *ports;
	struct rt_counter_look *looks;
	struct rt_line_pace *paces;
	uint64_t *values;
	uint32_t *unknown;
	size_t port_count, item_count; /* that it has room for */
};

struct rt_recorder {
	char *path;
	int fd; /* -1: an error has closed it */
	int64_t begun_ns;
	char title[128];
	struct rt_written *ports;
	size_t count;
	int64_t time_ns; /* of the last sample of the segment */
	unsigned left;   /* samples that still fit the segment; 0: begin one */
	struct rt_record_room room;
};

/*
 * Make the char texts of an object UTF-8, each byte that is none a '?': written as they
 * are they would be longer (base/json.h), and then refused where they are read.
 */
void rt_recorder_mend(const struct rt_table *table, void *object);

/* A line of the table's kind.  -ENOMEM, or what writing said. */
int rt_recorder_put_line(FILE *to, const struct rt_table *table, const void *line,
			 struct rt_err *err);

/* --- recorder_head.c -------------------------------------------------------------------------- */

/* The sample can be told by what changed, in the segment that is open. */
bool rt_recorder_fits(const struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample);
/* Begin a segment for it. */
int rt_recorder_begin(struct rt_recorder *recorder,
		      const struct rt_watch_sample *sample, FILE *to,
		      struct rt_err *err);
/* Forget what the file says. */
void rt_recorder_forget(struct rt_recorder *recorder);

/* --- recorder_sample.c ------------------------------------------------------------------------ */

int rt_recorder_put_sample(struct rt_recorder *recorder,
			   const struct rt_watch_sample *sample, FILE *to,
			   struct rt_err *err);
void rt_record_room_free(struct rt_record_room *room);

#endif
