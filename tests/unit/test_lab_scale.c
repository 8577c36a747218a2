/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric's laws in slow motion: what keeps its ratio, and what must not. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "fabric/fabric.h"
#include "lab/scale.h"
#include "model/topology.h"
#include "rocetune/err.h"
#include "rocetune/profile.h"
#include "rocetune/sim.h"
#include "run/profile.h"
#include "run/sim_profile.h"

#define PRIO(laws) ((laws)->data_prio)

/* Laws and scenario of a shipped profile: 8 hosts to one. */
static void of_profile(const char *name, struct rt_scenario *scenario,
		       struct rt_fabric_config *laws)
{
	struct rt_profile *profile = NULL;
	struct rt_err err = { 0 };
	int r;

	rt_scenario_init(scenario);
	snprintf(scenario->profile, sizeof(scenario->profile), "profiles/%s.yaml",
		 name);
	scenario->workload_count = 1;
	scenario->workloads[0] = (struct rt_workload_spec){ .kind = RT_WORKLOAD_INCAST,
							    .senders = 8,
							    .qps = 1,
							    .size_bytes = 40000000 };
	r = rt_run_profile_read(scenario->profile, &profile, &err);
	if (r == 0) {
		rt_sim_profile_links(profile, scenario);
		r = rt_scenario_finish(scenario, &err);
	}
	rt_fabric_config_init(laws, scenario);
	if (r == 0)
		r = rt_sim_profile_config(profile, scenario, laws, &err);
	if (r == 0)
		r = rt_fabric_config_model(laws, scenario, &err);
	if (r < 0)
		print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	rt_profile_free(profile);
}

static void near(double value, double wanted)
{
	if (fabs(value - wanted) > 0.001 * fabs(wanted))
		print_message("# %g instead of %g\n", value, wanted);
	assert_true(fabs(value - wanted) <= 0.001 * fabs(wanted));
}

/* hpcc-100g by hand: Kmin 400 KB as 2 ms of 200 Mb/s, 50 KB, is S = 8; D = 500 / 8. */
static void test_one_profile_by_hand(void **state)
{
	struct rt_scenario scenario;
	struct rt_fabric_config laws;
	struct rt_lab_scale scale;
	const struct rt_red *red;

	(void)state;
	of_profile("hpcc-100g", &scenario, &laws);
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000, &scale, NULL), 0);
	near(scale.sizes, 8);
	near(scale.times, 62.5);
	red = &laws.red[RT_PORT_HOST][PRIO(&laws)];
	assert_int_equal(red->kmin_bytes, 50000);
	assert_int_equal(red->kmax_bytes, 200000);
	near(rt_red_probability(red, 200000), 0.2);
	assert_int_equal(laws.rp.line_rate_bps, 200000000);
	assert_int_equal(laws.rp.min_rate_bps, 2000000);
	assert_int_equal(laws.rp.ai_rate_bps, 40000);
	assert_int_equal(laws.rp.hai_rate_bps, 400000);
	assert_int_equal(laws.rp.increase_interval_ps, 18750 * RT_PS_PER_US);
	assert_int_equal(laws.rp.decrease_interval_ps, 250 * RT_PS_PER_US);
	assert_int_equal(laws.rp.alpha_interval_ps, 62500 * RT_PS_PER_NS);
	assert_int_equal(laws.np.interval_ps, 250 * RT_PS_PER_US);
	assert_int_equal(laws.buffer_bytes, (32 << 20) / 8);
	/* 100 ms are 2.5 MB, and two frames of 1024 and 62 bytes. */
	assert_int_equal(laws.pg[RT_PORT_HOST][PRIO(&laws)].headroom_bytes, 2502172);
	/* The scaled 37,500 / 8 of it are the buffer's. */
	assert_int_equal(laws.headroom_beside_bytes[RT_PORT_HOST][PRIO(&laws)],
			 2502172 - 4688);
	/* 65535 quanta last 168 ms at this rate, an eighth of it is 21: too short. */
	assert_in_range(laws.pause_quanta, 39062, 39063);
	assert_non_null(strstr(scale.said, "100Gb/s as 200Mb/s"));
	assert_non_null(strstr(scale.said, "50KB"));
	assert_non_null(strstr(scale.said, "100 ms"));
}

/* A number of the laws, by its place and width. */
struct number {
	const char *label;
	size_t at, bytes;
	uint64_t before, after;
};

#define NUMBER(field, before, after)                                                 \
	{                                                                            \
#field, offsetof(struct rt_fabric_config, field),                    \
			sizeof(((struct rt_fabric_config *)0)->field), before, after \
	}

static void put_number(struct rt_fabric_config *laws, const struct number *number)
{
	assert_true(number->before >> (number->bytes * 8 - 1) == 0);
	memcpy((char *)laws + number->at, &number->before, number->bytes);
}

static uint64_t get_number(const struct rt_fabric_config *laws,
			   const struct number *number)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)laws + number->at, number->bytes);
	return value;
}

#define US RT_PS_PER_US

/*
 * 100 Gb/s at 200 Mb/s with a Kmin of 400 KB: rates are a 500th, sizes an 8th, times
 * 62.5 times as long, and the rest stays.  A frame is 1024 and 62 bytes.
 */
static const struct number numbers[] = {
	NUMBER(rp.line_rate_bps, 100000000000, 200000000),
	NUMBER(rp.min_rate_bps, 5000000000, 10000000),
	NUMBER(rp.rate_on_first_cnp_bps, 50000000000, 100000000),
	NUMBER(rp.ai_rate_bps, 15000000, 30000),
	NUMBER(rp.hai_rate_bps, 250, 1), /* not none */
	NUMBER(queues[2].max_rate_bps, 25000000000, 50000000),
	NUMBER(queues[3].max_rate_bps, 0, 0),

	NUMBER(rp.alpha_interval_ps, 10 * US, 625 * US),
	NUMBER(rp.decrease_interval_ps, 12 * US, 750 * US),
	NUMBER(rp.decrease_offset_ps, 2 * US, 125 * US),
	NUMBER(rp.increase_interval_ps, 100 * US, 6250 * US),
	NUMBER(np.interval_ps, 8 * US, 500 * US),
	NUMBER(rc.nak_repeat_ps, 20 * US, 1250 * US),
	NUMBER(rc.timeout_ps, 1600001 * RT_PS_PER_NS, 100000062500),
	NUMBER(rc.timeout_low_ps, 3200 * US, 200 * RT_PS_PER_MS),
	NUMBER(pfc_reaction_ps.value, 4 * US, 250 * US),
	NUMBER(pause_refresh_ps, 500 * US, 31250 * US),

	NUMBER(rp.byte_counter_bytes, 80000, 10000),
	NUMBER(buffer_bytes, 16000000, 2000000),
	NUMBER(egress.reserved_bytes, 8000, 1000),
	NUMBER(egress.limit_bytes, 80000, 10000),
	NUMBER(window_bytes, 160000, 20000),
	NUMBER(queues[2].burst_bytes, 80000, 10000),
	NUMBER(pg[RT_PORT_HOST][3].reserved_bytes, 4000, 500),
	NUMBER(pg[RT_PORT_HOST][3].xoff_bytes, 400000, 50000),
	NUMBER(pg[RT_PORT_HOST][3].xon_bytes, 80000, 10000),
	NUMBER(red[RT_PORT_UP][3].kmax_bytes, 1600000, 200000),
	NUMBER(red[RT_PORT_SPINE][4].kmin_bytes, 800000, 100000),

	NUMBER(rc.window_packets, 1000, 1000),
	NUMBER(rc.ack_every, 16, 16),
	NUMBER(rc.retry_limit, 5, 5),
	NUMBER(rp.fast_recovery, 5, 5),
	NUMBER(mtu_bytes, 1024, 1024),
	NUMBER(queues[2].weight, 7, 7),
};

/* What lies near a floor: frames, or how long a process may be away. */
static const struct number floors[] = {
	NUMBER(rp.byte_counter_bytes, 8000, 1086),
	NUMBER(window_bytes, 40000, 8 * 1086),
	NUMBER(egress.limit_bytes, 10000, 2 * 1086),
	NUMBER(queues[2].burst_bytes, 1087, 1086),
	NUMBER(queues[3].burst_bytes, 1085, 1085), /* it was below before */
	NUMBER(pg[RT_PORT_HOST][3].xoff_bytes, 10000, 2 * 1086),
	NUMBER(pg[RT_PORT_HOST][3].xon_bytes, 3000, 1086),
	NUMBER(pg[RT_PORT_HOST][4].xoff_bytes, 2000, 2000),
	NUMBER(pg[RT_PORT_HOST][4].xon_bytes, 0, 0),
	NUMBER(rc.timeout_ps, 100 * US, RT_LAB_TIMEOUT_PS),
	NUMBER(rc.timeout_low_ps, 0, 0),       /* none stays none */
	NUMBER(pause_refresh_ps, 801 * US, 0), /* after 50 ms pauses are half over */
};

/* No time-out stays none. */
static const struct number none[] = {
	NUMBER(rc.timeout_ps, 0, 0),
	NUMBER(rc.timeout_low_ps, 0, 0),
};

static void check_numbers(const struct number *rows, size_t count)
{
	struct rt_scenario scenario;
	struct rt_fabric_config laws;
	struct rt_lab_scale scale;

	of_profile("hpcc-100g", &scenario, &laws);
	for (size_t i = 0; i < count; i++)
		put_number(&laws, &rows[i]);
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000, &scale, NULL), 0);
	near(scale.sizes, 8);
	for (size_t i = 0; i < count; i++) {
		const uint64_t got = get_number(&laws, &rows[i]);

		if (got != rows[i].after)
			print_message("# %s: %lu instead of %lu\n", rows[i].label, got,
				      rows[i].after);
		assert_int_equal(got, rows[i].after);
	}
}

static void test_each_number_has_its_factor(void **state)
{
	(void)state;
	check_numbers(numbers, RT_ARRAY_SIZE(numbers));
	check_numbers(floors, RT_ARRAY_SIZE(floors));
	check_numbers(none, RT_ARRAY_SIZE(none));
}

/* S by hand, of 100 Gb/s: what Kmin allows, and how much slower at most. */
static void test_sizes_shrink_as_far_as_kmin_allows(void **state)
{
	static const struct {
		const char *label;
		uint64_t to_bps, kmin_bytes;
		double sizes;
	} cases[] = {
		{ "2 ms of the rate", 200000000, 400000, 8 },
		{ "8 frames", 20000000, 400000, 400000.0 / (8 * 1086) },
		{ "125 times slower", 20000000, 100000, 40 },
		{ "never larger", 50000000000, 400000, 1 },
		{ "never slower than the rates", 200000000, 1000000000, 500 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_scenario scenario;
		struct rt_fabric_config laws;
		struct rt_lab_scale scale;

		print_message("# %s\n", cases[i].label);
		of_profile("hpcc-100g", &scenario, &laws);
		/* The least of the ports that data leaves a switch by. */
		for (unsigned role = 0; role < RT_PORT_ROLES; role++)
			for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
				laws.red[role][prio].kmin_bytes =
					role == RT_PORT_SPINE && prio == PRIO(&laws)
						? cases[i].kmin_bytes
						: cases[i].kmin_bytes + 1000000;
		laws.red[RT_PORT_NIC][PRIO(&laws)].kmin_bytes = 1;
		assert_int_equal(rt_lab_scale(&laws, 100000000000, cases[i].to_bps,
					      &scale, NULL),
				 0);
		near(scale.sizes, cases[i].sizes);
		near(scale.times, 1e11 / (double)cases[i].to_bps / cases[i].sizes);
	}
}

/* A lossy group has no headroom to raise, and a known pool is no rest of the buffer. */
static void test_what_is_not_promised_is_not_raised(void **state)
{
	struct rt_scenario scenario;
	struct rt_fabric_config laws;
	struct rt_lab_scale scale;

	(void)state;
	of_profile("hpcc-100g", &scenario, &laws);
	laws.shared_headroom_bytes = 8 << 20;
	laws.pool_bytes = RT_KNOWN_U64(20 << 20);
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			laws.pg[role][prio].lossless = false;
			laws.pg[role][prio].headroom_bytes = 80000;
		}
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000, &scale, NULL), 0);
	assert_int_equal(laws.buffer_bytes, (32 << 20) / 8);
	assert_int_equal(laws.pool_bytes.value, (20 << 20) / 8);
	assert_int_equal(laws.pg[RT_PORT_HOST][PRIO(&laws)].headroom_bytes, 10000);
	assert_int_equal(laws.headroom_beside_bytes[RT_PORT_HOST][PRIO(&laws)], 0);
	assert_null(strstr(scale.said, "headroom"));

	/* Headroom that is enough when scaled stays, and is the buffer's own. */
	of_profile("hpcc-100g", &scenario, &laws);
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			laws.pg[role][prio].headroom_bytes = 8 * 2502172;
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000, &scale, NULL), 0);
	assert_int_equal(laws.pg[RT_PORT_HOST][PRIO(&laws)].headroom_bytes, 2502172);
	assert_int_equal(laws.headroom_beside_bytes[RT_PORT_HOST][PRIO(&laws)], 0);
	assert_null(strstr(scale.said, "headroom"));
}

/* What has no unit: how full, how fast, how long against one another. */
struct ratios {
	double kmin_of_pool, kmin_of_kmax, timer_of_kmin, alpha_of_timer, cut_of_timer,
		cnp_of_timer, ai_of_line, hai_of_line, floor_of_line, counter_of_kmin,
		xon_of_kmin, reserved_of_kmin, pmax;
};

static struct ratios ratios_of(const struct rt_fabric_config *laws)
{
	const struct rt_red *red = &laws->red[RT_PORT_HOST][PRIO(laws)];
	const struct rt_pg_params *pg = &laws->pg[RT_PORT_HOST][PRIO(laws)];
	const double line = (double)laws->rp.line_rate_bps;
	const double kmin = (double)red->kmin_bytes;
	const double timer = (double)laws->rp.increase_interval_ps;

	return (struct ratios){
		.kmin_of_pool = kmin / (double)laws->buffer_bytes,
		.kmin_of_kmax = kmin / (double)red->kmax_bytes,
		.timer_of_kmin = timer * line / kmin,
		.alpha_of_timer = (double)laws->rp.alpha_interval_ps / timer,
		.cut_of_timer = (double)laws->rp.decrease_interval_ps / timer,
		.cnp_of_timer = (double)laws->np.interval_ps / timer,
		.ai_of_line = (double)laws->rp.ai_rate_bps / line,
		.hai_of_line = (double)laws->rp.hai_rate_bps / line,
		.floor_of_line = (double)laws->rp.min_rate_bps / line,
		.counter_of_kmin = (double)laws->rp.byte_counter_bytes / kmin,
		.xon_of_kmin = (double)pg->xon_bytes / kmin,
		.reserved_of_kmin = (double)pg->reserved_bytes / kmin,
		.pmax = rt_red_probability(red, red->kmax_bytes),
	};
}

static void test_ratios_stay_what_they_are(void **state)
{
	static const char *const profiles[] = {
		"hpcc-100g",       "hpcc-25g",  "cx7-400g-eos", "nvidia-lossless-200g",
		"dcqcn-paper-40g", "dell-sonic"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		struct rt_scenario scenario;
		struct rt_fabric_config laws;
		struct rt_lab_scale scale;
		struct ratios before, after;
		uint64_t speed_bps;
		double *was = (double *)&before, *is = (double *)&after;

		print_message("# %s\n", profiles[i]);
		of_profile(profiles[i], &scenario, &laws);
		speed_bps = scenario.topology.speed_bps;
		before = ratios_of(&laws);
		assert_int_equal(
			rt_lab_scale(&laws, speed_bps, 200000000, &scale, NULL), 0);
		after = ratios_of(&laws);
		near(scale.sizes * scale.times, (double)speed_bps / 2e8);
		/* An XON below one frame is no hysteresis: it alone may be kept larger. */
		assert_true(after.xon_of_kmin >= before.xon_of_kmin * 0.999);
		after.xon_of_kmin = before.xon_of_kmin;
		for (size_t n = 0; n < sizeof(before) / sizeof(double); n++)
			near(is[n], was[n]);
		assert_true(scale.times <= RT_LAB_TIMES_MAX + 0.001);
		assert_int_equal(rt_rp_params_check(&laws.rp, NULL), 0);
	}
}

/* A rule for rates from 20 Mb/s to a fabric's own. */
static void test_any_rate_gives_laws_that_work(void **state)
{
	static const uint64_t rates_bps[] = { 20000000,   50000000,    200000000,
					      1000000000, 10000000000, 400000000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates_bps) / sizeof(*rates_bps); i++) {
		struct rt_scenario scenario;
		struct rt_fabric_config laws;
		struct rt_lab_scale scale;
		const struct rt_pg_params *pg;

		of_profile("cx7-400g-eos", &scenario, &laws);
		assert_int_equal(
			rt_lab_scale(&laws, 400000000000, rates_bps[i], &scale, NULL),
			0);
		pg = &laws.pg[RT_PORT_HOST][PRIO(&laws)];
		assert_true(scale.sizes >= 1 && scale.times >= 0.999);
		assert_true(pg->headroom_bytes >= rates_bps[i] / 8 / 10);
		assert_true(laws.rp.ai_rate_bps > 0 && laws.rp.min_rate_bps > 0);
		assert_true(laws.pause_quanta > 0);
		/* 100 ms of 1 Gb/s are more quanta than a pause can have. */
		if (rates_bps[i] >= 1000000000)
			assert_int_equal(laws.pause_quanta, UINT16_MAX);
	}
}

/* Headroom a group shares with others is its own in the lab, and lies beside. */
static void test_shared_headroom_becomes_each_ones_own(void **state)
{
	struct rt_scenario scenario;
	struct rt_fabric_config laws;
	struct rt_lab_scale scale;

	(void)state;
	of_profile("hpcc-100g", &scenario, &laws);
	laws.shared_headroom_bytes = 8 << 20;
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000, &scale, NULL), 0);
	assert_int_equal(laws.shared_headroom_bytes, 0);
	assert_int_equal(laws.buffer_bytes, (24 << 20) / 8);
	assert_int_equal(laws.headroom_beside_bytes[RT_PORT_HOST][PRIO(&laws)],
			 laws.pg[RT_PORT_HOST][PRIO(&laws)].headroom_bytes);
}

static void test_what_cannot_be_scaled_is_left_alone(void **state)
{
	struct rt_scenario scenario;
	struct rt_fabric_config laws, before;
	struct rt_lab_scale scale;
	struct rt_err err = { 0 };

	(void)state;
	of_profile("hpcc-100g", &scenario, &laws);
	before = laws;
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000000, &scale, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "slower"));
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 0, &scale, &err), -EINVAL);
	laws.rp.g = before.rp.g = 2;
	assert_int_equal(rt_lab_scale(&laws, 100000000000, 200000000, &scale, &err),
			 -EINVAL);
	assert_memory_equal(&laws, &before, sizeof(laws));
}

/*
 * An incast of 8 in the scaled fabric, with half a millisecond of processes on each
 * cable, is fair, full and without loss or pause: what lab run is held to.
 */
static void test_an_incast_converges_in_slow_motion(void **state)
{
	static const char *const profiles[] = { "hpcc-100g", "cx7-400g-eos" };

	(void)state;
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		struct rt_scenario scenario;
		struct rt_fabric_config laws;
		struct rt_lab_scale scale;
		struct rt_sim_result result;
		double sum = 0, squares = 0;

		of_profile(profiles[i], &scenario, &laws);
		assert_int_equal(rt_lab_scale(&laws, scenario.topology.speed_bps,
					      200000000, &scale, NULL),
				 0);
		scenario.topology.speed_bps = scenario.topology.fabric_speed_bps =
			200000000;
		scenario.topology.delay_ps = 500 * RT_PS_PER_US;
		scenario.duration_ps = 5000 * RT_PS_PER_MS;
		assert_int_equal(rt_fabric_run(&scenario, &laws,
					       &(struct rt_fabric_run){ 0 }, &result,
					       NULL),
				 0);
		assert_int_equal(result.flow_count, 8);
		for (size_t n = 0; n < result.flow_count; n++) {
			const double bytes = (double)result.flows[n].delivered_bytes;

			sum += bytes;
			squares += bytes * bytes;
		}
		print_message("# %s: Jain %.3f, use %.3f\n", profiles[i],
			      sum * sum / squares / 8, sum * 8 / 5 / 2e8);
		assert_true(sum * sum / squares / 8 > 0.97);
		assert_true(sum * 8 / 5 / 2e8 > 0.85);
		assert_int_equal(result.loss_count, 0);
		rt_sim_result_free(&result);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_one_profile_by_hand),
	     cmocka_unit_test(test_each_number_has_its_factor),
	     cmocka_unit_test(test_sizes_shrink_as_far_as_kmin_allows),
	     cmocka_unit_test(test_what_is_not_promised_is_not_raised),
	     cmocka_unit_test(test_ratios_stay_what_they_are),
	     cmocka_unit_test(test_any_rate_gives_laws_that_work),
	     cmocka_unit_test(test_shared_headroom_becomes_each_ones_own),
	     cmocka_unit_test(test_what_cannot_be_scaled_is_left_alone),
	     cmocka_unit_test(test_an_incast_converges_in_slow_motion))
