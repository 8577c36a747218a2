/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/stress_rates.h"

#include <errno.h>

#include "model/fabric_config.h"
#include "rocetune/err.h"
#include "traffic/engine.h"

#define DEFAULT_MTU 1024u /* of an engine that does not tell */
#define IPV6_MORE   20u   /* bytes than IPv4 */

/* What a full packet keeps a link busy with, beside its payload. */
static uint32_t overhead_bytes(const struct rt_engine_about *about)
{
	const struct rt_wire_format *wire = &rt_wire_formats[RT_WIRE_ETHERNET];

	return wire->lead_bytes + wire->data_overhead + wire->gap_bytes +
	       (about->ip.version == 6 ? IPV6_MORE : 0);
}

int rt_stress_share_bps(const struct rt_traffic_flow *flow,
			const struct rt_engine_about *about, uint64_t *ret_bps,
			struct rt_err *err)
{
	const uint64_t mtu = about->mtu_bytes ? about->mtu_bytes : DEFAULT_MTU;
	const uint64_t payload = flow->message_bytes < mtu ? flow->message_bytes : mtu;
	unsigned __int128 bps;

	if (!about->speed_bps.known || !about->speed_bps.value)
		return rt_err_set(err, -ENODATA,
				  "workload %u: rate_share is of the link, and how "
				  "fast %s is nobody knows: say rate instead",
				  flow->workload + 1,
				  *about->netdev   ? about->netdev
				  : *about->device ? about->device
						   : "that of this engine");
	bps = (unsigned __int128)about->speed_bps.value * flow->rate_share_ppb /
	      RT_PPB * payload / (payload + overhead_bytes(about));
	*ret_bps = bps ? (uint64_t)bps : 1;
	return 0;
}

int rt_stress_heed_links(struct rt_stress_plan *plan,
			 const struct rt_stress_rank *ranks, struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->flow_count && r == 0; i++) {
		struct rt_traffic_flow *flow = &plan->flows[i];

		if (flow->rate_share_ppb)
			r = rt_stress_share_bps(flow, &ranks[flow->from].ready.about,
						&flow->rate_bps, err);
	}
	plan->even = rt_stress_flows_are_even(plan);
	return r;
}

bool rt_stress_flows_are_even(const struct rt_stress_plan *plan)
{
	const struct rt_traffic_flow *first = NULL;

	for (size_t i = 0; i < plan->flow_count; i++) {
		const struct rt_traffic_flow *flow = &plan->flows[i];

		if (flow->victim)
			continue;
		if (!first)
			first = flow;
		if (flow->workload != first->workload || flow->off_ns ||
		    flow->rate_bps != first->rate_bps ||
		    flow->rate_share_ppb != first->rate_share_ppb ||
		    flow->total_bytes != first->total_bytes ||
		    flow->stop_ns != first->stop_ns)
			return false;
	}
	return true;
}
