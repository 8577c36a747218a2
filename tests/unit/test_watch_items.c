/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that come, go and move, resets of sources, baselines; and long runs at random:
 * nothing is ever negative or infinite, what was added adds up, and no memory grows.
 */
#include "hand_source.h"

#include <malloc.h>

#include "base/own.h"
#include "base/rng.h"
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

/* --- at random ----------------------------------------------------------------------------- */

#define RANDOM_ITEMS 4u

static const unsigned random_bits[RANDOM_ITEMS] = { 64, 32, 64, 16 };
static const unsigned random_sources[RANDOM_ITEMS] = { RT_SOURCE_ETHTOOL,
						       RT_SOURCE_ETHTOOL,
						       RT_SOURCE_RDMA, RT_SOURCE_RDMA };

/* What a random port has really done, as far as it was read. */
struct truth {
	uint64_t value[RANDOM_ITEMS];
	uint64_t step[RANDOM_ITEMS];  /* of the last reading */
	uint64_t added[RANDOM_ITEMS]; /* since the baseline */
	bool known[RANDOM_ITEMS];     /* so much of it can be known */
};

/* Of any size below half of what the counter holds, often nothing. */
static uint64_t random_step(struct rt_rng *rng, unsigned bits)
{
	const uint64_t most = UINT64_C(1) << (bits == 64 ? 50 : bits - 1);

	return rt_rng_u64(rng) % 3 ? (rt_rng_u64(rng) % most) >> rt_rng_u64(rng) % 50
				   : 0;
}

static void move_item(struct truth *truth, unsigned item, bool reset,
		      struct rt_rng *rng)
{
	const uint64_t step = random_step(rng, random_bits[item]);

	truth->step[item] = step;
	truth->value[item] += step;
	truth->added[item] += step;
	if (random_bits[item] < 64)
		truth->value[item] &= (UINT64_C(1) << random_bits[item]) - 1;
	if (reset) {
		truth->value[item] = random_bits[item] == 64 ? 1 : 0;
		truth->known[item] = false;
	}
}

/* Both items of a source are read; one that never starts anew is above 1 by then. */
static void read_pair(struct truth *truth, unsigned pair, bool reset,
		      struct rt_rng *rng, struct hand *hand)
{
	for (unsigned i = 2 * pair; i < 2 * pair + 2; i++) {
		move_item(truth, i, reset, rng);
		hand->next.items[0].set.items[i].value = truth->value[i];
	}
	if (pair)
		hand_pace(hand, 0, RT_SOURCE_RDMA);
}

static void check_truth(const struct truth *truth, const struct rt_watch_view *view,
			bool reset, uint64_t elapsed_ns)
{
	for (unsigned i = 0; i < RANDOM_ITEMS; i++) {
		assert_false(isinf(view->per_s[i]) || view->per_s[i] < 0);
		assert_true(view->since[i] ==
			    (truth->known[i] ? truth->added[i] : UINT64_MAX));
		/* The one that is read at each tick, and tells of the moment. */
		if (i > 1)
			continue;
		assert_int_equal(isnan(view->per_s[i]), reset || elapsed_ns == 0);
		if (!isnan(view->per_s[i]))
			assert_true(
				fabs((double)view->per_s[i] * (double)elapsed_ns / 1e9 -
				     (double)truth->step[i]) <=
				1e-6 * (double)truth->step[i]);
	}
}

/* tells: mostly, which values moved; all is the same then. */
static void play_random(struct hand *hand, struct rt_watch *watch, bool tells,
			struct rt_rng *rng)
{
	struct truth truth = { .value = { 2, 60000, 2, 60000 } };

	for (unsigned n = 0; n < 300; n++) {
		const int64_t wait_ns = (int64_t)(rt_rng_u64(rng) % 3) * HAND_SEC / 7;
		const unsigned pair = rt_rng_u64(rng) %
				      40; /* is reset, if it can fall */
		const bool reset = pair == 0 && truth.value[0] > 1;
		const bool both = wait_ns && rt_rng_u64(rng) % 2;

		if (rt_rng_u64(rng) % 50 == 0) {
			assert_int_equal(rt_watch_set_baseline(watch, NULL), 0);
			memset(truth.added, 0, sizeof(truth.added));
			memset(truth.known, 1, sizeof(truth.known));
		}
		hand->tells = tells && n % 23;
		hand_wait(hand, wait_ns);
		read_pair(&truth, 0, reset, rng, hand);
		if (both)
			read_pair(&truth, 1, pair == 1 && truth.value[2] > 1, rng,
				  hand);
		check_truth(&truth, hand_tick(watch, 0), reset, (uint64_t)wait_ns);
	}
}

static void test_items_at_random_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct hand hand = { 0 };
		struct rt_watch_input *input = hand_port(&hand, "eth0");
		struct rt_watch *watch = hand_open(&hand, HAND_SEC);
		struct rt_rng rng;

		rt_rng_init(&rng, seed, 0);
		for (unsigned i = 0; i < RANDOM_ITEMS; i++)
			hand_add(input, (enum rt_counter_id)(RT_COUNTER_CE_RX + i),
				 PORT, random_sources[i], random_bits[i],
				 i % 2 ? 60000 : 2);
		hand_wait(&hand, 0);
		hand_pace(&hand, 0, RT_SOURCE_RDMA);
		hand_tick(watch, 0);
		play_random(&hand, watch, seed % 2, &rng);
		hand_end(&hand, watch);
	}
}

/* --- whatever comes ------------------------------------------------------------------------ */

static uint64_t any_number(struct rt_rng *rng)
{
	static const uint64_t edges[] = { 0,         1,          UINT32_MAX,
					  INT64_MAX, UINT64_MAX, (uint64_t)INT64_MIN };
	const uint64_t which = rt_rng_u64(rng) % 12;

	if (which < RT_ARRAY_SIZE(edges))
		return edges[which];
	return rt_rng_u64(rng) >> rt_rng_u64(rng) % 64;
}

/* Items in the order of the catalogue, any of them, of any source and width. */
static void any_set(struct rt_watch_input *input, struct rt_rng *rng)
{
	input->set.count = 0;
	for (unsigned id = 0; id < RT_COUNTER_COUNT; id++)
		for (unsigned prio = 0; prio < 9; prio++) {
			if (rt_rng_u64(rng) % 6)
				continue;
			hand_add(input, id, prio < 8 ? prio : PORT,
				 (unsigned)(rt_rng_u64(rng) % RT_SOURCE_COUNT),
				 8 + (unsigned)(rt_rng_u64(rng) % 57), any_number(rng));
			input->set.items[input->set.count - 1].scale =
				1 + (uint32_t)any_number(rng) % 5000;
		}
	if (rt_rng_u64(rng) % 4 == 0)
		input->set.layout = 0;
}

static void any_values(struct rt_watch_input *input, struct rt_rng *rng)
{
	for (size_t i = 0; i < input->set.count; i++)
		if (rt_rng_u64(rng) % 3 == 0)
			input->set.items[i].value = any_number(rng);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (rt_rng_u64(rng) % 3 == 0)
			input->set.paces[i] = (struct rt_counter_pace){
				(int64_t)any_number(rng), any_number(rng), 0
			};
}

static void any_port(struct rt_watch_input *input, struct rt_rng *rng)
{
	input->port.state = (unsigned)(rt_rng_u64(rng) % 4);
	input->port.name[0] = rt_rng_u64(rng) % 20 ? 'e' : 'f';
	input->port.speed_bps = RT_KNOWN_U64(any_number(rng));
	input->port.lossless = RT_KNOWN_U64(any_number(rng));
	input->port.cnp_gap_ns = RT_KNOWN_U64(any_number(rng));
	input->set.refresh_ms = RT_KNOWN_U64(any_number(rng));
	if (rt_rng_u64(rng) % 5 == 0)
		any_set(input, rng);
	if (rt_rng_u64(rng) % 20 == 0)
		input->set.count = 0;
	any_values(input, rng);
}

static void check_sane(const struct rt_watch_view *view)
{
	const struct rt_watch_figures *figures = &view->figures;

	for (size_t i = 0; i < view->set->count; i++)
		assert_false(isinf(view->per_s[i]) || view->per_s[i] < 0);
	for (size_t i = 0; i < rt_watch_figures_table.count; i++) {
		const struct rt_field *field = &rt_watch_figures_table.fields[i];
		struct rt_opt_f64 figure;

		if (field->type != RT_FIELD_OPT_F64)
			continue;
		memcpy(&figure, (const char *)figures + field->offset, sizeof(figure));
		assert_true(!figure.known ||
			    (isfinite(figure.value) && figure.value >= 0));
	}
	for (unsigned prio = 0; prio < 8; prio++)
		assert_true(figures->prios[prio].paused_pct.value <= 100 ||
			    !figures->prios[prio].paused_pct.known);
}

/* Of a source that tells what moved, and of one that does not. */
static void check_same(const struct rt_watch_snapshot *a,
		       const struct rt_watch_snapshot *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct rt_watch_view *one = &a->views[i], *other = &b->views[i];

		for (size_t j = 0; j < one->set->count; j++) {
			assert_true(one->per_s[j] == other->per_s[j] ||
				    (isnan(one->per_s[j]) && isnan(other->per_s[j])));
			assert_true(one->since[j] == other->since[j]);
		}
	}
	assert_int_equal(a->event_count, b->event_count);
}

static void tick_both(struct rt_watch *watch, struct rt_watch *twin,
		      const struct hand *hand, struct hand *telling, bool tells)
{
	telling->next = hand->next;
	telling->result = hand->result;
	telling->next_ns = hand->next_ns;
	telling->tells = tells;
	assert_int_equal(rt_watch_tick(watch, NULL), 0);
	assert_int_equal(rt_watch_tick(twin, NULL), 0);
	check_same(rt_watch_look(watch), rt_watch_look(twin));
}

#define CALM_ITEMS 6u

/* Three sources, some items of 32 bits; the last one of each comes and goes. */
static void calm_layout(struct rt_watch_input *input, const uint64_t *values,
			unsigned there)
{
	static const unsigned sources[] = { RT_SOURCE_ETHTOOL, RT_SOURCE_RDMA,
					    RT_SOURCE_NETDEV };

	input->set.count = 0;
	for (unsigned i = 0; i < CALM_ITEMS; i++)
		if (i % 2 == 0 || there >> i & 1)
			hand_add(input, (enum rt_counter_id)(RT_COUNTER_CE_RX + i),
				 PORT, sources[i / 2], i % 3 ? 64 : 32, values[i]);
}

/* Most of the time little happens: something is added, or a source is not read. */
static void calm_step(struct hand *hand, uint64_t *values, unsigned *there,
		      struct rt_rng *rng)
{
	struct rt_watch_input *input = &hand->next.items[0];
	const uint64_t layout = input->set.layout;

	hand_wait(hand, rt_rng_u64(rng) % 40 ? HAND_SEC : 130 * HAND_SEC);
	for (unsigned i = 0; i < CALM_ITEMS; i++) {
		if (rt_rng_u64(rng) % 3 == 0)
			values[i] += rt_rng_u64(rng) % 1000;
		if (rt_rng_u64(rng) % 200 == 0)
			values[i] /= 2;
	}
	if (rt_rng_u64(rng) % 25 == 0)
		*there ^= (unsigned)(rt_rng_u64(rng) % 64);
	calm_layout(input, values, *there);
	input->set.layout = layout;
	if (*there != input->set.refresh_ms.value)
		input->set.layout++;
	input->set.refresh_ms.value = *there; /* not known: where it is kept */
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++)
		if (rt_rng_u64(rng) % 4)
			input->set.paces[i].read_ns = hand->next.time_ns;
	hand->result = rt_rng_u64(rng) % 60 ? 0 : -EIO;
}

static void test_items_are_the_same_told_or_not(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct hand hand = { 0 }, telling = { 0 };
		uint64_t values[CALM_ITEMS] = { 0 };
		struct rt_watch *watch, *twin;
		unsigned there = 63;
		struct rt_rng rng;

		rt_rng_init(&rng, seed, 2);
		hand_port(&hand, "eth0");
		watch = hand_open(&hand, HAND_SEC);
		twin = hand_open(&telling, HAND_SEC);
		for (unsigned n = 0; n < 300; n++) {
			calm_step(&hand, values, &there, &rng);
			tick_both(watch, twin, &hand, &telling, n % 31 != 30);
			if (rt_rng_u64(&rng) % 50 == 0) {
				rt_watch_set_baseline(watch, NULL);
				rt_watch_set_baseline(twin, NULL);
			}
		}
		telling.next = (struct rt_watch_sample){ 0 }; /* it is hand's */
		hand_end(&telling, twin);
		hand_end(&hand, watch);
	}
}

static void test_items_whatever_comes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct hand hand = { .has_clock = seed % 2 }, telling = hand;
		struct rt_watch *watch, *twin;
		struct rt_rng rng;
		float values[300];

		rt_rng_init(&rng, seed, 1);
		for (unsigned i = 0; i < 3; i++)
			hand_port(&hand, i ? i == 1 ? "e1" : "e2" : "e0");
		watch = hand_open(&hand, HAND_SEC);
		twin = hand_open(&telling, HAND_SEC);
		for (unsigned n = 0; n < 200; n++) {
			const struct rt_watch_snapshot *look = rt_watch_look(watch);

			hand.next.time_ns = rt_rng_u64(&rng) % 4
						    ? hand.next.time_ns
						    : (int64_t)any_number(&rng);
			hand_wait(&hand,
				  hand.next.time_ns < INT64_MAX - HAND_SEC
					  ? (int64_t)(rt_rng_u64(&rng) % HAND_SEC)
					  : 0);
			hand.next_ns = (int64_t)any_number(&rng);
			hand.result = rt_rng_u64(&rng) % 30 ? 0 : -EIO;
			for (unsigned i = 0; i < 3; i++)
				any_port(&hand.next.items[i], &rng);
			tick_both(watch, twin, &hand, &telling, rt_rng_u64(&rng) % 9);
			for (size_t i = 0; i < look->count; i++)
				check_sane(&look->views[i]);
			rt_watch_counter_history(watch, n % 4, n, values, n % 300);
			rt_watch_wait_ns(watch, (int64_t)(any_number(&rng) >> 1),
					 (double)any_number(&rng));
			rt_watch_acknowledge(watch, any_number(&rng));
			if (rt_rng_u64(&rng) % 9 == 0) {
				rt_watch_set_baseline(watch, NULL);
				rt_watch_set_baseline(twin, NULL);
			}
			if (rt_rng_u64(&rng) % 9 == 0) {
				rt_watch_seek(watch, 5, NULL);
				rt_watch_seek(twin, 5, NULL);
			}
		}
		telling.next = (struct rt_watch_sample){ 0 }; /* it is hand's */
		hand_end(&telling, twin);
		hand_end(&hand, watch);
	}
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
	     cmocka_unit_test(test_items_at_random_add_up),
	     cmocka_unit_test(test_items_are_the_same_told_or_not),
	     cmocka_unit_test(test_items_whatever_comes),
	     cmocka_unit_test(test_items_of_a_sample_that_failed),
	     cmocka_unit_test(test_items_of_too_many_for_histories),
	     cmocka_unit_test(test_items_of_long_runs_need_no_more_memory))
