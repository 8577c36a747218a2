/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cm.c - connections by librdmacm: the end that posts resolves and connects, the other
 * listens at a port of its own for each flow.
 *
 * Both ends of many flows connect in the order of the flows, each waiting for the
 * answer; who waits for one accepts all that come, so that no circle of waiting ranks
 * can close.  Two ends in one thread cannot: the one that waits keeps the other.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "rocetune/err.h"
#include "traffic/verbs/verbs.h"

#define RESOLVE_MS 2000
/* Below the silence after which the root takes this rank for lost: it is to tell why. */
#define CONNECT_NS INT64_C(5000000000)
#define CONNECTED  1

struct endpoint {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
};

static struct endpoint endpoint_of(const struct rt_ip *ip, uint16_t port)
{
	struct endpoint at = { 0 };

	if (ip->version == 4) {
		at.v4.sin_family = AF_INET;
		at.v4.sin_port = htons(port);
		memcpy(&at.v4.sin_addr, ip->bytes, 4);
	} else {
		at.v6.sin6_family = AF_INET6;
		at.v6.sin6_port = htons(port);
		memcpy(&at.v6.sin6_addr, ip->bytes, 16);
	}
	return at;
}

int verbs_cm_listen(struct verbs_engine *engine, struct verbs_qp *qp,
		    struct rt_err *err)
{
	struct endpoint own = endpoint_of(&engine->about.ip, 0);
	char text[RT_IP_TEXT_BYTES];

	if (qp->posts)
		return 0;
	if (rdma_create_id(engine->cm, &qp->listener, qp, RDMA_PS_TCP) == 0 &&
	    rdma_bind_addr(qp->listener, &own.any) == 0 &&
	    rdma_listen(qp->listener, 1) == 0)
		return 0;
	return rt_err_sys(err, -errno, "flow %u: librdmacm cannot listen at %s",
			  qp->flow.flow, rt_ip_format(&engine->about.ip, text));
}

static int make_qp(struct verbs_engine *engine, struct verbs_qp *qp)
{
	struct ibv_qp_init_attr wants = verbs_qp_wants(engine, qp);

	if (rdma_create_qp(qp->id, engine->pd, &wants) != 0) {
		qp->inline_bytes = 0;
		wants = verbs_qp_wants(engine, qp);
		if (rdma_create_qp(qp->id, engine->pd, &wants) != 0)
			return -errno;
	}
	qp->qp = qp->id->qp;
	return verbs_refill(qp);
}

static struct rdma_conn_param param_of(const struct verbs_engine *engine,
				       const struct verbs_qp *qp)
{
	const int reads = engine->device.max_qp_rd_atom;

	return (struct rdma_conn_param){
		.responder_resources = (uint8_t)(reads > 255 ? 255 : reads),
		.initiator_depth = verbs_reads_of_peer(engine, qp),
		.retry_count = (uint8_t)engine->config.retry_count.value,
		.rnr_retry_count = 7, /* for ever */
	};
}

/* --- events: what each brings on -------------------------------------------------- */

static int on_request(struct verbs_engine *engine, struct verbs_qp *qp,
		      struct rdma_cm_event *event)
{
	struct rdma_conn_param param;
	int r;

	if (qp->id) {
		rdma_reject(event->id, NULL, 0);
		return rdma_destroy_id(event->id);
	}
	qp->id = event->id;
	qp->id->context = qp;
	r = make_qp(engine, qp);
	if (r < 0)
		return r;
	/* What the requester asked for is what it may have. */
	param = param_of(engine, qp);
	if (event->param.conn.initiator_depth < param.responder_resources)
		param.responder_resources = event->param.conn.initiator_depth;
	if (event->param.conn.responder_resources < param.initiator_depth)
		param.initiator_depth = event->param.conn.responder_resources;
	return rdma_accept(qp->id, &param) == 0 ? 0 : -errno;
}

static int on_route(struct verbs_engine *engine, struct verbs_qp *qp)
{
	struct rdma_conn_param param = param_of(engine, qp);
	const int r = make_qp(engine, qp);

	if (r < 0)
		return r;
	return rdma_connect(qp->id, &param) == 0 ? 0 : -errno;
}

static void on_end(struct verbs_engine *engine, struct verbs_qp *qp,
		   enum rdma_cm_event_type type)
{
	if (!qp->connected)
		qp->cm_result = -ECONNREFUSED;
	else if (qp->totals.state == RT_QP_RUNNING && qp->posts)
		verbs_fail(engine, qp, rdma_event_str(type), verbs_now_ns());
}

static void on_event(struct verbs_engine *engine, struct rdma_cm_event *event)
{
	struct verbs_qp *qp = event->id->context;
	int r = 0;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		r = rdma_resolve_route(qp->id, RESOLVE_MS) == 0 ? 0 : -errno;
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED: r = on_route(engine, qp); break;
	case RDMA_CM_EVENT_CONNECT_REQUEST: r = on_request(engine, qp, event); break;
	case RDMA_CM_EVENT_ESTABLISHED: r = CONNECTED; break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE: r = -EHOSTUNREACH; break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL: on_end(engine, qp, event->event); break;
	default: break;
	}
	if (r != 0)
		qp->cm_result = r;
}

/*
 * An event is given back before it is acted upon: an id that is destroyed waits for
 * its events to be given back.
 */
void verbs_cm_events(struct verbs_engine *engine)
{
	struct rdma_cm_event *event;

	while (rdma_get_cm_event(engine->cm, &event) == 0) {
		struct rdma_cm_event copy = *event;

		copy.param.conn.private_data = NULL;
		rdma_ack_cm_event(event);
		on_event(engine, &copy);
	}
}

/* --- one connection --------------------------------------------------------------- */

static int set_options(const struct verbs_engine *engine, struct verbs_qp *qp)
{
	uint8_t tos = (uint8_t)(qp->flow.dscp << 2 | qp->flow.ecn);
	uint8_t timeout = engine->config.ack_timeout_code;

	if (rdma_set_option(qp->id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos,
			    sizeof(tos)) != 0 ||
	    rdma_set_option(qp->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT,
			    &timeout, sizeof(timeout)) != 0)
		return -errno;
	return 0;
}

static int start(struct verbs_engine *engine, struct verbs_qp *qp, struct rt_err *err)
{
	struct endpoint own = endpoint_of(&engine->about.ip, 0);
	struct endpoint to = endpoint_of(&qp->peer.ip, qp->peer.cm_port);
	int r;

	if (!qp->peer.cm_port)
		return rt_err_set(
			err, -EPROTO,
			"flow %u: the other end does not listen for librdmacm: "
			"both ends must be asked to use it",
			qp->flow.flow);
	if (rdma_create_id(engine->cm, &qp->id, qp, RDMA_PS_TCP) != 0)
		return rt_err_sys(err, -errno, "flow %u: librdmacm", qp->flow.flow);
	r = set_options(engine, qp);
	if (r == 0 && rdma_resolve_addr(qp->id, &own.any, &to.any, RESOLVE_MS) != 0)
		r = -errno;
	return r == 0 ? 0 : rt_err_sys(err, r, "flow %u: librdmacm", qp->flow.flow);
}

int verbs_cm_connect(struct verbs_engine *engine, struct verbs_qp *qp,
		     struct rt_err *err)
{
	const int64_t end_ns = verbs_now_ns() + CONNECT_NS;
	char text[RT_IP_TEXT_BYTES];
	int r = qp->posts ? start(engine, qp, err) : 0;

	if (r < 0)
		return r;
	verbs_cm_events(engine);
	while (!qp->cm_result && verbs_now_ns() < end_ns) {
		struct pollfd fd = { .fd = engine->cm->fd, .events = POLLIN };

		if (poll(&fd, 1, 100) < 0 && errno != EINTR)
			return rt_err_sys(err, -errno, "poll");
		verbs_cm_events(engine);
	}
	if (qp->cm_result == CONNECTED)
		return 0;
	return rt_err_sys(err, qp->cm_result ? qp->cm_result : -ETIMEDOUT,
			  "flow %u: no connection to %s by librdmacm", qp->flow.flow,
			  rt_ip_format(&qp->peer.ip, text));
}

void verbs_cm_free(struct verbs_qp *qp)
{
	if (qp->id && qp->qp)
		rdma_destroy_qp(qp->id);
	if (qp->id)
		rdma_destroy_id(qp->id);
	if (qp->listener)
		rdma_destroy_id(qp->listener);
}
