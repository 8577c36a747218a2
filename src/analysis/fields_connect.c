/* SPDX-License-Identifier: BSD-2-Clause */
/* fields_connect.c - the fields of connections, and the names of transports. */
#include "analysis/fields.h"
#include "base/text.h"
#include "rocetune/analysis.h"

const struct rt_name rt_transport_names[] = {
	{ "RC", 0, "reliable connection" },
	{ "UC", 1, "unreliable connection" },
	{ "RD", 2, "reliable datagram" },
	{ "UD", 3, "unreliable datagram" },
	{ "XRC", 5, "extended reliable connection" },
	{ "unknown", RT_TRANSPORT_UNKNOWN, "not captured" },
	{ 0 },
};

static const struct rt_name connection_state_names[] = {
	{ "asked for", RT_CONNECTION_ASKED, "REQ; no answer was seen" },
	{ "accepted", RT_CONNECTION_ACCEPTED, "REP; no RTU was seen" },
	{ "ready", RT_CONNECTION_READY, "RTU" },
	{ "refused", RT_CONNECTION_REFUSED, "REJ" },
	{ "closed", RT_CONNECTION_CLOSED, "DREQ" },
	{ 0 },
};

#define OWNER struct rt_analysis_connection
static const struct rt_field connection_fields[] = {
	RT_FIELD(OWNER, U64, interface, NONE, "interface where it was seen first",
		 .label = "if", .flags = QUIET),
	RT_FIELD_CHARS_OF(OWNER, src, "who asked for it", .label = "from"),
	RT_FIELD(OWNER, OPT_U64, src_qp, NONE, "its QP", .label = "QP"),
	RT_FIELD_CHARS_OF(OWNER, dst, "who was asked", .label = "to"),
	RT_FIELD(OWNER, OPT_U64, dst_qp, NONE, "its QP", .label = "to QP"),
	RT_FIELD(OWNER, ENUM, state, NONE, "how far it got",
		 .names = connection_state_names),
	RT_FIELD(OWNER, ENUM, transport, NONE, "transport service", .label = "type",
		 .names = rt_transport_names),
	RT_FIELD(OWNER, OPT_U64, mtu_bytes, NONE, "path MTU", .label = "MTU"),
	RT_FIELD(OWNER, OPT_U64, src_psn, NONE, "PSN of the first request from src",
		 .label = "first PSN"),
	RT_FIELD(OWNER, OPT_U64, dst_psn, NONE, "PSN of the first request from dst",
		 .label = "first PSN back"),
	RT_FIELD(OWNER, OPT_U64, ack_timeout_ns, NS,
		 "local ACK time-out; unknown when it waits for ever",
		 .label = "time-out"),
	RT_FIELD(OWNER, OPT_U64, retries, NONE, "times that it sends again"),
	RT_FIELD(OWNER, OPT_U64, rnr_retries, NONE,
		 "times that it sends again after RNR NAKs; 7: for ever",
		 .label = "RNR retries"),
	RT_FIELD(OWNER, OPT_U64, read_depth, NONE,
		 "READs and atomics that src may have open", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, src_port, NONE,
		 "port of the RDMA IP CM service at src", .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, dst_port, NONE, "the port that src asked for at dst",
		 .label = "port"),
	RT_FIELD(OWNER, OPT_U64, reason, NONE, "code of the refusal (IBTA 12.6.7.2)",
		 .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, start_ns, NS, "REQ, from the start of the capture",
		 .flags = DETAIL),
	RT_FIELD(OWNER, OPT_U64, setup_ns, NS, "from REQ to RTU", .label = "set up in"),
	RT_FIELD(OWNER, BOOL, other_path, NONE,
		 "the path it asks for is not between these addresses",
		 .flags = DETAIL | QUIET),
	RT_FIELD(OWNER, U64, repeats, COUNT, "messages that came again",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, contradictions, COUNT,
		 "messages and packets that speak against it", .flags = QUIET),
};
static RT_TABLE(connection_table, rt_analysis_connection, "connection", "Connections",
		"Two queue pairs, by the messages that made them a pair.",
		connection_fields);
#undef OWNER

#define OWNER struct rt_analysis_connections
static const struct rt_field connections_fields[] = {
	RT_FIELD(OWNER, U64, messages, COUNT, "messages of the communication manager",
		 .label = "CM messages", .flags = QUIET),
	RT_FIELD(OWNER, U64, paired, COUNT, "connections of which both QPs are known",
		 .label = "QPs paired", .flags = QUIET),
	RT_FIELD(OWNER, U64, refused, COUNT, "connections that were refused",
		 .flags = QUIET),
	RT_FIELD(OWNER, U64, repeats, COUNT, "messages that came again",
		 .label = "messages again", .flags = QUIET),
	RT_FIELD(OWNER, U64, contradictions, COUNT,
		 "messages and packets that speak against one before", .flags = QUIET),
	RT_FIELD(OWNER, U64, unknown, COUNT,
		 "messages of connections whose beginning was not captured",
		 .label = "of unknown ones", .flags = QUIET),
	RT_FIELD(OWNER, U64, overflow, COUNT, "connections beyond the limit",
		 .flags = QUIET),
	RT_FIELD_LIST_OF(OWNER, list, list_count, &connection_table, "the connections",
			 .label = "Connections"),
};
RT_TABLE(rt_analysis_connections_table, rt_analysis_connections, "connections",
	 "Connection manager", "Who connected to whom.", connections_fields);
#undef OWNER
