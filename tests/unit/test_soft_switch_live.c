/* SPDX-License-Identifier: BSD-2-Clause */
/* The soft switch between interfaces, in a network namespace of the test's own: three
 * hosts by raw frames on a star of 50 Mb/s. */
#include "unit.h"

#include <string.h>
#include <time.h>

#include "../tools/veth.h"
#include "base/own.h"
#include "pktio/ring.h"
#include "soft_switch.h"

#define HOSTS    3u
#define RATE_BPS 50000000u
#define RUN_NS   INT64_C(400000000)
#define STEP_NS  INT64_C(200000)
#define BURST    60u /* a step: more than the port's rate, however slow the test is */

static bool have_veth;

static int set_up(void **state)
{
	char host[IFNAMSIZ], port[IFNAMSIZ], path[80];

	(void)state;
	have_veth = veth_unshare() == 0;
	for (unsigned i = 0; i < HOSTS && have_veth; i++) {
		snprintf(host, sizeof(host), "h%u", i);
		snprintf(port, sizeof(port), "p%u", i);
		have_veth = veth_make(host, port, -1) == 0;
		for (unsigned end = 0; end < 2 && have_veth; end++) {
			snprintf(path, sizeof(path),
				 "/proc/sys/net/ipv6/conf/%s/disable_ipv6",
				 end ? port : host);
			veth_write(path, "1");
			have_veth = veth_up(end ? port : host, 0) == 0;
		}
	}
	return 0;
}

#define NEED_VETH()                                                              \
	do {                                                                     \
		if (!have_veth) {                                                \
			print_message("# skipped: no network namespace here\n"); \
			skip();                                                  \
		}                                                                \
	} while (0)

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A host that counts what comes and stops when it is asked to. */
struct host {
	struct rt_ring *ring;
	uint64_t sent, got, got_bytes, ce, xoff, xon;
	uint64_t from[HOSTS]; /* what came, by who sent it */
	bool paused;
};

struct live {
	struct soft_switch *soft; /* topology and laws */
	struct rt_lab_switch *sw;
	struct host hosts[HOSTS];
	struct rt_lab_switch_counters counters;
	struct rt_lab_switch_port ports[HOSTS];
};

static struct live *live_new(void)
{
	struct rt_topology_spec spec = soft_star(HOSTS);
	struct live *live = calloc(1, sizeof(*live));

	assert_non_null(live);
	spec.speed_bps = RATE_BPS;
	live->soft = soft_new(&spec);
	live->counters.ports = live->ports;
	return live;
}

static void live_open(struct live *live)
{
	static const char *const netdevs[2 * HOSTS] = { NULL, NULL, NULL,
							"p0", "p1", "p2" };
	struct rt_lab_switch_config config = { .topology = &live->soft->topology,
					       .laws = &live->soft->laws,
					       .netdevs = netdevs };
	struct rt_err err = { 0 };

	for (unsigned dscp = 0; dscp < 64; dscp++)
		config.prio_of_dscp[dscp] = (uint8_t)(dscp / 8);
	if (rt_lab_switch_open(&config, &live->sw, &err) < 0)
		print_message("# %s\n", err.msg);
	assert_non_null(live->sw);
	for (unsigned i = 0; i < HOSTS; i++) {
		char netdev[IFNAMSIZ];

		snprintf(netdev, sizeof(netdev), "h%u", i);
		assert_int_equal(
			rt_ring_open(&(struct rt_ring_config){ .netdev = netdev,
							       .filter = RT_RING_ALL,
							       .promiscuous = true },
				     &live->hosts[i].ring, NULL),
			0);
	}
}

static void live_free(struct live *live)
{
	rt_lab_switch_close(live->sw);
	for (unsigned i = 0; i < HOSTS; i++)
		rt_ring_close(live->hosts[i].ring);
	soft_free(live->soft);
	free(live);
}

static void send_frame(struct live *live, const struct sent *sent)
{
	uint8_t frame[SOFT_FRAME_MAX];
	const struct iovec one = { .iov_base = frame,
				   .iov_len = soft_frame(frame, sent) };

	assert_int_equal(rt_ring_send(live->hosts[sent->from].ring, &one, 1, NULL), 1);
	live->hosts[sent->from].sent++;
}

static void take_frame(struct host *host, const struct rt_ring_frame *got)
{
	struct rt_frame frame = { .link_type = RT_LINK_ETHERNET,
				  .cap_bytes = got->bytes,
				  .wire_bytes = got->bytes };

	rt_frame_decode(&frame, got->data, 0);
	if (frame.kind == RT_FRAME_PFC) {
		assert_int_equal(frame.pause.enable, 1 << PRIO);
		host->paused = frame.pause.quanta[PRIO] != 0;
		host->xoff += host->paused;
		host->xon += !host->paused;
		return;
	}
	host->got++;
	host->got_bytes += got->bytes;
	host->ce += frame.ecn == RT_ECN_CE;
	assert_in_range(frame.eth_src[5], 0, HOSTS - 1);
	host->from[frame.eth_src[5]]++;
}

static void receive(struct host *host)
{
	struct rt_ring_frame frames[32];
	unsigned count;

	while ((count = rt_ring_receive(host->ring, frames, 32))) {
		for (unsigned i = 0; i < count; i++)
			take_frame(host, &frames[i]);
		rt_ring_release(host->ring);
	}
}

/* For so long, with what senders may send each step. */
static void run(struct live *live, int64_t run_ns, unsigned burst,
		const struct sent *sent)
{
	const int64_t from_ns = now_ns();

	for (int64_t at_ns = from_ns; at_ns < from_ns + run_ns; at_ns += STEP_NS) {
		struct rt_err err = { 0 };

		for (uint32_t from = 0; from < 2; from++)
			for (unsigned i = 0; i < burst && !live->hosts[from].paused;
			     i++) {
				struct sent one = *sent;

				one.from = from;
				send_frame(live, &one);
			}
		if (rt_lab_switch_work(live->sw, at_ns + STEP_NS, -1, &err) < 0)
			print_message("# %s\n", err.msg);
		assert_int_equal(err.code, 0);
		for (unsigned i = 0; i < HOSTS; i++)
			receive(&live->hosts[i]);
	}
	rt_lab_switch_counters(live->sw, &live->counters);
}

/* Host 2 speaks to itself: the switch keeps it, and knows where host 2 is. */
static void learn(struct live *live)
{
	send_frame(live, &(struct sent){ .from = 2, .to = 2, .bytes = 60 });
	for (unsigned i = 0; i < 1000 && !live->ports[2].filtered; i++)
		run(live, STEP_NS, 0, NULL);
	assert_int_equal(live->ports[2].filtered, 1);
}

/* Two hosts send all they may to a third: what the port's rate lets through arrives. */
static void test_an_incast_is_paced_paused_and_marked(void **state)
{
	struct live *live;
	const struct sent sent = { .to = 2, .prio = PRIO, .ecn = RT_ECN_ECT0 };
	const struct rt_lab_switch_prio *out, *in;
	const struct host *receiver;
	int64_t began_ns;

	(void)state;
	NEED_VETH();
	live = live_new();
	for (unsigned role = 0; role < RT_PORT_ROLES; role++) {
		live->soft->laws.pg[role][PRIO].xoff_bytes = 20000;
		live->soft->laws.pg[role][PRIO].headroom_bytes = 100000;
		live->soft->laws.ecn[role][PRIO] = true;
		rt_red_init(&live->soft->laws.red[role][PRIO], 5000, 60000, 500000000);
	}
	live->soft->laws.pause_quanta = 65535;
	live_open(live);
	learn(live);
	began_ns = now_ns();
	run(live, RUN_NS, BURST, &sent);
	/* All that is there comes out. */
	for (unsigned i = 0; i < 50; i++)
		run(live, 20 * STEP_NS, 0, &sent);

	receiver = &live->hosts[2];
	out = &live->ports[2].prios[PRIO];
	print_message("# %llu frames in %lld ms, %llu marked, %llu and %llu XOFF, late "
		      "%llu us\n",
		      (unsigned long long)receiver->got,
		      (long long)(now_ns() - began_ns) / 1000000,
		      (unsigned long long)receiver->ce,
		      (unsigned long long)live->hosts[0].xoff,
		      (unsigned long long)live->hosts[1].xoff,
		      (unsigned long long)live->ports[2].late_max_ns / 1000);
	for (unsigned i = 0; i < 2; i++) {
		in = &live->ports[i].prios[PRIO];
		assert_int_equal(in->rx_frames, live->hosts[i].sent);
		assert_int_equal(in->rx_bytes, live->hosts[i].sent * FRAME);
		assert_int_equal(in->drops, 0);
		assert_int_equal(in->tx_xoff, live->hosts[i].xoff);
		assert_int_equal(in->tx_xon, live->hosts[i].xon);
		assert_true(in->tx_xoff > 0 && in->tx_xon > 0 && in->tx_paused_ns > 0);
		assert_int_equal(live->ports[i].ring_drops, 0);
		/* Neither is starved. */
		assert_true(receiver->from[i] * 4 > receiver->got);
	}
	assert_int_equal(out->tx_frames, receiver->got);
	assert_int_equal(out->tx_bytes, receiver->got_bytes);
	assert_int_equal(out->tx_ce, receiver->ce);
	assert_int_equal(receiver->got, live->hosts[0].sent + live->hosts[1].sent);
	assert_int_equal(out->queue_bytes, 0);
	assert_true(receiver->ce > 0);
	/* Never above the port's rate: 1020 bytes take 163.2 us. */
	assert_true(receiver->got * 163200 <
		    (uint64_t)(now_ns() - began_ns) + 20000000);
	live_free(live);
}

/* Without PFC the queue's limit is where frames are lost, and both ends count the same. */
static void test_a_lossy_incast_loses_what_the_switch_says(void **state)
{
	struct live *live;
	const struct sent sent = { .to = 2, .prio = 1, .ecn = RT_ECN_ECT0 };
	const struct rt_lab_switch_prio *out;

	(void)state;
	NEED_VETH();
	live = live_new();
	for (unsigned role = 0; role < RT_PORT_ROLES; role++)
		live->soft->laws.pg[role][1].lossless = false;
	live->soft->laws.egress.limit_bytes = 20000;
	live_open(live);
	learn(live);
	run(live, RUN_NS / 4, BURST, &sent);
	run(live, 100 * STEP_NS, 0, &sent);
	out = &live->ports[2].prios[1];
	assert_true(out->drops > 0);
	assert_int_equal(out->tx_frames, live->hosts[2].got);
	assert_int_equal(out->tx_frames + out->drops,
			 live->hosts[0].sent + live->hosts[1].sent);
	assert_int_equal(live->hosts[0].xoff + live->hosts[1].xoff, 0);
	assert_int_equal(live->hosts[2].ce, 0);
	live_free(live);
}

/* A host that pauses its port is not sent to, and tells how long by the counters. */
static void test_a_host_pauses_the_switch(void **state)
{
	struct live *live;
	struct rt_pause pause = { .enable = 1 << PRIO };
	uint8_t frame[RT_BUILD_PAUSE_BYTES], mac[6] = { 2 };
	const struct iovec one = { .iov_base = frame, .iov_len = sizeof(frame) };

	(void)state;
	NEED_VETH();
	live = live_new();
	live_open(live);
	learn(live);
	/* 65535 quanta are 671 ms. */
	pause.quanta[PRIO] = 65535;
	rt_build_pfc(mac, &pause, frame, sizeof(frame));
	assert_int_equal(rt_ring_send(live->hosts[2].ring, &one, 1, NULL), 1);
	run(live, 10 * STEP_NS, 0, NULL);
	run(live, 10 * STEP_NS, 1, &(struct sent){ .to = 2, .prio = PRIO });
	assert_int_equal(live->hosts[2].got, 0);
	assert_true(live->ports[2].prios[PRIO].queue_bytes > 0);
	assert_true(live->ports[2].prios[PRIO].rx_paused_ns > 0);
	pause.quanta[PRIO] = 0;
	rt_build_pfc(mac, &pause, frame, sizeof(frame));
	assert_int_equal(rt_ring_send(live->hosts[2].ring, &one, 1, NULL), 1);
	run(live, 100 * STEP_NS, 0, NULL);
	assert_int_equal(live->hosts[2].got, live->hosts[0].sent + live->hosts[1].sent);
	assert_int_equal(live->ports[2].prios[PRIO].rx_xoff, 1);
	assert_int_equal(live->ports[2].prios[PRIO].rx_xon, 1);
	live_free(live);
}

static void test_a_waiting_switch_wakes_up_when_it_is_told(void **state)
{
	struct live *live;
	int ends[2];
	const int64_t began_ns = now_ns();

	(void)state;
	NEED_VETH();
	live = live_new();
	live_open(live);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(rt_lab_switch_work(live->sw, began_ns + 60 * 1000000000ll,
					    ends[0], NULL),
			 0);
	assert_true(now_ns() - began_ns < 30 * 1000000000ll);
	close(ends[0]);
	close(ends[1]);
	live_free(live);
}

static void test_an_interface_that_goes_away_is_an_error(void **state)
{
	struct live *live;
	struct rt_err err = { 0 };

	(void)state;
	NEED_VETH();
	live = live_new();
	live_open(live);
	assert_int_equal(veth_set("p1", RTM_DELLINK, false, 0), 0);
	assert_true(rt_lab_switch_work(live->sw, now_ns() + 60 * 1000000000ll, -1,
				       &err) < 0);
	assert_non_null(strstr(err.msg, "p1"));
	live_free(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_incast_is_paced_paused_and_marked),
		cmocka_unit_test(test_a_lossy_incast_loses_what_the_switch_says),
		cmocka_unit_test(test_a_host_pauses_the_switch),
		cmocka_unit_test(test_a_waiting_switch_wakes_up_when_it_is_told),
		/* Last: it takes an interface away. */
		cmocka_unit_test(test_an_interface_that_goes_away_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
