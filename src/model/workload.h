/* SPDX-License-Identifier: BSD-2-Clause */
/* workload.h - who sends how much to whom, and when. */
#ifndef RT_MODEL_WORKLOAD_H
#define RT_MODEL_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "rocetune/scenario.h"

struct rt_err;

struct rt_flow_spec {
	uint32_t from, to; /* hosts */
	uint64_t bytes;
	uint64_t start_ps;
	uint64_t on_ps, off_ps; /* bursts; off 0: none */
	uint16_t sport, dport;  /* what ECMP hashes, where it hashes ports */
	uint16_t workload;      /* which of the scenario's: how it sends */
	uint64_t stop_ps;       /* begins no message from then on; 0: bytes says */
	uint64_t message_bytes; /* the last may be shorter */
};

/* Flows of one workload among hosts, without making them. */
uint64_t rt_workload_flow_count(const struct rt_workload_spec *spec, uint32_t hosts);

/* What reports and checks call it: its name, or its number from 1. */
void rt_workload_name(const struct rt_scenario *scenario, size_t index,
		      char ret_name[RT_WORKLOAD_NAME_BYTES]);

/* Of the flows that a workload draws or spreads; not of listed ones. */
double rt_workload_mean_bytes(const struct rt_workload_spec *spec);

/* Full packets that one flow of a duration sends at most, on a link of that speed. */
double rt_workload_timed_packets(const struct rt_workload_spec *spec,
				 uint64_t speed_bps, uint64_t payload_bytes);

/*
 * The most payload that a flow of this workload sends, in bits per second, on a link of
 * that speed, where a full packet of payload_bytes takes wire_bytes of it in all;
 * 0: no cap.
 */
uint64_t rt_workload_payload_bps(const struct rt_workload_spec *spec,
				 uint64_t speed_bps, uint32_t payload_bytes,
				 uint32_t wire_bytes);

/*
 * When the last flow of a workload may start, of Poisson arrivals on average;
 * UINT64_MAX: beyond all time.
 */
uint64_t rt_workload_last_start_ps(const struct rt_scenario *scenario,
				   const struct rt_workload_spec *spec, uint32_t hosts);

/*
 * All flows of a scenario, in order of workload; the caller frees *ret_flows.
 * The seed decides permutations, jitter and Poisson arrivals.  -ENOMEM.
 */
int rt_workload_flows(const struct rt_scenario *scenario, uint32_t hosts,
		      struct rt_flow_spec **ret_flows, size_t *ret_count,
		      struct rt_err *err);

#endif
