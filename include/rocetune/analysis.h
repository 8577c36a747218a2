/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * analysis.h - what decoded frames say about a RoCE network.
 *
 * Frames go in by batches, in file order, which is taken as the order of
 * events; one struct rt_analysis comes out.  It is a plain value that describes
 * itself (rt_analysis_table) and owns its lists.
 *
 * Memory is bounded whatever the frames hold: tables have the limits below, and
 * what did not fit is counted, never silently left out.
 *
 * Several interfaces.  A capture of several ports shows a packet at each port it
 * passes.  Streams and directions are kept for each interface apart; the one that
 * was reached last stands for all and alone goes into rows and sums of streams,
 * marks, directions and throughput.  Counts of frames (capture, kinds, opcodes,
 * DSCP) are of all frames in the capture.
 *
 * Copies.  A frame that the capture holds more than once at one interface, as
 * mirrors of two ports do, counts once in streams, directions, marks and
 * throughput, when it carries a digest (RT_DECODE_DIGEST) and can be told from a
 * resend (analysis/copies.h).
 *
 * Streams, gaps and rewinds.  A stream is (destination, destination QP) by
 * requests or READ responses, for UD also by source QP, for RD by EE context
 * instead of QP; ACKs, ATOMIC ACKs and CNPs are in none.  A frame takes one PSN,
 * a READ Request one per path MTU of the length it asks for (IBTA 9.4.4).
 * Against the frame before it in the stream (p_*) or against the highest PSN seen
 * (h_*), a frame is in order, ahead (a gap, so many PSNs skipped) or behind (a
 * rewind); a run of frames behind the highest PSN is one episode.  PSNs are 24-bit
 * and wrap.
 */
#ifndef ROCETUNE_ANALYSIS_H
#define ROCETUNE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/err.h"
#include "rocetune/field.h"
#include "rocetune/frame.h"

/* Limits; all but the first are fixed. */
#define RT_ANALYSIS_MAX_FLOWS \
	2097152u /* streams, QPs that only get ACKs; per interface */
#define RT_ANALYSIS_MAX_PAIRS       131072u /* (source, destination, interface) */
#define RT_ANALYSIS_MAX_SERIES      4096u   /* pairs that are followed over time */
#define RT_ANALYSIS_MAX_CONNECTIONS 16384u  /* that CM messages tell of */
#define RT_ANALYSIS_MAX_PAUSERS     1024u   /* (interface, source MAC) of pauses */
#define RT_ANALYSIS_WINDOWS         256u    /* of time; they widen when full */
#define RT_ANALYSIS_MAX_CONTENTS    256u    /* kinds of frames that are no RoCE */

/* --- rows ------------------------------------------------------------------ */

/* One interface of the capture. */
struct rt_analysis_if {
	uint64_t index;
	char name[64];
	unsigned link_type; /* LINKTYPE_ value */
	char link[24];      /* its name */
	struct rt_opt_u64 speed_bps;
	uint64_t frames;
	uint64_t copies;           /* of these, left out */
	struct rt_opt_u64 dropped; /* by the capturing tool's count */
};

struct rt_analysis_opcode {
	uint8_t opcode;
	const char *name; /* NULL: not a known opcode */
	uint64_t frames;
};

/* Something counted by a name: kinds, tunnels, syndromes, paddings. */
struct rt_analysis_count {
	char name[48];
	uint64_t frames;
};

struct rt_analysis_vlan {
	uint16_t vid;
	uint8_t pcp;
	uint64_t frames;
};

/* Frames that are no RoCE, by what they are. */
struct rt_analysis_content {
	char name[48];
	uint16_t ethertype;
	struct rt_opt_u64 ip_proto, port; /* port: the lower of the two */
	uint64_t frames, bytes;
};

/* The four ECN codepoints (RFC 3168) of RoCE frames. */
struct rt_analysis_ecn {
	uint64_t not_ect, ect1, ect0, ce;
};

struct rt_analysis_dscp {
	uint8_t dscp;
	struct rt_analysis_ecn ecn;
};

/* RoCE frames from one address to another. */
struct rt_analysis_direction {
	uint64_t interface; /* where they were counted */
	char src[RT_IP_TEXT_BYTES], dst[RT_IP_TEXT_BYTES];
	uint64_t frames, wire_bytes;
	struct rt_analysis_ecn ecn;
};

enum rt_pause_kind {
	RT_PAUSE_PFC,    /* IEEE 802.1Qbb, one priority */
	RT_PAUSE_802_3X, /* the whole link */
};

/* Who sent pauses, as far as the frames beside them tell. */
enum rt_pauser {
	RT_PAUSER_UNKNOWN, /* sends nothing else here: a switch, or a silent host */
	RT_PAUSER_HOST,    /* its own RoCE frames pass here too: it stops the network */
};

/* Pauses that one port sent for one priority. */
struct rt_analysis_pause {
	uint64_t interface;
	uint8_t source[6];          /* of the port that wants the other end to stop */
	unsigned pauser;            /* enum rt_pauser: which way the pause goes */
	unsigned kind;              /* enum rt_pause_kind */
	struct rt_opt_u64 priority; /* unknown: the whole link (802.3x) */
	uint64_t xoff, xon;
	uint64_t quanta;             /* sum of what the XOFFs asked for */
	uint64_t max_quanta;         /* of one XOFF */
	struct rt_opt_u64 speed_bps; /* what follows is unknown without it */
	struct rt_opt_u64 refreshes; /* XOFFs while the last one was still running */
	struct rt_opt_u64 longest_refreshes; /* of these in a row */
	struct rt_opt_u64 intervals;         /* pieces of time the link was paused */
	struct rt_opt_u64 paused_ns;         /* their union */
	struct rt_opt_u64 longest_ns;        /* the longest piece */
	struct rt_opt_f64 share_pct;         /* of the capture's time span */
	struct rt_opt_u64 open_ns;           /* still to run when the capture ends */
};

enum rt_flow_stream {
	RT_FLOW_REQUEST = RT_STREAM_REQUEST,
	RT_FLOW_RESPONSE = RT_STREAM_RESPONSE,
};

/* What is known of the ACKs and CNPs that answer a stream. */
enum rt_flow_answered {
	RT_FLOW_UNANSWERED, /* none were seen */
	RT_FLOW_ANSWERED,   /* they go to one QP, and can answer no other stream */
	RT_FLOW_GUESSED,    /* the likeliest QP of several */
	RT_FLOW_AMBIGUOUS,  /* several QPs, none of them likelier */
};

/* How it is known which queue pair sends a stream. */
enum rt_flow_pairing {
	RT_FLOW_UNPAIRED,
	RT_FLOW_IN_PACKET, /* UD: it names its sender */
	RT_FLOW_BY_CM,     /* by the messages that made its connection */
	RT_FLOW_INFERRED,  /* by the ACKs, which may be wrong */
};

/* One stream. */
struct rt_analysis_flow {
	uint64_t interface;    /* where it was looked at */
	const char *src, *dst; /* the result's */
	uint32_t dest_qp;
	struct rt_opt_u64 src_qp; /* UD: told; else where its ACKs go, if paired */
	unsigned pairing;         /* enum rt_flow_pairing: how src_qp is known */
	unsigned answered;        /* enum rt_flow_answered */
	unsigned stream;          /* enum rt_flow_stream */
	unsigned transport;       /* opcode >> 5: 0 RC, 1 UC, 2 RD, 3 UD, 5 XRC */
	uint64_t first_frame;     /* number of its first frame */
	uint8_t dscp;             /* of the first frame */
	uint16_t udp_sport;       /* of the first frame */
	struct rt_opt_u64 mtu_bytes;
	uint64_t frames, messages, payload_bytes;
	uint64_t resent_bytes;         /* payload of frames that had been seen before */
	struct rt_opt_u64 goodput_bps; /* the rest, from first to last frame */
	uint64_t start_ns, duration_ns; /* from the start of the capture */
	uint64_t p_gaps, p_skipped, p_rewinds;
	uint64_t h_gaps, h_skipped, h_episodes, h_behind;
	uint64_t reordered; /* gaps filled by late frames, nothing resent */
	uint64_t repaired;  /* gaps filled by a sender that went back */
	uint64_t undecided; /* gaps filled by the one or the other */
	/*
	 * Of p_gaps and h_gaps those at a frame whose ICRC is wrong or behind it: its
	 * PSN may be what is wrong.  Its payload is not delivered.
	 */
	uint64_t bad_gaps, bad_h_gaps, bad_bytes;
	/* Of READ responses: p_gaps in which requests of other kinds have the PSNs. */
	uint64_t between_gaps;
	/* Gaps not watched to the end: what fills them counts as resent. */
	uint64_t holes_given_up;
	uint64_t acked_holes; /* gaps that the receiver acknowledged over */
	uint64_t acked_psns;  /* PSNs in them */
	/* Where the same stream passed without a gap, if it has gaps here. */
	struct rt_opt_u64 whole_at;
	bool return_seen; /* frames from dst to src: NAKs are visible */
	struct rt_opt_u64 acks, naks, rnr_naks; /* unknown: return path not paired */
	struct rt_opt_u64 rnr_wait_ns;          /* sum of the times asked for */
	struct rt_opt_u64 rnr_longest_ns;
	uint64_t rnr_silence_ns;      /* idle time before rewinds after RNR NAKs */
	struct rt_opt_u64 other_naks; /* other than PSN sequence error */
	uint64_t rewinds_nak, rewinds_rnr, rewinds_alone;
	uint64_t silence_ns; /* before rewinds, those of 1 ms and more */
	uint64_t longest_silence_ns;
	/*
	 * Rewinds of requests without a NAK after such a silence.  Unknown where NAKs
	 * are not visible, or late frames look like the rewind that a NAK caused.
	 */
	struct rt_opt_u64 timeouts;
	uint64_t timeout_silence_ns;        /* before these */
	struct rt_opt_u64 nak_to_resend_ns; /* mean time from NAK to the rewind */
	struct rt_analysis_ecn ecn;
	struct rt_opt_u64
		cnps; /* that slow it; unknown: its return path is not known */
	uint64_t icrc_ok, icrc_bad;
	uint64_t copies; /* left out: its frames seen once more */
	/* Kept: the same in all, copies or resends; unknown: not compared. */
	struct rt_opt_u64 lookalikes;
	/*
	 * Kept: with PSN and IP id of a frame before, for no NAK, where the sender's
	 * ids tell packets apart: copies, but not for sure.  The longest way behind it.
	 */
	uint64_t seen_before;
	struct rt_opt_u64 seen_lag_ns;
};

enum rt_cnp_match {
	RT_CNP_UNMATCHED,   /* no flow seen that it slows */
	RT_CNP_PAIRED,      /* the QP where that flow's ACKs go */
	RT_CNP_ONLY_FLOW,   /* the only data flow between the two addresses */
	RT_CNP_SAME_NUMBER, /* a flow whose destination QP has the same number */
	RT_CNP_GUESSED,     /* the likeliest of several flows whose ACKs may go there */
	RT_CNP_AMBIGUOUS,   /* several flows, none of them likelier */
};

/* Congestion notification packets toward one QP. */
struct rt_analysis_cnp {
	char from[RT_IP_TEXT_BYTES], to[RT_IP_TEXT_BYTES];
	uint32_t dest_qp; /* of the sender that shall slow down */
	uint64_t cnps;
	struct rt_opt_u64 min_interval_ns, mean_interval_ns;
	unsigned match;                 /* enum rt_cnp_match */
	struct rt_opt_u64 flow_dest_qp; /* of the flow it slows */
	struct rt_opt_u64 flow_ce;      /* CE marks seen on that flow */
};

/* Data of one sender toward one receiver. */
struct rt_analysis_sender {
	char receiver[RT_IP_TEXT_BYTES], sender[RT_IP_TEXT_BYTES];
	uint64_t payload_bytes, good_bytes, wire_bytes;
	uint64_t start_ns, duration_ns;  /* of its data */
	struct rt_opt_u64 goodput_bps;   /* over its duration */
	struct rt_opt_u64 contended_bps; /* while another sender was active too */
	struct rt_opt_f64 ce_pct;        /* of its data frames */
};

/* Everything that arrives at one address. */
struct rt_analysis_receiver {
	char receiver[RT_IP_TEXT_BYTES];
	uint64_t senders, payload_bytes, good_bytes, wire_bytes;
	uint64_t start_ns, duration_ns;          /* of the data */
	struct rt_opt_u64 goodput_bps, wire_bps; /* over the duration */
	struct rt_opt_u64 peak_wire_bps;         /* in one window */
	uint64_t max_fan_in;                     /* senders active in one window */
	struct rt_opt_f64 mean_fan_in;           /* over the windows with data */
	struct rt_opt_f64 jain;         /* of the senders' rates under contention */
	char slowest[RT_IP_TEXT_BYTES]; /* under contention */
	struct rt_opt_u64 slowest_bps, fastest_bps;
};

/* One window of time of one receiver (sender "") or of one sender to it. */
struct rt_analysis_window {
	char receiver[RT_IP_TEXT_BYTES], sender[RT_IP_TEXT_BYTES];
	uint64_t start_ns; /* from the start of the capture */
	uint64_t good_bytes, wire_bytes;
	uint64_t senders; /* active in it */
	uint64_t ce;      /* CE-marked data frames */
};

enum rt_connection_state {
	RT_CONNECTION_ASKED,    /* REQ, no answer seen */
	RT_CONNECTION_ACCEPTED, /* REP */
	RT_CONNECTION_READY,    /* RTU */
	RT_CONNECTION_REFUSED,  /* REJ */
	RT_CONNECTION_CLOSED,   /* DREQ */
};

#define RT_TRANSPORT_UNKNOWN 8u /* opcodes have no such */

/* A connection by the messages of the communication manager. */
struct rt_analysis_connection {
	uint64_t interface;                                /* where it was seen first */
	char src[RT_IP_TEXT_BYTES], dst[RT_IP_TEXT_BYTES]; /* who asked whom */
	struct rt_opt_u64 src_qp, dst_qp;
	unsigned state;     /* enum rt_connection_state */
	unsigned transport; /* opcode >> 5: 0 RC, 1 UC, 2 RD, 5 XRC; or unknown: */
	struct rt_opt_u64 mtu_bytes;
	struct rt_opt_u64 src_psn, dst_psn;     /* of the first request of each */
	struct rt_opt_u64 ack_timeout_ns;       /* unknown too: it waits for ever */
	struct rt_opt_u64 retries, rnr_retries; /* 7 of the latter: for ever */
	struct rt_opt_u64 read_depth; /* READs and atomics that src may have open */
	struct rt_opt_u64 src_port, dst_port; /* of the RDMA IP CM service */
	struct rt_opt_u64 reason;             /* of a refusal (IBTA table 107) */
	struct rt_opt_u64 start_ns;           /* REQ, from the start of the capture */
	struct rt_opt_u64 setup_ns;           /* from REQ to RTU */
	bool other_path;         /* its packets do not go between these addresses */
	uint64_t repeats;        /* messages that came again */
	uint64_t contradictions; /* messages, or packets, that speak against it */
};

/* --- sections -------------------------------------------------------------- */

struct rt_analysis_capture {
	uint64_t frames, wire_bytes, captured_bytes;
	uint64_t truncated; /* frames whose end is not in the capture */
	uint64_t malformed, fragments, no_time;
	struct rt_opt_u64 span_ns; /* from the earliest to the latest time stamp */
	int64_t start_ns;          /* earliest time stamp, since the epoch */
	uint64_t times_back;       /* frames stamped earlier than the one before */
	uint64_t longest_back_ns;
	struct rt_opt_u64 ends_at_bytes; /* offset of a last record that is cut off */
	char damage
		[RT_ERR_MSG_BYTES]; /* why reading stopped before the end; "": it did not */
	struct rt_analysis_if *interfaces;
	size_t interface_count;
	struct rt_analysis_count *kinds, *encaps;
	size_t kind_count, encap_count;
	struct rt_analysis_vlan *vlans;
	size_t vlan_count;
	struct rt_analysis_content *contents;
	size_t content_count;
	uint64_t content_overflow; /* frames of kinds beyond the limit */
	char note[200];            /* what the reader should know first; "" */
};

struct rt_analysis_roce {
	uint64_t frames, bth_cut, unknown_opcodes;
	uint64_t v2, v1, ib;
	uint64_t dest_qps, dest_ip_qps, udp_sports;
	uint64_t icrc_ok, icrc_bad, icrc_cut, icrc_unchecked;
	uint64_t ackreq, becn, fecn;
	uint64_t copies; /* frames seen before: not in what follows but once */
	/* Frames that may be such copies, or resends; unknown: not compared. */
	struct rt_opt_u64 lookalikes;
	struct rt_opt_u64 mtu_bytes; /* largest path MTU seen in use */
	struct rt_analysis_ecn ecn;
	struct rt_analysis_opcode *opcodes;
	size_t opcode_count;
	struct rt_analysis_count *syndromes, *pads;
	size_t syndrome_count, pad_count;
	struct rt_analysis_dscp *dscps;
	size_t dscp_count;
	struct rt_analysis_direction *directions;
	size_t direction_count;
	uint64_t direction_copies;   /* of these: copies, or at other interfaces */
	uint64_t direction_overflow; /* frames between pairs beyond the limit */
};

struct rt_analysis_connections {
	uint64_t messages;        /* of the communication manager */
	uint64_t paired, refused; /* connections: both QPs known; refused */
	uint64_t repeats, contradictions;
	uint64_t unknown;  /* messages of connections whose beginning was not seen */
	uint64_t overflow; /* connections beyond the limit */
	struct rt_analysis_connection *list;
	size_t list_count;
};

struct rt_analysis_pauses {
	/* Unknown when none was seen: that is no proof that none was sent. */
	struct rt_opt_u64 frames, pfc_frames, pause_frames;
	struct rt_opt_u64 xoff, xon;
	struct rt_opt_u64 paused_ns;  /* sum over ports and priorities */
	struct rt_opt_u64 longest_ns; /* paused time of the port paused most */
	char longest_port[64];        /* which that is; "" */
	uint64_t overflow;            /* frames of ports beyond the limit */
	char note[160];
	struct rt_analysis_pause *ports;
	size_t port_count;
};

/* Sums over all streams. */
struct rt_analysis_sequence {
	uint64_t streams, frames, payload_bytes, messages;
	uint64_t p_gaps, p_skipped, p_rewinds;
	uint64_t h_gaps, h_skipped, h_episodes, h_behind;
	uint64_t reordered, repaired, undecided, holes_given_up, acked_holes,
		acked_psns;
	uint64_t resent_bytes;
	uint64_t naks, rnr_naks, other_naks, rnr_wait_ns;
	uint64_t rewinds_nak, rewinds_rnr, rewinds_alone;
	uint64_t silence_ns, timeouts;
	uint64_t overflow; /* frames of streams beyond the limit */
	struct rt_analysis_flow *flows;
	size_t flow_count;
	struct rt_analysis_flow *copies; /* the same streams at other interfaces */
	size_t copy_count;
	char (*addresses)[RT_IP_TEXT_BYTES]; /* that rows point to */
};

struct rt_analysis_marks {
	uint64_t data_frames, data_ce, data_not_ect;
	uint64_t cnps, cnps_unmatched;
	uint64_t cnps_unsure; /* matched by a guess among ACKs, or not at all for it */
	uint64_t flows_ce;    /* flows with CE-marked frames */
	uint64_t flows_ce_no_cnp; /* of these without a CNP seen */
	uint64_t flows_cnp_no_ce;
	uint64_t ce_no_cnp_visible; /* ... though frames came the other way */
	struct rt_analysis_cnp *cnp_rows;
	size_t cnp_row_count;
};

struct rt_analysis_throughput {
	uint64_t window_ns;
	uint64_t series_overflow; /* pairs that were not followed over time */
	struct rt_analysis_receiver *receivers;
	size_t receiver_count;
	struct rt_analysis_sender *senders;
	size_t sender_count;
	struct rt_analysis_window *windows;
	size_t window_count;
};

struct rt_analysis {
	struct rt_analysis_capture capture;
	struct rt_analysis_roce roce;
	struct rt_analysis_connections connections;
	struct rt_analysis_pauses pauses;
	struct rt_analysis_marks marks;
	struct rt_analysis_sequence sequence;
	struct rt_analysis_throughput throughput;
};

extern const struct rt_table rt_analysis_table;
/* The sections one by one, for results that hold them among other things. */
extern const struct rt_table rt_analysis_capture_table, rt_analysis_roce_table,
	rt_analysis_connections_table, rt_analysis_pauses_table,
	rt_analysis_marks_table, rt_analysis_sequence_table,
	rt_analysis_throughput_table;

/* --- doing it -------------------------------------------------------------- */

struct rt_analysis_config {
	struct rt_opt_u64 link_speed_bps; /* known: goes before what the file says */
	uint32_t max_flows;               /* 0: RT_ANALYSIS_MAX_FLOWS */
	bool long_way;                    /* for tests: no shortcut for usual frames */
};

struct rt_analyzer;

/* -ENOMEM is the only failure. */
int rt_analyzer_new(const struct rt_analysis_config *config,
		    struct rt_analyzer **ret_analyzer, struct rt_err *err);

/*
 * The interfaces of the source known so far; borrowed until the next such call or
 * the end of the analyzer.  To be called before frames of a new one are fed.
 */
void rt_analyzer_interfaces(struct rt_analyzer *analyzer,
			    const struct rt_capture_if *interfaces, size_t count);

/* Take count more frames.  -ENOMEM. */
int rt_analyzer_feed(struct rt_analyzer *analyzer, const struct rt_frame *frames,
		     size_t count, struct rt_err *err);

/*
 * Sum up into *ret_analysis, which the caller frees.  Once per analyzer, which
 * still has to be freed.  -ENOMEM.
 */
int rt_analyzer_finish(struct rt_analyzer *analyzer, struct rt_analysis *ret_analysis,
		       struct rt_err *err);

void rt_analyzer_free(struct rt_analyzer *analyzer); /* NULL is fine */
void rt_auto_analyzer_free(struct rt_analyzer **analyzer);

/*
 * Read a source to its end.  When reading fails after the first frame, or finds damage
 * (-EBADMSG) at any, what was read is analysed and capture.damage says why it ends
 * there; else what read() said is returned.
 */
int rt_analysis_of_source(struct rt_source *source,
			  const struct rt_analysis_config *config,
			  struct rt_analysis *ret_analysis, struct rt_err *err);

void rt_analysis_free(struct rt_analysis *analysis);

#endif
