/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <time.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/own.h"
#include "kern/kern.h"
#include "kern/route.h"
#include "netns.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "traffic/engine.h"
#include "traffic/soft.h"
#include "traffic/soft_engine.h"
#include "traffic/soft_pick.h"

/*
 * rta and rtb, both here; far has its other end in a namespace of its own, where the
 * kernel answers for 10.9.0.2 and fd09::2.
 */
static int set_up_far(void)
{
	const int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	const int there = veth_namespace();

	if (there < 0 || veth_make("far", "end", there) < 0 ||
	    setns(there, CLONE_NEWNET) < 0)
		return -1;
	if (veth_up("end", 0) < 0 || veth_address("end", "10.9.0.2", 24) < 0 ||
	    veth_address("end", "fd09::2", 64) < 0)
		return -1;
	return setns(here, CLONE_NEWNET);
}

static int set_up(void **state)
{
	(void)state;
	have_veth = veth_unshare() == 0 && veth_make("rta", "rtb", -1) == 0 &&
		    set_up_far() == 0;
	if (!have_veth)
		return 0;
	if (veth_up("rta", 4300) < 0 || veth_up("rtb", 4300) < 0 ||
	    veth_up("far", 0) < 0)
		return -1;
	veth_address("rta", "10.0.0.1", 24);
	veth_address("rtb", "10.0.0.2", 24);
	veth_address("rta", "fd00::1", 64);
	veth_address("rtb", "fd00::2", 64);
	veth_address("far", "10.9.0.1", 24);
	veth_address("far", "fd09::1", 64);
	return 0;
}

static struct rt_engine *open_on(const char *netdev, const char *ip)
{
	struct rt_engine_config config = { .line_rate_bps = 1000000000 };
	struct rt_engine *engine = NULL;
	struct rt_err err = { 0 };

	strcpy(config.netdev, netdev);
	if (ip) {
		config.ip.version = 6;
		inet_pton(AF_INET6, ip, config.ip.bytes);
	}
	if (rt_engine_soft.open(&config, &engine, &err) < 0)
		print_message("# %s\n", err.msg);
	assert_non_null(engine);
	return engine;
}

static void work_both(struct rt_engine *engines[2], int64_t ns)
{
	const int64_t until_ns = rt_monotonic_ns() + ns;
	struct rt_err err;

	while (rt_monotonic_ns() < until_ns)
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(engines[i]->ops->work(
						 engines[i], rt_monotonic_ns() + 200000,
						 -1, &err),
					 0);
}

/* What it was not there for it tells once, and then no more. */
static void be_away(struct rt_engine *engines[2])
{
	const struct timespec away = { .tv_nsec = 30000000 };
	struct rt_engine_health health;

	work_both(engines, 1000000);
	engines[1]->ops->health(engines[1], &health);
	nanosleep(&away, NULL);
	work_both(engines, 1000000);
	engines[1]->ops->health(engines[1], &health);
	assert_true(health.late_max_ns.value >= 29000000);
	assert_true(health.away_ns.value >= health.late_max_ns.value);
	engines[1]->ops->health(engines[1], &health);
	assert_int_equal(health.away_ns.value, 0);
	assert_int_equal(health.late_max_ns.value, 0);
}

static void carry(bool v6)
{
	const struct rt_traffic_flow flow = { .to = 1,
					      .op = RT_TRAFFIC_WRITE,
					      .message_bytes = 100000,
					      .total_bytes = 2000000,
					      .outstanding = 4,
					      .dscp = 26,
					      .ecn = RT_ECN_ECT0,
					      .prio = 3 };
	RT_AUTO(rt_auto_free)
	struct rt_histogram *latency = calloc(1, sizeof(*latency));
	struct rt_engine *engines[2];
	struct rt_qp_address address[2];
	struct rt_qp_totals totals[2];
	struct rt_engine_health health;
	struct rt_soft_strays strays;
	uint64_t dropped;
	unsigned index;

	engines[0] = open_on("rta", v6 ? "fd00::1" : NULL);
	engines[1] = open_on("rtb", v6 ? "fd00::2" : NULL);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(engines[i]->ops->qp_create(engines[i], &flow, i == 0,
							    &index, &address[i], NULL),
				 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			engines[i]->ops->qp_connect(engines[i], 0, &address[!i], NULL),
			0);
	for (unsigned i = 0; i < 2; i++)
		engines[i]->ops->begin(engines[i], rt_monotonic_ns());
	for (unsigned tries = 0; tries < 1000; tries++) {
		work_both(engines, 5000000);
		for (unsigned i = 0; i < 2; i++)
			engines[i]->ops->totals(engines[i], 0, &totals[i]);
		if (totals[0].state == RT_QP_DONE)
			break;
	}
	assert_int_equal(totals[0].state, RT_QP_DONE);
	assert_int_equal(totals[1].state, RT_QP_DONE);
	assert_int_equal(totals[0].bytes.value, 2000000);
	assert_int_equal(totals[1].bytes.value, 2000000);
	assert_int_equal(totals[1].messages.value, 20);
	engines[0]->ops->latency(engines[0], 0, latency);
	assert_int_equal(latency->count, 20);
	rt_soft_engine_strays(engines[1], &strays, &dropped);
	assert_int_equal(strays.bad_icrc + strays.malformed + strays.unknown_qp, 0);
	engines[1]->ops->health(engines[1], &health);
	assert_int_equal(health.ring_drops.value, dropped);
	assert_int_equal(health.strays.value, 0);
	be_away(engines);
	engines[0]->ops->close(engines[0]);
	engines[1]->ops->close(engines[1]);
}

static void test_engines_carry_data_over_a_link(void **state)
{
	(void)state;
	NEED_VETH();
	carry(false);
	carry(true);
}

static void test_engine_says_what_it_chose(void **state)
{
	struct rt_engine_about about;
	struct rt_engine *engine;

	(void)state;
	NEED_VETH();
	engine = open_on("rta", NULL);
	engine->ops->about(engine, &about);
	assert_string_equal(about.engine, "soft");
	assert_string_equal(about.netdev, "rta");
	assert_string_equal(about.chosen,
			    "rta: as told; 10.0.0.1: its first IPv4 address");
	assert_int_equal(about.mtu_bytes, 1024); /* the laws' */
	engine->ops->close(engine);
}

static void test_what_cannot_be_opened_says_why(void **state)
{
	static const struct {
		const char *label, *netdev, *ip;
		uint32_t mtu;
		int result;
		const char *says;
	} cases[] = {
		{ "no such", "rtnone", NULL, 0, -ENODEV,
		  "rtnone: there is no such interface here" },
		{ "not its address", "rtb", "10.0.0.1", 0, -ENODEV,
		  "rtb does not have the address 10.0.0.1" },
		{ "nobody's address", "", "10.77.0.1", 0, -ENODEV,
		  "no interface has the address 10.77.0.1" },
		{ "too large", "far", NULL, 4096, -EMSGSIZE,
		  "far: a path MTU of 4096 bytes needs an interface MTU of 4180, and "
		  "it is 1500" },
		{ "taken", "rta", NULL, 0, -EADDRINUSE,
		  "10.0.0.1: UDP port 4791 is somebody's already: another soft engine, "
		  "or a software RDMA device; several agents on one machine work with "
		  "--engine null, or in a fabric of `rocetune lab run`" },
	};
	struct rt_engine *first, *engine;

	(void)state;
	NEED_VETH();
	first = open_on("rta", NULL);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_engine_config config = { .mtu_bytes = cases[i].mtu };
		struct rt_err err = { 0 };

		print_message("# %s\n", cases[i].label);
		strcpy(config.netdev, cases[i].netdev);
		if (cases[i].ip) {
			config.ip.version = 4;
			inet_pton(AF_INET, cases[i].ip, config.ip.bytes);
		}
		assert_int_equal(rt_engine_soft.open(&config, &engine, &err),
				 cases[i].result);
		assert_string_equal(err.msg, cases[i].says);
	}
	first->ops->close(first);
}

/* The live kernel, where rta is told to be an RDMA device's. */
struct rdma_kern {
	struct rt_kern kern;
	struct rt_kern_ops ops;
	struct rt_kern *live;
};

static int links_of_live(struct rt_kern *kern, struct rt_links *ret_links,
			 struct rt_err *err)
{
	struct rt_kern *live = ((struct rdma_kern *)kern)->live;

	return live->ops->links(live, ret_links, err);
}

static int rta_is_owned(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
			struct rt_err *err)
{
	(void)kern;
	(void)err;
	ret_ports->items = calloc(1, sizeof(*ret_ports->items));
	ret_ports->items[0].ifindex = if_nametoindex("rta");
	ret_ports->count = 1;
	return 0;
}

static int no_speed(struct rt_kern *kern, const char *netdev,
		    struct rt_opt_u64 *ret_bps, struct rt_err *err)
{
	(void)kern;
	(void)netdev;
	(void)ret_bps;
	(void)err;
	return -EOPNOTSUPP;
}

static void test_interfaces_of_rdma_devices_are_left_alone(void **state)
{
	static const struct rt_ip any,
		owned = { .version = 4, .bytes = { 10, 0, 0, 1 } };
	struct rdma_kern rdma = { .kern.ops = &rdma.ops,
				  .ops = { .links = links_of_live,
					   .rdma_ports = rta_is_owned,
					   .speed_get = no_speed } };
	struct rt_soft_place place;
	struct rt_err err = { 0 };

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_kern_open_live(&rdma.live, NULL), 0);
	assert_int_equal(rt_soft_pick(&rdma.kern, "rta", &any, &place, &err), -EBUSY);
	assert_string_equal(err.msg,
			    "rta belongs to an RDMA device, whose NIC takes UDP port "
			    "4791 for itself: use the verbs engine there");
	assert_int_equal(rt_soft_pick(&rdma.kern, "", &owned, &place, &err), -EBUSY);
	assert_int_equal(rt_soft_pick(&rdma.kern, "", &any, &place, &err), 0);
	assert_string_not_equal(place.netdev, "rta");
	assert_false(place.speed_bps.known);
	rt_kern_close(rdma.live);
}

/* What the kernel says of its RDMA devices: rdma_failure of the test that runs. */
static int rdma_failure;

static int rdma_fails(struct rt_kern *kern, struct rt_rdma_ports *ret_ports,
		      struct rt_err *err)
{
	(void)kern;
	(void)ret_ports;
	return rt_err_sys(err, rdma_failure, "cannot list RDMA devices");
}

/* Only a kernel without RDMA has no NIC that could be in the way. */
static void test_guard_holds_when_rdma_cannot_be_listed(void **state)
{
	static const int failures[] = { -EMFILE, -EPERM,  -EPROTO,   -ENOMEM,
					-EINVAL, -EAGAIN, -ETIMEDOUT };
	static const struct rt_ip any;
	struct rdma_kern rdma = { .kern.ops = &rdma.ops,
				  .ops = { .links = links_of_live,
					   .rdma_ports = rdma_fails,
					   .speed_get = no_speed } };
	struct rt_soft_place place;

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_kern_open_live(&rdma.live, NULL), 0);
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		struct rt_err err = { 0 };

		rdma_failure = failures[i];
		assert_int_equal(rt_soft_pick(&rdma.kern, "rta", &any, &place, &err),
				 failures[i]);
		assert_non_null(strstr(err.msg, "belong to RDMA devices"));
		assert_non_null(strstr(err.msg, "cannot list RDMA devices"));
	}
	rdma_failure = -EOPNOTSUPP;
	assert_int_equal(rt_soft_pick(&rdma.kern, "rta", &any, &place, NULL), 0);
	rt_kern_close(rdma.live);
}

static void test_next_hop_is_asked_for(void **state)
{
	struct rt_ip ip = { .version = 4, .bytes = { 10, 9, 0, 2 } };
	uint8_t mac[6] = { 0 };
	struct rt_err err = { 0 };
	struct rt_route route;

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_route_lookup(&ip, 0, &route, &err), 0);
	assert_int_equal(route.ifindex, if_nametoindex("far"));
	assert_int_equal(route.gateway.version, 0);
	assert_int_equal(route.source.bytes[3], 1);
	assert_int_equal(rt_next_hop(&ip, 0, 3000, mac, &err), 0);
	assert_true(mac[0] | mac[5]);
	ip.bytes[3] = 77;
	assert_int_equal(rt_next_hop(&ip, 0, 20, mac, &err), -EHOSTUNREACH);
	assert_string_equal(err.msg, "10.9.0.77: nobody answers with a MAC address: is "
				     "it up, and in this network?");
	ip.bytes[3] = 1;
	assert_int_equal(rt_next_hop(&ip, 0, 20, mac, &err), -EHOSTUNREACH);
	assert_string_equal(err.msg, "no route to 10.9.0.1: that is this host itself");
	ip.bytes[0] = 11;
	assert_int_equal(rt_next_hop(&ip, 0, 20, mac, &err), -ENETUNREACH);
	ip = (struct rt_ip){ .version = 6 };
	inet_pton(AF_INET6, "fd09::2", ip.bytes);
	assert_int_equal(rt_next_hop(&ip, 0, 3000, mac, &err), 0);
}

static void test_work_ends_when_it_is_woken(void **state)
{
	const int64_t before_ns = rt_monotonic_ns();
	struct rt_engine *engine;
	int fds[2];

	(void)state;
	NEED_VETH();
	engine = open_on("rta", NULL);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "", 1), 1);
	assert_int_equal(
		engine->ops->work(engine, before_ns + 60000000000, fds[0], NULL), 0);
	assert_true(rt_monotonic_ns() - before_ns < 30000000000);
	engine->ops->close(engine);
}

/* The last test: the pair is gone after it. */
static void test_an_interface_that_goes_away_ends_the_engine(void **state)
{
	struct rt_err err = { 0 };
	struct rt_engine *engine;

	(void)state;
	NEED_VETH();
	engine = open_on("rta", NULL);
	assert_int_equal(veth_set("rtb", RTM_DELLINK, false, 0), 0);
	assert_int_equal(
		engine->ops->work(engine, rt_monotonic_ns() + 30000000000, -1, &err),
		-ENODEV);
	assert_string_equal(err.msg, "rta: the interface is gone");
	engine->ops->close(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engines_carry_data_over_a_link),
		cmocka_unit_test(test_engine_says_what_it_chose),
		cmocka_unit_test(test_what_cannot_be_opened_says_why),
		cmocka_unit_test(test_interfaces_of_rdma_devices_are_left_alone),
		cmocka_unit_test(test_guard_holds_when_rdma_cannot_be_listed),
		cmocka_unit_test(test_next_hop_is_asked_for),
		cmocka_unit_test(test_work_ends_when_it_is_woken),
		cmocka_unit_test(test_an_interface_that_goes_away_ends_the_engine),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
