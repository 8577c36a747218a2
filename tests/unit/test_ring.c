/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"
#include "netns.h"
#include "pktio/ring.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "wire/build.h"
#include "wire/bytes.h"

/* Two ends in a namespace of the test's own; false: not allowed here. */
static int set_up(void **state)
{
	(void)state;
	have_veth = veth_unshare() == 0 && veth_make("rta", "rtb", -1) == 0;
	if (!have_veth)
		return 0;
	/* The kernel itself shall say nothing there. */
	veth_write("/proc/sys/net/ipv6/conf/rta/disable_ipv6", "1");
	veth_write("/proc/sys/net/ipv6/conf/rtb/disable_ipv6", "1");
	return veth_up("rta", 0) == 0 && veth_up("rtb", 0) == 0 ? 0 : -1;
}

static struct rt_ring *open_at(const char *netdev, enum rt_ring_filter filter)
{
	const struct rt_ring_config config = { .netdev = netdev, .filter = filter };
	struct rt_ring *ring = NULL;
	struct rt_err err = { 0 };

	if (rt_ring_open(&config, &ring, &err) < 0)
		print_message("# %s\n", err.msg);
	assert_non_null(ring);
	return ring;
}

static void send_one(struct rt_ring *ring, const uint8_t *frame, size_t bytes)
{
	const struct iovec one = { .iov_base = (void *)(uintptr_t)frame,
				   .iov_len = bytes };

	assert_int_equal(rt_ring_send(ring, &one, 1, NULL), 1);
}

static bool readable(const struct rt_ring *ring, int ms)
{
	struct pollfd fd = { .fd = rt_ring_fd(ring), .events = POLLIN };

	return poll(&fd, 1, ms) == 1;
}

static size_t roce(uint8_t *frame, size_t room, uint8_t version, bool tagged)
{
	const struct rt_build packet = {
		.eth_dst = { 2, 0, 0, 0, 0, 2 },
		.tagged = tagged,
		.vlan = 3 << 13 | 7,
		.src = { .version = version, .bytes = { 10, 0, 0, 1 } },
		.dst = { .version = version, .bytes = { 10, 0, 0, 2 } },
		.ttl = 64,
		.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE, .payload_bytes = 256 },
	};

	return rt_build_roce(&packet, frame, room);
}

static void test_roce_filter_lets_in_roce_and_pauses_only(void **state)
{
	static const struct {
		const char *label;
		uint8_t version;
		bool tagged;
		uint16_t port, at, bytes; /* written over at `at` when bytes */
		bool comes;
	} cases[] = {
		{ "IPv4", 4, false, 0, 0, 0, true },
		{ "IPv6", 6, false, 0, 0, 0, true },
		{ "IPv4 in a VLAN", 4, true, 0, 0, 0, true },
		{ "IPv6 in a VLAN", 6, true, 0, 0, 0, true },
		{ "IPv4 in an 802.1ad VLAN", 4, true, 0x88A8, 12, 2, true },
		{ "IPv6 in an 802.1ad VLAN", 6, true, 0x88A8, 12, 2, true },
		{ "another port", 4, false, 4790, 36, 2, false },
		{ "another port of IPv6", 6, false, 53, 56, 2, false },
		{ "TCP", 4, false, 0x4006, 22, 2, false },
		{ "a later fragment", 4, false, 0x2001, 20, 2, false },
		{ "ARP", 4, false, 0x0806, 12, 2, false },
	};
	RT_AUTO(rt_auto_free) uint8_t *frame = malloc(2048);
	struct rt_ring *out, *in;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	in = open_at("rtb", RT_RING_ROCE);
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const size_t bytes = roce(frame, 2048, cases[i].version,
					  cases[i].tagged);
		struct rt_ring_frame got[2];

		print_message("# %s\n", cases[i].label);
		if (cases[i].bytes)
			rt_put_be16(frame + cases[i].at, cases[i].port);
		send_one(out, frame, bytes);
		assert_int_equal(readable(in, cases[i].comes ? 2000 : 0),
				 cases[i].comes);
		assert_int_equal(rt_ring_receive(in, got, 2), cases[i].comes);
		if (cases[i].comes) {
			const size_t head = cases[i].tagged ? 4 : 0;

			assert_int_equal(got[0].tagged, cases[i].tagged);
			assert_int_equal(got[0].bytes, bytes - head);
			assert_int_equal(got[0].wire_bytes, bytes - head);
			assert_memory_equal(got[0].data + 12, frame + 12 + head,
					    bytes - 12 - head);
			if (head) {
				assert_int_equal(got[0].vlan, 3 << 13 | 7);
				assert_int_equal(got[0].tpid, rt_get_be16(frame + 12));
			}
			assert_true(got[0].time_ns > 0);
		}
		rt_ring_release(in);
	}
	rt_ring_close(in);
	rt_ring_close(out);
}

static void test_pause_frames_reach_the_filter(void **state)
{
	const struct rt_pause pause = { .enable = 8, .quanta = { [3] = 0xFFFF } };
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };
	uint8_t frame[RT_BUILD_PAUSE_BYTES];
	struct rt_ring_frame got;
	struct rt_ring *out, *in;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	in = open_at("rtb", RT_RING_ROCE);
	send_one(out, frame, rt_build_pfc(mac, &pause, frame, sizeof(frame)));
	assert_true(readable(in, 2000));
	assert_int_equal(rt_ring_receive(in, &got, 1), 1);
	assert_memory_equal(got.data, frame, sizeof(frame));
	rt_ring_close(in);
	rt_ring_close(out);
}

/* Every frame comes once and in order, many times round the ring, also when held. */
static void test_ring_goes_round(void **state)
{
	const struct rt_ring_config small = { .netdev = "rtb",
					      .filter = RT_RING_ALL,
					      .ring_bytes = 1 << 16 };
	struct rt_ring_stats stats;
	struct rt_ring_frame got[7];
	uint8_t frame[64] = { 2, 0, 0, 0, 0, 2 };
	uint32_t sent = 0, seen = 0;
	struct rt_ring *out, *in = NULL;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	assert_int_equal(rt_ring_open(&small, &in, NULL), 0);
	while (sent < 1000) {
		struct iovec batch[20];
		uint8_t frames[20][64];

		for (unsigned i = 0; i < 20; i++, sent++) {
			memcpy(frames[i], frame, sizeof(frame));
			rt_put_be32(frames[i] + 20, sent);
			batch[i] = (struct iovec){ frames[i], sizeof(frames[i]) };
		}
		assert_int_equal(rt_ring_send(out, batch, 20, NULL), 20);
		while (seen < sent) {
			unsigned n = rt_ring_receive(in, got, RT_ARRAY_SIZE(got));

			if (!n) {
				rt_ring_release(in);
				assert_true(readable(in, 2000));
			}
			for (unsigned i = 0; i < n; i++)
				assert_int_equal(rt_get_be32(got[i].data + 20), seen++);
			if (seen % 3 == 0)
				rt_ring_release(in);
		}
		rt_ring_release(in);
	}
	rt_ring_stats(in, &stats);
	assert_int_equal(stats.received, 1000);
	assert_int_equal(stats.dropped, 0);
	rt_ring_close(in);
	rt_ring_close(out);
}

static void test_frames_without_room_are_counted(void **state)
{
	const struct rt_ring_config small = { .netdev = "rtb",
					      .filter = RT_RING_ALL,
					      .ring_bytes = 1 << 16 };
	const uint8_t frame[64] = { 2, 0, 0, 0, 0, 2 };
	struct rt_ring_frame got[128];
	struct rt_ring_stats stats;
	struct rt_ring *out, *in = NULL;
	unsigned count;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	assert_int_equal(rt_ring_open(&small, &in, NULL), 0);
	for (unsigned i = 0; i < 100; i++)
		send_one(out, frame, sizeof(frame));
	assert_true(readable(in, 2000));
	count = rt_ring_receive(in, got, RT_ARRAY_SIZE(got));
	assert_in_range(count, 1, 99);
	rt_ring_stats(in, &stats);
	assert_int_equal(stats.received, count);
	assert_int_equal(stats.dropped, 100 - count);
	rt_ring_close(in);
	rt_ring_close(out);
}

static void test_outgoing_frames_only_when_asked(void **state)
{
	const struct rt_ring_config both = { .netdev = "rta",
					     .filter = RT_RING_ALL,
					     .outgoing = true };
	const uint8_t frame[64] = { 2, 0, 0, 0, 0, 2 };
	struct rt_ring *out, *all = NULL, *in;
	struct rt_ring_frame got;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	in = open_at("rta", RT_RING_ALL);
	assert_int_equal(rt_ring_open(&both, &all, NULL), 0);
	send_one(out, frame, sizeof(frame));
	assert_true(readable(all, 2000));
	assert_int_equal(rt_ring_receive(all, &got, 1), 1);
	assert_true(got.outgoing);
	assert_false(readable(in, 0));
	rt_ring_close(all);
	rt_ring_close(in);
	rt_ring_close(out);
}

static void test_what_cannot_be_sent_is_told(void **state)
{
	static uint8_t jumbo[4096] = { 2, 0, 0, 0, 0, 2 };
	struct iovec mixed[] = {
		{ jumbo, 64 }, { jumbo, 4096 }, { jumbo, 3 }, { jumbo, 64 }
	};
	struct rt_ring_stats stats;
	struct rt_err err = { 0 };
	struct rt_ring *out, *in;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	in = open_at("rtb", RT_RING_ALL);
	assert_int_equal(rt_ring_send(out, mixed, 4, &err), 4);
	rt_ring_stats(out, &stats);
	assert_int_equal(stats.refused, 2);

	assert_int_equal(veth_set("rta", RTM_NEWLINK, false, 0), 0);
	assert_int_equal(rt_ring_send(out, mixed, 1, &err), -ENETDOWN);
	assert_string_equal(err.msg, "rta: the link is down");
	assert_int_equal(veth_set("rtb", RTM_NEWLINK, false, 0), 0);
	assert_true(readable(in, 0)); /* its error */
	assert_int_equal(rt_ring_error(in, &err), -ENETDOWN);
	assert_int_equal(rt_ring_error(in, &err), 0);
	assert_int_equal(veth_up("rta", 0), 0);
	assert_int_equal(veth_up("rtb", 0), 0);
	assert_int_equal(rt_ring_send(out, mixed, 1, &err), 1);
	rt_ring_close(in);
	rt_ring_close(out);
}

static void test_open_says_what_is_wrong(void **state)
{
	static const struct {
		const char *netdev, *says;
	} cases[] = {
		{ "rtnone", "rtnone: there is no such interface here" },
		{ "", "'': no interface can be called so" },
		{ "a-name-that-is-too-long",
		  "'a-name-that-is-too-long': no interface can be called so" },
	};

	(void)state;
	NEED_VETH();
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		const struct rt_ring_config config = { .netdev = cases[i].netdev };
		struct rt_err err = { 0 };
		struct rt_ring *ring;

		assert_int_equal(rt_ring_open(&config, &ring, &err), -ENODEV);
		assert_string_equal(err.msg, cases[i].says);
	}
}

/* The last test: the pair is gone after it. */
static void test_an_interface_that_goes_away(void **state)
{
	uint8_t frame[64] = { 2, 0, 0, 0, 0, 2 };
	const struct iovec one = { frame, sizeof(frame) };
	struct rt_err err = { 0 };
	struct rt_ring *out, *in;

	(void)state;
	NEED_VETH();
	out = open_at("rta", RT_RING_NONE);
	in = open_at("rtb", RT_RING_ALL);
	assert_int_equal(veth_set("rta", RTM_DELLINK, false, 0), 0);
	assert_int_equal(rt_ring_send(out, &one, 1, &err), -ENODEV);
	assert_string_equal(err.msg, "rta: the interface is gone");
	assert_true(readable(in, 2000));
	assert_int_equal(rt_ring_error(in, &err), -ENODEV);
	rt_ring_close(in);
	rt_ring_close(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roce_filter_lets_in_roce_and_pauses_only),
		cmocka_unit_test(test_pause_frames_reach_the_filter),
		cmocka_unit_test(test_ring_goes_round),
		cmocka_unit_test(test_frames_without_room_are_counted),
		cmocka_unit_test(test_outgoing_frames_only_when_asked),
		cmocka_unit_test(test_what_cannot_be_sent_is_told),
		cmocka_unit_test(test_open_says_what_is_wrong),
		cmocka_unit_test(test_an_interface_that_goes_away),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
