/* SPDX-License-Identifier: BSD-2-Clause */
/* What a rank takes for damage that stops a run: by its queue pairs and by its port. */
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "kern/kern_fake.h"
#include "run/agent_work.h"

#define MS UINT64_C(1000000)

/* An engine of one queue pair that says what the test wants. */
static struct rt_qp_totals told;

static void say(const struct rt_engine *engine, unsigned index,
		struct rt_qp_totals *ret_totals)
{
	(void)engine;
	(void)index;
	*ret_totals = told;
}

static void say_nothing(struct rt_engine *engine, unsigned index,
			struct rt_histogram *into)
{
	(void)engine;
	(void)index;
	(void)into;
}

static const struct rt_engine_ops sayer = { .totals = say, .latency = say_nothing };

struct rank {
	struct rt_agent agent;
	struct rt_traffic_flow flow;
	struct rt_agent_end end;
	uint64_t series[100], away[100];
	struct rt_stress_cause causes[100];
	struct rt_histogram latency, alone;
};

/* Sender of one lossless flow, of 10 s in intervals of 100 ms. */
static void prepare(struct rank *rank)
{
	memset(rank, 0, sizeof(*rank));
	told = (struct rt_qp_totals){ .state = RT_QP_RUNNING };
	rank->flow = (struct rt_traffic_flow){ .prio = 3, .message_bytes = 1000 };
	rank->end = (struct rt_agent_end){ .flow = &rank->flow,
					   .sends = true,
					   .drives = true,
					   .series = rank->series,
					   .causes = rank->causes,
					   .latency = &rank->latency };
	rank->agent = (struct rt_agent){ .ops = &sayer,
					 .ends = &rank->end,
					 .away = rank->away,
					 .series_count = 100 };
	rank->agent.job = (struct rt_stress_job){ .total_ns = 10000 * MS,
						  .interval_ns = 100 * MS,
						  .lossless = RT_KNOWN_U64(8),
						  .with_abort = true,
						  .victim_bound_ppb = UINT64_C(10) *
								      RT_PPB,
						  .flows = &rank->flow,
						  .flow_count = 1 };
}

/* A look at elapsed_ns; whether it stops the run. */
static bool look(struct rank *rank, uint64_t elapsed_ns, char why[160])
{
	bool damaged;

	*why = '\0';
	rt_agent_sample(&rank->agent, elapsed_ns);
	damaged = rt_agent_damaged(&rank->agent, why);
	print_message("# %llu ms: %s\n", (unsigned long long)(elapsed_ns / MS), why);
	return damaged;
}

static void test_only_gaps_are_loss(void **state)
{
	static const struct {
		const char *label;
		uint64_t gaps, naks;
		const char *error;
		bool stopped, damage;
	} rows[] = {
		{ "nothing", 0, 0, "", false, false },
		{ "a gap", 1, 0, "", false, true },
		{ "a NAK for one", 0, 1, "", false, true },
		{ "a refusal", 0, 1, "IBV_WC_REM_ACCESS_ERR", false, false },
		{ "a gap before it", 0, 2, "IBV_WC_REM_OP_ERR", false, true },
		{ "retries ran out", 0, 0, "IBV_WC_RETRY_EXC_ERR", true, true },
	};
	struct rank rank;
	char why[160];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		print_message("# --- %s\n", rows[i].label);
		prepare(&rank);
		told.frame_sequence_error = RT_KNOWN_U64(rows[i].gaps);
		told.nak_rx = RT_KNOWN_U64(rows[i].naks);
		strcpy(told.error, rows[i].error);
		told.state = rows[i].stopped ? RT_QP_STOPPED : RT_QP_RUNNING;
		assert_int_equal(look(&rank, 100 * MS, why), rows[i].damage);
	}
}

/* Counters of a port that were added in elapsed_ns. */
static void count(struct rt_counter_set *set, unsigned counter, unsigned prio,
		  uint64_t added, int64_t elapsed_ns)
{
	const struct rt_counter_reading reading = { .counter = counter,
						    .prio = (uint8_t)prio,
						    .bits = 64,
						    .source = RT_SOURCE_RDMA,
						    .scale = 1,
						    .value = added };

	set->elapsed_ns = elapsed_ns;
	assert_int_equal(rt_counter_set_add(set, &reading), 0);
}

/* What the last look saw is no end of the run. */
static void test_what_cannot_be_read_is_unknown(void **state)
{
	struct rank rank;

	(void)state;
	prepare(&rank);
	count(&rank.agent.after, RT_COUNTER_RX_DISCARDS, 3, 7, 1000 * MS);
	rt_agent_read_counters(&rank.agent, &rank.agent.after);
	assert_int_equal(rank.agent.after.count, 0);
	assert_false(
		rt_counter_value(&rank.agent.after, RT_COUNTER_RX_DISCARDS, 3).known);
}

static void test_ports_tell_what_stops_a_run(void **state)
{
	static const struct {
		const char *label;
		unsigned counter, prio;
		uint64_t added, elapsed_ms;
		bool knows; /* the queue pair counts its gaps */
		bool damage;
	} rows[] = {
		{ "half of a second", RT_COUNTER_PFC_RX_NS, 3, 500 * MS, 1000, true,
		  false },
		{ "more than half", RT_COUNTER_PFC_RX_NS, 3, 501 * MS, 1000, true,
		  true },
		{ "the same of two", RT_COUNTER_PFC_RX_NS, 3, 501 * MS, 2000, true,
		  false },
		{ "more than half of two", RT_COUNTER_PFC_RX_NS, 5, 1001 * MS, 2000,
		  true, true },
		{ "too short a time", RT_COUNTER_PFC_RX_NS, 3, 90 * MS, 100, true,
		  false },
		{ "the watchdog", RT_COUNTER_STORM_EVENTS, RT_COUNTER_NO_PRIO, 1, 1000,
		  true, true },
		{ "a discard", RT_COUNTER_RX_DISCARDS, 3, 1, 1000, true, true },
		{ "one that may be", RT_COUNTER_RX_DISCARDS, 0, 1, 1000, true, false },
		{ "gaps", RT_COUNTER_OUT_OF_SEQUENCE, RT_COUNTER_NO_PRIO, 4, 1000,
		  false, true },
		{ "NAKs", RT_COUNTER_SEQ_NAKS_RX, RT_COUNTER_NO_PRIO, 4, 1000, false,
		  true },
		{ "gaps of somebody else", RT_COUNTER_OUT_OF_SEQUENCE,
		  RT_COUNTER_NO_PRIO, 4, 1000, true, false },
		{ "no gaps", RT_COUNTER_OUT_OF_SEQUENCE, RT_COUNTER_NO_PRIO, 0, 1000,
		  false, false },
	};
	struct rank rank;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const bool of_last = rows[i].counter == RT_COUNTER_PFC_RX_NS;
		struct rt_counter_set since = { 0 }, nothing = { 0 };
		char why[160] = "";

		prepare(&rank);
		if (rows[i].knows)
			told.frame_sequence_error = RT_KNOWN_U64(0);
		count(&since, rows[i].counter, rows[i].prio, rows[i].added,
		      (int64_t)(rows[i].elapsed_ms * MS));
		/* Pauses are of the time since the last look, the rest of the run. */
		assert_int_equal(
			rt_agent_judge_port(&rank.agent, &since, &nothing, why),
			rows[i].damage && !of_last);
		assert_int_equal(
			rt_agent_judge_port(&rank.agent, &nothing, &since, why),
			rows[i].damage && of_last);
		print_message("# %s: %s\n", rows[i].label, why);
		rt_counter_set_free(&since);
	}
}

/* A port whose peer pauses it. */
static struct rt_fake *host;

static int open_host(void *context, struct rt_kern **ret_kern, struct rt_err *err)
{
	(void)context;
	(void)err;
	*ret_kern = &host->kern;
	return 0;
}

static void tell_device(const struct rt_engine *engine,
			struct rt_engine_about *ret_about)
{
	(void)engine;
	*ret_about = (struct rt_engine_about){ .device = "mlx5_0" };
}

static void set_paused(uint64_t ms)
{
	assert_true(rt_fake_set_stat(&host->ports[0].ethtool_stats,
				     "rx_prio3_pause_duration", ms * 1000));
}

/* Before the start, and at the last look, as if that were so long ago. */
static bool looks_damaged(struct rank *rank, int64_t before_ms, int64_t last_ms)
{
	const int64_t now_ns = rt_monotonic_ns();
	struct rt_agent *agent = &rank->agent;
	char why[160] = "";
	bool damaged;

	agent->before.time_ns = now_ns - before_ms * (int64_t)MS;
	agent->after.time_ns = now_ns - last_ms * (int64_t)MS;
	agent->looked_ns = 0;
	damaged = rt_agent_port_damaged(agent, now_ns, why);
	print_message("# %s\n", why);
	return damaged;
}

static void test_pauses_are_of_the_time_since_the_last_look(void **state)
{
	static const struct rt_engine_ops ops = { .about = tell_device,
						  .totals = say,
						  .latency = say_nothing };
	const struct rt_agent_options options = { .kern_open = open_host };
	struct rank rank;

	(void)state;
	assert_int_equal(rt_fake_new(&host, NULL), 0);
	assert_non_null(rt_fake_add_port(host, "mlx5"));
	prepare(&rank);
	rank.agent.ops = &ops;
	rank.agent.options = &options;
	set_paused(0);
	rt_agent_look_around(&rank.agent);
	assert_non_null(rank.agent.port);
	rt_agent_read_counters(&rank.agent, &rank.agent.before);
	/* The first look is since the start; the next ones are since the last. */
	set_paused(700);
	assert_true(looks_damaged(&rank, 1100, 0));
	assert_false(looks_damaged(&rank, 10000, 1100));
	set_paused(1400);
	assert_true(looks_damaged(&rank, 10000, 1100));
	/* A long pause that is over stops nothing, though it was most of the run. */
	assert_false(looks_damaged(&rank, 1500, 1100));
	rt_agent_close_port(&rank.agent);
}

/* Paused so much of each 100 ms; the look at which it stops the run, 0: none does. */
static unsigned stops_at(struct rank *rank, uint64_t paused_ns, bool sends)
{
	char why[160];

	prepare(rank);
	rank->end.sends = sends;
	for (unsigned i = 1; i < 40; i++) {
		told.paused_ns = RT_KNOWN_U64(i * paused_ns);
		if (look(rank, i * 100 * MS, why))
			return i;
	}
	return 0;
}

static void test_a_pause_stops_after_a_second(void **state)
{
	struct rank rank;
	char why[160];

	(void)state;
	assert_int_equal(stops_at(&rank, 50 * MS, true), 0);
	assert_int_equal(stops_at(&rank, 51 * MS, true), 10);
	assert_int_equal(stops_at(&rank, 100 * MS, true), 10);
	/* Without its ACKs a receiver stops its senders. */
	assert_int_equal(stops_at(&rank, 51 * MS, false), 10);

	/* A look that is three intervals late, and 80 ms of them paused: no more. */
	prepare(&rank);
	for (unsigned i = 1; i < 10; i++) {
		told.paused_ns = RT_KNOWN_U64(i * 80 * MS);
		assert_false(look(&rank, i * 400 * MS, why));
	}
	/* A second that was hardly looked at. */
	prepare(&rank);
	told.paused_ns = RT_KNOWN_U64(900 * MS);
	assert_true(look(&rank, 1200 * MS, why));
}

/* A hundred messages of 10 us alone, in 500 ms; then so many of so long, and nothing. */
static bool hurts(struct rank *rank, unsigned messages, uint64_t loaded_ns,
		  uint64_t until_ms)
{
	bool damaged = false;
	char why[160];

	prepare(rank);
	rank->flow.victim = true;
	rank->end.alone = &rank->alone;
	rank->agent.job.alone_ns = 500 * MS;
	for (unsigned i = 0; i < 100; i++)
		rt_histogram_add(&rank->alone, 10000);
	told.messages = RT_KNOWN_U64(100);
	assert_false(look(rank, 500 * MS, why));
	for (unsigned i = 0; i < messages; i++)
		rt_histogram_add(&rank->latency, loaded_ns);
	told.messages = RT_KNOWN_U64(100 + messages);
	for (uint64_t ms = 600; ms <= until_ms && !damaged; ms += 100)
		damaged = look(rank, ms * MS, why);
	return damaged;
}

static void test_a_victim_has_a_bound(void **state)
{
	struct rank rank;

	(void)state;
	assert_false(hurts(&rank, 50, 99000, 900));
	assert_true(hurts(&rank, 50, 102000, 900));
	/* Too few to have a mean. */
	assert_false(hurts(&rank, 19, 900000, 900));
	/* Not one more: it starves, but not from the first look on. */
	assert_false(hurts(&rank, 0, 0, 900));
	assert_true(hurts(&rank, 0, 0, 1000));
	assert_true(hurts(&rank, 50, 20000, 2000));
}

/* An interval's end is due; a look in between is never late, and two may be missed. */
static void test_the_latest_look_counts(void **state)
{
	static const struct {
		uint64_t look_ms, late_most_ms;
	} rows[] = { { 100, 0 },  { 205, 5 },   { 330, 30 },  { 390, 30 },
		     { 401, 30 }, { 660, 160 }, { 705, 160 }, { 799, 160 } };
	struct rank rank;
	char why[160];

	(void)state;
	prepare(&rank);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		assert_false(look(&rank, rows[i].look_ms * MS, why));
		assert_int_equal(rank.agent.late_most_ns, rows[i].late_most_ms * MS);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_the_latest_look_counts),
	     cmocka_unit_test(test_only_gaps_are_loss),
	     cmocka_unit_test(test_what_cannot_be_read_is_unknown),
	     cmocka_unit_test(test_ports_tell_what_stops_a_run),
	     cmocka_unit_test(test_pauses_are_of_the_time_since_the_last_look),
	     cmocka_unit_test(test_a_pause_stops_after_a_second),
	     cmocka_unit_test(test_a_victim_has_a_bound))
