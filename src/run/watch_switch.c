/* SPDX-License-Identifier: BSD-2-Clause */
/* watch_switch.c - a soft switch's port as a set of counters. */
#include "run/watch_switch.h"

#include <stddef.h>

#include "base/own.h"
#include "lab/switch.h"
#include "model/counters_fill.h"

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

static void fill_row(const struct row *row, const struct rt_lab_switch_port *port,
		     uint64_t lossless, struct rt_counter_fill *to)
{
	uint64_t sum = 0;

	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		const struct rt_lab_switch_prio *from = &port->prios[prio];
		const bool is_lossless = lossless >> prio & 1;
		uint64_t value = at(from, row->offset) + at(from, row->plus);

		/* The other kind is never dropped here. */
		if (row->which != ALL && is_lossless != (row->which == LOSSLESS))
			value = 0;
		sum += value;
		rt_counter_put_named(to, row->counter, prio, row->name, value);
	}
	if (row->sums)
		rt_counter_put_named(to, row->counter, RT_COUNTER_NO_PRIO, row->name,
				     sum);
}

int rt_watch_switch_fill(const struct rt_lab_switch_port *port, int64_t time_ns,
			 struct rt_opt_u64 lossless, struct rt_counter_set *set)
{
	struct rt_counter_fill to = rt_counter_fill_begin(set, RT_SOURCE_SWITCH,
							  time_ns);

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		if (rows[i].which == ALL || lossless.known)
			fill_row(&rows[i], port, lossless.value, &to);
	return rt_counter_fill_end(&to);
}
