/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures.c - what is derived from the rates of a port.
 *
 * A figure is a row: which counter, or which of several ways to it, the first that is
 * known.  What needs more than that has a function below the rows.
 */
#include <math.h>
#include <string.h>

#include "base/own.h"
#include "watch/meter.h"

#define BITS 8.0           /* of a byte */
#define PCT  (100.0 / 1e9) /* nanoseconds a second, of the time */

/* --- reading rates ------------------------------------------------------------------------- */

static struct rt_opt_f64 rate_at(const struct rt_meter *meter, enum rt_counter_id id,
				 unsigned place)
{
	const uint16_t item = meter->item_of[id][place];
	double per_s;

	if (item == RT_WATCH_NO_ITEM)
		return (struct rt_opt_f64){ 0 };
	per_s = (double)meter->items.per_s[item];
	return isnan(per_s) ? (struct rt_opt_f64){ 0 } : RT_KNOWN_F64(per_s);
}

/* Of the port; where only priorities are known, all eight of them (rt_counter_total). */
static struct rt_opt_f64 rate_of(const struct rt_meter *meter, enum rt_counter_id id)
{
	struct rt_opt_f64 rate = rate_at(meter, id, RT_WATCH_PLACE_PORT);
	double sum = 0;

	if (rate.known || !(rt_counters[id].scope & RT_COUNTER_PRIO))
		return rate;
	for (unsigned prio = 0; prio < 8; prio++) {
		rate = rate_at(meter, id, prio);
		if (!rate.known)
			return rate;
		sum += rate.value;
	}
	return RT_KNOWN_F64(sum);
}

/* --- unknown arithmetic ---------------------------------------------------------------------- */

static struct rt_opt_f64 scaled(struct rt_opt_f64 value, double by)
{
	value.value *= by;
	return value;
}

static struct rt_opt_f64 first_known(struct rt_opt_f64 a, struct rt_opt_f64 b)
{
	return a.known ? a : b;
}

static struct rt_opt_f64 sum_of_both(struct rt_opt_f64 a, struct rt_opt_f64 b)
{
	return a.known && b.known ? RT_KNOWN_F64(a.value + b.value)
				  : (struct rt_opt_f64){ 0 };
}

static struct rt_opt_f64 sum_of_known(struct rt_opt_f64 a, struct rt_opt_f64 b)
{
	return a.known && b.known ? RT_KNOWN_F64(a.value + b.value) : first_known(a, b);
}

static struct rt_opt_f64 most_of(struct rt_opt_f64 a, struct rt_opt_f64 b)
{
	return a.known && b.known && b.value > a.value ? b : first_known(a, b);
}

/* --- plain figures --------------------------------------------------------------------------- */

struct row {
	size_t figure; /* offset of a struct rt_opt_f64 */
	enum rt_counter_id counter;
	double factor;
};

#define ROW(owner, figure_, id, factor_)                                  \
	{                                                                 \
		offsetof(struct owner, figure_), RT_COUNTER_##id, factor_ \
	}
#define OF_PORT(figure_, id, factor_) ROW(rt_watch_figures, figure_, id, factor_)
#define OF_PRIO(figure_, id, factor_) ROW(rt_watch_prio, figure_, id, factor_)

static const struct row port_rows[] = {
	OF_PORT(rx_bps, RX_BYTES, BITS),
	OF_PORT(tx_bps, TX_BYTES, BITS),
	OF_PORT(rdma_rx_bps, RDMA_RX_BYTES, BITS),
	OF_PORT(rdma_tx_bps, RDMA_TX_BYTES, BITS),
	OF_PORT(ce_ps, CE_RX, 1),
	OF_PORT(marks_ps, SWITCH_MARKED, 1),
	OF_PORT(cnp_tx_ps, CNP_TX, 1),
	OF_PORT(slow_restart_cnps_ps, SLOW_RESTART_CNPS, 1),
	OF_PORT(out_of_order_ps, OUT_OF_SEQUENCE, 1),
	OF_PORT(timeouts_ps, ACK_TIMEOUTS, 1),
	OF_PORT(out_of_buffer_ps, OUT_OF_BUFFER, 1),
	OF_PORT(symbol_errors_ps, SYMBOL_ERRORS, 1),
	OF_PORT(fec_uncorrectable_ps, FEC_UNCORRECTABLE, 1),
	OF_PORT(crc_errors_ps, CRC_ERRORS, 1),
	OF_PORT(link_downs_ps, LINK_DOWNS, 1),
	OF_PORT(pcie_stalls_ps, PCIE_STALLS, 1),
};

static const struct row prio_rows[] = {
	OF_PRIO(paused_fps, PFC_RX_FRAMES, 1), OF_PRIO(pausing_fps, PFC_TX_FRAMES, 1),
	OF_PRIO(rx_bps, RX_BYTES, BITS),       OF_PRIO(tx_bps, TX_BYTES, BITS),
	OF_PRIO(discards_ps, RX_DISCARDS, 1),
};

static void put(void *owner, const struct row *row, struct rt_opt_f64 rate)
{
	const struct rt_opt_f64 value = scaled(rate, row->factor);

	memcpy((char *)owner + row->figure, &value, sizeof(value));
}

/* --- pauses ---------------------------------------------------------------------------------- */

/*
 * A share of the time.  Readings begin at a known time and take until a later one, so
 * that a share may come out above one by what a reading took, and by what the clock of a
 * NIC is off: that is all of the time.  Far above, what was counted is no time of this
 * one port (the ports of a bond are added up), and the share is unknown.
 */
static struct rt_opt_f64 share_of_time(struct rt_opt_f64 pct, uint64_t elapsed_ns,
				       uint64_t cost_ns)
{
	const double skew = elapsed_ns ? (double)cost_ns / (double)elapsed_ns : 0;
	const double most = 105 + 100 * (skew < 1 ? skew : 1);

	if (pct.known && pct.value > most)
		return (struct rt_opt_f64){ 0 };
	if (pct.value > 100)
		pct.value = 100;
	return pct;
}

static struct rt_opt_f64 occupancy(const struct rt_meter *meter,
				   const struct rt_counter_set *set,
				   enum rt_counter_id id, unsigned place)
{
	const struct rt_opt_f64 rate = rate_at(meter, id, place);
	unsigned source;

	if (!rate.known || rate.value == 0) /* as most of the time */
		return rate;
	source = meter->items.source[meter->item_of[id][place]];
	return share_of_time(scaled(rate, PCT), meter->elapsed_ns[source],
			     set->paces[source].cost_ns);
}

/* --- priorities ------------------------------------------------------------------------------ */

static void fill_prio(const struct rt_meter *meter, const struct rt_counter_set *set,
		      unsigned prio, struct rt_watch_prio *figures)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(prio_rows); i++)
		put(figures, &prio_rows[i], rate_at(meter, prio_rows[i].counter, prio));
	figures->paused_pct = occupancy(meter, set, RT_COUNTER_PFC_RX_NS, prio);
	figures->pausing_pct = occupancy(meter, set, RT_COUNTER_PFC_TX_NS, prio);
	figures->discards_ps = first_known(
		figures->discards_ps,
		sum_of_known(rate_at(meter, RT_COUNTER_RX_BUFFER_DISCARDS, prio),
			     rate_at(meter, RT_COUNTER_RX_CONGESTION_DISCARDS, prio)));
	/* Switches drop what is lossy where it would have left. */
	figures->discards_ps = sum_of_known(
		figures->discards_ps, rate_at(meter, RT_COUNTER_TX_DISCARDS, prio));
}

static void fill_prios(const struct rt_meter *meter, const struct rt_counter_set *set,
		       struct rt_watch_figures *figures)
{
	for (unsigned prio = 0; prio < 8; prio++) {
		struct rt_watch_prio *of = &figures->prios[prio];

		fill_prio(meter, set, prio, of);
		figures->paused_pct = most_of(figures->paused_pct, of->paused_pct);
		figures->pausing_pct = most_of(figures->pausing_pct, of->pausing_pct);
	}
}

/* --- throughput ------------------------------------------------------------------------------ */

/*
 * Where the port itself is not counted, RDMA and the kernel are, each of which the other
 * one does not see; one alone would be too little.
 */
static void fill_throughput(const struct rt_meter *meter,
			    const struct rt_watch_port *port,
			    struct rt_watch_figures *figures)
{
	const struct rt_opt_f64 speed = { (double)port->speed_bps.value,
					  port->speed_bps.known &&
						  port->speed_bps.value > 0 };
	const struct rt_opt_f64 kernel_rx = scaled(
		rate_of(meter, RT_COUNTER_NETDEV_RX_BYTES), BITS);
	const struct rt_opt_f64 kernel_tx = scaled(
		rate_of(meter, RT_COUNTER_NETDEV_TX_BYTES), BITS);

	figures->rx_bps = first_known(figures->rx_bps,
				      sum_of_both(figures->rdma_rx_bps, kernel_rx));
	figures->tx_bps = first_known(figures->tx_bps,
				      sum_of_both(figures->rdma_tx_bps, kernel_tx));
	if (!speed.known)
		return;
	figures->rx_pct = scaled(figures->rx_bps, 100 / speed.value);
	figures->tx_pct = scaled(figures->tx_bps, 100 / speed.value);
}

/* --- notification ---------------------------------------------------------------------------- */

/* mlx5 counts among the CNPs handled those that its own slow restart made. */
static struct rt_opt_f64 handled_cnps(const struct rt_meter *meter,
				      struct rt_opt_f64 slow_restart)
{
	struct rt_opt_f64 cnps = first_known(rate_of(meter, RT_COUNTER_CNP_HANDLED),
					     rate_of(meter, RT_COUNTER_CNP_RX));

	if (cnps.known && slow_restart.known)
		cnps.value = cnps.value > slow_restart.value
				     ? cnps.value - slow_restart.value
				     : 0;
	return cnps;
}

static void fill_notification(const struct rt_meter *meter,
			      const struct rt_watch_port *port,
			      struct rt_watch_figures *figures)
{
	figures->cnp_rx_ps = handled_cnps(meter, figures->slow_restart_cnps_ps);
	if (port->cnp_gap_ns.known && port->cnp_gap_ns.value > 0)
		figures->cnp_most_pct = scaled(figures->cnp_tx_ps,
					       (double)port->cnp_gap_ns.value * PCT);
}

/* --- loss ------------------------------------------------------------------------------------ */

/*
 * Of the lossless priorities; what is known of some is reported as at least so much, but
 * none is known only when all are.
 */
static struct rt_opt_f64 lossless_discards(const struct rt_watch_port *port,
					   const struct rt_watch_figures *figures)
{
	struct rt_opt_f64 sum = { 0 };
	bool all = true;

	if (!port->lossless.known)
		return sum;
	for (unsigned prio = 0; prio < 8; prio++) {
		if (!(port->lossless.value >> prio & 1))
			continue;
		all &= figures->prios[prio].discards_ps.known;
		sum = sum_of_known(sum, figures->prios[prio].discards_ps);
	}
	return all || sum.value > 0 ? sum : (struct rt_opt_f64){ 0 };
}

/*
 * The kernel counts as dropped what nobody listens for, too (net/core/dev.c,
 * __netif_receive_skb_core()): no want of buffers, and not the NIC's doing.  Nor is what
 * its queueing disciplines drop before it comes to the NIC.
 */
static struct rt_opt_f64 discards_of(const struct rt_meter *meter,
				     enum rt_counter_id id)
{
	const uint16_t item = meter->item_of[id][RT_WATCH_PLACE_PORT];

	if (item != RT_WATCH_NO_ITEM &&
	    (meter->items.source[item] == RT_SOURCE_NETDEV ||
	     meter->items.source[item] == RT_SOURCE_QDISC))
		return (struct rt_opt_f64){ 0 };
	return rate_of(meter, id);
}

static void fill_loss(const struct rt_meter *meter, const struct rt_watch_port *port,
		      struct rt_watch_figures *figures)
{
	figures->naks_ps = sum_of_known(rate_of(meter, RT_COUNTER_SEQ_NAKS_RX),
					rate_of(meter, RT_COUNTER_IMPLIED_NAKS));
	figures->rnr_ps = sum_of_known(rate_of(meter, RT_COUNTER_RNR_NAKS_RX),
				       rate_of(meter, RT_COUNTER_RNR_NAKS_TX));
	figures->retry_exceeded_ps = sum_of_known(
		rate_of(meter, RT_COUNTER_RETRY_EXCEEDED),
		rate_of(meter, RT_COUNTER_RNR_RETRY_EXCEEDED));
	figures->loss_events_ps = most_of(
		most_of(figures->out_of_order_ps, figures->naks_ps),
		figures->timeouts_ps);
	figures->discards_ps = sum_of_known(
		first_known(discards_of(meter, RT_COUNTER_RX_DISCARDS),
			    rate_of(meter, RT_COUNTER_RDMA_RX_DISCARDS)),
		first_known(discards_of(meter, RT_COUNTER_TX_DISCARDS),
			    rate_of(meter, RT_COUNTER_RDMA_TX_DISCARDS)));
	figures->lossless_discards_ps = lossless_discards(port, figures);
}

/* --- all of it ------------------------------------------------------------------------------- */

void rt_meter_figures(const struct rt_meter *meter, const struct rt_watch_port *port,
		      const struct rt_counter_set *set,
		      struct rt_watch_figures *figures)
{
	*figures = (struct rt_watch_figures){ 0 };
	for (size_t i = 0; i < RT_ARRAY_SIZE(port_rows); i++)
		put(figures, &port_rows[i], rate_of(meter, port_rows[i].counter));
	fill_prios(meter, set, figures);
	figures->link_paused_pct = occupancy(meter, set, RT_COUNTER_PAUSE_RX_NS,
					     RT_WATCH_PLACE_PORT);
	figures->link_pausing_pct = occupancy(meter, set, RT_COUNTER_PAUSE_TX_NS,
					      RT_WATCH_PLACE_PORT);
	fill_throughput(meter, port, figures);
	fill_notification(meter, port, figures);
	fill_loss(meter, port, figures);
}
