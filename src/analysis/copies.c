/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/copies.h"

#include <stdlib.h>

#include "analysis/flow.h"
#include "base/hash.h"

/* Sightings with one hash that a frame is compared with, at most. */
#define MAX_STEPS 64u

/* Below the shortest time-out: 4.096 us * 2^1. */
#define RESEND_NS 8192u

/* So many frames say how often a capture holds each. */
#define ENOUGH 16u

/* Ids tell when at most one of so many frames has that of the one before it. */
#define TELLING 16u

/* A new id is at most so far from the one before it ... */
#define NEAR_IDS    1024u
/* ... and what was sent again has one that many times more often than not. */
#define RENUMBERING 4u

/* A copy is at most so many times as late as the latest before it. */
#define LAG_SPREAD 4u

struct rt_sightings *rt_sightings_new(void)
{
	struct rt_sightings *sightings = calloc(1, sizeof(*sightings));

	/* so that 0, which last[] begins with, is out of reach */
	if (sightings)
		sightings->count = sightings->chained = sightings->watched =
			RT_SIGHTINGS;
	return sightings;
}

uint32_t rt_copies_place(const struct rt_frame *frame)
{
	return (uint32_t)frame->ttl << 24 ^ (uint32_t)frame->encap << 21 ^
	       (frame->vlan & 0xFFFu) * 0x9E37u ^ frame->vlan_tags ^
	       frame->encap_id * 0x85EBCA6Bu;
}

static uint32_t slot_of(const struct rt_sighting *sighting)
{
	return (sighting->digest + sighting->packet + sighting->ip_id) * 0x85EBCA6Bu /
	       (UINT32_MAX / RT_SIGHTINGS + 1);
}

/* The place and the tag of what any two copies have in common, cut or not. */
static struct rt_old_sighting *old_of(struct rt_sightings *sightings,
				      const struct rt_sighting *sighting,
				      uint32_t *ret_tag)
{
	const uint64_t what = (uint64_t)sighting->packet << 32 |
			      (uint32_t)sighting->ip_id << 16 | sighting->udp_sport;
	const uint64_t hash = rt_hash_fold(what, sighting->pair_bits >>
							 RT_SIGHTING_PAIR_SHIFT);

	*ret_tag = (uint32_t)hash | 1;
	return &sightings->old[hash >> 32 & (RT_OLD_SIGHTINGS - 1)];
}

static uint32_t kns_of(int64_t time_ns)
{
	return (uint32_t)((uint64_t)time_ns >> 10);
}

/* The first of several stays. */
static void keep_old(struct rt_sightings *sightings, const struct rt_sighting *sighting)
{
	uint32_t tag;
	struct rt_old_sighting *old = old_of(sightings, sighting, &tag);

	if (old->tag != tag)
		*old = (struct rt_old_sighting){ tag, kns_of(sighting->time_ns) };
}

/* Those that are still there; what has been written over is out of reach anyway. */
static void chain(struct rt_sightings *sightings)
{
	if (sightings->count - sightings->chained > RT_SIGHTINGS)
		sightings->chained = sightings->count - RT_SIGHTINGS;
	for (; sightings->chained != sightings->count; sightings->chained++) {
		struct rt_sighting *sighting =
			&sightings->at[sightings->chained % RT_SIGHTINGS];
		uint32_t *last = &sightings->last[slot_of(sighting)];

		sighting->before = *last;
		*last = sightings->chained;
		if ((int32_t)(sightings->watched - sightings->chained) > 0)
			keep_old(sightings, sighting);
	}
}

/* Keep tags for as many frames as there is room for, and of those that are there. */
static void watch(struct rt_sightings *sightings)
{
	const bool watches = (int32_t)(sightings->watched - sightings->chained) > 0;

	for (uint32_t back = watches ? 0 : RT_SIGHTINGS; back > 0; back--)
		keep_old(sightings,
			 &sightings->at[(sightings->chained - back) % RT_SIGHTINGS]);
	sightings->watched = sightings->chained + RT_OLD_SIGHTINGS;
}

/* What the sightings say about a frame. */
struct evidence {
	struct rt_sighting *original; /* NULL: none in the window */
	uint64_t lag_ns;              /* behind it */
	unsigned copies;              /* of it, so far */
	bool same_place;              /* it was seen there before */
	bool same_id;                 /* so have other packets, or resends */
};

static uint64_t distance_ns(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool is_same(const struct rt_sighting *a, const struct rt_sighting *b)
{
	return a->packet == b->packet && a->digest == b->digest &&
	       a->ip_id == b->ip_id && a->udp_sport == b->udp_sport &&
	       ((a->pair_bits ^ b->pair_bits) &
		~(uint32_t)(RT_SIGHTING_COPY | RT_SIGHTING_UNTIMED | RT_SIGHTING_CE)) ==
		       0;
}

/* From the newest on; false when there is no more to find. */
static bool compare(struct rt_sighting *sighting, const struct rt_sighting *frame,
		    struct evidence *evidence)
{
	const bool near = distance_ns(sighting->time_ns, frame->time_ns) <=
			  RT_COPY_WINDOW_NS;

	if (!is_same(sighting, frame))
		return true;
	if (!evidence->original && near)
		evidence->same_place |= sighting->place == frame->place;
	if (sighting->pair_bits & RT_SIGHTING_COPY) {
		evidence->copies += near && !evidence->original;
		return true;
	}
	if (evidence->original || !near) {
		evidence->same_id = true;
		return false;
	}
	evidence->original = sighting;
	evidence->lag_ns = distance_ns(sighting->time_ns, frame->time_ns);
	return true;
}

static struct evidence collect(struct rt_sightings *sightings,
			       const struct rt_sighting *frame)
{
	struct evidence evidence = { 0 };
	uint32_t at = sightings->last[slot_of(frame)];

	for (uint32_t step = 0; step < MAX_STEPS; step++) {
		struct rt_sighting *sighting = &sightings->at[at % RT_SIGHTINGS];

		if (sightings->count - at - 1 >= RT_SIGHTINGS ||
		    !compare(sighting, frame, &evidence))
			break;
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

static enum telling ids_tell(unsigned same, unsigned as_psn, unsigned other)
{
	if ((same + as_psn) * TELLING > other)
		return TELLS_NOT;
	return other > 0 ? TELLS : TELLS_NOTHING_YET;
}

/* The first frame counts as another than none before it, which says nothing. */
static unsigned others(const struct rt_ip_ids *ids)
{
	return ids->other - (ids->other > 0);
}

/* By the sender's other flows on this way. */
static enum telling neighbours_tell(const struct rt_flows *flows, uint32_t pair)
{
	unsigned same = 0, as_psn = 0, other = 0, steps = 0;

	for (uint32_t at = flows->pairs[pair].last_flow;
	     at != RT_NO_INDEX && steps < MAX_STEPS;
	     at = rt_flow_more_at(flows, at)->next_in_pair, steps++) {
		const struct rt_ip_ids *ids = &rt_flow_at(flows, at)->ids;

		same += ids->same;
		as_psn += ids->as_psn;
		other += others(ids);
	}
	return ids_tell(same, as_psn, other);
}

static bool has_copies(const struct rt_flows *flows, uint32_t pair)
{
	const uint32_t back = flows->pairs[pair].reverse;

	return flows->pairs[pair].copied ||
	       (back != RT_NO_INDEX && flows->pairs[back].copied);
}

/* Frames but CNPs that go one way, and how many copies of them were left out. */
static void count_copies(const struct rt_flows *flows, uint32_t pair,
			 uint64_t *ret_frames, uint64_t *ret_copies)
{
	unsigned steps = 0;

	for (uint32_t at = flows->pairs[pair].last_flow;
	     at != RT_NO_INDEX && steps < MAX_STEPS;
	     at = rt_flow_more_at(flows, at)->next_in_pair, steps++) {
		const struct rt_flow_more *more = rt_flow_more_at(flows, at);
		const struct rt_flow_events *events = rt_flow_events_of(more);

		*ret_frames += rt_ecn_sum(rt_flow_at(flows, at)->ecn) - events->cnps;
		*ret_copies += more->copies - events->cnp_copies;
	}
}

/*
 * How often each frame between the two addresses is in the capture, when it is so of
 * (nearly) all that are no CNPs; else once.
 */
static uint64_t times_captured(const struct rt_flows *flows, uint32_t pair)
{
	const uint32_t back = flows->pairs[pair].reverse;
	uint64_t frames = 0, copies = 0, each, off;

	if (!has_copies(flows, pair))
		return 1;
	count_copies(flows, pair, &frames, &copies);
	if (back != RT_NO_INDEX)
		count_copies(flows, back, &frames, &copies);
	if (frames < ENOUGH)
		return 1;
	each = (copies + frames / 2) / frames;
	off = copies > each * frames ? copies - each * frames : each * frames - copies;
	return off * TELLING <= frames ? 1 + each : 1;
}

/* A NIC may make CNPs apart from all else, and two in a row are often alike. */
static bool cnp_tells(const struct rt_copy_of *of, uint16_t ip_id)
{
	const struct rt_ip_ids *ids = &rt_flow_events_of(of->more)->cnp_ids;
	const enum telling telling = ids_tell(ids->same, 0, others(ids));

	if (ip_id == 0)
		return false;
	return telling == TELLS ||
	       (telling == TELLS_NOTHING_YET && has_copies(of->flows, of->pair));
}

static bool is_stream(const struct rt_flow *flow)
{
	return flow->stream != RT_STREAM_NONE;
}

static bool is_request(const struct rt_flow *flow)
{
	return flow->stream == RT_STREAM_REQUEST;
}

/* A NAK asked for it, or for what lies before it. */
static bool is_asked_for(const struct rt_copy_of *of, uint32_t psn)
{
	return is_request(of->flow) && of->flow->flags & RT_FLOW_NAKED &&
	       rt_psn_delta(psn, of->more->events->nak_psn) >= 0;
}

/*
 * Does a sender that goes back give what it sends again new ids?  Ids made of PSNs
 * differ from packet to packet as well.
 */
static bool renumbers(const struct rt_copy_of *of)
{
	const struct rt_pair *pair = &of->flows->pairs[of->pair];

	return pair->renumbered > RENUMBERING * (unsigned)pair->not_renumbered;
}

/* Is its id a little above the one before it, as that of a copy is not? */
static bool counts_on(const struct rt_copy_of *of, const struct rt_frame *frame)
{
	const uint16_t step = (uint16_t)(frame->ip_id - of->flow->ids.last);

	return step > 0 && step < NEAR_IDS;
}

/* A frame of which none is seen that it could be a copy of, as it goes back. */
static void note_renumbering(const struct rt_copy_of *of, const struct rt_frame *frame)
{
	struct rt_pair *pair = &of->flows->pairs[of->pair];
	const bool renumbered = counts_on(of, frame);
	uint8_t *count = renumbered ? &pair->renumbered : &pair->not_renumbered;

	/* A late frame has the old id that it must have. */
	if ((renumbered || is_asked_for(of, frame->bth.psn)) && is_stream(of->flow) &&
	    rt_psn_delta(frame->bth.psn, of->flow->next_psn) < 0 && *count < UINT8_MAX)
		(*count)++;
}

/* Copies between the two addresses that nobody had asked for were about as late. */
static bool is_late_as_copies(const struct evidence *evidence,
			      const struct rt_copy_of *of)
{
	const struct rt_pair *pair = &of->flows->pairs[of->pair];
	uint64_t lag_ns = pair->copy_lag_ns;

	if (pair->reverse != RT_NO_INDEX &&
	    of->flows->pairs[pair->reverse].copy_lag_ns > lag_ns)
		lag_ns = of->flows->pairs[pair->reverse].copy_lag_ns;
	return evidence->lag_ns <= LAG_SPREAD * lag_ns;
}

/* Since the one it may be a copy of a NAK came, which more than one resend may follow. */
static bool was_refused(const struct evidence *evidence, const struct rt_copy_of *of)
{
	const struct rt_flow_events *events = rt_flow_events_of(of->more);

	return is_request(of->flow) && events->nak_ns > 0 &&
	       events->nak_ns >= evidence->original->time_ns;
}

static bool tells_by_id(const struct evidence *evidence, const struct rt_copy_of *of,
			const struct rt_frame *frame, bool resent)
{
	const struct rt_ip_ids *ids = &of->flow->ids;
	enum telling telling = ids_tell(ids->same, ids->as_psn, others(ids));

	if (frame->bth.opcode == RT_OP_CNP)
		return (!evidence->same_id && cnp_tells(of, frame->ip_id)) ||
		       evidence->copies + 1 < times_captured(of->flows, of->pair);
	if (evidence->same_id)
		return false;
	if (telling == TELLS_NOTHING_YET)
		telling = neighbours_tell(of->flows, of->pair);
	if (telling == TELLS_NOTHING_YET)
		return frame->ip_id != 0 && !resent;
	if (telling != TELLS || !evidence->same_place || renumbers(of))
		return telling == TELLS;
	return is_late_as_copies(evidence, of) ||
	       !(resent || was_refused(evidence, of));
}

/* Where nobody sends again a PSN comes twice as a copy only, if PSNs count up. */
static bool never_resends(const struct rt_copy_of *of, uint32_t psn)
{
	const uint8_t transport = of->flow->transport;

	return transport == RT_TRANSPORT_UC ||
	       (transport == RT_TRANSPORT_UD &&
		(rt_psn_delta(of->more->first_psn, psn) ||
		 of->flow->high_psn - psn != 1));
}

static enum rt_copy judge_without_ids(const struct evidence *evidence,
				      const struct rt_copy_of *of,
				      const struct rt_sighting *frame, bool resent)
{
	const uint32_t psn = frame->packet & 0xFFFFFF;
	const bool last = of->flow->next_psn == ((psn + 1) & 0xFFFFFF);

	if ((evidence->original->pair_bits | frame->pair_bits) & RT_SIGHTING_UNTIMED)
		return RT_COPY_PERHAPS;
	if (is_request(of->flow) && never_resends(of, psn))
		return RT_COPY_SURE;
	if (resent && (evidence->same_place || !is_late_as_copies(evidence, of)))
		return RT_COPY_NONE;
	if (!evidence->same_place)
		return RT_COPY_SURE;
	if (is_request(of->flow) && of->flow->transport != RT_TRANSPORT_UD && last &&
	    distance_ns(evidence->original->time_ns, frame->time_ns) < RESEND_NS)
		return RT_COPY_SURE;
	return RT_COPY_PERHAPS;
}

enum rt_copy rt_copies_judge(struct rt_sightings *sightings,
			     const struct rt_copy_of *of, const struct rt_frame *frame,
			     bool *ret_marked)
{
	/* What follows a resend is one too. */
	const bool resent = is_asked_for(of, frame->bth.psn) ||
			    (is_stream(of->flow) &&
			     rt_psn_delta(frame->bth.psn, of->flow->next_psn) >= 0);
	struct rt_sighting seen;
	struct evidence evidence;
	enum rt_copy copy = RT_COPY_SURE;

	rt_copies_sight(&seen, of->index, of->pair, frame, false);
	chain(sightings);
	evidence = collect(sightings, &seen);
	if (!evidence.original) {
		note_renumbering(of, frame);
		return RT_COPY_NONE;
	}
	if (!tells_by_id(&evidence, of, frame, resent))
		copy = judge_without_ids(&evidence, of, &seen, resent);
	if (copy != RT_COPY_SURE)
		return copy;
	if (!resent && is_stream(of->flow) &&
	    evidence.lag_ns > of->flows->pairs[of->pair].copy_lag_ns)
		of->flows->pairs[of->pair].copy_lag_ns = (uint32_t)evidence.lag_ns;
	*ret_marked = seen.pair_bits & ~evidence.original->pair_bits & RT_SIGHTING_CE;
	evidence.original->pair_bits |= seen.pair_bits & RT_SIGHTING_CE;
	return copy;
}

/* By the flow's ids, or the sender's others. */
static enum telling sender_tells(const struct rt_copy_of *of)
{
	const struct rt_ip_ids *ids = &of->flow->ids;
	const enum telling telling = ids_tell(ids->same, ids->as_psn, others(ids));

	return telling == TELLS_NOTHING_YET ? neighbours_tell(of->flows, of->pair)
					    : telling;
}

/* Does the frame go back, or follow one that did, for a NAK? */
static bool note_asked(const struct rt_copy_of *of, uint32_t psn, bool *asked)
{
	if (is_asked_for(of, psn))
		*asked = true;
	else if (rt_psn_delta(psn, of->flow->next_psn) < 0)
		*asked = false;
	return *asked;
}

enum rt_copy rt_copies_seen_before(struct rt_sightings *sightings,
				   const struct rt_copy_of *of,
				   const struct rt_frame *frame, bool *asked,
				   uint64_t *ret_lag_ns)
{
	struct rt_sighting seen;
	const struct rt_old_sighting *old;
	enum telling telling;
	uint32_t tag;

	if (note_asked(of, frame->bth.psn, asked) || counts_on(of, frame))
		return RT_COPY_NONE;
	telling = sender_tells(of);
	if (telling == TELLS_NOT)
		return RT_COPY_NONE;
	if (is_stream(of->flow))
		watch(sightings);
	rt_copies_sight(&seen, of->index, of->pair, frame, false);
	old = old_of(sightings, &seen, &tag);
	if (old->tag != tag)
		return RT_COPY_NONE;
	*ret_lag_ns = (uint64_t)(kns_of(frame->time_ns) - old->time_kns) << 10;
	return telling == TELLS ? RT_COPY_SURE : RT_COPY_PERHAPS;
}
