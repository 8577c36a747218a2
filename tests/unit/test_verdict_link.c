/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts of ports without a link, of those that went away, and of those without rates. */
#include "scene.h"

#define VERDICT(name_) RT_VERDICT_##name_

static void becomes(struct scene *scene, unsigned state, const char *found,
		    enum rt_verdict verdict)
{
	scene->ports[0].state = state;
	scene_tick(scene, SCENE_SEC);
	assert_found(scene, 0, found, verdict);
}

static unsigned worst_of(const struct scene *scene)
{
	return rt_findings_worst(&scene->views[0].findings);
}

/* Whatever else it shows, and it shows nothing wrong, it is not well. */
static void test_verdict_of_a_link_that_went_down(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	scene_nic(&scene, "mlx5_0/1", "");
	becomes(&scene, RT_WATCH_UP, "", VERDICT(OK));
	becomes(&scene, RT_WATCH_DOWN, "link-lost", VERDICT(LINK));
	assert_int_equal(worst_of(&scene), RT_SEVERITY_ERROR);
	assert_string_equal(scene.views[0].findings.items[0].evidence,
			    "the link is down, and was up before");
	/* However long ago that was, and with nothing on it. */
	scene_figure(&scene, 0, FIGURE(rdma_rx_bps), 0);
	scene_figure(&scene, 0, FIGURE(rdma_tx_bps), 0);
	scene.time_ns += 100000 * SCENE_SEC;
	becomes(&scene, RT_WATCH_DOWN, "link-lost", VERDICT(LINK));
	becomes(&scene, RT_WATCH_UP, "", VERDICT(OK));
	/* What it counts beside that is told as well. */
	scene_figure(&scene, 0, FIGURE(link_downs_ps), 1);
	becomes(&scene, RT_WATCH_DOWN, "link-lost link-damage", VERDICT(LINK));
	scene_end(&scene);
}

static void test_verdict_of_a_link_that_never_was_up(void **state)
{
	struct scene scene = { 0 };
	struct rt_opt_u64 *queue_pairs = &scene.ports[0].queue_pairs;

	(void)state;
	scene_nic(&scene, "mlx5_1/1", "");
	/* Nobody is known to use it. */
	becomes(&scene, RT_WATCH_DOWN, "no-link", VERDICT(UNKNOWN));
	assert_int_equal(worst_of(&scene), RT_SEVERITY_INFO);
	*queue_pairs = RT_KNOWN_U64(0);
	becomes(&scene, RT_WATCH_DOWN, "no-link", VERDICT(UNKNOWN));
	/* What its slot is, is as it is; it says nothing of those. */
	scene.ports[0].pcie_bps = RT_KNOWN_U64(99999999999);
	becomes(&scene, RT_WATCH_DOWN, "pcie-below-link no-link", VERDICT(LINK));
	scene.ports[0].pcie_bps.known = false;
	/* Somebody does. */
	*queue_pairs = RT_KNOWN_U64(32);
	becomes(&scene, RT_WATCH_DOWN, "link-lost", VERDICT(LINK));
	assert_string_equal(scene.views[0].findings.items[0].evidence,
			    "the link is down, and 32 queue pairs are connected");
	scene_end(&scene);
}

static void test_verdict_of_a_port_that_went_away(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	scene_nic(&scene, "fe0", "");
	/* Only that it is gone is told: what is known of it was before. */
	scene_figure(&scene, 0, FIGURE(crc_errors_ps), 5);
	becomes(&scene, RT_WATCH_UP, "link-damage", VERDICT(LINK));
	becomes(&scene, RT_WATCH_GONE, "port-gone", VERDICT(LINK));
	assert_int_equal(worst_of(&scene), RT_SEVERITY_ERROR);
	becomes(&scene, RT_WATCH_GONE, "port-gone", VERDICT(LINK));
	scene_figure(&scene, 0, FIGURE(crc_errors_ps), 0);
	becomes(&scene, RT_WATCH_UP, "", VERDICT(OK));
	becomes(&scene, RT_WATCH_DOWN, "link-lost", VERDICT(LINK));
	becomes(&scene, RT_WATCH_GONE, "port-gone", VERDICT(LINK));
	scene_end(&scene);
}

/* One that has yet to come, as recordings have it; one that nobody used. */
static void test_verdict_of_a_port_that_is_not_there_yet(void **state)
{
	struct scene scene = { 0 };

	(void)state;
	scene_nic(&scene, "fe0", "");
	becomes(&scene, RT_WATCH_GONE, "no-link", VERDICT(UNKNOWN));
	assert_int_equal(worst_of(&scene), RT_SEVERITY_INFO);
	becomes(&scene, RT_WATCH_DOWN, "no-link", VERDICT(UNKNOWN));
	becomes(&scene, RT_WATCH_GONE, "no-link", VERDICT(UNKNOWN));
	/* A state that is not told is no missing link. */
	becomes(&scene, RT_WATCH_STATE_UNKNOWN, "", VERDICT(OK));
	becomes(&scene, RT_WATCH_GONE, "port-gone", VERDICT(LINK));
	/* Before all that, as somebody went back to. */
	scene.time_ns = 0;
	becomes(&scene, RT_WATCH_GONE, "no-link", VERDICT(UNKNOWN));
	scene_end(&scene);
}

/* A first sample, or a copy of a host's files that nobody writes to. */
static void test_verdict_without_rates_says_why(void **state)
{
	struct scene scene = { 0 };
	const struct rt_finding *finding;

	(void)state;
	scene_port(&scene, "mlx5_0/1", RT_WATCH_NIC, "");
	scene_rate(&scene, 0, RT_COUNTER_CE_RX, SCENE_PORT, NAN);
	scene_tick(&scene, 0);
	assert_found(&scene, 0, "no-rates", VERDICT(UNKNOWN));
	finding = scene.views[0].findings.items;
	assert_string_equal(finding->id, RT_WATCH_NO_RATES);
	assert_int_equal(finding->severity, RT_SEVERITY_UNKNOWN);
	assert_string_equal(finding->evidence,
			    "no rate yet of pauses, marks and CNPs, retransmissions, "
			    "discards: this is the first sample");
	scene_tick(&scene, SCENE_SEC);
	assert_string_equal(finding->evidence,
			    "no rate yet of pauses, marks and CNPs, retransmissions, "
			    "discards: what is read was not seen to change");
	/* What is wrong for sure needs no rate, and says more. */
	scene.ports[0].pcie_bps = RT_KNOWN_U64(32000000000);
	scene_tick(&scene, SCENE_SEC);
	assert_found(&scene, 0, "pcie-below-link", VERDICT(LINK));
	scene_end(&scene);
}

RT_UNIT_MAIN(cmocka_unit_test(test_verdict_of_a_link_that_went_down),
	     cmocka_unit_test(test_verdict_of_a_link_that_never_was_up),
	     cmocka_unit_test(test_verdict_of_a_port_that_went_away),
	     cmocka_unit_test(test_verdict_of_a_port_that_is_not_there_yet),
	     cmocka_unit_test(test_verdict_without_rates_says_why))
