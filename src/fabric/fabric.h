/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fabric.h - the packet-level simulator: what it is told, and how it is run.
 *
 * Hosts with one port, switches that store and forward, cables of a length.
 * The laws are those of cc; the fabric moves packets between them in integer
 * picoseconds.  A run is decided by scenario, config and seed alone.
 */
#ifndef RT_FABRIC_FABRIC_H
#define RT_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fabric_config.h"
#include "rocetune/scenario.h"

struct rt_err;
struct rt_sim_result;

/* What is captured, and when to stop asking. */
struct rt_fabric_run {
	struct rt_sink *sink; /* borrowed; NULL: no capture */
	/*
	 * Ports captured, ends with NULL: "s0p3" both directions, "s0p3:rx" or
	 * "s0p3:tx" one; "hosts" is every switch port towards a host.  NULL: hosts:tx,
	 * where each frame passes exactly once.
	 */
	const char *const *ports;
	uint64_t event_limit; /* 0: RT_FABRIC_EVENT_LIMIT, the most */
	/* Called every RT_FABRIC_PROGRESS_EVENTS; NULL: nobody wants to know. */
	void (*progress)(void *user, uint64_t simulated_ns, uint32_t flows_done,
			 uint32_t flows);
	void *progress_user;
};

#define RT_FABRIC_PROGRESS_EVENTS (1u << 17)

/* Below RT_EVENTS_MAX, so that insertion numbers do not wrap. */
#define RT_FABRIC_EVENT_LIMIT UINT64_C(5000000000)

/* The PSN at which a flow of a run begins: at random, as NICs do, 24 bits. */
uint32_t rt_fabric_first_psn(uint64_t seed, uint32_t flow);

/* -EINVAL: one of the ports (as in struct rt_fabric_run) is not in the topology. */
int rt_fabric_check_ports(const struct rt_scenario *scenario, const char *const *ports,
			  struct rt_err *err);

/*
 * Run to the scenario's end.  The caller owns *ret_result and frees it with
 * rt_sim_result_free().
 * -EINVAL: no such port to capture, a buffer too small for its guarantees.
 * -ENOMEM.  Also what the sink said.
 */
int rt_fabric_run(const struct rt_scenario *scenario,
		  const struct rt_fabric_config *config,
		  const struct rt_fabric_run *run, struct rt_sim_result *ret_result,
		  struct rt_err *err);

#endif
