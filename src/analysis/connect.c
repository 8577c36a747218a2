/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/connect.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/flow.h"
#include "analysis/stage.h"
#include "base/hash.h"
#include "base/own.h"
#include "rocetune/err.h"

#define HEADS     16384u /* of chains, a power of two */
#define MAX_STEPS 64u    /* of a search in a chain */
#define NONE      UINT32_MAX

/* One side of a connection. */
struct end {
	struct rt_flow_addr addr;
	uint8_t version;
	bool has_id, has_qp, has_psn;
	uint32_t id, qpn;
	uint32_t psn;          /* of the first request that it sends */
	uint32_t by_id, by_qp; /* next in the chain */
};

struct connection {
	struct end ends[2];   /* the one that asked, the one that was asked */
	struct rt_cm request; /* its path and retries */
	uint8_t state;        /* enum rt_connection_state */
	uint16_t interface;
	uint16_t reason;
	uint32_t repeats, contradictions;
	int64_t asked_ns, ready_ns;
	bool has_asked, has_ready; /* these times are known */
};

/* Ends are numbered: twice the connection, and which of the two. */
struct rt_connections {
	struct connection *at; /* owned */
	size_t count, capacity;
	uint64_t messages, overflow, unknown;
	uint32_t by_id[HEADS], by_qp[HEADS];
};

static struct end *end_at(const struct rt_connections *connections, uint32_t number)
{
	return &connections->at[number / 2].ends[number % 2];
}

static struct end *peer_of(const struct rt_connections *connections, uint32_t number)
{
	return end_at(connections, number ^ 1);
}

static uint32_t head_of(struct rt_flow_addr addr, uint32_t number)
{
	return (uint32_t)rt_hash_pair(addr.low + rt_hash_u64(addr.high), number) %
	       HEADS;
}

static bool is_addr(const struct end *end, struct rt_flow_addr addr, uint8_t version)
{
	return end->version == version && rt_flow_addr_equal(end->addr, addr);
}

static void index_id(struct rt_connections *connections, uint32_t number)
{
	struct end *end = end_at(connections, number);
	uint32_t *head = &connections->by_id[head_of(end->addr, end->id)];

	end->has_id = true;
	end->by_id = *head;
	*head = number;
}

static void index_qp(struct rt_connections *connections, uint32_t number, uint32_t qpn)
{
	struct end *end = end_at(connections, number);
	uint32_t *head = &connections->by_qp[head_of(end->addr, qpn)];

	end->has_qp = true;
	end->qpn = qpn;
	end->by_qp = *head;
	*head = number;
}

/* Who speaks to whom in a message. */
struct way {
	struct rt_flow_addr src, dst;
	uint8_t src_version, dst_version;
};

/* The newest connection in which src has that id toward dst: the number of its end. */
static uint32_t find_id(const struct rt_connections *connections, const struct way *way,
			uint32_t id)
{
	uint32_t at = connections->by_id[head_of(way->src, id)];

	for (uint32_t step = 0; at != NONE && step < MAX_STEPS; step++) {
		const struct end *end = end_at(connections, at);

		if (end->id == id && is_addr(end, way->src, way->src_version) &&
		    is_addr(peer_of(connections, at), way->dst, way->dst_version))
			return at;
		at = end->by_id;
	}
	return NONE;
}

static struct way turned(const struct way *way)
{
	return (struct way){ way->dst, way->src, way->dst_version, way->src_version };
}

static bool is_alive(const struct connection *connection)
{
	return connection->state < RT_CONNECTION_REFUSED;
}

/* NONE: no room, or (*ret_error) no memory. */
static uint32_t add(struct rt_connections *connections, const struct way *way,
		    const struct rt_frame *frame, int *ret_error, struct rt_err *err)
{
	struct connection *grown;
	struct connection *connection;

	if (connections->count == RT_ANALYSIS_MAX_CONNECTIONS) {
		connections->overflow++;
		return NONE;
	}
	grown = rt_grow(connections->at, connections->count, &connections->capacity,
			sizeof(*grown));
	if (!grown) {
		*ret_error = rt_err_sys(err, -ENOMEM, "cannot hold more connections");
		return NONE;
	}
	connections->at = grown;
	connection = &grown[connections->count];
	*connection = (struct connection){ .interface = frame->interface };
	connection->ends[0].addr = way->src;
	connection->ends[0].version = way->src_version;
	connection->ends[1].addr = way->dst;
	connection->ends[1].version = way->dst_version;
	return (uint32_t)connections->count++ * 2;
}

/* --- a connection whose two queue pairs are known ------------------------------ */

/*
 * Packets from src to the queue pair dst:qpn: the number of the end that gets them,
 * NONE where none, or several that live, may.
 */
static uint32_t find_qp(const struct rt_connections *connections, const struct way *way,
			uint32_t qpn)
{
	uint32_t at = connections->by_qp[head_of(way->dst, qpn)];
	uint32_t alive = NONE, ended = NONE;

	for (uint32_t step = 0; at != NONE && step < MAX_STEPS; step++) {
		const struct end *end = end_at(connections, at);
		const struct end *peer = peer_of(connections, at);
		const bool fits = end->qpn == qpn && peer->has_qp &&
				  is_addr(end, way->dst, way->dst_version) &&
				  is_addr(peer, way->src, way->src_version);

		if (fits && !is_alive(&connections->at[at / 2]))
			ended = ended == NONE ? at : ended;
		else if (fits && alive == NONE)
			alive = at;
		else if (fits && peer->qpn != peer_of(connections, alive)->qpn)
			return NONE;
		at = end->by_qp;
	}
	return alive != NONE ? alive : ended;
}

/* Another living connection has one of the two queue pairs. */
static void note_rivals(struct rt_connections *connections, uint32_t number)
{
	const struct end *end = end_at(connections, number);
	uint32_t at = end->by_qp;

	for (uint32_t step = 0; at != NONE && step < MAX_STEPS; step++) {
		const struct end *rival = end_at(connections, at);

		if (rival->qpn == end->qpn && is_addr(rival, end->addr, end->version) &&
		    at / 2 != number / 2 && is_alive(&connections->at[at / 2])) {
			connections->at[at / 2].contradictions++;
			connections->at[number / 2].contradictions++;
		}
		at = rival->by_qp;
	}
}

/* A stream to a queue pair that was in use before begins anew. */
static void restart(struct rt_flows *flows, uint32_t number)
{
	const struct rt_connections *connections = flows->connections;
	const struct end *end = end_at(connections, number);
	const struct end *peer = peer_of(connections, number);
	const uint32_t pair = rt_pairs_find(flows, peer->addr, end->addr, end->version,
					    connections->at[number / 2].interface);
	uint32_t steps = 0;

	if (pair == RT_NO_INDEX)
		return;
	for (uint32_t at = flows->pairs[pair].last_flow;
	     at != RT_NO_INDEX && steps < RT_FLOW_CANDIDATES;
	     at = rt_flow_more_at(flows, at)->next_in_pair, steps++) {
		struct rt_flow *flow = rt_flow_at(flows, at);
		struct rt_flow_more *more = rt_flow_more_at(flows, at);

		if (flow->dest_qp != end->qpn || flow->stream != RT_STREAM_REQUEST)
			continue;
		flow->flags = 0;
		more->connection = RT_NO_INDEX;
		if (more->events && more->events->waits)
			more->events->waits->count = 0;
	}
}

static void complete(struct rt_flows *flows, uint32_t connection)
{
	note_rivals(flows->connections, 2 * connection);
	note_rivals(flows->connections, 2 * connection + 1);
	restart(flows, 2 * connection);
	restart(flows, 2 * connection + 1);
}

/* --- messages -------------------------------------------------------------------- */

/* What a message is taken with. */
struct taking {
	struct rt_flows *flows;
	struct rt_connections *connections;
	const struct rt_frame *frame;
	const struct rt_cm *cm;
	struct way way;
	struct rt_err *err;
};

static bool knows(const struct rt_cm *cm, unsigned what)
{
	return cm->known & what;
}

/* Other interfaces show a message once more; that is no repetition. */
static void note_repeat(const struct taking *taking, struct connection *connection)
{
	connection->repeats += taking->frame->interface == connection->interface;
}

/* Is it what was said before, as far as both were captured? */
static bool says_the_same(const struct rt_cm *cm, const struct end *end,
			  const struct end *peer)
{
	return (!knows(cm, RT_CM_KNOWS_QP) || !end->has_qp || cm->qpn == end->qpn) &&
	       (!knows(cm, RT_CM_KNOWS_PSN) || !peer->has_psn || cm->psn == peer->psn);
}

/* The sender of a REQ or REP is the end with that number. */
static void note_qp(const struct taking *taking, uint32_t number)
{
	struct end *end = end_at(taking->connections, number);
	struct end *peer = peer_of(taking->connections, number);

	if (knows(taking->cm, RT_CM_KNOWS_QP) && !end->has_qp)
		index_qp(taking->connections, number, taking->cm->qpn);
	if (knows(taking->cm, RT_CM_KNOWS_PSN) && !peer->has_psn) {
		peer->psn = taking->cm->psn;
		peer->has_psn = true;
	}
}

static int take_req(const struct taking *taking)
{
	struct rt_connections *connections = taking->connections;
	uint32_t number = find_id(connections, &taking->way, taking->cm->local_id);
	struct connection *connection;
	int r = 0;

	if (number != NONE && is_alive(&connections->at[number / 2])) {
		connection = &connections->at[number / 2];
		if (number % 2 == 0 && says_the_same(taking->cm, &connection->ends[0],
						     &connection->ends[1]))
			note_repeat(taking, connection);
		else
			connection->contradictions++;
		return 0;
	}
	number = add(connections, &taking->way, taking->frame, &r, taking->err);
	if (number == NONE)
		return r;
	connection = &connections->at[number / 2];
	connection->request = *taking->cm;
	connection->asked_ns = taking->frame->time_ns;
	connection->has_asked = !(taking->frame->flags & RT_FRAME_NO_TIME);
	connection->ends[0].id = taking->cm->local_id;
	index_id(connections, number);
	note_qp(taking, number);
	return 0;
}

/* A REP whose REQ was not captured: half of a connection. */
static uint32_t add_answered(const struct taking *taking, int *ret_error)
{
	const struct way way = turned(&taking->way);
	const uint32_t number = add(taking->connections, &way, taking->frame, ret_error,
				    taking->err);

	if (number == NONE)
		return NONE;
	end_at(taking->connections, number)->id = taking->cm->remote_id;
	index_id(taking->connections, number);
	return number;
}

static int take_rep(const struct taking *taking)
{
	struct rt_connections *connections = taking->connections;
	const struct way way = turned(&taking->way);
	uint32_t number = find_id(connections, &way, taking->cm->remote_id);
	struct connection *connection;
	struct end *end;
	int r = 0;

	if (number == NONE)
		number = add_answered(taking, &r);
	if (number == NONE)
		return r;
	connection = &connections->at[number / 2];
	end = &connection->ends[1];
	if (number % 2 == 1 || !is_alive(connection) ||
	    (end->has_id && (end->id != taking->cm->local_id ||
			     !says_the_same(taking->cm, end, &connection->ends[0])))) {
		connection->contradictions++;
		return 0;
	}
	if (end->has_id) {
		note_repeat(taking, connection);
		return 0;
	}
	end->id = taking->cm->local_id;
	index_id(connections, number ^ 1);
	note_qp(taking, number ^ 1);
	connection->state = RT_CONNECTION_ACCEPTED;
	if (connection->ends[0].has_qp && end->has_qp)
		complete(taking->flows, number / 2);
	return 0;
}

static int take_rtu(const struct taking *taking)
{
	const uint32_t number = find_id(taking->connections, &taking->way,
					taking->cm->local_id);
	struct connection *connection;

	if (number == NONE) {
		taking->connections->unknown++;
		return 0;
	}
	connection = &taking->connections->at[number / 2];
	if (number % 2 == 1 || connection->state > RT_CONNECTION_READY ||
	    (connection->ends[1].has_id &&
	     connection->ends[1].id != taking->cm->remote_id)) {
		connection->contradictions++;
	} else if (connection->state == RT_CONNECTION_READY) {
		note_repeat(taking, connection);
	} else {
		connection->state = RT_CONNECTION_READY;
		connection->ready_ns = taking->frame->time_ns;
		connection->has_ready = !(taking->frame->flags & RT_FRAME_NO_TIME);
	}
	return 0;
}

static int take_rej(const struct taking *taking)
{
	const struct way way = turned(&taking->way);
	const uint32_t number = find_id(taking->connections, &way,
					taking->cm->remote_id);
	struct connection *connection;

	if (number == NONE) {
		taking->connections->unknown++;
		return 0;
	}
	connection = &taking->connections->at[number / 2];
	if (connection->state == RT_CONNECTION_REFUSED) {
		note_repeat(taking, connection);
	} else if (connection->state >= RT_CONNECTION_READY) {
		connection->contradictions++;
	} else {
		connection->state = RT_CONNECTION_REFUSED;
		connection->reason = taking->cm->reason;
	}
	return 0;
}

/* DREQ names the receiver's queue pair, DREP nothing new. */
static int take_end(const struct taking *taking)
{
	struct rt_connections *connections = taking->connections;
	const uint32_t number = find_id(connections, &taking->way,
					taking->cm->local_id);
	const bool names_qp = knows(taking->cm, RT_CM_KNOWS_QP);
	struct connection *connection;
	struct end *peer;

	if (number == NONE) {
		connections->unknown++;
		return 0;
	}
	connection = &connections->at[number / 2];
	peer = peer_of(connections, number);
	if ((names_qp && peer->has_qp && peer->qpn != taking->cm->qpn) ||
	    (peer->has_id && peer->id != taking->cm->remote_id)) {
		connection->contradictions++;
		return 0;
	}
	if (names_qp && !peer->has_qp)
		index_qp(connections, number ^ 1, taking->cm->qpn);
	connection->state = RT_CONNECTION_CLOSED;
	return 0;
}

static int take_nothing(const struct taking *taking)
{
	(void)taking;
	return 0;
}

static const struct {
	uint8_t kind;
	int (*take)(const struct taking *taking);
} kinds[] = {
	{ RT_CM_REQ, take_req },     { RT_CM_REP, take_rep },  { RT_CM_RTU, take_rtu },
	{ RT_CM_REJ, take_rej },     { RT_CM_DREQ, take_end }, { RT_CM_DREP, take_end },
	{ RT_CM_MRA, take_nothing },
};

static struct rt_connections *connections_new(void)
{
	struct rt_connections *connections = calloc(1, sizeof(*connections));

	for (size_t i = 0; connections && i < HEADS; i++)
		connections->by_id[i] = connections->by_qp[i] = NONE;
	return connections;
}

int rt_connections_take(struct rt_flows *flows, const struct rt_frame *frame,
			struct rt_err *err)
{
	struct taking taking = {
		.flows = flows, .frame = frame, .cm = &frame->bth.cm, .err = err
	};
	struct rt_flow_key key;

	if (!flows->connections)
		flows->connections = connections_new();
	if (!flows->connections)
		return rt_err_sys(err, -ENOMEM, "cannot hold connections");
	rt_flow_key_of(frame, &key);
	taking.connections = flows->connections;
	taking.way = (struct way){ key.src, key.dst, key.src_version, key.dst_version };
	flows->connections->messages++;
	for (size_t i = 0; i < RT_ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == frame->bth.cm.kind)
			return kinds[i].take(&taking);
	return 0;
}

void rt_connections_free(struct rt_connections *connections)
{
	if (connections)
		free(connections->at);
	free(connections);
}

/* --- what streams ask ------------------------------------------------------------- */

static uint16_t mtu_of(const struct connection *connection)
{
	const uint8_t code = connection->request.mtu_code;

	return knows(&connection->request, RT_CM_KNOWS_PATH) && code >= 1 && code <= 5
		       ? (uint16_t)(128u << code)
		       : 0;
}

/* The end that gets the packets of a flow. */
static uint32_t end_of(const struct rt_flows *flows, const struct rt_flow *flow)
{
	const struct rt_pair *pair = &flows->pairs[flow->pair];
	const struct way way = { pair->src, flow->dst, pair->src_version,
				 flow->version };

	return flows->connections ? find_qp(flows->connections, &way, flow->dest_qp)
				  : NONE;
}

static bool is_other_transport(const struct rt_cm *request, const struct rt_flow *flow)
{
	return knows(request, RT_CM_KNOWS_PSN) && request->transport != flow->transport;
}

bool rt_connections_find(const struct rt_flows *flows, const struct rt_flow *flow,
			 struct rt_connected *ret_connected)
{
	const uint32_t number = end_of(flows, flow);
	const struct end *sender;

	if (number == NONE)
		return false;
	sender = peer_of(flows->connections, number);
	*ret_connected = (struct rt_connected){
		.connection = number / 2,
		.peer_qp = sender->qpn,
		.psn = sender->psn,
		.has_psn = sender->has_psn,
		.mtu = mtu_of(&flows->connections->at[number / 2]),
		.other_transport = is_other_transport(
			&flows->connections->at[number / 2].request, flow),
	};
	return true;
}

bool rt_connections_stream(const struct rt_flows *flows, const struct rt_flow *flow,
			   uint32_t *ret_stream)
{
	const uint32_t number = end_of(flows, flow);
	const uint32_t back = flows->pairs[flow->pair].reverse;
	uint32_t steps = 0, at;

	if (number == NONE)
		return false;
	for (at = back == RT_NO_INDEX ? back : flows->pairs[back].last_flow;
	     at != RT_NO_INDEX && steps < RT_FLOW_CANDIDATES;
	     at = rt_flow_more_at(flows, at)->next_in_pair, steps++)
		if (rt_flow_at(flows, at)->stream == RT_STREAM_REQUEST &&
		    rt_flow_at(flows, at)->dest_qp ==
			    peer_of(flows->connections, number)->qpn)
			break;
	*ret_stream = steps < RT_FLOW_CANDIDATES ? at : RT_NO_INDEX;
	return true;
}

void rt_connections_contradict(struct rt_flows *flows, uint32_t connection)
{
	flows->connections->at[connection].contradictions++;
}

/* --- result ------------------------------------------------------------------------ */

static void fill_end(const struct end *end, char addr[RT_IP_TEXT_BYTES],
		     struct rt_opt_u64 *ret_qp, struct rt_opt_u64 *ret_psn)
{
	rt_flow_addr_format(end->addr, end->version, addr);
	if (end->has_qp)
		*ret_qp = RT_KNOWN_U64(end->qpn);
	if (end->has_psn)
		*ret_psn = RT_KNOWN_U64(end->psn);
}

static void fill_request(const struct rt_cm *request,
			 struct rt_analysis_connection *row)
{
	if (knows(request, RT_CM_KNOWS_PSN)) {
		row->transport = request->transport;
		row->retries = RT_KNOWN_U64(request->retries);
		row->read_depth = RT_KNOWN_U64(request->depth);
	}
	if (knows(request, RT_CM_KNOWS_PATH)) {
		row->rnr_retries = RT_KNOWN_U64(request->rnr_retries);
		/* code 0 waits for ever */
		if (request->ack_timeout)
			row->ack_timeout_ns = RT_KNOWN_U64(UINT64_C(4096)
							   << request->ack_timeout);
	}
	row->other_path = knows(request, RT_CM_OTHER_PATH);
	if (knows(request, RT_CM_KNOWS_IP)) {
		row->src_port = RT_KNOWN_U64(request->src_port);
		row->dst_port = RT_KNOWN_U64(request->dst_port);
	}
}

static void fill_row(const struct connection *connection, int64_t start_ns,
		     struct rt_analysis_connection *row)
{
	const uint16_t mtu = mtu_of(connection);

	fill_end(&connection->ends[0], row->src, &row->src_qp, &row->src_psn);
	fill_end(&connection->ends[1], row->dst, &row->dst_qp, &row->dst_psn);
	row->transport = RT_TRANSPORT_UNKNOWN;
	fill_request(&connection->request, row);
	row->interface = connection->interface;
	row->state = connection->state;
	row->repeats = connection->repeats;
	row->contradictions = connection->contradictions;
	if (mtu)
		row->mtu_bytes = RT_KNOWN_U64(mtu);
	if (connection->state == RT_CONNECTION_REFUSED)
		row->reason = RT_KNOWN_U64(connection->reason);
	if (connection->has_asked)
		row->start_ns = RT_KNOWN_U64(
			rt_elapsed_ns(start_ns, connection->asked_ns));
	if (connection->has_asked && connection->has_ready)
		row->setup_ns = RT_KNOWN_U64(
			rt_elapsed_ns(connection->asked_ns, connection->ready_ns));
}

static int connections_finish(void *state, struct rt_stage_context *context,
			      struct rt_analysis *result, struct rt_err *err)
{
	const struct rt_connections *connections = context->flows.connections;
	struct rt_analysis_connections *out = &result->connections;

	(void)state;
	if (!connections)
		return 0;
	out->list = calloc(connections->count + 1, sizeof(*out->list));
	if (!out->list)
		return rt_err_sys(err, -ENOMEM, "cannot hold the connections");
	out->messages = connections->messages;
	out->unknown = connections->unknown;
	out->overflow = connections->overflow;
	out->list_count = connections->count;
	for (size_t i = 0; i < connections->count; i++) {
		const struct connection *connection = &connections->at[i];

		fill_row(connection, context->min_ns, &out->list[i]);
		out->paired += connection->ends[0].has_qp && connection->ends[1].has_qp;
		out->refused += connection->state == RT_CONNECTION_REFUSED;
		out->repeats += connection->repeats;
		out->contradictions += connection->contradictions;
	}
	return 0;
}

const struct rt_stage rt_stage_connections = {
	.name = "connections",
	.state_bytes = 1,
	.finish = connections_finish,
};
