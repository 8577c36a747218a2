/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * connect.h - connections as the communication manager sets them up: which two queue
 * pairs belong together, with which PSNs they begin, and the path MTU.
 *
 * REQ and REP name a queue pair each (IBTA 12.9); with both seen the pair is certain,
 * where everything else in this room is inferred.  Messages may be repeated, missing or
 * lies: the first word stands, what speaks against it is counted, and an end that two
 * living connections claim belongs to neither.
 */
#ifndef RT_ANALYSIS_CONNECT_H
#define RT_ANALYSIS_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/analysis.h"
#include "rocetune/frame.h"

struct rt_flow;
struct rt_flows;
struct rt_connections;
struct rt_err;

/* What a connection says to one direction of it. */
struct rt_connected {
	uint32_t connection;
	uint32_t peer_qp; /* the sender's */
	uint32_t psn;     /* of its first request */
	uint16_t mtu;     /* 0: not known */
	bool has_psn;
	bool other_transport; /* than the flow has */
};

/* Take a frame with RT_FRAME_CM.  -ENOMEM. */
int rt_connections_take(struct rt_flows *flows, const struct rt_frame *frame,
			struct rt_err *err);

/*
 * The connection of the packets from the pair's source to the queue pair of a flow;
 * false: none is known, or more than one.
 */
bool rt_connections_find(const struct rt_flows *flows, const struct rt_flow *flow,
			 struct rt_connected *ret_connected);

/*
 * The stream that acknowledgements to the queue pair of a flow answer, RT_NO_INDEX
 * where it was not seen yet; false: no connection tells.
 */
bool rt_connections_stream(const struct rt_flows *flows, const struct rt_flow *flow,
			   uint32_t *ret_stream);

/* The data say otherwise. */
void rt_connections_contradict(struct rt_flows *flows, uint32_t connection);

void rt_connections_free(struct rt_connections *connections); /* NULL is fine */

#endif
