/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch_table.h - what is known after a tick as an object that describes itself (kind
 * "watch"), and each port as a flat row for CSV.
 *
 * It borrows from the snapshot it was made of and is good until the next tick.
 */
#ifndef RT_RUN_WATCH_TABLE_H
#define RT_RUN_WATCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "rocetune/field.h"
#include "watch/watch.h"

struct rt_err;

struct rt_watched_counter {
	unsigned counter; /* enum rt_counter_id */
	struct rt_opt_u64 prio;
	uint64_t value;
	struct rt_opt_f64 per_s;
	unsigned source; /* enum rt_counter_source */
	char name[RT_COUNTER_NAME_BYTES];
};

struct rt_watched_port {
	char name[64];
	unsigned verdict;          /* enum rt_verdict */
	const char *judged, *link; /* words of verdict and state; borrowed */
	struct rt_watch_port facts;
	struct rt_watch_figures figures;
	const struct rt_finding *findings; /* borrowed; gravest first */
	size_t finding_count;
	const struct rt_watch_pace *sources; /* borrowed */
	size_t source_count;
	struct rt_watched_counter *counters; /* owned; none: not asked for */
	size_t counter_count;
};

struct rt_watched {
	char title[128];
	uint64_t tick;
	int64_t time_ns, wall_ns;
	struct rt_opt_u64 elapsed_ns;  /* unknown: it is the first, and has no rates */
	struct rt_opt_u64 interval_ns; /* wished; unknown: the source's own time */
	uint64_t cost_ns;
	char said[200];
	struct rt_watched_port *ports; /* owned */
	size_t port_count;
	struct rt_watch_flows flows;         /* borrowed; all 0: nothing captures */
	const struct rt_watch_event *events; /* borrowed: the new ones */
	size_t event_count;
	struct rt_findings findings; /* owned: of all ports, gravest first */
};
extern const struct rt_table rt_watched_table; /* kind "watch" */

/* --- rows ------------------------------------------------------------------------- */

/* A port of a tick, flat. */
struct rt_watched_row {
	int64_t wall_ns, time_ns;
	struct rt_opt_u64 elapsed_ns;
	unsigned verdict;
	char finding[64]; /* the gravest; "" */
	struct rt_watch_port facts;
	struct rt_watch_figures figures;
};

/*
 * The columns of rows: those of a port, of figures, and of each priority "prio3_...".
 * One block, which the caller frees.  NULL: no memory.
 */
struct rt_table *rt_watched_columns(void);
void rt_watched_row(const struct rt_watched *watched, size_t port,
		    struct rt_watched_row *ret_row);

#endif
