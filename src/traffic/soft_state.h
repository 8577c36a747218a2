/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soft_state.h - what the files of the soft endpoints share.  Internal to traffic.
 *
 * soft.c: queue pairs, port, timers; soft_pace.c: who may send when; soft_send.c:
 * messages; soft_frame.c: their bytes; soft_receive.c: what comes in; soft_drain.c and
 * soft_early.c: where an end falls short (traffic/faults.h); soft_counters.c: what it
 * counts.  Time is in picoseconds since rt_soft_new(), as the laws want it; now_ps is
 * that of the call at hand.
 */
#ifndef RT_TRAFFIC_SOFT_STATE_H
#define RT_TRAFFIC_SOFT_STATE_H

#include <string.h>

#include "base/rng.h"
#include "cc/dcqcn.h"
#include "cc/rc.h"
#include "model/fabric_config.h"
#include "traffic/soft.h"
#include "traffic/soft_timers.h"
#include "wire/build.h"

#define RT_SOFT_NONE UINT32_MAX

/* Deadlines of one queue pair. */
enum rt_soft_timer {
	RT_SOFT_SEND,     /* its pace lets it send */
	RT_SOFT_INCREASE, /* rt_rp_on_increase() */
	RT_SOFT_DECREASE,
	RT_SOFT_RTO,
	RT_SOFT_NP,
	RT_SOFT_START, /* of the flow; then its stop */
	RT_SOFT_TIMERS,
};

/* Frames that are sent before data. */
enum rt_soft_control {
	RT_SOFT_REPLY, /* ACK or NAK */
	RT_SOFT_CNP,
	RT_SOFT_CONTROLS,
};

struct rt_soft_message {
	uint64_t first; /* sequence number of its first packet */
	uint64_t posted_ps;
	uint32_t packets, bytes;
};

/* A READ that is being answered. */
struct rt_soft_read {
	uint32_t psn, packets, bytes;
	uint32_t sent; /* packets */
};

struct rt_soft_stats {
	uint64_t bytes, messages;
	uint64_t data_tx, data_rx, resent, out_of_sequence;
	uint64_t ce, cnp_tx, cnp_rx, ack_tx, ack_rx, nak_tx, nak_rx;
	uint64_t timeouts, cuts, paused_ps;
	uint64_t early; /* packets that were kept: no gap */
	uint64_t seq_nak_rx, implied_naks, duplicates, rnr_tx, rnr_rx;
	uint64_t first_ps, last_ps; /* RT_PS_NEVER: no payload yet */
};

struct rt_soft_qp;

/* What one end of a flow does: who asks, and which way data goes. */
struct rt_soft_role {
	bool sends_data, asks;
	/* There is something to send and the window lets it. */
	bool (*can_send)(const struct rt_soft *soft, const struct rt_soft_qp *qp);
	/* Fill in the next packet, which is then sent; returns its payload bytes. */
	uint32_t (*next)(struct rt_soft *soft, struct rt_soft_qp *qp,
			 struct rt_build *packet);
	void (*receive)(struct rt_soft *soft, struct rt_soft_qp *qp,
			const struct rt_frame *frame);
};

extern const struct rt_soft_role rt_soft_writer, rt_soft_sink, rt_soft_reader,
	rt_soft_source;

/* The frame in the middle of a message, of PSN 0: soft_frame.c. */
struct rt_soft_middle {
	uint8_t header[RT_BUILD_HEADER_MAX];
	uint32_t header_bytes, bytes; /* up to the payload; all, without FCS */
	uint32_t icrc;
};

/* What the bytes of the last word of the BTH change in an ICRC. */
struct rt_soft_patch {
	bool made;
	uint32_t change[4][256];
};

/* Opcodes of a message's packets. */
struct rt_soft_opcodes {
	uint8_t first, middle, last, only;
};

extern const struct rt_soft_opcodes rt_soft_opcodes[]; /* by enum rt_traffic_op */

#define RT_SOFT_EARLY_MAX 64u /* packets that are kept beyond a gap; a power of two */

struct rt_soft_qp {
	const struct rt_soft_role *role;
	const struct rt_soft_opcodes *opcodes;
	struct rt_rp rp;
	struct rt_np np;
	struct rt_rc_sender tx;
	struct rt_rc_receiver rx;
	uint32_t index;
	unsigned state; /* enum rt_qp_state */

	/* who sends data: soft_pace.c */
	bool ready;              /* stands in line at the port */
	bool idle;               /* had nothing to send, so its pace is not late */
	uint32_t next_ready;     /* behind it in line */
	uint64_t next_ps;        /* not before */
	uint64_t sent_ps;        /* when the last frame should have begun */
	uint32_t sent_bytes;     /* of it on the wire */
	uint64_t capped_ps;      /* the user's rate: not before */
	uint64_t paused_from_ps; /* the priority's paused time when it got in line */

	/* who asks: messages between done and posted */
	struct rt_soft_message *messages; /* owned ring; NULL: does not ask */
	uint32_t message_mask, outstanding;
	uint64_t done, posted; /* messages */
	uint64_t at;           /* that of the packet that is next */
	uint64_t posted_bytes;
	bool posting;
	bool cut;          /* no packet is sent for the first time any more */
	uint64_t asked;    /* packets below it asked for an answer at the latest */
	uint64_t asked_ps; /* since when an answer is owed: asked is beyond tx.acked */
	bool gap_open;     /* a READ's response is missing and was asked for again */
	struct rt_rng sizes;
	struct rt_histogram *latency; /* owned */

	/* who answers */
	struct rt_rc_reply reply;
	bool reply_not_ready; /* it is a NAK for want of a receive buffer */
	bool not_ready; /* one was sent, and what it is about did not come again */
	struct rt_bth *early; /* owned; NULL: none came yet; by PSN */
	uint64_t early_mask;
	uint32_t messages_in;     /* MSN (IBTA 9.7.5.1.4), 24 bits */
	bool in_message, np_runs; /* a message has begun; a data packet came */
	uint64_t left_bytes;      /* of a WRITE message */
	struct rt_soft_read reads[RT_SOFT_READS_MAX];
	uint32_t read_first, read_count;
	uint32_t read_top_psn; /* no response from it on was sent before */

	bool queued[RT_SOFT_CONTROLS];
	uint32_t next_control[RT_SOFT_CONTROLS];

	struct rt_soft_stats stats;
	const char *error; /* NULL: none */
	uint64_t error_ps;

	bool connected;
	uint32_t mtu_bytes; /* of the path */
	struct rt_build data, control;
	struct rt_soft_middle middle;
	struct rt_qp_address mine, peer;
	struct rt_traffic_flow flow; /* sizes are owned */
};

/* What passed the port by priority; without FCS, pauses not among them. */
struct rt_soft_passed {
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;
	uint64_t pause_rx, pause_tx; /* PFC frames that say something of it */
	uint64_t rx_full;            /* frames that found the buffer full */
};

/* Of the port; what queue pairs count themselves is not here. */
struct rt_soft_port_stats {
	struct rt_soft_passed prios[RT_PRIO_COUNT];
	uint64_t pfc_rx, pfc_tx; /* frames, of whatever priorities */
	uint64_t link_rx;        /* PAUSE frames, of the whole link */
	uint64_t cnps_ignored;   /* there was no rate to be cut */
	uint64_t exceeded;       /* queue pairs whose retries ran out */
};

/* Pauses that follow one another; those that run out end by themselves. */
struct rt_soft_pauses {
	uint64_t until_ps, from_ps;
	uint64_t sum_ps; /* of all before from_ps */
};

/* One priority of the port. */
struct rt_soft_prio {
	uint32_t ready_first, ready_last; /* queue pairs in line */
	/* enum rt_soft_control + RT_SOFT_CONTROLS * queue pair */
	uint32_t control_first, control_last;
	struct rt_soft_pauses paused; /* as it obeys */
	struct rt_soft_pauses asked;  /* as it was asked to */
	uint64_t told_ps;             /* the most that was told of that */
};

/* Of a host that takes data slower than its link: soft_drain.c. */
struct rt_soft_drain {
	uint64_t level_bytes, at_ps; /* of its buffer, then */
	uint8_t pausing, due;        /* bits: the peer is stopped; is to be told */
	uint64_t refresh_ps;         /* it is told again */
	uint64_t pausing_from_ps[RT_PRIO_COUNT];
	uint64_t pausing_ps[RT_PRIO_COUNT]; /* before that */
};

/* The frame that is held back for another one to overtake it: soft_early.c. */
struct rt_soft_held {
	uint8_t *data;  /* owned, of slot_bytes; NULL: none ever is */
	uint32_t bytes; /* 0: none */
	uint32_t qp;
	uint64_t until_ps;
};

struct rt_soft {
	struct rt_soft_config config; /* laws: not to be used */
	struct rt_fabric_config laws;
	struct rt_rc_params rc, read_rc; /* of the laws, as they are used */
	int64_t origin_ns, epoch_ns;
	bool begun;
	uint64_t now_ps;
	uint64_t free_ps; /* the port may begin a frame */
	struct rt_soft_prio prios[RT_PRIO_COUNT];
	unsigned turn; /* priority whose data is next */
	struct rt_soft_timers timers;
	struct rt_soft_qp **qps; /* owned */
	uint32_t qp_count;
	size_t qp_capacity;
	uint32_t first_qpn;
	struct rt_rng rng;
	struct rt_soft_strays strays;
	struct rt_soft_port_stats port;
	struct rt_soft_drain drain;
	struct rt_soft_held held;
	uint8_t lossless;         /* bit n: priority n */
	uint8_t prio_of_dscp[64]; /* of frames that come */
	uint8_t *slots;           /* owned: RT_SOFT_BATCH frames */
	size_t slot_bytes;
	/* Slots whose payload is that of a middle: its lengths, so that it stays. */
	uint32_t forms[RT_SOFT_BATCH];
	struct rt_soft_patch patches[5]; /* of path MTUs 256, 512, ... */
};

/* --- soft.c ----------------------------------------------------------------- */

void rt_soft_set_now(struct rt_soft *soft, int64_t now_ns);
void rt_soft_timer_set(struct rt_soft *soft, const struct rt_soft_qp *qp,
		       enum rt_soft_timer timer, uint64_t at_ps);
bool rt_soft_timer_on(const struct rt_soft *soft, const struct rt_soft_qp *qp,
		      enum rt_soft_timer timer);
/* It is over, all went well. */
void rt_soft_qp_done(struct rt_soft *soft, struct rt_soft_qp *qp);
/* It is over: the verbs name of the completion's error. */
void rt_soft_qp_fail(struct rt_soft *soft, struct rt_soft_qp *qp, const char *error);

/* --- soft_pace.c -------------------------------------------------------------- */

bool rt_soft_is_paused(const struct rt_soft *soft, unsigned prio);
/* How long the priority was paused since the beginning, and how long it should be. */
uint64_t rt_soft_paused_ps(const struct rt_soft *soft, unsigned prio);
uint64_t rt_soft_asked_ps(struct rt_soft *soft, unsigned prio);
/* By a frame that came at came_ps, which is not later than now. */
void rt_soft_pause(struct rt_soft *soft, unsigned prio, uint16_t quanta,
		   uint64_t came_ps);

/* Get in line, or wait for the pace: what may have changed lets it send, perhaps. */
void rt_soft_may_send(struct rt_soft *soft, struct rt_soft_qp *qp);
/* The first in line that may send; NULL: nobody. */
struct rt_soft_qp *rt_soft_take(struct rt_soft *soft);
/* Its frame of so many bytes, FCS not counted, and of so much payload is under way. */
void rt_soft_sent(struct rt_soft *soft, struct rt_soft_qp *qp, size_t frame_bytes,
		  uint32_t payload_bytes);
/*
 * Whether silence follows the frame that is next: the end of a burst, or a rate at
 * which the one after it may come later than an answer is waited for.
 */
bool rt_soft_is_last_before_silence(const struct rt_soft *soft,
				    const struct rt_soft_qp *qp);
/* The port was taken by a frame. */
void rt_soft_occupy(struct rt_soft *soft, size_t frame_bytes);
/* A CNP came. */
void rt_soft_congested(struct rt_soft *soft, struct rt_soft_qp *qp);
void rt_soft_increase(struct rt_soft *soft, struct rt_soft_qp *qp);
void rt_soft_decrease(struct rt_soft *soft, struct rt_soft_qp *qp);
uint64_t rt_soft_port_next_ps(const struct rt_soft *soft);

/* --- soft_send.c ---------------------------------------------------------------- */

/* Post messages as far as the flow lets; done when there are none. */
void rt_soft_post(struct rt_soft *soft, struct rt_soft_qp *qp);
/* What a call of rt_rc_on_ack(), _nak() or _timeout() asks for. */
void rt_soft_acknowledged(struct rt_soft *soft, struct rt_soft_qp *qp, unsigned events);
void rt_soft_timeout(struct rt_soft *soft, struct rt_soft_qp *qp);
/* The peer has no receive buffer for the packet of psn: an RNR NAK with its time. */
void rt_soft_wait_ready(struct rt_soft *soft, struct rt_soft_qp *qp, uint32_t psn,
			unsigned time_code);
void rt_soft_queue(struct rt_soft *soft, struct rt_soft_qp *qp,
		   enum rt_soft_control kind);
/* Write the next control frame that may go into a slot; its bytes, 0: none. */
size_t rt_soft_send_control(struct rt_soft *soft, unsigned slot);
size_t rt_soft_send_data(struct rt_soft *soft, unsigned slot);

/* --- soft_frame.c ----------------------------------------------------------------- */

void rt_soft_make_middle(struct rt_soft *soft, struct rt_soft_qp *qp);
/* The bytes of a packet of qp, in a slot; returns how many. */
size_t rt_soft_frame(struct rt_soft *soft, struct rt_soft_qp *qp,
		     const struct rt_build *packet, unsigned slot);

/* --- soft_drain.c ----------------------------------------------------------------- */

/* There is room for a data frame that came; false: it is dropped, and counted. */
bool rt_soft_drain_takes(struct rt_soft *soft, unsigned prio, uint32_t bytes);
/* The pause frame that is due, into a slot; its bytes, 0: none. */
size_t rt_soft_drain_tell(struct rt_soft *soft, unsigned slot);
uint64_t rt_soft_drain_next_ps(const struct rt_soft *soft);
/* How long the peer was stopped since the beginning. */
uint64_t rt_soft_pausing_ps(const struct rt_soft *soft, unsigned prio);

/* --- soft_early.c ----------------------------------------------------------------- */

/* Keep a frame for the next of its queue pair to overtake it. */
bool rt_soft_hold_back(struct rt_soft *soft, const struct rt_frame *frame,
		       const uint8_t *data);
/* Bytes of the one that was held back and comes now, in held.data; 0: none does. */
uint32_t rt_soft_let_go(struct rt_soft *soft);
uint64_t rt_soft_held_next_ps(const struct rt_soft *soft);

/* A packet that came too early is kept; false: it is not, and is a gap. */
bool rt_soft_keep_early(struct rt_soft *soft, struct rt_soft_qp *qp,
			const struct rt_bth *bth);
/*
 * The one that is expected, if it is kept; it is taken, and good until the next call.
 */
const struct rt_bth *rt_soft_next_early(struct rt_soft_qp *qp);

/* --- soft_receive.c --------------------------------------------------------------- */

/* What was held back long enough comes now. */
void rt_soft_receive_held(struct rt_soft *soft);

/* What each role does with a frame of its queue pair. */

void rt_soft_receive_ack(struct rt_soft *soft, struct rt_soft_qp *qp,
			 const struct rt_frame *frame);
void rt_soft_receive_data(struct rt_soft *soft, struct rt_soft_qp *qp,
			  const struct rt_frame *frame);
void rt_soft_receive_response(struct rt_soft *soft, struct rt_soft_qp *qp,
			      const struct rt_frame *frame);
void rt_soft_receive_read(struct rt_soft *soft, struct rt_soft_qp *qp,
			  const struct rt_frame *frame);

static inline uint32_t rt_soft_packets(uint64_t bytes, uint32_t mtu_bytes)
{
	return bytes ? (uint32_t)((bytes + mtu_bytes - 1) / mtu_bytes) : 1;
}

static inline struct rt_soft_message *rt_soft_message(struct rt_soft_qp *qp,
						      uint64_t number)
{
	return &qp->messages[number & qp->message_mask];
}

#endif
