/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - frames that the capture holds twice, told from frames sent twice.
 *
 * A mirror of two ports, or a capture on all interfaces, shows a packet at each
 * place it passes.  A copy has the addresses, QP, UDP source port, opcode, PSN,
 * IP id and digest of a frame at most RT_COPY_WINDOW_NS away from it.  So may
 * have a resend; what tells the two apart is, in this order:
 *
 *   IP id      a sender that gives each packet an id of its own gives a resend a
 *              new one.  That it does so is read off the flow, at its beginning
 *              off the sender's others: of 16 frames in a row hardly one has the id
 *              of the frame before it, or its own PSN for an id.  Where there are
 *              none yet an id other than 0 counts as telling, but not after a NAK.
 *              Ids made of PSNs tell packets apart too and resends not; so a frame
 *              that may be one, because a NAK came since or it follows one, is a
 *              copy only when its place differs, the sender's resends are known to
 *              have new ids, or copies that nobody asked for are as late between
 *              the two addresses.  Resends with such ids within the window and with
 *              no NAK in the capture are not told from copies.
 *              CNPs have ids by themselves, and while nothing is known of these they
 *              want other copies between the two addresses for evidence.  Where all
 *              else stands N times one in N of CNPs that are alike is no copy.
 *   transport  UC and UD never send again, and number their packets.
 *   place      a frame with another TTL, VLAN or tunnel was seen elsewhere, and
 *              was not seen there before.  After a NAK for it only if copies that
 *              nobody asked for are as late between the two addresses.
 *   time       a requester waits for 8.192 us at least, the shortest time-out
 *              (IBTA 9.7.6.1.3, code 1) and less than the shortest RNR wait; so
 *              what repeats the last request of its stream sooner is a copy.
 *
 * What none of these decides stays in, and is counted as a lookalike.
 *
 * A copy that is later, or of which less was captured, can't be told for sure: where a
 * packet's PSN and id have been seen before it is counted, and who sees many of these in
 * a stream knows better than to call it lossy.
 *
 * To compare with, the last RT_SIGHTINGS frames of all flows are remembered.  A
 * frame whose PSN is above all before it costs its line in that memory and no
 * search; the others have the lines since the last search chained by a hash of what
 * copies have in common.  When a stream has gone back for no NAK, what is chained leaves
 * a tag behind for a while, in a table in which a new one takes the place of an old one.
 */
#ifndef RT_ANALYSIS_COPIES_H
#define RT_ANALYSIS_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/frame.h"

#define RT_SIGHTINGS      4096u /* a power of two */
#define RT_COPY_WINDOW_NS 500000u
#define RT_OLD_SIGHTINGS  65536u /* a power of two */

struct rt_flow;
struct rt_flow_more;
struct rt_flows;

/* What is remembered of a frame: half a cache line. */
struct rt_sighting {
	int64_t time_ns;
	uint32_t before; /* number of the one of the same hash before it */
	uint32_t packet; /* opcode and PSN */
	uint32_t digest; /* of the frame, and its flow */
	uint32_t place;  /* TTL, VLAN, tunnel */
	uint16_t ip_id, udp_sport;
	uint32_t pair_bits; /* index of the pair; eight bits of enum rt_sighting_bits */
};

/* Beside these the solicited, migration and acknowledge bits of struct rt_bth. */
enum rt_sighting_bits {
	RT_SIGHTING_BTH = RT_BTH_SOLICITED | RT_BTH_MIGREQ | RT_BTH_ACKREQ,
	RT_SIGHTING_COPY = 1 << 3,
	RT_SIGHTING_BAD = 1 << 4,     /* its ICRC is wrong */
	RT_SIGHTING_UNTIMED = 1 << 5, /* it has no time stamp */
	RT_SIGHTING_CE = 1 << 6,      /* it, or a copy of it, is marked */
};

#define RT_SIGHTING_PAIR_SHIFT 8

_Static_assert(sizeof(struct rt_sighting) == 32, "two share a cache line");

/* Of a frame that was chained, until another takes its place. */
struct rt_old_sighting {
	uint32_t tag;      /* of its PSN, opcode, id, port and pair; 0: none */
	uint32_t time_kns; /* in 1024 ns, modulo 2^32 */
};

struct rt_sightings {
	uint32_t count;              /* frames so far, modulo 2^32: numbers them */
	uint32_t chained;            /* of these, by hash */
	uint32_t watched;            /* up to here those that are chained leave tags */
	uint32_t last[RT_SIGHTINGS]; /* by hash: the newest with it */
	struct rt_sighting at[RT_SIGHTINGS];
	struct rt_old_sighting old[RT_OLD_SIGHTINGS]; /* by hash */
};

/*
 * How often the IP id of a flow's frame was that of the frame before it, or the PSN's
 * low bits, and how often another than the former.
 */
struct rt_ip_ids {
	uint16_t last;
	uint8_t same, other, as_psn; /* halved when one has eight bits */
};

enum rt_copy {
	RT_COPY_NONE,
	RT_COPY_PERHAPS, /* the same in all, but it may have been sent again */
	RT_COPY_SURE,
};

/* NULL: out of memory.  The caller frees it with free(). */
struct rt_sightings *rt_sightings_new(void);

/* Was any frame remembered?  If not none was compared. */
static inline bool rt_sightings_any(const struct rt_sightings *sightings)
{
	return sightings->count != RT_SIGHTINGS;
}

/* Where a frame belongs. */
struct rt_copy_of {
	const struct rt_flows *flows;
	const struct rt_flow *flow;
	const struct rt_flow_more *more;
	uint32_t index, pair; /* of the flow; of the addresses */
};

/*
 * Of a frame that is behind in its stream and was not left out: was one with its PSN
 * and IP id seen before, and no NAK is the reason?  Sure where the sender's ids tell
 * packets apart, perhaps before they say anything; then *ret_lag_ns is how far it is
 * behind, at most 72 minutes.  *asked, of the stream: the last that went back did so
 * for a NAK.
 */
enum rt_copy rt_copies_seen_before(struct rt_sightings *sightings,
				   const struct rt_copy_of *of,
				   const struct rt_frame *frame, bool *asked,
				   uint64_t *ret_lag_ns);

/*
 * Is a frame, not remembered yet, a copy?  For frames with a digest; to be asked
 * of those whose PSN is not above all before in their flow.  *ret_marked, of a copy:
 * it carries the first CE mark of its packet, which was set between the two places.
 */
enum rt_copy rt_copies_judge(struct rt_sightings *sightings,
			     const struct rt_copy_of *of, const struct rt_frame *frame,
			     bool *ret_marked);

/* Of a frame with tags or in a tunnel. */
uint32_t rt_copies_place(const struct rt_frame *frame);

/* How a usual frame (usual.h), which is no copy, is remembered. */
static inline void rt_copies_sight_usual(struct rt_sighting *sighting, uint32_t flow,
					 uint32_t pair, const struct rt_frame *frame)
{
	sighting->time_ns = frame->time_ns;
	sighting->packet = (uint32_t)frame->bth.opcode << 24 | frame->bth.psn;
	sighting->digest = frame->digest ^ flow * 0x9E3779B1u;
	sighting->place = (uint32_t)frame->ttl << 24;
	sighting->ip_id = frame->ip_id;
	sighting->udp_sport = frame->udp_sport;
	/* bits that a switch may set do not count */
	sighting->pair_bits = pair << RT_SIGHTING_PAIR_SHIFT |
			      (frame->bth.bits & RT_SIGHTING_BTH) |
			      (frame->ecn == RT_ECN_CE ? RT_SIGHTING_CE : 0);
}

/* The same of any frame with a digest, of the flow and pair with these indices. */
static inline void rt_copies_sight(struct rt_sighting *sighting, uint32_t flow,
				   uint32_t pair, const struct rt_frame *frame,
				   bool copy)
{
	rt_copies_sight_usual(sighting, flow, pair, frame);
	if (frame->vlan_tags || frame->encap != RT_ENCAP_NONE)
		sighting->place = rt_copies_place(frame);
	sighting->pair_bits |= (copy ? RT_SIGHTING_COPY : 0) |
			       (frame->icrc == RT_ICRC_BAD ? RT_SIGHTING_BAD : 0) |
			       (frame->flags & RT_FRAME_NO_TIME ? RT_SIGHTING_UNTIMED
								: 0);
}

static inline void rt_copies_remember_usual(struct rt_sightings *sightings,
					    uint32_t flow, uint32_t pair,
					    const struct rt_frame *frame)
{
	rt_copies_sight_usual(&sightings->at[sightings->count++ % RT_SIGHTINGS], flow,
			      pair, frame);
}

/* Remember a frame with a digest. */
static inline void rt_copies_remember(struct rt_sightings *sightings, uint32_t flow,
				      uint32_t pair, const struct rt_frame *frame,
				      bool copy)
{
	rt_copies_sight(&sightings->at[sightings->count++ % RT_SIGHTINGS], flow, pair,
			frame, copy);
}

/* The id of one more frame that is no copy. */
static inline void rt_ip_ids_take(struct rt_ip_ids *ids, const struct rt_frame *frame)
{
	const bool same = frame->ip_id == ids->last;

	ids->last = frame->ip_id;
	ids->same += same;
	ids->other += !same;
	ids->as_psn += frame->ip_id == (uint16_t)frame->bth.psn;
	if ((ids->same | ids->other | ids->as_psn) & 0x80) {
		ids->same /= 2;
		ids->other /= 2;
		ids->as_psn /= 2;
	}
}

#endif
