/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_switch.c - a soft switch's port as a set of counters. */
#include "run/watch_switch.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "lab/switch.h"
#include "model/counters.h"

#define PRIO(member_) offsetof(struct rt_lab_switch_prio, member_)
#define NONE          SIZE_MAX

/*
 * In the order of the catalogue.  A switch that obeys a PFC frame counts one that stops
 * and one that lets go apart; a NIC counts both as frames.
 */
static const struct row {
	enum rt_counter_id counter;
	size_t offset, plus; /* of a priority's count, and of one to add */
	bool sums;           /* the port's own is the sum */
	enum {
		ALL,
		LOSSLESS,
		LOSSY
	} which;
	const char *name;
} rows[] = {
	{ RT_COUNTER_PFC_RX_FRAMES, PRIO(rx_xoff), PRIO(rx_xon), false, ALL,
	  "rx_xoff + rx_xon" },
	{ RT_COUNTER_PFC_RX_NS, PRIO(rx_paused_ns), NONE, false, ALL, "rx_paused_ns" },
	{ RT_COUNTER_PFC_TX_FRAMES, PRIO(tx_xoff), PRIO(tx_xon), false, ALL,
	  "tx_xoff + tx_xon" },
	{ RT_COUNTER_PFC_TX_NS, PRIO(tx_paused_ns), NONE, false, ALL, "tx_paused_ns" },
	{ RT_COUNTER_RX_BYTES, PRIO(rx_bytes), NONE, true, ALL, "rx_bytes" },
	{ RT_COUNTER_RX_FRAMES, PRIO(rx_frames), NONE, true, ALL, "rx_frames" },
	{ RT_COUNTER_TX_BYTES, PRIO(tx_bytes), NONE, true, ALL, "tx_bytes" },
	{ RT_COUNTER_TX_FRAMES, PRIO(tx_frames), NONE, true, ALL, "tx_frames" },
	{ RT_COUNTER_SWITCH_MARKED, PRIO(tx_ce), NONE, true, ALL, "tx_ce" },
	{ RT_COUNTER_RX_DISCARDS, PRIO(drops), NONE, true, LOSSLESS, "drops" },
	{ RT_COUNTER_TX_DISCARDS, PRIO(drops), NONE, true, LOSSY, "drops" },
};

static uint64_t at(const struct rt_lab_switch_prio *prio, size_t offset)
{
	return offset == NONE ? 0 : *(const uint64_t *)((const char *)prio + offset);
}

static int put(const struct row *row, unsigned prio, uint64_t value,
	       struct rt_counter_set *set)
{
	struct rt_counter_reading reading = { .counter = row->counter,
					      .prio = (uint8_t)prio,
					      .bits = 64,
					      .source = RT_SOURCE_SWITCH,
					      .value = value,
					      .scale = 1 };

	snprintf(reading.name, sizeof(reading.name), "%s", row->name);
	return rt_counter_set_add(set, &reading);
}

static int fill_row(const struct row *row, const struct rt_lab_switch_port *port,
		    uint64_t lossless, struct rt_counter_set *set)
{
	uint64_t sum = 0;
	int r = 0;

	for (unsigned prio = 0; prio < RT_PRIO_COUNT && r == 0; prio++) {
		const struct rt_lab_switch_prio *from = &port->prios[prio];
		const bool is_lossless = lossless >> prio & 1;
		uint64_t value = at(from, row->offset) + at(from, row->plus);

		/* The other kind is never dropped here. */
		if (row->which != ALL && is_lossless != (row->which == LOSSLESS))
			value = 0;
		sum += value;
		r = put(row, prio, value, set);
	}
	return r == 0 && row->sums ? put(row, RT_COUNTER_NO_PRIO, sum, set) : r;
}

int rt_watch_switch_fill(const struct rt_lab_switch_port *port, int64_t time_ns,
			 struct rt_opt_u64 lossless, struct rt_counter_set *set)
{
	int r = 0;

	set->count = 0;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows) && r == 0; i++)
		if (rows[i].which == ALL || lossless.known)
			r = fill_row(&rows[i], port, lossless.value, set);
	/* Exact at its time, and no source of a pace of its own (watch/refresh.h). */
	set->time_ns = time_ns;
	set->layout = set->count;
	set->looks[RT_SOURCE_SWITCH] = (struct rt_counter_look){
		.source = RT_SOURCE_SWITCH, .state = RT_LOOK_READ
	};
	return r;
}
