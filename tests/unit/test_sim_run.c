/* SPDX-License-Identifier: BSD-2-Clause */
/* The journey of a simulation: what the command line says, and its bounds. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own.h"
#include "fabric/fabric.h"
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
		{ "more packets than can be",
		  { .incast = two, .size_bytes = RT_KNOWN_U64(10000000000000) },
		  "packets, the most is" },
		{ "no such port",
		  { .incast = two, .size_bytes = small, .ports = "h0,h3" },
		  "no port is called h3" },
		{ "no port",
		  { .incast = two, .size_bytes = small, .ports = "," },
		  "empty name" },
		{ "no last port",
		  { .incast = two, .size_bytes = small, .ports = "h0," },
		  "empty name" },
		{ "no such direction",
		  { .incast = two, .size_bytes = small, .ports = "h0:up" },
		  "direction is :rx or :tx" },
		{ "ports that are there",
		  { .incast = two, .size_bytes = small, .ports = "h0,s0p2:rx,hosts" },
		  NULL },
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
		assert_int_equal(r, cases[i].says ? -EDOM : 0);
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

static void write_file(const char *path, const void *data, size_t bytes)
{
	RT_AUTO(rt_auto_fclose) FILE *to = fopen(path, "wb");

	assert_non_null(to);
	assert_int_equal(fwrite(data, 1, bytes, to), bytes);
}

static size_t file_bytes(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 ? (size_t)file.st_size : 0;
}

/* A capture goes over captures and empty files, and over nothing else. */
static void test_a_capture_goes_over_captures_only(void **state)
{
	static const char scenario[] = "workload: {senders: 2, size: 2KB}\n";
	static const uint8_t pcap[24] = { 0xd4, 0xc3, 0xb2, 0xa1 };
	char folder[] = "/tmp/rocetune-sim.XXXXXX", at[64], link_at[64], out[64];
	struct rt_sim_request request = { .scenario = at, .pcap = at };
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(at, sizeof(at), "%s/s.yaml", folder);
	snprintf(link_at, sizeof(link_at), "%s/l.yaml", folder);
	snprintf(out, sizeof(out), "%s/out", folder);
	write_file(at, scenario, sizeof(scenario) - 1);
	assert_int_equal(link(at, link_at), 0);
	assert_int_equal(rt_run_sim(&request, &outcome, &err), -EDOM);
	assert_non_null(strstr(err.msg, "go over it"));
	request.pcap = link_at;
	assert_int_equal(rt_run_sim(&request, &outcome, &err), -EDOM);
	assert_int_equal(file_bytes(at), sizeof(scenario) - 1);
	request.pcap = out;
	write_file(out, "notes\n", 6);
	assert_int_equal(rt_run_sim(&request, &outcome, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "no capture"));
	assert_int_equal(file_bytes(out), 6);
	write_file(out, pcap, sizeof(pcap));
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	rt_outcome_release(&outcome);
	/* Now it is one of ours. */
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	rt_outcome_release(&outcome);
	assert_true(file_bytes(out) > 1000);
	write_file(out, "", 0);
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	rt_outcome_release(&outcome);
	unlink(at);
	unlink(link_at);
	unlink(out);
	rmdir(folder);
}

struct seen {
	unsigned calls;
	uint64_t last_ns;
};

static void see(void *user, uint64_t simulated_ns, uint32_t flows_done, uint32_t flows)
{
	struct seen *seen = user;

	seen->calls++;
	assert_true(simulated_ns >= seen->last_ns);
	assert_true(flows_done < flows);
	assert_int_equal(flows, 4);
	seen->last_ns = simulated_ns;
}

static void test_progress_is_told_every_so_many_events(void **state)
{
	struct seen seen = { 0 };
	const struct rt_sim_request request = { .incast = RT_KNOWN_U64(4),
						.size_bytes = RT_KNOWN_U64(20000000),
						.progress = see,
						.progress_user = &seen };
	const struct rt_sim_result *result;
	struct rt_outcome outcome = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_run_sim(&request, &outcome, &err), 0);
	result = outcome.object;
	print_message("# %u calls, %llu events\n", seen.calls,
		      (unsigned long long)result->events);
	assert_true(seen.calls >= 2);
	assert_true(seen.calls <= result->events / RT_FABRIC_PROGRESS_EVENTS);
	assert_true(seen.last_ns <= result->simulated_ns);
	rt_outcome_release(&outcome);
}

RT_UNIT_MAIN(cmocka_unit_test(test_requests_keep_to_the_bounds_of_the_keys),
	     cmocka_unit_test(test_the_command_line_goes_over_the_defaults),
	     cmocka_unit_test(test_a_capture_goes_over_captures_only),
	     cmocka_unit_test(test_progress_is_told_every_so_many_events),
	     cmocka_unit_test(test_scenario_check_knows_keys_and_bounds))
