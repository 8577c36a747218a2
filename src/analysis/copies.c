/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/copies.h"

#include <stdlib.h>

#include "analysis/flow.h"

/* Sightings with one hash that a frame is compared with, at most. */
#define MAX_STEPS 64u

/* Below the shortest time-out: 4.096 us * 2^1. */
#define RESEND_NS 8192u

/* Ids tell when at most one of so many frames has that of the one before it. */
#define TELLING 16u

#define TRANSPORT_UC 1
#define TRANSPORT_UD 3

enum sighting_flags {
	COPY = 1 << 0,
	BAD = 1 << 1,     /* its ICRC is wrong */
	UNTIMED = 1 << 2, /* it has no time stamp */
};

struct rt_sightings *rt_sightings_new(void)
{
	struct rt_sightings *sightings = calloc(1, sizeof(*sightings));

	/* so that 0, which last[] begins with, is out of reach */
	if (sightings)
		sightings->count = RT_SIGHTINGS;
	return sightings;
}

static uint32_t place_of(const struct rt_frame *frame)
{
	return (uint32_t)frame->ttl << 24 ^ (uint32_t)frame->encap << 21 ^
	       (frame->vlan & 0xFFFu) * 0x9E37u ^ frame->vlan_tags ^
	       frame->encap_id * 0x85EBCA6Bu;
}

static uint8_t flags_of(const struct rt_frame *frame)
{
	return (uint8_t)((frame->icrc == RT_ICRC_BAD ? BAD : 0) |
			 (frame->flags & RT_FRAME_NO_TIME ? UNTIMED : 0));
}

static struct rt_sighting sight(const struct rt_frame *frame, uint32_t flow,
				uint32_t pair)
{
	return (struct rt_sighting){
		.time_ns = frame->time_ns,
		.packet = (uint32_t)frame->bth.opcode << 24 | frame->bth.psn,
		.digest = frame->digest ^ flow * 0x9E3779B1u,
		.place = place_of(frame),
		.ip_id = frame->ip_id,
		.udp_sport = frame->udp_sport,
		.pair = (uint16_t)pair,
		/* bits that a switch may set do not count */
		.bth_bits = frame->bth.bits & (uint8_t) ~(RT_BTH_FECN | RT_BTH_BECN),
		.flags = flags_of(frame),
	};
}

static uint32_t slot_of(const struct rt_sighting *sighting)
{
	return (sighting->digest + sighting->packet) * 0x85EBCA6Bu >> 20 &
	       (RT_SIGHTINGS - 1);
}

void rt_copies_remember(struct rt_sightings *sightings, uint32_t flow, uint32_t pair,
			const struct rt_frame *frame, bool copy)
{
	const uint32_t number = sightings->count++;
	struct rt_sighting *sighting = &sightings->at[number % RT_SIGHTINGS];
	uint32_t *last;

	*sighting = sight(frame, flow, pair);
	sighting->flags |= copy ? COPY : 0;
	last = &sightings->last[slot_of(sighting)];
	sighting->before = *last;
	*last = number;
}

enum copy {
	COPY_NONE,
	COPY_PERHAPS, /* the same in all, but it may have been sent again */
	COPY_SURE,
};

/* Where a frame belongs. */
struct belongs {
	const struct rt_flows *flows;
	const struct rt_flow *flow;
	const struct rt_flow_more *more;
	uint32_t pair;
};

/* What the sightings say about a frame. */
struct evidence {
	const struct rt_sighting *original; /* NULL: none in the window */
	bool same_place;                    /* it was seen there before */
	/* The same packet at other times: a resend, or, of CNPs, another one. */
	bool other_id, same_id;
};

static uint64_t distance_ns(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool is_same(const struct rt_sighting *a, const struct rt_sighting *b)
{
	return a->packet == b->packet && a->digest == b->digest &&
	       a->udp_sport == b->udp_sport && a->pair == b->pair &&
	       a->bth_bits == b->bth_bits && ((a->flags ^ b->flags) & BAD) == 0;
}

static void compare(const struct rt_sighting *sighting, const struct rt_sighting *frame,
		    struct evidence *evidence)
{
	const bool original = !(sighting->flags & COPY);

	if (!is_same(sighting, frame))
		return;
	if (sighting->ip_id != frame->ip_id) {
		evidence->other_id = true;
	} else if (distance_ns(sighting->time_ns, frame->time_ns) > RT_COPY_WINDOW_NS) {
		evidence->same_id |= original;
	} else if (!evidence->original) {
		evidence->same_place |= sighting->place == frame->place;
		evidence->original = original ? sighting : NULL;
	}
}

static struct evidence collect(const struct rt_sightings *sightings,
			       const struct rt_sighting *frame)
{
	struct evidence evidence = { 0 };
	uint32_t at = sightings->last[slot_of(frame)];

	for (uint32_t step = 0; step < MAX_STEPS; step++) {
		const struct rt_sighting *sighting = &sightings->at[at % RT_SIGHTINGS];

		if (sightings->count - at - 1 >= RT_SIGHTINGS)
			break;
		compare(sighting, frame, &evidence);
		at = sighting->before;
	}
	return evidence;
}

/* Has each packet of a sender an IP id of its own? */
enum telling {
	TELLS,
	TELLS_NOT,
	TELLS_NOTHING_YET,
};

/* A flow's first frame counts as another than none. */
static enum telling ids_tell(unsigned same, unsigned other)
{
	if (same * TELLING > other)
		return TELLS_NOT;
	return other > 0 ? TELLS : TELLS_NOTHING_YET;
}

/* By the sender's other flows on this way. */
static enum telling neighbours_tell(const struct rt_flows *flows, uint32_t pair)
{
	unsigned same = 0, other = 0, steps = 0;

	for (uint32_t at = flows->pairs[pair].last_flow;
	     at != RT_NO_INDEX && steps < MAX_STEPS;
	     at = rt_flow_more_at(flows, at)->next_in_pair, steps++) {
		const struct rt_ip_ids *ids = &rt_flow_at(flows, at)->ids;

		same += ids->same;
		other += ids->other - (ids->other > 0);
	}
	return ids_tell(same, other);
}

static bool tells_by_id(const struct evidence *evidence, const struct belongs *of,
			const struct rt_frame *frame, bool asked)
{
	const struct rt_ip_ids *ids = &of->flow->ids;
	enum telling telling = ids_tell(ids->same, ids->other - (ids->other > 0));

	if (evidence->same_id)
		return false;
	if (evidence->other_id && telling != TELLS_NOT)
		return true;
	if (telling == TELLS_NOTHING_YET)
		telling = neighbours_tell(of->flows, of->pair);
	if (telling == TELLS_NOTHING_YET)
		return frame->ip_id != 0 && !asked && frame->bth.opcode != RT_OP_CNP;
	return telling == TELLS;
}

static bool is_request(const struct rt_flow *flow)
{
	return flow->stream == RT_STREAM_REQUEST;
}

/* A NAK asked for it, or for what lies before it. */
static bool is_asked_for(const struct belongs *of, uint32_t psn)
{
	return is_request(of->flow) && of->flow->flags & RT_FLOW_NAKED &&
	       rt_psn_delta(psn, of->more->nak_psn) >= 0;
}

/* Where nobody sends again a PSN comes twice as a copy only, if PSNs count up. */
static bool never_resends(const struct belongs *of, uint32_t psn)
{
	const uint8_t transport = of->flow->transport;

	return transport == TRANSPORT_UC ||
	       (transport == TRANSPORT_UD && (rt_psn_delta(of->more->first_psn, psn) ||
					      of->flow->high_psn - psn != 1));
}

static enum copy judge_without_ids(const struct evidence *evidence,
				   const struct belongs *of,
				   const struct rt_sighting *frame, bool asked)
{
	const uint32_t psn = frame->packet & 0xFFFFFF;
	const bool last = of->flow->next_psn == ((psn + 1) & 0xFFFFFF);

	if ((evidence->original->flags | frame->flags) & UNTIMED)
		return COPY_PERHAPS;
	if (is_request(of->flow) && never_resends(of, psn))
		return COPY_SURE;
	if (asked)
		return COPY_NONE;
	if (!evidence->same_place)
		return COPY_SURE;
	if (is_request(of->flow) && of->flow->transport != TRANSPORT_UD && last &&
	    distance_ns(evidence->original->time_ns, frame->time_ns) < RESEND_NS)
		return COPY_SURE;
	return COPY_PERHAPS;
}

static enum copy judge(const struct belongs *of, const struct rt_sighting *seen,
		       const struct rt_frame *frame)
{
	const struct evidence evidence = collect(of->flows->sightings, seen);
	const bool asked = is_asked_for(of, frame->bth.psn);

	if (!evidence.original)
		return COPY_NONE;
	if (tells_by_id(&evidence, of, frame, asked))
		return COPY_SURE;
	return judge_without_ids(&evidence, of, seen, asked);
}

bool rt_copies_find(struct rt_flows *flows, uint32_t flow, uint32_t pair,
		    const struct rt_frame *frame)
{
	struct rt_flow_more *more = rt_flow_more_at(flows, flow);
	const struct belongs of = { flows, rt_flow_at(flows, flow), more, pair };
	const struct rt_sighting seen = sight(frame, flow, pair);
	const enum copy copy = judge(&of, &seen, frame);

	/* ACKs and CNPs are often the same without being copies or resends. */
	more->lookalikes += copy == COPY_PERHAPS && of.flow->stream != RT_STREAM_NONE;
	if (copy != COPY_SURE)
		return false;
	more->copies++;
	more->icrc_ok -= frame->icrc == RT_ICRC_OK; /* counted for its batch */
	more->icrc_bad -= frame->icrc == RT_ICRC_BAD;
	return true;
}
