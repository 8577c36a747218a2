/* SPDX-License-Identifier: BSD-2-Clause */
/* overview.c - what is in the capture: counts, by everything that has a name. */
#include "analysis/overview.h"

void rt_overview_back(struct overview *overview, int64_t time_ns)
{
	const uint64_t back = rt_elapsed_ns(time_ns, overview->previous_ns);

	overview->capture.times_back++;
	if (back > overview->capture.longest_back_ns)
		overview->capture.longest_back_ns = back;
}

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

void rt_overview_odd(struct overview *overview, const struct rt_frame *frame)
{
	overview->capture.malformed += !!(frame->flags & RT_FRAME_MALFORMED);
	overview->capture.fragments += !!(frame->flags & RT_FRAME_FRAGMENT);
	overview->capture.no_time += !!(frame->flags & RT_FRAME_NO_TIME);
	if (frame->encap != RT_ENCAP_NONE)
		count_encap(overview, frame);
	if (frame->kind == RT_FRAME_OTHER)
		count_content(overview, frame);
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
