/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long runs at random: what was added adds up, nothing is ever negative or infinite, and
 * all is the same whether or not a source tells what moved.
 */
#include "hand_source.h"

#include "base/own.h"
#include "base/rng.h"

#define PORT RT_COUNTER_NO_PRIO

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
			hand.next_ns = (int64_t)(any_number(&rng) >> 1);
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

RT_UNIT_MAIN(cmocka_unit_test(test_items_at_random_add_up),
	     cmocka_unit_test(test_items_are_the_same_told_or_not),
	     cmocka_unit_test(test_items_whatever_comes))
