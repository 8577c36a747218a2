/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/own.h"
#include "model/ecmp.h"
#include "model/sizes.h"
#include "model/topology.h"
#include "model/workload.h"
#include "rocetune/err.h"

static const struct rt_topology_spec star = {
	.kind = RT_TOPOLOGY_STAR,
	.hosts = 5,
	.leaves = 1,
	.spines = 1,
	.speed_bps = 100,
	.fabric_speed_bps = 100,
	.delay_ps = 7,
};

static const struct rt_topology_spec leaf_spine = {
	.kind = RT_TOPOLOGY_LEAF_SPINE,
	.hosts = 3,
	.leaves = 4,
	.spines = 2,
	.speed_bps = 100,
	.fabric_speed_bps = 400,
	.delay_ps = 7,
	.fabric_delay_ps = 9,
};

/* Every cable has two ends that name each other, on different nodes. */
static void check_cables(const struct rt_topology *topology)
{
	for (uint32_t i = 0; i < topology->port_count; i++) {
		const struct rt_topo_port *port = &topology->ports[i];
		const struct rt_topo_port *peer = &topology->ports[port->peer];

		assert_int_equal(peer->peer, i);
		assert_int_not_equal(peer->node, port->node);
		assert_true(peer->speed_bps == port->speed_bps);
		assert_true(peer->delay_ps == port->delay_ps);
		assert_true(i >= topology->first_port[port->node]);
		assert_true(i < topology->first_port[port->node + 1]);
	}
}

/* From every host to every other, and never the same node twice. */
static void check_paths(const struct rt_topology *topology, uint64_t hash)
{
	uint32_t ports[RT_TOPOLOGY_HOPS + 1];

	for (uint32_t from = 0; from < topology->hosts; from++)
		for (uint32_t to = 0; to < topology->hosts; to++) {
			unsigned count;
			uint32_t at = from;

			if (from == to)
				continue;
			count = rt_topology_path(topology, from, to, hash, ports);
			for (unsigned i = 0; i < count; i++) {
				assert_int_equal(topology->ports[ports[i]].node, at);
				at = topology->ports[topology->ports[ports[i]].peer]
					     .node;
			}
			assert_int_equal(at, to);
		}
}

static void test_topologies_are_wired_through(void **state)
{
	static const struct rt_topology_spec *const specs[] = { &star, &leaf_spine };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(specs); i++) {
		struct rt_topology topology;

		assert_int_equal(rt_topology_build(specs[i], &topology, NULL), 0);
		check_cables(&topology);
		for (uint64_t hash = 0; hash < 4; hash++)
			check_paths(&topology, hash);
		rt_topology_free(&topology);
	}
}

static void test_leaf_spine_by_hand(void **state)
{
	uint32_t ports[RT_TOPOLOGY_HOPS + 1];
	struct rt_topology topology;

	(void)state;
	assert_int_equal(rt_topology_build(&leaf_spine, &topology, NULL), 0);
	assert_int_equal(topology.hosts, 12);
	assert_int_equal(topology.nodes, 12 + 4 + 2);
	assert_int_equal(topology.port_count, 2 * 12 + 2 * 8);
	/* Same leaf: over one switch. */
	assert_int_equal(rt_topology_path(&topology, 0, 2, 1, ports), 2);
	assert_string_equal(topology.ports[ports[1]].name, "leaf0p2");
	/* Host 0 to host 11, hash 1: up to spine 1, down to leaf 3. */
	assert_int_equal(rt_topology_path(&topology, 0, 11, 1, ports), 4);
	assert_string_equal(topology.ports[ports[0]].name, "h0");
	assert_string_equal(topology.ports[ports[1]].name, "leaf0p4");
	assert_string_equal(topology.ports[ports[2]].name, "spine1p3");
	assert_string_equal(topology.ports[ports[3]].name, "leaf3p2");
	assert_true(topology.ports[ports[1]].speed_bps == 400);
	assert_true(topology.ports[ports[3]].speed_bps == 100);
	rt_topology_free(&topology);
}

static void test_topologies_have_bounds(void **state)
{
	struct rt_topology_spec spec = leaf_spine;
	struct rt_topology topology;
	struct rt_err err = { 0 };

	(void)state;
	spec.hosts = 0;
	assert_int_equal(rt_topology_build(&spec, &topology, &err), -EINVAL);
	spec.hosts = 4096;
	spec.leaves = 4096;
	assert_int_equal(rt_topology_build(&spec, &topology, &err), -EINVAL);
	spec.hosts = 1;
	spec.leaves = 4000;
	spec.spines = 4000;
	assert_int_equal(rt_topology_build(&spec, &topology, &err), -EINVAL);
	print_message("# %s\n", err.msg);
}

/* --- workloads ------------------------------------------------------------------ */

static struct rt_scenario scenario_of(struct rt_workload_spec spec)
{
	struct rt_scenario scenario;

	rt_scenario_init(&scenario);
	scenario.workloads[0] = spec;
	scenario.workload_count = 1;
	return scenario;
}

static void test_incast_goes_to_the_receiver(void **state)
{
	const struct rt_scenario scenario = scenario_of(
		(struct rt_workload_spec){ .kind = RT_WORKLOAD_INCAST,
					   .senders = 3,
					   .receiver = 4,
					   .qps = 2,
					   .size_bytes = 10,
					   .start_ps = 100,
					   .stagger_ps = 5 });
	struct rt_flow_spec *flows;
	size_t count;

	(void)state;
	assert_int_equal(rt_workload_flows(&scenario, 6, &flows, &count, NULL), 0);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++) {
		static const uint32_t from[] = { 5, 5, 0, 0, 1, 1 };

		assert_int_equal(flows[i].from, from[i]);
		assert_int_equal(flows[i].to, 4);
		assert_true(flows[i].start_ps == 100 + 5 * i);
	}
	free(flows);
}

static void test_permutation_sends_to_others_once(void **state)
{
	struct rt_scenario scenario = scenario_of((struct rt_workload_spec){
		.kind = RT_WORKLOAD_PERMUTATION, .qps = 1, .size_bytes = 10 });

	(void)state;
	for (scenario.seed = 0; scenario.seed < 50; scenario.seed++) {
		struct rt_flow_spec *flows;
		bool reached[9] = { 0 };
		size_t count;

		assert_int_equal(rt_workload_flows(&scenario, 9, &flows, &count, NULL),
				 0);
		assert_int_equal(count, 9);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(flows[i].from, i);
			assert_int_not_equal(flows[i].to, i);
			assert_false(reached[flows[i].to]);
			reached[flows[i].to] = true;
		}
		free(flows);
	}
}

static void test_alltoall_has_every_pair(void **state)
{
	const struct rt_scenario scenario = scenario_of((struct rt_workload_spec){
		.kind = RT_WORKLOAD_ALLTOALL, .qps = 1, .size_bytes = 10 });
	bool seen[5][5] = { 0 };
	struct rt_flow_spec *flows;
	size_t count;

	(void)state;
	assert_int_equal(rt_workload_flows(&scenario, 5, &flows, &count, NULL), 0);
	assert_int_equal(count, 20);
	for (size_t i = 0; i < count; i++) {
		assert_int_not_equal(flows[i].from, flows[i].to);
		assert_false(seen[flows[i].from][flows[i].to]);
		seen[flows[i].from][flows[i].to] = true;
	}
	free(flows);
}

/* Every listed flow as it stands there, after the start of all. */
static void test_listed_flows_are_what_was_listed(void **state)
{
	struct rt_flow_entry entries[] = {
		{ .from = 4, .to = 1, .size_bytes = 7, .start_ps = 9 },
		{ .from = 0, .to = 2, .size_bytes = 8, .dport = RT_KNOWN_U64(77) },
	};
	const struct rt_scenario scenario = scenario_of(
		(struct rt_workload_spec){ .kind = RT_WORKLOAD_FLOWS,
					   .qps = 1,
					   .start_ps = 100,
					   .flows = entries,
					   .flow_count = 2 });
	struct rt_flow_spec *flows;
	size_t count;

	(void)state;
	assert_int_equal(rt_workload_flows(&scenario, 5, &flows, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(flows[0].from, 4);
	assert_int_equal(flows[0].to, 1);
	assert_true(flows[0].bytes == 7 && flows[0].start_ps == 109);
	assert_true(flows[1].bytes == 8 && flows[1].start_ps == 100);
	assert_int_equal(flows[1].dport, 77);
	free(flows);
}

/*
 * Poisson at half the speed of nine links of 100 Gb/s: flows of 1000 bytes come every
 * 8000 / 450 ns = 17.78 ns, and 65000 of them in 1155.6 us with a standard error of
 * 1 / sqrt(65000) = 0.39 %; gaps above twice their mean are a share of e^-2 = 0.1353
 * with one of 0.0013.
 */
static void test_poisson_arrives_at_its_load(void **state)
{
	const struct rt_scenario scenario = scenario_of(
		(struct rt_workload_spec){ .kind = RT_WORKLOAD_POISSON,
					   .qps = 1,
					   .size_bytes = 1000,
					   .load_ppb = RT_PPB / 2,
					   .arrivals = 65000 });
	const uint64_t mean_ps = 17778;
	struct rt_flow_spec *flows;
	size_t count, rare = 0, sent[9] = { 0 }, got[9] = { 0 };

	(void)state;
	assert_int_equal(rt_workload_flows(&scenario, 9, &flows, &count, NULL), 0);
	assert_int_equal(count, 65000);
	for (size_t i = 0; i < count; i++) {
		assert_true(flows[i].from < 9 && flows[i].to < 9);
		assert_int_not_equal(flows[i].from, flows[i].to);
		sent[flows[i].from]++;
		got[flows[i].to]++;
		if (i)
			rare += flows[i].start_ps - flows[i - 1].start_ps > 2 * mean_ps;
	}
	assert_in_range(flows[count - 1].start_ps / 1000, 1155556 * 98.8 / 100,
			1155556 * 101.2 / 100);
	assert_in_range(rare, 65000 * 0.1313, 65000 * 0.1393);
	/* 7222 each; four standard deviations are 320. */
	for (size_t host = 0; host < 9; host++) {
		assert_in_range(sent[host], 7222 - 320, 7222 + 320);
		assert_in_range(got[host], 7222 - 320, 7222 + 320);
	}
	free(flows);
}

/*
 * 65000 flows of 1 MB at 0.01 % of one link of 100 Gb/s come
 * every 0.8 s, each later than the one before; 48 bits of picoseconds are 281 s.
 */
static void test_poisson_starts_never_fall(void **state)
{
	const struct rt_scenario scenario = scenario_of(
		(struct rt_workload_spec){ .kind = RT_WORKLOAD_POISSON_INCAST,
					   .qps = 1,
					   .size_bytes = 1000000,
					   .load_ppb = RT_PPB / 10000,
					   .arrivals = 65000 });
	const double mean_ps = 8e12 * 1e6 / (1e-4 * 1e11);
	struct rt_flow_spec *flows;
	size_t count;

	(void)state;
	assert_true(rt_workload_last_start_ps(&scenario, scenario.workloads, 9) ==
		    UINT64_C(800000000000) * 65000);
	assert_int_equal(rt_workload_flows(&scenario, 9, &flows, &count, NULL), 0);
	for (size_t i = 1; i < count; i++)
		assert_true(flows[i].start_ps > flows[i - 1].start_ps);
	assert_true((double)flows[count - 1].start_ps > 0.988 * mean_ps * 65000);
	assert_true((double)flows[count - 1].start_ps < 1.012 * mean_ps * 65000);
	free(flows);
}

/* Sizes between two points lie on a line, and a step gives one size alone. */
static void test_sizes_follow_their_distribution(void **state)
{
	static const struct rt_size_point points[] = {
		{ 10, 0 },
		{ 10, RT_PPB / 2 },
		{ 30, RT_PPB / 2 },
		{ 50, RT_PPB },
	};

	(void)state;
	assert_true(rt_sizes_at(points, 4, 0) == 10);
	assert_true(rt_sizes_at(points, 4, RT_PPB / 2 - 1) == 10);
	assert_true(rt_sizes_at(points, 4, RT_PPB / 2) == 30);
	assert_true(rt_sizes_at(points, 4, RT_PPB / 4 * 3) == 40);
	assert_true(rt_sizes_at(points, 4, RT_PPB) == 50);
	assert_true(rt_sizes_mean_bytes(points, 4) == 25);
}

/* The means that the sums of the published points give, by hand. */
static void test_published_sizes_are_distributions(void **state)
{
	const struct rt_size_set *set = rt_size_set_find("web-search");

	(void)state;
	assert_non_null(set);
	/* .15*5+.05*15+.1*25+.1*40+.13*65+.07*140+.1*600+.1*1500+.1*3500+.07*7500
	 * +.03*20000 KB */
	assert_in_range(rt_sizes_mean_bytes(set->points, set->count), 1711250 - 1,
			1711250 + 1);
	for (set = rt_size_sets; set->name; set++) {
		assert_true(set->points[0].share_ppb == 0);
		assert_true(set->points[set->count - 1].share_ppb == RT_PPB);
		for (size_t i = 1; i < set->count; i++) {
			assert_true(set->points[i].bytes > set->points[i - 1].bytes);
			assert_true(set->points[i].share_ppb >
				    set->points[i - 1].share_ppb);
		}
		assert_ptr_equal(rt_size_set_find(set->name), set);
	}
	assert_null(rt_size_set_find("websearch"));
}

/*
 * MurmurHash3 (x86, 32 bits) of 11.0.1.1, 11.0.9.1 and the ports, seeded with node 16, as
 * another implementation of it gives, which also gives the published ba6bd213 of "test".
 */
static void test_ecmp_hashes(void **state)
{
	const struct rt_ecmp_key there = {
		.node = 16, .from = 1, .to = 9, .sport = 10000, .dport = 101
	};
	const struct rt_ecmp_key back = {
		.node = 18, .from = 9, .to = 1, .sport = 101, .dport = 10000
	};
	const struct rt_ecmp_key seeded = { .seed = 3, .direction = 8 };
	size_t left = 0;

	(void)state;
	assert_true(rt_ecmp_hash(RT_ECMP_HPCC, &there) == 0x99a9d923u);
	assert_true(rt_ecmp_hash(RT_ECMP_HPCC, &back) !=
		    rt_ecmp_hash(RT_ECMP_HPCC, &there));
	assert_true(rt_ecmp_hash(RT_ECMP_SEEDED, &seeded) == rt_hash_pair(3, 8));
	for (uint16_t port = 0; port < 1000; port++) {
		struct rt_ecmp_key key = there;

		key.dport = port;
		left += rt_ecmp_hash(RT_ECMP_HPCC, &key) % 2;
	}
	/* Four standard deviations are 63. */
	assert_in_range(left, 500 - 63, 500 + 63);
}

RT_UNIT_MAIN(cmocka_unit_test(test_topologies_are_wired_through),
	     cmocka_unit_test(test_leaf_spine_by_hand),
	     cmocka_unit_test(test_topologies_have_bounds),
	     cmocka_unit_test(test_incast_goes_to_the_receiver),
	     cmocka_unit_test(test_permutation_sends_to_others_once),
	     cmocka_unit_test(test_alltoall_has_every_pair),
	     cmocka_unit_test(test_listed_flows_are_what_was_listed),
	     cmocka_unit_test(test_poisson_arrives_at_its_load),
	     cmocka_unit_test(test_poisson_starts_never_fall),
	     cmocka_unit_test(test_sizes_follow_their_distribution),
	     cmocka_unit_test(test_published_sizes_are_distributions),
	     cmocka_unit_test(test_ecmp_hashes))
