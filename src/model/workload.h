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
};

/* Flows of one workload among hosts, without making them. */
uint64_t rt_workload_flow_count(const struct rt_workload_spec *spec, uint32_t hosts);

/* Of the flows that a workload draws or spreads; not of listed ones. */
double rt_workload_mean_bytes(const struct rt_workload_spec *spec);

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
