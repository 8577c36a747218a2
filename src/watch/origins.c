/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * origins.c - where what a figure rests on is read, which tells how old it is.
 *
 * figures.c makes figures at every tick, and this is asked of those that are drawn: so
 * the rows say once more of which counters each one is.  A test takes every counter away
 * in turn and compares.
 */
#include <math.h>
#include <stddef.h>

#include "base/own.h"
#include "watch/watch.h"

#define NONE RT_COUNTER_COUNT

/*
 * A figure rests on each of its parts that is known, and a part on the first of its
 * counters that is.
 */
struct part {
	size_t figure; /* offset */
	enum rt_counter_id first, second;
};

#define PART(owner, figure_, first_, second_)                    \
	{                                                        \
		offsetof(struct owner, figure_), first_, second_ \
	}
#define ONE(figure, id) PART(rt_watch_figures, figure, RT_COUNTER_##id, NONE)
#define TWO(figure, first, second) \
	PART(rt_watch_figures, figure, RT_COUNTER_##first, RT_COUNTER_##second)
#define PRIO_ONE(figure, id) PART(rt_watch_prio, figure, RT_COUNTER_##id, NONE)
#define PRIO_TWO(figure, first, second) \
	PART(rt_watch_prio, figure, RT_COUNTER_##first, RT_COUNTER_##second)

static const struct part port_parts[] = {
	TWO(rx_bps, RX_BYTES, RDMA_RX_BYTES),
	TWO(rx_bps, RX_BYTES, NETDEV_RX_BYTES),
	TWO(rx_pct, RX_BYTES, RDMA_RX_BYTES),
	TWO(rx_pct, RX_BYTES, NETDEV_RX_BYTES),
	TWO(tx_bps, TX_BYTES, RDMA_TX_BYTES),
	TWO(tx_bps, TX_BYTES, NETDEV_TX_BYTES),
	TWO(tx_pct, TX_BYTES, RDMA_TX_BYTES),
	TWO(tx_pct, TX_BYTES, NETDEV_TX_BYTES),
	ONE(rdma_rx_bps, RDMA_RX_BYTES),
	ONE(rdma_tx_bps, RDMA_TX_BYTES),
	ONE(link_paused_pct, PAUSE_RX_NS),
	ONE(link_pausing_pct, PAUSE_TX_NS),
	ONE(ce_ps, CE_RX),
	ONE(marks_ps, SWITCH_MARKED),
	ONE(cnp_tx_ps, CNP_TX),
	TWO(cnp_rx_ps, CNP_HANDLED, CNP_RX),
	ONE(cnp_rx_ps, SLOW_RESTART_CNPS),
	ONE(cnp_most_pct, CNP_TX),
	ONE(slow_restart_cnps_ps, SLOW_RESTART_CNPS),
	ONE(loss_events_ps, OUT_OF_SEQUENCE),
	ONE(loss_events_ps, SEQ_NAKS_RX),
	ONE(loss_events_ps, IMPLIED_NAKS),
	ONE(loss_events_ps, ACK_TIMEOUTS),
	ONE(out_of_order_ps, OUT_OF_SEQUENCE),
	ONE(naks_ps, SEQ_NAKS_RX),
	ONE(naks_ps, IMPLIED_NAKS),
	ONE(timeouts_ps, ACK_TIMEOUTS),
	ONE(rnr_ps, RNR_NAKS_RX),
	ONE(rnr_ps, RNR_NAKS_TX),
	ONE(retry_exceeded_ps, RETRY_EXCEEDED),
	ONE(retry_exceeded_ps, RNR_RETRY_EXCEEDED),
	TWO(discards_ps, RX_DISCARDS, RDMA_RX_DISCARDS),
	TWO(discards_ps, TX_DISCARDS, RDMA_TX_DISCARDS),
	ONE(out_of_buffer_ps, OUT_OF_BUFFER),
	ONE(symbol_errors_ps, SYMBOL_ERRORS),
	ONE(fec_uncorrectable_ps, FEC_UNCORRECTABLE),
	ONE(crc_errors_ps, CRC_ERRORS),
	ONE(link_downs_ps, LINK_DOWNS),
	ONE(pcie_stalls_ps, PCIE_STALLS),
};

static const struct part prio_parts[] = {
	PRIO_ONE(paused_pct, PFC_RX_NS),
	PRIO_ONE(pausing_pct, PFC_TX_NS),
	PRIO_ONE(paused_fps, PFC_RX_FRAMES),
	PRIO_ONE(pausing_fps, PFC_TX_FRAMES),
	PRIO_ONE(rx_bps, RX_BYTES),
	PRIO_ONE(tx_bps, TX_BYTES),
	PRIO_TWO(discards_ps, RX_DISCARDS, RX_BUFFER_DISCARDS),
	PRIO_TWO(discards_ps, RX_DISCARDS, RX_CONGESTION_DISCARDS),
	PRIO_ONE(discards_ps, TX_DISCARDS),
};

/* Figures of a port that are made of figures of its priorities. */
static const struct {
	size_t figure, of_prio;
	bool lossless; /* only of those */
} made_of_prios[] = {
	{ offsetof(struct rt_watch_figures, paused_pct),
	  offsetof(struct rt_watch_prio, paused_pct), false },
	{ offsetof(struct rt_watch_figures, pausing_pct),
	  offsetof(struct rt_watch_prio, pausing_pct), false },
	{ offsetof(struct rt_watch_figures, lossless_discards_ps),
	  offsetof(struct rt_watch_prio, discards_ps), true },
};

/* --- counters ---------------------------------------------------------------------------- */

/* The bit of a counter's source; 0: its rate is unknown. */
static unsigned source_at(const struct rt_watch_view *view, enum rt_counter_id id,
			  unsigned prio)
{
	const struct rt_counter_reading *reading = rt_counter_find(view->set, id, prio);

	return reading && !isnan(view->per_s[reading - view->set->items])
		       ? 1u << reading->source
		       : 0;
}

unsigned rt_watch_counter_sources(const struct rt_watch_view *view,
				  enum rt_counter_id id)
{
	unsigned sources = source_at(view, id, RT_COUNTER_NO_PRIO);

	if (sources || !(rt_counters[id].scope & RT_COUNTER_PRIO))
		return sources;
	for (unsigned prio = 0; prio < 8; prio++) {
		const unsigned source = source_at(view, id, prio);

		if (!source)
			return 0;
		sources |= source;
	}
	return sources;
}

/* The kernel's own count of what it dropped is no discard of the NIC (figures.c). */
static bool is_of_kernel(const struct rt_watch_view *view, enum rt_counter_id id)
{
	const struct rt_counter_reading *reading = rt_counter_find(view->set, id,
								   RT_COUNTER_NO_PRIO);

	return (id == RT_COUNTER_RX_DISCARDS || id == RT_COUNTER_TX_DISCARDS) &&
	       reading &&
	       (reading->source == RT_SOURCE_NETDEV ||
		reading->source == RT_SOURCE_QDISC);
}

/* --- figures ----------------------------------------------------------------------------- */

static unsigned sources_of(const struct rt_watch_view *view, enum rt_counter_id id,
			   unsigned prio)
{
	if (id == NONE)
		return 0;
	if (prio != RT_COUNTER_NO_PRIO)
		return source_at(view, id, prio);
	return is_of_kernel(view, id) ? 0 : rt_watch_counter_sources(view, id);
}

static unsigned sources_of_parts(const struct rt_watch_view *view,
				 const struct part *parts, size_t count, size_t figure,
				 unsigned prio)
{
	unsigned sources = 0, first;

	for (size_t i = 0; i < count; i++) {
		if (parts[i].figure != figure)
			continue;
		first = sources_of(view, parts[i].first, prio);
		sources |= first ? first : sources_of(view, parts[i].second, prio);
	}
	return sources;
}

static unsigned sources_of_prio(const struct rt_watch_view *view, size_t figure,
				unsigned prio)
{
	return sources_of_parts(view, prio_parts, RT_ARRAY_SIZE(prio_parts), figure,
				prio);
}

static unsigned sources_of_prios(const struct rt_watch_view *view, size_t figure,
				 uint64_t prios)
{
	unsigned sources = 0;

	for (unsigned prio = 0; prio < 8; prio++)
		if (prios >> prio & 1)
			sources |= sources_of_prio(view, figure, prio);
	return sources;
}

unsigned rt_watch_figure_sources(const struct rt_watch_view *view, size_t figure)
{
	const size_t prios = offsetof(struct rt_watch_figures, prios);

	if (figure >= prios)
		return sources_of_prio(
			view, (figure - prios) % sizeof(struct rt_watch_prio),
			(unsigned)((figure - prios) / sizeof(struct rt_watch_prio)));
	for (size_t i = 0; i < RT_ARRAY_SIZE(made_of_prios); i++)
		if (made_of_prios[i].figure == figure)
			return sources_of_prios(view, made_of_prios[i].of_prio,
						made_of_prios[i].lossless
							? view->port->lossless.value
							: 0xff);
	return sources_of_parts(view, port_parts, RT_ARRAY_SIZE(port_parts), figure,
				RT_COUNTER_NO_PRIO);
}
