/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a scenario: what they say, and that none of them passes for nothing. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/criteria.h"
#include "model/fabric_config.h"
#include "rocetune/err.h"

#define TOP                                                                   \
	"topology: {hosts: 4}\n"                                              \
	"workload: [{name: a, senders: 2}, {name: b, senders: 1, prio: 1}]\n" \
	"checks:\n"

static int parse(const char *checks, struct rt_scenario *scenario, struct rt_err *err)
{
	char text[600];

	snprintf(text, sizeof(text), TOP "%s", checks);
	return rt_scenario_parse("s.yaml", text, strlen(text), scenario, err);
}

/* Two flows of a and one of b, and two queues of host 0. */
static void fill(struct rt_figures *figures)
{
	const struct rt_figure flows[] = {
		{ .workload = "a",
		  .prio = RT_KNOWN_U64(3),
		  .host = RT_KNOWN_U64(1),
		  .flow = RT_KNOWN_U64(0) },
		{ .workload = "a",
		  .prio = RT_KNOWN_U64(3),
		  .host = RT_KNOWN_U64(2),
		  .flow = RT_KNOWN_U64(1) },
		{ .workload = "b",
		  .prio = RT_KNOWN_U64(1),
		  .host = RT_KNOWN_U64(1),
		  .flow = RT_KNOWN_U64(2) },
	};
	const double loss[] = { 0, 0, 16.5 }, goodput[] = { 4e9, 2e9, 7e9 };
	const double sent[] = { 100, 200, 400 };
	struct rt_figure of = { .host = RT_KNOWN_U64(0) };

	for (size_t i = 0; i < 3; i++) {
		rt_figures_add(figures, &flows[i], RT_FIGURE_LOSS,
			       RT_KNOWN_F64(loss[i]));
		rt_figures_add(figures, &flows[i], RT_FIGURE_SENT,
			       RT_KNOWN_F64(sent[i]));
		rt_figures_add(figures, &flows[i], RT_FIGURE_GOODPUT,
			       RT_KNOWN_F64(goodput[i]));
		rt_figures_add(figures, &flows[i], RT_FIGURE_LATENCY_MEAN,
			       (struct rt_opt_f64){ 0 });
	}
	rt_figures_add(figures, &of, RT_FIGURE_CAPACITY, RT_KNOWN_F64(100e9));
	for (unsigned prio = 1; prio <= 3; prio += 2) {
		of.prio = RT_KNOWN_U64(prio);
		rt_figures_add(figures, &of, RT_FIGURE_OFFERED, RT_KNOWN_F64(80e9));
		rt_figures_add(figures, &of, RT_FIGURE_WEIGHT,
			       RT_KNOWN_F64(prio == 3 ? 3 : 1));
		rt_figures_add(figures, &of, RT_FIGURE_QUEUE_RATE,
			       RT_KNOWN_F64(prio == 3 ? 73e9 : 27e9));
		rt_figures_add(figures, &of, RT_FIGURE_QUEUE_SHARE,
			       RT_KNOWN_F64(prio == 3 ? 73 : 27));
		rt_figures_add(figures, &of, RT_FIGURE_QUEUE_DATA,
			       RT_KNOWN_F64(prio == 3 ? 300 : 399));
	}
}

/* The first check of a scenario of these, over the figures above. */
static void judge(const char *checks, struct rt_criterion *ret)
{
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_figures figures;
	struct rt_criteria criteria;
	struct rt_err err = { 0 };
	const int r = parse(checks, &scenario, &err);

	print_message("# %s%s\n", checks, err.msg);
	assert_int_equal(r, 0);
	rt_figures_init(&figures, &scenario);
	fill(&figures);
	rt_figures_add_fairness(&figures, &scenario);
	assert_int_equal(rt_criteria_judge(&scenario, &figures, &criteria, &err), 0);
	assert_int_equal(criteria.count, 1);
	assert_int_equal(criteria.failed,
			 criteria.items[0].verdict != RT_CRITERION_PASSED);
	assert_int_equal(criteria.offender_count, criteria.items[0].wrong);
	*ret = criteria.items[0];
	print_message("#   %s must be %s: %s\n", ret->what, ret->wanted, ret->evidence);
	rt_criteria_free(&criteria);
	rt_figures_free(&figures);
}

static void test_each_relation_holds_and_fails(void **state)
{
	static const struct {
		const char *check;
		unsigned verdict, rows, wrong;
	} rows[] = {
		{ "loss, workload: a, equals: 0%", RT_CRITERION_PASSED, 2, 0 },
		{ "loss, equals: 0%", RT_CRITERION_FAILED, 3, 1 },
		{ "loss, workload: b, equals: 16%", RT_CRITERION_FAILED, 1, 1 },
		{ "loss, workload: b, equals: 16%, within: 1%", RT_CRITERION_PASSED, 1,
		  0 },
		{ "loss, workload: b, equals: 16%, within: 0.4%", RT_CRITERION_FAILED,
		  1, 1 },
		{ "sent, prio: 3, above: 99", RT_CRITERION_PASSED, 2, 0 },
		{ "sent, prio: 3, above: 100", RT_CRITERION_FAILED, 2, 1 },
		{ "sent, at_least: 100", RT_CRITERION_PASSED, 3, 0 },
		{ "sent, at_least: 101", RT_CRITERION_FAILED, 3, 1 },
		{ "sent, below: 401", RT_CRITERION_PASSED, 3, 0 },
		{ "sent, below: 400", RT_CRITERION_FAILED, 3, 1 },
		{ "sent, at_most: 400", RT_CRITERION_PASSED, 3, 0 },
		{ "sent, at_most: 150, at_least: 50", RT_CRITERION_FAILED, 3, 2 },
		{ "goodput, workload: a, equals: 3G, within: 34%", RT_CRITERION_PASSED,
		  2, 0 },
		{ "goodput, workload: a, equals: 3G, within: 33%", RT_CRITERION_FAILED,
		  2, 2 },
		{ "sent, host: 1, take: sum, equals: 500", RT_CRITERION_PASSED, 1, 0 },
		{ "sent, take: mean, equals: 233, within: 1", RT_CRITERION_PASSED, 1,
		  0 },
		{ "sent, take: min, equals: 100", RT_CRITERION_PASSED, 1, 0 },
		{ "sent, take: max, equals: 400", RT_CRITERION_PASSED, 1, 0 },
		{ "spread, workload: a, equals: 50%", RT_CRITERION_PASSED, 1, 0 },
		{ "jain, workload: a, equals: 0.9", RT_CRITERION_PASSED, 1, 0 },
		{ "jain, workload: b, equals: 1", RT_CRITERION_NOTHING, 0, 0 },
		/* Data frames that left the queue of a priority: all that were sent. */
		{ "queue_data, prio: 3, equals: sent", RT_CRITERION_FAILED, 1, 1 },
		{ "sent, prio: 3, take: sum, equals: queue_data", RT_CRITERION_PASSED,
		  1, 0 },
		{ "sent, prio: 1, take: sum, equals: queue_data", RT_CRITERION_FAILED,
		  1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_criterion item;
		char text[200];

		snprintf(text, sizeof(text), "  - {figure: %s}\n", rows[i].check);
		judge(text, &item);
		assert_int_equal(item.rows, rows[i].rows);
		assert_int_equal(item.wrong, rows[i].wrong);
		assert_int_equal(item.verdict, rows[i].verdict);
	}
}

/* What is not there, and what is there but unknown, has not been seen to be right. */
static void test_nothing_to_look_at_is_a_failure(void **state)
{
	static const struct {
		const char *check;
		unsigned verdict;
	} rows[] = {
		{ "cnp_tx, equals: 0", RT_CRITERION_NOTHING },
		{ "cnp_tx, take: sum, equals: 0", RT_CRITERION_NOTHING },
		{ "loss, host: 3, equals: 0%", RT_CRITERION_NOTHING },
		{ "latency_mean, below: 1s", RT_CRITERION_FAILED },
		{ "latency_mean, at_least: 0s", RT_CRITERION_FAILED },
		{ "latency_mean, take: max, below: 1s", RT_CRITERION_FAILED },
		{ "sent, at_least: marked", RT_CRITERION_FAILED },
		{ "queue_rate, host: 0, prio: 1, equals: dwrr, within: 1%",
		  RT_CRITERION_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_criterion item;
		char text[200];

		snprintf(text, sizeof(text), "  - {figure: %s}\n", rows[i].check);
		judge(text, &item);
		assert_int_equal(item.verdict, rows[i].verdict);
		assert_true(*item.evidence);
	}
}

/* Weights 3 and 1 of 100: 75 and 25 are expected, 73 and 27 measured. */
static void test_a_share_by_weight_is_held_within_its_tolerance(void **state)
{
	struct rt_criterion item;

	(void)state;
	judge("  - {figure: queue_rate, equals: dwrr, within: 9%}\n", &item);
	assert_int_equal(item.verdict, RT_CRITERION_PASSED);
	assert_int_equal(item.rows, 2);
	judge("  - {figure: queue_rate, equals: dwrr, within: 7%}\n", &item);
	assert_int_equal(item.wrong, 1); /* 27 is 8 % above 25 */
	assert_non_null(strstr(item.evidence, "27Gb/s"));
	judge("  - {figure: queue_share, equals: dwrr, within: 2%}\n", &item);
	assert_int_equal(item.verdict, RT_CRITERION_PASSED);
	judge("  - {figure: queue_share, equals: dwrr, within: 1.9%}\n", &item);
	assert_int_equal(item.wrong, 2);
}

static void test_water_filling_gives_what_is_offered_or_a_share(void **state)
{
	static const struct {
		const char *label;
		size_t count;
		double offered[4], weights[4], capacity, expected[4];
	} rows[] = {
		{ "all want more",
		  3,
		  { 100, 100, 100 },
		  { 15, 14, 14 },
		  100,
		  { 1500.0 / 43, 1400.0 / 43, 1400.0 / 43 } },
		{ "nobody wants more", 2, { 10, 20 }, { 1, 1 }, 100, { 10, 20 } },
		{ "what one leaves the others share",
		  3,
		  { 10, 100, 100 },
		  { 1, 1, 2 },
		  100,
		  { 10, 30, 60 } },
		/* 25 each: the first leaves 15, 30 each: the second is content too. */
		{ "in more than one round",
		  4,
		  { 10, 28, 100, 100 },
		  { 1, 1, 1, 1 },
		  100,
		  { 10, 28, 31, 31 } },
		{ "one alone", 1, { 200 }, { 7 }, 100, { 100 } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		double got[4];

		rt_dwrr_expected(rows[i].offered, rows[i].weights, rows[i].count,
				 rows[i].capacity, got);
		for (size_t k = 0; k < rows[i].count; k++) {
			print_message("# %s: %.3f, wanted %.3f\n", rows[i].label,
				      got[k], rows[i].expected[k]);
			assert_true(fabs(got[k] - rows[i].expected[k]) < 1e-9);
		}
	}
}

static void test_three_offenders_are_told_and_the_rest_counted(void **state)
{
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_figures figures;
	struct rt_criteria criteria;
	struct rt_findings findings = { 0 };

	(void)state;
	assert_int_equal(parse("  - {name: none is lost, figure: lost, equals: 0}\n"
			       "  - {figure: lost, workload: a, equals: 5}\n",
			       &scenario, NULL),
			 0);
	rt_figures_init(&figures, &scenario);
	for (unsigned i = 0; i < 7; i++) {
		const struct rt_figure of = { .workload = "a",
					      .flow = RT_KNOWN_U64(i) };

		rt_figures_add(&figures, &of, RT_FIGURE_LOST, RT_KNOWN_F64(5));
	}
	assert_int_equal(rt_criteria_judge(&scenario, &figures, &criteria, NULL), 0);
	assert_int_equal(criteria.failed, 1);
	assert_int_equal(criteria.offender_count, 7);
	assert_string_equal(
		criteria.items[0].evidence,
		"lost of flow 0, workload a is 5, lost of flow 1, workload a "
		"is 5, lost of flow 2, workload a is 5, and 4 more");
	assert_int_equal(rt_rules_run(rt_criteria_rules, rt_criteria_rule_count,
				      &criteria, &findings, NULL),
			 0);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].severity, RT_SEVERITY_ERROR);
	assert_string_equal(findings.items[0].where, "check 1");
	assert_non_null(strstr(findings.items[0].evidence, "none is lost"));
	rt_findings_free(&findings);
	rt_criteria_free(&criteria);
	rt_figures_free(&figures);
}

/* All that are wrong are counted, and the first thousand listed; the value is the first's. */
static void test_offenders_beyond_the_list_are_counted(void **state)
{
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_figures figures;
	struct rt_criteria criteria;

	(void)state;
	assert_int_equal(parse("  - {figure: lost, equals: 0}\n", &scenario, NULL), 0);
	rt_figures_init(&figures, &scenario);
	for (unsigned i = 0; i <= RT_OFFENDERS_MAX; i++) {
		const struct rt_figure of = { .workload = "a",
					      .flow = RT_KNOWN_U64(i) };

		rt_figures_add(&figures, &of, RT_FIGURE_LOST, RT_KNOWN_F64(i + 1));
	}
	assert_int_equal(rt_criteria_judge(&scenario, &figures, &criteria, NULL), 0);
	assert_int_equal(criteria.items[0].wrong, RT_OFFENDERS_MAX + 1);
	assert_string_equal(criteria.items[0].value, "1");
	assert_int_equal(criteria.offender_count, RT_OFFENDERS_MAX);
	rt_criteria_free(&criteria);
	rt_figures_free(&figures);
}

/* Of the laws: host 1 sends 30 and what is left, host 2 all; weights of both queues. */
static void test_offered_loads_follow_rates_and_hosts(void **state)
{
	static const char text[] =
		"topology: {hosts: 3}\n"
		"workload:\n"
		"  - {name: a, senders: 2}\n"
		"  - {name: b, senders: 1, prio: 1, rate_share: 30%}\n"
		"checks: [{figure: offered, above: 0G}]\n";
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_fabric_config config;
	struct rt_figures figures;
	struct rt_err err = { 0 };
	double offered[2] = { 0 };

	(void)state;
	assert_int_equal(rt_scenario_parse("s", text, strlen(text), &scenario, &err),
			 0);
	rt_fabric_config_init(&config, &scenario);
	rt_figures_init(&figures, &scenario);
	assert_int_equal(rt_figures_add_laws(&figures, &scenario, &config, 3, &err), 0);
	assert_int_equal(figures.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(figures.items[i].host.value, 0);
		offered[figures.items[i].prio.value == 3] =
			figures.items[i].value.value;
	}
	assert_true(fabs(offered[0] - 30e9) < 1);
	assert_true(fabs(offered[1] - 170e9) < 1);
	rt_figures_free(&figures);
}

static void test_a_check_that_makes_no_sense_is_refused(void **state)
{
	static const struct {
		const char *label, *check, *said;
	} rows[] = {
		{ "no bound", "figure: lost", "check 1: lost: what must it be?" },
		{ "no figure", "equals: 3", "needs the key 'figure'" },
		{ "an unknown figure", "figure: losses, equals: 0",
		  "figure: unknown losses: did you mean" },
		{ "another unit", "figure: loss, equals: 3", "check 1: equals: " },
		{ "a figure of another unit", "figure: loss, equals: lost",
		  "lost is not in the unit of loss" },
		{ "dwrr of a flow", "figure: goodput, equals: dwrr",
		  "dwrr is what queue_rate" },
		{ "no such workload", "figure: lost, workload: c, equals: 0",
		  "no workload is called 'c'" },
		{ "a workload of a queue", "figure: queue_ce, workload: a, equals: 0",
		  "queue_ce is not of a workload" },
		{ "no such host", "figure: lost, host: 4, equals: 0",
		  "there is no host 4, only 0 to 3" },
		{ "a tolerance alone", "figure: lost, above: 3, within: 5%",
		  "within has no effect without equals" },
		{ "a tolerance of another unit", "figure: lost, equals: 3, within: 5us",
		  "check 1: " },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_scenario scenario;
		struct rt_err err = { 0 };
		char text[200];

		snprintf(text, sizeof(text), "  - {%s}\n", rows[i].check);
		assert_int_equal(parse(text, &scenario, &err), -EINVAL);
		print_message("# %s: %s\n", rows[i].label, err.msg);
		assert_non_null(strstr(err.msg, rows[i].said));
		assert_non_null(strstr(err.msg, "s.yaml:4:"));
	}
}

/* Shares of three flows, and of a port with two queues, where one number is missing. */
static void test_unknown_numbers_give_no_share(void **state)
{
	static const struct {
		const char *label;
		size_t flows;
		double first; /* goodput; the others have 2 Gb/s */
		bool unknown, row, known;
	} rows[] = {
		{ "all known", 3, 2e9, false, true, true },
		{ "one unknown", 3, 2e9, true, true, false },
		{ "one unknown and as good as 0", 3, 0, true, true, false },
		{ "one that stands", 3, 0, false, true, true },
		{ "one alone", 1, 2e9, false, false, false },
		{ "one alone stands", 1, 0, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
		const struct rt_figure of = { .workload = "a" };
		struct rt_figures figures;
		const struct rt_figure *last;
		struct rt_err err = { 0 };

		print_message("# --- %s\n", rows[i].label);
		assert_int_equal(
			parse("  - {figure: jain, above: 0}\n", &scenario, &err), 0);
		rt_figures_init(&figures, &scenario);
		for (size_t k = 0; k < rows[i].flows; k++)
			rt_figures_add(&figures, &of, RT_FIGURE_GOODPUT,
				       (struct rt_opt_f64){ k ? 2e9 : rows[i].first,
							    k || !rows[i].unknown });
		rt_figures_add_fairness(&figures, &scenario);
		last = &figures.items[figures.count - 1];
		assert_int_equal(last->id == RT_FIGURE_JAIN, rows[i].row);
		if (rows[i].row)
			assert_int_equal(last->value.known, rows[i].known);
		rt_figures_free(&figures);
	}
}

/* The verdict on queue 3 of fill(), without one number that its share is worked out of. */
static void test_a_share_by_weight_needs_all_its_numbers(void **state)
{
	static const struct {
		unsigned id, prio;
		bool known; /* the share, then */
	} rows[] = {
		{ RT_FIGURE_NONE, 0, true },       { RT_FIGURE_OFFERED, 1, false },
		{ RT_FIGURE_OFFERED, 3, false },   { RT_FIGURE_QUEUE_RATE, 5, false },
		{ RT_FIGURE_QUEUE_RATE, 1, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
		const struct rt_figure strict = { .host = RT_KNOWN_U64(0),
						  .prio = RT_KNOWN_U64(5) };
		struct rt_figures figures;
		struct rt_criteria criteria;
		struct rt_err err = { 0 };

		assert_int_equal(parse("  - {figure: queue_rate, prio: 3, equals: "
				       "dwrr, within: 9%}\n",
				       &scenario, &err),
				 0);
		rt_figures_init(&figures, &scenario);
		fill(&figures);
		rt_figures_add(&figures, &strict, RT_FIGURE_QUEUE_RATE,
			       RT_KNOWN_F64(0));
		for (size_t k = 0; k < figures.count; k++)
			if (figures.items[k].id == rows[i].id &&
			    figures.items[k].prio.value == rows[i].prio)
				figures.items[k].value.known = false;
		assert_int_equal(
			rt_criteria_judge(&scenario, &figures, &criteria, &err), 0);
		print_message("# %s: %s\n", criteria.items[0].wanted,
			      criteria.items[0].evidence);
		assert_int_equal(criteria.failed == 0, rows[i].known);
		rt_criteria_free(&criteria);
		rt_figures_free(&figures);
	}
}

/*
 * What queue 3 must have got beside queue 5, where both others offer 80 at 3 and 1 of
 * 100: a queue that is strict, or that nobody offers to, takes what it took.
 */
static void test_a_strict_queue_takes_what_it_took(void **state)
{
	static const struct {
		const char *label;
		struct rt_opt_f64 offered, weight, rate; /* of queue 5, in Gb/s */
		bool offers, weighs;                     /* it has such a figure */
		const char *wanted;
	} rows[] = {
		{ "strict",
		  { 90, true },
		  { 4, false },
		  { 20, true },
		  true,
		  true,
		  "60Gb/s" },
		{ "strict, and nobody says so",
		  { 90, true },
		  { 0, false },
		  { 20, true },
		  true,
		  false,
		  "60Gb/s" },
		{ "nobody offers to it",
		  { 0, false },
		  { 4, true },
		  { 20, true },
		  false,
		  true,
		  "60Gb/s" },
		{ "it took what is not known",
		  { 90, true },
		  { 4, false },
		  { 0, false },
		  true,
		  true,
		  "unknown" },
		{ "by weight",
		  { 90, true },
		  { 4, true },
		  { 20, true },
		  true,
		  true,
		  "37.5Gb/s" },
		{ "by weight, with less than its share",
		  { 20, true },
		  { 4, true },
		  { 0, false },
		  true,
		  true,
		  "60Gb/s" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
		const struct rt_figure of = { .host = RT_KNOWN_U64(0),
					      .prio = RT_KNOWN_U64(5) };
		const struct rt_opt_f64 offered = { rows[i].offered.value * 1e9,
						    rows[i].offered.known };
		const struct rt_opt_f64 rate = { rows[i].rate.value * 1e9,
						 rows[i].rate.known };
		struct rt_figures figures;
		struct rt_criteria criteria;
		struct rt_err err = { 0 };

		assert_int_equal(
			parse("  - {figure: queue_rate, prio: 3, equals: dwrr}\n",
			      &scenario, &err),
			0);
		rt_figures_init(&figures, &scenario);
		fill(&figures);
		rt_figures_add(&figures, &of, RT_FIGURE_QUEUE_RATE, rate);
		if (rows[i].offers)
			rt_figures_add(&figures, &of, RT_FIGURE_OFFERED, offered);
		if (rows[i].weighs)
			rt_figures_add(&figures, &of, RT_FIGURE_WEIGHT, rows[i].weight);
		assert_int_equal(
			rt_criteria_judge(&scenario, &figures, &criteria, &err), 0);
		print_message("# %s: %s\n", rows[i].label,
			      criteria.offenders[0].wanted);
		assert_int_equal(criteria.offender_count, 1);
		assert_string_equal(strrchr(criteria.offenders[0].wanted, ' ') + 1,
				    rows[i].wanted);
		rt_criteria_free(&criteria);
		rt_figures_free(&figures);
	}
}

/* A strict queue has no weight that would say what it gets. */
static void test_weights_of_strict_queues_are_unknown(void **state)
{
	(void)state;
	for (unsigned strict = 0; strict < 2; strict++) {
		RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
		struct rt_fabric_config config;
		struct rt_figures figures;
		struct rt_err err = { 0 };
		unsigned weights = 0;

		assert_int_equal(
			parse("  - {figure: weight, above: 0}\n", &scenario, &err), 0);
		rt_fabric_config_init(&config, &scenario);
		config.queues[3].weight = 7;
		config.queues[3].strict = strict;
		rt_figures_init(&figures, &scenario);
		assert_int_equal(
			rt_figures_add_laws(&figures, &scenario, &config, 4, &err), 0);
		for (size_t i = 0; i < figures.count; i++) {
			if (figures.items[i].prio.value != 3)
				continue;
			assert_int_equal(figures.items[i].value.known, !strict);
			if (!strict)
				assert_float_equal(figures.items[i].value.value, 7, 0);
			weights++;
		}
		assert_int_equal(weights, 1);
		rt_figures_free(&figures);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_strict_queue_takes_what_it_took),
	     cmocka_unit_test(test_weights_of_strict_queues_are_unknown),
	     cmocka_unit_test(test_each_relation_holds_and_fails),
	     cmocka_unit_test(test_unknown_numbers_give_no_share),
	     cmocka_unit_test(test_a_share_by_weight_needs_all_its_numbers),
	     cmocka_unit_test(test_nothing_to_look_at_is_a_failure),
	     cmocka_unit_test(test_a_share_by_weight_is_held_within_its_tolerance),
	     cmocka_unit_test(test_water_filling_gives_what_is_offered_or_a_share),
	     cmocka_unit_test(test_offenders_beyond_the_list_are_counted),
	     cmocka_unit_test(test_three_offenders_are_told_and_the_rest_counted),
	     cmocka_unit_test(test_offered_loads_follow_rates_and_hosts),
	     cmocka_unit_test(test_a_check_that_makes_no_sense_is_refused))
