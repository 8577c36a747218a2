/* SPDX-License-Identifier: BSD-2-Clause */
/* What ranks of a stress run may tell the root, and what is refused. */
#include "stress_case.h"

#include <errno.h>
#include <limits.h>

#include "base/record.h"
#include "run/agent.h"
#include "run/stress_record.h"
#include "traffic/rendezvous.h"

static const struct rt_stress_wish incast = { .pattern = RT_WORKLOAD_INCAST,
					      .lossless = { 8, true } };

static void fill(struct stress_case *made)
{
	stress_sound(&incast, 3, made);
	for (uint32_t i = 0; i < 3; i++)
		for (size_t k = 0; k < made->ranks[i].job.flow_count; k++)
			stress_count(&made->ranks[i].report.ends[k],
				     &made->ranks[i].job.flows[k]);
}

/* Every number of a report that makes it one nobody could give. */
static void test_reports_that_cannot_be(void **state)
{
#define REPORT(member)                                                    \
	{                                                                 \
#member, false, offsetof(struct rt_stress_report, member) \
	}
#define END(member)                                                   \
	{                                                             \
#member, true, offsetof(struct rt_stress_end, member) \
	}
	static const struct {
		const char *label;
		bool of_end;
		size_t offset; /* of a uint64_t, or a struct rt_opt_u64 */
	} rows[] = {
		REPORT(ran_ns),
		REPORT(clock_error_ns),
		REPORT(late_most_ns),
		REPORT(ring_drops),
		REPORT(strays),
		REPORT(engine_late_ns),
		REPORT(latency.count),
		REPORT(latency.avg_ns),
		REPORT(latency.max_ns),
		END(totals.bytes),
		END(totals.messages),
		END(totals.first_ns),
		END(totals.last_ns),
		END(totals.error_ns),
		END(totals.paused_ns),
		END(totals.data_frames_tx),
		END(totals.ecn_ce_rx),
		END(totals.timeouts),
		END(totals.data_frames_rx),
		END(totals.data_frames_retransmitted),
		END(totals.frame_sequence_error),
		END(totals.cnp_tx),
		END(totals.cnp_rx),
		END(totals.ack_tx),
		END(totals.ack_rx),
		END(totals.nak_tx),
		END(totals.nak_rx),
		REPORT(latency.min_ns),
		REPORT(latency.p50_ns),
		REPORT(latency.p90_ns),
		REPORT(latency.p99_ns),
		REPORT(latency.p999_ns),
		END(totals.rate_cuts),
		END(totals.rate_bps),
		END(alone_bytes),
		END(late_bytes),
		END(latency.count),
		END(latency.p99_ns),
		END(alone.min_ns),
	};
	struct stress_case made;

	(void)state;
	fill(&made);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_stress_rank *rank = &made.ranks[1];
		char *object = rows[i].of_end ? (char *)&rank->report.ends[0]
					      : (char *)&rank->report;
		uint64_t *value = (uint64_t *)(void *)(object + rows[i].offset);
		const uint64_t before = *value;
		struct rt_err err = { 0 };

		assert_int_equal(
			rt_stress_report_check(&rank->report, &rank->job, &err), 0);
		*value = UINT64_C(1) << 60;
		assert_int_equal(
			rt_stress_report_check(&rank->report, &rank->job, &err),
			-EPROTO);
		print_message("# %s: %s\n", rows[i].label, err.msg);
		*value = before;
	}
	stress_forget(&made);
}

/* Lists by interval: as long as the run, and of times and counts that fit it. */
static void test_lists_that_cannot_be(void **state)
{
	const uint64_t beyond = UINT64_C(1) << 60;
	struct rt_stress_cause causes[3] = { { 0, 1, 1, 1 }, { 4, 1, 1, 1 } };
	struct stress_case made;
	struct rt_stress_report *report;
	struct rt_stress_job *job;
	struct rt_stress_end *end;
	uint64_t intervals;

	(void)state;
	fill(&made);
	report = &made.ranks[1].report;
	job = &made.ranks[1].job;
	end = &report->ends[0];
	intervals = job->total_ns / job->interval_ns + 2;
	report->away = calloc(intervals + 1, sizeof(*report->away));
	assert_non_null(report->away);
	end->causes = causes;
	end->cause_count = 2;
	report->away_count = intervals;
	assert_int_equal(rt_stress_report_check(report, job, NULL), 0);

	report->away_count = intervals + 1;
	assert_int_equal(rt_stress_report_check(report, job, NULL), -EPROTO);
	report->away_count = intervals;
	report->away[intervals - 1] = beyond;
	assert_int_equal(rt_stress_report_check(report, job, NULL), -EPROTO);
	report->away[intervals - 1] = 0;

	const struct {
		const char *label;
		struct rt_stress_cause cause; /* the second */
		int r;
	} rows[] = {
		{ "sound", { 1, 2, 3, 4 }, 0 },
		{ "twice", { 0, 1, 1, 1 }, -EPROTO },
		{ "after the end", { (uint32_t)intervals, 1, 1, 1 }, -EPROTO },
		{ "losses", { 1, beyond, 1, 1 }, -EPROTO },
		{ "cuts", { 1, 1, beyond, 1 }, -EPROTO },
		{ "pauses", { 1, 1, 1, beyond }, -EPROTO },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		print_message("# %s\n", rows[i].label);
		causes[1] = rows[i].cause;
		assert_int_equal(rt_stress_report_check(report, job, NULL), rows[i].r);
	}
	end->causes = NULL;
	end->cause_count = 0;
	end->series_count = intervals + 1;
	assert_int_equal(rt_stress_report_check(report, job, NULL), -EPROTO);
	stress_forget(&made);
}

static void test_messages_have_bytes(void **state)
{
	struct rt_size_point sizes[2] = { { 0, 500000000 }, { 1000, RT_PPB } };
	struct stress_case made;
	struct rt_stress_rank *rank;
	struct rt_stress_end *end;
	struct rt_err err = { 0 };

	(void)state;
	fill(&made);
	rank = &made.ranks[1];
	end = &rank->report.ends[0];
	end->totals.messages = RT_KNOWN_U64(end->totals.bytes.value + 1);
	assert_int_equal(rt_stress_report_check(&rank->report, &rank->job, &err),
			 -EPROTO);
	end->totals.messages = RT_KNOWN_U64(end->totals.bytes.value);
	assert_int_equal(rt_stress_report_check(&rank->report, &rank->job, &err), 0);
	end->series_count = 0;
	end->totals.bytes = RT_KNOWN_U64(0);
	assert_int_equal(rt_stress_report_check(&rank->report, &rank->job, &err),
			 -EPROTO);
	end->totals.bytes = (struct rt_opt_u64){ 0 };
	assert_int_equal(rt_stress_report_check(&rank->report, &rank->job, &err),
			 -EPROTO);
	/* Where nothing is a size, messages of nothing are right, and are judged. */
	end->totals.bytes = RT_KNOWN_U64(0);
	rank->job.flows[0].sizes = sizes;
	rank->job.flows[0].size_count = 2;
	assert_int_equal(rt_stress_report_check(&rank->report, &rank->job, &err), 0);
	rank->job.flows[0].sizes = NULL;
	rank->job.flows[0].size_count = 0;
	assert_int_equal(
		rt_stress_merge(&made.plan, made.ranks, false, &made.result, &err), 0);
	stress_forget(&made);
}

/* A series cannot hold more than was sent. */
static void test_series_fit_totals(void **state)
{
	struct stress_case made;
	struct rt_stress_rank *rank;
	struct rt_err err = { 0 };

	(void)state;
	fill(&made);
	rank = &made.ranks[1];
	rank->report.ends[0].series[3] += 1;
	assert_int_equal(rt_stress_report_check(&rank->report, &rank->job, &err),
			 -EPROTO);
	assert_non_null(strstr(err.msg, "flow 0"));
	stress_forget(&made);
}

/* What a text may hold, a record may fill: above the bound of files that people write. */
static void test_large_records_are_read(void **state)
{
	const struct rt_stress_start start = { .start_ns = 7 };
	const size_t room = RT_RENDEZVOUS_TEXT_BYTES;
	struct rt_stress_start again = { 0 };
	struct rt_err err = { 0 };
	char *text, *large;
	size_t length;

	(void)state;
	assert_int_equal(rt_stress_write(&rt_stress_start_table, &start, &text, &err),
			 0);
	length = strlen(text);
	large = malloc(room + 2);
	assert_non_null(large);
	memset(large, ' ', room + 1);
	memcpy(large, text, length);
	large[room] = '\0';
	assert_int_equal(
		rt_stress_read("n1", large, &rt_stress_start_table, &again, &err), 0);
	assert_int_equal(again.start_ns, 7);
	large[room] = ' ';
	large[room + 1] = '\0';
	assert_int_equal(
		rt_stress_read("n1", large, &rt_stress_start_table, &again, &err),
		-EPROTO);
	assert_non_null(strstr(err.msg, "n1: larger than 16 MiB"));
	free(large);
	free(text);
}

/* A record that gains a key makes older texts unreadable: the fuzz target's seeds, too. */
static void test_seeds_of_the_fuzz_target_are_read(void **state)
{
	static const struct {
		const char *path;
		const struct rt_table *table;
	} rows[] = {
		{ "tests/fuzz/seeds/stress/job", &rt_stress_job_table },
		{ "tests/fuzz/seeds/stress/job-bursts", &rt_stress_job_table },
		{ "tests/fuzz/seeds/stress/ready-0", &rt_stress_ready_table },
		{ "tests/fuzz/seeds/stress/report-0", &rt_stress_report_table },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		union {
			struct rt_stress_job job;
			struct rt_stress_ready ready;
			struct rt_stress_report report;
		} record = { 0 };
		struct rt_err err = { 0 };
		char text[8192];
		FILE *from = fopen(rows[i].path, "r");
		size_t bytes;
		int r;

		assert_non_null(from);
		bytes = fread(text, 1, sizeof(text) - 1, from);
		fclose(from);
		assert_true(bytes > 1 && bytes < sizeof(text) - 1);
		text[bytes] = '\0';
		r = rt_stress_read(rows[i].path, text + 1, rows[i].table, &record,
				   &err);
		print_message("# %s\n", err.msg);
		assert_int_equal(r, 0);
		rt_record_free(rows[i].table, &record);
	}
}

/* A way to a root that says nothing. */
static int poll_nothing(struct rt_rendezvous *r, struct rt_rendezvous_news *ret_news,
			struct rt_err *err)
{
	(void)r;
	(void)err;
	*ret_news = (struct rt_rendezvous_news){ .stop_rank = RT_RANK_NONE };
	return 0;
}

/* A rank that cannot make sense of its job does not just leave: it says why. */
static void test_a_refused_job_is_answered(void **state)
{
	static const struct rt_rendezvous_ops ops = { .poll = poll_nothing };
	struct rt_rendezvous way = { .ops = &ops, .rank = 1, .size = 3, .fd = -1 };
	const struct rt_agent_options options = { 0 };
	struct rt_stress_connected connected = { 0 };
	struct rt_stress_peers peers = { 0 };
	struct rt_stress_ready ready = { 0 };
	struct rt_err err = { 0 };
	struct stress_case made;
	struct rt_agent *agent;
	char *text, *answer;

	(void)state;
	fill(&made);
	made.ranks[1].job.flows[0].outstanding = RT_STRESS_MAX_OUTSTANDING + 1;
	assert_int_equal(
		rt_stress_write(&rt_stress_job_table, &made.ranks[1].job, &text, &err),
		0);
	assert_int_equal(rt_agent_new(&options, &way, &agent, &err), 0);
	assert_int_equal(rt_agent_prepare(agent, text, &answer, &err), 0);
	assert_int_equal(
		rt_stress_read("n1", answer, &rt_stress_ready_table, &ready, &err), 0);
	assert_string_equal(ready.failed, "flow 0 of the job makes no sense");
	free(text);
	free(answer);
	/* Nor does it go on with it. */
	assert_int_equal(rt_stress_write(&rt_stress_peers_table, &peers, &text, &err),
			 0);
	assert_int_equal(rt_agent_connect(agent, text, &answer, &err), 0);
	assert_int_equal(rt_stress_read("n1", answer, &rt_stress_connected_table,
					&connected, &err),
			 0);
	assert_string_equal(connected.failed, "the job made no sense");
	free(text);
	free(answer);
	snprintf(peers.refused, sizeof(peers.refused), "called off");
	assert_int_equal(rt_stress_write(&rt_stress_peers_table, &peers, &text, &err),
			 0);
	assert_int_equal(rt_agent_connect(agent, text, &answer, &err), -ECANCELED);
	free(text);
	rt_agent_free(agent);
	stress_forget(&made);
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_refused_job_is_answered),
	     cmocka_unit_test(test_large_records_are_read),
	     cmocka_unit_test(test_seeds_of_the_fuzz_target_are_read),
	     cmocka_unit_test(test_reports_that_cannot_be),
	     cmocka_unit_test(test_lists_that_cannot_be),
	     cmocka_unit_test(test_messages_have_bytes),
	     cmocka_unit_test(test_series_fit_totals))
