/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a port: which counters they come from, and when they are unknown. */
#include "hand_source.h"

#include "base/own.h"

#define PORT RT_COUNTER_NO_PRIO

/* A counter, and what a second adds to it. */
struct moved {
	enum rt_counter_id counter;
	uint8_t prio;
	uint64_t per_s;
};

#define C(id, prio_, per_s_)                                          \
	{                                                             \
		.counter = RT_COUNTER_##id, .prio = (uint8_t)(prio_), \
		.per_s = (per_s_)                                     \
	}
#define EIGHT(id, a, b, c, d, e, f, g, h)                                             \
	C(id, 0, a), C(id, 1, b), C(id, 2, c), C(id, 3, d), C(id, 4, e), C(id, 5, f), \
		C(id, 6, g), C(id, 7, h)

#define FIGURE(name) offsetof(struct rt_watch_figures, name)
#define PRIO(prio_, name)                                         \
	(FIGURE(prios) + (prio_) * sizeof(struct rt_watch_prio) + \
	 offsetof(struct rt_watch_prio, name))
#define UNKNOWN (-1.0)

struct row {
	const char *label;
	struct moved moved[18]; /* in the order of the catalogue; ends with per_s 0 */
	size_t figure;
	double value;
};

/* Ports have 100 Gb/s, PFC on 3 and 4, and 4 us between CNPs. */
static const struct row rows[] = {
	/* Pauses: of the time, in each direction. */
	{ "paused", { C(PFC_RX_NS, 3, 250000000) }, PRIO(3, paused_pct), 25 },
	{ "the worst of two",
	  { C(PFC_RX_NS, 3, 250000000), C(PFC_RX_NS, 4, 750000000) },
	  FIGURE(paused_pct),
	  75 },
	{ "priority 0 is one of them",
	  { C(PFC_TX_NS, 0, 250000000) },
	  FIGURE(pausing_pct),
	  25 },
	{ "and not of the other direction",
	  { C(PFC_RX_NS, 3, 250000000) },
	  FIGURE(pausing_pct),
	  UNKNOWN },
	{ "pausing", { C(PFC_TX_NS, 3, 990000000) }, FIGURE(pausing_pct), 99 },
	{ "all of the time",
	  { C(PFC_RX_NS, 3, 1000000000) },
	  PRIO(3, paused_pct),
	  100 },
	{ "a little more, by when readings fell",
	  { C(PFC_RX_NS, 3, 1040000000) },
	  PRIO(3, paused_pct),
	  100 },
	{ "far more is of more than this port",
	  { C(PFC_RX_NS, 3, 1900000000) },
	  PRIO(3, paused_pct),
	  UNKNOWN },
	{ "which is not the worst",
	  { C(PFC_RX_NS, 3, 1900000000), C(PFC_RX_NS, 4, 5) },
	  FIGURE(paused_pct),
	  5e-7 },
	{ "frames say how often",
	  { C(PFC_RX_FRAMES, 3, 70) },
	  PRIO(3, paused_fps),
	  70 },
	{ "and not how long",
	  { C(PFC_RX_FRAMES, 3, 70) },
	  FIGURE(paused_pct),
	  UNKNOWN },
	{ "of the other direction",
	  { C(PFC_TX_FRAMES, 3, 70) },
	  PRIO(3, pausing_fps),
	  70 },
	{ "the link",
	  { C(PAUSE_RX_NS, PORT, 500000000) },
	  FIGURE(link_paused_pct),
	  50 },
	{ "is no priority",
	  { C(PAUSE_RX_NS, PORT, 500000000) },
	  FIGURE(paused_pct),
	  UNKNOWN },
	{ "the peer's link",
	  { C(PAUSE_TX_NS, PORT, 10000000) },
	  FIGURE(link_pausing_pct),
	  1 },
	/* Throughput. */
	{ "bits", { C(RX_BYTES, PORT, 1250000000) }, FIGURE(rx_bps), 10e9 },
	{ "of the link", { C(RX_BYTES, PORT, 1250000000) }, FIGURE(rx_pct), 10 },
	{ "sent, of the link", { C(TX_BYTES, PORT, 1250000000) }, FIGURE(tx_pct), 10 },
	{ "all eight",
	  { EIGHT(RX_BYTES, 1, 2, 3, 4, 5, 6, 7, 8) },
	  FIGURE(rx_bps),
	  288 },
	{ "seven are not all",
	  { C(TX_BYTES, 0, 1), C(TX_BYTES, 3, 5) },
	  FIGURE(tx_bps),
	  UNKNOWN },
	{ "but each is known",
	  { C(TX_BYTES, 0, 1), C(TX_BYTES, 3, 5) },
	  PRIO(3, tx_bps),
	  40 },
	{ "the port before its parts",
	  { C(RX_BYTES, PORT, 9), C(RDMA_RX_BYTES, PORT, 3),
	    C(NETDEV_RX_BYTES, PORT, 2) },
	  FIGURE(rx_bps),
	  72 },
	{ "RDMA and kernel",
	  { C(RDMA_RX_BYTES, PORT, 3), C(NETDEV_RX_BYTES, PORT, 2) },
	  FIGURE(rx_bps),
	  40 },
	{ "RDMA and kernel, sent",
	  { C(RDMA_TX_BYTES, PORT, 3), C(NETDEV_TX_BYTES, PORT, 2) },
	  FIGURE(tx_bps),
	  40 },
	{ "RDMA alone is not all",
	  { C(RDMA_RX_BYTES, PORT, 3) },
	  FIGURE(rx_bps),
	  UNKNOWN },
	{ "but is RDMA", { C(RDMA_RX_BYTES, PORT, 3) }, FIGURE(rdma_rx_bps), 24 },
	{ "the kernel alone is not all",
	  { C(NETDEV_TX_BYTES, PORT, 2) },
	  FIGURE(tx_bps),
	  UNKNOWN },
	{ "nor any RDMA",
	  { C(NETDEV_TX_BYTES, PORT, 2) },
	  FIGURE(rdma_tx_bps),
	  UNKNOWN },
	/* Notification. */
	{ "marked", { C(CE_RX, PORT, 500) }, FIGURE(ce_ps), 500 },
	{ "by this port",
	  { EIGHT(SWITCH_MARKED, 1, 1, 1, 3, 1, 1, 1, 1) },
	  FIGURE(marks_ps),
	  10 },
	{ "CNPs sent", { C(CNP_TX, PORT, 500) }, FIGURE(cnp_tx_ps), 500 },
	{ "of 250,000 that one queue pair may cause",
	  { C(CNP_TX, PORT, 125000) },
	  FIGURE(cnp_most_pct),
	  50 },
	{ "handled before received",
	  { C(CNP_RX, PORT, 60), C(CNP_HANDLED, PORT, 50) },
	  FIGURE(cnp_rx_ps),
	  50 },
	{ "received where that is all",
	  { C(CNP_RX, PORT, 60) },
	  FIGURE(cnp_rx_ps),
	  60 },
	{ "without those of slow restart",
	  { C(CNP_HANDLED, PORT, 50), C(SLOW_RESTART_CNPS, PORT, 20) },
	  FIGURE(cnp_rx_ps),
	  30 },
	{ "never less than none",
	  { C(CNP_HANDLED, PORT, 50), C(SLOW_RESTART_CNPS, PORT, 70) },
	  FIGURE(cnp_rx_ps),
	  0 },
	{ "slow restart alone is no CNP received",
	  { C(SLOW_RESTART_CNPS, PORT, 70) },
	  FIGURE(cnp_rx_ps),
	  UNKNOWN },
	{ "slow restart's own",
	  { C(SLOW_RESTART_CNPS, PORT, 70) },
	  FIGURE(slow_restart_cnps_ps),
	  70 },
	/* As they are counted. */
	{ "bits sent", { C(TX_BYTES, PORT, 5) }, FIGURE(tx_bps), 40 },
	{ "bits of RDMA sent", { C(RDMA_TX_BYTES, PORT, 5) }, FIGURE(rdma_tx_bps), 40 },
	{ "bits of a priority", { C(RX_BYTES, 7, 5) }, PRIO(7, rx_bps), 40 },
	{ "out of order", { C(OUT_OF_SEQUENCE, PORT, 6) }, FIGURE(out_of_order_ps), 6 },
	{ "time-outs", { C(ACK_TIMEOUTS, PORT, 6) }, FIGURE(timeouts_ps), 6 },
	{ "out of buffer", { C(OUT_OF_BUFFER, PORT, 6) }, FIGURE(out_of_buffer_ps), 6 },
	{ "symbols", { C(SYMBOL_ERRORS, PORT, 6) }, FIGURE(symbol_errors_ps), 6 },
	{ "FEC", { C(FEC_UNCORRECTABLE, PORT, 6) }, FIGURE(fec_uncorrectable_ps), 6 },
	{ "FCS", { C(CRC_ERRORS, PORT, 6) }, FIGURE(crc_errors_ps), 6 },
	{ "link downs", { C(LINK_DOWNS, PORT, 6) }, FIGURE(link_downs_ps), 6 },
	{ "PCIe", { C(PCIE_STALLS, PORT, 6) }, FIGURE(pcie_stalls_ps), 6 },
	/* Loss. */
	{ "gaps", { C(OUT_OF_SEQUENCE, PORT, 5) }, FIGURE(loss_events_ps), 5 },
	{ "whichever is more",
	  { C(OUT_OF_SEQUENCE, PORT, 5), C(SEQ_NAKS_RX, PORT, 9),
	    C(ACK_TIMEOUTS, PORT, 2) },
	  FIGURE(loss_events_ps),
	  9 },
	{ "NAKs of both kinds",
	  { C(SEQ_NAKS_RX, PORT, 9), C(IMPLIED_NAKS, PORT, 2) },
	  FIGURE(naks_ps),
	  11 },
	{ "duplicates alone are no loss",
	  { C(DUPLICATES, PORT, 9) },
	  FIGURE(loss_events_ps),
	  UNKNOWN },
	{ "RNR at either end",
	  { C(RNR_NAKS_RX, PORT, 1), C(RNR_NAKS_TX, PORT, 2) },
	  FIGURE(rnr_ps),
	  3 },
	{ "RNR at one", { C(RNR_NAKS_TX, PORT, 2) }, FIGURE(rnr_ps), 2 },
	{ "queue pairs that gave up, for either cause",
	  { C(RETRY_EXCEEDED, PORT, 1), C(RNR_RETRY_EXCEEDED, PORT, 2) },
	  FIGURE(retry_exceeded_ps),
	  3 },
	{ "for one", { C(RNR_RETRY_EXCEEDED, PORT, 2) }, FIGURE(retry_exceeded_ps), 2 },
	{ "discards of both directions",
	  { C(RX_DISCARDS, PORT, 4), C(TX_DISCARDS, PORT, 3) },
	  FIGURE(discards_ps),
	  7 },
	{ "discards of all priorities",
	  { EIGHT(RX_DISCARDS, 1, 1, 1, 1, 1, 1, 1, 2) },
	  FIGURE(discards_ps),
	  9 },
	{ "RDMA's where there are no others",
	  { C(RDMA_RX_DISCARDS, PORT, 4) },
	  FIGURE(discards_ps),
	  4 },
	{ "RDMA's of what is sent",
	  { C(RX_DISCARDS, PORT, 4), C(RDMA_TX_DISCARDS, PORT, 3) },
	  FIGURE(discards_ps),
	  7 },
	{ "not counted twice",
	  { C(RX_DISCARDS, PORT, 4), C(RDMA_RX_DISCARDS, PORT, 4) },
	  FIGURE(discards_ps),
	  4 },
	{ "on a priority",
	  { C(RX_DISCARDS, 3, 4), C(RX_BUFFER_DISCARDS, 3, 4) },
	  PRIO(3, discards_ps),
	  4 },
	{ "in either direction",
	  { C(RX_DISCARDS, 3, 4), C(TX_DISCARDS, 3, 3) },
	  PRIO(3, discards_ps),
	  7 },
	{ "by their cause",
	  { C(RX_BUFFER_DISCARDS, 3, 4), C(RX_CONGESTION_DISCARDS, 3, 1) },
	  PRIO(3, discards_ps),
	  5 },
	{ "on lossless priorities",
	  { EIGHT(RX_DISCARDS, 9, 9, 9, 1, 2, 9, 9, 9) },
	  FIGURE(lossless_discards_ps),
	  3 },
	{ "of the port says nothing of priorities",
	  { C(RX_DISCARDS, PORT, 4) },
	  FIGURE(lossless_discards_ps),
	  UNKNOWN },
	{ "of others as well",
	  { C(RX_DISCARDS, 0, 4) },
	  FIGURE(lossless_discards_ps),
	  UNKNOWN },
};

static struct rt_opt_f64 figure_at(const struct rt_watch_figures *figures, size_t at)
{
	struct rt_opt_f64 figure;

	memcpy(&figure, (const char *)figures + at, sizeof(figure));
	return figure;
}

static struct hand made_of(const struct moved *moved, uint64_t seconds_before)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");

	input->port.speed_bps = RT_KNOWN_U64(100000000000);
	input->port.lossless = RT_KNOWN_U64(0x18);
	input->port.cnp_gap_ns = RT_KNOWN_U64(4000);
	for (; moved->per_s; moved++)
		hand_add(input, moved->counter, moved->prio, RT_SOURCE_ETHTOOL, 64,
			 moved->per_s * seconds_before);
	return hand;
}

static void wait_second(struct hand *hand, const struct moved *moved)
{
	hand_wait(hand, HAND_SEC);
	for (; moved->per_s; moved++)
		hand_raise(hand, 0, moved->counter, moved->prio, moved->per_s);
}

static void test_figures_come_from_their_counters(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct hand hand = made_of(rows[i].moved, 7);
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		struct rt_opt_f64 figure;

		hand_wait(&hand, 0);
		figure = figure_at(&hand_tick(watch, 0)->figures, rows[i].figure);
		assert_false(figure.known); /* one reading is no rate */
		wait_second(&hand, rows[i].moved);
		figure = figure_at(&hand_tick(watch, 0)->figures, rows[i].figure);
		print_message("# %s: %s%g\n", rows[i].label,
			      figure.known ? "" : "unknown, ", figure.value);
		assert_int_equal(figure.known, rows[i].value >= 0);
		if (figure.known)
			assert_true(fabs(figure.value - rows[i].value) <=
				    1e-6 * rows[i].value);
		/* Counters that stand still are 0 and not unknown. */
		hand_wait(&hand, HAND_SEC);
		figure = figure_at(&hand_tick(watch, 0)->figures, rows[i].figure);
		if (rows[i].value >= 0)
			assert_true(figure.known && figure.value == 0);
		hand_end(&hand, watch);
	}
}

/* A reading that took long may have been of later than when it began. */
static void test_figures_know_how_long_readings_took(void **state)
{
	static const struct moved moved[] = { C(PFC_RX_NS, 3, 1200000000), { 0 } };
	static const struct {
		uint64_t cost_ns;
		bool known;
	} cases[] = { { 1000000, false }, { 100000000, false }, { 200000000, true } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = made_of(moved, 7);
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		struct rt_opt_f64 pct;

		hand_wait(&hand, 0);
		hand_pace(&hand, 0, RT_SOURCE_ETHTOOL);
		hand_tick(watch, 0);
		wait_second(&hand, moved);
		hand_pace(&hand, 0, RT_SOURCE_ETHTOOL);
		hand.next.items[0].set.paces[RT_SOURCE_ETHTOOL].cost_ns =
			cases[i].cost_ns;
		pct = hand_tick(watch, 0)->figures.paused_pct;
		assert_int_equal(pct.known, cases[i].known);
		if (pct.known)
			assert_true(pct.value == 100);
		hand_end(&hand, watch);
	}
}

/* The kernel's rx_dropped has in it what nobody listens for: no discards of the NIC. */
static void test_figures_leave_out_what_the_kernel_drops(void **state)
{
	static const struct moved moved[] = { C(RX_DISCARDS, PORT, 4),
					      C(TX_DISCARDS, PORT, 3),
					      { 0 } };
	static const struct {
		unsigned source;
		bool known;
	} cases[] = { { RT_SOURCE_NETDEV, false }, { RT_SOURCE_ETHTOOL, true } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = made_of(moved, 7);
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		struct rt_counter_set *set = &hand.next.items[0].set;

		for (size_t k = 0; k < set->count; k++)
			set->items[k].source = cases[i].source;
		hand_wait(&hand, 0);
		hand_tick(watch, 0);
		wait_second(&hand, moved);
		assert_int_equal(hand_tick(watch, 0)->figures.discards_ps.known,
				 cases[i].known);
		hand_end(&hand, watch);
	}
}

/* What is lost on one of two lossless priorities is lost, whatever the other one says. */
static void test_figures_say_at_least(void **state)
{
	static const struct moved moved[] = { C(RX_DISCARDS, 3, 4), { 0 } };
	struct hand hand = made_of(moved, 7);
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	struct rt_opt_f64 lost;

	(void)state;
	hand_wait(&hand, 0);
	hand_tick(watch, 0);
	wait_second(&hand, moved);
	lost = hand_tick(watch, 0)->figures.lossless_discards_ps;
	assert_true(lost.known && lost.value == 4);
	/* But that nothing is lost is known of all or of none. */
	hand_wait(&hand, HAND_SEC);
	assert_false(hand_tick(watch, 0)->figures.lossless_discards_ps.known);
	hand_end(&hand, watch);
}

/* What a port does not say of itself leaves what rests on it unknown. */
static void test_figures_need_what_the_port_is(void **state)
{
	static const struct moved moved[] = {
		C(RX_BYTES, PORT, 5), C(CNP_TX, PORT, 5), C(RX_DISCARDS, 3, 5), { 0 }
	};
	struct hand hand = made_of(moved, 7);
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	struct rt_watch_port *port = &hand.next.items[0].port;
	const struct rt_watch_figures *figures;

	(void)state;
	hand_wait(&hand, 0);
	hand_tick(watch, 0);
	port->speed_bps = RT_KNOWN_U64(0);
	port->lossless.known = port->cnp_gap_ns.known = false;
	wait_second(&hand, moved);
	figures = &hand_tick(watch, 0)->figures;
	assert_true(figures->rx_bps.known && figures->cnp_tx_ps.known);
	assert_false(figures->rx_pct.known || figures->cnp_most_pct.known ||
		     figures->lossless_discards_ps.known);
	port->lossless = RT_KNOWN_U64(0x8);
	wait_second(&hand, moved);
	assert_true(hand_tick(watch, 0)->figures.lossless_discards_ps.value == 5);
	port->lossless = RT_KNOWN_U64(0x9); /* at least */
	wait_second(&hand, moved);
	assert_true(hand_tick(watch, 0)->figures.lossless_discards_ps.value == 5);
	port->lossless = RT_KNOWN_U64(0x1); /* of which nothing is told */
	wait_second(&hand, moved);
	assert_false(hand_tick(watch, 0)->figures.lossless_discards_ps.known);
	port->lossless = RT_KNOWN_U64(0); /* none is lossless: nothing to lose there */
	wait_second(&hand, moved);
	assert_false(hand_tick(watch, 0)->figures.lossless_discards_ps.known);
	hand_end(&hand, watch);
}

RT_UNIT_MAIN(cmocka_unit_test(test_figures_come_from_their_counters),
	     cmocka_unit_test(test_figures_know_how_long_readings_took),
	     cmocka_unit_test(test_figures_leave_out_what_the_kernel_drops),
	     cmocka_unit_test(test_figures_say_at_least),
	     cmocka_unit_test(test_figures_need_what_the_port_is))
