/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/workload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/rng.h"
#include "model/sizes.h"
#include "rocetune/err.h"

#define RNG_STREAM_WORKLOAD 1
#define PS_PER_S            UINT64_C(1000000000000)
/* Where the HPCC authors' traffic generator begins, for its ECMP. */
#define HPCC_SPORT          10000
#define HPCC_DPORT          100

/* Hosts of a topology, and how fast their links are. */
struct hosts {
	uint32_t count;
	uint64_t speed_bps;
};

struct workload_kind {
	/* How many flows, or pairs of hosts that have qps flows each. */
	uint64_t (*pairs)(const struct rt_workload_spec *spec, uint32_t hosts);
	/* Write from and to of each, */
	void (*fill)(const struct rt_workload_spec *spec, const struct hosts *hosts,
		     struct rt_rng *rng, struct rt_flow_spec *flows);
	/* and size and start too: nothing else does. */
	bool complete;
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
static void incast_fill(const struct rt_workload_spec *spec, const struct hosts *hosts,
			struct rt_rng *rng, struct rt_flow_spec *flows)
{
	const uint32_t senders = incast_senders(spec, hosts->count);

	(void)rng;
	for (uint32_t i = 0; i < senders; i++) {
		flows[i].from = (spec->receiver + 1 + i) % hosts->count;
		flows[i].to = spec->receiver;
	}
}

static uint64_t outcast_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	return spec->receivers ? spec->receivers : hosts - 1;
}

/* The hosts after the sender, wrapping round. */
static void outcast_fill(const struct rt_workload_spec *spec, const struct hosts *hosts,
			 struct rt_rng *rng, struct rt_flow_spec *flows)
{
	const uint64_t receivers = outcast_pairs(spec, hosts->count);

	(void)rng;
	for (uint32_t i = 0; i < receivers; i++) {
		flows[i].from = spec->sender;
		flows[i].to = (spec->sender + 1 + i) % hosts->count;
	}
}

static void ring_fill(const struct rt_workload_spec *spec, const struct hosts *hosts,
		      struct rt_rng *rng, struct rt_flow_spec *flows)
{
	(void)spec;
	(void)rng;
	for (uint32_t i = 0; i < hosts->count; i++) {
		flows[i].from = i;
		flows[i].to = (i + 1) % hosts->count;
	}
}

static uint64_t permutation_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	(void)spec;
	return hosts;
}

/* One random cycle through all hosts (Sattolo 1986): nobody sends to itself. */
static void permutation_fill(const struct rt_workload_spec *spec,
			     const struct hosts *hosts, struct rt_rng *rng,
			     struct rt_flow_spec *flows)
{
	(void)spec;
	for (uint32_t i = 0; i < hosts->count; i++)
		flows[i].from = flows[i].to = i;
	for (uint32_t i = hosts->count - 1; i > 0; i--) {
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
static void alltoall_fill(const struct rt_workload_spec *spec,
			  const struct hosts *hosts, struct rt_rng *rng,
			  struct rt_flow_spec *flows)
{
	size_t at = 0;

	(void)spec;
	(void)rng;
	for (uint32_t shift = 1; shift < hosts->count; shift++)
		for (uint32_t from = 0; from < hosts->count; from++) {
			flows[at].from = from;
			flows[at++].to = (from + shift) % hosts->count;
		}
}

/* --- Poisson arrivals --------------------------------------------------- */

static uint64_t poisson_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	(void)hosts;
	return spec->arrivals;
}

double rt_workload_mean_bytes(const struct rt_workload_spec *spec)
{
	return spec->sizes ? rt_sizes_mean_bytes(spec->sizes, spec->size_count)
			   : (double)spec->size_bytes;
}

static uint64_t random_size(const struct rt_workload_spec *spec, struct rt_rng *rng)
{
	if (!spec->sizes)
		return spec->size_bytes;
	return rt_sizes_at(spec->sizes, spec->size_count, rt_rng_below(rng, RT_PPB));
}

/* The speed of the links that a load is a share of. */
static uint64_t loaded_bps(const struct rt_workload_spec *spec,
			   const struct hosts *hosts)
{
	return spec->kind == RT_WORKLOAD_POISSON ? hosts->count * hosts->speed_bps
						 : hosts->speed_bps;
}

/*
 * Mean time between arrivals, with 16 bits of fraction: below 2^-16 ps of error each.
 * By the bounds of the keys the product is below 2^118, the divisor below 2^89 and the
 * result below 2^91.
 */
static unsigned __int128 gap_q16(const struct rt_workload_spec *spec,
				 const struct hosts *hosts)
{
	const unsigned __int128 mean_2ppb =
		spec->sizes
			? rt_sizes_mean_2ppb(spec->sizes, spec->size_count)
			: (unsigned __int128)spec->size_bytes * (UINT64_C(2) * RT_PPB);
	const unsigned __int128 product = mean_2ppb * (4 * PS_PER_S);
	const unsigned __int128 divisor = (unsigned __int128)spec->load_ppb *
					  loaded_bps(spec, hosts);

	return (product / divisor << 16) + (product % divisor << 16) / divisor;
}

/* Times of arrival, and sizes. */
static void arrive(const struct rt_workload_spec *spec, const struct hosts *hosts,
		   struct rt_rng *rng, struct rt_flow_spec *flows)
{
	const unsigned __int128 gap = gap_q16(spec, hosts);
	unsigned __int128 now_q16 = 0;

	for (uint32_t i = 0; i < spec->arrivals; i++) {
		now_q16 += gap * rt_minus_ln_q32(rt_rng_u64(rng)) >> 32;
		flows[i].start_ps = spec->start_ps + (uint64_t)(now_q16 >> 16);
		flows[i].bytes = random_size(spec, rng);
	}
}

/* Any host but one. */
static uint32_t other_host(uint32_t than, uint32_t hosts, struct rt_rng *rng)
{
	return (than + 1 + (uint32_t)rt_rng_below(rng, hosts - 1)) % hosts;
}

static void poisson_fill(const struct rt_workload_spec *spec, const struct hosts *hosts,
			 struct rt_rng *rng, struct rt_flow_spec *flows)
{
	arrive(spec, hosts, rng, flows);
	for (uint32_t i = 0; i < spec->arrivals; i++) {
		flows[i].from = (uint32_t)rt_rng_below(rng, hosts->count);
		flows[i].to = other_host(flows[i].from, hosts->count, rng);
	}
}

static void poisson_incast_fill(const struct rt_workload_spec *spec,
				const struct hosts *hosts, struct rt_rng *rng,
				struct rt_flow_spec *flows)
{
	arrive(spec, hosts, rng, flows);
	for (uint32_t i = 0; i < spec->arrivals; i++) {
		flows[i].from = other_host(spec->receiver, hosts->count, rng);
		flows[i].to = spec->receiver;
	}
}

/* --- a list ------------------------------------------------------------- */

static uint64_t listed_pairs(const struct rt_workload_spec *spec, uint32_t hosts)
{
	(void)hosts;
	return spec->flow_count;
}

static void listed_fill(const struct rt_workload_spec *spec, const struct hosts *hosts,
			struct rt_rng *rng, struct rt_flow_spec *flows)
{
	(void)hosts;
	(void)rng;
	for (size_t i = 0; i < spec->flow_count; i++) {
		const struct rt_flow_entry *entry = &spec->flows[i];

		flows[i] = (struct rt_flow_spec){
			.from = entry->from,
			.to = entry->to,
			.bytes = entry->size_bytes,
			.start_ps = spec->start_ps + entry->start_ps,
			.sport = (uint16_t)entry->sport.value,
			.dport = (uint16_t)entry->dport.value,
		};
	}
}

static const struct workload_kind kinds[] = {
	[RT_WORKLOAD_INCAST] = { incast_pairs, incast_fill, .complete = false },
	[RT_WORKLOAD_PERMUTATION] = { permutation_pairs, permutation_fill,
				      .complete = false },
	[RT_WORKLOAD_ALLTOALL] = { alltoall_pairs, alltoall_fill, .complete = false },
	[RT_WORKLOAD_POISSON] = { poisson_pairs, poisson_fill, .complete = true },
	[RT_WORKLOAD_POISSON_INCAST] = { poisson_pairs, poisson_incast_fill,
					 .complete = true },
	[RT_WORKLOAD_FLOWS] = { listed_pairs, listed_fill, .complete = true },
	[RT_WORKLOAD_OUTCAST] = { outcast_pairs, outcast_fill, .complete = false },
	[RT_WORKLOAD_RING] = { permutation_pairs, ring_fill, .complete = false },
};

void rt_workload_name(const struct rt_scenario *scenario, size_t index,
		      char ret_name[RT_WORKLOAD_NAME_BYTES])
{
	const char *name = scenario->workloads[index].name;

	if (*name)
		snprintf(ret_name, RT_WORKLOAD_NAME_BYTES, "%s", name);
	else
		snprintf(ret_name, RT_WORKLOAD_NAME_BYTES, "%zu", index + 1);
}

uint64_t rt_workload_flow_count(const struct rt_workload_spec *spec, uint32_t hosts)
{
	return kinds[spec->kind].pairs(spec, hosts) *
	       (kinds[spec->kind].complete ? 1 : spec->qps);
}

uint64_t rt_workload_last_start_ps(const struct rt_scenario *scenario,
				   const struct rt_workload_spec *spec, uint32_t hosts)
{
	const struct hosts all = { hosts, scenario->topology.speed_bps };
	const uint64_t count = rt_workload_flow_count(spec, hosts);
	uint64_t listed = 0;

	if (spec->kind == RT_WORKLOAD_POISSON ||
	    spec->kind == RT_WORKLOAD_POISSON_INCAST) {
		const unsigned __int128 last = gap_q16(spec, &all) * spec->arrivals >>
					       16;

		return last > UINT64_MAX / 2 ? UINT64_MAX
					     : spec->start_ps + (uint64_t)last;
	}
	if (spec->kind != RT_WORKLOAD_FLOWS)
		return spec->start_ps + (count - 1) * spec->stagger_ps +
		       spec->jitter_ps;
	for (size_t i = 0; i < spec->flow_count; i++)
		if (spec->flows[i].start_ps > listed)
			listed = spec->flows[i].start_ps;
	return spec->start_ps + listed;
}

/* From pairs at the front of flows to qps flows a pair, with sizes and starts. */
static void spread_pairs(const struct rt_workload_spec *spec, struct rt_rng *rng,
			 struct rt_flow_spec *flows, size_t pairs)
{
	for (size_t i = pairs * spec->qps; i-- > 0;) {
		flows[i].from = flows[i / spec->qps].from;
		flows[i].to = flows[i / spec->qps].to;
		flows[i].bytes = spec->size_bytes;
	}
	for (size_t i = 0; i < pairs * spec->qps; i++)
		flows[i].start_ps = spec->start_ps + i * spec->stagger_ps +
				    rt_rng_below(rng, spec->jitter_ps);
}

double rt_workload_timed_packets(const struct rt_workload_spec *spec,
				 uint64_t speed_bps, uint64_t payload_bytes)
{
	double share = (double)spec->rate_share_ppb / RT_PPB;

	if (!spec->rate_share_ppb)
		share = 1;
	if (spec->rate_bps && (double)spec->rate_bps < share * (double)speed_bps)
		share = (double)spec->rate_bps / (double)speed_bps;
	return share * (double)speed_bps * ((double)spec->duration_ps * 1e-12) /
		       (8 * (double)payload_bytes) +
	       1;
}

uint64_t rt_workload_payload_bps(const struct rt_workload_spec *spec,
				 uint64_t speed_bps, uint32_t payload_bytes,
				 uint32_t wire_bytes)
{
	const unsigned __int128 wire_bps = (unsigned __int128)speed_bps *
					   spec->rate_share_ppb / RT_PPB;

	if (spec->rate_bps)
		return spec->rate_bps;
	return (uint64_t)(wire_bps * payload_bytes / wire_bytes);
}

/* What a message of a flow is when nobody says: all of it, or of a usual size. */
static uint64_t message_of(const struct rt_workload_spec *spec, uint64_t flow_bytes)
{
	if (spec->message_bytes)
		return spec->message_bytes;
	if (spec->duration_ps)
		return RT_MESSAGE_BYTES_TIMED;
	return flow_bytes < RT_MESSAGE_BYTES_MAX ? flow_bytes : RT_MESSAGE_BYTES_MAX;
}

static void make_flows(const struct rt_workload_spec *spec, const struct hosts *hosts,
		       struct rt_rng *rng, struct rt_flow_spec *flows, size_t count)
{
	const struct workload_kind *kind = &kinds[spec->kind];

	kind->fill(spec, hosts, rng, flows);
	if (!kind->complete)
		spread_pairs(spec, rng, flows, kind->pairs(spec, hosts->count));
	for (size_t i = 0; i < count; i++) {
		flows[i].on_ps = spec->on_ps;
		flows[i].off_ps = spec->on_ps ? spec->off_ps : 0;
		if (spec->duration_ps) {
			flows[i].bytes = 0;
			flows[i].stop_ps = flows[i].start_ps + spec->duration_ps;
		}
		flows[i].message_bytes = message_of(spec, flows[i].bytes);
	}
}

int rt_workload_flows(const struct rt_scenario *scenario, uint32_t hosts,
		      struct rt_flow_spec **ret_flows, size_t *ret_count,
		      struct rt_err *err)
{
	const struct hosts all = { hosts, scenario->topology.speed_bps };
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
		const size_t more = rt_workload_flow_count(spec, hosts);

		make_flows(spec, &all, &rng, flows + at, more);
		for (size_t k = at; k < at + more; k++)
			flows[k].workload = (uint16_t)i;
		at += more;
	}
	for (size_t i = 0; i < count; i++) {
		if (!flows[i].sport)
			flows[i].sport = (uint16_t)(HPCC_SPORT + i);
		if (!flows[i].dport)
			flows[i].dport = HPCC_DPORT;
	}
	*ret_flows = flows;
	*ret_count = count;
	return 0;
}
