/* SPDX-License-Identifier: BSD-2-Clause */
/* test_demo.c - the made-up host: always the same, and what it claims to be. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "watch/sample.h"
#include "watch/source.h"
#include "watch/watch.h"

#define SECOND UINT64_C(1000000000)

struct stage {
	struct rt_watch_source *source;
	struct rt_watch_sample sample;
};

static void raise_curtain(struct stage *stage, uint64_t step_ns)
{
	*stage = (struct stage){ 0 };
	assert_int_equal(rt_watch_demo_open(step_ns, &stage->source, NULL), 0);
}

static void step(struct stage *stage)
{
	assert_int_equal(
		stage->source->ops->sample(stage->source, &stage->sample, NULL), 0);
}

/* The sample of so many milliseconds after the first. */
static void go_to(struct stage *stage, int64_t ms)
{
	const int64_t first_ns = INT64_C(3600) * (int64_t)SECOND;

	assert_int_equal(
		stage->source->ops->seek(stage->source, first_ns + ms * 1000000, NULL),
		0);
	step(stage);
	assert_int_equal(stage->sample.time_ns, first_ns + ms * 1000000);
}

static void lower_curtain(struct stage *stage)
{
	rt_watch_sample_free(&stage->sample);
	stage->source->ops->close(stage->source);
}

static const struct rt_watch_input *port_of(const struct stage *stage, const char *name)
{
	for (size_t i = 0; i < stage->sample.count; i++)
		if (strcmp(stage->sample.items[i].port.name, name) == 0)
			return &stage->sample.items[i];
	fail_msg("no port %s", name);
	return NULL;
}

static uint64_t value(const struct stage *stage, const char *port,
		      enum rt_counter_id id, unsigned prio)
{
	const struct rt_opt_u64 found = rt_counter_value(&port_of(stage, port)->set, id,
							 prio);

	assert_true(found.known);
	return found.value;
}

static void assert_same_sets(const struct rt_counter_set *a,
			     const struct rt_counter_set *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++)
		assert_memory_equal(&a->items[i], &b->items[i], sizeof(a->items[i]));
}

static void assert_same_samples(const struct rt_watch_sample *a,
				const struct rt_watch_sample *b)
{
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->wall_ns, b->wall_ns);
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_memory_equal(&a->items[i].port, &b->items[i].port,
				    sizeof(a->items[i].port));
		assert_same_sets(&a->items[i].set, &b->items[i].set);
	}
}

static void test_demo_is_always_the_same(void **state)
{
	struct stage once, again, finer;

	(void)state;
	raise_curtain(&once, SECOND);
	raise_curtain(&again, SECOND);
	raise_curtain(&finer, SECOND / 10);
	for (int64_t i = 0; i < 70; i++) {
		step(&once);
		go_to(&again, i * 1000);
		go_to(&finer, i * 1000);
		assert_same_samples(&once.sample, &again.sample);
		assert_same_samples(&once.sample, &finer.sample);
	}
	lower_curtain(&finer);
	lower_curtain(&again);
	lower_curtain(&once);
}

static void test_demo_tells_when_its_next_sample_is(void **state)
{
	struct stage stage;
	int64_t next_ns = 0;

	(void)state;
	raise_curtain(&stage, SECOND / 4);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(stage.source->ops->next_ns(stage.source, &next_ns), 0);
		step(&stage);
		assert_int_equal(stage.sample.time_ns, next_ns);
	}
	lower_curtain(&stage);
}

/* A set of a source that a reader of recordings would refuse is none. */
static void test_demo_sets_are_sound(void **state)
{
	struct stage stage;

	(void)state;
	raise_curtain(&stage, SECOND);
	for (int64_t ms = 0; ms < 65000; ms += 5000) {
		go_to(&stage, ms);
		for (size_t i = 0; i < stage.sample.count; i++) {
			const struct rt_counter_set *set = &stage.sample.items[i].set;
			struct rt_err err = { 0 };

			assert_int_equal(rt_counter_set_check(set, &err), 0);
			for (size_t j = 0; j < set->count; j++) {
				assert_true(*set->items[j].name);
				assert_null(strchr(set->items[j].name, '%'));
				assert_int_equal(set->looks[set->items[j].source].state,
						 RT_LOOK_READ);
			}
		}
	}
	lower_curtain(&stage);
}

/* No port carries more than its link; priorities are all that a port has. */
static void test_demo_keeps_to_its_links(void **state)
{
	static const enum rt_counter_id bytes[] = { RT_COUNTER_RX_BYTES,
						    RT_COUNTER_TX_BYTES };
	uint64_t before[16][2] = { 0 };
	struct stage stage;

	(void)state;
	raise_curtain(&stage, SECOND);
	for (int64_t second = 0; second < 62; second++) {
		step(&stage);
		assert_true(stage.sample.count <= RT_ARRAY_SIZE(before));
		for (size_t i = 0; i < stage.sample.count * 2; i++) {
			const struct rt_watch_input *in = &stage.sample.items[i / 2];
			const struct rt_opt_u64 now = rt_counter_value(
				&in->set, bytes[i % 2], RT_COUNTER_NO_PRIO);
			uint64_t *old = &before[i / 2][i % 2];

			if (now.known && *old && now.value >= *old)
				assert_true((now.value - *old) * 8 <=
					    in->port.speed_bps.value);
			*old = now.known ? now.value : 0;
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		uint64_t sum = 0;

		for (unsigned prio = 0; prio < 8; prio++)
			sum += value(&stage, "mlx5_0/1", bytes[i], prio);
		assert_int_equal(
			sum, value(&stage, "mlx5_0/1", bytes[i], RT_COUNTER_NO_PRIO));
	}
	lower_curtain(&stage);
}

/* The difference of a port's counter between two moments; unknown as it comes. */
static struct rt_opt_u64 between(const char *port, enum rt_counter_id id, unsigned prio,
				 int64_t from_ms, int64_t until_ms)
{
	struct rt_counter_set change = { 0 };
	struct stage before, after;
	struct rt_opt_u64 found;

	raise_curtain(&before, SECOND);
	raise_curtain(&after, SECOND);
	go_to(&before, from_ms);
	go_to(&after, until_ms);
	assert_int_equal(rt_counters_diff(&port_of(&before, port)->set,
					  &port_of(&after, port)->set, &change, NULL),
			 0);
	found = rt_counter_value(&change, id, prio);
	rt_counter_set_free(&change);
	lower_curtain(&after);
	lower_curtain(&before);
	return found;
}

static void test_demo_has_each_trouble(void **state)
{
	static const struct {
		const char *port;
		enum rt_counter_id counter;
		unsigned prio;
		uint64_t least, most; /* between 20 s and 21 s */
	} cases[] = {
		{ "mlx5_0/1", RT_COUNTER_CE_RX, RT_COUNTER_NO_PRIO, 380000, 440000 },
		{ "mlx5_0/1", RT_COUNTER_CNP_TX, RT_COUNTER_NO_PRIO, 58000, 66000 },
		{ "mlx5_1/1", RT_COUNTER_PFC_RX_NS, 3, 200000000, 400000000 },
		{ "mlx5_1/1", RT_COUNTER_PFC_TX_NS, 3, 0, 0 },
		{ "mlx5_2/1", RT_COUNTER_PFC_TX_NS, 3, 280000000, 340000000 },
		{ "mlx5_2/1", RT_COUNTER_PFC_RX_NS, 3, 0, 0 },
		{ "mlx5_2/1", RT_COUNTER_PCIE_STALLS, RT_COUNTER_NO_PRIO, 1, 1 },
		{ "mlx5_3/1", RT_COUNTER_RX_DISCARDS, 3, 1, 1000 },
		{ "mlx5_3/1", RT_COUNTER_RX_DISCARDS, 0, 0, 0 },
		{ "mlx5_4/1", RT_COUNTER_PFC_RX_NS, 3, 1000000000, 1000000000 },
		{ "mlx5_4/1", RT_COUNTER_TX_BYTES, 3, 0, 0 },
		{ "mlx5_5/1", RT_COUNTER_SEQ_NAKS_RX, RT_COUNTER_NO_PRIO, 70, 100 },
		{ "mlx5_5/1", RT_COUNTER_PFC_RX_NS, 3, 0, 0 },
		{ "mlx5_5/1", RT_COUNTER_CNP_HANDLED, RT_COUNTER_NO_PRIO, 0, 0 },
		{ "mlx5_6/1", RT_COUNTER_OUT_OF_SEQUENCE, RT_COUNTER_NO_PRIO, 4000,
		  6000 },
		{ "mlx5_6/1", RT_COUNTER_ACK_TIMEOUTS, RT_COUNTER_NO_PRIO, 0, 0 },
		{ "bnxt_re0/1", RT_COUNTER_TX_BYTES, 3, 0, 0 },
		{ "bnxt_re0/1", RT_COUNTER_TX_BYTES, 0, 9000000000, 12000000000 },
		{ "bnxt_re1/1", RT_COUNTER_FEC_UNCORRECTABLE, RT_COUNTER_NO_PRIO, 1,
		  100 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_opt_u64 found = between(cases[i].port, cases[i].counter,
							cases[i].prio, 20000, 21000);

		print_message("# %s %s: %llu\n", cases[i].port,
			      rt_counters[cases[i].counter].name,
			      (unsigned long long)found.value);
		assert_true(found.known);
		assert_in_range(found.value, cases[i].least, cases[i].most);
	}
}

static void test_demo_counter_wraps(void **state)
{
	const enum rt_counter_id id = RT_COUNTER_OUT_OF_SEQUENCE;
	struct rt_opt_u64 found;
	struct stage stage;
	uint64_t before;

	(void)state;
	raise_curtain(&stage, SECOND);
	go_to(&stage, 11000);
	before = value(&stage, "mlx5_3/1", id, RT_COUNTER_NO_PRIO);
	go_to(&stage, 13000);
	assert_true(value(&stage, "mlx5_3/1", id, RT_COUNTER_NO_PRIO) < before);
	found = between("mlx5_3/1", id, RT_COUNTER_NO_PRIO, 11000, 13000);
	assert_true(found.known && found.value > 0 && found.value < 2000);
	lower_curtain(&stage);
}

static void test_demo_counters_begin_anew(void **state)
{
	(void)state;
	assert_true(between("irdma0/1", RT_COUNTER_RX_BYTES, RT_COUNTER_NO_PRIO, 33000,
			    34000)
			    .known);
	assert_false(between("irdma0/1", RT_COUNTER_RX_BYTES, RT_COUNTER_NO_PRIO, 34000,
			     36000)
			     .known);
}

static void test_demo_ports_come_and_go(void **state)
{
	static const struct {
		const char *port;
		int64_t ms;
		unsigned state;
	} cases[] = {
		{ "rxe0/1", 39000, RT_WATCH_UP },
		{ "rxe0/1", 40000, RT_WATCH_GONE },
		{ "rxe0/1", 47000, RT_WATCH_GONE },
		{ "rxe0/1", 48000, RT_WATCH_UP },
		{ "bnxt_re1/1", 29000, RT_WATCH_UP },
		{ "bnxt_re1/1", 31000, RT_WATCH_DOWN },
		{ "bnxt_re1/1", 33000, RT_WATCH_UP },
	};
	struct stage stage;

	(void)state;
	raise_curtain(&stage, SECOND);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_watch_input *in;

		go_to(&stage, cases[i].ms);
		in = port_of(&stage, cases[i].port);
		assert_int_equal(in->port.state, cases[i].state);
		assert_int_equal(in->set.count == 0, cases[i].state == RT_WATCH_GONE);
	}
	lower_curtain(&stage);
}

static void test_demo_unreadable_port_says_why(void **state)
{
	struct stage stage;
	const struct rt_watch_input *in;

	(void)state;
	raise_curtain(&stage, SECOND);
	step(&stage);
	in = port_of(&stage, "hns_0/1");
	assert_int_equal(in->set.count, 0);
	assert_true(*in->port.note);
	for (unsigned i = 0; i < RT_SOURCE_COUNT; i++) {
		assert_int_not_equal(in->set.looks[i].state, RT_LOOK_READ);
		assert_int_equal(*in->set.looks[i].why != '\0',
				 in->set.looks[i].state == RT_LOOK_FAILED);
	}
	assert_int_equal(in->set.looks[RT_SOURCE_ETHTOOL].state, RT_LOOK_FAILED);
	lower_curtain(&stage);
}

static void test_demo_incast_has_eight_senders(void **state)
{
	struct stage stage;
	const struct rt_watch_flows *flows;

	(void)state;
	raise_curtain(&stage, SECOND);
	go_to(&stage, 20000);
	flows = &stage.sample.flows;
	assert_true(flows->known);
	assert_true(flows->fan_count > 1);
	assert_int_equal(flows->fans[0].senders, 8);
	assert_memory_equal(&flows->fans[0].dst, &port_of(&stage, "mlx5_0/1")->port.ip,
			    sizeof(flows->fans[0].dst));
	assert_true(flows->fans[0].jain.known && flows->fans[0].jain.value > 0.9 &&
		    flows->fans[0].jain.value < 1);
	for (size_t i = 1; i < flows->count; i++)
		assert_true(flows->items[i - 1].bytes >= flows->items[i].bytes);
	go_to(&stage, 4000);
	for (size_t i = 0; i < flows->fan_count; i++)
		assert_true(flows->fans[i].senders < 8);
	lower_curtain(&stage);
}

/* Each verdict that there is has a port, and each port the verdict of its story. */
static void test_demo_has_each_verdict(void **state)
{
	static const struct {
		const char *port;
		enum rt_verdict verdict;
	} cases[] = {
		{ "mlx5_0/1", RT_VERDICT_NETWORK }, { "mlx5_1/1", RT_VERDICT_NETWORK },
		{ "mlx5_2/1", RT_VERDICT_HOST },    { "mlx5_3/1", RT_VERDICT_LOSS },
		{ "mlx5_4/1", RT_VERDICT_STORM },   { "mlx5_5/1", RT_VERDICT_SILENT },
		{ "mlx5_6/1", RT_VERDICT_REORDER }, { "mlx5_7/1", RT_VERDICT_OK },
		{ "bnxt_re0/1", RT_VERDICT_CLASS }, { "bnxt_re1/1", RT_VERDICT_LINK },
		{ "hns_0/1", RT_VERDICT_UNKNOWN },
	};
	const struct rt_watch_snapshot *snapshot;
	struct rt_watch_source *source = NULL;
	struct rt_watch *watch = NULL;
	unsigned seen = 0;

	(void)state;
	assert_int_equal(rt_watch_demo_open(SECOND, &source, NULL), 0);
	assert_int_equal(rt_watch_open(source, SECOND, &watch, NULL), 0);
	for (unsigned i = 0; i <= 25; i++)
		assert_int_equal(rt_watch_tick(watch, NULL), 0);
	snapshot = rt_watch_look(watch);
	for (size_t i = 0; i < snapshot->count; i++)
		for (size_t j = 0; j < RT_ARRAY_SIZE(cases); j++)
			if (strcmp(snapshot->views[i].port->name, cases[j].port) == 0) {
				print_message("# %s\n", cases[j].port);
				assert_int_equal(snapshot->views[i].verdict,
						 cases[j].verdict);
				seen |= 1u << cases[j].verdict;
			}
	assert_int_equal(seen, (1u << RT_VERDICT_COUNT) - 1);
	rt_watch_close(watch);
}

static void test_demo_goes_where_it_is_told(void **state)
{
	static const struct {
		int64_t to_ns, lands_ms; /* behind its first sample */
	} cases[] = {
		{ INT64_MIN, 0 },
		{ 0, 0 },
		{ INT64_MAX, INT64_C(31536000000) },
	};
	struct rt_watch_source *source = NULL;
	struct rt_watch_sample sample = { 0 };
	int64_t first_ns, next_ns;

	(void)state;
	assert_int_equal(rt_watch_demo_open(SECOND, &source, NULL), 0);
	assert_int_equal(source->ops->next_ns(source, &first_ns), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		assert_int_equal(source->ops->seek(source, cases[i].to_ns, NULL), 0);
		assert_int_equal(source->ops->next_ns(source, &next_ns), 0);
		assert_int_equal(next_ns - first_ns, cases[i].lands_ms * 1000000);
		/* From there it goes on. */
		for (unsigned n = 0; n < 3; n++) {
			assert_int_equal(source->ops->sample(source, &sample, NULL), 0);
			assert_int_equal(sample.time_ns, next_ns + n * SECOND);
			/* 2026-03-02 08:00 UTC, and as far on. */
			assert_int_equal(sample.wall_ns,
					 INT64_C(1772438400) * (int64_t)SECOND +
						 sample.time_ns - first_ns);
		}
	}
	source->ops->close(source);
	rt_watch_sample_free(&sample);
}

RT_UNIT_MAIN(cmocka_unit_test(test_demo_goes_where_it_is_told),
	     cmocka_unit_test(test_demo_has_each_verdict),
	     cmocka_unit_test(test_demo_is_always_the_same),
	     cmocka_unit_test(test_demo_tells_when_its_next_sample_is),
	     cmocka_unit_test(test_demo_sets_are_sound),
	     cmocka_unit_test(test_demo_keeps_to_its_links),
	     cmocka_unit_test(test_demo_has_each_trouble),
	     cmocka_unit_test(test_demo_counter_wraps),
	     cmocka_unit_test(test_demo_counters_begin_anew),
	     cmocka_unit_test(test_demo_ports_come_and_go),
	     cmocka_unit_test(test_demo_unreadable_port_says_why),
	     cmocka_unit_test(test_demo_incast_has_eight_senders))
