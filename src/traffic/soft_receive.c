/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_receive.c - frames that come in, which may be anybody's: whatever does not fit a
 * queue pair, its peer and its state is counted and changes nothing.
 */
#include <string.h>

#include "base/ip.h"
#include "rocetune/units.h"
#include "traffic/soft_state.h"

/* Syndromes of an AETH (IBTA 9.7.5.2.1, tables 45 and 46). */
#define AETH_KIND_MASK     0xE0
#define AETH_VALUE_MASK    0x1F
#define AETH_IS_ACK        0x00
#define AETH_IS_RNR_NAK    0x20
#define AETH_NAK_SEQUENCE  0x60
#define AETH_NAK_INVALID   0x61
#define AETH_NAK_ACCESS    0x62
#define AETH_NAK_OPERATION 0x63

static void malformed(struct rt_soft *soft)
{
	soft->strays.malformed++;
}

/* --- what comes back to who asks -------------------------------------------------- */

static const char *error_of(uint8_t syndrome)
{
	switch (syndrome) {
	case AETH_NAK_INVALID: return "IBV_WC_REM_INV_REQ_ERR";
	case AETH_NAK_ACCESS: return "IBV_WC_REM_ACCESS_ERR";
	case AETH_NAK_OPERATION: return "IBV_WC_REM_OP_ERR";
	default: return NULL;
	}
}

/*
 * A READ request did not arrive.  Only responses acknowledge what was asked before it,
 * and they may still be under way.
 */
static void request_lost(struct rt_soft *soft, struct rt_soft_qp *qp, uint32_t psn)
{
	const uint32_t ahead = rt_psn_distance(psn, rt_rc_psn(&qp->tx, qp->tx.acked));

	if (ahead >= qp->tx.next - qp->tx.acked)
		return;
	qp->tx.next = qp->tx.acked + ahead;
	rt_soft_may_send(soft, qp);
}

static void take_ack(struct rt_soft *soft, struct rt_soft_qp *qp,
		     const struct rt_bth *bth)
{
	if ((bth->syndrome & AETH_KIND_MASK) == AETH_IS_ACK) {
		qp->stats.ack_rx++;
		if (qp->role->sends_data)
			rt_soft_acknowledged(soft, qp,
					     rt_rc_on_ack(&qp->tx, &soft->rc, bth->psn,
							  soft->now_ps));
	} else if ((bth->syndrome & AETH_KIND_MASK) == AETH_IS_RNR_NAK) {
		if (qp->role->sends_data)
			rt_soft_wait_ready(soft, qp, bth->psn,
					   bth->syndrome & AETH_VALUE_MASK);
	} else if (bth->syndrome == AETH_NAK_SEQUENCE) {
		qp->stats.nak_rx++;
		qp->stats.seq_nak_rx++;
		if (qp->role->sends_data)
			rt_soft_acknowledged(soft, qp,
					     rt_rc_on_nak(&qp->tx, &soft->rc, bth->psn,
							  0, soft->now_ps));
		else
			request_lost(soft, qp, bth->psn);
	} else if (error_of(bth->syndrome)) {
		qp->stats.nak_rx++;
		rt_soft_qp_fail(soft, qp, error_of(bth->syndrome));
	} else {
		malformed(soft);
	}
}

void rt_soft_receive_ack(struct rt_soft *soft, struct rt_soft_qp *qp,
			 const struct rt_frame *frame)
{
	if (frame->bth.opcode != RT_OP_RC_ACK)
		malformed(soft);
	else if (qp->state == RT_QP_RUNNING)
		take_ack(soft, qp, &frame->bth);
}

/* --- data ------------------------------------------------------------------------- */

static bool is_of(const struct rt_soft_opcodes *opcodes, uint8_t opcode)
{
	return opcode == opcodes->first || opcode == opcodes->middle ||
	       opcode == opcodes->last || opcode == opcodes->only;
}

/* First and Middle fill the path MTU, the others do not exceed it (IBTA 9.7.4.1.7). */
static bool fits(const struct rt_soft_qp *qp, const struct rt_bth *bth)
{
	if (!is_of(qp->opcodes, bth->opcode))
		return false;
	if (rt_ops[bth->opcode].bits & RT_OP_FULL)
		return bth->payload_bytes == qp->mtu_bytes;
	return bth->payload_bytes && bth->payload_bytes <= qp->mtu_bytes;
}

static void marked(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	qp->stats.ce++;
	if (soft->laws.options & RT_MODEL_NO_CC)
		return;
	if (rt_np_on_mark(&qp->np, &soft->laws.np, soft->now_ps))
		rt_soft_queue(soft, qp, RT_SOFT_CNP);
	else if (qp->np.cnp_at_ps != RT_PS_NEVER &&
		 !rt_soft_timer_on(soft, qp, RT_SOFT_NP))
		rt_soft_timer_set(soft, qp, RT_SOFT_NP, qp->np.cnp_at_ps);
}

static void count_data(struct rt_soft *soft, struct rt_soft_qp *qp,
		       const struct rt_frame *frame)
{
	if (!qp->np_runs)
		rt_np_init(&qp->np, &soft->laws.np, soft->now_ps);
	qp->np_runs = true;
	qp->stats.data_rx++;
	if (frame->ecn == RT_ECN_CE)
		marked(soft, qp);
}

static void count_payload(struct rt_soft *soft, struct rt_soft_qp *qp, uint32_t bytes)
{
	qp->stats.bytes += bytes;
	qp->stats.last_ps = soft->now_ps;
	if (qp->stats.first_ps == RT_PS_NEVER)
		qp->stats.first_ps = soft->now_ps;
}

/* The next packet in order: does it go on with the message as it should? */
static bool continues(const struct rt_soft_qp *qp, const struct rt_bth *bth)
{
	const struct rt_op *op = &rt_ops[bth->opcode];
	const bool starts = op->bits & RT_OP_STARTS, ends = op->bits & RT_OP_ENDS;
	uint64_t left_bytes = qp->left_bytes;

	if (starts == qp->in_message)
		return false;
	if (qp->flow.op == RT_TRAFFIC_SEND)
		return true;
	if (starts) {
		if (bth->rkey != qp->mine.rkey || bth->dma_bytes > RT_SOFT_MESSAGE_MAX)
			return false;
		left_bytes = bth->dma_bytes;
	}
	return ends ? bth->payload_bytes == left_bytes
		    : bth->payload_bytes < left_bytes;
}

static void deliver(struct rt_soft *soft, struct rt_soft_qp *qp,
		    const struct rt_bth *bth)
{
	const struct rt_op *op = &rt_ops[bth->opcode];

	if (op->bits & RT_OP_STARTS)
		qp->left_bytes = bth->dma_bytes;
	qp->left_bytes -= bth->payload_bytes;
	qp->in_message = !(op->bits & RT_OP_ENDS);
	if (!qp->in_message) {
		qp->stats.messages++;
		qp->messages_in = (qp->messages_in + 1) & 0xFFFFFF;
	}
	count_payload(soft, qp, bth->payload_bytes);
	if (qp->flow.total_bytes && qp->stats.bytes >= qp->flow.total_bytes)
		rt_soft_qp_done(soft, qp);
}

static void answer(struct rt_soft *soft, struct rt_soft_qp *qp,
		   const struct rt_rc_reply *reply)
{
	qp->reply = *reply;
	qp->reply_not_ready = qp->not_ready;
	rt_soft_queue(soft, qp, RT_SOFT_REPLY);
}

/*
 * Of what is played here (traffic/faults.h) some messages find no receive buffer: a SEND
 * when it begins, a WRITE when its immediate data would be told (IBTA 9.7.5.1.6).
 */
static bool wants_buffer(const struct rt_soft_qp *qp, const struct rt_bth *bth)
{
	const uint16_t bits = rt_ops[bth->opcode].bits;

	if (qp->flow.op == RT_TRAFFIC_SEND)
		return bits & RT_OP_STARTS;
	return qp->flow.op == RT_TRAFFIC_WRITE_IMM && bits & RT_OP_ENDS;
}

/*
 * What follows the packet that was refused is dropped without a word until that one
 * comes again (IBTA 9.7.5.2.8); then there is a buffer.
 */
static bool is_refused(struct rt_soft *soft, struct rt_soft_qp *qp,
		       const struct rt_bth *bth)
{
	const struct rt_rc_reply refusal = { .kind = RT_RC_NAK, .psn = bth->psn };

	if (!soft->config.faults.refuse_ppb)
		return false;
	if (qp->not_ready) {
		qp->not_ready = bth->psn != qp->rx.expected_psn;
		return qp->not_ready;
	}
	if (bth->psn != qp->rx.expected_psn || !wants_buffer(qp, bth) ||
	    rt_rng_below(&soft->rng, RT_PPB) >= soft->config.faults.refuse_ppb)
		return false;
	qp->not_ready = true;
	qp->rx.unacked = 0;
	qp->stats.rnr_tx++;
	answer(soft, qp, &refusal);
	return true;
}

static bool is_sound(const struct rt_soft_qp *qp, const struct rt_bth *bth)
{
	return fits(qp, bth) && (bth->psn != qp->rx.expected_psn || continues(qp, bth));
}

static void take_data(struct rt_soft *soft, struct rt_soft_qp *qp,
		      const struct rt_bth *bth)
{
	struct rt_rc_reply reply;

	if (is_refused(soft, qp, bth))
		return;
	reply = rt_rc_on_data(&qp->rx, &soft->rc, bth->psn, bth->bits & RT_BTH_ACKREQ,
			      soft->now_ps);
	qp->stats.duplicates += reply.duplicate;
	if (reply.delivered)
		deliver(soft, qp, bth);
	else if (!reply.duplicate)
		qp->stats.out_of_sequence++;
	if (reply.kind != RT_RC_SILENT)
		answer(soft, qp, &reply);
}

void rt_soft_receive_data(struct rt_soft *soft, struct rt_soft_qp *qp,
			  const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;

	if (!is_sound(qp, bth)) {
		malformed(soft);
		return;
	}
	count_data(soft, qp, frame);
	if (rt_soft_keep_early(soft, qp, bth))
		return;
	take_data(soft, qp, bth);
	while ((bth = rt_soft_next_early(qp))) {
		if (is_sound(qp, bth))
			take_data(soft, qp, bth);
		else
			malformed(soft);
	}
}

/* --- READ: the responses ---------------------------------------------------------- */

/* Of the oldest message: what the packet that is expected next must be. */
static bool is_expected(struct rt_soft_qp *qp, const struct rt_bth *bth)
{
	const struct rt_soft_message *message = rt_soft_message(qp, qp->done);
	const uint64_t within = qp->tx.acked - message->first;
	const bool ends = within + 1 == message->packets;
	const uint64_t bytes = ends ? message->bytes - within * qp->mtu_bytes
				    : qp->mtu_bytes;

	return bth->payload_bytes == bytes &&
	       ends == !!(rt_ops[bth->opcode].bits & RT_OP_ENDS);
}

/*
 * A response that comes too early tells that one is missing, which is then asked for
 * again, once (IBTA 9.7.5.2.8: an implied NAK).
 */
static void response_ahead(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	qp->stats.out_of_sequence++;
	if (qp->gap_open)
		return;
	qp->gap_open = true;
	qp->stats.implied_naks++;
	rt_soft_acknowledged(soft, qp,
			     rt_rc_on_nak(&qp->tx, &soft->read_rc,
					  rt_rc_psn(&qp->tx, qp->tx.acked), 0,
					  soft->now_ps));
}

void rt_soft_receive_response(struct rt_soft *soft, struct rt_soft_qp *qp,
			      const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;
	const uint32_t ahead = rt_psn_distance(bth->psn,
					       rt_rc_psn(&qp->tx, qp->tx.acked));

	if (qp->state != RT_QP_RUNNING)
		return;
	if (bth->opcode == RT_OP_RC_ACK) {
		take_ack(soft, qp, bth);
		return;
	}
	if (!fits(qp, bth) ||
	    (!ahead && qp->tx.acked < qp->tx.top && !is_expected(qp, bth))) {
		malformed(soft);
		return;
	}
	count_data(soft, qp, frame);
	if (ahead >= qp->tx.top - qp->tx.acked)
		return; /* had arrived before */
	if (ahead) {
		response_ahead(soft, qp);
		return;
	}
	qp->gap_open = false;
	qp->stats.last_ps = soft->now_ps;
	if (qp->stats.first_ps == RT_PS_NEVER)
		qp->stats.first_ps = soft->now_ps;
	rt_soft_acknowledged(
		soft, qp,
		rt_rc_on_ack(&qp->tx, &soft->read_rc, bth->psn, soft->now_ps));
}

/* --- READ: the requests ----------------------------------------------------------- */

static void put_read(struct rt_soft_qp *qp, const struct rt_bth *bth, uint32_t packets)
{
	const uint32_t at = (qp->read_first + qp->read_count++) % RT_SOFT_READS_MAX;

	qp->reads[at] = (struct rt_soft_read){ .psn = bth->psn,
					       .packets = packets,
					       .bytes = bth->dma_bytes };
	if (rt_psn_ahead(bth->psn + packets, qp->rx.expected_psn))
		qp->rx.expected_psn = (bth->psn + packets) & RT_PSN_MASK;
}

/* Answers from psn on are asked for again. */
static void forget_reads(struct rt_soft_qp *qp, uint32_t psn)
{
	for (uint32_t i = 0; i < qp->read_count; i++) {
		const struct rt_soft_read *read =
			&qp->reads[(qp->read_first + i) % RT_SOFT_READS_MAX];

		if (rt_psn_ahead(read->psn + read->packets, psn)) {
			qp->read_count = i;
			break;
		}
	}
}

/*
 * A request that came before asks for the rest of its answer again, and whoever asked
 * will ask again for all behind it too (IBTA 9.7.5.1.5).
 */
void rt_soft_receive_read(struct rt_soft *soft, struct rt_soft_qp *qp,
			  const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;
	const uint32_t packets = rt_soft_packets(bth->dma_bytes, qp->mtu_bytes);
	struct rt_rc_reply reply;

	if (bth->opcode != RT_OP_RC_READ_REQUEST || bth->rkey != qp->mine.rkey ||
	    !bth->dma_bytes || bth->dma_bytes > RT_SOFT_MESSAGE_MAX ||
	    packets > RT_RC_WINDOW_MAX / 2) {
		malformed(soft);
		return;
	}
	if (bth->psn != qp->rx.expected_psn)
		forget_reads(qp, bth->psn);
	if (qp->read_count == RT_SOFT_READS_MAX)
		return; /* more than was agreed on; it will be asked again */
	reply = rt_rc_on_data(&qp->rx, &soft->rc, bth->psn, false, soft->now_ps);
	qp->stats.duplicates += reply.duplicate;
	if (reply.duplicate || reply.delivered) {
		if (reply.delivered) /* one that came before counted then */
			qp->messages_in = (qp->messages_in + 1) & 0xFFFFFF;
		put_read(qp, bth, packets);
		rt_soft_may_send(soft, qp);
		return;
	}
	qp->stats.out_of_sequence++;
	if (reply.kind == RT_RC_NAK)
		answer(soft, qp, &reply);
}

/* --- all frames ------------------------------------------------------------------- */

static void paused(struct rt_soft *soft, const struct rt_frame *frame, uint64_t came_ps)
{
	const struct rt_pause *pause = &frame->pause;
	const bool all = frame->kind == RT_FRAME_PAUSE;

	soft->port.link_rx += all;
	soft->port.pfc_rx += !all;
	for (unsigned prio = 0; prio < RT_PRIO_COUNT; prio++) {
		if (all) {
			rt_soft_pause(soft, prio, pause->quanta[0], came_ps);
		} else if (pause->enable >> prio & 1) {
			soft->port.prios[prio].pause_rx++;
			rt_soft_pause(soft, prio, pause->quanta[prio], came_ps);
		}
	}
}

/* False: there was no room for it. */
static bool count_came(struct rt_soft *soft, const struct rt_frame *frame)
{
	const unsigned prio = soft->prio_of_dscp[frame->dscp & 63];

	soft->port.prios[prio].rx_frames++;
	soft->port.prios[prio].rx_bytes += frame->wire_bytes;
	return frame->kind != RT_FRAME_ROCE || !frame->bth.payload_bytes ||
	       rt_soft_drain_takes(soft, prio, frame->wire_bytes);
}

static struct rt_soft_qp *find_qp(const struct rt_soft *soft,
				  const struct rt_frame *frame)
{
	const uint32_t index = frame->bth.dest_qp - soft->first_qpn;
	struct rt_soft_qp *qp;

	if (index >= soft->qp_count)
		return NULL;
	qp = soft->qps[index];
	return qp->connected && rt_ip_equal(&frame->src, &qp->peer.ip) ? qp : NULL;
}

static void for_qp(struct rt_soft *soft, const struct rt_frame *frame)
{
	struct rt_soft_qp *qp = find_qp(soft, frame);

	if (!qp) {
		soft->strays.unknown_qp++;
		return;
	}
	if (frame->bth.opcode != RT_OP_CNP) {
		qp->role->receive(soft, qp, frame);
		return;
	}
	if (!qp->role->sends_data || !(frame->bth.bits & RT_BTH_BECN)) {
		malformed(soft);
		return;
	}
	qp->stats.cnp_rx++;
	rt_soft_congested(soft, qp);
}

static void take_frame(struct rt_soft *soft, const struct rt_frame *frame)
{
	if (frame->kind != RT_FRAME_ROCE || frame->version != RT_ROCE_V2 ||
	    frame->encap != RT_ENCAP_NONE ||
	    !rt_ip_equal(&frame->dst, &soft->config.ip))
		soft->strays.other++;
	else if (frame->flags & (RT_FRAME_MALFORMED | RT_FRAME_FRAGMENT |
				 RT_FRAME_EXT_CUT | RT_FRAME_BTH_CUT))
		malformed(soft);
	else if (frame->icrc != RT_ICRC_OK)
		soft->strays.bad_icrc++;
	else
		for_qp(soft, frame);
}

static void decode(struct rt_frame *frame, const uint8_t *data, uint32_t bytes)
{
	*frame = (struct rt_frame){ .link_type = RT_LINK_ETHERNET,
				    .wire_bytes = bytes,
				    .cap_bytes = bytes };
	rt_frame_decode(frame, data, RT_DECODE_ICRC);
}

void rt_soft_receive_held(struct rt_soft *soft)
{
	const uint32_t bytes = rt_soft_let_go(soft);
	struct rt_frame frame;

	if (!bytes)
		return;
	decode(&frame, soft->held.data, bytes);
	take_frame(soft, &frame);
}

/* On the clock of the laws. */
static uint64_t time_ps(const struct rt_soft *soft, int64_t at_ns)
{
	const int64_t since_ns = at_ns - soft->origin_ns;

	return since_ns > 0 ? (uint64_t)since_ns * RT_PS_PER_NS : 0;
}

void rt_soft_receive(struct rt_soft *soft, const uint8_t *data, uint32_t bytes,
		     int64_t now_ns)
{
	rt_soft_receive_late(soft, data, bytes, now_ns, now_ns);
}

void rt_soft_receive_late(struct rt_soft *soft, const uint8_t *data, uint32_t bytes,
			  int64_t came_ns, int64_t now_ns)
{
	struct rt_frame frame;

	rt_soft_set_now(soft, now_ns);
	decode(&frame, data, bytes);
	if (frame.kind == RT_FRAME_PFC || frame.kind == RT_FRAME_PAUSE) {
		paused(soft, &frame,
		       came_ns < now_ns ? time_ps(soft, came_ns) : soft->now_ps);
		return;
	}
	if (!count_came(soft, &frame) || rt_soft_hold_back(soft, &frame, data))
		return;
	take_frame(soft, &frame);
	rt_soft_receive_held(soft);
}
