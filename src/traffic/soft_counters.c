/* SPDX-License-Identifier: BSD-2-Clause */
/* soft_counters.c - what a NIC in the place of the soft endpoints would count. */
#include "base/own.h"
#include "model/counters_fill.h"
#include "traffic/soft_state.h"

#define PASSED(member_) offsetof(struct rt_soft_passed, member_)

static uint64_t put_prios(struct rt_counter_fill *to, enum rt_counter_id id,
			  const struct rt_soft_passed *prios, size_t offset)
{
	return rt_counter_put_prios(to, id, prios, sizeof(*prios), offset);
}

static void put_pauses(struct rt_soft *soft, struct rt_counter_fill *to)
{
	const struct rt_soft_port_stats *port = &soft->port;

	put_prios(to, RT_COUNTER_PFC_RX_FRAMES, port->prios, PASSED(pause_rx));
	rt_counter_put_port(to, RT_COUNTER_PFC_RX_FRAMES, port->pfc_rx);
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		rt_counter_put(to, RT_COUNTER_PFC_RX_NS, i,
			       rt_soft_asked_ps(soft, i) / RT_PS_PER_NS);
	put_prios(to, RT_COUNTER_PFC_TX_FRAMES, port->prios, PASSED(pause_tx));
	rt_counter_put_port(to, RT_COUNTER_PFC_TX_FRAMES, port->pfc_tx);
	for (unsigned i = 0; i < RT_PRIO_COUNT; i++)
		rt_counter_put(to, RT_COUNTER_PFC_TX_NS, i,
			       rt_soft_pausing_ps(soft, i) / RT_PS_PER_NS);
	rt_counter_put_port(to, RT_COUNTER_PAUSE_RX_FRAMES, port->link_rx);
}

/* Of the port what its priorities have; all of it is RDMA. */
static void put_traffic(const struct rt_soft *soft, struct rt_counter_fill *to)
{
	static const struct {
		enum rt_counter_id id, rdma;
		size_t offset;
	} rows[] = {
		{ RT_COUNTER_RX_BYTES, RT_COUNTER_RDMA_RX_BYTES, PASSED(rx_bytes) },
		{ RT_COUNTER_RX_FRAMES, RT_COUNTER_RDMA_RX_FRAMES, PASSED(rx_frames) },
		{ RT_COUNTER_TX_BYTES, RT_COUNTER_RDMA_TX_BYTES, PASSED(tx_bytes) },
		{ RT_COUNTER_TX_FRAMES, RT_COUNTER_RDMA_TX_FRAMES, PASSED(tx_frames) },
	};
	uint64_t sums[RT_ARRAY_SIZE(rows)];

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		sums[i] = put_prios(to, rows[i].id, soft->port.prios, rows[i].offset);
		rt_counter_put_port(to, rows[i].id, sums[i]);
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		rt_counter_put_port(to, rows[i].rdma, sums[i]);
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

/* What queue pairs count, of all of them. */
static void put_transport(const struct rt_soft *soft, const struct rt_soft_stats *all,
			  struct rt_counter_fill *to)
{
	const struct {
		enum rt_counter_id id;
		uint64_t value;
	} rows[] = {
		{ RT_COUNTER_CE_RX, all->ce },
		{ RT_COUNTER_CNP_TX, all->cnp_tx },
		{ RT_COUNTER_CNP_RX, all->cnp_rx },
		{ RT_COUNTER_CNP_HANDLED, all->cnp_rx - soft->port.cnps_ignored },
		{ RT_COUNTER_CNP_IGNORED, soft->port.cnps_ignored },
		{ RT_COUNTER_OUT_OF_SEQUENCE, all->out_of_sequence },
		{ RT_COUNTER_SEQ_NAKS_RX, all->seq_nak_rx },
		{ RT_COUNTER_IMPLIED_NAKS, all->implied_naks },
		{ RT_COUNTER_ACK_TIMEOUTS, all->timeouts },
		{ RT_COUNTER_RETRY_EXCEEDED, soft->port.exceeded },
		{ RT_COUNTER_RNR_NAKS_RX, all->rnr_rx },
		{ RT_COUNTER_RNR_NAKS_TX, all->rnr_tx },
		{ RT_COUNTER_RNR_RETRY_EXCEEDED, 0 },
		{ RT_COUNTER_DUPLICATES, all->duplicates },
		{ RT_COUNTER_OUT_OF_BUFFER, all->rnr_tx },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		rt_counter_put_port(to, rows[i].id, rows[i].value);
}

int rt_soft_counters(struct rt_soft *soft, int64_t now_ns, uint64_t ring_drops,
		     struct rt_counter_set *set)
{
	struct rt_counter_fill to = rt_counter_fill_begin(set, RT_SOURCE_ENGINE,
							  now_ns);
	struct rt_soft_stats all = { 0 };

	rt_soft_set_now(soft, now_ns);
	for (uint32_t i = 0; i < soft->qp_count; i++)
		add(&all, &soft->qps[i]->stats);
	put_pauses(soft, &to);
	put_traffic(soft, &to);
	put_transport(soft, &all, &to);
	rt_counter_put_port(&to, RT_COUNTER_RX_DISCARDS, ring_drops);
	put_prios(&to, RT_COUNTER_RX_BUFFER_DISCARDS, soft->port.prios,
		  PASSED(rx_full));
	rt_counter_put_port(&to, RT_COUNTER_ICRC_ERRORS, soft->strays.bad_icrc);
	return rt_counter_fill_end(&to);
}
