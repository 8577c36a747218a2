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

#include "cc/buffer.h"
#include "cc/dcqcn.h"
#include "cc/rc.h"
#include "cc/red.h"
#include "cc/sched.h"
#include "rocetune/frame.h"
#include "rocetune/scenario.h"

struct rt_err;
struct rt_sim_result;

#define RT_PORT_ROLES 4 /* enum rt_port_role of model/topology.h */

/* Bytes of each kind of frame; frame is what buffers count. */
struct rt_wire_format {
	uint32_t data_overhead; /* frame - payload */
	uint32_t first_extra;   /* of a message's first packet (RETH) */
	uint32_t ack_bytes, cnp_bytes, pfc_bytes;
	uint32_t lead_bytes; /* before a frame: preamble and SFD */
	uint32_t gap_bytes;  /* after it: the inter-frame gap */
};

/* In the order of enum rt_wire_id. */
extern const struct rt_wire_format rt_wire_formats[];

struct rt_fabric_config {
	struct rt_wire_format wire;
	unsigned options; /* enum rt_model_option */
	uint32_t mtu_bytes;
	uint64_t window_bytes; /* 0: none */
	uint8_t data_prio, cnp_prio;
	uint8_t data_dscp, cnp_dscp; /* in captures */
	bool not_ect;                /* data cannot be marked */
	struct rt_rp_params rp;
	struct rt_np_params np;
	struct rt_rc_params rc;
	bool ecn[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_red red[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_pg_params pg[RT_PORT_ROLES][RT_PRIO_COUNT];
	struct rt_egress_params egress; /* of lossy classes */
	struct rt_queue_config queues[RT_QUEUES];
	uint64_t buffer_bytes;          /* of a switch */
	uint64_t shared_headroom_bytes; /* 0: every ingress and priority has its own */
	struct rt_opt_u64 pool_bytes;   /* unknown: buffer less all guarantees */
	uint16_t pause_quanta;
	uint64_t pause_refresh_ps;         /* 0: half of the quanta's time */
	struct rt_opt_u64 pfc_reaction_ps; /* unknown: 60 quanta of the link */
	char assumed[160]; /* for the result: what a profile left open */
};

/*
 * Defaults for a scenario's links: DCQCN and ECN as HPCC's authors scale them
 * with speed, a 32 MiB shared buffer at alpha 1/8, headroom for the longest
 * cable, PFC on the data priority.
 */
void rt_fabric_config_init(struct rt_fabric_config *config,
			   const struct rt_scenario *scenario);

/*
 * Classes as they are by default: data lossless and marked, CNPs strict before
 * all else unless they share the data's priority.
 */
void rt_fabric_config_classes(struct rt_fabric_config *config);

/*
 * Let the scenario's model section have the last word.
 * -EINVAL: an unknown dcqcn set, or parameters that contradict one another.
 */
int rt_fabric_config_model(struct rt_fabric_config *config,
			   const struct rt_scenario *scenario, struct rt_err *err);

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
