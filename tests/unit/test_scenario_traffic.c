/* SPDX-License-Identifier: BSD-2-Clause */
/* Who sends in an outcast and a ring, and how flows are asked to send. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "model/fabric_config.h"
#include "model/workload.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

static int parse(const char *text, struct rt_scenario *scenario, struct rt_err *err)
{
	return rt_scenario_parse("s.yaml", text, strlen(text), scenario, err);
}

static void read_well(const char *text, struct rt_scenario *scenario)
{
	struct rt_err err = { 0 };
	const int r = parse(text, scenario, &err);

	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
}

static struct rt_flow_spec *flows_of(const struct rt_scenario *scenario, size_t *count)
{
	struct rt_flow_spec *flows;

	assert_int_equal(rt_workload_flows(scenario, scenario->topology.hosts, &flows,
					   count, NULL),
			 0);
	return flows;
}

static void test_an_outcast_goes_to_the_hosts_after_its_sender(void **state)
{
	RT_AUTO(rt_auto_free) struct rt_flow_spec *flows = NULL;
	struct rt_scenario scenario;
	size_t count;

	(void)state;
	read_well("topology: {hosts: 5}\n"
		  "workload: {kind: outcast, sender: 3, receivers: 3, qps: 2}\n",
		  &scenario);
	flows = flows_of(&scenario, &count);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(flows[i].from, 3);
		assert_int_equal(flows[i].to, (4 + i / 2) % 5);
	}
	rt_scenario_free(&scenario);
}

static void test_an_outcast_says_how_many_hosts_there_are(void **state)
{
	struct rt_scenario scenario;

	(void)state;
	read_well("workload: {kind: outcast, receivers: 6}\n", &scenario);
	assert_int_equal(scenario.topology.hosts, 7);
	rt_scenario_free(&scenario);
}

static void test_a_ring_goes_round(void **state)
{
	RT_AUTO(rt_auto_free) struct rt_flow_spec *flows = NULL;
	struct rt_scenario scenario;
	size_t count;

	(void)state;
	read_well("topology: {hosts: 4}\nworkload: {kind: ring}\n", &scenario);
	flows = flows_of(&scenario, &count);
	assert_int_equal(count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(flows[i].from, i);
		assert_int_equal(flows[i].to, (i + 1) % 4);
	}
	rt_scenario_free(&scenario);
}

static void test_flows_know_their_workload_and_their_end(void **state)
{
	RT_AUTO(rt_auto_free) struct rt_flow_spec *flows = NULL;
	struct rt_scenario scenario;
	size_t count;

	(void)state;
	read_well("topology: {hosts: 3}\n"
		  "workload:\n"
		  "  - {senders: 1, size: 5MB, message: 64KB}\n"
		  "  - {senders: 2, start: 2us, stagger: 1us, duration: 10us}\n"
		  "  - {senders: 1, size: 2GB}\n",
		  &scenario);
	flows = flows_of(&scenario, &count);
	assert_int_equal(count, 4);
	assert_int_equal(flows[0].workload, 0);
	assert_int_equal(flows[0].message_bytes, 64000);
	assert_int_equal(flows[0].stop_ps, 0);
	assert_int_equal(flows[2].workload, 1);
	assert_int_equal(flows[2].bytes, 0);
	assert_int_equal(flows[2].message_bytes, 65536);
	assert_int_equal(flows[2].start_ps, 3000000);
	assert_int_equal(flows[2].stop_ps, 13000000);
	/* A message is no longer than the standard's 2^31, here half of it. */
	assert_int_equal(flows[3].message_bytes, 1 << 30);
	rt_scenario_free(&scenario);
}

static void test_a_rate_is_payload_and_a_share_is_wire(void **state)
{
	struct rt_workload_spec spec = { .rate_bps = 7000000000 };

	(void)state;
	assert_int_equal(rt_workload_payload_bps(&spec, 100000000000, 1024, 1106),
			 7000000000);
	spec = (struct rt_workload_spec){ .rate_share_ppb = 300000000 };
	/* 30 Gb/s of frames with 1000 bytes of payload in 1200 of wire. */
	assert_int_equal(rt_workload_payload_bps(&spec, 100000000000, 1000, 1200),
			 25000000000);
	spec.rate_share_ppb = 0;
	assert_int_equal(rt_workload_payload_bps(&spec, 100000000000, 1000, 1200), 0);
}

static void test_what_contradicts_itself_is_refused_where_it_stands(void **state)
{
	static const struct {
		const char *label, *workload, *said;
	} rows[] = {
		{ "two rates", "rate: 1G, rate_share: 5%",
		  "s.yaml:2:22: workload 1: rate and rate_share: leave one out" },
		{ "class and priority", "class: x, prio: 3",
		  "s.yaml:2:22: workload 1: class and prio: leave one out" },
		{ "class and DSCP", "class: x, dscp: 3",
		  "s.yaml:2:22: workload 1: class and dscp: leave one out" },
		{ "messages of datagrams", "transport: none, message: 1KB",
		  "s.yaml:2:29: workload 1: message has no effect under transport" },
		{ "two ends", "size: 1KB, duration: 1ms",
		  "s.yaml:2:12: size and duration: a flow ends by one of the two" },
		{ "receivers of an incast", "receivers: 2",
		  "s.yaml:2:12: receivers: has no effect on a workload of this kind" },
		{ "too many receivers", "kind: outcast, receivers: 4",
		  "s.yaml:2:27: workload 1: 4 receivers and a sender do not fit 4" },
		{ "nobody sends", "kind: outcast, sender: 4",
		  "s.yaml:2:27: workload 1: there is no host 4 to send, only 0 to 3" },
		{ "a receiver of an outcast", "kind: outcast, receiver: 2",
		  "s.yaml:2:27: workload 1: receiver is for an incast, here a sender" },
		{ "an unknown op", "op: writ",
		  "op: unknown writ: did you mean write?" },
		{ "an unknown mark", "ecn: ect2", "ecn: unknown ect2: did you mean" },
		{ "too high a priority", "prio: 8", "prio: 8 is outside 0 to 7" },
		{ "too long for the simulator", "duration: 90s",
		  "s.yaml:2:12: 3.3e+09 packets, the most is" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char text[200];
		struct rt_scenario scenario;
		struct rt_err err = { 0 };

		snprintf(text, sizeof(text), "topology: {hosts: 4}\nworkload: {%s}\n",
			 rows[i].workload);
		assert_int_equal(parse(text, &scenario, &err), -EINVAL);
		print_message("# %s: %s\n", rows[i].label, err.msg);
		assert_non_null(strstr(err.msg, rows[i].said));
	}
}

/* A config of two classes beside the data's. */
static void two_classes(struct rt_fabric_config *config,
			const struct rt_scenario *scenario)
{
	rt_fabric_config_init(config, scenario);
	config->class_count = 2;
	config->classes[0] = (struct rt_fabric_class){ .name = "stor",
						       .dscp_mask = 1u << 4 | 1u << 5,
						       .dscp = 4,
						       .prio = 4,
						       .not_ect = true };
	config->classes[1] =
		(struct rt_fabric_class){ .name = "bulk", .prio = 1, .dscp = 8 };
}

static void test_marks_follow_class_priority_and_dscp(void **state)
{
	static const struct {
		const char *workload;
		struct rt_flow_marks marks;
	} rows[] = {
		{ "senders: 2", { 3, 26, RT_ECN_ECT0 } },
		{ "class: stor", { 4, 4, RT_ECN_NOT_ECT } },
		{ "class: stor, ecn: ect1", { 4, 4, RT_ECN_ECT1 } },
		{ "prio: 4", { 4, 4, RT_ECN_NOT_ECT } },
		{ "dscp: 5", { 4, 5, RT_ECN_NOT_ECT } },
		{ "dscp: 5, prio: 4, ecn: ect0", { 4, 5, RT_ECN_ECT0 } },
		{ "class: bulk", { 1, 8, RT_ECN_ECT0 } },
		{ "prio: 2", { 2, 16, RT_ECN_ECT0 } },
		{ "dscp: 43", { 5, 43, RT_ECN_ECT0 } },
		{ "prio: 3, ecn: not-ect", { 3, 26, RT_ECN_NOT_ECT } },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_scenario scenario;
		struct rt_fabric_config config;
		struct rt_flow_marks marks;
		struct rt_err err = { 0 };
		char text[200];

		snprintf(text, sizeof(text), "topology: {hosts: 4}\nworkload: {%s}\n",
			 rows[i].workload);
		read_well(text, &scenario);
		two_classes(&config, &scenario);
		print_message("# %s\n", rows[i].workload);
		assert_int_equal(
			rt_fabric_config_marks(&config, &scenario, 0, &marks, &err), 0);
		assert_int_equal(marks.prio, rows[i].marks.prio);
		assert_int_equal(marks.dscp, rows[i].marks.dscp);
		assert_int_equal(marks.ecn, rows[i].marks.ecn);
		rt_scenario_free(&scenario);
	}
}

static void test_marks_that_do_not_exist_are_refused(void **state)
{
	static const struct {
		const char *workload, *said;
		bool without;
	} rows[] = {
		{ "class: store", "has no class store, only stor, bulk", false },
		{ "class: stor", "class stor is of a profile, and there is none",
		  true },
		{ "dscp: 26, prio: 4", "DSCP 26 is of priority 3 here, not of 4",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_scenario scenario;
		struct rt_fabric_config config;
		struct rt_flow_marks marks;
		struct rt_err err = { 0 };
		char text[200];

		snprintf(text, sizeof(text), "topology: {hosts: 4}\nworkload: {%s}\n",
			 rows[i].workload);
		read_well(text, &scenario);
		two_classes(&config, &scenario);
		if (rows[i].without)
			config.class_count = 0;
		assert_int_equal(
			rt_fabric_config_marks(&config, &scenario, 0, &marks, &err),
			-EINVAL);
		print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, rows[i].said));
		rt_scenario_free(&scenario);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_an_outcast_goes_to_the_hosts_after_its_sender),
	     cmocka_unit_test(test_an_outcast_says_how_many_hosts_there_are),
	     cmocka_unit_test(test_a_ring_goes_round),
	     cmocka_unit_test(test_flows_know_their_workload_and_their_end),
	     cmocka_unit_test(test_a_rate_is_payload_and_a_share_is_wire),
	     cmocka_unit_test(test_what_contradicts_itself_is_refused_where_it_stands),
	     cmocka_unit_test(test_marks_follow_class_priority_and_dscp),
	     cmocka_unit_test(test_marks_that_do_not_exist_are_refused), )
