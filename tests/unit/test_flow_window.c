/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis of a window as flows: who sent most, fans, fairness. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "run/flow_window.h"
#include "wire/build.h"

/* A sender of 10.0.0.N to 10.0.0.1, QP N. */
static void feed_from(struct rt_analyzer *analyzer, unsigned sender, unsigned first,
		      unsigned frames, unsigned every_ce)
{
	static uint64_t number;

	for (unsigned i = first; i < first + frames; i++) {
		const struct rt_build packet = {
			.eth_dst = { 2, 0, 0, 0, 0, 1 },
			.src = { .version = 4, .bytes = { 10, 0, 0, (uint8_t)sender } },
			.dst = { .version = 4, .bytes = { 10, 0, 0, 1 } },
			.dscp = 26,
			.ecn = every_ce && i % every_ce == 0 ? RT_ECN_CE : RT_ECN_ECT0,
			.ttl = 64,
			.bth = { .opcode = RT_OP_RC_WRITE_MIDDLE,
				 .dest_qp = sender,
				 .psn = i,
				 .payload_bytes = 256 },
		};
		uint8_t bytes[512];
		struct rt_frame frame = { .link_type = RT_LINK_ETHERNET };

		frame.wire_bytes = frame.cap_bytes = (uint32_t)rt_build_roce(
			&packet, bytes, sizeof(bytes));
		frame.number = ++number;
		frame.time_ns = (int64_t)number * 1000;
		rt_frame_decode(&frame, bytes, 0);
		assert_int_equal(rt_analyzer_feed(analyzer, &frame, 1, NULL), 0);
	}
}

static void feed(struct rt_analyzer *analyzer, unsigned sender, unsigned frames,
		 unsigned every_ce)
{
	feed_from(analyzer, sender, 0, frames, every_ce);
}

static struct rt_analyzer *open_window(void)
{
	static const struct rt_capture_if interface = { .name = "x" };
	const struct rt_analysis_config config = { 0 };
	struct rt_analyzer *analyzer = NULL;

	assert_int_equal(rt_analyzer_new(&config, &analyzer, NULL), 0);
	rt_analyzer_interfaces(analyzer, &interface, 1);
	return analyzer;
}

static void end_window(struct rt_analyzer *analyzer, struct rt_watch_flows *flows)
{
	struct rt_analysis analysis;

	assert_int_equal(rt_analyzer_finish(analyzer, &analysis, NULL), 0);
	assert_int_equal(rt_flow_window_fill(&analysis, flows, NULL), 0);
	rt_analysis_free(&analysis);
	rt_analyzer_free(analyzer);
}

static void free_flows(struct rt_watch_flows *flows)
{
	free(flows->items);
	free(flows->fans);
}

static void test_the_largest_come_first(void **state)
{
	struct rt_analyzer *analyzer = open_window();
	struct rt_watch_flows flows = { 0 };

	(void)state;
	feed(analyzer, 2, 100, 0);
	feed(analyzer, 3, 300, 10);
	feed(analyzer, 4, 200, 0);
	end_window(analyzer, &flows);
	assert_int_equal(flows.total, 3);
	assert_int_equal(flows.count, 3);
	assert_int_equal(flows.frames, 600);
	assert_int_equal(flows.items[0].src.bytes[3], 3);
	assert_int_equal(flows.items[0].qp, 3);
	assert_int_equal(flows.items[0].bytes, 300 * 256);
	assert_int_equal(flows.items[0].frames, 300);
	assert_int_equal(flows.items[0].ce, 30);
	assert_int_equal(flows.items[0].dscp, 26);
	assert_int_equal(flows.items[0].dst.version, 4);
	assert_int_equal(flows.items[1].qp, 4);
	assert_int_equal(flows.items[2].qp, 2);
	assert_int_equal(flows.fan_count, 1);
	assert_int_equal(flows.fans[0].senders, 3);
	assert_int_equal(flows.fans[0].flows, 3);
	assert_int_equal(flows.fans[0].bytes, 600 * 256);
	assert_int_equal(flows.fans[0].ce, 30);
	/* (1 + 2 + 3)^2 / (3 * (1 + 4 + 9)) */
	assert_true(flows.fans[0].jain.known);
	assert_float_equal(flows.fans[0].jain.value, 36.0 / 42, 1e-9);

	/* The next window begins anew, in the same place. */
	analyzer = open_window();
	feed(analyzer, 5, 10, 0);
	end_window(analyzer, &flows);
	assert_int_equal(flows.count, 1);
	assert_int_equal(flows.items[0].qp, 5);
	assert_int_equal(flows.fan_count, 1);
	assert_false(flows.fans[0].jain.known);
	analyzer = open_window();
	end_window(analyzer, &flows);
	assert_int_equal(flows.count, 0);
	assert_int_equal(flows.total, 0);
	assert_int_equal(flows.fan_count, 0);
	free_flows(&flows);
}

/* A sender that goes back: what it sends twice is in its bytes, and told apart. */
static void test_resends_are_told(void **state)
{
	struct rt_analyzer *analyzer = open_window();
	struct rt_watch_flows flows = { 0 };

	(void)state;
	feed_from(analyzer, 2, 0, 100, 0);
	feed_from(analyzer, 2, 90, 20, 0);
	end_window(analyzer, &flows);
	assert_int_equal(flows.count, 1);
	assert_int_equal(flows.items[0].bytes, 120 * 256);
	assert_int_equal(flows.items[0].resent_bytes, 10 * 256);
	free_flows(&flows);
}

/* A frame of data from 10.1.0.S to 10.0.0.R. */
static void feed_one(struct rt_analyzer *analyzer, uint8_t sender, uint8_t receiver,
		     uint32_t qp, uint64_t number, bool marked)
{
	const struct rt_build packet = {
		.src = { .version = 4, .bytes = { 10, 1, 0, sender } },
		.dst = { .version = 4, .bytes = { 10, 0, 0, receiver } },
		.ecn = marked ? RT_ECN_CE : RT_ECN_ECT0,
		.ttl = 64,
		.bth = { .opcode = RT_OP_RC_SEND_ONLY,
			 .dest_qp = qp,
			 .psn = 1,
			 .payload_bytes = 64 },
	};
	uint8_t bytes[512];
	struct rt_frame frame = { .link_type = RT_LINK_ETHERNET,
				  .number = number,
				  .time_ns = (int64_t)number * 1000 };

	frame.wire_bytes = frame.cap_bytes = (uint32_t)rt_build_roce(&packet, bytes,
								     sizeof(bytes));
	rt_frame_decode(&frame, bytes, 0);
	assert_int_equal(rt_analyzer_feed(analyzer, &frame, 1, NULL), 0);
}

/* Receiver R has R senders, each with two flows, and R marks: every fan has its own. */
static void test_each_receiver_has_its_own_senders(void **state)
{
	struct rt_analyzer *analyzer = open_window();
	struct rt_watch_flows flows = { 0 };
	uint64_t number = 0;

	(void)state;
	for (uint8_t receiver = 1; receiver <= 40; receiver++)
		for (uint8_t sender = 1; sender <= receiver; sender++)
			for (uint32_t qp = 0; qp < 2; qp++) {
				number++;
				feed_one(analyzer, sender, receiver,
					 (uint32_t)number + 1, number, qp == 0);
			}
	end_window(analyzer, &flows);
	assert_int_equal(flows.fan_count, 40);
	assert_int_equal(flows.total, number);
	assert_int_equal(flows.unfollowed, 0);
	for (size_t i = 0; i < flows.fan_count; i++) {
		const struct rt_watch_fan *fan = &flows.fans[i];
		const unsigned receiver = fan->dst.bytes[3];

		assert_int_equal(receiver, 40 - i); /* most bytes first */
		assert_int_equal(fan->senders, receiver);
		assert_int_equal(fan->flows, 2 * receiver);
		assert_int_equal(fan->ce, receiver);
		assert_int_equal(fan->bytes, receiver * 2 * 64);
		assert_int_equal(fan->jain.known, receiver > 1);
		if (fan->jain.known)
			assert_float_equal(fan->jain.value, 1, 1e-9);
	}
	free_flows(&flows);
}

static void test_flows_beyond_those_that_are_followed_are_told(void **state)
{
	static const struct rt_capture_if interface = { .name = "x" };
	const struct rt_analysis_config config = { .max_flows = 8 };
	struct rt_analyzer *analyzer = NULL;
	struct rt_watch_flows flows = { 0 };

	(void)state;
	assert_int_equal(rt_analyzer_new(&config, &analyzer, NULL), 0);
	rt_analyzer_interfaces(analyzer, &interface, 1);
	for (uint32_t i = 0; i < 20; i++)
		feed_one(analyzer, 1, 2, i + 2, i + 1, false);
	end_window(analyzer, &flows);
	assert_int_equal(flows.total, 8);
	assert_int_equal(flows.frames, 20);
	assert_int_equal(flows.unfollowed, 12);
	free_flows(&flows);
}

/* More than are kept: the others are counted. */
static void test_many_are_counted(void **state)
{
	struct rt_analyzer *analyzer = open_window();
	struct rt_watch_flows flows = { 0 };

	(void)state;
	for (unsigned i = 0; i < RT_WATCH_MAX_FLOWS + 100; i++) {
		const struct rt_build packet = {
			.src = { .version = 6,
				 .bytes = { 0xfd, [14] = (uint8_t)(i >> 8),
					    [15] = (uint8_t)i } },
			.dst = { .version = 6, .bytes = { 0xfd, 1 } },
			.ttl = 64,
			.bth = { .opcode = RT_OP_RC_SEND_ONLY,
				 .dest_qp = i + 2,
				 .payload_bytes = 4 * (i + 1) },
		};
		uint8_t bytes[4096];
		struct rt_frame frame = { .link_type = RT_LINK_ETHERNET,
					  .number = i + 1,
					  .time_ns = i + 1 };

		frame.wire_bytes = frame.cap_bytes = (uint32_t)rt_build_roce(
			&packet, bytes, sizeof(bytes));
		rt_frame_decode(&frame, bytes, 0);
		assert_int_equal(rt_analyzer_feed(analyzer, &frame, 1, NULL), 0);
	}
	end_window(analyzer, &flows);
	assert_int_equal(flows.total, RT_WATCH_MAX_FLOWS + 100);
	assert_int_equal(flows.count, RT_WATCH_MAX_FLOWS);
	assert_int_equal(flows.items[0].bytes, 4 * (RT_WATCH_MAX_FLOWS + 100));
	assert_int_equal(flows.items[0].src.version, 6);
	for (size_t i = 1; i < flows.count; i++)
		assert_true(flows.items[i].bytes < flows.items[i - 1].bytes);
	free_flows(&flows);
}

RT_UNIT_MAIN(cmocka_unit_test(test_the_largest_come_first),
	     cmocka_unit_test(test_resends_are_told),
	     cmocka_unit_test(test_each_receiver_has_its_own_senders),
	     cmocka_unit_test(test_flows_beyond_those_that_are_followed_are_told),
	     cmocka_unit_test(test_many_are_counted))
