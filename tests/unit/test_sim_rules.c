/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run is said to be: the rules over results, made by real runs. */
#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "base/own.h"
#include "model/finding.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"
#include "rocetune/sim.h"
#include "run/sim_rules.h"

struct judged {
	struct rt_sim_result result;
	struct rt_findings findings;
};

static void judge(const char *text, struct judged *judged)
{
	struct rt_scenario scenario;
	struct rt_err err = { 0 };
	int r = rt_scenario_parse("test", text, strlen(text), &scenario, &err);

	*judged = (struct judged){ 0 };
	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	assert_int_equal(rt_sim_run(&scenario, NULL, NULL, &judged->result, &err), 0);
	assert_int_equal(rt_rules_run(rt_sim_rules, rt_sim_rule_count, &judged->result,
				      &judged->findings, &err),
			 0);
	for (size_t i = 0; i < judged->findings.count; i++)
		print_message("# %s at %s: %s\n", judged->findings.items[i].id,
			      judged->findings.items[i].where,
			      judged->findings.items[i].evidence);
}

static void forget(struct judged *judged)
{
	rt_findings_free(&judged->findings);
	rt_sim_result_free(&judged->result);
}

static const struct rt_finding *found(const struct judged *judged, const char *id)
{
	for (size_t i = 0; i < judged->findings.count; i++)
		if (strcmp(judged->findings.items[i].id, id) == 0)
			return &judged->findings.items[i];
	return NULL;
}

#define INCAST_3US                               \
	"topology: {hosts: 17, delay: 3us}\n"    \
	"workload: {senders: 16, size: 500KB}\n" \
	"model: {buffer: 2MB, options: [no_cc], headroom: "

static void test_lossless_drops_are_an_error_with_the_headroom(void **state)
{
	const struct rt_sim_loss *worst;
	const struct rt_finding *finding;
	struct judged judged;

	(void)state;
	judge(INCAST_3US "4KB}\n", &judged);
	worst = &judged.result.losses[0];
	assert_true(judged.result.loss_count > 1);
	assert_true(worst->lossless);
	assert_true(worst->frames >= judged.result.losses[1].frames);
	assert_int_equal(worst->headroom_bytes.value, 4000);
	assert_true(worst->headroom_asked_bytes.value > 4000);
	/*
	 * 100 Gb/s, 2 * 3 us of cable and 307.2 ns of reaction: 78,840 bytes; three
	 * frames of 1024 + 62 + 20 bytes; a pause frame of 64.
	 */
	assert_int_equal(worst->headroom_needed_bytes.value, 78840 + 3 * 1106 + 64);
	finding = found(&judged, "sim-lossless-drops");
	assert_non_null(finding);
	assert_int_equal(finding->severity, RT_SEVERITY_ERROR);
	assert_non_null(strstr(finding->where, " priority 3"));
	assert_non_null(strstr(finding->evidence, "headroom is 4KB"));
	assert_non_null(strstr(finding->evidence, "needs about 82222B"));
	assert_null(found(&judged, "sim-drops"));
	forget(&judged);
}

/* What no headroom at all refuses before it has said XOFF asked for none. */
static void test_no_headroom_asks_for_no_more_than_the_link_holds(void **state)
{
	struct judged judged;

	(void)state;
	judge(INCAST_3US "0}\n", &judged);
	assert_true(judged.result.drops > 0);
	for (size_t i = 0; i < judged.result.loss_count; i++) {
		const struct rt_sim_loss *loss = &judged.result.losses[i];

		assert_int_equal(loss->headroom_bytes.value, 0);
		assert_true(loss->headroom_asked_bytes.value <=
			    loss->headroom_needed_bytes.value);
	}
	forget(&judged);
}

/* What is said to be needed is enough, and what was asked for hardly less. */
static void test_the_headroom_needed_is_enough(void **state)
{
	struct judged judged;

	(void)state;
	judge(INCAST_3US "82222B}\n", &judged);
	assert_int_equal(judged.result.drops, 0);
	assert_int_equal(judged.result.loss_count, 0);
	assert_true(judged.result.headroom_max_bytes > 82222 - 4 * 1106);
	assert_null(found(&judged, "sim-lossless-drops"));
	forget(&judged);
	judge(INCAST_3US "75KB}\n", &judged);
	assert_true(judged.result.drops > 0);
	forget(&judged);
}

/* Flows of several sizes, or one after the other, are not judged; alike ones are. */
static void test_only_alike_flows_are_judged_for_fairness(void **state)
{
	static const struct {
		const char *label, *text;
		bool judged;
	} cases[] = {
		{ "many sizes",
		  "topology: {hosts: 8}\n"
		  "workload: {kind: poisson, load: 50%, arrivals: 200,\n"
		  "  size_cdf: hadoop}\n",
		  false },
		{ "two workloads",
		  "topology: {hosts: 8}\nworkload:\n"
		  "  - {kind: incast, senders: 6, size: 300KB}\n"
		  "  - {kind: flows, flows: [{from: 1, to: 2, size: 300KB}]}\n",
		  false },
		{ "one after the other",
		  "topology: {hosts: 8}\nworkload: {kind: flows, flows: [\n"
		  "  {from: 1, to: 0, size: 1KB}, {from: 1, to: 0, size: 1KB,\n"
		  "  start: 1ms}]}\n",
		  false },
		{ "a parking lot",
		  "topology: {hosts: 8}\nworkload: {kind: flows, flows: [\n"
		  "  {from: 1, to: 0, size: 1MB}, {from: 2, to: 0, size: 1MB},\n"
		  "  {from: 3, to: 0, size: 1MB}, {from: 4, to: 0, size: 1MB},\n"
		  "  {from: 5, to: 6, size: 1MB}]}\nmodel: {options: [no_cc]}\n",
		  true },
	};
	struct judged judged;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		print_message("# %s\n", cases[i].label);
		judge(cases[i].text, &judged);
		assert_int_equal(judged.result.jain_judged, cases[i].judged);
		assert_int_equal(found(&judged, "sim-unfair") != NULL,
				 cases[i].judged);
		forget(&judged);
	}
}

static void test_drops_without_pfc_speak_of_no_headroom(void **state)
{
	const struct rt_finding *finding;
	struct judged judged;

	(void)state;
	judge("workload: {senders: 16, size: 500KB}\n"
	      "model: {options: [no_pfc, no_ecn, no_cc], buffer: 500KB}\n",
	      &judged);
	assert_false(judged.result.losses[0].lossless);
	assert_false(judged.result.losses[0].headroom_bytes.known);
	assert_false(judged.result.losses[0].headroom_needed_bytes.known);
	finding = found(&judged, "sim-drops");
	assert_non_null(finding);
	assert_int_equal(finding->severity, RT_SEVERITY_WARN);
	assert_null(strstr(finding->remedy, "headroom"));
	assert_null(strstr(finding->evidence, "headroom"));
	assert_null(found(&judged, "sim-lossless-drops"));
	forget(&judged);
}

static void test_long_pauses_are_found_and_stand_first(void **state)
{
	const struct rt_sim_result *result;
	const struct rt_finding *finding;
	struct judged judged;
	uint64_t sum_ns = 0;

	(void)state;
	judge("workload: {senders: 8, size: 1MB}\n"
	      "model: {options: [no_cc], buffer: 2MB}\n",
	      &judged);
	result = &judged.result;
	for (size_t i = 0; i < result->pause_count; i++) {
		const struct rt_sim_pause *pause = &result->pauses[i];
		const bool paused = pause->direction == RT_SIM_PAUSED_BY_PEER;

		assert_int_equal(pause->pauses.known, paused);
		assert_int_equal(pause->stopped_ns.known, paused);
		assert_int_equal(pause->share_pct.known, paused);
		sum_ns += pause->stopped_ns.value;
		if (i == 0)
			continue;
		assert_true(pause->direction >= pause[-1].direction);
		if (pause->direction == pause[-1].direction)
			assert_true(paused ? pause->stopped_ns.value <=
						     pause[-1].stopped_ns.value
					   : pause->asked_ns <= pause[-1].asked_ns);
	}
	assert_true(sum_ns == result->paused_ns);
	assert_string_equal(result->longest_paused_port, result->pauses[0].port);
	assert_int_equal(result->longest_paused_prio.value, 3);
	assert_true(result->longest_paused_ns == result->pauses[0].stopped_ns.value);
	assert_true(result->longest_paused_pct > 1 && result->longest_paused_pct < 100);
	finding = found(&judged, "sim-pause-share");
	assert_non_null(finding);
	assert_memory_equal(finding->where, result->longest_paused_port,
			    strlen(result->longest_paused_port));
	rt_findings_sort(&judged.findings);
	rt_sim_write_verdict(&judged.findings, &judged.result);
	assert_non_null(strstr(result->verdict, "0 wrong, "));
	assert_non_null(strstr(result->verdict, judged.findings.items[0].title));
	forget(&judged);
}

static void test_a_quiet_run_has_nothing_wrong(void **state)
{
	struct judged judged;

	(void)state;
	judge("workload: {senders: 1, size: 100KB}\n", &judged);
	assert_int_equal(judged.findings.count, 0);
	assert_string_equal(judged.result.longest_paused_port, "");
	assert_false(judged.result.longest_paused_prio.known);
	rt_sim_write_verdict(&judged.findings, &judged.result);
	assert_string_equal(judged.result.verdict, "nothing wrong");
	forget(&judged);
}

RT_UNIT_MAIN(cmocka_unit_test(test_lossless_drops_are_an_error_with_the_headroom),
	     cmocka_unit_test(test_no_headroom_asks_for_no_more_than_the_link_holds),
	     cmocka_unit_test(test_the_headroom_needed_is_enough),
	     cmocka_unit_test(test_only_alike_flows_are_judged_for_fairness),
	     cmocka_unit_test(test_drops_without_pfc_speak_of_no_headroom),
	     cmocka_unit_test(test_long_pauses_are_found_and_stand_first),
	     cmocka_unit_test(test_a_quiet_run_has_nothing_wrong))
