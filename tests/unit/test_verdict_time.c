/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts and what a port is, how long things last, and whatever else may come. */
#include "scene.h"

#include "base/rng.h"

#define VERDICT(name_) RT_VERDICT_##name_

/* --- facts ------------------------------------------------------------------------------- */

static void test_verdict_of_facts(void **state)
{
	struct scene scene = { 0 };
	struct rt_watch_port *port = &scene.ports[0];

	(void)state;
	scene_nic(&scene, "mlx5_0/1", "");
	port->pcie_bps = RT_KNOWN_U64(100000000000);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	port->pcie_bps = RT_KNOWN_U64(99999999999);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "pcie-below-link", VERDICT(LINK));
	assert_null(strstr(scene.views[0].findings.items[0].evidence, "could do more"));
	port->pcie_max_bps = RT_KNOWN_U64(200000000000);
	scene_tick(&scene, SCENE_SEC);
	assert_non_null(
		strstr(scene.views[0].findings.items[0].evidence, "could do more"));
	port->speed_bps.known = false;
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));

	/* Which priorities are lossless is not known, or none is. */
	port->lossless.known = false;
	scene_figure(&scene, 0, FIGURE(lossless_discards_ps), NAN);
	scene_figure(&scene, 0, FIGURE(discards_ps), 900);
	scene_figure(&scene, 0, PRIO_FIGURE(0, tx_bps), 20e9);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "host-drops", VERDICT(HOST));
	assert_non_null(strstr(scene.views[0].findings.items[0].evidence,
			       "lossless is not readable"));
	port->lossless = RT_KNOWN_U64(0);
	scene_figure(&scene, 0, FIGURE(discards_ps), 5);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	scene_figure(&scene, 0, FIGURE(discards_ps), 0);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	/* Without PFC it is the whole link's pauses that have to be known. */
	for (unsigned prio = 0; prio < 8; prio++) {
		scene_figure(&scene, 0, PRIO_FIGURE(prio, paused_pct), NAN);
		scene_figure(&scene, 0, PRIO_FIGURE(prio, paused_fps), NAN);
	}
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	scene_figure(&scene, 0, FIGURE(link_paused_pct), NAN);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "unreadable", VERDICT(UNKNOWN));
	scene_figure(&scene, 0, FIGURE(link_paused_pct), 0);
	/* Of an unknown link speed a pause frame may last for ever. */
	scene_rate(&scene, 0, RT_COUNTER_PFC_RX_FRAMES, SCENE_PORT, 0.1);
	port->lossless = RT_KNOWN_U64(1 << 3);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "pauses-unclear", VERDICT(UNKNOWN));
	assert_non_null(
		strstr(scene.views[0].findings.items[0].evidence, "at most 100 %"));
	scene_rate(&scene, 0, RT_COUNTER_PFC_RX_FRAMES, SCENE_PORT, 0);
	/* RDMA is meant to be there. */
	port->lossless = RT_KNOWN_U64(1 << 3);
	port->rdma_prios = RT_KNOWN_U64(1 << 3 | 1);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	port->rdma_prios.known = false;
	scene_figure(&scene, 0, PRIO_FIGURE(3, tx_bps), 20e9);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "wrong-class", VERDICT(CLASS));
	/* A tenth of next to nothing, whatever the link's speed. */
	port->speed_bps.known = false;
	scene_figure(&scene, 0, FIGURE(rdma_tx_bps), 9e6);
	scene_figure(&scene, 0, PRIO_FIGURE(0, tx_bps), 0.9e6);
	scene_figure(&scene, 0, PRIO_FIGURE(3, tx_bps), 8.1e6);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	scene_end(&scene);
}

static void test_verdict_of_ports_that_tell_nothing(void **state)
{
	struct scene scene = { 0 };
	struct rt_watch_view *view = &scene.views[0];

	(void)state;
	scene_port(&scene, "hns_0/1", RT_WATCH_NIC, "");
	/* Nothing was read, and why. */
	view->pace_count = 1;
	view->paces[0] = (struct rt_watch_pace){ .source = RT_SOURCE_ETHTOOL,
						 .state = RT_LOOK_FAILED,
						 .why = "Operation not permitted" };
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "unreadable", VERDICT(UNKNOWN));
	assert_string_equal(view->findings.items[0].evidence,
			    "not readable: pauses, marks and CNPs, retransmissions, "
			    "discards; no ethtool: Operation not permitted");
	snprintf(scene.ports[0].note, sizeof(scene.ports[0].note), "nobody counts");
	scene_tick(&scene, SCENE_SEC);
	assert_string_equal(view->findings.items[0].evidence, "nobody counts");
	/* Counters were read once: there are no rates yet. */
	scene_rate(&scene, 0, RT_COUNTER_CE_RX, SCENE_PORT, NAN);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "no-rates", VERDICT(UNKNOWN));
	/* Some have: what will never tell is named at once, the rest when it is late. */
	scene_rate(&scene, 0, RT_COUNTER_RX_BYTES, SCENE_PORT, 9e9);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "unreadable", VERDICT(UNKNOWN));
	assert_non_null(strstr(view->findings.items[0].evidence,
			       "not readable: pauses, retransmissions, discards"));
	scene_rate(&scene, 0, RT_COUNTER_PFC_RX_FRAMES, SCENE_PORT, NAN);
	scene_rate(&scene, 0, RT_COUNTER_ACK_TIMEOUTS, SCENE_PORT, NAN);
	scene_rate(&scene, 0, RT_COUNTER_RX_DISCARDS, SCENE_PORT, NAN);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "no-rates", VERDICT(UNKNOWN));
	scene.ports[0].state = RT_WATCH_GONE;
	scene.sets[0].count = 0;
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "port-gone", VERDICT(LINK));
	/* What its slot was says nothing any more. */
	scene.ports[0].speed_bps = RT_KNOWN_U64(100000000000);
	scene.ports[0].pcie_bps = RT_KNOWN_U64(32000000000);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "port-gone", VERDICT(LINK));
	scene.ports[0].pcie_bps.known = false;
	/* Without a set at all. */
	scene.ports[0].state = RT_WATCH_UP;
	view->set = NULL;
	view->per_s = NULL;
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "unreadable", VERDICT(UNKNOWN));
	scene_end(&scene);
}

/* --- time -------------------------------------------------------------------------------- */

static void test_verdict_bursts_are_no_congestion(void **state)
{
	struct scene scene = { .time_ns = SCENE_SEC };

	(void)state;
	scene_nic(&scene, "mlx5_0/1", "");
	scene_figure(&scene, 0, FIGURE(cnp_rx_ps), 900);
	for (unsigned tick = 1; tick <= 4; tick++) {
		scene_tick(&scene, SCENE_SEC / 10);
		assert_found(&scene, 0, tick < 3 ? "" : "congestion",
			     tick < 3 ? VERDICT(OK) : VERDICT(NETWORK));
	}
	/* Still the same after a second without, but not after more. */
	for (unsigned wait = 1; wait <= 2; wait++) {
		scene_figure(&scene, 0, FIGURE(cnp_rx_ps), 0);
		for (unsigned i = 0; i < 8 * wait; i++) {
			scene_tick(&scene, SCENE_SEC / 10);
			assert_found(&scene, 0, "", VERDICT(OK));
		}
		scene_figure(&scene, 0, FIGURE(cnp_rx_ps), 900);
		scene_tick(&scene, SCENE_SEC / 10);
		assert_found(&scene, 0, wait == 1 ? "congestion" : "",
			     wait == 1 ? VERDICT(NETWORK) : VERDICT(OK));
	}
	/* Somebody plays a recording again from its start. */
	for (unsigned i = 0; i < 3; i++)
		scene_tick(&scene, SCENE_SEC / 10);
	assert_found(&scene, 0, "congestion", VERDICT(NETWORK));
	scene.time_ns = 1;
	scene_tick(&scene, SCENE_SEC / 10);
	assert_found(&scene, 0, "", VERDICT(OK));
	scene_end(&scene);
}

/* In simulations ticks are shorter than anybody's patience: five of them are long. */
static void test_verdict_time_is_that_of_ticks(void **state)
{
	struct scene scene = { .time_ns = SCENE_SEC };

	(void)state;
	scene_nic(&scene, "mlx5_0/1", "");
	scene_figure(&scene, 0, FIGURE(cnp_rx_ps), 900);
	/* That something is missing says no more than the burst does. */
	scene_figure(&scene, 0, FIGURE(out_of_order_ps), 7);
	for (unsigned tick = 1; tick <= 6; tick++) {
		scene_tick(&scene, SCENE_SEC / 1000);
		assert_found(&scene, 0, tick < 5 ? "" : "congestion",
			     tick < 5 ? VERDICT(OK) : VERDICT(NETWORK));
	}
	scene_end(&scene);
}

static void test_verdict_storms_last(void **state)
{
	static const struct {
		size_t pct, bps;
		const char *before, *after;
	} cases[] = {
		{ PRIO_FIGURE(3, paused_pct), PRIO_FIGURE(3, tx_bps),
		  "pause-without-marks", "pause-storm" },
		{ PRIO_FIGURE(3, pausing_pct), PRIO_FIGURE(3, rx_bps), "host-pausing",
		  "pause-storm-source host-pausing" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct scene scene = { .time_ns = SCENE_SEC };
		char text[300];

		scene_nic(&scene, "mlx5_0/1", "");
		scene_figure(&scene, 0, cases[i].pct, 100);
		scene_figure(&scene, 0, cases[i].bps, 0);
		scene_rate(&scene, 0, RT_COUNTER_XMIT_WAIT, SCENE_PORT, 1);
		for (unsigned tick = 1; tick <= 6; tick++) {
			scene_tick(&scene, SCENE_SEC / 10);
			scene_found(&scene, 0, text);
			if (tick == 3 || tick == 4)
				assert_string_equal(text, cases[i].before);
			if (tick >= 5)
				assert_string_equal(text, cases[i].after);
		}
		/* The same moment once more, of which nothing is known any more. */
		scene_figure(&scene, 0, cases[i].pct, NAN);
		scene_figure(&scene, 0, cases[i].bps, NAN);
		scene_tick(&scene, 0);
		assert_string_equal(scene_found(&scene, 0, text), "");
		/* As it is again, it has not been for long. */
		scene_figure(&scene, 0, cases[i].pct, 100);
		scene_figure(&scene, 0, cases[i].bps, 0);
		scene_tick(&scene, 1);
		assert_null(strstr(scene_found(&scene, 0, text), "storm"));
		scene_end(&scene);
	}
}

/* --- whatever comes ---------------------------------------------------------------------- */

static void test_verdict_rules_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_watch_rule_count; i++) {
		const struct rt_rule *rule = &rt_watch_rules[i];

		assert_int_equal(strncmp(rule->id, "watch-", 6), 0);
		assert_true(rule->title && rule->explain && rule->remedy &&
			    rule->check);
		assert_true(rt_watch_rule_verdicts[i] < RT_VERDICT_OK);
		if (i)
			assert_true(rt_watch_rule_verdicts[i - 1] <=
				    rt_watch_rule_verdicts[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rule->id, rt_watch_rules[j].id);
	}
}

static double odd_value(struct rt_rng *rng)
{
	static const double values[] = {
		NAN,  0,   0,   0.5, 1,    1.01,  10,       11,
		99.5, 100, 1e3, 1e9, 1e11, 1e300, INFINITY, -1
	};

	return values[rt_rng_below(rng, RT_ARRAY_SIZE(values))];
}

static void shake(struct scene *scene, struct rt_rng *rng)
{
	for (size_t port = 0; port < scene->count; port++) {
		struct rt_watch_port *at = &scene->ports[port];

		for (size_t i = 0; i < sizeof(struct rt_watch_figures);
		     i += sizeof(struct rt_opt_f64))
			scene_figure(scene, port, i, odd_value(rng));
		for (unsigned i = 0; i < 6; i++)
			scene_rate(scene, port, rt_rng_below(rng, RT_COUNTER_COUNT),
				   SCENE_PORT, odd_value(rng));
		scene->sets[port].count = rt_rng_below(rng, 3) ? scene->sets[port].count
							       : 0;
		at->role = rt_rng_below(rng, 2);
		at->state = rt_rng_below(rng, 4);
		at->lossless = (struct rt_opt_u64){ rt_rng_below(rng, 0x200),
						    rt_rng_below(rng, 2) };
		at->speed_bps = (struct rt_opt_u64){ rt_rng_below(rng, 3),
						     rt_rng_below(rng, 2) };
		at->pcie_bps = (struct rt_opt_u64){ rt_rng_below(rng, 3),
						    rt_rng_below(rng, 2) };
		snprintf(at->peer, sizeof(at->peer), "p%u",
			 (unsigned)rt_rng_below(rng, 6));
	}
}

/* Nothing crashes, and the verdict is that of the first finding, whatever is told. */
static void test_verdict_bears_anything(void **state)
{
	static const int64_t steps[] = { SCENE_SEC / 10, SCENE_SEC / 10, 0,
					 -SCENE_SEC };
	struct scene scene = { 0 };
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 7, 0);
	for (unsigned i = 0; i < 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", i);
		scene_port(&scene, name, RT_WATCH_NIC, "");
	}
	for (unsigned round = 0; round < 4000; round++) {
		shake(&scene, &rng);
		scene_tick(&scene, steps[rt_rng_below(&rng, RT_ARRAY_SIZE(steps))]);
		for (size_t i = 0; i < scene.count; i++) {
			const struct rt_findings *findings = &scene.views[i].findings;
			unsigned last = 0;

			assert_true(scene.views[i].verdict < RT_VERDICT_COUNT);
			for (size_t j = 0; j < findings->count; j++) {
				size_t rule = 0;

				while (strcmp(rt_watch_rules[rule].id,
					      findings->items[j].id) != 0)
					rule++;
				assert_null(strstr(findings->items[j].evidence,
						   "priority -"));
				assert_true(rt_watch_rule_verdicts[rule] >= last);
				last = rt_watch_rule_verdicts[rule];
				if (j == 0)
					assert_int_equal(scene.views[i].verdict, last);
			}
		}
	}
	scene_end(&scene);
}

/* Only frames are counted: what they could have stopped at most blames nobody. */
static void test_verdict_of_pauses_of_unknown_length(void **state)
{
	static const struct {
		double paused_fps, pausing_fps, known_pct, naks;
		const char *found;
		enum rt_verdict verdict;
	} cases[] = {
		{ 29, 29, 0, 0, "", VERDICT(OK) },
		{ 0, 40, 0, 0, "unreadable", VERDICT(UNKNOWN) },
		{ 0, 1000, 0, 0, "pauses-unclear", VERDICT(UNKNOWN) },
		{ 1000, 0, 0, 0, "pauses-unclear", VERDICT(UNKNOWN) },
		/* A time that is known goes before a bound. */
		{ 0, 290, 2, 0, "host-pausing", VERDICT(HOST) },
		/* What pauses may explain is not lost in silence. */
		{ 1000, 0, 0, 5, "pauses-unclear", VERDICT(UNKNOWN) },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct scene scene = { 0 };

		scene_nic(&scene, "rocep4s0/1", "");
		scene_figure(&scene, 0, PRIO_FIGURE(3, paused_pct), NAN);
		scene_figure(&scene, 0, PRIO_FIGURE(3, pausing_pct), NAN);
		scene_figure(&scene, 0, PRIO_FIGURE(3, paused_fps),
			     cases[i].paused_fps);
		scene_figure(&scene, 0, PRIO_FIGURE(3, pausing_fps),
			     cases[i].pausing_fps);
		scene_figure(&scene, 0, PRIO_FIGURE(4, pausing_pct),
			     cases[i].known_pct);
		scene_figure(&scene, 0, FIGURE(naks_ps), cases[i].naks);
		scene_tick(&scene, SCENE_SEC);
		assert_found(&scene, 0, cases[i].found, cases[i].verdict);
		scene_end(&scene);
	}
}

/* What is sent again in the interval after is not lost in silence. */
static void test_verdict_remembers_why_packets_are_missing(void **state)
{
	static const struct {
		const char *what;
		size_t figure;
		double value;
	} causes[] = {
		{ "dropped here", FIGURE(lossless_discards_ps), 9 },
		{ "a storm", PRIO_FIGURE(3, paused_pct), 100 },
		{ "a slow host", PRIO_FIGURE(3, pausing_pct), 20 },
		{ "damage", FIGURE(crc_errors_ps), 3 },
		{ "congestion", FIGURE(cnp_rx_ps), 900 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(causes); i++) {
		/* Whatever the interval: the cause may have ended at its beginning. */
		static const int64_t intervals[] = { SCENE_SEC / 10, SCENE_SEC,
						     10 * SCENE_SEC };

		for (size_t j = 0; j < RT_ARRAY_SIZE(intervals); j++) {
			struct scene scene = { 0 };

			print_message("# %s\n", causes[i].what);
			scene_nic(&scene, "mlx5_3/1", "");
			scene_figure(&scene, 0, causes[i].figure, causes[i].value);
			scene_tick(&scene, intervals[j]);
			scene_figure(&scene, 0, causes[i].figure, 0);
			scene_figure(&scene, 0, FIGURE(timeouts_ps), 13);
			scene_figure(&scene, 0, FIGURE(naks_ps), 6);
			scene_figure(&scene, 0, FIGURE(out_of_order_ps), 19);
			scene_tick(&scene, intervals[j]);
			assert_found(&scene, 0, "", VERDICT(OK));
			/* Not for ever. */
			for (int64_t ns = 0; ns <= SCENE_SEC; ns += intervals[j])
				scene_tick(&scene, intervals[j]);
			assert_found(&scene, 0, "silent-loss", VERDICT(SILENT));
			scene_end(&scene);
		}
	}
}

static void test_verdict_of_queue_pairs_that_die_after_a_jam(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	scene_nic(&scene, "mlx5_4/1", "");
	scene_figure(&scene, 0, PRIO_FIGURE(3, paused_pct), 60);
	scene_tick(&scene, SCENE_SEC);
	scene_figure(&scene, 0, PRIO_FIGURE(3, paused_pct), 0);
	scene_rate(&scene, 0, RT_COUNTER_RETRY_EXCEEDED, SCENE_PORT, 2);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "queue-pairs-jammed", VERDICT(NETWORK));
	assert_string_equal(scene.views[0].findings.items[0].evidence,
			    "2 queue pairs a second gave up after their retries, a "
			    "moment after the jam");
	scene_tick(&scene, 2 * SCENE_SEC);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "queue-pairs-lost", VERDICT(SILENT));
	scene_end(&scene);
}

RT_UNIT_MAIN(cmocka_unit_test(test_verdict_of_pauses_of_unknown_length),
	     cmocka_unit_test(test_verdict_remembers_why_packets_are_missing),
	     cmocka_unit_test(test_verdict_of_queue_pairs_that_die_after_a_jam),
	     cmocka_unit_test(test_verdict_rules_are_whole),
	     cmocka_unit_test(test_verdict_of_facts),
	     cmocka_unit_test(test_verdict_of_ports_that_tell_nothing),
	     cmocka_unit_test(test_verdict_bursts_are_no_congestion),
	     cmocka_unit_test(test_verdict_time_is_that_of_ticks),
	     cmocka_unit_test(test_verdict_storms_last),
	     cmocka_unit_test(test_verdict_bears_anything))
