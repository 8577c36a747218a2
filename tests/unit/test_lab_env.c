/* SPDX-License-Identifier: BSD-2-Clause */
/* What a command on a host of a lab is told of it. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"
#include "run/lab_env.h"

static int forget(void **state)
{
	(void)state;
	unsetenv(RT_LAB_ENV_HOST);
	unsetenv(RT_LAB_ENV_RATE);
	unsetenv(RT_LAB_ENV_SCENARIO);
	unsetenv(RT_LAB_ENV_PROFILE);
	unsetenv(RT_LAB_ENV_FOLDER);
	unsetenv(RT_LAB_ENV_FAULTS);
	return 0;
}

static void test_env_outside_of_a_lab_says_nothing(void **state)
{
	struct rt_lab_env env = { .host = "x" };

	(void)state;
	setenv(RT_LAB_ENV_RATE, "1Gbps", 1);
	assert_int_equal(rt_lab_env_read(&env, NULL), 0);
	assert_null(env.host);
	assert_false(rt_lab_env_rate_bps().known);
}

static void test_env_brings_rate_and_scaled_laws(void **state)
{
	const struct rt_lab_store store = { .path = "/run/labs", .fd = -1 };
	struct rt_lab_state lab = { .name = "one", .rate_bps = 200000000 };
	struct rt_lab_env env = { 0 };

	(void)state;
	rt_lab_env_set(&store, &lab, "h3");
	assert_int_equal(rt_lab_env_read(&env, NULL), 0);
	assert_string_equal(env.host, "h3");
	assert_string_equal(env.folder, "/run/labs/one");
	assert_int_equal(env.rate_bps, 200000000);
	assert_int_equal(rt_lab_env_rate_bps().value, 200000000);
	/* 100 Gb/s are the real ones: rates are a 500th. */
	assert_int_equal(env.laws.rp.line_rate_bps, 200000000);
	assert_non_null(strstr(env.said, "h3"));
	assert_non_null(strstr(env.said, "200Mb/s"));
}

static void test_env_brings_the_hosts_faults(void **state)
{
	const struct rt_lab_store store = { .path = "/run/labs", .fd = -1 };
	struct rt_lab_state lab = { .name = "one",
				    .rate_bps = 200000000,
				    .faults = "slow-receiver@h1=25%,reorder" };
	struct rt_lab_env env = { 0 };

	(void)state;
	rt_lab_env_set(&store, &lab, "h1");
	assert_int_equal(rt_lab_env_read(&env, NULL), 0);
	assert_int_equal(env.faults.receive_bps, 50000000);
	assert_true(env.faults.keep_early);
	rt_lab_env_set(&store, &lab, "h2");
	assert_int_equal(rt_lab_env_read(&env, NULL), 0);
	assert_int_equal(env.faults.receive_bps, 0);
	assert_int_equal(env.faults.overtake_ppb, 20000000);
}

/* The lab's size is not told to its hosts, and is not asked for: it may be any. */
static void test_env_takes_faults_of_hosts_of_any_lab(void **state)
{
	const struct rt_lab_store store = { .path = "/run/labs", .fd = -1 };
	struct rt_lab_state lab = { .name = "one",
				    .rate_bps = 200000000,
				    .faults = "slow-receiver@h5=25%" };
	struct rt_lab_env env = { 0 };

	(void)state;
	rt_lab_env_set(&store, &lab, "h5");
	assert_int_equal(rt_lab_env_read(&env, NULL), 0);
	assert_int_equal(env.faults.receive_bps, 50000000);
	rt_lab_env_set(&store, &lab, "h0");
	assert_int_equal(rt_lab_env_read(&env, NULL), 0);
	assert_int_equal(env.faults.receive_bps, 0);
}

static void test_env_of_somebody_else_is_refused(void **state)
{
	static const char *const rates[] = { "", "0bps", "fast", "-1bps",
					     "99999999999999999999Gbps" };
	struct rt_lab_env env = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	setenv(RT_LAB_ENV_HOST, "h0", 1);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		setenv(RT_LAB_ENV_RATE, rates[i], 1);
		assert_int_equal(rt_lab_env_read(&env, &err), -EINVAL);
		assert_non_null(strstr(err.msg, RT_LAB_ENV_RATE));
		assert_false(rt_lab_env_rate_bps().known);
	}
	setenv(RT_LAB_ENV_RATE, "200Mbps", 1);
	setenv(RT_LAB_ENV_PROFILE, "no-such-profile", 1);
	assert_true(rt_lab_env_read(&env, &err) < 0);
	assert_non_null(strstr(err.msg, "no-such-profile"));
}

RT_UNIT_MAIN(cmocka_unit_test_teardown(test_env_outside_of_a_lab_says_nothing, forget),
	     cmocka_unit_test_teardown(test_env_brings_rate_and_scaled_laws, forget),
	     cmocka_unit_test_teardown(test_env_brings_the_hosts_faults, forget),
	     cmocka_unit_test_teardown(test_env_takes_faults_of_hosts_of_any_lab,
				       forget),
	     cmocka_unit_test_teardown(test_env_of_somebody_else_is_refused, forget))
