/* SPDX-License-Identifier: BSD-2-Clause */
/* demo_flows.c - the flows of the made-up host, and who receives from how many. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jain.h"
#include "watch/demo_play.h"
#include "watch/sample.h"

static void fill_flow(const struct rt_demo_flow *about, int64_t from_ms,
		      int64_t until_ms, struct rt_watch_flow *flow)
{
	const struct rt_demo_span span = { about->from_ms, about->until_ms };
	const uint64_t ms = (uint64_t)(rt_demo_active_ms(RT_DEMO_FLAT, span, until_ms) -
				       rt_demo_active_ms(RT_DEMO_FLAT, span, from_ms));

	*flow = (struct rt_watch_flow){
		.src = { .bytes = { 10, 0, about->src[0], about->src[1] },
			 .version = 4 },
		.dst = { .bytes = { 10, 0, 0, about->dst }, .version = 4 },
		.qp = about->qp,
		.prio = RT_KNOWN_U64(about->prio),
		.dscp = about->dscp,
		.bytes = about->mbps * ms * 125,
		.cnps = about->cnps_ps * ms / 1000,
		.resent_bytes = about->resent_kbps * ms / 8,
		.naks = about->naks_ps * ms / 1000,
	};
	flow->frames = flow->bytes / RT_DEMO_PAYLOAD;
	flow->ce = flow->frames * about->ce_pct / 100;
}

static int by_flow_bytes(const void *a, const void *b)
{
	const struct rt_watch_flow *one = a, *other = b;

	if (one->bytes != other->bytes)
		return one->bytes < other->bytes ? 1 : -1;
	return one->qp < other->qp ? -1 : one->qp > other->qp;
}

static int by_fan_bytes(const void *a, const void *b)
{
	const struct rt_watch_fan *one = a, *other = b;

	if (one->bytes != other->bytes)
		return one->bytes < other->bytes ? 1 : -1;
	return memcmp(one->dst.bytes, other->dst.bytes, sizeof(one->dst.bytes));
}

/* Here each flow has a sender of its own. */
static void gather_fan(struct rt_watch_flows *flows, const struct rt_ip *dst)
{
	struct rt_watch_fan fan = { .dst = *dst };
	struct rt_jain jain = { 0 };

	for (size_t i = 0; i < flows->fan_count; i++)
		if (memcmp(&flows->fans[i].dst, dst, sizeof(*dst)) == 0)
			return;
	for (size_t i = 0; i < flows->count; i++) {
		const struct rt_watch_flow *flow = &flows->items[i];

		if (memcmp(&flow->dst, dst, sizeof(*dst)) != 0)
			continue;
		fan.senders++;
		fan.flows++;
		fan.bytes += flow->bytes;
		fan.ce += flow->ce;
		rt_jain_add(&jain, (double)flow->bytes);
	}
	fan.jain = rt_jain_among(&jain);
	flows->fans[flows->fan_count++] = fan;
}

int rt_demo_play_flows(int64_t from_ms, int64_t until_ms, struct rt_watch_flows *flows)
{
	if (!flows->items)
		flows->items = calloc(rt_demo_flow_count, sizeof(*flows->items));
	if (!flows->fans)
		flows->fans = calloc(rt_demo_flow_count, sizeof(*flows->fans));
	if (!flows->items || !flows->fans)
		return -ENOMEM;
	flows->capacity = flows->fan_capacity = rt_demo_flow_count;
	flows->known = true;
	flows->window_ns = (uint64_t)((until_ms - from_ms) * RT_DEMO_MS_NS);
	flows->count = flows->fan_count = 0;
	flows->frames = flows->dropped = 0;
	snprintf(flows->where, sizeof(flows->where), "mirror port ens10");
	for (size_t i = 0; i < rt_demo_flow_count; i++) {
		struct rt_watch_flow *flow = &flows->items[flows->count];

		fill_flow(&rt_demo_flows[i], from_ms, until_ms, flow);
		flows->frames += flow->frames;
		flows->count += flow->bytes > 0;
	}
	flows->total = flows->count;
	qsort(flows->items, flows->count, sizeof(*flows->items), by_flow_bytes);
	for (size_t i = 0; i < flows->count; i++)
		gather_fan(flows, &flows->items[i].dst);
	qsort(flows->fans, flows->fan_count, sizeof(*flows->fans), by_fan_bytes);
	return 0;
}
