/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame.h - one decoded frame as a plain value.
 *
 * A struct rt_frame outlives the bytes it was read from: whatever analysis
 * needs is copied out, so batches of frames travel without lifetimes.  Decoding
 * never fails: what is cut, damaged or unknown is said in the frame.
 *
 * Sources of the wire formats: IBTA volume 1 chapter 9 and annexes A16 (RoCE)
 * and A17 (RoCEv2), IEEE 802.1Qbb, IEEE 802.3 annex 31B.
 */
#ifndef ROCETUNE_FRAME_H
#define ROCETUNE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocetune/field.h"

struct rt_err;

#define RT_PRIO_COUNT    8
#define RT_ROCE_UDP_PORT 4791

/* What a frame is, seen from a RoCE network. */
enum rt_frame_kind {
	RT_FRAME_OTHER, /* decoded as far as it goes; no RoCE */
	RT_FRAME_ROCE,  /* RoCEv2, RoCEv1 or native IB: bth, unless RT_FRAME_BTH_CUT */
	RT_FRAME_PFC,   /* IEEE 802.1Qbb: pause is valid */
	RT_FRAME_PAUSE, /* IEEE 802.3x: pause is valid, quanta[0] only */
	RT_FRAME_LLDP,
	RT_FRAME_ARP,
	RT_FRAME_SHORT, /* cut or damaged before it could be told */
	RT_FRAME_KIND_COUNT,
};

enum rt_roce_version {
	RT_ROCE_NONE,
	RT_ROCE_V2, /* UDP port 4791 */
	RT_ROCE_V1, /* Ethertype 0x8915 */
	RT_ROCE_IB, /* native InfiniBand */
};

enum rt_ecn {
	RT_ECN_NOT_ECT = 0,
	RT_ECN_ECT1 = 1,
	RT_ECN_ECT0 = 2,
	RT_ECN_CE = 3,
};

/* Outcome of the invariant CRC check (decoder-level; IBTA 7.8.1, A17.3.3). */
enum rt_icrc {
	RT_ICRC_NONE, /* no RoCE packet, or not asked for */
	RT_ICRC_OK,
	RT_ICRC_BAD,
	RT_ICRC_CUT, /* the capture does not hold the whole packet */
};

/*
 * Which tunnel wrapped the frame; the outermost one.  All other fields but
 * encap_id are those of the innermost frame.
 */
enum rt_encap {
	RT_ENCAP_NONE,
	RT_ENCAP_ERSPAN1,
	RT_ENCAP_ERSPAN2,
	RT_ENCAP_ERSPAN3,
	RT_ENCAP_GRE_TEB,
	RT_ENCAP_VXLAN,
	RT_ENCAP_GENEVE,
	RT_ENCAP_COUNT,
};

enum rt_frame_flags {
	RT_FRAME_CUT = 1 << 0,        /* not all was captured, or was mirrored */
	RT_FRAME_MALFORMED = 1 << 1,  /* a length contradicts the frame */
	RT_FRAME_NO_TIME = 1 << 2,    /* the capture has no time for it: time_ns is
				       * that of the frame before, or 0 */
	RT_FRAME_FRAGMENT = 1 << 3,   /* IP fragment; RoCE must not be one */
	RT_FRAME_GRH = 1 << 4,        /* a global route header was present */
	RT_FRAME_BTH_CUT = 1 << 5,    /* RoCE, but the BTH is not there: bth is 0 */
	RT_FRAME_EXT_CUT = 1 << 6,    /* an extension header is not all there */
	RT_FRAME_OP_UNKNOWN = 1 << 7, /* an opcode that the table lacks */
	RT_FRAME_DIGEST = 1 << 8,     /* digest is valid */
	RT_FRAME_CM = 1 << 9,         /* bth.cm is valid */
};

/* Bits of struct rt_bth.bits, and which extension headers are filled in. */
enum rt_bth_bits {
	RT_BTH_SOLICITED = 1 << 0,
	RT_BTH_MIGREQ = 1 << 1,
	RT_BTH_ACKREQ = 1 << 2,
	RT_BTH_FECN = 1 << 3,
	RT_BTH_BECN = 1 << 4,
};

/* Extension headers; the lowest bit stands first on the wire (IBTA 9.3). */
enum rt_ext_bits {
	RT_EXT_RDETH = 1 << 0,
	RT_EXT_DETH = 1 << 1,
	RT_EXT_XRCETH = 1 << 2,
	RT_EXT_FETH = 1 << 3,
	RT_EXT_RETH = 1 << 4,
	RT_EXT_ATOMICETH = 1 << 5,
	RT_EXT_AETH = 1 << 6,
	RT_EXT_ATOMICACKETH = 1 << 7,
	RT_EXT_IMMDT = 1 << 8,
	RT_EXT_IETH = 1 << 9,
	RT_EXT_CNP = 1 << 10, /* the 16 reserved bytes of a CNP (A17.9.3) */
	RT_EXT_COUNT = 11,
};

/* The queue pair of the general service interface, CM among it (IBTA 13.5.1). */
#define RT_QP_CM 1

/* Messages of the communication manager (IBTA 12.6, table 98), by attribute id. */
enum rt_cm_kind {
	RT_CM_REQ = 0x10, /* asks for a connection */
	RT_CM_MRA = 0x11, /* the answer will take longer */
	RT_CM_REJ = 0x12,
	RT_CM_REP = 0x13,
	RT_CM_RTU = 0x14, /* ready to use */
	RT_CM_DREQ = 0x15,
	RT_CM_DREP = 0x16,
};

/* What of a CM message was captured, and is of its kind. */
enum rt_cm_known {
	RT_CM_KNOWS_IDS = 1 << 0,    /* local_id; all but REQ: remote_id */
	RT_CM_KNOWS_QP = 1 << 1,     /* REQ, REP: the sender's; DREQ: the receiver's */
	RT_CM_KNOWS_PSN = 1 << 2,    /* REQ, REP: and what REQ has up to it */
	RT_CM_KNOWS_PATH = 1 << 3,   /* REQ: its MTU, retries, addresses, time-out */
	RT_CM_KNOWS_REASON = 1 << 4, /* REJ */
	RT_CM_KNOWS_IP = 1 << 5,     /* REQ of the RDMA IP CM service (annex A11) */
	RT_CM_OTHER_PATH = 1 << 6, /* its path is not between the packet's addresses */
};

/* A CM message (IBTA 12.6), as far as connections are told by it. */
struct rt_cm {
	uint32_t local_id, remote_id; /* communication ids of sender, receiver */
	uint32_t qpn;
	uint32_t psn; /* that the receiver of the message shall begin with */
	uint16_t reason;
	uint16_t src_port, dst_port;  /* of the IP CM service */
	uint8_t kind;                 /* enum rt_cm_kind */
	uint8_t known;                /* enum rt_cm_known */
	uint8_t transport;            /* REQ: as opcode >> 5: 0 RC, 1 UC, 2 RD, 5 XRC */
	uint8_t mtu_code;             /* REQ: 1 is 256 bytes, 5 is 4096 */
	uint8_t ack_timeout;          /* REQ: 4.096 us * 2^code */
	uint8_t retries, rnr_retries; /* REQ; REP: rnr_retries; 7: for ever */
	uint8_t depth;     /* REQ, REP: READs and atomics it will have open */
	uint8_t resources; /* REQ, REP: of these it will serve */
};

/* Base transport header and what follows it (IBTA chapter 9). */
struct rt_bth {
	uint8_t opcode;
	uint8_t bits; /* enum rt_bth_bits */
	uint8_t pad_bytes;
	uint8_t tver;
	uint16_t pkey;
	uint16_t ext; /* enum rt_ext_bits: what below is valid */
	uint32_t dest_qp;
	uint32_t psn;
	uint32_t payload_bytes; /* from the length fields, so right when cut too */
	uint8_t syndrome;       /* AETH */
	uint32_t msn;           /* AETH, 24 bits */
	uint32_t src_qp;        /* DETH */
	uint32_t qkey;          /* DETH */
	uint32_t immediate;     /* ImmDt */
	uint32_t xrc_srq;       /* XRCETH, 24 bits; RDETH: the EE context */
	uint32_t flush;         /* FETH: selectivity level, placement type */
	/* Packets to the CM have none of the first. */
	union {
		struct {
			uint64_t va;        /* RETH, AtomicETH */
			uint64_t swap_add;  /* AtomicETH; AtomicAckETH: original data */
			uint64_t compare;   /* AtomicETH */
			uint32_t rkey;      /* RETH, AtomicETH; IETH: to invalidate */
			uint32_t dma_bytes; /* RETH */
		};
		struct rt_cm cm; /* RT_FRAME_CM */
	};
};

/* PFC (802.1Qbb) or PAUSE (802.3 annex 31B). */
struct rt_pause {
	uint8_t enable; /* bit n: quanta[n] counts; PAUSE: always 1 */
	uint16_t quanta[RT_PRIO_COUNT];
};

struct rt_frame {
	int64_t time_ns; /* since the epoch of the source */
	uint64_t number; /* in the source, from 1 */
	uint32_t wire_bytes;
	uint32_t cap_bytes;
	uint16_t interface; /* index within the source */
	uint16_t link_type; /* LINKTYPE_ value of that interface */
	uint8_t kind;       /* enum rt_frame_kind */
	uint8_t version;    /* enum rt_roce_version */
	uint8_t encap;      /* enum rt_encap */
	uint8_t icrc;       /* enum rt_icrc */
	uint16_t flags;     /* enum rt_frame_flags */
	uint16_t ethertype; /* after VLAN tags; 0: none */
	uint16_t vlan;      /* outer tag: PCP, DEI, VID as on the wire */
	uint8_t vlan_tags;
	uint8_t ip_proto; /* of the innermost IP; 0: none */
	uint8_t dscp;
	uint8_t ecn; /* enum rt_ecn */
	uint8_t ttl; /* hop limit; 0 without IP or GRH */
	uint16_t ip_id;
	uint16_t udp_sport, udp_dport; /* also TCP and SCTP ports */
	uint8_t eth_src[6], eth_dst[6];
	struct rt_ip src, dst; /* innermost; RoCEv1 and GRH: the GIDs */
	uint32_t slid_dlid;    /* native IB: source and destination LID */
	uint32_t encap_id;     /* VNI, session id or GRE key */
	uint32_t digest;       /* of what follows the BTH: see RT_DECODE_DIGEST */
	union {
		struct rt_bth bth;
		struct rt_pause pause;
	};
};

/* --- opcodes ------------------------------------------------------------ */

enum rt_opcode {
	RT_OP_RC_SEND_FIRST = 0x00,
	RT_OP_RC_SEND_MIDDLE = 0x01,
	RT_OP_RC_SEND_LAST = 0x02,
	RT_OP_RC_SEND_ONLY = 0x04,
	RT_OP_RC_WRITE_FIRST = 0x06,
	RT_OP_RC_WRITE_MIDDLE = 0x07,
	RT_OP_RC_WRITE_LAST = 0x08,
	RT_OP_RC_WRITE_ONLY = 0x0A,
	RT_OP_RC_READ_REQUEST = 0x0C,
	RT_OP_RC_READ_RESP_FIRST = 0x0D,
	RT_OP_RC_READ_RESP_MIDDLE = 0x0E,
	RT_OP_RC_READ_RESP_LAST = 0x0F,
	RT_OP_RC_READ_RESP_ONLY = 0x10,
	RT_OP_RC_ACK = 0x11,
	RT_OP_RC_ATOMIC_ACK = 0x12,
	RT_OP_UD_SEND_ONLY = 0x64,
	RT_OP_CNP = 0x81,
};

/* Which PSN stream a packet belongs to. */
enum rt_stream {
	RT_STREAM_NONE,     /* ACK, ATOMIC ACK, CNP, unknown */
	RT_STREAM_REQUEST,  /* SEND, WRITE, READ Request, ATOMIC, FLUSH */
	RT_STREAM_RESPONSE, /* READ Response */
};

enum rt_op_bits {
	RT_OP_STARTS = 1 << 0,  /* First or Only: a message begins */
	RT_OP_ENDS = 1 << 1,    /* Last or Only */
	RT_OP_IS_READ = 1 << 2, /* READ Request */
	RT_OP_FULL = 1 << 3,    /* First or Middle: the payload is one path MTU */
	RT_OP_ASKS = 1 << 4,    /* a request of its headers alone: never a payload */
};

struct rt_op {
	const char *name;  /* "RC WRITE First"; NULL: not a known opcode */
	uint16_t ext;      /* enum rt_ext_bits, in wire order of the standard */
	uint8_t ext_bytes; /* all of these together */
	uint8_t stream;    /* enum rt_stream */
	uint8_t bits;      /* enum rt_op_bits */
};

/* One row per opcode byte, all 256. */
extern const struct rt_op rt_ops[256];

/* --- decoding ----------------------------------------------------------- */

/* LINKTYPE_ values that are read (tcpdump.org/linktypes.html). */
enum rt_link_type {
	RT_LINK_NULL = 0,
	RT_LINK_ETHERNET = 1,
	RT_LINK_RAW = 101,
	RT_LINK_LOOP = 108,
	RT_LINK_SLL = 113,
	RT_LINK_ERF = 197,
	RT_LINK_IPV4 = 228,
	RT_LINK_IPV6 = 229,
	RT_LINK_IPOIB = 242,
	RT_LINK_INFINIBAND = 247,
	RT_LINK_SLL2 = 276,
};

enum rt_decode_flags {
	RT_DECODE_ICRC = 1 << 0, /* check invariant CRCs */
	/*
	 * Sum up what no switch changes, so that copies of a packet are known: the
	 * first 32 bytes behind the BTH, and the ICRC where it was captured.
	 */
	RT_DECODE_DIGEST = 1 << 1,
	RT_DECODE_LAYERS = 1 << 7, /* for tests: no shortcut for plain frames */
};

/*
 * Decode cap_bytes of data that were wire_bytes on the wire into *frame.
 * time_ns, number, interface, link_type, wire_bytes, cap_bytes and
 * RT_FRAME_NO_TIME are the caller's and must be set in *frame before; all else
 * is written here.  Reads no byte beyond frame->cap_bytes.
 */
void rt_frame_decode(struct rt_frame *frame, const uint8_t *data, unsigned flags);

/* --- sources and sinks --------------------------------------------------- */

/* One interface of a capture. */
struct rt_capture_if {
	char name[64];      /* "" : not told */
	uint64_t speed_bps; /* 0: not told */
	uint16_t link_type;
	uint32_t snap_bytes;       /* 0: unlimited or not told */
	uint64_t units_per_s;      /* resolution of the time stamps */
	uint64_t frames;           /* read so far */
	struct rt_opt_u64 dropped; /* as the capturing tool counted */
};

/*
 * Where decoded frames come from: a file, a live interface, the simulator.
 * A source is used from one thread.
 */
struct rt_source;

struct rt_source_ops {
	const char *name;
	/*
	 * Fill up to max frames; *ret_count is 0 at the end.  Frames read before
	 * an error are delivered first, the error comes with the next call and
	 * with all after it.
	 */
	int (*read)(struct rt_source *source, struct rt_frame *frames, size_t max,
		    size_t *ret_count, struct rt_err *err);
	/* Interfaces known so far; they grow, and may move, while reading. */
	const struct rt_capture_if *(*interfaces)(struct rt_source *source,
						  size_t *ret_count);
	void (*close)(struct rt_source *source); /* takes source */
};

struct rt_source {
	const struct rt_source_ops *ops;
};

/* Where raw frames go to: a file, memory, a live interface. */
struct rt_sink;

struct rt_sink_ops {
	const char *name;
	/* Declare an interface; its index is the count before the call. */
	int (*add_interface)(struct rt_sink *sink,
			     const struct rt_capture_if *interface, struct rt_err *err);
	/* data holds cap_bytes; the sink copies what it keeps. */
	int (*write)(struct rt_sink *sink, unsigned interface, int64_t time_ns,
		     const uint8_t *data, uint32_t cap_bytes, uint32_t wire_bytes,
		     struct rt_err *err);
	/*
	 * The system has taken everything written, or this fails; takes sink,
	 * also on failure.
	 */
	int (*close)(struct rt_sink *sink, struct rt_err *err);
};

struct rt_sink {
	const struct rt_sink_ops *ops;
};

/* --- arithmetic ----------------------------------------------------------- */

/* Distance a - b of two 24-bit PSNs: positive when a is ahead (IBTA 9.7.1). */
static inline int32_t rt_psn_delta(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/*
 * Nanoseconds of a pause of quanta at a link speed: quanta * 512 bit times
 * (802.3 annex 31B.2), rounded to the nearest.  speed_bps must not be 0.
 */
static inline uint64_t rt_pause_ns(uint16_t quanta, uint64_t speed_bps)
{
	return ((uint64_t)quanta * 512 * 1000000000 + speed_bps / 2) / speed_bps;
}

#endif
