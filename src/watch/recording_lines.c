/* SPDX-License-Identifier: BSD-2-Clause */
/* recording_lines.c - tables of what the lines of a recording hold. */
#include "watch/recording_lines.h"

#include <string.h>

#include "base/hash.h"

#define MAYBE .flags = RT_FIELD_MAYBE

/* --- kind "recording" ------------------------------------------------------------------ */

#define OWNER struct rt_counter_reading
static const struct rt_field item_fields[] = {
	RT_FIELD(OWNER, ENUM, counter, NONE, "rocetune's name of the counter",
		 .names = rt_counter_names),
	RT_FIELD(OWNER, U8, prio, NONE, "its priority; 255: of the port"),
	RT_FIELD(OWNER, ENUM, source, NONE, "where it was read",
		 .names = rt_counter_source_names),
	RT_FIELD(OWNER, U8, bits, NONE,
		 "width of what was read; 64: it does not start anew"),
	RT_FIELD(OWNER, U32, scale, NONE, "values are what was read times this"),
	RT_FIELD_CHARS_OF(OWNER, name, "as the driver calls it"),
};
static RT_TABLE(item_table, rt_counter_reading, "recorded_counter", "Counters",
		"What a value is of.", item_fields);
#undef OWNER

#define OWNER struct rt_line_layout
static const struct rt_field layout_fields[] = {
	RT_FIELD_LIST_OF(OWNER, items, count, &item_table,
			 "in the order of counter and priority"),
};
static RT_TABLE(layout_table, rt_line_layout, "layout", "Layouts",
		"The counters that ports have.", layout_fields);
#undef OWNER

#define OWNER struct rt_line_head_port
static const struct rt_field head_port_fields[] = {
	RT_FIELD_STRUCT_OF(OWNER, facts, &rt_watch_port_table, "what it is"),
	RT_FIELD_CHARS_OF(OWNER, device, "RDMA device and port of its counters"),
	RT_FIELD_CHARS_OF(OWNER, netdev, "network device of its counters"),
	RT_FIELD_CHARS_OF(OWNER, driver, "rocetune's name of the driver they are by"),
	RT_FIELD(OWNER, OPT_U64, refresh_ms, NONE,
		 "milliseconds that hw_counters in sysfs may be old"),
	RT_FIELD(OWNER, U32, layout, NONE, "which counters: place in layouts, from 0"),
	RT_FIELD_LIST_OF(OWNER, looks, look_count, &rt_counter_look_table,
			 "where was looked, and how that went; others: not at all",
			 MAYBE),
};
static RT_TABLE(head_port_table, rt_line_head_port, "recorded_port", "Ports",
		"A port and which counters it has.", head_port_fields);
#undef OWNER

#define OWNER struct rt_line_head
static const struct rt_field head_fields[] = {
	RT_FIELD(OWNER, U32, version, NONE, "of the format"),
	RT_FIELD(OWNER, I64, begun_ns, NS,
		 "when recording began, since 1970; another one: another file was "
		 "joined"),
	RT_FIELD_CHARS_OF(OWNER, title, "what was watched"),
	RT_FIELD_LIST_OF(OWNER, layouts, layout_count, &layout_table,
			 "sets of counters that ports have"),
	RT_FIELD_LIST_OF(OWNER, ports, port_count, &head_port_table,
			 "samples name them by their place here, from 0"),
};
RT_TABLE(rt_line_head_table, rt_line_head, "recording", "Segment of a recording",
	 "First line of a segment: what the samples behind it are of.", head_fields);
#undef OWNER

/* --- kind "sample" ---------------------------------------------------------------------- */

#define OWNER struct rt_line_pace
static const struct rt_field pace_fields[] = {
	RT_FIELD(OWNER, ENUM, source, NONE, "what was read",
		 .names = rt_counter_source_names),
	RT_FIELD(OWNER, I64, read_ns, NS, "when that began, on the clock of time_ns"),
	RT_FIELD(OWNER, U64, cost_ns, NS, "how long it took"),
};
static RT_TABLE(pace_table, rt_line_pace, "recorded_pace", "Paces",
		"A reading of a source.", pace_fields);
#undef OWNER

#define OWNER struct rt_line_port
static const struct rt_field port_fields[] = {
	RT_FIELD(OWNER, U32, port, NONE, "place in the segment's ports, from 0"),
	RT_FIELD(OWNER, I64, time_ns, NS, "when reading it began"),
	RT_FIELD_STRUCT_OF(OWNER, facts, &rt_watch_port_table,
			   "what it is now, all of it", MAYBE),
	RT_FIELD_LIST_OF(OWNER, looks, look_count, &rt_counter_look_table,
			 "sources that went otherwise than before", MAYBE),
	RT_FIELD_LIST_OF(OWNER, paces, pace_count, &pace_table,
			 "sources that were read since", MAYBE),
	RT_FIELD_LIST_OF(OWNER, values, value_count, &rt_plain_u64,
			 "pairs of a place in its layout, from 0, and the value there",
			 MAYBE),
	RT_FIELD_LIST_OF(OWNER, unknown, unknown_count, &rt_plain_u32,
			 "places in its layout whose value is not known any more",
			 MAYBE),
};
static RT_TABLE(port_table, rt_line_port, "recorded_change", "Ports",
		"What changed of a port.", port_fields);
#undef OWNER

#define OWNER struct rt_line_sample
static const struct rt_field sample_fields[] = {
	RT_FIELD(OWNER, U32, number, NONE, "place in its segment, from 0"),
	RT_FIELD(OWNER, I64, time_ns, NS, "a clock that only goes forward"),
	RT_FIELD(OWNER, I64, wall_ns, NS, "the time of day then, since 1970"),
	RT_FIELD_LIST_OF(OWNER, ports, port_count, &port_table,
			 "those of which something changed", MAYBE),
	RT_FIELD_STRUCT_OF(OWNER, flows, &rt_watch_flows_table,
			   "of the window that ends here; none: nothing was to capture",
			   MAYBE),
};
RT_TABLE(
	rt_line_sample_table, rt_line_sample, "sample", "Sample of a recording",
	"What changed since the line before it; behind a first line, since nothing was "
	"known.",
	sample_fields);
#undef OWNER

/* --- layouts ------------------------------------------------------------------------------ */

uint64_t rt_line_layout_number(const struct rt_counter_reading *items, size_t count)
{
	uint64_t number = count;

	for (size_t i = 0; i < count; i++) {
		const struct rt_counter_reading *at = &items[i];

		number = rt_hash_pair(number,
				      rt_hash_bytes(at->name, strlen(at->name)));
		number = rt_hash_pair(number, (uint64_t)at->counter << 40 |
						      (uint64_t)at->source << 32 |
						      (uint64_t)at->prio << 8 |
						      at->bits);
		number = rt_hash_pair(number, at->scale);
	}
	return number;
}
