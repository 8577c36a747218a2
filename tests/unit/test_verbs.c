/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verbs engine decides without a device, and how parts are opened. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "base/rng.h"
#include "rocetune/err.h"
#include "traffic/module.h"
#include "traffic/pace.h"
#include "traffic/verbs/choose.h"

/* --- GIDs ---------------------------------------------------------------------------- */

#define LOCAL          .bytes = { 0xfe, 0x80, [8] = 2, [15] = 1 }
#define V4(a, b, c, d) .bytes = { [10] = 0xff, 0xff, a, b, c, d }
#define V6(last)       .bytes = { 0x20, 0x01, 0x0d, 0xb8, [15] = last }
#define V1             .kind = VERBS_GID_ROCE_V1
#define V2             .kind = VERBS_GID_ROCE_V2

/* A ConnectX with an address, a VLAN on top, both versions of each. */
static const struct verbs_gid usual[] = {
	{ 0, V1, LOCAL, 5, 64 },           { 1, V2, LOCAL, 5, 64 },
	{ 2, V1, V4(10, 0, 0, 1), 5, 24 }, { 3, V2, V4(10, 0, 0, 1), 5, 24 },
	{ 4, V1, V4(10, 9, 0, 1), 7, 16 }, { 5, V2, V4(10, 9, 0, 1), 7, 16 },
};
/* A soft device on another host: another order, and no version 1. */
static const struct verbs_gid soft[] = {
	{ 0, V2, V6(7), 3, 64 },
	{ 1, V2, LOCAL, 3, 64 },
	{ 4, V2, V4(10, 9, 0, 2), 3, 16 },
};
static const struct verbs_gid six[] = { { 0, V2, LOCAL, 3, 64 },
					{ 1, V2, V6(7), 3, 64 } };
static const struct verbs_gid bare[] = { { 0, V2, LOCAL, 3, 64 },
					 { 1, .kind = VERBS_GID_ROCE_V2 } };

static struct verbs_port port_of(const char *device, const struct verbs_gid *gids,
				 size_t count)
{
	struct verbs_port port = { .number = 1,
				   .active = true,
				   .ethernet = true,
				   .state = "ACTIVE",
				   .gids = gids,
				   .gid_count = count };

	strcpy(port.device, device);
	return port;
}

#define PORT(device, gids) port_of(device, gids, RT_ARRAY_SIZE(gids))
#define ANY                  \
	{                    \
		.ifindex = 0 \
	}
#define IP4(a, b, c, d)                               \
	{                                             \
		.bytes = { a, b, c, d }, .version = 4 \
	}

static void test_a_gid_is_chosen_by_address(void **state)
{
	static const struct {
		const char *label;
		const struct verbs_gid *gids;
		size_t count;
		struct verbs_wish wish;
		int result;
		uint32_t index;
		const char *says;
	} cases[] = {
#define GIDS(gids) gids, RT_ARRAY_SIZE(gids)
		{ "IPv4 before link-local", GIDS(usual), ANY, 0, 3,
		  "the first IPv4 one" },
		{ "IPv4 before IPv6", GIDS(soft), ANY, 0, 4, "the first IPv4 one" },
		{ "IPv6 where there is no IPv4", GIDS(six), ANY, 0, 1, "IPv6" },
		{ "never link-local", GIDS(bare), ANY, -EADDRNOTAVAIL, 0,
		  "give its interface an address" },
		{ "an address by itself",
		  GIDS(usual),
		  { .ip = IP4(10, 9, 0, 1) },
		  0,
		  5,
		  "the address asked for" },
		{ "one of the same subnet",
		  GIDS(usual),
		  { .ip = IP4(10, 9, 44, 5) },
		  0,
		  5,
		  "in the subnet" },
		{ "the same word on another host",
		  GIDS(soft),
		  { .ip = IP4(10, 9, 44, 5) },
		  0,
		  4,
		  "in the subnet" },
		{ "no such subnet",
		  GIDS(usual),
		  { .ip = IP4(10, 8, 0, 5) },
		  -EADDRNOTAVAIL,
		  0,
		  "it has 0: fe80::" },
		{ "by index",
		  GIDS(usual),
		  { .gid_index = { 5, true } },
		  0,
		  5,
		  "as asked" },
		{ "by index even link-local",
		  GIDS(usual),
		  { .gid_index = { 1, true } },
		  0,
		  1,
		  "as asked" },
		{ "no such index",
		  GIDS(usual),
		  { .gid_index = { 6, true } },
		  -EADDRNOTAVAIL,
		  0,
		  "has no GID 6; it has 0:" },
		{ "version 1 is not spoken",
		  GIDS(usual),
		  { .gid_index = { 2, true } },
		  -EADDRNOTAVAIL,
		  0,
		  "not RoCE v2" },
		{ "of the interface that was named",
		  GIDS(usual),
		  { .netdev = "vlan9", .ifindex = 7 },
		  0,
		  5,
		  "which lies on vlan9" },
		{ "no device on that interface",
		  GIDS(usual),
		  { .netdev = "eth3", .ifindex = 33 },
		  -ENODEV,
		  0,
		  "'eth3'" },
		{ "another device",
		  GIDS(usual),
		  { .device = "mlx5_1" },
		  -ENODEV,
		  0,
		  "there are: mlx5_0/1" },
		{ "another port",
		  GIDS(usual),
		  { .device = "mlx5_0/2" },
		  -ENODEV,
		  0,
		  "'mlx5_0/2'" },
		{ "its port", GIDS(usual), { .device = "mlx5_0/1" }, 0, 3, "as named" },
		{ "the beginning of a name",
		  GIDS(usual),
		  { .device = "mlx5_" },
		  -ENODEV,
		  0,
		  "no RDMA device 'mlx5_'" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct verbs_port port = port_of("mlx5_0", cases[i].gids,
						       cases[i].count);
		struct verbs_choice choice = { 0 };
		struct rt_err err = { 0 };
		int r = verbs_choose(&port, 1, &cases[i].wish, &choice, &err);

		print_message("# %s: %d %s%s\n", cases[i].label, r, choice.why,
			      err.msg);
		assert_int_equal(r, cases[i].result);
		assert_non_null(strstr(r < 0 ? err.msg : choice.why, cases[i].says));
		if (r == 0)
			assert_int_equal(port.gids[choice.gid].index, cases[i].index);
	}
}

static void test_of_several_ports_only_one_may_be_meant(void **state)
{
	struct verbs_port ports[] = { PORT("mlx5_0", usual), PORT("rxe0", soft) };
	struct verbs_wish wish = { 0 };
	struct verbs_choice choice = { 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(verbs_choose(ports, 2, &wish, &choice, &err), -ENOTUNIQ);
	assert_non_null(strstr(err.msg, "mlx5_0/1, rxe0/1"));
	wish.ip = (struct rt_ip)IP4(10, 9, 0, 2);
	assert_int_equal(verbs_choose(ports, 2, &wish, &choice, &err), 0);
	assert_int_equal(choice.port, 1);
	wish.ip = (struct rt_ip)IP4(10, 9, 3, 3); /* both are in its subnet */
	assert_int_equal(verbs_choose(ports, 2, &wish, &choice, &err), -ENOTUNIQ);
	ports[0].active = false;
	assert_int_equal(verbs_choose(ports, 2, &wish, &choice, &err), 0);
	assert_int_equal(choice.port, 1);
	assert_non_null(strstr(choice.why, "the one that is usable"));
	ports[1].ethernet = false;
	assert_int_equal(verbs_choose(ports, 2, &wish, &choice, &err), -EADDRNOTAVAIL);
}

static void test_a_port_that_is_no_use_says_why(void **state)
{
	struct verbs_port port = PORT("mlx5_0", usual);
	const struct verbs_wish wish = { .device = "mlx5_0" };
	struct verbs_choice choice;
	struct rt_err err = { 0 };

	(void)state;
	port.active = false;
	strcpy(port.state, "DOWN");
	assert_int_equal(verbs_choose(&port, 1, &wish, &choice, &err), -ENETDOWN);
	assert_non_null(strstr(err.msg, "mlx5_0/1 is DOWN"));
	port.ethernet = false;
	assert_int_equal(verbs_choose(&port, 1, &wish, &choice, &err),
			 -EPROTONOSUPPORT);
	assert_int_equal(verbs_choose(&port, 0, &wish, &choice, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "there are: none"));
}

/* --- locked memory, words, numbers --------------------------------------------------- */

static void test_locked_memory_is_judged_before_it_is_needed(void **state)
{
	static const struct {
		struct verbs_lock_room room;
		uint64_t need;
		int result;
	} cases[] = {
		{ { .limit_bytes = 65536 }, 65536, 0 },
		{ { .limit_bytes = 65536 }, 65537, -ENOMEM },
		{ { .limit_bytes = 65536, .pinned_bytes = 4096 }, 65536, -ENOMEM },
		{ { .limit_bytes = 65536, .pinned_bytes = 4096 }, 61440, 0 },
		{ { .limit_bytes = 65536, .pinned_bytes = 70000 }, 1, -ENOMEM },
		{ { .limit_bytes = 65536, .exempt = true }, UINT64_MAX, 0 },
		{ { .limit_bytes = UINT64_MAX, .pinned_bytes = 1 }, UINT64_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_err err = { 0 };
		int r = verbs_lock_check(&cases[i].room, cases[i].need, &err);

		assert_int_equal(r, cases[i].result);
		if (r < 0) {
			assert_non_null(strstr(err.msg, "ulimit -l unlimited"));
			assert_non_null(strstr(err.msg, "LimitMEMLOCK=infinity"));
			assert_non_null(strstr(err.msg, "/etc/security/limits.d"));
		}
	}
}

static void test_what_a_process_may_lock_is_in_its_status(void **state)
{
	struct verbs_lock_room room = { 0 };

	(void)state;
	verbs_lock_room_read(
		"Name:\tx\nVmPin:\t    1024 kB\nCapEff:\t0000000000004000\n", &room);
	assert_true(room.exempt);
	assert_int_equal(room.pinned_bytes, 1048576);
	verbs_lock_room_read("Name:\tx\nCapEff:\tffffffffffffbfff\n", &room);
	assert_false(room.exempt);
	assert_int_equal(room.pinned_bytes, 0);
	verbs_lock_room_read("", &room);
	assert_false(room.exempt);
}

static void test_numbers_have_their_verbs_names(void **state)
{
	(void)state;
	assert_string_equal(verbs_status_name(12), "IBV_WC_RETRY_EXC_ERR");
	assert_string_equal(verbs_status_name(13), "IBV_WC_RNR_RETRY_EXC_ERR");
	assert_string_equal(verbs_status_name(5), "IBV_WC_WR_FLUSH_ERR");
	assert_string_equal(verbs_status_name(99), "IBV_WC_(not known)");
	assert_string_equal(verbs_event_name(10), "IBV_EVENT_PORT_ERR");
	assert_string_equal(verbs_event_name(8), "IBV_EVENT_DEVICE_FATAL");
	assert_string_equal(verbs_event_name(99), "IBV_EVENT_(not known)");
	assert_int_equal(verbs_mtu_code(4096), 5);
	assert_int_equal(verbs_mtu_code(256), 1);
	assert_int_equal(verbs_mtu_code(1500), 0);
	assert_int_equal(verbs_mtu_code(0), 0);
	assert_int_equal(verbs_mtu_bytes(3), 1024);
	assert_int_equal(verbs_mtu_bytes(6), 0);
	assert_true(verbs_speed_bps(128, 2).value == 400000000000);
	assert_true(verbs_speed_bps(32, 2).value == 100000000000);
	assert_true(verbs_speed_bps(32, 1).value == 25000000000);
	assert_false(verbs_speed_bps(3, 2).known);
	assert_false(verbs_speed_bps(32, 0).known);
}

/* --- pace ---------------------------------------------------------------------------- */

#define MS INT64_C(1000000)

/* Payload posted from `from` to `to` by a sender that looks every step_ns or so. */
static uint64_t run(struct rt_pace *pace, uint64_t bytes, int64_t from, int64_t to,
		    uint64_t step_ns, struct rt_rng *rng)
{
	uint64_t sent = 0;

	for (int64_t now = from; now < to;
	     now += 1 + (int64_t)rt_rng_below(rng, 2 * step_ns))
		while (rt_pace_next(pace, now) <= now) {
			rt_pace_spend(pace, bytes);
			sent += bytes;
		}
	return sent;
}

static void test_a_cap_is_kept_whatever_wakes_late(void **state)
{
	static const struct {
		uint64_t rate_bps, bytes, step_ns;
	} cases[] = {
		{ 1000000000, 65536, 5000 },       { 1000000000, 65536, 4000000 },
		{ 65000000000, 65536, 1000 },      { 65000000000, 4096, 50000 },
		{ 333333333, 1, 20000 },           { 3, 1, 1000000 },
		{ 400000000000, 1 << 20, 100000 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const int64_t span = (cases[i].rate_bps < 1000 ? 20000 : 500) * MS;
		const double wanted = (double)cases[i].rate_bps / 8e9 * (double)span;
		struct rt_rng rng;
		struct rt_pace pace;
		uint64_t sent;

		rt_rng_init(&rng, i, 0);
		rt_pace_init(&pace, cases[i].rate_bps, 7 * MS, 0, 0);
		sent = run(&pace, cases[i].bytes, 0, 7 * MS + span, cases[i].step_ns,
			   &rng);
		print_message("# %llu b/s: %.6f of what is asked\n",
			      (unsigned long long)cases[i].rate_bps,
			      (double)sent / wanted);
		/* One message, and what one late look costs, is as near as it gets. */
		assert_true((double)sent <= wanted + (double)cases[i].bytes);
		assert_true((double)sent >= wanted * 0.98 - (double)cases[i].bytes);
	}
}

static void test_what_the_network_held_back_is_not_made_up_for(void **state)
{
	struct rt_pace pace;
	struct rt_rng rng;
	uint64_t sent;

	(void)state;
	rt_rng_init(&rng, 1, 0);
	rt_pace_init(&pace, 800000000, 0, 0, 0); /* 100 kB a millisecond */
	run(&pace, 1000, 0, 100 * MS, 1000, &rng);
	/* Held for 900 ms: then the rate, and 20 ms of debt, no more. */
	sent = run(&pace, 1000, 1000 * MS, 1100 * MS, 1000, &rng);
	assert_true(sent >= 11900000 && sent <= 12100000);
}

static void test_bursts_begin_and_end_by_the_clock(void **state)
{
	struct rt_pace pace;
	struct rt_rng rng;
	uint64_t sent;

	(void)state;
	rt_pace_init(&pace, 0, 10 * MS, 2 * MS, 3 * MS);
	assert_true(rt_pace_next(&pace, 0) == 10 * MS);
	assert_true(rt_pace_next(&pace, 10 * MS) == 10 * MS);
	assert_true(rt_pace_next(&pace, 12 * MS - 1) == 12 * MS - 1);
	assert_true(rt_pace_next(&pace, 12 * MS) == 15 * MS);
	assert_true(rt_pace_next(&pace, 15 * MS - 1) == 15 * MS);
	assert_true(rt_pace_next(&pace, 16 * MS) == 16 * MS);
	/* With a cap too: the rate within a burst, and silence earns nothing. */
	rt_rng_init(&rng, 1, 0);
	rt_pace_init(&pace, 800000000, 0, 20 * MS, 80 * MS);
	sent = run(&pace, 1000, 0, 1000 * MS, 1000, &rng);
	assert_true(sent >= 19900000 && sent <= 20100000);
}

/* --- modules ------------------------------------------------------------------------- */

static void test_a_module_that_is_not_there_says_so(void **state)
{
	const struct rt_module *module = NULL;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_module_open("nosuch", &module, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "rocetune-nosuch.so is neither beside"));
	assert_int_equal(rt_module_open("../x", &module, &err), -EINVAL);
	assert_int_equal(rt_module_open("", &module, &err), -EINVAL);
	assert_null(module);
	assert_string_equal(rt_module_package("libibverbs.so.1"), "libibverbs1");
	assert_string_equal(rt_module_package("libpmix.so.2"), "libpmix2");
	assert_null(rt_module_package("libnothing.so"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_a_gid_is_chosen_by_address),
	     cmocka_unit_test(test_of_several_ports_only_one_may_be_meant),
	     cmocka_unit_test(test_a_port_that_is_no_use_says_why),
	     cmocka_unit_test(test_locked_memory_is_judged_before_it_is_needed),
	     cmocka_unit_test(test_what_a_process_may_lock_is_in_its_status),
	     cmocka_unit_test(test_numbers_have_their_verbs_names),
	     cmocka_unit_test(test_a_cap_is_kept_whatever_wakes_late),
	     cmocka_unit_test(test_what_the_network_held_back_is_not_made_up_for),
	     cmocka_unit_test(test_bursts_begin_and_end_by_the_clock),
	     cmocka_unit_test(test_a_module_that_is_not_there_says_so))
