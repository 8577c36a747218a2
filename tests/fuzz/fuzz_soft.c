/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_soft.c - anything on the wire to a soft endpoint that has one queue pair of each
 * role: raw bytes, and frames whose ICRC, addresses and queue pair are right, so that
 * what lies behind these is reached.  What it sends must be sound and must end.
 */
#include <stdlib.h>
#include <string.h>

#include "model/counters.h"
#include "model/fabric_config.h"
#include "rocetune/err.h"
#include "traffic/soft.h"
#include "wire/build.h"
#include "wire/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define QPS   8u
#define START 1000000000

struct input {
	const uint8_t *at;
	size_t left;
};

static uint8_t take(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->at++;
}

static uint32_t take24(struct input *input)
{
	uint32_t value = take(input);

	value = value << 8 | take(input);
	return value << 8 | take(input);
}

static const struct rt_ip here = { .version = 4, .bytes = { 10, 0, 0, 1 } };
static const struct rt_ip there = { .version = 4, .bytes = { 10, 0, 0, 2 } };

/* Sound, or falling short in one way or all. */
static struct rt_engine_faults take_faults(struct input *input)
{
	const uint8_t which = take(input);

	return (struct rt_engine_faults){
		.receive_bps = which & 1 ? 1000000 : 0,
		.refuse_ppb = which & 2 ? 300000000 : 0,
		.overtake_ppb = which & 4 ? 300000000 : 0,
		.keep_early = which & 8,
	};
}

static struct rt_soft *make(struct input *input, struct rt_qp_address mine[QPS])
{
	static struct rt_fabric_config laws;
	struct rt_soft_config config = { .ip = here,
					 .mtu_bytes = 256,
					 .laws = &laws,
					 .seed = 1,
					 .now_ns = START,
					 .faults = take_faults(input) };
	struct rt_qp_address peer = {
		.qpn = 0x99, .ip = there, .mtu_bytes = 256, .psn = 0xFFFFF0
	};
	struct rt_scenario scenario;
	struct rt_soft *soft;

	rt_scenario_init(&scenario);
	rt_fabric_config_init(&laws, &scenario);
	if (rt_soft_new(&config, &soft, NULL) < 0)
		abort();
	for (unsigned i = 0; i < QPS; i++) {
		const struct rt_traffic_flow flow = { .flow = i,
						      .op = i / 2,
						      .message_bytes = 1000,
						      .outstanding = 3,
						      .prio = 3,
						      .stop_ns = 50000000 };
		unsigned index;

		if (rt_soft_qp_create(soft, &flow, i % 2, &index, &mine[i], NULL) < 0 ||
		    rt_soft_qp_connect(soft, index, &peer, peer.mac, NULL) < 0)
			abort();
	}
	rt_soft_begin(soft, START);
	return soft;
}

/* Fields near what the queue pair expects, with a right ICRC. */
static size_t build(struct input *input, const struct rt_qp_address *mine,
		    uint8_t *frame, size_t room)
{
	const uint8_t what = take(input);
	struct rt_build packet = { .src = there, .dst = here, .ttl = 64 };

	packet.ecn = what & 3;
	packet.bth.opcode = take(input);
	packet.bth.dest_qp = mine->qpn;
	packet.bth.psn = what & 4 ? take24(input)
				  : (what & 8 ? mine->psn : 0xFFFFF0) + take(input) - 8;
	packet.bth.bits = what & 16 ? RT_BTH_ACKREQ | RT_BTH_BECN : RT_BTH_BECN;
	packet.bth.payload_bytes = what & 32 ? 256 : take(input);
	packet.bth.rkey = what & 64 ? 0 : mine->rkey;
	packet.bth.dma_bytes = what & 128 ? take24(input) << 8 : 1000;
	packet.bth.syndrome = take(input);
	return rt_build_roce(&packet, frame, room);
}

static void send_all(struct rt_soft *soft, int64_t now_ns)
{
	struct iovec frames[RT_SOFT_BATCH];
	/* What a line of 100 Gb/s can carry since the last time, and a burst. */
	const unsigned count = rt_soft_transmit(soft, now_ns, frames, RT_SOFT_BATCH);

	for (unsigned i = 0; i < count; i++) {
		struct rt_frame decoded = { .link_type = RT_LINK_ETHERNET,
					    .wire_bytes = (uint32_t)frames[i].iov_len,
					    .cap_bytes = (uint32_t)frames[i].iov_len };

		rt_frame_decode(&decoded, frames[i].iov_base, RT_DECODE_ICRC);
		if (decoded.kind == RT_FRAME_PFC && decoded.pause.enable)
			continue;
		if (decoded.kind != RT_FRAME_ROCE || decoded.icrc != RT_ICRC_OK ||
		    decoded.flags || decoded.bth.dest_qp != 0x99)
			abort();
	}
}

static void check(struct rt_soft *soft)
{
	struct rt_counter_set set = { 0 };

	if (rt_soft_counters(soft, START, 0, &set) < 0 ||
	    rt_counter_set_check(&set, NULL) < 0)
		abort();
	rt_counter_set_free(&set);
	for (unsigned i = 0; i < QPS; i++) {
		struct rt_qp_totals totals;

		rt_soft_totals(soft, i, &totals);
		if (totals.state > RT_QP_STOPPED ||
		    (totals.state == RT_QP_STOPPED) != !!*totals.error ||
		    totals.bytes.value > 1u << 30)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct input input = { data, bytes };
	struct rt_qp_address mine[QPS];
	struct rt_soft *soft = make(&input, mine);
	int64_t now_ns = START;

	while (input.left) {
		const uint8_t what = take(&input);
		uint8_t frame[512];
		size_t count;

		if (what & 128) {
			count = what & 127;
			count = count < input.left ? count : input.left;
			memcpy(frame, input.at, count);
			input.at += count;
			input.left -= count;
		} else {
			count = build(&input, &mine[what % QPS], frame, sizeof(frame));
		}
		if (what & 64)
			now_ns += (int64_t)take24(&input) * 16;
		if (count <= sizeof(frame)) {
			/* of exactly this size, so that a byte too far is seen */
			uint8_t *exact = malloc(count ? count : 1);

			memcpy(exact, frame, count);
			rt_soft_receive(soft, exact, (uint32_t)count, now_ns);
			free(exact);
		}
		send_all(soft, now_ns);
	}
	check(soft);
	rt_soft_free(soft);
	return 0;
}
