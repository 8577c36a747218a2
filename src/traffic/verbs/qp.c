/* SPDX-License-Identifier: BSD-2-Clause */
/* qp.c - one queue pair: made, connected, taken down. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "base/histogram.h"
#include "base/own.h"
#include "model/sizes.h"
#include "rocetune/err.h"
#include "traffic/verbs/choose.h"
#include "traffic/verbs/verbs.h"

/* RC messages reach to 2^31 bytes (IBTA 9.7.2); half of it is enough for a test. */
#define MOST_MESSAGE_BYTES (UINT64_C(1) << 30)
#define FEWEST_RECEIVES    64u
#define INLINE_BYTES       128u
/* 0.64 ms until a SEND without receive is tried again (IBTA table 45), for ever. */
#define RNR_TIMER_CODE     12
#define RNR_RETRY_COUNT    7
/* CQs are shared by as many queue pairs as fit into one of this many entries. */
#define CQ_ENTRIES         16384u

/* --- what is asked for, judged before anything is made ---------------------------- */

static int judge_port(const struct verbs_engine *engine,
		      const struct rt_traffic_flow *flow, struct rt_err *err)
{
	if (!flow->udp_sport)
		return 0;
	if (engine->config.use_cm)
		return rt_err_set(err, -EOPNOTSUPP,
				  "UDP source port %u: librdmacm chooses it by itself; "
				  "connect without it",
				  flow->udp_sport);
	if (flow->udp_sport >= IB_ROCE_UDP_ENCAP_VALID_PORT_MIN)
		return 0;
	return rt_err_set(
		err, -EINVAL,
		"UDP source port %u: an RDMA device makes it of the flow label "
		"and stays within 49152 to 65535",
		flow->udp_sport);
}

static int judge(const struct verbs_engine *engine, const struct rt_traffic_flow *flow,
		 struct rt_err *err)
{
	const uint64_t most = rt_traffic_flow_largest(flow);

	if (!most || most > MOST_MESSAGE_BYTES)
		return rt_err_set(err, -EMSGSIZE,
				  "messages of %llu bytes: 1 byte to 1 GiB is possible",
				  (unsigned long long)most);
	if (engine->config.region_bytes && engine->config.region_bytes < most)
		return rt_err_set(
			err, -EMSGSIZE,
			"messages of %llu bytes do not fit into a region of %u",
			(unsigned long long)most, engine->config.region_bytes);
	if (flow->outstanding > (uint32_t)engine->device.max_qp_wr)
		return rt_err_set(
			err, -EINVAL,
			"%u messages outstanding: %s takes %d in a queue pair",
			flow->outstanding, engine->about.device,
			engine->device.max_qp_wr);
	if (flow->dscp > 63 || flow->ecn > 3)
		return rt_err_set(err, -EINVAL, "DSCP %u, ECN %u: 0 to 63, 0 to 3",
				  flow->dscp, flow->ecn);
	return judge_port(engine, flow, err);
}

/* --- making ----------------------------------------------------------------------- */

static struct verbs_cq *cq_with_room(struct verbs_engine *engine, uint32_t entries,
				     struct rt_err *err)
{
	struct verbs_cq *last = engine->cq_count ? engine->cqs[engine->cq_count - 1]
						 : NULL;
	const uint32_t most = (uint32_t)engine->device.max_cqe;
	uint32_t room = entries > CQ_ENTRIES ? entries : CQ_ENTRIES;
	void *moved;

	if (last && last->room >= entries)
		return last;
	if (room > most)
		room = most;
	moved = rt_grow(engine->cqs, engine->cq_count, &engine->cq_capacity,
			sizeof(struct verbs_cq *));
	if (moved)
		engine->cqs = moved;
	last = moved && room >= entries ? calloc(1, sizeof(*last)) : NULL;
	if (!last) {
		rt_err_set(err, -ENOMEM,
			   "no completion queue of %u entries on %s: ask for fewer "
			   "outstanding messages",
			   entries, engine->about.device);
		return NULL;
	}
	last->cq = ibv_create_cq(engine->context, (int)room, NULL, engine->channel, 0);
	if (!last->cq) {
		rt_err_sys(err, -errno, "a completion queue of %u entries on %s", room,
			   engine->about.device);
		free(last);
		return NULL;
	}
	last->room = room;
	engine->cqs[engine->cq_count++] = last;
	return last;
}

struct ibv_qp_init_attr verbs_qp_wants(struct verbs_engine *engine, struct verbs_qp *qp)
{
	(void)engine;
	return (struct ibv_qp_init_attr){
		.qp_context = qp,
		.send_cq = qp->cq->cq,
		.recv_cq = qp->cq->cq,
		.cap = { .max_send_wr = qp->posts ? qp->send_depth : 1,
			 .max_recv_wr = qp->takes ? qp->receive_depth : 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = qp->inline_bytes },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
}

static int make_qp(struct verbs_engine *engine, struct verbs_qp *qp, struct rt_err *err)
{
	struct ibv_qp_init_attr wants = verbs_qp_wants(engine, qp);

	qp->qp = ibv_create_qp(engine->pd, &wants);
	if (!qp->qp && wants.cap.max_inline_data) {
		/* Not every device puts data into the request itself. */
		qp->inline_bytes = 0;
		wants = verbs_qp_wants(engine, qp);
		qp->qp = ibv_create_qp(engine->pd, &wants);
	}
	if (!qp->qp)
		return rt_err_sys(err, -errno, "a queue pair on %s",
				  engine->about.device);
	return 0;
}

static int to_init(struct verbs_engine *engine, struct verbs_qp *qp, struct rt_err *err)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = engine->port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	int r = ibv_modify_qp(qp->qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_ACCESS_FLAGS);

	if (r != 0)
		return rt_err_sys(err, -r, "a queue pair on %s/%u",
				  engine->about.device, engine->port);
	return 0;
}

static int make_slots(struct verbs_qp *qp)
{
	uint32_t slots = 1;

	while (slots < qp->send_depth)
		slots *= 2;
	qp->slots = calloc(slots, sizeof(*qp->slots));
	qp->slot_mask = slots - 1;
	qp->latency = calloc(1, sizeof(*qp->latency));
	return qp->slots && qp->latency ? 0 : -ENOMEM;
}

/*
 * What moves is a pattern of the flow's number; where it goes to begins as zeros, so
 * that who compares both ends sees what has moved.
 */
static void fill(struct verbs_qp *qp)
{
	uint64_t *words = qp->region.memory;
	struct rt_rng rng;

	rt_rng_init(&rng, qp->flow.flow, 0);
	for (uint64_t i = 0; i < qp->region.mapped_bytes / 8; i++)
		words[i] = rt_rng_u64(&rng);
}

static void plan(const struct verbs_engine *engine, struct verbs_qp *qp, bool sends)
{
	const struct rt_traffic_flow *flow = &qp->flow;
	const uint32_t most = (uint32_t)engine->device.max_qp_wr;
	struct rt_rng rng;

	qp->posts = sends != (flow->op == RT_TRAFFIC_READ);
	qp->takes = !sends &&
		    (flow->op == RT_TRAFFIC_SEND || flow->op == RT_TRAFFIC_WRITE_IMM);
	qp->send_depth = flow->outstanding ? flow->outstanding : 1;
	/* Twice what can be on the way: one half fills while the other is posted. */
	qp->receive_depth = qp->send_depth * 2 > FEWEST_RECEIVES ? qp->send_depth * 2
								 : FEWEST_RECEIVES;
	if (qp->receive_depth > most)
		qp->receive_depth = most;
	qp->inline_bytes = qp->posts && flow->op != RT_TRAFFIC_READ ? INLINE_BYTES : 0;
	qp->due_ns = VERBS_NEVER;
	/* PSNs that do not repeat: late packets of an earlier run must not fit. */
	rt_rng_init(&rng, (uint64_t)verbs_now_ns(), flow->flow);
	qp->psn = (uint32_t)rt_rng_u64(&rng) & 0xffffff;
	rt_rng_init(&qp->rng, flow->flow, 1);
}

static int build(struct verbs_engine *engine, struct verbs_qp *qp, struct rt_err *err)
{
	const uint64_t asked = engine->config.region_bytes;
	const uint64_t largest = rt_traffic_flow_largest(&qp->flow);
	const uint32_t entries = (qp->posts ? qp->send_depth : 1) +
				 (qp->takes ? qp->receive_depth : 1);
	int r;

	qp->cq = cq_with_room(engine, entries, err);
	if (!qp->cq)
		return -ENOMEM;
	if (qp->posts && make_slots(qp) < 0)
		return rt_err_set(err, -ENOMEM, "no memory for a queue pair");
	r = verbs_region_make(engine, asked ? asked : largest, &qp->region, err);
	if (r < 0)
		return r;
	if (qp->posts != (qp->flow.op == RT_TRAFFIC_READ))
		fill(qp);
	qp->cq->room -= entries;
	if (engine->config.use_cm)
		return verbs_cm_listen(engine, qp, err);
	r = make_qp(engine, qp, err);
	if (r == 0)
		r = to_init(engine, qp, err);
	if (r == 0)
		r = verbs_refill(qp) < 0 ? rt_err_sys(err, -errno, "receives on %s",
						      engine->about.device)
					 : 0;
	return r;
}

static void tell(const struct verbs_engine *engine, const struct verbs_qp *qp,
		 struct rt_qp_address *address)
{
	const int reads = engine->device.max_qp_rd_atom;

	*address = (struct rt_qp_address){
		.flow = qp->flow.flow,
		.qpn = qp->qp ? qp->qp->qp_num : 0,
		.psn = qp->psn,
		.ip = engine->about.ip,
		.mtu_bytes = engine->about.mtu_bytes,
		.va = (uintptr_t)qp->region.memory,
		.region_bytes = qp->region.bytes,
		.rkey = qp->region.mr->rkey,
		.reads = (uint8_t)(reads > 255 ? 255 : reads),
		.cm_port = qp->listener ? ntohs(rdma_get_src_port(qp->listener)) : 0,
	};
}

int verbs_qp_create(struct rt_engine *base, const struct rt_traffic_flow *flow,
		    bool sends, unsigned *ret_index, struct rt_qp_address *ret_address,
		    struct rt_err *err)
{
	struct verbs_engine *engine = verbs_of(base);
	struct verbs_qp *qp;
	void *moved;
	int r = judge(engine, flow, err);

	if (r < 0)
		return r;
	moved = rt_grow(engine->qps, engine->qp_count, &engine->qp_capacity,
			sizeof(struct verbs_qp *));
	if (!moved)
		return rt_err_set(err, -ENOMEM, "no memory for a queue pair");
	engine->qps = moved;
	qp = calloc(1, sizeof(*qp));
	if (!qp || rt_traffic_flow_copy(flow, &qp->flow) < 0) {
		free(qp);
		return rt_err_set(err, -ENOMEM, "no memory for a queue pair");
	}
	qp->index = (unsigned)engine->qp_count;
	plan(engine, qp, sends);
	r = build(engine, qp, err);
	if (r < 0) {
		verbs_qp_free(qp);
		return r;
	}
	engine->qps[engine->qp_count++] = qp;
	*ret_index = qp->index;
	tell(engine, qp, ret_address);
	return 0;
}

void verbs_qp_free(struct verbs_qp *qp)
{
	if (qp->id || qp->listener)
		verbs_cm_free(qp);
	else if (qp->qp)
		ibv_destroy_qp(qp->qp);
	verbs_region_free(&qp->region);
	free(qp->slots);
	free(qp->latency);
	free(qp->flow.sizes);
	free(qp);
}

/* --- connecting ------------------------------------------------------------------- */

static void set_gid(union ibv_gid *gid, const struct rt_ip *ip)
{
	memset(gid, 0, sizeof(*gid));
	if (ip->version == 6) {
		memcpy(gid->raw, ip->bytes, 16);
		return;
	}
	gid->raw[10] = gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, ip->bytes, 4);
}

uint8_t verbs_reads_of_peer(const struct verbs_engine *engine,
			    const struct verbs_qp *qp)
{
	const int own = engine->device.max_qp_init_rd_atom;
	const int peer = qp->peer.reads ? qp->peer.reads : 1;

	return (uint8_t)(own < peer ? own : peer);
}

static int to_receive(struct verbs_engine *engine, struct verbs_qp *qp,
		      struct rt_err *err)
{
	const struct rt_qp_address *peer = &qp->peer;
	const struct rt_traffic_flow *flow = &qp->flow;
	const uint32_t own = engine->about.mtu_bytes;
	const int reads = engine->device.max_qp_rd_atom;
	char text[RT_IP_TEXT_BYTES];
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = verbs_mtu_code(peer->mtu_bytes < own ? peer->mtu_bytes
								 : own),
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = (uint8_t)(reads > 255 ? 255 : reads),
		.min_rnr_timer = RNR_TIMER_CODE,
		.ah_attr = { .is_global = 1,
			     .port_num = engine->port,
			     .sl = flow->prio & 7,
			     .grh = { .sgid_index = engine->gid_index,
				      .hop_limit = 64,
				      .flow_label = flow->udp_sport & 0x3fff,
				      .traffic_class = (uint8_t)(flow->dscp << 2 |
								 flow->ecn) } },
	};
	int r;

	set_gid(&attr.ah_attr.grh.dgid, &peer->ip);
	r = ibv_modify_qp(qp->qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				  IBV_QP_MIN_RNR_TIMER);
	if (r != 0)
		return rt_err_sys(
			err, -r, "flow %u: %s finds no way to %s (ping -I %s %s)",
			flow->flow, engine->about.device, rt_ip_format(&peer->ip, text),
			engine->about.netdev, text);
	return 0;
}

static int to_send(struct verbs_engine *engine, struct verbs_qp *qp, struct rt_err *err)
{
	const struct rt_engine_config *config = &engine->config;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = config->ack_timeout_code,
		.retry_cnt = (uint8_t)config->retry_count.value,
		.rnr_retry = RNR_RETRY_COUNT,
		.sq_psn = qp->psn,
		.max_rd_atomic = verbs_reads_of_peer(engine, qp),
	};
	int r = ibv_modify_qp(qp->qp, &attr,
			      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				      IBV_QP_MAX_QP_RD_ATOMIC);

	if (r != 0)
		return rt_err_sys(err, -r, "flow %u: a queue pair on %s", qp->flow.flow,
				  engine->about.device);
	return 0;
}

static int judge_peer(const struct verbs_engine *engine, const struct verbs_qp *qp,
		      const struct rt_qp_address *peer, struct rt_err *err)
{
	const uint64_t largest = rt_traffic_flow_largest(&qp->flow);
	char own[RT_IP_TEXT_BYTES], other[RT_IP_TEXT_BYTES];

	if (peer->ip.version != engine->about.ip.version)
		return rt_err_set(err, -EAFNOSUPPORT,
				  "flow %u: this end is %s and the other %s: both must "
				  "be IPv4 or both IPv6; name the addresses or GIDs",
				  qp->flow.flow, rt_ip_format(&engine->about.ip, own),
				  rt_ip_format(&peer->ip, other));
	if (!verbs_mtu_code(peer->mtu_bytes))
		return rt_err_set(err, -EPROTO,
				  "flow %u: the other end's path MTU is %u bytes",
				  qp->flow.flow, peer->mtu_bytes);
	if (peer->region_bytes < largest)
		return rt_err_set(err, -EMSGSIZE,
				  "flow %u: messages of %llu bytes do not fit into the "
				  "other end's region of %llu",
				  qp->flow.flow, (unsigned long long)largest,
				  (unsigned long long)peer->region_bytes);
	return 0;
}

int verbs_qp_connect(struct rt_engine *base, unsigned index,
		     const struct rt_qp_address *peer, struct rt_err *err)
{
	struct verbs_engine *engine = verbs_of(base);
	struct verbs_qp *qp = engine->qps[index];
	int r = judge_peer(engine, qp, peer, err);

	if (r < 0)
		return r;
	qp->peer = *peer;
	rt_traffic_flow_heed(&qp->flow, peer);
	if (engine->config.use_cm) {
		r = verbs_cm_connect(engine, qp, err);
	} else {
		r = to_receive(engine, qp, err);
		if (r == 0)
			r = to_send(engine, qp, err);
	}
	qp->connected = r == 0;
	return r;
}
