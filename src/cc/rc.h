/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rc.h - reliable connection transport of InfiniBand and RoCE: packet sequence
 * numbers, coalesced acknowledgement, NAK on a sequence error, time-out, and two ways
 * to recover from loss: go-back-N, and selective repeat.
 *
 * InfiniBand Architecture Specification volume 1, chapter 9.7 (reliable service)
 * and 9.7.5 (responder).  Packets are counted by 64-bit sequence numbers inside and
 * by 24-bit PSNs on the wire; at most 2^23 - 1 packets may be unacknowledged, so
 * that a PSN is never ambiguous.
 *
 * Pure; the caller keeps one timer a queue pair.  timeout_at_ps moves with every
 * acknowledgement, later or off and never earlier: a timer that runs is left to fire at
 * its old time, and rt_rc_on_timeout() says whether it was due and whether to arm it
 * again.  Arm it for rt_rc_send() and RT_RC_TIMER only when it does not run.
 */
#ifndef RT_CC_RC_H
#define RT_CC_RC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cc/ps.h"

#define RT_PSN_MASK      0xffffffu
#define RT_RC_WINDOW_MAX ((1u << 23) - 1)

/* a - b on the circle of PSNs: below 0x800000 a is b or ahead of it. */
static inline uint32_t rt_psn_distance(uint32_t a, uint32_t b)
{
	return (a - b) & RT_PSN_MASK;
}

static inline bool rt_psn_ahead(uint32_t a, uint32_t b)
{
	return rt_psn_distance(a, b) - 1 < 0x7fffff;
}

/* What a sender does about loss, and a receiver about what comes too early. */
enum rt_rc_recovery {
	RT_RC_GO_BACK_N,        /* sends again from the gap on; drops (the standard) */
	RT_RC_SELECTIVE_REPEAT, /* sends again what is missing; keeps (IRN) */
};

/* Most packets of a window under selective repeat: the size of its bitmaps. */
#define RT_RC_SELECTIVE_MAX 8192u

struct rt_rc_params {
	enum rt_rc_recovery recovery;
	uint32_t window_packets; /* most unacknowledged; 0 or too large: _MAX */
	uint32_t ack_every;      /* receiver: an ACK after so many packets; 0: only
				    when the packet asks or a message ends */
	uint32_t retry_limit;    /* retries without progress; one more is failure */
	uint64_t timeout_ps;     /* 0: no time-out */
	uint64_t nak_repeat_ps;  /* 0: one NAK an episode (the standard) */
	uint64_t timeout_low_ps; /* selective repeat: while fewer than */
	uint32_t timeout_low_packets; /* these are in flight; 0: timeout_ps always */
};

/* Local ACK Timeout: 4.096 us * 2^code; code 0 is none, 31 the largest. */
static inline uint64_t rt_rc_timeout_ps(unsigned code)
{
	return code ? 4096000ull << (code & 31) : 0;
}

/* --- sender --------------------------------------------------------------- */

/*
 * Selective repeat's part of a sender, of the caller, zeroed.  sacked holds
 * rt_rc_bitmap_bits() bits and mask is one less than these.
 */
struct rt_rc_selective {
	uint64_t *sacked; /* bit of a sequence number: it arrived, beyond acked */
	uint32_t mask;
	bool recovering;
	uint64_t recover;       /* until all below is acknowledged */
	uint64_t resend;        /* no missing packet below was not resent */
	uint64_t beyond;        /* what is missing below this is lost: one past the
				   highest that arrived, or that timed out */
	uint64_t quiet_from_ps; /* the time-out counts from here */
};

struct rt_rc_sender {
	uint64_t next;   /* to be sent next; goes back on a NAK or time-out */
	uint64_t acked;  /* every sequence number below is acknowledged */
	uint64_t top;    /* every one below was sent at least once */
	uint64_t posted; /* one past the last that there is to send */
	uint64_t timeout_at_ps;
	uint32_t first_psn; /* PSN of sequence number 0 */
	uint16_t retries;   /* since the last progress */
	bool failed;        /* retries ran out: the queue pair is in error */
	struct rt_rc_selective *selective; /* borrowed; NULL under go-back-N */
};

/* Bits for a window: a power of two, 64 to RT_RC_SELECTIVE_MAX. */
uint32_t rt_rc_bitmap_bits(uint32_t window_packets);

enum rt_rc_event {
	RT_RC_NOTHING = 0,
	RT_RC_PROGRESS = 1 << 0, /* acked moved */
	RT_RC_GO_BACK = 1 << 1,  /* next moved back: there is something to send */
	RT_RC_IDLE = 1 << 2,     /* everything posted is acknowledged */
	RT_RC_FAILED = 1 << 3,
	RT_RC_TIMER = 1 << 4, /* arm the timer at timeout_at_ps (RT_PS_NEVER: none) */
};

void rt_rc_sender_init(struct rt_rc_sender *sender, uint32_t first_psn);

static inline uint32_t rt_rc_psn(const struct rt_rc_sender *sender, uint64_t sequence)
{
	return (uint32_t)(sequence + sender->first_psn) & RT_PSN_MASK;
}

static inline void rt_rc_post(struct rt_rc_sender *sender, uint64_t packets)
{
	sender->posted += packets;
}

/* Something is to be sent and the window lets it. */
static inline bool rt_rc_can_send(const struct rt_rc_sender *sender,
				  const struct rt_rc_params *params)
{
	const uint64_t window = params->window_packets - 1 < RT_RC_WINDOW_MAX
					? params->window_packets
					: RT_RC_WINDOW_MAX;

	return sender->next < sender->posted && sender->next - sender->acked < window &&
	       !sender->failed;
}

/* Not for callers: rc_selective.c. */
uint64_t rt_rc_selective_timeout_ps(const struct rt_rc_sender *sender,
				    const struct rt_rc_params *params);
void rt_rc_selective_sent(struct rt_rc_sender *sender,
			  const struct rt_rc_params *params, uint64_t sequence,
			  uint64_t now_ps);
void rt_rc_selective_acked(struct rt_rc_sender *sender,
			   const struct rt_rc_params *params, uint64_t before,
			   uint64_t now_ps);
unsigned rt_rc_selective_nak(struct rt_rc_sender *sender, uint64_t sacked);
void rt_rc_selective_timed_out(struct rt_rc_sender *sender,
			       const struct rt_rc_params *params, uint64_t now_ps);

/*
 * Take the next packet (rt_rc_can_send() holds) and return its sequence number.
 * *ret_resent: it was sent before.  When timeout_at_ps was RT_PS_NEVER it becomes a
 * deadline to arm.
 */
static inline uint64_t rt_rc_send(struct rt_rc_sender *sender,
				  const struct rt_rc_params *params, uint64_t now_ps,
				  bool *ret_resent)
{
	const uint64_t sequence = sender->next++;

	*ret_resent = sequence < sender->top;
	if (sequence == sender->top)
		sender->top++;
	if (__builtin_expect(sender->selective != NULL, 0))
		rt_rc_selective_sent(sender, params, sequence, now_ps);
	else if (params->timeout_ps && sender->timeout_at_ps == RT_PS_NEVER)
		sender->timeout_at_ps = now_ps + params->timeout_ps;
	return sequence;
}

/*
 * Whether the packet just taken must ask for an ACK (its AckReq bit): none can follow
 * it before one comes.  A receiver that coalesces more packets than the window holds
 * would otherwise wait for ever.
 */
static inline bool rt_rc_asks_ack(const struct rt_rc_sender *sender,
				  const struct rt_rc_params *params)
{
	return !rt_rc_can_send(sender, params);
}

/*
 * ACK: psn and everything before it arrived.  What was never sent or is old counts
 * for nothing.  Returns enum rt_rc_event bits.
 */
unsigned rt_rc_on_ack(struct rt_rc_sender *sender, const struct rt_rc_params *params,
		      uint32_t psn, uint64_t now_ps);

/*
 * NAK, PSN sequence error: psn is missing, everything before it arrived.  Go-back-N
 * sends again from there; a NAK without progress counts as a retry.  Selective repeat
 * also learns that the packet ahead of psn by so many arrived, and sends again what is
 * missing below it (RT_RC_GO_BACK, too, when that is to be sent).
 */
unsigned rt_rc_on_nak(struct rt_rc_sender *sender, const struct rt_rc_params *params,
		      uint32_t psn, uint32_t ahead, uint64_t now_ps);

/*
 * The caller's timer has fired.  Not due any more: RT_RC_TIMER and the new
 * timeout_at_ps.  Due: everything unacknowledged is sent again (RT_RC_GO_BACK), under
 * selective repeat but for what is known to have arrived, or RT_RC_FAILED after
 * retry_limit retries.
 */
unsigned rt_rc_on_timeout(struct rt_rc_sender *sender,
			  const struct rt_rc_params *params, uint64_t now_ps);

/* --- receiver ------------------------------------------------------------- */

struct rt_rc_receiver {
	uint32_t expected_psn;
	uint32_t unacked;         /* packets since the last ACK */
	uint64_t nak_again_at_ps; /* in an episode: no NAK before; else 0 */
	/* Selective repeat: what is kept beyond expected_psn, of the caller, zeroed. */
	uint64_t *held; /* rt_rc_bitmap_bits() bits; NULL under go-back-N */
	uint32_t held_mask, held_count;
};

enum rt_rc_reply_kind {
	RT_RC_SILENT,
	RT_RC_ACK,
	RT_RC_NAK
};

struct rt_rc_reply {
	enum rt_rc_reply_kind kind;
	uint32_t psn;       /* of the ACK or NAK */
	uint32_t ahead;     /* NAK of selective repeat: what came is psn + ahead */
	uint32_t delivered; /* packets in order by this one: it, and what was kept */
	bool duplicate;     /* it had arrived before */
};

static inline void rt_rc_receiver_init(struct rt_rc_receiver *receiver,
				       uint32_t first_psn)
{
	receiver->expected_psn = first_psn & RT_PSN_MASK;
	receiver->unacked = 0;
	receiver->nak_again_at_ps = 0;
	receiver->held = NULL;
	receiver->held_mask = receiver->held_count = 0;
}

/* Not for callers: rc_selective.c; and a packet that was not expected. */
uint32_t rt_rc_selective_fill(struct rt_rc_receiver *receiver);
struct rt_rc_reply rt_rc_selective_ahead(struct rt_rc_receiver *receiver, uint32_t psn);
struct rt_rc_reply rt_rc_out_of_order(struct rt_rc_receiver *receiver,
				      const struct rt_rc_params *params, uint32_t psn,
				      uint64_t now_ps);

/*
 * A request packet has come.  wants_ack: its AckReq bit, or the end of a message.
 */
static inline struct rt_rc_reply rt_rc_on_data(struct rt_rc_receiver *receiver,
					       const struct rt_rc_params *params,
					       uint32_t psn, bool wants_ack,
					       uint64_t now_ps)
{
	struct rt_rc_reply reply = { .kind = RT_RC_SILENT, .psn = psn, .delivered = 1 };

	if (psn != receiver->expected_psn)
		return rt_rc_out_of_order(receiver, params, psn, now_ps);
	receiver->expected_psn = (psn + 1) & RT_PSN_MASK;
	receiver->nak_again_at_ps = 0;
	receiver->unacked++;
	if (__builtin_expect(receiver->held_count, 0)) {
		reply.delivered += rt_rc_selective_fill(receiver);
		reply.psn = (receiver->expected_psn - 1) & RT_PSN_MASK;
		wants_ack = true; /* that the gap is closed is news */
	}
	if (wants_ack || receiver->unacked == params->ack_every) {
		receiver->unacked = 0;
		reply.kind = RT_RC_ACK;
	}
	return reply;
}

#endif
