/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_send.c - messages, and the frames they and their answers travel in. */
#include <errno.h>
#include <string.h>

#include "base/histogram.h"
#include "traffic/soft_state.h"

#define AETH_ACK          0x1F /* no credit count (IBTA 9.7.5.2.4) */
#define AETH_NAK_SEQUENCE 0x60
#define AETH_RNR_NAK      0x30 /* with code 16: 2.56 ms */

const struct rt_soft_opcodes rt_soft_opcodes[] = {
	[RT_TRAFFIC_WRITE] = { RT_OP_RC_WRITE_FIRST, RT_OP_RC_WRITE_MIDDLE,
			       RT_OP_RC_WRITE_LAST, RT_OP_RC_WRITE_ONLY },
	/* only the last packet has the immediate (IBTA 9.3) */
	[RT_TRAFFIC_WRITE_IMM] = { RT_OP_RC_WRITE_FIRST, RT_OP_RC_WRITE_MIDDLE,
				   RT_OP_RC_WRITE_LAST + 1, RT_OP_RC_WRITE_ONLY + 1 },
	[RT_TRAFFIC_SEND] = { RT_OP_RC_SEND_FIRST, RT_OP_RC_SEND_MIDDLE,
			      RT_OP_RC_SEND_LAST, RT_OP_RC_SEND_ONLY },
	[RT_TRAFFIC_READ] = { RT_OP_RC_READ_RESP_FIRST, RT_OP_RC_READ_RESP_MIDDLE,
			      RT_OP_RC_READ_RESP_LAST, RT_OP_RC_READ_RESP_ONLY },
};

/* --- messages --------------------------------------------------------------- */

void rt_soft_post(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	while (qp->posting && qp->posted - qp->done < qp->outstanding) {
		const uint32_t bytes = (uint32_t)rt_traffic_flow_next_bytes(
			&qp->flow, qp->posted_bytes, &qp->sizes);
		const uint32_t packets = rt_soft_packets(bytes, qp->mtu_bytes);

		if (!bytes) {
			qp->posting = false;
			break;
		}
		*rt_soft_message(qp, qp->posted++) =
			(struct rt_soft_message){ .first = qp->tx.posted,
						  .posted_ps = soft->now_ps,
						  .packets = packets,
						  .bytes = bytes };
		rt_rc_post(&qp->tx, packets);
		qp->posted_bytes += bytes;
	}
	if (!qp->posting && qp->done == qp->posted)
		rt_soft_qp_done(soft, qp);
}

/* Messages all of whose packets arrived. */
static void complete(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	while (qp->done < qp->posted) {
		const struct rt_soft_message *message = rt_soft_message(qp, qp->done);

		if (message->first + message->packets > qp->tx.acked)
			break;
		rt_histogram_add(qp->latency,
				 (soft->now_ps - message->posted_ps) / RT_PS_PER_NS);
		qp->stats.bytes += message->bytes;
		qp->stats.messages++;
		qp->done++;
	}
	if (qp->at < qp->done)
		qp->at = qp->done;
	rt_soft_post(soft, qp);
}

/* The message of the packet that is next, which may have gone back. */
static struct rt_soft_message *message_at(struct rt_soft_qp *qp)
{
	struct rt_soft_message *message = rt_soft_message(qp, qp->at);

	while (qp->tx.next < message->first)
		message = rt_soft_message(qp, --qp->at);
	while (qp->tx.next >= message->first + message->packets)
		message = rt_soft_message(qp, ++qp->at);
	return message;
}

/* --- acknowledgement and time-out --------------------------------------------- */

static void arm_timeout(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->tx.timeout_at_ps != RT_PS_NEVER &&
	    !rt_soft_timer_on(soft, qp, RT_SOFT_RTO))
		rt_soft_timer_set(soft, qp, RT_SOFT_RTO, qp->tx.timeout_at_ps);
}

void rt_soft_acknowledged(struct rt_soft *soft, struct rt_soft_qp *qp, unsigned events)
{
	if (events & RT_RC_FAILED) {
		soft->port.exceeded++;
		rt_soft_qp_fail(soft, qp, "IBV_WC_RETRY_EXC_ERR");
		return;
	}
	if (events & RT_RC_GO_BACK)
		qp->asked = qp->tx.acked; /* it will ask again when it is sent again */
	if (events & RT_RC_PROGRESS) {
		qp->asked_ps = soft->now_ps;
		if (qp->role->sends_data)
			qp->stats.last_ps = soft->now_ps;
		complete(soft, qp);
		if (qp->cut && qp->tx.acked == qp->tx.top)
			rt_soft_qp_done(soft, qp);
	}
	if (events & RT_RC_TIMER)
		arm_timeout(soft, qp);
	if (events & (RT_RC_PROGRESS | RT_RC_GO_BACK))
		rt_soft_may_send(soft, qp);
}

/* The last packet that was taken asks for an answer. */
static void ask(const struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->asked <= qp->tx.acked)
		qp->asked_ps = soft->now_ps;
	qp->asked = qp->tx.next;
}

/*
 * Nobody owes an answer to packets that did not ask for one.  While the sender itself is
 * silent in a message, by a pause, its rate or the end of a burst, time does not run out;
 * it counts from when an answer was asked for.  Who answers a READ keeps its bursts, too.
 */
static void put_off_timeout(const struct rt_soft *soft, struct rt_soft_qp *qp,
			    const struct rt_rc_params *rc)
{
	uint64_t due_ps = soft->now_ps + rc->timeout_ps;

	if (qp->tx.timeout_at_ps > soft->now_ps)
		return;
	if (qp->asked > qp->tx.acked)
		due_ps = qp->asked_ps + rc->timeout_ps +
			 (qp->role->sends_data ? 0 : qp->flow.off_ns * RT_PS_PER_NS);
	if (due_ps > soft->now_ps)
		qp->tx.timeout_at_ps = due_ps;
}

void rt_soft_timeout(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	const struct rt_rc_params *rc = qp->role->sends_data ? &soft->rc
							     : &soft->read_rc;
	unsigned events;

	put_off_timeout(soft, qp, rc);
	events = rt_rc_on_timeout(&qp->tx, rc, soft->now_ps);
	if (events & RT_RC_GO_BACK) {
		qp->stats.timeouts++;
		qp->gap_open = false;
	}
	rt_soft_acknowledged(soft, qp, events);
}

/* Table 45 of IBTA 9.7.5.2.8: 10 us, doubled with each even code, half more with odd. */
static uint64_t not_ready_ps(unsigned code)
{
	const uint64_t even_ps = 10 * RT_PS_PER_US << (code / 2);

	if (code == 0)
		return 10 * RT_PS_PER_US << 16;
	return code > 1 && code % 2 ? even_ps + even_ps / 2 : even_ps;
}

/* All before psn has arrived; there is no end to such retries (a count of 7). */
void rt_soft_wait_ready(struct rt_soft *soft, struct rt_soft_qp *qp, uint32_t psn,
			unsigned time_code)
{
	uint32_t ahead = rt_psn_distance(psn, rt_rc_psn(&qp->tx, qp->tx.acked));

	if (ahead >= qp->tx.top - qp->tx.acked)
		return; /* of what is answered already, or was never sent */
	qp->stats.rnr_rx++;
	qp->stats.ack_rx++;
	if (ahead)
		rt_soft_acknowledged(
			soft, qp,
			rt_rc_on_ack(&qp->tx, &soft->rc, psn - 1, soft->now_ps));
	if (qp->state != RT_QP_RUNNING)
		return;
	qp->tx.next = qp->tx.acked;
	qp->asked = qp->tx.acked;
	qp->capped_ps = qp->next_ps = soft->now_ps + not_ready_ps(time_code);
	rt_soft_may_send(soft, qp);
}

/* --- who writes and sends -------------------------------------------------------- */

static uint64_t window_of(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	uint64_t window = soft->laws.window_bytes;

	if (soft->laws.options & RT_MODEL_VARIABLE_WINDOW)
		window = (uint64_t)((unsigned __int128)window * qp->rp.rate_bps /
				    soft->laws.rp.line_rate_bps);
	return window;
}

static bool window_is_open(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	return !soft->laws.window_bytes ||
	       (qp->tx.next - qp->tx.acked) * qp->mtu_bytes < window_of(soft, qp);
}

/* An ACK will come: one was asked for, or is sent after so many packets. */
static bool is_owed_ack(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	return qp->asked > qp->tx.acked ||
	       (soft->rc.ack_every && qp->tx.next - qp->tx.acked >= soft->rc.ack_every);
}

/*
 * A window that follows the rate may close under what is on its way.  Where no ACK is
 * owed for that, one packet more asks for one: nothing else would open it again.
 */
static bool writer_can_send(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	if (qp->state != RT_QP_RUNNING || !rt_rc_can_send(&qp->tx, &soft->rc))
		return false;
	/* One packet more asks for the answer that the others did not ask for. */
	if (qp->cut && qp->tx.next == qp->tx.top)
		return qp->asked <= qp->tx.acked;
	return window_is_open(soft, qp) || !is_owed_ack(soft, qp);
}

static void count_data(struct rt_soft *soft, struct rt_soft_qp *qp, bool resent)
{
	qp->stats.data_tx++;
	qp->stats.resent += resent;
	if (qp->stats.first_ps == RT_PS_NEVER)
		qp->stats.first_ps = soft->now_ps;
}

static uint8_t opcode_at(const struct rt_soft_opcodes *opcodes, uint32_t within,
			 uint32_t packets)
{
	if (within + 1 == packets)
		return within ? opcodes->last : opcodes->only;
	return within ? opcodes->middle : opcodes->first;
}

static uint32_t writer_next(struct rt_soft *soft, struct rt_soft_qp *qp,
			    struct rt_build *packet)
{
	const struct rt_soft_message *message = message_at(qp);
	const uint32_t within = (uint32_t)(qp->tx.next - message->first);
	const uint8_t opcode = opcode_at(qp->opcodes, within, message->packets);
	bool resent;
	const uint64_t sequence = rt_rc_send(&qp->tx, &soft->rc, soft->now_ps, &resent);
	const bool ends = rt_ops[opcode].bits & RT_OP_ENDS;
	const bool asks = ends || rt_rc_asks_ack(&qp->tx, &soft->rc) ||
			  !window_is_open(soft, qp) || qp->cut ||
			  rt_soft_is_last_before_silence(soft, qp);

	if (asks)
		ask(soft, qp);
	arm_timeout(soft, qp);
	count_data(soft, qp, resent);
	*packet = qp->data;
	packet->bth.opcode = opcode;
	packet->bth.psn = rt_rc_psn(&qp->tx, sequence);
	packet->bth.bits = asks ? RT_BTH_ACKREQ : 0;
	packet->bth.va = qp->peer.va;
	packet->bth.rkey = qp->peer.rkey;
	packet->bth.dma_bytes = message->bytes;
	packet->bth.immediate = qp->flow.flow;
	packet->bth.payload_bytes = ends ? message->bytes - within * qp->mtu_bytes
					 : qp->mtu_bytes;
	return packet->bth.payload_bytes;
}

/* --- who reads -------------------------------------------------------------------- */

static bool reader_can_send(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	return qp->state == RT_QP_RUNNING && rt_rc_can_send(&qp->tx, &soft->read_rc);
}

/*
 * A request for what is missing of a message: it takes a PSN for each packet of its
 * answer (IBTA 9.7.3.1).
 */
static uint32_t reader_next(struct rt_soft *soft, struct rt_soft_qp *qp,
			    struct rt_build *packet)
{
	const struct rt_soft_message *message = message_at(qp);
	const uint64_t within = qp->tx.next - message->first;
	bool resent;

	*packet = qp->control;
	packet->bth.opcode = RT_OP_RC_READ_REQUEST;
	packet->bth.psn = rt_rc_psn(&qp->tx, qp->tx.next);
	packet->bth.bits = RT_BTH_ACKREQ;
	packet->bth.va = qp->peer.va + within * qp->mtu_bytes;
	packet->bth.rkey = qp->peer.rkey;
	packet->bth.dma_bytes = message->bytes - (uint32_t)within * qp->mtu_bytes;
	for (uint64_t i = within; i < message->packets; i++)
		rt_rc_send(&qp->tx, &soft->read_rc, soft->now_ps, &resent);
	ask(soft, qp);
	arm_timeout(soft, qp);
	return 0;
}

/* --- who answers READs ------------------------------------------------------------ */

static bool source_can_send(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	(void)soft;
	return qp->read_count && !qp->cut && qp->state != RT_QP_STOPPED;
}

static uint32_t source_next(struct rt_soft *soft, struct rt_soft_qp *qp,
			    struct rt_build *packet)
{
	struct rt_soft_read *read = &qp->reads[qp->read_first];
	const uint32_t psn = (read->psn + read->sent) & RT_PSN_MASK;
	const uint32_t at_bytes = read->sent * qp->mtu_bytes;
	const uint8_t opcode = opcode_at(qp->opcodes, read->sent, read->packets);
	const bool ends = rt_ops[opcode].bits & RT_OP_ENDS;
	const bool resent = rt_psn_ahead(qp->read_top_psn, psn);

	*packet = qp->data;
	packet->bth.opcode = opcode;
	packet->bth.psn = psn;
	packet->bth.syndrome = AETH_ACK;
	packet->bth.msn = qp->messages_in;
	packet->bth.payload_bytes = ends ? read->bytes - at_bytes : qp->mtu_bytes;
	count_data(soft, qp, resent);
	if (!resent) {
		qp->read_top_psn = (psn + 1) & RT_PSN_MASK;
		qp->stats.last_ps = soft->now_ps;
	}
	if (++read->sent == read->packets) {
		qp->read_first = (qp->read_first + 1) % RT_SOFT_READS_MAX;
		qp->read_count--;
	}
	return packet->bth.payload_bytes;
}

/* --- frames ----------------------------------------------------------------------- */

static bool sink_can_send(const struct rt_soft *soft, const struct rt_soft_qp *qp)
{
	(void)soft;
	(void)qp;
	return false;
}

static uint32_t sink_next(struct rt_soft *soft, struct rt_soft_qp *qp,
			  struct rt_build *packet)
{
	(void)soft;
	*packet = qp->control;
	return 0;
}

const struct rt_soft_role rt_soft_writer = { true, true, writer_can_send, writer_next,
					     rt_soft_receive_ack };
const struct rt_soft_role rt_soft_sink = { false, false, sink_can_send, sink_next,
					   rt_soft_receive_data };
const struct rt_soft_role rt_soft_reader = { false, true, reader_can_send, reader_next,
					     rt_soft_receive_response };
const struct rt_soft_role rt_soft_source = { true, false, source_can_send, source_next,
					     rt_soft_receive_read };

static void count_sent(struct rt_soft *soft, unsigned prio, size_t bytes)
{
	struct rt_soft_passed *passed = &soft->port.prios[prio];

	passed->tx_frames++;
	passed->tx_bytes += bytes;
}

size_t rt_soft_send_data(struct rt_soft *soft, unsigned slot)
{
	struct rt_soft_qp *qp = rt_soft_take(soft);
	struct rt_build packet;
	uint32_t payload_bytes;
	size_t bytes;

	if (!qp)
		return 0;
	payload_bytes = qp->role->next(soft, qp, &packet);
	bytes = rt_soft_frame(soft, qp, &packet, slot);
	count_sent(soft, qp->flow.prio, bytes);
	rt_soft_sent(soft, qp, bytes, payload_bytes);
	return bytes;
}

void rt_soft_queue(struct rt_soft *soft, struct rt_soft_qp *qp,
		   enum rt_soft_control kind)
{
	const uint8_t number = kind == RT_SOFT_CNP ? soft->laws.cnp_prio
						   : qp->flow.prio;
	struct rt_soft_prio *prio = &soft->prios[number % RT_PRIO_COUNT];
	const uint32_t entry = qp->index * RT_SOFT_CONTROLS + kind;

	if (qp->queued[kind])
		return;
	qp->queued[kind] = true;
	qp->next_control[kind] = RT_SOFT_NONE;
	if (prio->control_first == RT_SOFT_NONE)
		prio->control_first = entry;
	else
		soft->qps[prio->control_last / RT_SOFT_CONTROLS]
			->next_control[prio->control_last % RT_SOFT_CONTROLS] = entry;
	prio->control_last = entry;
}

static void fill_cnp(struct rt_soft *soft, struct rt_soft_qp *qp,
		     struct rt_build *packet)
{
	packet->dscp = soft->laws.cnp_dscp;
	packet->bth.opcode = RT_OP_CNP;
	packet->bth.bits = RT_BTH_BECN;
	qp->stats.cnp_tx++;
}

static void fill_reply(struct rt_soft_qp *qp, struct rt_build *packet)
{
	const bool is_nak = qp->reply.kind == RT_RC_NAK;

	packet->bth.opcode = RT_OP_RC_ACK;
	packet->bth.psn = qp->reply.psn;
	packet->bth.syndrome = !is_nak               ? AETH_ACK
			       : qp->reply_not_ready ? AETH_RNR_NAK
						     : AETH_NAK_SEQUENCE;
	packet->bth.msn = qp->messages_in;
	/* An RNR NAK tells of no loss: it is counted with what acknowledges. */
	if (is_nak && !qp->reply_not_ready)
		qp->stats.nak_tx++;
	else
		qp->stats.ack_tx++;
}

static bool take_control(struct rt_soft *soft, uint32_t *ret_entry, unsigned *ret_prio)
{
	for (unsigned i = RT_PRIO_COUNT; i-- > 0;) {
		struct rt_soft_prio *prio = &soft->prios[i];
		const uint32_t entry = prio->control_first;
		struct rt_soft_qp *qp;

		if (entry == RT_SOFT_NONE || rt_soft_is_paused(soft, i))
			continue;
		qp = soft->qps[entry / RT_SOFT_CONTROLS];
		prio->control_first = qp->next_control[entry % RT_SOFT_CONTROLS];
		qp->queued[entry % RT_SOFT_CONTROLS] = false;
		*ret_entry = entry;
		*ret_prio = i;
		return true;
	}
	return false;
}

size_t rt_soft_send_control(struct rt_soft *soft, unsigned slot)
{
	struct rt_build packet;
	struct rt_soft_qp *qp;
	uint32_t entry;
	unsigned prio;
	size_t bytes;

	if (!take_control(soft, &entry, &prio))
		return 0;
	qp = soft->qps[entry / RT_SOFT_CONTROLS];
	packet = qp->control;
	if (entry % RT_SOFT_CONTROLS == RT_SOFT_CNP)
		fill_cnp(soft, qp, &packet);
	else
		fill_reply(qp, &packet);
	bytes = rt_soft_frame(soft, qp, &packet, slot);
	count_sent(soft, prio, bytes);
	rt_soft_occupy(soft, bytes);
	return bytes;
}
