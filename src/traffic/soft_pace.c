/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_pace.c - who may send when: the port's rate, pauses, each queue pair's reaction
 * point and the rate its user allows.
 *
 * A process wakes later than it asked for.  What it could not send meanwhile it sends
 * then, but no more than a credit's worth, so that rates are kept on average and a
 * burst stays small.
 */
#include "traffic/soft_state.h"

#define CREDIT_PS     (500 * RT_PS_PER_US) /* of the port and of reaction points */
#define CAP_CREDIT_PS (20 * RT_PS_PER_MS)  /* of the user's rate, an average */
#define FCS_BYTES     4
#define HEADER_BYTES  118 /* at most: Ethernet, VLAN, IPv6, UDP, BTH, RETH, ICRC */
#define QUANTUM_PS    UINT64_C(512000000000000) /* 512 bits at 1 b/s (31B.2) */
#define BITS_PS       UINT64_C(8000000000000)   /* of a byte at 1 b/s */

/* For frames, whose bytes times BITS_PS fit in 64 bits. */
static uint64_t wire_ps(uint64_t bytes, uint64_t rate_bps)
{
	return bytes * BITS_PS / rate_bps;
}

static uint32_t wire_bytes(const struct rt_soft *soft, size_t frame_bytes)
{
	return (uint32_t)frame_bytes + FCS_BYTES + soft->laws.wire.lead_bytes +
	       soft->laws.wire.gap_bytes;
}

/* When something that should have begun at due_ps is taken to have begun. */
static uint64_t begun_ps(const struct rt_soft *soft, uint64_t due_ps,
			 uint64_t credit_ps)
{
	const uint64_t least_ps = soft->now_ps > credit_ps ? soft->now_ps - credit_ps
							   : 0;

	return due_ps > least_ps ? due_ps : least_ps;
}

/* --- pauses --------------------------------------------------------------- */

bool rt_soft_is_paused(const struct rt_soft *soft, unsigned prio)
{
	return soft->now_ps < soft->prios[prio].paused.until_ps;
}

static uint64_t lasted_ps(const struct rt_soft_pauses *pauses, uint64_t now_ps)
{
	const uint64_t until_ps = now_ps < pauses->until_ps ? now_ps : pauses->until_ps;

	return pauses->sum_ps +
	       (until_ps > pauses->from_ps ? until_ps - pauses->from_ps : 0);
}

uint64_t rt_soft_paused_ps(const struct rt_soft *soft, unsigned prio)
{
	return lasted_ps(&soft->prios[prio].paused, soft->now_ps);
}

/*
 * A pause goes on until the frame that ends it is read, which came before: what was told
 * meanwhile was too much.  It is a counter, and waits until time has caught up with it.
 */
uint64_t rt_soft_asked_ps(struct rt_soft *soft, unsigned prio)
{
	struct rt_soft_prio *p = &soft->prios[prio];
	const uint64_t asked_ps = lasted_ps(&p->asked, soft->now_ps);

	if (asked_ps > p->told_ps)
		p->told_ps = asked_ps;
	return p->told_ps;
}

/*
 * A pause lasts from now on, whatever was left of one before; 0 ends it (802.1Q 36.1.3).
 */
static void begin_pause(struct rt_soft_pauses *pauses, uint64_t now_ps,
			uint64_t pause_ps)
{
	pauses->sum_ps = lasted_ps(pauses, now_ps);
	pauses->from_ps = now_ps;
	pauses->until_ps = now_ps + pause_ps;
}

void rt_soft_pause(struct rt_soft *soft, unsigned prio, uint16_t quanta,
		   uint64_t came_ps)
{
	struct rt_soft_prio *p = &soft->prios[prio];
	const uint64_t pause_ps = (uint64_t)((unsigned __int128)quanta * QUANTUM_PS /
					     soft->config.line_rate_bps);

	begin_pause(&p->paused, soft->now_ps, pause_ps);
	/* Frames of a link keep their order, whatever a clock says. */
	if (came_ps < p->asked.from_ps)
		came_ps = p->asked.from_ps;
	begin_pause(&p->asked, came_ps, pause_ps);
}

/* --- the pace of a queue pair ----------------------------------------------- */

/* How long a send at at_ps would have to wait for the next burst; 0: it is in one. */
static uint64_t silent_ps(const struct rt_soft *soft, const struct rt_soft_qp *qp,
			  uint64_t at_ps)
{
	const uint64_t on_ps = qp->flow.on_ns * RT_PS_PER_NS;
	const uint64_t period_ps = on_ps + qp->flow.off_ns * RT_PS_PER_NS;
	const int64_t start_ns = soft->epoch_ns + (int64_t)qp->flow.start_ns -
				 soft->origin_ns;
	const uint64_t start_ps = start_ns > 0 ? (uint64_t)start_ns * RT_PS_PER_NS : 0;
	uint64_t phase_ps;

	if (!qp->flow.off_ns || at_ps < start_ps)
		return 0;
	phase_ps = (at_ps - start_ps) % period_ps;
	return phase_ps < on_ps ? 0 : period_ps - phase_ps;
}

/* Silence between bursts moves a send to the next burst. */
static void keep_bursts(const struct rt_soft *soft, struct rt_soft_qp *qp)
{
	const uint64_t wait_ps = silent_ps(soft, qp, qp->next_ps);

	if (!wait_ps)
		return;
	qp->next_ps += wait_ps;
	qp->capped_ps = qp->next_ps; /* silence is no credit */
}

bool rt_soft_is_last_before_silence(const struct rt_soft *soft,
				    const struct rt_soft_qp *qp)
{
	const uint64_t next_ps = begun_ps(soft, qp->next_ps, CREDIT_PS);
	uint64_t gap_ps = wire_ps(wire_bytes(soft, qp->mtu_bytes + HEADER_BYTES),
				  qp->rp.rate_bps);

	if (qp->flow.rate_bps) {
		const uint64_t capped_ps = begun_ps(soft, qp->capped_ps,
						    CAP_CREDIT_PS) +
					   wire_ps(qp->mtu_bytes, qp->flow.rate_bps);

		if (capped_ps > next_ps && capped_ps - next_ps > gap_ps)
			gap_ps = capped_ps - next_ps;
	}
	return silent_ps(soft, qp, next_ps + gap_ps) ||
	       (soft->rc.timeout_ps && gap_ps > soft->rc.timeout_ps / 2);
}

static void pace(const struct rt_soft *soft, struct rt_soft_qp *qp)
{
	qp->next_ps = qp->sent_ps + wire_ps(qp->sent_bytes, qp->rp.rate_bps);
	if (qp->next_ps < qp->capped_ps)
		qp->next_ps = qp->capped_ps;
	keep_bursts(soft, qp);
}

static void get_in_line(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	struct rt_soft_prio *prio = &soft->prios[qp->flow.prio];

	qp->ready = true;
	qp->next_ready = RT_SOFT_NONE;
	qp->paused_from_ps = rt_soft_paused_ps(soft, qp->flow.prio);
	if (prio->ready_first == RT_SOFT_NONE)
		prio->ready_first = qp->index;
	else
		soft->qps[prio->ready_last]->next_ready = qp->index;
	prio->ready_last = qp->index;
}

void rt_soft_may_send(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->ready)
		return;
	if (!qp->role->can_send(soft, qp)) {
		qp->idle = true;
		return;
	}
	if (qp->idle && qp->next_ps < soft->now_ps) {
		qp->next_ps = soft->now_ps;
		keep_bursts(soft, qp);
	}
	qp->idle = false;
	if (qp->next_ps > soft->now_ps) {
		rt_soft_timer_set(soft, qp, RT_SOFT_SEND, qp->next_ps);
		return;
	}
	rt_soft_timer_set(soft, qp, RT_SOFT_SEND, RT_PS_NEVER);
	get_in_line(soft, qp);
}

static struct rt_soft_qp *take_from(struct rt_soft *soft, unsigned prio)
{
	struct rt_soft_prio *p = &soft->prios[prio];

	while (p->ready_first != RT_SOFT_NONE) {
		struct rt_soft_qp *qp = soft->qps[p->ready_first];

		p->ready_first = qp->next_ready;
		qp->ready = false;
		qp->stats.paused_ps += rt_soft_paused_ps(soft, prio) -
				       qp->paused_from_ps;
		if (qp->next_ps <= soft->now_ps && qp->role->can_send(soft, qp))
			return qp;
		rt_soft_may_send(soft, qp); /* its rate fell while it stood there */
	}
	return NULL;
}

struct rt_soft_qp *rt_soft_take(struct rt_soft *soft)
{
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++) {
		const unsigned prio = (soft->turn + i) % RT_PRIO_COUNT;
		struct rt_soft_qp *qp;

		if (soft->prios[prio].ready_first == RT_SOFT_NONE ||
		    rt_soft_is_paused(soft, prio))
			continue;
		qp = take_from(soft, prio);
		if (!qp)
			continue;
		soft->turn = (prio + 1) % RT_PRIO_COUNT;
		return qp;
	}
	return NULL;
}

void rt_soft_occupy(struct rt_soft *soft, size_t frame_bytes)
{
	soft->free_ps = begun_ps(soft, soft->free_ps, CREDIT_PS) +
			wire_ps(wire_bytes(soft, frame_bytes),
				soft->config.line_rate_bps);
}

uint64_t rt_soft_port_next_ps(const struct rt_soft *soft)
{
	uint64_t next_ps = RT_PS_NEVER;

	for (unsigned i = 0; i < RT_PRIO_COUNT; i++) {
		const struct rt_soft_prio *prio = &soft->prios[i];

		if (prio->ready_first == RT_SOFT_NONE &&
		    prio->control_first == RT_SOFT_NONE)
			continue;
		if (prio->paused.until_ps < next_ps)
			next_ps = prio->paused.until_ps;
	}
	if (rt_soft_drain_next_ps(soft) < next_ps)
		next_ps = rt_soft_drain_next_ps(soft);
	return next_ps < soft->free_ps ? soft->free_ps : next_ps;
}

/* --- the reaction point ------------------------------------------------------- */

/* Do what a change of it asks for: enum rt_rp_change bits. */
static void apply(struct rt_soft *soft, struct rt_soft_qp *qp, unsigned change)
{
	if (change & RT_RP_ARM_INCREASE)
		rt_soft_timer_set(soft, qp, RT_SOFT_INCREASE, qp->rp.increase_at_ps);
	if (change & RT_RP_ARM_DECREASE)
		rt_soft_timer_set(soft, qp, RT_SOFT_DECREASE, qp->rp.decrease_at_ps);
	if (!(change & RT_RP_RATE) || !qp->sent_bytes)
		return;
	pace(soft, qp);
	rt_soft_may_send(soft, qp);
}

void rt_soft_congested(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	if (qp->state == RT_QP_STOPPED || soft->laws.options & RT_MODEL_NO_CC) {
		soft->port.cnps_ignored++;
		return;
	}
	if (soft->laws.rp.reaction != RT_RP_MLX)
		qp->stats.cuts++;
	apply(soft, qp, rt_rp_on_cnp(&qp->rp, &soft->laws.rp, soft->now_ps));
}

/* Both are called late; by the time they were due, rates rise as often as they should. */
void rt_soft_increase(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	apply(soft, qp,
	      rt_rp_on_increase(&qp->rp, &soft->laws.rp, qp->rp.increase_at_ps));
}

void rt_soft_decrease(struct rt_soft *soft, struct rt_soft_qp *qp)
{
	qp->stats.cuts += qp->rp.cut_due;
	apply(soft, qp,
	      rt_rp_on_decrease(&qp->rp, &soft->laws.rp, qp->rp.decrease_at_ps));
}

void rt_soft_sent(struct rt_soft *soft, struct rt_soft_qp *qp, size_t frame_bytes,
		  uint32_t payload_bytes)
{
	unsigned change = 0;

	rt_soft_occupy(soft, frame_bytes);
	if (qp->role->sends_data) {
		qp->sent_ps = begun_ps(soft, qp->next_ps, CREDIT_PS);
		qp->sent_bytes = wire_bytes(soft, frame_bytes);
		if (qp->flow.rate_bps)
			qp->capped_ps = begun_ps(soft, qp->capped_ps, CAP_CREDIT_PS) +
					wire_ps(payload_bytes, qp->flow.rate_bps);
		pace(soft, qp);
		change = rt_rp_on_bytes_sent(&qp->rp, &soft->laws.rp,
					     (uint32_t)frame_bytes + FCS_BYTES);
	}
	rt_soft_may_send(soft, qp);
	if (change)
		apply(soft, qp, change);
}
