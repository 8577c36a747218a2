/* SPDX-License-Identifier: BSD-2-Clause */
/* rc.c - acknowledgement, NAK and time-out of RC transport. */
#include "cc/rc.h"

void rt_rc_sender_init(struct rt_rc_sender *sender, uint32_t first_psn)
{
	*sender = (struct rt_rc_sender){
		.timeout_at_ps = RT_PS_NEVER,
		.first_psn = first_psn & RT_PSN_MASK,
	};
}

/* Everything below sequence arrived; restarts the time-out when that is news. */
static unsigned advance(struct rt_rc_sender *sender, const struct rt_rc_params *params,
			uint64_t sequence, uint64_t now_ps)
{
	const bool armed = sender->timeout_at_ps != RT_PS_NEVER;
	const uint64_t before = sender->acked;
	unsigned events = RT_RC_PROGRESS;

	sender->acked = sequence;
	sender->retries = 0;
	if (sender->next < sequence)
		sender->next = sequence;
	sender->timeout_at_ps = RT_PS_NEVER;
	if (sequence == sender->posted)
		events |= RT_RC_IDLE;
	if (sequence != sender->top && params->timeout_ps) {
		sender->timeout_at_ps = now_ps + params->timeout_ps;
		events |= armed ? 0 : RT_RC_TIMER;
	}
	if (!sender->selective)
		return events;
	rt_rc_selective_acked(sender, params, before, now_ps);
	/* With few in flight the time-out is short: it may be due earlier now. */
	return events | (sender->timeout_at_ps != RT_PS_NEVER ? RT_RC_TIMER : 0);
}

unsigned rt_rc_on_ack(struct rt_rc_sender *sender, const struct rt_rc_params *params,
		      uint32_t psn, uint64_t now_ps)
{
	const uint32_t beyond = rt_psn_distance(psn + 1,
						rt_rc_psn(sender, sender->acked));

	if (sender->failed || !beyond || beyond > sender->top - sender->acked)
		return RT_RC_NOTHING;
	return advance(sender, params, sender->acked + beyond, now_ps);
}

/* One more try without progress, or the end. */
static unsigned retry(struct rt_rc_sender *sender, const struct rt_rc_params *params,
		      uint64_t now_ps)
{
	if (sender->retries >= params->retry_limit) {
		sender->failed = true;
		sender->timeout_at_ps = RT_PS_NEVER;
		return RT_RC_FAILED;
	}
	sender->retries++;
	if (sender->selective) {
		rt_rc_selective_timed_out(sender, params, now_ps);
		return RT_RC_GO_BACK | RT_RC_TIMER;
	}
	sender->next = sender->acked;
	if (!params->timeout_ps)
		return RT_RC_GO_BACK;
	sender->timeout_at_ps = now_ps + params->timeout_ps;
	return RT_RC_GO_BACK | RT_RC_TIMER;
}

/*
 * psn may be behind what is acknowledged by now, and what came ahead of it still be
 * news: PSNs below acked are at a distance beyond top.
 */
static unsigned on_sack(struct rt_rc_sender *sender, const struct rt_rc_params *params,
			uint32_t psn, uint32_t ahead, uint64_t now_ps)
{
	const uint32_t acked_psn = rt_rc_psn(sender, sender->acked);
	const uint32_t arrived = rt_psn_distance(psn, acked_psn);
	const uint32_t sacked = rt_psn_distance(psn + ahead, acked_psn);
	const uint64_t sequence = sender->acked + sacked;
	unsigned events = RT_RC_NOTHING;

	if (sender->failed)
		return RT_RC_NOTHING;
	if (arrived && arrived < sender->top - sender->acked)
		events = advance(sender, params, sender->acked + arrived, now_ps);
	if (ahead && sequence < sender->top)
		events |= rt_rc_selective_nak(sender, sequence);
	return events;
}

unsigned rt_rc_on_nak(struct rt_rc_sender *sender, const struct rt_rc_params *params,
		      uint32_t psn, uint32_t ahead, uint64_t now_ps)
{
	const uint32_t arrived = rt_psn_distance(psn, rt_rc_psn(sender, sender->acked));
	unsigned events = RT_RC_NOTHING;

	if (sender->selective)
		return on_sack(sender, params, psn, ahead, now_ps);
	if (sender->failed || arrived >= sender->top - sender->acked)
		return RT_RC_NOTHING;
	if (!arrived)
		return retry(sender, params, now_ps);
	events = advance(sender, params, sender->acked + arrived, now_ps);
	sender->next = sender->acked;
	return events | RT_RC_GO_BACK;
}

unsigned rt_rc_on_timeout(struct rt_rc_sender *sender,
			  const struct rt_rc_params *params, uint64_t now_ps)
{
	if (sender->timeout_at_ps == RT_PS_NEVER)
		return RT_RC_NOTHING;
	if (now_ps >= sender->timeout_at_ps && sender->selective)
		sender->timeout_at_ps = sender->selective->quiet_from_ps +
					rt_rc_selective_timeout_ps(sender, params);
	if (now_ps < sender->timeout_at_ps)
		return RT_RC_TIMER;
	return retry(sender, params, now_ps);
}

struct rt_rc_reply rt_rc_out_of_order(struct rt_rc_receiver *receiver,
				      const struct rt_rc_params *params, uint32_t psn,
				      uint64_t now_ps)
{
	struct rt_rc_reply reply = { .kind = RT_RC_SILENT,
				     .psn = receiver->expected_psn };

	if (!rt_psn_ahead(psn, receiver->expected_psn)) {
		reply.duplicate = true;
		reply.kind = RT_RC_ACK;
		reply.psn = (receiver->expected_psn - 1) & RT_PSN_MASK;
		receiver->unacked = 0;
		return reply;
	}
	if (receiver->held)
		return rt_rc_selective_ahead(receiver, psn);
	if (receiver->nak_again_at_ps && now_ps < receiver->nak_again_at_ps)
		return reply;
	receiver->nak_again_at_ps = params->nak_repeat_ps
					    ? now_ps + params->nak_repeat_ps
					    : RT_PS_NEVER;
	receiver->unacked = 0;
	reply.kind = RT_RC_NAK;
	return reply;
}
