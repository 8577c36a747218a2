/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of a scenario, on links that are not the scenario's. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "run/stress_rates.h"
#include "traffic/engine.h"

#define MBPS UINT64_C(1000000)
#define GBPS UINT64_C(1000000000)

/* A plan of a scenario's text; wish says the rest. */
static void plan_text(const char *text, struct rt_stress_wish wish, uint32_t ranks,
		      struct rt_stress_plan *ret_plan)
{
	char path[] = "/tmp/rocetune-rates-XXXXXX";
	const int fd = mkstemp(path);
	struct rt_err err = { 0 };
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	wish.scenario = path;
	wish.ramp_ns = RT_KNOWN_U64(0);
	r = rt_stress_plan(&wish, ranks, ret_plan, &err);
	unlink(path);
	print_message("# %s# %d %s\n", text, r, err.msg);
	assert_int_equal(r, 0);
}

static void test_rates_follow_the_links_of_a_lab(void **state)
{
	static const struct {
		const char *text;
		uint64_t link_bps, rate_bps;
		const char *say; /* of the command line, to one sender */
	} rows[] = {
		{ "topology: {speed: 100G}\n"
		  "workload: {senders: 2, duration: 2s, rate: 10Gbps}\n",
		  200 * MBPS, 20 * MBPS, NULL },
		{ "topology: {speed: 400G}\n"
		  "workload: {senders: 2, duration: 2s, rate: 10Gbps}\n",
		  200 * MBPS, 5 * MBPS, NULL },
		{ "topology: {speed: 100G}\n"
		  "workload: {senders: 2, duration: 2s, rate: 1kbps}\n",
		  200 * MBPS, 2, NULL },
		{ "topology: {speed: 100G}\n"
		  "workload: {senders: 2, duration: 2s, rate: 10Gbps}\n",
		  0, 10 * GBPS, NULL },
		{ "topology: {speed: 100G}\n"
		  "workload: {senders: 2, duration: 2s}\n",
		  200 * MBPS, 0, NULL },
		/* What is typed is meant as it is typed. */
		{ "topology: {speed: 100G}\n"
		  "workload: {senders: 2, duration: 2s, rate: 10Gbps}\n",
		  200 * MBPS, 30 * MBPS, "rate" },
		{ "topology: {speed: 100G}\n"
		  "workload: {senders: 2, duration: 2s, rate_share: 20%}\n",
		  200 * MBPS, 30 * MBPS, "rate" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		/* By laws, as `lab run` has them, and by hand. */
		for (unsigned by_laws = 0; by_laws < 2; by_laws++) {
			struct rt_fabric_config laws;
			struct rt_scenario any;
			struct rt_stress_wish wish = { 0 };
			struct rt_stress_plan made;

			rt_scenario_init(&any);
			any.topology.speed_bps = rows[i].link_bps;
			any.topology.fabric_speed_bps = rows[i].link_bps;
			if (by_laws && !rows[i].link_bps)
				continue;
			if (by_laws) {
				rt_fabric_config_init(&laws, &any);
				wish.laws = &laws;
			} else if (rows[i].link_bps) {
				wish.link_bps = RT_KNOWN_U64(rows[i].link_bps);
			}
			if (rows[i].say)
				wish.rate_bps = RT_KNOWN_U64(30 * MBPS);
			plan_text(rows[i].text, wish, 3, &made);
			assert_int_equal(made.flow_count, 2);
			assert_int_equal(made.flows[0].rate_bps, rows[i].rate_bps);
			assert_int_equal(made.flows[1].rate_bps, rows[i].rate_bps);
			assert_int_equal(made.flows[1].rate_share_ppb, 0);
			rt_stress_plan_free(&made);
		}
	}
}

/* Poisson arrivals load the links that there are: all lie K times as far apart. */
static void test_a_load_is_of_the_links_that_there_are(void **state)
{
	static const char text[] = "topology: {hosts: 4, speed: 100G}\n"
				   "workload: {kind: poisson, load: 50%, arrivals: 40, "
				   "size: 10KB}\n";
	const struct rt_stress_wish none = { 0 };
	const struct rt_stress_wish lab = { .link_bps = RT_KNOWN_U64(200 * MBPS) };
	struct rt_stress_plan fast, slow;

	(void)state;
	plan_text(text, none, 4, &fast);
	plan_text(text, lab, 4, &slow);
	assert_int_equal(fast.flow_count, 40);
	assert_int_equal(slow.flow_count, 40);
	for (size_t i = 10; i < 40; i++) {
		const double times = (double)slow.flows[i].start_ns /
				     (double)fast.flows[i].start_ns;

		assert_true(times > 499 && times < 501);
		assert_int_equal(slow.flows[i].to, fast.flows[i].to);
		assert_int_equal(slow.flows[i].total_bytes, fast.flows[i].total_bytes);
	}
	rt_stress_plan_free(&fast);
	rt_stress_plan_free(&slow);
}

/* By the time of the frames: what headers leave of the share. */
static void test_a_share_is_of_the_senders_link(void **state)
{
	static const struct {
		uint64_t share_ppb, speed_bps, message_bytes, payload_bps;
		uint32_t mtu_bytes;
		uint8_t version;
	} rows[] = {
		/* 4096 of 4178 bytes on the wire, 1024 of 1106 */
		{ RT_PPB / 5, 200 * MBPS, 65536, 39214935, 4096, 4 },
		{ RT_PPB / 5, 100 * GBPS, 65536, 18517179023, 1024, 4 },
		{ RT_PPB, 100 * GBPS, 65536, 90941385435, 1024, 6 },
		{ RT_PPB / 2, 100 * GBPS, 82, 25 * GBPS, 1024, 4 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_traffic_flow flow = {
			.rate_share_ppb = rows[i].share_ppb,
			.message_bytes = rows[i].message_bytes,
		};
		const struct rt_engine_about about = {
			.mtu_bytes = rows[i].mtu_bytes,
			.speed_bps = RT_KNOWN_U64(rows[i].speed_bps),
			.ip = { .version = rows[i].version },
		};
		uint64_t bps;

		assert_int_equal(rt_stress_share_bps(&flow, &about, &bps, NULL), 0);
		assert_int_equal(bps, rows[i].payload_bps);
	}
}

static void test_a_share_waits_for_the_link(void **state)
{
	static const char text[] =
		"workload: {senders: 2, duration: 2s, rate_share: 20%}\n";
	struct rt_stress_rank ranks[3] = { 0 };
	const struct rt_stress_wish wish = { 0 };
	struct rt_stress_plan made;
	struct rt_err err = { 0 };

	(void)state;
	plan_text(text, wish, 3, &made);
	assert_int_equal(made.flows[0].rate_bps, 0);
	assert_int_equal(made.flows[0].rate_share_ppb, RT_PPB / 5);
	assert_true(made.even);
	assert_int_equal(rt_stress_heed_links(&made, ranks, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "workload 1: rate_share"));
	for (unsigned i = 0; i < 3; i++) {
		ranks[i].ready.about.speed_bps = RT_KNOWN_U64(200 * MBPS);
		ranks[i].ready.about.mtu_bytes = 4096;
	}
	assert_int_equal(rt_stress_heed_links(&made, ranks, &err), 0);
	assert_int_equal(made.flows[0].rate_bps, 39214935);
	assert_true(made.even);
	/* A sender with a faster link has more to do. */
	ranks[2].ready.about.speed_bps = RT_KNOWN_U64(400 * MBPS);
	assert_int_equal(rt_stress_heed_links(&made, ranks, &err), 0);
	assert_in_range(made.flows[1].rate_bps, 2 * 39214935, 2 * 39214935 + 1);
	assert_false(made.even);
	rt_stress_plan_free(&made);
}

RT_UNIT_MAIN(cmocka_unit_test(test_rates_follow_the_links_of_a_lab),
	     cmocka_unit_test(test_a_load_is_of_the_links_that_there_are),
	     cmocka_unit_test(test_a_share_is_of_the_senders_link),
	     cmocka_unit_test(test_a_share_waits_for_the_link))
