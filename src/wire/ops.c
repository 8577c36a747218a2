/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ops.c - the table of BTH opcodes.
 *
 * The high three bits are the transport, the low five the operation (IBTA 9.2.1,
 * table 38; Linux include/rdma/ib_pack.h).  A transport that has an operation
 * adds its own header in front: DETH for UD, RDETH and DETH for RD, XRCETH for
 * XRC requests.  CNP is one whole byte (IBTA A17.9.3).
 */
#include "rocetune/frame.h"

#define REQ    RT_STREAM_REQUEST
#define RSP    RT_STREAM_RESPONSE
#define NONE   RT_STREAM_NONE
#define FIRST  (RT_OP_STARTS | RT_OP_FULL)
#define MIDDLE RT_OP_FULL
#define LAST   RT_OP_ENDS
#define ONLY   (RT_OP_STARTS | RT_OP_ENDS)
#define ASK    (ONLY | RT_OP_ASKS)

#define HAS(set, bit, bytes) ((set) & (bit) ? (bytes) : 0)
#define EXT_BYTES(set)                                                 \
	(HAS(set, RT_EXT_RDETH, 4) + HAS(set, RT_EXT_DETH, 8) +        \
	 HAS(set, RT_EXT_XRCETH, 4) + HAS(set, RT_EXT_FETH, 4) +       \
	 HAS(set, RT_EXT_RETH, 16) + HAS(set, RT_EXT_ATOMICETH, 28) +  \
	 HAS(set, RT_EXT_AETH, 4) + HAS(set, RT_EXT_ATOMICACKETH, 8) + \
	 HAS(set, RT_EXT_IMMDT, 4) + HAS(set, RT_EXT_IETH, 4) +        \
	 HAS(set, RT_EXT_CNP, 16))

#define ROW(base, transport, low, title, headers, psn_stream, flags) \
	[(base) + (low)] = { .name = transport " " title,            \
			     .ext = (headers),                       \
			     .ext_bytes = EXT_BYTES(headers),        \
			     .stream = (psn_stream),                 \
			     .bits = (flags) }

/* extra stands in front of requests, answer in front of responses. */
#define SENDS(base, t, extra)                                          \
	ROW(base, t, 0x00, "SEND First", extra, REQ, FIRST),           \
		ROW(base, t, 0x01, "SEND Middle", extra, REQ, MIDDLE), \
		ROW(base, t, 0x02, "SEND Last", extra, REQ, LAST),     \
		ROW(base, t, 0x03, "SEND Last Imm", (extra) | RT_EXT_IMMDT, REQ, LAST)

#define SENDS_ONLY(base, t, extra)                         \
	ROW(base, t, 0x04, "SEND Only", extra, REQ, ONLY), \
		ROW(base, t, 0x05, "SEND Only Imm", (extra) | RT_EXT_IMMDT, REQ, ONLY)

#define WRITES(base, t, extra)                                                      \
	ROW(base, t, 0x06, "WRITE First", (extra) | RT_EXT_RETH, REQ, FIRST),       \
		ROW(base, t, 0x07, "WRITE Middle", extra, REQ, MIDDLE),             \
		ROW(base, t, 0x08, "WRITE Last", extra, REQ, LAST),                 \
		ROW(base, t, 0x09, "WRITE Last Imm", (extra) | RT_EXT_IMMDT, REQ,   \
		    LAST),                                                          \
		ROW(base, t, 0x0A, "WRITE Only", (extra) | RT_EXT_RETH, REQ, ONLY), \
		ROW(base, t, 0x0B, "WRITE Only Imm",                                \
		    (extra) | RT_EXT_RETH | RT_EXT_IMMDT, REQ, ONLY)

#define READS(base, t, extra, answer)                                              \
	ROW(base, t, 0x0C, "READ Request", (extra) | RT_EXT_RETH, REQ,             \
	    ASK | RT_OP_IS_READ),                                                  \
		ROW(base, t, 0x0D, "READ Resp First", (answer) | RT_EXT_AETH, RSP, \
		    FIRST),                                                        \
		ROW(base, t, 0x0E, "READ Resp Middle", answer, RSP, MIDDLE),       \
		ROW(base, t, 0x0F, "READ Resp Last", (answer) | RT_EXT_AETH, RSP,  \
		    LAST),                                                         \
		ROW(base, t, 0x10, "READ Resp Only", (answer) | RT_EXT_AETH, RSP,  \
		    ONLY)

#define ACKS(base, t, answer)                                       \
	ROW(base, t, 0x11, "ACK", (answer) | RT_EXT_AETH, NONE, 0), \
		ROW(base, t, 0x12, "ATOMIC ACK",                    \
		    (answer) | RT_EXT_AETH | RT_EXT_ATOMICACKETH, NONE, 0)

#define ATOMICS(base, t, extra)                                              \
	ROW(base, t, 0x13, "CmpSwap", (extra) | RT_EXT_ATOMICETH, REQ, ASK), \
		ROW(base, t, 0x14, "FetchAdd", (extra) | RT_EXT_ATOMICETH, REQ, ASK)

#define INVALIDATES(base, t, extra)                                            \
	ROW(base, t, 0x16, "SEND Last Inv", (extra) | RT_EXT_IETH, REQ, LAST), \
		ROW(base, t, 0x17, "SEND Only Inv", (extra) | RT_EXT_IETH, REQ, ONLY)

#define FLUSH(base, t, extra) \
	ROW(base, t, 0x1C, "FLUSH", (extra) | RT_EXT_FETH | RT_EXT_RETH, REQ, ASK)

#define RD_EXT (RT_EXT_RDETH | RT_EXT_DETH)

const struct rt_op rt_ops[256] = {
	SENDS(0x00, "RC", 0),
	SENDS_ONLY(0x00, "RC", 0),
	WRITES(0x00, "RC", 0),
	READS(0x00, "RC", 0, 0),
	ACKS(0x00, "RC", 0),
	ATOMICS(0x00, "RC", 0),
	INVALIDATES(0x00, "RC", 0),
	FLUSH(0x00, "RC", 0),
	ROW(0x00, "RC", 0x1D, "ATOMIC WRITE", RT_EXT_RETH, REQ, ONLY),

	SENDS(0x20, "UC", 0),
	SENDS_ONLY(0x20, "UC", 0),
	WRITES(0x20, "UC", 0),

	SENDS(0x40, "RD", RD_EXT),
	SENDS_ONLY(0x40, "RD", RD_EXT),
	WRITES(0x40, "RD", RD_EXT),
	READS(0x40, "RD", RD_EXT, RT_EXT_RDETH),
	ACKS(0x40, "RD", RT_EXT_RDETH),
	ATOMICS(0x40, "RD", RD_EXT),
	ROW(0x40, "RD", 0x15, "RESYNC", RD_EXT, REQ, ASK),
	FLUSH(0x40, "RD", RD_EXT),

	SENDS_ONLY(0x60, "UD", RT_EXT_DETH),

	[RT_OP_CNP] = { .name = "CNP",
			.ext = RT_EXT_CNP,
			.ext_bytes = EXT_BYTES(RT_EXT_CNP),
			.stream = NONE },

	SENDS(0xA0, "XRC", RT_EXT_XRCETH),
	SENDS_ONLY(0xA0, "XRC", RT_EXT_XRCETH),
	WRITES(0xA0, "XRC", RT_EXT_XRCETH),
	READS(0xA0, "XRC", RT_EXT_XRCETH, 0),
	ACKS(0xA0, "XRC", 0),
	ATOMICS(0xA0, "XRC", RT_EXT_XRCETH),
	INVALIDATES(0xA0, "XRC", RT_EXT_XRCETH),
};
