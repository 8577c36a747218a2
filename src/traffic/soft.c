/* SPDX-License-Identifier: BSD-2-Clause */
/* soft.c - one host of soft endpoints: its queue pairs, their times, their totals. */
#include "traffic/soft.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/histogram.h"
#include "base/ip.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/soft_state.h"

#define QPS_MAX  65536u
#define TTL      64
#define PKEY     0xFFFF
#define FAR_NS   UINT64_C(1000000000000000) /* eleven days: what no run lasts */
#define VA_OF_QP UINT64_C(0x10000000000)
#define RATE_MAX UINT64_C(10000000000000) /* 10 Tb/s: sums of times stay in range */

/* --- open ------------------------------------------------------------------- */

static int check(const struct rt_soft_config *config, struct rt_err *err)
{
	const uint32_t mtu = config->mtu_bytes;

	if (mtu < RT_SOFT_MTU_MIN || mtu > RT_SOFT_MTU_MAX || (mtu & (mtu - 1)))
		return rt_err_set(err, -EINVAL,
				  "a path MTU of %" PRIu32
				  " bytes: it is 256, 512, 1024, 2048 or 4096",
				  mtu);
	if (config->ip.version != 4 && config->ip.version != 6)
		return rt_err_set(err, -EINVAL, "no address to send from");
	return 0;
}

static void take_transport(struct rt_soft *soft)
{
	const struct rt_soft_config *config = &soft->config;
	const uint64_t least_ps = rt_rc_timeout_ps(RT_SOFT_TIMEOUT_MIN_CODE);

	soft->rc = soft->laws.rc;
	soft->rc.recovery = RT_RC_GO_BACK_N;
	if (config->ack_timeout_code)
		soft->rc.timeout_ps = rt_rc_timeout_ps(config->ack_timeout_code);
	else if (soft->rc.timeout_ps < least_ps)
		soft->rc.timeout_ps = least_ps;
	if (config->retry_count.known)
		soft->rc.retry_limit = (uint32_t)config->retry_count.value;
	soft->read_rc = soft->rc;
	soft->read_rc.window_packets = 0;
}

/* The laws as they are used here: at this port's rate, and with its scheduler. */
static int take_laws(struct rt_soft *soft, struct rt_err *err)
{
	struct rt_fabric_config *laws = &soft->laws;
	uint64_t *rate_bps = &soft->config.line_rate_bps;

	*laws = *soft->config.laws;
	if (!*rate_bps)
		*rate_bps = laws->rp.line_rate_bps;
	if (!*rate_bps || *rate_bps > RATE_MAX)
		return rt_err_set(err, -EINVAL,
				  "a line rate of %" PRIu64 " b/s cannot be kept",
				  *rate_bps);
	laws->rp.line_rate_bps = *rate_bps;
	if (laws->rp.min_rate_bps > *rate_bps)
		laws->rp.min_rate_bps = *rate_bps;
	if (laws->rp.rate_on_first_cnp_bps > *rate_bps)
		laws->rp.rate_on_first_cnp_bps = *rate_bps;
	laws->cnp_prio %= RT_PRIO_COUNT;
	for (uint8_t dscp = 0; dscp < 64; dscp++)
		soft->prio_of_dscp[dscp] = rt_fabric_config_prio(laws, dscp) %
					   RT_PRIO_COUNT;
	take_transport(soft);
	return rt_rp_params_check(&laws->rp, err);
}

int rt_soft_new(const struct rt_soft_config *config, struct rt_soft **ret_soft,
		struct rt_err *err)
{
	struct rt_soft *soft;
	int r = check(config, err);

	if (r < 0)
		return r;
	soft = calloc(1, sizeof(*soft));
	if (!soft)
		return rt_err_set(err, -ENOMEM, "out of memory");
	soft->config = *config;
	soft->origin_ns = soft->epoch_ns = config->now_ns;
	r = take_laws(soft, err);
	soft->lossless = rt_fabric_config_lossless(&soft->laws);
	soft->config.laws = NULL;
	soft->slot_bytes = config->mtu_bytes + RT_BUILD_HEADER_MAX + 8;
	soft->slots = calloc(RT_SOFT_BATCH, soft->slot_bytes);
	if (config->faults.overtake_ppb)
		soft->held.data = malloc(soft->slot_bytes);
	if (r < 0 || !soft->slots ||
	    (config->faults.overtake_ppb && !soft->held.data)) {
		rt_soft_free(soft);
		return r < 0 ? r : rt_err_set(err, -ENOMEM, "out of memory");
	}
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++) {
		soft->prios[i].ready_first = RT_SOFT_NONE;
		soft->prios[i].control_first = RT_SOFT_NONE;
	}
	rt_rng_init(&soft->rng, config->seed, 0);
	/* Above the special ones, and with room for all. */
	soft->first_qpn = 0x100 + (uint32_t)rt_rng_below(&soft->rng, 0xE00000);
	*ret_soft = soft;
	return 0;
}

static void free_qp(struct rt_soft_qp *qp)
{
	if (!qp)
		return;
	rt_traffic_flow_free(&qp->flow);
	free(qp->messages);
	free(qp->latency);
	free(qp->early);
	free(qp);
}

void rt_soft_free(struct rt_soft *soft)
{
	if (!soft)
		return;
	for (uint32_t i = 0; i < soft->qp_count; i++)
		free_qp(soft->qps[i]);
	free(soft->qps);
	rt_soft_timers_free(&soft->timers);
	free(soft->slots);
	free(soft->held.data);
	free(soft);
}

/* --- queue pairs -------------------------------------------------------------- */

static int check_sizes(const struct rt_traffic_flow *flow, struct rt_err *err)
{
	const uint64_t largest = rt_traffic_flow_largest(flow);

	for (size_t i = 1; flow->sizes && i < flow->size_count; i++)
		if (flow->sizes[i].bytes < flow->sizes[i - 1].bytes ||
		    flow->sizes[i].share_ppb < flow->sizes[i - 1].share_ppb)
			return rt_err_set(err, -EINVAL,
					  "flow %" PRIu32 ": its sizes do not rise",
					  flow->flow);
	if (!largest || largest > RT_SOFT_MESSAGE_MAX)
		return rt_err_set(err, -EINVAL,
				  "flow %" PRIu32 ": a message has 1 byte to 2 GiB",
				  flow->flow);
	return 0;
}

static int check_flow(const struct rt_traffic_flow *flow, struct rt_err *err)
{
	int r = check_sizes(flow, err);

	if (r < 0)
		return r;
	if (flow->op > RT_TRAFFIC_READ || flow->prio >= RT_PRIO_COUNT ||
	    flow->dscp > 63 || flow->ecn > RT_ECN_CE)
		return rt_err_set(err, -EINVAL,
				  "flow %" PRIu32 ": operation, priority, DSCP or ECN "
				  "bits that there are not",
				  flow->flow);
	if (flow->start_ns > FAR_NS || flow->on_ns > FAR_NS || flow->off_ns > FAR_NS ||
	    (flow->off_ns && !flow->on_ns))
		return rt_err_set(err, -EINVAL,
				  "flow %" PRIu32 ": its start or bursts never come",
				  flow->flow);
	return 0;
}

static const struct rt_soft_role *role_of(const struct rt_traffic_flow *flow,
					  bool sends)
{
	if (flow->op == RT_TRAFFIC_READ)
		return sends ? &rt_soft_source : &rt_soft_reader;
	return sends ? &rt_soft_writer : &rt_soft_sink;
}

/* READs take a PSN for each packet of their answers, and few may be open. */
static uint32_t most_outstanding(const struct rt_soft_qp *qp)
{
	uint32_t most = qp->flow.outstanding ? qp->flow.outstanding : 1;
	const uint32_t packets = rt_soft_packets(rt_traffic_flow_largest(&qp->flow),
						 RT_SOFT_MTU_MIN);

	if (most > RT_SOFT_OUTSTANDING_MAX)
		most = RT_SOFT_OUTSTANDING_MAX;
	if (qp->flow.op != RT_TRAFFIC_READ)
		return most;
	if (most > RT_SOFT_READS_MAX)
		most = RT_SOFT_READS_MAX;
	while (most > 1 && (uint64_t)most * packets > RT_RC_WINDOW_MAX / 2)
		most--;
	return most;
}

static int add_requester(struct rt_soft_qp *qp)
{
	uint32_t room = 1;

	qp->outstanding = most_outstanding(qp);
	while (room < qp->outstanding)
		room *= 2;
	qp->messages = calloc(room, sizeof(*qp->messages));
	qp->latency = calloc(1, sizeof(*qp->latency));
	qp->message_mask = room - 1;
	return qp->messages && qp->latency ? 0 : -ENOMEM;
}

static int add_qp(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	struct rt_soft_qp **grown = rt_grow(soft->qps, soft->qp_count,
					    &soft->qp_capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	soft->qps = grown;
	if (!rt_soft_timers_grow(&soft->timers,
				 (uint32_t)soft->qp_capacity * RT_SOFT_TIMERS))
		return -ENOMEM;
	soft->qps[soft->qp_count++] = qp;
	return 0;
}

static void init_qp(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	qp->index = soft->qp_count;
	qp->idle = true;
	qp->stats.first_ps = qp->stats.last_ps = RT_PS_NEVER;
	qp->opcodes = &rt_soft_opcodes[qp->flow.op];
	rt_rp_init(&qp->rp, &soft->laws.rp);
	rt_rng_init(&qp->sizes, qp->flow.flow, 1);
	qp->mine = (struct rt_qp_address){
		.flow = qp->flow.flow,
		.qpn = soft->first_qpn + qp->index,
		.psn = (uint32_t)rt_rng_u64(&soft->rng) & RT_PSN_MASK,
		.ip = soft->config.ip,
		.mtu_bytes = soft->config.mtu_bytes,
		.va = VA_OF_QP + ((uint64_t)qp->index << 32),
		.region_bytes = RT_SOFT_MESSAGE_MAX,
		.rkey = (uint32_t)rt_rng_u64(&soft->rng),
		.reads = RT_SOFT_READS_MAX,
	};
	memcpy(qp->mine.mac, soft->config.mac, sizeof(qp->mine.mac));
	rt_rc_sender_init(&qp->tx, qp->mine.psn);
}

int rt_soft_qp_create(struct rt_soft *soft, const struct rt_traffic_flow *flow,
		      bool sends, unsigned *ret_index,
		      struct rt_qp_address *ret_address, struct rt_err *err)
{
	struct rt_soft_qp *qp;
	int r = check_flow(flow, err);

	if (r < 0)
		return r;
	if (soft->qp_count == QPS_MAX)
		return rt_err_set(err, -EMFILE, "more than %u queue pairs", QPS_MAX);
	qp = calloc(1, sizeof(*qp));
	r = qp ? rt_traffic_flow_copy(flow, &qp->flow) : -ENOMEM;
	if (r == 0) {
		qp->role = role_of(flow, sends);
		init_qp(soft, qp);
		r = qp->role->asks ? add_requester(qp) : 0;
	}
	if (r == 0)
		r = add_qp(soft, qp);
	if (r < 0) {
		free_qp(qp);
		return rt_err_set(err, r, "out of memory");
	}
	*ret_index = qp->index;
	*ret_address = qp->mine;
	return 0;
}

/* PSNs of a READ's answer must be told from those around it; no peer would answer. */
static int check_reads(const struct rt_soft_qp *qp, struct rt_err *err)
{
	const uint64_t bytes = rt_traffic_flow_largest(&qp->flow);

	if (qp->flow.op != RT_TRAFFIC_READ ||
	    rt_soft_packets(bytes, qp->mtu_bytes) <= RT_RC_WINDOW_MAX / 2)
		return 0;
	return rt_err_set(err, -EINVAL,
			  "flow %" PRIu32 ": READs of %" PRIu64 " bytes in packets of "
			  "%" PRIu32 " are more than %u: use smaller messages",
			  qp->flow.flow, bytes, qp->mtu_bytes, RT_RC_WINDOW_MAX / 2);
}

/* What is the same in all frames of a queue pair. */
static void fill_templates(const struct rt_soft *soft, struct rt_soft_qp *qp,
			   const uint8_t next_hop[6])
{
	const uint32_t entropy = (uint32_t)rt_hash_pair(qp->flow.flow, qp->mine.qpn);

	qp->data = (struct rt_build){
		.src = soft->config.ip,
		.dst = qp->peer.ip,
		.dscp = qp->flow.dscp,
		.ecn = qp->flow.ecn,
		.ttl = TTL,
		.flow_label = entropy >> 12,
		/* as RoCE stacks choose it: the dynamic ports (RFC 6335, 6) */
		.udp_sport = qp->flow.udp_sport
				     ? qp->flow.udp_sport
				     : (uint16_t)(0xC000 | (entropy & 0x3FFF)),
		.bth = { .pkey = PKEY, .dest_qp = qp->peer.qpn },
	};
	memcpy(qp->data.eth_src, soft->config.mac, 6);
	memcpy(qp->data.eth_dst, next_hop, 6);
	qp->control = qp->data;
	qp->control.ecn = RT_ECN_NOT_ECT;
}

int rt_soft_qp_connect(struct rt_soft *soft, unsigned index,
		       const struct rt_qp_address *peer, const uint8_t next_hop[6],
		       struct rt_err *err)
{
	struct rt_soft_qp *qp = index < soft->qp_count ? soft->qps[index] : NULL;
	int r;

	if (!qp)
		return rt_err_set(err, -EINVAL, "there is no queue pair %u", index);
	if (peer->ip.version != soft->config.ip.version || peer->qpn > 0xFFFFFF ||
	    peer->mtu_bytes < RT_SOFT_MTU_MIN ||
	    (peer->mtu_bytes & (peer->mtu_bytes - 1)))
		return rt_err_set(err, -EINVAL,
				  "flow %" PRIu32 ": the other end's address, queue "
				  "pair or path MTU cannot be",
				  qp->flow.flow);
	if (rt_ip_equal(&peer->ip, &soft->config.ip))
		return rt_err_set(err, -EINVAL,
				  "flow %" PRIu32 ": both ends have the same address, "
				  "and frames to it never leave this host",
				  qp->flow.flow);
	qp->peer = *peer;
	rt_traffic_flow_heed(&qp->flow, peer);
	qp->mtu_bytes = peer->mtu_bytes < soft->config.mtu_bytes
				? peer->mtu_bytes
				: soft->config.mtu_bytes;
	r = check_reads(qp, err);
	if (r < 0)
		return r;
	if (qp->role == &rt_soft_reader && peer->reads && peer->reads < qp->outstanding)
		qp->outstanding = peer->reads;
	rt_rc_receiver_init(&qp->rx, peer->psn);
	qp->read_top_psn = peer->psn & RT_PSN_MASK;
	fill_templates(soft, qp, next_hop);
	rt_soft_make_middle(soft, qp);
	qp->connected = true;
	return 0;
}

/* --- time ------------------------------------------------------------------------ */

void rt_soft_set_now(struct rt_soft *soft, int64_t now_ns)
{
	const int64_t since_ns = now_ns - soft->origin_ns;
	const uint64_t now_ps = since_ns > 0 ? (uint64_t)since_ns * RT_PS_PER_NS : 0;

	if (now_ps > soft->now_ps)
		soft->now_ps = now_ps;
}

void rt_soft_timer_set(struct rt_soft *soft, const struct rt_soft_qp *qp,
		       enum rt_soft_timer timer, uint64_t at_ps)
{
	rt_soft_timers_set(&soft->timers, qp->index * RT_SOFT_TIMERS + timer, at_ps);
}

bool rt_soft_timer_on(const struct rt_soft *soft, const struct rt_soft_qp *qp,
		      enum rt_soft_timer timer)
{
	return rt_soft_timers_on(&soft->timers, qp->index * RT_SOFT_TIMERS + timer);
}

/* An instant of the flow's time; too far away is never. */
static uint64_t flow_ps(const struct rt_soft *soft, uint64_t ns)
{
	const int64_t at_ns = soft->epoch_ns - soft->origin_ns + (int64_t)ns;

	if (ns > FAR_NS)
		return RT_PS_NEVER;
	return at_ns > 0 ? (uint64_t)at_ns * RT_PS_PER_NS : 0;
}

void rt_soft_begin(struct rt_soft *soft, int64_t epoch_ns)
{
	soft->epoch_ns = epoch_ns;
	soft->begun = true;
	for (uint32_t i = 0; i < soft->qp_count; i++) {
		const struct rt_soft_qp *qp = soft->qps[i];

		if (qp->connected && qp->state == RT_QP_WAITING)
			rt_soft_timer_set(soft, qp, RT_SOFT_START,
					  flow_ps(soft, qp->flow.start_ns));
	}
}

static void stop(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->state != RT_QP_RUNNING && qp->state != RT_QP_WAITING)
		return;
	rt_soft_timer_set(soft, qp, RT_SOFT_START, RT_PS_NEVER);
	qp->posting = false;
	if (!qp->role->asks || qp->done == qp->posted)
		rt_soft_qp_done(soft, qp);
}

/* The start of the flow, and the second time its stop. */
static void start(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->state != RT_QP_WAITING) {
		stop(soft, qp);
		return;
	}
	qp->state = RT_QP_RUNNING;
	qp->capped_ps = soft->now_ps;
	if (qp->flow.stop_ns)
		rt_soft_timer_set(soft, qp, RT_SOFT_START,
				  flow_ps(soft, qp->flow.stop_ns));
	qp->posting = qp->role->asks;
	if (!qp->posting)
		return;
	rt_soft_post(soft, qp);
	rt_soft_may_send(soft, qp);
}

static void fire(struct rt_soft *soft, struct rt_soft_qp *qp, enum rt_soft_timer timer)
{
	switch (timer) {
	case RT_SOFT_SEND: rt_soft_may_send(soft, qp); break;
	case RT_SOFT_INCREASE: rt_soft_increase(soft, qp); break;
	case RT_SOFT_DECREASE: rt_soft_decrease(soft, qp); break;
	case RT_SOFT_RTO: rt_soft_timeout(soft, qp); break;
	case RT_SOFT_NP:
		if (rt_np_on_timer(&qp->np, &soft->laws.np, soft->now_ps))
			rt_soft_queue(soft, qp, RT_SOFT_CNP);
		break;
	case RT_SOFT_START: start(soft, qp); break;
	case RT_SOFT_TIMERS: break;
	}
}

unsigned rt_soft_transmit(struct rt_soft *soft, int64_t now_ns, struct iovec *frames,
			  unsigned max)
{
	unsigned count = 0;
	uint32_t number;

	rt_soft_set_now(soft, now_ns);
	rt_soft_receive_held(soft);
	while (rt_soft_timers_due(&soft->timers, soft->now_ps, &number))
		fire(soft, soft->qps[number / RT_SOFT_TIMERS],
		     (enum rt_soft_timer)(number % RT_SOFT_TIMERS));
	if (max > RT_SOFT_BATCH)
		max = RT_SOFT_BATCH;
	while (count < max && soft->free_ps <= soft->now_ps) {
		size_t bytes = rt_soft_drain_tell(soft, count);

		if (bytes)
			rt_soft_occupy(soft, bytes);
		else
			bytes = rt_soft_send_control(soft, count);
		if (!bytes)
			bytes = rt_soft_send_data(soft, count);
		if (!bytes)
			break;
		frames[count] = (struct iovec){
			.iov_base = soft->slots + count * soft->slot_bytes,
			.iov_len = bytes,
		};
		count++;
	}
	return count;
}

int64_t rt_soft_next_ns(const struct rt_soft *soft)
{
	const uint64_t timer_ps = rt_soft_timers_next(&soft->timers);
	const uint64_t port_ps = rt_soft_port_next_ps(soft);
	const uint64_t held_ps = rt_soft_held_next_ps(soft);
	uint64_t next_ps = timer_ps < port_ps ? timer_ps : port_ps;

	if (held_ps < next_ps)
		next_ps = held_ps;
	if (next_ps == RT_PS_NEVER)
		return INT64_MAX;
	/* Rounded up: an instant too early there would be nothing to do. */
	return soft->origin_ns + (int64_t)((next_ps + RT_PS_PER_NS - 1) / RT_PS_PER_NS);
}

/* --- what became of them ---------------------------------------------------------- */

static void silence(struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	for (unsigned i = 0; i < RT_SOFT_TIMERS; i++)
		if (i != RT_SOFT_NP)
			rt_soft_timer_set(soft, qp, (enum rt_soft_timer)i, RT_PS_NEVER);
}

void rt_soft_qp_done(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->state == RT_QP_STOPPED)
		return;
	qp->state = RT_QP_DONE;
	if (qp->role->asks)
		silence(soft, qp);
}

void rt_soft_qp_fail(struct rt_soft *soft, struct rt_soft_qp *qp, const char *error)
{
	if (qp->state == RT_QP_STOPPED)
		return;
	qp->state = RT_QP_STOPPED;
	qp->posting = false;
	qp->error = error;
	qp->error_ps = soft->now_ps;
	silence(soft, qp);
}

void rt_soft_qp_stop(struct rt_soft *soft, unsigned index)
{
	if (index < soft->qp_count)
		stop(soft, soft->qps[index]);
}

/*
 * Who reads has no more to ask for, who is read from no more to say; a writer waits for the
 * answers to what it has sent.
 */
void rt_soft_qp_cut(struct rt_soft *soft, unsigned index)
{
	struct rt_soft_qp *qp = index < soft->qp_count ? soft->qps[index] : NULL;

	if (!qp)
		return;
	stop(soft, qp);
	qp->cut = true;
	qp->read_count = 0;
	if (qp->state != RT_QP_RUNNING)
		return;
	if (!qp->role->sends_data || qp->tx.acked == qp->tx.top)
		rt_soft_qp_done(soft, qp);
	else
		rt_soft_may_send(soft, qp);
}

/* Since the common start; what came before it was at 0. */
static struct rt_opt_u64 since_start(const struct rt_soft *soft, uint64_t at_ps)
{
	const int64_t ns = (int64_t)(at_ps / RT_PS_PER_NS) + soft->origin_ns -
			   soft->epoch_ns;

	if (at_ps == RT_PS_NEVER)
		return (struct rt_opt_u64){ 0 };
	return RT_KNOWN_U64(ns > 0 ? (uint64_t)ns : 0);
}

static void sender_totals(const struct rt_soft *soft, const struct rt_soft_qp *qp,
			  struct rt_qp_totals *totals)
{
	uint64_t paused_ps = qp->stats.paused_ps;

	if (qp->ready)
		paused_ps += rt_soft_paused_ps(soft, qp->flow.prio) -
			     qp->paused_from_ps;
	totals->data_frames_tx = RT_KNOWN_U64(qp->stats.data_tx);
	totals->data_frames_retransmitted = RT_KNOWN_U64(qp->stats.resent);
	totals->cnp_rx = RT_KNOWN_U64(qp->stats.cnp_rx);
	totals->rate_cuts = RT_KNOWN_U64(qp->stats.cuts);
	totals->rate_bps = RT_KNOWN_U64(qp->rp.rate_bps);
	totals->paused_ns = RT_KNOWN_U64(paused_ps / RT_PS_PER_NS);
}

static void receiver_totals(const struct rt_soft_qp *qp, struct rt_qp_totals *totals)
{
	totals->data_frames_rx = RT_KNOWN_U64(qp->stats.data_rx);
	totals->frame_sequence_error = RT_KNOWN_U64(qp->stats.out_of_sequence);
	totals->ecn_ce_rx = RT_KNOWN_U64(qp->stats.ce);
	totals->cnp_tx = RT_KNOWN_U64(qp->stats.cnp_tx);
}

/* Packets of messages that are not complete, but acknowledged. */
static uint64_t partial_bytes(const struct rt_soft_qp *qp)
{
	const struct rt_soft_message *message =
		&qp->messages[qp->done & qp->message_mask];

	return qp->done < qp->posted ? (qp->tx.acked - message->first) * qp->mtu_bytes
				     : 0;
}

void rt_soft_totals(const struct rt_soft *soft, unsigned index,
		    struct rt_qp_totals *ret_totals)
{
	struct rt_qp_totals totals = { 0 };
	const struct rt_soft_qp *qp = index < soft->qp_count ? soft->qps[index] : NULL;

	if (qp) {
		totals.state = qp->state;
		if (qp->role != &rt_soft_source) { /* it is not told what arrives */
			totals.bytes = RT_KNOWN_U64(qp->stats.bytes);
			totals.messages = RT_KNOWN_U64(qp->stats.messages);
		}
		totals.first_ns = since_start(soft, qp->stats.first_ps);
		totals.last_ns = since_start(soft, qp->stats.last_ps);
		if (qp->role->sends_data)
			sender_totals(soft, qp, &totals);
		else
			receiver_totals(qp, &totals);
		if (qp->role->asks) {
			totals.bytes.value += partial_bytes(qp);
			totals.ack_rx = RT_KNOWN_U64(qp->stats.ack_rx);
			totals.nak_rx = RT_KNOWN_U64(qp->stats.nak_rx);
			totals.timeouts = RT_KNOWN_U64(qp->stats.timeouts);
		} else {
			totals.ack_tx = RT_KNOWN_U64(qp->stats.ack_tx);
			totals.nak_tx = RT_KNOWN_U64(qp->stats.nak_tx);
		}
		if (qp->error) {
			strncpy(totals.error, qp->error, sizeof(totals.error) - 1);
			totals.error_ns = since_start(soft, qp->error_ps);
		}
	}
	*ret_totals = totals;
}

void rt_soft_latency(struct rt_soft *soft, unsigned index, struct rt_histogram *into)
{
	struct rt_soft_qp *qp = index < soft->qp_count ? soft->qps[index] : NULL;

	if (!qp || !qp->latency || !qp->latency->count)
		return;
	rt_histogram_merge(into, qp->latency);
	memset(qp->latency, 0, sizeof(*qp->latency));
}

void rt_soft_strays(const struct rt_soft *soft, struct rt_soft_strays *ret_strays)
{
	*ret_strays = soft->strays;
}
