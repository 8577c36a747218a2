/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paper_wire.h - two soft endpoints and a wire on paper between them, in a time of its
 * own: frames arrive after a delay, and a function may lose, mark, damage or delay each.
 */
#ifndef RT_TESTS_PAPER_WIRE_H
#define RT_TESTS_PAPER_WIRE_H

#include <stdlib.h>
#include <string.h>

#include "model/fabric_config.h"
#include "rocetune/err.h"
#include "traffic/soft.h"
#include "wire/build.h"
#include "wire/bytes.h"

#define GBPS UINT64_C(1000000000)
#define MS   INT64_C(1000000)

#define WIRE_ROOM  4096u /* frames under way */
#define WIRE_START 5000000000

/* What becomes of a frame. */
struct fate {
	bool lost;
	int64_t later_ns; /* beyond the wire's delay */
};

struct in_flight {
	uint8_t bytes[RT_SOFT_MTU_MAX + 256];
	uint32_t count;
	int64_t at_ns;
	unsigned to;
};

struct wire {
	struct rt_soft *ends[2];
	int64_t now_ns, delay_ns;
	/* from: 0 or 1; frame may be written to */
	struct fate (*judge)(struct wire *wire, unsigned from, struct rt_frame *decoded,
			     uint8_t *frame);
	void (*check)(struct wire *wire, unsigned from, const struct rt_frame *decoded);
	void *context;
	struct in_flight *flight[WIRE_ROOM];
	size_t flying;
	uint64_t frames[2], bad; /* sent by each; not RoCE or a wrong ICRC */
	struct rt_fabric_config laws;
	struct rt_soft_config config[2];
	struct rt_qp_address added[2]; /* of the queue pair that was added last */
};

static inline void wire_decode(struct rt_frame *decoded, const uint8_t *bytes,
			       size_t count)
{
	*decoded = (struct rt_frame){ .link_type = RT_LINK_ETHERNET,
				      .wire_bytes = (uint32_t)count,
				      .cap_bytes = (uint32_t)count };
	rt_frame_decode(decoded, bytes, RT_DECODE_ICRC);
}

static inline void wire_config(struct wire *wire, uint64_t rate_bps, uint32_t mtu)
{
	struct rt_scenario scenario;

	memset(wire, 0, sizeof(*wire));
	rt_scenario_init(&scenario);
	scenario.topology.speed_bps = rate_bps;
	scenario.topology.fabric_speed_bps = rate_bps;
	scenario.topology.hosts = 2;
	rt_fabric_config_init(&wire->laws, &scenario);
	wire->delay_ns = 2000;
	wire->now_ns = WIRE_START;
	for (unsigned i = 0; i < 2; i++)
		wire->config[i] = (struct rt_soft_config){
			.mac = { 2, 0, 0, 0, 0, (uint8_t)i },
			.ip = { .version = 4, .bytes = { 10, 0, 0, (uint8_t)(i + 1) } },
			.mtu_bytes = mtu,
			.laws = &wire->laws,
			.seed = i + 1,
			.now_ns = WIRE_START - 1000000,
		};
}

static inline void wire_open(struct wire *wire)
{
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rt_soft_new(&wire->config[i], &wire->ends[i], NULL),
				 0);
}

/* Queue pairs of a flow from end 0 to end 1; they have the same index at both. */
static inline unsigned wire_add(struct wire *wire, const struct rt_traffic_flow *flow)
{
	struct rt_qp_address *address = wire->added;
	struct rt_err err = { 0 };
	unsigned index[2] = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		if (rt_soft_qp_create(wire->ends[i], flow, i == 0, &index[i],
				      &address[i], &err) < 0)
			print_message("# %s\n", err.msg);
		assert_int_equal(err.code, 0);
	}
	assert_int_equal(index[0], index[1]);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rt_soft_qp_connect(wire->ends[i], index[i],
						    &address[!i], address[!i].mac,
						    NULL),
				 0);
	return index[0];
}

static inline void wire_begin(struct wire *wire)
{
	for (unsigned i = 0; i < 2; i++)
		rt_soft_begin(wire->ends[i], wire->now_ns);
}

static inline void wire_take(struct wire *wire, unsigned from,
			     const struct iovec *frame)
{
	struct in_flight *flight = malloc(sizeof(*flight));
	struct fate fate = { 0 };
	struct rt_frame decoded;

	assert_non_null(flight);
	assert_true(frame->iov_len <= sizeof(flight->bytes));
	memcpy(flight->bytes, frame->iov_base, frame->iov_len);
	flight->count = (uint32_t)frame->iov_len;
	flight->to = !from;
	wire->frames[from]++;
	wire_decode(&decoded, flight->bytes, flight->count);
	wire->bad += decoded.kind != RT_FRAME_ROCE || decoded.icrc != RT_ICRC_OK ||
		     decoded.flags;
	if (wire->check)
		wire->check(wire, from, &decoded);
	if (wire->judge)
		fate = wire->judge(wire, from, &decoded, flight->bytes);
	if (fate.lost) {
		free(flight);
		return;
	}
	flight->at_ns = wire->now_ns + wire->delay_ns + fate.later_ns;
	assert_true(wire->flying < WIRE_ROOM);
	wire->flight[wire->flying++] = flight;
}

/* Hand over what has arrived, in the order of arrival. */
static inline void wire_deliver(struct wire *wire)
{
	for (;;) {
		size_t first = wire->flying;
		struct in_flight *flight;

		for (size_t i = 0; i < wire->flying; i++)
			if (wire->flight[i]->at_ns <= wire->now_ns &&
			    (first == wire->flying ||
			     wire->flight[i]->at_ns < wire->flight[first]->at_ns))
				first = i;
		if (first == wire->flying)
			return;
		flight = wire->flight[first];
		memmove(&wire->flight[first], &wire->flight[first + 1],
			(--wire->flying - first) * sizeof(wire->flight[0]));
		rt_soft_receive(wire->ends[flight->to], flight->bytes, flight->count,
				wire->now_ns);
		free(flight);
	}
}

/* Let time pass up to until_ns, or until nothing more will ever happen. */
static inline void wire_run(struct wire *wire, int64_t until_ns)
{
	for (;;) {
		int64_t next_ns = INT64_MAX;

		wire_deliver(wire);
		for (unsigned i = 0; i < 2; i++) {
			struct iovec frames[RT_SOFT_BATCH];
			unsigned n;

			do {
				n = rt_soft_transmit(wire->ends[i], wire->now_ns,
						     frames, RT_SOFT_BATCH);
				for (unsigned k = 0; k < n; k++)
					wire_take(wire, i, &frames[k]);
			} while (n);
			if (rt_soft_next_ns(wire->ends[i]) < next_ns)
				next_ns = rt_soft_next_ns(wire->ends[i]);
		}
		for (size_t i = 0; i < wire->flying; i++)
			if (wire->flight[i]->at_ns < next_ns)
				next_ns = wire->flight[i]->at_ns;
		if (next_ns > until_ns || next_ns == INT64_MAX)
			break;
		assert_true(next_ns > wire->now_ns);
		wire->now_ns = next_ns;
	}
	if (until_ns != INT64_MAX)
		wire->now_ns = until_ns;
}

static inline struct rt_qp_totals wire_totals(const struct wire *wire, unsigned end,
					      unsigned index)
{
	struct rt_qp_totals totals;

	rt_soft_totals(wire->ends[end], index, &totals);
	return totals;
}

static inline struct rt_traffic_flow wire_flow(unsigned op, uint64_t message_bytes,
					       uint64_t total_bytes)
{
	return (struct rt_traffic_flow){ .flow = 7,
					 .to = 1,
					 .op = op,
					 .message_bytes = message_bytes,
					 .total_bytes = total_bytes,
					 .outstanding = 4,
					 .dscp = 26,
					 .ecn = RT_ECN_ECT0,
					 .prio = 3 };
}

/* The end that posts the messages. */
static inline unsigned wire_asker(unsigned op)
{
	return op == RT_TRAFFIC_READ;
}

/*
 * A frame that the other end of the queue pair added last might have sent, and did not.
 * No dest_qp: that one.
 */
static inline void wire_say(struct wire *wire, unsigned to, struct rt_bth bth)
{
	struct rt_build packet = { .src = wire->config[!to].ip,
				   .dst = wire->config[to].ip,
				   .ttl = 64,
				   .udp_sport = 50000,
				   .bth = bth };
	uint8_t frame[RT_SOFT_MTU_MAX + 256];
	size_t bytes;

	if (!bth.dest_qp)
		packet.bth.dest_qp = wire->added[to].qpn;
	bytes = rt_build_roce(&packet, frame, sizeof(frame));
	assert_true(bytes <= sizeof(frame));
	rt_soft_receive(wire->ends[to], frame, (uint32_t)bytes, wire->now_ns);
}

static inline void wire_close(struct wire *wire)
{
	for (size_t i = 0; i < wire->flying; i++)
		free(wire->flight[i]);
	wire->flying = 0;
	rt_soft_free(wire->ends[0]);
	rt_soft_free(wire->ends[1]);
}

#endif
