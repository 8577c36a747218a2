/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "netns.h"
#include "pktio/live.h"
#include "pktio/ring.h"
#include "rocetune/capture.h"
#include "rocetune/err.h"
#include "wire/build.h"
#include "wire/bytes.h"

/* Two links: rta to rtb and rtc to rtd. */
static int set_up(void **state)
{
	static const char *const names[] = { "rta", "rtb", "rtc", "rtd" };

	(void)state;
	have_veth = veth_unshare() == 0 && veth_make("rta", "rtb", -1) == 0 &&
		    veth_make("rtc", "rtd", -1) == 0;
	for (unsigned i = 0; have_veth && i < RT_ARRAY_SIZE(names); i++) {
		char path[64];

		/* The kernel itself shall say nothing there. */
		snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6",
			 names[i]);
		veth_write(path, "1");
		if (veth_up(names[i], 0) < 0)
			return -1;
	}
	return 0;
}

static struct rt_ring *sender(const char *netdev)
{
	const struct rt_ring_config config = { .netdev = netdev,
					       .filter = RT_RING_NONE };
	struct rt_ring *ring = NULL;

	assert_int_equal(rt_ring_open(&config, &ring, NULL), 0);
	return ring;
}

static size_t psn_frame(uint8_t frame[512], uint32_t psn, bool tagged)
{
	const struct rt_build packet = {
		.eth_dst = { 2, 0, 0, 0, 0, 2 },
		.tagged = tagged,
		.vlan = 3 << 13 | 7,
		.src = { .version = 4, .bytes = { 10, 0, 0, 1 } },
		.dst = { .version = 4, .bytes = { 10, 0, 0, 2 } },
		.ttl = 64,
		.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE,
			 .psn = psn,
			 .payload_bytes = 256 },
	};

	return rt_build_roce(&packet, frame, 512);
}

static void send_psn(struct rt_ring *ring, uint32_t psn, bool tagged)
{
	uint8_t frame[512];
	const struct iovec one = { frame, psn_frame(frame, psn, tagged) };

	assert_int_equal(rt_ring_send(ring, &one, 1, NULL), 1);
}

static void check_frame(const struct rt_frame *frame, uint32_t number, int64_t *last_ns)
{
	assert_int_equal(frame->kind, RT_FRAME_ROCE);
	assert_int_equal(frame->icrc, RT_ICRC_OK);
	assert_int_equal(frame->bth.psn, number);
	assert_int_equal(frame->number, number + 1);
	assert_int_equal(frame->interface, number % 2);
	assert_int_equal(frame->vlan_tags, number % 3 == 0);
	if (number % 3 == 0)
		assert_int_equal(frame->vlan, 3 << 13 | 7);
	assert_true(frame->time_ns >= *last_ns);
	*last_ns = frame->time_ns;
}

static uint32_t read_all(struct rt_source *source)
{
	struct rt_frame frames[32];
	uint32_t number = 0;
	int64_t last_ns = 0;
	size_t count;

	do {
		struct rt_err err = { 0 };

		assert_int_equal(source->ops->read(source, frames,
						   RT_ARRAY_SIZE(frames), &count, &err),
				 0);
		for (size_t i = 0; i < count; i++)
			check_frame(&frames[i], number++, &last_ns);
	} while (count);
	return number;
}

/* Sent in turn over two links, they come in turn; and so they are in the file. */
static void test_frames_of_two_interfaces_come_in_order_of_time(void **state)
{
	static const char *const netdevs[] = { "rtb", "rtd", NULL };
	char path[] = "/tmp/rocetune-live-XXXXXX";
	struct rt_live_config config = { .netdevs = netdevs,
					 .speed_bps = 1000000000,
					 .decode_flags = RT_DECODE_ICRC };
	const struct rt_capture_if *interfaces;
	struct rt_source *source = NULL, *file = NULL;
	struct rt_ring *out[2];
	size_t count;
	int stop[2];

	(void)state;
	NEED_VETH();
	close(mkstemp(path));
	assert_int_equal(pipe(stop), 0);
	config.stop_fd = stop[0];
	config.until_ns = rt_monotonic_ns() + 60000000000;
	assert_int_equal(rt_capture_create(path, 0, &config.sink, NULL), 0);
	assert_int_equal(rt_live_open(&config, &source, NULL), 0);
	out[0] = sender("rta");
	out[1] = sender("rtc");
	for (uint32_t i = 0; i < 2000; i++)
		send_psn(out[i % 2], i, i % 3 == 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	assert_int_equal(read_all(source), 2000);
	interfaces = source->ops->interfaces(source, &count);
	assert_int_equal(count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(interfaces[i].name, netdevs[i]);
		assert_int_equal(interfaces[i].frames, 1000);
		assert_true(interfaces[i].dropped.known);
		assert_int_equal(interfaces[i].dropped.value, 0);
		assert_int_equal(interfaces[i].speed_bps, 1000000000);
		rt_ring_close(out[i]);
	}
	rt_source_close(source);
	assert_int_equal(config.sink->ops->close(config.sink, NULL), 0);
	assert_int_equal(rt_capture_open(path, RT_DECODE_ICRC, &file, NULL), 0);
	assert_int_equal(read_all(file), 2000);
	rt_source_close(file);
	unlink(path);
}

static void test_what_is_sent_is_seen_too_and_time_ends_it(void **state)
{
	static const char *const netdevs[] = { "rta", NULL };
	struct rt_live_config config = { .netdevs = netdevs, .stop_fd = -1 };
	struct rt_source *source = NULL;
	struct rt_frame frames[4];
	struct rt_ring *out;
	size_t count;

	(void)state;
	NEED_VETH();
	config.until_ns = rt_monotonic_ns() + 50000000;
	assert_int_equal(rt_live_open(&config, &source, NULL), 0);
	out = sender("rta");
	send_psn(out, 9, false);
	assert_int_equal(source->ops->read(source, frames, 4, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(frames[0].bth.psn, 9);
	assert_int_equal(source->ops->read(source, frames, 4, &count, NULL), 0);
	assert_int_equal(count, 0);
	assert_true(rt_monotonic_ns() >= config.until_ns);
	rt_ring_close(out);
	rt_source_close(source);
}

/* What a sink was given last. */
struct keeper {
	struct rt_sink base;
	uint8_t data[512];
	uint32_t bytes;
};

static int keep_no_interface(struct rt_sink *sink,
			     const struct rt_capture_if *interface, struct rt_err *err)
{
	(void)sink, (void)interface, (void)err;
	return 0;
}

static int keep(struct rt_sink *sink, unsigned interface, int64_t time_ns,
		const uint8_t *data, uint32_t cap_bytes, uint32_t wire_bytes,
		struct rt_err *err)
{
	struct keeper *keeper = (struct keeper *)sink;

	(void)interface, (void)time_ns, (void)err;
	assert_true(cap_bytes <= sizeof(keeper->data));
	assert_int_equal(cap_bytes, wire_bytes);
	memcpy(keeper->data, data, cap_bytes);
	keeper->bytes = cap_bytes;
	return 0;
}

/* The kernel takes the outer tag out; it comes back as it was, whosever it is. */
static void test_tags_come_back_as_they_were(void **state)
{
	static const struct rt_sink_ops ops = { .add_interface = keep_no_interface,
						.write = keep };
	static const char *const netdevs[] = { "rtb", NULL };
	static const uint16_t types[] = { 0x8100, 0x88A8 };
	struct keeper keeper = { .base = { .ops = &ops } };
	const struct rt_live_config config = { .netdevs = netdevs,
					       .decode_flags = RT_DECODE_ICRC,
					       .sink = &keeper.base,
					       .until_ns = rt_monotonic_ns() +
							   60000000000,
					       .stop_fd = -1 };
	struct rt_source *source = NULL;
	struct rt_frame got;
	struct rt_ring *out;
	size_t count;

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_live_open(&config, &source, NULL), 0);
	out = sender("rta");
	for (size_t i = 0; i < RT_ARRAY_SIZE(types); i++) {
		uint8_t frame[512];
		const struct iovec one = { frame, psn_frame(frame, 4, true) };

		rt_put_be16(frame + 12, types[i]);
		assert_int_equal(rt_ring_send(out, &one, 1, NULL), 1);
		assert_int_equal(source->ops->read(source, &got, 1, &count, NULL), 0);
		assert_int_equal(count, 1);
		assert_int_equal(got.kind, RT_FRAME_ROCE);
		assert_int_equal(got.vlan, 3 << 13 | 7);
		assert_int_equal(keeper.bytes, one.iov_len);
		assert_memory_equal(keeper.data, frame, one.iov_len);
	}
	rt_ring_close(out);
	rt_source_close(source);
}

static void test_live_says_what_cannot_be_opened(void **state)
{
	static const char *const netdevs[] = { "rta", "rtnone", NULL };
	const struct rt_live_config config = { .netdevs = netdevs, .stop_fd = -1 };
	struct rt_source *source;
	struct rt_err err = { 0 };

	(void)state;
	NEED_VETH();
	assert_int_equal(rt_live_open(&config, &source, &err), -ENODEV);
	assert_string_equal(err.msg, "rtnone: there is no such interface here");
}

/* The last test: the pair is gone after it. */
static void test_an_interface_that_goes_away_is_an_error(void **state)
{
	static const char *const netdevs[] = { "rtb", NULL };
	struct rt_live_config config = { .netdevs = netdevs, .stop_fd = -1 };
	struct rt_source *source = NULL;
	struct rt_frame frames[4];
	struct rt_err err = { 0 };
	struct rt_ring *out;
	size_t count;

	(void)state;
	NEED_VETH();
	config.until_ns = rt_monotonic_ns() + 60000000000;
	assert_int_equal(rt_live_open(&config, &source, NULL), 0);
	out = sender("rta");
	send_psn(out, 5, false);
	assert_int_equal(veth_set("rta", RTM_DELLINK, false, 0), 0);
	/* what came before it is not lost */
	assert_int_equal(source->ops->read(source, frames, 4, &count, &err), 0);
	assert_int_equal(count, 1);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(source->ops->read(source, frames, 4, &count, &err),
				 -ENODEV);
		assert_string_equal(err.msg, "rtb: the interface is gone");
	}
	rt_ring_close(out);
	rt_source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_of_two_interfaces_come_in_order_of_time),
		cmocka_unit_test(test_what_is_sent_is_seen_too_and_time_ends_it),
		cmocka_unit_test(test_tags_come_back_as_they_were),
		cmocka_unit_test(test_live_says_what_cannot_be_opened),
		cmocka_unit_test(test_an_interface_that_goes_away_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
