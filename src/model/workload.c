/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/workload.h"

#include <errno.h>
#include <stdlib.h>

#include "base/rng.h"
#include "rocetune/err.h"

#define RNG_STREAM_WORKLOAD 1

struct workload_kind {
	/* How many pairs of hosts; hosts is that of the topology. */
	uint64_t (*pairs)(const struct rt_workload_spec *spec, uint32_t hosts);
	/* Write the pairs' from and to. */
	void (*fill)(const struct rt_workload_spec *spec, uint32_t hosts,
		     struct rt_rng *rng, struct rt_flow_spec *flows);
};

static uint32_t incast_senders(const struct rt_workload_spec *spec, uint32_t hosts)
{
	return spec->senders ? spec->senders : hosts - 1;
}

static uint64_t incast_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	return incast_senders(spec, hosts);
}

/* The hosts after the receiver, wrapping round. */
static void incast_fill(const struct rt_workload_spec *spec, uint32_t hosts,
			struct rt_rng *rng, struct rt_flow_spec *flows)
{
	const uint32_t senders = incast_senders(spec, hosts);

	(void)rng;
	for (uint32_t i = 0; i < senders; i++) {
		flows[i].from = (spec->receiver + 1 + i) % hosts;
		flows[i].to = spec->receiver;
	}
}

static uint64_t permutation_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	(void)spec;
	return hosts;
}

/* One random cycle through all hosts (Sattolo 1986): nobody sends to itself. */
static void permutation_fill(const struct rt_workload_spec *spec, uint32_t hosts,
			     struct rt_rng *rng, struct rt_flow_spec *flows)
{
	(void)spec;
	for (uint32_t i = 0; i < hosts; i++)
		flows[i].from = flows[i].to = i;
	for (uint32_t i = hosts - 1; i > 0; i--) {
		const uint32_t other = (uint32_t)rt_rng_below(rng, i);
		const uint32_t moved = flows[i].to;

		flows[i].to = flows[other].to;
		flows[other].to = moved;
	}
}

static uint64_t alltoall_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	(void)spec;
	return (uint64_t)hosts * (hosts - 1);
}

/* Shifted, so that the first flows of all hosts go to different ones. */
static void alltoall_fill(const struct rt_workload_spec *spec, uint32_t hosts,
			  struct rt_rng *rng, struct rt_flow_spec *flows)
{
	size_t at = 0;

	(void)spec;
	(void)rng;
	for (uint32_t shift = 1; shift < hosts; shift++)
		for (uint32_t from = 0; from < hosts; from++) {
			flows[at].from = from;
			flows[at++].to = (from + shift) % hosts;
		}
}

static const struct workload_kind kinds[] = {
	[RT_WORKLOAD_INCAST] = { incast_pairs, incast_fill },
	[RT_WORKLOAD_PERMUTATION] = { permutation_pairs, permutation_fill },
	[RT_WORKLOAD_ALLTOALL] = { alltoall_pairs, alltoall_fill },
};

uint64_t rt_workload_flow_count(const struct rt_workload_spec *spec, uint32_t hosts)
{
	return kinds[spec->kind].pairs(spec, hosts) * spec->qps;
}

/* From pairs at the front of flows to qps flows a pair, with sizes and starts. */
static void finish_flows(const struct rt_workload_spec *spec, struct rt_rng *rng,
			 struct rt_flow_spec *flows, size_t pairs)
{
	for (size_t i = pairs * spec->qps; i-- > 0;) {
		flows[i].from = flows[i / spec->qps].from;
		flows[i].to = flows[i / spec->qps].to;
		flows[i].bytes = spec->size_bytes;
		flows[i].on_ps = spec->on_ps;
		flows[i].off_ps = spec->on_ps ? spec->off_ps : 0;
	}
	for (size_t i = 0; i < pairs * spec->qps; i++)
		flows[i].start_ps = spec->start_ps + i * spec->stagger_ps +
				    rt_rng_below(rng, spec->jitter_ps);
}

int rt_workload_flows(const struct rt_scenario *scenario, uint32_t hosts,
		      struct rt_flow_spec **ret_flows, size_t *ret_count,
		      struct rt_err *err)
{
	struct rt_flow_spec *flows;
	struct rt_rng rng;
	size_t count = 0, at = 0;

	for (size_t i = 0; i < scenario->workload_count; i++)
		count += rt_workload_flow_count(&scenario->workloads[i], hosts);
	flows = calloc(count + 1, sizeof(*flows));
	if (!flows)
		return rt_err_sys(err, -ENOMEM, "cannot hold %zu flows", count);
	rt_rng_init(&rng, scenario->seed, RNG_STREAM_WORKLOAD);
	for (size_t i = 0; i < scenario->workload_count; i++) {
		const struct rt_workload_spec *spec = &scenario->workloads[i];
		const struct workload_kind *kind = &kinds[spec->kind];

		kind->fill(spec, hosts, &rng, flows + at);
		finish_flows(spec, &rng, flows + at, kind->pairs(spec, hosts));
		at += rt_workload_flow_count(spec, hosts);
	}
	*ret_flows = flows;
	*ret_count = count;
	return 0;
}
