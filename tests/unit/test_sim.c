/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "fabric/fabric.h"
#include "rocetune/err.h"
#include "rocetune/sim.h"

/* Run a scenario given as text; run NULL: through the public call. */
static void simulate(const char *text, const struct rt_fabric_run *run,
		     struct rt_sim_result *result)
{
	RT_AUTO(rt_scenario_free) struct rt_scenario scenario = { 0 };
	struct rt_fabric_config config;
	struct rt_err err = { 0 };
	int r = rt_scenario_parse("test", text, strlen(text), &scenario, &err);

	print_message("# %s\n", err.msg);
	assert_int_equal(r, 0);
	if (run) {
		rt_fabric_config_init(&config, &scenario);
		assert_int_equal(rt_fabric_config_model(&config, &scenario, &err), 0);
		assert_int_equal(rt_fabric_run(&scenario, &config, run, result, &err),
				 0);
	} else {
		assert_int_equal(rt_sim_run(&scenario, NULL, NULL, result, &err), 0);
	}
	rt_scenario_free(&scenario);
}

#define HPCC_MODEL                                                       \
	"truncated_serialisation, pause_on_off, ack_high_prio]\n"        \
	"  wire: hpcc\n  mtu: 1000\n  ack_packets: 1\n  buffer: 32MiB\n" \
	"  headroom: 37500B\n  reserve: 4096B\n  xon_offset: 3072B\n"

/* --- times worked out by hand ------------------------------------------- */

static void test_times_of_few_packets_are_exact(void **state)
{
	static const struct {
		const char *label, *text;
		uint64_t last_ps;
	} cases[] = {
		/* 83 and 4 ns a hop for 1048 and 60 bytes, 1000 ns a cable. */
		{ "hpcc, one packet: 2 * 1083 + 2 * 1004 ns",
		  "workload: {senders: 1, size: 1000B}\n"
		  "model:\n  options: [no_cc, no_ecn, " HPCC_MODEL,
		  4174000 },
		{ "hpcc, 100 packets: 4174 + 99 * 83 ns",
		  "workload: {senders: 1, size: 100000B}\n"
		  "model:\n  options: [no_cc, no_ecn, " HPCC_MODEL,
		  12391000 },
		/*
		 * 80 ps a byte. WRITE Only: 8 + 1024 + 62 + 16 = 1110 bytes to the
		 * last bit, 88,800 ps; ACK: 8 + 66 bytes, 5,920 ps; four cables.
		 */
		{ "Ethernet, one packet", "workload: {senders: 1, size: 1024B}\n",
		  4189440 },
		/*
		 * WRITE First keeps the link for 1122 bytes, 89,760 ps; WRITE Last
		 * (1094 bytes to its last bit, 87,520 ps) is at the switch 1,280 ps
		 * before the first has left it, waits, and takes two cables more:
		 * 1,000,000 + 88,800 + 89,760 + 1,000,000 + 87,520; then the ACK.
		 */
		{ "Ethernet, two packets", "workload: {senders: 1, size: 2048B}\n",
		  1000000 + 88800 + 89760 + 1000000 + 87520 + 2 * 1005920 },
		/* One byte is padded to four: 8 + 4 + 78 bytes, 7,200 ps. */
		{ "Ethernet, one byte", "workload: {senders: 1, size: 1B}\n",
		  2 * 1007200 + 2 * 1005920 },
		/* Four hops: host, leaf, spine (400G: 22,200 ps), leaf. */
		{ "leaf-spine, one packet",
		  "topology: {kind: leaf-spine, hosts: 1, leaves: 2, spines: 1,\n"
		  "           fabric_speed: 400G}\nworkload: {senders: 1, size: "
		  "1024B}\n",
		  8 * 1000000 + 2 * 88800 + 2 * 22200 + 2 * 5920 + 2 * 1480 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_sim_result result;

		simulate(cases[i].text, NULL, &result);
		print_message("# %s: %llu ps\n", cases[i].label,
			      (unsigned long long)result.last_completion_ps.value);
		assert_true(result.finished);
		assert_true(result.last_completion_ps.known);
		assert_true(result.last_completion_ps.value == cases[i].last_ps);
		rt_sim_result_free(&result);
	}
}

/* Kept busy without loss, a receiver's link ends at N * P packets, whatever happens. */
static void test_lossless_incast_is_work_conserving(void **state)
{
	static const struct {
		unsigned senders, packets;
	} cases[] = { { 2, 10000 }, { 7, 2000 }, { 32, 1000 } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_sim_result result;
		char text[500];

		snprintf(text, sizeof(text),
			 "workload: {senders: %u, size: %u000B}\n"
			 "model:\n  options: [no_cc, no_ecn, " HPCC_MODEL,
			 cases[i].senders, cases[i].packets);
		simulate(text, NULL, &result);
		assert_true(result.last_completion_ps.value ==
			    (UINT64_C(83) * cases[i].senders * cases[i].packets +
			     4091) * 1000);
		assert_true(result.drops == 0 && result.resent == 0);
		assert_true(result.pfc_xoff == result.pfc_xon);
		rt_sim_result_free(&result);
	}
}

/* --- loss and no loss --------------------------------------------------- */

static void check_all_delivered(const struct rt_sim_result *result)
{
	assert_true(result->finished);
	for (size_t i = 0; i < result->flows_listed; i++) {
		assert_true(result->flows[i].completion_ps.known);
		assert_true(result->flows[i].delivered_bytes == result->flows[i].bytes);
	}
}

static void test_lossless_class_loses_nothing(void **state)
{
	static const char *const texts[] = {
		"workload: {senders: 24, size: 300KB}\nmodel: {buffer: 1MB, headroom: "
		"32KB,\n"
		"  reserve: 2KB}\n",
		"workload: {senders: 24, size: 300KB}\nmodel:\n  options: [no_cc, "
		"no_ecn]\n"
		"  buffer: 1MB\n  headroom: 32KB\n  reserve: 2KB\n",
		"topology: {kind: leaf-spine, hosts: 4, leaves: 3, spines: 2}\n"
		"workload: {kind: alltoall, size: 100KB}\n"
		"model: {buffer: 600KB, headroom: 32KB, reserve: 2KB}\n",
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(texts); i++) {
		struct rt_sim_result result;

		simulate(texts[i], NULL, &result);
		check_all_delivered(&result);
		assert_true(result.pfc_xoff > 0);
		assert_true(result.paused_ns > 0);
		assert_true(result.drops == 0);
		assert_true(result.resent == 0 && result.naks == 0);
		rt_sim_result_free(&result);
	}
}

static void test_lossy_class_recovers_by_going_back(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 16, size: 500KB}\n"
		 "model:\n  options: [no_pfc, no_ecn, no_cc]\n  buffer: 500KB\n",
		 NULL, &result);
	check_all_delivered(&result);
	assert_true(result.drops > 0);
	assert_true(result.resent > 0);
	assert_true(result.naks > 0);
	assert_true(result.pfc_xoff == 0);
	/* Everything lost or thrown away by the receiver was sent again. */
	assert_true(result.packets_sent == 16 * 489 + result.resent);
	assert_true(result.resent >= result.drops);
	rt_sim_result_free(&result);
}

/* A lost tail has nothing behind it that could provoke a NAK. */
static void test_lost_tail_is_found_by_time_out(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate(
		"workload: {senders: 12, size: 20KB}\n"
		"model: {options: [no_pfc, no_ecn, no_cc], buffer: 60KB, rto: 100us}\n",
		NULL, &result);
	check_all_delivered(&result);
	assert_true(result.timeouts > 0);
	rt_sim_result_free(&result);
}

/* A window of one round trip: go-back-N resends what arrived, selective repeat does not. */
static void test_selective_repeat_resends_what_was_lost(void **state)
{
	static const char *const options[] = { "", ", selective_repeat" };
	struct rt_sim_result results[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char text[400];

		snprintf(
			text, sizeof(text),
			"topology: {kind: leaf-spine, hosts: 8, leaves: 2, spines: 2}\n"
			"workload: {kind: alltoall, size: 50KB}\n"
			"model: {options: [no_pfc, no_ecn, no_cc%s], window: 60KB,\n"
			"  buffer: 300KB, rto: 500us}\n",
			options[i]);
		simulate(text, NULL, &results[i]);
		check_all_delivered(&results[i]);
		assert_true(results[i].drops > 0 && results[i].resent > 0);
	}
	/* Lost ACKs are drops too, and time-outs resend what had arrived. */
	assert_true(results[1].resent < results[1].drops + results[1].drops / 2);
	assert_true(results[0].resent > 2 * results[1].resent);
	rt_sim_result_free(&results[0]);
	rt_sim_result_free(&results[1]);
}

/*
 * Without ECN a receiver's link never idles, PFC or not: 1088.8 + 32 (89.76 + 999 * 88.48)
 * - 0.96 + 1000 + 2011.84 ns.  After the frame that asks for XOFF come those that arrive
 * while it travels, the peer reacts and the cable empties, (5.76 + 1000 + 307.2 + 1000) /
 * 88.48 = 26, and one that had begun: 28 of 1086 bytes, give or take one.
 */
static void test_pfc_alone_stops_what_the_sums_say(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 32, size: 1024000B}\n"
		 "model: {options: [no_ecn]}\n",
		 NULL, &result);
	check_all_delivered(&result);
	assert_true(result.last_completion_ps.value == 2835500640);
	assert_true(result.pfc_xoff > 0 && result.drops == 0);
	assert_in_range(result.headroom_max_bytes, 27 * 1086, 29 * 1086);
	rt_sim_result_free(&result);
}

/*
 * Rates of half the line at least keep 16 flows above Kmax from 10.94 us on, until the last
 * 1474 packets of 88.48 ns.  All are marked, each flow's at most 2.83 us apart, and so is
 * told every 4 to 6.83 us.
 */
static void test_a_cnp_every_four_microseconds_is_the_default(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 16, size: 1024000B}\nmodel: {min_rate: 50G}\n",
		 NULL, &result);
	check_all_delivered(&result);
	assert_in_range(result.marks, 14427, 15607);
	for (size_t i = 0; i < 16; i++)
		assert_in_range(result.flows[i].cnps_sent, 187, 355);
	rt_sim_result_free(&result);
}

#define RTO_PS UINT64_C(4194304000) /* 4096 ns * 2^10 */

/*
 * Two windows of 30 packets on one link, whose round trip holds 47, and twice a burst of
 * 31 more into 42 KB of buffer.  The long flows learn of every loss from a NAK, so they
 * wait for no time-out; what was lost is resent and nothing else, and the queue never runs
 * dry for long: 2 * 1954 + 62 packets of 88.48 ns and a round trip of 4.19 us are 355.5
 * us.  A burst whose tail is lost waits for one time-out.
 */
static void test_naks_alone_recover_what_is_not_a_tail(void **state)
{
	uint64_t naks = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 4; seed++) {
		struct rt_sim_result result;
		char text[600];

		snprintf(text, sizeof(text),
			 "seed: %u\ntopology: {hosts: 8}\nworkload:\n"
			 "  - {kind: incast, senders: 2, size: 2MB, jitter: 100ns}\n"
			 "  - {kind: flows, start: 100us,\n"
			 "     flows: [{from: 3, to: 0, size: 31KB}]}\n"
			 "  - {kind: flows, start: 200us,\n"
			 "     flows: [{from: 3, to: 0, size: 31KB}]}\n"
			 "model: {options: [no_pfc, no_cc, selective_repeat],\n"
			 "  window: 30KB, buffer: 42KB, buffer_alpha: 1, ack_packets: "
			 "1}\n",
			 seed);
		simulate(text, NULL, &result);
		check_all_delivered(&result);
		assert_true(result.drops > 50 && result.resent == result.drops);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(result.flows[i].timeouts, 0);
			assert_in_range(result.flows[i].completion_ps.value / 1000,
					345000, 373000);
			naks += result.flows[i].naks;
		}
		for (size_t i = 2; i < 4; i++)
			assert_int_equal(result.flows[i].timeouts,
					 result.flows[i].completion_ps.value > RTO_PS);
		rt_sim_result_free(&result);
	}
	assert_true(naks > 200);
}

/*
 * Of two flows of 49 packets into 30 KB one loses its tail of 36.  Its last ACK comes
 * after 4.2 us and before 98 packets have passed, 12.9 us; a time-out later 36 packets
 * take 35 * 88.48 + 87.52 + 73.44 + 2 * 1000 + 2 * 1005.92 = 7269.6 ns to be acknowledged.
 */
static void test_a_lost_tail_costs_one_time_out(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 2, size: 50KB}\n"
		 "model: {options: [no_pfc, no_cc, selective_repeat], window: 52KB,\n"
		 "  buffer: 30KB, ack_packets: 1}\n",
		 NULL, &result);
	check_all_delivered(&result);
	assert_int_equal(result.timeouts, 1);
	assert_int_equal(result.drops, 36);
	assert_int_equal(result.resent, 36);
	assert_in_range(result.last_completion_ps.value - RTO_PS, 7269600 + 4189440,
			7269600 + 12860000);
	rt_sim_result_free(&result);
}

/* Without a mark anywhere, each NAK that came makes a cut. */
static void test_naks_may_cut_rates(void **state)
{
	struct rt_sim_result without, with;

	(void)state;
	simulate("workload: {senders: 16, size: 500KB}\n"
		 "model: {options: [no_pfc, no_ecn], buffer: 500KB}\n",
		 NULL, &without);
	simulate("workload: {senders: 16, size: 500KB}\n"
		 "model: {options: [no_pfc, no_ecn, nak_cuts], buffer: 500KB}\n",
		 NULL, &with);
	check_all_delivered(&with);
	assert_true(without.marks == 0 && without.cuts == 0);
	assert_true(with.marks == 0 && with.cuts > 0 && with.cuts <= with.naks);
	rt_sim_result_free(&without);
	rt_sim_result_free(&with);
}

/*
 * M/D/1: frames of 1078 bytes keep a link of 100 Gb/s for 87.84 ns; at half the load the
 * wait is half a service time (rho / (2 (1 - rho))), so that 0.25 packets wait.  6000
 * arrivals tell it to some 5 %.
 */
static void test_poisson_packets_wait_as_in_the_books(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("topology: {hosts: 300}\n"
		 "workload: {kind: poisson-incast, arrivals: 6000, size: 1000B, load: "
		 "45.5373%}\n"
		 "model: {options: [no_cc, no_ecn]}\n",
		 NULL, &result);
	check_all_delivered(&result);
	assert_true(result.queue_mean_bytes.known);
	assert_in_range(result.queue_mean_bytes.value, 1078 / 4 * 85 / 100,
			1078 / 4 * 115 / 100);
	rt_sim_result_free(&result);
}

/*
 * Two flows of one host under ns3_order: the second starts while the first sends, and
 * from then on they take turns: alone a packet takes 83 ns, together each every 166.
 */
static void test_flows_of_a_host_take_turns(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("topology: {hosts: 3}\n"
		 "workload:\n  kind: flows\n  flows:\n"
		 "    - {from: 0, to: 1, size: 100000B}\n"
		 "    - {from: 0, to: 2, size: 100000B}\n"
		 "model:\n  options: [no_cc, no_ecn, ns3_order, " HPCC_MODEL,
		 NULL, &result);
	assert_int_equal(result.flow_count, 2);
	assert_true(result.flows[0].completion_ps.value == 4174000 + 198 * 83000);
	assert_true(result.flows[1].completion_ps.value == 4174000 + 199 * 83000);
	rt_sim_result_free(&result);
}

static void test_too_little_headroom_is_said(void **state)
{
	struct rt_sim_result result;

	(void)state;
	/* 2 us of cable hold 25,000 bytes; headroom for five frames cannot do. */
	simulate("workload: {senders: 8, size: 500KB}\n"
		 "model: {options: [no_cc, no_ecn], buffer: 500KB, headroom: 5500B}\n",
		 NULL, &result);
	assert_true(result.pfc_xoff > 0);
	assert_true(result.drops > 0);
	check_all_delivered(&result);
	rt_sim_result_free(&result);
}

/* --- determinism -------------------------------------------------------- */

static void test_one_seed_is_one_run(void **state)
{
	static const char text[] =
		"workload: {senders: 8, size: 1MB, jitter: 5us}\nseed: %d\n";
	struct rt_sim_result results[3];
	char filled[200];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(filled, sizeof(filled), text, i == 2 ? 8 : 7);
		simulate(filled, NULL, &results[i]);
	}
	assert_true(results[0].events == results[1].events);
	assert_int_equal(results[0].sample_count, results[1].sample_count);
	assert_memory_equal(results[0].samples, results[1].samples,
			    results[0].sample_count * sizeof(results[0].samples[0]));
	assert_memory_equal(results[0].flows, results[1].flows,
			    results[0].flows_listed * sizeof(results[0].flows[0]));
	assert_memory_equal(results[0].ports, results[1].ports,
			    results[0].port_count * sizeof(results[0].ports[0]));
	assert_true(results[0].events != results[2].events);
	for (int i = 0; i < 3; i++)
		rt_sim_result_free(&results[i]);
}

/* --- behaviour ---------------------------------------------------------- */

/* Marks become CNPs, CNPs become cuts, and the queue is shorter for it. */
static void test_congestion_control_shortens_the_queue(void **state)
{
	struct rt_sim_result with, without;

	(void)state;
	simulate("workload: {senders: 8, size: 4MB}\n", NULL, &with);
	simulate("workload: {senders: 8, size: 4MB}\nmodel: {options: [no_cc]}\n", NULL,
		 &without);
	check_all_delivered(&with);
	check_all_delivered(&without);
	assert_true(with.marks > 0 && with.cnps_sent > 0 && with.cuts > 0);
	assert_true(with.cnps_received == with.cnps_sent);
	assert_true(with.cnps_sent <= with.marks);
	assert_true(without.cnps_sent == 0 && without.cuts == 0);
	assert_true(with.queue_mean_bytes.value < without.queue_mean_bytes.value / 2);
	rt_sim_result_free(&with);
	rt_sim_result_free(&without);
}

/* On 10 us in 40: a flow gets a quarter of the link. */
static void test_bursts_keep_their_silence(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate(
		"workload: {senders: 1, size: 100MB, burst_on: 10us, burst_off: 30us}\n"
		"duration: 4ms\n",
		NULL, &result);
	assert_false(result.finished);
	assert_true(result.simulated_ns == 4000000);
	/* 100 bursts of 10 us; 89.76 ns a packet of 1024 bytes (less RETH: 88.48). */
	assert_true(result.flows[0].packets_sent >= 100 * 112);
	assert_true(result.flows[0].packets_sent <= 100 * 115);
	rt_sim_result_free(&result);
}

static void test_window_bounds_what_is_in_flight(void **state)
{
	struct rt_sim_result result;

	(void)state;
	/* One packet a round trip of 4,174 ns. */
	simulate("workload: {senders: 1, size: 10000B}\n"
		 "model:\n  window: 1000B\n  options: [no_cc, no_ecn, " HPCC_MODEL,
		 NULL, &result);
	assert_true(result.last_completion_ps.value == 10 * 4174000);
	rt_sim_result_free(&result);
	/* Smaller than what the receiver coalesces: the sender asks for its ACKs. */
	simulate("workload: {senders: 2, size: 50000B}\nmodel: {window: 3000B}\n", NULL,
		 &result);
	check_all_delivered(&result);
	assert_true(result.timeouts == 0 && result.resent == 0);
	rt_sim_result_free(&result);
}

static void test_samples_are_bounded(void **state)
{
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 2, size: 10GB}\nduration: 20ms\n"
		 "model: {mtu: 9000}\n",
		 NULL, &result);
	assert_true(result.sample_count <= 2048);
	assert_true(result.sample_count > 1000);
	for (size_t i = 1; i < result.sample_count; i++)
		assert_true(result.samples[i].time_ns - result.samples[i - 1].time_ns ==
			    result.sample_interval_ns);
	rt_sim_result_free(&result);
}

static void test_a_buffer_too_small_is_refused(void **state)
{
	static const char text[] = "workload: {senders: 8}\nmodel: {buffer: 100KB}\n";
	struct rt_fabric_run run = { 0 };
	struct rt_fabric_config config;
	struct rt_sim_result result;
	struct rt_scenario scenario;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_scenario_parse("t", text, strlen(text), &scenario, &err),
			 0);
	rt_fabric_config_init(&config, &scenario);
	assert_int_equal(rt_fabric_config_model(&config, &scenario, &err), 0);
	assert_int_equal(rt_fabric_run(&scenario, &config, &run, &result, &err),
			 -EINVAL);
	print_message("# %s\n", err.msg);
	assert_non_null(strstr(err.msg, "model.buffer"));
}

static void test_models_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "workload: {senders: 2}\nmodel: {kmin: 2MB}\n",
		  "model.kmin: kmin 2MB is above kmax 1.6MB" },
		{ "workload: {senders: 2}\nmodel: {kmax: 100KB}\n",
		  "model.kmax: kmin 400KB is above kmax 100KB, the former from" },
		{ "workload: {senders: 2}\nmodel: {data_prio: 6}\n",
		  "model.data_prio: data and CNPs would share priority 6" },
		{ "workload: {senders: 2}\nmodel: {options: [np_tick], cnp_interval: "
		  "0s}\n",
		  "np_tick with a cnp_interval of 0" },
		{ "workload: {senders: 2}\nmodel: {pool: 64MB}\n",
		  "model.pool: pool 64MB is above buffer 33.55" },
		{ "workload: {senders: 16}\n"
		  "model: {buffer: 2MB, pool: 1900KB, headroom: 40KB}\n",
		  "a pool of 1900000 bytes with headroom and guarantees of 749632" },
		{ "topology: {speed: 1G}\nworkload: {senders: 2}\n"
		  "model: {dcqcn: hpcc-mlx-100g}\n",
		  "min_rate 1Gb/s, of the profile or the DCQCN set, is not below" },
		{ "workload: {senders: 2}\n"
		  "model: {dcqcn: paper-40g, cut_interval: 50us}\n",
		  "model.cut_interval: every CNP cuts" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_sim_result result;
		struct rt_scenario scenario;
		struct rt_err err = { 0 };

		assert_int_equal(rt_scenario_parse("t", cases[i].text,
						   strlen(cases[i].text), &scenario,
						   &err),
				 0);
		assert_int_equal(rt_sim_run(&scenario, NULL, NULL, &result, &err),
				 -EINVAL);
		print_message("# %s\n", err.msg);
		assert_non_null(strstr(err.msg, cases[i].says));
	}
}

/* The interval paces CNPs also of a set that tells every mark. */
static void test_a_cnp_interval_paces_every_set(void **state)
{
	static const char plain[] = "workload: {senders: 8, size: 1MB}\n"
				    "model: {dcqcn: hpcc-paper-100g}\n";
	static const char paced[] = "workload: {senders: 8, size: 1MB}\n"
				    "model: {dcqcn: hpcc-paper-100g, cnp_interval: "
				    "50us}\n";
	struct rt_sim_result every, some;
	uint64_t most;

	(void)state;
	simulate(plain, NULL, &every);
	simulate(paced, NULL, &some);
	most = some.flows_listed * (some.simulated_ns / 50000 + 1);
	assert_true(every.cnps_sent == every.marks && every.marks > most);
	assert_true(some.cnps_sent > 0 && some.cnps_sent <= most);
	assert_true(some.marks > most);
	rt_sim_result_free(&every);
	rt_sim_result_free(&some);
}

/* Whole packets: 2000 bytes let two of 1024 go, 1024 let one. */
static void test_a_window_rounds_up_to_packets(void **state)
{
	static const char *const windows[] = { "1024B", "1025B", "2000B", "2048B",
					       "2049B" };
	uint64_t took[RT_ARRAY_SIZE(windows)];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(windows); i++) {
		struct rt_sim_result result;
		char text[120];

		snprintf(text, sizeof(text),
			 "workload: {senders: 1, size: 60KB}\n"
			 "model: {mtu: 1024, ack_packets: 1, window: %s}\n",
			 windows[i]);
		simulate(text, NULL, &result);
		took[i] = result.flows[0].completion_ps.value;
		rt_sim_result_free(&result);
	}
	assert_true(took[0] > took[1]);
	assert_true(took[1] == took[2] && took[2] == took[3]);
	assert_true(took[3] > took[4]);
}

/* The option is what the default does. */
static void test_timers_are_the_default(void **state)
{
	static const char *const texts[] = {
		"workload: {senders: 8, size: 1MB}\n",
		"workload: {senders: 8, size: 1MB}\nmodel: {options: [mlx_timers]}\n",
		"workload: {senders: 8, size: 1MB}\nmodel: {byte_counter: 10KB}\n",
	};
	struct rt_sim_result results[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		simulate(texts[i], NULL, &results[i]);
	assert_true(results[0].cuts > 0);
	assert_true(results[0].events == results[1].events);
	assert_true(results[0].simulated_ns == results[1].simulated_ns);
	assert_true(results[0].events != results[2].events); /* a counter works */
	for (int i = 0; i < 3; i++)
		rt_sim_result_free(&results[i]);
}

/* A run that ends first has no average, and one without warm-up has one. */
static void test_no_average_before_the_warm_up_is_over(void **state)
{
	static const struct {
		const char *text;
		bool known;
	} cases[] = {
		{ "workload: {senders: 2, size: 100KB}\n", true },
		{ "workload: {senders: 2, size: 100KB}\nwarmup: 5us\n", true },
		{ "workload: {senders: 2, size: 100KB}\nwarmup: 5ms\n", false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_sim_result result;

		simulate(cases[i].text, NULL, &result);
		assert_int_equal(result.queue_mean_bytes.known, cases[i].known);
		assert_int_equal(result.utilisation_pct.known, cases[i].known);
		assert_int_equal(result.ports[0].utilisation_pct.known, cases[i].known);
		assert_true(result.queue_max_bytes > 0);
		rt_sim_result_free(&result);
	}
}

static void test_the_bound_on_events_ends_a_run(void **state)
{
	const struct rt_fabric_run run = { .event_limit = 5000 };
	struct rt_sim_result result;

	(void)state;
	simulate("workload: {senders: 4, size: 10MB}\n", &run, &result);
	assert_false(result.finished);
	assert_true(result.event_bound_hit);
	assert_true(result.events >= 5000 && result.events < 5100);
	rt_sim_result_free(&result);
}

/*
 * hpcc: a packet takes 83 ns of a link and 1083 to the other end.  At 1 us thirteen
 * have begun and none has come; at 1170 ns fifteen, and two have, at 1083 and 1166.
 */
static void test_what_is_under_way_has_not_been_received(void **state)
{
	static const struct {
		const char *duration;
		uint64_t sent, received;
	} cases[] = { { "1us", 13, 0 }, { "1170ns", 15, 2 } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_sim_result result;
		const struct rt_sim_port *sender = NULL, *receiver = NULL;
		char text[400];

		snprintf(text, sizeof(text),
			 "workload: {senders: 1, size: 100000B}\nduration: %s\n"
			 "model:\n  options: [no_cc, no_ecn, " HPCC_MODEL,
			 cases[i].duration);
		simulate(text, NULL, &result);
		for (size_t port = 0; port < result.port_count; port++) {
			if (strcmp(result.ports[port].name, "h1") == 0)
				sender = &result.ports[port];
			if (strcmp(result.ports[port].peer, "h1") == 0)
				receiver = &result.ports[port];
		}
		assert_non_null(sender);
		assert_non_null(receiver);
		assert_int_equal(sender->tx.data, cases[i].sent);
		assert_int_equal(receiver->rx.data, cases[i].received);
		assert_int_equal(receiver->rx.bytes, cases[i].received * 1048);
		assert_int_equal(result.hops, cases[i].received);
		rt_sim_result_free(&result);
	}
}

static void test_tables_keep_their_own_rules(void **state)
{
	(void)state;
	rt_table_check(&rt_sim_table);
}

RT_UNIT_MAIN(cmocka_unit_test(test_times_of_few_packets_are_exact),
	     cmocka_unit_test(test_lossless_incast_is_work_conserving),
	     cmocka_unit_test(test_lossless_class_loses_nothing),
	     cmocka_unit_test(test_lossy_class_recovers_by_going_back),
	     cmocka_unit_test(test_lost_tail_is_found_by_time_out),
	     cmocka_unit_test(test_selective_repeat_resends_what_was_lost),
	     cmocka_unit_test(test_pfc_alone_stops_what_the_sums_say),
	     cmocka_unit_test(test_a_cnp_every_four_microseconds_is_the_default),
	     cmocka_unit_test(test_naks_alone_recover_what_is_not_a_tail),
	     cmocka_unit_test(test_a_lost_tail_costs_one_time_out),
	     cmocka_unit_test(test_naks_may_cut_rates),
	     cmocka_unit_test(test_poisson_packets_wait_as_in_the_books),
	     cmocka_unit_test(test_flows_of_a_host_take_turns),
	     cmocka_unit_test(test_too_little_headroom_is_said),
	     cmocka_unit_test(test_one_seed_is_one_run),
	     cmocka_unit_test(test_congestion_control_shortens_the_queue),
	     cmocka_unit_test(test_bursts_keep_their_silence),
	     cmocka_unit_test(test_window_bounds_what_is_in_flight),
	     cmocka_unit_test(test_samples_are_bounded),
	     cmocka_unit_test(test_a_buffer_too_small_is_refused),
	     cmocka_unit_test(test_models_that_cannot_be_are_refused),
	     cmocka_unit_test(test_a_cnp_interval_paces_every_set),
	     cmocka_unit_test(test_a_window_rounds_up_to_packets),
	     cmocka_unit_test(test_timers_are_the_default),
	     cmocka_unit_test(test_no_average_before_the_warm_up_is_over),
	     cmocka_unit_test(test_the_bound_on_events_ends_a_run),
	     cmocka_unit_test(test_what_is_under_way_has_not_been_received),
	     cmocka_unit_test(test_tables_keep_their_own_rules))
