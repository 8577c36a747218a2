/* SPDX-License-Identifier: BSD-2-Clause */
/* Which way frames go through soft switches, and that none is lost on the way. */
#include "unit.h"

#include "base/hash.h"
#include "base/own.h"
#include "lab/switch_frame.h"
#include "soft_switch.h"

/* An IPv4 or IPv6 frame of those bytes; 100 are there. */
static void ip_frame(uint8_t frame[100], bool v6, uint8_t first, uint16_t fragment,
		     uint16_t sport)
{
	memset(frame, 0, 100);
	rt_put_be16(frame + 12, v6 ? 0x86DD : 0x0800);
	frame[14] = first;
	frame[14 + (v6 ? 6 : 9)] = 17;
	rt_put_be16(frame + 14 + 6, v6 ? 0x1100 : fragment);
	rt_put_be16(frame + 14 + (v6 ? 40 : 20), sport);
}

static void test_frames_are_read_within_their_bytes(void **state)
{
	static const struct {
		const char *label;
		bool v6;
		uint8_t first;
		uint32_t bytes, net_at;
	} cases[] = {
		{ "IPv4", false, 0x45, 34, 14 },
		{ "a byte less", false, 0x45, 33, 0 },
		{ "with options", false, 0x46, 100, 14 },
		{ "a header too short", false, 0x44, 100, 0 },
		{ "another version", false, 0x65, 100, 0 },
		{ "IPv6", true, 0x60, 54, 14 },
		{ "a byte less", true, 0x60, 53, 0 },
		{ "another version", true, 0x45, 100, 0 },
		{ "Ethernet alone", false, 0x45, 14, 0 },
	};
	struct rt_lab_look look;
	uint8_t frame[100];

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		print_message("# %s\n", cases[i].label);
		ip_frame(frame, cases[i].v6, cases[i].first, 0, 1);
		assert_true(rt_lab_look(frame, cases[i].bytes, &look));
		assert_int_equal(look.net_at, cases[i].net_at);
	}
	assert_false(rt_lab_look(frame, 13, &look));
}

/* Ports tell flows apart, but in fragments, of which only the first has them. */
static void test_fragments_go_one_way(void **state)
{
	static const struct {
		bool v6, apart;
		uint16_t fragment;
		uint32_t bytes;
	} cases[] = {
		{ false, true, 0, 100 },
		{ false, true, 0x4000, 100 },  /* don't */
		{ false, false, 0x2000, 100 }, /* the first */
		{ false, false, 0x0010, 100 }, /* the last */
		{ false, true, 0, 38 },
		{ false, false, 0, 37 }, /* the ports are cut */
		{ true, true, 0, 58 },
		{ true, false, 0, 57 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_lab_look looks[2];
		uint8_t frame[100];

		for (uint16_t n = 0; n < 2; n++) {
			ip_frame(frame, cases[i].v6, cases[i].v6 ? 0x60 : 0x45,
				 cases[i].fragment, n);
			assert_true(rt_lab_look(frame, cases[i].bytes, &looks[n]));
		}
		assert_int_equal(looks[0].hash != looks[1].hash, cases[i].apart);
	}
}

/* What has no DSCP has priority 0, wherever DSCP 0 goes. */
static void test_frames_without_ip_have_priority_0(void **state)
{
	const struct rt_topology_spec spec = soft_star(2);
	struct soft_switch *sw = soft_new(&spec);
	uint8_t frame[SOFT_FRAME_MAX];

	(void)state;
	soft_open(sw);
	soft_learn(sw, 2);
	sw->core->prio_of_dscp[0] = 5;
	soft_frame(frame, &(struct sent){ .from = 0, .to = 1 });
	soft_raw(sw, 0, 0, frame, FRAME);
	frame[13] = 6; /* ARP */
	soft_raw(sw, 0, 0, frame, FRAME);
	assert_int_equal(soft_counts(sw, 0, 5)->rx_frames, 1);
	assert_int_equal(soft_counts(sw, 0, 0)->rx_frames, 1);
	soft_free(sw);
}

static void test_addresses_are_learned_and_the_unknown_flood(void **state)
{
	const struct rt_topology_spec spec = soft_star(4);
	struct soft_switch *sw = soft_new(&spec);
	uint8_t frame[SOFT_FRAME_MAX];
	uint64_t now_ps = 0;

	(void)state;
	soft_open(sw);
	soft_arrive(sw, now_ps, &(struct sent){ .from = 0, .to = 1 });
	soft_until(sw, now_ps += 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left_count, 3);
	assert_int_equal(soft_left(sw, 0), 0);
	assert_int_equal(soft_counts(sw, 0, 0)->rx_frames, 1);
	/* Host 0 is known by now, and host 1 once it has answered. */
	soft_arrive(sw, now_ps, &(struct sent){ .from = 1, .to = 0 });
	soft_arrive(sw, now_ps, &(struct sent){ .from = 0, .to = 1 });
	soft_until(sw, now_ps += 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left_count, 5);
	assert_int_equal(soft_left(sw, 0), 1);
	assert_int_equal(soft_left(sw, 1), 2);
	/* A group floods, and no host becomes one by sending from it. */
	soft_frame(frame, &(struct sent){ .from = 2, .to = 3 });
	frame[0] |= 1;
	frame[6] |= 1;
	soft_raw(sw, now_ps, 2, frame, FRAME);
	soft_until(sw, now_ps += 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left_count, 8);
	/* What is for the same port, or for the link, goes nowhere. */
	soft_arrive(sw, now_ps, &(struct sent){ .from = 1, .to = 1 });
	for (unsigned last = 0; last < 16; last++) {
		soft_frame(frame, &(struct sent){ .from = 2, .to = 0 });
		memcpy(frame, (const uint8_t[5]){ 0x01, 0x80, 0xC2 }, 5);
		frame[5] = (uint8_t)last;
		soft_raw(sw, now_ps, 2, frame, FRAME);
	}
	soft_raw(sw, now_ps, 2, frame, 13);
	soft_until(sw, now_ps += 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left_count, 8);
	rt_lab_core_counters(sw->core, &sw->counters);
	assert_int_equal(sw->ports[1].filtered, 1);
	assert_int_equal(sw->ports[2].filtered, 17);
	/* A host that moves is found where it speaks. */
	soft_frame(frame, &(struct sent){ .from = 1, .to = 0 });
	soft_raw(sw, now_ps, 3, frame, FRAME);
	soft_arrive(sw, now_ps, &(struct sent){ .from = 0, .to = 1 });
	soft_until(sw, now_ps += 1000 * RT_PS_PER_US);
	assert_int_equal(sw->left[sw->left_count - 1].port, 3);
	soft_free(sw);
}

/* 100,000 invented senders do not push out more than the table has room for. */
static void test_a_storm_of_addresses_is_bounded(void **state)
{
	struct rt_lab_macs *macs = calloc(1, sizeof(*macs));

	(void)state;
	assert_non_null(macs);
	for (uint64_t i = 0; i < 100000; i++) {
		rt_lab_macs_learn(macs, i, (uint32_t)(i & 7), i);
		assert_int_equal(rt_lab_macs_find(macs, i), i & 7);
	}
	free(macs);
}

/* A group is nobody's address: it takes no place, and is not found where it has one. */
static void test_groups_are_not_learned(void **state)
{
	struct rt_lab_macs *macs = calloc(1, sizeof(*macs));
	struct rt_lab_mac *entry;

	(void)state;
	assert_non_null(macs);
	rt_lab_macs_learn(macs, RT_LAB_MAC_GROUP | 5, 3, 1);
	for (unsigned set = 0; set < RT_LAB_MAC_SETS; set++)
		for (unsigned way = 0; way < RT_LAB_MAC_WAYS; way++)
			assert_false(macs->entries[set][way].used);
	for (unsigned set = 0; set < RT_LAB_MAC_SETS; set++) {
		entry = &macs->entries[set][0];
		*entry = (struct rt_lab_mac){ .mac = RT_LAB_MAC_GROUP | 5,
					      .host = 3,
					      .used = true };
	}
	assert_int_equal(rt_lab_macs_find(macs, RT_LAB_MAC_GROUP | 5),
			 RT_LAB_HOST_NONE);
	free(macs);
}

/* Of a full set the one that was seen longest ago gives way, whoever came first. */
static void test_the_least_recent_gives_way(void **state)
{
	struct rt_lab_macs *macs = calloc(1, sizeof(*macs));
	uint64_t macs_of_set[RT_LAB_MAC_WAYS + 1];
	unsigned count = 0;

	(void)state;
	assert_non_null(macs);
	for (uint64_t mac = 0; count < RT_ARRAY_SIZE(macs_of_set); mac++)
		if (rt_hash_pair(macs->seed, mac) % RT_LAB_MAC_SETS == 5)
			macs_of_set[count++] = mac;
	for (unsigned i = 0; i < RT_LAB_MAC_WAYS; i++)
		rt_lab_macs_learn(macs, macs_of_set[i], i, 10 + i);
	rt_lab_macs_learn(macs, macs_of_set[0], 7, 20); /* moved, and heard again */
	rt_lab_macs_learn(macs, macs_of_set[RT_LAB_MAC_WAYS], 9, 21);
	assert_int_equal(rt_lab_macs_find(macs, macs_of_set[0]), 7);
	assert_int_equal(rt_lab_macs_find(macs, macs_of_set[1]), RT_LAB_HOST_NONE);
	for (unsigned i = 2; i < RT_LAB_MAC_WAYS; i++)
		assert_int_equal(rt_lab_macs_find(macs, macs_of_set[i]), i);
	assert_int_equal(rt_lab_macs_find(macs, macs_of_set[RT_LAB_MAC_WAYS]), 9);
	free(macs);
}

static struct rt_topology_spec two_leaves(void)
{
	struct rt_topology_spec spec = soft_star(3);

	spec.kind = RT_TOPOLOGY_LEAF_SPINE;
	spec.leaves = 3;
	spec.spines = 2;
	return spec;
}

static void test_a_flood_reaches_each_host_once(void **state)
{
	const struct rt_topology_spec spec = two_leaves();
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	soft_open(sw);
	for (uint32_t from = 0; from < 9; from++) {
		sw->left_count = 0;
		soft_arrive(sw, from * RT_PS_PER_MS,
			    &(struct sent){ .from = from, .to = 1000 });
		soft_until(sw, (from + 1) * RT_PS_PER_MS - 1);
		assert_int_equal(sw->left_count, 8);
		for (uint32_t host = 0; host < 9; host++)
			assert_int_equal(soft_left(sw, host), host != from);
	}
	soft_free(sw);
}

/* Frames that came in and went nowhere, over all ports. */
static uint64_t filtered(struct soft_switch *sw)
{
	uint64_t sum = 0;

	rt_lab_core_counters(sw->core, &sw->counters);
	for (size_t i = 0; i < sw->counters.port_count; i++)
		sum += sw->ports[i].filtered;
	return sum;
}

/* A flood counts once where it comes in: as a frame, or as filtered if nobody is there. */
static void test_a_flood_that_reaches_nobody_is_filtered(void **state)
{
	static const struct {
		const char *label;
		unsigned kind;
		uint32_t hosts, leaves;
		unsigned left, filtered;
	} cases[] = {
		{ "two", RT_TOPOLOGY_STAR, 2, 1, 1, 0 },
		{ "four", RT_TOPOLOGY_STAR, 4, 1, 3, 0 },
		/* from the leaf, which sends it on, and at the spine */
		{ "a spine of one leaf", RT_TOPOLOGY_LEAF_SPINE, 3, 1, 2, 1 },
		{ "a spine of three", RT_TOPOLOGY_LEAF_SPINE, 3, 3, 8, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_topology_spec spec = soft_star(cases[i].hosts);
		struct soft_switch *sw;

		print_message("# %s\n", cases[i].label);
		spec.kind = cases[i].kind;
		spec.leaves = cases[i].leaves;
		sw = soft_new(&spec);
		soft_open(sw);
		soft_arrive(sw, 0, &(struct sent){ .from = 0, .to = 1000 });
		soft_until(sw, RT_PS_PER_MS);
		assert_int_equal(sw->left_count, cases[i].left);
		assert_int_equal(filtered(sw), cases[i].filtered);
		assert_int_equal(soft_counts(sw, 0, 0)->rx_frames, cases[i].left != 0);
		soft_free(sw);
	}
}

static void test_flows_spread_over_spines_and_keep_their_way(void **state)
{
	const struct rt_topology_spec spec = two_leaves();
	struct soft_switch *sw = soft_new(&spec);
	uint64_t by_spine[2] = { 0 };

	(void)state;
	soft_open(sw);
	soft_learn(sw, 9);
	for (uint16_t flow = 1; flow <= 100; flow++) {
		uint64_t before[2];

		/* Host 0 on leaf 0 to host 8; leaf 0 has ports 0-2, up 3 and 4. */
		for (unsigned up = 0; up < 2; up++)
			before[up] = sw->core->ports[3 + up].counts.prios[0].tx_frames;
		for (unsigned n = 0; n < 4; n++)
			soft_arrive(
				sw, sw->core->now_ps,
				&(struct sent){ .from = 0, .to = 8, .sport = flow });
		soft_until(sw, sw->core->now_ps + 100 * FRAME_TIME);
		for (unsigned up = 0; up < 2; up++) {
			const uint64_t sent =
				sw->core->ports[3 + up].counts.prios[0].tx_frames -
				before[up];

			assert_true(sent == 0 || sent == 4);
			by_spine[up] += sent;
		}
	}
	assert_int_equal(by_spine[0] + by_spine[1], 400);
	assert_in_range(by_spine[0], 120, 280);
	assert_int_equal(sw->left_count, 400);
	assert_int_equal(soft_left(sw, 8), 400);
	/* Three switches, one after the other: each takes a frame's time. */
	assert_int_equal(sw->left[0].time_ps, 3 * FRAME_DONE);
	soft_free(sw);
}

/* A table that contradicts the frame's way makes no loop. */
static void test_nothing_goes_up_twice(void **state)
{
	const struct rt_topology_spec spec = two_leaves();
	struct soft_switch *sw = soft_new(&spec);

	(void)state;
	for (uint32_t in = sw->topology.hosts; in < sw->topology.port_count; in++) {
		if (sw->topology.ports[in].role != RT_PORT_UP)
			continue;
		for (uint32_t host = 0; host < sw->topology.hosts; host++) {
			const uint32_t out = rt_lab_forward(&sw->topology, in, host, 5);

			assert_true(out == RT_LAB_PORT_NONE ||
				    sw->topology.ports[out].role == RT_PORT_HOST);
		}
		for (uint32_t out = sw->topology.hosts; out < sw->topology.port_count;
		     out++)
			if (sw->topology.ports[out].role == RT_PORT_UP)
				assert_false(rt_lab_floods(&sw->topology, in, out));
	}
	soft_free(sw);
}

/* --- sums ----------------------------------------------------------------- */

struct sums {
	uint64_t rx, tx, drops, queued_bytes;
};

static struct sums sums_of(struct soft_switch *sw)
{
	struct sums sums = { 0 };

	rt_lab_core_counters(sw->core, &sw->counters);
	for (size_t i = 0; i < sw->counters.port_count; i++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
			const struct rt_lab_switch_prio *counts =
				&sw->ports[i].prios[prio];

			sums.rx += counts->rx_frames;
			sums.tx += counts->tx_frames;
			sums.drops += counts->drops;
			sums.queued_bytes += counts->queue_bytes;
		}
	return sums;
}

/* Whatever is sent and paused: what came in is out, lost or there, and all ends. */
static void test_counters_add_up(void **state)
{
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 7, 0);
	for (unsigned round = 0; round < 20; round++) {
		const struct rt_topology_spec star = soft_star(4), tree = two_leaves();
		struct soft_switch *sw = soft_new(round % 2 ? &tree : &star);
		const uint32_t hosts = sw->topology.hosts;
		struct sums sums;
		uint64_t queued = 0;

		for (unsigned role = 0; role < RT_PORT_ROLES; role++)
			for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
				struct rt_pg_params *pg = &sw->laws.pg[role][prio];

				pg->lossless = prio < 4;
				pg->xoff_bytes = 8000;
				rt_red_init(&sw->laws.red[role][prio], 2000, 9000,
					    300000000);
				sw->laws.ecn[role][prio] = prio % 2;
			}
		sw->laws.egress.limit_bytes = 6000;
		sw->laws.queues[5].max_rate_bps = 50000000;
		sw->laws.queues[5].burst_bytes = 2000;
		soft_open(sw);
		soft_learn(sw, hosts);
		for (unsigned i = 0; i < 1500; i++) {
			const uint64_t now_ps = sw->core->now_ps +
						rt_rng_below(&rng, 4000 * NS);
			const uint32_t host = (uint32_t)rt_rng_below(&rng, hosts);

			if (rt_rng_below(&rng, 40) == 0)
				soft_pause(sw, now_ps, host, (unsigned)i % 8,
					   (uint16_t)rt_rng_below(&rng, 200));
			else
				soft_arrive(
					sw, now_ps,
					&(struct sent){
						.from = host,
						.to = i % 3 ? 0 : (host + 1) % hosts,
						.bytes = 60 + (uint32_t)rt_rng_below(
								      &rng, 1400),
						.prio = (uint8_t)rt_rng_below(&rng, 8),
						.ecn = RT_ECN_ECT1 });
			if (sw->left_count > LEFT_MAX / 2)
				sw->left_count = 0;
		}
		sums = sums_of(sw);
		for (uint32_t i = 0; i < sw->core->port_count; i++)
			for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
				struct rt_lab_queue *queue =
					&sw->core->ports[i].queues[prio];
				uint64_t at = queue->head;

				for (; at != queue->tail; queued++)
					rt_lab_queue_taken(queue, &at);
				/* Between switches a frame that is under way is out of
				 * the one and not yet in the other. */
				if (sw->core->ports[i].peer != RT_LAB_PORT_NONE)
					for (at = queue->free; at != queue->head;
					     queued++)
						rt_lab_queue_taken(queue, &at);
			}
		/* Each hop counts again: to the tree's frames under way one more rx. */
		assert_true(sums.rx >= sums.tx + sums.drops);
		if (!(round % 2))
			assert_int_equal(sums.rx, sums.tx + sums.drops + queued);
		assert_true(sums.drops > 0);
		sw->left_count = 0;
		soft_until(sw, sw->core->now_ps + 1000 * RT_PS_PER_MS);
		sums = sums_of(sw);
		assert_int_equal(sums.rx, sums.tx + sums.drops);
		assert_int_equal(sums.queued_bytes, 0);
		for (uint32_t node = 0; node < sw->topology.nodes - hosts; node++) {
			assert_int_equal(sw->core->pools[node].pool.used_bytes, 0);
			assert_int_equal(sw->core->pools[node].egress.used_bytes, 0);
		}
		assert_int_equal(rt_lab_core_next_ps(sw->core), RT_PS_NEVER);
		soft_free(sw);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_frames_are_read_within_their_bytes),
	     cmocka_unit_test(test_fragments_go_one_way),
	     cmocka_unit_test(test_frames_without_ip_have_priority_0),
	     cmocka_unit_test(test_addresses_are_learned_and_the_unknown_flood),
	     cmocka_unit_test(test_a_storm_of_addresses_is_bounded),
	     cmocka_unit_test(test_groups_are_not_learned),
	     cmocka_unit_test(test_the_least_recent_gives_way),
	     cmocka_unit_test(test_a_flood_reaches_each_host_once),
	     cmocka_unit_test(test_a_flood_that_reaches_nobody_is_filtered),
	     cmocka_unit_test(test_flows_spread_over_spines_and_keep_their_way),
	     cmocka_unit_test(test_nothing_goes_up_twice),
	     cmocka_unit_test(test_counters_add_up))
