/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampler: rates, figures and histories of a source made by hand. */
#include "hand_source.h"

#include "base/own.h"

#define PORT RT_COUNTER_NO_PRIO

static void test_watch_tables_are_whole(void **state)
{
	(void)state;
	rt_table_check(&rt_watch_port_table);
	rt_table_check(&rt_watch_flows_table);
	rt_table_check(&rt_watch_figures_table);
	rt_table_check(&rt_watch_pace_table);
	rt_table_check(&rt_watch_event_table);
}

/* What happens between the first reading and the second one, and what is said then. */
static void test_watch_rates_are_over_measured_time(void **state)
{
	static const struct {
		const char *label;
		unsigned bits;
		int64_t wait_ns;
		uint64_t before, after;
		double per_s; /* NaN: unknown */
	} cases[] = {
		{ "a second", 64, HAND_SEC, 100, 350, 250 },
		{ "late", 64, HAND_SEC + HAND_SEC / 4, 100, 350, 200 },
		{ "a tenth", 64, HAND_SEC / 10, 100, 350, 2500 },
		{ "idle", 64, HAND_SEC, 100, 100, 0 },
		{ "64 bits went backwards", 64, HAND_SEC, 100, 99, NAN },
		{ "32 bits passed their end", 32, HAND_SEC, UINT32_MAX - 9, 10, 20 },
		{ "32 bits fell", 32, HAND_SEC, 3000, 10, NAN },
		{ "time stands", 64, 0, 100, 350, NAN },
		{ "time goes back", 64, -HAND_SEC / 2, 100, 350, NAN },
		{ "a day", 64, 86400 * HAND_SEC, 0, 86400, 1 },
		{ "32 bits, a day", 32, 86400 * HAND_SEC, 0, 86400, NAN },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = { 0 };
		struct rt_watch_input *input = hand_port(&hand, "eth0");
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		double rate;

		hand_add(input, RT_COUNTER_OUT_OF_BUFFER, PORT, RT_SOURCE_RDMA,
			 cases[i].bits, cases[i].before);
		hand_wait(&hand, 0);
		rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_OUT_OF_BUFFER, PORT);
		assert_true(isnan(rate));
		hand_wait(&hand, cases[i].wait_ns);
		hand_find(&hand, 0, RT_COUNTER_OUT_OF_BUFFER, PORT)->value =
			cases[i].after;
		rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_OUT_OF_BUFFER, PORT);
		print_message("# %s: %g\n", cases[i].label, rate);
		if (isnan(cases[i].per_s))
			assert_true(isnan(rate));
		else
			assert_true(rate == cases[i].per_s);
		/* Whatever it was, the next second is known again. */
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_OUT_OF_BUFFER, PORT, 7);
		rate = hand_rate(hand_tick(watch, 0), RT_COUNTER_OUT_OF_BUFFER, PORT);
		assert_true(rate == 7);
		hand_end(&hand, watch);
	}
}

static void test_watch_figures_are_of_known_rates(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_figures *figures;
	float values[4];

	(void)state;
	input->port.speed_bps = RT_KNOWN_U64(100000000000);
	hand_add(input, RT_COUNTER_PFC_RX_FRAMES, 3, RT_SOURCE_ETHTOOL, 64, 5);
	hand_add(input, RT_COUNTER_PFC_RX_NS, 3, RT_SOURCE_ETHTOOL, 64, 5);
	hand_add(input, RT_COUNTER_PFC_TX_FRAMES, 3, RT_SOURCE_ETHTOOL, 64, 5);
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 5);
	hand_wait(&hand, 0);
	hand_tick(watch, 0);
	hand_wait(&hand, HAND_SEC / 2);
	hand_raise(&hand, 0, RT_COUNTER_PFC_RX_NS, 3, 125000000);
	hand_raise(&hand, 0, RT_COUNTER_PFC_TX_FRAMES, 3, 50);
	hand_raise(&hand, 0, RT_COUNTER_RX_BYTES, PORT, 1250000000);
	figures = &hand_tick(watch, 0)->figures;
	assert_true(figures->paused_pct.known && figures->paused_pct.value == 25);
	assert_true(figures->prios[3].paused_pct.value == 25);
	assert_true(figures->prios[3].paused_fps.known);
	/* Frames without a duration: how often, but not for how long. */
	assert_true(figures->prios[3].pausing_fps.value == 100);
	assert_false(figures->pausing_pct.known);
	assert_false(figures->prios[4].paused_pct.known);
	assert_true(figures->rx_bps.value == 20e9 && figures->rx_pct.value == 20);
	assert_false(figures->tx_bps.known || figures->tx_pct.known);
	assert_int_equal(rt_watch_history(watch, 0, RT_COLUMN_PAUSED_PCT, values, 4),
			 2);
	assert_true(isnan(values[0]) && values[1] == 25);
	assert_int_equal(rt_watch_counter_history(watch, 0, 3, values, 4), 2);
	assert_true(isnan(values[0]) && values[1] == 2.5e9F);
	assert_int_equal(rt_watch_counter_history(watch, 0, 4, values, 4), 0);
	assert_int_equal(rt_watch_history(watch, 1, RT_COLUMN_RX_BPS, values, 4), 0);
	hand_end(&hand, watch);
}

RT_UNIT_MAIN(cmocka_unit_test(test_watch_tables_are_whole),
	     cmocka_unit_test(test_watch_rates_are_over_measured_time),
	     cmocka_unit_test(test_watch_figures_are_of_known_rates))
