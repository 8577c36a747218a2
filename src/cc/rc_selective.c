/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rc_selective.c - selective repeat, as IRN does it (Mittal et al., "Revisiting Network
 * Support for RDMA", SIGCOMM 2018, section 3.1): a receiver keeps what comes out of
 * order and tells each such packet in a NAK; a sender then resends what is missing below
 * the highest packet that arrived, each once, goes on with new packets, and leaves
 * recovery when all that was sent before it is acknowledged.  What is lost twice, and a
 * tail with nothing behind it that could tell, wait for the time-out, which is short
 * while few packets are in flight.  It then takes all for lost that is in flight and that
 * no NAK told of, and resends it from the first on, each once: the paper only says that a
 * sender enters recovery on a time-out; this is what conweave-project/conweave-ns3 does
 * (RecoverQueue: snd_nxt = snd_una).
 */
#include "cc/rc.h"

static bool bit_of(const uint64_t *words, uint32_t mask, uint64_t number)
{
	const uint32_t at = (uint32_t)number & mask;

	return words[at / 64] >> at % 64 & 1;
}

static void set_bit(uint64_t *words, uint32_t mask, uint64_t number, bool value)
{
	const uint32_t at = (uint32_t)number & mask;
	const uint64_t bit = UINT64_C(1) << at % 64;

	words[at / 64] = value ? words[at / 64] | bit : words[at / 64] & ~bit;
}

uint32_t rt_rc_bitmap_bits(uint32_t window_packets)
{
	uint32_t bits = 64;

	while (bits < window_packets && bits < RT_RC_SELECTIVE_MAX)
		bits *= 2;
	return bits;
}

/* --- sender --------------------------------------------------------------- */

/* What goes next: the first missing packet that was not resent, or a new one. */
static void choose_next(struct rt_rc_sender *sender)
{
	struct rt_rc_selective *own = sender->selective;
	uint64_t at = own->resend > sender->acked ? own->resend : sender->acked;

	sender->next = sender->top;
	if (!own->recovering)
		return;
	while (at < own->beyond && bit_of(own->sacked, own->mask, at))
		at++;
	own->resend = at;
	if (at < own->beyond)
		sender->next = at;
}

uint64_t rt_rc_selective_timeout_ps(const struct rt_rc_sender *sender,
				    const struct rt_rc_params *params)
{
	return params->timeout_low_ps &&
			       sender->top - sender->acked < params->timeout_low_packets
		       ? params->timeout_low_ps
		       : params->timeout_ps;
}

void rt_rc_selective_sent(struct rt_rc_sender *sender,
			  const struct rt_rc_params *params, uint64_t sequence,
			  uint64_t now_ps)
{
	struct rt_rc_selective *own = sender->selective;

	if (own->recovering && sequence >= own->resend && sequence < own->beyond)
		own->resend = sequence + 1;
	if (sender->timeout_at_ps == RT_PS_NEVER && params->timeout_ps) {
		own->quiet_from_ps = now_ps;
		sender->timeout_at_ps = now_ps +
					rt_rc_selective_timeout_ps(sender, params);
	}
	choose_next(sender);
}

void rt_rc_selective_acked(struct rt_rc_sender *sender,
			   const struct rt_rc_params *params, uint64_t before,
			   uint64_t now_ps)
{
	struct rt_rc_selective *own = sender->selective;

	for (uint64_t at = before; at < sender->acked; at++)
		set_bit(own->sacked, own->mask, at, false);
	if (own->recovering && sender->acked >= own->recover)
		own->recovering = false;
	if (own->beyond < sender->acked)
		own->beyond = sender->acked;
	if (sender->timeout_at_ps != RT_PS_NEVER) {
		own->quiet_from_ps = now_ps;
		sender->timeout_at_ps = now_ps +
					rt_rc_selective_timeout_ps(sender, params);
	}
	choose_next(sender);
}

static void enter_recovery(struct rt_rc_sender *sender)
{
	struct rt_rc_selective *own = sender->selective;

	own->recovering = true;
	own->recover = sender->top;
	own->resend = sender->acked;
}

unsigned rt_rc_selective_nak(struct rt_rc_sender *sender, uint64_t sacked)
{
	struct rt_rc_selective *own = sender->selective;

	if (sacked <= sender->acked || sacked >= sender->top)
		return RT_RC_NOTHING;
	set_bit(own->sacked, own->mask, sacked, true);
	if (own->beyond <= sacked)
		own->beyond = sacked + 1;
	if (!own->recovering)
		enter_recovery(sender);
	choose_next(sender);
	return RT_RC_GO_BACK;
}

void rt_rc_selective_timed_out(struct rt_rc_sender *sender,
			       const struct rt_rc_params *params, uint64_t now_ps)
{
	struct rt_rc_selective *own = sender->selective;

	enter_recovery(sender);
	own->beyond = sender->top;
	own->quiet_from_ps = now_ps;
	sender->timeout_at_ps = now_ps + rt_rc_selective_timeout_ps(sender, params);
	choose_next(sender);
}

/* --- receiver ------------------------------------------------------------- */

uint32_t rt_rc_selective_fill(struct rt_rc_receiver *receiver)
{
	uint32_t more = 0;

	while (receiver->held_count &&
	       bit_of(receiver->held, receiver->held_mask, receiver->expected_psn)) {
		set_bit(receiver->held, receiver->held_mask, receiver->expected_psn,
			false);
		receiver->expected_psn = (receiver->expected_psn + 1) & RT_PSN_MASK;
		receiver->held_count--;
		more++;
	}
	return more;
}

struct rt_rc_reply rt_rc_selective_ahead(struct rt_rc_receiver *receiver, uint32_t psn)
{
	const uint32_t distance = rt_psn_distance(psn, receiver->expected_psn);
	struct rt_rc_reply reply = { .kind = RT_RC_NAK, .psn = receiver->expected_psn };

	/* Beyond what can be kept, as no sender that keeps its window sends it. */
	if (distance > receiver->held_mask)
		return reply;
	reply.ahead = distance;
	receiver->unacked = 0;
	if (bit_of(receiver->held, receiver->held_mask, psn)) {
		reply.duplicate = true;
		return reply;
	}
	set_bit(receiver->held, receiver->held_mask, psn, true);
	receiver->held_count++;
	return reply;
}
