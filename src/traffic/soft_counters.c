/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_counters.c - what a NIC in the place of the soft endpoints would count. */
#include <errno.h>
#include <stdio.h>

#include "model/counters.h"
#include "traffic/soft_state.h"

/* One after the other, in the order of the catalogue; the first error stays. */
struct filling {
	struct rt_counter_set *set;
	int r;
};

static void put(struct filling *to, enum rt_counter_id id, unsigned prio,
		uint64_t value)
{
	struct rt_counter_reading reading = { .counter = id,
					      .prio = (uint8_t)prio,
					      .bits = 64,
					      .source = RT_SOURCE_ENGINE,
					      .value = value,
					      .scale = 1 };

	snprintf(reading.name, sizeof(reading.name), "%s", rt_counters[id].name);
	if (to->r == 0)
		to->r = rt_counter_set_add(to->set, &reading);
}

static void put_port(struct filling *to, enum rt_counter_id id, uint64_t value)
{
	put(to, id, RT_COUNTER_NO_PRIO, value);
}

/* A member of each priority. */
static void put_prios(struct filling *to, enum rt_counter_id id,
		      const struct rt_soft_passed *prios, size_t offset)
{
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		put(to, id, i, *(const uint64_t *)((const char *)&prios[i] + offset));
}

/* And their sum. */
static uint64_t sum(const struct rt_soft_passed *prios, size_t offset)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		total += *(const uint64_t *)((const char *)&prios[i] + offset);
	return total;
}

#define PASSED(member_) offsetof(struct rt_soft_passed, member_)

static void put_pauses(const struct rt_soft *soft, struct filling *to)
{
	const struct rt_soft_port_stats *port = &soft->port;

	put_prios(to, RT_COUNTER_PFC_RX_FRAMES, port->prios, PASSED(pause_rx));
	put_port(to, RT_COUNTER_PFC_RX_FRAMES, port->pfc_rx);
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		put(to, RT_COUNTER_PFC_RX_NS, i,
		    rt_soft_asked_ps(soft, i) / RT_PS_PER_NS);
	put_prios(to, RT_COUNTER_PFC_TX_FRAMES, port->prios, PASSED(pause_tx));
	put_port(to, RT_COUNTER_PFC_TX_FRAMES, port->pfc_tx);
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		put(to, RT_COUNTER_PFC_TX_NS, i,
		    rt_soft_pausing_ps(soft, i) / RT_PS_PER_NS);
	put_port(to, RT_COUNTER_PAUSE_RX_FRAMES, port->link_rx);
}

static void put_traffic(const struct rt_soft *soft, struct filling *to)
{
	static const struct {
		enum rt_counter_id id;
		size_t offset;
	} rows[] = {
		{ RT_COUNTER_RX_BYTES, PASSED(rx_bytes) },
		{ RT_COUNTER_RX_FRAMES, PASSED(rx_frames) },
		{ RT_COUNTER_TX_BYTES, PASSED(tx_bytes) },
		{ RT_COUNTER_TX_FRAMES, PASSED(tx_frames) },
	}, rdma[] = {
		{ RT_COUNTER_RDMA_RX_BYTES, PASSED(rx_bytes) },
		{ RT_COUNTER_RDMA_RX_FRAMES, PASSED(rx_frames) },
		{ RT_COUNTER_RDMA_TX_BYTES, PASSED(tx_bytes) },
		{ RT_COUNTER_RDMA_TX_FRAMES, PASSED(tx_frames) },
	};
	const struct rt_soft_passed *prios = soft->port.prios;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_prios(to, rows[i].id, prios, rows[i].offset);
		put_port(to, rows[i].id, sum(prios, rows[i].offset));
	}
	for (size_t i = 0; i < sizeof(rdma) / sizeof(*rdma); i++)
		put_port(to, rdma[i].id, sum(prios, rdma[i].offset));
}

static void add(struct rt_soft_stats *to, const struct rt_soft_stats *from)
{
	to->ce += from->ce;
	to->cnp_tx += from->cnp_tx;
	to->cnp_rx += from->cnp_rx;
	to->out_of_sequence += from->out_of_sequence + from->early;
	to->seq_nak_rx += from->seq_nak_rx;
	to->implied_naks += from->implied_naks;
	to->timeouts += from->timeouts;
	to->duplicates += from->duplicates;
	to->rnr_tx += from->rnr_tx;
	to->rnr_rx += from->rnr_rx;
}

int rt_soft_counters(struct rt_soft *soft, int64_t now_ns, uint64_t ring_drops,
		     struct rt_counter_set *set)
{
	struct filling to = { .set = set };
	struct rt_soft_stats all = { 0 };

	rt_soft_set_now(soft, now_ns);
	for (uint32_t i = 0; i < soft->qp_count; i++)
		add(&all, &soft->qps[i]->stats);
	set->count = 0;
	put_pauses(soft, &to);
	put_traffic(soft, &to);
	put_port(&to, RT_COUNTER_CE_RX, all.ce);
	put_port(&to, RT_COUNTER_CNP_TX, all.cnp_tx);
	put_port(&to, RT_COUNTER_CNP_RX, all.cnp_rx);
	put_port(&to, RT_COUNTER_CNP_HANDLED, all.cnp_rx - soft->port.cnps_ignored);
	put_port(&to, RT_COUNTER_CNP_IGNORED, soft->port.cnps_ignored);
	put_port(&to, RT_COUNTER_OUT_OF_SEQUENCE, all.out_of_sequence);
	put_port(&to, RT_COUNTER_SEQ_NAKS_RX, all.seq_nak_rx);
	put_port(&to, RT_COUNTER_IMPLIED_NAKS, all.implied_naks);
	put_port(&to, RT_COUNTER_ACK_TIMEOUTS, all.timeouts);
	put_port(&to, RT_COUNTER_RETRY_EXCEEDED, soft->port.exceeded);
	put_port(&to, RT_COUNTER_RNR_NAKS_RX, all.rnr_rx);
	put_port(&to, RT_COUNTER_RNR_NAKS_TX, all.rnr_tx);
	put_port(&to, RT_COUNTER_RNR_RETRY_EXCEEDED, 0);
	put_port(&to, RT_COUNTER_DUPLICATES, all.duplicates);
	put_port(&to, RT_COUNTER_OUT_OF_BUFFER, all.rnr_tx);
	put_port(&to, RT_COUNTER_RX_DISCARDS, ring_drops);
	put_prios(&to, RT_COUNTER_RX_BUFFER_DISCARDS, soft->port.prios,
		  PASSED(rx_full));
	put_port(&to, RT_COUNTER_ICRC_ERRORS, soft->strays.bad_icrc);
	if (to.r < 0)
		return to.r;
	set->time_ns = now_ns;
	set->looks[RT_SOURCE_ENGINE] = (struct rt_counter_look){
		.source = RT_SOURCE_ENGINE, .state = RT_LOOK_READ
	};
	set->layout = set->count;
	return 0;
}
