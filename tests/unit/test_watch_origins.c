/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_watch_origins.c - what a figure rests on, against what figures do: a counter
 * matters to a figure when the figure is another one without it, or when more of it is
 * counted; and the sources that are told are those of the counters that matter.
 */
#include "hand_source.h"

#include <stddef.h>

#include "base/own.h"

#define PORT    RT_COUNTER_NO_PRIO
#define FIGURES (sizeof(struct rt_watch_figures) / sizeof(struct rt_opt_f64))

/* Of a port that is made by chance. */
struct item {
	enum rt_counter_id id;
	unsigned prio, source;
	uint64_t rate;
};
#define MOST_ITEMS 400u

static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

/*
 * Counters come in their order; those of priorities for all of them, some, or none.  A
 * duration is some of the time; the least rates of counters that are taken from others
 * stay below them.
 */
static size_t make_items(uint64_t *state, struct item *items)
{
	size_t count = 0;

	for (unsigned id = 0; id < RT_COUNTER_COUNT; id++) {
		const bool time = rt_counters[id].unit == RT_UNIT_NS;
		const unsigned some = next_random(state) % 3;
		const unsigned source = next_random(state) % RT_SOURCE_COUNT;

		for (unsigned prio = 0; prio <= 8; prio++) {
			const unsigned scope = prio < 8 ? RT_COUNTER_PRIO
							: RT_COUNTER_PORT;

			if (!(rt_counters[id].scope & scope) ||
			    (prio < 8 && some == 0) ||
			    ((prio == 8 || some == 1) && next_random(state) % 2))
				continue;
			items[count++] = (struct item){
				.id = id,
				.prio = prio < 8 ? prio : PORT,
				.source = next_random(state) % 4
						  ? source
						  : next_random(state) %
							    RT_SOURCE_COUNT,
				.rate = (time ? 1000000 : 10000) +
					next_random(state) % 9000,
			};
		}
	}
	assert_true(count < MOST_ITEMS);
	return count;
}

#define NO_ITEM SIZE_MAX

/* After a second in which each counted so much, one of them not at all or more. */
static struct rt_watch *watch_items(struct hand *hand, const struct item *items,
				    size_t count, size_t without, size_t more)
{
	struct rt_watch_input *input = hand_port(hand, "mlx5_0/1");
	struct rt_watch *watch = hand_open(hand, HAND_SEC);

	input->port.speed_bps = RT_KNOWN_U64(100000000000);
	input->port.cnp_gap_ns = RT_KNOWN_U64(4000);
	input->port.lossless = RT_KNOWN_U64(0x18);
	for (size_t i = 0; i < count; i++)
		if (i != without)
			hand_add(input, items[i].id, items[i].prio, items[i].source, 64,
				 0);
	hand_wait(hand, 0);
	hand_tick(watch, 0);
	hand_wait(hand, HAND_SEC);
	for (size_t i = 0; i < count; i++)
		if (i != without)
			hand_raise(hand, 0, items[i].id, items[i].prio,
				   items[i].rate * (i == more ? 50 : 1));
	hand_tick(watch, 0);
	return watch;
}

static struct rt_watch_figures figures_of(const struct item *items, size_t count,
					  size_t without, size_t more)
{
	struct hand hand = { 0 };
	struct rt_watch *watch = watch_items(&hand, items, count, without, more);
	const struct rt_watch_figures figures = rt_watch_look(watch)->views[0].figures;

	hand_end(&hand, watch);
	return figures;
}

static struct rt_opt_f64 figure_at(const struct rt_watch_figures *figures, size_t at)
{
	struct rt_opt_f64 value;

	memcpy(&value, (const char *)figures + at * sizeof(value), sizeof(value));
	return value;
}

static void note_changes(const struct rt_watch_figures *was,
			 const struct rt_watch_figures *is, unsigned source,
			 unsigned *matter)
{
	for (size_t i = 0; i < FIGURES; i++) {
		const struct rt_opt_f64 a = figure_at(was, i), b = figure_at(is, i);

		if (a.known != b.known || (a.known && a.value != b.value))
			matter[i] |= 1u << source;
	}
}

static unsigned try_port(uint64_t *state)
{
	struct item items[MOST_ITEMS];
	const size_t count = make_items(state, items);
	const struct rt_watch_figures figures = figures_of(items, count, NO_ITEM,
							   NO_ITEM);
	unsigned matter[FIGURES] = { 0 }, known = 0;
	struct hand hand = { 0 };
	struct rt_watch *watch;

	for (size_t i = 0; i < count; i++) {
		const struct rt_watch_figures less = figures_of(items, count, i,
								NO_ITEM);
		const struct rt_watch_figures more = figures_of(items, count, NO_ITEM,
								i);

		note_changes(&figures, &less, items[i].source, matter);
		note_changes(&figures, &more, items[i].source, matter);
	}
	watch = watch_items(&hand, items, count, NO_ITEM, NO_ITEM);
	for (size_t i = 0; i < FIGURES; i++)
		if (figure_at(&figures, i).known) {
			const unsigned told = rt_watch_figure_sources(
				&rt_watch_look(watch)->views[0],
				i * sizeof(struct rt_opt_f64));

			if (told != matter[i])
				fail_msg("figure %zu: %#x told, %#x matter", i, told,
					 matter[i]);
			known++;
		}
	hand_end(&hand, watch);
	return known;
}

static void test_sources_of_figures_are_those_that_matter(void **state)
{
	uint64_t random = 11;
	unsigned known = 0;

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		known += try_port(&random);
	assert_true(known > 300);
}

RT_UNIT_MAIN(cmocka_unit_test(test_sources_of_figures_are_those_that_matter))
