/* SPDX-License-Identifier: BSD-2-Clause */
/* overview.c - what is in the capture: counts, by everything that has a name. */
#include "analysis/overview.h"

static void count_encap(struct overview *overview, const struct rt_frame *frame)
{
	uint32_t at = 0;

	while (at < overview->encap_count &&
	       (overview->encaps[at].kind != frame->encap ||
		overview->encaps[at].id != frame->encap_id))
		at++;
	if (at == overview->encap_count && at < ENCAPS)
		overview->encaps[overview->encap_count++] =
			(struct encap){ .kind = frame->encap, .id = frame->encap_id };
	overview->encaps[at].frames++;
}

static void count_content(struct overview *overview, const struct rt_frame *frame)
{
	const uint16_t port = frame->udp_sport < frame->udp_dport ? frame->udp_sport
								  : frame->udp_dport;
	const uint32_t key = (uint32_t)frame->ethertype << 16 | frame->ip_proto << 8 |
			     1;
	uint32_t at = (key * 0x9E3779B1u ^ port * 0x85EBCA6Bu) % CONTENT_SLOTS;

	while (overview->contents[at].key && (overview->contents[at].key != key ||
					      overview->contents[at].port != port))
		at = (at + 1) % CONTENT_SLOTS;
	if (overview->contents[at].key == 0) {
		if (overview->content_count == RT_ANALYSIS_MAX_CONTENTS) {
			overview->capture.content_overflow++;
			return;
		}
		overview->content_count++;
		overview->contents[at].key = key;
		overview->contents[at].port = port;
	}
	overview->contents[at].frames++;
	overview->contents[at].bytes += frame->wire_bytes;
}

static inline void count_sport(struct overview *overview, uint16_t port)
{
	overview->sport_seen[port / 64] |= UINT64_C(1) << port % 64;
}

static void count_time(struct overview *overview, int64_t time_ns)
{
	if (time_ns < overview->previous_ns && overview->has_previous) {
		const uint64_t back = rt_elapsed_ns(time_ns, overview->previous_ns);

		overview->capture.times_back++;
		if (back > overview->capture.longest_back_ns)
			overview->capture.longest_back_ns = back;
	}
	overview->has_previous = true;
	overview->previous_ns = time_ns;
}

/* Of a frame that was counted as without padding. */
static void count_bits(struct overview *overview, const struct rt_bth *bth)
{
	overview->pads[0]--;
	overview->pads[bth->pad_bytes & 3]++;
	overview->roce.ackreq += !!(bth->bits & RT_BTH_ACKREQ);
	overview->roce.becn += !!(bth->bits & RT_BTH_BECN);
	overview->roce.fecn += !!(bth->bits & RT_BTH_FECN);
}

static void count_roce(struct overview *overview, const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;

	overview->versions[frame->version & 3]++;
	overview->ecn[frame->dscp & 63][frame->ecn & 3]++;
	overview->icrc[frame->icrc & 3]++;
	if (frame->version == RT_ROCE_V2)
		count_sport(overview, frame->udp_sport);
	if (frame->flags & RT_FRAME_BTH_CUT) {
		overview->roce.bth_cut++;
		return;
	}
	overview->opcodes[bth->opcode]++;
	overview->pads[0]++;
	count_bits(overview, bth);
	if (bth->ext & RT_EXT_AETH)
		overview->syndromes[bth->syndrome]++;
}

static __attribute__((noinline)) void count_any(struct overview *overview,
						const struct rt_frame *frame)
{
	overview->capture.malformed += !!(frame->flags & RT_FRAME_MALFORMED);
	overview->capture.fragments += !!(frame->flags & RT_FRAME_FRAGMENT);
	overview->kinds[frame->kind < RT_FRAME_KIND_COUNT ? frame->kind : 0]++;
	if (frame->flags & RT_FRAME_NO_TIME)
		overview->capture.no_time++;
	else
		count_time(overview, frame->time_ns);
	if (frame->vlan_tags)
		overview->vlans[(frame->vlan & 0xFFF) << 3 | frame->vlan >> 13]++;
	if (frame->encap != RT_ENCAP_NONE)
		count_encap(overview, frame);
	if (frame->kind == RT_FRAME_ROCE)
		count_roce(overview, frame);
	else if (frame->kind == RT_FRAME_OTHER)
		count_content(overview, frame);
}

/* What all usual frames add is added once for a batch. */
void rt_overview_take(struct overview *overview, const struct rt_batch *batch)
{
	uint64_t wire_bytes = 0, captured_bytes = 0, truncated = 0, usual = 0;

	for (uint32_t i = 0; i < batch->count; i++) {
		const struct rt_frame *frame = &batch->frames[i];
		const struct rt_bth *bth = &frame->bth;

		wire_bytes += frame->wire_bytes;
		captured_bytes += frame->cap_bytes;
		truncated += frame->flags & RT_FRAME_CUT;
		if (!(batch->usual >> i & 1)) {
			count_any(overview, frame);
			continue;
		}
		usual++;
		count_time(overview, frame->time_ns);
		overview->ecn[frame->dscp & 63][frame->ecn & 3]++;
		count_sport(overview, frame->udp_sport);
		overview->opcodes[bth->opcode]++;
		if (bth->pad_bytes | bth->bits)
			count_bits(overview, bth);
	}
	overview->capture.frames += batch->count;
	overview->capture.wire_bytes += wire_bytes;
	overview->capture.captured_bytes += captured_bytes;
	overview->capture.truncated += truncated;
	overview->kinds[RT_FRAME_ROCE] += usual;
	overview->versions[RT_ROCE_V2] += usual;
	overview->icrc[RT_ICRC_NONE] += usual;
	overview->pads[0] += usual;
}

static int overview_finish(void *state, struct rt_stage_context *context,
			   struct rt_analysis *result, struct rt_err *err)
{
	return rt_overview_result(state, context, result, err);
}

const struct rt_stage rt_stage_overview = {
	.name = "overview",
	.state_bytes = sizeof(struct overview),
	.finish = overview_finish,
};
