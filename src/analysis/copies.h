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
 *              off the sender's others: hardly any two frames in a row have the
 *              same id.  Where there are none yet an id other than 0 counts as
 *              telling, but not of CNPs or after a NAK.
 *   transport  UC and UD never send again, and number their packets.
 *   place      a frame with another TTL, VLAN or tunnel was seen elsewhere, and
 *              was not seen there before.  Not after a NAK for it.
 *   time       a requester waits for 8.192 us at least, the shortest time-out
 *              (IBTA 9.7.6.1.3, code 1) and less than the shortest RNR wait; so
 *              what repeats the last request of its stream sooner is a copy.
 *
 * What none of these decides stays in, and is counted as a lookalike.
 *
 * To compare with, the last RT_SIGHTINGS frames of all flows are remembered,
 * chained by a hash of what copies have in common.  A frame whose PSN is above
 * all before it costs its line in that memory and no search.
 */
#ifndef RT_ANALYSIS_COPIES_H
#define RT_ANALYSIS_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "rocetune/frame.h"

#define RT_SIGHTINGS      4096u /* a power of two */
#define RT_COPY_WINDOW_NS 500000u

struct rt_flows;

enum rt_sighted {
	RT_SIGHTED_COPY = 1 << 0,
	RT_SIGHTED_BAD = 1 << 1, /* its ICRC is wrong */
	RT_SIGHTED_UNTIMED = RT_FRAME_NO_TIME,
};

/* What is remembered of a frame: half a cache line. */
struct rt_sighting {
	int64_t time_ns;
	uint32_t before; /* number of the one of the same hash before it */
	uint32_t packet; /* opcode and PSN */
	uint32_t digest; /* of the frame, and its flow */
	uint32_t place;  /* TTL, VLAN, tunnel */
	uint16_t ip_id, udp_sport;
	uint16_t pair; /* index; below RT_ANALYSIS_MAX_PAIRS */
	uint8_t bth_bits;
	uint8_t flags; /* enum rt_sighted */
};

_Static_assert(sizeof(struct rt_sighting) == 32, "two share a cache line");

struct rt_sightings {
	uint32_t count;              /* frames so far, modulo 2^32: numbers them */
	uint32_t last[RT_SIGHTINGS]; /* by hash: the newest with it */
	struct rt_sighting at[RT_SIGHTINGS];
};

/* How often the IP id of a flow's frame was that of the frame before it. */
struct rt_ip_ids {
	uint16_t last;
	uint8_t same, other; /* halved when one has eight bits */
};

/* NULL: out of memory.  The caller frees it with free(). */
struct rt_sightings *rt_sightings_new(void);

/*
 * Is a frame of that flow and pair, not remembered yet, a copy?  For frames with a
 * digest; to be asked of those whose PSN is not above all before in their flow.
 * Counts what it finds.
 */
bool rt_copies_find(struct rt_flows *flows, uint32_t flow, uint32_t pair,
		    const struct rt_frame *frame);

/* Neither of the two most frames have. */
static inline uint32_t rt_sighting_place(const struct rt_frame *frame)
{
	uint32_t place = (uint32_t)frame->ttl << 24;

	if (frame->encap | frame->vlan_tags)
		place |= (uint32_t)frame->encap << 20 |
			 (uint32_t)frame->vlan_tags << 16 |
			 ((frame->vlan & 0xFFFu) ^ (uint16_t)frame->encap_id);
	return place;
}

/* All but before. */
static inline void rt_sight(struct rt_sighting *sighting, const struct rt_frame *frame,
			    uint32_t flow, uint32_t pair)
{
	const unsigned bad = frame->icrc == RT_ICRC_BAD ? RT_SIGHTED_BAD : 0;

	sighting->time_ns = frame->time_ns;
	sighting->packet = (uint32_t)frame->bth.opcode << 24 | frame->bth.psn;
	sighting->digest = frame->digest + flow;
	sighting->place = rt_sighting_place(frame);
	sighting->ip_id = frame->ip_id;
	sighting->udp_sport = frame->udp_sport;
	sighting->pair = (uint16_t)pair;
	/* bits that a switch may set do not count */
	sighting->bth_bits = frame->bth.bits & (uint8_t) ~(RT_BTH_FECN | RT_BTH_BECN);
	sighting->flags = (uint8_t)(bad | (frame->flags & RT_FRAME_NO_TIME));
}

/* By what copies have in common. */
static inline uint32_t rt_sighting_slot(const struct rt_sighting *sighting)
{
	return (sighting->digest + sighting->packet + sighting->ip_id) * 0x85EBCA6Bu /
	       (UINT32_MAX / RT_SIGHTINGS + 1);
}

/* Remember a frame with a digest, of that flow and pair. */
static inline void rt_copies_remember(struct rt_sightings *sightings, uint32_t flow,
				      uint32_t pair, const struct rt_frame *frame,
				      bool copy)
{
	const uint32_t number = sightings->count++;
	struct rt_sighting *sighting = &sightings->at[number % RT_SIGHTINGS];
	uint32_t *last;

	rt_sight(sighting, frame, flow, pair);
	sighting->flags |= copy ? RT_SIGHTED_COPY : 0;
	last = &sightings->last[rt_sighting_slot(sighting)];
	sighting->before = *last;
	*last = number;
}

/* The id of one more frame that is no copy. */
static inline void rt_ip_ids_take(struct rt_ip_ids *ids, uint16_t ip_id)
{
	const bool same = ip_id == ids->last;

	ids->last = ip_id;
	ids->same += same;
	ids->other += !same;
	if ((ids->same | ids->other) & 0x80) {
		ids->same /= 2;
		ids->other /= 2;
	}
}

#endif
