/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"
#include "fabric/fabric.h"
#include "model/topology.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "rocetune/scenario.h"
#include "run/sim_profile.h"

static struct rt_profile *parse(const char *text)
{
	static const struct rt_profile_search nowhere;
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };
	int r = rt_profile_parse("p.yaml", text, strlen(text), &nowhere, NULL, &profile,
				 &err);

	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	return profile;
}

static int map(const char *text, struct rt_scenario *scenario,
	       struct rt_fabric_config *config, struct rt_err *err)
{
	struct rt_profile *profile = parse(text);
	int r;

	rt_scenario_init(scenario);
	rt_sim_profile_links(profile, scenario);
	scenario->topology.hosts = 4;
	scenario->topology.fabric_speed_bps = scenario->topology.speed_bps;
	rt_fabric_config_init(config, scenario);
	r = rt_sim_profile_config(profile, scenario, config, err);
	rt_profile_free(profile);
	return r;
}

static const char full[] =
	"name: full\n"
	"match: {speed: 400G, roce_mtu: 4096, l2_mtu: 9000}\n"
	"classes:\n"
	"  be: {dscp: rest, prio: 0, tc: 0, queue: 0}\n"
	"  cnp: {kind: cnp, dscp: [48], prio: 6, tc: 6, queue: 6,\n"
	"        sched: {strict: 1, max: 5%}}\n"
	"  roce: {dscp: [26], prio: 4, tc: 4, queue: 4, lossless: yes,\n"
	"         ect: nic, sched: {dwrr: 50}}\n"
	"switch:\n"
	"  pool: {buffer: 64MB}\n"
	"  roles:\n"
	"    host:\n"
	"      cable: 40m\n"
	"      headroom: {roce: 120KB}\n"
	"      buffer_alpha: {roce: 1/4}\n"
	"  ecn: {roce: {host: {kmin: 1MB, kmax: 4MB, pmax: 10%}}}\n"
	"host:\n"
	"  cc:\n"
	"    algorithm: dcqcn\n"
	"    np: {cnp_interval: 8us}\n"
	"    rp: {g: 1/128, alpha_timer: 2us, reduce_gap: 5us,\n"
	"         rate_timer: 200us, fast_recovery: 1, ai: 30Mb/s,\n"
	"         byte_counter: 0B, clamp_target: no}\n";

static void test_every_setting_arrives(void **state)
{
	struct rt_fabric_config config;
	struct rt_scenario scenario;
	const struct rt_pg_params *pg;

	(void)state;
	assert_int_equal(map(full, &scenario, &config, NULL), 0);
	assert_true(scenario.topology.speed_bps == 400000000000);
	assert_true(scenario.topology.delay_ps == 200000);
	assert_int_equal(config.mtu_bytes, 4096);
	assert_int_equal(config.data_prio, 4);
	assert_int_equal(config.data_dscp, 26);
	assert_int_equal(config.cnp_prio, 6);
	assert_int_equal(config.cnp_dscp, 48);
	assert_true(config.queues[6].strict);
	assert_true(config.queues[6].max_rate_bps == 20000000000);
	assert_false(config.queues[4].strict);
	assert_int_equal(config.queues[4].weight, 50);
	pg = &config.pg[RT_PORT_HOST][4];
	assert_true(pg->lossless && pg->dynamic);
	assert_true(pg->headroom_bytes == 120000);
	assert_true(pg->alpha_q32 == RT_BUFFER_ALPHA_ONE / 4);
	assert_false(config.pg[RT_PORT_HOST][3].lossless);
	assert_true(config.ecn[RT_PORT_HOST][4]);
	assert_true(config.red[RT_PORT_HOST][4].kmin_bytes == 1000000);
	assert_true(config.red[RT_PORT_HOST][4].kmax_bytes == 4000000);
	assert_true(config.buffer_bytes == 64000000);
	assert_true(config.np.interval_ps == 8000000);
	assert_int_equal(config.np.pacing, RT_NP_MIN_GAP);
	assert_true(config.rp.line_rate_bps == 400000000000);
	assert_true(config.rp.g == 1.0 / 128);
	assert_true(config.rp.alpha_interval_ps == 2000000);
	assert_true(config.rp.decrease_interval_ps == 5000000);
	assert_true(config.rp.increase_interval_ps == 200000000);
	assert_true(config.rp.ai_rate_bps == 30000000);
	assert_int_equal(config.rp.reaction, RT_RP_MLX);
	assert_int_equal(config.rp.increase, RT_RP_STAGES);
	assert_int_equal(config.rp.clamp, RT_RP_CLAMP_AFTER_INCREASE);
	assert_string_equal(config.assumed, "");
}

/* Alpha no more often than cuts, and a byte counter: the paper's reaction point. */
static void test_the_papers_form_is_told_from_timers(void **state)
{
	struct rt_fabric_config config;
	struct rt_scenario scenario;

	(void)state;
	assert_int_equal(
		map("name: p\nclasses:\n  r: {dscp: [26], prio: 3, lossless: yes}\n"
		    "host: {cc: {np: {cnp_interval: 50us}, rp: {alpha_timer: 55us,\n"
		    "  reduce_gap: 50us, rate_timer: 55us, byte_counter: 10MB,\n"
		    "  fast_recovery: 5}}}\n",
		    &scenario, &config, NULL),
		0);
	assert_int_equal(config.rp.reaction, RT_RP_PAPER);
	assert_int_equal(config.rp.increase, RT_RP_COUNTERS);
	assert_int_equal(config.rp.clamp, RT_RP_CLAMP_ALWAYS);
	assert_int_equal(config.np.pacing, RT_NP_PAPER);
	assert_non_null(strstr(config.assumed, "ECN thresholds"));
	assert_non_null(strstr(config.assumed, "headroom"));
	assert_null(strstr(config.assumed, "DCQCN"));
}

/* What the scenario sets or has no use for is not assumed. */
static void test_assumed_is_what_nobody_set(void **state)
{
	static const char bare[] = "name: p\nclasses:\n"
				   "  r: {dscp: [26], prio: 3, lossless: yes}\n";
	static const struct {
		const char *label;
		struct rt_model_spec model;
		const char *assumed;
	} cases[] = {
		{ "nothing set",
		  { 0 },
		  "ECN thresholds, DCQCN reaction point, CNP interval, buffer, "
		  "headroom, XOFF threshold" },
		{ "the switch",
		  { .buffer_bytes = RT_KNOWN_U64(1000000),
		    .headroom_bytes = RT_KNOWN_U64(50000),
		    .buffer_alpha_ppb = RT_KNOWN_U64(RT_PPB) },
		  "ECN thresholds, DCQCN reaction point, CNP interval" },
		{ "a set and thresholds",
		  { .dcqcn = "msft-40g",
		    .kmin_bytes = RT_KNOWN_U64(5000),
		    .kmax_bytes = RT_KNOWN_U64(200000),
		    .xoff_bytes = RT_KNOWN_U64(100000) },
		  "buffer, headroom" },
		{ "one threshold of two",
		  { .options = RT_MODEL_NO_CC | RT_MODEL_NO_PFC,
		    .kmin_bytes = RT_KNOWN_U64(5000) },
		  "ECN thresholds, buffer" },
		{ "options that need none of it",
		  { .options = RT_MODEL_NO_CC | RT_MODEL_NO_PFC | RT_MODEL_NO_ECN },
		  "buffer" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_profile *profile = parse(bare);
		struct rt_fabric_config config;
		struct rt_scenario scenario;

		rt_scenario_init(&scenario);
		scenario.topology.hosts = 4;
		scenario.topology.fabric_speed_bps = scenario.topology.speed_bps;
		rt_fabric_config_init(&config, &scenario);
		scenario.model = cases[i].model;
		assert_int_equal(
			rt_sim_profile_config(profile, &scenario, &config, NULL), 0);
		print_message("# %s: %s\n", cases[i].label, config.assumed);
		assert_string_equal(config.assumed, cases[i].assumed);
		rt_profile_free(profile);
	}
}

static void test_a_lossy_profile_pauses_nothing(void **state)
{
	struct rt_fabric_config config;
	struct rt_scenario scenario;

	(void)state;
	assert_int_equal(
		map("name: l\nclasses:\n"
		    "  bulk: {dscp: [8], tc: 1, queue: 1, lossless: no}\n"
		    "  data: {dscp: [16], tc: 2, queue: 2, lossless: no, ect: no}\n"
		    "switch: {ecn: {data: {host: {kmin: 1KB, kmax: 2KB, pmax: 1%}}}}\n",
		    &scenario, &config, NULL),
		0);
	assert_int_equal(config.data_prio, 2);
	assert_true(config.not_ect);
	for (unsigned role = RT_PORT_HOST; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			assert_false(config.pg[role][prio].lossless);
}

/* Whatever a switch has, one of its partitions has its part of. */
static void test_a_fabric_lies_in_one_partition(void **state)
{
	static const char text[] =
		"name: p\nclasses:\n  r: {dscp: [26], prio: 3, lossless: yes}\n"
		"switch:\n  pool: {buffer: 64MB, lossless: 40MB, shared_headroom: "
		"8MB,\n"
		"         partitions: 4}\n";
	struct rt_fabric_config config;
	struct rt_scenario scenario;

	(void)state;
	assert_int_equal(map(text, &scenario, &config, NULL), 0);
	assert_int_equal(config.buffer_bytes, 16000000);
	assert_true(config.pool_bytes.known);
	assert_int_equal(config.pool_bytes.value, 10000000);
	assert_int_equal(config.shared_headroom_bytes, 2000000);
}

/* What a profile sets and a scenario sets must go together. */
static void test_profile_and_model_must_fit(void **state)
{
	static const char text[] =
		"name: p\nclasses:\n  r: {dscp: [26], prio: 3, lossless: yes}\n"
		"switch: {pool: {buffer: 64MB, lossless: 40MB}}\n"
		"host: {cc: {rp: {min_rate: 2G}, np: {cnp_interval: 0us}}}\n";
	static const struct {
		uint64_t line_rate_bps;
		struct rt_model_spec model;
		const char *says; /* NULL: they fit */
	} cases[] = {
		{ 100000000000, { 0 }, NULL },
		{ 1000000000, { 0 }, "min_rate 2Gb/s, of the profile or the DCQCN" },
		{ 2000000000, { 0 }, "min_rate 2Gb/s, of the profile or the DCQCN" },
		{ 1000000000, { .options = RT_MODEL_NO_CC }, NULL },
		{ 1000000000, { .min_rate_bps = RT_KNOWN_U64(10000000) }, NULL },
		{ 100000000000,
		  { .buffer_bytes = RT_KNOWN_U64(4000000) },
		  "model.buffer: pool 40MB is above buffer 4MB" },
		{ 100000000000,
		  { .buffer_bytes = RT_KNOWN_U64(4000000),
		    .pool_bytes = RT_KNOWN_U64(2000000) },
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_fabric_config config;
		struct rt_scenario scenario;
		struct rt_err err = { 0 };
		int r;

		assert_int_equal(map(text, &scenario, &config, NULL), 0);
		assert_int_equal(config.np.pacing, RT_NP_EVERY);
		config.rp.line_rate_bps = cases[i].line_rate_bps;
		scenario.model = cases[i].model;
		r = rt_fabric_config_model(&config, &scenario, &err);
		print_message("# %d %s\n", r, err.msg);
		assert_int_equal(r, cases[i].says ? -EINVAL : 0);
		if (cases[i].says)
			assert_non_null(strstr(err.msg, cases[i].says));
	}
}

/* A profile that paces nothing is paced by the scenario all the same. */
static void test_an_interval_paces_a_profile_without(void **state)
{
	static const char text[] =
		"name: p\nclasses:\n  r: {dscp: [26], prio: 3, lossless: yes}\n"
		"host: {cc: {np: {cnp_interval: 0us}}}\n";
	struct rt_fabric_config config;
	struct rt_scenario scenario;

	(void)state;
	assert_int_equal(map(text, &scenario, &config, NULL), 0);
	scenario.model.cnp_interval_ps = RT_KNOWN_U64(50000000);
	assert_int_equal(rt_fabric_config_model(&config, &scenario, NULL), 0);
	assert_int_equal(config.np.pacing, RT_NP_MIN_GAP);
	assert_true(config.np.interval_ps == 50000000);
}

static void test_what_cannot_be_simulated_is_said(void **state)
{
	struct rt_fabric_config config;
	struct rt_scenario scenario;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(map("name: t\nclasses:\n  r: {dscp: [26], prio: 3}\n"
			     "host: {cc: {algorithm: timely}}\n",
			     &scenario, &config, &err),
			 -EOPNOTSUPP);
	print_message("# %s\n", err.msg);
	assert_non_null(strstr(err.msg, "timely"));
	assert_int_equal(map("name: n\n", &scenario, &config, &err), -EINVAL);
	print_message("# %s\n", err.msg);
}

static const char three[] =
	"name: three\n"
	"classes:\n"
	"  roce: {dscp: [26], prio: 3, lossless: yes, sched: {dwrr: 50}}\n"
	"  stor: {dscp: [4, 5], prio: 4, lossless: yes, sched: {dwrr: 20}}\n"
	"  cnp: {kind: cnp, dscp: [48], prio: 6, sched: {strict: 1}}\n"
	"  be: {dscp: [0], prio: 0, ect: no, sched: {dwrr: 30}}\n"
	"switch:\n"
	"  roles: {host: {headroom: {roce: 50KB, stor: 60KB}}}\n"
	"  ecn: {roce: {host: {kmin: 1KB, kmax: 2KB, pmax: 1%}},\n"
	"        stor: {host: {kmin: 3KB, kmax: 4KB, pmax: 1%}}}\n";

/* The config for a scenario of the profile above with these workloads. */
static void map_three(const char *workloads, struct rt_fabric_config *config)
{
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_profile *profile = parse(three);
	struct rt_err err = { 0 };
	char text[300];
	int r;

	snprintf(text, sizeof(text), "topology: {hosts: 4}\nworkload: [%s]\n",
		 workloads);
	assert_int_equal(rt_scenario_parse("s", text, strlen(text), &scenario, &err),
			 0);
	rt_fabric_config_init(config, &scenario);
	r = rt_sim_profile_config(profile, &scenario, config, &err);
	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	rt_profile_free(profile);
}

static void test_classes_that_send_bring_their_laws(void **state)
{
	struct rt_fabric_config config;

	(void)state;
	map_three("{class: stor}, {class: be}, {senders: 1}", &config);
	assert_int_equal(config.class_count, 4);
	assert_int_equal(config.data_prio, 3);
	assert_true(config.pg[RT_PORT_HOST][3].lossless);
	assert_true(config.pg[RT_PORT_HOST][4].lossless);
	assert_false(config.pg[RT_PORT_HOST][0].lossless);
	assert_true(config.pg[RT_PORT_HOST][4].headroom_bytes == 60000);
	assert_true(config.red[RT_PORT_HOST][4].kmin_bytes == 3000);
	assert_true(config.ecn[RT_PORT_HOST][4]);
	assert_false(config.ecn[RT_PORT_HOST][0]);
	assert_int_equal(config.queues[3].weight, 50);
	assert_int_equal(config.queues[4].weight, 20);
	assert_int_equal(config.queues[0].weight, 30);
	assert_true(config.queues[6].strict);
}

/* A second lossless class would take headroom out of the pool: only if it is used. */
static void test_classes_that_do_not_send_are_left_out(void **state)
{
	struct rt_fabric_config config;

	(void)state;
	map_three("{senders: 2}", &config);
	assert_int_equal(config.class_count, 4);
	assert_false(config.pg[RT_PORT_HOST][4].lossless);
	assert_int_equal(config.queues[4].weight, 1);
	assert_int_equal(config.queues[0].weight, 1);
}

/* The model's word on the data's priority leaves the other classes alone. */
static void test_other_classes_outlast_the_models_priorities(void **state)
{
	struct rt_scenario moved = { .model = { .data_prio = RT_KNOWN_U64(2) } };
	struct rt_fabric_config config;

	(void)state;
	map_three("{class: stor}, {senders: 1}", &config);
	assert_int_equal(rt_fabric_config_model(&config, &moved, NULL), 0);
	assert_true(config.pg[RT_PORT_HOST][2].lossless);
	assert_false(config.pg[RT_PORT_HOST][3].lossless);
	assert_true(config.pg[RT_PORT_HOST][4].lossless);
	assert_int_equal(config.queues[4].weight, 20);
}

RT_UNIT_MAIN(cmocka_unit_test(test_every_setting_arrives),
	     cmocka_unit_test(test_classes_that_send_bring_their_laws),
	     cmocka_unit_test(test_classes_that_do_not_send_are_left_out),
	     cmocka_unit_test(test_other_classes_outlast_the_models_priorities),
	     cmocka_unit_test(test_the_papers_form_is_told_from_timers),
	     cmocka_unit_test(test_assumed_is_what_nobody_set),
	     cmocka_unit_test(test_a_lossy_profile_pauses_nothing),
	     cmocka_unit_test(test_a_fabric_lies_in_one_partition),
	     cmocka_unit_test(test_profile_and_model_must_fit),
	     cmocka_unit_test(test_an_interval_paces_a_profile_without),
	     cmocka_unit_test(test_what_cannot_be_simulated_is_said))
