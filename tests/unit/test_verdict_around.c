/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts that take several ports to tell, and those of the made-up host. */
#include "scene.h"

#include "watch/source.h"

#define VERDICT(name_) RT_VERDICT_##name_

static const char *first_evidence(const struct scene *scene, size_t port)
{
	assert_true(scene->views[port].findings.count > 0);
	return scene->views[port].findings.items[0].evidence;
}

/* A star of three hosts: h1 and h2 send to h0. */
enum {
	H0,
	H1,
	H2,
	S0,
	S1,
	S2,
};

static void make_star(struct scene *scene)
{
	*scene = (struct scene){ .time_ns = SCENE_SEC };
	scene_nic(scene, "h0", "s0p0");
	scene_nic(scene, "h1", "s0p1");
	scene_nic(scene, "h2", "s0p2");
	scene_switch(scene, "s0p0", "h0");
	scene_switch(scene, "s0p1", "h1");
	scene_switch(scene, "s0p2", "h2");
}

/* Its queue towards h0 is full: marks, and both senders are paused. */
static void jam(struct scene *scene)
{
	scene_figure(scene, H0, FIGURE(ce_ps), 900);
	scene_figure(scene, H0, FIGURE(cnp_tx_ps), 400);
	scene_figure(scene, S0, FIGURE(marks_ps), 900);
	for (size_t i = 0; i < 2; i++) {
		scene_figure(scene, H1 + i, PRIO_FIGURE(3, paused_pct), 30);
		scene_figure(scene, H1 + i, FIGURE(cnp_rx_ps), 200);
		scene_figure(scene, S1 + i, PRIO_FIGURE(3, pausing_pct), 30);
	}
}

static void test_verdict_incast_is_the_network(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	jam(&scene);
	scene_tick(&scene, SCENE_SEC);
	for (size_t i = 0; i < scene.count; i++)
		assert_found(&scene, i, "congestion", VERDICT(NETWORK));
	assert_non_null(strstr(first_evidence(&scene, H1), "that of s0p0"));
	assert_null(strstr(first_evidence(&scene, H1), "not visible"));
	scene_end(&scene);
}

static void test_verdict_slow_receiver_is_the_host(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	jam(&scene);
	scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 45);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 45);
	for (unsigned tick = 0; tick < 3; tick++) {
		scene_tick(&scene, SCENE_SEC);
		assert_found(&scene, H0, "host-pausing", VERDICT(HOST));
		for (size_t i = H1; i < scene.count; i++) {
			assert_found(&scene, i, "receiver-slow", VERDICT(HOST));
			assert_non_null(strstr(first_evidence(&scene, i),
					       "the receiver h0 is slow"));
		}
		/* Then its own counters are behind; and then those of the switch. */
		scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), tick ? 45 : 0);
		scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), tick ? 0 : 45);
		if (tick == 0) {
			scene_tick(&scene, SCENE_SEC / 10);
			assert_found(&scene, H0, "", VERDICT(OK));
			assert_found(&scene, S0, "receiver-slow", VERDICT(HOST));
			scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 45);
		}
	}
	/* Senders take a moment; after a second it is a jam like any other. */
	scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 0);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 0);
	scene_tick(&scene, SCENE_SEC / 2);
	assert_found(&scene, H1, "receiver-slow", VERDICT(HOST));
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H1, "congestion", VERDICT(NETWORK));
	assert_found(&scene, H0, "congestion", VERDICT(NETWORK));
	scene_end(&scene);
}

/* A full queue towards h1 as well: that is no doing of h0. */
static void test_verdict_slow_receiver_does_not_hide_a_jam(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 45);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 45);
	scene_figure(&scene, S1, FIGURE(marks_ps), 900);
	scene_figure(&scene, H2, FIGURE(cnp_rx_ps), 300);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, S1, "congestion", VERDICT(NETWORK));
	assert_found(&scene, H2, "receiver-slow congestion", VERDICT(HOST));
	assert_found(&scene, H0, "host-pausing", VERDICT(HOST));
	assert_found(&scene, S0, "receiver-slow", VERDICT(HOST));
	scene_end(&scene);
}

/* Hosts whose other ends nobody sees have nothing to do with each other. */
static void test_verdict_says_that_the_root_is_not_visible(void **state)
{
	struct rt_watch_fan fan = { .dst = { { 10, 0, 0, 1 }, 4 }, .senders = 8 };
	struct scene scene = { .time_ns = SCENE_SEC };

	(void)state;
	scene_nic(&scene, "mlx5_0/1", "");
	scene_nic(&scene, "mlx5_1/1", "leaf7 Ethernet4");
	scene_figure(&scene, 0, PRIO_FIGURE(3, pausing_pct), 45);
	scene_figure(&scene, 1, PRIO_FIGURE(3, paused_pct), 45);
	scene_figure(&scene, 1, FIGURE(cnp_rx_ps), 300);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "host-pausing", VERDICT(HOST));
	assert_found(&scene, 1, "congestion", VERDICT(NETWORK));
	assert_non_null(strstr(first_evidence(&scene, 1),
			       "the root is not visible from this host"));
	/* Captures tell how many send to it. */
	scene.flows =
		(struct rt_watch_flows){ .known = true, .fans = &fan, .fan_count = 1 };
	scene.ports[1].ip = fan.dst;
	scene_tick(&scene, SCENE_SEC);
	assert_non_null(strstr(first_evidence(&scene, 1), "8 send to it at once"));
	fan.dst.bytes[3] = 2;
	scene_tick(&scene, SCENE_SEC);
	assert_null(strstr(first_evidence(&scene, 1), "at once"));
	scene_end(&scene);
}

static void test_verdict_tells_victims(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	jam(&scene);
	/* h2 sends elsewhere: it is paused, and gets no CNP. */
	scene_figure(&scene, H2, FIGURE(cnp_rx_ps), 0);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H1, "congestion", VERDICT(NETWORK));
	assert_found(&scene, H2, "pause-victim", VERDICT(NETWORK));
	/* Of the incast it had CNPs in one tick, and has none in the next. */
	scene_figure(&scene, H2, FIGURE(cnp_rx_ps), 500);
	scene_tick(&scene, SCENE_SEC / 10);
	assert_found(&scene, H2, "congestion", VERDICT(NETWORK));
	scene_figure(&scene, H2, FIGURE(cnp_rx_ps), 0);
	scene_tick(&scene, SCENE_SEC / 10);
	assert_found(&scene, H2, "congestion", VERDICT(NETWORK));
	scene_tick(&scene, SCENE_SEC);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H2, "pause-victim", VERDICT(NETWORK));
	/* Of a slow receiver, too. */
	scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 45);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 45);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H2, "receiver-slow", VERDICT(HOST));
	assert_non_null(strstr(first_evidence(&scene, H2), "a victim"));
	assert_null(strstr(first_evidence(&scene, H1), "a victim"));
	/* Where CNPs are not readable it may be one or not. */
	scene_figure(&scene, H2, FIGURE(cnp_rx_ps), NAN);
	scene_tick(&scene, SCENE_SEC);
	assert_null(strstr(first_evidence(&scene, H2), "a victim"));
	scene_end(&scene);
}

/* PFC alone: the queue that is full is that of the link that is. */
static void test_verdict_finds_the_full_link(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	for (size_t i = 0; i < 2; i++) {
		scene_figure(&scene, H1 + i, PRIO_FIGURE(3, paused_pct), 60);
		scene_figure(&scene, S1 + i, PRIO_FIGURE(3, pausing_pct), 60);
	}
	scene_figure(&scene, S0, FIGURE(tx_pct), 95.5);
	scene_figure(&scene, S1, FIGURE(tx_pct), 30);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "", VERDICT(OK));
	assert_found(&scene, H1, "pause-without-marks", VERDICT(NETWORK));
	assert_non_null(strstr(first_evidence(&scene, H1), "that of s0p0"));
	assert_found(&scene, S0, "congestion", VERDICT(NETWORK));
	assert_found(&scene, S1, "congestion", VERDICT(NETWORK));
	scene_figure(&scene, S0, FIGURE(tx_pct), 95);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, S0, "", VERDICT(OK));
	scene_end(&scene);
}

static void test_verdict_of_loss_that_is_seen(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	/* The switch has no headroom for what h1 sends. */
	scene_figure(&scene, S1, FIGURE(lossless_discards_ps), 40);
	scene_figure(&scene, S1, FIGURE(discards_ps), 40);
	scene_figure(&scene, S1, PRIO_FIGURE(3, discards_ps), 40);
	scene_figure(&scene, H0, FIGURE(out_of_order_ps), 40);
	scene_figure(&scene, H1, FIGURE(naks_ps), 40);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, S1, "lossless-loss", VERDICT(LOSS));
	assert_found(&scene, H0, "lost-elsewhere", VERDICT(LOSS));
	assert_found(&scene, H1, "lost-elsewhere", VERDICT(LOSS));
	assert_found(&scene, H2, "", VERDICT(OK));
	assert_string_equal(first_evidence(&scene, H1),
			    "s0p1 drops frames of lossless priorities, 40 a second");
	/* Time-outs come after the drop. */
	scene_figure(&scene, S1, FIGURE(lossless_discards_ps), 0);
	scene_figure(&scene, S1, FIGURE(discards_ps), 0);
	scene_figure(&scene, S1, PRIO_FIGURE(3, discards_ps), 0);
	scene_tick(&scene, SCENE_SEC / 2);
	assert_found(&scene, S1, "", VERDICT(OK));
	assert_found(&scene, H1, "lost-elsewhere", VERDICT(LOSS));
	assert_string_equal(first_evidence(&scene, H1),
			    "s0p1 dropped frames of lossless priorities a moment ago");
	/* Long after it nobody knows where that was lost. */
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H1, "silent-loss", VERDICT(SILENT));
	assert_found(&scene, H0, "silent-loss", VERDICT(SILENT));
	/* What may be lost: congestion, as it is meant without PFC. */
	scene_figure(&scene, S0, FIGURE(discards_ps), 40);
	scene_tick(&scene, SCENE_SEC);
	for (size_t i = H0; i <= S0; i++)
		if (i != H2)
			assert_found(&scene, i, "congestion", VERDICT(NETWORK));
	scene_end(&scene);
}

/* Who loses itself is not told of others; and who is stopped is not slow for it. */
static void test_verdict_of_ports_with_troubles_of_their_own(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	scene_figure(&scene, S1, FIGURE(lossless_discards_ps), 40);
	scene_figure(&scene, S1, FIGURE(discards_ps), 40);
	scene_figure(&scene, H1, FIGURE(lossless_discards_ps), 4);
	scene_figure(&scene, H1, FIGURE(discards_ps), 4);
	scene_figure(&scene, H1, FIGURE(naks_ps), 4);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H1, "lossless-loss", VERDICT(LOSS));
	scene_end(&scene);

	make_star(&scene);
	jam(&scene);
	scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 45);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 45);
	scene_figure(&scene, H1, PRIO_FIGURE(3, pausing_pct), 20);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H1, "host-pausing", VERDICT(HOST));
	scene_end(&scene);

	/* What was dropped on purpose did not only come late. */
	make_star(&scene);
	scene_figure(&scene, S0, FIGURE(discards_ps), 40);
	scene_figure(&scene, H0, FIGURE(out_of_order_ps), 500);
	scene_rate(&scene, H0, RT_COUNTER_DUPLICATES, SCENE_PORT, 490);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "congestion", VERDICT(NETWORK));
	scene_end(&scene);
}

/* Its own counters do not tell pauses, or tell fewer: the switch's do. */
static void test_verdict_of_a_slow_host_by_its_peer(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	jam(&scene);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 45);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H1, "receiver-slow", VERDICT(HOST));
	assert_non_null(strstr(first_evidence(&scene, H1), "the receiver h0 is slow"));
	/* The slower of two. */
	scene_figure(&scene, H2, PRIO_FIGURE(3, pausing_pct), 5);
	scene_tick(&scene, SCENE_SEC);
	assert_non_null(strstr(first_evidence(&scene, H1), "the receiver h0 is slow"));
	scene_figure(&scene, S2, PRIO_FIGURE(3, paused_pct), 60);
	scene_tick(&scene, SCENE_SEC);
	assert_non_null(strstr(first_evidence(&scene, H1), "the receiver h2 is slow"));
	scene_end(&scene);
}

/* Nobody counts marks; that others get CNPs is known by them. */
static void test_verdict_of_a_victim_by_cnps(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	scene_figure(&scene, H1, FIGURE(cnp_rx_ps), 200);
	scene_figure(&scene, H2, PRIO_FIGURE(3, paused_pct), 30);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H2, "pause-victim", VERDICT(NETWORK));
	scene_figure(&scene, H1, FIGURE(cnp_rx_ps), 0);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H2, "pause-without-marks", VERDICT(NETWORK));
	scene_end(&scene);
}

static void test_verdict_of_reordering_that_is_seen(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	scene_figure(&scene, H0, FIGURE(out_of_order_ps), 500);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "reorder", VERDICT(REORDER));
	assert_found(&scene, H1, "", VERDICT(OK));
	/* A host that tells nothing may be the one that sends again, if it sends. */
	scene_figure(&scene, H2, FIGURE(naks_ps), NAN);
	scene_figure(&scene, H2, FIGURE(timeouts_ps), NAN);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "gaps-unclear", VERDICT(UNKNOWN));
	scene_figure(&scene, S2, FIGURE(rx_bps), 0);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "reorder", VERDICT(REORDER));
	/* Go-back-N sends again what had come. */
	scene_figure(&scene, H1, FIGURE(naks_ps), 480);
	scene_rate(&scene, H0, RT_COUNTER_DUPLICATES, SCENE_PORT, 490);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "reorder", VERDICT(REORDER));
	assert_found(&scene, H1, "reorder", VERDICT(REORDER));
	assert_non_null(strstr(first_evidence(&scene, H1), "come to h0"));
	/* Without duplicates it was lost. */
	scene_rate(&scene, H0, RT_COUNTER_DUPLICATES, SCENE_PORT, 0);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, H0, "silent-loss", VERDICT(SILENT));
	assert_found(&scene, H1, "silent-loss", VERDICT(SILENT));
	scene_end(&scene);
}

/* Mind the direction: a switch's port that is paused is stopped by the host behind it. */
static void test_verdict_of_switch_ports_alone(void **state)
{
	struct scene scene = { .time_ns = SCENE_SEC };

	(void)state;
	scene_switch(&scene, "Ethernet0", "");
	scene_switch(&scene, "Ethernet4", "");
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "", VERDICT(OK));
	scene_figure(&scene, 0, PRIO_FIGURE(3, paused_pct), 20);
	scene_figure(&scene, 1, PRIO_FIGURE(3, pausing_pct), 20);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "congestion", VERDICT(NETWORK));
	assert_non_null(strstr(first_evidence(&scene, 0), "paused by peer"));
	assert_non_null(strstr(first_evidence(&scene, 0), "not visible"));
	assert_found(&scene, 1, "congestion", VERDICT(NETWORK));
	assert_non_null(strstr(first_evidence(&scene, 1), "pausing peer"));
	scene_figure(&scene, 0, PRIO_FIGURE(3, paused_pct), 0);
	scene_figure(&scene, 1, PRIO_FIGURE(3, pausing_pct), 0);
	scene_figure(&scene, 0, FIGURE(marks_ps), NAN);
	for (unsigned i = 0; i < 2; i++) /* so long that the jam is another one */
		scene_tick(&scene, SCENE_SEC);
	/* What hosts do is no finding of a switch. */
	scene_figure(&scene, 1, PRIO_FIGURE(3, pausing_pct), 100);
	scene_figure(&scene, 1, PRIO_FIGURE(3, rx_bps), 0);
	scene_figure(&scene, 1, FIGURE(out_of_buffer_ps), 4);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 1, "congestion", VERDICT(NETWORK));
	scene_figure(&scene, 1, PRIO_FIGURE(3, pausing_pct), 0);
	/* Marks beside what it sends: few, and many. */
	scene_figure(&scene, 1, FIGURE(marks_ps), 100);
	scene_rate(&scene, 1, RT_COUNTER_TX_FRAMES, SCENE_PORT, 1e6);
	scene_rate(&scene, 1, RT_COUNTER_RX_FRAMES, SCENE_PORT, 1);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 1, "", VERDICT(OK));
	scene_figure(&scene, 1, FIGURE(marks_ps), 0);
	scene_tick(&scene, SCENE_SEC);
	/* It may be loss; where it lasts it is congestion, at least. */
	scene_figure(&scene, 1, FIGURE(lossless_discards_ps), NAN);
	scene_figure(&scene, 1, FIGURE(discards_ps), 40);
	scene_tick(&scene, SCENE_SEC / 10);
	assert_found(&scene, 0, "unreadable", VERDICT(UNKNOWN));
	assert_found(&scene, 1, "unreadable", VERDICT(UNKNOWN));
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 1, "congestion", VERDICT(NETWORK));
	assert_non_null(strstr(first_evidence(&scene, 1),
			       "40 frames dropped a second (of which priority is not "
			       "readable)"));
	scene_end(&scene);
}

static void test_verdict_of_a_storm_at_a_switch(void **state)
{
	struct scene scene;

	(void)state;
	make_star(&scene);
	scene_figure(&scene, S0, PRIO_FIGURE(3, paused_pct), 100);
	scene_figure(&scene, S0, PRIO_FIGURE(3, tx_bps), 0);
	scene_figure(&scene, H0, PRIO_FIGURE(3, pausing_pct), 100);
	scene_figure(&scene, H0, PRIO_FIGURE(3, rx_bps), 0);
	scene_tick(&scene, SCENE_SEC);
	/* Nobody is held back: nothing waits. */
	assert_found(&scene, S0, "receiver-slow", VERDICT(HOST));
	/* That it stops its own peer is no other one that waits. */
	scene_figure(&scene, S0, PRIO_FIGURE(3, pausing_pct), 90);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, S0, "receiver-slow", VERDICT(HOST));
	scene_figure(&scene, S0, PRIO_FIGURE(3, pausing_pct), 0);
	scene_figure(&scene, S1, PRIO_FIGURE(3, pausing_pct), 90);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, S0, "pause-storm receiver-slow", VERDICT(STORM));
	assert_found(&scene, H0, "pause-storm-source host-pausing", VERDICT(STORM));
	scene_end(&scene);
}

/* Peers that name themselves, each other in a ring, or nobody; and many. */
static void test_verdict_bears_odd_peers(void **state)
{
	struct scene scene = { .time_ns = SCENE_SEC };

	(void)state;
	scene_nic(&scene, "a", "a");
	scene_nic(&scene, "b", "c");
	scene_switch(&scene, "c", "d");
	scene_switch(&scene, "d", "b");
	scene_switch(&scene, "e", "f");
	for (size_t i = 0; i < scene.count; i++) {
		scene_figure(&scene, i, PRIO_FIGURE(3, paused_pct), 50);
		scene_figure(&scene, i, PRIO_FIGURE(3, pausing_pct), 50);
	}
	scene_tick(&scene, SCENE_SEC);
	for (size_t i = 0; i < scene.count; i++)
		assert_int_equal(scene.views[i].verdict,
				 i == 4 ? VERDICT(NETWORK) : VERDICT(HOST));
	scene_end(&scene);
}

/* --- the made-up host -------------------------------------------------------------------- */

/* Seconds of its minute (watch/demo_ports.c) in which a port has a verdict. */
static const struct {
	const char *port;
	int from, until;
	enum rt_verdict verdict;
} story[] = {
	{ "mlx5_0/1", 2, 5, VERDICT(OK) },
	{ "mlx5_0/1", 7, 50, VERDICT(NETWORK) },
	{ "mlx5_0/1", 53, 60, VERDICT(OK) },
	{ "mlx5_1/1", 2, 5, VERDICT(OK) },
	{ "mlx5_1/1", 7, 50, VERDICT(NETWORK) },
	{ "mlx5_1/1", 53, 60, VERDICT(OK) },
	{ "mlx5_2/1", 2, 5, VERDICT(OK) },
	{ "mlx5_2/1", 7, 50, VERDICT(HOST) },
	{ "mlx5_2/1", 53, 60, VERDICT(OK) },
	{ "mlx5_3/1", 2, 5, VERDICT(OK) },
	{ "mlx5_3/1", 7, 39, VERDICT(LOSS) },
	{ "mlx5_3/1", 43, 60, VERDICT(OK) },
	{ "mlx5_4/1", 2, 15, VERDICT(OK) },
	{ "mlx5_4/1", 18, 35, VERDICT(STORM) },
	{ "mlx5_4/1", 38, 60, VERDICT(OK) },
	{ "mlx5_5/1", 2, 8, VERDICT(OK) },
	{ "mlx5_5/1", 10, 48, VERDICT(SILENT) },
	{ "mlx5_5/1", 51, 60, VERDICT(OK) },
	{ "mlx5_6/1", 2, 10, VERDICT(OK) },
	{ "mlx5_6/1", 12, 55, VERDICT(REORDER) },
	{ "mlx5_6/1", 58, 60, VERDICT(OK) },
	{ "mlx5_7/1", 2, 60, VERDICT(OK) },
	{ "bnxt_re0/1", 2, 5, VERDICT(OK) },
	{ "bnxt_re0/1", 8, 60, VERDICT(CLASS) },
	{ "bnxt_re1/1", 2, 60, VERDICT(LINK) },
	/* Drivers that do not count what would tell, or nothing at all. */
	{ "irdma0/1", 2, 60, VERDICT(UNKNOWN) },
	{ "rxe0/1", 2, 40, VERDICT(UNKNOWN) },
	{ "rxe0/1", 40, 48, VERDICT(LINK) }, /* it is gone */
	{ "rxe0/1", 49, 60, VERDICT(UNKNOWN) },
	{ "hns_0/1", 2, 60, VERDICT(UNKNOWN) },
};

static unsigned compare(const struct rt_watch_snapshot *snapshot, const char *port,
			int second, enum rt_verdict verdict)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct rt_watch_view *view = &snapshot->views[i];

		if (strcmp(view->port->name, port) != 0)
			continue;
		if (view->verdict == verdict)
			return 0;
		print_message("%s at %d s: %s, not %s: %s\n", port, second,
			      rt_name_of(rt_verdict_names, view->verdict),
			      rt_name_of(rt_verdict_names, verdict),
			      view->findings.count ? view->findings.items[0].evidence
						   : "");
		return 1;
	}
	print_message("there is no %s\n", port);
	return 1;
}

static void watch_demo(uint64_t step_ns)
{
	struct rt_watch_source *source = NULL;
	const struct rt_watch_snapshot *snapshot;
	struct rt_watch *watch = NULL;
	unsigned failed = 0;

	assert_int_equal(rt_watch_demo_open(step_ns, &source, NULL), 0);
	assert_int_equal(rt_watch_open(source, step_ns, &watch, NULL), 0);
	snapshot = rt_watch_look(watch);
	for (int64_t ns = 0; ns < 60 * SCENE_SEC; ns += (int64_t)step_ns) {
		const int second = (int)(ns / SCENE_SEC);

		assert_int_equal(rt_watch_tick(watch, NULL), 0);
		for (size_t i = 0; i < RT_ARRAY_SIZE(story); i++)
			if (second >= story[i].from && second < story[i].until)
				failed += compare(snapshot, story[i].port, second,
						  story[i].verdict);
	}
	rt_watch_close(watch);
	assert_int_equal(failed, 0);
}

static void test_verdict_demo_at_a_second(void **state)
{
	(void)state;
	watch_demo(SCENE_SEC);
}

static void test_verdict_demo_at_a_tenth(void **state)
{
	(void)state;
	watch_demo(SCENE_SEC / 10);
}

RT_UNIT_MAIN(cmocka_unit_test(test_verdict_incast_is_the_network),
	     cmocka_unit_test(test_verdict_slow_receiver_is_the_host),
	     cmocka_unit_test(test_verdict_slow_receiver_does_not_hide_a_jam),
	     cmocka_unit_test(test_verdict_says_that_the_root_is_not_visible),
	     cmocka_unit_test(test_verdict_tells_victims),
	     cmocka_unit_test(test_verdict_finds_the_full_link),
	     cmocka_unit_test(test_verdict_of_loss_that_is_seen),
	     cmocka_unit_test(test_verdict_of_ports_with_troubles_of_their_own),
	     cmocka_unit_test(test_verdict_of_a_slow_host_by_its_peer),
	     cmocka_unit_test(test_verdict_of_a_victim_by_cnps),
	     cmocka_unit_test(test_verdict_of_reordering_that_is_seen),
	     cmocka_unit_test(test_verdict_of_switch_ports_alone),
	     cmocka_unit_test(test_verdict_of_a_storm_at_a_switch),
	     cmocka_unit_test(test_verdict_bears_odd_peers),
	     cmocka_unit_test(test_verdict_demo_at_a_second),
	     cmocka_unit_test(test_verdict_demo_at_a_tenth))
