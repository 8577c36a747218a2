/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.c - what a source hands over: the tables that describe it, growing, freeing. */
#include "watch/sample.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/own.h"
#include "rocetune/err.h"

/* --- words ------------------------------------------------------------------------------- */

const struct rt_name rt_watch_role_names[] = {
	{ "nic", RT_WATCH_NIC, "a host's port: rx is towards the host" },
	{ "switch", RT_WATCH_SWITCH, "a switch's port: rx is into the switch" },
	{ 0 },
};

const struct rt_name rt_watch_state_names[] = {
	{ "unknown", RT_WATCH_STATE_UNKNOWN, "it cannot be told" },
	{ "down", RT_WATCH_DOWN, "the port has no link" },
	{ "up", RT_WATCH_UP, "the port has a link" },
	{ "gone", RT_WATCH_GONE, "the port was there before" },
	{ 0 },
};

/* --- tables ------------------------------------------------------------------------------ */

#define OWNER struct rt_watch_port
static const struct rt_field port_fields[] = {
	RT_FIELD_CHARS_OF(OWNER, name, "as people call the port"),
	RT_FIELD_CHARS_OF(OWNER, netdev, "network device"),
	RT_FIELD_CHARS_OF(OWNER, driver,
			  "rocetune's name of the driver; else the kernel's"),
	RT_FIELD_CHARS_OF(OWNER, peer, "the watched port at the other end"),
	RT_FIELD(OWNER, ENUM, role, NONE, "whose port it is",
		 .names = rt_watch_role_names),
	RT_FIELD(OWNER, ENUM, state, NONE, "whether it has a link",
		 .names = rt_watch_state_names),
	RT_FIELD(OWNER, IP, ip, NONE, "an address of the port"),
	RT_FIELD(OWNER, OPT_U64, speed_bps, BPS, "speed of the link"),
	RT_FIELD(OWNER, OPT_U64, mtu_bytes, BYTES, "MTU of the network device"),
	RT_FIELD(OWNER, OPT_U64, lossless, NONE,
		 "priorities with PFC; bit n: priority n", .flags = RT_FIELD_HEX),
	RT_FIELD(OWNER, OPT_U64, rdma_prios, NONE,
		 "priorities that RDMA is meant to be on; bit n: priority n",
		 .flags = RT_FIELD_HEX),
	RT_FIELD(OWNER, OPT_U64, cnp_gap_ns, NS,
		 "the least time between CNPs of the notification point"),
	RT_FIELD(OWNER, OPT_U64, queue_pairs, COUNT,
		 "connected queue pairs; of a port that has a link nobody asks"),
	RT_FIELD(OWNER, OPT_U64, pcie_bps, BPS, "what the slot carries now"),
	RT_FIELD(OWNER, OPT_U64, pcie_max_bps, BPS, "what the device could use"),
	RT_FIELD_CHARS_OF(OWNER, note, "what cannot be read here, and why"),
};
RT_TABLE(rt_watch_port_table, rt_watch_port, "watch_port", "Ports",
	 "A port that is watched.", port_fields);
#undef OWNER

#define OWNER struct rt_watch_flow
static const struct rt_field flow_fields[] = {
	RT_FIELD(OWNER, IP, src, NONE, "who sends"),
	RT_FIELD(OWNER, IP, dst, NONE, "who receives"),
	RT_FIELD(OWNER, U32, qp, NONE, "queue pair of the receiver",
		 .flags = RT_FIELD_HEX),
	RT_FIELD(OWNER, OPT_U64, prio, NONE, "the priority of the last frame"),
	RT_FIELD(OWNER, U8, dscp, NONE, "the DSCP of the last frame"),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames of the window"),
	RT_FIELD(OWNER, U64, bytes, BYTES, "payload of the window, resends included"),
	RT_FIELD(OWNER, U64, ce, COUNT, "frames that came marked"),
	RT_FIELD(OWNER, U64, cnps, COUNT, "CNPs against this flow"),
	RT_FIELD(OWNER, U64, resent_bytes, BYTES, "payload that had come before"),
	RT_FIELD(OWNER, U64, naks, COUNT, "NAKs of the receiver"),
};
RT_TABLE(rt_watch_flow_table, rt_watch_flow, "watch_flow", "Flows",
	 "What a capture saw of a flow in a window.", flow_fields);
#undef OWNER

#define OWNER struct rt_watch_fan
static const struct rt_field fan_fields[] = {
	RT_FIELD(OWNER, IP, dst, NONE, "who receives"),
	RT_FIELD(OWNER, U32, senders, COUNT, "how many hosts send to it"),
	RT_FIELD(OWNER, U32, flows, COUNT, "how many flows they have"),
	RT_FIELD(OWNER, U64, bytes, BYTES, "payload of the window"),
	RT_FIELD(OWNER, U64, ce, COUNT, "frames that came marked"),
	RT_FIELD(OWNER, OPT_F64, jain, NONE,
		 "Jain's index of its senders' rates: 1 is fair"),
};
RT_TABLE(rt_watch_fan_table, rt_watch_fan, "watch_fan", "Receivers",
	 "The senders of one receiver in a window.", fan_fields);
#undef OWNER

#define OWNER struct rt_watch_flows
static const struct rt_field flows_fields[] = {
	RT_FIELD(OWNER, BOOL, known, NONE, "whether something captures"),
	RT_FIELD_CHARS_OF(OWNER, where,
			  "what is captured; where nothing is known, why not"),
	RT_FIELD(OWNER, U64, window_ns, NS, "length of the window"),
	RT_FIELD(OWNER, U64, total, COUNT, "flows of the window, those not listed too"),
	RT_FIELD(OWNER, U64, frames, COUNT, "frames of the window"),
	RT_FIELD(OWNER, U64, dropped, COUNT, "frames that the capture lost"),
	RT_FIELD(OWNER, U64, unfollowed, COUNT,
		 "frames of flows beyond those that are followed: there are more of "
		 "them",
		 .flags = RT_FIELD_ZERO_QUIET),
	RT_FIELD_LIST_OF(OWNER, items, count, &rt_watch_flow_table,
			 "the largest flows, most bytes first"),
	RT_FIELD_LIST_OF(OWNER, fans, fan_count, &rt_watch_fan_table,
			 "receivers, most bytes first"),
};
RT_TABLE(rt_watch_flows_table, rt_watch_flows, "watch_flows", "Flows",
	 "What a capture saw in a window.", flows_fields);
#undef OWNER

/* --- samples ----------------------------------------------------------------------------- */

struct rt_watch_input *rt_watch_sample_add(struct rt_watch_sample *sample)
{
	struct rt_watch_input *items;

	if (sample->count >= RT_WATCH_MAX_PORTS)
		return NULL;
	items = rt_grow(sample->items, sample->count, &sample->capacity,
			sizeof(*items));
	if (!items)
		return NULL;
	sample->items = items;
	items[sample->count] = (struct rt_watch_input){ 0 };
	return &items[sample->count++];
}

void rt_watch_sample_free(struct rt_watch_sample *sample)
{
	for (size_t i = 0; i < sample->count; i++)
		rt_counter_set_free(&sample->items[i].set);
	free(sample->items);
	free(sample->flows.items);
	free(sample->flows.fans);
	*sample = (struct rt_watch_sample){ 0 };
}

int rt_watch_check_ports(uint64_t count, const char *what, struct rt_err *err)
{
	if (count <= RT_WATCH_MAX_PORTS)
		return 0;
	return rt_err_set(err, -E2BIG,
			  "%s: %" PRIu64
			  " ports, and %u at most can be watched: choose "
			  "among them by --port or --exclude",
			  what, count, RT_WATCH_MAX_PORTS);
}
