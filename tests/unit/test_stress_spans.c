/* SPDX-License-Identifier: BSD-2-Clause */
/* Of which time and whose a stress run's figures are, and what is unknown of them. */
#include "stress_case.h"

#include "model/counters.h"
#include "model/criteria.h"
#include "model/figure.h"
#include "run/stress_figures.h"

#define WISH                                                                \
	{                                                                   \
		.pattern = RT_WORKLOAD_INCAST, .lossless = RT_KNOWN_U64(8), \
		.ramp_ns = RT_KNOWN_U64(0)                                  \
	}

/* A sender without a report is not one that sent nothing. */
static void test_lost_senders_are_unknown(void **state)
{
	const struct rt_stress_wish wish = WISH;
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 5, &made);
	made.ranks[3].reported = false;
	stress_judge(&made);
	assert_false(made.result.qps[2].tx_bytes.known);
	assert_false(made.result.qps[2].message_tx.known);
	assert_false(made.result.qps[2].goodput_bps.known);
	assert_false(made.result.senders[2].bytes.known);
	assert_false(made.result.senders[2].goodput_bps.known);
	assert_true(made.result.senders[1].goodput_bps.known);
	assert_false(made.result.receivers[0].goodput_bps.known);
	assert_false(made.result.receivers[0].share_pct.known);
	assert_false(made.result.hosts[3].late_most_ns.known);
	assert_true(made.result.hosts[2].late_most_ns.known);
	assert_false(made.result.goodput_bps.known);
	/* Fairness is of those that are known. */
	assert_true(made.result.jain.known);
	stress_forget(&made);
}

/* A check on what no rank told is wrong of that one, even where nothing would do. */
static void test_unknown_rates_pass_no_check(void **state)
{
	static const char text[] = "topology: {hosts: 5}\n"
				   "workload: {senders: 4}\n"
				   "checks:\n"
				   "  - {figure: goodput, at_least: 0G}\n"
				   "  - {figure: stopped, equals: 0}\n"
				   "  - {figure: goodput, host: 2, equals: 2G}\n";
	const struct rt_stress_wish wish = WISH;
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_stress_ran ran = { .scenario = &scenario, .ranks = 5, .slower = 2 };
	struct rt_criteria criteria;
	struct rt_figures figures;
	struct rt_err err = { 0 };
	struct stress_case made;

	(void)state;
	assert_int_equal(rt_scenario_parse("s", text, strlen(text), &scenario, &err),
			 0);
	stress_sound(&wish, 5, &made);
	made.ranks[3].reported = false;
	stress_judge(&made);
	ran.laws = &made.plan.laws;
	rt_figures_init(&figures, &scenario);
	assert_int_equal(rt_stress_figures(&ran, &made.result, &figures, &err), 0);
	assert_int_equal(rt_criteria_judge(&scenario, &figures, &criteria, &err), 0);
	for (size_t i = 0; i < 2; i++) {
		print_message("# %s\n", criteria.items[i].evidence);
		assert_int_equal(criteria.items[i].verdict, RT_CRITERION_FAILED);
		assert_int_equal(criteria.items[i].rows, 4);
		assert_int_equal(criteria.items[i].wrong, 1);
		assert_string_equal(criteria.items[i].value, "unknown");
		assert_non_null(strstr(criteria.items[i].evidence, "host 3"));
	}
	/* 1 Gb/s on a fabric that is half as fast as the scenario's. */
	assert_int_equal(criteria.items[2].verdict, RT_CRITERION_PASSED);
	rt_criteria_free(&criteria);
	rt_figures_free(&figures);
	stress_forget(&made);
}

/* Who reads keeps the time, and knows how long it took. */
static void test_readers_drive(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .op = RT_KNOWN_U64(RT_TRAFFIC_READ),
					     .rate_bps = RT_KNOWN_U64(950000000),
					     .lossless = RT_KNOWN_U64(8) };
	static const struct {
		uint32_t late; /* rank */
		bool told;
	} rows[] = { { 0, false }, { 1, true } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct stress_case made;

		stress_sound(&wish, 2, &made);
		made.ranks[rows[i].late].report.late_most_ns = 80000000;
		stress_end(&made, 0, 0)->latency = (struct rt_stress_latency){
			.count = 500, .p99_ns = RT_KNOWN_U64(70000)
		};
		made.ranks[1].report.latency = (struct rt_stress_latency){
			.count = 3, .p99_ns = RT_KNOWN_U64(2)
		};
		stress_judge(&made);
		assert_int_equal(stress_found(&made, "stress-cap-missed") != NULL,
				 rows[i].told);
		assert_int_equal(made.result.senders[0].p99_ns.value, 70000);
		stress_forget(&made);
	}
}

/* A READ's request that is lost shows at the reader, whom the sender's end tells of it. */
static void test_readers_are_acknowledged(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .op = RT_KNOWN_U64(RT_TRAFFIC_READ),
					     .lossless = RT_KNOWN_U64(8) };
	const struct rt_opt_u64 unknown = { 0 };
	struct rt_qp_totals *from, *to;
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 2, &made);
	from = &stress_end(&made, 1, 0)->totals;
	to = &stress_end(&made, 0, 0)->totals;
	from->ack_rx = from->nak_rx = to->ack_tx = to->nak_tx = unknown;
	from->ack_tx = to->ack_rx = RT_KNOWN_U64(70);
	from->nak_tx = RT_KNOWN_U64(3);
	to->nak_rx = RT_KNOWN_U64(2);
	stress_judge(&made);
	assert_int_equal(made.result.qps[0].ack_tx.value, 70);
	assert_int_equal(made.result.qps[0].ack_rx.value, 70);
	assert_int_equal(made.result.qps[0].nak_tx.value, 3);
	assert_int_equal(made.result.qps[0].nak_rx.value, 2);
	assert_non_null(stress_found(&made, "stress-lossless-loss"));
	/* No NAK reached who sends data, nor did who receives it send one. */
	assert_false(made.result.senders[0].nak_rx.known);
	assert_false(made.result.receivers[0].nak_tx.known);
	stress_forget(&made);
}

/* Damage is an error, so that the exit code says it; an interrupt is none. */
static void test_damage_is_an_error(void **state)
{
	static const struct {
		const char *why;
		bool asked;
		unsigned severity;
	} rows[] = {
		{ "loss on lossless priority 3", true, RT_SEVERITY_ERROR },
		{ "loss on lossless priority 3", false, RT_SEVERITY_WARN },
		{ "interrupted", true, RT_SEVERITY_WARN },
		{ "interrupted", false, RT_SEVERITY_WARN },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = WISH;
		struct stress_case made;

		stress_sound(&wish, 5, &made);
		for (uint32_t rank = 0; rank < 5; rank++) {
			made.ranks[rank].report.ran_ns = 1250000000;
			strcpy(made.ranks[rank].report.why, rows[i].why);
			made.ranks[rank].report.asked = rows[i].asked && rank == 2;
		}
		stress_judge(&made);
		assert_int_equal(stress_found(&made, "stress-cut-short")->severity,
				 rows[i].severity);
		stress_forget(&made);
	}
}

/* All ranks end at ran_ns; what is left of series behind that goes. */
static void end_at(struct stress_case *made, uint64_t ran_ns)
{
	for (uint32_t rank = 0; rank < made->plan.ranks; rank++)
		made->ranks[rank].report.ran_ns = ran_ns;
	for (uint32_t rank = 1; rank < made->plan.ranks; rank++) {
		struct rt_stress_end *end = stress_end(made, rank, rank - 1);

		for (size_t i = ran_ns / made->plan.interval_ns; i < end->series_count;
		     i++)
			end->series[i] = 0;
	}
}

/* Four senders start at 0, 1, 2 and 2 s. */
static void test_a_ramp_is_not_judged(void **state)
{
	static const struct {
		uint64_t ran_ns;
		bool judged;
	} rows[] = { { 1800000000, false },
		     { 2050000000, false },
		     { 4000000000, true } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = {
			.pattern = RT_WORKLOAD_INCAST,
			.lossless = RT_KNOWN_U64(8),
			.ramp_ns = RT_KNOWN_U64(1000000000),
			.time_ns = RT_KNOWN_U64(5000000000)
		};
		struct stress_case made;

		stress_sound(&wish, 5, &made);
		end_at(&made, rows[i].ran_ns);
		stress_judge(&made);
		assert_int_equal(made.result.jain.known, rows[i].judged);
		assert_int_equal(made.result.senders[0].goodput_bps.known,
				 rows[i].judged);
		assert_int_equal(made.result.hold_from_ns >= 2000000000 ||
					 made.result.hold_to_ns ==
						 made.result.hold_from_ns,
				 true);
		assert_int_equal(stress_found(&made, "stress-hold-short") == NULL,
				 rows[i].judged);
		assert_null(stress_found(&made, "stress-oscillating"));
		assert_int_equal(made.result.dip_count.known, rows[i].judged);
		assert_int_equal(made.result.dip_count.value, 0);
		assert_int_equal(made.result.senders[0].dips.known, rows[i].judged);
		assert_int_equal(made.result.hosts[0].intervals_away.known,
				 rows[i].judged);
		if (rows[i].judged)
			assert_int_equal(made.result.hold_to_ns, rows[i].ran_ns);
		stress_forget(&made);
	}
}

/* Pauses of the time that is judged: what came in the drain is of no interval of it. */
static void test_shares_of_time_stay_below_100(void **state)
{
	const struct rt_stress_wish wish = WISH;
	struct stress_case made;
	struct rt_stress_end *end;

	(void)state;
	stress_sound(&wish, 5, &made);
	end = stress_end(&made, 1, 0);
	end->totals.paused_ns = RT_KNOWN_U64(3350000000);
	end->causes = calloc(32, sizeof(*end->causes));
	assert_non_null(end->causes);
	for (uint32_t i = 0; i < 30; i++)
		end->causes[end->cause_count++] = (struct rt_stress_cause){
			.interval = i, .paused_ns = i < 15 ? 101000000 : 0
		};
	stress_judge(&made);
	assert_float_equal(made.result.senders[0].paused_pct.value, 50.5, 1e-6);
	stress_forget(&made);

	stress_sound(&wish, 5, &made);
	end = stress_end(&made, 1, 0);
	end->totals.paused_ns = RT_KNOWN_U64(3350000000);
	end->causes = calloc(32, sizeof(*end->causes));
	assert_non_null(end->causes);
	for (uint32_t i = 0; i < 30; i++)
		end->causes[end->cause_count++] = (struct rt_stress_cause){
			.interval = i, .paused_ns = 101000000
		};
	stress_judge(&made);
	assert_float_equal(made.result.senders[0].paused_pct.value, 100, 1e-9);
	stress_forget(&made);
}

static void latency(struct rt_stress_latency *latency, uint64_t count, uint64_t avg,
		    uint64_t p99)
{
	*latency = (struct rt_stress_latency){
		.count = count,
		.avg_ns = RT_KNOWN_U64(avg),
		.p99_ns = RT_KNOWN_U64(p99),
		.p999_ns = RT_KNOWN_U64(p99 * 2),
	};
}

static void test_a_victim_is_told_where_it_hurts(void **state)
{
	static const struct {
		const char *label;
		unsigned kind;
		uint64_t messages, avg_ns, p99_ns; /* loaded; alone: 10 and 20 us */
		bool hurt;
	} rows[] = {
		{ "another priority, untouched", RT_VICTIM_LOSSY, 1000, 11000, 25000,
		  false },
		{ "another priority, a long tail", RT_VICTIM_LOSSY, 1000, 15000, 90000,
		  true },
		{ "a tail of ten messages is none", RT_VICTIM_LOSSY, 10, 15000, 90000,
		  false },
		{ "the same queue is fuller", RT_VICTIM_SAME, 1000, 60000, 150000,
		  false },
		{ "the same queue stands", RT_VICTIM_SAME, 1000, 60000, 250000, true },
		{ "another priority, starved", RT_VICTIM_LOSSY, 0, 0, 0, true },
		{ "the same queue, starved", RT_VICTIM_SAME, 0, 0, 0, true },
		{ "another receiver, head of line", RT_VICTIM_RECEIVER, 1000, 40000,
		  50000, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
						     .senders = RT_KNOWN_U64(3),
						     .lossless = RT_KNOWN_U64(8),
						     .victim = rows[i].kind };
		const struct rt_finding *hurt;
		struct rt_stress_end *end;
		struct stress_case made;

		print_message("# --- %s\n", rows[i].label);
		stress_sound(&wish, 5, &made);
		end = stress_end(&made, made.plan.flows[3].from, 3);
		latency(&end->alone, 1000, 10000, 20000);
		latency(&end->latency, rows[i].messages, rows[i].avg_ns,
			rows[i].p99_ns);
		end->alone_bytes = SOUND_BYTES / 100 * 8;
		if (!rows[i].messages) {
			end->latency = (struct rt_stress_latency){ 0 };
			memset(end->series + 8, 0,
			       (end->series_count - 8) * sizeof(*end->series));
		}
		stress_judge(&made);
		hurt = stress_found(&made, "stress-victim-hurt");
		assert_int_equal(hurt != NULL, rows[i].hurt);
		if (hurt) {
			assert_null(strstr(hurt->evidence, "0.0 times"));
			assert_int_equal(hurt->severity, rows[i].messages
								 ? RT_SEVERITY_WARN
								 : RT_SEVERITY_ERROR);
		}
		if (!rows[i].messages) {
			assert_null(stress_found(&made, "stress-victim-silent"));
			stress_forget(&made);
			continue;
		}
		assert_int_equal(made.result.victim_count, 1);
		/* The same rate before and after 800 ms. */
		assert_int_equal(made.result.victims[0].alone_bps.value,
				 SOUND_BYTES / 100 * 80);
		assert_float_equal(made.result.victims[0].throughput_factor.value, 1,
				   1e-6);
		assert_float_equal(made.result.victims[0].avg_factor.value,
				   (double)rows[i].avg_ns / 10000, 1e-9);
		stress_forget(&made);
	}
}

/* Two flows of 100 MB one after the other: not twice the rate, and not half of it. */
static void test_rates_of_flows_that_end_are_over_their_own_time(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = RT_KNOWN_U64(2),
					     .bytes = RT_KNOWN_U64(100000000),
					     .message_bytes = RT_KNOWN_U64(1000000),
					     .lossless = RT_KNOWN_U64(8) };
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 3, &made);
	for (uint32_t flow = 0; flow < 2; flow++) {
		struct rt_stress_end *end = stress_end(&made, flow + 1, flow);

		memset(end->series, 0, end->series_count * sizeof(*end->series));
		for (unsigned i = 0; i < 8; i++)
			end->series[8 * flow + i] = SOUND_BYTES;
		end->totals.first_ns = RT_KNOWN_U64(800000000 * flow);
		end->totals.last_ns = RT_KNOWN_U64(800000000 * (flow + 1));
	}
	stress_judge(&made);
	assert_int_equal(made.result.senders[0].goodput_bps.value, 1000000000);
	assert_int_equal(made.result.senders[1].goodput_bps.value, 1000000000);
	assert_int_equal(made.result.receivers[0].goodput_bps.value, 1000000000);
	assert_int_equal(made.result.qps[1].flow_completion_time_ns.value, 1600000000);
	assert_false(made.result.dip_count.known);
	stress_forget(&made);
}

/* What a run without time for a rate brought is no rate of 0. */
static void test_a_rate_without_time_is_unknown(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = RT_KNOWN_U64(2),
					     .bytes = RT_KNOWN_U64(100000000),
					     .message_bytes = RT_KNOWN_U64(1000000),
					     .lossless = RT_KNOWN_U64(8) };
	static const struct {
		const char *label;
		uint64_t bytes, ran_ns;
		bool known; /* and 0 */
	} rows[] = {
		{ "one message, at one instant", 1000000, 800000000, false },
		{ "nothing, though there was time", 0, 800000000, true },
		{ "nothing, and it failed at once", 0, 3000000, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct stress_case made;

		print_message("# --- %s\n", rows[i].label);
		stress_sound(&wish, 3, &made);
		for (uint32_t flow = 0; flow < 2; flow++) {
			struct rt_stress_end *end = stress_end(&made, flow + 1, flow);

			memset(end->series, 0,
			       end->series_count * sizeof(*end->series));
			end->series[0] = rows[i].bytes;
			end->totals.first_ns = end->totals.last_ns =
				(struct rt_opt_u64){ 1000, rows[i].bytes > 0 };
		}
		for (uint32_t rank = 0; rank < 3; rank++)
			made.ranks[rank].report.ran_ns = rows[i].ran_ns;
		stress_judge(&made);
		assert_int_equal(made.result.qps[0].goodput_bps.known, rows[i].known);
		assert_int_equal(made.result.senders[1].goodput_bps.known,
				 rows[i].known);
		assert_int_equal(made.result.receivers[0].goodput_bps.known,
				 rows[i].known);
		assert_int_equal(made.result.goodput_bps.known, rows[i].known);
		stress_forget(&made);
	}
}

/* Of a host that did not report nothing is known, and of a sum with it. */
static void test_who_did_not_report_has_no_series(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = RT_KNOWN_U64(2),
					     .lossless = RT_KNOWN_U64(8) };
	struct stress_case made;

	(void)state;
	stress_sound(&wish, 3, &made);
	made.ranks[2].reported = false;
	stress_judge(&made);
	assert_int_equal(made.result.senders[0].series_count, 30);
	assert_int_equal(made.result.senders[1].series_count, 0);
	assert_string_equal(made.result.senders[1].bars, "");
	assert_false(made.result.senders[1].dips.known);
	assert_int_equal(made.result.receivers[0].series_count, 0);
	assert_false(made.result.hosts[2].intervals_away.known);
	stress_forget(&made);
}

/* What came after the end is told, and is of no rate. */
static void test_what_came_late_is_of_no_rate(void **state)
{
	const struct rt_stress_wish wish = { .pattern = RT_WORKLOAD_INCAST,
					     .senders = RT_KNOWN_U64(3),
					     .lossless = RT_KNOWN_U64(8),
					     .victim = RT_VICTIM_SAME };
	struct stress_case made, late;

	(void)state;
	stress_sound(&wish, 5, &made);
	stress_sound(&wish, 5, &late);
	for (uint32_t flow = 0; flow < late.plan.flow_count; flow++) {
		const uint32_t from = late.plan.flows[flow].from;
		struct rt_stress_end *end = stress_end(&late, from, flow);

		stress_end(&made, from, flow)->alone_bytes = 1000000;
		end->alone_bytes = 1000000;
		end->series[end->series_count++] = 7000000;
		end->late_bytes = RT_KNOWN_U64(7000000);
	}
	stress_judge(&made);
	stress_judge(&late);
	assert_int_equal(late.result.senders[0].bytes.value,
			 made.result.senders[0].bytes.value + 7000000);
	assert_int_equal(late.result.senders[0].late_bytes.value, 7000000);
	assert_int_equal(late.result.receivers[0].late_bytes.value, 3 * 7000000);
	assert_int_equal(late.result.goodput_bps.value, made.result.goodput_bps.value);
	assert_true(late.result.victims[0].loaded_bps.known);
	assert_int_equal(late.result.victims[0].loaded_bps.value,
			 made.result.victims[0].loaded_bps.value);
	stress_forget(&made);
	stress_forget(&late);
}

/* From its own start; what did not send all of it has none. */
static void test_only_flows_that_complete_have_a_completion_time(void **state)
{
	static const struct {
		const char *label;
		uint32_t flow;  /* 0 starts at once, 1 after 300 ms */
		uint64_t bytes; /* to send; 0: for a time */
		unsigned state;
		struct rt_opt_u64 last_ns;
		struct rt_opt_u64 takes_ns;
	} rows[] = {
		{ "complete",
		  1,
		  100000000,
		  RT_QP_DONE,
		  { 1600000000, true },
		  { 1300000000, true } },
		{ "stopped", 1, 100000000, RT_QP_STOPPED, { 1600000000, true }, { 0 } },
		{ "cut short", 1, 100000001, RT_QP_DONE, { 1600000000, true }, { 0 } },
		{ "when, is not known", 0, 100000000, RT_QP_DONE, { 0 }, { 0 } },
		{ "before its start",
		  1,
		  100000000,
		  RT_QP_DONE,
		  { 200000000, true },
		  { 0 } },
		{ "for a time", 1, 0, RT_QP_DONE, { 1600000000, true }, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_stress_wish wish = {
			.pattern = RT_WORKLOAD_INCAST,
			.senders = RT_KNOWN_U64(2),
			.bytes = { rows[i].bytes, rows[i].bytes > 0 },
			.message_bytes = RT_KNOWN_U64(1000000),
			.stagger_ns = RT_KNOWN_U64(300000000),
			.lossless = RT_KNOWN_U64(8)
		};
		const struct rt_opt_u64 *takes;
		struct rt_stress_end *end;
		struct stress_case made;

		print_message("# --- %s\n", rows[i].label);
		stress_sound(&wish, 3, &made);
		end = stress_end(&made, rows[i].flow + 1, rows[i].flow);
		end->series_count = rows[i].flow ? 11 : 8;
		end->totals.state = rows[i].state;
		end->totals.first_ns = (struct rt_opt_u64){ 0 };
		end->totals.last_ns = rows[i].last_ns;
		stress_judge(&made);
		assert_int_equal(made.result.qps[rows[i].flow].tx_bytes.value,
				 100000000);
		takes = &made.result.qps[rows[i].flow].flow_completion_time_ns;
		assert_int_equal(takes->known, rows[i].takes_ns.known);
		assert_int_equal(takes->value, rows[i].takes_ns.value);
		stress_forget(&made);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_only_flows_that_complete_have_a_completion_time),
	     cmocka_unit_test(test_rates_of_flows_that_end_are_over_their_own_time),
	     cmocka_unit_test(test_a_victim_is_told_where_it_hurts),
	     cmocka_unit_test(test_a_rate_without_time_is_unknown),
	     cmocka_unit_test(test_who_did_not_report_has_no_series),
	     cmocka_unit_test(test_what_came_late_is_of_no_rate),
	     cmocka_unit_test(test_a_ramp_is_not_judged),
	     cmocka_unit_test(test_shares_of_time_stay_below_100),
	     cmocka_unit_test(test_lost_senders_are_unknown),
	     cmocka_unit_test(test_unknown_rates_pass_no_check),
	     cmocka_unit_test(test_readers_drive),
	     cmocka_unit_test(test_readers_are_acknowledged),
	     cmocka_unit_test(test_damage_is_an_error))
