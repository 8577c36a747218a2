/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history.c - the newest points of figures and counters: rings that all ports turn
 * together, a row a tick.
 */
#include <math.h>
#include <string.h>

#include "watch/keep.h"

/* By enum rt_watch_column: which figure it is. */
#define COLUMN(figure) offsetof(struct rt_watch_figures, figure)
static const size_t columns[RT_COLUMN_COUNT] = {
	[RT_COLUMN_RX_BPS] = COLUMN(rx_bps),
	[RT_COLUMN_TX_BPS] = COLUMN(tx_bps),
	[RT_COLUMN_PAUSED_PCT] = COLUMN(paused_pct),
	[RT_COLUMN_PAUSING_PCT] = COLUMN(pausing_pct),
	[RT_COLUMN_CE_PS] = COLUMN(ce_ps),
	[RT_COLUMN_CNP_TX_PS] = COLUMN(cnp_tx_ps),
	[RT_COLUMN_CNP_RX_PS] = COLUMN(cnp_rx_ps),
	[RT_COLUMN_LOSS_EVENTS_PS] = COLUMN(loss_events_ps),
	[RT_COLUMN_DISCARDS_PS] = COLUMN(discards_ps),
};

/* --- writing ------------------------------------------------------------------------------- */

void rt_meter_note(struct rt_meter *meter, size_t slot,
		   const struct rt_watch_figures *figures)
{
	const struct rt_meter_items *items = &meter->items;

	for (unsigned i = 0; i < RT_COLUMN_COUNT; i++) {
		struct rt_opt_f64 figure;

		memcpy(&figure, (const char *)figures + columns[i], sizeof(figure));
		meter->columns[slot][i] = figure.known ? (float)figure.value : NAN;
	}
	if (meter->points < RT_WATCH_POINTS)
		meter->points++;
	if (items->history)
		memcpy(items->history + slot * items->count, items->per_s,
		       items->count * sizeof(*items->history));
}

void rt_meter_forget(struct rt_meter *meter)
{
	meter->points = 0;
}

/* --- reading ------------------------------------------------------------------------------- */

/* Its points are stride floats apart. */
struct ring {
	const float *first;
	size_t stride;
};

/* The newest last. */
static size_t read_ring(const struct rt_watch *watch, const struct rt_meter *meter,
			struct ring ring, float *values, size_t count)
{
	if (count > meter->points)
		count = meter->points;
	for (size_t i = 0; i < count; i++) {
		const size_t slot = (watch->slot + RT_WATCH_POINTS - (count - 1 - i)) %
				    RT_WATCH_POINTS;

		values[i] = ring.first[slot * ring.stride];
	}
	return count;
}

size_t rt_watch_history(const struct rt_watch *watch, size_t port,
			enum rt_watch_column column, float *values, size_t count)
{
	const struct rt_meter *meter;

	if (port >= watch->snapshot.count || column >= RT_COLUMN_COUNT)
		return 0;
	meter = watch->meters[port];
	return read_ring(watch, meter,
			 (struct ring){ &meter->columns[0][column], RT_COLUMN_COUNT },
			 values, count);
}

size_t rt_watch_counter_history(const struct rt_watch *watch, size_t port, size_t item,
				float *values, size_t count)
{
	const struct rt_meter *meter;

	if (port >= watch->snapshot.count)
		return 0;
	meter = watch->meters[port];
	if (!meter->present || item >= meter->items.count || !meter->items.history)
		return 0;
	return read_ring(
		watch, meter,
		(struct ring){ meter->items.history + item, meter->items.count },
		values, count);
}
