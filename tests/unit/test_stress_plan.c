/* SPDX-License-Identifier: BSD-2-Clause */
/* From what the user asks for to flows and times: plans of stress runs. */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/record.h"
#include "rocetune/err.h"
#include "run/stress_plan.h"
#include "traffic/engine.h"
#include "traffic/rendezvous.h"

#define MS UINT64_C(1000000)

#define KNOWN(number) RT_KNOWN_U64(number)

static void plan(const struct rt_stress_wish *wish, uint32_t ranks,
		 struct rt_stress_plan *ret_plan)
{
	struct rt_err err = { 0 };
	int r = rt_stress_plan(wish, ranks, ret_plan, &err);

	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
}

static void test_an_incast_is_flows_to_one_with_care(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = KNOWN(8) };
	/* 1, 2, 4 and 8 senders: four times, three steps of 100 ms. */
	static const uint64_t starts_ms[] = { 0, 100, 200, 200, 300, 300, 300, 300 };
	struct rt_stress_plan made;

	(void)state;
	plan(&wish, 9, &made);
	assert_int_equal(made.flow_count, 8);
	assert_string_equal(made.pattern, "incast 8:1");
	assert_string_equal(
		made.marking,
		"106 = DSCP 26 + ECT(0), priority 3 (lossless or not is not "
		"known)");
	assert_int_equal(made.total_ns, 3000 * MS);
	assert_int_equal(made.interval_ns, 100 * MS);
	assert_int_equal(made.hold_from_ns, 300 * MS);
	assert_int_equal(made.hold_to_ns, 3000 * MS);
	assert_true(made.with_abort && made.even && !made.sized);
	assert_false(made.lossless.known);
	for (uint32_t i = 0; i < 8; i++) {
		const struct rt_traffic_flow *flow = &made.flows[i];

		assert_int_equal(flow->flow, i);
		assert_int_equal(flow->from, i + 1);
		assert_int_equal(flow->to, 0);
		assert_int_equal(flow->start_ns, starts_ms[i] * MS);
		assert_int_equal(flow->stop_ns, made.total_ns);
		assert_int_equal(flow->dscp, 26);
		assert_int_equal(flow->ecn, 2);
		assert_int_equal(flow->prio, 3);
		assert_int_equal(flow->total_bytes, 0);
		assert_int_equal(flow->message_bytes, 65536);
	}
	rt_stress_plan_free(&made);
}

static void test_patterns_have_their_flows(void **state)
{
	static const struct {
		const char *label, *pattern;
		unsigned kind;
		uint64_t many, qps;
		uint32_t ranks;
		size_t flows;
		uint32_t from, to; /* of the first */
	} rows[] = {
		{ "all others send", "incast 3:1", RT_WORKLOAD_INCAST, 0, 1, 4, 3, 1,
		  0 },
		{ "two of them", "incast 2:1, 4 QPs a pair", RT_WORKLOAD_INCAST, 2, 4,
		  4, 8, 1, 0 },
		{ "one to all", "outcast 1:3", RT_WORKLOAD_OUTCAST, 0, 1, 4, 3, 0, 1 },
		{ "a ring", "ring", RT_WORKLOAD_RING, 0, 1, 4, 4, 0, 1 },
		{ "all to all", "all to all", RT_WORKLOAD_ALLTOALL, 0, 1, 4, 12, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_stress_wish wish = { .pattern = rows[i].kind,
					       .qps = KNOWN(rows[i].qps) };
		struct rt_stress_plan made;

		if (rows[i].many)
			wish.senders = KNOWN(rows[i].many);
		print_message("# %s\n", rows[i].label);
		plan(&wish, rows[i].ranks, &made);
		assert_string_equal(made.pattern, rows[i].pattern);
		assert_int_equal(made.flow_count, rows[i].flows);
		assert_int_equal(made.flows[0].from, rows[i].from);
		assert_int_equal(made.flows[0].to, rows[i].to);
		rt_stress_plan_free(&made);
	}
}

/* A rate below one bit a second and queue pair is still a cap. */
static void test_the_least_rate_is_a_cap(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .qps = KNOWN(1024),
					     .rate_bps = KNOWN(1000) };
	struct rt_stress_plan made;

	(void)state;
	plan(&wish, 2, &made);
	assert_int_equal(made.flow_count, 1024);
	for (size_t i = 0; i < made.flow_count; i++)
		assert_int_equal(made.flows[i].rate_bps, 1);
	rt_stress_plan_free(&made);
}

static void test_a_rate_is_of_a_sender(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .qps = KNOWN(4),
					     .rate_bps = KNOWN(65000000000),
					     .sport = KNOWN(65524) };
	struct rt_stress_plan made;

	(void)state;
	plan(&wish, 4, &made);
	assert_int_equal(made.flow_count, 12);
	for (size_t i = 0; i < made.flow_count; i++)
		assert_int_equal(made.flows[i].rate_bps, 65000000000 / 4);
	/* Ports that follow each other; there is none left for a thirteenth. */
	for (size_t i = 0; i < made.flow_count; i++)
		assert_int_equal(made.flows[i].udp_sport, 65524 + i);
	rt_stress_plan_free(&made);
}

static void test_a_victim_has_its_time_alone(void **state)
{
	static const struct {
		const char *label;
		unsigned kind;
		struct rt_opt_u64 dscp;
		uint64_t senders;
		uint32_t from, to, prio;
	} rows[] = {
		{ "same priority, from an idle host",
		  RT_VICTIM_SAME,
		  { 0 },
		  2,
		  3,
		  0,
		  3 },
		{ "same priority, all hosts send", RT_VICTIM_SAME, { 0 }, 4, 4, 0, 3 },
		{ "lossy", RT_VICTIM_LOSSY, { 0 }, 2, 3, 0, 0 },
		{ "lossless, as said", RT_VICTIM_LOSSLESS, { 32, true }, 2, 3, 0, 4 },
		{ "another receiver", RT_VICTIM_RECEIVER, { 0 }, 2, 1, 3, 3 },
		{ "another receiver that sends",
		  RT_VICTIM_RECEIVER,
		  { 0 },
		  4,
		  1,
		  2,
		  3 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
						     .senders = KNOWN(rows[i].senders),
						     .victim = rows[i].kind,
						     .victim_dscp = rows[i].dscp,
						     .ramp_ns = KNOWN(0) };
		const struct rt_traffic_flow *victim;
		struct rt_stress_plan made;

		print_message("# %s\n", rows[i].label);
		plan(&wish, 5, &made);
		assert_int_equal(made.flow_count, rows[i].senders + 1);
		victim = &made.flows[made.flow_count - 1];
		assert_true(victim->victim);
		assert_int_equal(victim->from, rows[i].from);
		assert_int_equal(victim->to, rows[i].to);
		assert_int_equal(victim->prio, rows[i].prio);
		assert_int_equal(victim->start_ns, 0);
		/* A fourth of 3 s, up to whole intervals. */
		assert_int_equal(made.alone_ns, 800 * MS);
		assert_int_equal(made.flows[0].start_ns, 800 * MS);
		assert_int_equal(made.hold_from_ns, 800 * MS);
		rt_stress_plan_free(&made);
	}
}

static void test_wishes_that_cannot_be(void **state)
{
	static const struct {
		const char *label;
		struct rt_stress_wish wish;
		uint32_t ranks;
		const char *says;
	} rows[] = {
		{ "alone", { 0 }, 1, "1 host takes part" },
		{ "too many senders",
		  { .pattern = RT_WORKLOAD_INCAST, .senders = { 9, true } },
		  9,
		  "9:1 wants 10 hosts" },
		{ "nobody sends",
		  { .pattern = RT_WORKLOAD_INCAST, .senders = { 0, true } },
		  9,
		  "0:1" },
		{ "no such engine", { .engine = "foo" }, 4, "--engine" },
		{ "CE and more", { .ecn = { 4, true } }, 4, "--ecn 4" },
		{ "no rate", { .rate_bps = { 0, true } }, 4, "--rate" },
		{ "no queue pair", { .qps = { 0, true } }, 4, "--qps 0" },
		{ "no such receiver", { .receiver = { 4, true } }, 4, "--receiver" },
		{ "messages of nothing",
		  { .message_bytes = { 0, true } },
		  4,
		  "--size" },
		{ "one port too few",
		  { .qps = { 4, true }, .sport = { 65525, true } },
		  4,
		  "12 queue pairs need a port each, the first of them 65524" },
		{ "a DSCP of seven bits", { .dscp = { 64, true } }, 4, "--dscp" },
		{ "no time", { .time_ns = { 1, true } }, 4, "100ms" },
		{ "a ramp that never ends",
		  { .ramp_ns = { 3000 * MS, true } },
		  4,
		  "--ramp" },
		{ "no second lossless class",
		  { .victim = RT_VICTIM_LOSSLESS },
		  4,
		  "--victim-dscp" },
		{ "no third host", { .victim = RT_VICTIM_RECEIVER }, 2, "victim" },
		{ "bursts without silence", { .off_ns = { 5, true } }, 4, "burst" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_err err = { 0 };
		struct rt_stress_plan made;
		int r = rt_stress_plan(&rows[i].wish, rows[i].ranks, &made, &err);

		print_message("# %s: %d %s\n", rows[i].label, r, err.msg);
		assert_int_equal(r, -EDOM);
		assert_non_null(strstr(err.msg, rows[i].says));
	}
}

/* A file's flows have the time that it gives them, unless somebody says less. */
static void test_a_run_lasts_as_long_as_its_workloads(void **state)
{
	static const struct {
		const char *text;
		struct rt_opt_u64 time_ms, ramp_ms, bytes;
		uint64_t total_ms, wanted_ms, stop_ms; /* stop: of the first flow */
	} rows[] = {
		{ "workload: {senders: 3, duration: 5s}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  5000,
		  5000,
		  5000 },
		{ "workload: {senders: 3, duration: 500ms}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  500,
		  500,
		  500 },
		{ "workload: {senders: 3, duration: 2s, start: 3500ms}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  5500,
		  5500,
		  5500 },
		{ "workload:\n"
		  "- {senders: 2, duration: 1s}\n"
		  "- {senders: 1, duration: 1s, start: 5s}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  6000,
		  6000,
		  1000 },
		/* Less than 100 ms is no run, but their flows end. */
		{ "workload: {senders: 3, duration: 2ms}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  100,
		  2,
		  2 },
		{ "duration: 2s\nworkload: {senders: 3, duration: 5s}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  2000,
		  5000,
		  2000 },
		{ "workload: {senders: 3, duration: 5s}\n",
		  KNOWN(1000),
		  KNOWN(0),
		  { 0 },
		  1000,
		  5000,
		  1000 },
		{ "workload: {senders: 3, duration: 5s}\n",
		  KNOWN(9000),
		  KNOWN(0),
		  { 0 },
		  9000,
		  5000,
		  5000 },
		/* Who joins later stops as much later: two steps for the third. */
		{ "workload: {senders: 3, duration: 5s}\n",
		  { 0 },
		  KNOWN(1000),
		  { 0 },
		  7000,
		  7000,
		  5000 },
		/* The victim is alone for a fourth of the whole. */
		{ "workload:\n"
		  "- {senders: 2, duration: 6s}\n"
		  "- {kind: flows, victim: true, flows: [{from: 1, to: 0, size: "
		  "1GB}]}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  8000,
		  8000,
		  8000 },
		{ "workload: {senders: 3, size: 1GB, start: 70s}\n",
		  { 0 },
		  KNOWN(0),
		  { 0 },
		  130000,
		  130000,
		  130000 },
		{ "workload: {senders: 3, duration: 5s}\n",
		  { 0 },
		  KNOWN(0),
		  KNOWN(1000),
		  60000,
		  60000,
		  60000 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char path[] = "/tmp/rocetune-stress-XXXXXX";
		const int fd = mkstemp(path);
		const size_t length = strlen(rows[i].text);
		struct rt_stress_wish wish = { .scenario = path,
					       .bytes = rows[i].bytes,
					       .time_ns = rows[i].time_ms,
					       .ramp_ns = rows[i].ramp_ms };
		struct rt_stress_plan made;

		wish.time_ns.value *= MS;
		wish.ramp_ns.value *= MS;
		assert_true(fd >= 0);
		assert_int_equal(write(fd, rows[i].text, length), length);
		close(fd);
		print_message("# %s", rows[i].text);
		plan(&wish, 4, &made);
		unlink(path);
		assert_int_equal(made.total_ns, rows[i].total_ms * MS);
		assert_int_equal(made.wanted_ns, rows[i].wanted_ms * MS);
		assert_int_equal(made.flows[0].stop_ns, rows[i].stop_ms * MS);
		rt_stress_plan_free(&made);
	}
}

/* What the simulator does and no host can is refused before anybody is told of it. */
static void test_scenarios_that_hosts_cannot(void **state)
{
	static const struct {
		const char *text, *says; /* NULL: it can be */
	} rows[] = {
		{ "workload: {senders: 3, duration: 600ms, outstanding: 4096}\n",
		  NULL },
		{ "workload: {senders: 3, duration: 600ms, outstanding: 4097}\n",
		  "outstanding 4097, hosts take 4096" },
		{ "workload: {senders: 3, duration: 1ps}\n", "duration 1ps" },
		{ "workload: {senders: 3, duration: 999us}\n", "duration 999us" },
		{ "workload: {senders: 3, duration: 1ms}\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char path[] = "/tmp/rocetune-stress-XXXXXX";
		const int fd = mkstemp(path);
		const struct rt_stress_wish wish = { .scenario = path,
						     .ramp_ns = KNOWN(0) };
		const size_t length = strlen(rows[i].text);
		struct rt_err err = { 0 };
		struct rt_stress_plan made;
		int r;

		assert_true(fd >= 0);
		assert_int_equal(write(fd, rows[i].text, length), length);
		close(fd);
		r = rt_stress_plan(&wish, 4, &made, &err);
		unlink(path);
		print_message("# %s# %d %s\n", rows[i].text, r, err.msg);
		assert_int_equal(r, rows[i].says ? -EDOM : 0);
		if (rows[i].says)
			assert_non_null(strstr(err.msg, rows[i].says));
		else
			rt_stress_plan_free(&made);
	}
}

static void test_bytes_end_a_run(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .bytes = KNOWN(UINT64_C(1) << 42),
					     .message_bytes = KNOWN(1000000) };
	struct rt_stress_plan made;

	(void)state;
	plan(&wish, 3, &made);
	assert_true(made.sized);
	assert_int_equal(made.flows[1].total_bytes, UINT64_C(1) << 42);
	assert_int_equal(made.flows[1].message_bytes, 1000000);
	assert_int_equal(made.flows[1].start_ns, 0);
	assert_int_equal(made.total_ns, 60000 * MS);
	rt_stress_plan_free(&made);
}

/* Bytes in place of a time change the end, not the messages. */
static void test_bytes_go_in_messages(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .bytes = KNOWN(10000000) };
	const struct rt_stress_wish few = { .pattern = RT_WORKLOAD_INCAST,
					    .bytes = KNOWN(1000) };
	struct rt_stress_plan made;

	(void)state;
	plan(&wish, 3, &made);
	assert_int_equal(made.flows[0].total_bytes, 10000000);
	assert_int_equal(made.flows[0].message_bytes, 65536);
	rt_stress_plan_free(&made);
	plan(&few, 3, &made);
	assert_int_equal(made.flows[0].total_bytes, 1000);
	assert_int_equal(rt_traffic_flow_next_bytes(&made.flows[0], 0, NULL), 1000);
	rt_stress_plan_free(&made);
}

static void test_long_runs_have_long_intervals(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .qps = KNOWN(100),
					     .time_ns = KNOWN(600000 * MS) };
	struct rt_stress_plan made;

	(void)state;
	/* 300 flows at the receiver, 6001 intervals of 100 ms: 46 times too many. */
	plan(&wish, 4, &made);
	assert_int_equal(made.interval_ns,
			 4600 * MS); /* 6001 * 300 / 40000 = 45.0075 */
	assert_true(made.total_ns / made.interval_ns * 300 < RT_STRESS_MAX_SAMPLES);
	rt_stress_plan_free(&made);
}

static void test_a_job_is_its_ranks_flows_and_travels(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_RING,
					     .lossless = KNOWN(8),
					     .engine = "null",
					     .config = { .device = "rxe0",
							 .mtu_bytes = 4096 } };
	struct rt_stress_plan made;
	struct rt_stress_job job, again = { 0 };
	struct rt_err err = { 0 };
	char *text;

	(void)state;
	plan(&wish, 4, &made);
	assert_int_equal(rt_stress_plan_job(&made, 2, &job, &err), 0);
	assert_int_equal(job.flow_count, 2); /* from 1 to it, from it to 3 */
	assert_int_equal(job.flows[0].flow, 1);
	assert_int_equal(job.flows[1].flow, 2);
	assert_int_equal(rt_stress_write(&rt_stress_job_table, &job, &text, &err), 0);
	assert_int_equal(
		rt_stress_read("job", text, &rt_stress_job_table, &again, &err), 0);
	assert_int_equal(rt_stress_job_check(&again, &err), 0);
	assert_memory_equal(&job.laws.rp, &again.laws.rp, sizeof(job.laws.rp));
	assert_memory_equal(&job.laws.rc, &again.laws.rc, sizeof(job.laws.rc));
	assert_memory_equal(&job.flows[1], &again.flows[1], sizeof(job.flows[1]));
	assert_string_equal(again.engine, "null");
	assert_string_equal(again.config.device, "rxe0");
	assert_int_equal(again.lossless.value, 8);
	free(text);
	rt_record_free(&rt_stress_job_table, &job);
	rt_record_free(&rt_stress_job_table, &again);
	rt_stress_plan_free(&made);
}

static void test_messages_of_several_sizes(void **state)
{
	static const struct {
		const char *sizes;
		int result;
		size_t points;
		uint64_t mean;
	} rows[] = {
		{ "4KB,64KB,1MB", 0, 6, (4000 + 64000 + 1000000) / 3 },
		{ "64KB", 0, 2, 64000 },
		{ "web-search", 0, 12, 0 },
		{ "64KB,4KB", -EDOM, 0, 0 },
		{ "4KB,", -EDOM, 0, 0 },
		{ "4KB,2GiB", -EDOM, 0, 0 },
		{ "0,0", -EDOM, 0, 0 },
		{ "no-such-file.yaml", -ENOENT, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
						     .sizes = rows[i].sizes };
		struct rt_stress_plan made;
		struct rt_stress_job job;
		struct rt_err err = { 0 };
		int r = rt_stress_plan(&wish, 3, &made, &err);

		print_message("# %s: %d %s\n", rows[i].sizes, r, err.msg);
		assert_int_equal(r, rows[i].result);
		if (r < 0)
			continue;
		if (rows[i].mean)
			assert_int_equal(made.flows[0].size_count, rows[i].points);
		if (rows[i].mean)
			assert_in_range(made.flows[0].message_bytes, rows[i].mean - 1,
					rows[i].mean + 1);
		assert_int_equal(rt_stress_plan_job(&made, 1, &job, &err), 0);
		assert_int_equal(rt_stress_job_check(&job, &err), 0);
		rt_record_free(&rt_stress_job_table, &job);
		rt_stress_plan_free(&made);
	}
}

/* What a hostile root could say: a good job, spoilt in one way. */
/* A number into a member of so many bytes. */
static void set(void *member, size_t bytes, uint64_t value)
{
	switch (bytes) {
	case 1: *(uint8_t *)member = (uint8_t)value; break;
	case 4: *(uint32_t *)member = (uint32_t)value; break;
	default: *(uint64_t *)member = value; break;
	}
}

/* Rank 2 of a ring of four: its first flow is from 1 to 2. */
static void test_jobs_that_make_no_sense(void **state)
{
#define ROW(of, type, member, value)                                   \
	{                                                              \
#member " " #value, of, offsetof(struct type, member), \
			sizeof(((struct type *)NULL)->member)> 8       \
			? 8 : sizeof(((struct type *)NULL)->member),   \
			value                                          \
	}
#define JOB(member, value)  ROW(false, rt_stress_job, member, value)
#define FLOW(member, value) ROW(true, rt_traffic_flow, member, value)
	const uint64_t too_long = RT_STRESS_MAX_TIME_NS + 1;
	const struct {
		const char *label;
		bool of_flow;
		size_t offset, bytes;
		uint64_t value;
	} rows[] = {
		JOB(ranks, RT_RENDEZVOUS_MAX_RANKS + 1),
		JOB(rank, 4),
		JOB(total_ns, 0),
		JOB(total_ns, too_long),
		JOB(alone_ns, too_long),
		JOB(interval_ns, 999999),
		JOB(interval_ns, too_long),
		JOB(config.ack_timeout_code, 32),
		JOB(config.retry_count, 8),
		JOB(flow_count, RT_STRESS_MAX_ENDS + 1),
		JOB(laws.rp.reaction, RT_RP_MLX + 1),
		JOB(laws.rp.increase, RT_RP_STAGES + 1),
		JOB(laws.rp.clamp, RT_RP_CLAMP_AFTER_INCREASE + 1),
		JOB(laws.np.pacing, RT_NP_EVERY + 1),
		JOB(laws.rc.recovery, RT_RC_SELECTIVE_REPEAT + 1),
		JOB(laws.rp.g, UINT64_C(0xbff0000000000000)), /* -1 */
		JOB(laws.mtu_bytes, 63),
		JOB(laws.mtu_bytes, 9001),
		JOB(laws.data_prio, 8),
		JOB(laws.cnp_prio, 8),
		JOB(laws.data_dscp, 64),
		JOB(laws.cnp_dscp, 64),
		FLOW(from, 4),
		FLOW(from, 2),
		FLOW(to, 4),
		FLOW(to, 3),
		FLOW(message_bytes, 0),
		FLOW(message_bytes, RT_STRESS_MAX_MESSAGE + 1),
		FLOW(outstanding, 0),
		FLOW(outstanding, RT_STRESS_MAX_OUTSTANDING + 1),
		FLOW(dscp, 64),
		FLOW(ecn, 4),
		FLOW(prio, 8),
		FLOW(start_ns, too_long),
		FLOW(stop_ns, too_long),
		FLOW(rate_share_ppb, RT_PPB + 1),
		FLOW(on_ns, too_long),
		FLOW(off_ns, too_long),
		FLOW(off_ns, 1),
		FLOW(off_ns, UINT64_MAX),
	};
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_RING };
	struct rt_stress_plan made;
	struct rt_stress_job job;
	struct rt_err err = { 0 };

	(void)state;
	plan(&wish, 4, &made);
	assert_int_equal(rt_stress_plan_job(&made, 2, &job, &err), 0);
	assert_int_equal(job.flows[0].to, 2);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_job whole = job;
		const struct rt_traffic_flow flow = job.flows[0];
		char *object = rows[i].of_flow ? (char *)&job.flows[0] : (char *)&job;

		assert_int_equal(rt_stress_job_check(&job, &err), 0);
		set(object + rows[i].offset, rows[i].bytes, rows[i].value);
		print_message("# %s\n", rows[i].label);
		assert_int_equal(rt_stress_job_check(&job, &err), -EPROTO);
		print_message("#   %s\n", err.msg);
		job = whole;
		job.flows[0] = flow;
	}
	rt_record_free(&rt_stress_job_table, &job);
	rt_stress_plan_free(&made);
#undef JOB
#undef FLOW
#undef ROW
}

/* A distribution rises from no message to all, its sizes with it. */
static void test_sizes_of_a_job_make_sense(void **state)
{
	static const struct {
		const char *label;
		size_t count;
		struct rt_size_point points[3];
		int r;
	} rows[] = {
		{ "two", 2, { { 1000, 0 }, { 2000, RT_PPB } }, 0 },
		{ "of one size", 2, { { 1000, 0 }, { 1000, RT_PPB } }, 0 },
		{ "too many", RT_SIM_MAX_SIZES + 1, { { 1000, RT_PPB } }, -EPROTO },
		{ "not from 0", 2, { { 1, 1 }, { 2, RT_PPB } }, -EPROTO },
		{ "not all", 2, { { 1, 0 }, { 2, RT_PPB - 1 } }, -EPROTO },
		{ "above all", 2, { { 1, 0 }, { 2, RT_PPB + 1 } }, -EPROTO },
		{ "shares fall", 3, { { 1, 0 }, { 2, RT_PPB }, { 3, 5 } }, -EPROTO },
		{ "sizes fall", 2, { { 2, 0 }, { 1, RT_PPB } }, -EPROTO },
		{ "too large",
		  2,
		  { { 1, 0 }, { RT_STRESS_MAX_MESSAGE + 1, RT_PPB } },
		  -EPROTO },
	};
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_RING };
	struct rt_stress_plan made;
	struct rt_stress_job job;
	struct rt_err err = { 0 };

	(void)state;
	plan(&wish, 4, &made);
	assert_int_equal(rt_stress_plan_job(&made, 2, &job, &err), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_size_point points[3];

		memcpy(points, rows[i].points, sizeof(points));
		job.flows[0].sizes = points;
		job.flows[0].size_count = rows[i].count;
		print_message("# %s\n", rows[i].label);
		assert_int_equal(rt_stress_job_check(&job, &err), rows[i].r);
	}
	job.flows[0].sizes = NULL;
	job.flows[0].size_count = 0;
	rt_record_free(&rt_stress_job_table, &job);
	rt_stress_plan_free(&made);
}

static void test_tables_keep_their_own_rules(void **state)
{
	static const struct rt_table *const tables[] = {
		&rt_stress_job_table,   &rt_stress_ready_table,
		&rt_stress_peers_table, &rt_stress_connected_table,
		&rt_stress_start_table, &rt_stress_report_table,
		&rt_stress_table,       &rt_engine_about_table,
		&rt_traffic_flow_table, &rt_qp_address_table,
		&rt_qp_totals_table,
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(tables); i++)
		rt_table_check(tables[i]);
}

RT_UNIT_MAIN(cmocka_unit_test(test_an_incast_is_flows_to_one_with_care),
	     cmocka_unit_test(test_patterns_have_their_flows),
	     cmocka_unit_test(test_a_rate_is_of_a_sender),
	     cmocka_unit_test(test_the_least_rate_is_a_cap),
	     cmocka_unit_test(test_a_victim_has_its_time_alone),
	     cmocka_unit_test(test_bytes_go_in_messages),
	     cmocka_unit_test(test_a_run_lasts_as_long_as_its_workloads),
	     cmocka_unit_test(test_wishes_that_cannot_be),
	     cmocka_unit_test(test_scenarios_that_hosts_cannot),
	     cmocka_unit_test(test_bytes_end_a_run),
	     cmocka_unit_test(test_long_runs_have_long_intervals),
	     cmocka_unit_test(test_a_job_is_its_ranks_flows_and_travels),
	     cmocka_unit_test(test_messages_of_several_sizes),
	     cmocka_unit_test(test_jobs_that_make_no_sense),
	     cmocka_unit_test(test_sizes_of_a_job_make_sense),
	     cmocka_unit_test(test_tables_keep_their_own_rules))
