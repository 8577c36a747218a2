/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_choose.c - of several copies of a flow or pair the one that counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/flow.h"
#include "base/own.h"
#include "rocetune/err.h"

/*
 * What a copy carried, without what it saw before: behind the place where packets
 * get lost the resends make up for them, so that it is the same on both sides,
 * while frames are fewer behind it.
 */
struct amount {
	uint64_t good_bytes, frames;
};

/*
 * A copy carried nearly all when it has three quarters of what the fullest one
 * has; a path that is one of several (spraying over two or more) has a half at
 * most.  Frames count where none carries a payload.
 */
static bool nearly_all(struct amount amount, struct amount most)
{
	if (most.good_bytes > 0)
		return amount.good_bytes >= most.good_bytes - most.good_bytes / 4;
	return amount.frames >= most.frames - most.frames / 4;
}

static void keep_most(struct amount *most, struct amount amount)
{
	if (amount.good_bytes > most->good_bytes)
		most->good_bytes = amount.good_bytes;
	if (amount.frames > most->frames)
		most->frames = amount.frames;
}

static struct amount of_pair(const struct rt_pair *pair)
{
	return (struct amount){ pair->good_bytes, rt_ecn_sum(pair->ecn) };
}

static struct amount of_flow(const struct rt_flows *flows, uint32_t index)
{
	const struct rt_flow *flow = rt_flow_at(flows, index);

	return (struct amount){
		flow->payload_bytes -
			rt_flow_events_of(rt_flow_more_at(flows, index))->resent_bytes,
		rt_ecn_sum(flow->ecn)
	};
}

/* Pairs and flows stand in the order in which they appeared. */
static int choose_pairs(struct rt_flows *flows, struct rt_err *err)
{
	RT_AUTO(rt_auto_free)
	struct amount *most = calloc(flows->pair_count + 1, sizeof(*most));

	if (!most)
		return rt_err_sys(err, -ENOMEM, "cannot compare interfaces");
	for (size_t i = 0; i < flows->pair_count; i++) {
		const struct rt_pair *pair = &flows->pairs[i];

		keep_most(&most[pair->root], of_pair(pair));
	}
	for (size_t i = 0; i < flows->pair_count; i++) {
		const struct rt_pair *pair = &flows->pairs[i];

		if (nearly_all(of_pair(pair), most[pair->root]))
			flows->pairs[pair->root].primary = (uint32_t)i;
	}
	return 0;
}

struct copy {
	const struct rt_flow *flow;
	uint32_t index;
};

static int by_identity(const struct rt_flow *a, const struct rt_flow *b)
{
	if (a->dest_qp != b->dest_qp)
		return a->dest_qp < b->dest_qp ? -1 : 1;
	if (a->src_qp != b->src_qp)
		return a->src_qp < b->src_qp ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	return memcmp(&a->dst, &b->dst, sizeof(a->dst));
}

static int by_identity_and_age(const void *a, const void *b)
{
	const struct copy *first = a, *second = b;
	const int r = by_identity(first->flow, second->flow);

	if (r != 0)
		return r;
	return first->index < second->index ? -1 : first->index > second->index;
}

static void choose_among(struct rt_flows *flows, const struct copy *copies,
			 size_t count)
{
	struct amount most = { 0 };
	uint32_t primary = copies[0].index;

	for (size_t i = 0; i < count; i++)
		keep_most(&most, of_flow(flows, copies[i].index));
	for (size_t i = 0; i < count; i++)
		if (nearly_all(of_flow(flows, copies[i].index), most))
			primary = copies[i].index;
	for (size_t i = 0; i < count; i++)
		rt_flow_more_at(flows, copies[i].index)->primary = primary;
}

static int choose_flows(struct rt_flows *flows, struct rt_err *err)
{
	RT_AUTO(rt_auto_free)
	struct copy *copies = calloc((size_t)flows->count + 1, sizeof(*copies));
	size_t end;

	if (!copies)
		return rt_err_sys(err, -ENOMEM, "cannot compare interfaces");
	for (uint32_t i = 0; i < flows->count; i++)
		copies[i] = (struct copy){ rt_flow_at(flows, i), i };
	qsort(copies, flows->count, sizeof(*copies), by_identity_and_age);
	for (size_t from = 0; from < flows->count; from = end) {
		for (end = from + 1; end < flows->count; end++)
			if (by_identity(copies[from].flow, copies[end].flow) != 0)
				break;
		choose_among(flows, &copies[from], end - from);
	}
	return 0;
}

int rt_flows_choose(struct rt_flows *flows, struct rt_err *err)
{
	int r = choose_pairs(flows, err);

	for (uint32_t i = 0; !flows->several && i < flows->count; i++)
		rt_flow_more_at(flows, i)->primary = i;
	if (r == 0 && flows->several)
		r = choose_flows(flows, err);
	return r;
}
