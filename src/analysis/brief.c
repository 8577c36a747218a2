/* SPDX-License-Identifier: BSD-2-Clause */
/* brief.c - the two loops that most frames of a capture go through, and no other. */
#include "analysis/brief.h"

/*
 * What rt_plain_take() asks beside what the key says.  It also takes frames that are
 * longer than the wire had them; these are left to it.
 */
static inline bool is_plain(const struct rt_record *record, struct rt_brief_op op)
{
	const uint8_t *data = record->data;
	const uint32_t total = rt_get_be16(data + RT_BRIEF_TOTAL);
	const uint32_t headers = RT_PLAIN_ETH + op.least_bytes - RT_ICRC_BYTES;

	return (rt_get_le32(data + RT_BRIEF_ETHERTYPE) & RT_PLAIN_IPV4_MASK) ==
		       RT_PLAIN_IPV4 &&
	       (rt_get_le32(data + RT_BRIEF_FRAGMENT) & RT_PLAIN_UDP_MASK) ==
		       RT_PLAIN_UDP &&
	       rt_get_be16(data + RT_BRIEF_UDP_LENGTH) + 20u == total && op.usual &&
	       RT_PLAIN_ETH + total <= record->wire_bytes && total >= op.least_bytes &&
	       headers <= record->cap_bytes;
}

static inline bool is_whole(const struct rt_record *record)
{
	return (uint32_t)RT_PLAIN_ETH + rt_get_be16(record->data + RT_BRIEF_TOTAL) <=
	       record->cap_bytes;
}

/* Of a plain frame, as rt_plain_sums() finds it. */
static enum rt_icrc icrc_of(const struct rt_record *record)
{
	const uint8_t *net = record->data + RT_PLAIN_ETH;
	const uint32_t total = rt_get_be16(record->data + RT_BRIEF_TOTAL);
	const uint32_t covered = total - RT_ICRC_BYTES;

	if (!is_whole(record))
		return RT_ICRC_CUT;
	return rt_icrc_of(RT_ICRC_IPV4, net, RT_PLAIN_BTH, covered) ==
			       rt_get_le32(net + covered)
		       ? RT_ICRC_OK
		       : RT_ICRC_BAD;
}

/* What brief frames in a row add up to. */
struct seen {
	uint64_t brief_bits, seek_bits; /* of the batch */
	uint64_t ackreq, icrcs[RT_ICRC_CUT + 1];
	uint64_t wire_bytes, captured_bytes, truncated;
};

static inline void add_up(const struct seen *seen, struct overview *overview,
			  struct rt_batch *batch, struct rt_overview_sums *sums)
{
	overview->roce.ackreq += seen->ackreq;
	batch->brief |= seen->brief_bits;
	batch->usual |= seen->brief_bits;
	batch->seek |= seen->seek_bits;
	sums->icrc_ok += seen->icrcs[RT_ICRC_OK];
	sums->icrc_cut += seen->icrcs[RT_ICRC_CUT];
	sums->wire_bytes += seen->wire_bytes;
	sums->captured_bytes += seen->captured_bytes;
	sums->truncated += seen->truncated;
}

uint32_t rt_briefs_see(struct rt_briefs *briefs, struct rt_stage_context *context,
		       struct overview *overview, struct rt_batch *batch, uint32_t i,
		       struct rt_overview_sums *sums)
{
	const struct rt_record *record = &batch->records->at[i];
	const struct rt_flow *flows = context->flows.flow;
	const struct rt_pair *pairs = context->flows.pairs;
	const uint32_t first = i, count = batch->count;
	const bool checked = batch->records->decode_flags & RT_DECODE_ICRC;
	int64_t previous_ns = overview->previous_ns, max_ns = context->max_ns;
	struct seen seen = { 0 };

	for (uint64_t bit = UINT64_C(1) << i % 64; i < count;
	     i++, record++, bit <<= 1) {
		const uint8_t *data = record->data;
		const struct rt_brief *brief;
		struct rt_brief_key key;

		if (record->cap_bytes < RT_PLAIN_MIN || record->time_ns < previous_ns)
			break;
		key = rt_brief_key_of(briefs, data);
		brief = rt_brief_at(briefs, &key);
		if (!rt_brief_is(brief, &key) ||
		    !is_plain(record, briefs->ops[data[RT_BRIEF_BTH]]))
			break;
		if (checked) {
			const enum rt_icrc icrc = icrc_of(record);

			if (icrc == RT_ICRC_BAD)
				break;
			seen.icrcs[icrc]++;
		}
		seen.brief_bits |= bit;
		batch->flow[i] = brief->flow;
		if (__builtin_expect(brief->flow < RT_BRIEF_PENDING, 1)) {
			rt_flow_record_prefetch(&flows[brief->flow]);
			rt_pair_prefetch(&pairs[brief->pair]);
		} else {
			seen.seek_bits |= bit;
		}
		previous_ns = record->time_ns;
		max_ns = previous_ns > max_ns ? previous_ns : max_ns;
		overview->tos[data[RT_BRIEF_TOS]]++;
		overview->opcodes[data[RT_BRIEF_BTH]]++;
		seen.ackreq += data[RT_BRIEF_PSN] >> 7;
		seen.wire_bytes += record->wire_bytes;
		seen.captured_bytes += record->cap_bytes;
		seen.truncated += record->cap_bytes < record->wire_bytes;
	}
	context->max_ns = max_ns;
	overview->previous_ns = previous_ns;
	sums->usual += i - first;
	add_up(&seen, overview, batch, sums);
	return i;
}

/*
 * The members of a brief frame by which it is known to be the next, all others 0.
 * To be inlined where they are used, so that no frame is made.
 */
static inline __attribute__((always_inline)) struct rt_frame
head_of(const struct rt_briefs *briefs, const struct rt_record *record)
{
	const uint8_t *data = record->data;
	struct rt_frame frame = {
		.time_ns = record->time_ns,
		.wire_bytes = record->wire_bytes,
	};

	frame.bth.opcode = data[RT_BRIEF_BTH];
	frame.bth.psn = rt_get_be32(data + RT_BRIEF_PSN) & 0xFFFFFF;
	frame.bth.payload_bytes = rt_get_be16(data + RT_BRIEF_TOTAL) -
				  briefs->ops[frame.bth.opcode].least_bytes;
	return frame;
}

/* Those that counting it needs. */
static inline __attribute__((always_inline)) void
fill(struct rt_frame *frame, const struct rt_record *record, unsigned decode_flags)
{
	const uint8_t *data = record->data, *behind = data + RT_BRIEF_BEHIND;
	const uint8_t bits = data[RT_BRIEF_BTH + 1];
	const uint32_t end = RT_PLAIN_ETH + rt_get_be16(data + RT_BRIEF_TOTAL);
	const bool whole = is_whole(record);

	frame->ecn = data[RT_BRIEF_TOS] & 3;
	if (!(decode_flags & RT_DECODE_DIGEST))
		return;
	frame->flags = RT_FRAME_DIGEST;
	frame->digest = rt_digest_of(
		behind, (whole ? end : record->cap_bytes) - RT_BRIEF_BEHIND,
		whole ? data + end - RT_ICRC_BYTES : NULL);
	frame->ttl = data[RT_BRIEF_TTL];
	frame->ip_id = rt_get_be16(data + RT_BRIEF_IP_ID);
	frame->udp_sport = rt_get_be16(data + RT_BRIEF_PORTS);
	frame->bth.bits = (uint8_t)(bits >> 7 | (bits >> 5 & RT_BTH_MIGREQ) |
				    (data[RT_BRIEF_PSN] >> 5 & RT_BTH_ACKREQ));
}

uint32_t rt_briefs_take(const struct rt_briefs *briefs,
			const struct rt_stage_context *context,
			const struct throughput *throughput,
			const struct rt_batch *batch, uint32_t i)
{
	const struct throughput now = *throughput;
	const unsigned decode_flags = batch->records->decode_flags;
	const bool checked = decode_flags & RT_DECODE_ICRC;
	const struct rt_record *record = &batch->records->at[i];
	struct rt_sightings *sightings = context->flows.sightings;
	struct rt_flow *flows = context->flows.flow;
	struct rt_pair *pairs = context->flows.pairs;
	const uint64_t from_ns = (uint64_t)context->first_ns + now.current_ns;

	for (uint64_t left = batch->brief >> i % 64; left & 1;
	     i++, record++, left >>= 1) {
		struct rt_frame frame = head_of(briefs, record);
		const unsigned op = briefs->ops[frame.bth.opcode].usual;
		struct rt_flow *flow = &flows[batch->flow[i]];
		struct rt_pair *pair = &pairs[flow->pair];
		const uint64_t wire_ns = rt_throughput_wire_ns(&now, &frame);

		if (!rt_usual_is_next(flow, &frame, op) || !frame.bth.payload_bytes ||
		    !rt_throughput_is_next(&now, from_ns, pair, &frame, wire_ns))
			break;
		fill(&frame, record, decode_flags);
		rt_usual_count(sightings, flow, batch->flow[i], &frame, op);
		rt_throughput_count(&now, pair, &frame, wire_ns);
		if (checked)
			rt_flow_more_at(&context->flows, batch->flow[i])->icrc_ok +=
				is_whole(record);
	}
	return i;
}
