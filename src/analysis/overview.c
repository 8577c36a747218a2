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
	overview->tos[(frame->dscp & 63) << 2 | (frame->ecn & 3)]++;
	overview->icrc[frame->icrc & 3]++;
	if (frame->version == RT_ROCE_V2)
		rt_overview_count_sport(overview, frame->udp_sport);
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

void rt_overview_take_any(struct overview *overview, const struct rt_frame *frame)
{
	overview->capture.malformed += !!(frame->flags & RT_FRAME_MALFORMED);
	overview->capture.fragments += !!(frame->flags & RT_FRAME_FRAGMENT);
	overview->kinds[frame->kind < RT_FRAME_KIND_COUNT ? frame->kind : 0]++;
	if (frame->flags & RT_FRAME_NO_TIME)
		overview->capture.no_time++;
	else
		rt_overview_count_time(overview, frame->time_ns);
	if (frame->vlan_tags)
		overview->vlans[(frame->vlan & 0xFFF) << 3 | frame->vlan >> 13]++;
	if (frame->encap != RT_ENCAP_NONE)
		count_encap(overview, frame);
	if (frame->kind == RT_FRAME_ROCE)
		count_roce(overview, frame);
	else if (frame->kind == RT_FRAME_OTHER)
		count_content(overview, frame);
}

void rt_overview_take_usual(struct overview *overview, const struct rt_frame *frame)
{
	const struct rt_bth *bth = &frame->bth;

	rt_overview_count_time(overview, frame->time_ns);
	overview->tos[(frame->dscp & 63) << 2 | (frame->ecn & 3)]++;
	rt_overview_count_sport(overview, frame->udp_sport);
	overview->opcodes[bth->opcode]++;
	if (bth->pad_bytes | bth->bits)
		count_bits(overview, bth);
}

void rt_overview_add(struct overview *overview, const struct rt_overview_sums *sums)
{
	overview->capture.frames += sums->frames;
	overview->capture.wire_bytes += sums->wire_bytes;
	overview->capture.captured_bytes += sums->captured_bytes;
	overview->capture.truncated += sums->truncated;
	overview->kinds[RT_FRAME_ROCE] += sums->usual;
	overview->versions[RT_ROCE_V2] += sums->usual;
	overview->icrc[RT_ICRC_NONE] += sums->usual - sums->icrc_ok - sums->icrc_cut;
	overview->icrc[RT_ICRC_OK] += sums->icrc_ok;
	overview->icrc[RT_ICRC_CUT] += sums->icrc_cut;
	overview->pads[0] += sums->usual;
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
