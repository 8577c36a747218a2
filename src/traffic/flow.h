/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.h - what one queue pair of a stress run is to do, and what became of it.
 *
 * The root of a run makes all flows from the pattern and hands each rank those it
 * sends or receives; both ends get the same row.  Rows and reports travel as records
 * (base/record.h), so that a rank needs neither scenario nor profile.  Times are
 * nanoseconds from the common start of the run unless a name says otherwise.
 */
#ifndef RT_TRAFFIC_FLOW_H
#define RT_TRAFFIC_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "rocetune/field.h"
#include "rocetune/scenario.h"

struct rt_rng;

struct rt_traffic_flow {
	uint32_t flow;     /* number of it in the run, from 0 */
	uint32_t from, to; /* ranks */
	uint32_t workload; /* which of the scenario's */
	bool victim;
	unsigned op;                 /* enum rt_traffic_op of rocetune/scenario.h */
	uint64_t message_bytes;      /* without a list of sizes */
	struct rt_size_point *sizes; /* owned; NULL: all of message_bytes */
	size_t size_count;
	uint32_t outstanding; /* most messages posted and not completed */
	uint64_t total_bytes; /* payload to send; 0: until stop_ns */
	uint64_t rate_bps;    /* most payload, paced in software; 0: no cap */
	/*
	 * rate_bps is what this share of the sender's link leaves for payload, which is
	 * known when that link is: 0 until then.  0: it is as it stands.
	 */
	uint64_t rate_share_ppb;
	uint64_t start_ns, stop_ns;
	uint64_t on_ns, off_ns; /* bursts; off 0: none */
	uint8_t dscp, ecn;      /* enum rt_ecn; both as in the IP header */
	uint8_t prio;           /* that the DSCP maps to on the path */
	uint16_t udp_sport;     /* 0: the engine's own choice */
};

extern const struct rt_table rt_traffic_flow_table;
void rt_traffic_flow_free(struct rt_traffic_flow *flow);

/* With a list of sizes of its own, to be freed.  -ENOMEM: *ret_flow can be freed, too. */
int rt_traffic_flow_copy(const struct rt_traffic_flow *flow,
			 struct rt_traffic_flow *ret_flow);

/* The largest message that it may send, in bytes; 0: all are empty. */
uint64_t rt_traffic_flow_largest(const struct rt_traffic_flow *flow);

/*
 * Of the message that is next, of which so many bytes were posted before; 0: all was.  rng
 * draws where there is a list of sizes.
 */
uint64_t rt_traffic_flow_next_bytes(const struct rt_traffic_flow *flow,
				    uint64_t posted_bytes, struct rt_rng *rng);

/* What the other end must know of a queue pair to connect to it. */
struct rt_qp_address {
	uint32_t flow;
	uint32_t qpn, psn; /* 24 bits each; psn: the first this end sends */
	struct rt_ip ip;
	uint8_t mac[6];     /* of the interface; all 0: not told (verbs) */
	uint32_t mtu_bytes; /* path MTU this end allows */
	uint64_t va;        /* registered memory the peer may write or read, */
	uint64_t region_bytes;
	uint32_t rkey;
	uint8_t reads;    /* RDMA READs it answers at a time; 0: not told */
	uint16_t cm_port; /* that it listens at (librdmacm); 0: it does not */
	/* What its link leaves to a flow that is a share of it; 0: as the flow says. */
	uint64_t rate_bps;
};

/* Who drives a flow and is not its sender learns the cap of peer, the sender's end. */
static inline void rt_traffic_flow_heed(struct rt_traffic_flow *flow,
					const struct rt_qp_address *peer)
{
	if (peer->rate_bps)
		flow->rate_bps = peer->rate_bps;
}

extern const struct rt_table rt_qp_address_table;

enum rt_qp_state {
	RT_QP_WAITING, /* not started */
	RT_QP_RUNNING,
	RT_QP_DONE,    /* stopped as asked, or total_bytes sent */
	RT_QP_STOPPED, /* an error ended it: error, error_ns */
};

extern const struct rt_name rt_qp_state_names[];

/*
 * One end of a flow; the sender's and the receiver's are merged into one row of the
 * report.  What an engine cannot know stays unknown: a NIC does not tell frames.
 */
struct rt_qp_totals {
	unsigned state; /* enum rt_qp_state */
	/*
	 * Payload: sender acknowledged, receiver in order.  Unknown at the end that
	 * verbs do not tell: who is written to (without immediate), who is read from.
	 */
	struct rt_opt_u64 bytes, messages;
	struct rt_opt_u64 first_ns, last_ns; /* of the first and last payload byte */
	struct rt_opt_u64 data_frames_tx, data_frames_rx;
	struct rt_opt_u64 data_frames_retransmitted, frame_sequence_error;
	struct rt_opt_u64 ecn_ce_rx, cnp_tx, cnp_rx, ack_tx, ack_rx, nak_tx, nak_rx;
	struct rt_opt_u64 timeouts, rate_cuts, rate_bps; /* the last: now */
	struct rt_opt_u64 paused_ns; /* this QP could not send for PFC */
	char error[48];              /* the verbs name: "IBV_WC_RETRY_EXC_ERR"; "" */
	struct rt_opt_u64 error_ns;  /* when */
};

extern const struct rt_table rt_qp_totals_table;

#endif
