/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulator obeys what a workload says of how its flows send. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "rocetune/err.h"
#include "rocetune/sim.h"

static int try_simulate(const char *text, struct rt_sim_result *result,
			struct rt_err *err)
{
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	int r = rt_scenario_parse("test", text, strlen(text), &scenario, err);

	assert_int_equal(r, 0);
	return rt_sim_run(&scenario, NULL, NULL, result, err);
}

static void simulate(const char *text, struct rt_sim_result *result)
{
	struct rt_err err = { 0 };
	const int r = try_simulate(text, result, &err);

	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
}

static void assert_near(double value, double wanted, double share)
{
	print_message("# %.6g, wanted %.6g\n", value, wanted);
	assert_true(fabs(value - wanted) <= share * fabs(wanted));
}

static const struct rt_sim_queue *queue_of(const struct rt_sim_result *result,
					   const char *port, unsigned prio)
{
	for (size_t i = 0; i < result->queue_count; i++)
		if (strcmp(result->queues[i].port, port) == 0 &&
		    result->queues[i].prio == prio)
			return &result->queues[i];
	return NULL;
}

/* --- rates ------------------------------------------------------------------ */

static void test_a_rate_is_kept(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("duration: 2ms\n"
		 "workload: {senders: 2, size: 1GB, rate: 7G}\n",
		 &result);
	for (size_t i = 0; i < 2; i++)
		assert_near((double)result.flows[i].throughput_bps, 7e9, 0.002);
	rt_sim_result_free(&result);
}

/* Each waits for the others at its host's port, and makes up for that. */
static void test_shares_of_one_port_are_kept_side_by_side(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("topology: {hosts: 4}\nduration: 2ms\n"
		 "workload:\n"
		 "  - {kind: outcast, rate_share: 30%, size: 1GB, prio: 1}\n"
		 "model: {options: [no_cc]}\n",
		 &result);
	assert_int_equal(result.queue_count, 4); /* and the ACKs on the way back */
	for (unsigned port = 1; port < 4; port++) {
		char name[8];

		snprintf(name, sizeof(name), "s0p%u", port);
		assert_near(queue_of(&result, name, 1)->share_pct.value, 30, 0.002);
	}
	rt_sim_result_free(&result);
}

/* --- datagrams ---------------------------------------------------------------- */

/*
 * 2 * 60 of 100 per cent go in and 100 come out: a sixth is lost, but for what the
 * buffer holds, 1 of 12.5 MB.
 */
static void test_datagrams_are_lost_by_the_share_that_is_too_much(void **state)
{
	struct rt_sim_result result;
	uint64_t sent = 0, lost = 0, delivered = 0;

	(void)state;
	simulate("workload: {senders: 2, rate_share: 60%, duration: 5ms,\n"
		 "           transport: none, prio: 1}\n"
		 "model: {buffer: 2MB, headroom: 20KB}\n",
		 &result);
	assert_int_equal(result.flows_done, 2);
	for (size_t i = 0; i < 2; i++) {
		sent += result.flows[i].packets_sent;
		lost += result.flows[i].lost;
		delivered += result.flows[i].delivered_bytes;
		assert_int_equal(result.flows[i].resent, 0);
		assert_int_equal(result.flows[i].naks, 0);
	}
	assert_true(delivered == (sent - lost) * 1024);
	assert_true(lost == result.drops);
	assert_true(queue_of(&result, "s0p0", 1)->drops == lost);
	assert_near((double)lost / (double)sent, 1.0 / 6, 0.09);
	assert_near(result.flows[1].loss_pct.value, result.flows[0].loss_pct.value,
		    0.1);
	assert_near(result.flows[0].loss_pct.value,
		    100.0 * (double)result.flows[0].lost /
			    (double)result.flows[0].packets_sent,
		    1e-9);
	rt_sim_result_free(&result);
}

/* --- messages and ends -------------------------------------------------------- */

/*
 * One message of 16 packets in flight: it takes their time and a round trip; no rate is
 * in the way.
 */
static void test_outstanding_messages_bound_a_flow(void **state)
{
	struct rt_sim_result result;
	double message_ps, one_bps;

	(void)state;
	simulate("topology: {delay: 10us}\n"
		 "workload: {senders: 1, size: 1MB, message: 16KiB, outstanding: 1}\n",
		 &result);
	/* 16 * 1106 + 16 bytes at 100 Gb/s, a last one through the switch, two ways. */
	message_ps = (16 * 1106 + 16) * 80 + 1106 * 80 + 4 * 10e6 + 2 * 86 * 80;
	one_bps = 16384 * 8 / (message_ps * 1e-12);
	assert_near((double)result.flows[0].throughput_bps, one_bps, 0.02);
	rt_sim_result_free(&result);
	simulate("topology: {delay: 10us}\n"
		 "workload: {senders: 1, size: 1MB, message: 16KiB, outstanding: 3}\n",
		 &result);
	assert_near((double)result.flows[0].throughput_bps, 3 * one_bps, 0.06);
	rt_sim_result_free(&result);
}

/* Messages of 2.5 packets: the last of each is short, and nothing else is. */
static void test_messages_are_sent_whole(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 1, size: 25600B, message: 2560B}\n", &result);
	assert_int_equal(result.flows[0].packets_sent, 30);
	assert_int_equal(result.flows[0].delivered_bytes, 25600);
	/* Ten of 1024 + 62 + 16, 1024 + 62 and 512 + 62. */
	assert_int_equal(result.ports[1].tx.bytes,
			 10 * (1024 + 62 + 16 + 1024 + 62 + 512 + 62));
	rt_sim_result_free(&result);
}

/* Ten messages of three packets: a RETH on the first, immediate data on the last. */
static void test_ops_have_headers_of_their_own(void **state)
{
	static const struct {
		const char *op;
		uint32_t first, last;
	} rows[] = { { "write", 16, 0 }, { "write-imm", 16, 4 }, { "send", 0, 0 } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_sim_result result;
		char text[100];

		snprintf(text, sizeof(text),
			 "workload: {senders: 1, size: 30KB, message: 3KB, op: %s}\n",
			 rows[i].op);
		simulate(text, &result);
		assert_int_equal(result.ports[1].tx.data, 30);
		assert_int_equal(result.ports[1].tx.bytes,
				 10 * (3000 + 3 * 62 + rows[i].first + rows[i].last));
		rt_sim_result_free(&result);
	}
}

static void test_a_duration_ends_with_a_whole_message(void **state)
{
	struct rt_sim_result result;
	const struct rt_sim_flow *flow;

	(void)state;
	simulate("workload: {senders: 3, duration: 50us, message: 3000B, stagger: "
		 "5us}\n",
		 &result);
	assert_int_equal(result.flows_done, 3);
	for (size_t i = 0; i < 3; i++) {
		flow = &result.flows[i];
		assert_int_equal(flow->bytes % 3000, 0);
		assert_true(flow->bytes > 0);
		assert_int_equal(flow->delivered_bytes, flow->bytes);
		assert_true(flow->completion_ps.value >= 50000000);
		assert_true(flow->completion_ps.value < 250000000);
	}
	rt_sim_result_free(&result);
}

static void test_an_end_before_the_flow_could_send_is_an_end(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload:\n"
		 "  - {senders: 1, size: 1MB}\n"
		 "  - {senders: 2, duration: 1ns, transport: none}\n",
		 &result);
	assert_true(result.finished);
	assert_int_equal(result.flows_done, 3);
	rt_sim_result_free(&result);
}

/* --- classes ------------------------------------------------------------------ */

static void test_what_is_not_ect_is_not_marked(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload:\n"
		 "  - {senders: 4, size: 1MB, ecn: not-ect}\n"
		 "  - {senders: 4, size: 1MB}\n",
		 &result);
	for (size_t i = 0; i < 8; i++) {
		assert_true((result.flows[i].marked > 0) == (i >= 4));
		assert_true((result.flows[i].cnps_sent > 0) == (i >= 4));
	}
	rt_sim_result_free(&result);
}

/* The data priority is under PFC, the others are not; each has its own queue. */
static void test_priorities_do_not_share_their_fate(void **state)
{
	struct rt_sim_result result;
	uint64_t lossless = 0, lossy = 0;

	(void)state;
	simulate("workload:\n"
		 "  - {name: kept, senders: 4, size: 2MB}\n"
		 "  - {name: lost, senders: 4, size: 2MB, prio: 1}\n"
		 "duration: 1ms\n"
		 "model: {options: [no_cc], buffer: 1MB, headroom: 40KB, retries: "
		 "100}\n",
		 &result);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(result.flows[i].workload, "kept");
		assert_int_equal(result.flows[i].prio.value, 3);
		lossless += result.flows[i].lost;
	}
	for (size_t i = 4; i < 8; i++) {
		assert_int_equal(result.flows[i].prio.value, 1);
		lossy += result.flows[i].lost;
	}
	assert_int_equal(lossless, 0);
	assert_true(lossy > 0);
	assert_true(result.pause_count > 0);
	for (size_t i = 0; i < result.pause_count; i++)
		assert_int_equal(result.pauses[i].prio, 3);
	assert_true(queue_of(&result, "s0p0", 3)->lossless);
	assert_false(queue_of(&result, "s0p0", 1)->lossless);
	rt_sim_result_free(&result);
}

static void test_acks_may_have_a_priority(void **state)
{
	struct rt_sim_result result;
	uint64_t acks = 0;

	(void)state;
	simulate("workload: {senders: 4, size: 1MB}\nmodel: {ack_prio: 5}\n", &result);
	for (size_t i = 0; i < result.queue_count; i++) {
		assert_true((result.queues[i].ack > 0) == (result.queues[i].prio == 5));
		acks += result.queues[i].ack;
	}
	/* As many as the receiver sent. */
	assert_true(acks > 0);
	assert_true(acks == result.ports[0].tx.ack);
	rt_sim_result_free(&result);
}

/* A packet of 1024 + 62 over two cables and a switch: nothing is in the way. */
static void test_latency_is_from_first_bit_to_last(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 1, size: 100KB, rate: 1G, victim: true}\n",
		 &result);
	assert_true(result.flows[0].victim);
	assert_int_equal(result.flows[0].latency_min_ns.value,
			 (2 * (8 + 672 + 62) * 80 + 2000000) / 1000);
	assert_int_equal(result.flows[0].latency_max_ns.value,
			 (2 * (8 + 1024 + 62 + 16) * 80 + 2000000) / 1000);
	rt_sim_result_free(&result);
}

static void test_what_is_not_simulated_is_refused(void **state)
{
	struct rt_sim_result result;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(
		try_simulate("workload: {senders: 2, op: read}\n", &result, &err),
		-EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "op read is not simulated"));
	assert_int_equal(
		try_simulate("workload: {senders: 2, outstanding: 2}\n", &result, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "a flow that is one message: set message"));
	assert_int_equal(try_simulate("workload: {senders: 2, prio: 1}\n"
				      "model: {options: [ns3_order]}\n",
				      &result, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "under option ns3_order"));
}

/* A scenario of one priority counts no queues: nothing is slower for it. */
static void test_plain_scenarios_have_no_queues(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 2, size: 100KB}\n", &result);
	assert_int_equal(result.queue_count, 0);
	assert_false(result.flows[0].prio.known);
	assert_false(result.flows[0].latency_min_ns.known);
	rt_sim_result_free(&result);
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_rate_is_kept),
	     cmocka_unit_test(test_shares_of_one_port_are_kept_side_by_side),
	     cmocka_unit_test(test_datagrams_are_lost_by_the_share_that_is_too_much),
	     cmocka_unit_test(test_outstanding_messages_bound_a_flow),
	     cmocka_unit_test(test_messages_are_sent_whole),
	     cmocka_unit_test(test_a_duration_ends_with_a_whole_message),
	     cmocka_unit_test(test_ops_have_headers_of_their_own),
	     cmocka_unit_test(test_an_end_before_the_flow_could_send_is_an_end),
	     cmocka_unit_test(test_what_is_not_ect_is_not_marked),
	     cmocka_unit_test(test_priorities_do_not_share_their_fate),
	     cmocka_unit_test(test_acks_may_have_a_priority),
	     cmocka_unit_test(test_latency_is_from_first_bit_to_last),
	     cmocka_unit_test(test_what_is_not_simulated_is_refused),
	     cmocka_unit_test(test_plain_scenarios_have_no_queues), )
