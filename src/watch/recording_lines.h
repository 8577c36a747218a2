/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_lines.h - the two kinds of lines of a recording as structs with their
 * tables; for the recorder, the reader and the schemas.
 */
#ifndef RT_WATCH_RECORDING_LINES_H
#define RT_WATCH_RECORDING_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"
#include "watch/sample.h"

/*
 * How lines begin, to the byte: a reader finds them by it, also behind what is left of a
 * line that was cut when files are joined.  JSON has a quote inside of a text as \", so
 * that no text can look like it.
 */
#define RT_LINE_BEGIN  "{\"rocetune\":1,\"kind\":\""
#define RT_LINE_HEAD   "recording\",\"version\":"
#define RT_LINE_SAMPLE "sample\",\"number\":"

/* Samples of a segment: what is lost at most where a file was cut in front. */
#define RT_SEGMENT_SAMPLES 64u

/* Which counters a port has; the values of readings mean nothing here. */
struct rt_line_layout {
	struct rt_counter_reading *items; /* owned; by counter, then priority */
	size_t count;
};

struct rt_line_head_port {
	struct rt_watch_port facts;
	char device[80], netdev[16], driver[16]; /* of the set of counters */
	struct rt_opt_u64 refresh_ms;
	uint32_t layout; /* its place in the head's list */
	struct rt_counter_look *looks;
	size_t look_count;
};

struct rt_line_head {
	uint32_t version;
	int64_t begun_ns; /* CLOCK_REALTIME when recording began: tells joined files */
	char title[128];
	struct rt_line_layout *layouts;
	size_t layout_count;
	struct rt_line_head_port *ports;
	size_t port_count;
};
extern const struct rt_table rt_line_head_table; /* kind "recording" */

struct rt_line_pace {
	unsigned source; /* enum rt_counter_source */
	int64_t read_ns;
	uint64_t cost_ns;
};

/* What changed of a port. */
struct rt_line_port {
	uint32_t port; /* its place in the head's list */
	int64_t time_ns;
	struct rt_watch_port facts; /* all 0: as before */
	struct rt_counter_look *looks;
	size_t look_count;
	struct rt_line_pace *paces;
	size_t pace_count;
	uint64_t *values; /* pairs: place in the layout, value */
	size_t value_count;
	uint32_t *unknown; /* places in the layout whose value is not known any more */
	size_t unknown_count;
};

struct rt_line_sample {
	uint32_t number; /* in its segment, from 0: a line that is missing is noticed */
	int64_t time_ns, wall_ns;
	struct rt_line_port *ports;
	size_t port_count;
	struct rt_watch_flows flows; /* all 0: nothing was to capture */
};
extern const struct rt_table rt_line_sample_table; /* kind "sample" */

/* A number for which counters a set has; the same in every process. */
uint64_t rt_line_layout_number(const struct rt_counter_reading *items, size_t count);

#endif
