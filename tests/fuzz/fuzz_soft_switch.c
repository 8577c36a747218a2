/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_soft_switch.c - any frames, at any times and ports, into a soft switch.
 *
 * The first byte chooses the network; then come records: port, time step, length, and
 * that many bytes.  A length with the high bit adds a well-formed start, so that what is
 * stored, marked and paused is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/ps.h"
#include "lab/switch_core.h"
#include "wire/bytes.h"

#define HOLDS(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int take_all(void *user, uint32_t port, const struct iovec *frames,
		    unsigned count, struct rt_err *err)
{
	uint64_t *sum = user;

	(void)port;
	(void)err;
	for (unsigned i = 0; i < count; i++)
		for (size_t at = 0; at < frames[i].iov_len; at++)
			*sum += ((const uint8_t *)frames[i].iov_base)[at];
	return (int)count;
}

static void narrow_laws(struct rt_fabric_config *laws)
{
	*laws = (struct rt_fabric_config){
		.wire = rt_wire_formats[RT_WIRE_ETHERNET],
		.mtu_bytes = 1024,
		.buffer_bytes = 1 << 18,
		.pause_quanta = 50,
		.egress = { .dynamic = true, .alpha_q32 = RT_BUFFER_ALPHA_ONE / 16 },
	};
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		for (unsigned role = 0; role < RT_PORT_ROLES; role++) {
			laws->pg[role][prio] = (struct rt_pg_params){
				.lossless = prio % 2,
				.xoff_bytes = 400,
				.xon_bytes = 100,
				.headroom_bytes = 1500,
			};
			rt_red_init(&laws->red[role][prio], 100, 1000, 500000000);
			laws->ecn[role][prio] = true;
		}
		laws->queues[prio] = (struct rt_queue_config){ .weight = 1 + prio,
							       .strict = prio == 7 };
	}
}

static void check_sums(struct rt_lab_core *core)
{
	struct rt_lab_switch_port ports[RT_LAB_MAX_PORTS];
	struct rt_lab_switch_counters counters = { .ports = ports };

	rt_lab_core_counters(core, &counters);
	for (size_t i = 0; i < counters.port_count; i++)
		for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++)
			HOLDS(ports[i].prios[prio].queue_bytes == 0);
	for (uint32_t i = 0; i < core->topology->nodes - core->topology->hosts; i++) {
		HOLDS(core->pools[i].pool.used_bytes == 0);
		HOLDS(core->pools[i].pool.headroom_used_bytes == 0);
		HOLDS(core->pools[i].egress.used_bytes == 0);
	}
}

static void play(struct rt_lab_core *core, const uint8_t *data, size_t bytes)
{
	static const uint8_t start[15] = { 2, 0, 0, 0,    0,    1,    2,   0,
					   0, 0, 0, 0x00, 0x08, 0x00, 0x45 };
	const uint32_t hosts = core->topology->hosts;
	uint64_t now_ps = 0;

	while (bytes >= 3) {
		const size_t want = (data[2] & 127u) * (data[1] & 1 ? 80 : 1);
		const size_t have = want < bytes - 3 ? want : bytes - 3;
		const size_t led = data[2] & 128 ? sizeof(start) : 0;
		/* Just as long, so that a byte behind the end is found. */
		uint8_t *copy = malloc(led + have ? led + have : 1);

		HOLDS(copy);
		memcpy(copy, start, led);
		memcpy(copy + led, data + 3, have);
		now_ps += data[1] * UINT64_C(5000000);
		HOLDS(rt_lab_core_arrive(
			      core,
			      &(struct rt_lab_arrival){
				      .port = core->topology->ports[data[0] % hosts]
						      .peer,
				      .time_ps = now_ps,
				      .data = copy,
				      .bytes = (uint32_t)(led + have),
				      .tagged = led + have >= 14 && data[0] & 128,
				      .vlan = data[1] },
			      NULL) == 0);
		free(copy);
		data += 3 + have;
		bytes -= 3 + have;
	}
	/* The longest pause at 1 Gb/s is over in 34 ms. */
	HOLDS(rt_lab_core_advance(core, now_ps + 1000000 * RT_PS_PER_MS, NULL) == 0);
	HOLDS(rt_lab_core_flush(core, NULL) == 0);
	HOLDS(rt_lab_core_next_ps(core) == RT_PS_NEVER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rt_topology_spec spec = { .kind = RT_TOPOLOGY_STAR,
					 .hosts = 3,
					 .leaves = 2,
					 .spines = 2,
					 .speed_bps = 1000000000,
					 .fabric_speed_bps = 2000000000 };
	struct rt_topology topology;
	struct rt_fabric_config laws;
	struct rt_lab_core *core;
	uint64_t sum = 0;

	if (!bytes)
		return 0;
	if (data[0] & 1)
		spec.kind = RT_TOPOLOGY_LEAF_SPINE;
	narrow_laws(&laws);
	if (data[0] & 2)
		laws.options |= RT_MODEL_RED_AT_ENQUEUE;
	HOLDS(rt_topology_build(&spec, &topology, NULL) == 0);
	HOLDS(rt_lab_core_open(
		      &(struct rt_lab_switch_config){
			      .topology = &topology,
			      .laws = &laws,
			      .prio_of_dscp = { 0, 1, 2, 3, 4, 5, 6, 7, 1, 3 } },
		      take_all, &sum, &core, NULL) == 0);
	play(core, data + 1, bytes - 1);
	check_sums(core);
	rt_lab_core_close(core);
	rt_topology_free(&topology);
	return 0;
}
