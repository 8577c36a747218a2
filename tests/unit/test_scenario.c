/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "model/scenario.h"
#include "rocetune/err.h"
#include "rocetune/scenario.h"

static int parse(const char *text, struct rt_scenario *scenario, struct rt_err *err)
{
	return rt_scenario_parse("s.yaml", text, strlen(text), scenario, err);
}

static void test_scenario_reads_what_it_says(void **state)
{
	static const char text[] =
		"name: two\n"
		"seed: 9\n"
		"duration: 5ms\n"
		"topology: {kind: leaf-spine, hosts: 4, leaves: 3, spines: 2, speed: "
		"25G,\n"
		"           fabric_speed: 100G, delay: 500ns}\n"
		"workload:\n"
		"  - {kind: incast, senders: 7, receiver: 2, size: 64KiB, stagger: "
		"1us}\n"
		"  - {kind: permutation, qps: 3, burst_on: 10us, burst_off: 30us}\n"
		"model:\n"
		"  options: [no_pfc, alpha_first]\n"
		"  wire: hpcc\n"
		"  kmin: 5KB\n"
		"  pmax: 1%\n"
		"  buffer_alpha: 1/8\n"
		"  g: 1/256\n";
	struct rt_scenario scenario;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(parse(text, &scenario, &err), 0);
	assert_string_equal(scenario.name, "two");
	assert_true(scenario.seed == 9);
	assert_true(scenario.duration_ps == 5000000000);
	assert_int_equal(scenario.topology.kind, RT_TOPOLOGY_LEAF_SPINE);
	assert_true(scenario.topology.speed_bps == 25000000000);
	assert_true(scenario.topology.fabric_speed_bps == 100000000000);
	assert_true(scenario.topology.delay_ps == 500000);
	assert_int_equal(scenario.workload_count, 2);
	assert_int_equal(scenario.workloads[0].senders, 7);
	assert_true(scenario.workloads[0].size_bytes == 65536);
	assert_int_equal(scenario.workloads[1].kind, RT_WORKLOAD_PERMUTATION);
	assert_true(scenario.workloads[1].off_ps == 30000000);
	assert_int_equal(scenario.model.options,
			 RT_MODEL_NO_PFC | RT_MODEL_ALPHA_FIRST);
	assert_int_equal(scenario.model.wire, RT_WIRE_HPCC);
	assert_true(scenario.model.kmin_bytes.known);
	assert_true(scenario.model.kmin_bytes.value == 5000);
	assert_true(scenario.model.pmax_ppb.value == 10000000);
	assert_true(scenario.model.buffer_alpha_ppb.value == 125000000);
	assert_true(scenario.model.g_ppb.value == 3906250);
	assert_false(scenario.model.kmax_bytes.known);
}

static void test_a_star_is_as_large_as_needed(void **state)
{
	struct rt_scenario scenario;

	(void)state;
	assert_int_equal(parse("workload: {senders: 12}", &scenario, NULL), 0);
	assert_int_equal(scenario.topology.hosts, 13);
	assert_true(scenario.topology.fabric_speed_bps == 100000000000);
}

/* A minute at line rate is too much to simulate, and nothing to a wire. */
static void test_hosts_bear_more_packets_than_a_simulation(void **state)
{
	static const char text[] = "workload: {senders: 7, duration: 60s}\n";
	struct rt_scenario scenario;
	struct rt_err err = { 0 };
	char path[] = "/tmp/rocetune-hosts-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(rt_scenario_read(path, &scenario, &err), -EINVAL);
	print_message("# %s\n", err.msg);
	assert_non_null(strstr(err.msg, ":1:24: 5.13e+09 packets, the most is"));
	assert_int_equal(rt_scenario_read_for_hosts(path, &scenario, &err), 0);
	assert_int_equal(rt_scenario_finish(&scenario, &err), 0);
	rt_scenario_free(&scenario);
	unlink(path);
}

static void test_lists_are_read(void **state)
{
	static const char text[] =
		"topology: {kind: leaf-spine, hosts: 3, leaves: 2}\n"
		"model: {ecmp: hpcc}\n"
		"workload:\n"
		"  - kind: flows\n"
		"    flows:\n"
		"      - {from: 1, to: 0, size: 1MB}\n"
		"      - {from: 5, to: 2, size: 10KB, start: 492ns, sport: 10000, "
		"dport: "
		"101}\n"
		"  - kind: poisson\n"
		"    load: 60%\n"
		"    arrivals: 77\n"
		"    size_cdf:\n"
		"      - {size: 10KB, share: 0%}\n"
		"      - {size: 10KB, share: 61%}\n"
		"      - {size: 2MB, share: 100%}\n"
		"  - {kind: poisson-incast, receiver: 3, size_cdf: web-search}\n";
	struct rt_scenario scenario;
	struct rt_err err = { 0 };
	const struct rt_workload_spec *spec = scenario.workloads;

	(void)state;
	assert_int_equal(parse(text, &scenario, &err), 0);
	assert_int_equal(spec[0].flow_count, 2);
	assert_int_equal(spec[0].flows[0].from, 1);
	assert_true(spec[0].flows[0].size_bytes == 1000000);
	assert_false(spec[0].flows[0].sport.known);
	assert_int_equal(spec[0].flows[1].to, 2);
	assert_true(spec[0].flows[1].start_ps == 492000);
	assert_true(spec[0].flows[1].dport.value == 101);
	assert_true(spec[1].load_ppb == 600000000);
	assert_int_equal(spec[1].arrivals, 77);
	assert_int_equal(spec[1].size_count, 3);
	assert_true(spec[1].sizes[1].share_ppb == 610000000);
	assert_int_equal(spec[2].receiver, 3);
	assert_true(spec[2].sizes[spec[2].size_count - 1].bytes == 30000000);
	rt_scenario_free(&scenario);
	assert_int_equal(scenario.workload_count, 0);
}

/* 20 TB of flows are too much, what the links carry of them in 1 ms is not. */
static void test_a_duration_bounds_the_packets(void **state)
{
	struct rt_scenario scenario;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(
		parse("workload: {senders: 2, size: 10000GB}\n", &scenario, &err),
		-EINVAL);
	assert_int_equal(parse("workload: {senders: 2, size: 10000GB}\n"
			       "duration: 1ms\n",
			       &scenario, &err),
			 0);
}

static void test_scenario_errors_say_where(void **state)
{
	static const struct {
		const char *label, *text, *says;
	} cases[] = {
		{ "unknown key at the top", "workload: {senders: 2}\nsede: 1\n",
		  "s.yaml:2:1: unknown key 'sede': did you mean 'seed'?" },
		{ "unknown key in a section", "workload:\n  senders: 2\n  sizes: 1MB\n",
		  "s.yaml:3:3: unknown key 'sizes' in workload: did you mean 'size'?" },
		{ "unknown word",
		  "topology: {kind: leafspine}\nworkload: {senders: 2}\n",
		  "s.yaml:1:18: kind: unknown leafspine: did you mean leaf-spine?" },
		{ "unknown option",
		  "workload: {senders: 2}\nmodel:\n  options: [no_cc, no_pcf]\n",
		  "s.yaml:3:20: options: unknown no_pcf: did you mean no_pfc?" },
		{ "wrong unit", "workload: {size: 4us}\n", "s.yaml:1:18: size: " },
		{ "out of bounds", "workload: {senders: 2}\nmodel: {pmax: 120%}\n",
		  "s.yaml:2:15: pmax: 120% is outside 0% to 100%" },
		{ "size without a unit", "workload: {senders: 2}\nmodel: {kmin: 400}\n",
		  "s.yaml:2:15: kmin: 400 of what? write 400KB or 400B" },
		{ "time without a unit", "workload: {senders: 2}\nmodel: {timer: 55}\n",
		  "s.yaml:2:16: timer: 55 of what? write 55us or 55ms" },
		{ "rate in bytes", "topology: {speed: 100GB/s}\n",
		  "write 100Gb/s, or 800Gb/s if bytes are meant" },
		{ "size in bits", "workload: {size: 1Mb}\n", "write 1MB" },
		{ "MTU in KB, bare", "workload: {senders: 2}\nmodel: {mtu: 4}\n",
		  "mtu: 4 is outside 64B to 9000B (bare means bytes: is a unit "
		  "missing?)" },
		{ "no map", "- 1\n- 2\n", "s.yaml:1:1: a scenario is a map of keys" },
		{ "empty", "", "s.yaml:1:1: the document is empty" },
		{ "no workload", "seed: 1\n", "no workload: say who sends to whom" },
		{ "list for a value", "workload: {size: [1]}\n",
		  "s.yaml:1:18: size: wants a value, not a list" },
		{ "section is a scalar", "workload: 5\n",
		  "s.yaml:1:11: workload: wants a map of keys, not a single value" },
		{ "quotes in a row", "name: 'a''''b'\n",
		  "s.yaml:1:8: single quotes in a row inside single quotes" },
		{ "more senders than hosts",
		  "topology: {hosts: 3}\nworkload: {senders: 3}\n",
		  "s.yaml:2:12: workload 1: 3 senders and a receiver do not fit 3 "
		  "hosts" },
		{ "a receiver there is not",
		  "topology: {hosts: 5}\n"
		  "workload: {kind: poisson-incast, receiver: 9}\n",
		  "s.yaml:2:34: workload 1: there is no host 9 to receive, only 0 to "
		  "4" },
		{ "any number of hosts", "workload:\n  kind: poisson\n  load: 50%\n",
		  "s.yaml:2:3: workload 1: how many hosts?" },
		{ "a duration before all flows",
		  "workload: {senders: 2, start: 1s}\nduration: 1us\n",
		  "s.yaml:2:1: duration 1us is over before the first flow starts, at "
		  "1s" },
		{ "a window that varies without being there",
		  "workload: {senders: 2}\nmodel: {options: [variable_window]}\n",
		  "s.yaml:2:9: option variable_window has no effect without a window" },
		{ "a window that varies with a fixed rate",
		  "workload: {senders: 2}\n"
		  "model: {options: [variable_window, no_cc], window: 52KB}\n",
		  "s.yaml:2:9: option variable_window has no effect under option "
		  "no_cc" },
		{ "NAKs that cut nothing",
		  "workload: {senders: 2}\nmodel: {options: [no_cc, nak_cuts]}\n",
		  "s.yaml:2:9: option nak_cuts has no effect under option no_cc" },
		{ "a gain of nothing",
		  "workload: {senders: 2}\nmodel: {options: [no_cc], g: 1/256}\n",
		  "s.yaml:2:27: g has no effect under option no_cc" },
		{ "a set of parameters for nobody",
		  "workload: {senders: 2}\n"
		  "model: {options: [no_cc], dcqcn: hpcc-mlx-100g}\n",
		  "s.yaml:2:27: dcqcn has no effect under option no_cc" },
		{ "thresholds of marks that are not made",
		  "workload: {senders: 2}\nmodel: {options: [no_ecn], kmin: 9KB}\n",
		  "s.yaml:2:28: kmin has no effect under option no_ecn" },
		{ "one way to choose from",
		  "workload: {senders: 2}\nmodel: {ecmp: seeded}\n",
		  "s.yaml:2:9: ecmp: a star has one way between two hosts" },
		{ "ports that nothing hashes",
		  "workload: {kind: flows, flows: [{from: 1, to: 0, size: 1KB},\n"
		  "  {from: 2, to: 0, size: 1KB, sport: 7}]}\n",
		  "s.yaml:2:3: workload 1: flow 2 of 2 has a sport or dport" },
		{ "a word that is like none",
		  "workload: {senders: 2}\nmodel: {random: foo}\n",
		  "s.yaml:2:17: random: unknown foo: there are own, hpcc, conweave" },
		{ "one size for a list",
		  "workload: {kind: flows, size: 1KB, flows: [{from: 1, to: 0}]}\n",
		  "s.yaml:1:44: workload.flows: needs the key 'size'" },
		{ "a size beside a list",
		  "workload: {kind: flows, size: 1KB,\n"
		  "  flows: [{from: 1, to: 0, size: 1KB}]}\n",
		  "s.yaml:1:25: size: has no effect on listed flows: each has its "
		  "own" },
		{ "a distribution of nothing",
		  "workload:\n  kind: poisson\n"
		  "  size_cdf: [{size: 0B, share: 0%}, {size: 0B, share: 100%}]\n",
		  "s.yaml:3:37: size_cdf: every flow would be empty" },
		{ "silence without bursts", "workload: {burst_off: 5us}\n",
		  "s.yaml:1:12: workload 1: burst_off without burst_on" },
		{ "bursts without silence",
		  "workload:\n  - {senders: 2}\n  - senders: 2\n    burst_on: 5us\n",
		  "s.yaml:4:5: workload 2: burst_on without burst_off" },
		{ "senders of a permutation",
		  "topology: {hosts: 4}\nworkload: {kind: permutation, senders: 2}\n",
		  "s.yaml:2:31: workload 1: senders is for an incast" },
		{ "receiver of all to all",
		  "topology: {hosts: 4}\nworkload: {kind: alltoall, receiver: 1}\n",
		  "s.yaml:2:28: workload 1: receiver is for an incast" },
		{ "thresholds the wrong way round",
		  "workload: {senders: 2}\nmodel:\n  kmax: 100KB\n  kmin: 200KB\n",
		  "s.yaml:4:3: kmin 200KB is above kmax 100KB" },
		{ "a pool larger than the memory",
		  "workload: {senders: 2}\nmodel: {buffer: 2MB, pool: 12MB}\n",
		  "s.yaml:2:22: pool 12MB is above buffer 2MB" },
		{ "XON below nothing",
		  "workload: {senders: 2}\nmodel: {xoff: 50KB, xon_offset: 60KB}\n",
		  "s.yaml:2:21: xon_offset 60KB is above xoff 50KB" },
		{ "headroom without PFC",
		  "workload: {senders: 2}\nmodel: {headroom: 9KB, options: [no_pfc]}\n",
		  "s.yaml:2:9: headroom has no effect under option no_pfc" },
		{ "quanta without PFC",
		  "workload: {senders: 2}\n"
		  "model: {options: [no_pfc], pause_quanta: 9}\n",
		  "s.yaml:2:28: pause_quanta has no effect under option no_pfc" },
		{ "quanta of a pause without end",
		  "workload: {senders: 2}\n"
		  "model: {options: [pause_on_off], pause_quanta: 9}\n",
		  "s.yaml:2:34: pause_quanta has no effect under option pause_on_off" },
		{ "pace of CNPs that are not sent",
		  "workload: {senders: 2}\n"
		  "model: {options: [ecn_echo_in_ack], cnp_interval: 9us}\n",
		  "s.yaml:2:37: cnp_interval has no effect under option ecn_echo" },
		{ "a byte counter where there is none",
		  "workload: {senders: 2}\n"
		  "model: {options: [mlx_timers], byte_counter: 10MB}\n",
		  "s.yaml:2:32: byte_counter has no effect under option mlx_timers" },
		{ "a floor above the line",
		  "topology: {speed: 10G}\n"
		  "workload: {senders: 2}\nmodel: {min_rate: 20G}\n",
		  "s.yaml:3:9: min_rate 20Gb/s is not below the line rate 10Gb/s" },
		{ "a floor at the line",
		  "topology: {speed: 10G}\n"
		  "workload: {senders: 2}\nmodel: {min_rate: 10G}\n",
		  "s.yaml:3:9: min_rate 10Gb/s is not below" },
		{ "a warm-up as long as the run",
		  "workload: {senders: 2}\nwarmup: 5ms\nduration: 5ms\n",
		  "s.yaml:2:1: warmup 5ms leaves nothing of duration 5ms" },
		{ "leaves of a star", "topology: {leaves: 4}\nworkload: {senders: 2}\n",
		  "s.yaml:1:12: leaves: a star has one switch" },
		{ "fabric links of a star",
		  "workload: {senders: 2}\ntopology: {kind: star, fabric_speed: "
		  "400G}\n",
		  "s.yaml:2:24: fabric_speed: a star has one switch" },
		{ "two thresholds for one ingress",
		  "workload: {senders: 2}\nmodel: {xoff: 50KB, buffer_alpha: 1/8}\n",
		  "s.yaml:2:9: xoff and buffer_alpha are two thresholds" },
		{ "CNPs behind the data",
		  "workload: {senders: 2}\nmodel: {data_prio: 4, cnp_prio: 4}\n",
		  "s.yaml:2:23: cnp_prio and data_prio are both 4" },
		{ "no such set of parameters",
		  "workload: {senders: 2}\nmodel:\n  dcqcn: hpcc\n",
		  "s.yaml:3:3: dcqcn: no set is called 'hpcc', only paper-40g" },
		{ "too many flows",
		  "topology: {hosts: 4000}\nworkload: {kind: alltoall}\n",
		  "s.yaml:2:1: 15996000 flows, the most is 65536" },
		{ "too many packets",
		  "workload:\n  - {senders: 2}\n  - {senders: 2, size: 10000GB}\n",
		  "s.yaml:3:18: 1.95e+10 packets, the most is" },
		{ "too long", "workload: {senders: 2, size: 10000GB}\nduration: 900s\n",
		  "packets, the most is" },
		{ "arrivals beyond the longest run",
		  "topology: {hosts: 4, speed: 100Mb/s}\n"
		  "workload: {kind: poisson, load: 0.01%, size: 1GB}\n",
		  "s.yaml:2:27: workload 1: at this load 1000 flows of 1e+09 bytes "
		  "would take more than the longest run, 1000s" },
		{ "the slowest arrivals there can be",
		  "topology: {hosts: 4, speed: 100Mb/s}\n"
		  "workload: {kind: poisson-incast, load: 0.01%, size: 17592GB,\n"
		  "  arrivals: 65536}\n",
		  "s.yaml:2:34: workload 1: at this load 65536 flows" },
		{ "starts beyond the longest run",
		  "workload: {senders: 1, qps: 1024, stagger: 1s}\n",
		  "s.yaml:1:35: workload 1: the last flow would start after 1023s" },
		{ "a distribution of an incast",
		  "workload: {senders: 2, size_cdf: hadoop}\n",
		  "s.yaml:1:24: size_cdf: has no effect on a workload of this kind" },
		{ "one size and many",
		  "workload: {kind: poisson, size: 1KB, size_cdf: hadoop}\n",
		  "s.yaml:1:27: size and size_cdf: leave one out" },
		{ "QPs of a list",
		  "workload:\n  kind: flows\n  qps: 2\n"
		  "  flows: [{from: 0, to: 1, size: 1KB}]\n",
		  "s.yaml:3:3: qps: has no effect" },
		{ "no list", "workload: {kind: flows}\n",
		  "s.yaml:1:12: workload 1: lists no flows" },
		{ "an empty list", "workload: {kind: flows, flows: []}\n",
		  "s.yaml:1:32: workload.flows: wants a list of flows, not an empty "
		  "one" },
		{ "a flow without a size",
		  "workload: {kind: flows, flows: [{from: 0, to: 1}]}\n",
		  "s.yaml:1:33: workload.flows: needs the key 'size'" },
		{ "a flow to itself",
		  "workload: {kind: flows, flows: [{from: 3, to: 3, size: 1KB}]}\n",
		  "s.yaml:1:33: workload 1: flow 1 of 1 goes from host 3 to itself" },
		{ "a flow to nowhere",
		  "topology: {hosts: 4}\n"
		  "workload: {kind: flows, flows: [{from: 3, to: 4, size: 1KB}]}\n",
		  "s.yaml:2:33: workload 1: flow 1 of 1, from 3 to 4, does not fit 4" },
		{ "a slip in a list",
		  "workload: {kind: flows, flows: [{form: 3, to: 4, size: 1KB}]}\n",
		  "s.yaml:1:34: unknown key 'form' in workload.flows: did you mean "
		  "'from'?" },
		{ "a file named from memory",
		  "workload: {kind: flows, flows: a.yaml}\n",
		  "s.yaml:1:32: 'a.yaml' would be a file" },
		{ "a distribution that falls",
		  "workload:\n  kind: poisson\n  size_cdf: [{size: 2KB, share: 0%},\n"
		  "    {size: 1KB, share: 100%}]\n",
		  "s.yaml:4:5: size_cdf: neither sizes nor shares may fall" },
		{ "a distribution of half",
		  "workload:\n  kind: poisson\n  size_cdf: [{size: 2KB, share: 0%},\n"
		  "    {size: 9KB, share: 50%}]\n",
		  "s.yaml:4:5: size_cdf: must end with a share of 100%" },
		{ "selective repeat without a window",
		  "workload: {senders: 2}\nmodel: {options: [selective_repeat]}\n",
		  "s.yaml:2:9: selective_repeat needs a window" },
		{ "a window beyond the bitmaps",
		  "workload: {senders: 2}\n"
		  "model: {options: [selective_repeat], window: 9MB}\n",
		  "s.yaml:2:38: window: under selective_repeat at most 8191 packets" },
		{ "a short time-out of go-back-N",
		  "workload: {senders: 2}\nmodel: {rto_low: 9us}\n",
		  "s.yaml:2:9: rto_low has no effect without option selective_repeat" },
		{ "too many hosts",
		  "topology: {kind: leaf-spine, hosts: 4096, leaves: 4096}\n"
		  "workload: {senders: 2}\n",
		  "s.yaml:1:30: topology: 16777216 hosts" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_scenario scenario;
		struct rt_err err = { 0 };
		int r = parse(cases[i].text, &scenario, &err);

		print_message("# %s: %d %s\n", cases[i].label, r, err.msg);
		assert_int_equal(r, -EINVAL);
		assert_non_null(strstr(err.msg, cases[i].says));
	}
}

#define LONGEST_FLOW                                                        \
	"- {from: 1, to: 0, size: 17592186044416B, start: 100000000000ns, " \
	"sport: 10000, dport: 65535}\n"

/* Beside a scenario: a file with a slip, a pipe, the most flows in the longest words. */
static void test_lists_may_stand_in_files(void **state)
{
	char folder[] = "/tmp/rt-scenario-XXXXXX", path[64];
	struct rt_scenario scenario;
	struct rt_err err = { 0 };
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s.yaml", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("topology: {kind: leaf-spine, hosts: 1, leaves: 2}\nduration: 1s\n"
	      "model: {ecmp: hpcc}\nworkload: {kind: flows, flows: list.yaml}\n",
	      file);
	fclose(file);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkfifo("list.yaml", 0600), 0);
	assert_int_equal(rt_scenario_read("s.yaml", &scenario, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "s.yaml:4:32: list.yaml is not a regular"));
	unlink("list.yaml");

	file = fopen("list.yaml", "w");
	fputs("# a slip\n- {from: 1, to: 0, size: 1KB}\n"
	      "- {from: 2, to: 0, size: 1KB}\n",
	      file);
	fclose(file);
	assert_int_equal(rt_scenario_read("s.yaml", &scenario, &err), -EINVAL);
	print_message("# %s\n", err.msg);
	assert_non_null(
		strstr(err.msg, "list.yaml:3:3: workload 1: flow 2 of 2, from 2"));

	file = fopen("list.yaml", "w");
	fputs("- {from: 1, to: 0, size: 1KB}\n", file);
	for (unsigned i = 1; i < RT_SIM_MAX_FLOWS; i++)
		fputs(LONGEST_FLOW, file);
	assert_true(ftell(file) > 5 << 20);
	fclose(file);
	assert_int_equal(rt_scenario_read("s.yaml", &scenario, &err), 0);
	assert_int_equal(scenario.workloads[0].flow_count, RT_SIM_MAX_FLOWS);
	rt_scenario_free(&scenario);
	unlink("list.yaml");
	unlink("s.yaml");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

/* Every key has bounds, help, and a default that it would itself accept. */
static void test_scenario_keys_keep_their_own_rules(void **state)
{
	(void)state;
	for (const struct rt_scenario_key *key = rt_scenario_keys; key->name; key++) {
		char text[200];
		struct rt_scenario scenario;
		struct rt_err err = { 0 };

		assert_non_null(key->help);
		assert_true(key->min <= key->max);
		if (!key->def)
			continue;
		/* Keys of a list's items have no section of their own. */
		if (strchr(key->section, '.') || strcmp(key->section, "checks") == 0)
			continue;
		/* Some keys of a topology are for one kind of it. */
		const char *kind = strcmp(key->section, "topology") == 0 &&
						   strcmp(key->name, "kind") != 0 &&
						   strcmp(key->name, "hosts") != 0
					   ? "kind: leaf-spine, hosts: 2, "
				   : strcmp(key->name, "load") == 0 ||
						   strcmp(key->name, "arrivals") == 0
					   ? "kind: poisson, "
				   : strcmp(key->name, "sender") == 0 ||
						   strcmp(key->name, "receivers") == 0
					   ? "kind: outcast, "
					   : "";
		const char *model = strcmp(key->section, "workload") == 0
					    ? "topology: {hosts: 2}"
				    : strcmp(key->name, "ecmp") == 0
					    ? "topology: {kind: leaf-spine, hosts: 2}\n"
					      "workload: {senders: 1}"
					    : "workload: {senders: 1}";

		snprintf(text, sizeof(text), "%s%s%s%s: %s%s\n%s", key->section,
			 *key->section ? ": {" : "", kind, key->name, key->def,
			 *key->section ? "}" : "", model);
		print_message("# %s.%s\n", key->section, key->name);
		assert_int_equal(parse(text, &scenario, &err), 0);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_scenario_reads_what_it_says),
	     cmocka_unit_test(test_a_star_is_as_large_as_needed),
	     cmocka_unit_test(test_lists_are_read),
	     cmocka_unit_test(test_hosts_bear_more_packets_than_a_simulation),
	     cmocka_unit_test(test_a_duration_bounds_the_packets),
	     cmocka_unit_test(test_scenario_errors_say_where),
	     cmocka_unit_test(test_lists_may_stand_in_files),
	     cmocka_unit_test(test_scenario_keys_keep_their_own_rules))
