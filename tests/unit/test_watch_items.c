/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that come, go and move, resets of sources, baselines; and long runs, in which
 * no memory grows.
 */
#include "hand_source.h"

#include <malloc.h>

#include "base/own.h"
#include "watch/refresh.h"

#define PORT RT_COUNTER_NO_PRIO

/* --- items that come and go ---------------------------------------------------------------- */

/* The items of priority 3 and of the port, as PFC is switched on and off. */
static void remake(struct rt_watch_input *input, bool with_prio, uint64_t value)
{
	input->set.count = 0;
	if (with_prio)
		hand_add(input, RT_COUNTER_PFC_RX_FRAMES, 3, RT_SOURCE_ETHTOOL, 64,
			 value);
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 10 * value);
	hand_add(input, RT_COUNTER_CNP_TX, PORT, RT_SOURCE_RDMA, 64, 100 * value);
}

static void test_items_keep_what_is_theirs(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_view *view;
	float values[RT_WATCH_POINTS];

	(void)state;
	for (unsigned n = 1; n <= 9; n++) {
		const bool with = n >= 4 && n != 7;

		remake(input, with, n);
		hand_wait(&hand, HAND_SEC);
		view = hand_tick(watch, 0);
		if (n > 1) {
			assert_true(hand_rate(view, RT_COUNTER_RX_BYTES, PORT) == 10);
			assert_true(hand_rate(view, RT_COUNTER_CNP_TX, PORT) == 100);
		}
		/* Its first reading, and the first one after it was away, are none. */
		if (n == 5 || n == 6 || n == 9)
			assert_true(hand_rate(view, RT_COUNTER_PFC_RX_FRAMES, 3) == 1);
		else
			assert_true(
				isnan(hand_rate(view, RT_COUNTER_PFC_RX_FRAMES, 3)));
	}
	assert_int_equal(rt_watch_counter_history(watch, 0, 1, values, 240), 9);
	for (unsigned i = 1; i < 9; i++)
		assert_true(values[i] == 10);
	assert_int_equal(rt_watch_counter_history(watch, 0, 0, values, 2), 2);
	assert_true(isnan(values[0]) && values[1] == 1);
	hand_end(&hand, watch);
}

/* A set that does not number its layouts is compared by names. */
static void test_items_are_known_by_name(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	input->set.layout = 0;
	hand_wait(&hand, 0);
	hand_tick(watch, 0);
	hand_wait(&hand, HAND_SEC);
	strcpy(input->set.items[0].name, "another");
	input->set.items[0].value = 900;
	assert_true(isnan(hand_rate(hand_tick(watch, 0), RT_COUNTER_CE_RX, PORT)));
	hand_wait(&hand, HAND_SEC);
	input->set.items[0].value = 903;
	assert_true(hand_rate(hand_tick(watch, 0), RT_COUNTER_CE_RX, PORT) == 3);
	hand_end(&hand, watch);
}

/* A source may tell which values moved: the others are not looked at. */
static void test_items_of_a_source_that_tells_what_moved(void **state)
{
	static const struct {
		uint64_t filling, value;
		bool told;   /* that it moved */
		double rate; /* NaN: unknown */
	} ticks[] = {
		{ 2, 100, false, NAN }, { 3, 103, true, 3 },  { 4, 103, false, 0 },
		{ 5, 110, true, 7 },    { 6, 111, false, 0 }, /* not told, not seen */
		{ 8, 113, false, 3 },   { 0, 115, false, 2 }, { 0, 118, false, 3 },
		{ 4, 119, false, 1 },   { 5, 123, true, 4 },  { 6, 123, false, 0 },
		{ 7, 5, true, NAN },    { 8, 8, true, 3 },    { 9, 8, false, 0 },
		{ 10, 8, true, 0 },
	};
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	struct rt_counter_set *set = &input->set;

	(void)state;
	hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 0);
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 0);
	set->moved = calloc(4, sizeof(*set->moved));
	assert_non_null(set->moved);
	for (size_t i = 0; i < RT_ARRAY_SIZE(ticks); i++) {
		const struct rt_watch_view *view;
		double rate;

		hand_wait(&hand, HAND_SEC);
		set->items[1].value = ticks[i].value;
		set->items[0].value += 5;
		set->filling = ticks[i].filling;
		set->moved_count = 0;
		set->moved[set->moved_count++] =
			(struct rt_counter_move){ set->items[0].value, 0 };
		if (ticks[i].told) /* twice is as good as once */
			for (unsigned twice = 0; twice < 2; twice++)
				set->moved[set->moved_count++] =
					(struct rt_counter_move){ ticks[i].value, 1 };
		view = hand_tick(watch, 0);
		rate = (double)hand_rate(view, RT_COUNTER_CE_RX, PORT);
		assert_true(isnan(ticks[i].rate) ? isnan(rate) : rate == ticks[i].rate);
		assert_true(!i || hand_rate(view, RT_COUNTER_RX_BYTES, PORT) == 5);
	}
	/* Another layout is looked at as a whole. */
	hand_wait(&hand, HAND_SEC);
	hand_add(input, RT_COUNTER_CNP_TX, PORT, RT_SOURCE_RDMA, 64, 1);
	set->items[1].value += 9;
	set->filling++;
	set->moved_count = 0;
	assert_true(hand_rate(hand_tick(watch, 0), RT_COUNTER_CE_RX, PORT) == 9);
	hand_end(&hand, watch);
}

/* An item that came while its source said nothing has no rate over that time. */
static void test_items_that_come_in_between(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC / 10);
	const struct rt_watch_view *view;
	unsigned known = 0;

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 0);
	/* The NIC writes once a second, and the item comes at 4.5 s. */
	for (unsigned n = 0; n < 90; n++) {
		hand_wait(&hand, HAND_SEC / 10);
		hand_pace(&hand, 0, RT_SOURCE_RDMA);
		if (n == 45)
			hand_add(input, RT_COUNTER_CNP_TX, PORT, RT_SOURCE_RDMA, 64,
				 40);
		for (size_t i = 0; n % 10 == 0 && i < input->set.count; i++)
			input->set.items[i].value += 10;
		view = hand_tick(watch, 0);
		if (n < 45)
			continue;
		assert_true(hand_rate(view, RT_COUNTER_CE_RX, PORT) == 10);
		if (!isnan(hand_rate(view, RT_COUNTER_CNP_TX, PORT))) {
			assert_true(n >= 60);
			assert_true(hand_rate(view, RT_COUNTER_CNP_TX, PORT) == 10);
			known++;
		}
	}
	assert_int_equal(known, 30);
	assert_true(rt_watch_look(watch)->views[0].paces[0].refresh_ns.value ==
		    (uint64_t)HAND_SEC);
	hand_end(&hand, watch);
}

static void test_items_of_a_port_that_was_away(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_view *view;
	float values[16];

	(void)state;
	for (unsigned n = 1; n <= 8; n++) {
		const bool away = n == 4 || n == 5;

		remake(input, true, n);
		input->port.state = away ? RT_WATCH_GONE : RT_WATCH_UP;
		if (away)
			input->set.count = 0;
		hand_wait(&hand, HAND_SEC);
		view = hand_tick(watch, 0);
		assert_int_equal(view->set->count, away ? 0 : 3);
		assert_int_equal(view->figures.rx_bps.known,
				 n != 1 && (n < 4 || n > 6));
		if (away)
			assert_int_equal(
				rt_watch_counter_history(watch, 0, 1, values, 16), 0);
	}
	assert_int_equal(rt_watch_counter_history(watch, 0, 1, values, 16), 8);
	for (unsigned i = 0; i < 8; i++)
		assert_true(i == 0 || (i > 2 && i < 6) ? isnan(values[i])
						       : values[i] == 10);
	/* Another port in its place, of a file that was joined to this one. */
	strcpy(input->port.name, "mlx5_9/1");
	hand_wait(&hand, HAND_SEC);
	remake(input, true, 5000);
	view = hand_tick(watch, 0);
	assert_false(view->figures.rx_bps.known);
	assert_int_equal(rt_watch_history(watch, 0, RT_COLUMN_RX_BPS, values, 16), 1);
	assert_int_equal(hand_events(watch, RT_EVENT_PORT), 3); /* went, back, came */
	hand_end(&hand, watch);
}

/* --- resets -------------------------------------------------------------------------------- */

static void test_items_of_a_source_are_reset_together(void **state)
{
	static const struct {
		const char *label;
		unsigned bits;
		uint64_t before, after;
		bool reset;
	} cases[] = {
		{ "forwards", 64, 10, 11, false },
		{ "backwards", 64, 10, 9, true },
		{ "32 bits, past their end", 32, UINT32_MAX, 4, false },
		{ "32 bits, too far", 32, 7000, 4, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct hand hand = { 0 };
		struct rt_watch_input *input = hand_port(&hand, "eth0");
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		const struct rt_watch_view *view;

		hand_add(input, RT_COUNTER_RX_BYTES, PORT, RT_SOURCE_ETHTOOL, 64, 9);
		hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
		hand_add(input, RT_COUNTER_OUT_OF_BUFFER, PORT, RT_SOURCE_RDMA,
			 cases[i].bits, cases[i].before);
		hand_wait(&hand, 0);
		hand_tick(watch, 0);
		assert_int_equal(rt_watch_set_baseline(watch, NULL), 0);
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_RX_BYTES, PORT, 1);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 2);
		hand_find(&hand, 0, RT_COUNTER_OUT_OF_BUFFER, PORT)->value =
			cases[i].after;
		view = hand_tick(watch, 0);
		print_message("# %s\n", cases[i].label);
		assert_int_equal(isnan(hand_rate(view, RT_COUNTER_CE_RX, PORT)),
				 cases[i].reset);
		assert_int_equal(isnan(hand_rate(view, RT_COUNTER_OUT_OF_BUFFER, PORT)),
				 cases[i].reset);
		assert_true(hand_rate(view, RT_COUNTER_RX_BYTES, PORT) == 1);
		assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) ==
			    (cases[i].reset ? UINT64_MAX : 2));
		assert_true(hand_since(view, RT_COUNTER_RX_BYTES, PORT) == 1);
		assert_int_equal(hand_events(watch, RT_EVENT_COUNTERS_RESET),
				 cases[i].reset);
		/* It goes on, and what was lost since the baseline stays lost. */
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 2);
		view = hand_tick(watch, 0);
		assert_true(hand_rate(view, RT_COUNTER_CE_RX, PORT) == 2);
		assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) ==
			    (cases[i].reset ? UINT64_MAX : 4));
		hand_end(&hand, watch);
	}
}

/* Also of the first source there is; a reading of another one is not held against it. */
static void test_items_tell_which_source_was_reset(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);

	(void)state;
	for (unsigned source = 0; source < RT_SOURCE_COUNT; source++)
		hand_add(input, RT_COUNTER_CE_RX + source, PORT, source, 64, 50);
	for (unsigned source = 0; source < RT_SOURCE_COUNT; source++) {
		const struct rt_watch_snapshot *look = rt_watch_look(watch);

		hand_wait(&hand, HAND_SEC);
		hand_tick(watch, 0);
		hand_wait(&hand, HAND_SEC);
		input->set.items[source].value = 4;
		hand_tick(watch, 0);
		assert_int_equal(hand_events(watch, RT_EVENT_COUNTERS_RESET),
				 source + 1);
		assert_non_null(strstr(look->events[look->event_count - 1].text,
				       rt_counter_source_names[source].name));
	}
	hand_end(&hand, watch);
}

/* Items of two sources in turn: one that moves is enough for all of its source. */
static void test_items_of_a_source_in_several_places(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		hand_add(input, RT_COUNTER_CE_RX + i, PORT,
			 i % 2 ? RT_SOURCE_ETHTOOL : RT_SOURCE_RDMA, 64, 50);
	for (unsigned n = 0; n < 9; n++) {
		const unsigned moves = n % 2 ? 0 : 2;

		hand_wait(&hand, HAND_SEC / 10);
		hand_pace(&hand, 0, RT_SOURCE_RDMA);
		hand_pace(&hand, 0, RT_SOURCE_ETHTOOL);
		input->set.items[moves].value += 7;
		input->set.items[1].value += 9;
		hand_tick(watch, 0);
		/* Both are known to be fast by then: nothing is held, and rates are. */
		for (unsigned i = 0; n > 3 && i < 6; i++)
			assert_true(rt_watch_look(watch)->views[0].per_s[i] ==
				    (i == 1       ? 90.0F
				     : i == moves ? 70.0F
						  : 0.0F));
	}
	hand_end(&hand, watch);
}

/* --- where a source says how old its numbers are --------------------------------------------- */

/* By its own account it is asked every 5 s, which is more than others are thought to be. */
static void test_items_of_files_with_a_lifespan(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "mlx5_0/1");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);

	(void)state;
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 50);
	hand_add(input, RT_COUNTER_NETDEV_RX_BYTES, PORT, RT_SOURCE_NETDEV, 64, 50);
	input->set.refresh_ms = RT_KNOWN_U64(5000);
	for (unsigned n = 0; n < 8; n++) {
		const struct rt_watch_view *view;

		hand_wait(&hand, HAND_SEC);
		hand_pace(&hand, 0, RT_SOURCE_RDMA);
		hand_pace(&hand, 0, RT_SOURCE_NETDEV);
		view = hand_tick(watch, 0);
		assert_int_equal(isnan(hand_rate(view, RT_COUNTER_CE_RX, PORT)), n < 5);
		assert_int_equal(
			isnan(hand_rate(view, RT_COUNTER_NETDEV_RX_BYTES, PORT)),
			n == 0);
	}
	hand_end(&hand, watch);
}

/* --- baselines ----------------------------------------------------------------------------- */

static void test_items_since_a_baseline(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch_input *input = hand_port(&hand, "eth0");
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_snapshot *snapshot = rt_watch_look(watch);
	const struct rt_watch_view *view;

	(void)state;
	assert_int_equal(rt_watch_set_baseline(watch, NULL), -ENODATA);
	hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	hand_wait(&hand, 0);
	view = hand_tick(watch, 0);
	assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) == UINT64_MAX);
	assert_false(snapshot->baseline_ns.known);
	assert_int_equal(rt_watch_set_baseline(watch, NULL), 0);
	assert_true(snapshot->baseline_ns.known && snapshot->baseline_ns.value == 0);
	for (unsigned n = 1; n <= 5; n++) {
		hand_wait(&hand, HAND_SEC);
		hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 3);
		view = hand_tick(watch, 0);
		assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) == 3 * n);
		assert_true(snapshot->baseline_ns.value == n * (uint64_t)HAND_SEC);
	}
	/* Two looks at one moment: what was added is known, how fast is not. */
	hand_raise(&hand, 0, RT_COUNTER_CE_RX, PORT, 3);
	view = hand_tick(watch, 0);
	assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) == 18);
	assert_true(isnan(hand_rate(view, RT_COUNTER_CE_RX, PORT)));
	assert_int_equal(rt_watch_set_baseline(watch, NULL), 0);
	assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) == 0);
	rt_watch_clear_baseline(watch);
	assert_true(hand_since(view, RT_COUNTER_CE_RX, PORT) == UINT64_MAX);
	assert_false(snapshot->baseline_ns.known);
	hand_end(&hand, watch);
}

/* A source that failed half-way has moved its sample, and left it half new. */
static void test_items_of_a_sample_that_failed(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	const struct rt_watch_snapshot *look = rt_watch_look(watch);

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		remake(hand_port(&hand, i ? "mlx5_1/1" : "mlx5_0/1"), true, 5);
	hand_tick(watch, 0);
	hand.result = -EIO;
	hand.spoils = true; /* takes the last item of the last port, and moves all */
	hand_tick(watch, 0);
	assert_int_equal(look->count, 0);
	hand.result = 0;
	hand_tick(watch, 0);
	assert_int_equal(look->count, 2);
	hand.result = -EIO;
	hand.spoils = false;
	assert_string_equal(hand_tick(watch, 1)->port->name, "mlx5_1/1");
	hand_end(&hand, watch);
}

/* Histories of counters are kept of so many as fit, of figures of all. */
static void test_items_of_too_many_for_histories(void **state)
{
	enum {
		MANY = 40000
	};
	struct hand hand = { 0 };
	struct rt_watch *watch = hand_open(&hand, HAND_SEC);
	float values[4];

	(void)state;
	for (unsigned port = 0; port < 2; port++) {
		struct rt_watch_input *input = hand_port(&hand, port ? "e1" : "e0");

		for (unsigned i = 0; i < MANY; i++)
			hand_add(input, RT_COUNTER_CE_RX, PORT, RT_SOURCE_RDMA, 64, 5);
	}
	hand_tick(watch, 0);
	assert_int_equal(rt_watch_counter_history(watch, 0, MANY - 1, values, 4), 1);
	assert_int_equal(rt_watch_counter_history(watch, 1, MANY - 1, values, 4), 0);
	assert_int_equal(rt_watch_history(watch, 1, RT_COLUMN_CE_PS, values, 4), 1);
	/* The first one has fewer now, so that there is room for some of the second. */
	for (unsigned port = 0; port < 2; port++) {
		hand.next.items[port].set.count = 10;
		hand.next.items[port].set.layout = 1;
	}
	hand_tick(watch, 0);
	assert_int_equal(rt_watch_counter_history(watch, 0, 9, values, 4), 2);
	assert_int_equal(rt_watch_counter_history(watch, 1, 9, values, 4), 2);
	assert_true(isnan(values[0]));
	/* And when another port comes in the place of one. */
	for (unsigned n = 0; n < 3; n++) {
		struct rt_watch_input *input = &hand.next.items[0];

		input->port.name[0]++;
		input->set.count = n == 1 ? 10 : MANY;
		input->set.layout++;
		hand_tick(watch, 0);
		assert_int_equal(rt_watch_counter_history(watch, 0, 9, values, 4), 1);
	}
	hand_end(&hand, watch);
}

/* --- long ---------------------------------------------------------------------------------- */

static void raise_all(struct hand *hand, uint64_t by)
{
	for (size_t i = 0; i < hand->next.count; i++)
		for (size_t j = 0; j < hand->next.items[i].set.count; j++)
			hand->next.items[i].set.items[j].value += by * (1 + j % 3);
}

/* Ports that come and go, findings, events, sources that fail: 10,000 ticks. */
static void test_items_of_long_runs_need_no_more_memory(void **state)
{
	struct hand hand = { 0 };
	struct rt_watch *watch = hand_open(&hand, HAND_SEC / 10);
	size_t after_1000 = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		char name[16];
		struct rt_watch_input *input;

		snprintf(name, sizeof(name), "mlx5_%u/1", i);
		input = hand_port(&hand, name);
		for (unsigned prio = 0; prio < 8; prio++)
			hand_add(input, RT_COUNTER_PFC_RX_NS, prio, RT_SOURCE_ETHTOOL,
				 64, 5);
		for (unsigned id = RT_COUNTER_CE_RX; id < RT_COUNTER_NIC_MARKED; id++)
			hand_add(input, id, PORT, RT_SOURCE_RDMA, 64, 7);
	}
	for (unsigned n = 0; n < 10000; n++) {
		hand_wait(&hand, HAND_SEC / 10);
		raise_all(&hand, n % 3000000);
		hand.next.items[n % 8].port.state = n % 16 < 8 ? RT_WATCH_UP
							       : RT_WATCH_DOWN;
		hand.result = n % 97 == 96 ? -EIO : 0;
		if (n % 1000 == 500)
			raise_all(&hand, UINT64_MAX / 2);
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
		if (n == 1000)
			after_1000 = mallinfo2().uordblks;
	}
	print_message("# %zu bytes after 1,000 ticks, %zu after 10,000\n", after_1000,
		      mallinfo2().uordblks);
	/* A sanitizer's malloc says 0, and finds leaks by itself. */
	assert_true(mallinfo2().uordblks <= after_1000);
	assert_int_equal(rt_watch_look(watch)->event_count, RT_WATCH_MAX_EVENTS);
	hand_end(&hand, watch);
}

RT_UNIT_MAIN(cmocka_unit_test(test_items_keep_what_is_theirs),
	     cmocka_unit_test(test_items_are_known_by_name),
	     cmocka_unit_test(test_items_of_a_source_that_tells_what_moved),
	     cmocka_unit_test(test_items_that_come_in_between),
	     cmocka_unit_test(test_items_of_a_port_that_was_away),
	     cmocka_unit_test(test_items_of_a_source_are_reset_together),
	     cmocka_unit_test(test_items_tell_which_source_was_reset),
	     cmocka_unit_test(test_items_of_a_source_in_several_places),
	     cmocka_unit_test(test_items_of_files_with_a_lifespan),
	     cmocka_unit_test(test_items_since_a_baseline),
	     cmocka_unit_test(test_items_of_a_sample_that_failed),
	     cmocka_unit_test(test_items_of_too_many_for_histories),
	     cmocka_unit_test(test_items_of_long_runs_need_no_more_memory))
