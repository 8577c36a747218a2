/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow.h - who talks to whom: the tables that every stage hangs its state on.
 *
 * A flow is a stream, or the packets toward one QP that are in no stream (ACKs,
 * CNPs).  What is touched for every packet lies in struct rt_flow, two cache
 * lines that are fetched ahead for a whole batch; what is touched only when
 * something happens lies in struct rt_flow_more under the same index.  A pair
 * is a (source, destination) of addresses.
 *
 * Both are kept for each interface apart: a capture of several ports shows a
 * packet at every port it passes, and its PSNs are in order only at each of them.
 * rt_flows_choose() says in the end which one stands for all.
 *
 * Members are grouped by the stage that owns them; nobody else writes there.
 * Both tables are bounded, in number and in the steps of a search, so that made
 * up addresses cost neither memory nor time without end.
 */
#ifndef RT_ANALYSIS_FLOW_H
#define RT_ANALYSIS_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/connect.h"
#include "analysis/copies.h"
#include "analysis/holes.h"
#include "analysis/pairing.h"
#include "base/hash.h"
#include "rocetune/analysis.h"
#include "rocetune/frame.h"

#define RT_NO_INDEX UINT32_MAX

/* How many flows of one pair are looked at when one is searched among them. */
#define RT_FLOW_CANDIDATES 1024u

/* Slots hold hash tag and index; see flow.c. */
struct rt_directory {
	uint64_t *slots;
	uint32_t mask;
	uint32_t count;
};

/* Where a hash, of which the upper half counts, is looked for at a step. */
static inline uint32_t rt_directory_slot(const struct rt_directory *directory,
					 uint64_t hash, uint32_t step)
{
	return ((uint32_t)(hash >> 32) + step) & directory->mask;
}

/* Address as a table key: version 0 is a LID of native InfiniBand. */
struct rt_flow_addr {
	uint64_t high, low;
};

/* Transports, as opcode >> 5 (IBTA 9.2.1). */
enum rt_transport {
	RT_TRANSPORT_RC = 0,
	RT_TRANSPORT_UC = 1,
	RT_TRANSPORT_RD = 2,
	RT_TRANSPORT_UD = 3,
	RT_TRANSPORT_XRC = 5,
};

enum rt_flow_flags {
	RT_FLOW_STARTED = 1 << 0,     /* PSN state is valid */
	RT_FLOW_IN_BEHIND = 1 << 1,   /* the last frame was behind */
	RT_FLOW_PENDING = 1 << 2,     /* READ requests wait for a path MTU */
	RT_FLOW_FILLED = 1 << 3,      /* the last frame filled a gap up */
	RT_FLOW_NAKED = 1 << 4,       /* a NAK waits for its rewind */
	RT_FLOW_ASKED = 1 << 5,       /* ... FILLED: after a NAK or a silence */
	RT_FLOW_DOUBT = 1 << 6,       /* it may come again: doubt_psn */
	RT_FLOW_DOUBT_ACKED = 1 << 7, /* ... which the receiver said it has */
};

struct rt_flow {
	/* What it is found by: as struct rt_flow_key has it, for one comparison. */
	struct rt_flow_addr dst;
	uint32_t dest_qp, src_qp; /* src_qp: UD only, else 0 */
	uint16_t interface;
	uint8_t stream;  /* enum rt_stream */
	uint8_t version; /* of the address */

	uint32_t pair;
	struct rt_flow_addr src; /* of the pair */
	/* sequence */
	uint32_t next_psn, high_psn;
	uint16_t mtu;
	uint8_t flags; /* enum rt_flow_flags */
	bool last_bad; /* the ICRC of its last frame was wrong */
	uint16_t udp_sport;
	uint8_t transport;
	uint8_t dscp;

	uint64_t messages, payload_bytes;
	int64_t last_ns;
	struct rt_ip_ids ids;
	/* marks */
	uint64_t ecn[4];
} __attribute__((aligned(128)));

_Static_assert(sizeof(struct rt_flow) == 128, "two cache lines");

/* A READ request whose length in PSNs is not known yet. */
struct rt_flow_wait {
	int64_t time_ns;
	uint32_t psn, dma_bytes;
};

#define RT_FLOW_WAITS 16

struct rt_flow_waits {
	uint32_t count;
	struct rt_flow_wait at[RT_FLOW_WAITS];
};

/*
 * What happened to a flow beyond frames that came in order and ACKs: made when
 * something does, since of a million flows most have nothing to tell.
 */
struct rt_flow_events {
	/* sequence */
	uint64_t resent_bytes;
	uint64_t p_gaps, p_skipped, p_rewinds;
	uint64_t h_gaps, h_skipped, h_episodes, h_behind;
	struct rt_holes *holes; /* owned; NULL: no PSN is missing */
	struct rt_holes_lost lost;
	uint64_t reordered, repaired, undecided;
	uint64_t bad_gaps, bad_h_gaps, bad_bytes; /* of frames with a wrong ICRC */
	uint64_t reads;                           /* requests */
	uint64_t between_gaps; /* responses: where other requests may have had PSNs */
	uint32_t filled_psn, doubt_psn; /* the last of a gap that was filled */
	uint64_t rewinds_nak, rewinds_rnr, rewinds_alone;
	uint64_t silence_ns, longest_silence_ns;
	uint64_t timeouts, timeout_silence_ns, rnr_silence_ns;
	uint64_t nak_to_resend_ns;
	int64_t nak_ns;
	uint32_t nak_psn;
	bool nak_is_rnr;
	bool saw_before;             /* a PSN below the first one */
	struct rt_flow_waits *waits; /* owned; NULL most of the time */
	/* sequence, on the flow that carries the ACKs */
	uint64_t naks, other_naks, rnr_naks;
	uint64_t rnr_wait_ns, rnr_longest_ns;
	/* marks */
	uint64_t asks_ecn[4]; /* of the flow's ecn: frames that bring no data */
	uint64_t cnps, cnp_min_ns;
	int64_t cnp_first_ns, cnp_last_ns;
	struct rt_ip_ids cnp_ids; /* of CNPs alone */
	uint32_t cnp_copies;      /* of more->copies */
};

/* What is not touched for every packet. */
struct rt_flow_more {
	uint64_t first_frame;
	int64_t first_ns;
	uint8_t eth_src[6]; /* of the first frame */
	uint8_t peer_tries;
	bool peer_sure;        /* decided, not guessed */
	uint32_t next_in_pair; /* the flow of the pair that was new before */
	uint32_t peer;         /* ACKs, responses: the request stream they answer */
	uint32_t answer_qp;    /* a stream: at this QP, if decided or guessed */
	uint8_t answered;      /* ... enum rt_flow_answered */
	uint32_t peer_acks, peer_misses; /* since decided; that it can't have sent */
	uint32_t primary; /* by rt_flows_choose(): itself, or the flow that counts */
	uint32_t row;     /* of the result; written when the stage finishes */
	uint32_t first_psn;
	struct rt_pairing *pairing;    /* owned; NULL: decided, or not begun */
	struct rt_flow_events *events; /* owned; NULL: nothing happened */
	uint64_t acks;                 /* on the flow that carries them */
	uint64_t icrc_ok, icrc_bad;
	uint32_t connection;   /* whose packets these are; RT_NO_INDEX: not known */
	uint32_t connected_qp; /* ... of its sender */
	uint32_t copies;       /* left out: its frames seen once more */
	uint32_t lookalikes;   /* kept: copies or resends, nobody knows */
	uint32_t seen_before;  /* kept: with the PSN and id of one before */
	bool asked;            /* the last that came back did so for a NAK */
	uint64_t seen_lag_ns;  /* the longest of these behind the first */
};

/* One window of time of a pair. */
struct rt_pair_window {
	uint64_t good_bytes, wire_bytes;
	uint32_t frames, ce; /* of data */
};

struct rt_pair {
	/* What each data frame touches: one cache line. */
	struct rt_pair_window now; /* the part of window that is not in windows yet */
	int64_t last_ns;           /* of data */
	uint64_t last_span_ns;     /* that the last frame took; 0: not known */
	uint32_t window;           /* RT_NO_WINDOW: now is empty */
	uint16_t mtu;              /* learned from any flow between the two */
	uint16_t interface;
	struct rt_pair_window *windows; /* owned; NULL: not followed over time */

	struct rt_flow_addr src, dst;
	uint8_t src_version, dst_version;
	uint32_t reverse;   /* the pair the other way; RT_NO_INDEX: not seen */
	uint32_t last_flow; /* newest flow; chained by next_in_pair */
	uint32_t flow_count;
	uint32_t root;    /* the first pair with these addresses, at any interface */
	uint32_t primary; /* of a root, by rt_flows_choose(): the pair that counts */
	int64_t first_ns; /* of data */
	bool copied;      /* some of its frames were copies, and left out */
	/* Rewinds after a NAK: with an id that counted on, or with another one. */
	uint8_t renumbered, not_renumbered;
	uint32_t copy_lag_ns; /* the longest of a copy that no NAK had asked for */
	/*
	 * What follows is whole after rt_flows_settle().  Before, ecn lacks what the
	 * flows of the pair counted, and data what lies in windows.
	 */
	uint64_t ecn[4];
	uint64_t other_wire_bytes; /* of frames that are no data */
	uint64_t again_bytes;      /* payload that was seen before, or damaged */
	uint64_t wire_bytes, data_wire_bytes, payload_bytes, good_bytes;
	uint64_t data_frames, data_ce;
} __attribute__((aligned(64)));

#define RT_NO_WINDOW UINT32_MAX

struct rt_flows {
	struct rt_directory directory, pair_directory;
	struct rt_directory root_directory; /* pairs without regard to interfaces */
	bool several; /* some addresses were seen at more than one interface */
	/* Records may move when one is added; indices stay. */
	struct rt_flow *flow;
	struct rt_flow_more *more;
	uint32_t count, capacity, max;
	struct rt_pair *pairs;
	size_t pair_count, pair_capacity;
	struct rt_hole_pool hole_pool;
	uint32_t pairings;                  /* allocated */
	struct rt_sightings *sightings;     /* owned */
	struct rt_connections *connections; /* owned; NULL: no CM message was seen */
	uint64_t overflow;                  /* frames of flows that had no room */
	uint64_t pair_overflow;             /* frames of pairs that had no room */
};

/* What looking a frame up needs; computed once per frame. */
struct rt_flow_key {
	struct rt_flow_addr dst;
	uint32_t dest_qp, src_qp;
	uint16_t interface;
	uint8_t stream, dst_version;
	uint8_t src_version;
	struct rt_flow_addr src;
	uint64_t hash;
};

/* The bytes that a flow and its key have in common. */
#define RT_FLOW_ID_BYTES 28

_Static_assert(offsetof(struct rt_flow, version) == RT_FLOW_ID_BYTES - 1 &&
		       offsetof(struct rt_flow_key, dst_version) ==
			       RT_FLOW_ID_BYTES - 1,
	       "a flow begins as its key does");

static inline struct rt_flow *rt_flow_at(const struct rt_flows *flows, uint32_t index)
{
	return &flows->flow[index];
}

static inline struct rt_flow_more *rt_flow_more_at(const struct rt_flows *flows,
						   uint32_t index)
{
	return &flows->more[index];
}

/* To read what happened; all 0 when nothing did. */
const struct rt_flow_events *rt_flow_events_of(const struct rt_flow_more *more);

/* Before something is written to more->events.  -ENOMEM. */
int rt_flow_need_events(struct rt_flow_more *more, struct rt_err *err);

/* -ENOMEM.  max is at most RT_ANALYSIS_MAX_FLOWS. */
int rt_flows_init(struct rt_flows *flows, uint32_t max, struct rt_err *err);
void rt_flows_free(struct rt_flows *flows);

/* Bytes that an IPv4 address does not use are not looked at. */
static inline struct rt_flow_addr rt_flow_addr_of(const struct rt_ip *ip, uint16_t lid)
{
	struct rt_flow_addr addr = { 0 };

	if (__builtin_expect(ip->version == 4, 1)) {
		uint32_t low;

		memcpy(&low, ip->bytes, 4);
		addr.low = low;
	} else if (ip->version == 6) {
		memcpy(&addr.high, ip->bytes, 8);
		memcpy(&addr.low, ip->bytes + 8, 8);
	} else {
		addr.low = lid;
	}
	return addr;
}

/* All of a flow's identity but its address in a word; different ones may be alike. */
static inline uint64_t rt_flow_qps(uint32_t dest_qp, uint32_t src_qp, uint8_t stream,
				   uint16_t interface, uint8_t version)
{
	return dest_qp ^ (uint64_t)src_qp << 40 ^ (uint64_t)stream << 62 ^
	       (uint64_t)interface << 24 ^ (uint64_t)version << 56;
}

static inline uint64_t rt_flow_hash_of(uint64_t low, uint64_t high, uint64_t qps)
{
	return rt_hash_fold(low + high * UINT64_C(0x9FB21C651E98DF25), qps);
}

static inline uint64_t rt_flow_hash(const struct rt_flow_key *key)
{
	return rt_flow_hash_of(key->dst.low, key->dst.high,
			       rt_flow_qps(key->dest_qp, key->src_qp, key->stream,
					   key->interface, key->dst_version));
}

/* The key of a RoCE frame whose BTH is there. */
static inline void rt_flow_key_of(const struct rt_frame *frame, struct rt_flow_key *key)
{
	const struct rt_bth *bth = &frame->bth;

	key->src = rt_flow_addr_of(&frame->src, (uint16_t)(frame->slid_dlid >> 16));
	key->dst = rt_flow_addr_of(&frame->dst, (uint16_t)frame->slid_dlid);
	key->src_version = frame->src.version;
	key->dst_version = frame->dst.version;
	key->dest_qp = bth->dest_qp;
	key->src_qp = bth->ext & RT_EXT_DETH ? bth->src_qp : 0;
	/* RD numbers the packets of an EE context, whatever their queue pairs are. */
	if (__builtin_expect(bth->ext & RT_EXT_RDETH, 0)) {
		key->dest_qp = bth->xrc_srq;
		key->src_qp = 0;
	}
	key->interface = frame->interface;
	key->stream = rt_ops[bth->opcode].stream;
	key->hash = rt_flow_hash(key);
}

static inline bool rt_flow_addr_equal(struct rt_flow_addr a, struct rt_flow_addr b)
{
	return ((a.low ^ b.low) | (a.high ^ b.high)) == 0;
}

static inline bool rt_flow_is(const struct rt_flow *flow, const struct rt_flow_key *key)
{
	return memcmp(flow, key, RT_FLOW_ID_BYTES) == 0;
}

static inline void rt_flow_prefetch_slot(const struct rt_flows *flows, uint64_t hash)
{
	__builtin_prefetch(
		&flows->directory.slots[rt_directory_slot(&flows->directory, hash, 0)]);
}

/* Fetch the record that a hash most likely belongs to; a guess, or RT_NO_INDEX. */
static inline uint32_t rt_flow_prefetch(const struct rt_flows *flows, uint64_t hash)
{
	const uint64_t slot =
		flows->directory.slots[rt_directory_slot(&flows->directory, hash, 0)];
	const struct rt_flow *flow;

	if (slot == 0 || (slot ^ hash) >> 32)
		return RT_NO_INDEX;
	flow = rt_flow_at(flows, (uint32_t)slot - 1);
	__builtin_prefetch(flow, 1);
	__builtin_prefetch((const char *)flow + 64, 1);
	return (uint32_t)slot - 1;
}

static inline void rt_flow_more_prefetch(const struct rt_flows *flows, uint32_t index)
{
	const struct rt_flow_more *more = rt_flow_more_at(flows, index);

	__builtin_prefetch(more, 1);
	__builtin_prefetch((const char *)more + 64, 1);
}

static inline void rt_pair_prefetch(const struct rt_pair *pair)
{
	__builtin_prefetch(pair, 1);
}

/* Indices of a flow and of the pair its packet belongs to. */
struct rt_flow_found {
	uint32_t flow, pair;
};

/*
 * Find key's flow, and its pair, created when new.  RT_NO_INDEX: no room
 * (counted).  -ENOMEM.
 */
int rt_flows_find(struct rt_flows *flows, const struct rt_flow_key *key,
		  const struct rt_frame *frame, struct rt_flow_found *ret_found,
		  struct rt_err *err);

/* The pair with these addresses at an interface; RT_NO_INDEX: none was seen. */
uint32_t rt_pairs_find(const struct rt_flows *flows, struct rt_flow_addr src,
		       struct rt_flow_addr dst, uint8_t dst_version,
		       uint16_t interface);

/* Put what counts up for one window where it belongs. */
static inline void rt_pair_flush(struct rt_pair *pair)
{
	struct rt_pair_window *window;

	if (pair->window == RT_NO_WINDOW)
		return;
	window = &pair->windows[pair->window];
	window->good_bytes += pair->now.good_bytes;
	window->wire_bytes += pair->now.wire_bytes;
	window->frames += pair->now.frames;
	window->ce += pair->now.ce;
	pair->now = (struct rt_pair_window){ 0 };
	pair->window = RT_NO_WINDOW;
}

/* After the last frame, and before what follows: see struct rt_pair. */
void rt_flows_settle(struct rt_flows *flows);

/*
 * Of the copies of a flow or a pair at several interfaces choose the one that
 * counts: the last to appear, which is the farthest along the path, among those
 * that carried nearly all of it, resends left aside.  -ENOMEM.
 */
int rt_flows_choose(struct rt_flows *flows, struct rt_err *err);

/* After rt_flows_choose(): is this the one that counts? */
static inline bool rt_flow_counts(const struct rt_flows *flows, uint32_t index)
{
	return rt_flow_more_at(flows, index)->primary == index;
}

static inline bool rt_pair_counts(const struct rt_flows *flows, size_t index)
{
	return flows->pairs[flows->pairs[index].root].primary == index;
}

/* UC and UD send nothing twice: what comes again there has another reason. */
static inline bool rt_flow_resends(const struct rt_flow *flow)
{
	return flow->transport != RT_TRANSPORT_UC && flow->transport != RT_TRANSPORT_UD;
}

/* Packets of it, of any ECN codepoint. */
static inline uint64_t rt_ecn_sum(const uint64_t ecn[4])
{
	return ecn[0] + ecn[1] + ecn[2] + ecn[3];
}

/* Write an address for people: "10.0.0.1", "fd00::10", "LID 7". */
void rt_flow_addr_format(struct rt_flow_addr addr, uint8_t version,
			 char buf[RT_IP_TEXT_BYTES]);

#endif
