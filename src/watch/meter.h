/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meter.h - what is kept of one port between ticks.
 *
 * A tick touches items that moved, where the set tells which, and else goes over all of
 * them once or twice, in order; it compares no names and asks for no memory.  Names are compared when the set's layout
 * changes: then an item that stays keeps its value, deltas and history.
 */
#ifndef RT_WATCH_METER_H
#define RT_WATCH_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"
#include "watch/events.h"
#include "watch/refresh.h"
#include "watch/watch.h"

#define RT_METER_UNKNOWN UINT64_MAX /* of since */

/* By item of the set; one block of memory. */
struct rt_meter_items {
	struct rt_counter_reading *what; /* owns the block; values are of no meaning */
	uint64_t *last;                  /* value of the last reading */
	uint64_t *added; /* since the reading before; 0 where not read */
	uint64_t *since; /* the baseline; RT_METER_UNKNOWN */
	float *per_s;    /* NaN: unknown */
	float *history;  /* RT_WATCH_POINTS rows of count; NULL: none */
	/* Items that were added to; and those whose rates may not be 0.  Not by item. */
	uint32_t *changed, *rated;
	uint8_t *source; /* enum rt_counter_source, as in what */
	uint8_t *young;  /* 1: it came while its source's rates began earlier */
	size_t count;
};

/* Items one after the other that are of one source. */
struct rt_meter_run {
	unsigned source;
	size_t from, end; /* places; end is not in it */
};

struct rt_meter {
	char name[64]; /* of the port; another one begins anew */
	bool begun, present;
	uint64_t layout; /* of the set that items are from */
	struct rt_meter_items items;
	size_t young_count;
	unsigned sources;          /* bits of those that have items */
	struct rt_meter_run *runs; /* owned */
	size_t run_count, run_capacity;
	/* As a view's places. */
	uint16_t item_of[RT_COUNTER_COUNT][RT_WATCH_PLACES];
	struct rt_refresh refresh[RT_SOURCE_COUNT];
	uint64_t filling; /* of the set that was read last; 0: not told */
	/*
	 * Bits of sources of whose items all rates are 0 but for those that are rated: of
	 * these only what moved needs a look.
	 */
	unsigned settled;
	size_t rated_count;
	int64_t born_ns[RT_SOURCE_COUNT];     /* the reading that brought young items */
	uint64_t elapsed_ns[RT_SOURCE_COUNT]; /* that its rates are over; 0: none */
	float columns[RT_WATCH_POINTS][RT_COLUMN_COUNT];
	size_t points; /* of columns */
	/* What was told of it (changes.c). */
	unsigned state;          /* enum rt_watch_state, the last that is known */
	bool came;               /* with this tick */
	unsigned resets;         /* bits of sources: with this tick */
	unsigned failed, slowed; /* bits of sources: told */
	struct rt_lastings lastings;
};

void rt_meter_free(struct rt_meter *meter);

/* Whether the set's items are those that it fits. */
bool rt_meter_fits(const struct rt_meter *meter, const struct rt_counter_set *set);

/*
 * Fit to the set's items.  keep_history: of each counter as well.  -ENOMEM.
 */
int rt_meter_fit(struct rt_meter *meter, const struct rt_counter_set *set,
		 bool keep_history);

/* What is compared with later begins anew at the next reading. */
void rt_meter_break(struct rt_meter *meter);

/* At the next reading all items are looked at. */
void rt_meter_unsettle(struct rt_meter *meter);

/* --- rates.c ------------------------------------------------------------------------------- */

/*
 * Take a reading: rates, and sums since the baseline.  The meter fits the set.  Bits of
 * sources that began anew.
 */
unsigned rt_meter_read(struct rt_meter *meter, const struct rt_counter_set *set);

/* All sums since the baseline: 0, or unknown. */
void rt_meter_set_baseline(struct rt_meter *meter, bool known);

/* --- figures.c ----------------------------------------------------------------------------- */

void rt_meter_figures(const struct rt_meter *meter, const struct rt_watch_port *port,
		      const struct rt_counter_set *set,
		      struct rt_watch_figures *figures);

/* --- history.c ----------------------------------------------------------------------------- */

/* Write down figures and rates; slot: the place of this tick in every ring. */
void rt_meter_note(struct rt_meter *meter, size_t slot,
		   const struct rt_watch_figures *figures);
/* All points are gone. */
void rt_meter_forget(struct rt_meter *meter);

#endif
