/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_switch.h - a soft switch in virtual time: frames of any length between hosts by
 * number, and a list of what left it, with when.
 *
 * Links are of 1 Gb/s, so a byte takes 8 ns; a frame of 996 bytes is 1000 with FCS, its
 * last bit leaves 8064 ns after it began, and the next may begin after 8160 ns.
 */
#ifndef RT_TESTS_SOFT_SWITCH_H
#define RT_TESTS_SOFT_SWITCH_H

#include <string.h>

#include "cc/ps.h"
#include "lab/switch_core.h"
#include "rocetune/err.h"
#include "rocetune/frame.h"
#include "wire/build.h"
#include "wire/bytes.h"

#define NS            RT_PS_PER_NS
#define FRAME         996u
#define FRAME_DONE    (8064 * NS) /* until its last bit has left */
#define FRAME_TIME    (8160 * NS) /* until the next may begin */
#define PRIO          3
#define DSCP_OF(prio) ((prio)*8)
#define LEFT_MAX      4096

struct left {
	uint32_t port; /* towards the host of this number */
	uint64_t time_ps;
	uint32_t bytes;
	uint32_t id;   /* as sent */
	uint16_t type; /* EtherType, the outer one */
	struct rt_frame frame;
};

struct soft_switch {
	struct rt_topology topology;
	struct rt_fabric_config laws;
	struct rt_lab_core *core;
	struct rt_lab_switch_counters counters;
	struct rt_lab_switch_port ports[RT_LAB_MAX_PORTS];
	struct left left[LEFT_MAX];
	unsigned left_count;
	unsigned takes; /* frames that interfaces take before they are full; 0: all */
	bool full;
};

#define ID_AT 34 /* behind the IPv4 header, or 14 + 20 of anything */

static inline int soft_send(void *user, uint32_t port, const struct iovec *frames,
			    unsigned count, struct rt_err *err)
{
	struct soft_switch *sw = user;

	(void)err;
	if (sw->full)
		return 0;
	if (sw->takes && count > sw->takes)
		count = sw->takes;
	for (unsigned i = 0; i < count && sw->left_count < LEFT_MAX; i++) {
		struct left *left = &sw->left[sw->left_count++];
		const uint8_t *data = frames[i].iov_base;

		*left = (struct left){
			.port = sw->topology.ports[port].peer,
			.time_ps = sw->core->now_ps,
			.bytes = (uint32_t)frames[i].iov_len,
			.frame = { .link_type = RT_LINK_ETHERNET,
				   .flags = RT_FRAME_NO_TIME,
				   .cap_bytes = (uint32_t)frames[i].iov_len,
				   .wire_bytes = (uint32_t)frames[i].iov_len },
		};
		left->type = rt_get_be16(data + 12);
		if (left->bytes >= ID_AT + 4)
			left->id = rt_get_be32(data + ID_AT);
		rt_frame_decode(&left->frame, data, RT_DECODE_ICRC);
	}
	return (int)count;
}

static inline struct rt_topology_spec soft_star(uint32_t hosts)
{
	return (struct rt_topology_spec){
		.kind = RT_TOPOLOGY_STAR,
		.hosts = hosts,
		.leaves = 1,
		.spines = 1,
		.speed_bps = 1000000000,
		.fabric_speed_bps = 1000000000,
	};
}

/* Laws that a test then changes: nothing is marked, all priorities are lossless. */
static inline void soft_laws(struct rt_fabric_config *laws)
{
	*laws = (struct rt_fabric_config){
		.wire = rt_wire_formats[RT_WIRE_ETHERNET],
		.mtu_bytes = 1024,
		.buffer_bytes = 1 << 20,
		.pause_quanta = 1000,
		.egress = { .limit_bytes = 1 << 20 },
	};
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		for (unsigned role = 0; role < RT_PORT_ROLES; role++)
			laws->pg[role][prio] = (struct rt_pg_params){
				.lossless = true,
				.xoff_bytes = 100000,
				.xon_bytes = 1000,
				.headroom_bytes = 2000,
			};
		laws->queues[prio] = (struct rt_queue_config){ .weight = 1 };
	}
}

static inline void soft_open(struct soft_switch *sw)
{
	struct rt_lab_switch_config config = { .topology = &sw->topology,
					       .laws = &sw->laws,
					       .seed = 1 };

	for (unsigned dscp = 0; dscp < 64; dscp++)
		config.prio_of_dscp[dscp] = (uint8_t)(dscp / 8);
	assert_int_equal(rt_lab_core_open(&config, soft_send, sw, &sw->core, NULL), 0);
	sw->counters.ports = sw->ports;
}

static inline struct soft_switch *soft_new(const struct rt_topology_spec *spec)
{
	struct soft_switch *sw = calloc(1, sizeof(*sw));

	assert_non_null(sw);
	assert_int_equal(rt_topology_build(spec, &sw->topology, NULL), 0);
	soft_laws(&sw->laws);
	return sw;
}

static inline void soft_free(struct soft_switch *sw)
{
	rt_lab_core_close(sw->core);
	rt_topology_free(&sw->topology);
	free(sw);
}

static inline void soft_mac(uint8_t mac[6], uint32_t host)
{
	memcpy(mac,
	       (const uint8_t[6]){ 2, 0, 0, 0, (uint8_t)(host >> 8), (uint8_t)host },
	       6);
}

/* What a test sends; host numbers, of which 1000 and up do not exist. */
struct sent {
	uint32_t from, to, id;
	uint32_t bytes; /* 0: FRAME */
	uint8_t prio, ecn;
	uint16_t sport;
};

#define SOFT_FRAME_MAX 10000u

static inline uint32_t soft_frame(uint8_t frame[SOFT_FRAME_MAX],
				  const struct sent *sent)
{
	const uint32_t bytes = sent->bytes ? sent->bytes : FRAME;
	uint8_t *net = frame + 14;
	uint32_t sum = 0;

	memset(frame, 0, bytes);
	soft_mac(frame, sent->to);
	soft_mac(frame + 6, sent->from);
	rt_put_be16(frame + 12, 0x0800);
	net[0] = 0x45;
	net[1] = (uint8_t)(DSCP_OF(sent->prio) << 2 | sent->ecn);
	rt_put_be16(net + 2, (uint16_t)(bytes - 14));
	net[8] = 64;
	net[9] = 17;
	rt_put_be32(net + 12, 0x0A000000 + sent->from);
	rt_put_be32(net + 16, 0x0A000000 + sent->to);
	for (unsigned i = 0; i < 20; i += 2)
		sum += rt_get_be16(net + i);
	sum = (sum & 0xFFFF) + (sum >> 16);
	rt_put_be16(net + 10, (uint16_t)~sum);
	/* The first four bytes of UDP: ports; they name the frame as well. */
	rt_put_be32(net + 20, sent->id ? sent->id : (uint32_t)sent->sport << 16);
	return bytes;
}

/* Event by event, so that left[] has the time of each. */
static inline void soft_until(struct soft_switch *sw, uint64_t until_ps)
{
	while (rt_lab_core_next_ps(sw->core) <= until_ps) {
		const uint64_t next_ps = rt_lab_core_next_ps(sw->core);

		assert_int_equal(rt_lab_core_advance(sw->core, next_ps, NULL), 0);
		assert_int_equal(rt_lab_core_flush(sw->core, NULL), 0);
	}
	assert_int_equal(rt_lab_core_advance(sw->core, until_ps, NULL), 0);
}

static inline void soft_raw(struct soft_switch *sw, uint64_t time_ps, uint32_t host,
			    const uint8_t *data, uint32_t bytes)
{
	const struct rt_lab_arrival arrival = { .port = sw->topology.ports[host].peer,
						.time_ps = time_ps,
						.data = data,
						.bytes = bytes };

	soft_until(sw, time_ps);
	assert_int_equal(rt_lab_core_arrive(sw->core, &arrival, NULL), 0);
	assert_int_equal(rt_lab_core_flush(sw->core, NULL), 0);
}

static inline void soft_arrive(struct soft_switch *sw, uint64_t time_ps,
			       const struct sent *sent)
{
	uint8_t frame[SOFT_FRAME_MAX];

	soft_raw(sw, time_ps, sent->from, frame, soft_frame(frame, sent));
}

/* A host asks its switch to stop prio for quanta; 0: go on. */
static inline void soft_pause(struct soft_switch *sw, uint64_t time_ps, uint32_t host,
			      unsigned prio, uint16_t quanta)
{
	struct rt_pause pause = { .enable = (uint8_t)(1u << prio) };
	uint8_t mac[6], frame[RT_BUILD_PAUSE_BYTES];

	soft_mac(mac, host);
	pause.quanta[prio] = quanta;
	rt_build_pfc(mac, &pause, frame, sizeof(frame));
	soft_raw(sw, time_ps, host, frame, sizeof(frame));
}

/* The switch knows where hosts 0 .. count - 1 are; what they said is forgotten. */
static inline void soft_learn(struct soft_switch *sw, uint32_t count)
{
	for (uint32_t host = 0; host < count; host++)
		rt_lab_macs_learn(sw->core->macs, UINT64_C(0x020000000000) | host, host,
				  0);
}

static inline const struct rt_lab_switch_prio *soft_counts(struct soft_switch *sw,
							   uint32_t host, unsigned prio)
{
	rt_lab_core_counters(sw->core, &sw->counters);
	return &sw->ports[sw->topology.ports[host].peer - sw->topology.hosts]
			.prios[prio];
}

/* Frames that left towards host. */
static inline unsigned soft_left(const struct soft_switch *sw, uint32_t host)
{
	unsigned count = 0;

	for (unsigned i = 0; i < sw->left_count; i++)
		count += sw->left[i].port == host;
	return count;
}

#endif
