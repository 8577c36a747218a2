/* SPDX-License-Identifier: BSD-2-Clause */
/* The journey of a simulation: what the command line says, and its bounds. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"
#include "rocetune/sim.h"
#include "run/sim.h"

static void test_requests_keep_to_the_bounds_of_the_keys(void **state)
{
	const struct rt_opt_u64 two = RT_KNOWN_U64(2), small = RT_KNOWN_U64(1000);
	const struct {
		const char *label;
		struct rt_sim_request request;
		const char *says; /* NULL: it runs */
	} cases[] = {
		{ "plain", { .incast = two, .size_bytes = small }, NULL },
		{ "no senders", { .incast = RT_KNOWN_U64(0) }, "1 to 4095 senders" },
		{ "too many", { .incast = RT_KNOWN_U64(4096) }, "1 to 4095 senders" },
		{ "slowest link",
		  { .incast = two,
		    .size_bytes = small,
		    .speed_bps = RT_KNOWN_U64(100000000) },
		  NULL },
		{ "too slow a link",
		  { .incast = two,
		    .size_bytes = small,
		    .speed_bps = RT_KNOWN_U64(99999999) },
		  "speed: 99.999999Mb/s is outside 100Mb/s to 3.2Tb/s" },
		{ "no bytes",
		  { .incast = two, .size_bytes = RT_KNOWN_U64(0) },
		  "size: 0B is outside 1B to" },
		{ "more bytes than a counter of packets takes",
		  { .incast = two,
		    .size_bytes = RT_KNOWN_U64(UINT64_MAX),
		    .duration_ps = RT_KNOWN_U64(1000000) },
		  "size: " },
		{ "too long",
		  { .incast = two,
		    .size_bytes = small,
		    .duration_ps = RT_KNOWN_U64(RT_SIM_MAX_DURATION_PS + 1) },
		  "duration: " },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_outcome outcome = { 0 };
		struct rt_err err = { 0 };
		int r = rt_run_sim(&cases[i].request, &outcome, &err);

		print_message("# %s: %d %s\n", cases[i].label, r, err.msg);
		assert_int_equal(r, cases[i].says ? -EINVAL : 0);
		if (cases[i].says)
			assert_non_null(strstr(err.msg, cases[i].says));
		rt_outcome_release(&outcome);
	}
}

static void test_the_command_line_goes_over_the_defaults(void **state)
{
	const struct rt_sim_request request = { .incast = RT_KNOWN_U64(3),
						.size_bytes = RT_KNOWN_U64(2048),
						.speed_bps = RT_KNOWN_U64(40000000000),
						.seed = RT_KNOWN_U64(9) };
	const struct rt_sim_result *result;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	result = outcome.object;
	assert_int_equal(result->flow_count, 3);
	assert_int_equal(result->flows_done, 3);
	assert_int_equal(result->seed, 9);
	/* 3 * 2 packets of 1110 bytes take 1332 ns on the last link alone */
	assert_true(result->last_completion_ps.value > 1332000);
	rt_outcome_release(&outcome);
}

static void test_scenario_check_knows_keys_and_bounds(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_scenario_check("model", "pause_quanta", 65535, &err), 0);
	assert_int_equal(rt_scenario_check("model", "pause_quanta", 65536, &err),
			 -EINVAL);
	assert_string_equal(err.msg, "pause_quanta: 65536 is outside 1 to 65535");
	assert_int_equal(rt_scenario_check("", "pause_quanta", 1, &err), -ENOENT);
}

RT_UNIT_MAIN(cmocka_unit_test(test_requests_keep_to_the_bounds_of_the_keys),
	     cmocka_unit_test(test_the_command_line_goes_over_the_defaults),
	     cmocka_unit_test(test_scenario_check_knows_keys_and_bounds))
